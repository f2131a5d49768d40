/* job.h - a job: which table to read, what each column is, what the release must satisfy, how to
 * search and what to write.
 *
 * A job is filled from a job file (job_yaml.c) or key by key, as flags do (job_keys.c,
 * job_attribute.c; see job_keys.h). Setters check one value at a time; hr_job_complete checks that
 * the values fit together (job_check.c) and hr_job_choose resolves the algorithm (job_choose.c).
 * Nothing here reads the table: that is the business of run/. */
#ifndef HR_JOB_H
#define HR_JOB_H

#include "algorithm/algorithm.h"
#include "hierarchy/build/build.h"
#include "io/io.h"

/* ---- the parts of a job ---- */

typedef enum {
    HR_ROLE_NONE, /* the column is dropped, with a notice */
    HR_ROLE_IDENTIFIER,
    HR_ROLE_QUASI,
    HR_ROLE_SENSITIVE,
    HR_ROLE_KEEP,
    HR_ROLE_DROP
} hr_role;

/* Nodes of a hierarchy as a job names them or, for a boundary, cells of numbers. If no field is
 * set, the key was not given. */
typedef struct {
    const char *level;  /* {level: L}: number or name of a level; or NULL */
    const char **nodes; /* [A, B]: labels; or NULL */
    size_t node_count;
    hr_cut_rule cuts; /* {width: W}, {cells: N} or {cuts: [A, B]}; the points are in the arena */
} hr_node_choice;

/* One column as the job describes it. Texts live in the job's arena. */
typedef struct {
    const char *name;
    hr_role role;
    /* Path, joined to the job's folder, or "flat"; with a recipe or a tree: its name. */
    const char *hierarchy;
    const hr_recipe *recipe; /* how the hierarchy is built from the column; or NULL */
    hr_hierarchy *tree;      /* the hierarchy itself, if it was given in memory; or NULL */
    bool numeric;            /* type: numeric */
    const double *range;     /* of a numeric one: ends of the range for the loss; or NULL */
    hr_on_missing on_missing;
    bool on_missing_given;
    bool weight_given;
    double weight;
    hr_demand own;       /* requirements of this sensitive attribute alone; see job_demand.c */
    uint32_t bins;       /* 0: none */
    const double *edges; /* of the bins, one more than bins; NULL: bins of equal width */
    hr_node_choice boundary, finest;
    /* How a kept column is recoded (job_recode.c), each as the job has it; NULL: not given. */
    const char *round, *bottom, *top;
    const char *level; /* number or name of a level of the hierarchy */
    /* A flag replaces a contradicting entry of the job file, but two contradicting flags are an
     * error. So the job records what came from the file. */
    bool inherited;      /* the attribute was described by the job file */
    bool role_inherited; /* its role was given by the job file */
} hr_attribute;

typedef enum { HR_BOUNDARIES_DEFAULT, HR_BOUNDARIES_ENFORCE, HR_BOUNDARIES_COUNT } hr_boundaries;
typedef enum {
    HR_BOUND_DEFAULT,
    HR_BOUND_NONE,
    HR_BOUND_SIMPLE,
    HR_BOUND_LAGRANGIAN
} hr_bound_kind;
typedef enum { HR_ORDER_CANONICAL, HR_ORDER_INPUT, HR_ORDER_SHUFFLE } hr_order;

/* A key or an option of the algorithm, and its value as text. */
typedef struct {
    const char *name, *value;
} hr_setting;

/* The texts live in the job's arena, the array on the heap. */
typedef struct {
    hr_setting *items;
    size_t count, capacity;
} hr_setting_list;

/* The same for texts. */
typedef struct {
    const char **texts;
    size_t count, capacity;
    bool
        inherited; /* the texts are defaults or come from the job file: the next one replaces all */
} hr_text_list;

