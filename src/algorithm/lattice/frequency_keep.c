/* frequency_keep.c - chooses the source of a frequency set. A set is rolled up from the smallest
 * kept set of a node below. The first kept set is made from the combinations, at the lowest levels
 * that the search will visit, and is never dropped; of the others the least recently used is
 * dropped when room is needed. */
#include "algorithm/lattice/frequency.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_SETS = 512, KEPT_BYTES = 1 << 26, FEW_ENTRIES = 256 };

/* Adds an empty kept set for node `at`. */
static hr_status add_kept(hr_frequencies *all, const uint32_t *at, hr_kept **out, hr_error *err) {
    HR_TRY(hr_grow(&all->kept, &all->kept_capacity, all->kept_count + 1, sizeof *all->kept, err));
    *out = &all->kept[all->kept_count++];
    **out = (hr_kept){.used = ++all->clock};
    memcpy((*out)->at, at, all->counter.count * sizeof *at);
    return HR_OK;
}

static hr_status scan(hr_frequencies *all, hr_error *err) {
    hr_kept *set;
    HR_TRY(add_kept(all, all->low, &set, err));
    all->scans++;
    return hr_frequency_scan(&all->counter, all->low, &set->frequency, err);
}

/* The smallest kept set of a node at or below this one. */
static hr_kept *find_source(hr_frequencies *all, const uint32_t *at) {
    hr_kept *best = &all->kept[0];
    for (size_t n = 1; n < all->kept_count; n++) {
        hr_kept *set = &all->kept[n];
        size_t i = 0;
        if (set->frequency.count >= best->frequency.count) continue;
        while (i < all->counter.count && set->at[i] <= at[i])
            i++;
        if (i == all->counter.count) best = set;
    }
    best->used = ++all->clock;
    return best;
}

/* Drops the least recently used set. */
static void drop_oldest(hr_frequencies *all) {
    size_t oldest = 1;
    for (size_t n = 2; n < all->kept_count; n++)
        if (all->kept[n].used < all->kept[oldest].used) oldest = n;
    all->kept_bytes -= hr_frequency_bytes(&all->counter, &all->kept[oldest].frequency);
    hr_frequency_free(&all->kept[oldest].frequency);
    all->kept[oldest] = all->kept[--all->kept_count];
}

hr_status hr_frequencies_keep(hr_frequencies *all, const uint32_t *at, hr_error *err) {
    hr_kept *set;
    if (!all->fresh) return HR_OK;
    size_t bytes = hr_frequency_bytes(&all->counter, &all->made);
    while (all->kept_count > 1 &&
           (all->kept_count == KEPT_SETS || all->kept_bytes + bytes > KEPT_BYTES))
        drop_oldest(all);
    HR_TRY(add_kept(all, at, &set, err));
    all->kept_bytes += bytes;
    return hr_frequency_copy(&all->counter, &all->made, &set->frequency, err);
}

/* Chooses the node to roll up to next on the way from a source to `at`. If the way is long and the
 * source large this is halfway, because the set made there is a source for other nodes, too. */
static void choose_step(const hr_frequencies *all, const hr_kept *source, const uint32_t *at,
                        uint32_t *to) {
    uint32_t most = 0;
    for (size_t i = 0; i < all->counter.count; i++) {
        uint32_t distance = at[i] - source->at[i];
        if (distance > most) most = distance;
        to[i] = source->at[i] + distance / 2;
    }
    if (most < 2 || source->frequency.count < FEW_ENTRIES)
        memcpy(to, at, all->counter.count * sizeof *to);
}

hr_status hr_frequencies_get(hr_frequencies *all, const uint32_t *at, const hr_frequency **out,
                             hr_error *err) {
    uint32_t to[HR_LATTICE_MOVING];
    size_t bytes = all->counter.count * sizeof *to; /* of a node */
    if (!all->kept) HR_TRY(scan(all, err));
    const hr_kept *source = find_source(all, at);
    all->fresh = memcmp(source->at, at, bytes) != 0;
    *out = all->fresh ? &all->made : &source->frequency;
    while (memcmp(source->at, at, bytes)) {
        choose_step(all, source, at, to);
        HR_TRY(hr_frequency_roll_up(&all->counter, &source->frequency, source->at, to, &all->made,
                                    err));
        all->rollups++;
        HR_TRY(hr_progress_add(all->progress, 0, err));
        if (!memcmp(to, at, bytes)) break;
        HR_TRY(hr_frequencies_keep(all, to, err));
        source = &all->kept[all->kept_count - 1];
    }
    return HR_OK;
}

void hr_frequencies_free(hr_frequencies *all) {
    for (size_t n = 0; n < all->kept_count; n++)
        hr_frequency_free(&all->kept[n].frequency);
    free(all->kept);
    hr_frequency_free(&all->made);
    hr_counter_free(&all->counter);
}
