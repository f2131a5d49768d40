/* hedge_take.c - takes classes from the rows of a cell one after another, if models other than k
 * and p are in play. The rows left always satisfy the models, so that they can become the last
 * class. From a group of rows, a class first takes all; then it gives back rows with values that
 * are too frequent in the class, and rows that the rest needs. */
#include "algorithm/hedge/hedge.h"

#include <string.h>

enum { TRIES = 8 }; /* how often rows are given back, in turn for the class and for the rest */

/* Sets the real parameter of each model that is not closed under supersets between what the whole
 * cell achieves (slack 0) and what is asked for (slack 1). */
static void set_strict(hr_taking *t, double slack) {
    hr_known cell = hr_judge_known(t->kinds->judge, t->rest);
    t->strict = *t->kinds->judge;
    t->strict.each = t->each;
    memcpy(t->each, t->kinds->judge->each, cell.sensitive_count * sizeof *t->each);
    for (const hr_model *const *model = t->strict.models; *model; model++) {
        const hr_option *option = (*model)->options;
        if ((*model)->closed_under_superset || option->type != HR_OPTION_REAL) continue;
        for (size_t l = 0; l < cell.sensitive_count; l++) {
            if (!(*model)->in_play(&t->each[l])) continue;
            double *parameter = (void *)((char *)&t->each[l] + option->offset);
            double achieved = (*model)->achieved(&cell, l, &t->each[l]);
            double strict = achieved + slack * (*parameter - achieved);
            if (strict > 0 && (strict < 1 || *parameter >= 1)) *parameter = strict;
        }
    }
}

hr_status hr_taking_init(hr_taking *t, const hr_kinds *kinds, double slack, hr_clusters *out,
                         hr_error *err) {
    *t = (hr_taking){.kinds = kinds, .out = out};
    out->count = 0;
    const hr_arena_part parts[] = {
        {&t->kind_left, kinds->kind_count, sizeof *t->kind_left},
        {&t->left, kinds->combination_count, sizeof *t->left},
        {&t->taken, kinds->kind_count, sizeof *t->taken},
        {&t->rest, kinds->judge->words, sizeof *t->rest},
        {&t->class, kinds->judge->words, sizeof *t->class},
        {&t->each, kinds->judge->sensitive_count, sizeof *t->each},
        {&t->strain, hr_judge_strains(kinds->judge), sizeof *t->strain},
    };
    HR_TRY(hr_arena_parts(&t->arena, parts, sizeof parts / sizeof *parts, err));
    memcpy(t->left, kinds->combination_rows, kinds->combination_count * sizeof *t->left);
    memcpy(t->kind_left, kinds->kind_rows, kinds->kind_count * sizeof *t->kind_left);
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        hr_judge_add(kinds->judge, t->rest, kinds->judged + kind * kinds->judge->width,
                     kinds->kind_rows[kind]);
    set_strict(t, slack);
    return HR_OK;
}

void hr_taking_free(hr_taking *t) {
    hr_arena_free(&t->arena);
    *t = (hr_taking){0};
}

/* Moves rows of a kind from the rest to the class. */
static void take(hr_taking *t, uint32_t kind, uint32_t rows) {
    const hr_judge *judge = t->kinds->judge;
    const uint32_t *values = t->kinds->judged + kind * judge->width;
    t->taken[kind] += rows;
    hr_judge_add(judge, t->class, values, rows);
    hr_judge_remove(judge, t->rest, values, rows);
}

static void give_back(hr_taking *t, uint32_t kind, uint32_t rows) {
    const hr_judge *judge = t->kinds->judge;
    const uint32_t *values = t->kinds->judged + kind * judge->width;
    t->taken[kind] -= rows;
    hr_judge_remove(judge, t->class, values, rows);
    hr_judge_add(judge, t->rest, values, rows);
}

/* The greatest number of rows by which a value of the kind is too frequent in the class. */
static uint32_t excess_of(const hr_taking *t, uint32_t kind) {
    const hr_judge *judge = t->kinds->judge;
    const uint32_t *values = t->kinds->judged + kind * judge->width;
    return hr_judge_excess_under(judge, t->class, t->strain, values);
}

