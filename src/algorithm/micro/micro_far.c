/* micro_far.c - who is furthest, asked of the blocks of the tree.
 *
 * Seen from the reference, a point x and a place q are |x - q|² = |q|² + |x|² - 2 q x apart. With the
 * reach for |x| and the corner of a node's box where -2 q x is greatest, this bounds all of its points.
 * The corner may well lie outside of the ball of the reach. So for any c >= 0 it is also at most
 * |q|² + (1 + c) reach² + (-2 q x - c |x|²), whose last part is greatest at one place of the box, in each
 * dimension for itself: that nearest to -q / c. This knows that the far side of a ball is round. A node
 * is passed over if the lesser of both bounds is below the best so far. */
#include "algorithm/micro/micro_tree.h"

#include <math.h>

enum {
    REFER_SHARE = 4
}; /* choosing a reference for so many points costs what looking at a block does */

/* With 1, a place of the ball's surface opposite to q would be where the second bound is greatest in all
 * space. A little less was found to be best. */
static const double roundness = 0.8, roundest = 100;

typedef struct {
    hr_tree *tree;
    const hr_from *from;
    double rest;       /* what is added to a bound to get the square of a distance */
    double scale;      /* square of the scale */
    double room;       /* more than rounding can do to a bound */
    float curve, more; /* c, and what is added to the second bound */
    float floor;       /* bounds below this cannot win */
    hr_near best;
} far_search;

/* Bounds for all nodes of a block, less than 0 by them; which of them can win. */
HR_LANES static uint32_t bound_all(const far_search *s, const hr_block_cell *block, float *out) {
    const hr_blocks *blocks = &s->tree->blocks;
    float flat[HR_BLOCK_WIDE], round[HR_BLOCK_WIDE];
    float curve = s->curve, share = 1 + curve, more = s->more;
    size_t t = s->tree->points->t;
    for (uint32_t i = 0; i < HR_BLOCK_WIDE; i++) {
        flat[i] = block[i].number;
        round[i] = block[i].number * share + more;
    }
    for (size_t j = 0; j < t; j++) {
        const hr_block_cell *low = block + (1 + 2 * j) * HR_BLOCK_WIDE, *high = low + HR_BLOCK_WIDE;
        float form = blocks->form[j], slope = blocks->slope[j], peak = blocks->peak[j];
        const hr_block_cell *far = form > 0 ? high : low;
        for (uint32_t i = 0; i < HR_BLOCK_WIDE; i++) {
            float at = low[i].number > peak ? low[i].number : peak;
            at = high[i].number < at ? high[i].number : at;
            round[i] += at * (slope - curve * at);
            flat[i] += form * far[i].number;
        }
    }
    for (uint32_t i = 0; i < HR_BLOCK_WIDE; i++)
        out[i] = flat[i] < round[i] ? -flat[i] : -round[i];
    return hr_bits_within(out, HR_BLOCK_WIDE, -s->floor);
}

static void offer(far_search *s, uint32_t point) {
    const hr_points *points = s->tree->points;
    hr_near here = {hr_distance(points, points->at + point * points->t, s->from), point};
    if (!hr_further(here, s->best)) return;
    s->best = here;
    float floor = (float)(here.distance / s->scale - s->rest - s->room);
    if (floor > s->floor) s->floor = floor;
}

/* The bounds of a leaf's points, less than 0 by them; which can win. Those that are absent may be among
 * them. */
HR_LANES static uint32_t weigh_leaf(const far_search *s, const float *row, const float *reach,
                                    float *out) {
    float sum[HR_TREE_LEAF];
    size_t t = s->tree->points->t;
    for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
        sum[i] = -reach[i];
    for (size_t j = 0; j < t; j++, row += HR_TREE_LEAF) {
        float form = s->tree->blocks.form[j];
        for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
            sum[i] -= form * row[i];
    }
    for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
        out[i] = sum[i];
    return hr_bits_within(sum, HR_TREE_LEAF, -s->floor);
}

