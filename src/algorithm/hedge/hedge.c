/* hedge.c - makes a first release of each cell and improves it by many small changes. A change that
 * loses less is kept, and sometimes one that loses more. docs/design/hedge.md describes it all.
 *
 * A cell whose boxes can be listed is improved as a whole. A larger cell, or one with numbers
 * without hierarchy, is improved in parts of neighbouring classes, and then again in other parts.
 * Several chains of steps improve a part from the same release, and the best result is taken.
 * Effort is counted in work per kind of rows, never in seconds, so that a seed gives the same
 * release on every machine and with any number of threads. Time: O(kinds x effort), plus a first
 * release that is near-linear in rows. */
#include "algorithm/hedge/cover.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    QUICK_KINDS = 1 << 15, /* effort quick improves only cells of at most so many kinds, */
    QUICK_PAIRS = 256,     /* with at most so many (combination, box) pairs per kind */
    WHOLE_KINDS = 1 << 17, /* most kinds of a cell whose boxes are listed */
    PART_LISTED = 1 << 13, /* rows of a part if its boxes are listed */
    PART_ROWS = 1600,      /* rows of a part if they are not */
    MORE_ROWS = 1 << 17,   /* a cell with fewer rows is cut into small parts more often, */
    MORE = 8,              /* by at most this factor */
    FULL_ROWS = 200000,    /* most rows of a table in which each row gets the full work */
    SLICES = 4             /* how often large parts are made until a deadline */
};

/* A limit on the work that no chain reaches before its deadline. */
static const uint64_t endless = UINT64_C(1) << 62;

/* An effort runs the first rounds of this list. A higher effort continues where a lower one ends,
 * so it never loses more. */
static const hr_hedge_round rounds[] = {
    {1000, 1, 0, 0},                        /* quick ends here, */
    {16000, 2, 60, 0},   {16000, 2, 60, 1}, /* normal here */
    {100000, 2, 400, 0}, {100000, 2, 400, 1}, {100000, 2, 400, 2},
};

/* A round if boxes cannot be listed: how often the classes are cut into parts, moves per row each
 * time, and the heat (see hr_hedge_part) of the first and the last time. */
typedef struct {
    unsigned cuts;
    uint64_t moves;
    double hot, cold;
} cut_round;

static const cut_round cut_rounds[] = {
    {1, 16, .02, .01},  {10, 24, .08, .03}, {10, 24, .03, .01},
    {40, 40, .10, .05}, {40, 40, .05, .02}, {40, 40, .02, .01},
};

static const double coldest = .01; /* at the end of a round that fills the time */

/* The meaning of an effort. */
typedef struct {
    unsigned rounds;
    uint32_t bound; /* steps of the climb for the bound in the report; 0: the simple bound */
} effort;

static const effort efforts[] = {
    [HR_EFFORT_QUICK] = {1, 0},
    [HR_EFFORT_NORMAL] = {3, 100},
    [HR_EFFORT_THOROUGH] = {sizeof rounds / sizeof *rounds, 800},
};

/* With a time limit: the round of quick, and then a round that fills the time. */
static const effort limited = {2, 100};

static const effort *effort_of(const hr_hedge_options *options) {
    return options->time_limit > 0 ? &limited : &efforts[options->effort];
}

static const char *const losses[] = {"ntil", "ncp", "weighted_loss"};

static const hr_option option_table[] = {
    {.name = "effort",
     .help = "how long to search for a lower loss",
     .type = HR_OPTION_CHOICE,
     .offset = offsetof(hr_hedge_options, effort),
     .initial = HR_EFFORT_NORMAL,
     .choices = "quick|normal|thorough"},
    {.name = "loss",
     .help = "the measure to minimize",
     .type = HR_OPTION_CHOICE,
     .offset = offsetof(hr_hedge_options, loss),
     .choices = "ntil|ncp|weighted_loss"},
    {.name = "time-limit",
     .help = "stop after this many seconds with the best release so far; 0: no limit",
     .type = HR_OPTION_REAL,
     .offset = offsetof(hr_hedge_options, time_limit),
     .max = 1e9},
    {0},
};

typedef struct {
    const hr_cell_task *task;
    const hr_hedge_options *options;
    const effort *effort;
    const hr_axes *axes;
    double deadline; /* 0: none */
    unsigned round;  /* index in `rounds`: the number of the pass minus 1 */
    hr_clusters *out;
} search;

/* ---- parts of a cell ---- */

typedef struct {
    const search *search;
    hr_hedge_round round;
    double heat;     /* 0: boxes are listed */
    uint64_t stream; /* of random numbers */
    hr_division division;
    uint32_t *cluster; /* of each row of the division, numbered within its part */
    hr_hedge_part *parts;
    double deadline;              /* 0: none */
    atomic_uint_fast64_t waiting; /* rows of the parts that are not begun */
} part_search;

