/* test_postgres.c - PostgreSQL without a server: values in the binary format of COPY as texts and
 * back, rows cut out of a stream, names of tables, addresses, and passwords that are hidden. With
 * the address of a database in HR_TEST_POSTGRES (tests/postgres.sh) also what happens when memory
 * runs out. */
#include "io/io.h"
#include "unit.h"

static void addresses(void **state) {
    (void)state;
    hr_error why = {0};
    hr_address address;
    const hr_format *format = hr_format_for("postgresql://h/d?table=t");
    assert_string_equal(format->name, "postgresql");
    assert_ptr_equal(hr_format_for("postgres://h/d?table=t"), format);
    MUST(format->parse("postgresql://u:p@h:1/d?sslmode=require&table=a%20b.c&application_name=x",
                       &address, &err));
    assert_string_equal(address.file, "postgresql://u:p@h:1/d?sslmode=require&application_name=x");
    assert_string_equal(address.table, "a b.c");
    assert_null(address.query);
    hr_address_free(&address);
    MUST(format->parse("postgresql:///?query=SELECT 1 %26 2", &address, &err));
    assert_string_equal(address.file, "postgresql:///");
    assert_string_equal(address.query, "SELECT 1 & 2");
    hr_address_free(&address);
    static const char *const wrong[] = {"postgresql:d?table=t",
                                        "postgresql://h/d",
                                        "postgresql://h/d?table=",
                                        "postgresql://h/d?tables=t",
                                        "postgresql://h?table=a&table=b",
                                        "postgresql://h?table=a&query=SELECT 1",
                                        "postgresql://u:se?cret@h/d?table=t",
                                        "postgresql://u:secret@h/d?table=%zz"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(format->parse(wrong[i], &address, &why), HR_EINVAL);
        assert_null(strstr(why.message, "cret"));
        assert_null(address.file);
    }
}

/* Addresses of servers are not joined to folders. */
static void folders(void **state) {
    (void)state;
    hr_error err = {0};
    char *joined = hr_address_join("folder", "postgresql://h/d?table=t", &err);
    assert_string_equal(joined, "postgresql://h/d?table=t");
    free(joined);
    joined = hr_address_relative("/tmp", "postgresql://u:p@h/d?table=t", &err);
    assert_string_equal(joined, "postgresql://u@h/d?table=t");
    free(joined);
}

static void hidden(const char *address, const char *expected) {
    char *text = strdup(address);
    size_t length = strlen(address);
    bool found = hr_hide_password(text);
    assert_string_equal(text, expected);
    assert_int_equal(found, strcmp(address, expected) != 0);
    for (size_t i = strlen(text); i < length; i++)
        assert_int_equal(text[i], 0);
    free(text);
}

