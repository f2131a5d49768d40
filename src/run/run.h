/* run.h - the steps of a job: read the table and bind its columns (dataset), search for a
 * partition, turn it into a table (mask), judge that table as its reader will (verify), and record
 * evidence for the owner (trace, other releases, certificate). pipeline.c runs these steps in order
 * for hr_job_run; `check`, `boundaries` and `compare` use some of them. Private to this folder are
 * pipeline.h (the state of one run), verify.h (the parts of verification) and check.h (the state of
 * one check). print.c prints the results. Folders: compare/ runs a grid of jobs, plan/ runs cells
 * elsewhere, init/ drafts jobs, suggest/ suggests boundaries, tree/ shows and checks
 * hierarchies. */
#ifndef HR_RUN_H
#define HR_RUN_H

#include "io/io.h"
#include "report/count/count.h"
#include "report/page/page.h"
#include "report/report.h"

/* ---- header.c: the header of a table, compared with the columns that a job names ---- */

/* Names of columns for a message. Valid when zeroed. */
typedef struct {
    hr_text names; /* the first few */
    size_t first;  /* length of the part that is shown if there are many */
    uint64_t count;
} hr_name_list;

/* Adds a name. `column` is its number, from 1; a name that looks like a value is replaced by it,
 * unless `column` is 0. */
void hr_name_list_add(hr_name_list *list, const char *name, size_t column);
/* Appends "'a', 'b', 'c', ... and 294 more"; up to five names are all shown. */
void hr_name_list_print(const hr_name_list *list, hr_text *out);
void hr_name_list_free(hr_name_list *list);

/* Does the name of a column look like a value: a number, a date, an address? */
bool hr_name_is_value(const char *name);
/* Do two names differ at most in blanks, underscores and capitals? */
bool hr_names_alike(const char *a, const char *b);
/* Fails if the job names none of the columns: the first line may be a row. `path` NULL: a table in
 * memory. */
hr_status hr_header_match(const hr_job *job, const char *path, const char *const *names,
                          size_t count, hr_error *err);
/* The error for a column that the table does not have. */
hr_status hr_header_lacks(const char *path, const char *wanted, const char *const *names,
                          size_t count, hr_error *err);

/* ---- recode.c: kept columns that are released recoded ---- */

typedef struct {
    const hr_attribute *attribute; /* of the job */
    const hr_column *column;       /* of the original; NULL: it is not known */
    hr_recode_numbers numbers;     /* of `round`, `bottom` and `top` */
    hr_hierarchy *tree;            /* of `level`; NULL: none, or it is built from the column */
    uint32_t level;
    hr_dictionary texts; /* the released texts */
    uint32_t *of_code;   /* per code of the column: a code of `texts` */
} hr_recoding;

typedef struct {
    hr_recoding *items;
    size_t count;
} hr_recodings;

/* Makes the recodings of the job, in its order, and applies each to its column if the table has it.
 * `table` may be NULL. The caller zeroes *out before, and frees it also on failure. */
hr_status hr_recodings_bind(const hr_job *job, const hr_table *table, const hr_missing *missing,
                            const hr_watch *watch, hr_recodings *out, hr_error *err);
/* The recoding of a column, or NULL. */
const hr_recoding *hr_recoding_find(const hr_recodings *recodings, const char *name);
void hr_recodings_free(hr_recodings *recodings);
/* Is the released column still a column of numbers? */
bool hr_recoding_keeps_numbers(const hr_recoding *recoding);
/* The Arrow type of the released column, NULL: text. Rounded numbers keep their type, or get a
 * wider one that holds them all. */
const char *hr_recoding_format(const hr_recoding *recoding);
/* Can the recoding produce this text from some original? If its tree is not known, any text can be
 * produced. */
bool hr_recoding_gives(const hr_recoding *recoding, const hr_missing *missing,
                       const hr_dictionary *texts, uint32_t code);
