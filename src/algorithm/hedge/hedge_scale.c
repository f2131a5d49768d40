/* hedge_scale.c - the levels of the attributes of a cell. A level of a tree replaces values by
 * their highest ancestors of at most a certain height; levels of numbers are halves, quarters, ...
 * of the cell's range. Only values that occur in the cell are visited, so the time for many small
 * cells depends on their rows alone. Time: O(combinations x attributes + values x levels), plus
 * sorting. */
#include "algorithm/hedge/hedge.h"

#include <stdlib.h>
#include <string.h>

enum {
    NUMERIC_PARTS = 6, /* of a range: 2^6, 2^5, ..., 2 */
    SPARSE = 8         /* with so many codes per combination, values are sorted, not counted */
};

/* One attribute while its levels are made. */
typedef struct {
    const hr_kinds *kinds;
    const hr_axes *axes;
    hr_scales *out;
    size_t j;
    uint32_t *code; /* the cell's values, ascending */
    uint32_t count; /* number of values */
    hr_span *value; /* at this level */
    uint64_t *rows; /* with each */
    hr_error *err;
} scale_builder;

/* ---- the values of a cell ---- */

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_codes(scale_builder *m) {
    const hr_kinds *kinds = m->kinds;
    uint32_t n = kinds->combination_count;
    for (uint32_t c = 0; c < n; c++)
        m->code[c] = kinds->code[c * kinds->t + m->j];
    qsort(m->code, n, sizeof *m->code, ascending);
    m->count = 0;
    for (uint32_t c = 0; c < n; c++)
        if (m->count == 0 || m->code[m->count - 1] != m->code[c]) m->code[m->count++] = m->code[c];
    for (uint32_t c = 0; c < n; c++) {
        const uint32_t *own = bsearch(&kinds->code[c * kinds->t + m->j], m->code, m->count,
                                      sizeof *m->code, ascending);
        m->out->place[c * kinds->t + m->j] = (uint32_t)(own - m->code);
    }
}

static hr_status list_codes(scale_builder *m, uint32_t codes) {
    const hr_kinds *kinds = m->kinds;
    uint32_t *place = hr_alloc(codes, sizeof *place, m->err);
    if (!place) return HR_ENOMEM;
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        place[kinds->code[c * kinds->t + m->j]] = 1;
    for (uint32_t code = 0; code < codes; code++) {
        if (!place[code]) continue;
        m->code[m->count] = code;
        place[code] = m->count++;
    }
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        m->out->place[c * kinds->t + m->j] = place[kinds->code[c * kinds->t + m->j]];
    free(place);
    return HR_OK;
}

static hr_status find_codes(scale_builder *m) {
    const hr_kinds *kinds = m->kinds;
    uint32_t codes = m->axes->of[m->j].count;
    m->count = 0;
    if (codes / SPARSE > kinds->combination_count)
        sort_codes(m);
    else
        HR_TRY(list_codes(m, codes));
    memset(m->rows, 0, m->count * sizeof *m->rows);
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        m->rows[m->out->place[c * kinds->t + m->j]] += kinds->combination_rows[c];
    return HR_OK;
}

/* ---- levels ---- */

static uint64_t random_number(size_t j, uint32_t level, uint32_t key) {
    uint32_t text[3] = {(uint32_t)j, level, key};
    return hr_hash(text, sizeof text);
}

static hr_status add_level(scale_builder *m, hr_scale *scale) {
    scale->number[scale->count] =
        hr_arena_alloc(&m->out->arena, m->count, sizeof **scale->number, m->err);
    return scale->number[scale->count] ? HR_OK : HR_ENOMEM;
}

/* Sets the average cost of the level just filled in; returns whether all values are equal at it. */
static bool finish_level(scale_builder *m, hr_scale *scale) {
    const uint64_t *number = scale->number[scale->count];
    uint64_t total = 0;
    bool whole = true;
    for (uint32_t i = 0; i < m->count; i++) {
        whole = whole && number[i] == number[0];
        total += m->rows[i] * hr_axis_cost(&m->axes->of[m->j], m->value[i]);
    }
    scale->cost[scale->count++] = total / m->kinds->row_count;
    return whole;
}

