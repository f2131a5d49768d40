/* Plans of counted tables: on random tables, a plan that is made from combinations of cell and
 * sensitive values with their counts runs the cells like a run of the whole table, prices
 * boundaries like the table, and its parts are verified one by one. The same for incognito, whose
 * combinations are those of all columns that it looks at. */
#include "unit.h"

#include <math.h>

enum { ROWS = 160, COLUMNS = 6, RELEASED = 5, PARTS = 3 };
static const char *const names[] = {"letter", "number", "word", "illness", "note", "person"};

static hr_table *empty(void) {
    hr_table *table;
    MUST(hr_table_new(COLUMNS, names, &table, &err));
    return table;
}

static hr_table *random_table(unsigned rows, hr_random *random) {
    static const char *const words[] = {"x", "y", "z", "v"};
    static const char *const illnesses[] = {"flu", "gout", "asthma", "none", NULL};
    hr_table *table = empty();
    for (unsigned row = 0; row < rows; row++) {
        char letter[2] = {(char)('a' + below(random, 12)), 0}, number[16], note[2] = {'0', 0};
        char person[16];
        snprintf(number, sizeof number, "%u", below(random, 20));
        snprintf(person, sizeof person, "%u", below(random, rows / 3 + 2));
        note[0] = (char)('0' + below(random, 4));
        const char *fields[] = {letter,
                                below(random, 30) ? number : NULL,
                                words[below(random, 4)],
                                illnesses[below(random, 5)],
                                note,
                                person};
        MUST(hr_table_append(table, fields, &err));
    }
    return table;
}

static hr_job *job_of(const hr_table *table, hr_random *random) {
    static const char *const settings[][2] = {{"quasi", "letter,number,word"},
                                              {"numeric", "number"},
                                              {"hierarchy", "letter={prefix: [1]}"},
                                              {"hierarchy", "word=flat"},
                                              {"sensitive", "illness"},
                                              {"keep", "note"},
                                              {"on-missing", "number=drop"},
                                              {"bound", "none"},
                                              {"threads", "1"}};
    static const char *const cuts[] = {"number=width:4", "number=cells:3", "number=cuts:5,11"};
    hr_job *job;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        MUST(hr_job_set(job, settings[i][0], settings[i][1], &err));
    MUST(hr_job_set(job, "k", below(random, 2) ? "2" : "4", &err));
    if (below(random, 2)) MUST(hr_job_set(job, "p", "2", &err));
    if (below(random, 2)) MUST(hr_job_set(job, "boundary", cuts[below(random, 3)], &err));
    if (below(random, 2)) MUST(hr_job_set(job, "boundary", "word=level:0", &err));
    if (!below(random, 4)) MUST(hr_job_set(job, "alpha", "0.6", &err));
    if (!below(random, 3)) MUST(hr_job_set(job, "unit", "person", &err));
    MUST(hr_job_set(job, "effort", "quick", &err));
    return job;
}

/* Columns of a row, NULL for null. */
static void fields_of(const hr_table *table, size_t row, const char **fields) {
    for (size_t c = 0; c < COLUMNS; c++)
        fields[c] = hr_table_code_text(table, c, hr_table_code(table, row, c), NULL);
}

/* Does row a come before row b, by the texts of the quasi-identifiers? */
static bool is_before(const hr_table *table, size_t a, size_t b) {
    for (size_t c = 0; c < 3; c++) {
        int order = strcmp(hr_table_text(table, a, c), hr_table_text(table, b, c));
        if (order) return order < 0;
    }
    return false;
}

typedef struct {
    hr_table *table;
    uint32_t counts[ROWS];
    size_t count;
} counted;

/* Are two rows counted together? */
static bool are_alike(const hr_table *table, const uint64_t *keys, bool by_person, size_t a,
                      size_t b) {
    return keys[a] == keys[b] && hr_table_code(table, a, 3) == hr_table_code(table, b, 3) &&
           (!by_person || hr_table_code(table, a, 5) == hr_table_code(table, b, 5));
}

