/* test_release.c - releases of random tables satisfy the manual. The test runs the command as a
 * user would and judges its files by the definitions of judge.h, which share no code with the
 * library: k, p and boundaries; each value is the lowest that covers its cluster; exactly OUT is
 * suppressed; order, trace, report, `check` and `boundaries`. */
#include "judge.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static world w;
static fate f;
static release r;
static sheet scratch, sorted_a, sorted_b;
static char out_path[MOST_PATH], trace_path[MOST_PATH], report_path[MOST_PATH], job_path[MOST_PATH],
    input_path[MOST_PATH], stdout_path[MOST_PATH], stderr_path[MOST_PATH];

/* The numbers in the trace for each input row; 0: none. */
static struct { int class, cluster, out; } trail[MOST_ROWS];
static int clusters, classes;

/* ---- running ---- */

static void set_paths(const char *folder) {
    struct {
        char *path;
        const char *name;
    } paths[] = {{out_path, "out.csv"},  {trace_path, "trace.csv"}, {report_path, "report.json"},
                 {job_path, "job.yaml"}, {input_path, "input.csv"}, {stdout_path, "stdout"},
                 {stderr_path, "stderr"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        snprintf(paths[i].path, MOST_PATH, "%s/%s", folder, paths[i].name);
}

static void start_run(command *c, dice *d, int threads, const char *suffix) {
    command_start(c, "anonymize");
    command_add(c, "%s", job_path);
    command_add(c, "-o"), command_add(c, "%s%s", out_path, suffix);
    command_add(c, "--trace"), command_add(c, "%s%s", trace_path, suffix);
    command_add(c, "--threads"), command_add(c, "%d", threads);
    world_flags(&w, d, c);
}

/* Messages and reports contain no value of an identifier or a sensitive attribute. */
static void check_discretion(void) {
    const char *files[] = {stdout_path, stderr_path, report_path};
    for (int i = 0; i < 3; i++) {
        CHECK(!file_tells(files[i], HIDDEN_MARK), "%s tells an identifier", files[i]);
        CHECK(!file_tells(files[i], SENSITIVE_MARK), "%s tells a sensitive value", files[i]);
    }
}

static void check_nothing(int status, int wanted, const char *why) {
    CHECK(status == wanted, "exit status %d, not %d (%s)", status, wanted, why);
    CHECK(file_tells(stderr_path, ":"), "nothing is said though nothing is released (%s)", why);
    CHECK(!file_exists(out_path) && !file_exists(trace_path) && !file_exists(report_path),
          "files are left though nothing is released (%s)", why);
}

/* ---- the trace ---- */

static int trace_number(int row, int column) {
    const char *text = scratch.cell[row][column];
    char again[MOST_TEXT];
    int number = atoi(text);
    snprintf(again, sizeof again, "%d", number);
    CHECK(!strcmp(text, again) && number > 0, "trace, row %d: '%s'", row + 1, text);
    return number;
}

static void read_trail(int row) {
    bool kept = !strcmp(scratch.cell[row][3], "kept");
    CHECK(trace_number(row, 0) == row + 1, "trace: row %d is not in its place", row + 1);
    CHECK(kept || !strcmp(scratch.cell[row][3], "suppressed"), "trace, row %d: status", row + 1);
    CHECK(kept == !f.gone[row], "row %d is %s", row + 1,
          kept ? "kept and cannot be in any release" : "suppressed without need");
    memset(&trail[row], 0, sizeof trail[row]);
    if (!kept) {
        CHECK(!*scratch.cell[row][1] && !*scratch.cell[row][2] && !*scratch.cell[row][4],
              "trace, row %d: suppressed and yet somewhere", row + 1);
        return;
    }
    trail[row].class = trace_number(row, 1);
    trail[row].cluster = trace_number(row, 2);
    trail[row].out = trace_number(row, 4);
    CHECK(trail[row].out <= r.sheet.rows && r.original[trail[row].out - 1] < 0,
          "trace, row %d: there is no such row to go to", row + 1);
    r.original[trail[row].out - 1] = row;
}

/* Clusters are numbered by their first input row, classes by their first released row. */
static void check_numbering(void) {
    clusters = classes = 0;
    for (int row = 0; row < w.input.rows; row++) {
        if (!trail[row].out) continue;
        CHECK(trail[row].cluster <= clusters + 1, "trace, row %d: cluster is skipped", row + 1);
        if (trail[row].cluster > clusters) clusters++;
    }
    for (int i = 0; i < r.sheet.rows; i++) {
        CHECK(trail[r.original[i]].class <= classes + 1, "released row %d: class is skipped",
              i + 1);
        if (trail[r.original[i]].class > classes) classes++;
    }
}

static void check_trace(void) {
    static const char *const names[] = {"row", "class", "cluster", "status", "out"};
    sheet_read(trace_path, ',', &scratch);
    CHECK(scratch.columns == 5 && scratch.rows == w.input.rows, "trace: %d columns, %d rows",
          scratch.columns, scratch.rows);
    for (int i = 0; i < 5; i++)
        CHECK(!strcmp(scratch.name[i], names[i]), "trace: column '%s'", scratch.name[i]);
    for (int i = 0; i < r.sheet.rows; i++)
        r.original[i] = -1;
    for (int row = 0; row < w.input.rows; row++)
        read_trail(row);
    for (int i = 0; i < r.sheet.rows; i++)
        CHECK(r.original[i] >= 0, "trace: nobody goes to released row %d", i + 1);
    check_numbering();
}

/* ---- the released file ---- */

/* Quasi, sensitive and kept columns in input order. */
static void check_header(void) {
    int at = 0;
    for (int i = 0; i < w.input.columns; i++) {
        if (w.role[i] != QUASI && w.role[i] != SENSITIVE && w.role[i] != KEEP) continue;
        CHECK(at < r.sheet.columns && !strcmp(r.sheet.name[at], w.input.name[i]),
              "released column %d is not '%s'", at + 1, w.input.name[i]);
        at++;
    }
    CHECK(at == r.sheet.columns, "%d columns too many", r.sheet.columns - at);
    CHECK(r.sheet.rows == w.input.rows - f.suppressed, "%d rows, not %d", r.sheet.rows,
          w.input.rows - f.suppressed);
}

static void check_untouched(void) {
    for (int column = 0; column < w.input.columns; column++) {
        if (w.role[column] != SENSITIVE && w.role[column] != KEEP) continue;
        int at = released_column(&w, &r.sheet, column);
        for (int i = 0; i < r.sheet.rows; i++)
            CHECK(!strcmp(r.sheet.cell[i][at], w.input.cell[r.original[i]][column]),
                  "released row %d: '%s' is not what it was", i + 1, w.input.name[column]);
    }
}

static int compare_rows(const sheet *a, int x, const sheet *b, int y) {
    for (int i = 0; i < a->columns; i++) {
        int order = strcmp(a->cell[x][i], b->cell[y][i]);
        if (order) return order;
    }
    return 0;
}

static void check_order(void) {
    const char *order = w.row_order ? w.row_order : "canonical";
    for (int i = 1; i < r.sheet.rows; i++) {
        if (!strcmp(order, "canonical"))
            CHECK(compare_rows(&r.sheet, i - 1, &r.sheet, i) <= 0, "row %d is out of order", i + 1);
        if (!strcmp(order, "input"))
            CHECK(r.original[i - 1] < r.original[i], "row %d left the input's order", i + 1);
    }
}

/* ---- values: the lowest that covers the cluster ---- */

static int expected_node(const quasi *q, int cluster) {
    bool member[MOST_NODES] = {0};
    for (int row = 0; row < w.input.rows; row++) {
        if (trail[row].cluster != cluster) continue;
        int node = original_node(&w, q, row);
        member[w.method == MAM ? magval(q, node) : node] = true;
    }
    return tree_lowest_common(&q->tree, member);
}

/* A number of the input as it is written in an interval: -0.25 for -.25, 3 for 3. */
static void write_end(const char *cell, char *out) {
    int sign = *cell == '-';
    size_t length = strlen(cell);
    snprintf(out, MOST_TEXT, "%.*s%s%s", sign, cell, cell[sign] == '.' ? "0" : "", cell + sign);
    if (cell[length - 1] == '.') out[strlen(out) - 1] = '\0';
}

static bool is_input_text(const quasi *q, const char *text, size_t length, bool end) {
    char as_end[MOST_TEXT];
    for (int row = 0; row < w.input.rows; row++) {
        const char *cell = w.input.cell[row][q->column];
        if (end && *cell) write_end(cell, as_end), cell = as_end;
        if (strlen(cell) == length && !strncmp(cell, text, length)) return true;
    }
    return false;
}

/* The expected text: lo..hi or a single number, with the digits of the input. */
static void check_interval(const quasi *q, int cluster, const char *text) {
    value v = read_value(q, text);
    long lo = 0, hi = 0;
    bool any = false;
    for (int row = 0; row < w.input.rows; row++) {
        if (trail[row].cluster != cluster) continue;
        long number = hundredths(w.input.cell[row][q->column]);
        if (!any || number < lo) lo = number;
        if (!any || number > hi) hi = number;
        any = true;
    }
    CHECK(v.lo == lo && v.hi == hi, "cluster %d: '%s' is not its interval", cluster, text);
    const char *dots = strstr(text, "..");
    CHECK((dots != NULL) == (lo != hi), "cluster %d: '%s' is no way to write it", cluster, text);
    size_t length = dots ? (size_t)(dots - text) : strlen(text);
    CHECK(is_input_text(q, text, length, dots), "cluster %d: '%s': other digits", cluster, text);
    if (dots)
        CHECK(is_input_text(q, dots + 2, strlen(dots + 2), true), "cluster %d: '%s': other digits",
              cluster, text);
}

/* Equal intervals must have equal texts; otherwise a class would be split. */
static void check_same_digits(const quasi *q, int column) {
    for (int i = 0; i < r.sheet.rows; i++)
        for (int j = 0; j < i; j++) {
            const char *x = r.sheet.cell[i][column], *y = r.sheet.cell[j][column];
            value a = read_value(q, x), b = read_value(q, y);
            CHECK(a.lo != b.lo || a.hi != b.hi || !strcmp(x, y), "'%s' and '%s' are one interval",
                  x, y);
        }
}

static void check_values(void) {
    for (int j = 0; j < w.quasi_count; j++) {
        const quasi *q = &w.quasi[j];
        int column = released_column(&w, &r.sheet, q->column);
        for (int cluster = 1; cluster <= clusters; cluster++) {
            int node = q->kind == NUMERIC ? -1 : expected_node(q, cluster);
            const char *before = NULL;
            for (int row = 0; row < w.input.rows; row++) {
                if (trail[row].cluster != cluster) continue;
                const char *text = r.sheet.cell[trail[row].out - 1][column];
                if (before && !strcmp(before, text)) continue;
                before = text;
                if (q->kind == NUMERIC)
                    check_interval(q, cluster, text);
                else
                    CHECK(!strcmp(text, q->tree.label[node]), "cluster %d: '%s', not '%s'", cluster,
                          text, q->tree.label[node]);
            }
        }
        if (q->kind == NUMERIC) check_same_digits(q, column);
    }
}

/* ---- the models ---- */

/* Marks the input rows of the cluster (or class) `number`. */
static int rows_of(int number, bool of_class, bool *rows) {
    int size = 0;
    for (int row = 0; row < w.input.rows; row++) {
        rows[row] = (of_class ? trail[row].class : trail[row].cluster) == number;
        size += rows[row];
    }
    return size;
}

static void check_group(int number, bool of_class) {
    const char *what = of_class ? "class" : "cluster";
    bool rows[MOST_ROWS];
    int size = rows_of(number, of_class, rows), largest, cell = -1;
    CHECK(size >= needed_k(&w), "%s %d has %d rows", what, number, size);
    for (int l = 0; l < w.sensitive_count; l++) {
        int values = input_values(&w, &w.sensitive[l], rows, &largest);
        CHECK(w.p == 1 || values >= w.p, "%s %d has %d values", what, number, values);
    }
    for (int row = 0; row < w.input.rows; row++) {
        if (!rows[row]) continue;
        CHECK(cell < 0 || cell == f.cell[row] || of_class, "%s %d spans MAM cells", what, number);
        cell = f.cell[row];
    }
}

static void check_promises(void) {
    for (int i = 0; i < r.sheet.rows; i++)
        for (int j = 0; j < i; j++)
            CHECK(same_class(&w, &r.sheet, i, j) ==
                      (trail[r.original[i]].class == trail[r.original[j]].class),
                  "released rows %d and %d: the trace's classes are not the file's", j + 1, i + 1);
    for (int number = 1; number <= clusters; number++)
        check_group(number, false);
    for (int number = 1; number <= classes; number++)
        check_group(number, true);
    CHECK(release_holds(&w, &r), "the release does not keep its promises");
}

/* ---- the report ---- */

static json_t *report;

static double reported(const char *section, const char *name) {
    json_t *object = section ? json_object_get(report, section) : report;
    json_t *number = json_object_get(object, name);
    CHECK(json_is_number(number), "report: %s.%s is no number", section ? section : "", name);
    return json_number_value(number);
}

static void check_number(const char *section, const char *name, double wanted, double slack) {
    double number = reported(section, name);
    CHECK(fabs(number - wanted) <= 1e-9 * fmax(1, fabs(wanted)) + slack,
          "report: %s.%s is %.15g, not %.15g", section ? section : "", name, number, wanted);
}

static void check_counts(void) {
    int least = MOST_ROWS, most = 0;
    double squares = (double)f.suppressed * w.input.rows, released = r.sheet.rows;
    for (int number = 1; number <= classes; number++) {
        bool rows[MOST_ROWS];
        int size = rows_of(number, true, rows);
        if (size < least) least = size;
        if (size > most) most = size;
        squares += (double)size * size;
    }
    check_number("rows", "input", w.input.rows, 0);
    check_number("rows", "released", released, 0);
    check_number("rows", "suppressed", f.suppressed, 0);
    check_number("rows", "dropped", f.dropped, 0);
    check_number("classes", "count", classes, 0);
    check_number("classes", "min", least, 0);
    check_number("classes", "max", most, 0);
    check_number("classes", "mean", released / classes, 0);
    check_number(NULL, "clusters", clusters, 0);
    check_number("cells", "count", f.cells, 0);
    check_number("cells", "out", f.cells_out, 0);
    check_number("cells", "out_for_lack_of_values", f.cells_poor, 0);
    check_number("loss", "dm", squares, 0);
    check_number("loss", "avg", released / classes / needed_k(&w), 0);
    check_number("loss", "avg_clusters", released / clusters / needed_k(&w), 0);
    check_number("risk", "prosecutor", 1.0 / least, 0);
    check_number("risk", "average", classes / released, 0);
    check_number("model", "k", needed_k(&w), 0);
    check_number("model", "p", w.p, 0);
    check_number(NULL, "seed", w.seed, 0);
    check_number(NULL, "threads", w.threads, 0);
}

static void check_achieved(void) {
    json_t *model = json_object_get(report, "model"),
           *achieved = json_object_get(model, "achieved");
    int least_k = MOST_ROWS, least_p = MOST_ROWS;
    double share = 0;
    for (int number = 1; number <= classes; number++) {
        bool rows[MOST_ROWS];
        int size = rows_of(number, true, rows), largest;
        if (size < least_k) least_k = size;
        for (int l = 0; l < w.sensitive_count; l++) {
            int values = input_values(&w, &w.sensitive[l], rows, &largest);
            if (values < least_p) least_p = values;
            share = fmax(share, (double)largest / size);
        }
    }
    CHECK(json_integer_value(json_object_get(achieved, "k")) == least_k, "report: achieved k");
    CHECK(json_is_true(json_object_get(model, "verified")), "report: not verified");
    CHECK(!strcmp(json_string_value(json_object_get(model, "boundaries")),
                  w.count ? "count" : "enforce"),
          "report: boundaries");
    CHECK(!strcmp(json_string_value(json_object_get(report, "algorithm")), w.algorithm),
          "report: algorithm");
    if (w.sensitive_count == 0) {
        CHECK(json_is_null(json_object_get(achieved, "p")), "report: p without sensitive ones");
        CHECK(json_is_null(json_object_get(json_object_get(report, "risk"), "largest_share")),
              "report: a largest share of nothing");
        return;
    }
    CHECK(json_integer_value(json_object_get(achieved, "p")) == least_p, "report: achieved p");
    check_number("risk", "largest_share", share, 0);
}

static json_t *reported_attribute(const char *name) {
    json_t *list = json_object_get(report, "per_attribute");
    CHECK((int)json_array_size(list) == w.quasi_count, "report: attributes");
    for (int j = 0; j < w.quasi_count; j++) {
        json_t *attribute = json_array_get(list, (size_t)j);
        if (!strcmp(json_string_value(json_object_get(attribute, "name")), name)) return attribute;
    }
    fail("report: nothing of '%s'", name);
}

/* Costs of nodes are exact; the cost of an interval is rounded once, to 1 / HR_COST_ONE. */
static void check_losses(void) {
    const double unit = 738017280, n = w.input.rows, t = w.quasi_count;
    double total = 0, penalty = 0, weighted = 0, weights = 0, rounded = 0;
    int violations = 0;
    for (int j = 0; j < w.quasi_count; j++) {
        const quasi *q = &w.quasi[j];
        int column = released_column(&w, &r.sheet, q->column), past = 0;
        double loss = f.suppressed, slack = q->kind == NUMERIC ? n * .51 / unit : 0;
        double weight = q->weight ? q->weight / 10.0 : 1;
        penalty += f.suppressed;
        for (int i = 0; i < r.sheet.rows; i++) {
            value v = read_value(q, r.sheet.cell[i][column]);
            loss += value_loss(&w, q, v);
            penalty += value_penalty(&w, q, v);
            past += value_violates(&w, q, v, r.original[i]);
        }
        json_t *attribute = reported_attribute(w.input.name[q->column]);
        double told = json_number_value(json_object_get(attribute, "loss"));
        CHECK(fabs(told - loss / n) <= 1e-9 + slack, "report: loss of '%s' is %.15g, not %.15g",
              w.input.name[q->column], told, loss / n);
        CHECK(json_integer_value(json_object_get(attribute, "boundary_violations")) == past,
              "report: boundary violations of '%s'", w.input.name[q->column]);
        total += loss;
        weighted += weight * loss / n;
        weights += weight;
        violations += past;
        rounded += slack;
    }
    CHECK(w.count || violations == 0, "%d values past a boundary", violations);
    check_number("model", "boundary_violations", violations, 0);
    check_number("loss", "il", total, rounded);
    check_number("loss", "ntil", total / (n * t), rounded / (n * t));
    check_number("loss", "ncp", penalty / (n * t), rounded / (n * t));
    check_number("loss", "weighted_loss", weighted / weights, rounded / n);
    CHECK(reported("loss", "ntil_bound") <= reported("loss", "ntil"),
          "report: the bound %.17g is above the loss %.17g", reported("loss", "ntil_bound"),
          reported("loss", "ntil"));
}

static void check_report(void) {
    json_error_t error;
    report = json_load_file(report_path, 0, &error);
    CHECK(report, "report: %s", error.text);
    check_counts();
    check_achieved();
    check_losses();
    json_decref(report);
}

/* ---- the same job gives the same bytes ---- */

static void sort_rows(const sheet *from, sheet *to) {
    *to = *from;
    for (int i = 1; i < to->rows; i++)
        for (int j = i; j > 0 && compare_rows(to, j, to, j - 1) < 0; j--) {
            static char row[MOST_COLUMNS][MOST_TEXT];
            memcpy(row, to->cell[j], sizeof row);
            memcpy(to->cell[j], to->cell[j - 1], sizeof row);
            memcpy(to->cell[j - 1], row, sizeof row);
        }
}

static void check_again(dice *d, const char *folder) {
    command c;
    char again[MOST_PATH + 8], again_trace[MOST_PATH + 8];
    snprintf(again, sizeof again, "%s.2", out_path);
    snprintf(again_trace, sizeof again_trace, "%s.2", trace_path);
    start_run(&c, d, chance(d, 30) ? w.threads : roll(d, 1, 4), ".2");
    if (chance(d, 30)) command_add(&c, "--reference");
    CHECK(command_run(&c, folder) == 0, "the second run fails");
    CHECK(same_bytes(out_path, again), "the second run's release differs");
    CHECK(same_bytes(trace_path, again_trace), "the second run's trace differs");
}

static void check_other_order(dice *d, const char *folder) {
    static const char *const orders[] = {"canonical", "input", "shuffle"};
    command c;
    char again[MOST_PATH + 8];
    snprintf(again, sizeof again, "%s.3", out_path);
    start_run(&c, d, w.threads, ".3");
    command_add(&c, "--order=%s", orders[roll(d, 0, 2)]);
    CHECK(command_run(&c, folder) == 0, "a run in another order fails");
    sheet_read(again, w.delimiter, &scratch);
    CHECK(scratch.rows == r.sheet.rows && scratch.columns == r.sheet.columns,
          "another order, another size");
    sort_rows(&scratch, &sorted_a);
    sort_rows(&r.sheet, &sorted_b);
    for (int i = 0; i < scratch.rows; i++)
        CHECK(compare_rows(&sorted_a, i, &sorted_b, i) == 0, "another order, other rows");
}

static void check_standard_output(dice *d, const char *folder) {
    command c;
    command_start(&c, "anonymize");
    command_add(&c, "%s", job_path);
    world_flags(&w, d, &c);
    CHECK(command_run(&c, folder) == 0, "a run to standard output fails");
    CHECK(same_bytes(out_path, stdout_path), "standard output is not what -o gives");
}

/* ---- `hedgerow check` ---- */

static void expect_check(const char *path, const char *folder, bool original, bool holds,
                         const char *what) {
    command c;
    command_start(&c, "check");
    command_add(&c, "%s", path);
    command_add(&c, "%s", job_path);
    if (original) {
        command_add(&c, "--original"), command_add(&c, "%s", input_path);
        command_add(&c, "--trace"), command_add(&c, "%s", trace_path);
    }
    int status = command_run(&c, folder);
    CHECK(status == (holds ? 0 : 2), "check says %d of %s, which %s", status, what,
          holds ? "holds" : "does not hold");
    check_discretion();
}

static release bad;

/* Replaces a value by one that does not cover the original. */
static bool uncover(dice *d, int row, const quasi *q) {
    char *cell = bad.sheet.cell[row][released_column(&w, &bad.sheet, q->column)];
    if (q->kind == NUMERIC) {
        value v = read_value(q, cell);
        long outside = v.hi / 100 + roll(d, 1, 9); /* a whole number above the interval */
        snprintf(cell, MOST_TEXT, "%ld", outside);
        return true;
    }
    for (int tries = 0; tries < 20; tries++) {
        const char *leaf = q->tree.text[roll(d, 0, q->tree.lines - 1)][0];
        if (tree_above(&q->tree, tree_find(&q->tree, leaf),
                       original_node(&w, q, bad.original[row])))
            continue;
        put_text(cell, leaf);
        return true;
    }
    return false;
}

/* Replaces the values of all rows of a class by the root. */
static bool lift_class(int row, const quasi *q) {
    int column = released_column(&w, &bad.sheet, q->column);
    if (q->kind == NUMERIC) return false;
    for (int other = 0; other < r.sheet.rows; other++)
        if (same_class(&w, &r.sheet, row, other))
            put_text(bad.sheet.cell[other][column], q->tree.label[q->tree.root]);
    return true;
}

static bool change_cell(dice *d, int row, role wanted) {
    int column = roll(d, 0, w.input.columns - 1);
    const char *other = w.input.cell[roll(d, 0, w.input.rows - 1)][column];
    if (w.role[column] != wanted) return false;
    char *cell = bad.sheet.cell[row][released_column(&w, &bad.sheet, column)];
    if (!strcmp(cell, other)) return false;
    put_text(cell, other);
    return true;
}

static void remove_row(int row) {
    for (int i = row; i + 1 < bad.sheet.rows; i++)
        memcpy(bad.sheet.cell[i], bad.sheet.cell[i + 1], sizeof bad.sheet.cell[i]);
    bad.sheet.rows--;
}

static bool add_identifier(void) {
    for (int i = 0; i < w.input.columns; i++) {
        if (w.role[i] != IDENTIFIER) continue;
        put_text(bad.sheet.name[bad.sheet.columns], w.input.name[i]);
        for (int row = 0; row < bad.sheet.rows; row++)
            put_text(bad.sheet.cell[row][bad.sheet.columns], "x");
        bad.sheet.columns++;
        return true;
    }
    return false;
}

/* Writes lo..hi in one of the other notations that `check` reads. */
static bool rewrite_intervals(dice *d) {
    int way = roll(d, 0, 2);
    bool any = false;
    for (int j = 0; j < w.quasi_count; j++) {
        int column = released_column(&w, &bad.sheet, w.quasi[j].column);
        for (int row = 0; w.quasi[j].kind == NUMERIC && row < bad.sheet.rows; row++) {
            char *cell = bad.sheet.cell[row][column], lo[MOST_TEXT], hi[MOST_TEXT];
            char *dots = strstr(cell, "..");
            if (!dots) continue;
            put_text(hi, dots + 2);
            *dots = '\0';
            put_text(lo, cell);
            int length = snprintf(cell, MOST_TEXT, "%s%s%s%s%s", way ? "[" : "", lo,
                                  way == 0   ? "-"
                                  : way == 1 ? ","
                                             : ", ",
                                  hi, way ? "]" : "");
            CHECK(length < MOST_TEXT, "an interval is too long for this test");
            any = true;
        }
    }
    return any;
}

static void check_corrupted(dice *d, const char *folder) {
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/bad.csv", folder);
    bad = r;
    int row = roll(d, 0, bad.sheet.rows - 1), kind = roll(d, 0, 7);
    const quasi *q = &w.quasi[roll(d, 0, w.quasi_count - 1)];
    bool original = kind != 1, holds = false, done = true;
    switch (kind) {
    case 0: done = uncover(d, row, q); break;
    case 1: remove_row(row); break;
    case 2:
    case 3: done = change_cell(d, row, SENSITIVE); break;
    case 4: done = change_cell(d, row, KEEP); break;
    case 5: done = lift_class(row, q); break;
    case 6: done = add_identifier(); break;
    default: done = rewrite_intervals(d); break;
    }
    if (!done || bad.sheet.rows == 0) return;
    if (kind == 7)
        holds = true;
    else if (kind != 6)
        holds = original ? release_holds(&w, &bad) : file_holds(&w, &bad.sheet, false);
    static const char *const what[] = {"a value that covers no more", "a file without a row",
                                       "a changed sensitive value",   "a changed sensitive value",
                                       "a changed kept value",        "a class at the root",
                                       "a file with an identifier",   "other intervals"};
    sheet_write(path, w.delimiter, "\n", NULL, &bad.sheet);
    expect_check(path, folder, original, holds, what[kind]);
}

/* ---- `hedgerow boundaries` ---- */

static int priced(int row, const char *name) {
    int column = sheet_column(&scratch, name);
    CHECK(column >= 0, "boundaries: no column '%s'", name);
    return atoi(scratch.cell[row][column]);
}

static void check_price(int row, int k, int p) {
    static fate now, relaxed;
    int best = 0;
    const char *best_name = "";
    decide_fate(&w, k, p, true, -1, &now);
    CHECK(priced(row, "k") == k && priced(row, "p") == p, "boundaries: row %d", row + 1);
    CHECK(priced(row, "suppressed") == now.suppressed, "boundaries: k %d, p %d: %d, not %d", k, p,
          priced(row, "suppressed"), now.suppressed);
    CHECK(priced(row, "classes_at_most") == most_classes(&w, k, p, &now),
          "boundaries: k %d, p %d: %d classes, not %d", k, p, priced(row, "classes_at_most"),
          most_classes(&w, k, p, &now));
    for (int j = 0; j < w.quasi_count; j++) {
        char name[MOST_TEXT + 8];
        snprintf(name, sizeof name, "saves:%s", w.input.name[w.quasi[j].column]);
        CHECK((sheet_column(&scratch, name) >= 0) == is_bounded(&w.quasi[j]),
              "boundaries: which are bounded ('%s')", name);
        if (!is_bounded(&w.quasi[j])) continue;
        decide_fate(&w, k, p, true, j, &relaxed);
        int saves = now.suppressed - relaxed.suppressed;
        CHECK(priced(row, name) == saves, "boundaries: k %d, p %d, '%s': %d, not %d", k, p, name,
              priced(row, name), saves);
        if (saves <= best) continue;
        best = saves;
        best_name = w.input.name[w.quasi[j].column];
    }
    CHECK(priced(row, "saves") == best &&
              !strcmp(scratch.cell[row][sheet_column(&scratch, "relax")], best_name),
          "boundaries: k %d, p %d: which to relax", k, p);
}

static void check_prices(dice *d, const char *folder) {
    command c;
    int ks[3], ps[2], k_count = roll(d, 1, 3), p_count = roll(d, 1, 2);
    char k_list[64] = "", p_list[64] = "";
    for (int i = 0; i < k_count; i++) {
        ks[i] = roll(d, i * 4 + 1, i * 4 + 4);
        snprintf(k_list + strlen(k_list), 8, "%s%d", i ? "," : "", ks[i]);
    }
    for (int i = 0; i < p_count; i++) {
        ps[i] = w.sensitive_count ? roll(d, i * 3 + 1, i * 3 + 3) : 1;
        snprintf(p_list + strlen(p_list), 8, "%s%d", i ? "," : "", ps[i]);
    }
    if (!w.sensitive_count) {
        p_count = 1;
        put_text(p_list, "1");
    }
    command_start(&c, "boundaries");
    command_add(&c, "%s", job_path);
    command_add(&c, "--format"), command_add(&c, "csv");
    command_add(&c, "-k"), command_add(&c, "%s", k_list);
    command_add(&c, "-p"), command_add(&c, "%s", p_list);
    CHECK(command_run(&c, folder) == 0, "boundaries fails");
    sheet_read(stdout_path, ',', &scratch);
    CHECK(scratch.rows == k_count * p_count, "boundaries: %d rows", scratch.rows);
    for (int i = 0; i < scratch.rows; i++)
        check_price(i, ks[i / p_count], ps[i % p_count]);
}

/* ---- one case ---- */

static void check_release(void) {
    sheet_read(out_path, w.delimiter, &r.sheet);
    check_header();
    check_trace();
    check_untouched();
    check_order();
    check_values();
    check_promises();
    check_report();
}

static void run(dice *d, const char *folder) {
    command c;
    world_make(&w, d, ANY);
    world_write(&w, d, folder);
    set_paths(folder);
    start_run(&c, d, w.threads, "");
    command_add(&c, "--report"), command_add(&c, "%s", report_path);
    int status = command_run(&c, folder);
    check_discretion();
    if (w.bad_use) {
        check_nothing(status, 1, "bad use");
        return;
    }
    decide_fate(&w, needed_k(&w), w.p, !w.count, -1, &f);
    if (f.suppressed == w.input.rows) {
        check_nothing(status, 2, "everything is OUT");
    } else if (w.max_suppressed >= 0 && f.suppressed * 100 > w.max_suppressed * w.input.rows) {
        check_nothing(status, 2, "max-suppressed");
    } else {
        CHECK(status == 0, "exit status %d, though a release exists", status);
        check_release();
        if (chance(d, 30)) check_again(d, folder);
        if (chance(d, 10)) check_other_order(d, folder);
        if (chance(d, 5)) check_standard_output(d, folder);
        if (chance(d, 50)) expect_check(out_path, folder, true, true, "the release");
        if (chance(d, 10))
            expect_check(out_path, folder, false, file_holds(&w, &r.sheet, false), "the file");
        if (chance(d, 60)) check_corrupted(d, folder);
    }
    if (chance(d, 30)) check_prices(d, folder);
}

int main(void) {
    return run_cases("test_release", 6000, run);
}
