/* algorithm.h - algorithms and the search that runs them. An algorithm either clusters one MAM cell
 * at a time (hr_cell_search), and the search runs it on all cells in parallel, or sees the whole
 * table at once (hr_table_search). Both ways end in a partition: the cluster of every row and what
 * each cluster publishes. An algorithm is one file that ends with its const hr_algorithm, and one
 * line in algorithm.c. */
#ifndef HR_ALGORITHM_H
#define HR_ALGORITHM_H

#include "measure/measure.h"

/* ---- Algorithms that cluster one MAM cell at a time ---- */

typedef struct hr_layout hr_layout; /* layout.h: data that the cells of a search share */

/* One MAM cell to be clustered. It satisfies the models as a whole. */
typedef struct {
    const hr_microdata *data;
    const uint32_t *rows; /* ascending; in order of rank if hedge made the task for a part of a
                             cell */
    uint32_t row_count;
    uint32_t k, p;         /* k >= p >= 1 */
    const hr_judge *judge; /* all models in play; NULL: only k and p */
    uint64_t seed;
    uint64_t stream;         /* seed and stream give the random numbers; see hr_search.streams */
    const void *options;     /* the algorithm's own struct */
    const void *shared;      /* result of hr_cell_search.prepare; NULL: no such function */
    const hr_layout *layout; /* this and the next three are NULL unless the algorithm wants them */
    const uint32_t *by_rank; /* places in rows, by rank of the row's combination and then by row */
    const uint32_t *rank, *type; /* in the order of by_rank: layout->rank and layout->type */
    hr_progress *progress;       /* one unit per row */
    unsigned pass;    /* see hr_aim. On entry the clusters are those of the previous pass */
    bool fills_time;  /* the pass goes on until the deadline, whatever the effort */
    unsigned threads; /* for this cell, at least 1 */
    double deadline;  /* hr_seconds() at which the pass has to end; 0: none */
} hr_cell_task;

/* The fields of a task that depend on its rows. */
typedef struct {
    const uint32_t *rows;
    uint32_t row_count;
    const uint32_t *by_rank, *rank, *type;
} hr_cell_rows;

/* cell_task.c: a task for some of the parent's rows. */
hr_cell_task hr_cell_task_part(const hr_cell_task *parent, const hr_cell_rows *rows,
                               unsigned threads);
/* A task for the same rows that runs one pass of another algorithm with that algorithm's
 * options. */
hr_cell_task hr_cell_task_for(const hr_cell_task *parent, const void *options,
                              hr_progress *progress);

/* The clusters of one cell. Zeroed before the first pass, except for `cluster`. */
typedef struct {
    uint32_t *cluster; /* cluster of rows[i]; the caller provides room for row_count */
    uint32_t count;    /* clusters */
    hr_span *values;   /* count x quasi_count, freed by the caller; NULL: the narrowest values that
                          cover each cluster */
    bool time_limited; /* a time limit ended the search of the cell */
    bool finished;     /* further passes would change nothing */
} hr_clusters;

/* repair.c: moves rows between the clusters and merges clusters until all satisfy task->judge,
 * which must not be NULL; the cell as a whole satisfies it. Time: O(violating clusters x rows near
 * them). */
hr_status hr_clusters_repair(const hr_cell_task *task, hr_clusters *clusters, hr_error *err);

enum { HR_PASSES = 16 };

/* How an algorithm minimizes the loss. It searches the cells in several passes. With a time limit
 * the last pass goes on until the time is up, and each cell gets a share of the time. */
typedef struct {
    const hr_measure *loss; /* measure to minimize; NULL: the algorithm minimizes nothing */
    uint32_t bound_steps;   /* steps that the lower bound may take, see bound.h */
    double time_limit;      /* seconds for lower bound and search together; 0: none */
    unsigned passes;        /* 1 .. HR_PASSES */
} hr_aim;

typedef struct {
    bool wants_layout; /* the search fills in layout, by_rank, rank and type of the task */
    hr_aim (*aim)(const void *options); /* NULL: one pass, nothing to minimize */
    /* Makes the data that all cells share (hr_cell_task.shared) before the first cell is searched.
     * NULL: cells share no data. */
    hr_status (*prepare)(const hr_microdata *data, const hr_layout *layout, const void *options,
                         void **shared, hr_error *err);
    void (*discard)(void *shared); /* frees it; accepts NULL */
    hr_status (*run)(const hr_cell_task *task, hr_clusters *out, hr_error *err);
    /* The plain form, which must give the same clusters. NULL: `run` is the plain form. */
    hr_status (*run_reference)(const hr_cell_task *task, hr_clusters *out, hr_error *err);
} hr_cell_search;

/* ---- Findings: what an algorithm reports beside its partition ---- */

/* One figure of the report: a number, or a number for each quasi-identifier. */
typedef struct {
    const char *name;
    uint64_t value;
    const uint32_t *per_quasi; /* NULL: `value` is the figure */
    const char *entry_name;    /* name of a number in per_quasi */
} hr_finding;

enum { HR_FINDINGS_MOST = 16 };

/* Receives a list field by field; `last` marks the last field of a row. */
typedef void (*hr_field_writer)(const char *text, bool last, void *payload);

/* The first member of an algorithm's own struct of findings, whose `free` frees the whole. Findings
 * point to the microdata and options of the search and must not outlive them. */
typedef struct hr_findings hr_findings;
struct hr_findings {
    hr_finding figures[HR_FINDINGS_MOST]; /* in the order of the report */
    size_t figure_count;
    const char *warning; /* for the data owner; NULL: none */
    /* Writes the other releases that the search found (the job's `minimal` file), a header first.
     * NULL unless the algorithm lists_alternatives. */
    hr_status (*list_alternatives)(const hr_findings *findings, hr_field_writer write,
                                   void *payload, hr_error *err);
    void (*free)(hr_findings *findings);
};

