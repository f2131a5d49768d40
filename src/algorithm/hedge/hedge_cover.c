/* hedge_cover.c - the cover, a first release. Every combination (a seed) proposes the cheapest box
 * around itself and near rows. The boxes are opened in ascending order of a key: their cost minus a
 * share of the least that their rows could cost, so that rows which are expensive anyway do not
 * come last. A box that is opened takes all rows inside it that are in no class yet; seeds whose
 * proposals included these rows propose again.
 *
 * Proposals are made by all threads, many at a time, from the same state, and boxes are opened one
 * after the other, so the number of threads changes nothing but the time. */
#include "algorithm/hedge/cover.h"

#include <stdlib.h>
#include <string.h>

enum {
    BATCH = 512,         /* proposals that are made together */
    CHUNK = 64,          /* proposals between two readings of the clock */
    REGRET_ONE = 256,    /* weight 1 */
    REGRET = 100,        /* weight of the least cost in the key */
    REGRET_SCARCE = 154, /* the same if sensitive values are scarce */
    FAILURES = 4,        /* a seed is given up after so many proposals that could not be opened */
    SPREAD = 7919,       /* a prime: distance between a chunk and the next one that is taken */
    PROBES = 512,        /* seeds that are timed to estimate the time of a cover, */
    PROBED = 4           /* if the cell has at least so many times as many */
};

/* Time of a cover as a multiple of the time of all first proposals. */
static const double cover_time = 1.8;
/* Share of the time to a deadline that the first proposals may take. */
static const double first_share = 0.6;

/* Values are scarce if there are fewer rows with them per possible class than this. */
static const double scarce_below = 1.6;

/* A combination that has rows in no class. */
typedef struct {
    uint32_t combination;
    uint16_t count; /* number of kinds in its list */
    uint8_t failed; /* number of proposals that could not be opened */
} seed;

typedef struct {
    int64_t key;
    uint32_t seed;
} entry;

/* A proposal of the batch. */
typedef struct {
    uint32_t seed;
    int64_t key;
    uint16_t cost;
    uint32_t count;
    uint32_t members[HR_NEAR_MOST]; /* kinds */
} proposal;

typedef struct {
    hr_covering *c;
    hr_arena arena;
    seed *seeds;
    uint32_t seed_count;
    uint32_t *list; /* seeds x list */
    uint16_t *own;  /* per combination: cost of its first proposal */
    entry *heap;
    uint32_t heap_count;
    proposal *batch;
    uint32_t batch_count;
    double deadline; /* of the first proposals; 0: none */
} cover;

static bool comes_before(const cover *c, const entry *a, const entry *b) {
    (void)c;
    return a->key != b->key ? a->key < b->key : a->seed < b->seed;
}

static void put_entry(cover *c, entry *heap, size_t at, const entry *value) {
    (void)c;
    heap[at] = *value;
}

HR_HEAP(entries, entry, cover *, comes_before, put_entry)

/* ---- views ---- */

static hr_status make_views(hr_covering *c, hr_error *err) {
    c->views = hr_alloc(c->threads, sizeof *c->views, err);
    if (!c->views) return HR_ENOMEM;
    for (unsigned i = 0; i < c->threads; i++)
        HR_TRY(hr_view_init(&c->views[i], &c->field, c->effort.near + HR_BLOCK / 2, err));
    return HR_OK;
}

static void drop_views(hr_covering *c) {
    for (unsigned i = 0; i < c->threads && c->views; i++)
        hr_view_free(&c->views[i]);
    free(c->views);
    c->views = NULL;
}

bool hr_covering_is_late(hr_covering *c) {
    if (!c->late && (hr_late(c->deadline) || hr_progress_finishes(c->task->progress)))
        c->late = true;
    return c->late;
}

uint32_t hr_covering_inside(hr_covering *c, uint32_t class) {
    const hr_classes *classes = &c->classes;
    size_t t = c->kinds->t;
    uint32_t count = 0, found = hr_field_inside(&c->field, c->field.off, classes->lo + class * t,
                                                classes->hi + class * t, c->range, c->inside);
    for (uint32_t i = 0; i < found; i++) {
        uint32_t kind = c->inside[i], combination = c->kinds->kind_combination[kind];
        if (c->scarce.price > 0 && c->scarce.is[kind]) continue;
        if (classes->left[kind] > 0 &&
            hr_classes_cost_with(classes, class, combination) == classes->of[class].cost)
            c->inside[count++] = kind;
    }
    return count;
}

