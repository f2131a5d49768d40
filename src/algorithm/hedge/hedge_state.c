/* hedge_state.c - the state of the search: lots, open boxes and their classes, and the log of
 * moves. */
#include "algorithm/hedge/hedge.h"

#include <stdlib.h>
#include <string.h>

/* ---- making it ---- */

/* The most open classes: those that can be valid at a time, and the one that a step opens. */
static uint32_t classes_at_most(const hr_kinds *kinds, const hr_boxes *boxes) {
    uint32_t most = kinds->row_count / kinds->k + 2;
    return most < boxes->count ? most : boxes->count;
}

uint64_t hr_hedge_memory(const hr_kinds *kinds) {
    uint64_t rows = kinds->row_count, values = kinds->value_start[kinds->r] + kinds->r;
    if (kinds->judge) values += kinds->judge->words;
    return (rows / kinds->k + 2) * (values * sizeof(uint32_t) + sizeof(hr_class)) +
           rows * sizeof(hr_lot);
}

static hr_status allocate(hr_hedge *h, hr_error *err) {
    hr_arena *arena = &h->arena;
    size_t rows = h->kinds->row_count, classes = h->class_capacity;
    h->lots = hr_arena_alloc(arena, rows, sizeof *h->lots, err);
    h->lot_of_kind = hr_arena_alloc(arena, h->kinds->kind_count, sizeof *h->lot_of_kind, err);
    h->classes = hr_arena_alloc(arena, classes, sizeof *h->classes, err);
    h->class_of_box = hr_arena_alloc(arena, h->boxes->count, sizeof *h->class_of_box, err);
    h->is_open = hr_arena_alloc(arena, (size_t)h->boxes->count / 64 + 1, sizeof *h->is_open, err);
    h->open = hr_arena_alloc(arena, classes, sizeof *h->open, err);
    h->count = hr_arena_alloc(arena, classes * h->values, sizeof *h->count, err);
    h->distinct = hr_arena_alloc(arena, classes * h->r, sizeof *h->distinct, err);
    const hr_judge *judge = h->kinds->judge;
    if (judge) h->state = hr_arena_alloc(arena, classes * judge->words, sizeof *h->state, err);
    return h->lots && h->lot_of_kind && h->classes && h->class_of_box && h->is_open && h->open &&
                   h->count && h->distinct && (h->state || !judge)
               ? HR_OK
               : HR_ENOMEM;
}

hr_status hr_hedge_init(hr_hedge *h, const hr_kinds *kinds, const hr_boxes *boxes, hr_error *err) {
    *h = (hr_hedge){.kinds = kinds,
                    .boxes = boxes,
                    .k = kinds->k,
                    .p = kinds->p,
                    .r = kinds->r,
                    .values = kinds->value_start[kinds->r],
                    .class_capacity = classes_at_most(kinds, boxes)};
    hr_status status = allocate(h, err);
    if (status != HR_OK) {
        hr_hedge_free(h);
        return status;
    }
    memset(h->class_of_box, 0xff, boxes->count * sizeof *h->class_of_box);
    memset(h->lot_of_kind, 0xff, kinds->kind_count * sizeof *h->lot_of_kind);
    for (uint32_t i = 0; i < kinds->row_count; i++)
        h->lots[i].next = i + 1 < kinds->row_count ? i + 1 : HR_NONE;
    for (uint32_t i = 0; i < h->class_capacity; i++)
        h->open[i] = i;
    return HR_OK;
}

void hr_hedge_free(hr_hedge *h) {
    free(h->log);
    hr_arena_free(&h->arena);
    *h = (hr_hedge){0};
}

/* ---- classes ---- */

static uint32_t open_box(hr_hedge *h, uint32_t box) {
    uint32_t number = h->open[h->open_count];
    h->classes[number] =
        (hr_class){.box = box, .first = HR_NONE, .at = h->open_count++, .lacking = (uint32_t)h->r};
    h->class_of_box[box] = number;
    h->is_open[box / 64] |= UINT64_C(1) << box % 64;
    return number;
}

