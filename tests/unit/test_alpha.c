/* test_alpha.c - alpha against its definition: single classes, states that rows join and leave, the
 * rows that have to be suppressed, the classes of every algorithm that enforces it, and the loss of
 * hedge against the least of all releases of small tables. */
#include "algorithm/greedy_options.h"
#include "algorithm/hedge/hedge.h"
#include "algorithm/lattice/lattice.h"

#include "unit.h"

#include <math.h>
#include <time.h>

enum { QUASI = 2, SENSITIVE = 2, ROWS = 120, SMALL = 9, MISSING = 99 };

typedef struct {
    uint32_t rows;
    size_t sensitive_count;
    unsigned value[ROWS][SENSITIVE]; /* MISSING: the value is missing */
    hr_table *table;
    hr_hierarchy *tree;
    hr_quasi quasi[QUASI];
    hr_sensitive sensitive[SENSITIVE];
    hr_microdata data;
    hr_groups cells;
    hr_facts facts;
    bool out[ROWS];
    uint64_t trimmed;
    hr_requirements asked;
} sample;

static const double alphas[] = {0.2, 0.3, 1.0 / 3, 0.4, 0.5, 0.5, 0.6, 0.75, 0.9};

/* 16 leaves, 4 nodes of 4 leaves each, a root. */
static hr_hierarchy *make_tree(void) {
    static const char *const names[] = {"0", "1", "2"};
    hr_table *file = NULL;
    hr_hierarchy *tree = NULL;
    MUST(hr_table_new(3, names, &file, &err));
    for (unsigned leaf = 0; leaf < 16; leaf++) {
        char texts[2][16];
        snprintf(texts[0], sizeof texts[0], "l%u", leaf);
        snprintf(texts[1], sizeof texts[1], "m%u", leaf / 4);
        MUST(hr_table_append(file, (const char *[]){texts[0], texts[1], "*"}, &err));
    }
    MUST(hr_hierarchy_build(file, "tree", &tree, &err));
    hr_table_free(file);
    return tree;
}

static void append_row(sample *s, hr_random *random, unsigned spread, unsigned values) {
    char texts[QUASI + SENSITIVE][16];
    const char *line[QUASI + SENSITIVE];
    for (size_t j = 0; j < QUASI; j++)
        snprintf(texts[j], sizeof texts[j], "l%u", below(random, spread));
    for (size_t l = 0; l < SENSITIVE; l++) {
        unsigned a = below(random, values), b = below(random, values);
        unsigned value = below(random, 12) == 0 ? MISSING : a < b ? a : b;
        s->value[s->rows][l] = value;
        texts[QUASI + l][0] = '\0';
        if (value != MISSING) snprintf(texts[QUASI + l], sizeof texts[QUASI + l], "%u", value);
    }
    for (size_t c = 0; c < QUASI + SENSITIVE; c++)
        line[c] = texts[c];
    MUST(hr_table_append(s->table, line, &err));
    s->rows++;
}

static void bind(sample *s, bool bounded) {
    const hr_missing missing = {(const char *const[]){""}, 1};
    s->tree = make_tree();
    for (size_t j = 0; j < QUASI; j++) {
        uint32_t *magval;
        MUST(bounded && j == 0 ? hr_boundary_level(s->tree, 1, &magval, &err)
                               : hr_boundary_none(s->tree, &magval, &err));
        MUST(hr_quasi_bind_tree(&s->quasi[j], &s->table->columns[j], s->tree, magval, &err));
    }
    for (size_t l = 0; l < SENSITIVE; l++)
        MUST(hr_sensitive_bind(&s->sensitive[l], &s->table->columns[QUASI + l], &missing, 0, NULL,
                               &err));
    hr_sensitive_weigh(s->sensitive, s->sensitive_count);
}

