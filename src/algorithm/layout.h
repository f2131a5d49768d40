/* layout.h - what all cells of a search share; see layout.c. */
#ifndef HR_LAYOUT_H
#define HR_LAYOUT_H

#include "algorithm/algorithm.h"

enum {
    HR_LAYOUT_MATRIX = 1024, /* nodes up to which a tree's pairs are laid out: 4 MB */
    HR_LAYOUT_ROW = 8192     /* nodes up to which a cluster's row of them is worth filling in */
};

/* A tree with its nodes renumbered in preorder: what lies below node g is g .. end[g]-1. */
typedef struct {
    uint32_t count;
    const uint32_t *position; /* of a node of the hierarchy, which owns this array */
    uint32_t *node;           /* and back */
    uint32_t *up, *end, *cost;
    /* near[g * count + a]: the least that joining something below a to g can cost; exact unless a
     * lies above g. NULL for a large tree. */
    uint32_t *near;
    bool odd; /* some leaf value has values below it, and so a cost of its own */
} hr_layout_tree;

/* One distinction between values of an attribute: equal keys are not told apart at this level. */
typedef struct {
    size_t quasi;
    uint32_t cost; /* of joining values that it tells apart, at most */
    uint32_t level;
    uint32_t key_count;
    uint32_t *key; /* per value, below key_count */
} hr_distinction;

struct hr_layout {
    hr_arena arena;
    hr_layout_tree *trees;        /* per quasi-identifier; zero for numbers */
    hr_distinction *distinctions; /* most costly first */
    size_t distinction_count;
    uint32_t *rank; /* of each row's combination of quasi-identifier values; HR_NONE: dropped */
    uint32_t combination_count;
    uint32_t *value;  /* combinations x quasi-identifiers, in the order of ranks */
    uint32_t *sorted; /* rows by rank, then row; without the dropped ones */
    size_t sorted_count;
    uint32_t *type; /* of each row: its combination of sensitive values */
    uint32_t type_count;
};

/* near[a] of every node a, for one g. If it is filled in for `last`, only what differs is written;
 * HR_NONE: it is not. */
void hr_layout_fill_near(const hr_layout_tree *tree, uint32_t last, uint32_t g, uint32_t *near);

/* rank, combination_count and sorted, from the distinctions: layout_rank.c. */
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

hr_status hr_layout_make(const hr_microdata *data, hr_layout *out, hr_error *err);
void hr_layout_free(hr_layout *layout);

/* Is a at or below g? */
static inline bool hr_layout_below(const hr_layout_tree *tree, uint32_t g, uint32_t a) {
    return a >= g && a < tree->end[g];
}

static inline uint32_t hr_layout_join(const hr_layout_tree *tree, uint32_t g, uint32_t a) {
    while (!hr_layout_below(tree, g, a))
        g = tree->up[g];
    return g;
}

static inline uint32_t hr_layout_near(const hr_layout_tree *tree, uint32_t g, uint32_t a) {
    if (tree->near) return tree->near[(size_t)g * tree->count + a];
    return hr_layout_below(tree, a, g) ? tree->cost[g] : tree->cost[hr_layout_join(tree, g, a)];
}

/* The most that it can cost, if the least is known: either a lies above g, or it is joined to it as a
 * whole. */
static inline uint32_t hr_layout_far(const uint32_t *cost, uint32_t near, uint32_t a) {
    return near > cost[a] ? near : cost[a];
}

#endif
