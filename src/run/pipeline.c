/* pipeline.c - from a job to a verified release, stage by stage: read, bind, cut into MAM cells,
 * bound, search, mask, verify, measure, write. A release that does not verify is never written. A
 * trial (hr_job_try) runs the same stages on shared data and stops before writing. */
#include "run/pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- watching ---- */

static void on_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    const hr_watch *outer = ((hr_run *)payload)->outer;
    if (outer && outer->progress) outer->progress(stage, done, total, outer->payload);
}

static void on_loss(const char *measure, double loss, double least, void *payload) {
    const hr_watch *outer = ((hr_run *)payload)->outer;
    if (outer && outer->loss) outer->loss(measure, loss, least, outer->payload);
}

static bool on_cancelled(void *payload) {
    const hr_watch *outer = ((hr_run *)payload)->outer;
    return outer && outer->cancelled && outer->cancelled(outer->payload);
}

static void on_notice(const char *message, void *payload) {
    hr_run *r = payload;
    char *copy = hr_copy_text(message, strlen(message), NULL);
    if (copy && hr_grow(&r->warnings.texts, &r->warnings.capacity, r->warnings.count + 1,
                        sizeof *r->warnings.texts, NULL) == HR_OK)
        r->warnings.texts[r->warnings.count++] = copy;
    else {
        free(copy);
        r->warnings.lost = true;
    }
    if (r->outer && r->outer->notice) r->outer->notice(message, r->outer->payload);
}

hr_status hr_run_check(hr_run *r) {
    return on_cancelled(r) ? hr_fail(r->err, HR_ECANCEL, "cancelled") : HR_OK;
}

/* ---- bound, search, mask, verify, measure ---- */

enum {
    BOUND_STEPS = 300, /* steps of a Lagrangian bound that the job asks for */
    BOUND_SHARE = 4    /* the bound gets 1 / BOUND_SHARE of a time limit */
};

/* Runs before the search, whose progress is shown relative to the bound. */
static hr_status find_bound(hr_run *r) {
    const hr_algorithm *algorithm = r->choice.algorithm;
    hr_bound_request request = {.data = &r->input.dataset.data,
                                .cells = &r->input.cells,
                                .out = r->input.out,
                                .asked = r->asked,
                                .threads = r->report.threads,
                                .watch = &r->watch};
    r->search_started = hr_seconds();
    if (r->job->search.bound == HR_BOUND_NONE || hr_publishes_means(algorithm)) return HR_OK;
    hr_aim aim = hr_algorithm_aim(algorithm, r->choice.options);
    request.steps = aim.bound_steps;
    if (aim.time_limit > 0) request.deadline = r->search_started + aim.time_limit / BOUND_SHARE;
    if (r->job->search.bound == HR_BOUND_SIMPLE) request.steps = 0;
    if (r->job->search.bound == HR_BOUND_LAGRANGIAN && request.steps == 0)
        request.steps = BOUND_STEPS;
    if (request.steps && hr_algorithm_may_suppress(algorithm, r->choice.options)) {
        request.steps = 0;
        hr_notice(
            &r->watch,
            "the Lagrangian bound is about releases that suppress only what they must, and %s "
            "may suppress more here: the simple bound is proved instead",
            r->choice.name);
    }
    HR_TRY(hr_bound_find(&request, &r->result.lower, r->err));
    r->report.seconds.bound = hr_seconds() - r->search_started;
    r->report.lower = &r->result.lower;
    r->report.bound_steps = request.steps;
    return hr_run_check(r);
}

