/* test_boxes.c - kinds, boxes and parts of a cell against their definitions. Every tuple of nodes
 * is tried: the feasible canonical boxes are listed and no others. */
#include "algorithm/hedge/cover.h"

#include "unit.h"

enum { QUASI = 3, SENSITIVE = 3, ROWS = 40 };

typedef struct {
    hr_table *table;
    hr_hierarchy *trees[QUASI];
    hr_quasi quasi[QUASI];
    hr_sensitive sensitive[SENSITIVE];
    hr_microdata data;
    hr_layout layout;
    uint32_t rows[ROWS], by_rank[ROWS], rank[ROWS], type[ROWS];
    hr_progress progress;
    hr_cell_task task;
} sample;

/* Leaves 0 .. 7 below pairs and fours, or flat. */
static hr_hierarchy *draw_tree(hr_random *random) {
    static const char *const names[] = {"0", "1", "2", "3"};
    hr_table *file = NULL;
    hr_hierarchy *tree = NULL;
    unsigned levels = 2 + below(random, 3);
    MUST(hr_table_new(levels, names, &file, &err));
    for (unsigned leaf = 0; leaf < 8; leaf++) {
        char texts[4][16];
        const char *line[4];
        for (unsigned level = 0; level < levels; level++) {
            snprintf(texts[level], sizeof texts[level], level == 0 ? "%u" : "%u:%u",
                     level == 0 ? leaf : level, leaf >> level);
            if (level + 1 == levels) snprintf(texts[level], sizeof texts[level], "*");
            line[level] = texts[level];
        }
        MUST(hr_table_append(file, line, &err));
    }
    MUST(hr_hierarchy_build(file, "tree", &tree, &err));
    hr_table_free(file);
    return tree;
}

static int compare_ranks(uint32_t x, uint32_t y, const sample *s) {
    uint32_t p = s->layout.rank[x], q = s->layout.rank[y];
    return p != q ? (p < q ? -1 : 1) : (x < y ? -1 : x > y);
}

static void draw(sample *s, hr_random *random) {
    static const char *const names[] = {"a", "b", "c", "s", "t", "u"};
    const hr_missing missing = {(const char *const[]){""}, 1};
    *s = (sample){0};
    uint32_t rows = 2 + below(random, ROWS - 1), spread = 1 + below(random, 8);
    MUST(hr_table_new(QUASI + SENSITIVE, names, &s->table, &err));
    for (uint32_t row = 0; row < rows; row++) {
        char texts[QUASI + SENSITIVE][16];
        const char *line[QUASI + SENSITIVE];
        for (size_t c = 0; c < QUASI + SENSITIVE; c++) {
            snprintf(texts[c], sizeof texts[c], "%u", below(random, c < QUASI ? spread : 4));
            line[c] = texts[c];
        }
        snprintf(texts[5], sizeof texts[5], "x%.8s", texts[3]); /* s told in other words */
        if (below(random, 9) == 0) line[4] = "";
        MUST(hr_table_append(s->table, line, &err));
        s->rows[row] = row;
    }
    for (size_t j = 0; j < QUASI; j++) {
        uint32_t *magval;
        s->trees[j] = draw_tree(random);
        MUST(hr_boundary_none(s->trees[j], &magval, &err));
        MUST(hr_quasi_bind_tree(&s->quasi[j], &s->table->columns[j], s->trees[j], magval, &err));
    }
    for (size_t l = 0; l < SENSITIVE; l++)
        MUST(hr_sensitive_bind(&s->sensitive[l], &s->table->columns[QUASI + l], &missing, 0, NULL,
                               &err));
    s->data = (hr_microdata){.rows = rows,
                             .quasi = s->quasi,
                             .quasi_count = QUASI,
                             .sensitive = s->sensitive,
                             .sensitive_count = SENSITIVE};
    MUST(hr_layout_make(&s->data, &s->layout, &err));
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t at = i;
        for (; at > 0 && compare_ranks(s->by_rank[at - 1], i, s) > 0; at--)
            s->by_rank[at] = s->by_rank[at - 1];
        s->by_rank[at] = i;
    }
    for (uint32_t i = 0; i < rows; i++) {
        s->rank[i] = s->layout.rank[s->by_rank[i]];
        s->type[i] = s->layout.type[s->by_rank[i]];
    }
    uint32_t p = 1 + below(random, 3), k = p + below(random, 4);
    s->task = (hr_cell_task){.data = &s->data,
                             .rows = s->rows,
                             .row_count = rows,
                             .k = k,
                             .p = p,
                             .layout = &s->layout,
                             .by_rank = s->by_rank,
                             .rank = s->rank,
                             .type = s->type,
                             .progress = &s->progress,
                             .threads = 1};
}

