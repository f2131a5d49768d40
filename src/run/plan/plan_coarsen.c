/* plan_coarsen.c - replaces the values of a table by fewer ones, so that few enough combinations of
 * values are left to be counted. */
#include "run/plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* The ancestor of a node at a depth, or the node if it lies higher. */
static uint32_t ancestor_at(const hr_hierarchy *tree, uint32_t node, uint32_t depth) {
    while (tree->depth[node] > depth)
        node = tree->parent[node];
    return node;
}

/* Maps each code to its ancestor at a depth; returns the number of different ancestors. */
static uint32_t mark_at(const hr_quasi *quasi, uint32_t depth, uint32_t *of_code, bool *seen) {
    uint32_t found = 0;
    memset(seen, 0, quasi->value_count * sizeof *seen);
    for (uint32_t code = 0; code < quasi->column->dictionary.count; code++) {
        uint32_t value = quasi->value_of_code[code];
        of_code[code] = HR_NONE;
        if (value == HR_NONE) continue;
        uint32_t magval = quasi->magval[value], node = ancestor_at(quasi->tree, value, depth);
        if (quasi->tree->depth[node] < quasi->tree->depth[magval]) node = magval;
        of_code[code] = node;
        found += !seen[node];
        seen[node] = true;
    }
    return found;
}

/* The bin of each code of the domain: its ancestor at the greatest depth that gives few enough
 * nodes, but never past a boundary. */
static hr_status bins_of_tree(const hr_quasi *quasi, uint32_t bins, uint32_t *of_code,
                              hr_error *err) {
    bool *seen = hr_alloc(quasi->value_count, sizeof *seen, err);
    if (!seen) return HR_ENOMEM;
    uint32_t depth = quasi->tree->height[quasi->tree->root];
    while (mark_at(quasi, depth, of_code, seen) > bins && depth > 0)
        depth--;
    free(seen);
    return HR_OK;
}

/* Equally many numbers in each bin of a cell. */
static void bins_of_numbers(const hr_quasi *quasi, uint32_t bins, uint32_t *of_code) {
    uint32_t width = (quasi->value_count + bins - 1) / bins;
    for (uint32_t code = 0; code < quasi->column->dictionary.count; code++) {
        uint32_t value = quasi->value_of_code[code];
        uint32_t first = value == HR_NONE || !quasi->magval ? 0 : quasi->magval[value];
        of_code[code] = value == HR_NONE ? HR_NONE : value - (value - first) % (width ? width : 1);
    }
}

/* For each bin, chooses the code with the lowest value to represent it. */
static hr_status choose(const hr_column *column, const uint32_t *value_of_code,
                        const uint32_t *order, const uint32_t *bin, uint32_t bin_count,
                        uint32_t *out, hr_error *err) {
    uint32_t codes = column->dictionary.count;
    uint32_t *first = hr_alloc_raw(bin_count, sizeof *first, err);
    if (!first) return HR_ENOMEM;
    memset(first, 0xff, bin_count * sizeof *first);
    for (uint32_t code = 0; code < codes; code++) {
        if (bin[code] == HR_NONE) continue;
        uint32_t *best = &first[bin[code]], value = value_of_code[code];
        if (*best == HR_NONE || (order ? order[value] : value) <
                                    (order ? order[value_of_code[*best]] : value_of_code[*best]))
            *best = code;
    }
    for (uint32_t code = 0; code < codes; code++)
        out[code] = bin[code] == HR_NONE ? code : first[bin[code]];
    free(first);
    return HR_OK;
}

static hr_status coarsen_quasi(const hr_quasi *quasi, uint32_t bins, uint32_t *bin, uint32_t *out,
                               hr_error *err) {
    if (quasi->tree)
        HR_TRY(bins_of_tree(quasi, bins, bin, err));
    else
        bins_of_numbers(quasi, bins, bin);
    return choose(quasi->column, quasi->value_of_code, quasi->tree ? quasi->tree->order : NULL, bin,
                  quasi->value_count, out, err);
}

static hr_status coarsen_sensitive(const hr_sensitive *sensitive, uint32_t bins, uint32_t *bin,
                                   uint32_t *out, hr_error *err) {
    for (uint32_t code = 0; code < sensitive->column->dictionary.count; code++) {
        uint32_t value = sensitive->value_of_code[code];
        bin[code] = value == HR_NONE ? HR_NONE : value % (4 * bins);
    }
    return choose(sensitive->column, sensitive->value_of_code, NULL, bin, 4 * bins, out, err);
}

/* Makes one column of the result; map[code] is the code that represents it. */
static hr_status take_column(const hr_column *column, const uint32_t *map, const char **texts,
                             uint32_t *codes, hr_column_data *out) {
    const hr_dictionary *known = &column->dictionary;
    for (uint32_t code = 0; code < known->count; code++)
        texts[code] = known->null == code + UINT64_C(1) ? NULL : hr_dictionary_text(known, code);
    for (size_t row = 0; row < column->rows; row++)
        codes[row] = map[hr_column_code(column, row)];
    *out = (hr_column_data){.size = sizeof *out,
                            .name = column->name,
                            .texts = texts,
                            .text_count = known->count,
                            .codes = codes,
                            .code_count = column->rows};
    return HR_OK;
}

static hr_status coarsen(const hr_plan_part *part, const hr_plan *plan, uint32_t bins,
                         hr_arena *arena, hr_table **out, hr_error *err) {
    const hr_microdata *data = &part->data.dataset.data, *known = &plan->domain.data;
    size_t t = data->quasi_count, count = t + data->sensitive_count;
    hr_column_data *columns = hr_arena_alloc(arena, count, sizeof *columns, err);
    if (!columns) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        const hr_column *column = i < t ? data->quasi[i].column : data->sensitive[i - t].column;
        uint32_t texts = column->dictionary.count;
        uint32_t *bin = hr_arena_alloc(arena, texts, sizeof *bin, err);
        uint32_t *map = hr_arena_alloc(arena, texts, sizeof *map, err);
        uint32_t *codes = hr_arena_alloc(arena, column->rows, sizeof *codes, err);
        const char **names = hr_arena_alloc(arena, texts, sizeof *names, err);
        if (!bin || !map || !codes || !names) return HR_ENOMEM;
        HR_TRY(i < t ? coarsen_quasi(&known->quasi[i], bins, bin, map, err)
                     : coarsen_sensitive(&known->sensitive[i - t], bins, bin, map, err));
        HR_TRY(take_column(column, map, names, codes, &columns[i]));
    }
    return hr_table_from_columns(columns, count, out, err);
}

hr_status hr_plan_coarsen(const hr_plan *plan, const hr_table *table, uint32_t bins, hr_table **out,
                          hr_error *err) {
    hr_plan_part part;
    hr_arena arena = {0};
    *out = NULL;
    if (bins == 0 || bins > UINT32_MAX / 4)
        return hr_fail(err, HR_EINVAL, "hr_plan_coarsen needs at least one bin");
    HR_TRY(hr_plan_part_make(plan, table, HR_PLAN_MODELS, NULL, &part, err));
    hr_status status = coarsen(&part, plan, bins, &arena, out, err);
    hr_arena_free(&arena);
    hr_plan_part_free(&part);
    return status;
}
