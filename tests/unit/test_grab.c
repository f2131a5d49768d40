/* test_grab.c - a boundary that is moved (hr_grab_move): random nodes, nested ones and gaps too, on
 * random tables. The prices are compared with their definition, by plain code that works on texts,
 * and with hr_job_boundaries, which is what `hedgerow boundaries` prints. */
#include <hedgerow.h>

#include "unit.h"

enum { COLUMNS = 3, LEAVES = 9, LEVELS = 4, ROWS = 60, SENSITIVE = 2, LABEL = 16, KS = 4, PS = 3 };

static const int64_t ks[KS] = {1, 2, 4, 9}, ps[PS] = {1, 2, 3};

typedef struct {
    char label[COLUMNS][LEAVES][LEVELS][LABEL];
    unsigned leaf[ROWS][COLUMNS], value[ROWS][SENSITIVE]; /* LEAVES: missing; 0: missing */
    unsigned rows, sensitive, finest; /* finest: level of the column that is moved */
    unsigned moved;
    bool inner[COLUMNS]; /* a boundary along level 1 */
    const char *nodes[LEAVES];
    unsigned node_count;
    hr_table *table;
    hr_job *job;
} world;

static void set(hr_job *job, const char *key, const char *format, ...) {
    char text[64];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    MUST(hr_job_set(job, key, text, &err));
}

/* Leaves 0-8, level 1: threes or pairs, level 2: two halves, level 3: the root. */
static void draw_trees(world *w, hr_random *random) {
    for (unsigned j = 0; j < COLUMNS; j++) {
        unsigned width = 1 + below(random, 3), half = below(random, LEAVES);
        for (unsigned i = 0; i < LEAVES; i++) {
            snprintf(w->label[j][i][0], LABEL, "v%u", i);
            snprintf(w->label[j][i][1], LABEL, width == 1 ? "v%u" : "g%u", i / width);
            snprintf(w->label[j][i][2], LABEL, "h%u", i / width * width >= half);
            snprintf(w->label[j][i][3], LABEL, "*");
        }
    }
}

static void draw(world *w, hr_random *random) {
    *w = (world){.rows = 1 + below(random, ROWS),
                 .sensitive = below(random, SENSITIVE + 1),
                 .moved = below(random, COLUMNS),
                 .finest = below(random, 4) ? 0 : 1 + below(random, 2)};
    draw_trees(w, random);
    for (unsigned row = 0; row < w->rows; row++) {
        for (unsigned j = 0; j < COLUMNS; j++) {
            unsigned a = below(random, LEAVES), b = below(random, 4);
            w->leaf[row][j] = below(random, 30) == 0 ? LEAVES : below(random, 2) ? a : b;
        }
        for (unsigned l = 0; l < SENSITIVE; l++)
            w->value[row][l] = below(random, 5);
    }
    for (unsigned j = 0; j < COLUMNS; j++)
        w->inner[j] = below(random, 2);
}

static void make_table(world *w) {
    static const char *const names[] = {"q0", "q1", "q2", "s0", "s1"};
    MUST(hr_table_new(COLUMNS + SENSITIVE, names, &w->table, &err));
    for (unsigned row = 0; row < w->rows; row++) {
        char value[SENSITIVE][LABEL];
        const char *fields[COLUMNS + SENSITIVE];
        for (unsigned j = 0; j < COLUMNS; j++)
            fields[j] = w->leaf[row][j] == LEAVES ? "" : w->label[j][w->leaf[row][j]][0];
        for (unsigned l = 0; l < SENSITIVE; l++) {
            value[l][0] = '\0';
            if (w->value[row][l]) snprintf(value[l], LABEL, "%u", w->value[row][l]);
            fields[COLUMNS + l] = value[l];
        }
        MUST(hr_table_append(w->table, fields, &err));
    }
}

static void make_job(world *w) {
    make_table(w);
    MUST(hr_job_new(&w->job, &err));
    MUST(hr_job_set_input(w->job, w->table, &err));
    for (unsigned j = 0; j < COLUMNS; j++) {
        const char *labels[LEAVES * LEVELS];
        char name[8];
        hr_hierarchy *tree;
        for (unsigned i = 0; i < LEAVES * LEVELS; i++)
            labels[i] = w->label[j][i / LEVELS][i % LEVELS];
        snprintf(name, sizeof name, "q%u", j);
        MUST(hr_hierarchy_from_labels(name, labels, LEAVES, LEVELS, &tree, &err));
        set(w->job, "quasi", "%s", name);
        MUST(hr_job_set_hierarchy(w->job, name, tree, &err));
        hr_hierarchy_free(tree);
        set(w->job, "on-missing", "%s=drop", name);
        if (w->inner[j] && j != w->moved) set(w->job, "boundary", "%s=level:1", name);
    }
    if (w->finest) set(w->job, "finest", "q%u=level:%u", w->moved, w->finest);
    for (unsigned l = 0; l < w->sensitive; l++)
        set(w->job, "sensitive", "s%u", l);
    set(w->job, "k", "4");
    set(w->job, "p", w->sensitive ? "2" : "1");
}

