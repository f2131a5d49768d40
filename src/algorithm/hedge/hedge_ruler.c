/* hedge_ruler.c - numbers the values of each attribute in a cell in order, and gives the cost of
 * any range of them. In preorder the common ancestor of some values is that of the first and the
 * last. It costs as much as the most expensive common ancestor of two neighbours in the range. So a
 * table of the greatest costs over 2, 4, 8, ... neighbours gives the cost of any range without
 * walking the tree. */
#include "algorithm/hedge/cover.h"

#include <stdlib.h>
#include <string.h>

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Lists the distinct positions of attribute j. */
static hr_status list_positions(const hr_kinds *kinds, size_t j, hr_arena *arena, hr_ruler *ruler,
                                hr_error *err) {
    uint32_t all = kinds->combination_count, count = 0, last = HR_NONE;
    uint32_t *position = hr_alloc_raw(all, sizeof *position, err);
    if (!position) return HR_ENOMEM;
    for (uint32_t c = 0; c < all; c++) {
        uint32_t own = kinds->code[c * kinds->t + j];
        if (own != last) position[count++] = own;
        last = own;
    }
    qsort(position, count, sizeof *position, ascending);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || position[i] != position[ruler->count - 1])
            position[ruler->count++] = position[i];
    ruler->position = hr_arena_alloc(arena, ruler->count, sizeof *position, err);
    if (ruler->position) memcpy(ruler->position, position, ruler->count * sizeof *position);
    free(position);
    return ruler->position ? HR_OK : HR_ENOMEM;
}

static hr_status price_numbers(hr_ruler *ruler, hr_arena *arena, hr_error *err) {
    ruler->at = hr_arena_alloc(arena, ruler->count, sizeof *ruler->at, err);
    if (!ruler->at) return HR_ENOMEM;
    for (uint32_t i = 0; i < ruler->count; i++)
        ruler->at[i] = hr_axis_cost(ruler->axis, (hr_span){ruler->position[0], ruler->position[i]});
    return HR_OK;
}

static hr_status price_nodes(hr_ruler *ruler, hr_arena *arena, hr_error *err) {
    uint32_t count = ruler->count;
    unsigned levels = count > 1 ? hr_log2(count - 1) + 1 : 1;
    ruler->own = hr_arena_alloc(arena, count, sizeof *ruler->own, err);
    ruler->most = hr_arena_alloc(arena, levels, sizeof *ruler->most, err);
    if (!ruler->own || !ruler->most) return HR_ENOMEM;
    for (unsigned l = 0; l < levels; l++) {
        ruler->most[l] = hr_arena_alloc(arena, count, sizeof **ruler->most, err);
        if (!ruler->most[l]) return HR_ENOMEM;
    }
    const hr_axis *axis = ruler->axis;
    for (uint32_t i = 0; i < count; i++) {
        ruler->own[i] = axis->cost[ruler->position[i]];
        if (i + 1 == count) break;
        uint32_t joined = hr_preorder_join(&axis->tree, ruler->position[i], ruler->position[i + 1]);
        ruler->most[0][i] = axis->cost[joined];
    }
    for (unsigned l = 1; l < levels; l++) {
        uint32_t half = UINT32_C(1) << (l - 1);
        for (uint32_t i = 0; i + 2 * half < count; i++) {
            uint32_t a = ruler->most[l - 1][i], b = ruler->most[l - 1][i + half];
            ruler->most[l][i] = a > b ? a : b;
        }
    }
    return HR_OK;
}

static hr_status make(const hr_kinds *kinds, const hr_axes *axes, hr_rulers *out, hr_error *err) {
    size_t t = kinds->t;
    hr_arena_part parts[] = {
        {&out->of, t, sizeof *out->of},
        {&out->mark, kinds->combination_count * t, sizeof *out->mark},
    };
    HR_TRY(hr_arena_parts(&out->arena, parts, sizeof parts / sizeof *parts, err));
    for (size_t j = 0; j < t; j++) {
        hr_ruler *ruler = &out->of[j];
        ruler->axis = &axes->of[j];
        HR_TRY(list_positions(kinds, j, &out->arena, ruler, err));
        HR_TRY(ruler->axis->cost ? price_nodes(ruler, &out->arena, err)
                                 : price_numbers(ruler, &out->arena, err));
        for (uint32_t c = 0; c < kinds->combination_count; c++)
            out->mark[c * t + j] =
                hr_find_sorted(ruler->position, 0, ruler->count, kinds->code[c * t + j]);
    }
    return HR_OK;
}

hr_status hr_rulers_make(const hr_kinds *kinds, const hr_axes *axes, hr_rulers *out,
                         hr_error *err) {
    *out = (hr_rulers){.t = kinds->t};
    hr_status status = make(kinds, axes, out, err);
    if (status != HR_OK) hr_rulers_free(out);
    return status;
}

void hr_rulers_free(hr_rulers *rulers) {
    hr_arena_free(&rulers->arena);
    *rulers = (hr_rulers){0};
}

uint64_t hr_rulers_cost(const hr_rulers *rulers, const uint32_t *lo, const uint32_t *hi) {
    uint64_t cost = 0;
    for (size_t j = 0; j < rulers->t; j++)
        cost += hr_ruler_cost(&rulers->of[j], lo[j], hi[j]);
    return cost;
}

uint64_t hr_rulers_cost_with(const hr_rulers *rulers, const uint32_t *lo, const uint32_t *hi,
                             uint32_t combination) {
    const uint32_t *mark = rulers->mark + combination * rulers->t;
    uint64_t cost = 0;
    for (size_t j = 0; j < rulers->t; j++)
        cost += hr_ruler_cost(&rulers->of[j], mark[j] < lo[j] ? mark[j] : lo[j],
                              mark[j] > hi[j] ? mark[j] : hi[j]);
    return cost;
}