/* What is read. */
typedef struct {
    const char *path;       /* "-" is standard input; NULL: not given */
    const hr_table *table;  /* borrowed, instead of `path`; or NULL */
    const uint32_t *counts; /* borrowed; how many rows each counted row represents (see
                             * hr_job_set_counts); NULL: the table is not counted */
    size_t counted;         /* number of counted rows, which come first */
    hr_text_list missing;   /* texts that stand for a missing value; by default the empty text */
} hr_job_input;

/* Two columns whose association the report compares before and after. */
typedef struct {
    const char *a, *b;
} hr_study_pair;

typedef struct {
    hr_study_pair *pairs; /* on the heap; the texts live in the job's arena */
    size_t count, capacity;
    bool inherited; /* the pairs come from the job file: the next one replaces all */
} hr_job_study;

/* Columns that an outsider may know together. */
typedef struct {
    const char **columns;
    size_t count;
} hr_key_set;

typedef struct {
    hr_key_set *sets; /* on the heap; the columns and texts live in the job's arena */
    size_t count, capacity;
    bool inherited; /* the sets come from the job file: the next one replaces all */
} hr_job_keys;

/* How to search. */
typedef struct {
    const char *algorithm;    /* name or alias; by default "hedge" */
    hr_setting_list settings; /* options of the algorithm, checked when the run starts */
    bool reference;           /* run the algorithm's plain form */
    uint64_t seed;            /* by default 1 */
    unsigned threads;         /* 0: all cores */
    hr_bound_kind bound;      /* HR_BOUND_DEFAULT: the algorithm's effort decides */
} hr_job_search;

/* What is written. NULL: not written. */
typedef struct {
    const char *release; /* NULL: the release stays in memory */
    const char *trace, *minimal, *certificate, *resolved;
    hr_text_list reports;      /* FILE.json or FILE.html */
    const char *public_report; /* FILE.html */
} hr_job_output;

struct hr_job {
    hr_arena arena;
    const char *path;      /* the job file, or NULL */
    uint64_t fingerprint;  /* hash of every setting that can change a result, in the order given */
    hr_setting_list given; /* the last value of every key that was given */
    hr_job_input input;
    hr_format_options format;
    hr_attribute *attributes;
    size_t attribute_count, attribute_capacity;
    hr_requirements asked; /* k 0: not given; p is 1 by default */
    const char *unit;      /* column of the units that k counts; NULL: k counts rows */
    hr_boundaries boundaries;
    double max_suppressed; /* share of the input's rows; by default 1 */
    hr_order order;
    hr_job_search search;
    hr_job_study study;
    hr_job_keys keys; /* k is reported for each set of columns, not enforced */
    hr_job_output output;
};

/* job_keys.c: is the report of this name a page? */
bool hr_report_is_page(const char *path);

/* ---- job.c; also hr_job_new, hr_job_set and hr_job_free of hedgerow.h. hr_job_read and
 * hr_job_parse are in job_yaml.c, hr_job_get and the lists of keys and columns in job_info.c
 * ---- */

enum { HR_JOB_MOST = 10000 }; /* attributes of a job, and keys of one mapping in a job file */

/* Finds the attribute of this name, or adds one without a role. *out is valid until the next one is
 * added. */
hr_status hr_job_attribute(hr_job *job, const char *name, hr_attribute **out, hr_error *err);

/* Clears all outputs, for commands that only inspect. */
void hr_job_write_nothing(hr_job *job);

/* The texts that stand for a missing value, borrowed from the job. */
hr_missing hr_job_missing(const hr_job *job);
/* The attribute of this name, or NULL. */
const hr_attribute *hr_attribute_find(const hr_job *job, const char *name);
/* Is the hierarchy made from the values of the column: flat, or by a recipe? */
bool hr_attribute_built(const hr_attribute *attribute);
/* Does the hierarchy (unless it is flat), or do the bins, depend on values of the original column
 * that a release does not show? */
bool hr_attribute_needs_data(const hr_attribute *attribute);
/* "quasi" and so on; NULL for no role. */
const char *hr_role_name(hr_role role);
/* Are columns of this role part of a release? */
bool hr_role_released(hr_role role);

