/* postgres_write.c - writes a table with COPY in binary format, in one transaction. Outputs of one
 * run that go to the same database share the transaction. The rows are frozen as they come, so that
 * a transaction that began before the commit sees all of them, or the old table, but never an empty
 * one. */
#include "io/postgres.h"

#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 16 };

/* A database that is being written. */
typedef struct {
    hr_shared_output shared;
    hr_pg pg;
    char *uri;
    bool discarded;        /* a writer was discarded: nothing is committed */
    unsigned writers;      /* writers that were neither committed nor discarded */
    unsigned tables;       /* that were made, for their names */
    hr_write_group *group; /* or NULL */
} database;

typedef struct writer {
    hr_writer base;
    database *database;
    hr_pg_name name;
    hr_pg_target target;
    char *quoted; /* the new table; NULL: it was not created yet */
    bool private;
    hr_pg_kind *kinds; /* of the columns */
    hr_table_notes notes;
} writer;

/* ---- the database ---- */

static void free_writer(writer *w) {
    hr_pg_name_free(&w->name);
    hr_pg_target_free(&w->target);
    free(w->quoted);
    free(w->kinds);
    free(w);
}

/* Closes the connection, which rolls back what was not committed. */
static void close_database(database *d) {
    if (d->group) hr_write_group_leave(d->group, &d->shared);
    hr_pg_close(&d->pg);
    free(d->uri);
    free(d);
}

static database *find_open(const hr_write_group *group, const char *uri) {
    for (hr_shared_output *at = group ? group->first : NULL; at; at = at->next)
        if (at->format == &hr_format_postgres && !strcmp(((database *)at)->uri, uri))
            return (database *)at;
    return NULL;
}

static hr_status open_database(const char *address, const hr_address *parsed,
                               const hr_write_options *options, database **out, hr_error *err) {
    database *d = hr_alloc(1, sizeof *d, err);
    if (!d) return HR_ENOMEM;
    d->uri = hr_copy_text(parsed->file, strlen(parsed->file), err);
    hr_status status =
        d->uri ? hr_pg_open(&d->pg, parsed, address, true, options->watch, err) : HR_ENOMEM;
    if (status != HR_OK) {
        close_database(d);
        return status;
    }
    d->group = options->group;
    if (d->group) hr_write_group_enter(d->group, &d->shared, &hr_format_postgres);
    *out = d;
    return HR_OK;
}

/* After a lost connection it is unknown whether the server had committed. */
static hr_status commit_transaction(database *d, hr_error *err) {
    PGresult *result;
    hr_status status = hr_pg_query(&d->pg, "COMMIT", 0, NULL, &result, err);
    if (status != HR_OK && PQstatus(d->pg.conn) == CONNECTION_BAD)
        return hr_fail(err, HR_EIO,
                       "cannot write %s: the connection was lost during the commit: look whether "
                       "the table is there, and run it again if not",
                       d->pg.name);
    HR_TRY(status);
    bool committed = !strcmp(PQcmdStatus(result), "COMMIT");
    PQclear(result);
    return committed
               ? HR_OK
               : hr_fail(err, HR_EIO, "cannot write %s: the server rolled it back", d->pg.name);
}

/* A writer is done with the database. The last one ends the transaction. */
static hr_status leave_database(database *d, bool commit, hr_error *err) {
    hr_status status = HR_OK;
    if (!commit) d->discarded = true;
    if (--d->writers > 0) return HR_OK;
    if (!d->discarded)
        status = commit_transaction(d, err);
    else if (commit)
        status = hr_fail(err, HR_EIO, "cannot write %s: another output failed", d->pg.name);
    close_database(d);
    return status;
}

/* ---- the table ---- */

/* Does the database have the enum of a column, with all labels that the column has? */
static hr_status find_enum(hr_pg *pg, const hr_column *column, bool *out, hr_error *err) {
    static const char sql[] = "SELECT enumlabel FROM pg_enum WHERE enumtypid = to_regtype($1)";
    const char *const name = column->declared;
    const hr_dictionary *texts = &column->dictionary;
    PGresult *labels;
    HR_TRY(hr_pg_query(pg, sql, 1, &name, &labels, err));
    *out = true;
    for (uint32_t code = 0; code < texts->count && *out; code++) {
        bool known = hr_dictionary_is_null(texts, code);
        for (int i = 0; i < PQntuples(labels) && !known; i++)
            known = !strcmp(hr_pg_cell(labels, i, 0), hr_dictionary_text(texts, code));
        *out = known;
    }
    *out = *out && PQntuples(labels) > 0;
    PQclear(labels);
    return HR_OK;
}

static hr_status put_column(writer *w, const hr_column *column, hr_pg_kind *kind, hr_text *sql,
                            hr_error *err) {
    bool known = false;
    hr_sql_quote(sql, column->name);
    hr_text_puts(sql, " ");
    if (hr_pg_is_enum(column)) HR_TRY(find_enum(&w->database->pg, column, &known, err));
    *kind = HR_PG_TEXT;
    if (known)
        hr_text_puts(sql, column->declared);
    else
        *kind = hr_pg_output_type(column, sql);
    return HR_OK;
}

