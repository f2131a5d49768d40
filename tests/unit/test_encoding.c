/* test_encoding.c - files in Latin-1, Windows-1252 and UTF-16. The system's iconv encodes random
 * tables; reading them must give what the UTF-8 original gives, with blocks of any size. */
#include "io/io.h"

#include <iconv.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *show(const hr_table *table) {
    hr_text out = {0};
    for (size_t i = 0; i < hr_table_columns(table); i++)
        hr_text_printf(&out, "[%s]", hr_table_name(table, i));
    for (size_t row = 0; row < hr_table_rows(table); row++)
        for (size_t i = 0; i < hr_table_columns(table); i++)
            hr_text_printf(&out, "%s[%s]", i ? "" : "/", hr_table_text(table, row, i));
    assert_false(out.failed);
    return out.data;
}

static char *read_bytes(const char *bytes, size_t length, const hr_read_options *options) {
    hr_error err = {0};
    hr_table *table;
    if (hr_csv_parse(bytes, length, "t.csv", options, &table, &err) != HR_OK)
        fail_msg("%s", err.message);
    char *shown = show(table);
    hr_table_free(table);
    return shown;
}

static void gives(const char *bytes, size_t length, hr_encoding encoding, bool utf8_first,
                  const char *expected) {
    for (size_t block = 0; block < 40; block++) {
        hr_read_options options = {.encoding = encoding, .utf8_first = utf8_first, .block = block};
        char *shown = read_bytes(bytes, length, &options);
        assert_string_equal(shown, expected);
        free(shown);
    }
}

static void refuses(const char *bytes, size_t length, hr_encoding encoding, const char *words) {
    for (size_t block = 0; block < 40; block++) {
        hr_read_options options = {.encoding = encoding, .block = block};
        hr_error err = {0};
        hr_table *table;
        assert_int_equal(hr_csv_parse(bytes, length, "t.csv", &options, &table, &err), HR_EDATA);
        if (!strstr(err.message, words)) fail_msg("'%s' is not in: %s", words, err.message);
    }
}

#define BYTES(text) text, sizeof(text) - 1

/* ---- against iconv ---- */

static const struct {
    const char *iconv;
    hr_encoding encoding;
    uint32_t last; /* greatest character that is tried */
} kinds[] = {{"ISO-8859-1", HR_ENCODING_LATIN1, 0xff},
             {"CP1252", HR_ENCODING_WINDOWS1252, 0x2122},
             {"UTF-16LE", HR_ENCODING_UTF16LE, 0x10ffff},
             {"UTF-16BE", HR_ENCODING_UTF16BE, 0x10ffff}};

static size_t convert(const char *to, const char *from, const char *text, size_t length, char *out,
                      size_t room) {
    iconv_t tool = iconv_open(to, from);
    char *in = (char *)text, *end = out;
    size_t left = length;
    assert_true(tool != (iconv_t)-1);
    size_t result = iconv(tool, &in, &left, &end, &room);
    iconv_close(tool);
    return result == (size_t)-1 ? 0 : (size_t)(end - out);
}

/* A character that the encoding has, as UTF-8; not a control or a delimiter. */
static size_t random_character(hr_random *random, size_t kind, char *out) {
    char encoded[8];
    for (;;) {
        uint32_t c = (uint32_t)hr_random_below(random, kinds[kind].last + 1);
        if (hr_random_below(random, 2)) c %= 0x180;
        if (c < 'A' || (c >= 0x7f && c < 0xa0) || c == '|' || c == 0xfeff) continue;
        unsigned char bytes[4] = {(unsigned char)c, (unsigned char)(c >> 8),
                                  (unsigned char)(c >> 16), 0};
        size_t length = convert("UTF-8", "UTF-32LE", (const char *)bytes, 4, out, 8);
        if (length && convert(kinds[kind].iconv, "UTF-8", out, length, encoded, 8)) return length;
    }
}

