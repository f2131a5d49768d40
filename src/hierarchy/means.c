/* means.c - the means of groups of numbers, for algorithms that publish a mean instead of a value
 * that covers the numbers, and their texts. */
#include "hierarchy/hierarchy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const hr_quasi *quasi, size_t row) {
    uint32_t value = hr_quasi_value(quasi, row);
    return value == HR_NONE ? NAN : quasi->number[value];
}

/* Adds to the mean of each group the mean difference of its numbers from it. Each difference is
 * divided before it is added, because the sum of large numbers may overflow. */
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

/* Starts from the first number of a group, which is near its mean, so that a large constant in all
 * numbers costs no digits. */
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
        improve(quasi, groups, size, out, off); /* corrects the rounding error of a long sum */
    }
    free(size);
    free(off);
    return status;
}

/* True for "0.00" and "-0.00", which is published without the sign. */
static bool is_zero(const char *text) {
    return text[strspn(text, "-0.,")] == '\0';
}

void hr_quasi_mean_text(const hr_quasi *quasi, double mean, int decimals, hr_text *out) {
    char text[HR_NUMBER_MOST + 1];
    if (decimals == HR_DECIMALS_OF_INPUT) decimals = quasi->decimals;
    int length = snprintf(text, sizeof text, "%.*f", decimals, mean);
    if (decimals > HR_DECIMALS_MOST || length < 0 || (size_t)length >= sizeof text)
        snprintf(text, sizeof text, "%.17g", mean); /* longer than numbers of tables may be */
    char *point = strpbrk(text, ",.");              /* printf follows the caller's locale */
    if (point) *point = quasi->point ? quasi->point : '.';
    hr_text_puts(out, text + (*text == '-' && is_zero(text)));
}
