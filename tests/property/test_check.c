/* test_check.c - `hedgerow check` by the file alone. It says yes to what anonymize made, and no to
 * the same file after one of many corruptions. Whether a corruption breaks the promise follows
 * from how it is made, or from the definitions of judge.h; neither uses the library. */
#include "judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static world w;
static release r, bad;
static char out_path[MOST_PATH], bad_path[MOST_PATH], job_path[MOST_PATH], trace_path[MOST_PATH],
    input_path[MOST_PATH], stdout_path[MOST_PATH], stderr_path[MOST_PATH];

/* ---- running ---- */

static void set_paths(const char *folder) {
    struct {
        char *path;
        const char *name;
    } paths[] = {{out_path, "out.csv"},     {bad_path, "bad.csv"},     {job_path, "job.yaml"},
                 {trace_path, "trace.csv"}, {input_path, "input.csv"}, {stdout_path, "stdout"},
                 {stderr_path, "stderr"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        snprintf(paths[i].path, MOST_PATH, "%s/%s", folder, paths[i].name);
}

static void expect(const char *path, const char *folder, const char *trace, int wanted,
                   const char *what) {
    command c;
    command_start(&c, "check");
    command_add(&c, "%s", path);
    command_add(&c, "%s", job_path);
    if (trace) {
        command_add(&c, "--original"), command_add(&c, "%s", input_path);
        command_add(&c, "--trace"), command_add(&c, "%s", trace);
    }
    int status = command_run(&c, folder);
    CHECK(status == wanted, "check says %d, not %d, of %s", status, wanted, what);
    CHECK(!file_tells(stdout_path, SENSITIVE_MARK) && !file_tells(stderr_path, SENSITIVE_MARK),
          "check tells a sensitive value of %s", what);
    CHECK(!file_tells(stdout_path, HIDDEN_MARK) && !file_tells(stderr_path, HIDDEN_MARK),
          "check tells an identifier of %s", what);
}

/* ---- corruptions: each returns false if it cannot be made ---- */

static int quasi_cell(const quasi *q) {
    return released_column(&w, &bad.sheet, q->column);
}

static int random_row(dice *d) {
    return roll(d, 0, bad.sheet.rows - 1);
}

static const quasi *random_quasi(dice *d) {
    return &w.quasi[roll(d, 0, w.quasi_count - 1)];
}

/* Sets the value of all rows of a class, so that k and p hold as before. */
static void set_class(int row, const quasi *q, const char *text) {
    for (int other = 0; other < r.sheet.rows; other++)
        if (same_class(&w, &r.sheet, row, other))
            put_text(bad.sheet.cell[other][quasi_cell(q)], text);
}

/* A column whose name is new, or one of the input's with other capitals or a blank. */
static bool extra_column(dice *d) {
    char *name = bad.sheet.name[bad.sheet.columns];
    const char *known = w.input.name[roll(d, 0, w.input.columns - 1)];
    if (bad.sheet.columns == MOST_COLUMNS) return false;
    switch (roll(d, 0, 2)) {
    case 0: put_text(name, "SSN"); break;
    case 1: snprintf(name, MOST_TEXT, "%.100s ", known); break;
    default:
        put_text(name, known);
        name[0] = (char)(name[0] >= 'a' && name[0] <= 'z' ? name[0] - 32 : 'Q');
    }
    if (sheet_column(&w.input, name) >= 0) return false;
    for (int row = 0; row < bad.sheet.rows; row++)
        put_text(bad.sheet.cell[row][bad.sheet.columns], "x");
    bad.sheet.columns++;
    return true;
}

/* A column of the input that the job does not release. */
static bool unreleased_column(dice *d) {
    int column = roll(d, 0, w.input.columns - 1);
    role of = w.role[column];
    if (of == QUASI || of == SENSITIVE || of == KEEP || bad.sheet.columns == MOST_COLUMNS)
        return false;
    put_text(bad.sheet.name[bad.sheet.columns], w.input.name[column]);
    for (int row = 0; row < bad.sheet.rows; row++)
        put_text(bad.sheet.cell[row][bad.sheet.columns], "x");
    bad.sheet.columns++;
    return true;
}

/* May some leaf value be published as the node, by its boundary and its finest node? */
static bool may_be_published(const quasi *q, int node) {
    for (int line = 0; line < q->tree.lines; line++) {
        int finest = finest_node(q, line);
        if (tree_above(&q->tree, node, finest) &&
            tree_above(&q->tree, magval(q, q->tree.node[line][0]), node))
            return true;
    }
    return false;
}

/* A class gets a node that no original may become: too general, or too precise. */
static bool forbidden_node(dice *d) {
    const quasi *q = random_quasi(d);
    if (q->kind == NUMERIC || w.count) return false;
    int node = chance(d, 50) ? q->tree.root : roll(d, 0, q->tree.nodes - 1);
    /* Without the original, any missing text may have been a value. */
    if (may_be_published(q, node) || q->group_missing) return false;
    set_class(random_row(d), q, q->tree.label[node]);
    return true;
}

/* A number, interval or word where the hierarchy has no such node. */
static bool foreign_value(dice *d) {
    static const char *const texts[] = {"987654.5", "987654..987655", "987654-987655",
                                        "nowhere at all"};
    const quasi *q = random_quasi(d);
    const char *text = texts[roll(d, 0, 3)];
    if (q->kind == FLAT || (q->kind == NUMERIC && text[0] != 'n')) return false;
    set_class(random_row(d), q, text);
    return true;
}

static void remove_row(int row) {
    for (int i = row; i + 1 < bad.sheet.rows; i++)
        memcpy(bad.sheet.cell[i], bad.sheet.cell[i + 1], sizeof bad.sheet.cell[i]);
    bad.sheet.rows--;
}

/* A class keeps fewer than k rows. */
static bool shrunk_class(dice *d) {
    int row = random_row(d), kept = 0, most = roll(d, 1, w.k);
    static sheet before;
    before = bad.sheet;
    if (w.k < 2 || most == w.k) return false;
    for (int i = before.rows - 1; i >= 0; i--)
        if (same_class(&w, &before, row, i) && kept++ >= most) remove_row(i);
    return true;
}

/* One more row, with published values that no other row has together. */
static bool lonely_row(dice *d) {
    int last = bad.sheet.rows;
    if (w.k < 2 || last == MOST_ROWS) return false;
    memcpy(bad.sheet.cell[last], bad.sheet.cell[random_row(d)], sizeof bad.sheet.cell[0]);
    const quasi *q = random_quasi(d);
    put_text(bad.sheet.cell[last][quasi_cell(q)], bad.sheet.cell[random_row(d)][quasi_cell(q)]);
    bad.sheet.rows++;
    for (int row = 0; row < last; row++)
        if (same_class(&w, &bad.sheet, row, last)) return false;
    return true;
}

/* All sensitive values of a class say the same: a value of it, or that they are suppressed. */
static bool uniform_class(dice *d) {
    static const char *const words[] = {"*",    "***",        "suppressed", "NA",
                                        "NULL", "[REDACTED]", "n/a",        "(Masked)"};
    int row = random_row(d);
    if (w.p < 2 || w.sensitive_count == 0) return false;
    int column =
        released_column(&w, &bad.sheet, w.sensitive[roll(d, 0, w.sensitive_count - 1)].column);
    bool words_only = chance(d, 70);
    const char *same = r.sheet.cell[row][column];
    for (int i = 0; i < r.sheet.rows; i++)
        if (same_class(&w, &r.sheet, row, i))
            put_text(bad.sheet.cell[i][column], words_only ? words[roll(d, 0, 7)] : same);
    return true;
}

static const struct {
    const char *what;
    bool (*make)(dice *d);
} corruptions[] = {{"a file with an extra column", extra_column},
                   {"a file with a column that is not released", unreleased_column},
                   {"a node that no original may become", forbidden_node},
                   {"a value that is no node", foreign_value},
                   {"a class that lost rows", shrunk_class},
                   {"a row of its own", lonely_row},
                   {"a class with one sensitive value, or none", uniform_class}};
enum { CORRUPTIONS = sizeof corruptions / sizeof *corruptions };

static void check_corruptions(dice *d, const char *folder) {
    for (int i = 0; i < CORRUPTIONS; i++) {
        bad = r;
        if (!corruptions[i].make(d)) continue;
        sheet_write(bad_path, w.delimiter, "\n", NULL, &bad.sheet);
        expect(bad_path, folder, NULL, 2, corruptions[i].what);
    }
}

/* The first row is in the place of the header: refused, and nothing of the row is repeated (the
 * marks of sensitive and unreleased texts; expect looks for them). */
static void check_headless(const char *folder) {
    bad = r;
    for (int i = 0; i < bad.sheet.columns; i++)
        put_text(bad.sheet.name[i], bad.sheet.cell[0][i]);
    if (bad.sheet.rows < 2) return;
    remove_row(0);
    sheet_write(bad_path, w.delimiter, "\n", NULL, &bad.sheet);
    expect(bad_path, folder, NULL, 1, "a file without a header");
}

/* A trace whose rows are rotated is that of another release, or fits by chance. */
static void check_other_trace(const char *folder) {
    static sheet trace;
    char path[MOST_PATH];
    int shift = r.sheet.rows / 2;
    snprintf(path, sizeof path, "%s/other-trace.csv", folder);
    sheet_read(trace_path, ',', &trace);
    for (int row = 0; row < trace.rows; row++) {
        if (!*trace.cell[row][4]) continue;
        int out = (atoi(trace.cell[row][4]) - 1 + shift) % r.sheet.rows;
        snprintf(trace.cell[row][4], MOST_TEXT, "%d", out + 1);
        bad.original[out] = row;
    }
    bad.sheet = r.sheet;
    sheet_write(path, ',', "\n", NULL, &trace);
    expect(out_path, folder, path, release_holds(&w, &bad) ? 0 : 2, "a release with another trace");
}

/* ---- one case ---- */

static void run(dice *d, const char *folder) {
    command c;
    world_make(&w, d, ANY);
    world_write(&w, d, folder);
    set_paths(folder);
    if (w.bad_use) return;
    command_start(&c, "anonymize");
    command_add(&c, "%s", job_path);
    command_add(&c, "-o"), command_add(&c, "%s", out_path);
    command_add(&c, "--trace"), command_add(&c, "%s", trace_path);
    world_flags(&w, d, &c);
    if (command_run(&c, folder) != 0) return; /* nothing can be released: see test_release */
    sheet_read(out_path, w.delimiter, &r.sheet);
    /* The bins of the file's own range may be others than those of the original. */
    if (!file_holds(&w, &r.sheet, false)) return;
    expect(out_path, folder, NULL, 0, "the release");
    expect(out_path, folder, trace_path, 0, "the release with its trace");
    check_corruptions(d, folder);
    check_headless(folder);
    check_other_trace(folder);
}

int main(void) {
    return run_cases("test_check", 1500, run);
}
