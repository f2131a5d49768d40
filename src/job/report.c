/* report.c - what a run did, for its owner: as JSON with the keys that people script against, and as a
 * few lines for a person. Numbers only; no value of an identifier or a sensitive attribute. */
#include "job/report.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What the models do not promise , told with every report. */
static const char *const caveats[] = {
    "k-anonymity bounds the chance of picking the right row of a class, not what can be learned "
    "from values that the rows of a class share.",
    "At least p values is not at most 1/p: where one value is frequent it can be guessed more "
    "often; see risk.largest_share.",
    "With several sensitive attributes, somebody who knows one of them can use it to narrow a "
    "class down on the others.",
    "Published values are as specific as the class allows: a published interval or node shows that "
    "values at its ends, or in two of its branches, occur.",
    "A group of people that is known to be in the data and is absent from the release was "
    "suppressed, for lack of rows or of sensitive values.",
    "Two releases of overlapping data can be combined; the promise holds for each alone.",
};

static json_t *number(double value) {
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *count(uint64_t value) {
    return json_integer((json_int_t)value);
}

static void set(json_t *object, const char *key, json_t *value) {
    json_object_set_new(object, key, value);
}

static json_t *rows_object(const hr_report *r) {
    json_t *rows = json_object();
    set(rows, "input", count(r->outcome->released + r->outcome->suppressed));
    set(rows, "released", count(r->outcome->released));
    set(rows, "suppressed", count(r->outcome->suppressed));
    set(rows, "dropped", count(r->dropped));
    return rows;
}

static json_t *classes_object(const hr_report *r) {
    const hr_facts *classes = r->outcome->classes;
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t g = 0; g < classes->count; g++) {
        if (classes->size[g] < least) least = classes->size[g];
        if (classes->size[g] > most) most = classes->size[g];
    }
    json_t *object = json_object();
    set(object, "count", count(classes->count));
    set(object, "min", count(least));
    set(object, "mean", number((double)r->outcome->released / classes->count));
    set(object, "max", count(most));
    return object;
}

static json_t *cells_object(const hr_report *r) {
    json_t *cells = json_object();
    set(cells, "count", count(r->cells));
    set(cells, "out", count(r->cells_out));
    /* Known to have k members and yet absent: an outsider learns that they lack p values. */
    set(cells, "out_for_lack_of_values", count(r->cells_poor));
    return cells;
}

static json_t *model_object(const hr_report *r) {
    json_t *model = json_object(), *achieved = json_object();
    for (size_t i = 0; hr_models[i]; i++) {
        const hr_option *option = hr_models[i]->options;
        const char *at = (const char *)&r->asked + option->offset;
        set(model, option->name, json_integer((json_int_t) * (const int64_t *)at));
        bool meaningless = r->verdict->achieved[i] < 0;
        set(achieved, option->name,
            meaningless ? json_null() : json_integer((json_int_t)r->verdict->achieved[i]));
    }
    set(model, "achieved", achieved);
    set(model, "boundaries", json_string(r->choice->count_boundaries ? "count" : "enforce"));
    set(model, "boundary_violations", count(r->verdict->violations));
    set(model, "verified", json_boolean(r->verdict->holds));
    return model;
}

static json_t *measures_object(const hr_report *r, const char *section) {
    json_t *object = json_object();
    for (size_t i = 0; hr_measures[i]; i++)
        if (!strcmp(hr_measures[i]->section, section))
            set(object, hr_measures[i]->name, number(hr_measures[i]->score(r->outcome)));
    return object;
}

static json_t *loss_object(const hr_report *r) {
    json_t *loss = measures_object(r, "loss");
    set(loss, "ntil_bound", json_null()); /* no lower bound is computed by these algorithms */
    set(loss, "sse_sst", json_null());    /* for releases that publish means */
    return loss;
}