/* The levels of a tree: for each height, the highest ancestors of at most that height. */
static hr_status tree_levels(scale_builder *m, hr_scale *scale) {
    const hr_preorder *tree = &m->axes->of[m->j].tree;
    const hr_hierarchy *source = m->axes->data->quasi[m->j].tree;
    for (uint32_t i = 0; i < m->count; i++)
        m->value[i] = (hr_span){m->code[i], m->code[i]};
    for (uint32_t height = 0; height < HR_SCALE_LEVELS; height++) {
        bool last = height + 1 == HR_SCALE_LEVELS;
        HR_TRY(add_level(m, scale));
        for (uint32_t i = 0; i < m->count; i++) {
            uint32_t node = m->value[i].lo;
            while (node != 0 && (last || source->height[tree->node[tree->up[node]]] <= height))
                node = tree->up[node];
            m->value[i] = (hr_span){node, node};
            scale->number[scale->count][i] = random_number(m->j, 0, node);
        }
        if (finish_level(m, scale)) break;
    }
    return HR_OK;
}

/* The levels of numbers: the numbers themselves, then parts of the range of the cell. */
static hr_status number_levels(scale_builder *m, hr_scale *scale) {
    const double *of_code = m->axes->data->quasi[m->j].number;
    double low = of_code[m->code[0]], range = of_code[m->code[m->count - 1]] - low;
    for (unsigned level = 0; level <= NUMERIC_PARTS + 1; level++) {
        uint32_t parts = UINT32_C(1) << (NUMERIC_PARTS + 1 - level), begin = 0;
        HR_TRY(add_level(m, scale));
        uint64_t *number = scale->number[scale->count];
        for (uint32_t i = 0; i < m->count; i++) {
            double share = range > 0 ? (of_code[m->code[i]] - low) / range : 0;
            uint32_t part = share >= 1 ? parts - 1 : (uint32_t)(share * parts);
            number[i] =
                level == 0 ? random_number(m->j, 0, m->code[i]) : random_number(m->j, level, part);
            if (number[i] != number[begin]) begin = i;
            m->value[i] = (hr_span){m->code[begin], m->code[i]};
        }
        for (uint32_t i = m->count - 1; i-- > 0;)
            if (m->value[i].lo == m->value[i + 1].lo) m->value[i].hi = m->value[i + 1].hi;
        if (finish_level(m, scale)) break;
    }
    return HR_OK;
}

/* ---- the whole ---- */

static hr_status make(scale_builder *m) {
    size_t n = m->kinds->combination_count, t = m->kinds->t;
    m->out->of = hr_arena_alloc(&m->out->arena, t, sizeof *m->out->of, m->err);
    m->out->place = hr_arena_alloc(&m->out->arena, n * t, sizeof *m->out->place, m->err);
    m->code = hr_alloc_raw(n, sizeof *m->code, m->err);
    m->value = hr_alloc_raw(n, sizeof *m->value, m->err);
    m->rows = hr_alloc_raw(n, sizeof *m->rows, m->err);
    if (!m->out->of || !m->out->place || !m->code || !m->value || !m->rows) return HR_ENOMEM;
    for (m->j = 0; m->j < t; m->j++) {
        hr_scale *scale = &m->out->of[m->j];
        HR_TRY(find_codes(m));
        HR_TRY(m->axes->of[m->j].cost ? tree_levels(m, scale) : number_levels(m, scale));
    }
    return HR_OK;
}

hr_status hr_scales_make(const hr_kinds *kinds, const hr_axes *axes, hr_scales *out,
                         hr_error *err) {
    scale_builder m = {.kinds = kinds, .axes = axes, .out = out, .err = err};
    *out = (hr_scales){0};
    hr_status status = make(&m);
    free(m.code);
    free(m.value);
    free(m.rows);
    return status;
}

void hr_scales_free(hr_scales *scales) {
    hr_arena_free(&scales->arena);
}
