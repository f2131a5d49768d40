/* check.h - the state of one check, shared by check.c (judges) and check_text.c (writes the
 * summary), and the result of a check, which print.c prints. */
#ifndef HR_CHECK_H
#define HR_CHECK_H

#include "run/run.h"

struct hr_check {
    char *name; /* of the masked table */
    hr_check_figures figures;
    hr_requirements asked;
    double achieved[HR_MODELS_MAX]; /* in the order of hr_models */
    hr_promises promises;
    hr_text summary;
    char **reasons, **unjudged, **warnings; /* lines of the summary; each list ends with NULL */
};

typedef struct {
    const hr_check_request *request;
    hr_job job;        /* the caller's job, without outputs, with the original as its input */
    const char *name;  /* of the masked table, in the summary */
    const char *input; /* path that the caller's job names, or NULL */
    hr_table *read;    /* the masked table, if it was read here */
    const hr_table *masked;
    bool has_original;
    bool has_trace; /* a path or a table */
    hr_dataset original, ranges;
    hr_trace trace; /* if one was given */
    hr_verdict verdict;
    hr_proof proof; /* of the certificate, if one was given */
    /* Columns that a release must not contain; `extra` have no role in the job. */
    hr_name_list identifiers, dropped, extra;
    hr_name_list missing; /* columns that the job releases and the file lacks */
    hr_arena arena;       /* of the attributes and keys of `job` that are judged */
    hr_text alike;        /* "'Age' is not 'age'": the first extra name like one of the job's */
    bool enforce;         /* boundaries are enforced, not counted */
    bool means;           /* the algorithm of the job publishes means */
    bool holds;           /* nothing that was judged fails */
    const hr_promises *promises;
    hr_text *summary;
    const hr_watch *watch;
} hr_check_session;

/* Lists the missing columns, and takes them out of s->job. `names` are the columns of the file. */
hr_status hr_check_find_missing(hr_check_session *s, const char *const *names, size_t count,
                                hr_error *err);
/* Appends to s->summary. */
void hr_check_write_summary(const hr_check_session *s);

#endif
