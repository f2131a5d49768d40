/* test_suggest.c - suggested boundaries, k and p, and whose rows are lost, against their
 * definitions: every combination of boundary levels of small random tables is tried by plain code
 * that works on texts and shares nothing with the library. */
#include <hedgerow.h>

#include "unit.h"

#include <math.h>

enum {
    FEW = 3,
    ATTRIBUTES = 9,
    LEAVES = 6,
    LEVELS = 4,
    ROWS = 40,
    SENSITIVE = 2,
    LABEL = 16,
    MISSING = 99
};

typedef struct {
    unsigned leaves, levels;           /* levels with leaves and root */
    char label[LEAVES][LEVELS][LABEL]; /* path of each leaf */
    bool nodes;                        /* the boundary is drawn through nodes, and stays */
    unsigned own;                      /* level of the job's boundary */
    unsigned finest;                   /* level */
} attribute;

typedef struct {
    unsigned attributes, rows, sensitive;
    attribute of[ATTRIBUTES];
    unsigned leaf[ROWS][ATTRIBUTES]; /* MISSING: the row is dropped */
    unsigned value[ROWS][SENSITIVE]; /* MISSING: missing */
    unsigned k, p;
    double alpha, share;
    hr_table *table;
    hr_job *job;
} world;

/* ---- drawing ---- */

/* A random tree: at each level nodes of the level below are joined; a node with one child may keep
 * the label of the child. */
static void draw_tree(attribute *a, hr_random *random) {
    unsigned group[LEAVES];
    a->leaves = 2 + below(random, LEAVES - 1);
    a->levels = 2 + below(random, LEVELS - 1);
    for (unsigned i = 0; i < a->leaves; i++) {
        group[i] = i;
        snprintf(a->label[i][0], LABEL, "leaf%u", i);
    }
    for (unsigned level = 1; level < a->levels; level++) {
        unsigned joined[LEAVES], most = 1 + below(random, a->leaves);
        for (unsigned g = 0; g < a->leaves; g++)
            joined[g] = level + 1 == a->levels ? 0 : below(random, most);
        bool keep = below(random, 2) && level + 1 < a->levels;
        for (unsigned i = 0; i < a->leaves; i++) {
            bool only = true;
            for (unsigned o = 0; o < a->leaves; o++)
                only &= joined[group[o]] != joined[group[i]] || group[o] == group[i];
            if (only && keep)
                memcpy(a->label[i][level], a->label[i][level - 1], LABEL);
            else
                snprintf(a->label[i][level], LABEL, "%u.%u", level, joined[group[i]]);
        }
        for (unsigned i = 0; i < a->leaves; i++)
            group[i] = joined[group[i]];
    }
    a->own = below(random, a->levels);
    a->finest = below(random, 3) ? 0 : below(random, a->own + 1);
    a->nodes = below(random, 5) == 0;
}

static void draw(world *w, hr_random *random, bool alpha, bool many) {
    *w = (world){.attributes = many ? ATTRIBUTES : 1 + below(random, FEW),
                 .rows = 5 + below(random, ROWS - 4),
                 .sensitive = alpha ? 1 : below(random, SENSITIVE + 1)};
    unsigned values = 2 + below(random, 4), rare = 1 + below(random, 3);
    for (unsigned j = 0; j < w->attributes; j++)
        draw_tree(&w->of[j], random);
    for (unsigned row = 0; row < w->rows; row++) {
        for (unsigned j = 0; j < w->attributes; j++) {
            unsigned a = below(random, w->of[j].leaves), b = below(random, w->of[j].leaves);
            w->leaf[row][j] = below(random, 25 * rare) == 0 ? MISSING : a < b ? a : b;
        }
        for (unsigned l = 0; l < w->sensitive; l++)
            w->value[row][l] = below(random, 10) == 0 ? MISSING : below(random, values);
    }
    w->k = 1 + below(random, 5);
    w->p = w->sensitive ? 1 + below(random, 3) : 1;
    w->alpha = alpha ? 0.3 + 0.1 * below(random, 5) : 1;
    w->share = below(random, 4) == 0 ? 0 : 0.05 * below(random, 12);
}

