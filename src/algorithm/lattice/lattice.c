/* lattice.c - the lattice of levels: the rows outside OUT, what a node costs, which node is best,
 * and the release of the best node. Losses are compared exactly, in the units of hr_loss_total. */
#include "algorithm/lattice/lattice.h"

#include <stdlib.h>
#include <string.h>

/* ---- rows and levels ---- */

static hr_status take_rows(hr_space *space, hr_error *err) {
    const hr_groups *cells = space->task->cells;
    space->rows = (hr_groups){.rows = cells->rows, .count = cells->count};
    space->rows.of_row = hr_alloc_raw(cells->rows, sizeof *space->rows.of_row, err);
    if (!space->rows.of_row) return HR_ENOMEM;
    for (size_t row = 0; row < cells->rows; row++) {
        uint32_t cell = cells->of_row[row];
        bool out = cell == HR_NONE || space->task->out[cell];
        space->rows.of_row[row] = out ? HR_NONE : cell;
        if (!out) space->row_count += hr_microdata_weight(space->task->data, row);
    }
    return HR_OK;
}

/* The largest number of rows whose share of all rows does not exceed `share`. The quotient is
 * compared, as everywhere: 29 / 100 is the double that "0.29" is read as, 0.29 * 100 is less than
 * 29. */
static uint64_t rows_allowed(double share, uint64_t rows) {
    uint64_t limit = (uint64_t)(share * (double)rows);
    while (limit < rows && (double)(limit + 1) / (double)rows <= share)
        limit++;
    while (limit > 0 && (double)limit / (double)rows > share)
        limit--;
    return limit;
}

static hr_status make_levels(hr_space *space, size_t j, uint32_t *code_rows, hr_error *err) {
    const hr_quasi *quasi = &space->task->data->quasi[j];
    memset(code_rows, 0, quasi->column->dictionary.count * sizeof *code_rows);
    for (size_t row = 0; row < space->rows.rows; row++)
        if (space->rows.of_row[row] != HR_NONE)
            code_rows[hr_column_code(quasi->column, row)] +=
                hr_microdata_weight(space->task->data, row);
    return hr_levels_make(quasi, space->task->keep_boundaries, code_rows, &space->arena,
                          &space->levels[j], err);
}

static hr_status count_nodes(hr_space *space, hr_error *err) {
    double nodes = 1;
    for (size_t j = 0; j < space->quasi_count; j++)
        nodes *= space->levels[j].count;
    if (nodes > (double)HR_LATTICE_NODES)
        return hr_fail(err, HR_EINVAL,
                       "the levels of the hierarchies can be combined in %.3g ways, and at most "
                       "%llu can be searched: leave out a quasi-identifier or some levels, or "
                       "draw a boundary",
                       nodes, (unsigned long long)HR_LATTICE_NODES);
    space->nodes = (uint64_t)nodes;
    return HR_OK;
}

static hr_status fill_space(hr_space *space, hr_error *err) {
    const hr_microdata *data = space->task->data;
    const hr_incognito_options *options = space->task->options;
    space->all_rows = hr_microdata_rows(data);
    if (space->all_rows >= HR_NONE)
        return hr_fail(err, HR_EDATA, "the table has %llu rows, and at most %u can be counted",
                       (unsigned long long)space->all_rows, HR_NONE - 1);
    HR_TRY(hr_lattice_findings_new(space->task, &space->findings, err));
    HR_TRY(take_rows(space, err));
    space->limit = rows_allowed(options->suppression, space->all_rows);
    space->levels = hr_arena_alloc(&space->arena, data->quasi_count, sizeof *space->levels, err);
    for (size_t j = 0; j < data->quasi_count; j++)
        if (data->quasi[j].column->dictionary.count > space->most_codes)
            space->most_codes = data->quasi[j].column->dictionary.count;
    uint32_t *code_rows = hr_alloc_raw(space->most_codes, sizeof *code_rows, err);
    hr_status status = space->levels && code_rows ? HR_OK : HR_ENOMEM;
    for (size_t j = 0; status == HR_OK && j < data->quasi_count; j++)
        status = make_levels(space, j, code_rows, err);
    free(code_rows);
    if (status == HR_OK) status = count_nodes(space, err);
    space->findings->counts.lattice_nodes = space->nodes;
    return status;
}

hr_status hr_space_make(const hr_table_task *task, hr_space *out, hr_error *err) {
    *out = (hr_space){.task = task, .quasi_count = task->data->quasi_count};
    hr_status status = fill_space(out, err);
    if (status != HR_OK) hr_space_free(out);
    return status;
}

void hr_space_free(hr_space *space) {
    if (space->findings) hr_findings_free(&space->findings->base);
    hr_arena_free(&space->arena);
    hr_groups_free(&space->rows);
    *space = (hr_space){0};
}

/* ---- a node ---- */

/* Sets map[code] to the value at a level; HR_NONE stays HR_NONE. */
static void map_codes(const hr_levels *levels, uint32_t codes, uint32_t level, uint32_t *map) {
    for (uint32_t code = 0; code < codes; code++) {
        map[code] = levels->value_of_code[code];
        for (uint32_t l = 0; l < level && map[code] != HR_NONE; l++)
            map[code] = levels->up[l][map[code]];
    }
}