/* Groups the rows by key, illness and unit, each with its first row; then all rows, as values. */
static void count_rows(const hr_table *table, const uint64_t *keys, bool by_person, counted *out) {
    *out = (counted){.table = empty()};
    size_t rows = hr_table_rows(table), first[ROWS];
    const char *fields[COLUMNS];
    for (size_t row = 0; row < rows; row++) {
        size_t i = 0;
        while (i < out->count && !are_alike(table, keys, by_person, first[i], row))
            i++;
        if (i == out->count) {
            first[out->count] = row;
            out->counts[out->count++] = 0;
        }
        if (is_before(table, row, first[i])) first[i] = row;
        out->counts[i]++;
    }
    for (size_t i = 0; i < out->count; i++) {
        fields_of(table, first[i], fields);
        MUST(hr_table_append(out->table, fields, &err));
    }
    MUST(hr_table_append_table(out->table, table, &err));
}

/* The plan without cells gives the keys by which rows are counted. */
static void count_for(hr_job *job, const hr_table *table, counted *out) {
    static const uint32_t none[1];
    uint64_t keys[ROWS];
    hr_plan *draft;
    MUST(hr_job_set_counts(job, none, 0, &err));
    MUST(hr_job_plan(job, NULL, &draft, &err));
    assert_null(hr_plan_cell_at(draft, 0));
    MUST(hr_plan_keys(draft, table, keys, &err));
    hr_plan_free(draft);
    count_rows(table, keys, hr_job_get(job, "unit") != NULL, out);
    MUST(hr_job_set_input(job, out->table, &err));
    MUST(hr_job_set_counts(job, out->counts, out->count, &err));
}

static void assert_same_table(const hr_table *a, const hr_table *b) {
    assert_int_equal(hr_table_rows(a), hr_table_rows(b));
    for (size_t row = 0; row < hr_table_rows(a); row++)
        for (size_t c = 0; c < RELEASED; c++)
            assert_string_equal(hr_table_text(a, row, c), hr_table_text(b, row, c));
}

static hr_table *deal(const hr_plan *plan, const hr_table *table, unsigned part) {
    uint64_t keys[ROWS];
    const char *fields[COLUMNS];
    hr_table *out = empty();
    MUST(hr_plan_keys(plan, table, keys, &err));
    for (size_t row = 0; row < hr_table_rows(table); row++) {
        const hr_plan_cell *cell = hr_plan_cell_find(plan, keys[row]);
        if (!cell || cell->suppressed || keys[row] % PARTS != part) continue;
        fields_of(table, row, fields);
        MUST(hr_table_append(out, fields, &err));
    }
    return out;
}

/* Runs the parts of a plan; what they show adds up to the figures of the whole release. */
static void assert_runs_like(const hr_plan *plan, const hr_table *table, const hr_release *whole) {
    const hr_figures *figures = hr_release_figures(whole);
    const hr_table *tables[PARTS];
    hr_release *parts[PARTS];
    hr_table *joined;
    uint64_t counts[ROWS] = {0}, classes = 0, rows = 0, smallest = UINT64_MAX, least = UINT64_MAX;
    double il = 0;
    size_t count = 0;
    hr_error why = {0};
    for (unsigned part = 0; part < PARTS; part++) {
        hr_table *own = deal(plan, table, part);
        hr_status status =
            hr_table_rows(own) == 0 ? HR_ENOSOL : hr_plan_run(plan, own, NULL, &parts[count], &why);
        hr_table_free(own);
        if (status == HR_ENOSOL) continue; /* under alpha only a run shows it */
        assert_int_equal(status, HR_OK);
        hr_plan_verdict v = {.size = sizeof v};
        tables[count] = hr_release_table(parts[count]);
        MUST(hr_plan_verify(plan, tables[count++], counts, NULL, &v, &err));
        assert_int_equal(
            v.small_classes + v.poor_classes + v.failing + v.unreadable + v.past + v.strangers, 0);
        classes += v.classes;
        rows += v.rows;
        il += v.il;
        if (v.smallest < smallest) smallest = v.smallest;
        uint64_t achieved = (uint64_t)hr_release_figures(parts[count - 1])->achieved_k;
        if (achieved < least) least = achieved; /* counts people if the job has a unit */
    }
    MUST(hr_plan_join(plan, tables, count, NULL, &joined, &err));
    assert_same_table(hr_release_table(whole), joined);
    assert_int_equal(rows, figures->released);
    assert_int_equal(classes, figures->classes);
    assert_int_equal(least, figures->achieved_k);
    assert_true(smallest >= least);
    assert_true(fabs(il + (double)figures->suppressed * 3 - figures->il) < 1e-6);
    for (size_t i = 0; hr_plan_cell_at(plan, i); i++) {
        const hr_plan_cell *cell = hr_plan_cell_at(plan, i);
        if (cell->released != HR_PLAN_UNKNOWN) assert_int_equal(counts[i], cell->released);
        assert_true(counts[i] <= cell->rows);
    }
    hr_table_free(joined);
    for (size_t i = 0; i < count; i++)
        hr_release_free(parts[i]);
}