static void set(hr_job *job, const char *key, const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    MUST(hr_job_set(job, key, text, &err));
}

static void make_table(world *w) {
    static const char *const names[] = {"s0", "s1", "q0", "q1", "q2", "q3",
                                        "q4", "q5", "q6", "q7", "q8"};
    MUST(hr_table_new(SENSITIVE + ATTRIBUTES, names, &w->table, &err));
    for (unsigned row = 0; row < w->rows; row++) {
        char sensitive[SENSITIVE][LABEL] = {"", ""};
        const char *fields[SENSITIVE + ATTRIBUTES] = {sensitive[0], sensitive[1]};
        for (unsigned j = 0; j < ATTRIBUTES; j++) {
            bool given = j < w->attributes && w->leaf[row][j] != MISSING;
            fields[SENSITIVE + j] = given ? w->of[j].label[w->leaf[row][j]][0] : "";
        }
        for (unsigned l = 0; l < w->sensitive; l++)
            if (w->value[row][l] != MISSING) snprintf(sensitive[l], LABEL, "%u", w->value[row][l]);
        MUST(hr_table_append(w->table, fields, &err));
    }
}

static void add_attribute(world *w, unsigned j) {
    const attribute *a = &w->of[j];
    const char *labels[LEAVES * LEVELS], *nodes[LEAVES];
    char name[16];
    hr_hierarchy *tree;
    snprintf(name, sizeof name, "q%u", j);
    for (unsigned i = 0; i < a->leaves; i++) {
        for (unsigned level = 0; level < a->levels; level++)
            labels[i * a->levels + level] = a->label[i][level];
        nodes[i] = a->label[i][a->own];
    }
    MUST(hr_hierarchy_from_labels(name, labels, a->leaves, a->levels, &tree, &err));
    set(w->job, "quasi", "%s", name);
    MUST(hr_job_set_hierarchy(w->job, name, tree, &err));
    hr_hierarchy_free(tree);
    set(w->job, "on-missing", "%s=drop", name);
    if (a->finest) set(w->job, "finest", "%s=level:%u", name, a->finest);
    if (a->nodes)
        MUST(hr_job_set_boundary(w->job, name, nodes, a->leaves, &err));
    else if (a->own + 1 < a->levels)
        set(w->job, "boundary", "%s=level:%u", name, a->own);
}

static void make_job(world *w) {
    make_table(w);
    MUST(hr_job_new(&w->job, &err));
    MUST(hr_job_set_input(w->job, w->table, &err));
    for (unsigned j = 0; j < w->attributes; j++)
        add_attribute(w, j);
    for (unsigned l = 0; l < w->sensitive; l++)
        set(w->job, "sensitive", "s%u", l);
    set(w->job, "k", "%u", w->k);
    set(w->job, "p", "%u", w->p);
    if (w->alpha < 1) set(w->job, "alpha", "%.17g", w->alpha);
}

static void drop(world *w) {
    hr_job_free(w->job);
    hr_table_free(w->table);
}

/* ---- the definitions ---- */

/* Position in the path of leaf i of the first label that some leaf has at the level. */
static unsigned magval(const attribute *a, unsigned i, unsigned level) {
    for (unsigned up = 0; up < a->levels; up++)
        for (unsigned o = 0; o < a->leaves; o++)
            if (!strcmp(a->label[i][up], a->label[o][level])) return up;
    return a->levels - 1;
}

/* Is a boundary along this level nowhere below the finest values? */
static bool allowed(const attribute *a, unsigned level) {
    for (unsigned i = 0; i < a->leaves; i++) {
        unsigned bound = magval(a, i, level), low = a->finest;
        while (low > 0 && !strcmp(a->label[i][low - 1], a->label[i][a->finest]))
            low--;
        if (bound < low) return false;
    }
    return true;
}

