/* table.c - named columns of equal length. */
#include "data/data.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Names must differ: of two columns with the same name only the first would be found, and
 * masked. */
static hr_status name_columns(hr_table *table, const char *const *names, hr_dictionary *known,
                              hr_error *err) {
    for (size_t i = 0; i < table->column_count; i++) {
        size_t length = strlen(names[i]);
        uint32_t place;
        if (length == 0) return hr_fail(err, HR_EINVAL, "column %zu has no name", i + 1);
        HR_TRY(hr_dictionary_intern(known, names[i], length, &place, err));
        if (place < i)
            return hr_fail(err, HR_EINVAL, "columns %u and %zu are both named '%s'; rename one",
                           place + 1, i + 1, names[i]);
        table->columns[i].width = 1;
        table->columns[i].name = hr_copy_text(names[i], length, err);
        if (!table->columns[i].name) return HR_ENOMEM;
    }
    return HR_OK;
}

hr_status hr_table_new(size_t columns, const char *const *names, hr_table **out, hr_error *err) {
    *out = NULL;
    hr_table *table = hr_alloc(1, sizeof *table, err);
    if (!table) return HR_ENOMEM;
    table->delimiter = ',';
    atomic_init(&table->holders, 1);
    hr_dictionary known = {0};
    hr_status status = HR_ENOMEM;
    table->columns = hr_alloc(columns, sizeof *table->columns, err);
    if (table->columns) {
        table->column_count = columns;
        status = name_columns(table, names, &known, err);
    }
    hr_dictionary_free(&known);
    if (status == HR_OK)
        *out = table;
    else
        hr_table_free(table);
    return status;
}

hr_status hr_table_append(hr_table *table, const char *const *fields, hr_error *err) {
    if (table->rows >= HR_NONE - 1)
        return hr_fail(err, HR_EDATA, "a table holds at most 4 billion rows");
    for (size_t i = 0; i < table->column_count; i++) {
        hr_column *column = &table->columns[i];
        column->rows = table->rows; /* overwrites a row that failed half-way */
        if (fields[i]) {
            HR_TRY(hr_column_append_text(column, fields[i], strlen(fields[i]), err));
        } else {
            uint32_t null;
            HR_TRY(hr_dictionary_null(&column->dictionary, &null, err));
            HR_TRY(hr_column_append(column, null, err));
        }
    }
    table->rows++;
    return HR_OK;
}

size_t hr_table_rows(const hr_table *table) {
    return table->rows;
}

size_t hr_table_columns(const hr_table *table) {
    return table->column_count;
}

const char *hr_table_name(const hr_table *table, size_t column) {
    assert(column < table->column_count);
    return table->columns[column].name;
}

const char *hr_table_text(const hr_table *table, size_t row, size_t column) {
    assert(row < table->rows && column < table->column_count);
    return hr_column_text(&table->columns[column], row);
}

bool hr_table_is_null(const hr_table *table, size_t row, size_t column) {
    assert(row < table->rows && column < table->column_count);
    const hr_column *c = &table->columns[column];
    return hr_dictionary_is_null(&c->dictionary, hr_column_code(c, row));
}

size_t hr_table_column(const hr_table *table, const char *name) {
    for (size_t i = 0; i < table->column_count; i++)
        if (!strcmp(table->columns[i].name, name)) return i;
    for (size_t i = 0; i < table->column_count; i++)
        if (hr_same_name(table->columns[i].name, name)) return i;
    return SIZE_MAX;
}

const hr_column *hr_table_find(const hr_table *table, const char *name) {
    size_t i = hr_table_column(table, name);
    return i == SIZE_MAX ? NULL : &table->columns[i];
}

const void *hr_table_codes(const hr_table *table, size_t column, unsigned *width) {
    assert(column < table->column_count);
    *width = table->columns[column].width;
    return table->columns[column].codes;
}

uint32_t hr_table_code(const hr_table *table, size_t row, size_t column) {
    assert(row < table->rows && column < table->column_count);
    return hr_column_code(&table->columns[column], row);
}

uint32_t hr_table_code_count(const hr_table *table, size_t column) {
    assert(column < table->column_count);
    return table->columns[column].dictionary.count;
}

const char *hr_table_code_text(const hr_table *table, size_t column, uint32_t code,
                               size_t *length) {
    assert(column < table->column_count && code < table->columns[column].dictionary.count);
    const hr_dictionary *texts = &table->columns[column].dictionary;
    if (length) *length = hr_dictionary_length(texts, code);
    return hr_dictionary_is_null(texts, code) ? NULL : hr_dictionary_text(texts, code);
}

void hr_table_free(hr_table *table) {
    if (!table || atomic_fetch_sub(&table->holders, 1) > 1) return;
    for (size_t i = 0; i < table->column_count; i++)
        hr_column_free(&table->columns[i]);
    for (size_t i = 0; i < table->header_count; i++)
        free(table->header[i]);
    free(table->header);
    free(table->columns);
    free(table->source);
    free(table);
}
