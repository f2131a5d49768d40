/* lost.c - suppressed rows by value: for each quasi-identifier the groups of its values
 * (shown_values.c) with their rows and suppressed rows, worst first. For the owner. Identifiers and
 * sensitive attributes are not looked at. */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

uint64_t **hr_lost_counts(const hr_shown_values *shown, size_t quasi_count, hr_error *err) {
    size_t total = 0;
    for (size_t j = 0; j < quasi_count; j++)
        total += shown[j].count + (size_t)1;
    size_t bytes = quasi_count * sizeof(uint64_t *) + total * sizeof(uint64_t);
    uint64_t **counts = hr_alloc(bytes, 1, err);
    if (!counts) return NULL;
    uint64_t *next = (uint64_t *)(void *)(counts + quasi_count);
    for (size_t j = 0; j < quasi_count; j++) {
        counts[j] = next;
        next += shown[j].count + (size_t)1;
    }
    return counts;
}

static double share_of(const hr_lost_value *value) {
    return (double)value->lost / (double)value->rows;
}

static int worst_first(const void *a, const void *b) {
    const hr_lost_value *x = a, *y = b;
    double share_x = share_of(x), share_y = share_of(y);
    if (share_x != share_y) return share_x > share_y ? -1 : 1;
    if (x->lost != y->lost) return x->lost > y->lost ? -1 : 1;
    if (!x->value || !y->value) return (x->value == NULL) - (y->value == NULL);
    return strcmp(x->value, y->value);
}

static hr_status add_value(hr_lost *lost, const char *name, const char *text, uint64_t rows,
                           uint64_t gone, hr_error *err) {
    if (rows == 0) return HR_OK;
    hr_lost_value *value = &lost->values[lost->value_count++];
    *value = (hr_lost_value){.rows = rows, .lost = gone};
    value->name = hr_arena_text(&lost->arena, name, strlen(name), err);
    if (text) value->value = hr_arena_text(&lost->arena, text, strlen(text), err);
    return value->name && (value->value || !text) ? HR_OK : HR_ENOMEM;
}

static hr_status fill(const hr_microdata *data, const hr_shown_values *shown,
                      uint64_t *const *counts, hr_lost *lost, hr_error *err) {
    size_t most = 0;
    for (size_t j = 0; j < data->quasi_count; j++)
        most += shown[j].count + (size_t)1;
    lost->values = hr_alloc(most, sizeof *lost->values, err);
    if (!lost->values) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++) {
        size_t first = lost->value_count;
        for (uint32_t g = 0; g <= shown[j].count; g++)
            HR_TRY(add_value(lost, data->quasi[j].name,
                             g < shown[j].count ? shown[j].texts[g] : NULL, shown[j].rows[g],
                             counts[j][g], err));
        qsort(lost->values + first, lost->value_count - first, sizeof *lost->values, worst_first);
    }
    return HR_OK;
}

hr_status hr_lost_of_counts(const hr_microdata *data, const hr_shown_values *shown,
                            uint64_t *const *counts, hr_lost **out, hr_error *err) {
    *out = hr_alloc(1, sizeof **out, err);
    hr_status status = *out ? fill(data, shown, counts, *out, err) : HR_ENOMEM;
    if (status == HR_OK) return HR_OK;
    hr_lost_free(*out);
    *out = NULL;
    return status;
}

hr_status hr_lost_of_rows(const hr_microdata *data, const hr_shown_values *shown,
                          const uint32_t *group, const bool *gone, hr_lost **out, hr_error *err) {
    *out = NULL;
    uint64_t **counts = hr_lost_counts(shown, data->quasi_count, err);
    if (!counts) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++)
        for (size_t row = 0; row < data->rows; row++) {
            if (group[row] != HR_NONE && !(gone && gone[group[row]])) continue;
            uint32_t value = hr_quasi_value(&data->quasi[j], row);
            counts[j][value == HR_NONE ? shown[j].count : shown[j].of_value[value]]++;
        }
    hr_status status = hr_lost_of_counts(data, shown, counts, out, err);
    free(counts);
    return status;
}

/* ---- for several k and p ---- */

/* The rows of each cell and group. */
static hr_status count_pairs(const hr_quasi *quasi, const hr_shown_values *shown,
                             const hr_groups *cells, hr_cell_counts *out, hr_error *err) {
    hr_map64 pairs = {0};
    hr_status status = HR_OK;
    size_t capacity = 0;
    for (size_t row = 0; row < cells->rows && status == HR_OK; row++) {
        uint32_t value = hr_quasi_value(quasi, row), pair;
        if (cells->of_row[row] == HR_NONE) continue; /* suppressed whatever k and p are */
        uint32_t group = shown->of_value[value];
        status = hr_map64_intern(&pairs, (uint64_t)cells->of_row[row] << 32 | group, &pair, err);
        if (status == HR_OK && pair == out->count)
            status = hr_grow(&out->items, &capacity, out->count + 1, sizeof *out->items, err);
        if (status != HR_OK) break;
        if (pair == out->count)
            out->items[out->count++] = (hr_cell_count){.cell = cells->of_row[row], .group = group};
        out->items[pair].rows++;
    }
    hr_map64_free(&pairs);
    return status;
}

hr_status hr_lost_basis_make(const hr_microdata *data, const hr_groups *cells, hr_lost_basis *out,
                             hr_error *err) {
    *out = (hr_lost_basis){.count = data->quasi_count};
    hr_status status = hr_shown_values_all(data, &out->shown, err);
    out->kept = hr_alloc(data->quasi_count, sizeof *out->kept, err);
    if (!out->kept) status = HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count && status == HR_OK; j++)
        status = count_pairs(&data->quasi[j], &out->shown[j], cells, &out->kept[j], err);
    if (status != HR_OK) hr_lost_basis_free(out);
    return status;
}

hr_status hr_lost_of_cells(const hr_microdata *data, const hr_lost_basis *basis, const bool *gone,
                           hr_lost **out, hr_error *err) {
    *out = NULL;
    uint64_t **counts = hr_lost_counts(basis->shown, data->quasi_count, err);
    if (!counts) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++) {
        for (uint32_t g = 0; g <= basis->shown[j].count; g++)
            counts[j][g] = basis->shown[j].rows[g];
        for (uint32_t i = 0; i < basis->kept[j].count; i++) {
            const hr_cell_count *item = &basis->kept[j].items[i];
            if (!gone[item->cell]) counts[j][item->group] -= item->rows;
        }
    }
    hr_status status = hr_lost_of_counts(data, basis->shown, counts, out, err);
    free(counts);
    return status;
}

void hr_lost_basis_free(hr_lost_basis *basis) {
    for (size_t j = 0; basis->kept && j < basis->count; j++)
        free(basis->kept[j].items);
    free(basis->kept);
    hr_shown_values_free_all(basis->shown, basis->count);
    *basis = (hr_lost_basis){0};
}

const hr_lost_figures *hr_lost_result(const hr_lost *lost) {
    return &lost->figures;
}

const hr_lost_value *hr_lost_at(const hr_lost *lost, size_t i) {
    return i < lost->value_count ? &lost->values[i] : NULL;
}

void hr_lost_free(hr_lost *lost) {
    if (!lost) return;
    free(lost->values);
    hr_arena_free(&lost->arena);
    free(lost);
}
