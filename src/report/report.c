/* report.c - the report of a run for the data's owner: JSON, whose keys scripts rely on, and a
 * summary of a few lines for a person. It contains numbers and names of attributes, never a value
 * of an identifier or a sensitive attribute. */
#include "report/account.h"

#include "io/io.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the models do not promise, part of every report. */
const char *const hr_report_caveats[] = {
    "k limits how well the row of a person can be picked. It does not hide what all rows of a "
    "class have in common.",
    "A class with p values may have one of them in nearly all of its rows, and then that value is "
    "a good guess.",
    "Somebody who knows one sensitive attribute of a person can filter the class by it, and may "
    "learn the others.",
    "Published values give away a little more than they say: both ends of an interval occur in its "
    "class, and at least two branches below a node of a hierarchy do (not with mam and incognito).",
    "If a group of people is known to be in the data and is absent from the release, it was "
    "suppressed: it had too few rows or too few sensitive values.",
    "The order of rows can reveal something. The release keeps nothing of the input's order, "
    "unless the job says 'order: input'.",
    "Rows are not people. A person with several rows counts several times unless the job has "
    "'unit', and an outsider who knows several rows of one person can combine their classes.",
    "Each release keeps its promise by itself. Two releases of overlapping data may not keep it "
    "together.",
};
const size_t hr_report_caveat_count = sizeof hr_report_caveats / sizeof *hr_report_caveats;

double hr_report_measure(const hr_report *r, const char *name) {
    size_t i = 0;
    while (strcmp(hr_measures[i]->name, name))
        i++;
    return r->measures[i];
}

double hr_report_attribute_loss(const hr_report *r, size_t j) {
    return r->outcome->partition->means ? hr_loss_sse(r->outcome, j)
                                        : hr_loss_attribute(r->outcome, j);
}

static json_t *number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value) {
    return json_integer((json_int_t)value);
}

/* Out of memory is recorded in `failed` and reported once, at the end. */
typedef struct {
    const hr_report *r;
    bool failed;
} json_writer;

static void set(json_writer *w, json_t *object, const char *key, json_t *value) {
    if (json_object_set_new(object, key, value)) w->failed = true;
}

static void append(json_writer *w, json_t *array, json_t *value) {
    if (json_array_append_new(array, value)) w->failed = true;
}

static json_t *string(const char *bytes) {
    hr_text clean = {0};
    hr_utf8_clean(&clean, bytes);
    json_t *made = clean.failed ? NULL : json_string(clean.data);
    hr_text_free(&clean);
    return made;
}

static json_t *rows_object(json_writer *w) {
    json_t *rows = json_object();
    set(w, rows, "input", count(w->r->outcome->released + w->r->outcome->suppressed));
    set(w, rows, "released", count(w->r->outcome->released));
    set(w, rows, "suppressed", count(w->r->outcome->suppressed));
    set(w, rows, "dropped", count(w->r->dropped));
    if (hr_models_beyond_kp(&w->r->asked)) set(w, rows, "trimmed", count(w->r->trimmed));
    return rows;
}

/* Units of the input and of the release; null if k counts rows. */
static json_t *people_object(json_writer *w) {
    const hr_people *people = &w->r->people;
    if (!w->r->job->unit) return json_null();
    json_t *object = json_object();
    set(w, object, "unit", string(w->r->job->unit));
    set(w, object, "input", count(people->input));
    set(w, object, "released", count(people->released));
    set(w, object, "in_several_classes", count(people->in_several));
    set(w, object, "least_in_a_class", count((uint64_t)w->r->verdict.achieved[0]));
    return object;
}

static json_t *classes_object(json_writer *w) {
    const hr_facts *classes = w->r->outcome->classes;
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t g = 0; g < classes->count; g++) {
        if (classes->size[g] < least) least = classes->size[g];
        if (classes->size[g] > most) most = classes->size[g];
    }
    json_t *object = json_object();
    set(w, object, "count", count(classes->count));
    set(w, object, "min", count(least));
    set(w, object, "mean", number((double)w->r->outcome->released / classes->count));
    set(w, object, "max", count(most));
    return object;
}

static json_t *cells_object(json_writer *w) {
    json_t *cells = json_object();
    set(w, cells, "count", count(w->r->cells));
    set(w, cells, "out", count(w->r->cells_out));
    /* If such a group of at least k people is known to be in the data, its absence from the release
     * reveals that it has fewer than p sensitive values. */
    set(w, cells, "out_for_lack_of_values", count(w->r->cells_poor));
    return cells;
}

