/* Tables from columns in memory, and read access to codes and dictionaries: the public
 * functions. */
#include "unit.h"

static const char *const cities[] = {"Graz", "Wien", NULL, "unused", ""};
static const uint32_t city_of_row[] = {1, 0, 2, 1, 4};
static const char *const notes[] = {"ab", "cd", "", NULL, "ab"};
static const size_t note_lengths[] = {1, 2, 0, 0, 1};

static hr_column_data coded(void) {
    return (hr_column_data){.size = sizeof(hr_column_data),
                            .name = "city",
                            .texts = cities,
                            .text_count = 5,
                            .codes = city_of_row,
                            .code_count = 5};
}

static hr_column_data plain(void) {
    return (hr_column_data){.size = sizeof(hr_column_data),
                            .name = "note",
                            .texts = notes,
                            .lengths = note_lengths,
                            .text_count = 5};
}

static void test_texts_and_codes(void **state) {
    (void)state;
    static const char *const expected[5][2] = {
        {"Wien", "a"}, {"Graz", "cd"}, {NULL, ""}, {"Wien", NULL}, {"", "a"}};
    hr_column_data columns[] = {coded(), plain()};
    hr_table *table;
    MUST(hr_table_from_columns(columns, 2, &table, &err));
    assert_int_equal(hr_table_rows(table), 5);
    assert_int_equal(hr_table_column(table, "note"), 1);
    assert_true(hr_table_column(table, "absent") == SIZE_MAX);
    for (size_t row = 0; row < 5; row++)
        for (size_t c = 0; c < 2; c++) {
            uint32_t code = hr_table_code(table, row, c);
            size_t length;
            const char *text = hr_table_code_text(table, c, code, &length);
            assert_int_equal(hr_table_is_null(table, row, c), expected[row][c] == NULL);
            assert_string_equal(hr_table_text(table, row, c),
                                expected[row][c] ? expected[row][c] : "");
            assert_int_equal(text == NULL, expected[row][c] == NULL);
            if (text) assert_int_equal(length, strlen(expected[row][c]));
        }
    assert_int_equal(hr_table_code_count(table, 0), 4); /* without the unused one */
    unsigned width;
    const uint8_t *codes = hr_table_codes(table, 0, &width);
    assert_int_equal(width, 1);
    assert_int_equal(codes[0], codes[3]);
    hr_table_free(table);
}

static void refuses(const hr_column_data *columns, size_t count, const char *reason) {
    hr_table *table = NULL;
    hr_error err = {0};
    assert_int_not_equal(hr_table_from_columns(columns, count, &table, &err), HR_OK);
    assert_null(table);
    if (!strstr(err.message, reason)) fail_msg("'%s' does not say '%s'", err.message, reason);
    assert_int_not_equal(hr_table_from_columns(columns, count, &table, NULL), HR_OK);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const latin[] = {"fine", "caf\xe9"};
    static const uint32_t wrong[] = {0, 5};
    hr_column_data two[] = {coded(), plain()};
    two[1].text_count = 4;
    refuses(two, 2, "'city' and 'note' have different numbers of rows");
    two[1] = coded();
    refuses(two, 2, "both named 'city'");
    two[0].size = 8;
    refuses(two, 2, "column 1: set `size`");
    hr_column_data one = plain();
    one.name = NULL;
    refuses(&one, 1, "has no name");
    one = plain();
    one.texts = NULL;
    refuses(&one, 1, "has no texts");
    one = (hr_column_data){.size = sizeof one, .name = "x", .texts = latin, .text_count = 2};
    refuses(&one, 1, "row 2 of column 'x' is not UTF-8");
    static const size_t long_by_one[] = {2, 3, 0, 0, 2};
    one = plain();
    one.lengths = long_by_one;
    refuses(&one, 1, "has a zero byte");
    one = coded();
    one.codes = wrong;
    one.code_count = 2;
    refuses(&one, 1, "row 2, column 'city': code 5 has no text");
}

static void test_rows_with_nulls(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b"};
    static const char *const row[] = {NULL, ""};
    hr_table *table;
    MUST(hr_table_new(2, names, &table, &err));
    MUST(hr_table_append(table, row, &err));
    assert_true(hr_table_is_null(table, 0, 0));
    assert_false(hr_table_is_null(table, 0, 1));
    hr_table_free(table);
}

static void test_out_of_memory(void **state) {
    (void)state;
    hr_column_data columns[] = {coded(), plain()};
    hr_memory_fail_at(1);
    void *memory = hr_alloc(1, 1, NULL);
    hr_memory_fail_at(0);
    free(memory);
    if (memory) skip();
    hr_status status = HR_ENOMEM;
    for (long nth = 1; status != HR_OK; nth++) {
        hr_table *table = NULL;
        hr_memory_fail_at(nth);
        status = hr_table_from_columns(columns, 2, &table, NULL);
        hr_memory_fail_at(0);
        assert_int_equal(status == HR_OK, table != NULL);
        if (status != HR_OK) assert_int_equal(status, HR_ENOMEM);
        if (status == HR_OK) assert_true(nth > 8);
        hr_table_free(table);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts_and_codes),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_rows_with_nulls),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
