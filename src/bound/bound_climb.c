/* bound_climb.c - raises the bound of a cell by steps along a subgradient. At given multipliers,
 * each box whose V exceeds the price takes the rows of its best class; boxes may take the same row.
 * The multiplier of a kind rises if boxes take fewer rows than the kind has, and falls if they take
 * more. The price rises if more boxes take rows than there can be classes. All multipliers and
 * prices give a valid bound, so a step may lower the bound; the best ones are kept.
 *
 * A step is the smoothed slope of a multiplier divided by the root of its smoothed squared slope
 * (Kingma, Ba 2015), times a rate that shrinks in stages. Kinds of one row and kinds of a thousand
 * rows thus move equally fast. Multipliers are rounded to integers before each evaluation, and sums
 * of integers are exact, so the result does not depend on the number of threads. */
#include "bound/bound_parts.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_PAIRS = 1 << 16, /* about how many (combination, box) pairs the boxes of a chunk have */
    STAGES = 16            /* of a climb; the rate shrinks from each stage to the next */
};
static const double first_rate = 6;    /* x bound per row at the start of the climb; */
static const double low_rate = 0.5;    /* under a ceiling, where multipliers cannot rise far */
static const double stage_rate = 0.75; /* x rate of the previous stage */
static const double memory = 0.9;      /* weight of earlier slopes in the smoothed slope */
static const double square_memory = 0.99;
static const double damping = 1; /* added to the root, so that small slopes make small steps */

/* State of one thread: totals of the boxes that it valued. */
typedef struct {
    hr_bound_valuer *valuer;
    uint32_t *covered; /* per kind: rows in the classes that attain V, over the active boxes */
    uint64_t penalty;  /* sum over boxes of max(0, V - price); saturates */
    uint64_t active;   /* boxes whose V exceeds the price */
} worker;

/* A multiplier or price as a real number, with its smoothed slope and squared slope. */
typedef struct {
    double at, slope, square;
} coordinate;

typedef struct {
    const hr_bound_cell *cell;
    worker *workers;
    unsigned worker_count;
    uint32_t *chunks; /* a chunk is one task: boxes chunks[i] .. chunks[i + 1] - 1 */
    size_t chunk_count, chunk_capacity;
    coordinate *kinds;
    coordinate price_at;
    int64_t *multiplier; /* kinds[].at, rounded */
    int64_t price;
    uint64_t rows;
    int64_t least; /* least multiplier */
    int64_t *most; /* per kind: greatest multiplier */
    int64_t bound; /* at the current multipliers and price */
} climb;

/* ---- the bound at a point ---- */

