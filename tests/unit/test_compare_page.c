/* test_compare_page.c - the page of a comparison: its texts and drawings for hand-made entries. */
#include "run/compare/compare.h"

#include "unit.h"

#include <math.h>

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (const char *c = text; (c = strstr(c, part)); c++)
        count++;
    return count;
}

/* Two algorithms, two k, two p; one entry is empty, one run has values beyond a boundary. */
static void fill_entries(hr_compare_entry *entries) {
    for (size_t i = 0; i < 8; i++) {
        double loss = 0.1 * (double)(i + 1);
        entries[i] = (hr_compare_entry){.algorithm = i < 4 ? "a<b" : "c&d",
                                        .k = 2 + (int64_t)(i / 2 % 2),
                                        .p = 1 + (int64_t)(i % 2),
                                        .state = HR_ENTRY_DONE,
                                        .count_boundaries = i >= 4,
                                        .figures = {.ntil = loss,
                                                    .ntil_bound = NAN,
                                                    .sse_sst = NAN,
                                                    .il = 12345.5,
                                                    .dm = 1234567,
                                                    .avg = 1,
                                                    .avg_clusters = 1,
                                                    .classes = 5,
                                                    .clusters = 6,
                                                    .suppressed = 0,
                                                    .violations = i == 7 ? 3 : 0,
                                                    .seconds = 0.5}};
        entries[i].asked = (hr_requirements){.k = entries[i].k, .p = entries[i].p};
    }
    entries[0].figures.ntil_bound = 0.25; /* of enforced boundaries; the other of counted ones */
    entries[4].figures.ntil_bound = 0.15;
    entries[5].state = HR_ENTRY_EMPTY;
    entries[5].note = (char *)"because of <it>";
    entries[6].note = (char *)"besides";
}

/* A comparison with p = 1 only. It borrows its arguments. */
static hr_compare small_compare(const char *const *algorithms, size_t algorithm_count,
                                const int64_t *some_ks, size_t k_count, hr_compare_entry *entries) {
    static const int64_t one[] = {1};
    return (hr_compare){.grid = {.algorithms = algorithms,
                                 .algorithm_count = algorithm_count,
                                 .ks = some_ks,
                                 .k_count = k_count,
                                 .ps = one,
                                 .p_count = 1},
                        .entries = entries,
                        .entry_count = algorithm_count * k_count,
                        .threads = 1,
                        .models = "",
                        .boundaries = "no others."};
}

/* The first chart has a line, a dash at one place, at `value` of 0.8 (its highest tick) above the
 * axis at y = 208, which is 196 high. NaN: it has no such line. */
static void check_bound(const char *page, const char *line, double value) {
    const char *chart = strstr(page, "<figure>");
    const char *end = chart ? strstr(chart, "</figure>") : NULL;
    const char *bound = chart ? strstr(chart, line) : NULL;
    if (isnan(value)) {
        assert_true(!bound || bound > end);
        return;
    }
    double x, y, to;
    assert_true(bound && bound < end);
    assert_int_equal(sscanf(bound + strlen(line), " d=\"M%lf %lfH%lf", &x, &y, &to), 3);
    assert_true(fabs(y - (208 - 196 * value / 0.8)) < 0.11);
    assert_true(to - x > 10);
}

