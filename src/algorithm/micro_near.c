/* micro_near.c - who is near, asked of the tree. A node is passed over if no point in it can win: if
 * its box is further off than the worst so far, or as far and all its points are higher than that
 * one, which has the tie. */
#include "algorithm/micro_tree.h"

#include <math.h>

/* ---- distances ---- */

/* At least how near a node's points are, and the lowest of them: hr_distance at the edge of its
 * box. */
static hr_near least_of(const hr_tree *tree, const double *from, uint32_t at) {
    size_t t = tree->points->t;
    const double *least = tree->box + at * 2 * t, *most = least + t;
    double sum = 0;
    if (tree->nodes[at].live == 0) return (hr_near){INFINITY, HR_NONE};
    for (size_t j = 0; j < t; j++) {
        double below = least[j] - from[j], above = from[j] - most[j];
        double off = below > above ? below : above;
        double part = (off > 0 ? off : 0) * tree->points->factor[j];
        sum += part * part;
    }
    return (hr_near){sum, tree->nodes[at].low};
}

static void measure(const hr_tree *tree, const hr_tree_node *leaf, const double *from,
                    double *distance) {
    hr_distances(tree->points, tree->at + leaf->first * tree->points->t, leaf->room, leaf->live, 1,
                 from, distance);
}

/* ---- nearest ---- */

typedef struct {
    const hr_tree *tree;
    const double *from;
    hr_nearest *nearest;
} near_search;

static bool can_win(const hr_nearest *nearest, hr_near bound) {
    return bound.point != HR_NONE &&
           (nearest->count < nearest->wanted || hr_nearer(bound, nearest->items[0]));
}

static void nearest_in(const near_search *s, uint32_t at, hr_near bound) {
    const hr_tree_node *node = &s->tree->nodes[at];
    if (!can_win(s->nearest, bound)) return;
    if (!hr_tree_is_leaf(node)) {
        hr_near left = least_of(s->tree, s->from, at + 1);
        hr_near right = least_of(s->tree, s->from, node->right);
        bool swap = hr_nearer(right, left);
        nearest_in(s, swap ? node->right : at + 1, swap ? right : left);
        nearest_in(s, swap ? at + 1 : node->right, swap ? left : right);
        return;
    }
    double distance[HR_TREE_LEAF];
    measure(s->tree, node, s->from, distance);
    for (uint32_t i = 0; i < node->live; i++)
        hr_nearest_offer(s->nearest, (hr_near){distance[i], s->tree->point[node->first + i]});
}

void hr_tree_nearest(void *self, const double *from, hr_nearest *nearest) {
    near_search s = {self, from, nearest};
    if (nearest->wanted > 0) nearest_in(&s, 0, least_of(self, from, 0));
}

/* ---- nearest with a new value ---- */

typedef struct {
    const hr_tree *tree;
    const double *from;
    uint64_t old[HR_TREE_WORDS]; /* values that the group has, as nodes tell them */
    hr_near best;
} new_search;

/* As least_of; nothing if all values in the node are old. */
static hr_near least_new(const new_search *s, uint32_t at) {
    const hr_tree *tree = s->tree;
    const uint64_t *mask = tree->mask + at * tree->words;
    for (size_t w = 0; w < tree->words; w++)
        if (mask[w] & ~s->old[w]) return least_of(tree, s->from, at);
    return (hr_near){INFINITY, HR_NONE};
}

static void nearest_new_in(new_search *s, uint32_t at, hr_near bound) {
    const hr_tree_node *node = &s->tree->nodes[at];
    if (bound.point == HR_NONE) return;
    if (s->best.point != HR_NONE && !hr_nearer(bound, s->best)) return;
    if (!hr_tree_is_leaf(node)) {
        hr_near left = least_new(s, at + 1), right = least_new(s, node->right);
        bool swap = hr_nearer(right, left);
        nearest_new_in(s, swap ? node->right : at + 1, swap ? right : left);
        nearest_new_in(s, swap ? at + 1 : node->right, swap ? left : right);
        return;
    }
    double distance[HR_TREE_LEAF];
    measure(s->tree, node, s->from, distance);
    for (uint32_t i = 0; i < node->live; i++) {
        hr_near here = {distance[i], s->tree->point[node->first + i]};
        if (s->best.point != HR_NONE && !hr_nearer(here, s->best)) continue;
        if (hr_brings_new(s->tree->values, here.point)) s->best = here;
    }
}

uint32_t hr_tree_nearest_new(void *self, const double *from) {
    const hr_tree *tree = self;
    new_search s = {.tree = tree, .from = from, .best = {0, HR_NONE}};
    for (size_t w = 0; w < tree->words; w++)
        s.old[w] = tree->values->seen[w];
    /* The last bit may stand for many values: it is never known to be old. */
    if (tree->values->total > tree->words * 64) s.old[tree->words - 1] &= ~(UINT64_C(1) << 63);
    nearest_new_in(&s, 0, least_new(&s, 0));
    return s.best.point;
}
