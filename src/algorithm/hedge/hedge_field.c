/* hedge_field.c - finds the kinds nearest to a combination. Kinds are stored in blocks of near
 * ones, attribute by attribute, so that the processor measures many of them at once. Seen from a
 * combination, the subtrees of a value's ancestors are a chain of ranges, called steps; each step
 * that a kind lies outside adds to its distance. The least and greatest marks of a block give a
 * lower bound on its distances in the same way, and blocks with small bounds are read first. */
#include "algorithm/hedge/cover.h"

#include <stdlib.h>
#include <string.h>

enum {
    MARKS = 1 << 16,
    VALUES = 65535, /* most sensitive values that are distinguished in a search for other values */
    FOUND = 4,      /* FOUND x `most` kinds are gathered before the nearest of them are kept */
    OTHERS = 12,    /* most kinds that are added because of other values */
    BUCKETS = 1024,
    WINDOW = 16 /* groups that a scan looks at */
};

/* ---- steps: the distances of an attribute's values from one of them ---- */

/* Stores the steps of value v of a tree and returns their number; `out` may be NULL. */
static uint32_t steps_of(const hr_field *field, size_t j, uint32_t v, hr_field_step *out) {
    const hr_ruler *ruler = &field->rulers->of[j];
    const hr_axis *axis = ruler->axis;
    uint32_t node = ruler->position[v], count = 0;
    unsigned shift = field->shift[j];
    for (;;) {
        uint32_t lo = hr_find_sorted(ruler->position, 0, ruler->count, node);
        uint32_t end = hr_find_sorted(ruler->position, lo, ruler->count, axis->tree.end[node]);
        if (end - lo == ruler->count) return count;
        /* the lowest ancestor that covers more values of the cell */
        uint32_t above = node, first, last;
        do {
            above = axis->tree.up[above];
            first = hr_find_sorted(ruler->position, 0, lo + 1, above);
            last = hr_find_sorted(ruler->position, end, ruler->count, axis->tree.end[above]);
        } while (first == lo && last == end && above != 0);
        uint32_t now = (uint32_t)(axis->cost[node] * field->unit + .5);
        uint32_t then = (uint32_t)(axis->cost[above] * field->unit + .5);
        if (out)
            out[count] = (hr_field_step){.lo = (uint16_t)(lo >> shift),
                                         .size = (uint16_t)(((end - 1) >> shift) - (lo >> shift)),
                                         .more = (uint16_t)(then - now),
                                         .attribute = (uint16_t)j};
        count++;
        node = above;
    }
}

static hr_status make_steps(hr_field *field, size_t j, hr_error *err) {
    const hr_ruler *ruler = &field->rulers->of[j];
    uint32_t total = 0, most = 0;
    uint32_t *start = hr_arena_alloc(&field->arena, (size_t)ruler->count + 1, sizeof *start, err);
    if (!start) return HR_ENOMEM;
    for (uint32_t v = 0; v < ruler->count; v++) {
        uint32_t own = steps_of(field, j, v, NULL);
        start[v + 1] = total += own;
        most = own > most ? own : most;
    }
    field->steps[j] = hr_arena_alloc(&field->arena, total, sizeof **field->steps, err);
    if (!field->steps[j]) return HR_ENOMEM;
    for (uint32_t v = 0; v < ruler->count; v++)
        steps_of(field, j, v, field->steps[j] + start[v]);
    field->step_start[j] = start;
    field->most_steps += most;
    return HR_OK;
}

/* Sets the marks of numbers: their place in the range of the cell. */
static hr_status mark_numbers(hr_field *field, size_t j, hr_error *err) {
    const hr_ruler *ruler = &field->rulers->of[j];
    uint32_t range = ruler->at[ruler->count - 1];
    field->number[j] = hr_arena_alloc(&field->arena, ruler->count, sizeof **field->number, err);
    if (!field->number[j]) return HR_ENOMEM;
    for (uint32_t v = 0; v < ruler->count && range > 0; v++)
        field->number[j][v] = (uint16_t)((uint64_t)ruler->at[v] * (MARKS - 1) / range);
    field->scale[j] = (uint32_t)(range * field->unit + .5);
    return HR_OK;
}

