/* rollup_levels.c - the levels at which a boundary can be drawn. From the root down, a level is
 * listed if it refines the one listed before. Raising a boundary then unites cells and never splits
 * one, so it never suppresses more rows (every model is closed under union). The levels of a
 * hierarchy file refine each other unless a label is in different columns of different lines. */
#include "run/suggest/rollup.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const hr_quasi *quasi;
    uint64_t *rows; /* of each value */
    uint32_t *seen; /* scratch, per node */
    hr_boundary_levels *out;
} level_list;

static hr_status count_rows(const hr_rollup *r, size_t j, level_list *l, hr_error *err) {
    const uint32_t *codes = r->columns[j].codes;
    l->rows = hr_alloc(l->quasi->value_count, sizeof *l->rows, err);
    l->seen = hr_alloc_raw(l->quasi->value_count, sizeof *l->seen, err);
    if (!l->rows || !l->seen) return HR_ENOMEM;
    for (uint32_t c = 0; c < r->count; c++)
        l->rows[codes[c]] += r->facts.size[c];
    return HR_OK;
}

/* Does the boundary `low` refine `high`: do values with equal MAGVals in `low` have equal ones in
 * `high`? *same is set if the reverse holds, too. */
static bool refines(const level_list *l, const uint32_t *low, const uint32_t *high, bool *same) {
    uint32_t low_count = 0, high_count = 0;
    memset(l->seen, 0xff, l->quasi->value_count * sizeof *l->seen);
    for (uint32_t value = 0; value < l->quasi->value_count; value++) {
        if (!l->rows[value]) continue;
        uint32_t *seen = &l->seen[low[value]];
        low_count += *seen == HR_NONE;
        if (*seen == HR_NONE) *seen = high[value];
        if (*seen != high[value]) return false;
    }
    memset(l->seen, 0xff, l->quasi->value_count * sizeof *l->seen);
    for (uint32_t value = 0; value < l->quasi->value_count; value++) {
        if (!l->rows[value] || l->seen[high[value]] != HR_NONE) continue;
        l->seen[high[value]] = 0;
        high_count++;
    }
    *same = low_count == high_count;
    return true;
}

/* Adds a level below those listed, in descending order; frees `magval` if it is not listed. */
static void add_level(level_list *l, uint32_t level, uint32_t *magval) {
    hr_boundary_levels *out = l->out;
    bool same = false;
    if (out->count > 0 && !refines(l, magval, out->magval[out->count - 1], &same)) {
        free(magval);
        out->skipped++;
        return;
    }
    if (same) free(out->magval[--out->count]);
    uint64_t cost = 0;
    for (uint32_t value = 0; value < l->quasi->value_count; value++)
        cost += l->rows[value] * l->quasi->tree->cost[magval[value]];
    out->level[out->count] = level;
    out->magval[out->count] = magval;
    out->cost[out->count++] = cost;
}

static void reverse(hr_boundary_levels *levels) {
    for (uint32_t low = 0, high = levels->count; low + 1 < high; low++) {
        high--;
        uint32_t level = levels->level[low], *magval = levels->magval[low];
        uint64_t cost = levels->cost[low];
        levels->level[low] = levels->level[high];
        levels->magval[low] = levels->magval[high];
        levels->cost[low] = levels->cost[high];
        levels->level[high] = level;
        levels->magval[high] = magval;
        levels->cost[high] = cost;
    }
}

static hr_status list(level_list *l, hr_error *err) {
    const hr_hierarchy *tree = l->quasi->tree;
    hr_boundary_levels *out = l->out;
    out->level = hr_alloc(tree->level_count, sizeof *out->level, err);
    out->magval = hr_alloc(tree->level_count, sizeof *out->magval, err);
    out->cost = hr_alloc(tree->level_count, sizeof *out->cost, err);
    if (!out->level || !out->magval || !out->cost) return HR_ENOMEM;
    for (uint32_t level = out->lowest = tree->level_count; level-- > 0; out->lowest = level) {
        uint32_t *magval;
        HR_TRY(hr_boundary_level(tree, level, &magval, err));
        if (l->quasi->finest && hr_finest_check(tree, l->quasi->finest, magval, NULL) != HR_OK) {
            free(magval);
            break;
        }
        add_level(l, level, magval);
    }
    reverse(out);
    return HR_OK;
}

