/* test_index.c - the parts of the fast forms against their definitions: costs of joining nodes of
 * a tree, ranks of combinations, the maximum number of classes over all ways to divide a few
 * rows; the most diverse, cheapest and furthest row while rows are taken and returned and the
 * tree is rebuilt; the best finished cluster while rows join clusters. And a search in which each
 * allocation fails once. */
#include "algorithm/index/index_parts.h"

#include "unit.h"

/* ---- a table with its trees ---- */

enum { QUASI = 3, SENSITIVE = 2 };

typedef struct {
    hr_table *table;
    hr_hierarchy *trees[QUASI];
    hr_microdata data;
} sample;

/* A random tree as a hierarchy file with `levels` columns from leaf to root. Some leaves are at
 * higher levels, some have leaves below them. */
static hr_hierarchy *draw_tree(hr_random *random, unsigned leaves, unsigned levels) {
    static const char *const names[] = {"0", "1", "2", "3", "4", "5"};
    hr_table *file = NULL;
    hr_hierarchy *tree = NULL;
    unsigned width = 1 + below(random, 5), odd = below(random, 3);
    MUST(hr_table_new(levels, names, &file, &err));
    for (unsigned leaf = 0; leaf < leaves; leaf++) {
        char texts[6][32];
        const char *line[6];
        unsigned lowest =
            odd && levels > 1 && below(random, 4) < odd ? below(random, levels - 1) : 0;
        unsigned group = leaf;
        for (unsigned level = 0; level < levels; level++) {
            if (level + 1 == levels) /* the root */
                snprintf(texts[level], sizeof texts[level], "*");
            else
                snprintf(texts[level], sizeof texts[level], "%u/%u", level, group);
            group /= 1 + width;
        }
        for (unsigned level = 0; level < levels; level++)
            line[level] = texts[level < lowest ? lowest : level];
        MUST(hr_table_append(file, line, &err));
    }
    MUST(hr_hierarchy_build(file, "tree", &tree, &err));
    hr_table_free(file);
    return tree;
}

static void bind_tree(sample *s, size_t j) {
    uint32_t *magval;
    MUST(hr_boundary_none(s->trees[j], &magval, &err));
    MUST(hr_quasi_bind_tree(&s->data.quasi[j], &s->table->columns[j], s->trees[j], magval, &err));
}

/* Columns: a tree, a flat tree, a number with few or many values, and two sensitive attributes. */
static void draw(sample *s, hr_random *random, size_t rows, unsigned leaves, unsigned levels) {
    static const char *const names[] = {"tree", "flat", "number", "s", "t"};
    const hr_missing missing = {(const char *const[]){""}, 1};
    uint32_t numbers = below(random, 2) ? 5 : 1000;
    *s = (sample){0};
    s->trees[0] = draw_tree(random, leaves, levels);
    MUST(hr_table_new(QUASI + SENSITIVE, names, &s->table, &err));
    for (size_t row = 0; row < rows; row++) {
        char texts[QUASI + SENSITIVE][16];
        uint32_t leaf = s->trees[0]->leaf_node[below(random, s->trees[0]->leaf_count)];
        for (size_t c = 1; c < QUASI + SENSITIVE; c++)
            snprintf(texts[c], sizeof texts[c], "%u", below(random, c == 2 ? numbers : 5));
        const char *line[] = {hr_hierarchy_label(s->trees[0], leaf), texts[1], texts[2], texts[3],
                              below(random, 9) ? texts[4] : ""};
        MUST(hr_table_append(s->table, line, &err));
    }
    s->data = (hr_microdata){.rows = rows,
                             .quasi = calloc(QUASI, sizeof *s->data.quasi),
                             .quasi_count = QUASI,
                             .sensitive = calloc(SENSITIVE, sizeof *s->data.sensitive),
                             .sensitive_count = SENSITIVE};
    bind_tree(s, 0);
    MUST(hr_hierarchy_flat(&s->table->columns[1], &s->trees[1], &err));
    bind_tree(s, 1);
    MUST(hr_quasi_bind_numeric(&s->data.quasi[2], &s->table->columns[2], &missing, false, &err));
    for (size_t l = 0; l < SENSITIVE; l++)
        MUST(hr_sensitive_bind(&s->data.sensitive[l], &s->table->columns[QUASI + l], &missing, 0,
                               NULL, &err));
    hr_sensitive_weigh(s->data.sensitive, SENSITIVE);
}

static void release(sample *s) {
    hr_microdata_free(&s->data);
    for (size_t j = 0; j < QUASI; j++)
        hr_hierarchy_free(s->trees[j]);
    hr_table_free(s->table);
}

/* ---- costs of joining ---- */

