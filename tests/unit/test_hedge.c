/* test_hedge.c - hedge on random tables: valid releases, never more loss than the greedy
 * algorithms, never less than the least of all partitions where these can be counted and mostly
 * equal to it, the same for any number of threads; any loss that declares what values cost;
 * callbacks that never overlap; cancelling, a time limit, and every allocation failing once. */
#include "algorithm/greedy/greedy.h"
#include "algorithm/hedge/cover.h"

#include "overlap.h"
#include "unit.h"

#include <math.h>
#include <time.h>

enum { QUASI = 3, SENSITIVE = 2, ROWS = 400 };

typedef struct {
    hr_table *table;
    hr_hierarchy *tree;
    hr_quasi quasi[QUASI];
    hr_sensitive sensitive[SENSITIVE];
    hr_microdata data;
    hr_groups cells;
    hr_facts facts;
    bool out[ROWS];
    hr_requirements asked;
} sample;

static hr_hierarchy *make_tree(void) {
    static const char *const names[] = {"0", "1", "2", "3"};
    hr_table *file = NULL;
    hr_hierarchy *tree = NULL;
    MUST(hr_table_new(4, names, &file, &err));
    for (unsigned leaf = 0; leaf < 16; leaf++) {
        char texts[3][16];
        for (unsigned level = 0; level < 3; level++)
            snprintf(texts[level], sizeof texts[level], "%c%u", "lmn"[level], leaf >> 2 * level);
        MUST(hr_table_append(file, (const char *[]){texts[0], texts[1], texts[2], "*"}, &err));
    }
    MUST(hr_hierarchy_build(file, "tree", &tree, &err));
    hr_table_free(file);
    return tree;
}

static void bind(sample *s, bool numeric, bool bounded, hr_random *random) {
    const hr_missing missing = {(const char *const[]){""}, 1};
    s->tree = make_tree();
    for (size_t j = 0; j < QUASI; j++) {
        uint32_t *magval;
        if (numeric && j == 2) {
            MUST(hr_quasi_bind_numeric(&s->quasi[j], &s->table->columns[j], &missing, false, &err));
        } else {
            if (bounded && j == 0)
                MUST(hr_boundary_level(s->tree, 1 + below(random, 2), &magval, &err));
            else
                MUST(hr_boundary_none(s->tree, &magval, &err));
            MUST(hr_quasi_bind_tree(&s->quasi[j], &s->table->columns[j], s->tree, magval, &err));
        }
        s->quasi[j].weight = 1 + (double)below(random, 3);
    }
    for (size_t l = 0; l < SENSITIVE; l++)
        MUST(hr_sensitive_bind(&s->sensitive[l], &s->table->columns[QUASI + l], &missing, 0, NULL,
                               &err));
    hr_sensitive_weigh(s->sensitive, SENSITIVE);
}

/* false: no cell can be released. */
static bool draw(sample *s, hr_random *random, uint32_t rows) {
    static const char *const names[] = {"a", "b", "c", "s", "t"};
    *s = (sample){0};
    bool numeric = below(random, 2), bounded = below(random, 2);
    unsigned spread = 2 + below(random, 15), values = 2 + below(random, 5);
    MUST(hr_table_new(QUASI + SENSITIVE, names, &s->table, &err));
    for (uint32_t row = 0; row < rows; row++) {
        char texts[QUASI + SENSITIVE][16];
        const char *line[QUASI + SENSITIVE];
        for (size_t c = 0; c < QUASI + SENSITIVE; c++) {
            const char *prefix = c < QUASI && !(numeric && c == 2) ? "l" : "";
            snprintf(texts[c], sizeof texts[c], "%s%u", prefix,
                     below(random, c < QUASI ? spread : values));
            line[c] = texts[c];
        }
        MUST(hr_table_append(s->table, line, &err));
    }
    bind(s, numeric, bounded, random);
    s->data = (hr_microdata){.rows = rows,
                             .quasi = s->quasi,
                             .quasi_count = QUASI,
                             .sensitive = s->sensitive,
                             .sensitive_count = SENSITIVE};
    s->asked.p = 1 + below(random, 4);
    s->asked.k = s->asked.p + below(random, rows < 10 ? 2 : 6);
    MUST(hr_cells(s->quasi, QUASI, rows, true, &s->cells, &err));
    MUST(hr_facts_of(&s->cells, s->sensitive, SENSITIVE, &s->facts, &err));
    return hr_models_out(&s->facts, &s->asked, s->out) < rows;
}

