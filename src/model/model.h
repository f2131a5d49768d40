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
/* The facts of unions of groups: `into` groups the groups as if they were rows. Time: O(values). */
hr_status hr_facts_merge(const hr_facts *facts, const hr_groups *into,
                         const hr_sensitive *sensitive, hr_facts *out, hr_error *err);
/* The least number of values that group g has of any sensitive attribute; UINT32_MAX if there is no
 * sensitive attribute. */
uint32_t hr_facts_least_values(const hr_facts *facts, uint32_t g);
void hr_facts_free(hr_facts *facts);

/* What a model may know about one group: a group of hr_facts (hr_facts_group) or a class that rows
 * join and leave (hr_judge_known). The rows of each value are entries start[l] .. start[l + 1] - 1
 * of `rows` for sensitive attribute l; an entry may be 0. */
typedef struct {
    uint32_t size; /* rows */
    size_t sensitive_count;
    const uint32_t *distinct; /* per attribute: different values */
    const uint32_t *largest;  /* per attribute: rows with the most frequent value */
    const size_t *start;
    const uint32_t *rows;
    const uint32_t *values; /* value of each entry; NULL: entry start[l] + v has value v */
} hr_known;

hr_known hr_facts_group(const hr_facts *facts, uint32_t g);

/* ---- model.c: the plug-in table ---- */

/* What every class must satisfy; the options of the models are stored here. */
typedef struct {
    int64_t k, p;
    double alpha; /* 0 and 1: any share is allowed */
} hr_requirements;

/* What a model looks at beside the size of a class. */
enum {
    HR_NEEDS_VALUES = 1, /* hr_known.distinct */
    HR_NEEDS_COUNTS = 2  /* hr_known.largest and .rows */
};

typedef struct hr_model {
    const char *name, *title, *reference;
    const hr_option *options; /* offsets into hr_requirements; the first is the model's parameter */
    unsigned needs;           /* HR_NEEDS_...; 0: the size alone */
    bool closed_under_union;  /* the union of two classes that hold holds */
    bool closed_under_superset; /* a class that holds still does when any rows join it */
    bool less_is_stricter;      /* of the parameter; false: more is */
    bool always_shown;          /* reports show the model even where it is not in play */
    /* Does the job ask for the model? NULL: every job does. */
    bool (*in_play)(const hr_requirements *asked);
    bool (*holds)(const hr_known *class, const hr_requirements *asked);
    /* The strictest parameter with which the class holds; NaN: it has no meaning. */
    double (*achieved)(const hr_known *class);
    /* How far the class is from holding: an estimate of how many rows have to join it, at least.
     * 0 if and only if it holds. */
    uint32_t (*lack)(const hr_known *class, const hr_requirements *asked);
    /* How many of the `rows` rows with one value of sensitive attribute l have to leave, at least,
     * if no row joins. Some value has such rows unless the class holds. NULL if the model is closed
     * under supersets: then leaving never helps. */
    uint32_t (*excess)(const hr_known *class, size_t l, uint32_t rows,
                       const hr_requirements *asked);
} hr_model;

enum { HR_MODELS_MAX = 16 };
/* Ends with NULL. The first two, HR_MODELS_KP, are k and p, for which algorithms and reports have
 * ways of their own. */
extern const hr_model *const hr_models[];
enum { HR_MODELS_KP = 2 };

bool hr_model_in_play(const hr_model *model, const hr_requirements *asked);
/* Is a model in play that algorithms for k and p alone do not know? */
bool hr_models_beyond_kp(const hr_requirements *asked);
/* Index in hr_models of the model with this parameter; SIZE_MAX: there is none. */
size_t hr_model_find(const char *parameter);
/* True if group g satisfies every model. */
bool hr_models_hold(const hr_facts *facts, uint32_t g, const hr_requirements *asked);
/* The strictest parameter with which all groups satisfy the model; NaN: it has no meaning. */
double hr_model_achieved(const hr_model *model, const hr_facts *facts);
/* The value of the model's parameter. */
double hr_model_asked(const hr_model *model, const hr_requirements *asked);
/* Appends a value of the parameter: a whole number, or a real number with up to six digits. */
void hr_model_print(const hr_model *model, double value, hr_text *out);
/* OUT: the number of rows in groups that do not. Sets out[g] for these groups; `out` may be
 * NULL. */
