/* index_pairs.c - which types the rows below a node have. A combination and a type make a pair,
 * whose items stand together; a node's bits are those of the pairs below it that have live items.
 * Bits are cleared upward as pairs run out, up to where a sibling still has them. */
#include "algorithm/index.h"

#include <stdlib.h>

enum { FEW = 16 }; /* items that are sorted by inserting */

/* By type; stable. */
static void insert_sort(uint64_t *typed, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint64_t own = typed[i];
        uint32_t at = i;
        for (; at > 0 && typed[at - 1] >> 32 > own >> 32; at--)
            typed[at] = typed[at - 1];
        typed[at] = own;
    }
}

/* Likewise, a byte of the type at a time. Where the result is. */
static uint64_t *digit_sort(uint64_t *typed, uint64_t *spare, uint32_t count, uint32_t type_count) {
    for (unsigned shift = 32; type_count > 1; shift += 8, type_count = (type_count + 255) / 256) {
        uint32_t place[257] = {0};
        for (uint32_t i = 0; i < count; i++)
            place[(typed[i] >> shift & 255) + 1]++;
        for (uint32_t d = 0; d < 256; d++)
            place[d + 1] += place[d];
        for (uint32_t i = 0; i < count; i++)
            spare[place[typed[i] >> shift & 255]++] = typed[i];
        uint64_t *swap = typed;
        typed = spare;
        spare = swap;
    }
    return typed;
}

/* Items by combination, then type, then row: within a combination they come in the order of rows. */
static hr_status sort_items(hr_index *ix, hr_error *err) {
    uint32_t most = 0;
    for (uint32_t c = 0; c < ix->combination_count; c++)
        if (ix->combinations[c].left > most) most = ix->combinations[c].left;
    uint64_t *room = hr_alloc_raw((size_t)most * 2, sizeof *room, err);
    ix->pair_item = hr_arena_alloc(&ix->arena, ix->task->row_count, sizeof *ix->pair_item, err);
    if (!room || !ix->pair_item) {
        free(room);
        return HR_ENOMEM;
    }
    for (uint32_t c = 0; c < ix->combination_count; c++) {
        uint32_t start = ix->combinations[c].start, count = ix->combinations[c].left;
        uint64_t *typed = room;
        for (uint32_t i = 0; i < count; i++)
            typed[i] = (uint64_t)ix->items[start + i].type << 32 | (start + i);
        if (count > FEW)
            typed = digit_sort(typed, room + most, count, ix->types.count);
        else
            insert_sort(typed, count);
        for (uint32_t i = 0; i < count; i++)
            ix->pair_item[start + i] = (uint32_t)typed[i];
    }
    free(room);
    return HR_OK;
}

/* Number the pairs; how many there are. */
static uint32_t number_pairs(hr_index *ix) {
    uint32_t pairs = 0;
    const hr_index_item *last = NULL;
    for (uint32_t i = 0; i < ix->task->row_count; i++) {
        hr_index_item *own = &ix->items[ix->pair_item[i]];
        pairs += !last || own->combination != last->combination || own->type != last->type;
        own->pair = pairs - 1;
        last = own;
    }
    return pairs;
}

static hr_status list_pairs(hr_index *ix, hr_error *err) {
    uint32_t pairs = number_pairs(ix);
    ix->pairs = hr_arena_alloc(&ix->arena, pairs, sizeof *ix->pairs, err);
    if (!ix->pairs) return HR_ENOMEM;
    for (uint32_t i = ix->task->row_count; i-- > 0;) {
        const hr_index_item *item = &ix->items[ix->pair_item[i]];
        hr_index_combination *combination = &ix->combinations[item->combination];
        hr_index_pair *own = &ix->pairs[item->pair];
        combination->live_pairs += own->left == 0;
        combination->pairs = item->pair;
        *own = (hr_index_pair){item->type, i, i, own->left + 1, item->pair, item->pair};
    }
    ix->combinations[ix->combination_count].pairs = pairs;
    return HR_OK;
}

static void set_bits(hr_index *ix) {
    size_t words = ix->types.words;
    for (uint32_t c = 0; c < ix->combination_count; c++)
        for (uint32_t p = ix->combinations[c].pairs; p < ix->combinations[c + 1].pairs; p++) {
            uint32_t bit = ix->types.bit[ix->pairs[p].type];
            ix->bits[ix->combinations[c].leaf * words + bit / 64] |= UINT64_C(1) << bit % 64;
        }
    for (uint32_t node = ix->node_count; node-- > 1;)
        for (size_t w = 0; w < words; w++)
            ix->bits[ix->parent[node] * words + w] |= ix->bits[node * words + w];
}