/* The share of all work on a cell that one chain of this round does. */
static double share_of_chain(const search *s) {
    uint64_t all = 0;
    for (unsigned i = 0; i < s->effort->rounds; i++)
        all += rounds[i].work * rounds[i].chains;
    return (double)rounds[s->round].work / (double)all;
}

/* Share of the full work that each row gets: less in large tables. */
static double share_of_work(const search *s) {
    double rows = (double)s->task->data->rows;
    return rows > FULL_ROWS ? FULL_ROWS / rows : 1;
}

/* The round with listed boxes. A round that fills the time ends at its deadline only, and has one
 * chain per thread. */
static hr_hedge_round listed_round(const search *s, unsigned chains) {
    hr_hedge_round own = rounds[s->round];
    own.work = (uint64_t)((double)own.work * share_of_work(s));
    own.guide = (uint32_t)(own.guide * share_of_work(s));
    if (!s->task->fills_time) return own;
    own.work = endless / s->task->row_count;
    own.chains = chains < HR_HEDGE_CHAINS ? chains : HR_HEDGE_CHAINS;
    return own;
}

/* The deadline of a part. In a round that fills the time, the waiting parts share the remaining
 * time in proportion to their rows. */
static double part_deadline(part_search *d, size_t i) {
    const hr_cell_task *task = d->search->task;
    uint64_t own = d->division.start[i + 1] - d->division.start[i];
    uint64_t waiting = atomic_fetch_sub(&d->waiting, own);
    double now = hr_seconds(), share = (double)own * task->threads / (double)waiting;
    if (!task->fills_time || d->heat > 0 || share >= 1 || now >= d->deadline) return d->deadline;
    return now + (d->deadline - now) * share;
}

/* Numbers the clusters of part i from 0. */
static hr_status number_clusters(const part_search *d, size_t i, hr_clusters *out, hr_error *err) {
    const hr_clusters *all = d->search->out;
    uint32_t first = d->division.start[i], rows = d->division.start[i + 1] - first;
    uint32_t *number = hr_alloc_raw(all->count, sizeof *number, err);
    if (!number) return HR_ENOMEM;
    memset(number, 0xff, all->count * sizeof *number);
    *out = (hr_clusters){.cluster = d->cluster + first};
    for (uint32_t m = 0; m < rows; m++) {
        uint32_t *own = &number[all->cluster[d->division.place[first + m]]];
        if (*own == HR_NONE) *own = out->count++;
        out->cluster[m] = *own;
    }
    free(number);
    return HR_OK;
}

static hr_status improve_part(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    part_search *d = payload;
    const search *s = d->search;
    hr_hedge_part *p = &d->parts[i];
    *p = (hr_hedge_part){.task = hr_division_task(&d->division, s->task, i),
                         .axes = s->axes,
                         .round = d->round,
                         .heat = d->heat,
                         .share = share_of_chain(s),
                         .deadline = part_deadline(d, i),
                         .stream = d->stream * UINT64_C(1000003) + i};
    HR_TRY(number_clusters(d, i, &p->clusters, err));
    p->limited = hr_late(p->deadline) || hr_progress_finishes(s->task->progress);
    if (p->limited) return HR_OK;
    if (d->heat <= 0) HR_TRY(hr_hedge_improve(p, err));
    if (d->heat <= 0 && !p->unlisted) return HR_OK;
    const cut_round *round = &cut_rounds[s->round];
    if (p->unlisted) p->heat = round->cold;
    p->round.work = d->heat > 0 ? d->round.work : round->moves;
    return hr_shift_improve(p, err);
}

static void join_parts(const part_search *d, hr_clusters *out) {
    const hr_division *division = &d->division;
    out->count = 0;
    for (uint32_t i = 0; i < division->count; i++) {
        for (uint32_t m = division->start[i]; m < division->start[i + 1]; m++)
            out->cluster[division->place[m]] = out->count + d->cluster[m];
        out->count += d->parts[i].clusters.count;
        out->time_limited = out->time_limited || d->parts[i].limited;
    }
}

/* Ends the search of the cell early, because every row is in its cheapest box: counts the remaining
 * rounds as done. */
static hr_status finish(const search *s, hr_error *err) {
    uint64_t all = 0, done = 0;
    for (unsigned i = 0; i < s->effort->rounds; i++) {
        all += rounds[i].work * rounds[i].chains;
        if (i <= s->round) done = all;
    }
    s->out->finished = true;
    double left = 1 - (double)done / (double)all;
    return hr_progress_add(s->task->progress, (uint64_t)(s->task->row_count * left), err);
}

