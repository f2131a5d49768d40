/* test_bound.c - the lower bound as a user sees it: no release of any algorithm loses less, `check`
 * confirms exactly the bound that the certificate proves, and rejects a certificate that was
 * changed, truncated or made for other data. */
#include "algorithm/algorithm.h"
#include "judge.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static world w;
static fate f;
static sheet scratch;
static char job_path[MOST_PATH], input_path[MOST_PATH], out_path[MOST_PATH], trace_path[MOST_PATH],
    report_path[MOST_PATH], certificate_path[MOST_PATH], stdout_path[MOST_PATH],
    stderr_path[MOST_PATH];

static void set_paths(const char *folder) {
    struct {
        char *path;
        const char *name;
    } paths[] = {{job_path, "job.yaml"},       {input_path, "input.csv"},
                 {out_path, "out.csv"},        {trace_path, "trace.csv"},
                 {report_path, "report.json"}, {certificate_path, "certificate.csv"},
                 {stdout_path, "stdout"},      {stderr_path, "stderr"}};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        snprintf(paths[i].path, MOST_PATH, "%s/%s", folder, paths[i].name);
}

/* ---- running ---- */

typedef struct {
    double ntil, bound, gap; /* gap -1: null */
    bool given, exact;
} figures;

static figures read_report(void) {
    json_error_t error;
    json_t *report = json_load_file(report_path, 0, &error);
    CHECK(report, "report: %s", error.text);
    json_t *loss = json_object_get(report, "loss"), *gap = json_object_get(loss, "gap"),
           *bound = json_object_get(loss, "ntil_bound");
    figures found = {.ntil = json_number_value(json_object_get(loss, "ntil")),
                     .bound = json_number_value(bound),
                     .gap = json_is_null(gap) ? -1 : json_number_value(gap),
                     .given = json_is_number(bound),
                     .exact = json_is_true(json_object_get(loss, "bound_exact"))};
    json_decref(report);
    return found;
}

static bool can_run(const hr_algorithm *algorithm) {
    if (w.p > 1 && !algorithm->enforces_p) return false;
    if (hr_publishes_means(algorithm)) return false; /* the bound does not apply to means */
    for (int j = 0; j < w.quasi_count; j++)
        if (w.quasi[j].kind == NUMERIC && algorithm->needs_hierarchy) return false;
    return true;
}

static figures anonymize(const hr_algorithm *algorithm, const char *bound, int threads,
                         const char *suffix, const char *folder) {
    command c;
    command_start(&c, "anonymize");
    command_add(&c, "%s", job_path);
    command_add(&c, "-a"), command_add(&c, "%s", algorithm->name);
    command_add(&c, "--boundaries"), command_add(&c, w.count ? "count" : "enforce");
    command_add(&c, "-o"), command_add(&c, "%s", out_path);
    command_add(&c, "--trace"), command_add(&c, "%s", trace_path);
    command_add(&c, "--report"), command_add(&c, "%s", report_path);
    command_add(&c, "--threads"), command_add(&c, "%d", threads);
    if (bound) command_add(&c, "--bound"), command_add(&c, "%s", bound);
    if (!bound || strcmp(bound, "none"))
        command_add(&c, "--certificate"), command_add(&c, "%s%s", certificate_path, suffix);
    CHECK(command_run(&c, folder) == 0, "%s fails, though a release exists", algorithm->name);
    return read_report();
}

/* Several numeric attributes have too many intervals even for some small tables. */
static int numeric_count(void) {
    int count = 0;
    for (int j = 0; j < w.quasi_count; j++)
        count += w.quasi[j].kind == NUMERIC;
    return count;
}

/* The sentence of the summary agrees with the report; it leaves out what is above 100 %. */
static void check_sentence(const figures *found) {
    CHECK(file_tells(stderr_path, found->gap == 0                     ? "of 1; the least possible"
                                  : found->gap > 0 && found->gap <= 1 ? "% above the least possible"
                                                                      : "of 1\n"),
          "the summary's sentence does not suit a gap of %g", found->gap);
}

