/* micro_tree.c - builds the k-d tree of points by splitting the widest dimension at the median, and
 * keeps its boxes tight as points are removed. Points with equal coordinates in the dimension split
 * are divided by their numbers, so of equal points in two leaves the lower ones are in the first.
 * When half of the points are removed, sparse leaves are merged to keep the memory read by a query
 * small. Time: O(n log n) to build the tree and to remove all points. */
#include "algorithm/micro/micro_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_SAMPLE = 1024 }; /* about how many points are sampled to find the widest dimension */

/* ---- nodes ---- */

static uint64_t *mask_of(const hr_tree *tree, uint32_t node) {
    return tree->mask + node * tree->words;
}

static void add_values(const hr_tree *tree, uint32_t point, uint64_t *mask) {
    const hr_point_values *values = tree->values;
    uint32_t last = (uint32_t)tree->words * 64 - 1;
    for (size_t l = 0; l < values->r; l++) {
        uint32_t value = values->value[point * values->r + l];
        if (value == HR_NONE) continue;
        if (value > last) value = last;
        mask[value / 64] |= UINT64_C(1) << value % 64;
    }
}

/* Sets the extent of a leaf's box in dimension j. */
static void fit_row(const hr_tree *tree, const hr_tree_node *leaf, size_t j, float *box) {
    const float *values = hr_tree_row(tree, leaf, j);
    float least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < leaf->live; i++) {
        if (values[i] < least) least = values[i];
        if (values[i] > most) most = values[i];
    }
    box[j] = least;
    box[tree->points->t + j] = most;
}

/* Sets the lowest point, reach and values of a leaf. */
static void sum_up_leaf(hr_tree *tree, uint32_t at) {
    hr_tree_node *node = &tree->nodes[at];
    node->low = HR_NONE;
    node->reach = -INFINITY;
    memset(mask_of(tree, at), 0, tree->words * sizeof *tree->mask);
    for (uint32_t i = node->first; i < node->first + node->live; i++) {
        if (tree->slots.point[i] < node->low) node->low = tree->slots.point[i];
        if (tree->slots.reach[i] > node->reach) node->reach = tree->slots.reach[i];
        add_values(tree, tree->slots.point[i], mask_of(tree, at));
    }
}

static bool put(float *to, float value) {
    bool changed = *to != value;
    *to = value;
    return changed;
}

/* Updates an inner node from its children; a child without live points has an empty box. Returns
 * whether anything changed. */
static bool sum_up_inner(hr_tree *tree, uint32_t at) {
    hr_tree_node *node = &tree->nodes[at];
    const hr_tree_node *left = node + 1, *right = &tree->nodes[node->right];
    size_t t = tree->points->t;
    float *own = tree->box + (size_t)at * 2 * t;
    const float *a = own + 2 * t, *b = tree->box + (size_t)node->right * 2 * t;
    uint32_t low = left->low < right->low ? left->low : right->low;
    float reach = left->reach > right->reach ? left->reach : right->reach;
    bool changed = low != node->low || reach != node->reach;
    node->low = low;
    node->reach = reach;
    for (size_t j = 0; j < t; j++) {
        changed |= put(&own[j], a[j] < b[j] ? a[j] : b[j]);
        changed |= put(&own[t + j], a[t + j] > b[t + j] ? a[t + j] : b[t + j]);
    }
    for (size_t w = 0; w < tree->words; w++) {
        uint64_t both = mask_of(tree, at + 1)[w] | mask_of(tree, node->right)[w];
        changed |= mask_of(tree, at)[w] != both;
        mask_of(tree, at)[w] = both;
    }
    return changed;
}

/* Swaps two points of a leaf, given by their positions in it. */
static void swap_points(hr_tree *tree, const hr_tree_node *leaf, uint32_t a, uint32_t b) {
    uint32_t *point = tree->slots.point + leaf->first, one = point[a];
    float *reach = tree->slots.reach + leaf->first, far = reach[a];
    point[a] = point[b];
    point[b] = one;
    reach[a] = reach[b];
    reach[b] = far;
    tree->slots.spot[point[a]].slot = leaf->first + a;
    tree->slots.spot[point[b]].slot = leaf->first + b;
    for (size_t j = 0; j < tree->points->t; j++) {
        float *row = hr_tree_row(tree, leaf, j), value = row[a];
        row[a] = row[b];
        row[b] = value;
    }
}

