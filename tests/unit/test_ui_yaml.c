/* Edits of the text of a job: only the value changes; comments, order and line breaks stay. */
#include "ui/ui_desk.h"
#include "ui/ui_yaml.h"
#include "unit.h"

typedef struct {
    const char *text, *path[4];
    const char *value; /* JSON; NULL: the key is removed */
    const char *edited;
} sample;

static const sample samples[] = {
    {"model: {k: 5}   # five\n", {"model", "k"}, "6", "model: {k: 6}   # five\n"},
    {"model: {k: 5}   # five\n", {"model", "p"}, "2", "model: {k: 5, p: 2}   # five\n"},
    {"model: {k: 5, p: 2}\n", {"model", "k"}, NULL, "model: {p: 2}\n"},
    {"model: {k: 5, p: 2}\n", {"model", "p"}, NULL, "model: {k: 5}\n"},
    {"model:\n    k: 5  # five\n# end\n",
     {"model", "p"},
     "2",
     "model:\n    k: 5  # five\n    p: 2\n# end\n"},
    {"model:\n  k: 5\n", {"model", "k"}, NULL, "model:\n  {}\n"},
    {"# by hand\n", {"seed"}, "3", "# by hand\nseed: 3\n"},
    {"attributes:\n", {"attributes", "a", "role"}, "\"keep\"", "attributes: {a: {role: keep}}\n"},
    {"a: 1", {"b"}, "\"x: y\"", "a: 1\nb: \"x: y\""},
    /* lists in lines, indented or not */
    {"a:\n  b:   # nodes\n    # these\n    - x  # one\n    - y\n  c: 1\n",
     {"a", "b"},
     "[\"z\"]",
     "a:\n  b: [z]   # nodes\n    # these\n  c: 1\n"},
    {"a:\n  b:\n  - x\n  - y\n  c: 1\n", {"a", "b"}, "[\"z\"]", "a:\n  b: [z]\n  c: 1\n"},
    {"a:\n  b:\n  - x\n  - y\n  c: 1\n", {"a", "b"}, NULL, "a:\n  c: 1\n"},
    {"a:\n  b:\n  - x\n  - y", {"a", "b"}, "{\"level\": 1}", "a:\n  b: {level: 1}\n"},
    {"a:\n  b:\n    level: 2\n\n# c\nc: 1\n", {"a", "b"}, "7", "a:\n  b: 7\n\n# c\nc: 1\n"},
    {"? a\n:\n  - b\n", {"a"}, "7", "? a\n: 7\n"},
    /* texts in lines */
    {"a: >-\n  x\n  y\n\n# c\nc: 1\n", {"a"}, "\"z\"", "a: z\n\n# c\nc: 1\n"},
    {"a: |\n  x\nc: 1\n", {"a"}, NULL, "c: 1\n"},
    {"a:\n  b: |\n    x\nc: 1\n", {"a", "d"}, "1", "a:\n  b: |\n    x\n  d: 1\nc: 1\n"},
    /* line breaks of Windows */
    {"a: 1  # x\r\nb:\r\n  c: 2\r\n", {"b", "d"}, "3", "a: 1  # x\r\nb:\r\n  c: 2\r\n  d: 3\r\n"},
    {"a:\r\n- x\r\nb: 1\r\n", {"a"}, "[\"y\"]", "a: [y]\r\nb: 1\r\n"},
    /* a job that is JSON stays JSON */
    {"{\"a\": {\"b\": 1}}",
     {"a", "c"},
     "{\"level\": \"x\"}",
     "{\"a\": {\"b\": 1, \"c\": {\"level\": \"x\"}}}"},
    {"{\"a\": [\"b\"]}", {"a"}, "[\"c\", 2]", "{\"a\": [\"c\", 2]}"},
    {"{}", {"a"}, "true", "{\"a\": true}"},
    /* names and values with marks of YAML */
    {"a: {b: 1}\n", {"a", "x: [y]"}, "\"yes\"", "a: {b: 1, \"x: [y]\": \"yes\"}\n"},
    {"Größe: {b: ä}  # ü\n", {"Größe", "b"}, "\"ö\"", "Größe: {b: \"ö\"}  # ü\n"},
};

static void test_edits(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        const sample *s = &samples[i];
        size_t depth = 0;
        char *edited = NULL;
        json_t *value = s->value ? json_loads(s->value, JSON_DECODE_ANY, NULL) : NULL;
        while (s->path[depth])
            depth++;
        MUST(ui_yaml_set(s->text, s->path, depth, value, &edited, &err));
        assert_string_equal(edited, s->edited);
        free(edited);
        json_decref(value);
    }
}

/* An edit that would change something else is refused. */
static void test_refused(void **state) {
    static const struct {
        const char *text, *path[4];
    } texts[] = {
        {"a: 1\na: 2\n", {"a"}},               /* a key that occurs twice */
        {"a: &x {b: 1}\nc: *x\n", {"c", "b"}}, /* a value in two places */
        {"a: b\n", {"a", "c"}},
        {"[a, b]\n", {"a"}}, /* no mapping */
        {"a: [1\n", {"a"}},
    };
    (void)state;
    json_t *value = json_integer(7);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hr_error err;
        char *edited;
        size_t depth = texts[i].path[1] ? 2 : 1;
        assert_int_equal(ui_yaml_set(texts[i].text, texts[i].path, depth, value, &edited, &err),
                         HR_EINVAL);
        assert_null(edited);
    }
    json_decref(value);
}

/* What a grabbed boundary depends on: everything but itself, and which column it is of. */
static void test_basis(void **state) {
    static const char plain[] = "{model: {k: 5}, attributes: {a: {hierarchy: flat}, b: {}}}";
    static const char drawn[] =
        "{model: {k: 5}, attributes: {a: {hierarchy: flat, boundary: [x]}, b: {}}}";
    (void)state;
    char *a = ui_yaml_basis(plain, "a"), *b = ui_yaml_basis(plain, "b");
    char *moved = ui_yaml_basis(drawn, "a"), *other = ui_yaml_basis(drawn, "b");
    char *table = ui_yaml_basis(plain, NULL), *same = ui_yaml_basis(drawn, NULL);
    assert_string_not_equal(a, b);
    assert_string_equal(a, moved);
    assert_string_not_equal(b, other);
    assert_string_equal(table, same);
    char *all[] = {a, b, moved, other, table, same};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edits), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_basis)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
