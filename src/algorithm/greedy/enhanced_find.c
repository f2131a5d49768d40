/* enhanced_find.c - the two ways in which enhanced-pk finds rows: scanning all live rows, and the
 * index over their combinations. Both find the same rows. */
#include "algorithm/greedy/enhanced.h"

#include "algorithm/greedy/greedy.h"
#include "algorithm/index/index.h"

#include <stdlib.h>
#include <string.h>

/* ---- by scanning ---- */

static hr_status plain_init(hr_enhanced *e, hr_error *err) {
    e->self = hr_alloc(1, sizeof(hr_greedy), err);
    return e->self ? hr_greedy_init(e->self, e->task, e->out, err) : HR_ENOMEM;
}

static void plain_free(hr_enhanced *e) {
    if (e->self) hr_greedy_free(e->self);
    free(e->self);
}

/* The first item in tie order that fits, from e->start on, wrapping around. */
static bool plain_first(hr_enhanced *e, hr_pick pick, uint32_t *item) {
    const hr_greedy *g = e->self;
    uint32_t from = hr_greedy_place(g, e->start);
    for (uint32_t i = 0; i < g->live_count; i++) {
        *item = g->live[(from + i) % g->live_count];
        if (hr_enhanced_fits(e, pick, *item)) return true;
    }
    return false;
}

static bool plain_find(hr_enhanced *e, hr_pick pick, uint32_t *item) {
    const hr_greedy *g = e->self;
    uint64_t least = UINT64_MAX;
    bool found = false;
    if (g->size == 0) return plain_first(e, pick, item);
    for (uint32_t at = 0; at < g->live_count; at++) {
        uint64_t cost = hr_greedy_cost(g, g->live[at]);
        if (cost >= least || !hr_enhanced_fits(e, pick, g->live[at])) continue;
        least = cost;
        *item = g->live[at];
        found = true;
    }
    return found;
}

static hr_status plain_take(hr_enhanced *e, uint32_t item, hr_error *err) {
    return hr_greedy_take(e->self, hr_greedy_place(e->self, item), err);
}

static hr_status plain_recall(hr_enhanced *e, const uint32_t *items, size_t count, hr_error *err) {
    (void)e, (void)items, (void)count, (void)err;
    return HR_OK;
}

static void plain_give_back(hr_enhanced *e, uint32_t item) {
    hr_greedy_return(e->self, item);
}

static void plain_reopen(hr_enhanced *e, uint32_t number, const uint32_t *items, uint32_t count) {
    hr_greedy_reopen(e->self, number, items, count);
}

static hr_status plain_keep(hr_enhanced *e, hr_error *err) {
    (void)err;
    hr_greedy_keep(e->self);
    return HR_OK;
}

static void plain_renumber(hr_enhanced *e, uint32_t from, uint32_t to) {
    hr_greedy_renumber(e->self, from, to);
}

static hr_status plain_disperse(hr_enhanced *e, uint32_t count, hr_error *err) {
    hr_greedy *g = e->self;
    g->number = e->out->count = count;
    const hr_greedy_options *options = e->task->options;
    for (uint32_t at = 0; at < g->live_count; at++)
        HR_TRY(hr_greedy_disperse(g, g->live[at], options->dispersal, err));
    return HR_OK;
}

static uint32_t plain_place(const hr_enhanced *e, uint32_t item) {
    return ((const hr_greedy *)e->self)->row[item];
}

const hr_finder hr_finder_plain = {.init = plain_init,
                                   .free = plain_free,
                                   .find = plain_find,
                                   .take = plain_take,
                                   .recall = plain_recall,
                                   .give_back = plain_give_back,
                                   .reopen = plain_reopen,
                                   .keep = plain_keep,
                                   .renumber = plain_renumber,
                                   .disperse = plain_disperse,
                                   .place = plain_place,
                                   .alike = plain_place,
                                   .by_definition = true};

/* ---- by the index ---- */

typedef struct {
    hr_index *index;
    uint64_t bits[HR_INDEX_BITS / 64]; /* types that may fit the current pick */
    uint64_t *at_least;                /* scratch: r + 1 words */
} tree_finder;

static hr_index *index_of(const hr_enhanced *e) {
    return ((const tree_finder *)e->self)->index;
}

static uint32_t tree_place(const hr_enhanced *e, uint32_t item) {
    return hr_index_place(index_of(e), item);
}

static uint32_t tree_alike(const hr_enhanced *e, uint32_t item) {
    return hr_index_alike(index_of(e), item);
}