static void drop(sample *s) {
    hr_facts_free(&s->facts);
    hr_groups_free(&s->cells);
    for (size_t j = 0; j < QUASI; j++)
        hr_quasi_free(&s->quasi[j]);
    for (size_t l = 0; l < SENSITIVE; l++)
        free(s->sensitive[l].value_of_code);
    hr_hierarchy_free(s->tree);
    hr_table_free(s->table);
}

/* ---- running ---- */

typedef struct {
    hr_hedge_options hedge;
    unsigned threads;
    const hr_watch *watch;
} how;

static hr_status run(const sample *s, const char *name, how h, hr_partition *out, hr_error *err) {
    const hr_algorithm *algorithm = hr_algorithm_find(name);
    hr_greedy_options greedy = {0};
    hr_search search = {.data = &s->data,
                        .cells = &s->cells,
                        .out = s->out,
                        .asked = s->asked,
                        .algorithm = algorithm,
                        .options = &greedy,
                        .seed = 7,
                        .threads = h.threads ? h.threads : 1,
                        .watch = h.watch,
                        .least = 0};
    if (!strcmp(name, "hedge")) search.options = &h.hedge;
    return hr_search_run(&search, out, err);
}

/* The loss of released rows, as the measure's value_cost says. */
static uint64_t loss_of(const sample *s, const hr_partition *p, const char *measure) {
    uint64_t loss = 0;
    for (size_t row = 0; row < p->rows; row++)
        for (size_t j = 0; j < QUASI && p->cluster[row] != HR_NONE; j++)
            loss += hr_measure_find(measure)->value_cost(&s->data, j,
                                                         p->values[p->cluster[row] * QUASI + j]);
    return loss;
}

/* The cover alone, as an algorithm. */
static hr_status cover_axes(const hr_microdata *data, const hr_layout *layout, const void *options,
                            void **shared, hr_error *err) {
    (void)layout;
    (void)options;
    hr_axes *axes = *shared = hr_alloc(1, sizeof *axes, err);
    return axes ? hr_axes_make(data, hr_measure_find("ntil"), axes, err) : HR_ENOMEM;
}

static void drop_axes(void *shared) {
    if (shared) hr_axes_free(shared);
    free(shared);
}

static hr_status cover_cell(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    const double *deadline = task->options;
    hr_kinds kinds = {0};
    HR_TRY(hr_cell_kinds(task, task->shared, &kinds, err));
    hr_status status = hr_cover(task, &kinds, task->shared, *deadline, out, err);
    hr_kinds_free(&kinds);
    return status;
}

static hr_status run_cover(const sample *s, unsigned threads, double deadline, hr_partition *out,
                           hr_error *err) {
    static const hr_cell_search own = {
        .wants_layout = true, .prepare = cover_axes, .discard = drop_axes, .run = cover_cell};
    static const hr_algorithm algorithm = {.name = "cover", .enforces_p = true, .per_cell = &own};
    hr_search search = {.data = &s->data,
                        .cells = &s->cells,
                        .out = s->out,
                        .asked = s->asked,
                        .algorithm = &algorithm,
                        .options = &deadline,
                        .threads = threads};
    return hr_search_run(&search, out, err);
}

static uint64_t run_loss(const sample *s, const char *name, how h, const char *measure) {
    hr_partition p;
    MUST(run(s, name, h, &p, &err));
    uint64_t loss = loss_of(s, &p, measure);
    hr_partition_free(&p);
    return loss;
}

