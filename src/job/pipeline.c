/* pipeline.c - the road from a job to a verified release: read, bind, prepare, bound, search, mask,
 * verify, measure, write. Files are written beside their places first and appear in one go at the
 * end, the release last; what does not verify is never written. A trial goes the same road with a
 * table that it shares with others, and ends before anything is written. */
#include "job/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct {
    const hr_job *job;
    const hr_common *common; /* of a trial: bound, cells and cell_facts are lent by it; or NULL */
    const hr_watch *outer;   /* the caller's */
    hr_watch watch;          /* passes on, and remembers notices as warnings */
    char **warnings;
    size_t warning_count, warning_capacity;
    bool warning_lost; /* out of memory */
    hr_arena arena;
    hr_choice choice;
    hr_requirements asked;
    hr_bound bound;
    hr_groups cells;
    hr_facts cell_facts;
    bool *out;
    hr_lattice lattice;
    hr_lower lower;
    double search_started; /* with its bound */
    hr_partition partition;
    hr_verdict verdict;
    hr_outcome outcome;
    uint32_t *cluster_size;
    hr_report report;
    hr_release *release;
    hr_error *err;
} run;

/* ---- watching ---- */

static void on_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    const hr_watch *outer = ((run *)payload)->outer;
    if (outer && outer->progress) outer->progress(stage, done, total, outer->payload);
}

static void on_loss(const char *measure, double loss, double least, void *payload) {
    const hr_watch *outer = ((run *)payload)->outer;
    if (outer && outer->loss) outer->loss(measure, loss, least, outer->payload);
}

static bool on_cancelled(void *payload) {
    const hr_watch *outer = ((run *)payload)->outer;
    return outer && outer->cancelled && outer->cancelled(outer->payload);
}

static void on_notice(const char *message, void *payload) {
    run *r = payload;
    char *copy = hr_copy_text(message, strlen(message), NULL);
    if (copy && hr_grow(&r->warnings, &r->warning_capacity, r->warning_count + 1,
                        sizeof *r->warnings, NULL) == HR_OK)
        r->warnings[r->warning_count++] = copy;
    else {
        free(copy);
        r->warning_lost = true;
    }
    if (r->outer && r->outer->notice) r->outer->notice(message, r->outer->payload);
}

static hr_status check_cancelled(run *r) {
    return on_cancelled(r) ? hr_fail(r->err, HR_ECANCEL, "cancelled") : HR_OK;
}

/* ---- prepare: MAM cells and OUT ---- */

/* The digits of published means, where the job says how many. */
static void set_decimals(run *r) {
    const hr_micro_options *options = r->choice.options;
    if (!r->choice.algorithm->publishes_means || options->decimals < 0) return;
    for (size_t j = 0; j < r->bound.data.quasi_count; j++)
        r->bound.data.quasi[j].mean_decimals = (int)options->decimals;
}

static hr_status read_input(run *r) {
    if (r->job->order == HR_ORDER_INPUT)
        hr_notice(&r->watch, "order input keeps the order of the input's rows, which may tell more "
                             "than the values do");
    HR_TRY(hr_job_bind(r->job, &r->watch, &r->bound, r->err));
    r->report.seconds.read = r->bound.read_seconds;
    return check_cancelled(r);
}

/* What is shared is not changed: the quasi-identifiers, which a run may adjust, are its own. */
static hr_status borrow(run *r) {
    const hr_common *common = r->common;
    size_t count = common->bound.data.quasi_count;
    r->bound = common->bound;
    r->bound.data.quasi = hr_arena_alloc(&r->arena, count, sizeof(hr_quasi), r->err);
    if (!r->bound.data.quasi) return HR_ENOMEM;
    memcpy(r->bound.data.quasi, common->bound.data.quasi, count * sizeof(hr_quasi));
    r->cells = common->cells[r->choice.count_boundaries];
    r->cell_facts = common->facts[r->choice.count_boundaries];
    return HR_OK;
}

