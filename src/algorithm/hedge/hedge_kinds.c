/* hedge_kinds.c - finds the kinds of one cell. The task already lists rows of equal combinations
 * side by side; here the rows of each combination are sorted by their types (combinations of
 * sensitive values). Kinds are ordered by rank, then by type. */
#include "algorithm/hedge/hedge.h"

#include <stdlib.h>

static int by_number(const void *a, const void *b) {
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

/* Counts the combinations, and the rows of the largest one. */
static void count_combinations(const hr_cell_task *task, uint32_t *combinations, uint32_t *most) {
    uint32_t first = 0;
    *combinations = *most = 0;
    for (uint32_t i = 1; i <= task->row_count; i++) {
        if (i < task->row_count && task->rank[i] == task->rank[first]) continue;
        ++*combinations;
        if (i - first > *most) *most = i - first;
        first = i;
    }
}

/* The unit of a row if units are counted: the rows of a kind then belong to one unit. */
static uint32_t unit_of(const hr_cell_task *task, uint32_t place) {
    const hr_sensitive *unit = task->judge ? task->judge->unit : NULL;
    return unit ? hr_sensitive_value(unit, task->rows[place]) : 0;
}

/* Sorts the places of rows with equal types by unit. */
static void sort_units(const hr_cell_task *task, uint64_t *key, uint32_t count) {
    if (!task->judge || !task->judge->unit) return;
    for (uint32_t first = 0, end; first < count; first = end) {
        uint64_t type = key[first] >> 32;
        for (end = first; end < count && key[end] >> 32 == type; end++)
            key[end] = (uint64_t)unit_of(task, (uint32_t)key[end]) << 32 | (uint32_t)key[end];
        qsort(key + first, end - first, sizeof *key, by_number);
        for (uint32_t i = first; i < end; i++)
            key[i] = type << 32 | (uint32_t)key[i];
    }
}

/* Adds the kinds of combination c, whose rows are first .. end - 1 in the order of ranks. `key` is
 * scratch: type and place of each row. */
static void add_kinds(hr_kinds *kinds, const hr_cell_task *task, uint32_t c, uint32_t first,
                      uint32_t end, uint64_t *key) {
    for (uint32_t i = first; i < end; i++)
        key[i - first] = (uint64_t)task->type[i] << 32 | task->by_rank[i];
    if (end - first > 1) qsort(key, end - first, sizeof *key, by_number);
    sort_units(task, key, end - first);
    for (uint32_t i = 0; i < end - first; i++) {
        uint32_t place = (uint32_t)key[i];
        if (i == 0 || key[i] >> 32 != key[i - 1] >> 32 ||
            unit_of(task, place) != unit_of(task, (uint32_t)key[i - 1])) {
            kinds->kind_combination[kinds->kind_count] = c;
            kinds->kind_first[kinds->kind_count] = task->rows[place];
            kinds->place_start[kinds->kind_count++] = first + i;
        }
        kinds->place[first + i] = place;
        kinds->kind_rows[kinds->kind_count - 1]++;
    }
    kinds->place_start[kinds->kind_count] = end;
}

/* `key` has room for the rows of the largest combination. */
static void list_kinds(hr_kinds *kinds, const hr_cell_task *task, const hr_axes *axes,
                       uint64_t *key) {
    for (uint32_t c = 0, first = 0, i = 1; i <= task->row_count; i++) {
        if (i < task->row_count && task->rank[i] == task->rank[first]) continue;
        hr_axes_positions(axes, &task->rows[task->by_rank[first]], 1, kinds->code + c * kinds->t);
        add_kinds(kinds, task, c++, first, i, key);
        first = i;
    }
}

/* Numbers the units by first appearance, so that states of the judge are as small as the cell. */
static hr_status number_units(hr_kinds *kinds, hr_judge *judge, hr_error *err) {
    hr_map64 numbers = {0};
    hr_status status = HR_OK;
    for (uint32_t kind = 0; kind < kinds->kind_count && status == HR_OK; kind++) {
        uint32_t *unit = &kinds->judged[kind * judge->width + judge->sensitive_count];
        status = hr_map64_intern(&numbers, *unit, unit, err);
    }
    hr_judge_count_units(judge, judge->unit, numbers.count);
    hr_map64_free(&numbers);
    return status;
}

/* Makes the judge of the cell, and the values of a row of each kind, as the judge takes them. */
static hr_status load_judged(hr_kinds *kinds, const hr_judge *judge, hr_error *err) {
    if (!judge) return HR_OK;
    hr_judge *own = hr_arena_alloc(&kinds->arena, 1, sizeof *own, err);
    if (!own) return HR_ENOMEM;
    *own = *judge;
    hr_judge_drop_p(own);
    kinds->judge = own;
    size_t r = own->width;
    kinds->judged =
        hr_arena_alloc(&kinds->arena, kinds->kind_count * r, sizeof *kinds->judged, err);
    if (!kinds->judged) return HR_ENOMEM;
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        hr_judge_values(own, kinds->kind_first[kind], kinds->judged + kind * r);
    return own->unit ? number_units(kinds, own, err) : HR_OK;
}

hr_status hr_cell_kinds(const hr_cell_task *task, const hr_axes *axes, hr_kinds *out,
                        hr_error *err) {
    const hr_requirements asked = {.k = task->k, .p = task->p};
    uint32_t combinations, most, rows = task->row_count;
    count_combinations(task, &combinations, &most);
    HR_TRY(hr_kinds_start(out, task->data, &asked, combinations, rows, err));
    hr_arena_part parts[] = {
        {&out->place_start, (size_t)rows + 1, sizeof *out->place_start},
        {&out->place, rows, sizeof *out->place},
    };
    hr_status status = hr_arena_parts(&out->arena, parts, sizeof parts / sizeof *parts, err);
    uint64_t *key = hr_alloc_raw(most, sizeof *key, err);
    if (!key) status = HR_ENOMEM;
    if (status == HR_OK) {
        list_kinds(out, task, axes, key);
        status = hr_kinds_finish(out, HR_KINDS_OF_CELL, err);
        if (status == HR_OK) status = load_judged(out, task->judge, err);
    }
    free(key);
    if (status != HR_OK) hr_kinds_free(out);
    return status;
}