static void drop(sample *s) {
    hr_layout_free(&s->layout);
    for (size_t j = 0; j < QUASI; j++) {
        hr_quasi_free(&s->quasi[j]);
        hr_hierarchy_free(s->trees[j]);
    }
    for (size_t l = 0; l < SENSITIVE; l++)
        free(s->sensitive[l].value_of_code);
    hr_table_free(s->table);
}

/* ---- definitions ---- */

static bool is_inside(const sample *s, const uint32_t *node, uint32_t row) {
    for (size_t j = 0; j < QUASI; j++)
        if (!hr_hierarchy_covers(s->trees[j], node[j], hr_quasi_value(&s->quasi[j], row)))
            return false;
    return true;
}

/* Rows inside, 0 if they do not satisfy the models or a lower box covers them. */
static uint32_t judge(const sample *s, const uint32_t *node) {
    uint32_t least[QUASI], count = 0;
    for (uint32_t row = 0; row < s->data.rows; row++) {
        if (!is_inside(s, node, row)) continue;
        for (size_t j = 0; j < QUASI; j++) {
            uint32_t value = hr_quasi_value(&s->quasi[j], row);
            least[j] = count ? hr_hierarchy_join(s->trees[j], least[j], value) : value;
        }
        count++;
    }
    if (count < s->task.k || memcmp(least, node, sizeof least)) return 0;
    for (size_t l = 0; l < SENSITIVE && s->task.p > 1; l++) {
        uint32_t distinct = 0;
        for (uint32_t value = 0; value < s->sensitive[l].value_count; value++) {
            bool has = false;
            for (uint32_t row = 0; row < s->data.rows; row++)
                has |=
                    is_inside(s, node, row) && hr_sensitive_value(&s->sensitive[l], row) == value;
            distinct += has;
        }
        if (distinct < s->task.p) return 0;
    }
    return count;
}

static uint32_t find(const sample *s, const hr_boxes *boxes, const uint32_t *node) {
    for (uint32_t b = 0; b < boxes->count; b++) {
        size_t j = 0;
        while (j < QUASI && boxes->code[b * QUASI + j] == s->trees[j]->order[node[j]])
            j++;
        if (j == QUASI) return b;
    }
    return HR_NONE;
}

static void check_boxes(const sample *s, const hr_boxes *boxes) {
    uint32_t node[QUASI], found = 0;
    for (node[0] = 0; node[0] < s->trees[0]->labels.count; node[0]++)
        for (node[1] = 0; node[1] < s->trees[1]->labels.count; node[1]++)
            for (node[2] = 0; node[2] < s->trees[2]->labels.count; node[2]++) {
                uint32_t rows = judge(s, node), b = find(s, boxes, node);
                assert_int_equal(b != HR_NONE, rows > 0);
                if (rows == 0) continue;
                uint64_t cost = 0;
                for (size_t j = 0; j < QUASI; j++)
                    cost += s->trees[j]->cost[node[j]];
                assert_int_equal(boxes->rows[b], rows);
                assert_true(boxes->cost[b] == cost);
                found++;
            }
    assert_int_equal(found, boxes->count);
    for (uint32_t b = 1; b < boxes->count; b++)
        assert_true(boxes->cost[b - 1] <= boxes->cost[b]);
}

