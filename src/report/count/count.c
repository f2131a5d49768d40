/* count.c - counts all parts of the account of a run. */
#include "report/count/count.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Moves a text into the account. */
static hr_status keep(hr_arena *arena, hr_text *text, char **out, hr_error *err) {
    *out =
        text->failed ? NULL : hr_arena_text(arena, text->data ? text->data : "", text->length, err);
    if (text->failed) (void)hr_fail(err, HR_ENOMEM, "out of memory");
    hr_text_free(text);
    return *out ? HR_OK : HR_ENOMEM;
}

typedef struct {
    const hr_report *report;
    hr_account *account;
    hr_status status;
    hr_error *err;
} model_lister;

/* `attribute` NULL: all sensitive attributes. */
static void list_model(model_lister *to, const hr_model *model, double achieved,
                       const char *attribute, uint32_t worst_rows) {
    const hr_job *job = to->report->job;
    hr_requirements asked = to->report->asked;
    if (attribute) asked = hr_attribute_asked(job, hr_attribute_find(job, attribute));
    hr_account_verdict *v = &to->account->verdict;
    hr_arena *arena = &to->account->arena;
    hr_text texts[3] = {0};
    hr_account_model *out = &v->models[v->model_count++];
    char **const places[] = {&out->asked, &out->achieved, &out->attribute};
    *out = (hr_account_model){.parameter = model->options->name,
                              .title = model->title,
                              .worst_rows = worst_rows,
                              .in_play = hr_model_in_play(model, &asked)};
    if (isnan(hr_model_asked(model, &asked)))
        hr_job_print_asked(job, model, &texts[0]);
    else
        hr_model_print_asked(model, &asked, &texts[0]);
    if (!isnan(achieved)) hr_model_print(model, achieved, &texts[1]);
    if (attribute) hr_text_puts(&texts[2], attribute);
    for (int i = 0; i < (attribute ? 3 : 2); i++) {
        if (to->status == HR_OK)
            to->status = keep(arena, &texts[i], places[i], to->err);
        else
            hr_text_free(&texts[i]);
    }
}

static void list_figure(const hr_achieved_figure *f, void *payload) {
    if (f->in_play && f->model != hr_models[1])
        list_model(payload, f->model, f->achieved, f->attribute, f->worst_rows);
}

/* k and p, then the other models of each sensitive attribute. */
static hr_status list_models(const hr_report *report, hr_account *account, hr_error *err) {
    hr_account_verdict *v = &account->verdict;
    model_lister to = {.report = report, .account = account, .err = err};
    size_t most = HR_MODELS_MAX * (report->outcome->data->sensitive_count + 1);
    v->models = hr_arena_alloc(&account->arena, most, sizeof *v->models, err);
    if (!v->models) return HR_ENOMEM;
    for (size_t i = 0; hr_models[i]; i++) {
        bool in_all = i < HR_MODELS_KP || !report->by_attribute.value;
        if (in_all && hr_report_shows(hr_models[i], &report->asked))
            list_model(&to, hr_models[i], report->verdict.achieved[i], NULL, 0);
    }
    hr_achieved_each(&report->by_attribute, list_figure, &to);
    return to.status;
}

/* Finds the sensitive attribute, among those with or without bins, and the class in which the most
 * frequent value has the largest share: where a guess is right most often. */
static hr_status find_guess(const hr_report *report, bool bins, hr_arena *arena,
                            hr_account_guess *out, hr_error *err) {
    const hr_facts *classes = report->outcome->classes;
    const hr_sensitive *sensitive = report->outcome->data->sensitive;
    const char *name = NULL;
    for (size_t l = 0; l < classes->sensitive_count; l++) {
        if ((hr_attribute_find(report->job, sensitive[l].name)->bins > 0) != bins) continue;
        for (uint32_t g = 0; g < classes->count; g++) {
            double share =
                (double)classes->largest[g * classes->sensitive_count + l] / classes->size[g];
            if (share > out->share) name = sensitive[l].name;
            out->share = fmax(out->share, share);
        }
    }
    if (name) out->name = hr_arena_text(arena, name, strlen(name), err);
    return name && !out->name ? HR_ENOMEM : HR_OK;
}

