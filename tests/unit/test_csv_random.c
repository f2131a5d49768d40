/* test_csv_random.c - the reader against a plain parser, one character at a time, on thousands of
 * random texts over the few characters that matter, with blocks so small that every row is cut
 * somewhere; and tables of awkward fields, written and read back. */
#include "io/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the plain parser ---- */

enum { MOST_FIELDS = 512, MOST_TEXT = 128 };

typedef struct {
    char field[MOST_FIELDS][MOST_TEXT];
    size_t row_fields[MOST_FIELDS]; /* fields of each row */
    bool blank[MOST_FIELDS];
    size_t field_count, rows;
    bool bad; /* a quote that is never closed, or text after a closing one */
} plain;

/* Parses one field from `at` on; returns the position of the character that ends it. */
static size_t plain_field(plain *p, const char *text, size_t at, size_t length) {
    char *field = p->field[p->field_count++];
    size_t used = 0;
    memset(field, 0, MOST_TEXT);
    if (at < length && text[at] == '"') {
        for (at++;; at++) {
            if (at >= length) {
                p->bad = true;
                return at;
            }
            if (text[at] == '"' && at + 1 < length && text[at + 1] == '"')
                at++;
            else if (text[at] == '"')
                break;
            field[used++] = text[at];
        }
        at++;
        if (at < length && !strchr(",\r\n", text[at])) p->bad = true;
        return at;
    }
    while (at < length && !strchr(",\r\n", text[at]))
        field[used++] = text[at++];
    return at;
}

static void plain_parse(plain *p, const char *text, size_t length) {
    size_t at = 0;
    p->field_count = p->rows = 0;
    p->bad = false;
    while (at < length && !p->bad) {
        size_t start = at, fields = 1;
        for (at = plain_field(p, text, at, length); !p->bad && at < length && text[at] == ',';
             fields++)
            at = plain_field(p, text, at + 1, length);
        p->blank[p->rows] = at == start;
        p->row_fields[p->rows++] = fields;
        if (at + 1 < length && text[at] == '\r' && text[at + 1] == '\n') at++;
        at++;
    }
    while (!p->bad && p->rows > 0 && p->blank[p->rows - 1]) {
        p->rows--;
        p->field_count--;
    }
}

/* True if the text is a table without a header. */
static bool plain_is_table(const plain *p) {
    if (p->bad || p->rows == 0) return false;
    for (size_t i = 0; i < p->rows; i++)
        if (p->row_fields[i] != p->row_fields[0] || (p->row_fields[0] > 1 && p->blank[i]))
            return false;
    return true;
}

static void assert_same(const plain *p, const hr_table *table) {
    assert_int_equal(table->rows, p->rows);
    assert_int_equal(table->column_count, p->row_fields[0]);
    for (size_t row = 0; row < p->rows; row++)
        for (size_t i = 0; i < p->row_fields[0]; i++)
            assert_string_equal(hr_table_text(table, row, i), p->field[row * p->row_fields[0] + i]);
}

/* ---- random texts ---- */

static size_t random_text(hr_random *random, char *text, size_t most) {
    static const char *const pieces[] = {"a", "b", ",", "\"", "\r", "\n", "\"\"", "\n\n", "a,b\n"};
    size_t count = hr_random_below(random, 24), length = 0;
    for (size_t i = 0; i < count; i++) {
        const char *piece = pieces[hr_random_below(random, sizeof pieces / sizeof *pieces)];
        if (length + strlen(piece) > most) break;
        memcpy(text + length, piece, strlen(piece));
        length += strlen(piece);
    }
    return length;
}

static void check_text(plain *p, const char *text, size_t length, size_t block, unsigned *tables) {
    hr_read_options options = {.delimiter = ',', .no_header = true, .block = block};
    hr_table *table;
    hr_error err = {0};
    hr_status status = hr_csv_parse(text, length, "t", &options, &table, &err);
    plain_parse(p, text, length);
    if (plain_is_table(p)) {
        if (status != HR_OK) fail_msg("%s: <%.*s>", err.message, (int)length, text);
        assert_same(p, table);
        ++*tables;
    } else if (status != HR_EDATA) {
        fail_msg("accepted: <%.*s>", (int)length, text);
    }
    hr_table_free(table);
}

static void random_texts(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 1, 0);
    plain *p = malloc(sizeof *p);
    unsigned tables = 0;
    for (int i = 0; i < 40000; i++) {
        char text[100];
        size_t length = random_text(&random, text, sizeof text);
        check_text(p, text, length, i % 3 == 0 ? 0 : 8 + hr_random_below(&random, 60), &tables);
    }
    assert_true(tables > 3000);
    free(p);
}

/* ---- there and back ---- */

static void random_field(hr_random *random, char *field) {
    static const char *const pieces[] = {"a",
                                         "bc",
                                         ",",
                                         ";",
                                         "\"",
                                         "\r",
                                         "\n",
                                         "\t",
                                         "\r\n",
                                         "|",
                                         " ",
                                         "\xc3\xbc",
                                         "\"\"",
                                         "\xef\xbb\xbf",
                                         "0123456789abcdef"};
    size_t count = hr_random_below(random, 5);
    field[0] = '\0';
    for (size_t i = 0; i < count; i++)
        strcat(field, pieces[hr_random_below(random, sizeof pieces / sizeof *pieces)]);
}

