/* pipeline_prepare.c - the first stages of a run: loading the dataset, cutting it into MAM cells,
 * and finding the cells that cannot be released (OUT). */
#include "run/pipeline.h"

#include <stdlib.h>
#include <string.h>

static hr_status read_input(hr_run *r) {
    if (r->job->order == HR_ORDER_INPUT)
        hr_notice(&r->watch,
                  "order input keeps the order of the input's rows, which may reveal more "
                  "than the values do");
    HR_TRY(hr_dataset_load(r->job, &r->watch, &r->input.dataset, r->err));
    HR_TRY(hr_run_check_columns(r->job, &r->input.dataset, &r->watch, r->err));
    r->report.seconds.read = r->input.dataset.read_seconds;
    if (r->asked.p > 1 || hr_models_beyond_kp(&r->asked)) {
        HR_TRY(hr_note_hidden(&r->input.dataset, &r->watch, r->err));
        HR_TRY(hr_note_alike(&r->input.dataset, &r->watch, r->err));
    }
    if (r->choice.algorithm->any_order) HR_TRY(hr_dataset_sort(r->job, &r->input.dataset, r->err));
    return hr_run_check(r);
}

/* Uses a shared dataset, which runs only read. Cells of numbers that depend on k and p are chosen
 * in a copy. */
static hr_status borrow(hr_run *r) {
    r->input.dataset = r->shared->dataset;
    if (hr_cuts_chosen(&r->shared->dataset.data)) {
        HR_TRY(hr_cuts_copy(&r->shared->dataset.data, &r->input.dataset.data, r->err));
        r->input.own_cuts = true;
        return HR_OK;
    }
    r->input.cells = r->shared->cells[r->choice.count_boundaries];
    r->input.cell_facts = r->shared->facts[r->choice.count_boundaries];
    r->input.trimmed = r->shared->trimmed[r->choice.count_boundaries];
    const hr_reference *reference = r->input.cell_facts.reference;
    r->input.cell_facts.reference = NULL;
    if (!reference) return HR_OK;
    return hr_reference_copy(reference, &r->input.cell_facts.reference, r->err);
}

hr_status hr_run_start(hr_run *r) {
    HR_TRY(hr_job_complete(r->job, r->err));
    HR_TRY(hr_job_choose(r->job, &r->arena, &r->choice, r->err));
    if (r->job->output.certificate && hr_publishes_means(r->choice.algorithm))
        return hr_fail(r->err, HR_EINVAL,
                       "a certificate proves a bound on ntil, and %s publishes means: leave it out",
                       r->choice.name);
    r->asked = hr_job_asked(r->job);
    r->judged = r->asked;
    if (hr_run_trims_later(r))
        r->judged = (hr_requirements){.k = r->asked.k, .p = r->asked.p, .unit = r->asked.unit};
    r->report.threads = r->job->search.threads ? r->job->search.threads : hr_cores();
    if (r->asked.k > r->job->asked.k)
        hr_notice(&r->watch, "p = %lld needs classes of as many rows: k is taken as %lld, not %lld",
                  (long long)r->asked.p, (long long)r->asked.k, (long long)r->job->asked.k);
    if (r->shared) return borrow(r);
    HR_TRY(hr_run_check_outputs(r->job, &r->watch, r->err));
    return read_input(r);
}

bool hr_run_trims_later(const hr_run *r) {
    return r->job->input.counts && hr_models_trim(&r->asked);
}

static bool is_bounded(const hr_run *r) {
    bool bounded = false;
    for (size_t j = 0; j < r->input.dataset.data.quasi_count; j++)
        bounded |= r->input.dataset.data.quasi[j].bounded;
    return bounded && !r->choice.count_boundaries;
}

static const char *advice_for(const hr_run *r) {
    if (!is_bounded(r)) return r->asked.p > 1 ? "lower k or p" : "lower k";
    return r->asked.p > 1 ? "lower k or p, or widen a boundary (`hedgerow boundaries` shows which)"
                          : "lower k, or widen a boundary (`hedgerow boundaries` shows which)";
}

/* Appends what keeps the rows that lack a value. Returns whether other rows are suppressed, too. */
static bool advise_missing(const hr_run *r, uint64_t suppressed, hr_text *out) {
    uint64_t dropped = r->report.dropped;
    if (dropped == 0) return true;
    hr_text_printf(out,
                   "%llu of them lack%s a value of a quasi-identifier: with a hierarchy and "
                   "`on_missing: group`, %s",
                   (unsigned long long)dropped, dropped == 1 ? "s" : "",
                   dropped == 1 ? "it is kept" : "they are kept");
    if (dropped < suppressed) hr_text_puts(out, "; for the others, ");
    return dropped < suppressed;
}

