/* boxes.c - all feasible canonical boxes of a cell. Every combination lies in one box for each tuple
 * of ancestors of its values; equal tuples are found by a hash. Of these boxes those stay that have k
 * rows, are the least that covers what is inside, and have p values of each sensitive attribute. */
#include "algorithm/hedge/boxes.h"

#include <stdlib.h>
#include <string.h>

/* ---- what values cost ---- */

hr_status hr_value_costs_make(const hr_microdata *data, const hr_layout *layout,
                              const hr_measure *loss, hr_value_costs *out, hr_error *err) {
    *out = (hr_value_costs){.data = data, .layout = layout, .loss = loss};
    out->node = hr_arena_alloc(&out->arena, data->quasi_count, sizeof *out->node, err);
    hr_status status = out->node ? HR_OK : HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count && status == HR_OK; j++) {
        const hr_layout_tree *tree = &layout->trees[j];
        if (!data->quasi[j].tree) continue;
        out->node[j] = hr_arena_alloc(&out->arena, tree->count, sizeof **out->node, err);
        if (!out->node[j]) status = HR_ENOMEM;
        for (uint32_t at = 0; at < tree->count && status == HR_OK; at++)
            out->node[j][at] = loss->value_cost(data, j, (hr_span){tree->node[at], tree->node[at]});
    }
    if (status != HR_OK) hr_value_costs_free(out);
    return status;
}

void hr_value_costs_free(hr_value_costs *costs) {
    hr_arena_free(&costs->arena);
    *costs = (hr_value_costs){0};
}

/* ---- boxes around combinations ---- */

typedef struct {
    const hr_kinds *kinds;
    const hr_value_costs *costs;
    const hr_layout_tree *trees;
    size_t t;
    hr_arena arena;
    uint32_t *top;    /* the cell as a box */
    uint32_t **digit; /* per attribute and node: its digit in a box's key */
    uint64_t *radix;  /* per attribute: weight of that digit */
    hr_map64 map;     /* from keys to boxes */
    size_t pair_count;
    size_t *pair_start; /* per combination: where its boxes are */
    uint32_t *pair;     /* boxes around each combination */
    uint32_t *rows;     /* in each box */
    uint32_t *code;     /* boxes x t */
    size_t rows_capacity, code_capacity;
    size_t *start; /* boxes + 1: combinations inside */
    uint32_t *inside;
    uint32_t *stamp; /* per sensitive value: the last box that had it, plus one */
    uint32_t *order; /* boxes that stay, by cost and then codes */
    uint32_t count;  /* of those that stay */
} listing;

/* The least box that covers all combinations. */
static void cover_all(const hr_kinds *kinds, uint32_t *top) {
    const hr_layout_tree *trees = kinds->task->layout->trees;
    memcpy(top, kinds->code, kinds->t * sizeof *top);
    for (uint32_t c = 1; c < kinds->combination_count; c++)
        for (size_t j = 0; j < kinds->t; j++)
            top[j] = hr_layout_join(&trees[j], top[j], kinds->code[c * kinds->t + j]);
}

/* Tuples of ancestors of a combination's values; UINT32_MAX: too many to be listed. */
static uint64_t boxes_around(const hr_kinds *kinds, const uint32_t *top, uint32_t c) {
    const hr_layout_tree *trees = kinds->task->layout->trees;
    uint64_t boxes = 1;
    for (size_t j = 0; j < kinds->t; j++) {
        uint64_t ways = 1;
        for (uint32_t g = kinds->code[c * kinds->t + j]; g != top[j]; g = trees[j].up[g])
            ways++;
        if (boxes > HR_BOXES_AROUND / ways) return UINT32_MAX;
        boxes *= ways;
    }
    return boxes;
}

static hr_status count_pairs(listing *s, hr_error *err) {
    const hr_kinds *kinds = s->kinds;
    s->top = hr_arena_alloc(&s->arena, s->t, sizeof *s->top, err);
    s->pair_start =
        hr_arena_alloc(&s->arena, (size_t)kinds->combination_count + 1, sizeof *s->pair_start, err);
    if (!s->top || !s->pair_start) return HR_ENOMEM;
    cover_all(kinds, s->top);
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        s->pair_start[c + 1] = s->pair_start[c] + boxes_around(kinds, s->top, c);
    s->pair_count = s->pair_start[kinds->combination_count];
    return HR_OK;
}

