/* postgres_base.c - a connection to a PostgreSQL server. All waiting is done here, in short steps
 * between which the run can be cancelled. Messages of the server may contain values of the table,
 * and messages of libpq parts of a password, so errors are described in our own words. */
#include "io/postgres.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 100, PATIENCE = 30 }; /* milliseconds of one wait; seconds to wait for a connection */

/* ---- waiting ---- */

/* Waits a moment for the socket; fails if the run is cancelled. */
static hr_status wait_step(hr_pg *pg, short events, hr_error *err) {
    struct pollfd socket = {.fd = PQsocket(pg->conn), .events = events};
    if (socket.fd < 0) return hr_pg_fail(pg, NULL, err);
    if (poll(&socket, 1, STEP) < 0 && errno != EINTR) return hr_fail_errno(err, pg->verb, pg->name);
    return hr_watch_check(pg->watch, err);
}

hr_status hr_pg_wait(hr_pg *pg, bool send, hr_error *err) {
    hr_status status = wait_step(pg, send ? POLLIN | POLLOUT : POLLIN, err);
    if (status == HR_ECANCEL) hr_pg_cancel(pg);
    HR_TRY(status);
    return PQconsumeInput(pg->conn) ? HR_OK : hr_pg_fail(pg, NULL, err);
}

hr_status hr_pg_flush(hr_pg *pg, hr_error *err) {
    for (int left; (left = PQflush(pg->conn)) != 0;) {
        if (left < 0) return hr_pg_fail(pg, NULL, err);
        HR_TRY(hr_pg_wait(pg, true, err));
    }
    return HR_OK;
}

/* The next result; NULL: the statement has ended. */
static hr_status next_result(hr_pg *pg, PGresult **out, hr_error *err) {
    *out = NULL;
    HR_TRY(hr_pg_flush(pg, err));
    while (PQisBusy(pg->conn))
        HR_TRY(hr_pg_wait(pg, false, err));
    *out = PQgetResult(pg->conn);
    return HR_OK;
}

static bool is_good(const PGresult *result) {
    switch (PQresultStatus(result)) {
    case PGRES_COMMAND_OK:
    case PGRES_TUPLES_OK:
    case PGRES_COPY_IN:
    case PGRES_COPY_OUT: return true;
    default: return false;
    }
}

/* Waits for the end of a statement. *out is its last result, which may be that it copies. */
static hr_status take_result(hr_pg *pg, PGresult **out, hr_error *err) {
    *out = NULL;
    for (PGresult *next = NULL;;) {
        hr_status status = next_result(pg, &next, err);
        if (status == HR_OK && next && !is_good(next)) status = hr_pg_fail(pg, next, err);
        if (status != HR_OK) {
            PQclear(next);
            PQclear(*out);
            *out = NULL;
            return status;
        }
        if (!next) break;
        PQclear(*out);
        *out = next;
        if (PQresultStatus(next) == PGRES_COPY_IN || PQresultStatus(next) == PGRES_COPY_OUT) break;
    }
    return *out ? HR_OK : hr_pg_fail(pg, NULL, err);
}

/* ---- statements ---- */

hr_status hr_pg_query(hr_pg *pg, const char *sql, int count, const char *const *parameters,
                      PGresult **out, hr_error *err) {
    PGresult *result = NULL;
    if (out) *out = NULL;
    if (!PQsendQueryParams(pg->conn, sql, count, NULL, parameters, NULL, NULL, 0))
        return hr_pg_fail(pg, NULL, err);
    HR_TRY(take_result(pg, &result, err));
    if (out)
        *out = result;
    else
        PQclear(result);
    return HR_OK;
}

hr_status hr_pg_run_text(hr_pg *pg, hr_text *sql, PGresult **out, hr_error *err) {
    hr_status status = sql->failed ? hr_fail(err, HR_ENOMEM, "out of memory")
                                   : hr_pg_query(pg, sql->data, 0, NULL, out, err);
    hr_text_free(sql);
    return status;
}

hr_status hr_pg_describe(hr_pg *pg, const char *sql, PGresult **out, hr_error *err) {
    PGresult *prepared;
    *out = NULL;
    if (!PQsendPrepare(pg->conn, "", sql, 0, NULL)) return hr_pg_fail(pg, NULL, err);
    HR_TRY(take_result(pg, &prepared, err));
    PQclear(prepared);
    if (!PQsendDescribePrepared(pg->conn, "")) return hr_pg_fail(pg, NULL, err);
    return take_result(pg, out, err);
}

hr_status hr_pg_copy(hr_pg *pg, hr_text *sql, ExecStatusType expected, hr_error *err) {
    PGresult *result;
    HR_TRY(hr_pg_run_text(pg, sql, &result, err));
    bool started = PQresultStatus(result) == expected;
    PQclear(result);
    return started ? HR_OK : hr_pg_fail(pg, NULL, err);
}

