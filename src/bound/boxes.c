/* boxes.c - all feasible canonical boxes of a cell, cheapest first, with the combinations inside
 * each box and the boxes around each combination. A walk finds them. It is not started if the
 * number of tuples of ancestors, an upper limit, is too large. */
#include "bound/boxes.h"

#include <stdlib.h>
#include <string.h>

/* ---- how many there can be ---- */

/* Smallest box that covers all combinations. */
static void cover_all(const hr_kinds *kinds, const hr_axes *axes, uint32_t *top) {
    memcpy(top, kinds->code, kinds->t * sizeof *top);
    for (uint32_t c = 1; c < kinds->combination_count; c++)
        for (size_t j = 0; j < kinds->t; j++)
            top[j] = hr_preorder_join(&axes->of[j].tree, top[j], kinds->code[c * kinds->t + j]);
}

/* Number of tuples of nodes at or above a combination's values, up to `top`; UINT32_MAX if there
 * are more than HR_BOXES_AROUND. */
static uint64_t boxes_around(const hr_kinds *kinds, const hr_axes *axes, const uint32_t *top,
                             uint32_t c) {
    uint64_t boxes = 1;
    for (size_t j = 0; j < kinds->t; j++) {
        uint64_t ways = 1;
        for (uint32_t g = kinds->code[c * kinds->t + j]; g != top[j]; g = axes->of[j].tree.up[g])
            ways++;
        if (boxes > HR_BOXES_AROUND / ways) return UINT32_MAX;
        boxes *= ways;
    }
    return boxes;
}

/* Counts the nodes at or above any value of attribute j, up to the top. */
static hr_status count_nodes(const hr_kinds *kinds, const hr_axis *axis, size_t j, uint32_t top,
                             uint64_t *nodes, hr_error *err) {
    bool *seen = hr_alloc(axis->count, sizeof *seen, err);
    if (!seen) return HR_ENOMEM;
    seen[top] = true;
    *nodes = 1;
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        for (uint32_t g = kinds->code[c * kinds->t + j]; !seen[g]; g = axis->tree.up[g]) {
            seen[g] = true;
            ++*nodes;
        }
    free(seen);
    return HR_OK;
}

/* Are there fewer than 2^64 tuples of nodes, where a tuple has a node or none of each attribute? */
static hr_status have_numbers(const hr_kinds *kinds, const hr_axes *axes, const uint32_t *top,
                              bool *out, hr_error *err) {
    uint64_t tuples = 1, nodes;
    *out = true;
    for (size_t j = 0; j < kinds->t && *out; j++) {
        HR_TRY(count_nodes(kinds, &axes->of[j], j, top[j], &nodes, err));
        *out = tuples <= UINT64_MAX / (nodes + 1);
        tuples *= nodes + 1;
    }
    return HR_OK;
}

hr_status hr_boxes_pairs(const hr_kinds *kinds, const hr_axes *axes, uint64_t *pairs,
                         hr_error *err) {
    *pairs = 0;
    for (size_t j = 0; j < kinds->t; j++)
        if (!axes->of[j].cost) return HR_OK;
    uint32_t *top = hr_alloc(kinds->t, sizeof *top, err);
    if (!top) return HR_ENOMEM;
    cover_all(kinds, axes, top);
    bool numbered = false;
    hr_status status = have_numbers(kinds, axes, top, &numbered, err);
    for (uint32_t c = 0; c < kinds->combination_count && numbered; c++)
        *pairs += boxes_around(kinds, axes, top, c);
    free(top);
    return status;
}

/* ---- walking ---- */

typedef struct {
    const hr_kinds *kinds;
    const hr_axes *axes;
    hr_arena arena;
    hr_box_space space;
    hr_box_list list; /* in the order of the walk */
    uint32_t *code;   /* boxes x t, in the same order */
    size_t code_capacity;
} lister;

static hr_status keep(hr_box_walk *walk, const hr_partial_box *box, hr_error *err) {
    lister *l = walk->payload;
    size_t t = l->kinds->t, n = l->list.count;
    if (!hr_box_is_canonical(walk, box)) return HR_OK;
    HR_TRY(hr_grow(&l->code, &l->code_capacity, (n + 1) * t, sizeof *l->code, err));
    for (size_t i = 0; i < t; i++)
        l->code[n * t + l->space.axes[i].axis->quasi] = walk->value[i].lo;
    return hr_box_list_add(&l->list, box, 0, err);
}

static hr_status walk_boxes(lister *l, hr_error *err) {
    const hr_kinds *kinds = l->kinds;
    uint32_t count = kinds->combination_count;
    size_t *order = hr_arena_alloc(&l->arena, kinds->t, sizeof *order, err);
    uint32_t *members = hr_arena_alloc(&l->arena, count, sizeof *members, err);
    if (!order || !members) return HR_ENOMEM;
    for (uint32_t c = 0; c < count; c++)
        members[c] = c;
    HR_TRY(hr_walk_order(l->axes, kinds->code, count, order, err));
    HR_TRY(hr_box_space_make(kinds, l->axes, order, &l->arena, &l->space, err));
    hr_box_walk walk = {.ceiling = UINT64_MAX, .limit = UINT64_MAX, .found = keep, .payload = l};
    hr_status status = hr_box_walk_start(&walk, &l->space, count, err);
    if (status == HR_OK) status = hr_box_walk_all(&walk, members, count, err);
    hr_box_walk_end(&walk);
    return status;
}

