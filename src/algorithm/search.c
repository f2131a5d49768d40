/* search.c - one algorithm over all MAM cells, largest first, in parallel. Cells are independent
 * and each has its own random numbers, so threads change nothing but the time; the clusters are
 * numbered by their first row at the end. An algorithm that must see all cells gets them at once. */
#include "algorithm/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t number, size;
} sized_cell;

typedef struct {
    const hr_search *search;
    size_t *start; /* rows of cell c: member[start[c]] .. */
    uint32_t *member;
    sized_cell *cells; /* those to be searched, largest first */
    size_t cell_count;
    hr_clusters *found; /* per cell to be searched */
    uint32_t *local;    /* cluster within its cell, in the order of member */
    hr_layout layout;
    void *shared;
    uint32_t *by_rank;     /* like member, but places within the cell, in the order of ranks */
    uint32_t *rank, *type; /* in the same order */
    hr_progress progress;
    hr_aim aim;
    unsigned pass;
    double haste;
    double started;
} run;

/* Of a time limit: what may be planned, and the least share of a pass that is worth beginning. */
static const double careful = 0.9, least_haste = 1.0 / 16;

static int largest_first(const void *a, const void *b) {
    const sized_cell *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Let the progress tell the loss: all rows count as suppressed at first. */
static void tell_loss(run *r, const hr_measure *measure) {
    const hr_microdata *data = r->search->data;
    uint64_t lost = data->rows * hr_measure_whole(measure, data);
    double least = strcmp(measure->name, "ntil") ? NAN : r->search->least;
    hr_progress_lose(&r->progress, measure->name, 1 / (double)lost, least, lost);
}

static hr_status list_cells(run *r, hr_error *err) {
    const hr_search *s = r->search;
    HR_TRY(hr_groups_members(s->cells, &r->start, &r->member, err));
    r->cells = hr_alloc(s->cells->count, sizeof *r->cells, err);
    r->found = hr_alloc(s->cells->count, sizeof *r->found, err);
    r->local = hr_alloc_raw(s->cells->rows, sizeof *r->local, err);
    if (!r->cells || !r->found || !r->local) return HR_ENOMEM;
    uint64_t rows = 0;
    for (uint32_t c = 0; c < s->cells->count; c++) {
        if (s->out[c]) continue;
        r->cells[r->cell_count++] = (sized_cell){c, (uint32_t)(r->start[c + 1] - r->start[c])};
        rows += r->start[c + 1] - r->start[c];
    }
    qsort(r->cells, r->cell_count, sizeof *r->cells, largest_first);
    hr_progress_start(&r->progress, s->watch, "search", rows);
    if (r->aim.loss) tell_loss(r, r->aim.loss);
    return HR_OK;
}

/* The least value that covers each cluster, attribute by attribute. */
static hr_status tighten(size_t cell, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    run *r = payload;
    const hr_microdata *data = r->search->data;
    const uint32_t *rows = r->member + r->start[r->cells[cell].number];
    hr_clusters *found = &r->found[cell];
    size_t t = data->quasi_count;
    if (found->values) return HR_OK;
    found->values = hr_alloc_raw(found->count * t, sizeof *found->values, err);
    if (!found->values) return HR_ENOMEM;
    memset(found->values, 0xff, found->count * t * sizeof *found->values);
    for (uint32_t i = 0; i < r->cells[cell].size; i++) {
        hr_span *values = found->values + found->cluster[i] * t;
        for (size_t j = 0; j < t; j++) {
            uint32_t value = hr_quasi_value(&data->quasi[j], rows[i]);
            hr_span own = {value, value};
            values[j] =
                values[j].lo == HR_NONE ? own : hr_quasi_join(&data->quasi[j], values[j], own);
        }
    }
    return HR_OK;
}

/* Threads that cells alone would leave without work. */
static unsigned threads_per_cell(const run *r) {
    unsigned threads = r->search->threads;
    return threads <= r->cell_count ? 1 : threads / (unsigned)r->cell_count;
}

static hr_status search_cell(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    run *r = payload;
    const hr_search *s = r->search;
    uint32_t cell = r->cells[i].number;
    hr_cell_task task = {.data = s->data,
                         .rows = r->member + r->start[cell],
                         .row_count = r->cells[i].size,
                         .k = (uint32_t)s->asked.k,
                         .p = (uint32_t)s->asked.p,
                         .seed = s->seed,
                         .stream = cell,
                         .options = s->options,
                         .layout = r->by_rank ? &r->layout : NULL,
                         .shared = r->shared,
                         .by_rank = r->by_rank ? r->by_rank + r->start[cell] : NULL,
                         .rank = r->rank ? r->rank + r->start[cell] : NULL,
                         .type = r->type ? r->type + r->start[cell] : NULL,
                         .progress = &r->progress,
                         .pass = r->pass,
                         .haste = r->haste,
                         .threads = threads_per_cell(r),
                         .started = r->started};
    hr_clusters *found = &r->found[i];
    found->cluster = r->local + r->start[cell];
    bool plain = s->reference && s->algorithm->run_reference;
    if (!found->finished)
        HR_TRY((plain ? s->algorithm->run_reference : s->algorithm->run)(&task, found, err));
    return HR_OK;
}

/* How much of the next pass there is time for, by what the last one took. */
static double haste(const run *r, double rate) {
    double left = r->started + r->aim.time_limit - hr_seconds();
    if (r->aim.time_limit <= 0 || r->pass == 0 || (rate <= 0 && left > 0)) return 1;
    double share = careful * left * rate / r->aim.work[r->pass];
    return share < least_haste ? 0 : share < 1 ? share : 1;
}

static hr_status run_passes(run *r, hr_partition *out, hr_error *err) {
    double rate = 0;
    for (r->pass = 0; r->pass < r->aim.passes; r->pass++) {
        double begin = hr_seconds();
        r->haste = haste(r, rate);
        out->time_limited = r->haste < 1;
        if (r->haste <= 0) break;
        HR_TRY(hr_parallel(r->cell_count, r->search->threads, search_cell, r, err));
        rate = r->aim.work[r->pass] * r->haste / (hr_seconds() - begin + 1e-9);
        if (out->time_limited) break;
    }
    return HR_OK;
}

/* Room for the values of all clusters. If there is only one cell, they are its own. */
static hr_status make_room(run *r, hr_partition *out, hr_error *err) {
    size_t t = r->search->data->quasi_count, clusters = 0;
    if (r->cell_count == 1) {
        out->values = r->found[0].values;
        r->found[0].values = NULL;
        return HR_OK;
    }
    for (size_t i = 0; i < r->cell_count; i++)
        clusters += r->found[i].count;
    out->values = hr_alloc_raw(clusters * t, sizeof *out->values, err);
    return out->values ? HR_OK : HR_ENOMEM;
}

static hr_status join_cells(run *r, hr_partition *out, hr_error *err) {
    size_t t = r->search->data->quasi_count;
    HR_TRY(make_room(r, out, err));
    for (size_t i = 0; i < r->cell_count; i++) {
        const hr_clusters *found = &r->found[i];
        const uint32_t *rows = r->member + r->start[r->cells[i].number];
        if (found->values)
            memcpy(out->values + out->cluster_count * t, found->values,
                   found->count * t * sizeof *out->values);
        for (uint32_t m = 0; m < r->cells[i].size; m++)
            out->cluster[rows[m]] = out->cluster_count + found->cluster[m];
        out->cluster_count += found->count;
        out->time_limited = out->time_limited || found->time_limited;
    }
    return hr_partition_canonize(out, err);
}

/* Where a row belongs, side by side: they are read in the order of ranks, one miss a row. */
typedef struct {
    uint32_t cell, place, type, rank;
} belonging;

/* Rows in the order of ranks, which all belong to one cell. */
static hr_status take_order(run *r, hr_error *err) {
    hr_layout *layout = &r->layout;
    r->rank = hr_alloc_raw(layout->sorted_count, sizeof *r->rank, err);
    r->type = hr_alloc_raw(layout->sorted_count, sizeof *r->type, err);
    if (!r->rank || !r->type) return HR_ENOMEM;
    for (size_t i = 0; i < layout->sorted_count; i++) {
        r->rank[i] = layout->rank[layout->sorted[i]];
        r->type[i] = layout->type[layout->sorted[i]];
    }
    r->by_rank = layout->sorted;
    layout->sorted = NULL;
    return HR_OK;
}

/* Rows in the order of ranks, dealt to their cells. */
static hr_status deal_to_cells(run *r, hr_error *err) {
    const hr_groups *cells = r->search->cells;
    const hr_layout *layout = &r->layout;
    belonging *of_row = hr_alloc_raw(cells->rows, sizeof *of_row, err);
    size_t *filled = hr_alloc(cells->count, sizeof *filled, err);
    r->by_rank = hr_alloc_raw(cells->rows, sizeof *r->by_rank, err);
    r->rank = hr_alloc_raw(cells->rows, sizeof *r->rank, err);
    r->type = hr_alloc_raw(cells->rows, sizeof *r->type, err);
    hr_status status = of_row && filled && r->by_rank && r->rank && r->type ? HR_OK : HR_ENOMEM;
    for (size_t row = 0; row < cells->rows && status == HR_OK; row++) {
        uint32_t cell = cells->of_row[row];
        if (cell != HR_NONE)
            of_row[row] =
                (belonging){cell, (uint32_t)filled[cell]++, layout->type[row], layout->rank[row]};
    }
    for (uint32_t c = 0; c < cells->count && status == HR_OK; c++)
        filled[c] = r->start[c];
    for (size_t i = 0; i < layout->sorted_count && status == HR_OK; i++) {
        uint32_t row = layout->sorted[i];
        size_t at = filled[of_row[row].cell]++;
        r->by_rank[at] = of_row[row].place;
        r->rank[at] = of_row[row].rank;
        r->type[at] = of_row[row].type;
    }
    free(of_row);
    free(filled);
    return status;
}

/* What the clusters publish in place of their values. */
static hr_status take_means(const hr_microdata *data, hr_partition *out, hr_error *err) {
    hr_groups clusters = {out->cluster, out->rows, out->cluster_count};
    out->means = hr_alloc_raw(out->quasi_count * out->cluster_count, sizeof *out->means, err);
    if (!out->means) return HR_ENOMEM;
    for (size_t j = 0; j < out->quasi_count; j++)
        HR_TRY(
            hr_quasi_means(&data->quasi[j], &clusters, out->means + j * out->cluster_count, err));
    return HR_OK;
}

static hr_status search_all(run *r, hr_partition *out, hr_error *err) {
    const hr_search *s = r->search;
    HR_TRY(list_cells(r, err));
    if (s->algorithm->wants_layout) {
        HR_TRY(hr_layout_make(s->data, &r->layout, err));
        bool one = s->cells->count == 1 && r->layout.sorted_count == s->cells->rows;
        HR_TRY(one ? take_order(r, err) : deal_to_cells(r, err));
    }
    if (s->algorithm->share)
        HR_TRY(s->algorithm->share(s->data, &r->layout, s->options, &r->shared, err));
    HR_TRY(run_passes(r, out, err));
    HR_TRY(hr_parallel(r->cell_count, s->threads, tighten, r, err));
    hr_progress_end(&r->progress);
    HR_TRY(join_cells(r, out, err));
    return s->algorithm->publishes_means ? take_means(s->data, out, err) : HR_OK;
}

/* An algorithm that sees all cells at once. */
static hr_status search_whole(const hr_search *s, hr_partition *out, hr_error *err) {
    hr_lattice unasked = {0};
    hr_progress progress = {0};
    hr_whole_task task = {.data = s->data,
                          .cells = s->cells,
                          .out = s->out,
                          .keep_boundaries = !s->count_boundaries,
                          .k = (uint32_t)s->asked.k,
                          .p = (uint32_t)s->asked.p,
                          .options = s->options,
                          .threads = s->threads,
                          .watch = s->watch,
                          .progress = &progress,
                          .lattice = s->lattice ? s->lattice : &unasked};
    bool plain = s->reference && s->algorithm->run_whole_reference;
    hr_status status =
        (plain ? s->algorithm->run_whole_reference : s->algorithm->run_whole)(&task, out, err);
    hr_lattice_free(&unasked);
    if (status != HR_OK) return status;
    hr_progress_end(&progress);
    return hr_partition_canonize(out, err);
}

hr_status hr_search_run(const hr_search *search, hr_partition *out, hr_error *err) {
    run r = {.search = search,
             .aim = {.passes = 1},
             .started = search->started > 0 ? search->started : hr_seconds()};
    if (search->algorithm->aim) r.aim = search->algorithm->aim(search->options);
    *out = (hr_partition){.rows = search->data->rows, .quasi_count = search->data->quasi_count};
    out->cluster = hr_alloc_raw(out->rows, sizeof *out->cluster, err);
    if (!out->cluster) return HR_ENOMEM;
    memset(out->cluster, 0xff, out->rows * sizeof *out->cluster);
    hr_status status =
        search->algorithm->run_whole ? search_whole(search, out, err) : search_all(&r, out, err);
    for (size_t i = 0; i < r.cell_count; i++)
        free(r.found[i].values);
    free(r.start);
    free(r.member);
    free(r.cells);
    free(r.found);
    free(r.local);
    free(r.by_rank);
    free(r.rank);
    free(r.type);
    if (search->algorithm->unshare) search->algorithm->unshare(r.shared);
    hr_layout_free(&r.layout);
    if (status != HR_OK) hr_partition_free(out);
    return status;
}
