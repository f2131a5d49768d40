/* pipeline.h - the state of one run, filled in stage by stage. pipeline.c calls the stages in
 * order; the first are in pipeline_prepare.c, the last in pipeline_write.c. */
#ifndef HR_PIPELINE_H
#define HR_PIPELINE_H

#include "run/run.h"

/* Notices of a run, which become the warnings of its report. */
typedef struct {
    char **texts;
    size_t count, capacity;
    bool lost; /* memory ran out: a notice is missing */
} hr_warnings;

/* The table, cut into MAM cells. */
typedef struct {
    hr_dataset dataset;
    hr_groups cells;
    hr_facts cell_facts;
    uint64_t trimmed; /* rows that no release can contain although their cell can be released */
    bool *out;        /* per cell: it cannot satisfy the models, its rows are suppressed */
} hr_run_input;

/* What the stages computed. */
typedef struct {
    hr_bound lower;
    hr_partition partition;
    hr_findings *findings; /* of the algorithm; NULL: none */
    uint32_t *cluster_size;
    hr_verdict verdict;
    hr_outcome outcome; /* points to the other results, for the measures */
} hr_run_result;

typedef struct {
    const hr_job *job;
    const hr_shared_data *shared; /* lends dataset, cells and facts; NULL: the run reads its own */
    bool trial;                   /* stop before writing: only the figures are wanted */
    const hr_watch *outer;        /* the caller's */
    hr_watch watch;               /* forwards to `outer` and collects notices in `warnings` */
    hr_warnings warnings;
    hr_arena arena;
    hr_choice choice;
    hr_requirements asked; /* as enforced: k at least p */
    hr_run_input input;
    double search_started; /* hr_seconds() before the bound, which shares the search's time limit */
    hr_run_result result;
    hr_report report;
    hr_release *release;
    hr_error *err;
} hr_run;

/* Sets up a run that has done nothing yet, and frees it with all that its stages made. */
void hr_run_open(hr_run *r, const hr_job *job, const hr_shared_data *shared, const hr_watch *watch,
                 hr_error *err);
void hr_run_close(hr_run *r);

/* Returns HR_ECANCEL once the caller asked to stop. */
hr_status hr_run_check(hr_run *r);

/* ---- pipeline_prepare.c ---- */

/* Chooses the algorithm and loads the dataset, or borrows it from `shared`. */
hr_status hr_run_start(hr_run *r);
/* Cuts the dataset into MAM cells and finds OUT. Fails if too many rows must be suppressed. */
hr_status hr_run_prepare(hr_run *r);

/* ---- pipeline_write.c ---- */

/* Fills in the report and the release's figures. `started`: hr_seconds() when the run began. */
void hr_run_fill_report(hr_run *r, double started);
/* Fails if an output of the job cannot be written, as far as that can be known before a long
 * search. */
hr_status hr_run_check_outputs(const hr_job *job, const hr_watch *watch, hr_error *err);
/* Writes all outputs of the job. */
hr_status hr_run_write(hr_run *r, double started);

#endif