/* ---- proposals ---- */

/* Keeps the list from which a proposal was made: its first kinds, and its last ones, which have
 * other sensitive values. */
static void store_list(cover *c, seed *s, const hr_proposal *found) {
    uint32_t most = c->c->effort.list, near = c->c->effort.near;
    uint32_t others = found->near_count > near ? found->near_count - near : 0, first;
    if (others > most / 2) others = most / 2;
    first = found->near_count - others < most - others ? found->near_count - others : most - others;
    uint32_t *list = c->list + (size_t)(s - c->seeds) * most;
    memcpy(list, found->near, first * sizeof *list);
    memcpy(list + first, found->near + found->near_count - others, others * sizeof *list);
    s->count = (uint16_t)(first + others);
}

/* Makes the proposal of a seed: from its list or, if half of the list is gone or gives no box, from
 * a new scan. */
static void make_proposal(cover *c, uint32_t number, bool first, hr_view *view, proposal *out) {
    const hr_cover_effort *effort = &c->c->effort;
    seed *s = &c->seeds[number];
    hr_proposal found = {.cost = HR_FIELD_FAR};
    out->seed = number;
    if (!first) {
        hr_view_from(view, s->combination);
        hr_view_list(view, c->list + (size_t)number * effort->list, s->count);
        hr_steal_offer(view, c->c);
        if (view->count * 2 >= s->count) hr_propose(view, effort->starts, &found);
    }
    if (found.cost == HR_FIELD_FAR) {
        hr_proposing how = {effort->near, effort->cap, effort->starts, hr_steal_offer, c->c};
        hr_propose_from(view, s->combination, &how, &found);
        store_list(c, s, &found);
    }
    out->cost = found.cost;
    out->count = found.member_count;
    memcpy(out->members, found.member, found.member_count * sizeof *out->members);
}

static void set_key(const cover *c, proposal *p) {
    const hr_classes *classes = &c->c->classes;
    int64_t rows = 0, sum = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t kind = p->members[i], left = classes->left[kind];
        rows += left;
        sum += (int64_t)left * c->own[classes->kinds->kind_combination[kind]];
    }
    p->key = (int64_t)p->cost * REGRET_ONE;
    if (rows > 0) p->key -= c->c->effort.regret * sum / rows;
}

static size_t chunks_of(const cover *c) {
    return (c->seed_count + CHUNK - 1) / CHUNK;
}

/* Makes the first proposals of CHUNK seeds. Chunks are taken from all over the cell, in case the
 * time does not suffice for all. */
static hr_status propose_first(size_t i, unsigned worker, void *payload, hr_error *err) {
    cover *c = payload;
    proposal p;
    size_t chunks = chunks_of(c);
    if (chunks % SPREAD) i = i * SPREAD % chunks;
    for (size_t at = i * CHUNK; at < (i + 1) * CHUNK && at < c->seed_count; at++) {
        if (hr_late(c->deadline) || hr_covering_is_late(c->c)) break;
        make_proposal(c, (uint32_t)at, true, &c->c->views[worker], &p);
        c->own[c->seeds[at].combination] = p.cost;
    }
    return hr_progress_add(c->c->task->progress, 0, err);
}

static hr_status propose_again(size_t i, unsigned worker, void *payload, hr_error *err) {
    cover *c = payload;
    for (size_t at = i * (CHUNK / 8); at < (i + 1) * (CHUNK / 8) && at < c->batch_count; at++) {
        make_proposal(c, c->batch[at].seed, false, &c->c->views[worker], &c->batch[at]);
        set_key(c, &c->batch[at]);
    }
    return hr_progress_add(c->c->task->progress, 0, err);
}

/* ---- classes ---- */

