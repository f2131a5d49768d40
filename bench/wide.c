/* wide.c - tables made in memory, equal on every machine, that are harder to search than a census:
 * twelve quasi-identifiers, numbers without hierarchy, and tables without equal rows. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { QUASI = 12, SENSITIVE = 2, LEVELS = 5, TEXT = 32, NUMBERS = 2, DIGITS = 5 };

/* A kind of table. */
typedef struct {
    const char *name;
    size_t trees, numbers, sensitive;
    bool distinct;   /* no two rows are equal */
    size_t profiles; /* rows vary around this number of profiles; 0: values are independent */
} kind;

static const kind kinds[] = {{"wide", 12, 0, 2, false, 500},   {"independent", 12, 0, 2, false, 0},
                             {"numeric", 4, 2, 1, false, 0},   {"distinct", 8, 0, 2, true, 0},
                             {"levels", 10, 0, 2, false, 500}, {"numbers", 0, 2, 1, false, 0}};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *const bench_wide_names[] = {"wide", "independent", "numeric", "distinct", NULL};

static const uint64_t sensitive_values[SENSITIVE] = {40, 12};
static const uint64_t number_values[NUMBERS] = {100, 5000};

/* 30 to 100 leaves below 3 or 4 levels. */
static uint64_t leaves_of(size_t tree) {
    return 30 + (tree * 37) % 71;
}

static size_t height_of(size_t tree) {
    return 3 + tree % 2;
}

#define MUST(call)                                                                                 \
    do {                                                                                           \
        hr_error err = {0};                                                                        \
        if ((call) != HR_OK) bench_die("%s", err.message);                                         \
    } while (0)

static const kind *kind_of(const char *name) {
    for (size_t i = 0; i < KINDS; i++)
        if (!strcmp(kinds[i].name, name)) return &kinds[i];
    bench_die("there is no table '%s'", name);
}

/* ---- rows ---- */

/* Small ones are more frequent than large ones. */
static uint64_t skewed(hr_random *random, uint64_t bound) {
    double a = hr_random_real(random), b = hr_random_real(random);
    return (uint64_t)(a * a * b * (double)bound);
}

/* Row i as digits, one a tree: no two rows have the same. A prime spreads neighbours. */
static void write_digits(size_t row, uint64_t *values) {
    uint64_t all = 1;
    for (size_t j = 0; j < DIGITS; j++)
        all *= leaves_of(j);
    uint64_t rest = row * UINT64_C(7368787) % all;
    for (size_t j = 0; j < DIGITS; j++) {
        values[j] = rest % leaves_of(j);
        rest /= leaves_of(j);
    }
}

/* Four of five values are the profile's. */
static void follow_profile(const kind *k, hr_random *random, uint64_t *values) {
    hr_random profile;
    hr_random_seed(&profile, 2, skewed(random, k->profiles));
    for (size_t j = 0; j < k->trees; j++) {
        uint64_t value = hr_random_below(&profile, leaves_of(j));
        if (hr_random_below(random, 5)) values[j] = value;
    }
}

static void draw_row(const kind *k, size_t row, hr_random *random, uint64_t *values) {
    size_t at = 0;
    for (size_t j = 0; j < k->trees; j++)
        values[at++] = skewed(random, leaves_of(j));
    if (k->profiles) follow_profile(k, random, values);
    if (k->distinct) write_digits(row, values);
    for (size_t j = 0; j < k->numbers; j++)
        values[at++] = skewed(random, number_values[j]);
    for (size_t l = 0; l < k->sensitive; l++)
        values[at++] = skewed(random, sensitive_values[l]);
}