/* The most rows with these counts of values, `missing` without one, that satisfy the models. */
static unsigned most_kept(const world *w, unsigned counts[SENSITIVE][8], const unsigned *missing,
                          unsigned size) {
    for (unsigned n = size; n >= w->k && n >= w->p && n > 0; n--) {
        unsigned fit = w->alpha < 1 ? missing[0] : size;
        bool holds = true;
        for (unsigned l = 0; l < w->sensitive; l++) {
            unsigned distinct = 0;
            for (unsigned v = 0; v < 8; v++) {
                unsigned own = counts[l][v];
                while (w->alpha < 1 && own > 0 && (double)own / n > w->alpha)
                    own--;
                distinct += own > 0;
                if (w->alpha < 1) fit += own;
            }
            holds &= w->p <= 1 || distinct >= w->p;
        }
        if (holds && fit >= n) return n;
        if (w->alpha >= 1) return 0; /* fewer rows do not help */
    }
    return 0;
}

/* Do two rows lie in one cell? level[j] is the level of each boundary. */
static bool together(const world *w, unsigned a, unsigned b, const unsigned *level) {
    for (unsigned j = 0; j < w->attributes; j++) {
        const attribute *own = &w->of[j];
        const char *x = own->label[w->leaf[a][j]][magval(own, w->leaf[a][j], level[j])];
        const char *y = own->label[w->leaf[b][j]][magval(own, w->leaf[b][j], level[j])];
        if (strcmp(x, y)) return false;
    }
    return true;
}

static bool dropped(const world *w, unsigned row) {
    for (unsigned j = 0; j < w->attributes; j++)
        if (w->leaf[row][j] == MISSING) return true;
    return false;
}

/* The suppressed rows. Unless it is NULL, gone[row] is set for whole cells that go. */
static unsigned suppressed(const world *w, const unsigned *level, bool *gone) {
    bool seen[ROWS] = {false};
    unsigned total = 0;
    for (unsigned row = 0; row < w->rows; row++) {
        unsigned counts[SENSITIVE][8] = {{0}}, missing[SENSITIVE] = {0}, size = 0;
        if (gone && dropped(w, row)) gone[row] = true;
        if (dropped(w, row)) total++;
        if (dropped(w, row) || seen[row]) continue;
        for (unsigned other = row; other < w->rows; other++) {
            if (dropped(w, other) || !together(w, row, other, level)) continue;
            seen[other] = true;
            size++;
            for (unsigned l = 0; l < w->sensitive; l++) {
                if (w->value[other][l] == MISSING)
                    missing[l]++;
                else
                    counts[l][w->value[other][l]]++;
            }
        }
        unsigned kept = most_kept(w, counts, missing, size);
        total += size - kept;
        for (unsigned other = row; other < w->rows && gone && kept == 0; other++)
            gone[other] |= !dropped(w, other) && together(w, row, other, level);
    }
    return total;
}

static bool within(const world *w, const unsigned *level) {
    unsigned gone = suppressed(w, level, NULL);
    return gone < w->rows && (double)gone / w->rows <= w->share;
}

/* Can no level of the attributes that are varied be lowered? */
static bool is_lowest(const world *w, const unsigned *level) {
    for (unsigned j = 0; j < w->attributes; j++) {
        unsigned lower[ATTRIBUTES];
        if (w->of[j].nodes || level[j] == 0) continue;
        memcpy(lower, level, sizeof lower);
        lower[j]--;
        if (allowed(&w->of[j], lower[j]) && within(w, lower)) return false;
    }
    return true;
}

/* The next combination of levels; false after the last. */
static bool next(const world *w, unsigned *level) {
    for (unsigned j = 0; j < w->attributes; j++) {
        if (w->of[j].nodes) continue;
        if (++level[j] < w->of[j].levels) return true;
        level[j] = 0;
    }
    return false;
}

static void own_levels(const world *w, unsigned *level) {
    for (unsigned j = 0; j < ATTRIBUTES; j++)
        level[j] = w->of[j].own;
}

/* ---- comparing ---- */

static const hr_suggested *find(const hr_suggestion *s, const world *w, const unsigned *level) {
    const hr_suggested *found;
    for (size_t i = 0; (found = hr_suggestion_at(s, i)); i++) {
        bool same = true;
        for (unsigned j = 0; j < w->attributes; j++)
            same &= found->levels[j] == (w->of[j].nodes ? HR_NONE : level[j]);
        if (same) return found;
    }
    return NULL;
}

