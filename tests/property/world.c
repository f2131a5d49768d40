/* world.c - random cases: small trees with uneven branches, few values, unusual texts. Whatever the
 * manual allows should occur in some case. */
#include "world.h"

#include <stdio.h>
#include <string.h>

/* ---- texts ---- */

static const char *const wraps[][2] = {
    {"v", ""},   {"v", ""},       {"New York ", ""}, {"a,", ""},    {"say \"", "\""},
    {"x;y", ""}, {"Zürich ", ""}, {" lead", ""},     {"t", " "},    {"it's ", ""},
    {"", ""},    {"#", ""},       {"-", ""},         {"[", ", 3["}, {"日本", ""},
    {"'", "'"},  {"a|b", ""},     {"tab\t", ""},     {"\\", "\\n"}, {"{k: ", "}"},
    {"é", "-9"}, {"\"", ""},      {"..", ".."},      {"*", ""},     {"&", ": x"},
};
enum { WRAPS = sizeof wraps / sizeof *wraps };

static void nasty_text(dice *d, int number, char *out) {
    const char *const *wrap = wraps[roll(d, 0, WRAPS - 1)];
    snprintf(out, MOST_TEXT, "%s%d%s", wrap[0], number, wrap[1]);
}

bool world_missing(const world *w, const char *text) {
    for (int i = 0; i < w->missing_count; i++)
        if (!strcmp(w->missing[i], text)) return true;
    return false;
}

/* ---- trees ---- */

typedef struct {
    int nodes;
    int parent[MOST_NODES], children[MOST_NODES], depth[MOST_NODES];
    char label[MOST_NODES][MOST_TEXT];
} sketch;

static int sprout(sketch *s, dice *d, int parent) {
    int node = s->nodes++;
    s->parent[node] = parent;
    s->children[node] = 0;
    s->depth[node] = parent < 0 ? 0 : s->depth[parent] + 1;
    if (parent >= 0) s->children[parent]++;
    nasty_text(d, node, s->label[node]);
    return node;
}

static void branch(sketch *s, dice *d, int node, int depth_left) {
    bool ends = depth_left == 0 || (node > 0 && chance(d, 25));
    for (int n = ends ? 0 : roll(d, 1, 4); n > 0 && s->nodes < 30; n--)
        branch(s, d, sprout(s, d, node), depth_left - 1);
}

/* Adds the path from a node to the root as a line; labels repeat until all lines are equally
 * long. */
static void add_line(tree *t, const sketch *s, dice *d, int node) {
    int repeat[MOST_LEVELS], path[MOST_LEVELS], length = 0, column = 0;
    for (int up = node; up >= 0; up = s->parent[up]) {
        repeat[length] = 1;
        path[length++] = up;
    }
    for (int spare = t->levels - length; spare > 0; spare--)
        repeat[roll(d, 0, length - 1)]++;
    for (int i = 0; i < length; i++)
        for (; repeat[i] > 0; repeat[i]--)
            put_text(t->text[t->lines][column++], s->label[path[i]]);
    t->lines++;
}

static void make_tree(tree *t, dice *d) {
    sketch s = {0};
    int deepest = 0;
    static const char *const roots[] = {"*", "*", "any", "World, all"};
    sprout(&s, d, -1);
    put_text(s.label[0], roots[roll(d, 0, 3)]);
    if (!chance(d, 3)) branch(&s, d, 0, roll(d, 1, 4));
    for (int node = 0; node < s.nodes; node++)
        if (s.depth[node] > deepest) deepest = s.depth[node];
    t->levels = deepest + 1 + chance(d, 20);
    t->lines = 0;
    bool empty = chance(d, 10);
    for (int node = 0; node < s.nodes; node++) {
        if (s.children[node] > 0 && !chance(d, node ? 10 : 2)) continue;
        if (empty && s.children[node] == 0 && node > 0) {
            s.label[node][0] = '\0';
            empty = false;
        }
        add_line(t, &s, d, node);
    }
    if (t->levels > 1 && chance(d, 10)) { /* a duplicate line is allowed */
        memcpy(t->text[t->lines], t->text[roll(d, 0, t->lines - 1)], sizeof t->text[0]);
        t->lines++;
    }
    tree_understand(t);
}

