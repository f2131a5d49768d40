/* rollup.c - a table counted by combination of quasi-identifier values. Which rows boundaries
 * suppress depends on the combinations alone: combinations with the same MAGVals are united, and
 * the models judge the unions. That is fast enough for every position of a boundary that is
 * dragged. Under models that trim cells it matters which rows of a cell stay, so there the rows
 * themselves are grouped. */
#include "run/suggest/rollup.h"

#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* Makes the codes of a number: one for each pair of a cell and a group of shown values. */
static hr_status number_codes(const hr_quasi *quasi, const hr_shown_values *shown, uint32_t **map,
                              hr_rollup *r, size_t j, hr_error *err) {
    uint32_t codes = quasi->column->dictionary.count, count = quasi->value_count;
    hr_map64 pairs = {0};
    hr_status status = HR_OK;
    r->cell_of[j] = hr_alloc(count, sizeof **r->cell_of, err);
    r->shown_of[j] = hr_alloc(count, sizeof **r->shown_of, err);
    if (!r->cell_of[j] || !r->shown_of[j]) return HR_ENOMEM;
    for (uint32_t code = 0; code < codes && status == HR_OK; code++) {
        uint32_t value = quasi->value_of_code[code], pair = HR_NONE;
        if (value != HR_NONE && shown->of_value[value] != HR_NONE) {
            uint32_t cell = quasi->bounded ? quasi->magval[value] : 0;
            status =
                hr_map64_intern(&pairs, (uint64_t)cell << 32 | shown->of_value[value], &pair, err);
            if (status != HR_OK) break;
            r->cell_of[j][pair] = cell;
            r->shown_of[j][pair] = shown->of_value[value];
        }
        (*map)[code] = pair;
    }
    r->code_count[j] = pairs.count ? pairs.count : 1;
    hr_map64_free(&pairs);
    return status;
}

/* map[code of the column]: code of the rollup. */
static hr_status map_codes(hr_rollup *r, size_t j, uint32_t **map, hr_error *err) {
    const hr_quasi *quasi = &r->dataset.data.quasi[j];
    uint32_t codes = quasi->column->dictionary.count;
    *map = hr_alloc_raw(codes, sizeof **map, err);
    if (!*map) return HR_ENOMEM;
    if (!quasi->tree) return number_codes(quasi, &r->shown[j], map, r, j, err);
    memcpy(*map, quasi->value_of_code, codes * sizeof **map);
    r->code_count[j] = quasi->value_count;
    return HR_OK;
}

/* Fills in the column of a quasi-identifier: one row per combination. */
static hr_status fill_column(hr_rollup *r, size_t j, const hr_groups *groups, const uint32_t *map,
                             hr_error *err) {
    const hr_column *from = r->dataset.data.quasi[j].column;
    uint32_t *codes = hr_alloc_raw(r->count, sizeof *codes, err);
    if (!codes) return HR_ENOMEM;
    r->columns[j] = (hr_column){.codes = codes, .width = sizeof *codes, .rows = r->count};
    for (size_t row = 0; row < groups->rows; row++)
        if (groups->of_row[row] != HR_NONE)
            codes[groups->of_row[row]] = map[hr_column_code(from, row)];
    return HR_OK;
}

static hr_status fill(hr_rollup *r, hr_split *by, hr_groups *groups, hr_error *err) {
    const hr_microdata *data = &r->dataset.data;
    for (size_t j = 0; j < data->quasi_count; j++) {
        uint32_t *map = NULL;
        hr_status status = map_codes(r, j, &map, err);
        by[j] = (hr_split){data->quasi[j].column, map, r->code_count[j]};
        HR_TRY(status);
    }
    HR_TRY(hr_groups_split_all(groups, by, data->quasi_count, err));
    r->count = groups->count;
    for (size_t j = 0; j < data->quasi_count; j++)
        HR_TRY(fill_column(r, j, groups, by[j].map, err));
    HR_TRY(hr_facts_of_data(groups, data, &r->facts, err));
    r->dropped = data->rows;
    for (uint32_t c = 0; c < r->count; c++)
        r->dropped -= r->facts.size[c];
    return HR_OK;
}