/* A number of a model: a whole number if the model's parameter is one. */
static json_t *parameter(const hr_model *model, double value) {
    if (isnan(value) || model->options->type == HR_OPTION_REAL) return number(value);
    return json_integer((json_int_t)value);
}

/* Reports show the models in play, and p always. */
bool hr_report_shows(const hr_model *model, const hr_requirements *asked) {
    return model->always_shown || hr_model_in_play(model, asked);
}

typedef struct {
    json_writer *w;
    json_t *array, *models;
} sensitive_writer;

static void add_sensitive(const hr_achieved_figure *f, void *payload) {
    sensitive_writer *s = payload;
    if (f->first || !s->models) {
        json_t *attribute = json_object();
        s->models = json_array();
        set(s->w, attribute, "name", string(f->attribute));
        set(s->w, attribute, "models", s->models);
        append(s->w, s->array, attribute);
    }
    json_t *model = json_object();
    set(s->w, model, "model", string(f->model->options->name));
    set(s->w, model, "asked", f->in_play ? parameter(f->model, f->asked) : json_null());
    set(s->w, model, "achieved", parameter(f->model, f->achieved));
    set(s->w, model, "worst_class", count((uint64_t)f->worst + 1));
    set(s->w, model, "worst_class_rows", count(f->worst_rows));
    append(s->w, s->models, model);
}

/* For each sensitive attribute: what is asked for and achieved, and the class that achieves least,
 * by its number in the trace. */
static json_t *sensitive_array(json_writer *w) {
    sensitive_writer s = {.w = w, .array = json_array()};
    hr_achieved_each(&w->r->by_attribute, add_sensitive, &s);
    return s.array;
}

/* Each set of columns in the job's `keys`. */
static json_t *keys_array(json_writer *w) {
    json_t *array = json_array();
    for (size_t i = 0; w->r->promises && i < w->r->promises->key_count; i++) {
        const hr_key_figures *key = &w->r->promises->keys[i];
        json_t *object = json_object(), *columns = json_array();
        const hr_key_set *names = &w->r->job->keys.sets[i];
        for (size_t c = 0; c < names->count; c++)
            append(w, columns, string(names->columns[c]));
        set(w, object, "columns", columns);
        set(w, object, "k", count(key->least));
        set(w, object, "counts", string(key->people ? "people" : "rows"));
        set(w, object, "groups", count(key->groups));
        set(w, object, "small_groups", count(key->small_groups));
        set(w, object, "small_rows", count(key->small_rows));
        append(w, array, object);
    }
    return array;
}

static json_t *model_object(json_writer *w) {
    json_t *model = json_object(), *achieved = json_object();
    for (size_t i = 0; hr_models[i]; i++) {
        if (!hr_report_shows(hr_models[i], &w->r->asked)) continue;
        const char *name = hr_models[i]->options->name;
        bool own = hr_models[i]->own && !hr_models[i]->in_play(&w->r->asked); /* by attribute */
        double asked = hr_model_asked(hr_models[i], &w->r->asked);
        set(w, model, name, own ? json_null() : parameter(hr_models[i], asked));
        set(w, achieved, name, parameter(hr_models[i], w->r->verdict.achieved[i]));
    }
    set(w, model, "achieved", achieved);
    set(w, model, "sensitive", sensitive_array(w));
    set(w, model, "keys", keys_array(w));
    set(w, model, "boundaries", string(w->r->choice->count_boundaries ? "count" : "enforce"));
    set(w, model, "boundary_violations", count(w->r->verdict.violations));
    set(w, model, "verified", json_boolean(w->r->verdict.holds));
    return model;
}

static json_t *measures_object(json_writer *w, const char *section) {
    json_t *object = json_object();
    for (size_t i = 0; hr_measures[i]; i++)
        if (!strcmp(hr_measures[i]->section, section))
            set(w, object, hr_measures[i]->name, number(w->r->measures[i]));
    return object;
}

/* Lower bound on the NTIL of any release; NaN if none was computed. */
static double bound_of(const hr_report *r) {
    return r->lower ? hr_bound_ntil(r->lower->loss, r->outcome->data) : NAN;
}

static const char *bound_method(const hr_report *r) {
    if (!r->lower) return "none";
    return r->bound_steps ? "lagrangian" : "simple";
}

