/* judge.c - all models in play as one judge, and the state of a class while rows join and leave it.
 * A state holds what any model may need: the size, and for each sensitive attribute the number of
 * different values, the rows of the most frequent one (0 unless a model needs it), and the rows of
 * every value. Models read a state through hr_known, as they read a group of hr_facts, so each
 * model is written once. */
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* The words of a state: size; per attribute `distinct`, then `largest`; per value `rows`. */
hr_judge_parts hr_judge_parts_of(const hr_judge *judge, uint32_t *state) {
    size_t r = judge->sensitive_count;
    return (hr_judge_parts){state, state + 1, state + 1 + r, state + 1 + 2 * r};
}

static uint32_t *distinct_of(const hr_judge *judge, uint32_t *state) {
    return hr_judge_parts_of(judge, state).distinct;
}

static uint32_t *largest_of(const hr_judge *judge, uint32_t *state) {
    return hr_judge_parts_of(judge, state).largest;
}

static uint32_t *rows_of(const hr_judge *judge, uint32_t *state) {
    return hr_judge_parts_of(judge, state).rows;
}

/* Sets the key of each value: the hash of its text, or the least hash if several texts mean it. */
static hr_status find_keys(hr_judge *judge, hr_error *err) {
    size_t r = judge->sensitive_count;
    judge->value_key = hr_alloc_raw(judge->value_start[r], sizeof *judge->value_key, err);
    if (!judge->value_key) return HR_ENOMEM;
    memset(judge->value_key, 0xff, judge->value_start[r] * sizeof *judge->value_key);
    for (size_t l = 0; l < r; l++) {
        const hr_sensitive *s = &judge->sensitive[l];
        for (uint32_t code = 0; code < s->column->dictionary.count; code++) {
            if (s->value_of_code[code] == HR_NONE) continue;
            const char *text = hr_dictionary_text(&s->column->dictionary, code);
            uint64_t *key = &judge->value_key[judge->value_start[l] + s->value_of_code[code]];
            uint64_t hash = hr_hash(text, strlen(text));
            if (hash < *key) *key = hash;
        }
    }
    return HR_OK;
}

static hr_status fill(hr_judge *judge, hr_error *err) {
    size_t r = judge->sensitive_count;
    judge->value_start = hr_alloc(r + 1, sizeof *judge->value_start, err);
    judge->each = hr_alloc(r, sizeof *judge->each, err);
    if (!judge->value_start || !judge->each) return HR_ENOMEM;
    for (size_t l = 0; l < r; l++) {
        judge->value_start[l + 1] = judge->value_start[l] + judge->sensitive[l].value_count;
        judge->each[l] = hr_asked_of(&judge->asked, &judge->sensitive[l]);
    }
    judge->words = 1 + 2 * r + judge->value_start[r];
    judge->width = r;
    if (!(judge->needs & HR_NEEDS_COUNTS)) return HR_OK;
    HR_TRY(find_keys(judge, err));
    if (!(judge->needs & HR_NEEDS_LOGS)) return HR_OK;
    judge->logs = hr_alloc(HR_LOGS, sizeof *judge->logs, err);
    for (uint32_t n = 0; n < HR_LOGS && judge->logs; n++)
        judge->logs[n] = hr_n_log_n(n);
    return judge->logs ? HR_OK : HR_ENOMEM;
}

hr_status hr_judge_make(const hr_sensitive *sensitive, size_t sensitive_count,
                        const hr_requirements *asked, const hr_reference *reference, hr_judge *out,
                        hr_error *err) {
    *out = (hr_judge){.asked = *asked,
                      .sensitive = sensitive,
                      .reference = reference,
                      .closed_under_superset = true};
    size_t count = 0;
    for (const hr_model *const *model = hr_models; *model; model++) {
        if (!hr_model_in_play(*model, asked)) continue;
        out->models[count++] = *model;
        out->needs |= (*model)->needs;
        out->closed_under_superset &= (*model)->closed_under_superset;
    }
    if (out->needs) out->sensitive_count = sensitive_count;
    hr_status status = fill(out, err);
    if (status != HR_OK) hr_judge_free(out);
    return status;
}