/* Removes the last live point of a leaf. The box changes only in dimensions where the point was at
 * its edge. Returns whether the leaf's summary changed. */
static bool shrink_leaf(hr_tree *tree, uint32_t at) {
    hr_tree_node *leaf = &tree->nodes[at];
    size_t t = tree->points->t;
    float *box = tree->box + (size_t)at * 2 * t;
    uint32_t gone = --leaf->live;
    bool changed = tree->words > 0 || leaf->low == tree->slots.point[leaf->first + gone] ||
                   leaf->reach == tree->slots.reach[leaf->first + gone];
    if (changed) sum_up_leaf(tree, at);
    for (size_t j = 0; j < t; j++) {
        float value = hr_tree_row(tree, leaf, j)[gone];
        if (value != box[j] && value != box[t + j]) continue;
        fit_row(tree, leaf, j, box);
        changed = true;
    }
    return changed;
}

/* ---- building ---- */

static bool before(hr_tree_key a, hr_tree_key b) {
    return a.value != b.value ? a.value < b.value : a.point < b.point;
}

/* Partitions the keys, which are distinct: keys[middle] gets its place in sorted order, lower keys
 * come before it. */
static void divide(hr_tree_key *keys, size_t count, size_t middle) {
    size_t first = 0, last = count - 1;
    while (first < last) {
        hr_tree_key pivot = keys[first + (last - first) / 2];
        size_t low = first, high = last;
        for (;; low++, high--) {
            while (before(keys[low], pivot))
                low++;
            while (before(pivot, keys[high]))
                high--;
            if (low >= high) break;
            hr_tree_key swap = keys[low];
            keys[low] = keys[high];
            keys[high] = swap;
        }
        if (middle <= high)
            last = high;
        else
            first = high + 1;
    }
}

/* The dimension in which the points extend furthest, estimated from a sample if they are many. */
static size_t widest(const hr_tree *tree, const uint32_t *points, uint32_t count) {
    const hr_points *all = tree->points;
    double width = -1;
    size_t best = 0;
    uint32_t step = count / WIDTH_SAMPLE + 1;
    for (size_t j = 0; j < all->t; j++) {
        double least = INFINITY, most = -INFINITY;
        for (uint32_t i = 0; i < count; i += step) {
            double value = all->at[points[i] * all->t + j];
            if (value < least) least = value;
            if (value > most) most = value;
        }
        if ((most - least) * all->factor[j] <= width) continue;
        width = (most - least) * all->factor[j];
        best = j;
    }
    return best;
}

/* Orders the points for a split in dimension j and returns how many go to the left: half, or as
 * many as avoid separating equal coordinates if both sides are then large enough. */
static uint32_t split(const hr_tree *tree, uint32_t *points, uint32_t count, size_t j) {
    const hr_points *all = tree->points;
    hr_tree_key *keys = tree->keys;
    uint32_t half = count / 2, less = 0, equal = 0;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (hr_tree_key){all->at[points[i] * all->t + j], points[i]};
    divide(keys, count, half);
    double middle = keys[half].value;
    for (uint32_t i = 0; i < count; i++) {
        less += keys[i].value < middle;
        equal += keys[i].value == middle;
    }
    uint32_t whole = half - less <= less + equal - half ? less : less + equal;
    if (whole < HR_TREE_LEAF / 2 || count - whole < HR_TREE_LEAF / 2) whole = half;
    if (whole != half) divide(keys, count, whole);
    for (uint32_t i = 0; i < count; i++)
        points[i] = keys[i].point;
    return whole;
}