static bool is_above(const hr_hierarchy *tree, uint32_t upper, uint32_t node) {
    for (; node != upper; node = tree->parent[node])
        if (node == tree->root) return false;
    return true;
}

static uint32_t cost_of_joining(const hr_hierarchy *tree, uint32_t a, uint32_t b) {
    while (!is_above(tree, a, b))
        a = tree->parent[a];
    return tree->cost[a];
}

/* Least and greatest cost of joining g with any node at or below a. */
static void check_pair(const hr_hierarchy *tree, const hr_layout_tree *laid, uint32_t g,
                       uint32_t a) {
    uint32_t least = UINT32_MAX, most = 0, at_g = laid->order.position[g],
             at_a = laid->order.position[a];
    for (uint32_t node = 0; node < tree->labels.count; node++) {
        if (!is_above(tree, a, node)) continue;
        uint32_t cost = cost_of_joining(tree, g, node);
        if (cost < least) least = cost;
        if (cost > most) most = cost;
    }
    assert_int_equal(hr_layout_near(laid, at_g, at_a), least);
    assert_int_equal(hr_layout_far(laid->cost, least, at_a), most);
    assert_int_equal(hr_preorder_below(&laid->order, at_g, at_a), is_above(tree, g, a));
    assert_int_equal(laid->cost[hr_preorder_join(&laid->order, at_g, at_a)],
                     cost_of_joining(tree, g, a));
}

/* hr_layout_fill_near for one node after another, updating the same row. */
static void check_rows(const hr_layout_tree *bare, hr_random *random) {
    uint32_t *near = calloc(bare->order.count, sizeof *near), last = HR_NONE;
    for (int i = 0; i < 40; i++) {
        uint32_t g = below(random, bare->order.count);
        if (last != HR_NONE && below(random, 2)) g = below(random, 2) ? bare->order.up[last] : last;
        hr_layout_fill_near(bare, last, g, near);
        for (uint32_t a = 0; a < bare->order.count; a++)
            assert_int_equal(near[a], hr_layout_near(bare, g, a));
        last = g;
    }
    free(near);
}

static void test_costs(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 1, 0);
    for (int round = 0; round < 150; round++) {
        sample s;
        hr_layout layout;
        draw(&s, &random, 1 + below(&random, 20), 1 + below(&random, 30), 1 + below(&random, 6));
        MUST(hr_layout_make(&s.data, &layout, &err));
        const hr_layout_tree *laid = &layout.trees[0];
        assert_non_null(laid->near);
        hr_layout_tree bare = *laid; /* without matrix, as a large tree */
        bare.near = NULL;
        for (uint32_t g = 0; g < laid->order.count; g++)
            for (uint32_t a = 0; a < laid->order.count; a++) {
                assert_int_equal(laid->order.position[laid->order.node[a]], a);
                check_pair(s.trees[0], laid, g, a);
                check_pair(s.trees[0], &bare, g, a);
            }
        check_rows(&bare, &random);
        hr_layout_free(&layout);
        release(&s);
    }
}

static void test_large_tree(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 2, 0);
    for (unsigned levels = 2; levels < 5; levels++) {
        sample s;
        hr_layout layout;
        draw(&s, &random, 30, 2 * HR_LAYOUT_MATRIX, levels);
        MUST(hr_layout_make(&s.data, &layout, &err));
        assert_null(layout.trees[0].near);
        uint32_t count = layout.trees[0].order.count;
        for (int i = 0; i < 200; i++)
            check_pair(s.trees[0], &layout.trees[0], below(&random, count), below(&random, count));
        hr_layout_free(&layout);
        release(&s);
    }
}

/* Definition: the first distinction in which two rows differ decides. */
static int compare_rows(const hr_microdata *data, const hr_layout *layout, size_t a, size_t b) {
    for (size_t d = 0; d < layout->distinction_count; d++) {
        const hr_distinction *by = &layout->distinctions[d];
        uint32_t x = by->key[hr_quasi_value(&data->quasi[by->quasi], a)];
        uint32_t y = by->key[hr_quasi_value(&data->quasi[by->quasi], b)];
        if (x != y) return x < y ? -1 : 1;
    }
    return 0;
}

/* Ranks are in that order, equal only for equal combinations, and 0 .. count - 1 all occur;
 * `sorted` has every row once, by rank and then row; each combination has the values of its
 * rows. */
