/* compare.h - several algorithms, k and p on one table: the grid of runs, the file that keeps what is
 * done, and the page that shows it. */
#ifndef HR_COMPARE_H
#define HR_COMPARE_H

#include "run/run.h"

/* ---- compare_figures.c ---- */

/* The figures of a cell that are shown, in the order of the table. */
typedef struct {
    const char *name;  /* "ntil" */
    const char *title; /* "Loss (NTIL)"; NULL: not drawn */
    const char *unit;
    bool count;    /* a whole number, uint64_t; otherwise double */
    int digits;    /* after the point, in a table */
    double most;   /* that it can be */
    size_t offset; /* in hr_figures */
} hr_figure;

extern const hr_figure hr_compare_figures[]; /* ends with a NULL name */
const hr_figure *hr_figure_find(const char *name);
double hr_figure_value(const hr_figure *figure, const hr_figures *figures); /* NaN: none */
/* What ntil_bound is of, in a sentence. */
extern const char hr_compare_bound_means[];
/* Is that a value of the figure? NaN is one of those that may have none. */
bool hr_figure_can_be(const hr_figure *figure, double value);
/* A count that cannot be is 0. */
void hr_figure_set(const hr_figure *figure, hr_figures *figures, double value);

/* ---- compare.c ---- */

typedef enum {
    HR_ENTRY_WAITING,
    HR_ENTRY_DONE, /* figures are those of a verified release */
    HR_ENTRY_EMPTY /* there is no release; the note says why */
} hr_entry_state;

/* One cell of the grid. */
typedef struct {
    const char *algorithm; /* as the user wrote it */
    int64_t k, p;          /* as the user wrote them */
    hr_requirements asked; /* as enforced: k at least p */
    bool count_boundaries; /* they are counted, not enforced */
    hr_entry_state state;
    hr_figures figures;
    unsigned threads; /* that the run had, once it is done */
    char *note;       /* why it is empty; NULL: nothing to say */
    bool best;        /* no other run is better: see hr_compare_rank */
    size_t twin;      /* a cell before it that asks for the same, or its own number */
} hr_compare_entry;

typedef struct {
    const hr_job *job; /* its algorithm, k and p are not looked at */
    const char *const *algorithms;
    size_t algorithm_count;
    const int64_t *ks, *ps;
    size_t k_count, p_count;
} hr_grid;

typedef struct hr_compare_store hr_compare_store;

typedef struct {
    hr_grid grid;
    hr_arena arena;
    hr_job *jobs;              /* one an algorithm; they share everything else with the grid's */
    hr_compare_entry *entries; /* algorithms outermost, then k, then p */
    size_t entry_count;
    size_t kept, run; /* runs that were known, and that were made here */
    uint64_t rows;    /* of the table */
    unsigned threads; /* that each run has that is made here; kept ones may have had others */
    hr_compare_store *store; /* nobody else may write to it until the comparison is freed */
} hr_compare;

enum { HR_COMPARE_MOST = 10000 }; /* cells of a grid */

/* Lay out the grid, and say of each cell whether its algorithm can do that at all. An unknown
 * algorithm or a bad option is an error. The grid is borrowed until the comparison is freed. */
hr_status hr_compare_plan(const hr_grid *grid, const hr_watch *watch, hr_compare *out,
                          hr_error *err);
/* Read the table once and run what is waiting, in parallel; the cells are the same for any number of
 * threads, but for their seconds. What is done is kept in the file `store` as it comes, and what that
 * file has already is not run again; NULL: nothing is kept. HR_ECANCEL: what was done is there. */
hr_status hr_compare_run(hr_compare *compare, const char *store, const hr_watch *watch,
                         hr_error *err);
/* Mark the best: those for which no other run asks for at least as much k and p with at most as much
 * loss, as many suppressed rows and as many violations, and is better in one of these. Losses are
 * compared by ntil, or by sse_sst where means are published. Time: O(cells^2). */
void hr_compare_rank(hr_compare *compare);
/* "1 thread a run", or "1 to 4 threads a run" where some were kept from before. */
void hr_compare_threads(const hr_compare *compare, hr_text *out);
void hr_compare_free(hr_compare *compare);

/* ---- compare_store.c: the runs that are done, a line each ---- */

/* Open or begin the file, and fill the cells that it knows. A file of another job, other data or
 * another version is HR_EINVAL; one that another process writes to is HR_EIO. A last line that a
 * killed run left unfinished is dropped. */
hr_status hr_compare_store_open(const char *path, uint64_t identity, hr_compare *compare,
                                hr_compare_store **out, hr_error *err);
/* Append a cell and wait until it is on the disk. */
hr_status hr_compare_store_add(hr_compare_store *store, const hr_compare_entry *entry,
                               hr_error *err);
void hr_compare_store_close(hr_compare_store *store); /* NULL is fine */

/* ---- compare_page.c ---- */

/* A page that needs nothing else: best runs, curves, all runs. `title` names what was compared. */
hr_status hr_compare_page(const hr_compare *compare, const char *title, hr_text *out,
                          hr_error *err);

#endif
