/* index_pairs.c - which types the live rows below a node have. In a combination with several
 * types, the combination and one of its types form a pair, whose items are consecutive in
 * pair_item. A node stores the set of types with live items for each child that can have several
 * types. When the items of a type run out, its bit is cleared from the leaf upward until another
 * child still has it. */
#include "algorithm/index/index_parts.h"

#include <stdlib.h>

/* ---- building ---- */

/* Sorts the items by combination, type and row; they come sorted by combination and row. `type` has
 * the type of each item. */
static void sort_items(hr_index *ix, const uint32_t *type, uint32_t *spare) {
    uint32_t *sorted = ix->rows.pair_item;
    for (uint32_t i = 0; i < ix->task->row_count; i++)
        sorted[i] = i;
    for (uint32_t c = 0; c < ix->rows.combination_count; c++) {
        const hr_index_combination *own = &ix->rows.combinations[c];
        hr_sort_by_key(type, ix->types.count, sorted + own->start, spare, own->left);
    }
}

static hr_status list_items(hr_index *ix, hr_error *err) {
    uint32_t n = ix->task->row_count;
    uint32_t *type = hr_alloc_raw((size_t)n * 2, sizeof *type, err);
    ix->rows.pair_item = hr_arena_alloc(&ix->arena, n, sizeof *ix->rows.pair_item, err);
    bool allocated = type && ix->rows.pair_item;
    for (uint32_t i = 0; allocated && i < n; i++)
        type[i] = ix->rows.items[i].type;
    if (allocated) sort_items(ix, type, type + n);
    free(type);
    return allocated ? HR_OK : HR_ENOMEM;
}

static bool is_of_one_type(const hr_index *ix, const hr_index_combination *own) {
    const uint32_t *item = ix->rows.pair_item + own->start;
    return ix->rows.items[item[0]].type == ix->rows.items[item[own->left - 1]].type;
}

/* Number the pairs of all combinations; returns their count. */
static uint32_t number_pairs(hr_index *ix) {
    uint32_t pairs = 0;
    for (uint32_t c = 0; c < ix->rows.combination_count; c++) {
        hr_index_combination *own = &ix->rows.combinations[c];
        own->pairs = is_of_one_type(ix, own) ? HR_NONE : pairs;
        uint32_t last = HR_NONE;
        for (uint32_t i = 0; own->pairs != HR_NONE && i < own->left; i++) {
            hr_index_item *item = &ix->rows.items[ix->rows.pair_item[own->start + i]];
            own->live_pairs += item->type != last;
            last = item->type;
            item->pair = own->pairs + own->live_pairs - 1;
        }
        pairs += own->live_pairs;
    }
    return pairs;
}

static hr_status list_pairs(hr_index *ix, hr_error *err) {
    ix->rows.pairs = hr_arena_alloc(&ix->arena, number_pairs(ix), sizeof *ix->rows.pairs, err);
    if (!ix->rows.pairs) return HR_ENOMEM;
    for (uint32_t i = ix->task->row_count; i-- > 0;) {
        const hr_index_item *item = &ix->rows.items[ix->rows.pair_item[i]];
        if (ix->rows.combinations[item->combination].pairs == HR_NONE) continue;
        hr_index_pair *own = &ix->rows.pairs[item->pair];
        *own = (hr_index_pair){item->type, i, i, own->left + 1, item->pair, item->pair};
    }
    return HR_OK;
}

hr_status hr_pairs_init(hr_index *ix, hr_error *err) {
    HR_TRY(list_items(ix, err));
    return list_pairs(ix, err);
}

/* ---- sets of types ---- */

/* The word with this bit in a child's set of types; NULL if the child has one type only. */
static uint64_t *word_of(const hr_index_node *node, hr_index_group group, uint32_t child,
                         uint32_t bit) {
    uint32_t type = group.type[child - node->child];
    if (type < HR_INDEX_SEVERAL) return NULL;
    return &group.bits[bit / 64 * node->several + (type - HR_INDEX_SEVERAL)];
}

/* Is the bit set for any live child? */
static bool child_has(const hr_index_node *node, hr_index_group group, uint32_t bit) {
    const uint64_t *word = group.bits + (size_t)(bit / 64) * node->several;
    uint64_t any = 0;
    for (uint32_t i = 0; i < node->several; i++)
        any |= word[i];
    if (any >> bit % 64 & 1) return true;
    for (uint32_t left = node->live; left; left &= left - 1)
        if (group.type[__builtin_ctz(left)] == bit) return true;
    return false;
}

