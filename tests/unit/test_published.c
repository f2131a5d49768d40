/* test_published.c - published values of masked files: reading them, whether they cover an original
 * value, and whether they lie beyond its boundary. */
#include "run/verify.h"

#include <math.h>

#include "unit.h"

typedef struct {
    hr_table *table;
    hr_hierarchy *tree;
    hr_quasi quasi;
} quasi_fixture;

static quasi_fixture numeric(void) {
    quasi_fixture b = {.table = table_of("x,y\n20,a\n30,a\n-5,a\n-1,a\n2.5,a\n")};
    hr_missing missing = {(const char *const[]){""}, 1};
    MUST(hr_quasi_bind_numeric(&b.quasi, &b.table->columns[0], &missing, false, &err));
    return b;
}

/* Ages by tens below 20-59 and 0-19; boundary at the tens. */
static quasi_fixture with_tree(void) {
    const char *text = "20;20-29;20-59;*\n25;20-29;20-59;*\n31;30-39;20-59;*\n5;0-9;0-19;*\n"
                       "-3;neg;neg;*\n";
    hr_read_options options = {.delimiter = ';', .no_header = true};
    hr_table *table = NULL;
    uint32_t *magval = NULL;
    quasi_fixture b = {.table = table_of("age,y\n20,a\n25,a\n31,a\n5,a\n-3,a\n")};
    MUST(hr_csv_parse(text, strlen(text), "age.csv", &options, &table, &err));
    MUST(hr_hierarchy_build(table, "age.csv", &b.tree, &err));
    hr_table_free(table);
    MUST(hr_boundary_level(b.tree, 1, &magval, &err));
    MUST(hr_quasi_bind_tree(&b.quasi, &b.table->columns[0], b.tree, magval, &err));
    return b;
}

static void end(quasi_fixture *b) {
    hr_quasi_free(&b->quasi);
    hr_hierarchy_free(b->tree);
    hr_table_free(b->table);
}

/* ---- Parsing ---- */

static void interval(const char *text, double lo, double hi, bool lo_open, bool hi_open) {
    quasi_fixture b = numeric();
    hr_published_value p = hr_published_parse(&b.quasi, text);
    if (p.kind != HR_PUBLISHED_INTERVAL) fail_msg("'%s' is no interval", text);
    if (p.lo != lo || p.hi != hi) fail_msg("'%s' is %g to %g", text, p.lo, p.hi);
    assert_int_equal(p.lo_open, lo_open);
    assert_int_equal(p.hi_open, hi_open);
    end(&b);
}

static void unknown(const char *text) {
    quasi_fixture b = numeric();
    hr_published_value p = hr_published_parse(&b.quasi, text);
    if (p.kind != HR_PUBLISHED_UNKNOWN) fail_msg("'%s' is %g to %g", text, p.lo, p.hi);
    assert_false(hr_published_covers(&b.quasi, &p, 0));
    end(&b);
}

static void test_dots(void **state) {
    (void)state;
    interval("20..30", 20, 30, false, false);
    interval("-5..-1", -5, -1, false, false);
    interval("-5..30", -5, 30, false, false);
    interval("2.5..30", 2.5, 30, false, false);
    interval("1e-3..1e3", 0.001, 1000, false, false);
    interval(".5...75", 0.5, 0.75, false, false); /* .5 to .75 */
}

/* The CSV reader accepts "1." as a number, so intervals of such numbers must be read too. */
static void test_dots_after_a_point(void **state) {
    (void)state;
    interval("1...2.", 1, 2, false, false);
    interval("1...2", 1, 2, false, false);
    interval("-3...-1.", -3, -1, false, false);
}

static void test_dash(void **state) {
    (void)state;
    interval("20-30", 20, 30, false, false);
    interval("-5--1", -5, -1, false, false);
    interval("-5-30", -5, 30, false, false);
    interval("2.5-30", 2.5, 30, false, false);
    interval("1e-3-1e+3", 0.001, 1000, false, false);
    interval("20 - 30", 20, 30, false, false);
}

static void test_brackets(void **state) {
    (void)state;
    interval("[20,30]", 20, 30, false, false);
    interval("[20, 30[", 20, 30, false, true);
    interval("[20, 30)", 20, 30, false, true);
    interval("]20, 30]", 20, 30, true, false);
    interval("(20, 30)", 20, 30, true, true);
    interval("[-5, -1]", -5, -1, false, false);
}

static void test_bare(void **state) {
    (void)state;
    interval("20", 20, 20, false, false);
    interval("-5", -5, -5, false, false);
    interval("2.50", 2.5, 2.5, false, false);
    interval("*", -INFINITY, INFINITY, false, false);
}

static void test_unknown(void **state) {
    (void)state;
    unknown("");
    unknown("twenty");
    unknown("30..20");
    unknown("30-20");
    unknown("[30, 20]");
    unknown("20..");
    unknown("..20");
    unknown("-");
    unknown("[20 30]");
    unknown("[20,30");
    unknown("20,30");
    unknown("[,]");
    unknown("[]");
    unknown("..");
    unknown("20..x");
    unknown("0x10");
    unknown("nan");
}

/* ---- Numbers with as many digits as anybody has ---- */

