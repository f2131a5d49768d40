/* test_text.c - growing texts, "did you mean", numbers in texts (base/text.c), and options as data
 * (base/option.c). */
#include "unit.h"

/* ---- text.c ---- */

static void test_text_grows(void **state) {
    (void)state;
    hr_text text = {0};
    for (int i = 0; i < 1000; i++)
        hr_text_printf(&text, "%d,", i % 10);
    hr_text_add(&text, "end", 3);
    assert_int_equal(text.length, 2003);
    assert_int_equal(strlen(text.data), 2003);
    assert_string_equal(text.data + 1996, "8,9,end");
    assert_false(text.failed);
    hr_text_free(&text);
    assert_null(text.data);
    hr_text_puts(&text, "");
    assert_string_equal(text.data, "");
    hr_text_free(&text);
}

static void test_distance(void **state) {
    (void)state;
    assert_int_equal(hr_text_distance("kansas", "kansas", 3), 0);
    assert_int_equal(hr_text_distance("kansas", "kanass", 3), 1); /* a transposition */
    assert_int_equal(hr_text_distance("kansas", "kansass", 3), 1);
    assert_int_equal(hr_text_distance("kitten", "sitting", 5), 3);
    assert_int_equal(hr_text_distance("kitten", "sitting", 2), 3); /* limit + 1 */
    assert_int_equal(hr_text_distance("", "abc", 5), 3);
    assert_int_equal(hr_text_distance("a", "abcdefgh", 3), 4);
}

/* The plain recursive definition, with transpositions of neighbours. */
static unsigned plain_distance(const char *a, size_t n, const char *b, size_t m) {
    if (n == 0 || m == 0) return (unsigned)(n + m);
    unsigned best = plain_distance(a, n - 1, b, m - 1) + (a[n - 1] != b[m - 1]);
    unsigned less = plain_distance(a, n - 1, b, m) + 1;
    if (less < best) best = less;
    less = plain_distance(a, n, b, m - 1) + 1;
    if (less < best) best = less;
    if (n > 1 && m > 1 && a[n - 1] == b[m - 2] && a[n - 2] == b[m - 1]) {
        less = plain_distance(a, n - 2, b, m - 2) + 1;
        if (less < best) best = less;
    }
    return best;
}

static void test_distance_is_the_definition(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 1, 0);
    for (int round = 0; round < 500; round++) {
        char a[6] = "", b[6] = "";
        for (uint64_t i = hr_random_below(&random, 6); i-- > 0;)
            a[i] = (char)('a' + hr_random_below(&random, 3));
        for (uint64_t i = hr_random_below(&random, 6); i-- > 0;)
            b[i] = (char)('a' + hr_random_below(&random, 3));
        unsigned wanted = plain_distance(a, strlen(a), b, strlen(b));
        assert_int_equal(hr_text_distance(a, b, 9), wanted);
        assert_int_equal(hr_text_distance(b, a, 9), wanted);
    }
}

static const char *word_at(size_t i, const void *payload) {
    return ((const char *const *)payload)[i];
}

static void test_nearest(void **state) {
    (void)state;
    const char *words[] = {"algorithm", "attributes", "", "k", "seed"};
    assert_string_equal(hr_text_nearest("algoritm", 5, word_at, words), "algorithm");
    assert_string_equal(hr_text_nearest("sede", 5, word_at, words), "seed");
    assert_null(hr_text_nearest("zzzzzz", 5, word_at, words));
    assert_null(hr_text_nearest("x", 5, word_at, words)); /* nothing in common with k */
    assert_null(hr_text_nearest("", 5, word_at, words));
}

static void test_parse_double(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double value;
    } good[] = {{"0", 0},  {"-1.5", -1.5}, {"+2", 2},     {".5", 0.5},
                {"5.", 5}, {"1e3", 1000},  {"1E-2", 0.01}};
    static const char *bad[] = {"",   " 1", "1 ",    "1,5", "0x10", "inf", "nan",
                                "1e", "-",  "1e999", "1-",  ".",    "e5",  "1.2.3"};
    double value;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(hr_parse_double(good[i].text, &value));
        assert_true(value == good[i].value);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(hr_parse_double(bad[i], &value));
}

