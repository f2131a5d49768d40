/* box_walk.c - a walk over the feasible boxes of a cell. It chooses the published values axis by
 * axis. On each axis it sorts the members of the partial box by position, so that every value
 * covers a run of them, and enters each run: the next axis divides the members of the run. A run
 * that is not feasible or already costs too much is skipped with all boxes inside it. A tree node
 * that covers the same members as one of its descendants is skipped too. */
#include "bound/boxes.h"

#include <stdlib.h>
#include <string.h>

enum { CLOCK = 1024 }; /* boxes between two readings of the clock */

/* ---- the space ---- */

typedef struct {
    size_t quasi;
    uint32_t present; /* number of positions that occur */
    bool numeric;
} ranked_axis;

static int most_present_first(const void *a, const void *b) {
    const ranked_axis *x = a, *y = b;
    if (x->present != y->present) return x->present > y->present ? -1 : 1;
    return x->quasi < y->quasi ? -1 : x->quasi > y->quasi;
}

static void put_number_last(ranked_axis *axes, size_t t) {
    size_t j = 0;
    while (j < t && !axes[j].numeric)
        j++;
    if (j == t) return;
    ranked_axis number = axes[j];
    for (; j + 1 < t; j++)
        axes[j] = axes[j + 1];
    axes[j] = number;
}

/* Counts the positions that occur on each axis. */
static hr_status count_present(const hr_axes *axes, const uint32_t *position, uint32_t count,
                               ranked_axis *list, hr_error *err) {
    size_t t = axes->count, all = 0;
    for (size_t j = 0; j < t; j++)
        all += axes->of[j].count;
    bool *seen = hr_alloc(all, sizeof *seen, err), **of = hr_alloc(t, sizeof *of, err);
    hr_status status = seen && of ? HR_OK : HR_ENOMEM;
    for (size_t j = 0, start = 0; j < t && status == HR_OK; start += axes->of[j++].count)
        of[j] = seen + start;
    for (uint32_t c = 0; c < count && status == HR_OK; c++)
        for (size_t j = 0; j < t; j++) {
            bool *own = &of[j][position[c * t + j]];
            list[j].present += !*own;
            *own = true;
        }
    free(seen);
    free(of);
    return status;
}

hr_status hr_walk_order(const hr_axes *axes, const uint32_t *position, uint32_t count,
                        size_t *order, hr_error *err) {
    size_t t = axes->count;
    ranked_axis *list = hr_alloc(t, sizeof *list, err);
    if (!list) return HR_ENOMEM;
    for (size_t j = 0; j < t; j++)
        list[j] = (ranked_axis){.quasi = j, .numeric = !axes->of[j].cost};
    hr_status status = count_present(axes, position, count, list, err);
    qsort(list, t, sizeof *list, most_present_first);
    put_number_last(list, t);
    for (size_t i = 0; i < t; i++)
        order[i] = list[i].quasi;
    free(list);
    return status;
}

hr_status hr_box_space_make(const hr_kinds *kinds, const hr_axes *axes, const size_t *order,
                            hr_arena *arena, hr_box_space *out, hr_error *err) {
    size_t t = axes->count;
    out->kinds = kinds;
    out->axes = hr_arena_alloc(arena, t, sizeof *out->axes, err);
    if (!out->axes) return HR_ENOMEM;
    for (size_t i = 0; i < t; i++) {
        out->axes[i].axis = &axes->of[order[i]];
        out->axes[i].at =
            hr_arena_alloc(arena, kinds->combination_count, sizeof *out->axes[i].at, err);
        if (!out->axes[i].at) return HR_ENOMEM;
    }
    for (uint32_t c = 0; c < kinds->combination_count; c++)
        for (size_t i = 0; i < t; i++)
            out->axes[i].at[c] = kinds->code[c * t + order[i]];
    return HR_OK;
}

/* ---- feasibility ---- */

static bool has_rows(const hr_kinds *kinds, const hr_partial_box *box) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < box->count && rows < kinds->k; i++)
        rows += kinds->combination_rows[box->members[i]];
    return rows >= kinds->k;
}

static bool has_values(hr_box_walk *w, const hr_partial_box *box, size_t l) {
    const hr_kinds *kinds = w->space->kinds;
    uint32_t *seen = w->seen + kinds->value_start[l], values = 0;
    w->now++;
    for (uint32_t i = 0; i < box->count; i++)
        for (uint32_t kind = kinds->kind_start[box->members[i]];
             kind < kinds->kind_start[box->members[i] + 1]; kind++) {
            uint32_t value = kinds->kind_value[kind * kinds->r + l];
            if (value == HR_NONE || seen[value] == w->now) continue;
            seen[value] = w->now;
            if (++values >= kinds->p) return true;
        }
    return false;
}

