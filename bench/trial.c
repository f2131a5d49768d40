/* trial.c - measures one search, from MAM cells to partition, in its fast and its reference form.
 * It runs in a child process that starts with the table in memory: additional memory is the
 * search's. */
#include "algorithm/layout.h"
#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* A form that has taken so many seconds is not run again. */
static const double patience = 100, reference_patience = 30;
/* Least seconds of a run, unless the trial sets more. */
static const double shortest = 0.2;

typedef struct {
    const bench_data *data;
    const bench_trial *trial;
} request;

typedef struct {
    double seconds, reference_seconds, peak, added;
    uint32_t clusters;
    bool identical;
    uint64_t lattice_nodes, checked, scans, minimal; /* of a lattice search; otherwise 0 */
} answer;

#define MUST(call)                                                                                 \
    do {                                                                                           \
        hr_error err = {0};                                                                        \
        if ((call) != HR_OK) bench_die("%s", err.message);                                         \
    } while (0)

bench_data bench_data_of(const char *benchmark, const char *name, const hr_microdata *data) {
    hr_layout layout;
    bench_data out = {.benchmark = benchmark, .name = name, .data = data};
    MUST(hr_layout_make(data, &layout, &err));
    out.combinations = layout.combination_count;
    hr_layout_free(&layout);
    for (size_t j = 0; j < data->quasi_count; j++)
        out.bounded |= data->quasi[j].bounded;
    bench_tidy();
    return out;
}

/* The seconds of one search: the mean of as many searches as it takes for the run to last long
 * enough to be measured. The last partition is kept. */
static double time_search(const hr_search *search, double lasting, hr_partition *out) {
    double begin = hr_seconds(), seconds = 0;
    unsigned times = 0;
    while (times == 0 || seconds < lasting) {
        if (times > 0) hr_partition_free(out);
        hr_findings_free(*search->findings);
        MUST(hr_search_run(search, out, &err));
        times++;
        seconds = hr_seconds() - begin;
    }
    return seconds / times;
}

static double best_of(const hr_search *search, int runs, double lasting, double limit,
                      hr_partition *out) {
    double best = 0, begin = hr_seconds();
    for (int run = 0; run < runs && hr_seconds() - begin <= limit; run++) {
        if (run > 0) hr_partition_free(out);
        double seconds = time_search(search, lasting, out);
        if (run == 0 || seconds < best) best = seconds;
    }
    return best;
}

static bool same_partition(const hr_partition *a, const hr_partition *b) {
    return a->cluster_count == b->cluster_count &&
           !memcmp(a->cluster, b->cluster, a->rows * sizeof *a->cluster) &&
           !memcmp(a->values, b->values,
                   (size_t)a->cluster_count * a->quasi_count * sizeof *a->values);
}

static void measure(hr_search *search, const bench_trial *trial, double before, answer *out) {
    hr_partition fast, plain;
    double lasting = trial->lasting > shortest ? trial->lasting : shortest;
    out->seconds = best_of(search, trial->runs, lasting, patience, &fast);
    out->clusters = fast.cluster_count;
    out->lattice_nodes = hr_findings_value(*search->findings, "lattice_nodes");
    out->checked = hr_findings_value(*search->findings, "checked");
    out->scans = hr_findings_value(*search->findings, "scans");
    out->minimal = hr_findings_value(*search->findings, "minimal");
    out->peak = bench_peak();
    out->added = out->peak - before;
    if (trial->reference_runs) {
        search->reference = true;
        out->reference_seconds =
            best_of(search, trial->reference_runs, lasting, reference_patience, &plain);
        out->identical = same_partition(&fast, &plain);
        hr_partition_free(&plain);
    }
    hr_partition_free(&fast);
}

static void choose(const bench_trial *trial, hr_arena *arena, hr_choice *out) {
    hr_job *job;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set(job, "algorithm", trial->algorithm, &err));
    if (trial->suppression) MUST(hr_job_set(job, "suppression", trial->suppression, &err));
    job->boundaries = trial->enforce ? HR_BOUNDARIES_ENFORCE : HR_BOUNDARIES_COUNT;
    job->asked = (hr_requirements){.k = trial->k, .p = trial->p};
    MUST(hr_job_choose(job, arena, out, &err));
    out->name = NULL; /* owned by the job */
    hr_job_free(job);
}

static void search_apart(const void *payload, void *result) {
    const request *r = payload;
    const hr_microdata *data = r->data->data;
    hr_arena arena = {0};
    hr_choice choice;
    hr_groups cells;
    hr_facts facts;
    choose(r->trial, &arena, &choice);
    MUST(hr_cells(data->quasi, data->quasi_count, data->rows, r->trial->enforce, &cells, &err));
    MUST(hr_facts_of(&cells, data->sensitive, data->sensitive_count, &facts, &err));
    hr_findings *findings = NULL;
    bool *out = hr_alloc(cells.count, sizeof *out, NULL);
    if (!out) bench_die("out of memory");
    hr_search search = {.data = data,
                        .cells = &cells,
                        .out = out,
                        .asked = {.k = r->trial->k, .p = r->trial->p},
                        .algorithm = choice.algorithm,
                        .options = choice.options,
                        .seed = 1,
                        .threads = 1, /* work is compared, not cores */
                        .count_boundaries = !r->trial->enforce,
                        .findings = &findings};
    hr_models_out(&facts, &search.asked, out);
    hr_facts_free(&facts);
    measure(&search, r->trial, bench_peak(), result);
    hr_findings_free(findings);
    free(out);
    hr_groups_free(&cells);
    hr_arena_free(&arena);
}

bench_line bench_search(const bench_data *data, const bench_trial *trial) {
    answer found = {0};
    bench_apart(search_apart, &(request){data, trial}, &found, sizeof found);
    double rows = (double)data->data->rows, combinations = data->combinations;
    return (bench_line){.benchmark = data->benchmark,
                        .data = data->name,
                        .rows = data->data->rows,
                        .combinations = data->combinations,
                        .algorithm = trial->algorithm,
                        .k = trial->k,
                        .p = trial->p,
                        .boundaries = !data->bounded   ? "none"
                                      : trial->enforce ? "enforce"
                                                       : "count",
                        .seconds = found.seconds,
                        .reference_seconds = found.reference_seconds,
                        .identical = !trial->reference_runs ? NULL
                                     : found.identical      ? "yes"
                                                            : "no",
                        .peak_mb = found.peak / 1e6,
                        .clusters = found.clusters,
                        .bytes_per_row = found.added / rows,
                        .bytes_per_combination = found.added / combinations,
                        .lattice_nodes = found.lattice_nodes,
                        .checked = found.checked,
                        .scans = found.scans,
                        .minimal = found.minimal};
}