/* The code in recoding->texts of a published text; a rounded number may have another notation.
 * HR_NONE: the recoding produces no such text for the column. */
uint32_t hr_recoding_match(const hr_recoding *recoding, const hr_dictionary *texts, uint32_t code);

/* ---- dataset.c: the job's table, with its roles bound to columns ---- */

typedef struct {
    hr_table *owned;       /* the table that was read; NULL if the caller gave one */
    const hr_table *table; /* the table in use: `owned`, `sorted`, `counted` or the caller's */
    hr_table *sorted;      /* sorted copy of the caller's table (hr_dataset_sort); NULL: none */
    hr_table *counted;     /* counted rows of the caller's table; NULL: it is not counted */
    uint32_t *weights;     /* of the sorted rows of a counted table, or NULL */
    uint32_t *row;         /* input row of each row, if the rows are sorted; NULL: the same */
    char **header;         /* names of all columns of the input, read or not */
    size_t header_count;
    hr_hierarchy **trees; /* one per quasi-identifier; NULL for numeric ones */
    hr_microdata data;
    hr_recodings recodings; /* of kept columns; none if the dataset is a masked table */
    hr_missing missing;     /* borrowed from the job */
    double read_seconds;
} hr_dataset;

/* Reads the columns that a release can contain. The job's columns are looked up in the header
 * before any row is read, so that a misspelt name costs no time. */
hr_status hr_dataset_load(const hr_job *job, const hr_watch *watch, hr_dataset *out, hr_error *err);
/* Binds the job's requirements for a sensitive attribute. Its hierarchy is made for `column`. */
hr_status hr_attribute_demand(const hr_job *job, const hr_attribute *attribute,
                              const hr_column *column, const hr_missing *missing,
                              const hr_watch *watch, hr_sensitive *sensitive, hr_error *err);
/* The last step of hr_dataset_load: binds the roles of the job to the columns of dataset->table. */
hr_status hr_dataset_bind(const hr_job *job, const hr_watch *watch, hr_dataset *dataset,
                          hr_error *err);
/* Does judging a masked column need values of the original? It does for the range of bins and for
 * the values from which a hierarchy is built, flat ones included. */
bool hr_attribute_has_range(const hr_attribute *attribute);
/* Reads only the columns for which hr_attribute_has_range is true: columns with bins become
 * sensitive attributes of out->data; hierarchies are built from the others into out->trees. A
 * masked file is then judged by the ranges and hierarchies of the original. */
hr_status hr_dataset_load_ranges(const hr_job *job, const hr_watch *watch, hr_dataset *out,
                                 hr_error *err);
/* Groups the rows into MAM cells, takes out the rows that must be suppressed although their cell
 * can be released (hr_cells_trim; *trimmed: their number), and counts the sensitive values of the
 * others. If boundaries are counted, not enforced, all rows form one cell. The k and p of `asked`
 * do not matter. `watch` may cancel. */
hr_status hr_dataset_cut(const hr_dataset *dataset, bool count_boundaries,
                         const hr_requirements *asked, const hr_watch *watch, hr_groups *cells,
                         hr_facts *facts, uint64_t *trimmed, hr_error *err);
void hr_dataset_free(hr_dataset *dataset);

/* dataset_sort.c: sorts the rows of a dataset that was just bound, so that their order depends on
 * their values alone. Time: O(columns x rows). */
hr_status hr_dataset_sort(const hr_job *job, hr_dataset *dataset, hr_error *err);
/* Reduces the dataset of a counted table to its counted rows. Dictionaries stay complete. */
hr_status hr_dataset_count(const hr_job *job, hr_dataset *dataset, hr_error *err);
/* Frees what hr_dataset_sort and hr_dataset_count made. hr_dataset_free does this, too. */
void hr_dataset_unsort(hr_dataset *dataset);

/* Reads a hierarchy file; the path "flat" builds a two-level tree of the values of `column`, which
 * is not used otherwise. */