static hr_status make_marks(hr_field *field, hr_error *err) {
    uint64_t whole = 0;
    for (size_t j = 0; j < field->t; j++) {
        const hr_ruler *ruler = &field->rulers->of[j];
        whole += hr_ruler_cost(ruler, 0, ruler->count - 1);
    }
    field->unit = whole ? (double)HR_FIELD_WHOLE / (double)whole : 0;
    for (size_t j = 0; j < field->t; j++) {
        const hr_ruler *ruler = &field->rulers->of[j];
        field->sides += ruler->at ? 2 : 1;
        if (ruler->at) field->numbers[field->number_count++] = j;
        while (ruler->count >> field->shift[j] >= MARKS)
            field->shift[j]++;
        HR_TRY(ruler->at ? mark_numbers(field, j, err) : make_steps(field, j, err));
    }
    return HR_OK;
}

static uint16_t mark_of(const hr_field *field, size_t j, uint32_t combination) {
    uint32_t v = field->rulers->mark[combination * field->t + j];
    if (field->number[j]) return field->number[j][v];
    return (uint16_t)(v >> field->shift[j]);
}

/* ---- blocks ---- */

/* Fills block b from its slots. */
static void fill_block(hr_field *field, uint32_t b) {
    const hr_kinds *kinds = field->kinds;
    size_t t = field->t, slots = (size_t)field->blocks * HR_BLOCK;
    uint16_t *mark = field->mark + b * t * HR_BLOCK;
    const uint32_t *kind = field->kind + (size_t)b * HR_BLOCK;
    for (size_t j = 0; j < t; j++) {
        uint16_t low = MARKS - 1, high = 0;
        for (size_t i = 0; i < HR_BLOCK && kind[i] != HR_NONE; i++) {
            uint16_t own = mark[j * HR_BLOCK + i] =
                mark_of(field, j, kinds->kind_combination[kind[i]]);
            low = own < low ? own : low;
            high = own > high ? own : high;
        }
        size_t at = (b / HR_BLOCK * t + j) * HR_BLOCK + b % HR_BLOCK;
        field->low[at] = low;
        field->high[at] = high;
    }
    for (size_t i = 0; i < HR_BLOCK; i++) {
        size_t slot = (size_t)b * HR_BLOCK + i;
        field->off[slot] = kind[i] == HR_NONE ? HR_FIELD_FAR : 0;
        if (kind[i] == HR_NONE) continue;
        field->live[b]++;
        field->slot[kind[i]] = (uint32_t)slot;
        for (size_t l = 0; l < kinds->r; l++) {
            uint16_t value = (uint16_t)(kinds->kind_value[kind[i] * kinds->r + l] % VALUES);
            field->value[l * slots + slot] = value;
            field->values[l * field->blocks + b] |= UINT64_C(1) << value % 64;
        }
    }
}

static void fill_blocks(hr_field *field) {
    for (uint32_t i = field->count; i < field->blocks * HR_BLOCK; i++)
        field->kind[i] = HR_NONE;
    memset(field->live, 0, field->blocks * sizeof *field->live);
    memset(field->values, 0, field->blocks * field->kinds->r * sizeof *field->values);
    for (uint32_t b = 0; b < field->blocks; b++)
        fill_block(field, b);
}

static hr_status make_blocks(hr_field *field, hr_error *err) {
    size_t t = field->t, slots = (size_t)field->blocks * HR_BLOCK;
    hr_arena_part parts[] = {
        {&field->kind, slots, sizeof *field->kind},
        {&field->mark, slots * t, sizeof *field->mark},
        {&field->off, slots, sizeof *field->off},
        {&field->low, (size_t)field->groups * HR_BLOCK * t, sizeof *field->low},
        {&field->high, (size_t)field->groups * HR_BLOCK * t, sizeof *field->high},
        {&field->value, slots * field->kinds->r, sizeof *field->value},
        {&field->live, field->blocks, sizeof *field->live},
        {&field->values, field->blocks * field->kinds->r, sizeof *field->values},
    };
    return hr_arena_parts(&field->arena, parts, sizeof parts / sizeof *parts, err);
}