static void test_parse_decimal_comma(void **state) {
    (void)state;
    double value;
    static const char *const good[] = {"1,5", "01,50", "15e-1", "+1,5e0"};
    static const char *const bad[] = {"1.5", "1,5,0", ",", "1,5x", "1.000,5", ""};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(hr_parse_number(good[i], ',', &value));
        assert_true(value == 1.5);
        assert_true(hr_same_decimal(good[i], "1,5"));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(hr_parse_number(bad[i], ',', &value));
    assert_false(hr_parse_number("1,5", '.', &value));
    assert_int_equal(hr_decimals("1,50"), 2);
    char longest[HR_NUMBER_MOST + 3];
    memset(longest, '1', sizeof longest);
    longest[1] = ',';
    for (size_t length = HR_NUMBER_MOST - 1; length < sizeof longest; length++) {
        longest[length] = '\0';
        assert_int_equal(hr_parse_number(longest, ',', &value), length <= HR_NUMBER_MOST + 1);
        longest[length] = '1';
    }
}

static void test_parse_uint(void **state) {
    (void)state;
    uint64_t value;
    assert_true(hr_parse_uint("0", 0, &value) && value == 0);
    assert_true(hr_parse_uint("10", 10, &value) && value == 10);
    assert_true(hr_parse_uint("18446744073709551615", UINT64_MAX, &value) && value == UINT64_MAX);
    assert_false(hr_parse_uint("18446744073709551616", UINT64_MAX, &value));
    assert_false(hr_parse_uint("11", 10, &value));
    assert_false(hr_parse_uint("", 10, &value));
    assert_false(hr_parse_uint("+1", 10, &value));
    assert_false(hr_parse_uint("1.0", 10, &value));
}

/* A number of one digit may exceed `max`: nothing wraps around. */
static void test_parse_uint_small_max(void **state) {
    (void)state;
    uint64_t value;
    for (uint64_t max = 0; max < 12; max++)
        for (uint64_t n = 0; n < 40; n++) {
            char text[8];
            snprintf(text, sizeof text, "%d", (int)n);
            assert_int_equal(hr_parse_uint(text, max, &value), n <= max);
        }
}

/* ---- option.c ---- */

typedef struct {
    int64_t rounds;
    double share;
    bool fast;
    int ties;
} options;

static const hr_option table[] = {
    {"rounds", "how often", HR_OPTION_INT, offsetof(options, rounds), 3, 1, 10, NULL, NULL},
    {"share", "how much", HR_OPTION_REAL, offsetof(options, share), 0.5, 0, 1, NULL, NULL},
    {"fast", "or slow", HR_OPTION_BOOL, offsetof(options, fast), 1, 0, 1, NULL, NULL},
    {"ties", "which first", HR_OPTION_CHOICE, offsetof(options, ties), 1, 0, 2, "rank|row|any",
     NULL},
    {0},
};

static void test_options_init(void **state) {
    (void)state;
    options o;
    hr_options_init(table, &o);
    assert_true(o.rounds == 3 && o.share == 0.5 && o.fast && o.ties == 1);
    hr_options_init(NULL, &o); /* an algorithm without options */
}

static void test_options_set(void **state) {
    (void)state;
    options o;
    hr_options_init(table, &o);
    static const char *pairs[][2] = {
        {"rounds", "10"}, {"share", "0.25"}, {"fast", "false"}, {"ties", "any"}};
    for (size_t i = 0; i < 4; i++) {
        const hr_option *option = hr_option_find(table, pairs[i][0]);
        assert_int_equal(hr_option_set(option, &o, pairs[i][1], NULL), HR_OK);
        hr_text text = {0};
        hr_option_print(option, &o, &text);
        assert_string_equal(text.data, pairs[i][1]);
        hr_text_free(&text);
    }
    assert_true(o.rounds == 10 && o.share == 0.25 && !o.fast && o.ties == 2);
    assert_null(hr_option_find(table, "other"));
    assert_null(hr_option_find(NULL, "rounds"));
}

