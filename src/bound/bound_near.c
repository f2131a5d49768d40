/* bound_near.c - the simple bound of combinations around which the walk of bound_simple.c found no
 * box: there are too many boxes to walk, as in most tables of more than six or seven attributes.
 * Two arguments bound the cost of the box in which a combination is released (docs/explanation/
 * proof-of-the-bound.md, "Neighbours"):
 *
 * - A class needs k rows and p values. near_box.c bounds the cost of a box that contains them.
 * - Take any p - 1 values of a sensitive attribute. A class has p values, so it has a row with
 *   another value, a rare row if the p - 1 are the most frequent ones. So the box costs at least as
 *   much as the nearest rare row is away.
 *
 * Combinations are searched in chunks, and each chunk may do a certain amount of work, so the
 * result does not depend on the number of threads. */
#include "bound/near.h"

#include <stdlib.h>
#include <string.h>

enum { BOX_SHARE = 8 /* a box may take 1 / BOX_SHARE of the work of a combination */ };

typedef struct {
    hr_near_finder *finder;
    hr_near_boxer *boxer;
    hr_near near;
} worker;

typedef struct {
    const hr_bound_table *table;
    const hr_near_effort *effort;
    uint64_t ceiling;
    uint64_t *least;
    hr_near_space all, rare;
    bool has_rare;
    worker *workers;
    unsigned worker_count;
    uint32_t *cell_of; /* per block of `all` */
    hr_progress progress;
} search;

/* ---- rare rows ---- */

typedef struct {
    uint64_t rows;
    uint32_t value;
} counted_value;

static int most_first(const void *a, const void *b) {
    const counted_value *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Chooses the combinations with a value of attribute l that is not among the p - 1 most frequent,
 * if their rows are fewer than *fewest. `list` and `common` have room for the attribute's
 * values. */
static void choose_by(const hr_kinds *kinds, size_t l, counted_value *list, bool *common,
                      uint64_t *fewest, bool *chosen) {
    uint32_t values = kinds->value_count[l];
    uint64_t rows = 0;
    for (uint32_t i = 0; i < values; i++)
        list[i] = (counted_value){0, i};
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++) {
        uint32_t value = kinds->kind_value[kind * kinds->r + l];
        if (value != HR_NONE) list[value].rows += kinds->kind_rows[kind];
    }
    qsort(list, values, sizeof *list, most_first);
    for (uint32_t i = 0; i < values; i++) {
        common[list[i].value] = i + 1 < kinds->p;
        if (i + 1 >= kinds->p) rows += list[i].rows;
    }
    if (rows >= *fewest) return;
    *fewest = rows;
    memset(chosen, 0, kinds->combination_count * sizeof *chosen);
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++) {
        uint32_t value = kinds->kind_value[kind * kinds->r + l];
        if (value != HR_NONE && !common[value]) chosen[kinds->kind_combination[kind]] = true;
    }
}

/* Makes the space of the rare rows, by the attribute for which they are fewest. */
static hr_status find_rare(search *s, hr_error *err) {
    const hr_kinds *kinds = &s->table->kinds;
    uint64_t fewest = UINT64_MAX;
    if (kinds->r == 0) return HR_OK;
    size_t values = kinds->value_start[kinds->r];
    bool *chosen = hr_alloc(kinds->combination_count, sizeof *chosen, err);
    bool *common = hr_alloc(values, sizeof *common, err);
    counted_value *list = hr_alloc(values, sizeof *list, err);
    hr_status status = chosen && common && list ? HR_OK : HR_ENOMEM;
    for (size_t l = 0; l < kinds->r && status == HR_OK; l++)
        choose_by(kinds, l, list, common, &fewest, chosen);
    if (status == HR_OK) status = hr_near_space_make(s->table, chosen, &s->rare, &s->has_rare, err);
    free(chosen);
    free(common);
    free(list);
    return status;
}

/* ---- combinations ---- */