/* False: nothing can be released. */
static bool draw(sample *s, hr_random *random, uint32_t rows, size_t sensitive, bool bounded) {
    static const char *const names[] = {"a", "b", "s", "t"};
    *s = (sample){.sensitive_count = sensitive};
    unsigned spread = 2 + below(random, 15), values = 2 + below(random, 5);
    MUST(hr_table_new(QUASI + SENSITIVE, names, &s->table, &err));
    while (s->rows < rows)
        append_row(s, random, spread, values);
    bind(s, bounded);
    s->data = (hr_microdata){.rows = rows,
                             .quasi = s->quasi,
                             .quasi_count = QUASI,
                             .sensitive = s->sensitive,
                             .sensitive_count = sensitive};
    s->asked.p = below(random, 3) ? 1 : 2;
    s->asked.k = s->asked.p + below(random, rows < 10 ? 3 : 6);
    s->asked.alpha = alphas[below(random, sizeof alphas / sizeof *alphas)];
    MUST(hr_cells(s->quasi, QUASI, rows, true, &s->cells, &err));
    MUST(hr_cells_trim(&s->data, &s->asked, NULL, &s->cells, &s->trimmed, &err));
    MUST(hr_facts_of(&s->cells, s->sensitive, sensitive, &s->facts, &err));
    return hr_models_out(&s->facts, &s->asked, s->out) + s->trimmed < rows;
}

static void drop(sample *s) {
    hr_facts_free(&s->facts);
    hr_groups_free(&s->cells);
    for (size_t j = 0; j < QUASI; j++)
        hr_quasi_free(&s->quasi[j]);
    for (size_t l = 0; l < SENSITIVE; l++)
        free(s->sensitive[l].value_of_code);
    hr_hierarchy_free(s->tree);
    hr_table_free(s->table);
}

/* ---- the definition ---- */

/* Do the rows with of[row] == number satisfy k, p and alpha? */
static bool holds(const sample *s, const uint32_t *of, uint32_t number) {
    unsigned size = 0;
    for (uint32_t row = 0; row < s->rows; row++)
        size += of[row] == number;
    if (size < s->asked.k) return false;
    for (size_t l = 0; l < s->sensitive_count; l++) {
        unsigned distinct = 0;
        for (unsigned value = 0; value < MISSING; value++) {
            unsigned count = 0;
            for (uint32_t row = 0; row < s->rows; row++)
                count += of[row] == number && s->value[row][l] == value;
            distinct += count > 0;
            if ((double)count / size > s->asked.alpha) return false;
        }
        if (s->asked.p > 1 && distinct < s->asked.p) return false;
    }
    return true;
}

static void row_values(const sample *s, uint32_t row, uint32_t *out) {
    for (size_t l = 0; l < s->sensitive_count; l++)
        out[l] = hr_sensitive_value(&s->sensitive[l], row);
}

/* A state that rows join and leave is that of the rows that are left, whatever the order. */
static void test_states(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 3, 0);
    for (int round = 0; round < 200; round++) {
        sample s;
        hr_judge judge;
        uint32_t in[ROWS], values[SENSITIVE];
        draw(&s, &random, 1 + below(&random, 30), 1 + below(&random, SENSITIVE), false);
        MUST(hr_judge_make(s.sensitive, s.sensitive_count, &s.asked, NULL, &judge, &err));
        uint32_t *one = hr_alloc(judge.words, sizeof *one, NULL);
        uint32_t *two = hr_alloc(judge.words, sizeof *two, NULL);
        memset(in, 0, sizeof in);
        for (int step = 0; step < 60; step++) {
            uint32_t row = below(&random, s.rows);
            row_values(&s, row, values);
            if (in[row])
                hr_judge_remove(&judge, one, values, 1);
            else
                hr_judge_add(&judge, one, values, 1);
            in[row] = !in[row];
            assert_int_equal(hr_judge_holds(&judge, one), holds(&s, in, 1));
            assert_int_equal(hr_judge_lack(&judge, one) == 0, holds(&s, in, 1));
        }
        for (uint32_t row = 0; row < s.rows; row++) {
            row_values(&s, row, values);
            if (!in[row]) hr_judge_add(&judge, two, values, 1);
        }
        bool both = hr_judge_holds(&judge, one) && hr_judge_holds(&judge, two);
        hr_judge_merge(&judge, one, two);
        memset(in, 0, sizeof in);
        assert_int_equal(hr_judge_holds(&judge, one), holds(&s, in, 0));
        if (both) assert_true(hr_judge_holds(&judge, one)); /* closed under union */
        free(one);
        free(two);
        hr_judge_free(&judge);
        drop(&s);
    }
}

