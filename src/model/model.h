/* model.h - privacy models: what a group of rows must satisfy to be published as one class. Models
 * judge facts about groups (MAM cells or classes), whatever algorithm formed the groups. */
#ifndef HR_MODEL_H
#define HR_MODEL_H

#include "hierarchy/hierarchy.h"

/* ---- what is asked for ---- */

/* What every class must satisfy: the parameters of the models. 0 in any field after p: the model is
 * not asked for. */
typedef struct {
    int64_t k, p;
    double alpha; /* 0 and 1: any share is allowed */
    int64_t l;    /* 0 and 1: not asked for */
    double entropy_l;
    double recursive_c; /* 0: not asked for */
    int64_t recursive_l;
    double t;        /* 0 and 1: not asked for */
    int distance;    /* HR_DISTANCE_... that t is measured in */
    int t_reference; /* HR_REFERENCE_... */
    unsigned own;    /* bits of the models that the job asks of a single sensitive attribute */
    bool unit;       /* k counts units (people), not rows */
} hr_requirements;

enum { HR_DISTANCE_EQUAL, HR_DISTANCE_ORDERED, HR_DISTANCE_HIERARCHICAL };
enum { HR_REFERENCE_RELEASED, HR_REFERENCE_INPUT };

/* What the job asks of one sensitive attribute alone; 0 in any field: not given. */
typedef struct {
    double alpha;
    int64_t l;
    double entropy_l, recursive_c;
    int64_t recursive_l;
    double t;
    int distance; /* HR_DISTANCE_... + 1; 0: not given */
} hr_demand;

/* ---- microdata.c: a table with its roles, for models, measures and algorithms ---- */

typedef struct {
    const char *name;
    const hr_column *column;
    uint32_t *value_of_code; /* category that counts towards p; HR_NONE: missing, does not count */
    uint32_t value_count;
    char point;          /* decimal sign of numbers in bins, set before binding; 0: a point */
    double least, most;  /* range that is divided into bins, if there are bins */
    const double *edges; /* ends of the bins, one more than bins, borrowed; NULL: of equal width */
    double weight;       /* weight of the attribute; all weights sum to 1 */
    int64_t share;       /* the weight in units of 1 / HR_COST_ONE, at least 1 */
    hr_demand own;       /* what the job asks of this attribute alone */
    /* For an attribute with t-closeness; see value_order.c. */
    bool binned;     /* values are bins */
    bool referred;   /* its distribution in the whole table is needed */
    int distance;    /* HR_DISTANCE_...; values are numbered by their order unless it is equal */
    uint32_t *join;  /* hierarchical: height at which value v and v + 1 meet; NULL otherwise */
    uint32_t height; /* of the hierarchy */
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
    hr_sensitive *unit; /* the column whose values are units (people); NULL: each row is a unit */
    const hr_type_order *types; /* if this is a part of a table: types of that table; else NULL */
    const uint32_t *weight;     /* in a counted table: rows that each row represents; else NULL */
    uint64_t weights;           /* sum of `weight` */
} hr_microdata;

/* Rows of the table; in a counted table, the rows that its rows represent. */
static inline uint64_t hr_microdata_rows(const hr_microdata *data) {
    return data->weight ? data->weights : data->rows;
}

/* Rows that a row stands for: 1 unless the table is counted. */
static inline uint32_t hr_microdata_weight(const hr_microdata *data, size_t row) {
    return data->weight ? data->weight[row] : 1;
}

enum { HR_BINS_MAX = 4096 };

/* The lower end of bin b, or for b = bins the upper end of the last one. */
double hr_sensitive_edge(const hr_sensitive *sensitive, uint32_t b, uint32_t bins);

/* Binds an attribute to its column. Its categories are the texts of the column or, unless `bins` is
 * 0, `bins` intervals of equal width over its numbers. Unless `like` is NULL, the bins are those of
 * `like`, so that a masked column gets the bins of its original; only like->edges is used. */
hr_status hr_sensitive_bind(hr_sensitive *sensitive, const hr_column *column,
                            const hr_missing *missing, uint32_t bins, const hr_sensitive *like,
                            hr_error *err);
