/* arrow_write.c - a table as a stream of Arrow record batches. Columns that are dictionaries
 * lend their codes, which are not copied; the table lives until the last array is released.
 * Other columns become plain arrays of the type that they came with: each distinct text is
 * turned back into a value once. The consumer may take children and dictionaries out of a batch
 * and release them in any order and thread, so every array owns its buffers. */
#include "data/arrow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFERS = 4 }; /* of an array, at most */

/* Bytes of text in one array with 32-bit offsets, at most. Batches end before there are more. */
#define TEXT_MOST ((uint64_t)INT32_MAX)

/* ---- arrays ---- */

typedef struct {
    const void *buffers[BUFFERS];
    void *memory[BUFFERS]; /* buffers that the array owns */
    hr_table *table;       /* whose codes it borrows, or NULL */
} array_owner;

static void release_children(struct ArrowArray *array) {
    for (int64_t i = 0; i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child && child->release) child->release(child);
        free(child);
    }
    free(array->children);
    if (array->dictionary && array->dictionary->release)
        array->dictionary->release(array->dictionary);
    free(array->dictionary);
}

static void release_array(struct ArrowArray *array) {
    array_owner *owner = array->private_data;
    release_children(array);
    for (size_t i = 0; i < BUFFERS; i++)
        free(owner->memory[i]);
    hr_table_free(owner->table);
    free(owner);
    array->release = NULL;
}

static hr_status start_array(struct ArrowArray *array, size_t length, int64_t buffers,
                             hr_error *err) {
    array_owner *owner = hr_alloc(1, sizeof *owner, err);
    if (!owner) return HR_ENOMEM;
    *array = (struct ArrowArray){.length = (int64_t)length,
                                 .n_buffers = buffers,
                                 .buffers = owner->buffers,
                                 .release = release_array,
                                 .private_data = owner};
    return HR_OK;
}

/* Zeroed memory as a buffer of the array. Never NULL without an error: readers expect an
 * address. */
static void *add_buffer(struct ArrowArray *array, size_t i, size_t count, size_t size,
                        hr_error *err) {
    array_owner *owner = array->private_data;
    owner->memory[i] = hr_alloc(count ? count : 1, size, err);
    owner->buffers[i] = owner->memory[i];
    return owner->memory[i];
}

/* ---- what is exported: rows of a column, or the values of its dictionary ---- */

typedef struct {
    const hr_column *column;
    hr_arrow_type type;
    bool distinct; /* the dictionary's values, 0 .. count - 1, instead of rows */
    size_t first, count;
} selection;

static uint32_t code_at(const selection *s, size_t i) {
    return s->distinct ? (uint32_t)i : hr_column_code(s->column, s->first + i);
}

/* A dictionary's entry for null stays an empty text: the rows that have it are null themselves. */
static hr_status add_validity(const selection *s, struct ArrowArray *array, hr_error *err) {
    if (!s->column->dictionary.null || s->distinct) return HR_OK;
    uint8_t *valid = add_buffer(array, 0, s->count / 8 + 1, 1, err);
    if (!valid) return HR_ENOMEM;
    for (size_t i = 0; i < s->count; i++) {
        bool null = hr_dictionary_is_null(&s->column->dictionary, code_at(s, i));
        array->null_count += null;
        valid[i / 8] = (uint8_t)(valid[i / 8] | !null << i % 8);
    }
    return HR_OK;
}

/* ---- texts ---- */

static uint64_t text_bytes(const selection *s) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < s->count; i++)
        bytes += hr_dictionary_length(&s->column->dictionary, code_at(s, i));
    return bytes;
}

static hr_status add_texts(const selection *s, struct ArrowArray *array, hr_error *err) {
    const hr_dictionary *d = &s->column->dictionary;
    bool large = s->type.kind == HR_ARROW_LARGE_TEXT;
    void *offsets = add_buffer(array, 1, s->count + 1, large ? 8 : 4, err);
    char *bytes = add_buffer(array, 2, (size_t)text_bytes(s), 1, err);
    if (!offsets || !bytes) return HR_ENOMEM;
    size_t end = 0;
    for (size_t i = 0; i < s->count; i++) {
        uint32_t code = code_at(s, i);
        size_t length = hr_dictionary_length(d, code);
        memcpy(bytes + end, hr_dictionary_text(d, code), length);
        end += length;
        if (large)
            ((int64_t *)offsets)[i + 1] = (int64_t)end;
        else
            ((int32_t *)offsets)[i + 1] = (int32_t)end;
    }
    return HR_OK;
}

