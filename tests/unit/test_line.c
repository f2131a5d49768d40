/* test_line.c - the cheap ways of hedge_line.c on random tables of a few rows, against all ways
 * to cut them into classes: what rows must lose is never more than the least loss; the cuts of a
 * single number are a valid release, and the best one if only k matters. */
#include "algorithm/hedge/cover.h"

#include "unit.h"

enum { ROWS = 8, TABLES = 400 };

typedef struct {
    hr_table *table;
    hr_hierarchy *tree;
    hr_quasi quasi[2];
    hr_sensitive sensitive;
    hr_microdata data;
    uint32_t k, p;
} sample;

static hr_hierarchy *make_tree(void) {
    static const char *const names[] = {"0", "1", "2"};
    hr_table *file = NULL;
    hr_hierarchy *tree = NULL;
    MUST(hr_table_new(3, names, &file, &err));
    for (unsigned leaf = 0; leaf < 9; leaf++) {
        char texts[2][16];
        snprintf(texts[0], sizeof texts[0], "l%u", leaf);
        snprintf(texts[1], sizeof texts[1], "m%u", leaf / 3);
        MUST(hr_table_append(file, (const char *[]){texts[0], texts[1], "*"}, &err));
    }
    MUST(hr_hierarchy_build(file, "tree", &tree, &err));
    hr_table_free(file);
    return tree;
}

static void draw(sample *s, hr_random *random, size_t t) {
    static const char *const names[] = {"a", "b", "s"};
    const hr_missing missing = {(const char *const[]){""}, 1};
    uint32_t rows = 2 + below(random, ROWS - 1), *magval;
    unsigned spread = 2 + below(random, 30), values = 1 + below(random, 3);
    *s = (sample){.tree = make_tree()};
    MUST(hr_table_new(3, names, &s->table, &err));
    for (uint32_t row = 0; row < rows; row++) {
        char texts[3][16];
        snprintf(texts[0], sizeof texts[0], "%u", below(random, spread));
        snprintf(texts[1], sizeof texts[1], "l%u", below(random, 9));
        snprintf(texts[2], sizeof texts[2], "s%u", row < values ? row : below(random, values));
        MUST(hr_table_append(s->table, (const char *[]){texts[0], texts[1], texts[2]}, &err));
    }
    MUST(hr_quasi_bind_numeric(&s->quasi[0], &s->table->columns[0], &missing, false, &err));
    MUST(hr_boundary_none(s->tree, &magval, &err));
    MUST(hr_quasi_bind_tree(&s->quasi[1], &s->table->columns[1], s->tree, magval, &err));
    MUST(hr_sensitive_bind(&s->sensitive, &s->table->columns[2], &missing, 0, NULL, &err));
    hr_sensitive_weigh(&s->sensitive, 1);
    s->data = (hr_microdata){.rows = rows,
                             .quasi = s->quasi,
                             .quasi_count = t,
                             .sensitive = &s->sensitive,
                             .sensitive_count = 1};
    s->p = 1 + below(random, values < rows ? values : rows);
    s->k = s->p + below(random, rows - s->p + 1);
}

static void drop(sample *s) {
    for (size_t j = 0; j < 2; j++)
        hr_quasi_free(&s->quasi[j]);
    free(s->sensitive.value_of_code);
    hr_hierarchy_free(s->tree);
    hr_table_free(s->table);
}

/* ---- all ways to cut the rows into classes ---- */

/* What a class (a bit per row) loses; UINT64_MAX: it does not satisfy k and p. */
static uint64_t class_loss(const sample *s, unsigned members) {
    uint64_t rows = 0, values = 0, seen = 0, cost = 0;
    hr_span span[2];
    for (uint32_t row = 0; row < s->data.rows; row++) {
        if (!(members >> row & 1)) continue;
        uint64_t value = UINT64_C(1) << hr_sensitive_value(&s->sensitive, row);
        values += !(seen & value);
        seen |= value;
        for (size_t j = 0; j < s->data.quasi_count; j++) {
            uint32_t own = hr_quasi_value(&s->quasi[j], row);
            hr_span point = {own, own};
            span[j] = rows ? hr_quasi_join(&s->quasi[j], span[j], point) : point;
        }
        rows++;
    }
    if (rows < s->k || values < s->p) return UINT64_MAX;
    for (size_t j = 0; j < s->data.quasi_count; j++)
        cost += hr_quasi_cost(&s->quasi[j], span[j]);
    return rows * cost;
}