static void check_ranks(const hr_microdata *data) {
    hr_layout layout;
    uint32_t greatest = 0;
    MUST(hr_layout_make(data, &layout, &err));
    for (size_t a = 0; a < data->rows; a++) {
        if (layout.rank[a] > greatest) greatest = layout.rank[a];
        for (size_t b = 0; b < a; b++) {
            bool same = true;
            for (size_t j = 0; j < data->quasi_count; j++)
                if (hr_quasi_value(&data->quasi[j], a) != hr_quasi_value(&data->quasi[j], b))
                    same = false;
            int order = (layout.rank[a] > layout.rank[b]) - (layout.rank[a] < layout.rank[b]);
            assert_int_equal(order == 0, same);
            assert_int_equal(order, compare_rows(data, &layout, a, b));
        }
        for (size_t j = 0; j < data->quasi_count; j++)
            assert_int_equal(layout.value[layout.rank[a] * data->quasi_count + j],
                             hr_quasi_value(&data->quasi[j], a));
    }
    assert_int_equal(greatest + 1, layout.combination_count);
    assert_int_equal(layout.sorted_count, data->rows);
    for (size_t i = 1; i < layout.sorted_count; i++) {
        uint32_t a = layout.sorted[i - 1], b = layout.sorted[i];
        assert_true(layout.rank[a] < layout.rank[b] || (layout.rank[a] == layout.rank[b] && a < b));
    }
    hr_layout_free(&layout);
}

static void test_ranks(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 3, 0);
    for (int round = 0; round < 50; round++) {
        sample s;
        draw(&s, &random, 1 + below(&random, 60), 1 + below(&random, 6), 1 + below(&random, 4));
        check_ranks(&s.data);
        release(&s);
    }
}

/* Up to twelve numbers: their distinctions need up to four words. */
static void test_ranks_of_many(void **state) {
    (void)state;
    enum { MANY = 12 };
    static const char *const names[MANY] = {"a", "b", "c", "d", "e", "f",
                                            "g", "h", "i", "j", "k", "l"};
    const hr_missing missing = {(const char *const[]){""}, 1};
    hr_random random;
    hr_random_seed(&random, 4, 0);
    for (size_t count = 1; count <= MANY; count++) {
        hr_table *table;
        hr_quasi quasi[MANY] = {0};
        MUST(hr_table_new(count, names, &table, &err));
        for (size_t row = 0; row < 80; row++) {
            char texts[MANY][16];
            const char *line[MANY];
            for (size_t j = 0; j < count; j++) {
                uint32_t top = below(&random, 3) ? 100000 : 3;
                snprintf(texts[j], sizeof texts[j], "%u", below(&random, top));
                line[j] = texts[j];
            }
            MUST(hr_table_append(table, line, &err));
            if (below(&random, 4) == 0) MUST(hr_table_append(table, line, &err));
        }
        for (size_t j = 0; j < count; j++)
            MUST(hr_quasi_bind_numeric(&quasi[j], &table->columns[j], &missing, false, &err));
        check_ranks(&(hr_microdata){.rows = table->rows, .quasi = quasi, .quasi_count = count});
        for (size_t j = 0; j < count; j++)
            hr_quasi_free(&quasi[j]);
        hr_table_free(table);
    }
}

/* ---- the maximum number of classes ---- */

enum { FEW = 10 };

/* Maximum number of classes for every k and p, over all ways to divide the rows. */
typedef struct {
    int rows, values[FEW]; /* -1: missing */
    int class[FEW], most[FEW + 1][FEW + 1];
} division;

static void count_division(division *d, int classes) {
    int k = FEW, p = FEW;
    for (int c = 0; c < classes; c++) {
        unsigned seen = 0;
        int size = 0, values = 0;
        for (int row = 0; row < d->rows; row++) {
            if (d->class[row] != c) continue;
            size++;
            if (d->values[row] >= 0) seen |= 1u << d->values[row];
        }
        for (; seen; seen &= seen - 1)
            values++;
        if (size < k) k = size;
        if (values < p) p = values;
    }
    if (p < 1) p = 1; /* p = 1 needs no value */
    for (int q = 1; q <= p; q++)
        if (classes > d->most[k][q]) d->most[k][q] = classes;
}

static void divide(division *d, int row, int classes) {
    if (row == d->rows) {
        count_division(d, classes);
        return;
    }
    for (int c = 0; c <= classes; c++) {
        d->class[row] = c;
        divide(d, row + 1, classes + (c == classes));
    }
}

static void check_bound(const uint32_t *counts, size_t count, int missing) {
    division d = {0};
    for (size_t v = 0; v < count; v++)
        for (uint32_t i = 0; i < counts[v]; i++)
            d.values[d.rows++] = (int)v;
    for (int i = 0; i < missing; i++)
        d.values[d.rows++] = -1;
    divide(&d, 0, 0);
    for (int k = FEW - 1; k >= 1; k--) /* larger classes count, too */
        for (int p = 1; p <= FEW; p++)
            if (d.most[k + 1][p] > d.most[k][p]) d.most[k][p] = d.most[k + 1][p];
    for (int k = 1; k <= FEW; k++)
        for (int p = 1; p <= FEW; p++) {
            uint64_t bound =
                hr_most_classes((uint64_t)d.rows, counts, count, (uint64_t)k, (uint64_t)p);
            if (bound != (uint64_t)d.most[k][p])
                fail_msg("%d rows, %zu values, k %d, p %d: bound %d, most %d", d.rows, count, k, p,
                         (int)bound, d.most[k][p]);
        }
}

