/* index_types.c - the types (combinations of sensitive values) of a cell's rows, and how diverse
 * each is from the cluster being grown. A set of types is a few words of bits. The set of types
 * with a new value of an attribute only shrinks while a cluster grows, so a few word operations
 * give the most diverse types. If there are more types than bits, types whose values fall into the
 * same buckets share a bit. A bit in a set then says only that one of its types may belong to it,
 * and types are checked one by one. */
#include "algorithm/index/index_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbering ---- */

static hr_status number_types(hr_index *ix, hr_error *err) {
    hr_cell_types types;
    hr_status status = hr_cell_types_list(ix->task, &types, err);
    if (status == HR_OK) {
        ix->types.count = types.count;
        ix->types.example = hr_arena_alloc(&ix->arena, types.count, sizeof *ix->types.example, err);
        if (!ix->types.example) status = HR_ENOMEM;
    }
    if (status == HR_OK) {
        memcpy(ix->types.example, types.example, types.count * sizeof *types.example);
        for (uint32_t i = 0; i < ix->task->row_count; i++)
            ix->rows.items[i].type = types.of_item[i];
    }
    hr_cell_types_free(&types);
    return status;
}

/* Number the values of attribute l that occur, by first appearance. HR_NONE stays: missing. */
static hr_status number_values(hr_index *ix, size_t l, uint32_t *count, hr_error *err) {
    const hr_cell_task *task = ix->task;
    hr_index_types *types = &ix->types;
    hr_map64 map = {0};
    hr_status status = HR_OK;
    for (uint32_t type = 0; type < types->count && status == HR_OK; type++) {
        uint32_t row = task->rows[ix->rows.items[types->example[type]].place];
        uint32_t *value = &types->value[type * ix->r + l];
        *value = hr_sensitive_value(&task->data->sensitive[l], row);
        if (*value != HR_NONE) status = hr_map64_intern(&map, *value, value, err);
    }
    *count = map.count;
    hr_map64_free(&map);
    return status;
}

/* ---- bits ---- */

/* If each type has its own bit, each value has its own bucket. Otherwise the number of buckets is
 * doubled, each time for the attribute with the fullest buckets, as long as the bits suffice. */
static void choose_buckets(hr_index *ix, const uint32_t *values) {
    hr_index_types *types = &ix->types;
    bool exact = types->sets.exact = types->count <= HR_INDEX_BITS;
    size_t product = 1;
    for (size_t l = 0; l < ix->r; l++)
        types->values.buckets[l] = exact ? values[l] + (values[l] == 0) : 1;
    while (!exact && product * 2 <= HR_INDEX_BITS) {
        size_t fullest = 0;
        for (size_t l = 1; l < ix->r; l++)
            if (values[l] / types->values.buckets[l] >
                values[fullest] / types->values.buckets[fullest])
                fullest = l;
        types->values.buckets[fullest] *= 2;
        product *= 2;
    }
    types->bit_count = exact ? types->count : product;
    types->sets.words = (types->bit_count + 63) / 64;
}

static void assign_bits(hr_index *ix) {
    hr_index_types *types = &ix->types;
    for (uint32_t type = 0; type < types->count; type++) {
        uint32_t bit = 0;
        for (size_t l = 0; l < ix->r; l++) {
            uint32_t value = types->value[type * ix->r + l];
            bit = bit * types->values.buckets[l] +
                  (value == HR_NONE ? 0 : value % types->values.buckets[l]);
        }
        types->bit[type] = types->sets.exact ? type : bit;
    }
}

static void set_bit(uint64_t *bits, uint32_t bit) {
    bits[bit / 64] |= UINT64_C(1) << bit % 64;
}

