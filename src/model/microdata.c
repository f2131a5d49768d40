/* microdata.c - sensitive attributes: which values count as different, and how much an additional
 * value is worth to a search (the weights of Campan, Truta, Cooper 2010, Definition 12). */
#include "model/model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names the row: a sensitive value never appears in a message. */
static hr_status not_numeric(const hr_sensitive *sensitive, uint32_t code, hr_error *err) {
    const hr_column *column = sensitive->column;
    const char *advice =
        hr_number_advice(hr_dictionary_text(&column->dictionary, code), sensitive->point);
    size_t row = 0;
    while (hr_column_code(column, row) != code)
        row++;
    return hr_fail(err, HR_EDATA,
                   "row %zu, column '%s': bins need numbers and this value is none%s", row + 1,
                   column->name,
                   *advice ? advice : "; correct it, list it under `missing`, or leave out `bins`");
}

/* The lower edge of bin b. Multiplies before it divides, so that whole-number edges are exact. Very
 * wide ranges are scaled by a power of two, which changes only the exponent, to avoid overflow. */
static double edge_of(const hr_sensitive *sensitive, uint32_t b, uint32_t bins) {
    if (sensitive->edges) return sensitive->edges[b];
    double least = sensitive->least, most = sensitive->most;
    double scale = most / 2 - least / 2 < DBL_MAX / (4 * HR_BINS_MAX) ? 1 : 4 * HR_BINS_MAX;
    double width = most / scale - least / scale;
    return (least / scale + width * b / bins) * scale;
}

double hr_sensitive_edge(const hr_sensitive *sensitive, uint32_t b, uint32_t bins) {
    return b < bins ? edge_of(sensitive, b, bins) : sensitive->most;
}