/* Every combination is listed if and only if it is lowest within the budget. */
static size_t check_combinations(const world *w, const hr_suggestion *s) {
    unsigned level[ATTRIBUTES] = {0};
    size_t count = 0;
    for (unsigned j = 0; j < w->attributes; j++)
        if (w->of[j].nodes) level[j] = w->of[j].own;
    do {
        bool may = true;
        for (unsigned j = 0; j < w->attributes; j++)
            may &= w->of[j].nodes || allowed(&w->of[j], level[j]);
        const hr_suggested *found = find(s, w, level);
        assert_int_equal(found != NULL, may && within(w, level) && is_lowest(w, level));
        if (!found) continue;
        assert_int_equal(found->suppressed, suppressed(w, level, NULL));
        count++;
    } while (next(w, level));
    assert_null(hr_suggestion_at(s, count));
    for (size_t i = 1; i < count; i++)
        assert_true(hr_suggestion_at(s, i - 1)->loss_at_most <=
                    hr_suggestion_at(s, i)->loss_at_most);
    return count;
}

static void check_alone(const world *w, const hr_suggestion *s) {
    for (unsigned j = 0; j < w->attributes; j++) {
        const hr_suggested_attribute *a = hr_suggestion_attribute(s, j);
        unsigned level[ATTRIBUTES];
        own_levels(w, level);
        for (level[j] = 0; level[j] < w->of[j].levels; level[j]++)
            if (allowed(&w->of[j], level[j]) && within(w, level)) break;
        assert_int_equal(a->alone, level[j] < w->of[j].levels ? level[j] : HR_NONE);
        if (a->alone != HR_NONE) assert_int_equal(a->alone_suppressed, suppressed(w, level, NULL));
        assert_int_equal(a->varied, !w->of[j].nodes);
    }
}

static bool kp_within(const world *w, unsigned k, unsigned p) {
    world other = *w;
    unsigned level[ATTRIBUTES];
    other.k = k;
    other.p = p;
    own_levels(w, level);
    return within(&other, level);
}

/* A point is on the frontier if it is within the budget and neither k nor p can be raised. */
static void check_kp(const world *w, const hr_suggestion *s) {
    const hr_suggestion_figures *f = hr_suggestion_result(s);
    unsigned most_p = w->sensitive ? 9 : 1, largest_k = 0, largest_p = 0;
    size_t count = 0;
    for (unsigned p = 1; p <= most_p; p++)
        for (unsigned k = p; k <= w->rows; k++) {
            if (!kp_within(w, k, p)) continue;
            if (p == w->p) largest_k = k;
            if (k >= w->k && w->sensitive) largest_p = p;
            bool last = !kp_within(w, k + 1, p) && (p == most_p || !kp_within(w, k, p + 1));
            const hr_kp *found = NULL;
            for (size_t i = 0; hr_suggestion_frontier(s, i); i++)
                if (hr_suggestion_frontier(s, i)->k == k && hr_suggestion_frontier(s, i)->p == p)
                    found = hr_suggestion_frontier(s, i);
            assert_int_equal(found != NULL, last);
            count += last;
        }
    assert_null(hr_suggestion_frontier(s, count));
    assert_int_equal(f->largest_k, largest_k);
    assert_int_equal(f->largest_p, largest_p);
}

/* Of each value: its rows, and those of cells that go. */
static void check_lost(const world *w, const hr_lost *lost) {
    bool gone[ROWS] = {false};
    unsigned level[ATTRIBUTES];
    const hr_lost_value *v;
    uint64_t rows[ATTRIBUTES] = {0};
    own_levels(w, level);
    assert_int_equal(hr_lost_result(lost)->suppressed, suppressed(w, level, gone));
    for (size_t i = 0; (v = hr_lost_at(lost, i)); i++) {
        unsigned j = (unsigned)(v->name[1] - '0'), all = 0, away = 0;
        for (unsigned row = 0; row < w->rows; row++) {
            unsigned leaf = w->leaf[row][j];
            const char *label = leaf == MISSING ? NULL : w->of[j].label[leaf][w->of[j].finest];
            if (label ? !v->value || strcmp(label, v->value) : v->value != NULL) continue;
            all++;
            away += gone[row];
        }
        assert_int_equal(v->rows, all);
        if (w->alpha >= 1) assert_int_equal(v->lost, away);
        rows[j] += v->rows;
    }
    for (unsigned j = 0; j < w->attributes; j++)
        assert_int_equal(rows[j], w->rows);
}

