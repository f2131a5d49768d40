/* test_means.c - releases that publish means: the digits of a mean, SSE/SST, and the figures of
 * Domingo-Ferrer, Sebé, Solanas 2007 on the census of its authors, which are skipped where the data
 * is absent. */
#include "run/run.h"
#include "skip.h"
#include "unit.h"

#include <math.h>

#define CENSUS   HR_SHARED "/data/casc/census.csv"
#define EXPECTED HR_SHARED "/expected/paper004_sse_sst.csv"

/* ---- digits ---- */

static void test_decimals(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int decimals;
    } cases[] = {{"12", 0},         {"12.", 0},
                 {"-0.50", 2},      {".125", 3},
                 {"1e3", 0},        {"1.5e1", 0},
                 {"1.25e1", 1},     {"1e-3", 3},
                 {"1.5E-3", 4},     {"+7.0", 1},
                 {"2e+0", 0},       {"1e-300", 300},
                 {"1e-9999", 1100}, {"1e999999999999999", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(hr_decimals(cases[i].text), cases[i].decimals);
}

/* Checks the text of a mean of the column in `csv`. */
static void check_text(const char *csv, int decimals, double mean, const char *expected) {
    hr_table *table = table_of(csv);
    hr_quasi quasi = {0};
    hr_missing missing = {0};
    hr_text text = {0};
    MUST(hr_quasi_bind_numeric(&quasi, &table->columns[0], &missing, false, &err));
    hr_quasi_mean_text(&quasi, mean, decimals, &text);
    assert_string_equal(text.data, expected);
    hr_text_free(&text);
    hr_quasi_free(&quasi);
    hr_table_free(table);
}

static void test_mean_text(void **state) {
    (void)state;
    check_text("x\n1\n4\n", -1, 2.25, "2");
    check_text("x\n1\n4.50\n", -1, 2.25, "2.25");
    check_text("x\n1\n4\n", 3, 2.25, "2.250");
    check_text("x\n-1\n1\n", -1, -0.25, "0"); /* no minus sign before zero */
    check_text("x\n-1.0\n1\n", -1, -0.04, "0.0");
    check_text("x\n-1\n1\n", -1, -0.75, "-1");
    check_text("x\n1000000000.1\n1000000000.4\n", -1, 1000000000.25, "1000000000.2");
    check_text("x\n1e300\n2e300\n", -1, 1.5e300, "1.5000000000000001e+300");
}

/* A large offset of the column costs the mean no digits. */
static void test_means_of_groups(void **state) {
    (void)state;
    hr_table *table = table_of("x\n1000000000001\n1000000000002\n1000000000006\n1000000000000\n");
    hr_quasi quasi = {0};
    hr_missing missing = {0};
    uint32_t of_row[] = {1, 1, 1, 0};
    double mean[2];
    MUST(hr_quasi_bind_numeric(&quasi, &table->columns[0], &missing, false, &err));
    MUST(hr_quasi_means(&quasi, &(hr_groups){.of_row = of_row, .rows = 4, .count = 2}, mean, &err));
    assert_true(mean[0] == 1000000000000 && mean[1] == 1000000000003);
    hr_quasi_free(&quasi);
    hr_table_free(table);
}

/* Large numbers elsewhere in the column cost a group no digits, and a group whose sum overflows has
 * a mean. */
static void test_means_of_extremes(void **state) {
    (void)state;
    hr_table *table = table_of("x\n-1e15\n0.101\n0.102\n0.103\n1.2e308\n1.4e308\n");
    hr_quasi quasi = {0};
    hr_missing missing = {0};
    uint32_t of_row[] = {0, 1, 1, 1, 2, 2};
    double mean[3];
    MUST(hr_quasi_bind_numeric(&quasi, &table->columns[0], &missing, false, &err));
    MUST(hr_quasi_means(&quasi, &(hr_groups){.of_row = of_row, .rows = 6, .count = 3}, mean, &err));
    assert_true(mean[0] == -1e15);
    near(mean[1], 0.102);
    near(mean[2] / 1e308, 1.3);
    hr_quasi_free(&quasi);
    hr_table_free(table);
}

/* ---- SSE/SST ---- */

static double loss_of(const hr_table *table, const char *algorithm, const char *const *settings) {
    hr_job *job;
    hr_release *release;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    MUST(hr_job_set(job, "algorithm", algorithm, &err));
    for (; settings[0]; settings += 2)
        MUST(hr_job_set(job, settings[0], settings[1], &err));
    MUST(hr_job_run(job, NULL, &release, &err));
    double loss = release->figures.sse_sst;
    assert_true(isnan(release->figures.ntil) == !isnan(loss));
    hr_release_free(release);
    hr_job_free(job);
    return loss;
}

static void test_by_hand(void **state) {
    (void)state;
    static const char *const settings[] = {"quasi", "x,y", "numeric", "x,y", "k", "2", NULL};
    /* x: 0 1 | 9 10 about 5, SST 82 and SSE 1; y: 0 4 | 4 0 about 2, SST 16 and SSE 16. */
    hr_table *table = table_of("x,y\n0,0\n1,4\n9,4\n10,0\n");
    near(loss_of(table, "mdav", settings), (1.0 / 82 + 16.0 / 16) / 2);
    hr_table_free(table);
    table = table_of("x,y\n0,5\n1,5\n9,5\n10,5\n"); /* y is constant and does not count */
    near(loss_of(table, "cbfs", settings), 1.0 / 82);
    assert_true(isnan(loss_of(table, "greedy-pk", settings)));
    hr_table_free(table);
    table = table_of("x,y\n3,5\n3,5\n");
    near(loss_of(table, "mdav", settings), 0);
    hr_table_free(table);
}

/* The loss does not depend on the magnitude of the numbers, and constant columns do not count. */
static void test_sizes_of_numbers(void **state) {
    (void)state;
    static const char *const tables[] = {
        "x,y\n0e200,1e300\n1e200,1e300\n9e200,1e300\n10e200,1e300\n",
        ("x,y\n0,0.10000000000000001\n1e-200,0.10000000000000001\n9e-200,0.10000000000000001\n"
         "10e-200,0.10000000000000001\n"),
        "x,y\n1e9,-0\n1000000000.01,0\n1000000000.09,0\n1000000000.1,0\n"};
    static const char *const settings[] = {"quasi", "x,y", "numeric", "x,y", "k", "2", NULL};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        hr_table *table = table_of(tables[i]);
        near(loss_of(table, "mdav", settings), 1.0 / 82);
        near(loss_of(table, "cbfs", settings), 1.0 / 82);
        hr_table_free(table);
    }
}

