/* micro_near.c - who is near, asked of the blocks of the tree. A node is passed over if no point in it
 * can win: if its box is further off than the worst so far, or as far and all its points are higher than
 * that one, which has the tie. The first is seen in the block; where it leaves that open, the tree's own
 * box decides. */
#include "algorithm/micro_tree.h"

#include <math.h>

typedef struct {
    const hr_tree *tree;
    const double *from;
    hr_nearest *nearest;
    bool only_new;               /* only points that bring a value which the group lacks */
    uint64_t old[HR_TREE_WORDS]; /* values that the group has, as nodes tell them */
    double off;                  /* how far the place is from the origin */
    float limit;                 /* bounds above this cannot win */
    float open;                  /* those from here on are not certain to */
} near_search;

/* ---- distances ---- */

/* At least how near a node's points are, and the lowest of them: hr_distance at the edge of its
 * box. */
static hr_near least_of(const near_search *s, uint32_t at) {
    const hr_tree *tree = s->tree;
    size_t t = tree->points->t;
    const double *least = tree->box + at * 2 * t, *most = least + t;
    double sum = 0;
    for (size_t j = 0; j < t; j++) {
        double below = least[j] - s->from[j], above = s->from[j] - most[j];
        double off = below > above ? below : above;
        double part = (off > 0 ? off : 0) * tree->points->factor[j];
        sum += part * part;
    }
    return (hr_near){sum, tree->nodes[at].low};
}

static void weigh(const hr_block_cell *restrict low, const hr_block_cell *restrict high,
                  uint32_t wide, float from, float *restrict sum) {
    for (uint32_t i = 0; i < wide; i++) {
        float at = low[i].number > from ? low[i].number : from;
        at = high[i].number < at ? high[i].number : at;
        sum[i] += (at - from) * (at - from);
    }
}

/* The squares of how near the nodes of a block are, at least. */
static void bound_all(const near_search *s, const hr_block_cell *block, float *out) {
    const hr_blocks *blocks = &s->tree->blocks;
    float sum[HR_BLOCK_WIDE] = {0};
    for (size_t j = 0; j < s->tree->points->t; j++) {
        const hr_block_cell *low = block + (1 + 2 * j) * HR_BLOCK_WIDE;
        weigh(low, low + HR_BLOCK_WIDE, blocks->wide & ~3U, blocks->form[j], sum);
    }
    for (uint32_t i = 0; i < HR_BLOCK_WIDE; i++)
        out[i] = block[i].number < 0 ? INFINITY : sum[i];
}

/* ---- the search ---- */

static bool full(const hr_nearest *nearest) {
    return nearest->count == nearest->wanted;
}

static bool can_win(const near_search *s, uint32_t at) {
    return !full(s->nearest) || hr_nearer(least_of(s, at), s->nearest->items[0]);
}

/* A coordinate within the worst distance of the place is at most `off` and that from the origin: floats
 * are as near to it as 2^-24 of this. Much more room is left. */
static void set_limit(near_search *s) {
    if (!full(s->nearest)) return;
    double worst = sqrt(s->nearest->items[0].distance) + s->tree->slack;
    double room = (s->off + worst) * HR_BLOCK_ROUNDING;
    double share = HR_BLOCK_ROUNDING * (double)s->tree->points->t;
    double least = worst - 2 * s->tree->slack - room;
    s->limit = (float)((worst + room) * (worst + room) * (1 + share));
    s->open = least > 0 ? (float)(least * least * (1 - share)) : 0;
}

static bool has_new(const near_search *s, uint32_t at) {
    const uint64_t *mask = s->tree->mask + at * s->tree->words;
    for (size_t w = 0; w < s->tree->words; w++)
        if (mask[w] & ~s->old[w]) return true;
    return false;
}

static void look_at_leaf(near_search *s, const hr_tree_node *leaf) {
    const hr_tree *tree = s->tree;
    double distance[HR_TREE_LEAF];
    hr_distances(tree->points, tree->at + leaf->first * tree->points->t, leaf->room, leaf->live, 1,
                 s->from, distance);
    for (uint32_t i = 0; i < leaf->live; i++) {
        hr_near here = {distance[i], tree->point[leaf->first + i]};
        if (full(s->nearest) && !hr_nearer(here, s->nearest->items[0])) continue;
        if (!s->only_new || hr_brings_new(tree->values, here.point))
            hr_nearest_offer(s->nearest, here);
    }
    set_limit(s);
}

static void look_at(near_search *s, uint32_t at) {
    const hr_tree *tree = s->tree;
    const hr_tree_node *node = &tree->nodes[at];
    if (hr_tree_is_leaf(node)) {
        look_at_leaf(s, node);
        return;
    }
    const hr_block_cell *block = tree->blocks.cells + node->told;
    const hr_block_cell *nodes = block + (1 + 2 * tree->points->t) * HR_BLOCK_WIDE;
    float bound[HR_BLOCK_WIDE];
    uint32_t order[HR_BLOCK_WIDE];
    bound_all(s, block, bound);
    uint32_t count = hr_block_order(bound, s->limit, order);
    for (uint32_t i = 0; i < count && bound[order[i]] <= s->limit; i++) {
        uint32_t child = nodes[order[i]].node;
        if (s->only_new && !has_new(s, child)) continue;
        if (bound[order[i]] < s->open || can_win(s, child)) look_at(s, child);
    }
}

static void search(near_search *s) {
    const hr_tree *tree = s->tree;
    double squares = 0;
    for (size_t j = 0; j < tree->points->t; j++) {
        double part = (s->from[j] - tree->blocks.origin[j]) * tree->points->factor[j];
        squares += part * part;
        tree->blocks.form[j] = (float)part;
    }
    s->off = sqrt(squares);
    look_at(s, 0);
}

void hr_tree_nearest(void *self, const double *from, hr_nearest *nearest) {
    near_search s = {.tree = self, .from = from, .nearest = nearest, .limit = 3e38F, .open = 3e38F};
    if (nearest->wanted > 0) search(&s);
}

uint32_t hr_tree_nearest_new(void *self, const double *from) {
    const hr_tree *tree = self;
    hr_near best;
    hr_nearest nearest = {.items = &best, .wanted = 1};
    near_search s = {.tree = tree,
                     .from = from,
                     .nearest = &nearest,
                     .only_new = true,
                     .limit = 3e38F,
                     .open = 3e38F};
    for (size_t w = 0; w < tree->words; w++)
        s.old[w] = tree->values->seen[w];
    /* The last bit may stand for many values: it is never known to be old. */
    if (tree->values->total > tree->words * 64) s.old[tree->words - 1] &= ~(UINT64_C(1) << 63);
    search(&s);
    return nearest.count > 0 ? best.point : HR_NONE;
}
