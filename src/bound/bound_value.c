/* bound_value.c - V of a box: the most that a valid class inside the box can pay, where each row
 * pays its multiplier minus the cost of the box. For one sensitive attribute, the best class
 * consists of the best row of each of the p best values, the best other rows up to k, and every
 * other row that pays more than 0 (docs/explanation/proof-of-the-bound.md, Lemma 2). A class must
 * satisfy all attributes, so the minimum over the attributes is an upper limit on what it can pay.
 * This minimum is used as V: a greater V weakens the bound, but keeps it valid.
 *
 * "Payers" are the rows that pay more than 0. They are found first. If they are fewer than k rows
 * or have fewer than p values, rows are added from the other kinds in the box, the "spare" kinds,
 * which pay 0 or less. */
#include "bound/bound_parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t multiplier;
    uint32_t kind, rows;
    uint32_t met; /* how many were met before it */
} spare_kind;

/* The best spare kinds of a box: a heap with the worst on top, then sorted, those with the greatest
 * multipliers first. Of equal kinds the one that was met first is the better one. */
typedef struct {
    spare_kind *kinds;
    uint32_t count, met;
    uint64_t rows; /* of all of them */
} spare_list;

/* The best spare kind of a box for each sensitive value. */
typedef struct {
    uint32_t *kind;          /* per value */
    int64_t *multiplier;     /* per value: multiplier of that kind; INT64_MIN: the box has none */
    uint32_t *present;       /* per attribute: values for which the box has a spare kind */
    uint32_t *present_count; /* per attribute: length of that list */
} spare_values;

/* Arrays "per value" have an element for each value of each sensitive attribute; the values of
 * attribute l start at value_start[l]. */
struct hr_bound_valuer {
    hr_arena arena;
    const hr_bound_cell *cell;
    const int64_t *multiplier; /* per kind */
    size_t *value_start;       /* r + 1 */
    int64_t *top;              /* per combination: the greatest multiplier of its kinds */
    int64_t *most;             /* per value: the greatest multiplier in the cell */
    uint32_t *by_most;         /* per attribute: its values, greatest `most` first */
    hr_bound_taken *taken;     /* the class that pays V of the last box */
    uint32_t taken_count;
    uint32_t *seen;    /* per value: the last `now` at which payers had the value */
    uint32_t now;      /* number of the current box */
    uint32_t *lacking; /* per attribute: number of values that the payers lack to have p */
    uint32_t *filler;  /* values chosen to be added for one attribute, best first */
    spare_list spare;
    spare_values best;
};

static hr_status allocate(hr_bound_valuer *v, size_t values, hr_error *err) {
    const hr_bound_cell *cell = v->cell;
    hr_arena_part parts[] = {
        {&v->top, cell->combination_count, sizeof *v->top},
        {&v->most, values, sizeof *v->most},
        {&v->by_most, values, sizeof *v->by_most},
        {&v->taken, (size_t)cell->kind_count + cell->k + cell->p, sizeof *v->taken},
        {&v->seen, values, sizeof *v->seen},
        {&v->lacking, cell->r, sizeof *v->lacking},
        {&v->filler, values, sizeof *v->filler},
        {&v->spare.kinds, (size_t)cell->k + 2, sizeof *v->spare.kinds},
        {&v->best.kind, values, sizeof *v->best.kind},
        {&v->best.multiplier, values, sizeof *v->best.multiplier},
        {&v->best.present, values, sizeof *v->best.present},
        {&v->best.present_count, cell->r, sizeof *v->best.present_count},
    };
    return hr_arena_parts(&v->arena, parts, sizeof parts / sizeof *parts, err);
}

hr_status hr_bound_valuer_new(const hr_bound_cell *cell, hr_bound_valuer **out, hr_error *err) {
    hr_bound_valuer *v = *out = hr_alloc(1, sizeof *v, err);
    if (!v) return HR_ENOMEM;
    v->cell = cell;
    v->value_start = hr_arena_alloc(&v->arena, cell->r + 1, sizeof *v->value_start, err);
    if (!v->value_start) return HR_ENOMEM;
    for (size_t l = 0; l < cell->r; l++)
        v->value_start[l + 1] = v->value_start[l] + cell->value_count[l];
    size_t values = v->value_start[cell->r];
    HR_TRY(allocate(v, values, err));
    for (size_t value = 0; value < values; value++)
        v->best.multiplier[value] = INT64_MIN;
    for (size_t l = 0; l < cell->r; l++)
        for (uint32_t value = 0; value < cell->value_count[l]; value++)
            v->by_most[v->value_start[l] + value] = value;
    return HR_OK;
}

