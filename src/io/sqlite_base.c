/* sqlite_base.c - a connection to a SQLite database. If another program has locked it, waits a few
 * seconds, during which the run can be cancelled. Reading cannot change the database, whatever the
 * query is. */
#include "io/sqlite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { STEPS = 10000 }; /* steps of SQLite's virtual machine between two questions to the watcher */

static bool is_cancelled(hr_sqlite *db) {
    const hr_watch *watch = db->watch;
    if (watch && watch->cancelled && watch->cancelled(watch->payload)) db->cancelled = true;
    return db->cancelled;
}

/* Called while another program holds a lock; 0 gives up. */
static int wait_for_lock(void *payload, int calls) {
    hr_sqlite *db = payload;
    struct timespec pause = {.tv_nsec = 20000000};
    if (calls == 0) db->deadline = hr_seconds() + HR_SQLITE_WAIT;
    if (is_cancelled(db) || hr_seconds() > db->deadline) return 0;
    nanosleep(&pause, NULL);
    return 1;
}

/* Called every now and then during a long statement; 1 stops it. */
static int stop_statement(void *payload) {
    return is_cancelled(payload);
}

/* Restricts triggers and views of the file to reading and computing. */
static void distrust(sqlite3 *handle) {
#ifdef SQLITE_DBCONFIG_DEFENSIVE
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
#endif
#ifdef SQLITE_DBCONFIG_TRUSTED_SCHEMA
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
#endif
}

/* Opens the file. Some relative names have a special meaning in SQLite, such as `:memory:`; a
 * prefix "./" prevents that. */
static hr_status open_handle(hr_sqlite *db, hr_error *err) {
    hr_text path = {0};
    hr_text_printf(&path, "%s%s", *db->file == '/' ? "" : "./", db->file);
    if (path.failed) {
        hr_text_free(&path);
        return hr_fail(err, HR_ENOMEM, "out of memory");
    }
    int code =
        sqlite3_open_v2(path.data, &db->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
    hr_text_free(&path);
    return code == SQLITE_OK ? HR_OK : hr_sqlite_fail(db, "open", err);
}

/* Readers open the file for writing, too, because SQLite may have to roll back what a killed
 * program left half written. */
hr_status hr_sqlite_open(hr_sqlite *db, const char *file, bool writes, const hr_watch *watch,
                         hr_error *err) {
    struct stat status;
    *db = (hr_sqlite){.watch = watch, .file = hr_copy_text(file, strlen(file), err)};
    if (!db->file) return HR_ENOMEM;
    if (stat(file, &status)) return hr_fail_errno(err, writes ? "write" : "read", file);
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return hr_fail_errno(err, writes ? "write" : "read", file);
    }
    HR_TRY(open_handle(db, err));
    distrust(db->handle);
    sqlite3_busy_handler(db->handle, wait_for_lock, db);
    sqlite3_progress_handler(db->handle, STEPS, stop_statement, db);
    return writes ? HR_OK : hr_sqlite_run(db, "PRAGMA query_only = 1", err);
}

void hr_sqlite_close(hr_sqlite *db) {
    sqlite3_close(db->handle);
    free(db->file);
    *db = (hr_sqlite){0};
}

/* ---- errors ---- */

/* SQLite's own message. It may quote the query, never a value of the table. */
static hr_status fail_plain(const hr_sqlite *db, const char *verb, int code, hr_error *err) {
    const char *reason = db->handle ? sqlite3_errmsg(db->handle) : sqlite3_errstr(code);
    return hr_fail(err, code == SQLITE_ERROR ? HR_EDATA : HR_EIO, "cannot %s %s: %s", verb,
                   db->file, reason);
}

hr_status hr_sqlite_fail(const hr_sqlite *db, const char *verb, hr_error *err) {
    int code = db->handle ? sqlite3_errcode(db->handle) & 0xff : SQLITE_NOMEM;
    if (db->cancelled) return hr_fail(err, HR_ECANCEL, "cancelled");
    switch (code) {
    case SQLITE_NOMEM: return hr_fail(err, HR_ENOMEM, "out of memory in SQLite");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return hr_fail(err, HR_EIO,
                       "cannot %s %s: another program has locked the database; end that program's "
                       "transaction, or try again later",
                       verb, db->file);
    case SQLITE_NOTADB:
        return hr_fail(err, HR_EDATA, "%s is not a SQLite database, or it is encrypted", db->file);
    case SQLITE_CORRUPT:
        return hr_fail(err, HR_EIO, "cannot %s %s: the database is damaged; restore it from a copy",
                       verb, db->file);
    case SQLITE_FULL: return hr_fail(err, HR_EIO, "cannot %s %s: the disk is full", verb, db->file);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        return hr_fail(err, HR_EIO, "cannot %s %s: no permission for the file or its folder", verb,
                       db->file);
    default: return fail_plain(db, verb, code, err);
    }
}

/* ---- statements ---- */

hr_status hr_sqlite_prepare(hr_sqlite *db, const char *verb, const char *sql, sqlite3_stmt **out,
                            hr_error *err) {
    const char *rest;
    *out = NULL;
    if (sqlite3_prepare_v2(db->handle, sql, -1, out, &rest) == SQLITE_OK) return HR_OK;
    return hr_sqlite_fail(db, verb, err);
}

hr_status hr_sqlite_run(hr_sqlite *db, const char *sql, hr_error *err) {
    if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK) return HR_OK;
    return hr_sqlite_fail(db, "write", err);
}

hr_status hr_sqlite_find(hr_sqlite *db, const char *name, hr_sqlite_kind *out, hr_error *err) {
    static const char sql[] = "SELECT type FROM sqlite_master WHERE type IN ('table', 'view') AND "
                              "name = ?1 COLLATE NOCASE";
    sqlite3_stmt *statement;
    *out = HR_SQLITE_NOTHING;
    HR_TRY(hr_sqlite_prepare(db, "read", sql, &statement, err));
    int code = sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    hr_status status = HR_OK;
    if (code == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(statement, 0);
        *out = type && !strcmp(type, "view") ? HR_SQLITE_VIEW : HR_SQLITE_TABLE;
    } else if (code != SQLITE_DONE) {
        status = hr_sqlite_fail(db, "read", err);
    }
    sqlite3_finalize(statement);
    return status;
}
