/* test_quasi.c - quasi-identifiers: values without a leaf and the messages about them, numbers and
 * their texts, missing values, published texts and costs. */
#include "hierarchy/hierarchy.h"

#include "unit.h"

static const hr_missing missing_default = {(const char *const[]){""}, 1};

static hr_hierarchy *tree_of(const char *text) {
    hr_table *table = NULL;
    hr_hierarchy *tree = NULL;
    hr_read_options options = {.delimiter = ';', .no_header = true};
    MUST(hr_csv_parse(text, strlen(text), "h.csv", &options, &table, &err));
    MUST(hr_hierarchy_build(table, "h.csv", &tree, &err));
    hr_table_free(table);
    return tree;
}

/* ---- Trees ---- */

static hr_status bind_tree(const char *csv, const char *hierarchy, hr_error *error) {
    hr_table *table = table_of(csv);
    hr_hierarchy *tree = tree_of(hierarchy);
    hr_quasi quasi = {0};
    uint32_t *magval = NULL;
    MUST(hr_boundary_none(tree, &magval, &err));
    hr_status status = hr_quasi_bind_tree(&quasi, &table->columns[0], tree, magval, error);
    hr_quasi_free(&quasi);
    hr_hierarchy_free(tree);
    hr_table_free(table);
    return status;
}

static void refuses_tree(const char *csv, const char *message) {
    hr_error err = {0};
    const char *hierarchy = "Kansas City;Kansas;*\nWichita;Kansas;*\nLincoln;Nebraska;*\n";
    assert_int_equal(bind_tree(csv, hierarchy, &err), HR_EDATA);
    assert_string_equal(err.message, message);
}

static void test_values_without_a_leaf(void **state) {
    (void)state;
    refuses_tree("town,x\nWichita,1\nWichta,2\n",
                 "row 2, column 'town': 1 value in 1 row has no leaf in h.csv: 'Wichta' (did you "
                 "mean 'Wichita'?)");
    refuses_tree("town,x\nKansas,1\nWichita,1\nKansas,2\n",
                 "row 1, column 'town': 1 value in 2 rows has no leaf in h.csv: 'Kansas' (an inner "
                 "node there)");
    refuses_tree("town,x\nWichita,1\n,2\n",
                 "row 2, column 'town': 1 value in 1 row has no leaf in h.csv: '' (missing: add a "
                 "line with an empty leaf)");
    refuses_tree("town,x\nWichita,1\nGhent,1\nLincoln,1\nNamur,2\nBruges,3\nGhent,4\nOostende,4\n",
                 "row 2, column 'town': 4 values in 5 rows have no leaf in h.csv: 'Ghent', "
                 "'Namur', 'Bruges', ...");
}

static void test_bound_tree(void **state) {
    (void)state;
    hr_table *table = table_of("town,x\nLincoln,1\nWichita,2\nLincoln,3\n");
    hr_hierarchy *tree = tree_of("Wichita;Kansas;*\nLincoln;Nebraska;*\nOmaha;Nebraska;*\n");
    hr_quasi quasi = {0};
    uint32_t *magval = NULL;
    MUST(hr_boundary_level(tree, 1, &magval, &err));
    MUST(hr_quasi_bind_tree(&quasi, &table->columns[0], tree, magval, &err));
    assert_string_equal(quasi.name, "town");
    assert_true(quasi.bounded);
    assert_int_equal(quasi.value_count, 6);
    assert_int_equal(hr_quasi_value(&quasi, 0), hr_hierarchy_find(tree, "Lincoln"));
    assert_int_equal(hr_quasi_value(&quasi, 1), hr_hierarchy_find(tree, "Wichita"));
    uint32_t lincoln = hr_quasi_value(&quasi, 0), omaha = hr_hierarchy_find(tree, "Omaha");
    hr_span joined = hr_quasi_join(&quasi, (hr_span){lincoln, lincoln}, (hr_span){omaha, omaha});
    assert_int_equal(joined.lo, hr_hierarchy_find(tree, "Nebraska"));
    assert_int_equal(joined.hi, joined.lo);
    assert_int_equal(hr_quasi_cost(&quasi, joined), HR_COST_ONE / 2);
    hr_text text = {0};
    hr_quasi_text(&quasi, joined, &text);
    assert_string_equal(text.data, "Nebraska");
    hr_text_free(&text);
    hr_quasi_free(&quasi);
    hr_hierarchy_free(tree);
    hr_table_free(table);
}

