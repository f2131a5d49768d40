/* hedge.c - less loss than greedy clustering: a first release of each cell, then many small changes
 * to it, those that lose less kept and sometimes others too. docs/design/hedge.md tells the whole.
 *
 * A cell whose boxes can be listed is improved as one; a larger one, or one with hierarchy-free
 * numbers, in parts of neighbouring classes, again and again with other parts. Each part is improved by
 * several chains of steps from the same release, and the best is taken. Effort is counted in work per
 * kind of rows, never in seconds, so that a seed gives the same release on every machine and with any
 * number of threads. Time: O(kinds x effort), beside a first release that is near-linear in rows. */
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
    const hr_value_costs *costs;
    double deadline; /* 0: none */
    unsigned round;  /* the pass, but the first, which makes the first release */
    hr_clusters *out;
} search;

/* ---- parts of a cell ---- */

typedef struct {
    const search *search;
    uint32_t count;
    uint32_t *of_cluster; /* part of each cluster */
    uint32_t *start;      /* count + 1: its rows in the next two */
    uint32_t *place;      /* in the cell's rows, by rank */
    uint32_t *row;        /* of the table */
    uint32_t *identity;   /* 0, 1, ...: ranks are in order already */
    uint32_t *cluster;    /* within the part */
    hr_hedge_part *parts;
} dividing;

/* Clusters in the order of their first combinations, so many combinations to a part. */
static hr_status divide_clusters(const search *s, const hr_kinds *kinds, uint32_t size, dividing *d,
                                 hr_error *err) {
    const hr_clusters *out = s->out;
    uint32_t *last = hr_alloc_raw(out->count, sizeof *last, err);
    uint32_t *combinations = hr_alloc(out->count, sizeof *combinations, err);
    uint32_t *order = hr_alloc(out->count, sizeof *order, err);
    uint32_t met = 0, filled = 0;
    if (last && combinations && order) {
        memset(last, 0xff, out->count * sizeof *last);
        for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
            for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++) {
                uint32_t c = out->cluster[kinds->place[i]];
                if (combinations[c] == 0) order[met++] = c;
                combinations[c] += last[c] != kinds->kind_combination[kind];
                last[c] = kinds->kind_combination[kind];
            }
        d->count = 1;
        if (s->round % 2) filled = size / 2; /* other neighbours this time */
        for (uint32_t i = 0; i < met; i++) {
            if (i > 0 && filled + combinations[order[i]] > size) {
                filled = 0;
                d->count++;
            }
            filled += combinations[order[i]];
            d->of_cluster[order[i]] = d->count - 1;
        }
    }
    hr_status status = last && combinations && order ? HR_OK : HR_ENOMEM;
    free(last);
    free(combinations);
    free(order);
    return status;
}

/* The rows of each part, by rank. */
static hr_status deal_rows(const search *s, dividing *d, hr_error *err) {
    const hr_cell_task *task = s->task;
    uint32_t rows = task->row_count;
    uint32_t **arrays[] = {&d->place, &d->row, &d->identity, &d->cluster};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = hr_alloc_raw(rows, sizeof **arrays[i], err);
        if (!*arrays[i]) return HR_ENOMEM;
    }
    d->start = hr_alloc((size_t)d->count + 2, sizeof *d->start, err);
    d->parts = hr_alloc(d->count, sizeof *d->parts, err);
    if (!d->start || !d->parts) return HR_ENOMEM;
    uint32_t *end = d->start + 1;
    for (uint32_t i = 0; i < rows; i++)
        end[d->of_cluster[s->out->cluster[i]] + 1]++;
    for (uint32_t i = 0; i < d->count; i++)
        end[i + 1] += end[i];
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t place = task->by_rank[i], at = end[d->of_cluster[s->out->cluster[place]]]++;
        d->place[at] = place;
        d->row[at] = task->rows[place];
        d->identity[i] = i;
    }
    return HR_OK;
}

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

