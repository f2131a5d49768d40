/* report.h - between the pipeline and the report: everything a run has to tell. */
#ifndef HR_REPORT_H
#define HR_REPORT_H

#include "bound/bound.h"
#include "job/job.h"

/* The summary as numbers. */
typedef struct {
    uint64_t rows, released, suppressed, classes, clusters, violations;
    int64_t k, p, achieved_k, achieved_p; /* as enforced; achieved_p -1: no sensitive attribute */
    double ntil, ntil_bound, il, dm, avg, avg_clusters, sse_sst; /* NaN: no meaning, or not known */
    double seconds;
} hr_figures;

/* What verification found. */
typedef struct {
    int64_t achieved[HR_MODELS_MAX];
    uint64_t violations;
    const uint64_t *violations_by; /* per quasi-identifier */
    bool holds;
} hr_report_verdict;

typedef struct {
    const hr_job *job;
    const hr_choice *choice;
    hr_requirements asked; /* as enforced: k at least p */
    const hr_outcome *outcome;
    hr_report_verdict verdict;
    const hr_findings *findings;           /* of the algorithm; NULL: none */
    const hr_bound *lower;                 /* NULL: no bound was asked for */
    uint32_t bound_steps;                  /* 0: the simple bound */
    uint64_t dropped;                      /* rows, for a missing number */
    uint32_t cells, cells_out, cells_poor; /* MAM cells; suppressed; though they have k rows */
    struct {
        double read, bound, search, mask, verify, write, total;
    } seconds;
    unsigned threads;
    uint64_t peak_memory;
    char **warnings;
    size_t warning_count;
} hr_report;

hr_status hr_report_json(const hr_report *report, char **out, hr_error *err);
hr_figures hr_report_figures(const hr_report *report);
hr_status hr_report_summary(const hr_report *report, char **out, hr_error *err);

#endif
