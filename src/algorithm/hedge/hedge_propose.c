/* hedge_propose.c - finds a cheap box around a combination, made of near kinds. Starting with
 * different first kinds, it adds the kind that raises the cost of the box least, until the models
 * hold. Kinds inside the box join at no cost; while sensitive values are missing, only kinds with a
 * missing value are considered. A box is stored as its cost on each side of the combination, so the
 * box with one more kind is the maximum of two costs on each side, computed for many kinds at
 * once. */
#include "algorithm/hedge/cover.h"

#include <string.h>

enum { GAINS = 8 }; /* most borrowed rows of a box whose current cost is taken into account */

/* Stores the cost of the box with each kind of the list. */
HR_LANES static void join_block(const uint16_t *restrict side, size_t width,
                                const uint16_t *restrict reach, size_t sides,
                                uint16_t *restrict joined) {
    for (size_t i = 0; i < HR_BLOCK; i++)
        joined[i] = 0;
    for (size_t s = 0; s < sides; s++) {
        const uint16_t *own = side + s * width;
        uint16_t now = reach[s];
        for (size_t i = 0; i < HR_BLOCK; i++)
            joined[i] = (uint16_t)(joined[i] + (own[i] > now ? own[i] : now));
    }
}

static void join_all(hr_view *view, const uint16_t *reach) {
    for (size_t at = 0; at < view->count; at += HR_BLOCK)
        join_block(view->side + at, view->width, reach, view->field->sides, view->joined + at);
}

typedef struct {
    uint32_t count;      /* kinds inside the box */
    uint32_t rows, free; /* their available rows; those of them in no class */
    uint32_t lacking;    /* number of sensitive attributes with fewer than p values */
    uint32_t rare;       /* free rows with scarce values */
    uint32_t borrowed;   /* values that only borrowed rows have, in the attribute with most */
    bool unheld;         /* k and p hold, but another model does not */
} content;

/* Counts the values of attribute l inside the box, up to p, and marks them as seen: those of free
 * rows, then those that can be borrowed. */
static void count_values(hr_view *view, size_t l, uint32_t free, content *in) {
    const hr_kinds *kinds = view->field->kinds;
    uint32_t *seen = view->seen + kinds->value_start[l], found = 0, own = 0;
    for (int pass = 0; pass < 2 && own < kinds->p; pass++)
        for (uint32_t n = 0; n < in->count && own < kinds->p; n++) {
            uint32_t i = view->inside[n], value = kinds->kind_value[view->near[i] * kinds->r + l];
            if (value == HR_NONE || (pass == 0 && view->free[i] == 0)) continue;
            if (seen[value] >= free) continue;
            seen[value] = pass == 0 ? free : view->now;
            own += pass == 0;
            found++;
        }
    in->lacking += found < kinds->p;
    if (own < kinds->p && kinds->p - own > in->borrowed) in->borrowed = kinds->p - own;
}

/* Counts the kinds, rows and values inside a box. */
static content count_inside(hr_view *view, uint16_t cost) {
    content in = {0};
    uint32_t free = view->now + 1;
    view->now += 2;
    for (uint32_t i = 0; i < view->count; i++) {
        view->inside[in.count] = i;
        in.count += (view->joined[i] <= cost) & (view->rows[i] > 0);
    }
    for (uint32_t n = 0; n < in.count; n++) {
        in.rows += view->rows[view->inside[n]];
        in.free += view->free[view->inside[n]];
    }
    for (uint32_t n = 0; n < in.count && view->scarce; n++)
        if (view->scarce->is[view->near[view->inside[n]]]) in.rare += view->free[view->inside[n]];
    for (size_t l = 0; l < view->field->kinds->r; l++)
        count_values(view, l, free, &in);
    return in;
}

/* Does the kind have a value that is not seen? */
static bool brings_value(const hr_view *view, uint32_t kind) {
    const hr_kinds *kinds = view->field->kinds;
    for (size_t l = 0; l < kinds->r; l++) {
        uint32_t value = kinds->kind_value[kind * kinds->r + l];
        if (value != HR_NONE && view->seen[kinds->value_start[l] + value] + 1 < view->now)
            return true;
    }
    return false;
}

/* Models beside k and p: does the largest part of the rows inside hold in which no value is too
 * frequent? Also marks the values that are. */