static void check_world(const world *w, size_t *combinations) {
    hr_rollup *rollup;
    hr_suggestion *s;
    hr_lost *lost;
    hr_prices *prices;
    MUST(hr_job_rollup(w->job, NULL, &rollup, &err));
    MUST(hr_rollup_suggest(rollup, w->job, w->share, NULL, &s, &err));
    MUST(hr_rollup_lost(rollup, w->job, NULL, &lost, &err));
    MUST(hr_job_boundaries(w->job, NULL, 0, NULL, 0, NULL, &prices, &err));
    assert_true(hr_suggestion_result(s)->exact);
    *combinations += check_combinations(w, s);
    check_alone(w, s);
    check_kp(w, s);
    check_lost(w, lost);
    check_lost(w, hr_prices_lost(prices, 0));
    hr_prices_free(prices);
    hr_lost_free(lost);
    hr_suggestion_free(s);
    hr_rollup_free(rollup);
}

static void test_all_combinations(void **state) {
    (void)state;
    hr_random random;
    size_t combinations = 0;
    hr_random_seed(&random, 18, 0);
    for (int round = 0; round < 3000; round++) {
        world w;
        draw(&w, &random, false, false);
        make_job(&w);
        check_world(&w, &combinations);
        drop(&w);
    }
    assert_true(combinations > 2000);
}

/* What a heuristic lists is within the budget and cannot be lowered. */
static size_t check_some(const world *w, const hr_suggestion *s) {
    const hr_suggested *c;
    size_t count = 0;
    for (; (c = hr_suggestion_at(s, count)); count++) {
        unsigned level[ATTRIBUTES];
        own_levels(w, level);
        for (unsigned j = 0; j < w->attributes; j++)
            if (c->levels[j] != HR_NONE) level[j] = c->levels[j];
        assert_int_equal(c->suppressed, suppressed(w, level, NULL));
        assert_true(within(w, level));
        assert_true(is_lowest(w, level));
    }
    return count;
}

static void test_alpha(void **state) {
    (void)state;
    hr_random random;
    size_t combinations = 0;
    hr_random_seed(&random, 19, 0);
    for (int round = 0; round < 1000; round++) {
        world w;
        hr_rollup *rollup;
        hr_suggestion *s;
        hr_lost *lost;
        draw(&w, &random, true, false);
        make_job(&w);
        MUST(hr_job_rollup(w.job, NULL, &rollup, &err));
        MUST(hr_rollup_suggest(rollup, w.job, w.share, NULL, &s, &err));
        MUST(hr_rollup_lost(rollup, w.job, NULL, &lost, &err));
        assert_false(hr_suggestion_result(s)->exact);
        combinations += check_some(&w, s);
        check_alone(&w, s);
        check_lost(&w, lost);
        hr_lost_free(lost);
        hr_suggestion_free(s);
        hr_rollup_free(rollup);
        drop(&w);
    }
    assert_true(combinations > 500);
}

/* Six leaves, then three nodes, two nodes, the root: four levels that all differ. */
static void even_tree(attribute *a) {
    static const unsigned group[LEVELS][LEAVES] = {
        {0, 1, 2, 3, 4, 5}, {0, 0, 1, 1, 2, 2}, {0, 0, 0, 0, 1, 1}, {0}};
    *a = (attribute){.leaves = LEAVES, .levels = LEVELS, .own = LEVELS - 1};
    for (unsigned i = 0; i < LEAVES; i++)
        for (unsigned level = 0; level < LEVELS; level++)
            snprintf(a->label[i][level], LABEL, "%u.%u", level, group[level][i]);
}

