/* test_sqlite.c - tables of SQLite databases: every value and type survives a round trip, a write
 * happens as a whole or not at all, locked databases are waited for, and what cannot be read or
 * written is refused with a message that names no value. */
#include "io/io.h"
#include "skip.h"
#include "unit.h"

#ifndef HR_SQLITE
/* A build without SQLite knows the addresses and says what to install. */
static void absent(void **state) {
    (void)state;
    hr_error err = {0};
    hr_table *table;
    assert_int_equal(hr_table_read("sqlite:a.db?table=t", &table, &err), HR_EUNSUP);
    assert_null(table);
    assert_non_null(strstr(err.message, "libsqlite3-dev"));
    table = table_of("a\n1\n");
    assert_int_equal(hr_table_write(table, "sqlite:a.db?table=t", &err), HR_EUNSUP);
    assert_int_equal(hr_output_check("sqlite:a.db?table=t", &(hr_write_options){0}, &err),
                     HR_EUNSUP);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(absent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
#include <inttypes.h>
#include <pthread.h>
#include <sqlite3.h>
#include <sys/stat.h>

static char folder[] = "/tmp/test_sqlite.XXXXXX";
static char db_path[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(db_path, sizeof db_path, "%s/t.db", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(db_path);
    return rmdir(folder);
}

static int start_clean(void **state) {
    (void)state;
    unlink(db_path);
    return 0;
}

/* ---- helpers ---- */

static sqlite3 *open_db(void) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(db_path, &db), SQLITE_OK);
    return db;
}

static void run_on(sqlite3 *db, const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) fail_msg("%s: %s", sql, message);
}

static void run(const char *sql) {
    sqlite3 *db = open_db();
    run_on(db, sql);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The first value of the first row. */
static char *ask(const char *sql) {
    sqlite3 *db = open_db();
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const char *text = (const char *)sqlite3_column_text(statement, 0);
    char *copy = hr_copy_text(text ? text : "NULL", text ? strlen(text) : 4, NULL);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return copy;
}

static void expect(const char *sql, const char *expected) {
    char *answer = ask(sql);
    assert_string_equal(answer, expected);
    free(answer);
}

/* "sqlite:FILE?REST" */
static const char *at(const char *rest) {
    static char address[4][512];
    static unsigned next;
    char *out = address[next++ % 4];
    snprintf(out, sizeof address[0], "sqlite:%s?%s", db_path, rest);
    return out;
}

static hr_table *load(const char *rest) {
    hr_table *table = NULL;
    MUST(hr_table_read(at(rest), &table, &err));
    return table;
}

static void refuse(const char *address, hr_status status, const char *words) {
    hr_error err = {0};
    hr_table *table;
    assert_int_equal(hr_table_read(address, &table, &err), status);
    assert_null(table);
    assert_int_equal(err.code, status);
    if (!strstr(err.message, words)) fail_msg("'%s' is not in: %s", words, err.message);
    assert_null(strstr(err.message, "secret"));
}

static void copy_table(const char *from, const char *to) {
    hr_table *table = load(from);
    MUST(hr_table_write(table, at(to), &err));
    hr_table_free(table);
}

/* Number of rows of t and u that differ in value or type. */
static void assert_copied(const char *column) {
    char sql[512];
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM t JOIN u ON t.rowid = u.rowid WHERE t.\"%s\" IS NOT u.\"%s\" OR "
             "typeof(t.\"%s\") <> typeof(u.\"%s\")",
             column, column, column, column);
    char *count = ask(sql);
    if (strcmp(count, "0") != 0) fail_msg("%s values of column %s differ", count, column);
    free(count);
    expect("SELECT (SELECT count(*) FROM t) = (SELECT count(*) FROM u)", "1");
}

/* ---- values and types ---- */

