/* hedge_cover.c - a first release: boxes in ascending order of cost, each opened with the rows
 * inside that no cheaper one took, if these satisfy the models. What is left goes to the cheapest open
 * box around it; where there is none, the step of hedge_step.c opens one. */
#include "algorithm/hedge.h"

/* All rows inside that are nowhere yet, into the box. */
static void fill_box(hr_hedge *h, uint32_t box) {
    const hr_kinds *kinds = h->kinds;
    for (size_t i = h->boxes->inside_start[box]; i < h->boxes->inside_start[box + 1]; i++) {
        uint32_t combination = h->boxes->inside[i];
        for (uint32_t kind = kinds->kind_start[combination];
             kind < kinds->kind_start[combination + 1]; kind++)
            if (h->lot_of_kind[kind] == HR_NONE)
                hr_hedge_move(h, kind, HR_NONE, box, kinds->kind_rows[kind]);
    }
}

static uint64_t rows_nowhere(const hr_hedge *h, uint32_t box) {
    const hr_kinds *kinds = h->kinds;
    uint64_t rows = 0;
    for (size_t i = h->boxes->inside_start[box]; i < h->boxes->inside_start[box + 1]; i++) {
        uint32_t combination = h->boxes->inside[i];
        for (uint32_t kind = kinds->kind_start[combination];
             kind < kinds->kind_start[combination + 1]; kind++)
            if (h->lot_of_kind[kind] == HR_NONE) rows += kinds->kind_rows[kind];
    }
    return rows;
}

/* The box that covers the whole cell. */
static uint32_t widest(const hr_hedge *h) {
    const hr_boxes *boxes = h->boxes;
    uint32_t box = boxes->count - 1;
    while (boxes->inside_start[box + 1] - boxes->inside_start[box] < h->kinds->combination_count)
        box--;
    return box;
}

static uint32_t smallest_class(const hr_hedge *h, uint32_t not) {
    uint32_t best = HR_NONE;
    for (uint32_t i = 0; i < h->open_count; i++) {
        const hr_class *class = &h->classes[h->open[i]];
        if (class->box == not) continue;
        if (best == HR_NONE || class->rows < h->classes[h->class_of_box[best]].rows ||
            (class->rows == h->classes[h->class_of_box[best]].rows && class->box < best))
            best = class->box;
    }
    return best;
}

/* What no open box contains: into the widest box, with what that borrows; if need be, with whole
 * classes, the smallest first. All rows together satisfy the models. */
static void open_widest(hr_stepper *s) {
    hr_hedge *h = s->h;
    uint32_t box = widest(h);
    fill_box(h, box);
    if (h->class_of_box[box] == HR_NONE) return;
    while (!hr_stepper_borrow(s, box) && !h->log_failed) {
        uint32_t from = smallest_class(h, box);
        while (h->class_of_box[from] != HR_NONE && !h->log_failed) {
            const hr_lot *lot = &h->lots[h->classes[h->class_of_box[from]].first];
            hr_hedge_move(h, lot->kind, from, box, lot->count);
        }
    }
}

void hr_hedge_cover(hr_stepper *s) {
    hr_hedge *h = s->h;
    for (uint32_t box = 0; box < h->boxes->count; box++) {
        if (rows_nowhere(h, box) < h->k) continue;
        h->log_count = 0;
        fill_box(h, box);
        if (!hr_hedge_holds(h, &h->classes[h->class_of_box[box]])) hr_hedge_undo(h, 0);
    }
    for (uint32_t kind = 0; kind < h->kinds->kind_count; kind++) {
        if (h->lot_of_kind[kind] != HR_NONE) continue;
        uint32_t box = hr_hedge_cheapest(h, h->kinds->kind_combination[kind], HR_NONE, UINT64_MAX);
        h->log_count = 0;
        if (box != HR_NONE) hr_hedge_move(h, kind, HR_NONE, box, h->kinds->kind_rows[kind]);
    }
    open_widest(s);
    h->log_count = 0;
}