static hr_status make(hr_field *field, const bool *in, hr_error *err) {
    const hr_kinds *kinds = field->kinds;
    size_t t = field->t;
    hr_arena_part parts[] = {
        {&field->shift, t, sizeof *field->shift},
        {&field->number, t, sizeof *field->number},
        {&field->scale, t, sizeof *field->scale},
        {&field->numbers, t, sizeof *field->numbers},
        {&field->step_start, t, sizeof *field->step_start},
        {&field->steps, t, sizeof *field->steps},
        {&field->slot, kinds->kind_count, sizeof *field->slot},
    };
    HR_TRY(hr_arena_parts(&field->arena, parts, sizeof parts / sizeof *parts, err));
    memset(field->slot, 0xff, kinds->kind_count * sizeof *field->slot);
    HR_TRY(make_marks(field, err));
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        field->count += !in || in[kind];
    field->blocks = (field->count + HR_BLOCK - 1) / HR_BLOCK;
    field->groups = (field->blocks + HR_BLOCK - 1) / HR_BLOCK;
    HR_TRY(make_blocks(field, err));
    for (uint32_t kind = 0, at = 0; kind < kinds->kind_count; kind++)
        if (!in || in[kind]) field->kind[at++] = kind;
    HR_TRY(hr_order_kinds(kinds, field->rulers, field->kind, field->count, err));
    fill_blocks(field);
    return HR_OK;
}

hr_status hr_field_make(const hr_kinds *kinds, const hr_rulers *rulers, const bool *in,
                        hr_field *out, hr_error *err) {
    *out = (hr_field){.kinds = kinds, .rulers = rulers, .t = kinds->t};
    hr_status status = make(out, in, err);
    if (status != HR_OK) hr_field_free(out);
    return status;
}

void hr_field_free(hr_field *field) {
    hr_arena_free(&field->arena);
    *field = (hr_field){0};
}

hr_status hr_field_compact(hr_field *field, hr_error *err) {
    uint32_t *out = hr_alloc_raw(field->count, sizeof *out, err), count = 0, gone = 0;
    if (!out) return HR_ENOMEM;
    for (uint32_t i = 0; i < field->count; i++) {
        if (field->off[i])
            out[gone++] = field->kind[i];
        else
            field->kind[count++] = field->kind[i];
    }
    memcpy(field->kind + count, out, gone * sizeof *out);
    free(out);
    fill_blocks(field);
    return HR_OK;
}

void hr_field_set(hr_field *field, uint32_t kind, bool in_play) {
    uint32_t slot = field->slot[kind];
    uint16_t off = in_play ? 0 : HR_FIELD_FAR;
    if (field->off[slot] == off) return;
    field->off[slot] = off;
    field->live[slot / HR_BLOCK] += in_play ? 1 : UINT32_MAX;
}

/* ---- the kinds inside a box ---- */

/* Stores, for each attribute, the least and greatest marks covered by the value that is published
 * for lo .. hi. */
static void set_range(const hr_field *field, const uint32_t *lo, const uint32_t *hi,
                      uint16_t *range) {
    for (size_t j = 0; j < field->t; j++) {
        const hr_ruler *ruler = &field->rulers->of[j];
        if (ruler->at) {
            range[2 * j] = field->number[j][lo[j]];
            range[2 * j + 1] = field->number[j][hi[j]];
            continue;
        }
        const hr_preorder *tree = &ruler->axis->tree;
        uint32_t node = hr_preorder_join(tree, ruler->position[lo[j]], ruler->position[hi[j]]);
        uint32_t first = hr_find_sorted(ruler->position, 0, ruler->count, node);
        uint32_t end = hr_find_sorted(ruler->position, first, ruler->count, tree->end[node]);
        range[2 * j] = (uint16_t)(first >> field->shift[j]);
        range[2 * j + 1] = (uint16_t)((end - 1) >> field->shift[j]);
    }
}

