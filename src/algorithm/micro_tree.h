/* micro_tree.h - points in a k-d tree, between the files that keep it up and those that ask it who is
 * near and who is far.
 *
 * A node knows the least box around its live points, the lowest of them, which sensitive values they
 * have, and how far the furthest of them is from a reference near the middle. All this is in floats,
 * measured from an origin that was near the middle when the tree was built: they are half of what doubles
 * are to read. Bounds leave more room than their rounding needs, and hr_distance decides.
 *
 * In many dimensions boxes are large, and many nodes are asked. So they are told a second time, in
 * blocks: a block has up to HR_BLOCK_WIDE nodes, up to four levels below one, and what they have of one
 * dimension stands together, so that they are weighed all at once, as are the points of a leaf. */
#ifndef HR_MICRO_TREE_H
#define HR_MICRO_TREE_H

#include "algorithm/micro.h"

enum {
    HR_TREE_LEAF = 32, /* points of a leaf, at most */
    HR_TREE_WORDS = 8, /* words of a node's values */
    HR_BLOCK_WIDE = 16,
    HR_BLOCK_LEVELS = 4
};

typedef struct {
    uint32_t parent;
    uint32_t right; /* child, the left one being the next node; 0: a leaf */
    uint32_t first; /* place of the first point; the live ones stand first in a leaf */
    uint32_t room;  /* of a leaf: its points when it was built; those that have gone stand last */
    uint32_t rows;  /* of a leaf: which rows are its own */
    uint32_t live;  /* of a leaf: live points */
    uint32_t low;   /* least live point; HR_NONE: there is none */
    uint32_t told;  /* the block of its nodes below; HR_NONE: there is none */
    uint32_t cell;  /* where a block tells of it; HR_NONE: nowhere */
    bool one_place; /* all its points are equal */
    float reach;    /* square of the greatest distance of a live point from the reference */
} hr_tree_node;

/* Rows of HR_BLOCK_WIDE cells, one for each node: the reach; least and greatest coordinates of each
 * dimension, as distances from the origin; which node it is. The reach of a node without live points
 * is -INFINITY, that of the others is not below 0. */
typedef union {
    float number;
    uint32_t node;
} hr_block_cell;

typedef struct {
    hr_block_cell *cells;
    uint32_t count; /* blocks */
    uint32_t wide;  /* HR_BLOCK_WIDE: told at run time, loops over a row become vector code */
    float *form, *peak, *slope; /* t: of the question at hand; see micro_far.c */
} hr_blocks;

/* Where a point is. */
typedef struct {
    uint32_t place, leaf;
} hr_tree_spot;

/* What points are divided by. */
typedef struct {
    double value;
    uint32_t point;
} hr_tree_key;

typedef struct {
    const hr_points *points;
    const hr_point_values *values;
    uint32_t *point;    /* at each place */
    float *at;          /* for each leaf t rows of HR_TREE_LEAF: coordinates of its points */
    hr_tree_spot *spot; /* of each point */
    float *reach;       /* of the point at each place: squared distance from the reference */
    hr_tree_key *keys;  /* room for building */
    hr_tree_node *nodes;
    float *box;     /* nodes x 2t: least and greatest coordinates */
    uint64_t *mask; /* nodes x words: values of live points; those from the last bit on share it */
    size_t words;
    uint32_t node_count, leaf_count;
    uint32_t live, built; /* points, now and when the tree was built */
    double *reference;    /* t */
    double *origin;       /* t: what coordinates are measured from */
    double *here;         /* t: a place that is asked about */
    double slack;         /* more than rounding can do to a distance */
    uint64_t work;        /* points and nodes looked at from the middle with this reference */
    hr_blocks blocks;
} hr_tree;

static inline bool hr_tree_is_leaf(const hr_tree_node *node) {
    return node->right == 0;
}

/* Coordinates of the points of a leaf. */
static inline float *hr_tree_row(const hr_tree *tree, const hr_tree_node *leaf, size_t j) {
    return tree->at + (leaf->rows * tree->points->t + j) * HR_TREE_LEAF;
}

/* So many numbers are computed at once, those of the last points that are absent, too. */
static inline uint32_t hr_tree_lanes(const hr_tree_node *leaf) {
    return (leaf->live + 3) & ~3U;
}

/* ---- micro_tree.c ---- */

/* Measure from here from now on. Time: O(live points). */
void hr_tree_refer(hr_tree *tree, const double *place);
/* Of the live points, with the reference for origin. Time: O(live points x log of them). */
void hr_tree_rebuild(hr_tree *tree);

/* ---- micro_blocks.c ---- */

hr_status hr_blocks_init(hr_tree *tree, size_t nodes, hr_error *err);
void hr_blocks_free(hr_blocks *blocks);
/* After the tree. Time: O(nodes). */
void hr_blocks_build(hr_tree *tree);
/* A node has changed. */
void hr_blocks_tell(hr_tree *tree, uint32_t at);
/* More than rounding of floats can do to a number of 1, and in sums of a few. */
#define HR_BLOCK_ROUNDING 5e-7

/* Cells of a block. */
static inline size_t hr_block_size(const hr_tree *tree) {
    return (2 * tree->points->t + 2) * HR_BLOCK_WIDE;
}

/* The last row of a node's block: the nodes that it tells of. */
static inline const hr_block_cell *hr_block_nodes(const hr_tree *tree, const hr_block_cell *block) {
    return block + (2 * tree->points->t + 1) * HR_BLOCK_WIDE;
}

/* The nodes of a block whose bounds are within the limit, the least first. How many they are. */
static inline uint32_t hr_block_order(const float *bound, float limit, uint32_t *order) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < HR_BLOCK_WIDE; i++) {
        order[count] = i;
        count += bound[i] <= limit;
    }
    for (uint32_t i = 1; i < count; i++) {
        uint32_t one = order[i], place = i;
        for (; place > 0 && bound[order[place - 1]] > bound[one]; place--)
            order[place] = order[place - 1];
        order[place] = one;
    }
    return count;
}

/* ---- micro_far.c ---- */

uint32_t hr_tree_furthest(void *self, const hr_from *from);

/* ---- micro_near.c ---- */

void hr_tree_nearest(void *self, const double *from, hr_nearest *nearest);
uint32_t hr_tree_nearest_new(void *self, const double *from);

#endif
