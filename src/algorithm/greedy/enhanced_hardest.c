/* enhanced_hardest.c - what enhanced-pk needs to know before it starts: how often each sensitive
 * value occurs in the cell, and so which attribute allows the fewest clusters. Rows are counted per
 * type (combination of sensitive values); the count of a value is the sum over its types. */
#include "algorithm/greedy/enhanced.h"

#include <stdlib.h>

typedef struct {
    uint32_t count, value;
} counted;

/* Descending count, then ascending value. */
static int by_count(const void *a, const void *b) {
    const counted *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

typedef struct {
    hr_cell_types types;
    uint32_t *rows; /* number of rows per type */
} type_counts;

static hr_status count_types(const hr_enhanced *e, type_counts *out, hr_error *err) {
    *out = (type_counts){0};
    HR_TRY(hr_cell_types_list(e->task, &out->types, err));
    out->rows = hr_alloc(out->types.count, sizeof *out->rows, err);
    if (!out->rows) return HR_ENOMEM;
    for (uint32_t i = 0; i < e->task->row_count; i++)
        out->rows[out->types.of_item[i]]++;
    return HR_OK;
}

/* The values of attribute l with their numbers of rows, most frequent first. The caller frees the
 * list. */
static counted *count_values(const hr_enhanced *e, const type_counts *types, size_t l,
                             size_t *present, hr_error *err) {
    counted *list = hr_alloc(types->types.count, sizeof *list, err);
    hr_map64 map = {0};
    hr_status status = list ? HR_OK : HR_ENOMEM;
    for (uint32_t i = 0; i < types->types.count && status == HR_OK; i++) {
        uint32_t place = e->task->by_rank[types->types.example[i]], at;
        uint32_t value = hr_enhanced_value(e, l, place);
        if (value == HR_NONE) continue;
        status = hr_map64_intern(&map, value, &at, err);
        if (status != HR_OK) break;
        list[at].value = value;
        list[at].count += types->rows[i];
    }
    *present = map.count;
    hr_map64_free(&map);
    if (status != HR_OK) {
        free(list);
        return NULL;
    }
    qsort(list, *present, sizeof *list, by_count);
    return list;
}

/* The most clusters that attribute l allows. */
static hr_status most_clusters(const hr_enhanced *e, const type_counts *types, size_t l,
                               uint64_t *most, hr_error *err) {
    size_t present = 0;
    counted *list = count_values(e, types, l, &present, err);
    uint32_t *counts = hr_alloc(present, sizeof *counts, err);
    if (!list || !counts) {
        free(list);
        free(counts);
        return HR_ENOMEM;
    }
    for (size_t v = 0; v < present; v++)
        counts[v] = list[v].count;
    *most = hr_most_classes(e->task->row_count, counts, present, e->task->k, e->task->p);
    free(list);
    free(counts);
    return HR_OK;
}

static hr_status count_left(hr_enhanced *e, const type_counts *types, hr_error *err) {
    size_t present = 0;
    counted *list = count_values(e, types, e->hardest, &present, err);
    if (!list) return HR_ENOMEM;
    size_t most = list[0].count > e->cluster_count ? list[0].count : e->cluster_count;
    e->value_count = e->task->data->sensitive[e->hardest].value_count;
    e->left = hr_arena_alloc(&e->arena, e->value_count, sizeof *e->left, err);
    e->spare = hr_arena_alloc(&e->arena, e->value_count, sizeof *e->spare, err);
    e->with = hr_arena_alloc(&e->arena, most + 1, sizeof *e->with, err);
    bool failed = !e->left || !e->spare || !e->with;
    e->to_open = e->cluster_count;
    for (size_t v = 0; v < present && !failed; v++) {
        uint32_t count = list[v].count;
        e->left[list[v].value] = count;
        e->with[count]++;
        e->usable += count < e->to_open ? count : e->to_open;
        e->plentiful += count >= e->to_open;
    }
    free(list);
    return failed ? HR_ENOMEM : HR_OK;
}

static hr_status find_hardest(hr_enhanced *e, const type_counts *types, hr_error *err) {
    uint64_t least = e->task->row_count / e->task->k;
    e->seen = hr_arena_alloc(&e->arena, e->r, sizeof *e->seen, err);
    e->distinct = hr_arena_alloc(&e->arena, e->r, sizeof *e->distinct, err);
    if (!e->seen || !e->distinct) return HR_ENOMEM;
    uint64_t hardest = UINT64_MAX;
    for (size_t l = 0; l < e->r; l++) {
        uint32_t values = e->task->data->sensitive[l].value_count;
        e->seen[l] = hr_arena_alloc(&e->arena, values, sizeof **e->seen, err);
        if (!e->seen[l]) return HR_ENOMEM;
        uint64_t most;
        HR_TRY(most_clusters(e, types, l, &most, err));
        if (most >= hardest) continue;
        hardest = most;
        e->hardest = l;
    }
    if (hardest < least) least = hardest;
    e->cluster_count = (uint32_t)least;
    return e->r ? count_left(e, types, err) : HR_OK;
}

hr_status hr_enhanced_prepare(hr_enhanced *e, hr_error *err) {
    type_counts types = {0};
    hr_status status = e->r ? count_types(e, &types, err) : HR_OK;
    if (status == HR_OK) status = find_hardest(e, &types, err);
    hr_cell_types_free(&types.types);
    free(types.rows);
    return status;
}