static void make_flat(tree *t, const sheet *s, int column) {
    t->lines = 0;
    t->levels = 2;
    for (int row = 0; row < s->rows; row++) {
        bool known = false;
        for (int line = 0; line < t->lines; line++)
            if (!strcmp(t->text[line][0], s->cell[row][column])) known = true;
        if (known) continue;
        put_text(t->text[t->lines][0], s->cell[row][column]);
        put_text(t->text[t->lines++][1], "*");
    }
    tree_understand(t);
}

static void draw_boundary(quasi *q, dice *d) {
    int kind = roll(d, 0, 9);
    q->level = -1;
    if (kind < 4) return;
    if (kind < 7) {
        q->level = roll(d, 0, q->tree.levels - 1);
        for (int line = 0; line < q->tree.lines; line++)
            q->boundary[q->tree.node[line][q->level]] = true;
        return;
    }
    q->nodes_given = true;
    for (int node = 0; node < q->tree.nodes; node++)
        q->boundary[node] = chance(d, 30);
    bool any = false;
    for (int node = 0; node < q->tree.nodes; node++)
        any |= q->boundary[node];
    if (!any) q->boundary[q->tree.root] = true; /* an empty list is refused */
}

int finest_node(const quasi *q, int line) {
    int node = q->tree.node[line][0], highest = node;
    if (q->finest_level >= 0) return q->tree.node[line][q->finest_level];
    for (; q->finest_given && node >= 0; node = q->tree.parent[node])
        if (q->finest[node]) highest = node;
    return highest;
}

/* Does the boundary of some leaf lie below its finest node? Nothing could be published then. */
static bool boundary_too_low(const quasi *q) {
    for (int line = 0; line < q->tree.lines; line++) {
        int node = q->tree.node[line][0];
        while (node != q->tree.root && !q->boundary[node])
            node = q->tree.parent[node];
        if (!tree_above(&q->tree, node, finest_node(q, line))) return true;
    }
    return false;
}

static void draw_finest(world *w, quasi *q, dice *d) {
    if (!chance(d, 25)) return;
    if (chance(d, 50)) {
        q->finest_level = roll(d, 0, q->tree.levels - 1);
    } else {
        q->finest_given = true;
        q->finest[roll(d, 0, q->tree.nodes - 1)] = true; /* an empty list is refused */
        for (int node = 0; node < q->tree.nodes; node++)
            q->finest[node] |= node != q->tree.root && chance(d, 20);
    }
    if (!boundary_too_low(q)) return;
    if (chance(d, 5)) {
        w->bad_use = true;
        return;
    }
    q->finest_level = -1;
    q->finest_given = false;
}

/* ---- columns ---- */

static int missing_or(const world *w, dice *d, int percent, char *cell) {
    if (w->missing_count == 0 || !chance(d, percent)) return 0;
    put_text(cell, w->missing[roll(d, 0, w->missing_count - 1)]);
    return 1;
}

/* A random number that is more often small than large. */
static int skewed(dice *d, int most) {
    int a = roll(d, 0, most), b = roll(d, 0, most);
    return a < b ? a : b;
}

/* Writes a number, also as -.25 or 3., and sometimes with superfluous zeros. */
static void number_text(dice *d, int decimals, int spread, char *out) {
    int number = roll(d, -spread, spread), cents = roll(d, 0, 3) * 25;
    const char *sign = number < 0 || (number == 0 && cents && decimals && chance(d, 30)) ? "-" : "";
    if (number < 0) number = -number;
    if (decimals == 0)
        snprintf(out, MOST_TEXT, "%s%0*d", sign, chance(d, 3) ? roll(d, 60, 90) : 1, number);
    else if (number == 0 && cents && chance(d, 50))
        snprintf(out, MOST_TEXT, "%s.%02d", sign, cents);
    else if (cents == 0 && chance(d, 30))
        snprintf(out, MOST_TEXT, "%s%d.", sign, number);
    else if (cents % 50 == 0 && chance(d, 50))
        snprintf(out, MOST_TEXT, "%s%d.%d", sign, number, cents / 10);
    else
        snprintf(out, MOST_TEXT, "%s%d.%02d", sign, number, cents);
}

/* Whole numbers from 0 to a range that divides HR_COST_ONE, so that costs are exact. */
static void exact_numbers(world *w, dice *d, int column) {
    static const int ranges[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 20, 24, 30};
    int range = ranges[roll(d, 0, 18)], from = roll(d, -5, 5);
    for (int row = 0; row < w->input.rows; row++) {
        int number = row == 0 ? 0 : row == 1 ? range : roll(d, 0, range);
        snprintf(w->input.cell[row][column], MOST_TEXT, "%d", from + number);
    }
}

