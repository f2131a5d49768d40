/* cmd_anonymize.c - `hedgerow anonymize`: run a job. The release goes to its file, or to standard
 * output; the summary goes to standard error. */
#include "cli/cli.h"

#include <unistd.h>

/* A release on a terminal helps nobody, and rows scrolling by are rows that others may see. */
static hr_status check_output(const hr_job *job, hr_error *err) {
    if (job->output || !isatty(STDOUT_FILENO)) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   "the release would go to the terminal: give -o FILE, or redirect the output");
}

static hr_status write_release(const hr_release *release, hr_error *err) {
    hr_output *output;
    HR_TRY(hr_output_open("-", &output, err));
    hr_csv_rows(output, hr_release_table(release));
    return hr_output_commit(output, err);
}

static hr_status run_job(const hr_job *job, bool quiet, hr_release **out, hr_error *err) {
    cli_watch watch;
    cli_watch_start(&watch, quiet);
    hr_status status = hr_job_run(job, &watch.watch, out, err);
    cli_watch_end(&watch);
    return status;
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const hr_job *job = arguments->job;
    hr_release *release = NULL;
    HR_TRY(hr_job_complete(job, err));
    HR_TRY(check_output(job, err));
    HR_TRY(run_job(job, arguments->quiet, &release, err));
    hr_status status = job->output ? HR_OK : write_release(release, err);
    if (status == HR_OK && !arguments->quiet && release->summary) fputs(release->summary, stderr);
    hr_release_free(release);
    return status;
}

static const cli_syntax syntax = {
    .command = "anonymize",
    .usage = "JOB.yaml [flags]   or   hedgerow anonymize INPUT [flags]",
    .about =
        "Anonymizes a table as a job file or flags describe it, checks the release, and writes\n"
        "it. Without an output the release goes to standard output. Backslashes take the\n"
        "meaning from commas, colons and equals signs in names: --quasi 'income\\, net,age'.",
    .most = 1,
};

int cmd_anonymize(int argc, char **argv) {
    return cli_run(&syntax, argc, argv, run);
}