/* The quoted name of the new table: its own, or one beside the table that it will replace. */
static hr_status choose_name(writer *w, hr_error *err) {
    database *d = w->database;
    hr_text quoted = {0};
    hr_sql_quote(&quoted, w->target.schema);
    hr_text_puts(&quoted, ".");
    if (w->target.existing)
        hr_text_printf(&quoted, "hedgerow_%d_%u", PQbackendPID(d->pg.conn), d->tables++);
    else
        hr_sql_quote(&quoted, w->name.name);
    return hr_text_take(&quoted, &w->quoted, err);
}

static hr_status create_table(writer *w, const hr_table *table, hr_error *err) {
    hr_text sql = {0};
    w->kinds = hr_alloc(table->column_count, sizeof *w->kinds, err);
    if (!w->kinds) return HR_ENOMEM;
    HR_TRY(choose_name(w, err));
    hr_text_printf(&sql, "CREATE TABLE %s ", w->quoted);
    hr_status status = HR_OK;
    for (size_t i = 0; i < table->column_count && status == HR_OK; i++) {
        hr_text_puts(&sql, i ? ", " : "(");
        status = put_column(w, &table->columns[i], &w->kinds[i], &sql, err);
    }
    hr_text_puts(&sql, ")");
    if (status == HR_OK)
        status = hr_pg_run_text(&w->database->pg, &sql, NULL, err);
    else
        hr_text_free(&sql);
    if (status == HR_OK && w->private)
        status = hr_pg_make_private(&w->database->pg, w->quoted, err);
    return status;
}

/* COMMENT ON TABLE t IS '...', or on one of its columns. */
static hr_status add_note(writer *w, const char *column, const char *note, hr_error *err) {
    hr_pg *pg = &w->database->pg;
    hr_text sql = {0};
    if (!note) return HR_OK;
    char *literal = PQescapeLiteral(pg->conn, note, strlen(note));
    if (!literal) return hr_pg_fail(pg, NULL, err);
    hr_text_printf(&sql, "COMMENT ON %s %s", column ? "COLUMN" : "TABLE", w->quoted);
    if (column) {
        hr_text_puts(&sql, ".");
        hr_sql_quote(&sql, column);
    }
    hr_text_printf(&sql, " IS %s", literal);
    PQfreemem(literal);
    return hr_pg_run_text(pg, &sql, NULL, err);
}

static hr_status add_notes(writer *w, const hr_table *table, hr_error *err) {
    HR_TRY(add_note(w, NULL, w->notes.table, err));
    for (size_t i = 0; w->notes.columns && i < table->column_count; i++)
        HR_TRY(add_note(w, table->columns[i].name, w->notes.columns[i], err));
    return HR_OK;
}

/* ---- rows ---- */

/* The values of a column as the server takes them, each with its length before it: those of a code
 * are bytes[start[code]] .. bytes[start[code + 1] - 1]. */
typedef struct {
    hr_text bytes;
    size_t *start;
} encoded_column;

