/* postgres.h - shared by the files of the PostgreSQL format: a connection, values in the binary
 * format of COPY, and the rows of a COPY. */
#ifndef HR_POSTGRES_H
#define HR_POSTGRES_H

#include "io/io.h"

#include <libpq-fe.h>

/* ---- postgres_base.c: a connection and its errors ---- */

typedef struct {
    PGconn *conn;
    char *name;            /* the address without the password, for messages */
    const char *verb;      /* "read" or "write", for messages */
    const hr_watch *watch; /* or NULL; asked whether to stop while the server is waited for */
    bool connected;        /* the connection was made, though it may be lost by now */
    bool rows;             /* rows are being copied: the server's own messages may show values */
} hr_pg;

/* Connects and begins a transaction, in which nothing can be changed unless `writes`. `shown` is
 * the whole address. hr_pg_close must follow, also on failure. */
hr_status hr_pg_open(hr_pg *pg, const hr_address *address, const char *shown, bool writes,
                     const hr_watch *watch, hr_error *err);
/* Rolls back what was not committed. */
void hr_pg_close(hr_pg *pg);

/* Runs one statement, and no more than one; parameters are texts, NULL is null. *out is the result
 * of a query, which the caller clears; `out` NULL: there are no rows. */
hr_status hr_pg_query(hr_pg *pg, const char *sql, int count, const char *const *parameters,
                      PGresult **out, hr_error *err);
/* The same for a statement without parameters, which is freed. */
hr_status hr_pg_run_text(hr_pg *pg, hr_text *sql, PGresult **out, hr_error *err);
/* Describes the columns of a statement without running it. */
hr_status hr_pg_describe(hr_pg *pg, const char *sql, PGresult **out, hr_error *err);
/* Starts a COPY, which the server must answer with `expected`. */
hr_status hr_pg_copy(hr_pg *pg, hr_text *sql, ExecStatusType expected, hr_error *err);
/* Waits until everything was sent. */
hr_status hr_pg_flush(hr_pg *pg, hr_error *err);
/* Ends a COPY to the server after the last row, and waits until it has ended. */
hr_status hr_pg_copy_done(hr_pg *pg, hr_error *err);
/* Waits until a COPY has ended, and fails if it failed. */
hr_status hr_pg_copy_end(hr_pg *pg, hr_error *err);
/* Asks the server to cancel the statement; waits for its answer for a moment only. */
void hr_pg_cancel(const hr_pg *pg);
/* Waits for data, or until data can be sent; fails if the run is cancelled. */
hr_status hr_pg_wait(hr_pg *pg, bool send, hr_error *err);
/* Fails with the reason of a result, or of the connection if `result` is NULL. */
hr_status hr_pg_fail(hr_pg *pg, const PGresult *result, hr_error *err);
/* The value of a text result; "" for null. */
const char *hr_pg_cell(const PGresult *result, int row, int column);
/* Is a truth value true? */
bool hr_pg_true(const PGresult *result, int row, int column);

/* ---- postgres_name.c: names of tables ---- */

/* A table as an address names it: NAME or SCHEMA.NAME, with names that contain dots in double
 * quotes. Names are taken as they are, in upper and lower case. */
typedef struct {
    char *schema; /* NULL: where the server finds the table */
    char *name;
    char *quoted; /* for SQL */
} hr_pg_name;

hr_status hr_pg_name_parse(const char *text, hr_pg_name *out, hr_error *err);
void hr_pg_name_free(hr_pg_name *name);

/* ---- postgres_value.c, postgres_numeric.c: values ---- */

/* How the server sends a value. */
typedef enum {
    HR_PG_TEXT, /* also the labels of an enum */
    HR_PG_BOOL,
    HR_PG_INT2,
    HR_PG_INT4,
    HR_PG_INT8,
    HR_PG_FLOAT4,
    HR_PG_FLOAT8,
    HR_PG_NUMERIC,
    HR_PG_DATE,
    HR_PG_TIME,
    HR_PG_TIMESTAMP,
    HR_PG_TIMESTAMPTZ,
    HR_PG_UUID
} hr_pg_kind;

/* The kind of a type by its number; HR_PG_TEXT if the type is none of the others. */
hr_pg_kind hr_pg_kind_of(Oid type);
/* Replaces `out` by the text of a value that the server sent. Returns NULL, or the rest of a
 * message that begins with "column 'c'" and says what is wrong with the value. */
const char *hr_pg_value_text(hr_pg_kind kind, const char *bytes, size_t length, hr_text *out);
/* Appends the value that a text stands for, as the server wants it. False if the text is no value
 * of the kind; then nothing is appended. */
