/* bound_value.c - V of a box: the most that a valid class within it can pay, each row paying its
 * multiplier less the cost of the box. For one sensitive attribute that is exact: the best row of
 * each of the p best values, then the best others up to k rows, then all that pay something (an
 * exchange argument, docs/design/hedge.md). A class must suit every attribute, so the least over the
 * attributes is at least what it can pay. */
#include "bound/bound.h"

#include <string.h>

struct hr_bound_rest {
    int64_t multiplier;
    uint32_t kind, rows;
};

hr_status hr_bound_valuer_start(hr_bound_valuer *v, const hr_bound_cell *cell, hr_error *err) {
    *v = (hr_bound_valuer){.cell = cell};
    v->value_start = hr_arena_alloc(&v->arena, cell->r + 1, sizeof *v->value_start, err);
    if (!v->value_start) return HR_ENOMEM;
    for (size_t l = 0; l < cell->r; l++)
        v->value_start[l + 1] = v->value_start[l] + cell->value_count[l];
    size_t values = v->value_start[cell->r];
    v->top = hr_arena_alloc(&v->arena, cell->combination_count, sizeof *v->top, err);
    v->taken = hr_arena_alloc(&v->arena, (size_t)cell->kind_count + cell->k + cell->p,
                              sizeof *v->taken, err);
    v->rest = hr_arena_alloc(&v->arena, (size_t)cell->k + 2, sizeof *v->rest, err);
    v->seen = hr_arena_alloc(&v->arena, values, sizeof *v->seen, err);
    v->best = hr_arena_alloc(&v->arena, values, sizeof *v->best, err);
    v->best_multiplier = hr_arena_alloc(&v->arena, values, sizeof *v->best_multiplier, err);
    v->present = hr_arena_alloc(&v->arena, values, sizeof *v->present, err);
    v->present_count = hr_arena_alloc(&v->arena, cell->r, sizeof *v->present_count, err);
    v->most = hr_arena_alloc(&v->arena, values, sizeof *v->most, err);
    v->by_most = hr_arena_alloc(&v->arena, values, sizeof *v->by_most, err);
    v->order = hr_arena_alloc(&v->arena, values, sizeof *v->order, err);
    v->lacking = hr_arena_alloc(&v->arena, cell->r, sizeof *v->lacking, err);
    if (!v->top || !v->taken || !v->rest || !v->seen || !v->best || !v->best_multiplier ||
        !v->present || !v->present_count || !v->most || !v->by_most || !v->order || !v->lacking)
        return HR_ENOMEM;
    for (size_t value = 0; value < values; value++)
        v->best_multiplier[value] = INT64_MIN;
    for (size_t l = 0; l < cell->r; l++)
        for (uint32_t value = 0; value < cell->value_count[l]; value++)
            v->by_most[v->value_start[l] + value] = value;
    return HR_OK;
}

void hr_bound_valuer_end(hr_bound_valuer *v) {
    hr_arena_free(&v->arena);
}

static bool worse(const int64_t *most, uint32_t a, uint32_t b) {
    return most[a] != most[b] ? most[a] < most[b] : a > b;
}

/* Down to the place of the values at and below `at` in a heap, the worst on top. */
static void sift(uint32_t *values, size_t count, size_t at, const int64_t *most) {
    uint32_t moved = values[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && worse(most, values[child + 1], values[child])) child++;
        if (!worse(most, values[child], moved)) break;
        values[at] = values[child];
    }
    values[at] = moved;
}

/* The greatest first, of equals the lowest value; they are nearly in order already. */
static void sort_values(uint32_t *values, size_t count, const int64_t *most) {
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++)
        sorted = !worse(most, values[i - 1], values[i]);
    if (sorted) return;
    for (size_t i = count / 2; i-- > 0;)
        sift(values, count, i, most);
    for (size_t left = count; left-- > 1;) {
        uint32_t worst = values[0];
        values[0] = values[left];
        values[left] = worst;
        sift(values, left, 0, most);
    }
}

void hr_bound_valuer_set(hr_bound_valuer *v, const int64_t *multiplier) {
    const hr_bound_cell *cell = v->cell;
    v->multiplier = multiplier;
    for (size_t value = 0; value < v->value_start[cell->r]; value++)
        v->most[value] = INT64_MIN;
    for (uint32_t kind = 0; kind < cell->kind_count; kind++)
        for (size_t l = 0; l < cell->r; l++) {
            uint32_t value = cell->kind_value[kind * cell->r + l];
            if (value == HR_NONE) continue;
            int64_t *most = &v->most[v->value_start[l] + value];
            if (multiplier[kind] > *most) *most = multiplier[kind];
        }
    for (size_t l = 0; l < cell->r; l++)
        sort_values(v->by_most + v->value_start[l], cell->value_count[l],
                    v->most + v->value_start[l]);
    for (uint32_t c = 0; c < cell->combination_count; c++) {
        v->top[c] = INT64_MIN;
        for (uint32_t kind = cell->kind_start[c]; kind < cell->kind_start[c + 1]; kind++)
            if (multiplier[kind] > v->top[c]) v->top[c] = multiplier[kind];
    }
}

