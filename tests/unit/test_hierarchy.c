/* test_hierarchy.c - trees and boundaries against their definitions. Random trees are drawn as
 * parent arrays first and written as hierarchy files from them, so that every height, cost,
 * ancestor and MAGVal is known from the drawing, without the library. */
#include "hierarchy/hierarchy.h"

#include "unit.h"

static hr_status build(const char *text, hr_hierarchy **tree, hr_error *err) {
    hr_table *table = NULL;
    hr_read_options options = {.delimiter = ';', .no_header = true};
    hr_status status = hr_csv_parse(text, strlen(text), "h.csv", &options, &table, err);
    if (status == HR_OK) status = hr_hierarchy_build(table, "h.csv", tree, err);
    hr_table_free(table);
    return status;
}

static hr_hierarchy *tree_of(const char *text) {
    hr_hierarchy *tree = NULL;
    MUST(build(text, &tree, &err));
    return tree;
}

static void refuses(const char *text, const char *message) {
    hr_hierarchy *tree = NULL;
    hr_error err = {0};
    assert_int_equal(build(text, &tree, &err), HR_EDATA);
    assert_int_equal(err.code, HR_EDATA);
    assert_string_equal(err.message, message);
    assert_null(tree);
}

static uint32_t node(const hr_hierarchy *tree, const char *label) {
    uint32_t found = hr_hierarchy_find(tree, label);
    if (found == HR_NONE) fail_msg("no node '%s'", label);
    return found;
}

#define LABEL(tree, number) hr_hierarchy_label(tree, number)

/* ---- Files ---- */

#define PLACES                                                                                     \
    "Wichita;Kansas;Midwest;US\nKansas City;Kansas;Midwest;US\nLincoln;Nebraska;Midwest;US\n"      \
    "San Diego;California;West Coast;US\nCuba;Cuba;America;US\n"

static void test_file(void **state) {
    (void)state;
    hr_hierarchy *tree = tree_of(PLACES);
    assert_string_equal(tree->source, "h.csv");
    assert_string_equal(LABEL(tree, tree->root), "US");
    assert_int_equal(tree->parent[tree->root], HR_NONE);
    assert_int_equal(tree->labels.count, 12);
    assert_int_equal(tree->leaf_count, 5);
    assert_int_equal(tree->level_count, 4);
    uint32_t kansas = node(tree, "Kansas"), midwest = node(tree, "Midwest");
    assert_int_equal(tree->parent[kansas], midwest);
    assert_int_equal(tree->height[kansas], 1);
    assert_int_equal(tree->leaves[kansas], 2);
    assert_int_equal(tree->leaves[midwest], 3);
    assert_int_equal(tree->depth[node(tree, "Wichita")], 3);
    assert_false(tree->is_leaf[kansas]);
    assert_true(tree->is_leaf[node(tree, "Lincoln")]);
    assert_int_equal(tree->cost[node(tree, "Lincoln")], 0);
    assert_int_equal(tree->cost[kansas], HR_COST_ONE / 3);
    assert_int_equal(tree->cost[midwest], HR_COST_ONE / 3 * 2);
    assert_int_equal(tree->cost[tree->root], HR_COST_ONE);
    assert_int_equal(hr_hierarchy_find(tree, "kansas"), HR_NONE);
    assert_string_equal(
        LABEL(tree, hr_hierarchy_join(tree, node(tree, "Wichita"), node(tree, "Lincoln"))),
        "Midwest");
    hr_hierarchy_free(tree);
}

/* `Cuba;Cuba;America;US`: one node, at its lowest level; its parent is the next other label. */
static void test_repeated_label(void **state) {
    (void)state;
    hr_hierarchy *tree = tree_of(PLACES);
    uint32_t cuba = node(tree, "Cuba");
    assert_int_equal(tree->height[cuba], 0);
    assert_string_equal(LABEL(tree, tree->parent[cuba]), "America");
    assert_int_equal(tree->height[node(tree, "America")], 1);
    assert_int_equal(tree->depth[cuba], 2);
    assert_int_equal(tree->level_node[4 * 4 + 0], cuba);
    assert_int_equal(tree->level_node[4 * 4 + 1], cuba);
    hr_hierarchy_free(tree);

    tree = tree_of("x;*;*\na;b;*\n"); /* the root may repeat, too */
    assert_int_equal(tree->parent[node(tree, "x")], tree->root);
    assert_int_equal(tree->height[tree->root], 2);
    hr_hierarchy_free(tree);
}

