/* cmd_check.c - `hedgerow check`: does a file satisfy the job? Works on the output of any tool.
 * Exit status 2 means no. */
#include "cli/cli.h"

#include <stddef.h>
#include <stdio.h>

typedef struct {
    const char *original, *trace, *suppressed_as, *certificate;
} check_flags;

static const cli_column columns[] = {
    {"file", CLI_TEXT, 0},          {"holds", CLI_TEXT, 0},        {"rows", CLI_COUNT, 0},
    {"classes", CLI_COUNT, 0},      {"k", CLI_COUNT, 0},           {"p", CLI_COUNT, 0},
    {"achieved_k", CLI_COUNT, 0},   {"achieved_p", CLI_COUNT, 0},  {"small_classes", CLI_COUNT, 0},
    {"poor_classes", CLI_COUNT, 0}, {"violations", CLI_COUNT, 0},  {"uncovered", CLI_COUNT, 0},
    {"changed", CLI_COUNT, 0},      {"identifiers", CLI_COUNT, 0}, {"dropped", CLI_COUNT, 0},
    {"unknown", CLI_COUNT, 0},      {"ntil_bound", CLI_REAL, 4},   {"proved", CLI_TEXT, 0}};

static void add_if(cli_rows *rows, bool meant, uint64_t count) {
    if (meant)
        cli_add_count(rows, (int64_t)count);
    else
        cli_add_none(rows);
}

/* Prints the findings for a program, as one row. */
static hr_status print_row(const char *path, const hr_check_figures *f, cli_format format,
                           hr_error *err) {
    cli_rows rows;
    cli_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    cli_add_text(&rows, path);
    cli_add_text(&rows, f->holds ? "yes" : "no");
    cli_add_count(&rows, (int64_t)f->rows);
    cli_add_count(&rows, (int64_t)f->classes);
    cli_add_count(&rows, f->k);
    cli_add_count(&rows, f->p);
    cli_add_count(&rows, f->achieved_k);
    add_if(&rows, f->achieved_p >= 0, (uint64_t)f->achieved_p);
    cli_add_count(&rows, (int64_t)f->small_classes);
    cli_add_count(&rows, (int64_t)f->poor_classes);
    add_if(&rows, f->compared, f->violations);
    add_if(&rows, f->compared, f->uncovered);
    add_if(&rows, f->compared, f->changed);
    cli_add_count(&rows, (int64_t)f->identifiers);
    cli_add_count(&rows, (int64_t)f->dropped_columns);
    /* With an original, such values are counted as uncovered. */
    add_if(&rows, !f->compared, f->unknown);
    if (f->certified) {
        cli_add_real(&rows, f->bound_claimed);
        cli_add_text(&rows, f->bound_holds ? "yes" : "no");
    } else {
        cli_add_none(&rows);
        cli_add_none(&rows);
    }
    return cli_rows_print(&rows, format, err);
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
    const hr_check_figures *figures = hr_check_result(check);
    if (arguments->format == CLI_TABLE)
        fputs(hr_check_summary(check), stdout);
    else
        status = print_row(request.masked, figures, arguments->format, err);
    if (status == HR_OK && !figures->holds) status = HR_ENOSOL;
    hr_check_free(check);
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
