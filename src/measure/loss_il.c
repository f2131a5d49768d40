/* loss_il.c - information loss IL (Campan, Truta, Cooper 2010, Definition 10; for hierarchy-free
 * numeric attributes Truta et al. 2008, section 5) and its normalized total NTIL (Definition 11):
 * per row and attribute the height of the published value over the height of its hierarchy, or the
 * width of the interval over the range. A suppressed row counts as t, the greatest
 * possible loss. Sums are sums of integers and therefore exact. */
#include "measure/measure.h"

#include <math.h>

static uint64_t attribute_total(const hr_outcome *outcome, size_t j) {
    const hr_partition *partition = outcome->partition;
    size_t t = outcome->data->quasi_count;
    uint64_t total = outcome->suppressed * HR_COST_ONE;
    for (uint32_t c = 0; c < partition->cluster_count; c++)
        total += (uint64_t)outcome->cluster_size[c] *
                 hr_quasi_cost(&outcome->data->quasi[j], partition->values[c * t + j]);
    return total;
}

uint64_t hr_loss_total(const hr_outcome *outcome) {
    uint64_t total = 0;
    for (size_t j = 0; j < outcome->data->quasi_count; j++)
        total += attribute_total(outcome, j);
    return total;
}

double hr_loss_attribute(const hr_outcome *outcome, size_t quasi) {
    double rows = (double)(outcome->released + outcome->suppressed);
    return (double)attribute_total(outcome, quasi) / HR_COST_ONE / rows;
}

static double il(const hr_outcome *outcome) {
    if (outcome->partition->means) return NAN;
    return (double)hr_loss_total(outcome) / HR_COST_ONE;
}

static double ntil(const hr_outcome *outcome) {
    double rows = (double)(outcome->released + outcome->suppressed);
    return il(outcome) / (rows * (double)outcome->data->quasi_count);
}

/* NTIL with the weights that the data owner gave the attributes. */
static double weighted_loss(const hr_outcome *outcome) {
    double sum = 0, weights = 0;
    if (outcome->partition->means) return NAN;
    for (size_t j = 0; j < outcome->data->quasi_count; j++) {
        double weight = outcome->data->quasi[j].weight;
        sum += weight * hr_loss_attribute(outcome, j);
        weights += weight;
    }
    return sum / weights;
}

static uint32_t value_cost(const hr_microdata *data, size_t j, hr_span value) {
    return hr_quasi_cost(&data->quasi[j], value);
}

/* Scales the cost by the attribute's weight relative to the greatest weight. */
static uint32_t weigh(const hr_microdata *data, size_t j, double cost) {
    double heaviest = 0;
    for (size_t i = 0; i < data->quasi_count; i++)
        if (data->quasi[i].weight > heaviest) heaviest = data->quasi[i].weight;
    return heaviest > 0 ? (uint32_t)(cost * (data->quasi[j].weight / heaviest) + 0.5) : 0;
}

static uint32_t weighted_cost(const hr_microdata *data, size_t j, hr_span value) {
    return weigh(data, j, hr_quasi_cost(&data->quasi[j], value));
}

static uint32_t weighted_suppressed(const hr_microdata *data, size_t j) {
    return weigh(data, j, HR_COST_ONE);
}

const hr_measure hr_measure_il = {
    .name = "il",
    .title = "information loss summed over all rows",
    .reference = "Campan, Truta, Cooper 2010, Definition 10",
    .section = "loss",
    .score = il,
    .value_cost = value_cost,
};

const hr_measure hr_measure_ntil = {
    .name = "ntil",
    .title = "the loss: information loss as a share of the most possible, 0 to 1",
    .reference = "Campan, Truta, Cooper 2010, Definition 11",
    .section = "loss",
    .score = ntil,
    .value_cost = value_cost,
};

const hr_measure hr_measure_weighted_loss = {
    .name = "weighted_loss",
    .title = "the loss where some columns matter more: ntil with the quasi-identifiers' weights",
    .reference = "Campan, Truta, Cooper 2010, Definition 11, with weights",
    .section = "loss",
    .score = weighted_loss,
    .value_cost = weighted_cost,
    .suppressed_cost = weighted_suppressed,
};
