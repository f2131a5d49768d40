/* judge.c - the models in play as one judge, and the state of a class that rows join and leave. A
 * state holds what any model may need: the size, and for each sensitive attribute the number of
 * different values, the rows of the most frequent one, and the rows of every value. Models read it
 * through hr_known, as they read a group of hr_facts, so a model is written once. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* The words of a state: size; per attribute `distinct`, then `largest`; per value `rows`. */
static uint32_t *distinct_of(const hr_judge *judge, uint32_t *state) {
    (void)judge;
    return state + 1;
}

static uint32_t *largest_of(const hr_judge *judge, uint32_t *state) {
    return state + 1 + judge->sensitive_count;
}

static uint32_t *rows_of(const hr_judge *judge, uint32_t *state) {
    return state + 1 + 2 * judge->sensitive_count;
}

hr_status hr_judge_make(const hr_sensitive *sensitive, size_t sensitive_count,
                        const hr_requirements *asked, hr_judge *out, hr_error *err) {
    *out = (hr_judge){.asked = *asked, .sensitive = sensitive};
    size_t count = 0;
    for (const hr_model *const *model = hr_models; *model; model++) {
        if (!hr_model_in_play(*model, asked)) continue;
        out->models[count++] = *model;
        out->needs |= (*model)->needs;
    }
    if (out->needs) out->sensitive_count = sensitive_count;
    out->value_start = hr_alloc(out->sensitive_count + 1, sizeof *out->value_start, err);
    if (!out->value_start) return HR_ENOMEM;
    for (size_t l = 0; l < out->sensitive_count; l++)
        out->value_start[l + 1] = out->value_start[l] + sensitive[l].value_count;
    out->words = 1 + 2 * out->sensitive_count + out->value_start[out->sensitive_count];
    return HR_OK;
}

void hr_judge_free(hr_judge *judge) {
    free(judge->value_start);
    *judge = (hr_judge){0};
}

void hr_judge_values(const hr_judge *judge, size_t row, uint32_t *values) {
    for (size_t l = 0; l < judge->sensitive_count; l++)
        values[l] = hr_sensitive_value(&judge->sensitive[l], row);
}

void hr_judge_add(const hr_judge *judge, uint32_t *state, const uint32_t *values, uint32_t count) {
    uint32_t *distinct = distinct_of(judge, state), *largest = largest_of(judge, state);
    uint32_t *rows = rows_of(judge, state);
    state[0] += count;
    for (size_t l = 0; l < judge->sensitive_count && count > 0; l++) {
        if (values[l] == HR_NONE) continue;
        uint32_t *own = &rows[judge->value_start[l] + values[l]];
        distinct[l] += *own == 0;
        *own += count;
        if (*own > largest[l]) largest[l] = *own;
    }
}

static uint32_t find_largest(const uint32_t *rows, size_t count) {
    uint32_t largest = 0;
    for (size_t v = 0; v < count; v++)
        if (rows[v] > largest) largest = rows[v];
    return largest;
}

void hr_judge_remove(const hr_judge *judge, uint32_t *state, const uint32_t *values,
                     uint32_t count) {
    uint32_t *distinct = distinct_of(judge, state), *largest = largest_of(judge, state);
    uint32_t *rows = rows_of(judge, state);
    state[0] -= count;
    for (size_t l = 0; l < judge->sensitive_count && count > 0; l++) {
        if (values[l] == HR_NONE) continue;
        size_t first = judge->value_start[l];
        uint32_t *own = &rows[first + values[l]];
        bool was_largest = *own == largest[l];
        *own -= count;
        distinct[l] -= *own == 0;
        if (was_largest && judge->needs & HR_NEEDS_COUNTS)
            largest[l] = find_largest(rows + first, judge->value_start[l + 1] - first);
    }
}

void hr_judge_merge(const hr_judge *judge, uint32_t *state, const uint32_t *other) {
    uint32_t *distinct = distinct_of(judge, state), *largest = largest_of(judge, state);
    uint32_t *rows = rows_of(judge, state);
    const uint32_t *more = other + (rows - state);
    state[0] += other[0];
    for (size_t l = 0; l < judge->sensitive_count; l++)
        for (size_t i = judge->value_start[l]; i < judge->value_start[l + 1]; i++) {
            distinct[l] += rows[i] == 0 && more[i] > 0;
            rows[i] += more[i];
            if (rows[i] > largest[l]) largest[l] = rows[i];
        }
}

hr_known hr_judge_known(const hr_judge *judge, const uint32_t *state) {
    size_t r = judge->sensitive_count;
    return (hr_known){.size = state[0],
                      .sensitive_count = r,
                      .distinct = state + 1,
                      .largest = state + 1 + r,
                      .start = judge->value_start,
                      .rows = state + 1 + 2 * r};
}

bool hr_judge_holds(const hr_judge *judge, const uint32_t *state) {
    hr_known class = hr_judge_known(judge, state);
    for (const hr_model *const *model = judge->models; *model; model++)
        if (!(*model)->holds(&class, &judge->asked)) return false;
    return true;
}

uint32_t hr_judge_excess(const hr_judge *judge, const uint32_t *state, const uint32_t *values) {
    hr_known class = hr_judge_known(judge, state);
    uint32_t most = 0;
    for (size_t l = 0; l < judge->sensitive_count; l++)
        for (const hr_model *const *model = judge->models; *model; model++) {
            if (values[l] == HR_NONE || !(*model)->excess) continue;
            uint32_t rows = class.rows[class.start[l] + values[l]];
            uint32_t own = (*model)->excess(&class, l, rows, &judge->asked);
            if (own > most) most = own;
        }
    return most;
}

uint32_t hr_judge_lack(const hr_judge *judge, const uint32_t *state) {
    hr_known class = hr_judge_known(judge, state);
    uint32_t most = 0;
    for (const hr_model *const *model = judge->models; *model; model++) {
        uint32_t lack = (*model)->lack(&class, &judge->asked);
        if (lack > most) most = lack;
    }
    return most;
}

uint32_t hr_judge_spare(const hr_judge *judge, uint32_t *state, const uint32_t *values,
                        uint32_t most) {
    for (; most > 0; most /= 2) {
        hr_judge_remove(judge, state, values, most);
        bool holds = hr_judge_holds(judge, state);
        hr_judge_add(judge, state, values, most);
        if (holds) return most;
    }
    return 0;
}

uint32_t hr_judge_room(const hr_judge *judge, uint32_t *state, const uint32_t *values,
                       uint32_t most) {
    for (; most > 0; most /= 2) {
        hr_judge_add(judge, state, values, most);
        bool holds = hr_judge_holds(judge, state);
        hr_judge_remove(judge, state, values, most);
        if (holds) return most;
    }
    return 0;
}