static hr_status start(run *r) {
    HR_TRY(hr_job_complete(r->job, r->err));
    HR_TRY(hr_job_choose(r->job, &r->arena, &r->choice, r->err));
    if (r->job->certificate && r->choice.algorithm->publishes_means)
        return hr_fail(r->err, HR_EINVAL,
                       "a certificate proves a bound on ntil, and %s publishes means: leave it out",
                       r->choice.name);
    r->asked = hr_job_asked(r->job);
    r->report.threads = r->job->threads ? r->job->threads : hr_cores();
    if (r->asked.k > r->job->asked.k)
        hr_notice(&r->watch, "p = %lld needs classes of as many rows: k is taken as %lld, not %lld",
                  (long long)r->asked.p, (long long)r->asked.k, (long long)r->job->asked.k);
    HR_TRY(r->common ? borrow(r) : read_input(r));
    set_decimals(r);
    return HR_OK;
}

/* What could be asked for instead. */
static const char *advice(const run *r) {
    bool bounded = false;
    for (size_t j = 0; j < r->bound.data.quasi_count; j++)
        bounded |= r->bound.data.quasi[j].bounded;
    if (!bounded || r->choice.count_boundaries) return r->asked.p > 1 ? "lower k or p" : "lower k";
    return r->asked.p > 1 ? "lower k or p, or widen a boundary (`hedgerow boundaries` shows which)"
                          : "lower k, or widen a boundary (`hedgerow boundaries` shows which)";
}

/* Why nothing can be released, or too little. */
static hr_status no_release(run *r, uint64_t suppressed) {
    const hr_facts *cells = &r->cell_facts;
    uint64_t small = 0, poor = 0;
    for (uint32_t c = 0; c < cells->count; c++) {
        if (cells->size[c] < r->asked.k)
            small++;
        else
            poor += r->out[c];
    }
    if (r->report.dropped == r->bound.data.rows)
        return hr_fail(r->err, HR_ENOSOL,
                       "nothing can be released: every row lacks a number of a quasi-identifier "
                       "with `on_missing: drop`; mend the values, or leave that attribute out");
    char limit[96] = "nothing can be released";
    if (suppressed < r->bound.data.rows)
        snprintf(limit, sizeof limit,
                 "%.3g %% of the rows would go, more than max-suppressed allows",
                 100 * (double)suppressed / (double)r->bound.data.rows);
    return hr_fail(
        r->err, HR_ENOSOL,
        "%s: %llu of %zu rows cannot be in any release with k = %lld and p = %lld (of %u "
        "MAM cell%s, %llu ha%s fewer than k rows and %llu fewer than p values); %s",
        limit, (unsigned long long)suppressed, r->bound.data.rows, (long long)r->asked.k,
        (long long)r->asked.p, cells->count, cells->count == 1 ? "" : "s",
        (unsigned long long)small, small == 1 ? "s" : "ve", (unsigned long long)poor, advice(r));
}

static void count_cells(run *r, uint64_t *suppressed) {
    const hr_facts *cells = &r->cell_facts;
    uint64_t in_cells = 0;
    for (uint32_t c = 0; c < cells->count; c++) {
        in_cells += cells->size[c];
        r->report.cells_out += r->out[c];
        r->report.cells_poor += r->out[c] && cells->size[c] >= r->asked.k;
    }
    r->report.cells = cells->count;
    r->report.dropped = r->bound.data.rows - in_cells;
    *suppressed += r->report.dropped;
}

static hr_status prepare(run *r) {
    const hr_microdata *data = &r->bound.data;
    if (!r->common)
        HR_TRY(
            hr_bound_cut(&r->bound, r->choice.count_boundaries, &r->cells, &r->cell_facts, r->err));
    r->out = hr_alloc(r->cells.count, sizeof *r->out, r->err);
    if (!r->out) return HR_ENOMEM;
    uint64_t suppressed = hr_models_out(&r->cell_facts, &r->asked, r->out);
    count_cells(r, &suppressed);
    r->report.suppressed_out = suppressed;
    /* The quotient of 29 and 100 is the number that 0.29 is read as; a product would be another. */
    if (suppressed == data->rows ||
        (double)suppressed / (double)data->rows > r->job->max_suppressed)
        return no_release(r, suppressed);
    if (r->report.cells_poor)
        hr_notice(&r->watch,
                  "%u MAM cell%s of k or more rows lack%s sensitive values and %s suppressed: who "
                  "knows that such a group is in the data learns so much from its absence",
                  r->report.cells_poor, r->report.cells_poor == 1 ? "" : "s",
                  r->report.cells_poor == 1 ? "s" : "", r->report.cells_poor == 1 ? "is" : "are");
    return HR_OK;
}

