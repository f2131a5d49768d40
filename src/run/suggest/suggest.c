/* suggest.c - suggestions for a budget of suppressed rows: boundaries of all attributes together,
 * the boundary of each attribute alone, and k and p. */
#include "run/suggest/rollup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The largest number of rows that is at most this share of all rows. Compares quotients, because
 * products are rounded: 0.29 * 100 is less than 29. */
static uint64_t rows_within(double share, uint64_t rows) {
    uint64_t most = (uint64_t)(share * (double)rows);
    while (most < rows && (double)(most + 1) / (double)rows <= share)
        most++;
    while (most > 0 && (double)most / (double)rows > share)
        most--;
    return most;
}

/* ---- attributes ---- */

/* The level of the job's boundary; without a boundary, the level of the root. */
static hr_status own_level(const hr_attribute *attribute, const hr_hierarchy *tree, uint32_t *out,
                           hr_error *err) {
    *out = HR_NONE;
    if (attribute->boundary.nodes) return HR_OK;
    *out = tree->level_count - 1;
    if (!attribute->boundary.level) return HR_OK;
    return hr_hierarchy_level(tree, attribute->boundary.level, "boundary", out, err);
}

/* The cost of publishing every number as its cell. */
static hr_status number_cost(const hr_rollup *r, size_t j, uint64_t *out, hr_error *err) {
    const hr_quasi *quasi = &r->dataset.data.quasi[j];
    const uint32_t *codes = r->columns[j].codes;
    uint64_t *rows = hr_alloc(r->code_count[j], sizeof *rows, err);
    if (!rows) return HR_ENOMEM;
    for (uint32_t c = 0; c < r->count; c++)
        rows[codes[c]] += r->facts.size[c];
    for (uint32_t code = 0; code < r->code_count[j] && r->count > 0; code++) {
        uint32_t cell = r->cell_of[j][code];
        uint32_t end = quasi->bounded ? hr_quasi_next_cell(quasi, cell) : quasi->value_count;
        *out += rows[code] * hr_quasi_cost(quasi, (hr_span){cell, end - 1});
    }
    free(rows);
    return HR_OK;
}

static uint64_t drawn_cost(const hr_rollup *r, size_t j, const uint32_t *magval) {
    const hr_quasi *quasi = &r->dataset.data.quasi[j];
    const uint32_t *codes = r->columns[j].codes;
    uint64_t cost = 0;
    for (uint32_t c = 0; c < r->count; c++)
        cost += (uint64_t)r->facts.size[c] * quasi->tree->cost[magval[codes[c]]];
    return cost;
}

static hr_status describe(hr_suggesting *s, const hr_job *job, size_t j, hr_error *err) {
    const hr_quasi *quasi = &s->rollup->dataset.data.quasi[j];
    hr_suggested_attribute *own = &s->out->attributes[j];
    *own = (hr_suggested_attribute){.level = HR_NONE, .lowest = HR_NONE, .alone = HR_NONE};
    own->name = hr_arena_text(&s->out->arena, quasi->name, strlen(quasi->name), err);
    if (!own->name) return HR_ENOMEM;
    if (!quasi->tree) return number_cost(s->rollup, j, &s->fixed_cost, err);
    own->tree = hr_hierarchy_share(quasi->tree);
    HR_TRY(own_level(hr_attribute_find(job, quasi->name), quasi->tree, &own->level, err));
    HR_TRY(hr_boundary_levels_make(s->rollup, j, &s->levels[j], err));
    own->lowest = s->levels[j].lowest;
    own->varied = own->level != HR_NONE;
    if (!own->varied) s->fixed_cost += drawn_cost(s->rollup, j, s->drawn.magval[j]);
    if (own->varied) s->out->figures.lattice *= s->levels[j].count;
    if (s->levels[j].skipped)
        hr_notice(
            s->watch,
            "hierarchy of '%s': %u level%s not tried, because a label is in different columns "
            "of different lines",
            quasi->name, s->levels[j].skipped, s->levels[j].skipped == 1 ? " is" : "s are");
    return HR_OK;
}

/* The lowest level of one attribute within the budget, with the job's boundaries for all others. A
 * binary search, because higher boundaries never suppress more rows. (With models other than k and
 * p and several sensitive attributes the result is an estimate.) */
