/* hedgerow.h - the public interface of libhedgerow.
 *
 * Hedgerow anonymizes a table with one row per person so that it can be released: every class of
 * look-alikes has at least k rows and at least p values of each sensitive attribute, and no value
 * is generalized past the boundary that the owner drew.
 *
 * Ownership is told by shape: what a function returns is borrowed, what it gives through `out` is
 * yours to free. What can fail returns hr_status and fills the caller's hr_error (last parameter,
 * may be NULL). The library neither prints nor exits and has no hidden state, so different jobs may
 * run in different threads. */
#ifndef HEDGEROW_H
#define HEDGEROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HR_API __attribute__((visibility("default")))
#else
#define HR_API
#endif

#define HR_VERSION "0.1.0"

/* ---- Errors ------------------------------------------------------------------------------- */

typedef enum {
    HR_OK,
    HR_ENOMEM,  /* out of memory */
    HR_EINVAL,  /* bad use: a job, flag or option that cannot be */
    HR_EDATA,   /* bad input: a table or hierarchy that cannot be used as it is */
    HR_EIO,     /* reading or writing failed */
    HR_ENOSOL,  /* no release satisfies the models: an answer, not an accident */
    HR_ECANCEL, /* cancelled by the caller */
    HR_EUNSUP   /* this build was made without the part that is needed */
} hr_status;

typedef struct {
    hr_status code;
    char message[512]; /* one line, says what the user can change */
} hr_error;

/* The version of the library in use, as in HR_VERSION. */
HR_API const char *hr_version(void);

/* ---- Watching a run ------------------------------------------------------------------------ */

/* Callbacks of a run; each may be NULL. They may come from any thread, never two at a time. */
typedef struct {
    /* `done` of `total` units of `stage` are finished; at most about ten calls a second. */
    void (*progress)(const char *stage, uint64_t done, uint64_t total, void *payload);
    /* The best release so far loses `loss` by `measure` ("ntil", say), and none can lose less than
     * `least` (NaN: not known). Comes just before a call of `progress`, from algorithms that look
     * for the least loss; rows that the search has not come to count as suppressed. */
    void (*loss)(const char *measure, double loss, double least, void *payload);
    /* Something the owner should know that is not an error, as one line. */
    void (*notice)(const char *message, void *payload);
    /* Return true to cancel; the run then ends with HR_ECANCEL and leaves no files. */
    bool (*cancelled)(void *payload);
    void *payload;
} hr_watch;

/* ---- Tables -------------------------------------------------------------------------------- */

/* Columns of text, one code per row and a dictionary per column. */
typedef struct hr_table hr_table;

/* A table without rows. Names are not empty and all different. Time: O(columns). */
HR_API hr_status hr_table_new(size_t columns, const char *const *names, hr_table **out,
                              hr_error *err);

/* Append one row: as many texts as the table has columns. Time: O(bytes), amortized. */
HR_API hr_status hr_table_append(hr_table *table, const char *const *fields, hr_error *err);

/* Read a CSV file (plain, gzip or zstd), every column of it. Time: O(bytes). */
HR_API hr_status hr_table_read(const char *path, hr_table **out, hr_error *err);

/* Write a CSV file: whole or not at all. Time: O(bytes). */
HR_API hr_status hr_table_write(const hr_table *table, const char *path, hr_error *err);

HR_API size_t hr_table_rows(const hr_table *table);
HR_API size_t hr_table_columns(const hr_table *table);
HR_API const char *hr_table_name(const hr_table *table, size_t column);

/* The text of a field, without its quotes. Valid until the table is freed or appended to. */
HR_API const char *hr_table_text(const hr_table *table, size_t row, size_t column);

HR_API void hr_table_free(hr_table *table);

/* ---- Jobs ---------------------------------------------------------------------------------- */

/* What is to be done: input, roles, hierarchies, boundaries, models, algorithm, outputs. */
typedef struct hr_job hr_job;

HR_API hr_status hr_job_new(hr_job **out, hr_error *err);

/* Read a job file (YAML or JSON). Relative paths in it are relative to it. */
HR_API hr_status hr_job_read(const char *path, hr_job **out, hr_error *err);

/* Set one key as the command's flag of that name would: hr_job_set(job, "k", "10", err),
 * hr_job_set(job, "hierarchy", "age=age.csv", err). Later settings override earlier ones. */
HR_API hr_status hr_job_set(hr_job *job, const char *key, const char *value, hr_error *err);

/* Use this table as input instead of a file. The table is borrowed until the job is freed. */
HR_API hr_status hr_job_set_input(hr_job *job, const hr_table *table, hr_error *err);

HR_API void hr_job_free(hr_job *job);

/* ---- Releases ------------------------------------------------------------------------------ */

/* A verified release, in memory. */
typedef struct hr_release hr_release;

/* Run the job: read, bind, prepare, search, mask, verify, measure, write. Files are written where
 * the job names them. Nothing is written and HR_ENOSOL is returned when nothing can be released.
 * `watch` may be NULL. */
HR_API hr_status hr_job_run(const hr_job *job, const hr_watch *watch, hr_release **out,
                            hr_error *err);

/* The released rows in the job's order. */
HR_API const hr_table *hr_release_table(const hr_release *release);

/* The report as JSON text (the owner's, not for release). */
HR_API const char *hr_release_report(const hr_release *release);

HR_API void hr_release_free(hr_release *release);

#ifdef __cplusplus
}
#endif

#endif