static void fill_numeric(world *w, quasi *q, dice *d, world_kind kind) {
    int decimals = chance(d, 40) ? 2 : 0, spread = roll(d, 1, 30);
    q->drop_missing = chance(d, 30);
    if (kind != ANY) {
        exact_numbers(w, d, q->column);
        q->drop_missing = false;
        return;
    }
    for (int row = 0; row < w->input.rows; row++)
        if (!q->drop_missing || !missing_or(w, d, 10, w->input.cell[row][q->column]))
            number_text(d, decimals, spread, w->input.cell[row][q->column]);
}

/* Only one attribute of a case has cut points that are chosen: of several, the manual promises only
 * a local optimum. */
static void draw_cuts(const world *w, quasi *q, dice *d) {
    bool chosen = false;
    for (const quasi *other = w->quasi; other < q; other++)
        chosen |= other->cut_by == BY_WIDTH || other->cut_by == BY_CELLS;
    int way = roll(d, 0, 9);
    q->cut_by = way < 3 ? NO_CUTS : way < 5 || chosen ? BY_CUTS : way < 8 ? BY_WIDTH : BY_CELLS;
    q->width = roll(d, 1, 120) * 25;
    if (chance(d, 20)) q->width = roll(d, 1, 300);
    q->cells = chance(d, 5) ? 1000 : roll(d, 1, 8);
    for (int at = roll(d, -60, 10); q->cut_by == BY_CUTS && q->cut_count < MOST_CUTS; at++) {
        at += roll(d, 0, 40);
        q->cut[q->cut_count++] = at * 50;
        if (chance(d, 20)) break;
    }
    if (chance(d, 5)) q->cut_count = 0;
}

static void fill_tree(world *w, quasi *q, dice *d) {
    make_tree(&q->tree, d);
    int lines = q->tree.lines, used = chance(d, 50) ? lines : roll(d, 1, lines);
    for (int row = 0; row < w->input.rows; row++)
        put_text(w->input.cell[row][q->column], q->tree.text[skewed(d, used - 1)][0]);
}

static bool has_missing_leaf(const world *w, const tree *t) {
    for (int line = 0; line < t->lines; line++)
        if (world_missing(w, t->text[line][0])) return true;
    return false;
}

/* Some values become missing: their rows are dropped, or they get a leaf below the root. Its label
 * is the first missing text that the column has. */
static void lose_values(world *w, quasi *q, dice *d) {
    tree *t = &q->tree;
    bool any = false;
    if (!chance(d, 25) || t->levels < 2 || t->lines == MOST_LEAVES || has_missing_leaf(w, t))
        return;
    for (int i = 0; i < w->missing_count; i++)
        if (tree_find(t, w->missing[i]) >= 0) return;
    for (int row = 0; row < w->input.rows; row++)
        any |= missing_or(w, d, 20, w->input.cell[row][q->column]) > 0;
    q->group_missing = any && chance(d, 60);
    q->drop_missing = !q->group_missing;
    for (int i = 0; q->group_missing && i < w->missing_count; i++) {
        bool found = false;
        for (int row = 0; row < w->input.rows; row++)
            found |= !strcmp(w->input.cell[row][q->column], w->missing[i]);
        if (!found) continue;
        for (int level = 0; level + 1 < t->levels; level++)
            put_text(t->text[t->lines][level], w->missing[i]);
        put_text(t->text[t->lines][t->levels - 1], t->label[t->root]);
        t->lines++;
        break;
    }
    tree_understand(t);
}

static void fill_flat(world *w, quasi *q, dice *d) {
    char value[8][MOST_TEXT];
    int values = roll(d, 1, 8);
    for (int i = 0; i < values; i++)
        nasty_text(d, i, value[i]);
    if (chance(d, 10)) put_text(value[0], "");
    if (chance(d, 5)) put_text(value[0], "*");
    for (int row = 0; row < w->input.rows; row++)
        put_text(w->input.cell[row][q->column], value[roll(d, 0, values - 1)]);
    make_flat(&q->tree, &w->input, q->column);
}

