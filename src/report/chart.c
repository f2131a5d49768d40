/* chart.c - line charts as SVG. Each style combines a colour, a dash and a marker, so that lines
 * differ without colour too. Colours are in style.css. */
#include "report/chart.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Eight colours, six markers and eight dashes give 24 styles; any two differ in at least two of
 * these. */
enum { COLOURS = 8, MARKERS = 6, DASHES = 8 };
static const char *const dashes[DASHES] = {"none", "7 3",     "2 2", "9 3 2 3",
                                           "12 4", "4 2 1 2", "1 4", "6 6"};

static const char *dash_of(int style) {
    return dashes[(style + style / COLOURS) % DASHES];
}

/* ---- Ticks ---- */

/* Rounds `step` up to 1, 2 or 5 times a power of ten. */
static double round_step(double step) {
    double power = pow(10, floor(log10(step)));
    static const double factors[] = {1, 2, 5, 10};
    for (size_t i = 0; i < 4; i++)
        if (factors[i] * power >= step * (1 - 1e-9)) return factors[i] * power;
    return 10 * power;
}

static size_t linear_ticks(hr_chart_axis *axis, unsigned wanted, double *ticks) {
    double width = axis->most - axis->least;
    double step = width > 0 ? round_step(width / wanted) : 1;
    if (axis->whole && step < 1) step = 1;
    double first = floor(axis->least / step + 1e-9), last = ceil(axis->most / step - 1e-9);
    if (last <= first && width > 0) last = first + 1;
    size_t count = 0;
    for (double i = first; i <= last && count < HR_TICKS_MOST; i++)
        ticks[count++] = i * step;
    return count;
}

/* Tick number i of a logarithmic axis: 0 is 1, then 2, 5, 10, 20 ...; negative i give 0.5, 0.2
 * ... */
static double tick_number(double i) {
    static const double factors[] = {1, 2, 5};
    double decade = floor(i / 3);
    return factors[(int)(i - 3 * decade)] * pow(10, decade);
}

/* Ticks at 1, 2 and 5 times powers of ten; if these are too many, at powers of ten; if these are
 * too many, at every second, third ... power of ten. */
static size_t power_ticks(hr_chart_axis *axis, unsigned wanted, double *ticks) {
    double first = 3 * floor(log10(axis->least)), step = 1;
    while (tick_number(first + 1) <= axis->least * (1 + 1e-9))
        first++;
    double last = first + 1;
    while (tick_number(last) < axis->most * (1 - 1e-9))
        last++;
    if (last - first > wanted + 3) {
        first = 3 * floor(first / 3);
        step = 3 * ceil((last - first) / 3 / wanted);
    }
    size_t count = 0;
    do
        ticks[count] = tick_number(first + step * (double)count);
    while (ticks[count++] < axis->most * (1 - 1e-9) && count < HR_TICKS_MOST);
    return count;
}

size_t hr_ticks(hr_chart_axis *axis, unsigned wanted, double *ticks) {
    size_t count =
        axis->logarithmic ? power_ticks(axis, wanted, ticks) : linear_ticks(axis, wanted, ticks);
    assert(count > 0);
    axis->least = ticks[0];
    axis->most = ticks[count - 1];
    return count;
}

void hr_tick_text(double value, hr_text *out) {
    static const struct {
        double from;
        const char *unit;
    } units[] = {{1e12, "T"}, {1e9, "G"}, {1e6, "M"}};
    for (size_t i = 0; i < 3; i++)
        if (fabs(value) >= units[i].from * (1 - 1e-9)) {
            hr_text_printf(out, "%.4g%s", value / units[i].from, units[i].unit);
            return;
        }
    if (fabs(value) >= 9999.5)
        hr_text_printf(out, "%.4gk", value / 1e3);
    else if (fabs(value) >= 9.995e-4 || fabs(value) < 1e-12)
        hr_text_printf(out, "%.4g", fabs(value) < 1e-12 ? 0 : value);
    else { /* 0.00015 is too wide for the margin */
        int exponent = (int)floor(log10(fabs(value)) + 1e-9);
        hr_text_printf(out, "%.3ge%d", value / pow(10, exponent), exponent);
    }
}

/* ---- Drawing ---- */

