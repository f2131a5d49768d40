/* The public interface without files: hierarchies, boundaries and jobs in memory, the list of
 * keys, what a release and the prices of boundaries say. */
#include "unit.h"

static const char *const places[] = {
    "Graz",   "Styria", "Austria", "*", /**/
    "Leoben", "Styria", "Austria", "*", /**/
    "Linz",   "Upper",  "Austria", "*", /**/
    "Bern",   "Bern",   "Swiss",   "*", /**/
};

static hr_hierarchy *place_tree(void) {
    hr_hierarchy *tree;
    MUST(hr_hierarchy_from_labels("places", places, 4, 4, &tree, &err));
    return tree;
}

static void test_read_access(void **state) {
    (void)state;
    hr_hierarchy *tree = place_tree();
    assert_int_equal(hr_hierarchy_leaf_count(tree), 4);
    assert_int_equal(hr_hierarchy_level_count(tree), 4);
    assert_int_equal(hr_hierarchy_node_count(tree), 9);
    uint32_t graz = hr_hierarchy_find(tree, "Graz"), bern = hr_hierarchy_find(tree, "Bern");
    assert_string_equal(hr_hierarchy_label(tree, hr_hierarchy_parent(tree, graz)), "Styria");
    assert_true(hr_hierarchy_is_leaf(tree, bern));
    assert_int_equal(hr_hierarchy_parent(tree, hr_hierarchy_root(tree)), HR_NONE);
    assert_int_equal(hr_hierarchy_height(tree, hr_hierarchy_root(tree)), 3);
    assert_int_equal(hr_hierarchy_find(tree, "Paris"), HR_NONE);
    assert_string_equal(hr_hierarchy_label(tree, hr_hierarchy_node_at(tree, 2, 1)), "Upper");
    assert_int_equal(hr_hierarchy_node_at(tree, 3, 1), bern); /* a label that repeats upward */
    hr_hierarchy_free(tree);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const two_roots[] = {"a", "x", "b", "y"};
    static const char *const missing[] = {"a", NULL};
    hr_hierarchy *tree;
    hr_error err = {0};
    assert_int_equal(hr_hierarchy_from_labels("t", two_roots, 2, 2, &tree, &err), HR_EDATA);
    assert_null(tree);
    assert_non_null(strstr(err.message, "t, line 2"));
    assert_int_equal(hr_hierarchy_from_labels("t", missing, 1, 2, &tree, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "leaf 1: level 1 has no label"));
    assert_int_equal(hr_hierarchy_from_labels(NULL, two_roots, 2, 2, &tree, &err), HR_EINVAL);
    assert_int_equal(hr_hierarchy_from_labels("t", two_roots, 0, 2, &tree, &err), HR_EDATA);
    hr_table *table = table_of("a\nx\n");
    assert_int_equal(hr_hierarchy_of_values(table, 1, &tree, &err), HR_EINVAL);
    hr_table_free(table);
}

static hr_job *place_job(const hr_table *table) {
    static const char *const boundary[] = {"Styria", "Swiss"};
    hr_hierarchy *tree = place_tree();
    hr_job *job;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    MUST(hr_job_set(job, "quasi", "city", &err));
    MUST(hr_job_set(job, "keep", "note", &err));
    MUST(hr_job_set(job, "k", "2", &err));
    MUST(hr_job_set_hierarchy(job, "city", tree, &err));
    MUST(hr_job_set_boundary(job, "city", boundary, 2, &err));
    hr_hierarchy_free(tree); /* the job owns it, too */
    return job;
}

static void test_run(void **state) {
    (void)state;
    hr_table *table = table_of("city,note\nGraz,1\nLeoben,2\nLinz,3\nBern,4\nBern,5\n");
    hr_job *job = place_job(table);
    hr_release *release;
    for (int round = 0; round < 2; round++) { /* a job may be run again */
        MUST(hr_job_run(job, NULL, &release, &err));
        const hr_table *released = hr_release_table(release);
        assert_int_equal(hr_table_rows(released), 4); /* Linz is alone below its boundary */
        assert_string_equal(hr_table_text(released, 0, 0), "Bern");
        assert_string_equal(hr_table_text(released, 3, 0), "Styria");
        hr_release_free(release);
    }
    hr_job_free(job);
    hr_table_free(table);
}

