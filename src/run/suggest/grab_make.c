/* grab_make.c - prepares moves of a boundary: adds up the combinations of a rollup by the MAGVals
 * of all other attributes (blocks) and the value of the moved one (pairs). See hr_grab in
 * rollup.h. */
#include "run/suggest/rollup.h"

#include <stdlib.h>
#include <string.h>

/* Finds the block of each combination: splits by the boundaries of the other attributes. */
static hr_status split_blocks(hr_grab *g, uint32_t *const *magval, hr_groups *out, hr_error *err) {
    const hr_rollup *r = g->rollup;
    const hr_microdata *data = &r->dataset.data;
    HR_TRY(hr_groups_start(out, r->count, err));
    hr_split *by = hr_alloc(data->quasi_count, sizeof *by, err);
    if (!by) return HR_ENOMEM;
    size_t count = 0;
    for (size_t j = 0; j < data->quasi_count; j++) {
        const hr_quasi *quasi = &data->quasi[j];
        if (j == g->column || (!quasi->tree && !quasi->bounded)) continue;
        const uint32_t *map = quasi->tree ? magval[j] : r->cell_of[j];
        by[count++] = (hr_split){&r->columns[j], map, quasi->value_count};
    }
    hr_status status = hr_groups_split_all(out, by, count, err);
    free(by);
    g->blocks = out->count;
    return status;
}

/* Sorts the combinations by the position of their value, then by block. */
static hr_status sort_members(hr_grab *g, const uint32_t *block, uint32_t *position,
                              hr_error *err) {
    const hr_rollup *r = g->rollup;
    const uint32_t *codes = r->columns[g->column].codes;
    uint32_t *spare = hr_alloc_raw(r->count, sizeof *spare, err);
    if (!spare) return HR_ENOMEM;
    for (uint32_t c = 0; c < r->count; c++) {
        g->member[c] = c;
        position[c] = g->tree.position[codes[c]];
    }
    hr_sort_by_key(block, g->blocks, g->member, spare, r->count);
    hr_sort_by_key(position, g->tree.count, g->member, spare, r->count);
    free(spare);
    return HR_OK;
}

static void cut_pairs(hr_grab *g, const uint32_t *block, const uint32_t *position) {
    const hr_rollup *r = g->rollup;
    uint32_t pairs = 0, next = 0;
    for (uint32_t i = 0; i < r->count; i++) {
        uint32_t c = g->member[i], before = i ? g->member[i - 1] : 0;
        if (i == 0 || position[c] != position[before] || block[c] != block[before]) {
            for (; next <= position[c]; next++)
                g->first[next] = pairs;
            g->block_of[pairs] = block[c];
            g->start[pairs++] = i;
        }
        g->rows[pairs - 1] += r->facts.size[c];
    }
    for (; next <= g->tree.count; next++)
        g->first[next] = pairs;
    g->start[pairs] = r->count;
    g->pairs = pairs;
}

/* The values of a pair, each once and at most `most`. mark[value] is `stamp` for those listed. */
static void list_values(hr_grab *g, uint32_t pair, size_t l, uint32_t *mark, uint32_t stamp,
                        size_t *at) {
    const hr_facts *facts = &g->rollup->facts;
    size_t begin = *at;
    for (uint32_t i = g->start[pair]; i < g->start[pair + 1]; i++) {
        size_t list = (size_t)g->member[i] * facts->sensitive_count + l;
        for (size_t v = facts->value_start[list]; v < facts->value_start[list + 1]; v++) {
            if (*at - begin == g->most) return;
            if (mark[facts->values[v]] == stamp) continue;
            mark[facts->values[v]] = stamp;
            g->values[(*at)++] = facts->values[v];
        }
    }
}

static hr_status collect_values(hr_grab *g, hr_error *err) {
    const hr_facts *facts = &g->rollup->facts;
    const hr_microdata *data = &g->rollup->dataset.data;
    size_t s = facts->sensitive_count, at = 0;
    for (size_t l = 0; l < s; l++) {
        uint32_t *mark = hr_alloc(data->sensitive[l].value_count + (size_t)1, sizeof *mark, err);
        if (!mark) return HR_ENOMEM;
        for (uint32_t pair = 0; pair < g->pairs; pair++) {
            g->value_start[l * g->pairs + pair] = at;
            list_values(g, pair, l, mark, pair + 1, &at);
        }
        free(mark);
    }
    g->value_start[s * g->pairs] = at;
    return HR_OK;
}

/* Counts the rows in no combination, which are suppressed whatever the boundary is. */
static hr_status count_dropped(hr_grab *g, hr_error *err) {
    const hr_rollup *r = g->rollup;
    const hr_microdata *data = &r->dataset.data;
    g->dropped = hr_lost_counts(r->shown, data->quasi_count, err);
    if (!g->dropped) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++) {
        const uint32_t *codes = r->columns[j].codes;
        const uint32_t *group = data->quasi[j].tree ? r->shown[j].of_value : r->shown_of[j];
        for (uint32_t v = 0; v <= r->shown[j].count; v++)
            g->dropped[j][v] = r->shown[j].rows[v];
        for (uint32_t c = 0; c < r->count; c++)
            g->dropped[j][group[codes[c]]] -= r->facts.size[c];
    }
    return HR_OK;
}

static hr_status allocate(hr_grab *g, hr_error *err) {
    size_t count = g->rollup->count, s = g->rollup->facts.sensitive_count;
    const hr_arena_part parts[] = {{&g->member, count, sizeof *g->member},
                                   {&g->block_of, count, sizeof *g->block_of},
                                   {&g->start, count + 1, sizeof *g->start},
                                   {&g->rows, count, sizeof *g->rows},
                                   {&g->first, g->tree.count + (size_t)1, sizeof *g->first},
                                   {&g->value_start, s * count + 1, sizeof *g->value_start}};
    HR_TRY(hr_arena_parts(&g->arena, parts, sizeof parts / sizeof *parts, err));
    size_t values = g->rollup->facts.value_start[s * count];
    g->values = hr_arena_alloc(&g->arena, values, sizeof *g->values, err);
    return g->values ? HR_OK : HR_ENOMEM;
}

hr_status hr_grab_add_up(hr_grab *grab, uint32_t *const *magval, hr_error *err) {
    hr_groups blocks = {0};
    hr_status status = allocate(grab, err);
    uint32_t *position = hr_alloc_raw(grab->rollup->count, sizeof *position, err);
    if (!position) status = HR_ENOMEM;
    if (status == HR_OK) status = split_blocks(grab, magval, &blocks, err);
    if (status == HR_OK) status = sort_members(grab, blocks.of_row, position, err);
    if (status == HR_OK) {
        memset(grab->rows, 0, grab->rollup->count * sizeof *grab->rows);
        cut_pairs(grab, blocks.of_row, position);
        status = collect_values(grab, err);
    }
    if (status == HR_OK) status = count_dropped(grab, err);
    free(position);
    hr_groups_free(&blocks);
    return status;
}
