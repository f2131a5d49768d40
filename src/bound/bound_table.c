/* bound_table.c - groups the rows that are neither OUT nor dropped by cell, combination and kind.
 * The combinations of a cell are sorted by position on the first axis of a walk, then by first row;
 * the kinds of a combination by first row. All other steps of the bound work on combinations and
 * kinds, never on rows. */
#include "bound/bound_parts.h"

#include <stdlib.h>
#include <string.h>

/* Scratch. Here combinations and kinds are numbered by first row; sort_combinations and sort_kinds
 * find their final order. */
typedef struct {
    hr_bound_table *out;
    const hr_microdata *data;
    const hr_groups *cells;
    hr_requirements asked;
    hr_groups groups;      /* of rows: by cell, then by combination, then by kind */
    uint32_t *combination; /* of each row */
    uint32_t combination_count;
    uint32_t *first; /* first row of each combination */
    uint32_t *cell;  /* of each combination */
    uint32_t *code;  /* combination_count x t */
    uint32_t kind_count;
    uint32_t *kind_first, *kind_rows;
    size_t *axes;    /* order in which a walk goes through the axes */
    uint32_t *order; /* combinations in their final order */
    uint32_t *rank;  /* position of each combination in `order` */
    hr_error *err;
} table_builder;

/* ---- rows to combinations and kinds ---- */

static hr_status group_cells(table_builder *b, const bool *is_out) {
    size_t rows = b->cells->rows;
    HR_TRY(hr_groups_start(&b->groups, rows, b->err));
    for (size_t row = 0; row < rows; row++) {
        uint32_t cell = b->cells->of_row[row];
        bool gone = cell == HR_NONE || is_out[cell];
        b->groups.of_row[row] = gone ? HR_NONE : cell;
        b->out->lost += gone;
    }
    b->groups.count = b->cells->count;
    return HR_OK;
}

static hr_status group_combinations(table_builder *b) {
    const hr_microdata *data = b->data;
    hr_split *by = hr_arena_alloc(&b->out->arena, data->quasi_count, sizeof *by, b->err);
    if (!by) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++)
        by[j] = (hr_split){data->quasi[j].column, data->quasi[j].value_of_code,
                           data->quasi[j].value_count};
    HR_TRY(hr_groups_split_all(&b->groups, by, data->quasi_count, b->err));
    uint32_t count = b->combination_count = b->groups.count;
    b->combination = hr_alloc_raw(data->rows, sizeof *b->combination, b->err);
    b->first = hr_alloc_raw(count, sizeof *b->first, b->err);
    b->cell = hr_alloc_raw(count, sizeof *b->cell, b->err);
    b->code = hr_alloc_raw(count * data->quasi_count, sizeof *b->code, b->err);
    if (!b->combination || !b->first || !b->cell || !b->code) return HR_ENOMEM;
    memcpy(b->combination, b->groups.of_row, data->rows * sizeof *b->combination);
    for (size_t row = data->rows; row-- > 0;)
        if (b->combination[row] != HR_NONE) b->first[b->combination[row]] = (uint32_t)row;
    for (uint32_t c = 0; c < count; c++)
        b->cell[c] = b->cells->of_row[b->first[c]];
    hr_axes_positions(&b->out->axes, b->first, count, b->code);
    return HR_OK;
}

static hr_status group_kinds(table_builder *b) {
    const hr_microdata *data = b->data;
    if (b->asked.p > 1)
        HR_TRY(hr_sensitive_split(data->sensitive, data->sensitive_count, &b->groups, b->err));
    b->kind_count = b->groups.count;
    b->kind_first = hr_alloc_raw(b->kind_count, sizeof *b->kind_first, b->err);
    b->kind_rows = hr_alloc(b->kind_count, sizeof *b->kind_rows, b->err);
    if (!b->kind_first || !b->kind_rows) return HR_ENOMEM;
    for (size_t row = data->rows; row-- > 0;) {
        uint32_t kind = b->groups.of_row[row];
        if (kind == HR_NONE) continue;
        b->kind_first[kind] = (uint32_t)row;
        b->kind_rows[kind]++;
    }
    return HR_OK;
}

