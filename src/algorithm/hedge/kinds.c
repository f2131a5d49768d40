/* kinds.c - the rows of one MAM cell by kind: equal quasi-identifier values and equal sensitive
 * values. What a search or a bound does is done per kind, whatever the number of rows.
 *
 * A sensitive attribute that another one refines needs no attention of its own: if each value of a
 * tells the value of b, p values of b are p values of a, so a is left out. An attribute that is a
 * relabelling of another goes that way. */
#include "algorithm/hedge/boxes.h"

#include <stdlib.h>
#include <string.h>

/* ---- kinds ---- */

static int by_number(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Rows of one combination, first .. end of by_rank, by type and then place. */
static void sort_rows(const hr_kinds *kinds, uint32_t first, uint32_t end, uint64_t *key) {
    const hr_cell_task *task = kinds->task;
    for (uint32_t i = first; i < end; i++) {
        uint32_t place = task->by_rank[i];
        key[i - first] = (uint64_t)task->layout->type[task->rows[place]] << 32 | place;
    }
    if (end - first > 1) qsort(key, end - first, sizeof *key, by_number);
}

static void add_kinds(hr_kinds *kinds, uint32_t first, uint32_t end, uint64_t *key) {
    sort_rows(kinds, first, end, key);
    uint32_t c = kinds->combination_count++;
    kinds->combination_rows[c] = end - first;
    kinds->kind_start[c] = kinds->kind_count;
    for (uint32_t i = 0; i < end - first; i++) {
        if (i == 0 || key[i] >> 32 != key[i - 1] >> 32) {
            kinds->kind_combination[kinds->kind_count] = c;
            kinds->place_start[kinds->kind_count++] = first + i;
        }
        kinds->place[first + i] = (uint32_t)key[i];
        kinds->kind_rows[kinds->kind_count - 1]++;
    }
    kinds->kind_start[c + 1] = kinds->kind_count;
    kinds->place_start[kinds->kind_count] = end;
}

static uint32_t rank_at(const hr_cell_task *task, uint32_t i) {
    return task->layout->rank[task->rows[task->by_rank[i]]];
}

/* Combinations, kinds, and the most rows that one combination has. */
static void count_kinds(const hr_cell_task *task, uint32_t *combinations, uint32_t *most) {
    uint32_t first = 0;
    *combinations = *most = 0;
    for (uint32_t i = 1; i <= task->row_count; i++) {
        if (i < task->row_count && rank_at(task, i) == rank_at(task, first)) continue;
        ++*combinations;
        if (i - first > *most) *most = i - first;
        first = i;
    }
}

static hr_status list_kinds(hr_kinds *kinds, hr_error *err) {
    const hr_cell_task *task = kinds->task;
    uint32_t combinations, most, rows = task->row_count;
    count_kinds(task, &combinations, &most);
    hr_arena *arena = &kinds->arena;
    kinds->combination_rows = hr_arena_alloc(arena, combinations, sizeof(uint32_t), err);
    kinds->kind_start = hr_arena_alloc(arena, (size_t)combinations + 1, sizeof(uint32_t), err);
    kinds->kind_combination = hr_arena_alloc(arena, rows, sizeof(uint32_t), err);
    kinds->kind_rows = hr_arena_alloc(arena, rows, sizeof(uint32_t), err);
    kinds->place_start = hr_arena_alloc(arena, (size_t)rows + 1, sizeof(size_t), err);
    kinds->place = hr_arena_alloc(arena, rows, sizeof(uint32_t), err);
    uint64_t *key = hr_alloc_raw(most, sizeof *key, err);
    if (!kinds->combination_rows || !kinds->kind_start || !kinds->kind_combination ||
        !kinds->kind_rows || !kinds->place_start || !kinds->place || !key) {
        free(key);
        return HR_ENOMEM;
    }
    for (uint32_t first = 0, i = 1; i <= rows; i++) {
        if (i < rows && rank_at(task, i) == rank_at(task, first)) continue;
        add_kinds(kinds, first, i, key);
        first = i;
    }
    free(key);
    return HR_OK;
}

static uint32_t example_row(const hr_kinds *kinds, uint32_t kind) {
    return kinds->task->rows[kinds->place[kinds->place_start[kind]]];
}

static hr_status list_codes(hr_kinds *kinds, hr_error *err) {
    const hr_microdata *data = kinds->task->data;
    size_t t = kinds->t;
    kinds->code =
        hr_arena_alloc(&kinds->arena, kinds->combination_count * t, sizeof *kinds->code, err);
    if (!kinds->code) return HR_ENOMEM;
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        for (size_t j = 0; j < t; j++) {
            uint32_t value =
                hr_quasi_value(&data->quasi[j], example_row(kinds, kinds->kind_start[c]));
            const hr_layout_tree *tree = &kinds->task->layout->trees[j];
            kinds->code[c * t + j] = data->quasi[j].tree ? tree->position[value] : value;
        }
    return HR_OK;
}

/* ---- sensitive values ---- */

static uint32_t raw_value(const hr_kinds *kinds, size_t l, uint32_t kind) {
    return hr_sensitive_value(&kinds->task->data->sensitive[l], example_row(kinds, kind));
}

/* Does attribute a tell b wherever b is known? */
static hr_status tells(const hr_kinds *kinds, size_t a, size_t b, bool *out, hr_error *err) {
    hr_map64 values = {0};
    uint32_t *told = hr_alloc_raw(kinds->kind_count, sizeof *told, err);
    hr_status status = told ? HR_OK : HR_ENOMEM;
    *out = true;
    for (uint32_t kind = 0; kind < kinds->kind_count && *out && status == HR_OK; kind++) {
        uint32_t x = raw_value(kinds, a, kind), y = raw_value(kinds, b, kind), at;
        uint32_t known = values.count;
        if (y == HR_NONE) continue;
        *out = x != HR_NONE;
        if (!*out) break;
        status = hr_map64_intern(&values, x, &at, err);
        if (status != HR_OK) break;
        if (at == known) told[at] = y;
        *out = told[at] == y;
    }
    hr_map64_free(&values);
    free(told);
    return status;
}

static hr_status choose_sensitive(hr_kinds *kinds, hr_error *err) {
    size_t all = kinds->task->p > 1 ? kinds->task->data->sensitive_count : 0;
    bool *left_out = hr_alloc(all, sizeof *left_out, err);
    kinds->sensitive = hr_arena_alloc(&kinds->arena, all, sizeof *kinds->sensitive, err);
    hr_status status = left_out && kinds->sensitive ? HR_OK : HR_ENOMEM;
    for (size_t a = all; a-- > 0 && status == HR_OK;)
        for (size_t b = 0; b < all && !left_out[a] && status == HR_OK; b++)
            if (b != a && !left_out[b]) status = tells(kinds, a, b, &left_out[a], err);
    for (size_t l = 0; l < all && status == HR_OK; l++)
        if (!left_out[l]) kinds->sensitive[kinds->r++] = l;
    free(left_out);
    return status;
}

static hr_status number_values(hr_kinds *kinds, hr_error *err) {
    size_t r = kinds->r;
    hr_arena *arena = &kinds->arena;
    kinds->value_count = hr_arena_alloc(arena, r, sizeof *kinds->value_count, err);
    kinds->value_start = hr_arena_alloc(arena, r + 1, sizeof *kinds->value_start, err);
    kinds->kind_value =
        hr_arena_alloc(arena, kinds->kind_count * r, sizeof *kinds->kind_value, err);
    if (!kinds->value_count || !kinds->value_start || !kinds->kind_value) return HR_ENOMEM;
    for (size_t l = 0; l < r; l++) {
        hr_map64 numbers = {0};
        hr_status status = HR_OK;
        for (uint32_t kind = 0; kind < kinds->kind_count && status == HR_OK; kind++) {
            uint32_t value = raw_value(kinds, kinds->sensitive[l], kind);
            uint32_t *number = &kinds->kind_value[kind * r + l];
            *number = HR_NONE;
            if (value != HR_NONE) status = hr_map64_intern(&numbers, value, number, err);
        }
        kinds->value_count[l] = numbers.count;
        kinds->value_start[l + 1] = kinds->value_start[l] + numbers.count;
        hr_map64_free(&numbers);
        HR_TRY(status);
    }
    return HR_OK;
}

/* ---- the whole ---- */

hr_status hr_kinds_make(const hr_cell_task *task, hr_kinds *out, hr_error *err) {
    *out = (hr_kinds){.task = task, .t = task->data->quasi_count};
    hr_status status = list_kinds(out, err);
    if (status == HR_OK) status = list_codes(out, err);
    if (status == HR_OK) status = choose_sensitive(out, err);
    if (status == HR_OK) status = number_values(out, err);
    if (status != HR_OK) hr_kinds_free(out);
    return status;
}

void hr_kinds_free(hr_kinds *kinds) {
    hr_arena_free(&kinds->arena);
    *kinds = (hr_kinds){0};
}
