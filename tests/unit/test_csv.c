/* test_csv.c - what the CSV reader accepts, and its messages about what it does not. Tables are
 * compared as one text: [field] for each field, / between rows, the names first. */
#include "io/io.h"
#include "skip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void add_field(hr_text *out, const char *text) {
    hr_text_printf(out, "[%s]", text);
}

static char *show(const hr_table *table) {
    hr_text out = {0};
    for (size_t i = 0; i < hr_table_columns(table); i++)
        add_field(&out, hr_table_name(table, i));
    for (size_t row = 0; row < hr_table_rows(table); row++) {
        hr_text_puts(&out, "/");
        for (size_t i = 0; i < hr_table_columns(table); i++)
            add_field(&out, hr_table_text(table, row, i));
    }
    assert_false(out.failed);
    return out.data;
}

static void check_bytes(const char *bytes, size_t length, const hr_read_options *options,
                        const char *expected) {
    hr_error err = {0};
    hr_table *table;
    if (hr_csv_parse(bytes, length, "t.csv", options, &table, &err) != HR_OK)
        fail_msg("%s", err.message);
    char *shown = show(table);
    assert_string_equal(shown, expected);
    assert_string_equal(table->source, "t.csv");
    free(shown);
    hr_table_free(table);
}

static void check(const char *text, const char *expected) {
    check_bytes(text, strlen(text), NULL, expected);
}

/* Checks that the message contains each of the words, which are separated by '|'. */
static void assert_says(const char *message, const char *words) {
    char copy[512];
    snprintf(copy, sizeof copy, "%s", words);
    for (char *next, *word = copy; word; word = next) {
        next = strchr(word, '|');
        if (next) *next++ = '\0';
        if (!strstr(message, word)) fail_msg("'%s' is not in: %s", word, message);
    }
}

static void refuse_bytes(const char *bytes, size_t length, const hr_read_options *options,
                         const char *words) {
    hr_error err = {0};
    hr_table *table;
    assert_int_equal(hr_csv_parse(bytes, length, "t.csv", options, &table, &err), HR_EDATA);
    assert_null(table);
    assert_int_equal(err.code, HR_EDATA);
    assert_says(err.message, words);
    assert_null(strstr(err.message, "secret"));
}

static void refuse(const char *text, const char *words) {
    refuse_bytes(text, strlen(text), NULL, words);
}

/* ---- what is read ---- */

static void plain_rows(void **state) {
    (void)state;
    check("a,b\n1,2\n3,4\n", "[a][b]/[1][2]/[3][4]");
    check("a,b\n1,2\n3,4", "[a][b]/[1][2]/[3][4]");
    check("a,b\r\n1,2\r\n3,4\r\n", "[a][b]/[1][2]/[3][4]");
    check("a,b\r\n1,2\r\n3,4", "[a][b]/[1][2]/[3][4]");
    check("a,b\r1,2\r3,4\r", "[a][b]/[1][2]/[3][4]");
    check("a,b\n1,2\r\n3,4\r", "[a][b]/[1][2]/[3][4]");
    check("a,b\n,\n ,x y\n", "[a][b]/[][]/[ ][x y]");
}

static void quoted_fields(void **state) {
    (void)state;
    check("a,b\n\"1\",2\n", "[a][b]/[1][2]");
    check("a,b\n\"x,y\",\"p\nq\"\n", "[a][b]/[x,y][p\nq]");
    check("a,b\n\"p\r\nq\",\"\"\r\n", "[a][b]/[p\r\nq][]");
    check("a,b\n\"\"\"\",\"say \"\"hi\"\"!\"\n", "[a][b]/[\"][say \"hi\"!]");
    check("a,b\n1,\"2\"", "[a][b]/[1][2]");
    check("\"a,1\",\"b\"\"\"\n1,2\n", "[a,1][b\"]/[1][2]");
    check("a,b\nx\"y,6\"\n", "[a][b]/[x\"y][6\"]");
    check("a,b\n\"1\",\"2\"\r\"3\",\"4\"\r", "[a][b]/[1][2]/[3][4]");
}

