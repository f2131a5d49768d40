/* near.h - the combinations nearest to one combination, and the cheapest feasible box around it.
 * The lower bound uses both where a cell has too many boxes to walk (docs/explanation/
 * proof-of-the-bound.md, "Neighbours").
 *
 * Costs are counted in whole units here, rounded down, so that a sum over the attributes fits 16
 * bits and a processor handles many combinations at once. Rounding down keeps lower bounds
 * valid. */
#ifndef HR_NEAR_H
#define HR_NEAR_H

#include "bound/bound_parts.h"

enum {
    HR_NEAR_LANES = 64, /* combinations that are compared at once */
    HR_NEAR_MOST = 128  /* near combinations that are kept for one seed */
};

/* ---- near.c: distances ---- */

/* The combinations of each cell, or some of them, in an order in which neighbours are often near
 * each other, cut into blocks of HR_NEAR_LANES. The last block of a cell is padded. */
typedef struct {
    hr_arena arena;
    const hr_bound_table *table;
    uint32_t unit;         /* cost units per attribute; divides HR_COST_ONE */
    uint32_t *block_start; /* cell_count + 1: first block of each cell */
    uint32_t *order;       /* blocks x HR_NEAR_LANES: combinations; HR_NONE: padding */
    /* Codes are positions shifted right by `shift`; of numbers: distances from the least number, in
     * units. */
    unsigned *shift;        /* per axis */
    uint16_t **code;        /* per axis: of each element of `order` */
    uint16_t **low, **high; /* per axis: least and greatest code of each block */
} hr_near_space;

/* The space of the chosen combinations; NULL: of all. *usable is false if there are so many
 * attributes that sums do not fit. */
hr_status hr_near_space_make(const hr_bound_table *table, const bool *chosen, hr_near_space *out,
                             bool *usable, hr_error *err);
void hr_near_space_free(hr_near_space *space);

/* The combinations near a seed. All that are nearer than `beyond` are members; the distance between
 * two combinations is the cost of the smallest box that covers both, in units, rounded down. */
typedef struct {
    uint32_t seed, count;
    uint32_t member[HR_NEAR_MOST]; /* without the seed */
    uint32_t beyond;               /* UINT16_MAX: every combination of the cell is a member */
} hr_near;

/* A cost in units, rounded down; for intervals of numbers reduced by one before, because the
 * rounded cost of an interval may be one less than the sum of its parts. */
uint32_t hr_near_units(const hr_near_space *space, const hr_axis *axis, uint64_t cost);

typedef struct hr_near_finder hr_near_finder;
hr_status hr_near_finder_new(const hr_bound_table *table, hr_near_finder **out, hr_error *err);
void hr_near_finder_free(hr_near_finder *finder);
/* Finds the members of `near` for a seed, a combination of `cell`. Time: O(combinations x
 * attributes), mostly much less. */
hr_status hr_near_find(hr_near_finder *finder, const hr_near_space *space, uint32_t cell,
                       uint32_t seed, hr_near *near, hr_error *err);
/* Distance of the nearest combination in the space, the seed included; UINT16_MAX: there is
 * none. */
hr_status hr_near_distance(hr_near_finder *finder, const hr_near_space *space, uint32_t cell,
                           uint32_t seed, uint32_t *distance, hr_error *err);

/* Comparisons of codes in all searches of the finder. */
uint64_t hr_near_work(const hr_near_finder *finder);

/* ---- near_box.c: the cheapest feasible box around a seed ---- */

typedef struct hr_near_boxer hr_near_boxer;
hr_status hr_near_boxer_new(const hr_near_space *space, hr_near_boxer **out, hr_error *err);
void hr_near_boxer_free(hr_near_boxer *boxer);
/* A lower bound, in units, on the cost of a feasible box around near->seed: the cost of the
 * cheapest one if it lies among the members and `work` suffices. */
uint32_t hr_near_least(hr_near_boxer *boxer, const hr_near *near, uint64_t work);
/* Comparisons of codes in all calls. */
uint64_t hr_near_box_work(const hr_near_boxer *boxer);

#endif