static hr_status improve_part(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    dividing *d = payload;
    const search *s = d->search;
    uint32_t first = d->start[i], rows = d->start[i + 1] - first;
    uint32_t *number = hr_alloc_raw(s->out->count, sizeof *number, err);
    if (!number) return HR_ENOMEM;
    memset(number, 0xff, s->out->count * sizeof *number);
    hr_hedge_part *p = &d->parts[i];
    *p =
        (hr_hedge_part){.task = *s->task,
                        .clusters = {.cluster = d->cluster + first},
                        .costs = s->costs,
                        .round = hastened(&rounds[s->round], s->task->haste),
                        .share = share_of_chain(s),
                        .deadline = s->deadline,
                        .stream = (s->task->stream * HR_PASSES + s->round) * UINT64_C(1000003) + i};
    if (d->count > 1) p->task.threads = 1;
    p->task.rows = d->row + first;
    p->task.by_rank = d->identity;
    p->task.row_count = rows;
    for (uint32_t m = 0; m < rows; m++) {
        uint32_t *own = &number[s->out->cluster[d->place[first + m]]];
        if (*own == HR_NONE) *own = p->clusters.count++;
        p->clusters.cluster[m] = *own;
    }
    free(number);
    p->limited = s->deadline > 0 && hr_seconds() >= s->deadline;
    return p->limited ? HR_OK : hr_hedge_improve(p, err);
}

static void join_parts(const dividing *d, hr_clusters *out) {
    out->count = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        for (uint32_t m = d->start[i]; m < d->start[i + 1]; m++)
            out->cluster[d->place[m]] = out->count + d->cluster[m];
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

static hr_status improve_cell(const search *s, const hr_kinds *kinds, uint32_t size,
                              hr_error *err) {
    dividing d = {.search = s};
    d.of_cluster = hr_alloc(s->out->count, sizeof *d.of_cluster, err);
    hr_status status = d.of_cluster ? divide_clusters(s, kinds, size, &d, err) : HR_ENOMEM;
    if (status == HR_OK) status = deal_rows(s, &d, err);
    if (status == HR_OK) status = hr_parallel(d.count, s->task->threads, improve_part, &d, err);
    if (status == HR_OK) join_parts(&d, s->out);
    if (status == HR_OK && d.count == 1 && d.parts->least) status = finish(s, err);
    free(d.of_cluster);
    free(d.start);
    free(d.place);
    free(d.row);
    free(d.identity);
    free(d.cluster);
    free(d.parts);
    return status;
}

/* How many combinations a part may have: all, if the boxes of the cell can be listed. 0: the effort does
 * not reach to improve the cell. */
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
    HR_TRY(hr_kinds_make(task, kinds, err));
    if (task->pass == 0) HR_TRY(hr_first_release(task, kinds, s->costs, s->deadline, s->out, err));
    uint64_t pairs;
    HR_TRY(hr_boxes_pairs(kinds, s->costs, &pairs, err));
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
                .costs = task->shared,
                .deadline = options->time_limit > 0 ? task->started + options->time_limit : 0,
                .round = task->pass - 1,
                .out = out};
    hr_kinds kinds = {0};
    hr_status status = search_cell(&s, &kinds, err);
    hr_kinds_free(&kinds);
    return status;
}

/* What values cost. */
static hr_status share(const hr_microdata *data, const hr_layout *layout, const void *own,
                       void **shared, hr_error *err) {
    const hr_hedge_options *options = own;
    hr_value_costs *costs = hr_alloc(1, sizeof *costs, err);
    if (!costs) return HR_ENOMEM;
    *shared = costs;
    return hr_value_costs_make(data, layout, hr_measure_find(losses[options->loss]), costs, err);
}

static void unshare(void *shared) {
    if (shared) hr_value_costs_free(shared);
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
    .per_cell =
        &(const hr_cell_search){
            .wants_layout = true, .aim = aim, .share = share, .unshare = unshare, .run = run},
};
