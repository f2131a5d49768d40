/* Jobs without files: hierarchies and boundaries built in memory by the public functions. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_access),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
