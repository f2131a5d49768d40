/* run.h - what a job does: read the table and bind its columns (dataset), search for a partition,
 * write it as a table (mask), judge that table as its reader will (verify), and record the owner's
 * evidence (trace, list of levels, certificate). pipeline.c strings these steps together for
 * hr_job_run; `check`, `boundaries` and `compare` use them one by one. Private to this folder:
 * pipeline.h (the state of one run), verify.h (the parts of verification) and check.h (the state of
 * one check). print.c makes texts of the results. compare/ runs a grid of jobs, tree/ shows and
 * checks hierarchies. */
#ifndef HR_RUN_H
#define HR_RUN_H

#include "io/io.h"
#include "report/report.h"

/* ---- dataset.c: the job's table, with its roles bound to columns ---- */

typedef struct {
    hr_table *owned;       /* the table that was read; NULL if the caller lent one */
    const hr_table *table; /* `owned`, or the table lent */
    char **header;         /* names of all columns of the input, read or not */
    size_t header_count;
    hr_hierarchy **trees; /* one per quasi-identifier; NULL for numeric ones */
    hr_microdata data;
    hr_missing missing; /* borrowed from the job */
    double read_seconds;
} hr_dataset;

/* Reads the columns that a release can contain. The job's columns are looked up in the header
 * before any row is read, so that a misspelt name costs no time. */
hr_status hr_dataset_load(const hr_job *job, const hr_watch *watch, hr_dataset *out, hr_error *err);
/* A part of it: binds the roles of the job to the columns of dataset->table. */
hr_status hr_dataset_bind(const hr_job *job, const hr_watch *watch, hr_dataset *dataset,
                          hr_error *err);
/* Reads only the columns with bins, as sensitive attributes of out->data, and those from which a
 * recipe builds a hierarchy, for out->trees. A masked file is then judged by the ranges and
 * hierarchies of the original. */
hr_status hr_dataset_load_ranges(const hr_job *job, const hr_watch *watch, hr_dataset *out,
                                 hr_error *err);
/* Groups the rows into MAM cells, takes out the rows that `asked` lets no release contain although
 * their cell can be released (hr_cells_trim; *trimmed: how many), and counts the sensitive values
 * of the others. If boundaries are counted, not enforced, all rows are one cell. The k and p of
 * `asked` do not matter. */
hr_status hr_dataset_cut(const hr_dataset *dataset, bool count_boundaries,
                         const hr_requirements *asked, hr_groups *cells, hr_facts *facts,
                         uint64_t *trimmed, hr_error *err);
void hr_dataset_free(hr_dataset *dataset);

/* Reads a hierarchy file; the path "flat" builds a two-level tree of the values of `column`, which
 * is not used otherwise. */
hr_status hr_hierarchy_load(const char *path, const hr_column *column, const hr_watch *watch,
                            hr_hierarchy **out, hr_error *err);
/* The hierarchy of an attribute: given in memory, read from a file or built from the column, with a
 * leaf for missing values if they are grouped. `column` may be NULL unless the hierarchy is built
 * from it. The caller frees *out. */
hr_status hr_attribute_tree(const hr_attribute *attribute, const hr_column *column,
                            const hr_missing *missing, const hr_watch *watch, hr_hierarchy **out,
                            hr_error *err);
/* Resolves the boundary of an attribute to the MAGVal of every node. The caller frees *magval. */
hr_status hr_attribute_boundary(const hr_attribute *attribute, const hr_hierarchy *tree,
                                uint32_t **magval, hr_error *err);

/* Resolves `finest` of an attribute; *finest is NULL if it is not given. The caller frees it. */
hr_status hr_attribute_finest(const hr_attribute *attribute, const hr_hierarchy *tree,
                              uint32_t **finest, hr_error *err);

/* ---- shared_data.c ---- */

