/* arrow_read.c - reads Arrow record batches into a table, without copying their bytes: every value
 * becomes a code, and only values that occur enter the dictionary, in order of first appearance, as
 * when a file is read. Numbers and dates are looked up by their bits, so each distinct one is
 * turned into text once. Everything that a consumer can check is checked before it is used. */
#include "data/arrow.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 1024 }; /* rows that are encoded at a time */

typedef struct {
    hr_column *column;
    size_t child;        /* of the struct that a batch is */
    hr_arrow_type type;  /* of the values */
    hr_arrow_type index; /* of a dictionary's indices; zero otherwise */
    hr_map64 bits;       /* bits of the values met so far, to numbers 0, 1, ... */
    uint32_t *code;      /* of each of these numbers */
    size_t code_capacity;
    uint32_t *translated; /* code of each value of the batch's dictionary; HR_NONE: not met yet */
    size_t translated_capacity;
} column_reader;

typedef struct {
    hr_table *table;
    column_reader *readers;
    size_t count;
    int64_t child_count; /* of the schema */
    uint64_t rows;       /* read so far */
    hr_error *err;
} table_reader;

/* A slice of an array for an encoder: `rows` rows, beginning with element `first`. */
typedef struct {
    const struct ArrowArray *array;
    size_t first; /* the array's offset is added already */
    size_t rows;
    const uint8_t *parent_valid; /* of the batch; NULL: all rows are */
    size_t parent_first;
    uint64_t row; /* number of the first in the table, for messages */
} slice;

static bool bit_at(const void *bitmap, size_t i) {
    return ((const uint8_t *)bitmap)[i / 8] >> i % 8 & 1;
}

static bool is_valid(const slice *s, size_t i) {
    const void *own = s->array->n_buffers > 0 ? s->array->buffers[0] : NULL;
    return (!own || bit_at(own, s->first + i)) &&
           (!s->parent_valid || bit_at(s->parent_valid, s->parent_first + i));
}

/* ---- checks ---- */

static hr_status bad(const table_reader *t, const column_reader *r, const char *what) {
    return hr_fail(t->err, HR_EDATA, "column '%s': the Arrow array is not valid: %s",
                   r->column->name, what);
}

static int64_t buffers_of(const hr_arrow_type *type) {
    switch (type->kind) {
    case HR_ARROW_TEXT:
    case HR_ARROW_LARGE_TEXT: return 3;
    default: return 2;
    }
}

/* Checks that the array has at least `rows` elements, not counting its offset. */
static hr_status check_array(const table_reader *t, const column_reader *r,
                             const struct ArrowArray *array, const hr_arrow_type *type,
                             size_t rows) {
    int64_t wanted = buffers_of(type);
    bool view = type->kind == HR_ARROW_TEXT_VIEW;
    if (!array || !array->release) return bad(t, r, "it has been released");
    if (array->length < 0 || array->offset < 0 || (uint64_t)array->length < rows)
        return bad(t, r, "it is shorter than its batch");
    if (type->kind == HR_ARROW_NULL) return HR_OK; /* polars gives such an array a buffer */
    if (view ? array->n_buffers < 3 : array->n_buffers != wanted)
        return bad(t, r, "wrong number of buffers");
    if (rows == 0) return HR_OK;
    if (!array->buffers || !array->buffers[1]) return bad(t, r, "a buffer is missing");
    if (array->null_count > 0 && !array->buffers[0])
        return bad(t, r, "it has nulls, but does not say where");
    return HR_OK;
}

/* ---- values that are not text ---- */

/* The bits of a value that tell it apart from all others of its type; false: they are too many. */
static bool value_bits(const hr_arrow_type *type, const void *value, uint64_t *bits) {
    uint64_t words[4] = {0};
    memcpy(words, value, type->width ? type->width : 1);
    *bits = words[0];
    if (type->width <= 8) return true;
    uint64_t sign = words[0] >> 63 ? UINT64_MAX : 0;
    for (unsigned i = 1; i < type->width / 8; i++)
        if (words[i] != sign) return false;
    return true;
}

static hr_status add_value(const table_reader *t, column_reader *r, const void *value,
                           uint32_t *code) {
    char text[HR_ARROW_TEXT_MOST];
    size_t length = hr_arrow_value_text(&r->type, value, text);
    return hr_dictionary_intern(&r->column->dictionary, text, length, code, t->err);
}