static void fill_quasi(world *w, quasi *q, dice *d, world_kind kind) {
    int way = roll(d, 0, 9);
    q->level = q->finest_level = -1;
    q->kind = way < 6 ? TREE : way < 8 ? FLAT : NUMERIC;
    bool trees_only = w->method == MAM || w->method == INCOGNITO;
    if (trees_only && q->kind == NUMERIC && !chance(d, 3)) q->kind = TREE;
    if (q->kind == NUMERIC)
        fill_numeric(w, q, d, kind);
    else if (q->kind == TREE && chance(d, 35))
        world_fill_built(w, q, d);
    else if (q->kind == TREE)
        fill_tree(w, q, d);
    else
        fill_flat(w, q, d);
    q->file_lines = q->tree.lines;
    if (q->kind == TREE && !*q->builder) lose_values(w, q, d);
    if (q->kind != NUMERIC && (kind != LARGE || chance(d, 20))) draw_boundary(q, d);
    if (q->kind != NUMERIC) draw_finest(w, q, d);
    if (q->kind == NUMERIC && kind == ANY) draw_cuts(w, q, d);
    if (q->kind == NUMERIC && trees_only) w->bad_use = true;
    if (chance(d, 20)) q->weight = roll(d, 1, 30);
}

static void fill_sensitive(world *w, sensitive *s, dice *d, bool weighted) {
    bool wide = w->wide;
    int values = wide ? roll(d, 12, 15) : roll(d, 1, 9), gaps = chance(d, 40) ? roll(d, 1, 40) : 0;
    char value[15][MOST_TEXT];
    bool tellable = chance(d, 50);
    s->bins = !wide && chance(d, 25) ? roll(d, 2, chance(d, 50) ? 8 : 100) : 0;
    s->weight = weighted ? roll(d, 1, 9) : 0;
    for (int i = 0; i < values; i++)
        if (s->bins)
            number_text(d, 0, 40, value[i]);
        else if (tellable)
            snprintf(value[i], MOST_TEXT, SENSITIVE_MARK "%d", i);
        else
            nasty_text(d, i, value[i]);
    for (int row = 0; row < w->input.rows; row++)
        if (!missing_or(w, d, gaps, w->input.cell[row][s->column]))
            put_text(w->input.cell[row][s->column],
                     value[wide ? roll(d, 0, values - 1) : skewed(d, values - 1)]);
}

static void fill_other(world *w, dice *d, int column) {
    for (int row = 0; row < w->input.rows; row++) {
        char *cell = w->input.cell[row][column];
        nasty_text(d, row, cell);
        if (chance(d, 5)) put_text(cell, "two\nlines");
        if (chance(d, 5)) put_text(cell, "");
        if (w->role[column] != KEEP) snprintf(cell, MOST_TEXT, HIDDEN_MARK "%d", row);
    }
}

/* ---- the table ---- */

static void name_columns(world *w, dice *d) {
    static const char *const stems[] = {"age", "zip code", "Größe", "in,come", "\"x\"", "a.b",
                                        "k",   "role",     "it's",  "#n",      "p:q",   "input"};
    for (int i = 0; i < w->input.columns; i++)
        snprintf(w->input.name[i], MOST_TEXT, "%s%d", stems[roll(d, 0, 11)], i);
}

static void shuffle(int *numbers, int count, dice *d) {
    for (int i = 0; i < count; i++)
        numbers[i] = i;
    for (int i = count; i > 1; i--) {
        int j = roll(d, 0, i - 1), swap = numbers[i - 1];
        numbers[i - 1] = numbers[j];
        numbers[j] = swap;
    }
}

static void make_columns(world *w, dice *d) {
    int place[MOST_COLUMNS], n = 0;
    int count[] = {[QUASI] = roll(d, 1, MOST_QUASI),
                   [SENSITIVE] = roll(d, w->wide ? MOST_SENSITIVE : 0, MOST_SENSITIVE),
                   [KEEP] = skewed(d, 2),
                   [IDENTIFIER] = skewed(d, 1),
                   [DROP] = chance(d, 10),
                   [NO_ROLE] = chance(d, 10)};
    for (int i = NO_ROLE; i <= DROP; i++)
        w->input.columns += count[i];
    shuffle(place, w->input.columns, d);
    for (int i = NO_ROLE; i <= DROP; i++)
        for (; count[i] > 0; count[i]--)
            w->role[place[n++]] = (role)i;
    shuffle(w->order, w->input.columns, d);
    name_columns(w, d);
}

