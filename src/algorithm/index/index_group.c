/* index_group.c - groups: what a node stores about its children, that is their codes in the
 * attributes in which they differ, and their types. Groups are written from the leaves up while
 * the tree is built. If codes are narrow, the codes of a node are read back from the groups on
 * its path to the root. */
#include "algorithm/index/index_parts.h"

#include <stdlib.h>
#include <string.h>

static hr_status reserve(hr_index *ix, size_t words, uint32_t *at, hr_error *err) {
    if (ix->tree.group_count + words >= HR_NONE)
        return hr_fail(err, HR_ENOMEM, "too many combinations of values for one search");
    HR_TRY(hr_grow(&ix->tree.groups, &ix->tree.group_room, ix->tree.group_count + words,
                   sizeof *ix->tree.groups, err));
    *at = (uint32_t)ix->tree.group_count;
    memset(ix->tree.groups + ix->tree.group_count, 0, words * sizeof *ix->tree.groups);
    ix->tree.group_count += words;
    return HR_OK;
}

/* ---- types ---- */

/* Adds the live types below a node to a set whose words are `step` words apart. */
static void collect_bits(const hr_index *ix, const hr_index_node *node, uint64_t *bits,
                         size_t step) {
    if (node->child_count == 0) {
        const hr_index_combination *own = &ix->rows.combinations[node->combination];
        for (uint32_t i = 0; i < own->live_pairs; i++) {
            uint32_t pair = ix->rows.pairs[own->pairs + i].listed;
            uint32_t bit = ix->types.bit[ix->rows.pairs[pair].type];
            bits[bit / 64 * step] |= UINT64_C(1) << bit % 64;
        }
        return;
    }
    hr_index_group group = hr_index_group_of(ix, node);
    for (uint32_t left = node->live; left; left &= left - 1) {
        uint32_t bit = group.type[__builtin_ctz(left)];
        if (bit < HR_INDEX_SEVERAL) bits[bit / 64 * step] |= UINT64_C(1) << bit % 64;
    }
    for (size_t w = 0; w < ix->tree.words; w++)
        for (uint32_t i = 0; i < node->several; i++)
            bits[w * step] |= group.bits[w * node->several + i];
}

static bool has_one_type(const hr_index *ix, const hr_index_node *node) {
    return node->child_count == 0 && ix->rows.combinations[node->combination].pairs == HR_NONE;
}

static uint8_t count_several(const hr_index *ix, const hr_index_node *node) {
    unsigned count = 0;
    for (uint32_t i = 0; ix->tree.words && i < node->child_count; i++)
        count += !has_one_type(ix, &ix->tree.nodes[node->child + i]);
    return (uint8_t)count;
}

static void fill_types(const hr_index *ix, const hr_index_node *node, hr_index_group group) {
    uint16_t several = 0;
    for (uint32_t i = 0; i < node->child_count; i++) {
        const hr_index_node *child = &ix->tree.nodes[node->child + i];
        if (has_one_type(ix, child)) {
            uint32_t item = ix->rows.combinations[child->combination].start;
            group.type[i] = (uint16_t)ix->types.bit[ix->rows.items[item].type];
        } else {
            collect_bits(ix, child, group.bits + several, node->several);
            group.type[i] = HR_INDEX_SEVERAL | several++;
        }
    }
}

/* ---- the whole ---- */

static bool varies(const hr_index *ix, const hr_index_node *node, size_t j, const uint32_t *own,
                   const uint32_t *children) {
    for (uint32_t i = 0; i < node->child_count; i++)
        if (children[i * ix->format.stride + j] != own[j]) return true;
    return false;
}

static bool crosses(const hr_index_node *node, const hr_index_cross *cross, size_t j) {
    for (uint32_t i = 0; i < node->crossing; i++)
        if (cross[i].quasi == j) return true;
    return false;
}

/* Lists the attributes in which children differ, those of `cross` first; returns their number. */
static uint8_t list_varying(const hr_index *ix, const hr_index_node *node,
                            const hr_index_cross *cross, const uint32_t *own,
                            const uint32_t *children, uint16_t list[HR_INDEX_VARYING]) {
    uint8_t count = 0;
    for (; count < node->crossing; count++)
        list[count] = cross[count].quasi;
    for (size_t j = 0; ix->format.narrow && j < ix->t; j++)
        if (!crosses(node, cross, j) && varies(ix, node, j, own, children))
            list[count++] = (uint16_t)j;
    return count;
}

