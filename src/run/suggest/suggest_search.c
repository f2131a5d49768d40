/* suggest_search.c - finds the combinations of boundary levels within a budget of suppressed rows
 * such that lowering any level exceeds it. A boundary along a level of each attribute cuts the rows
 * exactly as publishing these levels would, so these combinations are the minimal nodes of a
 * lattice, which incognito's search finds (algorithm/lattice). Two cases are heuristic:
 *
 *   - A lattice of more than HR_SUGGEST_LATTICE nodes. A descent starts at the top and lowers, over
 *     and over, the attribute whose next level reduces the greatest possible loss most, as long as
 *     the budget suffices. There is one descent for each attribute that is lowered first. No level
 *     of a combination found can be lowered, but not all such combinations are found.
 *   - Models other than k and p, which the lattice search does not support. The best combinations
 *     for k and p are raised until the budget suffices for all models, then lowered as far as it
 *     still does. */
#include "run/suggest/rollup.h"

#include <stdlib.h>
#include <string.h>

enum { CANDIDATES = 16 }; /* combinations for k and p that are tried with further models */

static size_t quasi_count(const hr_suggesting *s) {
    return s->rollup->dataset.data.quasi_count;
}

static bool is_free(const hr_suggesting *s, size_t j) {
    return s->out->attributes[j].varied;
}

/* ---- one combination ---- */

static hr_status price(const hr_suggesting *s, const uint32_t *at, uint64_t *out, hr_error *err) {
    size_t t = quasi_count(s);
    uint32_t **magval = hr_alloc(t, sizeof *magval, err);
    if (!magval) return HR_ENOMEM;
    for (size_t j = 0; j < t; j++)
        magval[j] = is_free(s, j) ? s->levels[j].magval[at[j]] : s->drawn.magval[j];
    hr_status status = hr_rollup_price(s->rollup, magval, &s->asked, s->watch, out, err);
    free(magval);
    return status;
}

/* Adds a combination unless it is listed; at[j] is an index of levels[j]. */
static hr_status add(hr_suggesting *s, const uint32_t *at, uint64_t suppressed, hr_error *err) {
    hr_suggestion *out = s->out;
    size_t t = quasi_count(s);
    uint64_t cost = s->fixed_cost;
    uint32_t *levels = hr_arena_alloc(&out->arena, t, sizeof *levels, err);
    if (!levels) return HR_ENOMEM;
    for (size_t j = 0; j < t; j++) {
        levels[j] = is_free(s, j) ? s->levels[j].level[at[j]] : HR_NONE;
        if (is_free(s, j)) cost += s->levels[j].cost[at[j]];
    }
    for (size_t i = 0; i < out->combination_count; i++)
        if (!memcmp(out->combinations[i].levels, levels, t * sizeof *levels)) return HR_OK;
    HR_TRY(hr_grow(&out->combinations, &out->combination_capacity, out->combination_count + 1,
                   sizeof *out->combinations, err));
    double most = (double)(out->figures.rows - s->rollup->dropped) * (double)t * HR_COST_ONE;
    out->combinations[out->combination_count++] = (hr_suggested){
        .levels = levels, .suppressed = suppressed, .loss_at_most = (double)cost / most};
    return HR_OK;
}

/* ---- all of them ---- */

typedef struct {
    hr_suggesting *s;
    hr_microdata data; /* only the quasi-identifiers that are varied */
    size_t *attribute; /* the number of each of these among all quasi-identifiers */
    hr_table_task task;
    hr_progress progress;
    hr_space space;
} lattice;

/* Groups the rows by the boundaries that stay as they are. Rows of groups that violate k or p are
 * suppressed in any case (*gone); the search works on the others. */