/* Digits for the nodes at or above the combinations' values; false if keys would not fit. */
static hr_status number_nodes(listing *s, bool *fits, hr_error *err) {
    s->digit = hr_arena_alloc(&s->arena, s->t, sizeof *s->digit, err);
    s->radix = hr_arena_alloc(&s->arena, s->t, sizeof *s->radix, err);
    if (!s->digit || !s->radix) return HR_ENOMEM;
    uint64_t radix = 1;
    *fits = true;
    for (size_t j = 0; j < s->t && *fits; j++) {
        const hr_layout_tree *tree = &s->trees[j];
        s->digit[j] = hr_arena_alloc(&s->arena, tree->count, sizeof **s->digit, err);
        if (!s->digit[j]) return HR_ENOMEM;
        uint32_t used = 1; /* 0: no digit yet */
        s->digit[j][s->top[j]] = used++;
        for (uint32_t c = 0; c < s->kinds->combination_count; c++)
            for (uint32_t g = s->kinds->code[c * s->t + j]; !s->digit[j][g]; g = tree->up[g])
                s->digit[j][g] = used++;
        s->radix[j] = radix;
        *fits = radix <= UINT64_MAX / used;
        radix *= used;
    }
    return HR_OK;
}

static bool has_numbers(const listing *s) {
    for (size_t j = 0; j < s->t; j++)
        if (!s->costs->node[j]) return true;
    return false;
}

static listing start_listing(const hr_kinds *kinds, const hr_value_costs *costs) {
    return (listing){
        .kinds = kinds, .costs = costs, .trees = kinds->task->layout->trees, .t = kinds->t};
}

hr_status hr_boxes_pairs(const hr_kinds *kinds, const hr_value_costs *costs, uint64_t *pairs,
                         hr_error *err) {
    listing s = start_listing(kinds, costs);
    *pairs = 0;
    if (has_numbers(&s)) return HR_OK;
    bool fits = false;
    hr_status status = count_pairs(&s, err);
    if (status == HR_OK) status = number_nodes(&s, &fits, err);
    if (status == HR_OK && fits) *pairs = s.pair_count;
    hr_arena_free(&s.arena);
    return status;
}

static hr_status add_pair(listing *s, uint32_t c, const uint32_t *code, size_t at, hr_error *err) {
    uint64_t key = 0;
    uint32_t known = s->map.count, box;
    for (size_t j = 0; j < s->t; j++)
        key += s->radix[j] * s->digit[j][code[j]];
    HR_TRY(hr_map64_intern(&s->map, key, &box, err));
    if (box == known) {
        HR_TRY(hr_grow(&s->rows, &s->rows_capacity, (size_t)box + 1, sizeof *s->rows, err));
        HR_TRY(
            hr_grow(&s->code, &s->code_capacity, ((size_t)box + 1) * s->t, sizeof *s->code, err));
        s->rows[box] = 0;
        memcpy(s->code + box * s->t, code, s->t * sizeof *code);
    }
    s->rows[box] += s->kinds->combination_rows[c];
    s->pair[at] = box;
    return HR_OK;
}

/* Every tuple of ancestors, counted up like digits. */
static hr_status list_pairs(listing *s, hr_error *err) {
    uint32_t *code = hr_arena_alloc(&s->arena, s->t, sizeof *code, err);
    s->pair = hr_arena_alloc(&s->arena, s->pair_count, sizeof *s->pair, err);
    if (!code || !s->pair) return HR_ENOMEM;
    for (uint32_t c = 0; c < s->kinds->combination_count; c++) {
        const uint32_t *low = s->kinds->code + c * s->t;
        memcpy(code, low, s->t * sizeof *code);
        for (size_t at = s->pair_start[c]; at < s->pair_start[c + 1]; at++) {
            HR_TRY(add_pair(s, c, code, at, err));
            for (size_t j = 0; j < s->t; j++) {
                bool carry = code[j] == s->top[j];
                code[j] = carry ? low[j] : s->trees[j].up[code[j]];
                if (!carry) break;
            }
        }
    }
    return HR_OK;
}

