/* job_keys.h - the names by which a job is filled: the keys of a job file, which are also flags of
 * the command; the options of models, formats and algorithms; and the keys of one attribute. All
 * are rows of tables, from which the job file's reader, the flags, --help and the manual are
 * made. */
#ifndef HR_JOB_KEYS_H
#define HR_JOB_KEYS_H

#include "job/job.h"

/* ---- job_keys.c: keys of the job ---- */

/* A key of the job, which is also a flag. */
typedef struct {
    const char *name;     /* "algorithm": key `algorithm`, flag `--algorithm` */
    char letter;          /* 'a' for -a, or 0 */
    const char *argument; /* "NAME"; NULL: a switch */
    const char *help;
    const char *commands; /* the commands that take the flag: "anonymize check boundaries" */
    hr_status (*set)(hr_job *job, const char *value, hr_error *err); /* value NULL: a bare switch */
    unsigned traits;                                                 /* HR_KEY_... */
    hr_key_type type;
    const char *initial; /* the default as text; NULL: none */
} hr_key;

enum {
    HR_KEY_PATH = 1, /* the value is a path; a job file's paths are relative to its folder */
    HR_KEY_LIST = 2, /* takes a list in a job file; the flag may be repeated */
    HR_KEY_FLAG = 4, /* a flag only: the job file has it below `attributes` */
    HR_KEY_FILE = 8  /* in a job file only; `set` is NULL */
};

/* The commands that take a job. */
#define HR_COMMANDS_EVERY "anonymize check boundaries compare"

extern const hr_key hr_keys[]; /* ends with a NULL name */
const hr_key *hr_key_find(const char *name);

/* A name that hr_job_set and flags take: a key, or an option of a model, a format or an
 * algorithm. */
typedef struct {
    const char *name;
    const hr_key *key;             /* NULL: the keyword is an option */
    const hr_option *option;       /* NULL: the keyword is a key */
    const hr_format *format;       /* first format with the option; NULL: not a format's */
    const hr_algorithm *algorithm; /* first algorithm with the option; NULL: not an algorithm's */
} hr_keyword;

/* '_' and '-' are the same in names. */
bool hr_keyword_find(const char *name, hr_keyword *out);
/* Name number i, each name once; NULL after the last. For suggestions ("did you mean"). */
const char *hr_keyword_at(size_t i);
/* Keyword number i, in the same order; false after the last. */
bool hr_keyword_number(size_t i, hr_keyword *out);
hr_status hr_keyword_set(hr_job *job, const hr_keyword *keyword, const char *value, hr_error *err);

/* ---- job_info.c; also hr_key_info_at and others of hedgerow.h ---- */

/* Describes an option like a key of a job. */
hr_key_info hr_option_info(const hr_option *option, const char *owner, hr_kind owner_kind);
/* Copies as much as the caller's struct, which may be of another version, has room for. */
void hr_key_info_copy(const hr_key_info *info, hr_key_info *out);

/* ---- job_attribute.c: keys of one attribute, and flags that name columns ---- */

typedef struct {
    const char *name, *argument, *help;
    hr_status (*set)(hr_job *job, hr_attribute *attribute, const char *value, hr_error *err);
} hr_attribute_key;

extern const hr_attribute_key hr_attribute_keys[]; /* ends with a NULL name */
const hr_attribute_key *hr_attribute_key_find(const char *name);
/* The keys whose value is {level: L} or [A, B]; NULL for others. */
hr_node_choice *hr_attribute_choice(hr_attribute *attribute, const char *key);
/* {level: L}. The text must live as long as the job. */
hr_status hr_node_choice_set_level(hr_node_choice *choice, const char *level, hr_error *err);
/* [A, B]. Copies the array; the texts must live as long as the job. `key` is used in messages. */
hr_status hr_node_choice_set_nodes(hr_job *job, hr_node_choice *choice, const char *key,
                                   const char *const *nodes, size_t count, hr_error *err);
/* job_cuts.c: {width: W}, {cells: N} or {cuts: [A, B]}, as `key` says. */
hr_status hr_node_choice_set_cuts(hr_job *job, hr_node_choice *choice, const char *key,
                                  const char *const *values, size_t count, hr_error *err);
/* The same as text: "width:10", "cells:8" or "cuts:10,20". */
hr_status hr_node_choice_parse_cuts(hr_job *job, hr_node_choice *choice, const char *text,
                                    hr_error *err);
/* Is this key one of those three? */
bool hr_is_cut_key(const char *key, size_t length);
/* job_explicit.c: {tree: TEXT, levels: [A, B]}, a hierarchy written in the job itself. */
bool hr_spec_is_tree(const hr_spec *spec);
hr_status hr_attribute_set_tree(hr_job *job, hr_attribute *attribute, const hr_spec *spec,
                                hr_error *err);
/* [A, B, C]: the ends of the bins, which never descend. */
hr_status hr_attribute_set_edges(hr_job *job, hr_attribute *attribute, const char *const *texts,
                                 size_t count, hr_error *err);
/* [A, B]: the range of a number. */
hr_status hr_attribute_set_range(hr_job *job, hr_attribute *attribute, const char *const *texts,
                                 size_t count, hr_error *err);
/* Gives the column a hierarchy that is built from its values. */
hr_status hr_attribute_set_recipe(hr_attribute *attribute, const hr_recipe *recipe);

/* ---- job_yaml.c ---- */

/* Parses builders that are given as text, such as "{prefix: [3, 2]}". The recipe is in the job's
 * arena. */
hr_status hr_job_parse_recipe(hr_job *job, const char *text, const char *folder,
                              const hr_recipe **out, hr_error *err);

/* ---- flags of columns: job_attribute.c ---- */

/* --study a:b,c:d */
hr_status hr_flag_study(hr_job *job, const char *value, hr_error *err);
/* --keys a:b:c,d:e */
hr_status hr_flag_keys(hr_job *job, const char *value, hr_error *err);
/* Setters of flags: --quasi a,b gives both columns the role, --bins a=8 sets the bins of a
 * column. */
hr_status hr_flag_identifier(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_quasi(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_sensitive(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_keep(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_drop(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_numeric(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_hierarchy(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_boundary(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_finest(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_bins(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_round(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_bottom(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_top(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_level(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_on_missing(hr_job *job, const char *value, hr_error *err);

#endif
