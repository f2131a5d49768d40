/* hedge_step.c - one step of hedge. A row pays the cost of its box. A step is of one of two sorts:
 *
 *   - Open: draws a row that pays something and opens a cheaper box around it. Rows that pay more
 *     than the cost of this box move there. Sensitive values and rows that the box still lacks are
 *     borrowed, in this order and where it costs least, from classes that can spare them.
 *   - Close: closes a class; its rows move to their cheapest open boxes.
 *
 * A class that becomes invalid is closed or borrows in turn, whichever costs less. At the end, rows
 * that the touched classes can spare move to cheaper open boxes. The step is undone if the release
 * is not valid then, or loses too much. */
#include "algorithm/hedge/hedge.h"

#include <stdlib.h>
#include <string.h>

enum { NO_ODDS = 64, MENDS = 4, DRAWS = 1000, CLOSES = 16, UNGUIDED = 8, CASCADE = 32 };

typedef struct hr_offer {
    uint64_t key; /* greatest first: what the row pays now, then random bits */
    uint32_t kind, box;
} offer;

hr_status hr_stepper_init(hr_stepper *s, hr_hedge *h, uint64_t seed, uint64_t stream,
                          hr_error *err) {
    *s = (hr_stepper){.h = h, .asking = HR_NONE, .odds = NO_ODDS};
    hr_random_seed(&s->random, seed, stream);
    const hr_kinds *kinds = h->kinds;
    s->kind_of_row = hr_alloc_raw(kinds->row_count, sizeof *s->kind_of_row, err);
    if (!s->kind_of_row) return HR_ENOMEM;
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++)
        for (size_t i = kinds->place_start[kind]; i < kinds->place_start[kind + 1]; i++)
            s->kind_of_row[i] = kind;
    return HR_OK;
}

void hr_stepper_free(hr_stepper *s) {
    free(s->kind_of_row);
    free(s->touched);
    free(s->offers);
    *s = (hr_stepper){0};
}

static hr_class *class_of(const hr_stepper *s, uint32_t box) {
    return &s->h->classes[s->h->class_of_box[box]];
}

/* Remember that the class of the box was touched in this step. */
static void touch(hr_stepper *s, uint32_t box) {
    uint32_t number = s->h->class_of_box[box];
    if (number == HR_NONE || s->h->classes[number].stamp == s->stamp) return;
    s->h->classes[number].stamp = s->stamp;
    if (hr_grow(&s->touched, &s->touched_capacity, (size_t)s->touched_count + 1, sizeof *s->touched,
                NULL) == HR_OK)
        s->touched[s->touched_count++] = box;
    else
        s->h->failed = true;
}

static void move(hr_stepper *s, uint32_t kind, uint32_t from, uint32_t to, uint32_t count) {
    hr_hedge_move(s->h, kind, from, to, count);
    touch(s, from);
    touch(s, to);
}

/* ---- borrowing ---- */

/* May this step take rows that the class of the box needs, and so make it invalid? The class that
 * the drawn row leaves may become invalid, and every other class with probability 2^-odds. */
static bool may_break(const hr_stepper *s, uint32_t box) {
    if (box == s->asking) return true;
    if (box == s->kept) return false;
    if (s->odds == NO_ODDS) return false;
    uint64_t coin = (s->coin ^ box) * UINT64_C(0x9e3779b97f4a7c15);
    return (coin >> 32 & ((UINT64_C(1) << s->odds) - 1)) == 0;
}

/* The number of rows of the lot that may be taken. */
static uint32_t available(const hr_stepper *s, const hr_lot *lot) {
    const hr_class *class = &s->h->classes[lot->class];
    uint32_t spare = hr_hedge_spare(s->h, class, lot->kind);
    if (spare >= lot->count || may_break(s, class->box)) return lot->count;
    return spare;
}

