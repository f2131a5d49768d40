/* Cells that are cut: on random tables every part satisfies the models, rows come back from the
 * parts as they would from the whole cell, the cut travels with the plan, and it does not depend on
 * the order of the combinations. */
#include "unit.h"

enum { ROWS = 240, COLUMNS = 5, MOST = 25, PARTS_MOST = ROWS };
static const char *const names[] = {"letter", "number", "word", "illness", "note"};

static hr_table *empty(size_t columns) {
    hr_table *table;
    MUST(hr_table_new(columns, names, &table, &err));
    return table;
}

static hr_table *random_table(unsigned rows, hr_random *random) {
    static const char *const words[] = {"x", "y", "z", "v"};
    static const char *const illnesses[] = {"flu", "gout", "asthma", "none", NULL};
    hr_table *table = empty(COLUMNS);
    for (unsigned row = 0; row < rows; row++) {
        char letter[3] = {(char)('a' + below(random, 3)), (char)('a' + below(random, 4)), 0};
        char number[16], note[2] = {(char)('0' + below(random, 4)), 0};
        snprintf(number, sizeof number, "%u", below(random, 40));
        const char *fields[] = {letter, number, words[below(random, 4)],
                                illnesses[below(random, 5)], note};
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
                                              {"bound", "none"},
                                              {"threads", "1"},
                                              {"effort", "quick"}};
    hr_job *job;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        MUST(hr_job_set(job, settings[i][0], settings[i][1], &err));
    MUST(hr_job_set(job, "k", below(random, 2) ? "2" : "5", &err));
    if (below(random, 2)) MUST(hr_job_set(job, "p", "3", &err));
    if (below(random, 2)) MUST(hr_job_set(job, "boundary", "number=cuts:25", &err));
    return job;
}

/* The combinations of quasi-identifiers and illness among rows with a key, with their counts. */
typedef struct {
    hr_table *table;
    uint32_t counts[ROWS];
} combinations;

static void fields_of(const hr_table *table, size_t row, const char **fields) {
    for (size_t c = 0; c < hr_table_columns(table); c++)
        fields[c] = hr_table_code_text(table, c, hr_table_code(table, row, c), NULL);
}

static bool same_fields(const hr_table *a, size_t i, const hr_table *b, size_t j) {
    for (size_t c = 0; c < 4; c++)
        if (strcmp(hr_table_text(a, i, c), hr_table_text(b, j, c)) ||
            hr_table_is_null(a, i, c) != hr_table_is_null(b, j, c))
            return false;
    return true;
}

static void combine(const hr_table *table, const uint64_t *keys, uint64_t key, bool backwards,
                    combinations *out) {
    const char *fields[COLUMNS];
    size_t rows = hr_table_rows(table);
    *out = (combinations){.table = empty(4)};
    for (size_t n = 0; n < rows; n++) {
        size_t row = backwards ? rows - 1 - n : n, i = 0;
        if (keys[row] != key) continue;
        while (i < hr_table_rows(out->table) && !same_fields(out->table, i, table, row))
            i++;
        fields_of(table, row, fields);
        if (i == hr_table_rows(out->table)) MUST(hr_table_append(out->table, fields, &err));
        out->counts[i]++;
    }
}

static const hr_plan_cell *largest_cell(const hr_plan *plan) {
    const hr_plan_cell *best = NULL, *cell;
    for (size_t i = 0; (cell = hr_plan_cell_at(plan, i)); i++)
        if (!cell->suppressed && (!best || cell->rows > best->rows)) best = cell;
    return best;
}

/* Cuts the largest cell; with `bins` by coarsened combinations. */
static size_t cut_largest(hr_plan *plan, const hr_table *table, const uint64_t *keys, uint32_t bins,
                          bool backwards) {
    combinations c;
    hr_table *coarse = NULL;
    size_t parts;
    if (bins) MUST(hr_plan_coarsen(plan, table, bins, &coarse, &err));
    uint64_t key = largest_cell(plan)->key;
    combine(coarse ? coarse : table, keys, key, backwards, &c);
    MUST(hr_plan_cut(plan, key, c.table, c.counts, MOST, &parts, &err));
    hr_table_free(c.table);
    hr_table_free(coarse);
    return parts;
}

static const hr_plan_cell *unit_of(const hr_plan *plan, uint64_t key) {
    const hr_plan_cell *part;
    for (size_t i = 0; (part = hr_plan_part_at(plan, i)); i++)
        if (part->key == key) return part;
    return hr_plan_cell_find(plan, key);
}

/* Counts rows and values of a part by its definition. */
static void assert_holds(const hr_job *job, const hr_table *table, const uint64_t *keys,
                         const hr_plan_cell *part) {
    long k = atol(hr_job_get(job, "k")), p = hr_job_get(job, "p") ? atol(hr_job_get(job, "p")) : 1;
    bool seen[8] = {0};
    long rows = 0, values = 0;
    for (size_t row = 0; row < hr_table_rows(table); row++) {
        if (keys[row] != part->key) continue;
        rows++;
        if (hr_table_is_null(table, row, 3)) continue;
        uint32_t code = hr_table_code(table, row, 3);
        values += !seen[code];
        seen[code] = true;
    }
    assert_int_equal(rows, part->rows);
    assert_true(rows >= k && rows >= p);
    assert_true(p == 1 || values >= p);
}

