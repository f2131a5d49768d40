/* preorder.c - a tree as arrays in preorder: a subtree is a range of positions, so "is a below g?"
 * is two comparisons. Searches that compare many values work on positions in place of nodes. */
#include "hierarchy/hierarchy.h"

hr_status hr_preorder_make(const hr_hierarchy *tree, hr_arena *arena, hr_preorder *out,
                           hr_error *err) {
    uint32_t count = tree->labels.count;
    *out = (hr_preorder){.count = count, .position = tree->order};
    out->node = hr_arena_alloc(arena, count, sizeof *out->node, err);
    out->up = hr_arena_alloc(arena, count, sizeof *out->up, err);
    out->end = hr_arena_alloc(arena, count, sizeof *out->end, err);
    if (!out->node || !out->up || !out->end) return HR_ENOMEM;
    for (uint32_t node = 0; node < count; node++) {
        uint32_t at = tree->order[node];
        out->node[at] = node;
        out->up[at] = node == tree->root ? 0 : tree->order[tree->parent[node]];
        out->end[at] = at + 1;
    }
    for (uint32_t at = count; at-- > 1;)
        if (out->end[at] > out->end[out->up[at]]) out->end[out->up[at]] = out->end[at];
    return HR_OK;
}
