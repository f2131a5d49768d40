/* sqlite_read.c - reads a table, a view or the rows of a query. A table is asked for the wanted
 * columns only and read in the order of its rows, whatever indexes it has, so that row numbers mean
 * the same in every run. A query runs as it is written, and the values of other columns are not
 * fetched. Messages name rows and columns, never a value. */
#include "io/sqlite.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_AT_ONCE = 4096 };

/* A wanted column. */
typedef struct {
    int at;                      /* its place in the statement */
    bool integers, reals, texts; /* types that its values have */
    bool numerals;               /* some texts are those of numbers */
    bool *is_text;               /* per code: some value was this text */
    size_t code_count, capacity; /* of is_text */
    const char *affinity;        /* see hr_column */
} wanted_column;

typedef struct {
    hr_reader base;
    hr_sqlite db;
    hr_address address;
    char *name;
    bool is_table; /* not a view or query */
    bool alike;    /* see hr_read_options */
    bool skip;     /* skip_unread of hr_read_options */
    sqlite3_stmt *rows;
    char **names;
    const char **affinities; /* of all columns of the header */
    size_t column_count;
    wanted_column *wanted;
    size_t wanted_count;
    hr_progress progress;
} reader;

/* ---- the header ---- */

/* The rules by which SQLite derives how a column converts values from its declared type. Only types
 * that convert matter. */
static const char *affinity_of(const char *declared) {
    static const struct {
        const char *part, *affinity;
    } rules[] = {{"int", "INTEGER"}, {"char", "TEXT"}, {"clob", "TEXT"}, {"text", "TEXT"},
                 {"blob", NULL},     {"real", "REAL"}, {"floa", "REAL"}, {"doub", "REAL"}};
    if (!declared || !*declared || !sqlite3_stricmp(declared, "any")) return NULL;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (const char *c = declared; *c; c++)
            if (!sqlite3_strnicmp(c, rules[i].part, (int)strlen(rules[i].part)))
                return rules[i].affinity;
    return "NUMERIC";
}

/* ---- a table that is not there ---- */

static hr_status list_names(reader *r, hr_sql_names *list, hr_error *err) {
    sqlite3_stmt *statement;
    hr_status status = hr_sqlite_prepare(
        &r->db, "read",
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE "
        "'sqlite\\_%' ESCAPE '\\' ORDER BY name",
        &statement, err);
    while (status == HR_OK && sqlite3_step(statement) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        status = hr_sql_names_add(list, name ? name : "", err);
    }
    sqlite3_finalize(statement);
    return status;
}

static hr_status no_table(reader *r, hr_error *err) {
    hr_sql_names list = {0};
    hr_status status = list_names(r, &list, err);
    if (status == HR_OK) status = hr_sql_no_table(r->db.file, r->address.table, &list, err);
    hr_sql_names_free(&list);
    return status;
}

/* Prepares SELECT with these columns of the table. NOT INDEXED: otherwise SQLite may read an index
 * that has all wanted columns, in the order of the index. */
static hr_status select_from_table(reader *r, const char *columns, hr_error *err) {
    hr_text sql = {0};
    hr_text_printf(&sql, "SELECT %s FROM ", columns);
    hr_sql_quote(&sql, r->address.table);
    if (r->is_table) hr_text_puts(&sql, " NOT INDEXED");
    hr_status status = sql.failed ? hr_fail(err, HR_ENOMEM, "out of memory")
                                  : hr_sqlite_prepare(&r->db, "read", sql.data, &r->rows, err);
    hr_text_free(&sql);
    return status;
}

static hr_status find_table(reader *r, hr_error *err) {
    hr_sqlite_kind kind;
    HR_TRY(hr_sqlite_find(&r->db, r->address.table, &kind, err));
    if (kind == HR_SQLITE_NOTHING) return no_table(r, err);
    r->is_table = kind == HR_SQLITE_TABLE;
    return select_from_table(r, "*", err);
}

/* Does the query begin with a word that can begin a SELECT? Other statements that return rows, such
 * as PRAGMA, may have effects. */
static bool begins_select(const char *query) {
    static const char *const words[] = {"select", "with", "values"};
    query += strspn(query, " \t\r\n");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!sqlite3_strnicmp(query, words[i], (int)strlen(words[i]))) return true;
    return false;
}

