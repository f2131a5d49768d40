/* job.h - a job as text, and the road from it to a verified release: read, bind, prepare, search,
 * mask, verify, measure, write. */
#ifndef HR_JOB_H
#define HR_JOB_H

#include "algorithm/algorithm.h"
#include "io/io.h"

/* ---- job.c, job_keys.c, job_attribute.c, job_yaml.c, job_check.c, job_choose.c: a job as text
 * ---- */

typedef enum {
    HR_ROLE_NONE,
    HR_ROLE_IDENTIFIER,
    HR_ROLE_QUASI,
    HR_ROLE_SENSITIVE,
    HR_ROLE_KEEP,
    HR_ROLE_DROP
} hr_role;

/* One attribute as the job describes it. Texts live in the job's arena. */
typedef struct {
    const char *name;
    hr_role role;
    const char *hierarchy; /* a path (already resolved), "flat", or NULL */
    bool numeric;          /* type: numeric */
    bool drop_missing;     /* on_missing: drop */
    bool on_missing_given;
    bool weight_given;
    double weight;
    uint32_t bins; /* 0: none */
    bool level_given;
    uint64_t level;     /* boundary: {level: N} */
    const char **nodes; /* boundary: [A, B]; NULL if none */
    size_t node_count;
    bool inherited;      /* said by the job file: a flag that contradicts it replaces it */
    bool role_inherited; /* likewise its role alone */
} hr_attribute;

typedef enum { HR_BOUNDARIES_DEFAULT, HR_BOUNDARIES_ENFORCE, HR_BOUNDARIES_COUNT } hr_boundaries;
typedef enum {
    HR_BOUND_DEFAULT,
    HR_BOUND_NONE,
    HR_BOUND_SIMPLE,
    HR_BOUND_LAGRANGIAN
} hr_bound_kind;
typedef enum { HR_ORDER_CANONICAL, HR_ORDER_INPUT, HR_ORDER_SHUFFLE } hr_order;

typedef struct {
    const char *name, *value;
} hr_setting;

/* A list of texts in the job's arena. */
typedef struct {
    const char **texts; /* the array is allocated with malloc */
    size_t count, capacity;
    bool inherited; /* from the job file or the defaults: the next text added replaces them all */
} hr_text_list;

/* What is read. */
typedef struct {
    const char *path;      /* "-" is standard input; NULL: not given */
    const hr_table *table; /* borrowed, instead of `path`; or NULL */
    char delimiter;        /* 0: detected */
    hr_text_list missing;  /* texts that stand for a missing value; by default the empty text */
} hr_job_input;

/* How to search. */
typedef struct {
    const char *algorithm; /* name or alias; by default "hedge" */
    hr_setting *settings;  /* options of the algorithm, checked when the run starts */
    size_t setting_count, setting_capacity;
    bool reference;      /* run the algorithm's plain form */
    uint64_t seed;       /* by default 1 */
    unsigned threads;    /* 0: all cores */
    hr_bound_kind bound; /* HR_BOUND_DEFAULT: the algorithm's effort decides */
} hr_job_search;

/* What is written. NULL: not written. */
typedef struct {
    const char *release; /* NULL: the release stays in memory */
    const char *trace, *minimal, *certificate;
    hr_text_list reports;
} hr_job_output;

struct hr_job {
    hr_arena arena;
    const char *path;     /* the job file, or NULL */
    uint64_t fingerprint; /* hash of every setting that can change a result, in the order given */
    hr_job_input input;
    hr_attribute *attributes;
    size_t attribute_count, attribute_capacity;
    hr_requirements asked; /* k 0: not given; p is 1 by default */
    hr_boundaries boundaries;
    double max_suppressed; /* share of the input's rows; by default 1 */
    hr_order order;
    hr_job_search search;
    hr_job_output output;
};

enum { HR_JOB_MOST = 10000 }; /* attributes of a job, keys of a mapping in its file */

/* Finds the attribute of this name, or adds one without a role. *out is valid until the next one is
 * added. */
hr_status hr_job_attribute(hr_job *job, const char *name, hr_attribute **out, hr_error *err);

/* Forget what the job would write: for those who only look. */
void hr_job_write_nothing(hr_job *job);

/* The attribute of that name, or NULL. */
const hr_attribute *hr_attribute_find(const hr_job *job, const char *name);
/* Are columns of this role part of a release? */
bool hr_role_released(hr_role role);

/* A job that is already in memory. `name` is used in messages; relative paths in it are relative to
 * `folder` (NULL: left as they are). */
hr_status hr_job_parse(const char *bytes, size_t length, const char *name, const char *folder,
                       hr_job **out, hr_error *err);

/* Is everything there that a run needs, and does it go together? Says what to write. */
hr_status hr_job_complete(const hr_job *job, hr_error *err);
/* Are two paths two files, however they are written? NULL is fine. */
hr_status hr_job_check_pair(const char *what, const char *path, const char *other,
                            const char *other_path, hr_error *err);
/* `path` is to be written: is it no file that the job reads? NULL is fine. */
hr_status hr_job_check_written(const hr_job *job, const char *what, const char *path,
                               hr_error *err);

/* The job's algorithm with its options, boundaries mode and alias resolved. */
typedef struct {
    const hr_algorithm *algorithm;
    const char *name; /* as the user wrote it */
    void *options;    /* from the arena given */
    bool count_boundaries;
} hr_choice;

/* Its algorithm and boundaries mode alone, for those who run nothing. */
hr_status hr_job_choose_algorithm(const hr_job *job, hr_choice *out, hr_error *err);
hr_status hr_job_choose(const hr_job *job, hr_arena *arena, hr_choice *out, hr_error *err);
/* Its two halves: the algorithm with its options, and whether it can do what the job asks. */
hr_status hr_job_choose_options(const hr_job *job, hr_arena *arena, hr_choice *out, hr_error *err);
hr_status hr_choice_fits(const hr_job *job, const hr_choice *choice, hr_error *err);
/* What is enforced: k is at least p. */
hr_requirements hr_job_asked(const hr_job *job);

#endif