/* A later setting replaces the tree. */
static void test_replaced(void **state) {
    (void)state;
    hr_table *table = table_of("city,note\nGraz,1\nLeoben,2\nLinz,3\nBern,4\nBern,5\n");
    hr_job *job = place_job(table);
    hr_hierarchy *flat;
    hr_release *release;
    MUST(hr_hierarchy_of_values(table, 0, &flat, &err));
    MUST(hr_job_set_hierarchy(job, "city", flat, &err));
    hr_error err = {0};
    assert_int_not_equal(hr_job_run(job, NULL, &release, &err), HR_OK);
    assert_non_null(strstr(err.message, "Styria")); /* no node of the new tree */
    hr_hierarchy_free(flat);
    hr_job_free(job);
    hr_table_free(table);
}

/* ---- keys ---- */

static bool find_key(const char *name, hr_key_info *info) {
    for (size_t i = 0;; i++) {
        *info = (hr_key_info){.size = sizeof *info};
        if (!hr_key_info_at(i, info)) return false;
        if (!strcmp(info->name, name)) return true;
    }
}

static void test_keys(void **state) {
    (void)state;
    hr_key_info info;
    size_t count = 0;
    for (info = (hr_key_info){.size = sizeof info}; hr_key_info_at(count, &info); count++) {
        hr_key_info again;
        assert_non_null(info.help);
        assert_true(find_key(info.name, &again)); /* each name once */
        assert_ptr_equal(again.name, info.name);
        if (info.type == HR_TYPE_CHOICE) assert_non_null(strchr(info.choices, '|'));
    }
    assert_true(count > 25);
    assert_true(find_key("seed", &info));
    assert_int_equal(info.type, HR_TYPE_INT);
    assert_string_equal(info.initial, "1");
    assert_true(find_key("k", &info));
    assert_false(info.has_default); /* it must be given */
    assert_string_equal(info.owner, "k-anonymity");
    assert_true(find_key("effort", &info));
    assert_string_equal(info.owner, "hedge");
    assert_string_equal(info.initial, "normal");
    assert_true(find_key("report", &info));
    assert_true(info.repeatable);
    hr_key_info small = {.size = offsetof(hr_key_info, argument)}; /* of an older header */
    assert_true(hr_key_info_at(0, &small));
    assert_string_equal(small.name, "input");
    assert_null(small.help);
    small = (hr_key_info){.size = offsetof(hr_key_info, owner_kind)};
    assert_true(hr_key_info_find("output", &small));
    assert_int_equal(small.type, HR_TYPE_PATH);
    assert_null(small.commands);
}

/* Keys of an attribute: each is one that a job takes, and the last is followed by none. */
static void test_attribute_keys(void **state) {
    (void)state;
    hr_key_info info = {.size = sizeof info};
    size_t count = 0;
    bool found = false;
    for (; hr_attribute_key_info_at(count, &info); count++) {
        assert_non_null(info.argument);
        assert_non_null(info.help);
        found |= !strcmp(info.name, "boundary");
    }
    assert_true(found && count > 10);
    hr_key_info small = {.size = offsetof(hr_key_info, argument)};
    assert_true(hr_attribute_key_info_at(0, &small));
    assert_string_equal(small.name, "role");
    assert_null(small.help);
}

/* What the command makes of keys. */
static void test_key_flags(void **state) {
    (void)state;
    hr_key_info info = {.size = sizeof info};
    assert_true(hr_key_info_find("output", &info));
    assert_int_equal(info.letter, 'o');
    assert_string_equal(info.commands, "anonymize");
    assert_true(hr_key_info_find("max_suppressed", &info)); /* '_' is '-' */
    assert_string_equal(info.name, "max-suppressed");
    assert_int_equal(info.letter, 0);
    assert_string_equal(info.commands, "anonymize compare");
    assert_true(hr_key_info_find("p", &info));
    assert_int_equal(info.owner_kind, HR_KIND_MODEL);
    assert_string_equal(info.commands, "anonymize check boundaries compare");
    assert_true(hr_key_info_find("effort", &info));
    assert_int_equal(info.owner_kind, HR_KIND_ALGORITHM);
    assert_string_equal(info.commands, "anonymize check compare");
    assert_true(hr_key_info_find("model", &info)); /* in job files only */
    assert_string_equal(info.commands, "");
    assert_false(hr_key_info_find("o", &info));
    assert_false(hr_key_info_find("", &info));
}

