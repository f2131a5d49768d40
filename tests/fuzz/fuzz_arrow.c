/* fuzz_arrow.c - any bytes as a stream of Arrow batches: schemas, offsets, nulls, dictionaries, and
 * buffers that are wrong where the specification lets a consumer see it (lengths of buffers are not
 * among it, so the buffers are as long as the array says). What is read must come out again, and be
 * read again as the same table. */
#include "data/arrow.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_that(bool holds) {
    if (!holds) abort();
}

/* ---- the input as a list of decisions ---- */

static const uint8_t *input;
static size_t input_left;

static unsigned draw(unsigned below) {
    if (input_left == 0) return 0;
    input_left--;
    return *input++ % below;
}

static int64_t draw_number(void) {
    int64_t number = 0;
    unsigned bytes = draw(9);
    for (unsigned i = 0; i < bytes; i++)
        number = (int64_t)((uint64_t)number << 8 | draw(256));
    return draw(2) ? number : -(number >> 1);
}

/* ---- arrays ---- */

enum { COLUMNS = 4, BATCHES = 3, ROWS = 40, BLOCKS = 2000 };

static void *blocks[BLOCKS];
static size_t block_count;

static void *take(size_t bytes) {
    void *block = calloc(1, bytes ? bytes : 1);
    check_that(block && block_count < BLOCKS);
    blocks[block_count++] = block;
    return block;
}

static const char *const formats[] = {
    "u",        "U",           "vu",  "n",   "b",   "c",   "C",    "s",
    "S",        "i",           "I",   "l",   "L",   "e",   "f",    "g",
    "d:10,2",   "d:60,-3,256", "tdD", "tdm", "tts", "ttn", "tss:", "tsn:Europe/Rome",
    "d:9,4,32", "+l",          "z",   "tDs", "",    "d:x", "ts?:", "w:4",
    "+s",
};

static void release_schema(struct ArrowSchema *schema) {
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
    array->release = NULL;
}

static void fill_random(uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count && input_left > 0; i++)
        bytes[i] = (uint8_t)draw(256);
}

/* Offsets are sorted but for a rare slip: texts stay within the bytes either way. */
static void add_texts(struct ArrowArray *array, size_t rows, unsigned width) {
    size_t bytes = draw(200);
    uint8_t *offsets = take((rows + 1) * width);
    uint8_t *text = take(bytes);
    int64_t at = 0;
    for (size_t i = 0; i <= rows; i++) {
        int64_t step = draw(6), own;
        at = at + step > (int64_t)bytes ? (int64_t)bytes : at + step;
        own = draw(64) == 63 ? draw((unsigned)bytes + 1) : at;
        int32_t narrow = (int32_t)own;
        memcpy(offsets + i * width, width == 4 ? (void *)&narrow : (void *)&own, width);
    }
    for (size_t i = 0; i < bytes; i++)
        text[i] = (uint8_t)(draw(40) == 39 ? draw(256) : 'a' + draw(3));
    array->buffers[1] = offsets;
    array->buffers[2] = text;
}

static void add_views(struct ArrowArray *array, size_t rows) {
    enum { BYTES = 64 };
    uint8_t *views = take(rows * 16), *text = take(BYTES);
    int64_t *sizes = take(sizeof *sizes);
    memset(text, 'x', BYTES);
    *sizes = BYTES;
    for (size_t i = 0; i < rows; i++) {
        int32_t length = (int32_t)draw(40) - (draw(50) == 49 ? 41 : 0);
        int32_t place[2] = {draw(50) == 49 ? (int32_t)draw_number() : 0,
                            draw(50) == 49 ? (int32_t)draw_number() : (int32_t)draw(BYTES)};
        memcpy(views + i * 16, &length, 4);
        memset(views + i * 16 + 4, 'x', 12);
        if (length > 12) memcpy(views + i * 16 + 8, place, 8);
    }
    array->n_buffers = 4;
    array->buffers[1] = views;
    array->buffers[2] = text;
    array->buffers[3] = sizes;
}

static void make_array(struct ArrowArray *array, const char *format, size_t rows);

static void make_values(struct ArrowArray *array, const char *format, size_t rows) {
    hr_arrow_type type = {0};
    array->buffers = take(4 * sizeof *array->buffers);
    array->n_buffers = 2;
    if (!hr_arrow_parse_format(format, &type)) return;
    if (type.kind == HR_ARROW_NULL) {
        array->n_buffers = 0;
        return;
    }
    if (draw(2)) {
        uint8_t *valid = take(rows / 8 + 1);
        fill_random(valid, rows / 8 + 1);
        array->buffers[0] = valid;
    }
    if (type.kind == HR_ARROW_TEXT_VIEW) {
        add_views(array, rows);
    } else if (hr_arrow_is_text(&type)) {
        array->n_buffers = 3;
        add_texts(array, rows, type.kind == HR_ARROW_LARGE_TEXT ? 8 : 4);
    } else {
        size_t bytes = type.width ? rows * type.width : rows / 8 + 1;
        uint8_t *values = take(bytes);
        fill_random(values, bytes);
        array->buffers[1] = values;
    }
}

