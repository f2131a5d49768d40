/* pipeline_write.c - the last stage of a run: finishes the report and writes all files. Each is
 * first written under a temporary name; when all are complete they are renamed, the release last.
 * A release to a pipe cannot be taken back: it is written when all other files have appeared. */
#include "run/pipeline.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

typedef struct {
    hr_output *release, *trace, *minimal, *certificate, **reports;
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

static hr_status write_release(hr_run *r, outputs *o) {
    hr_format_for(r->job->output.release)->write(o->release, r->release->masked.table);
    return hr_output_finish(o->release, r->err);
}

static hr_status write_files(hr_run *r, outputs *o) {
    double begin = hr_seconds();
    if (r->job->output.release) {
        HR_TRY(hr_output_open(r->job->output.release, &r->watch, &o->release, r->err));
        if (!hr_output_is_direct(o->release)) HR_TRY(write_release(r, o));
    }
    if (r->job->output.trace) {
        HR_TRY(hr_output_open_private(r->job->output.trace, &r->watch, &o->trace, r->err));
        hr_trace_write(o->trace, &r->result.partition, &r->release->masked,
                       &r->result.verdict.classes);
        HR_TRY(hr_output_finish(o->trace, r->err));
    }
    if (r->job->output.minimal) {
        HR_TRY(hr_output_open_private(r->job->output.minimal, &r->watch, &o->minimal, r->err));
        HR_TRY(hr_minimal_write(o->minimal, r->result.findings, r->err));
        HR_TRY(hr_output_finish(o->minimal, r->err));
    }
    if (r->job->output.certificate) {
        HR_TRY(
            hr_output_open_private(r->job->output.certificate, &r->watch, &o->certificate, r->err));
        hr_certificate_write(o->certificate, &r->result.lower, &r->input.dataset.data, &r->asked,
                             r->choice.count_boundaries);
        HR_TRY(hr_output_finish(o->certificate, r->err));
    }
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

static hr_status commit(hr_output **output, hr_error *err) {
    hr_output *taken = *output;
    *output = NULL;
    return taken ? hr_output_commit(taken, err) : HR_OK;
}

static hr_status write_all(hr_run *r, outputs *o, double started) {
    HR_TRY(write_files(r, o));
    HR_TRY(finish_report(r, started));
    HR_TRY(write_reports(r, o));
    HR_TRY(hr_run_check(r));
    HR_TRY(commit(&o->trace, r->err));
    HR_TRY(commit(&o->minimal, r->err));
    HR_TRY(commit(&o->certificate, r->err));
    for (size_t i = 0; i < r->job->output.reports.count; i++)
        HR_TRY(commit(&o->reports[i], r->err));
    if (o->release && hr_output_is_direct(o->release)) HR_TRY(write_release(r, o));
    return commit(&o->release, r->err);
}

hr_status hr_run_write(hr_run *r, double started) {
    outputs o = {0};
    hr_status status = write_all(r, &o, started);
    for (size_t i = 0; o.reports && i < r->job->output.reports.count; i++)
        hr_output_discard(o.reports[i]);
    free(o.reports);
    hr_output_discard(o.trace);
    hr_output_discard(o.minimal);
    hr_output_discard(o.certificate);
    hr_output_discard(o.release);
    return status;
}
