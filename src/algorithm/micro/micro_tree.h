/* micro_tree.h - a k-d tree of points: shared by the files that maintain it and those that query
 * it.
 *
 * A node stores the smallest box around its live points, the lowest live point, the sensitive
 * values of its live points, and their greatest distance (reach) from a reference near the
 * centroid. All coordinates are floats, relative to an origin that was near the centroid when the
 * tree was built: half the memory traffic of doubles. Bounds leave more room than float rounding
 * needs, and hr_distance decides in the end.
 *
 * In many dimensions boxes are large and a query visits many nodes. Therefore nodes are stored a
 * second time in blocks of HR_BLOCK_NODES nodes, up to HR_BLOCK_LEVELS levels below a common
 * ancestor. A block stores the data of all its nodes dimension by dimension, so that vector
 * instructions bound all nodes at once; leaves store the coordinates of their points the same
 * way. */
#ifndef HR_MICRO_TREE_H
#define HR_MICRO_TREE_H

#include "algorithm/micro/micro.h"

enum {
    HR_TREE_LEAF = 32, /* most points of a leaf */
    HR_TREE_WORDS = 8, /* most words of a node's set of values */
    HR_BLOCK_NODES = 16,
    HR_BLOCK_LEVELS = 4
};

/* Children follow their parents in the array of nodes, the left child immediately. */
typedef struct {
    uint32_t parent;
    uint32_t right; /* right child; 0: a leaf */
    uint32_t first; /* first slot of its points; in a leaf, live points come first */
    uint32_t room;  /* leaf: points when the tree was built; removed ones come last */
    uint32_t leaf;  /* leaf: its number, which selects its rows of coordinates */
    uint32_t live;  /* leaf: live points */
    uint32_t low;   /* lowest live point; HR_NONE: none */
    uint32_t block; /* index of the first entry of the block of its descendants; HR_NONE: none */
    uint32_t entry; /* index of the block entry that describes this node; HR_NONE: none */
    bool all_equal; /* all its points are equal */
    float reach;    /* greatest squared distance of a live point from the reference */
} hr_tree_node;

/* A block has rows of HR_BLOCK_NODES entries, one per node: reach; least and greatest coordinate in
 * each dimension; number of the node. A node without live points has reach -INFINITY, every other
 * node a reach of at least 0. */
typedef union {
    float number;
    uint32_t node;
} hr_block_entry;

typedef struct {
    hr_block_entry *entries;
    uint32_t count; /* blocks */
    /* Parameters of the current query, per dimension. */
    float *from;         /* nearest: its location relative to the origin */
    float *linear;       /* furthest, flat bound: coefficient of a coordinate */
    float *slope, *peak; /* furthest, round bound: slope at 0, coordinate of its maximum */
} hr_blocks;

/* Where a point is stored. */
typedef struct {
    uint32_t slot, leaf; /* `leaf` is the leaf's node */
} hr_tree_spot;

/* Sort key for building. */
typedef struct {
    double value;
    uint32_t point;
} hr_tree_key;

/* The points in the order of the leaves. A leaf occupies consecutive slots. */
typedef struct {
    uint32_t *point;    /* per slot */
    float *reach;       /* per slot: squared distance of the point from the reference */
    float *at;          /* per leaf t rows of HR_TREE_LEAF coordinates */
    hr_tree_spot *spot; /* per point */
} hr_tree_slots;

typedef struct {
    const hr_points *points;
    const hr_point_values *values;
    hr_tree_slots slots;
    hr_tree_key *keys; /* scratch for building */
    hr_tree_node *nodes;
    float *box;     /* nodes x 2t: least and greatest coordinates of live points */
    uint64_t *mask; /* nodes x words: a bit per value of live points; the last bit stands for all
                       values from there on */
    size_t words;
    uint32_t node_count, leaf_count;
    uint32_t live, built; /* points now, and when the tree was built */
    double *reference;    /* per dimension */
    double *origin;       /* per dimension */
    double *here;         /* per dimension: location of the current query */
    double slack;         /* more than the rounding error of a distance */
    uint64_t work;        /* nodes visited by queries from the centroid with this reference */
    hr_blocks blocks;
} hr_tree;

static inline bool hr_tree_is_leaf(const hr_tree_node *node) {
    return node->right == 0;
}

/* Coordinates of a leaf's points in dimension j. */
static inline float *hr_tree_row(const hr_tree *tree, const hr_tree_node *leaf, size_t j) {
    return tree->slots.at + (leaf->leaf * tree->points->t + j) * HR_TREE_LEAF;
}

/* `bits` has a bit per point of a leaf. Clears the bits of removed points. */
static inline uint32_t hr_tree_live(const hr_tree_node *leaf, uint32_t bits) {
    return leaf->live < HR_TREE_LEAF ? bits & ((1U << leaf->live) - 1) : bits;
}

/* ---- micro_tree.c ---- */

/* Measures all reaches from a new reference. Time: O(live points). */
void hr_tree_set_reference(hr_tree *tree, const double *location);
/* Builds the tree again from the live points, with the reference as origin. Time: O(n log n) for n
 * live points. */
void hr_tree_rebuild(hr_tree *tree);

/* ---- micro_blocks.c ---- */

hr_status hr_blocks_init(hr_tree *tree, size_t nodes, hr_error *err);
void hr_blocks_free(hr_blocks *blocks);
/* Builds the blocks of a finished tree. Time: O(nodes). */
void hr_blocks_build(hr_tree *tree);
/* Copies a changed node to its block entry. */
void hr_blocks_update(hr_tree *tree, uint32_t at);
/* More than the relative rounding error of a float, also in sums of a few terms. */
#define HR_BLOCK_ROUNDING 5e-7

/* Entries of a block. */
static inline size_t hr_block_size(const hr_tree *tree) {
    return (2 * tree->points->t + 2) * HR_BLOCK_NODES;
}

/* The last row of a block: the numbers of its nodes. */
static inline const hr_block_entry *hr_block_nodes(const hr_tree *tree,
                                                   const hr_block_entry *block) {
    return block + (2 * tree->points->t + 1) * HR_BLOCK_NODES;
}

/* Bit i is set if number[i] <= limit. */
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

/* Index of the lowest bit; 0 if no bit is set. */
static inline uint32_t hr_bits_first(uint32_t bits) {
    return bits ? (uint32_t)__builtin_ctz(bits) : 0;
}

/* Of the indices whose bits are set, the one with the least number. Queries visit this one first;
 * after that little is left to do in any order, and sorting all would cost more than it saves. */
static inline uint32_t hr_bits_least(const float *number, uint32_t bits) {
    uint32_t best = hr_bits_first(bits);
    for (bits &= bits - 1; bits; bits &= bits - 1) {
        uint32_t one = hr_bits_first(bits);
        best = number[one] < number[best] ? one : best;
    }
    return best;
}

/* ---- micro_far.c and micro_near.c: the queries of hr_locator_tree ---- */

uint32_t hr_tree_furthest(void *self, const hr_location *from);
void hr_tree_nearest(void *self, const double *from, hr_nearest *nearest);
uint32_t hr_tree_nearest_new(void *self, const double *from);

#endif
