/* kinds.c - rows by kind: equal quasi-identifier values and equal sensitive values. Searches work
 * on kinds, so their time depends on the number of kinds, not of rows.
 *
 * The caller groups the rows: hedge those of one cell, in the order of the layout (hedge_kinds.c),
 * the lower bound those of a whole table (bound_table.c). The kinds keep the caller's order, which
 * decides ties. The numbers of sensitive values decide ties too. In a cell (HR_KINDS_OF_CELL)
 * values are numbered by first appearance, so that arrays by value are as small as the cell; in a
 * table (HR_KINDS_OF_TABLE) they keep their numbers.
 *
 * A sensitive attribute a that determines another attribute b can be left out: a class with p
 * values of b has p values of a. In a cell all such attributes are left out. In a table an
 * attribute is left out only if it is another attribute with other labels: leaving out more would
 * keep every bound valid, but change which of several equally good classes a climb follows. */
#include "bound/boxes.h"

#include <stdlib.h>

hr_status hr_kinds_start(hr_kinds *kinds, const hr_microdata *data, const hr_requirements *asked,
                         uint32_t combinations, uint32_t most_kinds, hr_error *err) {
    *kinds = (hr_kinds){.data = data,
                        .k = (uint32_t)(asked->k > asked->p ? asked->k : asked->p),
                        .p = (uint32_t)asked->p,
                        .t = data->quasi_count,
                        .combination_count = combinations};
    hr_arena_part parts[] = {
        {&kinds->code, combinations * kinds->t, sizeof *kinds->code},
        {&kinds->kind_combination, most_kinds, sizeof *kinds->kind_combination},
        {&kinds->kind_rows, most_kinds, sizeof *kinds->kind_rows},
        {&kinds->kind_first, most_kinds, sizeof *kinds->kind_first},
    };
    hr_status status = hr_arena_parts(&kinds->arena, parts, sizeof parts / sizeof *parts, err);
    if (status != HR_OK) hr_kinds_free(kinds);
    return status;
}

void hr_kinds_free(hr_kinds *kinds) {
    hr_arena_free(&kinds->arena);
    *kinds = (hr_kinds){0};
}

static hr_status count_rows(hr_kinds *kinds, hr_error *err) {
    uint32_t combinations = kinds->combination_count;
    hr_arena *arena = &kinds->arena;
    kinds->combination_rows = hr_arena_alloc(arena, combinations, sizeof(uint32_t), err);
    kinds->kind_start = hr_arena_alloc(arena, (size_t)combinations + 1, sizeof(uint32_t), err);
    if (!kinds->combination_rows || !kinds->kind_start) return HR_ENOMEM;
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++) {
        uint32_t c = kinds->kind_combination[kind];
        kinds->combination_rows[c] += kinds->kind_rows[kind];
        kinds->row_count += kinds->kind_rows[kind];
        kinds->kind_start[c + 1] = kind + 1;
    }
    return HR_OK;
}

/* ---- sensitive values ---- */

static uint32_t sensitive_value(const hr_kinds *kinds, size_t l, uint32_t kind) {
    return hr_sensitive_value(&kinds->data->sensitive[l], kinds->kind_first[kind]);
}

/* Does attribute a determine attribute b? Rows without a value of b do not matter; rows with a
 * value of b must have a value of a. */
static hr_status determines(const hr_kinds *kinds, size_t a, size_t b, bool *out, hr_error *err) {
    hr_map64 values = {0};
    uint32_t *image = hr_alloc_raw(kinds->kind_count, sizeof *image, err);
    hr_status status = image ? HR_OK : HR_ENOMEM;
    *out = true;
    for (uint32_t kind = 0; kind < kinds->kind_count && *out && status == HR_OK; kind++) {
        uint32_t x = sensitive_value(kinds, a, kind), y = sensitive_value(kinds, b, kind), at;
        uint32_t known = values.count;
        if (y == HR_NONE) continue;
        *out = x != HR_NONE;
        if (!*out) break;
        status = hr_map64_intern(&values, x, &at, err);
        if (status != HR_OK) break;
        if (at == known) image[at] = y;
        *out = image[at] == y;
    }
    hr_map64_free(&values);
    free(image);
    return status;
}