/* A dataset for several runs that differ in algorithm, k and p, with its MAM cells where boundaries
 * are enforced [0] and where they are counted [1]. Runs only read it, so they may share it between
 * threads. */
typedef struct {
    hr_dataset dataset;
    hr_groups cells[2];
    hr_facts facts[2];
    uint64_t trimmed[2];     /* rows that hr_dataset_cut took out */
    const uint64_t *streams; /* see hr_search; NULL unless the rows are part of a larger table */
} hr_shared_data;

/* Loads the dataset and cuts it for each boundaries mode that `cut_for` asks for. */
hr_status hr_shared_data_load(const hr_job *job, const bool cut_for[2], const hr_watch *watch,
                              hr_shared_data *out, hr_error *err);
void hr_shared_data_free(hr_shared_data *shared);

/* ---- mask.c: a partition becomes a table ---- */

typedef struct {
    hr_table *table; /* the released rows and columns, in the order of release */
    uint32_t *row;   /* per released row: its input row */
    uint32_t *place; /* per input row: its released row, or HR_NONE */
} hr_masked_table;

hr_status hr_mask(const hr_job *job, const hr_dataset *dataset, const hr_partition *partition,
                  hr_masked_table *out, hr_error *err);
void hr_masked_table_free(hr_masked_table *masked);

/* ---- verify.c: does a masked table keep the job's promises? ---- */

typedef struct {
    uint64_t rows;                      /* rows judged */
    uint64_t left_out;                  /* rows recognized as suppressed by `suppressed_as` */
    hr_groups classes;                  /* rows with equal published texts */
    hr_facts facts;                     /* of the classes */
    double achieved[HR_MODELS_MAX];     /* in the order of hr_models; NaN: it has no meaning */
    uint64_t failing[HR_MODELS_MAX];    /* classes that violate each model */
    uint64_t small_classes, small_rows; /* classes with fewer than k rows */
    uint64_t *poor_classes; /* per sensitive attribute: classes with fewer than p values */
    /* With an original, row by row: */
    bool compared;
    uint64_t violations;      /* values beyond a boundary */
    uint64_t uncovered;       /* values that do not cover the original, or are not the class mean */
    uint64_t changed;         /* sensitive and kept values that differ from the original */
    uint64_t *violations_by;  /* per quasi-identifier */
    uint64_t *uncovered_by;   /* per quasi-identifier */
    uint64_t first_uncovered; /* row of the masked table, from 1; 0: none */
    /* Per quasi-identifier, with or without an original: */
    uint64_t *too_fine_by; /* values more precise than `finest` allows */
    uint64_t too_fine;     /* of all of them */
    /* Without an original, per quasi-identifier: */
    uint64_t *unknown_by; /* values that are neither node, number nor interval (means: number) */
    uint64_t *first_unknown_by; /* row of the first such value, from 1; 0: none */
    bool holds;                 /* the answer */
} hr_verdict;

typedef struct {
    const hr_job *job;
    const hr_table *masked;
    const hr_dataset *original; /* or NULL */
    const hr_dataset *ranges;   /* ranges of bins when there is no original; NULL: of `masked` */
    const uint32_t *row;        /* original row of each masked row; NULL: paired by position */
    bool enforce_boundaries;    /* a value beyond a boundary makes the answer no */
    bool means;                 /* numbers are published as class means */
    const char *suppressed_as;  /* rows whose quasi-identifiers all have this text are suppressed */
    const hr_watch *watch;
} hr_verify_request;

hr_status hr_verify(const hr_verify_request *request, hr_verdict *out, hr_error *err);
void hr_verdict_free(hr_verdict *verdict);

/* ---- batch.c: rows that are made one by one ---- */

typedef struct {
    hr_writer *writer;
    const char *const *names;
    const char *const *formats; /* Arrow types of the columns, NULL: text; NULL: all are texts */
    size_t column_count;
    hr_table *table; /* rows that were not written yet; or NULL */
    bool begun;      /* the header was written */
} hr_batch;

