/* page_attributes.c - the quasi-identifiers: how precisely they are published, and each of them
 * before and after. */
#include "report/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    STACKS = 64,       /* attributes in one chart */
    PARTS = 16,        /* levels of one attribute */
    OUTLINE_MOST = 26, /* nodes of a tree that is drawn as an outline */
    BARS_MOST = HR_GROUPS_MOST
};

/* ---- precision of all attributes ---- */

/* Texts that a chart borrows until it is drawn: an arena without failures of its own. */
typedef struct {
    hr_arena arena;
    bool failed;
} keeper;

static const char *keep(keeper *k, hr_text *text) {
    char *copy = text->failed || !text->data
                     ? NULL
                     : hr_arena_text(&k->arena, text->data, text->length, NULL);
    k->failed |= !copy;
    hr_text_free(text);
    return copy ? copy : "";
}

/* "decade: 4,120 rows (41 %)" */
static const char *level_tip(keeper *k, const hr_account_level *level, double share) {
    hr_text text = {0};
    hr_text_printf(&text, "%s: ", level->name);
    hr_page_count(level->rows, "row", NULL, &text);
    hr_text_puts(&text, " (");
    hr_page_share(share, &text);
    hr_text_puts(&text, ")");
    return keep(k, &text);
}

/* The shorter of these that fit: "decade: 41 %", "41 %". The chart leaves out what does not fit. */
static const char *level_text(keeper *k, const hr_account_level *level, double share) {
    hr_text text = {0};
    hr_text_printf(&text, "%s: ", level->name);
    hr_page_share(share, &text);
    bool fits = !text.failed && hr_label_width(text.data) + 8 < share * 225;
    if (fits) return keep(k, &text);
    hr_text_free(&text);
    hr_page_share(share, &text);
    return keep(k, &text);
}

static size_t fill_parts(keeper *k, const hr_account_attribute *a, uint64_t released,
                         hr_stack_part *parts) {
    size_t count = 0;
    for (size_t l = 0; l < a->level_count && count < PARTS; l++) {
        const hr_account_level *level = &a->levels[l];
        if (!level->rows) continue;
        double share = (double)level->rows / (double)released;
        parts[count++] = (hr_stack_part){.share = share,
                                         .shade = (int)rint((1 - level->coarse) * (HR_SHADES - 1)),
                                         .text = level_text(k, level, share),
                                         .tip = level_tip(k, level, share)};
    }
    return count;
}

static void draw_precision(const hr_account *account, hr_text *out) {
    hr_stack_part(*parts)[PARTS] = hr_alloc(STACKS, sizeof *parts, NULL);
    hr_stack stacks[STACKS];
    keeper k = {.failed = !parts};
    size_t count = account->attribute_count < STACKS ? account->attribute_count : STACKS;
    for (size_t j = 0; j < count && parts; j++) {
        const hr_account_attribute *a = &account->attributes[j];
        stacks[j] = (hr_stack){.label = a->name, .parts = parts[j]};
        stacks[j].count = fill_parts(&k, a, account->verdict.released, parts[j]);
    }
    hr_page_figure(NULL, out);
    if (parts)
        hr_stacks_svg("How precisely each column is published",
                      "One bar for each column, divided by the share of released rows that are "
                      "published at each level.",
                      stacks, count, out);
    hr_page_caption(
        "Released rows by the level at which they are published: the stronger the shade, "
        "the more precise the level.",
        out);
    out->failed |= k.failed;
    hr_arena_free(&k.arena);
    free(parts);
}

/* "year: 0.9 %; 5 years: 22 %; withheld: 45 %" */
static void list_levels(const hr_account *account, const hr_account_attribute *a, hr_text *out) {
    const char *separator = "";
    for (size_t l = 0; l < a->level_count; l++) {
        if (!a->levels[l].rows) continue;
        hr_text_puts(out, separator);
        hr_html_text(out, a->levels[l].name);
        hr_text_puts(out, ": ");
        hr_page_share((double)a->levels[l].rows / (double)account->verdict.released, out);
        separator = "; ";
    }
}

static void table_of_attributes(const hr_account *account, bool owner, hr_text *out) {
    hr_text_printf(
        out,
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">column</th><th "
        "scope=\"col\">loss</th><th scope=\"col\" class=\"words\">%s</th>%s</tr></thead><tbody>\n",
        owner ? "boundary" : "published as", owner ? "<th scope=\"col\">change</th>" : "");
    for (size_t j = 0; j < account->attribute_count; j++) {
        const hr_account_attribute *a = &account->attributes[j];
        hr_page_row(a->name, NULL, out);
        hr_text_puts(out, "<td>");
        double loss = owner ? a->loss : a->loss_released;
        if (isnan(loss))
            hr_text_puts(out, "–");
        else
            hr_text_printf(out, "%.4f", loss);
        hr_text_puts(out, owner ? "</td><td class=\"words\">" : "</td><td class=\"words list\">");
        if (owner)
            hr_html_text(out, a->boundary ? a->boundary : "none");
        else
            list_levels(account, a, out);
        hr_text_puts(out, "</td>");
        if (owner) hr_text_printf(out, "<td>%.4f</td>", a->variation);
        hr_text_puts(out, "</tr>\n");
    }
    hr_text_puts(out, "</tbody></table></div>\n");
}

