/* chart_grid.c - histograms and heat maps. */
#include "report/chart.h"

#include <assert.h>
#include <math.h>

enum { WIDTH = HR_CHART_WIDTH, HEIGHT = 190, LEFT = 50, RIGHT = 8, TOP = 8, BOTTOM = 36 };

/* ---- histograms ---- */

typedef struct {
    const hr_histogram *h;
    hr_chart_axis x, y;
    hr_text *out;
} drawing;

static double place_x(const drawing *d, double value) {
    double width = d->x.most - d->x.least;
    double share = width > 0 ? (value - d->x.least) / width : 0.5;
    return LEFT + 4 + share * (WIDTH - LEFT - RIGHT - 8);
}

static double place_y(const drawing *d, double value) {
    return HEIGHT - BOTTOM - value / d->y.most * (HEIGHT - TOP - BOTTOM);
}

static void draw_y_tick(const drawing *d, double value) {
    hr_text_printf(d->out, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">", LEFT - 5,
                   place_y(d, value) + 4);
    hr_tick_text(d->h->percent ? 100 * value : value, d->out);
    hr_text_puts(d->out, d->h->percent ? " %</text>" : "</text>");
}

/* The label is below the tick, but does not leave the chart. */
static void draw_x_tick(const drawing *d, double value) {
    hr_text label = {0};
    double x = place_x(d, value);
    hr_tick_text(value, &label);
    d->out->failed |= label.failed;
    if (label.failed) return;
    hr_text_printf(d->out,
                   "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"/><text "
                   "x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                   x, x, HEIGHT - BOTTOM, HEIGHT - BOTTOM + 4,
                   fmin(x, WIDTH - hr_label_width(label.data) / 2), HEIGHT - BOTTOM + 15,
                   label.data);
    hr_text_free(&label);
}

static void draw_axes(drawing *d) {
    double ticks[HR_TICKS_MOST];
    hr_text *out = d->out;
    size_t count = hr_ticks(&d->y, 4, ticks);
    for (size_t i = 0; i < count; i++) {
        double y = place_y(d, ticks[i]);
        hr_text_printf(out, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>",
                       LEFT, WIDTH - RIGHT, y, y);
        draw_y_tick(d, ticks[i]);
    }
    hr_chart_axis inner = d->x;
    count = hr_ticks(&inner, 6, ticks);
    for (size_t i = 0; i < count; i++) {
        double x = place_x(d, ticks[i]);
        if (x < LEFT || x > WIDTH - RIGHT) continue;
        if (d->h->whole && ticks[i] != rint(ticks[i])) continue;
        draw_x_tick(d, ticks[i]);
    }
    hr_text_printf(out, "\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">",
                   (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 4);
    hr_html_text(out, d->h->x_label);
    hr_text_printf(out,
                   "</text>\n<text transform=\"rotate(-90)\" x=\"%d\" y=\"10\" "
                   "text-anchor=\"middle\">",
                   -(HEIGHT - BOTTOM + TOP) / 2);
    hr_html_text(out, d->h->y_label);
    hr_text_puts(out, "</text>\n");
}

static void draw_columns(const drawing *d) {
    for (size_t i = 0; i < d->h->count; i++) {
        const hr_bin *bin = &d->h->bins[i];
        if (isnan(bin->after)) continue;
        double x = place_x(d, bin->from), y = place_y(d, bin->after);
        double width = fmax(place_x(d, bin->to) - x - 1, 0.8);
        hr_text_printf(d->out,
                       "<rect class=\"bar0\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"",
                       x, y, width, fmax(HEIGHT - BOTTOM - y, bin->after > 0 ? 1 : 0));
        hr_chart_tip("rect", bin->tip, d->out);
    }
}

static void draw_outline(const drawing *d) {
    if (d->h->count == 0 || isnan(d->h->bins[0].before)) return;
    hr_text_printf(d->out, "<path class=\"outline\" d=\"M%.1f %d", place_x(d, d->h->bins[0].from),
                   HEIGHT - BOTTOM);
    for (size_t i = 0; i < d->h->count; i++)
        hr_text_printf(d->out, "V%.1fH%.1f", place_y(d, d->h->bins[i].before),
                       place_x(d, d->h->bins[i].to));
    hr_text_printf(d->out, "V%d\"/>\n", HEIGHT - BOTTOM);
}

/* Cuts as lines. Many of them would hide the columns: then they are short and thin, and those that
 * would touch the one before are left out. */
static void draw_cuts(const drawing *d) {
    enum { LONG_MOST = 12, SHORT = 7, APART = 3 };
    double free_from = 0;
    for (size_t i = 0; i < d->h->cut_count; i++) {
        double x = place_x(d, d->h->cuts[i]);
        if (d->h->cut_count <= LONG_MOST) {
            hr_text_printf(d->out, "<path class=\"boundary\" d=\"M%.1f %dV%d\"/>\n", x, TOP,
                           HEIGHT - BOTTOM);
        } else if (x >= free_from) {
            hr_text_printf(d->out,
                           "<rect class=\"diamond\" x=\"%.1f\" y=\"%d\" width=\"1.2\" "
                           "height=\"%d\"/>\n",
                           x - 0.6, TOP, SHORT);
            free_from = x + APART;
        }
    }
}

void hr_histogram_svg(const hr_histogram *h, hr_text *out) {
    drawing d = {.h = h, .out = out};
    if (h->count == 0) return;
    d.x = (hr_chart_axis){.least = h->bins[0].from, .most = h->bins[h->count - 1].to};
    for (size_t i = 0; i < h->count; i++) /* fmax ignores NaN */
        d.y.most = fmax(d.y.most, fmax(h->bins[i].before, h->bins[i].after));
    if (!(d.y.most > 0)) d.y.most = 1;
    d.y.whole = !h->percent;
    hr_chart_open(h->name, h->about, HEIGHT, out);
    draw_axes(&d);
    draw_columns(&d);
    draw_outline(&d);
    draw_cuts(&d);
    hr_text_printf(out, "<line class=\"axis\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>\n", LEFT,
                   WIDTH - RIGHT, HEIGHT - BOTTOM, HEIGHT - BOTTOM);
    hr_chart_close(out);
}

/* ---- heat maps ---- */

enum { CELL = 26, HEAD = 34 };

static void draw_cell(const hr_heat_cell *cell, int shade, double x, double y, double width,
                      hr_text *out) {
    if (!cell->text) {
        hr_text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">–</text>\n",
                       x + width / 2, y + CELL / 2.0 + 4);
        return;
    }
    hr_text_printf(out, "<rect class=\"q%d%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"",
                   shade, cell->marked ? " framed" : "", x + 1, y + 1, width - 2, CELL - 2);
    hr_chart_tip("rect", cell->tip, out);
    if (hr_label_width(cell->text) > width - 4) return; /* the tooltip has it */
    hr_text_printf(out, "<text class=\"on%d\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", shade,
                   x + width / 2, y + CELL / 2.0 + 4);
    hr_html_text(out, cell->text);
    hr_text_puts(out, "</text>\n");
}