/* The point with the highest bound first: most of the others cannot win then. */
static void look_at_leaf(far_search *s, const hr_tree_node *leaf) {
    const hr_tree *tree = s->tree;
    const uint32_t *points = tree->point + leaf->first;
    float bound[HR_TREE_LEAF];
    uint32_t bits = weigh_leaf(s, hr_tree_row(tree, leaf, 0), tree->reach + leaf->first, bound);
    bits = hr_tree_live(leaf, bits);
    for (uint32_t one = hr_bits_least(bound, bits); bits; one = hr_bits_first(bits)) {
        if (bound[one] <= -s->floor) offer(s, points[one]);
        bits &= ~(1U << one);
    }
}

static void look_at(far_search *s, const hr_tree_node *node) {
    hr_tree *tree = s->tree;
    tree->work++;
    if (node->one_place) {
        offer(s, node->low);
        return;
    }
    if (hr_tree_is_leaf(node)) {
        look_at_leaf(s, node);
        return;
    }
    const hr_block_cell *block = tree->blocks.cells + node->told;
    const hr_block_cell *nodes = hr_block_nodes(tree, block);
    float bound[HR_BLOCK_WIDE];
    uint32_t bits = bound_all(s, block, bound);
    for (uint32_t one = hr_bits_least(bound, bits); bits; one = hr_bits_first(bits)) {
        if (bound[one] <= -s->floor) look_at(s, &tree->nodes[nodes[one].node]);
        bits &= ~(1U << one);
    }
}

/* Set the question. */
static void ask(far_search *s) {
    hr_tree *tree = s->tree;
    const hr_points *points = tree->points;
    hr_blocks *blocks = &tree->blocks;
    double gap = 0, off = 0, reach = (double)tree->nodes[0].reach;
    for (size_t j = 0; j < points->t; j++) {
        double part = (tree->here[j] - tree->reference[j]) * points->factor[j];
        double shift = (tree->reference[j] - tree->origin[j]) * points->factor[j];
        gap += part * part;
        off += shift * shift;
        s->rest += 2 * part * shift;
        blocks->form[j] = (float)(-2 * part);
    }
    s->rest += gap;
    double curve = reach > 0 ? fmin(roundness * sqrt(gap / reach), roundest) : 0;
    s->curve = (float)curve;
    s->more = (float)(-curve * off);
    for (size_t j = 0; j < points->t; j++) {
        double shift = (tree->reference[j] - tree->origin[j]) * points->factor[j];
        double slope = (double)blocks->form[j] + 2 * curve * shift;
        blocks->slope[j] = (float)slope;
        blocks->peak[j] = curve > 0   ? (float)(slope / (2 * curve))
                          : slope > 0 ? INFINITY
                                      : -INFINITY;
    }
    double radius = sqrt(reach) + sqrt(off), whole = sqrt(gap) + radius;
    s->room =
        (whole * whole + curve * radius * radius) * HR_BLOCK_ROUNDING * (double)(points->t + 4) +
        tree->slack * (2 * whole + tree->slack);
}

/* The middle wanders off from the reference as points go: once looking costs more than choosing it
 * anew, that is done. If it has left the points' origin so far behind that floats tell little, the tree
 * is built anew. */
static void follow_middle(hr_tree *tree) {
    const hr_points *points = tree->points;
    double off = 0;
    for (size_t j = 0; j < points->t; j++) {
        double part = (tree->here[j] - tree->origin[j]) * points->factor[j];
        off += part * part;
    }
    hr_tree_refer(tree, tree->here);
    if (off > (double)tree->nodes[0].reach) hr_tree_rebuild(tree);
}

uint32_t hr_tree_furthest(void *self, const hr_from *from) {
    hr_tree *tree = self;
    if (tree->live == 0) return HR_NONE;
    for (size_t j = 0; j < tree->points->t; j++)
        tree->here[j] = from->sum[j] / from->scale;
    if (from->centre && tree->work > tree->live / REFER_SHARE) follow_middle(tree);
    far_search s = {.tree = tree,
                    .from = from,
                    .scale = from->scale * from->scale,
                    .floor = -3e38F,
                    .best = {-1, HR_NONE}};
    ask(&s);
    uint64_t work = tree->work;
    look_at(&s, &tree->nodes[0]);
    if (!from->centre) tree->work = work;
    return s.best.point;
}