static hr_status cut_fixed(lattice *l, uint64_t *gone, hr_error *err) {
    const hr_suggesting *s = l->s;
    const hr_microdata *data = &s->rollup->dataset.data;
    const hr_requirements asked = {.k = s->asked.k, .p = s->asked.p};
    hr_groups *rows = &l->space.rows;
    hr_facts facts = {0};
    hr_quasi *quasi = hr_alloc_raw(data->quasi_count, sizeof *quasi, err);
    if (!quasi) return HR_ENOMEM;
    memcpy(quasi, data->quasi, data->quasi_count * sizeof *quasi);
    for (size_t j = 0; j < data->quasi_count; j++) {
        if (!quasi[j].tree) continue;
        quasi[j].magval = s->drawn.magval[j];
        quasi[j].bounded = !is_free(s, j);
    }
    hr_status status = hr_cells(quasi, data->quasi_count, data->rows, true, rows, err);
    free(quasi);
    if (status == HR_OK)
        status = hr_facts_of(rows, data->sensitive, data->sensitive_count, &facts, err);
    bool *out = status == HR_OK ? hr_alloc(facts.count, sizeof *out, err) : NULL;
    if (status == HR_OK && !out) status = HR_ENOMEM;
    if (out) *gone = s->rollup->dropped + hr_models_out(&facts, &asked, out);
    l->space.all_rows = rows->rows;
    for (size_t row = 0; out && row < rows->rows; row++) {
        if (rows->of_row[row] != HR_NONE && out[rows->of_row[row]]) rows->of_row[row] = HR_NONE;
        l->space.row_count += rows->of_row[row] != HR_NONE;
    }
    free(out);
    hr_facts_free(&facts);
    return status;
}

static hr_status fill_lattice(lattice *l, hr_error *err) {
    hr_suggesting *s = l->s;
    const hr_microdata *data = &s->rollup->dataset.data;
    hr_arena *arena = &l->space.arena;
    l->data = *data;
    l->data.quasi_count = 0;
    l->data.quasi = hr_arena_alloc(arena, data->quasi_count, sizeof *l->data.quasi, err);
    l->attribute = hr_arena_alloc(arena, data->quasi_count, sizeof *l->attribute, err);
    l->space.levels = hr_arena_alloc(arena, data->quasi_count, sizeof *l->space.levels, err);
    if (!l->data.quasi || !l->attribute || !l->space.levels) return HR_ENOMEM;
    l->space.nodes = 1;
    for (size_t j = 0; j < data->quasi_count; j++) {
        if (!is_free(s, j)) continue;
        size_t a = l->data.quasi_count++;
        uint32_t codes = data->quasi[j].column->dictionary.count;
        l->data.quasi[a] = data->quasi[j];
        l->attribute[a] = j;
        HR_TRY(hr_boundary_levels_map(&s->levels[j], &data->quasi[j], arena, &l->space.levels[a],
                                      err));
        l->space.nodes *= s->levels[j].count;
        if (codes > l->space.most_codes) l->space.most_codes = codes;
    }
    l->space.quasi_count = l->data.quasi_count;
    l->task = (hr_table_task){.data = &l->data,
                              .cells = &l->space.rows,
                              .k = (uint32_t)s->asked.k,
                              .p = (uint32_t)s->asked.p,
                              .threads = s->threads,
                              .watch = s->watch,
                              .progress = &l->progress};
    l->space.task = &l->task;
    return hr_lattice_findings_new(&l->task, &l->space.findings, err);
}

static hr_status take_nodes(lattice *l, hr_error *err) {
    hr_suggesting *s = l->s;
    const hr_lattice_findings *findings = l->space.findings;
    uint32_t *at = hr_arena_alloc(&l->space.arena, quasi_count(s), sizeof *at, err);
    if (!at) return HR_ENOMEM;
    for (size_t i = 0; i < findings->node_count; i++) {
        for (size_t a = 0; a < l->data.quasi_count; a++) {
            const hr_boundary_levels *levels = &s->levels[l->attribute[a]];
            uint32_t level = 0;
            while (levels->level[level] != findings->nodes[i].levels[a])
                level++;
            at[l->attribute[a]] = level;
        }
        HR_TRY(add(s, at, findings->nodes[i].suppressed, err));
    }
    return HR_OK;
}