/* ---- the definition ---- */

/* First label of a path that is a boundary node; the root if there is none. */
static const char *bound(const world *w, unsigned j, unsigned leaf) {
    if (j != w->moved) return w->label[j][leaf][w->inner[j] ? 1 : LEVELS - 1];
    for (unsigned up = 0; up < LEVELS; up++)
        for (unsigned n = 0; n < w->node_count; n++)
            if (!strcmp(w->nodes[n], w->label[j][leaf][up])) return w->label[j][leaf][up];
    return w->label[j][leaf][LEVELS - 1];
}

static bool complete(const world *w, unsigned row) {
    for (unsigned j = 0; j < COLUMNS; j++)
        if (w->leaf[row][j] == LEAVES) return false;
    return true;
}

static bool together(const world *w, unsigned a, unsigned b) {
    if (!complete(w, a) || !complete(w, b)) return false;
    for (unsigned j = 0; j < COLUMNS; j++)
        if (strcmp(bound(w, j, w->leaf[a][j]), bound(w, j, w->leaf[b][j]))) return false;
    return true;
}

static unsigned suppressed(const world *w, int64_t k, int64_t p) {
    unsigned gone = 0;
    for (unsigned row = 0; row < w->rows; row++) {
        unsigned size = 0, seen[SENSITIVE][5] = {{0}};
        for (unsigned other = 0; other < w->rows; other++) {
            if (!together(w, row, other)) continue;
            size++;
            for (unsigned l = 0; l < w->sensitive; l++)
                seen[l][w->value[other][l]] = 1;
        }
        bool holds = size >= k && complete(w, row);
        for (unsigned l = 0; l < w->sensitive && p > 1; l++)
            holds &= seen[l][1] + seen[l][2] + seen[l][3] + seen[l][4] >= p;
        gone += !holds;
    }
    return gone;
}

/* ---- comparing ---- */

static void check_lost(const hr_lost *moved, const hr_lost *priced) {
    const hr_lost_value *a, *b;
    size_t i = 0;
    for (; (a = hr_lost_at(moved, i)) && (b = hr_lost_at(priced, i)); i++) {
        assert_string_equal(a->name, b->name);
        assert_int_equal(!a->value, !b->value);
        if (a->value) assert_string_equal(a->value, b->value);
        assert_int_equal(a->rows, b->rows);
        assert_int_equal(a->lost, b->lost);
    }
    assert_null(hr_lost_at(moved, i));
    assert_null(hr_lost_at(priced, i));
    assert_int_equal(hr_lost_result(moved)->suppressed, hr_lost_result(priced)->suppressed);
}

/* Random nodes at or above the finest level. */
static size_t draw_nodes(world *w, hr_random *random, const hr_hierarchy *tree, uint32_t *ids) {
    w->node_count = 1 + below(random, LEAVES - 1);
    for (unsigned n = 0; n < w->node_count; n++) {
        unsigned level = w->finest + below(random, LEVELS - w->finest);
        w->nodes[n] = w->label[w->moved][below(random, LEAVES)][level];
        ids[n] = hr_hierarchy_find(tree, w->nodes[n]);
        assert_true(ids[n] != HR_NONE);
    }
    return w->node_count;
}

static size_t check_move(world *w, hr_random *random, hr_grab *grab, const char *column,
                         const hr_hierarchy *tree) {
    uint32_t ids[LEAVES];
    const hr_grabbed *moved;
    hr_prices *prices, *own;
    size_t differ = 0;
    MUST(hr_grab_move(grab, ids, draw_nodes(w, random, tree, ids), &moved, &err));
    MUST(hr_job_set_boundary(w->job, column, w->nodes, w->node_count, &err));
    MUST(hr_job_boundaries(w->job, ks, KS, ps, w->sensitive ? PS : 1, NULL, &prices, &err));
    for (size_t i = 0; i < KS; i++)
        for (size_t j = 0; j < (w->sensitive ? PS : 1); j++) {
            size_t at = i * (w->sensitive ? PS : 1) + j;
            assert_int_equal(moved->suppressed[at], suppressed(w, ks[i], ps[j]));
            assert_int_equal(moved->suppressed[at], hr_prices_at(prices, at)->suppressed);
            differ += moved->suppressed[at] != moved->suppressed[0];
        }
    assert_int_equal(moved->cells, hr_prices_cut(prices)->cells);
    MUST(hr_job_boundaries(w->job, NULL, 0, NULL, 0, NULL, &own, &err));
    check_lost(moved->lost, hr_prices_lost(own, 0));
    hr_prices_free(own);
    hr_prices_free(prices);
    return differ;
}