/* Both directions tell the same pairs. */
static void check_pairs(const hr_kinds *kinds, const hr_boxes *boxes) {
    size_t total = 0;
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        for (size_t i = boxes->around_start[c]; i < boxes->around_start[c + 1]; i++, total++) {
            uint32_t b = boxes->around[i];
            bool is_there = false;
            for (size_t m = boxes->inside_start[b]; m < boxes->inside_start[b + 1]; m++)
                is_there |= boxes->inside[m] == c;
            assert_true(is_there);
            assert_true(i == boxes->around_start[c] || boxes->around[i - 1] < b);
        }
    assert_int_equal(total, boxes->inside_start[boxes->count]);
}

static void check_kinds(const sample *s, const hr_kinds *kinds) {
    uint32_t rows = 0;
    if (s->task.p > 1) assert_true(kinds->r < SENSITIVE); /* the relabelled one went */
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++) {
        uint32_t first = s->rows[kinds->place[kinds->place_start[kind]]];
        assert_int_equal(kinds->kind_rows[kind],
                         kinds->place_start[kind + 1] - kinds->place_start[kind]);
        rows += kinds->kind_rows[kind];
        for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++) {
            uint32_t row = s->rows[kinds->place[i]];
            for (size_t j = 0; j < QUASI; j++)
                assert_int_equal(hr_quasi_value(&s->quasi[j], row),
                                 hr_quasi_value(&s->quasi[j], first));
            for (size_t l = 0; l < SENSITIVE; l++)
                assert_int_equal(hr_sensitive_value(&s->sensitive[l], row),
                                 hr_sensitive_value(&s->sensitive[l], first));
        }
    }
    assert_int_equal(rows, s->task.row_count);
}

/* Cells cut into parts: the task of each part agrees with the layout, and the parts have all rows.
 * */
static void test_parts(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 4, 0);
    unsigned several = 0;
    for (int round = 0; round < 100; round++) {
        sample s;
        hr_axes axes;
        hr_kinds kinds;
        hr_division division;
        uint32_t cluster[ROWS], rows = 0;
        bool seen[ROWS] = {0};
        draw(&s, &random);
        hr_clusters clusters = {.cluster = cluster, .count = 1 + below(&random, s.task.row_count)};
        for (uint32_t i = 0; i < s.task.row_count; i++)
            cluster[i] = i < clusters.count ? i : below(&random, clusters.count);
        MUST(hr_axes_make(&s.data, hr_measure_find("ntil"), &axes, &err));
        MUST(hr_cell_kinds(&s.task, &axes, &kinds, &err));
        uint32_t part_of[ROWS], count = 1 + below(&random, clusters.count);
        for (uint32_t c = 0; c < clusters.count; c++)
            part_of[c] = c < count ? c : below(&random, count);
        MUST(hr_division_make(&s.task, &clusters, part_of, count, &division, &err));
        several += division.count > 1;
        for (uint32_t part = 0; part < division.count; part++) {
            hr_cell_task task = hr_division_task(&division, &s.task, part);
            assert_int_equal(task.k, s.task.k);
            assert_ptr_equal(task.layout, s.task.layout);
            for (uint32_t i = 0; i < task.row_count; i++, rows++) {
                uint32_t row = task.rows[task.by_rank[i]];
                assert_int_equal(task.rank[i], s.layout.rank[row]);
                assert_int_equal(task.type[i], s.layout.type[row]);
                assert_true(i == 0 || task.rank[i - 1] <= task.rank[i]);
                assert_false(seen[row]);
                seen[row] = true;
            }
        }
        assert_int_equal(rows, s.task.row_count);
        hr_division_free(&division);
        hr_kinds_free(&kinds);
        hr_axes_free(&axes);
        drop(&s);
    }
    assert_true(several > 20);
}

