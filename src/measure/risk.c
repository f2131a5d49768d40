/* risk.c - the probability that an outsider who knows the quasi-identifiers of a person in the
 * release (the prosecutor model) picks that person's row: 1 / size of the class, in people if the
 * job names their column (`unit`); the highest and the average over the released rows, or over the
 * people of each class. Also the largest share of one sensitive value in a class, which is the
 * probability of guessing the value. */
#include "measure/measure.h"

#include <math.h>

static double prosecutor(const hr_outcome *outcome) {
    double highest = 0;
    for (uint32_t g = 0; g < outcome->classes->count; g++)
        highest = fmax(highest, 1.0 / hr_facts_people(outcome->classes, g));
    return highest;
}

/* Over all people in classes; a class contributes people x 1 / people = 1. */
static double average(const hr_outcome *outcome) {
    double people = 0;
    for (uint32_t g = 0; g < outcome->classes->count; g++)
        people += hr_facts_people(outcome->classes, g);
    return (double)outcome->classes->count / people;
}

static double largest_share(const hr_outcome *outcome) {
    const hr_facts *classes = outcome->classes;
    if (classes->sensitive_count == 0) return NAN;
    double largest = 0;
    for (uint32_t g = 0; g < classes->count; g++)
        for (size_t l = 0; l < classes->sensitive_count; l++)
            largest = fmax(largest, (double)classes->largest[g * classes->sensitive_count + l] /
                                        classes->size[g]);
    return largest;
}

const hr_measure hr_measure_prosecutor = {
    .name = "prosecutor",
    .title = "highest risk of re-identification: 1 / smallest class",
    .reference = "prosecutor model",
    .section = "risk",
    .score = prosecutor,
};

const hr_measure hr_measure_average_risk = {
    .name = "average",
    .title = "average risk of re-identification: classes / released rows",
    .reference = "prosecutor model",
    .section = "risk",
    .score = average,
};

const hr_measure hr_measure_largest_share = {
    .name = "largest_share",
    .title = "largest share of one sensitive value in a class",
    .reference = "the guess that p-sensitivity leaves open",
    .section = "risk",
    .score = largest_share,
};