static void test_unbounded_tree(void **state) {
    (void)state;
    hr_table *table = table_of("town,x\na,1\n");
    hr_hierarchy *tree = tree_of("a;*\nb;*\n");
    for (uint64_t level = 0; level < 2; level++) {
        hr_quasi quasi = {0};
        uint32_t *magval = NULL;
        MUST(hr_boundary_level(tree, level, &magval, &err));
        MUST(hr_quasi_bind_tree(&quasi, &table->columns[0], tree, magval, &err));
        assert_int_equal(quasi.bounded, level == 0); /* a boundary at the root is no boundary */
        hr_quasi_free(&quasi);
    }
    hr_hierarchy_free(tree);
    hr_table_free(table);
}

/* ---- Numbers ---- */

typedef struct {
    hr_table *table;
    hr_quasi quasi;
} numeric;

static numeric numeric_of(const char *csv, bool drop) {
    numeric n = {.table = table_of(csv)};
    MUST(hr_quasi_bind_numeric(&n.quasi, &n.table->columns[0], &missing_default, drop, &err));
    return n;
}

static void numeric_free(numeric *n) {
    hr_quasi_free(&n->quasi);
    hr_table_free(n->table);
}

static void publishes(const numeric *n, uint32_t lo, uint32_t hi, const char *expected) {
    hr_text text = {0};
    hr_quasi_text(&n->quasi, (hr_span){lo, hi}, &text);
    assert_string_equal(text.data, expected);
    hr_text_free(&text);
}

/* Texts with the same double: spellings of one number, or numbers that a double cannot
 * distinguish. */
static void test_numbers_too_fine(void **state) {
    (void)state;
    static const char *const spellings[] = {
        "1,1.0,1e0,01,+1,10e-1,.1e1,0.001E+3,1.",
        "0,-0,0.00,0e99999999999999999999,.0",
        "-250,-2.5e2,-0250.000,-.25e+03",
        "12345678901234567890,12345678901234567890.0,1.234567890123456789e19",
    };
    static const char *const different[][2] = {
        {"12345678901234567890", "12345678901234567891"},
        {"0", "1e-400"},
        {"0.1", "0.10000000000000000001"},
        {"9007199254740992", "9007199254740993"},
        {"1e-400", "-1e-400"},
        {"1e-99999999999999", "2e-99999999999999"},
    };
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        char csv[256] = "x\n";
        strcat(csv, spellings[i]);
        for (char *c = csv; *c; c++)
            if (*c == ',') *c = '\n';
        numeric n = numeric_of(csv, false);
        assert_int_equal(n.quasi.value_count, 1);
        numeric_free(&n);
    }
    for (size_t i = 0; i < sizeof different / sizeof *different; i++) {
        char csv[128], message[512];
        hr_error err = {0};
        hr_quasi quasi = {0};
        snprintf(csv, sizeof csv, "x\n7\n%s\n%s\n", different[i][0], different[i][1]);
        hr_table *table = table_of(csv);
        assert_int_equal(
            hr_quasi_bind_numeric(&quasi, &table->columns[0], &missing_default, false, &err),
            HR_EDATA);
        snprintf(
            message, sizeof message,
            "row 3, column 'x': the numbers %s and %s have too many digits to be distinguished; "
            "round them, or give the column a hierarchy",
            different[i][0], different[i][1]);
        assert_string_equal(err.message, message);
        hr_quasi_free(&quasi);
        hr_table_free(table);
    }
}

static void test_numbers(void **state) {
    (void)state;
    numeric n = numeric_of("x,y\n10,1\n-2,1\n2.50,1\n10.0,1\n1e1,1\n2.5,1\n+7,1\n", false);
    const double expected[] = {-2, 2.5, 7, 10};
    assert_int_equal(n.quasi.value_count, 4);
    assert_memory_equal(n.quasi.number, expected, sizeof expected);
    /* Equal numbers have one rank, whatever their texts. */
    const uint32_t ranks[] = {3, 0, 1, 3, 3, 1, 2};
    for (size_t row = 0; row < 7; row++)
        assert_int_equal(hr_quasi_value(&n.quasi, row), ranks[row]);
    /* Published with the digits of the input; of several texts the shortest. */
    publishes(&n, 0, 3, "-2..10");
    publishes(&n, 1, 1, "2.5");
    publishes(&n, 0, 1, "-2..2.5");
    publishes(&n, 2, 3, "+7..10");
    assert_false(n.quasi.bounded);
    numeric_free(&n);
}

/* The point of an end never touches the dots; a single value is published as in the input. */
static void test_points_of_ends(void **state) {
    (void)state;
    numeric n = numeric_of("x,y\n-.5,1\n.25,1\n1.,1\n+.75e1,1\n2.e1,1\n-3.,1\n", false);
    publishes(&n, 1, 2, "-0.5..0.25");
    publishes(&n, 2, 3, "0.25..1");
    publishes(&n, 0, 3, "-3..1");
    publishes(&n, 4, 5, "+0.75e1..2.e1");
    publishes(&n, 0, 0, "-3.");
    publishes(&n, 1, 1, "-.5");
    publishes(&n, 3, 3, "1.");
    numeric_free(&n);
}

