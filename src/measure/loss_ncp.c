/* loss_ncp.c - normalized certainty penalty (Xu et al. 2006): the share of an attribute's leaves
 * below the published value, (leaves - 1) / (all leaves - 1), or width / range; averaged over
 * attributes and input rows. A suppressed row counts as 1. */
#include "measure/measure.h"

#include <math.h>

static double penalty(const hr_quasi *quasi, hr_span value) {
    if (!quasi->tree) return (double)hr_quasi_cost(quasi, value) / HR_COST_ONE;
    uint32_t all = quasi->tree->leaf_count, below = quasi->tree->leaves[value.lo];
    return all > 1 ? (double)(below - 1) / (double)(all - 1) : 0;
}

static double ncp(const hr_outcome *outcome) {
    const hr_partition *partition = outcome->partition;
    size_t t = outcome->data->quasi_count;
    double sum = (double)outcome->suppressed * (double)t;
    if (partition->means) return NAN;
    for (uint32_t c = 0; c < partition->cluster_count; c++)
        for (size_t j = 0; j < t; j++)
            sum += outcome->cluster_size[c] *
                   penalty(&outcome->data->quasi[j], partition->values[c * t + j]);
    return sum / ((double)(outcome->released + outcome->suppressed) * (double)t);
}

static uint32_t value_cost(const hr_microdata *data, size_t j, hr_span value) {
    return (uint32_t)(penalty(&data->quasi[j], value) * HR_COST_ONE + 0.5);
}

const hr_measure hr_measure_ncp = {
    .name = "ncp",
    .title = "for comparing with other tools: normalized certainty penalty by leaves, 0 to 1",
    .reference = "Xu et al. 2006; leaf counts",
    .section = "loss",
    .score = ncp,
    .value_cost = value_cost,
};
