/* pipeline_write.c - the last stage of a run: finishes the report and writes all outputs. Each is
 * first written where nobody sees it: a file under a temporary name, a table of a database in a
 * transaction. When all are complete they are committed, the release last. A release to a pipe
 * cannot be taken back: it is written when all other outputs have appeared. */
#include "run/pipeline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct {
    hr_write_group group; /* tables of one database are written in one transaction */
    hr_writer *release, *trace, *certificate;
    hr_output *minimal, **reports;
} outputs;

void hr_run_fill_report(hr_run *r, double started) {
    r->report.job = r->job;
    r->report.choice = &r->choice;
    r->report.asked = r->asked;
    r->report.outcome = &r->result.outcome;
    r->report.verdict = (hr_report_verdict){.violations = r->result.verdict.violations,
                                            .violations_by = r->result.verdict.violations_by,
                                            .holds = r->result.verdict.holds};
    memcpy(r->report.verdict.achieved, r->result.verdict.achieved,
           sizeof r->result.verdict.achieved);
    r->report.findings = r->result.findings;
    r->report.seconds.total = hr_seconds() - started;
    r->release->figures = hr_report_figures(&r->report);
    r->release->asked = r->asked;
    memcpy(r->release->achieved, r->result.verdict.achieved, sizeof r->release->achieved);
}

static hr_status finish_report(hr_run *r, double started) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    hr_run_fill_report(r, started);
    r->report.peak_memory = (uint64_t)usage.ru_maxrss * 1024;
    r->report.warnings = r->warnings.texts;
    r->report.warning_count = r->warnings.count;
    HR_TRY(hr_report_json(&r->report, &r->release->report, r->err));
    return hr_report_summary(&r->report, &r->release->summary, r->err);
}

/* ---- before the search ---- */

hr_status hr_run_check_outputs(const hr_job *job, const hr_watch *watch, hr_error *err) {
    const char *const paths[] = {job->output.release, job->output.trace, job->output.certificate};
    hr_write_options options = {.replace = job->format.replace, .watch = watch};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (paths[i]) HR_TRY(hr_output_check(paths[i], &options, err));
    return HR_OK;
}

/* ---- tables and files ---- */

/* Opens an output table; the owner's own are private. */
static hr_status open_table(hr_run *r, outputs *o, const char *path, bool private,
                            hr_writer **out) {
    hr_write_options options = {.private = private,
                                .replace = r->job->format.replace,
                                .group = &o->group,
                                .watch = &r->watch};
    return hr_writer_open(path, &options, out, r->err);
}

static hr_status write_release(hr_run *r, outputs *o) {
    HR_TRY(o->release->append(o->release, r->release->masked.table, r->err));
    return o->release->finish(o->release, r->err);
}

static hr_status write_trace(hr_run *r, outputs *o) {
    HR_TRY(open_table(r, o, r->job->output.trace, true, &o->trace));
    HR_TRY(hr_trace_write(o->trace, &r->result.partition, &r->release->masked,
                          &r->result.verdict.classes, r->err));
    return o->trace->finish(o->trace, r->err);
}

static hr_status write_minimal(hr_run *r, outputs *o) {
    HR_TRY(hr_output_open_private(r->job->output.minimal, &r->watch, &o->minimal, r->err));
    HR_TRY(hr_minimal_write(o->minimal, r->result.findings, r->err));
    return hr_output_finish(o->minimal, r->err);
}

static hr_status write_certificate(hr_run *r, outputs *o) {
    HR_TRY(open_table(r, o, r->job->output.certificate, true, &o->certificate));
    HR_TRY(hr_certificate_write(o->certificate, &r->result.lower, &r->input.dataset.data, &r->asked,
                                r->choice.count_boundaries, r->err));
    return o->certificate->finish(o->certificate, r->err);
}

static hr_status write_files(hr_run *r, outputs *o) {
    double begin = hr_seconds();
    if (r->job->output.release) {
        HR_TRY(open_table(r, o, r->job->output.release, false, &o->release));
        if (!o->release->direct) HR_TRY(write_release(r, o));
    }
    if (r->job->output.trace) HR_TRY(write_trace(r, o));
    if (r->job->output.minimal) HR_TRY(write_minimal(r, o));
    if (r->job->output.certificate) HR_TRY(write_certificate(r, o));
    r->report.seconds.write = hr_seconds() - begin;
    return hr_run_check(r);
}

static hr_status write_reports(hr_run *r, outputs *o) {
    o->reports = hr_alloc(r->job->output.reports.count, sizeof *o->reports, r->err);
    if (!o->reports) return HR_ENOMEM;
    for (size_t i = 0; i < r->job->output.reports.count; i++) {
        HR_TRY(hr_output_open_private(r->job->output.reports.texts[i], &r->watch, &o->reports[i],
                                      r->err));
        hr_output_puts(o->reports[i], r->release->report);
        hr_output_puts(o->reports[i], "\n");
        HR_TRY(hr_output_finish(o->reports[i], r->err));
    }
    return HR_OK;
}

/* ---- committing ---- */

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
    HR_TRY(hr_run_check(r));
    HR_TRY(commit_table(&o->trace, r->err));
    HR_TRY(commit_file(&o->minimal, r->err));
    HR_TRY(commit_table(&o->certificate, r->err));
    for (size_t i = 0; i < r->job->output.reports.count; i++)
        HR_TRY(commit_file(&o->reports[i], r->err));
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
    discard_table(o.trace);
    discard_table(o.certificate);
    discard_table(o.release);
    return status;
}
