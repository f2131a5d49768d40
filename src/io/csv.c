/* csv.c - the CSV reader: reads the header, lets the caller choose columns, then reads the rows.
 *
 * Rows are scanned into a batch of fields; a full batch is encoded, so that only codes are kept.
 * Columns that are not chosen are skipped. Messages name rows, lines and columns, never a value,
 * because it may identify a person. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_ROW = 64 << 20, ROWS_AT_ONCE = 1 << 16 };

typedef struct {
    hr_reader base;
    hr_read_options options;
    char *name; /* of the file, for messages */
    hr_csv_block block;
    hr_csv_scanner scanner;
    hr_progress progress;
    uint64_t position; /* bytes of the file that were reported as progress */

    size_t row; /* where the row just scanned begins in the block */
    uint64_t line;
    uint64_t blank, blank_line; /* blank lines before the row, and the number of the first one */

    size_t columns;
    char **names;
    uint32_t *place; /* where each column is stored in a row of the batch */
    hr_csv_batch batch;
    hr_table *table; /* NULL while the header is read */
} reader;

/* ---- messages ---- */

typedef struct {
    char text[256];
} place_text;

/* "row 812 (line 813)", or "line 7" where there is no header. */
static place_text say_row(const reader *r, uint64_t line) {
    place_text p;
    unsigned long long l = line;
    if (r->options.no_header)
        snprintf(p.text, sizeof p.text, "line %llu", l);
    else if (!r->table)
        snprintf(p.text, sizeof p.text, "the header (line %llu)", l);
    else
        snprintf(p.text, sizeof p.text, "row %zu (line %llu)", r->table->rows + r->batch.rows + 1,
                 l);
    return p;
}

/* The same for a byte of the row just scanned, with the column of its field. */
static place_text say_place(const reader *r, size_t at, size_t field) {
    const char *bytes = r->block.bytes;
    uint64_t line = r->line;
    for (size_t i = r->row; i < at; i++)
        line += bytes[i] == '\n' || (bytes[i] == '\r' && bytes[i + 1] != '\n');
    place_text p = say_row(r, line);
    size_t used = strlen(p.text);
    if (r->table && !r->options.no_header && field < r->columns)
        snprintf(p.text + used, sizeof p.text - used, ", column '%.150s'", r->names[field]);
    else
        snprintf(p.text + used, sizeof p.text - used, ", field %zu", field + 1);
    return p;
}

static const char *first_line(const reader *r) {
    return r->options.no_header ? "the first line" : "the header";
}

/* What to do about a byte that is not UTF-8. */
static void advise(const reader *r, char *out, size_t room) {
    const hr_csv_block *block = &r->block;
    unsigned byte = (unsigned char)block->bytes[block->bad];
    hr_encoding guess = hr_encoding_guess(block->bytes + block->bad, block->end - block->bad);
    if (block->decoder && *block->decoder->fault)
        snprintf(out, room, "%s", block->decoder->fault);
    else if (block->wide)
        snprintf(
            out, room,
            "byte 0x%02X is not UTF-8, but characters before it are: it is damaged: replace it",
            byte);
    else if (guess == HR_ENCODING_UTF8)
        snprintf(out, room,
                 "byte 0x%02X is not UTF-8, but characters after it are: it is damaged: replace it",
                 byte);
    else if (guess == HR_ENCODING_WINDOWS1252)
        snprintf(out, room,
                 "byte 0x%02X is not UTF-8; if the file is Windows-1252 (Excel in Western Europe), "
                 "say `encoding: windows-1252`",
                 byte);
    else
        snprintf(out, room,
                 "byte 0x%02X is not UTF-8: say `encoding: NAME` (latin-1, windows-1252, utf-16), "
                 "or convert the file with iconv -f NAME -t UTF-8",
                 byte);
}

