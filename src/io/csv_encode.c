/* csv_encode.c - turns the fields of some hundred rows into codes, one column at a time, so that
 * the texts of a column stay in the processor's cache. Most columns of microdata repeat a few
 * texts: a small direct-mapped table in front of each dictionary holds recent texts by length and
 * first and last eight bytes, which is the whole text up to sixteen bytes. Only texts that are not
 * in this table are hashed and looked up in the dictionary. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH_ROWS = 256, BATCH_CELLS = 1 << 15, SEEN_MOST = 1024, SEEN_LEAST = 16 };
#define SEEN_BYTES ((size_t)1 << 20) /* of all columns, unless there are very many */

struct hr_csv_seen {
    uint64_t head, tail;   /* first and last eight bytes; a shorter text is padded with zeros */
    uint32_t length, code; /* code: plus 1; 0 marks a free entry */
};

static void size_batch(hr_csv_batch *batch, size_t columns) {
    batch->columns = columns;
    batch->stride = columns + 1;
    batch->room = BATCH_CELLS / batch->stride;
    if (batch->room > BATCH_ROWS) batch->room = BATCH_ROWS;
    if (batch->room == 0) batch->room = 1;
    batch->seen_count = SEEN_MOST;
    while (batch->seen_count > SEEN_LEAST &&
           batch->seen_count * columns > SEEN_BYTES / sizeof *batch->seen)
        batch->seen_count /= 2;
}

hr_status hr_csv_batch_init(hr_csv_batch *batch, size_t columns, hr_error *err) {
    *batch = (hr_csv_batch){0};
    size_batch(batch, columns);
    for (size_t n = 0; n <= 8; n++)
        memset(&batch->first[n], 0xff, n); /* correct in both byte orders */
    batch->fields = hr_alloc(batch->room * batch->stride, sizeof *batch->fields, err);
    batch->codes = hr_alloc(batch->room, sizeof *batch->codes, err);
    batch->seen = hr_alloc(batch->seen_count * columns, sizeof *batch->seen, err);
    batch->missed = hr_alloc(batch->room, sizeof *batch->missed, err);
    batch->missed_row = hr_alloc(batch->room, sizeof *batch->missed_row, err);
    if (batch->fields && batch->codes && batch->seen && batch->missed && batch->missed_row)
        return HR_OK;
    hr_csv_batch_free(batch);
    return HR_ENOMEM;
}

static inline uint64_t load_word(const char *text) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
    return word;
}

/* The key of a text in the table of recent texts. Reads up to eight bytes past a short text, which
 * the padding of the block allows. A text has no NUL, so padding zeros never equal text bytes. */
static inline hr_csv_seen look_at(const hr_csv_batch *batch, const char *text, size_t length) {
    size_t n = length < 8 ? length : 8;
    return (hr_csv_seen){.head = load_word(text) & batch->first[n],
                         .tail = load_word(text + length - n) & batch->first[n],
                         .length = (uint32_t)length};
}

static inline size_t seen_slot(const hr_csv_batch *batch, const hr_csv_seen *text) {
    uint64_t mixed = text->head ^ (text->tail << 23 | text->tail >> 41) ^ text->length;
    mixed *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 40) & (batch->seen_count - 1);
}

static inline bool is_seen(const hr_csv_seen *entry, const hr_csv_seen *text, const char *bytes,
                           const hr_dictionary *dictionary) {
    if (entry->head != text->head || entry->tail != text->tail || entry->length != text->length ||
        entry->code == 0)
        return false;
    if (text->length <= 16) return true;
    return !memcmp(hr_dictionary_text(dictionary, entry->code - 1) + 8, bytes + 8,
                   text->length - 16);
}

/* Stores the codes of recent texts; lists all other texts in batch->missed and returns their
 * number. */
static size_t encode_seen(hr_csv_batch *batch, char *bytes, size_t k, const hr_column *column) {
    const hr_csv_seen *seen = batch->seen + k * batch->seen_count;
    const hr_csv_slice *field = batch->fields + k;
    size_t missed = 0;
    for (size_t row = 0; row < batch->rows; row++, field += batch->stride) {
        char *text = bytes + field->start;
        size_t length = field->length;
        if (length & HR_CSV_DOUBLED) length = hr_csv_unquote(text, length & ~HR_CSV_DOUBLED);
        hr_csv_seen looked = look_at(batch, text, length);
        const hr_csv_seen *entry = &seen[seen_slot(batch, &looked)];
        if (is_seen(entry, &looked, text, &column->dictionary)) {
            batch->codes[row] = entry->code - 1;
        } else {
            batch->missed[missed] = (hr_dictionary_item){.text = text, .length = length};
            batch->missed_row[missed++] = (uint32_t)row;
        }
    }
    return missed;
}

/* Looks up the listed texts in the dictionary, or adds them, in their order. */
static hr_status encode_missed(hr_csv_batch *batch, size_t missed, size_t k, hr_column *column,
                               hr_error *err) {
    hr_csv_seen *seen = batch->seen + k * batch->seen_count;
    HR_TRY(hr_dictionary_intern_all(&column->dictionary, batch->missed, missed, err));
    for (size_t i = 0; i < missed; i++) {
        const hr_dictionary_item *item = &batch->missed[i];
        hr_csv_seen entry = look_at(batch, item->text, item->length);
        entry.code = item->code + 1;
        seen[seen_slot(batch, &entry)] = entry;
        batch->codes[batch->missed_row[i]] = item->code;
    }
    return HR_OK;
}

static hr_status encode_column(hr_csv_batch *batch, char *bytes, size_t k, hr_column *column,
                               hr_error *err) {
    size_t missed = encode_seen(batch, bytes, k, column);
    if (missed > 0) HR_TRY(encode_missed(batch, missed, k, column, err));
    return hr_column_append_codes(column, batch->codes, batch->rows, err);
}

hr_status hr_csv_encode(hr_csv_batch *batch, char *bytes, hr_table *table, hr_error *err) {
    if (batch->rows >= HR_NONE - 1 - table->rows)
        return hr_fail(err, HR_EDATA,
                       "there are more than 4 billion rows, the most that a table holds: "
                       "split the file");
    for (size_t k = 0; k < batch->columns; k++)
        HR_TRY(encode_column(batch, bytes, k, &table->columns[k], err));
    table->rows += batch->rows;
    batch->rows = 0;
    return HR_OK;
}

void hr_csv_batch_free(hr_csv_batch *batch) {
    free(batch->fields);
    free(batch->codes);
    free(batch->seen);
    free(batch->missed);
    free(batch->missed_row);
    *batch = (hr_csv_batch){0};
}