static hr_status encode_value(const table_reader *t, column_reader *r, const void *value,
                              uint32_t *code) {
    uint64_t bits;
    uint32_t number, known = r->bits.count;
    if (!value_bits(&r->type, value, &bits)) return add_value(t, r, value, code);
    HR_TRY(hr_map64_intern(&r->bits, bits, &number, t->err));
    if (number == known) {
        HR_TRY(hr_grow(&r->code, &r->code_capacity, (size_t)known + 1, sizeof *r->code, t->err));
        HR_TRY(add_value(t, r, value, &r->code[number]));
    }
    *code = r->code[number];
    return HR_OK;
}

static hr_status encode_values(const table_reader *t, column_reader *r, const slice *s,
                               uint32_t *codes) {
    const uint8_t *values = s->array->buffers[1];
    bool is_bool = r->type.kind == HR_ARROW_BOOL;
    for (size_t i = 0; i < s->rows; i++) {
        if (!is_valid(s, i)) {
            HR_TRY(hr_dictionary_null(&r->column->dictionary, &codes[i], t->err));
            continue;
        }
        uint8_t flag = is_bool && bit_at(values, s->first + i);
        const void *value = is_bool ? &flag : values + (s->first + i) * r->type.width;
        HR_TRY(encode_value(t, r, value, &codes[i]));
    }
    return HR_OK;
}

static hr_status encode_nulls(const table_reader *t, column_reader *r, const slice *s,
                              uint32_t *codes) {
    for (size_t i = 0; i < s->rows; i++)
        HR_TRY(hr_dictionary_null(&r->column->dictionary, &codes[i], t->err));
    return HR_OK;
}

/* ---- texts ---- */

/* The text of a view: 12 bytes or fewer are in the view itself, otherwise it says where they
 * are. */
static hr_status view_text(const table_reader *t, const column_reader *r,
                           const struct ArrowArray *array, size_t i, hr_dictionary_item *item) {
    const uint8_t *view = (const uint8_t *)array->buffers[1] + i * 16;
    int32_t length, buffer, offset;
    memcpy(&length, view, 4);
    memcpy(&buffer, view + 8, 4);
    memcpy(&offset, view + 12, 4);
    if (length < 0) return bad(t, r, "a text has a negative length");
    *item = (hr_dictionary_item){.text = (const char *)view + 4, .length = (size_t)length};
    if (length <= 12) return HR_OK;
    int64_t texts = array->n_buffers - 3; /* the last buffer holds the sizes of the others */
    const void *sizes = array->buffers[array->n_buffers - 1];
    if (buffer < 0 || buffer >= texts || !array->buffers[2 + buffer] || !sizes)
        return bad(t, r, "a text is in a buffer that is not there");
    if (offset < 0 || offset > hr_arrow_int_at(sizes, (size_t)buffer, 8) - length)
        return bad(t, r, "a text ends after its buffer");
    item->text = (const char *)array->buffers[2 + buffer] + offset;
    return HR_OK;
}

static hr_status offset_text(const table_reader *t, const column_reader *r,
                             const struct ArrowArray *array, size_t i, hr_dictionary_item *item) {
    unsigned width = r->type.kind == HR_ARROW_LARGE_TEXT ? 8 : 4;
    int64_t start = hr_arrow_int_at(array->buffers[1], i, width);
    int64_t end = hr_arrow_int_at(array->buffers[1], i + 1, width);
    if (start < 0 || end < start) return bad(t, r, "offsets of texts go backwards");
    const char *bytes = array->buffers[2];
    if (end > start && !bytes) return bad(t, r, "a buffer is missing");
    *item =
        (hr_dictionary_item){.text = bytes ? bytes + start : "", .length = (size_t)(end - start)};
    return HR_OK;
}

/* Texts that were added from code `first` on must be UTF-8 without zero bytes. */
static hr_status check_texts(const table_reader *t, const column_reader *r, uint32_t first,
                             const slice *s, const uint32_t *codes) {
    const hr_dictionary *d = &r->column->dictionary;
    for (uint32_t code = first; code < d->count; code++) {
        const char *text = hr_dictionary_text(d, code);
        size_t length = hr_dictionary_length(d, code), i = 0;
        bool cut, zero = memchr(text, 0, length);
        if (!zero && hr_utf8_valid(text, length, &cut) == length) continue;
        while (i < s->rows && codes[i] != code)
            i++;
        return hr_fail(t->err, HR_EDATA, "row %" PRIu64 ", column '%s': the text %s",
                       s->row + i + 1, r->column->name, zero ? "has a zero byte" : "is not UTF-8");
    }
    return HR_OK;
}

