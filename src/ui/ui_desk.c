/* ui_desk.c - the job on the desk: its text, the history of the text, its file. */
#include "ui/ui_http.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Texts ---- */

/* Removes every `folder`/ from a text, in place. */
static void leave_out(char *text, const char *folder) {
    size_t length = strlen(folder);
    if (length < 2) return; /* / is everywhere */
    for (char *at = text; (at = strstr(at, folder));)
        if (at[length] == '/')
            memmove(at, at + length + 1, strlen(at + length + 1) + 1);
        else
            at += length;
}

char *ui_shown(const ui_desk *desk, const char *text) {
    char *shown = ui_copy(text);
    if (!shown) return NULL;
    leave_out(shown, desk->own);
    leave_out(shown, desk->start);
    return shown;
}

/* ---- Start and end ---- */

/* Called on the loop when tasks have ended. */
static void on_wake(evutil_socket_t fd, short what, void *payload) {
    ui_desk *desk = payload;
    char bytes[64];
    (void)what;
    while (read(fd, bytes, sizeof bytes) > 0) {
    }
    ui_lane_collect(&desk->quick);
    ui_lane_collect(&desk->slow);
}

static bool listen_to_tasks(ui_desk *desk) {
    if (pipe(desk->wake)) return false;
    for (int i = 0; i < 2; i++) {
        fcntl(desk->wake[i], F_SETFL, O_NONBLOCK);
        fcntl(desk->wake[i], F_SETFD, FD_CLOEXEC);
    }
    desk->woken = event_new(desk->base, desk->wake[0], EV_READ | EV_PERSIST, on_wake, desk);
    return desk->woken && event_add(desk->woken, NULL) == 0;
}

ui_desk *ui_desk_new(struct event_base *base, hr_error *err) {
    ui_desk *desk = calloc(1, sizeof *desk);
    if (!desk) return NULL;
    desk->base = base;
    desk->drop.fd = -1;
    desk->wake[0] = desk->wake[1] = -1;
    desk->seen = 1;
    desk->suggest_share = -1;
    desk->start = realpath(".", NULL);
    desk->own = desk->start ? ui_private_make(err) : NULL;
    if (!desk->start) (void)hr_fail(err, HR_EIO, "the current folder: %s", strerror(errno));
    if (desk->own && listen_to_tasks(desk)) return desk;
    if (desk->own) (void)hr_fail(err, HR_EIO, "no pipe can be made: %s", strerror(errno));
    ui_desk_free(desk);
    return NULL;
}

static void clear_history(ui_desk *desk) {
    for (size_t i = 0; i < desk->history.count; i++)
        free(desk->history.texts[i]);
    desk->history = (ui_history){0};
}

/* Frees everything that was computed from the table. */
static void clear_table(ui_desk *desk) {
    ui_grab_drop(desk);
    hr_rollup_free(desk->rollup);
    desk->rollup = NULL;
    ui_replace(&desk->basis, NULL);
    json_decref(desk->trees);
    json_decref(desk->price);
    json_decref(desk->suggestion);
    json_decref(desk->comparison);
    desk->trees = desk->price = desk->suggestion = desk->comparison = NULL;
    desk->suggest_share = -1;
}

void ui_desk_free(ui_desk *desk) {
    if (!desk) return;
    ui_lane_end(&desk->quick);
    ui_lane_end(&desk->slow);
    ui_drop_stop(desk);
    ui_runs_free(desk);
    clear_table(desk);
    clear_history(desk);
    hr_draft_free(desk->draft);
    if (desk->woken) event_free(desk->woken);
    for (int i = 0; i < 2; i++)
        if (desk->wake[i] >= 0) close(desk->wake[i]);
    ui_private_remove(desk->own);
    char *texts[] = {desk->start, desk->own, desk->path, desk->folder, desk->address, desk->saved};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    free(desk);
}

/* ---- The job ---- */

const char *ui_desk_text(const ui_desk *desk) {
    return desk->history.count ? desk->history.texts[desk->history.at] : NULL;
}

void ui_desk_touch(ui_desk *desk) {
    desk->seen++;
}

/* Called when the text of the job has changed: discards results for the old text. */
static void changed(ui_desk *desk) {
    desk->revision++;
    desk->refused[0] = '\0';
    json_decref(desk->suggestion);
    desk->suggestion = NULL;
    ui_desk_touch(desk);
    ui_count(desk);
}

hr_status ui_desk_place(ui_desk *desk, char *text, char *folder, char *path, hr_draft *draft,
                        hr_error *err) {
    clear_history(desk);
    clear_table(desk);
    hr_draft_free(desk->draft);
    desk->draft = draft;
    ui_replace(&desk->folder, folder);
    ui_replace(&desk->path, path);
    ui_replace(&desk->saved, path ? ui_copy(text) : NULL);
    desk->tree_revision++;
    return ui_desk_change(desk, text, err);
}