hr_status hr_hierarchy_load(const char *path, const hr_column *column,
                            const hr_format_options *format, const hr_watch *watch,
                            hr_hierarchy **out, hr_error *err);
/* The hierarchy of an attribute: given in memory, read from a file or built from the column, with a
 * leaf for missing values if they are grouped. `column` may be NULL unless the hierarchy is built
 * from it. `format`: how the job's files are written. The caller frees *out. */
hr_status hr_attribute_tree(const hr_attribute *attribute, const hr_column *column,
                            const hr_missing *missing, const hr_format_options *format,
                            const hr_watch *watch, hr_hierarchy **out, hr_error *err);
/* Resolves the boundary of an attribute to the MAGVal of every node. The caller frees *magval. */
hr_status hr_attribute_boundary(const hr_attribute *attribute, const hr_hierarchy *tree,
                                uint32_t **magval, hr_error *err);

/* Resolves `finest` of an attribute; *finest is NULL if it is not given. The caller frees it. */
hr_status hr_attribute_finest(const hr_attribute *attribute, const hr_hierarchy *tree,
                              uint32_t **finest, hr_error *err);

/* ---- shared_data.c ---- */

/* A dataset for several runs that differ in algorithm, k and p, and its MAM cells: [0] with
 * boundaries enforced, [1] with boundaries counted; no cells if they depend on k and p
 * (hr_cuts_chosen). Runs only read it, so threads may share it. */
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
/* The same rows, sorted, for algorithms whose result must not depend on their order. The copy
 * borrows from `shared`; free it first, with hr_shared_data_free_sorted. */
hr_status hr_shared_data_sort(const hr_job *job, const hr_shared_data *shared,
                              const bool cut_for[2], const hr_watch *watch, hr_shared_data *out,
                              hr_error *err);
void hr_shared_data_free_sorted(hr_shared_data *sorted);
void hr_shared_data_free(hr_shared_data *shared);

/* ---- mask.c: a partition becomes a table ---- */

typedef struct {
    hr_table *table; /* the released rows and columns, in the order of release */
    uint32_t *row;   /* per released row: its row in the dataset; in hr_release, its input row */
    uint32_t *place; /* per row of the dataset: its released row, or HR_NONE */
} hr_masked_table;

hr_status hr_mask(const hr_job *job, const hr_dataset *dataset, const hr_partition *partition,
                  hr_masked_table *out, hr_error *err);
void hr_masked_table_free(hr_masked_table *masked);

/* ---- trace.c: what became of every input row ---- */

/* Writes one row for each of `rows` input rows; cluster[row] is HR_NONE if it is suppressed. */
hr_status hr_trace_write(hr_writer *writer, const uint32_t *cluster, size_t rows,
                         const hr_masked_table *masked, const hr_groups *classes, hr_error *err);

/* A trace that was read: where each row of the masked file came from. */
typedef struct {
    uint32_t *row, *class; /* per masked row: its original row, from 0; its class */
    const char *foreign;   /* why the trace is one of another release; NULL: it may be of this */
} hr_trace;

/* Read a trace from a table, which messages call `name`, or from a file. Anything but a complete
 * trace is HR_EDATA. If out->foreign is set, `row` and `class` may lack values (HR_NONE). The
 * caller frees *out. */
hr_status hr_trace_take(const char *name, const hr_table *table, size_t rows, size_t masked_rows,
                        hr_trace *out, hr_error *err);
hr_status hr_trace_read(const char *path, size_t rows, size_t masked_rows, const hr_watch *watch,
                        hr_trace *out, hr_error *err);
/* Sets *differs if most rows are in a class of the trace that is not a class of the masked file.
 * `facts` are the facts of `classes`. */
hr_status hr_trace_compare(const hr_trace *trace, const hr_groups *classes, const hr_facts *facts,
                           bool *differs, hr_error *err);
void hr_trace_free(hr_trace *trace);

