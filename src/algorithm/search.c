/* search.c - runs an algorithm. One that clusters a cell at a time is run on all MAM cells that are
 * not OUT, in parallel and largest first. Cells are independent and each has its own stream of
 * random numbers, so the number of threads changes nothing but the time. In the end clusters are
 * numbered by their first row. */
#include "algorithm/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t number, size;
} sized_cell;

typedef struct {
    const hr_search *search;
    uint32_t *start; /* rows of cell c: member[start[c]] .. member[start[c + 1] - 1] */
    uint32_t *member;
    sized_cell *cells; /* cells to search, largest first */
    size_t cell_count;
    hr_clusters *found; /* per cell to search */
    uint32_t *local;    /* cluster of member[i] within its cell */
    hr_layout layout;
    void *shared;          /* made by the algorithm's `prepare` */
    const hr_judge *judge; /* NULL: only k and p */
    /* Parallel to `member`, each cell in the order of ranks: position of the row within its cell,
     * rank of its combination, its type. NULL without a layout. */
    uint32_t *by_rank, *rank, *type;
    hr_progress progress;
    hr_aim aim;
    unsigned pass; /* current pass */
    double end;    /* hr_seconds() at which the time limit ends the search; 0: none */
    atomic_uint_fast64_t waiting; /* rows of the cells that the pass has not begun */
} cell_run;

