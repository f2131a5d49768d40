/* verify.h - the parts of verify.c */
#ifndef HR_VERIFY_H
#define HR_VERIFY_H

#include "run/run.h"

/* ---- published.c: what a masked file says, ours or another tool's ---- */

typedef struct {
    enum { HR_PUBLISHED_UNKNOWN, HR_PUBLISHED_NODE, HR_PUBLISHED_INTERVAL } kind;
    uint32_t node;
    double lo, hi;
    bool lo_open, hi_open;
} hr_published;

hr_published hr_published_parse(const hr_quasi *quasi, const char *text);
/* Does it cover the attribute's value (a leaf, or the rank of a number)? */
bool hr_published_covers(const hr_quasi *quasi, const hr_published *published, uint32_t value);
/* Does it lie past the value's MAGVal? */
bool hr_published_violates(const hr_quasi *quasi, const hr_published *published, uint32_t value);

/* verify_means.c: is what a class publishes the mean of its original numbers, to the digits that are
 * published? Finds the rows of classes where it is not; `bad` has a flag for each row. */
hr_status hr_verify_means(const hr_quasi *quasi, const hr_column *masked, const hr_groups *classes,
                          const uint32_t *row, bool *bad, hr_error *err);

#endif
