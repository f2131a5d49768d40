/* enhanced_hardest.c - what enhanced-pk knows before it begins: how often each sensitive value occurs in the
 * cell, and so which attribute allows fewest clusters. Rows are counted by type, values by types. */
#include "algorithm/greedy/enhanced.h"

#include <stdlib.h>

typedef struct {
    uint32_t count, value;
} counted;

/* Most frequent first, then by value. */
static int by_count(const void *a, const void *b) {
    const counted *x = a, *y = b;
    if (x->count != y->count) return x->count > y->count ? -1 : 1;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* The types (combinations of sensitive values) of the cell, with their rows. */
typedef struct {
    struct {
        uint32_t place; /* of one of them */
        uint32_t count;
    } * list;
    uint32_t count;
} type_list;

static hr_status list_types(const hr_enhanced *e, type_list *types, hr_error *err) {
    const hr_cell_task *task = e->task;
    uint32_t most = task->layout->type_count;
    uint32_t *number = hr_alloc(most, sizeof *number, err); /* plus one; 0: not met yet */
    types->list =
        hr_alloc(most < task->row_count ? most : task->row_count, sizeof *types->list, err);
    for (uint32_t i = 0; number && types->list && i < task->row_count; i++) {
        uint32_t *own = &number[task->type[i]];
        if (*own == 0) {
            types->list[types->count].place = task->by_rank[i];
            *own = ++types->count;
        }
        types->list[*own - 1].count++;
    }
    free(number);
    return number && types->list ? HR_OK : HR_ENOMEM;
}

/* Values of attribute l in the cell with their rows, most frequent first. */
static counted *count_values(const hr_enhanced *e, const type_list *types, size_t l,
                             size_t *present, hr_error *err) {
    counted *list = hr_alloc(types->count, sizeof *list, err);
    hr_map64 map = {0};
    hr_status status = list ? HR_OK : HR_ENOMEM;
    for (uint32_t i = 0; i < types->count && status == HR_OK; i++) {
        uint32_t value = hr_enhanced_value(e, l, types->list[i].place), at;
        if (value == HR_NONE) continue;
        status = hr_map64_intern(&map, value, &at, err);
        if (status != HR_OK) break;
        list[at].value = value;
        list[at].count += types->list[i].count;
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

static hr_status bound_of(const hr_enhanced *e, const type_list *types, size_t l, uint64_t *bound,
                          hr_error *err) {
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
    *bound = hr_most_classes(e->task->row_count, counts, present, e->task->k, e->task->p);
    free(list);
    free(counts);
    return HR_OK;
}

static hr_status count_left(hr_enhanced *e, const type_list *types, hr_error *err) {
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

static hr_status find_hardest(hr_enhanced *e, const type_list *types, hr_error *err) {
    uint64_t least = e->task->row_count / e->task->k;
    e->seen = hr_arena_alloc(&e->arena, e->r, sizeof *e->seen, err);
    e->distinct = hr_arena_alloc(&e->arena, e->r, sizeof *e->distinct, err);
    if (!e->seen || !e->distinct) return HR_ENOMEM;
    uint64_t hardest = UINT64_MAX;
    for (size_t l = 0; l < e->r; l++) {
        uint32_t values = e->task->data->sensitive[l].value_count;
        e->seen[l] = hr_arena_alloc(&e->arena, values, sizeof **e->seen, err);
        if (!e->seen[l]) return HR_ENOMEM;
        uint64_t bound;
        HR_TRY(bound_of(e, types, l, &bound, err));
        if (bound >= hardest) continue;
        hardest = bound;
        e->hardest = l;
    }
    if (hardest < least) least = hardest;
    e->cluster_count = (uint32_t)least;
    return e->r ? count_left(e, types, err) : HR_OK;
}

hr_status hr_enhanced_prepare(hr_enhanced *e, hr_error *err) {
    type_list types = {0};
    hr_status status = e->r ? list_types(e, &types, err) : HR_OK;
    if (status == HR_OK) status = find_hardest(e, &types, err);
    free(types.list);
    return status;
}