/* PAD: distance of the first and last point from the edges of the plot. */
enum {
    WIDTH = HR_CHART_WIDTH,
    HEIGHT = HR_LINES_HEIGHT,
    LEFT = 58,
    RIGHT = 8,
    TOP = 12,
    BOTTOM = 42,
    PAD = 14
};

/* Position on the axis as a share of its length. */
static double along(const hr_chart_axis *axis, double value) {
    if (axis->most <= axis->least) return 0.5;
    if (axis->logarithmic)
        return (log10(value) - log10(axis->least)) / (log10(axis->most) - log10(axis->least));
    return (value - axis->least) / (axis->most - axis->least);
}

static double place_x(const hr_chart *chart, double x) {
    return LEFT + PAD + along(&chart->x, x) * (WIDTH - LEFT - RIGHT - 2 * PAD);
}

static double place_y(const hr_chart *chart, double y) {
    return HEIGHT - BOTTOM - along(&chart->y, y) * (HEIGHT - TOP - BOTTOM);
}

static void draw_y_axis(const hr_chart *chart, const double *ticks, size_t count, hr_text *out) {
    for (size_t i = 0; i < count; i++) {
        double y = place_y(chart, ticks[i]);
        hr_text_printf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                       LEFT, WIDTH - RIGHT, y, y);
        hr_text_printf(out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 6, y + 4);
        hr_tick_text(ticks[i], out);
        hr_text_puts(out, "</text>");
    }
    double middle = (HEIGHT - BOTTOM + TOP) / 2.0;
    hr_text_printf(out,
                   "<text transform=\"rotate(-90)\" x=\"%.1f\" y=\"12\" text-anchor=\"middle\">",
                   -middle);
    hr_html_text(out, chart->y.label);
    hr_text_puts(out, chart->y.logarithmic ? ", log</text>\n" : "</text>\n");
}

static void draw_x_axis(const hr_chart *chart, const double *ticks, size_t count, hr_text *out) {
    int bottom = HEIGHT - BOTTOM;
    hr_text_printf(out, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>", LEFT,
                   WIDTH - RIGHT, bottom, bottom);
    for (size_t i = 0; i < count; i++) {
        double x = place_x(chart, ticks[i]);
        hr_text_printf(out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/>", x,
                       x, bottom, bottom + 4);
        hr_text_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x, bottom + 17);
        hr_tick_text(ticks[i], out);
        hr_text_puts(out, "</text>");
    }
    hr_text_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">",
                   (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 6);
    hr_html_text(out, chart->x.label);
    hr_text_puts(out, chart->x.logarithmic ? ", log</text>\n" : "</text>\n");
}