static size_t random_table(hr_random *random, size_t kind, char *out) {
    char *to = out;
    size_t rows = 1 + hr_random_below(random, 6), columns = 2 + hr_random_below(random, 3);
    for (size_t row = 0; row <= rows; row++)
        for (size_t i = 0; i < columns; i++) {
            *to++ = (char)('a' + i); /* names differ */
            for (size_t n = hr_random_below(random, 5); n > 0; n--)
                to += random_character(random, kind, to);
            *to++ = i + 1 < columns ? ',' : '\n';
        }
    return (size_t)(to - out);
}

/* Is the first character beyond ASCII not UTF-8, or is there none? */
static bool differs_from_utf8(const char *bytes, size_t length) {
    size_t ascii = 0;
    bool cut;
    while (ascii < length && (unsigned char)bytes[ascii] < 0x80)
        ascii++;
    return hr_utf8_valid(bytes, length, &cut) == ascii;
}

static void test_iconv(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 1, 0);
    for (int round = 0; round < 400; round++) {
        size_t kind = (size_t)round % 4;
        char text[1024], encoded[2048];
        size_t length = random_table(&random, kind, text);
        size_t bytes = convert(kinds[kind].iconv, "UTF-8", text, length, encoded, sizeof encoded);
        assert_true(bytes > 0);
        char *expected = read_bytes(text, length, NULL);
        gives(encoded, bytes, kinds[kind].encoding, false, expected);
        if (kind < 2 && differs_from_utf8(encoded, bytes))
            gives(encoded, bytes, kinds[kind].encoding, true, expected);
        gives(text, length, kinds[kind].encoding, true, expected);
        free(expected);
    }
}

/* Every byte of the two encodings of one byte, where iconv has a character for it. */
static void test_all_bytes(void **state) {
    (void)state;
    for (size_t kind = 0; kind < 2; kind++)
        for (int c = 0x80; c < 0x100; c++) {
            char file[] = "ab\nx \n", text[8], expected[32];
            file[4] = (char)c;
            size_t length = convert("UTF-8", kinds[kind].iconv, file + 4, 1, text, sizeof text);
            if (length == 0 || (kind == 0 && c < 0xa0)) {
                refuses(BYTES(file), kinds[kind].encoding, "row 1 (line 2), column 'ab': byte 0x");
                continue;
            }
            snprintf(expected, sizeof expected, "[ab]/[x%.*s]", (int)length, text);
            gives(BYTES(file), kinds[kind].encoding, false, expected);
        }
}

/* ---- byte order marks ---- */

static void test_marks(void **state) {
    (void)state;
    gives(BYTES("\xff\xfe"
                "a\0,\0b\0\n\0"
                "1\0,\0\xfc\0\n\0"),
          HR_ENCODING_AUTO, false, "[a][b]/[1][ü]");
    gives(BYTES("\xfe\xff\0a\0,\0b\0\n\0"
                "1\0,\0\xfc\0\n"),
          HR_ENCODING_AUTO, false, "[a][b]/[1][ü]");
    gives(BYTES("\xef\xbb\xbf"
                "a,b\n1,ü\n"),
          HR_ENCODING_AUTO, false, "[a][b]/[1][ü]");
    gives(BYTES("\xef\xbb\xbf\"a\",b\n1,ü\n"), HR_ENCODING_AUTO, false, "[a][b]/[1][ü]");
    /* The mark decides, whatever the key says. */
    gives(BYTES("\xef\xbb\xbf"
                "a,b\n1,ü\n"),
          HR_ENCODING_WINDOWS1252, false, "[a][b]/[1][ü]");
    gives(BYTES("\xff\xfe"
                "a\0\n\0\xfc\0"),
          HR_ENCODING_UTF16BE, false, "[a]/[ü]");
}

/* ---- what is refused ---- */