static bool time_limited(const hr_report *r) {
    if (r->interrupted) return false;
    return r->outcome->partition->time_limited || (r->lower && r->lower->time_limited);
}

double hr_report_gap(const hr_report *r) {
    double bound = bound_of(r), ntil = hr_report_measure(r, "ntil");
    return bound > 0 ? ntil / bound - 1 : ntil > 0 ? NAN : bound;
}

static json_t *loss_object(json_writer *w) {
    json_t *loss = measures_object(w, "loss");
    const hr_bound *lower = w->r->lower;
    set(w, loss, "ntil_bound", number(bound_of(w->r)));
    set(w, loss, "bound_method", string(bound_method(w->r)));
    set(w, loss, "bound_exact", lower ? json_boolean(lower->exact) : json_null());
    set(w, loss, "gap", number(hr_report_gap(w->r)));
    return loss;
}

/* A whole number without ".0". */
static json_t *shortest(double value) {
    bool whole = fabs(value) < 1e15 && value == rint(value);
    return whole ? json_integer((json_int_t)value) : number(value);
}

/* The numbers at which the cells of a quasi-identifier without a hierarchy begin, but the first. */
static json_t *cuts_array(json_writer *w, const hr_quasi *quasi) {
    json_t *array = json_array();
    for (uint32_t r = hr_quasi_next_cell(quasi, 0); r < quasi->value_count;
         r = hr_quasi_next_cell(quasi, r))
        append(w, array, shortest(quasi->number[r]));
    return array;
}

/* Released rows by the level at which they are published. */
static json_t *levels_array(json_writer *w, const hr_account_attribute *a) {
    json_t *array = json_array();
    for (size_t l = 0; l < a->level_count; l++) {
        json_t *level = json_object();
        set(w, level, "level", string(a->levels[l].name));
        set(w, level, "rows", count(a->levels[l].rows));
        append(w, array, level);
    }
    return array;
}

static json_t *attributes_array(json_writer *w) {
    json_t *array = json_array();
    for (size_t j = 0; j < w->r->outcome->data->quasi_count; j++) {
        json_t *attribute = json_object();
        set(w, attribute, "name", string(w->r->outcome->data->quasi[j].name));
        set(w, attribute, "loss", number(hr_report_attribute_loss(w->r, j)));
        set(w, attribute, "boundary_violations", count(w->r->verdict.violations_by[j]));
        const hr_quasi *quasi = &w->r->outcome->data->quasi[j];
        if (quasi->rule.kind) set(w, attribute, "cuts", cuts_array(w, quasi));
        if (w->r->account) {
            const hr_account_attribute *a = &w->r->account->attributes[j];
            set(w, attribute, "total_variation", number(a->variation));
            set(w, attribute, "levels", levels_array(w, a));
        }
        append(w, array, attribute);
    }
    return array;
}

/* The kept columns that are recoded, and how. */
static json_t *recoded_array(json_writer *w) {
    json_t *array = json_array();
    for (size_t i = 0; i < w->r->job->attribute_count; i++) {
        const hr_attribute *a = &w->r->job->attributes[i];
        if (!hr_attribute_recodes(a)) continue;
        hr_text text = {0};
        hr_attribute_recoding_text(a, &text);
        json_t *column = json_object();
        set(w, column, "name", string(a->name));
        set(w, column, "recoding", text.failed ? NULL : string(text.data));
        append(w, array, column);
        hr_text_free(&text);
    }
    return array;
}

/* Suppressed rows by value: per quasi-identifier, the values that lose the largest shares of their
 * rows first. */
static json_t *lost_array(json_writer *w) {
    json_t *array = json_array(), *values = NULL;
    const hr_lost_value *v;
    const char *name = NULL;
    for (size_t i = 0; (v = hr_lost_at(w->r->lost, i)); i++) {
        if (!name || strcmp(name, v->name)) {
            json_t *attribute = json_object();
            name = v->name;
            values = json_array();
            set(w, attribute, "name", string(name));
            set(w, attribute, "values", values);
            append(w, array, attribute);
        }
        if (v->lost == 0) continue;
        json_t *value = json_object();
        set(w, value, "value", v->value ? string(v->value) : json_null());
        set(w, value, "rows", count(v->rows));
        set(w, value, "suppressed", count(v->lost));
        set(w, value, "share", number((double)v->lost / (double)v->rows));
        append(w, values, value);
    }
    return array;
}

/* ---- risk and utility ---- */