/* Finds which of the HR_BLOCK ranges low .. high meet the box; returns whether any does. */
HR_LANES static bool meet_box(const uint16_t *restrict low, const uint16_t *restrict high,
                              const uint16_t *range, size_t t, uint8_t *restrict meets) {
    uint8_t any = 0;
    for (size_t i = 0; i < HR_BLOCK; i++)
        meets[i] = 1;
    for (size_t j = 0; j < t; j++) {
        uint16_t first = range[2 * j], last = range[2 * j + 1];
        for (size_t i = 0; i < HR_BLOCK; i++)
            meets[i] &=
                (uint8_t)((low[j * HR_BLOCK + i] <= last) & (high[j * HR_BLOCK + i] >= first));
    }
    for (size_t i = 0; i < HR_BLOCK; i++)
        any |= meets[i];
    return any;
}

uint32_t hr_field_inside(const hr_field *field, const uint16_t *off, const uint32_t *lo,
                         const uint32_t *hi, uint16_t *range, uint32_t *out) {
    size_t t = field->t;
    uint8_t near[HR_BLOCK], in[HR_BLOCK];
    uint32_t count = 0;
    set_range(field, lo, hi, range);
    for (uint32_t g = 0; g < field->groups; g++) {
        size_t at = g * t * HR_BLOCK;
        if (!meet_box(field->low + at, field->high + at, range, t, near)) continue;
        for (uint32_t n = 0; n < HR_BLOCK && g * HR_BLOCK + n < field->blocks; n++) {
            uint32_t b = g * HR_BLOCK + n;
            const uint16_t *mark = field->mark + b * t * HR_BLOCK;
            if (!near[n] || !meet_box(mark, mark, range, t, in)) continue;
            for (uint32_t i = 0; i < HR_BLOCK; i++)
                if (in[i] && !off[b * HR_BLOCK + i]) out[count++] = field->kind[b * HR_BLOCK + i];
        }
    }
    return count;
}

/* ---- views ---- */

hr_status hr_view_init(hr_view *view, const hr_field *field, uint32_t width, hr_error *err) {
    width = width > HR_NEAR_MOST ? HR_NEAR_MOST : (width + HR_BLOCK - 1) / HR_BLOCK * HR_BLOCK;
    *view = (hr_view){.field = field, .off = field->off, .width = width};
    size_t values = field->kinds->value_start[field->kinds->r];
    const hr_judge *judge = field->kinds->judge;
    hr_arena_part parts[] = {
        {&view->steps, field->most_steps, sizeof *view->steps},
        {&view->mark, field->t, sizeof *view->mark},
        {&view->hidden, values + 1, sizeof *view->hidden},
        {&view->bound, (size_t)field->groups * HR_BLOCK, sizeof *view->bound},
        {&view->order, field->blocks, sizeof *view->order},
        {&view->found, (size_t)width * FOUND + HR_BLOCK, sizeof *view->found},
        {&view->seen, values + 1, sizeof *view->seen},
        {&view->near, width, sizeof *view->near},
        {&view->rows, width, sizeof *view->rows},
        {&view->free, width, sizeof *view->free},
        {&view->gain, width, sizeof *view->gain},
        {&view->inside, (size_t)width + 1, sizeof *view->inside},
        {&view->giver, width, sizeof *view->giver},
        {&view->surplus, width, sizeof *view->surplus},
        {&view->distance, width, sizeof *view->distance},
        {&view->side, field->sides * width, sizeof *view->side},
        {&view->reach, field->sides, sizeof *view->reach},
        {&view->best_reach, field->sides, sizeof *view->best_reach},
        {&view->joined, width, sizeof *view->joined},
        {&view->state, judge ? judge->words : 0, sizeof *view->state},
        {&view->strain, judge ? hr_judge_strains(judge) : 0, sizeof *view->strain},
        {&view->excessive, judge ? judge->value_start[judge->sensitive_count] : 0,
         sizeof *view->excessive},
    };
    hr_status status = hr_arena_parts(&view->arena, parts, sizeof parts / sizeof *parts, err);
    if (status != HR_OK) hr_view_free(view);
    return status;
}

void hr_view_free(hr_view *view) {
    hr_arena_free(&view->arena);
    *view = (hr_view){0};
}

