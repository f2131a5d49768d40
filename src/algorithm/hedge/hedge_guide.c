/* hedge_guide.c - weights boxes by how promising they are. V of the lower bound (bound.h) is the
 * most that a valid class in a box can pay at the multipliers that a climb found. A box is drawn
 * with weight 2^((V - price) / scale), at most 1; no weight is 0. */
#include "algorithm/hedge/hedge.h"

#include <stdlib.h>

enum { WEIGHT_ONE = 4096 };

static hr_bound_cell as_bound_cell(const hr_kinds *kinds, const hr_boxes *boxes) {
    return (hr_bound_cell){.k = kinds->k,
                           .p = kinds->p,
                           .r = kinds->r,
                           .value_count = kinds->value_count,
                           .combination_count = kinds->combination_count,
                           .kind_count = kinds->kind_count,
                           .kind_start = kinds->kind_start,
                           .kind_rows = kinds->kind_rows,
                           .kind_value = kinds->kind_value,
                           .classes = kinds->row_count / kinds->k,
                           .ceiling = UINT64_MAX,
                           .count = boxes->count,
                           .cost = boxes->cost,
                           .inside_start = boxes->inside_start,
                           .inside = boxes->inside};
}

/* WEIGHT_ONE x 2^(value / scale), linear between halvings; 1 .. WEIGHT_ONE. */
static uint32_t weight_of(int64_t value, uint64_t scale) {
    if (value >= 0) return WEIGHT_ONE;
    uint64_t down = (uint64_t)-value, halvings = down / scale;
    if (halvings >= 12) return 1;
    double part = (double)(down % scale) / (double)scale;
    uint32_t weight = (uint32_t)((WEIGHT_ONE >> halvings) * (1 - part / 2));
    return weight ? weight : 1;
}

static hr_status weigh(const hr_kinds *kinds, const hr_boxes *boxes, const hr_bound_cell *cell,
                       const hr_bound_prices *prices, uint64_t scale, uint32_t *weight,
                       hr_error *err) {
    hr_bound_valuer *valuer = NULL;
    uint32_t *of_box = hr_alloc_raw(boxes->count, sizeof *of_box, err);
    if (!of_box) return HR_ENOMEM;
    hr_status status = hr_bound_valuer_new(cell, &valuer, err);
    if (status == HR_OK) {
        hr_bound_valuer_set(valuer, prices->multiplier);
        for (uint32_t b = 0; b < boxes->count; b++)
            of_box[b] = weight_of(hr_bound_value(valuer, b, INT64_MIN) - prices->price, scale);
        for (uint32_t c = 0; c < kinds->combination_count; c++) {
            uint32_t sum = 0;
            for (size_t i = boxes->around_start[c]; i < boxes->around_start[c + 1]; i++)
                weight[i] = sum += of_box[boxes->around[i]];
        }
    }
    hr_bound_valuer_free(valuer);
    free(of_box);
    return status;
}

hr_status hr_guide_make(const hr_kinds *kinds, const hr_boxes *boxes, const hr_bound_effort *effort,
                        uint64_t scale, uint32_t **weight, hr_error *err) {
    hr_bound_cell cell = as_bound_cell(kinds, boxes);
    hr_bound_prices prices = {0};
    size_t pairs = boxes->inside_start[boxes->count];
    *weight = hr_alloc_raw(pairs, sizeof **weight, err);
    prices.multiplier = hr_alloc_raw(kinds->kind_count, sizeof *prices.multiplier, err);
    hr_status status = *weight && prices.multiplier ? HR_OK : HR_ENOMEM;
    /* The climb starts from the cost of each row's cheapest box. */
    for (uint32_t kind = 0; kind < kinds->kind_count && status == HR_OK; kind++)
        prices.multiplier[kind] =
            (int64_t)boxes->cost[boxes->around[boxes->around_start[kinds->kind_combination[kind]]]];
    if (status == HR_OK) status = hr_bound_climb(&cell, effort, &prices, err);
    if (status == HR_OK)
        status = weigh(kinds, boxes, &cell, &prices, scale ? scale : 1, *weight, err);
    free(prices.multiplier);
    if (status != HR_OK) {
        free(*weight);
        *weight = NULL;
    }
    return status;
}
