/* page_verdict.c - the answer first, in plain words: what holds, which rows are missing and why,
 * what the release lost, and what an outsider can still learn. */
#include "report/page/page.h"

#include <math.h>
#include <string.h>

static void open_item(const char *heading, hr_text *out) {
    hr_text_printf(out, "<div class=\"card\"><h3>%s</h3>\n", heading);
}

static void close_item(hr_text *out) {
    hr_text_puts(out, "</div>\n");
}

/* ---- what holds ---- */

static bool has_bins(const hr_account *a) {
    for (size_t l = 0; l < a->sensitive_count; l++)
        if (a->sensitive[l].binned) return true;
    return false;
}

/* Do two entries ask for the same, of different columns? */
static bool asks_alike(const hr_account_model *a, const hr_account_model *b) {
    return a->parameter == b->parameter && !strcmp(a->asked, b->asked);
}

/* Says what model number i promises, and for which columns, unless an entry before it did. */
static void say_model(const hr_account_verdict *v, size_t i, hr_text *out) {
    const hr_account_model *m = &v->models[i];
    for (size_t j = HR_MODELS_KP; j < i; j++)
        if (asks_alike(&v->models[j], m)) return;
    hr_text_printf(out, "<li>%s = ", m->parameter);
    hr_html_text(out, m->asked);
    hr_text_puts(out, " also holds");
    const char *separator = " for <b>";
    for (size_t j = i; j < v->model_count && m->attribute; j++) {
        if (!asks_alike(&v->models[j], m)) continue;
        hr_text_puts(out, separator);
        hr_html_text(out, v->models[j].attribute);
        separator = "</b>, <b>";
    }
    hr_text_printf(out, "%s (%s).</li>\n", m->attribute ? "</b>" : "", m->title);
}

/* The promise of k and p. */
static void say_alike(const hr_account *a, hr_text *out) {
    const hr_account_verdict *v = &a->verdict;
    if (v->k == 1) {
        hr_text_puts(out, "k = 1 asks for nothing: a released row may be <b>unlike all others</b> "
                          "in the columns that could identify a person.");
        return;
    }
    hr_text_printf(out, "Every released row looks like %sat least <b>", v->unit ? "rows of " : "");
    hr_number_text((double)v->k - 1, 0, out);
    hr_text_printf(out, " other %s</b> in all the columns that could identify a person",
                   hr_page_counted(a, v->k == 2));
    if (v->p > 1 && a->sensitive_count)
        hr_text_printf(out,
                       ", and every such group has at least <b>%lld different values</b> of each "
                       "sensitive column%s",
                       (long long)v->p,
                       has_bins(a) ? " (of those with <code>bins</code>: values in so many ranges)"
                                   : "");
    hr_text_puts(out, ".");
}

static void say_models(const hr_account *a, hr_text *out) {
    hr_text_puts(out, "<p>");
    say_alike(a, out);
    hr_text_puts(out, " The finished release was checked against this, independently of how it was "
                      "made.</p>\n");
    if (a->verdict.model_count <= HR_MODELS_KP) return;
    hr_text_puts(out, "<ul>\n");
    for (size_t i = HR_MODELS_KP; i < a->verdict.model_count; i++)
        say_model(&a->verdict, i, out);
    hr_text_puts(out, "</ul>\n");
}

static void say_boundaries(const hr_account *a, hr_text *out) {
    const hr_account_verdict *v = &a->verdict;
    if (!v->bounded) {
        hr_text_puts(out, v->means ? "<p>The job draws no boundaries.</p>\n"
                                   : "<p>The job draws no boundaries: values may be generalized "
                                     "until nothing is left of them.</p>\n");
        return;
    }
    if (!v->count_boundaries) {
        hr_text_puts(out, "<p>No value is generalized past its boundary.</p>\n");
        return;
    }
    hr_text_puts(out, "<p>Boundaries were counted, not enforced: ");
    hr_page_count(v->violations, "value lies", "values lie", out);
    hr_text_puts(out, " past them.</p>\n");
}

