/* report.h - what a run reports to the owner of the data: a JSON document (report.c), a summary for
 * the terminal (summary.c), and their figures as a struct. The run fills in hr_report
 * (run/pipeline_write.c); this folder only formats it. Charts are in chart.h, results as rows in
 * rows.h; list.c lists what a job can choose from. */
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

/* ---- by_attribute.c: what is achieved in each sensitive attribute ---- */

/* value[m x sensitive attributes + l] is what the worst class achieves by model m in attribute l;
 * worst[...] is that class. */
typedef struct {
    const hr_job *job;
    const double *value; /* NULL: unknown */
    const uint32_t *worst;
    const hr_facts *classes;
    const hr_groups *rows; /* the rows of the classes */
} hr_achieved;

typedef struct {
    const char *attribute;
    bool first; /* the first figure of the attribute */
    const hr_model *model;
    bool in_play; /* the model is asked for; if not, it is p, which is always shown */
    double asked, achieved;
    uint32_t worst, worst_rows; /* the class that achieves least, and its number of rows */
} hr_achieved_figure;

void hr_achieved_each(const hr_achieved *achieved,
                      void (*see)(const hr_achieved_figure *figure, void *payload), void *payload);
/* Appends a line for each attribute and each model, other than k and p, that is asked of it. */
void hr_achieved_lines(const hr_achieved *achieved, const char *prefix, hr_text *out);
/* Appends "asked for 3", "asked for by attribute", or "not asked for". */
void hr_asked_print(const hr_model *model, const hr_requirements *asked, hr_text *out);

/* promises.c: copies of these figures, and of those for the job's `keys`, for programs. */
typedef struct {
    hr_arena arena;
    hr_attribute_figures *attributes;
    hr_attribute_figures *asked; /* of these, the models other than k and p that the job asks for;
                                  * here also those that were not judged: achieved is NaN */
    hr_key_figures *keys;
    size_t attribute_count, asked_count, key_count;
} hr_promises;

/* Without `achieved->value`, only `asked` is filled in. */
hr_status hr_promises_make(const hr_achieved *achieved, const hr_key_figures *keys,
                           size_t key_count, hr_promises *out, hr_error *err);
void hr_promises_free(hr_promises *promises);
/* Appends a line for each set of columns. */
void hr_promises_key_lines(const hr_promises *promises, int64_t k, const char *prefix,
                           hr_text *out);

/* Number of units in the input, of those with a released row, and of those with rows in several
 * classes. */
typedef struct {
    uint64_t input, released, in_several;
} hr_people;

/* Everything a report is made of. Pointers are borrowed. */
typedef struct {
    const hr_job *job;
    const hr_choice *choice;
    hr_requirements asked; /* as enforced: k at least p */
    const hr_outcome *outcome;
    const double *measures; /* of the outcome, in the order of hr_measures */
    hr_report_verdict verdict;
    hr_achieved by_attribute;
    const hr_promises *promises;
    hr_people people;            /* if k counts units */
    const hr_findings *findings; /* of the algorithm; NULL: none */
    const hr_bound *lower;       /* lower bound on the loss; NULL: none was computed */
    uint32_t bound_steps;        /* steps of the Lagrangian bound; 0: the simple bound */
    uint64_t dropped;            /* rows left out for a missing value  */
    uint64_t trimmed;      /* rows of too frequent sensitive values, taken out of their cells */
    uint64_t out_rows;     /* rows of MAM cells that are suppressed as a whole */
    uint32_t cells;        /* MAM cells */
    uint32_t cells_out;    /* MAM cells whose rows are suppressed */
    uint32_t cells_poor;   /* of these, cells with k rows but too few sensitive values */
    uint32_t cells_unlike; /* of these, cells with k rows and p values that violate another model */
    uint32_t cells_emptied; /* of these, cells whose rows were all trimmed */
    struct {
        double read, bound, search, mask, verify, write, total;
    } seconds;
    unsigned threads;
    bool interrupted;                 /* the caller asked for the best release so far */
    uint64_t peak_memory;             /* bytes */
    const hr_lost *lost;              /* suppressed rows by value */
    const struct hr_account *account; /* see account.h; NULL: none */
    char **warnings;
    size_t warning_count;
    size_t first_caution;     /* the warnings from this one on are in the summary */
    const char *unique_names; /* "'a', 'b'": columns that identify rows alone; NULL: none */
} hr_report;

/* The caller frees *out. */
hr_status hr_report_json(const hr_report *report, char **out, hr_error *err);
hr_status hr_report_summary(const hr_report *report, char **out, hr_error *err);
hr_figures hr_report_figures(const hr_report *report);

/* What the models do not promise: sentences for people. */
extern const char *const hr_report_caveats[];
extern const size_t hr_report_caveat_count;

/* Do summary and report show the model? They show the models that are asked for, and k and p. */
bool hr_report_shows(const hr_model *model, const hr_requirements *asked);
/* The measure of this name; NaN where it has no meaning. */
double hr_report_measure(const hr_report *report, const char *name);
/* Loss of quasi-identifier j, 0 .. 1: of its values, or of its means. */
double hr_report_attribute_loss(const hr_report *report, size_t j);
/* How far the loss may lie above the least possible loss, as a share of the bound: loss / bound -
 * 1. NaN if the bound is 0 and the loss is not. */
double hr_report_gap(const hr_report *report);

/* Appends 48842.5 with one digit after the point as "48,842.5". */
void hr_number_text(double value, int digits, hr_text *out);

#endif
