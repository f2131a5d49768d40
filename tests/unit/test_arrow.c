/* Arrow streams into tables and back: arrays with offsets and validity, arrays that are wrong,
 * arrays that outlive their table, and allocations that fail. tests/arrow has the round trips
 * with other libraries. */
#include "data/arrow.h"
#include "unit.h"

#include <math.h>

/* ---- streams written by hand ---- */

enum { COLUMNS = 3 };

/* One batch, given as often as `batches` says. */
typedef struct {
    struct ArrowSchema schema, *schemas[COLUMNS], schema_of[COLUMNS], values_schema;
    struct ArrowArray batch, *arrays[COLUMNS], array_of[COLUMNS], values;
    const void *buffers_of[COLUMNS][4], *values_buffers[4], *batch_buffers[1];
    int batches;
    int released; /* streams, schemas and batches */
    int fails;    /* what get_next returns */
} hand_made;

static hand_made made;

static void schema_gone(struct ArrowSchema *schema) {
    schema->release = NULL;
    made.released++;
}

static void array_gone(struct ArrowArray *array) {
    array->release = NULL;
    made.released++;
}

static void stream_gone(struct ArrowArrayStream *stream) {
    stream->release = NULL;
    made.released++;
}

static int give_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    (void)stream;
    *out = made.schema;
    return 0;
}

static int give_batch(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    (void)stream;
    *out = (struct ArrowArray){0};
    if (made.fails) return made.fails;
    if (made.batches-- > 0) *out = made.batch;
    return 0;
}

static const char *give_error(struct ArrowArrayStream *stream) {
    (void)stream;
    return "the disk is gone";
}

static void start(size_t columns, int64_t rows) {
    static const char *const names[] = {"a", "b", "c"};
    made = (hand_made){.batches = 1};
    made.schema = (struct ArrowSchema){.format = "+s",
                                       .n_children = (int64_t)columns,
                                       .children = made.schemas,
                                       .release = schema_gone};
    made.batch = (struct ArrowArray){.length = rows,
                                     .n_buffers = 1,
                                     .buffers = made.batch_buffers,
                                     .n_children = (int64_t)columns,
                                     .children = made.arrays,
                                     .release = array_gone};
    for (size_t i = 0; i < columns; i++) {
        made.schema_of[i] = (struct ArrowSchema){.name = names[i], .release = schema_gone};
        made.array_of[i] = (struct ArrowArray){
            .length = rows, .buffers = made.buffers_of[i], .release = array_gone};
        made.schemas[i] = &made.schema_of[i];
        made.arrays[i] = &made.array_of[i];
    }
}

static void set_column(size_t i, const char *format, int64_t buffers, const void *valid,
                       const void *second, const void *third) {
    made.schema_of[i].format = format;
    made.array_of[i].n_buffers = buffers;
    made.buffers_of[i][0] = valid;
    made.buffers_of[i][1] = second;
    made.buffers_of[i][2] = third;
}

static hr_status read_made(const char *const *columns, size_t count, hr_table **out,
                           hr_error *err) {
    struct ArrowArrayStream stream = {give_schema, give_batch, give_error, stream_gone, NULL};
    hr_status status = hr_table_from_arrow(&stream, columns, count, NULL, out, err);
    assert_null(stream.release);
    return status;
}

static void refuses(const char *reason) {
    hr_table *table = NULL;
    hr_error err = {0};
    assert_int_not_equal(read_made(NULL, 0, &table, &err), HR_OK);
    assert_null(table);
    if (!strstr(err.message, reason)) fail_msg("'%s' does not say '%s'", err.message, reason);
}

static void is_text(const hr_table *table, size_t row, size_t column, const char *text) {
    const hr_column *c = &table->columns[column];
    assert_string_equal(hr_table_text(table, row, column), text ? text : "");
    assert_int_equal(hr_dictionary_is_null(&c->dictionary, hr_column_code(c, row)), text == NULL);
}

/* ---- reading ---- */

static const int32_t offsets[] = {0, 2, 2, 5, 5};
static const char letters[] = "xyabc";
static const int64_t numbers[] = {-7, 39, 39, 0};

