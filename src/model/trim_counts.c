/* trim_counts.c - how many rows of each value can stay in a class under models that are not closed
 * under supersets, computed on counts, without rows. If the number of values is close to 1 / alpha,
 * hundreds of rounds remove a few rows each, so a round takes time O(values) only. */
#include "model/model.h"

static bool trims(const hr_model *model, const hr_requirements *asked) {
    if (model->shrink && asked->t_reference == HR_REFERENCE_INPUT) return true;
    return !model->closed_under_superset && (model->excess || model->even_is_best);
}

bool hr_models_trim(const hr_requirements *asked) {
    for (const hr_model *const *model = hr_models; *model; model++)
        if (trims(*model, asked) && hr_model_in_play(*model, asked)) return true;
    return false;
}

/* Does the model trim classes because of attribute l? */
static bool trims_by(const hr_judge *judge, const hr_model *model, size_t l) {
    if (model->shrink && judge->sensitive[l].distance != HR_DISTANCE_EQUAL) return false;
    return trims(model, &judge->each[l]) && model->in_play(&judge->each[l]);
}

bool hr_judge_trimmed(const hr_judge *judge, const uint32_t *state) {
    hr_known class = hr_judge_known(judge, state);
    for (const hr_model *const *model = judge->models; *model; model++)
        for (size_t l = 0; l < judge->sensitive_count; l++)
            if (trims_by(judge, *model, l) && !(*model)->holds(&class, l, &judge->each[l]))
                return false;
    return true;
}

/* The greatest excess by any model of a value of attribute l that has `rows` rows. */
static uint32_t greatest_excess(const hr_judge *judge, const uint32_t *state, size_t l,
                                uint32_t rows) {
    hr_known class = hr_judge_known(judge, state);
    uint32_t most = 0;
    for (const hr_model *const *model = judge->models; *model; model++) {
        if (!trims_by(judge, *model, l) || !(*model)->excess) continue;
        uint32_t own = (*model)->excess(&class, l, rows, &judge->each[l]);
        if (own > most) most = own;
    }
    return most;
}

/* Do the counts of attribute l satisfy the models for which even counts are best? */
static bool is_even_enough(const hr_judge *judge, const uint32_t *state, size_t l) {
    hr_known class = hr_judge_known(judge, state);
    for (const hr_model *const *model = judge->models; *model; model++)
        if ((*model)->even_is_best && trims_by(judge, *model, l) &&
            !(*model)->holds(&class, l, &judge->each[l]))
            return false;
    return true;
}

/* The most frequent value of attribute l; ties by key. */
static size_t find_most(const hr_judge *judge, const uint32_t *rows, size_t l) {
    size_t most = judge->value_start[l];
    for (size_t i = most + 1; i < judge->value_start[l + 1]; i++)
        if (rows[i] > rows[most] ||
            (rows[i] == rows[most] && judge->value_key[i] < judge->value_key[most]))
            most = i;
    return most;
}

/* Removes rows of the most frequent value one by one until the counts are even enough. No part with
 * as many rows is more even, so no larger part of the class holds. Time: O(rows x values). */
static bool even_counts(const hr_judge *judge, uint32_t *state, size_t l, uint32_t *total) {
    hr_judge_parts parts = hr_judge_parts_of(judge, state);
    bool changed = false;
    if (judge->value_start[l] == judge->value_start[l + 1]) return false; /* no values */
    while (*total > 0 && !is_even_enough(judge, state, l)) {
        size_t most = find_most(judge, parts.rows, l);
        if (parts.rows[most] == 0) break; /* all values are missing */
        parts.rows[most]--;
        parts.distinct[l] -= parts.rows[most] == 0;
        parts.largest[l] = parts.rows[find_most(judge, parts.rows, l)];
        (*total)--;
        if (*total < *parts.size) *parts.size = *total;
        changed = true;
    }
    return changed;
}

/* Lowers the counts to those of the largest part that holds, for models that can tell it. */
static bool shrink_counts(const hr_judge *judge, uint32_t *state, size_t l, uint32_t *total) {
    hr_judge_parts parts = hr_judge_parts_of(judge, state);
    size_t first = judge->value_start[l], end = judge->value_start[l + 1];
    uint32_t gone = 0;
    for (const hr_model *const *model = judge->models; *model; model++) {
        hr_known class = hr_judge_known(judge, state);
        if (!(*model)->shrink || !trims_by(judge, *model, l)) continue;
        if ((*model)->holds(&class, l, &judge->each[l])) continue;
        gone += (*model)->shrink(&class, l, &judge->each[l], judge->value_key + first,
                                 parts.rows + first);
    }
    if (gone == 0) return false;
    parts.distinct[l] = parts.largest[l] = 0;
    for (size_t i = first; i < end; i++) {
        parts.distinct[l] += parts.rows[i] > 0;
        if (parts.rows[i] > parts.largest[l]) parts.largest[l] = parts.rows[i];
    }
    *total -= gone;
    if (*total < *parts.size) *parts.size = *total;
    return true;
}

/* Lowers the counts of one attribute once. *total receives the rows that this attribute allows. */
static bool lower_counts(const hr_judge *judge, uint32_t *state, size_t l, uint32_t *total) {
    hr_judge_parts parts = hr_judge_parts_of(judge, state);
    bool changed = false;
    parts.distinct[l] = parts.largest[l] = 0;
    for (size_t i = judge->value_start[l]; i < judge->value_start[l + 1]; i++) {
        uint32_t excess = parts.rows[i] ? greatest_excess(judge, state, l, parts.rows[i]) : 0;
        changed |= excess > 0;
        parts.rows[i] -= excess;
        *total -= excess;
        parts.distinct[l] += parts.rows[i] > 0;
        if (parts.rows[i] > parts.largest[l]) parts.largest[l] = parts.rows[i];
        if (*total < *parts.size) *parts.size = *total;
    }
    changed |= even_counts(judge, state, l, total);
    return shrink_counts(judge, state, l, total) || changed;
}

void hr_judge_trim(const hr_judge *judge, uint32_t *state, uint32_t *totals) {
    for (size_t l = 0; l < judge->sensitive_count; l++)
        totals[l] = state[0];
    for (bool again = true; again;) {
        again = false;
        for (size_t l = 0; l < judge->sensitive_count; l++)
            again = lower_counts(judge, state, l, &totals[l]) || again;
    }
}
