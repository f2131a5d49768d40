/* compare_charts.c - the curves of a comparison's page: for each figure a row of charts with a line
 * per algorithm, and for the loss the lower bounds too. */
#include "run/compare/compare_page.h"

#include "report/page/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A row of charts: a figure over p, one chart for each k; or over k, one chart for each p. */
typedef struct {
    const hr_figure *figure;
    const hr_figure *bound; /* lower bound of the figure, drawn as a line; or NULL */
    hr_range y, x;          /* over all runs that have the figure */
    bool over_p;
} panel_row;

enum { BOUNDS = 2 }; /* lines of bounds: boundaries enforced, counted */

/* The data of one chart. */
typedef struct {
    hr_series *series;
    hr_point *points; /* of all series */
    size_t point_count;
    hr_text titles;   /* the points' tooltips, each ending with a NUL */
    size_t *title_at; /* per point: offset in `titles` */
} panel;

static size_t x_count(const hr_page *p, const panel_row *row) {
    return row->over_p ? p->compare->grid.p_count : p->compare->grid.k_count;
}

static const hr_compare_entry *panel_entry(const hr_page *p, const panel_row *row, size_t a,
                                           size_t other, size_t x) {
    return row->over_p ? hr_compare_at(p->compare, a, other, x)
                       : hr_compare_at(p->compare, a, x, other);
}

static double x_value(const hr_page *p, const panel_row *row, size_t x) {
    return (double)(row->over_p ? p->compare->grid.ps[x] : p->compare->grid.ks[x]);
}

/* Does any chart of the row have a point at the xth value of its axis? */
static bool is_reached(const hr_page *p, const panel_row *row, size_t x) {
    const hr_grid *grid = &p->compare->grid;
    for (size_t a = 0; a < grid->algorithm_count; a++)
        for (size_t i = 0; i < (row->over_p ? grid->k_count : grid->p_count); i++)
            if (!isnan(hr_entry_value(row->figure, panel_entry(p, row, a, i, x)))) return true;
    return false;
}

static void find_reach(const hr_page *p, panel_row *row) {
    row->x = (hr_range){NAN, NAN};
    for (size_t x = 0; x < x_count(p, row); x++) {
        if (!is_reached(p, row, x)) continue;
        row->x.least = fmin(row->x.least, x_value(p, row, x));
        row->x.most = fmax(row->x.most, x_value(p, row, x));
    }
}

static void title_point(panel *made, const hr_figure *figure, const hr_compare_entry *entry) {
    made->title_at[made->point_count] = made->titles.length;
    hr_text_printf(&made->titles, "%s, k = %lld, p = %lld: ", entry->algorithm, (long long)entry->k,
                   (long long)entry->p);
    double value = hr_entry_value(figure, entry);
    if (!isnan(value)) hr_number_text(value, figure->digits, &made->titles);
    if (entry->best) hr_text_puts(&made->titles, " (worth choosing)");
    if (entry->asked.k > entry->k && entry->note)
        hr_text_printf(&made->titles, "; %s", entry->note);
    hr_text_add(&made->titles, "", 1); /* the NUL that ends this title */
}

static bool fill_panel(const hr_page *p, const panel_row *row, size_t other, panel *made) {
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
                point->y = hr_entry_value(row->figure, entry);
                point->marked = entry->best;
                title_point(made, row->figure, entry);
            } else {
                point->y = hr_compare_bound(p->compare, row->over_p ? other : x,
                                            row->over_p ? x : other, bound);
            }
            any |= !isnan(point->y);
            made->point_count++;
        }
    }
    for (size_t i = 0; i < algorithms * count && !made->titles.failed; i++)
        made->points[i].title = made->titles.data + made->title_at[i];
    return any;
}

/* Are two lines so close to each other everywhere that one hides the other? */
static bool coincide(const hr_series *a, const hr_series *b) {
    bool any = false;
    for (size_t i = 0; i < a->count; i++) {
        double x = a->points[i].y, y = b->points[i].y;
        if (isnan(x) != isnan(y)) return false;
        if (!isnan(x) && fabs(x - y) > 0.01 * fmax(fabs(x), fabs(y))) return false;
        any |= !isnan(x);
    }
    return any;
}

/* The first line with which line a coincides, or with one that does; a: there is none. */
static size_t leader_of(const panel *made, size_t a) {
    for (size_t b = 0; b < a; b++)
        if (coincide(&made->series[a], &made->series[b])) return leader_of(made, b);
    return a;
}

