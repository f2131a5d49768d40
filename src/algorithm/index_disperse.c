/* index_disperse.c - giving rows that are left over to the finished clusters, each to the one whose loss grows
 * least, or is least; then what the clusters publish. */
#include "algorithm/index.h"

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
 * table, and may change while clusters grow: now and then some rows are found by both. */
typedef struct {
    hr_index *ix;
    int rule;
    hr_fours *fours; /* NULL: not now. One of them is there. */
    hr_trie *trie;
    bool both_possible;
    uint32_t end;                   /* of the rows that are found by both */
    uint32_t next;                  /* row from which on they are again */
    uint64_t fours_work, trie_work; /* before */
} dispersal;

/* Laying out so many clusters by their values takes about as long as a row takes without. */
enum { CLUSTERS_PER_ROW = 64 };
enum {
    TRIED = 64,
    SELDOM = 16
}; /* rows that are found by both; and times as many until the next are */

static hr_status begin_trial(dispersal *d, uint32_t row, hr_error *err) {
    if (!d->fours) HR_TRY(hr_fours_init(d->ix, d->rule, &d->fours, err));
    if (!d->both_possible) return HR_OK;
    if (!d->trie) HR_TRY(hr_trie_init(d->ix, d->rule, &d->trie, err));
    d->fours_work = hr_fours_work(d->fours);
    d->trie_work = hr_trie_work(d->trie);
    d->end = row + TRIED;
    uint64_t next = (uint64_t)d->end * SELDOM;
    d->next = next < HR_NONE ? (uint32_t)next : HR_NONE;
    return HR_OK;
}

static void end_trial(dispersal *d) {
    uint64_t fours = hr_fours_work(d->fours) - d->fours_work;
    uint64_t trie = hr_trie_work(d->trie) - d->trie_work;
    if (trie <= fours) {
        hr_fours_free(d->fours);
        d->fours = NULL;
    } else {
        hr_trie_free(d->trie);
        d->trie = NULL;
    }
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
        if (i == d->next) HR_TRY(begin_trial(d, i, err));
        if (!joins_again(d, items, i)) {
            hr_index_restart(ix, items[i]);
            cluster = best_cluster(d);
        }
        HR_TRY(join(d, cluster, err));
        ix->out->cluster[ix->items[items[i]].place] = cluster;
        if (i + 1 == d->end) end_trial(d);
        HR_TRY(hr_index_count(ix, err));
    }
    return HR_OK;
}

static hr_status disperse_all(hr_index *ix, const uint32_t *items, uint32_t count, int rule,
                              hr_error *err) {
    if (count == 0) return HR_OK;
    if (ix->number == 0) return hr_fail(err, HR_EINVAL, "rows are left over, but no cluster");
    dispersal d = {.ix = ix, .rule = rule};
    /* An attribute is a step of a recursion in a trie. */
    d.both_possible =
        ix->t <= HR_INDEX_VARYING && count >= 2 * TRIED && count >= ix->number / CLUSTERS_PER_ROW;
    hr_status status = disperse(&d, items, count, err);
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
