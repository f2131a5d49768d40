/* cmd_boundaries.c - `hedgerow boundaries`: the cost of the boundaries before any run. One row for
 * every k and p: the rows that must be suppressed, the rows that each boundary would save if it
 * were one level higher, and an upper limit on the number of classes. */
#include "cli/cli.h"

#include <stddef.h>

typedef struct {
    const char *k, *p; /* "4,8,10"; NULL: k and p of the job */
} own_flags;

static hr_status print_prices(const hr_prices *prices, hr_print_format format, hr_error *err) {
    char *text;
    HR_TRY(hr_prices_print(prices, format, &text, err));
    return format == HR_PRINT_TABLE ? cli_show_now(text, err) : cli_print(text, err);
}

static hr_status price(const cli_arguments *arguments, const cli_grid *grid, hr_error *err) {
    hr_prices *prices;
    cli_watch watch;
    cli_watch_start(&watch, arguments->quiet);
    hr_status status = hr_job_boundaries(arguments->job, grid->ks, grid->k_count, grid->ps,
                                         grid->p_count, &watch.watch, &prices, err);
    cli_watch_end(&watch);
    HR_TRY(status);
    status = print_prices(prices, arguments->format, err);
    hr_prices_free(prices);
    return status;
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const own_flags *own = arguments->own;
    cli_grid grid = {0};
    HR_TRY(cli_grid_check(own->k, arguments->job, err));
    hr_status status = cli_grid_read(own->k, own->p, &grid, err);
    if (status == HR_OK) status = price(arguments, &grid, err);
    cli_grid_free(&grid);
    return status;
}

static const cli_flag flags[] = {
    {"k", 'k', "N,N-N", "rows that every class must have, one or several", offsetof(own_flags, k)},
    {"p", 'p', "N,N-N", "values of each sensitive attribute that every class must have",
     offsetof(own_flags, p)},
    {0},
};

static const cli_syntax syntax = {
    .command = "boundaries",
    .usage = "JOB.yaml [-k 4,8,10] [-p 1,2,3]   or   hedgerow boundaries INPUT [flags]",
    .about =
        "Tells how many rows the boundaries make it necessary to suppress, for every k and p,\n"
        "how many fewer it would be if one attribute's boundary went one level up, and how\n"
        "many classes there can be at most.\n"
        "p = 1 is k-anonymity alone. The data is read once, however many k and p there are.",
    .least = 0,
    .most = 1,
    .prints = true,
    .flags = flags,
    .own_size = sizeof(own_flags),
};

int cmd_boundaries(int argc, char **argv) {
    return cli_run(&syntax, argc, argv, run);
}
