/* trace.c - the owner's record of what became of every input row, as a table: row, class, cluster,
 * status, out. It must never be released. `check` reads it to pair released rows with originals. A
 * trace of another release would pair them at random, so two signs of it are checked: rows that do
 * not exist, and classes that differ from those of the masked file (hr_verify). */
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* ---- writing ---- */

enum { NUMBER_ROOM = 12 };

/* The text of `number` plus 1, written at the end of `room`. */
static const char *from_one(char room[NUMBER_ROOM], uint32_t number) {
    char *at = room + NUMBER_ROOM - 1;
    uint64_t left = (uint64_t)number + 1;
    *at = '\0';
    for (; left > 0; left /= 10)
        *--at = (char)('0' + left % 10);
    return at;
}

static const char *const names[] = {"row", "class", "cluster", "status", "out"};

/* The fields of an input row, with texts in `room`. */
static void fill_fields(uint32_t row, uint32_t place, uint32_t class, uint32_t cluster,
                        char room[4][NUMBER_ROOM], const char *fields[5]) {
    bool kept = place != HR_NONE;
    fields[0] = from_one(room[0], row);
    fields[1] = kept ? from_one(room[1], class) : NULL;
    fields[2] = kept ? from_one(room[2], cluster) : NULL;
    fields[3] = kept ? "kept" : "suppressed";
    fields[4] = kept ? from_one(room[3], place) : NULL;
}

static hr_status write_rows(hr_batch *batch, const uint32_t *cluster, size_t rows,
                            const hr_masked_table *masked, const hr_groups *classes,
                            hr_error *err) {
    char room[4][NUMBER_ROOM];
    const char *fields[5];
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t place = masked->place[row];
        uint32_t class = place == HR_NONE ? HR_NONE : classes->of_row[place];
        fill_fields(row, place, class, cluster[row], room, fields);
        HR_TRY(hr_batch_add(batch, fields, err));
    }
    return hr_batch_end(batch, err);
}

hr_status hr_release_trace(const hr_release *release, hr_table **out, hr_error *err) {
    char room[4][NUMBER_ROOM];
    const char *fields[5];
    HR_TRY(hr_table_new(sizeof names / sizeof *names, names, out, err));
    for (uint32_t row = 0; row < release->input_rows; row++) {
        fill_fields(row, release->masked.place[row], hr_release_class(release, row),
                    release->cluster[row], room, fields);
        hr_status status = hr_table_append(*out, fields, err);
        if (status == HR_OK) continue;
        hr_table_free(*out);
        *out = NULL;
        return status;
    }
    return HR_OK;
}

hr_status hr_trace_write(hr_writer *writer, const uint32_t *cluster, size_t rows,
                         const hr_masked_table *masked, const hr_groups *classes, hr_error *err) {
    static const char *const formats[] = {"l", "l", "l", NULL, "l"}; /* l: 64-bit integer */
    hr_batch batch = {.writer = writer, .names = names, .formats = formats, .column_count = 5};
    hr_status status = write_rows(&batch, cluster, rows, masked, classes, err);
    hr_batch_free(&batch);
    return status;
}

/* ---- reading ---- */

typedef struct {
    const char *path;
    const hr_column *row, *class, *status, *out;
    size_t rows; /* of the original */
    size_t masked_rows;
    bool *seen; /* per original row: a line named it */
    hr_trace *trace;
    hr_error *err;
} trace_reader;

static hr_status bad_line(const trace_reader *r, size_t line, const char *what) {
    return hr_fail(r->err, HR_EDATA, "%s, row %zu: %s; is it the trace of this very release?",
                   r->path, line + 1, what);
}

/* Stores the reason why the trace belongs to another release, unless there is one already. */
static void foreign(const trace_reader *r, const char *why) {
    if (!r->trace->foreign) r->trace->foreign = why;
}

static hr_status read_line(const trace_reader *r, size_t line) {
    const uint64_t most = HR_NONE - 1;
    uint64_t row, out, class;
    const char *status = hr_column_text(r->status, line);
    bool kept = !strcmp(status, "kept");
    if (!kept && strcmp(status, "suppressed"))
        return bad_line(r, line, "status is neither kept nor suppressed");
    if (!hr_parse_uint(hr_column_text(r->row, line), most, &row) || row == 0)
        return bad_line(r, line, "`row` is not a number of a row");
    if (row > r->rows) {
        foreign(r, "it names rows that the original does not have");
        return HR_OK;
    }
    if (r->seen[row - 1]) return bad_line(r, line, "`row` is there twice");
    r->seen[row - 1] = true;
    if (!kept) return HR_OK;
    if (!hr_parse_uint(hr_column_text(r->out, line), most, &out) || out == 0)
        return bad_line(r, line, "`out` is not a number of a row");
    if (out > r->masked_rows) {
        foreign(r, "it names rows that the masked file does not have");
        return HR_OK;
    }
    if (r->trace->row[out - 1] != HR_NONE) return bad_line(r, line, "`out` is there twice");
    r->trace->row[out - 1] = (uint32_t)(row - 1);
    if (!hr_parse_uint(hr_column_text(r->class, line), most, &class))
        return bad_line(r, line, "`class` is not a number");
    r->trace->class[out - 1] = (uint32_t) class;
    return HR_OK;
}