static void say_achieved(const hr_account *a, bool owner, hr_text *out) {
    const hr_account_verdict *v = &a->verdict;
    hr_text_puts(
        out,
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">promise</th><th "
        "scope=\"col\">asked for</th><th scope=\"col\">achieved</th></tr></thead>"
        "<tbody>\n");
    for (size_t i = 0; i < v->model_count; i++) {
        const hr_account_model *m = &v->models[i];
        hr_text_printf(out, "<tr><th scope=\"row\">%s", m->parameter);
        if (m->attribute) {
            hr_text_puts(out, " of ");
            hr_html_text(out, m->attribute);
        }
        hr_text_puts(out, "</th><td>");
        hr_html_text(out, m->in_play ? m->asked : "–");
        hr_text_printf(out, "</td><td>%s", *m->achieved ? m->achieved : "–");
        if (m->worst_rows && owner)
            hr_text_printf(out, ", in a class of %u row%s", m->worst_rows,
                           m->worst_rows == 1 ? "" : "s");
        hr_text_puts(out, "</td></tr>\n");
    }
    hr_text_puts(out, "</tbody></table></div>\n");
}

/* ---- which rows are missing ---- */

/* Names `count` of `all` groups: "it", "all", "3"; says nothing of none. */
static bool name_groups(uint64_t count, uint64_t all, const char **separator, hr_text *out) {
    if (!count) return false;
    hr_text_puts(out, *separator);
    *separator = ", ";
    if (all == 1)
        hr_text_puts(out, "it");
    else if (count == all)
        hr_text_puts(out, "all");
    else
        hr_number_text((double)count, 0, out);
    return true;
}

/* Says why the suppressed groups cannot be released. */
static void say_cells(const hr_account *a, uint64_t groups, hr_text *out) {
    const hr_account_verdict *v = &a->verdict;
    uint64_t small = groups - v->cells_poor - v->cells_unlike;
    const char *separator = "";
    if (name_groups(small, groups, &separator, out))
        hr_text_printf(out, " %s fewer than %lld %s%s", small == 1 ? "has" : "have",
                       (long long)v->k, hr_page_counted(a, false),
                       v->trimmed ? " without those of too frequent sensitive values" : "");
    if (name_groups(v->cells_poor, groups, &separator, out))
        hr_text_printf(out, " %s enough %s but too few sensitive values",
                       v->cells_poor == 1 ? "has" : "have", hr_page_counted(a, false));
    if (name_groups(v->cells_unlike, groups, &separator, out))
        hr_text_printf(out, " %s another promise about sensitive values",
                       v->cells_unlike == 1 ? "breaks" : "break");
}

static void say_reasons(const hr_account *a, hr_text *out) {
    const hr_account_verdict *v = &a->verdict;
    uint64_t chosen = v->suppressed - v->dropped - v->trimmed - v->out_rows;
    uint64_t groups = v->cells_out - v->cells_emptied;
    hr_text_puts(out, "<ul>");
    if (v->dropped) {
        hr_text_puts(out, "<li>");
        hr_page_count(v->dropped, "row lacks", "rows lack", out);
        hr_text_puts(out, " a value that the job requires.</li>");
    }
    if (v->out_rows) {
        hr_text_puts(out, "<li>");
        hr_page_count(v->out_rows, "row is", "rows are", out);
        hr_text_puts(out, " in ");
        hr_page_count(groups, "group", NULL, out);
        hr_text_puts(out, " that the boundaries keep apart from all others, and which cannot keep "
                          "the promise alone: ");
        say_cells(a, groups, out);
        hr_text_puts(out, ".</li>");
    }
    if (chosen) {
        hr_text_puts(out, "<li>");
        hr_page_count(chosen, "row was", "rows were", out);
        hr_text_puts(out, " left out by the algorithm, which may suppress rows so that others lose "
                          "less.</li>");
    }
    if (v->trimmed) {
        hr_text_puts(out, "<li>");
        hr_page_count(v->trimmed, "row has", "rows have", out);
        hr_text_puts(out, " a sensitive value that is too frequent among the rows it could be "
                          "published with.</li>");
    }
    hr_text_puts(out, "</ul>\n");
}