static void close_box(hr_hedge *h, uint32_t number) {
    hr_class *class = &h->classes[number];
    uint32_t last = h->open[--h->open_count];
    h->class_of_box[class->box] = HR_NONE;
    h->is_open[class->box / 64] &= ~(UINT64_C(1) << class->box % 64);
    h->open[class->at] = last;
    h->classes[last].at = class->at;
    h->open[h->open_count] = number;
}

static void count_in(hr_hedge *h, uint32_t number, uint32_t kind, uint32_t rows) {
    const uint32_t *value = h->kinds->kind_value + kind * h->r;
    hr_class *class = &h->classes[number];
    class->rows += rows;
    if (h->state)
        hr_judge_add(h->kinds->judge, hr_hedge_state(h, class), hr_hedge_judged(h, kind), rows);
    for (size_t l = 0; l < h->r; l++) {
        if (value[l] == HR_NONE) continue;
        uint32_t *count = &h->count[number * h->values + h->kinds->value_start[l] + value[l]];
        if (*count == 0 && ++h->distinct[number * h->r + l] == h->p) class->lacking--;
        *count += rows;
    }
}

static void count_out(hr_hedge *h, uint32_t number, uint32_t kind, uint32_t rows) {
    const uint32_t *value = h->kinds->kind_value + kind * h->r;
    hr_class *class = &h->classes[number];
    class->rows -= rows;
    if (h->state)
        hr_judge_remove(h->kinds->judge, hr_hedge_state(h, class), hr_hedge_judged(h, kind), rows);
    for (size_t l = 0; l < h->r; l++) {
        if (value[l] == HR_NONE) continue;
        uint32_t *count = &h->count[number * h->values + h->kinds->value_start[l] + value[l]];
        *count -= rows;
        if (*count == 0 && h->distinct[number * h->r + l]-- == h->p) class->lacking++;
    }
}

/* ---- lots ---- */

static uint32_t find_lot(const hr_hedge *h, uint32_t kind, uint32_t number) {
    uint32_t lot = h->lot_of_kind[kind];
    while (lot != HR_NONE && h->lots[lot].class != number)
        lot = h->lots[lot].next;
    return lot;
}

static uint32_t add_lot(hr_hedge *h, uint32_t kind, uint32_t number) {
    uint32_t lot = h->free_lot, first = h->classes[number].first;
    h->free_lot = h->lots[lot].next;
    h->lots[lot] = (hr_lot){kind, number, 0, HR_NONE, first, h->lot_of_kind[kind]};
    h->lot_of_kind[kind] = lot;
    if (first != HR_NONE) h->lots[first].before = lot;
    h->classes[number].first = lot;
    return lot;
}

static void remove_lot(hr_hedge *h, uint32_t lot) {
    hr_lot *l = &h->lots[lot];
    uint32_t *link = &h->lot_of_kind[l->kind];
    while (*link != lot)
        link = &h->lots[*link].next;
    *link = l->next;
    if (l->before != HR_NONE)
        h->lots[l->before].after = l->after;
    else
        h->classes[l->class].first = l->after;
    if (l->after != HR_NONE) h->lots[l->after].before = l->before;
    l->next = h->free_lot;
    h->free_lot = lot;
}

/* ---- moves ---- */

static void take_out(hr_hedge *h, uint32_t kind, uint32_t box, uint32_t count) {
    uint32_t number = h->class_of_box[box], lot = find_lot(h, kind, number);
    h->loss -= h->boxes->cost[box] * count;
    count_out(h, number, kind, count);
    h->lots[lot].count -= count;
    if (h->lots[lot].count == 0) remove_lot(h, lot);
    if (h->classes[number].rows == 0) close_box(h, number);
}

static void put_in(hr_hedge *h, uint32_t kind, uint32_t box, uint32_t count) {
    uint32_t number = h->class_of_box[box];
    if (number == HR_NONE) number = open_box(h, box);
    uint32_t lot = find_lot(h, kind, number);
    if (lot == HR_NONE) lot = add_lot(h, kind, number);
    h->lots[lot].count += count;
    count_in(h, number, kind, count);
    h->loss += h->boxes->cost[box] * count;
}

static void do_move(hr_hedge *h, uint32_t kind, uint32_t from, uint32_t to, uint32_t count) {
    take_out(h, kind, from, count);
    put_in(h, kind, to, count);
}