/* The published text does not depend on which row came first. */
static void test_numbers_any_order(void **state) {
    (void)state;
    const char *const orders[] = {"x,y\n1.0,a\n01,a\n1,a\n", "x,y\n1,a\n1.0,a\n01,a\n",
                                  "x,y\n01,a\n1,a\n1.0,a\n"};
    for (size_t i = 0; i < 3; i++) {
        numeric n = numeric_of(orders[i], false);
        assert_int_equal(n.quasi.value_count, 1);
        publishes(&n, 0, 0, "1");
        numeric_free(&n);
    }
    numeric n = numeric_of("x,y\n-0,a\n0,a\n", false); /* -0 is 0 */
    assert_int_equal(n.quasi.value_count, 1);
    publishes(&n, 0, 0, "0");
    numeric_free(&n);
}

static void test_costs(void **state) {
    (void)state;
    numeric n = numeric_of("x,y\n0,a\n25,a\n75,a\n100,a\n", false);
    const hr_quasi *q = &n.quasi;
    assert_int_equal(hr_quasi_cost(q, (hr_span){0, 3}), HR_COST_ONE);
    assert_int_equal(hr_quasi_cost(q, (hr_span){0, 1}), HR_COST_ONE / 4);
    assert_int_equal(hr_quasi_cost(q, (hr_span){1, 2}), HR_COST_ONE / 2);
    assert_int_equal(hr_quasi_cost(q, (hr_span){2, 2}), 0);
    hr_span joined = hr_quasi_join(q, (hr_span){1, 2}, (hr_span){0, 1});
    assert_true(joined.lo == 0 && joined.hi == 2);
    numeric_free(&n);
    n = numeric_of("x,y\n5,a\n5,a\n", false); /* a range of 0 costs nothing */
    assert_int_equal(hr_quasi_cost(&n.quasi, (hr_span){0, 0}), 0);
    numeric_free(&n);
}

static void refuses_numbers(const char *csv, bool drop, const char *message) {
    hr_table *table = table_of(csv);
    hr_quasi quasi = {0};
    hr_error err = {0};
    assert_int_equal(
        hr_quasi_bind_numeric(&quasi, &table->columns[0], &missing_default, drop, &err), HR_EDATA);
    assert_string_equal(err.message, message);
    hr_quasi_free(&quasi);
    hr_table_free(table);
}

/* 255 characters are a number, 256 are not; an interval may add a 0 and is still read. */
static void test_longest_numbers(void **state) {
    (void)state;
    char csv[1024], text[HR_NUMBER_MOST + 2] = ".";
    memset(text + 1, '3', HR_NUMBER_MOST - 1);
    snprintf(csv, sizeof csv, "x,y\n1,1\n%s,1\n", text);
    numeric n = numeric_of(csv, false);
    hr_text published = {0};
    double number;
    hr_quasi_text(&n.quasi, (hr_span){0, 1}, &published);
    assert_int_equal(published.length, HR_NUMBER_MOST + 4);
    published.data[HR_NUMBER_MOST + 1] = '\0';
    assert_true(hr_parse_double(published.data, &number) && number == n.quasi.number[0]);
    hr_text_free(&published);
    numeric_free(&n);
    snprintf(csv, sizeof csv, "x,y\n1,1\n%s3,1\n", text);
    refuses_numbers(csv, false,
                    "row 2, column 'x': '.3333333333333333333...' has 256 characters, and a number "
                    "has at most 255; round it, or give the column a hierarchy");
}

static void test_missing_numbers(void **state) {
    (void)state;
    const char *csv = "x,y\n1,a\n,a\n3,a\n,a\n";
    refuses_numbers(csv, false,
                    "row 2, column 'x': rows 2, 4 have no value; write `on_missing: drop` to "
                    "suppress them, or give the column a hierarchy with a leaf for it");
    refuses_numbers(
        "x,y\n1,a\n,a\n", false,
        "row 2, column 'x': row 2 has no value; write `on_missing: drop` to suppress it, "
        "or give the column a hierarchy with a leaf for it");
    refuses_numbers("x,y\n,a\n,a\n,a\n,a\n1,a\n,a\n,a\n,a\n,a\n,a\n,a\n,a\n,a\n", false,
                    "row 1, column 'x': rows 1, 2, 3, 4, 6, 7, 8, 9, 10, 11 and 2 more have no "
                    "value; write `on_missing: drop` to suppress them, or give the column a "
                    "hierarchy with a leaf for it");
    numeric n = numeric_of(csv, true);
    assert_int_equal(hr_quasi_value(&n.quasi, 0), 0);
    assert_int_equal(hr_quasi_value(&n.quasi, 1), HR_NONE);
    assert_int_equal(hr_quasi_value(&n.quasi, 2), 1);
    assert_int_equal(hr_quasi_value(&n.quasi, 3), HR_NONE);
    numeric_free(&n);
}

