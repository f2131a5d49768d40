/* hedge_steal.c - places the rows that a cover left over, because no box around them could be
 * filled. They form classes with rows that other classes can spare, if that loses less than joining
 * existing classes. The rows that still remain join the near class whose loss grows least. */
#include "algorithm/hedge/cover.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK = 16,
    JOIN_NEAR = 16, /* near kinds whose classes are considered for a kind that joins one */
    JOIN_CAP = 12,  /* most blocks that are read to find them */
    NOTED = 64,     /* most lots that are updated after their class has changed */
    CHEAPER = 205,  /* a class must lose less than this share, in 256ths, of the loss of joining */
    LAST = 10,      /* up to 1 / LAST of the rows left over are few */
    BATCH = 1024    /* rows that join together */
};

/* Are rows of the kind available: is one in no class, or can a class spare one? */
static bool is_available(hr_covering *c, uint32_t kind) {
    hr_classes *classes = &c->classes;
    uint32_t lot = classes->lot_of_kind[kind];
    if (classes->left[kind] > 0) return true;
    while (lot != HR_NONE && hr_classes_spare(classes, lot, 1) == 0)
        lot = classes->lots[lot].next;
    return lot != HR_NONE;
}

/* Lowers `rows`, the number that a class can spare, by those that it already spares for nearer
 * kinds. */
static uint32_t share_out(hr_view *view, uint32_t class, uint32_t surplus, uint32_t rows) {
    uint32_t i = 0;
    while (i < view->giver_count && view->giver[i] != class)
        i++;
    if (i == view->width) return 0;
    if (i == view->giver_count) {
        view->giver[i] = class;
        view->surplus[i] = surplus;
        view->giver_count++;
    }
    rows = rows < view->surplus[i] ? rows : view->surplus[i];
    view->surplus[i] -= rows;
    return rows;
}

void hr_steal_offer(hr_view *view, void *payload) {
    hr_covering *c = payload;
    hr_classes *classes = &c->classes;
    uint32_t k = classes->kinds->k;
    view->giver_count = 0;
    for (uint32_t i = 0; i < view->count; i++) {
        uint64_t most = 0;
        view->rows[i] = view->free[i] = classes->left[view->near[i]];
        for (uint32_t lot = classes->lot_of_kind[view->near[i]]; lot != HR_NONE;
             lot = classes->lots[lot].next) {
            const hr_crowd *from = &classes->of[classes->lots[lot].class];
            uint32_t spare = hr_classes_spare(classes, lot, k);
            if (spare > 0) spare = share_out(view, classes->lots[lot].class, from->rows - k, spare);
            view->rows[i] += spare;
            if (spare > 0 && from->cost > most) most = from->cost;
        }
        view->gain[i] = (uint16_t)((double)most * view->field->unit);
    }
}

/* Notes whether rows of the kind are available, and whether any are in a class. */
static void note(hr_covering *c, uint32_t kind) {
    uint32_t slot = c->field.slot[kind];
    hr_field_set(&c->field, kind, is_available(c, kind));
    c->unplaced[slot] = c->classes.lot_of_kind[kind] == HR_NONE ? HR_FIELD_FAR : 0;
}

static void note_class(hr_covering *c, uint32_t class) {
    uint32_t lot = c->classes.of[class].first;
    for (unsigned i = 0; lot != HR_NONE && i < NOTED; i++, lot = c->classes.lots[lot].after)
        note(c, c->classes.lots[lot].kind);
}

static hr_status note_block(size_t i, unsigned worker, void *payload, hr_error *err) {
    hr_covering *c = payload;
    (void)worker;
    for (size_t at = i * HR_BLOCK; at < (i + 1) * HR_BLOCK; at++) {
        c->unplaced[at] = HR_FIELD_FAR;
        if (c->field.kind[at] != HR_NONE) note(c, c->field.kind[at]);
    }
    return hr_progress_add(c->task->progress, 0, err);
}

hr_status hr_steal_start(hr_covering *c, hr_error *err) {
    c->left_rows = 0;
    for (uint32_t kind = 0; kind < c->kinds->kind_count; kind++)
        c->left_rows += c->classes.left[kind];
    return hr_parallel(c->field.blocks, c->threads, note_block, c, err);
}