static void check_output(const hr_job *job, size_t i, const char *key, const char *path) {
    const char *found = NULL;
    assert_string_equal(hr_job_output_at(job, i, &found), path);
    assert_string_equal(found, key);
}

static void test_outputs(void **state) {
    (void)state;
    hr_job *job;
    MUST(hr_job_new(&job, &err));
    assert_null(hr_job_output_at(job, 0, NULL));
    MUST(hr_job_set(job, "report", "a.json", &err));
    MUST(hr_job_set(job, "report", "b.json", &err));
    MUST(hr_job_set(job, "trace", "t.csv", &err));
    MUST(hr_job_set(job, "output", "-", &err)); /* no file */
    check_output(job, 0, "trace", "t.csv");
    check_output(job, 1, "report", "a.json");
    check_output(job, 2, "report", "b.json");
    assert_null(hr_job_output_at(job, 3, NULL));
    MUST(hr_job_set(job, "output", "o.csv", &err));
    MUST(hr_job_set(job, "minimal", "m.csv", &err));
    MUST(hr_job_set(job, "certificate", "c.json", &err));
    check_output(job, 0, "output", "o.csv");
    check_output(job, 2, "minimal", "m.csv");
    check_output(job, 3, "certificate", "c.json");
    check_output(job, 5, "report", "b.json");
    assert_string_equal(hr_job_output_at(job, 1, NULL), "t.csv");
    assert_null(hr_job_output_at(job, 6, NULL));
    hr_job_free(job);
}

static void test_values(void **state) {
    (void)state;
    static const char text[] = "model: {k: 4}\nseed: 7\nattributes:\n  age: {role: quasi}\n"
                               "  x: {bins: 3}\n";
    hr_job *job;
    MUST(hr_job_parse(text, sizeof text - 1, "text", NULL, &job, &err));
    assert_string_equal(hr_job_get(job, "k"), "4");
    assert_string_equal(hr_job_get(job, "seed"), "7");
    MUST(hr_job_set(job, "max_suppressed", "0.5", &err));
    assert_string_equal(hr_job_get(job, "max-suppressed"), "0.5");
    assert_null(hr_job_get(job, "threads"));
    assert_null(hr_job_get(job, "no such key"));
    assert_int_equal(hr_job_column_count(job), 2);
    assert_string_equal(hr_job_column_name(job, 0), "age");
    assert_string_equal(hr_job_column_role(job, 0), "quasi");
    assert_null(hr_job_column_role(job, 1));
    assert_true(hr_job_column_is_text(job, 0));
    assert_false(hr_job_column_is_text(job, 1));
    hr_error err = {0};
    assert_int_equal(hr_job_complete(job, &err), HR_EINVAL); /* it has no input */
    hr_job_free(job);
}

/* ---- releases ---- */

/* The trace as a table has what the functions of single rows give, from 1. */
static void check_trace(const hr_release *release) {
    hr_table *trace;
    hr_error err;
    assert_int_equal(hr_release_trace(release, &trace, &err), HR_OK);
    assert_int_equal(hr_table_rows(trace), hr_release_input_rows(release));
    for (size_t row = 0; row < hr_table_rows(trace); row++) {
        uint32_t place = hr_release_row(release, row);
        bool kept = place != HR_NONE;
        assert_int_equal(atoi(hr_table_text(trace, row, 0)), (int)row + 1);
        assert_string_equal(hr_table_text(trace, row, 3), kept ? "kept" : "suppressed");
        assert_true(hr_table_is_null(trace, row, 1) == !kept);
        assert_true(hr_table_is_null(trace, row, 4) == !kept);
        if (!kept) continue;
        assert_int_equal(atoi(hr_table_text(trace, row, 1)), hr_release_class(release, row) + 1);
        assert_int_equal(atoi(hr_table_text(trace, row, 4)), place + 1);
    }
    hr_table_free(trace);
}

