/* hedge_part.c - improves one part of a cell: groups its rows into kinds, lists the boxes to choose
 * from, runs several chains of steps from the same release, in parallel if threads are free, and
 * takes the best result. */
#include "algorithm/hedge/hedge.h"

#include <stdlib.h>
#include <string.h>

enum { GUIDE_SHARE = 8 }; /* the guide gets 1 / GUIDE_SHARE of the time */

static const uint64_t memory_limit = UINT64_C(1) << 30; /* of one chain */

typedef struct {
    hr_kinds kinds;
    hr_boxes boxes;
    uint32_t *weight;
    uint32_t *box_of_row;
    hr_chain chains[HR_HEDGE_CHAINS];
    uint32_t *copies[HR_HEDGE_CHAINS]; /* box_of_row of each chain */
    atomic_uint_fast64_t least;        /* loss of the best chain so far */
} part_state;

/* The smallest listed box that covers a cluster. */
static uint32_t find_box(const hr_kinds *kinds, const hr_boxes *boxes, uint32_t combination,
                         const uint32_t *code) {
    for (size_t i = boxes->around_start[combination]; i < boxes->around_start[combination + 1]; i++)
        if (!memcmp(boxes->code + boxes->around[i] * kinds->t, code, kinds->t * sizeof *code))
            return boxes->around[i];
    return HR_NONE;
}

/* Finds the listed box of every cluster. */
static hr_status place_clusters(const hr_kinds *kinds, const hr_axes *axes, const hr_boxes *boxes,
                                const hr_clusters *clusters, uint32_t *box_of_row, hr_error *err) {
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
                    own[j] = own[j] == HR_NONE
                                 ? values[j]
                                 : hr_preorder_join(&axes->of[j].tree, own[j], values[j]);
                if (pass == 0) continue;
                if (box[c] == HR_NONE) box[c] = find_box(kinds, boxes, at, own);
                box_of_row[i] = box[c];
            }
    }
    free(code);
    free(box);
    return HR_OK;
}

static hr_status place_rows(const hr_hedge_part *p, part_state *m, hr_error *err) {
    m->box_of_row = hr_alloc_raw(p->task.row_count, sizeof *m->box_of_row, err);
    if (!m->box_of_row) return HR_ENOMEM;
    return place_clusters(&m->kinds, p->axes, &m->boxes, &p->clusters, m->box_of_row, err);
}

static uint64_t loss_of(const part_state *m) {
    uint64_t loss = 0;
    for (uint32_t i = 0; i < m->kinds.row_count; i++)
        loss += m->boxes.cost[m->box_of_row[i]];
    return loss;
}

/* A lower limit on the loss: every row in the cheapest box around it. */
static uint64_t least_of(const part_state *m) {
    uint64_t loss = 0;
    for (uint32_t c = 0; c < m->kinds.combination_count; c++)
        loss +=
            m->boxes.cost[m->boxes.around[m->boxes.around_start[c]]] * m->kinds.combination_rows[c];
    return loss;
}

/* Sets the temperatures relative to the current loss of a class; the last one is below any
 * difference that matters. */
static void set_temperatures(const part_state *m, uint64_t per_class, hr_chain *chain) {
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
    part_state *m = payload;
    return hr_chain_run(&m->chains[i], err);
}

static hr_status run_chains(hr_hedge_part *p, part_state *m, hr_error *err) {
    const hr_hedge_round *round = &p->round;
    uint64_t loss = loss_of(m), per_class = loss / (p->clusters.count ? p->clusters.count : 1);
    uint64_t floor = least_of(m);
    uint32_t rows = p->task.row_count, best = HR_NONE;
    hr_progress nested = hr_progress_nested(p->task.progress);
    double now = hr_seconds(), climb_end = now + (p->deadline - now) / GUIDE_SHARE;
    hr_bound_effort climb = {round->guide, p->task.threads, p->deadline > 0 ? climb_end : 0,
                             &nested};
    atomic_store(&m->least, loss);
    p->least = loss == floor;
    if (loss == floor)
        return hr_progress_add(p->task.progress, (uint64_t)(rows * p->share * round->chains), err);
    if (round->guide > 0)
        HR_TRY(hr_guide_make(&m->kinds, &m->boxes, &climb, per_class / 10, &m->weight, err));
    for (unsigned i = 0; i < round->chains; i++) {
        hr_chain *chain = &m->chains[i];
        memcpy(m->copies[i], m->box_of_row, rows * sizeof *m->box_of_row);
        *chain = (hr_chain){.task = &p->task,
                            .kinds = &m->kinds,
                            .boxes = &m->boxes,
                            .weight = m->weight,
                            .stream = p->stream * HR_HEDGE_CHAINS + i,
                            .work = round->work * m->kinds.kind_count,
                            .deadline = p->deadline,
                            .rows = (uint64_t)(rows * p->share),
                            .least = &m->least,
                            .floor = floor,
                            .box_of_row = m->copies[i]};
        set_temperatures(m, per_class, chain);
        for (unsigned cool = 0; cool < round->coolness; cool++)
            chain->hot = chain->hot / 2 > chain->cold ? chain->hot / 2 : chain->cold;
    }
    HR_TRY(hr_parallel(round->chains, p->task.threads, run_chain, m, err));
    for (unsigned i = 0; i < round->chains; i++) {
        p->limited = p->limited || m->chains[i].limited;
        if (m->chains[i].loss >= loss) continue;
        loss = m->chains[i].loss;
        best = i;
    }
    p->least = loss == floor;
    if (best != HR_NONE) memcpy(m->box_of_row, m->copies[best], rows * sizeof *m->box_of_row);
    return HR_OK;
}

/* Each open box is a cluster. */
static hr_status number_clusters(hr_hedge_part *p, const part_state *m, hr_error *err) {
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

static hr_status improve_with(hr_hedge_part *p, part_state *m, hr_error *err) {
    bool listed;
    HR_TRY(hr_cell_kinds(&p->task, p->axes, &m->kinds, err));
    HR_TRY(hr_boxes_make(&m->kinds, p->axes, &m->boxes, &listed, err));
    p->unlisted = !listed;
    if (p->unlisted) return HR_OK;
    HR_TRY(place_rows(p, m, err));
    if (hr_hedge_memory(&m->kinds) > memory_limit) return HR_OK;
    for (unsigned i = 0; i < p->round.chains; i++) {
        m->copies[i] = hr_alloc_raw(p->task.row_count, sizeof **m->copies, err);
        if (!m->copies[i]) return HR_ENOMEM;
    }
    HR_TRY(run_chains(p, m, err));
    HR_TRY(number_clusters(p, m, err));
    /* The rows of a class that gave rows away may fit a smaller box. */
    uint64_t loss;
    HR_TRY(hr_clusters_loss(&m->kinds, p->axes, &p->clusters, &loss, err));
    hr_progress_gain(p->task.progress, atomic_load(&m->least) - loss);
    return HR_OK;
}

hr_status hr_hedge_improve(hr_hedge_part *p, hr_error *err) {
    part_state m = {0};
    hr_status status = improve_with(p, &m, err);
    for (unsigned i = 0; i < HR_HEDGE_CHAINS; i++)
        free(m.copies[i]);
    free(m.weight);
    free(m.box_of_row);
    hr_boxes_free(&m.boxes);
    hr_kinds_free(&m.kinds);
    return status;
}
