/* pipeline_write.c - the last stage of a run: finishes the report and writes all outputs. Each is
 * first written where nobody sees it: a file under a temporary name, a table of a database in a
 * transaction. When all are complete they are committed, the release last. A release to a pipe
 * cannot be taken back, so it is written after all other outputs have appeared. */
#include "run/pipeline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct {
    hr_write_group group; /* tables of one database are written in one transaction */
    hr_writer *release, *trace, *certificate;
    hr_output *minimal, *resolved, *public_report, **reports;
    hr_table_notes release_notes, trace_notes, certificate_notes;
} outputs;

void hr_run_fill_report(hr_run *r, double started) {
    r->report.job = r->job;
    r->report.choice = &r->choice;
    r->report.asked = r->asked;
    r->report.outcome = &r->result.outcome;
    r->report.verdict = (hr_report_verdict){.violations = r->result.verdict.violations,
                                            .violations_by = r->result.verdict.violations_by,
                                            .holds = r->result.verdict.holds};
    r->report.people =
        hr_people_of(&r->input.dataset.data, &r->result.verdict.classes, r->release->masked.row);
    r->report.by_attribute =
        (hr_achieved){r->job, r->result.verdict.achieved_in, r->result.verdict.worst_in,
                      &r->result.verdict.facts, &r->result.verdict.classes};
    r->report.promises = &r->release->promises;
    memcpy(r->report.verdict.achieved, r->result.verdict.achieved,
           sizeof r->result.verdict.achieved);
    r->report.findings = r->result.findings;
    r->report.seconds.total = hr_seconds() - started;
    r->release->figures = hr_report_figures(&r->report);
    r->release->asked = r->asked;
    memcpy(r->release->achieved, r->result.verdict.achieved, sizeof r->release->achieved);
}

static hr_status find_lost(hr_run *r) {
    const hr_microdata *data = &r->input.dataset.data;
    hr_shown_values *shown;
    HR_TRY(hr_shown_values_all(data, &shown, r->err));
    hr_status status =
        hr_lost_of_rows(data, shown, r->result.partition.cluster, NULL, &r->release->lost, r->err);
    hr_shown_values_free_all(shown, data->quasi_count);
    HR_TRY(status);
    r->release->lost->figures = (hr_lost_figures){.k = r->asked.k,
                                                  .p = r->asked.p,
                                                  .rows = data->rows,
                                                  .suppressed = r->result.outcome.suppressed,
                                                  .dropped = r->report.dropped,
                                                  .trimmed = r->report.trimmed};
    r->report.lost = r->release->lost;
    return HR_OK;
}

/* ---- the account ---- */

/* Does the job ask for a page? */
static bool writes_pages(const hr_job *job) {
    bool pages = job->output.public_report;
    for (size_t i = 0; i < job->output.reports.count; i++)
        pages |= hr_report_is_page(job->output.reports.texts[i]);
    return pages;
}

/* Identifies the input: by the bytes of its file, otherwise by the columns that were read. */
static hr_status identify_input(hr_run *r, hr_account_method *method) {
    const hr_job *job = r->job;
    const char *path = job->input.table ? NULL : job->input.path;
    method->input_is_file = path && strcmp(path, "-") != 0 && !hr_format_for(path)->scheme;
    if (method->input_is_file && hr_is_plain_file(path))
        return hr_file_digest(path, method->input_digest, r->err);
    method->input_is_file = false;
    return hr_table_digest(r->input.dataset.table, &(hr_write_options){.delimiter = ','},
                           method->input_digest, r->err);
}

/* Collects what pages show. Hashing a large input file takes long and only pages show the hash, so
 * it is computed only if the job asks for a page, or if the input is a table in memory, which a
 * program that asks for a page later could not read again. */
static hr_status make_account(hr_run *r) {
    hr_account *account = &r->release->account;
    hr_text job = {0};
    HR_TRY(hr_account_make(&r->report, r->input.dataset.table, account, r->err));
    hr_status status = hr_resolved_shown(r->job, &r->input.dataset, &job, r->err);
    if (status == HR_OK) {
        account->method.job = hr_arena_text(&account->arena, job.data, job.length, r->err);
        if (!account->method.job) status = HR_ENOMEM;
    }
    hr_text_free(&job);
    if (status == HR_OK && (writes_pages(r->job) || r->job->input.table))
        status = identify_input(r, &account->method);
    r->report.account = account;
    return status;
}