static void test_page(void **state) {
    (void)state;
    hr_compare_entry entries[8];
    const char *const algorithms[] = {"a<b", "c&d"};
    const int64_t two_ks[] = {2, 3}, two_ps[] = {1, 2};
    hr_compare compare = {.grid = {.algorithms = algorithms,
                                   .algorithm_count = 2,
                                   .ks = two_ks,
                                   .k_count = 2,
                                   .ps = two_ps,
                                   .p_count = 2},
                          .entries = entries,
                          .entry_count = 8,
                          .source = "in<put>.csv",
                          .rows = 48842,
                          .threads = 1,
                          .models = "alpha = 0.5; ",
                          .boundaries = "zip<, level 3; no others."};
    hr_text page = {0};
    fill_entries(entries);
    hr_compare_rank(&compare);
    MUST(hr_compare_page(&compare, "x & <y>\x01\x1b[31m\x7f\xc2\x9b", &page, &err));
    /* ntil, violations, classes, avg, dm, seconds: for each k and for each p; suppressed is 0. And
     * the map of the least loss. */
    assert_int_equal(count_of(page.data, "<svg class=\"chart\""), 6 * 4 + 1);
    assert_int_equal(count_of(page.data, "c&amp;d: loss "), 0); /* the other one loses less */
    assert_int_equal(count_of(page.data, "a&lt;b: loss "), 4);
    /* Four figures are equal where neither run is empty (p = 1 and k = 3), violations for p = 1. */
    assert_int_equal(count_of(page.data, "a&lt;b and c&amp;d coincide"), 4 * 2 + 1);
    assert_int_equal(count_of(page.data, "0 in every run"), 1);
    assert_int_equal(count_of(page.data, "least possible without suppressing more, boundaries "),
                     2);
    assert_int_equal(count_of(page.data, "below the grey line of its kind, unless"), 1);
    assert_null(strstr(page.data, "A k below p"));
    assert_int_equal(count_of(page.data, "x &amp; &lt;y&gt;??[31m??:"), 2);
    assert_int_equal(count_of(page.data, "a<b"), 0);
    /* A note is in place of the figures, or in a row below them; no run is as good as another. */
    assert_int_equal(count_of(page.data,
                              "<td>2</td><td>2</td><td class=\"note\" colspan=\"16\">because of "
                              "&lt;it&gt;</td></tr>"),
                     1);
    assert_int_equal(count_of(page.data, "<tr><td colspan=\"4\"></td><td class=\"note\" "
                                         "colspan=\"16\">besides</td></tr>"),
                     1);
    assert_null(strstr(page.data, ">note</th>"));
    assert_non_null(strstr(page.data, "; alpha = 0.5; 1 thread per run; "));
    assert_non_null(strstr(page.data, "in&lt;put&gt;.csv: 48,842 rows;"));
    assert_non_null(strstr(page.data, "Boundaries: zip&lt;, level 3; no others."));
    assert_non_null(strstr(page.data, "1,234,567"));
    assert_non_null(strstr(page.data, "12,345.5"));
    assert_non_null(strstr(page.data, "<title>a&lt;b, k = 2, p = 1: 0.1000 (worth choosing)"));
    assert_null(strstr(page.data, "nan"));
    assert_null(strstr(page.data, "<th>sse_sst"));
    check_bound(page.data, "line bound\"", 0.25);
    check_bound(page.data, "line bound counted\"", 0.15);
    hr_text_free(&page);
}

/* One k and p, some algorithms: each kind of boundaries has the best bound of those that suppress
 * least. */
static void test_page_bounds(void **state) {
    (void)state;
    const char *const algorithms[] = {"a", "b", "c", "d", "e"};
    enum { COUNT = 5 };
    hr_random random;
    hr_random_seed(&random, 9, 0);
    for (int trial = 0; trial < 300; trial++) {
        hr_compare_entry entries[COUNT] = {0};
        double expected[2] = {NAN, NAN};
        for (size_t i = 0; i < COUNT; i++)
            entries[i] = (hr_compare_entry){
                .algorithm = algorithms[i],
                .k = 3,
                .p = 1,
                .asked = {.k = 3, .p = 1},
                .state = i == 0 || below(&random, 4) ? HR_ENTRY_DONE : HR_ENTRY_EMPTY,
                .count_boundaries = below(&random, 2),
                .figures = {.ntil = 0.8,
                            .ntil_bound = below(&random, 5) ? below(&random, 80) / 100.0 : NAN,
                            .sse_sst = NAN,
                            .suppressed = below(&random, 3)}};
        for (size_t kind = 0; kind < 2; kind++)
            for (uint64_t suppressed = 0; suppressed < 3 && isnan(expected[kind]); suppressed++)
                for (size_t i = 0; i < COUNT; i++)
                    if (entries[i].state == HR_ENTRY_DONE && entries[i].count_boundaries == kind &&
                        entries[i].figures.suppressed == suppressed)
                        expected[kind] = fmax(expected[kind], entries[i].figures.ntil_bound);
        hr_compare compare = small_compare(algorithms, COUNT, (const int64_t[]){3}, 1, entries);
        hr_text page = {0};
        MUST(hr_compare_page(&compare, "x", &page, &err));
        check_bound(page.data, "line bound\"", expected[0]);
        check_bound(page.data, "line bound counted\"", expected[1]);
        assert_null(strstr(page.data, "nan"));
        assert_null(strstr(page.data, "\"middle\">2</text>")); /* p = 1 is the only value */
        hr_text_free(&page);
    }
}

