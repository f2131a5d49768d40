/* index_pairs.c - which types the rows below a node have. A combination and a type make a pair,
 * whose items stand together; a node's bits are those of the pairs below it that have live items.
 * Bits are cleared upward as pairs run out, up to where a sibling still has them. */
#include "algorithm/index.h"

#include <string.h>

static hr_status allocate(hr_index *ix, hr_error *err) {
    uint32_t n = ix->task->row_count;
    uint32_t **arrays[] = {&ix->pair_type, &ix->pair_first, &ix->pair_head, &ix->pair_item,
                           &ix->pair_left, &ix->pair_of,    &ix->pair_list, &ix->pair_at};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = hr_arena_alloc(&ix->arena, n, sizeof **arrays[i], err);
        if (!*arrays[i]) return HR_ENOMEM;
    }
    ix->pair_start =
        hr_arena_alloc(&ix->arena, (size_t)ix->combination_count + 1, sizeof *ix->pair_start, err);
    ix->pair_live = hr_arena_alloc(&ix->arena, ix->combination_count, sizeof *ix->pair_live, err);
    ix->bits = hr_arena_alloc(&ix->arena, ix->node_count * ix->types.words, sizeof *ix->bits, err);
    return ix->pair_start && ix->pair_live && ix->bits ? HR_OK : HR_ENOMEM;
}

/* Items by combination, then type, then row: rows by type are dealt to their combinations. */
static void sort_items(hr_index *ix) {
    uint32_t *filled = ix->pair_of; /* as scratch */
    memset(filled, 0, ix->combination_count * sizeof *filled);
    for (uint32_t i = 0; i < ix->task->row_count; i++) {
        uint32_t item = ix->item[ix->types.rows[i]], c = ix->combination[item];
        ix->pair_item[ix->start[c] + filled[c]++] = item;
    }
}

static void find_pairs(hr_index *ix) {
    uint32_t pairs = 0;
    for (uint32_t c = 0; c < ix->combination_count; c++) {
        ix->pair_start[c] = pairs;
        for (uint32_t i = ix->start[c]; i < ix->start[c + 1]; i++) {
            uint32_t type = ix->type[ix->pair_item[i]];
            if (i == ix->start[c] || type != ix->pair_type[pairs - 1]) {
                ix->pair_type[pairs] = type;
                ix->pair_first[pairs] = ix->pair_head[pairs] = i;
                ix->pair_list[pairs] = ix->pair_at[pairs] = pairs;
                ix->pair_live[c]++;
                pairs++;
            }
            ix->pair_left[pairs - 1]++;
            ix->pair_of[ix->pair_item[i]] = pairs - 1;
        }
    }
    ix->pair_start[ix->combination_count] = pairs;
}

static void set_bits(hr_index *ix) {
    size_t words = ix->types.words;
    for (uint32_t c = 0; c < ix->combination_count; c++)
        for (uint32_t p = ix->pair_start[c]; p < ix->pair_start[c + 1]; p++) {
            uint32_t bit = ix->types.bit[ix->pair_type[p]];
            ix->bits[ix->leaf[c] * words + bit / 64] |= UINT64_C(1) << bit % 64;
        }
    for (uint32_t node = ix->node_count; node-- > 1;)
        for (size_t w = 0; w < words; w++)
            ix->bits[ix->nodes[node].parent * words + w] |= ix->bits[node * words + w];
}

hr_status hr_pairs_init(hr_index *ix, hr_error *err) {
    HR_TRY(allocate(ix, err));
    sort_items(ix);
    find_pairs(ix);
    set_bits(ix);
    return HR_OK;
}

/* The leaf has no live row of the bit any more: clear it upward, until a sibling has it. */
static void clear_bit(hr_index *ix, uint32_t node, uint32_t bit) {
    size_t words = ix->types.words, word = bit / 64;
    uint64_t mask = UINT64_C(1) << bit % 64;
    ix->bits[node * words + word] &= ~mask;
    while (node != 0) {
        node = ix->nodes[node].parent;
        const hr_index_node *n = &ix->nodes[node];
        for (uint32_t child = n->child; child < n->child + n->child_count; child++)
            if (ix->bits[child * words + word] & mask) return;
        ix->bits[node * words + word] &= ~mask;
    }
}

/* Move a pair to place `at` of its combination's list. */
static void move_pair(hr_index *ix, uint32_t pair, uint32_t at) {
    uint32_t from = ix->pair_at[pair], other = ix->pair_list[at];
    ix->pair_list[at] = pair;
    ix->pair_at[pair] = at;
    ix->pair_list[from] = other;
    ix->pair_at[other] = from;
}

static bool has_bit(const hr_index *ix, uint32_t combination, uint32_t bit) {
    const uint32_t *list = ix->pair_list + ix->pair_start[combination];
    for (uint32_t i = 0; i < ix->pair_live[combination]; i++)
        if (ix->types.bit[ix->pair_type[list[i]]] == bit) return true;
    return false;
}

void hr_pairs_taken(hr_index *ix, uint32_t item) {
    uint32_t pair = ix->pair_of[item], c = ix->combination[item];
    if (--ix->pair_left[pair] > 0) return;
    uint32_t bit = ix->types.bit[ix->pair_type[pair]];
    move_pair(ix, pair, ix->pair_start[c] + --ix->pair_live[c]);
    if (ix->types.exact || !has_bit(ix, c, bit)) clear_bit(ix, ix->leaf[c], bit);
}

void hr_pairs_returned(hr_index *ix, uint32_t item) {
    uint32_t pair = ix->pair_of[item], c = ix->combination[item];
    uint32_t bit = ix->types.bit[ix->pair_type[pair]];
    size_t words = ix->types.words;
    ix->pair_head[pair] = ix->pair_first[pair];
    if (ix->pair_left[pair]++ > 0) return;
    move_pair(ix, pair, ix->pair_start[c] + ix->pair_live[c]++);
    for (uint32_t node = ix->leaf[c];; node = ix->nodes[node].parent) {
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
    const uint32_t *list = ix->pair_list + ix->pair_start[combination];
    uint32_t first = hr_index_first_live(ix, combination), lowest = HR_NONE;
    if (first == HR_NONE || fits(ix, ix->type[first], wish)) return first;
    for (uint32_t i = 0; i < ix->pair_live[combination]; i++) {
        uint32_t p = list[i], *head = &ix->pair_head[p];
        while (ix->taken[ix->pair_item[*head]])
            ++*head;
        uint32_t item = ix->pair_item[*head];
        if (item < lowest && fits(ix, ix->pair_type[p], wish)) lowest = item;
    }
    return lowest;
}