static hr_status start_query(reader *r, hr_error *err) {
    const char *rest = "";
    if (begins_select(r->address.query) &&
        sqlite3_prepare_v2(r->db.handle, r->address.query, -1, &r->rows, &rest) != SQLITE_OK)
        return hr_sqlite_fail(&r->db, "read", err);
    if (!r->rows || sqlite3_column_count(r->rows) == 0 || !sqlite3_stmt_readonly(r->rows) ||
        rest[strspn(rest, " \t\r\n;")])
        return hr_fail(err, HR_EINVAL, "%s: a query is one SELECT, which returns rows", r->name);
    return HR_OK;
}

static hr_status copy_header(reader *r, hr_error *err) {
    size_t count = (size_t)sqlite3_column_count(r->rows);
    r->names = hr_alloc(count, sizeof *r->names, err);
    r->affinities = hr_alloc(count, sizeof *r->affinities, err);
    if (!r->names || !r->affinities) return HR_ENOMEM;
    for (; r->column_count < count; r->column_count++) {
        const char *name = sqlite3_column_name(r->rows, (int)r->column_count);
        if (!name) return hr_fail(err, HR_ENOMEM, "out of memory in SQLite");
        HR_TRY(hr_sql_check_name(r->name, name, r->column_count, err));
        r->affinities[r->column_count] =
            affinity_of(sqlite3_column_decltype(r->rows, (int)r->column_count));
        r->names[r->column_count] = hr_copy_text(name, strlen(name), err);
        if (!r->names[r->column_count]) return HR_ENOMEM;
    }
    return hr_header_check(r->name, (const char *const *)r->names, count, r->alike, err);
}

/* ---- the wanted columns ---- */

static hr_status list_wanted(reader *r, const bool *keep, hr_error *err) {
    r->wanted = hr_alloc(r->column_count, sizeof *r->wanted, err);
    if (!r->wanted) return HR_ENOMEM;
    for (size_t i = 0; i < r->column_count; i++) {
        if (!keep[i]) continue;
        int at = (int)(r->address.query ? i : r->wanted_count);
        r->wanted[r->wanted_count++] = (wanted_column){.at = at, .affinity = r->affinities[i]};
    }
    return HR_OK;
}

static hr_status select_wanted(reader *r, const bool *keep, hr_error *err) {
    hr_text columns = {0};
    for (size_t i = 0; i < r->column_count; i++) {
        if (!keep[i]) continue;
        if (columns.length) hr_text_puts(&columns, ", ");
        hr_sql_quote(&columns, r->names[i]);
    }
    if (!columns.length) hr_text_puts(&columns, "NULL"); /* rows are counted */
    sqlite3_finalize(r->rows);
    r->rows = NULL;
    hr_status status = columns.failed ? hr_fail(err, HR_ENOMEM, "out of memory")
                                      : select_from_table(r, columns.data, err);
    hr_text_free(&columns);
    return status;
}

/* Counts the rows of a table, so that progress has a total; that of a query is unknown. */
static hr_status count_rows(reader *r, uint64_t *out, hr_error *err) {
    const hr_watch *watch = r->db.watch;
    hr_text sql = {0};
    sqlite3_stmt *statement = NULL;
    *out = 0;
    if (!r->is_table || !watch || !watch->progress) return HR_OK;
    hr_text_puts(&sql, "SELECT count(*) FROM ");
    hr_sql_quote(&sql, r->address.table);
    hr_status status = sql.failed ? hr_fail(err, HR_ENOMEM, "out of memory")
                                  : hr_sqlite_prepare(&r->db, "read", sql.data, &statement, err);
    hr_text_free(&sql);
    if (status == HR_OK && sqlite3_step(statement) == SQLITE_ROW)
        *out = (uint64_t)sqlite3_column_int64(statement, 0);
    else if (status == HR_OK)
        status = hr_sqlite_fail(&r->db, "read", err);
    sqlite3_finalize(statement);
    return status;
}

static hr_status start(hr_reader *base, const bool *keep, hr_error *err) {
    reader *r = (reader *)base;
    uint64_t total;
    HR_TRY(list_wanted(r, keep, err));
    if (r->address.table) HR_TRY(select_wanted(r, keep, err));
    HR_TRY(count_rows(r, &total, err));
    hr_progress_start(&r->progress, r->db.watch, "read", total);
    return HR_OK;
}

