/* micro.c - shared by the microaggregation algorithms: turns rows into points, makes clusters of
 * them, and adds leftover points to the cluster with the nearest centroid. */
#include "algorithm/micro/micro.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const hr_option hr_micro_option_table[] = {
    {.name = "standardize",
     .help = "unit of distances: standard deviations or ranges of the attributes, or none",
     .type = HR_OPTION_CHOICE,
     .offset = offsetof(hr_micro_options, standardize),
     .initial = HR_STANDARDIZE_DEVIATION,
     .choices = "deviation|range|none"},
    {.name = "decimals",
     .help = "digits after the point of published means (-1: as many as the input has)",
     .type = HR_OPTION_INT,
     .offset = offsetof(hr_micro_options, decimals),
     .initial = HR_DECIMALS_OF_INPUT,
     .min = HR_DECIMALS_OF_INPUT,
     .max = HR_DECIMALS_MOST},
    {0},
};

int hr_micro_decimals(const void *options) {
    return (int)((const hr_micro_options *)options)->decimals;
}

/* ---- points ---- */

static void set_coordinates(hr_micro *m, size_t j) {
    const hr_quasi *quasi = &m->task->data->quasi[j];
    for (uint32_t i = 0; i < m->points.count; i++)
        m->points.at[i * m->points.t + j] =
            hr_quasi_units(quasi, hr_quasi_value(quasi, m->task->rows[i]));
}

/* Sample standard deviation, in two passes. */
static double deviation(const hr_points *points, size_t j) {
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < points->count; i++)
        sum += points->at[i * points->t + j];
    double mean = sum / points->count;
    for (uint32_t i = 0; i < points->count; i++) {
        double off = points->at[i * points->t + j] - mean;
        squares += off * off;
    }
    return points->count > 1 ? sqrt(squares / (points->count - 1)) : 0;
}

static double range_of(const hr_points *points, size_t j) {
    double least = INFINITY, most = -INFINITY;
    for (uint32_t i = 0; i < points->count; i++) {
        least = fmin(least, points->at[i * points->t + j]);
        most = fmax(most, points->at[i * points->t + j]);
    }
    return most - least;
}

/* The length of a unit of an attribute is the result times 2^*power; 0 if all values are equal. The
 * power is separate because the product of a weight and a unit may be outside the range of a
 * double. */
static double factor_of(const hr_micro *m, size_t j, int *power) {
    const hr_micro_options *options = m->task->options;
    double range = range_of(&m->points, j), weight = sqrt(m->task->data->quasi[j].weight);
    int of_weight, of_unit;
    *power = 0;
    if (!(range > 0)) return 0;
    switch (options->standardize) {
    case HR_STANDARDIZE_DEVIATION: return weight / deviation(&m->points, j);
    case HR_STANDARDIZE_RANGE: return weight / range;
    default: break;
    }
    double factor =
        frexp(weight, &of_weight) * frexp(hr_quasi_unit(&m->task->data->quasi[j]), &of_unit);
    *power = of_weight + of_unit;
    return factor;
}

static hr_status make_points(hr_micro *m, hr_error *err) {
    hr_points *points = &m->points;
    points->t = m->task->data->quasi_count;
    points->count = m->task->row_count;
    points->at = hr_alloc_raw((size_t)points->count * points->t, sizeof *points->at, err);
    double *factor = hr_arena_alloc(&m->arena, points->t, sizeof *factor, err);
    if (!points->at || !factor) return HR_ENOMEM;
    int *power = hr_arena_alloc(&m->arena, points->t, sizeof *power, err), largest = INT_MIN;
    if (!power) return HR_ENOMEM;
    for (size_t j = 0; j < points->t; j++) {
        set_coordinates(m, j);
        factor[j] = factor_of(m, j, &power[j]);
        if (factor[j] > 0 && power[j] + ilogb(factor[j]) > largest)
            largest = power[j] + ilogb(factor[j]);
    }
    /* Dividing all factors by one power of two changes no comparison and keeps squares finite. */
    for (size_t j = 0; j < points->t && largest > INT_MIN; j++)
        factor[j] = ldexp(factor[j], power[j] - largest);
    points->factor = factor;
    return HR_OK;
}