static void test_offsets_and_validity(void **state) {
    (void)state;
    const uint8_t text_valid = 0x0b, batch_valid = 0x0d; /* not row 2; not row 1 */
    const uint16_t indices[] = {1, 0, 1, 1};
    hr_table *table;
    start(3, 4);
    set_column(0, "u", 3, &text_valid, offsets, letters);
    set_column(1, "l", 2, NULL, numbers, NULL);
    set_column(2, "S", 2, NULL, indices, NULL);
    made.schema_of[2].dictionary = &made.values_schema;
    made.values_schema = (struct ArrowSchema){.format = "u", .release = schema_gone};
    made.array_of[2].dictionary = &made.values;
    made.values = (struct ArrowArray){.length = 2,
                                      .offset = 1,
                                      .n_buffers = 3,
                                      .buffers = made.values_buffers,
                                      .release = array_gone};
    made.values_buffers[1] = offsets; /* its values are "" and "abc" */
    made.values_buffers[2] = letters;
    MUST(read_made(NULL, 0, &table, &err));
    assert_int_equal(made.released, 3); /* stream, schema and batch */
    static const char *const plain[4][3] = {
        {"xy", "-7", "abc"}, {"", "39", ""}, {NULL, "39", "abc"}, {"", "0", "abc"}};
    for (size_t row = 0; row < 4; row++)
        for (size_t c = 0; c < 3; c++)
            is_text(table, row, c, plain[row][c]);
    assert_int_equal(table->columns[2].dictionary.count, 2);
    hr_table_free(table);

    /* The batch begins one row later, and its second row is null as a whole. */
    made.batches = 2;
    made.batch.offset = 1;
    made.batch.length = 3;
    made.batch_buffers[0] = &batch_valid;
    MUST(read_made(NULL, 0, &table, &err));
    assert_int_equal(hr_table_rows(table), 6);
    for (size_t row = 0; row < 6; row++)
        for (size_t c = 0; c < 3; c++)
            is_text(table, row, c, row % 3 == 0 ? NULL : plain[row % 3 + 1][c]);
    hr_table_free(table);
}

static void test_wanted_columns(void **state) {
    (void)state;
    const char *const wanted[] = {"b"};
    hr_table *table;
    start(2, 4);
    set_column(0, "+l", 2, NULL, offsets, NULL); /* a list, but nobody wants it */
    set_column(1, "l", 2, NULL, numbers, NULL);
    MUST(read_made(wanted, 1, &table, &err));
    assert_int_equal(hr_table_columns(table), 1);
    assert_string_equal(hr_table_name(table, 0), "b");
    assert_int_equal(table->header_count, 2);
    assert_string_equal(table->header[0], "a");
    hr_table_free(table);
    start(2, 4);
    set_column(0, "+l", 2, NULL, offsets, NULL);
    set_column(1, "l", 2, NULL, numbers, NULL);
    refuses("column 'a': lists (Arrow type '+l')");
}

static void good_column(void) {
    start(1, 4);
    set_column(0, "u", 3, NULL, offsets, letters);
}

