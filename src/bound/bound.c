/* bound.c - the lower bound of a whole table: the simple bound, then a climb in every cell where it
 * may prove more. Large cells climb one after the other, each with all threads; then small cells
 * climb in parallel, each with one thread. Cells are independent, so the number of threads changes
 * only the time. */
#include "bound/near.h"

#include <stdlib.h>
#include <string.h>

enum {
    PAIRS = 1 << 23,       /* (combination, box) pairs listed in all cells; a cell's part is
                              proportional to its size */
    PAIRS_LEAST = 1 << 18, /* pairs that every cell may list */
    WORK_EACH = 8,         /* work limit of the simple bound, per combination */
    WORK_LEAST = 1 << 23,  /* least work limit */
    WORK_CLIMB = 16,       /* factor of the limit if a climb follows, which takes longer anyway */
    NEAR_MOST = 1 << 21,   /* work of the search for neighbours, per combination: at most, */
    NEAR_LEAST = 1 << 16,  /* and at least */
    NEAR_CLIMB = 2,        /* factor of this work if a climb follows */
    NEAR_ROWS = 8          /* times the average number of rows that a near combination may have */
};
/* Work of the search for neighbours in all: at most, unless NEAR_LEAST demands more, and what it
 * may be in small tables although NEAR_MOST allows less. */
static const uint64_t near_total = UINT64_C(1) << 35, near_small = UINT64_C(1) << 32;

typedef struct {
    uint32_t number, size;
} sized_cell;

typedef struct {
    const hr_bound_request *request;
    hr_bound_table table;
    uint64_t *least;     /* per combination: see hr_bound_simple */
    int64_t *multiplier; /* per kind of the table */
    int64_t *price;      /* per cell */
    uint64_t *loss;      /* per cell: lower bound so far */
    sized_cell *cells;   /* largest first */
    hr_progress progress;
    atomic_uint_fast64_t waiting; /* combinations of cells whose climb has not begun */
} run;

/* ---- one cell ---- */

/* Sets the simple bound of a cell. */
static void start_cell(run *r, uint32_t cell) {
    const hr_bound_table *table = &r->table;
    for (uint32_t c = table->cell_start[cell]; c < table->cell_start[cell + 1]; c++)
        for (uint32_t kind = table->kinds.kind_start[c]; kind < table->kinds.kind_start[c + 1];
             kind++) {
            r->multiplier[kind] = (int64_t)r->least[c];
            r->loss[cell] += r->least[c] * table->kinds.kind_rows[kind];
        }
}

/* Deadline of a cell: the remaining time is divided among the waiting cells in proportion to their
 * sizes. */
static double cell_deadline(run *r, uint32_t cell, unsigned threads) {
    uint32_t own = hr_bound_cell_size(&r->table, cell);
    uint64_t waiting = atomic_fetch_sub(&r->waiting, own);
    double parallel = threads > 1 ? 1 : r->request->threads, now = hr_seconds();
    double share = own * parallel / (double)waiting;
    if (r->request->deadline <= 0) return 0;
    return now + (r->request->deadline - now) * (share < 1 ? share : 1);
}

/* Climbs in a cell. Keeps the multipliers and the price found if they prove more than the simple
 * bound. */
static hr_status climb_list(run *r, uint32_t cell, const hr_bound_list *list, unsigned threads,
                            double deadline, hr_error *err) {
    size_t count = list->cell.kind_count;
    int64_t *own = r->multiplier + r->table.kinds.kind_start[r->table.cell_start[cell]];
    hr_bound_prices prices = {.multiplier = hr_alloc_raw(count, sizeof *own, err)};
    if (!prices.multiplier) return HR_ENOMEM;
    memcpy(prices.multiplier, own, count * sizeof *own);
    hr_bound_effort effort = {r->request->steps, threads, deadline, &r->progress};
    hr_status status = hr_bound_climb(&list->cell, &effort, &prices, err);
    if (status == HR_OK && prices.bound > (int64_t)r->loss[cell]) {
        r->loss[cell] = (uint64_t)prices.bound;
        r->price[cell] = prices.price;
        memcpy(own, prices.multiplier, count * sizeof *own);
    }
    free(prices.multiplier);
    return status;
}

typedef struct {
    uint64_t least, rows;
} weighed;

static int cheapest_first(const void *a, const void *b) {
    const weighed *x = a, *y = b;
    return x->least < y->least ? -1 : x->least > y->least;
}