/* ---- judging ---- */

static bool holds(const sample *s, const bool *member) {
    int64_t size = 0;
    for (size_t row = 0; row < s->data.rows; row++)
        size += member[row];
    if (size < s->asked.k) return false;
    for (size_t l = 0; l < SENSITIVE && s->asked.p > 1; l++) {
        int64_t distinct = 0;
        for (uint32_t value = 0; value < s->sensitive[l].value_count; value++) {
            bool has = false;
            for (size_t row = 0; row < s->data.rows; row++)
                has |= member[row] && hr_sensitive_value(&s->sensitive[l], row) == value;
            distinct += has;
        }
        if (distinct < s->asked.p) return false;
    }
    return true;
}

static void check_release(const sample *s, const hr_partition *p) {
    for (size_t row = 0; row < p->rows; row++) {
        uint32_t cell = s->cells.of_row[row];
        assert_int_equal(p->cluster[row] == HR_NONE, s->out[cell]);
    }
    for (uint32_t c = 0; c < p->cluster_count; c++) {
        bool member[ROWS] = {0};
        uint32_t cell = HR_NONE;
        for (size_t row = 0; row < p->rows; row++) {
            member[row] = p->cluster[row] == c;
            if (!member[row]) continue;
            if (cell != HR_NONE) assert_int_equal(cell, s->cells.of_row[row]);
            cell = s->cells.of_row[row];
        }
        assert_true(holds(s, member));
    }
}

static void test_releases(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 11, 0);
    int better = 0;
    for (int round = 0; round < 60; round++) {
        sample s;
        hr_partition one, many;
        how h = {.threads = 1};
        h.hedge.effort = round % 6 ? HR_EFFORT_QUICK : HR_EFFORT_NORMAL;
        if (draw(&s, &random, 20 + below(&random, round % 6 ? ROWS - 20 : 60))) {
            MUST(run(&s, "hedge", h, &one, &err));
            check_release(&s, &one);
            h.threads = 2 + below(&random, 4);
            MUST(run(&s, "hedge", h, &many, &err));
            assert_int_equal(one.cluster_count, many.cluster_count);
            assert_memory_equal(one.cluster, many.cluster, one.rows * sizeof *one.cluster);
            uint64_t loss = loss_of(&s, &one, "ntil");
            uint64_t greedy = run_loss(&s, "greedy-pk", h, "ntil");
            uint64_t enhanced = run_loss(&s, "enhanced-pk", h, "ntil");
            assert_true(loss <= greedy && loss <= enhanced);
            if (s.asked.p == 1) assert_true(loss <= run_loss(&s, "k-member", h, "ntil"));
            better += loss < greedy && loss < enhanced;
            hr_partition_free(&one);
            hr_partition_free(&many);
        }
        drop(&s);
    }
    assert_true(better > 30);
}

/* ---- the least loss of a few rows ---- */

typedef struct {
    const sample *s;
    int class[8], classes;
    uint64_t least;
} counting;

static uint64_t partition_loss(const counting *c) {
    uint64_t loss = 0;
    for (int class = 0; class < c->classes; class ++) {
        bool member[ROWS] = {0};
        hr_span values[QUASI];
        uint32_t cell = HR_NONE, rows = 0;
        for (size_t row = 0; row < c->s->data.rows; row++) {
            if (c->class[row] != class) continue;
            if (cell != HR_NONE && cell != c->s->cells.of_row[row]) return UINT64_MAX;
            cell = c->s->cells.of_row[row];
            member[row] = true;
            for (size_t j = 0; j < QUASI; j++) {
                uint32_t value = hr_quasi_value(&c->s->quasi[j], row);
                hr_span own = {value, value};
                values[j] = rows ? hr_quasi_join(&c->s->quasi[j], values[j], own) : own;
            }
            rows++;
        }
        if (!holds(c->s, member)) return UINT64_MAX;
        for (size_t j = 0; j < QUASI; j++)
            loss += (uint64_t)rows * hr_quasi_cost(&c->s->quasi[j], values[j]);
    }
    return loss;
}