static void advise_nul(const reader *r, char *out, size_t room) {
    hr_encoding guess = hr_encoding_guess(r->block.bytes + r->row, r->block.end - r->row);
    if (!r->block.decoder && (guess == HR_ENCODING_UTF16LE || guess == HR_ENCODING_UTF16BE))
        snprintf(out, room,
                 "a NUL byte; if the file is UTF-16 (Excel's Unicode text), say `encoding: %s`",
                 hr_encoding_name(guess));
    else
        snprintf(out, room, "a NUL byte: this is not a text file, or it is damaged");
}

static hr_status bad_byte(const reader *r, hr_error *err) {
    size_t bad = r->block.bad;
    char advice[256];
    hr_csv_scanner s = {.delimiter = r->scanner.delimiter};
    hr_csv_start(&s, r->block.bytes, bad, r->row); /* the scan ends in the field with the byte */
    hr_csv_scan(&s, NULL);
    place_text where = say_place(r, bad, s.field_count);
    (r->block.bytes[bad] ? advise : advise_nul)(r, advice, sizeof advice);
    return hr_fail(err, HR_EDATA, "%s: %s: %s", r->name, where.text, advice);
}

static hr_status bad_quote(const reader *r, hr_csv_found found, hr_error *err) {
    place_text where = say_place(r, r->scanner.fault, r->scanner.field_count);
    return hr_fail(
        err, HR_EDATA,
        found == HR_CSV_STRAY
            ? "%s: %s: text follows a closing quote: a quote inside a quoted field is "
              "written twice, and the delimiter comes right after the closing one"
            : "%s: %s: the quote that opens this field is never closed: close it, or, if "
              "it is part of the text, quote the field and write the quote twice",
        r->name, where.text);
}

static hr_status too_long(const reader *r, hr_error *err) {
    return hr_fail(err, HR_EDATA,
                   "%s: %s is longer than %d MiB: probably a quote in it is never closed", r->name,
                   say_row(r, r->line).text, LONGEST_ROW >> 20);
}

static hr_status ragged(const reader *r, hr_error *err) {
    size_t field_count = r->scanner.field_count;
    if (r->columns == 1 && !r->options.no_header)
        return hr_fail(err, HR_EDATA,
                       "%s: %s has %zu fields, the header has 1: if the first line is a title or "
                       "a comment, remove it; if %s is not the delimiter, say `delimiter: "
                       "CHARACTER`; if it is part of the field, quote the field",
                       r->name, say_row(r, r->line).text, field_count,
                       hr_csv_delimiter_name(r->scanner.delimiter));
    return hr_fail(
        err, HR_EDATA,
        "%s: %s has %zu field%s, %s has %zu: correct or remove it (a field with a %s or a "
        "line break in it must be quoted)",
        r->name, say_row(r, r->line).text, field_count, field_count == 1 ? "" : "s", first_line(r),
        r->columns, hr_csv_delimiter_name(r->scanner.delimiter));
}

static hr_status blank_row(const reader *r, hr_error *err) {
    return hr_fail(err, HR_EDATA, "%s: %s is blank, %s has %zu fields: remove the line", r->name,
                   say_row(r, r->blank_line).text, first_line(r), r->columns);
}

/* The error for an SQLite database. Its first bytes are text, so it has to be recognized. */
static hr_status fail_database(const reader *r, hr_error *err) {
    return hr_fail(err, HR_EDATA,
                   "%s is a SQLite database: name one of its tables, as in sqlite:%s?table=NAME",
                   r->name, r->name);
}

/* ---- rows ---- */

/* Reads the next block; the unscanned rest of this one moves to the front. */
static hr_status fill(reader *r, hr_error *err) {
    if (r->block.end - r->scanner.at + 1 >= LONGEST_ROW) return too_long(r, err);
    HR_TRY(hr_csv_block_fill(&r->block, r->scanner.at, err));
    hr_csv_start(&r->scanner, r->block.bytes, r->block.end, 0);
    uint64_t position = r->block.source ? hr_source_position(r->block.source) : r->block.total;
    uint64_t step = position - r->position;
    r->position = position;
    return hr_progress_add(&r->progress, step, err);
}

