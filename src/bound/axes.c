/* axes.c - the values of each quasi-identifier as positions on an axis, and the cost per row of
 * publishing a value, by a measure of loss. */
#include "bound/boxes.h"

static hr_status price_nodes(hr_axis *axis, hr_arena *arena, hr_error *err) {
    HR_TRY(hr_preorder_make(axis->data->quasi[axis->quasi].tree, arena, &axis->tree, err));
    axis->cost = hr_arena_alloc(arena, axis->count, sizeof *axis->cost, err);
    if (!axis->cost) return HR_ENOMEM;
    for (uint32_t at = 0; at < axis->count; at++) {
        hr_span node = {axis->tree.node[at], axis->tree.node[at]};
        axis->cost[at] = axis->loss->value_cost(axis->data, axis->quasi, node);
    }
    return HR_OK;
}

hr_status hr_axes_make(const hr_microdata *data, const hr_measure *loss, hr_axes *out,
                       hr_error *err) {
    *out = (hr_axes){.data = data, .loss = loss, .count = data->quasi_count};
    out->of = hr_arena_alloc(&out->arena, out->count, sizeof *out->of, err);
    hr_status status = out->of ? HR_OK : HR_ENOMEM;
    for (size_t j = 0; j < out->count && status == HR_OK; j++) {
        out->of[j] =
            (hr_axis){.data = data, .loss = loss, .quasi = j, .count = data->quasi[j].value_count};
        if (data->quasi[j].tree) status = price_nodes(&out->of[j], &out->arena, err);
    }
    if (status != HR_OK) hr_axes_free(out);
    return status;
}

void hr_axes_free(hr_axes *axes) {
    hr_arena_free(&axes->arena);
    *axes = (hr_axes){0};
}

void hr_axes_positions(const hr_axes *axes, const uint32_t *rows, uint32_t count,
                       uint32_t *position) {
    for (uint32_t i = 0; i < count; i++)
        for (size_t j = 0; j < axes->count; j++) {
            const hr_axis *axis = &axes->of[j];
            uint32_t value = hr_quasi_value(&axis->data->quasi[j], rows[i]);
            *position++ = axis->cost ? axis->tree.position[value] : value;
        }
}