static hr_status search_lattice(hr_suggesting *s, hr_error *err) {
    lattice l = {.s = s};
    uint64_t gone = 0;
    hr_status status = cut_fixed(&l, &gone, err);
    if (status == HR_OK && gone <= s->budget && l.space.row_count > 0) {
        l.space.limit = s->budget - gone;
        status = fill_lattice(&l, err);
        if (status == HR_OK) status = hr_lattice_minimal(&l.space, err);
        hr_progress_end(&l.progress);
        if (status == HR_OK) status = take_nodes(&l, err);
    }
    hr_space_free(&l.space);
    return status;
}

/* ---- a few of them ---- */

/* Lowers attribute j by one level if the budget suffices. */
static hr_status try_lower(const hr_suggesting *s, uint32_t *at, size_t j, uint64_t *suppressed,
                           bool *lowered, hr_error *err) {
    uint64_t gone;
    at[j]--;
    HR_TRY(price(s, at, &gone, err));
    *lowered = gone <= s->budget && gone < s->out->figures.rows;
    if (*lowered)
        *suppressed = gone;
    else
        at[j]++;
    return HR_OK;
}

/* The attribute, not `done`, whose next lower level reduces the greatest possible loss most. */
static size_t steepest(const hr_suggesting *s, const uint32_t *at, const bool *done) {
    size_t best = SIZE_MAX;
    uint64_t most = 0;
    for (size_t j = 0; j < quasi_count(s); j++) {
        if (!is_free(s, j) || done[j] || at[j] == 0) continue;
        uint64_t drop = s->levels[j].cost[at[j]] - s->levels[j].cost[at[j] - 1];
        if (best != SIZE_MAX && drop <= most) continue;
        best = j;
        most = drop;
    }
    return best;
}

/* Lowers attributes as far as the budget suffices: `first` once, then always the steepest. An
 * attribute that cannot be lowered now cannot be lowered later. */
static hr_status descend(hr_suggesting *s, uint32_t *at, bool *done, size_t first,
                         uint64_t *suppressed, hr_error *err) {
    bool lowered;
    memset(done, 0, quasi_count(s) * sizeof *done);
    for (size_t j = first;;) {
        if (j == SIZE_MAX || done[j] || at[j] == 0) j = steepest(s, at, done);
        if (j == SIZE_MAX) return HR_OK;
        HR_TRY(try_lower(s, at, j, suppressed, &lowered, err));
        done[j] = !lowered;
        if (j != first) j = SIZE_MAX;
    }
}

static void set_top(const hr_suggesting *s, uint32_t *at) {
    for (size_t j = 0; j < quasi_count(s); j++)
        at[j] = is_free(s, j) ? s->levels[j].count - 1 : 0;
}

static hr_status search_steps(hr_suggesting *s, uint32_t *at, bool *done, hr_error *err) {
    uint64_t top, suppressed;
    set_top(s, at);
    HR_TRY(price(s, at, &top, err));
    if (top > s->budget || top == s->out->figures.rows) return HR_OK;
    for (size_t first = 0; first <= quasi_count(s); first++) {
        if (first < quasi_count(s) && !is_free(s, first)) continue;
        set_top(s, at);
        suppressed = top;
        HR_TRY(descend(s, at, done, first < quasi_count(s) ? first : SIZE_MAX, &suppressed, err));
        HR_TRY(add(s, at, suppressed, err));
    }
    return HR_OK;
}

/* ---- models other than k and p ---- */

/* Raises, again and again, the attribute that saves most rows, until the budget suffices. *found is
 * false if it never does. */
static hr_status climb(const hr_suggesting *s, uint32_t *at, uint64_t *suppressed, bool *found,
                       hr_error *err) {
    HR_TRY(price(s, at, suppressed, err));
    while (!(*found = *suppressed <= s->budget && *suppressed < s->out->figures.rows)) {
        size_t best = SIZE_MAX;
        uint64_t least = 0;
        for (size_t j = 0; j < quasi_count(s); j++) {
            if (!is_free(s, j) || at[j] + 1 == s->levels[j].count) continue;
            uint64_t gone;
            at[j]++;
            hr_status status = price(s, at, &gone, err);
            at[j]--;
            HR_TRY(status);
            if (best != SIZE_MAX && gone >= least) continue;
            best = j;
            least = gone;
        }
        if (best == SIZE_MAX) return HR_OK;
        at[best]++;
        *suppressed = least;
    }
    return HR_OK;
}

