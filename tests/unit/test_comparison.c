/* test_comparison.c - hr_job_compare: the grid that it makes of a request, its results and their
 * text, the files that it keeps and writes, and comparisons that are cancelled. */
#include "unit.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/hedgerow-comparison-XXXXXX";
static char output[64], store[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(output, sizeof output, "%s/all.csv", folder);
    snprintf(store, sizeof store, "%s/runs", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(output);
    unlink(store);
    return rmdir(folder);
}

static hr_table *sample_table(void) {
    return table_of("age,sex,ill\n30,f,a\n31,f,b\n32,f,c\n40,m,a\n41,m,b\n42,m,a\n43,f,d\n");
}

static hr_job *sample_job(const hr_table *table) {
    hr_job *job;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    MUST(hr_job_set(job, "quasi", "age,sex", &err));
    MUST(hr_job_set(job, "numeric", "age", &err));
    MUST(hr_job_set(job, "hierarchy", "sex=flat", &err));
    MUST(hr_job_set(job, "sensitive", "ill", &err));
    MUST(hr_job_set(job, "threads", "1", &err));
    return job;
}

static const char *const names[] = {"greedy-pk", "k-member", "greedy-pk"};
static const int64_t ks[] = {3, 2, 3, 50}, ps[] = {2, 1};

static hr_compare_request sample_request(void) {
    return (hr_compare_request){.size = sizeof(hr_compare_request),
                                .algorithms = names,
                                .algorithm_count = 3,
                                .ks = ks,
                                .k_count = 4,
                                .ps = ps,
                                .p_count = 2};
}

/* ---- results ---- */

static void check_run(const hr_comparison *comparison, size_t i) {
    static const int64_t ascending[] = {2, 3, 50};
    const hr_compared *run = hr_comparison_at(comparison, i);
    assert_string_equal(run->algorithm, names[i / 6]);
    assert_int_equal(run->k, ascending[i / 2 % 3]);
    assert_int_equal(run->p, 1 + i % 2);
    bool refused = i / 6 == 1 && run->p > 1; /* k-member does not enforce p */
    bool done = !refused && run->k < 50;
    assert_int_equal(run->state, done ? HR_COMPARED_DONE : HR_COMPARED_EMPTY);
    assert_int_equal(done, run->figures != NULL);
    assert_int_equal(done, run->note == NULL);
    assert_int_equal(run->threads, done ? 1 : 0);
    if (refused) assert_non_null(strstr(run->note, "k-member does not enforce p = 2"));
    if (!done) return;
    assert_int_equal(run->figures->k, run->k);
    assert_int_equal(run->figures->rows, 7);
    assert_true(run->figures->achieved_k >= run->k && run->figures->ntil > 0);
}

static void test_grid(void **state) {
    (void)state;
    hr_table *table = sample_table();
    hr_job *job = sample_job(table);
    hr_comparison *comparison;
    hr_compare_request request = sample_request();
    MUST(hr_job_compare(job, &request, NULL, &comparison, &err));
    hr_job_free(job); /* the result does without it */
    hr_table_free(table);
    bool best = false;
    for (size_t i = 0; i < 12; i++) {
        check_run(comparison, i);
        best |= hr_comparison_at(comparison, i)->best;
    }
    assert_true(best);
    assert_null(hr_comparison_at(comparison, 12));
    const hr_compared_count *count = hr_comparison_count(comparison);
    assert_int_equal(count->made, 9); /* 12 without the 3 that k-member refuses */
    assert_int_equal(count->runs, 9);
    assert_int_equal(count->known, 0);
    assert_null(count->kept);
    hr_comparison_free(comparison);
    hr_comparison_free(NULL);
}

static void refuse(const hr_job *job, const hr_compare_request *request, const char *why) {
    hr_comparison *comparison;
    hr_error err = {0};
    assert_int_equal(hr_job_compare(job, request, NULL, &comparison, &err), HR_EINVAL);
    assert_null(comparison);
    if (!strstr(err.message, why)) fail_msg("%s", err.message);
}

/* By default: all algorithms that take the attributes, with k and p of the job. */
static void test_defaults(void **state) {
    (void)state;
    static const char *const all[] = {"hedge", "all"};
    hr_table *table = sample_table();
    hr_job *job = sample_job(table);
    hr_comparison *comparison;
    hr_compare_request request = {.size = sizeof request};
    refuse(job, &request, "k is missing");
    MUST(hr_job_set(job, "k", "3", &err));
    MUST(hr_job_compare(job, &request, NULL, &comparison, &err));
    size_t count = 0;
    for (const hr_compared *run; (run = hr_comparison_at(comparison, count)); count++) {
        assert_int_equal(run->k, 3);
        assert_int_equal(run->p, 1);
        assert_string_not_equal(run->algorithm, "mam"); /* it needs hierarchies */
    }
    assert_true(count > 2);
    hr_comparison_free(comparison);
    request.algorithms = all;
    request.algorithm_count = 2;
    MUST(hr_job_compare(job, &request, NULL, &comparison, &err));
    assert_string_equal(hr_comparison_at(comparison, 0)->algorithm, "hedge");
    assert_null(hr_comparison_at(comparison, count)); /* hedge only once */
    hr_comparison_free(comparison);
    hr_job_free(job);
    hr_table_free(table);
}

static void test_printed(void **state) {
    (void)state;
    hr_table *table = sample_table();
    hr_job *job = sample_job(table);
    hr_comparison *comparison;
    hr_compare_request request = sample_request();
    char *text;
    MUST(hr_job_set(job, "boundary", "sex=level:1", &err));
    MUST(hr_job_compare(job, &request, NULL, &comparison, &err));
    hr_job_free(job); /* a comparison outlives its job and table */
    hr_table_free(table);
    MUST(hr_comparison_print(comparison, HR_PRINT_CSV, &text, &err));
    assert_memory_equal(text, "algorithm,k,p,ntil,ntil_bound,il,", 33);
    assert_non_null(strstr(text, "\ngreedy-pk,50,2,,,,"));
    hr_free(text);
    MUST(hr_comparison_print(comparison, HR_PRINT_TABLE, &text, &err));
    assert_non_null(strstr(text, "\npareto: yes if no other run is at least as good"));
    assert_non_null(strstr(text, "\nk-member, k = 2, p = 2: k-member does not enforce"));
    hr_free(text);
    MUST(hr_comparison_print(comparison, HR_PRINT_JSON, &text, &err));
    assert_non_null(strstr(text, "\"algorithm\": \"k-member\""));
    hr_free(text);
    MUST(hr_comparison_page(comparison, &text, &err));
    assert_memory_equal(text, "<!doctype html>", 15);
    assert_non_null(strstr(text, "the table"));
    assert_non_null(strstr(text, "Boundaries: sex, level 1; no others."));
    hr_free(text);
    assert_int_equal(hr_comparison_print(comparison, (hr_print_format)4, &text, NULL), HR_EINVAL);
    assert_null(text);
    hr_comparison_free(comparison);
}

static void test_refused(void **state) {
    (void)state;
    static const char *const unknown[] = {"gredy-pk"};
    static const int64_t zero[] = {0};
    hr_table *table = sample_table();
    hr_job *job = sample_job(table);
    hr_compare_request request = sample_request();
    request.size = 0;
    refuse(job, &request, "size");
    request = sample_request();
    request.algorithms = unknown;
    request.algorithm_count = 1;
    refuse(job, &request, "did you mean 'greedy-pk'?");
    request.algorithm_count = 0;
    refuse(job, &request, "at least one algorithm");
    request = sample_request();
    request.k_count = 0;
    refuse(job, &request, "at least one k");
    request.ks = zero;
    request.k_count = 1;
    refuse(job, &request, "k: 0 is not at least 1");
    request = sample_request();
    request.output = "all.txt";
    refuse(job, &request, "FILE.html");
    request.output = output;
    request.resume = output;
    refuse(job, &request, "the same file");
    hr_watch watch = {0};
    hr_comparison *comparison;
    assert_int_equal(hr_job_compare(job, &request, &watch, &comparison, NULL), HR_EINVAL);
    assert_null(comparison);
    assert_int_not_equal(access(output, F_OK), 0);
    hr_job_free(job);
    hr_table_free(table);
}

/* ---- files ---- */

static void keep_message(const char *message, void *payload) {
    snprintf(payload, 128, "%s", message);
}

static void test_files(void **state) {
    (void)state;
    hr_table *table = sample_table();
    hr_job *job = sample_job(table);
    hr_comparison *comparison;
    hr_compare_request request = sample_request();
    char message[128] = "", partial[80];
    struct stat found;
    hr_watch watch = {.size = sizeof watch, .notice = keep_message, .payload = message};
    request.output = output;
    MUST(hr_job_compare(job, &request, NULL, &comparison, &err));
    snprintf(partial, sizeof partial, "%s.partial", output);
    assert_string_equal(hr_comparison_count(comparison)->kept, partial);
    assert_int_not_equal(access(partial, F_OK), 0); /* the output has all runs */
    assert_int_equal(stat(output, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    hr_comparison_free(comparison);
    request.output = NULL;
    request.resume = store;
    MUST(hr_job_compare(job, &request, NULL, &comparison, &err));
    hr_comparison_free(comparison);
    MUST(hr_job_compare(job, &request, &watch, &comparison, &err));
    assert_int_equal(hr_comparison_count(comparison)->known, 9);
    assert_int_equal(hr_comparison_count(comparison)->made, 0);
    assert_non_null(strstr(message, "9 of 9 runs were known from "));
    hr_comparison_free(comparison);
    hr_job_free(job);
    hr_table_free(table);
}

/* ---- cancelled ---- */

static bool stop_when_asked(void *payload) {
    return *(const bool *)payload;
}

/* Asks to stop once some run is done. */
static void ask_to_stop(const char *stage, uint64_t done, uint64_t total, void *payload) {
    if (!strcmp(stage, "compare") && done > 0 && done < total) *(bool *)payload = true;
}

static void test_cancelled(void **state) {
    (void)state;
    hr_table *table = sample_table();
    hr_job *job = sample_job(table);
    hr_comparison *comparison;
    hr_compare_request request = sample_request();
    bool stop = true;
    char *text;
    hr_watch watch = {.size = sizeof watch, .cancelled = stop_when_asked, .payload = &stop};
    assert_int_equal(hr_job_compare(job, &request, &watch, &comparison, NULL), HR_ECANCEL);
    assert_non_null(comparison);
    assert_int_equal(hr_comparison_count(comparison)->made, 0);
    assert_int_equal(hr_comparison_count(comparison)->runs, 9);
    assert_int_equal(hr_comparison_at(comparison, 0)->state, HR_COMPARED_WAITING);
    assert_null(hr_comparison_at(comparison, 0)->figures);
    MUST(hr_comparison_print(comparison, HR_PRINT_TABLE, &text, &err));
    assert_null(strstr(text, "pareto:")); /* nothing is explained */
    assert_null(strstr(text, "greedy-pk"));
    hr_free(text);
    hr_comparison_free(comparison);
    stop = false;
    watch.progress = ask_to_stop;
    hr_status status = hr_job_compare(job, &request, &watch, &comparison, NULL);
    assert_non_null(comparison);
    size_t done = 0;
    for (size_t i = 0; i < 12; i++)
        done += hr_comparison_at(comparison, i)->state != HR_COMPARED_WAITING;
    assert_int_equal(status == HR_OK, done == 12); /* a run is quick: all may be done */
    hr_comparison_free(comparison);
    hr_job_free(job);
    hr_table_free(table);
}

/* ---- without memory ---- */

static hr_status compare_and_print(void *payload, hr_error *err) {
    static const int64_t two[] = {2}, one[] = {1}; /* without notes, which may be cut short */
    hr_comparison *comparison;
    char *text = NULL, *page = NULL;
    hr_compare_request request = sample_request();
    request.algorithm_count = 2;
    request.ks = two;
    request.ps = one;
    request.k_count = request.p_count = 1;
    hr_status status = hr_job_compare(payload, &request, NULL, &comparison, err);
    assert_int_equal(status == HR_OK, comparison != NULL);
    if (status == HR_OK) status = hr_comparison_print(comparison, HR_PRINT_TABLE, &text, err);
    if (status == HR_OK) status = hr_comparison_page(comparison, &page, err);
    assert_int_equal(status == HR_OK, page != NULL);
    hr_free(text);
    hr_free(page);
    hr_comparison_free(comparison);
    return status;
}

static void test_without_memory(void **state) {
    (void)state;
    hr_table *table = sample_table();
    hr_job *job = sample_job(table);
    with_failing_memory(compare_and_print, job, 50);
    hr_job_free(job);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid),           cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_printed),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_files),          cmocka_unit_test(test_cancelled),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
