/* compare.h - compares algorithms, k and p on one table: comparison.c makes the grid that a caller
 * asks for (hr_job_compare of hedgerow.h), compare.c runs it, compare_store.c keeps finished runs
 * in a file, and compare_rows.c and compare_page.c show the results. */
#ifndef HR_COMPARE_H
#define HR_COMPARE_H

#include "report/rows.h"
#include "run/run.h"

/* ---- compare_figures.c ---- */

/* A figure of hr_figures that comparisons show: a column of the table, a key of the store and, if
 * it has a title, a row of charts. */
typedef struct {
    const char *name;  /* "ntil" */
    const char *title; /* "Loss (NTIL)"; NULL: not drawn */
    const char *unit;
    const char *label; /* its column in the table for people; NULL: none */
    bool count;        /* the member is a uint64_t; otherwise a double */
    int digits;        /* after the decimal point, in a table */
    double most;       /* greatest possible value */
    size_t offset;     /* in hr_figures */
} hr_figure;

extern const hr_figure hr_compare_figures[]; /* ends with a NULL name */
const hr_figure *hr_figure_find(const char *name);
/* NaN: the run has no such figure. */
double hr_figure_value(const hr_figure *figure, const hr_figures *figures);
/* What ntil_bound means, in a sentence for the page. */
extern const char hr_compare_bound_means[];
/* Is `value` possible? NaN (no figure) is possible unless the figure is a count. */
bool hr_figure_can_be(const hr_figure *figure, double value);
/* Stores 0 for an impossible count. */
void hr_figure_set(const hr_figure *figure, hr_figures *figures, double value);

/* ---- compare.c ---- */

typedef enum {
    HR_ENTRY_WAITING,
    HR_ENTRY_DONE, /* a release was verified: its figures are valid */
    HR_ENTRY_EMPTY /* there is no release: the note says why */
} hr_entry_state;

/* One algorithm with one k and p. */
typedef struct {
    const char *algorithm; /* as the user wrote it */
    int64_t k, p;          /* as the user wrote them */
    hr_requirements asked; /* as enforced: k at least p */
    bool count_boundaries; /* boundaries are counted, not enforced */
    bool any_order;        /* the order of the rows must not matter to the algorithm */
    hr_entry_state state;
    hr_figures figures;
    hr_attribute_figures *attributes; /* as in hr_compare.promises, with what this run achieves */
    size_t attribute_count;
    unsigned threads; /* of the finished run */
    char *note;       /* for the user; NULL: none */
    bool best;        /* no other run is better, see hr_compare_rank */
    size_t twin; /* index of an earlier entry with the same algorithm and `asked`; else its own */
} hr_compare_entry;

typedef struct {
    const hr_job *job; /* its algorithm, k and p are ignored */
    const char *const *algorithms;
    size_t algorithm_count;
    const int64_t *ks, *ps;
    size_t k_count, p_count;
} hr_grid;

typedef struct hr_compare_store hr_compare_store;

typedef struct {
    hr_grid grid;
    hr_arena arena;
    hr_job *jobs;              /* one per algorithm: the grid's job with that algorithm's options */
    hr_compare_entry *entries; /* algorithms outermost, then k, then p */
    size_t entry_count;
    size_t kept, run;        /* runs found in the store, and runs made */
    uint64_t rows;           /* of the table */
    unsigned threads;        /* threads of each run made; runs from the store may differ */
    const char *effort;      /* effort of the algorithms that have this option; NULL: none has it */
    hr_promises promises;    /* `asked`: what the job asks of single attributes */
    const char *boundaries;  /* of the job, in words: it may be gone when the page is written */
    const char *models;      /* what the job asks for besides k and p, in words, each with "; " */
    const char *source;      /* the address of the input, as pages show it; NULL: in memory */
    hr_compare_store *store; /* locked until the comparison is freed */
} hr_compare;

enum { HR_COMPARE_MOST = 10000 }; /* entries of a grid */

/* Lays out the grid. Entries that their algorithm cannot run become empty, with a note. An unknown
 * algorithm or a bad option is an error. The grid is borrowed until the comparison is freed. */
hr_status hr_compare_plan(const hr_grid *grid, const hr_watch *watch, hr_compare *out,
                          hr_error *err);
/* Reads the table once and runs the waiting entries in parallel. The results are the same for any
 * number of threads, except for seconds. Finished runs are appended to the file `store` at once,
 * and runs found in it are not repeated; NULL keeps nothing. After HR_ECANCEL the finished entries
 * are valid. */
hr_status hr_compare_run(hr_compare *compare, const char *store, const hr_watch *watch,
                         hr_error *err);
/* Marks the Pareto-best entries. A run is best unless another one has at least its k and p, at most
 * its loss, suppressed rows and violations, and is better in one of these. Losses are compared by
 * ntil, or by sse_sst where means are published. Time: O(entries^2). */
void hr_compare_rank(hr_compare *compare);
/* The entry of an algorithm, k and p, given by their indices in the grid. */
static inline const hr_compare_entry *hr_compare_at(const hr_compare *compare, size_t algorithm,
                                                    size_t k, size_t p) {
    const hr_grid *grid = &compare->grid;
    return &compare->entries[(algorithm * grid->k_count + k) * grid->p_count + p];
}

/* "1 thread a run", or "1 to 4 threads a run" if runs from the store had others. */
void hr_compare_threads(const hr_compare *compare, hr_text *out);
/* Do two finished runs of the same k and p differ by less than 1 % in loss, with the same rows
 * suppressed and the same values past a boundary? */
bool hr_entries_alike(const hr_compare_entry *a, const hr_compare_entry *b);
/* A figure of an entry; NaN if it is not done or has no such figure. */
double hr_entry_value(const hr_figure *figure, const hr_compare_entry *entry);
/* The greatest proved lower bound on the loss at the kth k and the pth p of the grid. It holds for
 * releases that suppress no more rows than the run with fewest suppressed rows at this k and p.
 * Enforced and counted boundaries have separate bounds, because they allow different releases. NaN:
 * no run proved one. */
double hr_compare_bound(const hr_compare *compare, size_t k, size_t p, bool counted);
void hr_compare_free(hr_compare *compare);

/* ---- compare_store.c: finished runs, one line each ---- */

/* Opens or creates the file and fills in the entries whose runs it has. A file of another job,
 * table or version is HR_EINVAL; a file that another process is writing is HR_EIO. An incomplete
 * last line, left by a killed run, is removed. */
hr_status hr_compare_store_open(const char *path, uint64_t identity, hr_compare *compare,
                                hr_compare_store **out, hr_error *err);
/* Appends an entry and waits until it is on the disk. */
hr_status hr_compare_store_add(hr_compare_store *store, const hr_compare_entry *entry,
                               hr_error *err);
void hr_compare_store_close(hr_compare_store *store); /* NULL is fine */

/* ---- compare_rows.c ---- */

/* Appends a row for each entry that is not waiting. */
void hr_compare_rows(const hr_compare *compare, hr_print_format format, hr_text *out);
/* Appends "effort normal; boundaries enforced; alpha = 0.6; 1 thread per run". */
void hr_compare_settings(const hr_compare *compare, hr_text *out);
/* Appends what the columns mean and why there are no releases, for people. */
void hr_compare_legend(const hr_compare *compare, hr_text *out);

/* ---- compare_page.c ---- */

/* Writes a self-contained HTML page: best runs, curves, all runs. `title` names the data. */
hr_status hr_compare_page(const hr_compare *compare, const char *title, hr_text *out,
                          hr_error *err);

#endif
