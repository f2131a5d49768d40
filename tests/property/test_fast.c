/* test_fast.c - the fast forms of the greedy algorithms return the same partition as the plain
 * forms, row for row and for any number of threads, on random tables of all kinds. Each partition
 * is also checked by itself: k, p, cells, published values, and the number of clusters of
 * enhanced-pk. Calls the library in memory; the code that draws tables and checks partitions does
 * not use the library. */
#include "algorithm/greedy/greedy.h"
#include "plain.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 5000,
    QUASI = 40,
    SENSITIVE = 18,
    NODES = 9000,
    HEIGHT = 20,
    LABEL = 16,
    NUMBER = 32,
    VALUES = 60,
    ALGORITHMS = 3
};

/* ---- attributes ---- */

/* A value tree: node 0 is the root, parents before children. */
typedef struct {
    int count, height;
    int parent[NODES], depth[NODES];
    bool leaf[NODES];
    int leaf_count, leaves[NODES]; /* in the order of the file */
    bool bound[NODES];
    int level; /* the level of the boundary; -1: not given as a level */
} grove;

typedef enum { TREE, FLAT, NUMERIC } quasi_kind;

typedef struct {
    quasi_kind kind;
    grove tree;
    int number_count;
    char number[ROWS][NUMBER];
    int cell[ROWS]; /* node, or index of the number; -1: missing */
} attribute;

/* ---- the table and the settings ---- */

static struct {
    int rows, quasi_count, sensitive_count;
    attribute quasi[QUASI];
    int value[SENSITIVE][ROWS]; /* -1: missing */
    double weight[SENSITIVE];
    int k, p;
    bool counted;   /* boundaries are counted, not enforced */
    int cell[ROWS]; /* MAM cell; -1: dropped */
    int cell_count;
    const char *kind;
} w;

static char labels[NODES][LABEL];

static void name_labels(void) {
    strcpy(labels[0], "*");
    for (int node = 1; node < NODES; node++)
        snprintf(labels[node], sizeof labels[node], "n%d", node);
}

/* ---- drawing a tree ---- */

static int add_node(grove *g, int parent) {
    int node = g->count++;
    g->parent[node] = parent;
    g->depth[node] = parent < 0 ? 0 : g->depth[parent] + 1;
    g->leaf[node] = false;
    return node;
}

typedef struct {
    dice *d;
    int width, room; /* most children of a node; most nodes */
    int early, odd,
        lone; /* percent: leaves near the root, leaves with values below, only children */
} growing;

static void grow(grove *g, int node, const growing *how) {
    int children = chance(how->d, how->lone) ? 1 : roll(how->d, 1, how->width);
    bool last = g->depth[node] == g->height || g->count + children > how->room ||
                (node > 0 && chance(how->d, how->early));
    g->leaf[node] = last || chance(how->d, how->odd);
    if (last) return;
    int first = g->count;
    for (int i = 0; i < children; i++)
        add_node(g, node);
    for (int i = 0; i < children; i++)
        grow(g, first + i, how);
}

static void list_leaves(grove *g, dice *d) {
    g->leaf_count = 0;
    for (int node = 0; node < g->count; node++)
        if (g->leaf[node]) g->leaves[g->leaf_count++] = node;
    bool mixed = chance(d, 50);
    for (int i = g->leaf_count - 1; mixed && i > 0; i--) {
        int j = roll(d, 0, i), swap = g->leaves[i];
        g->leaves[i] = g->leaves[j];
        g->leaves[j] = swap;
    }
}

static void draw_tree(grove *g, dice *d) {
    growing how = {d, roll(d, 1, 5), roll(d, 1, 60), 0, 0, 0};
    g->count = 0;
    g->height = chance(d, 5) ? roll(d, 6, HEIGHT) : roll(d, 0, 5);
    if (chance(d, 40)) how.early = roll(d, 5, 40);
    if (chance(d, 25)) how.odd = roll(d, 5, 60);
    if (g->height > 5 || chance(d, 20)) how.lone = roll(d, 20, 90);
    grow(g, add_node(g, -1), &how);
    list_leaves(g, d);
}

