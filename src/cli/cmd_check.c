/* cmd_check.c - `hedgerow check`: checks whether a file satisfies the job. Works on the output of
 * any tool. Exit status 2: it does not. */
#include "cli/cli.h"

#include <stddef.h>

typedef struct {
    const char *original, *trace, *suppressed_as, *certificate;
} check_flags;

static hr_status print_check(const hr_check *check, hr_print_format format, hr_error *err) {
    char *text;
    HR_TRY(hr_check_print(check, format, &text, err));
    if (format != HR_PRINT_TABLE) return cli_print(text, err);
    cli_show(text);
    return HR_OK;
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const check_flags *own = arguments->own;
    hr_check_request request = {.size = sizeof request,
                                .masked = arguments->words[0],
                                .original = own->original,
                                .trace = own->trace,
                                .certificate = own->certificate,
                                .suppressed_as = own->suppressed_as};
    hr_check *check;
    cli_watch watch;
    cli_watch_start(&watch, arguments->quiet);
    hr_status status = hr_job_check(arguments->job, &request, &watch.watch, &check, err);
    cli_watch_end(&watch);
    HR_TRY(status);
    status = print_check(check, arguments->format, err);
    if (status == HR_OK && !hr_check_result(check)->holds) status = HR_ENOSOL;
    hr_check_free(check);
    return status;
}

static const cli_flag flags[] = {
    {"original", 0, "FILE", "the original input: judge boundaries and coverage as well",
     offsetof(check_flags, original)},
    {"trace", 0, "FILE", "trace of the release: pairs its rows with those of the original",
     offsetof(check_flags, trace)},
    {"certificate", 0, "FILE", "certificate of the run: recompute its lower bound on the loss",
     offsetof(check_flags, certificate)},
    {"suppressed-as", 0, "TEXT", "leave out rows whose quasi-identifiers are all TEXT",
     offsetof(check_flags, suppressed_as)},
    {0},
};

const cli_command cmd_check = {
    .name = "check",
    .summary = "is this file what the job promises?",
    .usage = "MASKED JOB.yaml [--original FILE [--trace FILE]\n"
             "                      [--certificate FILE]] [--suppressed-as TEXT]",
    .about = "Says whether a file keeps what the job promises, whichever tool made it.\n"
             "Published values may be leaves, inner nodes, `*`, numbers, or intervals (lo..hi,\n"
             "lo-hi, [lo,hi], [lo, hi[). Exit status 0 is yes, 2 is no.",
    .example = "hedgerow check release.csv patients.yaml\n"
               "hedgerow check release.csv patients.yaml --original patients.csv --trace t.csv",
    .least = 2,
    .most = 2,
    .job_at = 1,
    .job_only = true,
    .prints = true,
    .flags = flags,
    .own_size = sizeof(check_flags),
    .run = run,
};
