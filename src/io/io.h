/* io.h - tables in and out: the format table, the CSV reader and writer, compressed input, and
 * outputs that appear whole or not at all. Knows tables only: a hierarchy file is itself a table. */
#ifndef HR_IO_H
#define HR_IO_H

#include "data/data.h"

typedef struct {
    char delimiter; /* 0: found among , ; tab | */
    bool no_header; /* columns are then named "0", "1", ... */
    /* Called once with the header's names, before any row: fill keep[i]; a column that is not kept
     * is passed over while reading, never encoded. NULL keeps all. */
    hr_status (*choose)(const char *const *names, size_t count, bool *keep, void *payload,
                        hr_error *err);
    void *payload;
    const hr_watch *watch; /* progress in bytes of the file; may be NULL */
} hr_read_options;

/* ---- output.c: a file that appears whole or not at all ---- */

typedef struct hr_output hr_output;

/* Open a temporary file beside `path` ("-" : standard output, which cannot be taken back). */
hr_status hr_output_open(const char *path, hr_output **out, hr_error *err);
/* Buffered. Failures are kept and told by hr_output_commit. */
void hr_output_add(hr_output *output, const char *bytes, size_t length);
void hr_output_puts(hr_output *output, const char *text);
/* Flush to disk (so that a full disk is told here), but do not let the file appear yet. */
hr_status hr_output_finish(hr_output *output, hr_error *err);
/* Finish, then rename over `path`. Frees the output, also on failure. */
hr_status hr_output_commit(hr_output *output, hr_error *err);
/* Remove the temporary file. Frees the output; NULL is fine. */
void hr_output_discard(hr_output *output);

/* ---- source.c: bytes of a plain, gzip or zstd file, told apart by content ---- */

typedef struct hr_source hr_source;

/* "-" is standard input. */
hr_status hr_source_open(const char *path, hr_source **out, hr_error *err);
/* Up to `room` bytes; *got 0 at the end. A truncated compressed file is an error. */
hr_status hr_source_read(hr_source *source, char *bytes, size_t room, size_t *got, hr_error *err);
uint64_t hr_source_position(const hr_source *source); /* bytes of the file consumed so far */
uint64_t hr_source_size(const hr_source *source);     /* of the file, 0 if unknown */
void hr_source_close(hr_source *source);

/* ---- csv.c, csv_write.c ---- */

hr_status hr_csv_read(const char *path, const hr_read_options *options, hr_table **out,
                      hr_error *err);
/* Parse a table that is already in memory; `name` is used in messages. */
hr_status hr_csv_parse(const char *bytes, size_t length, const char *name,
                       const hr_read_options *options, hr_table **out, hr_error *err);
/* One field, quoted where it must be. */
void hr_csv_field(hr_output *output, const char *text, size_t length, char delimiter);
/* Header and rows. */
void hr_csv_rows(hr_output *output, const hr_table *table);

/* ---- format.c: the plug-in table ---- */

typedef struct {
    const char *name, *title, *reference;
    const hr_option *options;
    const char *suffixes; /* ".csv .tsv .txt"; "" is the default for anything else */
    hr_status (*read)(const char *path, const hr_read_options *options, hr_table **out,
                      hr_error *err);
    void (*write)(hr_output *output, const hr_table *table);
} hr_format;

extern const hr_format *const hr_formats[]; /* ends with NULL */
const hr_format *hr_format_for(const char *path);

#endif