static void test_leaf_that_is_an_ancestor(void **state) {
    (void)state;
    hr_hierarchy *tree = tree_of("NYC;NY;US\nNY;NY;US\n");
    uint32_t ny = node(tree, "NY");
    assert_int_equal(tree->labels.count, 3);
    assert_true(tree->is_leaf[ny]);
    assert_int_equal(tree->leaf_count, 2);
    assert_int_equal(tree->height[ny], 1);
    assert_int_equal(tree->leaves[ny], 2);
    hr_hierarchy_free(tree);
}

static void test_small_trees(void **state) {
    (void)state;
    hr_hierarchy *tree = tree_of("only\n"); /* height 0: costs are 0, not 0 / 0 */
    assert_int_equal(tree->root, 0);
    assert_int_equal(tree->cost[0], 0);
    assert_true(tree->is_leaf[0]);
    hr_hierarchy_free(tree);
    tree = tree_of(";Unknown;*\n1;Known;*\n"); /* the leaf of missing values */
    assert_true(tree->is_leaf[node(tree, "")]);
    hr_hierarchy_free(tree);
    tree = tree_of("a;*\na;*\nb;*\n"); /* a repeated line is accepted */
    assert_int_equal(tree->leaf_count, 2);
    assert_int_equal(tree->leaves[tree->root], 2);
    hr_hierarchy_free(tree);
    hr_hierarchy_free(NULL);
}

static void test_flat(void **state) {
    (void)state;
    hr_table *table = table_of("sex\nM\nF\nM\n\"\"\n");
    hr_hierarchy *tree = NULL;
    MUST(hr_hierarchy_flat(&table->columns[0], &tree, &err));
    assert_string_equal(tree->source, "flat");
    assert_int_equal(tree->leaf_count, 3);
    assert_string_equal(LABEL(tree, tree->root), "*");
    assert_int_equal(tree->cost[tree->root], HR_COST_ONE);
    assert_true(tree->is_leaf[node(tree, "")]);
    hr_hierarchy_free(tree);
    hr_table_free(table);
}

static void test_refused(void **state) {
    (void)state;
    refuses(
        "a;b;*\nc;b;*\nd;b;x;*\n",
        "h.csv: line 3 has 4 fields, the first line has 3: correct or remove it (a field with a "
        "semicolon or a line break in it must be quoted)");
    refuses("a;b;r;*\nc;b;s;*\n",
            "h.csv, line 2: 'b' has two parents, 's' here and 'r' in line 1; rename one of them");
    refuses("a;b;*\nb;c;*\n",
            "h.csv, line 2: 'b' has two parents, 'c' here and '*' in line 1; rename one of them");
    refuses("a;b;*\nc;b;*\na;d;*\n",
            "h.csv, line 3: leaf 'a' occurs before with other ancestors; keep one "
            "of the two lines");
    refuses("a;b;*\nc;d;+\n",
            "h.csv, line 2: the last column is '+', in line 1 it is '*': a hierarchy has one "
            "root; add a last column with one common value");
    refuses("town;state;land\na;b;*\nc;d;*\n",
            "h.csv, line 2: the last column is '*', in line 1 it is 'land': a hierarchy has one "
            "root; is line 1 a header?");
    refuses("a;b;a;*\n", "h.csv, line 1: 'a' is its own ancestor (levels 0 and 2)");
    refuses("x;y;b;*\na;*;c;*\n", "h.csv, line 2: '*' is its own ancestor (levels 1 and 3)");
    refuses("x;b;*\na;;*\n", "h.csv, line 2: level 1 is empty: only a leaf may be, as the leaf of "
                             "missing values");
    refuses("a;b;\n",
            "h.csv, line 1: level 2 is empty: only a leaf may be, as the leaf of missing values");
}

