/* greedy_pk.c - GreedyPKClustering (paper 000, section 3): a cluster grows by the rows that are most
 * diverse from it until it has p values of each sensitive attribute, then by the rows of least loss
 * until it has k rows; the last cluster, if it does not get there, is dispersed over the others.
 * Within MAM cells this is GreedyCPKA. Plain form. Time: O(n²) per cell. */
#include "algorithm/greedy.h"

/* Most diverse from the item the tables were restarted with; of equals the lowest row. */
static uint32_t most_diverse(const hr_greedy *g) {
    int64_t most = -1;
    uint32_t best = 0;
    for (uint32_t at = 0; at < g->live_count; at++) {
        int64_t diversity = hr_greedy_diversity(g, g->live[at]);
        if (diversity < most ||
            (diversity == most && g->row[g->live[at]] > g->row[g->live[best]]))
            continue;
        most = diversity;
        best = at;
    }
    return best;
}

/* Of the rows most diverse from the cluster the cheapest; false if none brings a new value. */
static bool next_diverse(const hr_greedy *g, uint32_t *best) {
    int64_t most = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t at = 0; at < g->live_count; at++) {
        int64_t diversity = hr_greedy_diversity(g, g->live[at]);
        if (diversity < most || diversity == 0) continue;
        uint64_t cost = hr_greedy_cost(g, g->live[at]);
        if (diversity == most && cost >= least) continue;
        most = diversity;
        least = cost;
        *best = at;
    }
    return most > 0;
}

/* Grow the cluster to p values. False: no row that is left brings a new one, so it never can. */
static hr_status grow_diverse(hr_greedy *g, bool *possible, hr_error *err) {
    uint32_t at = 0;
    *possible = true;
    while (!hr_greedy_p_sensitive(g)) {
        *possible = next_diverse(g, &at);
        if (!*possible) return HR_OK;
        HR_TRY(hr_greedy_take(g, at, err));
    }
    while (g->size < g->task->k && g->live_count > 0)
        HR_TRY(hr_greedy_take(g, hr_greedy_cheapest(g), err));
    *possible = g->size >= g->task->k;
    return HR_OK;
}

/* Put back the rows of the cluster at hand, all live ones to it, and disperse them in row order. The
 * paper adds the remaining rows to the hopeless cluster first; a set has no order, so neither way
 * of getting there makes a difference. */
static hr_status disperse_rest(hr_greedy *g, hr_error *err) {
    const hr_greedy_options *options = g->task->options;
    uint32_t n = g->task->row_count;
    uint32_t *item_of_row = hr_arena_alloc(&g->arena, n, sizeof *item_of_row, err);
    bool *loose = hr_arena_alloc(&g->arena, n, sizeof *loose, err);
    if (!item_of_row || !loose) return HR_ENOMEM;
    for (uint32_t item = 0; item < n; item++) {
        item_of_row[g->row[item]] = item;
        loose[g->row[item]] = g->out->cluster[g->row[item]] == g->number;
    }
    for (uint32_t at = 0; at < g->live_count; at++)
        loose[g->row[g->live[at]]] = true;
    g->live_count = 0;
    for (uint32_t row = 0; row < n; row++)
        if (loose[row]) HR_TRY(hr_greedy_disperse(g, item_of_row[row], options->dispersal, err));
    return HR_OK;
}

static hr_status cluster_rows(hr_greedy *g, hr_error *err) {
    uint32_t seed = hr_greedy_first(g);
    while (g->live_count > 0) {
        bool possible;
        hr_greedy_restart(g, seed);
        uint32_t at = most_diverse(g);
        seed = g->live[at];
        HR_TRY(hr_greedy_take(g, at, err));
        HR_TRY(grow_diverse(g, &possible, err));
        if (!possible) return disperse_rest(g, err);
        hr_greedy_keep(g);
    }
    return HR_OK;
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    hr_greedy g;
    hr_status status = hr_greedy_init(&g, task, out, err);
    if (status == HR_OK) status = cluster_rows(&g, err);
    hr_greedy_free(&g);
    return status;
}

const hr_algorithm hr_algorithm_greedy_pk = {
    .name = "greedy-pk",
    .title = "greedy clusters, diverse first, then cheap",
    .reference = "paper 000, GreedyPKClustering",
    .options = hr_greedy_option_table,
    .options_size = sizeof(hr_greedy_options),
    .wants_layout = true,
    .enforces_p = true,
    .run = run,
};
