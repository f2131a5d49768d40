/* ui_task.c - runs work that takes long on threads of its own. A task gets copies of its inputs,
 * and the loop takes its results when it has ended, so only the progress of a task needs a lock. */
#include "ui/ui_http.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

double ui_seconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + 1e-9 * (double)(now.tv_nsec - start->tv_nsec);
}

/* ---- Watching ---- */

static void on_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    ui_task *task = payload;
    pthread_mutex_lock(&task->lock);
    snprintf(task->progress.stage, sizeof task->progress.stage, "%s", stage);
    task->progress.done = done;
    task->progress.total = total;
    pthread_mutex_unlock(&task->lock);
}

/* Keeps every second point when there is no more room. */
static void thin_out(ui_progress *progress) {
    progress->point_count /= 2;
    for (size_t i = 0; i < progress->point_count; i++)
        progress->points[i] = progress->points[2 * i];
    progress->every *= 2;
}

static void on_loss(const char *measure, double loss, double least, void *payload) {
    ui_task *task = payload;
    ui_progress *progress = &task->progress;
    pthread_mutex_lock(&task->lock);
    snprintf(progress->measure, sizeof progress->measure, "%s", measure);
    if (progress->point_count == UI_POINTS) thin_out(progress);
    if (progress->point_seen++ % progress->every == 0)
        progress->points[progress->point_count++] =
            (ui_point){ui_seconds_since(&task->started), loss, least};
    pthread_mutex_unlock(&task->lock);
}

static void on_notice(const char *message, void *payload) {
    ui_task *task = payload;
    pthread_mutex_lock(&task->lock);
    if (task->progress.notice_count < UI_NOTICES)
        task->progress.notices[task->progress.notice_count++] = ui_copy(message);
    pthread_mutex_unlock(&task->lock);
}

static bool is_cancelled(void *payload) {
    return atomic_load(&((ui_task *)payload)->cancelled);
}

/* ---- Tasks ---- */

ui_task *ui_task_new(ui_desk *desk, const char *kind, size_t size) {
    ui_task *task = calloc(1, size);
    if (!task) return NULL;
    task->kind = kind;
    task->desk = desk;
    task->text = ui_copy(ui_desk_text(desk));
    task->folder = ui_copy(desk->folder);
    task->progress.every = 1;
    task->watch = (hr_watch){.size = sizeof(hr_watch),
                             .progress = on_progress,
                             .loss = on_loss,
                             .notice = on_notice,
                             .cancelled = is_cancelled,
                             .payload = task};
    pthread_mutex_init(&task->lock, NULL);
    return task;
}

void ui_task_free(ui_task *task) {
    if (!task) return;
    if (task->discard) task->discard(task);
    for (size_t i = 0; i < task->progress.notice_count; i++)
        free(task->progress.notices[i]);
    pthread_mutex_destroy(&task->lock);
    free(task->text);
    free(task->folder);
    free(task);
}

static void *run_task(void *payload) {
    ui_task *task = payload;
    int wake = task->desk->wake[1];
    task->work(task);
    atomic_store(&task->ended, true);
    ssize_t written = write(wake, "", 1); /* a full pipe wakes the loop as well */
    (void)written;
    return NULL;
}

/* ---- Lanes ---- */

static void begin(ui_lane *lane, ui_task *task) {
    clock_gettime(CLOCK_MONOTONIC, &task->started);
    if (task->prepare) task->prepare(task);
    lane->running = task;
    if (pthread_create(&task->thread, NULL, run_task, task) == 0) return;
    lane->running = NULL;
    task->status = hr_fail(&task->err, HR_ENOMEM, "no thread can be started");
    task->finish(task);
    ui_task_free(task);
}

void ui_lane_start(ui_lane *lane, ui_task *task) {
    ui_desk *desk = task->desk;
    if (!lane->running) {
        begin(lane, task);
    } else {
        ui_task_free(lane->waiting);
        lane->waiting = task;
        atomic_store(&lane->running->cancelled, true);
    }
    ui_desk_touch(desk);
}

void ui_lane_cancel(ui_lane *lane) {
    ui_task_free(lane->waiting);
    lane->waiting = NULL;
    if (lane->running) atomic_store(&lane->running->cancelled, true);
}

void ui_lane_collect(ui_lane *lane) {
    ui_task *task = lane->running;
    if (!task || !atomic_load(&task->ended)) return;
    pthread_join(task->thread, NULL);
    lane->running = NULL;
    task->finish(task);
    ui_desk_touch(task->desk);
    ui_task_free(task);
    if (lane->running || !lane->waiting) return; /* `finish` may have started the next one */
    task = lane->waiting;
    lane->waiting = NULL;
    begin(lane, task);
}

void ui_lane_end(ui_lane *lane) {
    ui_lane_cancel(lane);
    if (!lane->running) return;
    pthread_join(lane->running->thread, NULL);
    ui_task_free(lane->running);
    lane->running = NULL;
}

/* ---- For the page ---- */

json_t *ui_real_json(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *ui_points_json(const ui_progress *progress) {
    json_t *list = json_array();
    for (size_t i = 0; i < progress->point_count; i++) {
        const ui_point *point = &progress->points[i];
        json_array_append_new(list, json_pack("[f,o,o]", point->seconds, ui_real_json(point->loss),
                                              ui_real_json(point->least)));
    }
    return list;
}

json_t *ui_lane_json(ui_lane *lane) {
    ui_task *task = lane->running;
    if (!task) return json_null();
    pthread_mutex_lock(&task->lock);
    const ui_progress *progress = &task->progress;
    json_t *notices = json_array();
    for (size_t i = 0; i < progress->notice_count; i++)
        json_array_append_new(notices, json_string(progress->notices[i]));
    json_t *out =
        json_pack("{s:s,s:f,s:s,s:I,s:I,s:b,s:s,s:o,s:o}", "kind", task->kind, "seconds",
                  ui_seconds_since(&task->started), "stage", progress->stage, "done",
                  (json_int_t)progress->done, "total", (json_int_t)progress->total, "stopping",
                  (int)atomic_load(&task->cancelled), "measure", progress->measure, "points",
                  ui_points_json(progress), "notices", notices);
    pthread_mutex_unlock(&task->lock);
    return out;
}