static void types(void **state) {
    (void)state;
    run("CREATE TABLE t (i INTEGER, r DOUBLE, s VARCHAR(9), n DECIMAL(9, 2), x, d DATE, a ANY, "
        "z INTEGER)");
    run("INSERT INTO t VALUES (9223372036854775807, 0.1, '', 12, 1, '2020-02-01', 1, NULL)");
    run("INSERT INTO t VALUES (-9223372036854775807 - 1, 3.0, '007', 12.5, 1.0, 'x', 'b', NULL)");
    run("INSERT INTO t VALUES (NULL, 5e-324, NULL, NULL, NULL, NULL, NULL, NULL)");
    run("INSERT INTO t VALUES (0, 1.7976931348623157e308, '1', 'n/a', 1e20, '2021', 2, NULL)");
    run("INSERT INTO t VALUES ('n/a', -0.1, 'é', 1e300, 'one', 5, 2.5, NULL)");
    run("INSERT INTO t VALUES (2.5, 1e999, '1.0', 7, -1e999, 5.5, '', NULL)");
    copy_table("table=t", "table=u");
    for (const char *c = "irsnxdaz"; *c; c++)
        assert_copied((const char[]){*c, '\0'});
    expect("SELECT group_concat(type) FROM pragma_table_info('u')",
           "INTEGER,REAL,TEXT,NUMERIC,,NUMERIC,,INTEGER");
    expect("SELECT sum(typeof(s) = 'null') || '-' || sum(s = '') FROM u", "1-1");
}

/* Columns of one type have it as tables from Arrow do. */
static void formats(void **state) {
    (void)state;
    run("CREATE TABLE t (i INTEGER, r REAL, s TEXT, m NUMERIC, n REAL)");
    run("INSERT INTO t VALUES (1, 3, 'a', 1, NULL), (NULL, 2.5, NULL, 'a', NULL)");
    hr_table *table = load("table=t");
    assert_string_equal(table->columns[0].format, "l");
    assert_string_equal(table->columns[1].format, "g");
    assert_null(table->columns[2].format);
    assert_null(table->columns[3].format);
    assert_true(table->columns[3].mixed && !table->columns[0].mixed);
    assert_string_equal(table->columns[4].format, "g");
    assert_string_equal(hr_table_text(table, 0, 1), "3.0");
    assert_true(hr_table_is_null(table, 1, 0) && hr_table_is_null(table, 1, 2));
    hr_table_free(table);
}

