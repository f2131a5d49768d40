/* rollup.h - choosing boundaries: a table counted by combination of quasi-identifier values
 * (rollup.c), its hierarchies with their rows (rollup_trees.c), a boundary that is moved (grab.c,
 * grab_make.c), the levels at which a boundary can be drawn (rollup_levels.c), what is suggested
 * within a budget of suppressed rows: boundaries (suggest.c), k and p (suggest_kp.c), as text
 * (suggest_print.c). */
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
    /* Per quasi-identifier: the combinations as a column, whose codes are values of a hierarchy;
     * for numbers, codes that stand for a cell and a group of hr_shown_values. */
    hr_column *columns;
    uint32_t **cell_of, **shown_of; /* of each code; cell_of is NULL with a hierarchy */
    uint32_t *code_count;
    hr_facts facts; /* of the combinations */
    hr_rollup_attribute *attributes;
};

/* rollup_trees.c: fills in the attributes, with the rows of every node. `combinations` has the
 * combination of each row. */
hr_status hr_rollup_count_trees(hr_rollup *rollup, const hr_groups *combinations, hr_error *err);
void hr_rollup_free_trees(hr_rollup *rollup);

/* The boundaries of a job. */
typedef struct {
    uint32_t **magval; /* per quasi-identifier; NULL: a number without hierarchy */
    size_t count;
} hr_drawn;

/* The boundaries that the job draws through the hierarchies of the rollup. */
hr_status hr_drawn_make(const hr_rollup *rollup, const hr_job *job, hr_drawn *out, hr_error *err);
void hr_drawn_free(hr_drawn *drawn);

/* A table cut along boundaries. */
typedef struct {
    hr_groups groups; /* MAM cell of each combination, or of each row */
    bool by_row;      /* rows were trimmed, so `groups` is about rows */
    hr_facts facts;   /* of the cells */
    bool *out;        /* per cell: it cannot be released */
    uint64_t trimmed;
    uint64_t suppressed; /* rows: in OUT, trimmed and dropped */
} hr_rollup_cut;

/* Cuts and counts. With `values`, the facts have sensitive values even if `asked` needs none. Time:
 * O(combinations), or O(rows) with models that are not closed under supersets. */
hr_status hr_rollup_cut_along(const hr_rollup *rollup, uint32_t *const *magval,
                              const hr_requirements *asked, bool values, const hr_watch *watch,
                              hr_rollup_cut *out, hr_error *err);
void hr_rollup_cut_free(hr_rollup_cut *cut);
/* The suppressed rows alone. */
hr_status hr_rollup_price(const hr_rollup *rollup, uint32_t *const *magval,
                          const hr_requirements *asked, const hr_watch *watch, uint64_t *out,
                          hr_error *err);

/* ---- grab.c, grab_make.c; also hr_grab of hedgerow.h ---- */

/* Cells that do not depend on the boundary that is moved are called blocks: all combinations that
 * agree in the MAGVals of the other attributes. A pair is what a block has of one value of the
 * moved attribute. Pairs are in preorder of their values, so that the rows of a node are
 * consecutive pairs, and its MAM cells are these pairs added up by block. */
struct hr_grab {
    hr_arena arena;
    const hr_rollup *rollup;
    size_t column; /* number of the quasi-identifier */
    hr_preorder tree;
    hr_requirements asked; /* by the job: for these `lost` is counted */
    const int64_t *ks, *ps;
    size_t k_count, p_count;
    uint32_t blocks, pairs;
    uint32_t *first;    /* per position of the tree, and one more: its first pair */
    uint32_t *block_of; /* per pair */
    uint32_t *member;   /* combinations, pair by pair */
    uint32_t *start;    /* per pair, and one more: its first member */
    uint32_t *rows;     /* per pair */
    /* Sensitive values of each pair and attribute, at most `most`: more do not matter for any p. */
    uint32_t most;
    size_t *value_start; /* pairs x attributes, and one more */
    uint32_t *values;
    uint64_t **dropped; /* rows in no combination, per quasi-identifier and shown value */
    /* Scratch, per block; zero between two nodes. */
    uint32_t *size, *distinct, *seen, *touched;
    uint32_t touched_count;
    bool *marked;     /* per position: a boundary of the present move */
    uint64_t **known; /* per position: figures of the whole node, once they were counted */
    /* Figures are `hist` and then `lost`. hist[i x (p_count + 1) + j]: rows of cells that hold with
     * the first i of the ks and the first j of the ps; the last two: cells and unused. lost: rows
     * that go, per quasi-identifier and shown value. */
    size_t figure_count, hist_count, shown_total;
    uint64_t *total, *part; /* of the present move, and of a node */
    uint64_t *prices;
    uint64_t **counts;
    hr_lost *lost;
    hr_grabbed grabbed;
};

/* Adds up the combinations; everything but the fields of a move. */
hr_status hr_grab_add_up(hr_grab *grab, uint32_t *const *magval, hr_error *err);

/* ---- rollup_levels.c ---- */

/* The levels at which the boundary of one attribute can be drawn, ascending. Values that have the
 * same MAGVal at one of them have the same at all higher ones, so that higher boundaries never
 * suppress more rows. Of levels that cut the rows alike only the lowest is listed. */
typedef struct {
    uint32_t count;
    uint32_t *level;   /* of the hierarchy */
    uint32_t **magval; /* per listed level */
    uint64_t *cost;    /* per listed level: of publishing every value as its MAGVal */
    uint32_t lowest;   /* lowest level that `finest` allows */
    uint32_t skipped;  /* levels left out because they cut across a higher level */
} hr_boundary_levels;

hr_status hr_boundary_levels_make(const hr_rollup *rollup, size_t j, hr_boundary_levels *out,
                                  hr_error *err);
void hr_boundary_levels_free(hr_boundary_levels *levels);
/* The same as levels of a lattice; `levels` outlives it. */
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
    hr_kp *frontier;
    size_t frontier_count, frontier_capacity;
};

/* What the search for boundaries works with. */
typedef struct {
    const hr_rollup *rollup;
    hr_requirements asked;      /* as enforced: k at least p */
    int64_t k;                  /* as the job says */
    uint64_t budget;            /* rows that may be suppressed */
    hr_drawn drawn;             /* by the job */
    hr_boundary_levels *levels; /* per quasi-identifier; none for numbers */
    uint64_t fixed_cost;        /* of the attributes whose boundary is not varied */
    unsigned threads;
    const hr_watch *watch;
    hr_suggestion *out;
} hr_suggesting;

/* Lists combinations of levels within the budget of which no level can be lowered. */
hr_status hr_suggest_search(hr_suggesting *s, hr_error *err);
/* Adds a combination unless it is listed; at[j] is an index of levels[j]. */
hr_status hr_suggest_add(hr_suggesting *s, const uint32_t *at, uint64_t suppressed, hr_error *err);

/* ---- suggest_kp.c ---- */

/* The largest k and p with the boundaries of the job, and the frontier. */
hr_status hr_suggest_kp(hr_suggesting *s, hr_error *err);

#endif