void hr_view_from(hr_view *view, uint32_t combination) {
    const hr_field *field = view->field;
    uint64_t base = 0;
    view->combination = combination;
    view->step_count = 0;
    for (size_t j = 0; j < field->t; j++) {
        const hr_ruler *ruler = &field->rulers->of[j];
        uint32_t v = field->rulers->mark[combination * field->t + j];
        view->mark[j] = mark_of(field, j, combination);
        if (ruler->at) continue;
        base += (uint64_t)(ruler->own[v] * field->unit + .5);
        const uint32_t *start = field->step_start[j];
        size_t count = start[v + 1] - start[v];
        memcpy(view->steps + view->step_count, field->steps[j] + start[v],
               count * sizeof *view->steps);
        view->step_count += count;
    }
    view->base = (uint16_t)base;
}

/* ---- distances ---- */

/* The cost of the gap between a number and a range of numbers; 0 if it is inside. */
static inline uint16_t gap_cost(uint16_t from, uint16_t first, uint16_t last, uint32_t scale) {
    uint32_t gap = first > from  ? (uint32_t)(first - from)
                   : last < from ? (uint32_t)(from - last)
                                 : 0;
    return (uint16_t)(gap * scale >> 16);
}

/* Stores the distances of the kinds in block b; kinds out of play get HR_FIELD_FAR. The bound of
 * the block already contains the steps that all its kinds are outside; steps that all its kinds are
 * inside are skipped. */
HR_LANES static void measure_block(const hr_view *view, uint32_t b, uint16_t *restrict out) {
    const hr_field *field = view->field;
    const uint16_t *restrict marks = field->mark + b * field->t * HR_BLOCK;
    const uint16_t *restrict off = view->off + (size_t)b * HR_BLOCK;
    const uint16_t *low_mark = field->low + b / HR_BLOCK * field->t * HR_BLOCK + b % HR_BLOCK;
    const uint16_t *high_mark = field->high + b / HR_BLOCK * field->t * HR_BLOCK + b % HR_BLOCK;
    for (size_t i = 0; i < HR_BLOCK; i++)
        out[i] = view->bound[b]; /* the steps that all kinds of the block are outside */
    for (size_t s = 0; s < view->step_count; s++) {
        hr_field_step step = view->steps[s];
        uint16_t first = low_mark[step.attribute * (size_t)HR_BLOCK];
        uint16_t end = high_mark[step.attribute * (size_t)HR_BLOCK];
        uint16_t last = (uint16_t)(step.lo + step.size);
        if (first > last || end < step.lo || (first >= step.lo && end <= last)) continue;
        const uint16_t *restrict mark = marks + step.attribute * (size_t)HR_BLOCK;
        for (size_t i = 0; i < HR_BLOCK; i++) {
            uint16_t above = (uint16_t)(mark[i] - step.lo);
            out[i] = (uint16_t)(out[i] + (above > step.size ? step.more : 0));
        }
    }
    for (size_t n = 0; n < field->number_count; n++) {
        size_t j = field->numbers[n];
        const uint16_t *restrict mark = marks + j * HR_BLOCK;
        uint16_t from = view->mark[j];
        uint32_t scale = field->scale[j];
        uint16_t counted = gap_cost(from, low_mark[j * HR_BLOCK], high_mark[j * HR_BLOCK], scale);
        for (size_t i = 0; i < HR_BLOCK; i++) {
            uint16_t gap = (uint16_t)(mark[i] > from ? mark[i] - from : from - mark[i]);
            out[i] = (uint16_t)(out[i] + (uint16_t)(gap * scale >> 16) - counted);
        }
    }
    for (size_t i = 0; i < HR_BLOCK; i++)
        out[i] |= off[i];
}

