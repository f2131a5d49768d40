/* ui_open.c - opens a job, or drafts one for a table. A draft is made even if there is a job,
 * because it describes the columns. */
#include "ui/ui_http.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JOB_MOST = 4 << 20 };

typedef struct {
    ui_task task;
    char *address, *job_text, *job_folder, *job_path;
    hr_draft *draft;
} open_task;

static bool is_job(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".yaml") || !strcmp(dot, ".yml") || !strcmp(dot, ".json"));
}

char *ui_file_text(const char *path, hr_error *err) {
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = NULL;
    if (fd < 0 || fstat(fd, &about) || !S_ISREG(about.st_mode)) {
        (void)hr_fail(err, HR_EIO, "%s cannot be read", path);
    } else if (about.st_size > JOB_MOST) {
        (void)hr_fail(err, HR_EINVAL, "%s is too large for a job", path);
    } else if ((text = malloc((size_t)about.st_size + 1))) {
        ssize_t got = read(fd, text, (size_t)about.st_size);
        text[got > 0 ? got : 0] = '\0';
        if (!strncmp(text, "\xef\xbb\xbf", 3)) memmove(text, text + 3, strlen(text + 3) + 1);
    }
    if (fd >= 0) close(fd);
    return text;
}

/* Drafts a job for the table of the job that is opened. If this fails, the job is opened without a
 * draft. */
static void draft_for(open_task *open) {
    hr_job *job;
    hr_error why;
    if (hr_job_parse(open->job_text, strlen(open->job_text), "the job", open->job_folder, &job,
                     &why) != HR_OK)
        return;
    const char *input = hr_job_get(job, "input");
    hr_draft_request request = {.size = sizeof request, .input = input};
    if (!input || hr_job_draft(&request, &open->task.watch, &open->draft, &why) != HR_OK)
        open->draft = NULL;
    hr_job_free(job);
}

static hr_status open_job(open_task *open) {
    hr_error *err = &open->task.err;
    const ui_desk *desk = open->task.desk;
    open->job_text = ui_file_text(open->address, err);
    if (!open->job_text) return err->code ? err->code : HR_ENOMEM;
    open->job_path = realpath(open->address, NULL);
    open->job_folder = open->job_path ? ui_path_folder(open->job_path) : NULL;
    if (!open->job_folder) return hr_fail(err, HR_ENOMEM, "out of memory");
    hr_error why;
    hr_status status =
        ui_job_confine(desk->start, desk->own, open->job_folder, open->job_text, &why);
    if (status != HR_OK)
        return hr_fail(err, status, "%s: %s", ui_path_name(open->job_path), why.message);
    draft_for(open);
    return HR_OK;
}

/* Takes the address of a table on a server from the draft, which has no password. */
static void leave_out_password(open_task *open) {
    json_t *job = open->job_text ? ui_yaml_json(open->job_text) : NULL;
    ui_replace(&open->address, ui_copy(json_string_value(json_object_get(job, "input"))));
    json_decref(job);
}

/* The draft names its input relative to the folder of the job: that of the file. */
static hr_status draft_job(open_task *open) {
    hr_error *err = &open->task.err;
    const ui_desk *desk = open->task.desk;
    bool address = strchr(open->address, ':') && strncmp(open->address, "/", 1) != 0;
    char *real = address ? NULL : realpath(open->address, NULL);
    bool dropped = address && strstr(open->address, desk->own);
    open->job_folder = real ? ui_path_folder(real) : ui_copy(dropped ? desk->own : desk->start);
    char *job = open->job_folder ? ui_format("%s/draft.yaml", open->job_folder) : NULL;
    hr_draft_request request = {
        .size = sizeof request, .input = real ? real : open->address, .job = job};
    hr_status status = job ? hr_job_draft(&request, &open->task.watch, &open->draft, err)
                           : hr_fail(err, HR_ENOMEM, "out of memory");
    if (status == HR_OK) open->job_text = ui_copy(hr_draft_job(open->draft));
    if (status == HR_OK && strstr(open->address, "://")) leave_out_password(open);
    free(job);
    free(real);
    return status;
}

static void work(ui_task *task) {
    open_task *open = (open_task *)task;
    task->status = is_job(open->address) ? open_job(open) : draft_job(open);
}

static void finish(ui_task *task) {
    open_task *open = (open_task *)task;
    ui_desk *desk = task->desk;
    if (task->status == HR_OK) {
        ui_replace(&desk->address, open->address);
        task->status = ui_desk_place(desk, open->job_text, open->job_folder, open->job_path,
                                     open->draft, &task->err);
        open->address = open->job_text = open->job_folder = open->job_path = NULL;
        open->draft = NULL;
    }
    if (task->status == HR_OK || task->status == HR_ECANCEL) return;
    char *message = ui_shown(desk, task->err.message);
    snprintf(desk->refused, sizeof desk->refused, "%s", message ? message : task->err.message);
    free(message);
}

static void discard(ui_task *task) {
    open_task *open = (open_task *)task;
    free(open->address);
    free(open->job_text);
    free(open->job_folder);
    free(open->job_path);
    hr_draft_free(open->draft);
}

/* The address of a file that was dropped has its whole path, unless there is such a file below the
 * start folder. */
static char *locate(const ui_desk *desk, const char *address) {
    const char *scheme = strncmp(address, "sqlite:", 7) ? "" : "sqlite:";
    const char *path = address + strlen(scheme);
    int length = (int)(*scheme ? strcspn(path, "?") : strlen(path));
    char *here = ui_format("%s/%.*s", desk->start, length, path);
    char *dropped = ui_format("%s/%.*s", desk->own, length, path);
    bool use = here && dropped && access(here, F_OK) != 0 && access(dropped, F_OK) == 0;
    free(here);
    free(dropped);
    return use ? ui_format("%s%s/%s", scheme, desk->own, path) : ui_copy(address);
}

hr_status ui_open(ui_desk *desk, const char *address, hr_error *err) {
    open_task *open = (open_task *)ui_task_new(desk, "open", sizeof *open);
    if (!open) return hr_fail(err, HR_ENOMEM, "out of memory");
    open->task.work = work;
    open->task.finish = finish;
    open->task.discard = discard;
    open->address = locate(desk, address);
    hr_status status =
        open->address ? ui_path_confine(desk->start, desk->own, desk->start, open->address, err)
                      : hr_fail(err, HR_ENOMEM, "out of memory");
    if (status == HR_OK) status = ui_path_check_file(desk->start, open->address, err);
    if (status != HR_OK) {
        ui_task_free(&open->task);
        return status;
    }
    desk->refused[0] = '\0';
    open->task.prices = true;
    ui_lane_start(&desk->quick, &open->task);
    return HR_OK;
}