static hr_status count(hr_rollup *r, hr_error *err) {
    const hr_microdata *data = &r->dataset.data;
    size_t t = data->quasi_count;
    hr_groups groups = {0};
    HR_TRY(hr_shown_values_all(data, &r->shown, err));
    r->columns = hr_alloc(t, sizeof *r->columns, err);
    r->cell_of = hr_alloc(t, sizeof *r->cell_of, err);
    r->shown_of = hr_alloc(t, sizeof *r->shown_of, err);
    r->code_count = hr_alloc(t, sizeof *r->code_count, err);
    if (!r->columns || !r->cell_of || !r->shown_of || !r->code_count) return HR_ENOMEM;
    hr_split *by = hr_alloc(t, sizeof *by, err);
    hr_status status = by ? hr_groups_start(&groups, data->rows, err) : HR_ENOMEM;
    if (status == HR_OK) status = fill(r, by, &groups, err);
    if (status == HR_OK) status = hr_rollup_count_trees(r, &groups, err);
    for (size_t j = 0; by && j < t; j++)
        free((uint32_t *)by[j].map);
    free(by);
    hr_groups_free(&groups);
    return status;
}

hr_status hr_job_rollup(const hr_job *job, const hr_watch *watch, hr_rollup **out, hr_error *err) {
    hr_watch own;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    HR_TRY(hr_job_complete(job, err));
    hr_rollup *r = hr_alloc(1, sizeof *r, err);
    if (!r) return HR_ENOMEM;
    hr_status status = hr_dataset_load(job, &own, &r->dataset, err);
    hr_requirements asked = hr_job_asked(job);
    if (status == HR_OK) status = hr_cuts_choose(&r->dataset.data, &asked, &own, err);
    r->dataset.missing = (hr_missing){0}; /* belongs to the job */
    if (status == HR_OK) status = count(r, err);
    if (status == HR_OK) status = hr_watch_check(&own, err);
    if (status == HR_OK)
        *out = r;
    else
        hr_rollup_free(r);
    return status;
}

void hr_rollup_free(hr_rollup *r) {
    if (!r) return;
    size_t t = r->dataset.data.quasi_count;
    hr_rollup_free_trees(r);
    for (size_t j = 0; j < t; j++) {
        if (r->columns) free(r->columns[j].codes);
        if (r->cell_of) free(r->cell_of[j]);
        if (r->shown_of) free(r->shown_of[j]);
    }
    free(r->columns);
    free(r->cell_of);
    free(r->shown_of);
    free(r->code_count);
    hr_shown_values_free_all(r->shown, t);
    hr_facts_free(&r->facts);
    hr_dataset_free(&r->dataset);
    free(r);
}

/* ---- boundaries of a job ---- */

static hr_status draw(const hr_quasi *quasi, const hr_job *job, uint32_t **magval, hr_error *err) {
    const hr_attribute *attribute = hr_attribute_find(job, quasi->name);
    if (!attribute || attribute->role != HR_ROLE_QUASI)
        return hr_fail(
            err, HR_EINVAL,
            "'%s' is not a quasi-identifier of this job: the roles must be those of the job "
            "that was counted",
            quasi->name);
    if (!quasi->tree) return HR_OK;
    hr_status status = hr_attribute_boundary(attribute, quasi->tree, magval, err);
    if (status == HR_OK && quasi->finest)
        status = hr_finest_check(quasi->tree, quasi->finest, *magval, err);
    return status == HR_OK ? HR_OK : hr_fail_prefix(err, status, "attribute '%s'", quasi->name);
}

hr_status hr_drawn_make(const hr_rollup *rollup, const hr_job *job, hr_drawn *out, hr_error *err) {
    const hr_microdata *data = &rollup->dataset.data;
    *out = (hr_drawn){.count = data->quasi_count};
    out->magval = hr_alloc(data->quasi_count, sizeof *out->magval, err);
    if (!out->magval) return HR_ENOMEM;
    hr_status status = HR_OK;
    for (size_t j = 0; j < data->quasi_count && status == HR_OK; j++)
        status = draw(&data->quasi[j], job, &out->magval[j], err);
    if (status != HR_OK) hr_drawn_free(out);
    return status;
}

void hr_drawn_free(hr_drawn *drawn) {
    for (size_t j = 0; drawn->magval && j < drawn->count; j++)
        free(drawn->magval[j]);
    free(drawn->magval);
    *drawn = (hr_drawn){0};
}

/* ---- cutting ---- */

