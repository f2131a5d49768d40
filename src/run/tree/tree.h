/* tree.h - shows and checks hierarchies: tree_view.c lists the nodes that a view shows, tree_draw.c
 * draws a view, tree_check.c checks whether hierarchies can be used. */
#ifndef HR_RUN_TREE_H
#define HR_RUN_TREE_H

#include "report/rows.h"
#include "run/run.h"

/* The arrays have an item for each node and belong to the arena. The subtree of a node at position
 * `order` in preorder is at[order .. order + size - 1], so the subtrees of its children follow each
 * other. */
struct hr_hierarchy_view {
    hr_hierarchy *tree; /* the view is one of its owners */
    hr_arena arena;
    uint32_t *at, *size; /* node at each position in preorder; nodes of its subtree */
    bool *is_boundary;   /* the node is the MAGVal of some leaf */
    bool has_boundary;   /* a boundary was given */
    uint64_t *rows;      /* rows at or below the node; NULL: no data was given */
    uint32_t depth;      /* greatest depth shown; HR_NONE: not given */
    hr_shown_node *nodes;
    size_t node_count;
};

/* Appends the drawing of a view. */
void hr_view_draw(const hr_hierarchy_view *view, hr_text *out);

/* The node of a leaf value, or HR_NONE. */
uint32_t hr_tree_leaf(const hr_hierarchy *tree, const char *text);
/* Number of rows with each code; NULL: out of memory. The caller frees the array. */
uint64_t *hr_tree_count_codes(const hr_column *column, hr_error *err);
/* The column of `data` with this number; *out is NULL without data. */
hr_status hr_tree_column(const hr_table *data, size_t column, const hr_column **out, hr_error *err);

#endif