hr_status hr_pairs_init(hr_index *ix, hr_error *err) {
    HR_TRY(sort_items(ix, err));
    HR_TRY(list_pairs(ix, err));
    ix->bits = hr_arena_alloc(&ix->arena, ix->node_count * ix->types.words, sizeof *ix->bits, err);
    if (!ix->bits) return HR_ENOMEM;
    set_bits(ix);
    return HR_OK;
}

/* The leaf has no live row of the bit any more: clear it upward, until a sibling has it. */
static void clear_bit(hr_index *ix, uint32_t node, uint32_t bit) {
    size_t words = ix->types.words, word = bit / 64;
    uint64_t mask = UINT64_C(1) << bit % 64;
    ix->bits[node * words + word] &= ~mask;
    while (node != 0) {
        node = ix->parent[node];
        const hr_index_node *n = &ix->nodes[node];
        for (uint32_t child = n->child; child < n->child + n->child_count; child++)
            if (ix->bits[child * words + word] & mask) return;
        ix->bits[node * words + word] &= ~mask;
    }
}

/* Move a pair to place `at` of its combination's list. */
static void move_pair(hr_index *ix, uint32_t pair, uint32_t at) {
    uint32_t from = ix->pairs[pair].at, other = ix->pairs[at].listed;
    ix->pairs[at].listed = pair;
    ix->pairs[pair].at = at;
    ix->pairs[from].listed = other;
    ix->pairs[other].at = from;
}

static bool has_bit(const hr_index *ix, uint32_t combination, uint32_t bit) {
    const hr_index_pair *list = ix->pairs + ix->combinations[combination].pairs;
    for (uint32_t i = 0; i < ix->combinations[combination].live_pairs; i++)
        if (ix->types.bit[ix->pairs[list[i].listed].type] == bit) return true;
    return false;
}

void hr_pairs_taken(hr_index *ix, uint32_t item) {
    uint32_t pair = ix->items[item].pair, c = ix->items[item].combination;
    if (--ix->pairs[pair].left > 0) return;
    uint32_t bit = ix->types.bit[ix->pairs[pair].type];
    move_pair(ix, pair, ix->combinations[c].pairs + --ix->combinations[c].live_pairs);
    if (ix->types.exact || !has_bit(ix, c, bit)) clear_bit(ix, ix->combinations[c].leaf, bit);
}

void hr_pairs_returned(hr_index *ix, uint32_t item) {
    uint32_t pair = ix->items[item].pair, c = ix->items[item].combination;
    uint32_t bit = ix->types.bit[ix->pairs[pair].type];
    size_t words = ix->types.words;
    ix->pairs[pair].head = ix->pairs[pair].first;
    if (ix->pairs[pair].left++ > 0) return;
    move_pair(ix, pair, ix->combinations[c].pairs + ix->combinations[c].live_pairs++);
    for (uint32_t node = ix->combinations[c].leaf;; node = ix->parent[node]) {
        ix->bits[node * words + bit / 64] |= UINT64_C(1) << bit % 64;
        if (node == 0) return;
    }
}

static bool fits(const hr_index *ix, uint32_t type, const hr_index_wish *wish) {
    uint32_t bit = ix->types.bit[type];
    if (!(wish->bits[bit / 64] >> bit % 64 & 1)) return false;
    return wish->exact || wish->fits(ix, type, wish->payload);
}

uint32_t hr_pairs_lowest(hr_index *ix, uint32_t combination, const hr_index_wish *wish) {
    const hr_index_pair *list = ix->pairs + ix->combinations[combination].pairs;
    uint32_t first = hr_index_first_live(ix, combination), lowest = HR_NONE;
    if (first == HR_NONE || fits(ix, ix->items[first].type, wish)) return first;
    for (uint32_t i = 0; i < ix->combinations[combination].live_pairs; i++) {
        uint32_t p = list[i].listed, *head = &ix->pairs[p].head;
        while (ix->taken[ix->pair_item[*head]])
            ++*head;
        uint32_t item = ix->pair_item[*head];
        if (item < lowest && fits(ix, ix->pairs[p].type, wish)) lowest = item;
    }
    return lowest;
}