hr_status hr_boundary_levels_make(const hr_rollup *rollup, size_t j, hr_boundary_levels *out,
                                  hr_error *err) {
    level_list l = {.quasi = &rollup->dataset.data.quasi[j], .out = out};
    *out = (hr_boundary_levels){0};
    hr_status status = count_rows(rollup, j, &l, err);
    if (status == HR_OK) status = list(&l, err);
    free(l.rows);
    free(l.seen);
    if (status != HR_OK) hr_boundary_levels_free(out);
    return status;
}

void hr_boundary_levels_free(hr_boundary_levels *levels) {
    for (uint32_t i = 0; levels->magval && i < levels->count; i++)
        free(levels->magval[i]);
    free(levels->level);
    free(levels->magval);
    free(levels->cost);
    *levels = (hr_boundary_levels){0};
}

/* ---- as levels of a lattice ---- */

/* Numbers the MAGVals of the values that have a code. number[node] receives the numbers. */
static uint32_t number_nodes(const hr_quasi *quasi, const uint32_t *magval, uint32_t *number) {
    uint32_t count = 0;
    memset(number, 0xff, quasi->value_count * sizeof *number);
    for (uint32_t code = 0; code < quasi->column->dictionary.count; code++) {
        uint32_t value = quasi->value_of_code[code];
        if (value != HR_NONE && number[magval[value]] == HR_NONE) number[magval[value]] = count++;
    }
    return count;
}

static hr_status map_level(const hr_boundary_levels *levels, const hr_quasi *quasi, uint32_t level,
                           uint32_t *number, uint32_t *below, hr_arena *arena, hr_levels *out,
                           hr_error *err) {
    const uint32_t *magval = levels->magval[level];
    uint32_t count = number_nodes(quasi, magval, number);
    out->value_count[level] = count;
    out->node[level] = hr_arena_alloc(arena, count, sizeof **out->node, err);
    out->up[level] = hr_arena_alloc(arena, count, sizeof **out->up, err);
    if (!out->node[level] || !out->up[level]) return HR_ENOMEM;
    for (uint32_t node = 0; node < quasi->value_count; node++)
        if (number[node] != HR_NONE) out->node[level][number[node]] = node;
    for (uint32_t code = 0; code < quasi->column->dictionary.count; code++) {
        uint32_t value = quasi->value_of_code[code];
        if (value == HR_NONE) {
            out->value_of_code[code] = HR_NONE;
        } else if (level == 0) {
            out->value_of_code[code] = number[magval[value]];
        } else {
            out->up[level - 1][below[levels->magval[level - 1][value]]] = number[magval[value]];
        }
    }
    memcpy(below, number, quasi->value_count * sizeof *below);
    return HR_OK;
}

hr_status hr_boundary_levels_map(const hr_boundary_levels *levels, const hr_quasi *quasi,
                                 hr_arena *arena, hr_levels *out, hr_error *err) {
    uint32_t *number, *below;
    const hr_arena_part parts[] = {
        {&out->value_count, levels->count, sizeof *out->value_count},
        {&out->node, levels->count, sizeof *out->node},
        {&out->up, levels->count, sizeof *out->up},
        {&out->value_of_code, quasi->column->dictionary.count, sizeof *out->value_of_code},
        {&number, quasi->value_count, sizeof *number},
        {&below, quasi->value_count, sizeof *below}};
    *out = (hr_levels){.count = levels->count, .file_level = levels->level, .cost = levels->cost};
    HR_TRY(hr_arena_parts(arena, parts, sizeof parts / sizeof *parts, err));
    for (uint32_t level = 0; level < levels->count; level++)
        HR_TRY(map_level(levels, quasi, level, number, below, arena, out, err));
    return HR_OK;
}
