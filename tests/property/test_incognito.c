/* test_incognito.c - full-domain generalization against brute force: every choice of levels of a
 * small random table is evaluated by definition, with p, boundaries and suppression limits. The
 * command must find the same minimal choices with the same figures and publish the same choice, row
 * for row; its plain form must write the same bytes. */
#include "judge.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHOICES = 2401, UNIT = 60 }; /* MOST_LEVELS ^ MOST_QUASI; heights up to 6 divide UNIT */

static world w;
static fate f;
static release r;
static sheet listed, trace;
static int suppression; /* hundredths */

/* ---- every choice of levels ---- */

typedef struct {
    int level[MOST_QUASI];
    bool satisfies, minimal;
    int released, classes;
    long loss, squares; /* loss in 1 / UNIT, suppressed rows not counted */
    bool kept[MOST_ROWS];
} choice;

static choice choices[MOST_CHOICES];
static int choice_count;
static int line_of[MOST_ROWS][MOST_QUASI];                  /* of the row's leaf in the file */
static int published[MOST_QUASI][MOST_LEAVES][MOST_LEVELS]; /* node of a line at a level */
static int first_level[MOST_QUASI];                         /* lower ones are not listed */
static int value_of[MOST_ROWS][MOST_SENSITIVE];             /* -1: missing */

/* Sets node[line][level], the published value of a leaf at a level: the node in that column of the
 * line, or a higher one where leaves that were equal at the level below would differ; never past
 * the boundary. */
static void find_published(const quasi *q, int (*node)[MOST_LEVELS]) {
    const tree *t = &q->tree;
    for (int line = 0; line < t->lines; line++)
        node[line][0] = finest_node(q, line);
    for (int level = 1; level < t->levels; level++)
        for (int line = 0; line < t->lines; line++) {
            int highest = node[line][level - 1];
            for (int other = 0; other < t->lines; other++)
                if (node[other][level - 1] == node[line][level - 1] &&
                    tree_above(t, t->node[other][level], highest))
                    highest = t->node[other][level];
            node[line][level] = highest;
        }
    for (int line = 0; !w.count && line < t->lines; line++)
        for (int level = 0; level < t->levels; level++) {
            int bound = magval(q, t->node[line][0]);
            if (tree_above(t, node[line][level], bound)) node[line][level] = bound;
        }
}

static void find_lines(const quasi *q, int j) {
    for (int row = 0; row < w.input.rows; row++) {
        const char *text = w.input.cell[row][q->column];
        int line = q->tree.lines - 1;
        if (!world_missing(&w, text) || !(q->group_missing || q->drop_missing))
            for (line = 0; strcmp(q->tree.text[line][0], text);)
                line++;
        line_of[row][j] = line;
    }
}

static bool occurs(const quasi *q, int j, int node) {
    for (int row = 0; row < w.input.rows; row++)
        if (!f.gone[row] && finest_node(q, line_of[row][j]) == node) return true;
    return false;
}

/* With `finest` the lowest level is named after the last column in which no leaf below a value of
 * the rows lies above that value. */
static void find_first_level(const quasi *q, int j) {
    const tree *t = &q->tree;
    bool given = q->finest_level >= 0 || q->finest_given, above = false;
    first_level[j] = 0;
    for (int level = 1; given && level < t->levels; level++) {
        for (int line = 0; line < t->lines; line++) {
            int node = finest_node(q, line);
            above |= occurs(q, j, node) && !tree_above(t, node, t->node[line][level]);
        }
        if (!above) first_level[j] = level;
    }
}

static void find_sensitive(const sensitive *a, int l) {
    long least = 0, most = 0;
    if (a->bins) number_range(&w, &w.input, a->column, &least, &most);
    for (int row = 0; row < w.input.rows; row++) {
        const char *text = w.input.cell[row][a->column];
        value_of[row][l] = world_missing(&w, text) ? -1 : row;
        for (int other = 0; value_of[row][l] >= 0 && other < row; other++)
            if (value_of[other][l] == other &&
                same_value(a, text, w.input.cell[other][a->column], least, most))
                value_of[row][l] = other;
    }
}