/* A tree of one or two levels with more nodes than HR_LAYOUT_MATRIX, or even HR_LAYOUT_ROW. */
static void draw_large_tree(grove *g, dice *d) {
    int groups = chance(d, 50) ? 0 : roll(d, 2, 40);
    int leaves = chance(d, 10) ? roll(d, 8180, NODES - groups - 2) : roll(d, 1020, 1600);
    g->count = 0;
    g->height = groups ? 2 : 1;
    add_node(g, -1);
    for (int i = 0; i < groups; i++)
        add_node(g, 0);
    for (int i = 0; i < leaves; i++)
        g->leaf[add_node(g, groups ? 1 + i % groups : 0)] = true;
    list_leaves(g, d);
}

static void draw_flat(grove *g, dice *d) {
    int leaves = roll(d, 1, 30);
    g->count = 0;
    g->height = 1;
    add_node(g, -1);
    for (int i = 0; i < leaves; i++)
        g->leaf[add_node(g, 0)] = true;
    list_leaves(g, d);
}

static void draw_boundary(grove *g, dice *d) {
    memset(g->bound, 0, sizeof g->bound);
    g->level = -1;
    if (chance(d, 60)) return;
    if (chance(d, 40)) {
        g->level = roll(d, 0, g->height);
        return;
    }
    int percent = roll(d, 3, 60);
    for (int node = 0; node < g->count; node++)
        g->bound[node] = chance(d, percent);
}

static int ancestor_at(const grove *g, int node, int depth) {
    while (g->depth[node] > depth)
        node = g->parent[node];
    return node;
}

static int magval(const grove *g, int node) {
    if (g->level >= 0) return ancestor_at(g, node, g->height - g->level);
    while (node > 0 && !g->bound[node])
        node = g->parent[node];
    return node;
}

static int common(const grove *g, int a, int b) {
    for (; a >= 0; a = g->parent[a])
        for (int up = b; up >= 0; up = g->parent[up])
            if (up == a) return a;
    return -1;
}

/* ---- drawing numbers ---- */

static void draw_numbers(attribute *q, dice *d) {
    int kind = roll(d, 0, 7);
    q->number_count = kind == 0 ? 1 : roll(d, 1, chance(d, 20) ? ROWS : 20);
    if (kind == 6) q->number_count = 18;
    for (int i = 0; i < q->number_count; i++) {
        char *text = q->number[i];
        switch (kind) {
        case 1: snprintf(text, NUMBER, "%d", roll(d, 0, 5)); break;
        case 2: snprintf(text, NUMBER, "%d.%d", roll(d, -50, 50), roll(d, 0, 1) * 5); break;
        case 3: snprintf(text, NUMBER, "%d%012d", roll(d, -999, 999), roll(d, 0, 999999)); break;
        case 4: snprintf(text, NUMBER, "%d.%de%d", roll(d, -8, 8), i, roll(d, -300, 307)); break;
        case 5: snprintf(text, NUMBER, "%d%s", roll(d, 0, 30), i % 7 ? "" : "e5"); break;
        case 6: snprintf(text, NUMBER, "%d", i == 0 ? 0 : 1 << (i - 1)); break;
        default: snprintf(text, NUMBER, "%d", roll(d, -1000, 1000)); break;
        }
    }
}

static double number_of(const attribute *q, int i) {
    return strtod(q->number[i], NULL);
}

/* ---- drawing a table ---- */