/* Check all ways to write `rows` rows as descending counts of values, the rest missing. */
static void check_counts(uint32_t *counts, size_t count, uint32_t most, int rows) {
    check_bound(counts, count, rows);
    for (uint32_t next = 1; next <= most && (int)next <= rows; next++) {
        counts[count] = next;
        check_counts(counts, count + 1, next, rows - (int)next);
    }
}

static void test_bound(void **state) {
    (void)state;
    uint32_t counts[FEW];
    for (int rows = 1; rows <= 9; rows++)
        check_counts(counts, 0, FEW, rows);
    check_bound((const uint32_t[]){4, 3, 3}, 3, 0);
    check_bound((const uint32_t[]){5, 1, 1, 1, 1}, 5, 1);
    check_bound((const uint32_t[]){2, 2, 2, 2, 2}, 5, 0);
}

static void test_bound_edges(void **state) {
    (void)state;
    assert_int_equal(hr_most_classes(0, NULL, 0, 1, 1), 0);
    assert_int_equal(hr_most_classes(0, NULL, 0, 3, 2), 0);
    assert_int_equal(hr_most_classes(10, NULL, 0, 3, 1), 3); /* all missing; p = 1 needs no value */
    assert_int_equal(hr_most_classes(10, NULL, 0, 3, 2), 0);
    assert_int_equal(hr_most_classes(10, (const uint32_t[]){10}, 1, 3, 2), 0);
    assert_int_equal(hr_most_classes(10, (const uint32_t[]){5, 5}, 2, 2, 2), 5);
    assert_int_equal(hr_most_classes(10, (const uint32_t[]){5, 5}, 2, 1, 2),
                     5); /* k is at least p */
    assert_int_equal(hr_most_classes(10, (const uint32_t[]){8, 1, 1}, 3, 2, 2), 2);
    assert_int_equal(hr_most_classes(10, (const uint32_t[]){8, 1, 1}, 3, 2, 3), 1);
    assert_int_equal(hr_most_classes(UINT64_C(12884901885),
                                     (const uint32_t[]){UINT32_MAX, UINT32_MAX, UINT32_MAX}, 3, 3,
                                     3),
                     UINT32_MAX);
}

/* ---- rows that are taken and returned ---- */

enum { CELL = 60 };

/* The whole table as one cell, with its index. */
typedef struct {
    sample sample;
    hr_layout layout;
    uint32_t rows[CELL], rank[CELL], type[CELL], cluster[CELL];
    hr_progress progress;
    hr_cell_task task;
    hr_clusters out;
    hr_index *index;
} cell;

static void make_cell(cell *c, hr_random *random, const hr_index_wants *wants, bool trees) {
    *c = (cell){0};
    draw(&c->sample, random, CELL, 6, 3);
    if (trees) c->sample.data.quasi_count--; /* no numbers */
    MUST(hr_layout_make(&c->sample.data, &c->layout, &err));
    for (uint32_t i = 0; i < CELL; i++) {
        c->rows[i] = i;
        c->rank[i] = c->layout.rank[c->layout.sorted[i]];
        c->type[i] = c->layout.type[c->layout.sorted[i]];
    }
    c->task = (hr_cell_task){.data = &c->sample.data,
                             .rows = c->rows,
                             .row_count = CELL,
                             .k = 3,
                             .p = 3,
                             .layout = &c->layout,
                             .by_rank = c->layout.sorted,
                             .rank = c->rank,
                             .type = c->type,
                             .progress = &c->progress};
    c->out.cluster = c->cluster;
    MUST(hr_index_new(&c->task, wants, &c->out, &c->index, &err));
}

static void free_cell(cell *c) {
    c->sample.data.quasi_count = QUASI;
    hr_index_free(c->index);
    hr_layout_free(&c->layout);
    release(&c->sample);
}

/* Definition: sum of the shares of the attributes in which a row has a value that the others
 * lack. */
static int64_t diversity(const hr_microdata *data, const uint32_t *from, uint32_t count,
                         uint32_t row) {
    int64_t sum = 0;
    for (size_t l = 0; l < SENSITIVE; l++) {
        uint32_t value = hr_sensitive_value(&data->sensitive[l], row);
        bool is_new = value != HR_NONE;
        for (uint32_t i = 0; i < count; i++)
            is_new = is_new && value != hr_sensitive_value(&data->sensitive[l], from[i]);
        if (is_new) sum += data->sensitive[l].share;
    }
    return sum;
}