static hr_status flush(reader *r, hr_error *err) {
    if (r->batch.rows == 0) return HR_OK;
    hr_status status = hr_csv_encode(&r->batch, r->block.bytes, r->table, err);
    return status == HR_EDATA ? hr_fail_prefix(err, status, "%s", r->name) : status;
}

/* There is no further row: the file ends, or the row is malformed. */
static hr_status end_or_fault(const reader *r, hr_csv_found result, hr_error *err) {
    if (r->row == r->block.end) return HR_OK;
    size_t scanned = result == HR_CSV_STRAY ? r->scanner.fault : r->block.end;
    return r->block.bad < scanned ? bad_byte(r, err) : bad_quote(r, result, err);
}

/* Scans a row and reads more of the file until it is whole; *found is false at the end. */
static inline hr_status next_row(reader *r, bool *found, hr_error *err) {
    for (;;) {
        r->row = r->scanner.at;
        r->line = r->scanner.line;
        /* The batch has no room for fields until the header has been read. */
        hr_csv_slice *fields =
            r->batch.fields ? r->batch.fields + r->batch.rows * r->batch.stride : NULL;
        hr_csv_found result = hr_csv_scan(&r->scanner, fields);
        *found = result == HR_CSV_ROW;
        if (*found) return r->scanner.at > r->block.bad ? bad_byte(r, err) : HR_OK;
        if (result == HR_CSV_STRAY || r->block.over) return end_or_fault(r, result, err);
        HR_TRY(flush(r, err));
        HR_TRY(fill(r, err));
    }
}

static inline bool is_blank(const reader *r) {
    char c = r->block.bytes[r->row];
    return c == '\n' || c == '\r';
}

/* Called when blank lines precede the row just scanned. In a table of one column they are rows with
 * an empty value. */
static hr_status keep_blank(reader *r, hr_error *err) {
    if (r->columns > 1) return blank_row(r, err);
    hr_csv_slice last = r->batch.fields[r->batch.rows * r->batch.stride];
    for (; r->blank > 0; r->blank--) {
        r->batch.fields[r->batch.rows * r->batch.stride] = (hr_csv_slice){last.start, 0};
        if (++r->batch.rows == r->batch.room) HR_TRY(flush(r, err));
    }
    r->batch.fields[r->batch.rows * r->batch.stride] = last;
    return HR_OK;
}

/* Reads until the table has `stop` rows, or a few more, or the file ends. */
static hr_status read_rows(reader *r, size_t stop, bool *more, hr_error *err) {
    for (bool found;;) {
        HR_TRY(next_row(r, &found, err));
        *more = found;
        if (!found) return flush(r, err);
        if (is_blank(r)) {
            if (r->blank++ == 0) r->blank_line = r->line;
            continue;
        }
        if (r->blank) HR_TRY(keep_blank(r, err));
        if (r->scanner.field_count != r->columns) return ragged(r, err);
        if (++r->batch.rows < r->batch.room) continue;
        HR_TRY(flush(r, err));
        if (r->table->rows >= stop) return HR_OK;
    }
}

/* ---- header ---- */

static bool begins(const reader *r, const char *mark, size_t length) {
    return r->block.end >= length && !memcmp(r->block.bytes, mark, length);
}

/* Excel's line `sep=;` before the header: returns its length, 0 if there is none. A delimiter that
 * was given counts for more. */
static size_t skip_sep_line(reader *r) {
    const char *bytes = r->block.bytes;
    if (!begins(r, "sep=", 4) && !begins(r, "SEP=", 4) && !begins(r, "Sep=", 4)) return 0;
    if (r->block.end < 6 || !bytes[4] || !strchr(",;\t|", bytes[4])) return 0;
    size_t end = bytes[5] == '\r' ? 6 : 5;
    if (end >= r->block.end || bytes[end] != '\n') return 0;
    if (!r->scanner.delimiter) r->scanner.delimiter = bytes[4];
    r->scanner.line++;
    return end + 1;
}