static hr_status tree_init(hr_enhanced *e, hr_error *err) {
    const hr_greedy_options *options = e->task->options;
    tree_finder *f = hr_alloc(1, sizeof *f, err);
    e->self = f;
    if (!f) return HR_ENOMEM;
    f->at_least = hr_arena_alloc(&e->arena, e->r + 1, sizeof *f->at_least, err);
    if (!f->at_least) return HR_ENOMEM;
    hr_index_wants wants = {
        .sensitive = e->r > 0, .diverse = e->r > 0, .by_row = options->ties == HR_TIES_ROW};
    return hr_index_new(e->task, &wants, e->out, &f->index, err);
}

static void tree_free(hr_enhanced *e) {
    if (e->self) hr_index_free(index_of(e));
    free(e->self);
}

/* Sets f->bits to the types that may have new values of at least `least` of the attributes of which
 * the cluster has fewer than p values. */
static void lacking_bits(const hr_enhanced *e, tree_finder *f, uint32_t least) {
    const hr_type_sets *types = hr_index_type_sets(f->index);
    uint64_t *at_least = f->at_least; /* at_least[i]: types that may have new values of at least
                                         i of these attributes */
    for (size_t w = 0; w < types->words; w++) {
        memset(at_least, 0, (least + 1) * sizeof *at_least);
        at_least[0] = types->live[w];
        for (size_t l = 0; l < e->r; l++)
            for (uint32_t i = least; i > 0 && e->distinct[l] < e->task->p; i--)
                at_least[i] |= at_least[i - 1] & types->fresh[l][w];
        f->bits[w] = at_least[least];
    }
}

static void pick_bits(const hr_enhanced *e, tree_finder *f, hr_pick pick) {
    const hr_type_sets *types = hr_index_type_sets(f->index);
    if (pick.kind == HR_PICK_LACKING) {
        lacking_bits(e, f, pick.least);
        return;
    }
    for (size_t w = 0; w < types->words; w++)
        f->bits[w] = types->live[w] &
                     (pick.kind == HR_PICK_NEW ? types->fresh[e->hardest][w] : ~UINT64_C(0));
}

typedef struct {
    const hr_enhanced *e;
    hr_pick pick;
} pick_payload;

static bool type_fits(const hr_index *ix, uint32_t type, const void *payload) {
    const pick_payload *p = payload;
    return hr_enhanced_fits(p->e, p->pick, hr_index_type_example(ix, type));
}

static bool any_bit(const uint64_t *bits, size_t words) {
    for (size_t w = 0; w < words; w++)
        if (bits[w]) return true;
    return false;
}

static bool tree_find(hr_enhanced *e, hr_pick pick, uint32_t *item) {
    tree_finder *f = e->self;
    const hr_type_sets *types = hr_index_type_sets(f->index);
    bool tight = hr_enhanced_tight(e); /* bits do not show which values are needed elsewhere */
    pick_payload payload = {e, pick};
    hr_index_wish wish = {f->bits, types->exact && !tight, type_fits, &payload};
    if (hr_index_live_count(f->index) == 0) return false;
    if (pick.kind == HR_PICK_ANY && (e->r == 0 || !tight))
        return hr_index_search(f->index, NULL, e->start, item);
    pick_bits(e, f, pick);
    return any_bit(f->bits, types->words) && hr_index_search(f->index, &wish, e->start, item);
}

static hr_status tree_take(hr_enhanced *e, uint32_t item, hr_error *err) {
    return hr_index_take(index_of(e), item, err);
}

static hr_status tree_recall(hr_enhanced *e, const uint32_t *items, size_t count, hr_error *err) {
    return hr_index_recall(index_of(e), items, count, err);
}

static void tree_give_back(hr_enhanced *e, uint32_t item) {
    hr_index_return(index_of(e), item);
}

static void tree_reopen(hr_enhanced *e, uint32_t number, const uint32_t *items, uint32_t count) {
    hr_index_reopen(index_of(e), number, items, count);
}

static hr_status tree_keep(hr_enhanced *e, hr_error *err) {
    return hr_index_keep(index_of(e), err);
}

static void tree_renumber(hr_enhanced *e, uint32_t from, uint32_t to) {
    hr_index_renumber(index_of(e), from, to);
}

static hr_status tree_disperse(hr_enhanced *e, uint32_t count, hr_error *err) {
    const hr_greedy_options *options = e->task->options;
    e->out->count = count;
    return hr_index_finish(index_of(e), options->dispersal, err);
}

const hr_finder hr_finder_fast = {.init = tree_init,
                                  .free = tree_free,
                                  .find = tree_find,
                                  .take = tree_take,
                                  .recall = tree_recall,
                                  .give_back = tree_give_back,
                                  .reopen = tree_reopen,
                                  .keep = tree_keep,
                                  .renumber = tree_renumber,
                                  .disperse = tree_disperse,
                                  .place = tree_place,
                                  .alike = tree_alike};
