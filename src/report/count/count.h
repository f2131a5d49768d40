/* count.h - counts what reports show (report/account.h) from a finished run: attributes as few
 * groups (shown_values.c, scale.c), two attributes together (joint.c), counting queries
 * (queries.c), and the parts of the account (count*.c). */
#ifndef HR_COUNT_H
#define HR_COUNT_H

#include "report/account.h"

/* ---- shown_values.c: groups of values for people ---- */

/* The groups in which the rows of a quasi-identifier are counted for people: its values, or the
 * nodes of the lowest level of which at most HR_SHOWN_MOST occur, or intervals of numbers. */
typedef struct {
    uint32_t count;
    char **texts;       /* of each group */
    uint32_t *of_value; /* group of each value that occurs; HR_NONE otherwise */
    uint64_t *rows;     /* per group, and at [count] rows whose value is missing and dropped */
} hr_shown_values;

hr_status hr_shown_values_make(const hr_quasi *quasi, hr_shown_values *out, hr_error *err);
void hr_shown_values_free(hr_shown_values *shown);
/* Those of all quasi-identifiers of a table, in one array. */
hr_status hr_shown_values_all(const hr_microdata *data, hr_shown_values **out, hr_error *err);
void hr_shown_values_free_all(hr_shown_values *shown, size_t count);

/* ---- scale.c: an attribute as at most HR_GROUPS_MOST groups, in their natural order ---- */

/* The groups are those of hr_shown_values for a tree; for numbers ranges of equal width; for a
 * sensitive or kept column its most frequent categories, and all others as one group.
 *
 * A published value stands for all values that it covers, evenly: the leaves of a node, or the
 * multiples of the last digit within an interval. weight[v x count + g] is the share of published
 * value v that falls into group g. A mean stands for the number nearest to it. */
typedef struct {
    const char *name;
    const hr_quasi *quasi;   /* NULL: a sensitive or kept column */
    const hr_column *column; /* of the original */
    uint32_t count;          /* groups */
    char **labels;           /* of a tree's groups; NULL otherwise */
    bool has_unseen;         /* the last group is of leaves that no row has */
    double *edges;           /* of numbers: count + 1; NULL otherwise */
    uint32_t *of_code;       /* group of each code of the column; HR_NONE: it does not count */
    /* Of a quasi-identifier: the different published values. */
    uint32_t published_count;
    uint32_t *of_cluster; /* per cluster: its published value */
    hr_span *published;   /* NULL where means are published */
    double *means;        /* then: these */
    uint64_t *published_rows;
    double *weight;
    hr_arena arena;
} hr_scale;

hr_status hr_scale_quasi(const hr_outcome *outcome, size_t j, hr_scale *s, hr_error *err);
/* A column whose code c has category categories[c] < category_count; HR_NONE: it does not count. */
hr_status hr_scale_column(const char *name, const hr_column *column, const uint32_t *categories,
                          uint32_t category_count, hr_scale *s, hr_error *err);
/* The number of rows in each group: of all rows that have a value, and expected of the released
 * ones. */
void hr_scale_before(const hr_scale *scale, double *out);
void hr_scale_after(const hr_scale *scale, double *out);
void hr_scale_free(hr_scale *scale);

/* ---- joint.c: two attributes together ---- */

/* Rows of each pair of groups, a->count x b->count, row by row: of all rows that have both values,
 * and expected of the released ones. Time: O(rows + clusters x pairs of groups that a value
 * covers). */
void hr_joint_count(const hr_outcome *outcome, const hr_scale *a, const hr_scale *b, double *before,
                    double *after);
/* Cramér's V of a table of counts, which need not be whole: sqrt(chi² / n / (min(rows, columns) -
 * 1)), counting rows and columns that are not empty. `corrected`: with the bias correction of
 * Bergsma (2013), 0 if chi² is below what independence gives on average. NaN: one attribute has a
 * single value. */
double hr_cramers_v(const double *table, size_t rows, size_t columns, bool corrected);

/* ---- queries.c ---- */

/* Counting queries drawn from the seed: how many rows have a value in a range of groups of two
 * quasi-identifiers (of one, if there is no other)? */
hr_status hr_query_errors(const hr_outcome *outcome, const hr_scale *scales, uint64_t seed,
                          hr_query_error *out, hr_error *err);

/* ---- count.c ---- */

/* Counts everything from a finished run; `report` needs its job, outcome and verdict. The caller
 * frees *account, also on failure. */
hr_status hr_account_make(const hr_report *report, const hr_table *table, hr_account *account,
                          hr_error *err);
void hr_account_free(hr_account *account);

/* Parts of it. */
double hr_loss_of_released(const hr_report *report, double loss);
hr_status hr_account_verdict_fill(const hr_report *report, hr_account *account, hr_error *err);
hr_status hr_account_attribute_fill(const hr_report *report, const hr_scale *scale, size_t j,
                                    hr_account *account, hr_error *err);
hr_status hr_account_tree(const hr_report *report, const hr_scale *scale, hr_arena *arena,
                          hr_account_attribute *out, hr_error *err);
hr_status hr_account_classes(const hr_report *report, hr_account *account, hr_error *err);
hr_status hr_account_risks(const hr_report *report, hr_account *account, hr_error *err);
hr_status hr_account_study(const hr_report *report, const hr_table *table, const hr_scale *scales,
                           hr_account *account, hr_error *err);

#endif
