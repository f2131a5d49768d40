/* published_numbers.c - checks whether published numbers and intervals of a quasi-identifier
 * without a hierarchy leave the cell of the number that they replace. */
#include "run/verify.h"

#include <math.h>

/* The place value of the last digit of the more precise number: 0.1 for 2.5 and 10. */
static double last_digit(double a, double b) {
    double unit = 1;
    for (int digits = 0; digits < 12; digits++, unit /= 10) {
        double x = a / unit, y = b / unit;
        if (fabs(x - rint(x)) < 1e-6 && fabs(y - rint(y)) < 1e-6) break;
    }
    return unit;
}

/* An open end excludes one unit of the last digit: [20, 30[ are the numbers from 20 to 29. */
bool hr_published_too_wide(const hr_published_value *published, double width) {
    if (!isfinite(published->lo) || !isfinite(published->hi)) return true;
    double unit = last_digit(published->lo, published->hi);
    double open = unit * (published->lo_open + published->hi_open);
    return published->hi - published->lo - open > width + unit * 1e-6;
}

/* Does a cut point of the rule lie in the interval, above its least number? */
bool hr_published_crosses(const hr_published_value *published, const hr_cut_rule *rule) {
    for (size_t i = 0; i < rule->point_count; i++) {
        double point = rule->points[i];
        if (published->lo < point &&
            (published->hi_open ? published->hi > point : published->hi >= point))
            return true;
    }
    return false;
}

/* The outer cells end at the ends of the job's range. An open end may lie one unit of the last
 * digit past it: [140, 151[ are the numbers up to 150. */
bool hr_published_leaves_range(const hr_published_value *published, const double *range) {
    if (!isfinite(published->lo) || !isfinite(published->hi)) return true;
    double unit = last_digit(published->lo, published->hi), rounding = unit * 1e-6;
    double least = published->lo + (published->lo_open ? unit : 0);
    double most = published->hi - (published->hi_open ? unit : 0);
    return least < range[0] - rounding || most > range[1] + rounding;
}

/* Does the interval contain a number of another cell? */
static bool holds_others(const hr_quasi *quasi, const hr_published_value *published,
                         uint32_t value) {
    uint32_t first = quasi->magval[value], next = hr_quasi_next_cell(quasi, value);
    bool below = first > 0 && hr_published_covers(quasi, published, first - 1);
    return below || (next < quasi->value_count && hr_published_covers(quasi, published, next));
}

bool hr_published_leaves_cell(const hr_quasi *quasi, const hr_published_value *published,
                              uint32_t value) {
    const hr_cut_rule *rule = &quasi->rule;
    if (published->kind != HR_PUBLISHED_INTERVAL || !rule->kind) return false;
    if (rule->kind == HR_CUTS_WIDTH && hr_published_too_wide(published, rule->width)) return true;
    if (rule->kind == HR_CUTS_GIVEN && hr_published_crosses(published, rule)) return true;
    if (quasi->range && hr_published_leaves_range(published, quasi->range)) return true;
    return quasi->bounded && holds_others(quasi, published, value);
}

/* The published digits of a mean may be fewer than those of the numbers. */
bool hr_mean_leaves_cell(const hr_quasi *quasi, double mean, uint32_t value) {
    if (!quasi->bounded) return false;
    double half = last_digit(mean, mean) / 2 * (1 + 1e-6);
    double least = quasi->number[quasi->magval[value]];
    double most = quasi->number[hr_quasi_next_cell(quasi, value) - 1];
    return mean < least - half || mean > most + half;
}
