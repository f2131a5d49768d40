/* page_method.c - utility for analysts, warnings, what is not promised, the words of the report,
 * and how the release was made. */
#include "report/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- utility ---- */

static void figure_cell(double value, hr_text *out) {
    if (isnan(value))
        hr_text_puts(out, "<td>–</td>");
    else
        hr_text_printf(out, "<td>%.3f</td>", value);
}

static void table_of_pairs(const hr_account *a, hr_text *out) {
    hr_text_puts(
        out,
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">columns</th><th "
        "scope=\"col\">V before</th><th scope=\"col\">V after</th><th "
        "scope=\"col\">corrected before</th><th scope=\"col\">corrected after</th>"
        "<th scope=\"col\">correlation before</th><th scope=\"col\">correlation "
        "after</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < a->pair_count; i++) {
        const hr_account_pair *p = &a->pairs[i];
        hr_page_row(p->a, p->b, out);
        const double figures[] = {p->v_before,           p->v_after,
                                  p->corrected_before,   p->corrected_after,
                                  p->correlation_before, p->correlation_after};
        for (size_t f = 0; f < sizeof figures / sizeof *figures; f++)
            figure_cell(figures[f], out);
        hr_text_puts(out, "</tr>\n");
    }
    hr_text_puts(out,
                 "</tbody></table></div>\n<p class=\"note\">V: Cramér's V of the groups of both "
                 "columns, from 0 (independent) to 1; a quasi-identifier has the groups that are "
                 "charted above, another column its 19 most frequent values and all others as one. "
                 "V is biased upwards, the more so the more groups and the fewer rows there are; "
                 "the corrected figure is Bergsma's (2013). Correlation: Pearson's, of numbers; an "
                 "interval counts as its middle. The original has all rows.</p>\n");
}

void hr_page_utility(const hr_account *a, hr_text *out) {
    const hr_query_error *q = &a->queries;
    hr_text_puts(out, "<section>\n<h2>What analysts can still count</h2>\n");
    if (q->count) {
        hr_text_puts(out, "<p>Counts taken from the release are off by <b>");
        hr_page_share(q->mean, out);
        hr_text_puts(out, "</b> on average (median ");
        hr_page_share(q->median, out);
        hr_text_puts(out, ").</p>\n<p class=\"note\">Relative error of ");
        hr_number_text(q->count, 0, out);
        hr_text_printf(out,
                       " queries drawn from the seed: how many rows lie in a random range of the "
                       "groups charted above, of %s? The release answers with the expected number "
                       "if a published value stands evenly for the values that it covers. The "
                       "error is divided by the true number, or by %.0f if that is less.",
                       q->attributes == 2 ? "two random identifying columns"
                                          : "the identifying column",
                       ceil(q->least));
        hr_text_puts(out, "</p>\n");
    }
    if (a->pair_count)
        table_of_pairs(a, out);
    else
        hr_text_puts(out, "<p class=\"note\">To see how much of the association of two columns is "
                          "left, name them in the job: <code>study: [[age, diagnosis]]</code>."
                          "</p>\n");
    hr_text_puts(out, "</section>\n");
}

/* ---- warnings and promises ---- */

/* A list item that begins with a capital and ends with a full stop. */
static void add_sentence(const char *text, hr_text *out) {
    bool lower = *text >= 'a' && *text <= 'z';
    size_t length = strlen(text);
    hr_text_puts(out, "<li>");
    if (lower) hr_text_printf(out, "%c", *text - 'a' + 'A');
    hr_html_text(out, text + lower);
    hr_text_puts(out, length && strchr(".?!", text[length - 1]) ? "</li>\n" : ".</li>\n");
}

void hr_page_warnings(const hr_account *a, hr_text *out) {
    hr_text_puts(out, "<section>\n<h2>Warnings</h2>\n");
    if (!a->method.warning_count) hr_text_puts(out, "<p>None.</p>\n");
    if (a->method.warning_count) hr_text_puts(out, "<ul>\n");
    for (size_t i = 0; i < a->method.warning_count; i++) {
        add_sentence(a->method.warnings[i], out);
    }
    if (a->method.warning_count) hr_text_puts(out, "</ul>\n");
    hr_text_puts(out, "</section>\n");
}

void hr_page_promises(hr_text *out) {
    hr_text_puts(out, "<section>\n<h2>What is not promised</h2>\n<ul>\n");
    for (size_t i = 0; i < hr_report_caveat_count; i++) {
        hr_text_puts(out, "<li>");
        hr_html_text(out, hr_report_caveats[i]);
        hr_text_puts(out, "</li>\n");
    }
    hr_text_puts(out, "</ul>\n</section>\n");
}