/* ---- verify.c: judges a masked table ---- */

typedef struct {
    uint64_t rows;                   /* rows judged */
    uint64_t left_out;               /* rows recognized as suppressed by `suppressed_as` */
    hr_groups classes;               /* rows with equal published texts */
    hr_facts facts;                  /* of the classes */
    double achieved[HR_MODELS_MAX];  /* in the order of hr_models; NaN: it has no meaning */
    uint64_t failing[HR_MODELS_MAX]; /* classes that violate each model */
    /* For each model and sensitive attribute, at [model x sensitive attributes + attribute]: what
     * the worst class achieves (NaN unless the model is shown), and the first such class. */
    double *achieved_in;
    uint32_t *worst_in;
    hr_arena arena;       /* of the names of `keys` */
    hr_key_figures *keys; /* as the job lists them */
    size_t key_count;
    bool uncounted;  /* k counts units, but they are not known: k was judged by rows */
    bool unreferred; /* t refers to the input, but it is not known: t was not judged */
    uint64_t small_classes, small_rows; /* classes with fewer than k rows */
    uint64_t *poor_classes; /* per sensitive attribute: classes with fewer than p values */
    uint64_t hidden;        /* sensitive values whose text stands for no value */
    hr_text hidden_words;   /* the different texts among these: "'*', 'NA'" */
    hr_text cautions;       /* what the owner may have overlooked, a line each */
    const char *foreign;    /* why the trace belongs to another release; NULL: it does not */
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
    /* Per attribute of the job, with or without an original: */
    uint64_t *unrecoded_by;       /* kept values that the recoding does not produce */
    uint64_t *first_unrecoded_by; /* row of the first such value, from 1; 0: none */
    uint64_t unrecoded;           /* of all of them */
    /* Per quasi-identifier: values that are not a node (without a tree: not a number or interval;
     * for means: not a number). */
    uint64_t *unknown_by;
    uint64_t *first_unknown_by; /* row of the first such value, from 1; 0: none */
    /* Without an original, per quasi-identifier: */
    uint64_t *past_by; /* values past the boundary of any original */
    uint64_t past;     /* sum of past_by */
    bool *unjudged_by; /* its hierarchy would be built from values that were not read */
    bool holds;        /* no check failed */
} hr_verdict;

typedef struct {
    const hr_job *job;
    const hr_table *masked;
    const hr_dataset *original; /* or NULL */
    const hr_dataset *ranges;   /* ranges of bins when there is no original; NULL: of `masked` */
    const uint32_t *row;        /* original row of each masked row; NULL: paired by position */
    hr_trace *trace;            /* instead of `row`; NULL: none */
    bool cautious;              /* look for what may have been overlooked */
    bool enforce_boundaries;    /* a value beyond a boundary makes the answer no */
    bool means;                 /* numbers are published as class means */
    const char *suppressed_as;  /* rows whose quasi-identifiers all have this text are left out */
    const hr_watch *watch;
} hr_verify_request;

hr_status hr_verify(const hr_verify_request *request, hr_verdict *out, hr_error *err);
void hr_verdict_free(hr_verdict *verdict);

/* ---- verify_units.c ---- */

/* row[i] is the row of the dataset that released row i was made of; `classes` groups the released
 * rows. Without units all are 0. Time: O(rows). */
hr_people hr_people_of(const hr_microdata *data, const hr_groups *classes, const uint32_t *row);

/* ---- cautions.c: what the owner may have overlooked. Each appends one line to `out`, or nothing;
 * `of_row` has HR_NONE for rows that do not count, or is NULL ---- */

/* If at least half of the rows of a kept or sensitive column have a value of their own. */
hr_status hr_caution_unique(const hr_attribute *attribute, const hr_column *column,
                            const uint32_t *of_row, hr_text *out, hr_error *err);
