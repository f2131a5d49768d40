/* postgres_output.c - checks whether an output table can be written, and replaces an older table by
 * it. The new table is made beside the old one, so that readers use the old one until the end. Then
 * it gets the owner, the grants and the name of the old one, all in the transaction that wrote its
 * rows. A table that other objects depend on is not replaced. */
#include "io/postgres.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MOST = 63, COLUMNS_MOST = 1600 }; /* bytes of a name; columns of a table */

static const char facts[] =
    "WITH t AS (SELECT to_regclass($1)::oid AS id), "
    "s AS (SELECT coalesce((SELECT n.nspname FROM t, pg_class c JOIN pg_namespace n ON n.oid = "
    "c.relnamespace WHERE c.oid = t.id), $2, current_schema()) AS name) "
    "SELECT s.name, n.oid IS NOT NULL, coalesce(has_schema_privilege(n.oid, 'CREATE'), false), "
    "c.oid, c.relkind, pg_has_role(c.relowner, 'USAGE'), c.relrowsecurity, "
    "coalesce((SELECT 'the view ' || v.oid::regclass FROM pg_depend d JOIN pg_rewrite w ON w.oid = "
    "d.objid JOIN pg_class v ON v.oid = w.ev_class WHERE d.classid = 'pg_rewrite'::regclass AND "
    "d.refclassid = 'pg_class'::regclass AND d.refobjid = t.id AND v.oid <> t.id LIMIT 1), "
    "(SELECT 'the table ' || conrelid::regclass FROM pg_constraint WHERE confrelid = t.id AND "
    "conrelid <> t.id LIMIT 1), (SELECT 'the table ' || CASE WHEN inhrelid = t.id THEN inhparent "
    "ELSE inhrelid END::regclass FROM pg_inherits WHERE t.id IN (inhrelid, inhparent) LIMIT 1), "
    "(SELECT pg_describe_object(d.classid, d.objid, d.objsubid) FROM pg_depend d WHERE "
    "d.refclassid = 'pg_type'::regclass AND d.refobjid = c.reltype AND d.deptype = 'n' LIMIT 1)), "
    "current_setting('transaction_read_only')::bool OR pg_is_in_recovery() "
    "FROM t, s LEFT JOIN pg_namespace n ON n.nspname = s.name LEFT JOIN pg_class c ON c.oid = "
    "(SELECT id FROM t)";
enum { SCHEMA, SCHEMA_EXISTS, MAY_CREATE, NUMBER, KIND, OWNS, POLICIES, DEPENDENT, READ_ONLY };

static hr_status check_schema(const hr_pg *pg, const PGresult *found, hr_error *err) {
    const char *schema = hr_pg_cell(found, 0, SCHEMA);
    if (hr_pg_true(found, 0, READ_ONLY))
        return hr_fail(err, HR_EIO, "cannot write %s: the server or the role is read-only",
                       pg->name);
    if (!*schema)
        return hr_fail(err, HR_EINVAL,
                       "%s: the role has no schema of its own: write table=SCHEMA.NAME", pg->name);
    if (!hr_pg_true(found, 0, SCHEMA_EXISTS))
        return hr_fail(err, HR_EINVAL, "%s: the database has no schema '%s'", pg->name, schema);
    if (!hr_pg_true(found, 0, MAY_CREATE))
        return hr_fail(err, HR_EIO,
                       "cannot write %s: the role may not create tables in schema '%s': GRANT "
                       "CREATE ON SCHEMA, or choose another schema",
                       pg->name, schema);
    return HR_OK;
}

