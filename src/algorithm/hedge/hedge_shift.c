/* hedge_shift.c - improves some classes of a cell whose boxes cannot be listed, by moves between
 * the classes of near rows: a row shifts to another class or is exchanged for one of its rows, a
 * class is dissolved, or a class is opened with rows that others can spare. A move that loses more
 * is sometimes kept, but ever more rarely. */
#include "algorithm/hedge/cover.h"

#include <stdlib.h>
#include <string.h>

enum {
    NEAR_LEAST = 12, /* each kind gets k near kinds and a few more, but at least so many, */
    NEAR_MOST = 48,  /* and at most so many */
    EXCHANGES = 6,   /* rows of a class that are tried in an exchange for one row */
    LOTS_MOST = 64,  /* larger classes are not dissolved, and lose only rows that they can spare */
    CHUNK = 256,     /* moves between two readings of the clock */
    DICE = 64,       /* of so many moves, */
    DISSOLVE = 3,    /* so many dissolve a class, */
    OPEN = 6,        /* so many open one, and all others shift or exchange a row */
    COLD = 4,        /* the last 1 / COLD of the moves never lose more */
    READS = 1024     /* values of attributes that a move may read on average */
};

typedef struct {
    uint32_t kind, from, to, rows;
} shift;

typedef struct {
    hr_hedge_part *part;
    const hr_kinds *kinds;
    hr_classes classes;
    hr_random random;
    hr_arena arena;
    uint32_t width;        /* most near kinds */
    uint32_t *near;        /* kinds x width */
    uint32_t *near_count;  /* per kind */
    uint32_t *kind_of_row; /* for drawing a row */
    uint32_t *lo, *hi;     /* scratch of exchange: a box */
    uint32_t closing;      /* the class that is being dissolved, or HR_NONE: its box stays */
    shift *log;
    uint32_t log_count;
    uint64_t loss;
    uint64_t reads; /* values of attributes that moves have read, roughly */
} shifting;

/* ---- moves and their undoing ---- */

static uint64_t loss_of(const shifting *s, uint32_t class) {
    return s->classes.of[class].rows * s->classes.of[class].cost;
}

static uint32_t lot_of(const shifting *s, uint32_t kind, uint32_t class) {
    uint32_t lot = s->classes.lot_of_kind[kind];
    while (s->classes.lots[lot].class != class)
        lot = s->classes.lots[lot].next;
    return lot;
}

/* Is the combination at the edge of the box, so that the box may shrink without it? */
static bool at_side(const shifting *s, uint32_t class, uint32_t kind) {
    size_t t = s->kinds->t;
    const uint32_t *lo = s->classes.lo + class * t, *hi = s->classes.hi + class * t;
    const uint32_t *mark = s->classes.rulers->mark + s->kinds->kind_combination[kind] * t;
    for (size_t j = 0; j < t; j++)
        if (lo[j] < hi[j] && (mark[j] == lo[j] || mark[j] == hi[j])) return true;
    return false;
}

static void transfer(shifting *s, const shift *m, bool back) {
    uint32_t from = back ? m->to : m->from, to = back ? m->from : m->to;
    hr_classes *classes = &s->classes;
    s->reads += 2 * s->kinds->t;
    s->loss -= loss_of(s, from) + loss_of(s, to);
    hr_classes_take(classes, lot_of(s, m->kind, from), m->rows);
    if (classes->of[from].rows > 0 && from != s->closing && at_side(s, from, m->kind))
        hr_classes_fit(classes, from);
    hr_classes_put(classes, to, m->kind, m->rows);
    s->loss += loss_of(s, from) + loss_of(s, to);
}

static void move(shifting *s, uint32_t kind, uint32_t from, uint32_t to, uint32_t rows) {
    shift *m = &s->log[s->log_count++];
    *m = (shift){kind, from, to, rows};
    transfer(s, m, false);
}

static void undo(shifting *s) {
    while (s->log_count > 0) {
        const shift *m = &s->log[--s->log_count];
        /* If the class was closed, it was the last one, so opening gives it back. */
        if (s->classes.of[m->from].rows == 0) hr_classes_open(&s->classes);
        transfer(s, m, true);
    }
}

/* Ends a step: keeps it if it is complete, the loss is at most `limit` and the models hold;
 * otherwise undoes it. */
static void settle(shifting *s, bool complete, uint64_t limit) {
    bool kept = complete && s->loss <= limit;
    for (uint32_t i = 0; i < s->log_count && kept && s->kinds->judge; i++) {
        const shift *m = &s->log[i];
        kept = hr_classes_hold(&s->classes, m->to) &&
               (s->classes.of[m->from].rows == 0 || hr_classes_hold(&s->classes, m->from));
    }
    if (!kept) undo(s);
    s->log_count = 0;
}