/* Measures the distances of a leaf's points from the reference. */
HR_LANES static void measure_leaf(hr_tree *tree, const hr_tree_node *leaf) {
    const hr_points *points = tree->points;
    const float *row = hr_tree_row(tree, leaf, 0);
    float squares[HR_TREE_LEAF] = {0};
    size_t t = points->t;
    for (size_t j = 0; j < t; j++, row += HR_TREE_LEAF) {
        float from = (float)((tree->reference[j] - tree->origin[j]) * points->factor[j]);
        for (uint32_t i = 0; i < HR_TREE_LEAF; i++)
            squares[i] += (row[i] - from) * (row[i] - from);
    }
    memcpy(tree->slots.reach + leaf->first, squares, leaf->live * sizeof *squares);
}

/* Computes everything a leaf's node stores. */
static void fit_leaf(hr_tree *tree, uint32_t at) {
    const hr_tree_node *leaf = &tree->nodes[at];
    measure_leaf(tree, leaf);
    sum_up_leaf(tree, at);
    for (size_t j = 0; j < tree->points->t; j++)
        fit_row(tree, leaf, j, tree->box + (size_t)at * 2 * tree->points->t);
}

static bool equal(const hr_points *points, uint32_t a, uint32_t b) {
    for (size_t j = 0; j < points->t; j++)
        if (points->at[a * points->t + j] != points->at[b * points->t + j]) return false;
    return true;
}

/* Copies the points of a new leaf from its slots. */
static void fill_leaf(hr_tree *tree, uint32_t at) {
    hr_tree_node *leaf = &tree->nodes[at];
    const hr_points *points = tree->points;
    size_t t = points->t;
    leaf->room = leaf->live;
    leaf->leaf = tree->leaf_count++;
    leaf->all_equal = true;
    memset(hr_tree_row(tree, leaf, 0), 0, t * HR_TREE_LEAF * sizeof *tree->slots.at);
    for (uint32_t i = 0; i < leaf->live; i++) {
        uint32_t point = tree->slots.point[leaf->first + i];
        for (size_t j = 0; j < t; j++)
            hr_tree_row(tree, leaf, j)[i] =
                (float)((points->at[point * t + j] - tree->origin[j]) * points->factor[j]);
        tree->slots.spot[point] = (hr_tree_spot){leaf->first + i, at};
        leaf->all_equal = leaf->all_equal && equal(points, point, tree->slots.point[leaf->first]);
    }
    fit_leaf(tree, at);
}

static uint32_t new_node(hr_tree *tree, uint32_t first, uint32_t count, uint32_t parent) {
    uint32_t at = tree->node_count++;
    tree->nodes[at] = (hr_tree_node){
        .parent = parent, .first = first, .live = count, .block = HR_NONE, .entry = HR_NONE};
    if (count <= HR_TREE_LEAF) fill_leaf(tree, at);
    return at;
}

/* Completes an inner node after its children. */
static void finish_inner(hr_tree *tree, uint32_t at, uint32_t right_at) {
    hr_tree_node *node = &tree->nodes[at];
    const hr_tree_node *right = &tree->nodes[right_at];
    node->right = right_at;
    sum_up_inner(tree, at);
    node->all_equal =
        node[1].all_equal && right->all_equal && equal(tree->points, node[1].low, right->low);
}

static uint32_t build(hr_tree *tree, uint32_t first, uint32_t count, uint32_t parent) {
    uint32_t at = new_node(tree, first, count, parent);
    if (count <= HR_TREE_LEAF) return at;
    uint32_t *points = tree->slots.point + first;
    uint32_t left = split(tree, points, count, widest(tree, points, count));
    build(tree, first, left, at);
    finish_inner(tree, at, build(tree, first + left, count - left, at));
    return at;
}

/* Rebuilds the subtree of an old node without splitting again: drops children without live points
 * and makes a leaf of a node with few. Works in place: a new node never has a higher number than
 * the old one, and old nodes with lower numbers are no longer needed. */