/* ---- those that stay ---- */

/* Combinations inside each box of k rows. */
static hr_status list_inside(listing *s, hr_error *err) {
    uint32_t boxes = s->map.count, k = s->kinds->task->k;
    s->start = hr_arena_alloc(&s->arena, (size_t)boxes + 2, sizeof *s->start, err);
    if (!s->start) return HR_ENOMEM;
    size_t *end = s->start + 1;
    for (size_t i = 0; i < s->pair_count; i++)
        if (s->rows[s->pair[i]] >= k) end[s->pair[i] + 1]++;
    for (uint32_t b = 0; b < boxes; b++)
        end[b + 1] += end[b];
    s->inside = hr_arena_alloc(&s->arena, end[boxes], sizeof *s->inside, err);
    if (!s->inside) return HR_ENOMEM;
    for (uint32_t c = 0; c < s->kinds->combination_count; c++)
        for (size_t i = s->pair_start[c]; i < s->pair_start[c + 1]; i++)
            if (s->rows[s->pair[i]] >= k) s->inside[end[s->pair[i]]++] = c;
    return HR_OK;
}

static bool is_canonical(const listing *s, uint32_t box) {
    for (size_t j = 0; j < s->t; j++) {
        uint32_t goal = s->code[box * s->t + j];
        uint32_t joined = s->kinds->code[s->inside[s->start[box]] * s->t + j];
        for (size_t i = s->start[box] + 1; i < s->start[box + 1] && joined != goal; i++)
            joined = hr_layout_join(&s->trees[j], joined, s->kinds->code[s->inside[i] * s->t + j]);
        if (joined != goal) return false;
    }
    return true;
}

static bool has_values(const listing *s, uint32_t box, size_t l) {
    const hr_kinds *kinds = s->kinds;
    uint32_t found = 0;
    for (size_t i = s->start[box]; i < s->start[box + 1]; i++) {
        uint32_t c = s->inside[i];
        for (uint32_t kind = kinds->kind_start[c]; kind < kinds->kind_start[c + 1]; kind++) {
            uint32_t value = kinds->kind_value[kind * kinds->r + l];
            if (value == HR_NONE) continue;
            uint32_t *stamp = &s->stamp[kinds->value_start[l] + value];
            found += *stamp != box + 1;
            *stamp = box + 1;
            if (found >= kinds->task->p) return true;
        }
    }
    return false;
}

static bool stays(const listing *s, uint32_t box) {
    if (s->rows[box] < s->kinds->task->k || !is_canonical(s, box)) return false;
    for (size_t l = 0; l < s->kinds->r; l++)
        if (!has_values(s, box, l)) return false;
    return true;
}

typedef struct {
    uint64_t cost;
    const uint32_t *code;
    size_t t;
    uint32_t box;
} ranked;

static int by_cost(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    for (size_t j = 0; j < x->t; j++)
        if (x->code[j] != y->code[j]) return x->code[j] < y->code[j] ? -1 : 1;
    return 0;
}

static hr_status choose_boxes(listing *s, hr_error *err) {
    const hr_kinds *kinds = s->kinds;
    uint32_t boxes = s->map.count;
    s->stamp = hr_arena_alloc(&s->arena, kinds->value_start[kinds->r], sizeof *s->stamp, err);
    s->order = hr_arena_alloc(&s->arena, boxes, sizeof *s->order, err);
    ranked *list = hr_alloc_raw(boxes, sizeof *list, err);
    if (!s->stamp || !s->order || !list) {
        free(list);
        return HR_ENOMEM;
    }
    for (uint32_t b = 0; b < boxes; b++) {
        if (!stays(s, b)) continue;
        ranked *item = &list[s->count++];
        *item = (ranked){.code = s->code + b * s->t, .t = s->t, .box = b};
        for (size_t j = 0; j < s->t; j++)
            item->cost += s->costs->node[j][item->code[j]];
    }
    qsort(list, s->count, sizeof *list, by_cost);
    for (uint32_t i = 0; i < s->count; i++)
        s->order[i] = list[i].box;
    free(list);
    return HR_OK;
}

