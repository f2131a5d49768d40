/* hedge.c - less loss than greedy clustering: a first release of each cell, then many small changes
 * to it, those that lose less kept and sometimes others too. docs/design/hedge.md tells the whole.
 *
 * A cell whose boxes can be listed is improved as one; a larger one, or one with hierarchy-free
 * numbers, in parts of neighbouring classes, again and again with other parts. Each part is improved by
 * several chains of steps from the same release, and the best is taken. Effort is counted in work per
 * kind of rows, never in seconds, so that a seed gives the same release on every machine and with any
 * number of threads. Time: O(kinds x effort), beside a first release that is near-linear in rows. */
#include "algorithm/hedge.h"

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
    CHAINS_MAX = 8
};
static const uint64_t memory_limit = UINT64_C(1) << 30; /* of one chain */

/* What an effort means. */
typedef struct {
    uint64_t work;   /* per kind and chain */
    unsigned chains; /* the best of which is taken */
    unsigned rounds; /* each from the best so far */
    uint32_t guide;  /* steps of the climb that prices the rows; 0: no guidance */
    uint32_t bound;  /* steps of the climb that the report's bound comes from; 0: simple */
} effort;

static const effort efforts[] = {
    [HR_EFFORT_QUICK] = {1000, 1, 1, 0, 0},
    [HR_EFFORT_NORMAL] = {16000, 2, 2, 60, 100},
    [HR_EFFORT_THOROUGH] = {100000, 2, 3, 400, 800},
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
    hr_value_costs costs;
    double deadline; /* 0: none */
    unsigned round;
    hr_clusters *out;
} search;

/* ---- one part ---- */

/* A part of the cell: rows in the order of ranks, and their clusters. */
typedef struct {
    hr_cell_task task;
    hr_clusters clusters;
    unsigned threads;
    uint64_t stream;
    bool limited;
} part;

typedef struct {
    hr_kinds kinds;
    hr_boxes boxes;
    uint32_t *weight;
    uint32_t *box_of_row;
    hr_chain chains[CHAINS_MAX];
    uint32_t *copies[CHAINS_MAX]; /* box_of_row of each chain */
} improving;

/* The listed box that is the least to cover a cluster. */
static uint32_t find_box(const hr_kinds *kinds, const hr_boxes *boxes, uint32_t combination,
                         const uint32_t *code) {
    for (size_t i = boxes->around_start[combination]; i < boxes->around_start[combination + 1]; i++)
        if (!memcmp(boxes->code + boxes->around[i] * kinds->t, code, kinds->t * sizeof *code))
            return boxes->around[i];
    return HR_NONE;
}

/* The clusters as listed boxes. */
static hr_status place_clusters(const hr_kinds *kinds, const hr_boxes *boxes,
                                const hr_clusters *clusters, uint32_t *box_of_row, hr_error *err) {
    const hr_layout_tree *trees = kinds->task->layout->trees;
    size_t t = kinds->t;
    uint32_t *code = hr_alloc_raw(clusters->count * t, sizeof *code, err);
    uint32_t *box = hr_alloc_raw(clusters->count, sizeof *box, err);
    if (!code || !box) {
        free(code);
        free(box);
        return HR_ENOMEM;
    }
    memset(code, 0xff, clusters->count * t * sizeof *code);
    for (int pass = 0; pass < 2; pass++) {
        memset(box, 0xff, clusters->count * sizeof *box);
        for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
            for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++) {
                uint32_t c = clusters->cluster[kinds->place[i]];
                uint32_t at = kinds->kind_combination[kind], *own = code + c * t;
                const uint32_t *values = kinds->code + at * t;
                for (size_t j = 0; j < t && pass == 0; j++)
                    own[j] = own[j] == HR_NONE ? values[j]
                                               : hr_layout_join(&trees[j], own[j], values[j]);
                if (pass == 0) continue;
                if (box[c] == HR_NONE) box[c] = find_box(kinds, boxes, at, own);
                box_of_row[i] = box[c];
            }
    }
    free(code);
    free(box);
    return HR_OK;
}

