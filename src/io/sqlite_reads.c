/* sqlite_reads.c - finds the tables of a database that an address reads. SQLite reports the tables
 * of a statement while it prepares it, also those that a view uses. It does not report the tables
 * that a virtual table reads, such as the content table of a full-text index. So every table that
 * the declaration of a virtual table mentions counts as read: an input must never be
 * overwritten. */
#include "io/sqlite.h"

#include <unistd.h>

/* Names of tables, each once. The list may grow while it is walked. */
typedef struct {
    hr_sql_names names;
    bool failed; /* out of memory */
} name_list;

static void add_name(name_list *list, const char *name) {
    for (size_t i = 0; i < list->names.count; i++)
        if (!sqlite3_stricmp(list->names.names[i], name)) return;
    if (hr_sql_names_add(&list->names, name, NULL) != HR_OK) list->failed = true;
}

/* Called by SQLite for everything that a statement does. */
static int see_action(void *payload, int action, const char *table, const char *column,
                      const char *database, const char *view) {
    (void)column, (void)database, (void)view;
    if (action == SQLITE_READ && table) add_name(payload, table);
    return SQLITE_OK;
}

/* Prepares a statement, so that SQLite reports its tables. The database is open for reading only,
 * and the statement does not run. */
static hr_status note_reads(hr_sqlite *db, name_list *list, const char *sql, hr_error *err) {
    sqlite3_stmt *statement;
    sqlite3_set_authorizer(db->handle, see_action, list);
    hr_status status = hr_sqlite_prepare(db, "read", sql, &statement, err);
    sqlite3_finalize(statement);
    sqlite3_set_authorizer(db->handle, NULL, NULL);
    return status;
}

static hr_status note_table(hr_sqlite *db, name_list *list, const char *table, hr_error *err) {
    hr_text sql = {0};
    hr_text_puts(&sql, "SELECT * FROM ");
    hr_sql_quote(&sql, table);
    hr_status status =
        sql.failed ? hr_fail(err, HR_ENOMEM, "out of memory") : note_reads(db, list, sql.data, err);
    hr_text_free(&sql);
    return status;
}

/* The tables and views that the declaration of a virtual table mentions, and those in which it
 * keeps its own data (NAME_data). A declaration may or may not double the quotes in a name. */
static const char mentioned[] =
    "SELECT m.name FROM sqlite_master v, sqlite_master m "
    "WHERE v.type = 'table' AND v.name = ?1 COLLATE NOCASE AND v.sql LIKE 'CREATE VIRTUAL TABLE%' "
    "AND m.type IN ('table', 'view') AND m.name <> v.name AND ("
    "instr(lower(v.sql), lower(m.name)) > 0 "
    "OR instr(lower(v.sql), lower(replace(m.name, char(39), char(39, 39)))) > 0 "
    "OR instr(lower(v.sql), lower(replace(m.name, char(34), char(34, 34)))) > 0 "
    "OR instr(lower(m.name), lower(v.name) || '_') = 1)";

static hr_status note_mentioned(hr_sqlite *db, const char *name, name_list *list, hr_error *err) {
    sqlite3_stmt *statement;
    name_list found = {0};
    HR_TRY(hr_sqlite_prepare(db, "read", mentioned, &statement, err));
    int code = sqlite3_bind_text(statement, 1, name, -1, SQLITE_TRANSIENT);
    while (code == SQLITE_OK || code == SQLITE_ROW) {
        code = sqlite3_step(statement);
        const char *text =
            code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
        if (text) add_name(&found, text);
    }
    hr_status status = code == SQLITE_DONE ? HR_OK : hr_sqlite_fail(db, "read", err);
    sqlite3_finalize(statement);
    for (size_t i = 0; i < found.names.count && status == HR_OK; i++) {
        add_name(list, found.names.names[i]);
        status = note_table(db, list, found.names.names[i], err);
        if (status == HR_EDATA || status == HR_EINVAL) status = HR_OK; /* a broken view */
    }
    hr_sql_names_free(&found.names);
    if (found.failed) list->failed = true;
    return status;
}

/* Lists the tables that the address reads until `table` is among them. */
static hr_status search(hr_sqlite *db, const hr_address *address, const char *table, bool *out,
                        name_list *list, hr_error *err) {
    hr_status status = address->table ? note_table(db, list, address->table, err)
                                      : note_reads(db, list, address->query, err);
    if (status == HR_EDATA || status == HR_EINVAL) return HR_OK; /* reading it says so */
    HR_TRY(status);
    for (size_t i = 0; i < list->names.count && !*out; i++) {
        *out = !sqlite3_stricmp(list->names.names[i], table);
        if (!*out) HR_TRY(note_mentioned(db, list->names.names[i], list, err));
    }
    return list->failed ? hr_fail(err, HR_ENOMEM, "out of memory") : HR_OK;
}

/* A missing file, or a query with an error, counts as reading nothing. Fails if the database is
 * locked, because then the answer is unknown. */
hr_status hr_sqlite_reads(const hr_address *address, const hr_address *output, bool *out,
                          hr_error *err) {
    const char *table = output->table;
    name_list list = {0};
    hr_sqlite db;
    *out = address->table && !sqlite3_stricmp(address->table, table);
    if (*out || access(address->file, F_OK)) return HR_OK;
    hr_status status = hr_sqlite_open(&db, address->file, false, NULL, err);
    if (status == HR_EDATA)
        status = HR_OK; /* no database: it has no tables */
    else if (status == HR_OK)
        status = search(&db, address, table, out, &list, err);
    hr_sqlite_close(&db);
    hr_sql_names_free(&list.names);
    return status;
}
