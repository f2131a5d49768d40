/* sqlite_write.c - writes a table in one transaction, so that a killed or failed write leaves the
 * database as it was. The transaction locks the database from its start, so only a full disk can
 * make the commit fail. Outputs of one run that go to the same database share the transaction,
 * because two transactions would wait for each other. */
#include "io/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS_AT_ONCE = 1024, PRIVATE = 0600, PUBLIC = 0666 };

/* A database that is being written. */
typedef struct {
    hr_shared_output shared;
    hr_sqlite db;
    char *file;
    struct stat identity;
    bool created;          /* the file did not exist before */
    bool discarded;        /* a writer was discarded: nothing is committed */
    unsigned writers;      /* writers that were neither committed nor discarded */
    hr_write_group *group; /* or NULL */
} database;

typedef struct {
    hr_writer base;
    database *database;
    char *table;
    bool replace;
    sqlite3_stmt *insert; /* NULL: the table was not created yet */
} writer;

/* ---- the database ---- */

/* Closes the database, which rolls back what was not committed. */
static void close_database(database *d, bool committed) {
    if (d->group) hr_write_group_leave(d->group, &d->shared);
    hr_sqlite_close(&d->db);
    if (d->created && !committed) unlink(d->file);
    free(d->file);
    free(d);
}

/* Creates the file, so that it has the right mode from the start. */
static hr_status create_file(database *d, bool private, hr_error *err) {
    int fd = open(d->file, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, private ? PRIVATE : PUBLIC);
    if (fd < 0 && errno == EEXIST) return HR_OK;
    if (fd < 0) return hr_fail_errno(err, "write", d->file);
    close(fd);
    d->created = true;
    return HR_OK;
}

static hr_status start_transaction(database *d, const char *file, const hr_write_options *options,
                                   hr_error *err) {
    d->file = hr_copy_text(file, strlen(file), err);
    if (!d->file) return HR_ENOMEM;
    HR_TRY(create_file(d, options->private, err));
    HR_TRY(hr_sqlite_open(&d->db, file, true, options->watch, err));
    if (stat(file, &d->identity)) return hr_fail_errno(err, "write", file);
    /* The pages of a table that is replaced are overwritten with zeros, so that whoever gets the
     * file cannot recover old rows. */
    HR_TRY(hr_sqlite_run(&d->db, "PRAGMA secure_delete = 1", err));
    return hr_sqlite_run(&d->db, "BEGIN EXCLUSIVE", err);
}

static hr_status open_database(const char *file, const hr_write_options *options, database **out,
                               hr_error *err) {
    database *d = hr_alloc(1, sizeof *d, err);
    if (!d) return HR_ENOMEM;
    hr_status status = start_transaction(d, file, options, err);
    if (status != HR_OK) {
        close_database(d, false);
        return status;
    }
    if (options->group) {
        d->group = options->group;
        hr_write_group_enter(d->group, &d->shared, &hr_format_sqlite);
    }
    *out = d;
    return HR_OK;
}

/* The open database of the group for this file, or NULL. */
static database *find_open(const hr_write_group *group, const char *file) {
    struct stat status;
    if (!group || stat(file, &status)) return NULL;
    for (hr_shared_output *shared = group->first; shared; shared = shared->next) {
        database *d = (database *)shared;
        if (shared->format == &hr_format_sqlite && d->identity.st_dev == status.st_dev &&
            d->identity.st_ino == status.st_ino)
            return d;
    }
    return NULL;
}

static hr_status join_database(const char *file, const hr_write_options *options, database **out,
                               hr_error *err) {
    *out = find_open(options->group, file);
    if (!*out) HR_TRY(open_database(file, options, out, err));
    (*out)->writers++;
    /* A new file that holds a private table as well is private. */
    if ((*out)->created && options->private) chmod(file, PRIVATE);
    return HR_OK;
}

/* Ends the use of the database by a writer. The last one ends the transaction. */
static hr_status leave_database(database *d, bool commit, hr_error *err) {
    hr_status status = HR_OK;
    if (!commit) d->discarded = true;
    if (--d->writers > 0) return HR_OK;
    if (!d->discarded)
        status = hr_sqlite_run(&d->db, "COMMIT", err);
    else if (commit)
        status = hr_fail(err, HR_EIO, "cannot write %s: another output failed", d->db.file);
    close_database(d, status == HR_OK && !d->discarded);
    return status;
}

/* ---- the table ---- */

static hr_status check_name(hr_sqlite *db, const char *table, bool replace, hr_error *err) {
    hr_sqlite_kind kind;
    HR_TRY(hr_sqlite_find(db, table, &kind, err));
    if (kind == HR_SQLITE_VIEW)
        return hr_fail(err, HR_EINVAL,
                       "%s has a view '%s', which is not replaced: choose another "
                       "name",
                       db->file, table);
    if (kind == HR_SQLITE_TABLE && !replace) return hr_sql_table_exists(db->file, table, err);
    return HR_OK;
}