static hr_status finish_report(hr_run *r, double started) {
    struct rusage usage;
    HR_TRY(find_lost(r));
    getrusage(RUSAGE_SELF, &usage);
    hr_run_fill_report(r, started);
    r->report.peak_memory = (uint64_t)usage.ru_maxrss * 1024;
    r->report.warnings = r->warnings.texts;
    r->report.warning_count = r->warnings.count;
    HR_TRY(make_account(r));
    r->report.seconds.total = hr_seconds() - started;
    r->release->figures.seconds = r->report.seconds.total;
    HR_TRY(hr_report_json(&r->report, &r->release->report, r->err));
    return hr_report_summary(&r->report, &r->release->summary, r->err);
}

/* ---- before the search ---- */

/* Lists the names of the released columns in the order of the input's header. */
static hr_status list_released(const hr_job *job, const hr_dataset *dataset,
                               hr_write_options *options, hr_error *err) {
    const char **names = hr_alloc(dataset->header_count, sizeof *names, err);
    if (!names) return HR_ENOMEM;
    for (size_t i = 0; i < dataset->header_count; i++) {
        const hr_attribute *a = hr_attribute_find(job, dataset->header[i]);
        if (a && hr_role_released(a->role)) names[options->name_count++] = dataset->header[i];
    }
    options->names = (const char *const *)names;
    return HR_OK;
}

hr_status hr_run_check_columns(const hr_job *job, const hr_dataset *dataset, const hr_watch *watch,
                               hr_error *err) {
    hr_write_options options = {.replace = job->format.replace, .watch = watch};
    if (!job->output.release) return HR_OK;
    HR_TRY(list_released(job, dataset, &options, err));
    hr_status status = hr_output_check(job->output.release, &options, err);
    free((void *)options.names);
    return status;
}

hr_status hr_run_check_outputs(const hr_job *job, const hr_watch *watch, hr_error *err) {
    const char *const paths[] = {job->output.release, job->output.trace, job->output.certificate};
    hr_write_options options = {.replace = job->format.replace, .watch = watch};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (paths[i]) HR_TRY(hr_output_check(paths[i], &options, err));
    return HR_OK;
}

/* ---- tables and files ---- */

/* Opens an output table. Tables for the owner alone are private and always in the same notation. */
static hr_status open_table(hr_run *r, outputs *o, const char *path, bool private,
                            const hr_table_notes *notes, hr_writer **out) {
    const hr_format_options *format = &r->job->format;
    hr_write_options options = {.private = private,
                                .replace = format->replace,
                                .delimiter = private ? '\0' : format->output_delimiter,
                                .bom = !private && format->bom,
                                .crlf = !private && format->crlf,
                                .group = &o->group,
                                .notes = notes,
                                .watch = &r->watch};
    return hr_writer_open(path, &options, out, r->err);
}

static hr_status write_release(hr_run *r, outputs *o) {
    HR_TRY(o->release->append(o->release, r->release->masked.table, r->err));
    return o->release->finish(o->release, r->err);
}

static hr_status write_trace(hr_run *r, outputs *o) {
    o->trace_notes.table = "Which input row became which row of the release. For its owner alone: "
                           "never release it";
    HR_TRY(open_table(r, o, r->job->output.trace, true, &o->trace_notes, &o->trace));
    HR_TRY(hr_trace_write(o->trace, r->release->cluster, r->result.partition.rows,
                          &r->release->masked, &r->result.verdict.classes, r->err));
    return o->trace->finish(o->trace, r->err);
}

static hr_status write_minimal(hr_run *r, outputs *o) {
    HR_TRY(hr_output_open_private(r->job->output.minimal, &r->watch, &o->minimal, r->err));
    HR_TRY(hr_minimal_write(o->minimal, r->result.findings, r->err));
    return hr_output_finish(o->minimal, r->err);
}

/* The folder of the file is the part before the last slash, "" the root. */
static hr_status write_resolved(hr_run *r, outputs *o) {
    const char *path = r->job->output.resolved, *slash = strrchr(path, '/');
    char *folder =
        slash ? hr_copy_text(path, (size_t)(slash - path), r->err) : hr_copy_text(".", 1, r->err);
    if (!folder) return HR_ENOMEM;
    hr_text text = {0};
    hr_status status = hr_resolved_text(r->job, &r->input.dataset, folder, &text, r->err);
    free(folder);
    if (status == HR_OK) status = hr_output_open_private(path, &r->watch, &o->resolved, r->err);
    if (status == HR_OK) {
        hr_output_add(o->resolved, text.data, text.length);
        status = hr_output_finish(o->resolved, r->err);
    }
    hr_text_free(&text);
    return status;
}

static hr_status write_certificate(hr_run *r, outputs *o) {
    o->certificate_notes.table = "Proof of the least possible loss. For its owner alone: never "
                                 "release it";
    HR_TRY(
        open_table(r, o, r->job->output.certificate, true, &o->certificate_notes, &o->certificate));
    HR_TRY(hr_certificate_write(o->certificate, &r->result.lower, &r->input.dataset.data, &r->asked,
                                r->choice.count_boundaries, r->err));
    return o->certificate->finish(o->certificate, r->err);
}

