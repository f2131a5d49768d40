/* sqlite.h - shared by the files of the SQLite format: an open database, and the conversion of
 * values to texts and back. */
#ifndef HR_SQLITE_H
#define HR_SQLITE_H

#include "io/io.h"

#include <sqlite3.h>

/* ---- sqlite_base.c: a connection, its errors and its tables ---- */

typedef struct {
    sqlite3 *handle;
    char *file;            /* for messages */
    const hr_watch *watch; /* or NULL */
    double deadline;       /* hr_seconds() at which waiting for a lock ends */
    bool cancelled;        /* the watcher asked to stop */
} hr_sqlite;

enum { HR_SQLITE_WAIT = 5 }; /* seconds to wait for a database that another program has locked */

/* Opens a file that exists. If `writes` is false, no statement can change the database. The struct
 * must not move while it is open. hr_sqlite_close must follow, also on failure. */
hr_status hr_sqlite_open(hr_sqlite *db, const char *file, bool writes, const hr_watch *watch,
                         hr_error *err);
void hr_sqlite_close(hr_sqlite *db);

/* Fails with the reason of the call that just failed: "cannot read study.db: ...". `verb` is read
 * or write. */
hr_status hr_sqlite_fail(const hr_sqlite *db, const char *verb, hr_error *err);
/* Runs a statement that returns no rows. */
hr_status hr_sqlite_run(hr_sqlite *db, const char *sql, hr_error *err);
hr_status hr_sqlite_prepare(hr_sqlite *db, const char *verb, const char *sql, sqlite3_stmt **out,
                            hr_error *err);

typedef enum { HR_SQLITE_NOTHING, HR_SQLITE_TABLE, HR_SQLITE_VIEW } hr_sqlite_kind;

/* What the database has under a name, which SQLite compares without regard to case. */
hr_status hr_sqlite_find(hr_sqlite *db, const char *name, hr_sqlite_kind *out, hr_error *err);

/* ---- sqlite_value.c: values as texts ---- */

enum { HR_SQLITE_TEXT_MOST = 336 }; /* room in bytes for the text of a number */

size_t hr_sqlite_integer_text(int64_t number, char *text);
/* The shortest text that reads back as the same number, with a point, an exponent or a word in it:
 * "3.0", "1e+20", "inf". So it differs from that of any integer. */
size_t hr_sqlite_real_text(double number, char *text);

typedef struct {
    int type; /* SQLITE_INTEGER, SQLITE_FLOAT, SQLITE_TEXT or SQLITE_NULL */
    union {
        int64_t integer;
        double real;
    } number;
} hr_sqlite_value;

/* The number whose text this is; SQLITE_TEXT if it is the text of no number. */
hr_sqlite_value hr_sqlite_parse(const char *text);
/* The value that a code of a column stands for. */
hr_sqlite_value hr_sqlite_value_of(const hr_column *column, uint32_t code);
/* The type to declare for a column. Storing its values does not convert them. "": no type. */
const char *hr_sqlite_type_of(const hr_column *column);

/* ---- sqlite_read.c, sqlite_reads.c, sqlite_write.c: see hr_format ---- */

hr_status hr_sqlite_open_reader(const char *address, const hr_read_options *options,
                                hr_reader **out, hr_error *err);
hr_status hr_sqlite_reads(const hr_address *address, const hr_address *output, bool *out,
                          hr_error *err);
hr_status hr_sqlite_open_writer(const char *address, const hr_write_options *options,
                                hr_writer **out, hr_error *err);
hr_status hr_sqlite_check_output(const char *address, const hr_write_options *options,
                                 hr_error *err);

#endif