static json_t *above_object(json_writer *w, const hr_account_risk *risk) {
    json_t *object = json_object();
    for (size_t i = 0; i < HR_THRESHOLDS; i++) {
        char name[32];
        snprintf(name, sizeof name, "%g", hr_risk_thresholds[i]);
        set(w, object, name, number(risk->above[i]));
    }
    return object;
}

static json_t *risk_object(json_writer *w) {
    json_t *object = measures_object(w, "risk"), *before = json_object();
    const hr_account *account = w->r->account;
    if (!account) {
        json_decref(before);
        return object;
    }
    set(w, object, "rows_above", above_object(w, &account->after));
    set(w, before, "prosecutor", number(account->before.largest));
    set(w, before, "average", number(account->before.mean));
    set(w, before, "rows_above", above_object(w, &account->before));
    set(w, before, "unique", count(account->before.unique));
    set(w, object, "before", before);
    return object;
}

static json_t *pair_object(json_writer *w, const hr_account_pair *pair) {
    const struct {
        const char *name;
        double before, after;
    } figures[] = {{"cramers_v", pair->v_before, pair->v_after},
                   {"cramers_v_corrected", pair->corrected_before, pair->corrected_after},
                   {"correlation", pair->correlation_before, pair->correlation_after}};
    json_t *object = json_object(), *columns = json_array();
    append(w, columns, string(pair->a));
    append(w, columns, string(pair->b));
    set(w, object, "columns", columns);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        json_t *figure = json_object();
        set(w, figure, "before", number(figures[i].before));
        set(w, figure, "after", number(figures[i].after));
        set(w, object, figures[i].name, figure);
    }
    return object;
}

static json_t *utility_object(json_writer *w) {
    const hr_query_error *q = &w->r->account->queries;
    json_t *object = json_object(), *queries = json_object(), *pairs = json_array();
    set(w, queries, "count", count(q->count));
    set(w, queries, "columns", count(q->attributes));
    set(w, queries, "least_divisor", number(q->least));
    set(w, queries, "mean_relative_error", number(q->mean));
    set(w, queries, "median_relative_error", number(q->median));
    set(w, object, "queries", queries);
    for (size_t i = 0; i < w->r->account->pair_count; i++)
        append(w, pairs, pair_object(w, &w->r->account->pairs[i]));
    set(w, object, "study", pairs);
    return object;
}

static json_t *option_value(const hr_option *option, const void *options) {
    const char *at = (const char *)options + option->offset;
    switch (option->type) {
    case HR_OPTION_INT: return json_integer((json_int_t) * (const int64_t *)(const void *)at);
    case HR_OPTION_REAL: return number(*(const double *)(const void *)at);
    case HR_OPTION_BOOL: return json_boolean(*(const bool *)(const void *)at);
    default: break;
    }
    hr_text text = {0};
    hr_option_print(option, options, &text);
    json_t *made = text.failed ? NULL : string(text.data);
    hr_text_free(&text);
    return made;
}

static json_t *options_object(json_writer *w) {
    json_t *object = json_object();
    for (const hr_option *o = w->r->choice->algorithm->options; o && o->name; o++)
        set(w, object, o->name, option_value(o, w->r->choice->options));
    set(w, object, "reference", json_boolean(w->r->job->search.reference));
    return object;
}

/* A number for each quasi-identifier, with its name. */
static json_t *per_quasi_array(json_writer *w, const hr_finding *finding) {
    json_t *array = json_array();
    for (size_t j = 0; j < w->r->outcome->data->quasi_count; j++) {
        json_t *attribute = json_object();
        set(w, attribute, "name", string(w->r->outcome->data->quasi[j].name));
        set(w, attribute, finding->entry_name, count(finding->per_quasi[j]));
        append(w, array, attribute);
    }
    return array;
}

/* The algorithm's own figures. */
static json_t *search_object(json_writer *w) {
    const hr_findings *findings = w->r->findings;
    if (!findings) return json_null();
    json_t *object = json_object();
    for (size_t i = 0; i < findings->figure_count; i++) {
        const hr_finding *finding = &findings->figures[i];
        set(w, object, finding->name,
            finding->per_quasi ? per_quasi_array(w, finding) : count(finding->value));
    }
    return object;
}

static json_t *seconds_object(json_writer *w) {
    const char *names[] = {"read", "bound", "search", "mask", "verify", "write", "total"};
    const double values[] = {w->r->seconds.read, w->r->seconds.bound,  w->r->seconds.search,
                             w->r->seconds.mask, w->r->seconds.verify, w->r->seconds.write,
                             w->r->seconds.total};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        set(w, object, names[i], number(round(values[i] * 1e6) / 1e6));
    return object;
}