static hr_status improve_parts(part_search *d, hr_error *err) {
    const search *s = d->search;
    uint32_t count = d->division.count;
    d->cluster = hr_alloc_raw(s->task->row_count, sizeof *d->cluster, err);
    d->parts = hr_alloc(count, sizeof *d->parts, err);
    if (!d->cluster || !d->parts) return HR_ENOMEM;
    atomic_store(&d->waiting, s->task->row_count);
    HR_TRY(hr_parallel(count, s->task->threads, improve_part, d, err));
    join_parts(d, s->out);
    return count == 1 && d->parts->least ? finish(s, err) : HR_OK;
}

static hr_status improve_divided(part_search *d, const uint32_t *part, uint32_t count,
                                 hr_error *err) {
    HR_TRY(hr_division_make(d->search->task, d->search->out, part, count, &d->division, err));
    hr_status status = improve_parts(d, err);
    hr_division_free(&d->division);
    free(d->cluster);
    free(d->parts);
    return status;
}

/* Improves a cell with listed boxes, as one part. */
static hr_status improve_listed(const search *s, hr_error *err) {
    part_search d = {.search = s,
                     .round = listed_round(s, s->task->threads),
                     .deadline = s->deadline,
                     .stream = s->task->stream * HR_PASSES + s->round};
    uint32_t *part = hr_alloc(s->out->count, sizeof *part, err);
    hr_status status = part ? improve_divided(&d, part, 1, err) : HR_ENOMEM;
    free(part);
    return status;
}

/* The rows of a part: enough for several classes, as far as their boxes can be listed. */
static uint32_t rows_of_part(const search *s, uint64_t pairs_each) {
    uint64_t listed = HR_BOXES_PAIRS / pairs_each, wanted = UINT64_C(4) * s->task->k;
    uint64_t rows = wanted < listed ? wanted : listed;
    return rows > PART_LISTED ? (uint32_t)rows : PART_LISTED;
}

/* Improves a cell in large parts whose boxes can be listed; `pairs_each` is the number of boxes
 * around a combination. */
static hr_status improve_part_boxes(const search *s, const hr_kinds *kinds, const hr_rulers *rulers,
                                    uint64_t pairs_each, uint32_t *part, hr_error *err) {
    unsigned slices = s->task->fills_time ? SLICES : 1;
    for (unsigned i = 0; i < slices; i++) {
        part_search d = {.search = s,
                         .round = listed_round(s, 1),
                         .deadline = s->deadline,
                         .stream = s->task->stream * HR_PASSES + s->round + i};
        hr_cutting how = {rows_of_part(s, pairs_each), s->task->seed, d.stream};
        uint32_t count;
        double now = hr_seconds();
        if (s->deadline > now) d.deadline = now + (s->deadline - now) / (slices - i);
        HR_TRY(hr_cut_classes(kinds, rulers, s->out, &how, part, &count, err));
        HR_TRY(improve_divided(&d, part, count, err));
    }
    return HR_OK;
}

/* The current heat in a round that fills the time. */
static double heat_until(const search *s, const cut_round *round, double begin) {
    double share = (hr_seconds() - begin) / (s->deadline - begin + 1e-9);
    return round->hot * pow(coldest / round->hot, share < 1 ? share : 1);
}

/* Improves a cell in small parts, which are made anew each time. */
static hr_status improve_cut(const search *s, const hr_kinds *kinds, const hr_rulers *rulers,
                             uint32_t *part, hr_error *err) {
    const cut_round *round = &cut_rounds[s->round];
    double more = (double)MORE_ROWS / s->task->row_count, heat = round->hot;
    more = more < 1 ? 1 : more < MORE ? more : MORE;
    double work = round->cuts * share_of_work(s) * more;
    unsigned cuts = s->task->fills_time ? UINT_MAX : work < 1 ? 1 : (unsigned)work;
    double cooling = cuts > 1 ? pow(round->cold / round->hot, 1.0 / (cuts - 1)) : 1;
    double begin = hr_seconds();
    for (unsigned i = 0; i < cuts && !s->out->time_limited; i++, heat *= cooling) {
        if (s->task->fills_time) heat = heat_until(s, round, begin);
        part_search d = {.search = s, .heat = heat, .deadline = s->deadline};
        d.round.work = work < 1 ? (uint64_t)((double)round->moves * work) : round->moves;
        d.stream = (s->task->stream * HR_PASSES + s->round) * UINT64_C(1009) + i;
        hr_cutting how = {PART_ROWS, s->task->seed, d.stream};
        uint32_t count;
        HR_TRY(hr_cut_classes(kinds, rulers, s->out, &how, part, &count, err));
        HR_TRY(improve_divided(&d, part, count, err));
    }
    uint64_t rows = (uint64_t)(s->task->row_count * share_of_chain(s) * rounds[s->round].chains);
    return hr_progress_add(s->task->progress, rows, err);
}

