/* test_tree.c - hierarchies that are shown and checked, through the public interface. */
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

/* ---- views ---- */

static void check_node(const hr_hierarchy *tree, const hr_hierarchy_view *view, size_t i,
                       const char *label, hr_shown_node expected) {
    const hr_shown_node *node = hr_hierarchy_view_at(view, i);
    assert_non_null(node);
    assert_string_equal(hr_hierarchy_label(tree, node->node), label);
    assert_int_equal(node->depth, expected.depth);
    assert_int_equal(node->height, expected.height);
    assert_int_equal(node->leaves, expected.leaves);
    assert_int_equal(node->boundary, expected.boundary);
    assert_int_equal(node->rows, expected.rows);
}

static void test_view(void **state) {
    (void)state;
    hr_hierarchy *tree = place_tree();
    hr_table *table = table_of("note,city\n1,Graz\n2,Leoben\n3,Linz\n4,Bern\n5,Bern\n6,Rome\n");
    hr_hierarchy_view *view;
    hr_hierarchy_show_request request = {
        .size = sizeof request, .boundary = "Styria,Swiss", .data = table, .column = 1};
    MUST(hr_hierarchy_show(tree, &request, &view, &err));
    hr_hierarchy_free(tree); /* the view owns it, too */
    check_node(tree, view, 0, "*",
               (hr_shown_node){.height = 3, .leaves = 4, .boundary = true, .rows = 5});
    check_node(tree, view, 1, "Austria",
               (hr_shown_node){.depth = 1, .height = 2, .leaves = 3, .rows = 3});
    check_node(tree, view, 2, "Styria",
               (hr_shown_node){.depth = 2, .height = 1, .leaves = 2, .boundary = true, .rows = 2});
    check_node(tree, view, 3, "Graz", (hr_shown_node){.depth = 3, .leaves = 1, .rows = 1});
    check_node(tree, view, 7, "Swiss",
               (hr_shown_node){.depth = 1, .height = 1, .leaves = 1, .boundary = true, .rows = 2});
    assert_non_null(hr_hierarchy_view_at(view, 8));
    assert_null(hr_hierarchy_view_at(view, 9));
    assert_null(hr_hierarchy_view_at(view, SIZE_MAX));
    hr_hierarchy_view_free(view);
    hr_table_free(table);
}

static void test_depth(void **state) {
    (void)state;
    hr_hierarchy *tree = place_tree();
    hr_hierarchy_view *view;
    hr_hierarchy_show_request request = {.size = sizeof request, .depth_given = true, .depth = 1};
    MUST(hr_hierarchy_show(tree, &request, &view, &err));
    check_node(tree, view, 2, "Swiss", (hr_shown_node){.depth = 1, .height = 1, .leaves = 1});
    assert_null(hr_hierarchy_view_at(view, 3));
    hr_hierarchy_view_free(view);
    request.depth = 0;
    MUST(hr_hierarchy_show(tree, &request, &view, &err));
    assert_null(hr_hierarchy_view_at(view, 1));
    hr_hierarchy_view_free(view);
    MUST(hr_hierarchy_show(tree, NULL, &view, &err)); /* everything */
    assert_non_null(hr_hierarchy_view_at(view, 8));
    hr_hierarchy_view_free(view);
    hr_hierarchy_view_free(NULL);
    hr_hierarchy_free(tree);
}

static void test_view_refused(void **state) {
    (void)state;
    hr_hierarchy *tree = place_tree();
    hr_table *table = table_of("city\nGraz\n");
    hr_hierarchy_view *view;
    hr_error err = {0};
    hr_hierarchy_show_request request = {0};
    assert_int_equal(hr_hierarchy_show(tree, &request, &view, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "size"));
    assert_null(view);
    request.size = sizeof request;
    request.boundary = "Stiria";
    assert_int_equal(hr_hierarchy_show(tree, &request, &view, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "did you mean 'Styria'?"));
    request.boundary = "level:4";
    assert_int_equal(hr_hierarchy_show(tree, &request, &view, &err), HR_EINVAL);
    request.boundary = NULL;
    request.data = table;
    request.column = 1;
    assert_int_equal(hr_hierarchy_show(tree, &request, &view, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "no column number 1"));
    assert_null(view);
    hr_table_free(table);
    hr_hierarchy_free(tree);
}