/* Path of the style's marker around (x, y) with radius r. */
static void draw_shape(int style, double x, double y, double r, hr_text *out) {
    switch (style % MARKERS) {
    case 0:
        hr_text_printf(out, "M%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 %.1f 0z", x - r, y,
                       r, r, 2 * r, r, r, -2 * r);
        break;
    case 1:
        hr_text_printf(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", x - r, y - r, 2 * r, 2 * r, -2 * r);
        break;
    case 2:
        hr_text_printf(out, "M%.1f %.1fL%.1f %.1fL%.1f %.1fz", x, y - r - 1, x + r + 1, y + r,
                       x - r - 1, y + r);
        break;
    case 3:
        hr_text_printf(out, "M%.1f %.1fL%.1f %.1fL%.1f %.1fL%.1f %.1fz", x, y - r - 1.5,
                       x + r + 1.5, y, x, y + r + 1.5, x - r - 1.5, y);
        break;
    case 4:
        hr_text_printf(out, "M%.1f %.1fL%.1f %.1fL%.1f %.1fz", x, y + r + 1, x + r + 1, y - r,
                       x - r - 1, y - r);
        break;
    default:
        hr_text_printf(out, "M%.1f %.1fL%.1f %.1fM%.1f %.1fL%.1f %.1f", x - r, y - r, x + r, y + r,
                       x - r, y + r, x + r, y - r);
    }
}

static const char *bound_class(int style) {
    return style == -1 ? "line bound" : "line bound counted";
}

static bool has_point(const hr_series *series, size_t i) {
    return i < series->count && !isnan(series->points[i].y);
}

/* Bounds have no markers: a single point of a bound is drawn as a short horizontal line. */
static void draw_path(const hr_chart *chart, const hr_series *series, hr_text *out) {
    for (size_t i = 0; i < series->count; i++) {
        bool before = i > 0 && has_point(series, i - 1), after = has_point(series, i + 1);
        if (!has_point(series, i)) continue;
        double x = place_x(chart, series->points[i].x), y = place_y(chart, series->points[i].y);
        if (series->style < 0 && !before && !after)
            hr_text_printf(out, "M%.1f %.1fH%.1f", x - PAD, y, x + PAD);
        else
            hr_text_printf(out, "%c%.1f %.1f", before ? 'L' : 'M', x, y);
    }
}

static void draw_line(const hr_chart *chart, const hr_series *series, hr_text *out) {
    bool any = false;
    for (size_t i = 0; i < series->count; i++)
        any |= has_point(series, i);
    if (!any) return;
    if (series->style < 0)
        hr_text_printf(out, "<path class=\"%s\" d=\"", bound_class(series->style));
    else
        hr_text_printf(out,
                       "<path class=\"line s%d\" style=\"fill:none\" stroke-dasharray=\"%s\" d=\"",
                       series->style % COLOURS, dash_of(series->style));
    draw_path(chart, series, out);
    hr_text_puts(out, "\"/>\n");
}

static void draw_marks(const hr_chart *chart, const hr_series *series, hr_text *out) {
    for (size_t i = 0; i < series->count && series->style >= 0; i++) {
        const hr_point *point = &series->points[i];
        if (isnan(point->y)) continue;
        hr_text_printf(out, "<path class=\"mark s%d%s\" d=\"", series->style % COLOURS,
                       point->marked ? " best" : "");
        draw_shape(series->style, place_x(chart, point->x), place_y(chart, point->y),
                   point->marked ? 4.5 : 3.5, out);
        hr_text_puts(out, "\"><title>");
        hr_html_text(out, point->title ? point->title : "");
        hr_text_puts(out, "</title></path>\n");
    }
}

static void draw_spreads(const hr_chart *chart, const hr_series *series, hr_text *out) {
    for (size_t i = 0; i < series->count && series->style >= 0; i++) {
        const hr_point *point = &series->points[i];
        if (isnan(point->y) || !(point->spread > 0)) continue;
        double x = place_x(chart, point->x);
        hr_text_printf(out, "<path class=\"line s%d\" d=\"M%.1f %.1fV%.1f\"/>\n",
                       series->style % COLOURS, x, place_y(chart, point->y - point->spread),
                       place_y(chart, point->y + point->spread));
    }
}

void hr_chart_draw(const hr_chart *chart, hr_text *out) {
    hr_chart c = *chart;
    double x_ticks[HR_TICKS_MOST], y_ticks[HR_TICKS_MOST];
    size_t x_count = hr_ticks(&c.x, 6, x_ticks), y_count = hr_ticks(&c.y, 5, y_ticks);
    draw_y_axis(&c, y_ticks, y_count, out);
    draw_x_axis(&c, x_ticks, x_count, out);
    for (size_t i = 0; i < c.series_count; i++)
        draw_line(&c, &c.series[i], out);
    for (size_t i = 0; i < c.series_count; i++)
        draw_spreads(&c, &c.series[i], out);
    for (size_t i = 0; i < c.series_count; i++)
        draw_marks(&c, &c.series[i], out);
}

void hr_chart_svg(const hr_chart *chart, hr_text *out) {
    hr_chart_open(chart->name, chart->about, HEIGHT, out);
    hr_chart_draw(chart, out);
    hr_chart_close(out);
}

void hr_chart_sample(int style, hr_text *out) {
    hr_text_puts(out, "<svg class=\"sample\" width=\"40\" height=\"14\" viewBox=\"0 0 40 14\" "
                      "aria-hidden=\"true\">");
    hr_chart_sample_draw(style, out);
    hr_text_puts(out, "</svg>");
}

void hr_chart_sample_draw(int style, hr_text *out) {
    if (style < 0) {
        hr_text_printf(out, "<path class=\"%s\" d=\"M1 7H39\"/>", bound_class(style));
        return;
    }
    hr_text_printf(out,
                   "<path class=\"line s%d\" style=\"fill:none\" stroke-dasharray=\"%s\" d=\"M1 "
                   "7H39\"/><path class=\"mark s%d best\" d=\"",
                   style % COLOURS, dash_of(style), style % COLOURS);
    draw_shape(style, 20, 7, 4, out);
    hr_text_puts(out, "\"/>");
}