static void test_release(void **state) {
    (void)state;
    hr_table *table = table_of("city,note\nGraz,1\nLeoben,2\nLinz,3\nBern,4\nBern,5\n");
    hr_job *job = place_job(table);
    hr_release *release;
    MUST(hr_job_set(job, "order", "input", &err));
    MUST(hr_job_run(job, NULL, &release, &err));
    const hr_figures *figures = hr_release_figures(release);
    assert_int_equal(figures->rows, 5);
    assert_int_equal(figures->suppressed, 1);
    assert_int_equal(figures->classes, 2);
    assert_int_equal(hr_release_input_rows(release), 5);
    assert_int_equal(hr_release_class(release, 0), hr_release_class(release, 1));
    assert_int_equal(hr_release_class(release, 3), hr_release_class(release, 4));
    assert_int_not_equal(hr_release_class(release, 0), hr_release_class(release, 3));
    assert_int_equal(hr_release_class(release, 2), HR_NONE);
    assert_int_equal(hr_release_row(release, 2), HR_NONE);
    for (size_t row = 0; row < 5; row++)
        if (row != 2)
            assert_int_equal(hr_release_input_row(release, hr_release_row(release, row)), row);
    check_trace(release);
    double ntil;
    assert_true(hr_release_measure(release, "ntil", &ntil));
    near(ntil, figures->ntil);
    assert_false(hr_release_measure(release, "beauty", &ntil));
    assert_non_null(strstr(hr_release_warning(release, 0), "order input"));
    assert_non_null(strstr(hr_release_summary(release), "verified"));
    size_t warnings = 0;
    while (hr_release_warning(release, warnings))
        warnings++;
    assert_null(hr_release_warning(release, warnings + 5));
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
}

static hr_status print_release(void *payload, hr_error *err) {
    char *text;
    hr_status status = hr_release_print(payload, HR_PRINT_CSV, &text, err);
    assert_int_equal(status == HR_OK, text != NULL);
    hr_free(text);
    return status;
}

static void test_release_printed(void **state) {
    (void)state;
    hr_table *table = table_of("city,note\nGraz,1\nLeoben,2\nLinz,3\nBern,4\nBern,5\n");
    hr_job *job = place_job(table);
    hr_release *release;
    char *text;
    MUST(hr_job_run(job, NULL, &release, &err));
    MUST(hr_release_print(release, HR_PRINT_TABLE, &text, &err));
    assert_string_equal(text, hr_release_summary(release));
    hr_free(text);
    MUST(hr_release_print(release, HR_PRINT_CSV, &text, &err));
    assert_non_null(strstr(text,
                           "rows,released,suppressed,classes,clusters,k,p,achieved_k,"
                           "achieved_p,violations,ntil,ntil_bound,sse_sst,seconds,trimmed,alpha,"
                           "achieved_alpha,l,achieved_l,entropy_l,achieved_entropy_l,"
                           "recursive_c,achieved_recursive_c,t,achieved_t\n"
                           "5,4,1,2,2,2,1,2,,0,"));
    hr_free(text);
    MUST(hr_release_print(release, HR_PRINT_JSON, &text, &err));
    assert_non_null(strstr(text, "\"achieved_p\": null"));
    hr_free(text);
    assert_int_equal(hr_release_print(release, (hr_print_format)3, &text, NULL), HR_EINVAL);
    assert_null(text);
    with_failing_memory(print_release, release, 2);
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
}

static void test_watch_has_a_size(void **state) {
    (void)state;
    hr_table *table = table_of("city,note\nGraz,1\nLeoben,2\n");
    hr_job *job = place_job(table);
    hr_release *release;
    hr_watch unset = {0};
    hr_error err = {0};
    assert_int_equal(hr_job_run(job, &unset, &release, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "size"));
    assert_null(release);
    hr_job_free(job);
    hr_table_free(table);
}

/* ---- checks ---- */

