/* compare_page.c - a comparison as one self-contained HTML file, without scripts and external
 * resources: first the runs worth choosing, then curves, then a table of all runs. */
#include "report/chart.h"
#include "run/compare.h"

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

typedef struct {
    double least, most; /* NaN: no values */
} range;

enum { FIGURES_MOST = 16 };

typedef struct {
    const hr_compare *compare;
    hr_text *out;
    range ranges[FIGURES_MOST]; /* per figure, over all runs */
} page;

/* Figures drawn as charts, the most important first. */
static const char *const drawn[] = {"ntil",    "sse_sst", "suppressed", "violations",
                                    "classes", "avg",     "dm",         "seconds"};

/* ---- Helpers ---- */

static const hr_compare_entry *entry_at(const hr_compare *c, size_t a, size_t k, size_t p) {
    return &c->entries[(a * c->grid.k_count + k) * c->grid.p_count + p];
}

static double value_at(const hr_figure *figure, const hr_compare_entry *entry) {
    return entry->state == HR_ENTRY_DONE ? hr_figure_value(figure, &entry->figures) : NAN;
}

static range range_of(const page *p, const hr_figure *figure) {
    return p->ranges[figure - hr_compare_figures];
}

static bool has_values(const page *p, const hr_figure *figure) {
    return !isnan(range_of(p, figure).most);
}

static void find_ranges(page *p) {
    for (size_t f = 0; hr_compare_figures[f].name; f++) {
        range *r = &p->ranges[f];
        *r = (range){NAN, NAN};
        for (size_t i = 0; i < p->compare->entry_count; i++) {
            double value = value_at(&hr_compare_figures[f], &p->compare->entries[i]);
            r->least = fmin(r->least, value); /* fmin and fmax ignore NaN */
            r->most = fmax(r->most, value);
        }
    }
}

/* ---- Tables ---- */

/* The brief table has the figures that are drawn and the bound. */
static bool has_column(const page *p, const hr_figure *figure, bool brief) {
    return has_values(p, figure) &&
           (!brief || figure->title || figure == hr_figure_find("ntil_bound"));
}

static void add_head(const page *p, bool brief, bool notes) {
    hr_text_puts(p->out, "<div class=\"scroll\"><table><thead><tr><th></th><th>algorithm</th>"
                         "<th>k</th><th>p</th>");
    for (const hr_figure *f = hr_compare_figures; f->name; f++)
        if (has_column(p, f, brief)) hr_text_printf(p->out, "<th>%s</th>", f->name);
    hr_text_puts(p->out, notes ? "<th></th></tr></thead><tbody>\n" : "</tr></thead><tbody>\n");
}

