/* postgres_read.c - reads a table, a view or the rows of a query with COPY in binary format. The
 * server is asked for the wanted columns only. Header and rows are read in one transaction, which
 * keeps the table from being dropped or altered in between. Messages name rows and columns, never a
 * value. */
#include "io/postgres.h"

#include <stdlib.h>
#include <string.h>

enum {
    ROWS_AT_ONCE = 4096,
    SEEN = 1024, /* values that a column remembers, a power of two */
    SHORT = 16,  /* bytes of the longest value that is remembered */
    BYTEA = 17   /* number of this type */
};

/* Why a column cannot be read: to follow "column 'c'" in an error, and for people whose table is
 * read without it. */
typedef struct {
    const char *error, *reason;
} refusal;

static const refusal is_array = {
    "is an array: drop the column, or read one of its elements with a query",
    "an array, which is not read; a query can take its elements"};
static const refusal is_composite = {
    "is a composite value: drop the column, or read its parts with a query",
    "a composite value, which is not read; a query can take its parts"};
static const refusal is_bytes = {"has bytes: drop the column, or convert it to text in a query",
                                 "bytes, which are not read; a query can convert them to text"};
static const refusal is_forbidden = {"must not be read: the role has no permission (GRANT SELECT)",
                                     "this user of the database may not read it"};

/* A column of the header. */
typedef struct {
    char *name;
    Oid type;
    int modifier;
    hr_pg_kind kind;
    bool cast;              /* the server is asked for the text of the value */
    char *enum_name;        /* quoted name of its type, if that is an enum; or NULL */
    const refusal *refused; /* NULL: it can be read */
} header_column;

/* A value that was read before. Most values of a table repeat, and the code of a value that is
 * found here needs neither a text nor a search in the dictionary. */
typedef struct {
    uint64_t word[2];
    uint32_t length; /* plus 1; 0: the slot is free */
    uint32_t code;
} seen_value;

typedef struct {
    hr_reader base;
    hr_pg pg;
    hr_address address;
    hr_pg_name table; /* unless it is a query */
    bool is_stored;   /* the table has rows of its own: it is no view */
    bool alike;       /* see hr_read_options */
    bool skip;        /* skip_unread of hr_read_options */
    char *source;     /* what follows FROM: the table, or the query in parentheses */
    header_column *columns;
    const char **names;
    size_t column_count;
    const header_column **wanted;
    size_t wanted_count;
    seen_value *seen; /* wanted_count x SEEN */
    hr_pg_rows rows;
    hr_table *into; /* during `next` */
    hr_text text;   /* of one value */
    hr_progress progress;
} reader;

/* ---- the table or query ---- */

static hr_status no_table(reader *r, hr_error *err) {
    static const char sql[] =
        "SELECT CASE WHEN pg_table_is_visible(c.oid) THEN '' ELSE n.nspname || '.' END || "
        "c.relname "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname !~ '^pg_' "
        "AND n.nspname <> 'information_schema' ORDER BY 1 LIMIT 10000";
    hr_sql_names names = {0};
    PGresult *result;
    HR_TRY(hr_pg_query(&r->pg, sql, 0, NULL, &result, err));
    hr_status status = HR_OK;
    for (int i = 0; i < PQntuples(result) && status == HR_OK; i++)
        status = hr_sql_names_add(&names, hr_pg_cell(result, i, 0), err);
    PQclear(result);
    if (status == HR_OK) status = hr_sql_no_table("the database", r->address.table, &names, err);
    hr_sql_names_free(&names);
    return status == HR_EDATA ? hr_fail_prefix(err, status, "%s", r->pg.name) : status;
}

