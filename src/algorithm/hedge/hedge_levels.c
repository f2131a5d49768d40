/* hedge_levels.c - a first release by levels (hedge_scale.c). A vector has one level per attribute.
 * For each vector, in ascending order of average cost, combinations that are equal at these levels
 * and satisfy the models together become a class. A combination that is left in the end joins the
 * cheapest class whose levels contain it or, if there is none, the class of a combination near in
 * rank whose loss grows least.
 *
 * If there are too many vectors, chains of them are drawn at random: each chain raises one level
 * after another, from the values themselves to the whole cell. Combinations are compared by sums of
 * random numbers, one for every value of a level; combinations whose sums collide by chance would
 * share a class, which only costs more. If this takes long, more and more vectors are skipped.
 * Time: O(vectors x combinations left x attributes), but at most O(combinations x attributes x
 * log(vectors)) if there are many vectors. */
#include "algorithm/hedge/hedge.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    VECTORS = 4096, /* most vectors that are listed; if there are more, they are drawn: */
    DRAWN = 1024,
    WINDOW = 64,     /* ranks to either side in which a class is looked for */
    LOOKS = 1 << 26, /* combinations that are visited before vectors are skipped, but at least */
    LOOKS_EACH = 4,  /* so many times the number of combinations */
    FEWEST = 16      /* vectors that are tried even if there is no time */
};

typedef struct {
    const hr_cell_task *task;
    const hr_kinds *kinds;
    const hr_axes *axes;
    size_t t;
    double deadline; /* 0: none */
    hr_arena arena;
    hr_scales scales;
    const hr_scale *of; /* per attribute: scales.of */
    uint8_t *vector;
    size_t vector_count;
    size_t *order; /* the vectors, the cheapest first */
    size_t *used;  /* the vectors that opened classes, in this order */
    size_t used_count;
    uint64_t *vector_cost;

    uint32_t *left; /* combinations that are in no class */
    uint32_t left_count;
    uint32_t *cluster; /* of each combination */
    uint32_t cluster_count;
    hr_map64 groups;  /* sums of the combinations left, for the current vector */
    hr_map64 open;    /* sums of boxes that were opened */
    uint32_t *opened; /* their clusters */
    size_t opened_capacity;
    /* Per vector: group of each combination in `left`, rows of each group, and the places in `left`
     * of its combinations, from member[start[group]]. */
    uint32_t *group, *rows, *start, *member, *stamp;
    uint32_t stamps;
    uint32_t *state;   /* of the judge, for one group; NULL: k and p are all models */
    hr_taking *taking; /* classes take parts of groups; NULL: whole groups */
    uint32_t *listed;  /* combinations of a group */
    hr_error *err;
} cover;

/* ---- vectors ---- */

static void list_vectors(cover *c) {
    for (size_t v = 1; v < c->vector_count; v++) {
        uint8_t *vector = c->vector + v * c->t;
        memcpy(vector, vector - c->t, c->t);
        for (size_t j = 0; j < c->t; j++) {
            if (++vector[j] < c->of[j].count) break;
            vector[j] = 0;
        }
    }
}

/* Draws chains of vectors from the values to the whole cell. Of two attributes drawn at random, the
 * one that is cheaper to raise is raised next. */
static void draw_vectors(cover *c, size_t length) {
    hr_random random;
    hr_random_seed(&random, c->task->seed, c->task->stream);
    for (size_t v = 0; v < c->vector_count; v++) {
        uint8_t *vector = c->vector + v * c->t;
        if (v % length == 0) continue;
        memcpy(vector, vector - c->t, c->t);
        size_t best = c->t;
        uint64_t least = 0;
        for (int draws = 0; draws < 2;) {
            size_t j = hr_random_below(&random, c->t);
            if (vector[j] + 1u >= c->of[j].count) continue;
            uint64_t more = c->of[j].cost[vector[j] + 1] - c->of[j].cost[vector[j]];
            if (best == c->t || more < least) {
                best = j;
                least = more;
            }
            draws++;
        }
        vector[best]++;
    }
}

typedef struct {
    uint64_t cost;
    size_t vector;
} priced;

static int cheapest_first(const void *a, const void *b) {
    const priced *x = a, *y = b;
    if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
    return x->vector < y->vector ? -1 : x->vector > y->vector;
}

