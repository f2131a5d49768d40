/* cmd_anonymize.c - `hedgerow anonymize`: runs a job. The release goes to its file or to standard
 * output. The summary goes to standard error; as CSV or JSON it goes to standard output unless the
 * release does. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Does the release go to standard output? */
static bool is_printed(const hr_job *job) {
    const char *key = NULL;
    return !hr_job_output_at(job, 0, &key) || strcmp(key, "output");
}

/* ---- A release on a terminal: shown if it is short ---- */

enum { SHOWN_ROWS = 50, SHOWN_BYTES = 1 << 20 };

static bool is_shown(const hr_job *job) {
    return is_printed(job) && isatty(STDOUT_FILENO);
}

static hr_status too_long(hr_error *err) {
    return hr_fail(err, HR_EINVAL,
                   "the release would go to the terminal, which shows up to %d rows: give -o FILE, "
                   "or redirect the output",
                   SHOWN_ROWS);
}

/* Refuses a large input before the search; the rows of others are counted when they are released.
 */
static hr_status check_output(const hr_job *job, hr_error *err) {
    struct stat file;
    const char *input = hr_job_get(job, "input");
    if (!is_shown(job) || !input || stat(input, &file)) return HR_OK;
    return S_ISREG(file.st_mode) && file.st_size > SHOWN_BYTES ? too_long(err) : HR_OK;
}

/* Columns on the screen that a text takes: its UTF-8 characters. */
static int width_of(const char *text) {
    int width = 0;
    for (; *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

/* Prints one field, or the name of the column if `row` is `names`, padded to `width`. */
static void show_field(const hr_table *table, size_t row, size_t column, int width) {
    bool name = row == hr_table_rows(table);
    const char *given = name ? hr_table_name(table, column) : hr_table_text(table, row, column);
    char *text = strdup(given);
    if (text) hr_make_plain(text);
    printf("%s%*s", text ? text : "?", width ? width - width_of(given) + 2 : 0, "");
    free(text);
}

static int column_width(const hr_table *table, size_t column) {
    int most = width_of(hr_table_name(table, column));
    for (size_t row = 0; row < hr_table_rows(table); row++) {
        int width = width_of(hr_table_text(table, row, column));
        if (width > most) most = width;
    }
    return most;
}

/* Shows a release in aligned columns. */
static hr_status show(const hr_table *table, hr_error *err) {
    size_t rows = hr_table_rows(table), columns = hr_table_columns(table);
    if (rows > SHOWN_ROWS) return too_long(err);
    for (size_t line = 0; line <= rows; line++)
        for (size_t i = 0; i < columns; i++) {
            bool last = i + 1 == columns;
            show_field(table, line == 0 ? rows : line - 1, i, last ? 0 : column_width(table, i));
            if (last) putchar('\n');
        }
    fflush(stdout);
    return HR_OK;
}

/* ---- Files ---- */

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
        if (is_printed(arguments->job)) fputs("written     to standard output\n", stderr);
        return HR_OK;
    }
    const char *caution;
    for (size_t i = 0; (caution = hr_release_caution(release, i)); i++)
        cli_notice(false, "%s", caution);
    /* The summary must not follow a release on standard output. */
    if (is_printed(arguments->job) && dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return HR_OK;
    char *text;
    HR_TRY(hr_release_print(release, arguments->format, &text, err));
    return cli_print(text, err);
}

static hr_status run_job(const hr_job *job, bool quiet, hr_release **out, hr_error *err) {
    cli_watch watch;
    const char *on_interrupt = hr_job_get(job, "on-interrupt");
    cli_watch_start(&watch, quiet);
    if (on_interrupt && !strcmp(on_interrupt, "finish")) cli_watch_finish(&watch);
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
    const hr_table *table = hr_release_table(release);
    hr_status status = HR_OK;
    if (is_printed(job))
        status = is_shown(job) ? show(table, err) : hr_table_write(table, "-", err);
    if (status == HR_OK) status = summarize(arguments, release, err);
    hr_release_free(release);
    return status;
}

const cli_command cmd_anonymize = {
    .name = "anonymize",
    .summary = "make a release of a table that keeps the job's promises",
    .usage = "JOB.yaml [flags]\n       hedgerow anonymize INPUT [flags]",
    .about = "Anonymizes a table as a job file or flags describe it, checks the release, and\n"
             "writes it. Without an output the release goes to standard output. If a column\n"
             "name contains a comma, colon or equals sign, put a backslash before it:\n"
             "--quasi 'income\\, net,age'.",
    .example = "hedgerow anonymize patients.yaml -o release.csv --trace t.csv\n"
               "hedgerow anonymize patients.yaml -k 10 -p 3 --report report.html -o b.csv\n"
               "hedgerow anonymize patients.csv --quasi sex --hierarchy sex=flat -k 5 -o c.csv",
    .most = 1,
    .prints = true,
    .run = run,
};
