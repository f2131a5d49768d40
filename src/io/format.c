/* format.c - the table of formats, and what all of them share: reading a whole table through a
 * reader, opening a writer, and the public functions that read and write tables. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

static bool takes_every_path(const char *address) {
    (void)address;
    return true;
}

static const hr_option csv_options[] = {
    {.name = "delimiter",
     .help = "character between the fields of the input, or tab (detected)",
     .type = HR_OPTION_CHARACTER,
     .offset = offsetof(hr_format_options, delimiter)},
    {.name = "decimal",
     .help = "sign before the decimals of numbers in the input and the release (.)",
     .type = HR_OPTION_CHOICE,
     .offset = offsetof(hr_format_options, decimal),
     .choices = ".|,"},
    {.name = "output-delimiter",
     .help = "character between the fields of the release, or tab (as in the input)",
     .type = HR_OPTION_CHARACTER,
     .offset = offsetof(hr_format_options, output_delimiter),
     .commands = "anonymize check"},
    {.name = "bom",
     .help = "begin the release with a byte-order mark, so that Excel reads it as UTF-8",
     .type = HR_OPTION_BOOL,
     .offset = offsetof(hr_format_options, bom),
     .commands = "anonymize"},
    {.name = "crlf",
     .help = "end the lines of the release as Windows does",
     .type = HR_OPTION_BOOL,
     .offset = offsetof(hr_format_options, crlf),
     .commands = "anonymize"},
    {0},
};

const hr_format hr_format_csv = {
    .name = "csv",
    .title = "comma-separated values (also ; tab |), plain, gzip or zstd",
    .reference = "RFC 4180",
    .options = csv_options,
    .takes = takes_every_path,
    .parse = hr_address_of_path,
    .open_reader = hr_csv_open_reader,
    .open_writer = hr_csv_open_writer,
};

/* The first format takes all addresses that no other format takes. */
const hr_format *const hr_formats[] = {&hr_format_csv, &hr_format_sqlite, &hr_format_postgres,
                                       NULL};

const hr_format *hr_format_for(const char *address) {
    for (size_t i = 1; hr_formats[i]; i++)
        if (hr_formats[i]->takes(address)) return hr_formats[i];
    return hr_formats[0];
}

char hr_format_point(const hr_format_options *options, const hr_column *column) {
    bool number = column && (column->format || column->declared);
    return options->decimal && !number ? ',' : '.';
}

/* ---- reading ---- */

/* Fails if two names are equal. The message does not contain the name, because in a file without a
 * header it is a value of the first row. */
static hr_status find_equal_names(const char *name, const char *const *names, size_t count,
                                  bool alike, hr_map64 *known, hr_error *err) {
    for (size_t i = 0; i < count; i++) {
        uint64_t hash = alike ? hr_hash(names[i], strlen(names[i])) : hr_name_hash(names[i]);
        uint32_t first;
        HR_TRY(hr_map64_intern(known, hash, &first, err));
        if (first < i && !name)
            return hr_fail(err, HR_EINVAL,
                           "columns %u and %zu of the table have the same name: rename one of them",
                           first + 1, i + 1);
        if (first < i)
            return hr_fail(
                err, HR_EDATA,
                "%s: columns %u and %zu have the same name: rename one of them, or add a "
                "header if the first line is none",
                name, first + 1, i + 1);
    }
    return HR_OK;
}

hr_status hr_header_check(const char *name, const char *const *names, size_t count, bool alike,
                          hr_error *err) {
    hr_map64 known = {0};
    hr_status status = find_equal_names(name, names, count, alike, &known, err);
    hr_map64_free(&known);
    return status;
}

/* Lets the caller choose columns and creates a table of these. */
static hr_status choose(hr_reader *reader, const hr_read_options *options, bool *keep,
                        const char **kept, hr_table **out, hr_error *err) {
    size_t count = 0;
    bool all = !options || !options->choose;
    for (size_t i = 0; i < reader->column_count; i++)
        keep[i] = all;
    if (!all)
        HR_TRY(options->choose(reader->names, reader->column_count, keep, options->payload, err));
    for (size_t i = 0; i < reader->column_count; i++)
        if (keep[i]) kept[count++] = reader->names[i];
    HR_TRY(reader->start(reader, keep, err));
    return hr_table_new(count, kept, out, err);
}

static hr_status read_rows(hr_reader *reader, hr_table *table, hr_error *err) {
    for (bool more = true; more;)
        HR_TRY(reader->next(reader, table, &more, err));
    for (size_t i = 0; i < table->column_count; i++)
        hr_column_shrink(&table->columns[i]);
    table->source = hr_copy_text(reader->name, strlen(reader->name), err);
    return table->source ? HR_OK : HR_ENOMEM;
}

hr_status hr_reader_load(hr_reader *reader, const hr_read_options *options, hr_table **out,
                         hr_error *err) {
    bool *keep = hr_alloc(reader->column_count, sizeof *keep, err);
    const char **kept = hr_alloc(reader->column_count, sizeof *kept, err);
    hr_table *table = NULL;
    hr_status status = keep && kept ? choose(reader, options, keep, kept, &table, err) : HR_ENOMEM;
    free(keep);
    free(kept);
    if (status == HR_OK) status = read_rows(reader, table, err);
    if (status == HR_OK)
        *out = table;
    else
        hr_table_free(table);
    return status;
}

hr_status hr_table_load(const char *address, const hr_read_options *options, hr_table **out,
                        hr_error *err) {
    hr_reader *reader;
    *out = NULL;
    HR_TRY(hr_format_for(address)->open_reader(address, options, &reader, err));
    hr_status status = hr_reader_load(reader, options, out, err);
    reader->close(reader);
    return status;
}

hr_status hr_table_read(const char *path, hr_table **out, hr_error *err) {
    hr_read_options options = {0};
    return hr_table_load(path, &options, out, err);
}

/* ---- writing ---- */

hr_status hr_writer_open(const char *address, const hr_write_options *options, hr_writer **out,
                         hr_error *err) {
    *out = NULL;
    return hr_format_for(address)->open_writer(address, options, out, err);
}

hr_status hr_output_check(const char *address, const hr_write_options *options, hr_error *err) {
    const hr_format *format = hr_format_for(address);
    return format->check_output ? format->check_output(address, options, err) : HR_OK;
}

hr_status hr_table_write(const hr_table *table, const char *path, hr_error *err) {
    hr_writer *writer;
    HR_TRY(hr_writer_open(path, &(hr_write_options){0}, &writer, err));
    hr_status status = writer->append(writer, table, err);
    if (status == HR_OK) return writer->commit(writer, err);
    writer->discard(writer);
    return status;
}
