/* cmd_boundaries.c - `hedgerow boundaries`: the cost of the boundaries before any run. One row for
 * every k and p: the rows that must be suppressed, the rows that each boundary would save if it
 * were one level higher, and an upper limit on the number of classes. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *k, *p; /* "4,8,10"; NULL: k and p of the job */
} own_flags;

typedef struct {
    int64_t *ks, *ps;
    size_t k_count, p_count;
} key_grid;

static hr_status read_grid(const own_flags *own, hr_job *job, key_grid *out, hr_error *err) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)job->asked.k);
    if (!own->k && job->asked.k == 0)
        return hr_fail(err, HR_EINVAL, "k is missing: give -k 4,8,10 or write `model: {k: 5}`");
    HR_TRY(
        hr_parse_numbers("k", own->k ? own->k : number, 1000000000, &out->ks, &out->k_count, err));
    snprintf(number, sizeof number, "%lld", (long long)job->asked.p);
    HR_TRY(hr_parse_numbers("p", own->p ? own->p : number, 1000000, &out->ps, &out->p_count, err));
    return HR_OK;
}

/* ---- printing ---- */

enum { FIXED = 7 };
static const cli_column fixed_columns[FIXED] = {{"k", CLI_COUNT, 0},
                                                {"p", CLI_COUNT, 0},
                                                {"suppressed", CLI_COUNT, 0},
                                                {"share", CLI_REAL, 4},
                                                {"relax", CLI_TEXT, 0},
                                                {"saves", CLI_COUNT, 0},
                                                {"classes_at_most", CLI_COUNT, 0}};

typedef struct {
    cli_column *columns;
    size_t count;
    hr_text names; /* NUL-terminated names of the columns after the fixed ones */
} price_columns;

/* The fixed columns, then one for each attribute with a boundary. */
static hr_status make_columns(const hr_cut *cut, price_columns *out, hr_error *err) {
    out->columns = hr_alloc(FIXED + cut->quasi_count, sizeof *out->columns, err);
    if (!out->columns) return HR_ENOMEM;
    memcpy(out->columns, fixed_columns, sizeof fixed_columns);
    out->count = FIXED;
    for (size_t j = 0; j < cut->quasi_count; j++) {
        if (!cut->bounded[j]) continue;
        hr_text_printf(&out->names, "saves:%s", cut->quasi_names[j]);
        hr_text_add(&out->names, "", 1);
        out->count++;
    }
    if (out->names.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    const char *name = out->names.data; /* it does not move any more */
    for (size_t i = FIXED; i < out->count; i++, name += strlen(name) + 1)
        out->columns[i] = (cli_column){name, CLI_COUNT, 0};
    return HR_OK;
}

static void add_price(cli_rows *rows, const hr_cut *cut, const hr_price *price) {
    size_t best = SIZE_MAX;
    for (size_t j = 0; j < cut->quasi_count; j++)
        if (price->relaxed[j] < (best == SIZE_MAX ? price->suppressed : price->relaxed[best]))
            best = j;
    cli_add_count(rows, price->k);
    cli_add_count(rows, price->p);
    cli_add_count(rows, (int64_t)price->suppressed);
    cli_add_real(rows, (double)price->suppressed / (double)cut->rows);
    if (best == SIZE_MAX) {
        cli_add_none(rows);
        cli_add_none(rows);
    } else {
        cli_add_text(rows, cut->quasi_names[best]);
        cli_add_count(rows, (int64_t)(price->suppressed - price->relaxed[best]));
    }
    cli_add_count(rows, (int64_t)price->classes_at_most);
    for (size_t j = 0; j < cut->quasi_count; j++)
        if (cut->bounded[j]) cli_add_count(rows, (int64_t)(price->suppressed - price->relaxed[j]));
}

static void print_cells(const hr_cut *cut) {
    unsigned long long in_cells = cut->rows - cut->dropped;
    printf("%llu row%s in %u MAM cell%s of %u to %u rows", in_cells, in_cells == 1 ? "" : "s",
           cut->cells, cut->cells == 1 ? "" : "s", cut->smallest, cut->largest);
    if (cut->dropped)
        printf("; %llu more %s dropped for a missing number", (unsigned long long)cut->dropped,
               cut->dropped == 1 ? "is" : "are");
    printf("\nrelax: the boundary whose going up one level would save most rows\n"
           "classes_at_most: no release can have more classes\n\n");
    fflush(stdout);
}

static hr_status print_prices(const hr_prices *prices, cli_format format, hr_error *err) {
    const hr_cut *cut = hr_prices_cut(prices);
    const hr_price *price;
    price_columns table = {0};
    hr_status status = make_columns(cut, &table, err);
    if (status == HR_OK) {
        cli_rows rows;
        cli_rows_start(&rows, table.columns, table.count);
        for (size_t i = 0; (price = hr_prices_at(prices, i)); i++)
            add_price(&rows, cut, price);
        if (format == CLI_TABLE) print_cells(cut);
        status = cli_rows_print(&rows, format, err);
    }
    hr_text_free(&table.names);
    free(table.columns);
    return status;
}

/* ---- the command ---- */

static hr_status price(const cli_arguments *arguments, const key_grid *grid, hr_error *err) {
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
    key_grid grid = {0};
    hr_status status = read_grid(arguments->own, arguments->job, &grid, err);
    if (status == HR_OK) status = price(arguments, &grid, err);
    free(grid.ks);
    free(grid.ps);
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