static void add_row(const page *p, const hr_compare_entry *entry, bool brief, bool notes) {
    hr_text *out = p->out;
    hr_text_printf(out, "<tr%s><td>%s</td><td>", entry->best ? " class=\"best\"" : "",
                   entry->best ? "<span class=\"star\" title=\"worth choosing\">★</span>" : "");
    hr_html_text(out, entry->algorithm);
    hr_text_printf(out, "</td><td>%lld</td><td>%lld</td>",
                   (long long)(brief ? entry->asked.k : entry->k), (long long)entry->p);
    for (const hr_figure *f = hr_compare_figures; f->name; f++) {
        if (!has_column(p, f, brief)) continue;
        double value = value_at(f, entry);
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

static void end_table(const page *p) {
    hr_text_puts(p->out, "</tbody></table></div>\n");
}

static void add_all_runs(const page *p) {
    bool notes = false;
    for (size_t i = 0; i < p->compare->entry_count; i++)
        notes |= p->compare->entries[i].note != NULL;
    hr_text_puts(p->out, "<h2>All runs</h2>\n");
    if (has_values(p, hr_figure_find("ntil_bound")))
        hr_text_printf(p->out, "<p class=\"soft\">ntil_bound: %s.</p>\n", hr_compare_bound_means);
    add_head(p, false, notes);
    for (size_t i = 0; i < p->compare->entry_count; i++)
        add_row(p, &p->compare->entries[i], false, notes);
    end_table(p);
}

/* Is this entry a row of the table of best runs? If several k are raised to the same p, only the
 * last of them is listed. */
static bool is_listed(const hr_compare *c, size_t a, size_t k, size_t p) {
    const hr_compare_entry *entry = entry_at(c, a, k, p);
    bool again = k + 1 < c->grid.k_count && entry_at(c, a, k + 1, p)->asked.k == entry->asked.k;
    return entry->best && !again;
}

/* Ordered by k and p, since one chooses these first. */
static void add_best_runs(const page *p) {
    const hr_grid *grid = &p->compare->grid;
    add_head(p, true, false);
    for (size_t k = 0; k < grid->k_count; k++)
        for (size_t i = 0; i < grid->p_count; i++)
            for (size_t a = 0; a < grid->algorithm_count; a++)
                if (is_listed(p->compare, a, k, i))
                    add_row(p, entry_at(p->compare, a, k, i), true, false);
    end_table(p);
}

/* ---- Charts ---- */

/* A row of charts: a figure over p, one chart for each k; or over k, one chart for each p. */
typedef struct {
    const hr_figure *figure;
    const hr_figure *bound; /* lower bound of the figure, drawn as a line; or NULL */
    range y, x;             /* over all runs that have the figure */
    bool over_p;
} panel_row;

enum { BOUNDS = 2 }; /* lines of bounds: boundaries enforced, counted */

typedef struct {
    hr_series *series;
    hr_point *points;
    hr_text titles;
    size_t *title_at;
    size_t point_count;
} panel;

static size_t x_count(const page *p, const panel_row *row) {
    return row->over_p ? p->compare->grid.p_count : p->compare->grid.k_count;
}

static const hr_compare_entry *panel_entry(const page *p, const panel_row *row, size_t a,
                                           size_t other, size_t x) {
    return row->over_p ? entry_at(p->compare, a, other, x) : entry_at(p->compare, a, x, other);
}

static double x_value(const page *p, const panel_row *row, size_t x) {
    return (double)(row->over_p ? p->compare->grid.ps[x] : p->compare->grid.ks[x]);
}

/* Does any chart of the row have a point at the xth value of its axis? */
static bool is_reached(const page *p, const panel_row *row, size_t x) {
    const hr_grid *grid = &p->compare->grid;
    for (size_t a = 0; a < grid->algorithm_count; a++)
        for (size_t i = 0; i < (row->over_p ? grid->k_count : grid->p_count); i++)
            if (!isnan(value_at(row->figure, panel_entry(p, row, a, i, x)))) return true;
    return false;
}

static void find_reach(const page *p, panel_row *row) {
    row->x = (range){NAN, NAN};
    for (size_t x = 0; x < x_count(p, row); x++) {
        if (!is_reached(p, row, x)) continue;
        row->x.least = fmin(row->x.least, x_value(p, row, x));
        row->x.most = fmax(row->x.most, x_value(p, row, x));
    }
}

/* The greatest lower bound that holds for releases which suppress no more rows than the run here
 * that suppresses fewest. Bounds for enforced and for counted boundaries are separate, since they
 * are about different releases. */
static double bound_at(const page *p, const panel_row *row, size_t other, size_t x, bool counted) {
    uint64_t fewest = UINT64_MAX;
    double bound = NAN;
    for (size_t a = 0; a < p->compare->grid.algorithm_count; a++) {
        const hr_compare_entry *entry = panel_entry(p, row, a, other, x);
        double proved = value_at(row->bound, entry);
        uint64_t suppressed = entry->figures.suppressed;
        if (isnan(proved) || entry->count_boundaries != counted || suppressed > fewest) continue;
        bound = suppressed < fewest ? proved : fmax(bound, proved);
        fewest = suppressed;
    }
    return bound;
}

static void title_point(panel *made, const hr_figure *figure, const hr_compare_entry *entry) {
    made->title_at[made->point_count] = made->titles.length;
    hr_text_printf(&made->titles, "%s, k = %lld, p = %lld: ", entry->algorithm, (long long)entry->k,
                   (long long)entry->p);
    double value = value_at(figure, entry);
    if (!isnan(value)) hr_number_text(value, figure->digits, &made->titles);
    if (entry->best) hr_text_puts(&made->titles, " (worth choosing)");
    if (entry->asked.k > entry->k && entry->note)
        hr_text_printf(&made->titles, "; %s", entry->note);
    hr_text_add(&made->titles, "", 1); /* the NUL that ends this title */
}

static bool fill_panel(const page *p, const panel_row *row, size_t other, panel *made) {
    size_t algorithms = p->compare->grid.algorithm_count, count = x_count(p, row);
    bool any = false;
    for (size_t a = 0; a < algorithms + BOUNDS; a++) {
        int bound = (int)a - (int)algorithms; /* 0: enforced, 1: counted, less: an algorithm */
        made->series[a] = (hr_series){.style = bound < 0 ? (int)(a % HR_CHART_STYLES) : -1 - bound,
                                      .points = made->points + made->point_count,
                                      .count = bound < 0 || row->bound ? count : 0};
        for (size_t x = 0; x < made->series[a].count; x++) {
            hr_point *point = &made->points[made->point_count];
            *point = (hr_point){.x = x_value(p, row, x)};
            if (bound < 0) {
                const hr_compare_entry *entry = panel_entry(p, row, a, other, x);
                point->y = value_at(row->figure, entry);
                point->marked = entry->best;
                title_point(made, row->figure, entry);
            } else {
                point->y = bound_at(p, row, other, x, bound);
            }
            any |= !isnan(point->y);
            made->point_count++;
        }
    }
    for (size_t i = 0; i < algorithms * count && !made->titles.failed; i++)
        made->points[i].title = made->titles.data + made->title_at[i];
    return any;
}

static void draw_panel(const page *p, const panel_row *row, size_t other, const panel *made) {
    const hr_grid *grid = &p->compare->grid;
    char name[128], caption[64];
    long long fixed = (long long)(row->over_p ? grid->ks[other] : grid->ps[other]);
    snprintf(caption, sizeof caption, "%c = %lld", row->over_p ? 'k' : 'p', fixed);
    snprintf(name, sizeof name, "%s against %c, %s", row->figure->title, row->over_p ? 'p' : 'k',
             caption);
    bool logarithmic = row->y.least > 0 && row->y.most / row->y.least > 100 && !row->bound;
    hr_chart chart = {
        .name = name,
        .x = {.label = row->over_p ? "p (sensitive values of a class)" : "k (rows of a class)",
              .least = row->x.least,
              .most = row->x.most,
              .whole = true,
              .logarithmic = row->x.most / row->x.least >= 20},
        .y = {.label = row->figure->unit,
              .least = logarithmic ? row->y.least : 0,
              .most = row->y.most,
              .whole = row->figure->count,
              .logarithmic = logarithmic},
        .series = made->series,
        .series_count = grid->algorithm_count + BOUNDS};
    hr_text_puts(p->out, "<figure>");
    hr_chart_svg(&chart, p->out);
    hr_text_printf(p->out, "<figcaption>%s</figcaption></figure>\n", caption);
}

static hr_status add_panel(const page *p, const panel_row *row, size_t other, hr_error *err) {
    size_t series = p->compare->grid.algorithm_count + BOUNDS, points = series * x_count(p, row);
    panel made = {.series = hr_alloc(series, sizeof *made.series, err),
                  .points = hr_alloc(points, sizeof *made.points, err),
                  .title_at = hr_alloc(points, sizeof *made.title_at, err)};
    hr_status status = made.series && made.points && made.title_at ? HR_OK : HR_ENOMEM;
    if (status == HR_OK && fill_panel(p, row, other, &made)) draw_panel(p, row, other, &made);
    if (made.titles.failed) p->out->failed = true;
    free(made.series);
    free(made.points);
    free(made.title_at);
    hr_text_free(&made.titles);
    return status;
}

static hr_status add_panels(const page *p, panel_row *row, hr_error *err) {
    const hr_grid *grid = &p->compare->grid;
    find_reach(p, row);
    hr_text_puts(p->out, "<div class=\"charts\">\n");
    for (size_t i = 0; i < (row->over_p ? grid->k_count : grid->p_count); i++)
        HR_TRY(add_panel(p, row, i, err));
    hr_text_puts(p->out, "</div>\n");
    return HR_OK;
}

static bool draws(const page *p, const hr_figure *figure, size_t a) {
    size_t each = p->compare->grid.k_count * p->compare->grid.p_count;
    for (size_t i = a * each; i < (a + 1) * each; i++)
        if (!isnan(value_at(figure, &p->compare->entries[i]))) return true;
    return false;
}

/* Ends the legend with the lines of the bounds and explains them. */
static void add_bounds(const page *p, const hr_figure *bound) {
    static const char *const kinds[BOUNDS] = {", boundaries enforced", ", boundaries counted"};
    bool has[BOUNDS] = {false, false};
    for (size_t i = 0; i < p->compare->entry_count; i++)
        has[p->compare->entries[i].count_boundaries] |=
            !isnan(value_at(bound, &p->compare->entries[i]));
    for (int i = 0; i < BOUNDS; i++) {
        if (!has[i]) continue;
        hr_text_puts(p->out, "<li>");
        hr_chart_sample(-1 - i, p->out);
        hr_text_printf(p->out, "least possible without suppressing more%s</li>",
                       has[0] && has[1] ? kinds[i] : "");
    }
    hr_text_printf(p->out,
                   "</ul>\n<p class=\"soft\">No release of that k and p is below the grey line%s, "
                   "unless it suppresses more rows than the run here that suppresses fewest.</p>\n",
                   has[0] && has[1] ? " of its kind" : "");
}

static void add_legend(const page *p, const hr_figure *figure, const hr_figure *bound) {
    hr_text_puts(p->out, "<ul class=\"legend\">");
    for (size_t a = 0; a < p->compare->grid.algorithm_count; a++) {
        if (!draws(p, figure, a)) continue;
        hr_text_puts(p->out, "<li>");
        hr_chart_sample((int)(a % HR_CHART_STYLES), p->out);
        hr_html_text(p->out, p->compare->grid.algorithms[a]);
        hr_text_puts(p->out, "</li>");
    }
    if (bound)
        add_bounds(p, bound);
    else
        hr_text_puts(p->out, "</ul>\n");
}

static hr_status add_figure(const page *p, const hr_figure *figure, hr_error *err) {
    const hr_grid *grid = &p->compare->grid;
    panel_row row = {.figure = figure,
                     .y = range_of(p, figure),
                     .over_p = grid->p_count > 1 || grid->k_count == 1};
    const hr_figure *bound = hr_figure_find("ntil_bound");
    if (!has_values(p, figure)) return HR_OK;
    hr_text_printf(p->out, "<h2>%s</h2>\n", figure->title);
    if (row.y.most == 0) {
        hr_text_puts(p->out, "<p class=\"soft\">0 in every run.</p>\n");
        return HR_OK;
    }
    if (!strcmp(figure->name, "ntil") && has_values(p, bound)) row.bound = bound;
    add_legend(p, figure, row.bound);
    HR_TRY(add_panels(p, &row, err));
    if (grid->p_count < 2 || grid->k_count < 2) return HR_OK;
    row.over_p = false;
    hr_text_puts(p->out, "<details><summary>the same against k, for each p</summary>\n");
    HR_TRY(add_panels(p, &row, err));
    hr_text_puts(p->out, "</details>\n");
    return HR_OK;
}

/* ---- The page ---- */

static void add_top(const page *p, const char *title) {
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

static void add_best(const page *p) {
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

static hr_status write_page(const page *p, const char *title, hr_error *err) {
    bool done = false;
    for (size_t i = 0; i < p->compare->entry_count; i++)
        done |= p->compare->entries[i].state == HR_ENTRY_DONE;
    add_top(p, title);
    if (done)
        add_best(p);
    else
        hr_text_puts(p->out, "<p>Nothing could be released; the table says why.</p>\n");
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++)
        HR_TRY(add_figure(p, hr_figure_find(drawn[i]), err));
    add_all_runs(p);
    hr_text_puts(p->out, "</body></html>\n");
    return p->out->failed ? hr_fail(err, HR_ENOMEM, "out of memory while writing the page") : HR_OK;
}

hr_status hr_compare_page(const hr_compare *compare, const char *title, hr_text *out,
                          hr_error *err) {
    page p = {.compare = compare, .out = out};
    find_ranges(&p);
    return write_page(&p, title, err);
}
