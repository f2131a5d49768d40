/* verify.h - the parts of verification: reading published values, and recomputing class means. */
#ifndef HR_VERIFY_H
#define HR_VERIFY_H

#include "run/run.h"

/* ---- published.c: the values of a masked file, written by any tool ---- */

typedef struct {
    enum { HR_PUBLISHED_UNKNOWN, HR_PUBLISHED_NODE, HR_PUBLISHED_INTERVAL } kind;
    uint32_t node;
    double lo, hi;         /* interval; lo == hi for a number */
    bool lo_open, hi_open; /* the end itself is outside */
} hr_published_value;

hr_published_value hr_published_parse(const hr_quasi *quasi, const char *text);
/* Without an original: is the value more precise than `finest` allows, whatever the original was?
 * `allowed` is made by hr_finest_allowed. */
bool hr_published_too_fine(const hr_quasi *quasi, const hr_published_value *published,
                           const bool *allowed);
/* Does the published value cover `value`, a node or the rank of a number? */
bool hr_published_covers(const hr_quasi *quasi, const hr_published_value *published,
                         uint32_t value);
/* Does the published value lie beyond the MAGVal of `value`? */
bool hr_published_violates(const hr_quasi *quasi, const hr_published_value *published,
                           uint32_t value);

/* ---- verify_means.c ---- */

/* Recomputes the mean of each class from the original numbers. Sets bad[i] for every masked row i
 * whose published text is not that mean, rounded to the digits published. row[i] is the original
 * row of masked row i; NULL pairs them by position. */
hr_status hr_verify_means(const hr_quasi *quasi, const hr_column *masked, const hr_groups *classes,
                          const uint32_t *row, bool *bad, hr_error *err);

#endif