static void blank_lines(void **state) {
    (void)state;
    check("a,b\n1,2\n\n\n", "[a][b]/[1][2]");
    check("a,b\r\n1,2\r\n\r\n\r\n", "[a][b]/[1][2]");
    check("a\n1\n\n\n2\n\n", "[a]/[1]/[]/[]/[2]");
    check("a\n\n1\n", "[a]/[]/[1]");
    check("a\n1\n\"\"\n", "[a]/[1]/[]");
    refuse("a,b\n1,2\n\n3,4\n", "t.csv: row 2 (line 3) is blank|remove the line");
    refuse("a,b\n\n1,2\n", "row 1 (line 2)");
}

static void many_blank_lines(void **state) {
    (void)state;
    enum { COUNT = 1000 };
    char text[COUNT + 8] = "a\n1\n";
    memset(text + 4, '\n', COUNT);
    memcpy(text + 4 + COUNT, "2\n", 3);
    hr_table *table;
    assert_int_equal(hr_csv_parse(text, strlen(text), "t", NULL, &table, NULL), HR_OK);
    assert_int_equal(table->rows, COUNT + 2);
    assert_string_equal(hr_table_text(table, COUNT, 0), "");
    assert_string_equal(hr_table_text(table, COUNT + 1, 0), "2");
    hr_table_free(table);
}

static char delimiter_of(const char *text) {
    hr_table *table;
    hr_error err;
    if (hr_csv_parse(text, strlen(text), "t", NULL, &table, &err) != HR_OK)
        fail_msg("%s", err.message);
    char delimiter = table->delimiter;
    hr_table_free(table);
    return delimiter;
}

static void delimiters(void **state) {
    (void)state;
    assert_int_equal(delimiter_of("a,b\n1,2\n"), ',');
    assert_int_equal(delimiter_of("a;b\n1,5;2,5\n"), ';');
    assert_int_equal(delimiter_of("a\tb\n1\t2\n"), '\t');
    assert_int_equal(delimiter_of("a|b\n1|2\n"), '|');
    assert_int_equal(delimiter_of("a,b;c;d\n1,2;3;4\n"), ';'); /* the most fields */
    assert_int_equal(delimiter_of("a,b;c\n1,2;3\n"), ',');     /* the first of equals */
    assert_int_equal(delimiter_of("\"a;x\",\"b\"\n1,2\n"), ',');
    assert_int_equal(delimiter_of("\"a,x\";\"b,y\"\n1;2\n"), ';');
    assert_int_equal(delimiter_of("a\n1\n"), ',');
    assert_int_equal(delimiter_of("a\n1;2\n3\n"), ',');               /* one column */
    refuse("a,b,c;d\n1,2,3\n4,5;6\n", "row 2 (line 3) has 2 fields"); /* the header decides */
}

static void given_delimiter(void **state) {
    (void)state;
    hr_read_options options = {.delimiter = ':'};
    check_bytes("a,b:c\n1,2:3\n", 12, &options, "[a,b][c]/[1,2][3]");
    options.delimiter = '"';
    hr_table *table;
    hr_error err;
    assert_int_equal(hr_csv_parse("a", 1, "t", &options, &table, &err), HR_EINVAL);
    options.delimiter = '\n';
    assert_int_equal(hr_csv_parse("a", 1, "t", &options, &table, &err), HR_EINVAL);
}

static void byte_order_mark(void **state) {
    (void)state;
    check("\xef\xbb\xbf"
          "a,b\n1,2\n",
          "[a][b]/[1][2]");
    check("\xef\xbb\xbf\"a\",b\n1,2\n", "[a][b]/[1][2]");
    check_bytes("\xff\xfe"
                "a\0\n\0b\0",
                8, NULL, "[a]/[b]");
    refuse_bytes("\xfe\xff\0a", 4, NULL, "t.csv has a header but no rows");
    refuse_bytes("a\0,\0b\0\n\0", 8, NULL, "NUL|UTF-16");
}

