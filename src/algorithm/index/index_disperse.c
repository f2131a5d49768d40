/* index_disperse.c - the end of a search: rows that are in no finished cluster are dispersed,
 * each to the finished cluster whose loss grows least (or is least), and the clusters' values are
 * published. A few rows find their cluster by scanning all clusters; for more rows the clusters
 * are put into a trie by their values (index_trie.c). Both find the same cluster. */
#include "algorithm/index/index_parts.h"

#include <string.h>

/* So many rows are scanned for. Building the trie paid from 16 to 165 rows on, depending on the
 * data: docs/performance.md, "Dispersal". */
enum { FEW_ROWS = 24 };

typedef struct {
    hr_index *ix;
    int rule;
    hr_trie *trie; /* NULL: clusters are scanned */
} dispersal;

/* Rows in no finished cluster, as items in tie order. */
static uint32_t *list_loose_items(hr_index *ix, uint32_t *count, hr_error *err) {
    uint32_t n = ix->task->row_count;
    uint32_t *loose = hr_arena_alloc(&ix->arena, n, sizeof *loose, err);
    *count = 0;
    for (uint32_t i = 0; loose && i < n; i++) {
        uint32_t item = ix->by_row ? ix->rows.item_of[i] : i;
        if (!ix->rows.taken[item] ||
            ix->out->cluster[ix->rows.items[item].place] == ix->out->count) /* unfinished */
            loose[(*count)++] = item;
    }
    return loose;
}

/* ---- finding the cluster of a row, which ix->cluster was restarted with ---- */

static hr_increase join_attribute(const hr_index *ix, size_t j, const uint32_t *code) {
    if (ix->format.node_cost[j]) return hr_index_join_code(ix, j, code[0]);
    return hr_index_join_interval(ix, j, code[0], code[1]);
}

/* Growth of the cluster's loss, or its loss, if the row joins; a lower bound once it is at least
 * `limit`. */
static uint64_t loss_with_row(const dispersal *d, uint32_t cluster, uint64_t limit) {
    const hr_index *ix = d->ix;
    const uint32_t *code = ix->finished.gen + cluster * ix->format.stride;
    uint64_t joined = 0, grown = 0, loss = 0, size = ix->finished.size[cluster];
    for (size_t j = 0; j < ix->t && loss < limit; j++) {
        hr_increase more = join_attribute(ix, j, code + ix->format.offset[j]);
        joined += more.joined;
        grown += more.grown;
        loss = d->rule == HR_DISPERSAL_GROWTH ? joined + size * grown : (size + 1) * joined;
    }
    return loss;
}

static uint32_t scan_clusters(const dispersal *d) {
    uint64_t least = UINT64_MAX;
    uint32_t best = 0;
    for (uint32_t c = 0; c < d->ix->out->count; c++) {
        uint64_t loss = loss_with_row(d, c, least);
        if (loss >= least) continue;
        least = loss;
        best = c;
    }
    return best;
}

/* ---- dispersing ---- */

static hr_status join_cluster(dispersal *d, uint32_t cluster, uint32_t item, hr_error *err) {
    hr_index *ix = d->ix;
    size_t stride = ix->format.stride;
    uint32_t *gen = ix->finished.gen + cluster * stride, *before = ix->scratch.unpacked;
    memcpy(before, gen, stride * sizeof *gen);
    hr_index_join_codes(ix, gen, ix->cluster.gen);
    bool grown = memcmp(before, gen, stride * sizeof *gen) != 0;
    ix->finished.size[cluster]++;
    ix->out->cluster[ix->rows.items[item].place] = cluster;
    if (d->trie) HR_TRY(hr_trie_changed(d->trie, cluster, grown, err));
    return hr_index_count(ix, err);
}

/* If growth counts, a row goes where the row before it went if both have the same combination: the
 * cluster covers it now, and no cluster that covers it costs less. */
static bool joins_same_cluster(const dispersal *d, const uint32_t *items, uint32_t i) {
    const hr_index_item *item = d->ix->rows.items;
    return d->rule == HR_DISPERSAL_GROWTH && i > 0 &&
           item[items[i]].combination == item[items[i - 1]].combination;
}

static hr_status disperse_items(dispersal *d, const uint32_t *items, uint32_t count,
                                hr_error *err) {
    uint32_t cluster = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!joins_same_cluster(d, items, i)) {
            hr_index_restart(d->ix, items[i]);
            cluster = d->trie ? hr_trie_best(d->trie) : scan_clusters(d);
        }
        HR_TRY(join_cluster(d, cluster, items[i], err));
    }
    return HR_OK;
}

static hr_status disperse(hr_index *ix, const uint32_t *items, uint32_t count, int rule,
                          hr_error *err) {
    if (count == 0) return HR_OK;
    if (ix->out->count == 0) return hr_fail(err, HR_EINVAL, "rows are left over, but no cluster");
    dispersal d = {.ix = ix, .rule = rule};
    hr_status status = HR_OK;
    if (count > FEW_ROWS && hr_trie_depth(ix) <= HR_TRIE_LEVELS)
        status = hr_trie_init(ix, rule, &d.trie, err);
    if (status == HR_OK) status = disperse_items(&d, items, count, err);
    hr_trie_free(d.trie);
    return status;
}

static hr_status publish(hr_index *ix, hr_error *err) {
    size_t count = ix->out->count, t = ix->t;
    ix->out->values = hr_alloc_raw(count * t, sizeof *ix->out->values, err);
    if (!ix->out->values) return HR_ENOMEM;
    for (size_t c = 0; c < count; c++)
        for (size_t j = 0; j < t; j++) {
            const uint32_t *gen = ix->finished.gen + c * ix->format.stride + ix->format.offset[j];
            const hr_layout_tree *tree = hr_index_hierarchy(ix, j);
            ix->out->values[c * t + j] =
                tree->order.count ? (hr_span){tree->order.node[gen[0]], tree->order.node[gen[0]]}
                                  : (hr_span){gen[0], gen[1]};
        }
    return HR_OK;
}

hr_status hr_index_finish(hr_index *ix, int rule, hr_error *err) {
    uint32_t count, *rest = list_loose_items(ix, &count, err);
    if (!rest) return HR_ENOMEM;
    HR_TRY(disperse(ix, rest, count, rule, err));
    HR_TRY(publish(ix, err));
    return hr_progress_add(ix->task->progress, ix->unreported, err);
}
