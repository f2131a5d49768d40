/* test_compare.c - comparisons: best runs against their definition, entries against single runs of
 * the same job, the store of finished runs, and lists of numbers. */
#include "run/compare/compare.h"

#include "unit.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Lists ---- */

static void check_list(const char *text, size_t count, const int64_t *expected) {
    int64_t *numbers;
    size_t found;
    MUST(hr_parse_numbers("k", text, 1000, &numbers, &found, &err));
    assert_int_equal(found, count);
    assert_memory_equal(numbers, expected, count * sizeof *numbers);
    free(numbers);
}

static void test_lists(void **state) {
    (void)state;
    check_list("7", 1, (const int64_t[]){7});
    check_list("4,8,1000", 3, (const int64_t[]){4, 8, 1000});
    check_list("5,2-4,9-9,2", 6, (const int64_t[]){5, 2, 3, 4, 9, 2});
    static const char *const bad[] = {"",     ",",      "3,", ",3",  "3,,4",  "0",
                                      "1001", "4-2",    "2-", "-2",  "1-2-3", "2 ",
                                      " 2",   "2-1001", "x",  "2.5", "1e2",   "0-2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t *numbers;
        size_t count;
        hr_error err = {0};
        assert_int_equal(hr_parse_numbers("k", bad[i], 1000, &numbers, &count, &err), HR_EINVAL);
        assert_null(numbers);
        assert_non_null(strstr(err.message, "k: "));
    }
    int64_t *numbers;
    size_t count;
    MUST(hr_parse_numbers("k", "1-10000", 100000, &numbers, &count, &err));
    assert_int_equal(count, HR_NUMBERS_MOST);
    free(numbers);
    assert_int_equal(hr_parse_numbers("k", "7,1-10000", 100000, &numbers, &count, NULL), HR_EINVAL);
}

/* ---- The best ---- */

enum { ENTRIES = 12 };

/* The criteria as numbers, greater is better. */
static void criteria(const hr_compare_entry *entry, double *out) {
    const hr_figures *f = &entry->figures;
    out[0] = (double)entry->asked.k;
    out[1] = (double)entry->asked.p;
    out[2] = -(isnan(f->ntil) ? f->sse_sst : f->ntil);
    out[3] = -(double)f->suppressed;
    out[4] = -(double)f->violations;
}

static bool dominates(const hr_compare_entry *a, const hr_compare_entry *b) {
    double x[5], y[5];
    int better = 0;
    criteria(a, x);
    criteria(b, y);
    if (isnan(a->figures.ntil) != isnan(b->figures.ntil)) return false;
    for (int i = 0; i < 5; i++) {
        if (x[i] < y[i]) return false;
        better += x[i] > y[i];
    }
    return better > 0;
}

static void test_best(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 1, 0);
    size_t best = 0;
    for (int trial = 0; trial < 5000; trial++) {
        hr_compare_entry entries[ENTRIES] = {0};
        hr_compare compare = {.entries = entries, .entry_count = ENTRIES};
        for (size_t i = 0; i < ENTRIES; i++) {
            bool means = below(&random, 4) == 0;
            double loss = below(&random, 4) / 4.0;
            entries[i].asked =
                (hr_requirements){.k = 1 + below(&random, 3), .p = 1 + below(&random, 2)};
            entries[i].state = below(&random, 6) ? HR_ENTRY_DONE : HR_ENTRY_EMPTY;
            entries[i].figures = (hr_figures){.ntil = means ? NAN : loss,
                                              .sse_sst = means ? loss : NAN,
                                              .suppressed = below(&random, 3),
                                              .violations = below(&random, 2)};
        }
        hr_compare_rank(&compare);
        for (size_t i = 0; i < ENTRIES; i++) {
            bool expected = entries[i].state == HR_ENTRY_DONE;
            for (size_t j = 0; j < ENTRIES; j++)
                if (entries[j].state == HR_ENTRY_DONE && dominates(&entries[j], &entries[i]))
                    expected = false;
            assert_int_equal(entries[i].best, expected);
            best += expected;
        }
    }
    assert_in_range(best, 5000, ENTRIES * 5000 / 2); /* neither none nor all */
}

/* ---- Cells against single runs ---- */