static hr_status read_lines(const trace_reader *r) {
    for (size_t line = 0; line < r->status->rows; line++)
        HR_TRY(read_line(r, line));
    for (size_t i = 0; i < r->masked_rows; i++)
        if (r->trace->row[i] == HR_NONE) foreign(r, "the masked file has rows that it lacks");
    for (size_t i = 0; i < r->rows; i++)
        if (!r->seen[i]) foreign(r, "the original has rows that it lacks");
    return HR_OK;
}

static hr_status read_table(trace_reader *r, const hr_table *table) {
    r->row = hr_table_find(table, "row");
    r->class = hr_table_find(table, "class");
    r->status = hr_table_find(table, "status");
    r->out = hr_table_find(table, "out");
    if (!r->row || !r->class || !r->status || !r->out)
        return hr_fail(r->err, HR_EDATA,
                       "%s is not a trace: it lacks the columns row, class, status, out", r->path);
    r->seen = hr_alloc(r->rows, sizeof *r->seen, r->err);
    r->trace->row = hr_alloc_raw(r->masked_rows, sizeof *r->trace->row, r->err);
    r->trace->class = hr_alloc_raw(r->masked_rows, sizeof *r->trace->class, r->err);
    if (!r->seen || !r->trace->row || !r->trace->class) return HR_ENOMEM;
    memset(r->trace->row, 0xff, r->masked_rows * sizeof *r->trace->row);
    memset(r->trace->class, 0xff, r->masked_rows * sizeof *r->trace->class);
    return read_lines(r);
}

hr_status hr_trace_take(const char *name, const hr_table *table, size_t rows, size_t masked_rows,
                        hr_trace *out, hr_error *err) {
    *out = (hr_trace){0};
    trace_reader r = {
        .path = name, .rows = rows, .masked_rows = masked_rows, .trace = out, .err = err};
    hr_status status = read_table(&r, table);
    if (status != HR_OK) hr_trace_free(out);
    free(r.seen);
    return status;
}

hr_status hr_trace_read(const char *path, size_t rows, size_t masked_rows, const hr_watch *watch,
                        hr_trace *out, hr_error *err) {
    hr_table *table;
    hr_watch cancel = hr_watch_cancel_only(watch);
    hr_read_options options = {.delimiter = ',', .watch = &cancel};
    *out = (hr_trace){0};
    HR_TRY(hr_table_load(path, &options, &table, err));
    hr_status status = hr_trace_take(path, table, rows, masked_rows, out, err);
    hr_table_free(table);
    return status;
}

void hr_trace_free(hr_trace *trace) {
    free(trace->row);
    free(trace->class);
    *trace = (hr_trace){0};
}

/* ---- comparing classes ---- */

/* Rows of each class, by both numberings, and of each pair of classes. */
typedef struct {
    hr_map64 own, pairs;
    uint32_t *own_rows, *pair_rows, *of_row;
} class_counts;

static hr_status count_classes(const hr_trace *trace, const hr_groups *classes, class_counts *out,
                               hr_error *err) {
    size_t rows = classes->rows;
    out->own_rows = hr_alloc(rows, sizeof *out->own_rows, err);
    out->pair_rows = hr_alloc(rows, sizeof *out->pair_rows, err);
    out->of_row = hr_alloc_raw(rows, sizeof *out->of_row, err);
    if (!out->own_rows || !out->pair_rows || !out->of_row) return HR_ENOMEM;
    for (size_t row = 0; row < rows; row++) {
        uint32_t own, pair;
        uint64_t both = (uint64_t)trace->class[row] << 32 | classes->of_row[row];
        HR_TRY(hr_map64_intern(&out->own, trace->class[row], &own, err));
        HR_TRY(hr_map64_intern(&out->pairs, both, &pair, err));
        out->own_rows[own]++;
        out->pair_rows[pair]++;
        out->of_row[row] = pair;
    }
    return HR_OK;
}

/* A few classes that differ are tolerated: rows of them may have been changed. */
hr_status hr_trace_compare(const hr_trace *trace, const hr_groups *classes, const hr_facts *facts,
                           bool *differs, hr_error *err) {
    class_counts counts = {0};
    size_t other = 0;
    hr_status status = count_classes(trace, classes, &counts, err);
    for (size_t row = 0; status == HR_OK && row < classes->rows; row++) {
        uint32_t published = classes->of_row[row],
                 own = hr_map64_find(&counts.own, trace->class[row]);
        uint32_t shared = counts.pair_rows[counts.of_row[row]];
        bool same = published != HR_NONE && shared == counts.own_rows[own] &&
                    shared == facts->size[published];
        other += !same;
    }
    *differs = other * 2 > classes->rows;
    hr_map64_free(&counts.own);
    hr_map64_free(&counts.pairs);
    free(counts.own_rows);
    free(counts.pair_rows);
    free(counts.of_row);
    return status;
}