/* The lowest live row of those most diverse from a row. */
static uint32_t most_diverse(const hr_microdata *data, uint32_t from, const bool *taken) {
    uint32_t best = HR_NONE;
    for (uint32_t row = 0; row < CELL; row++)
        if (!taken[row] &&
            (best == HR_NONE || diversity(data, &from, 1, row) > diversity(data, &from, 1, best)))
            best = row;
    return best;
}

/* Take or return a random row: mostly take for 100 steps, then mostly return for 100, ... */
static void come_or_go(cell *c, hr_random *random, int step, bool *taken) {
    uint32_t row = below(random, CELL), item = c->index->rows.item_of[row];
    bool often = taken[row] == (step / 100 % 2 == 1);
    if (!often && below(random, 8)) return;
    if (!taken[row] && c->index->rows.live_count == 1) return;
    if (c->index->rows.combinations[c->index->rows.items[item].combination].leaf == HR_NONE) return;
    if (taken[row])
        hr_index_return(c->index, item);
    else
        MUST(hr_index_take(c->index, item, &err));
    taken[row] = !taken[row];
}

static void test_come_and_go(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 5, 0);
    for (int round = 0; round < 20; round++) {
        const hr_index_wants wants = {
            .sensitive = true, .seeds = true, .diverse = true, .by_row = round % 2};
        cell c;
        bool taken[CELL] = {false};
        make_cell(&c, &random, &wants, false);
        for (int step = 0; step < 600; step++) {
            come_or_go(&c, &random, step, taken);
            uint32_t from = below(&random, CELL);
            hr_index_restart_values(c.index, c.index->rows.item_of[from]);
            uint32_t found = hr_index_most_diverse(c.index);
            assert_int_equal(c.index->rows.items[found].place,
                             most_diverse(&c.sample.data, from, taken));
        }
        free_cell(&c);
    }
}

/* Definition: cost of the smallest values that cover these rows and one more. */
static uint64_t cost_with(const hr_microdata *data, const uint32_t *rows, uint32_t count,
                          uint32_t more) {
    uint64_t cost = 0;
    for (size_t j = 0; j < data->quasi_count; j++) {
        uint32_t value = hr_quasi_value(&data->quasi[j], more);
        hr_span span = {value, value};
        for (uint32_t i = 0; i < count; i++) {
            uint32_t own = hr_quasi_value(&data->quasi[j], rows[i]);
            span = hr_quasi_join(&data->quasi[j], span, (hr_span){own, own});
        }
        cost += hr_quasi_cost(&data->quasi[j], span);
    }
    return cost;
}

/* Of the live rows whose diversity is at least `enough`, the cheapest for these rows; of equals
 * the first in tie order. */
static uint32_t cheapest(const cell *c, const uint32_t *rows, uint32_t count, const bool *taken,
                         int64_t enough) {
    uint32_t best = HR_NONE;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < CELL; i++) {
        uint32_t row = c->index->by_row ? i : c->layout.sorted[i];
        uint64_t cost = cost_with(&c->sample.data, rows, count, row);
        if (taken[row] || cost >= least) continue;
        if (diversity(&c->sample.data, rows, count, row) < enough) continue;
        least = cost;
        best = row;
    }
    return best;
}

static int64_t greatest_diversity(const cell *c, const uint32_t *rows, uint32_t count,
                                  const bool *taken) {
    int64_t most = 0;
    for (uint32_t row = 0; row < CELL; row++) {
        int64_t own = diversity(&c->sample.data, rows, count, row);
        if (!taken[row] && own > most) most = own;
    }
    return most;
}

/* The lowest live row of those furthest from a row. */
static uint32_t furthest(const cell *c, uint32_t from, const bool *taken) {
    uint32_t best = HR_NONE;
    uint64_t most = 0;
    for (uint32_t row = 0; row < CELL; row++) {
        uint64_t cost = cost_with(&c->sample.data, &from, 1, row);
        if (taken[row] || (best != HR_NONE && cost <= most)) continue;
        most = cost;
        best = row;
    }
    return best;
}