static hr_status find_table(reader *r, hr_error *err) {
    static const char sql[] = "SELECT relkind FROM pg_class WHERE oid = to_regclass($1)";
    HR_TRY(hr_pg_name_parse(r->address.table, &r->table, err));
    const char *const name = r->table.quoted;
    PGresult *result;
    HR_TRY(hr_pg_query(&r->pg, sql, 1, &name, &result, err));
    const char kind = PQntuples(result) ? *hr_pg_cell(result, 0, 0) : '\0';
    PQclear(result);
    if (!kind || !strchr("rvmpf", kind)) return no_table(r, err);
    r->is_stored = kind != 'v' && kind != 'f';
    r->source = hr_copy_text(r->table.quoted, strlen(r->table.quoted), err);
    return r->source ? HR_OK : HR_ENOMEM;
}

/* The query in parentheses. A line break ends a comment at its end. */
static hr_status take_query(reader *r, hr_error *err) {
    hr_text source = {0};
    char *query = r->address.query;
    size_t length = strlen(query);
    while (length > 0 && strchr(" \t\r\n;", query[length - 1]))
        length--;
    query[length] = '\0';
    hr_text_printf(&source, "(%s\n) AS q", query);
    return hr_text_take(&source, &r->source, err);
}

/* Describes the columns. The table was found before, but a transaction may be dropping it. */
static hr_status describe(reader *r, PGresult **out, hr_error *err) {
    hr_text sql = {0};
    if (r->address.query)
        hr_text_puts(&sql, r->address.query);
    else
        hr_text_printf(&sql, "SELECT * FROM %s", r->source);
    hr_status status = sql.failed ? hr_fail(err, HR_ENOMEM, "out of memory")
                                  : hr_pg_describe(&r->pg, sql.data, out, err);
    hr_text_free(&sql);
    if (status == HR_EDATA && r->address.table)
        return hr_fail(err, HR_EIO,
                       "cannot read %s: the table was dropped or changed while it was opened",
                       r->pg.name);
    HR_TRY(status);
    bool parameters = PQnparams(*out) > 0;
    if (PQnfields(*out) > 0 && !parameters) return HR_OK;
    PQclear(*out);
    *out = NULL;
    if (parameters)
        return hr_fail(err, HR_EINVAL,
                       "%s: a query has no parameters such as $1: write the values into it",
                       r->pg.name);
    if (r->address.table) return hr_fail(err, HR_EDATA, "%s has no columns", r->pg.name);
    return hr_fail(err, HR_EINVAL, "%s: a query is one SELECT, which returns rows", r->pg.name);
}

/* ---- the header ---- */

static hr_status copy_header(reader *r, const PGresult *description, hr_error *err) {
    size_t count = (size_t)PQnfields(description);
    r->columns = hr_alloc(count, sizeof *r->columns, err);
    r->names = hr_alloc(count, sizeof *r->names, err);
    if (!r->columns || !r->names) return HR_ENOMEM;
    for (; r->column_count < count; r->column_count++) {
        int i = (int)r->column_count;
        const char *name = PQfname(description, i);
        HR_TRY(hr_sql_check_name(r->pg.name, name, r->column_count, err));
        header_column *column = &r->columns[i];
        *column = (header_column){.name = hr_copy_text(name, strlen(name), err),
                                  .type = PQftype(description, i),
                                  .modifier = PQfmod(description, i),
                                  .kind = hr_pg_kind_of(PQftype(description, i))};
        if (!column->name) return HR_ENOMEM;
        r->names[i] = column->name;
    }
    return hr_header_check(r->pg.name, r->names, count, r->alike, err);
}

/* Sets how a column is read, from what the catalog says about its type. */
static hr_status set_kind(header_column *column, char type, char category, const char *name,
                          hr_error *err) {
    if (category == 'A')
        column->refused = &is_array;
    else if (type == 'c' || type == 'p')
        column->refused = &is_composite;
    else if (column->type == BYTEA)
        column->refused = &is_bytes;
    else if (type == 'e')
        column->enum_name = hr_copy_text(name, strlen(name), err);
    else
        column->cast = column->kind == HR_PG_TEXT;
    return type == 'e' && !column->refused && !column->enum_name ? HR_ENOMEM : HR_OK;
}

