/* incognito_plain.c - full-domain generalization as in a textbook: evaluates every node of the
 * lattice with a pass over the table and publishes the best node that satisfies the models. Time:
 * O(nodes x rows x attributes). */
#include "algorithm/lattice/lattice.h"

#include <stdlib.h>

typedef struct {
    hr_space space;
    hr_best best;
    bool *satisfies;  /* per node; the level of the last attribute varies fastest */
    uint32_t *at;     /* per quasi-identifier: level of the current node */
    uint32_t *levels; /* the same as columns of the hierarchy files */
} search;

/* Loss of a group if it were released; `row` is one of its rows. */
static uint64_t group_cost(const search *s, uint32_t size, uint32_t row) {
    const hr_microdata *data = s->space.task->data;
    uint64_t cost = 0;
    for (size_t j = 0; j < s->space.quasi_count; j++) {
        const hr_levels *levels = &s->space.levels[j];
        uint32_t value = levels->value_of_code[hr_column_code(data->quasi[j].column, row)];
        for (uint32_t l = 0; l < s->at[j]; l++)
            value = levels->up[l][value];
        cost += data->quasi[j].tree->cost[levels->node[s->at[j]][value]];
    }
    return cost * size;
}

static hr_status tally_groups(const search *s, const hr_groups *groups, hr_tally *out,
                              hr_error *err) {
    const hr_microdata *data = s->space.task->data;
    const hr_requirements asked = hr_space_asked(&s->space);
    hr_facts facts;
    HR_TRY(hr_facts_of_data(groups, data, &facts, err));
    if (s->space.task->judge) hr_facts_refer(&facts, s->space.task->judge->reference);
    uint32_t next = 0; /* groups are numbered by their first row, so they start in order */
    for (size_t row = 0; row < groups->rows && next < groups->count; row++) {
        if (groups->of_row[row] != next) continue;
        uint64_t size = facts.size[next];
        if (hr_models_hold(&facts, next, &asked)) {
            out->classes++;
            out->released += size;
            out->squares += size * size;
        } else {
            out->spared += group_cost(s, facts.size[next], (uint32_t)row);
        }
        next++;
    }
    hr_facts_free(&facts);
    return HR_OK;
}

/* Does a node one level below the current one, in one attribute, satisfy the models? */
static bool satisfies_below(const search *s, uint64_t index) {
    uint64_t stride = 1;
    for (size_t j = s->space.quasi_count; j-- > 0; stride *= s->space.levels[j].count)
        if (s->at[j] > 0 && s->satisfies[index - stride]) return true;
    return false;
}

/* Evaluates the current node, whose index in `satisfies` is `index`. */
static hr_status evaluate(search *s, uint64_t index, hr_error *err) {
    hr_lattice_findings *findings = s->space.findings;
    hr_groups groups;
    hr_tally tally = {0};
    HR_TRY(hr_space_group(&s->space, s->at, &groups, err));
    hr_status status = tally_groups(s, &groups, &tally, err);
    hr_groups_free(&groups);
    if (status != HR_OK) return status;
    findings->counts.checked++;
    findings->counts.scans++;
    s->satisfies[index] = tally.classes && s->space.row_count - tally.released <= s->space.limit;
    if (!s->satisfies[index]) return HR_OK;
    hr_lattice_node node = hr_best_offer(&s->space, &s->best, s->at, &tally, s->levels);
    node.minimal = !satisfies_below(s, index);
    if (node.minimal) return hr_lattice_add(findings, &node, err);
    findings->counts.judged++;
    return HR_OK;
}

/* Moves to the next node. */
static void advance(search *s) {
    for (size_t j = s->space.quasi_count; j-- > 0; s->at[j] = 0)
        if (++s->at[j] < s->space.levels[j].count) return;
}

static hr_status walk(search *s, hr_error *err) {
    const hr_table_task *task = s->space.task;
    size_t t = s->space.quasi_count;
    s->space.findings->counts.all_nodes = s->space.nodes;
    s->satisfies = hr_alloc(s->space.nodes, sizeof *s->satisfies, err);
    s->at = hr_arena_alloc(&s->space.arena, t, sizeof *s->at, err);
    s->levels = hr_arena_alloc(&s->space.arena, t, sizeof *s->levels, err);
    if (!s->satisfies || !s->at || !s->levels) return HR_ENOMEM;
    HR_TRY(hr_best_init(&s->space, &s->best, err));
    hr_progress_start(task->progress, task->watch, "search", s->space.nodes);
    for (uint64_t index = 0; index < s->space.nodes; index++, advance(s)) {
        HR_TRY(evaluate(s, index, err));
        HR_TRY(hr_progress_add(task->progress, 1, err));
    }
    return HR_OK;
}

hr_status hr_incognito_plain(const hr_table_task *task, hr_partition *out, hr_findings **findings,
                             hr_error *err) {
    search s = {0};
    HR_TRY(hr_space_make(task, &s.space, err));
    hr_status status = walk(&s, err);
    if (status == HR_OK) status = hr_space_publish(&s.space, &s.best, out, findings, err);
    free(s.satisfies);
    hr_space_free(&s.space);
    return status;
}