/* The number of published digits does not change the loss. */
static void test_decimals_of_release(void **state) {
    (void)state;
    const char *settings[] = {"quasi", "x", "numeric", "x", "k", "2", "decimals", NULL, NULL};
    hr_table *table = table_of("x\n0.10\n0.80\n0.15\n0.85\n0.20\n0.90\n0.12\n0.82\n");
    settings[7] = "2";
    double loss = loss_of(table, "mdav", settings);
    settings[7] = "0";
    near(loss_of(table, "mdav", settings), loss);
    hr_table_free(table);
}

static hr_job *job_of(const hr_table *table, const char *decimals) {
    hr_job *job;
    const char *const settings[] = {"algorithm", "mdav", "quasi",    "x",      "numeric", "x",
                                    "k",         "2",    "decimals", decimals, NULL};
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    for (const char *const *setting = settings; *setting; setting += 2)
        MUST(hr_job_set(job, setting[0], setting[1], &err));
    return job;
}

/* Runs with different digits share one table and do not change it. With 0 digits the four clusters
 * publish the means 0 and 1 and fuse into two classes. */
static void test_decimals_of_shared_table(void **state) {
    (void)state;
    static const struct {
        const char *decimals;
        uint64_t classes;
    } runs[] = {{"-1", 4}, {"0", 2}, {"2", 4}, {"0", 2}, {"-1", 4}};
    hr_table *table = table_of("x\n0.10\n0.80\n0.15\n0.85\n0.20\n0.90\n0.12\n0.82\n");
    hr_job *first = job_of(table, "-1");
    hr_shared_data shared;
    hr_quasi before;
    MUST(hr_shared_data_load(first, (const bool[2]){true, false}, NULL, &shared, &err));
    memcpy(&before, &shared.dataset.data.quasi[0], sizeof before);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        hr_job *job = job_of(table, runs[i].decimals);
        hr_figures figures;
        hr_promises promises;
        MUST(hr_job_try(job, &shared, NULL, &figures, &promises, &err));
        hr_promises_free(&promises);
        assert_int_equal(figures.clusters, 4);
        assert_int_equal(figures.classes, runs[i].classes);
        assert_memory_equal(&before, &shared.dataset.data.quasi[0], sizeof before);
        hr_job_free(job);
    }
    hr_shared_data_free(&shared);
    hr_job_free(first);
    hr_table_free(table);
}

/* The number of digits is a property of the partition, not of the table. */
static void test_decimals_of_mask(void **state) {
    (void)state;
    static const char *const expected[] = {"0", "0.25", "0.250"};
    static const int decimals[] = {0, HR_DECIMALS_OF_INPUT, 3};
    hr_table *table = table_of("x\n0.10\n0.40\n");
    hr_job *job = job_of(table, "-1");
    hr_shared_data shared;
    uint32_t cluster[] = {0, 0};
    hr_span values[] = {{0, 1}};
    double means[] = {0.25};
    MUST(hr_shared_data_load(job, (const bool[2]){true, false}, NULL, &shared, &err));
    for (size_t i = 0; i < 3; i++) {
        hr_partition partition = {.rows = 2,
                                  .quasi_count = 1,
                                  .cluster = cluster,
                                  .cluster_count = 1,
                                  .values = values,
                                  .means = means,
                                  .mean_decimals = decimals[i]};
        hr_masked_table masked;
        MUST(hr_mask(job, &shared.dataset, &partition, &masked, &err));
        assert_string_equal(hr_column_text(&masked.table->columns[0], 0), expected[i]);
        hr_masked_table_free(&masked);
    }
    hr_shared_data_free(&shared);
    hr_job_free(job);
    hr_table_free(table);
}

