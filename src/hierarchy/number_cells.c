/* number_cells.c - boundaries of numbers without a hierarchy: cut points divide the numbers into
 * cells, and every published interval lies within one cell. A cell is represented by its least
 * number, so cells.c treats it like the MAGVal of a tree. */
#include "hierarchy/hierarchy.h"

#include <math.h>
#include <stdlib.h>

void hr_quasi_set_cells(hr_quasi *quasi, uint32_t *magval) {
    free(quasi->magval);
    quasi->magval = magval;
    quasi->bounded = quasi->value_count > 0 && magval[quasi->value_count - 1] != 0;
}

hr_status hr_quasi_cut(hr_quasi *quasi, const double *points, size_t count, hr_error *err) {
    uint32_t *magval = hr_alloc_raw(quasi->value_count, sizeof *magval, err);
    if (!magval) return HR_ENOMEM;
    uint32_t first = 0;
    size_t passed = 0; /* points at or below the current number */
    for (uint32_t v = 0; v < quasi->value_count; v++) {
        size_t before = passed;
        while (passed < count && points[passed] <= quasi->number[v])
            passed++;
        if (passed > before) first = v;
        magval[v] = first;
    }
    hr_quasi_set_cells(quasi, magval);
    return HR_OK;
}

uint32_t hr_quasi_rank(const hr_quasi *quasi, double number) {
    uint32_t low = 0, high = quasi->value_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (quasi->number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < quasi->value_count && quasi->number[low] == number ? low : HR_NONE;
}

uint32_t hr_quasi_next_cell(const hr_quasi *quasi, uint32_t rank) {
    uint32_t next = rank + 1;
    if (!quasi->magval) return quasi->value_count;
    while (next < quasi->value_count && quasi->magval[next] == quasi->magval[rank])
        next++;
    return next;
}

/* The width in units has a rounding error: 0.3 is 3 units of 0.1, and not a little less. */
double hr_quasi_width_units(const hr_quasi *quasi, double width) {
    double units = width / hr_quasi_unit(quasi), whole = rint(units);
    return fabs(units - whole) <= 1e-9 * fmax(1, whole) ? whole : floor(units);
}
