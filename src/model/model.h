/* model.h - privacy models: what a group of rows must satisfy to be published as one class. Models
 * judge facts about groups (MAM cells or classes), whatever algorithm formed the groups. */
#ifndef HR_MODEL_H
#define HR_MODEL_H

#include "hierarchy/hierarchy.h"

/* ---- microdata.c: a table with its roles, for models, measures and algorithms ---- */

typedef struct {
    const char *name;
    const hr_column *column;
    uint32_t *value_of_code; /* category that counts towards p; HR_NONE: missing, does not count */
    uint32_t value_count;
    double least, most; /* range that is divided into bins, if there are bins */
    double weight;      /* of the attribute; all weights sum to 1 */
    int64_t share;      /* the weight in units of 1 / HR_COST_ONE, at least 1 */
} hr_sensitive;

/* type_order.c: the types (combinations of sensitive values) of a table, in the order of their
 * first rows. */
typedef struct {
    hr_map64 *levels; /* one per sensitive attribute */
    size_t level_count;
} hr_type_order;

hr_status hr_type_order_start(hr_type_order *order, size_t sensitive_count, hr_error *err);
/* Adds the type with these values (HR_NONE: missing), unless it is there. */
hr_status hr_type_order_add(hr_type_order *order, const uint32_t *values, hr_error *err);
/* The number of the type, counted from 0 in the order of the additions; HR_NONE: it was not
 * added. */
uint32_t hr_type_order_find(const hr_type_order *order, const uint32_t *values);
void hr_type_order_free(hr_type_order *order);

typedef struct {
    size_t rows;
    hr_quasi *quasi;
    size_t quasi_count;
    hr_sensitive *sensitive;
    size_t sensitive_count;
    const hr_type_order *types; /* of the table whose part this is; NULL: it is no part */
} hr_microdata;

enum { HR_BINS_MAX = 4096 };

/* Categories are the texts of the column or, unless `bins` is 0, `bins` intervals of equal width
 * over its numbers. With `like` (or NULL) the bins divide the range of that attribute, so that a
 * masked column gets the bins of its original. */
hr_status hr_sensitive_bind(hr_sensitive *sensitive, const hr_column *column,
                            const hr_missing *missing, uint32_t bins, const hr_sensitive *like,
                            hr_error *err);
/* Scales the weights to sum 1. If all are 0, they become inversely proportional to the number of
 * values. */
void hr_sensitive_weigh(hr_sensitive *sensitive, size_t count);
/* Splits groups by the values of the attributes; missing is one more value. */
hr_status hr_sensitive_split(const hr_sensitive *sensitive, size_t count, hr_groups *groups,
                             hr_error *err);
void hr_microdata_free(hr_microdata *data);

static inline uint32_t hr_sensitive_value(const hr_sensitive *sensitive, size_t row) {
    return sensitive->value_of_code[hr_column_code(sensitive->column, row)];
}

/* ---- facts.c: what models need to know about every group of rows ---- */

typedef struct {
    uint32_t count; /* groups */
    size_t sensitive_count;
    uint32_t *size;       /* rows of each group */
    uint32_t *distinct;   /* count x sensitive_count: number of different values */
    uint32_t *largest;    /* count x sensitive_count: rows with the most frequent value */
    size_t *value_start;  /* count x sensitive_count + 1: start of each list in `values` */
    uint32_t *values;     /* lists of the values of each group and attribute */
    uint32_t *value_rows; /* for each entry of `values`: rows with that value */
} hr_facts;

/* Time: O(rows x sensitive attributes), without hashing. */
hr_status hr_facts_of(const hr_groups *groups, const hr_sensitive *sensitive,
                      size_t sensitive_count, hr_facts *out, hr_error *err);
/* The facts of unions of groups: `into` groups the groups as if they were rows. `largest` and
 * `value_rows` are not computed and stay NULL. Time: O(values). */
hr_status hr_facts_merge(const hr_facts *facts, const hr_groups *into,
                         const hr_sensitive *sensitive, hr_facts *out, hr_error *err);
/* The least number of values that group g has of any sensitive attribute; UINT32_MAX if there is no
 * sensitive attribute. */
uint32_t hr_facts_least_values(const hr_facts *facts, uint32_t g);
void hr_facts_free(hr_facts *facts);

/* ---- model.c: the plug-in table ---- */

/* What every class must satisfy; the options of the models are stored here. */
typedef struct {
    int64_t k, p;
} hr_requirements;

typedef struct hr_model {
    const char *name, *title, *reference;
    const hr_option *options; /* offsets into hr_requirements */
    bool closed_under_union, closed_under_superset;
    /* True if group g satisfies the model. */
    bool (*holds)(const hr_facts *facts, uint32_t g, const hr_requirements *asked);
    /* The greatest parameter for which all classes satisfy the model; -1 if it has no meaning. */
    int64_t (*achieved)(const hr_facts *facts);
} hr_model;

enum { HR_MODELS_MAX = 16 };
extern const hr_model *const hr_models[]; /* ends with NULL */

/* True if group g satisfies every model. */
bool hr_models_hold(const hr_facts *facts, uint32_t g, const hr_requirements *asked);
/* OUT: the number of rows in groups that do not. Sets out[g] for these groups; `out` may be
 * NULL. */
uint64_t hr_models_out(const hr_facts *facts, const hr_requirements *asked, bool *out);

/* ---- most_classes.c ---- */

/* Upper limit on the number of classes of at least k rows with at least p values that `rows` rows
 * can form. counts[v] is the number of rows with each value of one sensitive attribute, in
 * descending order. The limit is attained when there is only one sensitive attribute. Time:
 * O(count). */
uint64_t hr_most_classes(uint64_t rows, const uint32_t *counts, size_t count, uint64_t k,
                         uint64_t p);

#endif
