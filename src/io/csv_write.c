/* csv_write.c - a table as CSV. Whether a text needs quotes is decided once for each entry of a
 * dictionary, not for each cell; a row is then little more than a copy of its texts. What is written
 * reads back as the same table: that is why an empty value that is a whole row is written as "". */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

static bool needs_quotes(const char *text, size_t length, char delimiter) {
    for (size_t i = 0; i < length; i++)
        if (text[i] == delimiter || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
            return true;
    return length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3); /* or it would be skipped as a mark */
}

static void add_quoted(hr_output *output, const char *text, size_t length) {
    hr_output_add(output, "\"", 1);
    const char *end = text + length;
    while (text < end) {
        const char *quote = memchr(text, '"', (size_t)(end - text));
        const char *stop = quote ? quote + 1 : end;
        hr_output_add(output, text, (size_t)(stop - text));
        if (quote) hr_output_add(output, "\"", 1);
        text = stop;
    }
    hr_output_add(output, "\"", 1);
}

void hr_csv_field(hr_output *output, const char *text, size_t length, char delimiter) {
    if (needs_quotes(text, length, delimiter))
        add_quoted(output, text, length);
    else
        hr_output_add(output, text, length);
}

/* Names with any of the usual delimiters are quoted, lest a reader take it for the delimiter. */
static void add_header(hr_output *output, const hr_table *table) {
    for (size_t i = 0; i < table->column_count; i++) {
        const char *name = table->columns[i].name;
        if (i > 0) hr_output_add(output, &table->delimiter, 1);
        if (strpbrk(name, ",;\t|"))
            add_quoted(output, name, strlen(name));
        else
            hr_csv_field(output, name, strlen(name), table->delimiter);
    }
    hr_output_add(output, "\n", 1);
}

/* quote[code]: the text is written with quotes. */
static bool *find_quoted(const hr_table *table, const hr_column *column, hr_error *err) {
    const hr_dictionary *d = &column->dictionary;
    bool *quote = hr_alloc(d->count, sizeof *quote, err);
    for (uint32_t code = 0; quote && code < d->count; code++) {
        size_t length = hr_dictionary_length(d, code);
        quote[code] = needs_quotes(hr_dictionary_text(d, code), length, table->delimiter) ||
                      (length == 0 && table->column_count == 1);
    }
    return quote;
}

static void add_cell(hr_output *output, const hr_column *column, size_t row, const bool *quote) {
    uint32_t code = hr_column_code(column, row);
    const char *text = hr_dictionary_text(&column->dictionary, code);
    size_t length = hr_dictionary_length(&column->dictionary, code);
    if (quote[code])
        add_quoted(output, text, length);
    else
        hr_output_add(output, text, length);
}

static void add_rows(hr_output *output, const hr_table *table, bool *const *quote) {
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t i = 0; i < table->column_count; i++) {
            if (i > 0) hr_output_add(output, &table->delimiter, 1);
            add_cell(output, &table->columns[i], row, quote[i]);
        }
        hr_output_add(output, "\n", 1);
    }
}

void hr_csv_rows(hr_output *output, const hr_table *table) {
    hr_error err = {0};
    size_t ready = 0;
    bool **quote = hr_alloc(table->column_count, sizeof *quote, &err);
    for (; quote && ready < table->column_count; ready++)
        if (!(quote[ready] = find_quoted(table, &table->columns[ready], &err))) break;
    if (quote && ready == table->column_count) {
        add_header(output, table);
        add_rows(output, table, quote);
    } else {
        hr_output_fail(output, &err);
    }
    for (size_t i = 0; i < ready; i++)
        free(quote[i]);
    free(quote);
}
