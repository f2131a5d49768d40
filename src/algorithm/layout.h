/* layout.h - the data that all cells of a search share: trees as preorder numbers, the order of the
 * quasi-identifier combinations, and the types (combinations of sensitive values). See layout.c. */
#ifndef HR_LAYOUT_H
#define HR_LAYOUT_H

#include "algorithm/algorithm.h"

enum {
    HR_LAYOUT_MATRIX = 1024, /* largest tree with costs for all pairs of nodes: 4 MB */
    HR_LAYOUT_ROW = 8192     /* largest tree for which a cluster stores a row of costs */
};

/* A tree with costs by position in preorder. Nodes are given by their positions. */
typedef struct {
    hr_preorder order; /* zeroed for numbers */
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

/* Least cost of joining g with a node at or below a. */
static inline uint32_t hr_layout_near(const hr_layout_tree *tree, uint32_t g, uint32_t a) {
    const hr_preorder *order = &tree->order;
    if (tree->near) return tree->near[(size_t)g * order->count + a];
    return hr_preorder_below(order, a, g) ? tree->cost[g]
                                          : tree->cost[hr_preorder_join(order, g, a)];
}

/* Greatest cost of joining g with a node at or below a; `near` is the least. If a is above g, the
 * greatest is the cost of a; otherwise both are equal. */
static inline uint32_t hr_layout_far(const uint32_t *cost, uint32_t near, uint32_t a) {
    return near > cost[a] ? near : cost[a];
}

#endif
