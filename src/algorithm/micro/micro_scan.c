/* micro_scan.c - finds near and far points by a scan over all live points: the plain form, against
 * which the tree is tested. Time: O(n) per query. */
#include "algorithm/micro/micro.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const hr_points *points;
    const hr_point_values *values;
    bool *removed;
    uint32_t *listed; /* ascending; all live points and at most 1/8 removed ones */
    uint32_t listed_count, removed_count; /* removed_count: removed points in `listed` */
} scan;

static void scan_free(void *self) {
    scan *s = self;
    if (!s) return;
    free(s->removed);
    free(s->listed);
    free(s);
}

static void scan_restart(void *self) {
    scan *s = self;
    memset(s->removed, 0, s->points->count * sizeof *s->removed);
    for (uint32_t i = 0; i < s->points->count; i++)
        s->listed[i] = i;
    s->listed_count = s->points->count;
    s->removed_count = 0;
}

static hr_status scan_init(void **self, const hr_points *points, const hr_point_values *values,
                           hr_error *err) {
    scan *s = *self = hr_alloc(1, sizeof *s, err);
    if (!s) return HR_ENOMEM;
    s->points = points;
    s->values = values;
    s->removed = hr_alloc(points->count, sizeof *s->removed, err);
    s->listed = hr_alloc_raw(points->count, sizeof *s->listed, err);
    if (!s->removed || !s->listed) return HR_ENOMEM;
    scan_restart(s);
    return HR_OK;
}

static hr_neighbour measure(const scan *s, uint32_t point, const hr_location *from) {
    return (hr_neighbour){hr_distance(s->points, s->points->at + point * s->points->t, from),
                          point};
}

static uint32_t scan_furthest(void *self, const hr_location *from) {
    const scan *s = self;
    hr_neighbour best = {-1, HR_NONE};
    for (uint32_t i = 0; i < s->listed_count; i++) {
        if (s->removed[s->listed[i]]) continue;
        hr_neighbour here = measure(s, s->listed[i], from);
        if (hr_further(here, best)) best = here;
    }
    return best.point;
}

static void scan_nearest(void *self, const double *at, hr_nearest *nearest) {
    const scan *s = self;
    hr_location from = {1, at, false};
    for (uint32_t i = 0; i < s->listed_count; i++)
        if (!s->removed[s->listed[i]]) hr_nearest_offer(nearest, measure(s, s->listed[i], &from));
}

static uint32_t scan_nearest_new(void *self, const double *at) {
    const scan *s = self;
    hr_location from = {1, at, false};
    hr_neighbour best = {0, HR_NONE};
    for (uint32_t i = 0; i < s->listed_count; i++) {
        uint32_t point = s->listed[i];
        if (s->removed[point] || !hr_brings_new(s->values, point)) continue;
        hr_neighbour here = measure(s, point, &from);
        if (best.point == HR_NONE || hr_nearer(here, best)) best = here;
    }
    return best.point;
}

static void scan_remove(void *self, uint32_t point) {
    scan *s = self;
    s->removed[point] = true;
    if (++s->removed_count < s->listed_count / 8 + (s->listed_count % 8 > 0)) return;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->listed_count; i++)
        if (!s->removed[s->listed[i]]) s->listed[kept++] = s->listed[i];
    s->listed_count = kept;
    s->removed_count = 0;
}

const hr_locator hr_locator_scan = {.init = scan_init,
                                    .restart = scan_restart,
                                    .free = scan_free,
                                    .furthest = scan_furthest,
                                    .nearest = scan_nearest,
                                    .nearest_new = scan_nearest_new,
                                    .remove = scan_remove};