static hr_status make_values(hr_micro *m, hr_error *err) {
    const hr_microdata *data = m->task->data;
    hr_point_values *values = &m->values;
    values->r = m->task->p > 1 ? data->sensitive_count : 0;
    values->value = hr_alloc_raw((size_t)m->points.count * values->r, sizeof *values->value, err);
    if (!values->value) return HR_ENOMEM;
    for (size_t l = 0; l < values->r; l++) {
        for (uint32_t i = 0; i < m->points.count; i++) {
            uint32_t value = hr_sensitive_value(&data->sensitive[l], m->task->rows[i]);
            values->value[i * values->r + l] = value == HR_NONE ? HR_NONE : values->total + value;
        }
        values->total += data->sensitive[l].value_count;
    }
    values->seen = hr_arena_alloc(&m->arena, values->total / 64 + 1, sizeof *values->seen, err);
    m->value_rows = hr_arena_alloc(&m->arena, values->total, sizeof *m->value_rows, err);
    m->values_left = hr_arena_alloc(&m->arena, values->r, sizeof *m->values_left, err);
    m->values_in = hr_arena_alloc(&m->arena, values->r, sizeof *m->values_in, err);
    return values->seen && m->value_rows && m->values_left && m->values_in ? HR_OK : HR_ENOMEM;
}

static hr_status make_room(hr_micro *m, hr_error *err) {
    size_t t = m->points.t;
    m->high = hr_arena_alloc(&m->arena, t, sizeof *m->high, err);
    m->low = hr_arena_alloc(&m->arena, t, sizeof *m->low, err);
    m->centre = hr_arena_alloc(&m->arena, t, sizeof *m->centre, err);
    m->members = hr_alloc_raw(m->points.count, sizeof *m->members, err);
    m->found = hr_alloc_raw(m->points.count, sizeof *m->found, err);
    return m->high && m->low && m->centre && m->members && m->found ? HR_OK : HR_ENOMEM;
}

/* ---- live points ---- */

/* Coordinates are below 2^53. The sums of their lower 26 bits and of the rest each fit 64 bits. */
static const double low_part = 67108864.0; /* 2^26 */

/* Adds a point to the sums over live points (sign 1), or removes it (-1). */
static void count_point(hr_micro *m, uint32_t point, int64_t sign) {
    const double *at = m->points.at + point * m->points.t;
    for (size_t j = 0; j < m->points.t; j++) {
        int64_t high = (int64_t)(at[j] / low_part);
        m->high[j] += sign * high;
        m->low[j] += sign * (int64_t)(at[j] - (double)high * low_part);
    }
    for (size_t l = 0; l < m->values.r; l++) {
        uint32_t value = m->values.value[point * m->values.r + l];
        if (value == HR_NONE) continue;
        m->value_rows[value] += (uint32_t)sign;
        if (m->value_rows[value] == (sign > 0)) m->values_left[l] += (uint32_t)sign;
    }
}

/* Starts with all points live and no cluster. */
static void begin(hr_micro *m) {
    m->live = m->points.count;
    m->out->count = 0;
    m->size = 0;
    memset(m->out->cluster, 0xff, m->points.count * sizeof *m->out->cluster);
    memset(m->high, 0, m->points.t * sizeof *m->high);
    memset(m->low, 0, m->points.t * sizeof *m->low);
    memset(m->values.seen, 0, (m->values.total / 64 + 1) * sizeof *m->values.seen);
    memset(m->value_rows, 0, m->values.total * sizeof *m->value_rows);
    memset(m->values_left, 0, m->values.r * sizeof *m->values_left);
    memset(m->values_in, 0, m->values.r * sizeof *m->values_in);
    for (uint32_t i = 0; i < m->points.count; i++)
        count_point(m, i, 1);
}

void hr_micro_restart(hr_micro *m) {
    m->locator->restart(m->self);
    begin(m);
}

uint32_t hr_micro_furthest_from_centre(hr_micro *m) {
    for (size_t j = 0; j < m->points.t; j++)
        m->centre[j] = (double)m->high[j] * low_part + (double)m->low[j];
    hr_location from = {m->live, m->centre, true};
    return m->locator->furthest(m->self, &from);
}

static const double *coordinates_of(const hr_micro *m, uint32_t point) {
    return m->points.at + point * m->points.t;
}

uint32_t hr_micro_furthest_from(hr_micro *m, uint32_t point) {
    hr_location from = {1, coordinates_of(m, point), false};
    return m->locator->furthest(m->self, &from);
}

uint32_t hr_micro_nearest_new(hr_micro *m, uint32_t point) {
    return m->locator->nearest_new(m->self, coordinates_of(m, point));
}

/* ---- clusters ---- */

void hr_micro_take(hr_micro *m, uint32_t point) {
    m->locator->remove(m->self, point);
    m->live--;
    count_point(m, point, -1);
    m->out->cluster[point] = m->out->count;
    m->members[m->size++] = point;
    for (size_t l = 0; l < m->values.r; l++) {
        uint32_t value = m->values.value[point * m->values.r + l];
        if (value == HR_NONE || hr_value_seen(&m->values, value)) continue;
        m->values.seen[value / 64] |= UINT64_C(1) << value % 64;
        m->values_in[l]++;
    }
}

static bool further_first(const void *none, const hr_neighbour *a, const hr_neighbour *b) {
    (void)none;
    return hr_nearer(*b, *a);
}