/* Check all searches for a cluster of up to three random rows, live or not. */
static void check_searches(cell *c, hr_random *random, const bool *taken) {
    uint32_t rows[3], items[3], count = 1 + below(random, 3), found;
    for (uint32_t i = 0; i < count; i++) {
        rows[i] = below(random, CELL);
        items[i] = c->index->rows.item_of[rows[i]];
    }
    hr_index_reopen(c->index, 0, items, count);
    assert_true(hr_index_search(c->index, NULL, 0, &found));
    assert_int_equal(c->index->rows.items[found].place, cheapest(c, rows, count, taken, 0));
    if (c->index->by_type) {
        int64_t most = greatest_diversity(c, rows, count, taken);
        assert_int_equal(hr_index_diverse(c->index, &found), most > 0);
        if (most > 0)
            assert_int_equal(c->index->rows.items[found].place,
                             cheapest(c, rows, count, taken, most));
    }
    hr_index_restart(c->index, items[0]);
    found = hr_index_furthest(c->index);
    assert_int_equal(c->index->rows.items[found].place, furthest(c, rows[0], taken));
    hr_index_reopen(c->index, 0, NULL, 0);
}

/* Announce that about two of three taken rows may be returned. */
static void recall(cell *c, hr_random *random, const bool *taken) {
    uint32_t items[CELL], count = 0;
    for (uint32_t row = 0; row < CELL; row++)
        if (taken[row] && below(random, 3)) items[count++] = c->index->rows.item_of[row];
    MUST(hr_index_recall(c->index, items, count, &err));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t combination = c->index->rows.items[items[i]].combination;
        assert_int_not_equal(c->index->rows.combinations[combination].leaf, HR_NONE);
    }
}

/* The tree is rebuilt from live rows, then from live and announced rows. */
static void test_renewed(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 6, 0);
    int renewals = 0, returns = 0;
    for (int round = 0; round < 60; round++) {
        const hr_index_wants wants = {.sensitive = round & 4,
                                      .seeds = round & 4,
                                      .diverse = round & 4,
                                      .furthest = true,
                                      .by_row = round & 1};
        cell c;
        bool taken[CELL] = {false};
        make_cell(&c, &random, &wants, round & 2);
        for (int step = 0; step < 300; step++) {
            uint32_t live = c.index->rows.live_count;
            if (step == 100) recall(&c, &random, taken);
            come_or_go(&c, &random, step, taken);
            returns += step >= 100 && c.index->rows.live_count > live;
            if (step < 100 && below(&random, 20) == 0) {
                MUST(hr_index_renew(c.index, &err));
                assert_int_equal(c.index->tree.listed, c.index->rows.live_combinations);
                renewals += c.index->tree.listed < c.index->rows.combination_count;
            }
            check_searches(&c, &random, taken);
        }
        free_cell(&c);
    }
    assert_true(renewals > 100 && returns > 500);
}

/* ---- finished clusters ---- */

enum { MADE = CELL / 3 };

typedef hr_span spans[QUASI];

/* Definition: the cluster whose loss is or grows least if the row joins it; of equals the first. */
static uint32_t best_cluster(const cell *c, int rule, const spans *values, uint32_t row) {
    const hr_microdata *data = &c->sample.data;
    uint32_t best = HR_NONE;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < MADE; i++) {
        uint64_t now = 0, joined = 0, size = c->index->finished.size[i];
        for (size_t j = 0; j < data->quasi_count; j++) {
            uint32_t own = hr_quasi_value(&data->quasi[j], row);
            hr_span both = hr_quasi_join(&data->quasi[j], values[i][j], (hr_span){own, own});
            now += hr_quasi_cost(&data->quasi[j], values[i][j]);
            joined += hr_quasi_cost(&data->quasi[j], both);
        }
        uint64_t loss = (size + 1) * joined - (rule == HR_DISPERSAL_GROWTH ? size * now : 0);
        if (loss >= least) continue;
        least = loss;
        best = i;
    }
    return best;
}

/* Widen a cluster's values, also in the index, to cover a row; returns whether they have
 * changed. */
static bool cover_row(cell *c, uint32_t cluster, hr_span *values, uint32_t row) {
    bool grown = false;
    for (size_t j = 0; j < c->sample.data.quasi_count; j++) {
        const hr_quasi *quasi = &c->sample.data.quasi[j];
        uint32_t own = hr_quasi_value(quasi, row);
        uint32_t *code =
            c->index->finished.gen + cluster * c->index->format.stride + c->index->format.offset[j];
        hr_span both = hr_quasi_join(quasi, values[j], (hr_span){own, own});
        grown = grown || both.lo != values[j].lo || both.hi != values[j].hi;
        values[j] = both;
        code[0] = quasi->tree ? c->layout.trees[j].order.position[both.lo] : both.lo;
        if (!quasi->tree) code[1] = both.hi;
    }
    return grown;
}

/* The attributes have few values, so several clusters have the same ones. */
static void make_clusters(cell *c, hr_random *random, spans *values) {
    c->index->cluster.number = c->out.count = MADE;
    for (uint32_t i = 0; i < MADE; i++) {
        uint32_t row = below(random, CELL);
        for (size_t j = 0; j < c->sample.data.quasi_count; j++)
            values[i][j].lo = values[i][j].hi = hr_quasi_value(&c->sample.data.quasi[j], row);
        cover_row(c, i, values[i], below(random, 3) ? below(random, CELL) : row);
        c->index->finished.size[i] = 3 + below(random, 2);
    }
}