/* Some algorithms may suppress more rows than OUT, so max_suppressed is checked again. */
static hr_status check_suppressed(hr_run *r) {
    uint64_t suppressed = 0;
    for (size_t row = 0; row < r->result.partition.rows; row++)
        suppressed += r->result.partition.cluster[row] == HR_NONE;
    double share = (double)suppressed / (double)r->result.partition.rows;
    if (share <= r->job->max_suppressed) return HR_OK;
    return hr_fail(
        r->err, HR_ENOSOL,
        "%.3g %% of the rows would go, more than max-suppressed allows: %llu of %zu, not "
        "all of which must; let %s suppress less, or raise max-suppressed",
        100 * share, (unsigned long long)suppressed, r->result.partition.rows, r->choice.name);
}

static hr_status search(hr_run *r) {
    hr_search request = {.data = &r->input.dataset.data,
                         .cells = &r->input.cells,
                         .out = r->input.out,
                         .asked = r->asked,
                         .algorithm = r->choice.algorithm,
                         .options = r->choice.options,
                         .reference = r->job->search.reference,
                         .seed = r->job->search.seed,
                         .streams = r->shared ? r->shared->streams : NULL,
                         .threads = r->report.threads,
                         .least = r->report.lower
                                      ? hr_bound_ntil(r->result.lower.loss, &r->input.dataset.data)
                                      : NAN,
                         .started = r->search_started,
                         .watch = &r->watch,
                         .count_boundaries = r->choice.count_boundaries,
                         .findings = &r->result.findings};
    double begin = hr_seconds();
    HR_TRY(hr_search_run(&request, &r->result.partition, r->err));
    r->report.seconds.search = hr_seconds() - begin;
    HR_TRY(check_suppressed(r));
    if (r->result.findings && r->result.findings->warning)
        hr_notice(&r->watch, "%s", r->result.findings->warning);
    return hr_run_check(r);
}

static hr_status mask(hr_run *r) {
    double begin = hr_seconds();
    HR_TRY(hr_mask(r->job, &r->input.dataset, &r->result.partition, &r->release->masked, r->err));
    r->report.seconds.mask = hr_seconds() - begin;
    return hr_run_check(r);
}

static hr_status verify(hr_run *r) {
    double begin = hr_seconds();
    hr_verify_request request = {.job = r->job,
                                 .masked = r->release->masked.table,
                                 .original = &r->input.dataset,
                                 .row = r->release->masked.row,
                                 .enforce_boundaries = !r->choice.count_boundaries,
                                 .means = hr_publishes_means(r->choice.algorithm)};
    HR_TRY(hr_verify(&request, &r->result.verdict, r->err));
    r->report.seconds.verify = hr_seconds() - begin;
    if (r->result.verdict.holds) return hr_run_check(r);
    uint64_t poor = 0;
    for (size_t l = 0; l < r->input.dataset.data.sensitive_count; l++)
        poor += r->result.verdict.poor_classes[l];
    return hr_fail(
        r->err, HR_ENOSOL,
        "the release did not verify and was not written (%llu small classes, %llu that "
        "lack sensitive values, %llu values past a boundary, %llu that do not cover their "
        "original, %llu sensitive or kept ones changed): this is a fault in "
        "%s; please report it",
        (unsigned long long)r->result.verdict.small_classes, (unsigned long long)poor,
        (unsigned long long)r->result.verdict.violations,
        (unsigned long long)r->result.verdict.uncovered,
        (unsigned long long)r->result.verdict.changed, r->choice.name);
}

static hr_status measure(hr_run *r) {
    r->result.cluster_size =
        hr_alloc(r->result.partition.cluster_count, sizeof *r->result.cluster_size, r->err);
    if (!r->result.cluster_size) return HR_ENOMEM;
    for (size_t row = 0; row < r->result.partition.rows; row++)
        if (r->result.partition.cluster[row] != HR_NONE)
            r->result.cluster_size[r->result.partition.cluster[row]]++;
    r->result.outcome =
        (hr_outcome){.data = &r->input.dataset.data,
                     .partition = &r->result.partition,
                     .asked = &r->asked,
                     .classes = &r->result.verdict.facts,
                     .cluster_size = r->result.cluster_size,
                     .released = r->result.verdict.rows,
                     .suppressed = r->input.dataset.data.rows - r->result.verdict.rows};
    size_t count = 0;
    while (hr_measures[count])
        count++;
    r->release->measures = hr_alloc(count, sizeof *r->release->measures, r->err);
    if (!r->release->measures) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++)
        r->release->measures[i] = hr_measures[i]->score(&r->result.outcome);
    r->report.measures = r->release->measures;
    return HR_OK;
}

