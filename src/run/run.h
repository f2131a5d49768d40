/* run.h - what a job does */
#ifndef HR_RUN_H
#define HR_RUN_H

#include "report/report.h"

/* ---- bind.c: read the table, build the hierarchies, bind the roles ---- */

typedef struct {
    hr_table *owned; /* the table read; NULL if the job lent one */
    const hr_table *table;
    char **header; /* every column of the input, kept or not */
    size_t header_count;
    hr_hierarchy **trees; /* one per quasi-identifier, NULL for numeric ones */
    hr_microdata data;
    hr_missing missing;
    double read_seconds;
} hr_dataset;

/* Roles are checked against the header before any row is read. */
hr_status hr_dataset_load(const hr_job *job, const hr_watch *watch, hr_dataset *out, hr_error *err);
/* Read of the job's input only the columns with bins, for their ranges: they are the sensitive
 * attributes of out->data. */
hr_status hr_dataset_load_ranges(const hr_job *job, const hr_watch *watch, hr_dataset *out,
                                 hr_error *err);
/* Read a hierarchy file, or build the flat one of `column` (used by `flat` only). */
hr_status hr_hierarchy_load(const char *path, const hr_column *column, hr_hierarchy **out,
                            hr_error *err);
/* The boundary that the job draws for an attribute. */
hr_status hr_attribute_boundary(const hr_attribute *attribute, const hr_hierarchy *tree,
                                uint32_t **magval, hr_error *err);
/* The table's MAM cells and what models look at in them; one cell if boundaries are only counted. */
hr_status hr_dataset_cut(const hr_dataset *dataset, bool count_boundaries, hr_groups *cells,
                         hr_facts *facts, hr_error *err);
void hr_dataset_free(hr_dataset *dataset);

/* ---- common.c ---- */

/* What several runs of a job share, each with its own algorithm, k and p: the table with its roles,
 * and the MAM cells where boundaries are enforced [0] and where they are counted [1]. It is never
 * changed, so the runs may be in different threads. */
typedef struct {
    hr_dataset dataset;
    hr_groups cells[2];
    hr_facts facts[2];
} hr_shared_data;

/* Read, bind, and cut into those cells that `cut_for` asks for. */
hr_status hr_shared_data_load(const hr_job *job, const bool cut_for[2], const hr_watch *watch,
                              hr_shared_data *out, hr_error *err);
void hr_shared_data_free(hr_shared_data *shared);

/* ---- mask.c: a partition becomes a table ---- */

typedef struct {
    hr_table *table; /* the released rows and columns, in the order of release */
    uint32_t *row;   /* input row of each released row */
    uint32_t *place; /* of each input row: its released row, or HR_NONE */
} hr_masked;

hr_status hr_mask(const hr_job *job, const hr_dataset *dataset, const hr_partition *partition,
                  hr_masked *out, hr_error *err);
void hr_masked_free(hr_masked *masked);

/* ---- verify.c: is this table what the job promises? Shared by `check` and by every run ---- */

typedef struct {
    uint64_t rows, left_out; /* judged; left out as suppressed by `suppressed_as` */
    hr_groups classes;       /* rows with equal published texts */
    hr_facts facts;
    int64_t achieved[HR_MODELS_MAX];    /* by each model of the table */
    uint64_t small_classes, small_rows; /* classes with fewer than k rows */
    uint64_t *poor_classes; /* per sensitive attribute: classes with fewer than p values */
    bool compared;          /* an original was given */
    uint64_t violations, uncovered, changed; /* against the original: values past a boundary, values
                                                that do not cover or are not the mean, other cells
                                                that differ */
    uint64_t *violations_by, *uncovered_by;  /* per quasi-identifier */
    uint64_t *unknown_by; /* per quasi-identifier, without an original: values that are no node,
                             number or interval, or where means are published, no number */
    uint64_t *first_unknown_by; /* the first row with one, from 1; 0: none */
    uint64_t first_uncovered;   /* row of the masked table, from 1; 0: none */
    bool holds;
} hr_verdict;

typedef struct {
    const hr_job *job;
    const hr_table *masked;
    const hr_dataset *original; /* or NULL */
    const hr_dataset *ranges;   /* of bins, where there is no original; or NULL: of masked itself */
    const uint32_t *row;        /* original row of each masked row; NULL: by position */
    bool enforce_boundaries;    /* violations make the answer no */
    bool means;                 /* numbers are published as means of classes, not covered */
    const char *suppressed_as;  /* or NULL */
    const hr_watch *watch;
} hr_verify_request;

hr_status hr_verify(const hr_verify_request *request, hr_verdict *out, hr_error *err);
void hr_verdict_free(hr_verdict *verdict);

/* ---- trace.c ---- */

void hr_trace_write(hr_output *output, const hr_partition *partition, const hr_masked *masked,
                    const hr_groups *classes);
/* row_of[i]: original row of masked row i, both from 0. The caller frees it. */
hr_status hr_trace_read(const char *path, size_t rows, size_t masked_rows, uint32_t **row_of,
                        hr_error *err);

/* ---- minimal.c ---- */

/* Other releases that an algorithm which lists_alternatives found, as CSV. */
hr_status hr_minimal_write(hr_output *output, const hr_findings *findings, hr_error *err);

/* ---- certificate.c: what proves a lower bound, as a file ---- */

/* For the owner. No value of any attribute is in it: multipliers in the order of first rows. */
void hr_certificate_write(hr_output *output, const hr_bound *lower, const hr_microdata *data,
                          const hr_requirements *asked, bool count_boundaries);

typedef struct {
    double claimed; /* NTIL that no release is below */
    double proved;  /* what the certificate's multipliers prove */
    bool holds;     /* claimed is not more than that */
} hr_proof;

/* Recompute the bound from the original's rows. A file that is no certificate, or is one of another
 * table or of another k, p or boundaries mode, is HR_EDATA. */
hr_status hr_certificate_check(const char *path, const hr_dataset *original,
                               const hr_requirements *asked, bool count_boundaries,
                               const hr_watch *watch, hr_proof *out, hr_error *err);

/* ---- pipeline.c ---- */

struct hr_release {
    hr_masked masked;
    char *report;
    char *summary; /* a few lines for a person */
    hr_figures figures;
};

/* hr_job_run without reading and writing: the figures of a release that was verified like any other
 * and is then forgotten. Their seconds run from MAM cells to verification. */
hr_status hr_job_try(const hr_job *job, const hr_shared_data *shared, const hr_watch *watch,
                     hr_figures *out, hr_error *err);

/* ---- prices.c: what the boundaries cost ---- */

typedef struct {
    int64_t k, p;
    uint64_t suppressed;
    uint64_t
        classes_at_most; /* no release has more; with one sensitive attribute some has as many */
    uint64_t *relaxed;   /* per quasi-identifier: suppressed if its boundary went one level up */
} hr_price;

typedef struct {
    uint64_t rows, dropped;            /* dropped: missing numeric values, `on_missing: drop` */
    uint32_t cells, smallest, largest; /* MAM cells and their rows */
    size_t quasi_count;
    hr_price *prices; /* for every k and p of the grid, k outermost */
    size_t price_count;
} hr_prices;

/* One pass over the rows, however large the grid. */
hr_status hr_prices_of(const hr_dataset *dataset, const int64_t *ks, size_t k_count,
                       const int64_t *ps, size_t p_count, hr_prices *out, hr_error *err);
void hr_prices_free(hr_prices *prices);

#endif