hr_status hr_pg_copy_done(hr_pg *pg, hr_error *err) {
    for (int sent; (sent = PQputCopyEnd(pg->conn, NULL)) != 1;) {
        if (sent < 0) return hr_pg_fail(pg, NULL, err);
        HR_TRY(hr_pg_flush(pg, err));
    }
    return hr_pg_copy_end(pg, err);
}

hr_status hr_pg_copy_end(hr_pg *pg, hr_error *err) {
    PGresult *result;
    HR_TRY(take_result(pg, &result, err));
    PQclear(result);
    return HR_OK;
}

const char *hr_pg_cell(const PGresult *result, int row, int column) {
    return PQgetisnull(result, row, column) ? "" : PQgetvalue(result, row, column);
}

bool hr_pg_true(const PGresult *result, int row, int column) {
    return *hr_pg_cell(result, row, column) == 't';
}

/* ---- errors ---- */

/* The meaning of the server's SQLSTATE codes. The first entry that is a prefix of the code
 * counts. */
static const struct {
    const char *state, *words;
} meanings[] = {
    {"53100", "the disk of the server is full"},
    {"53200", "the server is out of memory"},
    {"53300", "the server has too many connections: try again later"},
    {"40001", "another transaction changed the same rows (serialization failure): run it again"},
    {"40P01", "another transaction waits for this one (deadlock): run it again"},
    {"55P03", "another program is using the table: end its transaction, or try again later"},
    {"57P01", "the server was shut down, or the connection ended by its administrator"},
    {"57P02", "the server crashed"},
    {"57P03", "the server is starting up or shutting down: try again later"},
    {"25006", "the server or the role is read-only"},
    {"42501", "the role has no permission"},
    {"42P07", "another program created or replaced the table meanwhile: run it again"},
    {"23505", "another program created or replaced the table meanwhile: run it again"},
    {"22021", "a text does not fit the encoding of the database"},
    {"22P05", "the encoding of the database lacks a character of a text: use a database in UTF-8"},
};

static const char *meaning_of(const char *state) {
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++)
        if (!strncmp(state, meanings[i].state, strlen(meanings[i].state))) return meanings[i].words;
    return NULL;
}

/* Is the server's message for this SQLSTATE about names and types, never values? */
static bool is_about_names(const char *state) {
    static const char *const classes[] = {"0A", "25", "28", "2B", "3D", "3F", "42", "54"};
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strncmp(state, classes[i], 2)) return true;
    return false;
}

/* Is the failure caused by the job or the data? Others are failures of reading or writing. */
static bool is_bad_input(const char *state) {
    static const char *const classes[] = {"0A", "22", "23", "38", "39", "42", "44", "P0"};
    static const char *const others[] = {"42501", "42P07", "23505"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(state, others[i])) return false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (!strncmp(state, classes[i], 2)) return true;
    return false;
}

/* Copies a message as one line; those of libpq have several. */
static void one_line(const char *message, char *out, size_t room) {
    size_t length = 0;
    bool gap = false;
    for (; *message && length + 2 < room; message++) {
        bool blank = strchr(" \t\n", *message) != NULL;
        if (!blank && gap && length) out[length++] = ' ';
        if (!blank) out[length++] = *message;
        gap = blank;
    }
    out[length] = '\0';
}

static hr_status fail_connection(const hr_pg *pg, hr_error *err) {
    char reason[300];
    one_line(pg->conn ? PQerrorMessage(pg->conn) : "out of memory", reason, sizeof reason);
    if (strstr(reason, "no password supplied"))
        return hr_fail(err, HR_EIO,
                       "cannot %s %s: the server asks for a password: put it into a password file "
                       "(~/.pgpass) or the variable PGPASSWORD",
                       pg->verb, pg->name);
    return hr_fail(err, HR_EIO, "cannot %s %s: %s%s", pg->verb, pg->name,
                   pg->connected ? "the connection to the server was lost: " : "", reason);
}

static hr_status fail_cancelled(const hr_pg *pg, const PGresult *result, hr_error *err) {
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    bool timeout = message && strstr(message, "timeout");
    return hr_fail(err, HR_EIO, "cannot %s %s: %s", pg->verb, pg->name,
                   timeout ? "a statement took longer than the server allows (statement_timeout): "
                             "allow more time, or read fewer rows"
                           : "the statement was cancelled on the server");
}

hr_status hr_pg_fail(hr_pg *pg, const PGresult *result, hr_error *err) {
    const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
    if (!state) return fail_connection(pg, err);
    if (!strcmp(state, "57014")) return fail_cancelled(pg, result, err);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const char *words = meaning_of(state);
    hr_status code = is_bad_input(state) ? HR_EDATA : HR_EIO;
    bool shown = message && is_about_names(state) && !pg->rows;
    if (!words && !shown)
        return hr_fail(err, code,
                       "cannot %s %s: the server reports error %s, whose text may show values and "
                       "is not repeated here",
                       pg->verb, pg->name, state);
    return hr_fail(err, code, "cannot %s %s: %s%s%s%s", pg->verb, pg->name, words ? words : "",
                   words && shown ? " (" : "", shown ? message : "", words && shown ? ")" : "");
}

