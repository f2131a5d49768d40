/* model.h - privacy models: what a group of rows must satisfy to be published as one class. Models
 * see facts about groups (MAM cells or classes), never who made them. */
#ifndef HR_MODEL_H
#define HR_MODEL_H

#include "hierarchy/hierarchy.h"

/* ---- microdata.c: a table with its roles bound, what models, measures and algorithms work on
 * ---- */

typedef struct {
    const char *name;
    const hr_column *column;
    uint32_t *value_of_code; /* category that counts towards p; HR_NONE: missing, never counts */
    uint32_t value_count;
    double least, most; /* with bins: the range that they divide */
    double weight;      /* as given, scaled to sum 1 */
    int64_t share;      /* the same in HR_COST_ONE */
} hr_sensitive;

typedef struct {
    size_t rows;
    hr_quasi *quasi;
    size_t quasi_count;
    hr_sensitive *sensitive;
    size_t sensitive_count;
} hr_microdata;

enum { HR_BINS_MAX = 4096 };

/* Categories are the column's texts, or `bins` equal-width ones of its numbers (0: texts). `like`
 * lends its range to the bins, so that a masked column is cut as its original was; or NULL. */
hr_status hr_sensitive_bind(hr_sensitive *sensitive, const hr_column *column,
                            const hr_missing *missing, uint32_t bins, const hr_sensitive *like,
                            hr_error *err);
/* Weights all 0: inversely proportional to the number of values. Scales them to sum 1. */
void hr_sensitive_weigh(hr_sensitive *sensitive, size_t count);
/* Split groups by the attributes' values; a missing value is one value more. */
hr_status hr_sensitive_split(const hr_sensitive *sensitive, size_t count, hr_groups *groups,
                             hr_error *err);
void hr_microdata_free(hr_microdata *data);

static inline uint32_t hr_sensitive_value(const hr_sensitive *sensitive, size_t row) {
    return sensitive->value_of_code[hr_column_code(sensitive->column, row)];
}

/* ---- facts.c: what models look at, for every group of rows ---- */

typedef struct {
    uint32_t count; /* groups */
    size_t sensitive_count;
    uint32_t *size;       /* rows of each group */
    uint32_t *distinct;   /* count x sensitive_count: values present */
    uint32_t *largest;    /* likewise: rows of the most frequent value */
    size_t *value_start;  /* count x sensitive_count + 1: into values */
    uint32_t *values;     /* the values present in each group, per attribute */
    uint32_t *value_rows; /* likewise: the rows that have each of them */
} hr_facts;

/* Time: O(rows x sensitive attributes), no hashing. */
hr_status hr_facts_of(const hr_groups *groups, const hr_sensitive *sensitive,
                      size_t sensitive_count, hr_facts *out, hr_error *err);
/* The facts after uniting groups: `into` groups them as if they were rows. `largest` and
 * `value_rows` are not known for a union and stay NULL. Time: O(values). */
hr_status hr_facts_merge(const hr_facts *facts, const hr_groups *into,
                         const hr_sensitive *sensitive, hr_facts *out, hr_error *err);
/* Least number of values over the sensitive attributes of group g; UINT32_MAX without any. */
uint32_t hr_facts_diversity(const hr_facts *facts, uint32_t g);
void hr_facts_free(hr_facts *facts);

/* ---- model.c: the plug-in table ---- */

/* What the job asks of every class; the models' options live here. */
typedef struct {
    int64_t k, p;
} hr_requirements;

typedef struct hr_model {
    const char *name, *title, *reference;
    const hr_option *options; /* offsets into hr_requirements */
    bool closed_under_union, closed_under_superset;
    /* Does group g satisfy the model? */
    bool (*holds)(const hr_facts *facts, uint32_t g, const hr_requirements *asked);
    /* What the classes reach: the greatest parameter with which the model would still hold;
     * -1 where that has no meaning. */
    int64_t (*achieved)(const hr_facts *facts);
} hr_model;

enum { HR_MODELS_MAX = 16 };
extern const hr_model *const hr_models[]; /* ends with NULL */

/* Does group g satisfy every model? */
bool hr_models_hold(const hr_facts *facts, uint32_t g, const hr_requirements *asked);
/* OUT: rows in groups that do not. `out` (count flags) may be NULL. */
uint64_t hr_models_out(const hr_facts *facts, const hr_requirements *asked, bool *out);

/* ---- most_classes.c ---- */

/* Upper limit on the number of classes of at least k rows with at least p values that `rows` rows can
 * form. counts[v] is the number of rows with each value of one sensitive attribute, in descending
 * order. The limit is attained when there is only one sensitive attribute. Time: O(count). */
uint64_t hr_most_classes(uint64_t rows, const uint32_t *counts, size_t count, uint64_t k,
                         uint64_t p);

#endif