/* "; a, b and c coincide (within 1 %)" for lines that hide each other. */
static void add_coinciding(const hr_page *p, const panel *made) {
    const hr_grid *grid = &p->compare->grid;
    for (size_t b = 0; b < grid->algorithm_count; b++) {
        size_t last = b;
        for (size_t a = b + 1; a < grid->algorithm_count; a++)
            if (leader_of(made, a) == b) last = a;
        if (last == b) continue;
        hr_text_puts(p->out, "; ");
        hr_html_text(p->out, grid->algorithms[b]);
        for (size_t a = b + 1; a <= last; a++) {
            if (leader_of(made, a) != b) continue;
            hr_text_puts(p->out, a == last ? " and " : ", ");
            hr_html_text(p->out, grid->algorithms[a]);
        }
        hr_text_puts(p->out, " coincide (within 1 %)");
    }
}

static void draw_panel(const hr_page *p, const panel_row *row, size_t other, const panel *made) {
    const hr_grid *grid = &p->compare->grid;
    char name[128], caption[64];
    long long fixed = (long long)(row->over_p ? grid->ks[other] : grid->ps[other]);
    snprintf(caption, sizeof caption, "%c = %lld", row->over_p ? 'k' : 'p', fixed);
    snprintf(name, sizeof name, "%s against %c, %s", row->figure->title, row->over_p ? 'p' : 'k',
             caption);
    bool logarithmic = row->y.least > 0 && row->y.most / row->y.least > 100 && !row->bound;
    bool fitted = !row->bound && row->y.least > row->y.most / 2 && row->y.least < row->y.most;
    hr_chart chart = {.name = name,
                      .x = {.label = row->over_p ? "p (sensitive values of a class)"
                                                 : "k (least size of a class)",
                            .least = row->x.least,
                            .most = row->x.most,
                            .whole = true,
                            .logarithmic = row->x.most / row->x.least >= 20},
                      .y = {.label = row->figure->unit,
                            .least = logarithmic || fitted ? row->y.least : 0,
                            .most = row->y.most,
                            .whole = row->figure->count,
                            .logarithmic = logarithmic},
                      .series = made->series,
                      .series_count = grid->algorithm_count + BOUNDS};
    hr_text_printf(p->out, "<figure><figcaption class=\"first\"><b>%s</b>", caption);
    add_coinciding(p, made);
    hr_text_puts(p->out, "</figcaption>");
    hr_chart_svg(&chart, p->out);
    hr_text_puts(p->out, "</figure>\n");
}

static hr_status add_panel(const hr_page *p, const panel_row *row, size_t other, hr_error *err) {
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

static hr_status add_panels(const hr_page *p, panel_row *row, hr_error *err) {
    const hr_grid *grid = &p->compare->grid;
    find_reach(p, row);
    hr_text_puts(p->out, "<div class=\"charts\">\n");
    for (size_t i = 0; i < (row->over_p ? grid->k_count : grid->p_count); i++)
        HR_TRY(add_panel(p, row, i, err));
    hr_text_puts(p->out, "</div>\n");
    return HR_OK;
}

static bool draws(const hr_page *p, const hr_figure *figure, size_t a) {
    size_t each = p->compare->grid.k_count * p->compare->grid.p_count;
    for (size_t i = a * each; i < (a + 1) * each; i++)
        if (!isnan(hr_entry_value(figure, &p->compare->entries[i]))) return true;
    return false;
}

/* Ends the legend with the lines of the bounds and explains them. */
static void add_bounds(const hr_page *p, const hr_figure *bound) {
    static const char *const kinds[BOUNDS] = {", boundaries enforced", ", boundaries counted"};
    bool has[BOUNDS] = {false, false};
    for (size_t i = 0; i < p->compare->entry_count; i++)
        has[p->compare->entries[i].count_boundaries] |=
            !isnan(hr_entry_value(bound, &p->compare->entries[i]));
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

static void add_legend(const hr_page *p, const hr_figure *figure, const hr_figure *bound) {
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

hr_status hr_page_add_figure(const hr_page *p, const hr_figure *figure, hr_error *err) {
    const hr_grid *grid = &p->compare->grid;
    panel_row row = {.figure = figure, .y = hr_page_range(p, figure), .over_p = grid->k_count == 1};
    const hr_figure *bound = hr_figure_find("ntil_bound");
    if (!hr_page_has(p, figure)) return HR_OK;
    hr_text_printf(p->out, "<h2>%s</h2>\n", figure->title);
    if (row.y.most == 0) {
        hr_text_puts(p->out, "<p class=\"soft\">0 in every run.</p>\n");
        return HR_OK;
    }
    if (!strcmp(figure->name, "ntil") && hr_page_has(p, bound)) row.bound = bound;
    add_legend(p, figure, row.bound);
    HR_TRY(add_panels(p, &row, err));
    if (grid->p_count < 2 || grid->k_count < 2) return HR_OK;
    row.over_p = true;
    hr_text_puts(p->out, "<details><summary>the same against p, for each k</summary>\n");
    HR_TRY(add_panels(p, &row, err));
    hr_text_puts(p->out, "</details>\n");
    return HR_OK;
}
