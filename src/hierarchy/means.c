/* means.c - what a group of rows publishes in place of a value that covers them: the mean of its
 * numbers, with as many digits after the point as the input has. */
#include "hierarchy/hierarchy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const hr_quasi *quasi, size_t row) {
    uint32_t value = hr_quasi_value(quasi, row);
    return value == HR_NONE ? NAN : quasi->number[value];
}

/* Add to each group's mean the mean of what its numbers are off it. Each is divided before it is
 * added: the sum of large numbers may be too large. */
static void improve(const hr_quasi *quasi, const hr_groups *groups, const uint32_t *size,
                    double *mean, double *off) {
    memset(off, 0, groups->count * sizeof *off);
    for (size_t row = 0; row < groups->rows; row++) {
        uint32_t g = groups->of_row[row];
        if (g != HR_NONE) off[g] += (number_of(quasi, row) - mean[g]) / size[g];
    }
    for (uint32_t g = 0; g < groups->count; g++)
        mean[g] += off[g];
}

/* The first number of a group is near its mean, so that an offset costs no digits. */
hr_status hr_quasi_means(const hr_quasi *quasi, const hr_groups *groups, double *out,
                         hr_error *err) {
    uint32_t *size = hr_alloc(groups->count, sizeof *size, err);
    double *off = hr_alloc_raw(groups->count, sizeof *off, err);
    hr_status status = size && off ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        memset(out, 0, groups->count * sizeof *out);
        for (size_t row = 0; row < groups->rows; row++) {
            uint32_t g = groups->of_row[row];
            if (g != HR_NONE && size[g]++ == 0) out[g] = number_of(quasi, row);
        }
        improve(quasi, groups, size, out, off);
        improve(quasi, groups, size, out, off); /* what rounding left in a long sum */
    }
    free(size);
    free(off);
    return status;
}

/* "-0.00" is no number of its own. */
static bool is_zero(const char *text) {
    return text[strspn(text, "-0.")] == '\0';
}

void hr_quasi_mean_text(const hr_quasi *quasi, double mean, int decimals, hr_text *out) {
    char text[HR_NUMBER_MOST + 1];
    if (decimals == HR_DECIMALS_OF_INPUT) decimals = quasi->decimals;
    int length = snprintf(text, sizeof text, "%.*f", decimals, mean);
    if (decimals > HR_DECIMALS_MOST || length < 0 || (size_t)length >= sizeof text)
        snprintf(text, sizeof text, "%.17g", mean); /* too long for a number of a table */
    char *point = strchr(text, ',');                /* printf follows the caller's locale */
    if (point) *point = '.';
    hr_text_puts(out, text + (*text == '-' && is_zero(text)));
}