static void test_not_numbers(void **state) {
    (void)state;
    refuses_numbers(
        "x,y\n1,a\n1O4,a\nn/a,a\n1O4,b\n", true,
        "row 2, column 'x': '1O4' is not a number (3 such rows); correct it, list it under "
        "`missing`, or give the column a hierarchy");
    /* Bad numbers are reported before missing ones. */
    refuses_numbers(
        "x,y\n,a\n0x10,a\n", false,
        "row 2, column 'x': '0x10' is not a number (1 such row); correct it, list it under "
        "`missing`, or give the column a hierarchy");
    const char *const bad[] = {"inf", "nan", "1e999", "-1e999", "1,5",
                               " 1",  "1 ",  "1e",    ".",      "--1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hr_quasi quasi = {0};
        hr_table *table = NULL;
        MUST(hr_table_new(1, (const char *const[]){"x"}, &table, &err));
        MUST(hr_table_append(table, &bad[i], &err));
        assert_int_equal(
            hr_quasi_bind_numeric(&quasi, &table->columns[0], &missing_default, true, NULL),
            HR_EDATA);
        hr_quasi_free(&quasi);
        hr_table_free(table);
    }
}

static void test_huge_numbers(void **state) {
    (void)state;
    refuses_numbers("x,y\n1e308,a\n-1e308,a\n", false,
                    "column 'x': the range of its numbers is too large");
    numeric n = numeric_of("x,y\n1e308,a\n0,a\n5e307,a\n", false);
    assert_int_equal(hr_quasi_cost(&n.quasi, (hr_span){0, 2}), HR_COST_ONE);
    assert_int_equal(hr_quasi_cost(&n.quasi, (hr_span){0, 1}), HR_COST_ONE / 2);
    numeric_free(&n);
    n = numeric_of("x,y\n4.9e-324,a\n0,a\n", false); /* the narrowest possible range */
    assert_int_equal(hr_quasi_cost(&n.quasi, (hr_span){0, 1}), HR_COST_ONE);
    numeric_free(&n);
}

/* Ranks against counting, and costs against the formula, on random numbers. */
static void test_random_numbers(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 3, 0);
    for (int i = 0; i < 300; i++) {
        unsigned cells[60];
        size_t rows = 1 + below(&random, 60);
        for (size_t row = 0; row < rows; row++)
            cells[row] = below(&random, 30);
        numeric n = {.table = table_of_numbers(cells, rows, 1)};
        MUST(hr_quasi_bind_numeric(&n.quasi, &n.table->columns[0], &missing_default, false, &err));
        unsigned least = 30, most = 0;
        for (size_t row = 0; row < rows; row++) {
            bool seen[30] = {0};
            unsigned smaller = 0;
            for (size_t other = 0; other < rows; other++)
                if (cells[other] < cells[row]) seen[cells[other]] = true;
            for (unsigned v = 0; v < 30; v++)
                smaller += seen[v];
            assert_int_equal(hr_quasi_value(&n.quasi, row), smaller);
            least = cells[row] < least ? cells[row] : least;
            most = cells[row] > most ? cells[row] : most;
        }
        for (uint32_t a = 0; a < n.quasi.value_count; a++)
            for (uint32_t b = a; b < n.quasi.value_count; b++) {
                double width = n.quasi.number[b] - n.quasi.number[a];
                double share = most > least ? width / (most - least) : 0;
                assert_int_equal(hr_quasi_cost(&n.quasi, (hr_span){a, b}),
                                 (uint32_t)(share * HR_COST_ONE + 0.5));
            }
        numeric_free(&n);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_without_a_leaf),
        cmocka_unit_test(test_bound_tree),
        cmocka_unit_test(test_unbounded_tree),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_numbers_too_fine),
        cmocka_unit_test(test_points_of_ends),
        cmocka_unit_test(test_longest_numbers),
        cmocka_unit_test(test_numbers_any_order),
        cmocka_unit_test(test_costs),
        cmocka_unit_test(test_missing_numbers),
        cmocka_unit_test(test_not_numbers),
        cmocka_unit_test(test_huge_numbers),
        cmocka_unit_test(test_random_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
