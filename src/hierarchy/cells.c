/* cells.c - the maximum allowed microdata (Campan, Truta, Cooper 2010, Definition 9): rows whose
 * values have the same MAGVals form a cell, and every class lies within one cell (Property 1). */
#include "hierarchy/hierarchy.h"

#include <stdlib.h>
#include <string.h>

/* map[code]: number of the code's MAGVal, counted from 0 for the attribute; HR_NONE: dropped. */
static hr_status magval_map(const hr_quasi *quasi, bool bounded, uint32_t **map, uint32_t *count,
                            hr_error *err) {
    uint32_t codes = quasi->column->dictionary.count;
    *map = hr_alloc_raw(codes, sizeof **map, err);
    uint32_t *number = hr_alloc_raw(quasi->value_count, sizeof *number, err);
    if (!*map || !number) {
        free(*map);
        free(number);
        return HR_ENOMEM;
    }
    memset(number, 0xff, quasi->value_count * sizeof *number);
    *count = 0;
    for (uint32_t code = 0; code < codes; code++) {
        uint32_t value = quasi->value_of_code[code];
        if (value == HR_NONE) {
            (*map)[code] = HR_NONE;
            continue;
        }
        uint32_t bound = bounded && quasi->bounded ? quasi->magval[value] : 0;
        if (number[bound] == HR_NONE) number[bound] = (*count)++;
        (*map)[code] = number[bound];
    }
    free(number);
    return HR_OK;
}

/* True if splitting by the attribute changes the groups. */
static bool matters(const uint32_t *map, uint32_t codes, uint32_t count) {
    for (uint32_t code = 0; code < codes && count <= 1; code++)
        if (map[code] == HR_NONE) return true;
    return count > 1;
}

hr_status hr_cells(const hr_quasi *quasi, size_t quasi_count, size_t rows, bool bounded,
                   hr_groups *out, hr_error *err) {
    HR_TRY(hr_groups_start(out, rows, err));
    hr_status status = HR_OK;
    for (size_t j = 0; j < quasi_count && status == HR_OK; j++) {
        uint32_t *map, count;
        status = magval_map(&quasi[j], bounded, &map, &count, err);
        if (status != HR_OK) break;
        if (matters(map, quasi[j].column->dictionary.count, count))
            status = hr_groups_split(out, quasi[j].column, map, count ? count : 1, err);
        free(map);
    }
    if (status != HR_OK) hr_groups_free(out);
    return status;
}

/* The text of a MAGVal: the label of a node, or the least number of a cell. */
static const char *magval_text(const hr_quasi *quasi, uint32_t value) {
    uint32_t magval = quasi->magval[value];
    if (quasi->tree) return hr_hierarchy_label(quasi->tree, magval);
    return hr_dictionary_text(&quasi->column->dictionary, quasi->number_code[magval]);
}

uint64_t hr_cell_key(const hr_quasi *quasi, size_t quasi_count, const uint32_t *values,
                     bool bounded, uint64_t salt) {
    uint64_t key = hr_mix(salt + 1);
    for (size_t j = 0; j < quasi_count; j++) {
        if (!bounded || !quasi[j].bounded) continue;
        const char *label = magval_text(&quasi[j], values[j]);
        key = hr_mix(key + hr_hash(label, strlen(label)));
    }
    return key ? key : 1;
}

hr_status hr_cell_keys(const hr_quasi *quasi, size_t quasi_count, const hr_groups *cells,
                       bool bounded, uint64_t salt, uint64_t *keys, hr_error *err) {
    uint32_t *values = hr_alloc(quasi_count, sizeof *values, err);
    if (!values) return HR_ENOMEM;
    memset(keys, 0, cells->count * sizeof *keys);
    for (size_t row = 0, known = 0; row < cells->rows && known < cells->count; row++) {
        uint32_t cell = cells->of_row[row];
        if (cell == HR_NONE || keys[cell]) continue;
        for (size_t j = 0; j < quasi_count; j++)
            values[j] = hr_quasi_value(&quasi[j], row);
        keys[cell] = hr_cell_key(quasi, quasi_count, values, bounded, salt);
        known++;
    }
    free(values);
    return HR_OK;
}