/* Median, over the rows of a cell, of the simple bound. A climb under a lower ceiling could raise
 * less than half of the multipliers. */
static hr_status median_least(const run *r, uint32_t cell, uint64_t *out, hr_error *err) {
    uint32_t start = r->table.cell_start[cell], size = hr_bound_cell_size(&r->table, cell);
    uint64_t all = 0, below = 0;
    weighed *list = hr_alloc_raw(size, sizeof *list, err);
    if (!list) return HR_ENOMEM;
    for (uint32_t i = 0; i < size; i++) {
        list[i] = (weighed){r->least[start + i], r->table.kinds.combination_rows[start + i]};
        all += list[i].rows;
    }
    qsort(list, size, sizeof *list, cheapest_first);
    uint32_t i = 0;
    while (i + 1 < size && (below += list[i].rows) < all / 2)
        i++;
    *out = list[i].least;
    free(list);
    return HR_OK;
}

static hr_status climb_cell(run *r, uint32_t cell, unsigned threads, hr_error *err) {
    const hr_bound_table *table = &r->table;
    uint64_t own = hr_bound_cell_size(table, cell);
    uint64_t pairs = PAIRS * own / table->kinds.combination_count;
    double deadline = cell_deadline(r, cell, threads);
    hr_bound_list list;
    uint64_t least;
    HR_TRY(median_least(r, cell, &least, err));
    if (pairs < PAIRS_LEAST) pairs = PAIRS_LEAST;
    HR_TRY(hr_bound_list_make(table, cell, pairs, least, deadline, &r->progress, &list, err));
    list.cell.least = r->least + table->cell_start[cell];
    hr_status status = list.cell.count > 0 ? climb_list(r, cell, &list, threads, deadline, err)
                                           : hr_progress_add(&r->progress, r->request->steps, err);
    hr_bound_list_free(&list);
    return status;
}

/* Climbs in one of the small cells with one thread. */
static hr_status climb_alone(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    run *r = payload;
    return climb_cell(r, r->cells[i].number, 1, err);
}

/* ---- all cells ---- */