/* Numbers the units by a hash of their texts, so that the order of rows does not matter. A missing
 * unit is HR_EDATA. */
hr_status hr_unit_bind(hr_sensitive *unit, const hr_column *column, const hr_missing *missing,
                       hr_error *err);
/* Has any unit several rows? If not, counting units is counting rows. Time: O(rows). */
bool hr_unit_repeats(const hr_sensitive *unit);
/* Scales the weights to sum 1. If all are 0, they become inversely proportional to the number of
 * values. */
void hr_sensitive_weigh(hr_sensitive *sensitive, size_t count);
/* Number of different values that occur. */
uint32_t hr_sensitive_present(const hr_sensitive *sensitive);
/* The weight before scaling that hr_sensitive_weigh uses if none is given. */
double hr_sensitive_initial_weight(const hr_sensitive *sensitive);
/* Splits groups by the values of the attributes; missing is one more value. */
hr_status hr_sensitive_split(const hr_sensitive *sensitive, size_t count, hr_groups *groups,
                             hr_error *err);
void hr_microdata_free(hr_microdata *data);

/* suppressed.c: if the text is a word for "no value", such as "*", "suppressed" or "NA", returns
 * that word; otherwise NULL. */
const char *hr_suppressed_word(const char *text);
/* Does the text count towards p? It does unless it is missing or a word for "no value". */
bool hr_sensitive_counts(const hr_missing *missing, const hr_dictionary *texts, uint32_t code);

static inline uint32_t hr_sensitive_value(const hr_sensitive *sensitive, size_t row) {
    return sensitive->value_of_code[hr_column_code(sensitive->column, row)];
}

/* ---- value_order.c: the order or hierarchy of sensitive values, for t-closeness ---- */

enum { HR_VALUE_HEIGHT_MAX = 200 }; /* of a hierarchy of sensitive values */

/* Stores what the job asks of the attribute alone, and numbers its values for the distance of
 * t-closeness: in the order of their numbers or bins or, with a tree, in the order of its leaves.
 * `tree` may be NULL. Messages name rows, never values. */
hr_status hr_sensitive_demand(hr_sensitive *sensitive, const hr_demand *own,
                              const hr_requirements *asked, const hr_hierarchy *tree,
                              hr_error *err);
/* What is asked of one sensitive attribute: its own requirements where the job gives some,
 * otherwise those for all attributes. */
hr_requirements hr_asked_of(const hr_requirements *asked, const hr_sensitive *sensitive);

/* ---- reference.c: the distribution of sensitive values to which t-closeness refers ---- */

/* Entry start[l] + v is value v of sensitive attribute l. */
typedef struct {
    size_t sensitive_count;
    size_t *start;   /* sensitive_count + 1 */
    uint32_t *rows;  /* rows with each value */
    uint32_t *total; /* per attribute: rows with a value */
    uint32_t *input; /* rows of the whole input with each value */
} hr_reference;

/* Makes a reference without rows, except that `input` counts all rows of the columns. */
hr_status hr_reference_make(const hr_sensitive *sensitive, size_t count, hr_reference **out,
                            hr_error *err);
hr_status hr_reference_copy(const hr_reference *from, hr_reference **out, hr_error *err);
/* Makes `input` the distribution referred to. */
void hr_reference_use_input(hr_reference *reference);
void hr_reference_free(hr_reference *reference); /* accepts NULL */

/* ---- facts.c: what models need to know about every group of rows ---- */

typedef struct hr_facts hr_facts;
struct hr_facts {
    uint32_t count; /* groups */
    size_t sensitive_count;
    uint32_t *size;                /* rows of each group */
    uint32_t *distinct;            /* count x sensitive_count: number of different values */
    uint32_t *largest;             /* count x sensitive_count: rows with the most frequent value */
    size_t *value_start;           /* count x sensitive_count + 1: start of each list in `values` */
    uint32_t *values;              /* lists of the values of each group and attribute */
    uint32_t *value_rows;          /* for each entry of `values`: rows with that value */
    const hr_sensitive *sensitive; /* borrowed; NULL: the requirements of all attributes apply */
    hr_reference *reference; /* of all groups, or see hr_models_out; NULL: no attribute needs it */
    bool *scratch;           /* per group, if there is a reference */
    hr_facts *people;        /* of the units: people->distinct[g] are those of group g; or NULL */
};

