/* ui_run.c - runs the job as the command does, and keeps what the page shows of the run: figures,
 * loss against time, classes, report, and the file. */
#include "ui/ui_http.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS_MOST = 50, RELEASES_MOST = 3, CLASSES_SHOWN = 50 };

typedef struct {
    ui_task task;
    bool unkept; /* the release was written, but there is no copy for download */
    ui_run *run;
} run_task;

/* ---- Classes ---- */

typedef struct {
    uint32_t size, row;
} class_size;

static int by_size(const void *a, const void *b) {
    const class_size *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Size of each class, and the first of its rows in the release. */
static bool list_classes(ui_run *run) {
    const hr_release *release = run->release;
    size_t rows = hr_release_input_rows(release);
    uint32_t count = (uint32_t)hr_release_figures(release)->classes, used = 0;
    class_size *all = calloc((size_t)count + 1, sizeof *all);
    run->classes = calloc((size_t)count + 1, sizeof *run->classes);
    run->sizes = calloc((size_t)count + 1, sizeof *run->sizes);
    for (size_t row = 0; all && row < rows; row++) {
        uint32_t class = hr_release_class(release, row), at = hr_release_row(release, row);
        if (class == HR_NONE || class >= count) continue;
        if (all[class].size++ == 0 || at < all[class].row) all[class].row = at;
    }
    if (all && run->classes && run->sizes) {
        qsort(all, count, sizeof *all, by_size);
        for (uint32_t i = 0; i < count; i++)
            if (all[i].size > 0) {
                run->classes[used] = all[i].row;
                run->sizes[used++] = all[i].size;
            }
        run->class_count = used;
    }
    free(all);
    return run->class_count > 0;
}

/* The quasi-identifiers among the released columns. */
static size_t quasi_columns(const ui_run *run, size_t *out, size_t room) {
    const hr_table *table = hr_release_table(run->release);
    json_t *attributes = ui_yaml_attributes(run->job);
    size_t count = 0;
    for (size_t c = 0; c < hr_table_columns(table) && count < room; c++) {
        json_t *own = json_object_get(attributes, hr_table_name(table, c));
        const char *role = json_string_value(json_object_get(own, "role"));
        if (role && !strcmp(role, "quasi")) out[count++] = c;
    }
    json_decref(attributes);
    return count;
}

json_t *ui_classes_json(const ui_run *run, uint32_t first, bool largest) {
    enum { COLUMNS = 64 };
    size_t columns[COLUMNS], count = quasi_columns(run, columns, COLUMNS);
    const hr_table *table = hr_release_table(run->release);
    json_t *names = json_array(), *list = json_array();
    for (size_t c = 0; c < count; c++)
        json_array_append_new(names, json_string(hr_table_name(table, columns[c])));
    for (uint32_t i = first; i < run->class_count && i - first < CLASSES_SHOWN; i++) {
        uint32_t at = largest ? run->class_count - 1 - i : i;
        json_t *line = json_array();
        json_array_append_new(line, json_integer((json_int_t)run->sizes[at]));
        for (size_t c = 0; c < count; c++)
            json_array_append_new(line,
                                  json_string(hr_table_text(table, run->classes[at], columns[c])));
        json_array_append_new(list, line);
    }
    return json_pack("{s:o,s:I,s:I,s:o}", "columns", names, "total", (json_int_t)run->class_count,
                     "first", (json_int_t)first, "classes", list);
}

/* ---- The run ---- */

static json_t *facts_json(const run_task *own, const hr_job *job) {
    const hr_figures *f = hr_release_figures(own->run->release);
    const char *algorithm = hr_job_get(job, "algorithm"), *warning;
    json_t *warnings = json_array();
    for (size_t i = 0; (warning = hr_release_warning(own->run->release, i)); i++)
        json_array_append_new(warnings, json_string(warning));
    json_t *facts = json_pack(
        "{s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:f}", "algorithm",
        algorithm ? algorithm : "hedge", "k", (json_int_t)f->k, "p", (json_int_t)f->p, "rows",
        (json_int_t)f->rows, "released", (json_int_t)f->released, "suppressed",
        (json_int_t)f->suppressed, "classes", (json_int_t)f->classes, "violations",
        (json_int_t)f->violations, "achieved_k", (json_int_t)f->achieved_k, "achieved_p",
        f->achieved_p < 0 ? json_null() : json_integer((json_int_t)f->achieved_p), "ntil",
        ui_real_json(f->ntil), "ntil_bound", ui_real_json(f->ntil_bound), "seconds", f->seconds);
    char *summary = ui_shown(own->task.desk, hr_release_summary(own->run->release));
    const char *own_folder = own->task.desk->own;
    bool dropped = !strncmp(own->task.folder, own_folder, strlen(own_folder));
    char *note =
        ui_format("%s%s", summary ? summary : "",
                  own->unkept ? "download    there is no room to keep this release for download: "
                                "take the file that was written\n"
                  : dropped   ? "download    the table was dropped on the page, so this file is "
                                "removed when the server stops: download it\n"
                              : "");
    json_object_set_new(facts, "summary", json_string(note ? note : ""));
    free(summary);
    free(note);
    json_object_set_new(facts, "warnings", warnings);
    json_object_set_new(facts, "points", ui_points_json(&own->task.progress));
    return facts;
}

/* The name under which the release is offered: that of the output. */
static char *offered_name(const char *output) {
    const char *name = ui_path_name(output);
    return strchr(name, ':') || strchr(name, '?') ? ui_copy("release.csv") : ui_copy(name);
}

/* Chooses the path of the copy for download: in the private folder, because the next run of the job
 * replaces its output. No uploaded file gets such a name. */
static hr_status place_output(run_task *own, hr_job *job) {
    ui_run *run = own->run;
    hr_error *err = &own->task.err;
    const char *named = hr_job_get(job, "output");
    bool file = named && strncmp(named, "sqlite:", 7) != 0 && strncmp(named, "postgres", 8) != 0;
    run->output = ui_format("%s/.release-%u.csv", own->task.desk->own, run->id);
    run->name = file ? offered_name(named) : ui_copy("release.csv");
    if (!run->output || !run->name) return hr_fail(err, HR_ENOMEM, "out of memory");
    return named ? HR_OK : hr_job_set(job, "output", run->output, err);
}

/* Copies a file. */
static bool copy_file(const char *from, const char *to) {
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    char bytes[1 << 16];
    ssize_t got = out < 0 ? -1 : 1, put = 0;
    while (got > 0 && (got = read(in, bytes, sizeof bytes)) > 0)
        for (ssize_t at = 0; at < got; at += put)
            if ((put = write(out, bytes + at, (size_t)(got - at))) <= 0) {
                got = -1;
                break;
            }
    if (in >= 0) close(in);
    if (out >= 0 && close(out)) got = -1;
    return got == 0;
}

/* Keeps the output for download. The next run replaces the file and never changes it, so a hard
 * link keeps it. A table of a database has no file. */
static hr_status keep_output(run_task *own, const hr_job *job) {
    const char *named = hr_job_get(job, "output"), *kept = own->run->output;
    hr_error *err = &own->task.err;
    if (!strcmp(named, kept)) return HR_OK;
    if (!strncmp(named, "sqlite:", 7) || !strncmp(named, "postgres", 8))
        return hr_table_write(hr_release_table(own->run->release), kept, err);
    own->unkept = link(named, kept) != 0 && !copy_file(named, kept);
    if (own->unkept) unlink(kept); /* an incomplete copy, if the disk was full */
    return HR_OK;
}

static void work(ui_task *task) {
    run_task *own = (run_task *)task;
    hr_job *job;
    task->status = ui_task_job(task, &job);
    if (task->status == HR_OK) task->status = place_output(own, job);
    if (task->status == HR_OK)
        task->status = hr_job_run(job, &task->watch, &own->run->release, &task->err);
    if (task->status == HR_OK) task->status = keep_output(own, job);
    if (task->status == HR_OK) {
        own->run->facts = facts_json(own, job);
        list_classes(own->run);
    }
    hr_job_free(job);
}

/* Keeps the figures of a run, and nothing else. */
static void forget_release(ui_run *run) {
    hr_release_free(run->release);
    run->release = NULL;
    if (run->output) unlink(run->output);
    ui_replace(&run->page, NULL);
}

static void free_run(ui_run *run) {
    if (!run) return;
    forget_release(run);
    json_decref(run->facts);
    free(run->job);
    free(run->output);
    free(run->name);
    free(run->page);
    free(run->classes);
    free(run->sizes);
    free(run);
}

/* Keeps only the figures of old runs, and removes very old runs. */
static void thin_out(ui_desk *desk) {
    unsigned count = 0;
    for (ui_run *run = desk->runs; run; run = run->older) {
        if (++count > RELEASES_MOST) forget_release(run);
        while (count >= RUNS_MOST && run->older) {
            ui_run *oldest = run->older;
            run->older = oldest->older;
            free_run(oldest);
        }
    }
}

static void finish(ui_task *task) {
    run_task *own = (run_task *)task;
    ui_desk *desk = task->desk;
    ui_run *run = own->run;
    if (task->status != HR_OK) {
        char *message = ui_shown(desk, task->err.message);
        forget_release(run);
        json_decref(run->facts);
        run->facts =
            json_pack("{s:s,s:b,s:o}", "error", message ? message : task->err.message, "cancelled",
                      (int)(task->status == HR_ECANCEL), "points", ui_points_json(&task->progress));
        free(message);
    }
    run->older = desk->runs;
    desk->runs = run;
    own->run = NULL;
    thin_out(desk);
}

static void discard(ui_task *task) {
    free_run(((run_task *)task)->run);
}

hr_status ui_run_start(ui_desk *desk, hr_error *err) {
    if (!ui_desk_text(desk)) return hr_fail(err, HR_EINVAL, "nothing is open");
    if (desk->slow.running) return hr_fail(err, HR_EINVAL, "a run is not finished yet");
    run_task *own = (run_task *)ui_task_new(desk, "run", sizeof *own);
    if (!own) return hr_fail(err, HR_ENOMEM, "out of memory");
    own->task.work = work;
    own->task.finish = finish;
    own->task.discard = discard;
    own->run = calloc(1, sizeof *own->run);
    if (own->run) {
        own->run->id = ++desk->run_count;
        own->run->job = ui_copy(own->task.text);
        ui_lane_start(&desk->slow, &own->task);
        return HR_OK;
    }
    ui_task_free(&own->task);
    return hr_fail(err, HR_ENOMEM, "out of memory");
}

ui_run *ui_run_find(const ui_desk *desk, unsigned id) {
    ui_run *run = desk->runs;
    while (run && run->id != id)
        run = run->older;
    return run;
}

json_t *ui_runs_json(const ui_desk *desk) {
    json_t *list = json_array();
    for (const ui_run *run = desk->runs; run; run = run->older)
        json_array_append_new(list, json_pack("{s:I,s:b,s:O}", "id", (json_int_t)run->id, "whole",
                                              (int)(run->release != NULL), "facts", run->facts));
    return list;
}

void ui_runs_free(ui_desk *desk) {
    while (desk->runs) {
        ui_run *run = desk->runs;
        desk->runs = run->older;
        free_run(run);
    }
}