/* ---- sorting ---- */

typedef struct {
    uint64_t cost;
    const uint32_t *code;
    size_t t;
    uint32_t box;
} ranked_box;

static int by_cost(const void *a, const void *b) {
    const ranked_box *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    for (size_t j = 0; j < x->t; j++)
        if (x->code[j] != y->code[j]) return x->code[j] < y->code[j] ? -1 : 1;
    return 0;
}

static void copy_box(const lister *l, const ranked_box *from, hr_boxes *out) {
    const hr_box_list *list = &l->list;
    const uint32_t *members = list->inside + list->inside_start[from->box];
    size_t t = l->kinds->t, at = out->inside_start[out->count];
    size_t inside = list->inside_start[from->box + 1] - list->inside_start[from->box];
    memcpy(out->code + out->count * t, from->code, t * sizeof *out->code);
    memcpy(out->inside + at, members, inside * sizeof *out->inside);
    for (size_t i = 0; i < inside; i++)
        out->rows[out->count] += l->kinds->combination_rows[members[i]];
    out->cost[out->count] = from->cost;
    out->inside_start[++out->count] = at + inside;
}

static hr_status sort_boxes(const lister *l, hr_boxes *out, hr_error *err) {
    uint32_t count = l->list.count;
    size_t t = l->kinds->t;
    hr_arena_part parts[] = {
        {&out->code, count * t, sizeof *out->code},
        {&out->cost, count, sizeof *out->cost},
        {&out->rows, count, sizeof *out->rows},
        {&out->inside_start, (size_t)count + 1, sizeof *out->inside_start},
        {&out->inside, hr_box_list_pairs(&l->list), sizeof *out->inside},
    };
    HR_TRY(hr_arena_parts(&out->arena, parts, sizeof parts / sizeof *parts, err));
    ranked_box *order = hr_alloc_raw(count, sizeof *order, err);
    if (!order) return HR_ENOMEM;
    for (uint32_t b = 0; b < count; b++)
        order[b] = (ranked_box){l->list.cost[b], l->code + b * t, t, b};
    qsort(order, count, sizeof *order, by_cost);
    for (uint32_t b = 0; b < count; b++)
        copy_box(l, &order[b], out);
    free(order);
    return HR_OK;
}

/* ---- both directions ---- */

/* Sets `around` from `inside`. */
static hr_status set_around(hr_boxes *boxes, uint32_t combination_count, hr_error *err) {
    size_t total = boxes->inside_start[boxes->count];
    hr_arena_part parts[] = {
        {&boxes->around_start, (size_t)combination_count + 2, sizeof *boxes->around_start},
        {&boxes->around, total, sizeof *boxes->around},
    };
    HR_TRY(hr_arena_parts(&boxes->arena, parts, sizeof parts / sizeof *parts, err));
    size_t *end = boxes->around_start + 1;
    for (size_t i = 0; i < total; i++)
        end[boxes->inside[i] + 1]++;
    for (uint32_t c = 0; c < combination_count; c++)
        end[c + 1] += end[c];
    for (uint32_t b = 0; b < boxes->count; b++)
        for (size_t i = boxes->inside_start[b]; i < boxes->inside_start[b + 1]; i++)
            boxes->around[end[boxes->inside[i]]++] = b;
    return HR_OK;
}

/* Sorts the combinations inside each box: goes through `around` in ascending order of combinations
 * and stores each combination again in its boxes. */
static hr_status sort_inside(hr_boxes *boxes, uint32_t combination_count, hr_error *err) {
    size_t *end = hr_alloc_raw(boxes->count, sizeof *end, err);
    if (!end) return HR_ENOMEM;
    memcpy(end, boxes->inside_start, boxes->count * sizeof *end);
    for (uint32_t c = 0; c < combination_count; c++)
        for (size_t i = boxes->around_start[c]; i < boxes->around_start[c + 1]; i++)
            boxes->inside[end[boxes->around[i]]++] = c;
    free(end);
    return HR_OK;
}

hr_status hr_boxes_make(const hr_kinds *kinds, const hr_axes *axes, hr_boxes *out, bool *listed,
                        hr_error *err) {
    uint64_t pairs;
    *out = (hr_boxes){0};
    *listed = false;
    HR_TRY(hr_boxes_pairs(kinds, axes, &pairs, err));
    if (pairs == 0 || pairs > HR_BOXES_PAIRS) return HR_OK;
    lister l = {.kinds = kinds, .axes = axes};
    hr_status status = walk_boxes(&l, err);
    if (status == HR_OK) status = sort_boxes(&l, out, err);
    if (status == HR_OK) status = set_around(out, kinds->combination_count, err);
    if (status == HR_OK) status = sort_inside(out, kinds->combination_count, err);
    *listed = status == HR_OK;
    hr_box_list_free(&l.list);
    free(l.code);
    hr_arena_free(&l.arena);
    if (status != HR_OK) hr_boxes_free(out);
    return status;
}

void hr_boxes_free(hr_boxes *boxes) {
    hr_arena_free(&boxes->arena);
    *boxes = (hr_boxes){0};
}