static hr_status find_boxes(const search *s, const part *p, improving *m, hr_error *err) {
    bool listed;
    HR_TRY(hr_kinds_make(&p->task, &m->kinds, err));
    HR_TRY(hr_boxes_make(&m->kinds, &s->costs, &m->boxes, &listed, err));
    m->box_of_row = hr_alloc_raw(p->task.row_count, sizeof *m->box_of_row, err);
    if (!m->box_of_row) return HR_ENOMEM;
    if (listed) return place_clusters(&m->kinds, &m->boxes, &p->clusters, m->box_of_row, err);
    return hr_near_boxes(&m->kinds, &s->costs, &p->clusters, p->stream, &m->boxes, m->box_of_row,
                         err);
}

static uint64_t loss_of(const improving *m) {
    uint64_t loss = 0;
    for (uint32_t i = 0; i < m->kinds.task->row_count; i++)
        loss += m->boxes.cost[m->box_of_row[i]];
    return loss;
}

/* Temperatures follow what a class loses now; the last is below the least difference that matters. */
static void set_temperatures(const improving *m, uint64_t per_class, hr_chain *chain) {
    uint64_t least = 0;
    for (uint32_t b = 0; b < m->boxes.count && least == 0; b++)
        least = m->boxes.cost[b];
    chain->hot = (double)per_class / 4;
    chain->cold = (double)least / 4;
    if (chain->cold < chain->hot / 256) chain->cold = chain->hot / 256;
    if (chain->hot < chain->cold) chain->hot = chain->cold;
}

static hr_status run_chain(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    improving *m = payload;
    return hr_chain_run(&m->chains[i], err);
}

static hr_status run_chains(const search *s, part *p, improving *m, hr_error *err) {
    const effort *e = s->effort;
    uint64_t loss = loss_of(m), per_class = loss / (p->clusters.count ? p->clusters.count : 1);
    uint32_t rows = p->task.row_count, best = HR_NONE;
    if (e->guide > 0)
        HR_TRY(hr_guide_make(&m->kinds, &m->boxes, e->guide, p->threads, per_class / 10, &m->weight,
                             err));
    for (unsigned i = 0; i < e->chains; i++) {
        hr_chain *chain = &m->chains[i];
        memcpy(m->copies[i], m->box_of_row, rows * sizeof *m->box_of_row);
        *chain = (hr_chain){.task = &p->task,
                            .kinds = &m->kinds,
                            .boxes = &m->boxes,
                            .weight = m->weight,
                            .stream = p->stream * CHAINS_MAX + i,
                            .work = e->work * m->kinds.kind_count,
                            .deadline = s->deadline,
                            .rows = rows / (e->chains * e->rounds),
                            .box_of_row = m->copies[i]};
        set_temperatures(m, per_class, chain);
        for (unsigned round = 0; round < s->round; round++)
            chain->hot = chain->hot / 2 > chain->cold ? chain->hot / 2 : chain->cold;
    }
    HR_TRY(hr_parallel(e->chains, p->threads, run_chain, m, err));
    for (unsigned i = 0; i < e->chains; i++) {
        p->limited = p->limited || m->chains[i].limited;
        if (m->chains[i].loss >= loss) continue;
        loss = m->chains[i].loss;
        best = i;
    }
    if (best != HR_NONE) memcpy(m->box_of_row, m->copies[best], rows * sizeof *m->box_of_row);
    return HR_OK;
}

/* Each open box is a cluster. */
static hr_status number_clusters(part *p, const improving *m, hr_error *err) {
    uint32_t *number = hr_alloc_raw(m->boxes.count, sizeof *number, err);
    if (!number) return HR_ENOMEM;
    memset(number, 0xff, m->boxes.count * sizeof *number);
    p->clusters.count = 0;
    for (uint32_t i = 0; i < p->task.row_count; i++) {
        uint32_t *own = &number[m->box_of_row[i]];
        if (*own == HR_NONE) *own = p->clusters.count++;
        p->clusters.cluster[m->kinds.place[i]] = *own;
    }
    free(number);
    return HR_OK;
}

static hr_status improve_with(const search *s, part *p, improving *m, hr_error *err) {
    HR_TRY(find_boxes(s, p, m, err));
    if (hr_hedge_memory(&m->kinds) > memory_limit) return HR_OK;
    for (unsigned i = 0; i < s->effort->chains; i++) {
        m->copies[i] = hr_alloc_raw(p->task.row_count, sizeof **m->copies, err);
        if (!m->copies[i]) return HR_ENOMEM;
    }
    HR_TRY(run_chains(s, p, m, err));
    return number_clusters(p, m, err);
}