static void draw_attribute(attribute *q, dice *d, bool large) {
    q->kind = large ? TREE : chance(d, 62) ? TREE : chance(d, 40) ? FLAT : NUMERIC;
    if (large)
        draw_large_tree(&q->tree, d);
    else if (q->kind == TREE)
        draw_tree(&q->tree, d);
    else if (q->kind == FLAT)
        draw_flat(&q->tree, d);
    if (q->kind == NUMERIC)
        draw_numbers(q, d);
    else
        draw_boundary(&q->tree, d);
}

/* One of the first `width` values: a small width gives many equal rows. */
static int draw_cell(const attribute *q, dice *d, int width, int missing) {
    int count = q->kind == NUMERIC ? q->number_count : q->tree.leaf_count;
    if (q->kind == NUMERIC && chance(d, missing)) return -1;
    int i = roll(d, 0, (count < width ? count : width) - 1);
    return q->kind == NUMERIC ? i : q->tree.leaves[i];
}

/* New rows, copies of earlier rows, or earlier rows changed in one attribute. */
static void draw_quasi_cells(dice *d) {
    int repeating = roll(d, 0, 2) * roll(d, 0, 49), near = roll(d, 0, 1) * roll(d, 0, 99);
    int width[QUASI], missing = chance(d, 15) ? roll(d, 1, 100) : 0;
    for (int j = 0; j < w.quasi_count; j++)
        width[j] = chance(d, 50) ? ROWS : roll(d, 1, 4);
    for (int row = 0; row < w.rows; row++) {
        int like = row > 0 ? roll(d, 0, row - 1) : 0;
        bool repeats = row > 0 && chance(d, repeating), nearly = row > 0 && chance(d, near);
        int differs = roll(d, 0, w.quasi_count - 1);
        for (int j = 0; j < w.quasi_count; j++) {
            attribute *q = &w.quasi[j];
            bool copy = repeats || (nearly && j != differs);
            q->cell[row] = copy ? q->cell[like] : draw_cell(q, d, width[j], missing);
        }
    }
}

static void draw_sensitive_cells(dice *d, int most_values) {
    for (int l = 0; l < w.sensitive_count; l++) {
        int values = roll(d, 1, most_values), skew = chance(d, 50) ? roll(d, 0, 95) : 0;
        int missing = chance(d, 25) ? roll(d, 1, 40) : 0;
        bool follows = chance(d, 15); /* the value depends on the first quasi-identifier */
        for (int row = 0; row < w.rows; row++) {
            int value = roll(d, 0, values - 1);
            while (value > 0 && chance(d, skew))
                value = roll(d, 0, value - 1);
            if (follows && w.quasi[0].cell[row] >= 0) value = w.quasi[0].cell[row] % values;
            w.value[l][row] = chance(d, missing) ? -1 : value;
        }
    }
}

static void draw_weights(dice *d) {
    static const double unequal[] = {1e-15, 1e-6, 1, 1000, 1e9};
    int kind = roll(d, 0, 3);
    for (int l = 0; l < w.sensitive_count; l++)
        w.weight[l] = kind == 0   ? 0
                      : kind == 1 ? 1
                      : kind == 2 ? roll(d, 1, 3)
                                  : unequal[roll(d, 0, 4)];
}

/* Numbers of which each distinction of each attribute separates one row: the deepest index. */
static void draw_deep(dice *d) {
    int row = 0;
    w.kind = "deep";
    w.quasi_count = chance(d, 50) ? roll(d, 12, 20) : QUASI;
    for (int j = 0; j < w.quasi_count; j++) {
        attribute *q = &w.quasi[j];
        q->kind = NUMERIC;
        q->number_count = 18;
        for (int i = 0; i < 18; i++)
            snprintf(q->number[i], NUMBER, "%d", i == 0 ? 0 : 1 << (i - 1));
    }
    w.rows = 1 + w.quasi_count * 17;
    for (int j = 0; j < w.quasi_count; j++)
        for (int other = 0; other < w.rows; other++)
            w.quasi[j].cell[other] = 0;
    for (int j = 0; j < w.quasi_count; j++)
        for (int i = 1; i < 18; i++)
            w.quasi[j].cell[row++] = i;
}

