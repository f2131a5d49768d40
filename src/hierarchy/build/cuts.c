/* cuts.c - intervals between given points: {cuts: [[0, 18, 30, 65], [0, 65]]}. The points of a
 * level are among those of the level before, so that levels nest. */
#include "hierarchy/build/build.h"

#include <stdlib.h>

typedef struct {
    int64_t *points; /* ascending */
    size_t count;
} cut_level;

typedef struct {
    int scale;
    cut_level *levels;
    size_t count;
} cut_plan;

/* `cuts: [18, 65]` is one level, `cuts: [[18, 65], [18]]` are two. */
static bool is_one_level(const hr_spec *cuts) {
    return cuts->kind == HR_SPEC_TEXT || (cuts->count > 0 && cuts->items[0].kind == HR_SPEC_TEXT);
}

static hr_status no_points(hr_error *err) {
    return hr_fail(err, HR_EINVAL, "cuts: write lists of numbers, such as [[0, 18, 65], [0, 65]]");
}

static hr_status raise_scale(const hr_spec *points, int *scale, hr_error *err) {
    if (points->kind == HR_SPEC_MAP || hr_spec_count(points) == 0) return no_points(err);
    for (size_t i = 0; i < hr_spec_count(points); i++) {
        const char *text = NULL;
        HR_TRY(hr_spec_text(hr_spec_item(points, i), "cuts", "numbers", &text, err));
        HR_TRY(hr_spec_scale(text, "cuts", scale, err));
    }
    return HR_OK;
}

static bool has_point(const cut_level *level, int64_t point) {
    for (size_t i = 0; i < level->count; i++)
        if (level->points[i] == point) return true;
    return false;
}

static hr_status read_level(const hr_spec *points, int scale, const cut_level *below,
                            cut_level *out, hr_arena *arena, hr_error *err) {
    out->points = hr_arena_alloc(arena, hr_spec_count(points), sizeof *out->points, err);
    if (!out->points) return HR_ENOMEM;
    for (; out->count < hr_spec_count(points); out->count++) {
        const char *text = hr_spec_item(points, out->count)->text;
        int64_t *point = &out->points[out->count];
        HR_TRY(hr_spec_units(text, "cuts", scale, point, err));
        if (out->count > 0 && *point <= point[-1])
            return hr_fail(err, HR_EINVAL, "cuts: %s comes after a point that is not less", text);
        if (below && !has_point(below, *point))
            return hr_fail(err, HR_EINVAL,
                           "cuts: %s is not a point of the level before: an interval there would "
                           "be divided between two",
                           text);
    }
    return HR_OK;
}

static hr_status parse(const hr_spec *map, hr_arena *arena, void **plan, hr_error *err) {
    const hr_spec *cuts = hr_spec_find(map, "cuts");
    if (cuts->kind == HR_SPEC_MAP) return no_points(err);
    bool one = is_one_level(cuts);
    cut_plan *p = hr_arena_alloc(arena, 1, sizeof *p, err);
    if (!p) return HR_ENOMEM;
    p->count = one ? 1 : cuts->count;
    if (p->count == 0) return no_points(err);
    p->levels = hr_arena_alloc(arena, p->count, sizeof *p->levels, err);
    if (!p->levels) return HR_ENOMEM;
    for (size_t l = 0; l < p->count; l++)
        HR_TRY(raise_scale(one ? cuts : &cuts->items[l], &p->scale, err));
    for (size_t l = 0; l < p->count; l++)
        HR_TRY(read_level(one ? cuts : &cuts->items[l], p->scale, l ? &p->levels[l - 1] : NULL,
                          &p->levels[l], arena, err));
    *plan = p;
    return HR_OK;
}

static hr_interval find_interval(const cut_level *level, int64_t value) {
    size_t low = 0, high = level->count; /* points at or below the value */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (level->points[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    hr_interval found = {.no_lo = low == 0, .no_hi = low == level->count};
    if (!found.no_lo) found.lo = level->points[low - 1];
    if (!found.no_hi) found.hi = level->points[low];
    return found;
}

static hr_status add_level(const cut_plan *p, size_t l, const hr_stage_units *units,
                           hr_stage *stage, hr_text *label, hr_error *err) {
    char name[32];
    hr_level *level;
    snprintf(name, sizeof name, "cuts %zu", l + 1);
    HR_TRY(hr_stage_add(stage, name, &level, err));
    for (uint32_t i = 0; i < stage->count; i++) {
        hr_interval found = find_interval(&p->levels[l], units->units[i]);
        hr_interval_print(&found, units, label);
        HR_TRY(hr_level_set_text(level, i, label, err));
    }
    return HR_OK;
}

static hr_status build(const void *plan, hr_stage *stage, hr_error *err) {
    const cut_plan *p = plan;
    const cut_level *finest = &p->levels[0];
    hr_stage_units units;
    hr_text label = {0};
    hr_status status = hr_stage_parse_units(stage, p->scale, &finest->points[0],
                                            &finest->points[finest->count - 1], &units, err);
    for (size_t l = 0; l < p->count && status == HR_OK; l++)
        status = add_level(p, l, &units, stage, &label, err);
    hr_text_free(&label);
    free(units.units);
    return status;
}

const hr_builder hr_builder_cuts = {
    .name = "cuts",
    .title = "Intervals between given points",
    .argument = "[[POINT, POINT], [POINT]]",
    .help = "<0, 0..17, 18..64, 65+ for [0, 18, 65]; each level uses points of the one before",
    .parse = parse,
    .build = build,
};
