/* type_order.c - the numbers that types (combinations of sensitive values) have in a whole table,
 * for use with a part of its rows. A type is looked up attribute by attribute: level l maps the
 * number found so far and the value of attribute l to a new number. The last level gives the number
 * of the type. */
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