/* With numeric attributes only, means can be published and mam cannot run. */
static hr_job *random_job(hr_random *random, bool numbers, hr_table **table) {
    hr_job *job;
    MUST(hr_table_new(4, (const char *const[]){"a", "b", "s", "t"}, table, &err));
    for (unsigned row = 0, rows = 20 + below(random, 60); row < rows; row++) {
        char texts[4][16];
        for (unsigned c = 0; c < 4; c++)
            snprintf(texts[c], sizeof texts[c], "%u", below(random, c < 2 ? 12 : 5));
        MUST(hr_table_append(*table, (const char *const[]){texts[0], texts[1], texts[2], texts[3]},
                             &err));
    }
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set(job, "quasi", "a,b", &err));
    if (!numbers) MUST(hr_job_set(job, "hierarchy", "a=flat", &err));
    MUST(hr_job_set(job, "numeric", numbers ? "a,b" : "b", &err));
    MUST(hr_job_set(job, "sensitive", "s,t", &err));
    MUST(hr_job_set_input(job, *table, &err));
    return job;
}

static const char *const names[] = {"greedy-pk",          "mam",         "k-member",
                                    "GreedyPKClustering", "enhanced-pk", "micro-k-first"};
enum { NAMES = 6, EACH = 12, ALL = NAMES * EACH };
static const int64_t ks[] = {2, 3, 5, 40}, ps[] = {1, 2, 5};

static hr_grid grid_of(const hr_job *job) {
    return (hr_grid){.job = job,
                     .algorithms = names,
                     .algorithm_count = NAMES,
                     .ks = ks,
                     .k_count = 4,
                     .ps = ps,
                     .p_count = 3};
}

static void same_double(double a, double b) {
    assert_true(isnan(a) ? isnan(b) : a == b);
}

static void same_figures(const hr_figures *a, const hr_figures *b, bool seconds) {
    for (const hr_figure *f = hr_compare_figures; f->name; f++)
        if (seconds || strcmp(f->name, "seconds"))
            same_double(hr_figure_value(f, a), hr_figure_value(f, b));
}

/* The entry has the figures of a single run of that job. */
static void check_entry(const hr_table *table, hr_job *job, const hr_compare_entry *entry) {
    char number[2][32];
    hr_release *release;
    hr_error told = {0};
    snprintf(number[0], sizeof number[0], "%lld", (long long)entry->k);
    snprintf(number[1], sizeof number[1], "%lld", (long long)entry->p);
    MUST(hr_job_set(job, "algorithm", entry->algorithm, &err));
    MUST(hr_job_set(job, "k", number[0], &err));
    MUST(hr_job_set(job, "p", number[1], &err));
    hr_status status = hr_job_run(job, NULL, &release, &told);
    assert_int_equal(entry->state, status == HR_OK ? HR_ENTRY_DONE : HR_ENTRY_EMPTY);
    assert_int_equal(entry->asked.k, entry->k < entry->p ? entry->p : entry->k);
    if (status != HR_OK) {
        assert_true(status == HR_EINVAL || status == HR_ENOSOL);
        assert_string_equal(entry->note, told.message);
        return;
    }
    assert_true(entry->figures.seconds >= 0);
    same_figures(&entry->figures, &release->figures, false);
    assert_int_equal(entry->figures.suppressed,
                     hr_table_rows(table) - hr_table_rows(hr_release_table(release)));
    hr_release_free(release);
}

static void test_entries(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 2, 0);
    for (int trial = 0; trial < 20; trial++) {
        hr_table *table;
        hr_job *job = random_job(&random, trial % 2 == 0, &table);
        hr_compare compares[2];
        for (int i = 0; i < 2; i++) { /* one thread, and more than there are runs */
            hr_grid grid = grid_of(job);
            job->search.threads = i == 0 ? 1 : 100;
            MUST(hr_compare_plan(&grid, NULL, &compares[i], &err));
            MUST(hr_compare_run(&compares[i], NULL, NULL, &err));
            assert_int_equal(compares[i].entry_count, ALL);
        }
        assert_int_equal(compares[0].threads, 1);
        for (size_t i = 0; i < ALL; i++) {
            same_figures(&compares[0].entries[i].figures, &compares[1].entries[i].figures, false);
            assert_int_equal(compares[0].entries[i].best, compares[1].entries[i].best);
            assert_string_equal(compares[0].entries[i].algorithm, names[i / EACH]);
            assert_int_equal(compares[0].entries[i].k, ks[i / 3 % 4]);
            assert_int_equal(compares[0].entries[i].p, ps[i % 3]);
            check_entry(table, job, &compares[0].entries[i]);
        }
        hr_compare_free(&compares[0]);
        hr_compare_free(&compares[1]);
        hr_job_free(job);
        hr_table_free(table);
    }
}