/* Gives back rows with values that are too frequent in the class. */
static void trim_class(hr_taking *t, const hr_group *group) {
    const hr_judge *judge = t->kinds->judge;
    bool strained = hr_judge_strain(judge, t->class, t->strain);
    for (bool again = strained; again;) {
        again = false;
        for (uint32_t i = 0; i < group->count; i++)
            for (uint32_t kind = t->kinds->kind_start[group->combination[i]];
                 kind < t->kinds->kind_start[group->combination[i] + 1]; kind++) {
                uint32_t excess = t->taken[kind] ? excess_of(t, kind) : 0;
                if (excess == 0) continue;
                give_back(t, kind, excess < t->taken[kind] ? excess : t->taken[kind]);
                if (!hr_judge_strain(judge, t->class, t->strain)) return;
                again = true;
            }
    }
}

/* Gives back rows that bring the rest closer to holding. */
static void help_rest(hr_taking *t, const hr_group *group) {
    uint32_t lack = hr_judge_lack(&t->strict, t->rest);
    for (uint32_t i = 0; i < group->count && lack > 0; i++)
        for (uint32_t kind = t->kinds->kind_start[group->combination[i]];
             kind < t->kinds->kind_start[group->combination[i] + 1] && lack > 0; kind++) {
            uint32_t rows = t->taken[kind] < lack ? t->taken[kind] : lack;
            for (; rows > 0; rows /= 2) {
                give_back(t, kind, rows);
                uint32_t now = hr_judge_lack(&t->strict, t->rest);
                if (now < lack) {
                    lack = now;
                    break;
                }
                take(t, kind, rows);
            }
        }
}

static bool holds(const hr_taking *t) {
    const hr_judge *judge = t->kinds->judge;
    return hr_judge_holds(judge, t->class) &&
           (t->rest[0] == 0 || hr_judge_holds(&t->strict, t->rest));
}

/* Makes the taken rows a class, or gives all of them back. */
static bool conclude(hr_taking *t, const hr_group *group, bool valid) {
    const hr_kinds *kinds = t->kinds;
    for (uint32_t i = 0; i < group->count; i++)
        for (uint32_t kind = kinds->kind_start[group->combination[i]];
             kind < kinds->kind_start[group->combination[i] + 1]; kind++) {
            uint32_t rows = t->taken[kind];
            if (!valid) give_back(t, kind, rows);
            for (uint32_t row = 0; row < rows && valid; row++) {
                size_t at = kinds->place_start[kind] + --t->kind_left[kind];
                t->out->cluster[kinds->place[at]] = t->out->count;
            }
            if (valid) t->left[group->combination[i]] -= rows;
            t->taken[kind] = 0;
        }
    if (valid) {
        hr_judge_clear(kinds->judge, t->class);
        t->out->count++;
    }
    return valid;
}

/* Could some of the rows of the group be a class, whatever the rest needs? Leaves the class
 * empty. */
static bool could_hold(hr_taking *t, const hr_group *group) {
    const hr_judge *judge = t->kinds->judge;
    for (uint32_t i = 0; i < group->count; i++)
        for (uint32_t kind = t->kinds->kind_start[group->combination[i]];
             kind < t->kinds->kind_start[group->combination[i] + 1]; kind++)
            if (t->kind_left[kind])
                hr_judge_add(judge, t->class, t->kinds->judged + kind * judge->width,
                             t->kind_left[kind]);
    bool could = hr_judge_could_hold(judge, t->class);
    hr_judge_clear(judge, t->class);
    return could;
}

bool hr_taking_try(hr_taking *t, const hr_group *group) {
    if (!could_hold(t, group)) return false;
    for (uint32_t i = 0; i < group->count; i++)
        for (uint32_t kind = t->kinds->kind_start[group->combination[i]];
             kind < t->kinds->kind_start[group->combination[i] + 1]; kind++)
            if (t->kind_left[kind]) take(t, kind, t->kind_left[kind]);
    for (int tries = 0; tries < TRIES && !holds(t) && t->class[0] >= t->kinds->k; tries++) {
        trim_class(t, group);
        if (t->rest[0] > 0) help_rest(t, group);
    }
    return conclude(t, group, holds(t));
}
