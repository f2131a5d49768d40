/* levels.c - the levels of one attribute: level N takes a leaf to its ancestor in column N of the
 * hierarchy file, but never past its MAGVal. Levels must be nested, or a higher one could be worse
 * than a lower one. Columns are, unless a label stands in different columns of different lines
 * (`a;X;*;*` and `b;X;X;*`): then all leaves that share the label go up as far as the first of them.
 * Clipping at MAGVals keeps levels nested. Levels that do the same to the rows at hand are one. */
#include "algorithm/lattice/lattice.h"

#include <stdlib.h>
#include <string.h>

/* Scratch. Per leaf of the tree, unless it says otherwise. */
typedef struct {
    const hr_quasi *quasi;
    const hr_hierarchy *tree;
    bool clip;
    uint32_t *leaf_of_node;
    uint32_t *lifted;  /* at the file's column at hand */
    uint32_t *clipped; /* the same, not past the MAGVal */
    uint32_t *before;  /* the level kept last */
    uint32_t *highest; /* per node: what those that are there go to; later: its number */
    uint64_t *rows;    /* at hand */
    hr_arena *arena;
    hr_levels *levels;
} making;

static hr_status start(making *m, const uint32_t *code_rows, hr_arena *scratch, hr_error *err) {
    const hr_hierarchy *tree = m->tree;
    uint32_t **arrays[] = {&m->lifted, &m->clipped, &m->before};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = hr_arena_alloc(scratch, tree->leaf_count, sizeof **arrays[i], err);
        if (!*arrays[i]) return HR_ENOMEM;
    }
    m->leaf_of_node = hr_arena_alloc(scratch, tree->labels.count, sizeof *m->leaf_of_node, err);
    m->highest = hr_arena_alloc(scratch, tree->labels.count, sizeof *m->highest, err);
    m->rows = hr_arena_alloc(scratch, tree->leaf_count, sizeof *m->rows, err);
    if (!m->leaf_of_node || !m->highest || !m->rows) return HR_ENOMEM;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        m->leaf_of_node[tree->leaf_node[leaf]] = leaf;
        m->lifted[leaf] = tree->leaf_node[leaf];
    }
    for (uint32_t code = 0; code < m->quasi->column->dictionary.count; code++)
        m->rows[m->leaf_of_node[m->quasi->value_of_code[code]]] += code_rows[code];
    return HR_OK;
}

/* From the column before to this one. All that a node can go to lies on its way to the root. */
static void lift(making *m, uint32_t column) {
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

/* Does the column differ from the level before, for the rows at hand? */
static bool clip(making *m) {
    const hr_hierarchy *tree = m->tree;
    bool differs = false;
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t bound = m->quasi->magval[tree->leaf_node[leaf]], node = m->lifted[leaf];
        if (m->clip && tree->depth[node] < tree->depth[bound]) node = bound;
        m->clipped[leaf] = node;
        differs |= m->rows[leaf] && node != m->before[leaf];
    }
    return differs;
}

/* The values of the rows at hand, numbered in the order of the leaves. */
static hr_status number_values(making *m, uint32_t column, hr_error *err) {
    const hr_hierarchy *tree = m->tree;
    hr_levels *levels = m->levels;
    uint32_t level = levels->count++, count = 0;
    memset(m->highest, 0xff, tree->labels.count * sizeof *m->highest);
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        uint32_t node = m->clipped[leaf];
        if (!m->rows[leaf]) continue;
        if (m->highest[node] == HR_NONE) m->highest[node] = count++;
        levels->cost[level] += m->rows[leaf] * tree->cost[node];
    }
    levels->file_level[level] = column;
    levels->value_count[level] = count;
    levels->node[level] = hr_arena_alloc(m->arena, count, sizeof **levels->node, err);
    levels->up[level] = hr_arena_alloc(m->arena, count, sizeof **levels->up, err);
    if (!levels->node[level] || !levels->up[level]) return HR_ENOMEM;
    for (uint32_t node = 0; node < tree->labels.count; node++)
        if (m->highest[node] != HR_NONE) levels->node[level][m->highest[node]] = node;
    return HR_OK;
}

/* Link the level before to the one that was just numbered. */
static void link_levels(making *m, const uint32_t *number_before) {
    hr_levels *levels = m->levels;
    for (uint32_t leaf = 0; leaf < m->tree->leaf_count; leaf++)
        if (m->rows[leaf])
            levels->up[levels->count - 2][number_before[leaf]] = m->highest[m->clipped[leaf]];
}

static hr_status make(making *m, hr_arena *scratch, hr_error *err) {
    const hr_hierarchy *tree = m->tree;
    uint32_t *number = hr_arena_alloc(scratch, tree->leaf_count, sizeof *number, err);
    if (!number) return HR_ENOMEM;
    memset(m->before, 0xff, tree->leaf_count * sizeof *m->before);
    for (uint32_t column = 0; column < tree->level_count; column++) {
        if (column > 0) lift(m, column);
        if (!clip(m)) continue;
        HR_TRY(number_values(m, column, err));
        if (column > 0) link_levels(m, number);
        for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++)
            number[leaf] = m->highest[m->clipped[leaf]];
        memcpy(m->before, m->clipped, tree->leaf_count * sizeof *m->before);
        if (column > 0) continue;
        for (uint32_t code = 0; code < m->quasi->column->dictionary.count; code++)
            m->levels->value_of_code[code] = number[m->leaf_of_node[m->quasi->value_of_code[code]]];
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
    making m = {.quasi = quasi,
                .tree = quasi->tree,
                .clip = keep_boundaries,
                .arena = arena,
                .levels = out};
    hr_status status = start(&m, code_rows, &scratch, err);
    if (status == HR_OK) status = make(&m, &scratch, err);
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
