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

#include "algorithm/micro/micro.h"

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
    uint32_t count;             /* blocks */
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

/* Of bits for the points of a leaf, those of live points. */
static inline uint32_t hr_tree_live(const hr_tree_node *leaf, uint32_t bits) {
    return leaf->live < HR_TREE_LEAF ? bits & ((1U << leaf->live) - 1) : bits;
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

/* Which of some numbers are at most the limit, as bits. */
static inline uint32_t hr_bits_within(const float *number, uint32_t count, float limit) {
    static const uint32_t bit[] = {
        1U << 0,  1U << 1,  1U << 2,  1U << 3,  1U << 4,  1U << 5,  1U << 6,  1U << 7,
        1U << 8,  1U << 9,  1U << 10, 1U << 11, 1U << 12, 1U << 13, 1U << 14, 1U << 15,
        1U << 16, 1U << 17, 1U << 18, 1U << 19, 1U << 20, 1U << 21, 1U << 22, 1U << 23,
        1U << 24, 1U << 25, 1U << 26, 1U << 27, 1U << 28, 1U << 29, 1U << 30, 1U << 31};
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        bits |= number[i] <= limit ? bit[i] : 0;
    return bits;
}

/* The place of the first bit; without bits 0. */
static inline uint32_t hr_bits_first(uint32_t bits) {
    return bits ? (uint32_t)__builtin_ctz(bits) : 0;
}

/* Of the places of bits, that with the least bound. Looked at first, it leaves little to do for the others,
 * in any order: sorting them all costs more than it saves. */
static inline uint32_t hr_bits_least(const float *bound, uint32_t bits) {
    uint32_t best = hr_bits_first(bits);
    for (bits &= bits - 1; bits; bits &= bits - 1) {
        uint32_t one = hr_bits_first(bits);
        best = bound[one] < bound[best] ? one : best;
    }
    return best;
}

/* ---- micro_far.c ---- */

uint32_t hr_tree_furthest(void *self, const hr_from *from);

/* ---- micro_near.c ---- */

void hr_tree_nearest(void *self, const double *from, hr_nearest *nearest);
uint32_t hr_tree_nearest_new(void *self, const double *from);

#endif