enum { COLUMNS = 5, FIELD = 128 };

static hr_table *random_table(hr_random *random) {
    char fields[COLUMNS][FIELD];
    const char *texts[COLUMNS];
    size_t columns = 1 + hr_random_below(random, COLUMNS), rows = 1 + hr_random_below(random, 30);
    for (size_t i = 0; i < columns; i++) {
        random_field(random, fields[i]);
        size_t length = strlen(fields[i]);
        snprintf(fields[i] + length, FIELD - length, "%zu", i); /* names are not empty and differ */
        texts[i] = fields[i];
    }
    hr_table *table;
    assert_int_equal(hr_table_new(columns, texts, &table, NULL), HR_OK);
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < columns; i++)
            random_field(random, fields[i]);
        assert_int_equal(hr_table_append(table, texts, NULL), HR_OK);
    }
    table->delimiter = ",;\t|"[hr_random_below(random, 4)];
    return table;
}

static void assert_equal_tables(const hr_table *a, const hr_table *b) {
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->column_count, b->column_count);
    for (size_t i = 0; i < a->column_count; i++) {
        assert_string_equal(hr_table_name(a, i), hr_table_name(b, i));
        for (size_t row = 0; row < a->rows; row++)
            assert_string_equal(hr_table_text(a, row, i), hr_table_text(b, row, i));
    }
}

static void check_back(const hr_table *table, const char *path, const hr_read_options *options) {
    hr_table *back;
    hr_error err;
    if (hr_csv_read(path, options, &back, &err) != HR_OK) fail_msg("%s", err.message);
    assert_equal_tables(table, back);
    hr_table_free(back);
}

static void there_and_back(void **state) {
    (void)state;
    char path[] = "/tmp/hedgerow-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    hr_random random;
    hr_random_seed(&random, 2, 0);
    for (int i = 0; i < 2000; i++) {
        hr_table *table = random_table(&random);
        assert_int_equal(hr_table_write(table, path, NULL), HR_OK);
        check_back(table, path, &(hr_read_options){.delimiter = table->delimiter});
        check_back(table, path,
                   &(hr_read_options){.delimiter = table->delimiter,
                                      .block = 8 + hr_random_below(&random, 100)});
        hr_table_free(table);
    }
    unlink(path);
}

/* The same rows with the end of the block at every position. */
static void every_cut(void **state) {
    (void)state;
    const char *text = "\xef\xbb\xbfname,\"the \"\"b\"\"\"\r\nM\xc3\xbcnchen,\"a,\r\nb\"\r\n"
                       "\"\xe2\x82\xac\",\"\"\"\"\r\n,\xf0\x9f\x8c\xb3\r\n\"\",\"x\"\r\n\r\n";
    for (size_t block = 1; block < 130; block++) {
        hr_read_options options = {.delimiter = ',', .block = block};
        hr_table *table;
        hr_error err;
        if (hr_csv_parse(text, strlen(text), "t", &options, &table, &err) != HR_OK)
            fail_msg("block %zu: %s", block, err.message);
        assert_int_equal(table->rows, 4);
        assert_string_equal(hr_table_name(table, 1), "the \"b\"");
        assert_string_equal(hr_table_text(table, 0, 0), "M\xc3\xbcnchen");
        assert_string_equal(hr_table_text(table, 0, 1), "a,\r\nb");
        assert_string_equal(hr_table_text(table, 1, 0), "\xe2\x82\xac");
        assert_string_equal(hr_table_text(table, 1, 1), "\"");
        assert_string_equal(hr_table_text(table, 2, 1), "\xf0\x9f\x8c\xb3");
        assert_string_equal(hr_table_text(table, 3, 0), "");
        hr_table_free(table);
    }
}

/* An error names the same row and column wherever the blocks end. */
static void same_message(void **state) {
    (void)state;
    static const char *const texts[] = {
        "a,b\n1,2\n3,4\n5,\xff\n",     "a,b\n1,2\n\"x\ny\",\"3\"4\n",
        "a,b\n1,2\n3,4\n5,\"6\n7",     "a,b\n1,2\n3,4\n\n5,6\n",
        "a,b\n1,2\n3,4\n5\n",          "a,b\n11111,22222\n3,4\xc3\n",
        "a,b\n1,2\n1,2\n1,\xe2\x82\n", "a,b\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hr_error expected, err;
        hr_table *table;
        hr_read_options options = {.delimiter = ','};
        assert_int_equal(hr_csv_parse(texts[i], strlen(texts[i]), "t", &options, &table, &expected),
                         HR_EDATA);
        for (options.block = 8; options.block < 40; options.block++) {
            assert_int_equal(hr_csv_parse(texts[i], strlen(texts[i]), "t", &options, &table, &err),
                             HR_EDATA);
            assert_string_equal(err.message, expected.message);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_texts),
        cmocka_unit_test(there_and_back),
        cmocka_unit_test(every_cut),
        cmocka_unit_test(same_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