/* Says how many people the rows belong to, if the job names the column of units. */
static void say_people(const hr_account_verdict *v, hr_text *out) {
    if (!v->unit) return;
    hr_text_puts(out, "<p>The rows are those of <b>");
    hr_number_text((double)v->people_released, 0, out);
    hr_text_puts(out, "</b> of ");
    hr_page_count(v->people, "person", "people", out);
    hr_text_puts(out, " (");
    hr_html_text(out, v->unit);
    hr_text_puts(out, "). ");
    if (!v->people_several) {
        hr_text_puts(out, "None of them has rows in several groups.</p>\n");
        return;
    }
    hr_page_count(v->people_several, "of them has", "of them have", out);
    hr_text_puts(out, " rows in several groups: whoever knows all these rows of a person can link "
                      "them, and k does not limit that.</p>\n");
}

static void say_rows(const hr_account *a, hr_text *out) {
    const hr_account_verdict *v = &a->verdict;
    hr_text_puts(out, "<p><b>");
    hr_number_text((double)v->released, 0, out);
    hr_text_puts(out, "</b> of ");
    hr_page_count(v->input, "row", NULL, out);
    hr_text_puts(out, v->released == 1 ? " is released; " : " are released; ");
    if (!v->suppressed) {
        hr_text_puts(out, "<b>none is suppressed</b>.</p>\n");
        say_people(v, out);
        return;
    }
    hr_text_puts(out, "<b>");
    hr_number_text((double)v->suppressed, 0, out);
    hr_text_printf(out, " %s suppressed</b> (", v->suppressed == 1 ? "is" : "are");
    hr_page_share((double)v->suppressed / (double)v->input, out);
    hr_text_puts(out, ").</p>\n");
    say_reasons(a, out);
    say_people(v, out);
}

/* ---- loss ---- */

static void say_loss(const hr_account *a, bool owner, hr_text *out) {
    const hr_account_verdict *v = &a->verdict;
    double loss = owner ? v->loss : v->loss_released;
    hr_text_puts(out, owner ? "<p>The release lost <b>" : "<p>The released rows lost <b>");
    hr_page_share(loss, out);
    hr_text_printf(out, "</b> of the precision of the identifying columns (%s %.4f of 1",
                   v->means ? "squared error, SSE/SST," : "NTIL", loss);
    hr_text_printf(out, "; 0: every value as in the original, 1: %s).</p>\n",
                   v->means ? "one mean for all rows" : "every value withheld");
    if (!owner) return;
    const char *of = v->gap_of_rows ? " of the same rows" : "";
    if (isnan(v->gap))
        hr_text_puts(out, "<p>How near this is to the least possible loss is not known: no bound "
                          "was computed.</p>\n");
    else if (v->gap == 0)
        hr_text_printf(
            out, "<p>No release%s with the same promises loses less: this is proved.</p>\n", of);
    else if (v->gap <= 1)
        hr_text_printf(out,
                       "<p>That is at most <b>%.1f %%</b> above the least that any release%s with "
                       "the same promises must lose: none can lose less than %.4f. This is "
                       "proved.</p>\n",
                       ceil(v->gap * 1000) / 10, of, floor(loss / (1 + v->gap) * 1e4) / 1e4);
    else
        hr_text_puts(out, "<p>How near this is to the least possible loss is not known: the bound "
                          "that was proved is less than half of it.</p>\n");
}

