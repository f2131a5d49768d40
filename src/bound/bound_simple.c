/* bound_simple.c - the simple bound: a row costs at least as much as the cheapest feasible box
 * around it. Boxes are searched in rounds. Each round walks the boxes that cost less than a
 * ceiling, which rises from round to round, and skips boxes that cannot lower the cost found for
 * any of their members; so a round mostly visits boxes that earlier ceilings excluded. If the work
 * exceeds its limit, combinations without a box yet cost at least the ceiling of the last completed
 * round; bound_near.c then finds a better bound.
 *
 * A round is divided into parts, which threads share. A part uses the costs found in earlier rounds
 * and in the part itself, but not those of other parts of the round. So the work, and the last
 * ceiling, do not depend on the number of threads. */
#include "bound/bound_parts.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST = 32, /* the first ceiling is 1 / FIRST of the most that a row can cost */
    ROUNDS = 11 /* rounds until the ceiling, which grows by half each time, reaches that cost */
};

/* A part of a round: the boxes of a cell whose value on the first axis begins at the position of
 * combination `first` of the cell. */
typedef struct {
    uint32_t cell, first;
} part;

/* State of one thread. */
typedef struct {
    hr_box_walk walk;
    uint64_t *least;   /* per combination: least cost found in earlier rounds or in the current
                          part; UINT64_MAX: none */
    uint32_t *changed; /* combinations for which the current part found the first cost */
    uint32_t changed_count;
    /* The window that slides along the last axis: */
    uint64_t rows;    /* in the window */
    uint32_t *count;  /* per sensitive value: number of kinds in the window that have it */
    uint32_t *values; /* per sensitive attribute: number of distinct values in the window */
} worker;

typedef struct {
    const hr_bound_table *table;
    part *parts;
    size_t part_count, part_capacity;
    uint64_t ceiling;
    uint64_t *least; /* per combination: cost found in earlier rounds; UINT64_MAX: none */
    atomic_uint_fast64_t *found; /* the same for the current round */
    worker *workers;
    unsigned worker_count;
    atomic_bool over;          /* the work has exceeded its limit */
    atomic_uint_fast64_t work; /* members of all boxes visited */
    uint64_t limit;
    double deadline;
    hr_progress progress;
} search;

/* ---- one part ---- */

/* May a box inside this one be cheaper than the cost found for one of the members? */
static bool is_wanted(const hr_box_walk *walk, const hr_partial_box *box) {
    const uint64_t *least = ((const worker *)walk->payload)->least;
    for (uint32_t i = 0; i < box->count; i++)
        if (least[box->members[i]] > box->cost) return true;
    return false;
}

static void improve(worker *w, uint32_t member, uint64_t cost) {
    if (w->least[member] <= cost) return;
    if (w->least[member] == UINT64_MAX) w->changed[w->changed_count++] = member;
    w->least[member] = cost;
}

static hr_status take(hr_box_walk *walk, const hr_partial_box *box, hr_error *err) {
    (void)err;
    for (uint32_t i = 0; i < box->count; i++)
        improve(walk->payload, box->members[i], box->cost);
    return HR_OK;
}

/* ---- intervals of the last axis ---- */

/* Adds the kinds of a combination to the window, or removes them. */
static void count_member(worker *w, uint32_t member, bool add) {
    const hr_kinds *kinds = w->walk.space->kinds;
    for (uint32_t kind = kinds->kind_start[member]; kind < kinds->kind_start[member + 1]; kind++) {
        w->rows += add ? kinds->kind_rows[kind] : -(uint64_t)kinds->kind_rows[kind];
        for (size_t l = 0; l < kinds->r; l++) {
            uint32_t value = kinds->kind_value[kind * kinds->r + l];
            if (value == HR_NONE) continue;
            uint32_t *count = &w->count[kinds->value_start[l] + value];
            if (add)
                w->values[l] += (*count)++ == 0;
            else
                w->values[l] -= --*count == 0;
        }
    }
}

static bool is_enough(const worker *w) {
    const hr_kinds *kinds = w->walk.space->kinds;
    bool enough = w->rows >= kinds->k;
    for (size_t l = 0; l < kinds->r; l++)
        enough = enough && w->values[l] >= kinds->p;
    return enough;
}

