/* rows.c - rows of entries, kept until the widths of the columns are known, then printed. */
#include "report/rows.h"

#include "io/io.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Entries ---- */

void hr_rows_start(hr_rows *rows, const hr_rows_column *columns, size_t column_count) {
    *rows = (hr_rows){.columns = columns, .column_count = column_count};
}

static void add(hr_rows *rows, hr_rows_entry entry) {
    if (!rows->failed && hr_grow(&rows->entries, &rows->entry_capacity, rows->entry_count + 1,
                                 sizeof *rows->entries, NULL) == HR_OK) {
        rows->entries[rows->entry_count++] = entry;
        return;
    }
    rows->failed = true;
    free(entry.text);
}

void hr_rows_text(hr_rows *rows, const char *text) {
    char *copy = text ? hr_copy_text(text, strlen(text), NULL) : NULL;
    if (text && !copy) rows->failed = true;
    add(rows, (hr_rows_entry){.text = copy, .given = text});
}

void hr_rows_count(hr_rows *rows, int64_t count) {
    add(rows, (hr_rows_entry){.count = count, .given = true});
}

void hr_rows_count_if(hr_rows *rows, bool given, uint64_t count) {
    add(rows, (hr_rows_entry){.count = (int64_t)count, .given = given});
}

void hr_rows_real(hr_rows *rows, double real) {
    add(rows, (hr_rows_entry){.real = real, .given = !isnan(real)});
}

void hr_rows_none(hr_rows *rows) {
    add(rows, (hr_rows_entry){.given = false});
}

static void free_rows(hr_rows *rows) {
    for (size_t i = 0; i < rows->entry_count; i++)
        free(rows->entries[i].text);
    free(rows->entries);
    *rows = (hr_rows){0};
}

static const hr_rows_column *column_of(const hr_rows *rows, size_t entry) {
    assert(rows->column_count > 0);
    return &rows->columns[entry % rows->column_count];
}

/* ---- Table ---- */

/* Number of characters of a UTF-8 text. */
static size_t width_of(const char *text) {
    size_t width = 0;
    for (const char *c = text; *c; c++)
        width += ((unsigned char)*c & 0xc0) != 0x80;
    return width;
}

static void table_text(const hr_rows_column *column, const hr_rows_entry *entry, hr_text *out) {
    if (!entry->given)
        hr_text_puts(out, "-");
    else if (column->type == HR_ROWS_TEXT)
        hr_plain_text(out, entry->text);
    else if (column->type == HR_ROWS_COUNT)
        hr_text_printf(out, "%lld", (long long)entry->count);
    else
        hr_text_printf(out, "%.*f", column->digits, entry->real);
}

/* Appends one entry with its padding; a text in the last column is not padded. */
static void add_padded(const hr_rows *rows, size_t i, const char *text, const size_t *width,
                       hr_text *out) {
    size_t place = i % rows->column_count;
    bool last = place + 1 == rows->column_count;
    int padding = (int)(width[place] - width_of(text));
    bool right = rows->columns[place].type != HR_ROWS_TEXT;
    hr_text_printf(out, "%*s%s%*s%s", right ? padding : 0, "", text, right || last ? 0 : padding,
                   "", last ? "\n" : "  ");
}

static void print_table(const hr_rows *rows, hr_text *out) {
    size_t *width = hr_alloc(rows->column_count, sizeof *width, NULL);
    hr_text entry = {0};
    for (size_t i = 0; width && i < rows->column_count; i++)
        width[i] = width_of(rows->columns[i].name);
    for (int pass = 0; width && pass < 2; pass++) { /* measure, then write */
        for (size_t i = 0; pass == 1 && i < rows->column_count; i++)
            add_padded(rows, i, rows->columns[i].name, width, out);
        for (size_t i = 0; i < rows->entry_count; i++) {
            entry.length = 0;
            hr_text_puts(&entry, "");
            table_text(column_of(rows, i), &rows->entries[i], &entry);
            if (entry.failed) break;
            size_t *widest = &width[i % rows->column_count], wide = width_of(entry.data);
            if (pass == 1)
                add_padded(rows, i, entry.data, width, out);
            else if (wide > *widest)
                *widest = wide;
        }
    }
    out->failed |= !width || entry.failed;
    hr_text_free(&entry);
    free(width);
}

/* ---- CSV and JSON ---- */

static void print_csv(const hr_rows *rows, hr_text *out) {
    for (size_t i = 0; i < rows->column_count; i++) {
        if (i > 0) hr_text_puts(out, ",");
        hr_csv_text(out, rows->columns[i].name, ',');
    }
    hr_text_puts(out, "\n");
    for (size_t i = 0; i < rows->entry_count; i++) {
        const hr_rows_entry *entry = &rows->entries[i];
        hr_rows_type type = column_of(rows, i)->type;
        char number[64] = "";
        if (entry->given && type == HR_ROWS_COUNT)
            snprintf(number, sizeof number, "%lld", (long long)entry->count);
        if (entry->given && type == HR_ROWS_REAL)
            snprintf(number, sizeof number, "%.15g", entry->real);
        hr_csv_text(out, entry->given && type == HR_ROWS_TEXT ? entry->text : number, ',');
        hr_text_puts(out, (i + 1) % rows->column_count ? "," : "\n");
    }
}

static json_t *json_entry(const hr_rows_column *column, const hr_rows_entry *entry) {
    if (!entry->given) return json_null();
    switch (column->type) {
    case HR_ROWS_COUNT: return json_integer(entry->count);
    case HR_ROWS_REAL: return json_real(entry->real);
    default: break;
    }
    json_t *text = json_string(entry->text);
    return text ? text : json_string("(not UTF-8)");
}

static char *json_text(const hr_rows *rows) {
    json_t *list = json_array(), *row = NULL;
    bool failed = !list;
    for (size_t i = 0; i < rows->entry_count; i++) {
        const hr_rows_column *column = column_of(rows, i);
        if (i % rows->column_count == 0) {
            row = json_object();
            failed |= json_array_append_new(list, row) != 0;
        }
        failed |=
            json_object_set_new(row, column->name, json_entry(column, &rows->entries[i])) != 0;
    }
    char *text = failed ? NULL : json_dumps(list, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(list);
    return text;
}

static void print_json(const hr_rows *rows, hr_text *out) {
    char *text = json_text(rows);
    out->failed |= !text;
    if (text) hr_text_printf(out, "%s\n", text);
    free(text);
}

/* ---- Out ---- */

void hr_rows_print(hr_rows *rows, hr_print_format format, hr_text *out) {
    out->failed |= rows->failed;
    if (!out->failed && format == HR_PRINT_CSV) print_csv(rows, out);
    if (!out->failed && format == HR_PRINT_JSON) print_json(rows, out);
    if (!out->failed && format == HR_PRINT_TABLE) print_table(rows, out);
    free_rows(rows);
}

hr_status hr_print_check(hr_print_format format, hr_error *err) {
    if (format == HR_PRINT_TABLE || format == HR_PRINT_CSV || format == HR_PRINT_JSON) return HR_OK;
    return hr_fail(err, HR_EINVAL, "there is no print format number %d", (int)format);
}
