/* mdav.c - MDAV, maximum distance to average vector (Domingo-Ferrer, Torra 2005; Domingo-Ferrer,
 * Sebé, Solanas 2007): makes a cluster around the live point furthest from the centroid of the live
 * points and a second one around the point furthest from the first, until fewer than 3k points are
 * live. Time: O(n² / k) in the plain form; the fast form finds points with a tree. */
#include "algorithm/micro/micro.h"

/* Finishes the current cluster and clears *sensitive if it is not p-sensitive. */
static hr_status close(hr_micro *m, bool *sensitive, hr_error *err) {
    if (sensitive && !hr_micro_p_sensitive(m)) *sensitive = false;
    return hr_micro_close(m, err);
}

static hr_status make_cluster(hr_micro *m, uint32_t seed, uint32_t k, bool *sensitive,
                              hr_error *err) {
    hr_micro_take(m, seed);
    hr_micro_fill(m, seed, k);
    return close(m, sensitive, err);
}

/* Makes one cluster of all live points. */
static hr_status cluster_rest(hr_micro *m, bool *sensitive, hr_error *err) {
    for (uint32_t i = 0; i < m->points.count; i++)
        if (m->out->cluster[i] == HR_NONE) hr_micro_take(m, i);
    return close(m, sensitive, err);
}

hr_status hr_mdav(hr_micro *m, uint32_t k, bool *sensitive, hr_error *err) {
    if (sensitive) *sensitive = true;
    while (m->live >= UINT64_C(3) * k) {
        uint32_t first = hr_micro_furthest_from_centre(m);
        HR_TRY(make_cluster(m, first, k, sensitive, err));
        HR_TRY(make_cluster(m, hr_micro_furthest_from(m, first), k, sensitive, err));
        if (sensitive && !*sensitive) return HR_OK;
    }
    if (m->live >= UINT64_C(2) * k)
        HR_TRY(make_cluster(m, hr_micro_furthest_from_centre(m), k, sensitive, err));
    return cluster_rest(m, sensitive, err);
}

static hr_status make_clusters(hr_micro *m, hr_error *err) {
    return hr_mdav(m, m->task->k, NULL, err);
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    return hr_micro_run(task, &hr_locator_tree, make_clusters, out, err);
}

static hr_status run_plain(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    return hr_micro_run(task, &hr_locator_scan, make_clusters, out, err);
}

const hr_algorithm hr_algorithm_mdav = {
    .name = "mdav",
    .title = "numbers stay numbers, k alone: means of groups of k, built from the outermost rows "
             "inwards",
    .reference = "Domingo-Ferrer, Torra 2005; Domingo-Ferrer, Sebé, Solanas 2007",
    .options = hr_micro_option_table,
    .options_size = sizeof(hr_micro_options),
    .mean_decimals = hr_micro_decimals,
    .per_cell = &(const hr_cell_search){.run = run, .run_reference = run_plain},
};