/* Bounds of the blocks of group g. */
HR_LANES static void bound_group(hr_view *view, uint32_t g) {
    const hr_field *field = view->field;
    uint16_t *restrict out = view->bound + (size_t)g * HR_BLOCK;
    const uint16_t *restrict lows = field->low + g * field->t * HR_BLOCK;
    const uint16_t *restrict highs = field->high + g * field->t * HR_BLOCK;
    for (size_t i = 0; i < HR_BLOCK; i++)
        out[i] = view->base;
    for (size_t s = 0; s < view->step_count; s++) {
        hr_field_step step = view->steps[s];
        const uint16_t *restrict low = lows + step.attribute * (size_t)HR_BLOCK;
        const uint16_t *restrict high = highs + step.attribute * (size_t)HR_BLOCK;
        uint16_t last = (uint16_t)(step.lo + step.size);
        for (size_t i = 0; i < HR_BLOCK; i++) {
            bool outside = (low[i] > last) | (high[i] < step.lo);
            out[i] = (uint16_t)(out[i] + (outside ? step.more : 0));
        }
    }
    for (size_t n = 0; n < field->number_count; n++) {
        size_t j = field->numbers[n];
        const uint16_t *restrict low = lows + j * HR_BLOCK;
        const uint16_t *restrict high = highs + j * HR_BLOCK;
        uint16_t from = view->mark[j];
        uint32_t scale = field->scale[j];
        for (size_t i = 0; i < HR_BLOCK; i++) {
            uint16_t above = (uint16_t)(low[i] > from ? low[i] - from : 0);
            uint16_t below = (uint16_t)(high[i] < from ? from - high[i] : 0);
            out[i] = (uint16_t)(out[i] + ((uint32_t)(below + above) * scale >> 16));
        }
    }
}

/* Chooses the groups to search: all or, in a large field, WINDOW groups around the combination, as
 * near kinds are side by side. So the time of a scan does not grow with the field. */
static void choose_groups(const hr_view *view, uint32_t *first, uint32_t *end) {
    const hr_field *field = view->field;
    const uint32_t *start = field->kinds->kind_start + view->combination;
    *first = 0;
    *end = field->groups;
    for (uint32_t kind = start[0]; kind < start[1] && field->groups > WINDOW; kind++) {
        if (field->slot[kind] == HR_NONE) continue;
        uint32_t own = field->slot[kind] / (HR_BLOCK * HR_BLOCK);
        *first = own < WINDOW / 2 ? 0 : own - WINDOW / 2;
        if (*first + WINDOW > field->groups) *first = field->groups - WINDOW;
        *end = *first + WINDOW;
        return;
    }
}

/* Bounds the blocks and orders the first `cap` to be read; returns their number. */
static uint32_t order_blocks(hr_view *view, uint32_t cap) {
    const hr_field *field = view->field;
    uint32_t first, end;
    choose_groups(view, &first, &end);
    uint32_t count[BUCKETS + 1] = {0}, sum = 0, last = BUCKETS;
    for (uint32_t g = first; g < end; g++)
        bound_group(view, g);
    first *= HR_BLOCK;
    end = end * HR_BLOCK < field->blocks ? end * HR_BLOCK : field->blocks;
    bool all = view->off != field->off;
    for (uint32_t b = first; b < end; b++) {
        if (!all && field->live[b] == 0) view->bound[b] = HR_FIELD_FAR;
        count[view->bound[b] / (MARKS / BUCKETS)]++;
    }
    for (uint32_t i = 0; i <= BUCKETS; i++) {
        uint32_t own = count[i];
        count[i] = sum;
        sum += own;
        if (sum >= cap && last == BUCKETS) last = i;
    }
    for (uint32_t b = first; b < end; b++) {
        uint32_t bucket = view->bound[b] / (MARKS / BUCKETS);
        if (bucket <= last) view->order[count[bucket]++] = b;
    }
    return sum < cap ? sum : cap;
}

/* ---- the nearest ---- */

/* Moves the `keep` least numbers to the front. */
static void select_least(uint64_t *list, uint32_t count, uint32_t keep) {
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint64_t a = list[low], b = list[low + (high - low) / 2], c = list[high - 1];
        uint64_t pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
        uint32_t i = low, j = high - 1;
        for (;;) {
            while (list[i] < pivot)
                i++;
            while (list[j] > pivot)
                j--;
            if (i >= j) break;
            uint64_t swapped = list[i];
            list[i++] = list[j];
            list[j--] = swapped;
        }
        uint32_t cut = j + 1 > low + 1 ? j + 1 : low + 1;
        if (list[cut - 1] > pivot) cut--;
        if (cut == high) cut = high - 1;
        if (keep == cut) return;
        if (keep < cut)
            high = cut;
        else
            low = cut;
    }
}

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_found(uint64_t *list, uint32_t count) {
    if (count > HR_BLOCK) {
        qsort(list, count, sizeof *list, ascending);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint64_t own = list[i];
        uint32_t at = i;
        for (; at > 0 && list[at - 1] > own; at--)
            list[at] = list[at - 1];
        list[at] = own;
    }
}