static int node_of(const choice *c, int row, int j) {
    return published[j][line_of[row][j]][c->level[j]];
}

static bool alike(const choice *c, int a, int b) {
    for (int j = 0; j < w.quasi_count; j++)
        if (node_of(c, a, j) != node_of(c, b, j)) return false;
    return true;
}

static bool class_holds(const bool *member, int size) {
    if (size < needed_k(&w)) return false;
    for (int l = 0; w.p > 1 && l < w.sensitive_count; l++) {
        bool seen[MOST_ROWS] = {0};
        int values = 0;
        for (int row = 0; row < w.input.rows; row++)
            if (member[row] && value_of[row][l] >= 0 && !seen[value_of[row][l]]) {
                seen[value_of[row][l]] = true;
                values++;
            }
        if (values < w.p) return false;
    }
    return true;
}

static long row_loss(const choice *c, int row) {
    long loss = 0;
    for (int j = 0; j < w.quasi_count; j++) {
        const tree *t = &w.quasi[j].tree;
        int whole = tree_height(t, t->root);
        if (whole) loss += UNIT * tree_height(t, node_of(c, row, j)) / whole;
    }
    return loss;
}

static void judge_choice(choice *c) {
    bool done[MOST_ROWS] = {0};
    int at_hand = 0;
    for (int row = 0; row < w.input.rows; row++) {
        if (f.gone[row]) continue;
        at_hand++;
        if (done[row]) continue;
        bool member[MOST_ROWS] = {0};
        int size = 0;
        for (int other = row; other < w.input.rows; other++)
            if (!f.gone[other] && alike(c, row, other)) member[other] = done[other] = true, size++;
        if (!class_holds(member, size)) continue;
        for (int other = row; other < w.input.rows; other++)
            if (member[other]) c->kept[other] = true;
        c->classes++;
        c->released += size;
        c->squares += (long)size * size;
        c->loss += size * row_loss(c, row);
    }
    c->satisfies = c->classes > 0 && (at_hand - c->released) * 100 <= suppression * w.input.rows;
}

static bool is_below(const choice *a, const choice *b) {
    bool lower = false;
    for (int j = 0; j < w.quasi_count; j++) {
        if (a->level[j] > b->level[j]) return false;
        lower |= a->level[j] < b->level[j];
    }
    return lower;
}

static void try_all(void) {
    int level[MOST_QUASI], j = 0;
    memcpy(level, first_level, sizeof level);
    choice_count = 0;
    while (j >= 0) {
        choice *c = &choices[choice_count++];
        memset(c, 0, sizeof *c);
        memcpy(c->level, level, sizeof level);
        judge_choice(c);
        for (j = w.quasi_count - 1; j >= 0 && ++level[j] == w.quasi[j].tree.levels; j--)
            level[j] = first_level[j];
    }
    for (int i = 0; i < choice_count; i++) {
        choices[i].minimal = choices[i].satisfies;
        for (int n = 0; choices[i].minimal && n < choice_count; n++)
            if (choices[n].satisfies && is_below(&choices[n], &choices[i]))
                choices[i].minimal = false;
    }
}

static long whole_loss(const choice *c) {
    return c->loss + (long)(w.input.rows - c->released) * w.quasi_count * UNIT;
}

static long dm_of(const choice *c) {
    return c->squares + (long)(w.input.rows - c->released) * w.input.rows;
}

/* Better: less loss, then smaller AVG, then smaller DM, then lower levels. */
static bool is_better(const choice *a, const choice *b) {
    if (whole_loss(a) != whole_loss(b)) return whole_loss(a) < whole_loss(b);
    if (a->released * b->classes != b->released * a->classes)
        return a->released * b->classes < b->released * a->classes;
    if (dm_of(a) != dm_of(b)) return dm_of(a) < dm_of(b);
    return a < b;
}

static const choice *find_best(void) {
    const choice *best = NULL;
    for (int i = 0; i < choice_count; i++)
        if (choices[i].satisfies && (!best || is_better(&choices[i], best))) best = &choices[i];
    CHECK(best, "no choice of levels satisfies, though the boundaries do");
    return best;
}

