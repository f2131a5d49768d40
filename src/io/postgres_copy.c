/* postgres_copy.c - cuts the bytes of a COPY in binary format into rows: a signature and a header,
 * then for each row the number of its fields and for each field its length and bytes, then -1. The
 * server sends a row at a time, but that is not promised. */
#include "io/postgres.h"

#include <stdlib.h>
#include <string.h>

static const char signature[11] = {'P', 'G', 'C', 'O', 'P', 'Y', '\n', '\377', '\r', '\n', '\0'};
enum { HEADER = 19 }; /* signature, flags, length of the extension */

static hr_status broken(const hr_pg_rows *rows, hr_error *err) {
    return hr_fail(
        err, HR_EIO,
        "cannot read %s: the server sent rows that do not fit the columns: did the table "
        "change while it was read?",
        rows->name);
}

/* Finds the end of the header; *used 0: it is not complete. */
static hr_status take_header(const hr_pg_rows *rows, const char *bytes, size_t length, size_t *used,
                             hr_error *err) {
    *used = 0;
    if (length < HEADER) return HR_OK;
    if (memcmp(bytes, signature, sizeof signature)) return broken(rows, err);
    size_t whole = HEADER + (size_t)hr_pg_get32(bytes + 15);
    if (whole <= length) *used = whole;
    return HR_OK;
}

/* Finds the fields of a row; *used 0: it is not complete. */
static hr_status take_row(hr_pg_rows *rows, const char *bytes, size_t length, size_t *used,
                          hr_error *err) {
    size_t at = 2;
    *used = 0;
    if (length < 2) return HR_OK;
    int16_t count = (int16_t)hr_pg_get16(bytes);
    if (count == -1) {
        rows->ended = true;
        *used = 2;
        return HR_OK;
    }
    if (count < 0 || (size_t)count != rows->column_count) return broken(rows, err);
    for (size_t i = 0; i < rows->column_count; i++) {
        if (length - at < 4) return HR_OK;
        int32_t size = (int32_t)hr_pg_get32(bytes + at);
        at += 4;
        if (size < -1) return broken(rows, err);
        rows->fields[i] = (hr_pg_field){bytes + at, size};
        if (size < 0) continue;
        if (length - at < (size_t)size) return HR_OK;
        at += (size_t)size;
    }
    *used = at;
    return rows->row(rows->fields, rows->payload, err);
}

/* Takes as many rows as there are; *used is where the first that is not complete begins. */
static hr_status take_all(hr_pg_rows *rows, const char *bytes, size_t length, size_t *used,
                          hr_error *err) {
    *used = 0;
    for (size_t step = 1; step > 0 && *used < length; *used += step) {
        const char *at = bytes + *used;
        size_t left = length - *used;
        if (rows->ended) return broken(rows, err);
        if (rows->started) {
            HR_TRY(take_row(rows, at, left, &step, err));
        } else {
            HR_TRY(take_header(rows, at, left, &step, err));
            rows->started = step > 0;
        }
    }
    return HR_OK;
}

hr_status hr_pg_rows_add(hr_pg_rows *rows, const char *bytes, size_t length, hr_error *err) {
    size_t used;
    if (rows->rest.length == 0) { /* the usual case: whole rows */
        HR_TRY(take_all(rows, bytes, length, &used, err));
        hr_text_add(&rows->rest, bytes + used, length - used);
    } else {
        hr_text_add(&rows->rest, bytes, length);
        if (rows->rest.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
        HR_TRY(take_all(rows, rows->rest.data, rows->rest.length, &used, err));
        rows->rest.length -= used;
        memmove(rows->rest.data, rows->rest.data + used, rows->rest.length);
    }
    return rows->rest.failed ? hr_fail(err, HR_ENOMEM, "out of memory") : HR_OK;
}

hr_status hr_pg_rows_end(const hr_pg_rows *rows, hr_error *err) {
    return rows->ended && rows->rest.length == 0 ? HR_OK : broken(rows, err);
}

void hr_pg_rows_free(hr_pg_rows *rows) {
    hr_text_free(&rows->rest);
    free(rows->fields);
    rows->fields = NULL;
}
