/* postgres_reads.c - finds out whether reading an address reads the table that an output would
 * replace. Two addresses may name one server in different ways, so databases are compared by the
 * identity that the server reports. The tables that a view or query reads are found from the locks
 * that planning it takes. */
#include "io/postgres.h"

#include <stdlib.h>
#include <string.h>

/* A table as its server sees it. */
typedef struct {
    char *database; /* identity of server and database */
    char *name;     /* schema and name */
    char *number;   /* "0": there is no such table */
} place;

static void free_place(place *p) {
    free(p->database);
    free(p->name);
    free(p->number);
}

/* `name` NULL: of the database alone. */
static hr_status find_place(hr_pg *pg, const hr_pg_name *name, place *out, hr_error *err) {
    static const char sql[] =
        "SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || (SELECT oid FROM "
        "pg_database WHERE datname = current_database()), "
        "coalesce((SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.oid = to_regclass($1)), $2, current_schema(), '') || '.' || coalesce($3, ''), "
        "coalesce(to_regclass($1)::oid, 0)";
    const char *const parameters[] = {name ? name->quoted : NULL, name ? name->schema : NULL,
                                      name ? name->name : NULL};
    PGresult *result;
    HR_TRY(hr_pg_query(pg, sql, 3, parameters, &result, err));
    char **const texts[] = {&out->database, &out->name, &out->number};
    hr_status status = HR_OK;
    for (int i = 0; i < 3 && status == HR_OK; i++) {
        const char *text = hr_pg_cell(result, 0, i);
        *texts[i] = hr_copy_text(text, strlen(text), err);
        if (!*texts[i]) status = HR_ENOMEM;
    }
    PQclear(result);
    return status;
}

/* Does planning the address lock the table, or one that it is a part of? */
static hr_status locks_table(hr_pg *pg, const hr_address *address, const hr_pg_name *name,
                             const char *number, bool *out, hr_error *err) {
    static const char sql[] =
        "WITH RECURSIVE up(id) AS (SELECT $1::oid UNION SELECT i.inhparent FROM pg_inherits i JOIN "
        "up ON i.inhrelid = up.id) SELECT EXISTS (SELECT FROM pg_locks l JOIN up ON l.relation = "
        "up.id WHERE l.pid = pg_backend_pid() AND l.locktype = 'relation')";
    hr_text plan = {0};
    PGresult *result;
    if (address->query)
        hr_text_printf(&plan, "EXPLAIN %s", address->query);
    else
        hr_text_printf(&plan, "EXPLAIN SELECT FROM %s", name->quoted); /* any column may do */
    HR_TRY(hr_pg_run_text(pg, &plan, NULL, err));
    HR_TRY(hr_pg_query(pg, sql, 1, &number, &result, err));
    *out = hr_pg_true(result, 0, 0);
    PQclear(result);
    return HR_OK;
}

static hr_status compare(hr_pg *pg, const hr_address *address, const hr_pg_name *name,
                         const place *output, bool *out, hr_error *err) {
    place own = {0};
    hr_status status = find_place(pg, address->table ? name : NULL, &own, err);
    if (status == HR_OK && !strcmp(own.database, output->database)) {
        *out = address->table && !strcmp(own.name, output->name);
        if (!*out && strcmp(output->number, "0"))
            status = locks_table(pg, address, name, output->number, out, err);
    }
    free_place(&own);
    return status;
}

/* Where the table of the output is, or would be. */
static hr_status find_output(const hr_address *output, place *out, hr_error *err) {
    hr_pg pg;
    hr_pg_name name;
    HR_TRY(hr_pg_name_parse(output->table, &name, err));
    hr_status status = hr_pg_open(&pg, output, output->file, false, NULL, err);
    if (status == HR_OK) status = find_place(&pg, &name, out, err);
    hr_pg_close(&pg);
    hr_pg_name_free(&name);
    return status;
}

/* Compares one address. A query with an error counts as reading nothing: reading it fails later. */
static hr_status compare_address(const hr_address *address, const place *output, bool *out,
                                 hr_error *err) {
    hr_pg pg;
    hr_pg_name name = {0};
    if (address->table) HR_TRY(hr_pg_name_parse(address->table, &name, err));
    hr_status status = hr_pg_open(&pg, address, address->file, false, NULL, err);
    if (status == HR_OK) status = compare(&pg, address, &name, output, out, err);
    hr_pg_close(&pg);
    hr_pg_name_free(&name);
    return status == HR_EDATA ? HR_OK : status;
}

hr_status hr_pg_reads(const hr_address *address, const hr_address *output, bool *out,
                      hr_error *err) {
    place target = {0};
    *out = false;
    hr_status status = find_output(output, &target, err);
    if (status == HR_OK) status = compare_address(address, &target, out, err);
    free_place(&target);
    return status;
}