/* Time: O(rows x sensitive attributes), without hashing. */
hr_status hr_facts_of(const hr_groups *groups, const hr_sensitive *sensitive,
                      size_t sensitive_count, hr_facts *out, hr_error *err);
/* The same for the rows of a table, with its units. */
hr_status hr_facts_of_data(const hr_groups *groups, const hr_microdata *data, hr_facts *out,
                           hr_error *err);
/* Units of a group, or its rows if each row is a unit. */
static inline uint32_t hr_facts_people(const hr_facts *facts, uint32_t g) {
    return facts->people ? facts->people->distinct[g] : facts->size[g];
}
/* The facts of unions of groups; `into` assigns each group to its union, as groups assign rows.
 * Time: O(values). */
hr_status hr_facts_merge(const hr_facts *facts, const hr_groups *into,
                         const hr_sensitive *sensitive, hr_facts *out, hr_error *err);
/* Sets the reference to the distribution of the groups that are not out; `out` may be NULL. */
void hr_facts_refer_to(const hr_facts *facts, const bool *out);
/* Copies the distribution of `reference` into the facts' reference. Does nothing if either is
 * NULL. */
void hr_facts_refer(hr_facts *facts, const hr_reference *reference);
/* The least number of values that group g has of any sensitive attribute; UINT32_MAX if there is no
 * sensitive attribute. */
uint32_t hr_facts_least_values(const hr_facts *facts, uint32_t g);
void hr_facts_free(hr_facts *facts);

/* What a model may know about one group: a group of hr_facts (hr_facts_group) or a class that rows
 * join and leave (hr_judge_known). The rows of each value are entries start[l] .. start[l + 1] - 1
 * of `rows` for sensitive attribute l; an entry may be 0. */
typedef struct {
    uint32_t size;  /* rows */
    uint32_t units; /* units (people) to which the rows belong; `size` if each row is a unit */
    size_t sensitive_count;
    const uint32_t *distinct; /* per attribute: different values */
    const uint32_t *largest;  /* per attribute: rows with the most frequent value */
    const size_t *start;
    const uint32_t *rows;
    const uint32_t *values;        /* value of each entry; NULL: entry start[l] + v has value v */
    const hr_sensitive *sensitive; /* NULL: unknown */
    const hr_reference *reference; /* NULL: unknown; then t-closeness is not judged */
    const int64_t *logs;           /* n ln n for n below HR_LOGS, see entropy.c; or NULL */
} hr_known;

hr_known hr_facts_group(const hr_facts *facts, uint32_t g);

/* ---- model.c: the plug-in table ---- */

/* What a model needs to know besides the size of a class. */
enum {
    HR_NEEDS_VALUES = 1,    /* hr_known.distinct */
    HR_NEEDS_COUNTS = 2,    /* hr_known.rows */
    HR_NEEDS_LOGS = 4,      /* hr_known.logs, to be fast */
    HR_NEEDS_REFERENCE = 8, /* hr_known.reference */
    HR_NEEDS_LARGEST = 16   /* hr_known.largest, also when rows leave a class */
};

