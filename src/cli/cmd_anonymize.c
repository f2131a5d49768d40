/* cmd_anonymize.c - `hedgerow anonymize`: runs a job. The release goes to its file or to standard
 * output. The summary goes to standard error; as CSV or JSON it goes to standard output unless the
 * release does. */
#include "cli/cli.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Does the release go to standard output? */
static bool is_printed(const hr_job *job) {
    const char *key = NULL;
    return !hr_job_output_at(job, 0, &key) || strcmp(key, "output");
}

/* A release on a terminal is of no use, and bystanders may read it. */
static hr_status check_output(const hr_job *job, hr_error *err) {
    if (!is_printed(job) || !isatty(STDOUT_FILENO)) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   "the release would go to the terminal: give -o FILE, or redirect the output");
}

/* Fails if `path` leads to the file or pipe that standard output is. */
static hr_status check_not_stdout(const char *what, const char *path, hr_error *err) {
    struct stat file, out;
    if (stat(path, &file) || fstat(STDOUT_FILENO, &out)) return HR_OK;
    if (file.st_dev != out.st_dev || file.st_ino != out.st_ino) return HR_OK;
    if (!S_ISREG(out.st_mode) && !S_ISFIFO(out.st_mode) && !S_ISSOCK(out.st_mode)) return HR_OK;
    return hr_fail(err, HR_EINVAL, "%s and standard output are the same file: %s", what, path);
}

/* The words of messages for the file that a key names. */
static const char *file_name(const char *key) {
    if (!strcmp(key, "output")) return "the output";
    if (!strcmp(key, "trace")) return "the trace";
    if (!strcmp(key, "minimal")) return "the list of levels";
    return !strcmp(key, "certificate") ? "the certificate" : "the report";
}

/* What goes to standard output, the release or its figures, must not meet another output there. */
static hr_status check_files(const cli_arguments *arguments, hr_error *err) {
    bool figures = arguments->format != HR_PRINT_TABLE && !arguments->quiet;
    const char *path, *key;
    if (!is_printed(arguments->job) && !figures) return HR_OK;
    for (size_t i = 0; (path = hr_job_output_at(arguments->job, i, &key)); i++)
        HR_TRY(check_not_stdout(file_name(key), path, err));
    return HR_OK;
}

static hr_status summarize(const cli_arguments *arguments, const hr_release *release,
                           hr_error *err) {
    if (arguments->quiet) return HR_OK;
    if (arguments->format == HR_PRINT_TABLE) {
        fputs(hr_release_summary(release), stderr);
        return HR_OK;
    }
    /* The summary must not follow a release on standard output. */
    if (is_printed(arguments->job) && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return HR_OK;
    char *text;
    HR_TRY(hr_release_print(release, arguments->format, &text, err));
    return cli_print(text, err);
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
    HR_TRY(check_files(arguments, err));
    HR_TRY(run_job(job, arguments->quiet, &release, err));
    hr_status status =
        is_printed(job) ? hr_table_write(hr_release_table(release), "-", err) : HR_OK;
    if (status == HR_OK) status = summarize(arguments, release, err);
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
    .prints = true,
};

int cmd_anonymize(int argc, char **argv) {
    return cli_run(&syntax, argc, argv, run);
}
