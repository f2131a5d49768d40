/* test_diversity.c - l-diversity, entropy and recursive diversity and t-closeness against their
 * definitions: classes of random tables, t by a solver of the transport problem, closure under
 * union and superset with counterexamples where a model is not closed, and the largest part of a
 * cell that can be released against all parts. */
#include "model/model.h"

#include "unit.h"

#include <math.h>
#include <string.h>

enum { ROWS = 40, VALUES = 7, MISSING = 99 };

/* One sensitive attribute with up to VALUES values that are leaves of a tree and numbers. */
typedef struct {
    uint32_t rows;
    unsigned value[ROWS]; /* below VALUES, or MISSING */
    hr_table *table;
    hr_hierarchy *tree;
    hr_sensitive sensitive;
    hr_requirements asked;
    hr_groups all;
    hr_facts facts;
    hr_judge judge;
} sample;

/* The groups that a value is in, from the leaf to the root: an uneven tree of height 3. */
static const char *const levels[VALUES][3] = {
    {"low", "small", "*"}, {"low", "small", "*"}, {"mid", "small", "*"}, {"mid", "small", "*"},
    {"big", "big", "*"},   {"big", "big", "*"},   {"top", "top", "*"}};

static hr_hierarchy *make_tree(void) {
    static const char *const names[] = {"0", "1", "2", "3"};
    hr_table *file = NULL;
    hr_hierarchy *tree = NULL;
    MUST(hr_table_new(4, names, &file, &err));
    for (unsigned v = 0; v < VALUES; v++) {
        char text[16];
        snprintf(text, sizeof text, "%u", v * v);
        const char *line[] = {text, levels[v][0], levels[v][1], levels[v][2]};
        MUST(hr_table_append(file, line, &err));
    }
    MUST(hr_hierarchy_build(file, "tree", &tree, &err));
    hr_table_free(file);
    return tree;
}

static void draw_asked(hr_random *random, hr_requirements *asked) {
    static const double ts[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.7};
    static const double entropies[] = {1.5, 2, 2.5, 3, 4};
    static const double cs[] = {0.5, 1, 2, 3};
    *asked = (hr_requirements){.k = 1, .p = 1, .distance = (int)below(random, 3)};
    asked->l = 2 + below(random, 3);
    asked->entropy_l = entropies[below(random, 5)];
    asked->recursive_c = cs[below(random, 4)];
    asked->recursive_l = 1 + below(random, 4);
    asked->t = ts[below(random, 6)];
}

static void draw(sample *s, hr_random *random, uint32_t rows) {
    static const char *const names[] = {"s"};
    const hr_missing missing = {(const char *const[]){""}, 1};
    unsigned values = 1 + below(random, VALUES);
    *s = (sample){.rows = rows, .tree = make_tree()};
    MUST(hr_table_new(1, names, &s->table, &err));
    for (uint32_t row = 0; row < rows; row++) {
        unsigned a = below(random, values), b = below(random, values);
        char text[16] = "";
        s->value[row] = below(random, 10) == 0 ? MISSING : a < b ? b : a;
        if (s->value[row] != MISSING)
            snprintf(text, sizeof text, "%u", s->value[row] * s->value[row]);
        MUST(hr_table_append(s->table, (const char *[]){text}, &err));
    }
    draw_asked(random, &s->asked);
    MUST(hr_sensitive_bind(&s->sensitive, &s->table->columns[0], &missing, 0, NULL, &err));
    bool tree = s->asked.distance == HR_DISTANCE_HIERARCHICAL;
    MUST(hr_sensitive_demand(&s->sensitive, &(hr_demand){0}, &s->asked, tree ? s->tree : NULL,
                             &err));
    MUST(hr_groups_start(&s->all, rows, &err));
    MUST(hr_facts_of(&s->all, &s->sensitive, 1, &s->facts, &err));
    MUST(hr_judge_make(&s->sensitive, 1, &s->asked, s->facts.reference, &s->judge, &err));
}