/* Reads the first block and finds the delimiter. */
static hr_status start_file(reader *r, hr_error *err) {
    HR_TRY(fill(r, err));
    if (begins(r, "SQLite format 3", 16)) return fail_database(r, err);
    if (r->block.foreign) return hr_foreign_fail(r->block.foreign, r->name, err);
    size_t start = skip_sep_line(r);
    if (!r->scanner.delimiter)
        r->scanner.delimiter = hr_csv_detect(r->block.bytes + start, r->block.end - start);
    hr_csv_start(&r->scanner, r->block.bytes, r->block.end, start);
    return HR_OK;
}

/* Scans the first line again, now that its number of fields is known. */
static hr_status rescan(reader *r, hr_csv_slice **fields, hr_error *err) {
    r->columns = r->scanner.field_count;
    r->names = hr_alloc(r->columns, sizeof *r->names, err);
    r->place = hr_alloc(r->columns, sizeof *r->place, err);
    *fields = hr_alloc(r->columns, sizeof **fields, err);
    if (!r->names || !r->place || !*fields) return HR_ENOMEM;
    for (size_t i = 0; i < r->columns; i++)
        r->place[i] = (uint32_t)i;
    r->scanner.place = r->place;
    r->scanner.columns = r->columns;
    r->scanner.line = r->line;
    hr_csv_start(&r->scanner, r->block.bytes, r->block.end, r->row);
    hr_csv_scan(&r->scanner, *fields);
    return HR_OK;
}

static hr_status copy_name(reader *r, hr_csv_slice field, size_t i, hr_error *err) {
    char number[24];
    char *text = r->block.bytes + field.start;
    size_t length = field.length & ~HR_CSV_DOUBLED;
    if (field.length & HR_CSV_DOUBLED) length = hr_csv_unquote(text, length);
    if (r->options.no_header) {
        length = (size_t)snprintf(number, sizeof number, "%zu", i);
        text = number;
    }
    r->names[i] = hr_copy_text(text, length, err);
    if (!r->names[i]) return HR_ENOMEM;
    if (!hr_same_name(r->names[i], "")) return HR_OK;
    if (r->columns == 1)
        return hr_fail(err, HR_EDATA, "%s: the first line is blank: remove it", r->name);
    return hr_fail(err, HR_EDATA,
                   "%s: column %zu has no name: give every column of the header a name, and remove "
                   "lines above the header",
                   r->name, i + 1);
}

static hr_status copy_names(reader *r, const hr_csv_slice *fields, hr_error *err) {
    /* Without a header the first line is data, which unquoting would change. */
    for (size_t i = 0; i < r->columns; i++) {
        hr_csv_slice field = r->options.no_header ? (hr_csv_slice){0} : fields[i];
        HR_TRY(copy_name(r, field, i, err));
    }
    return hr_header_check(r->name, (const char *const *)r->names, r->columns, r->options.alike,
                           err);
}

/* True if only line ends follow, from the row just scanned on. */
static bool only_blank(const reader *r) {
    size_t at = r->row;
    while (at < r->block.end && (r->block.bytes[at] == '\n' || r->block.bytes[at] == '\r'))
        at++;
    return r->block.over && at == r->block.end;
}

static hr_status empty_file(const reader *r, hr_error *err) {
    return hr_fail(err, HR_EDATA, "%s is empty: it must have %s", r->name,
                   r->options.no_header ? "at least one line" : "a header and at least one row");
}

static hr_status read_header(reader *r, hr_error *err) {
    HR_TRY(start_file(r, err));
    bool found;
    HR_TRY(next_row(r, &found, err));
    if (!found || only_blank(r)) return empty_file(r, err);
    hr_csv_slice *fields = NULL;
    hr_status status = rescan(r, &fields, err);
    if (status == HR_OK) status = copy_names(r, fields, err);
    free(fields);
    if (!r->options.no_header) return status;
    r->scanner.line = r->line;
    hr_csv_start(&r->scanner, r->block.bytes, r->block.end, r->row);
    return status;
}

/* ---- the reader ---- */

static hr_status start(hr_reader *base, const bool *keep, hr_error *err) {
    reader *r = (reader *)base;
    size_t count = 0, next = 0;
    for (size_t i = 0; i < r->columns; i++)
        count += keep[i];
    for (size_t i = 0; i < r->columns; i++)
        r->place[i] = (uint32_t)(keep[i] ? next++ : count);
    return hr_csv_batch_init(&r->batch, count, err);
}

