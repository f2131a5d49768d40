/* mam.c - the maximum allowed microdata (Campan, Truta, Cooper 2010, Definition 9) as a release:
 * every value at its boundary, the coarsest that the owner allows. Each MAM cell is one class.
 * Time: O(n). */
#include "algorithm/algorithm.h"

#include <string.h>

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    const hr_microdata *data = task->data;
    out->values = hr_alloc(data->quasi_count, sizeof *out->values, err);
    if (!out->values) return HR_ENOMEM;
    memset(out->cluster, 0, task->row_count * sizeof *out->cluster);
    out->count = 1;
    for (size_t j = 0; j < data->quasi_count; j++) {
        const hr_quasi *quasi = &data->quasi[j];
        /* All rows of a MAM cell have the same MAGVal. If boundaries are only counted, the cell is
         * the whole table, and its class publishes the node that covers all MAGVals. */
        uint32_t value = quasi->magval[hr_quasi_value(quasi, task->rows[0])];
        for (uint32_t i = 1; i < task->row_count && value != quasi->tree->root; i++)
            value = hr_hierarchy_join(quasi->tree, value,
                                      quasi->magval[hr_quasi_value(quasi, task->rows[i])]);
        out->values[j] = (hr_span){value, value};
    }
    return hr_progress_add(task->progress, task->row_count, err);
}

const hr_algorithm hr_algorithm_mam = {
    .name = "mam",
    .title = "the coarsest release, every value at its boundary: what the boundaries alone lose",
    .reference = "Campan, Truta, Cooper 2010, Definition 9",
    .enforces_p = true,
    .others = HR_OTHERS_ENFORCED, /* a cell that is searched satisfies all models */
    .needs_hierarchy = true,
    .any_order = true,
    .per_cell = &(const hr_cell_search){.run = run},
};
