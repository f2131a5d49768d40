/* index_trie.c - finished clusters by their values: the cluster that a left over row joins at least growth
 * of loss. Where p is hard to reach most rows are left over, and clusters are wide: their values say little
 * in a tree by rank. Here a node's children are the values that clusters have of one attribute, so what the
 * row costs there is exact, and a cluster that would have to grow for it is passed over as soon as its first
 * value says so. The fewer values an attribute has, the sooner it comes. Only for trees of values. */
#include "algorithm/index.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t code, parent;
    uint32_t child;       /* the first; of a leaf: its first cluster. HR_NONE: none */
    uint32_t next, prev;  /* siblings */
    uint32_t size, index; /* of clusters below: not less, each */
    uint64_t cost;        /* of the cheapest below; UINT64_MAX: there is none */
    uint32_t smallest;    /* of a leaf: the lowest cluster of that size; HR_NONE: not known */
    bool indexed;         /* of a leaf: a cluster has that index */
} trie_node;

struct hr_trie {
    hr_index *ix;
    size_t *order;  /* attributes */
    uint32_t *step; /* of each: what a value costs less than the next above it, at least */
    hr_map64 map;   /* nodes but the root by parent and code */
    trie_node *nodes;
    size_t room;
    uint32_t *leaf, *next, *prev; /* of each cluster */
    uint64_t best;                /* of the row at hand, which is the index's cluster at hand */
    uint32_t best_cluster;
};

/* ---- nodes ---- */

static hr_status add_node(hr_trie *trie, uint32_t parent, uint32_t code, uint32_t at,
                          hr_error *err) {
    HR_TRY(hr_grow(&trie->nodes, &trie->room, (size_t)at + 1, sizeof *trie->nodes, err));
    trie->nodes[at] = (trie_node){.code = code,
                                  .parent = parent,
                                  .child = HR_NONE,
                                  .size = UINT32_MAX,
                                  .index = UINT32_MAX,
                                  .smallest = HR_NONE,
                                  .cost = UINT64_MAX};
    return HR_OK;
}

/* The leaf of such codes. */
static hr_status find_leaf(hr_trie *trie, const uint32_t *code, uint32_t *leaf, hr_error *err) {
    *leaf = 0;
    for (size_t j = 0; j < trie->ix->t; j++) {
        uint32_t own = code[trie->order[j]], number, known = trie->map.count;
        HR_TRY(hr_map64_intern(&trie->map, (uint64_t)*leaf << 32 | own, &number, err));
        if (number == known) HR_TRY(add_node(trie, *leaf, own, number + 1, err));
        *leaf = number + 1;
    }
    return HR_OK;
}

static void link_node(hr_trie *trie, uint32_t at) {
    trie_node *node = &trie->nodes[at], *parent = &trie->nodes[node->parent];
    node->prev = HR_NONE;
    node->next = parent->child;
    if (node->next != HR_NONE) trie->nodes[node->next].prev = at;
    parent->child = at;
}

static void unlink_node(hr_trie *trie, uint32_t at) {
    const trie_node *node = &trie->nodes[at];
    if (node->prev == HR_NONE)
        trie->nodes[node->parent].child = node->next;
    else
        trie->nodes[node->prev].next = node->next;
    if (node->next != HR_NONE) trie->nodes[node->next].prev = node->prev;
}

/* From the children; has anything changed? */
static bool sum_up(hr_trie *trie, uint32_t at) {
    trie_node *node = &trie->nodes[at];
    uint64_t cost = UINT64_MAX;
    uint32_t size = UINT32_MAX, index = UINT32_MAX;
    for (uint32_t c = node->child; c != HR_NONE; c = trie->nodes[c].next) {
        const trie_node *child = &trie->nodes[c];
        if (child->cost < cost) cost = child->cost;
        if (child->size < size) size = child->size;
        if (child->index < index) index = child->index;
    }
    bool changed = cost != node->cost || size != node->size || index != node->index;
    node->cost = cost;
    node->size = size;
    node->index = index;
    return changed;
}

/* A node has changed: so may those above it. */
static void sum_up_above(hr_trie *trie, uint32_t at) {
    while (at != 0) {
        if (trie->nodes[at].cost == UINT64_MAX) unlink_node(trie, at);
        at = trie->nodes[at].parent;
        if (!sum_up(trie, at)) return;
    }
}

/* ---- clusters ---- */

