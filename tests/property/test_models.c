/* test_models.c - every algorithm of the table with random models: k alone, or with any of p,
 * alpha, l, entropy and recursive diversity and t-closeness, of all sensitive attributes or of one.
 * An algorithm either refuses the job with a reason, or publishes a release that satisfies all
 * models by the definitions of judge.h. Rows are suppressed only where they must be, `check` and
 * `boundaries` agree, and the people of the summary and k on some columns (`keys`) are what
 * counting gives. */
#include "algorithm/algorithm.h"

#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static world w;
static fate f;
static release r;
static sheet scratch;
static char out_path[MOST_PATH], trace_path[MOST_PATH], job_path[MOST_PATH], input_path[MOST_PATH],
    stdout_path[MOST_PATH], stderr_path[MOST_PATH];

static void set_paths(const char *folder) {
    struct {
        char *path;
        const char *name;
    } paths[] = {{out_path, "out.csv"},     {trace_path, "trace.csv"}, {job_path, "job.yaml"},
                 {input_path, "input.csv"}, {stdout_path, "stdout"},   {stderr_path, "stderr"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        snprintf(paths[i].path, MOST_PATH, "%s/%s", folder, paths[i].name);
}

/* ---- what has to be suppressed ---- */

/* The units of the rows that are in the cell, or, without a cell (-1), released as the class of a
 * row of the release. */
static int count_units(int cell, int released) {
    int units = 0, unit = w.unit - 1;
    bool in[MOST_ROWS] = {0};
    for (int row = 0; row < w.input.rows && cell >= 0; row++)
        in[row] = f.cell[row] == cell;
    for (int row = 0; row < r.sheet.rows && cell < 0; row++)
        if (same_class(&w, &r.sheet, row, released)) in[r.original[row]] = true;
    for (int row = 0; row < w.input.rows; row++) {
        int first = 0;
        while (!in[first] || strcmp(w.input.cell[first][unit], w.input.cell[row][unit]) != 0)
            if (++first > row) break;
        units += in[row] && first == row;
    }
    return units;
}

/* The fewest rows that a release suppresses. Exact unless alpha meets several sensitive
 * attributes. */
static int fewest_suppressed(void) {
    int rows = f.suppressed; /* by k and p */
    for (int cell = 0; cell < f.cells && (w.alpha || w.unit); cell++) {
        int size = 0, kept;
        bool out = false;
        for (int row = 0; row < w.input.rows; row++) {
            size += f.cell[row] == cell;
            out |= f.cell[row] == cell && f.gone[row];
        }
        if (out) continue;
        if (w.unit && count_units(cell, 0) < needed_k(&w)) {
            rows += size;
            continue;
        }
        kept = size;
        for (int l = 0; l < w.sensitive_count && w.alpha; l++) {
            int most = most_kept(&w, needed_k(&w), w.p, &f, cell, l);
            if (most < kept) kept = most;
        }
        rows += size - kept;
    }
    return rows;
}

static bool is_exact(void) {
    return (!w.alpha || (w.sensitive_count < 2 && !w.unit)) && !w.l && !w.entropy_l &&
           !w.recursive_c && !w.t;
}

/* ---- k on columns that someone may know ---- */

static int key_count, key[MOST_COLUMNS]; /* columns of the input */

static void choose_keys(dice *d) {
    key_count = 0;
    for (int i = 0; i < w.input.columns; i++)
        if ((w.role[i] == QUASI || w.role[i] == SENSITIVE || w.role[i] == KEEP) && chance(d, 40))
            key[key_count++] = i;
}

/* --keys a:b */
static void add_keys(command *c) {
    char text[MOST_COLUMNS * 2 * MOST_TEXT];
    size_t length = 0;
    for (int i = 0; i < key_count; i++) {
        if (i > 0) text[length++] = ':';
        for (const char *at = w.input.name[key[i]]; *at; at++) {
            if (strchr("\\,:=", *at)) text[length++] = '\\';
            text[length++] = *at;
        }
    }
    text[length] = '\0';
    if (key_count) command_add(c, "--keys"), command_add(c, "%s", text);
}

static bool same_key(int a, int b) {
    for (int i = 0; i < key_count; i++) {
        int column = released_column(&w, &r.sheet, key[i]);
        if (strcmp(r.sheet.cell[a][column], r.sheet.cell[b][column])) return false;
    }
    return true;
}

/* Rows of the release that are like this one, and their people. */
static int count_alike(int row, int *people) {
    int rows = 0;
    *people = 0;
    for (int other = 0; other < r.sheet.rows; other++) {
        int first = 0;
        if (!same_key(row, other)) continue;
        rows++;
        while (w.unit && first < other &&
               (!same_key(row, first) || strcmp(w.input.cell[r.original[first]][w.unit - 1],
                                                w.input.cell[r.original[other]][w.unit - 1])))
            first++;
        *people += !w.unit || first == other;
    }
    return rows;
}

/* The line of the summary, or of `check`, that says how many are alike. */
static void expect_keys(const char *path) {
    int least = 0, groups = 0, rows = 0;
    char line[200];
    for (int row = 0; row < r.sheet.rows; row++) {
        int first = 0, people, alike = count_alike(row, &people);
        while (!same_key(first, row))
            first++;
        if (row == 0 || people < least) least = people;
        if (people >= w.k) continue;
        groups += first == row;
        rows += first == row ? alike : 0;
    }
    const char *what = least == 1 ? w.unit ? "person" : "row" : w.unit ? "people" : "rows";
    int length = snprintf(line, sizeof line, "]: at least %d %s alike", least, what);
    if (groups)
        snprintf(line + length, sizeof line - (size_t)length,
                 "; %d row%s in %d group%s of fewer than %d (not enforced)", rows,
                 rows == 1 ? "" : "s", groups, groups == 1 ? "" : "s", w.k);
    CHECK(!key_count || file_tells(path, line), "no line '%s'", line);
}

/* ---- people ---- */

static bool same_unit(int row, int other) {
    return !strcmp(w.input.cell[row][w.unit - 1], w.input.cell[other][w.unit - 1]);
}

/* The line of the summary that counts people. */
static void expect_people(void) {
    int input = 0, released = 0, several = 0;
    char line[200];
    for (int row = 0; row < w.input.rows && w.unit; row++) {
        int before = 0, first = -1;
        bool more = false;
        while (!same_unit(before, row))
            before++;
        if (before < row) continue; /* the unit has been counted */
        for (int i = 0; i < r.sheet.rows; i++) {
            if (!same_unit(row, r.original[i])) continue;
            more |= first >= 0 && !same_class(&w, &r.sheet, first, i);
            if (first < 0) first = i;
        }
        input++;
        released += first >= 0;
        several += more;
    }
    snprintf(line, sizeof line, "people      %d of %d '%s' released, %d of them in several classes",
             released, input, w.unit ? w.input.name[w.unit - 1] : "", several);
    CHECK(!w.unit || file_tells(stderr_path, line), "no line '%s'", line);
}

/* ---- one algorithm ---- */

static int run_algorithm(const hr_algorithm *algorithm, dice *d, const char *folder) {
    command c;
    remove(out_path);
    remove(trace_path);
    command_start(&c, "anonymize");
    command_add(&c, "%s", job_path);
    command_add(&c, "-a"), command_add(&c, "%s", algorithm->name);
    command_add(&c, "-o"), command_add(&c, "%s", out_path);
    command_add(&c, "--trace"), command_add(&c, "%s", trace_path);
    command_add(&c, "--threads"), command_add(&c, "%d", w.threads);
    add_keys(&c);
    if (!strcmp(algorithm->name, "hedge") && chance(d, 80))
        command_add(&c, "--effort"), command_add(&c, "quick");
    return command_run(&c, folder);
}

static void read_release(void) {
    sheet_read(out_path, w.delimiter, &r.sheet);
    sheet_read(trace_path, ',', &scratch);
    for (int row = 0; row < scratch.rows; row++)
        if (*scratch.cell[row][4]) r.original[atoi(scratch.cell[row][4]) - 1] = row;
}

static bool is_refused(const char *name) {
    static const char *const reasons[] = {"does not enforce", "needs hierarchies",
                                          "publishes means", "needs a sensitive attribute"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (file_tells(stderr_path, reasons[i])) return true;
    return file_tells(stderr_path, "infeasible") && strstr(name, "first");
}

/* Another alpha may lead to other cells of numbers. */
static void set_alpha(int alpha) {
    static fate cells;
    w.alpha = alpha;
    decide_fate(&w, needed_k(&w), w.p, !w.count, -1, &cells);
}

static void expect_check(int alpha, const char *folder) {
    command c;
    command_start(&c, "check");
    command_add(&c, "%s", out_path), command_add(&c, "%s", job_path);
    command_add(&c, "--original"), command_add(&c, "%s", input_path);
    command_add(&c, "--trace"), command_add(&c, "%s", trace_path);
    if (alpha) command_add(&c, "--alpha"), command_add(&c, "0.%02d", alpha);
    int before = w.alpha, status = command_run(&c, folder);
    if (alpha) set_alpha(alpha);
    CHECK(status == (release_holds(&w, &r) ? 0 : 2), "check with alpha %d: %d", w.alpha, status);
    if (alpha) set_alpha(before);
}

static void expect_price(int suppressed, const char *folder) {
    command c;
    command_start(&c, "boundaries");
    command_add(&c, "%s", job_path);
    command_add(&c, "--format"), command_add(&c, "csv");
    command_add(&c, "-k"), command_add(&c, "%d", w.k);
    CHECK(command_run(&c, folder) == 0, "boundaries fails");
    sheet_read(stdout_path, ',', &scratch);
    int column = sheet_column(&scratch, "suppressed");
    CHECK(column >= 0 && atoi(scratch.cell[0][column]) == suppressed,
          "boundaries says that %s rows go, but %d do", scratch.cell[0][column], suppressed);
}

static void check_release(const hr_algorithm *algorithm, dice *d, const char *folder) {
    read_release();
    expect_keys(stderr_path);
    expect_people();
    int suppressed = w.input.rows - r.sheet.rows;
    CHECK(file_holds(&w, &r.sheet, true), "%s violates a model", algorithm->name);
    for (int row = 0; row < r.sheet.rows && w.unit; row++)
        CHECK(count_units(-1, row) >= needed_k(&w), "%s: a class of too few units",
              algorithm->name);
    CHECK(suppressed >= fewest_suppressed(), "%s suppresses %d rows", algorithm->name, suppressed);
    if (is_exact())
        CHECK(suppressed == fewest_suppressed(), "%s suppresses %d rows, not %d", algorithm->name,
              suppressed, fewest_suppressed());
    if (algorithm->mean_decimals) return;
    CHECK(release_holds(&w, &r), "%s: the release does not keep its promises", algorithm->name);
    if (chance(d, 20)) expect_check(0, folder);
    if (chance(d, 20) && w.sensitive_count) expect_check(roll(d, 5, 95), folder);

    if (chance(d, 20) && !w.count && needed_k(&w) == w.k) expect_price(suppressed, folder);
}

static void try_algorithm(const hr_algorithm *algorithm, dice *d, const char *folder) {
    int status = run_algorithm(algorithm, d, folder);
    if (status == 0) {
        check_release(algorithm, d, folder);
        return;
    }
    CHECK(!file_exists(out_path), "%s fails and leaves a release", algorithm->name);
    if (is_refused(algorithm->name)) return;
    CHECK(status == 2, "%s: exit status %d", algorithm->name, status);
    if (is_exact())
        CHECK(fewest_suppressed() == w.input.rows, "%s says that nothing can be released",
              algorithm->name);
}

/* These say that they enforce alpha; a job with it is not refused for that. */
static void check_enforced(const hr_algorithm *algorithm) {
    static const char *const names[] = {"hedge", "incognito", "k-member", "greedy-pk", "mam"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(algorithm->name, names[i]))
            CHECK(!file_tells(stderr_path, "does not enforce alpha"), "%s refuses alpha",
                  algorithm->name);
}

/* Cells of numbers that the library chooses depend on all models, and judge_cuts.c knows three. */
static bool chooses_cells(void) {
    for (int j = 0; j < w.quasi_count; j++)
        if (w.quasi[j].cut_by == BY_WIDTH || w.quasi[j].cut_by == BY_CELLS) return true;
    return false;
}

static void choose_diversity(dice *d) {
    w.l = w.entropy_l = w.recursive_c = w.t = 0;
    w.own_first = false;
    if (!w.sensitive_count || chooses_cells() || chance(d, 40)) return;
    if (chance(d, 70)) w.alpha = 0;
    w.l = chance(d, 30) ? roll(d, 2, 3) : 0;
    w.entropy_l = chance(d, 30) ? roll(d, 11, 35) : 0;
    w.recursive_c = chance(d, 30) ? roll(d, 5, 40) : 0;
    w.recursive_l = roll(d, 1, 4);
    w.t = chance(d, 40) ? roll(d, 5, 80) : 0;
    w.t_input = chance(d, 30);
    w.own_first = (w.l || w.entropy_l || w.recursive_c || w.t) && chance(d, 40);
}

/* A column that is not released, with several rows a unit. */
static void choose_unit(dice *d) {
    w.unit = 0;
    if (chooses_cells() || chance(d, 50)) return;
    for (int i = 0; i < w.input.columns && !w.unit; i++)
        if (w.role[i] == IDENTIFIER || w.role[i] == DROP || w.role[i] == NO_ROLE) w.unit = i + 1;
    int units = roll(d, 1, w.input.rows);
    for (int row = 0; row < w.input.rows && w.unit; row++)
        snprintf(w.input.cell[row][w.unit - 1], MOST_TEXT, HIDDEN_MARK "%d", roll(d, 1, units));
}

static void run(dice *d, const char *folder) {
    do
        world_make(&w, d, ANY);
    while (w.bad_use); /* such as an alias that contradicts the boundaries */
    w.algorithm = "hedge";
    w.boundaries = w.count ? "count" : NULL;
    w.k = roll(d, 1, 6);
    w.p = w.sensitive_count && chance(d, 40) ? roll(d, 2, 3) : 1;
    w.alpha = chance(d, 60) ? roll(d, 15, 95) : 0;
    choose_diversity(d);
    choose_unit(d);
    choose_keys(d);
    world_write(&w, d, folder);
    set_paths(folder);
    decide_fate(&w, needed_k(&w), w.p, !w.count, -1, &f);
    for (size_t i = 0; hr_algorithms[i]; i++) {
        try_algorithm(hr_algorithms[i], d, folder);
        check_enforced(hr_algorithms[i]);
    }
}

int main(void) {
    return run_cases("test_models", 400, run);
}