/* If there are fewer rows than k. */
void hr_caution_rows(uint64_t rows, int64_t k, hr_text *out);
/* If an attribute has fewer values than a model needs; returns the option that asks for them, or
 * NULL. */
const hr_option *hr_caution_values(const hr_sensitive *sensitive, const hr_requirements *asked,
                                   hr_text *out);
/* Notices of both kinds; `asked` has the greatest k and p. */
hr_status hr_note_impossible(const hr_dataset *dataset, const hr_requirements *asked,
                             const hr_watch *watch, hr_error *err);
/* If more than a tenth of the rows are suppressed; returns whether it appended a line. */
bool hr_caution_suppressed(uint64_t suppressed, uint64_t rows, hr_text *out);
/* If an attribute has values that differ only in blanks or capitals; a notice for each such
 * attribute. */
hr_status hr_caution_alike(const hr_sensitive *sensitive, const uint32_t *of_row, hr_text *out,
                           hr_error *err);
hr_status hr_note_alike(const hr_dataset *dataset, const hr_watch *watch, hr_error *err);
/* A notice for each sensitive attribute with texts that stand for no value. */
hr_status hr_note_hidden(const hr_dataset *dataset, const hr_watch *watch, hr_error *err);

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

/* ---- minimal.c ---- */

/* Writes as CSV the other releases that the algorithm found, if it lists_alternatives. */
hr_status hr_minimal_write(hr_output *output, const hr_findings *findings, hr_error *err);

/* ---- certificate.c: the proof of a lower bound, as a table ---- */

/* Writes the certificate, which is for the owner. It has multipliers in the order of first rows,
 * but no value of any attribute. */
hr_status hr_certificate_write(hr_writer *writer, const hr_bound *lower, const hr_microdata *data,
                               const hr_requirements *asked, bool count_boundaries, hr_error *err);

typedef struct {
    double claimed; /* the lower bound (NTIL) that the certificate states */
    double proved;  /* the lower bound that its multipliers prove */
    bool holds;     /* claimed <= proved */
} hr_proof;

/* Recomputes the bound from the original. HR_EDATA if the file is not a certificate or was made for
 * another table, k, p or boundaries mode. */
hr_status hr_certificate_check(const char *path, const hr_job *job, const hr_dataset *original,
                               const hr_requirements *asked, bool count_boundaries,
                               const hr_watch *watch, hr_proof *out, hr_error *err);

/* ---- lost.c: suppressed rows by value; also hr_lost of hedgerow.h ---- */

struct hr_lost {
    hr_lost_figures figures;
    hr_lost_value *values;
    size_t value_count;
    hr_arena arena;
};

/* counts[j][g]: suppressed rows of group g of quasi-identifier j; g is shown[j].count for missing
 * values. Fills in the values, not the figures. */
hr_status hr_lost_of_counts(const hr_microdata *data, const hr_shown_values *shown,
                            uint64_t *const *counts, hr_lost **out, hr_error *err);
/* group[row] is HR_NONE for rows that are suppressed, or gone[group[row]] is true; `gone` may be
 * NULL. Time: O(rows x quasi-identifiers). */
hr_status hr_lost_of_rows(const hr_microdata *data, const hr_shown_values *shown,
                          const uint32_t *group, const bool *gone, hr_lost **out, hr_error *err);
/* Room for counts[j][g], zeroed. Free it with free(). */
uint64_t **hr_lost_counts(const hr_shown_values *shown, size_t quasi_count, hr_error *err);

/* Counts from which hr_lost is computed for one k and p after another: the rows of each MAM cell
 * by group of shown values. */
typedef struct {
    uint32_t cell, group, rows;
} hr_cell_count;
typedef struct {
    hr_cell_count *items;
    uint32_t count;
} hr_cell_counts;
typedef struct {
    hr_shown_values *shown;
    hr_cell_counts *kept; /* per quasi-identifier */
    size_t count;
} hr_lost_basis;