/* The loss of clusters by definition: of the least values that cover each, found by joining row by
 * row. UINT64_MAX: one has fewer than k rows or p values. */
static uint64_t judge_clusters(const sample *s, const hr_axes *axes, const hr_clusters *clusters) {
    uint64_t loss = 0;
    uint32_t met = 0;
    for (uint32_t c = 0; c < clusters->count; c++) {
        hr_span box[ROWS];
        uint32_t rows = 0, seen[ROWS], values;
        for (uint32_t i = 0; i < s->task.row_count; i++) {
            if (clusters->cluster[i] != c) continue;
            uint32_t position[ROWS];
            hr_axes_positions(axes, &s->task.rows[i], 1, position);
            for (size_t j = 0; j < axes->count; j++) {
                hr_span own = {position[j], position[j]};
                box[j] = rows ? hr_axis_join(&axes->of[j], box[j], own) : own;
            }
            rows++;
        }
        if (rows < s->task.k) return UINT64_MAX;
        for (size_t l = 0; l < s->data.sensitive_count && s->task.p > 1; l++) {
            values = 0;
            for (uint32_t i = 0; i < s->task.row_count; i++) {
                uint32_t own = hr_sensitive_value(&s->data.sensitive[l], s->task.rows[i]), at = 0;
                if (clusters->cluster[i] != c || own == HR_NONE) continue;
                while (at < values && seen[at] != own)
                    at++;
                seen[at] = own;
                values += at == values;
            }
            if (values < s->task.p) return UINT64_MAX;
        }
        for (size_t j = 0; j < axes->count; j++)
            loss += rows * (uint64_t)hr_axis_cost(&axes->of[j], box[j]);
        met += rows;
    }
    assert_int_equal(met, s->task.row_count);
    return loss;
}

/* The cover of proposals and the moves after it: valid by definition, no more loss after moves, the
 * loss that hr_clusters_loss computes, and the same for any number of threads. */
static void test_cover(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 6, 0);
    unsigned better = 0, tried = 0;
    for (int round = 0; round < 400; round++) {
        sample s;
        hr_axes axes;
        hr_kinds kinds;
        uint32_t cluster[ROWS], again[ROWS];
        uint64_t counted;
        draw(&s, &random);
        MUST(hr_axes_make(&s.data, hr_measure_find("ntil"), &axes, &err));
        MUST(hr_cell_kinds(&s.task, &axes, &kinds, &err));
        hr_clusters clusters = {.cluster = cluster, .count = 1}, other = {.cluster = again};
        memset(cluster, 0, sizeof cluster);
        if (judge_clusters(&s, &axes, &clusters) == UINT64_MAX) {
            hr_kinds_free(&kinds);
            hr_axes_free(&axes);
            drop(&s);
            continue;
        }
        tried++;
        s.task.threads = 1;
        MUST(hr_cover(&s.task, &kinds, &axes, 0, &clusters, &err));
        s.task.threads = 3;
        MUST(hr_cover(&s.task, &kinds, &axes, 0, &other, &err));
        assert_int_equal(clusters.count, other.count);
        assert_memory_equal(cluster, again, s.task.row_count * sizeof *cluster);
        uint64_t loss = judge_clusters(&s, &axes, &clusters);
        assert_true(loss < UINT64_MAX);
        MUST(hr_clusters_loss(&kinds, &axes, &clusters, &counted, &err));
        assert_int_equal(counted, loss);
        hr_hedge_part part = {.task = s.task, .clusters = clusters, .axes = &axes, .heat = .05};
        part.round.work = 50;
        MUST(hr_shift_improve(&part, &err));
        uint64_t after = judge_clusters(&s, &axes, &part.clusters);
        assert_true(after <= loss);
        better += after < loss;
        hr_kinds_free(&kinds);
        hr_axes_free(&axes);
        drop(&s);
    }
    assert_true(tried > 50 && better > tried / 20);
}