static hr_status use_types(reader *r, const PGresult *types, hr_error *err) {
    for (size_t i = 0; i < r->column_count; i++)
        for (int row = 0; row < PQntuples(types); row++)
            if (strtoul(hr_pg_cell(types, row, 0), NULL, 10) == r->columns[i].type)
                HR_TRY(set_kind(&r->columns[i], *hr_pg_cell(types, row, 1),
                                *hr_pg_cell(types, row, 2), hr_pg_cell(types, row, 3), err));
    return HR_OK;
}

static hr_status find_types(reader *r, hr_error *err) {
    static const char sql[] =
        "SELECT t.oid, t.typtype, t.typcategory, quote_ident(n.nspname) || '.' || "
        "quote_ident(t.typname) FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace "
        "WHERE t.oid = ANY ($1::oid[])";
    hr_text list = {0};
    for (size_t i = 0; i < r->column_count; i++)
        hr_text_printf(&list, "%s%u", i ? "," : "{", r->columns[i].type);
    hr_text_puts(&list, "}");
    const char *const parameter = list.data;
    PGresult *types = NULL;
    hr_status status = list.failed ? hr_fail(err, HR_ENOMEM, "out of memory")
                                   : hr_pg_query(&r->pg, sql, 1, &parameter, &types, err);
    hr_text_free(&list);
    if (status == HR_OK) status = use_types(r, types, err);
    PQclear(types);
    return status;
}

/* Finds the columns that the role must not read. Of a query the server checks them itself. */
static hr_status find_forbidden(reader *r, hr_error *err) {
    static const char sql[] =
        "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT "
        "attisdropped AND NOT has_column_privilege(attrelid, attnum, 'SELECT')";
    const char *const name = r->table.quoted;
    PGresult *found;
    if (!r->address.table) return HR_OK;
    HR_TRY(hr_pg_query(&r->pg, sql, 1, &name, &found, err));
    for (int row = 0; row < PQntuples(found); row++)
        for (size_t i = 0; i < r->column_count; i++)
            if (!strcmp(r->columns[i].name, hr_pg_cell(found, row, 0)))
                r->columns[i].refused = &is_forbidden;
    PQclear(found);
    return HR_OK;
}

/* ---- the wanted columns ---- */

static hr_status list_wanted(reader *r, const bool *keep, hr_error *err) {
    r->wanted = hr_alloc(r->column_count, sizeof *r->wanted, err);
    if (!r->wanted) return HR_ENOMEM;
    for (size_t i = 0; i < r->column_count; i++) {
        const header_column *column = &r->columns[i];
        if (!keep[i]) continue;
        if (column->refused && !r->skip)
            return hr_fail(err, column->refused == &is_forbidden ? HR_EIO : HR_EDATA,
                           "%s: column '%.150s' %s", r->pg.name, column->name,
                           column->refused->error);
        r->wanted[r->wanted_count++] = column;
    }
    r->seen = hr_alloc(r->wanted_count * SEEN, sizeof *r->seen, err);
    r->rows = (hr_pg_rows){
        .name = r->pg.name, .column_count = r->wanted_count ? r->wanted_count : 1, .payload = r};
    r->rows.fields = hr_alloc(r->rows.column_count, sizeof *r->rows.fields, err);
    return r->seen && r->rows.fields ? HR_OK : HR_ENOMEM;
}

static void put_select(const reader *r, hr_text *sql) {
    hr_text_puts(sql, "SELECT ");
    for (size_t k = 0; k < r->wanted_count; k++) {
        if (k > 0) hr_text_puts(sql, ", ");
        if (r->wanted[k]->refused)
            hr_text_puts(sql, "NULL");
        else
            hr_sql_quote(sql, r->wanted[k]->name);
        if (r->wanted[k]->cast || r->wanted[k]->refused) hr_text_puts(sql, "::text");
    }
    if (r->wanted_count == 0) hr_text_puts(sql, "NULL"); /* rows are counted */
    hr_text_printf(sql, " FROM %s", r->source);
}