static hr_status write_files(hr_run *r, outputs *o) {
    double begin = hr_seconds();
    if (r->job->output.release) {
        HR_TRY(hr_run_notes(r, r->release->masked.table, &o->release_notes));
        HR_TRY(open_table(r, o, r->job->output.release, false, &o->release_notes, &o->release));
        if (!o->release->direct) HR_TRY(write_release(r, o));
    }
    if (r->job->output.trace) HR_TRY(write_trace(r, o));
    if (r->job->output.minimal) HR_TRY(write_minimal(r, o));
    if (r->job->output.certificate) HR_TRY(write_certificate(r, o));
    if (r->job->output.resolved) HR_TRY(write_resolved(r, o));
    r->report.seconds.write = hr_seconds() - begin;
    return hr_run_check(r);
}

static hr_status put_report(hr_run *r, bool as_page, hr_output *out) {
    char *page = NULL;
    if (as_page) HR_TRY(hr_release_report_html(r->release, &page, r->err));
    hr_output_puts(out, as_page ? page : r->release->report);
    if (!as_page) hr_output_puts(out, "\n");
    free(page);
    return hr_output_finish(out, r->err);
}

static hr_status write_reports(hr_run *r, outputs *o) {
    o->reports = hr_alloc(r->job->output.reports.count, sizeof *o->reports, r->err);
    if (!o->reports) return HR_ENOMEM;
    for (size_t i = 0; i < r->job->output.reports.count; i++) {
        HR_TRY(hr_output_open_private(r->job->output.reports.texts[i], &r->watch, &o->reports[i],
                                      r->err));
        HR_TRY(put_report(r, hr_report_is_page(r->job->output.reports.texts[i]), o->reports[i]));
    }
    return HR_OK;
}

/* Writes the public report, which everybody may read. */
static hr_status write_public_report(hr_run *r, outputs *o) {
    char *page;
    HR_TRY(hr_output_open(r->job->output.public_report, &r->watch, &o->public_report, r->err));
    HR_TRY(hr_release_public_report_html(r->release, &page, r->err));
    hr_output_puts(o->public_report, page);
    free(page);
    return hr_output_finish(o->public_report, r->err);
}

/* ---- committing ---- */

static hr_status prepare_tables(const outputs *o, hr_error *err) {
    hr_writer *const writers[] = {o->trace, o->certificate, o->release};
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++)
        if (writers[i] && writers[i]->prepare) HR_TRY(writers[i]->prepare(writers[i], err));
    return HR_OK;
}

static hr_status commit_file(hr_output **output, hr_error *err) {
    hr_output *taken = *output;
    *output = NULL;
    return taken ? hr_output_commit(taken, err) : HR_OK;
}

static hr_status commit_table(hr_writer **writer, hr_error *err) {
    hr_writer *taken = *writer;
    *writer = NULL;
    return taken ? taken->commit(taken, err) : HR_OK;
}

static hr_status write_all(hr_run *r, outputs *o, double started) {
    HR_TRY(write_files(r, o));
    HR_TRY(finish_report(r, started));
    HR_TRY(write_reports(r, o));
    if (r->job->output.public_report) HR_TRY(write_public_report(r, o));
    HR_TRY(prepare_tables(o, r->err));
    HR_TRY(hr_run_check(r));
    HR_TRY(commit_table(&o->trace, r->err));
    HR_TRY(commit_file(&o->minimal, r->err));
    HR_TRY(commit_table(&o->certificate, r->err));
    HR_TRY(commit_file(&o->resolved, r->err));
    for (size_t i = 0; i < r->job->output.reports.count; i++)
        HR_TRY(commit_file(&o->reports[i], r->err));
    HR_TRY(commit_file(&o->public_report, r->err));
    if (o->release && o->release->direct) HR_TRY(write_release(r, o));
    return commit_table(&o->release, r->err);
}

static void discard_table(hr_writer *writer) {
    if (writer) writer->discard(writer);
}

hr_status hr_run_write(hr_run *r, double started) {
    outputs o = {0};
    hr_status status = write_all(r, &o, started);
    for (size_t i = 0; o.reports && i < r->job->output.reports.count; i++)
        hr_output_discard(o.reports[i]);
    free(o.reports);
    hr_output_discard(o.minimal);
    hr_output_discard(o.resolved);
    hr_output_discard(o.public_report);
    discard_table(o.trace);
    discard_table(o.certificate);
    discard_table(o.release);
    return status;
}