bool hr_pg_text_value(hr_pg_kind kind, const char *text, size_t length, hr_text *out);
/* Sets the Arrow type of a column that was read, and the type to declare for it again.
 * `modifier` is that of the column (numeric(10,2)); `name` the quoted name of an enum, or NULL. */
hr_status hr_pg_set_type(hr_column *column, hr_pg_kind kind, int modifier, const char *name,
                         hr_error *err);
/* Appends to `sql` the type to declare for a column of an output, and returns how its values are
 * sent. The type chosen can hold all values of the column. For an enum it is text, because the
 * database may lack the enum. */
hr_pg_kind hr_pg_output_type(const hr_column *column, hr_text *sql);
/* Is the declared type of a column an enum? */
bool hr_pg_is_enum(const hr_column *column);

const char *hr_pg_numeric_text(const char *bytes, size_t length, hr_text *out);
bool hr_pg_numeric_value(const char *text, size_t length, hr_text *out);

static inline uint16_t hr_pg_get16(const char *bytes) {
    return (uint16_t)((unsigned char)bytes[0] << 8 | (unsigned char)bytes[1]);
}
static inline uint32_t hr_pg_get32(const char *bytes) {
    return (uint32_t)hr_pg_get16(bytes) << 16 | hr_pg_get16(bytes + 2);
}
static inline uint64_t hr_pg_get64(const char *bytes) {
    return (uint64_t)hr_pg_get32(bytes) << 32 | hr_pg_get32(bytes + 4);
}
/* Appends the lowest `width` bytes of a number, the highest first. */
void hr_pg_put(hr_text *out, uint64_t number, unsigned width);

/* ---- postgres_copy.c: the rows that a COPY sends ---- */

typedef struct {
    const char *bytes;
    int32_t length; /* -1: null */
} hr_pg_field;

/* Called with the fields of a row, which are valid during the call. */
typedef hr_status (*hr_pg_row)(const hr_pg_field *fields, void *payload, hr_error *err);

/* Cuts the bytes of a COPY in binary format into rows, however the bytes are split. Valid when
 * zeroed but for its first members. */
typedef struct {
    const char *name; /* of the table, for messages */
    size_t column_count;
    hr_pg_row row;
    void *payload;
    hr_pg_field *fields; /* room for column_count */
    bool started, ended; /* the header was read; the trailer was */
    hr_text rest;        /* bytes of a row that is not complete yet */
} hr_pg_rows;

hr_status hr_pg_rows_add(hr_pg_rows *rows, const char *bytes, size_t length, hr_error *err);
/* Fails unless all rows and the trailer were read. */
hr_status hr_pg_rows_end(const hr_pg_rows *rows, hr_error *err);
void hr_pg_rows_free(hr_pg_rows *rows);

/* ---- postgres_output.c: the table that an output becomes ---- */

/* What the database has under the name of an output. */
typedef struct {
    char *schema;   /* that the table is in, or will be in */
    char *existing; /* number of the table that is there, NULL: none */
} hr_pg_target;

/* Fails if a table of this name cannot be written, as far as that can be known. */
hr_status hr_pg_find_target(hr_pg *pg, const hr_pg_name *name, bool replace, hr_pg_target *out,
                            hr_error *err);
void hr_pg_target_free(hr_pg_target *target);
/* Replaces an existing table by table `quoted`: copies its owner and, unless `private`, its grants,
 * drops it, and renames `quoted` to `name`. */
hr_status hr_pg_take_place(hr_pg *pg, const char *quoted, const char *existing,
                           const hr_pg_name *name, bool private, hr_error *err);
/* Takes all rights from everyone but the owner, whatever the default privileges say. */
hr_status hr_pg_make_private(hr_pg *pg, const char *quoted, hr_error *err);

/* ---- postgres_read.c, postgres_reads.c, postgres_write.c: see hr_format ---- */

hr_status hr_pg_open_reader(const char *address, const hr_read_options *options, hr_reader **out,
                            hr_error *err);
hr_status hr_pg_reads(const hr_address *address, const hr_address *output, bool *out,
                      hr_error *err);
hr_status hr_pg_open_writer(const char *address, const hr_write_options *options, hr_writer **out,
                            hr_error *err);
/* Fails because the address of an output has a query. */
hr_status hr_pg_no_query(const char *address, hr_error *err);
hr_status hr_pg_check_output(const char *address, const hr_write_options *options, hr_error *err);

#endif