static inline bool is_better(const void *unused, const offer *x, const offer *y) {
    (void)unused;
    if (x->key != y->key) return x->key > y->key;
    if (x->kind != y->kind) return x->kind < y->kind;
    return x->box < y->box;
}

static inline void put_offer(const void *unused, offer *heap, size_t at, const offer *value) {
    (void)unused;
    heap[at] = *value;
}

HR_HEAP(offers, offer, const void *, is_better, put_offer)

static offer best_offer(hr_stepper *s) {
    offer best = s->offers[0];
    if (--s->offer_count > 0)
        offers_down(NULL, s->offers, s->offer_count, 0, s->offers[s->offer_count]);
    return best;
}

/* Does the class lack a sensitive value of the kind? */
static bool brings_value(const hr_hedge *h, uint32_t number, uint32_t kind) {
    const uint32_t *value = h->kinds->kind_value + kind * h->r;
    for (size_t l = 0; l < h->r; l++)
        if (value[l] != HR_NONE && h->distinct[number * h->r + l] < h->p &&
            h->count[number * h->values + h->kinds->value_start[l] + value[l]] == 0)
            return true;
    return false;
}

/* Lists the lots of other classes inside the box from which rows may be taken; with `values`, only
 * those with a value that the class lacks. */
static bool list_offers(hr_stepper *s, uint32_t box, bool values) {
    const hr_hedge *h = s->h;
    const hr_kinds *kinds = h->kinds;
    s->offer_count = 0;
    for (size_t i = h->boxes->inside_start[box]; i < h->boxes->inside_start[box + 1]; i++) {
        uint32_t c = h->boxes->inside[i];
        for (uint32_t kind = kinds->kind_start[c]; kind < kinds->kind_start[c + 1]; kind++) {
            if (values && !brings_value(h, h->class_of_box[box], kind)) continue;
            for (uint32_t lot = h->lot_of_kind[kind]; lot != HR_NONE; lot = h->lots[lot].next) {
                s->h->work++;
                uint32_t from = h->classes[h->lots[lot].class].box;
                if (from == box || available(s, &h->lots[lot]) == 0) continue;
                if (hr_grow(&s->offers, &s->offer_capacity, s->offer_count + 1, sizeof(offer),
                            NULL) != HR_OK) {
                    s->h->failed = true;
                    return false;
                }
                uint64_t noise = hr_random_next(&s->random) & 4095;
                s->offers[s->offer_count++] =
                    (offer){h->boxes->cost[from] << 12 | noise, kind, from};
            }
        }
    }
    for (size_t i = s->offer_count / 2; i-- > 0;)
        offers_down(NULL, s->offers, s->offer_count, i, s->offers[i]);
    return true;
}

/* Take up to `most` rows of an offer. */
static void accept(hr_stepper *s, const offer *o, uint32_t box, uint32_t most) {
    const hr_hedge *h = s->h;
    uint32_t lot = h->lot_of_kind[o->kind];
    while (lot != HR_NONE && h->classes[h->lots[lot].class].box != o->box)
        lot = h->lots[lot].next;
    if (lot == HR_NONE) return;
    uint32_t count = available(s, &h->lots[lot]);
    if (count > most) count = most;
    if (count > 0) move(s, o->kind, o->box, box, count);
}

/* ---- models other than k and p ---- */

/* The lack of the class after `in` rows of a kind have joined it, or `out` have left it. */
static uint32_t lack_with(const hr_hedge *h, const hr_class *class, uint32_t kind, uint32_t in,
                          uint32_t out) {
    const hr_judge *judge = h->kinds->judge;
    uint32_t *state = hr_hedge_state(h, class);
    hr_judge_add(judge, state, hr_hedge_judged(h, kind), in);
    hr_judge_remove(judge, state, hr_hedge_judged(h, kind), out);
    uint32_t lack = hr_judge_lack(judge, state);
    hr_judge_add(judge, state, hr_hedge_judged(h, kind), out);
    hr_judge_remove(judge, state, hr_hedge_judged(h, kind), in);
    return lack;
}

