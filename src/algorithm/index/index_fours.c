/* index_fours.c - finished clusters in a flat tree of fours, by the rank of their seeds: the cluster that a left
 * over row joins at least growth of loss, or at least loss. A node knows what covers its clusters, their least
 * cost and size, so most are never looked at. */
#include "algorithm/index/index.h"

#include <stdlib.h>
#include <string.h>

enum { FAN = 4, LEVELS = 17 }; /* 4^16 clusters are more than rows */

struct hr_fours {
    hr_index *ix;
    int rule;
    hr_arena arena;
    uint32_t *order; /* clusters by rank of their seed */
    uint32_t *where; /* place of each cluster in order */
    size_t level_count;
    size_t level_start[LEVELS],
        level_size[LEVELS]; /* nodes of each level; level 0: the clusters themselves */
    uint32_t *code;         /* nodes x stride: what covers the clusters below */
    uint64_t *cost;         /* least cost of a cluster below */
    uint32_t *size;         /* least size */
    uint32_t *index;        /* least number */
    uint64_t best;          /* of the item at hand, which is the index's cluster at hand */
    uint32_t best_cluster;
    uint64_t work; /* nodes that were looked at */
};

/* ---- nodes ---- */

static void summarize(hr_fours *d, size_t level, size_t i) {
    size_t node = d->level_start[level] + i, below = d->level_start[level - 1];
    size_t first = i * FAN, end = first + FAN;
    if (end > d->level_size[level - 1]) end = d->level_size[level - 1];
    size_t stride = d->ix->stride;
    memcpy(d->code + node * stride, d->code + (below + first) * stride, stride * sizeof *d->code);
    d->cost[node] = UINT64_MAX;
    d->size[node] = d->index[node] = UINT32_MAX;
    for (size_t c = below + first; c < below + end; c++) {
        hr_index_join_codes(d->ix, d->code + node * stride, d->code + c * stride);
        if (d->cost[c] < d->cost[node]) d->cost[node] = d->cost[c];
        if (d->size[c] < d->size[node]) d->size[node] = d->size[c];
        if (d->index[c] < d->index[node]) d->index[node] = d->index[c];
    }
}

static void set_cluster(hr_fours *d, size_t i, uint32_t cluster) {
    size_t stride = d->ix->stride;
    memcpy(d->code + i * stride, d->ix->cluster_gen + cluster * stride, stride * sizeof *d->code);
    d->cost[i] = hr_index_cost_of(d->ix, d->code + i * stride);
    d->size[i] = d->ix->cluster_size[cluster];
    d->index[i] = cluster;
}

static uint32_t least_size(const hr_fours *d, size_t level, size_t i) {
    size_t below = d->level_start[level - 1], end = (i + 1) * FAN;
    if (end > d->level_size[level - 1]) end = d->level_size[level - 1];
    uint32_t least = UINT32_MAX;
    for (size_t c = i * FAN; c < end; c++)
        if (d->size[below + c] < least) least = d->size[below + c];
    return least;
}

/* What is known above it changes with it. */
void hr_fours_changed(hr_fours *d, uint32_t cluster, bool grown) {
    size_t i = d->where[cluster];
    set_cluster(d, i, cluster);
    for (size_t level = 1; level < d->level_count; level++) {
        i /= FAN;
        d->work++;
        uint32_t *size = &d->size[d->level_start[level] + i], least = least_size(d, level, i);
        if (!grown && *size == least) return;
        *size = least;
        if (grown) summarize(d, level, i);
    }
}

/* Clusters by rank of their seed: a counting sort over the combinations. */
static hr_status order_clusters(hr_fours *d, hr_error *err) {
    hr_index *ix = d->ix;
    uint32_t *place = hr_alloc((size_t)ix->combination_count + 1, sizeof *place, err);
    if (!place) return HR_ENOMEM;
    for (uint32_t c = 0; c < ix->number; c++)
        place[ix->cluster_seed[c] + 1]++;
    for (uint32_t c = 0; c < ix->combination_count; c++)
        place[c + 1] += place[c];
    for (uint32_t c = 0; c < ix->number; c++) {
        d->where[c] = place[ix->cluster_seed[c]]++;
        d->order[d->where[c]] = c;
    }
    free(place);
    return HR_OK;
}

static hr_status allocate(hr_fours *d, hr_error *err) {
    hr_index *ix = d->ix;
    size_t nodes = 0, size = ix->number;
    for (;; size = (size + FAN - 1) / FAN) {
        d->level_start[d->level_count] = nodes;
        d->level_size[d->level_count++] = size;
        nodes += size;
        if (size <= 1) break;
    }
    const hr_arena_part parts[] = {
        {&d->order, ix->number, sizeof *d->order},
        {&d->where, ix->number, sizeof *d->where},
        {&d->code, nodes * ix->stride, sizeof *d->code},
        {&d->cost, nodes, sizeof *d->cost},
        {&d->size, nodes, sizeof *d->size},
        {&d->index, nodes, sizeof *d->index},
    };
    return hr_arena_parts(&d->arena, parts, sizeof parts / sizeof *parts, err);
}

hr_status hr_fours_init(hr_index *ix, int rule, hr_fours **out, hr_error *err) {
    hr_fours *d = *out = hr_alloc(1, sizeof *d, err);
    if (!d) return HR_ENOMEM;
    d->ix = ix;
    d->rule = rule;
    HR_TRY(allocate(d, err));
    HR_TRY(order_clusters(d, err));
    for (size_t i = 0; i < ix->number; i++)
        set_cluster(d, i, d->order[i]);
    for (size_t level = 1; level < d->level_count; level++)
        for (size_t i = 0; i < d->level_size[level]; i++)
            summarize(d, level, i);
    return HR_OK;
}