static hr_status make_sets(hr_index *ix, size_t l, uint32_t values, hr_error *err) {
    hr_index_types *types = &ix->types;
    uint32_t buckets = types->values.buckets[l];
    assert(buckets > 0);
    uint64_t *sets =
        hr_arena_alloc(&ix->arena, (size_t)(buckets + 2) * types->sets.words, sizeof *sets, err);
    types->values.has[l] = hr_arena_alloc(&ix->arena, buckets, sizeof *types->values.has[l], err);
    types->values.lacking[l] =
        hr_arena_alloc(&ix->arena, buckets, sizeof *types->values.lacking[l], err);
    types->values.gain[l] = hr_arena_alloc(&ix->arena, values, sizeof *types->values.gain[l], err);
    if (!sets || !types->values.has[l] || !types->values.lacking[l] || !types->values.gain[l])
        return HR_ENOMEM;
    types->values.all[l] = sets;
    types->sets.fresh[l] = sets + types->sets.words;
    for (uint32_t b = 0; b < buckets; b++)
        types->values.has[l][b] = sets + (b + 2) * types->sets.words;
    for (uint32_t value = 0; value < values; value++) {
        types->values.lacking[l][value % buckets]++;
        types->values.gain[l][value] = ix->task->data->sensitive[l].share;
    }
    for (uint32_t type = 0; type < types->count; type++) {
        uint32_t value = types->value[type * ix->r + l];
        if (value == HR_NONE) continue;
        set_bit(types->values.has[l][value % buckets], types->bit[type]);
        set_bit(types->values.all[l], types->bit[type]);
    }
    memcpy(types->sets.fresh[l], types->values.all[l],
           types->sets.words * sizeof **types->sets.fresh);
    return HR_OK;
}

/* ---- rows of each type ---- */

/* Updates the tournament after the first live row of a type has changed. */
static void lift(hr_type_seeds *seeds, uint32_t type) {
    uint32_t head = seeds->row_head[type];
    size_t at = seeds->leaves + type;
    seeds->low[at] = head < seeds->row_start[type + 1] ? seeds->rows[head] : HR_NONE;
    for (at /= 2; at > 0; at /= 2) {
        uint32_t a = seeds->low[2 * at], b = seeds->low[2 * at + 1];
        seeds->low[at] = a < b ? a : b;
    }
}

static hr_status group_rows(hr_index *ix, hr_error *err) {
    hr_type_seeds *seeds = &ix->types.seeds;
    uint32_t n = ix->task->row_count, *type = hr_alloc_raw(n, sizeof *type, err);
    if (!type) return HR_ENOMEM;
    for (uint32_t place = 0; place < n; place++)
        type[place] = ix->rows.items[ix->rows.item_of[place]].type;
    hr_group_by_key(type, n, ix->types.count, seeds->row_start, seeds->rows);
    free(type);
    return HR_OK;
}

static hr_status list_rows(hr_index *ix, hr_error *err) {
    hr_index_types *types = &ix->types;
    hr_type_seeds *seeds = &types->seeds;
    seeds->leaves = 1;
    while (seeds->leaves < types->count)
        seeds->leaves *= 2;
    const hr_arena_part parts[] = {
        {&seeds->rows, ix->task->row_count, sizeof *seeds->rows},
        {&seeds->row_start, (size_t)types->count + 2, sizeof *seeds->row_start},
        {&seeds->row_head, types->count, sizeof *seeds->row_head},
        {&seeds->low, 2 * seeds->leaves, sizeof *seeds->low},
    };
    HR_TRY(hr_arena_parts(&ix->arena, parts, sizeof parts / sizeof *parts, err));
    HR_TRY(group_rows(ix, err));
    memset(seeds->low, 0xff, 2 * seeds->leaves * sizeof *seeds->low);
    for (uint32_t type = 0; type < types->count; type++) {
        seeds->row_head[type] = seeds->row_start[type];
        lift(seeds, type);
    }
    return HR_OK;
}

static void count_bits(hr_index *ix) {
    for (uint32_t i = 0; i < ix->task->row_count; i++) {
        uint32_t bit = ix->types.bit[ix->rows.items[i].type];
        if (ix->types.bit_left[bit]++ == 0) set_bit(ix->types.sets.live, bit);
    }
}

/* ---- levels of diversity ---- */

enum { FEW = 6 }; /* with more attributes their subsets are not listed */

typedef struct {
    int64_t sum;
    uint32_t subset;
} weighed_subset;

static int heaviest_first(const void *a, const void *b) {
    const weighed_subset *x = a, *y = b;
    if (x->sum != y->sum) return x->sum > y->sum ? -1 : 1;
    return x->subset < y->subset ? -1 : x->subset > y->subset;
}