/* Encodes the texts of `rows` rows, except those that are null. Without a slice all elements from 0
 * on are encoded. */
static hr_status encode_texts(const table_reader *t, column_reader *r, const slice *s,
                              uint32_t *codes) {
    hr_dictionary_item items[CHUNK];
    uint32_t place[CHUNK];
    size_t count = 0;
    uint32_t first = r->column->dictionary.count;
    bool view = r->type.kind == HR_ARROW_TEXT_VIEW;
    for (size_t i = 0; i < s->rows; i++) {
        if (!is_valid(s, i)) {
            HR_TRY(hr_dictionary_null(&r->column->dictionary, &codes[i], t->err));
            continue;
        }
        HR_TRY((view ? view_text : offset_text)(t, r, s->array, s->first + i, &items[count]));
        place[count++] = (uint32_t)i;
    }
    HR_TRY(hr_dictionary_intern_all(&r->column->dictionary, items, count, t->err));
    for (size_t i = 0; i < count; i++)
        codes[place[i]] = items[i].code;
    return check_texts(t, r, first, s, codes);
}

/* ---- dictionaries ---- */

static hr_status encode_plain(const table_reader *t, column_reader *r, const slice *s,
                              uint32_t *codes) {
    if (hr_arrow_is_text(&r->type)) return encode_texts(t, r, s, codes);
    if (r->type.kind == HR_ARROW_NULL) return encode_nulls(t, r, s, codes);
    return encode_values(t, r, s, codes);
}

static bool index_at(const column_reader *r, const struct ArrowArray *array, size_t i,
                     uint64_t *out) {
    int64_t number = hr_arrow_int_at(array->buffers[1], i, r->index.width);
    if (r->index.kind == HR_ARROW_UINT && r->index.width < 8)
        number &= (INT64_C(1) << 8 * r->index.width) - 1;
    *out = (uint64_t)number;
    return number >= 0;
}

/* Encodes rows that are indices into the batch's dictionary. A value of the dictionary is encoded
 * when the first row has it, so unused values never are. */
static hr_status encode_indices(const table_reader *t, column_reader *r, const slice *s,
                                uint32_t *codes) {
    const struct ArrowArray *values = s->array->dictionary;
    for (size_t i = 0; i < s->rows; i++) {
        uint64_t at;
        if (!is_valid(s, i)) {
            HR_TRY(hr_dictionary_null(&r->column->dictionary, &codes[i], t->err));
            continue;
        }
        if (!index_at(r, s->array, s->first + i, &at) || at >= (uint64_t)values->length)
            return bad(t, r, "an index is not one of its dictionary");
        if (r->translated[at] == HR_NONE) {
            slice one = {.array = values,
                         .first = (size_t)values->offset + at,
                         .rows = 1,
                         .row = s->row + i};
            HR_TRY(encode_plain(t, r, &one, &r->translated[at]));
        }
        codes[i] = r->translated[at];
    }
    return HR_OK;
}

/* The dictionary of a batch may differ from the last one's. */
static hr_status start_dictionary(const table_reader *t, column_reader *r,
                                  const struct ArrowArray *array) {
    const struct ArrowArray *values = array->dictionary;
    if (!values) return bad(t, r, "its dictionary is missing");
    HR_TRY(check_array(t, r, values, &r->type, values->length > 0 ? (size_t)values->length : 0));
    if ((uint64_t)values->length >= HR_NONE) return bad(t, r, "its dictionary is too large");
    HR_TRY(hr_grow(&r->translated, &r->translated_capacity, (size_t)values->length,
                   sizeof *r->translated, t->err));
    if (values->length) memset(r->translated, 0xff, (size_t)values->length * sizeof *r->translated);
    return HR_OK;
}

/* ---- batches ---- */