/* Fails unless the existing table can be replaced without losing anything but its rows. */
static hr_status check_existing(const hr_pg *pg, const PGresult *found, const char *table,
                                bool replace, hr_error *err) {
    const char *kind = hr_pg_cell(found, 0, KIND), *dependent = hr_pg_cell(found, 0, DEPENDENT);
    if (!*kind) return HR_OK;
    if (*kind != 'r')
        return hr_fail(err, HR_EINVAL, "%s: '%s' is %s, which is not replaced: choose another name",
                       pg->name, table,
                       *kind == 'v'   ? "a view"
                       : *kind == 'm' ? "a materialized view"
                       : *kind == 'p' ? "a partitioned table"
                                      : "no plain table");
    if (!replace) return hr_sql_table_exists(pg->name, table, err);
    if (*dependent)
        return hr_fail(err, HR_EINVAL,
                       "%s: %s depends on table '%s', which is therefore not replaced: drop the "
                       "one that depends, or choose another name",
                       pg->name, dependent, table);
    if (hr_pg_true(found, 0, POLICIES))
        return hr_fail(err, HR_EINVAL,
                       "%s: table '%s' has row security, which a new table would not have: drop "
                       "the table yourself, or choose another name",
                       pg->name, table);
    if (!hr_pg_true(found, 0, OWNS))
        return hr_fail(err, HR_EIO, "cannot write %s: only the owner of table '%s' can replace it",
                       pg->name, table);
    return HR_OK;
}

static hr_status copy_cell(const PGresult *found, int column, char **out, hr_error *err) {
    const char *text = hr_pg_cell(found, 0, column);
    if (!*text) return HR_OK;
    *out = hr_copy_text(text, strlen(text), err);
    return *out ? HR_OK : HR_ENOMEM;
}

static hr_status use_facts(const hr_pg *pg, const PGresult *found, const char *table, bool replace,
                           hr_pg_target *out, hr_error *err) {
    HR_TRY(check_schema(pg, found, err));
    HR_TRY(check_existing(pg, found, table, replace, err));
    HR_TRY(copy_cell(found, SCHEMA, &out->schema, err));
    return copy_cell(found, NUMBER, &out->existing, err);
}

hr_status hr_pg_find_target(hr_pg *pg, const hr_pg_name *name, bool replace, hr_pg_target *out,
                            hr_error *err) {
    const char *const parameters[] = {name->quoted, name->schema};
    PGresult *found;
    *out = (hr_pg_target){0};
    HR_TRY(hr_pg_query(pg, facts, 2, parameters, &found, err));
    hr_status status = use_facts(pg, found, name->name, replace, out, err);
    PQclear(found);
    if (status != HR_OK) hr_pg_target_free(out);
    return status;
}

void hr_pg_target_free(hr_pg_target *target) {
    free(target->schema);
    free(target->existing);
    *target = (hr_pg_target){0};
}

/* ---- grants ---- */

/* Runs the statements that a query returns. */
static hr_status run_all(hr_pg *pg, const char *sql, int count, const char *const *parameters,
                         hr_error *err) {
    PGresult *statements;
    HR_TRY(hr_pg_query(pg, sql, count, parameters, &statements, err));
    hr_status status = HR_OK;
    for (int i = 0; i < PQntuples(statements) && status == HR_OK; i++)
        status = hr_pg_query(pg, hr_pg_cell(statements, i, 0), 0, NULL, NULL, err);
    PQclear(statements);
    return status;
}

#define GRANTEE                                                                                    \
    "CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END"

hr_status hr_pg_make_private(hr_pg *pg, const char *quoted, hr_error *err) {
    static const char sql[] =
        "SELECT DISTINCT format('REVOKE ALL ON TABLE %s FROM %s', $1::text, " GRANTEE
        ") FROM pg_class c, "
        "aclexplode(c.relacl) a WHERE c.oid = to_regclass($1::text) AND a.grantee <> c.relowner";
    return run_all(pg, sql, 1, &quoted, err);
}

static hr_status take_grants(hr_pg *pg, const char *const parameters[2], hr_error *err) {
    static const char sql[] =
        "SELECT format('GRANT %s ON TABLE %s TO %s%s', a.privilege_type, $1::text, " GRANTEE
        ", CASE WHEN "
        "a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END) FROM pg_class c, "
        "aclexplode(c.relacl) a WHERE c.oid = $2::oid AND a.grantee <> c.relowner ORDER BY 1";
    return run_all(pg, sql, 2, parameters, err);
}