/* k = 1 and 2 are raised to p = 3: the run is listed once. */
static void test_page_raised(void **state) {
    (void)state;
    const char *const algorithms[] = {"a"};
    const int64_t three_ks[] = {1, 2, 3};
    for (size_t count = 2; count <= 3; count++) {
        hr_compare_entry entries[3] = {0};
        hr_text page = {0};
        for (size_t i = 0; i < count; i++)
            entries[i] = (hr_compare_entry){.algorithm = "a",
                                            .k = three_ks[i],
                                            .p = 3,
                                            .asked = {.k = 3, .p = 3},
                                            .state = HR_ENTRY_DONE,
                                            .note = i < 2 ? (char *)"k is taken as 3" : NULL,
                                            .figures = {.ntil = 0.5, .sse_sst = NAN}};
        hr_compare compare = small_compare(algorithms, 1, three_ks, count, entries);
        compare.grid.ps = (const int64_t[]){3};
        hr_compare_rank(&compare);
        MUST(hr_compare_page(&compare, "x", &page, &err));
        char *end = strstr(page.data, "</table>");
        *end = '\0';
        assert_int_equal(count_of(page.data, "class=\"star\""), 1);
        assert_int_equal(count_of(page.data, "A k below p is taken as p"), 1);
        assert_non_null(strstr(page.data, "<td>a</td><td>3</td><td>3</td>"));
        *end = '<';
        assert_int_equal(count_of(end, "class=\"star\""), count);
        assert_non_null(strstr(end, "a, k = 1, p = 3: 0.5000 (worth choosing); k is taken as 3"));
        hr_text_free(&page);
    }
}

/* Too many p for columns become rows of the map of the least loss; with as many k there is none. */
static void test_page_turned(void **state) {
    (void)state;
    enum { MOST = 13 };
    static int64_t numbers[MOST];
    static hr_compare_entry entries[MOST * MOST];
    const char *const algorithms[] = {"a"};
    const size_t k_counts[] = {2, MOST};
    for (int64_t i = 0; i < MOST; i++)
        numbers[i] = i + 1;
    for (size_t n = 0; n < 2; n++) {
        hr_compare compare = small_compare(algorithms, 1, numbers, k_counts[n], entries);
        compare.grid.ps = numbers;
        compare.grid.p_count = MOST;
        compare.entry_count = k_counts[n] * MOST;
        for (size_t i = 0; i < compare.entry_count; i++)
            entries[i] = (hr_compare_entry){.algorithm = "a",
                                            .k = numbers[i / MOST],
                                            .p = numbers[i % MOST],
                                            .state = HR_ENTRY_DONE,
                                            .figures = {.ntil = 0.001 * (double)(i + 1)}};
        hr_text page = {0};
        MUST(hr_compare_page(&compare, "t", &page, &err));
        assert_int_equal(count_of(page.data, "What does each step of k and p cost?"), n == 0);
        if (n == 0) { /* k = 1 and k = 2 of p = 1 stand side by side, then those of p = 2 */
            const char *first = strstr(page.data, "a: loss 0.0010");
            const char *second = strstr(page.data, "a: loss 0.0140");
            const char *third = strstr(page.data, "a: loss 0.0020");
            assert_true(first && second && third && first < second && second < third);
        }
        hr_text_free(&page);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_page),
        cmocka_unit_test(test_page_bounds),
        cmocka_unit_test(test_page_raised),
        cmocka_unit_test(test_page_turned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