static hr_status find_alone(hr_suggesting *s, size_t j, uint32_t **magval, hr_error *err) {
    const hr_boundary_levels *levels = &s->levels[j];
    hr_suggested_attribute *own = &s->out->attributes[j];
    uint32_t low = 0, high = levels->count;
    uint32_t *drawn = magval[j];
    hr_status status = HR_OK;
    while (low < high && status == HR_OK) {
        uint32_t middle = low + (high - low) / 2;
        uint64_t gone;
        magval[j] = levels->magval[middle];
        status = hr_rollup_price(s->rollup, magval, &s->asked, s->watch, &gone, err);
        if (status != HR_OK) break;
        if (gone <= s->budget && gone < s->out->figures.rows) {
            high = middle;
            own->alone = levels->level[middle];
            own->alone_suppressed = gone;
        } else {
            low = middle + 1;
        }
    }
    magval[j] = drawn;
    return status;
}

/* ---- the whole ---- */

static hr_status fill(hr_suggesting *s, const hr_job *job, hr_error *err) {
    const hr_microdata *data = &s->rollup->dataset.data;
    hr_suggestion *out = s->out;
    HR_TRY(hr_drawn_make(s->rollup, job, &s->drawn, err));
    s->levels = hr_alloc(data->quasi_count, sizeof *s->levels, err);
    out->attributes = hr_alloc(data->quasi_count, sizeof *out->attributes, err);
    if (!s->levels || !out->attributes) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++) {
        out->attribute_count++;
        HR_TRY(describe(s, job, j, err));
    }
    out->cuts_stay = hr_cuts_chosen(data);
    HR_TRY(hr_suggest_kp(s, err));
    for (size_t j = 0; j < data->quasi_count; j++)
        if (data->quasi[j].tree) HR_TRY(find_alone(s, j, s->drawn.magval, err));
    return hr_suggest_search(s, err);
}

static hr_status check_share(double share, hr_error *err) {
    if (share >= 0 && share <= 1) return HR_OK;
    return hr_fail(err, HR_EINVAL, "%.6g is not a share of the rows: give a number from 0 to 1",
                   share);
}

hr_status hr_rollup_suggest(const hr_rollup *rollup, const hr_job *job, double share,
                            const hr_watch *watch, hr_suggestion **out, hr_error *err) {
    hr_watch own;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    HR_TRY(check_share(share, err));
    HR_TRY(hr_job_complete(job, err));
    hr_suggestion *made = hr_alloc(1, sizeof *made, err);
    if (!made) return HR_ENOMEM;
    uint64_t rows = rollup->dataset.data.rows;
    hr_suggesting s = {.rollup = rollup,
                       .asked = hr_job_asked(job),
                       .k = job->asked.k,
                       .budget = rows_within(share, rows),
                       .threads = job->search.threads ? job->search.threads : hr_cores(),
                       .watch = &own,
                       .out = made};
    made->figures = (hr_suggestion_figures){
        .rows = rows, .budget = s.budget, .k = s.asked.k, .p = s.asked.p, .lattice = 1};
    hr_status status = fill(&s, job, err);
    for (size_t j = 0; s.levels && j < rollup->dataset.data.quasi_count; j++)
        hr_boundary_levels_free(&s.levels[j]);
    free(s.levels);
    hr_drawn_free(&s.drawn);
    if (status == HR_OK)
        *out = made;
    else
        hr_suggestion_free(made);
    return status;
}

const hr_suggestion_figures *hr_suggestion_result(const hr_suggestion *suggestion) {
    return &suggestion->figures;
}

const hr_suggested *hr_suggestion_at(const hr_suggestion *suggestion, size_t i) {
    return i < suggestion->combination_count ? &suggestion->combinations[i] : NULL;
}

const hr_suggested_attribute *hr_suggestion_attribute(const hr_suggestion *suggestion, size_t j) {
    return j < suggestion->attribute_count ? &suggestion->attributes[j] : NULL;
}

const hr_kp *hr_suggestion_frontier(const hr_suggestion *suggestion, size_t i) {
    return i < suggestion->frontier_count ? &suggestion->frontier[i] : NULL;
}

void hr_suggestion_free(hr_suggestion *suggestion) {
    if (!suggestion) return;
    for (size_t j = 0; j < suggestion->attribute_count; j++)
        hr_hierarchy_free((hr_hierarchy *)suggestion->attributes[j].tree);
    free(suggestion->attributes);
    free(suggestion->combinations);
    free(suggestion->frontier);
    hr_arena_free(&suggestion->arena);
    free(suggestion);
}