void hr_judge_free(hr_judge *judge) {
    free(judge->value_start);
    free(judge->each);
    free(judge->logs);
    free(judge->value_key);
    *judge = (hr_judge){0};
}

/* ---- units ---- */

/* The words of units: how many have rows; their list; for each unit its rows and its place in the
 * list, side by side because they are used together. */
enum { ROWS, PLACE };

typedef struct {
    uint32_t *present, *list, (*of)[2];
} unit_parts;

static size_t words_without_units(const hr_judge *judge) {
    size_t r = judge->sensitive_count;
    return 1 + 2 * r + judge->value_start[r];
}

static unit_parts units_of(const hr_judge *judge, uint32_t *state) {
    uint32_t *first = state + words_without_units(judge);
    return (unit_parts){first, first + 1, (uint32_t(*)[2])(first + 1 + judge->unit_count)};
}

void hr_judge_count_units(hr_judge *judge, const hr_sensitive *unit, uint32_t count) {
    judge->unit = unit;
    judge->unit_count = unit ? count : 0;
    judge->width = judge->sensitive_count + (unit != NULL);
    judge->words = words_without_units(judge) + (unit ? 1 + 3 * (size_t)count : 0);
}

void hr_judge_drop_p(hr_judge *judge) {
    for (size_t i = 0; judge->models[i]; i++)
        if (i >= HR_MODELS_KP || judge->models[i] != hr_models[i]) return;
    judge->models[1] = NULL;
    judge->needs = 0;
    judge->sensitive_count = 0;
    hr_judge_count_units(judge, judge->unit, judge->unit_count);
}

void hr_judge_clear(const hr_judge *judge, uint32_t *state) {
    memset(state, 0, words_without_units(judge) * sizeof *state);
    if (!judge->unit) return;
    unit_parts units = units_of(judge, state);
    for (uint32_t i = 0; i < *units.present; i++)
        units.of[units.list[i]][ROWS] = 0;
    *units.present = 0;
}

static void add_unit(const hr_judge *judge, uint32_t *state, uint32_t unit, uint32_t count) {
    unit_parts units = units_of(judge, state);
    uint32_t *own = units.of[unit];
    if (own[ROWS] == 0) {
        own[PLACE] = *units.present;
        units.list[(*units.present)++] = unit;
    }
    own[ROWS] += count;
}

/* Removes a unit that has no rows left: the last unit of the list takes its place. */
static void remove_unit(const hr_judge *judge, uint32_t *state, uint32_t unit, uint32_t count) {
    unit_parts units = units_of(judge, state);
    uint32_t *own = units.of[unit];
    own[ROWS] -= count;
    if (own[ROWS] > 0) return;
    uint32_t last = units.list[--*units.present];
    if (last == unit) return;
    units.list[own[PLACE]] = last;
    units.of[last][PLACE] = own[PLACE];
}

static void merge_units(const hr_judge *judge, uint32_t *state, const uint32_t *other) {
    const uint32_t *first = other + words_without_units(judge), *list = first + 1;
    const uint32_t *of = list + judge->unit_count;
    for (uint32_t i = 0; i < *first; i++)
        add_unit(judge, state, list[i], of[2 * (size_t)list[i] + ROWS]);
}

void hr_judge_values(const hr_judge *judge, size_t row, uint32_t *values) {
    if (judge->unit) values[judge->sensitive_count] = hr_sensitive_value(judge->unit, row);
    for (size_t l = 0; l < judge->sensitive_count; l++)
        values[l] = hr_sensitive_value(&judge->sensitive[l], row);
}