/* The loss of the released rows alone. In the loss of all rows a suppressed row counts as 1, except
 * in the loss of means, which is about released rows already. */
double hr_loss_of_released(const hr_report *report, double loss) {
    const hr_outcome *o = report->outcome;
    double rows = (double)(o->released + o->suppressed);
    if (o->partition->means || !o->released) return loss;
    return fmax(0, (loss * rows - (double)o->suppressed) / (double)o->released);
}

static hr_status fill_people(const hr_report *report, hr_account *account, hr_error *err) {
    hr_account_verdict *v = &account->verdict;
    const char *unit = report->job->unit;
    v->people = report->people.input;
    v->people_released = report->people.released;
    v->people_several = report->people.in_several;
    if (unit) v->unit = hr_arena_text(&account->arena, unit, strlen(unit), err);
    return unit && !v->unit ? HR_ENOMEM : HR_OK;
}

static hr_status list_keys(const hr_report *report, hr_account *account, hr_error *err) {
    hr_account_verdict *v = &account->verdict;
    hr_text lines = {0};
    char *line = NULL;
    if (!report->promises->key_count) return HR_OK;
    v->keys = hr_arena_alloc(&account->arena, report->promises->key_count, sizeof *v->keys, err);
    if (!v->keys) return HR_ENOMEM;
    hr_promises_key_lines(report->promises, report->asked.k, "", &lines);
    HR_TRY(keep(&account->arena, &lines, &line, err));
    while (v->key_count < report->promises->key_count) {
        v->keys[v->key_count++] = line;
        line += strcspn(line, "\n");
        if (*line) *line++ = '\0';
    }
    return HR_OK;
}

static hr_status fill_verdict(const hr_report *report, hr_account *account, hr_error *err) {
    const hr_outcome *o = report->outcome;
    hr_account_verdict *v = &account->verdict;
    bool means = o->partition->means != NULL;
    *v = (hr_account_verdict){.input = o->released + o->suppressed,
                              .released = o->released,
                              .suppressed = o->suppressed,
                              .dropped = report->dropped,
                              .trimmed = report->trimmed,
                              .out_rows = report->out_rows,
                              .cells = report->cells,
                              .cells_out = report->cells_out,
                              .cells_poor = report->cells_poor,
                              .cells_unlike = report->cells_unlike,
                              .cells_emptied = report->cells_emptied,
                              .classes = o->classes->count,
                              .k = report->asked.k,
                              .p = report->asked.p,
                              .count_boundaries = report->choice->count_boundaries,
                              .violations = report->verdict.violations,
                              .means = means,
                              .loss = hr_report_measure(report, means ? "sse_sst" : "ntil"),
                              .gap = means ? NAN : hr_report_gap(report),
                              .gap_of_rows = report->bound_steps || report->trimmed};
    v->loss_released = hr_loss_of_released(report, v->loss);
    for (size_t j = 0; j < o->data->quasi_count; j++)
        v->bounded |= o->data->quasi[j].bounded;
    if (report->unique_names) {
        v->unique_names =
            hr_arena_text(&account->arena, report->unique_names, strlen(report->unique_names), err);
        if (!v->unique_names) return HR_ENOMEM;
    }
    HR_TRY(list_models(report, account, err));
    HR_TRY(fill_people(report, account, err));
    HR_TRY(list_keys(report, account, err));
    HR_TRY(find_guess(report, false, &account->arena, &v->guess, err));
    return find_guess(report, true, &account->arena, &v->range, err);
}

/* ---- method ---- */

static hr_status shown_address(hr_arena *arena, const char *address, char **out, hr_error *err) {
    hr_text text = {0};
    if (!address) return HR_OK;
    hr_address_shown(address, &text);
    return keep(arena, &text, out, err);
}

static hr_status list_options(const hr_report *report, hr_account *account, hr_error *err) {
    hr_text text = {0};
    for (const hr_option *o = report->choice->algorithm->options; o && o->name; o++) {
        if (text.length) hr_text_puts(&text, ", ");
        hr_text_printf(&text, "%s: ", o->name);
        hr_option_print(o, report->choice->options, &text);
    }
    return keep(&account->arena, &text, &account->method.options, err);
}

