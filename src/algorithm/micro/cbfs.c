/* cbfs.c - CBFS, centroid-based fixed-size microaggregation (Laszlo, Mukherjee 2005;
 * Domingo-Ferrer, Sebé, Solanas 2007): while k points are live, makes a cluster of the point
 * furthest from their centroid and the points nearest to it. The leftover points join the cluster
 * with the nearest centroid. Time: O(n² / k) in the plain form; the fast form finds points with a
 * tree. */
#include "algorithm/micro/micro.h"

static hr_status make_clusters(hr_micro *m, hr_error *err) {
    while (m->live >= m->task->k) {
        uint32_t seed = hr_micro_furthest_from_centre(m);
        hr_micro_take(m, seed);
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

const hr_algorithm hr_algorithm_cbfs = {
    .name = "cbfs",
    .title = "numbers stay numbers, k alone: means of groups of k, each around the farthest row",
    .reference = "Laszlo, Mukherjee 2005; Domingo-Ferrer, Sebé, Solanas 2007",
    .options = hr_micro_option_table,
    .options_size = sizeof(hr_micro_options),
    .mean_decimals = hr_micro_decimals,
    .per_cell = &(const hr_cell_search){.run = run, .run_reference = run_plain},
};