/* An empty leaf may repeat upward like any label: one node, at its lowest level. */
static void test_empty_leaf_repeats(void **state) {
    (void)state;
    hr_hierarchy *tree = NULL;
    MUST(build("a;b;r;*\n;;;*\nc;b;r;*\n", &tree, &err));
    uint32_t empty = hr_hierarchy_find(tree, "");
    assert_int_equal(tree->labels.count, 6);
    assert_true(tree->is_leaf[empty]);
    assert_int_equal(tree->parent[empty], tree->root);
    assert_int_equal(tree->height[empty], 0);
    hr_hierarchy_free(tree);
    refuses(";;*;\n",
            "h.csv, line 1: level 3 is empty: only a leaf may be, as the leaf of missing values");
    refuses(";b;;*\n",
            "h.csv, line 1: level 2 is empty: only a leaf may be, as the leaf of missing values");
}

static void test_no_lines(void **state) {
    (void)state;
    hr_table *table = table_of("a,b\n1,2\n");
    hr_hierarchy *tree = NULL;
    hr_error err = {0};
    table->rows = 0;
    assert_int_equal(hr_hierarchy_build(table, "h.csv", &tree, &err), HR_EDATA);
    assert_string_equal(err.message, "h.csv: a hierarchy needs at least one line");
    hr_table_free(table);
}

/* ---- Random trees ---- */

enum { NODES = 40, LEVELS = 8 };

/* Node 0 is the root; parents come before their children. Labels are "n0", "n1", ... */
typedef struct {
    unsigned count, parent[NODES], children[NODES], depth[NODES];
    bool leaf[NODES]; /* has a line in the file */
    unsigned levels;
    hr_hierarchy *tree;
    uint32_t code[NODES];                        /* in the library's tree */
    unsigned line_of[NODES], line[NODES], lines; /* leaf of each line */
} drawn;

static unsigned drawn_height(const drawn *d, unsigned n) {
    unsigned height = 0;
    for (unsigned i = 0; i < d->count; i++) {
        unsigned up = i, steps = 0;
        while (up != n && up != 0)
            up = d->parent[up], steps++;
        if (up == n && steps > height) height = steps;
    }
    return height;
}

static bool drawn_covers(const drawn *d, unsigned upper, unsigned n) {
    while (n != upper && n != 0)
        n = d->parent[n];
    return n == upper;
}

/* The lowest of all nodes that cover both. */
static unsigned drawn_join(const drawn *d, unsigned a, unsigned b) {
    unsigned best = 0;
    for (unsigned n = 0; n < d->count; n++)
        if (drawn_covers(d, n, a) && drawn_covers(d, n, b) && d->depth[n] > d->depth[best])
            best = n;
    return best;
}

/* One line: the leaf, its ancestors, each repeated at random so that all lines are equally long. */
static void write_line(const drawn *d, unsigned leaf, hr_random *random, hr_text *text) {
    unsigned spare = d->levels - (d->depth[leaf] + 1);
    for (unsigned n = leaf;; n = d->parent[n]) {
        unsigned repeat = n == 0 ? spare : below(random, spare + 1);
        spare -= repeat;
        for (unsigned i = 0; i <= repeat; i++)
            hr_text_printf(text, "n%u%s", n, n == 0 && i == repeat ? "\n" : ";");
        if (n == 0) return;
    }
}