static uint64_t add_saturating(uint64_t a, uint64_t b) {
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static hr_status value_chunk(size_t i, unsigned number, void *payload, hr_error *err) {
    (void)err;
    climb *c = payload;
    worker *w = &c->workers[number];
    for (uint32_t box = c->chunks[i]; box < c->chunks[i + 1]; box++) {
        int64_t value = hr_bound_value(w->valuer, box, c->price);
        if (value <= c->price) continue;
        w->penalty = add_saturating(w->penalty, (uint64_t)(value - c->price));
        w->active++;
        uint32_t count;
        const hr_bound_taken *taken = hr_bound_class(w->valuer, &count);
        for (uint32_t j = 0; j < count; j++)
            w->covered[taken[j].kind] += taken[j].rows;
    }
    return HR_OK;
}

/* Adds the results of all workers to those of worker 0. */
static void sum_workers(climb *c) {
    worker *all = &c->workers[0];
    for (unsigned i = 1; i < c->worker_count; i++) {
        all->penalty = add_saturating(all->penalty, c->workers[i].penalty);
        all->active += c->workers[i].active;
        for (uint32_t kind = 0; kind < c->cell->kind_count; kind++)
            all->covered[kind] += c->workers[i].covered[kind];
    }
}

/* Sets c->bound, and the totals of all boxes in worker 0. */
static hr_status evaluate(climb *c, hr_error *err) {
    const hr_bound_cell *cell = c->cell;
    int64_t sum = 0;
    for (uint32_t kind = 0; kind < cell->kind_count; kind++)
        sum += c->multiplier[kind] * cell->kind_rows[kind];
    for (unsigned i = 0; i < c->worker_count; i++) {
        worker *w = &c->workers[i];
        hr_bound_valuer_set(w->valuer, c->multiplier);
        memset(w->covered, 0, cell->kind_count * sizeof *w->covered);
        w->penalty = w->active = 0;
    }
    HR_TRY(hr_parallel(c->chunk_count, c->worker_count, value_chunk, c, err));
    sum_workers(c);
    worker *all = &c->workers[0];
    if (c->price > 0 && cell->classes > (uint64_t)(INT64_MAX / c->price))
        all->penalty = INT64_MAX;
    else
        all->penalty = add_saturating(all->penalty, (uint64_t)c->price * cell->classes);
    c->bound = all->penalty >= INT64_MAX / 2 ? INT64_MIN / 2 : sum - (int64_t)all->penalty;
    return HR_OK;
}

/* ---- steps ---- */

/* Moves a coordinate by one step and keeps it in least .. most. */
static void move(coordinate *m, double slope, double rate, double least, double most) {
    m->slope = memory * m->slope + (1 - memory) * slope;
    m->square = square_memory * m->square + (1 - square_memory) * slope * slope;
    m->at += rate * m->slope / (sqrt(m->square) + damping);
    if (m->at > most) m->at = most;
    if (m->at < least) m->at = least;
}

static void step(climb *c, double rate) {
    const hr_bound_cell *cell = c->cell;
    const worker *all = &c->workers[0];
    for (uint32_t kind = 0; kind < cell->kind_count; kind++) {
        double rows = cell->kind_rows[kind];
        move(&c->kinds[kind], (rows - all->covered[kind]) / rows, rate, (double)c->least,
             (double)c->most[kind]);
        c->multiplier[kind] = (int64_t)floor(c->kinds[kind].at);
    }
    move(&c->price_at, (double)all->active / (double)cell->classes - 1, rate, 0, -(double)c->least);
    c->price = (int64_t)c->price_at.at;
}

static void keep(const climb *c, hr_bound_prices *best) {
    best->bound = c->bound;
    best->price = c->price;
    memcpy(best->multiplier, c->multiplier, c->cell->kind_count * sizeof *best->multiplier);
}

/* Share of the climb that is done: the greater of the shares of its steps and of its time. */
static double share_done(const hr_bound_effort *effort, uint32_t steps, double begin) {
    double share = (double)steps / effort->steps;
    if (hr_progress_finishes(effort->progress)) return 1;
    if (effort->deadline <= 0) return share;
    double now = hr_seconds(), time = (now - begin) / (effort->deadline - begin);
    if (now >= effort->deadline) return 1;
    return time > share ? time : share;
}

static hr_status run_steps(climb *c, const hr_bound_effort *effort, hr_bound_prices *best,
                           hr_error *err) {
    double begin = hr_seconds(), share = 0;
    HR_TRY(evaluate(c, err));
    keep(c, best);
    double rate = c->cell->ceiling == UINT64_MAX ? first_rate : low_rate;
    rate *= (double)best->bound / (double)c->rows;
    uint32_t stage = 0;
    for (uint32_t i = 0; i < effort->steps && share < 1; i++) {
        for (; stage < (uint32_t)(share * STAGES); stage++)
            rate *= stage_rate;
        step(c, rate);
        HR_TRY(evaluate(c, err));
        if (c->bound > best->bound) keep(c, best);
        HR_TRY(hr_progress_add(effort->progress, 1, err));
        share = share_done(effort, i + 1, begin);
    }
    return HR_OK;
}

/* ---- the whole ---- */

/* Divides the boxes into chunks of about CHUNK_PAIRS pairs, for any number of threads. */
static hr_status cut_chunks(climb *c, hr_error *err) {
    const hr_bound_cell *cell = c->cell;
    size_t full = 0;
    for (uint32_t box = 0; box <= cell->count; box++) {
        if (box > 0 && box < cell->count && cell->inside_start[box] < full) continue;
        HR_TRY(hr_grow(&c->chunks, &c->chunk_capacity, c->chunk_count + 1, sizeof *c->chunks, err));
        c->chunks[c->chunk_count++] = box;
        if (box < cell->count) full = cell->inside_start[box] + CHUNK_PAIRS;
        if (cell->count == 0) break;
    }
    c->chunk_count--;
    return HR_OK;
}

/* See hr_bound_cell.ceiling. */
static void limit_multipliers(climb *c) {
    const hr_bound_cell *cell = c->cell;
    for (uint32_t i = 0; i < cell->combination_count; i++) {
        uint64_t most = cell->ceiling;
        if (cell->least && cell->least[i] > most) most = cell->least[i];
        for (uint32_t kind = cell->kind_start[i]; kind < cell->kind_start[i + 1]; kind++)
            c->most[kind] = most < (uint64_t)-c->least ? (int64_t)most : -c->least;
    }
}

static hr_status start_climb(climb *c, unsigned threads, const hr_bound_prices *from,
                             hr_error *err) {
    const hr_bound_cell *cell = c->cell;
    for (uint32_t kind = 0; kind < cell->kind_count; kind++)
        c->rows += cell->kind_rows[kind];
    assert(c->rows > 0);
    c->least = -(int64_t)(HR_BOUND_SPAN / c->rows);
    HR_TRY(cut_chunks(c, err));
    c->worker_count = threads && threads < c->chunk_count ? threads : (unsigned)c->chunk_count;
    if (c->worker_count == 0) c->worker_count = 1;
    c->workers = hr_alloc(c->worker_count, sizeof *c->workers, err);
    c->kinds = hr_alloc(cell->kind_count, sizeof *c->kinds, err);
    c->multiplier = hr_alloc(cell->kind_count, sizeof *c->multiplier, err);
    c->most = hr_alloc_raw(cell->kind_count, sizeof *c->most, err);
    if (!c->workers || !c->kinds || !c->multiplier || !c->most) return HR_ENOMEM;
    limit_multipliers(c);
    for (unsigned i = 0; i < c->worker_count; i++) {
        HR_TRY(hr_bound_valuer_new(cell, &c->workers[i].valuer, err));
        c->workers[i].covered = hr_alloc(cell->kind_count, sizeof *c->workers[i].covered, err);
        if (!c->workers[i].covered) return HR_ENOMEM;
    }
    for (uint32_t kind = 0; kind < cell->kind_count; kind++) {
        bool above = from->multiplier[kind] > c->most[kind];
        c->multiplier[kind] = above ? c->most[kind] : from->multiplier[kind];
        c->kinds[kind].at = (double)c->multiplier[kind];
    }
    c->price = from->price;
    c->price_at.at = (double)from->price;
    return HR_OK;
}

hr_status hr_bound_climb(const hr_bound_cell *cell, const hr_bound_effort *effort,
                         hr_bound_prices *prices, hr_error *err) {
    climb c = {.cell = cell};
    hr_status status = start_climb(&c, effort->threads, prices, err);
    if (status == HR_OK) status = run_steps(&c, effort, prices, err);
    for (unsigned i = 0; c.workers && i < c.worker_count; i++) {
        hr_bound_valuer_free(c.workers[i].valuer);
        free(c.workers[i].covered);
    }
    free(c.workers);
    free(c.chunks);
    free(c.kinds);
    free(c.multiplier);
    free(c.most);
    return status;
}