/* Long texts are in one buffer, each distinct one once: `at` is where it is, or -1. */
static hr_status add_view_bytes(const selection *s, struct ArrowArray *array, int64_t *at,
                                hr_error *err) {
    const hr_dictionary *d = &s->column->dictionary;
    uint64_t total = 0;
    memset(at, 0xff, d->count * sizeof *at);
    for (size_t i = 0; i < s->count; i++) {
        uint32_t code = code_at(s, i);
        size_t length = hr_dictionary_length(d, code);
        if (length <= 12 || at[code] >= 0) continue;
        at[code] = (int64_t)total;
        total += length;
    }
    char *bytes = add_buffer(array, 2, (size_t)total, 1, err);
    int64_t *size = add_buffer(array, 3, 1, sizeof *size, err);
    if (!bytes || !size) return HR_ENOMEM;
    *size = (int64_t)total;
    for (uint32_t code = 0; code < d->count; code++)
        if (at[code] >= 0)
            memcpy(bytes + at[code], hr_dictionary_text(d, code), hr_dictionary_length(d, code));
    return HR_OK;
}

static hr_status add_views(const selection *s, struct ArrowArray *array, hr_error *err) {
    const hr_dictionary *d = &s->column->dictionary;
    int64_t *at = hr_alloc_raw(d->count, sizeof *at, err);
    uint8_t *views = add_buffer(array, 1, s->count, 16, err);
    hr_status status = at && views ? add_view_bytes(s, array, at, err) : HR_ENOMEM;
    for (size_t i = 0; i < s->count && status == HR_OK; i++) {
        uint32_t code = code_at(s, i);
        int32_t length = (int32_t)hr_dictionary_length(d, code), place = (int32_t)at[code];
        uint8_t *view = views + i * 16;
        memcpy(view, &length, 4);
        memcpy(view + 4, hr_dictionary_text(d, code), length <= 12 ? (size_t)length : 4);
        if (length > 12) memcpy(view + 12, &place, 4); /* in buffer 0 */
    }
    free(at);
    return status;
}

/* ---- other values ---- */

/* The value of each text; false for one that the type does not have. */
static hr_status parse_values(const selection *s, uint8_t *values, size_t width, hr_error *err) {
    const hr_dictionary *d = &s->column->dictionary;
    for (uint32_t code = 0; code < d->count; code++) {
        const char *text = hr_dictionary_text(d, code);
        if (hr_dictionary_is_null(d, code)) continue;
        if (!hr_arrow_text_value(&s->type, text, values + code * width))
            return hr_fail(err, HR_EDATA,
                           "column '%s' holds a text that is not a value of its type",
                           s->column->name);
    }
    return HR_OK;
}

static hr_status add_values(const selection *s, struct ArrowArray *array, hr_error *err) {
    bool is_bool = s->type.kind == HR_ARROW_BOOL;
    size_t width = is_bool ? 1 : s->type.width;
    uint8_t *of_code = hr_alloc(s->column->dictionary.count, width, err);
    uint8_t *out = is_bool ? add_buffer(array, 1, s->count / 8 + 1, 1, err)
                           : add_buffer(array, 1, s->count, width, err);
    hr_status status = of_code && out ? parse_values(s, of_code, width, err) : HR_ENOMEM;
    for (size_t i = 0; i < s->count && status == HR_OK; i++) {
        const uint8_t *value = of_code + code_at(s, i) * width;
        if (is_bool)
            out[i / 8] = (uint8_t)(out[i / 8] | *value << i % 8);
        else
            memcpy(out + i * width, value, width);
    }
    free(of_code);
    return status;
}

static hr_status fill_plain(const selection *s, struct ArrowArray *array, hr_error *err) {
    if (s->type.kind == HR_ARROW_NULL) {
        array->null_count = array->length;
        return HR_OK;
    }
    HR_TRY(add_validity(s, array, err));
    switch (s->type.kind) {
    case HR_ARROW_TEXT:
    case HR_ARROW_LARGE_TEXT: return add_texts(s, array, err);
    case HR_ARROW_TEXT_VIEW: return add_views(s, array, err);
    default: return add_values(s, array, err);
    }
}