static void check_nodes(const hr_rollup *rollup, const world *w, const hr_hierarchy *tree) {
    size_t count;
    uint32_t *nodes;
    MUST(hr_rollup_nodes(rollup, w->job, w->moved, false, &nodes, &count, &err));
    assert_int_equal(count, 1); /* the job has no boundary for the moved column yet */
    assert_int_equal(nodes[0], hr_hierarchy_root(tree));
    hr_free(nodes);
    MUST(hr_rollup_nodes(rollup, w->job, w->moved, true, &nodes, &count, &err));
    for (unsigned i = 0; i < LEAVES; i++) {
        size_t found = 0;
        while (found < count && strcmp(hr_hierarchy_label(tree, nodes[found]),
                                       w->label[w->moved][i][w->finest]) != 0)
            found++;
        assert_true(found < count);
    }
    hr_free(nodes);
}

static void test_moves(void **state) {
    (void)state;
    hr_random random;
    size_t differ = 0;
    hr_random_seed(&random, 31, 0);
    for (int round = 0; round < 150; round++) {
        world w;
        hr_rollup *rollup;
        hr_grab *grab;
        char column[8];
        draw(&w, &random);
        make_job(&w);
        snprintf(column, sizeof column, "q%u", w.moved);
        MUST(hr_job_rollup(w.job, NULL, &rollup, &err));
        const hr_hierarchy *tree = hr_rollup_at(rollup, w.moved)->tree;
        MUST(hr_rollup_grab(rollup, w.job, column, ks, KS, ps, w.sensitive ? PS : 1, NULL, &grab,
                            &err));
        check_nodes(rollup, &w, tree);
        for (int move = 0; move < 8; move++)
            differ += check_move(&w, &random, grab, column, tree);
        hr_grab_free(grab);
        hr_rollup_free(rollup);
        hr_job_free(w.job);
        hr_table_free(w.table);
    }
    assert_true(differ > 300);
}

/* The rows of a node are those with a leaf below it. */
static void test_rows(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 32, 0);
    for (int round = 0; round < 100; round++) {
        world w;
        hr_rollup *rollup;
        draw(&w, &random);
        make_job(&w);
        MUST(hr_job_rollup(w.job, NULL, &rollup, &err));
        for (unsigned j = 0; j < COLUMNS; j++) {
            const hr_rollup_attribute *a = hr_rollup_at(rollup, j);
            for (uint32_t node = 0; node < hr_hierarchy_node_count(a->tree); node++) {
                const char *label = hr_hierarchy_label(a->tree, node);
                unsigned rows = 0;
                for (unsigned row = 0; row < w.rows; row++)
                    for (unsigned up = 0; up < LEVELS && complete(&w, row); up++)
                        if (!strcmp(w.label[j][w.leaf[row][j]][up], label)) {
                            rows++;
                            break;
                        }
                assert_int_equal(a->rows[node], rows);
            }
        }
        assert_null(hr_rollup_at(rollup, COLUMNS));
        hr_rollup_free(rollup);
        hr_job_free(w.job);
        hr_table_free(w.table);
    }
}

static void test_refused(void **state) {
    (void)state;
    hr_random random;
    world w;
    hr_rollup *rollup;
    hr_grab *grab;
    const hr_grabbed *moved;
    hr_error why;
    const int64_t falling[] = {3, 2};
    const uint32_t far = 1000;
    hr_random_seed(&random, 33, 0);
    do
        draw(&w, &random);
    while (w.sensitive != 1 || w.rows < 10);
    w.finest = 2;
    make_job(&w);
    MUST(hr_job_rollup(w.job, NULL, &rollup, &err));
    assert_int_equal(hr_rollup_grab(rollup, w.job, "s0", ks, KS, ps, PS, NULL, &grab, &why),
                     HR_EINVAL);
    assert_int_equal(hr_rollup_grab(rollup, w.job, "q0", falling, 2, ps, PS, NULL, &grab, &why),
                     HR_EINVAL);
    char column[8];
    snprintf(column, sizeof column, "q%u", w.moved);
    MUST(hr_rollup_grab(rollup, w.job, column, ks, KS, ps, PS, NULL, &grab, &err));
    assert_int_equal(hr_grab_move(grab, &far, 1, &moved, &why), HR_EINVAL);
    uint32_t leaf = hr_hierarchy_find(hr_rollup_at(rollup, w.moved)->tree, "v0");
    assert_int_equal(hr_grab_move(grab, &leaf, 1, &moved, &why), HR_EINVAL);
    assert_non_null(strstr(why.message, "finest"));
    hr_grab_free(grab);
    MUST(hr_job_set(w.job, "alpha", "0.5", &err));
    assert_int_equal(hr_rollup_grab(rollup, w.job, "q0", ks, KS, ps, PS, NULL, &grab, &why),
                     HR_EUNSUP);
    hr_rollup_free(rollup);
    hr_job_free(w.job);
    hr_table_free(w.table);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves), cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