static hr_status run_text(hr_sqlite *db, hr_text *sql, hr_error *err) {
    hr_status status =
        sql->failed ? hr_fail(err, HR_ENOMEM, "out of memory") : hr_sqlite_run(db, sql->data, err);
    hr_text_free(sql);
    return status;
}

static hr_status create_table(writer *w, const hr_table *table, hr_error *err) {
    hr_sqlite *db = &w->database->db;
    hr_text drop = {0}, create = {0};
    hr_text_puts(&drop, "DROP TABLE IF EXISTS ");
    hr_sql_quote(&drop, w->table);
    HR_TRY(run_text(db, &drop, err));
    hr_text_puts(&create, "CREATE TABLE ");
    hr_sql_quote(&create, w->table);
    for (size_t i = 0; i < table->column_count; i++) {
        hr_text_puts(&create, i ? ", " : " (");
        hr_sql_quote(&create, table->columns[i].name);
        hr_text_printf(&create, " %s", hr_sqlite_type_of(&table->columns[i]));
    }
    hr_text_puts(&create, ")");
    return run_text(db, &create, err);
}

static hr_status prepare_insert(writer *w, const hr_table *table, hr_error *err) {
    hr_text sql = {0};
    hr_text_puts(&sql, "INSERT INTO ");
    hr_sql_quote(&sql, w->table);
    hr_text_puts(&sql, " VALUES (?");
    for (size_t i = 1; i < table->column_count; i++)
        hr_text_puts(&sql, ", ?");
    hr_text_puts(&sql, ")");
    hr_status status =
        sql.failed ? hr_fail(err, HR_ENOMEM, "out of memory")
                   : hr_sqlite_prepare(&w->database->db, "write", sql.data, &w->insert, err);
    hr_text_free(&sql);
    return status;
}

/* ---- rows ---- */

/* Finds the value of each code once: values[column][code]. */
static hr_status find_values(const hr_table *table, hr_sqlite_value **values, hr_error *err) {
    for (size_t i = 0; i < table->column_count; i++) {
        uint32_t count = table->columns[i].dictionary.count;
        values[i] = hr_alloc_raw(count, sizeof **values, err);
        if (!values[i]) return HR_ENOMEM;
        for (uint32_t code = 0; code < count; code++)
            values[i][code] = hr_sqlite_value_of(&table->columns[i], code);
    }
    return HR_OK;
}

static int bind(sqlite3_stmt *insert, int at, const hr_column *column, uint32_t code,
                const hr_sqlite_value *value) {
    const hr_dictionary *texts = &column->dictionary;
    switch (value->type) {
    case SQLITE_INTEGER: return sqlite3_bind_int64(insert, at, value->number.integer);
    case SQLITE_FLOAT: return sqlite3_bind_double(insert, at, value->number.real);
    case SQLITE_NULL: return sqlite3_bind_null(insert, at);
    default:
        return sqlite3_bind_text64(insert, at, hr_dictionary_text(texts, code),
                                   hr_dictionary_length(texts, code), SQLITE_STATIC, SQLITE_UTF8);
    }
}

static hr_status insert_row(writer *w, const hr_table *table, hr_sqlite_value *const *values,
                            size_t row, hr_error *err) {
    int code = SQLITE_OK;
    for (size_t i = 0; i < table->column_count && code == SQLITE_OK; i++) {
        const hr_column *column = &table->columns[i];
        uint32_t value = hr_column_code(column, row);
        code = bind(w->insert, (int)i + 1, column, value, &values[i][value]);
    }
    if (code == SQLITE_OK) code = sqlite3_step(w->insert);
    if (code != SQLITE_DONE) return hr_sqlite_fail(&w->database->db, "write", err);
    sqlite3_reset(w->insert);
    return HR_OK;
}

static hr_status insert_rows(writer *w, const hr_table *table, hr_sqlite_value *const *values,
                             hr_error *err) {
    for (size_t row = 0; row < table->rows; row++) {
        if (row % ROWS_AT_ONCE == 0) HR_TRY(hr_watch_check(w->database->db.watch, err));
        HR_TRY(insert_row(w, table, values, row, err));
    }
    return HR_OK;
}

static hr_status append(hr_writer *base, const hr_table *table, hr_error *err) {
    writer *w = (writer *)base;
    if (table->column_count == 0)
        return hr_fail(err, HR_EINVAL, "a table of a database needs a column");
    if (!w->insert) {
        HR_TRY(create_table(w, table, err));
        HR_TRY(prepare_insert(w, table, err));
    }
    hr_sqlite_value **values = hr_alloc(table->column_count, sizeof *values, err);
    hr_status status = values ? find_values(table, values, err) : HR_ENOMEM;
    if (status == HR_OK) status = insert_rows(w, table, values, err);
    sqlite3_reset(w->insert);
    sqlite3_clear_bindings(w->insert); /* they point to texts of the table */
    for (size_t i = 0; values && i < table->column_count; i++)
        free(values[i]);
    free(values);
    return status;
}

/* ---- ending ---- */

static hr_status finish(hr_writer *base, hr_error *err) {
    hr_sqlite *db = &((writer *)base)->database->db;
    return sqlite3_db_cacheflush(db->handle) == SQLITE_OK ? HR_OK
                                                          : hr_sqlite_fail(db, "write", err);
}