static uint32_t lack_of(const hr_hedge *h, const hr_class *class) {
    return hr_judge_lack(h->kinds->judge, hr_hedge_state(h, class));
}

/* Moves rows into the class that bring it closer to holding. */
static void fetch_helpful(hr_stepper *s, uint32_t box) {
    hr_hedge *h = s->h;
    hr_class *class = class_of(s, box);
    uint32_t lack = lack_of(h, class);
    if (lack == 0 || !list_offers(s, box, false)) return;
    while (s->offer_count > 0 && lack > 0 && !h->failed) {
        offer o = best_offer(s);
        for (uint32_t rows; lack > 0 && lack_with(h, class, o.kind, 1, 0) < lack;) {
            rows = class->rows;
            accept(s, &o, box, 1);
            if (class->rows == rows) break;
            lack = lack_of(h, class);
        }
    }
}

/* Moves rows that keep the class from holding to other open boxes that have room for them. */
static void send_away(hr_stepper *s, uint32_t box) {
    hr_hedge *h = s->h;
    hr_class *class = class_of(s, box);
    uint32_t lack = lack_of(h, class);
    for (uint32_t lot = class->first, next; lot != HR_NONE && lack > 0; lot = next) {
        next = h->lots[lot].after;
        uint32_t kind = h->lots[lot].kind;
        for (uint32_t left = h->lots[lot].count; left > 0; left--) {
            uint32_t count = 1;
            if (class->rows <= 1 || lack_with(h, class, kind, 0, 1) >= lack) break;
            uint32_t to = hr_hedge_roomy(h, kind, box, UINT64_MAX, &count);
            if (to == HR_NONE || h->failed) break;
            move(s, kind, box, to, 1);
            lack = lack_of(h, class);
        }
    }
}

/* Makes a class with enough rows and values satisfy the other models, by both functions above in
 * random order. */
static bool settle(hr_stepper *s, uint32_t box) {
    hr_hedge *h = s->h;
    bool fetch_first = s->coin >> 63;
    if (fetch_first) fetch_helpful(s, box);
    if (!h->failed) send_away(s, box);
    if (!h->failed && !fetch_first) fetch_helpful(s, box);
    return !h->failed && hr_hedge_holds(h, class_of(s, box));
}

/* ---- borrowing and closing ---- */

/* Makes the class of the box valid with rows that may be taken from other classes. */
static bool borrow(hr_stepper *s, uint32_t box) {
    hr_hedge *h = s->h;
    uint32_t number = h->class_of_box[box];
    hr_class *class = &h->classes[number];
    if (class->lacking > 0) {
        if (!list_offers(s, box, true)) return false;
        while (s->offer_count > 0 && class->lacking > 0) {
            offer o = best_offer(s);
            if (brings_value(h, number, o.kind)) accept(s, &o, box, 1);
        }
        if (class->lacking > 0) return false;
    }
    if (class->rows < h->k) {
        if (!list_offers(s, box, false)) return false;
        while (s->offer_count > 0 && class->rows < h->k) {
            offer o = best_offer(s);
            accept(s, &o, box, h->k - class->rows);
        }
    }
    if (class->rows < h->k) return false;
    return !h->state || settle(s, box);
}

/* ---- closing ---- */

static bool close_class(hr_stepper *s, uint32_t box) {
    hr_hedge *h = s->h;
    while (h->class_of_box[box] != HR_NONE) {
        const hr_lot *lot = &h->lots[class_of(s, box)->first];
        uint32_t count = lot->count, to = HR_NONE;
        if (h->state) to = hr_hedge_roomy(h, lot->kind, box, UINT64_MAX, &count);
        if (to == HR_NONE)
            to = hr_hedge_cheapest(h, h->kinds->kind_combination[lot->kind], box, UINT64_MAX);
        if (to == HR_NONE) return false;
        move(s, lot->kind, box, to, count);
        if (h->failed) return false;
    }
    return true;
}

