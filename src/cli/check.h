/* check.h - what `hedgerow check` found out, between the file that judges and the one that tells. */
#ifndef HR_CLI_CHECK_H
#define HR_CLI_CHECK_H

#include "cli/cli.h"

typedef struct {
    const char *original, *trace, *suppressed_as, *certificate;
} check_flags;

/* Columns of one kind that should not be there: "'name', 'phone'". */
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
    bool means; /* the job's algorithm publishes them */
    bool holds; /* everything that was judged */
} check_session;

/* ---- check_tell.c ---- */

/* To standard output, for a person. */
void check_tell(const check_session *s);
/* To standard output, for a program: one row. */
hr_status check_print(const check_session *s, hr_error *err);

#endif
