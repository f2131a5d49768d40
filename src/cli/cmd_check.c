/* cmd_check.c - `hedgerow check`: does a file satisfy the job? Works on the output of any tool.
 * Prints the verdict with the achieved k and p and what fails: sizes and attributes, never values
 * of sensitive attributes. Exit status 2 means no. */
#include "cli/check.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

static void add_leftover(check_leftover *leftover, const char *name) {
    hr_text_printf(&leftover->names, "%s'%s'", leftover->count++ ? ", " : "", name);
}

/* Columns that a release must not contain are reported, not read. */
static hr_status choose(const char *const *names, size_t count, bool *keep, void *payload,
                        hr_error *err) {
    check_session *s = payload;
    for (size_t i = 0; i < count; i++) {
        const hr_attribute *attribute = hr_attribute_find(s->job, names[i]);
        hr_role role = attribute ? attribute->role : HR_ROLE_NONE;
        keep[i] = hr_role_released(role);
        if (role == HR_ROLE_IDENTIFIER) add_leftover(&s->identifiers, names[i]);
        if (role == HR_ROLE_DROP) add_leftover(&s->dropped, names[i]);
        if (role == HR_ROLE_NONE)
            cli_notice(s->arguments->quiet, "column '%s' has no role in the job and is not judged",
                       names[i]);
    }
    if (s->identifiers.names.failed || s->dropped.names.failed)
        return hr_fail(err, HR_ENOMEM, "out of memory");
    return HR_OK;
}

/* The delimiter of a release is detected; the job's is needed only if it cannot be detected. */
static char masked_delimiter(const hr_job *job) {
    return job->input.delimiter && strchr(",;\t|", job->input.delimiter) ? 0 : job->input.delimiter;
}

static bool has_bins(const hr_job *job) {
    for (size_t i = 0; i < job->attribute_count; i++)
        if (job->attributes[i].bins) return true;
    return false;
}

/* Bins divide the range of the original values. Without --original the input of the job is read. */
static hr_status read_ranges(check_session *s, const hr_watch *watch, hr_error *err) {
    if (!has_bins(s->job)) return HR_OK;
    hr_error why = {.code = HR_EIO, .message = "the job's input is not at hand"};
    hr_status status = HR_EIO;
    if (s->input && strcmp(s->input, "-")) {
        s->job->input.path = s->input;
        status = hr_dataset_load_ranges(s->job, watch, &s->ranges, &why);
    }
    if (status == HR_ENOMEM || status == HR_ECANCEL) return hr_fail(err, status, "%s", why.message);
    if (status == HR_OK) return HR_OK;
    hr_notice(watch,
              "%s: p is judged with bins of the masked file's own range, which may differ; give "
              "--original",
              why.message);
    return HR_OK;
}

static hr_status read_files(check_session *s, const hr_watch *watch, hr_error *err) {
    hr_read_options options = {
        .delimiter = masked_delimiter(s->job), .choose = choose, .payload = s, .watch = watch};
    HR_TRY(hr_format_for(s->path)->read(s->path, &options, &s->masked, err));
    if (!s->own->original) return read_ranges(s, watch, err);
    s->job->input.path = s->own->original;
    HR_TRY(hr_dataset_load(s->job, watch, &s->original, err));
    if (!s->own->trace) return HR_OK;
    return hr_trace_read(s->own->trace, s->original.table->rows, s->masked->rows, watch, &s->row,
                         err);
}

static hr_status judge(check_session *s, const hr_watch *watch, hr_error *err) {
    hr_verify_request request = {.job = s->job,
                                 .masked = s->masked,
                                 .original = s->own->original ? &s->original : NULL,
                                 .ranges = s->ranges.table ? &s->ranges : NULL,
                                 .row = s->row,
                                 .enforce_boundaries = s->enforce,
                                 .means = s->means,
                                 .suppressed_as = s->own->suppressed_as,
                                 .watch = watch};
    HR_TRY(hr_verify(&request, &s->verdict, err));
    s->holds = s->verdict.holds && !s->identifiers.count && !s->dropped.count;
    return HR_OK;
}

/* Checks the proof of the lower bound in the certificate. */
static hr_status judge_proof(check_session *s, const hr_watch *watch, hr_error *err) {
    if (!s->own->certificate) return HR_OK;
    hr_status status = hr_certificate_check(s->own->certificate, &s->original, &s->job->asked,
                                            !s->enforce, watch, &s->proof, err);
    s->holds = s->holds && s->proof.holds;
    return status;
}

/* ---- the command ---- */

static hr_status check(check_session *s, hr_error *err) {
    cli_watch watch;
    cli_watch_start(&watch, s->arguments->quiet);
    hr_status status = read_files(s, &watch.watch, err);
    if (status == HR_OK) status = judge(s, &watch.watch, err);
    if (status == HR_OK) status = judge_proof(s, &watch.watch, err);
    cli_watch_end(&watch);
    HR_TRY(status);
    if (s->arguments->format == CLI_TABLE)
        check_print_text(s);
    else
        HR_TRY(check_print_row(s, err));
    return s->holds ? HR_OK : HR_ENOSOL;
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    check_session s = {.arguments = arguments,
                       .own = arguments->own,
                       .job = arguments->job,
                       .path = arguments->words[0],
                       .input = arguments->job->input.path};
    if (s.own->trace && !s.own->original)
        return hr_fail(err, HR_EINVAL, "--trace pairs rows with the original: give --original too");
    if (s.own->certificate && !s.own->original)
        return hr_fail(err, HR_EINVAL,
                       "--certificate proves something of the original: give --original too");
    s.job->input.path = s.own->original ? s.own->original : s.path;
    hr_job_write_nothing(s.job);
    HR_TRY(hr_job_complete(s.job, err));
    hr_choice choice;
    HR_TRY(hr_job_choose_algorithm(s.job, &choice, err));
    s.enforce = !choice.count_boundaries;
    s.means = hr_publishes_means(choice.algorithm);
    hr_status status = check(&s, err);
    hr_verdict_free(&s.verdict);
    free(s.row);
    hr_dataset_free(&s.original);
    hr_dataset_free(&s.ranges);
    hr_table_free(s.masked);
    hr_text_free(&s.identifiers.names);
    hr_text_free(&s.dropped.names);
    return status;
}

static const cli_flag flags[] = {
    {"original", 0, "FILE", "the input that was masked: boundaries and coverage are judged, too",
     offsetof(check_flags, original)},
    {"trace", 0, "FILE", "the release's trace: pairs its rows with the original's",
     offsetof(check_flags, trace)},
    {"certificate", 0, "FILE", "the run's certificate: its lower bound on the loss is recomputed",
     offsetof(check_flags, certificate)},
    {"suppressed-as", 0, "TEXT", "leave out rows whose quasi-identifiers are all TEXT",
     offsetof(check_flags, suppressed_as)},
    {0},
};

static const cli_syntax syntax = {
    .command = "check",
    .usage = "MASKED JOB.yaml [--original FILE [--trace FILE] [--certificate FILE]]\n"
             "                      [--suppressed-as TEXT]",
    .about =
        "Is this file what the job promises? Works on any tool's output. Published values may be\n"
        "leaves, inner nodes, `*`, numbers, or intervals (lo..hi, lo-hi, [lo,hi], [lo, hi[).\n"
        "Exit status 0 is yes, 2 is no.",
    .least = 2,
    .most = 2,
    .job_at = 1,
    .job_only = true,
    .prints = true,
    .flags = flags,
    .own_size = sizeof(check_flags),
};

int cmd_check(int argc, char **argv) {
    return cli_run(&syntax, argc, argv, run);
}