void hr_page_precision(const hr_account *account, bool owner, hr_text *out) {
    hr_text_puts(out, "<section>\n<h2>How precisely each column is published</h2>\n"
                      "<div class=\"charts wide\">\n");
    draw_precision(account, out);
    hr_text_puts(out, "<div>");
    table_of_attributes(account, owner, out);
    hr_text_puts(
        out,
        account->verdict.means
            ? "<p class=\"note\">Loss: 0, every value as in the original; 1, one mean for all rows."
            : "<p class=\"note\">Loss: 0, every value as in the original; 1, every value "
              "withheld.");
    if (owner && !account->verdict.means) hr_text_puts(out, " A suppressed row counts as 1.");
    if (owner)
        hr_text_puts(out, " Change: how far the distributions before "
                          "and after, charted below, are apart (total variation): 0, they are the "
                          "same; 0.1, a tenth of the rows would have to move to another group.");
    hr_text_puts(out, "</p></div>\n</div>\n</section>\n");
}

/* ---- one attribute ---- */

static const char *share_text(keeper *k, double share) {
    hr_text text = {0};
    hr_page_share(share, &text);
    return keep(k, &text);
}

static const char *value_tip(keeper *k, const hr_account_value *value) {
    hr_text text = {0};
    hr_text_puts(&text, value->label ? value->label : "");
    hr_text_puts(&text, value->label ? ": original " : "original ");
    hr_page_share(value->before, &text);
    hr_text_puts(&text, ", release ");
    hr_page_share(value->after, &text);
    return keep(k, &text);
}

static void draw_bars(keeper *k, const hr_account_attribute *a, const char *name, hr_text *out) {
    static const char *const series[] = {"release", "original"};
    hr_bar bars[BARS_MOST];
    size_t count = 0;
    for (size_t i = 0; i < a->value_count && count < BARS_MOST; i++) {
        const hr_account_value *v = &a->values[i];
        if (v->before == 0 && v->after < 0.0005) continue; /* leaves that no row has */
        bars[count++] = (hr_bar){.label = *v->label ? v->label : "(empty)",
                                 .values = {v->after, v->before},
                                 .texts = {share_text(k, v->after), share_text(k, v->before)},
                                 .tip = value_tip(k, v)};
    }
    hr_bar_chart chart = {.name = name,
                          .about = "For each group of values its share of the rows, in the release "
                                   "and in the original.",
                          .series = series,
                          .series_count = 2,
                          .bars = bars,
                          .count = count};
    hr_bars_svg(&chart, out);
}

static void draw_numbers(keeper *k, const hr_account_attribute *a, const char *name, hr_text *out) {
    hr_bin bins[BARS_MOST];
    for (size_t i = 0; i < a->value_count; i++)
        bins[i] = (hr_bin){.from = a->edges[i],
                           .to = a->edges[i + 1],
                           .before = a->values[i].before,
                           .after = a->values[i].after,
                           .tip = value_tip(k, &a->values[i])};
    hr_histogram histogram = {.name = name,
                              .about =
                                  "Shares of the rows in ranges of equal width, in the release "
                                  "(columns) and in the original (outline).",
                              .x_label = a->name,
                              .y_label = "share of rows",
                              .percent = true,
                              .bins = bins,
                              .count = a->value_count,
                              .cuts = a->cuts,
                              .cut_count = a->cut_count};
    hr_histogram_svg(&histogram, out);
}

static void draw_distribution(keeper *k, const hr_account_attribute *a, hr_text *out) {
    hr_text name = {0};
    hr_text_printf(&name, "%s: distribution before and after", a->name);
    const char *kept = keep(k, &name);
    hr_page_figure(NULL, out);
    if (a->edges)
        draw_numbers(k, a, kept, out);
    else
        draw_bars(k, a, kept, out);
    hr_page_caption(
        a->edges && a->cut_count
            ? "Original (outline) and release (columns); no interval crosses a boundary "
              "(orange lines)."
        : a->edges ? "Original (outline) and release (columns)."
                   : "Share of the rows with each value.",
        out);
}

static const char *node_tip(keeper *k, const hr_account_node *node) {
    hr_text text = {0};
    hr_text_printf(&text, "%s: ", *node->label ? node->label : "(empty)");
    hr_page_count(node->rows, "row", NULL, &text);
    hr_text_puts(&text, " of the original; ");
    hr_page_count(node->published, "row", NULL, &text);
    hr_text_puts(&text, " published so");
    return keep(k, &text);
}

