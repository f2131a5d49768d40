/* test_lattice.c - the lattice search: levels of irregular hierarchies, the order of nodes,
 * lattices of a million nodes checked by samples, the list of alternatives, and failing
 * allocations. */
#include "algorithm/lattice/lattice.h"
#include "run/run.h"
#include "unit.h"

/* ---- levels ---- */

static hr_hierarchy *tree_of(const char *lines) {
    hr_table *table;
    hr_hierarchy *tree;
    hr_read_options options = {.delimiter = ';', .no_header = true};
    MUST(hr_csv_parse(lines, strlen(lines), "tree.csv", &options, &table, &err));
    MUST(hr_hierarchy_build(table, "tree.csv", &tree, &err));
    hr_table_free(table);
    return tree;
}

/* `expected` lists the values of the column's codes at each level: "0: a b|1: X X|2: * *", with the
 * column of the hierarchy file before each level. */
static void expect_levels(const char *lines, const char *csv, const char *boundary, bool keep,
                          const char *expected) {
    hr_hierarchy *tree = tree_of(lines);
    hr_table *table = table_of(csv);
    hr_quasi quasi = {0};
    hr_arena arena = {0};
    hr_levels levels;
    hr_text text = {0};
    uint32_t *magval, rows[16] = {0};
    if (boundary)
        MUST(hr_boundary_nodes(tree, &boundary, 1, &magval, &err));
    else
        MUST(hr_boundary_none(tree, &magval, &err));
    MUST(hr_quasi_bind_tree(&quasi, &table->columns[0], tree, magval, &err));
    for (size_t row = 0; row < table->rows; row++)
        rows[hr_column_code(&table->columns[0], row)]++;
    MUST(hr_levels_make(&quasi, keep, rows, &arena, &levels, &err));
    for (uint32_t l = 0; l < levels.count; l++) {
        hr_text_printf(&text, "%s%u:", l ? "|" : "", levels.file_level[l]);
        for (uint32_t code = 0; code < table->columns[0].dictionary.count; code++) {
            uint32_t value = levels.value_of_code[code];
            for (uint32_t up = 0; up < l; up++)
                value = levels.up[up][value];
            hr_text_printf(&text, " %s", hr_hierarchy_label(tree, levels.node[l][value]));
        }
    }
    assert_string_equal(text.data, expected);
    hr_text_free(&text);
    hr_arena_free(&arena);
    hr_quasi_free(&quasi);
    hr_table_free(table);
    hr_hierarchy_free(tree);
}

static void levels_of_hierarchies(void **state) {
    (void)state;
    const char *plain = "a;X;V;*\nb;X;V;*\nc;Y;V;*\nd;d;d;*\n";
    expect_levels(plain, "q\na\nb\nc\nd\n", NULL, true,
                  "0: a b c d|1: X X Y d|2: V V V d|3: * * * *");
    /* Columns that change no occurring value make no level: d is the same in three columns. */
    expect_levels(plain, "q\nd\n", NULL, true, "0: d|3: *");
    /* Levels are clipped at boundaries, unless boundaries are only counted. */
    expect_levels(plain, "q\na\nb\nc\nd\n", "X", true,
                  "0: a b c d|1: X X Y d|2: X X V d|3: X X * *");
    expect_levels(plain, "q\na\nb\n", "X", true, "0: a b|1: X X");
    expect_levels(plain, "q\na\nb\n", "X", false, "0: a b|1: X X|2: V V|3: * *");
    /* X is in one column of a and two of b. Both move up with a, otherwise level 2 would separate
     * them again. */
    expect_levels("a;X;*;*\nb;X;X;*\nc;Y;Y;*\n", "q\na\nb\nc\n", NULL, true,
                  "0: a b c|1: X X Y|2: * * Y|3: * * *");
    /* A leaf that is also an ancestor. */
    expect_levels("NY;NY;*\nBuffalo;NY;*\n", "q\nNY\nBuffalo\n", NULL, true,
                  "0: NY Buffalo|1: NY NY|2: * *");
}

/* ---- the order of nodes ---- */

