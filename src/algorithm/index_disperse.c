/* index_disperse.c - giving rows that are left over to the finished clusters, each to the one whose
 * loss grows least, or is least. The clusters stand in a flat tree of fours, by the rank of their
 * seeds; a node knows what covers its clusters, their least cost and size, so most are never looked
 * at. Many rows, unless there are hierarchy-free numbers alone: see index_trie.c. */
#include "algorithm/index.h"

#include <string.h>

enum { FAN = 4, LEVELS = 17 }; /* 4^16 clusters are more than rows */

typedef struct {
    hr_index *ix;
    int rule;
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
} dispersal;

/* ---- nodes ---- */

static void summarize(dispersal *d, size_t level, size_t i) {
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

/* A cluster grew: what is known above it changes with it. */
static void refresh(dispersal *d, uint32_t cluster) {
    size_t i = d->where[cluster], stride = d->ix->stride;
    memcpy(d->code + i * stride, d->ix->cluster_gen + cluster * stride, stride * sizeof *d->code);
    d->cost[i] = hr_index_cost_of(d->ix, d->code + i * stride);
    d->size[i] = d->ix->cluster_size[cluster];
    for (size_t level = 1; level < d->level_count; level++) {
        i /= FAN;
        summarize(d, level, i);
    }
}

/* Clusters by rank of their seed: a counting sort over the combinations. */
static hr_status order_clusters(dispersal *d, hr_error *err) {
    hr_index *ix = d->ix;
    uint32_t *place =
        hr_arena_alloc(&ix->arena, (size_t)ix->combination_count + 1, sizeof *place, err);
    if (!place) return HR_ENOMEM;
    for (uint32_t c = 0; c < ix->number; c++)
        place[ix->cluster_seed[c] + 1]++;
    for (uint32_t c = 0; c < ix->combination_count; c++)
        place[c + 1] += place[c];
    for (uint32_t c = 0; c < ix->number; c++) {
        d->where[c] = place[ix->cluster_seed[c]]++;
        d->order[d->where[c]] = c;
    }
    return HR_OK;
}

static hr_status allocate(dispersal *d, hr_error *err) {
    hr_index *ix = d->ix;
    size_t nodes = 0, size = ix->number;
    for (;; size = (size + FAN - 1) / FAN) {
        d->level_start[d->level_count] = nodes;
        d->level_size[d->level_count++] = size;
        nodes += size;
        if (size <= 1) break;
    }
    d->order = hr_arena_alloc(&ix->arena, ix->number, sizeof *d->order, err);
    d->where = hr_arena_alloc(&ix->arena, ix->number, sizeof *d->where, err);
    d->code = hr_arena_alloc(&ix->arena, nodes * ix->stride, sizeof *d->code, err);
    d->cost = hr_arena_alloc(&ix->arena, nodes, sizeof *d->cost, err);
    d->size = hr_arena_alloc(&ix->arena, nodes, sizeof *d->size, err);
    d->index = hr_arena_alloc(&ix->arena, nodes, sizeof *d->index, err);
    return d->order && d->where && d->code && d->cost && d->size && d->index ? HR_OK : HR_ENOMEM;
}

static hr_status build(dispersal *d, hr_error *err) {
    HR_TRY(allocate(d, err));
    HR_TRY(order_clusters(d, err));
    size_t stride = d->ix->stride;
    for (size_t i = 0; i < d->ix->number; i++) {
        uint32_t cluster = d->order[i];
        memcpy(d->code + i * stride, d->ix->cluster_gen + cluster * stride,
               stride * sizeof *d->code);
        d->cost[i] = hr_index_cost_of(d->ix, d->code + i * stride);
        d->size[i] = d->ix->cluster_size[cluster];
        d->index[i] = cluster;
    }
    for (size_t level = 1; level < d->level_count; level++)
        for (size_t i = 0; i < d->level_size[level]; i++)
            summarize(d, level, i);
    return HR_OK;
}

/* ---- the best cluster ---- */

/* Least cost of an attribute once the item has joined something below the codes, without a row. */
static uint32_t joined_cost(const dispersal *d, size_t j, const uint32_t *at) {
    const uint32_t *own = d->ix->gen + d->ix->offset[j];
    if (hr_index_tree(d->ix, j)->count)
        return hr_layout_near(hr_index_tree(d->ix, j), own[0], at[0]);
    /* A cluster below is at least as wide as the item's way to the nearest end. */
    if (own[0] < at[0]) return hr_index_span_cost(d->ix, j, own[0], at[0]);
    return own[0] > at[1] ? hr_index_span_cost(d->ix, j, at[1], own[0]) : 0;
}

static inline uint32_t near_cost(const dispersal *d, size_t j, const uint32_t *at) {
    const uint32_t *near = d->ix->near[j];
    return near ? near[at[0]] : joined_cost(d, j, at);
}

/* What the item loses at least in a cluster below a node; once that is above the best, not more. How wide
 * intervals of numbers are is not known. */
static uint64_t least_loss(const dispersal *d, size_t node) {
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

static uint64_t exact_loss(const dispersal *d, size_t leaf) {
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

static bool can_win(const dispersal *d, size_t node, uint64_t loss) {
    return loss < d->best || (loss == d->best && d->index[node] < d->best_cluster);
}

/* What a cluster loses at least, whatever joins it. */
static uint64_t own_loss(const dispersal *d, size_t node) {
    if (d->rule == HR_DISPERSAL_ABSOLUTE) return (d->size[node] + UINT64_C(1)) * d->cost[node];
    return d->cost[node];
}

static void visit_clusters(dispersal *d, size_t first, size_t end) {
    for (size_t c = first; c < end; c++) {
        if (!can_win(d, c, own_loss(d, c))) continue;
        uint64_t loss = exact_loss(d, c);
        if (!can_win(d, c, loss)) continue;
        d->best = loss;
        d->best_cluster = d->index[c];
    }
}

/* All below a node but its child `except`, the most promising first. */
static void visit(dispersal *d, size_t level, size_t i, size_t except) {
    size_t below = d->level_start[level - 1], first = i * FAN, end = first + FAN, least = 0;
    if (end > d->level_size[level - 1]) end = d->level_size[level - 1];
    if (level == 1) {
        visit_clusters(d, first, end);
        return;
    }
    uint64_t loss[FAN] = {0};
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
static size_t place_of(const dispersal *d, uint32_t combination) {
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
static uint32_t best_cluster(dispersal *d, uint32_t item) {
    hr_index_restart(d->ix, item);
    d->best = UINT64_MAX;
    d->best_cluster = d->level_count == 1 ? 0 : UINT32_MAX;
    size_t child = SIZE_MAX, i = place_of(d, d->ix->items[item].combination);
    for (size_t level = 1; level < d->level_count; level++) {
        i /= FAN;
        visit(d, level, i, child);
        child = i;
    }
    return d->best_cluster;
}

/* Items that are in no finished cluster, in tie order. */
static uint32_t *loose_items(hr_index *ix, uint32_t *count, hr_error *err) {
    uint32_t n = ix->task->row_count;
    uint32_t *loose = hr_arena_alloc(&ix->arena, n, sizeof *loose, err);
    *count = 0;
    for (uint32_t i = 0; loose && i < n; i++) {
        uint32_t item = ix->by_row ? ix->item[i] : i;
        if (!ix->taken[item] || ix->out->cluster[ix->items[item].place] == ix->number)
            loose[(*count)++] = item;
    }
    return loose;
}

/* Once a combination is covered, joining again costs that cluster no more than any other. */
static bool joins_again(const hr_index *ix, const uint32_t *items, uint32_t i) {
    return i > 0 && ix->items[items[i]].combination == ix->items[items[i - 1]].combination;
}

static hr_status disperse(hr_index *ix, const uint32_t *items, uint32_t count, int rule,
                          hr_error *err) {
    dispersal d = {.ix = ix, .rule = rule};
    HR_TRY(build(&d, err));
    uint32_t cluster = HR_NONE;
    for (uint32_t i = 0; i < count; i++) {
        bool again = rule == HR_DISPERSAL_GROWTH && joins_again(ix, items, i);
        if (!again) cluster = best_cluster(&d, items[i]);
        ix->out->cluster[ix->items[items[i]].place] = cluster;
        ix->cluster_size[cluster]++;
        if (again) {
            d.size[d.where[cluster]]++; /* sizes above are only least ones */
        } else {
            hr_index_join_codes(ix, ix->cluster_gen + cluster * ix->stride, ix->gen);
            refresh(&d, cluster);
        }
        HR_TRY(hr_index_count(ix, err));
    }
    return HR_OK;
}

/* Likewise, where not all attributes are numbers. */
static hr_status disperse_by_values(hr_index *ix, hr_trie *trie, const uint32_t *items,
                                    uint32_t count, int rule, hr_error *err) {
    uint32_t cluster = HR_NONE;
    for (uint32_t i = 0; i < count; i++) {
        bool grown = false, again = joins_again(ix, items, i);
        if (!again) hr_index_restart(ix, items[i]);
        if (!again || rule != HR_DISPERSAL_GROWTH) {
            cluster = hr_trie_best(trie);
            uint32_t *gen = ix->cluster_gen + cluster * ix->stride;
            memcpy(ix->unpacked, gen, ix->stride * sizeof *gen);
            hr_index_join_codes(ix, gen, ix->gen);
            grown = memcmp(ix->unpacked, gen, ix->stride * sizeof *gen) != 0;
        }
        ix->out->cluster[ix->items[items[i]].place] = cluster;
        ix->cluster_size[cluster]++;
        HR_TRY(hr_trie_changed(trie, cluster, grown, err));
        HR_TRY(hr_index_count(ix, err));
    }
    return HR_OK;
}

/* Laying out so many clusters by their values takes about as long as a row takes without. */
enum { CLUSTERS_PER_ROW = 64 };

static hr_status disperse_all(hr_index *ix, const uint32_t *items, uint32_t count, int rule,
                              hr_error *err) {
    if (count == 0) return HR_OK;
    if (ix->number == 0) return hr_fail(err, HR_EINVAL, "rows are left over, but no cluster");
    /* An attribute is a step of a recursion there, and one tree is needed to tell clusters apart. */
    bool fit = ix->stride < 2 * ix->t && ix->t <= HR_INDEX_VARYING;
    if (!fit || count < ix->number / CLUSTERS_PER_ROW) return disperse(ix, items, count, rule, err);
    hr_trie *trie;
    hr_status status = hr_trie_init(ix, rule, &trie, err);
    if (status == HR_OK) status = disperse_by_values(ix, trie, items, count, rule, err);
    hr_trie_free(trie);
    return status;
}

static hr_status publish(hr_index *ix, hr_error *err) {
    ix->out->values = hr_alloc_raw(ix->number * ix->t, sizeof *ix->out->values, err);
    if (!ix->out->values) return HR_ENOMEM;
    for (size_t c = 0; c < ix->number; c++)
        for (size_t j = 0; j < ix->t; j++) {
            const uint32_t *gen = ix->cluster_gen + c * ix->stride + ix->offset[j];
            const hr_layout_tree *tree = hr_index_tree(ix, j);
            ix->out->values[c * ix->t + j] = tree->count
                                                 ? (hr_span){tree->node[gen[0]], tree->node[gen[0]]}
                                                 : (hr_span){gen[0], gen[1]};
        }
    return HR_OK;
}

hr_status hr_index_finish(hr_index *ix, int rule, hr_error *err) {
    uint32_t count, *rest = loose_items(ix, &count, err);
    if (!rest) return HR_ENOMEM;
    HR_TRY(disperse_all(ix, rest, count, rule, err));
    HR_TRY(publish(ix, err));
    return hr_progress_add(ix->task->progress, ix->unreported, err);
}
