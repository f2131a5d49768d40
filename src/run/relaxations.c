/* relaxations.c - what a job that can release nothing, or too little, would have to ask for: for
 * each model, whether relaxing it alone is enough, how far, and how many rows a release could then
 * contain. A model is first left out; the value that half of the rows which could then be released
 * achieve is the one to try; it is rounded, and counted once more before the message names it. */
#include "run/pipeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A model of the job, for all sensitive attributes without a parameter of their own, or for
 * attribute `only`. */
typedef struct {
    const hr_model *model;
    size_t only; /* SIZE_MAX: all others */
} relaxed;

/* The job with one model relaxed, and its MAM cells. */
typedef struct {
    const hr_run *r;
    relaxed what;
    hr_dataset dataset; /* a copy with sensitive attributes of its own */
    hr_requirements asked;
    hr_groups cells;
    hr_facts facts;
    bool *out;
    uint64_t released; /* rows */
} trial;

/* How many rows of a table a value of the parameter allows in a release. */
typedef struct {
    double value;
    uint32_t rows;
} allowance;

/* Returns true if the job sets the model's parameter for this attribute. The parameter for all
 * attributes then has no effect on it. */
static bool has_own(const hr_sensitive *sensitive, const hr_model *model) {
    const hr_requirements none = {.own = model->own};
    hr_requirements own = hr_asked_of(&none, sensitive);
    return model->in_play &&
           memcmp((const char *)&own + model->options->offset,
                  (const char *)&none + model->options->offset, sizeof(int64_t)) != 0;
}

static bool is_covered(const trial *t, size_t l) {
    if (t->what.only != SIZE_MAX) return l == t->what.only;
    return !has_own(&t->r->input.dataset.data.sensitive[l], t->what.model);
}

static void set(trial *t, double value) {
    const hr_option *option = t->what.model->options;
    t->asked = t->r->asked;
    memcpy(t->dataset.data.sensitive, t->r->input.dataset.data.sensitive,
           t->dataset.data.sensitive_count * sizeof *t->dataset.data.sensitive);
    if (t->what.only != SIZE_MAX) {
        hr_demand_relax(&t->dataset.data.sensitive[t->what.only].own, t->what.model, value);
        return;
    }
    if (t->what.model == hr_models[1]) t->asked.k = t->r->job->asked.k; /* p had raised k */
    void *at = (char *)&t->asked + option->offset;
    if (option->type == HR_OPTION_REAL)
        *(double *)at = value;
    else
        *(int64_t *)at = (int64_t)value;
    if (t->asked.p > t->asked.k && !t->asked.unit) t->asked.k = t->asked.p;
}

static void clear(trial *t) {
    hr_facts_free(&t->facts);
    hr_groups_free(&t->cells);
    free(t->out);
    t->out = NULL;
}

/* Cuts the table and finds OUT with the parameter set to `value`. */
static hr_status count(trial *t, double value, hr_error *err) {
    uint64_t trimmed;
    clear(t);
    set(t, value);
    HR_TRY(hr_dataset_cut(&t->dataset, t->r->choice.count_boundaries, &t->asked, &t->r->watch,
                          &t->cells, &t->facts, &trimmed, err));
    t->out = hr_alloc(t->facts.count, sizeof *t->out, err);
    if (!t->out) return HR_ENOMEM;
    uint64_t suppressed = hr_models_out(&t->facts, &t->asked, t->out);
    t->released = 0;
    for (uint32_t c = 0; c < t->facts.count; c++)
        t->released += t->facts.size[c];
    t->released -= suppressed;
    return HR_OK;
}

/* Is a release with so many rows what the job allows? */
static bool is_enough(const hr_run *r, uint64_t released) {
    uint64_t rows = hr_microdata_rows(&r->input.dataset.data);
    return released > 0 && (double)(rows - released) / (double)rows <= r->job->max_suppressed;
}

static double sign_of(const hr_model *model) {
    return model->less_is_stricter ? 1 : -1;
}

static int strictest_first(const void *a, const void *b) {
    const allowance *x = a, *y = b;
    return x->value < y->value ? -1 : x->value > y->value;
}

/* Lists what the cells that are not out achieve, times sign_of. */
static uint32_t list_achieved(const trial *t, allowance *list) {
    uint32_t listed = 0;
    for (uint32_t c = 0; c < t->facts.count; c++) {
        hr_known cell = hr_facts_group(&t->facts, c);
        double weakest = -INFINITY;
        for (size_t l = 0; l < (t->what.model->needs ? cell.sensitive_count : 1); l++) {
            if (t->what.model->needs > 0 && t->what.model->own && !is_covered(t, l)) continue;
            hr_requirements asked =
                hr_asked_of(&t->r->asked, t->r->input.dataset.data.sensitive + l);
            double own = t->what.model->achieved(&cell, l, &asked) * sign_of(t->what.model);
            if (own > weakest) weakest = own;
        }
        if (!t->out[c] && isfinite(weakest)) list[listed++] = (allowance){weakest, cell.size};
    }
    qsort(list, listed, sizeof *list, strictest_first);
    return listed;
}

