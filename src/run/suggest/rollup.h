/* rollup.h - choosing boundaries. rollup.c counts a table by combination of quasi-identifier values
 * and prices any boundaries; rollup_trees.c counts the rows of every node of its hierarchies;
 * grab.c and grab_make.c price a boundary while it is moved; rollup_levels.c finds the levels at
 * which a boundary can be drawn. For a budget of suppressed rows, suggest.c and suggest_search.c
 * suggest boundaries, suggest_kp.c k and p, and suggest_print.c prints the suggestion. */
#ifndef HR_RUN_ROLLUP_H
#define HR_RUN_ROLLUP_H

#include "algorithm/lattice/lattice.h"
#include "run/run.h"

/* ---- rollup.c; also hr_rollup of hedgerow.h ---- */

struct hr_rollup {
    hr_dataset dataset;
    hr_shown_values *shown; /* per quasi-identifier */
    uint64_t dropped;       /* rows that are in no combination */
    uint32_t count;         /* combinations */
    /* Per quasi-identifier: a column with one row per combination. Its codes are nodes of the
     * hierarchy or, for numbers, pairs of a cell and a group of hr_shown_values. */
    hr_column *columns;
    uint32_t **cell_of, **shown_of; /* cell and group of each code; cell_of NULL: a hierarchy */
    uint32_t *code_count;
    hr_facts facts; /* of the combinations */
    hr_rollup_attribute *attributes;
};

/* rollup_trees.c: fills in the attributes, with the rows of every node. `combinations` has the
 * combination of each row. */
hr_status hr_rollup_count_trees(hr_rollup *rollup, const hr_groups *combinations, hr_error *err);
void hr_rollup_free_trees(hr_rollup *rollup);

/* The boundaries of a job, resolved for the hierarchies of a rollup. */
typedef struct {
    uint32_t **magval; /* per quasi-identifier; NULL: a number without hierarchy */
    size_t count;
} hr_drawn;

/* Resolves the boundaries of the job for the hierarchies of the rollup. */
hr_status hr_drawn_make(const hr_rollup *rollup, const hr_job *job, hr_drawn *out, hr_error *err);
void hr_drawn_free(hr_drawn *drawn);

/* A table cut along boundaries. */
typedef struct {
    hr_groups groups; /* MAM cell of each combination, or of each row */
    bool by_row;      /* `groups` has rows, because rows were trimmed; false: combinations */
    hr_facts facts;   /* of the cells */
    bool *out;        /* per cell: it cannot be released */
    uint64_t trimmed;
    uint64_t suppressed; /* rows of OUT cells, trimmed rows and dropped rows */
} hr_rollup_cut;

/* Cuts the table along boundaries and finds the suppressed rows. With `values`, the facts have
 * sensitive values even if `asked` needs none. Time: O(combinations), or O(rows) with models that
 * are not closed under supersets. */
hr_status hr_rollup_cut_along(const hr_rollup *rollup, uint32_t *const *magval,
                              const hr_requirements *asked, bool values, const hr_watch *watch,
                              hr_rollup_cut *out, hr_error *err);
void hr_rollup_cut_free(hr_rollup_cut *cut);
/* Only counts the suppressed rows. */
hr_status hr_rollup_price(const hr_rollup *rollup, uint32_t *const *magval,
                          const hr_requirements *asked, const hr_watch *watch, uint64_t *out,
                          hr_error *err);

/* ---- grab.c, grab_make.c; also hr_grab of hedgerow.h ---- */

/* The state of a boundary that is moved. A block is all combinations that agree in the MAGVals of
 * the other attributes; blocks do not depend on the moved boundary. A pair is the part of a block
 * that has one value of the moved attribute. Pairs are sorted by value in preorder, so the rows of
 * a node are consecutive pairs, and the MAM cells below a boundary node are these pairs added up by
 * block. */