static void test_offset(void **state) {
    (void)state;
    static const char *const settings[] = {"quasi", "x,y,z", "numeric", "x,y,z", "k", "3", NULL};
    hr_text plain = {0}, moved = {0}, far = {0};
    hr_random random;
    hr_random_seed(&random, 3, 0);
    hr_text_puts(&plain, "x,y,z\n");
    hr_text_puts(&moved, "x,y,z\n");
    hr_text_puts(&far, "x,y,z\n");
    for (int i = 0; i < 500; i++) {
        unsigned x = below(&random, 1000), y = below(&random, 30), z = below(&random, 100000);
        hr_text_printf(&plain, "%u,%u.%02u,%u\n", x, y, z % 100, z);
        hr_text_printf(&moved, "%u,%u.%02u,%u\n", x + 1000000000, y + 1000000000, z % 100, z);
        /* At this magnitude doubles are a quarter apart. */
        hr_text_printf(&far, "%llu,%u.%02u,%u\n", x + 2000000000000000ULL, y, z % 100, z);
    }
    hr_table *a = table_of(plain.data), *b = table_of(moved.data), *c = table_of(far.data);
    double loss = loss_of(a, "mdav", settings);
    assert_true(loss > 0.01 && loss < 0.3);
    near(loss_of(b, "mdav", settings), loss);
    near(loss_of(b, "cbfs", settings), loss_of(a, "cbfs", settings));
    near(loss_of(c, "mdav", settings), loss);
    hr_table_free(a);
    hr_table_free(b);
    hr_table_free(c);
    hr_text_free(&plain);
    hr_text_free(&moved);
    hr_text_free(&far);
}

/* ---- figures ---- */

static double census_loss(const char *algorithm, int k, int p) {
    static hr_table *table;
    if (!table) MUST(hr_table_read(CENSUS, &table, &err));
    char k_text[16], p_text[16];
    snprintf(k_text, sizeof k_text, "%d", k);
    snprintf(p_text, sizeof p_text, "%d", p);
    const char *const quasi = "AFNLWGT,AGI,EMCONTRB,FEDTAX,PTOTVAL,STATETAX";
    const char *const settings[] = {
        "quasi", quasi,       "numeric", quasi,        "sensitive", "TAXINC,POTHVAL,INTVAL",
        "bins",  "TAXINC=15", "bins",    "POTHVAL=15", "bins",      "INTVAL=15",
        "k",     k_text,      "p",       p_text,       NULL};
    return loss_of(table, algorithm, settings);
}

static void need_census(void) {
    need_file(CENSUS);
    need_file(EXPECTED);
}

/* The paper's tables print percentages truncated to two decimals. */
static void check_cut(const char *algorithm, int k, int p, double percent) {
    double cut = floor(100 * 100 * census_loss(algorithm, k, p) + 1e-9) / 100;
    if (fabs(cut - percent) > 1e-9)
        fail_msg("%s k %d p %d: %.2f, expected %.2f", algorithm, k, p, cut, percent);
}

static void test_algorithm_2(void **state) {
    (void)state;
    char line[256];
    int figures = 0, algorithm, k, p;
    double percent;
    need_census();
    FILE *file = fopen(EXPECTED, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%d,%d,%d,%lf", &algorithm, &k, &p, &percent) != 4) continue;
        if (p == 1) check_cut("cbfs", k, 1, percent); /* the same in both tables */
        if (algorithm != 2) continue;
        check_cut("micro-p-first", k, p, percent);
        figures++;
    }
    fclose(file);
    assert_int_equal(figures, 14);
}

static void check_rounded(const char *algorithm, int k, int p, double percent) {
    double found = round(100 * 100 * census_loss(algorithm, k, p)) / 100;
    if (fabs(found - percent) > 1e-9)
        fail_msg("%s k %d p %d: %.2f, expected %.2f", algorithm, k, p, found, percent);
}

static void test_mdav_and_algorithm_1(void **state) {
    (void)state;
    static const struct {
        int number;
        double mdav, k_first;
    } figures[] = {{3, 3.69, 40.63}, {5, 6.35, 58.86}, {7, 7.97, 64.71}, {10, 9.99, 100}};
    need_census();
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        check_rounded("mdav", figures[i].number, 1, figures[i].mdav);
        check_rounded("micro-k-first", 10, figures[i].number, figures[i].k_first);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimals),
        cmocka_unit_test(test_mean_text),
        cmocka_unit_test(test_means_of_groups),
        cmocka_unit_test(test_means_of_extremes),
        cmocka_unit_test(test_sizes_of_numbers),
        cmocka_unit_test(test_decimals_of_release),
        cmocka_unit_test(test_decimals_of_shared_table),
        cmocka_unit_test(test_decimals_of_mask),
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_offset),
        cmocka_unit_test(test_algorithm_2),
        cmocka_unit_test(test_mdav_and_algorithm_1),
    };
    return exit_status(cmocka_run_group_tests(tests, NULL, NULL));
}
