/* summary.c - the summary of a run for a person: rows, files, classes, promises, loss and risk, a
 * line each. The first word of a line says what it is about. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* "information loss 0.0379 of 1; at most 3.6 % above the least possible", the share rounded up. A
 * share above 100 % says little and is left out; the report has it. The Lagrangian bound holds only
 * for releases of the same rows; the simple bound also for those that suppress more. Where cells
 * were trimmed, other releases may suppress other rows of the same cells; neither bound holds for
 * those. */
static void add_loss(const hr_report *r, hr_text *text) {
    double gap = hr_report_gap(r);
    const char *of = r->bound_steps || r->trimmed ? " for these rows" : "";
    if (r->outcome->partition->means)
        hr_text_printf(text, "loss        squared error %.4f of 1 (sse_sst)",
                       hr_report_measure(r, "sse_sst"));
    else
        hr_text_printf(text, "loss        information loss %.4f of 1",
                       hr_report_measure(r, "ntil"));
    if (gap == 0)
        hr_text_printf(text, "; the least possible%s", of);
    else if (gap <= 1)
        hr_text_printf(text, "; at most %.1f %% above the least possible%s", ceil(gap * 1000) / 10,
                       of);
    hr_text_puts(text, r->interrupted ? "; the search was interrupted\n" : "\n");
}

/* "most lost   'age': 0.5000 of 1", the first of the columns that lost most, if there are several
 * columns and one of them lost something. */
static void add_most_lost(const hr_report *r, hr_text *text) {
    const hr_microdata *data = r->outcome->data;
    double most = 0;
    size_t worst = 0;
    for (size_t j = 0; j < data->quasi_count; j++) {
        double loss = hr_report_attribute_loss(r, j);
        if (loss > most) {
            most = loss;
            worst = j;
        }
    }
    if (data->quasi_count > 1 && most > 0)
        hr_text_printf(text, "most lost   '%s': %.4f of 1\n", data->quasi[worst].name, most);
}

/* Where the release went, and the files for the owner. A release that stays in memory, or that the
 * command prints, has no such place. */
static void add_files(const hr_report *r, hr_text *text) {
    const hr_job_output *output = &r->job->output;
    if (!output->release) return;
    char *shown = hr_address_masked(output->release, NULL);
    if (shown) hr_text_printf(text, "written     to %s\n", shown);
    text->failed |= !shown;
    free(shown);
}

/* The largest share of one value of a sensitive attribute in a class: how often its best guess is
 * right. */
static void add_guess(const hr_report *r, hr_text *text) {
    const hr_facts *classes = r->outcome->classes;
    double most = 0;
    size_t worst = 0;
    for (uint32_t g = 0; g < classes->count; g++)
        for (size_t l = 0; l < classes->sensitive_count; l++) {
            double share =
                (double)classes->largest[g * classes->sensitive_count + l] / classes->size[g];
            if (share > most) {
                most = share;
                worst = l;
            }
        }
    if (most == 0) return;
    const char *name = r->outcome->data->sensitive[worst].name;
    hr_text_printf(text,
                   "guess       '%s': the most frequent %s of a class has at most %.1f %% of it\n",
                   name, hr_attribute_find(r->job, name)->bins ? "range" : "value", 100 * most);
}

static void add_model(const hr_report *r, hr_text *text) {
    const char *separator = "";
    hr_text_puts(text, "model       ");
    for (size_t i = 0; hr_models[i]; i++) {
        if (!hr_report_shows(hr_models[i], &r->asked) || isnan(r->verdict.achieved[i])) continue;
        hr_text_printf(text, "%s%s ", separator, hr_models[i]->options->name);
        hr_model_print(hr_models[i], r->verdict.achieved[i], text);
        hr_text_puts(text, " (");
        hr_asked_print(hr_models[i], &r->asked, text);
        hr_text_puts(text, ")");
        separator = ", ";
    }
    if (!r->choice->count_boundaries) {
        hr_text_puts(text, ", no value past a boundary: verified\n");
        return;
    }
    hr_text_puts(text, ": verified; boundaries were not enforced: ");
    hr_number_text((double)r->verdict.violations, 0, text);
    hr_text_puts(text, r->verdict.violations == 1 ? " value lies beyond them\n"
                                                  : " values lie beyond them\n");
}

/* "recoded     'pay' (round: 100), 'seen' (...)", if a kept column is. */
static void add_recoded(const hr_report *r, hr_text *text) {
    const char *separator = "recoded     ";
    for (size_t i = 0; i < r->job->attribute_count; i++) {
        const hr_attribute *a = &r->job->attributes[i];
        if (!hr_attribute_recodes(a)) continue;
        hr_text_printf(text, "%s'%s' (", separator, a->name);
        hr_attribute_recoding_text(a, text);
        hr_text_puts(text, ")");
        separator = ", ";
    }
    if (*separator == ',') hr_text_puts(text, "\n");
}

/* The risk follows from the classes alone, so it does not hold for readers who know a value that
 * nearly every row has for itself. */
static void add_risk(const hr_report *r, hr_text *text) {
    hr_text_printf(text, "risk        a %s is found with probability %.4f at most, %.4f on average",
                   r->job->unit ? "person" : "row", hr_report_measure(r, "prosecutor"),
                   hr_report_measure(r, "average"));
    if (r->unique_names)
        hr_text_printf(text, " for readers who do not know %s; 1 for those who do",
                       r->unique_names);
    hr_text_puts(text, "\n");
}

static uint32_t smallest_class(const hr_facts *classes) {
    uint32_t least = UINT32_MAX;
    for (uint32_t g = 0; g < classes->count; g++)
        if (classes->size[g] < least) least = classes->size[g];
    return least;
}

hr_status hr_report_summary(const hr_report *r, char **out, hr_error *err) {
    const hr_outcome *o = r->outcome;
    hr_text text = {0};
    double rows = (double)(o->released + o->suppressed);
    hr_text_printf(&text, "released    %llu of %.0f row%s, %llu suppressed (%.2f %%)\n",
                   (unsigned long long)o->released, rows, rows == 1 ? "" : "s",
                   (unsigned long long)o->suppressed, 100 * (double)o->suppressed / rows);
    add_files(r, &text);
    hr_text_printf(&text, "classes     %u; %.1f rows on average, %u in the smallest\n",
                   o->classes->count, (double)o->released / o->classes->count,
                   smallest_class(o->classes));
    if (r->job->unit)
        hr_text_printf(&text,
                       "people      %llu of %llu '%s' released, %llu of them in several classes; k "
                       "counts them\n",
                       (unsigned long long)r->people.released, (unsigned long long)r->people.input,
                       r->job->unit, (unsigned long long)r->people.in_several);
    add_model(r, &text);
    hr_achieved_lines(&r->by_attribute, "sensitive   ", &text);
    if (r->promises) hr_promises_key_lines(r->promises, r->job->asked.k, "keys        ", &text);
    add_loss(r, &text);
    add_most_lost(r, &text);
    add_recoded(r, &text);
    add_risk(r, &text);
    add_guess(r, &text);
    hr_text_printf(&text, "time        %.2f s, of which search %.2f s; memory %.0f MB\n",
                   r->seconds.total, r->seconds.search, (double)r->peak_memory / 1e6);
    for (size_t i = r->first_caution; i < r->warning_count; i++)
        hr_text_printf(&text, "warning     %s\n", r->warnings[i]);
    *out = text.failed ? NULL : text.data;
    if (*out) return HR_OK;
    hr_text_free(&text);
    return hr_fail(err, HR_ENOMEM, "out of memory while writing the summary");
}
