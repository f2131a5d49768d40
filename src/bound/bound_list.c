/* bound_list.c - lists the boxes of one cell for the many steps of a climb. If there are too many
 * boxes, only those that cost less than a ceiling are listed, and no multiplier may exceed the
 * ceiling. The other boxes can be left out then: no row in them pays more than 0, so their V is 0
 * or less and does not count. */
#include "bound/bound_parts.h"

#include <stdlib.h>

enum {
    CEILINGS = 12,    /* most ceilings tried */
    WORK_PER_PAIR = 8 /* work limit of a walk, per pair that may be listed */
};

typedef struct {
    const hr_bound_table *table;
    uint32_t cell;
    size_t pairs;   /* most (combination, box) pairs listed */
    uint64_t least; /* a ceiling that does not exceed it is useless */
    hr_progress *progress;
    hr_box_list *boxes;
} cell_lister;

/* Adds a box to the list. Ends the walk if the list would have too many pairs. */
static hr_status keep(hr_box_walk *walk, const hr_partial_box *box, hr_error *err) {
    cell_lister *l = walk->payload;
    if (!hr_box_is_canonical(walk, box)) return HR_OK;
    if (hr_box_list_pairs(l->boxes) + box->count > l->pairs || l->boxes->count == UINT32_MAX - 1) {
        walk->over = true;
        return HR_OK;
    }
    return hr_box_list_add(l->boxes, box, l->table->cell_start[l->cell], err);
}

static hr_status walk_cell(hr_box_walk *walk, const cell_lister *l, hr_error *err) {
    uint32_t size = hr_bound_cell_size(l->table, l->cell);
    for (uint32_t i = 0; i < size && !walk->over; i++) {
        if (!hr_bound_begins(l->table, l->cell, i)) continue;
        HR_TRY(hr_bound_walk_from(walk, l->table, l->cell, i, err));
        HR_TRY(hr_progress_add(l->progress, 0, err));
    }
    return HR_OK;
}

/* Tries ceilings from high to low until all boxes below one fit in the list. */
static hr_status list_boxes(hr_box_walk *walk, cell_lister *l, uint64_t *ceiling, hr_error *err) {
    uint64_t most = l->table->kinds.t * (uint64_t)HR_COST_ONE;
    walk->limit = (uint64_t)l->pairs * WORK_PER_PAIR;
    walk->ceiling = most + 1;
    for (int tries = 0; tries < CEILINGS; tries++) {
        l->boxes->count = 0;
        walk->work = 0;
        walk->over = false;
        HR_TRY(walk_cell(walk, l, err));
        if (!walk->over) break;
        walk->ceiling -= walk->ceiling / 4;
        if (walk->late || walk->ceiling <= l->least) break;
    }
    if (walk->over) { /* no list: with ceiling 0, no multiplier may be positive */
        l->boxes->count = 0;
        walk->ceiling = 0;
    }
    *ceiling = walk->ceiling > most ? UINT64_MAX : walk->ceiling;
    return HR_OK;
}

/* Sets the kinds of list->cell. */
static hr_status describe(const hr_bound_table *table, uint32_t cell, hr_bound_list *list,
                          hr_error *err) {
    const hr_kinds *kinds = &table->kinds;
    uint32_t start = table->cell_start[cell], size = hr_bound_cell_size(table, cell);
    uint32_t first = kinds->kind_start[start];
    list->kind_start = hr_alloc_raw((size_t)size + 1, sizeof *list->kind_start, err);
    if (!list->kind_start) return HR_ENOMEM;
    for (uint32_t i = 0; i <= size; i++)
        list->kind_start[i] = kinds->kind_start[start + i] - first;
    list->cell = (hr_bound_cell){.k = kinds->k,
                                 .p = kinds->p,
                                 .r = kinds->r,
                                 .value_count = kinds->value_count,
                                 .combination_count = size,
                                 .kind_count = list->kind_start[size],
                                 .kind_start = list->kind_start,
                                 .kind_rows = kinds->kind_rows + first,
                                 .kind_value = kinds->kind_value + (size_t)first * kinds->r,
                                 .classes = table->cell_classes[cell]};
    return HR_OK;
}

hr_status hr_bound_list_make(const hr_bound_table *table, uint32_t cell, size_t pairs,
                             uint64_t least, double deadline, hr_progress *progress,
                             hr_bound_list *out, hr_error *err) {
    *out = (hr_bound_list){0};
    cell_lister l = {table, cell, pairs, least, progress, &out->boxes};
    hr_box_walk walk = {.found = keep, .deadline = deadline, .progress = progress, .payload = &l};
    hr_status status = describe(table, cell, out, err);
    if (status == HR_OK)
        status = hr_box_walk_start(&walk, &table->space, out->cell.combination_count, err);
    if (status == HR_OK) status = list_boxes(&walk, &l, &out->cell.ceiling, err);
    hr_box_walk_end(&walk);
    if (status != HR_OK) hr_bound_list_free(out);
    out->cell.count = out->boxes.count;
    out->cell.cost = out->boxes.cost;
    out->cell.inside_start = out->boxes.inside_start;
    out->cell.inside = out->boxes.inside;
    return status;
}

void hr_bound_list_free(hr_bound_list *list) {
    free(list->kind_start);
    hr_box_list_free(&list->boxes);
    *list = (hr_bound_list){0};
}