static void draw(drawn *d, hr_random *random) {
    *d = (drawn){.count = 1 + below(random, NODES), .levels = 0};
    for (unsigned n = 1; n < d->count; n++) {
        do
            d->parent[n] = below(random, n);
        while (d->depth[d->parent[n]] + 1 >= LEVELS);
        d->depth[n] = d->depth[d->parent[n]] + 1;
        d->children[d->parent[n]]++;
    }
    for (unsigned n = 0; n < d->count; n++) {
        d->leaf[n] = d->children[n] == 0 || below(random, 10) == 0;
        if (d->leaf[n] && d->depth[n] + 1 > d->levels) d->levels = d->depth[n] + 1;
    }
    d->levels += below(random, 3);
    unsigned order[NODES];
    for (unsigned n = 0; n < d->count; n++)
        order[n] = n;
    for (unsigned n = d->count; n > 1; n--) {
        unsigned other = below(random, n), keep = order[n - 1];
        order[n - 1] = order[other];
        order[other] = keep;
    }
    hr_text text = {0};
    for (unsigned i = 0; i < d->count; i++) {
        if (!d->leaf[order[i]]) continue;
        d->line_of[order[i]] = d->lines;
        d->line[d->lines++] = order[i];
        write_line(d, order[i], random, &text);
    }
    d->tree = tree_of(text.data);
    hr_text_free(&text);
    assert_int_equal(d->tree->labels.count, d->count);
    for (unsigned n = 0; n < d->count; n++) {
        char label[16];
        snprintf(label, sizeof label, "n%u", n);
        d->code[n] = node(d->tree, label);
    }
}

static void check_nodes(const drawn *d) {
    const hr_hierarchy *tree = d->tree;
    unsigned whole = drawn_height(d, 0);
    for (unsigned n = 0; n < d->count; n++) {
        uint32_t code = d->code[n];
        unsigned height = drawn_height(d, n), leaves = 0;
        for (unsigned m = 0; m < d->count; m++)
            leaves += d->leaf[m] && drawn_covers(d, n, m);
        assert_int_equal(tree->parent[code], n ? d->code[d->parent[n]] : HR_NONE);
        assert_int_equal(tree->depth[code], d->depth[n]);
        assert_int_equal(tree->height[code], height);
        assert_int_equal(tree->leaves[code], leaves);
        assert_int_equal(tree->is_leaf[code], d->leaf[n]);
        double share = whole ? (double)height / whole : 0;
        assert_int_equal(tree->cost[code], (uint32_t)(share * HR_COST_ONE + 0.5));
    }
    assert_int_equal(tree->leaf_count, d->lines);
    for (unsigned i = 0; i < d->lines; i++)
        assert_int_equal(tree->leaf_node[i], d->code[d->line[i]]);
}

/* Preorder: every subtree is a range of consecutive positions that begins with its top node. */
static void check_order(const drawn *d) {
    const hr_hierarchy *tree = d->tree;
    bool taken[NODES] = {0};
    for (unsigned n = 0; n < d->count; n++) {
        assert_true(tree->order[d->code[n]] < d->count && !taken[tree->order[d->code[n]]]);
        taken[tree->order[d->code[n]]] = true;
    }
    for (unsigned n = 0; n < d->count; n++) {
        unsigned size = 0;
        for (unsigned m = 0; m < d->count; m++)
            size += drawn_covers(d, n, m);
        for (unsigned m = 0; m < d->count; m++) {
            unsigned offset = tree->order[d->code[m]] - tree->order[d->code[n]];
            assert_int_equal(offset < size, drawn_covers(d, n, m));
        }
    }
    /* Children in the order of the file: a leaf's line comes before those of later siblings. */
    for (unsigned i = 0; i + 1 < d->lines; i++)
        for (unsigned j = i + 1; j < d->lines; j++)
            if (d->parent[d->line[i]] == d->parent[d->line[j]] && d->line[i] && d->line[j] &&
                !d->children[d->line[i]] && !d->children[d->line[j]])
                assert_true(tree->order[tree->leaf_node[i]] < tree->order[tree->leaf_node[j]]);
}

static void check_pairs(const drawn *d) {
    for (unsigned a = 0; a < d->count; a++)
        for (unsigned b = 0; b < d->count; b++) {
            assert_int_equal(hr_hierarchy_join(d->tree, d->code[a], d->code[b]),
                             d->code[drawn_join(d, a, b)]);
            assert_int_equal(hr_hierarchy_covers(d->tree, d->code[a], d->code[b]),
                             drawn_covers(d, a, b));
        }
}

/* The first node of the set at or above n, or the root. */
static unsigned drawn_magval(const drawn *d, const bool *set, unsigned n) {
    while (n != 0 && !set[n])
        n = d->parent[n];
    return n;
}