static void no_header(void **state) {
    (void)state;
    hr_read_options options = {.no_header = true};
    check_bytes("x;y;*\nz;y;*\n", 12, &options, "[0][1][2]/[x][y][*]/[z][y][*]");
    check_bytes("\"q\"\"\";\"\"\n", 9, &options, "[0][1]/[q\"][]");
    check_bytes("x", 1, &options, "[0]/[x]");
    const char *text = "a;b;c;d\na;b;c;d\n\"a\n\";b;c;d\na;b;c\n";
    refuse_bytes(text, strlen(text), &options, "t.csv: line 5 has 3 fields, the first line has 4");
    refuse_bytes("", 0, &options, "t.csv is empty|at least one line");
    refuse_bytes("\n\n", 2, &options, "t.csv is empty|at least one line");
    refuse_bytes("a;b\n\nc;d\n", 9, &options, "line 2 is blank");
    refuse_bytes("a;b\nc;\"d\n", 9, &options, "line 2, field 2|never closed");
}

/* ---- what is refused ---- */

static void ragged_rows(void **state) {
    (void)state;
    refuse("a,b\n1,2\n3\n", "t.csv: row 2 (line 3) has 1 field, the header has 2|comma");
    refuse("a;b\n1;2;3\n", "row 1 (line 2) has 3 fields, the header has 2|semicolon");
    refuse("a,b\n\"x\ny\",2\nsecret\n", "row 2 (line 4) has 1 field,");
    refuse("a\n1\nsecret,2\n", "row 2 (line 3) has 2 fields, the header has 1|title|delimiter");
}

static void bad_names(void **state) {
    (void)state;
    refuse("a,b,a\n1,2,3\n", "columns 1 and 3 have the same name|rename");
    refuse("a,,c\n1,2,3\n", "column 2 has no name");
    refuse("\n1\n", "the first line is blank");
    refuse("", "t.csv is empty");
    refuse("\n\n", "t.csv is empty");
    refuse("\xef\xbb\xbf", "empty");
    refuse("a,b\n", "t.csv has a header but no rows");
    refuse("a,b", "no rows");
    refuse("a,b\n\n\n", "no rows");
}

static void bad_quotes(void **state) {
    (void)state;
    refuse("a,b\n1,2\n3,\"secret\n5,6\n", "t.csv: row 2 (line 3), column 'b'|never closed");
    refuse("a,b\n\"x\ny\",\"secret", "row 1 (line 3), column 'b'|never closed");
    refuse("a,b\n1,\"\"\"", "row 1 (line 2), column 'b'|never closed");
    refuse("a,b\n1,\"", "row 1 (line 2), column 'b'|never closed");
    refuse("a,\"b\n1,2\n", "the header (line 1), field 2|never closed");
    refuse("a,b\n1,2\n\"3\"secret,4\n", "row 2 (line 3), column 'a'|follows a closing quote");
    refuse("a,b\n\"p\nq\" ,4\n", "row 1 (line 3), column 'a'|follows a closing quote");
    refuse("a,b\n1,2\n\"3\" \"secret\",4\n", "row 2|closing quote");
    refuse("a,b\n1,2,3,\"4\"x\n", "row 1 (line 2), field 4|closing quote");
}

static void bad_text(void **state) {
    (void)state;
    refuse("city,b\n1,2\nM\xfcnchen,3\n",
           "t.csv: row 2 (line 3), column 'city': byte 0xFC is not UTF-8|encoding: windows-1252");
    refuse("a,b\n1,\"x\ny\xff\"\n", "row 1 (line 3), column 'b'");
    refuse("a\xff,b\n1,2\n", "the header (line 1), field 1");
    refuse("a,b\n1,\xc3", "row 1 (line 2), column 'b'");
    refuse("a,b\n\"\xe9", "row 1 (line 2), column 'a': byte 0xE9 is not UTF-8");
    refuse("a,b\n\"1\"x,2\n\xff,3\n", "row 1 (line 2), column 'a'|closing quote");
    refuse_bytes("a,b\n1,2\n3,\0\n", 12, NULL, "row 2 (line 3), column 'b': a NUL byte");
    check("a,b\nM\xc3\xbcnchen,\xe2\x82\xac\xf0\x9f\x8c\xb3\n",
          "[a][b]/[M\xc3\xbcnchen][\xe2\x82\xac\xf0\x9f\x8c\xb3]");
}

