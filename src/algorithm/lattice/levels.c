/* levels.c - the levels of one attribute. Level N replaces a leaf by its ancestor in column N of
 * the hierarchy file, but never past its MAGVal. The search needs nested levels: values that are
 * equal at one level must be equal at every higher level. The columns of a file are nested unless a
 * label is in different columns of different lines (`a;X;*;*` and `b;X;X;*`); then all leaves below
 * that label move up together, as far as the one that moves furthest. Clipping at MAGVals keeps
 * levels nested. Columns that give the rows outside OUT the same values are one level. */
#include "algorithm/lattice/lattice.h"

#include <stdlib.h>
#include <string.h>

/* Scratch. Arrays have an element per leaf of the tree unless noted. */
typedef struct {
    const hr_quasi *quasi;
    const hr_hierarchy *tree;
    bool clip;              /* at MAGVals */
    uint32_t *leaf_of_node; /* per node that rows have: a leaf with that value */
    uint32_t *lifted;       /* node of the leaf at the current column, made nested */
    uint32_t *clipped;      /* the same, but not past the leaf's MAGVal */
    uint32_t *before;       /* `clipped` of the previous level */
    uint32_t *highest;      /* per node: the highest node that one of its leaves moves up to */
    uint32_t *number;       /* per node: its value number at the current level; HR_NONE: unused */
    uint64_t *rows;         /* rows outside OUT with the leaf */
    hr_arena *arena;        /* of the result */
    hr_levels *levels;
} level_builder;

static hr_status start(level_builder *m, const uint32_t *code_rows, hr_arena *scratch,
                       hr_error *err) {
    const hr_hierarchy *tree = m->tree;
    uint32_t **arrays[] = {&m->lifted, &m->clipped, &m->before};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = hr_arena_alloc(scratch, tree->leaf_count, sizeof **arrays[i], err);
        if (!*arrays[i]) return HR_ENOMEM;
    }
    m->leaf_of_node = hr_arena_alloc(scratch, tree->labels.count, sizeof *m->leaf_of_node, err);
    m->highest = hr_arena_alloc(scratch, tree->labels.count, sizeof *m->highest, err);
    m->number = hr_arena_alloc(scratch, tree->labels.count, sizeof *m->number, err);
    m->rows = hr_arena_alloc(scratch, tree->leaf_count, sizeof *m->rows, err);
    if (!m->leaf_of_node || !m->highest || !m->number || !m->rows) return HR_ENOMEM;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        m->lifted[leaf] = hr_quasi_leaf_value(m->quasi, leaf);
        m->leaf_of_node[m->lifted[leaf]] = leaf;
    }
    for (uint32_t code = 0; code < m->quasi->column->dictionary.count; code++)
        if (m->quasi->value_of_code[code] != HR_NONE)
            m->rows[m->leaf_of_node[m->quasi->value_of_code[code]]] += code_rows[code];
    return HR_OK;
}

/* Moves every leaf from the previous column to `column`. The candidates of the leaves of one node
 * are all on its path to the root, so the least deep is an ancestor of the others. */
static void lift(level_builder *m, uint32_t column) {
    const hr_hierarchy *tree = m->tree;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        m->highest[m->lifted[leaf]] = m->lifted[leaf];
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t own = tree->level_node[(size_t)leaf * tree->level_count + column];
        uint32_t *highest = &m->highest[m->lifted[leaf]];
        if (tree->depth[own] < tree->depth[*highest]) *highest = own;
    }
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
        m->lifted[leaf] = m->highest[m->lifted[leaf]];
}

/* Clips the column at MAGVals. Returns whether it differs from the previous level for some row
 * outside OUT. */
static bool clip(level_builder *m) {
    const hr_hierarchy *tree = m->tree;
    bool differs = false;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t magval = m->quasi->magval[tree->leaf_node[leaf]], node = m->lifted[leaf];
        if (m->clip && tree->depth[node] < tree->depth[magval]) node = magval;
        m->clipped[leaf] = node;
        differs |= m->rows[leaf] && node != m->before[leaf];
    }
    return differs;
}

