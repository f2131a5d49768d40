/* test_progress.c - progress of stages and of work nested in them: what is counted, cancelling, and
 * that the callbacks of a watch never overlap, whatever the number of threads. */
#include "base/base.h"

#include "overlap.h"
#include "unit.h"

#include <time.h>

enum { THREADS = 4, PARTS = 16 };

/* ---- counting and cancelling ---- */

typedef struct {
    uint64_t done, total;
    int calls;
    bool stop;
} told;

static void on_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    told *t = payload;
    assert_string_equal(stage, "stage");
    t->done = done;
    t->total = total;
    t->calls++;
}

static bool on_cancelled(void *payload) {
    return ((told *)payload)->stop;
}

/* Units of nested work are not counted; its first call asks the watcher. */
static void test_nested(void **state) {
    (void)state;
    told t = {0};
    hr_watch watch = {.progress = on_progress, .cancelled = on_cancelled, .payload = &t};
    hr_progress progress = {0}, unwatched = {0};
    hr_progress_start(&progress, &watch, "stage", 10);
    hr_progress inner = hr_progress_nested(&progress), innermost = hr_progress_nested(&inner);
    MUST(hr_progress_add(&innermost, 7, &err));
    assert_int_equal(t.calls, 1);
    assert_int_equal(t.done, 0);
    MUST(hr_progress_add(&progress, 3, &err));
    hr_progress_end(&progress);
    assert_int_equal(t.done, 10);
    t.stop = true;
    hr_progress_start(&progress, &watch, "stage", 10);
    assert_int_equal(hr_progress_add(&inner, 1, NULL), HR_ECANCEL);
    assert_int_equal(hr_progress_add(&progress, 1, NULL), HR_ECANCEL);
    assert_int_equal(hr_progress_add(&innermost, 1, NULL), HR_ECANCEL);
    inner = hr_progress_nested(&unwatched);
    MUST(hr_progress_add(&inner, 1, &err));
}

/* ---- no two calls at a time ---- */

/* Every part works for a while, now in the stage and now in nested work. */
static hr_status work(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    hr_progress *progress = payload, nested = hr_progress_nested(progress);
    double end = hr_seconds() + 0.05;
    for (size_t step = i; hr_seconds() < end; step++)
        HR_TRY(hr_progress_add(step % 2 ? progress : &nested, 1, err));
    return HR_OK;
}

static void test_overlap(void **state) {
    (void)state;
    meeting m = {.nanoseconds = 5000000};
    hr_watch watch = {
        .progress = slow_progress, .loss = slow_loss, .cancelled = slow_cancelled, .payload = &m};
    hr_progress progress = {0};
    hr_progress_start(&progress, &watch, "stage", 0);
    hr_progress_lose(&progress, "ntil", 1, 0, 100);
    MUST(hr_parallel(PARTS, THREADS, work, &progress, &err));
    hr_progress_end(&progress);
    assert_true(atomic_load(&m.calls) > 5);
    assert_int_equal(atomic_load(&m.overlaps), 0);
}

/* ---- slow callbacks ---- */

static void very_slow_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    (void)stage;
    (void)done;
    (void)total;
    nanosleep(&(struct timespec){.tv_nsec = 120000000}, NULL); /* longer than between two reports */
    ++*(int *)payload;
}

/* A report is due a while after the last one has ended, so work goes on in between. */
static void test_slow_callbacks(void **state) {
    (void)state;
    int calls = 0;
    hr_watch watch = {.progress = very_slow_progress, .payload = &calls};
    hr_progress progress = {0};
    hr_progress_start(&progress, &watch, "test", 100);
    for (int i = 0; i < 100; i++)
        MUST(hr_progress_add(&progress, 1, &err));
    assert_in_range(calls, 0, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_nested),
                                       cmocka_unit_test(test_overlap),
                                       cmocka_unit_test(test_slow_callbacks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