static hr_status make_vectors(cover *c) {
    size_t all = 1, length = 1;
    for (size_t j = 0; j < c->t; j++) {
        length += c->of[j].count - 1;
        all = all > VECTORS ? all : all * c->of[j].count;
    }
    bool drawn = all > VECTORS;
    c->vector_count = !drawn ? all : length > DRAWN ? length : DRAWN / length * length;
    c->vector = hr_arena_alloc(&c->arena, c->vector_count * c->t, 1, c->err);
    c->order = hr_arena_alloc(&c->arena, c->vector_count, sizeof *c->order, c->err);
    c->used = hr_arena_alloc(&c->arena, c->vector_count, sizeof *c->used, c->err);
    priced *list = hr_alloc(c->vector_count, sizeof *list, c->err);
    if (!c->vector || !c->order || !c->used || !list) {
        free(list);
        return HR_ENOMEM;
    }
    if (drawn)
        draw_vectors(c, length);
    else
        list_vectors(c);
    for (size_t v = 0; v < c->vector_count; v++) {
        list[v].vector = v;
        for (size_t j = 0; j < c->t; j++)
            list[v].cost += c->of[j].cost[c->vector[v * c->t + j]];
    }
    qsort(list, c->vector_count, sizeof *list, cheapest_first);
    for (size_t v = 0; v < c->vector_count; v++)
        c->order[v] = list[v].vector;
    free(list);
    return HR_OK;
}

/* ---- classes ---- */

static uint64_t sum_at(const cover *c, size_t vector, uint32_t combination) {
    const uint8_t *level = c->vector + vector * c->t;
    const uint32_t *place = c->scales.place + combination * c->t;
    uint64_t sum = 0;
    for (size_t j = 0; j < c->t; j++)
        sum += c->of[j].number[level[j]][place[j]];
    return sum;
}

/* Has the group p values of each sensitive attribute? */
static bool is_diverse(cover *c, uint32_t g) {
    const hr_kinds *kinds = c->kinds;
    for (size_t l = 0; l < kinds->r; l++) {
        uint32_t found = 0, stamp = ++c->stamps;
        for (uint32_t i = c->start[g]; i < c->start[g + 1] && found < kinds->p; i++) {
            uint32_t at = c->left[c->member[i]];
            for (uint32_t kind = kinds->kind_start[at]; kind < kinds->kind_start[at + 1]; kind++) {
                uint32_t value = kinds->kind_value[kind * kinds->r + l];
                if (value == HR_NONE) continue;
                uint32_t *seen = &c->stamp[kinds->value_start[l] + value];
                found += *seen != stamp;
                *seen = stamp;
            }
        }
        if (found < kinds->p) return false;
    }
    return true;
}

/* Does the group satisfy the models other than k and p? */
static bool is_judged_valid(const cover *c, uint32_t g) {
    const hr_kinds *kinds = c->kinds;
    const hr_judge *judge = kinds->judge;
    if (!judge) return true;
    hr_judge_clear(judge, c->state);
    for (uint32_t i = c->start[g]; i < c->start[g + 1]; i++) {
        uint32_t at = c->left[c->member[i]];
        for (uint32_t kind = kinds->kind_start[at]; kind < kinds->kind_start[at + 1]; kind++)
            hr_judge_add(judge, c->state, kinds->judged + kind * judge->width,
                         kinds->kind_rows[kind]);
    }
    return hr_judge_holds(judge, c->state);
}

static hr_status open_class(cover *c, size_t vector, uint32_t g) {
    uint32_t at;
    HR_TRY(
        hr_map64_intern(&c->open, sum_at(c, vector, c->left[c->member[c->start[g]]]), &at, c->err));
    HR_TRY(hr_grow(&c->opened, &c->opened_capacity, (size_t)at + 1, sizeof *c->opened, c->err));
    c->opened[at] = c->cluster_count;
    for (uint32_t i = c->start[g]; i < c->start[g + 1]; i++)
        c->cluster[c->left[c->member[i]]] = c->cluster_count;
    c->cluster_count++;
    if (c->used_count == 0 || c->used[c->used_count - 1] != vector)
        c->used[c->used_count++] = vector;
    return HR_OK;
}

/* Takes a part of the group as a class if one can be valid. */
static void take_part(cover *c, uint32_t g) {
    uint32_t count = 0;
    for (uint32_t i = c->start[g]; i < c->start[g + 1]; i++)
        c->listed[count++] = c->left[c->member[i]];
    hr_taking_try(c->taking, &(hr_group){c->listed, count});
}

/* Rows of the combination in no class. */
static uint32_t rows_left(const cover *c, uint32_t combination) {
    if (c->taking) return c->taking->left[combination];
    return c->cluster[combination] == HR_NONE ? c->kinds->combination_rows[combination] : 0;
}