static void random_values(void **state) {
    (void)state;
    sqlite3 *db = open_db();
    sqlite3_stmt *insert;
    hr_random random;
    hr_random_seed(&random, 1, 1);
    run_on(db, "CREATE TABLE t (i INTEGER, r REAL, x); BEGIN");
    sqlite3_prepare_v2(db, "INSERT INTO t VALUES (?, ?, ?)", -1, &insert, NULL);
    for (int row = 0; row < 20000; row++) {
        uint64_t bits = hr_random_next(&random);
        double real;
        memcpy(&real, &bits, sizeof real); /* NaN is stored as NULL */
        sqlite3_bind_int64(insert, 1, (int64_t)hr_random_next(&random) >> below(&random, 64));
        sqlite3_bind_double(insert, 2, real);
        if (below(&random, 2))
            sqlite3_bind_double(insert, 3, (double)below(&random, 1000) / 8);
        else
            sqlite3_bind_int64(insert, 3, below(&random, 1000));
        assert_int_equal(sqlite3_step(insert), SQLITE_DONE);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    run_on(db, "COMMIT");
    sqlite3_close(db);
    copy_table("table=t", "table=u");
    assert_copied("i");
    assert_copied("r");
    assert_copied("x");
}

static void set_format(hr_table *table, size_t column, const char *format) {
    table->columns[column].format = hr_copy_text(format, strlen(format), NULL);
}

/* Types of other sources get a fitting one. */
static void other_types(void **state) {
    (void)state;
    hr_table *table = table_of("b,i,L,M,f,d,c\n"
                               "true,-5,7,7,0.1,2020-01-01,1.50\n"
                               "false,6,8,18446744073709551615,nan,2020-01-02,2.00\n");
    const char *formats[] = {"b", "i", "L", "L", "f", "tdD", "d:9,2"};
    for (size_t i = 0; i < 7; i++)
        set_format(table, i, formats[i]);
    MUST(hr_table_write(table, at("table=u"), &err));
    hr_table_free(table);
    expect("SELECT group_concat(type) FROM pragma_table_info('u')",
           "INTEGER,INTEGER,INTEGER,,REAL,TEXT,TEXT");
    expect("SELECT group_concat(typeof(f) || typeof(M) || b) FROM u", "realinteger1,texttext0");
    expect("SELECT f = 0.1 AND d = '2020-01-01' AND c = '1.50' FROM u", "1");
    expect("SELECT M FROM u LIMIT 1 OFFSET 1", "18446744073709551615");
}

static void refused_values(void **state) {
    (void)state;
    run("CREATE TABLE t (a, b, c, d); INSERT INTO t VALUES (1, x'00', x'00', 'secret')");
    refuse(at("table=t"), HR_EDATA, "row 1, column 'b' is a blob");
    hr_read_options skip = {.skip_unread = true};
    hr_table *table;
    MUST(hr_table_load(at("table=t"), &skip, &table, &err));
    assert_non_null(strstr(table->columns[1].unread, "blobs"));
    assert_true(hr_dictionary_is_null(&table->columns[1].dictionary, 0));
    assert_null(table->columns[3].unread);
    hr_table_free(table);
    run("DELETE FROM t; INSERT INTO t VALUES (1, 2, 3, 4), (1, 2, CAST(x'ff736563726574' AS TEXT), "
        "5)");
    refuse(at("table=t"), HR_EDATA, "row 2, column 'c' is not UTF-8");
    run("DELETE FROM t; INSERT INTO t VALUES (1, 2, 3, 4), (1, 2, 3, 'a' || char(0) || 'secret')");
    refuse(at("table=t"), HR_EDATA, "row 2, column 'd' has a NUL");
    run("DELETE FROM t; INSERT INTO t VALUES (1, 2, 3, 4), ('1', 2, 3, 4)");
    refuse(at("table=t"), HR_EDATA, "column 'a' has numbers, and texts that look like numbers");
    hr_table_free(load("query=SELECT CAST(a AS TEXT) AS a FROM t"));
}

/* ---- what is read ---- */

static hr_status keep_second(const char *const *names, size_t count, bool *keep, void *payload,
                             hr_error *err) {
    (void)payload;
    (void)err;
    assert_int_equal(count, 3);
    assert_string_equal(names[1], "b\"] [`'?");
    keep[0] = keep[2] = false;
    keep[1] = true;
    return HR_OK;
}

/* Only the wanted column is fetched (the others have blobs), in the order of the rows although an
 * index has it in another. */
static void wanted_columns(void **state) {
    (void)state;
    run("CREATE TABLE \"od d\"\"`]'?&%\" (a, \"b\"\"] [`'?\" TEXT, c)");
    run("CREATE INDEX i ON \"od d\"\"`]'?&%\" (\"b\"\"] [`'?\")");
    run("INSERT INTO \"od d\"\"`]'?&%\" VALUES (x'00', 'z', x'00'), (x'00', 'a', x'00')");
    hr_read_options options = {.choose = keep_second};
    hr_table *table = NULL;
    MUST(hr_table_load(at("table=od%20d%22%60]'?%26%25"), &options, &table, &err));
    assert_int_equal(hr_table_columns(table), 1);
    assert_string_equal(hr_table_text(table, 0, 0), "z");
    assert_string_equal(hr_table_text(table, 1, 0), "a");
    hr_table_free(table);
    MUST(hr_table_load(at("query=SELECT * FROM \"od d\"\"`]'?%26%25\" ORDER BY 2"), &options,
                       &table, &err));
    assert_string_equal(hr_table_text(table, 0, 0), "a");
    MUST(hr_table_write(table, at("table=out%22"), &err));
    expect("SELECT group_concat(\"b\"\"] [`'?\", '') FROM \"out\"\"\"", "az");
    hr_table_free(table);
}

static hr_status keep_none(const char *const *names, size_t count, bool *keep, void *payload,
                           hr_error *err) {
    (void)names, (void)count, (void)keep, (void)payload, (void)err;
    return HR_OK;
}

static void views_and_queries(void **state) {
    (void)state;
    run("CREATE TABLE t (a INTEGER, b TEXT); INSERT INTO t VALUES (2, 'x'), (1, 'y'), (3, 'z')");
    run("CREATE VIEW v AS SELECT b, a FROM t WHERE a < 3 ORDER BY a");
    hr_table *table = load("table=V");
    assert_int_equal(hr_table_rows(table), 2);
    assert_string_equal(hr_table_text(table, 0, 0), "y");
    assert_string_equal(table->columns[1].affinity, "INTEGER");
    hr_table_free(table);
    table = load("query= with q as (SELECT a %2b 1 AS n FROM t) SELECT n, n*1.0 AS r FROM q ; ");
    assert_string_equal(hr_table_text(table, 0, 0), "3");
    assert_string_equal(hr_table_text(table, 0, 1), "3.0");
    hr_table_free(table);
    MUST(hr_table_load(at("table=t"), &(hr_read_options){.choose = keep_none}, &table, &err));
    assert_int_equal(hr_table_rows(table), 3);
    hr_table_free(table);
}

static void refused_tables(void **state) {
    (void)state;
    refuse(at("table=t"), HR_EIO, "No such file");
    refuse("sqlite:/tmp?table=t", HR_EIO, "directory");
    refuse("sqlite::memory:?table=t", HR_EIO, "No such file");
    run("CREATE TABLE adult (a); CREATE TABLE empty (a); INSERT INTO adult VALUES (1)");
    refuse(at("table=adlt"), HR_EDATA, "has no table 'adlt' (did you mean 'adult'?)");
    refuse(at("table=empty"), HR_EDATA, "has no rows");
    refuse(at("query=SELECT a FROM adult WHERE a > 1"), HR_EDATA, "has no rows");
    refuse(at("query=SELECT b FROM adult"), HR_EDATA, "no such column: b");
    refuse(at("query=SELECT a, a FROM adult"), HR_EDATA, "columns 1 and 2 have the same name");
    const char *const not_select[] = {
        "DELETE FROM adult",  "PRAGMA user_version",
        "SELECT 1; SELECT 2", "WITH q AS (SELECT 1) DELETE FROM adult",
        "ATTACH 'x' AS y",    "with"};
    for (size_t i = 0; i < sizeof not_select / sizeof *not_select; i++) {
        char rest[128];
        snprintf(rest, sizeof rest, "query=%s", not_select[i]);
        refuse(at(rest), i == 5 ? HR_EDATA : HR_EINVAL, i == 5 ? "incomplete" : "one SELECT");
    }
    expect("SELECT count(*) FROM adult", "1");
    FILE *file = fopen(db_path, "w");
    for (int i = 0; i < 1000; i++)
        fputs("a,b\n1,2\n", file);
    fclose(file);
    refuse(at("table=t"), HR_EDATA, "not a SQLite database");
}

static void addresses(void **state) {
    (void)state;
    const char *const bad[] = {"sqlite:",
                               "sqlite:a.db",
                               "sqlite:?table=t",
                               "sqlite:a.db?",
                               "sqlite:a.db?table=",
                               "sqlite:a.db?tabel=t",
                               "sqlite:a.db?t=%4",
                               "sqlite:a.db?table=%4",
                               "sqlite:a.db?table=%zz",
                               "sqlite:a?table=%00",
                               "sqlite:a?table=t&query=x",
                               "sqlite:a?table=%ff"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        refuse(bad[i], HR_EINVAL, bad[i]);
        assert_int_equal(hr_output_check(bad[i], &(hr_write_options){0}, NULL), HR_EINVAL);
    }
    assert_string_equal(hr_format_for("sqlite:a?table=b.csv")->name, "sqlite");
    hr_address address;
    MUST(hr_format_sqlite.parse("sqlite:a b%20?query=SELECT%20'%3F?'", &address, &err));
    assert_string_equal(address.file, "a b%20");
    assert_string_equal(address.query, "SELECT '?"
                                       "?'");
    assert_null(address.table);
    hr_address_free(&address);
    static const char *const joined[][2] = {{"a.csv", "dir/a.csv"},
                                            {"/a.csv", "/a.csv"},
                                            {"-", "-"},
                                            {"sqlite:a.db?table=t", "sqlite:dir/a.db?table=t"},
                                            {"sqlite:/a.db?table=t", "sqlite:/a.db?table=t"}};
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++) {
        char *path = hr_address_join("dir", joined[i][0], NULL);
        assert_string_equal(path, joined[i][1]);
        free(path);
    }
}