void hr_bound_valuer_free(hr_bound_valuer *v) {
    if (v) hr_arena_free(&v->arena);
    free(v);
}

/* ---- values by their greatest multipliers ---- */

static bool worse(const int64_t *most, uint32_t a, uint32_t b) {
    return most[a] != most[b] ? most[a] < most[b] : a > b;
}

static inline bool comes_before(const int64_t *most, const uint32_t *a, const uint32_t *b) {
    return worse(most, *a, *b);
}

static inline void put(const int64_t *most, uint32_t *heap, size_t at, const uint32_t *value) {
    (void)most;
    heap[at] = *value;
}

HR_HEAP(worst, uint32_t, const int64_t *, comes_before, put)

/* Sorts values, greatest `most` first, equal ones by number. They are often in order already,
 * because the steps of a climb are small. */
static void sort_values(uint32_t *values, size_t count, const int64_t *most) {
    bool sorted = true;
    for (size_t i = 1; i < count && sorted; i++)
        sorted = !worse(most, values[i - 1], values[i]);
    if (sorted) return;
    for (size_t i = count / 2; i-- > 0;)
        worst_down(most, values, count, i, values[i]);
    for (size_t left = count; left-- > 1;) {
        uint32_t last = values[left];
        values[left] = values[0];
        worst_down(most, values, left, 0, last);
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

/* ---- payers ---- */

/* All payers of a box. */
typedef struct {
    int64_t paid;
    uint64_t rows;
} payers;

/* Puts all payers into v->taken. */
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

/* Marks the values that the payers have of attribute l, and counts them. */
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

/* ---- spare kinds ---- */

static inline bool is_worse_kind(const void *unused, const spare_kind *a, const spare_kind *b) {
    (void)unused;
    if (a->multiplier != b->multiplier) return a->multiplier < b->multiplier;
    return a->met > b->met;
}

static inline void put_kind(const void *unused, spare_kind *heap, size_t at,
                            const spare_kind *kind) {
    (void)unused;
    heap[at] = *kind;
}

HR_HEAP(kind, spare_kind, const void *, is_worse_kind, put_kind)

/* Adds a spare kind to the list, which is cut to the kinds of the best `wanted` rows. */
static void keep_best(hr_bound_valuer *v, uint32_t kind, uint64_t wanted) {
    spare_list *spare = &v->spare;
    spare_kind own = {v->multiplier[kind], kind, v->cell->kind_rows[kind], spare->met++};
    if (spare->rows >= wanted && spare->kinds[0].multiplier >= own.multiplier) return;
    kind_up(NULL, spare->kinds, spare->count++, own);
    spare->rows += own.rows;
    while (spare->rows - spare->kinds[0].rows >= wanted) {
        spare->rows -= spare->kinds[0].rows;
        spare->count--;
        kind_down(NULL, spare->kinds, spare->count, 0, spare->kinds[spare->count]);
    }
}

static void sort_spare(spare_list *spare) {
    for (uint32_t left = spare->count; left-- > 1;) {
        spare_kind last = spare->kinds[left];
        spare->kinds[left] = spare->kinds[0];
        kind_down(NULL, spare->kinds, left, 0, last);
    }
}

/* Stores a spare kind if it is the best so far for its value of attribute l. */
static void keep_value(hr_bound_valuer *v, uint32_t kind, size_t l) {
    uint32_t value = v->cell->kind_value[kind * v->cell->r + l];
    if (value == HR_NONE) return;
    size_t at = v->value_start[l] + value;
    spare_values *best = &v->best;
    if (v->multiplier[kind] <= best->multiplier[at]) return;
    if (best->multiplier[at] == INT64_MIN)
        best->present[v->value_start[l] + best->present_count[l]++] = value;
    best->multiplier[at] = v->multiplier[kind];
    best->kind[at] = kind;
}

static void forget_spare(hr_bound_valuer *v) {
    v->spare.count = v->spare.met = 0;
    v->spare.rows = 0;
    for (size_t l = 0; l < v->cell->r; l++) {
        int64_t *multiplier = v->best.multiplier + v->value_start[l];
        for (uint32_t i = 0; i < v->best.present_count[l]; i++)
            multiplier[v->best.present[v->value_start[l] + i]] = INT64_MIN;
        v->best.present_count[l] = 0;
    }
}

/* Finds the kinds of the best `wanted` spare rows and the best kind for each lacking value. */
static void find_spare(hr_bound_valuer *v, uint32_t box, uint64_t wanted) {
    const hr_bound_cell *cell = v->cell;
    int64_t cost = (int64_t)cell->cost[box];
    forget_spare(v);
    for (size_t i = cell->inside_start[box]; i < cell->inside_start[box + 1]; i++) {
        uint32_t c = cell->inside[i];
        for (uint32_t kind = cell->kind_start[c]; kind < cell->kind_start[c + 1]; kind++) {
            if (v->multiplier[kind] > cost) continue;
            if (wanted) keep_best(v, kind, wanted);
            for (size_t l = 0; l < cell->r; l++)
                if (v->lacking[l]) keep_value(v, kind, l);
        }
    }
    sort_spare(&v->spare);
}

/* Stores in v->filler the best values of attribute l that no payer has, as many as the payers lack.
 * Returns their number, which is less if the box has too few. */
static uint32_t choose_values(hr_bound_valuer *v, size_t l) {
    const int64_t *best = v->best.multiplier + v->value_start[l];
    uint32_t count = 0, lacking = v->lacking[l];
    for (uint32_t i = 0; i < v->best.present_count[l]; i++) {
        uint32_t value = v->best.present[v->value_start[l] + i], place = count;
        if (v->seen[v->value_start[l] + value] == v->now) continue;
        while (place > 0 && worse(best, v->filler[place - 1], value))
            place--;
        if (place >= lacking) continue;
        if (count < lacking) count++;
        memmove(v->filler + place + 1, v->filler + place, (count - place - 1) * sizeof *v->filler);
        v->filler[place] = value;
    }
    return count;
}

/* Upper limit, 0 or less, on what the rows added for the lacking values of attribute l pay. Assumes
 * that the box contains the best row of the cell for each of these values. */
static int64_t fill_at_most(hr_bound_valuer *v, uint32_t box, size_t l) {
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

/* Chooses the rows that are added to the payers: one for each lacking value of attribute l, then
 * others for the `missing` rows up to k. Returns what they pay, 0 or less. Stores them in `taken`
 * and adds their number to *taken_count unless `taken` is NULL. */
static int64_t fill(hr_bound_valuer *v, uint32_t box, size_t l, uint64_t missing,
                    hr_bound_taken *taken, uint32_t *taken_count) {
    int64_t cost = (int64_t)v->cell->cost[box], sum = 0;
    const uint32_t *best = v->best.kind + v->value_start[l];
    uint32_t lacking = 0, count = 0;
    if (v->cell->r && v->lacking[l]) lacking = choose_values(v, l);
    for (uint32_t i = 0; i < lacking; i++) {
        uint32_t kind = best[v->filler[i]];
        sum += v->multiplier[kind] - cost;
        if (taken) taken[count++] = (hr_bound_taken){kind, 1};
    }
    uint64_t left = missing > lacking ? missing - lacking : 0;
    for (uint32_t i = 0; i < v->spare.count && left; i++) {
        const spare_kind *spare = &v->spare.kinds[i];
        uint64_t rows = spare->rows;
        for (uint32_t j = 0; j < lacking; j++) /* one of its rows was already taken for a value */
            rows -= best[v->filler[j]] == spare->kind;
        if (rows > left) rows = left;
        sum += (spare->multiplier - cost) * (int64_t)rows;
        left -= rows;
        if (taken && rows) taken[count++] = (hr_bound_taken){spare->kind, (uint32_t)rows};
    }
    if (taken) *taken_count += count;
    return sum;
}

/* ---- the whole ---- */

/* Sets v->lacking. Returns an upper limit, 0 or less, on what the rows added for the lacking values
 * pay: the least of the limits of all attributes. */
static int64_t find_lacking(hr_bound_valuer *v, uint32_t box) {
    const hr_bound_cell *cell = v->cell;
    int64_t least = 0;
    if (++v->now == 0) { /* the counter has wrapped: old marks would look new */
        memset(v->seen, 0, v->value_start[cell->r] * sizeof *v->seen);
        v->now = 1;
    }
    for (size_t l = 0; l < cell->r; l++) {
        uint32_t values = count_values(v, l);
        v->lacking[l] = values < cell->p ? cell->p - values : 0;
        if (!v->lacking[l]) continue;
        int64_t fills = fill_at_most(v, box, l);
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
    find_spare(v, box, missing);
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

const hr_bound_taken *hr_bound_class(const hr_bound_valuer *v, uint32_t *count) {
    *count = v->taken_count;
    return v->taken;
}