static uint32_t thin(hr_tree *tree, uint32_t old, uint32_t first, uint32_t parent) {
    uint32_t count = tree->nodes[old].live, right = tree->nodes[old].right;
    if (count <= HR_TREE_LEAF) return new_node(tree, first, count, parent);
    uint32_t left = tree->nodes[old + 1].live;
    if (left == 0) return thin(tree, right, first, parent);
    if (left == count) return thin(tree, old + 1, first, parent);
    uint32_t at = new_node(tree, first, count, parent);
    thin(tree, old + 1, first, at);
    finish_inner(tree, at, thin(tree, right, first + left, at));
    return at;
}

/* Starts a new tree, with the reference as origin. */
static void begin(hr_tree *tree) {
    tree->node_count = tree->leaf_count = 0;
    tree->built = tree->live;
    memcpy(tree->origin, tree->reference, tree->points->t * sizeof *tree->origin);
    tree->work = 0;
}

static void build_all(hr_tree *tree) {
    begin(tree);
    build(tree, 0, tree->live, HR_NONE);
    hr_blocks_build(tree);
}

void hr_tree_set_reference(hr_tree *tree, const double *location) {
    memcpy(tree->reference, location, tree->points->t * sizeof *location);
    tree->work = 0;
    for (uint32_t at = tree->node_count; at-- > 0;) { /* children follow their parents */
        hr_tree_node *node = &tree->nodes[at];
        if (hr_tree_is_leaf(node)) {
            measure_leaf(tree, node);
            node->reach = -INFINITY;
            for (uint32_t i = node->first; i < node->first + node->live; i++)
                node->reach =
                    tree->slots.reach[i] > node->reach ? tree->slots.reach[i] : node->reach;
        } else {
            node->reach = fmaxf(node[1].reach, tree->nodes[node->right].reach);
        }
        if (node->entry != HR_NONE) tree->blocks.entries[node->entry].number = node->reach;
    }
}

/* Moves the live points to the first slots, in their order. */
static void gather(hr_tree *tree) {
    uint32_t count = 0;
    for (uint32_t at = 0; at < tree->node_count; at++) {
        const hr_tree_node *node = &tree->nodes[at];
        for (uint32_t i = node->first; hr_tree_is_leaf(node) && i < node->first + node->live; i++)
            tree->slots.point[count++] = tree->slots.point[i];
    }
}

void hr_tree_rebuild(hr_tree *tree) {
    gather(tree);
    build_all(tree);
}

/* Merges sparse leaves; the reference becomes the origin. Time: O(live points). */
static void thin_all(hr_tree *tree) {
    gather(tree);
    for (uint32_t at = tree->node_count; at-- > 0;) { /* children follow their parents */
        hr_tree_node *node = &tree->nodes[at];
        if (!hr_tree_is_leaf(node)) node->live = node[1].live + tree->nodes[node->right].live;
    }
    begin(tree);
    thin(tree, 0, 0, HR_NONE);
    hr_blocks_build(tree);
}

/* ---- the locator ---- */

static void tree_free(void *self) {
    hr_tree *tree = self;
    if (!tree) return;
    free(tree->slots.point);
    free(tree->slots.at);
    free(tree->slots.reach);
    free(tree->slots.spot);
    free(tree->keys);
    free(tree->nodes);
    free(tree->box);
    free(tree->mask);
    free(tree->reference);
    hr_blocks_free(&tree->blocks);
    free(tree);
}

