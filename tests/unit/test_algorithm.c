/* test_algorithm.c - the table of algorithms: every descriptor is complete and consistent, and
 * every alias names an algorithm. */
#include "algorithm/algorithm.h"
#include "unit.h"

static void test_descriptors(void **state) {
    (void)state;
    for (size_t i = 0; hr_algorithms[i]; i++) {
        const hr_algorithm *a = hr_algorithms[i];
        assert_ptr_equal(hr_algorithm_find(a->name), a);
        assert_non_null(a->title);
        assert_non_null(a->reference);
        assert_int_equal(a->options != NULL, a->options_size > 0);
        assert_int_equal(!a->per_cell, a->whole_table != NULL);
        if (a->per_cell) {
            assert_non_null(a->per_cell->run);
            assert_int_equal(!a->per_cell->prepare, !a->per_cell->discard);
        } else {
            assert_non_null(a->whole_table->run);
        }
        if (a->lists_alternatives) assert_non_null(a->whole_table);
        /* Means are of numbers, hierarchies of categories. */
        assert_false(a->needs_hierarchy && hr_publishes_means(a));
    }
    assert_null(hr_algorithm_find("no such algorithm"));
}

static void test_defaults(void **state) {
    (void)state;
    for (size_t i = 0; hr_algorithms[i]; i++) {
        const hr_algorithm *a = hr_algorithms[i];
        char *options = hr_alloc(1, a->options_size + 1, NULL);
        assert_non_null(options);
        if (a->options) hr_options_init(a->options, options);
        hr_aim aim = hr_algorithm_aim(a, options);
        assert_in_range(aim.passes, 1, HR_PASSES);
        assert_false(hr_algorithm_may_suppress(a, options)); /* unless asked to */
        if (hr_publishes_means(a))
            assert_int_equal(a->mean_decimals(options), HR_DECIMALS_OF_INPUT);
        free(options);
    }
}

static void test_aliases(void **state) {
    (void)state;
    for (const hr_alias *alias = hr_aliases; alias->name; alias++) {
        assert_ptr_equal(hr_alias_find(alias->name), alias);
        assert_non_null(hr_algorithm_find(alias->algorithm));
    }
    assert_null(hr_alias_find("no such alias"));
}

static void test_no_findings(void **state) {
    (void)state;
    assert_int_equal(hr_findings_value(NULL, "checked"), 0);
    hr_findings_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptors),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_aliases),
        cmocka_unit_test(test_no_findings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