static hr_status list_by_bit(hr_index *ix, hr_error *err) {
    hr_index_types *types = &ix->types;
    hr_type_seeds *seeds = &types->seeds;
    seeds->by_bit = hr_arena_alloc(&ix->arena, types->count, sizeof *seeds->by_bit, err);
    seeds->bit_start =
        hr_arena_alloc(&ix->arena, types->bit_count + 2, sizeof *seeds->bit_start, err);
    if (!seeds->by_bit || !seeds->bit_start) return HR_ENOMEM;
    hr_group_by_key(types->bit, types->count, (uint32_t)types->bit_count, seeds->bit_start,
                    seeds->by_bit);
    return HR_OK;
}

/* Sorts the subsets of the attributes by the diversity of a row that is new in all of them. */
static weighed_subset *sort_subsets(const hr_index *ix, uint32_t count, hr_error *err) {
    weighed_subset *sorted = hr_alloc_raw(count, sizeof *sorted, err);
    if (!sorted) return NULL;
    for (uint32_t s = 0; s < count; s++) {
        sorted[s] = (weighed_subset){0, s + 1};
        for (size_t l = 0; l < ix->r; l++)
            if ((s + 1) >> l & 1) sorted[s].sum += ix->task->data->sensitive[l].share;
    }
    qsort(sorted, count, sizeof *sorted, heaviest_first);
    return sorted;
}

static hr_status list_levels(hr_index *ix, hr_error *err) {
    hr_type_seeds *seeds = &ix->types.seeds;
    uint32_t count = (UINT32_C(1) << ix->r) - 1;
    const hr_arena_part parts[] = {
        {&seeds->level, count, sizeof *seeds->level},
        {&seeds->level_start, (size_t)count + 1, sizeof *seeds->level_start},
        {&seeds->subset, count, sizeof *seeds->subset},
    };
    HR_TRY(hr_arena_parts(&ix->arena, parts, sizeof parts / sizeof *parts, err));
    weighed_subset *sorted = sort_subsets(ix, count, err);
    if (!sorted) return HR_ENOMEM;
    for (uint32_t s = 0; s < count; s++) {
        if (s == 0 || sorted[s].sum != sorted[s - 1].sum) {
            seeds->level_start[seeds->level_count] = s;
            seeds->level[seeds->level_count++] = sorted[s].sum;
        }
        seeds->subset[s] = sorted[s].subset;
    }
    seeds->level_start[seeds->level_count] = count;
    free(sorted);
    return HR_OK;
}

/* ---- the whole ---- */

static hr_status allocate(hr_index *ix, hr_error *err) {
    hr_index_types *types = &ix->types;
    hr_cluster_values *values = &types->values;
    const hr_arena_part parts[] = {
        {&types->value, types->count * ix->r, sizeof *types->value},
        {&types->bit, types->count, sizeof *types->bit},
        {&types->bit_left, HR_INDEX_BITS, sizeof *types->bit_left},
        {&types->sets.live, HR_INDEX_BITS / 64, sizeof *types->sets.live},
        {&types->sets.fresh, ix->r, sizeof *types->sets.fresh},
        {&values->all, ix->r, sizeof *values->all},
        {&values->has, ix->r, sizeof *values->has},
        {&values->buckets, ix->r, sizeof *values->buckets},
        {&values->lacking, ix->r, sizeof *values->lacking},
        {&values->gain, ix->r, sizeof *values->gain},
        {&ix->scratch.wanted, HR_INDEX_BITS / 64, sizeof *ix->scratch.wanted},
    };
    return hr_arena_parts(&ix->arena, parts, sizeof parts / sizeof *parts, err);
}

/* What searches by diversity need. */
static hr_status init_seeds(hr_index *ix, hr_error *err) {
    HR_TRY(list_rows(ix, err));
    return ix->r > FEW ? list_by_bit(ix, err) : list_levels(ix, err);
}

hr_status hr_types_init(hr_index *ix, hr_error *err) {
    hr_index_types *types = &ix->types;
    uint32_t *counts = hr_arena_alloc(&ix->arena, ix->r, sizeof *counts, err); /* of values */
    if (!counts) return HR_ENOMEM;
    HR_TRY(number_types(ix, err));
    HR_TRY(allocate(ix, err));
    size_t all = 0;
    for (size_t l = 0; l < ix->r; l++) {
        HR_TRY(number_values(ix, l, &counts[l], err));
        all += counts[l];
    }
    types->values.present = hr_arena_alloc(&ix->arena, all * 2, sizeof *types->values.present, err);
    if (!types->values.present) return HR_ENOMEM;
    choose_buckets(ix, counts);
    assign_bits(ix);
    for (size_t l = 0; l < ix->r; l++)
        HR_TRY(make_sets(ix, l, counts[l], err));
    count_bits(ix);
    return ix->by_seed ? init_seeds(ix, err) : HR_OK;
}