static bool is_feasible(hr_box_walk *w, const hr_partial_box *box) {
    const hr_kinds *kinds = w->space->kinds;
    if (!has_rows(kinds, box)) return false;
    if (w->now > UINT32_MAX - kinds->r) {
        memset(w->seen, 0, kinds->value_start[kinds->r] * sizeof *w->seen);
        w->now = 0;
    }
    for (size_t l = 0; l < kinds->r; l++)
        if (!has_values(w, box, l)) return false;
    return true;
}

/* ---- the walk ---- */

static hr_status walk_box(hr_box_walk *w, const hr_partial_box *box, hr_error *err);

/* Continues with the next axis for the members that the value chosen on `axis` covers. */
static hr_status enter(hr_box_walk *w, size_t axis, const uint32_t *members, uint32_t count,
                       uint64_t cost, hr_error *err) {
    hr_partial_box inner = {.members = members, .count = count, .axis = axis + 1, .cost = cost};
    return walk_box(w, &inner, err);
}

/* Enters every node whose first member is sorted[first]: the position of that member, and its
 * ancestors as long as they cover no earlier member. */
static hr_status walk_nodes(hr_box_walk *w, const hr_partial_box *box, const uint32_t *sorted,
                            uint32_t first, hr_error *err) {
    const uint32_t *at = w->space->axes[box->axis].at;
    const hr_axis *axis = w->space->axes[box->axis].axis;
    const hr_preorder *tree = &axis->tree;
    uint32_t node = at[sorted[first]], stop = first, entered = first;
    for (;;) {
        uint64_t cost = box->cost + axis->cost[node];
        if (cost >= w->ceiling || w->over) return HR_OK;
        while (stop < box->count && at[sorted[stop]] < tree->end[node])
            stop++;
        w->value[box->axis] = (hr_span){node, node};
        if (stop > entered) HR_TRY(enter(w, box->axis, sorted + first, stop - first, cost, err));
        entered = stop;
        if (node == 0 || (first > 0 && at[sorted[first - 1]] >= tree->up[node])) return HR_OK;
        node = tree->up[node];
    }
}

/* Enters every interval from the number of sorted[first] to its own or that of a later member. */
static hr_status walk_intervals(hr_box_walk *w, const hr_partial_box *box, const uint32_t *sorted,
                                uint32_t first, hr_error *err) {
    const hr_walk_axis *by = &w->space->axes[box->axis];
    hr_span span = {by->at[sorted[first]], 0};
    for (uint32_t stop = first; stop < box->count;) {
        span.hi = by->at[sorted[stop]];
        uint64_t cost = box->cost + hr_axis_cost(by->axis, span);
        if (cost >= w->ceiling || w->over) return HR_OK;
        while (stop < box->count && by->at[sorted[stop]] == span.hi)
            stop++;
        w->value[box->axis] = span;
        HR_TRY(enter(w, box->axis, sorted + first, stop - first, cost, err));
    }
    return HR_OK;
}

static hr_status walk_ranges(hr_box_walk *w, const hr_partial_box *box, const uint32_t *sorted,
                             uint32_t first, hr_error *err) {
    bool is_tree = w->space->axes[box->axis].axis->cost;
    return is_tree ? walk_nodes(w, box, sorted, first, err)
                   : walk_intervals(w, box, sorted, first, err);
}

/* Is this axis left to w->slide? */
static bool slides(const hr_box_walk *w, size_t axis) {
    return w->slide && axis + 1 == w->space->kinds->t && !w->space->axes[axis].axis->cost;
}

/* Sorts members by position; stable. They are often in order already on the first axes. */
static void sort_members(const hr_walk_axis *by, const hr_partial_box *box, uint32_t *sorted,
                         uint32_t *spare) {
    uint32_t i = 1;
    while (i < box->count && by->at[box->members[i - 1]] <= by->at[box->members[i]])
        i++;
    memcpy(sorted, box->members, box->count * sizeof *sorted);
    if (i < box->count) hr_sort_by_key(by->at, by->axis->count, sorted, spare, box->count);
}

static bool is_late(const hr_box_walk *w) {
    return hr_late(w->deadline) || (w->progress && hr_progress_finishes(w->progress));
}