static void passwords(void **state) {
    (void)state;
    hidden("postgresql://u:secret@h:5432/d?table=t", "postgresql://u@h:5432/d?table=t");
    hidden("postgres://:secret@/d?table=t", "postgres://@/d?table=t");
    hidden("postgresql://u:a@b:c@h/d?table=t", "postgresql://u@h/d?table=t");
    hidden("postgresql://u:se/cret@h/d?table=t", "postgresql://u@h/d?table=t");
    hidden("postgresql://u:se?cret@h/d?table=t", "postgresql://u@h/d?table=t");
    hidden("postgresql://u:se=c/r?et@h/d?table=t", "postgresql://u@h/d?table=t");
    hidden("postgresql://h/d?password=secret&table=t", "postgresql://h/d?password=&table=t");
    hidden("postgresql://h/d?table=t&password=a b", "postgresql://h/d?table=t&password=");
    hidden("postgresql://h/d?table=t&sslpassword=x&a=b",
           "postgresql://h/d?table=t&sslpassword=&a=b");
    hidden("POSTGRESQL://u:secret@h/d?table=t", "POSTGRESQL://u@h/d?table=t");
    hidden("postgresql://h/d?%70assword=secret&table=t", "postgresql://h/d?%70assword=&table=t");
    hidden("postgresql://h/d?table=t&PASSWORD=secret", "postgresql://h/d?table=t&PASSWORD=");
    hidden("postgresql://h/d?table=t&passwor=secret", "postgresql://h/d?table=t&passwor=");
    hidden("postgresql://h/d?table=t&passfile=x", "postgresql://h/d?table=t&passfile=x");
    hidden("postgresql://h/d?table=t?passage=x", "postgresql://h/d?table=t?passage=x");
    hidden("postgresql://h:5432/d?table=t", "postgresql://h:5432/d?table=t");
    hidden("postgresql://u@h:5432/d?table=a@b:c", "postgresql://u@h:5432/d?table=a@b:c");
    hidden("postgresql://h:5432/d?query=SELECT ':@'", "postgresql://h:5432/d?query=SELECT ':@'");
    hidden("sqlite:u:p@h?table=t", "sqlite:u:p@h?table=t");
    hidden("postgresql://h:5432/d?options=a@b&table=t",
           "postgresql://h:5432/d?options=a@b&table=t");
    hidden("postgresql://h/d?table=t&password=a&secret&b=c",
           "postgresql://h/d?table=t&password=&b=c");
    hidden("postgresql:u:secret@h/d?table=t", "postgresql:u@h/d?table=t");
    hidden("postgres:/u:sec'ret@h/d?table=t", "postgres:/u@h/d?table=t");
    hidden("", "");
    hr_error err = {0};
    (void)hr_fail(&err, HR_EIO, "%s and '%s': mail a@b", "postgresql://u:one@h/d?table=t",
                  "postgres://v:two@h?password=three&table=t");
    assert_string_equal(err.message, "postgresql://u@h/d?table=t and "
                                     "'postgres://v@h?password=&table=t': mail a@b");
    (void)hr_fail(&err, HR_EIO, "%s postgresql://h:5432/d: ask a@b", "cannot read");
    assert_string_equal(err.message, "cannot read postgresql://h:5432/d: ask a@b");
    /* Passwords with quotes, blanks and ends of lines; addresses without their slashes. */
    static const char *const odd[] = {
        "postgresql://u:sec'ret@h/d?table=t", "postgresql://u:a 'sec\"ret@h/d?table=t",
        "postgresql://u:a\nsecret@h/d", "postgresql:u:a\"secret@h", "postgresql://u:`@secret@h/d"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        (void)hr_fail(&err, HR_EIO, "report '%s': ask a@b", odd[i]);
        if (strstr(err.message, "ret")) fail_msg("%s", err.message);
        assert_non_null(strstr(err.message, "u@h"));
        assert_non_null(strstr(err.message, ": ask a@b"));
    }
    (void)hr_fail(&err, HR_EIO, "%s is in use: ask 'a:b@c'", "postgresql://u@h:5432/d?table=x:y");
    assert_string_equal(err.message, "postgresql://u@h:5432/d?table=x:y is in use: ask 'a:b@c'");
    (void)hr_fail(&err, HR_EIO, "postgresql: no address, and 'a:b@c'");
    assert_string_equal(err.message, "postgresql: no address, and 'a:b@c'");
    /* A message that is too long is cut within the password. */
    char filler[600];
    memset(filler, 'x', sizeof filler);
    filler[480] = '\0';
    (void)hr_fail(&err, HR_EIO, "%s postgresql://u:a-rather-long-secret@h/d", filler);
    assert_null(strstr(err.message, "rather"));
    (void)hr_fail_prefix(&err, HR_EIO, "postgresql://u:secret@h/d");
    assert_null(strstr(err.message, "secret"));
}