static void count_from(counting *c, size_t row) {
    if (row == c->s->data.rows) {
        uint64_t loss = partition_loss(c);
        if (loss < c->least) c->least = loss;
        return;
    }
    if (c->s->out[c->s->cells.of_row[row]]) {
        c->class[row] = -1;
        count_from(c, row + 1);
        return;
    }
    for (int class = 0; class <= c->classes; class ++) {
        int before = c->classes;
        c->class[row] = class;
        if (class == c->classes) c->classes++;
        count_from(c, row + 1);
        c->classes = before;
    }
}

static void test_least(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 5, 0);
    int tables = 0, reached = 0;
    for (int round = 0; round < 250; round++) {
        sample s;
        if (draw(&s, &random, 4 + below(&random, 5))) {
            counting c = {.s = &s, .least = UINT64_MAX};
            count_from(&c, 0);
            uint64_t loss = run_loss(&s, "hedge", (how){0}, "ntil");
            assert_true(loss >= c.least);
            tables++;
            reached += loss == c.least;
        }
        drop(&s);
    }
    assert_true(tables > 100);
    assert_true(reached * 20 >= tables * 19);
}

/* ---- the cover alone ---- */

static void test_cover(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 53, 0);
    uint64_t sum = 0, greedy = 0;
    for (int round = 0; round < 120; round++) {
        sample s;
        hr_partition one, many;
        if (draw(&s, &random, 20 + below(&random, ROWS - 20))) {
            MUST(run_cover(&s, 1, 0, &one, &err));
            check_release(&s, &one);
            MUST(run_cover(&s, 2 + below(&random, 4), 0, &many, &err));
            assert_memory_equal(one.cluster, many.cluster, one.rows * sizeof *one.cluster);
            sum += loss_of(&s, &one, "ntil");
            greedy += run_loss(&s, "greedy-pk", (how){0}, "ntil");
            hr_partition_free(&one);
            hr_partition_free(&many);
            MUST(run_cover(&s, 1, 1e-9, &one, &err)); /* no time */
            check_release(&s, &one);
            hr_partition_free(&one);
        }
        drop(&s);
    }
    assert_true(sum < greedy);
}

/* Does some sensitive value have a larger share of a cluster than alpha? */
static bool exceeds_alpha(const sample *s, const hr_partition *p, uint32_t cluster) {
    for (size_t l = 0; l < SENSITIVE; l++)
        for (uint32_t value = 0; value < s->sensitive[l].value_count; value++) {
            uint32_t size = 0, rows = 0;
            for (size_t row = 0; row < p->rows; row++) {
                size += p->cluster[row] == cluster;
                rows += p->cluster[row] == cluster &&
                        hr_sensitive_value(&s->sensitive[l], row) == value;
            }
            if (rows > s->asked.alpha * size) return true;
        }
    return false;
}

/* The cover respects models beside k and p, so that few of its classes need repair. */
static void test_cover_judged(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 61, 0);
    uint32_t classes = 0, exceeding = 0;
    for (int round = 0; round < 60; round++) {
        sample s;
        hr_partition p;
        bool some = draw(&s, &random, 20 + below(&random, ROWS - 20));
        s.asked.alpha = 0.6;
        if (some && hr_models_out(&s.facts, &s.asked, s.out) < s.data.rows) {
            MUST(run_cover(&s, 1, 0, &p, &err));
            for (uint32_t c = 0; c < p.cluster_count; c++)
                exceeding += exceeds_alpha(&s, &p, c);
            classes += p.cluster_count;
            hr_partition_free(&p);
        }
        drop(&s);
    }
    assert_true(classes > 300);
    assert_true(exceeding * 100 < classes);
}

