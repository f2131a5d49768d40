/* test_library.c - the public interface alone, as a client sees it: tables, jobs and releases in
 * memory, what is refused, watching and cancelling, two jobs in two threads at once. */
#include <hedgerow.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUST(call)                                                                                 \
    do {                                                                                           \
        hr_error err = {0};                                                                        \
        if ((call) != HR_OK) fail_msg("%s: %s", #call, err.message);                               \
    } while (0)

static const char *const names[] = {"name", "age", "town", "diagnosis"};
static const char *const people[][4] = {
    {"Ada", "31", "Namur", "flu"},    {"Bela", "34", "Namur", "asthma"},
    {"Cleo", "36", "Liege", "flu"},   {"Dora", "38", "Liege", "angina"},
    {"Emil", "52", "Ghent", "flu"},   {"Fay", "55", "Ghent", "asthma"},
    {"Gus", "57", "Ghent", "angina"}, {"Hal", "58", "Namur", "flu"},
};
enum { PEOPLE = 8 };

static hr_table *people_table(void) {
    hr_table *table = NULL;
    MUST(hr_table_new(4, names, &table, &err));
    for (size_t i = 0; i < PEOPLE; i++)
        MUST(hr_table_append(table, people[i], &err));
    return table;
}

/* The second of two columns with the same name would not be masked. */
static void test_names_of_columns(void **state) {
    (void)state;
    hr_table *table = NULL;
    hr_error err = {0};
    assert_int_equal(hr_table_new(3, (const char *const[]){"a", "b", "a"}, &table, &err),
                     HR_EINVAL);
    assert_string_equal(err.message, "columns 1 and 3 are both named 'a'; rename one");
    assert_null(table);
    assert_int_equal(hr_table_new(2, (const char *const[]){"a", ""}, &table, &err), HR_EINVAL);
    assert_string_equal(err.message, "column 2 has no name");
    assert_null(table);
    assert_int_equal(hr_table_new(2, (const char *const[]){"a", "A"}, &table, &err), HR_OK);
    hr_table_free(table);
}

static hr_job *people_job(const hr_table *table) {
    static const char *const settings[][2] = {
        {"identifier", "name"},
        {"quasi", "age,town"},
        {"numeric", "age"},
        {"hierarchy", "town=flat"},
        {"sensitive", "diagnosis"},
        {"k", "2"},
        {"p", "2"},
    };
    hr_job *job = NULL;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        MUST(hr_job_set(job, settings[i][0], settings[i][1], &err));
    return job;
}

/* ---- Tables ---- */

static void test_tables(void **state) {
    (void)state;
    hr_table *table = people_table();
    assert_int_equal(hr_table_rows(table), PEOPLE);
    assert_int_equal(hr_table_columns(table), 4);
    for (size_t c = 0; c < 4; c++) {
        assert_string_equal(hr_table_name(table, c), names[c]);
        for (size_t row = 0; row < PEOPLE; row++)
            assert_string_equal(hr_table_text(table, row, c), people[row][c]);
    }
    hr_table_free(table);
    hr_table_free(NULL);
    assert_string_equal(hr_version(), HR_VERSION);
}

/* What is written is read again: quotes, delimiters, line ends, empty fields, other alphabets. */
static void test_write_and_read(void **state) {
    (void)state;
    static const char *const odd[] = {
        "plain", "",         "a,b",     "say \"x\"", "two\nlines", " blank ", "\xc3\xa9t\xc3\xa9",
        "\"",    "a;b\tc|d", "cr\rhere"};
    enum { ODD = sizeof odd / sizeof *odd };
    char path[] = "/tmp/hedgerow-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    hr_table *table = NULL, *again = NULL;
    MUST(hr_table_new(2, (const char *const[]){"a b", "c,d"}, &table, &err));
    for (size_t i = 0; i < ODD; i++)
        MUST(hr_table_append(table, (const char *const[]){odd[i], odd[ODD - 1 - i]}, &err));
    MUST(hr_table_write(table, path, &err));
    MUST(hr_table_read(path, &again, &err));
    assert_int_equal(hr_table_rows(again), ODD);
    assert_string_equal(hr_table_name(again, 1), "c,d");
    for (size_t i = 0; i < ODD; i++) {
        assert_string_equal(hr_table_text(again, i, 0), odd[i]);
        assert_string_equal(hr_table_text(again, i, 1), odd[ODD - 1 - i]);
    }
    hr_table_free(again);
    hr_table_free(table);
    unlink(path);
    hr_error error = {0};
    assert_int_equal(hr_table_read(path, &again, &error), HR_EIO);
    assert_non_null(strstr(error.message, "No such file"));
    assert_null(again);
}

/* ---- Releases ---- */

/* Published values of one class: k rows and p diagnoses; identifiers are gone. */
static void check_release(const hr_release *release) {
    const hr_table *table = hr_release_table(release);
    size_t rows = hr_table_rows(table);
    assert_int_equal(hr_table_columns(table), 3);
    assert_string_equal(hr_table_name(table, 0), "age");
    assert_string_equal(hr_table_name(table, 2), "diagnosis");
    for (size_t i = 0; i < rows; i++) {
        size_t alike = 0;
        bool other = false;
        for (size_t j = 0; j < rows; j++) {
            if (strcmp(hr_table_text(table, i, 0), hr_table_text(table, j, 0)) ||
                strcmp(hr_table_text(table, i, 1), hr_table_text(table, j, 1)))
                continue;
            alike++;
            other |= strcmp(hr_table_text(table, i, 2), hr_table_text(table, j, 2)) != 0;
        }
        assert_true(alike >= 2 && other);
    }
    const char *report = hr_release_report(release);
    assert_non_null(strstr(report, "\"verified\": true"));
    for (size_t i = 0; i < PEOPLE; i++)
        assert_null(strstr(report, people[i][0])); /* no name */
    for (size_t i = 0; i < PEOPLE; i++)
        assert_null(strstr(report, people[i][3])); /* no diagnosis */
}

static void test_run(void **state) {
    (void)state;
    hr_table *table = people_table();
    hr_job *job = people_job(table);
    hr_release *release = NULL;
    MUST(hr_job_run(job, NULL, &release, &err));
    assert_int_equal(hr_table_rows(hr_release_table(release)), PEOPLE);
    check_release(release);
    hr_release *again = NULL;
    MUST(hr_job_run(job, NULL, &again, &err)); /* a job may be run again, with the same result */
    for (size_t row = 0; row < PEOPLE; row++)
        for (size_t c = 0; c < 3; c++)
            assert_string_equal(hr_table_text(hr_release_table(release), row, c),
                                hr_table_text(hr_release_table(again), row, c));
    hr_release_free(again);
    hr_job_free(job);
    hr_table_free(table);
    check_release(release); /* the release outlives job and table */
    hr_release_free(release);
    hr_release_free(NULL);
    hr_job_free(NULL);
}

/* Canonical order: sorted bytewise by the released columns, so nothing of the input's order is
 * left. */
static void test_order(void **state) {
    (void)state;
    hr_table *table = people_table();
    hr_job *job = people_job(table);
    hr_release *release = NULL;
    MUST(hr_job_run(job, NULL, &release, &err));
    const hr_table *released = hr_release_table(release);
    for (size_t row = 1; row < hr_table_rows(released); row++) {
        int order = 0;
        for (size_t c = 0; c < 3 && order == 0; c++)
            order = strcmp(hr_table_text(released, row - 1, c), hr_table_text(released, row, c));
        assert_true(order <= 0);
    }
    hr_release_free(release);
    MUST(hr_job_set(job, "order", "input", &err)); /* for owners who ask for it */
    MUST(hr_job_run(job, NULL, &release, &err));
    for (size_t row = 0; row < PEOPLE; row++)
        assert_string_equal(hr_table_text(hr_release_table(release), row, 2), people[row][3]);
    hr_release_free(release);
    hr_job_free(job);
    hr_table_free(table);
}

static void refuses(hr_job *job, hr_status status, const char *part) {
    hr_release *release = NULL;
    hr_error err = {0};
    assert_int_equal(hr_job_run(job, NULL, &release, &err), status);
    assert_int_equal(err.code, status);
    assert_null(release);
    if (!strstr(err.message, part)) fail_msg("'%s' lacks '%s'", err.message, part);
    assert_int_equal(hr_job_run(job, NULL, &release, NULL), status); /* err may be NULL */
}

static void test_refused(void **state) {
    (void)state;
    hr_error error = {0};
    hr_table *table = people_table();
    hr_job *job = NULL;
    MUST(hr_job_new(&job, &err));
    refuses(job, HR_EINVAL, "the input is missing");
    MUST(hr_job_set_input(job, table, &err));
    refuses(job, HR_EINVAL, "k is missing");
    MUST(hr_job_set(job, "k", "3", &err));
    refuses(job, HR_EINVAL, "no quasi-identifier is named");
    MUST(hr_job_set(job, "quasi", "agee", &err));
    MUST(hr_job_set(job, "numeric", "agee", &err));
    refuses(job, HR_EDATA, "no column 'agee' (did you mean 'age'?)");
    hr_job_free(job);

    job = people_job(table);
    assert_int_equal(hr_job_set(job, "algorythm", "mam", &error), HR_EINVAL);
    assert_non_null(strstr(error.message, "algorithm"));
    assert_int_equal(hr_job_set(job, "k", "few", &error), HR_EINVAL);
    MUST(hr_job_set(job, "k", "9", &err));
    refuses(job, HR_ENOSOL, "nothing can be released");
    MUST(hr_job_set(job, "k", "2", &err));
    MUST(hr_job_set(job, "p", "4", &err)); /* there are three diagnoses */
    refuses(job, HR_ENOSOL, "nothing can be released");
    hr_job_free(job);

    hr_table *empty = NULL;
    MUST(hr_table_new(4, names, &empty, &err));
    job = people_job(empty);
    refuses(job, HR_EDATA, "no rows");
    hr_job_free(job);
    hr_table_free(empty);
    hr_table_free(table);
}

/* ---- Watching ---- */

typedef struct {
    int notices, calls;
    int cancel_after; /* calls of `cancelled`; -1: never */
    char last[512];
} seen;

static void on_notice(const char *message, void *payload) {
    seen *s = payload;
    s->notices++;
    snprintf(s->last, sizeof s->last, "%s", message);
}

static bool on_cancelled(void *payload) {
    seen *s = payload;
    return s->cancel_after >= 0 && s->calls++ >= s->cancel_after;
}

static void test_watch(void **state) {
    (void)state;
    static const char *const wide_names[] = {"name", "age", "town", "diagnosis", "shoe"};
    hr_table *table = NULL;
    MUST(hr_table_new(5, wide_names, &table, &err));
    for (size_t i = 0; i < PEOPLE; i++)
        MUST(hr_table_append(
            table,
            (const char *const[]){people[i][0], people[i][1], people[i][2], people[i][3], "42"},
            &err));
    hr_job *job = people_job(table);
    seen s = {.cancel_after = -1};
    hr_watch watch = {
        .size = sizeof watch, .notice = on_notice, .cancelled = on_cancelled, .payload = &s};
    hr_release *release = NULL;
    MUST(hr_job_run(job, &watch, &release, &err));
    assert_int_equal(s.notices, 1);
    assert_string_equal(s.last, "column 'shoe' has no role and is dropped");
    assert_non_null(strstr(hr_release_report(release), s.last));
    assert_int_equal(hr_table_columns(hr_release_table(release)), 3);
    hr_release_free(release);
    /* Cancelled at any point: no release, always HR_ECANCEL. */
    for (int after = 0; after < 4; after++) {
        hr_error err = {0};
        s = (seen){.cancel_after = after};
        assert_int_equal(hr_job_run(job, &watch, &release, &err), HR_ECANCEL);
        assert_null(release);
        assert_string_equal(err.message, "cancelled");
    }
    hr_job_free(job);
    hr_table_free(table);
}

static bool on_finish(void *payload) {
    return on_cancelled(payload);
}

/* Asked to finish at any point: cancelled before the search, then a release that says so, and in
 * the end a release as ever. An algorithm that makes its release in one go is never interrupted. */
static void test_finish(void **state) {
    (void)state;
    hr_table *table = people_table();
    for (int greedy = 0; greedy < 2; greedy++) {
        int cancelled = 0, interrupted = 0, whole = 0;
        hr_job *job = people_job(table);
        if (greedy) MUST(hr_job_set(job, "algorithm", "greedy-pk", &err));
        for (int after = 0; after < 40; after++) {
            hr_error err = {0};
            hr_release *release = NULL;
            seen s = {.cancel_after = after};
            hr_watch watch = {.size = sizeof watch, .payload = &s, .finish = on_finish};
            hr_status status = hr_job_run(job, &watch, &release, &err);
            assert_true(status == HR_OK || status == HR_ECANCEL);
            cancelled += status == HR_ECANCEL;
            if (!release) continue;
            bool says = strstr(hr_release_report(release), "\"interrupted\": true") != NULL;
            assert_int_equal(says, strstr(hr_release_summary(release), "interrupted") != NULL);
            interrupted += says;
            whole += !says;
            assert_int_equal(hr_table_rows(hr_release_table(release)), PEOPLE);
            hr_release_free(release);
        }
        assert_true(cancelled > 0 && whole > 0);
        assert_int_equal(interrupted > 0, !greedy);
        hr_job_free(job);
    }
    hr_table_free(table);
}

/* ---- Two jobs at once ---- */

typedef struct {
    const char *k;
    const hr_table *table;
    int good;
    char first[64];
} client;

static void *run_client(void *payload) {
    client *c = payload;
    for (int i = 0; i < 30; i++) {
        hr_job *job = NULL;
        hr_release *release = NULL;
        hr_error err = {0};
        if (hr_job_new(&job, &err) == HR_OK && hr_job_set_input(job, c->table, &err) == HR_OK &&
            hr_job_set(job, "quasi", "age,town", &err) == HR_OK &&
            hr_job_set(job, "numeric", "age", &err) == HR_OK &&
            hr_job_set(job, "hierarchy", "town=flat", &err) == HR_OK &&
            hr_job_set(job, "threads", "2", &err) == HR_OK &&
            hr_job_set(job, "k", c->k, &err) == HR_OK &&
            hr_job_run(job, NULL, &release, &err) == HR_OK) {
            const char *text = hr_table_text(hr_release_table(release), 0, 0);
            if (i == 0) snprintf(c->first, sizeof c->first, "%s", text);
            c->good += !strcmp(c->first, text);
        }
        /* A failure in this thread does not change the messages of the other thread. */
        hr_error wrong = {0};
        if (job && hr_job_set(job, "k", c->k[0] == '2' ? "two" : "four", &wrong) == HR_EINVAL &&
            strstr(wrong.message, c->k[0] == '2' ? "'two'" : "'four'"))
            c->good++;
        hr_release_free(release);
        hr_job_free(job);
    }
    return NULL;
}

static void test_two_threads(void **state) {
    (void)state;
    hr_table *table = people_table();
    client clients[2] = {{.k = "2", .table = table}, {.k = "4", .table = table}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_client, &clients[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(clients[0].good, 60);
    assert_int_equal(clients[1].good, 60);
    assert_string_not_equal(clients[0].first, clients[1].first);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_columns),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_write_and_read),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_watch),
        cmocka_unit_test(test_finish),
        cmocka_unit_test(test_two_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
