/* units.c - the numbers of a column as whole numbers: their distances from the least number in
 * units of the last digit. The difference of two doubles far from zero has a rounding error; the
 * difference in units has none. */
#include "hierarchy/hierarchy.h"

#include <math.h>

static const double most_units = 4503599627370496.0; /* 2^52: differences are exact */

static double range_of(const hr_quasi *quasi) {
    return quasi->number[quasi->value_count - 1] - quasi->number[0];
}

void hr_quasi_count_units(hr_quasi *quasi) {
    double power = 1;
    for (int i = 0; i < quasi->decimals; i++)
        power *= 10;
    double largest = fmax(fabs(quasi->number[0]), fabs(quasi->number[quasi->value_count - 1]));
    quasi->per_unit = largest * power <= most_units / 2 ? power : 0;
}

double hr_quasi_above(const hr_quasi *quasi, double number) {
    double above = number - quasi->number[0];
    if (quasi->per_unit > 0) return above * quasi->per_unit;
    return above > 0 ? above / range_of(quasi) * most_units : 0;
}

double hr_quasi_units(const hr_quasi *quasi, uint32_t value) {
    return rint(hr_quasi_above(quasi, quasi->number[value]));
}

double hr_quasi_unit(const hr_quasi *quasi) {
    return quasi->per_unit > 0 ? 1 / quasi->per_unit : range_of(quasi) / most_units;
}