/* ---- values ---- */

/* Notes, once per distinct text, whether it could be taken for a number. */
static hr_status note_text(wanted_column *wanted, uint32_t code, const char *text, hr_error *err) {
    wanted->texts = true;
    if (code >= wanted->code_count) {
        HR_TRY(hr_grow(&wanted->is_text, &wanted->capacity, (size_t)code + 1,
                       sizeof *wanted->is_text, err));
        while (wanted->code_count <= code)
            wanted->is_text[wanted->code_count++] = false;
    }
    if (wanted->is_text[code]) return HR_OK;
    wanted->is_text[code] = true;
    wanted->numerals |= hr_sqlite_parse(text).type != SQLITE_TEXT;
    return HR_OK;
}

static hr_status add_text(reader *r, const hr_table *table, size_t k, uint32_t *code,
                          hr_error *err) {
    wanted_column *wanted = &r->wanted[k];
    hr_dictionary *dictionary = &table->columns[k].dictionary;
    const char *text = (const char *)sqlite3_column_text(r->rows, wanted->at);
    size_t length = (size_t)sqlite3_column_bytes(r->rows, wanted->at);
    bool cut;
    if (!text) return hr_fail(err, HR_ENOMEM, "out of memory in SQLite");
    if (memchr(text, '\0', length))
        return hr_sql_bad_value(r->name, table, k, "has a NUL in it", err);
    if (hr_utf8_valid(text, length, &cut) < length)
        return hr_sql_bad_value(r->name, table, k,
                                "is not UTF-8: store it as UTF-8, or drop the column", err);
    HR_TRY(hr_dictionary_intern(dictionary, text, length, code, err));
    return note_text(wanted, *code, text, err);
}

static hr_status add_blob(const reader *r, const hr_table *table, size_t k, uint32_t *code,
                          hr_error *err) {
    if (!r->skip)
        return hr_sql_bad_value(
            r->name, table, k, "is a blob: drop the column, or convert it to text in a query", err);
    table->columns[k].unread = "blobs, which are not read; a query can convert them to text";
    return hr_dictionary_null(&table->columns[k].dictionary, code, err);
}

static hr_status add_value(reader *r, const hr_table *table, size_t k, uint32_t *code,
                           hr_error *err) {
    wanted_column *wanted = &r->wanted[k];
    hr_dictionary *dictionary = &table->columns[k].dictionary;
    char text[HR_SQLITE_TEXT_MOST];
    size_t length;
    switch (sqlite3_column_type(r->rows, wanted->at)) {
    case SQLITE_INTEGER:
        wanted->integers = true;
        length = hr_sqlite_integer_text(sqlite3_column_int64(r->rows, wanted->at), text);
        return hr_dictionary_intern(dictionary, text, length, code, err);
    case SQLITE_FLOAT:
        wanted->reals = true;
        length = hr_sqlite_real_text(sqlite3_column_double(r->rows, wanted->at), text);
        return hr_dictionary_intern(dictionary, text, length, code, err);
    case SQLITE_TEXT: return add_text(r, table, k, code, err);
    case SQLITE_NULL: return hr_dictionary_null(dictionary, code, err);
    default: return add_blob(r, table, k, code, err);
    }
}

static hr_status add_row(reader *r, hr_table *table, hr_error *err) {
    HR_TRY(hr_sql_check_room(r->name, table, err));
    for (size_t k = 0; k < r->wanted_count; k++) {
        uint32_t code = 0;
        HR_TRY(add_value(r, table, k, &code, err));
        HR_TRY(hr_column_append(&table->columns[k], code, err));
    }
    table->rows++;
    return HR_OK;
}

/* ---- types ---- */

/* Would a column with this declared type convert one of the values? In a table they have been
 * converted already. But a column of a view or query gets the declared type of one of its SELECTs,
 * while the others may return values of other types. */
static bool converts(const reader *r, const wanted_column *wanted) {
    if (r->is_table || !wanted->affinity) return false;
    if (!strcmp(wanted->affinity, "TEXT")) return wanted->integers || wanted->reals;
    if (!strcmp(wanted->affinity, "REAL")) return wanted->integers || wanted->texts;
    return wanted->reals || wanted->texts;
}