static hr_status read_column(const table_reader *t, column_reader *r,
                             const struct ArrowArray *batch, hr_progress *progress) {
    const struct ArrowArray *array = batch->children[r->child];
    size_t rows = (size_t)batch->length, end = (size_t)batch->offset + rows;
    bool coded = r->index.width > 0;
    uint32_t codes[CHUNK];
    HR_TRY(check_array(t, r, array, coded ? &r->index : &r->type, end));
    if (coded) HR_TRY(start_dictionary(t, r, array));
    for (size_t done = 0; done < rows; done += CHUNK) {
        slice s = {.array = array,
                   .first = (size_t)array->offset + (size_t)batch->offset + done,
                   .rows = rows - done < CHUNK ? rows - done : CHUNK,
                   .parent_valid = batch->buffers ? batch->buffers[0] : NULL,
                   .parent_first = (size_t)batch->offset + done,
                   .row = t->rows + done};
        HR_TRY((coded ? encode_indices : encode_plain)(t, r, &s, codes));
        HR_TRY(hr_column_append_codes(r->column, codes, s.rows, t->err));
        HR_TRY(hr_progress_add(progress, 0, t->err));
    }
    return HR_OK;
}

static hr_status read_batch(table_reader *t, const struct ArrowArray *batch,
                            hr_progress *progress) {
    if (batch->n_children != t->child_count || batch->length < 0 || batch->offset < 0 ||
        (batch->n_children > 0 && !batch->children))
        return hr_fail(t->err, HR_EDATA, "an Arrow batch does not fit its schema");
    if (t->rows + (uint64_t)batch->length >= HR_NONE - 1)
        return hr_fail(t->err, HR_EDATA, "a table holds at most 4 billion rows");
    for (size_t i = 0; i < t->count; i++)
        HR_TRY(read_column(t, &t->readers[i], batch, progress));
    t->rows += (uint64_t)batch->length;
    return hr_progress_add(progress, (uint64_t)batch->length, t->err);
}

static hr_status stream_failed(struct ArrowArrayStream *stream, int code, hr_error *err) {
    const char *why = stream->get_last_error ? stream->get_last_error(stream) : NULL;
    return hr_fail(err, code == ENOMEM ? HR_ENOMEM : HR_EIO, "the Arrow stream failed: %s",
                   why ? why : strerror(code));
}

static hr_status read_batches(table_reader *t, struct ArrowArrayStream *stream,
                              const hr_watch *watch) {
    hr_progress progress = {0};
    hr_status status = HR_OK;
    hr_progress_start(&progress, watch, "read", 0);
    while (status == HR_OK) {
        struct ArrowArray batch = {0};
        int code = stream->get_next(stream, &batch);
        if (code) return stream_failed(stream, code, t->err);
        if (!batch.release) break;
        status = read_batch(t, &batch, &progress);
        batch.release(&batch);
    }
    hr_progress_end(&progress);
    return status;
}

/* ---- the schema ---- */

static const char *name_of(const struct ArrowSchema *schema) {
    return schema->name ? schema->name : "";
}

static bool is_wanted(const char *name, const char *const *columns, size_t count) {
    for (size_t i = 0; columns && i < count; i++)
        if (hr_same_name(columns[i], name)) return true;
    return !columns;
}