/* Does the boundary separate any values? */
static bool separates(const hr_rollup *r, size_t j, const uint32_t *magval) {
    const hr_quasi *quasi = &r->dataset.data.quasi[j];
    if (!quasi->tree) return quasi->bounded;
    for (uint32_t leaf = 0; leaf < quasi->tree->leaf_count; leaf++)
        if (magval[hr_quasi_leaf_value(quasi, leaf)] != quasi->tree->root) return true;
    return false;
}

/* Unites the combinations with equal MAGVals. */
static hr_status unite(const hr_rollup *r, uint32_t *const *magval, const hr_requirements *asked,
                       bool values, hr_rollup_cut *out, hr_error *err) {
    const hr_microdata *data = &r->dataset.data;
    hr_facts facts = r->facts;
    if (!values && asked->p <= 1 && !hr_models_beyond_kp(asked))
        facts.sensitive_count = 0; /* the sizes are enough */
    HR_TRY(hr_groups_start(&out->groups, r->count, err));
    hr_split *by = hr_alloc(data->quasi_count, sizeof *by, err);
    if (!by) return HR_ENOMEM;
    size_t count = 0;
    for (size_t j = 0; j < data->quasi_count; j++) {
        const hr_quasi *quasi = &data->quasi[j];
        if (!separates(r, j, magval[j])) continue;
        const uint32_t *map = quasi->tree ? magval[j] : r->cell_of[j];
        by[count++] = (hr_split){&r->columns[j], map, quasi->value_count};
    }
    hr_status status = hr_groups_split_all(&out->groups, by, count, err);
    free(by);
    HR_TRY(status);
    return hr_facts_merge(&facts, &out->groups, data->sensitive, &out->facts, err);
}

static hr_status cut_rows(const hr_rollup *r, uint32_t *const *magval, const hr_requirements *asked,
                          const hr_watch *watch, hr_rollup_cut *out, hr_error *err) {
    const hr_microdata *data = &r->dataset.data;
    hr_quasi *quasi = hr_alloc_raw(data->quasi_count, sizeof *quasi, err);
    if (!quasi) return HR_ENOMEM;
    memcpy(quasi, data->quasi, data->quasi_count * sizeof *quasi);
    for (size_t j = 0; j < data->quasi_count; j++) {
        if (!quasi[j].tree) continue;
        quasi[j].magval = magval[j];
        quasi[j].bounded = separates(r, j, magval[j]);
    }
    out->by_row = true;
    hr_status status = hr_cells(quasi, data->quasi_count, data->rows, true, &out->groups, err);
    free(quasi);
    if (status == HR_OK)
        status = hr_cells_trim(data, asked, watch, &out->groups, &out->trimmed, err);
    if (status == HR_OK) status = hr_facts_of_data(&out->groups, data, &out->facts, err);
    return status;
}

hr_status hr_rollup_cut_along(const hr_rollup *rollup, uint32_t *const *magval,
                              const hr_requirements *asked, bool values, const hr_watch *watch,
                              hr_rollup_cut *out, hr_error *err) {
    *out = (hr_rollup_cut){0};
    hr_status status = hr_watch_check(watch, err);
    if (status == HR_OK)
        status = hr_models_trim(asked) ? cut_rows(rollup, magval, asked, watch, out, err)
                                       : unite(rollup, magval, asked, values, out, err);
    if (status == HR_OK) {
        out->out = hr_alloc(out->facts.count, sizeof *out->out, err);
        status = out->out ? HR_OK : HR_ENOMEM;
    }
    if (status == HR_OK)
        out->suppressed =
            hr_models_out(&out->facts, asked, out->out) + out->trimmed + rollup->dropped;
    else
        hr_rollup_cut_free(out);
    return status;
}

void hr_rollup_cut_free(hr_rollup_cut *cut) {
    hr_groups_free(&cut->groups);
    hr_facts_free(&cut->facts);
    free(cut->out);
    *cut = (hr_rollup_cut){0};
}

/* ---- the price alone ---- */

/* The number of rows of a cell that must be suppressed. `state` is zero before and after. */
static uint32_t price_cell(const hr_judge *judge, const hr_facts *facts, uint32_t g,
                           uint32_t *state) {
    size_t first = facts->value_start[g], end = facts->value_start[g + 1];
    hr_judge_parts parts = hr_judge_parts_of(judge, state);
    uint32_t totals[1], size = facts->size[g];
    *parts.size = size;
    *parts.distinct = facts->distinct[g];
    *parts.largest = facts->largest[g];
    for (size_t i = first; i < end; i++)
        parts.rows[facts->values[i]] = facts->value_rows[i];
    hr_judge_trim(judge, state, totals);
    uint32_t gone = hr_judge_holds(judge, state) ? size - *parts.size : size;
    *parts.size = *parts.distinct = *parts.largest = 0;
    for (size_t i = first; i < end; i++)
        parts.rows[facts->values[i]] = 0;
    return gone;
}

