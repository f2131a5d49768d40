/* intervals.c - intervals of equal width: {intervals: [5, 10], from: 0, bottom: 20, top: 90}. All
 * levels begin at `from`, and each width is a multiple of the one before, so that levels nest. */
#include "hierarchy/build/build.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int scale;
    size_t count;
    int64_t *widths;
    const char **names; /* the widths as they were written */
    int64_t from, bottom, top;
    bool has_bottom, has_top;
} interval_plan;

/* Reads a text and raises the scale to its digits. */
static hr_status read_text(const hr_spec *spec, const char *name, const char **text, int *scale,
                           hr_error *err) {
    HR_TRY(hr_spec_text(spec, name, "a number", text, err));
    return hr_spec_scale(*text, name, scale, err);
}

static hr_status read_widths(interval_plan *p, hr_error *err) {
    for (size_t i = 0; i < p->count; i++) {
        HR_TRY(hr_spec_units(p->names[i], "intervals", p->scale, &p->widths[i], err));
        if (p->widths[i] <= 0)
            return hr_fail(err, HR_EINVAL, "intervals: '%s' is not a width greater than 0",
                           p->names[i]);
        if (i > 0 && (p->widths[i] <= p->widths[i - 1] || p->widths[i] % p->widths[i - 1]))
            return hr_fail(err, HR_EINVAL,
                           "intervals: %s after %s: intervals of these widths would overlap, so "
                           "each width must be a multiple of the one before",
                           p->names[i], p->names[i - 1]);
    }
    return HR_OK;
}

/* The keys `from`, `bottom` and `top`; each may be absent. */
static hr_status read_limits(interval_plan *p, const char *const texts[3], hr_error *err) {
    static const char *const names[] = {"from", "bottom", "top"};
    int64_t *const places[] = {&p->from, &p->bottom, &p->top};
    for (size_t i = 0; i < 3; i++)
        if (texts[i]) HR_TRY(hr_spec_units(texts[i], names[i], p->scale, places[i], err));
    p->has_bottom = texts[1] != NULL;
    p->has_top = texts[2] != NULL;
    if (p->has_bottom && p->has_top && p->bottom >= p->top)
        return hr_fail(err, HR_EINVAL, "intervals: bottom (%s) must be less than top (%s)",
                       texts[1], texts[2]);
    return HR_OK;
}

static hr_status parse(const hr_spec *map, hr_arena *arena, void **plan, hr_error *err) {
    static const char *const keys[] = {"from", "bottom", "top"};
    const hr_spec *widths = hr_spec_find(map, "intervals");
    const char *limits[3] = {0};
    interval_plan *p = hr_arena_alloc(arena, 1, sizeof *p, err);
    if (!p) return HR_ENOMEM;
    p->count = widths->kind == HR_SPEC_MAP ? 0 : hr_spec_count(widths);
    if (p->count == 0)
        return hr_fail(err, HR_EINVAL, "intervals: write a width, or a list such as [5, 10]");
    p->widths = hr_arena_alloc(arena, p->count, sizeof *p->widths, err);
    p->names = hr_arena_alloc(arena, p->count, sizeof *p->names, err);
    if (!p->widths || !p->names) return HR_ENOMEM;
    for (size_t i = 0; i < p->count; i++)
        HR_TRY(read_text(hr_spec_item(widths, i), "intervals", &p->names[i], &p->scale, err));
    for (size_t i = 0; i < 3; i++) {
        const hr_spec *limit = hr_spec_find(map, keys[i]);
        if (limit) HR_TRY(read_text(limit, keys[i], &limits[i], &p->scale, err));
    }
    HR_TRY(read_widths(p, err));
    HR_TRY(read_limits(p, limits, err));
    *plan = p;
    return HR_OK;
}

/* The interval of a value at a level. `bottom` and `top` cut the intervals that they lie in. */
static hr_interval find_interval(const interval_plan *p, int64_t width, int64_t value) {
    if (p->has_bottom && value < p->bottom) return (hr_interval){.hi = p->bottom, .no_lo = true};
    if (p->has_top && value >= p->top) return (hr_interval){.lo = p->top, .no_hi = true};
    int64_t above = (value - p->from) % width;
    if (above < 0) above += width;
    hr_interval found = {.lo = value - above, .hi = value - above + width};
    if (p->has_bottom && found.lo < p->bottom) found.lo = p->bottom;
    if (p->has_top && found.hi > p->top) found.hi = p->top;
    return found;
}

static hr_status add_level(const interval_plan *p, size_t l, const hr_stage_units *units,
                           hr_stage *stage, hr_text *label, hr_error *err) {
    char name[64];
    hr_level *level;
    snprintf(name, sizeof name, "width %s", p->names[l]);
    HR_TRY(hr_stage_add(stage, name, &level, err));
    for (uint32_t i = 0; i < stage->count; i++) {
        hr_interval found = find_interval(p, p->widths[l], units->units[i]);
        hr_interval_print(&found, units, label);
        HR_TRY(hr_level_set_text(level, i, label, err));
    }
    return HR_OK;
}

static hr_status build(const void *plan, hr_stage *stage, hr_error *err) {
    const interval_plan *p = plan;
    hr_stage_units units;
    hr_text label = {0};
    hr_status status = hr_stage_parse_units(stage, p->scale, p->has_bottom ? &p->bottom : NULL,
                                            p->has_top ? &p->top : NULL, &units, err);
    for (size_t l = 0; l < p->count && status == HR_OK; l++)
        status = add_level(p, l, &units, stage, &label, err);
    hr_text_free(&label);
    free(units.units);
    return status;
}

const hr_builder hr_builder_intervals = {
    .name = "intervals",
    .title = "Intervals of equal width",
    .argument = "[WIDTH, WIDTH]",
    .help = "20..24 by width; from: an end (0); bottom and top join what lies beyond: <18, 90+",
    .keys = "from bottom top",
    .parse = parse,
    .build = build,
};