/* ---- the result ---- */

static hr_status copy_boxes(const listing *s, hr_boxes *out, hr_error *err) {
    hr_arena *arena = &out->arena;
    size_t total = 0;
    for (uint32_t i = 0; i < s->count; i++)
        total += s->start[s->order[i] + 1] - s->start[s->order[i]];
    out->count = s->count;
    out->code = hr_arena_alloc(arena, s->count * s->t, sizeof *out->code, err);
    out->cost = hr_arena_alloc(arena, s->count, sizeof *out->cost, err);
    out->rows = hr_arena_alloc(arena, s->count, sizeof *out->rows, err);
    out->inside_start = hr_arena_alloc(arena, (size_t)s->count + 1, sizeof(size_t), err);
    out->inside = hr_arena_alloc(arena, total, sizeof *out->inside, err);
    if (!out->code || !out->cost || !out->rows || !out->inside_start || !out->inside)
        return HR_ENOMEM;
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t box = s->order[i];
        size_t inside = s->start[box + 1] - s->start[box];
        memcpy(out->code + i * s->t, s->code + box * s->t, s->t * sizeof *out->code);
        for (size_t j = 0; j < s->t; j++)
            out->cost[i] += s->costs->node[j][out->code[i * s->t + j]];
        out->rows[i] = s->rows[box];
        memcpy(out->inside + out->inside_start[i], s->inside + s->start[box],
               inside * sizeof *out->inside);
        out->inside_start[i + 1] = out->inside_start[i] + inside;
    }
    return HR_OK;
}

hr_status hr_boxes_turn_around(const hr_kinds *kinds, hr_boxes *out, hr_error *err) {
    size_t total = out->inside_start[out->count];
    out->around_start =
        hr_arena_alloc(&out->arena, (size_t)kinds->combination_count + 2, sizeof(size_t), err);
    out->around = hr_arena_alloc(&out->arena, total, sizeof *out->around, err);
    if (!out->around_start || !out->around) return HR_ENOMEM;
    size_t *end = out->around_start + 1;
    for (size_t i = 0; i < total; i++)
        end[out->inside[i] + 1]++;
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        end[c + 1] += end[c];
    for (uint32_t b = 0; b < out->count; b++)
        for (size_t i = out->inside_start[b]; i < out->inside_start[b + 1]; i++)
            out->around[end[out->inside[i]]++] = b;
    return HR_OK;
}

static hr_status list_boxes(listing *s, hr_boxes *out, bool *listed, hr_error *err) {
    if (has_numbers(s)) return HR_OK;
    HR_TRY(count_pairs(s, err));
    if (s->pair_count > HR_BOXES_PAIRS) return HR_OK;
    bool fits;
    HR_TRY(number_nodes(s, &fits, err));
    if (!fits) return HR_OK;
    HR_TRY(list_pairs(s, err));
    HR_TRY(list_inside(s, err));
    HR_TRY(choose_boxes(s, err));
    HR_TRY(copy_boxes(s, out, err));
    *listed = true;
    return hr_boxes_turn_around(s->kinds, out, err);
}

hr_status hr_boxes_make(const hr_kinds *kinds, const hr_value_costs *costs, hr_boxes *out,
                        bool *listed, hr_error *err) {
    listing s = start_listing(kinds, costs);
    *out = (hr_boxes){0};
    *listed = false;
    hr_status status = list_boxes(&s, out, listed, err);
    hr_map64_free(&s.map);
    free(s.rows);
    free(s.code);
    hr_arena_free(&s.arena);
    if (status != HR_OK) hr_boxes_free(out);
    return status;
}

void hr_boxes_free(hr_boxes *boxes) {
    hr_arena_free(&boxes->arena);
    *boxes = (hr_boxes){0};
}
