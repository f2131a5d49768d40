/* suggest_kp.c - the largest k and p that boundaries allow within a budget of suppressed rows. For
 * a given p, cells with fewer values are suppressed in any case; as k grows, the smallest of the
 * other cells are suppressed first. So one list of cells by size serves every k.
 *
 * If cells of numbers are chosen from the data, each k and p has its own, as in a run. Then k and p
 * are raised in turn, and the table is cut anew for each pair that is tried. */
#include "run/suggest/rollup.h"

#include <stdlib.h>

typedef struct {
    uint32_t size, values; /* rows; least number of values of a sensitive attribute */
} cell_size;

static int by_size(const void *a, const void *b) {
    uint32_t x = ((const cell_size *)a)->size, y = ((const cell_size *)b)->size;
    return x < y ? -1 : x > y;
}

/* With p = 1 missing values do not matter. */
static bool is_poor(const cell_size *cell, int64_t p) {
    return p > 1 && cell->values < p;
}

/* For this p, the largest k that suppresses at most `budget` rows of cells, but not all cells; 0:
 * there is none. *gone receives the number of suppressed rows. */
static int64_t largest_k(const cell_size *cells, uint32_t count, int64_t p, uint64_t budget,
                         uint64_t *gone) {
    int64_t k = 0;
    uint64_t poor = 0, small = 0;
    for (uint32_t c = 0; c < count; c++)
        if (is_poor(&cells[c], p)) poor += cells[c].size;
    /* Cells of the same size are suppressed together. */
    for (uint32_t c = 0; c < count && poor + small <= budget; c++) {
        if (is_poor(&cells[c], p)) continue;
        if ((int64_t)cells[c].size > k) {
            k = cells[c].size;
            *gone = poor + small;
        }
        small += cells[c].size;
    }
    return k;
}

static hr_status add_point(hr_suggestion *out, hr_kp point, hr_error *err) {
    /* A point with the same k and a smaller p is no longer on the frontier. */
    if (out->frontier_count > 0 && out->frontier[out->frontier_count - 1].k == point.k)
        out->frontier_count--;
    HR_TRY(hr_grow(&out->frontier, &out->frontier_capacity, out->frontier_count + 1,
                   sizeof *out->frontier, err));
    out->frontier[out->frontier_count++] = point;
    return HR_OK;
}

/* Finds the frontier, p by p. `always`: rows suppressed whatever k and p are. */
static hr_status walk(const hr_suggesting *s, const cell_size *cells, uint32_t count,
                      uint64_t always, hr_error *err) {
    hr_suggestion_figures *figures = &s->out->figures;
    uint32_t most = 0;
    for (uint32_t c = 0; c < count; c++)
        if (cells[c].values != UINT32_MAX && cells[c].values > most) most = cells[c].values;
    if (always > s->budget) return HR_OK;
    for (int64_t p = 1; p == 1 || p <= most; p++) {
        uint64_t gone = 0;
        int64_t k = largest_k(cells, count, p, s->budget - always, &gone);
        if (k == 0) break;
        if (p == s->asked.p) figures->largest_k = k;
        if (k >= s->k && most > 0) figures->largest_p = p;
        HR_TRY(add_point(s->out, (hr_kp){k, p, gone + always}, err));
    }
    return HR_OK;
}

/* ---- cells of numbers that are chosen ---- */

typedef struct {
    hr_suggesting *s;
    hr_watch silent; /* notices are for the job's own k and p */
    hr_error *err;
} kp_search;

/* Counts the rows suppressed with this k and p. *within: they keep to the budget, and some rows
 * are left. */