static hr_table *make_table(const kind *k, size_t rows) {
    char texts[QUASI + SENSITIVE][TEXT];
    const char *cells[QUASI + SENSITIVE];
    uint64_t values[QUASI + SENSITIVE];
    size_t columns = k->trees + k->numbers + k->sensitive;
    hr_random random;
    hr_table *table;
    hr_random_seed(&random, 1, rows);
    for (size_t c = 0; c < columns; c++) {
        snprintf(texts[c], TEXT, "c%zu", c);
        cells[c] = texts[c];
    }
    MUST(hr_table_new(columns, cells, &table, &err));
    for (size_t row = 0; row < rows; row++) {
        draw_row(k, row, &random, values);
        for (size_t c = 0; c < columns; c++)
            snprintf(texts[c], TEXT, "%llu", (unsigned long long)values[c]);
        MUST(hr_table_append(table, cells, &err));
    }
    return table;
}

/* ---- hierarchies ---- */

/* Leaf i at each level: about four children a node, the root at the end. */
static void write_leaf(size_t tree, uint64_t leaf, char texts[LEVELS][TEXT]) {
    size_t height = height_of(tree);
    snprintf(texts[0], TEXT, "%llu", (unsigned long long)leaf);
    for (size_t level = 1; level < height; level++) {
        leaf /= height == 3 ? 5 : 3;
        snprintf(texts[level], TEXT, "%zu:%llu", level, (unsigned long long)leaf);
    }
    snprintf(texts[height], TEXT, "*");
}

static hr_hierarchy *make_tree(size_t tree) {
    char texts[LEVELS][TEXT];
    const char *cells[LEVELS];
    hr_table *file;
    hr_hierarchy *made;
    for (size_t level = 0; level < LEVELS; level++)
        cells[level] = texts[level];
    write_leaf(tree, 0, texts);
    MUST(hr_table_new(height_of(tree) + 1, cells, &file, &err));
    for (uint64_t leaf = 0; leaf < leaves_of(tree); leaf++) {
        write_leaf(tree, leaf, texts);
        MUST(hr_table_append(file, cells, &err));
    }
    MUST(hr_hierarchy_build(file, "tree", &made, &err));
    hr_table_free(file);
    return made;
}

/* ---- the whole ---- */

static void bind_quasi(bench_wide *wide, const kind *k, size_t j) {
    const hr_column *column = &wide->table->columns[j];
    const hr_missing missing = {0};
    uint32_t *magval;
    if (j >= k->trees) {
        MUST(hr_quasi_bind_numeric(&wide->data.quasi[j], column, &missing, false, &err));
        return;
    }
    wide->trees[j] = make_tree(j);
    MUST(hr_boundary_none(wide->trees[j], &magval, &err));
    MUST(hr_quasi_bind_tree(&wide->data.quasi[j], column, wide->trees[j], magval, &err));
}

void bench_wide_make(const char *name, size_t rows, bench_wide *out) {
    const kind *k = kind_of(name);
    const hr_missing missing = {0};
    size_t t = k->trees + k->numbers;
    *out = (bench_wide){.table = make_table(k, rows),
                        .trees = calloc(t, sizeof *out->trees),
                        .data = {.rows = rows,
                                 .quasi = calloc(t, sizeof *out->data.quasi),
                                 .quasi_count = t,
                                 .sensitive = calloc(k->sensitive, sizeof *out->data.sensitive),
                                 .sensitive_count = k->sensitive}};
    if (!out->trees || !out->data.quasi || !out->data.sensitive) bench_die("out of memory");
    for (size_t j = 0; j < t; j++)
        bind_quasi(out, k, j);
    for (size_t l = 0; l < k->sensitive; l++)
        MUST(hr_sensitive_bind(&out->data.sensitive[l], &out->table->columns[t + l], &missing, 0,
                               NULL, &err));
    hr_sensitive_weigh(out->data.sensitive, k->sensitive);
}

void bench_wide_free(bench_wide *wide) {
    size_t t = wide->data.quasi_count;
    hr_microdata_free(&wide->data);
    for (size_t j = 0; j < t; j++)
        hr_hierarchy_free(wide->trees[j]);
    free(wide->trees);
    hr_table_free(wide->table);
}