hr_status hr_space_group(const hr_space *space, const uint32_t *at, hr_groups *out, hr_error *err) {
    *out = (hr_groups){.rows = space->rows.rows, .count = space->rows.count};
    out->of_row = hr_alloc_raw(out->rows, sizeof *out->of_row, err);
    uint32_t *map = hr_alloc_raw(space->most_codes, sizeof *map, err);
    hr_status status = out->of_row && map ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) memcpy(out->of_row, space->rows.of_row, out->rows * sizeof *out->of_row);
    for (size_t j = 0; status == HR_OK && j < space->quasi_count; j++) {
        const hr_column *column = space->task->data->quasi[j].column;
        map_codes(&space->levels[j], column->dictionary.count, at[j], map);
        status = hr_groups_split(out, column, map, space->levels[j].value_count[at[j]], err);
    }
    free(map);
    if (status != HR_OK) hr_groups_free(out);
    return status;
}

uint64_t hr_space_cost(const hr_space *space, const uint32_t *at) {
    uint64_t cost = (space->all_rows - space->row_count) * space->quasi_count * HR_COST_ONE;
    for (size_t j = 0; j < space->quasi_count; j++)
        cost += space->levels[j].cost[at[j]];
    return cost;
}

/* ---- the best node ---- */

hr_status hr_best_init(const hr_space *space, hr_best *best, hr_error *err) {
    hr_arena *arena = &space->findings->arena;
    *best = (hr_best){0};
    best->at = hr_arena_alloc(arena, space->quasi_count, sizeof *best->at, err);
    best->node.levels = hr_arena_alloc(arena, space->quasi_count, sizeof *best->at, err);
    return best->at && best->node.levels ? HR_OK : HR_ENOMEM;
}

hr_lattice_node hr_best_offer(const hr_space *space, hr_best *best, const uint32_t *at,
                              const hr_tally *tally, uint32_t *levels) {
    uint64_t rows = space->all_rows, gone = rows - tally->released, t = space->quasi_count;
    hr_lattice_node node = {.levels = levels,
                            .loss = hr_space_cost(space, at) - tally->spared +
                                    (space->row_count - tally->released) * t * HR_COST_ONE,
                            .released = tally->released,
                            .suppressed = gone,
                            .dm = gone * rows + tally->squares,
                            .classes = tally->classes};
    for (size_t j = 0; j < t; j++)
        levels[j] = space->levels[j].file_level[at[j]];
    if (best->node.classes && hr_lattice_compare(&best->node, &node, t) <= 0) return node;
    uint32_t *own = best->node.levels;
    memcpy(own, levels, t * sizeof *own);
    memcpy(best->at, at, t * sizeof *at);
    best->node = node;
    best->node.levels = own;
    return node;
}

/* ---- the release ---- */

/* Sets the values of each class from its first row. */
static void publish_values(const hr_space *space, const uint32_t *at, hr_partition *out) {
    const hr_microdata *data = space->task->data;
    uint32_t next = 0;
    for (size_t row = 0; row < out->rows && next < out->cluster_count; row++) {
        if (out->cluster[row] != next) continue;
        for (size_t j = 0; j < space->quasi_count; j++) {
            const hr_levels *levels = &space->levels[j];
            uint32_t value = levels->value_of_code[hr_column_code(data->quasi[j].column, row)];
            for (uint32_t l = 0; l < at[j]; l++)
                value = levels->up[l][value];
            uint32_t node = levels->node[at[j]][value];
            out->values[next * space->quasi_count + j] = (hr_span){node, node};
        }
        next++;
    }
}

static hr_status publish_groups(const hr_space *space, const hr_best *best, const hr_groups *groups,
                                hr_partition *out, hr_error *err) {
    const hr_microdata *data = space->task->data;
    const hr_requirements asked = hr_space_asked(space);
    uint32_t *cluster = hr_alloc_raw(groups->count, sizeof *cluster, err);
    hr_facts facts = {0};
    out->values =
        hr_alloc_raw((size_t)best->node.classes * space->quasi_count, sizeof *out->values, err);
    hr_status status =
        cluster && out->values ? hr_facts_of_data(groups, data, &facts, err) : HR_ENOMEM;
    if (status == HR_OK) {
        if (space->task->judge) hr_facts_refer(&facts, space->task->judge->reference);
        /* Groups are numbered by their first row, and so are the classes among them. */
        for (uint32_t g = 0; g < groups->count; g++) {
            bool holds = hr_models_hold(&facts, g, &asked);
            cluster[g] = holds ? out->cluster_count++ : HR_NONE;
            space->findings->counts.poor_groups += !holds && facts.size[g] >= asked.k;
        }
        for (size_t row = 0; row < out->rows; row++)
            if (groups->of_row[row] != HR_NONE) out->cluster[row] = cluster[groups->of_row[row]];
        publish_values(space, best->at, out);
    }
    hr_facts_free(&facts);
    free(cluster);
    return status;
}

hr_status hr_space_publish(hr_space *space, const hr_best *best, hr_partition *out,
                           hr_findings **findings, hr_error *err) {
    hr_groups groups;
    HR_TRY(hr_space_group(space, best->at, &groups, err));
    hr_status status = publish_groups(space, best, &groups, out, err);
    hr_groups_free(&groups);
    if (status == HR_OK) status = hr_lattice_finish(space->findings, &best->node, err);
    if (status != HR_OK) return status;
    *findings = &space->findings->base;
    space->findings = NULL;
    return HR_OK;
}
