/* measure.h - how much a release lost and how much risk is left: one file a measure, one table. A
 * measure scores an outcome (partition, fused classes, their facts) whatever algorithm made it. */
#ifndef HR_MEASURE_H
#define HR_MEASURE_H

#include "model/model.h"

/* What is scored. Classes are those of the masked table: clusters with equal published values. */
typedef struct {
    const hr_microdata *data;
    const hr_partition *partition;
    const hr_requirements *asked;
    const hr_facts *classes;       /* facts of the fused classes */
    const uint32_t *cluster_size;  /* rows of each cluster */
    uint64_t released, suppressed; /* rows; dropped rows count as suppressed */
} hr_outcome;

typedef struct hr_measure {
    const char *name, *title, *reference;
    const hr_option *options;
    const char *section;                        /* where the report shows it: "loss" or "risk" */
    double (*score)(const hr_outcome *outcome); /* NaN where it has no meaning */
    /* What publishing this value of quasi-identifier j costs a row, 0 .. HR_COST_ONE; the score is
     * then proportional to the sum over rows and attributes. NULL: it is no such sum. */
    uint32_t (*value_cost)(const hr_microdata *data, size_t j, hr_span value);
    /* What a suppressed row costs for quasi-identifier j; NULL: HR_COST_ONE. */
    uint32_t (*suppressed_cost)(const hr_microdata *data, size_t j);
} hr_measure;

extern const hr_measure *const hr_measures[]; /* ends with NULL */
const hr_measure *hr_measure_find(const char *name);
/* What a suppressed row costs in all. */
uint64_t hr_measure_whole(const hr_measure *measure, const hr_microdata *data);

/* loss_il.c: the sum of IL over all rows in HR_COST_ONE, suppressed rows counted as t each;
 * exact. */
uint64_t hr_loss_total(const hr_outcome *outcome);
/* IL of one attribute per input row, 0 .. 1, suppressed rows counted as 1. Where means are
 * published, which cover nothing, these have no meaning. */
double hr_loss_attribute(const hr_outcome *outcome, size_t quasi);

/* loss_sse.c: SSE/SST of one attribute, where means are published; NaN if its values are equal. */
double hr_loss_sse(const hr_outcome *outcome, size_t quasi);

#endif