/* Closes an invalid class or lets it borrow, whichever costs less. */
static bool mend(hr_stepper *s, uint32_t box) {
    hr_hedge *h = s->h;
    s->asking = HR_NONE;
    if (s->mends++ >= MENDS || (s->coin >> s->mends & 1)) s->odds = NO_ODDS;
    s->coin = hr_random_next(&s->random);
    size_t mark = h->log_count;
    bool closed = close_class(s, box);
    uint64_t loss = h->loss;
    hr_hedge_undo(h, mark);
    bool borrowed = borrow(s, box);
    if (borrowed && (!closed || h->loss <= loss)) return true;
    hr_hedge_undo(h, mark);
    return closed && close_class(s, box);
}

/* Repairs the invalid classes among the touched ones. That may make others invalid, so the number
 * of repairs is limited. */
static bool mend_touched(hr_stepper *s) {
    const hr_hedge *h = s->h;
    for (uint32_t i = 0; i < s->touched_count; i++) {
        uint32_t number = h->class_of_box[s->touched[i]];
        if (number == HR_NONE || hr_hedge_holds(h, &h->classes[number])) continue;
        if (h->state && s->mends > CASCADE) return false;
        if (!mend(s, s->touched[i])) return false;
        i = UINT32_MAX; /* from the first again */
    }
    return true;
}

/* ---- the steps ---- */

/* Moves the rows inside the box that pay more than its cost into it. */
static void pull(hr_stepper *s, uint32_t box) {
    hr_hedge *h = s->h;
    const hr_kinds *kinds = h->kinds;
    uint64_t cost = h->boxes->cost[box];
    for (size_t i = h->boxes->inside_start[box]; i < h->boxes->inside_start[box + 1]; i++) {
        uint32_t c = h->boxes->inside[i];
        for (uint32_t kind = kinds->kind_start[c]; kind < kinds->kind_start[c + 1]; kind++)
            for (uint32_t lot = h->lot_of_kind[kind], next; lot != HR_NONE; lot = next) {
                next = h->lots[lot].next;
                h->work++;
                uint32_t from = h->classes[h->lots[lot].class].box;
                if (h->boxes->cost[from] <= cost) continue;
                uint32_t count = available(s, &h->lots[lot]);
                if (count > 0) move(s, kind, from, box, count);
            }
    }
}

/* The box of the row in this place, in the order of kinds->place. */
static uint32_t box_of(hr_hedge *h, uint32_t kind, uint32_t row) {
    uint32_t lot = h->lot_of_kind[kind];
    size_t left = row - h->kinds->place_start[kind];
    for (; left >= h->lots[lot].count; lot = h->lots[lot].next) {
        left -= h->lots[lot].count;
        h->work++;
    }
    return h->classes[h->lots[lot].class].box;
}

/* Draws a row that pays something: stores its kind and its box, and returns the number of boxes
 * around it that cost less, which are the first in the list. 0: no such row was found. */
static size_t draw_row(hr_stepper *s, uint32_t *kind, uint32_t *asking) {
    hr_hedge *h = s->h;
    const hr_boxes *boxes = h->boxes;
    for (int draws = 0; draws < DRAWS; draws++) {
        h->work++;
        uint32_t row = (uint32_t)hr_random_below(&s->random, h->kinds->row_count);
        *kind = s->kind_of_row[row];
        *asking = box_of(h, *kind, row);
        uint32_t c = h->kinds->kind_combination[*kind];
        size_t first = boxes->around_start[c], low = first, high = boxes->around_start[c + 1];
        if (boxes->cost[boxes->around[first]] >= boxes->cost[*asking]) {
            h->idle++;
            continue;
        }
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (boxes->cost[boxes->around[middle]] < boxes->cost[*asking])
                low = middle + 1;
            else
                high = middle;
        }
        return low - first;
    }
    return 0;
}

