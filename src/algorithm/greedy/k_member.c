/* k_member.c - k-member clustering (Byun et al. 2007; Greedy_k-member_Clustering in Miller,
 * Campan, Truta 2008): a seed far from the last one, then k-1 times the row that makes the
 * cluster's loss grow least; fewer than k rows remain at the end and join the clusters where they
 * cost least. Within MAM cells this is GreedyCKA. Two forms with the same result: plain scans all
 * rows in each step, fast searches a tree over the combinations of values (index.h). Time: plain
 * O(n²) per cell; fast near-linear if similar rows are near each other in the tree. */
#include "algorithm/greedy/greedy.h"
#include "algorithm/index/index.h"

/* ---- plain ---- */

/* Position in g->live of the row furthest from the item that g was restarted with; of equals the
 * lowest row. */
static uint32_t furthest(const hr_greedy *g) {
    uint64_t most = 0;
    uint32_t best = 0;
    for (uint32_t at = 0; at < g->live_count; at++) {
        uint64_t distance = hr_greedy_cost(g, g->live[at]);
        if (at > 0 &&
            (distance < most || (distance == most && g->row[g->live[at]] > g->row[g->live[best]])))
            continue;
        most = distance;
        best = at;
    }
    return best;
}

static hr_status cluster_rows(hr_greedy *g, hr_error *err) {
    const hr_greedy_options *options = g->task->options;
    uint32_t seed = hr_greedy_first(g);
    while (g->live_count >= g->task->k) {
        hr_greedy_restart(g, seed);
        uint32_t at = furthest(g);
        seed = g->live[at];
        HR_TRY(hr_greedy_take(g, at, err));
        while (g->size < g->task->k)
            HR_TRY(hr_greedy_take(g, hr_greedy_cheapest(g), err));
        hr_greedy_keep(g);
    }
    for (uint32_t at = 0; at < g->live_count; at++)
        HR_TRY(hr_greedy_disperse(g, g->live[at], options->dispersal, err));
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

/* The row furthest from a seed is searched for while the cluster consists of the seed alone. It is
 * still the furthest when the cluster is complete, unless the cluster contains it. */
static hr_status index_rows(hr_index *ix, const hr_cell_task *task, hr_error *err) {
    const hr_greedy_options *options = task->options;
    uint32_t seed = hr_index_first(ix), furthest = seed;
    for (bool known = false; hr_index_live_count(ix) >= task->k;
         known = !hr_index_is_taken(ix, furthest)) {
        if (!known) {
            hr_index_restart(ix, seed);
            furthest = hr_index_furthest(ix);
        }
        seed = furthest;
        HR_TRY(hr_index_take(ix, seed, err));
        if (hr_index_live_count(ix) > 0) {
            furthest = hr_index_furthest(ix);
            hr_index_expect(ix, furthest);
        }
        while (hr_index_size(ix) < task->k)
            HR_TRY(hr_index_take(ix, hr_index_cheapest(ix), err));
        HR_TRY(hr_index_keep(ix, err));
    }
    return hr_index_finish(ix, options->dispersal, err);
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    const hr_greedy_options *options = task->options;
    hr_index *ix;
    hr_index_wants wants = {.furthest = true, .by_row = options->ties == HR_TIES_ROW};
    HR_TRY(hr_index_new(task, &wants, out, &ix, err));
    hr_status status = index_rows(ix, task, err);
    hr_index_free(ix);
    return status;
}

const hr_algorithm hr_algorithm_k_member = {
    .name = "k-member",
    .title = "k alone, without p: greedy clusters of k rows, each grown from a distant row",
    .reference = "Miller, Campan, Truta 2008, Greedy_k-member_Clustering; Byun et al. 2007",
    .options = hr_greedy_option_table,
    .options_size = sizeof(hr_greedy_options),
    .others = HR_OTHERS_REPAIRED,
    .per_cell =
        &(const hr_cell_search){.wants_layout = true, .run = run, .run_reference = run_plain},
};
