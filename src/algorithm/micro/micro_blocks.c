/* micro_blocks.c - nodes of the k-d tree told in blocks: made after the tree, and kept up with it. */
#include "algorithm/micro/micro_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hr_blocks_tell(hr_tree *tree, uint32_t at) {
    const hr_tree_node *node = &tree->nodes[at];
    size_t t = tree->points->t;
    if (node->cell == HR_NONE) return;
    hr_block_cell *cell = tree->blocks.cells + node->cell;
    const float *box = tree->box + at * 2 * t;
    cell->number = node->reach;
    for (size_t j = 0; j < t && node->reach >= 0; j++) {
        cell[(1 + 2 * j) * HR_BLOCK_WIDE].number = box[j];
        cell[(2 + 2 * j) * HR_BLOCK_WIDE].number = box[t + j];
    }
}

static uint32_t levels_below(const hr_tree *tree, uint32_t at) {
    const hr_tree_node *node = &tree->nodes[at];
    if (hr_tree_is_leaf(node)) return 0;
    uint32_t left = levels_below(tree, at + 1), right = levels_below(tree, node->right);
    return 1 + (left > right ? left : right);
}

static void build(hr_tree *tree, uint32_t at, uint32_t levels);

/* The nodes so many levels below, or leaves on the way, into a block. The next free cell. */
static uint32_t tell_below(hr_tree *tree, uint32_t at, uint32_t levels, uint32_t cell) {
    hr_tree_node *node = &tree->nodes[at];
    if (levels > 0 && !hr_tree_is_leaf(node)) {
        cell = tell_below(tree, at + 1, levels - 1, cell);
        return tell_below(tree, node->right, levels - 1, cell);
    }
    node->cell = cell;
    tree->blocks.cells[cell + (2 * tree->points->t + 1) * HR_BLOCK_WIDE].node = at;
    hr_blocks_tell(tree, at);
    if (!hr_tree_is_leaf(node)) build(tree, at, HR_BLOCK_LEVELS);
    return cell + 1;
}

static void build(hr_tree *tree, uint32_t at, uint32_t levels) {
    hr_blocks *blocks = &tree->blocks;
    size_t size = hr_block_size(tree);
    uint32_t first = blocks->count++ * (uint32_t)size;
    memset(blocks->cells + first, 0, size * sizeof *blocks->cells);
    for (uint32_t i = 0; i < HR_BLOCK_WIDE; i++)
        blocks->cells[first + i].number = -INFINITY;
    tree->nodes[at].told = first;
    tell_below(tree, at, levels, first);
}

/* The first block has fewer levels than the others if need be, so that those next to the leaves, which
 * are most, are full. */
void hr_blocks_build(hr_tree *tree) {
    uint32_t levels = levels_below(tree, 0);
    tree->blocks.count = 0;
    build(tree, 0, levels == 0 ? 0 : (levels - 1) % HR_BLOCK_LEVELS + 1);
}

hr_status hr_blocks_init(hr_tree *tree, size_t nodes, hr_error *err) {
    hr_blocks *blocks = &tree->blocks;
    size_t t = tree->points->t;
    blocks->cells = hr_alloc_raw((nodes / 2 + 1) * hr_block_size(tree), sizeof *blocks->cells, err);
    blocks->form = hr_alloc(t * 3, sizeof *blocks->form, err);
    if (!blocks->cells || !blocks->form) return HR_ENOMEM;
    blocks->peak = blocks->form + t;
    blocks->slope = blocks->peak + t;
    return HR_OK;
}

void hr_blocks_free(hr_blocks *blocks) {
    free(blocks->cells);
    free(blocks->form);
}
