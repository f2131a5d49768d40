/* measure.c - the table of measures. */
#include "measure/measure.h"

#include <string.h>

extern const hr_measure hr_measure_il, hr_measure_ntil, hr_measure_weighted_loss, hr_measure_ncp,
    hr_measure_dm, hr_measure_avg, hr_measure_avg_clusters, hr_measure_sse_sst,
    hr_measure_prosecutor, hr_measure_average_risk, hr_measure_largest_share;

const hr_measure *const hr_measures[] = {
    &hr_measure_il,
    &hr_measure_ntil,
    &hr_measure_weighted_loss,
    &hr_measure_ncp,
    &hr_measure_dm,
    &hr_measure_avg,
    &hr_measure_avg_clusters,
    &hr_measure_sse_sst,
    &hr_measure_prosecutor,
    &hr_measure_average_risk,
    &hr_measure_largest_share,
    NULL,
};

const hr_measure *hr_measure_find(const char *name) {
    for (const hr_measure *const *measure = hr_measures; *measure; measure++)
        if (!strcmp((*measure)->name, name)) return *measure;
    return NULL;
}

uint64_t hr_measure_whole(const hr_measure *measure, const hr_microdata *data) {
    uint64_t cost = 0;
    for (size_t j = 0; j < data->quasi_count; j++)
        cost += measure->suppressed_cost ? measure->suppressed_cost(data, j) : HR_COST_ONE;
    return cost;
}