/* Without the hierarchy of a recoded column, whose path is no concern of the public. */
static hr_status list_recoded(const hr_report *report, hr_account *account, hr_error *err) {
    hr_text text = {0};
    for (size_t i = 0; i < report->job->attribute_count; i++) {
        hr_attribute a = report->job->attributes[i];
        if (!hr_attribute_recodes(&a)) continue;
        a.hierarchy = NULL;
        hr_text_printf(&text, "%s%s (", text.length ? ", " : "", a.name);
        hr_attribute_recoding_text(&a, &text);
        hr_text_puts(&text, ")");
    }
    return keep(&account->arena, &text, &account->method.recoded, err);
}

static hr_status copy_warnings(const hr_report *report, hr_account *account, hr_error *err) {
    hr_account_method *m = &account->method;
    m->warnings = hr_arena_alloc(&account->arena, report->warning_count, sizeof *m->warnings, err);
    if (!m->warnings) return HR_ENOMEM;
    for (size_t i = 0; i < report->warning_count; i++) {
        const char *warning = report->warnings[i];
        m->warnings[i] = hr_arena_text(&account->arena, warning, strlen(warning), err);
        if (!m->warnings[i]) return HR_ENOMEM;
        m->warning_count++;
    }
    return HR_OK;
}

static hr_status fill_method(const hr_report *report, hr_account *account, hr_error *err) {
    const hr_job *job = report->job;
    hr_account_method *m = &account->method;
    const char *name = report->choice->name;
    m->algorithm_title = report->choice->algorithm->title;
    m->algorithm = hr_arena_text(&account->arena, name, strlen(name), err);
    if (!m->algorithm) return HR_ENOMEM;
    m->seed = job->search.seed;
    m->time_limited =
        report->outcome->partition->time_limited || (report->lower && report->lower->time_limited);
    m->notation = (hr_write_options){.delimiter = job->format.output_delimiter,
                                     .bom = job->format.bom,
                                     .crlf = job->format.crlf};
    HR_TRY(
        shown_address(&account->arena, job->input.table ? NULL : job->input.path, &m->input, err));
    HR_TRY(shown_address(&account->arena, job->output.release, &m->output, err));
    HR_TRY(list_options(report, account, err));
    HR_TRY(list_recoded(report, account, err));
    return copy_warnings(report, account, err);
}

/* ---- all ---- */

static hr_status fill_attributes(const hr_report *report, const hr_table *table, hr_scale *scales,
                                 hr_account *account, hr_error *err) {
    const hr_outcome *outcome = report->outcome;
    size_t count = outcome->data->quasi_count;
    account->attributes = hr_arena_alloc(&account->arena, count, sizeof *account->attributes, err);
    if (!account->attributes) return HR_ENOMEM;
    for (size_t j = 0; j < count; j++) {
        HR_TRY(hr_scale_quasi(outcome, j, &scales[j], err));
        HR_TRY(hr_account_attribute_fill(report, &scales[j], j, account, err));
    }
    HR_TRY(hr_query_errors(outcome, scales, report->job->search.seed, &account->queries, err));
    return hr_account_study(report, table, scales, account, err);
}

hr_status hr_account_make(const hr_report *report, const hr_table *table, hr_account *account,
                          hr_error *err) {
    size_t count = report->outcome->data->quasi_count;
    *account = (hr_account){0};
    hr_scale *scales = hr_alloc(count, sizeof *scales, err);
    if (!scales) return HR_ENOMEM;
    hr_status status = fill_verdict(report, account, err);
    if (status == HR_OK) status = fill_method(report, account, err);
    if (status == HR_OK) status = hr_account_classes(report, account, err);
    if (status == HR_OK) status = hr_account_risks(report, account, err);
    if (status == HR_OK) status = fill_attributes(report, table, scales, account, err);
    for (size_t j = 0; j < count; j++)
        hr_scale_free(&scales[j]);
    free(scales);
    return status;
}

void hr_account_free(hr_account *account) {
    hr_arena_free(&account->arena);
    *account = (hr_account){0};
}