static void check_boundary(const drawn *d, const bool *set, uint32_t *magval) {
    for (unsigned n = 0; n < d->count; n++)
        assert_int_equal(magval[d->code[n]], d->code[drawn_magval(d, set, n)]);
    bool higher[NODES] = {0}; /* the parents of the MAGVals of the leaves */
    for (unsigned i = 0; i < d->lines; i++) {
        unsigned bound = drawn_magval(d, set, d->line[i]);
        higher[bound ? d->parent[bound] : 0] = true;
    }
    uint32_t *relaxed = NULL;
    MUST(hr_boundary_relax(d->tree, magval, &relaxed, &err));
    for (unsigned n = 0; n < d->count; n++)
        assert_int_equal(relaxed[d->code[n]], d->code[drawn_magval(d, higher, n)]);
    free(relaxed);
    free(magval);
}

/* Column `level` of every line, read back from the labels that the tree kept. */
static void check_level(const drawn *d, unsigned level) {
    bool set[NODES] = {0};
    for (unsigned i = 0; i < d->lines; i++) {
        const char *label = LABEL(d->tree, d->tree->level_node[i * d->levels + level]);
        unsigned n = (unsigned)atoi(label + 1);
        assert_true(drawn_covers(d, n, d->line[i]));
        if (level == 0) assert_int_equal(n, d->line[i]);
        if (level == d->levels - 1) assert_int_equal(n, 0);
        set[n] = true;
    }
    uint32_t *magval = NULL;
    MUST(hr_boundary_level(d->tree, level, &magval, &err));
    check_boundary(d, set, magval);
}

static void check_node_boundary(const drawn *d, hr_random *random) {
    bool set[NODES] = {0};
    char texts[NODES][16];
    const char *labels[NODES];
    size_t count = 0;
    for (unsigned n = 0; n < d->count; n++) {
        if (below(random, 3)) continue;
        set[n] = true;
        snprintf(texts[count], sizeof texts[count], "n%u", n);
        labels[count] = texts[count];
        count++;
    }
    uint32_t *magval = NULL;
    MUST(hr_boundary_nodes(d->tree, labels, count, &magval, &err));
    check_boundary(d, set, magval);
    MUST(hr_boundary_none(d->tree, &magval, &err));
    check_boundary(d, (bool[NODES]){0}, magval);
}

static void test_random_trees(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 7, 0);
    for (int i = 0; i < 3000; i++) {
        drawn d;
        draw(&d, &random);
        check_nodes(&d);
        check_order(&d);
        check_pairs(&d);
        check_level(&d, below(&random, d.levels));
        check_node_boundary(&d, &random);
        hr_hierarchy_free(d.tree);
    }
}

/* Shares of a height up to 16 are exact, others are rounded to the nearest. */
static void test_tall_trees(void **state) {
    (void)state;
    for (unsigned height = 1; height <= 40; height++) {
        hr_text text = {0};
        for (unsigned level = 0; level <= height; level++)
            hr_text_printf(&text, "%u%s", level, level < height ? ";" : "\n");
        hr_hierarchy *tree = tree_of(text.data);
        for (unsigned level = 0; level <= height; level++) {
            char label[16];
            snprintf(label, sizeof label, "%u", level);
            uint32_t cost = tree->cost[node(tree, label)];
            if (height <= 16) assert_true((uint64_t)cost * height == (uint64_t)level * HR_COST_ONE);
            double error = (double)cost - (double)level * HR_COST_ONE / height;
            assert_true(error <= 0.5 && error >= -0.5);
        }
        hr_hierarchy_free(tree);
        hr_text_free(&text);
    }
}

/* ---- Boundaries ---- */