static void find_cells(void) {
    w.cell_count = 0;
    for (int row = 0; row < w.rows; row++) {
        bool dropped = false;
        for (int j = 0; j < w.quasi_count; j++)
            if (w.quasi[j].cell[row] < 0) dropped = true;
        w.cell[row] = -1;
        for (int other = 0; other < row && !dropped && w.cell[row] < 0; other++) {
            bool same = w.cell[other] >= 0;
            for (int j = 0; j < w.quasi_count && same && !w.counted; j++) {
                const attribute *q = &w.quasi[j];
                if (q->kind == NUMERIC || q->cell[row] == q->cell[other]) continue;
                same = magval(&q->tree, q->cell[row]) == magval(&q->tree, q->cell[other]);
            }
            if (same) w.cell[row] = w.cell[other];
        }
        if (w.cell[row] < 0 && !dropped) w.cell[row] = w.cell_count++;
    }
}

static void draw_sizes(dice *d, bool many_types) {
    int size = roll(d, 0, 999);
    w.rows = size < 600 ? roll(d, 1, 60) : size < 960 ? roll(d, 61, 250) : roll(d, 251, 400);
    if (size >= 993) w.rows = roll(d, 1000, 3000);
    if (many_types) w.rows = roll(d, 600, 1000);
    w.quasi_count = chance(d, 3) ? 12 : roll(d, 1, 8);
    w.sensitive_count = chance(d, 40) ? 1 : roll(d, 0, 4);
    if (many_types) w.sensitive_count = chance(d, 60) ? roll(d, 2, 4) : roll(d, 7, 9);
    if (size < 3) w.sensitive_count = SENSITIVE;
}

static void draw_world(dice *d) {
    bool many_types = chance(d, 1), large = chance(d, 3), deep = roll(d, 0, 399) == 0;
    w.kind = many_types ? "many types" : large ? "large tree" : "usual";
    draw_sizes(d, many_types);
    w.counted = chance(d, 30);
    if (deep) {
        draw_deep(d);
    } else {
        for (int j = 0; j < w.quasi_count; j++)
            draw_attribute(&w.quasi[j], d, large && j == 0);
        draw_quasi_cells(d);
    }
    draw_sensitive_cells(d, many_types ? VALUES : chance(d, 10) ? w.rows : 8);
    draw_weights(d);
    w.p = chance(d, 25) ? 1 : roll(d, 1, 8);
    w.k = chance(d, 70) ? roll(d, 1, 8) : roll(d, 1, 30);
    if (w.k < w.p) w.k = w.p;
    find_cells();
}

/* ---- the table as microdata of the library ---- */

static struct {
    hr_table *table;
    hr_hierarchy *trees[QUASI];
    hr_microdata data;
    hr_groups cells;
    hr_facts facts;
    bool *out;
} b;