static bool judge_inside(hr_view *view, const content *in) {
    const hr_kinds *kinds = view->field->kinds;
    const hr_judge *judge = kinds->judge;
    if (!judge) return true;
    hr_judge_clear(judge, view->state);
    for (uint32_t n = 0; n < in->count; n++)
        hr_judge_add(judge, view->state, kinds->judged + view->near[view->inside[n]] * judge->width,
                     view->rows[view->inside[n]]);
    bool strained = hr_judge_strain(judge, view->state, view->strain);
    hr_judge_excessive(judge, view->state, view->strain, view->excessive);
    for (uint32_t n = 0; n < in->count && strained; n++) {
        uint32_t i = view->inside[n];
        const uint32_t *values = kinds->judged + view->near[i] * judge->width;
        uint32_t rows = hr_judge_excess_under(judge, view->state, view->strain, values);
        if (rows == 0) continue;
        hr_judge_remove(judge, view->state, values, rows < view->rows[i] ? rows : view->rows[i]);
        strained = hr_judge_strain(judge, view->state, view->strain);
    }
    return hr_judge_holds(judge, view->state);
}

/* Has the kind a value that is too frequent in the box? */
static bool is_excessive(const hr_view *view, uint32_t kind) {
    const hr_judge *judge = view->field->kinds->judge;
    const uint32_t *values = view->field->kinds->judged + kind * judge->width;
    for (size_t l = 0; l < judge->sensitive_count; l++)
        if (values[l] != HR_NONE && view->excessive[judge->value_start[l] + values[l]]) return true;
    return false;
}

/* The kind that joins next; HR_NONE: none costs less than `limit`. With `free`, only kinds with
 * rows in no class. With models beside k and p, a box with enough rows and values that does not
 * hold gets no rows whose values are too frequent. */
static uint32_t next_kind(const hr_view *view, const content *in, bool free, uint16_t cost,
                          uint16_t limit) {
    const uint32_t *rows = free ? view->free : view->rows;
    uint32_t best = HR_NONE;
    for (uint32_t i = 0; i < view->count; i++) {
        if (view->joined[i] <= cost || view->joined[i] >= limit || rows[i] == 0) continue;
        if (in->lacking && !brings_value(view, view->near[i])) continue;
        if (in->unheld && is_excessive(view, view->near[i])) continue;
        best = i;
        limit = view->joined[i];
    }
    return best;
}

static uint16_t cost_of(const hr_view *view) {
    uint32_t sum = 0;
    for (size_t s = 0; s < view->field->sides; s++)
        sum += view->reach[s];
    return (uint16_t)(sum < HR_FIELD_FAR ? sum : HR_FIELD_FAR);
}

/* Keeps the greatest numbers, in descending order. */
static void keep_most(uint16_t *most, uint16_t number) {
    for (uint32_t i = 0; i < GAINS; i++)
        if (most[i] < number) {
            uint16_t less = most[i];
            most[i] = number;
            number = less;
        }
}

/* Additional cost of the borrowed rows: the cost of the box minus their current cost. Rows with new
 * values are borrowed first, then those with the highest current cost. */
static uint64_t cost_of_loan(const hr_view *view, const content *in, uint16_t cost,
                             uint32_t borrowed) {
    const hr_kinds *kinds = view->field->kinds;
    uint16_t varied[GAINS + 1] = {0}, other[GAINS + 1] = {0};
    uint64_t sum = (uint64_t)cost * borrowed, gain = 0;
    for (uint32_t n = 0; n < in->count; n++) {
        uint32_t i = view->inside[n];
        if (view->rows[i] == view->free[i] || view->gain[i] == 0) continue;
        bool needed = false;
        for (size_t l = 0; l < kinds->r && in->borrowed > 0 && !needed; l++) {
            uint32_t value = kinds->kind_value[view->near[i] * kinds->r + l];
            needed = value != HR_NONE && view->seen[kinds->value_start[l] + value] == view->now;
        }
        keep_most(needed ? varied : other, view->gain[i]);
    }
    for (uint32_t n = 0; n < GAINS && n < borrowed; n++)
        gain += n < in->borrowed ? varied[n] : other[n - in->borrowed];
    return sum > gain ? sum - gain : 0;
}

/* The score of a box: its cost, with that of borrowed rows and scarce values, per row in no
 * class. */
