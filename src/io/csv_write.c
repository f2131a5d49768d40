/* csv_write.c - writes a table as CSV. Whether a text needs quotes is decided once per dictionary
 * entry, not per field, and the dictionaries give the length of the longest possible row; so a row
 * is written by copying its texts without further checks. The file reads back as the same table:
 * for that reason an empty value that is a whole row is written as "". */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

static bool needs_quotes(const char *text, size_t length, char delimiter) {
    for (size_t i = 0; i < length; i++)
        if (text[i] == delimiter || text[i] == '"' || text[i] == '\n' || text[i] == '\r')
            return true;
    return length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3); /* readers skip a byte order mark */
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

void hr_csv_text(hr_text *out, const char *text, char delimiter) {
    bool quoted = needs_quotes(text, strlen(text), delimiter);
    if (quoted) hr_text_puts(out, "\"");
    for (const char *c = text; *c; c++)
        hr_text_add(out, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    if (quoted) hr_text_puts(out, "\"");
}

/* How a file is written. */
typedef struct {
    char delimiter;
    bool bom, crlf;
} notation;

/* Names that contain any common delimiter are quoted, so that a reader detects the right one. */
static void add_header(hr_output *output, const hr_table *table, const notation *n) {
    if (n->bom) hr_output_puts(output, "\xef\xbb\xbf");
    for (size_t i = 0; i < table->column_count; i++) {
        const char *name = table->columns[i].name;
        if (i > 0) hr_output_add(output, &n->delimiter, 1);
        if (strpbrk(name, ",;\t|"))
            add_quoted(output, name, strlen(name));
        else
            hr_csv_field(output, name, strlen(name), n->delimiter);
    }
    hr_output_puts(output, n->crlf ? "\r\n" : "\n");
}

/* ---- rows ---- */

enum { BATCH_ROWS = 256, BATCH_CODES = 1 << 15, CHUNK = 1 << 16 };

typedef struct {
    const hr_table *table;
    notation notation;
    bool **quote;    /* quote[column][code]: the text is written with quotes */
    size_t longest;  /* bytes of the longest possible row */
    size_t batch;    /* rows whose codes are fetched together */
    uint32_t *codes; /* `batch` codes of each column */
    char *chunk;     /* rows not yet written: CHUNK bytes and room for one more row */
} writer;

static hr_status find_quoted(writer *w, size_t i, hr_error *err) {
    const hr_dictionary *d = &w->table->columns[i].dictionary;
    size_t longest = 0;
    w->quote[i] = hr_alloc(d->count, sizeof *w->quote[i], err);
    if (!w->quote[i]) return HR_ENOMEM;
    for (uint32_t code = 0; code < d->count; code++) {
        size_t length = hr_dictionary_length(d, code);
        const char *text = hr_dictionary_text(d, code);
        /* In a table of one column a reader cannot detect the delimiter. */
        bool alone = w->table->column_count == 1 && (length == 0 || strpbrk(text, ",;\t|"));
        bool quote = alone || needs_quotes(text, length, w->notation.delimiter);
        size_t room = quote ? length * 2 + 2 : length;
        w->quote[i][code] = quote;
        if (room > longest) longest = room;
    }
    w->longest += longest + 1; /* with the delimiter */
    return HR_OK;
}

static hr_status prepare(writer *w, const hr_table *table, hr_error *err) {
    w->table = table;
    w->longest = 2; /* the line end */
    w->batch = BATCH_CODES / (table->column_count + 1);
    if (w->batch > BATCH_ROWS) w->batch = BATCH_ROWS;
    if (w->batch == 0) w->batch = 1;
    w->codes = hr_alloc_raw(w->batch * table->column_count, sizeof *w->codes, err);
    w->quote = hr_alloc(table->column_count, sizeof *w->quote, err);
    if (!w->codes || !w->quote) return HR_ENOMEM;
    for (size_t i = 0; i < table->column_count; i++)
        HR_TRY(find_quoted(w, i, err));
    w->chunk = hr_alloc_raw(CHUNK + w->longest, 1, err);
    return w->chunk ? HR_OK : HR_ENOMEM;
}

static void release(writer *w) {
    for (size_t i = 0; w->quote && i < w->table->column_count; i++)
        free(w->quote[i]);
    free(w->quote);
    free(w->codes);
    free(w->chunk);
}

static char *put_quoted(char *to, const char *text, size_t length) {
    *to++ = '"';
    for (const char *end = text + length; text < end; text++) {
        *to++ = *text;
        if (*text == '"') *to++ = '"';
    }
    *to++ = '"';
    return to;
}

static inline char *put_field(char *to, const hr_dictionary *d, uint32_t code, const bool *quote) {
    const char *text = d->bytes + d->offset[code];
    size_t end = code + 1 < d->count ? d->offset[code + 1] : d->bytes_used;
    size_t length = end - d->offset[code] - 1;
    if (quote[code]) return put_quoted(to, text, length);
    memcpy(to, text, length);
    return to + length;
}

/* Stores row `row` of the current batch at `to`; returns the end. */
static char *put_row(const writer *w, char *to, size_t row) {
    const hr_table *table = w->table;
    for (size_t i = 0; i < table->column_count; i++) {
        to =
            put_field(to, &table->columns[i].dictionary, w->codes[i * w->batch + row], w->quote[i]);
        *to++ = w->notation.delimiter;
    }
    if (table->column_count > 0) to--;
    if (w->notation.crlf) *to++ = '\r';
    *to++ = '\n';
    return to;
}

static void add_rows(const writer *w, hr_output *output) {
    const hr_table *table = w->table;
    char *to = w->chunk;
    for (size_t first = 0; first < table->rows; first += w->batch) {
        size_t count = table->rows - first < w->batch ? table->rows - first : w->batch;
        for (size_t i = 0; i < table->column_count; i++)
            hr_column_map(&table->columns[i], first, count, NULL, w->codes + i * w->batch);
        for (size_t row = 0; row < count; row++) {
            to = put_row(w, to, row);
            if (to - w->chunk < CHUNK) continue;
            hr_output_add(output, w->chunk, (size_t)(to - w->chunk));
            to = w->chunk;
        }
    }
    hr_output_add(output, w->chunk, (size_t)(to - w->chunk));
}

static void put_table(hr_output *output, const hr_table *table, notation n, bool header) {
    hr_error err = {0};
    if (!n.delimiter) n.delimiter = table->delimiter;
    writer w = {.notation = n};
    if (prepare(&w, table, &err) == HR_OK) {
        if (header) add_header(output, table, &n);
        add_rows(&w, output);
    } else {
        hr_output_fail(output, &err);
    }
    release(&w);
}

void hr_csv_release(hr_output *output, const hr_table *table, const hr_write_options *options) {
    put_table(output, table, (notation){options->delimiter, options->bom, options->crlf}, true);
}

/* ---- the writer of the format ---- */

typedef struct {
    hr_writer base;
    hr_output *output;
    notation notation;
    bool begun; /* the header was written */
} file_writer;

/* The output keeps a failure until it is finished. */
static hr_status append(hr_writer *base, const hr_table *table, hr_error *err) {
    file_writer *w = (file_writer *)base;
    (void)err;
    put_table(w->output, table, w->notation, !w->begun);
    w->begun = true;
    return HR_OK;
}

static hr_status finish(hr_writer *base, hr_error *err) {
    return hr_output_finish(((file_writer *)base)->output, err);
}

static hr_status commit(hr_writer *base, hr_error *err) {
    hr_status status = hr_output_commit(((file_writer *)base)->output, err);
    free(base);
    return status;
}

static void discard(hr_writer *base) {
    hr_output_discard(((file_writer *)base)->output);
    free(base);
}

hr_status hr_csv_open_writer(const char *path, const hr_write_options *options, hr_writer **out,
                             hr_error *err) {
    file_writer *w = hr_alloc(1, sizeof *w, err);
    if (!w) return HR_ENOMEM;
    w->notation = (notation){options->delimiter, options->bom, options->crlf};
    hr_status status = (options->private ? hr_output_open_private
                                         : hr_output_open)(path, options->watch, &w->output, err);
    if (status != HR_OK) {
        free(w);
        return status;
    }
    w->base = (hr_writer){.direct = hr_output_is_direct(w->output),
                          .append = append,
                          .finish = finish,
                          .commit = commit,
                          .discard = discard};
    *out = &w->base;
    return HR_OK;
}