static json_t *attributes_array(const hr_report *r) {
    json_t *array = json_array();
    for (size_t j = 0; j < r->outcome->data->quasi_count; j++) {
        json_t *attribute = json_object();
        set(attribute, "name", json_string(r->outcome->data->quasi[j].name));
        set(attribute, "loss", number(hr_loss_attribute(r->outcome, j)));
        set(attribute, "boundary_violations", count(r->verdict->violations_by[j]));
        json_array_append_new(array, attribute);
    }
    return array;
}

static json_t *options_object(const hr_report *r) {
    json_t *object = json_object();
    for (const hr_option *o = r->choice->algorithm->options; o && o->name; o++) {
        hr_text text = {0};
        hr_option_print(o, r->choice->options, &text);
        set(object, o->name, json_string(text.data ? text.data : ""));
        hr_text_free(&text);
    }
    set(object, "reference", json_boolean(r->job->reference));
    return object;
}

static json_t *seconds_object(const hr_report *r) {
    const char *names[] = {"read", "search", "mask", "verify", "write", "total"};
    const double values[] = {r->seconds.read,   r->seconds.search, r->seconds.mask,
                             r->seconds.verify, r->seconds.write,  r->seconds.total};
    json_t *object = json_object();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        set(object, names[i], number(round(values[i] * 1e6) / 1e6));
    return object;
}

static json_t *texts_array(const char *const *texts, size_t n) {
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(array, json_string(texts[i]));
    return array;
}

static json_t *report_object(const hr_report *r) {
    json_t *report = json_object();
    set(report, "hedgerow", json_string(hr_version()));
    set(report, "rows", rows_object(r));
    set(report, "classes", classes_object(r));
    set(report, "clusters", count(r->outcome->partition->cluster_count));
    set(report, "cells", cells_object(r));
    set(report, "model", model_object(r));
    set(report, "loss", loss_object(r));
    set(report, "per_attribute", attributes_array(r));
    set(report, "risk", measures_object(r, "risk"));
    set(report, "algorithm", json_string(r->choice->name));
    set(report, "options", options_object(r));
    set(report, "seed", json_integer((json_int_t)r->job->seed));
    set(report, "threads", count(r->threads));
    set(report, "seconds", seconds_object(r));
    set(report, "peak_memory_bytes", count(r->peak_memory));
    set(report, "warnings", texts_array((const char *const *)r->warnings, r->warning_count));
    set(report, "not_promised", texts_array(caveats, sizeof caveats / sizeof *caveats));
    return report;
}

hr_status hr_report_json(const hr_report *report, char **out, hr_error *err) {
    json_t *object = report_object(report);
    *out = object ? json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
    json_decref(object);
    return *out ? HR_OK : hr_fail(err, HR_ENOMEM, "out of memory while writing the report");
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
                   (long long)r->verdict->achieved[0]);
    hr_text_puts(&text, "model       ");
    for (size_t i = 0; hr_models[i]; i++)
        if (r->verdict->achieved[i] >= 0)
            hr_text_printf(&text, "%s %lld (asked for %lld), ", hr_models[i]->options->name,
                           (long long)r->verdict->achieved[i],
                           (long long)*(const int64_t *)((const char *)&r->asked +
                                                         hr_models[i]->options->offset));
    hr_text_printf(&text, "boundary violations %llu: verified\n",
                   (unsigned long long)r->verdict->violations);
    hr_text_printf(&text, "loss        %.4f (ntil)\n", hr_measure_find("ntil")->score(o));
    hr_text_printf(&text, "risk        %.4f at most, %.4f on average\n",
                   hr_measure_find("prosecutor")->score(o), hr_measure_find("average")->score(o));
    hr_text_printf(&text, "time        %.2f s, of which search %.2f s; memory %.0f MB\n",
                   r->seconds.total, r->seconds.search, (double)r->peak_memory / 1e6);
    *out = text.failed ? NULL : text.data;
    if (*out) return HR_OK;
    hr_text_free(&text);
    return hr_fail(err, HR_ENOMEM, "out of memory while writing the summary");
}