/* ---- job_demand.c: requirements of one sensitive attribute alone ---- */

/* Is this the name of a parameter that can be set for one attribute alone? */
bool hr_is_demand(const char *key);
hr_status hr_demand_set(hr_job *job, hr_attribute *attribute, const char *key, const char *value,
                        hr_error *err);
/* Parameter number i; appends its value, or nothing if it is not given. False after the last. */
bool hr_demand_at(const hr_attribute *attribute, size_t i, const char **name, hr_text *value);
/* What is asked of the attribute, with the distance of its values. */
hr_requirements hr_attribute_asked(const hr_job *job, const hr_attribute *attribute);
/* Appends what the job asks for by a model: "0.5" or, where attributes ask for it by themselves,
 * "0.4 for 'illness', 0.3 for 'income'". Other options of the model follow if they are given:
 * "2 (recursive_l 3)". */
void hr_job_print_asked(const hr_job *job, const hr_model *model, hr_text *out);
hr_status hr_demand_check(const hr_job *job, const hr_attribute *attribute, hr_error *err);

/* Fails if the input is a counted table. */
hr_status hr_job_check_counts(const hr_job *job, hr_error *err);

/* ---- job_check.c; also hr_job_complete of hedgerow.h ---- */

/* Fails if writing to `path` would change `other_path`; see hr_address_overlaps. NULL for either
 * passes. */
hr_status hr_job_check_pair(const char *what, const char *path, const char *other,
                            const char *other_path, hr_error *err);
/* Fails if `path`, which is to be written, is a file or table that the job reads. NULL passes. */
hr_status hr_job_check_written(const hr_job *job, const char *what, const char *path,
                               hr_error *err);

/* ---- job_recode.c: kept columns that are recoded ---- */

/* The keys `round`, `bottom` and `top` in units of 10^-scale (see hr_decimal_floor). */
typedef struct {
    int scale;
    char point;    /* decimal sign of the column's numbers; 0: a point */
    int64_t round; /* an even number of units; 0: not given */
    int64_t bottom, top;
    bool has_bottom, has_top;
} hr_recode_numbers;

/* Is this a kept column that is released recoded? */
bool hr_attribute_recodes(const hr_attribute *attribute);
/* Appends the recoding as the job has it: "round: 100, top: 90". */
void hr_attribute_recoding_text(const hr_attribute *attribute, hr_text *out);
hr_status hr_recode_numbers_parse(const hr_attribute *attribute, hr_recode_numbers *out,
                                  hr_error *err);
/* Checks that the keys of a kept column go together. */
hr_status hr_recoding_check(const hr_attribute *attribute, hr_error *err);

/* Fails if standard input is named twice, by files that the job reads and by `path` (or NULL),
 * which the command also reads and messages call `what`. */
hr_status hr_job_check_standard_input(const hr_job *job, const char *what, const char *path,
                                      hr_error *err);

/* ---- job_choose.c ---- */

/* The job's algorithm, with alias, options and boundaries mode resolved. */
typedef struct {
    const hr_algorithm *algorithm;
    const char *name;      /* as the user wrote it */
    void *options;         /* the algorithm's options struct, in the caller's arena */
    bool count_boundaries; /* boundaries are counted, not enforced */
} hr_choice;

/* Resolves the algorithm with its options, and checks that it can do what the job asks. */
hr_status hr_job_choose(const hr_job *job, hr_arena *arena, hr_choice *out, hr_error *err);
/* Parts of hr_job_choose: resolve name and boundaries mode only; resolve these and the options;
 * check. */
hr_status hr_job_choose_algorithm(const hr_job *job, hr_choice *out, hr_error *err);
hr_status hr_job_choose_options(const hr_job *job, hr_arena *arena, hr_choice *out, hr_error *err);
hr_status hr_choice_fits(const hr_job *job, const hr_choice *choice, hr_error *err);
/* The requirements as enforced. p values need p rows, so k is raised to p unless k counts units. */
hr_requirements hr_job_asked(const hr_job *job);

#endif