void hr_judge_add(const hr_judge *judge, uint32_t *state, const uint32_t *values, uint32_t count) {
    uint32_t *distinct = distinct_of(judge, state), *largest = largest_of(judge, state);
    uint32_t *rows = rows_of(judge, state);
    state[0] += count;
    if (judge->unit && count > 0) add_unit(judge, state, values[judge->sensitive_count], count);
    for (size_t l = 0; l < judge->sensitive_count && count > 0; l++) {
        if (values[l] == HR_NONE) continue;
        uint32_t *own = &rows[judge->value_start[l] + values[l]];
        distinct[l] += *own == 0;
        *own += count;
        if (*own > largest[l] && judge->needs & HR_NEEDS_LARGEST) largest[l] = *own;
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
    if (judge->unit && count > 0) remove_unit(judge, state, values[judge->sensitive_count], count);
    for (size_t l = 0; l < judge->sensitive_count && count > 0; l++) {
        if (values[l] == HR_NONE) continue;
        size_t first = judge->value_start[l];
        uint32_t *own = &rows[first + values[l]];
        bool was_largest = *own == largest[l];
        *own -= count;
        distinct[l] -= *own == 0;
        if (was_largest && judge->needs & HR_NEEDS_LARGEST)
            largest[l] = find_largest(rows + first, judge->value_start[l + 1] - first);
    }
}

void hr_judge_merge(const hr_judge *judge, uint32_t *state, const uint32_t *other) {
    uint32_t *distinct = distinct_of(judge, state), *largest = largest_of(judge, state);
    uint32_t *rows = rows_of(judge, state);
    const uint32_t *more = other + (rows - state);
    state[0] += other[0];
    if (judge->unit) merge_units(judge, state, other);
    for (size_t l = 0; l < judge->sensitive_count; l++)
        for (size_t i = judge->value_start[l]; i < judge->value_start[l + 1]; i++) {
            distinct[l] += rows[i] == 0 && more[i] > 0;
            rows[i] += more[i];
            if (rows[i] > largest[l] && judge->needs & HR_NEEDS_LARGEST) largest[l] = rows[i];
        }
}

static uint32_t units_present(const hr_judge *judge, const uint32_t *state) {
    return state[words_without_units(judge)];
}

hr_known hr_judge_known(const hr_judge *judge, const uint32_t *state) {
    size_t r = judge->sensitive_count;
    return (hr_known){.size = state[0],
                      .units = judge->unit ? units_present(judge, state) : state[0],
                      .sensitive_count = r,
                      .distinct = state + 1,
                      .largest = state + 1 + r,
                      .start = judge->value_start,
                      .rows = state + 1 + 2 * r,
                      .sensitive = judge->sensitive,
                      .reference = judge->reference,
                      .logs = judge->logs};
}

/* Is only k in play, and counts units? Then one number decides. */
static bool only_units(const hr_judge *judge) {
    return judge->unit && !judge->needs;
}

bool hr_judge_holds(const hr_judge *judge, const uint32_t *state) {
    if (only_units(judge)) return units_present(judge, state) >= judge->asked.k;
    hr_known class = hr_judge_known(judge, state);
    for (const hr_model *const *model = judge->models; *model; model++) {
        if (!(*model)->needs && !(*model)->holds(&class, 0, &judge->asked)) return false;
        for (size_t l = 0; l < judge->sensitive_count && (*model)->needs; l++)
            if ((*model)->in_play(&judge->each[l]) && !(*model)->holds(&class, l, &judge->each[l]))
                return false;
    }
    return true;
}

static double strain_of(const hr_model *model, const hr_known *class, size_t l,
                        const hr_requirements *asked) {
    if (model->closed_under_superset || !model->in_play(asked)) return 0;
    return model->strain ? model->strain(class, l, asked) : model->excess != NULL;
}

size_t hr_judge_strains(const hr_judge *judge) {
    size_t count = 0;
    while (judge->models[count])
        count++;
    return count * judge->sensitive_count;
}

bool hr_judge_strain(const hr_judge *judge, const uint32_t *state, double *strain) {
    hr_known class = hr_judge_known(judge, state);
    bool any = false;
    for (const hr_model *const *model = judge->models; *model; model++)
        for (size_t l = 0; l < judge->sensitive_count; l++, strain++) {
            *strain = strain_of(*model, &class, l, &judge->each[l]);
            any |= *strain > 0;
        }
    return any;
}

/* By how many rows value v of attribute l is too frequent, according to a model. */
static uint32_t excess_of(const hr_model *model, const hr_known *class, size_t l, uint32_t v,
                          const hr_requirements *asked, double strain) {
    if (v == HR_NONE || strain <= 0) return 0;
    uint32_t rows = class->rows[class->start[l] + v];
    if (model->excess) return model->excess(class, l, rows, asked);
    return model->surplus(class, l, v, rows, asked, strain);
}

uint32_t hr_judge_excess_under(const hr_judge *judge, const uint32_t *state, const double *strain,
                               const uint32_t *values) {
    hr_known class = hr_judge_known(judge, state);
    uint32_t most = 0;
    for (const hr_model *const *model = judge->models; *model; model++)
        for (size_t l = 0; l < judge->sensitive_count; l++, strain++) {
            uint32_t own = excess_of(*model, &class, l, values[l], &judge->each[l], *strain);
            if (own > most) most = own;
        }
    return most;
}

void hr_judge_excessive(const hr_judge *judge, const uint32_t *state, const double *strain,
                        bool *excessive) {
    hr_known class = hr_judge_known(judge, state);
    memset(excessive, 0, judge->value_start[judge->sensitive_count] * sizeof *excessive);
    for (const hr_model *const *model = judge->models; *model; model++)
        for (size_t l = 0; l < judge->sensitive_count; l++, strain++) {
            bool *of = excessive + judge->value_start[l];
            size_t count = judge->value_start[l + 1] - judge->value_start[l];
            for (uint32_t v = 0; v<count && * strain> 0; v++)
                of[v] |= excess_of(*model, &class, l, v, &judge->each[l], *strain) > 0;
        }
}

bool hr_judge_could_hold(const hr_judge *judge, const uint32_t *state) {
    hr_known class = hr_judge_known(judge, state);
    for (const hr_model *const *model = judge->models; *model; model++)
        for (size_t l = 0; l < ((*model)->needs ? judge->sensitive_count : 1); l++) {
            const hr_requirements *asked = (*model)->needs ? &judge->each[l] : &judge->asked;
            if ((*model)->in_play && !(*model)->in_play(asked)) continue;
            if ((*model)->least_values && class.distinct[l] < (*model)->least_values(asked))
                return false;
            if ((*model)->closed_under_superset && !(*model)->holds(&class, l, asked)) return false;
        }
    return true;
}

uint32_t hr_judge_lack(const hr_judge *judge, const uint32_t *state) {
    hr_known class = hr_judge_known(judge, state);
    uint32_t most = 0;
    for (const hr_model *const *model = judge->models; *model; model++) {
        size_t count = (*model)->needs ? judge->sensitive_count : 1;
        for (size_t l = 0; l < count; l++) {
            const hr_requirements *asked = (*model)->needs ? &judge->each[l] : &judge->asked;
            if ((*model)->in_play && !(*model)->in_play(asked)) continue;
            uint32_t lack = (*model)->lack(&class, l, asked);
            if (lack > most) most = lack;
        }
    }
    return most;
}

uint32_t hr_judge_spare(const hr_judge *judge, uint32_t *state, const uint32_t *values,
                        uint32_t most) {
    if (only_units(judge)) {
        uint32_t rows = units_of(judge, state).of[values[0]][ROWS];
        if (!hr_judge_holds(judge, state)) return 0;
        return rows > most || units_present(judge, state) > judge->asked.k ? most : rows - 1;
    }
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
    if (only_units(judge)) {
        bool joins = units_of(judge, state).of[values[0]][ROWS] == 0;
        return units_present(judge, state) + joins >= judge->asked.k ? most : 0;
    }
    for (; most > 0; most /= 2) {
        hr_judge_add(judge, state, values, most);
        bool holds = hr_judge_holds(judge, state);
        hr_judge_remove(judge, state, values, most);
        if (holds) return most;
    }
    return 0;
}