/* ---- The store ---- */

static char store_path[] = "/tmp/hedgerow-compare-XXXXXX";

static void start_store(void) {
    strcpy(store_path + strlen(store_path) - 6, "XXXXXX");
    int fd = mkstemp(store_path);
    assert_true(fd >= 0);
    close(fd);
}

static void append_text(const char *text) {
    FILE *file = fopen(store_path, "a");
    fputs(text, file);
    fclose(file);
}

/* Runs with the store; returns the numbers of runs made and of runs found in the store. */
static void run_with_store(const hr_job *job, hr_compare *out, size_t made, size_t known) {
    hr_grid grid = grid_of(job);
    MUST(hr_compare_plan(&grid, NULL, out, &err));
    MUST(hr_compare_run(out, store_path, NULL, &err));
    assert_int_equal(out->run, made);
    assert_int_equal(out->kept, known);
}

static void refuse(const hr_job *job, const char *why) {
    hr_compare compare;
    hr_error told = {0};
    hr_grid grid = grid_of(job);
    MUST(hr_compare_plan(&grid, NULL, &compare, &err));
    assert_int_equal(hr_compare_run(&compare, store_path, NULL, &told), HR_EINVAL);
    if (!strstr(told.message, why)) fail_msg("%s", told.message);
    hr_compare_free(&compare);
}

static long store_size(void) {
    FILE *file = fopen(store_path, "r");
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

static void test_store(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 3, 0);
    hr_table *table, *other;
    hr_job *job = random_job(&random, false, &table),
           *stranger = random_job(&random, false, &other);
    hr_compare first, again;
    start_store();
    /* Never run: k-member with p > 1 (8 entries), mam with numbers and micro-k-first with a
     * hierarchy (12 each). With p = 5 k of 2 and of 3 is 5, too (3 algorithms). */
    size_t runs = ALL - 8 - 12 - 12 - 2 * 3;
    run_with_store(job, &first, runs, 0);
    long size = store_size();
    append_text("{\"algorithm\":\"greedy-pk\",\"k\":2,\"p\":1,\"nt"); /* cut off */
    run_with_store(job, &again, 0, runs);
    assert_int_equal(store_size(), size);
    for (size_t i = 0; i < ALL; i++) {
        same_figures(&first.entries[i].figures, &again.entries[i].figures, true);
        assert_int_equal(first.entries[i].state, again.entries[i].state);
        assert_int_equal(first.entries[i].best, again.entries[i].best);
        if (first.entries[i].note)
            assert_string_equal(first.entries[i].note, again.entries[i].note);
        else
            assert_null(again.entries[i].note);
    }
    hr_compare_free(&first);
    hr_compare_free(&again);
    refuse(stranger, "other data");
    MUST(hr_job_set(job, "threads", "3", &err)); /* changes nothing */
    run_with_store(job, &again, 0, runs);
    hr_compare_free(&again);
    append_text("{\"algorithm\":7}\n");
    refuse(job, "not a run of a comparison");
    unlink(store_path);
    start_store();
    run_with_store(job, &again, runs, 0);
    hr_compare_free(&again);
    MUST(hr_job_set(job, "boundaries", "enforce", &err)); /* another setting with the same effect */
    hr_grid grid = grid_of(job);
    hr_compare refused;
    assert_int_equal(hr_compare_plan(&grid, NULL, &refused, NULL), HR_EINVAL); /* an alias counts */
    unlink(store_path);
    hr_job_free(job);
    hr_job_free(stranger);
    hr_table_free(table);
    hr_table_free(other);
}

/* Lines that are JSON but no runs. Each is refused with its number, and the file is left as it
 * is. */