/* ---- taking the place of the old table ---- */

/* Limits the wait for a lock on the old table: as long as it lasts, new readers of the table wait
 * as well. A limit that is set already, for example for the role, stays. */
static const char limit[] = "SELECT set_config('lock_timeout', '10s', true) WHERE "
                            "current_setting('lock_timeout') = '0'";

hr_status hr_pg_take_place(hr_pg *pg, const char *quoted, const char *existing,
                           const hr_pg_name *name, bool private, hr_error *err) {
    static const char owner[] =
        "SELECT format('ALTER TABLE %s OWNER TO %I', $1::text, pg_get_userbyid(c.relowner)) FROM "
        "pg_class "
        "c WHERE c.oid = $2::oid AND pg_get_userbyid(c.relowner) <> current_user";
    static const char drop[] = "SELECT format('DROP TABLE %s', c.oid::regclass) FROM pg_class c "
                               "WHERE c.oid = $1::oid";
    const char *const both[] = {quoted, existing};
    hr_text rename = {0};
    HR_TRY(hr_pg_make_private(pg, quoted, err));
    if (!private) HR_TRY(take_grants(pg, both, err));
    HR_TRY(run_all(pg, owner, 2, both, err));
    HR_TRY(hr_pg_query(pg, limit, 0, NULL, NULL, err));
    HR_TRY(run_all(pg, drop, 1, &existing, err));
    hr_text_printf(&rename, "ALTER TABLE %s RENAME TO ", quoted);
    hr_sql_quote(&rename, name->name);
    return hr_pg_run_text(pg, &rename, NULL, err);
}

/* ---- before the search ---- */

static hr_status check_name(const char *place, const char *what, const char *name, hr_error *err) {
    if (strlen(name) <= NAME_MOST) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   "%s: the name of %s '%.100s' is longer than %d bytes, the most that PostgreSQL "
                   "keeps: shorten it",
                   place, what, name, NAME_MOST);
}

static hr_status check_columns(const char *place, const hr_write_options *options, hr_error *err) {
    static const char *const reserved[] = {"tableoid", "cmax", "xmax", "cmin", "xmin", "ctid"};
    if (options->name_count > COLUMNS_MOST)
        return hr_sql_too_many_columns(place, "PostgreSQL", COLUMNS_MOST, options->name_count, err);
    for (size_t i = 0; i < options->name_count; i++) {
        HR_TRY(check_name(place, "column", options->names[i], err));
        for (size_t j = 0; j < sizeof reserved / sizeof *reserved; j++)
            if (!strcmp(options->names[i], reserved[j]))
                return hr_fail(err, HR_EINVAL,
                               "%s: PostgreSQL has a column '%s' of its own in every table: rename "
                               "that of the input, or write a CSV file",
                               place, reserved[j]);
    }
    return HR_OK;
}

static hr_status check_target(const char *address, const hr_address *parsed, const hr_pg_name *name,
                              const hr_write_options *options, hr_error *err) {
    hr_pg pg;
    hr_pg_target target = {0};
    assert(name->name);
    hr_status status = hr_pg_open(&pg, parsed, address, true, options->watch, err);
    if (status == HR_OK) status = check_name(pg.name, "table", name->name, err);
    if (status == HR_OK) status = check_columns(pg.name, options, err);
    if (status == HR_OK) status = hr_pg_find_target(&pg, name, options->replace, &target, err);
    hr_pg_target_free(&target);
    hr_pg_close(&pg);
    return status;
}

hr_status hr_pg_check_output(const char *address, const hr_write_options *options, hr_error *err) {
    hr_address parsed;
    hr_pg_name name = {0};
    HR_TRY(hr_format_postgres.parse(address, &parsed, err));
    hr_status status =
        parsed.query ? hr_pg_no_query(address, err) : hr_pg_name_parse(parsed.table, &name, err);
    if (status == HR_OK) status = check_target(address, &parsed, &name, options, err);
    hr_pg_name_free(&name);
    hr_address_free(&parsed);
    return status;
}