static void test_check(void **state) {
    (void)state;
    hr_table *table = table_of("city,note\nGraz,1\nLeoben,2\nLinz,3\nBern,4\nBern,5\n");
    hr_table *masked = table_of("city,note\nStyria,1\nStyria,2\nBern,4\nBern,5\n");
    hr_table *original = table_of("city,note\nGraz,1\nLeoben,2\nBern,4\nBern,5\n");
    hr_job *job = place_job(table);
    hr_check *check;
    hr_check_request request = {.size = sizeof request, .masked_table = masked};
    MUST(hr_job_check(job, &request, NULL, &check, &err));
    const hr_check_figures *figures = hr_check_result(check);
    assert_true(figures->holds);
    assert_false(figures->compared);
    assert_int_equal(figures->classes, 2);
    assert_int_equal(figures->achieved_k, 2);
    assert_null(hr_check_reason(check, 0));
    assert_non_null(strstr(hr_check_summary(check), "the table: yes"));
    hr_check_free(check);

    request.original_table = original;
    MUST(hr_job_check(job, &request, NULL, &check, &err));
    assert_true(hr_check_result(check)->holds);
    assert_true(hr_check_result(check)->compared);
    hr_check_free(check);

    request.original_table = masked; /* a city that covers nothing, and notes that fit */
    request.masked_table = original;
    MUST(hr_job_set(job, "k", "3", &err));
    assert_int_equal(hr_job_check(job, &request, NULL, &check, NULL), HR_EDATA); /* no leaf */
    request.original_table = NULL;
    MUST(hr_job_check(job, &request, NULL, &check, &err));
    assert_false(hr_check_result(check)->holds);
    assert_int_equal(hr_check_result(check)->small_classes, 3);
    assert_non_null(strstr(hr_check_reason(check, 0), "3 classes of fewer than 3 rows"));
    assert_null(hr_check_reason(check, 1));
    hr_check_free(check);

    request.masked_table = NULL;
    assert_int_equal(hr_job_check(job, &request, NULL, &check, NULL), HR_EINVAL);
    request.size = 0;
    assert_int_equal(hr_job_check(job, &request, NULL, &check, NULL), HR_EINVAL);
    assert_null(check);
    hr_job_free(job);
    hr_table_free(table);
    hr_table_free(masked);
    hr_table_free(original);
}

static hr_status print_check(void *payload, hr_error *err) {
    char *text;
    hr_status status = hr_check_print(payload, HR_PRINT_CSV, &text, err);
    assert_int_equal(status == HR_OK, text != NULL);
    hr_free(text);
    return status;
}

static void test_check_printed(void **state) {
    (void)state;
    hr_table *masked = table_of("city,note\nStyria,1\nStyria,2\nBern,4\n");
    hr_job *job = place_job(masked);
    hr_check *check;
    hr_check_request request = {.size = sizeof request, .masked_table = masked};
    char *text;
    MUST(hr_job_check(job, &request, NULL, &check, &err));
    MUST(hr_check_print(check, HR_PRINT_TABLE, &text, &err));
    assert_string_equal(text, hr_check_summary(check));
    hr_free(text);
    MUST(hr_check_print(check, HR_PRINT_CSV, &text, &err));
    assert_non_null(
        strstr(text, "\nthe table,no,3,2,2,1,1,,1,0,,,,0,0,0,,,0,0,0,0,0,no,,,,,,,,,,,0\n"));
    hr_free(text);
    MUST(hr_check_print(check, HR_PRINT_JSON, &text, &err));
    assert_non_null(strstr(text, "\"holds\": \"no\""));
    hr_free(text);
    assert_int_equal(hr_check_print(check, (hr_print_format)-2, &text, NULL), HR_EINVAL);
    assert_null(text);
    with_failing_memory(print_check, check, 2);
    hr_check_free(check);
    hr_job_free(job);
    hr_table_free(masked);
}

static bool says_stop(void *payload) {
    (void)payload;
    return true;
}

static void test_check_is_cancelled(void **state) {
    (void)state;
    hr_table *table = table_of("city,note\nBern,4\nBern,5\n");
    hr_job *job = place_job(table);
    hr_check *check;
    hr_watch watch = {.size = sizeof watch, .cancelled = says_stop};
    hr_check_request request = {
        .size = sizeof request, .masked_table = table, .original_table = table};
    assert_int_equal(hr_job_check(job, &request, &watch, &check, NULL), HR_ECANCEL);
    assert_null(check);
    hr_job_free(job);
    hr_table_free(table);
}