static bool overlaps(const char *output, const char *other) {
    bool out, tables;
    MUST(hr_address_overlaps(output, other, &out, &tables, &err));
    return out;
}

static void same_tables(void **state) {
    (void)state;
    char link_path[80];
    snprintf(link_path, sizeof link_path, "%s/link", folder);
    run("CREATE TABLE t (a); CREATE TABLE u (a); CREATE VIEW v AS SELECT a FROM t");
    assert_int_equal(symlink("t.db", link_path), 0);
    char linked[128];
    snprintf(linked, sizeof linked, "sqlite:%s?table=T", link_path);
    assert_true(overlaps(at("table=t"), linked));
    assert_true(overlaps(linked, at("table=t")));
    assert_false(overlaps(at("table=u"), linked));
    assert_true(overlaps(at("table=t"), at("table=v")));
    assert_false(overlaps(at("table=u"), at("table=v")));
    assert_true(overlaps(at("table=t"), at("query=SELECT 1 WHERE EXISTS (SELECT * FROM main.T)")));
    assert_false(overlaps(at("table=t"), at("query=SELECT a AS t FROM u")));
    assert_true(overlaps(db_path, at("table=t"))); /* a CSV file in place of the database */
    assert_true(overlaps(at("table=t"), link_path));
    unlink(link_path);
}

