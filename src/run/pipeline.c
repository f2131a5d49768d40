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

static bool finish_asked(const hr_run *r) {
    return r->outer && r->outer->finish && r->outer->finish(r->outer->payload);
}

/* Has the caller asked to finish while the search improves a release? It then ends early. */
static bool on_finish(void *payload) {
    hr_run *r = payload;
    if (r->stage == HR_RUN_IMPROVING && finish_asked(r)) r->report.interrupted = true;
    return r->report.interrupted;
}

/* Has the caller cancelled? A request to finish cancels, too, while there is no release. */
static bool on_cancelled(void *payload) {
    const hr_run *r = payload;
    const hr_watch *outer = r->outer;
    if (outer && outer->cancelled && outer->cancelled(outer->payload)) return true;
    return r->stage == HR_RUN_WITHOUT && finish_asked(r);
}

/* Keeps a notice for the report; `forward` also passes it to the caller's watch. */
static void warn(hr_run *r, const char *message, bool forward) {
    char *copy = hr_copy_text(message, strlen(message), NULL);
    if (copy && hr_grow(&r->warnings.texts, &r->warnings.capacity, r->warnings.count + 1,
                        sizeof *r->warnings.texts, NULL) == HR_OK)
        r->warnings.texts[r->warnings.count++] = copy;
    else {
        free(copy);
        r->warnings.lost = true;
    }
    if (forward && r->outer && r->outer->notice) r->outer->notice(message, r->outer->payload);
}

static void on_notice(const char *message, void *payload) {
    warn(payload, message, true);
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
    if (hr_algorithm_aim(algorithm, r->choice.options).loss) r->stage = HR_RUN_IMPROVING;
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
    const hr_microdata *data = &r->input.dataset.data;
    uint64_t suppressed = 0, rows = hr_microdata_rows(data);
    for (size_t row = 0; row < r->result.partition.rows; row++)
        if (r->result.partition.cluster[row] == HR_NONE)
            suppressed += hr_microdata_weight(data, row);
    double share = (double)suppressed / (double)rows;
    if (share <= r->job->max_suppressed) return HR_OK;
    return hr_fail(r->err, HR_ENOSOL,
                   "%.3g %% of the rows would be suppressed, more than max-suppressed allows: %llu "
                   "of %llu, not "
                   "all of which must; let %s suppress less, or raise max-suppressed",
                   100 * share, (unsigned long long)suppressed, (unsigned long long)rows,
                   r->choice.name);
}

/* If the order of the rows must not matter, sets *out to streams of random numbers that do not
 * depend on it: the keys of the cells. Otherwise sets it to NULL. */
static hr_status make_streams(hr_run *r, uint64_t **out) {
    const hr_microdata *data = &r->input.dataset.data;
    *out = NULL;
    if (!r->choice.algorithm->any_order) return HR_OK;
    *out = hr_alloc(r->input.cells.count, sizeof **out, r->err);
    if (!*out) return HR_ENOMEM;
    return hr_cell_keys(data->quasi, data->quasi_count, &r->input.cells,
                        !r->choice.count_boundaries, 0, *out, r->err);
}

hr_status hr_run_search(hr_run *r) {
    uint64_t *streams;
    hr_status status = make_streams(r, &streams);
    hr_search request = {.data = &r->input.dataset.data,
                         .cells = &r->input.cells,
                         .out = r->input.out,
                         .asked = r->asked,
                         .refers_to = r->input.cell_facts.reference,
                         .algorithm = r->choice.algorithm,
                         .options = r->choice.options,
                         .reference = r->job->search.reference,
                         .seed = r->job->search.seed,
                         .streams = streams     ? streams
                                    : r->shared ? r->shared->streams
                                                : NULL,
                         .threads = r->report.threads,
                         .least = r->report.lower
                                      ? hr_bound_ntil(r->result.lower.loss, &r->input.dataset.data)
                                      : NAN,
                         .started = r->search_started,
                         .watch = &r->watch,
                         .count_boundaries = r->choice.count_boundaries,
                         .findings = &r->result.findings};
    double begin = hr_seconds();
    if (status == HR_OK) status = hr_search_run(&request, &r->result.partition, r->err);
    free(streams);
    HR_TRY(status);
    r->stage = HR_RUN_FOUND;
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
        (unsigned long long)(r->result.verdict.changed + r->result.verdict.unrecoded),
        r->choice.name);
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

/* Copies what each sensitive attribute achieves, and the groups by the job's `keys`. */
static hr_status keep_promises(hr_run *r) {
    const hr_verdict *v = &r->result.verdict;
    const hr_achieved achieved = {r->job, v->achieved_in, v->worst_in, &v->facts, &v->classes};
    return hr_promises_make(&achieved, v->keys, v->key_count, &r->release->promises, r->err);
}

