/* micro.h - what the microaggregation algorithms share: rows as points, the group that is being
 * made, and two ways of finding near and far points: by scanning, and by a tree.
 *
 * A coordinate is a whole number: how many units of the column's last digit a value lies above the
 * least. Sums of whole numbers are exact in any order, so the centroid of the rows that are left
 * neither drifts nor depends on how it was come by, and adding a constant to a column changes
 * nothing. Distances are computed by one expression in one order everywhere; each of its steps
 * rounds monotonically, so the same expression at the edge of a box bounds all points in it. */
#ifndef HR_MICRO_H
#define HR_MICRO_H

#include "algorithm/algorithm.h"

typedef struct {
    int standardize;  /* HR_STANDARDIZE_... */
    int64_t decimals; /* digits after the point of published means, or HR_DECIMALS_OF_INPUT */
} hr_micro_options;

/* Unit of distances in an attribute: its standard deviation, its range, or 1. */
enum { HR_STANDARDIZE_DEVIATION, HR_STANDARDIZE_RANGE, HR_STANDARDIZE_NONE };

typedef struct {
    size_t t;
    uint32_t count;
    double *at;           /* count x t */
    const double *factor; /* t: what a unit counts */
} hr_points;

/* Where distances are measured from: sum / scale. */
typedef struct {
    double scale;
    const double *sum; /* t */
    bool centre;       /* of all live points: it moves little from one question to the next */
} hr_from;

/* scale² times the squared distance. */
static inline double hr_distance(const hr_points *points, const double *at, const hr_from *from) {
    double sum = 0;
    for (size_t j = 0; j < points->t; j++) {
        double part = (from->scale * at[j] - from->sum[j]) * points->factor[j];
        sum += part * part;
    }
    return sum;
}

/* The sensitive values of the points. Values of all attributes are numbered through. */
typedef struct {
    size_t r;        /* attributes; 0: p asks for nothing */
    uint32_t total;  /* values */
    uint32_t *value; /* count x r; HR_NONE: missing */
    uint64_t *seen;  /* one bit a value: is it in the group at hand? */
} hr_point_values;

static inline bool hr_value_seen(const hr_point_values *values, uint32_t value) {
    return values->seen[value / 64] >> value % 64 & 1;
}

/* Does the point bring a value that the group lacks? */
static inline bool hr_brings_new(const hr_point_values *values, uint32_t point) {
    for (size_t l = 0; l < values->r; l++) {
        uint32_t value = values->value[point * values->r + l];
        if (value != HR_NONE && !hr_value_seen(values, value)) return true;
    }
    return false;
}

/* A distance and its point. Of equal distances the lower point counts as nearer and as further. */
typedef struct {
    double distance;
    uint32_t point;
} hr_near;

static inline bool hr_nearer(hr_near a, hr_near b) {
    return a.distance != b.distance ? a.distance < b.distance : a.point < b.point;
}

static inline bool hr_further(hr_near a, hr_near b) {
    return a.distance != b.distance ? a.distance > b.distance : a.point < b.point;
}

/* The nearest so far, the furthest of them on top. */
typedef struct {
    hr_near *items;
    uint32_t count, wanted;
} hr_nearest;

void hr_nearest_offer(hr_nearest *nearest, hr_near item);

/* One way of finding points. All points are live at first. */
typedef struct {
    hr_status (*init)(void **self, const hr_points *points, const hr_point_values *values,
                      hr_error *err);
    void (*restart)(void *self); /* all points are live again */
    void (*free)(void *self);    /* NULL is fine */
    uint32_t (*furthest)(void *self, const hr_from *from);
    /* Offer live points, until none can be among the nearest to a place. */
    void (*nearest)(void *self, const double *from, hr_nearest *nearest);
    /* The nearest that brings a value which the group lacks; HR_NONE: there is none. */
    uint32_t (*nearest_new)(void *self, const double *from);
    void (*remove)(void *self, uint32_t point);
} hr_locator;

extern const hr_locator hr_locator_scan, hr_locator_tree;

/* ---- micro.c ---- */

typedef struct {
    const hr_cell_task *task;
    hr_clusters *out;
    const hr_locator *locator;
    void *self; /* the locator's own */
    hr_arena arena;
    hr_points points; /* in the order of task->rows */
    hr_point_values values;
    bool silent; /* rows do not count as progress */

    uint32_t live;
    int64_t *high, *low; /* t: sums of the live points, in two parts so that they are exact */
    double *centre;      /* t: the same, rounded */
    uint32_t *left;      /* live points of each value */
    uint32_t *values_left, *values_in; /* r: values among the live points; in the group at hand */
    uint32_t size;                     /* of the group at hand */
    uint32_t *members;                 /* of the group at hand */
    hr_near *found;                    /* room for the nearest */
} hr_micro;

extern const hr_option hr_micro_option_table[]; /* of hr_micro_options */
/* The option `decimals`. */
int hr_micro_decimals(const void *options);

/* Make groups of the rows of a cell. */
hr_status hr_micro_run(const hr_cell_task *task, const hr_locator *locator,
                       hr_status (*make_groups)(hr_micro *m, hr_error *err), hr_clusters *out,
                       hr_error *err);
/* All rows are live again, and no group is made. */
void hr_micro_restart(hr_micro *m);

uint32_t hr_micro_furthest_from_centre(hr_micro *m);
uint32_t hr_micro_furthest_from(hr_micro *m, uint32_t point);
/* The nearest that brings a sensitive value which the group at hand lacks. */
uint32_t hr_micro_nearest_new(hr_micro *m, uint32_t point);
/* Into the group at hand. */
void hr_micro_take(hr_micro *m, uint32_t point);
/* The live points nearest to the seed, until the group at hand has `size`. */
void hr_micro_fill(hr_micro *m, uint32_t seed, uint32_t size);
/* The group at hand is finished. */
hr_status hr_micro_close(hr_micro *m, hr_error *err);
/* Does the group at hand have p values of each sensitive attribute? */
bool hr_micro_p_sensitive(const hr_micro *m);
/* All live points to the group with the nearest centroid; centroids stay as they are. */
hr_status hr_micro_disperse(hr_micro *m, hr_error *err);

/* ---- mdav.c ---- */

/* Groups of k rows. With `sensitive` (or NULL): is every group p-sensitive? It stops once one is
 * not. */
hr_status hr_mdav(hr_micro *m, uint32_t k, bool *sensitive, hr_error *err);

#endif