/* Makes classes of the combinations whose rows satisfy the models alone, and so lose nothing. */
static void open_whole(hr_covering *c) {
    const hr_kinds *kinds = c->kinds;
    hr_classes *classes = &c->classes;
    for (uint32_t at = 0; at < kinds->combination_count; at++) {
        uint32_t first = kinds->kind_start[at], end = kinds->kind_start[at + 1];
        if (kinds->combination_rows[at] < kinds->k || (kinds->r > 0 && end - first < kinds->p))
            continue;
        uint32_t class = hr_classes_open(classes);
        for (uint32_t kind = first; kind < end; kind++)
            hr_classes_put(classes, class, kind, kinds->kind_rows[kind]);
        if (hr_classes_hold(classes, class)) continue;
        for (uint32_t kind = first; kind < end; kind++)
            hr_classes_take(classes, classes->lot_of_kind[kind], kinds->kind_rows[kind]);
    }
}

/* ---- the search ---- */

static int by_key(const void *a, const void *b) {
    const proposal *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->seed < y->seed ? -1 : x->seed > y->seed;
}

static bool has_rows(const hr_covering *c, uint32_t combination) {
    const hr_kinds *kinds = c->kinds;
    for (uint32_t kind = kinds->kind_start[combination]; kind < kinds->kind_start[combination + 1];
         kind++)
        if (c->classes.left[kind] > 0) return true;
    return false;
}

static void fill_batch(cover *c) {
    c->batch_count = 0;
    while (c->heap_count > 0 && c->batch_count < BATCH) {
        uint32_t top = c->heap[0].seed;
        c->heap_count--;
        entries_down(c, c->heap, c->heap_count, 0, c->heap[c->heap_count]);
        if (has_rows(c->c, c->seeds[top].combination)) c->batch[c->batch_count++].seed = top;
    }
}

/* Opens the boxes of the batch whose keys are not above the least key that waits. */
static hr_status use_batch(cover *c, hr_error *err) {
    int64_t limit = c->heap_count > 0 ? c->heap[0].key : INT64_MAX;
    qsort(c->batch, c->batch_count, sizeof *c->batch, by_key);
    for (uint32_t i = 0; i < c->batch_count; i++) {
        const proposal *p = &c->batch[i];
        seed *s = &c->seeds[p->seed];
        if (p->cost == HR_FIELD_FAR) continue;
        if (p->key <= limit && has_rows(c->c, s->combination)) {
            bool opened;
            HR_TRY(hr_steal_open(c->c, p->members, p->count, s->combination, &opened, err));
            if (opened || s->failed++ >= FAILURES) continue;
        }
        entries_up(c, c->heap, c->heap_count++, (entry){p->key, p->seed});
    }
    return HR_OK;
}

static void fill_heap(cover *c) {
    for (uint32_t i = 0; i < c->seed_count; i++) {
        uint16_t cost = c->own[c->seeds[i].combination];
        if (cost == HR_FIELD_FAR || c->seeds[i].count == 0) continue;
        /* The least cost of its rows is at most its cost: this gives a lower limit on the key,
         * which is corrected when the proposal is popped. */
        int64_t key = (int64_t)cost * (REGRET_ONE - c->c->effort.regret);
        entries_up(c, c->heap, c->heap_count++, (entry){key, i});
    }
}

static hr_status run_batches(cover *c, hr_error *err) {
    uint32_t compacted = c->c->left_rows;
    while (c->heap_count > 0 && !hr_covering_is_late(c->c)) {
        fill_batch(c);
        HR_TRY(hr_parallel((c->batch_count + CHUNK / 8 - 1) / (CHUNK / 8), c->c->threads,
                           propose_again, c, err));
        HR_TRY(use_batch(c, err));
        if (c->c->left_rows > compacted / 4 * 3 || c->c->left_rows < HR_BLOCK) continue;
        compacted = c->c->left_rows;
        HR_TRY(hr_field_compact(&c->c->field, err));
        HR_TRY(hr_steal_start(c->c, err));
    }
    return HR_OK;
}

/* ---- less effort before a deadline ---- */