static void test_definition(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 3, 0);
    for (int round = 0; round < 150; round++) {
        sample s;
        hr_kinds kinds;
        hr_axes axes;
        hr_boxes boxes;
        bool listed;
        draw(&s, &random);
        MUST(hr_axes_make(&s.data, hr_measure_find("ntil"), &axes, &err));
        MUST(hr_cell_kinds(&s.task, &axes, &kinds, &err));
        check_kinds(&s, &kinds);
        MUST(hr_boxes_make(&kinds, &axes, &boxes, &listed, &err));
        assert_true(listed);
        check_boxes(&s, &boxes);
        check_pairs(&kinds, &boxes);
        hr_boxes_free(&boxes);
        hr_axes_free(&axes);
        hr_kinds_free(&kinds);
        drop(&s);
    }
}

/* ---- how many boxes are listed ---- */

enum { WIDEST = 17, LONGEST = 254 };

/* Rows that share no value of any attribute, all hierarchies flat: two boxes an attribute around
 * each. */
static void check_listed(size_t t, uint32_t rows, uint64_t expected, bool expect_listed) {
    const char *names[WIDEST], *line[WIDEST];
    hr_table *table = NULL;
    hr_hierarchy *trees[WIDEST] = {0};
    hr_quasi quasi[WIDEST] = {0};
    hr_layout layout;
    hr_kinds kinds;
    hr_axes axes;
    hr_boxes boxes;
    uint64_t pairs;
    bool listed;
    for (size_t j = 0; j < t; j++)
        names[j] = &"abcdefghijklmnopq"[j];
    MUST(hr_table_new(t, names, &table, &err));
    uint32_t places[LONGEST], types[LONGEST] = {0};
    for (uint32_t row = 0; row < rows; row++) {
        char text[16];
        snprintf(text, sizeof text, "%03u", row);
        for (size_t j = 0; j < t; j++)
            line[j] = text;
        MUST(hr_table_append(table, line, &err));
        places[row] = row;
    }
    for (size_t j = 0; j < t; j++) {
        uint32_t *magval;
        MUST(hr_hierarchy_flat(&table->columns[j], &trees[j], &err));
        MUST(hr_boundary_none(trees[j], &magval, &err));
        MUST(hr_quasi_bind_tree(&quasi[j], &table->columns[j], trees[j], magval, &err));
    }
    hr_microdata data = {.rows = rows, .quasi = quasi, .quasi_count = t};
    MUST(hr_layout_make(&data, &layout, &err));
    hr_cell_task task = {.data = &data,
                         .rows = places,
                         .row_count = rows,
                         .k = 2,
                         .p = 1,
                         .layout = &layout,
                         .by_rank = layout.sorted,
                         .rank = places,
                         .type = types,
                         .threads = 1};
    MUST(hr_axes_make(&data, hr_measure_find("ntil"), &axes, &err));
    MUST(hr_cell_kinds(&task, &axes, &kinds, &err));
    MUST(hr_boxes_pairs(&kinds, &axes, &pairs, &err));
    MUST(hr_boxes_make(&kinds, &axes, &boxes, &listed, &err));
    assert_int_equal(listed, expect_listed);
    if (expect_listed || expected == 0)
        assert_int_equal(pairs, expected);
    else
        assert_true(pairs > HR_BOXES_PAIRS);
    hr_boxes_free(&boxes);
    hr_axes_free(&axes);
    hr_kinds_free(&kinds);
    hr_layout_free(&layout);
    for (size_t j = 0; j < t; j++) {
        hr_quasi_free(&quasi[j]);
        hr_hierarchy_free(trees[j]);
    }
    hr_table_free(table);
}

static void test_limits(void **state) {
    (void)state;
    check_listed(16, 2, 2 << 16, true);
    check_listed(17, 2, 2 << 17, false); /* around one combination */
    check_listed(8, 253, 253 << 8, true);
    check_listed(8, 254, 0, false); /* keys of 65 bits */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_definition),
                                       cmocka_unit_test(test_cover), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