static void draw_heads(const hr_heat_map *map, double left, double width, hr_text *out) {
    hr_text_printf(out, "<text x=\"%.1f\" y=\"12\" text-anchor=\"middle\">",
                   left + width * (double)map->column_count / 2);
    hr_html_text(out, map->column_title);
    hr_text_printf(out, "</text><text x=\"%.1f\" y=\"%d\" text-anchor=\"end\">", left - 5,
                   HEAD - 6);
    hr_html_text(out, map->row_title);
    hr_text_puts(out, "</text>\n");
    double free_from = 0; /* labels that would touch the one before are left out */
    for (size_t c = 0; c < map->column_count; c++) {
        double x = left + width * ((double)c + 0.5), half = hr_label_width(map->columns[c]) / 2;
        if (x - half < free_from) continue;
        free_from = x + half + 3;
        hr_text_printf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">", x, HEAD - 6);
        hr_html_text(out, map->columns[c]);
        hr_text_puts(out, "</text>\n");
    }
    for (size_t r = 0; r < map->row_count; r++) {
        hr_text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", left - 5,
                       HEAD + CELL * ((double)r + 0.5) + 4);
        hr_label(out, map->rows[r], left - 5);
        hr_text_puts(out, "</text>\n");
    }
}

void hr_heat_svg(const hr_heat_map *map, hr_text *out) {
    assert(map->column_count > 0);
    double left = hr_label_width(map->row_title), least = INFINITY, most = -INFINITY;
    for (size_t r = 0; r < map->row_count; r++)
        left = fmin(fmax(left, hr_label_width(map->rows[r])), 120);
    left += 7;
    double width = fmin((WIDTH - left - 2) / (double)map->column_count, 70);
    for (size_t i = 0; i < map->row_count * map->column_count; i++) {
        if (!map->cells[i].text) continue;
        least = fmin(least, map->cells[i].value);
        most = fmax(most, map->cells[i].value);
    }
    hr_chart_open(map->name, map->about, HEAD + CELL * (double)map->row_count + 2, out);
    draw_heads(map, left, width, out);
    for (size_t r = 0; r < map->row_count; r++)
        for (size_t c = 0; c < map->column_count; c++) {
            const hr_heat_cell *cell = &map->cells[r * map->column_count + c];
            double share = most > least ? (cell->value - least) / (most - least) : 0;
            int shade = cell->text ? (int)fmin(HR_SHADES - 1, share * HR_SHADES) : 0;
            draw_cell(cell, shade, left + width * (double)c, HEAD + CELL * (double)r, width, out);
        }
    hr_chart_close(out);
}
