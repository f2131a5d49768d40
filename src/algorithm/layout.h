/* layout.h - the data that all cells of a search share: trees as preorder numbers, the order of the
 * quasi-identifier combinations, and the types (combinations of sensitive values). See layout.c. */
#ifndef HR_LAYOUT_H
#define HR_LAYOUT_H

#include "algorithm/algorithm.h"

enum {
    HR_LAYOUT_MATRIX = 1024, /* largest tree with costs for all pairs of nodes: 4 MB */
    HR_LAYOUT_ROW = 8192     /* largest tree for which a cluster stores a row of costs */
};

/* A tree with its nodes renumbered in preorder: node g and its descendants are g .. end[g] - 1. The
 * root is 0. */
typedef struct {
    uint32_t count;
    const uint32_t *position; /* preorder number of each node; owned by the hierarchy */
    uint32_t *node;           /* node of the hierarchy for each preorder number */
    uint32_t *up;             /* parent */
    uint32_t *end;
    uint32_t *cost;
    /* near[g * count + a]: least cost of joining g with a node at or below a; exact unless a is
     * above g. NULL for a large tree. */
    uint32_t *near;
    bool odd; /* some value of the data has values below it, so publishing it costs more than 0 */
} hr_layout_tree;

/* A level at which the values of an attribute are distinguished by keys. */
typedef struct {
    size_t quasi;
    uint32_t cost; /* greatest cost of joining values with different keys */
    uint32_t level;
    uint32_t key_count;
    uint32_t *key; /* per value, below key_count */
} hr_distinction;

struct hr_layout {
    hr_arena arena;
    hr_layout_tree *trees;        /* per quasi-identifier; zero for numbers */
    hr_distinction *distinctions; /* descending cost */
    size_t distinction_count;
    uint32_t *rank; /* per row: rank of its quasi-identifier combination; HR_NONE: dropped */
    uint32_t combination_count;
    uint32_t *value;  /* combinations x quasi-identifiers, in the order of ranks */
    uint32_t *sorted; /* rows by rank, then row, without dropped rows */
    size_t sorted_count;
    uint32_t *type; /* per row: its combination of sensitive values */
    uint32_t type_count;
};

/* Sets near[a], for every node a, to the least cost of joining g with a node at or below a. On
 * entry `near` holds these costs for node `last`, and only parts that can differ are written. If
 * `last` is HR_NONE, `near` need not be initialized and is written completely. */
void hr_layout_fill_near(const hr_layout_tree *tree, uint32_t last, uint32_t g, uint32_t *near);

/* Sets rank, combination_count and sorted from the distinctions (layout_rank.c). */
hr_status hr_layout_rank(const hr_microdata *data, hr_layout *layout, hr_error *err);

/* The types (combinations of sensitive values) of one cell, numbered by first appearance. Items are
 * the rows in the order of task->by_rank. */
typedef struct {
    uint32_t count;
    uint32_t *of_item; /* type of each item */
    uint32_t *example; /* first item of each type */
} hr_cell_types;

hr_status hr_cell_types_list(const hr_cell_task *task, hr_cell_types *out, hr_error *err);
void hr_cell_types_free(hr_cell_types *types); /* also after a failure */

/* Time: O(rows x (quasi-identifiers + digits of a combination)). Free with hr_layout_free. */
hr_status hr_layout_make(const hr_microdata *data, hr_layout *out, hr_error *err);
void hr_layout_free(hr_layout *layout);

/* Is a at or below g? */
static inline bool hr_layout_below(const hr_layout_tree *tree, uint32_t g, uint32_t a) {
    return a >= g && a < tree->end[g];
}

/* The lowest node that g and a are at or below. */
static inline uint32_t hr_layout_join(const hr_layout_tree *tree, uint32_t g, uint32_t a) {
    while (!hr_layout_below(tree, g, a))
        g = tree->up[g];
    return g;
}

/* Least cost of joining g with a node at or below a. */
static inline uint32_t hr_layout_near(const hr_layout_tree *tree, uint32_t g, uint32_t a) {
    if (tree->near) return tree->near[(size_t)g * tree->count + a];
    return hr_layout_below(tree, a, g) ? tree->cost[g] : tree->cost[hr_layout_join(tree, g, a)];
}

/* Greatest cost of joining g with a node at or below a; `near` is the least. If a is above g, the
 * greatest is the cost of a; otherwise both are equal. */
static inline uint32_t hr_layout_far(const uint32_t *cost, uint32_t near, uint32_t a) {
    return near > cost[a] ? near : cost[a];
}

#endif