static void long_row(void **state) {
    (void)state;
    size_t length = ((size_t)64 << 20) + 100;
    char *text = malloc(length);
    memset(text, 'x', length);
    memcpy(text, "a,b\n1,2\n\"", 9);
    refuse_bytes(text, length, NULL, "t.csv: row 2 (line 3) is longer than 64 MiB|never closed");
    free(text);
}

/* ---- choosing columns ---- */

typedef struct {
    const char *mark; /* 'y' for each column to keep */
    int calls;
} choice;

static hr_status choose(const char *const *names, size_t count, bool *keep, void *payload,
                        hr_error *err) {
    choice *c = payload;
    c->calls++;
    assert_int_equal(count, strlen(c->mark));
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(names[i]) > 0);
        keep[i] = c->mark[i] == 'y';
        if (c->mark[i] == '!') return hr_fail(err, HR_EINVAL, "not %s", names[i]);
    }
    return HR_OK;
}

static void chosen_columns(void **state) {
    (void)state;
    const char *text = "a,b,c,d\n1,2,3,4\n5,\"6\"\"\",7,8\n";
    choice c = {.mark = "nyny"};
    hr_read_options options = {.choose = choose, .payload = &c};
    check_bytes(text, strlen(text), &options, "[b][d]/[2][4]/[6\"][8]");
    assert_int_equal(c.calls, 1);
    c.mark = "ynnn";
    check_bytes(text, strlen(text), &options, "[a]/[1]/[5]");
    c.mark = "nnnn";
    check_bytes(text, strlen(text), &options, "//");
    refuse_bytes("a,b,c,d\n1,2,3\n", 14, &options, "has 3 fields, the header has 4");
    refuse_bytes("a,b,c,d\n1,2,\xff,4\n", 16, &options, "column 'c': byte 0xFF is not UTF-8");
    hr_table *table;
    hr_error err;
    c.mark = "yn!y";
    assert_int_equal(hr_csv_parse(text, strlen(text), "t", &options, &table, &err), HR_EINVAL);
    assert_string_equal(err.message, "not c");
}

static void single_column_not_kept(void **state) {
    (void)state;
    choice c = {.mark = "n"};
    hr_read_options options = {.choose = choose, .payload = &c};
    check_bytes("a\n1\n\n\n2\n", 8, &options, "////");
}

/* ---- size, progress, failure ---- */

static void many_values(void **state) {
    (void)state;
    enum { ROWS = 70000 };
    hr_text text = {0};
    hr_text_puts(&text, "id,few,long\n");
    for (int i = 0; i < ROWS; i++)
        hr_text_printf(&text, "%d,%d,the same beginning %d and the same end\n", i, i % 7, i % 300);
    hr_table *table;
    assert_int_equal(hr_csv_parse(text.data, text.length, "t", NULL, &table, NULL), HR_OK);
    assert_int_equal(table->rows, ROWS);
    assert_int_equal(table->columns[0].width, 4);
    assert_int_equal(table->columns[1].width, 1);
    assert_int_equal(table->columns[2].width, 2);
    assert_int_equal(table->columns[2].capacity, ROWS);
    for (int i = 0; i < ROWS; i += 7) {
        char expected[64];
        snprintf(expected, sizeof expected, "%d", i);
        assert_string_equal(hr_table_text(table, (size_t)i, 0), expected);
        snprintf(expected, sizeof expected, "the same beginning %d and the same end", i % 300);
        assert_string_equal(hr_table_text(table, (size_t)i, 2), expected);
    }
    hr_table_free(table);
    hr_text_free(&text);
}