static void test_counts_make_the_plan(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 26, 1);
    size_t infeasible = 0;
    for (int i = 0; i < 400; i++) {
        hr_error why = {0};
        hr_table *table = random_table(10 + below(&random, ROWS - 10), &random);
        hr_job *job = job_of(table, &random);
        hr_release *whole = NULL;
        hr_plan *plan = NULL;
        hr_status status = hr_job_run(job, NULL, &whole, &why);
        counted c;
        count_for(job, table, &c);
        hr_status planned = hr_job_plan(job, NULL, &plan, &why);
        if (status == HR_OK) {
            assert_int_equal(planned, HR_OK);
            assert_runs_like(plan, table, whole);
        } else {
            assert_int_equal(status, HR_ENOSOL);
            infeasible++;
            if (!hr_job_get(job, "alpha")) assert_int_equal(planned, HR_ENOSOL);
        }
        hr_plan_free(plan);
        hr_release_free(whole);
        hr_job_free(job);
        hr_table_free(c.table);
        hr_table_free(table);
    }
    assert_true(infeasible < 200);
}

/* A job for incognito: every quasi-identifier has a hierarchy. */
static hr_job *global_job(const hr_table *table, hr_random *random) {
    static const char *const settings[][2] = {{"quasi", "letter,number,word"},
                                              {"hierarchy", "letter={prefix: [1]}"},
                                              {"hierarchy", "word=flat"},
                                              {"hierarchy", "number={intervals: [2, 6], from: 0}"},
                                              {"on-missing", "number=group"},
                                              {"sensitive", "illness"},
                                              {"keep", "note"},
                                              {"algorithm", "incognito"},
                                              {"bound", "none"},
                                              {"threads", "1"}};
    hr_job *job;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        MUST(hr_job_set(job, settings[i][0], settings[i][1], &err));
    MUST(hr_job_set(job, "k", below(random, 2) ? "2" : "4", &err));
    if (below(random, 2)) MUST(hr_job_set(job, "p", "2", &err));
    if (below(random, 2)) MUST(hr_job_set(job, "boundary", "word=level:0", &err));
    if (below(random, 2)) MUST(hr_job_set(job, "boundary", "number=level:2", &err));
    if (!below(random, 3)) MUST(hr_job_set(job, "boundaries", "count", &err));
    if (!below(random, 3)) MUST(hr_job_set(job, "suppression", "0.2", &err));
    if (!below(random, 4)) MUST(hr_job_set(job, "finest", "number=level:1", &err));
    if (!below(random, 3)) MUST(hr_job_set(job, "unit", "person", &err));
    return job;
}

/* Counts the rows by the four columns that the search looks at, which stand for cells here. */
static void count_combinations(hr_job *job, const hr_table *table, counted *out) {
    uint64_t keys[ROWS];
    for (size_t row = 0; row < hr_table_rows(table); row++) {
        keys[row] = 0;
        for (size_t c = 0; c < 3; c++)
            keys[row] = keys[row] * ROWS + hr_table_code(table, row, c);
    }
    count_rows(table, keys, hr_job_get(job, "unit") != NULL, out);
    MUST(hr_job_set_input(job, out->table, &err));
    MUST(hr_job_set_counts(job, out->counts, out->count, &err));
}

static void test_counts_make_the_plan_of_incognito(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 26, 4);
    size_t infeasible = 0, suppressing = 0;
    for (int i = 0; i < 400; i++) {
        hr_error why = {0};
        hr_table *table = random_table(10 + below(&random, ROWS - 10), &random);
        hr_job *job = global_job(table, &random);
        hr_release *whole = NULL;
        hr_plan *plan = NULL, *counts = NULL;
        counted c;
        hr_status status = hr_job_run(job, NULL, &whole, &why);
        hr_status planned = hr_job_plan(job, NULL, &plan, &why);
        count_combinations(job, table, &c);
        assert_int_equal(hr_job_plan(job, NULL, &counts, &why), status);
        assert_int_equal(planned, status);
        if (status == HR_OK) {
            suppressing += hr_release_figures(whole)->suppressed > 0;
            assert_runs_like(plan, table, whole);
            assert_runs_like(counts, table, whole);
        } else {
            assert_int_equal(status, HR_ENOSOL);
            infeasible++;
        }
        hr_plan_free(counts);
        hr_plan_free(plan);
        hr_release_free(whole);
        hr_job_free(job);
        hr_table_free(c.table);
        hr_table_free(table);
    }
    assert_true(infeasible < 200 && suppressing > 50);
}

