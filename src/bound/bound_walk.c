/* bound_walk.c - the boxes of a cell, one axis after the other: members sorted by their position on
 * the axis, every published value is a range of them, and what lies in the range goes on to the next
 * axis. A range that lacks rows or values, or costs too much already, is left with all that lies
 * below it. A value that covers no more members than one below it is passed over. */
#include "bound/bound.h"

#include <string.h>

enum {
    INSERTION = 24, /* members up to which they are sorted by insertion */
    CLOCK = 1024    /* boxes between two looks at the clock */
};

/* ---- sorting members by position ---- */

static void insert_sorted(const uint32_t *at, uint32_t *members, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t member = members[i], place = i;
        for (; place > 0 && at[members[place - 1]] > at[member]; place--)
            members[place] = members[place - 1];
        members[place] = member;
    }
}

static void sort_digit(const uint32_t *at, const uint32_t *from, uint32_t *to, uint32_t count,
                       unsigned shift) {
    uint32_t place[257] = {0};
    for (uint32_t i = 0; i < count; i++)
        place[(at[from[i]] >> shift & 255) + 1]++;
    for (unsigned digit = 0; digit < 256; digit++)
        place[digit + 1] += place[digit];
    for (uint32_t i = 0; i < count; i++)
        to[place[at[from[i]] >> shift & 255]++] = from[i];
}

/* Stable. Members that are in order already, as often on the first axes, are only copied. */
static void sort_members(const hr_bound_axis *axis, const uint32_t *members, uint32_t count,
                         uint32_t *sorted, uint32_t *spare) {
    uint32_t i = 1;
    while (i < count && axis->at[members[i - 1]] <= axis->at[members[i]])
        i++;
    memcpy(sorted, members, count * sizeof *sorted);
    if (i >= count) return;
    if (count <= INSERTION) {
        insert_sorted(axis->at, sorted, count);
        return;
    }
    for (unsigned shift = 0; shift < 32 && (axis->count - 1) >> shift; shift += 8) {
        sort_digit(axis->at, sorted, spare, count, shift);
        memcpy(sorted, spare, count * sizeof *sorted);
    }
}

/* ---- enough rows and values ---- */

static bool has_rows(const hr_bound_types *types, const hr_bound_box *box) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < box->count && rows < types->k; i++)
        for (uint32_t kind = types->kind_start[box->members[i]];
             kind < types->kind_start[box->members[i] + 1]; kind++)
            rows += types->kind_rows[kind];
    return rows >= types->k;
}

static bool has_values(hr_bound_walk *w, const hr_bound_box *box, size_t l) {
    const hr_bound_types *types = w->types;
    uint32_t *seen = w->seen + w->seen_start[l], values = 0;
    w->now++;
    for (uint32_t i = 0; i < box->count; i++)
        for (uint32_t kind = types->kind_start[box->members[i]];
             kind < types->kind_start[box->members[i] + 1]; kind++) {
            uint32_t value = types->kind_value[kind * types->r + l];
            if (value == HR_NONE || seen[value] == w->now) continue;
            seen[value] = w->now;
            if (++values >= types->p) return true;
        }
    return false;
}

static bool is_feasible(hr_bound_walk *w, const hr_bound_box *box) {
    if (!has_rows(w->types, box)) return false;
    if (w->now > UINT32_MAX - w->types->r) {
        memset(w->seen, 0, w->seen_start[w->types->r] * sizeof *w->seen);
        w->now = 0;
    }
    for (size_t l = 0; l < w->types->r; l++)
        if (!has_values(w, box, l)) return false;
    return true;
}

/* ---- the walk ---- */

static hr_status walk_box(hr_bound_walk *w, const hr_bound_box *box, hr_error *err);

static hr_status enter(hr_bound_walk *w, size_t axis, const uint32_t *members, uint32_t count,
                       uint64_t cost, hr_error *err) {
    hr_bound_box inner = {.members = members, .count = count, .axis = axis + 1, .cost = cost};
    return walk_box(w, &inner, err);
}

/* Every node whose first member is number `first` of the sorted: the value itself, and its ancestors
 * as long as nothing before it lies below them. */
static hr_status walk_nodes(hr_bound_walk *w, const hr_bound_box *box, const uint32_t *sorted,
                            uint32_t first, hr_error *err) {
    const hr_bound_axis *axis = &w->types->axes[box->axis];
    uint32_t node = axis->at[sorted[first]], stop = first, entered = first;
    for (;;) {
        uint64_t cost = box->cost + axis->cost[node];
        if (cost >= w->ceiling || w->over) return HR_OK;
        while (stop < box->count && axis->at[sorted[stop]] < axis->end[node])
            stop++;
        w->value[box->axis] = (hr_span){node, node};
        if (stop > entered) HR_TRY(enter(w, box->axis, sorted + first, stop - first, cost, err));
        entered = stop;
        if (node == 0 || (first > 0 && axis->at[sorted[first - 1]] >= axis->up[node])) return HR_OK;
        node = axis->up[node];
    }
}