/* Runs every cell and part by itself, in another process so to speak, and joins the releases. */
static void assert_joins(const hr_plan *plan, const hr_table *table, const uint64_t *keys,
                         const hr_release *whole) {
    hr_release *releases[PARTS_MOST];
    const hr_table *tables[PARTS_MOST];
    const char *fields[COLUMNS];
    bool done[ROWS] = {0};
    size_t count = 0;
    hr_table *joined;
    for (size_t first = 0; first < hr_table_rows(table); first++) {
        if (done[first] || unit_of(plan, keys[first])->suppressed) continue;
        hr_table *own = empty(COLUMNS);
        for (size_t row = first; row < hr_table_rows(table); row++) {
            if (keys[row] != keys[first]) continue;
            done[row] = true;
            fields_of(table, row, fields);
            MUST(hr_table_append(own, fields, &err));
        }
        MUST(hr_plan_run(plan, own, NULL, &releases[count], &err));
        tables[count] = hr_release_table(releases[count]);
        count++;
        hr_table_free(own);
    }
    MUST(hr_plan_join(plan, tables, count, NULL, &joined, &err));
    assert_int_equal(hr_table_rows(joined), hr_release_figures(whole)->released);
    hr_table_free(joined);
    for (size_t i = 0; i < count; i++)
        hr_release_free(releases[i]);
}

static void cut_once(const hr_table *table, hr_random *random, size_t *cut) {
    hr_job *job = job_of(table, random);
    uint64_t keys[ROWS], parts[ROWS];
    hr_release *whole;
    hr_plan *plan, *again, *copy;
    size_t length, other;
    uint32_t bins = below(random, 2) ? 0 : 4 + below(random, 6);
    MUST(hr_job_run(job, NULL, &whole, &err));
    MUST(hr_job_plan(job, NULL, &plan, &err));
    MUST(hr_job_plan(job, NULL, &again, &err));
    MUST(hr_plan_keys(plan, table, keys, &err));
    size_t count = cut_largest(plan, table, keys, bins, false);
    assert_int_equal(cut_largest(again, table, keys, bins, true), count);
    const void *bytes = hr_plan_bytes(plan, &length), *same = hr_plan_bytes(again, &other);
    assert_int_equal(length, other);
    assert_memory_equal(bytes, same, length);
    MUST(hr_plan_import(bytes, length, &copy, &err));
    MUST(hr_plan_keys(copy, table, parts, &err));
    size_t found = 0;
    const hr_plan_cell *part;
    for (; (part = hr_plan_part_at(copy, found)); found++)
        assert_holds(job, table, parts, part);
    assert_int_equal(found, count > 1 ? count : 0);
    for (size_t row = 0; row < hr_table_rows(table); row++)
        if (count == 1 || keys[row] != largest_cell(plan)->key)
            assert_int_equal(keys[row], parts[row]);
    assert_joins(copy, table, parts, whole);
    *cut += count > 1;
    hr_plan_free(plan);
    hr_plan_free(again);
    hr_plan_free(copy);
    hr_release_free(whole);
    hr_job_free(job);
}

static void test_parts_hold(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 26, 4);
    size_t cut = 0;
    for (int i = 0; i < 60; i++) {
        hr_table *table = random_table(120 + below(&random, ROWS - 120), &random);
        cut_once(table, &random, &cut);
        hr_table_free(table);
    }
    assert_true(cut > 50);
}

static void test_what_cannot_be_cut(void **state) {
    (void)state;
    hr_random random;
    uint64_t keys[ROWS];
    combinations c;
    size_t parts;
    hr_error why = {0};
    hr_plan *plan;
    hr_table *coarse;
    hr_random_seed(&random, 26, 5);
    hr_table *table = random_table(200, &random);
    hr_job *job = job_of(table, &random);
    MUST(hr_job_plan(job, NULL, &plan, &err));
    MUST(hr_plan_keys(plan, table, keys, &err));
    uint64_t key = largest_cell(plan)->key;
    combine(table, keys, key, false, &c);
    assert_int_equal(hr_plan_cut(plan, key + 1, c.table, c.counts, MOST, &parts, &why), HR_EDATA);
    c.counts[0]++;
    assert_int_equal(hr_plan_cut(plan, key, c.table, c.counts, MOST, &parts, &why), HR_EDATA);
    assert_non_null(strstr(why.message, "all combinations of one cell"));
    c.counts[0]--;
    MUST(hr_plan_cut(plan, key, c.table, c.counts, UINT64_MAX, &parts, &err));
    assert_int_equal(parts, 1);
    assert_null(hr_plan_part_at(plan, 0));
    MUST(hr_plan_cut(plan, key, c.table, c.counts, MOST, &parts, &err));
    assert_true(parts > 1);
    assert_int_equal(hr_plan_cut(plan, key, c.table, c.counts, MOST, &parts, &why), HR_EINVAL);
    assert_int_equal(hr_plan_coarsen(plan, table, 0, &coarse, &why), HR_EINVAL);
    hr_table_free(c.table);
    hr_plan_free(plan);
    hr_job_free(job);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts_hold),
        cmocka_unit_test(test_what_cannot_be_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