static void drop(sample *s) {
    hr_judge_free(&s->judge);
    hr_facts_free(&s->facts);
    hr_groups_free(&s->all);
    free(s->sensitive.value_of_code);
    free(s->sensitive.join);
    hr_hierarchy_free(s->tree);
    hr_table_free(s->table);
}

/* ---- the definitions ---- */

static void count(const sample *s, const bool *in, double counts[VALUES]) {
    memset(counts, 0, VALUES * sizeof *counts);
    for (uint32_t row = 0; row < s->rows; row++)
        if (in[row] && s->value[row] != MISSING) counts[s->value[row]]++;
}

static double sum_of(const double *counts) {
    double sum = 0;
    for (int v = 0; v < VALUES; v++)
        sum += counts[v];
    return sum;
}

static double plain_entropy(const double *counts) {
    double n = sum_of(counts), entropy = 0;
    for (int v = 0; v < VALUES; v++)
        if (counts[v] > 0) entropy -= counts[v] / n * log(counts[v] / n);
    return n > 0 ? exp(entropy) : 0;
}

static int plain_distinct(const double *counts) {
    int distinct = 0;
    for (int v = 0; v < VALUES; v++)
        distinct += counts[v] > 0;
    return distinct;
}

/* r_1 / (r_l + ...) */
static double plain_recursive(const double *counts, int64_t l) {
    double sorted[VALUES], tail = 0;
    memcpy(sorted, counts, sizeof sorted);
    for (int i = 0; i < VALUES; i++)
        for (int j = i + 1; j < VALUES; j++)
            if (sorted[j] > sorted[i]) {
                double swap = sorted[i];
                sorted[i] = sorted[j];
                sorted[j] = swap;
            }
    for (int64_t i = l - 1; i < VALUES; i++)
        tail += sorted[i];
    return tail > 0 ? sorted[0] / tail : INFINITY;
}

/* How far value a is from value b; `present` are the values of the reference. */
static double ground(int distance, const double *present, int a, int b) {
    if (a == b) return 0;
    if (distance == HR_DISTANCE_EQUAL) return 1;
    if (distance == HR_DISTANCE_ORDERED) {
        int between = 0, all = plain_distinct(present);
        for (int v = a < b ? a : b; v < (a < b ? b : a); v++)
            between += present[v] > 0;
        return (double)between / (all - 1);
    }
    for (int level = 0; level < 3; level++) {
        if (strcmp(levels[a][level], levels[b][level]) != 0) continue;
        /* a label that repeats upwards is one node: `big` and `top` have height 1 */
        return (!strcmp(levels[a][level], "big") || !strcmp(levels[a][level], "low") ||
                        !strcmp(levels[a][level], "mid")
                    ? 1.0
                : strcmp(levels[a][level], "*") ? 2.0
                                                : 3.0) /
               3;
    }
    return 1;
}

/* The least cost of moving supply to demand, whole numbers with equal sums: paths of least cost in
 * the residual graph, found by Bellman and Ford. Nodes: source, supplies, demands, sink. */
static double transport(double supply[VALUES], double demand[VALUES], double cost[VALUES][VALUES]) {
    enum { N = 2 * VALUES + 2, SOURCE = 2 * VALUES, SINK = 2 * VALUES + 1 };
    static double capacity[N][N], price[N][N];
    memset(capacity, 0, sizeof capacity);
    memset(price, 0, sizeof price);
    for (int a = 0; a < VALUES; a++) {
        capacity[SOURCE][a] = supply[a];
        capacity[VALUES + a][SINK] = demand[a];
        for (int b = 0; b < VALUES; b++) {
            capacity[a][VALUES + b] = 1e9;
            price[a][VALUES + b] = cost[a][b];
            price[VALUES + b][a] = -cost[a][b];
        }
    }
    double total = 0;
    for (;;) {
        double far[N], flow = 1e9;
        int from[N];
        for (int i = 0; i < N; i++)
            far[i] = i == SOURCE ? 0 : INFINITY;
        for (int round = 0; round < N; round++)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    if (capacity[i][j] > 0 && far[i] + price[i][j] < far[j] - 1e-12) {
                        far[j] = far[i] + price[i][j];
                        from[j] = i;
                    }
        if (isinf(far[SINK])) return total;
        for (int j = SINK; j != SOURCE; j = from[j])
            flow = fmin(flow, capacity[from[j]][j]);
        for (int j = SINK; j != SOURCE; j = from[j]) {
            capacity[from[j]][j] -= flow;
            capacity[j][from[j]] += flow;
        }
        total += flow * far[SINK];
    }
}

