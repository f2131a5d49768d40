/* rank.c - an order of the quasi-identifier combinations in which near ones stand together, used to
 * break ties. Combinations are compared by the most costly distinction first, whatever attribute it is
 * of: (attribute, level) pairs by the cost of joining across them, descending, then by attribute; each pair compares
 * the ancestors at that level (hierarchy-free numbers: halves, quarters, ... of the range). Sorted by
 * counting, from the finest pair to the coarsest; equal combinations get equal ranks, others do not. */
#include "algorithm/algorithm.h"

#include <stdlib.h>
#include <string.h>

enum { NUMERIC_LEVELS = 16 }; /* range / 2^16 and below: by number */

/* One distinction: the key of each value of an attribute, below `keys`. */
typedef struct {
    size_t quasi;
    uint32_t cost; /* of joining values that it tells apart, at most */
    uint32_t level;
} distinction;

static int by_cost(const void *a, const void *b) {
    const distinction *x = a, *y = b;
    if (x->cost != y->cost) return x->cost > y->cost ? -1 : 1;
    if (x->quasi != y->quasi) return x->quasi < y->quasi ? -1 : 1;
    return x->level > y->level ? -1 : x->level < y->level;
}

/* A tree of height H has levels H-1 .. 0; numbers have NUMERIC_LEVELS .. 0, 0 being exact. */
static size_t list_distinctions(const hr_microdata *data, distinction *out) {
    size_t count = 0;
    for (size_t j = 0; j < data->quasi_count; j++) {
        const hr_hierarchy *tree = data->quasi[j].tree;
        uint32_t height = tree ? tree->height[tree->root] : NUMERIC_LEVELS + 1;
        for (uint32_t level = 0; level < height; level++) {
            uint32_t cost = tree ? (uint32_t)((level + UINT64_C(1)) * HR_COST_ONE / height)
                                 : HR_COST_ONE >> (NUMERIC_LEVELS - level);
            if (out) out[count] = (distinction){j, cost, level};
            count++;
        }
    }
    if (out) qsort(out, count, sizeof *out, by_cost);
    return count;
}

/* Tree: place of the highest ancestor of at most this height. Numbers: part of the range. */
static uint32_t key_of(const hr_quasi *quasi, uint32_t level, uint32_t value) {
    const hr_hierarchy *tree = quasi->tree;
    if (tree) {
        while (value != tree->root && tree->height[tree->parent[value]] <= level)
            value = tree->parent[value];
        return tree->order[value];
    }
    if (level == 0) return value;
    uint32_t parts = UINT32_C(1) << (NUMERIC_LEVELS + 1 - level);
    double range = quasi->number[quasi->value_count - 1] - quasi->number[0];
    double share = range > 0 ? (quasi->number[value] - quasi->number[0]) / range : 0;
    return share >= 1 ? parts - 1 : (uint32_t)(share * parts);
}

static uint32_t key_bound(const hr_quasi *quasi, uint32_t level) {
    return quasi->tree || level == 0 ? quasi->value_count
                                     : UINT32_C(1) << (NUMERIC_LEVELS + 1 - level);
}

typedef struct {
    const hr_microdata *data;
    uint32_t count;    /* combinations */
    uint32_t *first;   /* a row of each */
    uint32_t *order;   /* combinations in the order so far */
    uint32_t *spare;
    hr_error *err;
} sorting;

/* Stable counting sort of the order by one distinction. */
static hr_status sort_by(sorting *s, const distinction *by) {
    const hr_quasi *quasi = &s->data->quasi[by->quasi];
    uint32_t bound = key_bound(quasi, by->level);
    uint32_t *key = hr_alloc_raw(quasi->value_count, sizeof *key, s->err);
    size_t *place = hr_alloc((size_t)bound + 1, sizeof *place, s->err);
    if (!key || !place) {
        free(key);
        free(place);
        return HR_ENOMEM;
    }
    for (uint32_t value = 0; value < quasi->value_count; value++)
        key[value] = key_of(quasi, by->level, value);
    for (uint32_t i = 0; i < s->count; i++)
        place[key[hr_quasi_value(quasi, s->first[i])] + 1]++;
    for (uint32_t i = 0; i < bound; i++)
        place[i + 1] += place[i];
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t combination = s->order[i];
        s->spare[place[key[hr_quasi_value(quasi, s->first[combination])]]++] = combination;
    }
    uint32_t *swap = s->order;
    s->order = s->spare;
    s->spare = swap;
    free(key);
    free(place);
    return HR_OK;
}

static hr_status sort_combinations(sorting *s) {
    size_t count = list_distinctions(s->data, NULL);
    distinction *list = hr_alloc(count, sizeof *list, s->err);
    if (!list) return HR_ENOMEM;
    list_distinctions(s->data, list);
    hr_status status = HR_OK;
    while (count-- > 0 && status == HR_OK)
        status = sort_by(s, &list[count]);
    free(list);
    return status;
}

static hr_status rank_groups(const hr_microdata *data, hr_groups *groups, hr_error *err) {
    sorting s = {.data = data, .count = groups->count, .err = err};
    uint32_t *memory = hr_alloc((size_t)s.count * 3, sizeof *memory, err);
    if (!memory) return HR_ENOMEM;
    s.first = memory;
    s.order = memory + s.count;
    s.spare = memory + 2 * (size_t)s.count;
    for (size_t row = data->rows; row-- > 0;)
        if (groups->of_row[row] != HR_NONE) s.first[groups->of_row[row]] = (uint32_t)row;
    for (uint32_t i = 0; i < s.count; i++)
        s.order[i] = i;
    hr_status status = sort_combinations(&s);
    if (status == HR_OK) {
        for (uint32_t i = 0; i < s.count; i++)
            s.spare[s.order[i]] = i;
        for (size_t row = 0; row < data->rows; row++)
            if (groups->of_row[row] != HR_NONE) groups->of_row[row] = s.spare[groups->of_row[row]];
    }
    free(memory);
    return status;
}

hr_status hr_rank_combinations(const hr_microdata *data, uint32_t **rank, hr_error *err) {
    hr_groups groups;
    HR_TRY(hr_groups_start(&groups, data->rows, err));
    hr_status status = HR_OK;
    for (size_t j = 0; j < data->quasi_count && status == HR_OK; j++)
        status = hr_groups_split(&groups, data->quasi[j].column, data->quasi[j].value_of_code,
                                 data->quasi[j].value_count, err);
    if (status == HR_OK) status = rank_groups(data, &groups, err);
    if (status == HR_OK)
        *rank = groups.of_row;
    else
        hr_groups_free(&groups);
    return status;
}
