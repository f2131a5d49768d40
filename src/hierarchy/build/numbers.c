/* numbers.c - stages whose values are numbers, and the labels of intervals. */
#include "hierarchy/build/build.h"

#include <stdlib.h>
#include <string.h>

hr_status hr_spec_scale(const char *text, const char *name, int *scale, hr_error *err) {
    double number;
    if (!hr_parse_double(text, &number))
        return hr_fail(err, HR_EINVAL, "%s: '%s' is not a number", name, text);
    int decimals = hr_decimals(text);
    if (decimals > HR_SCALE_MOST)
        return hr_fail(err, HR_EINVAL, "%s: '%s' has more than %d digits after the point", name,
                       text, HR_SCALE_MOST);
    if (decimals > *scale) *scale = decimals;
    return HR_OK;
}

hr_status hr_spec_units(const char *text, const char *name, int scale, int64_t *out,
                        hr_error *err) {
    bool exact;
    if (hr_decimal_floor(text, scale, out, &exact)) return HR_OK;
    return hr_fail(err, HR_EINVAL, "%s: '%s' is too large; a number here has at most 18 digits",
                   name, text);
}

hr_status hr_stage_no_number(const hr_stage *stage, uint32_t value, hr_error *err) {
    const char *text = stage->text[value];
    if (stage->on_labels) return hr_stage_no_fit(stage, value, "a number", err);
    if (strlen(text) > HR_NUMBER_MOST)
        return hr_stage_fail(stage, value, err,
                             "'%.20s...' is too long for a number; correct it, or list it under "
                             "`missing`",
                             text);
    const char *advice = hr_number_advice(text, stage->point);
    return hr_stage_fail(stage, value, err, "'%s' is not a number%s", text,
                         *advice ? advice
                                 : "; correct it, list it under `missing`, or choose another "
                                   "hierarchy");
}

hr_status hr_stage_parse_units(hr_stage *stage, int scale, const int64_t *bottom,
                               const int64_t *top, hr_stage_units *out, hr_error *err) {
    *out = (hr_stage_units){
        .scale = scale, .whole = scale == 0, .point = stage->point ? stage->point : '.'};
    out->units = hr_alloc_raw(stage->count, sizeof *out->units, err);
    if (!out->units) return HR_ENOMEM;
    for (uint32_t i = 0; i < stage->count; i++) {
        const char *text = stage->text[i];
        bool exact;
        if (strlen(text) > HR_NUMBER_MOST || !hr_parse_number(text, stage->point, &stage->key[i]))
            return hr_stage_no_number(stage, i, err);
        if (!hr_decimal_floor(text, scale, &out->units[i], &exact) &&
            !(out->units[i] > 0 ? top : bottom))
            return hr_stage_fail(stage, i, err,
                                 "'%s' is too large for intervals; correct it, or give `%s`", text,
                                 out->units[i] > 0 ? "top" : "bottom");
        out->whole = out->whole && exact;
    }
    return HR_OK;
}

void hr_interval_print(const hr_interval *interval, const hr_stage_units *units, hr_text *out) {
    if (interval->no_lo && interval->no_hi) {
        hr_text_puts(out, "*");
    } else if (interval->no_lo) {
        hr_text_puts(out, "<");
        hr_decimal_print(interval->hi, units->scale, units->point, out);
    } else if (interval->no_hi) {
        hr_decimal_print(interval->lo, units->scale, units->point, out);
        hr_text_puts(out, "+");
    } else if (units->whole) {
        hr_decimal_print(interval->lo, units->scale, units->point, out);
        if (interval->hi - interval->lo == 1) return;
        hr_text_puts(out, "..");
        hr_decimal_print(interval->hi - 1, units->scale, units->point, out);
    } else {
        hr_text_puts(out, "[");
        hr_decimal_print(interval->lo, units->scale, units->point, out);
        hr_text_puts(out, units->point == ',' ? "; " : ", ");
        hr_decimal_print(interval->hi, units->scale, units->point, out);
        hr_text_puts(out, "[");
    }
}