/* ---- what is written ---- */

static hr_status write_to(const char *rest, const char *csv, bool replace, hr_write_group *group,
                          hr_writer **out, hr_error *err) {
    hr_write_options options = {.replace = replace, .group = group};
    hr_table *table = table_of(csv);
    hr_status status = hr_writer_open(at(rest), &options, out, err);
    if (status == HR_OK) status = (*out)->append(*out, table, err);
    if (status == HR_OK) status = (*out)->finish(*out, err);
    hr_table_free(table);
    return status;
}

static void existing_tables(void **state) {
    (void)state;
    hr_error failure = {0};
    hr_writer *writer;
    run("CREATE TABLE t (old); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT * FROM t");
    hr_write_options options = {0};
    assert_int_equal(hr_output_check(at("table=T"), &options, &failure), HR_EINVAL);
    assert_non_null(strstr(failure.message, "--replace"));
    assert_int_equal(write_to("table=T", "a\n1\n", false, NULL, &writer, &failure), HR_EINVAL);
    assert_int_equal(hr_output_check(at("table=new"), &options, &failure), HR_OK);
    options.replace = true;
    assert_int_equal(hr_output_check(at("table=t"), &options, &failure), HR_OK);
    assert_int_equal(hr_output_check(at("table=v"), &options, &failure), HR_EINVAL);
    assert_int_equal(write_to("table=v", "a\n1\n", true, NULL, &writer, &failure), HR_EINVAL);
    assert_int_equal(hr_output_check(at("query=SELECT 1"), &options, &failure), HR_EINVAL);
    assert_int_equal(write_to("query=SELECT 1", "a\n1\n", true, NULL, &writer, &failure),
                     HR_EINVAL);
    MUST(write_to("table=T", "a\n2\n3\n", true, NULL, &writer, &err));
    writer->discard(writer);
    expect("SELECT old FROM t", "1");
    MUST(write_to("table=T", "a\n2\n3\n", true, NULL, &writer, &err));
    MUST(writer->commit(writer, &err));
    expect("SELECT sum(a) FROM t", "5");
    expect("SELECT type FROM pragma_table_info('t')", "TEXT");
}

static bool exists(void) {
    struct stat status;
    return stat(db_path, &status) == 0;
}

