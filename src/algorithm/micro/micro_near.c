/* micro_near.c - who is near, asked of the blocks of the tree. A node is passed over if no point in it
 * can win: if its box is further off than the worst so far; or if its points are all in one place, as far
 * off, and higher than that one, which has the tie. */
#include "algorithm/micro/micro_tree.h"

#include <math.h>

typedef struct {
    const hr_tree *tree;
    const double *from;
    hr_nearest *nearest;
    bool only_new;               /* only points that bring a value which the group lacks */
    uint64_t old[HR_TREE_WORDS]; /* values that the group has, as nodes tell them */
    double share, room;          /* of the worst distance, and more than it, for rounding */
    float limit;                 /* bounds above this cannot win */
} near_search;

/* ---- distances ---- */

static hr_near measure(const near_search *s, uint32_t point) {
    const hr_points *points = s->tree->points;
    hr_from from = {1, s->from, false};
    return (hr_near){hr_distance(points, points->at + point * points->t, &from), point};
}

/* The squares of how near the nodes of a block are, at least; which of them can win. */
HR_LANES static uint32_t bound_all(const near_search *s, const hr_block_cell *block, float *out) {
    const hr_blocks *blocks = &s->tree->blocks;
    const hr_block_cell *low = block + HR_BLOCK_WIDE;
    float sum[HR_BLOCK_WIDE];
    size_t t = s->tree->points->t;
    for (uint32_t i = 0; i < HR_BLOCK_WIDE; i++)
        sum[i] = block[i].number < 0 ? INFINITY : 0;
    for (size_t j = 0; j < t; j++, low += 2 * HR_BLOCK_WIDE) {
        float from = blocks->form[j];
        const hr_block_cell *high = low + HR_BLOCK_WIDE;
        for (uint32_t i = 0; i < HR_BLOCK_WIDE; i++) {
            float at = low[i].number > from ? low[i].number : from;
            at = high[i].number < at ? high[i].number : at;
            sum[i] += (at - from) * (at - from);
        }
    }
    for (uint32_t i = 0; i < HR_BLOCK_WIDE; i++)
        out[i] = sum[i];
    return hr_bits_within(sum, HR_BLOCK_WIDE, s->limit);
}

/* ---- the search ---- */

static bool full(const hr_nearest *nearest) {
    return nearest->count == nearest->wanted;
}

/* Not if all its points are in one place, which is as far as the worst, and higher than that one. */
static bool can_win(const near_search *s, const hr_tree_node *node) {
    if (!node->one_place || !full(s->nearest)) return true;
    return hr_nearer(measure(s, node->low), s->nearest->items[0]);
}

/* A coordinate within the worst distance w of the place is at most `off` + w from the origin, and floats
 * are wrong by much less than HR_BLOCK_ROUNDING of it. With e for what they do and slack, (w + e)² is at
 * most 1.01 w² + 101 e². */
static void set_limit(near_search *s) {
    if (full(s->nearest)) s->limit = (float)(s->nearest->items[0].distance * s->share + s->room);
}

static bool has_new(const near_search *s, uint32_t at) {
    const uint64_t *mask = s->tree->mask + at * s->tree->words;
    for (size_t w = 0; w < s->tree->words; w++)
        if (mask[w] & ~s->old[w]) return true;
    return false;
}

/* The squares of the distances of a leaf's points; which can win. Those that are absent may be among them. */
HR_LANES static uint32_t weigh_leaf(const near_search *s, const float *row, float *out) {
    float sum[HR_TREE_LEAF] = {0};
    size_t t = s->tree->points->t;
    for (size_t j = 0; j < t; j++, row += HR_TREE_LEAF) {
        float from = s->tree->blocks.form[j];
        for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
            sum[i] += (row[i] - from) * (row[i] - from);
    }
    for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
        out[i] = sum[i];
    return hr_bits_within(sum, HR_TREE_LEAF, s->limit);
}

static void look_at_leaf(near_search *s, const hr_tree_node *leaf) {
    const hr_tree *tree = s->tree;
    float square[HR_TREE_LEAF];
    const uint32_t *points = tree->point + leaf->first;
    uint32_t bits = hr_tree_live(leaf, weigh_leaf(s, hr_tree_row(tree, leaf, 0), square));
    for (uint32_t left = bits; left; left &= left - 1)
        HR_PREFETCH(tree->points->at + points[__builtin_ctz(left)] * tree->points->t);
    for (; bits; bits &= bits - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(bits), point = points[i];
        if (square[i] > s->limit || (s->only_new && !hr_brings_new(tree->values, point))) continue;
        hr_nearest_offer(s->nearest, measure(s, point));
        set_limit(s);
    }
}

static void look_at(near_search *s, uint32_t at);

static void look_below(near_search *s, uint32_t at) {
    if (s->only_new && !has_new(s, at)) return;
    if (can_win(s, &s->tree->nodes[at])) look_at(s, at);
}

static void look_at(near_search *s, uint32_t at) {
    const hr_tree *tree = s->tree;
    const hr_tree_node *node = &tree->nodes[at];
    if (hr_tree_is_leaf(node)) {
        look_at_leaf(s, node);
        return;
    }
    const hr_block_cell *block = tree->blocks.cells + node->told;
    const hr_block_cell *nodes = hr_block_nodes(tree, block);
    float bound[HR_BLOCK_WIDE];
    uint32_t bits = bound_all(s, block, bound);
    for (uint32_t one = hr_bits_least(bound, bits); bits; one = hr_bits_first(bits)) {
        bits &= ~(1U << one);
        if (bound[one] <= s->limit) look_below(s, nodes[one].node);
    }
}

static void search(near_search *s) {
    const hr_tree *tree = s->tree;
    double squares = 0;
    for (size_t j = 0; j < tree->points->t; j++) {
        double part = (s->from[j] - tree->origin[j]) * tree->points->factor[j];
        squares += part * part;
        tree->blocks.form[j] = (float)part;
    }
    double wrong = sqrt(squares) * HR_BLOCK_ROUNDING + tree->slack;
    s->share = 1.01 + 3 * HR_BLOCK_ROUNDING * (double)tree->points->t;
    s->room = 102 * wrong * wrong * s->share;
    look_at(s, 0);
}

void hr_tree_nearest(void *self, const double *from, hr_nearest *nearest) {
    near_search s = {.tree = self, .from = from, .nearest = nearest, .limit = 3e38F};
    if (nearest->wanted > 0) search(&s);
    for (uint32_t i = 0; i < nearest->count; i++) /* most are about to go */
        HR_PREFETCH(&s.tree->spot[nearest->items[i].point]);
}

uint32_t hr_tree_nearest_new(void *self, const double *from) {
    const hr_tree *tree = self;
    hr_near best;
    hr_nearest nearest = {.items = &best, .wanted = 1};
    near_search s = {
        .tree = tree, .from = from, .nearest = &nearest, .only_new = true, .limit = 3e38F};
    for (size_t w = 0; w < tree->words; w++)
        s.old[w] = tree->values->seen[w];
    /* The last bit may stand for many values: it is never known to be old. */
    if (tree->values->total > tree->words * 64) s.old[tree->words - 1] &= ~(UINT64_C(1) << 63);
    search(&s);
    return nearest.count > 0 ? best.point : HR_NONE;
}