/* More combinations of levels than are searched exactly. */
static void test_large_lattice(void **state) {
    (void)state;
    hr_random random;
    size_t combinations = 0;
    hr_random_seed(&random, 20, 0);
    for (int round = 0; round < 20; round++) {
        world w;
        hr_rollup *rollup;
        hr_suggestion *s;
        do
            draw(&w, &random, false, true);
        while (w.rows < LEAVES);
        for (unsigned j = 0; j < ATTRIBUTES; j++) {
            even_tree(&w.of[j]);
            for (unsigned row = 0; row < w.rows; row++)
                w.leaf[row][j] = row < LEAVES ? row : below(&random, LEAVES);
        }
        w.share = 0.3 + 0.1 * below(&random, 5);
        make_job(&w);
        MUST(hr_job_rollup(w.job, NULL, &rollup, &err));
        MUST(hr_rollup_suggest(rollup, w.job, w.share, NULL, &s, &err));
        assert_true(hr_suggestion_result(s)->lattice == 262144);
        assert_false(hr_suggestion_result(s)->exact);
        combinations += check_some(&w, s);
        hr_suggestion_free(s);
        hr_rollup_free(rollup);
        drop(&w);
    }
    assert_true(combinations > 20);
}

/* ---- numbers ---- */

/* A number whose cells are chosen, a town that is its own boundary, and a sensitive value. */
static void make_number_job(world *w, hr_random *random) {
    static const char *const names[] = {"n", "town", "s"};
    *w = (world){.rows = 5 + below(random, ROWS - 4), .sensitive = below(random, 2)};
    unsigned numbers = 2 + below(random, 20), towns = 1 + below(random, 3);
    MUST(hr_table_new(3, names, &w->table, &err));
    for (unsigned row = 0; row < w->rows; row++) {
        char number[LABEL], town[LABEL], value[LABEL];
        snprintf(number, LABEL, "%u", below(random, numbers));
        snprintf(town, LABEL, "t%u", below(random, towns));
        snprintf(value, LABEL, "v%u", below(random, 4));
        const char *fields[] = {number, town, value};
        MUST(hr_table_append(w->table, fields, &err));
    }
    MUST(hr_job_new(&w->job, &err));
    MUST(hr_job_set_input(w->job, w->table, &err));
    set(w->job, "quasi", "n,town");
    set(w->job, "numeric", "n");
    set(w->job, "hierarchy", "town=flat");
    set(w->job, "boundary", "town=level:0");
    if (below(random, 2))
        set(w->job, "boundary", "n=width:%u", 1 + below(random, 8));
    else
        set(w->job, "boundary", "n=cells:%u", 1 + below(random, 5));
    if (w->sensitive) set(w->job, "sensitive", "s");
    w->p = w->sensitive ? 1 + below(random, 3) : 1;
    w->k = w->p + below(random, 4);
    set(w->job, "k", "%u", w->k);
    set(w->job, "p", "%u", w->p);
    w->share = 0.05 * below(random, 16);
}

static bool prices_within(const world *w, const hr_prices *prices, const hr_suggestion *s,
                          int64_t k, int64_t p) {
    uint64_t budget = hr_suggestion_result(s)->budget;
    for (size_t i = 0; hr_prices_at(prices, i); i++) {
        const hr_price *price = hr_prices_at(prices, i);
        if (price->k == k && price->p == p)
            return price->suppressed <= budget && price->suppressed < w->rows;
    }
    return false;
}