/* ---- the order: by cell, then by position on the first axis, then by first row ---- */

static hr_status sort_combinations(table_builder *b) {
    uint32_t count = b->combination_count;
    size_t t = b->data->quasi_count;
    b->axes = hr_alloc(t, sizeof *b->axes, b->err);
    b->order = hr_alloc_raw(count, sizeof *b->order, b->err);
    b->rank = hr_alloc_raw(count, sizeof *b->rank, b->err);
    uint32_t *spare = hr_alloc_raw(count, sizeof *spare, b->err), *key = b->rank;
    hr_status status = b->axes && b->order && b->rank && spare ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) status = hr_walk_order(&b->out->axes, b->code, count, b->axes, b->err);
    if (status == HR_OK) {
        for (uint32_t c = 0; c < count; c++) {
            b->order[c] = c;
            key[c] = b->code[c * t + b->axes[0]];
        }
        hr_sort_by_key(key, b->out->axes.of[b->axes[0]].count, b->order, spare, count);
        hr_sort_by_key(b->cell, b->cells->count, b->order, spare, count);
        for (uint32_t i = 0; i < count; i++)
            b->rank[b->order[i]] = i;
    }
    free(spare);
    return status;
}

static hr_status list_cells(table_builder *b) {
    hr_bound_table *table = b->out;
    uint32_t count = b->combination_count;
    hr_arena_part parts[] = {
        {&table->cell_start, (size_t)b->cells->count + 1, sizeof *table->cell_start},
        {&table->all, count, sizeof *table->all},
    };
    HR_TRY(hr_arena_parts(&table->arena, parts, sizeof parts / sizeof *parts, b->err));
    for (uint32_t i = 0; i < count; i++) {
        table->all[i] = i;
        if (i == 0 || b->cell[b->order[i]] != b->cell[b->order[i - 1]])
            table->cell_start[table->cell_count++] = i;
    }
    table->cell_start[table->cell_count] = count;
    return HR_OK;
}

/* Sorts the kinds by combination, then by first row. */
static hr_status sort_kinds(table_builder *b) {
    hr_bound_table *table = b->out;
    hr_kinds *kinds = &table->kinds;
    uint32_t combinations = b->combination_count;
    HR_TRY(hr_kinds_start(kinds, b->data, &b->asked, combinations, b->kind_count, b->err));
    kinds->kind_count = b->kind_count;
    for (uint32_t i = 0; i < combinations; i++)
        memcpy(kinds->code + i * kinds->t, b->code + b->order[i] * kinds->t,
               kinds->t * sizeof *kinds->code);
    uint32_t *start = hr_alloc_raw((size_t)combinations + 2, sizeof *start, b->err);
    uint32_t *rank = hr_alloc_raw(b->kind_count, sizeof *rank, b->err);
    table->kind_number =
        hr_arena_alloc(&table->arena, b->kind_count, sizeof *table->kind_number, b->err);
    hr_status status = start && rank && table->kind_number ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        for (uint32_t kind = 0; kind < b->kind_count; kind++)
            rank[kind] = b->rank[b->combination[b->kind_first[kind]]];
        hr_group_by_key(rank, b->kind_count, combinations, start, table->kind_number);
        for (uint32_t at = 0; at < b->kind_count; at++) {
            uint32_t kind = table->kind_number[at];
            kinds->kind_combination[at] = rank[kind];
            kinds->kind_rows[at] = b->kind_rows[kind];
            kinds->kind_first[at] = b->kind_first[kind];
        }
        status = hr_kinds_finish(kinds, HR_KINDS_OF_TABLE, b->err);
    }
    free(start);
    free(rank);
    return status;
}

/* ---- classes of a cell ---- */

static int descending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

/* Upper limit, by sensitive attribute l, on the classes that kinds from .. to - 1 can form. `count`
 * and `present` are scratch with room for the attribute's values; `count` is zero on entry and on
 * return. The time depends on the number of kinds, not of values. */