/* Makes the first proposal of one seed in each of PROBES stretches. */
static hr_status probe(size_t i, unsigned worker, void *payload, hr_error *err) {
    cover *c = payload;
    proposal p;
    for (size_t at = i * CHUNK; at < (i + 1) * CHUNK && at < PROBES; at++)
        make_proposal(c, (uint32_t)(at * c->seed_count / PROBES), true, &c->c->views[worker], &p);
    return hr_progress_add(c->c->task->progress, 0, err);
}

/* Halves the effort until the cover is likely to be ready before the deadline. */
static hr_status fit_effort(cover *c, hr_error *err) {
    hr_cover_effort *effort = &c->c->effort;
    uint32_t least = c->c->kinds->k < HR_NEAR_MOST / 8 ? 3 * c->c->kinds->k : HR_NEAR_MOST / 2;
    if (c->c->deadline <= 0 || c->seed_count < PROBES * PROBED) return HR_OK;
    while (effort->starts > 1 && !hr_covering_is_late(c->c)) {
        double begin = hr_seconds();
        HR_TRY(hr_parallel(PROBES / CHUNK, c->c->threads, probe, c, err));
        double now = hr_seconds(), needed = (now - begin) * c->seed_count / PROBES * cover_time;
        if (now + needed <= c->c->deadline) break;
        effort->starts /= 2;
        effort->cap = (effort->cap + 1) / 2;
        effort->near = effort->near / 2 > least ? effort->near / 2 : least;
        effort->list = effort->list < effort->near ? effort->list : effort->near;
    }
    return HR_OK;
}

/* Lists the seeds. */
static hr_status start(cover *c, hr_error *err) {
    hr_covering *all = c->c;
    uint32_t combinations = all->kinds->combination_count;
    for (uint32_t at = 0; at < combinations; at++)
        c->seed_count += has_rows(all, at);
    hr_arena_part parts[] = {
        {&c->own, combinations, sizeof *c->own},
        {&c->batch, BATCH, sizeof *c->batch},
        {&c->seeds, c->seed_count, sizeof *c->seeds},
        {&c->heap, c->seed_count, sizeof *c->heap},
        {&c->list, (size_t)c->seed_count * all->effort.list, sizeof *c->list},
    };
    HR_TRY(hr_arena_parts(&c->arena, parts, sizeof parts / sizeof *parts, err));
    for (uint32_t at = 0, i = 0; at < combinations; at++)
        if (has_rows(all, at)) c->seeds[i++].combination = at;
    return HR_OK;
}

/* Marks the kinds with a rare value of attribute l: any but the p - 1 most frequent among the rows
 * in no class. Every class needs a row with a rare value. Returns the number of such rows divided
 * by the number of classes of k rows. */
static double mark_scarce(hr_covering *c, size_t l) {
    const hr_kinds *kinds = c->kinds;
    size_t values = kinds->value_start[l + 1] - kinds->value_start[l];
    uint32_t *count = c->inside; /* scratch */
    uint64_t rows = 0, rare;
    memset(count, 0, values * sizeof *count);
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++) {
        uint32_t value = kinds->kind_value[kind * kinds->r + l];
        rows += c->classes.left[kind];
        if (value != HR_NONE) count[value] += c->classes.left[kind];
    }
    rare = rows;
    for (uint32_t i = 1; i < kinds->p; i++) {
        size_t most = 0;
        for (size_t v = 1; v < values; v++)
            if (count[v] != HR_NONE && (count[most] == HR_NONE || count[v] > count[most])) most = v;
        if (count[most] == HR_NONE) break;
        rare -= count[most];
        count[most] = HR_NONE;
    }
    for (uint32_t kind = 0; kind < kinds->kind_count; kind++) {
        uint32_t value = kinds->kind_value[kind * kinds->r + l];
        c->scarce.is[kind] = value != HR_NONE && count[value] != HR_NONE;
    }
    return rows ? (double)rare * kinds->k / (double)rows : scarce_below;
}

/* Finds out whether values of an attribute are scarce, and marks them. */
static void find_scarce(hr_covering *c) {
    const hr_kinds *kinds = c->kinds;
    double least = scarce_below;
    c->scarce.attribute = kinds->r;
    for (size_t l = 0; l < kinds->r && kinds->p > 1; l++) {
        double own = mark_scarce(c, l);
        if (own >= least) continue;
        least = own;
        c->scarce.attribute = l;
    }
    if (c->scarce.attribute == kinds->r) return;
    mark_scarce(c, c->scarce.attribute);
    c->effort.regret = REGRET_SCARCE;
}

