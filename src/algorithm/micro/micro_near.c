/* micro_near.c - finds the nearest points with the blocks of the tree. A node is skipped if its box
 * is further away than the worst of the nearest points so far, or if all its points are equal, at
 * the distance of that point, and higher, so that they lose the tie. */
#include "algorithm/micro/micro_tree.h"

#include <math.h>

typedef struct {
    const hr_tree *tree;
    const double *from;
    hr_nearest *nearest;
    bool only_new;               /* only points with a value that the current cluster lacks */
    uint64_t old[HR_TREE_WORDS]; /* values of the current cluster, in the form of hr_tree.mask */
    double share, room;          /* limit = worst squared distance x share + room */
    float limit;                 /* a node or point with a higher bound cannot win */
} near_search;

/* ---- distances ---- */

static hr_neighbour measure(const near_search *s, uint32_t point) {
    const hr_points *points = s->tree->points;
    hr_location from = {1, s->from, false};
    return (hr_neighbour){hr_distance(points, points->at + point * points->t, &from), point};
}

/* Stores lower bounds on the squared distances of the nodes of a block in `out`; returns a bit mask
 * of the nodes that may contain a point near enough. */
HR_LANES static uint32_t bound_nodes(const near_search *s, const hr_block_entry *block,
                                     float *out) {
    const hr_blocks *blocks = &s->tree->blocks;
    const hr_block_entry *low = block + HR_BLOCK_NODES;
    float sum[HR_BLOCK_NODES];
    size_t t = s->tree->points->t;
    for (uint32_t i = 0; i < HR_BLOCK_NODES; i++)
        sum[i] = block[i].number < 0 ? INFINITY : 0;
    for (size_t j = 0; j < t; j++, low += (ptrdiff_t)2 * HR_BLOCK_NODES) {
        float from = blocks->from[j];
        const hr_block_entry *high = low + HR_BLOCK_NODES;
        for (uint32_t i = 0; i < HR_BLOCK_NODES; i++) {
            float at = low[i].number > from ? low[i].number : from;
            at = high[i].number < at ? high[i].number : at;
            sum[i] += (at - from) * (at - from);
        }
    }
    for (uint32_t i = 0; i < HR_BLOCK_NODES; i++)
        out[i] = sum[i];
    return hr_bits_within(sum, HR_BLOCK_NODES, s->limit);
}

/* ---- the search ---- */

static bool full(const hr_nearest *nearest) {
    return nearest->count == nearest->wanted;
}

/* False if all points of the node are equal and lose against the worst of the nearest so far. */
static bool can_win(const near_search *s, const hr_tree_node *node) {
    if (!node->all_equal || !full(s->nearest)) return true;
    return hr_nearer(measure(s, node->low), s->nearest->items[0]);
}

/* Sets the squared distance above which a node cannot contain one of the nearest points:
 * w² share + room, where w is the worst distance of the nearest points so far. A coordinate within
 * w of the query location is at most |location| + w from the origin, and its float has an error
 * much less than HR_BLOCK_ROUNDING times that. With e for the total error of a distance, (w + e)²
 * is at most 1.01 w² + 101 e². search() sets share and room from this. */
static void set_limit(near_search *s) {
    if (full(s->nearest)) s->limit = (float)(s->nearest->items[0].distance * s->share + s->room);
}

/* May the node have a live point with a value that the current cluster lacks? */
static bool has_new(const near_search *s, uint32_t at) {
    const uint64_t *mask = s->tree->mask + at * s->tree->words;
    for (size_t w = 0; w < s->tree->words; w++)
        if (mask[w] & ~s->old[w]) return true;
    return false;
}

/* Stores the squared distances of a leaf's points in `out`; returns a bit mask of the points that
 * may be near enough, removed ones included. */
HR_LANES static uint32_t measure_points(const near_search *s, const float *row, float *out) {
    float sum[HR_TREE_LEAF] = {0};
    size_t t = s->tree->points->t;
    for (size_t j = 0; j < t; j++, row += HR_TREE_LEAF) {
        float from = s->tree->blocks.from[j];
        for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
            sum[i] += (row[i] - from) * (row[i] - from);
    }
    for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
        out[i] = sum[i];
    return hr_bits_within(sum, HR_TREE_LEAF, s->limit);
}

static void visit_leaf(near_search *s, const hr_tree_node *leaf) {
    const hr_tree *tree = s->tree;
    float square[HR_TREE_LEAF];
    const uint32_t *points = tree->slots.point + leaf->first;
    uint32_t bits = hr_tree_live(leaf, measure_points(s, hr_tree_row(tree, leaf, 0), square));
    for (uint32_t left = bits; left; left &= left - 1)
        HR_PREFETCH(tree->points->at + points[__builtin_ctz(left)] * tree->points->t);
    for (; bits; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(bits), point = points[i];
        if (square[i] > s->limit || (s->only_new && !hr_brings_new(tree->values, point))) continue;
        hr_nearest_offer(s->nearest, measure(s, point));
        set_limit(s);
    }
}

static void visit(near_search *s, uint32_t at);

static void visit_below(near_search *s, uint32_t at) {
    if (s->only_new && !has_new(s, at)) return;
    if (can_win(s, &s->tree->nodes[at])) visit(s, at);
}

static void visit(near_search *s, uint32_t at) {
    const hr_tree *tree = s->tree;
    const hr_tree_node *node = &tree->nodes[at];
    if (hr_tree_is_leaf(node)) {
        visit_leaf(s, node);
        return;
    }
    const hr_block_entry *block = tree->blocks.entries + node->block;
    const hr_block_entry *nodes = hr_block_nodes(tree, block);
    float bound[HR_BLOCK_NODES];
    uint32_t bits = bound_nodes(s, block, bound);
    for (uint32_t one = hr_bits_least(bound, bits); bits; one = hr_bits_first(bits)) {
        bits &= ~(1U << one);
        if (bound[one] <= s->limit) visit_below(s, nodes[one].node);
    }
}

static void search(near_search *s) {
    const hr_tree *tree = s->tree;
    double squares = 0;
    for (size_t j = 0; j < tree->points->t; j++) {
        double part = (s->from[j] - tree->origin[j]) * tree->points->factor[j];
        squares += part * part;
        tree->blocks.from[j] = (float)part;
    }
    double error = sqrt(squares) * HR_BLOCK_ROUNDING + tree->slack;
    s->share = 1.01 + 3 * HR_BLOCK_ROUNDING * (double)tree->points->t;
    s->room = 102 * error * error * s->share;
    visit(s, 0);
}

void hr_tree_nearest(void *self, const double *from, hr_nearest *nearest) {
    near_search s = {.tree = self, .from = from, .nearest = nearest, .limit = 3e38F};
    if (nearest->wanted > 0) search(&s);
    for (uint32_t i = 0; i < nearest->count; i++) /* most are about to be removed */
        HR_PREFETCH(&s.tree->slots.spot[nearest->items[i].point]);
}

uint32_t hr_tree_nearest_new(void *self, const double *from) {
    const hr_tree *tree = self;
    hr_neighbour best;
    hr_nearest nearest = {.items = &best, .wanted = 1};
    near_search s = {
        .tree = tree, .from = from, .nearest = &nearest, .only_new = true, .limit = 3e38F};
    for (size_t w = 0; w < tree->words; w++)
        s.old[w] = tree->values->seen[w];
    /* If the last bit stands for several values, some of them may be new. */
    if (tree->values->total > tree->words * 64) s.old[tree->words - 1] &= ~(UINT64_C(1) << 63);
    search(&s);
    return nearest.count > 0 ? best.point : HR_NONE;
}