/* ---- rows that pay ---- */

typedef struct {
    int64_t paid;
    uint64_t rows;
} payers;

static payers take_payers(hr_bound_valuer *v, uint32_t box) {
    const hr_bound_cell *cell = v->cell;
    int64_t cost = (int64_t)cell->cost[box];
    payers p = {0, 0};
    v->taken_count = 0;
    for (size_t i = cell->inside_start[box]; i < cell->inside_start[box + 1]; i++) {
        uint32_t c = cell->inside[i];
        if (v->top[c] <= cost) continue;
        for (uint32_t kind = cell->kind_start[c]; kind < cell->kind_start[c + 1]; kind++) {
            if (v->multiplier[kind] <= cost) continue;
            p.paid += (v->multiplier[kind] - cost) * cell->kind_rows[kind];
            p.rows += cell->kind_rows[kind];
            v->taken[v->taken_count++] = (hr_bound_taken){kind, cell->kind_rows[kind]};
        }
    }
    return p;
}

/* Values of an attribute among them, each marked as seen. */
static uint32_t count_values(hr_bound_valuer *v, size_t l) {
    uint32_t *seen = v->seen + v->value_start[l], values = 0;
    for (uint32_t i = 0; i < v->taken_count; i++) {
        uint32_t value = v->cell->kind_value[v->taken[i].kind * v->cell->r + l];
        if (value == HR_NONE || seen[value] == v->now) continue;
        seen[value] = v->now;
        values++;
    }
    return values;
}

/* ---- rows that are needed all the same ---- */

/* The best `wanted` rows, best first; of equals the one met first. */
static void keep_best(hr_bound_valuer *v, uint32_t kind, uint64_t wanted) {
    int64_t multiplier = v->multiplier[kind];
    uint32_t n = v->rest_count, place = n;
    if (v->rest_rows >= wanted && (n == 0 || v->rest[n - 1].multiplier >= multiplier)) return;
    for (; place > 0 && v->rest[place - 1].multiplier < multiplier; place--)
        v->rest[place] = v->rest[place - 1];
    v->rest[place] = (struct hr_bound_rest){multiplier, kind, v->cell->kind_rows[kind]};
    v->rest_rows += v->cell->kind_rows[kind];
    v->rest_count++;
    while (v->rest_rows - v->rest[v->rest_count - 1].rows >= wanted)
        v->rest_rows -= v->rest[--v->rest_count].rows;
}

static void keep_value(hr_bound_valuer *v, uint32_t kind, size_t l) {
    uint32_t value = v->cell->kind_value[kind * v->cell->r + l];
    if (value == HR_NONE) return;
    size_t at = v->value_start[l] + value;
    if (v->multiplier[kind] <= v->best_multiplier[at]) return;
    if (v->best_multiplier[at] == INT64_MIN)
        v->present[v->value_start[l] + v->present_count[l]++] = value;
    v->best_multiplier[at] = v->multiplier[kind];
    v->best[at] = kind;
}

static void keep_rest(hr_bound_valuer *v, uint32_t box, uint64_t wanted) {
    const hr_bound_cell *cell = v->cell;
    int64_t cost = (int64_t)cell->cost[box];
    v->rest_count = 0;
    v->rest_rows = 0;
    for (size_t l = 0; l < cell->r; l++) {
        for (uint32_t i = 0; i < v->present_count[l]; i++)
            v->best_multiplier[v->value_start[l] + v->present[v->value_start[l] + i]] = INT64_MIN;
        v->present_count[l] = 0;
    }
    for (size_t i = cell->inside_start[box]; i < cell->inside_start[box + 1]; i++) {
        uint32_t c = cell->inside[i];
        for (uint32_t kind = cell->kind_start[c]; kind < cell->kind_start[c + 1]; kind++) {
            if (v->multiplier[kind] > cost) continue;
            if (wanted) keep_best(v, kind, wanted);
            for (size_t l = 0; l < cell->r; l++)
                if (v->lacking[l]) keep_value(v, kind, l);
        }
    }
}

/* The best values of an attribute in the box that no payer has, as many as are lacking, into
 * v->order. Returns how many there are. */