/* The cover of a few rows against the least loss of all partitions. */
static void test_cover_least(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 59, 0);
    int tables = 0, reached = 0;
    for (int round = 0; round < 250; round++) {
        sample s;
        hr_partition p;
        if (draw(&s, &random, 4 + below(&random, 5))) {
            counting c = {.s = &s, .least = UINT64_MAX};
            count_from(&c, 0);
            MUST(run_cover(&s, 1, 0, &p, &err));
            check_release(&s, &p);
            uint64_t loss = loss_of(&s, &p, "ntil");
            assert_true(loss >= c.least);
            tables++;
            reached += loss == c.least;
            hr_partition_free(&p);
        }
        drop(&s);
    }
    assert_true(tables > 100);
    assert_true(reached * 3 >= tables * 2);
}

static void test_cover_memory(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 61, 0);
    sample s;
    while (!draw(&s, &random, 120))
        drop(&s);
    hr_status status = HR_ENOMEM;
    for (long nth = 1; status == HR_ENOMEM; nth++) {
        hr_partition p;
        hr_error err = {0};
        hr_memory_fail_at(nth);
        status = run_cover(&s, 1, 0, &p, &err);
        hr_memory_fail_at(0);
        if (status == HR_OK) hr_partition_free(&p);
    }
    assert_int_equal(status, HR_OK);
    drop(&s);
}

/* ---- other losses ---- */

static void test_losses(void **state) {
    (void)state;
    static const char *const names[] = {"ntil", "ncp", "weighted_loss"};
    hr_random random;
    hr_random_seed(&random, 23, 0);
    uint64_t sum[3][3] = {0};
    for (int round = 0; round < 12; round++) {
        sample s;
        if (draw(&s, &random, 150))
            for (int loss = 0; loss < 3; loss++)
                for (int measure = 0; measure < 3; measure++)
                    sum[loss][measure] += run_loss(
                        &s, "hedge", (how){.hedge = {HR_EFFORT_NORMAL, loss, 0}}, names[measure]);
        drop(&s);
    }
    for (int loss = 0; loss < 3; loss++)
        for (int other = 0; other < 3; other++)
            if (other != loss) assert_true(sum[loss][loss] < sum[other][loss]);
}

/* ---- more effort, and what is told meanwhile ---- */

static void test_efforts(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 29, 0);
    int tables = 0, better = 0;
    while (tables < 6) {
        sample s;
        if (draw(&s, &random, 90)) {
            uint64_t loss[3];
            for (int effort = 0; effort < 3; effort++)
                loss[effort] = run_loss(&s, "hedge", (how){.hedge = {.effort = effort}}, "ntil");
            assert_true(loss[1] <= loss[0]);
            assert_true(loss[2] <= loss[1]);
            better += loss[2] < loss[0];
            tables++;
        }
        drop(&s);
    }
    assert_true(better > 0);
}

typedef struct {
    const char *measure;
    double first, last;
    int calls;
} told_loss;

static void on_loss(const char *measure, double loss, double least, void *payload) {
    told_loss *told = payload;
    assert_string_equal(measure, told->measure);
    assert_true(isnan(least) == (strcmp(measure, "ntil") != 0));
    if (told->calls++ == 0) told->first = told->last = loss;
    assert_true(loss <= told->last);
    told->last = loss;
}

static void test_told(void **state) {
    (void)state;
    static const char *const names[] = {"ntil", "ncp", "weighted_loss"};
    hr_random random;
    hr_random_seed(&random, 43, 0);
    for (int round = 0; round < 60; round++) {
        sample s;
        told_loss told = {.measure = names[round % 3]};
        hr_watch watch = {.loss = on_loss, .payload = &told};
        if (draw(&s, &random, 100)) {
            hr_partition p;
            how h = {{.effort = HR_EFFORT_QUICK, .loss = round % 3}, round % 2 ? 2 : 1, &watch};
            MUST(run(&s, "hedge", h, &p, &err));
            uint64_t suppressed = 0,
                     whole = hr_measure_whole(hr_measure_find(told.measure), &s.data);
            for (size_t row = 0; row < p.rows; row++)
                suppressed += p.cluster[row] == HR_NONE;
            double lost = (double)(loss_of(&s, &p, told.measure) + suppressed * whole) /
                          ((double)whole * (double)p.rows);
            assert_true(told.calls > 0);
            assert_true(fabs(told.last - lost) < 1e-12);
            hr_partition_free(&p);
        }
        drop(&s);
    }
}

