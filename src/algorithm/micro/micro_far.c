/* micro_far.c - finds the furthest point with the blocks of the tree.
 *
 * With the reference as the zero point, the squared distance of a point x from the query location q
 * is |x - q|² = |q|² + |x|² - 2 q x. Two upper bounds hold for all points x of a node:
 *
 *   - flat: |q|² + reach + the maximum of -2 q x over the node's box, which is at a corner. That
 *     corner may lie far outside the ball |x|² <= reach.
 *   - round: for any c >= 0, |q|² + (1 + c) reach + the maximum of -2 q x - c |x|² over the box.
 *     The maximum separates by dimension: it is at the coordinate of the box nearest to -q / c.
 *     This bound takes into account that the far side of the ball is round.
 *
 * A node is skipped if the lesser of the two is below the best distance so far. */
#include "algorithm/micro/micro_tree.h"

#include <math.h>

/* Measuring this many points from a new reference costs as much as visiting a node. */
enum { REFERENCE_SHARE = 4 };

/* c = roundness |q| / radius of the ball, at most `roundest`. With roundness 1, the round bound
 * would have its maximum over all space on the surface of the ball, opposite to q. A little less
 * proved fastest. */
static const double roundness = 0.8, roundest = 100;

typedef struct {
    hr_tree *tree;
    const hr_location *from;
    double rest;  /* squared distance = bound + rest */
    double scale; /* from->scale squared */
    double room;  /* more than the rounding error of a bound */
    float curve;  /* c */
    float more;   /* constant term of the round bound */
    float floor;  /* a node or point with a lower bound cannot win */
    hr_neighbour best;
} far_search;

/* Stores negated upper bounds of the nodes of a block in `out`; returns a bit mask of the nodes
 * that may contain a point further than the best so far. */
HR_LANES static uint32_t bound_nodes(const far_search *s, const hr_block_entry *block, float *out) {
    const hr_blocks *blocks = &s->tree->blocks;
    float flat[HR_BLOCK_NODES], round[HR_BLOCK_NODES];
    float curve = s->curve, share = 1 + curve, more = s->more;
    size_t t = s->tree->points->t;
    for (uint32_t i = 0; i < HR_BLOCK_NODES; i++) {
        flat[i] = block[i].number;
        round[i] = block[i].number * share + more;
    }
    for (size_t j = 0; j < t; j++) {
        const hr_block_entry *low = block + (1 + 2 * j) * HR_BLOCK_NODES,
                             *high = low + HR_BLOCK_NODES;
        float linear = blocks->linear[j], slope = blocks->slope[j], peak = blocks->peak[j];
        const hr_block_entry *far = linear > 0 ? high : low;
        for (uint32_t i = 0; i < HR_BLOCK_NODES; i++) {
            float at = low[i].number > peak ? low[i].number : peak;
            at = high[i].number < at ? high[i].number : at;
            round[i] += at * (slope - curve * at);
            flat[i] += linear * far[i].number;
        }
    }
    for (uint32_t i = 0; i < HR_BLOCK_NODES; i++)
        out[i] = flat[i] < round[i] ? -flat[i] : -round[i];
    return hr_bits_within(out, HR_BLOCK_NODES, -s->floor);
}

static void offer(far_search *s, uint32_t point) {
    const hr_points *points = s->tree->points;
    hr_neighbour here = {hr_distance(points, points->at + point * points->t, s->from), point};
    if (!hr_further(here, s->best)) return;
    s->best = here;
    float floor = (float)(here.distance / s->scale - s->rest - s->room);
    if (floor > s->floor) s->floor = floor;
}

/* Stores negated upper bounds of the points of a leaf in `out`; returns a bit mask of the points
 * that may beat the best so far, removed ones included. */
HR_LANES static uint32_t bound_points(const far_search *s, const float *row, const float *reach,
                                      float *out) {
    float sum[HR_TREE_LEAF];
    size_t t = s->tree->points->t;
    for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
        sum[i] = -reach[i];
    for (size_t j = 0; j < t; j++, row += HR_TREE_LEAF) {
        float linear = s->tree->blocks.linear[j];
        for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
            sum[i] -= linear * row[i];
    }
    for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
        out[i] = sum[i];
    return hr_bits_within(sum, HR_TREE_LEAF, -s->floor);
}

/* Visits the point with the highest bound first; most of the others cannot win after that. */
static void visit_leaf(far_search *s, const hr_tree_node *leaf) {
    const hr_tree *tree = s->tree;
    const uint32_t *points = tree->slots.point + leaf->first;
    float bound[HR_TREE_LEAF];
    uint32_t bits =
        bound_points(s, hr_tree_row(tree, leaf, 0), tree->slots.reach + leaf->first, bound);
    bits = hr_tree_live(leaf, bits);
    for (uint32_t one = hr_bits_least(bound, bits); bits; one = hr_bits_first(bits)) {
        if (bound[one] <= -s->floor) offer(s, points[one]);
        bits &= ~(1U << one);
    }
}

static void visit(far_search *s, const hr_tree_node *node) {
    hr_tree *tree = s->tree;
    tree->work++;
    if (node->all_equal) {
        offer(s, node->low);
        return;
    }
    if (hr_tree_is_leaf(node)) {
        visit_leaf(s, node);
        return;
    }
    const hr_block_entry *block = tree->blocks.entries + node->block;
    const hr_block_entry *nodes = hr_block_nodes(tree, block);
    float bound[HR_BLOCK_NODES];
    uint32_t bits = bound_nodes(s, block, bound);
    for (uint32_t one = hr_bits_least(bound, bits); bits; one = hr_bits_first(bits)) {
        if (bound[one] <= -s->floor) visit(s, &tree->nodes[nodes[one].node]);
        bits &= ~(1U << one);
    }
}

/* Computes the parameters of the bounds for the current query. */
static void prepare(far_search *s) {
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
        blocks->linear[j] = (float)(-2 * part);
    }
    s->rest += gap;
    double curve = reach > 0 ? fmin(roundness * sqrt(gap / reach), roundest) : 0;
    s->curve = (float)curve;
    s->more = (float)(-curve * off);
    for (size_t j = 0; j < points->t; j++) {
        double shift = (tree->reference[j] - tree->origin[j]) * points->factor[j];
        double slope = (double)blocks->linear[j] + 2 * curve * shift;
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

/* As points are removed the centroid drifts away from the reference, and bounds become loose. Moves
 * the reference to the centroid; if that is so far from the origin that floats lose precision,
 * rebuilds the tree around it. */
static void follow_centre(hr_tree *tree) {
    const hr_points *points = tree->points;
    double off = 0;
    for (size_t j = 0; j < points->t; j++) {
        double part = (tree->here[j] - tree->origin[j]) * points->factor[j];
        off += part * part;
    }
    hr_tree_set_reference(tree, tree->here);
    if (off > (double)tree->nodes[0].reach) hr_tree_rebuild(tree);
}

uint32_t hr_tree_furthest(void *self, const hr_location *from) {
    hr_tree *tree = self;
    if (tree->live == 0) return HR_NONE;
    for (size_t j = 0; j < tree->points->t; j++)
        tree->here[j] = from->sum[j] / from->scale;
    if (from->centre && tree->work > tree->live / REFERENCE_SHARE) follow_centre(tree);
    far_search s = {.tree = tree,
                    .from = from,
                    .scale = from->scale * from->scale,
                    .floor = -3e38F,
                    .best = {-1, HR_NONE}};
    prepare(&s);
    uint64_t work = tree->work;
    visit(&s, &tree->nodes[0]);
    if (!from->centre) tree->work = work;
    return s.best.point;
}