/* The share of released rows that are published as the node, in few characters. */
static const char *node_figure(keeper *k, double share) {
    if (share > 0 && share < 0.001) return "<0.1\u00a0%";
    if (share < 1 && share > 0.999) return ">99.9\u00a0%";
    return share_text(k, share);
}

static void draw_tree(keeper *k, const hr_account *account, const hr_account_attribute *a,
                      hr_text *out) {
    hr_tree_node *nodes = hr_alloc(a->node_count, sizeof *nodes, NULL);
    double rows = a->node_count && a->nodes[0].rows ? (double)a->nodes[0].rows : 1;
    double released = account->verdict.released ? (double)account->verdict.released : 1;
    bool bounded = false;
    k->failed |= !nodes;
    for (size_t i = 0; i < a->node_count && nodes; i++) {
        const hr_account_node *node = &a->nodes[i];
        bounded |= node->boundary && i > 0;
        nodes[i] = (hr_tree_node){.label = node->label,
                                  .parent = node->parent,
                                  .depth = node->depth,
                                  .rows = (double)node->rows / rows,
                                  .published = (double)node->published / rows,
                                  .boundary = node->boundary,
                                  .left_out = node->left_out,
                                  .figure = node_figure(k, (double)node->published / released),
                                  .tip = node_tip(k, node)};
    }
    bounded &= !account->verdict.count_boundaries || a->boundary;
    hr_text name = {0};
    hr_text_printf(&name, "%s: the tree of its values", a->name);
    hr_tree_chart chart = {.name = keep(k, &name),
                           .about = "The hierarchy, with the rows of each node and those that are "
                                    "published as the node.",
                           .nodes = nodes,
                           .count = nodes ? a->node_count : 0,
                           .bounded = bounded};
    bool outline = a->node_count <= OUTLINE_MOST;
    hr_text caption = {0};
    hr_page_figure(NULL, out);
    (outline ? hr_tree_svg : hr_icicle_svg)(&chart, out);
    hr_text_puts(&caption,
                 outline ? "The tree. Percentages: released rows that are published as the node."
                         : "The tree, its root on top. Each node is as wide as its rows; "
                           "the stronger its shade, the more rows are published as it.");
    if (bounded)
        hr_text_puts(&caption, outline ? " ◆ boundary: nothing is generalized past it."
                                       : " Nothing is generalized past the thick line.");
    if (a->pruned) hr_text_puts(&caption, " Nodes with under 0.4 % of the rows are not drawn.");
    hr_page_caption(keep(k, &caption), out);
    free(nodes);
}

/* The levels of one attribute as a table. */
static void table_of_levels(const hr_account *account, const hr_account_attribute *a,
                            hr_text *out) {
    uint64_t released = account->verdict.released;
    hr_text_puts(
        out,
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">published</th>"
        "<th scope=\"col\">rows</th><th scope=\"col\">share</th></tr></thead>"
        "<tbody>\n");
    for (size_t l = 0; l < a->level_count; l++) {
        if (!a->levels[l].rows) continue;
        hr_text_puts(out, "<tr><th scope=\"row\">");
        hr_html_text(out, a->levels[l].name);
        hr_text_puts(out, "</th><td>");
        hr_number_text((double)a->levels[l].rows, 0, out);
        hr_text_puts(out, "</td><td>");
        hr_page_share((double)a->levels[l].rows / (double)released, out);
        hr_text_puts(out, "</td></tr>\n");
    }
    hr_text_puts(out, "</tbody></table></div>\n");
    if (a->violations) {
        hr_text_puts(out, "<p class=\"note\">");
        hr_page_count(a->violations, "value lies", "values lie", out);
        hr_text_puts(out, " past the boundary.</p>\n");
    }
}

void hr_page_attributes(const hr_account *account, hr_text *out) {
    keeper k = {0};
    hr_text_puts(out, "<section>\n<h2>Each column before and after</h2>\n<p class=\"soft\">A "
                      "published value that covers several values counts as all of them in equal "
                      "parts. The original has all rows; the release has those that are not "
                      "suppressed.</p>\n");
    for (size_t j = 0; j < account->attribute_count; j++) {
        const hr_account_attribute *a = &account->attributes[j];
        hr_text_puts(out, "<div class=\"block\"><h3>");
        hr_html_text(out, a->name);
        hr_text_puts(out, "</h3>\n<div class=\"charts\">\n");
        if (a->value_count) draw_distribution(&k, a, out);
        if (a->node_count) draw_tree(&k, account, a, out);
        hr_text_puts(out, "<div>");
        table_of_levels(account, a, out);
        hr_text_puts(out, "</div>\n");
        hr_text_puts(out, "</div></div>\n");
    }
    hr_text_puts(out, "</section>\n");
    out->failed |= k.failed;
    hr_arena_free(&k.arena);
}