/* ---- joining ---- */

static uint64_t growth(const hr_classes *classes, uint32_t class, uint32_t kind, uint32_t rows) {
    const hr_crowd *own = &classes->of[class];
    uint64_t cost = hr_classes_cost_with(classes, class, classes->kinds->kind_combination[kind]);
    return (own->rows + rows) * cost - own->rows * own->cost;
}

/* The class of the listed kinds whose loss grows least if `rows` rows of a kind join it. */
static uint32_t best_join(hr_classes *classes, const uint32_t *near, uint32_t count, uint32_t kind,
                          uint32_t rows, uint64_t *least) {
    uint32_t best = HR_NONE, last = HR_NONE;
    *least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t lot = classes->lot_of_kind[near[i]]; lot != HR_NONE;
             lot = classes->lots[lot].next) {
            uint32_t class = classes->lots[lot].class;
            if (class == last) continue;
            last = class;
            uint64_t own = growth(classes, class, kind, rows);
            if (own >= *least || hr_classes_room(classes, class, kind, 1) == 0) continue;
            *least = own;
            best = class;
        }
    return best;
}

/* How much the loss grows if a row of the kind joins the best near class. */
static uint64_t join_cost(hr_covering *c, hr_view *view, uint32_t kind, uint32_t *class) {
    uint64_t least;
    uint32_t rows = c->classes.left[kind];
    hr_view_from(view, c->kinds->kind_combination[kind]);
    view->off = c->unplaced;
    hr_view_scan(view, JOIN_NEAR, JOIN_CAP);
    view->off = c->field.off;
    *class = best_join(&c->classes, view->near, view->count, kind, rows, &least);
    return *class == HR_NONE ? UINT64_MAX >> 24 : least / rows;
}

/* ---- classes with spared rows ---- */

static hr_status move_in(hr_covering *c, uint32_t class, uint32_t lot, uint32_t rows,
                         hr_error *err) {
    hr_classes *classes = &c->classes;
    uint32_t kind = classes->lots[lot].kind, from = classes->lots[lot].class;
    HR_TRY(hr_grow(&c->log, &c->log_capacity, c->log_count + 1, sizeof *c->log, err));
    c->log[c->log_count++] = (hr_stolen){kind, from, rows};
    hr_classes_take(classes, lot, rows);
    hr_classes_put(classes, class, kind, rows);
    hr_classes_fit(classes, from);
    return HR_OK;
}

/* Does the class lack a value that the kind has? */
static bool brings_value(const hr_classes *classes, uint32_t class, uint32_t kind) {
    const hr_kinds *kinds = classes->kinds;
    for (size_t l = 0; l < kinds->r; l++) {
        uint32_t value = kinds->kind_value[kind * kinds->r + l];
        if (value == HR_NONE || classes->distinct[class * kinds->r + l] >= kinds->p) continue;
        bool has = false;
        for (uint32_t lot = classes->of[class].first; lot != HR_NONE && !has;
             lot = classes->lots[lot].after)
            has = kinds->kind_value[classes->lots[lot].kind * kinds->r + l] == value;
        if (!has) return true;
    }
    return false;
}

static bool lacks_values(const hr_classes *classes, uint32_t class) {
    const hr_kinds *kinds = classes->kinds;
    for (size_t l = 0; l < kinds->r; l++)
        if (classes->distinct[class * kinds->r + l] < kinds->p) return true;
    return false;
}

/* A class to open: kinds, and the class that gets their rows. */
typedef struct {
    const uint32_t *members;
    uint32_t count, class;
} plan;

/* With models beside k and p: can a class that holds take a row of the kind, or does the row help a
 * class that does not hold? */
static bool suits(hr_classes *classes, uint32_t class, uint32_t kind, bool holds) {
    return holds ? hr_classes_room(classes, class, kind, 1) > 0
                 : hr_classes_helped_by(classes, class, kind);
}

/* Among the lots of the members, the one in the most expensive class that can spare a row which the
 * new class needs. */
