/* repair_disperse.c - moves rows of values that are too frequent in a cluster to other clusters. A
 * cluster has room for a row with a frequent value only if it has few of them. So rows with rare
 * values are dispersed first: each of them makes room for others. */
#include "algorithm/repair.h"

#include <stdlib.h>
#include <string.h>

typedef hr_repair repair;

/* ---- dissolving a cluster ---- */

static int by_type(const void *a, const void *b) {
    const hr_repair_row *x = a, *y = b;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return x->position < y->position ? -1 : x->position > y->position;
}

/* Sorts the rows of the cluster by type: rows of a type have the same excess, so that one of them
 * is looked at. Returns the number of types; r->head has the first row of each. */
static uint32_t sort_by_type(repair *r, uint32_t c) {
    uint32_t count = 0, types = 0;
    for (uint32_t i = r->first[c]; i != HR_NONE; i = r->next[i], count++)
        r->sorted[count] = (hr_repair_row){r->type[i], count, i};
    qsort(r->sorted, count, sizeof *r->sorted, by_type);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || r->sorted[i].type != r->sorted[i - 1].type) r->head[types++] = i;
    return types;
}

/* The type whose value has the greatest excess, of several the one whose row comes first in the
 * cluster; HR_NONE: there is no excess. */
static uint32_t find_surplus(const repair *r, const uint32_t *state, uint32_t types) {
    uint32_t best = HR_NONE, most = 0;
    if (!hr_judge_strain(r->judge, state, r->strain)) return HR_NONE;
    for (uint32_t i = 0; i < types; i++) {
        const hr_repair_row *row = &r->sorted[r->head[i]];
        const uint32_t *values = hr_repair_values(r, row->place);
        uint32_t excess = hr_judge_excess_under(r->judge, state, r->strain, values);
        if (excess < most || excess == 0) continue;
        if (excess == most && row->position > r->sorted[r->head[best]].position) continue;
        most = excess;
        best = i;
    }
    return best;
}

static void let_go(repair *r, uint32_t place) {
    hr_repair_unlink(r, place);
    r->cluster[place] = HR_NONE;
    r->loose[r->loose_count++] = place;
}

void hr_repair_dissolve(repair *r, uint32_t c) {
    hr_repair_load(r, c, r->state);
    uint32_t rows = r->size[c], types = sort_by_type(r, c);
    for (uint32_t i; (i = find_surplus(r, r->state, types)) != HR_NONE;) {
        uint32_t at = r->head[i]++, place = r->sorted[at].place;
        hr_judge_remove(r->judge, r->state, hr_repair_values(r, place), 1);
        let_go(r, place);
        if (at + 1 == rows || r->sorted[at + 1].type != r->sorted[at].type)
            r->head[i] = r->head[--types];
    }
    bool holds = hr_judge_holds(r->judge, r->state);
    while (!holds && r->first[c] != HR_NONE)
        let_go(r, r->first[c]);
    hr_repair_cover(r, c);
}

/* ---- dispersing rows ---- */

typedef struct {
    uint32_t frequency; /* rows of the cell with its most frequent value */
    uint32_t type, order, place;
} loose_row;

static int rarest_first(const void *a, const void *b) {
    const loose_row *x = a, *y = b;
    if (x->frequency != y->frequency) return x->frequency < y->frequency ? -1 : 1;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Lists the loose rows, those of rare values first. Types and ranks decide ties. */
static loose_row *list_loose(repair *r, hr_error *err) {
    const hr_cell_task *task = r->task;
    loose_row *list = hr_arena_alloc(&r->arena, r->loose_count, sizeof *list, err);
    uint32_t *order = hr_arena_alloc(&r->arena, task->row_count, sizeof *order, err);
    if (!list || !order) return NULL;
    hr_judge_clear(r->judge, r->state);
    for (uint32_t i = 0; i < task->row_count; i++) {
        order[task->by_rank[i]] = i;
        hr_judge_add(r->judge, r->state, hr_repair_values(r, i), 1);
    }
    hr_known cell = hr_judge_known(r->judge, r->state);
    for (uint32_t i = 0; i < r->loose_count; i++) {
        uint32_t place = r->loose[i];
        const uint32_t *values = hr_repair_values(r, place);
        list[i] = (loose_row){.type = r->type[place], .order = order[place], .place = place};
        for (size_t l = 0; l < r->judge->sensitive_count; l++) {
            uint32_t rows = values[l] == HR_NONE ? 0 : cell.rows[cell.start[l] + values[l]];
            if (rows > list[i].frequency) list[i].frequency = rows;
        }
    }
    qsort(list, r->loose_count, sizeof *list, rarest_first);
    return list;
}

/* full[c]: type + 1 of a row for which cluster c had no room; 0: unknown. */
static bool has_room(const repair *r, uint32_t c, uint32_t place, uint32_t *full) {
    hr_repair_load(r, c, r->state);
    bool room = hr_judge_room(r->judge, r->state, hr_repair_values(r, place), 1) > 0;
    if (!room) full[c] = r->type[place] + 1;
    return room;
}

/* By how much the loss grows if the row joins the cluster; if by `least` or more, at least that. */
static uint64_t growth_with(const repair *r, uint32_t c, uint32_t place, uint64_t least) {
    uint64_t growth = r->cost[c], rows = r->size[c] + UINT64_C(1);
    for (size_t j = 0; j < r->t && growth < least; j++)
        growth += rows * (hr_repair_value_cost(r, c, place, j) - r->value_cost[c * r->t + j]);
    return growth;
}

/* The cluster whose loss grows least; only one that has room, unless `full` is NULL. */
static uint32_t find_cluster(const repair *r, uint32_t place, uint32_t *full) {
    uint64_t least = UINT64_MAX;
    uint32_t best = HR_NONE;
    for (uint32_t c = 0; c < r->count; c++) {
        if (r->size[c] == 0 || (full && full[c] == r->type[place] + 1)) continue;
        uint64_t growth = growth_with(r, c, place, least);
        if (growth >= least || (full && !has_room(r, c, place, full))) continue;
        least = growth;
        best = c;
    }
    return best;
}

static void join(repair *r, uint32_t place, uint32_t c) {
    hr_repair_link(r, place, c);
    if (r->size[c] == 1)
        hr_repair_cover(r, c);
    else
        hr_repair_extend(r, c, place);
}

hr_status hr_repair_disperse(repair *r, hr_error *err) {
    if (r->loose_count == 0) return HR_OK;
    loose_row *list = list_loose(r, err);
    uint32_t *full = hr_arena_alloc(&r->arena, r->count, sizeof *full, err);
    if (!list || !full) return HR_ENOMEM;
    uint32_t spare = HR_NONE; /* a cluster without rows, in case that none has any */
    for (uint32_t c = 0; c < r->count && spare == HR_NONE; c++)
        if (r->size[c] == 0) spare = c;
    for (uint32_t i = 0; i < r->loose_count; i++) {
        uint32_t place = list[i].place, c = find_cluster(r, place, full);
        if (c == HR_NONE) c = find_cluster(r, place, NULL);
        join(r, place, c == HR_NONE ? spare : c);
        full[r->cluster[place]] = 0;
        HR_TRY(hr_progress_add(r->task->progress, 0, err));
    }
    r->loose_count = 0;
    return HR_OK;
}