static double plain_t(const sample *s, const double *counts) {
    bool everyone[ROWS];
    double whole[VALUES], supply[VALUES], demand[VALUES], cost[VALUES][VALUES];
    memset(everyone, 1, sizeof everyone);
    count(s, everyone, whole);
    double n = sum_of(counts), all = sum_of(whole);
    if (n == 0) return 0;
    for (int a = 0; a < VALUES; a++) {
        supply[a] = counts[a] * all;
        demand[a] = whole[a] * n;
        for (int b = 0; b < VALUES; b++)
            cost[a][b] = ground(s->asked.distance, whole, a, b);
    }
    return transport(supply, demand, cost) / (n * all);
}

/* What the class achieves of each model, by its definition. */
enum { L, ENTROPY, RECURSIVE, T, MODELS };

static const char *const names[MODELS] = {"l", "entropy_l", "recursive_c", "t"};

static double plain_achieved(const sample *s, const bool *in, int model) {
    double counts[VALUES];
    count(s, in, counts);
    if (model == L) return plain_distinct(counts);
    if (model == ENTROPY) return plain_entropy(counts);
    if (model == RECURSIVE) return plain_recursive(counts, s->asked.recursive_l);
    return plain_t(s, counts);
}

static bool plain_holds(const sample *s, const bool *in, int model) {
    double achieved = plain_achieved(s, in, model);
    if (model == L) return achieved >= (double)s->asked.l;
    if (model == ENTROPY) return achieved >= s->asked.entropy_l - 1e-7;
    if (model == RECURSIVE) return achieved < s->asked.recursive_c;
    return achieved <= s->asked.t + 1e-12;
}

static bool all_hold(const sample *s, const bool *in) {
    for (int model = 0; model < MODELS; model++)
        if (!plain_holds(s, in, model)) return false;
    return true;
}

/* ---- tests ---- */

static void fill(const sample *s, const bool *in, uint32_t *state) {
    uint32_t value;
    memset(state, 0, s->judge.words * sizeof *state);
    for (uint32_t row = 0; row < s->rows; row++) {
        hr_judge_values(&s->judge, row, &value);
        if (in[row]) hr_judge_add(&s->judge, state, &value, 1);
    }
}