/* The smallest loss of all algorithms must not be below the best bound. */
static void check_bounds(dice *d, const char *folder) {
    static const char *const ways[] = {NULL, "none", "simple", "lagrangian"};
    double best = 0, least = 2, simple = -1;
    for (size_t i = 0; hr_algorithms[i]; i++) {
        if (!can_run(hr_algorithms[i])) continue;
        const char *way = ways[roll(d, 0, 3)];
        figures found = anonymize(hr_algorithms[i], way, roll(d, 1, 3), "", folder);
        CHECK(found.given == !(way && !strcmp(way, "none")), "a bound, or none, against the wish");
        check_sentence(&found);
        if (found.ntil < least) least = found.ntil;
        if (!found.given) continue;
        CHECK(found.exact || numeric_count() > 1, "not all boxes of a small table were looked at");
        CHECK(found.bound <= found.ntil, "%s: bound %.17g, ntil %.17g", hr_algorithms[i]->name,
              found.bound, found.ntil);
        CHECK(found.bound > 0 ? found.gap >= 0 : found.gap == (found.ntil > 0 ? -1 : 0),
              "%s: gap %g", hr_algorithms[i]->name, found.gap);
        if (way && !strcmp(way, "simple")) {
            CHECK(simple < 0 || simple == found.bound, "the simple bound depends on the algorithm");
            simple = found.bound;
        }
        if (found.bound > best) best = found.bound;
    }
    CHECK(best <= least, "bound %.17g, and a release of %.17g", best, least);
    CHECK(simple <= best, "the simple bound is above all");
}

/* ---- the certificate ---- */

static int check_with(const char *certificate, const char *original, int k, const char *folder) {
    command c;
    command_start(&c, "check");
    command_add(&c, "%s", out_path);
    command_add(&c, "%s", job_path);
    command_add(&c, "-a"), command_add(&c, "greedy-pk");
    command_add(&c, "--boundaries"), command_add(&c, w.count ? "count" : "enforce");
    command_add(&c, "--original"), command_add(&c, "%s", original);
    command_add(&c, "--trace"), command_add(&c, "%s", trace_path);
    command_add(&c, "--certificate"), command_add(&c, "%s", certificate);
    if (k) command_add(&c, "-k"), command_add(&c, "%d", k);
    return command_run(&c, folder);
}

/* Copies the certificate with the number of one line changed, or truncated before that line. */
static void change_certificate(const char *path, const char *what, int skip, long long by,
                               bool cut) {
    char line[256];
    FILE *from = fopen(certificate_path, "r"), *to = fopen(path, "w");
    CHECK(from && to, "no certificate was written");
    size_t length = strlen(what);
    while (fgets(line, sizeof line, from)) {
        bool wanted = !strncmp(line, what, length) && line[length] == ',' && skip-- == 0;
        if (wanted && cut) break;
        if (wanted)
            fprintf(to, "%s,%lld\n", what, atoll(line + length + 1) + by);
        else
            fputs(line, to);
    }
    fclose(from);
    fclose(to);
}

static long long number_in(const char *what) {
    char line[256];
    long long found = -1;
    FILE *file = fopen(certificate_path, "r");
    CHECK(file, "no certificate was written");
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, what, strlen(what)) && line[strlen(what)] == ',')
            found = atoll(line + strlen(what) + 1);
    fclose(file);
    return found;
}

