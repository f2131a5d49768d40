/* ui_grab.c - prices a boundary while it is dragged. Grabbing it adds up the counted table, which
 * takes a moment and runs on a thread; afterwards the loop prices every position at once. */
#include "ui/ui_http.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    ui_task task;
    const hr_rollup *rollup;
    char *column, *basis;
    unsigned revision;
    size_t size;
    hr_grab *grab;
} grab_task;

void ui_grab_drop(ui_desk *desk) {
    hr_grab_free(desk->grab);
    desk->grab = NULL;
    desk->grab_size = 0;
    ui_replace(&desk->grab_basis, NULL);
}

static void prepare(ui_task *task) {
    ((grab_task *)task)->rollup = task->desk->rollup;
}

static void work(ui_task *task) {
    grab_task *grab = (grab_task *)task;
    hr_job *job;
    ui_grid grid;
    task->status = ui_task_job(task, &job);
    if (task->status == HR_OK && !grab->rollup) {
        task->status = HR_ECANCEL;
    } else if (task->status == HR_OK) {
        ui_grid_of(job, &grid);
        grab->size = grid.k * grid.p;
        task->status = hr_rollup_grab(grab->rollup, job, grab->column, grid.ks, grid.k, grid.ps,
                                      grid.p, &task->watch, &grab->grab, &task->err);
    }
    hr_job_free(job);
}

static void finish(ui_task *task) {
    grab_task *grab = (grab_task *)task;
    ui_desk *desk = task->desk;
    if (task->status != HR_OK && task->status != HR_ECANCEL) desk->grab_failed = grab->revision;
    if (task->status != HR_OK || grab->rollup != desk->rollup) return;
    ui_grab_drop(desk);
    desk->grab = grab->grab;
    desk->grab_size = grab->size;
    desk->grab_basis = grab->basis;
    grab->grab = NULL;
    grab->basis = NULL;
}

static void discard(ui_task *task) {
    grab_task *grab = (grab_task *)task;
    hr_grab_free(grab->grab);
    free(grab->column);
    free(grab->basis);
}

static void start(ui_desk *desk, const char *column, char *basis) {
    grab_task *grab = (grab_task *)ui_task_new(desk, "grab", sizeof *grab);
    if (!grab) {
        free(basis);
        return;
    }
    grab->task.prepare = prepare;
    grab->task.work = work;
    grab->task.finish = finish;
    grab->task.discard = discard;
    grab->column = ui_copy(column);
    grab->basis = basis;
    grab->revision = desk->revision;
    ui_lane_start(&desk->quick, &grab->task);
}

static json_t *move(ui_desk *desk, const json_t *nodes, hr_error *err) {
    size_t count = json_array_size(nodes);
    uint32_t *ids = malloc((count + 1) * sizeof *ids);
    const hr_grabbed *moved;
    if (!ids) {
        (void)hr_fail(err, HR_ENOMEM, "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        json_int_t id = json_integer_value(json_array_get(nodes, i));
        ids[i] = id < 0 || id >= UINT32_MAX ? UINT32_MAX : (uint32_t)id;
    }
    hr_status status = hr_grab_move(desk->grab, ids, count, &moved, err);
    free(ids);
    if (status != HR_OK) return NULL;
    const hr_lost_figures *figures = hr_lost_result(moved->lost);
    return json_pack("{s:I,s:I,s:I,s:o,s:o}", "suppressed", (json_int_t)figures->suppressed, "rows",
                     (json_int_t)figures->rows, "cells", (json_int_t)moved->cells, "grid",
                     ui_numbers_json(moved->suppressed, desk->grab_size), "lost",
                     ui_lost_json(moved->lost));
}

json_t *ui_drag(ui_desk *desk, const char *column, const json_t *nodes, hr_error *err) {
    const char *text = ui_desk_text(desk);
    if (!text || !column || !json_is_array(nodes)) {
        (void)hr_fail(err, HR_EINVAL, "nothing is open");
        return NULL;
    }
    char *basis = ui_yaml_basis(text, column);
    bool grabbed = basis && desk->grab && desk->grab_basis && !strcmp(basis, desk->grab_basis);
    bool failed =
        !grabbed && ((desk->grab_failed == desk->revision && desk->revision) || ui_yaml_cuts(text));
    if (!grabbed && !failed && basis && desk->rollup && desk->price && !desk->quick.running)
        start(desk, column, basis);
    else
        free(basis);
    if (grabbed) return move(desk, nodes, err);
    if (!failed) return json_pack("{s:b}", "pending", 1);
    (void)hr_fail(err, HR_EUNSUP, "With this job, rows are counted when you release the line.");
    return NULL;
}