static int largest_first(const void *a, const void *b) {
    const sized_cell *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Reports the loss with the progress, beginning with that of suppressing every row. */
static void show_loss(cell_run *r, const hr_measure *measure) {
    const hr_microdata *data = r->search->data;
    uint64_t lost = data->rows * hr_measure_whole(measure, data);
    double least = strcmp(measure->name, "ntil") ? NAN : r->search->least;
    hr_progress_lose(&r->progress, measure->name, 1 / (double)lost, least, lost);
}

static hr_status list_cells(cell_run *r, hr_error *err) {
    const hr_search *s = r->search;
    HR_TRY(hr_groups_members(s->cells, &r->start, &r->member, err));
    r->cells = hr_alloc(s->cells->count, sizeof *r->cells, err);
    r->found = hr_alloc(s->cells->count, sizeof *r->found, err);
    r->local = hr_alloc_raw(s->cells->rows, sizeof *r->local, err);
    if (!r->cells || !r->found || !r->local) return HR_ENOMEM;
    uint64_t rows = 0;
    for (uint32_t c = 0; c < s->cells->count; c++) {
        if (s->out[c]) continue;
        r->cells[r->cell_count++] = (sized_cell){c, r->start[c + 1] - r->start[c]};
        rows += r->start[c + 1] - r->start[c];
    }
    qsort(r->cells, r->cell_count, sizeof *r->cells, largest_first);
    hr_progress_start(&r->progress, s->watch, "search", rows);
    if (r->aim.loss) show_loss(r, r->aim.loss);
    return HR_OK;
}

/* Gives each cluster of a cell the narrowest values that cover it, unless the algorithm chose the
 * values. */
static hr_status cover_clusters(size_t cell, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    cell_run *r = payload;
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

/* With fewer cells than threads, each cell may use several. */
static unsigned threads_per_cell(const cell_run *r) {
    unsigned threads = r->search->threads;
    return threads <= r->cell_count ? 1 : threads / (unsigned)r->cell_count;
}

static bool fills_time(const cell_run *r) {
    return r->end > 0 && r->pass > 0 && r->pass + 1 == r->aim.passes;
}

/* The time at which the pass has to end in a cell. The last pass divides the remaining time among
 * the waiting cells in proportion to their rows. */
static double cell_deadline(cell_run *r, size_t i) {
    uint64_t own = r->cells[i].size, waiting = atomic_fetch_sub(&r->waiting, own);
    if (!fills_time(r)) return r->end;
    unsigned parallel = r->search->threads / threads_per_cell(r);
    double now = hr_seconds(), share = (double)own * (double)parallel / (double)waiting;
    return r->end > now && share < 1 ? now + (r->end - now) * share : r->end;
}

/* Rows that a class has at least: k units have k rows, and p values have p. */
static uint32_t least_rows(const hr_search *s) {
    return (uint32_t)(s->asked.k > s->asked.p ? s->asked.k : s->asked.p);
}

static hr_status search_cell(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    cell_run *r = payload;
    const hr_search *s = r->search;
    uint32_t cell = r->cells[i].number;
    double deadline = cell_deadline(r, i);
    hr_cell_task task = {.data = s->data,
                         .rows = r->member + r->start[cell],
                         .row_count = r->cells[i].size,
                         .k = least_rows(s),
                         .p = (uint32_t)s->asked.p,
                         .judge = r->judge,
                         .seed = s->seed,
                         .stream = s->streams ? s->streams[cell] : cell,
                         .options = s->options,
                         .layout = r->by_rank ? &r->layout : NULL,
                         .shared = r->shared,
                         .by_rank = r->by_rank ? r->by_rank + r->start[cell] : NULL,
                         .rank = r->rank ? r->rank + r->start[cell] : NULL,
                         .type = r->type ? r->type + r->start[cell] : NULL,
                         .progress = &r->progress,
                         .pass = r->pass,
                         .fills_time = fills_time(r),
                         .threads = threads_per_cell(r),
                         .deadline = deadline};
    hr_clusters *found = &r->found[i];
    found->cluster = r->local + r->start[cell];
    if (found->finished) return HR_OK;
    if (r->pass > 0 && hr_progress_finishes(&r->progress)) {
        found->time_limited = true;
        return HR_OK;
    }
    const hr_cell_search *own = s->algorithm->per_cell;
    HR_TRY((s->reference && own->run_reference ? own->run_reference : own->run)(&task, found, err));
    bool repaired = r->judge && s->algorithm->others == HR_OTHERS_REPAIRED;
    return repaired ? hr_clusters_repair(&task, found, err) : HR_OK;
}

static hr_status run_passes(cell_run *r, hr_error *err) {
    uint64_t rows = 0;
    for (size_t i = 0; i < r->cell_count; i++)
        rows += r->cells[i].size;
    for (r->pass = 0; r->pass < r->aim.passes; r->pass++) {
        atomic_store(&r->waiting, rows);
        HR_TRY(hr_parallel(r->cell_count, r->search->threads, search_cell, r, err));
    }
    return HR_OK;
}

/* Allocates the values of all clusters. A single cell hands over its own array. */
static hr_status make_room(cell_run *r, hr_partition *out, hr_error *err) {
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

static hr_status join_cells(cell_run *r, hr_partition *out, hr_error *err) {
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

/* All data of a row that by_rank, rank and type need, together in one cache line, because rows are
 * visited in the order of ranks, which is random in memory. */
typedef struct {
    uint32_t cell, position, type, rank; /* position: in the cell */
} row_entry;

/* Fills by_rank, rank and type for a table that is one cell: the sorted rows of the layout. */
static hr_status take_order(cell_run *r, hr_error *err) {
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

/* Fills by_rank, rank and type: goes through the rows in the order of ranks and appends each to its
 * cell. */
static hr_status deal_to_cells(cell_run *r, hr_error *err) {
    const hr_groups *cells = r->search->cells;
    const hr_layout *layout = &r->layout;
    row_entry *of_row = hr_alloc_raw(cells->rows, sizeof *of_row, err);
    size_t *filled = hr_alloc(cells->count, sizeof *filled, err);
    r->by_rank = hr_alloc_raw(cells->rows, sizeof *r->by_rank, err);
    r->rank = hr_alloc_raw(cells->rows, sizeof *r->rank, err);
    r->type = hr_alloc_raw(cells->rows, sizeof *r->type, err);
    hr_status status = of_row && filled && r->by_rank && r->rank && r->type ? HR_OK : HR_ENOMEM;
    for (size_t row = 0; row < cells->rows && status == HR_OK; row++) {
        uint32_t cell = cells->of_row[row];
        of_row[row].cell = HR_NONE;
        if (cell != HR_NONE)
            of_row[row] =
                (row_entry){cell, (uint32_t)filled[cell]++, layout->type[row], layout->rank[row]};
    }
    for (uint32_t c = 0; c < cells->count && status == HR_OK; c++)
        filled[c] = r->start[c];
    for (size_t i = 0; i < layout->sorted_count && status == HR_OK; i++) {
        uint32_t row = layout->sorted[i];
        if (of_row[row].cell == HR_NONE) continue; /* the row is suppressed */
        size_t at = filled[of_row[row].cell]++;
        r->by_rank[at] = of_row[row].position;
        r->rank[at] = of_row[row].rank;
        r->type[at] = of_row[row].type;
    }
    free(of_row);
    free(filled);
    return status;
}

/* Gives the clusters means to publish instead of values. */
static hr_status take_means(const hr_search *s, hr_partition *out, hr_error *err) {
    hr_groups clusters = {.of_row = out->cluster, .rows = out->rows, .count = out->cluster_count};
    out->mean_decimals = s->algorithm->mean_decimals(s->options);
    out->means = hr_alloc_raw(out->quasi_count * out->cluster_count, sizeof *out->means, err);
    if (!out->means) return HR_ENOMEM;
    for (size_t j = 0; j < out->quasi_count; j++)
        HR_TRY(hr_quasi_means(&s->data->quasi[j], &clusters, out->means + j * out->cluster_count,
                              err));
    return HR_OK;
}

static hr_status run_cells(cell_run *r, hr_partition *out, hr_error *err) {
    const hr_search *s = r->search;
    const hr_cell_search *own = s->algorithm->per_cell;
    HR_TRY(list_cells(r, err));
    if (own->wants_layout) {
        HR_TRY(hr_layout_make(s->data, &r->layout, err));
        bool one = s->cells->count == 1 && r->start[1] == s->cells->rows;
        HR_TRY(one ? take_order(r, err) : deal_to_cells(r, err));
    }
    if (own->prepare) HR_TRY(own->prepare(s->data, &r->layout, s->options, &r->shared, err));
    HR_TRY(run_passes(r, err));
    HR_TRY(hr_parallel(r->cell_count, s->threads, cover_clusters, r, err));
    hr_progress_end(&r->progress);
    return join_cells(r, out, err);
}

static hr_status search_cells(const hr_search *s, const hr_judge *judge, hr_partition *out,
                              hr_error *err) {
    cell_run r = {.search = s, .judge = judge, .aim = hr_algorithm_aim(s->algorithm, s->options)};
    if (r.aim.time_limit > 0)
        r.end = (s->started > 0 ? s->started : hr_seconds()) + r.aim.time_limit;
    hr_status status = run_cells(&r, out, err);
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
    if (s->algorithm->per_cell->discard) s->algorithm->per_cell->discard(r.shared);
    hr_layout_free(&r.layout);
    return status;
}

static hr_status search_table(const hr_search *s, const hr_judge *judge, hr_partition *out,
                              hr_findings **findings, hr_error *err) {
    const hr_table_search *own = s->algorithm->whole_table;
    hr_progress progress = {0};
    hr_table_task task = {.data = s->data,
                          .cells = s->cells,
                          .out = s->out,
                          .keep_boundaries = !s->count_boundaries,
                          .k = least_rows(s),
                          .p = (uint32_t)s->asked.p,
                          .judge = judge,
                          .options = s->options,
                          .threads = s->threads,
                          .watch = s->watch,
                          .progress = &progress};
    bool plain = s->reference && own->run_reference;
    HR_TRY((plain ? own->run_reference : own->run)(&task, out, findings, err));
    hr_progress_end(&progress);
    return hr_partition_canonize(out, err);
}

/* k and p alone need no judge: algorithms have faster ways to enforce them. Nor do units that have
 * one row each: counting them is counting rows. */
static hr_status make_judge(const hr_search *s, hr_judge *judge, hr_error *err) {
    const hr_sensitive *unit = s->data->unit;
    hr_requirements asked = s->asked;
    asked.unit = unit && hr_unit_repeats(unit);
    if (!hr_models_beyond_kp(&asked)) return HR_OK;
    HR_TRY(hr_judge_make(s->data->sensitive, s->data->sensitive_count, &asked, s->refers_to, judge,
                         err));
    if (asked.unit) hr_judge_count_units(judge, unit, unit->value_count);
    return HR_OK;
}

static hr_status search_judged(const hr_search *s, hr_partition *out, hr_findings **findings,
                               hr_error *err) {
    hr_judge judge = {0};
    HR_TRY(make_judge(s, &judge, err));
    const hr_judge *used = judge.words ? &judge : NULL;
    hr_status status = s->algorithm->per_cell ? search_cells(s, used, out, err)
                                              : search_table(s, used, out, findings, err);
    hr_judge_free(&judge);
    return status;
}

hr_status hr_search_run(const hr_search *search, hr_partition *out, hr_error *err) {
    hr_findings *findings = NULL;
    *out = (hr_partition){.rows = search->data->rows, .quasi_count = search->data->quasi_count};
    if (search->findings) *search->findings = NULL;
    out->cluster = hr_alloc_raw(out->rows, sizeof *out->cluster, err);
    if (!out->cluster) return HR_ENOMEM;
    memset(out->cluster, 0xff, out->rows * sizeof *out->cluster);
    hr_status status = search_judged(search, out, &findings, err);
    if (status == HR_OK && hr_publishes_means(search->algorithm))
        status = take_means(search, out, err);
    if (status != HR_OK) hr_partition_free(out);
    if (status == HR_OK && search->findings)
        *search->findings = findings;
    else
        hr_findings_free(findings);
    return status;
}