static hr_status make_room(hr_tree *tree, hr_error *err) {
    size_t t = tree->points->t, count = tree->points->count;
    size_t nodes = 4 * count / HR_TREE_LEAF + 2; /* leaves are built at least half full */
    tree->words = tree->values->r ? tree->values->total / 64 + 1 : 0;
    if (tree->words > HR_TREE_WORDS) tree->words = HR_TREE_WORDS;
    tree->slots.point = hr_alloc_raw(count, sizeof *tree->slots.point, err);
    tree->slots.at = hr_alloc_raw((nodes / 2 + 1) * HR_TREE_LEAF * t, sizeof *tree->slots.at, err);
    tree->slots.spot = hr_alloc_raw(count, sizeof *tree->slots.spot, err);
    tree->keys = hr_alloc_raw(count, sizeof *tree->keys, err);
    tree->slots.reach = hr_alloc(count + HR_TREE_LEAF, sizeof *tree->slots.reach, err);
    tree->reference = hr_alloc(t * 3, sizeof *tree->reference, err);
    tree->nodes = hr_alloc_raw(nodes, sizeof *tree->nodes, err);
    tree->box = hr_alloc_raw(nodes * 2 * t, sizeof *tree->box, err);
    tree->mask = hr_alloc_raw(nodes * tree->words, sizeof *tree->mask, err);
    if (!tree->slots.point || !tree->slots.at || !tree->slots.spot || !tree->keys ||
        !tree->slots.reach || !tree->reference || !tree->nodes || !tree->box || !tree->mask)
        return HR_ENOMEM;
    tree->origin = tree->reference + t;
    tree->here = tree->origin + t;
    return hr_blocks_init(tree, nodes, err);
}

/* Sets the first reference, the centroid of all points, and the slack: about twenty times the
 * rounding error of a distance between points with coordinates up to the largest. It is no larger
 * because one distant point makes it large in comparison with the distances of all others. */
static void survey(hr_tree *tree) {
    const hr_points *points = tree->points;
    double squares = 0;
    for (size_t j = 0; j < points->t; j++) {
        double sum = 0, most = 0;
        for (uint32_t i = 0; i < points->count; i++) {
            sum += points->at[i * points->t + j];
            most = fmax(most, points->at[i * points->t + j]);
        }
        tree->reference[j] = sum / points->count;
        squares += most * points->factor[j] * most * points->factor[j];
    }
    tree->slack = 2e-15 * (double)(points->t + 4) * sqrt(squares);
}

/* Builds the tree of all points. */
static void fill(hr_tree *tree) {
    for (uint32_t i = 0; i < tree->points->count; i++)
        tree->slots.point[i] = i;
    build_all(tree);
}

static hr_status tree_init(void **self, const hr_points *points, const hr_point_values *values,
                           hr_error *err) {
    hr_tree *tree = *self = hr_alloc(1, sizeof *tree, err);
    if (!tree) return HR_ENOMEM;
    tree->points = points;
    tree->values = values;
    HR_TRY(make_room(tree, err));
    tree->live = points->count;
    survey(tree);
    fill(tree);
    return HR_OK;
}

static void tree_remove(void *self, uint32_t point) {
    hr_tree *tree = self;
    uint32_t at = tree->slots.spot[point].leaf;
    const hr_tree_node *leaf = &tree->nodes[at];
    swap_points(tree, leaf, tree->slots.spot[point].slot - leaf->first, leaf->live - 1);
    bool changed = shrink_leaf(tree, at);
    while (changed) {
        hr_blocks_update(tree, at);
        at = tree->nodes[at].parent;
        changed = at != HR_NONE && sum_up_inner(tree, at);
    }
    if (--tree->live < tree->built / 2 && tree->live > HR_TREE_LEAF) thin_all(tree);
}

/* If the tree has not been rebuilt since it was first built, the removed points are still in their
 * leaves and are made live there. */
static void tree_restart(void *self) {
    hr_tree *tree = self;
    bool first = tree->built == tree->points->count;
    tree->live = tree->points->count;
    if (!first) {
        fill(tree);
        return;
    }
    tree->work = 0;
    for (uint32_t at = tree->node_count; at-- > 0;) { /* children follow their parents */
        hr_tree_node *node = &tree->nodes[at];
        if (hr_tree_is_leaf(node)) {
            node->live = node->room;
            fit_leaf(tree, at);
        } else {
            sum_up_inner(tree, at);
        }
        hr_blocks_update(tree, at);
    }
}

const hr_locator hr_locator_tree = {.init = tree_init,
                                    .restart = tree_restart,
                                    .free = tree_free,
                                    .furthest = hr_tree_furthest,
                                    .nearest = hr_tree_nearest,
                                    .nearest_new = hr_tree_nearest_new,
                                    .remove = tree_remove};