/* The planner's estimate of the rows, so that progress has a total: "(cost=... rows=1000 ...)". */
static hr_status estimate_rows(reader *r, uint64_t *out, hr_error *err) {
    const hr_watch *watch = r->pg.watch;
    hr_text sql = {0};
    PGresult *plan;
    *out = 0;
    if (!watch || !watch->progress) return HR_OK;
    hr_text_puts(&sql, "EXPLAIN ");
    put_select(r, &sql);
    HR_TRY(hr_pg_run_text(&r->pg, &sql, &plan, err));
    const char *rows = PQntuples(plan) ? strstr(hr_pg_cell(plan, 0, 0), " rows=") : NULL;
    if (rows) *out = strtoull(rows + 6, NULL, 10);
    PQclear(plan);
    return HR_OK;
}

/* Turns index scans off, which would return the rows of a table in another order. */
static hr_status forbid_indexes(reader *r, hr_error *err) {
    if (!r->is_stored) return HR_OK;
    return hr_pg_query(&r->pg,
                       "SELECT set_config(name, 'off', true) FROM (VALUES ('enable_indexscan'), "
                       "('enable_indexonlyscan'), ('enable_bitmapscan')) AS s(name)",
                       0, NULL, NULL, err);
}

static hr_status add_row(const hr_pg_field *fields, void *payload, hr_error *err);

static hr_status start(hr_reader *base, const bool *keep, hr_error *err) {
    reader *r = (reader *)base;
    uint64_t total;
    hr_text sql = {0};
    HR_TRY(list_wanted(r, keep, err));
    r->rows.row = add_row;
    HR_TRY(forbid_indexes(r, err));
    HR_TRY(estimate_rows(r, &total, err));
    hr_text_puts(&sql, "COPY (");
    put_select(r, &sql);
    hr_text_puts(&sql, ") TO STDOUT (FORMAT binary)");
    HR_TRY(hr_pg_copy(&r->pg, &sql, PGRES_COPY_OUT, err));
    r->pg.rows = true;
    hr_progress_start(&r->progress, r->pg.watch, "read", total);
    return HR_OK;
}

/* ---- values ---- */