/* May a be left out because b stays? */
static hr_status is_implied(const hr_kinds *kinds, hr_kinds_scope scope, size_t a, size_t b,
                            bool *out, hr_error *err) {
    HR_TRY(determines(kinds, a, b, out, err));
    if (*out && scope == HR_KINDS_OF_TABLE) HR_TRY(determines(kinds, b, a, out, err));
    return HR_OK;
}

/* Lists the attributes that are not left out in `chosen`; kinds->r becomes their number. */
static hr_status choose_sensitive(hr_kinds *kinds, hr_kinds_scope scope, size_t *chosen,
                                  hr_error *err) {
    size_t all = kinds->p > 1 ? kinds->data->sensitive_count : 0;
    bool *left_out = hr_alloc(all, sizeof *left_out, err);
    hr_status status = left_out ? HR_OK : HR_ENOMEM;
    for (size_t a = all; a-- > 0 && status == HR_OK;)
        for (size_t b = 0; b < all && !left_out[a] && status == HR_OK; b++)
            if (b != a && !left_out[b]) status = is_implied(kinds, scope, a, b, &left_out[a], err);
    for (size_t l = 0; l < all && status == HR_OK; l++)
        if (!left_out[l]) chosen[kinds->r++] = l;
    free(left_out);
    return status;
}

static void copy_values(hr_kinds *kinds, size_t i, size_t attribute) {
    kinds->value_count[i] = kinds->data->sensitive[attribute].value_count;
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        kinds->kind_value[kind * kinds->r + i] = sensitive_value(kinds, attribute, kind);
}

static hr_status number_values(hr_kinds *kinds, size_t i, size_t attribute, hr_error *err) {
    hr_map64 numbers = {0};
    hr_status status = HR_OK;
    for (uint32_t kind = 0; kind < kinds->kind_count && status == HR_OK; kind++) {
        uint32_t value = sensitive_value(kinds, attribute, kind);
        uint32_t *number = &kinds->kind_value[kind * kinds->r + i];
        *number = HR_NONE;
        if (value != HR_NONE) status = hr_map64_intern(&numbers, value, number, err);
    }
    kinds->value_count[i] = numbers.count;
    hr_map64_free(&numbers);
    return status;
}

static hr_status set_values(hr_kinds *kinds, hr_kinds_scope scope, const size_t *chosen,
                            hr_error *err) {
    size_t r = kinds->r;
    hr_arena_part parts[] = {
        {&kinds->value_count, r, sizeof *kinds->value_count},
        {&kinds->value_start, r + 1, sizeof *kinds->value_start},
        {&kinds->kind_value, kinds->kind_count * r, sizeof *kinds->kind_value},
    };
    HR_TRY(hr_arena_parts(&kinds->arena, parts, sizeof parts / sizeof *parts, err));
    for (size_t i = 0; i < r; i++) {
        if (scope == HR_KINDS_OF_TABLE)
            copy_values(kinds, i, chosen[i]);
        else
            HR_TRY(number_values(kinds, i, chosen[i], err));
        kinds->value_start[i + 1] = kinds->value_start[i] + kinds->value_count[i];
    }
    return HR_OK;
}

hr_status hr_kinds_finish(hr_kinds *kinds, hr_kinds_scope scope, hr_error *err) {
    HR_TRY(count_rows(kinds, err));
    size_t *chosen = hr_alloc(kinds->data->sensitive_count, sizeof *chosen, err);
    hr_status status = chosen ? choose_sensitive(kinds, scope, chosen, err) : HR_ENOMEM;
    if (status == HR_OK) status = set_values(kinds, scope, chosen, err);
    free(chosen);
    return status;
}