static hr_status make_plain(const selection *s, struct ArrowArray *out, hr_error *err) {
    static const int64_t text_buffers = 3, view_buffers = 4, value_buffers = 2;
    int64_t buffers = s->type.kind == HR_ARROW_NULL        ? 0
                      : s->type.kind == HR_ARROW_TEXT_VIEW ? view_buffers
                      : hr_arrow_is_text(&s->type)         ? text_buffers
                                                           : value_buffers;
    HR_TRY(start_array(out, s->count, buffers, err));
    hr_status status = fill_plain(s, out, err);
    if (status != HR_OK) out->release(out);
    return status;
}

/* ---- dictionaries ---- */

static hr_status fill_coded(const selection *s, hr_table *table, struct ArrowArray *array,
                            hr_error *err) {
    array_owner *owner = array->private_data;
    HR_TRY(add_validity(s, array, err));
    atomic_fetch_add(&table->holders, 1);
    owner->table = table;
    static const uint32_t no_codes[1] = {0};
    owner->buffers[1] = s->count == 0
                            ? (const void *)no_codes
                            : (const char *)s->column->codes + s->first * s->column->width;
    struct ArrowArray *values = hr_alloc(1, sizeof *values, err);
    if (!values) return HR_ENOMEM;
    array->dictionary = values;
    selection all = {.column = s->column,
                     .type = s->type,
                     .distinct = true,
                     .count = s->column->dictionary.count};
    return make_plain(&all, values, err);
}

static hr_status make_coded(const selection *s, hr_table *table, struct ArrowArray *out,
                            hr_error *err) {
    HR_TRY(start_array(out, s->count, 2, err));
    hr_status status = fill_coded(s, table, out, err);
    if (status != HR_OK) out->release(out);
    return status;
}

/* ---- types ---- */

/* The type of a column's values. Texts beyond what 32-bit offsets reach in a dictionary get 64
 * bits. */
static hr_arrow_type type_of(const hr_column *column, const char **format) {
    hr_arrow_type type = {0};
    *format = column->format ? column->format : "u";
    hr_arrow_parse_format(*format, &type);
    if (column->coded && type.kind != HR_ARROW_LARGE_TEXT && hr_arrow_is_text(&type) &&
        column->dictionary.bytes_used > TEXT_MOST) {
        type.kind = HR_ARROW_LARGE_TEXT;
        *format = "U";
    }
    return type;
}

static const char *index_format(const hr_column *column) {
    return column->width == 1 ? "c" : column->width == 2 ? "s" : "i";
}

/* ---- schemas ---- */

static void release_schema(struct ArrowSchema *schema) {
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] && schema->children[i]->release)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    if (schema->dictionary && schema->dictionary->release)
        schema->dictionary->release(schema->dictionary);
    free(schema->dictionary);
    free((char *)schema->format);
    free((char *)schema->name);
    schema->release = NULL;
}

static hr_status start_schema(struct ArrowSchema *schema, const char *format, const char *name,
                              hr_error *err) {
    *schema = (struct ArrowSchema){.flags = ARROW_FLAG_NULLABLE, .release = release_schema};
    schema->format = hr_copy_text(format, strlen(format), err);
    schema->name = hr_copy_text(name, strlen(name), err);
    return schema->format && schema->name ? HR_OK : HR_ENOMEM;
}

static hr_status column_schema(const hr_column *column, struct ArrowSchema *out, hr_error *err) {
    const char *format;
    type_of(column, &format);
    HR_TRY(start_schema(out, column->coded ? index_format(column) : format, column->name, err));
    if (!column->coded) return HR_OK;
    out->dictionary = hr_alloc(1, sizeof *out->dictionary, err);
    return out->dictionary ? start_schema(out->dictionary, format, "", err) : HR_ENOMEM;
}