/* Sets the distance of kinds with one of these values to HR_FIELD_FAR. */
HR_LANES static void hide_values(const uint16_t *restrict value, const uint16_t *hidden,
                                 size_t count, uint16_t *restrict distance) {
    for (size_t h = 0; h < count; h++) {
        uint16_t own = hidden[h];
        for (size_t i = 0; i < HR_BLOCK; i++)
            distance[i] |= value[i] == own ? HR_FIELD_FAR : 0;
    }
}

/* Which distances are below the limit; returns whether any is. */
HR_LANES static bool find_below(const uint16_t *restrict distance, uint16_t limit,
                                uint8_t *restrict below) {
    uint8_t any = 0;
    for (size_t i = 0; i < HR_BLOCK; i++) {
        below[i] = distance[i] < limit;
        any |= below[i];
    }
    return any;
}

/* Keeps the `most` nearest of the kinds found; returns the greatest of their distances. */
static uint16_t keep_nearest(hr_view *view, uint32_t most) {
    uint64_t far = 0;
    select_least(view->found, view->found_count, most);
    view->found_count = most;
    for (uint32_t at = 0; at < most; at++)
        far = view->found[at] > far ? view->found[at] : far;
    return (uint16_t)(far >> 32);
}

/* Finds the `most` nearest kinds in the first `count` blocks of the order; if l is below r, only
 * kinds whose value of attribute l is not hidden. */
static void find_nearest(hr_view *view, uint32_t most, uint32_t count, size_t l) {
    const hr_field *field = view->field;
    uint16_t distance[HR_BLOCK], limit = HR_FIELD_FAR;
    uint8_t below[HR_BLOCK];
    view->found_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = view->order[i];
        if (view->bound[b] >= limit) continue;
        if (l < field->kinds->r && !(field->values[l * field->blocks + b] & ~view->hidden_bits))
            continue;
        measure_block(view, b, distance);
        if (l < field->kinds->r)
            hide_values(field->value + (l * field->blocks + b) * HR_BLOCK, view->hidden,
                        view->hidden_count, distance);
        if (!find_below(distance, limit, below)) continue;
        for (uint32_t at = 0; at < HR_BLOCK; at += 8) {
            uint64_t word;
            memcpy(&word, below + at, sizeof word);
            for (uint32_t n = at; word && n < at + 8; n++)
                if (below[n])
                    view->found[view->found_count++] =
                        (uint64_t)distance[n] << 32 | (b * HR_BLOCK + n);
        }
        if (view->found_count >= most * FOUND) limit = keep_nearest(view, most);
    }
    if (view->found_count > most) keep_nearest(view, most);
    sort_found(view->found, view->found_count);
}

/* ---- lists ---- */

/* The cost of each listed kind by attribute. */
void hr_view_measure(hr_view *view) {
    const hr_field *field = view->field;
    uint16_t mark[HR_NEAR_MOST];
    size_t side = 0, s = 0, width = view->width;
    for (size_t j = 0; j < field->t; j++) {
        uint16_t *own = view->side + side * width;
        for (uint32_t i = 0; i < view->count; i++)
            mark[i] = mark_of(field, j, field->kinds->kind_combination[view->near[i]]);
        memset(own, 0, width * sizeof *own);
        side += field->number[j] ? 2 : 1;
        if (field->number[j]) {
            uint16_t *above = own + width, from = view->mark[j];
            for (size_t i = 0; i < width; i++) {
                uint32_t below = i < view->count && mark[i] < from ? from - mark[i] : 0;
                uint32_t over = i < view->count && mark[i] > from ? mark[i] - from : 0;
                own[i] = (uint16_t)(below * field->scale[j] >> 16);
                above[i] = (uint16_t)(over * field->scale[j] >> 16);
            }
            continue;
        }
        uint32_t v = field->rulers->mark[view->combination * field->t + j];
        uint16_t base = (uint16_t)(field->rulers->of[j].own[v] * field->unit + .5);
        for (size_t i = 0; i < width; i++)
            own[i] = base;
        for (; s < view->step_count && view->steps[s].attribute == j; s++) {
            hr_field_step step = view->steps[s];
            for (uint32_t i = 0; i < view->count; i++)
                own[i] = (uint16_t)(own[i] +
                                    ((uint16_t)(mark[i] - step.lo) > step.size ? step.more : 0));
        }
    }
}

