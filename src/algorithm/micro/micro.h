/* micro.h - shared by the microaggregation algorithms: rows as points, the cluster that is being
 * made, and two ways of finding near and far points, by scanning and by a tree.
 *
 * A coordinate is a whole number: the distance of a value from the column's least value, in units
 * of the column's last digit. Sums of whole numbers are exact in any order, so the centroid of the
 * live points neither drifts nor depends on the order of removals, and adding a constant to a
 * column changes nothing. hr_distance is the only expression for distances. Each of its steps
 * rounds monotonically, so its value at the edge of a box bounds its value at every point in the
 * box. */
#ifndef HR_MICRO_H
#define HR_MICRO_H

#include "algorithm/algorithm.h"

typedef struct {
    int standardize;  /* HR_STANDARDIZE_... */
    int64_t decimals; /* digits after the point of published means, or HR_DECIMALS_OF_INPUT */
} hr_micro_options;

/* Unit of distances in an attribute: its standard deviation, its range, or 1. */
enum { HR_STANDARDIZE_DEVIATION, HR_STANDARDIZE_RANGE, HR_STANDARDIZE_NONE };

/* ---- points and distances ---- */

typedef struct {
    size_t t; /* dimensions: the quasi-identifiers */
    uint32_t count;
    double *at;           /* count x t: coordinates */
    const double *factor; /* per dimension: length of a unit */
} hr_points;

/* A location that distances are measured from: sum / scale. */
typedef struct {
    double scale;
    const double *sum; /* per dimension */
    bool centre; /* it is the centroid of the live points, which moves little between queries */
} hr_location;

/* scale² times the squared distance of coordinates `at` from a location. */
static inline double hr_distance(const hr_points *points, const double *at,
                                 const hr_location *from) {
    double sum = 0;
    for (size_t j = 0; j < points->t; j++) {
        double part = (from->scale * at[j] - from->sum[j]) * points->factor[j];
        sum += part * part;
    }
    return sum;
}

/* A point and its distance. Of two points at the same distance the lower one is both nearer and
 * further. */
typedef struct {
    double distance;
    uint32_t point;
} hr_neighbour;

static inline bool hr_nearer(hr_neighbour a, hr_neighbour b) {
    return a.distance != b.distance ? a.distance < b.distance : a.point < b.point;
}

static inline bool hr_further(hr_neighbour a, hr_neighbour b) {
    return a.distance != b.distance ? a.distance > b.distance : a.point < b.point;
}

/* The nearest points so far: a heap with the furthest on top. */
typedef struct {
    hr_neighbour *items; /* room for `wanted` */
    uint32_t count, wanted;
} hr_nearest;

void hr_nearest_offer(hr_nearest *nearest, hr_neighbour item);

/* ---- sensitive values ---- */

/* The sensitive values of the points. Values are numbered consecutively over all attributes. */
typedef struct {
    size_t r;        /* attributes; 0 if p is 1 */
    uint32_t total;  /* values of all attributes */
    uint32_t *value; /* count x r; HR_NONE: missing */
    uint64_t *seen;  /* a bit per value: it occurs in the current cluster */
} hr_point_values;

static inline bool hr_value_seen(const hr_point_values *values, uint32_t value) {
    return values->seen[value / 64] >> value % 64 & 1;
}

/* Does the point have a value that the current cluster lacks? */
static inline bool hr_brings_new(const hr_point_values *values, uint32_t point) {
    for (size_t l = 0; l < values->r; l++) {
        uint32_t value = values->value[point * values->r + l];
        if (value != HR_NONE && !hr_value_seen(values, value)) return true;
    }
    return false;
}

/* ---- finding points ---- */

/* A way of finding points. A point is live until it is removed. */
typedef struct {
    hr_status (*init)(void **self, const hr_points *points, const hr_point_values *values,
                      hr_error *err);
    void (*restart)(void *self); /* make all points live again */
    void (*free)(void *self);    /* accepts NULL */
    uint32_t (*furthest)(void *self, const hr_location *from);
    /* Offers live points to `nearest` until no other can be among the nearest. */
    void (*nearest)(void *self, const double *from, hr_nearest *nearest);
    /* The nearest point with a value that the current cluster lacks; HR_NONE: there is none. */
    uint32_t (*nearest_new)(void *self, const double *from);
    void (*remove)(void *self, uint32_t point);
} hr_locator;

extern const hr_locator hr_locator_scan, hr_locator_tree;

/* ---- micro.c ---- */

/* The clustering of one cell. */
typedef struct {
    const hr_cell_task *task;
    hr_clusters *out;
    const hr_locator *locator;
    void *self; /* of the locator */
    hr_arena arena;
    hr_points points; /* in the order of task->rows */
    hr_point_values values;
    bool silent; /* finished clusters do not count as progress */

    /* live points */
    uint32_t live;         /* their number */
    int64_t *high, *low;   /* per dimension: sum of coordinates, in two parts so that it is exact */
    double *centre;        /* per dimension: the same sum, rounded */
    uint32_t *value_rows;  /* per sensitive value: points that have it */
    uint32_t *values_left; /* per sensitive attribute: distinct values */

    /* the current cluster */
    uint32_t size;
    uint32_t *members;
    uint32_t *values_in; /* per sensitive attribute: distinct values */
    hr_neighbour *found; /* scratch for hr_nearest */
} hr_micro;

extern const hr_option hr_micro_option_table[]; /* of hr_micro_options */
int hr_micro_decimals(const void *options);

/* Clusters the rows of a cell: prepares the points and calls `make_clusters`. */
hr_status hr_micro_run(const hr_cell_task *task, const hr_locator *locator,
                       hr_status (*make_clusters)(hr_micro *m, hr_error *err), hr_clusters *out,
                       hr_error *err);
/* Undoes all clusters and makes all points live. */
void hr_micro_restart(hr_micro *m);

/* Live points. */
uint32_t hr_micro_furthest_from_centre(hr_micro *m);
uint32_t hr_micro_furthest_from(hr_micro *m, uint32_t point);
/* The nearest with a sensitive value that the current cluster lacks. */
uint32_t hr_micro_nearest_new(hr_micro *m, uint32_t point);

/* Moves a live point to the current cluster. */
void hr_micro_take(hr_micro *m, uint32_t point);
/* Takes the live points nearest to the seed until the current cluster has `size` points. */
void hr_micro_fill(hr_micro *m, uint32_t seed, uint32_t size);
/* Finishes the current cluster and starts an empty one. */
hr_status hr_micro_close(hr_micro *m, hr_error *err);
/* Does the current cluster have p values of each sensitive attribute? */
bool hr_micro_p_sensitive(const hr_micro *m);
/* Adds every live point to the cluster with the nearest centroid. Centroids are not updated. */
hr_status hr_micro_disperse(hr_micro *m, hr_error *err);

/* ---- mdav.c ---- */

/* Makes clusters of k points or more. If `sensitive` is not NULL, it is set to whether all clusters
 * are p-sensitive, and the function returns early once one is not. */
hr_status hr_mdav(hr_micro *m, uint32_t k, bool *sensitive, hr_error *err);

#endif