/* The name of a type that is not read; "values" if it is not known. */
static const char *kind_of(const char *format) {
    static const struct {
        const char *begins, *kind;
    } kinds[] = {{"+l", "lists"},     {"+L", "lists"},     {"+vl", "lists"},  {"+vL", "lists"},
                 {"+w", "lists"},     {"+s", "structs"},   {"+m", "maps"},    {"+u", "unions"},
                 {"z", "bytes"},      {"Z", "bytes"},      {"vz", "bytes"},   {"w", "bytes"},
                 {"tD", "durations"}, {"ti", "intervals"}, {"+r", "run-ends"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strncmp(format, kinds[i].begins, strlen(kinds[i].begins))) return kinds[i].kind;
    return "values";
}

static hr_status unsupported(const struct ArrowSchema *schema, hr_error *err) {
    const struct ArrowSchema *values = schema->dictionary ? schema->dictionary : schema;
    const char *format = values->format ? values->format : "";
    return hr_fail(err, HR_EDATA,
                   "column '%s': %s (Arrow type '%s') cannot be read; cast them to text, numbers, "
                   "dates or times, or leave the column out",
                   name_of(schema), kind_of(format), format);
}

static hr_status start_column(column_reader *r, const struct ArrowSchema *schema, hr_error *err) {
    const struct ArrowSchema *values = schema->dictionary ? schema->dictionary : schema;
    if (!values->format || !schema->format || values->dictionary ||
        !hr_arrow_parse_format(values->format, &r->type))
        return unsupported(schema, err);
    r->column->format = hr_copy_text(values->format, strlen(values->format), err);
    if (!r->column->format) return HR_ENOMEM;
    if (!schema->dictionary) return HR_OK;
    r->column->coded = true;
    bool known = hr_arrow_parse_format(schema->format, &r->index);
    if (known && (r->index.kind == HR_ARROW_INT || r->index.kind == HR_ARROW_UINT)) return HR_OK;
    return unsupported(schema, err);
}

/* Stores the names of all columns, so that those left out can be named. */
static hr_status keep_header(hr_table *table, const struct ArrowSchema *schema, hr_error *err) {
    size_t count = (size_t)schema->n_children;
    table->header = hr_alloc(count, sizeof *table->header, err);
    if (!table->header) return HR_ENOMEM;
    for (; table->header_count < count; table->header_count++) {
        const char *name = name_of(schema->children[table->header_count]);
        char *copy = hr_copy_text(name, strlen(name), err);
        if (!copy) return HR_ENOMEM;
        table->header[table->header_count] = copy;
    }
    return HR_OK;
}

/* A table with the wanted columns, and a reader for each. */
static hr_status start_table(table_reader *t, const struct ArrowSchema *schema,
                             const char *const *columns, size_t count) {
    if (!schema->format || strcmp(schema->format, "+s"))
        return hr_fail(t->err, HR_EDATA, "the Arrow stream has no record batches: its type is '%s'",
                       schema->format ? schema->format : "");
    t->child_count = schema->n_children;
    size_t children = (size_t)schema->n_children;
    const char **names = hr_alloc(children, sizeof *names, t->err);
    t->readers = hr_alloc(children, sizeof *t->readers, t->err);
    hr_status status = names && t->readers ? HR_OK : HR_ENOMEM;
    for (size_t i = 0; i < children && status == HR_OK; i++) {
        const char *name = name_of(schema->children[i]);
        if (!is_wanted(name, columns, count)) continue;
        t->readers[t->count].child = i;
        names[t->count++] = name;
    }
    if (status == HR_OK)
        status = hr_table_new(t->count, (const char *const *)names, &t->table, t->err);
    if (status == HR_OK && t->count < children) status = keep_header(t->table, schema, t->err);
    for (size_t i = 0; i < t->count && status == HR_OK; i++) {
        t->readers[i].column = &t->table->columns[i];
        status = start_column(&t->readers[i], schema->children[t->readers[i].child], t->err);
    }
    free(names);
    return status;
}

static hr_status read_stream(table_reader *t, struct ArrowArrayStream *stream,
                             const char *const *columns, size_t count, const hr_watch *watch) {
    struct ArrowSchema schema = {0};
    int code = stream->get_schema(stream, &schema);
    if (code) return stream_failed(stream, code, t->err);
    hr_status status = start_table(t, &schema, columns, count);
    if (schema.release) schema.release(&schema);
    HR_TRY(status);
    HR_TRY(read_batches(t, stream, watch));
    t->table->rows = (size_t)t->rows;
    return HR_OK;
}

hr_status hr_table_from_arrow(struct ArrowArrayStream *stream, const char *const *columns,
                              size_t count, const hr_watch *watch, hr_table **out, hr_error *err) {
    table_reader t = {.err = err};
    hr_watch own;
    *out = NULL;
    if (!stream || !stream->release)
        return hr_fail(err, HR_EINVAL, "the Arrow stream has been released already");
    hr_status status = hr_watch_copy(watch, &own, err);
    if (status == HR_OK) status = read_stream(&t, stream, columns, count, &own);
    for (size_t i = 0; i < t.count; i++) {
        hr_map64_free(&t.readers[i].bits);
        free(t.readers[i].code);
        free(t.readers[i].translated);
    }
    free(t.readers);
    stream->release(stream);
    if (status == HR_OK)
        *out = t.table;
    else
        hr_table_free(t.table);
    return status;
}