/* ---- bound, search, mask, verify, measure ---- */

enum {
    BOUND_STEPS = 300, /* of a climb that was asked for */
    BOUND_SHARE = 4    /* of a time limit a bound gets one in so many */
};

/* Before the search, whose progress is measured by it. */
static hr_status find_bound(run *r) {
    const hr_algorithm *algorithm = r->choice.algorithm;
    hr_lower_request request = {.data = &r->bound.data,
                                .cells = &r->cells,
                                .out = r->out,
                                .asked = r->asked,
                                .threads = r->report.threads,
                                .watch = &r->watch};
    r->search_started = hr_seconds();
    if (r->job->bound == HR_BOUND_NONE || algorithm->publishes_means) return HR_OK;
    if (algorithm->aim) {
        hr_aim aim = algorithm->aim(r->choice.options);
        request.steps = aim.bound_steps;
        if (aim.time_limit > 0) request.deadline = r->search_started + aim.time_limit / BOUND_SHARE;
    }
    if (r->job->bound == HR_BOUND_SIMPLE) request.steps = 0;
    if (r->job->bound == HR_BOUND_LAGRANGIAN && request.steps == 0) request.steps = BOUND_STEPS;
    HR_TRY(hr_lower_bound(&request, &r->lower, r->err));
    r->report.seconds.bound = hr_seconds() - r->search_started;
    r->report.lower = &r->lower;
    r->report.bound_steps = request.steps;
    return check_cancelled(r);
}

/* An algorithm may suppress more than must go, if its options say so. */
static hr_status check_suppressed(run *r) {
    uint64_t suppressed = 0;
    for (size_t row = 0; row < r->partition.rows; row++)
        suppressed += r->partition.cluster[row] == HR_NONE;
    double share = (double)suppressed / (double)r->partition.rows;
    if (share <= r->job->max_suppressed) return HR_OK;
    return hr_fail(
        r->err, HR_ENOSOL,
        "%.3g %% of the rows would go, more than max-suppressed allows: %llu of %zu, not "
        "all of which must; let %s suppress less, or raise max-suppressed",
        100 * share, (unsigned long long)suppressed, r->partition.rows, r->choice.name);
}

static hr_status search(run *r) {
    hr_search request = {.data = &r->bound.data,
                         .cells = &r->cells,
                         .out = r->out,
                         .asked = r->asked,
                         .algorithm = r->choice.algorithm,
                         .options = r->choice.options,
                         .reference = r->job->reference,
                         .seed = r->job->seed,
                         .threads = r->report.threads,
                         .least =
                             r->report.lower ? hr_lower_ntil(r->lower.loss, &r->bound.data) : NAN,
                         .started = r->search_started,
                         .watch = &r->watch,
                         .count_boundaries = r->choice.count_boundaries,
                         .lattice = &r->lattice};
    double begin = hr_seconds();
    HR_TRY(hr_search_run(&request, &r->partition, r->err));
    r->report.seconds.search = hr_seconds() - begin;
    HR_TRY(check_suppressed(r));
    if (r->lattice.poor_groups)
        hr_notice(&r->watch,
                  "%llu group%s of k or more rows lack%s sensitive values and %s suppressed beyond "
                  "what must be: who knows that such a group is in the data learns so much from "
                  "its absence",
                  (unsigned long long)r->lattice.poor_groups,
                  r->lattice.poor_groups == 1 ? "" : "s", r->lattice.poor_groups == 1 ? "s" : "",
                  r->lattice.poor_groups == 1 ? "is" : "are");
    return check_cancelled(r);
}

static hr_status mask(run *r) {
    double begin = hr_seconds();
    HR_TRY(hr_mask(r->job, &r->bound, &r->partition, &r->release->masked, r->err));
    r->report.seconds.mask = hr_seconds() - begin;
    return check_cancelled(r);
}

