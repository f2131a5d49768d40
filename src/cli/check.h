/* check.h - the findings of `hedgerow check`, shared by cmd_check.c, which judges, and
 * check_print.c, which prints. */
#ifndef HR_CLI_CHECK_H
#define HR_CLI_CHECK_H

#include "cli/cli.h"

typedef struct {
    const char *original, *trace, *suppressed_as, *certificate;
} check_flags;

/* Columns of one role that a release must not contain: "'name', 'phone'". */
typedef struct {
    hr_text names;
    uint64_t count;
} check_leftover;

typedef struct {
    const cli_arguments *arguments;
    const check_flags *own;
    hr_job *job;
    const char *path;  /* of the masked file */
    const char *input; /* as the job names it, or NULL */
    hr_table *masked;
    hr_dataset original, ranges;
    uint32_t *row;
    hr_verdict verdict;
    hr_proof proof; /* of the certificate, if one was given */
    check_leftover identifiers, dropped;
    bool enforce;
    bool means; /* the algorithm of the job publishes means */
    bool holds; /* nothing that was judged fails */
} check_session;

/* ---- check_print.c ---- */

/* Prints the findings to standard output for a person. */
void check_print_text(const check_session *s);
/* Prints the findings to standard output for a program, as one row. */
hr_status check_print_row(const check_session *s, hr_error *err);

#endif