static void drop_assigned(cover *c) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->left_count; i++)
        if (rows_left(c, c->left[i])) c->left[count++] = c->left[i];
    c->left_count = count;
}

static hr_status group_left(cover *c, size_t vector, bool *any) {
    hr_map64 *groups = &c->groups;
    *any = false;
    hr_map64_clear(groups, c->left_count);
    for (uint32_t i = 0; i < c->left_count; i++) {
        uint32_t known = groups->count, g;
        HR_TRY(hr_map64_intern(groups, sum_at(c, vector, c->left[i]), &g, c->err));
        if (g == known) c->rows[g] = 0;
        c->group[i] = g;
        c->rows[g] += rows_left(c, c->left[i]);
        *any = *any || c->rows[g] >= c->kinds->k;
    }
    return HR_OK;
}

static hr_status try_vector(cover *c, size_t vector) {
    bool any;
    hr_status status = group_left(c, vector, &any);
    if (status == HR_OK && any) {
        hr_group_by_key(c->group, c->left_count, c->groups.count, c->start, c->member);
        for (uint32_t g = 0; g < c->groups.count && status == HR_OK; g++)
            if (c->rows[g] < c->kinds->k)
                continue;
            else if (c->taking)
                take_part(c, g);
            else if (is_diverse(c, g) && is_judged_valid(c, g))
                status = open_class(c, vector, g);
        drop_assigned(c);
    }
    return status;
}

/* ---- combinations that are left ---- */

static void join_containing(cover *c) {
    for (uint32_t i = 0; i < c->left_count; i++)
        for (size_t v = 0; v < c->used_count; v++) {
            uint32_t at = hr_map64_find(&c->open, sum_at(c, c->used[v], c->left[i]));
            if (at == HR_NONE) continue;
            c->cluster[c->left[i]] = c->opened[at];
            break;
        }
    drop_assigned(c);
}

typedef struct {
    hr_span *value; /* clusters x t */
    uint64_t *rows; /* of each cluster */
} grown;

/* Returns how much the loss grows if the combination joins the cluster; with `really` it joins. */
static uint64_t join_cluster(const cover *c, grown *g, uint32_t cluster, uint32_t combination,
                             bool really) {
    uint64_t now = 0, joined = 0, more = c->kinds->combination_rows[combination];
    for (size_t j = 0; j < c->t; j++) {
        hr_span *value = &g->value[cluster * c->t + j];
        uint32_t code = c->kinds->code[combination * c->t + j];
        hr_span own = {code, code},
                both = value->lo == HR_NONE ? own : hr_axis_join(&c->axes->of[j], *value, own);
        if (value->lo != HR_NONE) now += hr_axis_cost(&c->axes->of[j], *value);
        joined += hr_axis_cost(&c->axes->of[j], both);
        if (really) *value = both;
    }
    uint64_t growth = (g->rows[cluster] + more) * joined - g->rows[cluster] * now;
    if (really) g->rows[cluster] += more;
    return growth;
}

/* Adds the combination to the class of a combination that is near in rank. */
static void join_nearest(cover *c, grown *g, uint32_t combination) {
    uint64_t least = UINT64_MAX;
    uint32_t best = HR_NONE, seen = 0;
    for (uint32_t far = 1; far < c->kinds->combination_count && seen < 2 * WINDOW; far++)
        for (int side = 0; side < 2; side++) {
            uint32_t at = side ? combination + far : combination - far;
            if (at >= c->kinds->combination_count || c->cluster[at] == HR_NONE) continue;
            seen++;
            uint64_t growth = join_cluster(c, g, c->cluster[at], combination, false);
            if (growth >= least) continue;
            least = growth;
            best = c->cluster[at];
        }
    join_cluster(c, g, best, combination, true);
    c->cluster[combination] = best;
}

static hr_status join_rest(cover *c) {
    if (c->left_count == 0) return HR_OK;
    grown g = {0};
    g.value = hr_alloc_raw(c->cluster_count * c->t, sizeof *g.value, c->err);
    g.rows = hr_alloc(c->cluster_count, sizeof *g.rows, c->err);
    if (g.value && g.rows) {
        memset(g.value, 0xff, c->cluster_count * c->t * sizeof *g.value);
        for (uint32_t i = 0; i < c->kinds->combination_count; i++)
            if (c->cluster[i] != HR_NONE) join_cluster(c, &g, c->cluster[i], i, true);
        for (uint32_t i = 0; i < c->left_count; i++)
            join_nearest(c, &g, c->left[i]);
    }
    hr_status status = g.value && g.rows ? HR_OK : HR_ENOMEM;
    free(g.value);
    free(g.rows);
    return status;
}

