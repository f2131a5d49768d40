/* index_trie.c - finished clusters by their values: the cluster that a left over row joins at least growth
 * of loss, or at least loss. Where p is hard to reach most rows are left over, and clusters are wide: their
 * values say little in a tree by rank. Here a node's children are the values that clusters have of one
 * attribute, so what the row costs there is exact, and a cluster that would have to grow for it is passed
 * over as soon as its first value says so. The fewer values an attribute has, the sooner it comes; numbers
 * come last. Children stand together, with what is known of the clusters below them. */
#include "algorithm/index/index.h"

#include <stdlib.h>
#include <string.h>

/* Of some clusters the least of each. */
typedef struct {
    uint64_t cost;
    uint64_t base; /* what one loses more, or loses in all, if a row joins that it covers */
    uint32_t size, index;
} summary;

static const summary nothing = {UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX};

/* A child of a node. Or a cluster of a leaf, of which size and index are all that is read. */
typedef struct {
    summary least;
    uint32_t lo, hi; /* its value: a code, twice, or an interval of numbers */
    uint32_t node;
} trie_child;

typedef struct {
    uint32_t parent;
    uint32_t place;       /* among the parent's children; HR_NONE: there are no clusters below it */
    uint32_t count, room; /* children. Those of a leaf are a heap: the smallest first */
    size_t first;
    bool indexed; /* of a leaf: one of its clusters has the least index that is told */
} trie_node;

struct hr_trie {
    hr_index *ix;
    int rule;         /* HR_DISPERSAL_... */
    size_t *order;    /* attributes */
    uint32_t *step;   /* of each: what a value costs less than the next above it, at least */
    hr_map64 *number; /* of each: intervals */
    hr_map64 map;     /* nodes but the root by parent and value */
    trie_node *nodes;
    size_t node_room;
    trie_child *children;
    size_t child_count, child_room;
    uint32_t *leaf, *place; /* of each cluster, and its place there */
    uint64_t best;          /* of the row at hand, which is the index's cluster at hand */
    uint32_t best_cluster;
    uint64_t work; /* children that were looked at */
};

/* ---- what is known of clusters ---- */

static uint64_t base_of(const hr_trie *trie, uint64_t cost, uint32_t size) {
    return trie->rule == HR_DISPERSAL_GROWTH ? cost : (size + UINT64_C(1)) * cost;
}

static void add_to(summary *least, summary more) {
    if (more.cost < least->cost) least->cost = more.cost;
    if (more.base < least->base) least->base = more.base;
    if (more.size < least->size) least->size = more.size;
    if (more.index < least->index) least->index = more.index;
}

/* Something that was `last` is `now`: can what is known of it and others be other than before? */
static bool rests_on(const summary *least, summary last, summary now) {
    return (least->cost == last.cost && now.cost != last.cost) ||
           (least->base == last.base && now.base != last.base) ||
           (least->size == last.size && now.size != last.size) ||
           (least->index == last.index && now.index != last.index);
}

/* ---- nodes ---- */

static trie_child *children_of(const hr_trie *trie, uint32_t at) {
    return trie->children + trie->nodes[at].first;
}

static trie_child *as_child(const hr_trie *trie, uint32_t at) {
    return children_of(trie, trie->nodes[at].parent) + trie->nodes[at].place;
}

static hr_status add_node(hr_trie *trie, uint32_t parent, uint32_t at, hr_error *err) {
    HR_TRY(hr_grow(&trie->nodes, &trie->node_room, (size_t)at + 1, sizeof *trie->nodes, err));
    trie->nodes[at] = (trie_node){.parent = parent, .place = HR_NONE};
    return HR_OK;
}

/* Values that are equal have equal numbers. */
static hr_status number_value(hr_trie *trie, size_t j, const uint32_t *code, uint32_t *number,
                              hr_error *err) {
    *number = code[0];
    if (hr_index_tree(trie->ix, j)->count) return HR_OK;
    return hr_map64_intern(&trie->number[j], (uint64_t)code[0] << 32 | code[1], number, err);
}

