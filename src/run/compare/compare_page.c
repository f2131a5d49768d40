/* compare_page.c - a comparison as one self-contained HTML file, without scripts and external
 * resources: first the runs worth choosing, then curves, then a table of all runs. */
#include "run/compare/compare_page.h"

#include "report/chart.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char page_css[] =
    ":root{color-scheme:light dark;--bg:#fff;--fg:#1d2126;--soft:#5c6670;--panel:#f5f6f8;"
    "--best:#e3f1e6}\n"
    "@media (prefers-color-scheme:dark){:root{--bg:#14181c;--fg:#e6e9ed;--soft:#a3adb8;"
    "--panel:#1d2329;--best:#1d3a28}}\n"
    "body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:80rem;background:var(--bg);"
    "color:var(--fg);font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:0 0 .3rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.2rem;margin:2.2rem 0 .3rem}\n"
    "p{margin:.3rem 0 .8rem;max-width:46rem}.soft,figcaption{color:var(--soft)}\n"
    ".charts{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),"
    "1fr))}\n"
    "figure{margin:0;padding:.6rem .6rem .3rem;background:var(--panel);border-radius:.5rem;"
    "max-width:36rem}\n"
    "figcaption{font-size:.9rem;text-align:center}\n"
    ".legend{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;list-style:none;margin:.2rem 0 .8rem;"
    "padding:0;font-size:.9rem}.legend svg{vertical-align:-2px;margin-right:.4rem}\n"
    "details{margin:.8rem 0}summary{cursor:pointer;color:var(--soft);margin-bottom:.6rem}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.875rem;"
    "font-variant-numeric:tabular-nums}\n"
    "th,td{padding:.22rem .6rem;text-align:right;border-bottom:1px solid var(--grid);"
    "white-space:nowrap}th{color:var(--soft);font-weight:600}\n"
    "th:first-child,td:first-child,th:nth-child(2),td:nth-child(2),td.note{text-align:left}\n"
    "td.note{white-space:normal;color:var(--soft);min-width:20rem}tr.best{background:var(--best)}\n"
    ".star{color:var(--s2)}\n";

/* Figures drawn as charts, the most important first. */
static const char *const drawn[] = {"ntil",    "sse_sst", "suppressed", "violations",
                                    "classes", "avg",     "dm",         "seconds"};

static void find_ranges(hr_page *p) {
    for (size_t f = 0; hr_compare_figures[f].name; f++) {
        hr_range *r = &p->ranges[f];
        *r = (hr_range){NAN, NAN};
        for (size_t i = 0; i < p->compare->entry_count; i++) {
            double value = hr_entry_value(&hr_compare_figures[f], &p->compare->entries[i]);
            r->least = fmin(r->least, value); /* fmin and fmax ignore NaN */
            r->most = fmax(r->most, value);
        }
    }
}

/* ---- Tables ---- */

/* The brief table has the figures that are drawn and the bound. */
static bool has_column(const hr_page *p, const hr_figure *figure, bool brief) {
    return hr_page_has(p, figure) &&
           (!brief || figure->title || figure == hr_figure_find("ntil_bound"));
}

static void add_head(const hr_page *p, bool brief, bool notes) {
    hr_text_puts(p->out, "<div class=\"scroll\"><table><thead><tr><th></th><th>algorithm</th>"
                         "<th>k</th><th>p</th>");
    for (const hr_figure *f = hr_compare_figures; f->name; f++)
        if (has_column(p, f, brief)) hr_text_printf(p->out, "<th>%s</th>", f->name);
    hr_text_puts(p->out, notes ? "<th></th></tr></thead><tbody>\n" : "</tr></thead><tbody>\n");
}

static void add_row(const hr_page *p, const hr_compare_entry *entry, bool brief, bool notes) {
    hr_text *out = p->out;
    hr_text_printf(out, "<tr%s><td>%s</td><td>", entry->best ? " class=\"best\"" : "",
                   entry->best ? "<span class=\"star\" title=\"worth choosing\">★</span>" : "");
    hr_html_text(out, entry->algorithm);
    hr_text_printf(out, "</td><td>%lld</td><td>%lld</td>",
                   (long long)(brief ? entry->asked.k : entry->k), (long long)entry->p);
    for (const hr_figure *f = hr_compare_figures; f->name; f++) {
        if (!has_column(p, f, brief)) continue;
        double value = hr_entry_value(f, entry);
        hr_text_puts(out, "<td>");
        if (!isnan(value)) hr_number_text(value, f->digits, out);
        hr_text_puts(out, "</td>");
    }
    if (notes) {
        hr_text_puts(out, "<td class=\"note\">");
        hr_html_text(out, entry->note ? entry->note : "");
        hr_text_puts(out, "</td>");
    }
    hr_text_puts(out, "</tr>\n");
}