static hr_status next(hr_reader *base, hr_table *table, bool *more, hr_error *err) {
    reader *r = (reader *)base;
    r->table = table;
    HR_TRY(read_rows(r, table->rows + ROWS_AT_ONCE, more, err));
    if (*more) return HR_OK;
    if (table->rows == 0) return hr_fail(err, HR_EDATA, "%s has a header but no rows", r->name);
    table->delimiter = r->scanner.delimiter;
    hr_progress_end(&r->progress);
    return HR_OK;
}

static void close_reader(hr_reader *base) {
    reader *r = (reader *)base;
    for (size_t i = 0; r->names && i < r->columns; i++)
        free(r->names[i]);
    free(r->names);
    free(r->place);
    hr_csv_batch_free(&r->batch);
    hr_csv_block_free(&r->block);
    hr_source_close(r->block.source);
    free(r->name);
    free(r);
}

static hr_status check_options(const hr_read_options *options, hr_error *err) {
    char d = options->delimiter;
    if (d == '"' || d == '\n' || d == '\r' || (unsigned char)d >= 0x80)
        return hr_fail(
            err, HR_EINVAL,
            "the delimiter must be one ASCII character other than a quote or a line break");
    return HR_OK;
}

static hr_status new_reader(const char *name, const hr_read_options *options, reader **out,
                            hr_error *err) {
    reader *r = hr_alloc(1, sizeof *r, err);
    if (!r) return HR_ENOMEM;
    if (options) r->options = *options;
    r->name = hr_copy_text(name, strlen(name), err);
    if (!r->name) {
        free(r);
        return HR_ENOMEM;
    }
    *out = r;
    return HR_OK;
}

/* Reads the header. `size`: bytes of the file. */
static hr_status begin(reader *r, uint64_t size, hr_error *err) {
    HR_TRY(check_options(&r->options, err));
    r->scanner = (hr_csv_scanner){.delimiter = r->options.delimiter, .line = 1};
    hr_progress_start(&r->progress, r->options.watch, "read", size);
    r->block.encoding = r->options.encoding;
    r->block.utf8_first = r->options.utf8_first;
    HR_TRY(hr_csv_block_init(&r->block, r->options.block, err));
    HR_TRY(read_header(r, err));
    r->base = (hr_reader){.name = r->name,
                          .names = (const char *const *)r->names,
                          .column_count = r->columns,
                          .start = start,
                          .next = next,
                          .close = close_reader};
    return HR_OK;
}

hr_status hr_csv_open_reader(const char *path, const hr_read_options *options, hr_reader **out,
                             hr_error *err) {
    reader *r = NULL;
    HR_TRY(new_reader(strcmp(path, "-") ? path : "standard input", options, &r, err));
    hr_status status = hr_source_open(path, r->options.watch, &r->block.source, err);
    if (status == HR_OK) status = begin(r, hr_source_size(r->block.source), err);
    if (status == HR_OK)
        *out = &r->base;
    else
        close_reader(&r->base);
    return status;
}

hr_status hr_csv_read(const char *path, const hr_read_options *options, hr_table **out,
                      hr_error *err) {
    hr_reader *opened;
    *out = NULL;
    HR_TRY(hr_csv_open_reader(path, options, &opened, err));
    hr_status status = hr_reader_load(opened, options, out, err);
    opened->close(opened);
    return status;
}

hr_status hr_csv_parse(const char *bytes, size_t length, const char *name,
                       const hr_read_options *options, hr_table **out, hr_error *err) {
    reader *r = NULL;
    *out = NULL;
    HR_TRY(new_reader(name, options, &r, err));
    r->block.memory = bytes;
    r->block.memory_left = length;
    hr_status status = begin(r, length, err);
    if (status == HR_OK) status = hr_reader_load(&r->base, options, out, err);
    close_reader(&r->base);
    return status;
}