/* Improves a cell whose boxes cannot be listed. `pairs_each`: boxes around a combination; 0: not
 * even those of a part can be listed. */
static hr_status improve_unlisted(const search *s, const hr_kinds *kinds, uint64_t pairs_each,
                                  hr_error *err) {
    if (pairs_each == 0 && s->task->k > PART_ROWS / 2) { /* a part would be a class */
        s->out->finished = true;
        return hr_progress_add(s->task->progress, s->task->row_count, err);
    }
    hr_rulers rulers = {0};
    uint32_t *part = hr_alloc(s->task->row_count, sizeof *part, err);
    hr_status status = part ? hr_rulers_make(kinds, s->axes, &rulers, err) : HR_ENOMEM;
    if (status == HR_OK)
        status = pairs_each ? improve_part_boxes(s, kinds, &rulers, pairs_each, part, err)
                            : improve_cut(s, kinds, &rulers, part, err);
    hr_rulers_free(&rulers);
    free(part);
    return status;
}

/* ---- the whole ---- */

/* The first pass makes a release, and each other pass improves it by one round. */
static hr_status search_cell(search *s, hr_kinds *kinds, hr_error *err) {
    const hr_cell_task *task = s->task;
    HR_TRY(hr_cell_kinds(task, s->axes, kinds, err));
    uint64_t pairs;
    HR_TRY(hr_boxes_pairs(kinds, s->axes, &pairs, err));
    bool listed = pairs > 0 && pairs <= HR_BOXES_PAIRS && kinds->kind_count <= WHOLE_KINDS;
    bool few = pairs > 0 && pairs / kinds->combination_count <= HR_BOXES_PAIRS / PART_LISTED;
    if (task->pass == 0)
        HR_TRY(hr_first_release(task, kinds, s->axes, listed, few, s->deadline, s->out, err));
    if (s->out->finished) return hr_progress_add(task->progress, task->row_count, err);
    if (listed && s->deadline <= 0 && s->options->effort == HR_EFFORT_QUICK &&
        (kinds->kind_count > QUICK_KINDS || pairs / kinds->kind_count > QUICK_PAIRS)) {
        s->out->finished = true;
        return hr_progress_add(task->progress, task->row_count, err);
    }
    if (task->pass == 0) return HR_OK;
    if (listed) return improve_listed(s, err);
    return improve_unlisted(s, kinds, few ? pairs / kinds->combination_count + 1 : 0, err);
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    const hr_hedge_options *options = task->options;
    search s = {.task = task,
                .options = options,
                .effort = effort_of(options),
                .axes = task->shared,
                .deadline = task->deadline,
                .round = task->pass - 1,
                .out = out};
    hr_kinds kinds = {0};
    hr_status status = search_cell(&s, &kinds, err);
    hr_kinds_free(&kinds);
    return status;
}

/* Makes the axes, with the costs of values by the measure to minimize. */
static hr_status prepare(const hr_microdata *data, const hr_layout *layout, const void *own,
                         void **shared, hr_error *err) {
    (void)layout;
    const hr_hedge_options *options = own;
    hr_axes *axes = hr_alloc(1, sizeof *axes, err);
    if (!axes) return HR_ENOMEM;
    *shared = axes;
    return hr_axes_make(data, hr_measure_find(losses[options->loss]), axes, err);
}

static void discard(void *shared) {
    if (shared) hr_axes_free(shared);
    free(shared);
}

static hr_aim aim(const void *own) {
    const hr_hedge_options *options = own;
    const effort *e = effort_of(options);
    hr_aim aim = {.loss = hr_measure_find(losses[options->loss]),
                  .bound_steps = e->bound,
                  .time_limit = options->time_limit,
                  .passes = e->rounds + 1};
    return aim;
}

const hr_algorithm hr_algorithm_hedge = {
    .name = "hedge",
    .title = "for every job: the least information loss; improves a first release step by step",
    .reference = "this project; docs/design/hedge.md",
    .options = option_table,
    .options_size = sizeof(hr_hedge_options),
    .enforces_p = true,
    .others = HR_OTHERS_ENFORCED,
    .any_order = true,
    .per_cell =
        &(const hr_cell_search){
            .wants_layout = true, .aim = aim, .prepare = prepare, .discard = discard, .run = run},
};
