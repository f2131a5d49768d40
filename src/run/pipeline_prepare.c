/* pipeline_prepare.c - the first stages of a run: loading the dataset, cutting it into MAM cells,
 * and finding the cells that cannot be released (OUT). */
#include "run/pipeline.h"

#include <stdlib.h>
#include <string.h>

static hr_status read_input(hr_run *r) {
    if (r->job->order == HR_ORDER_INPUT)
        hr_notice(&r->watch, "order input keeps the order of the input's rows, which may tell more "
                             "than the values do");
    HR_TRY(hr_dataset_load(r->job, &r->watch, &r->input.dataset, r->err));
    r->report.seconds.read = r->input.dataset.read_seconds;
    return hr_run_check(r);
}

/* Runs that share a dataset only read it. */
static hr_status borrow(hr_run *r) {
    r->input.dataset = r->shared->dataset;
    r->input.cells = r->shared->cells[r->choice.count_boundaries];
    r->input.cell_facts = r->shared->facts[r->choice.count_boundaries];
    r->input.trimmed = r->shared->trimmed[r->choice.count_boundaries];
    return HR_OK;
}

hr_status hr_run_start(hr_run *r) {
    HR_TRY(hr_job_complete(r->job, r->err));
    HR_TRY(hr_job_choose(r->job, &r->arena, &r->choice, r->err));
    if (r->job->output.certificate && hr_publishes_means(r->choice.algorithm))
        return hr_fail(r->err, HR_EINVAL,
                       "a certificate proves a bound on ntil, and %s publishes means: leave it out",
                       r->choice.name);
    r->asked = hr_job_asked(r->job);
    r->report.threads = r->job->search.threads ? r->job->search.threads : hr_cores();
    if (r->asked.k > r->job->asked.k)
        hr_notice(&r->watch, "p = %lld needs classes of as many rows: k is taken as %lld, not %lld",
                  (long long)r->asked.p, (long long)r->asked.k, (long long)r->job->asked.k);
    if (r->shared) return borrow(r);
    HR_TRY(hr_run_check_outputs(r->job, &r->watch, r->err));
    return read_input(r);
}

/* The end of the message of no_release: what the user can change so that rows can be released. */
static const char *advice(const hr_run *r) {
    bool bounded = false;
    for (size_t j = 0; j < r->input.dataset.data.quasi_count; j++)
        bounded |= r->input.dataset.data.quasi[j].bounded;
    if (!bounded || r->choice.count_boundaries) return r->asked.p > 1 ? "lower k or p" : "lower k";
    return r->asked.p > 1 ? "lower k or p, or widen a boundary (`hedgerow boundaries` shows which)"
                          : "lower k, or widen a boundary (`hedgerow boundaries` shows which)";
}

/* ", alpha = 0.5": the parameters of the models beside k and p; or ", or raise alpha". */
static void list_others(const hr_requirements *asked, bool advise, hr_text *out) {
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++) {
        const hr_model *model = hr_models[i];
        if (!hr_model_in_play(model, asked)) continue;
        if (advise)
            hr_text_printf(out, ", or %s %s", model->less_is_stricter ? "raise" : "lower",
                           model->options->name);
        else
            hr_text_printf(out, ", %s = ", model->options->name);
        if (!advise) hr_model_print(model, hr_model_asked(model, asked), out);
    }
}

/* Explains why nothing, or too little, can be released. */
static hr_status no_release(hr_run *r, uint64_t suppressed) {
    const hr_facts *cells = &r->input.cell_facts;
    uint64_t small = 0, poor = 0;
    for (uint32_t c = 0; c < cells->count; c++) {
        if (cells->size[c] < r->asked.k)
            small++;
        else
            poor += r->input.out[c];
    }
    if (r->report.dropped == r->input.dataset.data.rows)
        return hr_fail(r->err, HR_ENOSOL,
                       "nothing can be released: every row lacks a number of a quasi-identifier "
                       "with `on_missing: drop`; mend the values, or leave that attribute out");
    char limit[96] = "nothing can be released";
    if (suppressed < r->input.dataset.data.rows)
        snprintf(limit, sizeof limit,
                 "%.3g %% of the rows would go, more than max-suppressed allows",
                 100 * (double)suppressed / (double)r->input.dataset.data.rows);
    hr_text others = {0}, looser = {0};
    list_others(&r->asked, false, &others);
    list_others(&r->asked, true, &looser);
    hr_status status =
        hr_fail(r->err, HR_ENOSOL,
                "%s: %llu of %zu rows cannot be in any release with k = %lld and p = %lld%s (of %u "
                "MAM cell%s, %llu ha%s fewer than k rows and %llu fewer than p values%s); %s%s",
                limit, (unsigned long long)suppressed, r->input.dataset.data.rows,
                (long long)r->asked.k, (long long)r->asked.p, others.data ? others.data : "",
                cells->count, cells->count == 1 ? "" : "s", (unsigned long long)small,
                small == 1 ? "s" : "ve", (unsigned long long)poor,
                r->input.trimmed ? ", counted without rows of too frequent values" : "", advice(r),
                looser.data ? looser.data : "");
    hr_text_free(&others);
    hr_text_free(&looser);
    return status;
}

/* Counts cells for the report, and adds the dropped rows to *suppressed. */
static void count_cells(hr_run *r, uint64_t *suppressed) {
    const hr_facts *cells = &r->input.cell_facts;
    uint64_t in_cells = 0;
    for (uint32_t c = 0; c < cells->count; c++) {
        in_cells += cells->size[c];
        r->report.cells_out += r->input.out[c];
        r->report.cells_poor += r->input.out[c] && cells->size[c] >= r->asked.k;
    }
    r->report.cells = cells->count;
    r->report.trimmed = r->input.trimmed;
    r->report.dropped = r->input.dataset.data.rows - in_cells - r->input.trimmed;
    *suppressed += r->report.dropped + r->report.trimmed;
}

hr_status hr_run_prepare(hr_run *r) {
    const hr_microdata *data = &r->input.dataset.data;
    if (!r->shared)
        HR_TRY(hr_dataset_cut(&r->input.dataset, r->choice.count_boundaries, &r->asked,
                              &r->input.cells, &r->input.cell_facts, &r->input.trimmed, r->err));
    r->input.out = hr_alloc(r->input.cells.count, sizeof *r->input.out, r->err);
    if (!r->input.out) return HR_ENOMEM;
    uint64_t suppressed = hr_models_out(&r->input.cell_facts, &r->asked, r->input.out);
    count_cells(r, &suppressed);
    /* Divide, do not multiply: 29.0 / 100 is the double that "0.29" is read as, whereas 0.29 * 100
     * is not 29. */
    if (suppressed == data->rows ||
        (double)suppressed / (double)data->rows > r->job->max_suppressed)
        return no_release(r, suppressed);
    if (r->report.cells_poor)
        hr_notice(&r->watch,
                  "%u MAM cell%s of k or more rows lack%s sensitive values and %s suppressed: who "
                  "knows that such a group is in the data learns so much from its absence",
                  r->report.cells_poor, r->report.cells_poor == 1 ? "" : "s",
                  r->report.cells_poor == 1 ? "s" : "", r->report.cells_poor == 1 ? "is" : "are");
    return HR_OK;
}
