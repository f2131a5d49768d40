/* cmd_anonymize.c - `hedgerow anonymize`: runs a job. The release goes to its file or to standard
 * output. The summary goes to standard error; as CSV or JSON it goes to standard output unless the
 * release does. */
#include "cli/cli.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* A release on a terminal is of no use, and bystanders may read it. */
static hr_status check_output(const hr_job *job, hr_error *err) {
    if (job->output.release || !isatty(STDOUT_FILENO)) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   "the release would go to the terminal: give -o FILE, or redirect the output");
}

/* Fails if `path` leads to the file or pipe that standard output is. */
static hr_status check_not_stdout(const char *what, const char *path, hr_error *err) {
    struct stat file, out;
    if (!path || stat(path, &file) || fstat(STDOUT_FILENO, &out)) return HR_OK;
    if (file.st_dev != out.st_dev || file.st_ino != out.st_ino) return HR_OK;
    if (!S_ISREG(out.st_mode) && !S_ISFIFO(out.st_mode) && !S_ISSOCK(out.st_mode)) return HR_OK;
    return hr_fail(err, HR_EINVAL, "%s and standard output are the same file: %s", what, path);
}

/* What goes to standard output, the release or its figures, must not meet another output there. */
static hr_status check_files(const cli_arguments *arguments, hr_error *err) {
    const hr_job_output *o = &arguments->job->output;
    bool figures = arguments->format != CLI_TABLE && !arguments->quiet;
    if (o->release && !figures) return HR_OK;
    HR_TRY(check_not_stdout("the output", o->release, err));
    HR_TRY(check_not_stdout("the trace", o->trace, err));
    HR_TRY(check_not_stdout("the list of levels", o->minimal, err));
    HR_TRY(check_not_stdout("the certificate", o->certificate, err));
    for (size_t i = 0; i < o->reports.count; i++)
        HR_TRY(check_not_stdout("the report", o->reports.texts[i], err));
    return HR_OK;
}

static hr_status write_release(const hr_release *release, hr_error *err) {
    hr_output *output;
    HR_TRY(hr_output_open("-", NULL, &output, err));
    hr_csv_rows(output, hr_release_table(release));
    return hr_output_commit(output, err);
}

static const cli_column columns[] = {
    {"rows", CLI_COUNT, 0},       {"released", CLI_COUNT, 0},   {"suppressed", CLI_COUNT, 0},
    {"classes", CLI_COUNT, 0},    {"clusters", CLI_COUNT, 0},   {"k", CLI_COUNT, 0},
    {"p", CLI_COUNT, 0},          {"achieved_k", CLI_COUNT, 0}, {"achieved_p", CLI_COUNT, 0},
    {"violations", CLI_COUNT, 0}, {"ntil", CLI_REAL, 4},        {"ntil_bound", CLI_REAL, 4},
    {"sse_sst", CLI_REAL, 4},     {"seconds", CLI_REAL, 2}};

static void add_loss(cli_rows *rows, double loss) {
    if (isnan(loss))
        cli_add_none(rows);
    else
        cli_add_real(rows, loss);
}

static hr_status print_figures(const hr_figures *f, cli_format format, hr_error *err) {
    cli_rows rows;
    cli_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    cli_add_count(&rows, (int64_t)f->rows);
    cli_add_count(&rows, (int64_t)f->released);
    cli_add_count(&rows, (int64_t)f->suppressed);
    cli_add_count(&rows, (int64_t)f->classes);
    cli_add_count(&rows, (int64_t)f->clusters);
    cli_add_count(&rows, f->k);
    cli_add_count(&rows, f->p);
    cli_add_count(&rows, f->achieved_k);
    if (f->achieved_p >= 0)
        cli_add_count(&rows, f->achieved_p);
    else
        cli_add_none(&rows);
    cli_add_count(&rows, (int64_t)f->violations);
    add_loss(&rows, f->ntil);
    add_loss(&rows, f->ntil_bound);
    add_loss(&rows, f->sse_sst);
    cli_add_real(&rows, f->seconds);
    return cli_rows_print(&rows, format, err);
}

static hr_status summarize(const cli_arguments *arguments, const hr_release *release,
                           hr_error *err) {
    if (arguments->quiet) return HR_OK;
    if (arguments->format == CLI_TABLE) {
        fputs(release->summary, stderr);
        return HR_OK;
    }
    /* The summary must not follow a release on standard output. */
    if (!arguments->job->output.release && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return HR_OK;
    return print_figures(&release->figures, arguments->format, err);
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
    hr_status status = job->output.release ? HR_OK : write_release(release, err);
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