static hr_status insert(hr_trie *trie, uint32_t cluster, hr_error *err) {
    const hr_index *ix = trie->ix;
    const uint32_t *code = ix->cluster_gen + cluster * ix->stride;
    uint32_t at, size = ix->cluster_size[cluster];
    HR_TRY(find_leaf(trie, code, &at, err));
    uint64_t cost = hr_index_cost_of(ix, code);
    trie_node *leaf = &trie->nodes[at];
    trie->leaf[cluster] = at;
    trie->prev[cluster] = HR_NONE;
    trie->next[cluster] = leaf->child;
    if (leaf->child != HR_NONE) trie->prev[leaf->child] = cluster;
    leaf->child = cluster;
    if (size < leaf->size || (size == leaf->size && cluster < leaf->smallest))
        leaf->smallest = cluster;
    if (cluster < leaf->index) leaf->indexed = true;
    for (;; at = trie->nodes[at].parent) {
        trie_node *node = &trie->nodes[at];
        if (node->cost == UINT64_MAX && at != 0) link_node(trie, at);
        if (cost < node->cost) node->cost = cost;
        if (size < node->size) node->size = size;
        if (cluster < node->index) node->index = cluster;
        if (at == 0) return HR_OK;
    }
}

/* A cluster of a leaf is not what it was. */
static void forget(trie_node *leaf, uint32_t cluster, bool gone) {
    if (leaf->smallest == cluster) leaf->smallest = HR_NONE;
    if (gone && leaf->index == cluster) leaf->indexed = false;
}

static void take_out(hr_trie *trie, uint32_t cluster) {
    uint32_t at = trie->leaf[cluster], next = trie->next[cluster], prev = trie->prev[cluster];
    trie_node *leaf = &trie->nodes[at];
    if (prev == HR_NONE)
        leaf->child = next;
    else
        trie->next[prev] = next;
    if (next != HR_NONE) trie->prev[next] = prev;
    forget(leaf, cluster, true);
    if (leaf->child != HR_NONE) return;
    leaf->cost = UINT64_MAX;
    leaf->size = leaf->index = UINT32_MAX;
    sum_up_above(trie, at);
}

/* What a leaf says of its clusters may be less than true: set it right. */
static void survey(hr_trie *trie, uint32_t at) {
    trie_node *leaf = &trie->nodes[at];
    const uint32_t *sizes = trie->ix->cluster_size;
    uint32_t smallest = leaf->child, index = leaf->child;
    for (uint32_t c = leaf->child; c != HR_NONE; c = trie->next[c]) {
        if (c < index) index = c;
        if (sizes[c] < sizes[smallest] || (sizes[c] == sizes[smallest] && c < smallest))
            smallest = c;
    }
    leaf->smallest = smallest;
    leaf->size = sizes[smallest];
    leaf->index = index;
    leaf->indexed = true;
    sum_up_above(trie, at);
}

hr_status hr_trie_changed(hr_trie *trie, uint32_t cluster, bool grown, hr_error *err) {
    if (!grown) {
        forget(&trie->nodes[trie->leaf[cluster]], cluster, false);
        return HR_OK;
    }
    take_out(trie, cluster);
    return insert(trie, cluster, err);
}

/* ---- the best cluster ---- */

/* What the row and the cluster lose more, at least, if so much is known of what they cost together and of
 * what that is above the cluster's own cost. */
static uint64_t least_loss(const trie_node *node, uint64_t joined, uint64_t grown) {
    uint64_t cost = node->cost + grown;
    return (cost > joined ? cost : joined) + node->size * grown;
}

static bool can_win(const hr_trie *trie, const trie_node *node, uint64_t loss) {
    return loss < trie->best || (loss == trie->best && node->index < trie->best_cluster);
}

/* All clusters of a leaf cost the same; one that grows should be small. */
static void consider(hr_trie *trie, uint32_t at, uint64_t joined, uint64_t grown) {
    const trie_node *leaf = &trie->nodes[at];
    if (grown > 0 ? leaf->smallest == HR_NONE : !leaf->indexed) survey(trie, at);
    uint64_t loss = least_loss(leaf, joined, grown);
    uint32_t cluster = grown > 0 ? leaf->smallest : leaf->index;
    if (loss > trie->best || (loss == trie->best && cluster >= trie->best_cluster)) return;
    trie->best = loss;
    trie->best_cluster = cluster;
}

static void visit(hr_trie *trie, uint32_t at, size_t depth, uint64_t joined, uint64_t grown);