/* How many rows of the given number can leave or join. */
static void test_spare(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 4, 0);
    for (int round = 0; round < 200; round++) {
        sample s;
        hr_judge judge;
        uint32_t values[SENSITIVE];
        draw(&s, &random, 5 + below(&random, 30), 1, false);
        MUST(hr_judge_make(s.sensitive, 1, &s.asked, NULL, &judge, &err));
        uint32_t *class = hr_alloc(judge.words, sizeof *class, NULL);
        for (uint32_t row = 0; row < s.rows; row++) {
            row_values(&s, row, values);
            hr_judge_add(&judge, class, values, 1);
        }
        hr_known before = hr_judge_known(&judge, class);
        uint32_t size = before.size, largest = before.largest[0];
        uint32_t spare = hr_judge_spare(&judge, class, values, 1);
        uint32_t room = hr_judge_room(&judge, class, values, 8);
        assert_int_equal(class[0], size);
        assert_int_equal(hr_judge_known(&judge, class).largest[0], largest);
        hr_judge_add(&judge, class, values, room);
        if (room) assert_true(hr_judge_holds(&judge, class));
        hr_judge_remove(&judge, class, values, room + spare);
        if (spare) assert_true(hr_judge_holds(&judge, class));
        free(class);
        hr_judge_free(&judge);
        drop(&s);
    }
}

/* ---- all releases of a small table ---- */

typedef struct {
    const sample *s;
    uint32_t of[SMALL];        /* class of each row; SMALL: suppressed */
    uint64_t least[SMALL + 1]; /* least loss by number of suppressed rows; UINT64_MAX: none */
} all_releases;

static uint64_t loss_of_class(const sample *s, const uint32_t *of, uint32_t number) {
    uint64_t loss = 0;
    for (size_t j = 0; j < QUASI; j++) {
        hr_span span = {HR_NONE, HR_NONE};
        uint64_t rows = 0;
        for (uint32_t row = 0; row < s->rows; row++) {
            if (of[row] != number) continue;
            uint32_t value = hr_quasi_value(&s->quasi[j], row);
            hr_span own = {value, value};
            span = rows++ ? hr_quasi_join(&s->quasi[j], span, own) : own;
        }
        loss += rows * hr_quasi_cost(&s->quasi[j], span);
    }
    return loss;
}

static void judge_release(all_releases *all, uint32_t classes, uint32_t suppressed) {
    uint64_t loss = (uint64_t)suppressed * QUASI * HR_COST_ONE;
    for (uint32_t c = 0; c < classes; c++) {
        if (!holds(all->s, all->of, c)) return;
        loss += loss_of_class(all->s, all->of, c);
    }
    if (loss < all->least[suppressed]) all->least[suppressed] = loss;
}

static void try_rows(all_releases *all, uint32_t row, uint32_t classes, uint32_t suppressed) {
    if (row == all->s->rows) {
        judge_release(all, classes, suppressed);
        return;
    }
    for (uint32_t c = 0; c <= classes; c++) {
        all->of[row] = c;
        try_rows(all, row + 1, classes + (c == classes), suppressed);
    }
    all->of[row] = SMALL;
    try_rows(all, row + 1, classes, suppressed + 1);
}