/* ---- the cluster's values ---- */

void hr_types_clear(hr_index *ix) {
    hr_index_types *types = &ix->types;
    for (size_t i = 0; i < types->values.present_count; i++) {
        uint32_t l = types->values.present[2 * i], value = types->values.present[2 * i + 1];
        types->values.gain[l][value] = ix->task->data->sensitive[l].share;
        types->values.lacking[l][value % types->values.buckets[l]]++;
    }
    types->values.present_count = 0;
    for (size_t l = 0; l < ix->r; l++) {
        memcpy(types->sets.fresh[l], types->values.all[l],
               types->sets.words * sizeof **types->sets.fresh);
        ix->cluster.distinct[l] = 0;
    }
}

void hr_types_add(hr_index *ix, uint32_t type) {
    hr_index_types *types = &ix->types;
    for (size_t l = 0; l < ix->r; l++) {
        uint32_t value = types->value[type * ix->r + l];
        if (value == HR_NONE || types->values.gain[l][value] == 0) continue;
        types->values.gain[l][value] = 0;
        ix->cluster.distinct[l]++;
        types->values.present[2 * types->values.present_count] = (uint32_t)l;
        types->values.present[2 * types->values.present_count++ + 1] = value;
        uint32_t bucket = value % types->values.buckets[l];
        if (--types->values.lacking[l][bucket] > 0) continue;
        for (size_t w = 0; w < types->sets.words; w++)
            types->sets.fresh[l][w] &= ~types->values.has[l][bucket][w];
    }
}

int64_t hr_types_diversity(const hr_index *ix, uint32_t type) {
    const uint32_t *value = ix->types.value + type * ix->r;
    int64_t diversity = 0;
    for (size_t l = 0; l < ix->r; l++)
        if (value[l] != HR_NONE) diversity += ix->types.values.gain[l][value[l]];
    return diversity;
}

/* Moves to the next live row of a type. Whether a row is live is read from the clusters, in
 * ascending order; reading the items would jump about in memory. */
static void advance(hr_index *ix, uint32_t type) {
    hr_type_seeds *seeds = &ix->types.seeds;
    uint32_t *head = &seeds->row_head[type], end = seeds->row_start[type + 1];
    while (*head < end && ix->out->cluster[seeds->rows[*head]] != HR_NONE)
        ++*head;
    lift(seeds, type);
    if (*head < end) HR_PREFETCH(&ix->rows.item_of[seeds->rows[*head]]); /* maybe the next seed */
}

void hr_types_taken(hr_index *ix, uint32_t item) {
    hr_index_types *types = &ix->types;
    const hr_type_seeds *seeds = &types->seeds;
    uint32_t type = ix->rows.items[item].type, bit = types->bit[type];
    if (ix->by_seed && seeds->rows[seeds->row_head[type]] == ix->rows.items[item].place)
        advance(ix, type);
    if (--types->bit_left[bit] == 0) types->sets.live[bit / 64] &= ~(UINT64_C(1) << bit % 64);
}

void hr_types_returned(hr_index *ix, uint32_t item) {
    hr_index_types *types = &ix->types;
    hr_type_seeds *seeds = &types->seeds;
    uint32_t type = ix->rows.items[item].type, bit = types->bit[type];
    if (ix->by_seed) {
        uint32_t *head = &seeds->row_head[type], place = ix->rows.items[item].place;
        uint32_t at = hr_find_sorted(seeds->rows, seeds->row_start[type], *head, place);
        if (at < *head) {
            *head = at;
            lift(seeds, type);
        }
    }
    if (types->bit_left[bit]++ == 0) set_bit(types->sets.live, bit);
}

/* ---- searches by diversity ---- */