static void say_most_lost(const hr_account *a, hr_text *out) {
    const hr_account_attribute *worst = NULL;
    size_t alike = 0; /* columns that lost as much as the worst */
    for (size_t j = 0; j < a->attribute_count; j++)
        if (a->attributes[j].loss > (worst ? worst->loss : 0)) worst = &a->attributes[j];
    for (size_t j = 0; j < a->attribute_count; j++)
        alike += worst && a->attributes[j].loss == worst->loss;
    if (alike != 1 || a->attribute_count < 2) return;
    hr_text_puts(out, "<p>The column that lost most is <b>");
    hr_html_text(out, worst->name);
    hr_text_puts(out, "</b>, with ");
    hr_page_share(worst->loss, out);
    hr_text_puts(out, ".</p>\n");
}

/* ---- what can be learned ---- */

static void say_risk(const hr_account *a, hr_text *out) {
    hr_text_printf(out,
                   "<p>Somebody who knows all the identifying columns of %s in the release "
                   "picks the right %s ",
                   a->verdict.unit ? "a row" : "a person", hr_page_counted(a, true));
    if (a->after.largest == 1)
        hr_text_puts(out, "<b>with certainty</b> in the worst case");
    else
        hr_text_printf(out, "with a probability of <b>at most 1 in %.0f</b>", 1 / a->after.largest);
    hr_text_printf(out, ", and 1 in %.3g on average.</p>\n", 1 / a->after.mean);
}

/* Says how many rows the sets of columns in `keys` single out: counted, not enforced. */
static void say_keys(const hr_account *a, hr_text *out) {
    if (!a->verdict.key_count) return;
    hr_text_puts(out, "<p>Somebody may know only some released columns. With equal values in these "
                      "there are:</p>\n<ul>");
    for (size_t i = 0; i < a->verdict.key_count; i++) {
        hr_text_puts(out, "<li>");
        hr_html_text(out, a->verdict.keys[i]);
        hr_text_puts(out, "</li>");
    }
    hr_text_puts(out, "</ul>\n");
}

static void say_guess(const hr_account_guess *guess, bool range, hr_text *out) {
    if (guess->share == 0) return;
    hr_text_puts(out, "<p>In the worst group <b>");
    hr_page_share(guess->share, out);
    hr_text_printf(out, "</b> of the rows have %s of ",
                   range ? "values in one range" : "one value");
    hr_html_text(out, guess->name);
    hr_text_printf(out,
                   ", so whoever knows that a person is in that group guesses the %s with that "
                   "probability, without picking a row.</p>\n",
                   range ? "range" : "value");
}

static void say_unique(const hr_account *a, hr_text *out) {
    if (!a->verdict.unique_names) return;
    hr_text_puts(out, "<p class=\"alarm\"><b>Look at ");
    hr_html_text(out, a->verdict.unique_names);
    hr_text_puts(out,
                 ":</b> most rows have a value of their own there. Whoever knows that value of "
                 "a person finds the row, whatever k is.</p>\n");
}

void hr_page_verdict(const hr_account *a, hr_text *out) {
    hr_text_puts(out, "<section>\n<h2>In short</h2>\n<div class=\"cards\">\n");
    open_item("What holds", out);
    say_models(a, out);
    say_boundaries(a, out);
    say_achieved(a, true, out);
    close_item(out);
    open_item("Which rows are missing", out);
    say_rows(a, out);
    close_item(out);
    open_item("What it cost", out);
    say_loss(a, true, out);
    say_most_lost(a, out);
    close_item(out);
    open_item("What an outsider could still learn", out);
    say_risk(a, out);
    say_keys(a, out);
    say_guess(&a->verdict.guess, false, out);
    say_guess(&a->verdict.range, true, out);
    say_unique(a, out);
    close_item(out);
    hr_text_puts(out, "</div>\n</section>\n");
}

void hr_page_public_verdict(const hr_account *a, hr_text *out) {
    hr_text_puts(out, "<section>\n<h2>In short</h2>\n<div class=\"cards\">\n");
    open_item("What holds", out);
    say_models(a, out);
    say_achieved(a, false, out);
    close_item(out);
    open_item("What it cost", out);
    say_loss(a, false, out);
    close_item(out);
    hr_text_puts(out, "</div>\n</section>\n");
}