static uint32_t choose_values(hr_bound_valuer *v, size_t l) {
    const int64_t *best = v->best_multiplier + v->value_start[l];
    uint32_t count = 0, lacking = v->lacking[l];
    for (uint32_t i = 0; i < v->present_count[l]; i++) {
        uint32_t value = v->present[v->value_start[l] + i], place = count;
        if (v->seen[v->value_start[l] + value] == v->now) continue;
        while (place > 0 && worse(best, v->order[place - 1], value))
            place--;
        if (place >= lacking) continue;
        if (count < lacking) count++;
        memmove(v->order + place + 1, v->order + place, (count - place - 1) * sizeof *v->order);
        v->order[place] = value;
    }
    return count;
}

/* What the values that are lacking cost at least, were the best row of each in the box. */
static int64_t least_fill(hr_bound_valuer *v, uint32_t box, size_t l) {
    const int64_t *most = v->most + v->value_start[l];
    const uint32_t *by_most = v->by_most + v->value_start[l], *seen = v->seen + v->value_start[l];
    int64_t cost = (int64_t)v->cell->cost[box], sum = 0;
    for (uint32_t i = 0, left = v->lacking[l]; i < v->cell->value_count[l] && left; i++) {
        if (seen[by_most[i]] == v->now) continue;
        if (most[by_most[i]] < cost) sum += most[by_most[i]] - cost;
        left--;
    }
    return sum;
}

/* Fill up to k rows for one attribute; returns what that costs. With `taken` the rows are written
 * there. */
static int64_t fill(hr_bound_valuer *v, uint32_t box, size_t l, uint64_t missing,
                    hr_bound_taken *taken, uint32_t *taken_count) {
    int64_t cost = (int64_t)v->cell->cost[box], sum = 0;
    const uint32_t *best = v->best + v->value_start[l];
    uint32_t lacking = 0, count = 0;
    if (v->cell->r && v->lacking[l]) lacking = choose_values(v, l);
    for (uint32_t i = 0; i < lacking; i++) {
        uint32_t kind = best[v->order[i]];
        sum += v->multiplier[kind] - cost;
        if (taken) taken[count++] = (hr_bound_taken){kind, 1};
    }
    uint64_t left = missing > lacking ? missing - lacking : 0;
    for (uint32_t i = 0; i < v->rest_count && left; i++) {
        uint64_t rows = v->rest[i].rows;
        for (uint32_t j = 0; j < lacking; j++) /* the best of a value was taken before */
            rows -= best[v->order[j]] == v->rest[i].kind;
        if (rows > left) rows = left;
        sum += (v->rest[i].multiplier - cost) * (int64_t)rows;
        left -= rows;
        if (taken && rows) taken[count++] = (hr_bound_taken){v->rest[i].kind, (uint32_t)rows};
    }
    if (taken) *taken_count += count;
    return sum;
}

/* ---- the whole ---- */

/* Which attributes lack values among the payers. Returns a bound on what they cost. */
static int64_t find_lacking(hr_bound_valuer *v, uint32_t box) {
    const hr_bound_cell *cell = v->cell;
    int64_t least = 0;
    if (++v->now == 0) { /* marks of long ago could be taken for new ones */
        memset(v->seen, 0, v->value_start[cell->r] * sizeof *v->seen);
        v->now = 1;
    }
    for (size_t l = 0; l < cell->r; l++) {
        uint32_t values = count_values(v, l);
        v->lacking[l] = values < cell->p ? cell->p - values : 0;
        if (!v->lacking[l]) continue;
        int64_t fills = least_fill(v, box, l);
        if (fills < least) least = fills;
    }
    return least;
}

int64_t hr_bound_value(hr_bound_valuer *v, uint32_t box, int64_t enough) {
    const hr_bound_cell *cell = v->cell;
    payers p = take_payers(v, box);
    int64_t most = p.paid > enough ? p.paid + find_lacking(v, box) : p.paid;
    if (most <= enough) {
        v->taken_count = 0;
        return most;
    }
    uint64_t missing = p.rows < cell->k ? cell->k - p.rows : 0;
    bool lacks = missing > 0;
    for (size_t l = 0; l < cell->r; l++)
        lacks |= v->lacking[l] > 0;
    if (!lacks) return p.paid;
    keep_rest(v, box, missing);
    size_t worst = 0;
    int64_t least = fill(v, box, 0, missing, NULL, NULL);
    for (size_t l = 1; l < cell->r; l++) {
        int64_t filled = fill(v, box, l, missing, NULL, NULL);
        if (filled >= least) continue;
        least = filled;
        worst = l;
    }
    fill(v, box, worst, missing, v->taken + v->taken_count, &v->taken_count);
    return p.paid + least;
}