static void test_models_that_a_plan_of_incognito_cannot_carry(void **state) {
    (void)state;
    hr_error why = {0};
    hr_random random;
    hr_plan *plan;
    hr_random_seed(&random, 26, 5);
    hr_table *table = random_table(100, &random);
    hr_job *job = global_job(table, &random);
    MUST(hr_job_set(job, "suppression", "0", &err));
    MUST(hr_job_set(job, "alpha", "0.8", &err));
    assert_int_equal(hr_job_plan(job, NULL, &plan, &why), HR_EINVAL);
    assert_non_null(strstr(why.message, "a plan of incognito cannot carry alpha"));
    hr_job_free(job);
    hr_table_free(table);
}

static void test_counts_price_boundaries(void **state) {
    (void)state;
    const int64_t ks[] = {2, 3, 6}, ps[] = {1, 2};
    hr_random random;
    hr_random_seed(&random, 26, 2);
    for (int i = 0; i < 200; i++) {
        hr_table *table = random_table(20 + below(&random, ROWS - 20), &random);
        hr_job *job = job_of(table, &random);
        hr_prices *whole, *counts;
        MUST(hr_job_set(job, "alpha", "1", &err));
        MUST(hr_job_boundaries(job, ks, 3, ps, 2, NULL, &whole, &err));
        counted c;
        count_for(job, table, &c);
        MUST(hr_job_boundaries(job, ks, 3, ps, 2, NULL, &counts, &err));
        const hr_cut *a = hr_prices_cut(whole), *b = hr_prices_cut(counts);
        assert_int_equal(a->rows, b->rows);
        assert_int_equal(a->dropped, b->dropped);
        if (!a->chosen) assert_int_equal(a->cells, b->cells);
        for (size_t n = 0; n < 6; n++) {
            assert_int_equal(hr_prices_at(whole, n)->suppressed,
                             hr_prices_at(counts, n)->suppressed);
            assert_int_equal(hr_prices_at(whole, n)->classes_at_most,
                             hr_prices_at(counts, n)->classes_at_most);
        }
        hr_prices_free(whole);
        hr_prices_free(counts);
        hr_job_free(job);
        hr_table_free(c.table);
        hr_table_free(table);
    }
}

static void test_what_a_counted_table_is_not_for(void **state) {
    (void)state;
    const uint32_t counts[] = {3, 0};
    hr_error why = {0};
    hr_random random;
    hr_release *release;
    hr_random_seed(&random, 26, 3);
    hr_table *table = random_table(30, &random);
    hr_job *job = job_of(table, &random);
    assert_int_equal(hr_job_set_counts(job, counts, 2, &why), HR_EINVAL);
    assert_non_null(strstr(why.message, "row 2 stands for no row"));
    assert_int_equal(hr_job_set_counts(job, counts, 31, &why), HR_EINVAL);
    MUST(hr_job_set_counts(job, counts, 1, &err));
    assert_int_equal(hr_job_run(job, NULL, &release, &why), HR_EINVAL);
    assert_non_null(strstr(why.message, "for plans and boundaries"));
    static const char *const counting[] = {"letter={frequency: 3}",
                                           "letter=[{prefix: [1]}, {frequency: 3}]"};
    for (size_t i = 0; i < sizeof counting / sizeof *counting; i++) {
        hr_plan *plan;
        MUST(hr_job_set(job, "hierarchy", counting[i], &err));
        assert_int_equal(hr_job_plan(job, NULL, &plan, &why), HR_EINVAL);
        assert_non_null(
            strstr(why.message, "column 'letter': the builder 'frequency' counts rows"));
    }
    hr_job_free(job);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_make_the_plan),
        cmocka_unit_test(test_counts_make_the_plan_of_incognito),
        cmocka_unit_test(test_models_that_a_plan_of_incognito_cannot_carry),
        cmocka_unit_test(test_counts_price_boundaries),
        cmocka_unit_test(test_what_a_counted_table_is_not_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
