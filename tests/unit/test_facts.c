/* test_facts.c - facts about groups of rows, their unions, the models and OUT, against counting row
 * by row. */
#include "model/model.h"

#include "unit.h"

#include <math.h>

enum { ROWS = 80, SENSITIVE = 3, VALUES = 6 };

/* A random table with 0 to 3 sensitive attributes (missing values among them) and random groups. */
typedef struct {
    size_t rows, sensitive_count;
    unsigned cells[ROWS * SENSITIVE]; /* VALUES: missing */
    uint32_t group[ROWS], group_count;
    hr_table *table;
    hr_sensitive sensitive[SENSITIVE];
    hr_facts facts;
} sample;

static void draw(sample *s, hr_random *random) {
    *s = (sample){.rows = 1 + below(random, ROWS), .sensitive_count = below(random, SENSITIVE + 1)};
    for (size_t i = 0; i < s->rows * s->sensitive_count; i++)
        s->cells[i] = below(random, VALUES + 1);
    s->table = table_of_numbers(s->cells, s->rows, s->sensitive_count);
    char missing_text[8];
    snprintf(missing_text, sizeof missing_text, "%d", VALUES);
    hr_missing missing = {(const char *const[]){"", missing_text}, 2};
    for (size_t l = 0; l < s->sensitive_count; l++)
        MUST(hr_sensitive_bind(&s->sensitive[l], &s->table->columns[l], &missing, 0, NULL, &err));
    s->group_count = 1 + below(random, 9);
    for (size_t row = 0; row < s->rows; row++) {
        s->group[row] = below(random, s->group_count + 1);
        if (s->group[row] == s->group_count) s->group[row] = HR_NONE;
    }
    hr_groups groups = {.of_row = s->group, .rows = s->rows, .count = s->group_count};
    MUST(hr_facts_of(&groups, s->sensitive, s->sensitive_count, &s->facts, &err));
}

static void release(sample *s) {
    hr_facts_free(&s->facts);
    for (size_t l = 0; l < s->sensitive_count; l++)
        free(s->sensitive[l].value_of_code);
    hr_table_free(s->table);
}

/* into[g]: which union group g belongs to. */
static void count(const sample *s, const uint32_t *into, uint32_t g, size_t l, uint32_t *size,
                  uint32_t *counts) {
    *size = 0;
    memset(counts, 0, VALUES * sizeof *counts);
    for (size_t row = 0; row < s->rows; row++) {
        if (s->group[row] == HR_NONE || into[s->group[row]] != g) continue;
        (*size)++;
        if (l == s->sensitive_count) continue;
        unsigned value = s->cells[row * s->sensitive_count + l];
        if (value < VALUES) counts[value]++;
    }
}

static void check_facts(const sample *s, const hr_facts *facts, const uint32_t *into,
                        uint32_t groups) {
    assert_int_equal(facts->count, groups);
    for (uint32_t g = 0; g < groups; g++) {
        uint32_t size, counts[VALUES], least = UINT32_MAX;
        count(s, into, g, s->sensitive_count, &size, counts);
        assert_int_equal(facts->size[g], size);
        for (size_t l = 0; l < s->sensitive_count; l++) {
            size_t cell = g * s->sensitive_count + l;
            uint32_t distinct = 0, largest = 0;
            count(s, into, g, l, &size, counts);
            for (unsigned v = 0; v < VALUES; v++) {
                distinct += counts[v] > 0;
                largest = counts[v] > largest ? counts[v] : largest;
            }
            assert_int_equal(facts->distinct[cell], distinct);
            assert_int_equal(facts->largest[cell], largest);
            assert_int_equal(facts->value_start[cell + 1] - facts->value_start[cell], distinct);
            for (size_t i = facts->value_start[cell]; i < facts->value_start[cell + 1]; i++) {
                /* The texts are numbers: the text of the value is its index in `counts`. */
                const hr_sensitive *sensitive = &s->sensitive[l];
                const hr_dictionary *texts = &sensitive->column->dictionary;
                uint32_t code = 0;
                while (sensitive->value_of_code[code] != facts->values[i])
                    code++;
                unsigned value = (unsigned)atoi(hr_dictionary_text(texts, code));
                assert_true(counts[value] > 0);
                assert_int_equal(facts->value_rows[i], counts[value]);
                counts[value] = 0; /* listed once */
            }
            least = distinct < least ? distinct : least;
        }
        assert_int_equal(hr_facts_least_values(facts, g), least);
    }
}