static void test_long_numbers(void **state) {
    (void)state;
    char number[128] = "0.";
    memset(number + 2, '3', 90);
    hr_table *table = NULL;
    hr_quasi quasi = {0};
    hr_missing missing = {(const char *const[]){""}, 1};
    const char *cell = number;
    MUST(hr_table_new(1, (const char *const[]){"x"}, &table, &err));
    MUST(hr_table_append(table, &cell, &err));
    MUST(hr_quasi_bind_numeric(&quasi, &table->columns[0], &missing, false, &err));
    hr_published_value p = hr_published_parse(&quasi, number);
    assert_int_equal(p.kind, HR_PUBLISHED_INTERVAL);
    assert_true(hr_published_covers(&quasi, &p, 0));
    hr_quasi_free(&quasi);
    hr_table_free(table);
}

/* ---- Covering ---- */

static void test_covers_numbers(void **state) {
    (void)state;
    quasi_fixture b = numeric(); /* ranks: -5, -1, 2.5, 20, 30 */
    const double number[] = {-5, -1, 2.5, 20, 30};
    const struct {
        const char *text;
        bool holds[5];
    } cases[] = {
        {"20..30", {0, 0, 0, 1, 1}},   {"[20, 30[", {0, 0, 0, 1, 0}}, {"]20, 30]", {0, 0, 0, 0, 1}},
        {"-5--1", {1, 1, 0, 0, 0}},    {"*", {1, 1, 1, 1, 1}},        {"2.50", {0, 0, 1, 0, 0}},
        {"(-5, 20)", {0, 1, 1, 0, 0}}, {"-1..2.4", {0, 1, 0, 0, 0}},  {"nothing", {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_published_value p = hr_published_parse(&b.quasi, cases[i].text);
        for (uint32_t v = 0; v < 5; v++) {
            assert_true(b.quasi.number[v] == number[v]);
            if (hr_published_covers(&b.quasi, &p, v) != cases[i].holds[v])
                fail_msg("'%s' and %g", cases[i].text, number[v]);
            assert_false(hr_published_violates(&b.quasi, &p, v)); /* it has no boundary */
        }
    }
    end(&b);
}

static void test_tree(void **state) {
    (void)state;
    quasi_fixture b = with_tree();
    const struct {
        const char *text;
        bool covers[5], violates[5]; /* of 20, 25, 31, 5, -3 */
    } cases[] = {
        {"20", {1, 0, 0, 0, 0}, {0, 0, 1, 1, 1}},
        {"20-29", {1, 1, 0, 0, 0}, {0, 0, 1, 1, 1}},
        {"20-59", {1, 1, 1, 0, 0}, {1, 1, 1, 1, 1}},
        {"neg", {0, 0, 0, 0, 1}, {1, 1, 1, 1, 0}},
        {"*", {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}},
        /* No labels of the tree: the node that has exactly the leaves inside, if there is one. */
        {"20-25", {1, 1, 0, 0, 0}, {0, 0, 1, 1, 1}},
        {"[20, 31[", {1, 1, 0, 0, 0}, {0, 0, 1, 1, 1}},
        {"[20, 31]", {1, 1, 1, 0, 0}, {1, 1, 1, 1, 1}},
        {"-3..5", {0}, {0}},
        {"25-31", {0}, {0}},
        {"22", {0}, {0}},
        {"-3..31", {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}},
        {"31.0", {0, 0, 1, 0, 0}, {1, 1, 0, 1, 1}},
        {"elderly", {0}, {0}},
    };
    const char *const leaves[] = {"20", "25", "31", "5", "-3"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_published_value p = hr_published_parse(&b.quasi, cases[i].text);
        for (size_t v = 0; v < 5; v++) {
            uint32_t leaf = hr_hierarchy_find(b.tree, leaves[v]);
            if (hr_published_covers(&b.quasi, &p, leaf) != cases[i].covers[v])
                fail_msg("'%s' covers %s: expected otherwise", cases[i].text, leaves[v]);
            if (hr_published_violates(&b.quasi, &p, leaf) != cases[i].violates[v])
                fail_msg("'%s' violates %s: expected otherwise", cases[i].text, leaves[v]);
        }
    }
    end(&b);
}

/* `*` is the root, whatever its label. */
static void test_star(void **state) {
    (void)state;
    quasi_fixture b = {.table = table_of("town,y\na,1\n")};
    hr_read_options options = {.delimiter = ';', .no_header = true};
    hr_table *table = NULL;
    uint32_t *magval = NULL;
    MUST(hr_csv_parse("a;Earth\nb;Earth\n", 16, "p.csv", &options, &table, &err));
    MUST(hr_hierarchy_build(table, "p.csv", &b.tree, &err));
    hr_table_free(table);
    MUST(hr_boundary_none(b.tree, &magval, &err));
    MUST(hr_quasi_bind_tree(&b.quasi, &b.table->columns[0], b.tree, magval, &err));
    hr_published_value p = hr_published_parse(&b.quasi, "*");
    assert_int_equal(p.kind, HR_PUBLISHED_NODE);
    assert_int_equal(p.node, b.tree->root);
    assert_true(hr_published_covers(&b.quasi, &p, hr_hierarchy_find(b.tree, "a")));
    end(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dots),         cmocka_unit_test(test_dots_after_a_point),
        cmocka_unit_test(test_dash),         cmocka_unit_test(test_brackets),
        cmocka_unit_test(test_bare),         cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_long_numbers), cmocka_unit_test(test_covers_numbers),
        cmocka_unit_test(test_tree),         cmocka_unit_test(test_star),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