hr_status ui_desk_change(ui_desk *desk, char *text, hr_error *err) {
    ui_history *history = &desk->history;
    if (!text) return hr_fail(err, HR_ENOMEM, "out of memory");
    if (history->count && !strcmp(history->texts[history->at], text)) {
        free(text);
        return HR_OK;
    }
    while (history->count > history->at + 1) /* what was undone is lost */
        free(history->texts[--history->count]);
    if (history->count == UI_HISTORY) {
        free(history->texts[0]);
        memmove(history->texts, history->texts + 1, (UI_HISTORY - 1) * sizeof(char *));
        history->count--;
    }
    history->texts[history->count] = text;
    history->at = history->count++;
    changed(desk);
    return HR_OK;
}

hr_status ui_desk_step(ui_desk *desk, int steps, hr_error *err) {
    ui_history *history = &desk->history;
    if (steps < 0 ? history->at == 0 : history->at + 1 >= history->count)
        return hr_fail(err, HR_EINVAL, "there is nothing to %s", steps < 0 ? "undo" : "redo");
    history->at = steps < 0 ? history->at - 1 : history->at + 1;
    changed(desk);
    return HR_OK;
}

/* A path for a job without a file: beside its input, with the same name, and a number if there is
 * such a file. */
static char *free_path(const ui_desk *desk) {
    enum { NUMBERS = 1000 };
    struct stat about;
    const char *name = ui_path_name(desk->address ? desk->address : "job");
    const char *table = desk->address ? strstr(desk->address, "table=") : NULL;
    if (!strncmp(name, "sqlite:", 7)) name += 7;
    if (table && strstr(desk->address, "://")) name = table + strlen("table="); /* on a server */
    size_t length = strcspn(name, ".?&/");
    if (!length) length = strlen(name = "job");
    char *path = ui_format("%s/%.*s.yaml", desk->folder, (int)length, name);
    for (int i = 2; i < NUMBERS && path && lstat(path, &about) == 0; i++)
        ui_replace(&path, ui_format("%s/%.*s-%d.yaml", desk->folder, (int)length, name, i));
    return path;
}

/* Fails if the job file is not the one that was opened or saved last. A file that is gone is
 * written again. */
static hr_status check_unchanged(const ui_desk *desk, hr_error *err) {
    hr_error why;
    struct stat about;
    if (!desk->path || !desk->saved || lstat(desk->path, &about)) return HR_OK;
    char *text = ui_file_text(desk->path, &why);
    bool same = text && !strcmp(text, desk->saved);
    free(text);
    if (same) return HR_OK;
    return hr_fail(err, HR_EINVAL,
                   "%s was changed by somebody else since it was opened: open it again, or rename "
                   "it and save then",
                   ui_path_name(desk->path));
}

hr_status ui_desk_save(ui_desk *desk, const char *path, hr_error *err) {
    struct stat about;
    const char *text = ui_desk_text(desk);
    if (!text) return hr_fail(err, HR_EINVAL, "there is no job to save");
    bool inside = !strncmp(desk->folder, desk->own, strlen(desk->own));
    if (inside && !path && !desk->path)
        return hr_fail(err, HR_EINVAL,
                       "the input was dropped on the page and is removed when the server stops: "
                       "download the job and put it beside the file");
    char *to = path         ? ui_format("%s/%s", desk->start, path)
               : desk->path ? ui_copy(desk->path)
                            : free_path(desk);
    if (!to) return hr_fail(err, HR_ENOMEM, "out of memory");
    hr_status status = ui_path_confine(desk->start, desk->own, desk->start, to, err);
    if (status == HR_OK && !desk->path && lstat(to, &about) == 0)
        status = hr_fail(err, HR_EINVAL, "%s exists: rename or remove it first", ui_path_name(to));
    if (status == HR_OK && !path) status = check_unchanged(desk, err);
    if (status == HR_OK) status = hr_file_write(to, text, strlen(text), false, NULL, err);
    if (status == HR_OK) {
        ui_replace(&desk->path, to);
        ui_replace(&desk->saved, ui_copy(text));
        ui_desk_touch(desk);
    } else {
        free(to);
    }
    return status;
}

hr_status ui_task_job(ui_task *task, hr_job **out) {
    const ui_desk *desk = task->desk; /* its folders never change */
    *out = NULL;
    if (!task->text) return hr_fail(&task->err, HR_EINVAL, "nothing is open");
    HR_TRY(ui_job_confine(desk->start, desk->own, task->folder, task->text, &task->err));
    return hr_job_parse(task->text, strlen(task->text), "the job", task->folder, out, &task->err);
}
