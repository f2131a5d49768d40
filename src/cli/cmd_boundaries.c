/* cmd_boundaries.c - `hedgerow boundaries`: the cost of the boundaries before any run. One row for
 * every k and p: the rows that must be suppressed, the rows that each boundary would save if it
 * were one level higher, and an upper limit on the number of classes. With --lost: the suppressed
 * rows by value. With --suggest: boundaries, k and p for a budget of suppressed rows. */
#include "cli/cli.h"

#include <stddef.h>

typedef struct {
    const char *k, *p; /* "4,8,10"; NULL: k and p of the job */
    const char *suggest;
    bool lost;
} own_flags;

static hr_status show(char *text, hr_print_format format, hr_error *err) {
    return format == HR_PRINT_TABLE ? cli_show_now(text, err) : cli_print(text, err);
}

static hr_status print_prices(const hr_prices *prices, const cli_arguments *arguments,
                              hr_error *err) {
    const own_flags *own = arguments->own;
    char *text;
    HR_TRY((own->lost ? hr_prices_print_lost : hr_prices_print)(prices, arguments->format, &text,
                                                                err));
    return show(text, arguments->format, err);
}

static hr_status price(const cli_arguments *arguments, const cli_grid *grid, hr_error *err) {
    hr_prices *prices;
    cli_watch watch;
    cli_watch_start(&watch, arguments->quiet);
    hr_status status = hr_job_boundaries(arguments->job, grid->ks, grid->k_count, grid->ps,
                                         grid->p_count, &watch.watch, &prices, err);
    cli_watch_end(&watch);
    HR_TRY(status);
    status = print_prices(prices, arguments, err);
    hr_prices_free(prices);
    return status;
}

/* ---- --suggest ---- */

/* Sets a key of the job to the one number that its flag has. */
static hr_status set_number(hr_job *job, const char *key, const char *text, hr_error *err) {
    int64_t *numbers;
    size_t count;
    if (!text) return HR_OK;
    HR_TRY(hr_parse_numbers(key, text, INT64_MAX, &numbers, &count, err));
    hr_free(numbers);
    if (count != 1)
        return hr_fail(err, HR_EINVAL,
                       "--suggest is about one k and one p: give -%s a single number", key);
    return hr_job_set(job, key, text, err);
}

static hr_status suggest(const cli_arguments *arguments, double share, hr_error *err) {
    hr_rollup *rollup;
    hr_suggestion *suggestion = NULL;
    cli_watch watch;
    char *text;
    cli_watch_start(&watch, arguments->quiet);
    hr_status status = hr_job_rollup(arguments->job, &watch.watch, &rollup, err);
    if (status == HR_OK) {
        status = hr_rollup_suggest(rollup, arguments->job, share, &watch.watch, &suggestion, err);
        hr_rollup_free(rollup);
    }
    cli_watch_end(&watch);
    HR_TRY(status);
    status = hr_suggestion_print(suggestion, arguments->format, &text, err);
    hr_suggestion_free(suggestion);
    return status == HR_OK ? show(text, arguments->format, err) : status;
}

static hr_status run_suggest(const cli_arguments *arguments, hr_error *err) {
    const own_flags *own = arguments->own;
    double share;
    if (own->lost)
        return hr_fail(err, HR_EINVAL, "--suggest and --lost print different things: give one");
    if (!hr_parse_double(own->suggest, &share) || share < 0 || share > 1)
        return hr_fail(
            err, HR_EINVAL,
            "--suggest: '%s' is not a share of the rows: give a number from 0 to 1, such as "
            "0.01",
            own->suggest);
    HR_TRY(set_number(arguments->job, "k", own->k, err));
    HR_TRY(set_number(arguments->job, "p", own->p, err));
    return suggest(arguments, share, err);
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const own_flags *own = arguments->own;
    cli_grid grid = {0};
    if (own->suggest) return run_suggest(arguments, err);
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
    {"lost", 0, NULL, "list whose rows are suppressed, by value of each quasi-identifier",
     offsetof(own_flags, lost)},
    {"suggest", 0, "SHARE", "boundaries, k and p that suppress at most this share of the rows",
     offsetof(own_flags, suggest)},
    {0},
};

const cli_command cmd_boundaries = {
    .name = "boundaries",
    .summary = "what the boundaries cost, for every k and p",
    .usage = "JOB.yaml [-k 4,8,10] [-p 1,2,3] [--suggest SHARE]\n"
             "       hedgerow boundaries INPUT [flags]",
    .about = "Shows what the boundaries cost before anything is run. For every k and p it\n"
             "counts the rows that must be suppressed, the rows that would be saved if the\n"
             "boundary of one attribute moved up one level, and the largest possible number of\n"
             "classes. p = 1 is k-anonymity alone. The data is read once, however many k and p\n"
             "there are. --suggest 0.01 finds the lowest boundary levels that suppress at most\n"
             "1 % of the rows, and the largest k and p for the boundaries of the job.",
    .example = "hedgerow boundaries patients.yaml -k 3,5,10 -p 1,2\n"
               "hedgerow boundaries patients.yaml --boundary zip=level:2 --suggest 0.01",
    .least = 0,
    .most = 1,
    .prints = true,
    .flags = flags,
    .own_size = sizeof(own_flags),
    .run = run,
};