static void free_writer(writer *w) {
    sqlite3_finalize(w->insert);
    free(w->table);
    free(w);
}

static hr_status commit(hr_writer *base, hr_error *err) {
    writer *w = (writer *)base;
    database *d = w->database;
    free_writer(w);
    return leave_database(d, true, err);
}

static void discard(hr_writer *base) {
    writer *w = (writer *)base;
    database *d = w->database;
    free_writer(w);
    if (d) (void)leave_database(d, false, NULL);
}

static hr_status no_query(const char *address, hr_error *err) {
    return hr_fail(err, HR_EINVAL, "%s: an output is a table, sqlite:FILE?table=NAME", address);
}

static hr_status begin(writer *w, const char *address, const hr_write_options *options,
                       hr_error *err) {
    hr_address parsed;
    HR_TRY(hr_format_sqlite.parse(address, &parsed, err));
    hr_status status = parsed.query ? no_query(address, err)
                                    : join_database(parsed.file, options, &w->database, err);
    w->table = parsed.table;
    parsed.table = NULL;
    hr_address_free(&parsed);
    HR_TRY(status);
    return check_name(&w->database->db, w->table, options->replace, err);
}

hr_status hr_sqlite_open_writer(const char *address, const hr_write_options *options,
                                hr_writer **out, hr_error *err) {
    writer *w = hr_alloc(1, sizeof *w, err);
    if (!w) return HR_ENOMEM;
    w->base = (hr_writer){.append = append, .finish = finish, .commit = commit, .discard = discard};
    hr_status status = begin(w, address, options, err);
    if (status == HR_OK)
        *out = &w->base;
    else
        discard(&w->base);
    return status;
}

/* ---- before the search ---- */

/* SQLite writes a journal beside the file, so the folder must be writable, too. */
static hr_status check_folder(const char *file, hr_error *err) {
    const char *slash = strrchr(file, '/');
    char *folder = slash ? hr_copy_text(file, (size_t)(slash - file + 1), err) : NULL;
    if (slash && !folder) return HR_ENOMEM;
    int failed = access(folder ? folder : ".", W_OK);
    free(folder);
    return failed ? hr_fail_errno(err, "write", file) : HR_OK;
}

/* An index and a table cannot have the same name. */
static hr_status check_free_name(hr_sqlite *db, const char *table, hr_error *err) {
    static const char sql[] =
        "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?1 COLLATE NOCASE";
    sqlite3_stmt *statement;
    HR_TRY(hr_sqlite_prepare(db, "read", sql, &statement, err));
    int code = sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    if (code == SQLITE_ROW)
        return hr_fail(err, HR_EINVAL, "%s has an index '%s': choose another name for the table",
                       db->file, table);
    return code == SQLITE_DONE ? HR_OK : hr_sqlite_fail(db, "read", err);
}

/* Columns of a table of SQLite must differ in more than the case of ASCII letters. */
static hr_status check_columns(const hr_address *address, const hr_write_options *options,
                               hr_error *err) {
    enum { MOST = 2000 }; /* SQLite's default limit */
    if (options->name_count > MOST)
        return hr_sql_too_many_columns(address->file, "SQLite", MOST, options->name_count, err);
    for (size_t i = 0; i < options->name_count; i++)
        for (size_t j = 0; j < i; j++)
            if (!sqlite3_stricmp(options->names[i], options->names[j]))
                return hr_fail(
                    err, HR_EINVAL,
                    "%s: to SQLite the columns '%.100s' and '%.100s' have the same name: "
                    "rename one of them in the input, or write a CSV file",
                    address->file, options->names[j], options->names[i]);
    return HR_OK;
}

static hr_status check_reserved(const char *table, hr_error *err) {
    if (sqlite3_strnicmp(table, "sqlite_", 7)) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   "table '%s': SQLite keeps names that begin with sqlite_ for itself: choose "
                   "another name",
                   table);
}

static hr_status check_table(const hr_address *address, const hr_write_options *options,
                             hr_error *err) {
    hr_sqlite db;
    HR_TRY(check_reserved(address->table, err));
    HR_TRY(check_columns(address, options, err));
    HR_TRY(check_folder(address->file, err));
    if (access(address->file, F_OK)) return HR_OK;
    if (access(address->file, W_OK)) return hr_fail_errno(err, "write", address->file);
    hr_status status = hr_sqlite_open(&db, address->file, false, options->watch, err);
    if (status == HR_OK) status = check_name(&db, address->table, options->replace, err);
    if (status == HR_OK) status = check_free_name(&db, address->table, err);
    hr_sqlite_close(&db);
    return status;
}

hr_status hr_sqlite_check_output(const char *address, const hr_write_options *options,
                                 hr_error *err) {
    hr_address parsed;
    HR_TRY(hr_format_sqlite.parse(address, &parsed, err));
    hr_status status = parsed.query ? no_query(address, err) : check_table(&parsed, options, err);
    hr_address_free(&parsed);
    return status;
}