void hr_run_advise(const hr_run *r, uint64_t suppressed, hr_text *out) {
    if (advise_missing(r, suppressed, out)) hr_text_puts(out, advice_for(r));
}

/* Appends the parameters of the models other than k and p: ", alpha = 0.5". With `advise`, appends
 * how to weaken them instead: ", or raise alpha". */
static void list_others(const hr_run *r, bool advise, hr_text *out) {
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++) {
        const hr_model *model = hr_models[i];
        if (!hr_model_in_play(model, &r->asked)) continue;
        if (advise)
            hr_text_printf(out, ", or %s %s", model->less_is_stricter ? "raise" : "lower",
                           model->options->name);
        else
            hr_text_printf(out, ", %s = ", model->options->name);
        if (!advise) hr_job_print_asked(r->job, model, out);
    }
}

/* Counts the cells that violate each model; a cell that violates several counts for the first. A
 * cell that is out and violates none was too far from the rows left when it was judged. */
static void count_violated(const hr_run *r, uint64_t counts[HR_MODELS_MAX]) {
    memset(counts, 0, HR_MODELS_MAX * sizeof *counts);
    for (uint32_t c = 0; c < r->input.cell_facts.count; c++) {
        const hr_model *violated = hr_models_violated(&r->input.cell_facts, c, &r->asked);
        if (violated || r->input.out[c])
            counts[hr_model_find(violated ? violated->options->name : "t")]++;
    }
}

/* Appends "3 have fewer than k rows and 0 fewer than p values, 2 violate alpha". */
static void list_violated(const hr_run *r, hr_text *out) {
    uint64_t counts[HR_MODELS_MAX];
    count_violated(r, counts);
    hr_text_printf(out, "%llu ha%s fewer than k %s and %llu fewer than p values",
                   (unsigned long long)counts[0], counts[0] == 1 ? "s" : "ve",
                   r->asked.unit ? "people" : "rows", (unsigned long long)counts[1]);
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++)
        if (counts[i])
            hr_text_printf(out, ", %llu violate%s %s", (unsigned long long)counts[i],
                           counts[i] == 1 ? "s" : "", hr_models[i]->options->name);
    if (r->input.trimmed) hr_text_puts(out, ", counted without rows of too frequent values");
}

/* Appends why the table as a whole cannot satisfy a model, if there is such a model. */
static void find_impossible(const hr_run *r, hr_text *out) {
    const hr_microdata *data = &r->input.dataset.data;
    hr_caution_rows(hr_microdata_rows(data), r->asked.k, out);
    if (out->length) hr_text_puts(out, "; lower k");
    for (size_t l = 0; l < data->sensitive_count && !out->length; l++) {
        const hr_option *option = hr_caution_values(&data->sensitive[l], &r->asked, out);
        if (option)
            hr_text_printf(out, "; lower %s, or give '%s' another role", option->name,
                           data->sensitive[l].name);
    }
}

/* Appends what the user can do. In a comparison, which has many jobs, nothing is computed. */
static hr_status advise(const hr_run *r, hr_text *out) {
    hr_text enough = {0};
    bool tried = !r->shared && hr_run_can_relax(r);
    if (tried) HR_TRY(hr_run_relaxations(r, &enough, r->err));
    if (enough.data && !enough.failed) {
        hr_text_printf(out, "%s would do%s", enough.data,
                       is_bounded(r) ? ", or a wider boundary (`hedgerow boundaries` shows which)"
                                     : "");
    } else if (tried && hr_models_beyond_kp(&r->asked)) {
        hr_text_printf(out, "relaxing one of them is not enough: relax several%s",
                       is_bounded(r) ? ", or widen a boundary (`hedgerow boundaries` shows which)"
                                     : "");
    } else {
        hr_text_puts(out, advice_for(r));
        list_others(r, true, out);
    }
    hr_text_free(&enough);
    return HR_OK;
}

/* Explains why too many rows, or all, must be suppressed. A message that would not fit leaves out
 * the counts of cells. */
static void explain(const hr_run *r, uint64_t suppressed, const char *limit, const char *advice) {
    const hr_facts *cells = &r->input.cell_facts;
    hr_text line = {0}, counts = {0};
    hr_text_printf(&line,
                   "%s: %llu of %llu rows cannot be in any release with k = %lld and p = %lld",
                   limit, (unsigned long long)suppressed,
                   (unsigned long long)hr_microdata_rows(&r->input.dataset.data),
                   (long long)r->asked.k, (long long)r->asked.p);
    list_others(r, false, &line);
    hr_text_printf(&counts, " (of %u group%s of rows within the same boundaries, ", cells->count,
                   cells->count == 1 ? "" : "s");
    list_violated(r, &counts);
    hr_text_puts(&counts, ")");
    if (line.length + counts.length + strlen(advice) + 2 < sizeof r->err->message && counts.data)
        hr_text_puts(&line, counts.data);
    (void)hr_fail(r->err, HR_ENOSOL, "%s; %s", line.data ? line.data : limit, advice);
    hr_text_free(&line);
    hr_text_free(&counts);
}