/* The strictest value with which `needed` rows of the list can be released. */
static bool choose(const trial *t, const allowance *list, uint32_t listed, uint64_t needed,
                   double *value) {
    uint64_t rows = 0;
    for (uint32_t i = 0; i < listed; i++) {
        *value = list[i].value * sign_of(t->what.model);
        rows += list[i].rows;
        if (rows >= needed) return true;
    }
    return false;
}

/* Rounds a parameter to two digits, towards what is easier to satisfy, and goes `steps` units of
 * the last digit further. */
static double round_off(const hr_model *model, double value, int steps) {
    if (model->options->type == HR_OPTION_INT) return value;
    const double tiny = 1e-9;
    double unit = 0.01;
    while (value >= 100 * unit)
        unit *= 10;
    double units = model->less_is_stricter ? ceil(value / unit - tiny) + steps
                                           : floor(value / unit + tiny) - steps;
    return unit < 1 ? units / round(1 / unit) : units * unit;
}

/* k = 1 would hide nobody. */
static bool is_possible(const hr_model *model, double value) {
    const hr_option *option = model->options;
    return value >= (model->in_play ? option->min : 2) && value <= option->max && value > 0;
}

/* Finds a value that is enough; *rows: how many rows can be released with it, 0 if none is. */
static hr_status find_value(trial *t, double *value, uint64_t *rows, hr_error *err) {
    const hr_model *model = t->what.model;
    double off = model->options->initial;
    if (t->what.only != SIZE_MAX && off == 0) off = model->options->max;
    *rows = 0;
    HR_TRY(count(t, model->in_play ? off : 1, err));
    if (!is_enough(t->r, t->released)) return HR_OK;
    allowance *list = hr_alloc_raw(t->facts.count, sizeof *list, err);
    if (!list) return HR_ENOMEM;
    uint64_t all = hr_microdata_rows(&t->r->input.dataset.data), needed = t->released / 2;
    double least = ceil((1 - t->r->job->max_suppressed) * (double)all);
    if (least > (double)needed) needed = (uint64_t)least;
    bool found = choose(t, list, list_achieved(t, list), needed ? needed : 1, value);
    free(list);
    if (!found) return HR_OK;
    double exact = *value;
    for (int steps = 0; steps < 2 && *rows == 0; steps++) { /* c must be above what is achieved */
        *value = round_off(model, exact, steps);
        if (!is_possible(model, *value)) return HR_OK;
        HR_TRY(count(t, *value, err));
        if (is_enough(t->r, t->released)) *rows = t->released;
    }
    return HR_OK;
}

/* Appends "alpha = 0.62 for 'illness' (40 rows)" if relaxing the model is enough. */
static hr_status try_model(trial *t, hr_text *out, hr_error *err) {
    double value;
    uint64_t rows;
    HR_TRY(find_value(t, &value, &rows, err));
    if (rows == 0) return HR_OK;
    hr_text_printf(out, "%s%s = ", out->length ? " or " : "", t->what.model->options->name);
    hr_model_print(t->what.model, value, out);
    if (t->what.only != SIZE_MAX)
        hr_text_printf(out, " for '%s'", t->dataset.data.sensitive[t->what.only].name);
    hr_text_puts(out, " (");
    hr_number_text((double)rows, 0, out);
    hr_text_printf(out, " row%s)", rows == 1 ? "" : "s");
    return HR_OK;
}

/* Relaxes the parameter for all attributes, then each parameter that the job sets for a single
 * attribute. */
static hr_status try_all(trial *t, hr_text *out, hr_error *err) {
    const hr_microdata *data = &t->r->input.dataset.data;
    t->what.only = SIZE_MAX;
    if (!t->what.model->in_play || t->what.model->in_play(&t->r->asked))
        HR_TRY(try_model(t, out, err));
    for (size_t l = 0; l < data->sensitive_count && t->what.model->own; l++) {
        hr_requirements asked = hr_asked_of(&t->r->asked, &data->sensitive[l]);
        t->what.only = l;
        if (has_own(&data->sensitive[l], t->what.model) && t->what.model->in_play(&asked))
            HR_TRY(try_model(t, out, err));
    }
    return HR_OK;
}

bool hr_run_can_relax(const hr_run *r) {
    return !r->job->input.counts && !hr_cuts_chosen(&r->input.dataset.data);
}

hr_status hr_run_relaxations(const hr_run *r, hr_text *out, hr_error *err) {
    trial t = {.r = r, .dataset = r->input.dataset};
    hr_status status = HR_OK;
    size_t attributes = t.dataset.data.sensitive_count;
    t.dataset.data.sensitive = hr_alloc(attributes + 1, sizeof *t.dataset.data.sensitive, err);
    if (!t.dataset.data.sensitive) return HR_ENOMEM;
    for (size_t i = 0; hr_models[i] && status == HR_OK; i++) {
        t.what.model = hr_models[i];
        if (hr_model_in_play(t.what.model, &r->asked)) status = try_all(&t, out, err);
    }
    clear(&t);
    free(t.dataset.data.sensitive);
    return status;
}