typedef struct hr_model {
    const char *name, *title, *reference;
    const hr_option *options; /* offsets into hr_requirements; the first is the model's parameter */
    unsigned needs;           /* HR_NEEDS_...; 0: the size alone */
    bool closed_under_union;  /* the union of two classes that hold holds */
    bool closed_under_superset; /* a class that holds still does when any rows join it */
    bool less_is_stricter;      /* of the parameter; false: more is */
    bool always_shown;          /* reports show the model even where it is not in play */
    unsigned own; /* its bit in hr_requirements.own; 0: it has the same parameter everywhere */
    /* The functions below judge one sensitive attribute, l, of a class; a model that needs nothing
     * ignores l. `asked` is what is asked of that attribute (hr_asked_of). */
    /* Is the model asked for? NULL: always. */
    bool (*in_play)(const hr_requirements *asked);
    bool (*holds)(const hr_known *class, size_t l, const hr_requirements *asked);
    /* The strictest parameter with which the class holds; NaN: it has no meaning. */
    double (*achieved)(const hr_known *class, size_t l, const hr_requirements *asked);
    /* How far the class is from holding, in rows that have to join or in a finer unit. 0 if and
     * only if it holds. */
    uint32_t (*lack)(const hr_known *class, size_t l, const hr_requirements *asked);
    /* A value of sensitive attribute l has `rows` rows: how many of these have to leave, at least,
     * if no row joins. More than 0 for some value unless the class holds. NULL if the model is
     * closed under supersets, where leaving never helps, or if it does not determine which rows
     * have to leave. */
    uint32_t (*excess)(const hr_known *class, size_t l, uint32_t rows,
                       const hr_requirements *asked);
    /* For a model that is not closed under supersets and has no `excess`: `surplus` estimates how
     * many of the `rows` rows with `value` should leave to bring the class closer to holding.
     * `strain` computes the part of it that all values of the class share, once per class: 0 if the
     * class holds, otherwise more than 0. */
    double (*strain)(const hr_known *class, size_t l, const hr_requirements *asked);
    uint32_t (*surplus)(const hr_known *class, size_t l, uint32_t value, uint32_t rows,
                        const hr_requirements *asked, double strain);
    /* How many different values a class that holds has at least, by the option that is entry
     * `values_option` of `options`. NULL: unknown. */
    uint32_t (*least_values)(const hr_requirements *asked);
    size_t values_option;
    /* If any part of a class with n rows holds, the part with the most even counts does: so
     * trim_counts.c can find the largest part that holds. */
    bool even_is_best;
    /* Lowers the rows of each value of attribute l to those of the largest part of the class that
     * holds, and returns how many it took. Only where t refers to the input, and all values are
     * equally far apart. `key` breaks ties between values. NULL: no such part can be found. */
    uint32_t (*shrink)(const hr_known *class, size_t l, const hr_requirements *asked,
                       const uint64_t *key, uint32_t *rows);
} hr_model;

enum { HR_MODELS_MAX = 16 };
/* Ends with NULL. The first HR_MODELS_KP are k and p, which algorithms and reports treat apart. */
extern const hr_model *const hr_models[];
enum { HR_MODELS_KP = 2 };

bool hr_model_in_play(const hr_model *model, const hr_requirements *asked);
/* Is a model in play that algorithms for k and p alone do not know? */
bool hr_models_beyond_kp(const hr_requirements *asked);
/* Index in hr_models of the model with this parameter; SIZE_MAX: there is none. */
size_t hr_model_find(const char *parameter);
/* The first model that group g violates, or NULL. */
const hr_model *hr_models_violated(const hr_facts *facts, uint32_t g, const hr_requirements *asked);
/* True if group g satisfies every model. */
bool hr_models_hold(const hr_facts *facts, uint32_t g, const hr_requirements *asked);
/* Does the class satisfy the model, in all attributes that it is asked for? */
bool hr_model_holds(const hr_model *model, const hr_known *class, const hr_requirements *asked);
/* Is the model asked for sensitive attribute l of the facts? */
bool hr_model_asks(const hr_model *model, const hr_facts *facts, size_t l,
                   const hr_requirements *asked);
/* The strictest parameter with which all groups satisfy the model, in all attributes that it is
 * asked for, or in all attributes if it is asked for none; NaN: it has no meaning. */
double hr_model_achieved(const hr_model *model, const hr_facts *facts,
                         const hr_requirements *asked);
/* The same for one attribute. *worst receives the first group that achieves only this; HR_NONE if
 * there is none. */
double hr_model_achieved_in(const hr_model *model, const hr_facts *facts, size_t l,
                            const hr_requirements *asked, uint32_t *worst);
/* The value of the model's parameter; NaN: only some sensitive attributes ask for the model, each
 * by itself. */
double hr_model_asked(const hr_model *model, const hr_requirements *asked);
/* Appends a value of the parameter: a whole number, or a real number with up to six digits. */
void hr_model_print(const hr_model *model, double value, hr_text *out);
/* Appends what is asked for: the parameter, and other options of the model that differ from their
 * defaults: "2 (recursive_l 3)". */