/* Of one attribute, what a child's value costs together with the row's, and how much more that is. */
static uint32_t join_child(const hr_trie *trie, size_t j, const trie_node *child, uint32_t *more) {
    const hr_index *ix = trie->ix;
    const uint32_t *near = ix->near[j];
    uint32_t code = child->code;
    uint32_t least = near ? near[code] : hr_layout_near(hr_index_tree(ix, j), ix->gen[j], code);
    uint32_t joined = hr_layout_far(ix->own[j], least, code);
    *more = joined - ix->own[j][code];
    return joined;
}

static void try_child(hr_trie *trie, uint32_t c, size_t depth, uint64_t joined, uint64_t grown) {
    const trie_node *child = &trie->nodes[c];
    uint32_t more;
    joined += join_child(trie, trie->order[depth], child, &more);
    grown += more;
    if (can_win(trie, child, least_loss(child, joined, grown)))
        visit(trie, c, depth + 1, joined, grown);
}

/* Values that cover the row's are few: they are looked up. Others would grow by a step at least, which they
 * can seldom afford once a cluster is found. */
static void visit_children(hr_trie *trie, uint32_t at, size_t depth, uint64_t joined,
                           uint64_t grown) {
    const hr_index *ix = trie->ix;
    size_t j = trie->order[depth];
    const hr_layout_tree *tree = hr_index_tree(ix, j);
    for (uint32_t code = ix->gen[j];; code = tree->up[code]) {
        uint32_t number = hr_map64_find(&trie->map, (uint64_t)at << 32 | code);
        if (number != HR_NONE && trie->nodes[number + 1].cost != UINT64_MAX)
            try_child(trie, number + 1, depth, joined, grown);
        if (code == 0) break;
    }
    const trie_node *node = &trie->nodes[at];
    if (!can_win(trie, node, least_loss(node, joined, grown + trie->step[j]))) return;
    for (uint32_t c = node->child, next; c != HR_NONE; c = next) {
        next = trie->nodes[c].next;
        if (!hr_layout_below(tree, trie->nodes[c].code, ix->gen[j]))
            try_child(trie, c, depth, joined, grown);
    }
}

static void visit(hr_trie *trie, uint32_t at, size_t depth, uint64_t joined, uint64_t grown) {
    if (depth == trie->ix->t)
        consider(trie, at, joined, grown);
    else
        visit_children(trie, at, depth, joined, grown);
}

uint32_t hr_trie_best(hr_trie *trie) {
    trie->best = UINT64_MAX;
    trie->best_cluster = UINT32_MAX;
    visit(trie, 0, 0, 0, 0);
    return trie->best_cluster;
}

/* ---- the whole ---- */

/* Attributes with few values first. */
static void order_attributes(hr_trie *trie) {
    const hr_index *ix = trie->ix;
    for (size_t j = 0; j < ix->t; j++) {
        size_t at = j;
        for (;
             at > 0 && hr_index_tree(ix, trie->order[at - 1])->count > hr_index_tree(ix, j)->count;
             at--)
            trie->order[at] = trie->order[at - 1];
        trie->order[at] = j;
    }
}

static uint32_t least_step(const hr_layout_tree *tree) {
    uint32_t least = UINT32_MAX;
    for (uint32_t node = 1; node < tree->count; node++) { /* 0 is the root */
        uint32_t step = tree->cost[tree->up[node]] - tree->cost[node];
        if (step < least) least = step;
    }
    return least;
}

hr_status hr_trie_init(hr_index *ix, hr_trie **out, hr_error *err) {
    hr_trie *trie = *out = hr_alloc(1, sizeof *trie, err);
    if (!trie) return HR_ENOMEM;
    trie->ix = ix;
    const hr_arena_part parts[] = {
        {&trie->order, ix->t, sizeof *trie->order},
        {&trie->step, ix->t, sizeof *trie->step},
        {&trie->leaf, ix->number, sizeof *trie->leaf},
        {&trie->next, ix->number, sizeof *trie->next},
        {&trie->prev, ix->number, sizeof *trie->prev},
    };
    HR_TRY(hr_arena_parts(&ix->arena, parts, sizeof parts / sizeof *parts, err));
    order_attributes(trie);
    for (size_t j = 0; j < ix->t; j++)
        trie->step[j] = least_step(hr_index_tree(ix, j));
    HR_TRY(add_node(trie, HR_NONE, 0, 0, err));
    for (uint32_t c = ix->number; c-- > 0;)
        HR_TRY(insert(trie, c, err));
    return HR_OK;
}

void hr_trie_free(hr_trie *trie) {
    if (!trie) return;
    hr_map64_free(&trie->map);
    free(trie->nodes);
    free(trie);
}