static void order_of_nodes(void **state) {
    (void)state;
    uint32_t levels_a[] = {0, 1}, levels_b[] = {1, 0}, file[] = {0, 1};
    uint64_t cost_a[] = {0, 7}, cost_b[] = {0, 7};
    hr_levels both[2] = {{.count = 2, .file_level = file, .cost = cost_a},
                         {.count = 2, .file_level = file, .cost = cost_b}};
    hr_lattice_findings findings = {0};
    hr_space space = {.findings = &findings, .quasi_count = 2, .levels = both, .row_count = 10};
    space.rows.rows = 10;
    const struct {
        hr_tally first, second;
        bool second_wins;
    } cases[] = {
        {{2, 10, 50, 0}, {2, 10, 50, 0}, false}, /* levels: 0,1 before 1,0 */
        {{2, 10, 50, 0}, {2, 10, 50, 1}, true},  /* loss */
        {{2, 10, 50, 0}, {3, 10, 60, 0}, true},  /* AVG before DM */
        {{3, 10, 60, 0}, {2, 10, 50, 0}, false}, /* the same, swapped */
        {{2, 10, 52, 0}, {2, 10, 50, 0}, true},  /* DM before levels */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t levels[2];
        hr_best best;
        MUST(hr_best_init(&space, &best, &err));
        hr_best_offer(&space, &best, levels_a, &cases[i].first, levels);
        hr_lattice_node node = hr_best_offer(&space, &best, levels_b, &cases[i].second, levels);
        assert_int_equal(node.released, 10);
        assert_int_equal(best.at[0] == 1, cases[i].second_wins);
    }
    hr_arena_free(&findings.arena);
}

/* ---- wide lattices ---- */

enum { MOST = 20, ROWS = 300, SAMPLES = 800, K = 4, P = 2, VALUES = 5 };

/* A table whose attributes all have the same hierarchy: level l merges divisor[l] consecutive
 * leaves. */
typedef struct {
    size_t width;
    unsigned leaves, levels, divisor[4];
} shape;

static const shape tall = {10, 27, 4, {1, 3, 9, 27}}, flat = {20, 3, 2, {1, 3}};
static const shape *of;                 /* the current shape */
static unsigned fields[ROWS][MOST + 1]; /* the last one is sensitive */

static unsigned at_level(unsigned leaf, unsigned level) {
    return leaf / of->divisor[level];
}

static bool alike(size_t a, size_t b, const unsigned *level) {
    for (size_t j = 0; j < of->width; j++)
        if (at_level(fields[a][j], level[j]) != at_level(fields[b][j], level[j])) return false;
    return true;
}

/* The definition: every class has K rows and P values, except for classes with at most `limit` rows
 * in total. */
static bool satisfies(const unsigned *level, unsigned limit) {
    unsigned bad = 0;
    for (size_t row = 0; row < ROWS && bad <= limit; row++) {
        unsigned size = 0, values = 0;
        for (size_t other = 0; other < ROWS; other++) {
            if (!alike(row, other, level)) continue;
            size++;
            values |= 1u << fields[other][of->width];
        }
        bad += size < K || __builtin_popcount(values) < P;
    }
    return bad <= limit && bad < ROWS;
}

/* Most rows equal one of a few people in most attributes, so that some satisfying nodes keep
 * several attributes below their tops. */
static void draw_rows(void) {
    hr_random random;
    hr_random_seed(&random, 7, 1);
    for (size_t row = 0; row < ROWS; row++) {
        hr_random person;
        hr_random_seed(&person, 11, below(&random, 12));
        for (size_t j = 0; j < of->width; j++) {
            unsigned own = below(&person, of->leaves);
            fields[row][j] = below(&random, 12) ? own : below(&random, of->leaves);
        }
        fields[row][of->width] = below(&random, VALUES);
    }
}

static hr_table *wide_table(void) {
    char names[MOST + 1][16];
    const char *pointers[MOST + 1];
    hr_table *table;
    for (size_t j = 0; j <= of->width; j++) {
        snprintf(names[j], sizeof names[j], "%zu", j);
        pointers[j] = names[j];
    }
    MUST(hr_table_new(of->width + 1, pointers, &table, &err));
    for (size_t row = 0; row < ROWS; row++) {
        char texts[MOST + 1][16];
        const char *row_texts[MOST + 1];
        for (size_t j = 0; j <= of->width; j++) {
            snprintf(texts[j], sizeof texts[j], "%u", fields[row][j]);
            row_texts[j] = texts[j];
        }
        MUST(hr_table_append(table, row_texts, &err));
    }
    return table;
}