static void new_files(void **state) {
    (void)state;
    hr_writer *writer;
    struct stat status;
    MUST(write_to("table=t", "a\n1\n", false, NULL, &writer, &err));
    writer->discard(writer);
    assert_false(exists());
    hr_table *table = table_of("a,b\n1,2\n");
    hr_write_options options = {.private = true};
    MUST(hr_writer_open(at("table=t"), &options, &writer, &err));
    MUST(writer->append(writer, table, &err));
    MUST(writer->append(writer, table, &err));
    MUST(writer->commit(writer, &err));
    hr_table_free(table);
    assert_int_equal(stat(db_path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    expect("SELECT count(*) || a || b FROM t", "212");
    hr_error failure = {0};
    hr_writer *none = NULL;
    assert_int_equal(hr_writer_open("sqlite:/nowhere/t.db?table=t", &options, &none, &failure),
                     HR_EIO);
    assert_int_equal(hr_output_check("sqlite:/nowhere/t.db?table=t", &options, &failure), HR_EIO);
    assert_null(none);
}

/* Two tables of one database in one transaction. */
static void groups(void **state) {
    (void)state;
    hr_write_group group = {0};
    hr_writer *first, *second;
    hr_error failure = {0};
    MUST(write_to("table=t", "a\n1\n", false, &group, &first, &err));
    MUST(write_to("table=u", "b\n2\n", false, &group, &second, &err));
    MUST(second->commit(second, &err));
    MUST(first->commit(first, &err));
    assert_null(group.first);
    expect("SELECT a || b FROM t, u", "12");
    MUST(write_to("table=t", "a\n3\n", true, &group, &first, &err));
    MUST(write_to("table=u", "b\n4\n", true, &group, &second, &err));
    MUST(second->commit(second, &err));
    first->discard(first);
    expect("SELECT a || b FROM t, u", "12");
    MUST(write_to("table=t", "a\n3\n", true, &group, &first, &err));
    MUST(write_to("table=u", "b\n4\n", true, &group, &second, &err));
    second->discard(second);
    assert_int_equal(first->commit(first, &failure), HR_EIO);
    assert_null(group.first);
    expect("SELECT a || b FROM t, u", "12");
}

/* A database that writes ahead is read and written like any other. */
static void write_ahead_log(void **state) {
    (void)state;
    run("PRAGMA journal_mode = WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1), ('x'), (NULL)");
    sqlite3 *other = open_db(); /* keeps the log in use */
    run_on(other, "SELECT * FROM t");
    copy_table("table=t", "table=u");
    assert_copied("a");
    sqlite3_close(other);
    expect("PRAGMA journal_mode = DELETE", "delete");
}

/* Rows of a table that is replaced are not left in the file. */
static void old_rows_are_erased(void **state) {
    (void)state;
    run("CREATE TABLE t (a); INSERT INTO t VALUES ('UNFORGETTABLE')");
    hr_writer *writer;
    MUST(write_to("table=t", "a\n1\n", true, NULL, &writer, &err));
    MUST(writer->commit(writer, &err));
    FILE *file = fopen(db_path, "rb");
    char bytes[1 << 16];
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t i = 0; i + 13 < length; i++)
        assert_true(memcmp(bytes + i, "UNFORGETTABLE", 13) != 0);
}

static void odd_tables(void **state) {
    (void)state;
    hr_error failure = {0};
    hr_writer *writer;
    assert_int_equal(write_to("table=t", "a,A\n1,2\n", false, NULL, &writer, &failure), HR_EDATA);
    assert_non_null(strstr(failure.message, "duplicate column name"));
    writer->discard(writer);
    assert_false(exists());
    assert_int_equal(write_to("table=sqlite_x", "a\n1\n", false, NULL, &writer, &failure),
                     HR_EDATA);
    writer->discard(writer);
    hr_table *table;
    MUST(hr_table_new(1, (const char *const[]){"a"}, &table, &err));
    MUST(hr_table_write(table, at("table=t"), &err));
    hr_table_free(table);
    expect("SELECT count(*) FROM t", "0");
}

/* ---- locks ---- */

static void *unlock_later(void *payload) {
    sleep(1);
    sqlite3_exec(payload, "COMMIT", NULL, NULL, NULL);
    return NULL;
}

static bool yes(void *payload) {
    return ++*(int *)payload > 3;
}

static void locked(void **state) {
    (void)state;
    hr_error failure = {0};
    hr_writer *writer = NULL;
    run("CREATE TABLE t (a); INSERT INTO t VALUES (1)");
    sqlite3 *db = open_db();
    run_on(db, "BEGIN EXCLUSIVE");
    int asked = 0;
    hr_watch watch = {.size = sizeof watch, .cancelled = yes, .payload = &asked};
    hr_table *table;
    assert_int_equal(
        hr_table_load(at("table=t"), &(hr_read_options){.watch = &watch}, &table, &failure),
        HR_ECANCEL);
    asked = 0;
    hr_write_options options = {.watch = &watch};
    assert_int_equal(hr_writer_open(at("table=u"), &options, &writer, &failure), HR_ECANCEL);
    double begin = hr_seconds();
    refuse(at("table=t"), HR_EIO, "another program has locked the database");
    assert_true(hr_seconds() - begin > 3);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, unlock_later, db), 0);
    MUST(write_to("table=u", "b\n4\n", false, NULL, &writer, &err));
    pthread_join(thread, NULL);
    sqlite3_close(db);
    MUST(writer->commit(writer, &err));
    expect("SELECT a || b FROM t, u", "14");
}

