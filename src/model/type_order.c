/* type_order.c - the order of types (combinations of sensitive values) in a table, for rows that
 * are only a part of it. A type is found attribute by attribute: each level maps the number of the
 * values so far and the next value to a number. Numbers of the last level are those of the types,
 * because each type that is added is new there. */
#include "model/model.h"

#include <stdlib.h>

hr_status hr_type_order_start(hr_type_order *order, size_t sensitive_count, hr_error *err) {
    *order = (hr_type_order){.level_count = sensitive_count};
    order->levels = hr_alloc(sensitive_count, sizeof *order->levels, err);
    return order->levels ? HR_OK : HR_ENOMEM;
}

hr_status hr_type_order_add(hr_type_order *order, const uint32_t *values, hr_error *err) {
    uint32_t number = 0;
    for (size_t l = 0; l < order->level_count; l++)
        HR_TRY(
            hr_map64_intern(&order->levels[l], (uint64_t)number << 32 | values[l], &number, err));
    return HR_OK;
}

uint32_t hr_type_order_find(const hr_type_order *order, const uint32_t *values) {
    uint32_t number = 0;
    for (size_t l = 0; l < order->level_count && number != HR_NONE; l++)
        number = hr_map64_find(&order->levels[l], (uint64_t)number << 32 | values[l]);
    return number;
}

void hr_type_order_free(hr_type_order *order) {
    for (size_t l = 0; order->levels && l < order->level_count; l++)
        hr_map64_free(&order->levels[l]);
    free(order->levels);
    *order = (hr_type_order){0};
}