static hr_status set_type(const reader *r, const wanted_column *wanted, hr_column *column,
                          hr_error *err) {
    int types = wanted->integers + wanted->reals + wanted->texts;
    const char *format = wanted->integers ? "l" : wanted->reals ? "g" : NULL;
    column->affinity = converts(r, wanted) ? NULL : wanted->affinity;
    column->mixed = types > 1;
    if (wanted->texts && column->mixed && wanted->numerals)
        return hr_fail(err, HR_EDATA,
                       "%s: column '%.150s' has numbers, and texts that look like numbers: store "
                       "all of them as one type, or CAST the column in a query",
                       r->name, column->name);
    if (types == 0 && wanted->affinity) /* nothing but nulls */
        format = !strcmp(wanted->affinity, "INTEGER") ? "l"
                 : !strcmp(wanted->affinity, "REAL")  ? "g"
                                                      : NULL;
    if (!format || column->mixed) return HR_OK;
    column->format = hr_copy_text(format, strlen(format), err);
    return column->format ? HR_OK : HR_ENOMEM;
}

static hr_status end(reader *r, hr_table *table, hr_error *err) {
    if (table->rows == 0) return hr_fail(err, HR_EDATA, "%s has no rows", r->name);
    for (size_t k = 0; k < r->wanted_count; k++)
        HR_TRY(set_type(r, &r->wanted[k], &table->columns[k], err));
    hr_progress_end(&r->progress);
    return HR_OK;
}

/* While rows are read, SQLite's own message is not shown: a function of the query may put a value
 * into it. */
static hr_status failed_row(const reader *r, const hr_table *table, hr_error *err) {
    hr_status status = hr_sqlite_fail(&r->db, "read", err);
    if (status != HR_EDATA || sqlite3_errcode(r->db.handle) != SQLITE_ERROR) return status;
    return hr_fail(err, HR_EDATA, "%s: the query failed at row %zu: correct the query or the row",
                   r->name, table->rows + 1);
}

static hr_status next(hr_reader *base, hr_table *table, bool *more, hr_error *err) {
    reader *r = (reader *)base;
    size_t begin = table->rows;
    for (*more = true; *more && table->rows - begin < ROWS_AT_ONCE;) {
        int code = sqlite3_step(r->rows);
        if (code == SQLITE_ROW)
            HR_TRY(add_row(r, table, err));
        else if (code == SQLITE_DONE)
            *more = false;
        else
            return failed_row(r, table, err);
    }
    HR_TRY(hr_progress_add(&r->progress, table->rows - begin, err));
    return *more ? HR_OK : end(r, table, err);
}

/* ---- opening and closing ---- */

static void close_reader(hr_reader *base) {
    reader *r = (reader *)base;
    sqlite3_finalize(r->rows);
    hr_sqlite_close(&r->db);
    hr_address_free(&r->address);
    for (size_t i = 0; i < r->column_count; i++)
        free(r->names[i]);
    free(r->names);
    free(r->affinities);
    for (size_t k = 0; k < r->wanted_count; k++)
        free(r->wanted[k].is_text);
    free(r->wanted);
    free(r->name);
    free(r);
}

static hr_status begin(reader *r, const char *address, const hr_watch *watch, hr_error *err) {
    r->name = hr_copy_text(address, strlen(address), err);
    if (!r->name) return HR_ENOMEM;
    HR_TRY(hr_format_sqlite.parse(address, &r->address, err));
    HR_TRY(hr_sqlite_open(&r->db, r->address.file, false, watch, err));
    HR_TRY(r->address.table ? find_table(r, err) : start_query(r, err));
    HR_TRY(copy_header(r, err));
    r->base = (hr_reader){.name = r->name,
                          .names = (const char *const *)r->names,
                          .column_count = r->column_count,
                          .start = start,
                          .next = next,
                          .close = close_reader};
    return HR_OK;
}

hr_status hr_sqlite_open_reader(const char *address, const hr_read_options *options,
                                hr_reader **out, hr_error *err) {
    *out = NULL;
    reader *r = hr_alloc(1, sizeof *r, err);
    if (!r) return HR_ENOMEM;
    r->alike = options && options->alike;
    r->skip = options && options->skip_unread;
    hr_status status = begin(r, address, options ? options->watch : NULL, err);
    if (status == HR_OK)
        *out = &r->base;
    else
        close_reader(&r->base);
    return status;
}
