/* page_classes.c - the classes: their sizes, the risk, classes in which a sensitive value is
 * frequent; and the suppressed rows by value. */
#include "report/page/page.h"

#include <math.h>
#include <string.h>

/* ---- sizes ---- */

enum { BINS = 25 };

/* The size that all but a few classes do not exceed; larger classes are not drawn. */
static uint32_t drawn_size(const hr_account *a) {
    uint64_t total = 0, so_far = 0;
    for (size_t i = 0; i < a->size_count; i++)
        total += a->sizes[i].classes;
    uint32_t largest = a->sizes[a->size_count - 1].size;
    for (size_t i = 0; i < a->size_count; i++) {
        so_far += a->sizes[i].classes;
        uint32_t size = a->sizes[i].size;
        if (so_far * 100 >= total * 98 && largest > 3 * (uint64_t)size) return size;
    }
    return largest;
}

/* Whole sizes per bin: 1, 2, 5, 10, ... */
static uint32_t bin_width(uint32_t range) {
    uint32_t power = 1;
    for (;; power *= 10)
        for (uint32_t factor = 1; factor <= 5; factor += factor == 1 ? 1 : 3)
            if ((uint64_t)factor * power * BINS > range) return factor * power;
}

static void draw_sizes(const hr_account *a, uint32_t most, hr_text *out) {
    hr_bin bins[BINS + 1] = {0};
    char tips[BINS + 1][64];
    uint32_t least = a->sizes[0].size, width = bin_width(most - least + 1);
    size_t count = (most - least) / width + 1;
    for (size_t b = 0; b < count; b++)
        bins[b] = (hr_bin){.from = least + (double)b * width - 0.5,
                           .to = least + (double)(b + 1) * width - 0.5,
                           .before = NAN};
    for (size_t i = 0; i < a->size_count; i++)
        if (a->sizes[i].size <= most)
            bins[(a->sizes[i].size - least) / width].after += a->sizes[i].classes;
    for (size_t b = 0; b < count; b++) {
        uint32_t from = least + (uint32_t)b * width;
        if (width == 1)
            snprintf(tips[b], sizeof tips[b], "%u row%s: %.0f class%s", from, from == 1 ? "" : "s",
                     bins[b].after, bins[b].after == 1 ? "" : "es");
        else
            snprintf(tips[b], sizeof tips[b], "%u to %u rows: %.0f class%s", from, from + width - 1,
                     bins[b].after, bins[b].after == 1 ? "" : "es");
        bins[b].tip = tips[b];
    }
    hr_histogram histogram = {.name = "Sizes of the classes",
                              .about = "How many classes have how many rows.",
                              .x_label = "rows of a class",
                              .y_label = "classes",
                              .whole = true,
                              .bins = bins,
                              .count = count};
    hr_histogram_svg(&histogram, out);
}

void hr_page_sizes(const hr_account *a, hr_text *out) {
    if (a->size_count == 0) return;
    uint32_t most = drawn_size(a), largest = a->sizes[a->size_count - 1].size, beyond = 0;
    hr_text caption = {0};
    for (size_t i = 0; i < a->size_count; i++)
        if (a->sizes[i].size > most) beyond += a->sizes[i].classes;
    hr_text_puts(out, "<section>\n<h2>How large the classes are</h2>\n<div class=\"charts\">\n");
    hr_page_figure(NULL, out);
    draw_sizes(a, most, out);
    hr_text_puts(&caption, "Classes by their number of rows.");
    if (beyond) {
        hr_text_puts(&caption, " Not drawn: ");
        hr_page_count(beyond, "class", "classes", &caption);
        hr_text_puts(&caption, " of up to ");
        hr_page_count(largest, "row", NULL, &caption);
        hr_text_puts(&caption, ".");
    }
    hr_page_caption(caption.failed ? "" : caption.data, out);
    out->failed |= caption.failed;
    hr_text_free(&caption);
    hr_text_puts(out, "<div><p>A class is a set of rows that are published with the same values in "
                      "all identifying columns. There are <b>");
    hr_page_count(a->verdict.classes, "class", "classes", out);
    hr_text_puts(out, "</b>; the smallest has <b>");
    hr_page_count(a->sizes[0].size, "row", NULL, out);
    hr_text_puts(out, "</b>, the largest ");
    hr_number_text(largest, 0, out);
    hr_text_printf(out, ", and the mean is %.1f.</p></div>\n</div>\n</section>\n",
                   (double)a->verdict.released / (a->verdict.classes ? a->verdict.classes : 1));
}