hr_status hr_lost_basis_make(const hr_microdata *data, const hr_groups *cells, hr_lost_basis *out,
                             hr_error *err);
/* The suppressed rows are those of cells with gone[cell], and those in no cell. */
hr_status hr_lost_of_cells(const hr_microdata *data, const hr_lost_basis *basis, const bool *gone,
                           hr_lost **out, hr_error *err);
void hr_lost_basis_free(hr_lost_basis *basis);

/* ---- pipeline.c; also hr_job_run of hedgerow.h ---- */

struct hr_release {
    hr_masked_table masked;
    size_t input_rows;
    uint32_t *class_of_row;         /* per released row */
    uint32_t *cluster;              /* per input row; HR_NONE: suppressed */
    double *measures;               /* in the order of hr_measures */
    hr_requirements asked;          /* as enforced */
    double achieved[HR_MODELS_MAX]; /* in the order of hr_models */
    hr_promises promises;
    char **warnings;
    size_t warning_count;
    size_t first_caution; /* the warnings from this one on are in the summary, too */
    char *report;         /* JSON */
    char *summary;        /* a few lines for a person */
    hr_lost *lost;        /* NULL in a trial */
    hr_account account;   /* what the pages are made of; empty in a trial */
    hr_figures figures;
};

/* Like hr_job_run on data that is already loaded. */
hr_status hr_job_run_shared(const hr_job *job, const hr_shared_data *shared, const hr_watch *watch,
                            hr_release **out, hr_error *err);
/* The same, writing nothing: the release is verified, measured and freed. out->seconds runs from
 * MAM cells to verification. The caller frees *promises. */
hr_status hr_job_try(const hr_job *job, const hr_shared_data *shared, const hr_watch *watch,
                     hr_figures *out, hr_promises *promises, hr_error *err);

/* ---- prices.c: what the boundaries cost; also hr_job_boundaries of hedgerow.h ---- */

struct hr_prices {
    hr_cut cut;
    char **names;     /* of the quasi-identifiers */
    bool *bounded;    /* per quasi-identifier: it has a boundary */
    hr_price *prices; /* one for every k and p, k outermost */
    hr_lost **lost;   /* per price */
    size_t price_count;
    hr_arena arena;            /* of the names of attributes in `figures` */
    hr_price_figures *figures; /* figure_count of each price */
    size_t figure_count;
};

/* The k and p of a grid: replaces a list that is NULL by the job's own k or p. Fails if a list is
 * empty or has a number below 1. */
hr_status hr_job_numbers(const hr_job *job, const int64_t **ks, size_t *k_count, const int64_t **ps,
                         size_t *p_count, hr_error *err);
/* `asked` has the parameters of the models other than k and p. Time: O(rows + MAM cells x pairs of
 * k and p); if boundaries cut numbers, O(rows) for each pair. */
hr_status hr_prices_of(const hr_dataset *dataset, const hr_requirements *asked, const int64_t *ks,
                       size_t k_count, const int64_t *ps, size_t p_count, const hr_watch *watch,
                       hr_prices **out, hr_error *err);

/* ---- prices_relax.c ---- */

/* Chooses the cells of numbers for `asked` in a copy of the data (hr_cuts_copy), and cuts the
 * table. *trimmed: rows that hr_cells_trim took out. */
hr_status hr_chosen_cut(hr_microdata *data, const hr_requirements *asked, const hr_watch *watch,
                        hr_facts *facts, uint64_t *trimmed, hr_error *err);
/* Cuts the table with a higher boundary of quasi-identifier j: one level up, or, for a number,
 * twice the width, half as many cells or every second cut point. Cells of numbers are chosen for
 * `asked`. *trimmed: rows that hr_cells_trim took out. */
hr_status hr_relaxed_cut(const hr_dataset *dataset, size_t j, const hr_requirements *asked,
                         const hr_watch *watch, hr_facts *facts, uint64_t *trimmed, hr_error *err);

#endif