static hr_status add_new_value(reader *r, size_t k, const hr_pg_field *field, uint32_t *code,
                               hr_error *err) {
    hr_column *column = &r->into->columns[k];
    const char *wrong =
        hr_pg_value_text(r->wanted[k]->kind, field->bytes, (size_t)field->length, &r->text);
    bool cut;
    if (r->text.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    if (wrong) return hr_sql_bad_value(r->pg.name, r->into, k, wrong, err);
    const char *text = r->text.length ? r->text.data : "";
    if (r->wanted[k]->kind == HR_PG_TEXT &&
        hr_utf8_valid(text, r->text.length, &cut) < r->text.length)
        return hr_sql_bad_value(r->pg.name, r->into, k,
                                "is not UTF-8: store it as UTF-8, or drop the column", err);
    return hr_dictionary_intern(&column->dictionary, text, r->text.length, code, err);
}

static hr_status add_value(reader *r, size_t k, const hr_pg_field *field, uint32_t *code,
                           hr_error *err) {
    if (field->length < 0) return hr_dictionary_null(&r->into->columns[k].dictionary, code, err);
    if (field->length > SHORT) return add_new_value(r, k, field, code, err);
    uint32_t length = (uint32_t)field->length;
    uint64_t word[2] = {0, 0};
    memcpy(word, field->bytes, length);
    uint64_t hash = hr_mix(word[0] ^ hr_mix(word[1] + length));
    seen_value *seen = &r->seen[k * SEEN + (hash & (SEEN - 1))];
    if (seen->length != length + 1 || seen->word[0] != word[0] || seen->word[1] != word[1]) {
        HR_TRY(add_new_value(r, k, field, code, err));
        *seen = (seen_value){{word[0], word[1]}, length + 1, *code};
    }
    *code = seen->code;
    return HR_OK;
}

static hr_status add_row(const hr_pg_field *fields, void *payload, hr_error *err) {
    reader *r = payload;
    HR_TRY(hr_sql_check_room(r->pg.name, r->into, err));
    for (size_t k = 0; k < r->wanted_count; k++) {
        uint32_t code = 0;
        HR_TRY(add_value(r, k, &fields[k], &code, err));
        HR_TRY(hr_column_append(&r->into->columns[k], code, err));
    }
    r->into->rows++;
    return HR_OK;
}

static hr_status end(reader *r, hr_table *table, hr_error *err) {
    HR_TRY(hr_pg_copy_end(&r->pg, err));
    HR_TRY(hr_pg_rows_end(&r->rows, err));
    if (table->rows == 0) return hr_fail(err, HR_EDATA, "%s has no rows", r->pg.name);
    for (size_t k = 0; k < r->wanted_count; k++) {
        const header_column *column = r->wanted[k];
        if (column->refused)
            table->columns[k].unread = column->refused->reason;
        else
            HR_TRY(hr_pg_set_type(&table->columns[k], column->kind, column->modifier,
                                  column->enum_name, err));
    }
    hr_progress_end(&r->progress);
    return HR_OK;
}

static hr_status next(hr_reader *base, hr_table *table, bool *more, hr_error *err) {
    reader *r = (reader *)base;
    size_t begin = table->rows;
    r->into = table;
    *more = true;
    while (*more && table->rows - begin < ROWS_AT_ONCE) {
        char *bytes = NULL;
        int length = PQgetCopyData(r->pg.conn, &bytes, 1);
        if (length == -2) return hr_pg_fail(&r->pg, NULL, err);
        if (length == -1) *more = false;
        if (length == 0) HR_TRY(hr_pg_wait(&r->pg, false, err));
        hr_status status =
            length > 0 ? hr_pg_rows_add(&r->rows, bytes, (size_t)length, err) : HR_OK;
        PQfreemem(bytes);
        HR_TRY(status);
    }
    HR_TRY(hr_progress_add(&r->progress, table->rows - begin, err));
    return *more ? HR_OK : end(r, table, err);
}

/* ---- opening and closing ---- */

static void close_reader(hr_reader *base) {
    reader *r = (reader *)base;
    hr_pg_close(&r->pg);
    hr_address_free(&r->address);
    hr_pg_name_free(&r->table);
    for (size_t i = 0; r->columns && i < r->column_count; i++) {
        free(r->columns[i].name);
        free(r->columns[i].enum_name);
    }
    free(r->columns);
    free(r->names);
    free(r->wanted);
    free(r->seen);
    free(r->source);
    hr_pg_rows_free(&r->rows);
    hr_text_free(&r->text);
    free(r);
}

static hr_status begin(reader *r, const char *address, const hr_watch *watch, hr_error *err) {
    PGresult *description;
    HR_TRY(hr_format_postgres.parse(address, &r->address, err));
    HR_TRY(hr_pg_open(&r->pg, &r->address, address, false, watch, err));
    HR_TRY(r->address.table ? find_table(r, err) : take_query(r, err));
    HR_TRY(describe(r, &description, err));
    hr_status status = copy_header(r, description, err);
    PQclear(description);
    HR_TRY(status);
    HR_TRY(find_types(r, err));
    HR_TRY(find_forbidden(r, err));
    r->base = (hr_reader){.name = r->pg.name,
                          .names = r->names,
                          .column_count = r->column_count,
                          .start = start,
                          .next = next,
                          .close = close_reader};
    return HR_OK;
}

hr_status hr_pg_open_reader(const char *address, const hr_read_options *options, hr_reader **out,
                            hr_error *err) {
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