static const char *write_tree(void) {
    static char path[64];
    strcpy(path, "/tmp/hedgerow-lattice-XXXXXX");
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    for (unsigned leaf = 0; leaf < of->leaves; leaf++) {
        fprintf(file, "%u;", leaf);
        for (unsigned level = 1; level + 1 < of->levels; level++)
            fprintf(file, "%u:%u;", level, at_level(leaf, level));
        fprintf(file, "*\n");
    }
    assert_int_equal(fclose(file), 0);
    return path;
}

/* Input and results of a search. */
typedef struct {
    hr_job *job;
    hr_table *table;
    hr_dataset bound;
    hr_groups cells;
    bool out[1];
    hr_incognito_options options;
    hr_findings *findings;
    hr_partition partition;
} wide;

static void bind_wide(wide *w, const shape *wanted) {
    of = wanted;
    const char *path = write_tree();
    char flag[96], quasi[96];
    size_t length = 0;
    draw_rows();
    w->table = wide_table();
    MUST(hr_job_new(&w->job, &err));
    MUST(hr_job_set_input(w->job, w->table, &err));
    snprintf(flag, sizeof flag, "%zu", of->width);
    MUST(hr_job_set(w->job, "sensitive", flag, &err));
    for (size_t j = 0; j < of->width; j++) {
        length += (size_t)snprintf(quasi + length, sizeof quasi - length, "%s%zu", j ? "," : "", j);
        if (j + 1 == of->width) MUST(hr_job_set(w->job, "quasi", quasi, &err));
    }
    for (size_t j = 0; j < of->width; j++) {
        snprintf(flag, sizeof flag, "%zu=%s", j, path);
        MUST(hr_job_set(w->job, "hierarchy", flag, &err));
    }
    MUST(hr_dataset_load(w->job, NULL, &w->bound, &err));
    MUST(hr_cells(w->bound.data.quasi, of->width, ROWS, true, &w->cells, &err));
    assert_int_equal(w->cells.count, 1);
    remove(path);
}

static hr_status search_wide(wide *w, unsigned threads, hr_error *err) {
    hr_search search = {.data = &w->bound.data,
                        .cells = &w->cells,
                        .out = w->out,
                        .asked = {.k = K, .p = P},
                        .algorithm = hr_algorithm_find("incognito"),
                        .options = &w->options,
                        .threads = threads,
                        .findings = &w->findings};
    return hr_search_run(&search, &w->partition, err);
}

static void end_search(wide *w) {
    hr_findings_free(w->findings);
    hr_partition_free(&w->partition);
}

static void free_wide(wide *w) {
    hr_groups_free(&w->cells);
    hr_dataset_free(&w->bound);
    hr_job_free(w->job);
    hr_table_free(w->table);
}

/* Is a minimal node at or below this one? */
static bool rests_on_minimal(const hr_lattice_findings *lattice, const unsigned *level) {
    for (size_t i = 0; i < lattice->node_count; i++) {
        size_t j = 0;
        while (j < of->width && lattice->nodes[i].levels[j] <= level[j])
            j++;
        if (j == of->width && lattice->nodes[i].minimal) return true;
    }
    return false;
}

/* Checks that every listed node satisfies the models, that no node directly below a minimal one
 * does (flat shape: for a sample of nodes), and for random nodes that they satisfy the models if
 * and only if a minimal node is at or below them. */
static void judge_wide(const hr_lattice_findings *lattice, unsigned limit) {
    hr_random random;
    hr_random_seed(&random, 3, limit);
    size_t step = of == &flat ? 1 + lattice->node_count / 200 : 1;
    for (size_t i = 0; i < lattice->node_count; i += step) {
        unsigned level[MOST];
        memcpy(level, lattice->nodes[i].levels, of->width * sizeof *level);
        assert_true(satisfies(level, limit));
        for (size_t j = 0; j < of->width; j++) {
            if (!lattice->nodes[i].minimal || level[j] == 0) continue;
            level[j]--;
            assert_false(satisfies(level, limit));
            level[j]++;
        }
    }
    size_t good = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        unsigned level[MOST], least = below(&random, of->levels), few = 1 + below(&random, 12);
        for (size_t j = 0; j < of->width; j++)
            level[j] =
                of == &flat ? below(&random, few) > 0 : least + below(&random, of->levels - least);
        good += satisfies(level, limit);
        assert_int_equal(satisfies(level, limit), rests_on_minimal(lattice, level));
    }
    assert_true(good > SAMPLES / 20 && good < SAMPLES - SAMPLES / 20);
}