/* Counts the suppressed rows under models that trim cells, for one sensitive attribute: they follow
 * from the counts of its values. */
static hr_status price_counts(const hr_rollup *r, uint32_t *const *magval,
                              const hr_requirements *asked, uint64_t *out, hr_error *err) {
    const hr_microdata *data = &r->dataset.data;
    hr_judge judge = {0};
    hr_rollup_cut cut = {0};
    uint32_t *state = NULL;
    hr_status status =
        hr_judge_make(data->sensitive, data->sensitive_count, asked, NULL, &judge, err);
    if (status == HR_OK) status = unite(r, magval, asked, true, &cut, err);
    if (status == HR_OK && !(state = hr_alloc(judge.words, sizeof *state, err))) status = HR_ENOMEM;
    *out = r->dropped;
    for (uint32_t g = 0; status == HR_OK && g < cut.facts.count; g++)
        *out += price_cell(&judge, &cut.facts, g, state);
    free(state);
    hr_rollup_cut_free(&cut);
    hr_judge_free(&judge);
    return status;
}

hr_status hr_rollup_price(const hr_rollup *rollup, uint32_t *const *magval,
                          const hr_requirements *asked, const hr_watch *watch, uint64_t *out,
                          hr_error *err) {
    hr_rollup_cut cut;
    const hr_microdata *data = &rollup->dataset.data;
    bool counts = data->sensitive_count == 1 && !data->sensitive[0].referred && !asked->unit;
    if (hr_models_trim(asked) && counts) {
        HR_TRY(hr_watch_check(watch, err));
        return price_counts(rollup, magval, asked, out, err);
    }
    HR_TRY(hr_rollup_cut_along(rollup, magval, asked, false, watch, &cut, err));
    *out = cut.suppressed;
    hr_rollup_cut_free(&cut);
    return HR_OK;
}

/* ---- suppressed rows by value ---- */

/* Counts the rows of combinations in OUT cells, and those that are dropped. */
static hr_status count_lost(const hr_rollup *r, const hr_rollup_cut *cut, hr_lost **out,
                            hr_error *err) {
    const hr_microdata *data = &r->dataset.data;
    uint64_t **kept = hr_lost_counts(r->shown, data->quasi_count, err);
    if (!kept) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++) {
        const uint32_t *codes = r->columns[j].codes;
        const uint32_t *group = data->quasi[j].tree ? r->shown[j].of_value : r->shown_of[j];
        for (uint32_t c = 0; c < r->count; c++)
            if (!cut->out[cut->groups.of_row[c]]) kept[j][group[codes[c]]] += r->facts.size[c];
        for (uint32_t g = 0; g <= r->shown[j].count; g++)
            kept[j][g] = r->shown[j].rows[g] - kept[j][g];
    }
    hr_status status = hr_lost_of_counts(data, r->shown, kept, out, err);
    free(kept);
    return status;
}

hr_status hr_rollup_lost(const hr_rollup *rollup, const hr_job *job, const hr_watch *watch,
                         hr_lost **out, hr_error *err) {
    const hr_microdata *data = &rollup->dataset.data;
    hr_watch own;
    hr_drawn drawn;
    hr_rollup_cut cut;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    HR_TRY(hr_job_complete(job, err));
    HR_TRY(hr_drawn_make(rollup, job, &drawn, err));
    hr_requirements asked = hr_job_asked(job);
    hr_status status = hr_rollup_cut_along(rollup, drawn.magval, &asked, false, &own, &cut, err);
    hr_drawn_free(&drawn);
    HR_TRY(status);
    status = cut.by_row ? hr_lost_of_rows(data, rollup->shown, cut.groups.of_row, cut.out, out, err)
                        : count_lost(rollup, &cut, out, err);
    if (status == HR_OK)
        (*out)->figures = (hr_lost_figures){.k = asked.k,
                                            .p = asked.p,
                                            .rows = data->rows,
                                            .suppressed = cut.suppressed,
                                            .dropped = rollup->dropped,
                                            .trimmed = cut.trimmed};
    hr_rollup_cut_free(&cut);
    return status;
}