/* Adds a level and numbers its values in the order of the leaves. */
static hr_status add_level(level_builder *m, uint32_t column, hr_error *err) {
    const hr_hierarchy *tree = m->tree;
    hr_levels *levels = m->levels;
    uint32_t level = levels->count++, count = 0;
    memset(m->number, 0xff, tree->labels.count * sizeof *m->number);
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t node = m->clipped[leaf];
        if (!m->rows[leaf]) continue;
        if (m->number[node] == HR_NONE) m->number[node] = count++;
        levels->cost[level] += m->rows[leaf] * tree->cost[node];
    }
    levels->file_level[level] = column;
    levels->value_count[level] = count;
    levels->node[level] = hr_arena_alloc(m->arena, count, sizeof **levels->node, err);
    levels->up[level] = hr_arena_alloc(m->arena, count, sizeof **levels->up, err);
    if (!levels->node[level] || !levels->up[level]) return HR_ENOMEM;
    for (uint32_t node = 0; node < tree->labels.count; node++)
        if (m->number[node] != HR_NONE) levels->node[level][m->number[node]] = node;
    return HR_OK;
}

/* Links the values of the previous level to those of the level just added. */
static void link_levels(level_builder *m, const uint32_t *value_before) {
    hr_levels *levels = m->levels;
    for (uint32_t leaf = 0; leaf < m->tree->leaf_count; leaf++)
        if (m->rows[leaf])
            levels->up[levels->count - 2][value_before[leaf]] = m->number[m->clipped[leaf]];
}

/* The column that the lowest level is named after: the last one in which no leaf below a value of
 * the rows lies above that value. */
static uint32_t first_column(const level_builder *m) {
    const hr_hierarchy *tree = m->tree;
    uint32_t column = 0;
    if (!m->quasi->finest) return 0;
    for (; column + 1 < tree->level_count; column++)
        for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
            uint32_t value = m->lifted[leaf], next = hr_hierarchy_node_at(tree, leaf, column + 1);
            if (m->rows[m->leaf_of_node[value]] && !hr_hierarchy_covers(tree, value, next))
                return column;
        }
    return column;
}

static hr_status build(level_builder *m, hr_arena *scratch, hr_error *err) {
    const hr_hierarchy *tree = m->tree;
    uint32_t *value = hr_arena_alloc(scratch, tree->leaf_count, sizeof *value, err); /* per leaf */
    if (!value) return HR_ENOMEM;
    memset(m->before, 0xff, tree->leaf_count * sizeof *m->before);
    for (uint32_t column = 0; column < tree->level_count; column++) {
        if (column > 0) lift(m, column);
        if (!clip(m)) continue;
        HR_TRY(add_level(m, column > 0 ? column : first_column(m), err));
        if (column > 0) link_levels(m, value);
        for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
            value[leaf] = m->number[m->clipped[leaf]];
        memcpy(m->before, m->clipped, tree->leaf_count * sizeof *m->before);
        if (column > 0) continue;
        for (uint32_t code = 0; code < m->quasi->column->dictionary.count; code++) {
            uint32_t own = m->quasi->value_of_code[code];
            m->levels->value_of_code[code] = own == HR_NONE ? own : value[m->leaf_of_node[own]];
        }
    }
    return HR_OK;
}

hr_status hr_levels_make(const hr_quasi *quasi, bool keep_boundaries, const uint32_t *code_rows,
                         hr_arena *arena, hr_levels *out, hr_error *err) {
    uint32_t most = quasi->tree->level_count, codes = quasi->column->dictionary.count;
    hr_arena scratch = {0};
    *out = (hr_levels){0};
    out->file_level = hr_arena_alloc(arena, most, sizeof *out->file_level, err);
    out->value_count = hr_arena_alloc(arena, most, sizeof *out->value_count, err);
    out->node = hr_arena_alloc(arena, most, sizeof *out->node, err);
    out->up = hr_arena_alloc(arena, most, sizeof *out->up, err);
    out->cost = hr_arena_alloc(arena, most, sizeof *out->cost, err);
    out->value_of_code = hr_arena_alloc(arena, codes, sizeof *out->value_of_code, err);
    if (!out->file_level || !out->value_count || !out->node || !out->up || !out->cost ||
        !out->value_of_code)
        return HR_ENOMEM;
    level_builder m = {.quasi = quasi,
                       .tree = quasi->tree,
                       .clip = keep_boundaries,
                       .arena = arena,
                       .levels = out};
    hr_status status = start(&m, code_rows, &scratch, err);
    if (status == HR_OK) status = build(&m, &scratch, err);
    hr_arena_free(&scratch);
    return status;
}

void hr_levels_map(const hr_levels *levels, uint32_t from, uint32_t to, uint32_t *map) {
    for (uint32_t v = 0; v < levels->value_count[from]; v++) {
        map[v] = v;
        for (uint32_t l = from; l < to; l++)
            map[v] = levels->up[l][map[v]];
    }
}