static void join_rows(cell *c, hr_random *random, int rule) {
    spans values[MADE];
    hr_trie *trie;
    make_clusters(c, random, values);
    MUST(hr_trie_init(c->index, rule, &trie, &err));
    for (int step = 0; step < 100; step++) {
        uint32_t row = below(random, CELL);
        hr_index_restart(c->index, c->index->rows.item_of[row]);
        uint32_t best = hr_trie_best(trie);
        assert_int_equal(best, best_cluster(c, rule, (const spans *)values, row));
        c->index->finished.size[best]++;
        bool grown = cover_row(c, best, values[best], row);
        MUST(hr_trie_changed(trie, best, grown, &err));
    }
    hr_trie_free(trie);
}

static void test_joined(void **state) {
    (void)state;
    const hr_index_wants wants = {0};
    hr_random random;
    hr_random_seed(&random, 8, 0);
    for (int round = 0; round < 1000; round++) {
        cell c;
        make_cell(&c, &random, &wants, round & 2);
        join_rows(&c, &random, round % 2 ? HR_DISPERSAL_GROWTH : HR_DISPERSAL_ABSOLUTE);
        free_cell(&c);
    }
}

/* A trie takes no memory from the index, so building it repeatedly leaves nothing behind. */
static void test_trie_memory(void **state) {
    (void)state;
    const hr_index_wants wants = {0};
    cell c;
    spans values[MADE];
    hr_random random;
    hr_random_seed(&random, 10, 0);
    make_cell(&c, &random, &wants, false);
    make_clusters(&c, &random, values);
    const hr_arena_block *block = c.index->arena.head;
    for (int round = 0; round < 2000; round++) { /* of 200 bytes and more each: several blocks */
        hr_trie *trie;
        MUST(hr_trie_init(c.index, HR_DISPERSAL_GROWTH, &trie, &err));
        hr_trie_free(trie);
    }
    assert_ptr_equal(c.index->arena.head, block);
    free_cell(&c);
}

/* ---- out of memory ---- */

/* Have fewer than `nth` allocations been made since hr_memory_fail_at(nth)? */
static bool still_ordered(long nth) {
    bool failed = false;
    for (long i = 0; i < nth && !failed; i++) {
        void *memory = hr_alloc(1, 1, NULL);
        failed = !memory;
        free(memory);
    }
    return failed;
}

static bool same_partition(const hr_partition *a, const hr_partition *b) {
    return a->cluster_count == b->cluster_count &&
           !memcmp(a->cluster, b->cluster, a->rows * sizeof *a->cluster) &&
           !memcmp(a->values, b->values, a->cluster_count * a->quasi_count * sizeof *a->values);
}

/* The nth allocation fails, for every n that there is. With several threads a search may get along
 * with fewer, and must then return the same. */
static void sweep(hr_search *search) {
    hr_partition whole, got;
    MUST(hr_search_run(search, &whole, &err));
    assert_true(whole.cluster_count > 1);
    for (long nth = 1;; nth++) {
        hr_error err = {0};
        hr_memory_fail_at(nth);
        hr_status status = hr_search_run(search, &got, &err);
        bool over = status == HR_OK && still_ordered(nth);
        hr_memory_fail_at(0);
        if (status == HR_OK) {
            assert_true(same_partition(&whole, &got));
            assert_true(over || search->threads > 1);
            hr_partition_free(&got);
        } else {
            assert_int_equal(status, HR_ENOMEM);
            assert_int_equal(err.code, HR_ENOMEM);
            assert_null(got.cluster);
        }
        if (!over) continue;
        assert_true(nth > 10); /* the search does allocate */
        break;
    }
    hr_partition_free(&whole);
}

static bool faults_work(void) {
    hr_memory_fail_at(1);
    void *memory = hr_alloc(1, 1, NULL);
    hr_memory_fail_at(0);
    free(memory);
    return !memory;
}

