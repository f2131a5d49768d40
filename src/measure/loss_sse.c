/* loss_sse.c - SSE/SST (Domingo-Ferrer, Sebé, Solanas 2007, section 4), for releases that publish
 * means: the squared distances of the released rows from the mean of their cluster, divided by the
 * squared distances from the mean of all rows, on attributes standardized by their deviation. Every
 * standardized attribute has the same SST, so the result is the mean over the attributes; an
 * attribute whose values are all equal loses nothing and is skipped. Means are not rounded. They
 * are computed in two passes from the distances to the least number, in whole units, so that adding
 * a constant to a column changes nothing. */
#include "measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The number of a row, in units. */
static double units_of(const hr_outcome *outcome, size_t j, size_t row) {
    const hr_quasi *quasi = &outcome->data->quasi[j];
    return hr_quasi_units(quasi, hr_quasi_value(quasi, row));
}

/* Sum over the released rows of the difference from the mean, or of its square. */
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

/* The mean of each cluster in units above the least number (hr_quasi_units). It starts as the
 * cluster's first number and is corrected in two passes. More precise than partition->means, where
 * the least number is added and takes up digits. NULL: out of memory. */
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

/* Sum of the squared differences from the cluster means; from the less precise partition->means if
 * memory runs out. */
static double sse(const hr_outcome *outcome, size_t j) {
    const hr_partition *partition = outcome->partition;
    const hr_quasi *quasi = &outcome->data->quasi[j];
    const double *less_precise = partition->means + j * partition->cluster_count;
    double sum = 0, *mean = means_of(outcome, j);
    for (size_t row = 0; row < partition->rows; row++) {
        uint32_t cluster = partition->cluster[row];
        if (cluster == HR_NONE) continue;
        double own = mean ? mean[cluster] : hr_quasi_above(quasi, less_precise[cluster]);
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
    .title = "the loss of published means: squared error as a share of the total variation, 0 to 1",
    .reference = "Domingo-Ferrer, Sebé, Solanas 2007, section 4",
    .section = "loss",
    .score = sse_sst,
};