static uint32_t best_lot(const plan *p, hr_classes *classes, uint64_t above) {
    bool lacking = lacks_values(classes, p->class);
    uint32_t best = HR_NONE;
    uint64_t most = above;
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t lot = classes->lot_of_kind[p->members[i]]; lot != HR_NONE;
             lot = classes->lots[lot].next) {
            uint32_t from = classes->lots[lot].class;
            if (from == p->class || classes->of[from].cost + 1 <= most) continue;
            if (lacking && !brings_value(classes, p->class, p->members[i])) continue;
            if (hr_classes_spare(classes, lot, 1) == 0) continue;
            if (!suits(classes, p->class, p->members[i], above > 0)) continue;
            most = classes->of[from].cost + 1;
            best = lot;
        }
    return best;
}

/* Fills a class, which has the plan's rows that were in no class, with rows that cost more in their
 * current classes. */
static hr_status fill_class(hr_covering *c, const plan *p, hr_error *err) {
    hr_classes *classes = &c->classes;
    for (;;) {
        const hr_crowd *own = &classes->of[p->class];
        bool needs = !hr_classes_hold(classes, p->class);
        uint32_t lot = best_lot(p, classes, needs ? 0 : own->cost + 1);
        if (lot == HR_NONE) return HR_OK;
        HR_TRY(move_in(c, p->class, lot, 1, err));
    }
}

static void undo(hr_covering *c, const plan *p) {
    hr_classes *classes = &c->classes;
    while (c->log_count > 0) {
        const hr_stolen *last = &c->log[--c->log_count];
        uint32_t lot = classes->lot_of_kind[last->kind];
        while (classes->lots[lot].class != p->class)
            lot = classes->lots[lot].next;
        hr_classes_take(classes, lot, last->rows);
        hr_classes_put(classes, last->from, last->kind, last->rows);
    }
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t lot = classes->lot_of_kind[p->members[i]], next; lot != HR_NONE; lot = next) {
            next = classes->lots[lot].next;
            if (classes->lots[lot].class == p->class)
                hr_classes_take(classes, lot, classes->lots[lot].count);
        }
}

/* Does the new class lose less than adding its rows to existing classes? A class without borrowed
 * rows need not, as long as many rows are in no class. */
static bool is_worth_it(hr_covering *c, uint32_t class, uint32_t waiting, uint64_t joining) {
    const hr_classes *classes = &c->classes;
    uint64_t before = 0, after = classes->of[class].rows * classes->of[class].cost;
    if (c->log_count == 0 && c->left_rows > c->kinds->row_count / LAST) return true;
    /* The loss of the borrowed rows before is at least this: their classes only became cheaper. */
    for (size_t i = 0; i < c->log_count; i++)
        before += classes->of[c->log[i].from].cost * c->log[i].rows;
    return after < before + waiting * (joining / 256 * (c->log_count > 0 ? CHEAPER : 256));
}

hr_status hr_steal_open(hr_covering *c, const uint32_t *members, uint32_t count,
                        uint32_t combination, bool *done, hr_error *err) {
    hr_classes *classes = &c->classes;
    uint32_t waiting = 0, kind = c->kinds->kind_start[combination], other;
    *done = false;
    for (uint32_t i = 0; i < count; i++)
        waiting += classes->left[members[i]];
    if (waiting == 0) return HR_OK;
    while (classes->left[kind] == 0)
        kind++;
    uint64_t joining = join_cost(c, c->views, kind, &other);
    plan p = {members, count, hr_classes_open(classes)};
    for (uint32_t i = 0; i < count; i++)
        if (classes->left[members[i]] > 0)
            hr_classes_put(classes, p.class, members[i], classes->left[members[i]]);
    hr_classes_trim(classes, p.class);
    waiting = classes->of[p.class].rows;
    if (waiting == 0) return HR_OK;
    c->log_count = 0;
    HR_TRY(fill_class(c, &p, err));
    *done = hr_classes_hold(classes, p.class) && is_worth_it(c, p.class, waiting, joining);
    if (!*done) undo(c, &p);
    if (!*done) return HR_OK;
    c->left_rows -= waiting;
    uint32_t found = hr_covering_inside(c, p.class);
    for (uint32_t i = 0; i < found; i++) {
        uint32_t rows = classes->left[c->inside[i]];
        rows = hr_classes_room(classes, p.class, c->inside[i], rows);
        c->left_rows -= rows;
        if (rows > 0) hr_classes_put(classes, p.class, c->inside[i], rows);
    }
    note_class(c, p.class);
    for (size_t i = 0; i < c->log_count; i++) {
        note_class(c, c->log[i].from);
        note(c, c->log[i].kind);
    }
    return HR_OK;
}