static int largest_first(const void *a, const void *b) {
    const sized_cell *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static hr_status climb_cells(run *r, hr_error *err) {
    const hr_bound_table *table = &r->table;
    unsigned threads = r->request->threads;
    uint32_t wide = 0;
    for (uint32_t cell = 0; cell < table->cell_count; cell++)
        r->cells[cell] = (sized_cell){cell, hr_bound_cell_size(table, cell)};
    qsort(r->cells, table->cell_count, sizeof *r->cells, largest_first);
    while (wide < table->cell_count && threads > 1 &&
           r->cells[wide].size > table->kinds.combination_count / (2 * threads))
        wide++;
    atomic_store(&r->waiting, table->kinds.combination_count);
    hr_progress_start(&r->progress, r->request->watch, "bound",
                      (uint64_t)r->request->steps * table->cell_count);
    for (uint32_t i = 0; i < wide; i++)
        HR_TRY(climb_cell(r, r->cells[i].number, threads, err));
    sized_cell *all = r->cells;
    r->cells += wide;
    hr_status status = hr_parallel(table->cell_count - wide, threads, climb_alone, r, err);
    r->cells = all;
    HR_TRY(status);
    hr_progress_end(&r->progress);
    return HR_OK;
}

static uint64_t total_loss(const run *r) {
    uint64_t total = r->table.lost * r->table.kinds.t * (uint64_t)HR_COST_ONE;
    for (uint32_t cell = 0; cell < r->table.cell_count; cell++)
        total += r->loss[cell];
    return total;
}

/* Renumbers the kinds by first row. Cells have that order already. */
static hr_status set_result(run *r, hr_bound *out, hr_error *err) {
    hr_bound_table *table = &r->table;
    out->kind_count = table->kinds.kind_count;
    out->cell_count = table->cell_count;
    out->loss = total_loss(r);
    out->multiplier = hr_alloc_raw(table->kinds.kind_count, sizeof *out->multiplier, err);
    if (!out->multiplier) return HR_ENOMEM;
    for (uint32_t kind = 0; kind < table->kinds.kind_count; kind++)
        out->multiplier[table->kind_number[kind]] = r->multiplier[kind];
    out->price = r->price;
    r->price = NULL;
    if (!r->request->wants_rows) return HR_OK;
    out->kind_of_row = table->kind_of_row;
    table->kind_of_row = NULL;
    return HR_OK;
}

/* ---- the whole ---- */

/* When a stage has to end that may use a share of the time that is left. */
static double share_of_time(const run *r, double share) {
    double now = hr_seconds(), left = r->request->deadline - now;
    if (r->request->deadline <= 0) return 0;
    return left > 0 ? now + left * share : now;
}

/* Work of the search for neighbours, per combination. */
static uint64_t near_work(uint32_t combinations) {
    uint64_t most = near_small / combinations, work = near_total / combinations;
    if (most < NEAR_MOST) most = NEAR_MOST;
    if (work > most) work = most;
    return work > NEAR_LEAST ? work : NEAR_LEAST;
}

/* Can the combinations that are kept as near hold a class? With a much greater k, how far they are
 * says little. */
static bool can_be_near(const hr_kinds *kinds) {
    uint64_t rows = (uint64_t)NEAR_ROWS * HR_NEAR_MOST * kinds->row_count;
    return kinds->k <= rows / kinds->combination_count;
}

/* Sets r->least: by walking boxes, and by neighbours where that does not suffice. */
static hr_status find_least(run *r, bool *exact, hr_error *err) {
    const hr_bound_request *q = r->request;
    uint64_t work = (uint64_t)WORK_EACH * r->table.kinds.combination_count, ceiling = 0;
    if (work < WORK_LEAST) work = WORK_LEAST;
    if (q->steps) work *= WORK_CLIMB;
    HR_TRY(hr_bound_simple(&r->table, work, share_of_time(r, q->steps ? 0.25 : 0.5), q->threads,
                           q->watch, r->least, &ceiling, err));
    *exact = true;
    for (uint32_t c = 0; c < r->table.kinds.combination_count && *exact; c++)
        *exact = r->least[c] != UINT64_MAX;
    if (*exact) return HR_OK;
    if (!can_be_near(&r->table.kinds)) {
        for (uint32_t c = 0; c < r->table.kinds.combination_count; c++)
            if (r->least[c] == UINT64_MAX) r->least[c] = ceiling;
        return HR_OK;
    }
    hr_near_effort near = {.work = near_work(r->table.kinds.combination_count) *
                                   (q->steps ? NEAR_CLIMB : 1),
                           .deadline = share_of_time(r, q->steps ? 0.5 : 1),
                           .threads = q->threads,
                           .watch = q->watch};
    return hr_bound_near(&r->table, &near, ceiling, r->least, err);
}

static hr_status find_bound(run *r, hr_bound *out, hr_error *err) {
    const hr_bound_request *q = r->request;
    HR_TRY(hr_bound_table_make(q->data, q->cells, q->out, &q->asked, &r->table, err));
    r->least = hr_alloc(r->table.kinds.combination_count, sizeof *r->least, err);
    r->multiplier = hr_alloc(r->table.kinds.kind_count, sizeof *r->multiplier, err);
    r->price = hr_alloc(r->table.cell_count, sizeof *r->price, err);
    r->loss = hr_alloc(r->table.cell_count, sizeof *r->loss, err);
    r->cells = hr_alloc(r->table.cell_count, sizeof *r->cells, err);
    if (!r->least || !r->multiplier || !r->price || !r->loss || !r->cells) return HR_ENOMEM;
    HR_TRY(find_least(r, &out->exact, err));
    for (uint32_t cell = 0; cell < r->table.cell_count; cell++)
        start_cell(r, cell);
    out->simple = total_loss(r);
    if (q->steps) HR_TRY(climb_cells(r, err));
    out->time_limited = q->deadline > 0 && hr_seconds() >= q->deadline;
    return set_result(r, out, err);
}

hr_status hr_bound_find(const hr_bound_request *request, hr_bound *out, hr_error *err) {
    run r = {.request = request};
    *out = (hr_bound){0};
    hr_status status = find_bound(&r, out, err);
    free(r.least);
    free(r.multiplier);
    free(r.price);
    free(r.loss);
    free(r.cells);
    hr_bound_table_free(&r.table);
    if (status != HR_OK) hr_bound_free(out);
    return status;
}

double hr_bound_ntil(uint64_t loss, const hr_microdata *data) {
    return (double)loss / HR_COST_ONE / ((double)data->rows * (double)data->quasi_count);
}

void hr_bound_free(hr_bound *bound) {
    free(bound->multiplier);
    free(bound->price);
    free(bound->kind_of_row);
    *bound = (hr_bound){0};
}