/* Types that may have the diversity of a level; false if there are none. */
static bool level_bits(const hr_index *ix, uint32_t level, uint64_t *wanted) {
    const hr_index_types *types = &ix->types;
    uint64_t any = 0;
    for (size_t w = 0; w < types->sets.words; w++) {
        uint64_t found = 0;
        for (uint32_t s = types->seeds.level_start[level]; s < types->seeds.level_start[level + 1];
             s++) {
            uint64_t bits = types->sets.live[w];
            for (size_t l = 0; l < ix->r; l++)
                if (types->seeds.subset[s] >> l & 1) bits &= types->sets.fresh[l][w];
            found |= bits;
        }
        wanted[w] = found;
        any |= found;
    }
    return any != 0;
}

static bool has_bit(const uint64_t *bits, size_t bit) {
    return bits[bit / 64] >> bit % 64 & 1;
}

/* Greatest diversity that the types of a bit may have. */
static int64_t bit_diversity(const hr_index *ix, size_t bit) {
    int64_t sum = 0;
    for (size_t l = 0; l < ix->r; l++)
        if (has_bit(ix->types.sets.fresh[l], bit)) sum += ix->task->data->sensitive[l].share;
    return sum;
}

/* Maximum of `most` and the diversities below `below` of a bit's live types. */
static int64_t greatest_of(const hr_index *ix, size_t bit, int64_t below, int64_t most) {
    const hr_index_types *types = &ix->types;
    for (uint32_t i = types->seeds.bit_start[bit]; i < types->seeds.bit_start[bit + 1]; i++) {
        uint32_t type = types->seeds.by_bit[i];
        if (types->seeds.low[types->seeds.leaves + type] == HR_NONE) continue;
        int64_t diversity = hr_types_diversity(ix, type);
        if (diversity < below && diversity > most) most = diversity;
    }
    return most;
}

/* For more attributes than FEW: there are too many levels to try, so the diversities of the types
 * themselves are computed, except for bits whose types cannot reach the greatest found so far. */
static int64_t next_by_bits(const hr_index *ix, int64_t below, uint64_t *wanted) {
    const hr_index_types *types = &ix->types;
    int64_t most = 0, limit[HR_INDEX_BITS];
    size_t best = 0;
    for (size_t bit = 0; bit < types->bit_count; bit++) {
        limit[bit] = has_bit(types->sets.live, bit) ? bit_diversity(ix, bit) : 0;
        if (limit[bit] > limit[best]) best = bit;
    }
    most = greatest_of(ix, best, below, most);
    for (size_t bit = 0; bit < types->bit_count; bit++)
        if (limit[bit] > most) most = greatest_of(ix, bit, below, most);
    memset(wanted, 0, types->sets.words * sizeof *wanted);
    for (size_t bit = 0; most > 0 && bit < types->bit_count; bit++)
        if (limit[bit] >= most) set_bit(wanted, (uint32_t)bit);
    return most;
}

int64_t hr_types_next(const hr_index *ix, int64_t below, uint64_t *wanted) {
    if (ix->r > FEW) return next_by_bits(ix, below, wanted);
    for (uint32_t level = 0; level < ix->types.seeds.level_count; level++)
        if (ix->types.seeds.level[level] < below && level_bits(ix, level, wanted))
            return ix->types.seeds.level[level];
    return 0;
}

/* Lowest live place, if below `best`, of the types below a node of the tournament whose diversity
 * is at least `level`. */
static uint32_t lowest(const hr_index *ix, size_t at, int64_t level, uint32_t best) {
    const hr_index_types *types = &ix->types;
    if (types->seeds.low[at] >= best) return best;
    if (at >= types->seeds.leaves) {
        uint32_t type = (uint32_t)(at - types->seeds.leaves);
        return hr_types_diversity(ix, type) >= level ? types->seeds.low[at] : best;
    }
    size_t first = types->seeds.low[2 * at] <= types->seeds.low[2 * at + 1] ? 2 * at : 2 * at + 1;
    best = lowest(ix, first, level, best);
    return lowest(ix, first ^ 1, level, best);
}

uint32_t hr_types_seed(const hr_index *ix) {
    int64_t level = hr_types_next(ix, INT64_MAX, ix->scratch.wanted);
    for (; level > 0; level = hr_types_next(ix, level, ix->scratch.wanted)) {
        uint32_t place = lowest(ix, 1, level, HR_NONE);
        if (place != HR_NONE) return ix->rows.item_of[place];
    }
    return ix->rows.item_of[ix->types.seeds.low[1]];
}