struct hr_grab {
    hr_arena arena;
    const hr_rollup *rollup;
    size_t column; /* number of the quasi-identifier */
    hr_preorder tree;
    hr_requirements asked; /* k and p of the job, for which `lost` is counted */
    const int64_t *ks, *ps;
    size_t k_count, p_count;
    uint32_t blocks, pairs;
    uint32_t *first;    /* per position of the tree, and one more: its first pair */
    uint32_t *block_of; /* per pair */
    uint32_t *member;   /* combinations, pair by pair */
    uint32_t *start;    /* per pair, and one more: its first member */
    uint32_t *rows;     /* per pair */
    /* Sensitive values of each pair and attribute; no more than `most` are kept, because no p is
     * greater. */
    uint32_t most;
    size_t *value_start; /* pairs x attributes, and one more */
    uint32_t *values;
    uint64_t **dropped; /* rows in no combination, per quasi-identifier and shown value */
    /* Scratch, per block; zero between two nodes. */
    uint32_t *size, *distinct, *seen, *touched;
    uint32_t touched_count;
    bool *marked;     /* per position: the node is a boundary node of the current move */
    uint64_t **known; /* per position: figures of the whole node, once they have been counted */
    /* An array of figures is a histogram followed by suppressed rows. Element i x (p_count + 1) + j
     * of the histogram: rows of the cells that satisfy exactly the first i of the ks and the first
     * j of the ps. Its last two elements: the number of cells, and one that is unused. Then the
     * suppressed rows, per quasi-identifier and shown value. */
    size_t figure_count, hist_count, shown_total;
    uint64_t *total, *part; /* figures of the current move, and of one node */
    uint64_t *prices;
    uint64_t **counts;
    hr_lost *lost;
    hr_grabbed grabbed;
};

/* Adds up the combinations: fills in all fields that do not depend on a move. */
hr_status hr_grab_add_up(hr_grab *grab, uint32_t *const *magval, hr_error *err);

/* ---- rollup_levels.c ---- */

/* The levels at which the boundary of one attribute can be drawn, ascending. Values with the same
 * MAGVal at one level have the same MAGVal at all higher ones, so a higher boundary never
 * suppresses more rows. If several levels cut the rows alike, only the lowest is listed. */
typedef struct {
    uint32_t count;
    uint32_t *level;   /* of the hierarchy */
    uint32_t **magval; /* per listed level */
    uint64_t *cost;    /* per listed level: cost of publishing every value as its MAGVal */
    uint32_t lowest;   /* lowest level that `finest` allows */
    uint32_t skipped;  /* levels left out because they cut across a higher level */
} hr_boundary_levels;

hr_status hr_boundary_levels_make(const hr_rollup *rollup, size_t j, hr_boundary_levels *out,
                                  hr_error *err);
void hr_boundary_levels_free(hr_boundary_levels *levels);
/* Converts them to levels of a lattice, which borrow from `levels`. */
hr_status hr_boundary_levels_map(const hr_boundary_levels *levels, const hr_quasi *quasi,
                                 hr_arena *arena, hr_levels *out, hr_error *err);

/* ---- suggest.c, suggest_search.c ---- */

enum { HR_SUGGEST_LATTICE = 100000 }; /* combinations of levels that are searched exactly */

struct hr_suggestion {
    hr_arena arena;
    hr_suggestion_figures figures;
    hr_suggested_attribute *attributes;
    size_t attribute_count;
    hr_suggested *combinations; /* least loss_at_most first */
    size_t combination_count, combination_capacity;
    bool cuts_stay; /* cells of numbers, chosen for the job's boundaries, stay in combinations */
    hr_kp *frontier;
    size_t frontier_count, frontier_capacity;
};

/* The state of the search for boundaries. */
typedef struct {
    const hr_rollup *rollup;
    hr_requirements asked;      /* as enforced: k at least p */
    int64_t k;                  /* as in the job */
    uint64_t budget;            /* rows that may be suppressed */
    hr_drawn drawn;             /* boundaries of the job */
    hr_boundary_levels *levels; /* per quasi-identifier; none for numbers */
    uint64_t fixed_cost;        /* cost of the attributes whose boundary is not varied */
    unsigned threads;
    const hr_watch *watch;
    hr_suggestion *out;
} hr_suggesting;

/* Lists combinations of levels within the budget such that lowering any level exceeds it. */
hr_status hr_suggest_search(hr_suggesting *s, hr_error *err);

/* ---- suggest_kp.c ---- */

/* The largest k and p with the boundaries of the job, and the frontier. */
hr_status hr_suggest_kp(hr_suggesting *s, hr_error *err);

#endif
