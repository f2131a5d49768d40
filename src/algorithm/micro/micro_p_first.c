/* micro_p_first.c - microaggregation that enforces p first (Domingo-Ferrer, Sebé, Solanas 2007,
 * Algorithm 2): a cluster starts with the live point furthest from the centroid of the live points,
 * takes the nearest points with a new sensitive value until it has p values of each attribute, and
 * then the nearest points until it has k. The leftover points join the cluster with the nearest
 * centroid. With p = 1 this is CBFS. Time: O(n² / k) in the plain form; the fast form finds points
 * with a tree. */
#include "algorithm/micro/micro.h"

/* Can the live points form another cluster? */
static bool enough_left(const hr_micro *m) {
    for (size_t l = 0; l < m->values.r; l++)
        if (m->values_left[l] < m->task->p) return false;
    return m->live >= m->task->k;
}

static hr_status make_clusters(hr_micro *m, hr_error *err) {
    while (enough_left(m)) {
        uint32_t seed = hr_micro_furthest_from_centre(m);
        hr_micro_take(m, seed);
        while (!hr_micro_p_sensitive(m))
            hr_micro_take(m, hr_micro_nearest_new(m, seed));
        hr_micro_fill(m, seed, m->task->k);
        HR_TRY(hr_micro_close(m, err));
    }
    return hr_micro_disperse(m, err);
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    return hr_micro_run(task, &hr_locator_tree, make_clusters, out, err);
}

static hr_status run_plain(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    return hr_micro_run(task, &hr_locator_scan, make_clusters, out, err);
}

const hr_algorithm hr_algorithm_micro_p_first = {
    .name = "micro-p-first",
    .title = "numbers stay numbers, with p: means of groups that first get p values, then k rows",
    .reference = "Domingo-Ferrer, Sebé, Solanas 2007, Algorithm 2",
    .options = hr_micro_option_table,
    .options_size = sizeof(hr_micro_options),
    .enforces_p = true,
    .takes_k_as_given = true,
    .mean_decimals = hr_micro_decimals,
    .per_cell = &(const hr_cell_search){.run = run, .run_reference = run_plain},
};