hr_status hr_index_add_group(hr_index *ix, uint32_t node, const hr_index_cross *cross,
                             const uint32_t *own, const uint32_t *children, hr_error *err) {
    hr_index_node *made = &ix->tree.nodes[node];
    uint16_t list[HR_INDEX_VARYING];
    made->varying = list_varying(ix, made, cross, own, children, list);
    made->several = count_several(ix, made);
    size_t count = made->child_count, varying = made->varying;
    size_t shorts = (size_t)2 * made->crossing + varying + (ix->tree.words ? count : 0) +
                    (ix->format.narrow ? varying * (count + 1) : 0);
    HR_TRY(reserve(ix, ix->tree.words * made->several + (shorts + 3) / 4, &made->group, err));
    hr_index_group group = hr_index_group_of(ix, made);
    for (uint32_t i = 0; i < made->crossing; i++)
        group.cross[i] = cross[i].cost;
    memcpy(group.quasi, list, varying * sizeof *list);
    if (ix->tree.words) fill_types(ix, made, group);
    for (size_t v = 0; ix->format.narrow && v < varying; v++) {
        *group.code++ = (uint16_t)own[list[v]];
        for (size_t i = 0; i < count; i++)
            *group.code++ = (uint16_t)children[i * ix->format.stride + list[v]];
    }
    return HR_OK;
}

/* The arena uses large pages, which reading the groups needs. A rebuilt tree is mostly smaller and
 * reuses the memory of the one before. */
hr_status hr_index_keep_groups(hr_index *ix, hr_error *err) {
    if (ix->tree.group_count > ix->tree.kept_room || !ix->tree.kept_groups) {
        uint64_t *room = hr_arena_alloc(&ix->arena, ix->tree.group_count, sizeof *room, err);
        if (!room) return HR_ENOMEM;
        ix->tree.kept_groups = room;
        ix->tree.kept_room = ix->tree.group_count;
    }
    if (ix->tree.group_count)
        memcpy(ix->tree.kept_groups, ix->tree.groups,
               ix->tree.group_count * sizeof *ix->tree.groups);
    free(ix->tree.groups);
    ix->tree.groups = ix->tree.kept_groups;
    return HR_OK;
}

/* ---- codes of single nodes ---- */

void hr_index_join_codes(const hr_index *ix, uint32_t *to, const uint32_t *from) {
    for (size_t j = 0; j < ix->t; j++) {
        size_t at = ix->format.offset[j];
        if (hr_index_hierarchy(ix, j)->order.count) {
            to[at] = hr_preorder_join(&hr_index_hierarchy(ix, j)->order, to[at], from[at]);
        } else {
            if (from[at] < to[at]) to[at] = from[at];
            if (from[at + 1] > to[at + 1]) to[at + 1] = from[at + 1];
        }
    }
}

static uint32_t find_way(const hr_index *ix, uint32_t node, uint32_t *way) {
    uint32_t depth = 0;
    for (;; node = ix->tree.parent[node]) {
        way[depth++] = node;
        if (node == 0) return depth;
    }
}

/* Turns the codes of a node into those of a child. */
static void step_down(const hr_index *ix, const hr_index_node *node, uint32_t child,
                      uint32_t *code) {
    hr_index_group group = hr_index_group_of(ix, node);
    const uint16_t *of_child = group.code + 1 + (child - node->child);
    for (uint32_t v = 0; v < node->varying; v++)
        code[group.quasi[v]] = of_child[v * (size_t)(node->child_count + 1U)];
}

void hr_index_encode(const hr_index *ix, const uint32_t *value, uint32_t *code) {
    for (size_t j = 0; j < ix->t; j++, value++) {
        const hr_layout_tree *tree = hr_index_hierarchy(ix, j);
        uint32_t *own = code + ix->format.offset[j];
        own[0] = tree->order.count ? tree->order.position[*value] : *value;
        if (!tree->order.count) own[1] = *value;
    }
}

const uint32_t *hr_index_combination_codes(hr_index *ix, uint32_t combination) {
    uint32_t leaf = ix->rows.combinations[combination].leaf;
    if (leaf != HR_NONE) return hr_index_node_codes(ix, leaf);
    hr_index_encode(ix, hr_index_values(ix, combination), ix->scratch.unpacked);
    return ix->scratch.unpacked;
}

const uint32_t *hr_index_node_codes(hr_index *ix, uint32_t node) {
    if (!ix->format.narrow) return ix->tree.code + node * ix->format.stride;
    uint32_t depth = find_way(ix, node, ix->scratch.way);
    memcpy(ix->scratch.unpacked, ix->tree.code, ix->t * sizeof *ix->tree.code);
    for (uint32_t i = depth - 1; i > 0; i--)
        step_down(ix, &ix->tree.nodes[ix->scratch.way[i]], ix->scratch.way[i - 1],
                  ix->scratch.unpacked);
    return ix->scratch.unpacked;
}

void hr_index_find_path(hr_index *ix, uint32_t leaf) {
    ix->path.depth = leaf == HR_NONE ? 0 : find_way(ix, leaf, ix->path.node);
    ix->path.bounds_valid = false;
    if (!ix->format.narrow || ix->path.depth == 0) return;
    uint32_t *code = ix->path.code + (ix->path.depth - 1) * ix->t;
    memcpy(code, ix->tree.code, ix->t * sizeof *code);
    for (uint32_t i = ix->path.depth - 1; i > 0; i--, code -= ix->t) {
        memcpy(code - ix->t, code, ix->t * sizeof *code);
        step_down(ix, &ix->tree.nodes[ix->path.node[i]], ix->path.node[i - 1], code - ix->t);
    }
}