/* Lowers the cost of a member to that of the box with low .. high on the last axis. */
static void offer(worker *w, const hr_partial_box *box, uint32_t member, uint32_t low,
                  uint32_t high) {
    const hr_axis *axis = w->walk.space->axes[box->axis].axis;
    uint64_t cost = box->cost + hr_axis_cost(axis, (hr_span){low, high});
    if (cost < w->walk.ceiling) improve(w, member, cost);
}

/* Offers the window of members from .. ended - 1 to these members and, extended as far as each
 * needs, to members ended .. until - 1. The next window is at least as good for later members. */
static void offer_window(worker *w, const hr_partial_box *box, uint32_t from, uint32_t ended,
                         uint32_t until) {
    const uint32_t *at = w->walk.space->axes[box->axis].at;
    uint32_t low = at[box->members[from]], high = at[box->members[ended - 1]];
    w->walk.work += until - from;
    for (uint32_t i = from; i < until; i++) {
        uint32_t own = at[box->members[i]];
        offer(w, box, box->members[i], low, own > high ? own : high);
    }
}

/* Finds the cheapest interval on the last axis around each member. It goes through the smallest
 * feasible windows: each begins at a member and ends at the first member that makes it feasible.
 * The cheapest interval around a member is such a window, or one extended to the member. */
static hr_status slide(hr_box_walk *walk, const hr_partial_box *box, hr_error *err) {
    (void)err;
    worker *w = walk->payload;
    uint32_t from = 0, stop = 0, ended = 0;
    for (; from < box->count; from++) {
        while (stop < box->count && !is_enough(w))
            count_member(w, box->members[stop++], true);
        if (!is_enough(w)) break;
        if (from > 0) offer_window(w, box, from - 1, ended, stop);
        ended = stop;
        count_member(w, box->members[from], false);
    }
    if (from > 0) offer_window(w, box, from - 1, ended, box->count);
    for (; from < stop; from++)
        count_member(w, box->members[from], false);
    return HR_OK;
}

/* Stores the costs that the part found in s->found and resets them in the worker, so that other
 * parts do not use them. */
static void publish(search *s, worker *w) {
    for (uint32_t i = 0; i < w->changed_count; i++) {
        uint32_t member = w->changed[i];
        uint64_t known = atomic_load(&s->found[member]);
        while (w->least[member] < known &&
               !atomic_compare_exchange_weak(&s->found[member], &known, w->least[member]))
            continue;
        w->least[member] = UINT64_MAX;
    }
    w->changed_count = 0;
}

static hr_status walk_part(size_t i, unsigned number, void *payload, hr_error *err) {
    search *s = payload;
    worker *w = &s->workers[number];
    if (atomic_load(&s->over)) return HR_OK;
    w->walk.ceiling = s->ceiling;
    w->walk.work = 0;
    w->walk.limit = s->limit;
    w->walk.deadline = s->deadline;
    w->walk.progress = &s->progress;
    w->walk.over = false;
    HR_TRY(hr_bound_walk_from(&w->walk, s->table, s->parts[i].cell, s->parts[i].first, err));
    uint64_t work = atomic_fetch_add(&s->work, w->walk.work) + w->walk.work;
    if (w->walk.over || work > s->limit) atomic_store(&s->over, true);
    publish(s, w);
    return hr_progress_add(&s->progress, 0, err);
}

/* ---- rounds ---- */

/* Has every combination a cost? */
static bool is_settled(const search *s) {
    for (uint32_t c = 0; c < s->table->kinds.combination_count; c++)
        if (s->least[c] == UINT64_MAX) return false;
    return true;
}

/* Ends a completed round. Every box below the ceiling was visited or skipped as useless, so a cost
 * that this round found is the least. Costs found in earlier rounds are final already. */
static void keep_found(search *s) {
    for (uint32_t c = 0; c < s->table->kinds.combination_count; c++) {
        if (s->least[c] != UINT64_MAX) continue;
        s->least[c] = atomic_load(&s->found[c]);
        for (unsigned i = 0; i < s->worker_count; i++)
            s->workers[i].least[c] = s->least[c];
    }
}

