/* test_names.c - names of columns that are the same to a reader. */
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void agree(const char *a, const char *b, bool same) {
    if (hr_same_name(a, b) != same || hr_same_name(b, a) != same)
        fail_msg("'%s' and '%s' should %s", a, b, same ? "agree" : "differ");
    assert_int_equal(hr_name_hash(a) == hr_name_hash(b), same);
}

/* The decomposed form is written with \u escapes. */
static void test_marks(void **state) {
    (void)state;
    agree("Gr\u00f6\u00dfe", "Gro\u0308\u00dfe", true);
    agree("\u00c4rztin", "A\u0308rztin", true);
    agree("a\u00f1o", "an\u0303o", true);
    agree("\u010d\u00edslo", "c\u030ci\u0301slo", true);
    agree("\u01d8", "\u00fc\u0301", true);
    agree("\u01d8", "u\u0308\u0301", true);
    agree("\u00e7a", "c\u0327a", true);
    agree("\u0119", "e\u0328", true);
    agree("Gr\u00f6\u00dfe", "Grosse", false);
    agree("u", "\u00fc", false);
    agree("u", "u\u0308", false);
    agree("u\u0301", "u\u0308", false);
    agree("q\u0308", "q", false); /* no composed letter, but a mark all the same */
    agree("q\u0308", "q\u0308", true);
    agree("\u0308", "", false);
}

static void test_blanks(void **state) {
    (void)state;
    agree("age", " age", true);
    agree("age\t ", "  age", true);
    agree("age\u00a0", "age", true);
    agree("\u00a0 age", "age", true);
    agree("a ge", "age", false);
    agree("  ", "", true);
    agree("\u00a0", "", true);
    agree("age", "Age", false);
    agree("age", "ages", false);
    agree("", "a", false);
    agree("a\u00a0b", "a b", false);
    agree("\u00e0", "\u00c3\u00a0", false);
    assert_true(hr_name_trims(" a"));
    assert_true(hr_name_trims("a "));
    assert_true(hr_name_trims("a\u00a0"));
    assert_false(hr_name_trims("a b"));
    assert_false(hr_name_trims("\u00e0")); /* ends with the byte A0 */
}

/* Bytes that are not UTF-8 are compared as bytes, and never read beyond the end. */
static void test_bytes(void **state) {
    (void)state;
    agree("\xc3", "\xc3", true);
    agree("\xc3", "\xe4", false);
    agree("a\xcc", "a", false);
    agree("a\xcc", "a\xcc", true);
    agree("\xf0\x9f", "\xf0", false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_blanks),
        cmocka_unit_test(test_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
