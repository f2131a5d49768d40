/* test_groups.c - groups of rows against brute force: two rows are in one group iff they agree in
 * every column; groups are numbered by their first row; members ascend. */
#include "data/data.h"

#include "unit.h"

/* Checks the definition for every pair of rows. A row with a value HR_NONE is in no group. */
static void check(const hr_groups *groups, const uint32_t *values, size_t rows, size_t columns) {
    uint32_t next = 0;
    assert_int_equal(groups->rows, rows);
    for (size_t row = 0; row < rows; row++) {
        uint32_t expected = HR_NONE;
        bool out = false;
        for (size_t c = 0; c < columns; c++)
            out |= values[row * columns + c] == HR_NONE;
        for (size_t earlier = 0; !out && earlier < row && expected == HR_NONE; earlier++)
            if (!memcmp(values + earlier * columns, values + row * columns,
                        columns * sizeof *values))
                expected = groups->of_row[earlier];
        if (!out && expected == HR_NONE) expected = next++;
        assert_int_equal(groups->of_row[row], expected);
    }
    assert_int_equal(groups->count, next);
}

static void check_members(const hr_groups *groups) {
    uint32_t *start = NULL;
    size_t at = 0;
    uint32_t *member = NULL;
    MUST(hr_groups_members(groups, &start, &member, &err));
    assert_int_equal(start[0], 0);
    for (uint32_t g = 0; g < groups->count; g++)
        for (uint32_t row = 0; row < groups->rows; row++)
            if (groups->of_row[row] == g) {
                assert_true(at >= start[g] && at < start[g + 1]);
                assert_int_equal(member[at++], row);
            }
    assert_int_equal(start[groups->count], at);
    free(start);
    free(member);
}

/* Random tables. Value counts far above the values that occur make too many keys for an array. */
static void random_groups(uint64_t stream, uint32_t scale, unsigned rounds) {
    hr_random random;
    hr_random_seed(&random, 11, stream);
    for (unsigned i = 0; i < rounds; i++) {
        enum { ROWS = 120, COLUMNS = 4 };
        unsigned cells[ROWS * COLUMNS];
        uint32_t values[ROWS * COLUMNS], maps[COLUMNS][16];
        hr_split by[COLUMNS];
        size_t rows = below(&random, ROWS + 1), columns = 1 + below(&random, COLUMNS);
        unsigned variety = 1 + below(&random, 12);
        for (size_t c = 0; c < rows * columns; c++)
            cells[c] = below(&random, variety);
        hr_table *table = table_of_numbers(cells, rows, columns);
        hr_groups groups;
        MUST(hr_groups_start(&groups, rows, &err));
        for (size_t c = 0; c < columns; c++) {
            const hr_column *column = &table->columns[c];
            uint32_t *map = maps[c], codes = column->dictionary.count;
            for (uint32_t code = 0; code < codes; code++)
                map[code] = below(&random, 15) == 0 ? HR_NONE : below(&random, 8) * scale;
            bool plain = scale == 1 && below(&random, 3) == 0;
            for (size_t row = 0; row < rows; row++) {
                uint32_t code = hr_column_code(column, row);
                values[row * columns + c] = plain ? code : map[code];
            }
            by[c] = (hr_split){column, plain ? NULL : map, plain ? (codes ? codes : 1) : 8 * scale};
            MUST(hr_groups_split(&groups, column, by[c].map, by[c].value_count, &err));
        }
        hr_groups together;
        MUST(hr_groups_start(&together, rows, &err));
        MUST(hr_groups_split_all(&together, by, columns, &err));
        assert_int_equal(together.count, groups.count);
        assert_memory_equal(together.of_row, groups.of_row, rows * sizeof *groups.of_row);
        hr_groups_free(&together);
        check(&groups, values, rows, columns);
        check_members(&groups);
        hr_groups_free(&groups);
        hr_table_free(table);
    }
}

static void test_direct(void **state) {
    (void)state;
    random_groups(0, 1, 400);
}

static void test_hashed(void **state) {
    (void)state;
    random_groups(1, UINT32_C(1) << 28, 400); /* values up to 2^31: keys need a hash map */
    random_groups(2, UINT32_C(1) << 20, 100); /* from array to hash map within one table */
}

/* More rows than a chunk, all different: the number of a group is that of its row. */
static void test_many_rows(void **state) {
    (void)state;
    enum { ROWS = 70000 };
    unsigned *cells = calloc((size_t)ROWS * 2, sizeof *cells);
    assert_non_null(cells);
    for (unsigned row = 0; row < ROWS; row++) {
        cells[row * 2] = row / 300;
        cells[row * 2 + 1] = row % 300;
    }
    hr_table *table = table_of_numbers(cells, ROWS, 2);
    hr_groups groups;
    MUST(hr_groups_start(&groups, ROWS, &err));
    MUST(hr_groups_split(&groups, &table->columns[0], NULL, table->columns[0].dictionary.count,
                         &err));
    for (unsigned row = 0; row < ROWS; row++)
        assert_int_equal(groups.of_row[row], row / 300);
    MUST(hr_groups_split(&groups, &table->columns[1], NULL, table->columns[1].dictionary.count,
                         &err));
    assert_int_equal(groups.count, ROWS);
    for (unsigned row = 0; row < ROWS; row++)
        assert_int_equal(groups.of_row[row], row);
    hr_groups_free(&groups);
    hr_table_free(table);
    free(cells);
}

static void test_no_rows(void **state) {
    (void)state;
    hr_groups groups;
    uint32_t *start = NULL;
    uint32_t *member = NULL;
    MUST(hr_groups_start(&groups, 0, &err));
    assert_int_equal(groups.count, 0);
    MUST(hr_groups_members(&groups, &start, &member, &err));
    assert_int_equal(start[0], 0);
    free(start);
    free(member);
    hr_groups_free(&groups);
}

/* ---- Partitions ---- */

static void test_canonize(void **state) {
    (void)state;
    hr_partition partition = {.rows = 7, .quasi_count = 2, .cluster_count = 4};
    const uint32_t clusters[] = {2, HR_NONE, 0, 2, 3, 0, HR_NONE}; /* 1 is empty */
    partition.cluster = malloc(sizeof clusters);
    partition.values = malloc(4 * 2 * sizeof *partition.values);
    assert_true(partition.cluster && partition.values);
    memcpy(partition.cluster, clusters, sizeof clusters);
    for (uint32_t i = 0; i < 8; i++)
        partition.values[i] = (hr_span){i, i + 100};
    MUST(hr_partition_canonize(&partition, &err));
    const uint32_t expected[] = {0, HR_NONE, 1, 0, 2, 1, HR_NONE};
    const uint32_t old[] = {2, 0, 3};
    assert_int_equal(partition.cluster_count, 3);
    assert_memory_equal(partition.cluster, expected, sizeof expected);
    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t j = 0; j < 2; j++) {
            assert_int_equal(partition.values[c * 2 + j].lo, old[c] * 2 + j);
            assert_int_equal(partition.values[c * 2 + j].hi, old[c] * 2 + j + 100);
        }
    hr_partition_free(&partition);
    hr_partition_free(&partition);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_direct),    cmocka_unit_test(test_hashed),
        cmocka_unit_test(test_many_rows), cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_canonize),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