static void test_options_refuse(void **state) {
    (void)state;
    static const char *bad[][3] = {
        {"rounds", "0", "rounds: '0' is not a whole number from 1 to 10"},
        {"rounds", "11", "rounds: '11' is not a whole number from 1 to 10"},
        {"rounds", "2.5", "rounds: '2.5' is not a whole number from 1 to 10"},
        {"rounds", "x", "rounds: 'x' is not a whole number from 1 to 10"},
        {"share", "-0.1", "share: '-0.1' is not a number from 0 to 1"},
        {"share", "nan", "share: 'nan' is not a number from 0 to 1"},
        {"fast", "yes", "fast: 'yes' is neither true nor false"},
        {"ties", "ro", "ties: 'ro' is not one of rank|row|any"},
        {"ties", "rank|row", "ties: 'rank|row' is not one of rank|row|any"},
        {"ties", "", "ties: '' is not one of rank|row|any"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        options o, before;
        hr_error err = {0};
        hr_options_init(table, &o);
        before = o;
        const hr_option *option = hr_option_find(table, bad[i][0]);
        assert_int_equal(hr_option_set(option, &o, bad[i][1], &err), HR_EINVAL);
        assert_string_equal(err.message, bad[i][2]);
        assert_true(o.rounds == before.rounds && o.share == before.share && o.ties == before.ties);
    }
}

static void check_plain(const char *given, const char *expected) {
    char text[64];
    snprintf(text, sizeof text, "%s", given);
    hr_make_plain(text);
    assert_string_equal(text, expected);
}

static void test_make_plain(void **state) {
    (void)state;
    check_plain("", "");
    check_plain("Graz, Steiermark", "Graz, Steiermark");
    check_plain("a\x1b[31mb\tc\x7f", "a?[31mb?c?");
    check_plain("a\xc2\x9b"
                "b",
                "a?b"); /* a C1 control of two bytes */
    check_plain("\xc2\xa0\xc3\xa9", "\xc2\xa0\xc3\xa9");
    check_plain("cut \xc2", "cut \xc2");
}

static void test_nearest_name(void **state) {
    (void)state;
    static const char *const names[] = {"age", "", "city", "zip"};
    assert_string_equal(hr_nearest_name("ctiy", names, 4), "city");
    assert_null(hr_nearest_name("ctiy", names, 2));
    assert_null(hr_nearest_name("profession", names, 4));
    assert_null(hr_nearest_name("", names, 4));
    assert_null(hr_nearest_name("age", NULL, 0));
}

static hr_status take(void *payload, hr_error *err) {
    hr_text text = {0};
    char *out;
    hr_text_puts(&text, payload);
    hr_status status = hr_text_take(&text, &out, err);
    assert_null(text.data);
    assert_int_equal(status == HR_OK, out != NULL);
    if (status == HR_OK) assert_string_equal(out, payload);
    hr_free(out);
    return status;
}

static void test_take(void **state) {
    (void)state;
    hr_text none = {0};
    char *out;
    MUST(hr_text_take(&none, &out, &err));
    assert_string_equal(out, "");
    hr_free(out);
    hr_free(NULL);
    with_failing_memory(take, "a text", 1);
}

static hr_status parse_list(void *payload, hr_error *err) {
    int64_t *numbers;
    size_t count;
    hr_status status = hr_parse_numbers("k", payload, 10, &numbers, &count, err);
    assert_int_equal(status == HR_OK, numbers != NULL);
    hr_free(numbers);
    return status;
}

static void test_numbers_without_memory(void **state) {
    (void)state;
    with_failing_memory(parse_list, "2,4-9", 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_grows),
        cmocka_unit_test(test_distance),
        cmocka_unit_test(test_distance_is_the_definition),
        cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_nearest_name),
        cmocka_unit_test(test_make_plain),
        cmocka_unit_test(test_take),
        cmocka_unit_test(test_numbers_without_memory),
        cmocka_unit_test(test_parse_double),
        cmocka_unit_test(test_parse_decimal_comma),
        cmocka_unit_test(test_parse_uint),
        cmocka_unit_test(test_parse_uint_small_max),
        cmocka_unit_test(test_options_init),
        cmocka_unit_test(test_options_set),
        cmocka_unit_test(test_options_refuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