static void sweep_algorithm(sample *s, const hr_algorithm *algorithm, int64_t p) {
    hr_groups cells;
    hr_facts facts;
    hr_search search = {
        .data = &s->data, .cells = &cells, .asked = {.k = 4, .p = p}, .algorithm = algorithm};
    MUST(hr_cells(s->data.quasi, s->data.quasi_count, s->data.rows, true, &cells, &err));
    MUST(hr_facts_of(&cells, s->data.sensitive, SENSITIVE, &facts, &err));
    bool *out = calloc(cells.count, sizeof *out);
    hr_models_out(&facts, &search.asked, out);
    search.out = out;
    for (int way = 0; way < 8; way++) {
        hr_greedy_options options;
        hr_options_init(algorithm->options, &options);

        options.ties = way & 1 ? HR_TIES_ROW : HR_TIES_RANK;
        options.dispersal = way & 1 ? HR_DISPERSAL_ABSOLUTE : HR_DISPERSAL_GROWTH;
        search.options = &options;
        search.reference = way & 2;
        search.threads = way & 4 ? 3 : 1;
        sweep(&search);
    }
    free(out);
    hr_facts_free(&facts);
    hr_groups_free(&cells);
}

static void test_out_of_memory(void **state) {
    (void)state;
    if (!faults_work()) skip();
    static const char *const names[] = {"greedy-pk", "k-member", "enhanced-pk"};
    hr_random random;
    hr_random_seed(&random, 4, 0);
    for (int round = 0; round < 4; round++) {
        sample s;
        draw(&s, &random, 60, 12, 3);
        if (round % 2) { /* several cells */
            free(s.data.quasi[0].magval);
            MUST(hr_boundary_level(s.trees[0], 1, &s.data.quasi[0].magval, &err));
            s.data.quasi[0].bounded = true;
        }
        if (round >= 2) s.data.quasi_count--; /* trees alone */
        for (size_t a = 0; a < 3; a++) {
            const hr_algorithm *algorithm = hr_algorithm_find(names[a]);
            sweep_algorithm(&s, algorithm, algorithm->enforces_p ? 1 + round : 1);
        }
        s.data.quasi_count = QUASI;
        release(&s);
    }
}

/* Rebuilding the tree runs out of memory: from live rows; from live and announced rows. */
static void test_not_renewed(void **state) {
    (void)state;
    if (!faults_work()) skip();
    const hr_index_wants wants = {.sensitive = true, .seeds = true, .diverse = true};
    hr_random random;
    hr_random_seed(&random, 7, 0);
    for (int all = 0; all < 2; all++) {
        hr_status status = HR_ENOMEM;
        long nth = 1;
        for (; status == HR_ENOMEM; nth++) {
            cell c;
            hr_error why = {0};
            make_cell(&c, &random, &wants, nth % 2);
            for (uint32_t item = 0; item < CELL / 2; item++)
                MUST(hr_index_take(c.index, item, &err));
            if (all) MUST(hr_index_renew(c.index, &err));
            hr_memory_fail_at(nth);
            const uint32_t first = 0;
            status =
                all ? hr_index_recall(c.index, &first, 1, &why) : hr_index_renew(c.index, &why);
            hr_memory_fail_at(0);
            assert_int_equal(why.code, status);
            free_cell(&c);
        }
        assert_int_equal(status, HR_OK);
        assert_true(nth > 3);
    }
}

/* A trie of clusters that grow. */
static hr_status lay_out_clusters(cell *c, spans *values, hr_trie **trie, hr_error *err) {
    HR_TRY(hr_trie_init(c->index, HR_DISPERSAL_GROWTH, trie, err));
    for (uint32_t row = 0; row < CELL; row++) {
        uint32_t cluster = row % MADE;
        bool grown = cover_row(c, cluster, values[cluster], row);
        HR_TRY(hr_trie_changed(*trie, cluster, grown, err));
    }
    return HR_OK;
}

static void test_not_joined(void **state) {
    (void)state;
    if (!faults_work()) skip();
    const hr_index_wants wants = {0};
    hr_status status = HR_ENOMEM;
    long nth = 1;
    for (; status == HR_ENOMEM; nth++) {
        cell c;
        spans values[MADE];
        hr_trie *trie = NULL;
        hr_error why = {0};
        hr_random random;
        hr_random_seed(&random, 9, 0);
        make_cell(&c, &random, &wants, false);
        make_clusters(&c, &random, values);
        hr_memory_fail_at(nth);
        status = lay_out_clusters(&c, values, &trie, &why);
        hr_memory_fail_at(0);
        assert_int_equal(why.code, status);
        hr_trie_free(trie);
        free_cell(&c);
    }
    assert_int_equal(status, HR_OK);
    assert_true(nth > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_costs),         cmocka_unit_test(test_large_tree),
        cmocka_unit_test(test_ranks),         cmocka_unit_test(test_ranks_of_many),
        cmocka_unit_test(test_bound),         cmocka_unit_test(test_bound_edges),
        cmocka_unit_test(test_come_and_go),   cmocka_unit_test(test_renewed),
        cmocka_unit_test(test_not_renewed),   cmocka_unit_test(test_joined),
        cmocka_unit_test(test_not_joined),    cmocka_unit_test(test_trie_memory),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
