/* plan.c - making a plan, exporting and importing it, and running cells with it. */
#include "run/plan/plan.h"

#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

/* Reads the plan from its bytes and binds its attributes to the values. Units are bound when a part
 * is run. */
static hr_status open_plan(hr_plan *plan, hr_error *err) {
    HR_TRY(hr_plan_read(plan->bytes.data, plan->bytes.length, plan, err));
    hr_job whole = *plan->job; /* complete once it has an input */
    whole.input.table = plan->values;
    HR_TRY(hr_job_complete(&whole, err));
    HR_TRY(hr_job_choose(plan->job, &plan->arena, &plan->choice, err));
    plan->domain.table = plan->values;
    plan->domain.missing = hr_job_missing(plan->job);
    whole.unit = NULL;
    return hr_dataset_bind(&whole, NULL, &plan->domain, err);
}

static hr_status plan_run(hr_run *run, hr_text *bytes) {
    HR_TRY(hr_run_start(run));
    if (hr_model_in_play(hr_models[hr_model_find("t")], &run->asked))
        return hr_fail(run->err, HR_EINVAL,
                       "t-closeness refers to the whole table, and a plan runs cells apart: leave "
                       "t out, or run the job in one place");
    bool draft = run->job->input.counts && run->job->input.counted == 0; /* cells come later */
    if (!draft) HR_TRY(hr_run_prepare(run));
    return draft || run->choice.algorithm->per_cell ? hr_plan_write(run, bytes)
                                                    : hr_plan_write_global(run, bytes);
}

/* The plan is read from the bytes that were written for it, so an exported plan cannot differ from
 * the original. */
hr_status hr_job_plan(const hr_job *job, const hr_watch *watch, hr_plan **out, hr_error *err) {
    hr_watch own;
    hr_run run;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    hr_plan *plan = hr_alloc(1, sizeof *plan, err);
    if (!plan) return HR_ENOMEM;
    hr_run_open(&run, job, NULL, &own, err);
    hr_status status = plan_run(&run, &plan->bytes);
    hr_run_close(&run);
    if (status == HR_OK) status = open_plan(plan, err);
    if (status == HR_OK)
        *out = plan;
    else
        hr_plan_free(plan);
    return status;
}

hr_status hr_plan_import(const void *bytes, size_t length, hr_plan **out, hr_error *err) {
    *out = NULL;
    hr_plan *plan = hr_alloc(1, sizeof *plan, err);
    if (!plan) return HR_ENOMEM;
    hr_text_add(&plan->bytes, bytes, length);
    hr_status status =
        plan->bytes.failed ? hr_fail(err, HR_ENOMEM, "out of memory") : open_plan(plan, err);
    if (status == HR_OK)
        *out = plan;
    else
        hr_plan_free(plan);
    return status;
}

void hr_plan_free(hr_plan *plan) {
    if (!plan) return;
    hr_dataset_free(&plan->domain);
    hr_table_free(plan->values);
    hr_job_free(plan->job);
    hr_arena_free(&plan->arena);
    hr_type_order_free(&plan->types);
    hr_text_free(&plan->bytes);
    free(plan->cells);
    free(plan->streams);
    free(plan->cuts);
    free(plan->nodes);
    free(plan->parts);
    free(plan);
}

/* ---- reading ---- */

const void *hr_plan_bytes(const hr_plan *plan, size_t *length) {
    *length = plan->bytes.length;
    return plan->bytes.data;
}

const hr_plan_cell *hr_plan_cell_at(const hr_plan *plan, size_t i) {
    return i < plan->cell_count ? &plan->cells[i] : NULL;
}

const hr_plan_cell *hr_plan_part_at(const hr_plan *plan, size_t i) {
    return i < plan->part_count ? &plan->parts[i] : NULL;
}

const hr_plan_cell *hr_plan_cell_find(const hr_plan *plan, uint64_t key) {
    return hr_plan_cell_at(plan, hr_plan_find(plan, key));
}

hr_status hr_plan_keys(const hr_plan *plan, const hr_table *table, uint64_t *keys, hr_error *err) {
    hr_plan_part part;
    HR_TRY(hr_plan_part_make(plan, table, HR_PLAN_QUASI, NULL, &part, err));
    const hr_groups *cells = &part.data.cells[plan->choice.count_boundaries];
    for (size_t row = 0; row < cells->rows; row++)
        keys[row] = cells->of_row[row] == HR_NONE ? 0 : part.keys[cells->of_row[row]];
    hr_plan_part_free(&part);
    return HR_OK;
}

/* ---- running ---- */

/* Fails unless every cell of the part has all its rows. Fills in the streams of the cells. */
static hr_status check_cells(const hr_plan *plan, const hr_plan_part *part, uint64_t *streams,
                             hr_error *err) {
    const hr_facts *facts = &part->data.facts[plan->choice.count_boundaries];
    for (uint32_t c = 0; c < facts->count; c++) {
        size_t at = hr_plan_find(plan, part->keys[c]);
        const hr_plan_cell *cell =
            at == SIZE_MAX ? hr_plan_find_part(plan, part->keys[c]) : &plan->cells[at];
        if (!cell)
            return hr_fail(err, HR_EDATA,
                           "the table has rows of a cell that the plan does not know; make the "
                           "plan from the whole table");
        if (cell->rows != part->rows[c])
            return hr_fail(err, HR_EDATA,
                           "the table has %u rows of a cell that has %llu: a cell is run with all "
                           "its rows or not at all",
                           part->rows[c], (unsigned long long)cell->rows);
        streams[c] = at == SIZE_MAX ? cell->key : plan->streams[at];
    }
    return HR_OK;
}

static hr_status run_part(const hr_plan *plan, hr_plan_part *part, const hr_watch *watch,
                          hr_release **out, hr_error *err) {
    hr_job job = *plan->job;
    job.input.table = &part->table;
    job.max_suppressed = 1; /* a share of the whole table, which hr_job_plan has checked */
    uint64_t *streams =
        hr_alloc(part->data.facts[plan->choice.count_boundaries].count, sizeof *streams, err);
    if (!streams) return HR_ENOMEM;
    part->data.streams = streams;
    hr_status status = check_cells(plan, part, streams, err);
    if (status == HR_OK) status = hr_job_run_shared(&job, &part->data, watch, out, err);
    free(streams);
    return status;
}

hr_status hr_plan_run(const hr_plan *plan, const hr_table *table, const hr_watch *watch,
                      hr_release **out, hr_error *err) {
    hr_watch own;
    hr_plan_part part;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    if (table->rows == 0) return hr_fail(err, HR_EDATA, "the table has no rows: no cell is run");
    HR_TRY(hr_plan_part_make(plan, table, HR_PLAN_RELEASED, &own, &part, err));
    hr_status status = run_part(plan, &part, &own, out, err);
    hr_plan_part_free(&part);
    return status;
}
