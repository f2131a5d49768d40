/* count.h - counts what reports show (report/account.h) from a finished run: values in a few groups
 * (shown_values.c, scale.c), two attributes together (joint.c), counting queries (queries.c), and
 * the parts of the account (count*.c). */
#ifndef HR_COUNT_H
#define HR_COUNT_H

#include "report/account.h"

/* ---- shown_values.c: groups of values for people ---- */

/* The groups in which the rows of a quasi-identifier are counted for people to read: its values if
 * at most HR_SHOWN_MOST occur, otherwise the nodes of the lowest level with at most as many, or
 * intervals of numbers. If that level has fewer than three nodes, the groups are the most frequent
 * nodes of the level below it, and one group of all others. */
typedef struct {
    uint32_t count;
    char **texts;       /* of each group */
    bool has_others;    /* the last group is that of all others */
    uint32_t *of_value; /* group of each value; HR_NONE: no row has a value of its group */
    uint64_t *rows;     /* per group, and at [count] rows whose value is missing and dropped */
} hr_shown_values;

hr_status hr_shown_values_make(const hr_quasi *quasi, hr_shown_values *out, hr_error *err);
void hr_shown_values_free(hr_shown_values *shown);
/* Makes the groups of all quasi-identifiers of a table, as one array. */
hr_status hr_shown_values_all(const hr_microdata *data, hr_shown_values **out, hr_error *err);
void hr_shown_values_free_all(hr_shown_values *shown, size_t count);

/* ---- scale.c: an attribute as at most HR_GROUPS_MOST groups, in their natural order ---- */

/* The groups of an attribute: for a tree those of hr_shown_values, for numbers ranges of equal
 * width, for a sensitive or kept column its most frequent categories and one group of all others.
 *
 * A published value is spread evenly over all values that it covers: the leaves of a node, or the
 * multiples of the last digit within an interval. weight[v x count + g] is the share of published
 * value v that falls into group g. A mean counts as the number nearest to it. */
typedef struct {
    const char *name;
    const hr_quasi *quasi;   /* NULL: a sensitive or kept column */
    const hr_column *column; /* of the original */
    uint32_t count;          /* groups */
    char **labels;           /* of a tree's groups; NULL otherwise */
    bool has_unseen;         /* the last group consists of leaves that occur in no row */
    double *edges;           /* of numbers: count + 1; NULL otherwise */
    uint32_t *of_code;       /* group of each code of the column; HR_NONE: it does not count */
    /* For a quasi-identifier, its different published values: */
    uint32_t published_count;
    uint32_t *of_cluster; /* per cluster: its published value */
    hr_span *published;   /* NULL if means are published */
    double *means;        /* the published means; NULL if values are published */
    uint64_t *published_rows;
    double *weight;
    hr_arena arena;
} hr_scale;

hr_status hr_scale_quasi(const hr_outcome *outcome, size_t j, hr_scale *s, hr_error *err);
/* Makes the groups of a column whose code c has category categories[c] < category_count; HR_NONE:
 * the code does not count. */
hr_status hr_scale_column(const char *name, const hr_column *column, const uint32_t *categories,
                          uint32_t category_count, hr_scale *s, hr_error *err);
/* The number of rows in each group: before, of all rows with a value; after, the expected number of
 * released rows, according to the weights. */
void hr_scale_before(const hr_scale *scale, double *out);
void hr_scale_after(const hr_scale *scale, double *out);
void hr_scale_free(hr_scale *scale);

/* ---- joint.c: two attributes together ---- */

/* Counts the rows of each pair of groups, a->count x b->count, row by row: before, of all rows with
 * both values; after, the expected number of released rows. Time: O(rows + clusters x pairs of
 * groups that a value covers). */
void hr_joint_count(const hr_outcome *outcome, const hr_scale *a, const hr_scale *b, double *before,
                    double *after);
/* Cramér's V of a table of counts, which need not be whole: sqrt(chi² / n / (min(rows, columns) -
 * 1)), counting rows and columns that are not empty. `corrected`: with the bias correction of
 * Bergsma (2013), 0 if chi² is below what independence gives on average. NaN: one attribute has a
 * single value. */
double hr_cramers_v(const double *table, size_t rows, size_t columns, bool corrected);

/* ---- queries.c ---- */

/* Errors of random counting queries: how many rows have values in a range of groups, in two
 * quasi-identifiers (or one, if there is no other)? */
hr_status hr_query_errors(const hr_outcome *outcome, const hr_scale *scales, uint64_t seed,
                          hr_query_error *out, hr_error *err);

/* ---- count.c ---- */

/* Counts everything from a finished run; `report` needs its job, outcome and verdict. The caller
 * frees *account, also on failure. */
hr_status hr_account_make(const hr_report *report, const hr_table *table, hr_account *account,
                          hr_error *err);
void hr_account_free(hr_account *account);

/* Parts of hr_account_make. */
double hr_loss_of_released(const hr_report *report, double loss);
/* Appends a boundary in words: "level 2", "intervals at most 10 wide"; nothing if there is none. */
void hr_boundary_words(const hr_node_choice *choice, hr_text *out);
hr_status hr_account_attribute_fill(const hr_report *report, const hr_scale *scale, size_t j,
                                    hr_account *account, hr_error *err);
hr_status hr_account_tree(const hr_report *report, const hr_scale *scale, hr_arena *arena,
                          hr_account_attribute *out, hr_error *err);
hr_status hr_account_classes(const hr_report *report, hr_account *account, hr_error *err);
hr_status hr_account_risks(const hr_report *report, hr_account *account, hr_error *err);
hr_status hr_account_study(const hr_report *report, const hr_table *table, const hr_scale *scales,
                           hr_account *account, hr_error *err);

#endif
