/* report.h - what a run reports to the owner of the data: a JSON document, a summary for the
 * terminal, and their figures as a struct. The run fills in hr_report (run/pipeline_write.c); this
 * folder only formats it. Charts are in chart.h, results as rows in rows.h; list.c lists what a job
 * can choose from. */
#ifndef HR_REPORT_H
#define HR_REPORT_H

#include "bound/bound.h"
#include "job/job.h"

/* What verification found out about the release. */
typedef struct {
    double achieved[HR_MODELS_MAX]; /* in the order of hr_models; NaN: the model has no meaning */
    uint64_t violations;
    const uint64_t *violations_by; /* per quasi-identifier */
    bool holds;
} hr_report_verdict;

/* Everything a report is made of. Pointers are borrowed. */
typedef struct {
    const hr_job *job;
    const hr_choice *choice;
    hr_requirements asked; /* as enforced: k at least p */
    const hr_outcome *outcome;
    const double *measures; /* of the outcome, in the order of hr_measures */
    hr_report_verdict verdict;
    const hr_findings *findings; /* of the algorithm; NULL: none */
    const hr_bound *lower;       /* lower bound on the loss; NULL: none was computed */
    uint32_t bound_steps;        /* steps of the Lagrangian bound; 0: the simple bound */
    uint64_t dropped;            /* rows left out for a missing number */
    uint64_t trimmed;            /* rows suppressed although their MAM cell is released */
    uint32_t cells;              /* MAM cells */
    uint32_t cells_out;          /* MAM cells whose rows are suppressed */
    uint32_t cells_poor;         /* of these, cells with k rows but too few sensitive values */
    struct {
        double read, bound, search, mask, verify, write, total;
    } seconds;
    unsigned threads;
    uint64_t peak_memory; /* bytes */
    char **warnings;
    size_t warning_count;
} hr_report;

/* The caller frees *out. */
hr_status hr_report_json(const hr_report *report, char **out, hr_error *err);
hr_status hr_report_summary(const hr_report *report, char **out, hr_error *err);
hr_figures hr_report_figures(const hr_report *report);

/* Appends 48842.5 with one digit after the point as "48,842.5". */
void hr_number_text(double value, int digits, hr_text *out);

#endif