/* SQLite gives a column of several SELECTs the type that one of them declares. Written as such,
 * the values of the others would be converted. */
static void united_types(void **state) {
    (void)state;
    run("CREATE TABLE n (c INTEGER); CREATE TABLE t (c TEXT); CREATE TABLE r (c REAL)");
    run("INSERT INTO t VALUES ('7'), ('07'), ('007'); INSERT INTO r VALUES (1.0), (2.5)");
    run("INSERT INTO n VALUES (9007199254740993), (9007199254740992)");
    copy_table("query=SELECT c FROM n WHERE 0 UNION ALL SELECT c FROM t", "table=u");
    expect("SELECT count(DISTINCT c) || min(typeof(c)) FROM u", "3text");
    copy_table("query=SELECT c FROM r WHERE 0 UNION ALL SELECT c FROM n", "table=v");
    expect("SELECT count(DISTINCT c) || min(typeof(c)) FROM v", "2integer");
    copy_table("query=SELECT c FROM n WHERE 0 UNION ALL SELECT c FROM r", "table=w");
    expect("SELECT group_concat(c) || min(typeof(c)) FROM w", "1.0,2.5real");
}

/* Whether a view reads the output table cannot be told of a database that is locked. */
static void locked_overlap(void **state) {
    (void)state;
    hr_error failure = {0};
    bool out, tables;
    run("CREATE TABLE t (a); CREATE VIEW v AS SELECT a FROM t");
    sqlite3 *db = open_db();
    run_on(db, "BEGIN EXCLUSIVE");
    assert_int_equal(hr_address_overlaps(at("table=t"), at("table=v"), &out, &tables, &failure),
                     HR_EIO);
    sqlite3_close(db);
    MUST(hr_address_overlaps(at("table=t"), at("table=v"), &out, &tables, &err));
    assert_true(out);
}

/* SQLite does not report which tables a virtual table reads; its declaration names them. */
static void virtual_tables(void **state) {
    (void)state;
    sqlite3 *db = open_db();
    bool absent = sqlite3_exec(db, "CREATE VIRTUAL TABLE f USING fts5(a, content='it''s me')", NULL,
                               NULL, NULL) != SQLITE_OK;
    sqlite3_close(db);
    if (absent) {
        skipped = true;
        skip();
    }
    run("CREATE TABLE \"it's me\" (a); CREATE TABLE other (a); CREATE TABLE base (a);"
        "CREATE VIEW v AS SELECT a FROM base");
    run("CREATE VIRTUAL TABLE g USING fts5(a, content=\"v\"); CREATE VIRTUAL TABLE own USING "
        "fts5(a)");
    static const struct {
        const char *output, *input;
        bool reads;
    } cases[] = {{"table=IT'S ME", "table=f", true},
                 {"table=it's me", "query=SELECT a FROM f", true},
                 {"table=it's me", "query=SELECT * FROM (SELECT a FROM f)", true},
                 {"table=other", "table=f", false},
                 {"table=release", "table=f", false},
                 {"table=base", "table=g", true},
                 {"table=v", "table=g", true},
                 {"table=other", "table=g", false},
                 {"table=own_content", "table=own", true},
                 {"table=other", "query=PRAGMA writable_schema=1", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char output[128];
        bool out, tables;
        snprintf(output, sizeof output, "%s", at(cases[i].output));
        MUST(hr_address_overlaps(output, at(cases[i].input), &out, &tables, &err));
        if (out != cases[i].reads) fail_msg("%s of %s", cases[i].output, cases[i].input);
    }
}

static void impossible_outputs(void **state) {
    (void)state;
    static const char *const names[] = {"Sex", "age", "SEX"};
    hr_error err = {0};
    hr_write_options options = {0};
    assert_int_equal(hr_output_check(at("table=SQLite_x"), &options, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "keeps names that begin with sqlite_"));
    options = (hr_write_options){.names = names, .name_count = 2};
    assert_int_equal(hr_output_check(at("table=t"), &options, &err), HR_OK);
    options.name_count = 3;
    assert_int_equal(hr_output_check(at("table=t"), &options, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "the columns 'Sex' and 'SEX' have the same name"));
    run("CREATE TABLE a (b); CREATE INDEX i ON a (b)");
    assert_int_equal(hr_output_check(at("table=I"), &(hr_write_options){0}, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "has an index 'I'"));
}

/* ---- progress, memory ---- */

typedef struct {
    uint64_t last, total;
} seen_progress;

static void see_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    assert_string_equal(stage, "read");
    *(seen_progress *)payload = (seen_progress){done, total};
}