/* Every interval that begins with that member's number and ends with another's. */
static hr_status walk_intervals(hr_bound_walk *w, const hr_bound_box *box, const uint32_t *sorted,
                                uint32_t first, hr_error *err) {
    const hr_bound_axis *axis = &w->types->axes[box->axis];
    hr_span span = {axis->at[sorted[first]], 0};
    for (uint32_t stop = first; stop < box->count;) {
        span.hi = axis->at[sorted[stop]];
        uint64_t cost = box->cost + hr_quasi_cost(axis->quasi, span);
        if (cost >= w->ceiling || w->over) return HR_OK;
        while (stop < box->count && axis->at[sorted[stop]] == span.hi)
            stop++;
        w->value[box->axis] = span;
        HR_TRY(enter(w, box->axis, sorted + first, stop - first, cost, err));
    }
    return HR_OK;
}

static hr_status walk_ranges(hr_bound_walk *w, const hr_bound_box *box, const uint32_t *sorted,
                             uint32_t first, hr_error *err) {
    if (w->types->axes[box->axis].quasi->tree) return walk_nodes(w, box, sorted, first, err);
    return walk_intervals(w, box, sorted, first, err);
}

static bool slides(const hr_bound_walk *w, size_t axis) {
    return w->slide && axis + 1 == w->types->t && !w->types->axes[axis].quasi->tree;
}

static hr_status walk_box(hr_bound_walk *w, const hr_bound_box *box, hr_error *err) {
    w->work += box->count;
    if (w->work > w->limit) w->over = true;
    if (w->deadline > 0 && w->boxes++ % CLOCK == 0 && hr_seconds() >= w->deadline)
        w->late = w->over = true;
    if (w->over || !is_feasible(w, box)) return HR_OK;
    if (w->wanted && !w->wanted(w, box)) return HR_OK;
    if (box->axis == w->types->t) return w->found(w, box, err);
    const hr_bound_axis *axis = &w->types->axes[box->axis];
    uint32_t *sorted = w->sorted[box->axis];
    sort_members(axis, box->members, box->count, sorted, w->sorted[w->types->t]);
    if (slides(w, box->axis)) {
        hr_bound_box last = *box;
        last.members = sorted;
        return w->slide(w, &last, err);
    }
    for (uint32_t first = 0; first < box->count && !w->over; first++)
        if (first == 0 || axis->at[sorted[first]] != axis->at[sorted[first - 1]])
            HR_TRY(walk_ranges(w, box, sorted, first, err));
    return HR_OK;
}

bool hr_bound_begins(const hr_bound_types *types, uint32_t cell, uint32_t combination) {
    const uint32_t *at = types->axes[0].at;
    return combination == types->cell_start[cell] || at[combination] != at[combination - 1];
}

/* The combinations of a cell stand in the order of the first axis. */
hr_status hr_bound_walk_from(hr_bound_walk *w, uint32_t cell, uint32_t first, hr_error *err) {
    uint32_t start = w->types->cell_start[cell];
    hr_bound_box whole = {.members = w->types->all + start,
                          .count = w->types->cell_start[cell + 1] - start};
    if (slides(w, 0)) return first == start ? w->slide(w, &whole, err) : HR_OK;
    return walk_ranges(w, &whole, w->types->all + start, first - start, err);
}

hr_status hr_bound_walk_start(hr_bound_walk *w, const hr_bound_types *types, uint32_t most,
                              hr_error *err) {
    w->types = types;
    w->sorted = hr_arena_alloc(&w->arena, types->t + 1, sizeof *w->sorted, err);
    w->seen_start = hr_arena_alloc(&w->arena, types->r + 1, sizeof *w->seen_start, err);
    w->value = hr_arena_alloc(&w->arena, types->t, sizeof *w->value, err);
    if (!w->sorted || !w->seen_start || !w->value) return HR_ENOMEM;
    for (size_t j = 0; j <= types->t; j++) {
        w->sorted[j] = hr_arena_alloc(&w->arena, most, sizeof **w->sorted, err);
        if (!w->sorted[j]) return HR_ENOMEM;
    }
    for (size_t l = 0; l < types->r; l++)
        w->seen_start[l + 1] = w->seen_start[l] + types->value_count[l];
    w->seen = hr_arena_alloc(&w->arena, w->seen_start[types->r], sizeof *w->seen, err);
    return w->seen ? HR_OK : HR_ENOMEM;
}

void hr_bound_walk_end(hr_bound_walk *w) {
    hr_arena_free(&w->arena);
}

/* ---- canonical boxes ---- */

/* The least value that covers all members on an axis. */
static hr_span least_value(const hr_bound_axis *axis, const hr_bound_box *box) {
    hr_span all = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < box->count; i++) {
        uint32_t at = axis->at[box->members[i]];
        if (at < all.lo) all.lo = at;
        if (at > all.hi) all.hi = at;
    }
    if (!axis->quasi->tree) return all;
    while (axis->end[all.lo] <= all.hi)
        all.lo = axis->up[all.lo];
    return (hr_span){all.lo, all.lo};
}

bool hr_bound_least(const hr_bound_walk *w, const hr_bound_box *box) {
    for (size_t j = 0; j < w->types->t; j++) {
        hr_span least = least_value(&w->types->axes[j], box);
        if (least.lo != w->value[j].lo || least.hi != w->value[j].hi) return false;
    }
    return true;
}
