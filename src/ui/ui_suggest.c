/* ui_suggest.c - suggests boundaries for a budget, as `hedgerow boundaries --suggest` does. */
#include "ui/ui_http.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    ui_task task;
    unsigned revision;
    const hr_rollup *rollup;
    double share;
    json_t *found;
} suggest_task;

/* {suppressed, loss, levels: {COLUMN: level or null}} */
static json_t *combination_json(const hr_suggestion *s, const hr_suggested *one) {
    const hr_suggested_attribute *a;
    json_t *levels = json_object();
    for (size_t j = 0; (a = hr_suggestion_attribute(s, j)); j++) {
        if (one->levels[j] == HR_NONE) continue;
        const char *name = hr_hierarchy_level_name(a->tree, one->levels[j]);
        bool root = one->levels[j] + 1 == hr_hierarchy_level_count(a->tree);
        json_object_set_new(levels, a->name,
                            root   ? json_null()
                            : name ? json_string(name)
                                   : json_integer((json_int_t)one->levels[j]));
    }
    return json_pack("{s:I,s:f,s:o}", "suppressed", (json_int_t)one->suppressed, "loss",
                     one->loss_at_most, "levels", levels);
}

static json_t *suggestion_json(const hr_suggestion *s, double share) {
    enum { SHOWN = 8 };
    const hr_suggestion_figures *figures = hr_suggestion_result(s);
    const hr_suggested *one;
    const hr_kp *kp;
    json_t *list = json_array(), *pairs = json_array();
    for (size_t i = 0; i < SHOWN && (one = hr_suggestion_at(s, i)); i++)
        json_array_append_new(list, combination_json(s, one));
    for (size_t i = 0; (kp = hr_suggestion_frontier(s, i)); i++)
        json_array_append_new(pairs, json_pack("[I,I,I]", (json_int_t)kp->k, (json_int_t)kp->p,
                                               (json_int_t)kp->suppressed));
    return json_pack("{s:f,s:I,s:I,s:b,s:o,s:o}", "share", share, "rows", (json_int_t)figures->rows,
                     "budget", (json_int_t)figures->budget, "exact", (int)figures->exact,
                     "combinations", list, "pairs", pairs);
}

static void prepare(ui_task *task) {
    ((suggest_task *)task)->rollup = task->desk->rollup;
}

static void work(ui_task *task) {
    suggest_task *own = (suggest_task *)task;
    hr_job *job;
    hr_suggestion *s;
    task->status = ui_task_job(task, &job);
    if (task->status == HR_OK && !own->rollup)
        task->status = hr_fail(&task->err, HR_EINVAL, "the table has not been counted yet");
    if (task->status == HR_OK)
        task->status =
            hr_rollup_suggest(own->rollup, job, own->share, &task->watch, &s, &task->err);
    if (task->status == HR_OK) {
        own->found = suggestion_json(s, own->share);
        hr_suggestion_free(s);
    }
    hr_job_free(job);
}

static void finish(ui_task *task) {
    suggest_task *own = (suggest_task *)task;
    ui_desk *desk = task->desk;
    if (own->revision != desk->revision) return;
    if (task->status != HR_OK && task->status != HR_ECANCEL)
        own->found = json_pack("{s:s}", "error", task->err.message);
    json_decref(desk->suggestion);
    desk->suggestion = own->found;
    own->found = NULL;
}

static void discard(ui_task *task) {
    json_decref(((suggest_task *)task)->found);
}

hr_status ui_suggest(ui_desk *desk, double share, hr_error *err) {
    if (!(share >= 0 && share <= 1))
        return hr_fail(err, HR_EINVAL, "the share of rows is a number from 0 to 1");
    if (desk->quick.running && desk->quick.running->prices) { /* which a task would cancel */
        desk->suggest_share = share;
        return HR_OK;
    }
    if (!desk->rollup || !desk->price)
        return hr_fail(err, HR_EINVAL, "the table has not been counted yet");
    suggest_task *own = (suggest_task *)ui_task_new(desk, "suggest", sizeof *own);
    if (!own) return hr_fail(err, HR_ENOMEM, "out of memory");
    own->task.prepare = prepare;
    own->task.work = work;
    own->task.finish = finish;
    own->task.discard = discard;
    own->revision = desk->revision;
    own->share = share;
    ui_lane_start(&desk->quick, &own->task);
    return HR_OK;
}

void ui_suggest_now(ui_desk *desk) {
    double share = desk->suggest_share;
    hr_error err;
    if (share < 0) return;
    desk->suggest_share = -1;
    if (ui_suggest(desk, share, &err) == HR_OK) return;
    json_decref(desk->suggestion);
    desk->suggestion = json_pack("{s:s}", "error", err.message);
}
