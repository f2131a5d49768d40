/* test_report_keys.c - the table of the report's keys lists exactly the keys of real reports. */
#include "unit.h"

#include "job/job_keys.h"

#include <jansson.h>

enum { KEYS_MOST = 512, PATH_SIZE = 256 };

/* Keys that reports had, each once. */
typedef struct {
    char paths[KEYS_MOST][PATH_SIZE];
    size_t count;
} key_set;

static void add_path(key_set *set, const char *path) {
    for (size_t i = 0; i < set->count; i++)
        if (!strcmp(set->paths[i], path)) return;
    assert_true(set->count < KEYS_MOST);
    snprintf(set->paths[set->count++], PATH_SIZE, "%s", path);
}

static bool has_path(const key_set *set, const char *path) {
    for (size_t i = 0; i < set->count; i++)
        if (!strcmp(set->paths[i], path)) return true;
    return false;
}

/* The name of a model's option, of a measure or of an algorithm's option becomes the name of its
 * table. */
static const char *table_of_key(const char *object, const char *key) {
    if (!strcmp(object, "model") || !strcmp(object, "model.achieved"))
        for (size_t i = 0; hr_models[i]; i++)
            if (!strcmp(hr_models[i]->options->name, key)) return "MODEL";
    if (!strcmp(object, "loss") || !strcmp(object, "risk"))
        for (size_t i = 0; hr_measures[i]; i++)
            if (!strcmp(hr_measures[i]->name, key)) return "MEASURE";
    if (!strcmp(object, "risk.rows_above") || !strcmp(object, "risk.before.rows_above"))
        return "THRESHOLD";
    if (!strcmp(object, "options"))
        for (size_t i = 0; hr_algorithms[i]; i++)
            for (const hr_option *o = hr_algorithms[i]->options; o && o->name; o++)
                if (!strcmp(o->name, key)) return "OPTION";
    return key;
}

static void walk(key_set *set, const char *path, const json_t *value) { // NOLINT(misc-no-recursion)
    char below[PATH_SIZE];
    const char *key;
    json_t *entry;
    size_t i;
    if (json_is_object(value)) {
        json_object_foreach((json_t *)value, key, entry) {
            snprintf(below, sizeof below, "%s%s%s", path, *path ? "." : "",
                     table_of_key(path, key));
            walk(set, below, entry);
        }
    } else if (json_is_array(value)) {
        snprintf(below, sizeof below, "%s[]", path);
        json_array_foreach(value, i, entry) walk(set, below, entry);
    } else
        add_path(set, path);
}

static void run(key_set *set, const char *text) {
    hr_table *table = table_of("age,zip,cost,flu\n"
                               "31,a1,100,yes\n33,a1,120,no\n35,a2,90,yes\n,a2,70,no\n"
                               "52,a1,110,yes\n54,a1,105,no\n56,b2,95,yes\n58,b2,70,yes\n");
    hr_job *job;
    hr_release *release;
    MUST(hr_job_parse(text, strlen(text), "job", ".", &job, &err));
    MUST(hr_job_set_input(job, table, &err));
    MUST(hr_job_run(job, NULL, &release, &err));
    json_t *report = json_loads(hr_release_report(release), 0, NULL);
    assert_non_null(report);
    walk(set, "", report);
    json_decref(report);
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
}

/* Jobs that together have all parts of a report. */
static void test_keys(void **state) {
    (void)state;
    static key_set set;
    run(&set, "model: {k: 2, p: 2, alpha: 0.9}\nstudy: [[age, flu]]\n"
              "keys: [[age, flu]]\n"
              "attributes:\n"
              "  age: {role: quasi, type: numeric, boundary: {width: 10}, on_missing: drop}\n"
              "  zip: {role: quasi, hierarchy: {prefix: [1]}, boundary: {level: 1}}\n"
              "  cost: {role: keep, round: 50}\n"
              "  flu: {role: sensitive}\n");
    run(&set, "model: {k: 2}\nalgorithm: incognito\n"
              "attributes:\n"
              "  age: {role: quasi, hierarchy: {intervals: [10]}, on_missing: group}\n"
              "  zip: {role: quasi, hierarchy: {prefix: [1]}}\n"
              "  cost: {role: drop}\n"
              "  flu: {role: sensitive}\n");
    run(&set, "model: {k: 2}\nalgorithm: mdav\n"
              "attributes:\n  cost: {role: quasi, type: numeric}\n  flu: {role: sensitive}\n");
    run(&set, "model: {k: 2}\nunit: cost\n"
              "attributes:\n  zip: {role: quasi, hierarchy: flat}\n  flu: {role: sensitive}\n");
    const char *path, *help = NULL;
    key_set listed = {.count = 0};
    for (size_t i = 0; (path = hr_report_key_at(i, &help)); i++) {
        assert_non_null(help);
        if (!has_path(&set, path)) fail_msg("no report has the key %s", path);
        add_path(&listed, path);
    }
    for (size_t i = 0; i < set.count; i++)
        if (!has_path(&listed, set.paths[i]))
            fail_msg("report_keys.c does not list the key %s", set.paths[i]);
    assert_null(hr_report_key_at(SIZE_MAX, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