static void fill_columns(world *w, dice *d, world_kind kind) {
    bool weighted = chance(d, 50);
    for (int i = 0; i < w->input.columns; i++) {
        int column = w->order[i];
        if (w->role[column] == QUASI) {
            quasi *q = &w->quasi[w->quasi_count++];
            q->column = column;
            fill_quasi(w, q, d, kind);
        } else if (w->role[column] == SENSITIVE) {
            sensitive *s = &w->sensitive[w->sensitive_count++];
            s->column = column;
            fill_sensitive(w, s, d, weighted);
        } else {
            fill_other(w, d, column);
        }
    }
}

static void choose_missing(world *w, dice *d) {
    static const char *const texts[] = {"", "NA", "?"};
    put_text(w->missing[w->missing_count++], "");
    if (!chance(d, 30)) return;
    w->missing_told = true;
    w->missing_count = 0;
    for (int i = 0; i < 3; i++)
        if (chance(d, 60)) put_text(w->missing[w->missing_count++], texts[i]);
    if (w->missing_count == 0) put_text(w->missing[w->missing_count++], "NA");
}

/* ---- the settings of the job ---- */

static void choose_levels(world *w, dice *d) {
    w->algorithm = "incognito";
    w->method = INCOGNITO;
    w->count = chance(d, 20);
    if (w->count || chance(d, 30)) w->boundaries = w->count ? "count" : "enforce";
}

static void choose_algorithm(world *w, dice *d, world_kind kind) {
    static const struct {
        const char *name;
        method method;
        bool alias, counts;
    } list[] = {{"greedy-pk", GREEDY_PK, false, false},
                {"k-member", K_MEMBER, false, false},
                {"GreedyCPKA", GREEDY_PK, true, false},
                {"GreedyPKClustering", GREEDY_PK, true, true},
                {"GreedyCKA", K_MEMBER, true, false},
                {"Greedy_k-member_Clustering", K_MEMBER, true, true},
                {"mam", MAM, false, false},
                {"hedge", HEDGE, false, false}};
    int i = roll(d, 0, kind == ANY ? 7 : 5);
    if (chance(d, 30)) i = 0;
    w->algorithm = list[i].name;
    w->method = list[i].method;
    w->count = list[i].counts;
    w->absolute = list[i].alias && list[i].method == GREEDY_PK;
    if (chance(d, 40)) {
        bool counts = chance(d, 50);
        if (list[i].alias && counts != list[i].counts && !chance(d, 5)) counts = list[i].counts;
        w->boundaries = counts ? "count" : "enforce";
        if (list[i].alias && counts != list[i].counts) w->bad_use = true;
        w->count = counts;
    }
    if (w->method == HEDGE) w->effort = chance(d, 80) ? "quick" : "normal";
    if (w->method == MAM || w->method == HEDGE) return;
    if (kind != ANY && !list[i].alias) w->ties = "row";
    if (kind == ANY && chance(d, 40)) w->ties = chance(d, 50) ? "row" : "rank";
    if (chance(d, 40)) {
        w->absolute = chance(d, 50);
        w->dispersal = w->absolute ? "absolute" : "growth";
    }
}

static void choose_model(world *w, dice *d) {
    w->k = chance(d, 60) ? roll(d, 1, 4) : roll(d, 1, 8);
    w->p = chance(d, 60) ? roll(d, 1, 3) : roll(d, 1, 5);
    if (w->method == K_MEMBER && !chance(d, 4)) w->p = 1;
    if (w->sensitive_count == 0 && !chance(d, 4)) w->p = 1;
    if (w->p > 1 && (w->method == K_MEMBER || w->sensitive_count == 0)) w->bad_use = true;
    w->max_suppressed = chance(d, 15) ? roll(d, 0, 60) : -1;
}

void world_make(world *w, dice *d, world_kind kind) {
    static const char *const orders[] = {"canonical", "input", "shuffle"};
    memset(w, 0, sizeof *w);
    w->input.rows = chance(d, 15) ? roll(d, 1, 6) : roll(d, 5, 60);
    if (kind == EXACT) w->input.rows = roll(d, 2, 40);
    w->wide = kind == LARGE && chance(d, 30);
    if (kind == LARGE) w->input.rows = w->wide ? roll(d, 600, 700) : roll(d, 260, 420);
    w->delimiter = ',';
    if (chance(d, 15)) {
        w->delimiter = ";\t|"[roll(d, 0, 2)];
        w->delimiter_told = true;
    }
    w->crlf = chance(d, 15);
    choose_missing(w, d);
    if (kind == LEVELS)
        choose_levels(w, d);
    else
        choose_algorithm(w, d, kind);
    make_columns(w, d);
    fill_columns(w, d, kind);
    choose_model(w, d);
    w->row_order = chance(d, 50) ? orders[roll(d, 0, 2)] : NULL;
    if (kind != ANY) w->max_suppressed = -1;
    if (kind == LARGE) w->k = roll(d, 1, 20);
    w->threads = roll(d, 1, 4);
    w->seed = roll(d, 0, 1000);
}