void hr_hedge_move(hr_hedge *h, uint32_t kind, uint32_t from, uint32_t to, uint32_t count) {
    if (hr_grow(&h->log, &h->log_capacity, h->log_count + 1, sizeof *h->log, NULL) != HR_OK)
        h->failed = true;
    if (h->failed) return;
    h->log[h->log_count++] = (hr_move){kind, from, to, count};
    h->work += 4;
    do_move(h, kind, from, to, count);
}

void hr_hedge_undo(hr_hedge *h, size_t mark) {
    while (h->log_count > mark) {
        hr_move m = h->log[--h->log_count];
        do_move(h, m.kind, m.to, m.from, m.count);
    }
}

/* ---- questions ---- */

uint32_t hr_hedge_spare(const hr_hedge *h, const hr_class *class, uint32_t kind) {
    if (class->rows <= h->k) return 0;
    uint32_t spare = class->rows - h->k;
    size_t number = (size_t)(class - h->classes);
    const uint32_t *value = h->kinds->kind_value + kind * h->r;
    for (size_t l = 0; l < h->r; l++) {
        if (value[l] == HR_NONE || h->distinct[number * h->r + l] > h->p) continue;
        uint32_t count = h->count[number * h->values + h->kinds->value_start[l] + value[l]];
        if (count - 1 < spare) spare = count - 1;
    }
    if (!h->state) return spare;
    uint32_t lot = find_lot(h, kind, (uint32_t)number);
    if (lot == HR_NONE) return 0;
    if (h->lots[lot].count < spare) spare = h->lots[lot].count;
    return hr_judge_spare(h->kinds->judge, hr_hedge_state(h, class), hr_hedge_judged(h, kind),
                          spare);
}

uint32_t hr_hedge_room(const hr_hedge *h, const hr_class *class, uint32_t kind, uint32_t most) {
    if (!h->state) return most;
    return hr_judge_room(h->kinds->judge, hr_hedge_state(h, class), hr_hedge_judged(h, kind), most);
}

uint32_t hr_hedge_cheapest(hr_hedge *h, uint32_t combination, uint32_t not, uint64_t below) {
    const hr_boxes *boxes = h->boxes;
    for (size_t i = boxes->around_start[combination]; i < boxes->around_start[combination + 1];
         i++) {
        uint32_t box = boxes->around[i];
        h->work++;
        if (!(h->is_open[box / 64] >> box % 64 & 1) || box == not ) continue;
        return boxes->cost[box] < below ? box : HR_NONE;
    }
    return HR_NONE;
}

uint32_t hr_hedge_roomy(hr_hedge *h, uint32_t kind, uint32_t not, uint64_t below, uint32_t *count) {
    const hr_boxes *boxes = h->boxes;
    uint32_t c = h->kinds->kind_combination[kind];
    for (size_t i = boxes->around_start[c]; i < boxes->around_start[c + 1]; i++) {
        uint32_t box = boxes->around[i];
        h->work++;
        if (boxes->cost[box] >= below) return HR_NONE;
        if (!(h->is_open[box / 64] >> box % 64 & 1) || box == not ) continue;
        uint32_t room = hr_hedge_room(h, &h->classes[h->class_of_box[box]], kind, *count);
        if (room == 0) continue;
        *count = room;
        return box;
    }
    return HR_NONE;
}

/* ---- keeping and restoring ---- */

void hr_hedge_save(const hr_hedge *h, uint32_t *box_of_row) {
    for (uint32_t kind = 0; kind < h->kinds->kind_count; kind++) {
        uint32_t *to = box_of_row + h->kinds->place_start[kind];
        for (uint32_t lot = h->lot_of_kind[kind]; lot != HR_NONE; lot = h->lots[lot].next)
            for (uint32_t i = 0; i < h->lots[lot].count; i++)
                *to++ = h->classes[h->lots[lot].class].box;
    }
}

void hr_hedge_load(hr_hedge *h, const uint32_t *box_of_row) {
    const hr_kinds *kinds = h->kinds;
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++)
            put_in(h, kind, box_of_row[i], 1);
}