/* ---- the output of the command ---- */

static const char *cell(int row, const char *name) {
    int column = sheet_column(&listed, name);
    CHECK(column >= 0, "the list has no column '%s'", name);
    return listed.cell[row][column];
}

static choice *listed_choice(int row) {
    int index = 0;
    for (int j = 0; j < w.quasi_count; j++) {
        char name[MOST_TEXT * 2];
        snprintf(name, sizeof name, "level:%s", w.input.name[w.quasi[j].column]);
        int level = atoi(cell(row, name));
        int first = first_level[j], levels = w.quasi[j].tree.levels;
        CHECK(level >= first && level < levels, "there is no level %d", level);
        index = index * (levels - first) + level - first;
    }
    return &choices[index];
}

static void check_near(int row, const char *name, double wanted) {
    double number = atof(cell(row, name));
    CHECK(fabs(number - wanted) <= 1e-9 * fmax(1, fabs(wanted)), "line %d: %s is %.15g, not %.15g",
          row + 1, name, number, wanted);
}

static void check_line(int row, const choice *c, const choice *best) {
    double rows = w.input.rows;
    CHECK(!strcmp(cell(row, "minimal"), c->minimal ? "yes" : "no"), "line %d: minimal", row + 1);
    CHECK(!strcmp(cell(row, "published"), c == best ? "yes" : "no"), "line %d: published", row + 1);
    check_near(row, "ntil", (double)whole_loss(c) / UNIT / (rows * w.quasi_count));
    check_near(row, "avg", (double)c->released / c->classes / needed_k(&w));
    check_near(row, "dm", (double)dm_of(c));
    check_near(row, "classes", c->classes);
    check_near(row, "suppressed", rows - c->released);
}

static void check_list(const char *path, const choice *best) {
    int minimal = 0;
    sheet_read(path, ',', &listed);
    CHECK(listed.columns == 7 + w.quasi_count, "the list has %d columns", listed.columns);
    for (int i = 0; i < choice_count; i++)
        minimal += choices[i].minimal;
    CHECK(listed.rows == minimal + !best->minimal, "%d lines for %d minimal choices", listed.rows,
          minimal);
    for (int row = 0; row < listed.rows; row++) {
        const choice *c = listed_choice(row);
        CHECK(c->minimal || c == best, "line %d is neither minimal nor published", row + 1);
        CHECK(row == 0 || is_better(listed_choice(row - 1), c), "line %d: order", row + 1);
        check_line(row, c, best);
    }
}

static void check_release(const char *out, const char *trail, const choice *best) {
    sheet_read(out, w.delimiter, &r.sheet);
    sheet_read(trail, ',', &trace);
    CHECK(r.sheet.rows == best->released, "%d rows, not %d", r.sheet.rows, best->released);
    for (int row = 0; row < w.input.rows; row++) {
        bool kept = !strcmp(trace.cell[row][3], "kept");
        CHECK(kept == best->kept[row], "row %d is %s", row + 1, kept ? "kept" : "suppressed");
        if (!kept) continue;
        int place = atoi(trace.cell[row][4]) - 1;
        r.original[place] = row;
        for (int j = 0; j < w.quasi_count; j++) {
            const quasi *q = &w.quasi[j];
            const char *text = r.sheet.cell[place][released_column(&w, &r.sheet, q->column)];
            const char *wanted = q->tree.label[node_of(best, row, j)];
            CHECK(!strcmp(text, wanted), "row %d: '%s', not '%s'", row + 1, text, wanted);
        }
    }
    CHECK(release_holds(&w, &r), "the release does not keep its promises");
}

static json_int_t number_in(json_t *object, const char *name) {
    json_t *number = json_object_get(object, name);
    CHECK(json_is_integer(number), "the report has no number '%s'", name);
    return json_integer_value(number);
}