/* ---- writing the files ---- */

static void put_quoted(FILE *file, const char *text) {
    fputc('\'', file);
    for (; *text; text++) {
        if (*text == '\'') fputc('\'', file);
        fputc(*text, file);
    }
    fputc('\'', file);
}

static void write_tree(const tree *t, int lines, const char *path) {
    FILE *file = fopen(path, "wb");
    CHECK(file, "cannot write %s", path);
    for (int line = 0; line < lines; line++) {
        for (int level = 0; level < t->levels; level++) {
            const char *text = t->text[line][level];
            bool quote = strpbrk(text, "\";\r\n") || (t->levels == 1 && !*text);
            if (level > 0) fputc(';', file);
            if (quote) fputc('"', file);
            for (; *text; text++) {
                if (*text == '"') fputc('"', file);
                fputc(*text, file);
            }
            if (quote) fputc('"', file);
        }
        fputc('\n', file);
    }
    CHECK(fclose(file) == 0, "cannot write %s", path);
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    CHECK(file, "cannot write %s", path);
    fputs(text, file);
    CHECK(fclose(file) == 0, "cannot write %s", path);
}

static void write_nodes(const quasi *q, const char *key, const bool *chosen, FILE *job) {
    const char *before = "";
    fprintf(job, ", %s: [", key);
    for (int node = 0; node < q->tree.nodes; node++) {
        if (!chosen[node]) continue;
        fputs(before, job);
        put_quoted(job, q->tree.label[node]);
        before = ", ";
    }
    fprintf(job, "]");
}

static void write_hundredths(long number, FILE *job) {
    fprintf(job, "%s%ld.%02ld", number < 0 ? "-" : "", (number < 0 ? -number : number) / 100,
            (number < 0 ? -number : number) % 100);
}

static void write_cuts(const quasi *q, FILE *job) {
    fprintf(job, ", boundary: {%s: ",
            q->cut_by == BY_WIDTH   ? "width"
            : q->cut_by == BY_CELLS ? "cells"
                                    : "cuts");
    if (q->cut_by == BY_WIDTH) write_hundredths(q->width, job);
    if (q->cut_by == BY_CELLS) fprintf(job, "%d", q->cells);
    if (q->cut_by == BY_CUTS) fprintf(job, "[");
    for (int i = 0; i < q->cut_count; i++) {
        if (i > 0) fprintf(job, ", ");
        write_hundredths(q->cut[i], job);
    }
    fprintf(job, q->cut_by == BY_CUTS ? "]}" : "}");
}

static void write_quasi(const world *w, const quasi *q, FILE *job, const char *folder) {
    char path[MOST_PATH];
    int number = (int)(q - w->quasi);
    fprintf(job, "{role: quasi, ");
    if (q->kind == NUMERIC) fprintf(job, "type: numeric");
    if (q->kind == FLAT) fprintf(job, "hierarchy: flat");
    if (*q->builder) {
        fprintf(job, "hierarchy: %s", q->builder);
        snprintf(path, sizeof path, "%s/b%d.csv", folder, number);
        if (*q->builder_file) write_file(path, q->builder_file);
    } else if (q->kind == TREE) {
        fprintf(job, "hierarchy: h%d.csv", number);
        snprintf(path, sizeof path, "%s/h%d.csv", folder, number);
        write_tree(&q->tree, q->file_lines, path);
    }
    if (q->cut_by) write_cuts(q, job);
    if (q->drop_missing) fprintf(job, ", on_missing: drop");
    if (q->group_missing) fprintf(job, ", on_missing: group");
    if (q->finest_level >= 0) fprintf(job, ", finest: {level: %d}", q->finest_level);
    if (q->finest_given) write_nodes(q, "finest", q->finest, job);
    if (q->level >= 0) fprintf(job, ", boundary: {level: %d}", q->level);
    if (q->nodes_given) write_nodes(q, "boundary", q->boundary, job);
    if (q->weight) fprintf(job, ", weight: %d.%d", q->weight / 10, q->weight % 10);
    fprintf(job, "}\n");
}