/* The fewest rows that a release suppresses. */
static uint32_t count_all(all_releases *all, const sample *s) {
    uint32_t fewest = 0;
    *all = (all_releases){.s = s};
    memset(all->least, 0xff, sizeof all->least);
    try_rows(all, 0, 0, 0);
    while (all->least[fewest] == UINT64_MAX)
        fewest++;
    return fewest;
}

static uint64_t suppressed_rows(sample *s) {
    return hr_models_out(&s->facts, &s->asked, s->out) + s->trimmed;
}

/* With one sensitive attribute exactly as many rows are suppressed as must be; with two at least as
 * many, and mostly no more. */
static void test_suppressed(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 5, 0);
    unsigned exact = 0, rounds = 150;
    for (unsigned round = 0; round < rounds; round++) {
        sample s;
        all_releases all;
        draw(&s, &random, 2 + below(&random, SMALL - 2), 1, false);
        assert_int_equal(suppressed_rows(&s), count_all(&all, &s));
        drop(&s);
        draw(&s, &random, 2 + below(&random, SMALL - 2), 2, false);
        uint32_t fewest = count_all(&all, &s);
        assert_true(suppressed_rows(&s) >= fewest);
        exact += suppressed_rows(&s) == fewest;
        drop(&s);
    }
    assert_true(exact * 10 >= rounds * 8);
}

/* ---- algorithms ---- */

static hr_status run(const sample *s, const char *name, bool reference, hr_partition *out,
                     hr_error *err) {
    static const hr_greedy_options greedy;
    static const hr_incognito_options incognito;
    static const hr_hedge_options hedge = {.effort = HR_EFFORT_NORMAL};
    bool is_hedge = !strcmp(name, "hedge"), is_incognito = !strcmp(name, "incognito");
    hr_search search = {.data = &s->data,
                        .cells = &s->cells,
                        .out = s->out,
                        .asked = s->asked,
                        .algorithm = hr_algorithm_find(name),
                        .options = is_hedge       ? (const void *)&hedge
                                   : is_incognito ? (const void *)&incognito
                                                  : &greedy,
                        .reference = reference,
                        .seed = 7,
                        .threads = 1};
    return hr_search_run(&search, out, err);
}

static uint64_t total_loss(const sample *s, const hr_partition *p) {
    uint64_t loss = 0;
    for (size_t row = 0; row < s->rows; row++)
        for (size_t j = 0; j < QUASI; j++)
            loss += p->cluster[row] == HR_NONE
                        ? HR_COST_ONE
                        : hr_quasi_cost(&s->quasi[j], p->values[p->cluster[row] * QUASI + j]);
    return loss;
}

static void check_partition(const sample *s, const hr_partition *p) {
    for (uint32_t row = 0; row < s->rows; row++) {
        uint32_t cell = s->cells.of_row[row];
        assert_int_equal(p->cluster[row] == HR_NONE, cell == HR_NONE || s->out[cell]);
    }
    for (uint32_t c = 0; c < p->cluster_count; c++)
        assert_true(holds(s, p->cluster, c));
}

/* Every algorithm that says that it enforces alpha does, in both forms. */
static void test_algorithms(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 6, 0);
    for (int round = 0; round < 120; round++) {
        sample s;
        size_t sensitive = 1 + below(&random, SENSITIVE);
        bool possible =
            draw(&s, &random, 5 + below(&random, ROWS - 5), sensitive, below(&random, 2));
        for (size_t i = 0; hr_algorithms[i] && possible; i++) {
            const hr_algorithm *algorithm = hr_algorithms[i];
            hr_partition fast, plain;
            bool enforces = hr_algorithm_enforces(algorithm, hr_models[2], NULL) &&
                            (s.asked.p == 1 || algorithm->enforces_p);
            if (!enforces || (algorithm == hr_algorithms[0] && round % 4)) continue;
            MUST(run(&s, algorithm->name, false, &fast, &err));
            MUST(run(&s, algorithm->name, true, &plain, &err));
            check_partition(&s, &fast);
            assert_memory_equal(fast.cluster, plain.cluster, s.rows * sizeof *fast.cluster);
            hr_partition_free(&fast);
            hr_partition_free(&plain);
        }
        drop(&s);
    }
}