/* ---- the worst classes ---- */

static void draw_worst(const hr_account_sensitive *s, hr_text *out) {
    static const char *const ranks[HR_RANKS] = {"most frequent", "second", "third", "fourth"};
    hr_stack stacks[HR_WORST_MOST];
    hr_stack_part parts[HR_WORST_MOST][HR_RANKS + 1];
    char labels[HR_WORST_MOST][48], texts[HR_WORST_MOST][16], tips[HR_WORST_MOST][HR_RANKS + 1][64];
    for (size_t i = 0; i < s->worst_count; i++) {
        const hr_account_class *c = &s->worst[i];
        double rest = 1;
        size_t count = 0;
        snprintf(labels[i], sizeof labels[i], "%zu: %u row%s, %u value%s", i + 1, c->size,
                 c->size == 1 ? "" : "s", c->distinct, c->distinct == 1 ? "" : "s");
        snprintf(texts[i], sizeof texts[i], "%.0f %%", 100 * c->share[0]);
        for (size_t r = 0; r < HR_RANKS && c->share[r] > 0; r++) {
            snprintf(tips[i][r], sizeof tips[i][r], "%s value: %.1f %% of the class", ranks[r],
                     100 * c->share[r]);
            parts[i][count++] = (hr_stack_part){.share = c->share[r],
                                                .shade = HR_SHADES - 1 - (int)r,
                                                .text = r == 0 ? texts[i] : NULL,
                                                .tip = tips[i][r]};
            rest -= c->share[r];
        }
        snprintf(tips[i][HR_RANKS], sizeof tips[i][HR_RANKS], "all others: %.1f %% of the class",
                 100 * fmax(rest, 0));
        if (rest > 1e-9)
            parts[i][count++] = (hr_stack_part){.share = rest, .tip = tips[i][HR_RANKS]};
        stacks[i] = (hr_stack){.label = labels[i], .parts = parts[i], .count = count};
    }
    hr_text name = {0};
    hr_text_printf(&name, "%s: classes with the most frequent values", s->name);
    hr_stacks_svg(name.failed ? "" : name.data,
                  "One bar for each class, divided by the shares of its most frequent value, the "
                  "second, the third, the fourth and all others. The values are not named.",
                  stacks, s->worst_count, out);
    out->failed |= name.failed;
    hr_text_free(&name);
}

void hr_page_worst(const hr_account *a, hr_text *out) {
    if (!a->sensitive_count) return;
    hr_text_puts(
        out,
        "<section>\n<h2>Where a guess is easiest</h2>\n<p>The classes in which one value of a "
        "sensitive column is most frequent. The first part of a bar is the share of that value: "
        "the probability that a guess about a person of the class is right. The next parts are "
        "the second, third and fourth value; the last, faintest part is all others and missing "
        "values. Values are ranked, not named.</p>\n<div class=\"charts\">\n");
    for (size_t l = 0; l < a->sensitive_count; l++) {
        const hr_account_sensitive *s = &a->sensitive[l];
        hr_text caption = {0};
        if (!s->worst_count) continue;
        hr_page_figure(s->name, out);
        draw_worst(s, out);
        hr_text_puts(&caption, s->binned ? "Shares of ranges of numbers." : "Shares of values.");
        if (s->certain) {
            hr_text_puts(&caption, " ");
            hr_page_count(s->certain, "class has", "classes have", &caption);
            hr_text_puts(&caption, " a single value.");
        }
        hr_page_caption(caption.failed ? "" : caption.data, out);
        out->failed |= caption.failed;
        hr_text_free(&caption);
    }
    hr_text_puts(out, "</div>\n</section>\n");
}

/* ---- risk ---- */

static void risk_row(const char *what, double before, double after, bool owner, bool share,
                     hr_text *out) {
    hr_text_printf(out, "<tr><th scope=\"row\">%s</th>", what);
    for (int i = owner ? 0 : 1; i < 2; i++) {
        double value = i == 0 ? before : after;
        hr_text_puts(out, "<td>");
        if (share)
            hr_page_share(value, out);
        else
            hr_text_printf(out, "%.4f", value);
        hr_text_puts(out, "</td>");
    }
    hr_text_puts(out, "</tr>\n");
}