/* A class as the judge sees it, and as verification does: a group of facts. */
static void check_class(const sample *s, const bool *in) {
    uint32_t state[1 + 2 + VALUES], rows = 0;
    hr_groups groups = {0};
    hr_facts facts;
    fill(s, in, state);
    MUST(hr_groups_start(&groups, s->rows, &err));
    for (uint32_t row = 0; row < s->rows; row++) {
        if (!in[row]) groups.of_row[row] = HR_NONE;
        rows += in[row];
    }
    groups.count = rows ? 1 : 0;
    MUST(hr_facts_of(&groups, &s->sensitive, 1, &facts, &err));
    hr_facts_refer(&facts, s->facts.reference);
    hr_known known = hr_judge_known(&s->judge, state);
    for (int i = 0; i < MODELS; i++) {
        const hr_model *model = hr_models[hr_model_find(names[i])];
        double expected = plain_achieved(s, in, i),
               achieved = model->achieved(&known, 0, &s->asked);
        bool holds = plain_holds(s, in, i);
        if (isinf(expected))
            assert_true(isinf(achieved));
        else
            assert_true(fabs(expected - achieved) < 1e-9);
        assert_int_equal(model->holds(&known, 0, &s->asked), holds);
        assert_int_equal(model->lack(&known, 0, &s->asked) == 0, holds);
        if (!rows) continue;
        uint32_t worst;
        assert_true(hr_model_achieved_in(model, &facts, 0, &s->asked, &worst) == achieved ||
                    fabs(hr_model_achieved_in(model, &facts, 0, &s->asked, &worst) - achieved) <
                        1e-12);
        hr_known group = hr_facts_group(&facts, 0);
        assert_int_equal(hr_model_holds(model, &group, &s->asked), holds);
    }
    assert_int_equal(hr_judge_holds(&s->judge, state), rows > 0 && all_hold(s, in));
    assert_int_equal(hr_judge_lack(&s->judge, state) == 0, rows > 0 && all_hold(s, in));
    hr_facts_free(&facts);
    hr_groups_free(&groups);
}

static void test_definitions(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 1, 0);
    for (int round = 0; round < 3000; round++) {
        sample s;
        bool in[ROWS] = {0};
        draw(&s, &random, 1 + below(&random, ROWS));
        for (int class = 0; class < 3; class ++) {
            for (uint32_t row = 0; row < s.rows; row++)
                in[row] = below(&random, 3) == 0;
            check_class(&s, in);
        }
        drop(&s);
    }
}

/* Rows that join and leave one by one, and merged classes, give the state of the rows. */
static void test_states(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 2, 0);
    for (int round = 0; round < 300; round++) {
        sample s;
        bool in[ROWS] = {0}, other[ROWS] = {0};
        uint32_t one[1 + 2 + VALUES] = {0}, two[1 + 2 + VALUES], value;
        draw(&s, &random, 1 + below(&random, ROWS));
        for (int step = 0; step < 60; step++) {
            uint32_t row = below(&random, s.rows);
            hr_judge_values(&s.judge, row, &value);
            (in[row] ? hr_judge_remove : hr_judge_add)(&s.judge, one, &value, 1);
            in[row] = !in[row];
            fill(&s, in, two);
            assert_memory_equal(one, two, s.judge.words * sizeof *one);
        }
        for (uint32_t row = 0; row < s.rows; row++)
            other[row] = !in[row];
        fill(&s, other, two);
        hr_judge_merge(&s.judge, one, two);
        memset(in, 1, sizeof in);
        fill(&s, in, two);
        assert_memory_equal(one, two, s.judge.words * sizeof *one);
        drop(&s);
    }
}

/* The closure table: every model is closed under union; those that say so under superset; for the
 * others a superset that does not hold is met. */
static void test_closure(void **state) {
    (void)state;
    hr_random random;
    int unions[MODELS] = {0}, supersets[MODELS] = {0}, broken[MODELS] = {0};
    hr_random_seed(&random, 3, 0);
    for (int round = 0; round < 6000; round++) {
        sample s;
        bool a[ROWS] = {0}, b[ROWS] = {0}, both[ROWS] = {0};
        draw(&s, &random, 4 + below(&random, ROWS - 4));
        for (uint32_t row = 0; row < s.rows; row++) {
            unsigned part = below(&random, 3);
            a[row] = part == 0;
            b[row] = part == 1;
            both[row] = part < 2;
        }
        for (int i = 0; i < MODELS; i++) {
            const hr_model *model = hr_models[hr_model_find(names[i])];
            uint32_t one[1 + 2 + VALUES], two[1 + 2 + VALUES], all[1 + 2 + VALUES];
            fill(&s, a, one);
            fill(&s, b, two);
            fill(&s, both, all);
            hr_known x = hr_judge_known(&s.judge, one), y = hr_judge_known(&s.judge, two);
            hr_known z = hr_judge_known(&s.judge, all);
            bool first = model->holds(&x, 0, &s.asked), second = model->holds(&y, 0, &s.asked);
            bool united = model->holds(&z, 0, &s.asked);
            assert_true(model->closed_under_union);
            if (first && second) {
                assert_true(united);
                unions[i]++;
            }
            supersets[i] += first && united;
            broken[i] += first && !united;
        }
        drop(&s);
    }
    for (int i = 0; i < MODELS; i++) {
        const hr_model *model = hr_models[hr_model_find(names[i])];
        assert_true(unions[i] > 100 && supersets[i] > 100);
        if (model->closed_under_superset)
            assert_int_equal(broken[i], 0);
        else
            assert_true(broken[i] > 10);
    }
}