static void test_refused(void **state) {
    (void)state;
    static const int32_t backwards[] = {0, 2, 1, 5, 5}, negative[] = {0, 2, -1, -1, 5};
    static const int8_t indices[] = {0, 1, 0, -1};
    good_column();
    made.fails = 5;
    refuses("the Arrow stream failed: the disk is gone");
    good_column();
    made.schema.format = "u";
    refuses("no record batches");
    good_column();
    made.batch.n_children = 0;
    refuses("does not fit its schema");
    good_column();
    made.array_of[0].length = 3;
    refuses("column 'a': the Arrow array is not valid: it is shorter than its batch");
    good_column();
    made.array_of[0].n_buffers = 2;
    refuses("wrong number of buffers");
    good_column();
    made.array_of[0].release = NULL;
    refuses("released");
    good_column();
    made.array_of[0].null_count = 1;
    refuses("does not say where");
    good_column();
    made.buffers_of[0][1] = backwards;
    refuses("backwards");
    good_column();
    made.buffers_of[0][1] = negative;
    refuses("backwards");
    good_column();
    made.buffers_of[0][2] = "x\xffyab";
    refuses("row 1, column 'a': the text is not UTF-8");
    good_column();
    made.buffers_of[0][2] = "xya\0b";
    refuses("row 3, column 'a': the text has a zero byte");
    good_column();
    made.schema_of[0].name = "";
    refuses("has no name");
    good_column();
    set_column(0, "c", 2, NULL, indices, NULL);
    made.values_schema = (struct ArrowSchema){.format = "u", .release = schema_gone};
    made.schema_of[0].dictionary = &made.values_schema;
    refuses("its dictionary is missing");
    good_column();
    set_column(0, "c", 2, NULL, indices, NULL);
    made.values_schema = (struct ArrowSchema){.format = "n", .release = schema_gone};
    made.schema_of[0].dictionary = &made.values_schema;
    made.values = (struct ArrowArray){.length = 2, .release = array_gone};
    made.array_of[0].dictionary = &made.values;
    refuses("an index is not one of its dictionary");
    struct ArrowArrayStream stream = {0};
    hr_table *table;
    hr_error err = {0};
    assert_int_equal(hr_table_from_arrow(&stream, NULL, 0, NULL, &table, &err), HR_EINVAL);
}

/* ---- values ---- */

static void value_is(const char *format, const void *value, const char *text) {
    hr_arrow_type type;
    char actual[HR_ARROW_TEXT_MOST];
    uint8_t back[32] = {0};
    assert_true(hr_arrow_parse_format(format, &type));
    size_t length = hr_arrow_value_text(&type, value, actual);
    assert_int_equal(length, strlen(text));
    assert_string_equal(actual, text);
    assert_true(hr_arrow_text_value(&type, text, back));
    assert_memory_equal(back, value, type.width ? type.width : 1);
}

#define VALUE_IS(format, type, number, text)                                                       \
    do {                                                                                           \
        type value = number;                                                                       \
        value_is(format, &value, text);                                                            \
    } while (0)

static void test_values(void **state) {
    (void)state;
    VALUE_IS("c", int8_t, INT8_MIN, "-128");
    VALUE_IS("C", uint8_t, 255, "255");
    VALUE_IS("l", int64_t, INT64_MIN, "-9223372036854775808");
    VALUE_IS("L", uint64_t, UINT64_MAX, "18446744073709551615");
    VALUE_IS("g", double, 39.0, "39");
    VALUE_IS("g", double, -0.0, "-0");
    VALUE_IS("g", double, 0.1, "0.1");
    VALUE_IS("g", double, 1.0 / 3, "0.3333333333333333");
    VALUE_IS("g", double, 5e-324, "5e-324");
    VALUE_IS("g", double, 1e22, "1e+22");
    VALUE_IS("g", double, INFINITY, "inf");
    VALUE_IS("f", float, 0.1F, "0.1");
    VALUE_IS("f", float, 3.4028235e38F, "3.4028235e+38");
    VALUE_IS("tdD", int32_t, 19782, "2024-02-29");
    VALUE_IS("tdD", int32_t, -719529, "-000001-12-31");
    VALUE_IS("tdm", int64_t, 86400000, "1970-01-02");
    VALUE_IS("tts", int32_t, 86399, "23:59:59");
    VALUE_IS("ttn", int64_t, 1, "00:00:00.000000001");
    VALUE_IS("tss:", int64_t, -1, "1969-12-31T23:59:59");
    VALUE_IS("tsm:UTC", int64_t, 1500, "1970-01-01T00:00:01.500Z");
    VALUE_IS("tsn:", int64_t, INT64_MIN, "1677-09-21T00:12:43.145224192");
    VALUE_IS("b", uint8_t, 1, "true");
    const int64_t hundredths[2] = {-5, -1};
    value_is("d:10,2", hundredths, "-0.05");
    value_is("d:10,-2", hundredths, "-500");
}