static hr_status walk_box(hr_box_walk *w, const hr_partial_box *box, hr_error *err) {
    size_t t = w->space->kinds->t;
    w->work += box->count;
    if (w->work > w->limit) w->over = true;
    if ((w->deadline > 0 || w->progress) && w->visited++ % CLOCK == 0 && is_late(w))
        w->late = w->over = true;
    if (w->over || !is_feasible(w, box)) return HR_OK;
    if (w->wanted && !w->wanted(w, box)) return HR_OK;
    if (box->axis == t) return w->found(w, box, err);
    const hr_walk_axis *by = &w->space->axes[box->axis];
    uint32_t *sorted = w->sorted[box->axis];
    sort_members(by, box, sorted, w->sorted[t]);
    if (slides(w, box->axis)) {
        hr_partial_box last = *box;
        last.members = sorted;
        return w->slide(w, &last, err);
    }
    for (uint32_t first = 0; first < box->count && !w->over; first++)
        if (first == 0 || by->at[sorted[first]] != by->at[sorted[first - 1]])
            HR_TRY(walk_ranges(w, box, sorted, first, err));
    return HR_OK;
}

hr_status hr_box_walk_all(hr_box_walk *w, const uint32_t *members, uint32_t count, hr_error *err) {
    return walk_box(w, &(hr_partial_box){.members = members, .count = count}, err);
}

hr_status hr_box_walk_from(hr_box_walk *w, const uint32_t *members, uint32_t count, uint32_t first,
                           hr_error *err) {
    hr_partial_box whole = {.members = members, .count = count};
    if (slides(w, 0)) return first == 0 ? w->slide(w, &whole, err) : HR_OK;
    return walk_ranges(w, &whole, members, first, err);
}

hr_status hr_box_walk_start(hr_box_walk *w, const hr_box_space *space, uint32_t most,
                            hr_error *err) {
    const hr_kinds *kinds = space->kinds;
    w->space = space;
    hr_arena_part parts[] = {
        {&w->sorted, kinds->t + 1, sizeof *w->sorted},
        {&w->value, kinds->t, sizeof *w->value},
        {&w->seen, kinds->value_start[kinds->r], sizeof *w->seen},
    };
    HR_TRY(hr_arena_parts(&w->arena, parts, sizeof parts / sizeof *parts, err));
    for (size_t j = 0; j <= kinds->t; j++) {
        w->sorted[j] = hr_arena_alloc(&w->arena, most, sizeof **w->sorted, err);
        if (!w->sorted[j]) return HR_ENOMEM;
    }
    return HR_OK;
}

void hr_box_walk_end(hr_box_walk *w) {
    hr_arena_free(&w->arena);
}

/* ---- canonical boxes ---- */

/* Smallest value that covers all members on an axis. */
static hr_span smallest_value(const hr_walk_axis *by, const hr_partial_box *box) {
    hr_span all = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < box->count; i++) {
        uint32_t at = by->at[box->members[i]];
        if (at < all.lo) all.lo = at;
        if (at > all.hi) all.hi = at;
    }
    if (!by->axis->cost) return all;
    uint32_t node = hr_preorder_join(&by->axis->tree, all.lo, all.hi);
    return (hr_span){node, node};
}

bool hr_box_is_canonical(const hr_box_walk *w, const hr_partial_box *box) {
    for (size_t j = 0; j < w->space->kinds->t; j++) {
        hr_span smallest = smallest_value(&w->space->axes[j], box);
        if (smallest.lo != w->value[j].lo || smallest.hi != w->value[j].hi) return false;
    }
    return true;
}

/* ---- lists ---- */

hr_status hr_box_list_add(hr_box_list *list, const hr_partial_box *box, uint32_t base,
                          hr_error *err) {
    size_t n = list->count, used = hr_box_list_pairs(list);
    HR_TRY(hr_grow(&list->cost, &list->cost_capacity, n + 1, sizeof *list->cost, err));
    HR_TRY(hr_grow(&list->inside_start, &list->start_capacity, n + 2, sizeof *list->inside_start,
                   err));
    HR_TRY(hr_grow(&list->inside, &list->inside_capacity, used + box->count, sizeof *list->inside,
                   err));
    list->inside_start[0] = 0;
    for (uint32_t i = 0; i < box->count; i++)
        list->inside[used + i] = box->members[i] - base;
    list->cost[n] = box->cost;
    list->inside_start[n + 1] = used + box->count;
    list->count++;
    return HR_OK;
}

void hr_box_list_free(hr_box_list *list) {
    free(list->cost);
    free(list->inside_start);
    free(list->inside);
    *list = (hr_box_list){0};
}
