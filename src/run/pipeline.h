/* pipeline.h - a run of a job on its way: what its stages leave to each other. The road is
 * pipeline.c; its first stages are in pipeline_prepare.c, the last in pipeline_write.c. */
#ifndef HR_PIPELINE_H
#define HR_PIPELINE_H

#include "run/run.h"

typedef struct {
    const hr_job *job;
    const hr_shared_data
        *shared;           /* of a trial: bound, cells and cell_facts are lent by it; or NULL */
    const hr_watch *outer; /* the caller's */
    hr_watch watch;        /* passes on, and remembers notices as warnings */
    char **warnings;
    size_t warning_count, warning_capacity;
    bool warning_lost; /* out of memory */
    hr_arena arena;
    hr_choice choice;
    hr_requirements asked;
    hr_dataset dataset;
    hr_groups cells;
    hr_facts cell_facts;
    bool *out;
    hr_findings *findings; /* of the algorithm; NULL: none */
    hr_bound lower;
    double search_started; /* with its bound */
    hr_partition partition;
    hr_verdict verdict;
    hr_outcome outcome;
    uint32_t *cluster_size;
    hr_report report;
    hr_release *release;
    hr_error *err;
} hr_run;

/* HR_ECANCEL once the caller asked to stop. */
hr_status hr_run_check(hr_run *r);

/* ---- pipeline_prepare.c ---- */

/* Choose the algorithm; read and bind the table, or borrow it. */
hr_status hr_run_start(hr_run *r);
/* MAM cells and OUT. */
hr_status hr_run_prepare(hr_run *r);

/* ---- pipeline_write.c ---- */

/* Everything that the report is made of; `started` in hr_seconds(). */
void hr_run_fill_report(hr_run *r, double started);
hr_status hr_run_write(hr_run *r, double started);

#endif
