/* format.c - the table of formats, and the public functions that read and write tables. */
#include "io/io.h"

#include <string.h>

static const hr_format csv = {
    .name = "csv",
    .title = "comma-separated values (also ; tab |), plain, gzip or zstd",
    .reference = "RFC 4180",
    .suffixes = ".csv .tsv .txt",
    .read = hr_csv_read,
    .write = hr_csv_rows,
};

/* The first format is the default. */
const hr_format *const hr_formats[] = {&csv, NULL};

static bool has_suffix(const char *path, const char *suffix, size_t length) {
    size_t whole = strlen(path);
    return whole >= length && !memcmp(path + whole - length, suffix, length);
}

static bool is_for(const hr_format *format, const char *path) {
    for (const char *c = format->suffixes; *c; c += strspn(c, " ")) {
        size_t length = strcspn(c, " ");
        if (has_suffix(path, c, length)) return true;
        c += length;
    }
    return false;
}

const hr_format *hr_format_for(const char *path) {
    for (size_t i = 0; hr_formats[i]; i++)
        if (is_for(hr_formats[i], path)) return hr_formats[i];
    return hr_formats[0];
}

hr_status hr_table_read(const char *path, hr_table **out, hr_error *err) {
    hr_read_options options = {0};
    return hr_format_for(path)->read(path, &options, out, err);
}

hr_status hr_table_write(const hr_table *table, const char *path, hr_error *err) {
    hr_output *output;
    HR_TRY(hr_output_open(path, NULL, &output, err));
    hr_format_for(path)->write(output, table);
    return hr_output_commit(output, err);
}
