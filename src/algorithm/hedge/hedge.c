/* hedge.c - less loss than greedy clustering: a first release of each cell, then many small changes
 * to it, those that lose less kept and sometimes others too. docs/design/hedge.md tells the whole.
 *
 * A cell whose boxes can be listed is improved as one; a larger one, or one with hierarchy-free
 * numbers, in parts of neighbouring classes, again and again with other parts. Each part is
 * improved by several chains of steps from the same release, and the best is taken. Effort is
 * counted in work per kind of rows, never in seconds, so that a seed gives the same release on
 * every machine and with any number of threads. Time: O(kinds x effort), beside a first release
 * that is near-linear in rows. */
#include "algorithm/hedge/hedge.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    QUICK_KINDS = 1 << 15, /* kinds up to which quick improves a cell, */
    QUICK_PAIRS = 256,     /* if its boxes are no more than so many pairs a kind, */
    QUICK_NEAR = 1 << 12,  /* or it has no more combinations than so many */
    WHOLE_KINDS = 1 << 17, /* kinds up to which a cell with listed boxes is one part */
    PART_LISTED = 1 << 13, /* combinations of a part: where boxes can be listed, */
    PART_NEAR = 1 << 11,   /* and where they cannot */
};

/* More effort goes on where less ends, so it never loses more. */
static const hr_hedge_round rounds[] = {
    {1000, 1, 0, 0},                        /* quick ends here, */
    {16000, 2, 60, 0},   {16000, 2, 60, 1}, /* normal here */
    {100000, 2, 400, 0}, {100000, 2, 400, 1}, {100000, 2, 400, 2},
};

/* What an effort means. */
typedef struct {
    unsigned rounds;
    uint32_t bound; /* steps of the climb that the report's bound comes from; 0: simple */
} effort;

static const effort efforts[] = {
    [HR_EFFORT_QUICK] = {1, 0},
    [HR_EFFORT_NORMAL] = {3, 100},
    [HR_EFFORT_THOROUGH] = {sizeof rounds / sizeof *rounds, 800},
};

static const char *const losses[] = {"ntil", "ncp", "weighted_loss"};

static const hr_option option_table[] = {
    {"effort", "how long to look for less loss", HR_OPTION_CHOICE,
     offsetof(hr_hedge_options, effort), HR_EFFORT_NORMAL, 0, 0, "quick|normal|thorough"},
    {"loss", "the measure that is to be small", HR_OPTION_CHOICE, offsetof(hr_hedge_options, loss),
     0, 0, 0, "ntil|ncp|weighted_loss"},
    {"time-limit", "stop after so many seconds with the best so far; 0: no limit", HR_OPTION_REAL,
     offsetof(hr_hedge_options, time_limit), 0, 0, 1e9, NULL},
    {0},
};

typedef struct {
    const hr_cell_task *task;
    const hr_hedge_options *options;
    const effort *effort;
    const hr_axes *axes;
    double deadline; /* 0: none */
    unsigned round;  /* the pass, but the first, which makes the first release */
    hr_clusters *out;
} search;

/* ---- parts of a cell ---- */

typedef struct {
    const search *search;
    hr_division division;
    uint32_t *cluster; /* of each row of the division, numbered within its part */
    hr_hedge_part *parts;
} part_search;

/* Of all work on a cell, what one chain of this round does. */
static double share_of_chain(const search *s) {
    uint64_t all = 0;
    for (unsigned i = 0; i < s->effort->rounds; i++)
        all += rounds[i].work * rounds[i].chains;
    return (double)rounds[s->round].work / (double)all;
}