/* ---- callbacks ---- */

/* Several cells on several threads, each of which also runs other algorithms and climbs. */
static void test_overlap(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 47, 0);
    meeting m = {.nanoseconds = 2000000};
    hr_watch watch = {.progress = slow_progress,
                      .loss = slow_loss,
                      .notice = slow_notice,
                      .cancelled = slow_cancelled,
                      .payload = &m};
    /* A quiet machine searches a table before many calls are due: take as many tables as it
     * needs. */
    for (int tables = 0; atomic_load(&m.calls) <= 20 && tables < 200;) {
        sample s;
        if (draw(&s, &random, 200) && s.cells.count > 3) {
            hr_partition p;
            MUST(run(&s, "hedge", (how){{.effort = HR_EFFORT_NORMAL}, 4, &watch}, &p, &err));
            hr_partition_free(&p);
            tables++;
        }
        drop(&s);
    }
    assert_true(atomic_load(&m.calls) > 20);
    assert_int_equal(atomic_load(&m.overlaps), 0);
}

/* ---- ending early ---- */

static bool stop(void *payload) {
    return --*(int *)payload < 0;
}

static void test_ending(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 31, 0);
    sample s;
    while (!draw(&s, &random, 300))
        drop(&s);
    int chances = 2;
    hr_watch watch = {.cancelled = stop, .payload = &chances};
    hr_partition p;
    hr_error told = {0};
    assert_int_equal(run(&s, "hedge", (how){{HR_EFFORT_THOROUGH, 0, 0}, 2, &watch}, &p, &told),
                     HR_ECANCEL);
    MUST(run(&s, "hedge", (how){{HR_EFFORT_THOROUGH, 0, 0.01}, 2, NULL}, &p, &err));
    assert_true(p.time_limited);
    check_release(&s, &p);
    hr_partition_free(&p);
    /* A limit overrides the effort: the search goes on until then. */
    double begin = hr_seconds();
    MUST(run(&s, "hedge", (how){{HR_EFFORT_QUICK, 0, 0.5}, 2, NULL}, &p, &err));
    assert_true(p.time_limited && hr_seconds() - begin >= 0.4);
    check_release(&s, &p);
    hr_partition_free(&p);
    drop(&s);
}

#ifdef HR_FAULT
static void test_memory(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 41, 0);
    for (int round = 0; round < 3; round++) {
        sample s;
        while (!draw(&s, &random, 30))
            drop(&s);
        how h = {.hedge = {.effort = round ? HR_EFFORT_QUICK : HR_EFFORT_NORMAL}, .threads = 1};
        for (long nth = 1;; nth++) {
            hr_partition p;
            hr_error err = {0};
            hr_memory_fail_at(nth);
            hr_status status = run(&s, "hedge", h, &p, &err);
            hr_memory_fail_at(0);
            if (status == HR_OK) {
                hr_partition_free(&p);
                break;
            }
            assert_int_equal(status, HR_ENOMEM);
        }
        drop(&s);
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_releases),     cmocka_unit_test(test_least),
        cmocka_unit_test(test_cover),        cmocka_unit_test(test_cover_least),
        cmocka_unit_test(test_cover_memory), cmocka_unit_test(test_losses),
        cmocka_unit_test(test_cover_judged), cmocka_unit_test(test_efforts),
        cmocka_unit_test(test_told),         cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_ending),
#ifdef HR_FAULT
        cmocka_unit_test(test_memory),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