/* ---- steps ---- */

/* A random lot of a near kind in another class; HR_NONE: none was found. */
static uint32_t draw_near(shifting *s, uint32_t kind, uint32_t class) {
    uint32_t count = s->near_count[kind], lot;
    if (count == 0) return HR_NONE;
    uint32_t other = s->near[(size_t)kind * s->width + hr_random_below(&s->random, count)];
    for (lot = s->classes.lot_of_kind[other]; lot != HR_NONE; lot = s->classes.lots[lot].next)
        if (s->classes.lots[lot].class != class &&
            (hr_random_next(&s->random) >> 63 || s->classes.lots[lot].next == HR_NONE))
            return lot;
    return HR_NONE;
}

/* Exchanges a row of `lot` for the row of class `to` that gives the least loss. */
static void exchange(shifting *s, uint32_t lot, uint32_t to, uint64_t limit) {
    hr_classes *classes = &s->classes;
    const hr_lot own = classes->lots[lot];
    const hr_crowd *a = &classes->of[own.class], *b = &classes->of[to];
    uint32_t but = own.count == 1 ? lot : HR_NONE, best = HR_NONE, tried = 0;
    uint64_t before = a->rows * a->cost + b->rows * b->cost;
    uint64_t most = limit - (s->loss - before); /* greatest loss allowed for the two classes */
    if (b->rows > LOTS_MOST || a->rows > LOTS_MOST || limit < s->loss - before) return;
    if (a->rows < 2 || b->rows < 2) return; /* the first move would close a class */
    hr_classes_box_but(classes, own.class, but, s->lo, s->hi);
    for (uint32_t other = b->first; other != HR_NONE && tried < EXCHANGES;
         other = classes->lots[other].after, tried++) {
        const hr_lot *its = &classes->lots[other];
        uint32_t its_but = its->count == 1 ? other : HR_NONE;
        if (its->kind == own.kind) continue;
        s->reads += (1 + b->rows) * s->kinds->t;
        uint64_t after = a->rows * hr_rulers_cost_with(classes->rulers, s->lo, s->hi,
                                                       s->kinds->kind_combination[its->kind]);
        if (after > most) continue;
        after += b->rows *
                 hr_classes_cost_but(classes, to, its_but, s->kinds->kind_combination[own.kind]);
        if (after > most || !hr_classes_varied_but(classes, own.class, but, its->kind) ||
            !hr_classes_varied_but(classes, to, its_but, own.kind))
            continue;
        most = after;
        best = other;
    }
    if (best == HR_NONE) return;
    move(s, classes->lots[best].kind, to, own.class, 1);
    move(s, own.kind, own.class, to, 1);
    settle(s, true, limit);
}

static void shift_row(shifting *s, uint32_t lot, uint64_t limit) {
    hr_classes *classes = &s->classes;
    const hr_lot own = classes->lots[lot];
    uint32_t near = draw_near(s, own.kind, own.class);
    if (near == HR_NONE) return;
    uint32_t to = classes->lots[near].class;
    uint32_t rows = hr_random_next(&s->random) >> 63 ? own.count : 1;
    rows = hr_classes_spare(classes, lot, rows);
    if (rows == 0) {
        exchange(s, lot, to, limit);
        return;
    }
    const hr_crowd *a = &classes->of[own.class], *b = &classes->of[to];
    s->reads += s->kinds->t;
    uint64_t with = hr_classes_cost_with(classes, to, s->kinds->kind_combination[own.kind]);
    uint64_t rest = s->loss - a->rows * a->cost - b->rows * b->cost;
    uint64_t after = rest + (b->rows + rows) * with;
    if (after > limit) return;
    if (after + (a->rows - rows) * a->cost > limit) {
        if (rows < own.count || !at_side(s, own.class, own.kind)) return;
        uint64_t without = hr_classes_cost_but(classes, own.class, lot, HR_NONE);
        if (after + (a->rows - rows) * without > limit) return;
    }
    move(s, own.kind, own.class, to, rows);
    settle(s, true, limit);
}