/* On average hedge loses at most 5 % more than the best release that suppresses as few rows. */
static void test_least_loss(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 8, 0);
    double excess = 0;
    unsigned compared = 0, equal = 0;
    for (unsigned round = 0; round < 250; round++) {
        sample s;
        all_releases all;
        if (draw(&s, &random, 4 + below(&random, SMALL - 3), 1 + round % 2, false)) {
            hr_partition p;
            uint32_t fewest = count_all(&all, &s);
            MUST(run(&s, "hedge", false, &p, &err));
            check_partition(&s, &p);
            uint64_t loss = total_loss(&s, &p), least = all.least[fewest];
            if (suppressed_rows(&s) == fewest) assert_true(loss >= least);
            if (least > 0) {
                excess += (double)loss / (double)least - 1;
                equal += loss == least;
                compared++;
            }
            hr_partition_free(&p);
        }
        drop(&s);
    }
    print_message("hedge loses %.2f %% more than the least of all releases, on average of %u "
                  "tables; the same in %u of them\n",
                  100 * excess / compared, compared, equal);
    assert_true(excess / compared <= 0.05);
}

#if HR_FAULT
static hr_status cut_and_run(sample *s, const char *name, hr_partition *out, hr_error *err) {
    hr_groups cells;
    uint64_t trimmed;
    HR_TRY(hr_cells(s->quasi, QUASI, s->rows, true, &cells, err));
    hr_status status = hr_cells_trim(&s->data, &s->asked, NULL, &cells, &trimmed, err);
    hr_groups_free(&cells);
    return status == HR_OK ? run(s, name, false, out, err) : status;
}

/* Every allocation fails once: nothing leaks, and the failure is reported. */
static void test_memory(void **state) {
    (void)state;
    static const char *const names[] = {"k-member", "incognito", "mam", "hedge"};
    hr_random random;
    hr_random_seed(&random, 9, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sample s;
        while (!draw(&s, &random, 30, 2, true) || s.asked.p > 1 || s.trimmed == 0)
            drop(&s);
        for (long nth = 1;; nth++) {
            hr_partition p;
            hr_error err = {0};
            hr_memory_fail_at(nth);
            hr_status status = cut_and_run(&s, names[i], &p, &err);
            hr_memory_fail_at(0);
            if (status == HR_OK) {
                hr_partition_free(&p);
                break;
            }
            assert_int_equal(status, HR_ENOMEM);
        }
        drop(&s);
    }
}
#endif

/* One cell of `rows` rows, in which value v is as frequent as any other, or value 0 twice so. */
static hr_status trim_even(uint32_t rows, uint32_t values, bool one_twice, const hr_watch *watch,
                           uint64_t *trimmed) {
    const hr_missing missing = {(const char *const[]){""}, 1};
    hr_table *table = NULL;
    hr_hierarchy *tree = NULL;
    hr_quasi quasi = {0};
    hr_sensitive sensitive = {0};
    hr_groups cells;
    uint32_t *magval;
    MUST(hr_table_new(2, (const char *const[]){"q", "s"}, &table, &err));
    for (uint32_t row = 0; row < rows; row++) {
        char texts[2][16];
        snprintf(texts[0], sizeof texts[0], "%u", row % 7);
        snprintf(texts[1], sizeof texts[1], "%u", row % (values + one_twice) % values);
        MUST(hr_table_append(table, (const char *[]){texts[0], texts[1]}, &err));
    }
    MUST(hr_hierarchy_flat(&table->columns[0], &tree, &err));
    MUST(hr_boundary_none(tree, &magval, &err));
    MUST(hr_quasi_bind_tree(&quasi, &table->columns[0], tree, magval, &err));
    MUST(hr_sensitive_bind(&sensitive, &table->columns[1], &missing, 0, NULL, &err));
    MUST(hr_cells(&quasi, 1, rows, true, &cells, &err));
    hr_microdata data = {.rows = rows,
                         .quasi = &quasi,
                         .quasi_count = 1,
                         .sensitive = &sensitive,
                         .sensitive_count = 1};
    hr_status status = hr_cells_trim(&data, &(hr_requirements){.k = 1, .p = 1, .alpha = 0.005},
                                     watch, &cells, trimmed, NULL);
    hr_groups_free(&cells);
    hr_quasi_free(&quasi);
    free(sensitive.value_of_code);
    hr_hierarchy_free(tree);
    hr_table_free(table);
    return status;
}

