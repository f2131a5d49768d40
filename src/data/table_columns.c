/* table_columns.c - makes a table from columns that a caller has in memory: texts row by row, or
 * codes with their texts. Checks that texts are UTF-8 without zero bytes, that all columns have one
 * length, and that every code has a text. */
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

static size_t rows_of(const hr_column_data *data) {
    return data->codes ? data->code_count : data->text_count;
}

static hr_status bad_text(const hr_column_data *data, size_t i, const char *why, hr_error *err) {
    return hr_fail(err, HR_EDATA, "%s %zu of column '%s' %s", data->codes ? "text" : "row", i + 1,
                   data->name, why);
}

/* The code of text i in the column's dictionary. */
static hr_status add_text(hr_column *column, const hr_column_data *data, size_t i, uint32_t *code,
                          hr_error *err) {
    const char *text = data->texts[i];
    if (!text) return hr_dictionary_null(&column->dictionary, code, err);
    size_t length = data->lengths ? data->lengths[i] : strlen(text);
    bool cut;
    if (data->lengths && memchr(text, 0, length)) return bad_text(data, i, "has a zero byte", err);
    if (hr_utf8_valid(text, length, &cut) < length) return bad_text(data, i, "is not UTF-8", err);
    return hr_dictionary_intern(&column->dictionary, text, length, code, err);
}

static hr_status add_texts(hr_column *column, const hr_column_data *data, hr_error *err) {
    for (size_t row = 0; row < data->text_count; row++) {
        uint32_t code;
        HR_TRY(add_text(column, data, row, &code, err));
        HR_TRY(hr_column_append(column, code, err));
    }
    return HR_OK;
}

static hr_status add_codes(hr_column *column, const hr_column_data *data, hr_error *err) {
    uint32_t *translated = hr_alloc_raw(data->text_count, sizeof *translated, err);
    if (!translated) return HR_ENOMEM;
    memset(translated, 0xff, data->text_count * sizeof *translated);
    hr_status status = HR_OK;
    for (size_t row = 0; row < data->code_count && status == HR_OK; row++) {
        uint32_t code = data->codes[row];
        if (code >= data->text_count)
            status = hr_fail(err, HR_EDATA, "row %zu, column '%s': code %u has no text", row + 1,
                             data->name, code);
        else if (translated[code] == HR_NONE)
            status = add_text(column, data, code, &translated[code], err);
        if (status == HR_OK) status = hr_column_append(column, translated[code], err);
    }
    free(translated);
    return status;
}

/* Column i of a caller whose header may be another version: its struct may be longer than ours. */
static const hr_column_data *column_at(const hr_column_data *columns, size_t i) {
    return (const hr_column_data *)(const void *)((const char *)columns + i * columns->size);
}

static hr_status check_columns(const hr_column_data *columns, size_t count, hr_error *err) {
    for (size_t i = 0; i < count; i++) {
        const hr_column_data *data = column_at(columns, i);
        if (data->size < sizeof *data || data->size != columns->size)
            return hr_fail(err, HR_EINVAL, "column %zu: set `size` to sizeof(hr_column_data)",
                           i + 1);
        if (!data->name || (!data->texts && data->text_count > 0))
            return hr_fail(err, HR_EINVAL, "column %zu has no %s", i + 1,
                           data->name ? "texts" : "name");
        if (rows_of(data) != rows_of(columns))
            return hr_fail(err, HR_EINVAL, "columns '%s' and '%s' have different numbers of rows",
                           columns->name, data->name);
        if (rows_of(data) >= HR_NONE - 1 || data->text_count >= HR_NONE - 1)
            return hr_fail(err, HR_EDATA, "a table holds at most 4 billion rows");
    }
    return HR_OK;
}

static hr_status fill(hr_table *table, const hr_column_data *columns, hr_error *err) {
    for (size_t i = 0; i < table->column_count; i++) {
        const hr_column_data *data = column_at(columns, i);
        HR_TRY((data->codes ? add_codes : add_texts)(&table->columns[i], data, err));
    }
    table->rows = table->column_count ? rows_of(columns) : 0;
    return HR_OK;
}

hr_status hr_table_from_columns(const hr_column_data *columns, size_t count, hr_table **out,
                                hr_error *err) {
    *out = NULL;
    HR_TRY(check_columns(columns, count, err));
    const char **names = hr_alloc(count, sizeof *names, err);
    if (!names) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++)
        names[i] = column_at(columns, i)->name;
    hr_table *table = NULL;
    hr_status status = hr_table_new(count, (const char *const *)names, &table, err);
    free(names);
    if (status == HR_OK) status = fill(table, columns, err);
    if (status == HR_OK)
        *out = table;
    else
        hr_table_free(table);
    return status;
}