static void search_and_judge(const shape *wanted) {
    wide w = {0};
    bind_wide(&w, wanted);
    for (int way = 0; way < 2; way++) {
        w.options.suppression = way ? 0.05 : 0;
        MUST(search_wide(&w, 2, &err));
        hr_findings *first = w.findings;
        const hr_lattice_counts *counts = &((const hr_lattice_findings *)first)->counts;
        hr_partition partition = w.partition;
        assert_int_equal(counts->lattice_nodes, 1 << 20);
        assert_int_equal(counts->checked + counts->pruned, counts->all_nodes);
        assert_int_equal(hr_findings_value(first, "checked"), counts->checked);
        assert_true(counts->minimal > 20);
        /* At most one scan per subset of attributes; with flat hierarchies most subsets are
         * skipped. */
        assert_true(counts->scans < (wanted == &flat ? 1u << 12 : 1u << wanted->width));
        judge_wide((const hr_lattice_findings *)first, way ? ROWS / 20 : 0);
        MUST(search_wide(&w, 1, &err));
        assert_int_equal(hr_findings_value(w.findings, "checked"), counts->checked);
        assert_int_equal(hr_findings_value(w.findings, "rollups"), counts->rollups);
        assert_memory_equal(w.partition.cluster, partition.cluster,
                            ROWS * sizeof *partition.cluster);
        end_search(&w);
        hr_findings_free(first);
        hr_partition_free(&partition);
    }
    free_wide(&w);
}

static void a_million_nodes(void **state) {
    (void)state;
    search_and_judge(&tall);
}

/* The lattices of all subsets have 3^20 nodes. */
static void twenty_flat_attributes(void **state) {
    (void)state;
    search_and_judge(&flat);
}

/* ---- the list of alternatives ---- */

typedef struct {
    size_t rows, fields, published;
} listed;

static void count_field(const char *text, bool last, void *payload) {
    listed *l = payload;
    l->fields++;
    if (l->fields == 1) l->published += !strcmp(text, "yes");
    if (!last) return;
    assert_int_equal(l->fields, 7 + of->width);
    l->rows++;
    l->fields = 0;
}

/* A header and a row per listed node, one of them published. */
static void list_of_alternatives(void **state) {
    (void)state;
    wide w = {0};
    listed l = {0};
    bind_wide(&w, &tall);
    MUST(search_wide(&w, 1, &err));
    MUST(w.findings->list_alternatives(w.findings, count_field, &l, &err));
    assert_int_equal(l.rows, 1 + ((const hr_lattice_findings *)w.findings)->node_count);
    assert_int_equal(l.published, 1);
    assert_int_equal(hr_findings_value(w.findings, "absent"), 0);
    assert_null(w.findings->warning); /* nothing is suppressed */
    end_search(&w);
    free_wide(&w);
}

/* ---- failing allocations ---- */

static void no_memory(void **state) {
    (void)state;
    wide w = {0};
    hr_memory_fail_at(1);
    void *memory = hr_alloc(1, 1, NULL);
    hr_memory_fail_at(0);
    free(memory);
    if (memory) skip();
    bind_wide(&w, &tall);
    w.bound.data.quasi_count = 3; /* a smaller lattice */
    long nth = 0;
    for (bool over = false; !over;) {
        hr_error err = {0};
        hr_memory_fail_at(++nth);
        hr_status status = search_wide(&w, 1, &err);
        hr_memory_fail_at(0);
        over = status == HR_OK;
        if (!over) assert_int_equal(status, HR_ENOMEM);
        end_search(&w);
    }
    assert_true(nth > 50);
    w.bound.data.quasi_count = of->width;
    free_wide(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_of_hierarchies), cmocka_unit_test(order_of_nodes),
        cmocka_unit_test(a_million_nodes),       cmocka_unit_test(twenty_flat_attributes),
        cmocka_unit_test(list_of_alternatives),  cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
