/* verify.h - the parts of verification: the state that they share, judging published values with
 * and without the original, reading them, and recomputing class means. */
#ifndef HR_VERIFY_H
#define HR_VERIFY_H

#include "run/run.h"

typedef struct {
    const hr_verify_request *request;
    hr_verdict *verdict;
    hr_missing missing;
    const char **hidden_texts; /* of `hidden`; owned */
    hr_missing hidden;         /* `missing` and the text that stands for suppressed values */
    const uint32_t *row;       /* original row of each masked row; NULL: paired by position */
    bool *bad_row; /* per masked row: some value does not cover or is changed; NULL: not wanted */
    const hr_column **quasi; /* masked columns, in the job's order */
    size_t quasi_count;
    hr_sensitive *sensitive;
    size_t sensitive_count;
    hr_error *err;
} hr_verifier;

/* ---- verify_alone.c ---- */

/* Judges the published values without the original: counts values that cannot be read, that are
 * more precise than `finest` allows, or that lie past the boundary of any possible original. */
hr_status hr_verify_alone(const hr_verifier *c);

/* ---- verify_units.c ---- */

/* Counts the units of each class. They stay unknown without an original, or if its rows cannot be
 * paired with the masked rows. */
hr_status hr_verify_units(hr_verifier *c);
/* Counts the units of each group of masked rows, if they are known (!verdict->uncounted). */
hr_status hr_verify_people(const hr_verifier *c, const hr_groups *groups, uint32_t *people);

/* ---- verify_keys.c ---- */

/* Judges k for each set of columns in the job's `keys`. */
hr_status hr_verify_keys(hr_verifier *c);

/* ---- cautions.c ---- */

/* Warns of what the owner may have overlooked in the masked file, if the request is `cautious`. */
hr_status hr_verify_cautions(hr_verifier *c);

/* ---- published.c: the values of a masked file, written by any tool ---- */

typedef struct {
    enum { HR_PUBLISHED_UNKNOWN, HR_PUBLISHED_NODE, HR_PUBLISHED_INTERVAL } kind;
    uint32_t node;         /* of the tree, if there is one */
    double lo, hi;         /* interval of an attribute without tree; lo == hi for a number */
    bool lo_open, hi_open; /* the end itself is outside */
} hr_published_value;

/* Reads a published value. If the attribute has a tree, a number or interval means the node whose
 * leaves are exactly those inside; without such a node it is unknown. Time: O(1) for labels,
 * O(leaves) otherwise. */
hr_published_value hr_published_parse(const hr_quasi *quasi, const char *text);
/* Does the published value cover `value`, a node or the rank of a number? */
bool hr_published_covers(const hr_quasi *quasi, const hr_published_value *published,
                         uint32_t value);
/* Does the published value lie beyond the MAGVal of `value`? */
bool hr_published_violates(const hr_quasi *quasi, const hr_published_value *published,
                           uint32_t value);

/* ---- verify_recoded.c ---- */

/* Judges the kept columns that the job recodes, in all rows of classes. `paired`: the original row
 * of each masked row is known. */
hr_status hr_verify_recoded(const hr_verifier *c, bool paired);

/* ---- published_numbers.c: quasi-identifiers without a hierarchy ---- */

/* Is the greatest minus the least number of the interval more than `width`? */
bool hr_published_too_wide(const hr_published_value *published, double width);
/* Does the interval reach over a cut point that the rule gives? */
bool hr_published_crosses(const hr_published_value *published, const hr_cut_rule *rule);
/* Does the interval reach past the range, two numbers, that the job gives? */
bool hr_published_leaves_range(const hr_published_value *published, const double *range);
/* Does the interval leave the cell of the number with rank `value`, or is it wider than its rule
 * allows? */
bool hr_published_leaves_cell(const hr_quasi *quasi, const hr_published_value *published,
                              uint32_t value);
/* Does a published mean lie further outside the cell than rounding explains? */
bool hr_mean_leaves_cell(const hr_quasi *quasi, double mean, uint32_t value);

/* ---- verify_means.c ---- */

/* Recomputes the mean of each class from the original numbers. Sets bad[i] for every masked row i
 * whose published text is not that mean, rounded to the digits published. row[i] is the original
 * row of masked row i; NULL pairs them by position. */
hr_status hr_verify_means(const hr_quasi *quasi, const hr_column *masked, const hr_groups *classes,
                          const uint32_t *row, bool *bad, hr_error *err);

#endif