static uint32_t score_of(const hr_view *view, const content *in, uint16_t cost) {
    const hr_kinds *kinds = view->field->kinds;
    uint32_t borrowed = in->free < kinds->k ? kinds->k - in->free : 0, rare = in->rare;
    uint32_t rows = in->free;
    if (rows == 0) return HR_FIELD_FAR;
    if (in->borrowed > borrowed) borrowed = in->borrowed;
    if (view->scarce && rare > 1) {
        uint32_t common = rows - rare, needed = common + 1 < kinds->k ? kinds->k - common : 1;
        if (needed < rare) rare = needed;
        rows = common + rare;
    }
    uint64_t sum = (uint64_t)cost * rows;
    if (borrowed > 0) sum += cost_of_loan(view, in, cost, borrowed);
    if (view->scarce) sum += (uint64_t)view->scarce->price * rare;
    return sum / rows < HR_FIELD_FAR ? (uint32_t)(sum / rows) : HR_FIELD_FAR;
}

/* Finds the best box with `first` as the first kind; updates *best, *best_cost and best_reach if it
 * is better. */
static void try_start(hr_view *view, uint32_t first, uint32_t *best, uint16_t *best_cost) {
    const hr_kinds *kinds = view->field->kinds;
    size_t sides = view->field->sides;
    for (size_t s = 0; s < sides; s++)
        view->reach[s] = view->side[s * view->width + first];
    for (;;) {
        uint16_t cost = cost_of(view);
        if (cost >= *best) return;
        join_all(view, view->reach);
        content in = count_inside(view, cost);
        bool valid = in.rows >= kinds->k && in.lacking == 0;
        in.unheld = valid && !judge_inside(view, &in);
        if (in.unheld) valid = false;
        if (valid) {
            uint32_t score = score_of(view, &in, cost);
            if (score < *best) {
                *best = score;
                *best_cost = cost;
                memcpy(view->best_reach, view->reach, sides * sizeof *view->reach);
            }
            if (in.free >= kinds->k && in.borrowed == 0) return;
        }
        uint32_t next = next_kind(view, &in, valid, cost, (uint16_t)*best);
        if (next == HR_NONE) return;
        for (size_t s = 0; s < sides; s++) {
            uint16_t own = view->side[s * view->width + next];
            if (own > view->reach[s]) view->reach[s] = own;
        }
    }
}

/* Lists the kinds inside the best box; of kinds with scarce values only as many as are needed. */
static void choose_members(hr_view *view, uint16_t cost, hr_proposal *out) {
    const hr_kinds *kinds = view->field->kinds;
    const hr_scarce *scarce = view->scarce;
    uint32_t rows = 0, values = 0;
    view->now += 2;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < view->count; i++) {
            uint32_t kind = view->near[i];
            if (view->joined[i] > cost || view->rows[i] == 0) continue;
            if ((scarce && scarce->is[kind]) != (pass == 1)) continue;
            uint32_t value =
                scarce ? kinds->kind_value[kind * kinds->r + scarce->attribute] : HR_NONE;
            bool new = value != HR_NONE &&
                       view->seen[kinds->value_start[scarce->attribute] + value] != view->now;
            if (pass == 1 && rows >= kinds->k && (!new || values >= kinds->p)) continue;
            if (pass == 1 && rows + kinds->p > kinds->k + values && !new) continue;
            if (new) view->seen[kinds->value_start[scarce->attribute] + value] = view->now;
            values += new;
            rows += view->rows[i];
            out->member[out->member_count++] = kind;
        }
}

void hr_propose(hr_view *view, unsigned starts, hr_proposal *out) {
    uint32_t best = HR_FIELD_FAR;
    uint16_t cost = HR_FIELD_FAR;
    out->member_count = 0;
    for (uint32_t i = 0, tried = 0; i < view->count && tried < starts; i++) {
        if (view->rows[i] == 0) continue;
        /* A kind at the same distance as the one before usually leads to the same box. */
        if (i > 0 && i + 1 < view->count && tried > 0 &&
            view->distance[i] == view->distance[i - 1] && i % 2)
            continue;
        tried++;
        try_start(view, i, &best, &cost);
    }
    out->cost = (uint16_t)best;
    if (best == HR_FIELD_FAR) return;
    join_all(view, view->best_reach);
    choose_members(view, cost, out);
}

void hr_propose_from(hr_view *view, uint32_t combination, const hr_proposing *how,
                     hr_proposal *out) {
    hr_view_from(view, combination);
    hr_view_scan(view, how->near, how->cap);
    hr_view_others(view);
    hr_view_measure(view);
    if (how->offer) how->offer(view, how->payload);
    hr_propose(view, how->starts, out);
    out->near_count = view->count;
    memcpy(out->near, view->near, view->count * sizeof *out->near);
}