static void check_forged(dice *d, const char *folder) {
    char forged[MOST_PATH + 8];
    int kinds = (int)number_in("multipliers");
    snprintf(forged, sizeof forged, "%s.bad", certificate_path);
    int status;
    switch (roll(d, 0, 5)) {
    case 0:
        change_certificate(forged, "loss", 0, roll(d, 1, 2000000000), false);
        CHECK(check_with(forged, input_path, 0, folder) == 2, "a forged bound passes");
        CHECK(file_tells(stdout_path, "more than it proves"), "a forged bound is not told");
        break;
    case 1:
        change_certificate(forged, "loss", 0, -roll(d, 1, 2), false);
        CHECK(check_with(forged, input_path, 0, folder) == 0,
              "a lower bound than the proved one does not pass");
        break;
    case 2:
        change_certificate(forged, "multiplier", roll(d, 0, kinds - 1), 0, true);
        CHECK(check_with(forged, input_path, 0, folder) == 1 && file_tells(stderr_path, "cut off"),
              "a certificate that is cut off passes");
        break;
    case 3:
        change_certificate(forged, "multipliers", 0, roll(d, 0, 1) ? 1 : -1, false);
        CHECK(check_with(forged, input_path, 0, folder) == 1, "a wrong count passes");
        break;
    case 4:
        change_certificate(forged, "multiplier", roll(d, 0, kinds - 1),
                           roll(d, -900000000, 900000000), false);
        status = check_with(forged, input_path, 0, folder);
        CHECK(status == 0 || status == 2, "another multiplier is not judged: %d", status);
        break;
    default:
        CHECK(check_with(certificate_path, input_path, w.k + 100, folder) == 1 &&
                  file_tells(stderr_path, "another k"),
              "a certificate of another k passes");
    }
}

/* Replaces one quasi-identifier or sensitive value of the original by that of another row. */
static void check_other_data(dice *d, const char *folder) {
    char other[MOST_PATH + 8];
    int row = roll(d, 0, w.input.rows - 1), from = roll(d, 0, w.input.rows - 1);
    int column = roll(d, 0, w.input.columns - 1);
    snprintf(other, sizeof other, "%s.other", input_path);
    scratch = w.input;
    if ((w.role[column] != QUASI && w.role[column] != SENSITIVE) ||
        !strcmp(scratch.cell[row][column], scratch.cell[from][column]))
        return;
    int left = 0; /* a boundary may name the value: it must not disappear */
    for (int i = 0; i < w.input.rows; i++)
        left += !strcmp(scratch.cell[i][column], scratch.cell[row][column]);
    if (left < 2) return;
    put_text(scratch.cell[row][column], w.input.cell[from][column]);
    sheet_write(other, w.delimiter, "\n", NULL, &scratch);
    CHECK(check_with(certificate_path, other, 0, folder) == 1, "other data passes");
    CHECK(file_tells(stderr_path, "other data"), "other data is not told");
}

static void check_certificate(dice *d, const char *folder) {
    static const char *const ways[] = {"simple", "lagrangian"};
    char again[MOST_PATH + 8];
    const char *way = ways[roll(d, 0, 1)];
    const hr_algorithm *algorithm = hr_algorithm_find("greedy-pk");
    figures found = anonymize(algorithm, way, roll(d, 1, 4), "", folder);
    anonymize(algorithm, way, roll(d, 1, 4), ".2", folder);
    snprintf(again, sizeof again, "%s.2", certificate_path);
    CHECK(same_bytes(certificate_path, again), "another run, another certificate");
    CHECK(!file_tells(certificate_path, HIDDEN_MARK) &&
              !file_tells(certificate_path, SENSITIVE_MARK),
          "the certificate tells a value");
    CHECK(check_with(certificate_path, input_path, 0, folder) == 0, "the certificate is refused");
    char text[64];
    snprintf(text, sizeof text, "loses less than %.8g (ntil)", found.bound);
    CHECK(file_tells(stdout_path, text), "check does not confirm %.8g", found.bound);
    check_forged(d, folder);
    if (chance(d, 50)) check_other_data(d, folder);
}

static void run(dice *d, const char *folder) {
    world_make(&w, d, ANY);
    world_write(&w, d, folder);
    set_paths(folder);
    if (w.bad_use) return;
    decide_fate(&w, needed_k(&w), w.p, !w.count, -1, &f);
    if (f.suppressed == w.input.rows) return;
    check_bounds(d, folder);
    check_certificate(d, folder);
}

int main(void) {
    return run_cases("test_bound", 200, run);
}