static uint64_t classes_by(const hr_kinds *kinds, uint32_t from, uint32_t to, size_t l,
                           uint64_t rows, uint32_t *count, uint32_t *present) {
    uint32_t values = 0;
    for (uint32_t kind = from; kind < to; kind++) {
        uint32_t value = kinds->kind_value[kind * kinds->r + l];
        if (value == HR_NONE) continue;
        if (count[value] == 0) present[values++] = value;
        count[value] += kinds->kind_rows[kind];
    }
    for (uint32_t i = 0; i < values; i++) {
        uint32_t value = present[i];
        present[i] = count[value];
        count[value] = 0;
    }
    qsort(present, values, sizeof *present, descending);
    return hr_most_classes(rows, present, values, kinds->k, kinds->p);
}

static hr_status limit_classes(hr_bound_table *table, hr_error *err) {
    const hr_kinds *kinds = &table->kinds;
    uint32_t most = 0;
    for (size_t l = 0; l < kinds->r; l++)
        if (kinds->value_count[l] > most) most = kinds->value_count[l];
    table->cell_classes =
        hr_arena_alloc(&table->arena, table->cell_count, sizeof *table->cell_classes, err);
    uint32_t *count = hr_alloc((size_t)most * 2, sizeof *count, err);
    if (!table->cell_classes || !count) {
        free(count);
        return HR_ENOMEM;
    }
    for (uint32_t c = 0; c < table->cell_count; c++) {
        uint32_t from = kinds->kind_start[table->cell_start[c]];
        uint32_t to = kinds->kind_start[table->cell_start[c + 1]];
        uint64_t rows = 0;
        for (uint32_t kind = from; kind < to; kind++)
            rows += kinds->kind_rows[kind];
        table->cell_classes[c] = rows / kinds->k;
        for (size_t l = 0; l < kinds->r; l++) {
            uint64_t classes = classes_by(kinds, from, to, l, rows, count, count + most);
            if (classes < table->cell_classes[c]) table->cell_classes[c] = classes;
        }
    }
    free(count);
    return HR_OK;
}

/* ---- the whole ---- */

static hr_status build(table_builder *b, const bool *is_out) {
    hr_bound_table *table = b->out;
    HR_TRY(hr_axes_make(b->data, hr_measure_find("ntil"), &table->axes, b->err));
    HR_TRY(group_cells(b, is_out));
    HR_TRY(group_combinations(b));
    HR_TRY(group_kinds(b));
    HR_TRY(sort_combinations(b));
    HR_TRY(list_cells(b));
    HR_TRY(sort_kinds(b));
    HR_TRY(hr_box_space_make(&table->kinds, &table->axes, b->axes, &table->arena, &table->space,
                             b->err));
    return limit_classes(table, b->err);
}

hr_status hr_bound_table_make(const hr_microdata *data, const hr_groups *cells, const bool *out,
                              const hr_requirements *asked, hr_bound_table *table, hr_error *err) {
    *table = (hr_bound_table){0};
    table_builder b = {.out = table, .data = data, .cells = cells, .asked = *asked, .err = err};
    hr_status status = build(&b, out);
    table->kind_of_row = b.groups.of_row;
    free(b.combination);
    free(b.first);
    free(b.cell);
    free(b.code);
    free(b.kind_first);
    free(b.kind_rows);
    free(b.axes);
    free(b.order);
    free(b.rank);
    if (status != HR_OK) hr_bound_table_free(table);
    return status;
}

void hr_bound_table_free(hr_bound_table *table) {
    free(table->kind_of_row);
    hr_axes_free(&table->axes);
    hr_kinds_free(&table->kinds);
    hr_arena_free(&table->arena);
    *table = (hr_bound_table){0};
}

hr_status hr_bound_walk_from(hr_box_walk *walk, const hr_bound_table *table, uint32_t cell,
                             uint32_t i, hr_error *err) {
    return hr_box_walk_from(walk, table->all + table->cell_start[cell],
                            hr_bound_cell_size(table, cell), i, err);
}