/* Draws one of the boxes around[first] .. around[first + count - 1]. */
static size_t draw_box(hr_stepper *s, size_t first, size_t count) {
    if (!s->weight || !hr_random_below(&s->random, UNGUIDED))
        return hr_random_below(&s->random, count);
    const uint32_t *sum = s->weight + first;
    uint64_t draw = hr_random_below(&s->random, sum[count - 1]);
    size_t low = 0, high = count - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sum[middle] > draw)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static bool open_step(hr_stepper *s) {
    hr_hedge *h = s->h;
    uint32_t kind, asking;
    size_t cheaper = draw_row(s, &kind, &asking);
    if (cheaper == 0) return false;
    const uint32_t *around =
        h->boxes->around + h->boxes->around_start[h->kinds->kind_combination[kind]];
    size_t at = draw_box(s, (size_t)(around - h->boxes->around), cheaper);
    uint32_t box = around[at];
    static const unsigned odds[] = {NO_ODDS, NO_ODDS, 0, 1, 2, 3, 4, 5};
    s->asking = asking;
    s->kept = box;
    s->mends = 0;
    s->coin = hr_random_next(&s->random);
    s->odds = odds[hr_random_below(&s->random, sizeof odds / sizeof *odds)];
    pull(s, box);
    if (h->class_of_box[box] == HR_NONE || !borrow(s, box)) return false;
    return mend_touched(s);
}

static bool close_step(hr_stepper *s) {
    hr_hedge *h = s->h;
    if (h->open_count < 2) return false;
    uint32_t number = h->open[hr_random_below(&s->random, h->open_count)];
    uint32_t other = h->open[hr_random_below(&s->random, h->open_count)];
    if (h->classes[other].rows < h->classes[number].rows) number = other;
    if (!close_class(s, h->classes[number].box)) return false;
    if (!h->state) return true;
    s->asking = s->kept = HR_NONE;
    s->mends = 0;
    s->odds = NO_ODDS;
    return mend_touched(s);
}

/* Moves rows that the touched classes can spare to cheaper open boxes. */
static void release(hr_stepper *s) {
    hr_hedge *h = s->h;
    uint32_t count = s->touched_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t box = s->touched[i];
        if (h->class_of_box[box] == HR_NONE) continue;
        const hr_class *class = class_of(s, box);
        for (uint32_t lot = class->first, next; lot != HR_NONE && class->rows > h->k; lot = next) {
            next = h->lots[lot].after;
            uint32_t kind = h->lots[lot].kind, spare = hr_hedge_spare(h, class, kind);
            if (spare > h->lots[lot].count) spare = h->lots[lot].count;
            if (spare == 0) continue;
            uint64_t below = h->boxes->cost[box];
            uint32_t to = h->state
                              ? hr_hedge_roomy(h, kind, box, below, &spare)
                              : hr_hedge_cheapest(h, h->kinds->kind_combination[kind], box, below);
            if (to != HR_NONE) hr_hedge_move(h, kind, box, to, spare);
        }
    }
}

hr_status hr_stepper_step(hr_stepper *s, double temperature, hr_error *err) {
    hr_hedge *h = s->h;
    uint64_t before = h->loss;
    s->stamp++;
    h->work += 16;
    s->touched_count = 0;
    h->log_count = 0;
    bool valid = hr_random_below(&s->random, CLOSES) ? open_step(s) : close_step(s);
    if (valid) release(s);
    if (h->failed) {
        hr_hedge_undo(h, 0);
        return hr_fail(err, HR_ENOMEM, "out of memory");
    }
    double allowed = temperature * hr_random_exponential(&s->random);
    if (!valid || (h->loss > before && (double)(h->loss - before) > allowed)) hr_hedge_undo(h, 0);
    return HR_OK;
}