/* ---- the whole ---- */

static hr_status start(cover *c) {
    uint32_t count = c->kinds->combination_count;
    uint32_t **arrays[] = {&c->left, &c->cluster, &c->group, &c->rows, &c->member, &c->listed};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = hr_arena_alloc(&c->arena, count, sizeof **arrays[i], c->err);
        if (!*arrays[i]) return HR_ENOMEM;
    }
    c->start = hr_arena_alloc(&c->arena, (size_t)count + 2, sizeof *c->start, c->err);
    c->stamp =
        hr_arena_alloc(&c->arena, c->kinds->value_start[c->kinds->r], sizeof *c->stamp, c->err);
    if (!c->start || !c->stamp) return HR_ENOMEM;
    if (c->kinds->judge) {
        c->state = hr_arena_alloc(&c->arena, c->kinds->judge->words, sizeof *c->state, c->err);
        if (!c->state) return HR_ENOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        c->left[i] = i;
        c->cluster[i] = HR_NONE;
    }
    c->left_count = count;
    return HR_OK;
}

/* The number of vectors to go on by so that those that are tried, at `each` seconds, end before the
 * deadline. */
static size_t stride(const cover *c, size_t left, double each) {
    if (c->deadline <= 0 && !hr_progress_finishes(c->task->progress)) return 1;
    double time = hr_progress_finishes(c->task->progress) ? 0 : c->deadline - hr_seconds();
    size_t most = c->vector_count / FEWEST + 1;
    if (time < each * FEWEST) return most;
    double needed = (double)left * each / time;
    return needed < (double)most ? (size_t)needed + 1 : most;
}

static hr_status try_vectors(cover *c) {
    HR_TRY(start(c));
    HR_TRY(hr_scales_make(c->kinds, c->axes, &c->scales, c->err));
    c->of = c->scales.of;
    HR_TRY(make_vectors(c));
    uint64_t work = 0, limit = (uint64_t)LOOKS_EACH * c->left_count;
    if (limit < LOOKS) limit = LOOKS;
    for (size_t v = 0; v < c->vector_count && c->left_count > 0;) {
        double begin = hr_seconds();
        work += c->left_count;
        HR_TRY(try_vector(c, c->order[v]));
        HR_TRY(hr_progress_add(c->task->progress, 0, c->err));
        /* The last vector takes all combinations that are left. */
        size_t last = c->vector_count - 1,
               skip = (size_t)1 << (work / limit < 16 ? work / limit : 16);
        size_t least = v < last ? stride(c, last - v, hr_seconds() - begin) : 1;
        if (skip < least) skip = least;
        v = v < last && skip > last - v ? last : v + skip;
    }
    return HR_OK;
}

static hr_status run(cover *c, hr_clusters *out) {
    const hr_kinds *kinds = c->kinds;
    HR_TRY(try_vectors(c));
    join_containing(c);
    HR_TRY(join_rest(c));
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++)
            out->cluster[kinds->place[i]] = c->cluster[kinds->kind_combination[kind]];
    out->count = c->cluster_count;
    return HR_OK;
}

static void end(cover *c) {
    hr_map64_free(&c->open);
    hr_map64_free(&c->groups);
    hr_scales_free(&c->scales);
    free(c->opened);
    hr_arena_free(&c->arena);
}

hr_status hr_levels_cover(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                          double deadline, hr_clusters *out, hr_error *err) {
    cover c = {.task = task,
               .kinds = kinds,
               .axes = axes,
               .t = kinds->t,
               .deadline = deadline,
               .err = err};
    hr_status status = run(&c, out);
    end(&c);
    return status;
}

/* At the last vector all rows left are one group. They satisfy the models, so none remains. */
hr_status hr_levels_take(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                         double slack, double deadline, hr_clusters *out, hr_error *err) {
    hr_taking taking;
    cover c = {.task = task,
               .kinds = kinds,
               .axes = axes,
               .t = kinds->t,
               .deadline = deadline,
               .taking = &taking,
               .err = err};
    hr_status status = hr_taking_init(&taking, kinds, slack, out, err);
    if (status == HR_OK) status = try_vectors(&c);
    assert(status != HR_OK || c.left_count == 0);
    end(&c);
    hr_taking_free(&taking);
    return status;
}