/* Sets *least, in units, to a lower bound for one combination, at place `place` of the space. */
static hr_status bound_one(search *s, worker *w, uint32_t cell, uint32_t place, uint64_t *least,
                           hr_error *err) {
    uint32_t seed = s->all.order[place], rare = 0;
    HR_TRY(hr_near_find(w->finder, &s->all, cell, seed, &w->near, err));
    if (s->has_rare) HR_TRY(hr_near_distance(w->finder, &s->rare, cell, seed, &rare, err));
    uint32_t own = hr_near_least(w->boxer, &w->near, s->effort->work / BOX_SHARE);
    *least = own > rare ? own : rare; /* the cell is not OUT, so it has rare rows */
    return HR_OK;
}

/* Bounds the combinations of a block. Those for which the work or the time of the block does not
 * suffice keep the ceiling of the walk. */
static hr_status bound_block(size_t block, unsigned number, void *payload, hr_error *err) {
    search *s = payload;
    worker *w = &s->workers[number];
    uint64_t begin = hr_near_work(w->finder) + hr_near_box_work(w->boxer), done = 0;
    for (uint32_t i = 0; i < HR_NEAR_LANES; i++) {
        uint32_t place = (uint32_t)block * HR_NEAR_LANES + i, c = s->all.order[place];
        if (c == HR_NONE || s->least[c] != UINT64_MAX) continue;
        s->least[c] = s->ceiling;
        if (done > s->effort->work * HR_NEAR_LANES) continue;
        if (hr_late(s->effort->deadline) || hr_progress_finishes(&s->progress)) continue;
        uint64_t least = 0;
        HR_TRY(bound_one(s, w, s->cell_of[block], place, &least, err));
        least *= HR_COST_ONE / s->all.unit;
        if (least > s->ceiling) s->least[c] = least;
        done = hr_near_work(w->finder) + hr_near_box_work(w->boxer) - begin;
        HR_TRY(hr_progress_add(&s->progress, 0, err));
    }
    return hr_progress_add(&s->progress, 1, err);
}

static hr_status bound_blocks(search *s, hr_error *err) {
    const hr_bound_table *table = s->table;
    uint32_t blocks = s->all.block_start[table->cell_count];
    s->worker_count = s->effort->threads ? s->effort->threads : 1;
    s->workers = hr_alloc(s->worker_count, sizeof *s->workers, err);
    s->cell_of = hr_alloc_raw(blocks, sizeof *s->cell_of, err);
    if (!s->workers || !s->cell_of) return HR_ENOMEM;
    for (uint32_t cell = 0; cell < table->cell_count; cell++)
        for (uint32_t i = s->all.block_start[cell]; i < s->all.block_start[cell + 1]; i++)
            s->cell_of[i] = cell;
    for (unsigned i = 0; i < s->worker_count; i++) {
        HR_TRY(hr_near_finder_new(table, &s->workers[i].finder, err));
        HR_TRY(hr_near_boxer_new(&s->all, &s->workers[i].boxer, err));
    }
    hr_progress_start(&s->progress, s->effort->watch, "bound", blocks);
    HR_TRY(hr_parallel(blocks, s->effort->threads, bound_block, s, err));
    hr_progress_end(&s->progress);
    return HR_OK;
}

hr_status hr_bound_near(const hr_bound_table *table, const hr_near_effort *effort, uint64_t ceiling,
                        uint64_t *least, hr_error *err) {
    search s = {.table = table, .effort = effort, .ceiling = ceiling, .least = least};
    bool usable = false;
    hr_status status = hr_near_space_make(table, NULL, &s.all, &usable, err);
    if (status == HR_OK && usable) status = find_rare(&s, err);
    if (status == HR_OK && usable) status = bound_blocks(&s, err);
    for (uint32_t c = 0; c < table->kinds.combination_count; c++)
        if (least[c] == UINT64_MAX) least[c] = ceiling;
    for (unsigned i = 0; s.workers && i < s.worker_count; i++) {
        hr_near_finder_free(s.workers[i].finder);
        hr_near_boxer_free(s.workers[i].boxer);
    }
    free(s.workers);
    free(s.cell_of);
    hr_near_space_free(&s.all);
    hr_near_space_free(&s.rare);
    return status;
}