#ifndef HR_POSTGRES
/* A build without libpq knows the addresses and says what to install. */
static void absent(void **state) {
    (void)state;
    hr_error why = {0};
    hr_table *table;
    bool overlaps, tables;
    static const char address[] = "postgresql://u:secret@h/d?table=t";
    assert_int_equal(hr_table_read(address, &table, &why), HR_EUNSUP);
    assert_null(table);
    assert_non_null(strstr(why.message, "libpq-dev"));
    assert_null(strstr(why.message, "secret"));
    table = table_of("a\n1\n");
    assert_int_equal(hr_table_write(table, address, &why), HR_EUNSUP);
    assert_int_equal(hr_output_check(address, &(hr_write_options){0}, &why), HR_EUNSUP);
    MUST(hr_address_overlaps(address, address, &overlaps, &tables, &err));
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(addresses), cmocka_unit_test(folders),
                                       cmocka_unit_test(passwords), cmocka_unit_test(absent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
#include "io/postgres.h"

/* ---- values ---- */

/* The bytes, given in hexadecimal digits with blanks, have this text, and the text these bytes. */
static void both_ways(hr_pg_kind kind, const char *hex, const char *expected) {
    char bytes[64];
    size_t length = 0;
    for (const char *at = hex; *at; at++) {
        if (*at == ' ') continue;
        unsigned byte;
        assert_int_equal(sscanf(at, "%2x", &byte), 1);
        bytes[length++] = (char)byte;
        at++;
    }
    hr_text text = {0}, again = {0};
    assert_null(hr_pg_value_text(kind, bytes, length, &text));
    assert_int_equal(text.length, strlen(expected));
    if (text.length) assert_memory_equal(text.data, expected, text.length);
    assert_true(hr_pg_text_value(kind, expected, strlen(expected), &again));
    assert_int_equal(again.length, length);
    if (length) assert_memory_equal(again.data, bytes, length);
    hr_text_free(&text);
    hr_text_free(&again);
}

static void values(void **state) {
    (void)state;
    both_ways(HR_PG_TEXT, "61 c3 bc", "a\xc3\xbc");
    both_ways(HR_PG_TEXT, "", "");
    both_ways(HR_PG_BOOL, "01", "true");
    both_ways(HR_PG_BOOL, "00", "false");
    both_ways(HR_PG_INT2, "8000", "-32768");
    both_ways(HR_PG_INT4, "ffffffff", "-1");
    both_ways(HR_PG_INT4, "7fffffff", "2147483647");
    both_ways(HR_PG_INT8, "8000000000000000", "-9223372036854775808");
    both_ways(HR_PG_FLOAT4, "3dcccccd", "0.1");
    both_ways(HR_PG_FLOAT8, "3fb999999999999a", "0.1");
    both_ways(HR_PG_FLOAT8, "7ff0000000000000", "inf");
    both_ways(HR_PG_FLOAT8, "fff0000000000000", "-inf");
    both_ways(HR_PG_FLOAT8, "8000000000000000", "-0");
    both_ways(HR_PG_UUID, "a0eebc99 9c0b4ef8 bb6d6bb9 bd380a11",
              "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");
    hr_text text = {0};
    assert_null(hr_pg_value_text(HR_PG_FLOAT8, "\x7f\xf8\0\0\0\0\0\0", 8, &text));
    assert_memory_equal(text.data, "nan", 3);
    assert_true(hr_pg_text_value(HR_PG_FLOAT8, "nan", 3, &text));
    static const char *const wrong[] = {"", "x", "1.5", "2147483648", "-", "a0eebc99"};
    text.length = 0;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_false(hr_pg_text_value(HR_PG_INT4, wrong[i], strlen(wrong[i]), &text));
        assert_false(hr_pg_text_value(HR_PG_UUID, wrong[i], strlen(wrong[i]), &text));
        assert_false(hr_pg_text_value(HR_PG_BOOL, wrong[i], strlen(wrong[i]), &text));
    }
    assert_int_equal(text.length, 0);
    for (hr_pg_kind kind = HR_PG_BOOL; kind <= HR_PG_UUID; kind++)
        assert_non_null(hr_pg_value_text(kind, "abc", 3, &text));
    hr_text_free(&text);
}

static void days_and_times(void **state) {
    (void)state;
    both_ways(HR_PG_DATE, "00000000", "2000-01-01");
    both_ways(HR_PG_DATE, "ffffffff", "1999-12-31");
    both_ways(HR_PG_DATE, "00002279", "2024-02-29");
    both_ways(HR_PG_DATE, "7fffffff", "infinity");
    both_ways(HR_PG_DATE, "80000000", "-infinity");
    both_ways(HR_PG_DATE, "fff4da8b", "0000-01-01"); /* 1 BC */
    both_ways(HR_PG_DATE, "ffda97cd", "-004712-01-01");
    both_ways(HR_PG_TIME, "0000000000000000", "00:00:00");
    both_ways(HR_PG_TIME, "000000141dd76000", "24:00:00");
    both_ways(HR_PG_TIME, "0000000000000001", "00:00:00.000001");
    both_ways(HR_PG_TIMESTAMP, "0000000000000000", "2000-01-01T00:00:00");
    both_ways(HR_PG_TIMESTAMP, "ffffffffffffffff", "1999-12-31T23:59:59.999999");
    both_ways(HR_PG_TIMESTAMPTZ, "ffffffffffffffff", "1999-12-31T23:59:59.999999Z");
    both_ways(HR_PG_TIMESTAMP, "7fffffffffffffff", "infinity");
    both_ways(HR_PG_TIMESTAMPTZ, "8000000000000000", "-infinity");
    hr_text text = {0};
    /* Beyond what a table holds, and what the server takes. */
    assert_non_null(hr_pg_value_text(HR_PG_TIMESTAMP, "\x7f\xff\xfd\0\0\0\0\0", 8, &text));
    text.length = 0;
    assert_false(hr_pg_text_value(HR_PG_DATE, "-004800-01-01", 13, &text));
    assert_false(hr_pg_text_value(HR_PG_TIME, "24:00:01", 8, &text));
    assert_false(hr_pg_text_value(HR_PG_TIMESTAMPTZ, "2000-01-01T00:00:00", 19, &text));
    /* Milliseconds and nanoseconds. */
    assert_true(hr_pg_text_value(HR_PG_TIMESTAMP, "2000-01-01T00:00:00.001", 23, &text));
    assert_true(hr_pg_text_value(HR_PG_TIME, "00:00:00.001000000", 18, &text));
    assert_memory_equal(text.data, "\0\0\0\0\0\0\x03\xe8\0\0\0\0\0\0\x03\xe8", 16);
    assert_false(hr_pg_text_value(HR_PG_TIME, "00:00:00.000000001", 18, &text));
    hr_text_free(&text);
}

static void numerics(void **state) {
    (void)state;
    both_ways(HR_PG_NUMERIC, "0000 0000 0000 0000", "0");
    both_ways(HR_PG_NUMERIC, "0000 0000 0000 0003", "0.000");
    both_ways(HR_PG_NUMERIC, "0001 0000 0000 0000 0007", "7");
    both_ways(HR_PG_NUMERIC, "0002 0001 4000 0000 0001 0002", "-10002");
    both_ways(HR_PG_NUMERIC, "0001 0001 0000 0000 0001", "10000");
    both_ways(HR_PG_NUMERIC, "0002 0000 0000 0002 000c 1388", "12.50");
    both_ways(HR_PG_NUMERIC, "0001 fffe 0000 0006 0064", "0.000001");
    both_ways(HR_PG_NUMERIC, "0000 0000 c000 0000", "NaN");
    both_ways(HR_PG_NUMERIC, "0000 0000 d000 0000", "Infinity");
    both_ways(HR_PG_NUMERIC, "0000 0000 f000 0000", "-Infinity");
    hr_text text = {0};
    static const char *const wrong[] = {"", "-", ".5", "1.", "1e5", "+1", "1,5", "0x1", "nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(hr_pg_text_value(HR_PG_NUMERIC, wrong[i], strlen(wrong[i]), &text));
    assert_int_equal(text.length, 0);
    assert_non_null(hr_pg_value_text(HR_PG_NUMERIC, "\0\1\0\0\0\0\0\0\x27\x10", 10, &text));
    assert_non_null(hr_pg_value_text(HR_PG_NUMERIC, "\0\2\0\0\0\0\0\0\0\1", 10, &text));
    hr_text_free(&text);
}

/* Digits of a number as the format defines them, computed in another way than the library does. */
static void numeric_bytes(const char *text, hr_text *out) {
    bool negative = *text == '-';
    text += negative;
    const char *point = strchr(text, '.');
    size_t whole = point ? (size_t)(point - text) : strlen(text);
    size_t decimals = point ? strlen(point + 1) : 0;
    char padded[200] = "";
    size_t left = (4 - whole % 4) % 4, right = (4 - decimals % 4) % 4;
    snprintf(padded, sizeof padded, "%.*s%.*s%s%.*s", (int)left, "000", (int)whole, text,
             point ? point + 1 : "", (int)right, "000");
    size_t groups = strlen(padded) / 4, first = 0;
    long weight = (long)(whole + left) / 4 - 1;
    while (first < groups && !strncmp(padded + 4 * first, "0000", 4))
        first++, weight--;
    while (groups > first && !strncmp(padded + 4 * (groups - 1), "0000", 4))
        groups--;
    bool zero = first == groups;
    hr_pg_put(out, groups - first, 2);
    hr_pg_put(out, zero ? 0 : (uint64_t)weight, 2);
    hr_pg_put(out, negative && !zero ? 0x4000 : 0, 2);
    hr_pg_put(out, decimals, 2);
    for (size_t i = first; i < groups; i++) {
        char four[5] = "";
        memcpy(four, padded + 4 * i, 4);
        hr_pg_put(out, (uint64_t)atoi(four), 2);
    }
}

static void numeric_round_trip(const char *number) {
    hr_text expected = {0}, bytes = {0}, text = {0};
    numeric_bytes(number, &expected);
    assert_true(hr_pg_text_value(HR_PG_NUMERIC, number, strlen(number), &bytes));
    assert_int_equal(bytes.length, expected.length);
    assert_memory_equal(bytes.data, expected.data, bytes.length);
    assert_null(hr_pg_value_text(HR_PG_NUMERIC, bytes.data, bytes.length, &text));
    assert_int_equal(text.length, strlen(number));
    assert_memory_equal(text.data, number, text.length);
    hr_text_free(&expected);
    hr_text_free(&bytes);
    hr_text_free(&text);
}

static void random_numerics(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 1, 0);
    for (int i = 0; i < 20000; i++) {
        char number[100], *at = number;
        unsigned whole = 1 + below(&random, 20), decimals = below(&random, 20);
        if (below(&random, 2)) *at++ = '-';
        bool sparse = below(&random, 2);
        for (unsigned j = 0; j < whole; j++) {
            unsigned digit = sparse && below(&random, 4) ? 0 : below(&random, 10);
            if (j == 0 && whole > 1 && digit == 0) digit = 1;
            *at++ = (char)('0' + digit);
        }
        if (decimals) *at++ = '.';
        for (unsigned j = 0; j < decimals; j++)
            *at++ = (char)('0' + (sparse && below(&random, 4) ? 0 : below(&random, 10)));
        *at = '\0';
        /* Zero has no sign. */
        if (*number == '-' && strspn(number + 1, "0.") == strlen(number + 1))
            memmove(number, number + 1, strlen(number));
        numeric_round_trip(number);
    }
}

/* ---- the rows of a COPY ---- */

static hr_status note_row(const hr_pg_field *fields, void *payload, hr_error *err) {
    (void)err;
    hr_text *out = payload;
    for (int i = 0; i < 2; i++)
        if (fields[i].length < 0)
            hr_text_puts(out, "[null]");
        else
            hr_text_printf(out, "[%.*s]", fields[i].length, fields[i].bytes);
    return HR_OK;
}

static void put_field(hr_text *out, const char *text) {
    hr_pg_put(out, text ? strlen(text) : UINT32_MAX, 4);
    if (text) hr_text_puts(out, text);
}

static void make_copy(hr_text *out, size_t columns) {
    hr_text_add(out, "PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\2xy", 21);
    for (int row = 0; row < 3; row++) {
        hr_pg_put(out, columns, 2);
        put_field(out, row == 1 ? NULL : "ab");
        put_field(out, row == 2 ? "" : "c");
    }
    hr_pg_put(out, UINT16_MAX, 2);
}

/* Feeds the bytes in pieces of random lengths. */
static hr_status feed(const hr_text *bytes, hr_random *random, hr_text *seen, hr_error *err) {
    hr_pg_rows rows = {.name = "t", .column_count = 2, .row = note_row, .payload = seen};
    rows.fields = calloc(2, sizeof *rows.fields);
    hr_status status = HR_OK;
    for (size_t at = 0; at < bytes->length && status == HR_OK;) {
        size_t part = 1 + below(random, 9);
        if (part > bytes->length - at) part = bytes->length - at;
        status = hr_pg_rows_add(&rows, bytes->data + at, part, err);
        at += part;
    }
    if (status == HR_OK) status = hr_pg_rows_end(&rows, err);
    hr_pg_rows_free(&rows);
    return status;
}

static void copies(void **state) {
    (void)state;
    hr_random random;
    hr_text bytes = {0};
    hr_random_seed(&random, 1, 0);
    make_copy(&bytes, 2);
    for (int i = 0; i < 500; i++) {
        hr_text seen = {0};
        MUST(feed(&bytes, &random, &seen, &err));
        assert_string_equal(seen.data, "[ab][c][null][c][ab][]");
        hr_text_free(&seen);
    }
    /* Cut anywhere, or of another table: refused. */
    size_t whole = bytes.length;
    for (bytes.length = 0; bytes.length < whole; bytes.length++) {
        hr_text seen = {0};
        hr_error err = {0};
        assert_int_equal(feed(&bytes, &random, &seen, &err), HR_EIO);
        hr_text_free(&seen);
    }
    bytes.length = 0;
    make_copy(&bytes, 3);
    hr_text seen = {0};
    hr_error err = {0};
    assert_int_equal(feed(&bytes, &random, &seen, &err), HR_EIO);
    hr_text_free(&seen);
    hr_text_free(&bytes);
}

/* ---- names and types ---- */

static void names(void **state) {
    (void)state;
    static const struct {
        const char *text, *schema, *name, *quoted;
    } cases[] = {{"t", NULL, "t", "\"t\""},
                 {"S.t", "S", "t", "\"S\".\"t\""},
                 {"\"a.b\"", NULL, "a.b", "\"a.b\""},
                 {"s.\"a\"\"b\"", "s", "a\"b", "\"s\".\"a\"\"b\""},
                 {"a b", NULL, "a b", "\"a b\""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_pg_name name;
        MUST(hr_pg_name_parse(cases[i].text, &name, &err));
        assert_string_equal(name.name, cases[i].name);
        assert_string_equal(name.quoted, cases[i].quoted);
        if (cases[i].schema)
            assert_string_equal(name.schema, cases[i].schema);
        else
            assert_null(name.schema);
        hr_pg_name_free(&name);
    }
    static const char *const wrong[] = {"a.b.c", ".t", "s.", "\"t", "\"t\"x", "\"\""};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        hr_pg_name name;
        hr_error err = {0};
        assert_int_equal(hr_pg_name_parse(wrong[i], &name, &err), HR_EINVAL);
    }
}

/* The type that a column with this Arrow type and this value is declared with. */
static void declared(const char *format, const char *value, const char *expected) {
    hr_column column = {.name = NULL, .width = 1};
    hr_text sql = {0};
    MUST(hr_column_append_text(&column, value, strlen(value), &err));
    if (format) column.format = strdup(format);
    hr_pg_output_type(&column, &sql);
    assert_string_equal(sql.data, expected);
    hr_text_free(&sql);
    hr_column_free(&column);
}

static void output_types(void **state) {
    (void)state;
    declared(NULL, "1", "text");
    declared("b", "true", "boolean");
    declared("c", "1", "smallint");
    declared("C", "255", "smallint");
    declared("i", "1", "integer");
    declared("I", "4294967295", "bigint");
    declared("L", "18446744073709551615", "numeric");
    declared("f", "0.5", "real");
    declared("g", "nan", "double precision");
    declared("d:10,2", "1.50", "numeric(10,2)");
    declared("tdD", "2020-02-29", "date");
    declared("tdm", "2020-02-29T12:00:00.000", "text");
    declared("tsm:", "2020-02-29T12:00:00.125", "timestamp");
    declared("tsn:UTC", "2020-02-29T12:00:00.000000001Z", "text");
    declared("tss:UTC", "2020-02-29T12:00:00Z", "timestamptz");
    declared("ttu", "12:00:00", "time");
    declared("i", "n/a", "text"); /* a value that the type does not have */
}

/* numeric(10,2) and its like, as the server states them. */
static void decimals(void **state) {
    (void)state;
    static const struct {
        int modifier;
        const char *value, *format, *declared;
    } cases[] = {{-1, "1.5", NULL, "numeric"},
                 {(10 << 16 | 2) + 4, "1.50", "d:10,2", NULL},
                 {(10 << 16 | 2) + 4, "NaN", NULL, "numeric"},
                 {(50 << 16 | 2) + 4, "1.50", "d:50,2,256", NULL},
                 {(100 << 16 | 2) + 4, "1.50", NULL, "numeric"},
                 {(3 << 16 | 0x7fd) + 4, "12000", NULL, "numeric"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_column column = {.name = NULL, .width = 1};
        MUST(hr_column_append_text(&column, cases[i].value, strlen(cases[i].value), &err));
        MUST(hr_pg_set_type(&column, HR_PG_NUMERIC, cases[i].modifier, NULL, &err));
        if (cases[i].format)
            assert_string_equal(column.format, cases[i].format);
        else
            assert_null(column.format);
        if (cases[i].declared)
            assert_string_equal(column.declared, cases[i].declared);
        else
            assert_null(column.declared);
        hr_column_free(&column);
    }
}

/* ---- with a server ---- */

#ifdef HR_FAULT
static void table_at(char *address, size_t room, const char *table) {
    snprintf(address, room, "%s?table=%s", getenv("HR_TEST_POSTGRES"), table);
}

/* Reads a table and writes it under another name, with every allocation failing once. */
static void out_of_memory(void **state) {
    (void)state;
    char address[512];
    hr_table *table = NULL, *again = NULL;
    hr_error why = {0};
    hr_status status;
    long nth = 0;
    if (!getenv("HR_TEST_POSTGRES")) skip();
    table_at(address, sizeof address, "memory");
    do {
        hr_memory_fail_at(++nth);
        status = hr_table_read(address, &table, &why);
        hr_memory_fail_at(0);
        assert_true(status == HR_OK || (status == HR_ENOMEM && !table));
    } while (status != HR_OK);
    assert_true(nth > 20);
    table_at(address, sizeof address, "memory_copy");
    nth = 0;
    do {
        hr_memory_fail_at(++nth);
        status = hr_table_write(table, address, &why);
        hr_memory_fail_at(0);
        assert_true(status == HR_OK || status == HR_ENOMEM);
        if (status != HR_OK) assert_int_equal(hr_table_read(address, &again, &why), HR_EDATA);
    } while (status != HR_OK);
    assert_true(nth > 10);
    MUST(hr_table_read(address, &again, &err));
    assert_int_equal(again->rows, table->rows);
    hr_table_free(again);
    hr_table_free(table);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses),      cmocka_unit_test(folders),
        cmocka_unit_test(passwords),      cmocka_unit_test(values),
        cmocka_unit_test(days_and_times), cmocka_unit_test(numerics),
        cmocka_unit_test(copies),         cmocka_unit_test(random_numerics),
        cmocka_unit_test(names),          cmocka_unit_test(decimals),
        cmocka_unit_test(output_types),
#ifdef HR_FAULT
        cmocka_unit_test(out_of_memory),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
