/* job_keys.h - the names by which a job is filled: keys of the job file, flags of the command,
 * options of models and algorithms, and the keys of one attribute. */
#ifndef HR_JOB_KEYS_H
#define HR_JOB_KEYS_H

#include "job/job.h"

/* One key of the job, which is also a flag. The table feeds job file, flags, --help and manual. */
typedef struct {
    const char *name;     /* "algorithm": key `algorithm`, flag `--algorithm` */
    char letter;          /* 'a' for -a, or 0 */
    const char *argument; /* "NAME"; NULL: a switch */
    const char *help;
    const char *commands; /* the commands that take the flag: "anonymize check boundaries" */
    hr_status (*set)(hr_job *job, const char *value, hr_error *err); /* value NULL: a bare switch */
    unsigned traits;                                                 /* HR_KEY_... */
} hr_key;

enum {
    HR_KEY_PATH = 1, /* in a job file relative to it */
    HR_KEY_LIST = 2, /* takes a list in a job file; as a flag it may be repeated */
    HR_KEY_FLAG = 4, /* a flag only: the job file says it below `attributes` */
    HR_KEY_FILE = 8  /* in the job file only; `set` is NULL */
};

extern const hr_key hr_keys[]; /* ends with a NULL name */
const hr_key *hr_key_find(const char *name);

/* What hr_job_set and a flag may name: a key, an option of a model or one of an algorithm. '_' is
 * read as '-'. */
typedef struct {
    const char *name;
    const hr_key *key;             /* or NULL: an option */
    const hr_option *option;       /* or NULL: a key */
    const hr_algorithm *algorithm; /* the first that has the option; NULL: a model's */
} hr_keyword;

bool hr_keyword_find(const char *name, hr_keyword *out);
/* Number i of all such names, each once, or NULL: what a slip of the pen is compared with. */
const char *hr_keyword_at(size_t i);
hr_status hr_keyword_set(hr_job *job, const hr_keyword *keyword, const char *value, hr_error *err);

/* One key of an attribute in the job file. */
typedef struct {
    const char *name, *argument, *help;
    hr_status (*set)(hr_job *job, hr_attribute *attribute, const char *value, hr_error *err);
} hr_attribute_key;

extern const hr_attribute_key hr_attribute_keys[]; /* ends with a NULL name */
const hr_attribute_key *hr_attribute_key_find(const char *name);
/* boundary: {level: N} */
hr_status hr_attribute_set_level(hr_attribute *attribute, const char *value, hr_error *err);
/* boundary: [A, B]. The texts are taken as they are, the array is copied. */
hr_status hr_attribute_set_nodes(hr_job *job, hr_attribute *attribute, const char *const *nodes,
                                 size_t count, hr_error *err);
/* The flags that say something about columns: set(job, "a,b") gives both the role, and so on. */
hr_status hr_flag_identifier(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_quasi(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_sensitive(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_keep(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_drop(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_numeric(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_hierarchy(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_boundary(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_bins(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_on_missing(hr_job *job, const char *value, hr_error *err);

#endif