static void end_table(const hr_page *p) {
    hr_text_puts(p->out, "</tbody></table></div>\n");
}

static void add_all_runs(const hr_page *p) {
    bool notes = false;
    for (size_t i = 0; i < p->compare->entry_count; i++)
        notes |= p->compare->entries[i].note != NULL;
    hr_text_puts(p->out, "<h2>All runs</h2>\n");
    if (hr_page_has(p, hr_figure_find("ntil_bound")))
        hr_text_printf(p->out, "<p class=\"soft\">ntil_bound: %s.</p>\n", hr_compare_bound_means);
    add_head(p, false, notes);
    for (size_t i = 0; i < p->compare->entry_count; i++)
        add_row(p, &p->compare->entries[i], false, notes);
    end_table(p);
}

/* Is this entry a row of the table of best runs? If several k are raised to the same p, only the
 * last of them is listed. */
static bool is_listed(const hr_compare *c, size_t a, size_t k, size_t p) {
    const hr_compare_entry *entry = hr_compare_at(c, a, k, p);
    bool again =
        k + 1 < c->grid.k_count && hr_compare_at(c, a, k + 1, p)->asked.k == entry->asked.k;
    return entry->best && !again;
}

/* Ordered by k and p, since one chooses these first. */
static void add_best_runs(const hr_page *p) {
    const hr_grid *grid = &p->compare->grid;
    add_head(p, true, false);
    for (size_t k = 0; k < grid->k_count; k++)
        for (size_t i = 0; i < grid->p_count; i++)
            for (size_t a = 0; a < grid->algorithm_count; a++)
                if (is_listed(p->compare, a, k, i))
                    add_row(p, hr_compare_at(p->compare, a, k, i), true, false);
    end_table(p);
}

/* ---- The page ---- */

static void add_top(const hr_page *p, const char *title) {
    hr_text *out = p->out;
    hr_text_puts(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "style-src 'unsafe-inline'\">\n<title>");
    hr_html_text(out, title);
    hr_text_puts(out, ": algorithms compared</title>\n<style>\n");
    hr_text_puts(out, page_css);
    hr_text_puts(out, hr_chart_css);
    hr_text_puts(out, "</style></head><body>\n<h1>");
    hr_html_text(out, title);
    hr_text_puts(out, ": algorithms compared</h1>\n<p class=\"soft\">");
    hr_number_text((double)p->compare->rows, 0, out);
    hr_text_puts(out, " rows. Every run made a release that was verified and not kept. Times are "
                      "without reading, of ");
    hr_compare_threads(p->compare, out);
    hr_text_printf(out, ". Made by hedgerow %s.</p>\n", hr_version());
}

static void add_best(const hr_page *p) {
    bool raised = false;
    for (size_t i = 0; i < p->compare->entry_count; i++)
        raised |= p->compare->entries[i].best &&
                  p->compare->entries[i].asked.k > p->compare->entries[i].k;
    hr_text_puts(
        p->out,
        "<h2>Runs worth choosing</h2>\n<p>For each of these (Pareto-best, ★), no other run here "
        "promises at least as much (k and p) for at most as much loss, suppressed rows and values "
        "past a boundary, and is better in one of these. Take the largest k and p whose loss your "
        "study can bear. In the curves they are the filled marks; point at a mark to read "
        "it.");
    hr_text_puts(p->out,
                 raised ? " A k below p is taken as p, and listed as that.</p>\n" : "</p>\n");
    add_best_runs(p);
}

static hr_status write_page(const hr_page *p, const char *title, hr_error *err) {
    bool done = false;
    for (size_t i = 0; i < p->compare->entry_count; i++)
        done |= p->compare->entries[i].state == HR_ENTRY_DONE;
    add_top(p, title);
    if (done)
        add_best(p);
    else
        hr_text_puts(p->out, "<p>Nothing could be released; the table says why.</p>\n");
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        HR_TRY(hr_page_add_figure(p, hr_figure_find(drawn[i]), err));
    add_all_runs(p);
    hr_text_puts(p->out, "</body></html>\n");
    return p->out->failed ? hr_fail(err, HR_ENOMEM, "out of memory while writing the page") : HR_OK;
}

hr_status hr_compare_page(const hr_compare *compare, const char *title, hr_text *out,
                          hr_error *err) {
    hr_page p = {.compare = compare, .out = out};
    find_ranges(&p);
    return write_page(&p, title, err);
}