#define MUST(call)                                                                                 \
    do {                                                                                           \
        hr_error err = {0};                                                                        \
        hr_status must_status = (call);                                                            \
        CHECK(must_status == HR_OK, "%s: %d, %s", #call, (int)must_status, err.message);           \
    } while (0)

static void make_table(void) {
    static char values[SENSITIVE][LABEL];
    const char *row_texts[QUASI + SENSITIVE];
    int columns = w.quasi_count + w.sensitive_count;
    for (int c = 0; c < columns; c++)
        row_texts[c] = labels[1 + c];
    MUST(hr_table_new((size_t)columns, row_texts, &b.table, &err));
    for (int row = 0; row < w.rows; row++) {
        for (int j = 0; j < w.quasi_count; j++) {
            const attribute *q = &w.quasi[j];
            row_texts[j] = q->cell[row] < 0     ? ""
                           : q->kind == NUMERIC ? q->number[q->cell[row]]
                                                : labels[q->cell[row]];
        }
        for (int l = 0; l < w.sensitive_count; l++) {
            snprintf(values[l], LABEL, "s%d", w.value[l][row]);
            row_texts[w.quasi_count + l] = w.value[l][row] < 0 ? "" : values[l];
        }
        MUST(hr_table_append(b.table, row_texts, &err));
    }
}

static void make_tree(const grove *g, hr_hierarchy **out) {
    hr_table *file;
    const char *line[HEIGHT + 1];
    for (int c = 0; c <= g->height; c++)
        line[c] = labels[1 + c];
    MUST(hr_table_new((size_t)g->height + 1, line, &file, &err));
    for (int i = 0; i < g->leaf_count; i++) {
        for (int c = 0; c <= g->height; c++)
            line[c] = labels[ancestor_at(g, g->leaves[i], g->height - c)];
        MUST(hr_table_append(file, line, &err));
    }
    MUST(hr_hierarchy_build(file, "tree", out, &err));
    hr_table_free(file);
}

static void make_magval(const grove *g, const hr_hierarchy *made, uint32_t **out) {
    const char *nodes[NODES];
    size_t count = 0;
    for (int node = 0; node < g->count; node++)
        if (g->bound[node] && hr_hierarchy_find(made, labels[node]) != HR_NONE)
            nodes[count++] = labels[node];
    if (g->level >= 0)
        MUST(hr_boundary_level(made, (uint64_t)g->level, out, &err));
    else if (count)
        MUST(hr_boundary_nodes(made, nodes, count, out, &err));
    else
        MUST(hr_boundary_none(made, out, &err));
}

static void bind_quasi(int j, hr_quasi *quasi) {
    const hr_missing missing = {(const char *const[]){""}, 1};
    const hr_column *column = &b.table->columns[j];
    const attribute *q = &w.quasi[j];
    uint32_t *bounds;
    if (q->kind == NUMERIC) {
        MUST(hr_quasi_bind_numeric(quasi, column, &missing, true, &err));
        return;
    }
    if (q->kind == FLAT)
        MUST(hr_hierarchy_flat(column, &b.trees[j], &err));
    else
        make_tree(&q->tree, &b.trees[j]);
    make_magval(&q->tree, b.trees[j], &bounds);
    MUST(hr_quasi_bind_tree(quasi, column, b.trees[j], bounds, &err));
}

static void bind_world(void) {
    const hr_missing missing = {(const char *const[]){""}, 1};
    size_t t = (size_t)w.quasi_count, r = (size_t)w.sensitive_count;
    make_table();
    b.data = (hr_microdata){.rows = (size_t)w.rows,
                            .quasi = calloc(t, sizeof *b.data.quasi),
                            .quasi_count = t,
                            .sensitive = calloc(r + 1, sizeof *b.data.sensitive),
                            .sensitive_count = r};
    for (int j = 0; j < w.quasi_count; j++)
        bind_quasi(j, &b.data.quasi[j]);
    for (size_t l = 0; l < r; l++) {
        MUST(hr_sensitive_bind(&b.data.sensitive[l], &b.table->columns[t + l], &missing, 0, NULL,
                               &err));
        b.data.sensitive[l].weight = w.weight[l];
    }
    hr_sensitive_weigh(b.data.sensitive, r);
    MUST(hr_cells(b.data.quasi, t, b.data.rows, !w.counted, &b.cells, &err));
    MUST(hr_facts_of(&b.cells, b.data.sensitive, r, &b.facts, &err));
    b.out = calloc((size_t)b.cells.count + 1, sizeof *b.out);
}

static void release_world(void) {
    free(b.out);
    hr_facts_free(&b.facts);
    hr_groups_free(&b.cells);
    hr_microdata_free(&b.data);
    for (int j = 0; j < w.quasi_count; j++) {
        hr_hierarchy_free(b.trees[j]);
        b.trees[j] = NULL;
    }
    hr_table_free(b.table);
}

/* ---- running ---- */

typedef struct {
    const hr_algorithm *algorithm;
    hr_greedy_options options;
    hr_requirements asked;
    uint64_t seed;
    char text[512];
} trial;

static void describe(trial *t) {
    snprintf(t->text, sizeof t->text,
             "%s, ties=%s dispersal=%s seed %llu, k %d p %d, %d rows (%s), %d quasi, %d "
             "sensitive, %d cells, boundaries %s",
             t->algorithm->name, t->options.ties == HR_TIES_ROW ? "row" : "rank",
             t->options.dispersal == HR_DISPERSAL_ABSOLUTE ? "absolute" : "growth",
             (unsigned long long)t->seed, (int)t->asked.k, (int)t->asked.p, w.rows, w.kind,
             w.quasi_count, w.sensitive_count, w.cell_count, w.counted ? "counted" : "enforced");
}

static void search(const trial *t, bool reference, unsigned threads, hr_partition *out) {
    hr_search s = {.data = &b.data,
                   .cells = &b.cells,
                   .out = b.out,
                   .asked = t->asked,
                   .algorithm = t->algorithm,
                   .options = &t->options,
                   .reference = reference,
                   .seed = t->seed,
                   .threads = threads};
    hr_error err = {0};
    hr_status status = hr_search_run(&s, out, &err);
    CHECK(status == HR_OK, "%s: %s form, %u threads: status %d, %s", t->text,
          reference ? "plain" : "fast", threads, (int)status, err.message);
}

static void check_same(const trial *t, const hr_partition *plain, const hr_partition *fast,
                       unsigned threads) {
    for (int row = 0; row < w.rows; row++)
        CHECK(plain->cluster[row] == fast->cluster[row],
              "%s: %u threads: row %d is in cluster %d, by the plain form in %d", t->text, threads,
              row, (int)fast->cluster[row], (int)plain->cluster[row]);
    CHECK(plain->cluster_count == fast->cluster_count, "%s: %u threads: %u clusters, plain %u",
          t->text, threads, fast->cluster_count, plain->cluster_count);
    CHECK(!memcmp(plain->values, fast->values,
                  plain->cluster_count * plain->quasi_count * sizeof *plain->values),
          "%s: %u threads: other published values", t->text, threads);
}

/* ---- judging a partition ---- */

/* Size and sensitive values of a group: the rows with of[row] == number. */
static int count_rows(const int *of, int number) {
    int rows = 0;
    for (int row = 0; row < w.rows; row++)
        rows += of[row] == number;
    return rows;
}

static int count_values(const int *of, int number, int l) {
    static int seen[ROWS], stamp;
    int values = 0;
    stamp++;
    for (int row = 0; row < w.rows; row++) {
        int value = w.value[l][row];
        if (of[row] != number || value < 0 || seen[value] == stamp) continue;
        seen[value] = stamp;
        values++;
    }
    return values;
}

static bool satisfies(const trial *t, const int *of, int number) {
    if (count_rows(of, number) < t->asked.k) return false;
    for (int l = 0; l < w.sensitive_count && t->asked.p > 1; l++)
        if (count_values(of, number, l) < t->asked.p) return false;
    return true;
}

/* The published values of cluster c must be the smallest that cover its rows. */
static void check_value(const trial *t, const int *cluster, int c, int j, hr_span value) {
    const attribute *q = &w.quasi[j];
    const hr_quasi *quasi = &b.data.quasi[j];
    int node = -1;
    double lo = 0, hi = 0;
    for (int row = 0; row < w.rows; row++) {
        if (cluster[row] != c) continue;
        int own = q->cell[row];
        double number = q->kind == NUMERIC ? number_of(q, own) : 0;
        lo = node < 0 || number < lo ? number : lo;
        hi = node < 0 || number > hi ? number : hi;
        node = node < 0 ? own : q->kind == NUMERIC ? 0 : common(&q->tree, node, own);
    }
    if (q->kind == NUMERIC)
        CHECK(quasi->number[value.lo] == lo && quasi->number[value.hi] == hi,
              "%s: cluster %d, attribute %d: not the interval %g..%g", t->text, c, j, lo, hi);
    else
        CHECK(!strcmp(hr_hierarchy_label(quasi->tree, value.lo), labels[node]) &&
                  value.lo == value.hi,
              "%s: cluster %d, attribute %d: published as %s, not %s", t->text, c, j,
              hr_hierarchy_label(quasi->tree, value.lo), labels[node]);
}

static void check_clusters(const trial *t, const hr_partition *p, const int *cluster) {
    static int cell_of[ROWS];
    int next = 0;
    for (int row = 0; row < w.rows; row++) {
        int c = cluster[row];
        if (c < 0) continue;
        CHECK(c <= next, "%s: clusters are not numbered by their first row", t->text);
        if (c == next) cell_of[next++] = w.cell[row];
        CHECK(cell_of[c] == w.cell[row], "%s: cluster %d crosses cells", t->text, c);
    }
    CHECK(next == (int)p->cluster_count, "%s: %d clusters, told %u", t->text, next,
          p->cluster_count);
    for (int c = 0; c < next; c++) {
        CHECK(satisfies(t, cluster, c), "%s: cluster %d does not satisfy k and p", t->text, c);
        for (int j = 0; j < w.quasi_count; j++)
            check_value(t, cluster, c, j, p->values[c * w.quasi_count + j]);
    }
}

static int descending(const void *x, const void *y) {
    uint32_t a = *(const uint32_t *)x, c = *(const uint32_t *)y;
    return a < c ? 1 : a > c ? -1 : 0;
}

/* The smallest limit on the number of clusters over the sensitive attributes; rows / k if none
 * matters. */
static int bound_of(const trial *t, int cell) {
    static uint32_t counts[ROWS];
    int rows = count_rows(w.cell, cell);
    int least = rows / (int)t->asked.k;
    size_t most = (size_t)(w.rows > VALUES ? w.rows : VALUES); /* see draw_sensitive_cells */
    for (int l = 0; l < w.sensitive_count && t->asked.p > 1; l++) {
        memset(counts, 0, most * sizeof *counts);
        for (int row = 0; row < w.rows; row++)
            if (w.cell[row] == cell && w.value[l][row] >= 0) counts[w.value[l][row]]++;
        qsort(counts, most, sizeof *counts, descending);
        size_t values = 0;
        while (values < most && counts[values] > 0)
            values++;
        int bound = (int)hr_most_classes((uint64_t)rows, counts, values, (uint64_t)t->asked.k,
                                         (uint64_t)t->asked.p);
        if (bound < least) least = bound;
    }
    return least;
}

static void check_cells(const trial *t, const int *cluster) {
    for (int cell = 0; cell < w.cell_count; cell++) {
        bool out = !satisfies(t, w.cell, cell);
        int clusters = 0, newest = -1;
        for (int row = 0; row < w.rows; row++) {
            if (w.cell[row] != cell) continue;
            CHECK(out == (cluster[row] < 0), "%s: row %d is %ssuppressed", t->text, row,
                  out ? "not " : "");
            if (cluster[row] > newest)
                newest = cluster[row], clusters++; /* numbered by first row */
        }
        if (out || strcmp(t->algorithm->name, "enhanced-pk")) continue;
        int bound = bound_of(t, cell);
        bool exact = t->asked.p == 1 || w.sensitive_count <= 1;
        CHECK(clusters <= bound && (!exact || clusters == bound),
              "%s: cell %d has %d clusters, the bound is %d", t->text, cell, clusters, bound);
    }
}

static void judge(const trial *t, const hr_partition *p) {
    static int cluster[ROWS];
    for (int row = 0; row < w.rows; row++) {
        cluster[row] = p->cluster[row] == HR_NONE ? -1 : (int)p->cluster[row];
        CHECK(w.cell[row] >= 0 || cluster[row] < 0, "%s: dropped row %d has a cluster", t->text,
              row);
    }
    check_clusters(t, p, cluster);
    check_cells(t, cluster);
}

/* ---- one case ---- */

static void run_trial(trial *t, dice *d) {
    static const unsigned counts[] = {1, 2, 3, 8};
    bool all_counts = chance(d, 5);
    int one = chance(d, 60) ? 0 : roll(d, 1, 3);
    hr_partition plain, fast;
    describe(t);
    memset(b.out, 0, b.cells.count * sizeof *b.out);
    hr_models_out(&b.facts, &t->asked, b.out);
    search(t, true, 1, &plain);
    judge(t, &plain);
    for (int i = 0; i < 4; i++) {
        if (!all_counts && i != one) continue;
        search(t, false, counts[i], &fast);
        check_same(t, &plain, &fast, counts[i]);
        hr_partition_free(&fast);
    }
    hr_partition_free(&plain);
}

/* With HR_CASE: writes the table and the hierarchy files, for debugging. */
static void write_world(const char *folder) {
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/world", folder);
    FILE *file = fopen(path, "w");
    if (!file) return;
    for (int row = -1; row < w.rows; row++) {
        for (int j = 0; j < w.quasi_count; j++) {
            const attribute *q = &w.quasi[j];
            const char *text = row < 0 || q->cell[row] < 0 ? ""
                               : q->kind == NUMERIC        ? q->number[q->cell[row]]
                                                           : labels[q->cell[row]];
            if (row < 0)
                fprintf(file, "q%d,", j);
            else
                fprintf(file, "%s,", text);
        }
        for (int l = 0; l < w.sensitive_count; l++)
            if (row < 0)
                fprintf(file, "s%d (%g),", l, w.weight[l]);
            else
                fprintf(file, w.value[l][row] < 0 ? "," : "s%d,", w.value[l][row]);
        fputc('\n', file);
    }
    for (int j = 0; j < w.quasi_count; j++) {
        const grove *g = &w.quasi[j].tree;
        fprintf(file, "q%d: %s\n", j, w.quasi[j].kind == NUMERIC ? "numeric" : "tree");
        if (w.quasi[j].kind == NUMERIC) continue;
        for (int i = 0; i < g->leaf_count; i++) {
            for (int c = 0; c <= g->height; c++)
                fprintf(file, "%s;", labels[ancestor_at(g, g->leaves[i], g->height - c)]);
            fprintf(file, " bounded by %s\n", labels[magval(g, g->leaves[i])]);
        }
    }
    fclose(file);
}

static void run(dice *d, const char *folder) {
    static const char *const names[ALGORITHMS] = {"greedy-pk", "k-member", "enhanced-pk"};
    draw_world(d);
    if (getenv("HR_CASE")) write_world(folder);
    bind_world();
    for (int a = 0; a < ALGORITHMS; a++) {
        trial t = {.algorithm = hr_algorithm_find(names[a])};
        hr_options_init(t.algorithm->options, &t.options);
        bool enforces_p = t.algorithm->enforces_p;
        int rules = w.rows <= 60 ? 4 : 1, first = roll(d, 0, 3);
        for (int i = 0; i < rules; i++) {
            t.options.ties = (first + i) & 1 ? HR_TIES_ROW : HR_TIES_RANK;
            t.options.dispersal = (first + i) & 2 ? HR_DISPERSAL_ABSOLUTE : HR_DISPERSAL_GROWTH;

            t.seed = (uint64_t)roll(d, 0, 1000);
            t.asked = (hr_requirements){.k = w.k, .p = enforces_p ? w.p : 1};
            run_trial(&t, d);
        }
    }
    release_world();
}

int main(void) {
    name_labels();
    return run_cases("test_fast", 14000, run);
}
