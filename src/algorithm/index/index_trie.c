/* index_trie.c - the finished clusters by their values, to find the one that a row should join.
 *
 * A level of the trie is an attribute, and the children of a node are the values that clusters
 * have in it, so the cost of joining the row in that attribute is exact, and a cluster that would
 * have to grow too much is skipped at its first value. Attributes with few values come first,
 * numbers last. An interval of numbers takes several levels: its ends are divided by their
 * highest digit first (in base 16, of their ranks), which gives bounds on its cost; the last
 * level is exact. Each child stores the least cost, size and number of the clusters below it,
 * which bound their loss. */
#include "algorithm/index/index_parts.h"

#include <stdlib.h>
#include <string.h>

enum { DIGIT = 4, ALL_BITS = 32 }; /* bits of a digit; of a rank */

/* Minima over some clusters. */
typedef struct {
    uint64_t cost;
    uint64_t base; /* what the rule minimizes, if a row joins that the cluster covers */
    uint32_t size, number;
} summary;

static const summary nothing = {UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX};

/* A child of an inner node, or a cluster of a leaf, which uses `least` only. */
typedef struct {
    summary least;
    uint32_t lo, hi; /* tree: the code, twice; number: the ends, without the lower digits */
    uint32_t node;
} trie_child;

typedef struct {
    uint32_t parent;
    uint32_t place; /* position among the parent's children; HR_NONE: no clusters below the node */
    uint32_t count, room; /* children, and allocated ones */
    size_t first;         /* position of the children; those of a leaf are a heap, smallest first */
    bool numbered;        /* leaf: least.number in the parent's list is up to date */
} trie_node;

typedef struct {
    size_t quasi;
    bool is_tree;
    unsigned shift; /* number: bits of the ends that this level leaves out; 0 in its last level */
    unsigned above; /* number: shift of the attribute's previous level; ALL_BITS in its first */
    uint32_t step;  /* tree: least cost difference between a node and its parent */
} trie_level;

struct hr_trie {
    hr_index *ix;
    int rule; /* HR_DISPERSAL_... */
    hr_arena arena;
    trie_level *levels;
    size_t depth;
    hr_map64 map; /* (parent, key) to node - 1; 0 is the root */
    trie_node *nodes;
    size_t node_room;
    trie_child *children;
    size_t child_count, child_room;
    uint32_t *leaf, *place; /* per cluster: its leaf and its position in the leaf's heap */
    uint64_t best;          /* loss of the best cluster so far */
    uint32_t best_cluster;
};

/* ---- summaries ---- */

static uint64_t base_of(const hr_trie *trie, uint64_t cost, uint32_t size) {
    return trie->rule == HR_DISPERSAL_GROWTH ? cost : (size + UINT64_C(1)) * cost;
}

static void include(summary *least, summary more) {
    if (more.cost < least->cost) least->cost = more.cost;
    if (more.base < least->base) least->base = more.base;
    if (more.size < least->size) least->size = more.size;
    if (more.number < least->number) least->number = more.number;
}

