/* verify_means.c - checks published means. The mean of each class is recomputed from the original;
 * the published text may differ from it by half a unit of the text's last digit, plus the rounding
 * error of the sum. */
#include "run/verify.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The classes as groups of original rows. */
static hr_status classes_of_original(const hr_quasi *quasi, const hr_groups *classes,
                                     const uint32_t *row, hr_groups *out, hr_error *err) {
    *out = (hr_groups){.rows = quasi->column->rows, .count = classes->count};
    out->of_row = hr_alloc_raw(out->rows, sizeof *out->of_row, err);
    if (!out->of_row) return HR_ENOMEM;
    memset(out->of_row, 0xff, out->rows * sizeof *out->of_row);
    for (size_t i = 0; i < classes->rows; i++)
        out->of_row[row ? row[i] : i] = classes->of_row[i];
    return HR_OK;
}

/* Greatest absolute value of each class, which bounds the rounding error of its mean. */
static void find_largest(const hr_quasi *quasi, const hr_groups *paired, double *largest) {
    for (size_t i = 0; i < paired->rows; i++) {
        uint32_t class = paired->of_row[i], value = hr_quasi_value(quasi, i);
        if (class != HR_NONE && value != HR_NONE)
            largest[class] = fmax(largest[class], fabs(quasi->number[value]));
    }
}

/* Is the text a number that `mean` rounds to? */
static bool is_mean(const hr_quasi *quasi, const char *text, double mean, double largest) {
    double number;
    if (isnan(mean) || !hr_parse_number(text, quasi->point, &number)) return false;
    double half_unit = 0.5 * pow(10, -hr_decimals(text));
    return fabs(number - mean) <= half_unit * (1 + 1e-9) + 16 * DBL_EPSILON * largest;
}

hr_status hr_verify_means(const hr_quasi *quasi, const hr_column *masked, const hr_groups *classes,
                          const uint32_t *row, bool *bad, hr_error *err) {
    hr_groups paired;
    HR_TRY(classes_of_original(quasi, classes, row, &paired, err));
    double *mean = hr_alloc_raw(classes->count, sizeof *mean, err);
    double *largest = hr_alloc(classes->count, sizeof *largest, err);
    hr_status status = mean && largest ? hr_quasi_means(quasi, &paired, mean, err) : HR_ENOMEM;
    if (status == HR_OK) find_largest(quasi, &paired, largest);
    for (size_t i = 0; status == HR_OK && i < classes->rows; i++) {
        uint32_t class = classes->of_row[i];
        bad[i] = class != HR_NONE &&
                 !is_mean(quasi, hr_column_text(masked, i), mean[class], largest[class]);
    }
    free(mean);
    free(largest);
    hr_groups_free(&paired);
    return status;
}