/* ---- opening and closing ---- */

/* Checks the address. libpq's message about a wrong one may quote a part of the password. */
static hr_status check_uri(const hr_pg *pg, const char *uri, int *patience, hr_error *err) {
    char *reason = NULL, line[300];
    PQconninfoOption *options = PQconninfoParse(uri, &reason);
    char *copy = hr_copy_text(uri, strlen(uri), err);
    if (!copy) {
        PQconninfoFree(options);
        PQfreemem(reason);
        return HR_ENOMEM;
    }
    bool secret = hr_hide_password(copy);
    free(copy);
    one_line(reason ? reason : "out of memory", line, sizeof line);
    PQfreemem(reason);
    bool known = !secret; /* libpq found the password where it is */
    bool parted = false;  /* and took the part of it behind an @ for host or port */
    for (const PQconninfoOption *option = options; option && option->keyword; option++) {
        if (!option->val) continue;
        if (strstr(option->keyword, "password")) known = true;
        if (!strcmp(option->keyword, "host") || !strcmp(option->keyword, "port"))
            parted |= strlen(option->val) > 1 && strchr(option->val + 1, '@');
        uint64_t seconds;
        if (!strcmp(option->keyword, "connect_timeout") &&
            hr_parse_uint(option->val, 86400, &seconds) && seconds > 0)
            *patience = (int)seconds;
    }
    bool valid = options && known && !(secret && parted);
    PQconninfoFree(options);
    if (!valid)
        return hr_fail(err, HR_EINVAL, "%s is not an address of a PostgreSQL database: %s",
                       pg->name,
                       secret ? "write special characters of the password with percent signs, such "
                                "as %2F for / and %40 for @"
                              : line);
    return HR_OK;
}

static hr_status connect_now(hr_pg *pg, const char *uri, hr_error *err) {
    const char *const keywords[] = {"dbname", "fallback_application_name", "client_encoding", NULL};
    const char *const values[] = {uri, "hedgerow", "UTF8", NULL};
    int patience = PATIENCE;
    HR_TRY(check_uri(pg, uri, &patience, err));
    double deadline = hr_seconds() + patience;
    pg->conn = PQconnectStartParams(keywords, values, 1);
    if (!pg->conn || PQstatus(pg->conn) == CONNECTION_BAD) return hr_pg_fail(pg, NULL, err);
    for (PostgresPollingStatusType state = PGRES_POLLING_WRITING; state != PGRES_POLLING_OK;) {
        if (state == PGRES_POLLING_FAILED) return hr_pg_fail(pg, NULL, err);
        struct pollfd socket = {.fd = PQsocket(pg->conn),
                                .events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT};
        int ready = poll(&socket, 1, STEP);
        HR_TRY(hr_watch_check(pg->watch, err));
        if (ready > 0) state = PQconnectPoll(pg->conn);
        if (ready == 0 && hr_seconds() > deadline)
            return hr_fail(err, HR_EIO, "cannot %s %s: the server did not answer for %d seconds",
                           pg->verb, pg->name, patience);
    }
    return HR_OK;
}

/* Drops notices of the server, which libpq would print to standard error. */
static void ignore_notice(void *payload, const PGresult *result) {
    (void)payload, (void)result;
}

/* Settings of the session. Texts of values must not depend on the settings of the server or the
 * role. Synchronized and parallel scans are off, because they return the rows in another order each
 * time. */
static const char settings[] =
    "SELECT set_config(name, value, false) FROM (VALUES ('datestyle', 'ISO, YMD'), "
    "('intervalstyle', 'iso_8601'), ('timezone', 'UTC'), ('extra_float_digits', '1'), "
    "('synchronize_seqscans', 'off'), ('max_parallel_workers_per_gather', '0')) AS s(name, value)";

hr_status hr_pg_open(hr_pg *pg, const hr_address *address, const char *shown, bool writes,
                     const hr_watch *watch, hr_error *err) {
    /* Each statement sees everything committed before it. With a snapshot taken before waiting for
     * a lock, a table that was rewritten meanwhile would seem empty. */
    static const char read_only[] = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY";
    *pg = (hr_pg){.verb = writes ? "write" : "read", .watch = watch};
    pg->name = hr_address_masked(shown, err);
    if (!pg->name) return HR_ENOMEM;
    HR_TRY(connect_now(pg, address->file, err));
    pg->connected = true;
    PQsetNoticeReceiver(pg->conn, ignore_notice, NULL);
    if (PQsetnonblocking(pg->conn, 1)) return hr_pg_fail(pg, NULL, err);
    HR_TRY(hr_pg_query(pg, settings, 0, NULL, NULL, err));
    return hr_pg_query(pg, writes ? "BEGIN" : read_only, 0, NULL, NULL, err);
}

void hr_pg_close(hr_pg *pg) {
    PQfinish(pg->conn);
    free(pg->name);
    *pg = (hr_pg){0};
}