/* With 199 values none can have a share of at most 0.005, but each round lowers the rows of a value
 * by one in two hundred. That must not take much longer than one round does. */
static void test_slow_rounds(void **state) {
    (void)state;
    uint64_t trimmed;
    clock_t one_round = 0, many_rounds = 0;
    for (int repeat = 0; repeat < 3; repeat++) {
        clock_t start = clock();
        assert_int_equal(trim_even(40000, 210, true, NULL, &trimmed), HR_OK);
        one_round += clock() - start;
        assert_in_range(trimmed, 1, 400);
        start = clock();
        assert_int_equal(trim_even(40000, 199, false, NULL, &trimmed), HR_OK);
        many_rounds += clock() - start;
        assert_int_equal(trimmed, 40000);
    }
    if (many_rounds > 10 * one_round)
        fail_msg("%g times the time of one round", (double)many_rounds / (double)one_round);
}

static bool always(void *payload) {
    (void)payload;
    return true;
}

static void test_cancelled(void **state) {
    (void)state;
    uint64_t trimmed;
    hr_watch watch = {.size = sizeof watch, .cancelled = always};
    assert_int_equal(trim_even(400, 199, false, &watch, &trimmed), HR_ECANCEL);
}

/* Of several models that a group violates the first is named: k, then p, then alpha. */
static void test_violated(void **state) {
    (void)state;
    uint32_t size = 4, distinct = 2, largest = 3, values[] = {0, 1}, rows[] = {3, 1};
    size_t start[] = {0, 2};
    hr_facts facts = {.count = 1,
                      .sensitive_count = 1,
                      .size = &size,
                      .distinct = &distinct,
                      .largest = &largest,
                      .value_start = start,
                      .values = values,
                      .value_rows = rows};
    const hr_requirements asked[] = {{.k = 5, .p = 3, .alpha = 0.5},
                                     {.k = 4, .p = 3, .alpha = 0.5},
                                     {.k = 4, .p = 2, .alpha = 0.5}};
    for (size_t i = 0; i < 3; i++) {
        assert_ptr_equal(hr_models_violated(&facts, 0, &asked[i]), hr_models[i]);
        assert_false(hr_models_hold(&facts, 0, &asked[i]));
    }
    assert_null(hr_models_violated(&facts, 0, &(hr_requirements){.k = 4, .p = 2, .alpha = 0.75}));
}

/* Trimming asks for the excess of each sensitive value, so it needs their counts. */
static void test_declarations(void **state) {
    (void)state;
    for (size_t i = 0; hr_models[i]; i++) {
        const hr_model *m = hr_models[i];
        if (m->excess) assert_true(m->needs & HR_NEEDS_COUNTS);
        if (m->closed_under_superset) assert_null(m->excess);
        assert_true(m->closed_under_union || !m->closed_under_superset);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
#if HR_FAULT
        cmocka_unit_test(test_memory),
#endif
        cmocka_unit_test(test_slow_rounds),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_slow_rounds),
        cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_violated),
        cmocka_unit_test(test_declarations),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_spare),
        cmocka_unit_test(test_suppressed),
        cmocka_unit_test(test_algorithms),
        cmocka_unit_test(test_least_loss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
