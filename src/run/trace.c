/* trace.c - the owner's record of what became of every input row, as a table: row, class, cluster,
 * status, out. It must never be released. `check` reads it to pair released rows with originals. */
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

static hr_status write_rows(hr_batch *batch, const hr_partition *partition,
                            const hr_masked_table *masked, const hr_groups *classes,
                            hr_error *err) {
    char room[4][NUMBER_ROOM];
    for (uint32_t row = 0; row < partition->rows; row++) {
        uint32_t place = masked->place[row];
        const char *fields[5] = {from_one(room[0], row), NULL, NULL, "suppressed", NULL};
        if (place != HR_NONE) {
            fields[1] = from_one(room[1], classes->of_row[place]);
            fields[2] = from_one(room[2], partition->cluster[row]);
            fields[3] = "kept";
            fields[4] = from_one(room[3], place);
        }
        HR_TRY(hr_batch_add(batch, fields, err));
    }
    return hr_batch_end(batch, err);
}

hr_status hr_trace_write(hr_writer *writer, const hr_partition *partition,
                         const hr_masked_table *masked, const hr_groups *classes, hr_error *err) {
    static const char *const names[] = {"row", "class", "cluster", "status", "out"};
    static const char *const formats[] = {"l", "l", "l", NULL, "l"}; /* l: 64-bit integer */
    hr_batch batch = {.writer = writer, .names = names, .formats = formats, .column_count = 5};
    hr_status status = write_rows(&batch, partition, masked, classes, err);
    hr_batch_free(&batch);
    return status;
}

/* ---- reading ---- */

typedef struct {
    const char *path;
    const hr_column *row, *status, *out;
    size_t rows; /* of the original */
    size_t masked_rows;
    bool *seen; /* per original row: a line named it */
    hr_error *err;
} trace_reader;

static hr_status bad_line(const trace_reader *r, size_t line, const char *what) {
    return hr_fail(r->err, HR_EDATA, "%s, row %zu: %s; is it the trace of this very release?",
                   r->path, line + 1, what);
}

static hr_status read_line(const trace_reader *r, size_t line, uint32_t *row_of) {
    uint64_t row, out;
    const char *status = hr_column_text(r->status, line);
    if (!hr_parse_uint(hr_column_text(r->row, line), r->rows, &row) || row == 0)
        return bad_line(r, line, "the original has no such row");
    if (r->seen[row - 1]) return bad_line(r, line, "`row` is there twice");
    r->seen[row - 1] = true;
    if (!strcmp(status, "suppressed")) return HR_OK;
    if (strcmp(status, "kept")) return bad_line(r, line, "status is neither kept nor suppressed");
    if (!hr_parse_uint(hr_column_text(r->out, line), r->masked_rows, &out) || out == 0)
        return bad_line(r, line, "the masked file has no such row");
    if (row_of[out - 1] != HR_NONE) return bad_line(r, line, "`out` is there twice");
    row_of[out - 1] = (uint32_t)(row - 1);
    return HR_OK;
}

static hr_status read_lines(const trace_reader *r, uint32_t *row_of) {
    for (size_t line = 0; line < r->status->rows; line++)
        HR_TRY(read_line(r, line, row_of));
    for (size_t i = 0; i < r->masked_rows; i++)
        if (row_of[i] == HR_NONE)
            return hr_fail(r->err, HR_EDATA, "%s says nothing of row %zu of the masked file",
                           r->path, i + 1);
    return HR_OK;
}

hr_status hr_trace_read(const char *path, size_t rows, size_t masked_rows, const hr_watch *watch,
                        uint32_t **row_of, hr_error *err) {
    hr_table *table;
    hr_watch cancel = hr_watch_cancel_only(watch);
    hr_read_options options = {.delimiter = ',', .watch = &cancel};
    HR_TRY(hr_table_load(path, &options, &table, err));
    trace_reader r = {.path = path,
                      .row = hr_table_find(table, "row"),
                      .status = hr_table_find(table, "status"),
                      .out = hr_table_find(table, "out"),
                      .rows = rows,
                      .masked_rows = masked_rows,
                      .seen = hr_alloc(rows, sizeof *r.seen, err),
                      .err = err};
    hr_status status;
    *row_of = hr_alloc_raw(masked_rows, sizeof **row_of, err);
    if (!*row_of || !r.seen)
        status = HR_ENOMEM;
    else if (!r.row || !r.status || !r.out)
        status =
            hr_fail(err, HR_EDATA, "%s is no trace: it lacks the columns row, status, out", path);
    else {
        memset(*row_of, 0xff, masked_rows * sizeof **row_of);
        status = read_lines(&r, *row_of);
    }
    if (status != HR_OK) {
        free(*row_of);
        *row_of = NULL;
    }
    free(r.seen);
    hr_table_free(table);
    return status;
}