static void risk_table(const hr_account *a, bool owner, hr_text *out) {
    const hr_account_risk *b = &a->before, *r = &a->after;
    hr_text_printf(
        out,
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">probability of "
        "picking the right %s</th>%s<th scope=\"col\">release</th></tr></thead>"
        "<tbody>\n",
        hr_page_counted(a, true), owner ? "<th scope=\"col\">original</th>" : "");
    risk_row("largest", b->largest, r->largest, owner, false, out);
    risk_row("mean", b->mean, r->mean, owner, false, out);
    for (size_t i = 0; i < HR_THRESHOLDS; i++) {
        char what[64];
        snprintf(what, sizeof what, "share of %s above %g", hr_page_counted(a, false),
                 hr_risk_thresholds[i]);
        risk_row(what, b->above[i], r->above[i], owner, true, out);
    }
    char unlike[64];
    snprintf(unlike, sizeof unlike, "share of %s that are unique", hr_page_counted(a, false));
    if (owner)
        risk_row(unlike, (double)b->unique / (double)(b->rows ? b->rows : 1),
                 (double)r->unique / (double)(r->rows ? r->rows : 1), owner, true, out);
    hr_text_puts(out, "</tbody></table></div>\n");
}

static void draw_risk(const hr_account *a, hr_text *out) {
    static const char *const series[] = {"release", "original"};
    hr_bar bars[HR_THRESHOLDS];
    char labels[HR_THRESHOLDS][32];
    hr_text texts[HR_THRESHOLDS][2] = {0};
    for (size_t i = 0; i < HR_THRESHOLDS; i++) {
        snprintf(labels[i], sizeof labels[i], "above %g", hr_risk_thresholds[i]);
        hr_page_share(a->after.above[i], &texts[i][0]);
        hr_page_share(a->before.above[i], &texts[i][1]);
        out->failed |= texts[i][0].failed || texts[i][1].failed;
        bars[i] = (hr_bar){.label = labels[i],
                           .values = {a->after.above[i], a->before.above[i]},
                           .texts = {texts[i][0].data, texts[i][1].data}};
    }
    hr_bar_chart chart = {.name = a->verdict.unit ? "People at risk" : "Rows at risk",
                          .about = "Shares with a risk above each threshold, in the release and in "
                                   "the original.",
                          .series = series,
                          .series_count = 2,
                          .bars = bars,
                          .count = HR_THRESHOLDS,
                          .most = 1};
    hr_page_figure(NULL, out);
    hr_bars_svg(&chart, out);
    hr_page_caption(a->verdict.unit ? "Share of the people with a risk above each threshold."
                                    : "Share of the rows with a risk above each threshold.",
                    out);
    for (size_t i = 0; i < HR_THRESHOLDS; i++) {
        hr_text_free(&texts[i][0]);
        hr_text_free(&texts[i][1]);
    }
}

static void explain_thresholds(const hr_account *a, hr_text *out) {
    hr_text_puts(
        out,
        "<p>Who uses these thresholds: <b>0.09</b> stands for groups of at least 11. The European "
        "Medicines Agency (guidance on Policy 0070) and Health Canada (Public Release of Clinical "
        "Information) name it for clinical documents that they publish, and 11 is the smallest "
        "cell that the US Centers for Medicare and Medicaid Services let their data users show. "
        "<b>0.2</b> stands for groups of at least 5, a common rule of data custodians for data "
        "that are shared under an agreement; <b>0.05</b> for groups of at least 20, which some "
        "custodians ask for where data are public. <b>Hedgerow does not decide what is enough:</b> "
        "that depends on who gets the data, under which terms, and on what the data are "
        "about.</p>\n");
    if (a->after.above[1] > a->after.below_eleven) {
        hr_text_puts(
            out, "<p class=\"note\">1/11 is 0.0909, so classes of exactly 11 count as above 0.09 "
                 "here; ");
        hr_page_share(a->after.below_eleven, out);
        hr_text_printf(out, " of the released %s are in classes of fewer than 11.</p>\n",
                       hr_page_counted(a, false));
    }
}