static hr_status fill_schema(const hr_table *table, struct ArrowSchema *out, hr_error *err) {
    HR_TRY(start_schema(out, "+s", "", err));
    out->children = hr_alloc(table->column_count, sizeof *out->children, err);
    if (!out->children) return HR_ENOMEM;
    for (size_t i = 0; i < table->column_count; i++) {
        out->children[i] = hr_alloc(1, sizeof **out->children, err);
        if (!out->children[i]) return HR_ENOMEM;
        out->n_children++;
        HR_TRY(column_schema(&table->columns[i], out->children[i], err));
    }
    return HR_OK;
}

/* ---- batches ---- */

/* Rows from `first` on whose texts fit 32-bit offsets in every plain column. */
static size_t batch_rows(const hr_table *table, size_t first) {
    size_t rows = table->rows - first;
    for (size_t c = 0; c < table->column_count; c++) {
        const hr_column *column = &table->columns[c];
        const char *format;
        hr_arrow_type type = type_of(column, &format);
        uint64_t longest = 0, bytes = 0;
        if (column->coded || (type.kind != HR_ARROW_TEXT && type.kind != HR_ARROW_TEXT_VIEW))
            continue;
        for (uint32_t code = 0; code < column->dictionary.count; code++)
            if (hr_dictionary_length(&column->dictionary, code) > longest)
                longest = hr_dictionary_length(&column->dictionary, code);
        if (longest * rows <= TEXT_MOST) continue;
        size_t fit = 0;
        for (; fit < rows && bytes <= TEXT_MOST; fit++)
            bytes += hr_dictionary_length(&column->dictionary, hr_column_code(column, first + fit));
        if (bytes > TEXT_MOST && fit > 1) fit--;
        rows = fit;
    }
    return rows;
}

static hr_status fill_batch(hr_table *table, size_t first, size_t rows, struct ArrowArray *out,
                            hr_error *err) {
    HR_TRY(start_array(out, rows, 1, err));
    out->children = hr_alloc(table->column_count, sizeof *out->children, err);
    if (!out->children) return HR_ENOMEM;
    for (size_t i = 0; i < table->column_count; i++) {
        const hr_column *column = &table->columns[i];
        const char *format;
        selection s = {
            .column = column, .type = type_of(column, &format), .first = first, .count = rows};
        out->children[i] = hr_alloc(1, sizeof **out->children, err);
        if (!out->children[i]) return HR_ENOMEM;
        out->n_children++;
        HR_TRY(column->coded ? make_coded(&s, table, out->children[i], err)
                             : make_plain(&s, out->children[i], err));
    }
    return HR_OK;
}

/* ---- the stream ---- */

typedef struct {
    hr_table *table;
    size_t next; /* first row of the next batch */
    bool begun;  /* a table without rows is one empty batch */
    hr_error error;
} stream_owner;

static int errno_of(hr_status status) {
    return status == HR_ENOMEM ? ENOMEM : EINVAL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    stream_owner *owner = stream->private_data;
    hr_status status = fill_schema(owner->table, out, &owner->error);
    if (status == HR_OK) return 0;
    out->release(out);
    return errno_of(status);
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    stream_owner *owner = stream->private_data;
    *out = (struct ArrowArray){0};
    if (owner->begun && owner->next == owner->table->rows) return 0;
    size_t rows = batch_rows(owner->table, owner->next);
    hr_status status = fill_batch(owner->table, owner->next, rows, out, &owner->error);
    if (status != HR_OK) {
        if (out->release) out->release(out);
        return errno_of(status);
    }
    owner->next += rows;
    owner->begun = true;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    stream_owner *owner = stream->private_data;
    return owner->error.code ? owner->error.message : NULL;
}

static void release_stream(struct ArrowArrayStream *stream) {
    stream_owner *owner = stream->private_data;
    hr_table_free(owner->table);
    free(owner);
    stream->release = NULL;
}

hr_status hr_table_to_arrow(const hr_table *table, struct ArrowArrayStream *out, hr_error *err) {
    stream_owner *owner = hr_alloc(1, sizeof *owner, err);
    if (!owner) return HR_ENOMEM;
    owner->table = (hr_table *)table; /* only its number of holders is ever changed */
    atomic_fetch_add(&owner->table->holders, 1);
    *out = (struct ArrowArrayStream){get_schema, get_next, get_last_error, release_stream, owner};
    return HR_OK;
}