/* The check answers for columns that should not be there, and does not count them as values. */
static void test_check_leftovers(void **state) {
    (void)state;
    hr_table *table = table_of("city,note,name\nBern,4,Ann\nBern,5,Bo\n");
    hr_job *job = place_job(table);
    hr_check *check;
    hr_check_request request = {.size = sizeof request, .masked_table = table};
    MUST(hr_job_set(job, "identifier", "name", &err));
    MUST(hr_job_check(job, &request, NULL, &check, &err));
    assert_false(hr_check_result(check)->holds);
    assert_int_equal(hr_check_result(check)->identifiers, 1);
    assert_string_equal(hr_check_reason(check, 0), "the file contains the identifier 'name'");
    hr_check_free(check);
    hr_job_free(job);
    hr_table_free(table);
}

/* Of six rows four have the same value: one has to go so that no share is above .6. */
static void test_alpha(void **state) {
    (void)state;
    hr_table *table = table_of("city,note,ill\nGraz,1,a\nGraz,1,a\nLeoben,1,a\nLeoben,2,b\n"
                               "Graz,1,a\nGraz,3,c\n");
    hr_job *job = place_job(table);
    hr_release *release;
    hr_check *check;
    double asked, achieved;
    MUST(hr_job_set(job, "sensitive", "ill", &err));
    MUST(hr_job_set(job, "alpha", "0.6", &err));
    MUST(hr_job_run(job, NULL, &release, &err));
    assert_int_equal(hr_release_figures(release)->suppressed, 1);
    assert_int_equal(hr_release_figures(release)->trimmed, 1);
    assert_true(hr_release_achieved(release, "alpha", &asked, &achieved));
    near(asked, 0.6);
    assert_true(achieved <= 0.6);
    assert_true(hr_release_achieved(release, "k", &asked, &achieved));
    near(asked, 2);
    assert_false(hr_release_achieved(release, "q", &asked, &achieved));
    hr_check_request request = {.size = sizeof request, .masked_table = hr_release_table(release)};
    MUST(hr_job_check(job, &request, NULL, &check, &err));
    assert_true(hr_check_result(check)->holds);
    hr_check_free(check);
    MUST(hr_job_set(job, "alpha", "0.5", &err));
    MUST(hr_job_check(job, &request, NULL, &check, &err));
    assert_false(hr_check_result(check)->holds);
    assert_true(hr_check_result(check)->failing_classes > 0);
    assert_true(hr_check_achieved(check, "alpha", &asked, &achieved));
    assert_true(achieved > 0.5);
    assert_non_null(strstr(hr_check_reason(check, 0), "alpha"));
    hr_check_free(check);
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
}

/* ---- boundaries ---- */

static void test_boundaries(void **state) {
    (void)state;
    static const int64_t ks[] = {1, 2, 3}, ps[] = {1};
    hr_table *table = table_of("city,note\nGraz,1\nLeoben,2\nLinz,3\nBern,4\nBern,5\n");
    hr_job *job = place_job(table);
    hr_prices *prices;
    MUST(hr_job_boundaries(job, ks, 3, ps, 1, NULL, &prices, &err));
    static const uint64_t suppressed[] = {0, 1, 5}, relaxed[] = {0, 0, 2};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(hr_prices_at(prices, i)->k, ks[i]);
        assert_int_equal(hr_prices_at(prices, i)->suppressed, suppressed[i]);
        assert_int_equal(hr_prices_at(prices, i)->relaxed[0], relaxed[i]);
    }
    assert_null(hr_prices_at(prices, 3));
    const hr_cut *cut = hr_prices_cut(prices);
    assert_int_equal(cut->cells, 3);
    assert_string_equal(cut->quasi_names[0], "city");
    assert_true(cut->bounded[0]);
    hr_prices_free(prices);
    hr_error err = {0};
    assert_int_equal(hr_job_boundaries(job, ks, 0, ps, 1, NULL, &prices, &err), HR_EINVAL);
    static const int64_t zero[] = {0};
    assert_int_equal(hr_job_boundaries(job, zero, 1, ps, 1, NULL, &prices, &err), HR_EINVAL);
    hr_job_free(job);
    hr_table_free(table);
}

