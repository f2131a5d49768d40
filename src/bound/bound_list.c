/* bound_list.c - the boxes of one cell, walked once and kept, for those who look at them many times.
 * Where there are too many the ceiling comes down: multipliers that are not above it need no box
 * that costs more. Where all are kept there is none. */
#include "bound/bound.h"

#include <stdlib.h>

enum { CEILINGS = 12, WORK_PER_PAIR = 8 };

typedef struct {
    hr_bound_list *list;
    uint32_t start; /* of the cell's combinations */
    size_t pairs;
    uint64_t least; /* a ceiling that is not above it is of no use */
    hr_progress *progress;
} listing;

static hr_status keep(hr_bound_walk *walk, const hr_bound_box *box, hr_error *err) {
    listing *l = walk->payload;
    hr_bound_list *list = l->list;
    uint32_t n = list->cell.count;
    if (!hr_bound_least(walk, box)) return HR_OK;
    size_t used = n ? list->inside_start[n] : 0;
    if (used + box->count > l->pairs || n == UINT32_MAX - 1) {
        walk->over = true;
        return HR_OK;
    }
    HR_TRY(hr_grow(&list->cost, &list->cost_capacity, (size_t)n + 1, sizeof *list->cost, err));
    HR_TRY(hr_grow(&list->inside_start, &list->start_capacity, (size_t)n + 2,
                   sizeof *list->inside_start, err));
    HR_TRY(hr_grow(&list->inside, &list->inside_capacity, used + box->count, sizeof *list->inside,
                   err));
    list->inside_start[0] = 0;
    for (uint32_t i = 0; i < box->count; i++)
        list->inside[used + i] = box->members[i] - l->start;
    list->cost[n] = box->cost;
    list->inside_start[n + 1] = used + box->count;
    list->cell.count++;
    return HR_OK;
}

static hr_status walk_all(hr_bound_walk *walk, uint32_t cell, hr_progress *progress,
                          hr_error *err) {
    const hr_bound_types *types = walk->types;
    for (uint32_t c = types->cell_start[cell]; c < types->cell_start[cell + 1] && !walk->over;
         c++) {
        if (!hr_bound_begins(types, cell, c)) continue;
        HR_TRY(hr_bound_walk_from(walk, cell, c, err));
        HR_TRY(hr_progress_add(progress, 0, err));
    }
    return HR_OK;
}

/* Everything first; then less and less. */
static hr_status list_boxes(hr_bound_walk *walk, uint32_t cell, listing *l, hr_error *err) {
    uint64_t most = walk->types->t * (uint64_t)HR_COST_ONE;
    walk->limit = (uint64_t)l->pairs * WORK_PER_PAIR;
    walk->ceiling = most + 1;
    for (int tries = 0; tries < CEILINGS; tries++) {
        l->list->cell.count = 0;
        walk->work = 0;
        walk->over = false;
        HR_TRY(walk_all(walk, cell, l->progress, err));
        if (!walk->over) break;
        walk->ceiling -= walk->ceiling / 4;
        if (walk->late || walk->ceiling <= l->least) break;
    }
    if (walk->over) { /* no box is kept, and no multiplier pays for any */
        l->list->cell.count = 0;
        walk->ceiling = 0;
    }
    l->list->cell.ceiling = walk->ceiling > most ? UINT64_MAX : walk->ceiling;
    return HR_OK;
}

static hr_status describe(const hr_bound_types *types, uint32_t cell, hr_bound_list *list,
                          hr_error *err) {
    uint32_t start = types->cell_start[cell], first = types->kind_start[start];
    hr_bound_cell *c = &list->cell;
    *c = (hr_bound_cell){.k = types->k,
                         .p = types->p,
                         .r = types->r,
                         .value_count = types->value_count,
                         .combination_count = types->cell_start[cell + 1] - start,
                         .kind_count = types->kind_start[types->cell_start[cell + 1]] - first,
                         .kind_rows = types->kind_rows + first,
                         .kind_value = types->kind_value + (size_t)first * types->r,
                         .classes = types->cell_classes[cell]};
    list->kind_start =
        hr_alloc_raw((size_t)c->combination_count + 1, sizeof *list->kind_start, err);
    if (!list->kind_start) return HR_ENOMEM;
    for (uint32_t i = 0; i <= c->combination_count; i++)
        list->kind_start[i] = types->kind_start[start + i] - first;
    return HR_OK;
}

hr_status hr_bound_list_make(const hr_bound_types *types, uint32_t cell, size_t pairs,
                             uint64_t least, double deadline, hr_progress *progress,
                             hr_bound_list *out, hr_error *err) {
    *out = (hr_bound_list){0};
    listing l = {.list = out,
                 .start = types->cell_start[cell],
                 .pairs = pairs,
                 .least = least,
                 .progress = progress};
    hr_bound_walk walk = {.found = keep, .deadline = deadline, .payload = &l};
    hr_status status = describe(types, cell, out, err);
    if (status == HR_OK)
        status = hr_bound_walk_start(&walk, types, out->cell.combination_count, err);
    if (status == HR_OK) status = list_boxes(&walk, cell, &l, err);
    hr_bound_walk_end(&walk);
    if (status != HR_OK) hr_bound_list_free(out);
    out->cell.kind_start = out->kind_start;
    out->cell.cost = out->cost;
    out->cell.inside_start = out->inside_start;
    out->cell.inside = out->inside;
    return status;
}

void hr_bound_list_free(hr_bound_list *list) {
    free(list->kind_start);
    free(list->cost);
    free(list->inside_start);
    free(list->inside);
    *list = (hr_bound_list){0};
}