/* The class of a near kind, other than `but`, whose loss grows least if rows of a kind join. */
static uint32_t best_class(shifting *s, uint32_t kind, uint32_t rows, uint32_t but) {
    const hr_classes *classes = &s->classes;
    uint32_t best = HR_NONE, last = but;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < s->near_count[kind]; i++) {
        uint32_t lot = classes->lot_of_kind[s->near[(size_t)kind * s->width + i]];
        for (; lot != HR_NONE; lot = classes->lots[lot].next) {
            uint32_t class = classes->lots[lot].class;
            if (class == but || class == last) continue;
            last = class;
            const hr_crowd *own = &classes->of[class];
            s->reads += s->kinds->t;
            uint64_t cost = hr_classes_cost_with(classes, class, s->kinds->kind_combination[kind]);
            uint64_t growth = (own->rows + rows) * cost - own->rows * own->cost;
            if (growth >= least) continue;
            least = growth;
            best = class;
        }
    }
    return best;
}

static void dissolve(shifting *s, uint32_t class, uint64_t limit) {
    const hr_classes *classes = &s->classes;
    if (classes->of[class].rows > LOTS_MOST) return;
    s->closing = class;
    while (classes->of[class].rows > 0 && s->loss - loss_of(s, class) <= limit) {
        const hr_lot lot = classes->lots[classes->of[class].first];
        uint32_t to = best_class(s, lot.kind, lot.count, class);
        if (to == HR_NONE) break;
        move(s, lot.kind, class, to, lot.count);
    }
    s->closing = HR_NONE;
    settle(s, classes->of[class].rows == 0, limit);
}

/* Does the class lack a sensitive value of the kind? */
static bool brings_value(shifting *s, uint32_t class, uint32_t kind) {
    const hr_kinds *kinds = s->kinds;
    for (size_t l = 0; l < kinds->r; l++) {
        uint32_t value = kinds->kind_value[kind * kinds->r + l];
        if (value != HR_NONE && s->classes.distinct[class * kinds->r + l] < kinds->p &&
            !hr_classes_has_value(&s->classes, class, HR_NONE, l, value))
            return true;
    }
    return false;
}

/* The lot of a kind in the most expensive class that can spare a row and costs more than
 * `above`. */
static uint32_t dearest_lot(shifting *s, uint32_t kind, uint32_t but, uint64_t above) {
    hr_classes *classes = &s->classes;
    uint32_t best = HR_NONE;
    for (uint32_t lot = classes->lot_of_kind[kind]; lot != HR_NONE; lot = classes->lots[lot].next) {
        uint32_t class = classes->lots[lot].class;
        if (class == but || classes->of[class].cost + 1 <= above) continue;
        if (hr_classes_spare(classes, lot, 1) == 0) continue;
        above = classes->of[class].cost + 1;
        best = lot;
    }
    return best;
}

/* Opens a class with a row and rows near it, and then adds all near rows that lose less in it. */
static void open(shifting *s, uint32_t lot, uint64_t limit) {
    hr_classes *classes = &s->classes;
    uint32_t kind = classes->lots[lot].kind, count = s->near_count[kind];
    const uint32_t *near = s->near + (size_t)kind * s->width;
    if (hr_classes_spare(classes, lot, 1) == 0 || classes->free_count == 0) return;
    uint32_t class = hr_classes_open(classes);
    uint64_t skip = hr_random_next(&s->random); /* a quarter of its bits are set */
    skip &= hr_random_next(&s->random);
    move(s, kind, classes->lots[lot].class, class, 1);
    for (int pass = 0; pass < 3; pass++)
        for (uint32_t i = 0; i < count; i++) {
            bool holds = hr_classes_hold(classes, class);
            if (pass < 2 && holds) break;
            if (pass == 0 && skip >> i % 64 & 1) continue;
            /* the last rows that are needed must bring the missing values */
            if (!holds && classes->of[class].rows + s->kinds->p > s->kinds->k && s->kinds->r > 0 &&
                classes->distinct[class * s->kinds->r] < s->kinds->p &&
                !brings_value(s, class, near[i]))
                continue;
            if (pass == 2 &&
                hr_classes_cost_with(classes, class, s->kinds->kind_combination[near[i]]) >
                    classes->of[class].cost)
                continue;
            s->reads += s->kinds->t;
            uint64_t above = pass == 2 ? classes->of[class].cost + 1 : 0;
            uint32_t other = dearest_lot(s, near[i], class, above);
            if (other != HR_NONE) move(s, near[i], classes->lots[other].class, class, 1);
        }
    settle(s, hr_classes_hold(classes, class), limit);
}

static void step(shifting *s, double temperature) {
    uint32_t row = (uint32_t)hr_random_below(&s->random, s->kinds->row_count);
    uint32_t lot = s->classes.lot_of_kind[s->kind_of_row[row]];
    while (s->classes.lots[lot].next != HR_NONE && hr_random_next(&s->random) >> 63)
        lot = s->classes.lots[lot].next;
    uint64_t limit = s->loss;
    if (temperature > 0) limit += (uint64_t)(temperature * hr_random_exponential(&s->random));
    uint64_t dice = hr_random_next(&s->random) % DICE;
    if (dice < DISSOLVE)
        dissolve(s, s->classes.lots[lot].class, limit);
    else if (dice < DISSOLVE + OPEN)
        open(s, lot, limit);
    else
        shift_row(s, lot, limit);
}

