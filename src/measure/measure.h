/* measure.h - measures of the information loss of a release and of its risk. A measure scores an
 * outcome (partition, classes and their facts), whatever algorithm produced it. */
#ifndef HR_MEASURE_H
#define HR_MEASURE_H

#include "model/model.h"

/* What is scored. A class is all clusters with equal published values, as in the masked table. */
typedef struct {
    const hr_microdata *data;
    const hr_partition *partition;
    const hr_requirements *asked;
    const hr_facts *classes;       /* facts of the classes */
    const uint32_t *cluster_size;  /* rows of each cluster */
    uint64_t released, suppressed; /* rows; dropped rows count as suppressed */
} hr_outcome;

typedef struct hr_measure {
    const char *name, *title, *reference;
    const hr_option *options;
    const char *section;                        /* where the report shows it: "loss" or "risk" */
    double (*score)(const hr_outcome *outcome); /* NaN where it has no meaning */
    /* The cost of publishing this value of quasi-identifier j for one row, 0 .. HR_COST_ONE. The
     * score is proportional to the sum over rows and attributes. NULL: it is not such a sum. */
    uint32_t (*value_cost)(const hr_microdata *data, size_t j, hr_span value);
    /* The cost of a suppressed row for quasi-identifier j; NULL: HR_COST_ONE. */
    uint32_t (*suppressed_cost)(const hr_microdata *data, size_t j);
} hr_measure;

extern const hr_measure *const hr_measures[]; /* ends with NULL */
const hr_measure *hr_measure_find(const char *name);
/* The cost of a suppressed row, summed over all quasi-identifiers. */
uint64_t hr_measure_whole(const hr_measure *measure, const hr_microdata *data);

/* loss_il.c: the exact sum of IL over all rows in units of 1 / HR_COST_ONE; a suppressed row counts
 * as t, the number of quasi-identifiers. */
uint64_t hr_loss_total(const hr_outcome *outcome);
/* Mean IL of one attribute per input row, 0 .. 1; a suppressed row counts as 1. Has no meaning if
 * means are published, because they do not cover their originals. */
double hr_loss_attribute(const hr_outcome *outcome, size_t quasi);

/* loss_sse.c: SSE/SST of one attribute if means are published; NaN if all its values are equal. */
double hr_loss_sse(const hr_outcome *outcome, size_t quasi);

#endif