static void test_store_lines(void **state) {
    (void)state;
    static const char good[] =
        "{\"algorithm\":\"greedy-pk\",\"k\":3,\"p\":2,\"threads\":1,\"ntil\":0.5,"
        "\"ntil_bound\":null,\"il\":2.5,\"dm\":9.0,\"avg\":1.0,\"avg_clusters\":1.0,\"sse_sst\":"
        "null,"
        "\"classes\":3.0,\"clusters\":3.0,\"suppressed\":0.0,\"violations\":0.0,\"seconds\":0.1}\n";
    static const char *const changes[][2] = {
        {"\"k\":3", "\"k\":0"},
        {"\"k\":3", "\"k\":3.5"},
        {"\"k\":3", "\"k\":\"3\""},
        {"\"p\":2", "\"p\":4"},
        {"\"p\":2", "\"q\":2"},
        {"\"threads\":1", "\"threads\":0"},
        {"\"threads\":1", "\"thread\":1"},
        {"\"ntil\":0.5", "\"ntil\":null"},
        {"\"ntil\":0.5", "\"ntil\":1.5"},
        {"\"ntil\":0.5", "\"ntil\":-0.5"},
        {"\"ntil\":0.5", "\"ntil\":true"},
        {"\"il\":2.5", "\"il\":1e300"},
        {"\"dm\":9.0", "\"dm\":\"9\""},
        {"\"classes\":3.0", "\"classes\":-5"},
        {"\"classes\":3.0", "\"a\":3.0"},
        {"\"classes\":3.0", "\"classes\":null"},
        {"\"classes\":3.0", "\"classes\":2.5"},
        {"\"classes\":3.0", "\"classes\":1e300"},
        {"\"seconds\":0.1", "\"note\":5"},
        {",\"ntil\":0.5",
         "}\n{\"ntil\":0.5"}, /* {"algorithm":"greedy-pk","k":3,"p":2,"threads":1} */
    };
    hr_random random;
    hr_random_seed(&random, 6, 0);
    hr_table *table;
    hr_job *job = random_job(&random, false, &table);
    hr_compare compare;
    start_store();
    run_with_store(job, &compare, ALL - 8 - 12 - 12 - 2 * 3, 0);
    size_t lines = compare.run + 1;
    hr_compare_free(&compare);
    long size = store_size();
    append_text(good);
    run_with_store(job, &compare, 0, lines - 1);
    hr_compare_free(&compare);
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        hr_text line = {0};
        char where[64];
        const char *at = strstr(good, changes[i][0]);
        assert_non_null(at);
        hr_text_add(&line, good, (size_t)(at - good));
        hr_text_printf(&line, "%s%s", changes[i][1], at + strlen(changes[i][0]));
        assert_int_equal(truncate(store_path, size), 0);
        append_text(line.data);
        snprintf(where, sizeof where, "line %zu: this line is not a run", lines + 1);
        refuse(job, where);
        assert_int_equal(store_size(), size + (long)line.length);
        hr_text_free(&line);
    }
    unlink(store_path);
    hr_job_free(job);
    hr_table_free(table);
}

/* Limits the size of files, to simulate a full disk. */
static void limit_files(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A full disk leaves complete lines, nothing is appended after a failure, and the missing runs are
 * made later. */
static void test_full_disk(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 7, 0);
    hr_table *table;
    hr_job *job = random_job(&random, false, &table);
    hr_grid grid = grid_of(job);
    hr_compare compare;
    hr_compare_store *store;
    hr_error told = {0};
    job->search.threads = 4;
    start_store();
    signal(SIGXFSZ, SIG_IGN);
    limit_files(2000);
    MUST(hr_compare_plan(&grid, NULL, &compare, &err));
    assert_int_equal(hr_compare_run(&compare, store_path, NULL, &told), HR_EIO);
    assert_non_null(strstr(told.message, store_path));
    limit_files(RLIM_INFINITY);
    size_t known = compare.run;
    assert_in_range(known, 1, 12);
    hr_compare_free(&compare);
    run_with_store(job, &compare, ALL - 8 - 12 - 12 - 2 * 3 - known, known);

    hr_compare_entry *entry = &compare.entries[0];
    unlink(store_path);
    MUST(hr_compare_store_open(store_path, 1, &compare, &store, &err));
    MUST(hr_compare_store_add(store, entry, &err));
    long size = store_size();
    limit_files((rlim_t)size + 40); /* a part of a line */
    assert_int_equal(hr_compare_store_add(store, entry, NULL), HR_EIO);
    limit_files(RLIM_INFINITY); /* the limit is gone, yet nothing more is appended */
    assert_int_equal(store_size(), size);
    assert_int_equal(hr_compare_store_add(store, entry, NULL), HR_EIO);
    assert_int_equal(store_size(), size);
    hr_compare_store_close(store);
    signal(SIGXFSZ, SIG_DFL);
    hr_compare_free(&compare);
    unlink(store_path);
    hr_job_free(job);
    hr_table_free(table);
}

