/* job_recode.c - kept columns that are recoded, the same way for all rows: {round: 100},
 * {bottom: 18, top: 90}, or {hierarchy: ..., level: month}. Here the keys are read and checked
 * against each other; run/recode.c applies them. */
#include "job/job_keys.h"

#include <string.h>

/* Does the attribute have `round`, `bottom` or `top`? */
static bool recodes_numbers(const hr_attribute *attribute) {
    return attribute->round || attribute->top || attribute->bottom;
}

bool hr_attribute_recodes(const hr_attribute *attribute) {
    return attribute->role == HR_ROLE_KEEP && (attribute->level || recodes_numbers(attribute));
}

void hr_attribute_recoding_text(const hr_attribute *attribute, hr_text *out) {
    const hr_setting keys[] = {{"hierarchy", attribute->level ? attribute->hierarchy : NULL},
                               {"level", attribute->level},
                               {"round", attribute->round},
                               {"bottom", attribute->bottom},
                               {"top", attribute->top}};
    const char *separator = "";
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!keys[i].value) continue;
        hr_text_printf(out, "%s%s: %s", separator, keys[i].name, keys[i].value);
        separator = ", ";
    }
}

/* ---- numbers ---- */

hr_status hr_recode_numbers_parse(const hr_attribute *attribute, hr_recode_numbers *out,
                                  hr_error *err) {
    const char *const names[] = {"round", "bottom", "top"};
    const char *const texts[] = {attribute->round, attribute->bottom, attribute->top};
    int64_t *const places[] = {&out->round, &out->bottom, &out->top};
    *out = (hr_recode_numbers){.has_bottom = texts[1], .has_top = texts[2]};
    for (size_t i = 0; i < 3; i++)
        if (texts[i]) HR_TRY(hr_spec_scale(texts[i], names[i], &out->scale, err));
    out->scale++; /* so that half of `round` is a whole number of units */
    for (size_t i = 0; i < 3; i++)
        if (texts[i]) HR_TRY(hr_spec_units(texts[i], names[i], out->scale, places[i], err));
    if (texts[0] && out->round <= 0)
        return hr_fail(err, HR_EINVAL, "round: '%s' is not a number greater than 0", texts[0]);
    return HR_OK;
}

/* Fails if a limit is not a multiple of `round`: it would split an interval that is rounded to one
 * number. */
static hr_status check_multiple(const hr_attribute *a, const char *name, const char *text,
                                int64_t limit, int64_t round, hr_error *err) {
    if (!text || !round || limit % round == 0) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   "kept column '%s': %s: %s is not a multiple of round: %s; write one that is",
                   a->name, name, text, a->round);
}

static hr_status check_numbers(const hr_attribute *a, hr_error *err) {
    hr_recode_numbers numbers;
    HR_TRY(hr_recode_numbers_parse(a, &numbers, err));
    if (a->bottom && a->top && numbers.bottom >= numbers.top)
        return hr_fail(err, HR_EINVAL, "kept column '%s': bottom (%s) must be less than top (%s)",
                       a->name, a->bottom, a->top);
    HR_TRY(check_multiple(a, "bottom", a->bottom, numbers.bottom, numbers.round, err));
    return check_multiple(a, "top", a->top, numbers.top, numbers.round, err);
}

/* ---- the whole ---- */

hr_status hr_recoding_check(const hr_attribute *a, hr_error *err) {
    if (a->hierarchy && !a->level)
        return hr_fail(err, HR_EINVAL,
                       "kept column '%s' has a hierarchy and no level: write the level that all "
                       "values are released at, such as `level: 1`",
                       a->name);
    if (a->level && !a->hierarchy)
        return hr_fail(err, HR_EINVAL,
                       "kept column '%s' has a level and no hierarchy: write `hierarchy: FILE` or "
                       "a builder such as {date: [month]}",
                       a->name);
    if (a->level && recodes_numbers(a))
        return hr_fail(err, HR_EINVAL,
                       "kept column '%s' has a hierarchy and also `round`, `top` or `bottom`: keep "
                       "one of the two (the builder `intervals` takes a top and a bottom, too)",
                       a->name);
    return recodes_numbers(a) ? check_numbers(a, err) : HR_OK;
}
