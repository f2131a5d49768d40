/* test_order.c - the order of the input's rows does not matter to the algorithms that say so
 * (any_order): random tables are shuffled, and release, figures and bound must stay the same, with
 * any number of threads. The proof of the bound must hold for the shuffled table, too. */
#include "algorithm/algorithm.h"

#include "judge.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static world w;
static char out_path[MOST_PATH], trace_path[MOST_PATH], report_path[MOST_PATH],
    proof_path[MOST_PATH], job_path[MOST_PATH], input_path[MOST_PATH];

/* `turn` numbers the files of a run. */
static void set_paths(const char *folder, int turn) {
    snprintf(out_path, MOST_PATH, "%s/out%d.csv", folder, turn);
    snprintf(trace_path, MOST_PATH, "%s/trace%d.csv", folder, turn);
    snprintf(report_path, MOST_PATH, "%s/report%d.json", folder, turn);
    snprintf(proof_path, MOST_PATH, "%s/proof%d.csv", folder, turn);
    snprintf(job_path, MOST_PATH, "%s/job.yaml", folder);
    snprintf(input_path, MOST_PATH, "%s/input.csv", folder);
}

static void shuffle_rows(dice *d) {
    static char swap[MOST_COLUMNS][MOST_TEXT];
    for (int i = w.input.rows; i > 1; i--) {
        int j = roll(d, 0, i - 1);
        memcpy(swap, w.input.cell[i - 1], sizeof swap);
        memcpy(w.input.cell[i - 1], w.input.cell[j], sizeof swap);
        memcpy(w.input.cell[j], swap, sizeof swap);
    }
}

static int anonymize(dice *d, const char *bound, const char *folder) {
    command c;
    command_start(&c, "anonymize");
    command_add(&c, "%s", job_path);
    command_add(&c, "-o"), command_add(&c, "%s", out_path);
    command_add(&c, "--trace"), command_add(&c, "%s", trace_path);
    command_add(&c, "--report"), command_add(&c, "%s", report_path);
    command_add(&c, "--certificate"), command_add(&c, "%s", proof_path);
    command_add(&c, "--bound"), command_add(&c, "%s", bound);
    command_add(&c, "--threads"), command_add(&c, "%d", roll(d, 1, 3));
    world_flags(&w, d, &c);
    return command_run(&c, folder);
}

/* The report without what may differ between two runs of the same job. */
static char *figures(const char *path) {
    static const char *const free_to_differ[] = {"seconds", "peak_memory_bytes", "threads"};
    json_t *report = json_load_file(path, 0, NULL);
    CHECK(report, "%s is no report", path);
    for (size_t i = 0; i < sizeof free_to_differ / sizeof *free_to_differ; i++)
        json_object_del(report, free_to_differ[i]);
    char *text = json_dumps(report, JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
    json_decref(report);
    CHECK(text, "out of memory");
    return text;
}

static void compare(const char *folder, int turn) {
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/out0.csv", folder);
    CHECK(same_bytes(path, out_path), "%s: shuffle %d changes the release", w.algorithm, turn);
    snprintf(path, sizeof path, "%s/proof0.csv", folder);
    CHECK(same_bytes(path, proof_path), "%s: shuffle %d changes the proof", w.algorithm, turn);
    snprintf(path, sizeof path, "%s/report0.json", folder);
    char *first = figures(path), *again = figures(report_path);
    bool same = !strcmp(first, again);
    free(first);
    free(again);
    CHECK(same, "%s: shuffle %d changes the report", w.algorithm, turn);
}

/* The trace pairs the rows of the shuffled original with those of the release. */
static void check_proof(const char *folder) {
    command c;
    command_start(&c, "check");
    command_add(&c, "%s", out_path), command_add(&c, "%s", job_path);
    command_add(&c, "--original"), command_add(&c, "%s", input_path);
    command_add(&c, "--trace"), command_add(&c, "%s", trace_path);
    command_add(&c, "--certificate"), command_add(&c, "%s/proof0.csv", folder);
    if (w.count) command_add(&c, "--boundaries"), command_add(&c, "count");
    CHECK(command_run(&c, folder) == 0, "%s: check says no", w.algorithm);
}

static void make(dice *d) {
    static const char *const names[] = {"hedge", "hedge", "mam", "incognito"};
    int algorithm = roll(d, 0, 3);
    world_kind kind = algorithm > 1 ? LEVELS : chance(d, 20) ? LARGE : ANY;
    do
        world_make(&w, d, kind); /* LEVELS: hierarchies only */
    while (w.bad_use);
    w.algorithm = names[algorithm];
    w.boundaries = w.count ? "count" : NULL;
    w.ties = w.dispersal = w.effort = NULL;
    if (algorithm < 2) w.effort = chance(d, 70) ? "quick" : "normal";
    w.alpha = w.sensitive_count && chance(d, 25) ? roll(d, 30, 95) : 0;
    w.row_order = chance(d, 30) ? "shuffle" : NULL;
}

static void run(dice *d, const char *folder) {
    make(d);
    world_write(&w, d, folder);
    set_paths(folder, 0);
    const char *bound = chance(d, 50) ? "lagrangian" : "simple";
    int status = anonymize(d, bound, folder);
    CHECK(status == 0 || status == 2, "%s: exit status %d", w.algorithm, status);
    for (int turn = 1; turn <= 2; turn++) {
        shuffle_rows(d);
        set_paths(folder, turn);
        sheet_write(input_path, w.delimiter, w.crlf ? "\r\n" : "\n", d, &w.input);
        CHECK(anonymize(d, bound, folder) == status, "%s: shuffle %d changes the exit status",
              w.algorithm, turn);
        if (status == 0) compare(folder, turn);
    }
    if (status == 0 && !w.row_order && chance(d, 30)) check_proof(folder);
}

/* All algorithms with the flag are tested here. */
static bool all_named(void) {
    for (size_t i = 0; hr_algorithms[i]; i++) {
        const char *name = hr_algorithms[i]->name;
        bool named = !strcmp(name, "hedge") || !strcmp(name, "mam") || !strcmp(name, "incognito");
        if (hr_algorithms[i]->any_order != named) return false;
    }
    return true;
}

int main(void) {
    if (!all_named()) {
        fprintf(stderr, "test_order does not test the algorithms to which no order matters\n");
        return 1;
    }
    return run_cases("test_order", 600, run);
}