/* The leaf of such codes. */
static hr_status find_leaf(hr_trie *trie, const uint32_t *code, uint32_t *leaf, hr_error *err) {
    *leaf = 0;
    for (size_t depth = 0; depth < trie->ix->t; depth++) {
        size_t j = trie->order[depth];
        uint32_t value, number, known = trie->map.count;
        HR_TRY(number_value(trie, j, code + trie->ix->offset[j], &value, err));
        HR_TRY(hr_map64_intern(&trie->map, (uint64_t)*leaf << 32 | value, &number, err));
        if (number == known) HR_TRY(add_node(trie, *leaf, number + 1, err));
        *leaf = number + 1;
    }
    return HR_OK;
}

/* Where there is no room for one child more, all move to where there is room for as many again. */
static hr_status append(hr_trie *trie, uint32_t at, trie_child child, hr_error *err) {
    trie_node *node = &trie->nodes[at];
    if (node->count == node->room) {
        uint32_t room = node->room ? 2 * node->room : 1;
        size_t first = trie->child_count;
        HR_TRY(
            hr_grow(&trie->children, &trie->child_room, first + room, sizeof *trie->children, err));
        if (node->count)
            memcpy(trie->children + first, trie->children + node->first,
                   node->count * sizeof *trie->children);
        node->first = first;
        node->room = room;
        trie->child_count += room;
    }
    trie->children[node->first + node->count++] = child;
    return HR_OK;
}

static void unlink_node(hr_trie *trie, uint32_t at) {
    trie_node *node = &trie->nodes[at], *parent = &trie->nodes[node->parent];
    trie_child *list = children_of(trie, node->parent);
    list[node->place] = list[--parent->count];
    trie->nodes[list[node->place].node].place = node->place;
    node->place = HR_NONE;
}

/* What is known of a node, and so perhaps of those above it, is now this. */
static void tell(hr_trie *trie, uint32_t at, summary now) {
    while (at != 0) {
        uint32_t parent = trie->nodes[at].parent;
        summary last = as_child(trie, at)->least;
        as_child(trie, at)->least = now;
        if (trie->nodes[at].count == 0) unlink_node(trie, at);
        if (parent == 0 || !rests_on(&as_child(trie, parent)->least, last, now)) return;
        now = nothing;
        trie->work += trie->nodes[parent].count;
        const trie_child *list = children_of(trie, parent);
        for (uint32_t i = 0; i < trie->nodes[parent].count; i++)
            add_to(&now, list[i].least);
        at = parent;
    }
}

/* ---- clusters of a leaf ---- */

static bool is_before(const trie_child *a, const trie_child *b) {
    return a->least.size < b->least.size ||
           (a->least.size == b->least.size && a->least.index < b->least.index);
}

static void put(hr_trie *trie, trie_child *heap, uint32_t at, trie_child cluster) {
    heap[at] = cluster;
    trie->place[cluster.least.index] = at;
}

