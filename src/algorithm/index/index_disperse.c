/* index_disperse.c - giving rows that are left over to the finished clusters, each to the one whose loss grows
 * least, or is least; then what the clusters publish. */
#include "algorithm/index/index.h"

#include <assert.h>
#include <string.h>

/* Items that are in no finished cluster, in tie order. */
static uint32_t *loose_items(hr_index *ix, uint32_t *count, hr_error *err) {
    uint32_t n = ix->task->row_count;
    uint32_t *loose = hr_arena_alloc(&ix->arena, n, sizeof *loose, err);
    *count = 0;
    for (uint32_t i = 0; loose && i < n; i++) {
        uint32_t item = ix->by_row ? ix->item[i] : i;
        if (!ix->taken[item] || ix->out->cluster[ix->items[item].place] == ix->number)
            loose[(*count)++] = item;
    }
    return loose;
}

/* ---- one after another ---- */

/* Two ways to find the best cluster, which find the same. Which of them has less to look at depends on the
 * table, and changes while clusters grow: now and then, where it may pay, some rows are found by both. */
typedef struct {
    hr_index *ix;
    int rule;
    hr_fours *fours; /* NULL: not now. One of them is there. */
    hr_trie *trie;
    uint32_t asked; /* rows for which one or both were asked */
    uint32_t check; /* how many of them until it is seen whether the other is better */
    uint32_t end;   /* and until both have been asked */
    uint32_t since; /* from how many of them on work is compared, */
    uint64_t fours_work, trie_work; /* and what was done before */
} dispersal;

enum {
    TRIED = 64,      /* rows for which both are asked */
    SELDOM = 16,     /* times as many until it is seen again */
    FOURS_BUILT = 8, /* work of the other per cluster that building one is worth */
    TRIE_BUILT = 40
};

static uint64_t fours_work(const dispersal *d) {
    return d->fours ? hr_fours_work(d->fours) - d->fours_work : 0;
}

static uint64_t trie_work(const dispersal *d) {
    return d->trie ? hr_trie_work(d->trie) - d->trie_work : 0;
}

static void compare_from_here(dispersal *d) {
    d->since = d->asked;
    d->fours_work = d->fours ? hr_fours_work(d->fours) : 0;
    d->trie_work = d->trie ? hr_trie_work(d->trie) : 0;
}

/* Would all rows that are left, if they took what the last ones did, take more than building the other? */
static bool may_pay(const dispersal *d, uint32_t row, uint32_t count) {
    double each = (double)(fours_work(d) + trie_work(d)) / (d->asked - d->since);
    double left = (double)(count - row) * d->asked / row;
    return each * left >= (double)d->ix->number * (d->trie ? FOURS_BUILT : TRIE_BUILT);
}

static hr_status compare(dispersal *d, uint32_t row, uint32_t count, hr_error *err) {
    uint64_t next = (uint64_t)d->asked * SELDOM;
    d->check = next < HR_NONE ? (uint32_t)next : HR_NONE;
    /* An attribute is a step of a recursion in a trie. */
    if (d->ix->t <= HR_INDEX_VARYING && may_pay(d, row, count)) {
        if (!d->fours) HR_TRY(hr_fours_init(d->ix, d->rule, &d->fours, err));
        if (!d->trie) HR_TRY(hr_trie_init(d->ix, d->rule, &d->trie, err));
        d->end = d->asked + TRIED;
    }
    compare_from_here(d);
    return HR_OK;
}

static void keep_the_better(dispersal *d) {
    if (trie_work(d) <= fours_work(d)) {
        hr_fours_free(d->fours);
        d->fours = NULL;
    } else {
        hr_trie_free(d->trie);
        d->trie = NULL;
    }
    compare_from_here(d);
}

/* A cluster gets the row at hand. */
static hr_status join(dispersal *d, uint32_t cluster, hr_error *err) {
    hr_index *ix = d->ix;
    uint32_t *gen = ix->cluster_gen + cluster * ix->stride;
    memcpy(ix->unpacked, gen, ix->stride * sizeof *gen);
    hr_index_join_codes(ix, gen, ix->gen);
    bool grown = memcmp(ix->unpacked, gen, ix->stride * sizeof *gen) != 0;
    ix->cluster_size[cluster]++;
    if (d->fours) hr_fours_changed(d->fours, cluster, grown);
    return d->trie ? hr_trie_changed(d->trie, cluster, grown, err) : HR_OK;
}

static uint32_t best_cluster(dispersal *d) {
    uint32_t best = d->trie ? hr_trie_best(d->trie) : hr_fours_best(d->fours);
    if (d->trie && d->fours) {
        uint32_t other = hr_fours_best(d->fours);
        assert(other == best);
        (void)other;
    }
    return best;
}

/* Once a combination is covered, joining again costs that cluster no more than any other, if growth counts. */
static bool joins_again(const dispersal *d, const uint32_t *items, uint32_t i) {
    const hr_index_item *item = d->ix->items;
    return d->rule == HR_DISPERSAL_GROWTH && i > 0 &&
           item[items[i]].combination == item[items[i - 1]].combination;
}

static hr_status disperse(dispersal *d, const uint32_t *items, uint32_t count, hr_error *err) {
    hr_index *ix = d->ix;
    uint32_t cluster = HR_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (!joins_again(d, items, i)) {
            if (d->asked == d->end && d->fours && d->trie) keep_the_better(d);
            if (d->asked == d->check) HR_TRY(compare(d, i, count, err));
            hr_index_restart(ix, items[i]);
            cluster = best_cluster(d);
            d->asked++;
        }
        HR_TRY(join(d, cluster, err));
        ix->out->cluster[ix->items[items[i]].place] = cluster;
        HR_TRY(hr_index_count(ix, err));
    }
    return HR_OK;
}

static hr_status disperse_all(hr_index *ix, const uint32_t *items, uint32_t count, int rule,
                              hr_error *err) {
    if (count == 0) return HR_OK;
    if (ix->number == 0) return hr_fail(err, HR_EINVAL, "rows are left over, but no cluster");
    dispersal d = {.ix = ix, .rule = rule, .check = TRIED};
    hr_status status = hr_fours_init(ix, rule, &d.fours, err);
    if (status == HR_OK) status = disperse(&d, items, count, err);
    hr_fours_free(d.fours);
    hr_trie_free(d.trie);
    return status;
}

static hr_status publish(hr_index *ix, hr_error *err) {
    ix->out->values = hr_alloc_raw(ix->number * ix->t, sizeof *ix->out->values, err);
    if (!ix->out->values) return HR_ENOMEM;
    for (size_t c = 0; c < ix->number; c++)
        for (size_t j = 0; j < ix->t; j++) {
            const uint32_t *gen = ix->cluster_gen + c * ix->stride + ix->offset[j];
            const hr_layout_tree *tree = hr_index_tree(ix, j);
            ix->out->values[c * ix->t + j] = tree->count
                                                 ? (hr_span){tree->node[gen[0]], tree->node[gen[0]]}
                                                 : (hr_span){gen[0], gen[1]};
        }
    return HR_OK;
}

hr_status hr_index_finish(hr_index *ix, int rule, hr_error *err) {
    uint32_t count, *rest = loose_items(ix, &count, err);
    if (!rest) return HR_ENOMEM;
    HR_TRY(disperse_all(ix, rest, count, rule, err));
    HR_TRY(publish(ix, err));
    return hr_progress_add(ix->task->progress, ix->unreported, err);
}