static hr_status no_release(hr_run *r, uint64_t suppressed) {
    uint64_t rows = hr_microdata_rows(&r->input.dataset.data);
    if (r->report.dropped == rows)
        return hr_fail(r->err, HR_ENOSOL,
                       "nothing can be released: every row lacks a value of a quasi-identifier "
                       "with `on_missing: drop`; correct the values, or leave that attribute out");
    hr_text impossible = {0};
    find_impossible(r, &impossible);
    if (impossible.data) {
        (void)hr_fail(r->err, HR_ENOSOL, "nothing can be released: %s", impossible.data);
        hr_text_free(&impossible);
        return HR_ENOSOL;
    }
    char limit[96] = "nothing can be released";
    if (suppressed < rows)
        snprintf(limit, sizeof limit,
                 "%.3g %% of the rows would be suppressed, more than max-suppressed allows",
                 100 * (double)suppressed / (double)rows);
    hr_text advice = {0};
    hr_status status = HR_OK;
    if (advise_missing(r, suppressed, &advice)) status = advise(r, &advice);
    if (status == HR_OK) explain(r, suppressed, limit, advice.data ? advice.data : "lower k");
    hr_text_free(&advice);
    return status == HR_OK ? HR_ENOSOL : status;
}

/* Counts cells for the report, and adds the dropped rows to *suppressed. */
static void count_cells(hr_run *r, uint64_t *suppressed) {
    const hr_facts *cells = &r->input.cell_facts;
    uint64_t in_cells = 0, violated[HR_MODELS_MAX];
    for (uint32_t c = 0; c < cells->count; c++) {
        in_cells += cells->size[c];
        r->report.cells_out += r->input.out[c];
        r->report.cells_emptied += cells->size[c] == 0;
    }
    count_violated(r, violated);
    r->report.cells_poor = (uint32_t)violated[hr_model_find("p")];
    uint64_t explained = violated[hr_model_find("k")] + violated[hr_model_find("p")];
    if (r->report.cells_out > explained)
        r->report.cells_unlike = r->report.cells_out - (uint32_t)explained;
    r->report.cells = cells->count;
    r->report.out_rows = *suppressed;
    r->report.trimmed = r->input.trimmed;
    r->report.dropped = hr_microdata_rows(&r->input.dataset.data) - in_cells - r->input.trimmed;
    *suppressed += r->report.dropped + r->report.trimmed;
}

/* Divides the rows into MAM cells, unless the run borrows them. */
static hr_status cut(hr_run *r) {
    if (r->shared && !r->input.own_cuts) return HR_OK;
    r->input.own_cells = true;
    if (hr_cuts_chosen(&r->input.dataset.data))
        HR_TRY(hr_cuts_choose(&r->input.dataset.data, &r->asked, &r->watch, r->err));
    return hr_dataset_cut(&r->input.dataset, r->choice.count_boundaries, &r->judged, &r->watch,
                          &r->input.cells, &r->input.cell_facts, &r->input.trimmed, r->err);
}

hr_status hr_run_prepare(hr_run *r) {
    const hr_microdata *data = &r->input.dataset.data;
    HR_TRY(cut(r));
    r->input.out = hr_alloc(r->input.cells.count, sizeof *r->input.out, r->err);
    if (!r->input.out) return HR_ENOMEM;
    uint64_t suppressed = hr_models_out(&r->input.cell_facts, &r->judged, r->input.out);
    count_cells(r, &suppressed);
    /* Divide, do not multiply: 29.0 / 100 is the double that "0.29" is read as, whereas 0.29 * 100
     * is not 29. */
    uint64_t rows = hr_microdata_rows(data);
    if (suppressed == rows || (double)suppressed / (double)rows > r->job->max_suppressed)
        return no_release(r, suppressed);
    if (r->report.cells_poor)
        hr_notice(
            &r->watch,
            "%u group%s of k or more rows within the same boundaries lack%s sensitive values and "
            "%s suppressed: anyone who knows that such a group is in the data learns this from "
            "its absence",
            r->report.cells_poor, r->report.cells_poor == 1 ? "" : "s",
            r->report.cells_poor == 1 ? "s" : "", r->report.cells_poor == 1 ? "is" : "are");
    return HR_OK;
}