static void put(const void *none, hr_neighbour *heap, size_t at, const hr_neighbour *value) {
    (void)none;
    heap[at] = *value;
}

HR_HEAP(heap, hr_neighbour, const void *, further_first, put)

void hr_nearest_offer(hr_nearest *nearest, hr_neighbour item) {
    if (nearest->count < nearest->wanted)
        heap_up(NULL, nearest->items, nearest->count++, item);
    else if (nearest->wanted > 0 && hr_nearer(item, nearest->items[0]))
        heap_down(NULL, nearest->items, nearest->count, 0, item);
}

void hr_micro_fill(hr_micro *m, uint32_t seed, uint32_t size) {
    if (m->size >= size) return;
    hr_nearest nearest = {.items = m->found, .wanted = size - m->size};
    m->locator->nearest(m->self, coordinates_of(m, seed), &nearest);
    for (uint32_t i = 0; i < nearest.count; i++)
        hr_micro_take(m, nearest.items[i].point);
}

hr_status hr_micro_close(hr_micro *m, hr_error *err) {
    for (uint32_t i = 0; i < m->size; i++)
        for (size_t l = 0; l < m->values.r; l++) {
            uint32_t value = m->values.value[m->members[i] * m->values.r + l];
            if (value != HR_NONE) m->values.seen[value / 64] = 0;
        }
    memset(m->values_in, 0, m->values.r * sizeof *m->values_in);
    uint32_t size = m->size;
    m->size = 0;
    m->out->count++;
    return hr_progress_add(m->task->progress, m->silent ? 0 : size, err);
}

bool hr_micro_p_sensitive(const hr_micro *m) {
    for (size_t l = 0; l < m->values.r; l++)
        if (m->values_in[l] < m->task->p) return false;
    return true;
}

/* ---- leftover points ---- */

/* The centroids of all clusters, as points. Coordinates are added in the order of rows. */
static hr_status centroids(const hr_micro *m, hr_points *out, hr_error *err) {
    size_t t = m->points.t;
    *out = (hr_points){.t = t, .count = m->out->count, .factor = m->points.factor};
    out->at = hr_alloc((size_t)out->count * t, sizeof *out->at, err);
    uint32_t *size = hr_alloc(out->count, sizeof *size, err);
    if (!out->at || !size) {
        free(size);
        return HR_ENOMEM;
    }
    for (uint32_t i = 0; i < m->points.count; i++) {
        uint32_t cluster = m->out->cluster[i];
        if (cluster == HR_NONE) continue;
        size[cluster]++;
        for (size_t j = 0; j < t; j++)
            out->at[cluster * t + j] += m->points.at[i * t + j];
    }
    for (size_t i = 0; i < out->count * t; i++)
        out->at[i] /= size[i / t]; /* NOLINT(bugprone-integer-division): an index */
    free(size);
    return HR_OK;
}

static hr_status join_nearest(hr_micro *m, void *centroid_locator, hr_error *err) {
    for (uint32_t i = 0; i < m->points.count; i++) {
        if (m->out->cluster[i] != HR_NONE) continue;
        hr_neighbour item;
        hr_nearest nearest = {.items = &item, .wanted = 1};
        m->locator->nearest(centroid_locator, coordinates_of(m, i), &nearest);
        m->out->cluster[i] = item.point;
        HR_TRY(hr_progress_add(m->task->progress, 1, err));
    }
    m->live = 0;
    return HR_OK;
}

hr_status hr_micro_disperse(hr_micro *m, hr_error *err) {
    if (m->live == 0) return HR_OK;
    hr_points centres;
    const hr_point_values none = {0};
    void *self = NULL;
    hr_status status = centroids(m, &centres, err);
    if (status == HR_OK) status = m->locator->init(&self, &centres, &none, err);
    if (status == HR_OK) status = join_nearest(m, self, err);
    m->locator->free(self);
    free(centres.at);
    return status;
}

/* ---- the whole ---- */

static hr_status prepare(hr_micro *m, hr_error *err) {
    HR_TRY(make_points(m, err));
    HR_TRY(make_values(m, err));
    HR_TRY(make_room(m, err));
    HR_TRY(m->locator->init(&m->self, &m->points, &m->values, err));
    begin(m);
    return HR_OK;
}

hr_status hr_micro_run(const hr_cell_task *task, const hr_locator *locator,
                       hr_status (*make_clusters)(hr_micro *m, hr_error *err), hr_clusters *out,
                       hr_error *err) {
    hr_micro m = {.task = task, .locator = locator, .out = out};
    hr_status status = prepare(&m, err);
    if (status == HR_OK) status = make_clusters(&m, err);
    locator->free(m.self);
    free(m.points.at);
    free(m.values.value);
    free(m.members);
    free(m.found);
    hr_arena_free(&m.arena);
    return status;
}
