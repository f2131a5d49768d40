/* verify_means.c - are published means what they say? Each class's mean is worked out from the
 * original; what is published may differ from it by half a unit of its own last digit, and by what
 * rounding can do to the sum. */
#include "job/job.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Classes by row of the original. */
static hr_status pair(const hr_quasi *quasi, const hr_groups *classes, const uint32_t *row,
                      hr_groups *out, hr_error *err) {
    *out = (hr_groups){.rows = quasi->column->rows, .count = classes->count};
    out->of_row = hr_alloc_raw(out->rows, sizeof *out->of_row, err);
    if (!out->of_row) return HR_ENOMEM;
    memset(out->of_row, 0xff, out->rows * sizeof *out->of_row);
    for (size_t i = 0; i < classes->rows; i++)
        out->of_row[row ? row[i] : i] = classes->of_row[i];
    return HR_OK;
}

/* Is the text a number that the mean can be rounded to? */
static bool is_mean(const hr_quasi *quasi, const char *text, double mean) {
    double number;
    if (isnan(mean) || !hr_parse_double(text, &number)) return false;
    double least = quasi->number[0], most = quasi->number[quasi->value_count - 1];
    double half_unit = 0.5 * pow(10, -hr_decimals(text));
    return fabs(number - least - mean) <=
           half_unit * (1 + 1e-9) + 16 * DBL_EPSILON * fmax(fabs(least), fabs(most));
}

hr_status hr_verify_means(const hr_quasi *quasi, const hr_column *masked, const hr_groups *classes,
                          const uint32_t *row, bool *bad, hr_error *err) {
    hr_groups paired;
    HR_TRY(pair(quasi, classes, row, &paired, err));
    double *mean = hr_alloc_raw(classes->count, sizeof *mean, err);
    hr_status status = mean ? hr_quasi_means(quasi, &paired, mean, err) : HR_ENOMEM;
    for (size_t i = 0; status == HR_OK && i < classes->rows; i++)
        bad[i] = classes->of_row[i] != HR_NONE &&
                 !is_mean(quasi, hr_column_text(masked, i), mean[classes->of_row[i]]);
    free(mean);
    hr_groups_free(&paired);
    return status;
}