/* ---- the largest part of a cell ---- */

/* The most rows of the sample that satisfy all models of `asked` but t; all subsets are tried. */
static uint32_t largest_part(const sample *s, const hr_requirements *asked) {
    uint32_t most = 0;
    for (uint32_t set = 1; set < 1u << s->rows; set++) {
        bool in[ROWS] = {0};
        uint32_t rows = 0;
        double counts[VALUES], largest = 0;
        for (uint32_t row = 0; row < s->rows; row++)
            rows += in[row] = set >> row & 1;
        if (rows <= most) continue;
        count(s, in, counts);
        for (int v = 0; v < VALUES; v++)
            largest = fmax(largest, counts[v]);
        if (rows < asked->k) continue;
        if (asked->alpha > 0 && largest / rows > asked->alpha) continue;
        if (asked->l > 1 && plain_distinct(counts) < asked->l) continue;
        if (asked->entropy_l > 1 && plain_entropy(counts) < asked->entropy_l - 1e-7) continue;
        if (asked->recursive_c > 0 &&
            plain_recursive(counts, asked->recursive_l) >= asked->recursive_c)
            continue;
        most = rows;
    }
    return most;
}

static void test_largest_part(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 4, 0);
    int trimmed_some = 0, released = 0;
    for (int round = 0; round < 1500; round++) {
        sample s;
        draw(&s, &random, 1 + below(&random, 11));
        hr_requirements asked = s.asked;
        asked.t = 0;
        asked.k = 1 + below(&random, 4);
        if (below(&random, 2)) asked.entropy_l = 0;
        if (below(&random, 2)) asked.recursive_c = 0;
        if (below(&random, 2)) asked.l = 0;
        if (below(&random, 3) == 0) asked.alpha = 0.5;
        uint64_t trimmed;
        hr_facts facts;
        const hr_microdata data = {.rows = s.rows, .sensitive = &s.sensitive, .sensitive_count = 1};
        MUST(hr_cells_trim(&data, &asked, NULL, &s.all, &trimmed, &err));
        MUST(hr_facts_of(&s.all, &s.sensitive, 1, &facts, &err));
        uint64_t out = hr_models_out(&facts, &asked, NULL) + trimmed;
        assert_int_equal(s.rows - out, largest_part(&s, &asked));
        trimmed_some += trimmed > 0 && out < s.rows;
        released += out < s.rows;
        hr_facts_free(&facts);
        drop(&s);
    }
    assert_true(trimmed_some > 50 && released > 300);
}

/* The most rows of `cell` that are within t of the whole sample; all subsets are tried. */
static uint32_t largest_near(const sample *s, const uint32_t *cell, uint32_t rows, double t) {
    uint32_t most = 0;
    for (uint32_t set = 1; set < 1u << rows; set++) {
        bool in[ROWS] = {0};
        uint32_t size = 0;
        double counts[VALUES];
        for (uint32_t i = 0; i < rows; i++)
            size += in[cell[i]] = set >> i & 1;
        if (size <= most) continue;
        count(s, in, counts);
        if (plain_t(s, counts) <= t + 1e-12) most = size;
    }
    return most;
}