/* Rarely something is wrong that a consumer can see. */
static void spoil(struct ArrowArray *array) {
    switch (draw(60)) {
    case 50: array->n_buffers = draw(2); break;
    case 51: array->length = -1; break;
    case 52: array->offset = -1; break;
    case 53: array->release = NULL; break;
    case 54: array->length = 0; break;
    case 55: array->buffers = NULL; break;
    case 56: array->null_count = 3; break;
    case 57:
        if (array->n_buffers > 1) array->buffers[1] = NULL;
        break;
    default: break;
    }
}

static void make_array(struct ArrowArray *array, const char *format, size_t rows) {
    size_t offset = draw(4) ? 0 : draw(9);
    *array = (struct ArrowArray){.length = (int64_t)rows,
                                 .null_count = -1,
                                 .offset = (int64_t)offset,
                                 .release = release_array};
    make_values(array, format, rows + offset);
}

/* ---- the stream ---- */

static struct ArrowSchema schema, *schema_children[COLUMNS], children_schema[COLUMNS],
    values_schema[COLUMNS];
static unsigned column_count, batches_left;

static void make_schema(void) {
    static const char *const names[] = {"a", "b", "c", "d", ""};
    column_count = draw(COLUMNS + 1);
    schema = (struct ArrowSchema){.format = draw(50) == 49 ? "l" : "+s",
                                  .n_children = column_count,
                                  .children = schema_children,
                                  .release = release_schema};
    for (unsigned i = 0; i < column_count; i++) {
        bool coded = draw(3) == 0;
        const char *format = formats[draw(sizeof formats / sizeof *formats)];
        children_schema[i] =
            (struct ArrowSchema){.format = coded ? formats[5 + draw(8)] : format,
                                 .name = draw(30) == 29 ? NULL : names[draw(30) == 29 ? 4 : i],
                                 .release = release_schema};
        values_schema[i] =
            (struct ArrowSchema){.format = format, .name = "", .release = release_schema};
        if (coded) children_schema[i].dictionary = &values_schema[i];
        schema_children[i] = &children_schema[i];
    }
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    (void)stream;
    if (draw(100) == 99) return 5;
    *out = schema;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    (void)stream;
    *out = (struct ArrowArray){0};
    if (draw(100) == 99) return 12;
    if (batches_left-- == 0) return 0;
    size_t rows = draw(ROWS), offset = draw(4) ? 0 : draw(5);
    *out = (struct ArrowArray){.length = (int64_t)rows,
                               .offset = (int64_t)offset,
                               .n_buffers = 1,
                               .buffers = take(sizeof *out->buffers),
                               .n_children = column_count,
                               .children = take(COLUMNS * sizeof *out->children),
                               .release = release_array};
    if (draw(4) == 0) {
        uint8_t *valid = take((rows + offset) / 8 + 1);
        fill_random(valid, (rows + offset) / 8 + 1);
        out->buffers[0] = valid;
    }
    for (unsigned i = 0; i < column_count; i++) {
        out->children[i] = take(sizeof **out->children);
        make_array(out->children[i], children_schema[i].format, rows + offset);
        if (children_schema[i].dictionary) {
            out->children[i]->dictionary = take(sizeof **out->children);
            make_array(out->children[i]->dictionary, values_schema[i].format, draw(20));
            spoil(out->children[i]->dictionary);
        }
        spoil(out->children[i]);
    }
    if (draw(100) == 99) out->n_children = draw(3);
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the fuzzer wants it so";
}

static void release_stream(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

/* ---- round trips ---- */

static void check_equal(const hr_table *a, const hr_table *b) {
    check_that(a->rows == b->rows && a->column_count == b->column_count);
    for (size_t c = 0; c < a->column_count; c++) {
        const hr_column *x = &a->columns[c], *y = &b->columns[c];
        check_that(!strcmp(x->name, y->name) && !strcmp(x->format, y->format));
        check_that(x->coded == y->coded);
        for (size_t row = 0; row < a->rows; row++) {
            uint32_t code = hr_column_code(x, row), other = hr_column_code(y, row);
            check_that(hr_dictionary_is_null(&x->dictionary, code) ==
                       hr_dictionary_is_null(&y->dictionary, other));
            check_that(!strcmp(hr_column_text(x, row), hr_column_text(y, row)));
        }
    }
}

static void write_and_read(hr_table *table) {
    struct ArrowArrayStream stream;
    hr_table *again = NULL;
    hr_error err = {0};
    check_that(hr_table_to_arrow(table, &stream, &err) == HR_OK);
    check_that(hr_table_from_arrow(&stream, NULL, 0, NULL, &again, &err) == HR_OK);
    check_equal(table, again);
    hr_table_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input = data;
    input_left = size;
    make_schema();
    batches_left = draw(BATCHES + 1);
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, NULL};
    hr_table *table = NULL;
    hr_error err = {0};
    hr_status status = hr_table_from_arrow(&stream, NULL, 0, NULL, &table, &err);
    check_that(!stream.release);
    check_that((status == HR_OK) == (table != NULL) && (status == HR_OK || err.message[0]));
    if (table) write_and_read(table);
    hr_table_free(table);
    while (block_count > 0)
        free(blocks[--block_count]);
    return 0;
}
