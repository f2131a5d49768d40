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
    uint64_t trimmed; /* rows that must be suppressed although their cell can be released */
    bool *out;        /* per cell: it cannot satisfy the models, its rows are suppressed */
    bool own_cells;   /* cells and cell_facts belong to the run, not to the shared data */
    bool own_cuts;    /* dataset.data is a copy of the shared data (hr_cuts_copy) */
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

/* What a request to finish does in this stage: WITHOUT a release it cancels the run, while a
 * release is IMPROVING it ends the search, and after the search (FOUND) it changes nothing. */
typedef enum { HR_RUN_WITHOUT, HR_RUN_IMPROVING, HR_RUN_FOUND } hr_run_stage;

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
    hr_requirements
        judged; /* what cells are judged by: `asked`, or of a counted table k and p alone
                             * if `asked` lets rows be taken out of a cell */
    hr_run_input input;
    hr_run_stage stage;
    double search_started; /* hr_seconds() before the bound, which shares the search's time limit */
    hr_run_result result;
    hr_name_list unique; /* kept and sensitive columns that are nearly unique */
    hr_text unique_names;
    hr_report report;
    hr_release *release;
    hr_error *err;
} hr_run;

/* Sets up a run that has done nothing yet, and frees it with all that its stages made. */
void hr_run_open(hr_run *r, const hr_job *job, const hr_shared_data *shared, const hr_watch *watch,
                 hr_error *err);
void hr_run_close(hr_run *r);

/* Runs the algorithm on a prepared run and stores the partition. */
hr_status hr_run_search(hr_run *r);

/* Returns HR_ECANCEL once the caller has asked to stop. */
hr_status hr_run_check(hr_run *r);

/* ---- pipeline_prepare.c ---- */

/* Chooses the algorithm and loads the dataset, or borrows it from `shared`. */
hr_status hr_run_start(hr_run *r);
/* Cuts the dataset into MAM cells and finds OUT. Fails if too many rows must be suppressed. */
hr_status hr_run_prepare(hr_run *r);

/* Are rows taken out of cells only when the cells are run? True for a counted table, because its
 * counts do not tell which rows. */
bool hr_run_trims_later(const hr_run *r);

/* Appends advice on how to release more of the suppressed rows: "lower k or p". */
void hr_run_advise(const hr_run *r, uint64_t suppressed, hr_text *out);

/* ---- relaxations.c ---- */

/* False for a counted table, and if the cells depend on k and p. */
bool hr_run_can_relax(const hr_run *r);
/* Appends what the job could ask for instead, one model at a time, so that enough rows can be
 * released: "k = 3 (40 rows) or alpha = 0.62 (60 rows)"; nothing if no single model is enough. Call
 * after OUT was found. Time: that of finding it, twice per model. */
hr_status hr_run_relaxations(const hr_run *r, hr_text *out, hr_error *err);

/* ---- resolve.c; also hr_job_resolve of hedgerow.h ---- */

/* Appends the job as YAML, with everything that is derived from the data written out. Paths are
 * relative to `folder`. */
hr_status hr_resolved_text(const hr_job *job, const hr_dataset *dataset, const char *folder,
                           hr_text *out, hr_error *err);
/* The same for a report: without trees, outputs and the ends of bins, which are values of a
 * sensitive column. Addresses are printed by hr_address_shown. */
hr_status hr_resolved_shown(const hr_job *job, const hr_dataset *dataset, hr_text *out,
                            hr_error *err);

/* ---- notes.c ---- */

/* Makes the comments that a database stores with the released table. The texts live as long as the
 * run. */
hr_status hr_run_notes(hr_run *r, const hr_table *released, hr_table_notes *out);

/* ---- pipeline_write.c ---- */

/* Fills in the report and the release's figures. `started`: hr_seconds() when the run began. */
void hr_run_fill_report(hr_run *r, double started);
/* Fails if an output of the job cannot be written, as far as that can be known before a long
 * search. */
hr_status hr_run_check_outputs(const hr_job *job, const hr_watch *watch, hr_error *err);
/* The same for failures that can only be predicted once the columns of the input are known. */
hr_status hr_run_check_columns(const hr_job *job, const hr_dataset *dataset, const hr_watch *watch,
                               hr_error *err);
/* Writes all outputs of the job. */
hr_status hr_run_write(hr_run *r, double started);

#endif