/* Sets the price of a scarce value: the average cost of the first proposals. */
static void set_price(cover *c) {
    hr_covering *all = c->c;
    uint64_t sum = 0, count = 1;
    if (all->scarce.attribute == all->kinds->r) return;
    for (uint32_t i = 0; i < c->seed_count; i++)
        if (c->own[c->seeds[i].combination] != HR_FIELD_FAR) {
            sum += c->own[c->seeds[i].combination];
            count++;
        }
    all->scarce.price = (uint16_t)(sum / count);
    for (unsigned i = 0; i < all->threads; i++)
        all->views[i].scarce = &all->scarce;
}

/* Opens classes until no proposal is left. */
static hr_status run(hr_covering *all, hr_error *err) {
    cover c = {.c = all};
    hr_status status = start(&c, err);
    if (status == HR_OK) status = fit_effort(&c, err);
    double now = hr_seconds();
    if (all->deadline > now) c.deadline = now + (all->deadline - now) * first_share;
    if (status == HR_OK) status = hr_parallel(chunks_of(&c), all->threads, propose_first, &c, err);
    if (status == HR_OK) {
        set_price(&c);
        fill_heap(&c);
        status = run_batches(&c, err);
    }
    hr_arena_free(&c.arena);
    return status;
}

static uint32_t within(int64_t number, uint32_t least, uint32_t most) {
    return number < least ? least : number > most ? most : (uint32_t)number;
}

/* The parameters for a cell. With more attributes fewer rows are near, and they are harder to find.
 * To fill a box of k rows well, several times as many kinds are needed to choose from. */
static hr_cover_effort effort_for(const hr_kinds *kinds) {
    int64_t t = (int64_t)kinds->t;
    hr_cover_effort effort = {.near = within(8 * t + 8, 32, 64),
                              .list = within(8 * t + 8, 32, 64),
                              .starts = within(t + 1, 4, 8),
                              .cap = within(16 * t - 64, 16, 48),
                              .regret = REGRET};
    if (kinds->k > effort.near / 4) {
        effort.near = kinds->k < HR_NEAR_MOST / 8 ? 4 * kinds->k : HR_NEAR_MOST / 2;
        effort.list = effort.near;
    }
    return effort;
}

hr_status hr_cover(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                   double deadline, hr_clusters *out, hr_error *err) {
    hr_covering all = {.task = task,
                       .kinds = kinds,
                       .threads = kinds->judge ? 1 : task->threads,
                       .effort = effort_for(kinds),
                       .deadline = deadline};
    hr_arena_part parts[] = {
        {&all.range, 2 * kinds->t, sizeof *all.range},
        {&all.scarce.is, kinds->kind_count, sizeof *all.scarce.is},
        {&all.inside, kinds->kind_count + kinds->value_start[kinds->r], sizeof *all.inside},
        {&all.unplaced, (size_t)kinds->kind_count + HR_BLOCK, sizeof *all.unplaced},
    };
    hr_status status = hr_rulers_make(kinds, axes, &all.rulers, err);
    if (status == HR_OK) status = hr_classes_init(&all.classes, kinds, &all.rulers, err);
    if (status == HR_OK)
        status = hr_arena_parts(&all.arena, parts, sizeof parts / sizeof *parts, err);
    if (status == HR_OK) {
        open_whole(&all);
        status = hr_field_make(kinds, &all.rulers, NULL, &all.field, err);
    }
    if (status == HR_OK) status = make_views(&all, err);
    if (status == HR_OK) {
        find_scarce(&all);
        status = hr_steal_start(&all, err);
    }
    if (status == HR_OK) status = run(&all, err);
    if (status == HR_OK) status = hr_cover_rest(&all, err);
    if (status == HR_OK) hr_classes_save(&all.classes, out);
    drop_views(&all);
    hr_field_free(&all.field);
    free(all.log);
    hr_arena_free(&all.arena);
    hr_classes_free(&all.classes);
    hr_rulers_free(&all.rulers);
    return status;
}