/* Without lists the job's own k and p are priced. */
static void test_boundaries_of_the_job(void **state) {
    (void)state;
    hr_table *table = table_of("city,note\nGraz,1\nLeoben,2\nLinz,3\nBern,4\nBern,5\n");
    hr_job *job = place_job(table), *empty;
    hr_prices *prices;
    MUST(hr_job_boundaries(job, NULL, 0, NULL, 0, NULL, &prices, &err));
    assert_int_equal(hr_prices_at(prices, 0)->k, 2);
    assert_int_equal(hr_prices_at(prices, 0)->p, 1);
    assert_null(hr_prices_at(prices, 1));
    hr_prices_free(prices);
    MUST(hr_job_new(&empty, &err));
    hr_error err = {0};
    assert_int_equal(hr_job_boundaries(empty, NULL, 0, NULL, 0, NULL, &prices, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "k is missing"));
    assert_null(prices);
    hr_job_free(empty);
    hr_job_free(job);
    hr_table_free(table);
}

static void test_names(void **state) {
    (void)state;
    assert_string_equal(hr_status_name(HR_ENOSOL), "HR_ENOSOL");
    assert_string_equal(hr_status_name((hr_status)99), "unknown");
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", HR_VERSION_MAJOR, HR_VERSION_MINOR,
             HR_VERSION_PATCH);
    assert_string_equal(version, HR_VERSION);
    assert_string_equal(hr_version(), HR_VERSION);
    hr_error err = {0};
    assert_int_equal(hr_fail(&err, HR_EDATA, "row %d,\ncolumn %s", 7, "age"), HR_EDATA);
    assert_int_equal(err.code, HR_EDATA);
    assert_string_equal(err.message, "row 7, column age"); /* one line */
    assert_int_equal(hr_fail(NULL, HR_EIO, "no room"), HR_EIO);
}

/* Classes of a lent table, whose rows are in no order, have k people each: the search sorts a copy
 * of the table, and the people have to go with their rows. */
static void test_unit_of_lent_table(void **state) {
    (void)state;
    enum { ROWS = 60, PEOPLE = 17 };
    for (uint64_t seed = 1; seed <= 40; seed++) {
        char csv[4096] = "town,person,note\n";
        unsigned person[ROWS];
        hr_random random;
        hr_random_seed(&random, seed, 0);
        for (unsigned row = 0; row < ROWS; row++) {
            person[row] = (unsigned)(hr_random_next(&random) % PEOPLE);
            snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%c%c,q%u,%u\n",
                     (char)('a' + hr_random_next(&random) % 3),
                     (char)('a' + hr_random_next(&random) % 4), person[row], row);
        }
        hr_table *table = table_of(csv);
        hr_job *job;
        hr_release *release;
        static const char text[] = "model: {k: 4}\nunit: person\neffort: quick\nattributes:\n"
                                   "  town: {role: quasi, hierarchy: {prefix: [1]}}\n"
                                   "  note: {role: drop}\n";
        MUST(hr_job_parse(text, strlen(text), "job", ".", &job, &err));
        MUST(hr_job_set_input(job, table, &err));
        MUST(hr_job_run(job, NULL, &release, &err));
        bool in_class[ROWS][PEOPLE] = {0};
        bool any[ROWS] = {0};
        for (size_t row = 0; row < ROWS; row++) {
            uint32_t class = hr_release_class(release, row);
            if (class >= ROWS) continue; /* suppressed */
            any[class] = in_class[class][person[row]] = true;
        }
        for (size_t g = 0; g < ROWS; g++) {
            unsigned people = 0;
            for (size_t i = 0; i < PEOPLE; i++)
                people += in_class[g][i];
            if (any[g]) assert_true(people >= 4);
        }
        hr_release_free(release);
        hr_job_free(job);
        hr_table_free(table);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_access),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_unit_of_lent_table),
        cmocka_unit_test(test_replaced),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_attribute_keys),
        cmocka_unit_test(test_key_flags),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_release),
        cmocka_unit_test(test_release_printed),
        cmocka_unit_test(test_watch_has_a_size),
        cmocka_unit_test(test_check),
        cmocka_unit_test(test_check_printed),
        cmocka_unit_test(test_check_leftovers),
        cmocka_unit_test(test_check_is_cancelled),
        cmocka_unit_test(test_alpha),
        cmocka_unit_test(test_boundaries),
        cmocka_unit_test(test_boundaries_of_the_job),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