static void write_attributes(const world *w, FILE *job, const char *folder) {
    static const char *const roles[] = {
        [IDENTIFIER] = "identifier", [SENSITIVE] = "sensitive", [KEEP] = "keep", [DROP] = "drop"};
    int next_quasi = 0, next_sensitive = 0;
    fprintf(job, "attributes:\n");
    for (int i = 0; i < w->input.columns; i++) {
        int column = w->order[i];
        if (w->role[column] == NO_ROLE) continue;
        fprintf(job, "  ");
        put_quoted(job, w->input.name[column]);
        fprintf(job, ": ");
        if (w->role[column] == QUASI) {
            write_quasi(w, &w->quasi[next_quasi++], job, folder);
            continue;
        }
        fprintf(job, "{role: %s", roles[w->role[column]]);
        if (w->role[column] == SENSITIVE) {
            const sensitive *s = &w->sensitive[next_sensitive++];
            if (s->bins) fprintf(job, ", bins: %d", s->bins);
            if (s->weight) fprintf(job, ", weight: 0.%d", s->weight);
        }
        fprintf(job, "}\n");
    }
}

/* The models beside k, p and alpha. */
static void put_diversity(FILE *job, const world *w) {
    const char *comma = w->own_first ? "" : ", ";
    if (w->t && w->t_input) fprintf(job, ", t_reference: input");
    if (w->own_first) {
        fprintf(job, ", sensitive: {");
        put_quoted(job, w->input.name[w->sensitive[0].column]);
        fprintf(job, ": {");
    }
    if (w->l) fprintf(job, "%sl: %d", comma, w->l), comma = ", ";
    if (w->entropy_l)
        fprintf(job, "%sentropy_l: %d.%d", comma, w->entropy_l / 10, w->entropy_l % 10),
            comma = ", ";
    if (w->recursive_c)
        fprintf(job, "%srecursive_c: %d.%d, recursive_l: %d", comma, w->recursive_c / 10,
                w->recursive_c % 10, w->recursive_l),
            comma = ", ";
    if (w->t) fprintf(job, "%st: 0.%02d", comma, w->t);
    if (w->own_first) fprintf(job, "}}");
}

void world_write(const world *w, dice *d, const char *folder) {
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/input.csv", folder);
    sheet_write(path, w->delimiter, w->crlf ? "\r\n" : "\n", d, &w->input);
    snprintf(path, sizeof path, "%s/job.yaml", folder);
    FILE *job = fopen(path, "wb");
    CHECK(job, "cannot write %s", path);
    fprintf(job, "input: input.csv\nmodel: {k: %d, p: %d", w->k, w->p);
    if (w->alpha) fprintf(job, ", alpha: 0.%02d", w->alpha);
    put_diversity(job, w);
    fprintf(job, "}\nalgorithm: %s\n", w->algorithm);
    if (w->unit) {
        fprintf(job, "unit: ");
        put_quoted(job, w->input.name[w->unit - 1]);
        fprintf(job, "\n");
    }
    if (w->boundaries) fprintf(job, "boundaries: %s\n", w->boundaries);
    if (w->delimiter_told)
        fprintf(job, w->delimiter == '\t' ? "delimiter: tab\n" : "delimiter: '%c'\n", w->delimiter);
    if (w->missing_told) {
        fprintf(job, "missing: [");
        for (int i = 0; i < w->missing_count; i++) {
            if (i > 0) fprintf(job, ", ");
            put_quoted(job, w->missing[i]);
        }
        fprintf(job, "]\n");
    }
    write_attributes(w, job, folder);
    CHECK(fclose(job) == 0, "cannot write %s", path);
}

void world_flags(const world *w, dice *d, command *c) {
    if (w->ties) command_add(c, "--ties"), command_add(c, "%s", w->ties);
    if (w->dispersal) command_add(c, "--dispersal=%s", w->dispersal);
    if (w->effort) command_add(c, "--effort"), command_add(c, "%s", w->effort);
    if (w->row_order) command_add(c, "--order"), command_add(c, "%s", w->row_order);
    if (w->max_suppressed >= 0)
        command_add(c, "--max-suppressed"), command_add(c, "0.%02d", w->max_suppressed);
    command_add(c, "--seed"), command_add(c, "%d", w->seed);
    if (chance(d, 50)) command_add(c, "--quiet");
}
