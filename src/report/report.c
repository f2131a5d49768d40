/* report.c - the report of a run for the data's owner: JSON, whose keys scripts rely on, and a
 * summary of a few lines for a person. It contains numbers and names of attributes, never a value
 * of an identifier or a sensitive attribute. */
#include "report/report.h"

#include "io/io.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the models do not promise, part of every report. */
static const char *const caveats[] = {
    "k-anonymity bounds the chance of picking the right row of a class, not what can be learned "
    "from values that the rows of a class share.",
    "At least p values is not at most 1/p: where one value is frequent it can be guessed more "
    "often; see risk.largest_share.",
    "With several sensitive attributes, somebody who knows one of them can use it to narrow a "
    "class down on the others.",
    "Published values are as specific as the class allows (except with mam and incognito): a "
    "published interval or node "
    "shows that values at its ends, or in two of its branches, occur.",
    "A group of people that is known to be in the data and is absent from the release was "
    "suppressed, for lack of rows or of sensitive values.",
    "The order of rows can tell more than their values: `order: input` keeps the input's order, "
    "the "
    "other orders hold nothing of it.",
    "Two releases of overlapping data can be combined; the promise holds for each alone.",
};

static double measure_of(const hr_report *r, const char *name) {
    size_t i = 0;
    while (strcmp(hr_measures[i]->name, name))
        i++;
    return r->measures[i];
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
static bool is_shown(const hr_model *model, const hr_requirements *asked) {
    return model->always_shown || hr_model_in_play(model, asked);
}

static json_t *model_object(json_writer *w) {
    json_t *model = json_object(), *achieved = json_object();
    for (size_t i = 0; hr_models[i]; i++) {
        if (!is_shown(hr_models[i], &w->r->asked)) continue;
        const char *name = hr_models[i]->options->name;
        set(w, model, name, parameter(hr_models[i], hr_model_asked(hr_models[i], &w->r->asked)));
        set(w, achieved, name, parameter(hr_models[i], w->r->verdict.achieved[i]));
    }
    set(w, model, "achieved", achieved);
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
    return r->outcome->partition->time_limited || (r->lower && r->lower->time_limited);
}

/* How far the loss may lie above the least possible, as a share of the bound: loss / bound - 1. NaN
 * if the bound is 0 and the loss is not. */
static double gap_of(const hr_report *r) {
    double bound = bound_of(r), ntil = measure_of(r, "ntil");
    return bound > 0 ? ntil / bound - 1 : ntil > 0 ? NAN : bound;
}

static json_t *loss_object(json_writer *w) {
    json_t *loss = measures_object(w, "loss");
    const hr_bound *lower = w->r->lower;
    set(w, loss, "ntil_bound", number(bound_of(w->r)));
    set(w, loss, "bound_method", string(bound_method(w->r)));
    set(w, loss, "bound_exact", lower ? json_boolean(lower->exact) : json_null());
    set(w, loss, "gap", number(gap_of(w->r)));
    return loss;
}

static json_t *attributes_array(json_writer *w) {
    json_t *array = json_array();
    for (size_t j = 0; j < w->r->outcome->data->quasi_count; j++) {
        json_t *attribute = json_object();
        set(w, attribute, "name", string(w->r->outcome->data->quasi[j].name));
        set(w, attribute, "loss",
            number(w->r->outcome->partition->means ? hr_loss_sse(w->r->outcome, j)
                                                   : hr_loss_attribute(w->r->outcome, j)));
        set(w, attribute, "boundary_violations", count(w->r->verdict.violations_by[j]));
        append(w, array, attribute);
    }
    return array;
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
    set(w, report, "classes", classes_object(w));
    set(w, report, "clusters", count(w->r->outcome->partition->cluster_count));
    set(w, report, "cells", cells_object(w));
    set(w, report, "model", model_object(w));
    set(w, report, "loss", loss_object(w));
    set(w, report, "per_attribute", attributes_array(w));
    set(w, report, "risk", measures_object(w, "risk"));
    set(w, report, "algorithm", string(w->r->choice->name));
    set(w, report, "options", options_object(w));
    set(w, report, "search", search_object(w));
    set(w, report, "seed", json_integer((json_int_t)w->r->job->search.seed));
    set(w, report, "threads", count(w->r->threads));
    set(w, report, "time_limited", json_boolean(time_limited(w->r)));
    set(w, report, "seconds", seconds_object(w));
    set(w, report, "peak_memory_bytes", count(w->r->peak_memory));
    set(w, report, "warnings",
        texts_array(w, (const char *const *)w->r->warnings, w->r->warning_count));
    set(w, report, "not_promised", texts_array(w, caveats, sizeof caveats / sizeof *caveats));
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

/* NaN if the measure does not exist or has no meaning for this outcome. */
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
                        .ntil = measure_of(r, "ntil"),
                        .ntil_bound = bound_of(r),
                        .il = measure_of(r, "il"),
                        .dm = measure_of(r, "dm"),
                        .avg = measure_of(r, "avg"),
                        .avg_clusters = measure_of(r, "avg_clusters"),
                        .sse_sst = measure_of(r, "sse_sst"),
                        .seconds = r->seconds.total,
                        .trimmed = r->trimmed};
}