static hr_status encode_value(const hr_column *column, uint32_t code, hr_pg_kind kind, hr_text *out,
                              hr_error *err) {
    const hr_dictionary *texts = &column->dictionary;
    size_t before = out->length;
    bool null = hr_dictionary_is_null(texts, code);
    hr_pg_put(out, UINT32_MAX, 4); /* -1: null */
    if (!null && !hr_pg_text_value(kind, hr_dictionary_text(texts, code),
                                   hr_dictionary_length(texts, code), out))
        return hr_fail(err, HR_EDATA, "column '%.150s' has a value that does not fit its type",
                       column->name);
    if (out->failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    size_t length = out->length - before - 4;
    for (int i = 0; i < 4 && !null; i++)
        out->data[before + (size_t)i] = (char)(length >> 8 * (3 - i));
    return HR_OK;
}

static hr_status encode(const hr_column *column, hr_pg_kind kind, encoded_column *out,
                        hr_error *err) {
    uint32_t count = column->dictionary.count;
    out->start = hr_alloc((size_t)count + 1, sizeof *out->start, err);
    if (!out->start) return HR_ENOMEM;
    for (uint32_t code = 0; code < count; code++) {
        HR_TRY(encode_value(column, code, kind, &out->bytes, err));
        out->start[code + 1] = out->bytes.length;
    }
    return HR_OK;
}

static hr_status send(hr_pg *pg, hr_text *buffer, hr_error *err) {
    if (buffer->failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    for (size_t at = 0; at < buffer->length;) {
        size_t part = buffer->length - at < BUFFER ? buffer->length - at : BUFFER;
        int sent = PQputCopyData(pg->conn, buffer->data + at, (int)part);
        if (sent < 0) return hr_pg_fail(pg, NULL, err);
        if (sent > 0) at += part;
        HR_TRY(hr_pg_flush(pg, err));
    }
    buffer->length = 0;
    return hr_watch_check(pg->watch, err);
}

static hr_status send_rows(writer *w, const hr_table *table, const encoded_column *columns,
                           hr_text *buffer, hr_error *err) {
    static const char header[19] = "PGCOPY\n\377\r\n"; /* and zeros */
    hr_pg *pg = &w->database->pg;
    hr_text_add(buffer, header, sizeof header);
    for (size_t row = 0; row < table->rows; row++) {
        hr_pg_put(buffer, table->column_count, 2);
        for (size_t i = 0; i < table->column_count; i++) {
            uint32_t code = hr_column_code(&table->columns[i], row);
            size_t start = columns[i].start[code];
            hr_text_add(buffer, columns[i].bytes.data + start, columns[i].start[code + 1] - start);
        }
        if (buffer->length >= BUFFER) HR_TRY(send(pg, buffer, err));
    }
    hr_pg_put(buffer, UINT16_MAX, 2); /* -1: the end */
    HR_TRY(send(pg, buffer, err));
    return hr_pg_copy_done(pg, err);
}

static hr_status copy_rows(writer *w, const hr_table *table, encoded_column *columns,
                           hr_error *err) {
    hr_pg *pg = &w->database->pg;
    hr_text sql = {0}, buffer = {0};
    for (size_t i = 0; i < table->column_count; i++)
        HR_TRY(encode(&table->columns[i], w->kinds[i], &columns[i], err));
    hr_text_printf(&sql, "COPY %s FROM STDIN (FORMAT binary, FREEZE)", w->quoted);
    HR_TRY(hr_pg_copy(pg, &sql, PGRES_COPY_IN, err));
    pg->rows = true;
    hr_status status = send_rows(w, table, columns, &buffer, err);
    hr_text_free(&buffer);
    pg->rows = false;
    return status;
}

static hr_status append(hr_writer *base, const hr_table *table, hr_error *err) {
    writer *w = (writer *)base;
    if (table->column_count == 0)
        return hr_fail(err, HR_EINVAL, "a table of a database needs a column");
    if (!w->quoted) {
        HR_TRY(create_table(w, table, err));
        HR_TRY(add_notes(w, table, err));
    }
    encoded_column *columns = hr_alloc(table->column_count, sizeof *columns, err);
    hr_status status = columns ? copy_rows(w, table, columns, err) : HR_ENOMEM;
    for (size_t i = 0; columns && i < table->column_count; i++) {
        hr_text_free(&columns[i].bytes);
        free(columns[i].start);
    }
    free(columns);
    return status;
}

/* ---- ending ---- */

/* The server has all rows. Asks it for something, so that a lost connection shows here. */
static hr_status finish(hr_writer *base, hr_error *err) {
    return hr_pg_query(&((writer *)base)->database->pg, "SELECT 1", 0, NULL, NULL, err);
}

/* Replaces the old table. Waits for its readers, and makes new ones wait until the commit. */
static hr_status prepare(hr_writer *base, hr_error *err) {
    writer *w = (writer *)base;
    if (!w->target.existing || !w->quoted) return HR_OK;
    HR_TRY(hr_pg_take_place(&w->database->pg, w->quoted, w->target.existing, &w->name, w->private,
                            err));
    free(w->target.existing);
    w->target.existing = NULL;
    return HR_OK;
}

static hr_status commit(hr_writer *base, hr_error *err) {
    writer *w = (writer *)base;
    database *d = w->database;
    hr_status status = prepare(base, err);
    free_writer(w);
    if (status == HR_OK) return leave_database(d, true, err);
    (void)leave_database(d, false, NULL);
    return status;
}

static void discard(hr_writer *base) {
    writer *w = (writer *)base;
    database *d = w->database;
    free_writer(w);
    if (d) (void)leave_database(d, false, NULL);
}

hr_status hr_pg_no_query(const char *address, hr_error *err) {
    return hr_fail(err, HR_EINVAL,
                   "%s: an output is a table, postgresql://HOST/DATABASE?table=NAME", address);
}

static hr_status begin(writer *w, const char *address, const hr_address *parsed,
                       const hr_write_options *options, hr_error *err) {
    if (parsed->query) return hr_pg_no_query(address, err);
    HR_TRY(hr_pg_name_parse(parsed->table, &w->name, err));
    w->database = find_open(options->group, parsed->file);
    if (!w->database) HR_TRY(open_database(address, parsed, options, &w->database, err));
    w->database->writers++;
    w->private = options->private;
    if (options->notes) w->notes = *options->notes;
    return hr_pg_find_target(&w->database->pg, &w->name, options->replace, &w->target, err);
}

hr_status hr_pg_open_writer(const char *address, const hr_write_options *options, hr_writer **out,
                            hr_error *err) {
    hr_address parsed;
    HR_TRY(hr_format_postgres.parse(address, &parsed, err));
    writer *w = hr_alloc(1, sizeof *w, err);
    hr_status status = w ? begin(w, address, &parsed, options, err) : HR_ENOMEM;
    hr_address_free(&parsed);
    if (!w) return status;
    w->base = (hr_writer){.append = append,
                          .finish = finish,
                          .prepare = prepare,
                          .commit = commit,
                          .discard = discard};
    if (status == HR_OK)
        *out = &w->base;
    else
        discard(&w->base);
    return status;
}