/* The largest k and p are those that `boundaries` gives, where each k and p has its own cells. */
static void test_numbers(void **state) {
    (void)state;
    hr_random random;
    size_t points = 0;
    hr_random_seed(&random, 23, 0);
    for (int round = 0; round < 300; round++) {
        world w;
        hr_rollup *rollup;
        hr_suggestion *s;
        hr_prices *prices;
        int64_t ks[ROWS + 2], ps[] = {1, 2, 3, 4, 5}, largest_k = 0, largest_p = 0;
        make_number_job(&w, &random);
        for (unsigned k = 0; k <= w.rows; k++)
            ks[k] = k + 1;
        MUST(hr_job_rollup(w.job, NULL, &rollup, &err));
        MUST(hr_rollup_suggest(rollup, w.job, w.share, NULL, &s, &err));
        MUST(
            hr_job_boundaries(w.job, ks, w.rows + 1, ps, w.sensitive ? 5 : 1, NULL, &prices, &err));
        size_t count = 0;
        for (int64_t p = 1; p <= (w.sensitive ? 4 : 1); p++)
            for (int64_t k = p; k <= w.rows; k++) {
                if (!prices_within(&w, prices, s, k, p)) continue;
                if (p == w.p) largest_k = k;
                if (k >= w.k && w.sensitive) largest_p = p;
                if (prices_within(&w, prices, s, k + 1, p)) continue;
                if (k > p && w.sensitive && prices_within(&w, prices, s, k, p + 1)) continue;
                const hr_kp *point = hr_suggestion_frontier(s, count++);
                assert_non_null(point);
                assert_int_equal(point->k, k);
                assert_int_equal(point->p, p);
            }
        assert_null(hr_suggestion_frontier(s, count));
        assert_int_equal(hr_suggestion_result(s)->largest_k, largest_k);
        assert_int_equal(hr_suggestion_result(s)->largest_p, largest_p);
        points += count;
        hr_prices_free(prices);
        hr_suggestion_free(s);
        hr_rollup_free(rollup);
        drop(&w);
    }
    assert_true(points > 300);
}

/* ---- failures ---- */

static hr_status suggest(void *payload, hr_error *err) {
    const world *w = payload;
    hr_rollup *rollup = NULL;
    hr_suggestion *s = NULL;
    hr_lost *lost = NULL;
    char *text = NULL;
    hr_status status = hr_job_rollup(w->job, NULL, &rollup, err);
    if (status == HR_OK) status = hr_rollup_lost(rollup, w->job, NULL, &lost, err);
    if (status == HR_OK) status = hr_lost_print(lost, HR_PRINT_JSON, &text, err);
    hr_free(text);
    text = NULL;
    if (status == HR_OK) status = hr_rollup_suggest(rollup, w->job, w->share, NULL, &s, err);
    for (int format = HR_PRINT_TABLE; status == HR_OK && format <= HR_PRINT_CSV; format++) {
        status = hr_suggestion_print(s, (hr_print_format)format, &text, err);
        assert_true((text != NULL) == (status == HR_OK));
        hr_free(text);
    }
    hr_lost_free(lost);
    hr_suggestion_free(s);
    hr_rollup_free(rollup);
    return status;
}

static void test_memory(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 21, 0);
    for (int round = 0; round < 6; round++) {
        world w;
        if (round < 4) {
            draw(&w, &random, round % 2, false);
            make_job(&w);
        } else {
            make_number_job(&w, &random);
        }
        with_failing_memory(suggest, &w, 50);
        drop(&w);
    }
}

static bool yes(void *payload) {
    (void)payload;
    return true;
}

static void test_refused(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 22, 0);
    world w;
    hr_rollup *rollup;
    hr_suggestion *s;
    hr_lost *lost;
    hr_watch watch = {.size = sizeof watch, .cancelled = yes};
    draw(&w, &random, false, false);
    make_job(&w);
    MUST(hr_job_rollup(w.job, NULL, &rollup, &err));
    hr_error err = {0};
    assert_int_equal(hr_rollup_suggest(rollup, w.job, 0.5, &watch, &s, &err), HR_ECANCEL);
    assert_null(s);
    assert_int_equal(hr_rollup_lost(rollup, w.job, &watch, &lost, &err), HR_ECANCEL);
    assert_int_equal(hr_rollup_suggest(rollup, w.job, 1.5, NULL, &s, &err), HR_EINVAL);
    assert_string_equal(err.message, "1.5 is not a share of the rows: give a number from 0 to 1");
    assert_int_equal(hr_rollup_suggest(rollup, w.job, (double)NAN, NULL, &s, &err), HR_EINVAL);
    hr_rollup_free(rollup);
    drop(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_combinations), cmocka_unit_test(test_alpha),
        cmocka_unit_test(test_large_lattice),    cmocka_unit_test(test_memory),
        cmocka_unit_test(test_numbers),          cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