/* If t refers to the input and all values are equally far apart, as many rows of a cell stay as
 * can. */
static void test_nearest_part(void **state) {
    (void)state;
    enum { CELL = 9 };
    hr_random random;
    hr_random_seed(&random, 7, 0);
    int trimmed_some = 0, whole = 0;
    for (int round = 0; round < 2000; round++) {
        sample s;
        uint32_t cell[ROWS], rows = 0, kept = 0;
        uint64_t trimmed;
        draw(&s, &random, CELL + below(&random, ROWS - CELL));
        hr_requirements asked = {.k = 1, .p = 1, .t = s.asked.t, .t_reference = HR_REFERENCE_INPUT};
        for (uint32_t row = 0; row < s.rows; row++) {
            bool in = rows < CELL && below(&random, 2);
            s.all.of_row[row] = in ? 0 : HR_NONE;
            if (in) cell[rows++] = row;
        }
        const hr_microdata data = {.rows = s.rows, .sensitive = &s.sensitive, .sensitive_count = 1};
        MUST(hr_cells_trim(&data, &asked, NULL, &s.all, &trimmed, &err));
        for (uint32_t row = 0; row < s.rows; row++)
            kept += s.all.of_row[row] == 0;
        assert_int_equal(kept + trimmed, rows);
        if (s.asked.distance == HR_DISTANCE_EQUAL)
            assert_int_equal(kept, largest_near(&s, cell, rows, asked.t));
        else
            assert_int_equal(trimmed, 0);
        trimmed_some += trimmed > 0 && kept > 0;
        whole += trimmed == 0 && rows > 0;
        drop(&s);
    }
    assert_true(trimmed_some > 50 && whole > 300);
}

/* ---- t refers to what is released ---- */

/* Groups are taken out until all others are within t of the rest. */
static void test_reference(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 5, 0);
    int some = 0;
    for (int round = 0; round < 1000; round++) {
        sample s;
        draw(&s, &random, 10 + below(&random, ROWS - 10));
        hr_requirements asked = {.k = 1, .p = 1, .t = s.asked.t, .distance = s.asked.distance};
        hr_groups groups = {0};
        hr_facts facts;
        bool out[4];
        MUST(hr_groups_start(&groups, s.rows, &err));
        for (uint32_t row = 0; row < s.rows; row++)
            groups.of_row[row] = row < 4 ? row : below(&random, 4);
        groups.count = 4;
        MUST(hr_facts_of(&groups, &s.sensitive, 1, &facts, &err));
        hr_models_out(&facts, &asked, out);
        bool rest[ROWS] = {0};
        int gone = out[0] + out[1] + out[2] + out[3];
        for (uint32_t row = 0; row < s.rows; row++) {
            rest[row] = !out[groups.of_row[row]];
            if (!rest[row]) s.value[row] = MISSING; /* the reference of plain_t is the rest */
        }
        for (unsigned g = 0; g < 4 && gone < 4; g++) {
            bool in[ROWS] = {0};
            for (uint32_t row = 0; row < s.rows; row++)
                in[row] = groups.of_row[row] == g;
            double counts[VALUES];
            count(&s, in, counts);
            if (!out[g]) assert_true(plain_t(&s, counts) <= asked.t + 1e-12);
        }
        some += gone > 0 && gone < 4;
        hr_facts_free(&facts);
        hr_groups_free(&groups);
        drop(&s);
    }
    assert_true(some > 100);
}

/* ---- messages ---- */

