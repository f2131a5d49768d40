/* greedy_pk.c - GreedyPKClustering (Campan, Truta, Cooper 2010, section 3): a cluster grows by
 * the rows that are most diverse from it until it has p values of each sensitive attribute, then
 * by the rows of least loss until it has k rows. If the last cluster cannot be completed, its
 * rows are dispersed over the others. Within MAM cells this is GreedyCPKA. Two forms with the
 * same result: plain scans all rows in each step, fast searches a tree over the combinations of
 * values (index.h). Time: plain O(n²) per cell; fast near-linear if similar rows are near each
 * other in the tree. */
#include "algorithm/greedy/greedy.h"
#include "algorithm/index/index.h"

/* ---- plain ---- */

/* Position in g->live of the row most diverse from the item that g was restarted with; of equals
 * the lowest row. */
static uint32_t most_diverse(const hr_greedy *g) {
    int64_t most = -1;
    uint32_t best = 0;
    for (uint32_t at = 0; at < g->live_count; at++) {
        int64_t diversity = hr_greedy_diversity(g, g->live[at]);
        if (diversity < most || (diversity == most && g->row[g->live[at]] > g->row[g->live[best]]))
            continue;
        most = diversity;
        best = at;
    }
    return best;
}

/* Position in g->live of the cheapest of the rows most diverse from the cluster. */
static uint32_t next_diverse(const hr_greedy *g) {
    int64_t most = -1;
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t at = 0; at < g->live_count; at++) {
        int64_t diversity = hr_greedy_diversity(g, g->live[at]);
        if (diversity < most) continue;
        uint64_t cost = hr_greedy_cost(g, g->live[at]);
        if (diversity == most && cost >= least) continue;
        most = diversity;
        least = cost;
        best = at;
    }
    return best;
}

/* The last cluster could not be completed: disperse its rows, in tie order. */
static hr_status disperse_last(hr_greedy *g, hr_error *err) {
    const hr_greedy_options *options = g->task->options;
    for (uint32_t item = 0; item < g->task->row_count; item++)
        if (g->out->cluster[g->row[item]] == g->number)
            HR_TRY(hr_greedy_disperse(g, item, options->dispersal, err));
    return HR_OK;
}

static hr_status cluster_rows(hr_greedy *g, hr_error *err) {
    uint32_t seed = hr_greedy_first(g);
    while (g->live_count > 0) {
        hr_greedy_restart(g, seed);
        uint32_t at = most_diverse(g);
        seed = g->live[at];
        HR_TRY(hr_greedy_take(g, at, err));
        while (!hr_greedy_p_sensitive(g) && g->live_count > 0)
            HR_TRY(hr_greedy_take(g, next_diverse(g), err));
        while (g->size < g->task->k && g->live_count > 0)
            HR_TRY(hr_greedy_take(g, hr_greedy_cheapest(g), err));
        if (g->size < g->task->k || !hr_greedy_p_sensitive(g)) return disperse_last(g, err);
        hr_greedy_keep(g);
    }
    return HR_OK;
}

static hr_status run_plain(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    hr_greedy g;
    hr_status status = hr_greedy_init(&g, task, out, err);
    if (status == HR_OK) status = cluster_rows(&g, err);
    hr_greedy_free(&g);
    return status;
}

/* ---- fast ---- */

/* Grows the cluster to p values and k rows. *possible becomes false if no live row has a new value
 * or if too few live rows are left; the caller then disperses the cluster together with the live
 * rows. */
static hr_status grow(hr_index *ix, uint32_t k, bool *possible, hr_error *err) {
    uint32_t item = 0;
    *possible = true;
    while (!hr_index_p_sensitive(ix)) {
        *possible = hr_index_diverse(ix, &item);
        if (!*possible) return HR_OK;
        HR_TRY(hr_index_take(ix, item, err));
    }
    *possible = hr_index_size(ix) + hr_index_live_count(ix) >= k;
    while (*possible && hr_index_size(ix) < k)
        HR_TRY(hr_index_take(ix, hr_index_cheapest(ix), err));
    return HR_OK;
}

/* The row most diverse from a seed is searched for while the cluster consists of the seed alone.
 * It is still the most diverse when the cluster is complete, unless the cluster contains it. */
static hr_status index_rows(hr_index *ix, const hr_cell_task *task, hr_error *err) {
    const hr_greedy_options *options = task->options;
    uint32_t seed = hr_index_first(ix), diverse = seed;
    for (bool known = false; hr_index_live_count(ix) > 0; known = !hr_index_is_taken(ix, diverse)) {
        bool possible;
        if (!known) {
            hr_index_restart_values(ix, seed);
            diverse = hr_index_most_diverse(ix);
        }
        seed = diverse;
        HR_TRY(hr_index_take(ix, seed, err));
        if (hr_index_live_count(ix) > 0) {
            diverse = hr_index_most_diverse(ix);
            hr_index_expect(ix, diverse);
        }
        HR_TRY(grow(ix, task->k, &possible, err));
        if (!possible) break;
        HR_TRY(hr_index_keep(ix, err));
    }
    return hr_index_finish(ix, options->dispersal, err);
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    const hr_greedy_options *options = task->options;
    size_t sensitive = task->data->sensitive_count;
    hr_index *ix;
    hr_index_wants wants = {.sensitive = sensitive > 0,
                            .seeds = true,
                            .diverse = task->p > 1,
                            .by_row = options->ties == HR_TIES_ROW};
    HR_TRY(hr_index_new(task, &wants, out, &ix, err));
    hr_status status = index_rows(ix, task, err);
    hr_index_free(ix);
    return status;
}

const hr_algorithm hr_algorithm_greedy_pk = {
    .name = "greedy-pk",
    .title =
        "fast, the papers' baseline: grows clusters by rows with new sensitive values, then by "
        "the cheapest",
    .reference = "Campan, Truta, Cooper 2010, GreedyPKClustering",
    .options = hr_greedy_option_table,
    .options_size = sizeof(hr_greedy_options),
    .enforces_p = true,
    .others = HR_OTHERS_REPAIRED,
    .per_cell =
        &(const hr_cell_search){.wants_layout = true, .run = run, .run_reference = run_plain},
};
