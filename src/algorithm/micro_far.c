/* micro_far.c - who is furthest, asked of the tree. A node is passed over if no point in it can win:
 * if its bound is below the best so far, or equal and all its points are higher than the best, which
 * has the tie. Three bounds: the far corner of the box, which is exact where all points are equal;
 * by the triangle inequality, reach + gap, where gap is how far the place that is asked about is from
 * the reference; and |x - q|² = |x|² + |q|² - 2 x q with the reach for |x| and the box for x q, which
 * tells the far side of the rest from the near one. */
#include "algorithm/micro_tree.h"

#include <math.h>

typedef struct {
    hr_tree *tree;
    const hr_from *from;
    double gap;
    double square, more; /* of the scale, well above rounding errors; what slack adds to a square */
    hr_near best;
} far_search;

static double by_reach(const far_search *s, const hr_tree_node *node) {
    double distance = node->reach + s->gap;
    return (distance * distance + s->more) * s->square;
}

/* What a node may have to offer. */
typedef struct {
    hr_near bound; /* at most how far its points are, and the lowest of them */
    double guess;  /* how far, by the middle of its box: the order in which nodes are looked at */
} offer;

static double by_direction(const far_search *s, uint32_t at, double *guess) {
    const hr_tree *tree = s->tree;
    size_t t = tree->points->t;
    const double *least = tree->box + at * 2 * t, *most = least + t;
    double reach = tree->nodes[at].reach, sum = reach * reach + s->gap * s->gap;
    *guess = 2 * sum;
    for (size_t j = 0; j < t; j++) {
        double below = (tree->reference[j] - least[j]) * tree->way[j];
        double above = (tree->reference[j] - most[j]) * tree->way[j];
        sum += below > above ? below : above;
        *guess += below + above;
    }
    return (sum + s->more) * s->square;
}

/* By the expression of hr_distance. */
static double by_corner(const far_search *s, uint32_t at) {
    const hr_points *points = s->tree->points;
    const double *least = s->tree->box + at * 2 * points->t, *most = least + points->t;
    double sum = 0;
    for (size_t j = 0; j < points->t; j++) {
        double below = s->from->sum[j] - s->from->scale * least[j];
        double above = s->from->scale * most[j] - s->from->sum[j];
        double part = (below > above ? below : above) * points->factor[j];
        sum += part * part;
    }
    return sum;
}

static offer offer_of(const far_search *s, uint32_t at) {
    const hr_tree_node *node = &s->tree->nodes[at];
    if (node->live == 0) return (offer){{-1, HR_NONE}, -INFINITY};
    offer o = {{by_reach(s, node), node->low}, -INFINITY};
    s->tree->work++;
    if (!hr_further(o.bound, s->best)) return o;
    double other = by_direction(s, at, &o.guess);
    if (other < o.bound.distance) o.bound.distance = other;
    if (!hr_further(o.bound, s->best)) return o;
    other = by_corner(s, at);
    if (other < o.bound.distance) o.bound.distance = other;
    return o;
}

static void furthest_in(far_search *s, uint32_t at, hr_near bound) {
    hr_tree *tree = s->tree;
    const hr_tree_node *node = &tree->nodes[at];
    if (!hr_further(bound, s->best)) return;
    if (!hr_tree_is_leaf(node)) {
        offer left = offer_of(s, at + 1), right = offer_of(s, node->right);
        bool swap = right.guess > left.guess;
        furthest_in(s, swap ? node->right : at + 1, swap ? right.bound : left.bound);
        furthest_in(s, swap ? at + 1 : node->right, swap ? left.bound : right.bound);
        return;
    }
    double distance[HR_TREE_LEAF];
    hr_distances(tree->points, tree->at + node->first * tree->points->t, node->room, node->live,
                 s->from->scale, s->from->sum, distance);
    tree->work += node->live;
    for (uint32_t i = 0; i < node->live; i++) {
        hr_near here = {distance[i], tree->point[node->first + i]};
        if (hr_further(here, s->best)) s->best = here;
    }
}

/* The middle wanders off from the reference as points go: once looking costs more than choosing it
 * anew, that is done. */
uint32_t hr_tree_furthest(void *self, const hr_from *from) {
    hr_tree *tree = self;
    const hr_points *points = tree->points;
    for (size_t j = 0; j < points->t; j++)
        tree->here[j] = from->sum[j] / from->scale;
    if (from->centre && tree->work > tree->live) hr_tree_refer(tree, tree->here);
    far_search s = {.tree = tree, .from = from, .best = {-1, HR_NONE}};
    for (size_t j = 0; j < points->t; j++) {
        double part = (tree->here[j] - tree->reference[j]) * points->factor[j];
        s.gap += part * part;
        tree->way[j] = 2 * part * points->factor[j];
    }
    s.gap = sqrt(s.gap);
    s.square = from->scale * from->scale * (1 + 1e-9);
    s.more = tree->slack * (2 * (tree->nodes[0].reach + s.gap) + tree->slack);
    uint64_t work = tree->work;
    furthest_in(&s, 0, offer_of(&s, 0).bound);
    if (!from->centre) tree->work = work;
    return s.best.point;
}