static void test_texts_that_are_no_values(void **state) {
    (void)state;
    static const char *const pairs[][2] = {{"c", "128"},
                                           {"C", "-1"},
                                           {"l", "9223372036854775808"},
                                           {"i", "1.0"},
                                           {"g", "0x10"},
                                           {"g", ""},
                                           {"tdD", "2024-13-01"},
                                           {"tdD", "2024-01"},
                                           {"tts", "25"},
                                           {"ttm", "01:02:03.5"},
                                           {"tss:", "2024-01-01"},
                                           {"tss:UTC", "2024-01-01T00:00:00"},
                                           {"d:10,2", "1.234"},
                                           {"d:10,2", "x.00"},
                                           {"b", "yes"},
                                           {"tsn:", "9999-01-01T00:00:00"},
                                           {"d:9,0,32", "99999999999"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        hr_arrow_type type;
        uint8_t value[32];
        assert_true(hr_arrow_parse_format(pairs[i][0], &type));
        if (hr_arrow_text_value(&type, pairs[i][1], value))
            fail_msg("'%s' was taken for %s", pairs[i][1], pairs[i][0]);
    }
}

static double random_double(hr_random *random) {
    uint64_t bits = hr_random_next(random);
    double number;
    if (below(random, 2)) return (double)(int64_t)bits / (double)(1 + below(random, 100000));
    memcpy(&number, &bits, sizeof number);
    return isfinite(number) ? number : 0.5;
}

/* The definition: the text reads back, and none with fewer digits does. */
static void test_floats_are_shortest(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 8, 0);
    hr_arrow_type type;
    hr_arrow_parse_format("g", &type);
    for (int i = 0; i < 20000; i++) {
        char text[HR_ARROW_TEXT_MOST], shorter[64];
        double number = random_double(&random);
        hr_arrow_value_text(&type, &number, text);
        assert_true(strtod(text, NULL) == number);
        int digits = 0;
        bool leading = true;
        for (const char *c = text; *c && *c != 'e'; c++) {
            if (*c < '0' || *c > '9') continue;
            leading = leading && *c == '0';
            digits += !leading;
        }
        if (!strpbrk(text, ".e")) /* zeros at the end of a whole number are no digits */
            for (size_t at = strlen(text); at-- > 1 && text[at] == '0';)
                digits--;
        if (digits < 2) continue;
        snprintf(shorter, sizeof shorter, "%.*e", digits - 2, number);
        assert_true(strtod(shorter, NULL) != number);
    }
}

/* ---- writing ---- */

static hr_table *mixed_table(hr_error *err) {
    static const uint8_t valid = 0x07;
    hr_table *table = NULL;
    start(2, 4);
    set_column(0, "u", 3, &valid, offsets, letters);
    set_column(1, "l", 2, NULL, numbers, NULL);
    if (read_made(NULL, 0, &table, err) == HR_OK) table->columns[0].coded = true;
    return table;
}

/* A consumer may take a child out, release the rest, and use the child as long as it likes. */
static void test_arrays_outlive_their_table(void **state) {
    (void)state;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch, child, end;
    hr_error ignored;
    hr_table *table = mixed_table(&ignored);
    const void *codes = table->columns[0].codes;
    MUST(hr_table_to_arrow(table, &stream, &err));
    hr_table_free(table);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_string_equal(schema.children[0]->format, "c");
    assert_string_equal(schema.children[0]->dictionary->format, "u");
    assert_string_equal(schema.children[1]->format, "l");
    schema.release(&schema);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(stream.get_next(&stream, &end), 0);
    assert_null(end.release);
    stream.release(&stream);
    child = *batch.children[0];
    batch.children[0]->release = NULL;
    batch.release(&batch);
    assert_ptr_equal(child.buffers[1], codes); /* borrowed, not copied */
    assert_int_equal(child.null_count, 1);
    const int32_t *ends = child.dictionary->buffers[1];
    const char *bytes = child.dictionary->buffers[2];
    assert_memory_equal(bytes + ends[0], "xy", 2);
    child.release(&child);
}

static void test_empty_table(void **state) {
    (void)state;
    struct ArrowArrayStream stream;
    static const char *const names[] = {"a", "b"};
    hr_table *again, *table;
    MUST(hr_table_new(2, names, &table, &err));
    MUST(hr_table_to_arrow(table, &stream, &err));
    hr_table_free(table);
    MUST(hr_table_from_arrow(&stream, NULL, 0, NULL, &again, &err));
    assert_int_equal(hr_table_rows(again), 0);
    assert_int_equal(hr_table_columns(again), 2);
    hr_table_free(again);
}

