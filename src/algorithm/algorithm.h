/* algorithm.h - algorithms: each takes the rows of one MAM cell and returns their clusters, or sees
 * all cells at once and returns a partition. The search runs one of them, over all cells in parallel
 * where it can, and joins what they return into a partition. */
#ifndef HR_ALGORITHM_H
#define HR_ALGORITHM_H

#include "measure/measure.h"

/* Which of the two rules an algorithm takes where paper and practice differ (its options). */
typedef struct {
    int dispersal; /* HR_DISPERSAL_... */
    int ties;      /* HR_TIES_... */
} hr_greedy_options;

enum {
    HR_DISPERSAL_GROWTH,
    HR_DISPERSAL_ABSOLUTE
};                                  /* least growth of IL, or least IL, of a cluster */
enum { HR_TIES_RANK, HR_TIES_ROW }; /* by rank of the combination and then row, or by row alone */

/* Of those that publish means. */
typedef struct {
    int standardize;  /* HR_STANDARDIZE_... */
    int64_t decimals; /* of published means; -1: as in the input */
} hr_micro_options;

enum { HR_STANDARDIZE_DEVIATION, HR_STANDARDIZE_RANGE, HR_STANDARDIZE_NONE };

typedef struct hr_layout hr_layout; /* layout.h: what the cells of a search share */

/* One MAM cell to be clustered. It satisfies the models as a whole. */
typedef struct {
    const hr_microdata *data;
    const uint32_t *rows; /* ascending */
    uint32_t row_count;
    uint32_t k, p; /* k >= p >= 1 */
    uint64_t seed;
    uint64_t stream;         /* the cell's number: with the seed, its random numbers */
    const void *options;     /* of the algorithm's own table */
    const hr_layout *layout; /* NULL unless the algorithm wants it, as are the next */
    const void *shared;      /* what `share` made */
    const uint32_t *by_rank; /* places in rows, by rank of the row's combination and then by row */
    const uint32_t *rank, *type; /* in the order of by_rank: of the combination; of the type */
    hr_progress *progress;       /* one unit a row */
    unsigned pass;               /* see hr_aim; the clusters are those that the last left */
    double haste;                /* share of the pass's work that there is time for; 1: all */
    unsigned threads;            /* that the algorithm may use for this cell; at least 1 */
    double started;              /* hr_seconds() when the run's time limit began to count */
} hr_cell_task;

typedef struct {
    uint32_t *cluster; /* of rows[i]; room for row_count is given */
    uint32_t count;    /* clusters */
    hr_span *values; /* count x quasi_count, to be freed by the caller; NULL: the least covering */
    bool time_limited; /* a time limit ended the search of the cell */
    bool finished;     /* further passes would change nothing */
} hr_clusters;

/* ---- Algorithms that see all cells at once ---- */

/* What one choice of levels gives: every value at one level of its hierarchy, but never past its
 * boundary. Figures are those of the whole release, OUT included. */
typedef struct {
    uint32_t *levels;              /* per quasi-identifier: the hierarchy file's column */
    bool minimal;                  /* no lower choice satisfies the models */
    uint64_t loss;                 /* as hr_loss_total */
    uint64_t released, suppressed; /* rows */
    uint64_t dm;
    uint32_t classes;
} hr_lattice_node;

/* What a search of the lattice of levels has to tell beside its partition. Valid when zeroed. */
typedef struct {
    hr_arena arena;
    size_t quasi_count;
    hr_lattice_node *nodes; /* all minimal ones and the published one, best first */
    size_t node_count, node_capacity;
    size_t published; /* its place among them */
    uint64_t minimal_count;
    uint64_t poor_groups;   /* k rows or more, suppressed for lack of sensitive values */
    uint64_t lattice_nodes; /* choices of levels that differ for these rows */
    uint64_t all_nodes;     /* those of all subsets of attributes: checked + pruned */
    uint64_t checked, pruned;
    uint64_t scans, rollups; /* frequency sets from the table, and from other frequency sets */
    uint64_t judged;         /* beyond the minimal ones, in search of the least loss */
} hr_lattice;

void hr_lattice_free(hr_lattice *lattice);