/* The figure of that name, 0 if there is none or no findings (NULL). */
uint64_t hr_findings_value(const hr_findings *findings, const char *name);
void hr_findings_free(hr_findings *findings); /* accepts NULL */

/* ---- Algorithms that see the whole table ---- */

typedef struct {
    const hr_microdata *data;
    const hr_groups *cells; /* MAM cell of each row */
    const bool *out;        /* per cell: OUT, its rows are suppressed */
    bool keep_boundaries;   /* false: boundary violations are only counted */
    uint32_t k, p;          /* k >= p >= 1 */
    const hr_judge *judge;  /* all models in play; NULL: only k and p */
    const void *options;
    unsigned threads;
    const hr_watch *watch;
    hr_progress *progress; /* the algorithm starts it, with its own unit of work */
} hr_table_task;

typedef struct {
    /* May the algorithm suppress rows that are not in OUT cells? NULL: never. */
    bool (*may_suppress)(const void *options);
    /* Sets cluster, cluster_count and values of `out`, in which every row is suppressed at first.
     * On success *findings may be set; the caller frees them. */
    hr_status (*run)(const hr_table_task *task, hr_partition *out, hr_findings **findings,
                     hr_error *err);
    /* The plain form, which must give the same partition. NULL: `run` is the plain form. */
    hr_status (*run_reference)(const hr_table_task *task, hr_partition *out, hr_findings **findings,
                               hr_error *err);
} hr_table_search;

/* ---- The table of algorithms ---- */

/* How an algorithm treats models other than k and p. They must be closed under union, so that a
 * cell that holds can always be clustered. */
typedef enum {
    HR_OTHERS_REFUSED,  /* a job with such a model is refused */
    HR_OTHERS_REPAIRED, /* it ignores them, and the search repairs its clusters (repair.c) */
    HR_OTHERS_ENFORCED  /* it builds classes that satisfy them, through `judge` of its task */
} hr_others;

typedef struct hr_algorithm {
    const char *name, *title, *reference;
    const hr_option *options; /* NULL: none */
    size_t options_size;      /* of the struct that `options` describes */
    bool enforces_p;          /* false: a job with p > 1 is refused */
    hr_others others;         /* models other than k and p */
    /* The name of an option that is set and needs all models to be closed under supersets, or NULL.
     * The function may be NULL: there is no such option. */
    const char *(*needs_superset)(const void *options);
    bool needs_hierarchy;    /* every quasi-identifier needs a hierarchy, numeric ones too */
    bool any_order;          /* the order of the input's rows must not matter: they are sorted */
    bool takes_k_as_given;   /* true: p > k is infeasible; false: p > k raises k to p */
    bool lists_alternatives; /* its findings list other releases */
    /* For algorithms that publish means of numeric quasi-identifiers: the digits after the point,
     * or HR_DECIMALS_OF_INPUT. NULL: clusters publish values that cover their rows. */
    int (*mean_decimals)(const void *options);
    /* Exactly one of the two is set. */
    const hr_cell_search *per_cell;
    const hr_table_search *whole_table;
} hr_algorithm;

extern const hr_algorithm *const hr_algorithms[]; /* ends with NULL */

/* The name of an algorithm in a paper, with the options that follow the paper literally. */
typedef struct {
    const char *name, *algorithm, *reference;
    bool counts_boundaries; /* false: boundaries are enforced */
    const char *settings;   /* "dispersal=absolute ties=row" */
} hr_alias;

extern const hr_alias hr_aliases[]; /* ends with a NULL name */

const hr_algorithm *hr_algorithm_find(const char *name); /* NULL: unknown */
const hr_alias *hr_alias_find(const char *name);         /* NULL: unknown */

static inline bool hr_publishes_means(const hr_algorithm *algorithm) {
    return algorithm->mean_decimals != NULL;
}
/* {.passes = 1} for an algorithm that minimizes nothing. */
hr_aim hr_algorithm_aim(const hr_algorithm *algorithm, const void *options);
bool hr_algorithm_may_suppress(const hr_algorithm *algorithm, const void *options);
/* Can the algorithm enforce the model? With `options` NULL: can it with some options? */
bool hr_algorithm_enforces(const hr_algorithm *algorithm, const hr_model *model,
                           const void *options);

/* ---- search.c ---- */

typedef struct {
    const hr_microdata *data;
    const hr_groups *cells; /* MAM cell of each row; one cell if boundaries are counted */
    const bool *out;        /* per cell: cannot satisfy the models, its rows are suppressed */
    hr_requirements asked;
    const hr_reference *refers_to; /* reference of t-closeness; NULL unless it is in play */
    const hr_algorithm *algorithm;
    const void *options; /* of the algorithm */
    bool reference;      /* run the plain form */
    uint64_t seed;
    const uint64_t *streams; /* per cell: its stream of random numbers; NULL: its number */
    unsigned threads;
    double least;   /* lower bound on NTIL, shown with the progress; NaN: unknown */
    double started; /* hr_seconds() at which the time limit starts to count; 0: now */
    const hr_watch *watch;
    bool count_boundaries;  /* violations are counted, boundaries not enforced */
    hr_findings **findings; /* receives the findings, or NULL if there are none; the caller frees
                               them. May be NULL. */
} hr_search;

/* Searches the cells in parallel, largest first. The partition is the same for any number of
 * threads unless a time limit ended the search. */
hr_status hr_search_run(const hr_search *search, hr_partition *out, hr_error *err);

#endif
