/* micro_k_first.c - microaggregation that enforces k first (Domingo-Ferrer, Sebé, Solanas 2007,
 * Algorithm 1): runs MDAV with clusters of k rows, then k + 1, and so on until every cluster has p
 * values of each sensitive attribute. MDAV makes floor(n / k) clusters of n rows, so the fast form
 * skips sizes that give more clusters than the frequencies of the values allow. Both forms abandon
 * a size at the first cluster that is not p-sensitive. Time: that of MDAV for each size tried. */
#include "algorithm/micro/micro.h"

#include <stdlib.h>

static int descending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

/* Upper limit on the number of p-sensitive clusters that the rows can form. */
static hr_status most_clusters(const hr_micro *m, uint64_t *most, hr_error *err) {
    const hr_microdata *data = m->task->data;
    uint32_t *counts = hr_alloc_raw(m->values.total, sizeof *counts, err), first = 0;
    if (!counts) return HR_ENOMEM;
    *most = m->points.count;
    for (size_t l = 0; l < m->values.r; l++) {
        uint32_t count = data->sensitive[l].value_count;
        for (uint32_t v = 0; v < count; v++)
            counts[v] = m->value_rows[first + v];
        qsort(counts, count, sizeof *counts, descending);
        uint64_t limit = hr_most_classes(m->points.count, counts, count, m->task->p, m->task->p);
        if (limit < *most) *most = limit;
        first += count;
    }
    free(counts);
    return HR_OK;
}

static hr_status grow_clusters(hr_micro *m, uint64_t most, hr_error *err) {
    bool sensitive = false;
    m->silent = true; /* rows count as progress once, at the end */
    for (uint32_t k = m->task->k; !sensitive; k++) {
        if (m->points.count / k > most) continue;
        if (m->out->count > 0) hr_micro_restart(m);
        HR_TRY(hr_mdav(m, k, &sensitive, err));
    }
    return hr_progress_add(m->task->progress, m->points.count, err);
}

static hr_status make_clusters(hr_micro *m, hr_error *err) {
    uint64_t most;
    HR_TRY(most_clusters(m, &most, err));
    return grow_clusters(m, most, err);
}

static hr_status make_clusters_plain(hr_micro *m, hr_error *err) {
    return grow_clusters(m, UINT64_MAX, err);
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    return hr_micro_run(task, &hr_locator_tree, make_clusters, out, err);
}

static hr_status run_plain(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    return hr_micro_run(task, &hr_locator_scan, make_clusters_plain, out, err);
}

const hr_algorithm hr_algorithm_micro_k_first = {
    .name = "micro-k-first",
    .title =
        "numbers stay numbers, with p: mdav with larger and larger groups until all have p values",
    .reference = "Domingo-Ferrer, Sebé, Solanas 2007, Algorithm 1",
    .options = hr_micro_option_table,
    .options_size = sizeof(hr_micro_options),
    .enforces_p = true,
    .takes_k_as_given = true,
    .mean_decimals = hr_micro_decimals,
    .per_cell = &(const hr_cell_search){.run = run, .run_reference = run_plain},
};