static hr_status try_kp(const kp_search *search, hr_kp *at, bool *within) {
    const hr_suggesting *s = search->s;
    const hr_rollup *rollup = s->rollup;
    hr_requirements asked = s->asked;
    hr_microdata data;
    hr_facts facts = {0};
    uint64_t trimmed = 0;
    asked.k = at->k;
    asked.p = at->p;
    HR_TRY(hr_cuts_copy(&rollup->dataset.data, &data, search->err));
    for (size_t j = 0; j < data.quasi_count; j++) {
        if (!data.quasi[j].tree) continue;
        data.quasi[j].magval = s->drawn.magval[j];
        data.quasi[j].bounded = true;
    }
    hr_status status = hr_chosen_cut(&data, &asked, &search->silent, &facts, &trimmed, search->err);
    bool *out = status == HR_OK ? hr_alloc(facts.count, sizeof *out, search->err) : NULL;
    if (status == HR_OK && !out) status = HR_ENOMEM;
    if (out) {
        at->suppressed = hr_models_out(&facts, &asked, out) + trimmed + rollup->dropped;
        *within = at->suppressed <= s->budget && at->suppressed < s->out->figures.rows;
    }
    free(out);
    hr_facts_free(&facts);
    hr_cuts_discard(&data);
    return status;
}

/* Raises k or p (`which` of *at, which is within the budget) as far as the budget suffices, but not
 * to `limit`: by doubling, then by bisection. */
static hr_status raise_far(const kp_search *search, hr_kp *at, int64_t *which, int64_t limit) {
    bool doubling = true;
    while (*which + 1 < limit) {
        hr_kp before = *at;
        int64_t least = *which;
        bool within = false;
        *which = doubling && least < limit - least ? 2 * least : least + (limit - least) / 2;
        HR_TRY(try_kp(search, at, &within));
        if (within) continue;
        doubling = false;
        limit = *which;
        *at = before;
    }
    return HR_OK;
}

/* Finds the frontier, from its largest k to its largest p. */
static hr_status walk_numbers(hr_suggesting *s, hr_error *err) {
    hr_suggestion_figures *figures = &s->out->figures;
    kp_search search = {.s = s, .silent = hr_watch_silent(s->watch), .err = err};
    bool sensitive = s->rollup->dataset.data.sensitive_count > 0, within = false;
    hr_kp at = {.k = 1, .p = 1};
    int64_t most = (int64_t)figures->rows + 1; /* a k that suppresses all rows */
    HR_TRY(try_kp(&search, &at, &within));
    while (within) {
        HR_TRY(raise_far(&search, &at, &at.k, most));
        if (sensitive) HR_TRY(raise_far(&search, &at, &at.p, at.k + 1));
        if (at.p >= s->asked.p && !figures->largest_k) figures->largest_k = at.k;
        if (at.k >= s->k && sensitive) figures->largest_p = at.p;
        HR_TRY(add_point(s->out, at, err));
        if (!sensitive || at.p + 1 >= at.k) return HR_OK;
        most = at.k;
        at.k = at.p = at.p + 1;
        HR_TRY(try_kp(&search, &at, &within));
    }
    return HR_OK;
}

hr_status hr_suggest_kp(hr_suggesting *s, hr_error *err) {
    hr_rollup_cut cut;
    HR_TRY(hr_rollup_cut_along(s->rollup, s->drawn.magval, &s->asked, true, s->watch, &cut, err));
    s->out->figures.suppressed = cut.suppressed;
    cell_size *cells = hr_alloc(cut.facts.count, sizeof *cells, err);
    hr_status status = cells ? HR_OK : HR_ENOMEM;
    if (cells && hr_cuts_chosen(&s->rollup->dataset.data)) {
        status = walk_numbers(s, err);
    } else if (cells) {
        for (uint32_t c = 0; c < cut.facts.count; c++)
            cells[c] = (cell_size){cut.facts.size[c], hr_facts_least_values(&cut.facts, c)};
        qsort(cells, cut.facts.count, sizeof *cells, by_size);
        status = walk(s, cells, cut.facts.count, cut.trimmed + s->rollup->dropped, err);
    }
    free(cells);
    hr_rollup_cut_free(&cut);
    return status;
}
