/* bound.h - a proved lower bound on the loss of every release of a table, so that a report can say
 * how far from the optimum a release is at most. docs/explanation/proof-of-the-bound.md has the
 * statement and its proof.
 *
 * Each row of a MAM cell that is not OUT is released in a class, and the class publishes a box (see
 * boxes.h) that covers the row. Choose any multiplier u for each kind of rows and, for each cell,
 * any price of a class that is not negative. For each cell
 *
 *     loss >= sum of u over rows - sum over boxes of max(0, V(box) - price) - price x classes,
 *
 * where `classes` is an upper limit on the number of classes in the cell. V(box) is the greatest
 * sum of u - cost(box) over the rows of a valid class inside the box, or an upper limit on it. The
 * simple bound sets u to the cost of a row's cheapest feasible box and the price to 0, so that no V
 * is positive. A climb then raises the sum step by step. Costs, multipliers and prices are integers
 * in HR_COST_ONE, so all sums are exact.
 *
 * bound_table.c groups the rows, bound_simple.c finds the simple bound, bound_list.c lists the
 * boxes of a cell, bound_value.c computes V and bound_climb.c climbs; bound.c runs these for a
 * table. bound_check.c recomputes a bound from its multipliers without any of them. */
#ifndef HR_BOUND_H
#define HR_BOUND_H

#include "measure/measure.h"

typedef struct {
    const hr_microdata *data;
    const hr_groups *cells;
    const bool *out; /* per cell: its rows are suppressed */
    hr_requirements asked;
    uint32_t steps;  /* of the climb; 0: the simple bound only */
    bool wants_rows; /* set kind_of_row of the result */
    unsigned threads;
    double deadline; /* of the climb, in hr_seconds(); 0: none */
    const hr_watch *watch;
} hr_bound_request;

/* The bound and its proof. Cells that are OUT have no number here; the other cells, and the kinds
 * of their rows, are numbered by first row. */
typedef struct {
    uint64_t loss;     /* bound for releases that suppress no more than OUT. OUT and dropped rows
                          count as t each */
    uint64_t simple;   /* bound for all releases */
    bool exact;        /* `simple` uses the cheapest box of every row: no search was cut off */
    bool time_limited; /* the deadline ended the climb */
    uint32_t kind_count, cell_count;
    int64_t *multiplier;   /* per kind */
    int64_t *price;        /* per cell */
    uint32_t *kind_of_row; /* HR_NONE: OUT or dropped. NULL unless requested */
} hr_bound;

/* Upper limit on rows of a cell x size of a multiplier or price, so that sums fit 64 bits. */
#define HR_BOUND_SPAN (UINT64_C(1) << 60)

/* The result does not depend on the number of threads. Free it with hr_bound_free. */
hr_status hr_bound_find(const hr_bound_request *request, hr_bound *out, hr_error *err);
/* A loss as NTIL, rounded like that of a release, so that the bound is never above a release. */
double hr_bound_ntil(uint64_t loss, const hr_microdata *data);
void hr_bound_free(hr_bound *bound);

/* The loss that the multipliers and prices of `claimed` prove, recomputed from the rows. HR_EDATA
 * if they do not fit the table or are out of range. */
hr_status hr_bound_recompute(const hr_bound_request *request, const hr_bound *claimed,
                             uint64_t *loss, hr_error *err);

#endif
