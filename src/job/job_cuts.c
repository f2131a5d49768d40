/* job_cuts.c - boundaries of numbers without a hierarchy: {width: W}, {cells: N} and
 * {cuts: [A, B]}. */
#include "job/job_keys.h"

#include <string.h>

static const char *const keys[] = {
    [HR_CUTS_WIDTH] = "width", [HR_CUTS_CELLS] = "cells", [HR_CUTS_GIVEN] = "cuts"};

static size_t kind_of(const char *key, size_t length) {
    for (size_t kind = HR_CUTS_WIDTH; kind <= HR_CUTS_GIVEN; kind++)
        if (strlen(keys[kind]) == length && !memcmp(keys[kind], key, length)) return kind;
    return HR_CUTS_NONE;
}

bool hr_is_cut_key(const char *key, size_t length) {
    return kind_of(key, length) != HR_CUTS_NONE;
}

static hr_status set_width(const char *value, hr_cut_rule *rule, hr_error *err) {
    rule->kind = HR_CUTS_WIDTH;
    if (hr_parse_double(value, &rule->width) && rule->width > 0) return HR_OK;
    return hr_fail(err, HR_EINVAL, "boundary: the width '%s' is not a number greater than 0",
                   value);
}

static hr_status set_cells(const char *value, hr_cut_rule *rule, hr_error *err) {
    static const hr_option option = {
        .name = "cells", .type = HR_OPTION_INT, .min = 1, .max = HR_CELLS_MAX};
    int64_t cells;
    hr_status status = hr_option_set(&option, &cells, value, err);
    if (status != HR_OK) return hr_fail_prefix(err, status, "boundary");
    *rule = (hr_cut_rule){.kind = HR_CUTS_CELLS, .cells = (uint32_t)cells};
    return HR_OK;
}

static hr_status set_points(hr_job *job, const char *const *values, size_t count, hr_cut_rule *rule,
                            hr_error *err) {
    double *points = hr_arena_alloc(&job->arena, count, sizeof *points, err);
    if (!points) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (!hr_parse_double(values[i], &points[i]))
            return hr_fail(err, HR_EINVAL, "boundary: the cut point '%s' is not a number",
                           values[i]);
        if (i > 0 && points[i] <= points[i - 1])
            return hr_fail(err, HR_EINVAL,
                           "boundary: cut points ascend, and %s is followed by %s: a cell begins "
                           "at each of them",
                           values[i - 1], values[i]);
    }
    *rule = (hr_cut_rule){.kind = HR_CUTS_GIVEN, .points = points, .point_count = count};
    return HR_OK;
}

hr_status hr_node_choice_set_cuts(hr_job *job, hr_node_choice *choice, const char *key,
                                  const char *const *values, size_t count, hr_error *err) {
    hr_cut_rule rule = {0};
    size_t kind = kind_of(key, strlen(key));
    if (kind != HR_CUTS_GIVEN && count != 1)
        return hr_fail(err, HR_EINVAL, "boundary: `%s` takes one number", key);
    switch (kind) {
    case HR_CUTS_WIDTH: HR_TRY(set_width(values[0], &rule, err)); break;
    case HR_CUTS_CELLS: HR_TRY(set_cells(values[0], &rule, err)); break;
    default: HR_TRY(set_points(job, values, count, &rule, err)); break;
    }
    *choice = (hr_node_choice){.cuts = rule};
    return HR_OK;
}

hr_status hr_node_choice_parse_cuts(hr_job *job, hr_node_choice *choice, const char *text,
                                    hr_error *err) {
    size_t count = 1;
    for (const char *c = text; *c; c++)
        count += *c == ',';
    char *copy = hr_arena_text(&job->arena, text, strlen(text), err);
    const char **values = hr_arena_alloc(&job->arena, count, sizeof *values, err);
    if (!copy || !values) return HR_ENOMEM;
    char *rest = copy + strcspn(copy, ":");
    for (size_t i = 0; i < count; i++) {
        *rest++ = '\0'; /* ends the key, or the number before this one */
        rest += strspn(rest, " ");
        values[i] = rest;
        rest += strcspn(rest, ",");
    }
    return hr_node_choice_set_cuts(job, choice, copy, values, count, err);
}