static hr_status verify(run *r) {
    double begin = hr_seconds();
    hr_verify_request request = {.job = r->job,
                                 .masked = r->release->masked.table,
                                 .original = &r->bound,
                                 .row = r->release->masked.row,
                                 .enforce_boundaries = !r->choice.count_boundaries,
                                 .means = r->choice.algorithm->publishes_means};
    HR_TRY(hr_verify(&request, &r->verdict, r->err));
    r->report.seconds.verify = hr_seconds() - begin;
    if (r->verdict.holds) return check_cancelled(r);
    uint64_t poor = 0;
    for (size_t l = 0; l < r->bound.data.sensitive_count; l++)
        poor += r->verdict.poor_classes[l];
    return hr_fail(
        r->err, HR_ENOSOL,
        "the release did not verify and was not written (%llu small classes, %llu that "
        "lack sensitive values, %llu values past a boundary, %llu that do not cover their "
        "original, %llu sensitive or kept ones changed): this is a fault in "
        "%s; please report it",
        (unsigned long long)r->verdict.small_classes, (unsigned long long)poor,
        (unsigned long long)r->verdict.violations, (unsigned long long)r->verdict.uncovered,
        (unsigned long long)r->verdict.changed, r->choice.name);
}

static hr_status measure(run *r) {
    r->cluster_size = hr_alloc(r->partition.cluster_count, sizeof *r->cluster_size, r->err);
    if (!r->cluster_size) return HR_ENOMEM;
    for (size_t row = 0; row < r->partition.rows; row++)
        if (r->partition.cluster[row] != HR_NONE) r->cluster_size[r->partition.cluster[row]]++;
    r->outcome = (hr_outcome){.data = &r->bound.data,
                              .partition = &r->partition,
                              .asked = &r->asked,
                              .classes = &r->verdict.facts,
                              .cluster_size = r->cluster_size,
                              .released = r->verdict.rows,
                              .suppressed = r->bound.data.rows - r->verdict.rows};
    return HR_OK;
}

/* ---- write ---- */

typedef struct {
    hr_output *release, *trace, *minimal, *certificate, **reports;
} outputs;

static void fill_report(run *r, double started) {
    r->report.job = r->job;
    r->report.choice = &r->choice;
    r->report.asked = r->asked;
    r->report.outcome = &r->outcome;
    r->report.verdict = &r->verdict;
    r->report.lattice = &r->lattice;
    r->report.seconds.total = hr_seconds() - started;
    r->release->figures = hr_report_figures(&r->report);
}

static hr_status finish_report(run *r, double started) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fill_report(r, started);
    r->report.peak_memory = (uint64_t)usage.ru_maxrss * 1024;
    r->report.warnings = r->warnings;
    r->report.warning_count = r->warning_count;
    HR_TRY(hr_report_json(&r->report, &r->release->report, r->err));
    return hr_report_summary(&r->report, &r->release->summary, r->err);
}

static hr_status write_release(run *r, outputs *o) {
    double begin = hr_seconds();
    if (r->job->output) {
        HR_TRY(hr_output_open(r->job->output, &o->release, r->err));
        hr_format_for(r->job->output)->write(o->release, r->release->masked.table);
        HR_TRY(hr_output_finish(o->release, r->err));
    }
    if (r->job->trace) {
        HR_TRY(hr_output_open_private(r->job->trace, &o->trace, r->err));
        hr_trace_write(o->trace, &r->partition, &r->release->masked, &r->verdict.classes);
        HR_TRY(hr_output_finish(o->trace, r->err));
    }
    if (r->job->minimal) {
        HR_TRY(hr_output_open_private(r->job->minimal, &o->minimal, r->err));
        HR_TRY(hr_minimal_write(o->minimal, &r->lattice, &r->bound.data, &r->asked, r->err));
        HR_TRY(hr_output_finish(o->minimal, r->err));
    }
    if (r->job->certificate) {
        HR_TRY(hr_output_open_private(r->job->certificate, &o->certificate, r->err));
        hr_certificate_write(o->certificate, &r->lower, &r->bound.data, &r->asked,
                             r->choice.count_boundaries);
        HR_TRY(hr_output_finish(o->certificate, r->err));
    }
    r->report.seconds.write = hr_seconds() - begin;
    return check_cancelled(r);
}