/* Can the minima change if an element that was `last` becomes `now`? */
static bool depends_on(const summary *least, summary last, summary now) {
    return (least->cost == last.cost && now.cost != last.cost) ||
           (least->base == last.base && now.base != last.base) ||
           (least->size == last.size && now.size != last.size) ||
           (least->number == last.number && now.number != last.number);
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

/* Distinguishes the children of one node: a code, or one digit of both ends. */
static uint32_t key_of(const trie_level *level, const uint32_t *code) {
    enum { MASK = (1 << DIGIT) - 1 };
    if (level->is_tree) return code[0];
    return (code[0] >> level->shift & MASK) << DIGIT | (code[1] >> level->shift & MASK);
}

/* The leaf for these codes; made if there is none. */
static hr_status find_leaf(hr_trie *trie, const uint32_t *code, uint32_t *leaf, hr_error *err) {
    *leaf = 0;
    for (size_t depth = 0; depth < trie->depth; depth++) {
        const trie_level *level = &trie->levels[depth];
        uint32_t number, known = trie->map.count;
        uint32_t key = key_of(level, code + trie->ix->format.offset[level->quasi]);
        HR_TRY(hr_map64_intern(&trie->map, (uint64_t)*leaf << 32 | key, &number, err));
        if (number == known) HR_TRY(add_node(trie, *leaf, number + 1, err));
        *leaf = number + 1;
    }
    return HR_OK;
}

/* A full list of children moves to the end, with twice the room. */
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

/* Sets the summary of a node, and recomputes those of its ancestors that depend on it. */
static void update(hr_trie *trie, uint32_t at, summary now) {
    while (at != 0) {
        uint32_t parent = trie->nodes[at].parent;
        summary last = as_child(trie, at)->least;
        as_child(trie, at)->least = now;
        if (trie->nodes[at].count == 0) unlink_node(trie, at);
        if (parent == 0 || !depends_on(&as_child(trie, parent)->least, last, now)) return;
        now = nothing;
        const trie_child *list = children_of(trie, parent);
        for (uint32_t i = 0; i < trie->nodes[parent].count; i++)
            include(&now, list[i].least);
        at = parent;
    }
}

/* ---- clusters of a leaf ---- */

static inline bool is_before(hr_trie *trie, const trie_child *a, const trie_child *b) {
    (void)trie;
    return a->least.size < b->least.size ||
           (a->least.size == b->least.size && a->least.number < b->least.number);
}

static inline void put(hr_trie *trie, trie_child *heap, size_t at, const trie_child *cluster) {
    heap[at] = *cluster;
    trie->place[cluster->least.number] = (uint32_t)at;
}

HR_HEAP(clusters, trie_child, hr_trie *, is_before, put)

/* Place a cluster whose position `at` is free or its old one. */
static void place_cluster(hr_trie *trie, uint32_t leaf, uint32_t at, trie_child cluster) {
    trie_child *heap = children_of(trie, leaf);
    if (at > 0 && is_before(trie, &cluster, &heap[(at - 1) / 2]))
        clusters_up(trie, heap, at, cluster);
    else
        clusters_down(trie, heap, trie->nodes[leaf].count, at, cluster);
}

/* All clusters of a leaf cost the same. The least number is recomputed only when it is needed:
 * renumber_leaf. */
static void update_leaf(hr_trie *trie, uint32_t leaf) {
    summary now = as_child(trie, leaf)->least;
    now.size = children_of(trie, leaf)->least.size;
    now.base = base_of(trie, now.cost, now.size);
    update(trie, leaf, trie->nodes[leaf].count ? now : nothing);
}

static void renumber_leaf(hr_trie *trie, uint32_t leaf) {
    const trie_child *heap = children_of(trie, leaf);
    summary now = as_child(trie, leaf)->least;
    now.number = UINT32_MAX;
    for (uint32_t i = 0; i < trie->nodes[leaf].count; i++)
        if (heap[i].least.number < now.number) now.number = heap[i].least.number;
    trie->nodes[leaf].numbered = true;
    update(trie, leaf, now);
}

static trie_child empty_child(const trie_level *level, const uint32_t *code, uint32_t node) {
    if (level->is_tree) return (trie_child){nothing, code[0], code[0], node};
    return (trie_child){nothing, code[0] >> level->shift, code[1] >> level->shift, node};
}

static hr_status insert(hr_trie *trie, uint32_t cluster, hr_error *err) {
    const hr_index *ix = trie->ix;
    const uint32_t *code = ix->finished.gen + cluster * ix->format.stride;
    uint32_t at, size = ix->finished.size[cluster];
    uint64_t cost = hr_index_cost_of(ix, code);
    trie_child own = {.least = {cost, base_of(trie, cost, size), size, cluster}};
    HR_TRY(find_leaf(trie, code, &at, err));
    HR_TRY(append(trie, at, own, err));
    trie->leaf[cluster] = at;
    place_cluster(trie, at, trie->nodes[at].count - 1, own);
    bool first = trie->nodes[at].place == HR_NONE;
    if (first || cluster < as_child(trie, at)->least.number) trie->nodes[at].numbered = true;
    for (size_t depth = trie->depth; depth-- > 0; at = trie->nodes[at].parent) {
        const trie_level *level = &trie->levels[depth];
        if (trie->nodes[at].place == HR_NONE) {
            uint32_t parent = trie->nodes[at].parent, place = trie->nodes[parent].count;
            trie_child child = empty_child(level, code + ix->format.offset[level->quasi], at);
            HR_TRY(append(trie, parent, child, err));
            trie->nodes[at].place = place;
        }
        include(&as_child(trie, at)->least, own.least);
    }
    return HR_OK;
}

static void take_out(hr_trie *trie, uint32_t cluster) {
    uint32_t at = trie->leaf[cluster], place = trie->place[cluster];
    uint32_t last = --trie->nodes[at].count;
    if (place < last) place_cluster(trie, at, place, children_of(trie, at)[last]);
    if (as_child(trie, at)->least.number == cluster) trie->nodes[at].numbered = false;
    update_leaf(trie, at);
}

hr_status hr_trie_changed(hr_trie *trie, uint32_t cluster, bool grown, hr_error *err) {
    uint32_t at = trie->leaf[cluster], place = trie->place[cluster];
    if (grown) {
        take_out(trie, cluster);
        return insert(trie, cluster, err);
    }
    trie_child own = children_of(trie, at)[place];
    own.least.size = trie->ix->finished.size[cluster];
    place_cluster(trie, at, place, own);
    update_leaf(trie, at);
    return HR_OK;
}

/* ---- the best cluster ---- */

/* Lower bound on the loss that the rule minimizes if the row joins one of the clusters with the
 * minima `least`. For the attributes of the levels so far, `joined` is a lower bound on the cost
 * of the cluster with the row, and `grown` on the cost that the row adds. */
static uint64_t least_loss(const hr_trie *trie, const summary *least, uint64_t joined,
                           uint64_t grown) {
    uint64_t cost = least->cost + grown, size = least->size;
    if (joined > cost) cost = joined;
    if (trie->rule == HR_DISPERSAL_GROWTH) return cost + size * grown;
    uint64_t by_base = least->base + (size + 1) * grown, by_cost = (size + 1) * cost;
    return by_base > by_cost ? by_base : by_cost;
}

static bool can_win(const hr_trie *trie, const summary *least, uint64_t joined, uint64_t grown) {
    uint64_t loss = least_loss(trie, least, joined, grown);
    return loss < trie->best || (loss == trie->best && least->number < trie->best_cluster);
}

/* The best cluster of a leaf is its smallest, except if size makes no difference: then the one with
 * the least number. */
static void consider_leaf(hr_trie *trie, const trie_child *leaf, uint64_t joined, uint64_t grown) {
    bool smallest = grown > 0 || (joined > 0 && trie->rule == HR_DISPERSAL_ABSOLUTE);
    if (!smallest && !trie->nodes[leaf->node].numbered) renumber_leaf(trie, leaf->node);
    uint64_t loss = least_loss(trie, &leaf->least, joined, grown);
    uint32_t cluster = smallest ? children_of(trie, leaf->node)->least.number : leaf->least.number;
    if (loss > trie->best || (loss == trie->best && cluster >= trie->best_cluster)) return;
    trie->best = loss;
    trie->best_cluster = cluster;
}

/* Lower bounds for all intervals of attribute j whose ends, without the last `shift` bits, are
 * these. Costs are rounded to whole units, so the sum of two costs can exceed the cost of the sum
 * by one, and the growth is at least the cost of the gap minus one; minus two, to be safe from
 * the rounding of real numbers. */
static hr_increase join_prefix(const hr_trie *trie, size_t j, unsigned shift, uint32_t lo,
                               uint32_t hi) {
    enum { ROUNDING = 2 };
    uint32_t row = trie->ix->cluster.gen[trie->ix->format.offset[j]];
    uint32_t last = trie->ix->task->data->quasi[j].value_count - 1;
    uint32_t rest = (UINT32_C(1) << shift) - 1;
    uint32_t lo_least = lo << shift, lo_most = lo_least + rest;
    uint32_t hi_least = hi << shift, hi_most = hi_least + rest;
    uint32_t gap = 0;
    if (hi_most > last) hi_most = last;
    if (row < lo_least) gap = hr_index_span_cost(trie->ix, j, row, lo_least);
    if (row > hi_most) gap = hr_index_span_cost(trie->ix, j, hi_most, row);
    uint32_t joined = hr_index_span_cost(trie->ix, j, row < lo_most ? row : lo_most,
                                         row > hi_least ? row : hi_least);
    return (hr_increase){joined, gap > ROUNDING ? gap - ROUNDING : 0};
}

static void visit_children(hr_trie *trie, const trie_child *node, size_t depth, uint64_t joined,
                           uint64_t grown);

static void descend(hr_trie *trie, const trie_child *child, size_t depth, uint64_t joined,
                    uint64_t grown) {
    if (!can_win(trie, &child->least, joined, grown)) return;
    if (depth + 1 == trie->depth)
        consider_leaf(trie, child, joined, grown);
    else
        visit_children(trie, child, depth + 1, joined, grown);
}

/* The child of a node for a code, or NULL. */
static const trie_child *find_child(const hr_trie *trie, uint32_t at, uint32_t code) {
    enum { FEW = 8 };
    const trie_child *list = children_of(trie, at);
    uint32_t count = trie->nodes[at].count;
    for (uint32_t i = 0; count <= FEW && i < count; i++)
        if (list[i].lo == code) return &list[i];
    if (count <= FEW) return NULL;
    uint32_t found = hr_map64_find(&trie->map, (uint64_t)at << 32 | code);
    if (found == HR_NONE || trie->nodes[found + 1].place == HR_NONE) return NULL;
    return as_child(trie, found + 1);
}

static void try_code(hr_trie *trie, const trie_child *child, size_t depth, uint64_t joined,
                     uint64_t grown) {
    hr_increase more = hr_index_join_code(trie->ix, trie->levels[depth].quasi, child->lo);
    descend(trie, child, depth, joined + more.joined, grown + more.grown);
}

/* Codes that cover the row's are looked up, the lowest and cheapest first. Any other code grows
 * by at least one step, which can seldom win once a cluster has been found. */
static void visit_codes(hr_trie *trie, const trie_child *node, size_t depth, uint64_t joined,
                        uint64_t grown) {
    const trie_level *level = &trie->levels[depth];
    const hr_layout_tree *tree = hr_index_hierarchy(trie->ix, level->quasi);
    uint32_t own = trie->ix->cluster.gen[trie->ix->format.offset[level->quasi]];
    for (uint32_t code = own;; code = tree->order.up[code]) {
        const trie_child *child = find_child(trie, node->node, code);
        if (child && can_win(trie, &child->least, joined, grown))
            try_code(trie, child, depth, joined, grown);
        if (code == 0) break;
    }
    if (!can_win(trie, &node->least, joined, grown + level->step)) return;
    const trie_child *list = children_of(trie, node->node);
    for (uint32_t i = 0; i < trie->nodes[node->node].count; i++)
        if (!hr_preorder_below(&tree->order, list[i].lo, own) &&
            can_win(trie, &list[i].least, joined, grown + level->step))
            try_code(trie, &list[i], depth, joined, grown);
}

static void try_interval(hr_trie *trie, const trie_child *child, size_t depth, uint64_t joined,
                         uint64_t grown) {
    const trie_level *level = &trie->levels[depth];
    if (!can_win(trie, &child->least, joined, grown)) return;
    hr_increase more = level->shift
                           ? join_prefix(trie, level->quasi, level->shift, child->lo, child->hi)
                           : hr_index_join_interval(trie->ix, level->quasi, child->lo, child->hi);
    descend(trie, child, depth, joined + more.joined, grown + more.grown);
}

/* Intervals that may cover the row's number come first. What the attribute's previous level added
 * to `joined` and `grown` is replaced by what each child adds. */
static void visit_intervals(hr_trie *trie, const trie_child *node, size_t depth, uint64_t joined,
                            uint64_t grown) {
    const trie_level *level = &trie->levels[depth];
    uint32_t own = trie->ix->cluster.gen[trie->ix->format.offset[level->quasi]] >> level->shift;
    const trie_child *list = children_of(trie, node->node);
    uint32_t count = trie->nodes[node->node].count;
    if (level->above != ALL_BITS && count > 0) {
        unsigned digit = level->above - level->shift;
        hr_increase last =
            join_prefix(trie, level->quasi, level->above, list[0].lo >> digit, list[0].hi >> digit);
        joined -= last.joined;
        grown -= last.grown;
    }
    for (int covering = 1; covering >= 0; covering--)
        for (uint32_t i = 0; i < count; i++)
            if ((list[i].lo <= own && own <= list[i].hi) == covering)
                try_interval(trie, &list[i], depth, joined, grown);
}

static void visit_children(hr_trie *trie, const trie_child *node, size_t depth, uint64_t joined,
                           uint64_t grown) {
    if (trie->levels[depth].is_tree)
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

/* ---- building ---- */

/* Bits of the ranks of a number. */
static unsigned rank_bits(const hr_index *ix, size_t j) {
    uint32_t values = ix->task->data->quasi[j].value_count;
    unsigned bits = 1;
    while (bits < ALL_BITS && values > 0 && (values - 1) >> bits)
        bits++;
    return bits;
}

/* Levels of an attribute: one for a tree, one per digit for a number. */
static unsigned levels_of(const hr_index *ix, size_t j) {
    return hr_index_hierarchy(ix, j)->order.count ? 1 : (rank_bits(ix, j) + DIGIT - 1) / DIGIT;
}

size_t hr_trie_depth(const hr_index *ix) {
    size_t depth = 0;
    for (size_t j = 0; j < ix->t; j++)
        depth += levels_of(ix, j);
    return depth;
}

static uint32_t least_step(const hr_layout_tree *tree) {
    uint32_t least = tree->order.count > 1 ? UINT32_MAX : 0;
    for (uint32_t node = 1; node < tree->order.count; node++) { /* 0 is the root */
        uint32_t step = tree->cost[tree->order.up[node]] - tree->cost[node];
        if (step < least) least = step;
    }
    return least;
}

/* Number of codes of an attribute; numbers count as many. */
static uint32_t code_count(const hr_index *ix, size_t j) {
    uint32_t count = hr_index_hierarchy(ix, j)->order.count;
    return count ? count : UINT32_MAX;
}

/* Attributes with few codes first, in `order`. */
static void order_attributes(const hr_index *ix, size_t *order) {
    for (size_t j = 0; j < ix->t; j++) {
        size_t at = j;
        for (; at > 0 && code_count(ix, order[at - 1]) > code_count(ix, j); at--)
            order[at] = order[at - 1];
        order[at] = j;
    }
}

/* The nth level of a number; its first digits come first. */
static trie_level number_level(const hr_index *ix, size_t j, unsigned nth) {
    unsigned bits = rank_bits(ix, j), done = nth * DIGIT;
    return (trie_level){.quasi = j,
                        .shift = bits > done + DIGIT ? bits - done - DIGIT : 0,
                        .above = nth > 0 ? bits - done : ALL_BITS};
}

/* Trees, then the first digit of every number, the second of every number, ...: bounds that include
 * all numbers soon exclude most clusters. */
static void list_levels(hr_trie *trie, const size_t *order) {
    const hr_index *ix = trie->ix;
    size_t all = hr_trie_depth(ix);
    for (size_t i = 0; i < ix->t; i++) {
        const hr_layout_tree *tree = hr_index_hierarchy(ix, order[i]);
        if (tree->order.count)
            trie->levels[trie->depth++] =
                (trie_level){.quasi = order[i], .is_tree = true, .step = least_step(tree)};
    }
    for (unsigned nth = 0; trie->depth < all; nth++)
        for (size_t j = 0; j < ix->t; j++)
            if (!hr_index_hierarchy(ix, j)->order.count && nth < levels_of(ix, j))
                trie->levels[trie->depth++] = number_level(ix, j, nth);
}

hr_status hr_trie_init(hr_index *ix, int rule, hr_trie **out, hr_error *err) {
    hr_trie *trie = *out = hr_alloc(1, sizeof *trie, err);
    size_t count = ix->out->count, *order;
    if (!trie) return HR_ENOMEM;
    trie->ix = ix;
    trie->rule = rule;
    const hr_arena_part parts[] = {
        {&order, ix->t, sizeof *order},
        {&trie->levels, hr_trie_depth(ix), sizeof *trie->levels},
        {&trie->leaf, count, sizeof *trie->leaf},
        {&trie->place, count, sizeof *trie->place},
    };
    HR_TRY(hr_arena_parts(&trie->arena, parts, sizeof parts / sizeof *parts, err));
    order_attributes(ix, order);
    list_levels(trie, order);
    HR_TRY(add_node(trie, HR_NONE, 0, err));
    for (uint32_t c = (uint32_t)count; c-- > 0;)
        HR_TRY(insert(trie, c, err));
    return HR_OK;
}

void hr_trie_free(hr_trie *trie) {
    if (!trie) return;
    hr_map64_free(&trie->map);
    free(trie->nodes);
    free(trie->children);
    hr_arena_free(&trie->arena);
    free(trie);
}