static void test_refused(void **state) {
    (void)state;
    refuses(BYTES("a,b\n1,M\xfcller\n"), HR_ENCODING_AUTO,
            "row 1 (line 2), column 'b': byte 0xFC is not UTF-8; if the file is Windows-1252 "
            "(Excel in Western Europe), say `encoding: windows-1252`");
    refuses(BYTES("a,b\n1,M\xfcller\n"), HR_ENCODING_UTF8, "byte 0xFC is not UTF-8");
    refuses(BYTES("a,b\nü,\xfc\n"), HR_ENCODING_AUTO, "characters before it are");
    refuses(BYTES("a,b\n\xfc,üä\n"), HR_ENCODING_AUTO, "characters after it are");
    refuses(BYTES("a\n\x81\n"), HR_ENCODING_AUTO, "say `encoding: NAME`");
    refuses(BYTES("a\n\x81\n"), HR_ENCODING_WINDOWS1252,
            "row 1 (line 2), column 'a': byte 0x81 has no meaning in Windows-1252");
    refuses(BYTES("a\n\x80\n"), HR_ENCODING_LATIN1, "say `encoding: windows-1252`");
    refuses(BYTES("a\n\0\n"), HR_ENCODING_WINDOWS1252, "column 'a': a NUL byte: this is not");
    refuses(BYTES("a\0\n\0\0\0\n\0"), HR_ENCODING_UTF16LE, "column 'a': a NUL byte: this is not");
    refuses(BYTES("a\0\n\0"
                  "b\0\n"),
            HR_ENCODING_UTF16LE, "the file ends inside a character");
    refuses(BYTES("a\0\n\0"
                  "\0\xd8"),
            HR_ENCODING_UTF16LE, "row 1 (line 2), column 'a': 0xD800 is half a surrogate pair");
    refuses(BYTES("a\0\n\0"
                  "\0\xd8"
                  "b\0"),
            HR_ENCODING_UTF16LE, "0xD800 is half");
    refuses(BYTES("\0a\0\n\xdc\1\0b"), HR_ENCODING_UTF16BE, "0xDC01 is half");
    hr_error err = {0};
    hr_table *table;
    hr_read_options options = {0}; /* one block: the byte order is seen in many bytes */
    assert_int_equal(hr_csv_parse(BYTES("a\0,\0b\0\n\0"), "t.csv", &options, &table, &err),
                     HR_EDATA);
    assert_non_null(strstr(err.message, "say `encoding: utf-16le`"));
}

/* ---- names and guesses ---- */

static void test_names(void **state) {
    (void)state;
    static const struct {
        const char *name;
        hr_encoding encoding;
    } names[] = {{"UTF-8", HR_ENCODING_UTF8},
                 {"utf8", HR_ENCODING_UTF8},
                 {"ISO-8859-1", HR_ENCODING_LATIN1},
                 {"iso_8859-1", HR_ENCODING_LATIN1},
                 {"Latin1", HR_ENCODING_LATIN1},
                 {"latin-1", HR_ENCODING_LATIN1},
                 {"cp1252", HR_ENCODING_WINDOWS1252},
                 {"WINDOWS-1252", HR_ENCODING_WINDOWS1252},
                 {"ANSI", HR_ENCODING_WINDOWS1252},
                 {"UTF-16LE", HR_ENCODING_UTF16LE},
                 {"utf-16", HR_ENCODING_UTF16LE},
                 {"UTF-16BE", HR_ENCODING_UTF16BE},
                 {"Windows 1252", HR_ENCODING_WINDOWS1252}};
    hr_encoding found;
    hr_error err = {0};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(hr_encoding_find(names[i].name, &found, &err), HR_OK);
        assert_int_equal(found, names[i].encoding);
        assert_int_equal(hr_encoding_find(hr_encoding_name(found), &found, &err), HR_OK);
        assert_int_equal(found, names[i].encoding);
    }
    assert_int_equal(hr_encoding_find("cp850", &found, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "iconv -f cp850 -t UTF-8"));
    assert_int_equal(hr_encoding_find("", &found, &err), HR_EINVAL);
}