/* ---- the part ---- */

static hr_status find_near(shifting *s, hr_error *err) {
    hr_field field;
    hr_view view = {0};
    HR_TRY(hr_field_make(s->kinds, s->classes.rulers, NULL, &field, err));
    hr_status status = hr_view_init(&view, &field, s->width, err);
    for (uint32_t at = 0; at < s->kinds->combination_count && status == HR_OK; at++) {
        uint32_t first = s->kinds->kind_start[at], end = s->kinds->kind_start[at + 1];
        hr_view_from(&view, at);
        hr_view_scan(&view, s->width - NEAR_LEAST / 3, field.blocks);
        hr_view_others(&view);
        uint32_t count = view.count < s->width ? view.count : s->width;
        for (uint32_t kind = first; kind < end; kind++) {
            memcpy(s->near + (size_t)kind * s->width, view.near, count * sizeof *s->near);
            s->near_count[kind] = count;
        }
    }
    hr_view_free(&view);
    hr_field_free(&field);
    return status;
}

static hr_status prepare(shifting *s, hr_error *err) {
    const hr_kinds *kinds = s->kinds;
    uint32_t width = kinds->k + NEAR_LEAST / 2;
    s->width = width < NEAR_LEAST ? NEAR_LEAST : width < NEAR_MOST ? width : NEAR_MOST;
    hr_arena_part parts[] = {
        {&s->near, (size_t)kinds->kind_count * s->width, sizeof *s->near},
        {&s->near_count, kinds->kind_count, sizeof *s->near_count},
        {&s->kind_of_row, kinds->row_count, sizeof *s->kind_of_row},
        {&s->lo, kinds->t, sizeof *s->lo},
        {&s->hi, kinds->t, sizeof *s->hi},
        {&s->log, LOTS_MOST + 3 * (size_t)NEAR_MOST + 1, sizeof *s->log},
    };
    HR_TRY(hr_arena_parts(&s->arena, parts, sizeof parts / sizeof *parts, err));
    for (uint32_t kind = 0, row = 0; kind < kinds->kind_count; kind++)
        for (uint32_t i = 0; i < kinds->kind_rows[kind]; i++)
            s->kind_of_row[row++] = kind;
    hr_classes_load(&s->classes, &s->part->clusters);
    s->loss = hr_classes_loss(&s->classes);
    return find_near(s, err);
}

static hr_status go(shifting *s, hr_error *err) {
    hr_hedge_part *p = s->part;
    uint64_t before = s->loss, steps = p->round.work * s->kinds->row_count;
    double done = 0; /* share of the moves, or of what they may read */
    double hot = (double)before / s->kinds->row_count * s->kinds->k * p->heat;
    for (uint64_t i = 0; i < steps && done < 1; i++) {
        double read = (double)s->reads / ((double)steps * READS);
        done = (double)i / (double)steps;
        if (read > done) done = read;
        if (i % CHUNK == 0) {
            p->limited = hr_late(p->deadline) || hr_progress_finishes(p->task.progress);
            if (p->limited) break;
            HR_TRY(hr_progress_add(p->task.progress, 0, err));
        }
        double left = 1 - done * COLD / (COLD - 1);
        step(s, left > 0 ? hot * left : 0);
    }
    if (s->loss > before) return HR_OK;
    hr_progress_gain(p->task.progress, before - s->loss);
    hr_classes_save(&s->classes, &p->clusters);
    return HR_OK;
}

hr_status hr_shift_improve(hr_hedge_part *part, hr_error *err) {
    hr_kinds kinds = {0};
    hr_rulers rulers = {0};
    shifting s = {.part = part, .kinds = &kinds, .closing = HR_NONE};
    hr_status status = hr_cell_kinds(&part->task, part->axes, &kinds, err);
    if (status == HR_OK) status = hr_rulers_make(&kinds, part->axes, &rulers, err);
    if (status == HR_OK) status = hr_classes_init(&s.classes, &kinds, &rulers, err);
    hr_random_seed(&s.random, part->task.seed, part->stream);
    if (status == HR_OK) status = prepare(&s, err);
    if (status == HR_OK) status = go(&s, err);
    hr_arena_free(&s.arena);
    hr_classes_free(&s.classes);
    hr_rulers_free(&rulers);
    hr_kinds_free(&kinds);
    return status;
}