static void check_report(const char *path, const choice *best) {
    json_t *report = json_load_file(path, 0, NULL), *search = json_object_get(report, "search");
    json_t *levels = json_object_get(search, "levels");
    int minimal = 0;
    for (int i = 0; i < choice_count; i++)
        minimal += choices[i].minimal;
    CHECK(number_in(search, "minimal") == minimal, "the report counts other minimal choices");
    CHECK(number_in(search, "checked") + number_in(search, "pruned") ==
              number_in(search, "subset_nodes"),
          "nodes are neither checked nor pruned");
    CHECK(number_in(search, "lattice_nodes") <= choice_count, "more nodes than choices");
    for (int j = 0; j < w.quasi_count; j++)
        CHECK(number_in(json_array_get(levels, (size_t)j), "level") == best->level[j],
              "the report says another level");
    CHECK(number_in(json_object_get(report, "rows"), "suppressed") == w.input.rows - best->released,
          "the report says other rows");
    json_decref(report);
}

/* ---- one case ---- */

static int run_command(dice *d, const char *folder, const char *suffix, int threads) {
    command c;
    command_start(&c, "anonymize");
    command_add(&c, "%s/job.yaml", folder);
    command_add(&c, "-o"), command_add(&c, "%s/out%s.csv", folder, suffix);
    command_add(&c, "--trace"), command_add(&c, "%s/trace%s.csv", folder, suffix);
    command_add(&c, "--minimal"), command_add(&c, "%s/minimal%s.csv", folder, suffix);
    command_add(&c, "--report"), command_add(&c, "%s/report%s.json", folder, suffix);
    command_add(&c, "--threads"), command_add(&c, "%d", threads);
    if (suppression || chance(d, 50))
        command_add(&c, "--suppression=%d.%02d", suppression / 100, suppression % 100);
    if (*suffix && strcmp(suffix, "-again")) command_add(&c, "--reference");
    world_flags(&w, d, &c);
    return command_run(&c, folder);
}

static const char *path(const char *folder, const char *name) {
    static char paths[4][MOST_PATH];
    static int next;
    char *place = paths[next++ % 4];
    snprintf(place, MOST_PATH, "%s/%s", folder, name);
    return place;
}

static void expect_same(dice *d, const char *folder, const char *suffix, int threads) {
    static const char *const names[] = {"out", "trace", "minimal"};
    CHECK(run_command(d, folder, suffix, threads) == 0, "another run fails (%s)", suffix);
    for (int i = 0; i < 3; i++) {
        char one[64], other[64];
        snprintf(one, sizeof one, "%s.csv", names[i]);
        snprintf(other, sizeof other, "%s%s.csv", names[i], suffix);
        CHECK(same_bytes(path(folder, one), path(folder, other)), "%s is not %s", other, one);
    }
}

static void run(dice *d, const char *folder) {
    world_make(&w, d, LEVELS);
    world_write(&w, d, folder);
    suppression = chance(d, 50) ? 0 : chance(d, 90) ? roll(d, 1, 40) : 100;
    int status = run_command(d, folder, "", w.threads);
    if (w.bad_use) {
        CHECK(status == 1, "exit status %d for bad use", status);
        return;
    }
    decide_fate(&w, needed_k(&w), w.p, !w.count, -1, &f);
    if (f.suppressed == w.input.rows) {
        CHECK(status == 2, "exit status %d, though everything is OUT", status);
        return;
    }
    CHECK(status == 0, "exit status %d, though a release exists", status);
    for (int j = 0; j < w.quasi_count; j++) {
        find_published(&w.quasi[j], published[j]);
        find_lines(&w.quasi[j], j);
        find_first_level(&w.quasi[j], j);
    }
    for (int l = 0; l < w.sensitive_count; l++)
        find_sensitive(&w.sensitive[l], l);
    try_all();
    const choice *best = find_best();
    check_list(path(folder, "minimal.csv"), best);
    check_release(path(folder, "out.csv"), path(folder, "trace.csv"), best);
    check_report(path(folder, "report.json"), best);
    if (chance(d, 30)) expect_same(d, folder, "-plain", 1);
    if (chance(d, 10)) expect_same(d, folder, "-again", 5 - w.threads);
}

int main(void) {
    return run_cases("test_incognito", 1200, run);
}
