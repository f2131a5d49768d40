/* micro_blocks.c - builds the blocks of the k-d tree and keeps them up to date: see
 * micro_tree.h. */
#include "algorithm/micro/micro_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hr_blocks_update(hr_tree *tree, uint32_t at) {
    const hr_tree_node *node = &tree->nodes[at];
    size_t t = tree->points->t;
    if (node->entry == HR_NONE) return;
    hr_block_entry *entry = tree->blocks.entries + node->entry;
    const float *box = tree->box + (size_t)at * 2 * t;
    entry->number = node->reach;
    for (size_t j = 0; j < t && node->reach >= 0; j++) {
        entry[(1 + 2 * j) * HR_BLOCK_NODES].number = box[j];
        entry[(2 + 2 * j) * HR_BLOCK_NODES].number = box[t + j];
    }
}

/* Height of the subtree. */
static uint32_t levels_below(const hr_tree *tree, uint32_t at) {
    const hr_tree_node *node = &tree->nodes[at];
    if (hr_tree_is_leaf(node)) return 0;
    uint32_t left = levels_below(tree, at + 1), right = levels_below(tree, node->right);
    return 1 + (left > right ? left : right);
}

static void build(hr_tree *tree, uint32_t at, uint32_t levels);

/* Adds the nodes `levels` levels below `at`, and the leaves above that level, to a block, starting
 * at `entry`. Returns the next free entry. */
static uint32_t add_nodes(hr_tree *tree, uint32_t at, uint32_t levels, uint32_t entry) {
    hr_tree_node *node = &tree->nodes[at];
    if (levels > 0 && !hr_tree_is_leaf(node)) {
        entry = add_nodes(tree, at + 1, levels - 1, entry);
        return add_nodes(tree, node->right, levels - 1, entry);
    }
    node->entry = entry;
    tree->blocks.entries[entry + (2 * tree->points->t + 1) * HR_BLOCK_NODES].node = at;
    hr_blocks_update(tree, at);
    if (!hr_tree_is_leaf(node)) build(tree, at, HR_BLOCK_LEVELS);
    return entry + 1;
}

/* Builds the block of the nodes up to `levels` levels below `at`, and the blocks below it. */
static void build(hr_tree *tree, uint32_t at, uint32_t levels) {
    hr_blocks *blocks = &tree->blocks;
    size_t size = hr_block_size(tree);
    uint32_t first = blocks->count++ * (uint32_t)size;
    memset(blocks->entries + first, 0, size * sizeof *blocks->entries);
    for (uint32_t i = 0; i < HR_BLOCK_NODES; i++)
        blocks->entries[first + i].number = -INFINITY;
    tree->nodes[at].block = first;
    add_nodes(tree, at, levels, first);
}

/* The first block may have fewer levels than the others, so that the blocks next to the leaves,
 * which are the most numerous, are full. */
void hr_blocks_build(hr_tree *tree) {
    uint32_t levels = levels_below(tree, 0);
    tree->blocks.count = 0;
    build(tree, 0, levels == 0 ? 0 : (levels - 1) % HR_BLOCK_LEVELS + 1);
}

hr_status hr_blocks_init(hr_tree *tree, size_t nodes, hr_error *err) {
    hr_blocks *blocks = &tree->blocks;
    size_t t = tree->points->t;
    blocks->entries =
        hr_alloc_raw((nodes / 2 + 1) * hr_block_size(tree), sizeof *blocks->entries, err);
    blocks->from = hr_alloc(t * 4, sizeof *blocks->from, err);
    if (!blocks->entries || !blocks->from) return HR_ENOMEM;
    blocks->linear = blocks->from + t;
    blocks->slope = blocks->linear + t;
    blocks->peak = blocks->slope + t;
    return HR_OK;
}

void hr_blocks_free(hr_blocks *blocks) {
    free(blocks->entries);
    free(blocks->from);
}
