/* ui_compare.c - compares algorithms, k and p: the grid of `hedgerow compare`. */
#include "ui/ui_http.h"

#include <stdlib.h>
#include <string.h>

enum { ALGORITHMS = 16, RUNS_MOST = 200 };

typedef struct {
    ui_task task;
    char *algorithms[ALGORITHMS];
    size_t algorithm_count, k_count, p_count;
    int64_t *ks, *ps;
    json_t *found;
} compare_task;

static json_t *row_json(const hr_compared *run) {
    const hr_figures *f = run->figures;
    json_t *row =
        json_pack("{s:s,s:I,s:I,s:b,s:s?}", "algorithm", run->algorithm, "k", (json_int_t)run->k,
                  "p", (json_int_t)run->p, "best", (int)run->best, "note", run->note);
    if (!f) return row;
    json_object_set_new(row, "ntil", ui_real_json(f->ntil));
    json_object_set_new(row, "classes", json_integer((json_int_t)f->classes));
    json_object_set_new(row, "suppressed", json_integer((json_int_t)f->suppressed));
    json_object_set_new(row, "seconds", json_real(f->seconds));
    return row;
}

static void work(ui_task *task) {
    compare_task *own = (compare_task *)task;
    hr_job *job;
    hr_comparison *comparison = NULL;
    const hr_compared *run;
    hr_compare_request request = {.size = sizeof request,
                                  .algorithms = (const char *const *)own->algorithms,
                                  .algorithm_count = own->algorithm_count,
                                  .ks = own->ks,
                                  .k_count = own->k_count,
                                  .ps = own->ps,
                                  .p_count = own->p_count};
    task->status = ui_task_job(task, &job);
    if (task->status == HR_OK)
        task->status = hr_job_compare(job, &request, &task->watch, &comparison, &task->err);
    if (comparison) {
        json_t *rows = json_array();
        for (size_t i = 0; (run = hr_comparison_at(comparison, i)); i++)
            json_array_append_new(rows, row_json(run));
        own->found = json_pack("{s:o}", "rows", rows);
        hr_comparison_free(comparison);
    }
    hr_job_free(job);
}

static void finish(ui_task *task) {
    compare_task *own = (compare_task *)task;
    ui_desk *desk = task->desk;
    if (!own->found) own->found = json_object();
    if (task->status != HR_OK)
        json_object_set_new(own->found, "error", json_string(task->err.message));
    json_decref(desk->comparison);
    desk->comparison = own->found;
    own->found = NULL;
}

static void discard(ui_task *task) {
    compare_task *own = (compare_task *)task;
    for (size_t i = 0; i < own->algorithm_count; i++)
        free(own->algorithms[i]);
    hr_free(own->ks);
    hr_free(own->ps);
    json_decref(own->found);
}

static hr_status read_request(compare_task *own, const json_t *algorithms, const char *ks,
                              const char *ps, hr_error *err) {
    size_t i;
    json_t *name;
    json_array_foreach((json_t *)algorithms, i,
                       name) if (json_is_string(name) && own->algorithm_count < ALGORITHMS)
        own->algorithms[own->algorithm_count++] = ui_copy(json_string_value(name));
    if (own->algorithm_count == 0) return hr_fail(err, HR_EINVAL, "choose at least one algorithm");
    HR_TRY(hr_parse_numbers("k", ks ? ks : "", INT64_MAX, &own->ks, &own->k_count, err));
    HR_TRY(hr_parse_numbers("p", ps ? ps : "", INT64_MAX, &own->ps, &own->p_count, err));
    if (own->algorithm_count * own->k_count * own->p_count > RUNS_MOST)
        return hr_fail(err, HR_EINVAL, "that would be more than %d runs: choose fewer", RUNS_MOST);
    return HR_OK;
}

hr_status ui_compare(ui_desk *desk, const json_t *algorithms, const char *ks, const char *ps,
                     hr_error *err) {
    if (!ui_desk_text(desk)) return hr_fail(err, HR_EINVAL, "nothing is open");
    if (desk->slow.running) return hr_fail(err, HR_EINVAL, "a run is not finished yet");
    compare_task *own = (compare_task *)ui_task_new(desk, "compare", sizeof *own);
    if (!own) return hr_fail(err, HR_ENOMEM, "out of memory");
    own->task.work = work;
    own->task.finish = finish;
    own->task.discard = discard;
    hr_status status = read_request(own, algorithms, ks, ps, err);
    if (status == HR_OK)
        ui_lane_start(&desk->slow, &own->task);
    else
        ui_task_free(&own->task);
    return status;
}