/* The rows of all cells that are not OUT. */
typedef struct {
    const hr_microdata *data;
    const hr_groups *cells;
    const bool *out;      /* of each cell: its rows are suppressed */
    bool keep_boundaries; /* otherwise they are only counted */
    uint32_t k, p;        /* k >= p >= 1 */
    const void *options;
    unsigned threads;
    const hr_watch *watch;
    hr_progress *progress; /* to be started by the algorithm, which knows its units */
    hr_lattice *lattice;   /* valid, for an algorithm that searches levels */
} hr_whole_task;

enum { HR_PASSES = 16 };

/* What an algorithm that looks for the least loss asks of those who run it: cells are searched in
 * several passes, so that time which runs out is missed by all cells alike. */
typedef struct {
    const hr_measure *loss; /* that is to be small */
    uint32_t bound_steps;   /* towards a better lower bound, that suit its effort: see bound.h */
    double time_limit;      /* seconds for bound and search together; 0: none */
    unsigned passes;        /* at least 1 */
    double work[HR_PASSES]; /* of each pass, in any unit; 0: little */
} hr_aim;

typedef struct hr_algorithm {
    const char *name, *title, *reference;
    const hr_option *options;
    size_t options_size;
    bool enforces_p;
    bool needs_hierarchy;  /* numeric attributes need one, too */
    bool wants_layout;     /* task.layout and task.by_rank are needed */
    bool searches_levels;  /* fills in what the lattice has to tell */
    bool publishes_means;  /* of clusters, in place of values that cover them: quasi-identifiers are
                              numeric, and the options are hr_micro_options */
    bool takes_k_as_given; /* p above k is infeasible: k is not raised */
    hr_aim (*aim)(const void *options); /* NULL: none */
    /* What the cells share beside the layout, made before the first is searched. NULL: nothing. */
    hr_status (*share)(const hr_microdata *data, const hr_layout *layout, const void *options,
                       void **shared, hr_error *err);
    void (*unshare)(void *shared);             /* NULL is fine */
    bool (*may_suppress)(const void *options); /* more than OUT? NULL: never */
    hr_status (*run)(const hr_cell_task *task, hr_clusters *out, hr_error *err);
    hr_status (*run_reference)(const hr_cell_task *task, hr_clusters *out,
                               hr_error *err); /* NULL: run */
    /* Instead of the two above, for an algorithm that must see all cells: fills in clusters, their
     * number and their values; a row that is not in any stays suppressed. */
    hr_status (*run_whole)(const hr_whole_task *task, hr_partition *out, hr_error *err);
    hr_status (*run_whole_reference)(const hr_whole_task *task, hr_partition *out,
                                     hr_error *err); /* NULL: run_whole */
} hr_algorithm;

extern const hr_algorithm *const hr_algorithms[]; /* ends with NULL */

/* A paper's name for an algorithm with the paper's literal rules. */
typedef struct {
    const char *name, *algorithm, *reference;
    bool counts_boundaries; /* boundaries are counted; otherwise enforced */
    const char *settings;   /* "dispersal=absolute ties=row" */
} hr_alias;

extern const hr_alias hr_aliases[]; /* ends with a NULL name */

const hr_algorithm *hr_algorithm_find(const char *name);
const hr_alias *hr_alias_find(const char *name);

/* ---- search.c ---- */

typedef struct {
    const hr_microdata *data;
    const hr_groups *cells;
    const bool *out; /* of each cell: cannot satisfy the models, its rows are suppressed */
    hr_requirements asked;
    const hr_algorithm *algorithm;
    const void *options;
    bool reference;
    uint64_t seed;
    unsigned threads;
    double least;   /* NTIL that no release is below, for the progress; NaN: not known */
    double started; /* hr_seconds() when time began to count; 0: it begins now */
    const hr_watch *watch;
    bool count_boundaries; /* they are not kept to: there is one cell */
    hr_lattice *lattice;   /* NULL, or filled in by an algorithm that searches levels */
} hr_search;

/* Cells in parallel, largest first; the same partition for any number of threads, unless a time limit
 * ended it. */
hr_status hr_search_run(const hr_search *search, hr_partition *out, hr_error *err);

#endif
