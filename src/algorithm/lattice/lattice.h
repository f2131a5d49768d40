/* lattice.h - the lattice of levels, shared by both forms of incognito. Each attribute has levels:
 * level l replaces every value by an ancestor, a higher level by a higher ancestor, never past the
 * value's boundary. A node of the lattice chooses one level for each attribute; a node is at or
 * below another if none of its levels is higher. Rows of OUT cells take no part in the search;
 * every figure counts them as suppressed. */
#ifndef HR_LATTICE_H
#define HR_LATTICE_H

#include "algorithm/algorithm.h"

typedef struct {
    double suppression; /* share of the input's rows that may be suppressed beyond OUT */
} hr_incognito_options;

/* ---- levels.c ---- */

/* The levels of one attribute. Only levels that differ for some row outside OUT are listed. */
typedef struct {
    uint32_t count;
    uint32_t *file_level;    /* per level: the lowest column of the hierarchy file that gives it */
    uint32_t *value_count;   /* per level: number of values */
    uint32_t **node;         /* node[l][v]: hierarchy node of value v at level l */
    uint32_t **up;           /* up[l][v]: value at level l + 1 that covers value v of level l */
    uint64_t *cost;          /* per level: IL of this attribute, summed over the rows outside OUT */
    uint32_t *value_of_code; /* value at level 0 of each code of the column; HR_NONE: no row outside
                                OUT has the code */
} hr_levels;

/* `code_rows` counts the rows outside OUT with each code of the column. The arena owns the
 * result. */
hr_status hr_levels_make(const hr_quasi *quasi, bool keep_boundaries, const uint32_t *code_rows,
                         hr_arena *arena, hr_levels *out, hr_error *err);
/* Sets map[v] to the value at level `to` that covers value v of level `from`. */
void hr_levels_map(const hr_levels *levels, uint32_t from, uint32_t to, uint32_t *map);

/* ---- lattice_findings.c ---- */

/* A node that satisfies the models, with the figures that its release would have, OUT included. */
typedef struct {
    uint32_t *levels;              /* per quasi-identifier: column of the hierarchy file */
    bool minimal;                  /* no node below satisfies the models */
    uint64_t loss;                 /* as hr_loss_total */
    uint64_t released, suppressed; /* rows */
    uint64_t dm;
    uint32_t classes;
} hr_lattice_node;

typedef struct {
    uint64_t lattice_nodes;  /* nodes of the lattice */
    uint64_t all_nodes;      /* nodes of the lattices of all subsets of attributes */
    uint64_t checked;        /* of all_nodes: checked with a frequency set */
    uint64_t pruned;         /* of all_nodes: decided without */
    uint64_t scans, rollups; /* frequency sets made from the table, and from other frequency sets */
    uint64_t judged;         /* nodes that are not minimal, compared in search of the least loss */
    uint64_t minimal;        /* minimal nodes */
    uint64_t poor_groups;    /* groups of k rows or more, suppressed for lack of sensitive values */
} hr_lattice_counts;

/* The findings of a search of the lattice. */
typedef struct {
    hr_findings base;
    hr_arena arena;
    const hr_microdata *data;
    uint32_t k;
    hr_lattice_node *nodes; /* every minimal node and the published one; in the end best first */
    size_t node_count, node_capacity;
    size_t published; /* index of the published node */
    hr_lattice_counts counts;
} hr_lattice_findings;

hr_status hr_lattice_findings_new(const hr_table_task *task, hr_lattice_findings **out,
                                  hr_error *err);
/* Adds a copy of a node. */
hr_status hr_lattice_add(hr_lattice_findings *findings, const hr_lattice_node *node, hr_error *err);
/* Compares two nodes by loss, then AVG, then DM, then the levels attribute by attribute. Less is
 * better. Negative: `a` is better; positive: `b` is. */
int hr_lattice_compare(const hr_lattice_node *a, const hr_lattice_node *b, size_t quasi_count);
/* Ends the search: adds the published node if it is not minimal, sorts the nodes and fills in what
 * the report says. */
hr_status hr_lattice_finish(hr_lattice_findings *findings, const hr_lattice_node *published,
                            hr_error *err);

/* ---- lattice.c ---- */

/* A lattice with more than HR_LATTICE_NODES nodes is refused, because a search needs a byte per
 * node. It follows that at most HR_LATTICE_MOVING attributes have two levels or more. */
enum { HR_LATTICE_MOVING = 28 };
#define HR_LATTICE_NODES (UINT64_C(1) << HR_LATTICE_MOVING)

/* The rows outside OUT and the lattice of their levels. */
typedef struct {
    hr_arena arena;
    const hr_table_task *task;
    hr_lattice_findings *findings; /* owned until hr_space_publish hands it out */
    size_t quasi_count;
    hr_levels *levels;   /* per quasi-identifier */
    hr_groups rows;      /* MAM cell of each row; HR_NONE: OUT */
    uint64_t all_rows;   /* of the table; of a counted one those that its rows stand for, */
    uint64_t row_count;  /* and those of them outside OUT */
    uint64_t limit;      /* how many of them may be suppressed */
    uint64_t nodes;      /* of the lattice */
    uint32_t most_codes; /* codes of the column that has most */
} hr_space;

/* The parameters of the models in play. */
static inline hr_requirements hr_space_asked(const hr_space *space) {
    const hr_table_task *task = space->task;
    return task->judge ? task->judge->asked : (hr_requirements){.k = task->k, .p = task->p};
}

hr_status hr_space_make(const hr_table_task *task, hr_space *out, hr_error *err);
void hr_space_free(hr_space *space);

/* In the following functions at[j] is the level of attribute j. */

/* Groups the rows outside OUT by their MAM cell and their values at a node. */
hr_status hr_space_group(const hr_space *space, const uint32_t *at, hr_groups *out, hr_error *err);
/* Loss of a node's release if only OUT rows were suppressed. */
uint64_t hr_space_cost(const hr_space *space, const uint32_t *at);

/* Sums over the groups of a node. */
typedef struct {
    uint32_t classes;  /* groups that satisfy the models */
    uint64_t released; /* their rows */
    uint64_t squares;  /* their squared sizes */
    uint64_t spared;   /* loss of the other groups, had they been released */
} hr_tally;

/* The best node so far. */
typedef struct {
    hr_lattice_node node;
    uint32_t *at;
} hr_best;

hr_status hr_best_init(const hr_space *space, hr_best *best, hr_error *err);
/* Returns the node with its figures, stores its file levels in `levels`, and makes it the best if
 * it is better. */
hr_lattice_node hr_best_offer(const hr_space *space, hr_best *best, const uint32_t *at,
                              const hr_tally *tally, uint32_t *levels);
/* Ends the search: makes the partition of the best node and hands out the findings. */
hr_status hr_space_publish(hr_space *space, const hr_best *best, hr_partition *out,
                           hr_findings **findings, hr_error *err);

/* ---- incognito.c ---- */

/* Adds the minimal nodes to space->findings and publishes nothing. The caller has filled in the
 * space; its rows satisfy the models at the top of the lattice. Models other than k and p are not
 * asked. */
hr_status hr_lattice_minimal(hr_space *space, hr_error *err);

/* ---- incognito_plain.c: the textbook form ---- */

hr_status hr_incognito_plain(const hr_table_task *task, hr_partition *out, hr_findings **findings,
                             hr_error *err);

#endif