/* From a place that is free, up or down to where the cluster belongs. */
static void sift(hr_trie *trie, uint32_t leaf, uint32_t at, trie_child cluster) {
    trie_child *heap = children_of(trie, leaf);
    uint32_t count = trie->nodes[leaf].count;
    for (; at > 0 && is_before(&cluster, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        put(trie, heap, at, heap[(at - 1) / 2]);
    for (uint32_t next; (next = 2 * at + 1) < count; at = next) {
        if (next + 1 < count && is_before(&heap[next + 1], &heap[next])) next++;
        if (!is_before(&heap[next], &cluster)) break;
        put(trie, heap, at, heap[next]);
    }
    put(trie, heap, at, cluster);
}

/* All clusters of a leaf cost the same. Which has the least index is found once it is asked for. */
static void tell_leaf(hr_trie *trie, uint32_t leaf) {
    summary now = as_child(trie, leaf)->least;
    now.size = children_of(trie, leaf)->least.size;
    now.base = base_of(trie, now.cost, now.size);
    tell(trie, leaf, trie->nodes[leaf].count ? now : nothing);
}

static void find_index(hr_trie *trie, uint32_t leaf) {
    const trie_child *heap = children_of(trie, leaf);
    summary now = as_child(trie, leaf)->least;
    now.index = UINT32_MAX;
    for (uint32_t i = 0; i < trie->nodes[leaf].count; i++)
        if (heap[i].least.index < now.index) now.index = heap[i].least.index;
    trie->work += trie->nodes[leaf].count;
    trie->nodes[leaf].indexed = true;
    tell(trie, leaf, now);
}

static hr_status insert(hr_trie *trie, uint32_t cluster, hr_error *err) {
    const hr_index *ix = trie->ix;
    const uint32_t *code = ix->cluster_gen + cluster * ix->stride;
    uint32_t at, size = ix->cluster_size[cluster];
    uint64_t cost = hr_index_cost_of(ix, code);
    trie_child own = {.least = {cost, base_of(trie, cost, size), size, cluster}};
    HR_TRY(find_leaf(trie, code, &at, err));
    HR_TRY(append(trie, at, own, err));
    trie->leaf[cluster] = at;
    sift(trie, at, trie->nodes[at].count - 1, own);
    bool first = trie->nodes[at].place == HR_NONE;
    if (first || cluster < as_child(trie, at)->least.index) trie->nodes[at].indexed = true;
    for (size_t depth = ix->t; depth-- > 0; at = trie->nodes[at].parent) {
        size_t j = trie->order[depth];
        const uint32_t *value = code + ix->offset[j];
        if (trie->nodes[at].place == HR_NONE) {
            uint32_t parent = trie->nodes[at].parent, place = trie->nodes[parent].count;
            trie_child child = {nothing, value[0], value[hr_index_tree(ix, j)->count ? 0 : 1], at};
            HR_TRY(append(trie, parent, child, err));
            trie->nodes[at].place = place;
        }
        add_to(&as_child(trie, at)->least, own.least);
    }
    return HR_OK;
}

static void take_out(hr_trie *trie, uint32_t cluster) {
    uint32_t at = trie->leaf[cluster], place = trie->place[cluster];
    uint32_t last = --trie->nodes[at].count;
    if (place < last) sift(trie, at, place, children_of(trie, at)[last]);
    if (as_child(trie, at)->least.index == cluster) trie->nodes[at].indexed = false;
    tell_leaf(trie, at);
}

hr_status hr_trie_changed(hr_trie *trie, uint32_t cluster, bool grown, hr_error *err) {
    uint32_t at = trie->leaf[cluster], place = trie->place[cluster];
    if (grown) {
        take_out(trie, cluster);
        return insert(trie, cluster, err);
    }
    trie_child own = children_of(trie, at)[place];
    own.least.size = trie->ix->cluster_size[cluster];
    sift(trie, at, place, own);
    tell_leaf(trie, at);
    return HR_OK;
}

/* ---- the best cluster ---- */

/* What the row and the cluster lose more, or in all, at least, if so much is known of what they cost together
 * and of what that is above the cluster's own cost. */
static uint64_t least_loss(const hr_trie *trie, const summary *least, uint64_t joined,
                           uint64_t grown) {
    uint64_t cost = least->cost + grown, size = least->size;
    if (joined > cost) cost = joined;
    if (trie->rule == HR_DISPERSAL_GROWTH) return cost + size * grown;
    uint64_t grows = least->base + (size + 1) * grown, has = (size + 1) * cost;
    return grows > has ? grows : has;
}

static bool can_win(const hr_trie *trie, const summary *least, uint64_t joined, uint64_t grown) {
    uint64_t loss = least_loss(trie, least, joined, grown);
    return loss < trie->best || (loss == trie->best && least->index < trie->best_cluster);
}

/* One that grows should be small, as should any if all of its loss counts, unless there is none. */
static void consider(hr_trie *trie, const trie_child *leaf, uint64_t joined, uint64_t grown) {
    bool small = grown > 0 || (joined > 0 && trie->rule == HR_DISPERSAL_ABSOLUTE);
    if (!small && !trie->nodes[leaf->node].indexed) find_index(trie, leaf->node);
    uint64_t loss = least_loss(trie, &leaf->least, joined, grown);
    uint32_t cluster = small ? children_of(trie, leaf->node)->least.index : leaf->least.index;
    if (loss > trie->best || (loss == trie->best && cluster >= trie->best_cluster)) return;
    trie->best = loss;
    trie->best_cluster = cluster;
}

/* Of one attribute, what a child's value costs together with the row's, and how much more that is. */
static uint32_t join_child(const hr_trie *trie, size_t j, const trie_child *child, uint32_t *more) {
    const hr_index *ix = trie->ix;
    const uint32_t *near = ix->near[j], *gen = ix->gen + ix->offset[j];
    uint32_t lo = child->lo, hi = child->hi, joined, own;
    if (hr_index_tree(ix, j)->count) {
        uint32_t least = near ? near[lo] : hr_layout_near(hr_index_tree(ix, j), gen[0], lo);
        own = ix->own[j][lo];
        joined = hr_layout_far(ix->own[j], least, lo);
    } else {
        own = hr_index_span_cost(ix, j, lo, hi);
        joined = gen[0] >= lo && gen[1] <= hi ? own
                                              : hr_index_span_cost(ix, j, gen[0] < lo ? gen[0] : lo,
                                                                   gen[1] > hi ? gen[1] : hi);
    }
    *more = joined - own;
    return joined;
}

static void visit_children(hr_trie *trie, const trie_child *node, size_t depth, uint64_t joined,
                           uint64_t grown);

/* It grows by `step` at least. */
static void try_child(hr_trie *trie, const trie_child *child, size_t depth, uint64_t joined,
                      uint64_t grown, uint32_t step) {
    uint32_t more;
    if (!can_win(trie, &child->least, joined, grown + step)) return;
    joined += join_child(trie, trie->order[depth], child, &more);
    grown += more;
    if (!can_win(trie, &child->least, joined, grown)) return;
    if (depth + 1 == trie->ix->t)
        consider(trie, child, joined, grown);
    else
        visit_children(trie, child, depth + 1, joined, grown);
}

/* A node's child with a value that is a code, or NULL. */
static const trie_child *find_child(hr_trie *trie, uint32_t at, uint32_t code) {
    enum { FEW = 8 };
    const trie_child *list = children_of(trie, at);
    uint32_t count = trie->nodes[at].count;
    trie->work++;
    for (uint32_t i = 0; count <= FEW && i < count; i++)
        if (list[i].lo == code) return &list[i];
    if (count <= FEW) return NULL;
    uint32_t found = hr_map64_find(&trie->map, (uint64_t)at << 32 | code);
    if (found == HR_NONE || trie->nodes[found + 1].place == HR_NONE) return NULL;
    return as_child(trie, found + 1);
}

/* Values that cover the row's are few, and the lowest are the cheapest. Others would grow by a step at least,
 * which they can seldom afford once a cluster is found. */
static void visit_codes(hr_trie *trie, const trie_child *node, size_t depth, uint64_t joined,
                        uint64_t grown) {
    size_t j = trie->order[depth];
    const hr_layout_tree *tree = hr_index_tree(trie->ix, j);
    uint32_t own = trie->ix->gen[trie->ix->offset[j]];
    for (uint32_t code = own;; code = tree->up[code]) {
        const trie_child *child = find_child(trie, node->node, code);
        if (child) try_child(trie, child, depth, joined, grown, 0);
        if (code == 0) break;
    }
    if (!can_win(trie, &node->least, joined, grown + trie->step[j])) return;
    const trie_child *list = children_of(trie, node->node);
    trie->work += trie->nodes[node->node].count;
    for (uint32_t i = 0; i < trie->nodes[node->node].count; i++)
        if (!hr_layout_below(tree, list[i].lo, own))
            try_child(trie, &list[i], depth, joined, grown, trie->step[j]);
}

static void visit_intervals(hr_trie *trie, const trie_child *node, size_t depth, uint64_t joined,
                            uint64_t grown) {
    uint32_t own = trie->ix->gen[trie->ix->offset[trie->order[depth]]];
    const trie_child *list = children_of(trie, node->node);
    trie->work += UINT64_C(2) * trie->nodes[node->node].count;
    for (int covering = 1; covering >= 0; covering--)
        for (uint32_t i = 0; i < trie->nodes[node->node].count; i++)
            if ((list[i].lo <= own && own <= list[i].hi) == covering)
                try_child(trie, &list[i], depth, joined, grown, 0);
}

static void visit_children(hr_trie *trie, const trie_child *node, size_t depth, uint64_t joined,
                           uint64_t grown) {
    if (hr_index_tree(trie->ix, trie->order[depth])->count)
        visit_codes(trie, node, depth, joined, grown);
    else
        visit_intervals(trie, node, depth, joined, grown);
}

uint32_t hr_trie_best(hr_trie *trie) {
    const trie_child root = {.node = 0};
    trie->best = UINT64_MAX;
    trie->best_cluster = UINT32_MAX;
    visit_children(trie, &root, 0, 0, 0);
    return trie->best_cluster;
}

uint64_t hr_trie_work(const hr_trie *trie) {
    return trie->work;
}

/* ---- the whole ---- */

/* Nodes of its tree; numbers count as many. */
static uint32_t value_count(const hr_index *ix, size_t j) {
    uint32_t count = hr_index_tree(ix, j)->count;
    return count ? count : UINT32_MAX;
}

/* Attributes with few values first. */
static void order_attributes(hr_trie *trie) {
    const hr_index *ix = trie->ix;
    for (size_t j = 0; j < ix->t; j++) {
        size_t at = j;
        for (; at > 0 && value_count(ix, trie->order[at - 1]) > value_count(ix, j); at--)
            trie->order[at] = trie->order[at - 1];
        trie->order[at] = j;
    }
}

static uint32_t least_step(const hr_layout_tree *tree) {
    uint32_t least = tree->count > 1 ? UINT32_MAX : 0;
    for (uint32_t node = 1; node < tree->count; node++) { /* 0 is the root */
        uint32_t step = tree->cost[tree->up[node]] - tree->cost[node];
        if (step < least) least = step;
    }
    return least;
}

hr_status hr_trie_init(hr_index *ix, int rule, hr_trie **out, hr_error *err) {
    hr_trie *trie = *out = hr_alloc(1, sizeof *trie, err);
    if (!trie) return HR_ENOMEM;
    trie->ix = ix;
    trie->rule = rule;
    const hr_arena_part parts[] = {
        {&trie->order, ix->t, sizeof *trie->order},
        {&trie->step, ix->t, sizeof *trie->step},
        {&trie->number, ix->t, sizeof *trie->number},
        {&trie->leaf, ix->number, sizeof *trie->leaf},
        {&trie->place, ix->number, sizeof *trie->place},
    };
    HR_TRY(hr_arena_parts(&ix->arena, parts, sizeof parts / sizeof *parts, err));
    order_attributes(trie);
    for (size_t j = 0; j < ix->t; j++)
        trie->step[j] = least_step(hr_index_tree(ix, j));
    HR_TRY(add_node(trie, HR_NONE, 0, err));
    for (uint32_t c = ix->number; c-- > 0;)
        HR_TRY(insert(trie, c, err));
    return HR_OK;
}

void hr_trie_free(hr_trie *trie) {
    if (!trie) return;
    for (size_t j = 0; trie->number && j < trie->ix->t; j++)
        hr_map64_free(&trie->number[j]);
    hr_map64_free(&trie->map);
    free(trie->nodes);
    free(trie->children);
    free(trie);
}