void hr_model_print_asked(const hr_model *model, const hr_requirements *asked, hr_text *out);
/* Sets the model's parameter in the demand of one attribute. */
void hr_demand_relax(hr_demand *own, const hr_model *model, double value);
/* Finds OUT: sets out[g] for the groups that do not satisfy every model (`out` may be NULL) and
 * returns the number of their rows. If t-closeness refers to the released rows, OUT changes its
 * reference: groups are removed until all others hold, and facts->reference becomes the
 * distribution of the others. */
uint64_t hr_models_out(const hr_facts *facts, const hr_requirements *asked, bool *out);

/* ---- judge.c: the models in play, and the state of a class that rows join and leave ---- */

/* A state is an array of `words` numbers; all zero: a class without rows. A row is given by `width`
 * values: one per sensitive attribute, HR_NONE if missing, and the unit if units are counted. */
typedef struct {
    const hr_model *models[HR_MODELS_MAX + 1]; /* in play; ends with NULL */
    hr_requirements asked;
    hr_requirements *each; /* per sensitive attribute: what is asked of it */
    const hr_sensitive *sensitive;
    size_t sensitive_count;
    unsigned needs;             /* of all models together */
    bool closed_under_superset; /* all models in play are */
    size_t *value_start;        /* sensitive_count + 1: running sums of value counts */
    size_t words;
    size_t width;                  /* values of a row */
    const hr_sensitive *unit;      /* NULL: k counts rows */
    uint32_t unit_count;           /* greatest number of units, which may be those of a part */
    const hr_reference *reference; /* borrowed */
    int64_t *logs;                 /* see hr_known; NULL: not needed */
    uint64_t *value_key; /* per value: a hash of its text, which breaks ties; NULL: not needed */
} hr_judge;

/* `reference` may be NULL unless t-closeness is in play. */
hr_status hr_judge_make(const hr_sensitive *sensitive, size_t sensitive_count,
                        const hr_requirements *asked, const hr_reference *reference, hr_judge *out,
                        hr_error *err);
void hr_judge_free(hr_judge *judge);
/* Makes k count units: those of a table or, for a part whose units the caller has numbered, `count`
 * of them. `unit` NULL: k counts rows. A state gets 3 words per unit. */
void hr_judge_count_units(hr_judge *judge, const hr_sensitive *unit, uint32_t count);
/* If only k and p are in play, drops p, for a caller that counts values itself: states become
 * smaller. */
void hr_judge_drop_p(hr_judge *judge);
/* Makes the state that of a class without rows. Time: O(values, and units of the class). */
void hr_judge_clear(const hr_judge *judge, uint32_t *state);
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
/* Prepares hr_judge_excess_under: `strain` has room for hr_judge_strains(judge) numbers, which stay
 * valid until the class changes. False: no value is too frequent. */
size_t hr_judge_strains(const hr_judge *judge);
bool hr_judge_strain(const hr_judge *judge, const uint32_t *state, double *strain);
/* The greatest number of rows by which any of these values is too frequent in the class; an
 * estimate for a model without `excess`. */
uint32_t hr_judge_excess_under(const hr_judge *judge, const uint32_t *state, const double *strain,
                               const uint32_t *values);
/* Marks the values that are too frequent in the class: entry judge->value_start[l] + v. */
void hr_judge_excessive(const hr_judge *judge, const uint32_t *state, const double *strain,
                        bool *excessive);
/* Could a part of the class hold? False only if the class has too few rows or different values. */
bool hr_judge_could_hold(const hr_judge *judge, const uint32_t *state);
/* How many rows with these values, at most `most`, can leave (or join) a class that holds without
 * breaking a model. Tries `most`, then a half of it, and so on. Leaves the state unchanged. */
uint32_t hr_judge_spare(const hr_judge *judge, uint32_t *state, const uint32_t *values,
                        uint32_t most);
uint32_t hr_judge_room(const hr_judge *judge, uint32_t *state, const uint32_t *values,
                       uint32_t most);

/* The parts of a state. */
typedef struct {
    uint32_t *size;               /* rows of the class */
    uint32_t *distinct, *largest; /* per attribute */
    uint32_t *rows;               /* per value, see judge->value_start */
} hr_judge_parts;
hr_judge_parts hr_judge_parts_of(const hr_judge *judge, uint32_t *state);