void hr_page_risk(const hr_account *a, bool owner, hr_text *out) {
    hr_text_printf(out, "<section>\n<h2>Risk of being found%s</h2>\n",
                   owner ? ", before and after" : "");
    hr_text_printf(out,
                   "<p>If an outsider knows all identifying columns of a person who is in the "
                   "data, that person is one of the %s that look alike: with n of them, the right "
                   "one is picked with probability 1/n.</p>\n<div class=\"charts wide\">\n",
                   hr_page_counted(a, false));
    if (owner) draw_risk(a, out);
    hr_text_puts(out, "<div>");
    risk_table(a, owner, out);
    if (a->verdict.unit)
        hr_text_puts(out, "<p class=\"note\">A person with rows in several groups that look alike "
                          "counts once in each of them.</p>\n");
    if (owner && a->verdict.unique_names) {
        hr_text_puts(out, "<p class=\"note\">For readers who do not know ");
        hr_html_text(out, a->verdict.unique_names);
        hr_text_puts(out, ". Most rows have a value of their own there, which finds the row.</p>");
    }
    hr_text_puts(out, "</div>\n</div>\n");
    explain_thresholds(a, out);
    hr_text_puts(out, "</section>\n");
}

/* ---- suppressed rows by value ---- */

enum { LOST_MOST = 8 };

static double lost_share(const hr_lost_value *v) {
    return (double)v->lost / (double)v->rows;
}

/* The greatest share that any value of any attribute loses: the scale of all charts, so that bars
 * of different attributes can be compared. */
static double greatest_loss(const hr_lost *lost) {
    const hr_lost_value *v;
    double most = 0;
    for (size_t i = 0; (v = hr_lost_at(lost, i)); i++)
        if (v->lost) most = fmax(most, lost_share(v));
    return most;
}

/* Draws the values of one attribute, which begin at number `first`; returns the number after. */
static size_t draw_lost(const hr_lost *lost, size_t first, double most, hr_text *out) {
    static const char *const series[] = {"suppressed"};
    const char *name = hr_lost_at(lost, first)->name;
    hr_bar bars[LOST_MOST];
    hr_text texts[LOST_MOST] = {0};
    size_t count = 0, more = 0, i = first;
    const hr_lost_value *v;
    for (; (v = hr_lost_at(lost, i)) && !strcmp(v->name, name); i++) {
        if (v->lost == 0) continue;
        if (count == LOST_MOST) {
            more++;
            continue;
        }
        hr_page_share(lost_share(v), &texts[count]);
        hr_text_puts(&texts[count], " (");
        hr_number_text((double)v->lost, 0, &texts[count]);
        hr_text_puts(&texts[count], ")");
        out->failed |= texts[count].failed;
        bars[count] = (hr_bar){.label = !v->value   ? "(missing)"
                                        : *v->value ? v->value
                                                    : "(empty)",
                               .values = {lost_share(v), 0},
                               .texts = {texts[count].data, NULL}};
        count++;
    }
    hr_text title = {0};
    hr_text_printf(&title, "Suppressed rows by %s", name);
    hr_bar_chart chart = {.name = title.failed ? "" : title.data,
                          .about = "Share of the rows of each value that are suppressed, and their "
                                   "number.",
                          .series = series,
                          .series_count = 1,
                          .bars = bars,
                          .count = count,
                          .most = most};
    if (count) {
        hr_page_figure(name, out);
        hr_bars_svg(&chart, out);
        hr_text caption = {0};
        if (more)
            hr_text_printf(&caption, "The %d values that lose the greatest share.", LOST_MOST);
        else
            hr_text_puts(&caption, "Share of the rows of each value that are suppressed.");
        hr_page_caption(caption.failed ? "" : caption.data, out);
        hr_text_free(&caption);
    }
    out->failed |= title.failed;
    hr_text_free(&title);
    for (size_t b = 0; b < count; b++)
        hr_text_free(&texts[b]);
    return i;
}

void hr_page_lost(const hr_account *a, const hr_lost *lost, hr_text *out) {
    hr_text_puts(out, "<section>\n<h2>Who is suppressed</h2>\n");
    if (!a->verdict.suppressed || !lost) {
        hr_text_puts(out, "<p>Nobody: every row of the original is released.</p>\n</section>\n");
        return;
    }
    hr_text_puts(out, "<p>Of the rows with each value, the share that is suppressed, and how many "
                      "rows that is. Over all rows it is ");
    hr_page_share((double)a->verdict.suppressed / (double)a->verdict.input, out);
    hr_text_puts(out, ". Groups that lose a larger share are underrepresented in the "
                      "release. All charts have the same scale.</p>\n<div class=\"charts\">\n");
    const double most = greatest_loss(lost);
    for (size_t i = 0; hr_lost_at(lost, i);)
        i = draw_lost(lost, i, most, out);
    hr_text_puts(out, "</div>\n</section>\n");
}