/* ---- releases ---- */

/* Ages in pairs, an integer sensitive column with a null, and an unreleased identifier. */
static hr_table *people(void) {
    static const int64_t ages[] = {30, 31, 50, 51, 70}, incomes[] = {100, 200, 0, 300, 7};
    static const uint8_t income_valid = 0x1b; /* the third is null */
    static const int32_t name_ends[] = {0, 1, 2, 3, 4, 5};
    hr_table *table = NULL;
    start(3, 5);
    set_column(0, "l", 2, NULL, ages, NULL);
    set_column(1, "i", 2, &income_valid, NULL, NULL);
    set_column(2, "u", 3, NULL, name_ends, "ABCDE");
    static int32_t narrow[5];
    for (int i = 0; i < 5; i++)
        narrow[i] = (int32_t)incomes[i];
    made.buffers_of[1][1] = narrow;
    MUST(read_made(NULL, 0, &table, &err));
    return table;
}

static void test_release_keeps_types(void **state) {
    (void)state;
    static const char *const settings[][2] = {
        {"quasi", "a"}, {"numeric", "a"}, {"sensitive", "b"}, {"identifier", "c"}, {"k", "2"}};
    hr_table *table = people();
    hr_job *job;
    hr_release *release;
    MUST(hr_job_new(&job, &err));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        MUST(hr_job_set(job, settings[i][0], settings[i][1], &err));
    MUST(hr_job_set_input(job, table, &err));
    MUST(hr_job_run(job, NULL, &release, &err));
    const hr_table *released = hr_release_table(release);
    assert_int_equal(hr_table_rows(released), 5);
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    MUST(hr_table_to_arrow(released, &stream, &err));
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    assert_int_equal(schema.n_children, 2);
    assert_string_equal(schema.children[0]->dictionary->format, "u"); /* ages are text now */
    assert_string_equal(schema.children[1]->format, "i");
    const struct ArrowArray *ages = batch.children[0]->dictionary;
    assert_int_equal(ages->length, 2); /* no value that no row has */
    assert_memory_equal((const char *)ages->buffers[2], "30..31", 6);
    const struct ArrowArray *incomes = batch.children[1];
    assert_int_equal(incomes->null_count, 1);
    int64_t sum = 0;
    for (size_t i = 0; i < 5; i++)
        if (((const uint8_t *)incomes->buffers[0])[0] >> i & 1)
            sum += hr_arrow_int_at(incomes->buffers[1], i, 4);
    assert_int_equal(sum, 607);
    schema.release(&schema);
    batch.release(&batch);
    stream.release(&stream);
}

static hr_status there_and_back(hr_error *err) {
    struct ArrowArrayStream stream;
    hr_table *again = NULL, *table = mixed_table(err);
    if (!table) return HR_ENOMEM;
    hr_status status = hr_table_to_arrow(table, &stream, err);
    if (status == HR_OK) status = hr_table_from_arrow(&stream, NULL, 0, NULL, &again, err);
    hr_table_free(table);
    hr_table_free(again);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    hr_memory_fail_at(1);
    void *memory = hr_alloc(1, 1, NULL);
    hr_memory_fail_at(0);
    free(memory);
    if (memory) skip();
    for (long nth = 1; nth < 400; nth++) {
        hr_error err = {0};
        hr_memory_fail_at(nth);
        hr_status status = there_and_back(&err);
        hr_memory_fail_at(0);
        if (status == HR_OK) {
            assert_true(nth > 20); /* it did get somewhere */
            return;
        }
        assert_int_equal(status, HR_ENOMEM);
        assert_non_null(strstr(err.message, "out of memory"));
    }
    fail_msg("it never came to an end");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_offsets_and_validity),
        cmocka_unit_test(test_wanted_columns),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_texts_that_are_no_values),
        cmocka_unit_test(test_floats_are_shortest),
        cmocka_unit_test(test_arrays_outlive_their_table),
        cmocka_unit_test(test_empty_table),
        cmocka_unit_test(test_release_keeps_types),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