/* ---- trim_counts.c: how many rows of each value can stay in a class ---- */

/* Is a model in play that trims cells: not closed under supersets, and such that the largest part
 * of a class that holds can be found? */
bool hr_models_trim(const hr_requirements *asked);
/* Does the class satisfy all models that trim cells? */
bool hr_judge_trimmed(const hr_judge *judge, const uint32_t *state);
/* Lowers the counts of the state until no value has an excess by a model that trims cells. A part
 * of the class that holds has at most this total and, if only alpha is in play, at most these
 * counts. With one sensitive attribute, some part has exactly these counts; with several there may
 * be none. `totals` has room
 * for a number per attribute. Time: O(values) per round; a round lowers the size by at least 1. */
void hr_judge_trim(const hr_judge *judge, uint32_t *state, uint32_t *totals);

/* ---- t_part.c ---- */

/* Lowers the rows of each value of attribute l to those of the largest part of the class that is
 * within t of the reference, if values are equally far apart. Returns how many rows it took. `key`:
 * of each value, breaks ties. Time: O(values x log(rows)) per number of rows tried. */
uint32_t hr_nearest_part(const hr_known *class, size_t l, double t, const uint64_t *key,
                         uint32_t *rows);

/* ---- trim.c: the part of a cell that can be released ---- */

/* Takes rows out of cells (their cell becomes HR_NONE) until every cell satisfies the models that
 * trim cells, or is empty; *trimmed receives their number. Without such models nothing changes.
 * With one sensitive attribute, no release can contain more rows of a cell than are left. With
 * several this is a heuristic, but no single row could be put back. `watch` may be NULL and may
 * cancel. */
hr_status hr_cells_trim(const hr_microdata *data, const hr_requirements *asked,
                        const hr_watch *watch, hr_groups *cells, uint64_t *trimmed, hr_error *err);

/* ---- cuts.c: cells of numbers without a hierarchy, chosen from the data ---- */

/* Does cuts.c choose the cells of any quasi-identifier? */
bool hr_cuts_chosen(const hr_microdata *data);
/* Chooses these cells so that the fewest rows must be suppressed, and sets magval and bounded of
 * the quasi-identifiers (hr_quasi_next_cell lists the cut points). The cells depend on all models
 * in `asked`. Optimal for one such attribute; see cuts.c. Time: O(distinct numbers x rows within
 * the width). */
hr_status hr_cuts_choose(hr_microdata *data, const hr_requirements *asked, const hr_watch *watch,
                         hr_error *err);

/* Copies data that several threads share, so that cells can be chosen in the copy. The copy owns
 * the cells of numbers and borrows everything else. Free it with hr_cuts_discard. */
hr_status hr_cuts_copy(const hr_microdata *data, hr_microdata *out, hr_error *err);
void hr_cuts_discard(hr_microdata *copy);

/* ---- cut_one.c ---- */

typedef struct {
    uint32_t *magval;    /* of each number; the caller frees it */
    uint64_t suppressed; /* rows that must be suppressed */
    uint32_t tried;      /* number of places at which a cut was tried */
} hr_cut_found;

/* Finds the best cells of quasi-identifier j, with the cells of all others fixed. */
hr_status hr_cut_one(const hr_microdata *data, const hr_requirements *asked, size_t j,
                     const hr_watch *watch, hr_cut_found *out, hr_error *err);

/* ---- entropy.c ---- */

enum { HR_LOGS = 1 << 16 };

/* n ln n in units of 2^-26, rounded; the same on every machine. */
int64_t hr_n_log_n(uint32_t n);

/* ---- most_classes.c ---- */

/* Upper limit on the number of classes of at least k rows with at least p values that `rows` rows
 * can form. counts[v] is the number of rows with each value of one sensitive attribute, in
 * descending order. The limit is attained when there is only one sensitive attribute. Time:
 * O(count). */
uint64_t hr_most_classes(uint64_t rows, const uint32_t *counts, size_t count, uint64_t k,
                         uint64_t p);

#endif