/* A leaf has no live row of this bit any more: clear the bit from the leaf upward, until a node has
 * another child with it. */
static void clear_bit(hr_index *ix, uint32_t node, uint32_t bit) {
    while (node != 0) {
        uint32_t child = node;
        node = ix->tree.parent[child];
        const hr_index_node *n = &ix->tree.nodes[node];
        hr_index_group group = hr_index_group_of(ix, n);
        uint64_t *word = word_of(n, group, child, bit);
        if (word) *word &= ~(UINT64_C(1) << bit % 64);
        if (child_has(n, group, bit)) return;
    }
}

static void raise_bit(hr_index *ix, uint32_t node, uint32_t bit) {
    for (; node != 0; node = ix->tree.parent[node]) {
        const hr_index_node *n = &ix->tree.nodes[ix->tree.parent[node]];
        uint64_t *word = word_of(n, hr_index_group_of(ix, n), node, bit);
        if (word) *word |= UINT64_C(1) << bit % 64;
    }
}

/* ---- live pairs ---- */

/* Swaps a pair with the one at position `at` of its combination's list. */
static void move_pair(hr_index *ix, uint32_t pair, uint32_t at) {
    uint32_t from = ix->rows.pairs[pair].at, other = ix->rows.pairs[at].listed;
    ix->rows.pairs[at].listed = pair;
    ix->rows.pairs[pair].at = at;
    ix->rows.pairs[from].listed = other;
    ix->rows.pairs[other].at = from;
}

static bool has_bit(const hr_index *ix, uint32_t combination, uint32_t bit) {
    const hr_index_pair *list = ix->rows.pairs + ix->rows.combinations[combination].pairs;
    for (uint32_t i = 0; i < ix->rows.combinations[combination].live_pairs; i++)
        if (ix->types.bit[ix->rows.pairs[list[i].listed].type] == bit) return true;
    return false;
}

void hr_pairs_taken(hr_index *ix, uint32_t item) {
    uint32_t pair = ix->rows.items[item].pair, c = ix->rows.items[item].combination;
    uint32_t bit = ix->types.bit[ix->rows.items[item].type];
    hr_index_combination *own = &ix->rows.combinations[c];
    if (own->pairs == HR_NONE) {
        if (own->left == 0) clear_bit(ix, own->leaf, bit);
        return;
    }
    if (--ix->rows.pairs[pair].left > 0) return;
    move_pair(ix, pair, own->pairs + --own->live_pairs);
    if (ix->types.sets.exact || !has_bit(ix, c, bit)) clear_bit(ix, own->leaf, bit);
}

void hr_pairs_returned(hr_index *ix, uint32_t item) {
    uint32_t pair = ix->rows.items[item].pair, c = ix->rows.items[item].combination;
    uint32_t bit = ix->types.bit[ix->rows.items[item].type];
    hr_index_combination *own = &ix->rows.combinations[c];
    if (own->pairs != HR_NONE) {
        hr_index_pair *returned = &ix->rows.pairs[pair];
        returned->head = hr_find_sorted(ix->rows.pair_item, returned->first, returned->head, item);
        if (ix->rows.pairs[pair].left++ > 0) return;
        move_pair(ix, pair, own->pairs + own->live_pairs++);
    }
    raise_bit(ix, own->leaf, bit);
}

static bool fits(const hr_index *ix, uint32_t type, const hr_index_wish *wish) {
    uint32_t bit = ix->types.bit[type];
    if (!(wish->bits[bit / 64] >> bit % 64 & 1)) return false;
    return wish->exact || wish->fits(ix, type, wish->payload);
}

uint32_t hr_pairs_lowest(hr_index *ix, uint32_t combination, const hr_index_wish *wish) {
    uint32_t first = hr_index_first_live(ix, combination), lowest = HR_NONE;
    if (first == HR_NONE || fits(ix, ix->rows.items[first].type, wish)) return first;
    if (ix->rows.combinations[combination].pairs == HR_NONE) return HR_NONE;
    const hr_index_pair *list = ix->rows.pairs + ix->rows.combinations[combination].pairs;
    for (uint32_t i = 0; i < ix->rows.combinations[combination].live_pairs; i++) {
        uint32_t p = list[i].listed, *head = &ix->rows.pairs[p].head;
        while (ix->rows.taken[ix->rows.pair_item[*head]])
            ++*head;
        uint32_t item = ix->rows.pair_item[*head];
        if (item < lowest && fits(ix, ix->rows.pairs[p].type, wish)) lowest = item;
    }
    return lowest;
}
