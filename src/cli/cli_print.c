/* cli_print.c - the output of commands: rows of entries, kept until the widths of the columns are
 * known, then printed as an aligned table for people, or as CSV or JSON for programs. */
#include "cli/cli.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text for a terminal ---- */

size_t cli_width(const char *text) {
    size_t width = 0;
    for (const char *c = text; *c; c++)
        width += ((unsigned char)*c & 0xc0) != 0x80;
    return width;
}

/* ---- Entries ---- */

void cli_rows_start(cli_rows *rows, const cli_column *columns, size_t column_count) {
    *rows = (cli_rows){.columns = columns, .column_count = column_count};
}

static void add(cli_rows *rows, cli_entry entry) {
    if (!rows->failed && hr_grow(&rows->entries, &rows->entry_capacity, rows->entry_count + 1,
                                 sizeof *rows->entries, NULL) == HR_OK) {
        rows->entries[rows->entry_count++] = entry;
        return;
    }
    rows->failed = true;
    free(entry.text);
}

void cli_add_text(cli_rows *rows, const char *text) {
    char *copy = hr_copy_text(text, strlen(text), NULL);
    if (!copy) rows->failed = true;
    add(rows, (cli_entry){.text = copy, .given = true});
}

void cli_add_count(cli_rows *rows, int64_t count) {
    add(rows, (cli_entry){.count = count, .given = true});
}

void cli_add_real(cli_rows *rows, double real) {
    add(rows, (cli_entry){.real = real, .given = !isnan(real)});
}

void cli_add_none(cli_rows *rows) {
    add(rows, (cli_entry){.given = false});
}

void cli_rows_free(cli_rows *rows) {
    for (size_t i = 0; i < rows->entry_count; i++)
        free(rows->entries[i].text);
    free(rows->entries);
    *rows = (cli_rows){0};
}

static const cli_column *column_of(const cli_rows *rows, size_t entry) {
    assert(rows->column_count > 0);
    return &rows->columns[entry % rows->column_count];
}

/* ---- Table ---- */

static void table_text(const cli_column *column, const cli_entry *entry, hr_text *out) {
    if (!entry->given)
        hr_text_puts(out, "-");
    else if (column->type == CLI_TEXT)
        hr_plain_text(out, entry->text);
    else if (column->type == CLI_COUNT)
        hr_text_printf(out, "%lld", (long long)entry->count);
    else
        hr_text_printf(out, "%.*f", column->digits, entry->real);
}

/* Appends one entry with its padding; a text in the last column is not padded. */
static void add_padded(const cli_rows *rows, size_t i, const char *text, const size_t *width,
                       hr_text *out) {
    size_t place = i % rows->column_count;
    bool last = place + 1 == rows->column_count;
    int padding = (int)(width[place] - cli_width(text));
    bool right = rows->columns[place].type != CLI_TEXT;
    hr_text_printf(out, "%*s%s%*s%s", right ? padding : 0, "", text, right || last ? 0 : padding,
                   "", last ? "\n" : "  ");
}

static void print_table(const cli_rows *rows, hr_text *out) {
    size_t *width = hr_alloc(rows->column_count, sizeof *width, NULL);
    hr_text entry = {0};
    for (size_t i = 0; width && i < rows->column_count; i++)
        width[i] = cli_width(rows->columns[i].name);
    for (int pass = 0; width && pass < 2; pass++) { /* measure, then write */
        for (size_t i = 0; pass == 1 && i < rows->column_count; i++)
            add_padded(rows, i, rows->columns[i].name, width, out);
        for (size_t i = 0; i < rows->entry_count; i++) {
            entry.length = 0;
            hr_text_puts(&entry, "");
            table_text(column_of(rows, i), &rows->entries[i], &entry);
            if (entry.failed) break;
            size_t *widest = &width[i % rows->column_count], wide = cli_width(entry.data);
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

static void print_csv(const cli_rows *rows, hr_output *out) {
    for (size_t i = 0; i < rows->column_count; i++) {
        if (i > 0) hr_output_puts(out, ",");
        hr_csv_field(out, rows->columns[i].name, strlen(rows->columns[i].name), ',');
    }
    hr_output_puts(out, "\n");
    for (size_t i = 0; i < rows->entry_count; i++) {
        const cli_entry *entry = &rows->entries[i];
        cli_type type = column_of(rows, i)->type;
        char number[64] = "";
        if (entry->given && type == CLI_COUNT)
            snprintf(number, sizeof number, "%lld", (long long)entry->count);
        if (entry->given && type == CLI_REAL) snprintf(number, sizeof number, "%.15g", entry->real);
        const char *text = entry->given && type == CLI_TEXT ? entry->text : number;
        hr_csv_field(out, text, strlen(text), ',');
        hr_output_puts(out, (i + 1) % rows->column_count ? "," : "\n");
    }
}

static json_t *json_entry(const cli_column *column, const cli_entry *entry) {
    if (!entry->given) return json_null();
    switch (column->type) {
    case CLI_COUNT: return json_integer(entry->count);
    case CLI_REAL: return json_real(entry->real);
    default: break;
    }
    json_t *text = json_string(entry->text);
    return text ? text : json_string("(not UTF-8)");
}

static char *print_json(const cli_rows *rows) {
    json_t *list = json_array(), *row = NULL;
    bool failed = !list;
    for (size_t i = 0; i < rows->entry_count; i++) {
        const cli_column *column = column_of(rows, i);
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

/* ---- Out ---- */

static hr_status print_rows(const cli_rows *rows, cli_format format, hr_output *out) {
    if (format == CLI_CSV) {
        print_csv(rows, out);
        return HR_OK;
    }
    hr_text text = {0};
    if (format == CLI_JSON)
        text.data = print_json(rows);
    else
        print_table(rows, &text);
    bool failed = text.failed || !text.data;
    if (!failed) hr_output_puts(out, text.data);
    if (!failed && format == CLI_JSON) hr_output_puts(out, "\n");
    hr_text_free(&text);
    return failed ? HR_ENOMEM : HR_OK;
}

hr_status cli_rows_print(cli_rows *rows, cli_format format, hr_error *err) {
    return cli_rows_write(rows, format, "-", NULL, err);
}

hr_status cli_rows_write(cli_rows *rows, cli_format format, const char *path, const hr_watch *watch,
                         hr_error *err) {
    hr_output *out = NULL;
    hr_status status = rows->failed ? HR_ENOMEM : hr_output_open_private(path, watch, &out, err);
    if (status == HR_OK) status = print_rows(rows, format, out);
    cli_rows_free(rows);
    if (status == HR_ENOMEM) (void)hr_fail(err, HR_ENOMEM, "out of memory");
    if (status == HR_OK) return hr_output_commit(out, err);
    hr_output_discard(out);
    return status;
}