static uint32_t index_of(const hr_boundary_levels *levels, uint32_t level) {
    uint32_t i = 0;
    while (levels->level[i] != level)
        i++;
    return i;
}

/* Replaces the combinations for k and p, best first, by combinations for all models. */
static hr_status raise_all(hr_suggesting *s, uint32_t *at, bool *done, hr_error *err) {
    hr_suggestion *out = s->out;
    hr_suggested *old = out->combinations;
    size_t count = out->combination_count < CANDIDATES ? out->combination_count : CANDIDATES;
    out->combinations = NULL;
    out->combination_count = out->combination_capacity = 0;
    hr_status status = HR_OK;
    for (size_t i = 0; i < count && status == HR_OK; i++) {
        uint64_t suppressed;
        bool found = false;
        for (size_t j = 0; j < quasi_count(s); j++)
            if (is_free(s, j)) at[j] = index_of(&s->levels[j], old[i].levels[j]);
        status = climb(s, at, &suppressed, &found, err);
        if (status == HR_OK && found) {
            status = descend(s, at, done, SIZE_MAX, &suppressed, err);
            if (status == HR_OK) status = add(s, at, suppressed, err);
        }
    }
    free(old);
    return status;
}

/* ---- order ---- */

/* A combination with the length of its levels, which a comparison function cannot get otherwise. */
typedef struct {
    hr_suggested combination;
    size_t count;
} sortable;

static int best_first(const void *a, const void *b) {
    const hr_suggested *x = &((const sortable *)a)->combination;
    const hr_suggested *y = &((const sortable *)b)->combination;
    if (x->loss_at_most != y->loss_at_most) return x->loss_at_most < y->loss_at_most ? -1 : 1;
    if (x->suppressed != y->suppressed) return x->suppressed < y->suppressed ? -1 : 1;
    for (size_t j = 0; j < ((const sortable *)a)->count; j++)
        if (x->levels[j] != y->levels[j]) return x->levels[j] < y->levels[j] ? -1 : 1;
    return 0;
}

static hr_status sort_combinations(hr_suggesting *s, hr_error *err) {
    hr_suggestion *out = s->out;
    sortable *sorted = hr_alloc_raw(out->combination_count, sizeof *sorted, err);
    if (!sorted) return HR_ENOMEM;
    for (size_t i = 0; i < out->combination_count; i++)
        sorted[i] = (sortable){out->combinations[i], quasi_count(s)};
    qsort(sorted, out->combination_count, sizeof *sorted, best_first);
    for (size_t i = 0; i < out->combination_count; i++)
        out->combinations[i] = sorted[i].combination;
    free(sorted);
    return HR_OK;
}

static hr_status search(hr_suggesting *s, uint32_t *at, bool *done, hr_error *err) {
    hr_suggestion_figures *figures = &s->out->figures;
    bool small = figures->lattice <= HR_SUGGEST_LATTICE, beyond = hr_models_beyond_kp(&s->asked);
    figures->exact = small && !beyond;
    HR_TRY(small ? search_lattice(s, err) : search_steps(s, at, done, err));
    HR_TRY(sort_combinations(s, err));
    if (!small || !beyond) return HR_OK;
    HR_TRY(raise_all(s, at, done, err));
    return sort_combinations(s, err);
}

hr_status hr_suggest_search(hr_suggesting *s, hr_error *err) {
    uint32_t *at = hr_alloc(quasi_count(s), sizeof *at, err);
    bool *done = hr_alloc(quasi_count(s), sizeof *done, err);
    hr_status status = at && done ? search(s, at, done, err) : HR_ENOMEM;
    free(at);
    free(done);
    return status;
}