static hr_status improve(const search *s, part *p, hr_error *err) {
    improving m = {0};
    hr_status status = improve_with(s, p, &m, err);
    for (unsigned i = 0; i < CHAINS_MAX; i++)
        free(m.copies[i]);
    free(m.weight);
    free(m.box_of_row);
    hr_boxes_free(&m.boxes);
    hr_kinds_free(&m.kinds);
    return status;
}

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
    part *parts;
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

static hr_status improve_part(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    dividing *d = payload;
    const search *s = d->search;
    uint32_t first = d->start[i], rows = d->start[i + 1] - first;
    uint32_t *number = hr_alloc_raw(s->out->count, sizeof *number, err);
    if (!number) return HR_ENOMEM;
    memset(number, 0xff, s->out->count * sizeof *number);
    part *p = &d->parts[i];
    *p = (part){.task = *s->task,
                .clusters = {.cluster = d->cluster + first},
                .threads = d->count == 1 ? s->task->threads : 1,
                .stream = (s->task->stream * s->effort->rounds + s->round) * UINT64_C(1000003) + i};
    p->task.rows = d->row + first;
    p->task.by_rank = d->identity;
    p->task.row_count = rows;
    for (uint32_t m = 0; m < rows; m++) {
        uint32_t *own = &number[s->out->cluster[d->place[first + m]]];
        if (*own == HR_NONE) *own = p->clusters.count++;
        p->clusters.cluster[m] = *own;
    }
    free(number);
    return improve(s, p, err);
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

static hr_status improve_cell(const search *s, const hr_kinds *kinds, uint32_t size,
                              hr_error *err) {
    dividing d = {.search = s};
    d.of_cluster = hr_alloc(s->out->count, sizeof *d.of_cluster, err);
    hr_status status = d.of_cluster ? divide_clusters(s, kinds, size, &d, err) : HR_ENOMEM;
    if (status == HR_OK) status = deal_rows(s, &d, err);
    if (status == HR_OK) status = hr_parallel(d.count, s->task->threads, improve_part, &d, err);
    if (status == HR_OK) join_parts(&d, s->out);
    free(d.of_cluster);
    free(d.start);
    free(d.place);
    free(d.row);
    free(d.identity);
    free(d.cluster);
    free(d.parts);
    return status;
}

/* How many combinations a part may have: all, if the cell's boxes can be listed. 0: the effort does
 * not reach to improve the cell. */
static uint32_t part_size(const search *s, const hr_kinds *kinds) {
    uint64_t pairs = hr_boxes_pairs(kinds, &s->costs);
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

static hr_status search_cell(search *s, hr_kinds *kinds, hr_error *err) {
    HR_TRY(hr_value_costs_make(s->task->data, s->task->layout,
                               hr_measure_find(losses[s->options->loss]), &s->costs, err));
    HR_TRY(hr_kinds_make(s->task, kinds, err));
    HR_TRY(hr_first_release(s->task, kinds, &s->costs, s->out, err));
    uint32_t size = part_size(s, kinds);
    if (size == 0) return hr_progress_add(s->task->progress, s->task->row_count, err);
    for (; s->round < s->effort->rounds && !s->out->time_limited; s->round++)
        HR_TRY(improve_cell(s, kinds, size, err));
    return HR_OK;
}

static hr_status run(const hr_cell_task *task, hr_clusters *out, hr_error *err) {
    const hr_hedge_options *options = task->options;
    search s = {.task = task,
                .options = options,
                .effort = &efforts[options->effort],
                .deadline = options->time_limit > 0 ? task->started + options->time_limit : 0,
                .out = out};
    hr_kinds kinds = {0};
    hr_status status = search_cell(&s, &kinds, err);
    hr_kinds_free(&kinds);
    hr_value_costs_free(&s.costs);
    return status;
}

static uint32_t bound_steps(const void *options) {
    return efforts[((const hr_hedge_options *)options)->effort].bound;
}

const hr_algorithm hr_algorithm_hedge = {
    .name = "hedge",
    .title = "least loss: a cover of boxes, improved step by step",
    .reference = "this project; docs/design/hedge.md",
    .options = option_table,
    .options_size = sizeof(hr_hedge_options),
    .enforces_p = true,
    .wants_layout = true,
    .bound_steps = bound_steps,
    .run = run,
};