static void test_order(void **state) {
    (void)state;
    const hr_missing missing = {(const char *const[]){""}, 1};
    const hr_requirements asked = {.k = 1, .p = 1, .t = 0.2, .distance = HR_DISTANCE_ORDERED};
    static const char *const column[] = {"s"}, *const texts[] = {"10", "2", "secret"};
    hr_table *table;
    hr_error refused;
    hr_sensitive sensitive = {0};
    MUST(hr_table_new(1, column, &table, &err));
    for (int i = 0; i < 3; i++)
        MUST(hr_table_append(table, &texts[i], &err));
    MUST(hr_sensitive_bind(&sensitive, &table->columns[0], &missing, 0, NULL, &err));
    assert_int_equal(hr_sensitive_demand(&sensitive, &(hr_demand){0}, &asked, NULL, &refused),
                     HR_EDATA);
    assert_non_null(
        strstr(refused.message, "row 3, column 's': the ordered distance needs numbers"));
    assert_null(strstr(refused.message, "secret"));
    hr_hierarchy *tree = make_tree();
    assert_int_equal(hr_sensitive_demand(&sensitive, &(hr_demand){0}, &asked, tree, &refused),
                     HR_EDATA);
    assert_non_null(strstr(refused.message, "row 1, column 's': the value is not a leaf of tree"));
    hr_hierarchy_free(tree);
    free(sensitive.value_of_code);
    hr_table_free(table);
}

enum { UNITS = 6 };

static uint32_t present(const uint32_t *rows) {
    uint32_t count = 0;
    for (uint32_t u = 0; u < UNITS; u++)
        count += rows[u] > 0;
    return count;
}

/* A judge of k alone that counts units: does the class hold, and how many rows of a unit can leave
 * or join, against counts of its rows. */
static void test_units(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 11, 0);
    static const hr_sensitive unit = {0};
    for (int round = 0; round < 300; round++) {
        hr_requirements asked = {.k = 1 + below(&random, 5), .p = 2, .unit = true};
        uint32_t k = (uint32_t)asked.k, rows[UNITS] = {0}, other[UNITS] = {0};
        hr_judge judge;
        MUST(hr_judge_make(NULL, 0, &asked, NULL, &judge, &err));
        hr_judge_count_units(&judge, &unit, UNITS);
        hr_judge_drop_p(&judge);
        assert_int_equal(judge.width, 1);
        uint32_t *class = hr_alloc(judge.words, sizeof *class, NULL);
        uint32_t *more = hr_alloc(judge.words, sizeof *more, NULL);
        for (int step = 0; step < 40; step++) {
            uint32_t u = below(&random, UNITS), count = 1 + below(&random, 3);
            bool leave = rows[u] >= count && below(&random, 2);
            (leave ? hr_judge_remove : hr_judge_add)(&judge, class, &u, count);
            rows[u] += leave ? 0 - count : count;
            assert_int_equal(hr_judge_holds(&judge, class), present(rows) >= k);
            assert_int_equal(hr_judge_lack(&judge, class) == 0, present(rows) >= k);
            bool joined = present(rows) + (rows[u] == 0) >= k;
            assert_int_equal(hr_judge_room(&judge, class, &u, 5), joined ? 5 : 0);
            if (rows[u] == 0) continue;
            uint32_t spare = present(rows) < k ? 0 : present(rows) > k ? rows[u] : rows[u] - 1;
            assert_int_equal(hr_judge_spare(&judge, class, &u, rows[u]), spare);
        }
        for (uint32_t u = 0; u < UNITS; u++) {
            other[u] = below(&random, 2);
            if (other[u]) hr_judge_add(&judge, more, &u, 1);
            rows[u] += other[u];
        }
        hr_judge_merge(&judge, class, more);
        assert_int_equal(hr_judge_known(&judge, class).units, present(rows));
        hr_judge_clear(&judge, class);
        assert_int_equal(hr_judge_known(&judge, class).units, 0);
        free(class);
        free(more);
        hr_judge_free(&judge);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions), cmocka_unit_test(test_states),
        cmocka_unit_test(test_closure),     cmocka_unit_test(test_largest_part),
        cmocka_unit_test(test_reference),   cmocka_unit_test(test_order),
        cmocka_unit_test(test_units),       cmocka_unit_test(test_nearest_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