static uint64_t least_loss(const sample *s) {
    uint64_t least[1 << ROWS] = {0};
    for (unsigned some = 1; some < 1U << s->data.rows; some++) {
        least[some] = UINT64_MAX;
        for (unsigned last = some; last; last = (last - 1) & some) {
            uint64_t own = class_loss(s, last), rest = least[some & ~last];
            if (own == UINT64_MAX || rest == UINT64_MAX) continue;
            if (own + rest < least[some]) least[some] = own + rest;
        }
    }
    return least[(1U << s->data.rows) - 1];
}

/* ---- */

static hr_status make_axes(const hr_microdata *data, const hr_layout *layout, const void *options,
                           void **shared, hr_error *err) {
    (void)layout;
    (void)options;
    hr_axes *axes = *shared = hr_alloc(1, sizeof *axes, err);
    return axes ? hr_axes_make(data, hr_measure_find("ntil"), axes, err) : HR_ENOMEM;
}

static void drop_axes(void *shared) {
    if (shared) hr_axes_free(shared);
    free(shared);
}

/* What rows must lose goes to the address in the options. Without a line all rows are one class. */
static hr_status cut_cell(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    hr_kinds kinds = {0};
    hr_rulers rulers = {0};
    uint64_t *floor = *(uint64_t *const *)task->options;
    hr_status status = hr_cell_kinds(task, task->shared, &kinds, err);
    if (status == HR_OK) status = hr_rulers_make(&kinds, task->shared, &rulers, err);
    if (status == HR_OK) status = hr_least_loss(&kinds, &rulers, floor, err);
    memset(out->cluster, 0, task->row_count * sizeof *out->cluster);
    out->count = 1;
    if (status == HR_OK && kinds.t == 1) status = hr_line_release(&kinds, &rulers, out, err);
    hr_rulers_free(&rulers);
    hr_kinds_free(&kinds);
    return status;
}

static hr_status run(const sample *s, hr_groups *cells, uint64_t *floor, hr_partition *out,
                     hr_error *err) {
    static const hr_cell_search own = {
        .wants_layout = true, .prepare = make_axes, .discard = drop_axes, .run = cut_cell};
    static const hr_algorithm algorithm = {.name = "line", .enforces_p = true, .per_cell = &own};
    const bool suppressed[1] = {false};
    hr_search search = {.data = &s->data,
                        .cells = cells,
                        .out = suppressed,
                        .asked = {.k = s->k, .p = s->p},
                        .algorithm = &algorithm,
                        .options = &floor,
                        .threads = 1};
    return hr_search_run(&search, out, err);
}

static void test_line(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 83, 0);
    int tight = 0, best = 0;
    for (int round = 0; round < TABLES; round++) {
        sample s;
        hr_groups cells;
        hr_partition p;
        uint64_t floor = 0, loss = 0;
        draw(&s, &random, 1 + below(&random, 2));
        MUST(hr_cells(s.quasi, s.data.quasi_count, s.data.rows, false, &cells, &err));
        MUST(run(&s, &cells, &floor, &p, &err));
        for (uint32_t c = 0; c < p.cluster_count; c++) {
            unsigned members = 0;
            for (uint32_t row = 0; row < s.data.rows; row++)
                members |= (unsigned)(p.cluster[row] == c) << row;
            uint64_t own = class_loss(&s, members);
            assert_true(own != UINT64_MAX);
            loss += own;
        }
        uint64_t least = least_loss(&s);
        assert_true(floor <= least && loss >= least);
        if (s.data.quasi_count == 1 && s.p == 1) assert_int_equal(loss, least);
        tight += floor > 0 && floor == least;
        best += s.p > 1 && s.data.quasi_count == 1 && loss == least;
        hr_partition_free(&p);
        hr_groups_free(&cells);
        drop(&s);
    }
    assert_true(tight > 20);
    assert_true(best > 20);
}

static void test_memory(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 89, 0);
    sample s;
    hr_groups cells;
    draw(&s, &random, 1);
    MUST(hr_cells(s.quasi, 1, s.data.rows, false, &cells, &err));
    hr_status status = HR_ENOMEM;
    for (long nth = 1; status == HR_ENOMEM; nth++) {
        hr_partition p;
        hr_error err = {0};
        uint64_t floor;
        hr_memory_fail_at(nth);
        status = run(&s, &cells, &floor, &p, &err);
        hr_memory_fail_at(0);
        if (status == HR_OK) hr_partition_free(&p);
    }
    assert_int_equal(status, HR_OK);
    hr_groups_free(&cells);
    drop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_line), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