void hr_fours_free(hr_fours *d) {
    if (d) hr_arena_free(&d->arena);
    free(d);
}

/* ---- the best cluster ---- */

/* Least cost of an attribute once the item has joined something below the codes, without a row. */
static uint32_t joined_cost(const hr_fours *d, size_t j, const uint32_t *at) {
    const uint32_t *own = d->ix->gen + d->ix->offset[j];
    if (hr_index_tree(d->ix, j)->count)
        return hr_layout_near(hr_index_tree(d->ix, j), own[0], at[0]);
    /* A cluster below is at least as wide as the item's way to the nearest end. */
    if (own[0] < at[0]) return hr_index_span_cost(d->ix, j, own[0], at[0]);
    return own[0] > at[1] ? hr_index_span_cost(d->ix, j, at[1], own[0]) : 0;
}

static inline uint32_t near_cost(const hr_fours *d, size_t j, const uint32_t *at) {
    const uint32_t *near = d->ix->near[j];
    return near ? near[at[0]] : joined_cost(d, j, at);
}

/* What the item loses at least in a cluster below a node; once that is above the best, not more. How wide
 * intervals of numbers are is not known. */
static uint64_t least_loss(const hr_fours *d, size_t node) {
    const hr_index *ix = d->ix;
    const uint32_t *code = d->code + node * ix->stride;
    uint64_t cost = 0, grown = 0, size = d->size[node];
    for (size_t j = 0; j < ix->t && cost + grown <= d->best; j++) {
        const uint32_t *at = code + ix->offset[j];
        uint32_t joined = near_cost(d, j, at), now = ix->own[j] ? ix->own[j][at[0]] : UINT32_MAX;
        cost += joined;
        if (joined > now) grown += size * (joined - now);
    }
    if (cost < d->cost[node]) cost = d->cost[node];
    return d->rule == HR_DISPERSAL_ABSOLUTE ? (size + 1) * cost : cost + grown;
}

static uint64_t exact_loss(const hr_fours *d, size_t leaf) {
    const hr_index *ix = d->ix;
    const uint32_t *code = d->code + leaf * ix->stride;
    uint64_t joined = 0;
    for (size_t j = 0; j < ix->t; j++) {
        const uint32_t *own = ix->gen + ix->offset[j], *at = code + ix->offset[j];
        if (ix->own[j])
            joined += hr_layout_far(ix->own[j], near_cost(d, j, at), at[0]);
        else
            joined += hr_index_span_cost(ix, j, own[0] < at[0] ? own[0] : at[0],
                                         own[1] > at[1] ? own[1] : at[1]);
    }
    uint64_t loss = (d->size[leaf] + UINT64_C(1)) * joined;
    return d->rule == HR_DISPERSAL_GROWTH ? loss - d->size[leaf] * d->cost[leaf] : loss;
}

static bool can_win(const hr_fours *d, size_t node, uint64_t loss) {
    return loss < d->best || (loss == d->best && d->index[node] < d->best_cluster);
}

/* What a cluster loses at least, whatever joins it. */
static uint64_t own_loss(const hr_fours *d, size_t node) {
    if (d->rule == HR_DISPERSAL_ABSOLUTE) return (d->size[node] + UINT64_C(1)) * d->cost[node];
    return d->cost[node];
}

static void visit_clusters(hr_fours *d, size_t first, size_t end) {
    d->work += end - first;
    for (size_t c = first; c < end; c++) {
        if (!can_win(d, c, own_loss(d, c))) continue;
        uint64_t loss = exact_loss(d, c);
        if (!can_win(d, c, loss)) continue;
        d->best = loss;
        d->best_cluster = d->index[c];
    }
}

/* All below a node but its child `except`, the most promising first. */
static void visit(hr_fours *d, size_t level, size_t i, size_t except) {
    size_t below = d->level_start[level - 1], first = i * FAN, end = first + FAN, least = 0;
    if (end > d->level_size[level - 1]) end = d->level_size[level - 1];
    if (level == 1) {
        visit_clusters(d, first, end);
        return;
    }
    uint64_t loss[FAN] = {0};
    d->work += end - first;
    for (size_t c = 0; c < end - first; c++) {
        loss[c] = first + c == except ? UINT64_MAX : least_loss(d, below + first + c);
        if (loss[c] < loss[least]) least = c;
    }
    if (can_win(d, below + first + least, loss[least]))
        visit(d, level - 1, first + least, SIZE_MAX);
    for (size_t c = 0; c < end - first; c++)
        if (c != least && can_win(d, below + first + c, loss[c]))
            visit(d, level - 1, first + c, SIZE_MAX);
}

/* Place of the first cluster whose seed is at or after a combination, or of the last. */
static size_t place_of(const hr_fours *d, uint32_t combination) {
    size_t low = 0, high = d->ix->number - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (d->ix->cluster_seed[d->order[middle]] < combination)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From the clusters with the nearest ranks up: they are good, so most others lose at once. */
uint32_t hr_fours_best(hr_fours *d) {
    d->best = UINT64_MAX;
    d->best_cluster = d->level_count == 1 ? 0 : UINT32_MAX;
    size_t child = SIZE_MAX, i = place_of(d, d->ix->seed);
    for (size_t level = 1; level < d->level_count; level++) {
        i /= FAN;
        visit(d, level, i, child);
        child = i;
    }
    return d->best_cluster;
}

uint64_t hr_fours_work(const hr_fours *d) {
    return d->work;
}