static hr_encoding guess_file(const char *bytes, size_t length) {
    char path[] = "/tmp/hedgerow-encoding-XXXXXX";
    int fd = mkstemp(path);
    hr_encoding found;
    hr_error err = {0};
    assert_true(fd >= 0 && hr_write_all(fd, bytes, length));
    hr_status status = hr_encoding_guess_file(path, NULL, &found, &err);
    remove(path);
    assert_int_equal(status, HR_OK);
    return found;
}

static void test_guesses(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length;
        hr_encoding encoding;
    } cases[] = {{BYTES("a,b\n"), HR_ENCODING_UTF8},
                 {BYTES("a,ü\n"), HR_ENCODING_UTF8},
                 {BYTES("a,\xfc\n"), HR_ENCODING_WINDOWS1252},
                 {BYTES("a,\x80\n"), HR_ENCODING_WINDOWS1252},
                 {BYTES("a,\x81\n"), HR_ENCODING_AUTO},
                 {BYTES("ü,\xfc,ä\n"), HR_ENCODING_UTF8}, /* damaged */
                 {BYTES("\xfc,\xe4,ü\n"), HR_ENCODING_WINDOWS1252},
                 {BYTES("\xff\xfe"
                        "a\0"),
                  HR_ENCODING_UTF16LE},
                 {BYTES("a\0,\0b\0\n\0"), HR_ENCODING_UTF16LE},
                 {BYTES("\0a\0,\0b\0\n"), HR_ENCODING_UTF16BE},
                 {BYTES(""), HR_ENCODING_UTF8}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(hr_encoding_guess(cases[i].bytes, cases[i].length), cases[i].encoding);
        /* With a byte-order mark no job has to name the encoding. */
        bool marked = cases[i].length > 0 && cases[i].bytes[0] == '\xff';
        assert_int_equal(guess_file(cases[i].bytes, cases[i].length),
                         marked ? HR_ENCODING_AUTO : cases[i].encoding);
    }
    /* The only character beyond ASCII lies across the buffer of 64 KiB, or behind it. */
    enum { LONG = 70000 };
    char *bytes = malloc(LONG);
    memset(bytes, 'x', LONG);
    memcpy(bytes + 65535, "ü", 2);
    assert_int_equal(guess_file(bytes, LONG), HR_ENCODING_UTF8);
    bytes[65536] = 'x';
    assert_int_equal(guess_file(bytes, LONG), HR_ENCODING_WINDOWS1252);
    bytes[65535] = 'x';
    bytes[LONG - 1] = '\xc3'; /* half a character at the end of the file */
    assert_int_equal(guess_file(bytes, LONG), HR_ENCODING_WINDOWS1252);
    free(bytes);
}

/* The first character beyond ASCII decides; a later one that differs is an error. */
static void test_utf8_first(void **state) {
    (void)state;
    gives(BYTES("a,b\nx,\xfc\n\xe4,y\n"), HR_ENCODING_WINDOWS1252, true, "[a][b]/[x][ü]/[ä][y]");
    gives(BYTES("a,b\nx,ü\nä,y\n"), HR_ENCODING_WINDOWS1252, true, "[a][b]/[x][ü]/[ä][y]");
    hr_read_options options = {.encoding = HR_ENCODING_LATIN1, .utf8_first = true};
    hr_error err = {0};
    hr_table *table;
    assert_int_equal(hr_csv_parse(BYTES("a\nü\n\xfc\n"), "t.csv", &options, &table, &err),
                     HR_EDATA);
    assert_non_null(strstr(err.message, "row 2 (line 3), column 'a': byte 0xFC"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iconv),      cmocka_unit_test(test_all_bytes),
        cmocka_unit_test(test_marks),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names),      cmocka_unit_test(test_guesses),
        cmocka_unit_test(test_utf8_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