/* The release keeps what its reader may ask for, and nothing else of the run. */
static void hand_over(hr_run *r) {
    hr_release *release = r->release;
    release->input_rows = r->result.partition.rows;
    release->class_of_row = r->result.verdict.classes.of_row;
    r->result.verdict.classes.of_row = NULL;
    release->warnings = r->warnings.texts;
    release->warning_count = r->warnings.count;
    r->warnings = (hr_warnings){0};
}

/* ---- all stages ---- */

static hr_status run_stages(hr_run *r) {
    double started = hr_seconds();
    r->release = hr_alloc(1, sizeof *r->release, r->err);
    if (!r->release) return HR_ENOMEM;
    hr_status (*const stages[])(hr_run *) = {hr_run_start, hr_run_prepare, find_bound, search,
                                             mask,         verify,         measure};
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        HR_TRY(stages[i](r));
        if (r->warnings.lost)
            return hr_fail(r->err, HR_ENOMEM, "out of memory: a notice could not be kept");
    }
    if (!r->trial) return hr_run_write(r, started);
    hr_run_fill_report(r, started);
    return HR_OK;
}

void hr_run_open(hr_run *r, const hr_job *job, const hr_shared_data *shared, const hr_watch *watch,
                 hr_error *err) {
    *r = (hr_run){.job = job, .shared = shared, .outer = watch, .err = err};
    r->watch = (hr_watch){.progress = on_progress,
                          .loss = on_loss,
                          .notice = on_notice,
                          .cancelled = on_cancelled,
                          .payload = r};
}

void hr_run_close(hr_run *r) {
    free(r->result.cluster_size);
    hr_verdict_free(&r->result.verdict);
    hr_partition_free(&r->result.partition);
    hr_findings_free(r->result.findings);
    hr_bound_free(&r->result.lower);
    free(r->input.out);
    if (!r->shared) {
        hr_facts_free(&r->input.cell_facts);
        hr_groups_free(&r->input.cells);
        hr_dataset_free(&r->input.dataset);
    }
    hr_arena_free(&r->arena);
    for (size_t i = 0; i < r->warnings.count; i++)
        free(r->warnings.texts[i]);
    free(r->warnings.texts);
}

static hr_status run_job(hr_run *r, hr_release **out) {
    *out = NULL;
    hr_status status = run_stages(r);
    if (status == HR_OK) {
        hand_over(r);
        *out = r->release;
    } else {
        hr_release_free(r->release);
    }
    hr_run_close(r);
    return status;
}

hr_status hr_job_run(const hr_job *job, const hr_watch *watch, hr_release **out, hr_error *err) {
    hr_watch own;
    hr_run r;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    hr_run_open(&r, job, NULL, &own, err);
    return run_job(&r, out);
}

hr_status hr_job_run_shared(const hr_job *job, const hr_shared_data *shared, const hr_watch *watch,
                            hr_release **out, hr_error *err) {
    hr_run r;
    hr_run_open(&r, job, shared, watch, err);
    return run_job(&r, out);
}

hr_status hr_job_try(const hr_job *job, const hr_shared_data *shared, const hr_watch *watch,
                     hr_figures *out, hr_error *err) {
    hr_release *release;
    hr_run r;
    hr_run_open(&r, job, shared, watch, err);
    r.trial = true;
    HR_TRY(run_job(&r, &release));
    *out = release->figures;
    hr_release_free(release);
    return HR_OK;
}