static void wide_table(void **state) {
    (void)state;
    enum { COLUMNS = 40000, ROWS = 5 };
    hr_text text = {0};
    for (int row = 0; row <= ROWS; row++)
        for (int i = 0; i < COLUMNS; i++)
            hr_text_printf(&text, "%d%c", i + row, i + 1 < COLUMNS ? '\t' : '\n');
    hr_table *table;
    assert_int_equal(hr_csv_parse(text.data, text.length, "t", NULL, &table, NULL), HR_OK);
    assert_int_equal(hr_table_columns(table), COLUMNS);
    assert_int_equal(hr_table_rows(table), ROWS);
    assert_string_equal(hr_table_text(table, 4, COLUMNS - 1), "40004");
    hr_table_free(table);
    hr_text_free(&text);
}

typedef struct {
    uint64_t last, total;
    bool stop;
} watched;

static void on_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    watched *w = payload;
    assert_string_equal(stage, "read");
    assert_true(done >= w->last);
    w->last = done;
    w->total = total;
}

static bool on_cancelled(void *payload) {
    return ((watched *)payload)->stop;
}

static void progress_and_cancel(void **state) {
    (void)state;
    watched w = {0};
    hr_watch watch = {.progress = on_progress, .cancelled = on_cancelled, .payload = &w};
    hr_read_options options = {.watch = &watch, .block = 16};
    check_bytes("a,b\n1,2\n3,4\n5,6\n7,8\n", 20, &options, "[a][b]/[1][2]/[3][4]/[5][6]/[7][8]");
    assert_int_equal(w.last, 20);
    assert_int_equal(w.total, 20);
    w = (watched){.stop = true};
    hr_table *table;
    assert_int_equal(hr_csv_parse("a,b\n1,2\n", 8, "t", &options, &table, NULL), HR_ECANCEL);
    assert_null(table);
}

#ifdef HR_FAULT
static void out_of_memory(void **state) {
    (void)state;
    const char *text = "a,b\n1,\"2\"\"\"\n3,4\nfive and five and five,6\n";
    for (long nth = 1;; nth++) {
        hr_error err = {0};
        hr_table *table;
        hr_read_options options = {.block = 8};
        hr_memory_fail_at(nth);
        hr_status status = hr_csv_parse(text, strlen(text), "t", &options, &table, &err);
        hr_memory_fail_at(0);
        if (status == HR_OK) {
            hr_table_free(table);
            assert_true(nth > 10);
            return;
        }
        assert_int_equal(status, HR_ENOMEM);
        assert_int_equal(err.code, HR_ENOMEM);
        assert_null(table);
    }
}
#endif

static void real_file(void **state) {
    (void)state;
    const char *path = HR_SHARED "/data/adult/adult.csv";
    need_file(path);
    hr_table *table;
    assert_int_equal(hr_table_read(path, &table, NULL), HR_OK);
    assert_int_equal(hr_table_columns(table), 15);
    assert_true(hr_table_rows(table) > 30000);
    assert_string_equal(table->source, path);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_rows),
        cmocka_unit_test(quoted_fields),
        cmocka_unit_test(blank_lines),
        cmocka_unit_test(many_blank_lines),
        cmocka_unit_test(delimiters),
        cmocka_unit_test(given_delimiter),
        cmocka_unit_test(byte_order_mark),
        cmocka_unit_test(no_header),
        cmocka_unit_test(ragged_rows),
        cmocka_unit_test(bad_names),
        cmocka_unit_test(bad_quotes),
        cmocka_unit_test(bad_text),
        cmocka_unit_test(long_row),
        cmocka_unit_test(chosen_columns),
        cmocka_unit_test(single_column_not_kept),
        cmocka_unit_test(many_values),
        cmocka_unit_test(wide_table),
        cmocka_unit_test(progress_and_cancel),
#ifdef HR_FAULT
        cmocka_unit_test(out_of_memory),
#endif
        cmocka_unit_test(real_file),
    };
    return exit_status(cmocka_run_group_tests(tests, NULL, NULL));
}
