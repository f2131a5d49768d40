/* loss_sse.c - SSE/SST (Domingo-Ferrer, Sebé, Solanas 2007, section 4), for releases that publish
 * means: the squares of what the released rows are off their cluster's mean, over those off the mean
 * of all, on attributes standardized by their deviation. There every attribute has the same SST, so
 * the share is the mean of the attributes' own; one whose values are all equal loses nothing and is
 * left out. Means are taken before they are rounded for publishing, in two passes, and numbers in
 * whole units above their least: a large offset changes nothing. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The row's number, in units. */
static double units_of(const hr_outcome *outcome, size_t j, size_t row) {
    const hr_quasi *quasi = &outcome->data->quasi[j];
    return hr_quasi_units(quasi, hr_quasi_value(quasi, row));
}

/* The sum of what the released rows are off the mean, or of its squares. */
static double sum_off(const hr_outcome *outcome, size_t j, double mean, bool squared) {
    double sum = 0;
    for (size_t row = 0; row < outcome->partition->rows; row++) {
        if (outcome->partition->cluster[row] == HR_NONE) continue;
        double off = units_of(outcome, j, row) - mean;
        sum += squared ? off * off : off;
    }
    return sum;
}

static double sst(const hr_outcome *outcome, size_t j) {
    double rows = (double)outcome->released;
    double mean = sum_off(outcome, j, 0, false) / rows;
    mean += sum_off(outcome, j, mean, false) / rows;
    return sum_off(outcome, j, mean, true);
}

/* Each cluster's mean in units, in two passes from its first number: those that are published have an
 * offset, which costs them digits. NULL: no memory. */
static double *means_of(const hr_outcome *outcome, size_t j) {
    const hr_partition *partition = outcome->partition;
    uint32_t count = partition->cluster_count;
    double *mean = hr_alloc((size_t)count * 3, sizeof *mean, NULL);
    if (!mean) return NULL;
    double *off = mean + count, *size = off + count;
    for (size_t row = 0; row < partition->rows; row++) {
        uint32_t cluster = partition->cluster[row];
        if (cluster != HR_NONE && size[cluster]++ == 0) mean[cluster] = units_of(outcome, j, row);
    }
    for (int pass = 0; pass < 2; pass++) {
        memset(off, 0, count * sizeof *off);
        for (size_t row = 0; row < partition->rows; row++) {
            uint32_t cluster = partition->cluster[row];
            if (cluster != HR_NONE) off[cluster] += units_of(outcome, j, row) - mean[cluster];
        }
        for (uint32_t c = 0; c < count; c++)
            mean[c] += size[c] > 0 ? off[c] / size[c] : 0;
    }
    return mean;
}

/* Without memory the published means have to do. */
static double sse(const hr_outcome *outcome, size_t j) {
    const hr_partition *partition = outcome->partition;
    const hr_quasi *quasi = &outcome->data->quasi[j];
    const double *published = partition->means + j * partition->cluster_count;
    double sum = 0, *mean = means_of(outcome, j);
    for (size_t row = 0; row < partition->rows; row++) {
        uint32_t cluster = partition->cluster[row];
        if (cluster == HR_NONE) continue;
        double own = mean ? mean[cluster] : hr_quasi_above(quasi, published[cluster]);
        double off = units_of(outcome, j, row) - own;
        sum += off * off;
    }
    free(mean);
    return sum;
}

double hr_loss_sse(const hr_outcome *outcome, size_t quasi) {
    double total = sst(outcome, quasi);
    return total > 0 ? sse(outcome, quasi) / total : NAN;
}

static double sse_sst(const hr_outcome *outcome) {
    double sum = 0, attributes = 0;
    if (!outcome->partition->means) return NAN;
    for (size_t j = 0; j < outcome->data->quasi_count; j++) {
        double share = hr_loss_sse(outcome, j);
        if (isnan(share)) continue;
        sum += share;
        attributes++;
    }
    return attributes > 0 ? sum / attributes : 0;
}

const hr_measure hr_measure_sse_sst = {
    .name = "sse_sst",
    .title = "squares within clusters as a share of all, 0 to 1, where means are published",
    .reference = "Domingo-Ferrer, Sebé, Solanas 2007, section 4",
    .section = "loss",
    .score = sse_sst,
};
