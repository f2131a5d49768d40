/* test_list.c - the lists of algorithms, models, measures and formats, through the public
 * interface. */
#include "unit.h"

static hr_list *list_of(const char *section) {
    hr_list *list;
    MUST(hr_list_new(section, &list, &err));
    return list;
}

/* The number of an entry, or SIZE_MAX. */
static size_t find(const hr_list *list, const char *name) {
    const hr_listed *listed;
    for (size_t i = 0; (listed = hr_list_at(list, i)); i++)
        if (!strcmp(listed->name, name)) return i;
    return SIZE_MAX;
}

static size_t count_of(const hr_list *list) {
    size_t count = 0;
    while (hr_list_at(list, count))
        count++;
    return count;
}

static void test_entries(void **state) {
    (void)state;
    hr_list *all = list_of(NULL), *algorithms = list_of("algorithms"), *models = list_of("models"),
            *measures = list_of("measures"), *formats = list_of("formats"),
            *builders = list_of("builders");
    assert_int_equal(count_of(all), count_of(algorithms) + count_of(models) + count_of(measures) +
                                        count_of(formats) + count_of(builders));
    assert_int_equal(hr_list_at(builders, find(builders, "prefix"))->kind, HR_KIND_BUILDER);
    assert_int_equal(hr_list_at(all, find(all, "hedge"))->kind, HR_KIND_ALGORITHM);
    assert_null(hr_list_at(all, find(all, "hedge"))->algorithm);
    const hr_listed *alias = hr_list_at(algorithms, find(algorithms, "GreedyCPKA"));
    assert_int_equal(alias->kind, HR_KIND_ALIAS);
    assert_string_equal(alias->algorithm, "greedy-pk");
    assert_non_null(strstr(alias->title, "greedy-pk with "));
    assert_int_equal(alias->option_count, 0);
    assert_int_equal(hr_list_at(models, find(models, "k-anonymity"))->kind, HR_KIND_MODEL);
    assert_int_equal(hr_list_at(measures, find(measures, "ntil"))->kind, HR_KIND_MEASURE);
    assert_int_equal(hr_list_at(formats, find(formats, "csv"))->kind, HR_KIND_FORMAT);
    for (size_t i = 0; i < count_of(all); i++) {
        assert_non_null(hr_list_at(all, i)->title);
        assert_non_null(hr_list_at(all, i)->reference);
    }
    assert_null(hr_list_at(all, SIZE_MAX));
    hr_list_free(all);
    hr_list_free(algorithms);
    hr_list_free(models);
    hr_list_free(measures);
    hr_list_free(formats);
    hr_list_free(builders);
    hr_list_free(NULL);
}

static void test_options(void **state) {
    (void)state;
    hr_list *list = list_of(NULL);
    size_t hedge = find(list, "hedge"), model = find(list, "k-anonymity");
    hr_key_info info = {.size = sizeof info};
    assert_true(hr_list_option(list, model, 0, &info));
    assert_string_equal(info.name, "k");
    assert_int_equal(info.type, HR_TYPE_INT);
    assert_false(info.has_default);
    assert_string_equal(info.owner, "k-anonymity");
    assert_int_equal(info.owner_kind, HR_KIND_MODEL);
    assert_true(info.least >= 1 && info.most > info.least);
    bool found = false;
    for (size_t i = 0; i < hr_list_at(list, hedge)->option_count; i++) {
        assert_true(hr_list_option(list, hedge, i, &info));
        if (strcmp(info.name, "effort")) continue;
        found = true;
        assert_int_equal(info.type, HR_TYPE_CHOICE);
        assert_string_equal(info.initial, "normal");
    }
    assert_true(found);
    assert_false(hr_list_option(list, hedge, hr_list_at(list, hedge)->option_count, &info));
    assert_false(hr_list_option(list, count_of(list), 0, &info));
    hr_list_free(list);
}

static void test_refused(void **state) {
    (void)state;
    hr_list *list;
    hr_error err = {0};
    char *text;
    assert_int_equal(hr_list_new("modles", &list, &err), HR_EINVAL);
    assert_null(list);
    assert_non_null(strstr(err.message, "did you mean 'models'?"));
    list = list_of("formats");
    assert_int_equal(hr_list_print(list, (hr_print_format)-1, &text, &err), HR_EINVAL);
    assert_null(text);
    hr_list_free(list);
}

static void test_printed(void **state) {
    (void)state;
    hr_list *list = list_of("formats"), *all = list_of(NULL);
    char *text;
    MUST(hr_list_print(list, HR_PRINT_TABLE, &text, &err));
    assert_memory_equal(text, "  csv ", 6);
    hr_free(text);
    MUST(hr_list_print(list, HR_PRINT_CSV, &text, &err));
    assert_memory_equal(text, "kind,name,title,reference,options\nformat,csv,", 45);
    hr_free(text);
    MUST(hr_list_print(list, HR_PRINT_JSON, &text, &err));
    assert_non_null(strstr(text, "\"kind\": \"format\""));
    hr_free(text);
    MUST(hr_list_print(all, HR_PRINT_TABLE, &text, &err));
    assert_memory_equal(text, "algorithms:\n", 12);
    assert_non_null(strstr(text, "\n\nmodels:\n"));
    hr_free(text);
    hr_list_free(list);
    hr_list_free(all);
}

static hr_status list_and_print(void *payload, hr_error *err) {
    hr_list *list;
    char *text = NULL;
    hr_status status = hr_list_new(payload, &list, err);
    assert_int_equal(status == HR_OK, list != NULL);
    if (status == HR_OK) status = hr_list_print(list, HR_PRINT_CSV, &text, err);
    assert_int_equal(status == HR_OK, text != NULL);
    hr_free(text);
    hr_list_free(list);
    return status;
}

static void test_without_memory(void **state) {
    (void)state;
    with_failing_memory(list_and_print, "algorithms", 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),        cmocka_unit_test(test_options),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_printed),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