static hr_status run_rounds(search *s, uint64_t *ceiling, unsigned threads, const hr_watch *watch,
                            hr_error *err) {
    uint64_t most = s->table->kinds.t * (uint64_t)HR_COST_ONE, reached = 0, before = 0, last = 0;
    hr_progress_start(&s->progress, watch, "bound", ROUNDS);
    for (s->ceiling = most / FIRST; !is_settled(s); s->ceiling += s->ceiling / 2) {
        if (s->ceiling > most) s->ceiling = most + 1;
        if (before + 2 * last > s->limit) break; /* the next round may exceed the limit */
        HR_TRY(hr_parallel(s->part_count, threads, walk_part, s, err));
        if (atomic_load(&s->over)) break;
        keep_found(s);
        reached = s->ceiling;
        last = atomic_load(&s->work) - before;
        before += last;
        HR_TRY(hr_progress_add(&s->progress, 1, err));
    }
    hr_progress_end(&s->progress);
    *ceiling = reached;
    return HR_OK;
}

/* ---- the whole ---- */

static hr_status list_parts(search *s, hr_error *err) {
    const hr_bound_table *table = s->table;
    for (uint32_t cell = 0; cell < table->cell_count; cell++)
        for (uint32_t i = 0; i < hr_bound_cell_size(table, cell); i++) {
            if (!hr_bound_begins(table, cell, i)) continue;
            HR_TRY(hr_grow(&s->parts, &s->part_capacity, s->part_count + 1, sizeof *s->parts, err));
            s->parts[s->part_count++] = (part){cell, i};
        }
    return HR_OK;
}

static hr_status start_worker(search *s, worker *w, uint32_t most, hr_error *err) {
    const hr_kinds *kinds = &s->table->kinds;
    size_t count = kinds->combination_count;
    w->walk = (hr_box_walk){.wanted = is_wanted, .found = take, .slide = slide, .payload = w};
    HR_TRY(hr_box_walk_start(&w->walk, &s->table->space, most, err));
    w->least = hr_alloc_raw(count, sizeof *w->least, err);
    w->changed = hr_alloc_raw(count, sizeof *w->changed, err);
    w->count = hr_alloc(kinds->value_start[kinds->r], sizeof *w->count, err);
    w->values = hr_alloc(kinds->r, sizeof *w->values, err);
    if (!w->least || !w->changed || !w->count || !w->values) return HR_ENOMEM;
    memset(w->least, 0xff, count * sizeof *w->least);
    return HR_OK;
}

static hr_status start_workers(search *s, hr_error *err) {
    uint32_t most = 0;
    for (uint32_t cell = 0; cell < s->table->cell_count; cell++) {
        uint32_t size = hr_bound_cell_size(s->table, cell);
        if (size > most) most = size;
    }
    s->workers = hr_alloc(s->worker_count, sizeof *s->workers, err);
    s->found = hr_alloc_raw(s->table->kinds.combination_count, sizeof *s->found, err);
    if (!s->workers || !s->found) return HR_ENOMEM;
    for (uint32_t c = 0; c < s->table->kinds.combination_count; c++)
        atomic_init(&s->found[c], UINT64_MAX);
    for (unsigned i = 0; i < s->worker_count; i++)
        HR_TRY(start_worker(s, &s->workers[i], most, err));
    return HR_OK;
}

hr_status hr_bound_simple(const hr_bound_table *table, uint64_t work, double deadline,
                          unsigned threads, const hr_watch *watch, uint64_t *least,
                          uint64_t *ceiling, hr_error *err) {
    search s = {.table = table,
                .least = least,
                .limit = work,
                .deadline = deadline,
                .worker_count = threads ? threads : 1};
    memset(least, 0xff, table->kinds.combination_count * sizeof *least);
    hr_status status = list_parts(&s, err);
    if (s.worker_count > s.part_count && s.part_count) s.worker_count = (unsigned)s.part_count;
    if (status == HR_OK) status = start_workers(&s, err);
    if (status == HR_OK) status = run_rounds(&s, ceiling, threads, watch, err);
    for (unsigned i = 0; s.workers && i < s.worker_count; i++) {
        hr_box_walk_end(&s.workers[i].walk);
        free(s.workers[i].least);
        free(s.workers[i].changed);
        free(s.workers[i].count);
        free(s.workers[i].values);
    }
    free(s.workers);
    free(s.found);
    free(s.parts);
    return status;
}