/* As much of a round as there is time for. */
static hr_hedge_round hastened(const hr_hedge_round *round, double haste) {
    hr_hedge_round own = *round;
    own.work = (uint64_t)((double)own.work * haste);
    own.guide = (uint32_t)(own.guide * haste);
    return own;
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
    *p =
        (hr_hedge_part){.task = hr_division_task(&d->division, s->task, i),
                        .axes = s->axes,
                        .round = hastened(&rounds[s->round], s->task->haste),
                        .share = share_of_chain(s),
                        .deadline = s->deadline,
                        .stream = (s->task->stream * HR_PASSES + s->round) * UINT64_C(1000003) + i};
    HR_TRY(number_clusters(d, i, &p->clusters, err));
    p->limited = s->deadline > 0 && hr_seconds() >= s->deadline;
    return p->limited ? HR_OK : hr_hedge_improve(p, err);
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

/* Every row is in the cheapest box that there is around it: further rounds are done, too. */
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
    HR_TRY(hr_parallel(count, s->task->threads, improve_part, d, err));
    join_parts(d, s->out);
    return count == 1 && d->parts->least ? finish(s, err) : HR_OK;
}

/* Every second round begins with half a part, so that other classes share a part. */
static hr_status improve_cell(const search *s, const hr_kinds *kinds, uint32_t size,
                              hr_error *err) {
    part_search d = {.search = s};
    uint32_t filled = s->round % 2 ? size / 2 : 0;
    HR_TRY(hr_division_make(s->task, kinds, s->out, size, filled, &d.division, err));
    hr_status status = improve_parts(&d, err);
    hr_division_free(&d.division);
    free(d.cluster);
    free(d.parts);
    return status;
}

/* How many combinations a part may have: all, if the boxes of the cell can be listed. 0: the effort
 * does not reach to improve the cell. */
static uint32_t part_size(const search *s, const hr_kinds *kinds, uint64_t pairs) {
    if (s->options->effort == HR_EFFORT_QUICK) {
        if (kinds->kind_count > QUICK_KINDS) return 0;
        bool few = kinds->combination_count <= QUICK_NEAR;
        if ((pairs == 0 || pairs > HR_BOXES_PAIRS) ? !few : pairs / kinds->kind_count > QUICK_PAIRS)
            return 0;
    }
    if (pairs == 0) return PART_NEAR;
    if (pairs <= HR_BOXES_PAIRS && kinds->kind_count <= WHOLE_KINDS) return UINT32_MAX;
    uint64_t each = pairs / kinds->combination_count + 1;
    return each * PART_NEAR > HR_BOXES_PAIRS ? PART_NEAR : PART_LISTED;
}

/* ---- the whole ---- */

/* The first pass makes a release, and each other one improves it once. */
static hr_status search_cell(search *s, hr_kinds *kinds, hr_error *err) {
    const hr_cell_task *task = s->task;
    HR_TRY(hr_cell_kinds(task, s->axes, kinds, err));
    if (task->pass == 0) HR_TRY(hr_first_release(task, kinds, s->axes, s->deadline, s->out, err));
    uint64_t pairs;
    HR_TRY(hr_boxes_pairs(kinds, s->axes, &pairs, err));
    uint32_t size = part_size(s, kinds, pairs);
    if (size == 0) {
        s->out->finished = true;
        return hr_progress_add(task->progress, task->row_count, err);
    }
    return task->pass == 0 ? HR_OK : improve_cell(s, kinds, size, err);
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    const hr_hedge_options *options = task->options;
    search s = {.task = task,
                .options = options,
                .effort = &efforts[options->effort],
                .axes = task->shared,
                .deadline = options->time_limit > 0 ? task->started + options->time_limit : 0,
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
    const effort *e = &efforts[options->effort];
    hr_aim aim = {.loss = hr_measure_find(losses[options->loss]),
                  .bound_steps = e->bound,
                  .time_limit = options->time_limit,
                  .passes = e->rounds + 1};
    for (unsigned i = 0; i < e->rounds; i++)
        aim.work[i + 1] = (double)(rounds[i].work * rounds[i].chains);
    return aim;
}

const hr_algorithm hr_algorithm_hedge = {
    .name = "hedge",
    .title = "least loss: a cover of boxes, improved step by step",
    .reference = "this project; docs/design/hedge.md",
    .options = option_table,
    .options_size = sizeof(hr_hedge_options),
    .enforces_p = true,
    .others = HR_OTHERS_ENFORCED,
    .per_cell =
        &(const hr_cell_search){
            .wants_layout = true, .aim = aim, .prepare = prepare, .discard = discard, .run = run},
};