static void test_view_printed(void **state) {
    (void)state;
    hr_hierarchy *tree = place_tree();
    hr_hierarchy_view *view;
    hr_hierarchy_show_request request = {
        .size = sizeof request, .boundary = "level:2", .depth_given = true, .depth = 1};
    char *text;
    MUST(hr_hierarchy_show(tree, &request, &view, &err));
    MUST(hr_hierarchy_view_print(view, HR_PRINT_TABLE, &text, &err));
    assert_string_equal(
        text, "*\n├── Austria ◆ (3 leaves)\n└── Swiss ◆ (1 leaf)\n\n"
              "◆ boundary: a value is generalized no further than the first ◆ above it\n");
    hr_free(text);
    MUST(hr_hierarchy_view_print(view, HR_PRINT_CSV, &text, &err));
    assert_string_equal(text, "node,parent,depth,height,leaves,boundary,rows\n*,,0,3,4,0,\n"
                              "Austria,*,1,2,3,1,\nSwiss,*,1,1,1,1,\n");
    hr_free(text);
    MUST(hr_hierarchy_view_print(view, HR_PRINT_JSON, &text, &err));
    assert_non_null(strstr(text, "\"node\": \"Swiss\""));
    hr_free(text);
    assert_int_equal(hr_hierarchy_view_print(view, (hr_print_format)3, &text, NULL), HR_EINVAL);
    assert_null(text);
    hr_hierarchy_view_free(view);
    hr_hierarchy_free(tree);
}

/* ---- findings ---- */

static void test_findings(void **state) {
    (void)state;
    hr_hierarchy *tree = place_tree(), *flat;
    hr_table *table = table_of("city\nGraz\nLinz\nLeobn\nLeobn\nRome\n");
    hr_hierarchy_findings *findings;
    MUST(hr_hierarchy_of_values(table, 0, &flat, &err));
    const hr_hierarchy *const trees[] = {tree, flat};
    hr_hierarchy_check_request request = {
        .size = sizeof request, .trees = trees, .count = 2, .data = table};
    MUST(hr_hierarchy_check(&request, &findings, &err));
    const hr_hierarchy_finding *finding = hr_hierarchy_findings_at(findings, 0);
    assert_string_equal(finding->name, "places");
    assert_int_equal(finding->status, HR_EDATA);
    assert_string_equal(finding->problem, "2 values of 'city' (3 rows) have no leaf: 'Leobn' (did "
                                          "you mean 'Leoben'?), 'Rome'");
    assert_int_equal(finding->leaves, 4);
    assert_int_equal(finding->nodes, 9);
    assert_int_equal(finding->height, 3);
    assert_int_equal(finding->levels, 4);
    assert_string_equal(finding->root, "*");
    assert_int_equal(finding->stray_values, 2);
    assert_int_equal(finding->stray_rows, 3);
    assert_int_equal(finding->only_children, 2);
    assert_int_equal(finding->inner_leaves, 0);
    assert_non_null(strstr(hr_hierarchy_findings_notice(findings, 0, 0), "2 nodes have one child"));
    assert_null(hr_hierarchy_findings_notice(findings, 0, 1));
    assert_null(hr_hierarchy_findings_notice(findings, 0, SIZE_MAX));
    finding = hr_hierarchy_findings_at(findings, 1);
    assert_string_equal(finding->name, "flat");
    assert_int_equal(finding->status, HR_OK);
    assert_null(finding->problem);
    assert_int_equal(finding->stray_values, 0);
    assert_null(hr_hierarchy_findings_notice(findings, 1, 0));
    assert_null(hr_hierarchy_findings_notice(findings, 2, 0));
    assert_null(hr_hierarchy_findings_at(findings, 2));
    hr_hierarchy_findings_free(findings);
    hr_hierarchy_free(flat);
    hr_hierarchy_free(tree);
    hr_table_free(table);
}