static void test_boundary_at_different_heights(void **state) {
    (void)state;
    hr_hierarchy *tree = tree_of(PLACES);
    uint32_t *magval = NULL;
    const char *const labels[] = {"California", "Kansas", "Midwest"};
    MUST(hr_boundary_nodes(tree, labels, 3, &magval, &err));
    assert_string_equal(LABEL(tree, magval[node(tree, "Wichita")]), "Kansas");
    assert_string_equal(LABEL(tree, magval[node(tree, "Lincoln")]), "Midwest");
    assert_string_equal(LABEL(tree, magval[node(tree, "San Diego")]), "California");
    assert_string_equal(LABEL(tree, magval[node(tree, "Cuba")]), "US"); /* below no boundary node */
    free(magval);
    MUST(hr_boundary_level(tree, 1, &magval, &err)); /* a leaf may be its own boundary */
    assert_string_equal(LABEL(tree, magval[node(tree, "Cuba")]), "Cuba");
    assert_string_equal(LABEL(tree, magval[node(tree, "Lincoln")]), "Nebraska");
    free(magval);
    hr_hierarchy_free(tree);
}

static void test_boundary_refused(void **state) {
    (void)state;
    hr_hierarchy *tree = tree_of(PLACES);
    uint32_t *magval = NULL;
    hr_error err = {0};
    const char *const near_label[] = {"Kansas", "Califronia"};
    assert_int_equal(hr_boundary_nodes(tree, near_label, 2, &magval, &err), HR_EINVAL);
    assert_string_equal(err.message, "boundary: 'Califronia' is not a node of h.csv (did you mean "
                                     "'California'?)");
    const char *const far_label[] = {"Antarctica"};
    assert_int_equal(hr_boundary_nodes(tree, far_label, 1, &magval, &err), HR_EINVAL);
    assert_string_equal(err.message, "boundary: 'Antarctica' is not a node of h.csv; `hedgerow "
                                     "hierarchy show` draws the tree");
    assert_int_equal(hr_boundary_level(tree, 4, &magval, &err), HR_EINVAL);
    assert_string_equal(err.message, "boundary: level 4 is not in h.csv, whose levels are 0 "
                                     "(leaves) to 3 (root)");
    assert_int_equal(hr_boundary_level(tree, UINT64_MAX, &magval, &err), HR_EINVAL);
    hr_hierarchy_free(tree);
}

/* ---- MAM cells: rows with equal tuples of MAGVals, numbered by first row ---- */

static void test_cells(void **state) {
    (void)state;
    hr_table *table =
        table_of("place,age\nWichita,1\nLincoln,\nKansas City,2\nSan Diego,1\nCuba,3\n");
    hr_hierarchy *tree = tree_of(PLACES);
    uint32_t *magval = NULL;
    const char *const labels[] = {"Kansas", "California"};
    MUST(hr_boundary_nodes(tree, labels, 2, &magval, &err));
    hr_quasi quasi[2] = {0};
    hr_missing missing = {(const char *const[]){""}, 1};
    MUST(hr_quasi_bind_tree(&quasi[0], &table->columns[0], tree, magval, &err));
    MUST(hr_quasi_bind_numeric(&quasi[1], &table->columns[1], &missing, true, &err));
    hr_groups cells;
    MUST(hr_cells(quasi, 2, 5, true, &cells, &err));
    const uint32_t expected[] = {0, HR_NONE, 0, 1, 2}; /* Lincoln has no age and is dropped */
    assert_int_equal(cells.count, 3);
    assert_memory_equal(cells.of_row, expected, sizeof expected);
    hr_groups_free(&cells);
    MUST(hr_cells(quasi, 2, 5, false, &cells, &err));
    const uint32_t unbounded[] = {0, HR_NONE, 0, 0, 0};
    assert_int_equal(cells.count, 1);
    assert_memory_equal(cells.of_row, unbounded, sizeof unbounded);
    hr_groups_free(&cells);
    hr_quasi_free(&quasi[0]);
    hr_quasi_free(&quasi[1]);
    hr_hierarchy_free(tree);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_repeated_label),
        cmocka_unit_test(test_leaf_that_is_an_ancestor),
        cmocka_unit_test(test_small_trees),
        cmocka_unit_test(test_flat),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_empty_leaf_repeats),
        cmocka_unit_test(test_no_lines),
        cmocka_unit_test(test_random_trees),
        cmocka_unit_test(test_tall_trees),
        cmocka_unit_test(test_boundary_at_different_heights),
        cmocka_unit_test(test_boundary_refused),
        cmocka_unit_test(test_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