static json_t *texts_array(json_writer *w, const char *const *texts, size_t n) {
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        append(w, array, string(texts[i]));
    return array;
}

static json_t *report_object(json_writer *w) {
    json_t *report = json_object();
    set(w, report, "hedgerow", string(hr_version()));
    set(w, report, "rows", rows_object(w));
    set(w, report, "people", people_object(w));
    set(w, report, "classes", classes_object(w));
    set(w, report, "clusters", count(w->r->outcome->partition->cluster_count));
    set(w, report, "cells", cells_object(w));
    set(w, report, "model", model_object(w));
    set(w, report, "loss", loss_object(w));
    set(w, report, "per_attribute", attributes_array(w));
    set(w, report, "recoded", recoded_array(w));
    set(w, report, "suppressed_by", lost_array(w));
    set(w, report, "risk", risk_object(w));
    if (w->r->account) set(w, report, "utility", utility_object(w));
    set(w, report, "algorithm", string(w->r->choice->name));
    set(w, report, "options", options_object(w));
    set(w, report, "search", search_object(w));
    set(w, report, "seed", json_integer((json_int_t)w->r->job->search.seed));
    set(w, report, "threads", count(w->r->threads));
    set(w, report, "time_limited", json_boolean(time_limited(w->r)));
    set(w, report, "interrupted", json_boolean(w->r->interrupted));
    set(w, report, "seconds", seconds_object(w));
    set(w, report, "peak_memory_bytes", count(w->r->peak_memory));
    set(w, report, "warnings",
        texts_array(w, (const char *const *)w->r->warnings, w->r->warning_count));
    set(w, report, "not_promised", texts_array(w, hr_report_caveats, hr_report_caveat_count));
    return report;
}

static int add_bytes(const char *bytes, size_t length, void *payload) {
    hr_text_add(payload, bytes, length);
    return ((hr_text *)payload)->failed ? -1 : 0;
}

/* Writes through a callback: json_dumps can drop bytes when memory runs out. */
hr_status hr_report_json(const hr_report *report, char **out, hr_error *err) {
    json_writer w = {.r = report};
    hr_text text = {0};
    json_t *object = report_object(&w);
    bool made = !w.failed && !json_dump_callback(object, add_bytes, &text,
                                                 JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(object);
    *out = text.data;
    if (made && !text.failed) return HR_OK;
    hr_text_free(&text);
    *out = NULL;
    return hr_fail(err, HR_ENOMEM, "out of memory while writing the report");
}

/* What the release achieves by a model; NaN if the model is not asked for. */
static double achieved_if_asked(const hr_report *r, const char *parameter) {
    size_t i = hr_model_find(parameter);
    return hr_model_in_play(hr_models[i], &r->asked) ? r->verdict.achieved[i] : NAN;
}

hr_figures hr_report_figures(const hr_report *r) {
    const hr_outcome *o = r->outcome;
    return (hr_figures){.rows = o->released + o->suppressed,
                        .released = o->released,
                        .suppressed = o->suppressed,
                        .classes = o->classes->count,
                        .clusters = o->partition->cluster_count,
                        .violations = r->verdict.violations,
                        .k = r->asked.k,
                        .p = r->asked.p,
                        .achieved_k = (int64_t)r->verdict.achieved[0],
                        .achieved_p =
                            isnan(r->verdict.achieved[1]) ? -1 : (int64_t)r->verdict.achieved[1],
                        .ntil = hr_report_measure(r, "ntil"),
                        .ntil_bound = bound_of(r),
                        .il = hr_report_measure(r, "il"),
                        .dm = hr_report_measure(r, "dm"),
                        .avg = hr_report_measure(r, "avg"),
                        .avg_clusters = hr_report_measure(r, "avg_clusters"),
                        .sse_sst = hr_report_measure(r, "sse_sst"),
                        .seconds = r->seconds.total,
                        .trimmed = r->trimmed,
                        .achieved_alpha = achieved_if_asked(r, "alpha"),
                        .achieved_l = achieved_if_asked(r, "l"),
                        .achieved_entropy_l = achieved_if_asked(r, "entropy_l"),
                        .achieved_recursive_c = achieved_if_asked(r, "recursive_c"),
                        .achieved_t = achieved_if_asked(r, "t")};
}