/* Appends one row; a field that is NULL is null. */
hr_status hr_batch_add(hr_batch *batch, const char *const *fields, hr_error *err);
/* Writes the rows that are left, or the header if there was no row. */
hr_status hr_batch_end(hr_batch *batch, hr_error *err);
void hr_batch_free(hr_batch *batch);

/* ---- trace.c: what became of every input row ---- */

hr_status hr_trace_write(hr_writer *writer, const hr_partition *partition,
                         const hr_masked_table *masked, const hr_groups *classes, hr_error *err);
/* row_of[i]: original row of masked row i, both from 0. The caller frees *row_of. */
hr_status hr_trace_read(const char *path, size_t rows, size_t masked_rows, const hr_watch *watch,
                        uint32_t **row_of, hr_error *err);

/* ---- minimal.c ---- */

/* Other releases that an algorithm which lists_alternatives found, as CSV. */
hr_status hr_minimal_write(hr_output *output, const hr_findings *findings, hr_error *err);

/* ---- certificate.c: the proof of a lower bound, as a table ---- */

/* The table is for the owner. It contains multipliers in the order of first rows, and no value of
 * any attribute. */
hr_status hr_certificate_write(hr_writer *writer, const hr_bound *lower, const hr_microdata *data,
                               const hr_requirements *asked, bool count_boundaries, hr_error *err);

typedef struct {
    double claimed; /* the lower bound (NTIL) that the certificate states */
    double proved;  /* the lower bound that its multipliers prove */
    bool holds;     /* claimed <= proved */
} hr_proof;

/* Recomputes the bound from the original. A file that is no certificate, or belongs to another
 * table, k, p or boundaries mode, is HR_EDATA. */
hr_status hr_certificate_check(const char *path, const hr_dataset *original,
                               const hr_requirements *asked, bool count_boundaries,
                               const hr_watch *watch, hr_proof *out, hr_error *err);

/* ---- pipeline.c; also hr_job_run of hedgerow.h ---- */

struct hr_release {
    hr_masked_table masked;
    size_t input_rows;
    uint32_t *class_of_row;         /* per released row */
    double *measures;               /* in the order of hr_measures */
    hr_requirements asked;          /* as enforced */
    double achieved[HR_MODELS_MAX]; /* in the order of hr_models */
    char **warnings;
    size_t warning_count;
    char *report;  /* JSON */
    char *summary; /* a few lines for a person */
    hr_figures figures;
};

/* Like hr_job_run on data that is already loaded. */
hr_status hr_job_run_shared(const hr_job *job, const hr_shared_data *shared, const hr_watch *watch,
                            hr_release **out, hr_error *err);
/* The same, writing nothing: the release is verified, measured and freed. out->seconds runs from
 * MAM cells to verification. */
hr_status hr_job_try(const hr_job *job, const hr_shared_data *shared, const hr_watch *watch,
                     hr_figures *out, hr_error *err);

/* ---- prices.c: what the boundaries cost; also hr_job_boundaries of hedgerow.h ---- */

struct hr_prices {
    hr_cut cut;
    char **names;     /* of the quasi-identifiers */
    bool *bounded;    /* likewise */
    hr_price *prices; /* one for every k and p, k outermost */
    size_t price_count;
};

/* The k and p of a grid: replaces a list that is NULL by the job's own k or p, and checks that
 * there is a number and that all are at least 1. */
hr_status hr_job_numbers(const hr_job *job, const int64_t **ks, size_t *k_count, const int64_t **ps,
                         size_t *p_count, hr_error *err);
/* `asked`: the parameters of the other models. Time: one pass over the rows; the size of the grid
 * only counts per MAM cell. */
hr_status hr_prices_of(const hr_dataset *dataset, const hr_requirements *asked, const int64_t *ks,
                       size_t k_count, const int64_t *ps, size_t p_count, hr_prices **out,
                       hr_error *err);

#endif