/* The last bin whose lower edge is not above the number; the first one if all are. */
static uint32_t find_bin(const double *edges, double number, uint32_t bins) {
    uint32_t low = 0, high = bins;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (edges[middle] <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The bin b with edge b <= number < edge b + 1; the maximum is in the last bin. The share of the
 * range is an estimate that may be off by one because of rounding; the edges decide. */
static uint32_t bin_of(const hr_sensitive *sensitive, double number, uint32_t bins) {
    double least = sensitive->least, most = sensitive->most;
    if (sensitive->edges) return find_bin(sensitive->edges, number, bins);
    if (!(most > least)) return 0;
    double share = (number / 2 - least / 2) / (most / 2 - least / 2);
    uint32_t bin = share >= 1 ? bins - 1 : share > 0 ? (uint32_t)(share * bins) : 0;
    while (bin + 1 < bins && number >= edge_of(sensitive, bin + 1, bins))
        bin++;
    while (bin > 0 && number < edge_of(sensitive, bin, bins))
        bin--;
    return bin;
}

static hr_status bind_bins(hr_sensitive *sensitive, const hr_missing *missing, uint32_t bins,
                           const hr_sensitive *like, hr_error *err) {
    const hr_dictionary *texts = &sensitive->column->dictionary;
    double *number = hr_alloc_raw(texts->count, sizeof *number, err);
    if (!number) return HR_ENOMEM;
    sensitive->edges = like ? like->edges : NULL;
    sensitive->least = like ? like->least : INFINITY;
    sensitive->most = like ? like->most : -INFINITY;
    if (sensitive->edges) {
        sensitive->least = sensitive->edges[0];
        sensitive->most = sensitive->edges[bins];
    }
    for (uint32_t code = 0; code < texts->count; code++) {
        const char *text = hr_dictionary_text(texts, code);
        number[code] = NAN;
        if (!hr_sensitive_counts(missing, texts, code)) continue;
        if (!hr_parse_number(text, sensitive->point, &number[code])) {
            free(number);
            return not_numeric(sensitive, code, err);
        }
        if (like) continue;
        sensitive->least = fmin(sensitive->least, number[code]);
        sensitive->most = fmax(sensitive->most, number[code]);
    }
    for (uint32_t code = 0; code < texts->count; code++)
        sensitive->value_of_code[code] =
            isnan(number[code]) ? HR_NONE : bin_of(sensitive, number[code], bins);
    sensitive->value_count = bins;
    sensitive->binned = true;
    free(number);
    return HR_OK;
}

/* Numbers the values in the order of their texts, so that the order of the rows does not matter. */
static hr_status bind_texts(hr_sensitive *sensitive, const hr_missing *missing, hr_error *err) {
    const hr_dictionary *texts = &sensitive->column->dictionary;
    uint32_t *sorted = hr_alloc_raw(texts->count, sizeof *sorted, err);
    sensitive->value_count = 0;
    hr_status status = sorted ? hr_dictionary_sort(texts, sorted, err) : HR_ENOMEM;
    for (uint32_t i = 0; i < texts->count && status == HR_OK; i++)
        sensitive->value_of_code[sorted[i]] =
            hr_sensitive_counts(missing, texts, sorted[i]) ? sensitive->value_count++ : HR_NONE;
    free(sorted);
    return status;
}

hr_status hr_sensitive_bind(hr_sensitive *sensitive, const hr_column *column,
                            const hr_missing *missing, uint32_t bins, const hr_sensitive *like,
                            hr_error *err) {
    const hr_dictionary *texts = &column->dictionary;
    sensitive->name = column->name;
    sensitive->column = column;
    sensitive->value_of_code = hr_alloc_raw(texts->count, sizeof *sensitive->value_of_code, err);
    if (!sensitive->value_of_code) return HR_ENOMEM;
    return bins ? bind_bins(sensitive, missing, bins, like, err)
                : bind_texts(sensitive, missing, err);
}

/* ---- units ---- */

typedef struct {
    uint64_t hash;
    const char *text;
    uint32_t code;
} unit_text;

static int by_hash(const void *a, const void *b) {
    const unit_text *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    return strcmp(x->text, y->text);
}

static hr_status no_unit(const hr_column *column, uint32_t code, hr_error *err) {
    size_t row = 0;
    while (hr_column_code(column, row) != code)
        row++;
    return hr_fail(err, HR_EDATA,
                   "row %zu, column '%s': the unit is missing, so it is unknown whose row this is; "
                   "correct it, or leave the row out",
                   row + 1, column->name);
}

hr_status hr_unit_bind(hr_sensitive *unit, const hr_column *column, const hr_missing *missing,
                       hr_error *err) {
    const hr_dictionary *texts = &column->dictionary;
    *unit = (hr_sensitive){.name = column->name, .column = column, .value_count = texts->count};
    for (uint32_t code = 0; code < texts->count; code++)
        if (hr_is_missing(missing, texts, code)) return no_unit(column, code, err);
    unit_text *order = hr_alloc_raw(texts->count, sizeof *order, err);
    unit->value_of_code = hr_alloc_raw(texts->count, sizeof *unit->value_of_code, err);
    if (order && unit->value_of_code) {
        for (uint32_t code = 0; code < texts->count; code++) {
            const char *text = hr_dictionary_text(texts, code);
            order[code] = (unit_text){hr_hash(text, strlen(text)), text, code};
        }
        qsort(order, texts->count, sizeof *order, by_hash);
        for (uint32_t i = 0; i < texts->count; i++)
            unit->value_of_code[order[i].code] = i;
    }
    bool allocated = order && unit->value_of_code;
    free(order);
    return allocated ? HR_OK : HR_ENOMEM;
}

bool hr_unit_repeats(const hr_sensitive *unit) {
    bool *seen = hr_alloc(unit->value_count, sizeof *seen, NULL), repeats = !seen;
    for (size_t row = 0; row < unit->column->rows && !repeats; row++) {
        uint32_t value = hr_sensitive_value(unit, row);
        repeats = seen[value];
        seen[value] = true;
    }
    free(seen);
    return repeats;
}

/* Every text of the dictionary occurs, but a bin may be empty; if every value is missing, all bins
 * are. */
uint32_t hr_sensitive_present(const hr_sensitive *sensitive) {
    uint32_t codes = sensitive->column->dictionary.count;
    if (sensitive->value_count > HR_BINS_MAX) return sensitive->value_count;
    bool seen[HR_BINS_MAX] = {0};
    uint32_t present = 0;
    for (uint32_t code = 0; code < codes; code++) {
        uint32_t value = sensitive->value_of_code[code];
        if (value == HR_NONE || seen[value]) continue;
        seen[value] = true;
        present++;
    }
    return present;
}

double hr_sensitive_initial_weight(const hr_sensitive *sensitive) {
    uint32_t present = hr_sensitive_present(sensitive);
    return 1.0 / (present ? present : 1);
}

void hr_sensitive_weigh(hr_sensitive *sensitive, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += sensitive[i].weight;
    for (size_t i = 0; sum == 0 && i < count; i++)
        sensitive[i].weight = hr_sensitive_initial_weight(&sensitive[i]);
    if (sum == 0)
        for (size_t i = 0; i < count; i++)
            sum += sensitive[i].weight;
    for (size_t i = 0; i < count; i++) {
        sensitive[i].weight /= sum;
        int64_t share = (int64_t)(sensitive[i].weight * HR_COST_ONE + 0.5);
        sensitive[i].share = share ? share : 1; /* an additional value is never worth 0 */
    }
}

hr_status hr_sensitive_split(const hr_sensitive *sensitive, size_t count, hr_groups *groups,
                             hr_error *err) {
    hr_arena arena = {0};
    hr_split *by = hr_arena_alloc(&arena, count, sizeof *by, err);
    hr_status status = by ? HR_OK : HR_ENOMEM;
    for (size_t l = 0; l < count && status == HR_OK; l++) {
        const hr_sensitive *s = &sensitive[l];
        uint32_t codes = s->column->dictionary.count;
        uint32_t *map = hr_arena_alloc(&arena, codes, sizeof *map, err);
        if (!map) status = HR_ENOMEM;
        for (uint32_t code = 0; map && code < codes; code++)
            map[code] = s->value_of_code[code] == HR_NONE ? s->value_count : s->value_of_code[code];
        by[l] = (hr_split){s->column, map, s->value_count + 1};
    }
    if (status == HR_OK) status = hr_groups_split_all(groups, by, count, err);
    hr_arena_free(&arena);
    return status;
}

void hr_microdata_free(hr_microdata *data) {
    for (size_t i = 0; i < data->quasi_count; i++)
        hr_quasi_free(&data->quasi[i]);
    for (size_t i = 0; i < data->sensitive_count; i++) {
        free(data->sensitive[i].value_of_code);
        free(data->sensitive[i].join);
    }
    if (data->unit) free(data->unit->value_of_code);
    free(data->unit);
    free(data->quasi);
    free(data->sensitive);
    *data = (hr_microdata){0};
}
