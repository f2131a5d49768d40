/* bound_check.h - the two halves of the checker of bounds. bound_check.c recomputes a bound by
 * trying every box; bound_check_rows.c shows beforehand which rows never pay, where there are too
 * many boxes. Neither shares code with the files that find bounds. */
#ifndef HR_BOUND_CHECK_H
#define HR_BOUND_CHECK_H

#include "bound/bound.h"

/* Rows that are equal in cell, quasi-identifiers and sensitive values. */
typedef struct {
    uint32_t first; /* lowest row, an example of the kind */
    uint32_t rows, cell;
    int64_t multiplier;
    bool may_pay; /* false: every feasible box around the kind costs its multiplier or more */
} hr_check_kind;

/* Sets may_pay of the kinds of one cell, kinds[member[0]] .. kinds[member[count - 1]]. It remains
 * true for a kind whose proof fails or takes too long. k, p: what a class needs. Time: O(count^2 x
 * attributes). */
hr_status hr_check_rows(const hr_microdata *data, uint32_t k, uint32_t p, hr_check_kind *kinds,
                        const uint32_t *member, uint32_t count, hr_progress *progress,
                        hr_error *err);

#endif