/* OUT: rows of groups with fewer than k rows or fewer than p values of some attribute. */
static void check_out(const sample *s, const uint32_t *itself) {
    for (int64_t k = 1; k < 12; k++)
        for (int64_t p = 1; p < 6; p++) {
            hr_requirements asked = {.k = k, .p = p};
            uint64_t rows = 0;
            bool out[9];
            uint64_t found = hr_models_out(&s->facts, &asked, out);
            for (uint32_t g = 0; g < s->group_count; g++) {
                uint32_t size, counts[VALUES];
                count(s, itself, g, s->sensitive_count, &size, counts);
                bool bad = size < k;
                for (size_t l = 0; p > 1 && l < s->sensitive_count; l++) {
                    int64_t distinct = 0;
                    count(s, itself, g, l, &size, counts);
                    for (unsigned v = 0; v < VALUES; v++)
                        distinct += counts[v] > 0;
                    bad |= distinct < p;
                }
                assert_int_equal(out[g], bad);
                assert_int_equal(hr_models_hold(&s->facts, g, &asked), !bad);
                if (bad) rows += size;
            }
            assert_int_equal(found, rows);
            assert_int_equal(hr_models_out(&s->facts, &asked, NULL), rows);
        }
}

static void check_achieved(const sample *s) {
    int64_t k = INT64_MAX, p = s->sensitive_count ? INT64_MAX : -1;
    for (uint32_t g = 0; g < s->group_count; g++) {
        if (s->facts.size[g] < k) k = s->facts.size[g];
        for (size_t l = 0; l < s->sensitive_count; l++)
            if (s->facts.distinct[g * s->sensitive_count + l] < p)
                p = s->facts.distinct[g * s->sensitive_count + l];
    }
    assert_string_equal(hr_models[0]->name, "k-anonymity");
    assert_string_equal(hr_models[1]->name, "p-sensitivity");
    assert_int_equal(hr_model_achieved(hr_models[0], &s->facts, &(hr_requirements){.k = 1, .p = 1}),
                     k);
    double achieved =
        hr_model_achieved(hr_models[1], &s->facts, &(hr_requirements){.k = 1, .p = 1});
    assert_int_equal(isnan(achieved) ? -1 : (int64_t)achieved, p);
}

static void check_merge(const sample *s, hr_random *random) {
    uint32_t into[9], groups = 1 + below(random, 4);
    for (uint32_t g = 0; g < s->group_count; g++)
        into[g] = below(random, groups);
    hr_groups united = {.of_row = into, .rows = s->group_count, .count = groups};
    hr_facts merged;
    MUST(hr_facts_merge(&s->facts, &united, s->sensitive, &merged, &err));
    check_facts(s, &merged, into, groups);
    hr_facts_free(&merged);
}