void hr_page_words(const hr_account *a, bool owner, hr_text *out) {
    const char *const words[][2] = {
        {"identifying columns (quasi-identifiers)",
         "columns that others may know about a person, such as age or place, and that together can "
         "find the person."},
        {"sensitive column", "what a reader must not learn about a person. Released as it is."},
        {"class", "rows that are published with the same values in all identifying columns."},
        {"generalized", a->verdict.means
                            ? "published less precisely: a number as the mean of its class."
                            : "published less precisely: a day as its year, an age as an interval. "
                              "Only identifying columns are."},
        {"suppressed", "left out of the release as a whole row."},
        {owner ? "boundary" : NULL,
         "the coarsest value that the owner still finds useful: nothing is generalized "
         "past it."},
        {"k, p", a->verdict.unit ? "every class has rows of at least k people, and at least p "
                                   "different values of each sensitive column."
                                 : "every class has at least k rows, and at least p different "
                                   "values of each sensitive column."},
        {a->verdict.means ? "loss (SSE/SST)" : "loss (NTIL)",
         a->verdict.means ? "squared distances of the published means from the original values, as "
                            "a share of the distances from the mean of all rows"
                          : "per value, how far it was generalized as a share of how far it could "
                            "be; the mean over all values"},
    };
    const size_t count = sizeof words / sizeof *words;
    hr_text_puts(out, "<section>\n<h2>Words</h2>\n<dl>\n");
    for (size_t i = 0; i < count; i++) {
        if (!words[i][0]) continue;
        hr_text_printf(out, "<dt>%s</dt><dd>%s%s</dd>\n", words[i][0], words[i][1],
                       i + 1 < count                ? ""
                       : owner && !a->verdict.means ? ", a suppressed row counting as 1."
                                                    : ".");
    }
    hr_text_puts(out, "</dl>\n</section>\n");
}

/* ---- method ---- */

static void item(const char *name, const char *value, hr_text *out) {
    if (!value || !*value) return;
    hr_text_printf(out, "<dt>%s</dt><dd>", name);
    hr_html_text(out, value);
    hr_text_puts(out, "</dd>\n");
}

static void list_promise(const hr_account_model *model, const char *separator, hr_text *out) {
    hr_text_printf(out, "%s%s = ", separator, model->parameter);
    hr_html_text(out, model->asked);
    if (!model->attribute) return;
    hr_text_puts(out, " of ");
    hr_html_text(out, model->attribute);
}

static void list_parameters(const hr_account *a, hr_text *out) {
    hr_text_puts(out, "<dt>promises</dt><dd>");
    for (size_t i = 0; i < a->verdict.model_count; i++)
        if (a->verdict.models[i].in_play)
            list_promise(&a->verdict.models[i], i > 0 ? ", " : "", out);
    hr_text_puts(out, "</dd>\n<dt>algorithm</dt><dd>");
    hr_html_text(out, a->method.algorithm);
    hr_text_printf(out, ": %s</dd>\n", a->method.algorithm_title);
    item("options", a->method.options, out);
    item("recoded, all rows alike", a->method.recoded, out);
}

static void list_owner(const hr_account *a, hr_text *out) {
    const hr_account_method *m = &a->method;
    hr_text_printf(out, "<dt>seed</dt><dd>%llu%s</dd>\n", (unsigned long long)m->seed,
                   m->time_limited ? "; a time limit ended the search, so another run may differ"
                                   : "");
    item("input", m->input ? m->input : "a table in memory", out);
    item(m->input_is_file ? "SHA-256 of the input" : "SHA-256 of the columns read, as CSV",
         m->input_digest, out);
    item("release", m->output ? m->output : "in memory, or standard output", out);
}

static void put_lines(const char *text, hr_text *out) {
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        char *copy = hr_copy_text(line, length, NULL);
        out->failed |= !copy;
        if (copy) hr_html_text(out, copy);
        free(copy);
        hr_text_puts(out, "\n");
        line += length + (line[length] == '\n');
    }
}

void hr_page_method(const hr_account *a, bool owner, const char *digest, hr_text *out) {
    hr_text_printf(out, "<section>\n<h2>%s</h2>\n",
                   owner ? "How to make this release again" : "Method");
    if (owner)
        hr_text_puts(out, "<p>The same version, job, seed and input give the same bytes, on any "
                          "machine and with any number of threads. Save the job below as a file in "
                          "the folder where this release was made, from which its paths start, and "
                          "run <code>hedgerow anonymize FILE.yaml -o AGAIN.csv</code>: the SHA-256 "
                          "of the new file must be that of the release.</p>\n");
    else
        hr_text_printf(
            out,
            "<p>Identifying columns were %s. Sensitive columns are released as they are, "
            "and so are the other columns unless they are listed as recoded. The "
            "finished release was checked independently of the search.</p>\n",
            a->verdict.means ? "replaced by their means in classes that keep the promises"
                             : "generalized until every class keeps the promises");
    hr_text_puts(out, "<dl class=\"facts\">\n");
    item("made by", "hedgerow " HR_VERSION, out);
    list_parameters(a, out);
    if (owner) list_owner(a, out);
    item("SHA-256 of the release, as CSV", digest, out);
    hr_text_puts(out, "</dl>\n");
    if (owner && a->method.job) {
        hr_text_puts(out, "<h3>The job, with the values that Hedgerow chose</h3>\n<p "
                          "class=\"note\">Hierarchies that were built from the data and ranges of "
                          "sensitive numbers are not shown; <code>--resolved FILE</code> writes "
                          "them.</p>\n<pre>");
        put_lines(a->method.job, out);
        hr_text_puts(out, "</pre>\n");
    }
    hr_text_puts(out, "</section>\n");
}
