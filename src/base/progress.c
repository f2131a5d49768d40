/* progress.c - counts finished work, reports it to the watcher about ten times a second, and asks
 * the watcher whether to stop. One thread at a time calls the watcher; the others go on working. */
#include "base/base.h"

#include <string.h>
#include <time.h>

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

double hr_seconds(void) {
    return (double)nanoseconds() * 1e-9;
}

hr_progress hr_progress_nested(hr_progress *outer) {
    return (hr_progress){.outer = outer->outer ? outer->outer : outer};
}

hr_progress hr_progress_nested_until(hr_progress *outer, double deadline) {
    hr_progress nested = hr_progress_nested(outer);
    nested.deadline = deadline;
    nested.may_end = true;
    return nested;
}

bool hr_progress_finishes(const hr_progress *progress) {
    const hr_progress *asked = progress->outer ? progress->outer : progress;
    return atomic_load_explicit(&asked->finishing, memory_order_relaxed);
}

/* Is the time of nested work up? */
static bool is_over(const hr_progress *nested) {
    return hr_late(nested->deadline) || (nested->may_end && hr_progress_finishes(nested));
}

bool hr_late(double deadline) {
    return deadline > 0 && hr_seconds() >= deadline;
}

bool hr_progress_ran_out(const hr_progress *nested) {
    return is_over(nested) && !atomic_load(&nested->outer->cancelled);
}

hr_status hr_watch_copy(const hr_watch *given, hr_watch *out, hr_error *err) {
    *out = (hr_watch){0};
    if (!given) return HR_OK;
    if (given->size < offsetof(hr_watch, payload) + sizeof given->payload)
        return hr_fail(err, HR_EINVAL, "hr_watch: set `size` to sizeof(hr_watch)");
    memcpy(out, given, given->size < sizeof *out ? given->size : sizeof *out);
    return HR_OK;
}

hr_watch hr_watch_silent(const hr_watch *watch) {
    hr_watch silent = watch ? *watch : (hr_watch){0};
    silent.notice = NULL;
    return silent;
}

hr_status hr_watch_check(const hr_watch *watch, hr_error *err) {
    if (!watch || !watch->cancelled || !watch->cancelled(watch->payload)) return HR_OK;
    return hr_fail(err, HR_ECANCEL, "cancelled");
}

void hr_progress_start(hr_progress *progress, const hr_watch *watch, const char *stage,
                       uint64_t total) {
    progress->outer = NULL;
    progress->watch = watch;
    progress->stage = stage;
    progress->total = total;
    atomic_store(&progress->done, 0);
    atomic_store(&progress->next_report, 0);
    atomic_store(&progress->cancelled, false);
    atomic_store(&progress->finishing, false);
    atomic_flag_clear(&progress->busy);
    progress->measure = NULL;
}

void hr_progress_lose(hr_progress *progress, const char *measure, double unit, double least,
                      uint64_t lost) {
    progress->measure = measure;
    progress->unit = unit;
    progress->least = least;
    atomic_store(&progress->lost, lost);
}

void hr_progress_gain(hr_progress *progress, uint64_t units) {
    atomic_fetch_sub_explicit(&progress->lost, units, memory_order_relaxed);
}

static void report_loss(hr_progress *progress) {
    const hr_watch *watch = progress->watch;
    if (!watch->loss || !progress->measure) return;
    double lost = (double)atomic_load(&progress->lost) * progress->unit;
    watch->loss(progress->measure, lost, progress->least, watch->payload);
}

static void report(hr_progress *progress) {
    if (atomic_flag_test_and_set(&progress->busy)) return;
    const hr_watch *watch = progress->watch;
    uint64_t done = atomic_load(&progress->done);
    if (progress->total && done > progress->total) done = progress->total;
    report_loss(progress);
    if (watch->progress) watch->progress(progress->stage, done, progress->total, watch->payload);
    if (watch->cancelled && watch->cancelled(watch->payload))
        atomic_store(&progress->cancelled, true);
    if (watch->finish && watch->finish(watch->payload)) atomic_store(&progress->finishing, true);
    /* From the end of the callbacks: slow ones must not be due again at once. */
    atomic_store(&progress->next_report, nanoseconds() + 100000000);
    atomic_flag_clear(&progress->busy);
}

hr_status hr_progress_add(hr_progress *progress, uint64_t units, hr_error *err) {
    if (progress->outer) {
        if (is_over(progress)) return hr_fail(err, HR_ECANCEL, "the time is up");
        progress = progress->outer;
        units = 0;
    }
    if (units) atomic_fetch_add_explicit(&progress->done, units, memory_order_relaxed);
    if (!progress->watch) return HR_OK;
    if (nanoseconds() >= atomic_load_explicit(&progress->next_report, memory_order_relaxed))
        report(progress);
    if (atomic_load_explicit(&progress->cancelled, memory_order_relaxed))
        return hr_fail(err, HR_ECANCEL, "cancelled");
    return HR_OK;
}

void hr_progress_end(hr_progress *progress) {
    if (!progress->watch) return;
    report_loss(progress);
    if (progress->watch->progress)
        progress->watch->progress(progress->stage, progress->total, progress->total,
                                  progress->watch->payload);
}

void hr_notice(const hr_watch *watch, const char *format, ...) {
    if (!watch || !watch->notice) return;
    hr_error line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line.message, sizeof line.message, format, arguments);
    va_end(arguments);
    hr_hide_passwords(line.message);
    hr_one_line(line.message);
    watch->notice(line.message, watch->payload);
}
