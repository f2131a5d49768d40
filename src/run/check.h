/* check.h - the state of one check, shared by check.c, which judges, and check_text.c, which
 * writes the summary; and its result, which print.c prints. */
#ifndef HR_CHECK_H
#define HR_CHECK_H

#include "run/run.h"

struct hr_check {
    char *name; /* of the masked table */
    hr_check_figures figures;
    hr_requirements asked;
    double achieved[HR_MODELS_MAX]; /* in the order of hr_models */
    hr_text summary;
    char **reasons; /* ends with NULL */
};

/* Columns of one role that a release must not contain: "'name', 'phone'". */
typedef struct {
    hr_text names;
    uint64_t count;
} hr_leftover;

typedef struct {
    const hr_check_request *request;
    hr_job job;        /* the caller's, which writes nothing and reads the original */
    const char *name;  /* of the masked table, in the summary */
    const char *input; /* path that the caller's job names, or NULL */
    hr_table *read;    /* the masked table, if it was read here */
    const hr_table *masked;
    bool has_original;
    hr_dataset original, ranges;
    uint32_t *row; /* original row of each masked row; NULL: paired by position */
    hr_verdict verdict;
    hr_proof proof; /* of the certificate, if one was given */
    hr_leftover identifiers, dropped;
    bool enforce; /* boundaries are enforced, not counted */
    bool means;   /* the algorithm of the job publishes means */
    bool holds;   /* nothing that was judged fails */
    hr_text *summary;
    const hr_watch *watch;
} hr_check_session;

/* Appends to s->summary. */
void hr_check_write_summary(const hr_check_session *s);

#endif