static void test_random(void **state) {
    (void)state;
    const uint32_t itself[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    hr_random random;
    hr_random_seed(&random, 5, 0);
    for (int i = 0; i < 500; i++) {
        sample s;
        draw(&s, &random);
        assert_non_null(s.facts.largest);
        assert_true(s.facts.value_rows || s.sensitive_count == 0 ||
                    s.facts.value_start[s.facts.count * s.sensitive_count] == 0);
        check_facts(&s, &s.facts, itself, s.group_count);
        check_out(&s, itself);
        check_achieved(&s);
        check_merge(&s, &random);
        release(&s);
    }
}

/* ---- Sensitive attributes ---- */

static void test_bins(void **state) {
    (void)state;
    /* 0 .. 10 in five bins of width 2, the maximum in the last; '?' never counts. */
    hr_table *table = table_of("s,x\n0,a\n1.99,a\n2,a\n5,a\n9.9,a\n10,a\n?,a\n");
    hr_missing missing = {(const char *const[]){"?"}, 1};
    hr_sensitive sensitive = {0}, masked = {0};
    const uint32_t expected[] = {0, 0, 1, 2, 4, 4, HR_NONE};
    MUST(hr_sensitive_bind(&sensitive, &table->columns[0], &missing, 5, NULL, &err));
    assert_int_equal(sensitive.value_count, 5);
    for (size_t row = 0; row < 7; row++)
        assert_int_equal(hr_sensitive_value(&sensitive, row), expected[row]);
    /* A masked column without the extremes gets the bins of its original. */
    hr_table *part = table_of("s,x\n5,a\n2,a\n");
    MUST(hr_sensitive_bind(&masked, &part->columns[0], &missing, 5, &sensitive, &err));
    assert_int_equal(hr_sensitive_value(&masked, 0), 2);
    assert_int_equal(hr_sensitive_value(&masked, 1), 1);
    free(masked.value_of_code);
    free(sensitive.value_of_code);
    hr_table_free(part);
    hr_table_free(table);
}

/* Whole numbers from `least` to `least + width`, by the definition: bin b holds x if
 * b / bins <= (x - least) / width < (b + 1) / bins, and the last one the maximum, too. */
static void check_bins(int least, int width, uint32_t bins) {
    hr_table *table = NULL;
    hr_missing missing = {(const char *const[]){"?"}, 1};
    hr_sensitive sensitive = {0};
    MUST(hr_table_new(1, (const char *const[]){"s"}, &table, &err));
    for (int i = 0; i <= width; i++) {
        char text[16];
        const char *cell = text;
        snprintf(text, sizeof text, "%d", least + i);
        MUST(hr_table_append(table, &cell, &err));
    }
    MUST(hr_sensitive_bind(&sensitive, &table->columns[0], &missing, bins, NULL, &err));
    for (uint32_t i = 0; i <= (uint32_t)width; i++) {
        uint32_t expected = i == (uint32_t)width ? bins - 1 : i * bins / (uint32_t)width;
        if (hr_sensitive_value(&sensitive, i) != expected)
            fail_msg("%u of %d from %d in %u bins: bin %u, expected %u", i, width, least, bins,
                     hr_sensitive_value(&sensitive, i), expected);
    }
    free(sensitive.value_of_code);
    hr_table_free(table);
}

static void test_bin_edges(void **state) {
    (void)state;
    static const int widths[] = {1, 2, 3, 5, 7, 10, 29, 30, 49, 97, 100, 120, 365, 1000};
    static const uint32_t more[] = {49, 97, 100, 360, 1000, HR_BINS_MAX};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
        for (int least = -1000; least <= 7; least = least < 0 ? least / 10 : least + 7) {
            for (uint32_t bins = 2; bins <= 40; bins++)
                check_bins(least, widths[i], bins);
            for (size_t b = 0; b < sizeof more / sizeof *more; b++)
                check_bins(least, widths[i], more[b]);
        }
}

static void test_bins_of_huge_ranges(void **state) {
    (void)state;
    static const struct {
        uint32_t bins, expected[4];
    } cases[] = {{2, {0, 0, 1, 1}}, {3, {0, 1, 1, 2}}, {4096, {0, 2047, 2048, 4095}}};
    hr_table *table = table_of("s,x\n-1.7e308,a\n-1e-9,a\n0,a\n1.7e308,a\n");
    hr_missing missing = {(const char *const[]){"?"}, 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_sensitive sensitive = {0};
        MUST(
            hr_sensitive_bind(&sensitive, &table->columns[0], &missing, cases[i].bins, NULL, &err));
        for (size_t row = 0; row < 4; row++)
            assert_int_equal(hr_sensitive_value(&sensitive, row), cases[i].expected[row]);
        free(sensitive.value_of_code);
    }
    hr_table_free(table);
}

/* The message does not contain the value. */
static void test_bins_refused(void **state) {
    (void)state;
    hr_table *table = table_of("s,x\n1,a\nleukaemia,a\n");
    hr_missing missing = {(const char *const[]){""}, 1};
    hr_sensitive sensitive = {0};
    hr_error err = {0};
    assert_int_equal(hr_sensitive_bind(&sensitive, &table->columns[0], &missing, 5, NULL, &err),
                     HR_EDATA);
    assert_string_equal(
        err.message,
        "row 2, column 's': bins need numbers and this value is none; correct it, list "
        "it under `missing`, or leave out `bins`");
    free(sensitive.value_of_code);
    hr_table_free(table);
}

static void test_weights(void **state) {
    (void)state;
    hr_table *table = table_of("s,t\na,1\nb,1\nc,2\nd,2\n,1\n");
    hr_missing missing = {(const char *const[]){""}, 1};
    hr_sensitive sensitive[2] = {0};
    for (size_t l = 0; l < 2; l++)
        MUST(hr_sensitive_bind(&sensitive[l], &table->columns[l], &missing, 0, NULL, &err));
    /* Inversely proportional to 4 and 2 values: 1/4 : 1/2 = 1/3 : 2/3. */
    hr_sensitive_weigh(sensitive, 2);
    near(sensitive[0].weight, 1.0 / 3);
    near(sensitive[1].weight, 2.0 / 3);
    assert_int_equal(sensitive[0].share, HR_COST_ONE / 3);
    sensitive[0].weight = 3;
    sensitive[1].weight = 1;
    hr_sensitive_weigh(sensitive, 2);
    near(sensitive[0].weight, 0.75);
    assert_int_equal(sensitive[1].share, HR_COST_ONE / 4);
    for (size_t l = 0; l < 2; l++)
        free(sensitive[l].value_of_code);
    hr_table_free(table);
}

/* Bins without any number: the weight is that of one value, not a division by 0. */
static void test_bins_of_missing_values(void **state) {
    (void)state;
    hr_table *table = table_of("s,t\n?,a\n?,b\n");
    hr_missing missing = {(const char *const[]){"?"}, 1};
    hr_sensitive sensitive[2] = {0};
    MUST(hr_sensitive_bind(&sensitive[0], &table->columns[0], &missing, 4, NULL, &err));
    MUST(hr_sensitive_bind(&sensitive[1], &table->columns[1], &missing, 0, NULL, &err));
    assert_int_equal(hr_sensitive_value(&sensitive[0], 0), HR_NONE);
    hr_sensitive_weigh(sensitive, 2); /* 1 : 1/2 */
    near(sensitive[0].weight, 2.0 / 3);
    near(sensitive[1].weight, 1.0 / 3);
    assert_int_equal(sensitive[1].share, HR_COST_ONE / 3);
    for (size_t l = 0; l < 2; l++)
        free(sensitive[l].value_of_code);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_bins),
        cmocka_unit_test(test_bin_edges),
        cmocka_unit_test(test_bins_of_huge_ranges),
        cmocka_unit_test(test_bins_refused),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_bins_of_missing_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