static hr_status write_reports(run *r, outputs *o) {
    o->reports = hr_alloc(r->job->report_count, sizeof *o->reports, r->err);
    if (!o->reports) return HR_ENOMEM;
    for (size_t i = 0; i < r->job->report_count; i++) {
        HR_TRY(hr_output_open_private(r->job->reports[i], &o->reports[i], r->err));
        hr_output_puts(o->reports[i], r->release->report);
        hr_output_puts(o->reports[i], "\n");
        HR_TRY(hr_output_finish(o->reports[i], r->err));
    }
    return HR_OK;
}

static hr_status commit(hr_output **output, hr_error *err) {
    hr_output *taken = *output;
    *output = NULL;
    return taken ? hr_output_commit(taken, err) : HR_OK;
}

static hr_status write_all(run *r, outputs *o, double started) {
    HR_TRY(write_release(r, o));
    HR_TRY(finish_report(r, started));
    HR_TRY(write_reports(r, o));
    HR_TRY(check_cancelled(r));
    HR_TRY(commit(&o->trace, r->err));
    HR_TRY(commit(&o->minimal, r->err));
    HR_TRY(commit(&o->certificate, r->err));
    for (size_t i = 0; i < r->job->report_count; i++)
        HR_TRY(commit(&o->reports[i], r->err));
    return commit(&o->release, r->err);
}

static hr_status write_outputs(run *r, double started) {
    outputs o = {0};
    hr_status status = write_all(r, &o, started);
    for (size_t i = 0; o.reports && i < r->job->report_count; i++)
        hr_output_discard(o.reports[i]);
    free(o.reports);
    hr_output_discard(o.trace);
    hr_output_discard(o.minimal);
    hr_output_discard(o.certificate);
    hr_output_discard(o.release);
    return status;
}

/* ---- the whole ---- */

static hr_status run_stages(run *r) {
    double started = hr_seconds();
    r->release = hr_alloc(1, sizeof *r->release, r->err);
    if (!r->release) return HR_ENOMEM;
    hr_status (*const stages[])(run *) = {start, prepare, find_bound, search,
                                          mask,  verify,  measure};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        HR_TRY(stages[i](r));
        if (r->warning_lost)
            return hr_fail(r->err, HR_ENOMEM, "out of memory: a notice could not be kept");
    }
    if (!r->common) return write_outputs(r, started);
    fill_report(r, started);
    return HR_OK;
}

static hr_status run_job(const hr_job *job, const hr_common *common, const hr_watch *watch,
                         hr_release **out, hr_error *err) {
    run r = {.job = job, .common = common, .outer = watch, .err = err};
    r.watch = (hr_watch){on_progress, on_loss, on_notice, on_cancelled, &r};
    *out = NULL;
    hr_status status = run_stages(&r);
    if (status == HR_OK)
        *out = r.release;
    else
        hr_release_free(r.release);
    free(r.cluster_size);
    hr_verdict_free(&r.verdict);
    hr_partition_free(&r.partition);
    hr_lattice_free(&r.lattice);
    hr_lower_free(&r.lower);
    free(r.out);
    if (!common) {
        hr_facts_free(&r.cell_facts);
        hr_groups_free(&r.cells);
        hr_bound_free(&r.bound);
    }
    hr_arena_free(&r.arena);
    for (size_t i = 0; i < r.warning_count; i++)
        free(r.warnings[i]);
    free(r.warnings);
    return status;
}

hr_status hr_job_run(const hr_job *job, const hr_watch *watch, hr_release **out, hr_error *err) {
    return run_job(job, NULL, watch, out, err);
}

hr_status hr_job_try(const hr_job *job, const hr_common *common, const hr_watch *watch,
                     hr_figures *out, hr_error *err) {
    hr_release *release;
    HR_TRY(run_job(job, common, watch, &release, err));
    *out = release->figures;
    hr_release_free(release);
    return HR_OK;
}

const hr_table *hr_release_table(const hr_release *release) {
    return release->masked.table;
}

const char *hr_release_report(const hr_release *release) {
    return release->report;
}

void hr_release_free(hr_release *release) {
    if (!release) return;
    hr_masked_free(&release->masked);
    free(release->report);
    free(release->summary);
    free(release);
}