static void progress_and_cancel(void **state) {
    (void)state;
    run("CREATE TABLE t (a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE "
        "i < 20000) INSERT INTO t SELECT i FROM n");
    seen_progress seen = {0};
    hr_watch watch = {.progress = see_progress, .payload = &seen};
    hr_read_options options = {.watch = &watch};
    hr_table *table;
    MUST(hr_table_load(at("table=t"), &options, &table, &err));
    assert_int_equal(seen.last, 20000);
    assert_int_equal(seen.total, 20000);
    hr_table_free(table);
    int asked = 0;
    watch = (hr_watch){.cancelled = yes, .payload = &asked};
    assert_int_equal(
        hr_table_load(at("query=SELECT count(*) FROM t a, t b, t c"), &options, &table, NULL),
        HR_ECANCEL);
    assert_null(table);
}

#ifdef HR_FAULT
static void out_of_memory(void **state) {
    (void)state;
    run("CREATE TABLE t (a INTEGER, b, c TEXT); INSERT INTO t VALUES (1, 'x', 'y'), (2, 3, NULL)");
    hr_status status;
    hr_error err = {0};
    hr_table *table;
    long nth = 0;
    do {
        hr_memory_fail_at(++nth);
        status = hr_table_read(at("table=t"), &table, &err);
        hr_memory_fail_at(0);
        assert_true(status == HR_OK || (status == HR_ENOMEM && !table));
    } while (status != HR_OK);
    assert_true(nth > 15);
    nth = 0;
    do {
        hr_memory_fail_at(++nth);
        status = hr_table_write(table, at("table=u"), &err);
        hr_memory_fail_at(0);
        assert_true(status == HR_OK || status == HR_ENOMEM);
        if (status != HR_OK) expect("SELECT count(*) FROM sqlite_master", "1");
    } while (status != HR_OK);
    assert_true(nth > 10);
    hr_table_free(table);
    assert_copied("b");
}
#endif

#define CLEAN(test) cmocka_unit_test_setup(test, start_clean)

int main(void) {
    const struct CMUnitTest tests[] = {
        CLEAN(types),
        CLEAN(formats),
        CLEAN(random_values),
        CLEAN(other_types),
        CLEAN(refused_values),
        CLEAN(wanted_columns),
        CLEAN(views_and_queries),
        CLEAN(virtual_tables),
        CLEAN(impossible_outputs),
        CLEAN(refused_tables),
        CLEAN(addresses),
        CLEAN(same_tables),
        CLEAN(existing_tables),
        CLEAN(new_files),
        CLEAN(groups),
        CLEAN(write_ahead_log),
        CLEAN(old_rows_are_erased),
        CLEAN(odd_tables),
        CLEAN(locked),
        CLEAN(united_types),
        CLEAN(locked_overlap),
        CLEAN(progress_and_cancel),
#ifdef HR_FAULT
        CLEAN(out_of_memory),
#endif
    };
    return exit_status(cmocka_run_group_tests(tests, make_folder, remove_folder));
}
#endif
