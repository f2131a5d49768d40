/* account.h - what a report shows of a release beyond its figures: how precisely each attribute is
 * published, its distribution before and after, its tree, the classes, the risk before and after,
 * and how far answers from the release are from those from the original. count/ fills in an account
 * from a run. The account owns all its data, so that pages can be made after the table is freed. It
 * contains values of quasi-identifiers, but no value of an identifier or of a sensitive or kept
 * column. */
#ifndef HR_ACCOUNT_H
#define HR_ACCOUNT_H

#include "report/report.h"

/* Most groups of an attribute: 20 with values of rows, and one of leaves that occur in no row. */
enum { HR_SHOWN_MOST = 20, HR_GROUPS_MOST = HR_SHOWN_MOST + 1 };

typedef struct {
    uint32_t count;      /* queries */
    uint32_t attributes; /* conditions of a query */
    double least;        /* relative errors are divided by the true count, but at least by this */
    double mean, median; /* of the relative errors */
} hr_query_error;

typedef struct {
    char *name;
    uint64_t rows; /* released rows published at the level */
    double coarse; /* 0: the original value; 1: the whole range or the root */
} hr_account_level;

typedef struct {
    char *label;
    double before, after; /* shares of the input rows and of the released rows */
} hr_account_value;

typedef struct {
    char *label;
    uint32_t parent, depth;
    uint32_t left_out;  /* children with too few rows */
    uint64_t rows;      /* input rows with a value at or below the node */
    uint64_t published; /* released rows published as the node */
    bool boundary;
} hr_account_node;

/* A quasi-identifier. */
typedef struct {
    char *name;
    char *boundary;       /* in words; NULL: none */
    double loss;          /* 0 .. 1 */
    double loss_released; /* of the released rows alone */
    double variation;     /* total variation of the distributions: half the sum of differences */
    uint64_t violations;
    hr_account_level *levels;
    size_t level_count;
    hr_account_value *values; /* groups, in their natural order */
    size_t value_count;
    double *edges; /* of numbers: value_count + 1; NULL: the groups have labels */
    double *cuts;  /* of numbers: where cells begin */
    size_t cut_count;
    hr_account_node *nodes; /* of a tree, in preorder; those with few rows are left out */
    size_t node_count;
    bool pruned; /* some nodes are left out */
} hr_account_attribute;

enum { HR_WORST_MOST = 10, HR_RANKS = 4 };

typedef struct {
    uint32_t size, distinct;
    double share[HR_RANKS]; /* of the most frequent value, of the next, ... */
} hr_account_class;

/* The classes whose most frequent value of a sensitive attribute has the greatest share. */
typedef struct {
    char *name;
    bool binned; /* values are ranges of numbers */
    hr_account_class worst[HR_WORST_MOST];
    size_t worst_count;
    uint64_t certain; /* classes that have a single value */
} hr_account_sensitive;

enum { HR_THRESHOLDS = 3 };
extern const double hr_risk_thresholds[HR_THRESHOLDS];

/* Risk of an outsider who knows all quasi-identifiers picking the right row: 1 / rows alike. */
typedef struct {
    /* With `unit`, "rows" are people, each counted once per class. */
    uint64_t rows, classes, unique; /* unique: rows like no other */
    double largest, mean;
    double above[HR_THRESHOLDS]; /* share of rows with a risk above each threshold */
    double below_eleven;         /* share of rows with fewer than 11 alike */
} hr_account_risk;

typedef struct {
    uint32_t size;
    uint32_t classes; /* classes of this size */
} hr_account_size;

/* Association of a pair of columns of the key `study`. NaN: it has no meaning. */
typedef struct {
    char *a, *b;
    double v_before, v_after;                 /* Cramér's V */
    double corrected_before, corrected_after; /* with the bias correction */
    double correlation_before, correlation_after;
} hr_account_pair;

/* A model that the report shows. */
typedef struct {
    const char *parameter, *title; /* of the table of models */
    char *asked, *achieved;        /* as texts; achieved "": it has no meaning */
    char *attribute;               /* the sensitive attribute that is meant; NULL: all of them */
    uint32_t worst_rows;           /* of the class that achieves least; 0: of k and p */
    bool in_play;                  /* false: p is shown although the job does not ask for it */
} hr_account_model;

/* The greatest share of one sensitive value in any class, and its column; 0: there is none. */
typedef struct {
    double share;
    char *name;
} hr_account_guess;

/* The verdict: numbers of rows, what the release achieves, and what it lost. */
typedef struct {
    uint64_t input, released, suppressed;
    uint64_t dropped, trimmed; /* suppressed rows: with a missing number; because of other models */
    uint64_t out_rows;         /* of MAM cells that are suppressed as a whole */
    uint32_t cells, cells_out, cells_poor, cells_unlike, cells_emptied;
    uint32_t classes;
    int64_t k, p; /* as enforced */
    hr_account_model *models;
    size_t model_count;
    bool bounded, count_boundaries; /* an attribute has a boundary; boundaries were not enforced */
    uint64_t violations;
    bool means;           /* numbers are published as means: `loss` is SSE/SST, otherwise NTIL */
    double loss, gap;     /* gap: NaN if there is no bound */
    double loss_released; /* of the released rows alone, for the public report, because the loss of
                           * all rows reveals how many are suppressed */
    bool gap_of_rows;     /* the bound holds for releases of the same rows only */
    hr_account_guess guess, range; /* of a value, and of a range of values (`bins`) */
    char *unique_names;            /* columns that find a row by themselves; NULL: none */
    char *unit;                    /* the column whose values k counts; NULL: k counts rows */
    uint64_t people, people_released, people_several; /* with `unit`: see hr_people */
    char **keys;                                      /* a line for each set of columns of `keys` */
    size_t key_count;
} hr_account_verdict;

/* How the release was made. */
typedef struct {
    const char *algorithm_title;
    char *algorithm, *options; /* options: "effort: normal, loss: ntil" */
    char *recoded;             /* kept columns: "pay (round: 100), seen (level: month)"; "": none */
    uint64_t seed;
    bool time_limited;
    char *input, *output;              /* addresses as reports show them; NULL: in memory */
    char *job;                         /* the resolved job without values of sensitive columns */
    char input_digest[HR_SHA256_TEXT]; /* "": none */
    bool input_is_file;                /* the digest is that of the file */
    hr_write_options notation;         /* of the release */
    char **warnings;
    size_t warning_count;
} hr_account_method;

typedef struct hr_account {
    hr_account_verdict verdict;
    hr_account_method method;
    hr_account_attribute *attributes;
    size_t attribute_count;
    hr_account_sensitive *sensitive;
    size_t sensitive_count;
    hr_account_risk before, after;
    hr_account_size *sizes; /* ascending */
    size_t size_count;
    hr_account_pair *pairs;
    size_t pair_count;
    hr_query_error queries;
    hr_arena arena;
} hr_account;

#endif
