/* test_boundaries.c - the prices of boundaries as text: the three formats, and when memory runs out
 * either all of the text or an error. */
#include "run/run.h"

#include "unit.h"

static const char csv[] = "k,p,suppressed,share,relax,saves,classes_at_most,saves:age,saves:zip\n"
                          "3,1,4,0.4,age,3,3,3,2\n";

/* Prints the prices of two attributes, both with boundaries. */
static hr_status print(hr_print_format format, char **out, hr_error *err) {
    static const char *const names[2] = {"age", "zip"};
    static const bool bounded[2] = {true, true};
    uint64_t relaxed[2] = {1, 2};
    hr_price price = {.k = 3, .p = 1, .suppressed = 4, .relaxed = relaxed, .classes_at_most = 3};
    hr_prices prices = {.cut = {.rows = 10,
                                .cells = 2,
                                .smallest = 4,
                                .largest = 6,
                                .quasi_count = 2,
                                .quasi_names = names,
                                .bounded = bounded},
                        .prices = &price,
                        .price_count = 1};
    return hr_prices_print(&prices, format, out, err);
}

static void test_formats(void **state) {
    (void)state;
    char *text;
    MUST(print(HR_PRINT_TABLE, &text, &err));
    assert_non_null(strstr(text, "10 rows in 2 MAM cells of 4 to 6 rows\n"));
    assert_non_null(strstr(text, "\n3  1           4  0.4000  age        3                3"));
    hr_free(text);
    MUST(print(HR_PRINT_JSON, &text, &err));
    assert_non_null(strstr(text, "\"saves:zip\": 2\n"));
    hr_free(text);
    hr_error err = {0};
    assert_int_equal(print((hr_print_format)7, &text, &err), HR_EINVAL);
    assert_null(text);
    assert_string_equal(err.message, "there is no print format number 7");
}

static void test_all_or_an_error(void **state) {
    (void)state;
    hr_status status = HR_ENOMEM;
    long nth = 0;
    char *text;
    while (status == HR_ENOMEM) {
        hr_error err = {0};
        hr_memory_fail_at(++nth);
        status = print(HR_PRINT_CSV, &text, &err);
        hr_memory_fail_at(0);
        assert_int_equal(err.code, status);
        if (status != HR_OK) assert_null(text);
    }
    assert_int_equal(status, HR_OK);
    assert_string_equal(text, csv);
    hr_free(text);
#ifdef HR_FAULT
    assert_true(nth > 3);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_all_or_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