/* "0.0379 (ntil), at most 3.6 % above the least possible", the share rounded up. The Lagrangian
 * bound holds only for releases of the same rows; the simple bound also for those that suppress
 * more. Where cells were trimmed, other releases may suppress other rows of the same cells; neither
 * bound holds for those. */
static void add_loss(const hr_report *r, hr_text *text) {
    double gap = gap_of(r);
    const char *of = r->bound_steps || r->trimmed ? " for these rows" : "";
    const char *loss = r->outcome->partition->means ? "sse_sst" : "ntil";
    hr_text_printf(text, "loss        %.4f (%s)", measure_of(r, loss), loss);
    if (gap == 0)
        hr_text_printf(text, ", the least possible%s", of);
    else if (isfinite(gap))
        hr_text_printf(text, ", at most %.1f %% above the least possible%s", ceil(gap * 1000) / 10,
                       of);
    hr_text_puts(text, "\n");
}

void hr_number_text(double value, int digits, hr_text *out) {
    char text[64];
    snprintf(text, sizeof text, "%.*f", digits, value);
    size_t whole = strcspn(text, ".");
    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0) hr_text_puts(out, ",");
        hr_text_add(out, &text[i], 1);
    }
    hr_text_puts(out, text + whole);
}

static void add_model(const hr_report *r, hr_text *text) {
    const char *separator = "";
    hr_text_puts(text, "model       ");
    for (size_t i = 0; hr_models[i]; i++) {
        if (!is_shown(hr_models[i], &r->asked) || isnan(r->verdict.achieved[i])) continue;
        hr_text_printf(text, "%s%s ", separator, hr_models[i]->options->name);
        hr_model_print(hr_models[i], r->verdict.achieved[i], text);
        hr_text_puts(text, " (asked for ");
        hr_model_print(hr_models[i], hr_model_asked(hr_models[i], &r->asked), text);
        hr_text_puts(text, ")");
        separator = ", ";
    }
    if (!r->choice->count_boundaries) {
        hr_text_printf(text, ", boundary violations %llu: verified\n",
                       (unsigned long long)r->verdict.violations);
        return;
    }
    hr_text_puts(text, ": verified; boundaries were not enforced: ");
    hr_number_text((double)r->verdict.violations, 0, text);
    hr_text_puts(text, r->verdict.violations == 1 ? " value lies beyond them\n"
                                                  : " values lie beyond them\n");
}

hr_status hr_report_summary(const hr_report *r, char **out, hr_error *err) {
    const hr_outcome *o = r->outcome;
    hr_text text = {0};
    double rows = (double)(o->released + o->suppressed);
    hr_text_printf(&text, "released    %llu of %.0f rows, %llu suppressed (%.2f %%)\n",
                   (unsigned long long)o->released, rows, (unsigned long long)o->suppressed,
                   100 * (double)o->suppressed / rows);
    hr_text_printf(&text, "classes     %u, of %.1f rows on average, the smallest of %lld\n",
                   o->classes->count, (double)o->released / o->classes->count,
                   (long long)r->verdict.achieved[0]);
    add_model(r, &text);
    add_loss(r, &text);
    hr_text_printf(&text, "risk        %.4f at most, %.4f on average\n",
                   measure_of(r, "prosecutor"), measure_of(r, "average"));
    hr_text_printf(&text, "time        %.2f s, of which search %.2f s; memory %.0f MB\n",
                   r->seconds.total, r->seconds.search, (double)r->peak_memory / 1e6);
    *out = text.failed ? NULL : text.data;
    if (*out) return HR_OK;
    hr_text_free(&text);
    return hr_fail(err, HR_ENOMEM, "out of memory while writing the summary");
}