/* Files that cannot be used are findings, not failures. */
static void test_files(void **state) {
    (void)state;
    static const char *const paths[] = {"/nowhere/age.csv", "flat"};
    hr_hierarchy_findings *findings;
    hr_hierarchy_check_request request = {.size = sizeof request, .paths = paths, .count = 2};
    char *text;
    MUST(hr_hierarchy_check(&request, &findings, &err));
    assert_int_equal(hr_hierarchy_findings_at(findings, 0)->status, HR_EIO);
    assert_null(hr_hierarchy_findings_at(findings, 0)->root);
    assert_int_equal(hr_hierarchy_findings_at(findings, 1)->status, HR_EINVAL);
    MUST(hr_hierarchy_findings_print(findings, HR_PRINT_CSV, &text, &err));
    assert_string_equal(text,
                        "file,leaves,nodes,height,levels,root,result,values,matched\n"
                        "/nowhere/age.csv,,,,,,cannot read /nowhere/age.csv: No such file or "
                        "directory,,\nflat,,,,,,a flat hierarchy is made of data: give --data "
                        "FILE:COLUMN,,\n");
    hr_free(text);
    MUST(hr_hierarchy_findings_print(findings, HR_PRINT_JSON, &text, &err));
    assert_non_null(strstr(text, "\"leaves\": null"));
    hr_free(text);
    assert_int_equal(hr_hierarchy_findings_print(findings, (hr_print_format)9, &text, NULL),
                     HR_EINVAL);
    assert_null(text);
    hr_hierarchy_findings_free(findings);
    hr_hierarchy_findings_free(NULL);
    hr_error err = {0};
    request.paths = NULL;
    assert_int_equal(hr_hierarchy_check(&request, &findings, &err), HR_EINVAL);
    assert_null(findings);
    request.size = 1;
    assert_int_equal(hr_hierarchy_check(&request, &findings, &err), HR_EINVAL);
    assert_non_null(strstr(err.message, "size"));
}

/* ---- without memory ---- */

typedef struct {
    hr_hierarchy *tree;
    hr_table *table;
} sample;

static hr_status show_and_print(void *payload, hr_error *err) {
    const sample *s = payload;
    hr_hierarchy_view *view;
    char *text = NULL;
    hr_hierarchy_show_request request = {
        .size = sizeof request, .boundary = "level:1", .data = s->table};
    hr_status status = hr_hierarchy_show(s->tree, &request, &view, err);
    assert_int_equal(status == HR_OK, view != NULL);
    if (status == HR_OK) status = hr_hierarchy_view_print(view, HR_PRINT_TABLE, &text, err);
    assert_int_equal(status == HR_OK, text != NULL);
    hr_free(text);
    hr_hierarchy_view_free(view);
    return status;
}

static hr_status check_and_print(void *payload, hr_error *err) {
    const sample *s = payload;
    const hr_hierarchy *const trees[] = {s->tree};
    hr_hierarchy_findings *findings;
    char *text = NULL;
    hr_hierarchy_check_request request = {
        .size = sizeof request, .trees = trees, .count = 1, .data = s->table};
    hr_status status = hr_hierarchy_check(&request, &findings, err);
    assert_int_equal(status == HR_OK, findings != NULL);
    if (status == HR_OK) status = hr_hierarchy_findings_print(findings, HR_PRINT_TABLE, &text, err);
    assert_int_equal(status == HR_OK, text != NULL);
    hr_free(text);
    hr_hierarchy_findings_free(findings);
    return status;
}

static void test_without_memory(void **state) {
    (void)state;
    sample s = {place_tree(), table_of("city\nGraz\nLinz\nRome\n")};
    with_failing_memory(show_and_print, &s, 8);
    with_failing_memory(check_and_print, &s, 8);
    hr_hierarchy_free(s.tree);
    hr_table_free(s.table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_view),           cmocka_unit_test(test_depth),
        cmocka_unit_test(test_view_refused),   cmocka_unit_test(test_view_printed),
        cmocka_unit_test(test_findings),       cmocka_unit_test(test_files),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