/* A pipe is refused without waiting for a writer. */
static void test_store_pipe(void **state) {
    (void)state;
    hr_compare compare = {0};
    hr_compare_store *store;
    hr_error told = {0};
    start_store();
    unlink(store_path);
    assert_int_equal(mkfifo(store_path, 0600), 0);
    assert_int_equal(hr_compare_store_open(store_path, 1, &compare, &store, &told), HR_EINVAL);
    assert_non_null(strstr(told.message, "not a regular file"));
    unlink(store_path);
}

static void check_threads(const hr_job *job, size_t k_count, const char *expected) {
    hr_grid grid = grid_of(job);
    hr_compare compare;
    hr_text text = {0};
    grid.algorithm_count = grid.p_count = 1;
    grid.k_count = k_count;
    MUST(hr_compare_plan(&grid, NULL, &compare, &err));
    MUST(hr_compare_run(&compare, store_path, NULL, &err));
    hr_compare_threads(&compare, &text);
    assert_string_equal(text.data, expected);
    hr_text_free(&text);
    hr_compare_free(&compare);
}

/* Reused runs show the thread count they were made with. */
static void test_threads(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 8, 0);
    hr_table *table;
    hr_job *job = random_job(&random, false, &table);
    start_store();
    job->search.threads = 3;
    check_threads(job, 1, "3 threads per run");
    job->search.threads = 1;
    check_threads(job, 1, "3 threads per run");
    check_threads(job, 2, "1 to 3 threads per run");
    unlink(store_path);
    check_threads(job, 2, "1 thread per run");
    unlink(store_path);
    hr_job_free(job);
    hr_table_free(table);
}

/* ---- Watching ---- */

typedef struct {
    size_t calls, stop_at;
    uint64_t last;
} watcher;

static void see(const char *stage, uint64_t done, uint64_t total, void *payload) {
    watcher *w = payload;
    if (strcmp(stage, "compare")) return;
    assert_true(done <= total && done >= w->last);
    w->last = done;
    w->calls++;
}

static bool stop(void *payload) {
    watcher *w = payload;
    return w->stop_at && w->calls >= w->stop_at;
}

/* Cancelled at once: no run is made. Not cancelled: the progress reaches its end. */
static void test_watch(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 4, 0);
    hr_table *table;
    hr_job *job = random_job(&random, true, &table);
    hr_grid grid = grid_of(job);
    for (size_t stop_at = 0; stop_at < 2; stop_at++) {
        watcher w = {.stop_at = stop_at};
        hr_watch watch = {.progress = see, .cancelled = stop, .payload = &w};
        hr_compare compare;
        MUST(hr_compare_plan(&grid, &watch, &compare, &err));
        hr_status status = hr_compare_run(&compare, NULL, &watch, NULL);
        assert_int_equal(status, stop_at ? HR_ECANCEL : HR_OK);
        if (stop_at)
            assert_int_equal(compare.run, 0);
        else
            assert_int_equal(w.last, compare.run * compare.rows);
        hr_compare_free(&compare);
    }
    hr_job_free(job);
    hr_table_free(table);
}

/* ---- Out of memory ---- */

static hr_status whole_way(const hr_job *job) {
    hr_compare compare;
    hr_text page = {0};
    hr_grid grid = grid_of(job);
    HR_TRY(hr_compare_plan(&grid, NULL, &compare, NULL));
    hr_status status = hr_compare_run(&compare, store_path, NULL, NULL);
    if (status == HR_OK) status = hr_compare_page(&compare, "test", &page, NULL);
    hr_text_free(&page);
    hr_compare_free(&compare);
    return status;
}

/* Whichever allocation fails, the status is HR_ENOMEM and nothing leaks. */
static void test_memory(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 5, 0);
    hr_table *table;
    hr_job *job = random_job(&random, true, &table);
    job->search.threads = 1;
    start_store();
    hr_status status = HR_ENOMEM;
    for (long nth = 1; status != HR_OK; nth += 1 + nth / 50) {
        unlink(store_path);
        hr_memory_fail_at(nth);
        status = whole_way(job);
        hr_memory_fail_at(0);
        if (status != HR_OK) assert_int_equal(status, HR_ENOMEM);
    }
    unlink(store_path);
    hr_job_free(job);
    hr_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists),       cmocka_unit_test(test_best),
        cmocka_unit_test(test_entries),     cmocka_unit_test(test_store),
        cmocka_unit_test(test_store_lines), cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_store_pipe),  cmocka_unit_test(test_threads),
        cmocka_unit_test(test_watch),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
