/* cbfs.c - CBFS, centroid-based fixed-size microaggregation (Laszlo, Mukherjee 2005; Domingo-Ferrer,
 * Sebé, Solanas 2007): a group of the row furthest from the centroid of all that are left and the
 * rows nearest to it, while k rows are left; the others join the group with the nearest centroid.
 * Time: plain O(n² / k); fast by a tree over the points. */
#include "algorithm/micro/micro.h"

static hr_status make_groups(hr_micro *m, hr_error *err) {
    while (m->live >= m->task->k) {
        uint32_t seed = hr_micro_furthest_from_centre(m);
        hr_micro_take(m, seed);
        hr_micro_fill(m, seed, m->task->k);
        HR_TRY(hr_micro_close(m, err));
    }
    return hr_micro_disperse(m, err);
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    return hr_micro_run(task, &hr_locator_tree, make_groups, out, err);
}

static hr_status run_plain(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    return hr_micro_run(task, &hr_locator_scan, make_groups, out, err);
}

const hr_algorithm hr_algorithm_cbfs = {
    .name = "cbfs",
    .title = "microaggregation: groups of k around the row furthest from the middle; means",
    .reference = "Laszlo, Mukherjee 2005; Domingo-Ferrer, Sebé, Solanas 2007",
    .options = hr_micro_option_table,
    .options_size = sizeof(hr_micro_options),
    .mean_decimals = hr_micro_decimals,
    .per_cell = &(const hr_cell_search){.run = run, .run_reference = run_plain},
};
