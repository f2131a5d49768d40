/* plan_cell.c - translates the values of rows that a caller gives to a plan into the plan's codes,
 * and finds the MAM cell of each row. */
#include "run/plan/plan.h"

#include <stdlib.h>
#include <string.h>

size_t hr_plan_find(const hr_plan *plan, uint64_t key) {
    size_t low = 0, high = plan->cell_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (plan->cells[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low < plan->cell_count && plan->cells[low].key == key ? low : SIZE_MAX;
}

/* ---- translation ---- */

static hr_status unknown_value(const hr_column *column, size_t row, hr_error *err) {
    return hr_fail(err, HR_EDATA,
                   "row %zu, column '%s': the plan does not know this value; make the plan from "
                   "the whole table",
                   row + 1, column->name);
}

/* Gives the rows of a column the codes of the plan. `out` borrows name and dictionary. */
static hr_status translate(const hr_column *column, const hr_column *known, hr_column *out,
                           hr_error *err) {
    enum { CHUNK = 4096 };
    uint32_t codes[CHUNK], texts = column->dictionary.count;
    uint32_t *map = hr_alloc_raw(texts, sizeof *map, err);
    if (!map) return HR_ENOMEM;
    for (uint32_t code = 0; code < texts; code++)
        map[code] = hr_dictionary_match(&known->dictionary, &column->dictionary, code);
    *out = (hr_column){.name = column->name,
                       .dictionary = known->dictionary,
                       .width = 1,
                       .format = column->format,
                       .coded = column->coded,
                       .affinity = column->affinity,
                       .mixed = column->mixed,
                       .declared = column->declared};
    hr_status status = HR_OK;
    for (size_t first = 0; first < column->rows && status == HR_OK; first += CHUNK) {
        size_t count = column->rows - first < CHUNK ? column->rows - first : CHUNK;
        hr_column_map(column, first, count, map, codes);
        for (size_t i = 0; i < count && status == HR_OK; i++)
            if (codes[i] == HR_NONE) status = unknown_value(column, first + i, err);
        if (status == HR_OK) status = hr_column_append_codes(out, codes, count, err);
    }
    free(map);
    return status;
}

static bool is_unit(const hr_plan *plan, const char *name) {
    return plan->job->unit && hr_same_name(name, plan->job->unit);
}

static bool wanted(const hr_plan *plan, const char *name, hr_plan_columns columns) {
    const hr_attribute *attribute = hr_attribute_find(plan->job, name);
    if (is_unit(plan, name)) return columns == HR_PLAN_RELEASED;
    if (!attribute) return false;
    if (attribute->role == HR_ROLE_QUASI) return true;
    if (attribute->role == HR_ROLE_SENSITIVE) return columns != HR_PLAN_QUASI;
    return columns == HR_PLAN_RELEASED && hr_role_released(attribute->role);
}

static hr_status check_column(const hr_plan *plan, const hr_table *table, const char *name,
                              hr_plan_columns columns, hr_error *err) {
    if (!wanted(plan, name, columns) || hr_table_find(table, name)) return HR_OK;
    return hr_fail(err, HR_EDATA, "the table has no column '%s', which the plan needs", name);
}

static hr_status check_columns(const hr_plan *plan, const hr_table *table, hr_plan_columns columns,
                               hr_error *err) {
    for (size_t i = 0; i < plan->job->attribute_count; i++)
        HR_TRY(check_column(plan, table, plan->job->attributes[i].name, columns, err));
    return plan->job->unit ? check_column(plan, table, plan->job->unit, columns, err) : HR_OK;
}

/* Translates the columns of quasi-identifiers and sensitive attributes, and borrows kept columns
 * and the units, whose values are not in the plan. */
static hr_status take_columns(const hr_plan *plan, const hr_table *table, hr_plan_columns columns,
                              hr_plan_part *part, hr_error *err) {
    HR_TRY(check_columns(plan, table, columns, err));
    part->columns = hr_alloc(table->column_count, sizeof *part->columns, err);
    part->translated = hr_alloc(table->column_count, sizeof *part->translated, err);
    if (!part->columns || !part->translated) return HR_ENOMEM;
    part->table.columns = part->columns;
    part->table.rows = table->rows;
    part->table.delimiter = table->delimiter;
    for (size_t i = 0; i < table->column_count; i++) {
        const hr_column *column = &table->columns[i];
        if (!wanted(plan, column->name, columns)) continue;
        const hr_column *known = hr_table_find(plan->values, column->name);
        size_t at = part->table.column_count++;
        part->translated[at] = known != NULL;
        if (known)
            HR_TRY(translate(column, known, &part->columns[at], err));
        else
            part->columns[at] = *column;
    }
    return HR_OK;
}

/* ---- roles and cells ---- */

static hr_status bind_unit(const hr_plan *plan, hr_plan_part *part, hr_error *err) {
    hr_microdata *data = &part->data.dataset.data;
    if (!plan->job->unit) return HR_OK;
    data->unit = hr_alloc(1, sizeof *data->unit, err);
    if (!data->unit) return HR_ENOMEM;
    return hr_unit_bind(data->unit, hr_table_find(&part->table, plan->job->unit),
                        &plan->domain.missing, err);
}

/* Binds the plan's attributes to the columns of the part. */
static hr_status bind(const hr_plan *plan, hr_plan_columns columns, hr_plan_part *part,
                      hr_error *err) {
    const hr_microdata *known = &plan->domain.data;
    hr_dataset *dataset = &part->data.dataset;
    hr_microdata *data = &dataset->data;
    dataset->table = &part->table;
    dataset->trees = plan->domain.trees;
    dataset->missing = plan->domain.missing;
    data->rows = part->table.rows;
    data->types = &plan->types;
    data->quasi_count = known->quasi_count;
    data->sensitive_count = columns == HR_PLAN_QUASI ? 0 : known->sensitive_count;
    data->quasi = hr_alloc(data->quasi_count, sizeof *data->quasi, err);
    data->sensitive = hr_alloc(data->sensitive_count, sizeof *data->sensitive, err);
    if (!data->quasi || !data->sensitive) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++) {
        data->quasi[j] = known->quasi[j];
        data->quasi[j].column = hr_table_find(&part->table, known->quasi[j].name);
    }
    for (size_t l = 0; l < data->sensitive_count; l++) {
        data->sensitive[l] = known->sensitive[l];
        data->sensitive[l].column = hr_table_find(&part->table, known->sensitive[l].name);
    }
    if (columns != HR_PLAN_RELEASED) return HR_OK;
    HR_TRY(bind_unit(plan, part, err));
    return hr_recodings_bind(plan->job, &part->table, &dataset->missing, NULL, &dataset->recodings,
                             err);
}

/* Takes out the rows that must be suppressed although their cell can be released. */
static hr_status trim(const hr_plan *plan, const hr_watch *watch, hr_plan_part *part,
                      hr_error *err) {
    const hr_microdata *data = &part->data.dataset.data;
    bool count = plan->choice.count_boundaries;
    hr_facts *facts = &part->data.facts[count];
    HR_TRY(hr_cells_trim(data, &plan->job->asked, watch, &part->data.cells[count],
                         &part->data.trimmed[count], err));
    if (part->data.trimmed[count] == 0) return HR_OK;
    hr_facts_free(facts);
    return hr_facts_of_data(&part->data.cells[count], data, facts, err);
}

/* The key of the part to which a row of a cell belongs. */
static uint64_t part_of(const hr_plan *plan, const hr_microdata *data, const hr_plan_cut_root *cut,
                        size_t row, uint32_t *values) {
    for (size_t j = 0; j < data->quasi_count; j++)
        values[j] = hr_quasi_value(&data->quasi[j], row);
    return hr_plan_part_key(plan, cut, values);
}

/* Numbers the parts anew by their keys, in the order of their first rows. */
static hr_status number_parts(const hr_plan *plan, hr_plan_part *part,
                              const hr_plan_cut_root *const *cuts, uint32_t *values, hr_map64 *map,
                              hr_error *err) {
    hr_groups *cells = &part->data.cells[plan->choice.count_boundaries];
    const hr_microdata *data = &part->data.dataset.data;
    uint64_t *keys = NULL;
    size_t capacity = 0;
    hr_status status = HR_OK;
    for (size_t row = 0; row < cells->rows && status == HR_OK; row++) {
        uint32_t cell = cells->of_row[row];
        if (cell == HR_NONE) continue;
        uint64_t key = cuts[cell] ? part_of(plan, data, cuts[cell], row, values) : part->keys[cell];
        status = hr_map64_intern(map, key, &cells->of_row[row], err);
        if (status == HR_OK) status = hr_grow(&keys, &capacity, map->count, sizeof *keys, err);
        if (status == HR_OK) keys[cells->of_row[row]] = key;
    }
    free(part->keys);
    part->keys = keys;
    cells->count = map->count;
    return status;
}

/* Replaces cells that are cut by their parts. */
static hr_status divide(const hr_plan *plan, hr_plan_part *part, hr_error *err) {
    const hr_microdata *data = &part->data.dataset.data;
    bool count = plan->choice.count_boundaries;
    uint32_t cell_count = part->data.cells[count].count;
    hr_map64 map = {0};
    const hr_plan_cut_root **cuts = hr_alloc(cell_count, sizeof *cuts, err);
    uint32_t *values = hr_alloc(data->quasi_count, sizeof *values, err);
    hr_status status = cuts && values ? HR_OK : HR_ENOMEM;
    for (uint32_t c = 0; status == HR_OK && c < cell_count; c++)
        cuts[c] = hr_plan_cut_of(plan, part->keys[c]);
    if (status == HR_OK) status = number_parts(plan, part, cuts, values, &map, err);
    hr_map64_free(&map);
    free(cuts);
    free(values);
    HR_TRY(status);
    hr_facts_free(&part->data.facts[count]);
    return hr_facts_of_data(&part->data.cells[count], data, &part->data.facts[count], err);
}

static hr_status find_cells(const hr_plan *plan, hr_plan_part *part, hr_error *err) {
    const hr_microdata *data = &part->data.dataset.data;
    bool count = plan->choice.count_boundaries;
    hr_groups *cells = &part->data.cells[count];
    const hr_requirements all_rows = {.k = 1, .p = 1};
    HR_TRY(hr_dataset_cut(&part->data.dataset, count, &all_rows, NULL, cells,
                          &part->data.facts[count], &part->data.trimmed[count], err));
    part->keys = hr_alloc(cells->count, sizeof *part->keys, err);
    if (!part->keys) return HR_ENOMEM;
    HR_TRY(
        hr_cell_keys(data->quasi, data->quasi_count, cells, !count, plan->salt, part->keys, err));
    if (plan->cut_count) HR_TRY(divide(plan, part, err));
    part->rows = hr_alloc(cells->count, sizeof *part->rows, err);
    if (!part->rows) return HR_ENOMEM;
    memcpy(part->rows, part->data.facts[count].size, cells->count * sizeof *part->rows);
    return HR_OK;
}

hr_status hr_plan_part_make(const hr_plan *plan, const hr_table *table, hr_plan_columns columns,
                            const hr_watch *watch, hr_plan_part *out, hr_error *err) {
    *out = (hr_plan_part){0};
    hr_status status = take_columns(plan, table, columns, out, err);
    if (status == HR_OK) status = bind(plan, columns, out, err);
    if (status == HR_OK && columns == HR_PLAN_RELEASED && plan->choice.algorithm->any_order)
        status = hr_dataset_sort(plan->job, &out->data.dataset, err);
    if (status == HR_OK) status = find_cells(plan, out, err);
    if (status == HR_OK) status = trim(plan, watch, out, err);
    if (status != HR_OK) hr_plan_part_free(out);
    return status;
}

void hr_plan_part_free(hr_plan_part *part) {
    for (size_t i = 0; i < part->table.column_count; i++)
        if (part->translated[i]) free(part->columns[i].codes);
    free(part->columns);
    free(part->translated);
    free(part->data.dataset.data.quasi);
    free(part->data.dataset.data.sensitive);
    if (part->data.dataset.data.unit) free(part->data.dataset.data.unit->value_of_code);
    free(part->data.dataset.data.unit);
    hr_recodings_free(&part->data.dataset.recodings);
    hr_dataset_unsort(&part->data.dataset);
    for (int mode = 0; mode < 2; mode++) {
        hr_facts_free(&part->data.facts[mode]);
        hr_groups_free(&part->data.cells[mode]);
    }
    free(part->keys);
    free(part->rows);
    *part = (hr_plan_part){0};
}