uint64_t hr_models_out(const hr_facts *facts, const hr_requirements *asked, bool *out);

/* ---- judge.c: the models in play, and the state of a class that rows join and leave ---- */

/* A state is an array of `words` numbers; all zero: a class without rows. A row is given by its
 * values: one per sensitive attribute, HR_NONE if missing. */
typedef struct {
    const hr_model *models[HR_MODELS_MAX + 1]; /* in play; ends with NULL */
    hr_requirements asked;
    const hr_sensitive *sensitive;
    size_t sensitive_count;
    unsigned needs;      /* of all models together */
    size_t *value_start; /* sensitive_count + 1: running sums of value counts */
    size_t words;
} hr_judge;

hr_status hr_judge_make(const hr_sensitive *sensitive, size_t sensitive_count,
                        const hr_requirements *asked, hr_judge *out, hr_error *err);
void hr_judge_free(hr_judge *judge);
/* The values of a row of the table. */
void hr_judge_values(const hr_judge *judge, size_t row, uint32_t *values);
/* `count` rows with these values join or leave. Time: O(attributes), and for leaving O(values) if a
 * model needs counts. */
void hr_judge_add(const hr_judge *judge, uint32_t *state, const uint32_t *values, uint32_t count);
void hr_judge_remove(const hr_judge *judge, uint32_t *state, const uint32_t *values,
                     uint32_t count);
/* All rows of another class join. Time: O(values). */
void hr_judge_merge(const hr_judge *judge, uint32_t *state, const uint32_t *other);
hr_known hr_judge_known(const hr_judge *judge, const uint32_t *state);
bool hr_judge_holds(const hr_judge *judge, const uint32_t *state);
/* The greatest lack of all models; 0 if and only if all hold. */
uint32_t hr_judge_lack(const hr_judge *judge, const uint32_t *state);
/* By how many rows one of these values is too frequent in the class, at most. */
uint32_t hr_judge_excess(const hr_judge *judge, const uint32_t *state, const uint32_t *values);
/* The most rows, up to `most`, with these values that can leave or join a class that holds so that
 * it still does. Tries most, then halves. The state is the same afterwards. */
uint32_t hr_judge_spare(const hr_judge *judge, uint32_t *state, const uint32_t *values,
                        uint32_t most);
uint32_t hr_judge_room(const hr_judge *judge, uint32_t *state, const uint32_t *values,
                       uint32_t most);

/* ---- trim.c: the part of a cell that can be released ---- */

/* Takes rows out of cells (their cell becomes HR_NONE) until every cell satisfies the models that
 * are not closed under supersets, or is empty. *trimmed: how many. Without such models nothing
 * changes. With one sensitive attribute no release can contain more rows of a cell than are left;
 * with several it is an estimate: no single row could be put back. */
hr_status hr_cells_trim(const hr_microdata *data, const hr_requirements *asked, hr_groups *cells,
                        uint64_t *trimmed, hr_error *err);

/* ---- cuts.c: boundaries of numbers without a hierarchy ---- */

/* What the owner says of one quasi-identifier. Both 0: it is not cut. */
typedef struct {
    double width;   /* greatest minus least number of a published interval, at most */
    uint32_t cells; /* or: how many cells there are to be */
} hr_cut_rule;

/* Chooses where to cut, so that the fewest rows must be suppressed, and sets magval and bounded of
 * the quasi-identifiers that have a rule; rules[j] is that of quasi-identifier j. Optimal for one
 * such attribute; see cuts.c. Time: O(distinct numbers x rows within the width). */
hr_status hr_cuts_choose(hr_microdata *data, const hr_requirements *asked, const hr_cut_rule *rules,
                         hr_error *err);

/* ---- most_classes.c ---- */

/* Upper limit on the number of classes of at least k rows with at least p values that `rows` rows
 * can form. counts[v] is the number of rows with each value of one sensitive attribute, in
 * descending order. The limit is attained when there is only one sensitive attribute. Time:
 * O(count). */
uint64_t hr_most_classes(uint64_t rows, const uint32_t *counts, size_t count, uint64_t k,
                         uint64_t p);

#endif