/* ---- rows that still remain ---- */

/* Kinds that join together. */
typedef struct {
    hr_covering *c;
    uint32_t count;
    uint32_t kind[BATCH], class[BATCH];
} joining;

static hr_status find_joins(size_t i, unsigned worker, void *payload, hr_error *err) {
    joining *all = payload;
    for (size_t at = i * CHUNK; at < (i + 1) * CHUNK && at < all->count; at++)
        join_cost(all->c, &all->c->views[worker], all->kind[at], &all->class[at]);
    return hr_progress_add(all->c->task->progress, 0, err);
}

/* Adds kinds to classes in batches. A kind whose near kinds are all in no class waits for the next
 * round. */
static hr_status join_round(joining *all, uint32_t *joined, uint32_t *waiting, hr_error *err) {
    hr_covering *c = all->c;
    hr_classes *classes = &c->classes;
    uint32_t kind = 0, count = c->kinds->kind_count;
    *joined = *waiting = 0;
    while (kind < count && !hr_covering_is_late(c)) {
        all->count = 0;
        for (; kind < count && all->count < BATCH; kind++)
            if (classes->left[kind] > 0) all->kind[all->count++] = kind;
        HR_TRY(hr_parallel((all->count + CHUNK - 1) / CHUNK, c->threads, find_joins, all, err));
        for (uint32_t i = 0; i < all->count; i++) {
            uint32_t class = all->class[i], own = all->kind[i], rows = classes->left[own];
            if (class != HR_NONE) rows = hr_classes_room(classes, class, own, rows);
            *waiting += class == HR_NONE || rows < classes->left[own];
            if (class == HR_NONE || rows == 0) continue;
            hr_classes_put(classes, class, own, rows);
            c->unplaced[c->field.slot[own]] = 0;
            ++*joined;
        }
    }
    return HR_OK;
}

/* Makes classes of the rows that are near no class, in the order of the field: a class ends as soon
 * as it is valid, and the last rows join the last class. */
static void make_runs(hr_covering *c) {
    hr_classes *classes = &c->classes;
    const hr_field *field = &c->field;
    uint32_t class = HR_NONE, last = HR_NONE;
    for (uint32_t i = 0; i < field->count; i++) {
        uint32_t kind = field->kind[i];
        if (classes->left[kind] == 0) continue;
        if (class == HR_NONE) class = hr_classes_open(classes);
        if (!hr_classes_grow(classes, class, kind)) continue;
        last = class;
        class = HR_NONE;
    }
    for (uint32_t i = 0; i < classes->capacity && class != HR_NONE && last == HR_NONE; i++)
        if (i != class && classes->of[i].rows > 0) last = i;
    while (class != HR_NONE && last != HR_NONE && classes->of[class].rows > 0) {
        uint32_t lot = classes->of[class].first, kind = classes->lots[lot].kind;
        uint32_t rows = classes->lots[lot].count;
        hr_classes_take(classes, lot, rows);
        hr_classes_put(classes, last, kind, rows);
    }
}

hr_status hr_cover_rest(hr_covering *c, hr_error *err) {
    joining *all = hr_alloc_raw(1, sizeof *all, err);
    hr_status status = all ? HR_OK : HR_ENOMEM;
    if (all) all->c = c;
    for (uint32_t joined = 1, waiting = 1; status == HR_OK && joined > 0 && waiting > 0;) {
        if (hr_covering_is_late(c)) break;
        status = join_round(all, &joined, &waiting, err);
    }
    if (status == HR_OK) make_runs(c);
    free(all);
    return status;
}