/* Warns of released columns that identify a person whatever k is. */
static hr_status caution_columns(hr_run *r) {
    for (size_t i = 0; i < r->job->attribute_count; i++) {
        const hr_attribute *a = &r->job->attributes[i];
        hr_text line = {0};
        if (a->role != HR_ROLE_SENSITIVE && a->role != HR_ROLE_KEEP) continue;
        const hr_column *column = hr_table_find(r->release->masked.table, a->name);
        HR_TRY(hr_caution_unique(a, column, NULL, &line, r->err));
        if (line.data) warn(r, line.data, false);
        if (line.data) hr_name_list_add(&r->unique, a->name, 0);
        r->warnings.lost |= line.failed;
        hr_text_free(&line);
    }
    hr_name_list_print(&r->unique, &r->unique_names);
    r->warnings.lost |= r->unique_names.failed;
    r->report.unique_names = r->unique_names.data;
    return HR_OK;
}

/* Warns of what the owner may have overlooked. The summary contains these lines, so they are not
 * passed to the watch. */
static hr_status caution(hr_run *r) {
    hr_text line = {0};
    r->report.first_caution = r->warnings.count;
    if (r->trial) return HR_OK;
    if (hr_caution_suppressed(r->result.outcome.suppressed, r->input.dataset.data.rows, &line)) {
        hr_text_puts(&line, ": ");
        hr_run_advise(r, r->result.outcome.suppressed, &line);
        if (!line.failed) warn(r, line.data, false);
    }
    r->warnings.lost |= line.failed;
    hr_text_free(&line);
    return caution_columns(r);
}

/* Sets release->cluster, which is indexed by input row; the rows of the partition may be sorted.
 * Clusters are numbered by their first input row. */
static hr_status list_clusters(hr_run *r) {
    const hr_partition *partition = &r->result.partition;
    const uint32_t *row = r->input.dataset.row;
    r->release->input_rows = partition->rows;
    if (r->trial) return HR_OK;
    hr_partition own = {.rows = partition->rows, .cluster_count = partition->cluster_count};
    own.cluster = hr_alloc_raw(partition->rows, sizeof *own.cluster, r->err);
    if (!own.cluster) return HR_ENOMEM;
    for (size_t i = 0; i < partition->rows; i++)
        own.cluster[row ? row[i] : i] = partition->cluster[i];
    hr_status status = hr_partition_canonize(&own, r->err);
    r->release->cluster = own.cluster;
    own.cluster = NULL;
    hr_partition_free(&own);
    return status;
}

/* Moves everything that the caller can ask for from the run to the release. */
static void hand_over(hr_run *r) {
    hr_release *release = r->release;
    const uint32_t *row = r->input.dataset.row;
    for (size_t i = 0; row && i < release->masked.table->rows; i++)
        release->masked.row[i] = row[release->masked.row[i]];
    release->class_of_row = r->result.verdict.classes.of_row;
    r->result.verdict.classes.of_row = NULL;
    release->warnings = r->warnings.texts;
    release->warning_count = r->warnings.count;
    release->first_caution = r->report.first_caution;
    r->warnings = (hr_warnings){0};
}

/* ---- all stages ---- */

static hr_status run_stages(hr_run *r) {
    double started = hr_seconds();
    r->release = hr_alloc(1, sizeof *r->release, r->err);
    if (!r->release) return HR_ENOMEM;
    hr_status (*const stages[])(hr_run *) = {
        hr_run_start, hr_run_prepare, find_bound,    hr_run_search, mask,
        verify,       measure,        keep_promises, caution,       list_clusters};
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
                          .payload = r,
                          .finish = on_finish};
}

void hr_run_close(hr_run *r) {
    free(r->result.cluster_size);
    hr_verdict_free(&r->result.verdict);
    hr_partition_free(&r->result.partition);
    hr_findings_free(r->result.findings);
    hr_bound_free(&r->result.lower);
    free(r->input.out);
    if (!r->input.own_cells) hr_reference_free(r->input.cell_facts.reference);
    if (r->input.own_cells) {
        hr_facts_free(&r->input.cell_facts);
        hr_groups_free(&r->input.cells);
    }
    if (r->input.own_cuts) hr_cuts_discard(&r->input.dataset.data);
    if (!r->shared) hr_dataset_free(&r->input.dataset);
    hr_arena_free(&r->arena);
    hr_name_list_free(&r->unique);
    hr_text_free(&r->unique_names);
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
    HR_TRY(hr_job_check_counts(job, err));
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
                     hr_figures *out, hr_promises *promises, hr_error *err) {
    hr_release *release;
    hr_run r;
    hr_run_open(&r, job, shared, watch, err);
    r.trial = true;
    HR_TRY(run_job(&r, &release));
    *out = release->figures;
    *promises = release->promises;
    release->promises = (hr_promises){0};
    hr_release_free(release);
    return HR_OK;
}