static bool is_listed(const hr_view *view, uint32_t kind) {
    for (uint32_t i = 0; i < view->count; i++)
        if (view->near[i] == kind) return true;
    return false;
}

/* Appends the kinds found to the list. */
static void append_found(hr_view *view, bool checked) {
    const hr_field *field = view->field;
    for (uint32_t i = 0; i < view->found_count && view->count < view->width; i++) {
        uint32_t kind = field->kind[(uint32_t)view->found[i]];
        if (checked && is_listed(view, kind)) continue;
        view->near[view->count] = kind;
        view->rows[view->count] = view->free[view->count] = field->kinds->kind_rows[kind];
        view->distance[view->count++] = (uint16_t)(view->found[i] >> 32);
    }
}

/* Marks the values of attribute l in the list as seen; returns how many there are. */
static uint32_t see_values(hr_view *view, size_t l) {
    const hr_kinds *kinds = view->field->kinds;
    uint32_t *seen = view->seen + kinds->value_start[l], count = 0;
    view->now++;
    view->hidden_bits = UINT64_C(1) << HR_NONE % VALUES % 64;
    for (uint32_t i = 0; i < view->count; i++) {
        uint32_t value = kinds->kind_value[view->near[i] * kinds->r + l];
        if (value == HR_NONE || seen[value] == view->now) continue;
        seen[value] = view->now;
        view->hidden[count++] = (uint16_t)(value % VALUES);
        view->hidden_bits |= UINT64_C(1) << value % VALUES % 64;
    }
    view->hidden_count = count;
    view->hidden[view->hidden_count++] = (uint16_t)(HR_NONE % VALUES);
    if (kinds->value_start[l + 1] - kinds->value_start[l] > 64) view->hidden_bits = 0;
    return count;
}

uint32_t hr_view_others(hr_view *view) {
    const hr_kinds *kinds = view->field->kinds;
    uint32_t before = view->count;
    for (size_t l = 0; l < kinds->r; l++)
        while (see_values(view, l) < kinds->p && view->count < view->width) {
            uint32_t known = view->count;
            find_nearest(view, OTHERS, view->block_count, l);
            append_found(view, true);
            if (view->count == known) break;
        }
    return view->count - before;
}

void hr_view_scan(hr_view *view, uint32_t most, uint32_t cap) {
    view->block_count = order_blocks(view, cap);
    view->count = 0;
    find_nearest(view, most, view->block_count, view->field->kinds->r);
    append_found(view, false);
}

void hr_view_list(hr_view *view, const uint32_t *kinds, uint32_t count) {
    const hr_field *field = view->field;
    view->count = 0;
    for (uint32_t i = 0; i < count && view->count < view->width; i++) {
        if (field->slot[kinds[i]] == HR_NONE || field->off[field->slot[kinds[i]]]) continue;
        view->near[view->count] = kinds[i];
        view->rows[view->count] = view->free[view->count] = field->kinds->kind_rows[kinds[i]];
        view->count++;
    }
    hr_view_measure(view);
    for (uint32_t i = 0; i < view->count; i++) {
        uint32_t sum = 0;
        for (size_t side = 0; side < field->sides; side++)
            sum += view->side[side * view->width + i];
        view->distance[i] = (uint16_t)(sum < HR_FIELD_FAR ? sum : HR_FIELD_FAR);
    }
}
