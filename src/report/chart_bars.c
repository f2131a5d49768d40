/* chart_bars.c - horizontal bars with a label before and a figure after each, and bars of several
 * parts. They are horizontal because names of values are long. */
#include "report/chart.h"

#include <math.h>

enum { LABEL_MOST = 140, LABEL_GAP = 6, BAR = 10, STEP = 14, GAP = 6, LEGEND = 20, STACK = 20 };

static double widest(const char *(*at)(const void *items, size_t i), const void *items,
                     size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, hr_label_width(at(items, i)));
    return fmin(most, LABEL_MOST);
}

static void draw_label(const char *text, double width, double y, hr_text *out) {
    hr_text_printf(out, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", width,
                   y);
    hr_label(out, text, width);
    hr_text_puts(out, "</text>\n");
}

/* ---- bars ---- */

static const char *bar_label(const void *items, size_t i) {
    return ((const hr_bar *)items)[i].label;
}

/* Width of the widest figure after a bar. */
static double figure_width(const hr_bar_chart *chart) {
    double most = 0;
    for (size_t i = 0; i < chart->count; i++)
        for (size_t s = 0; s < chart->series_count; s++)
            if (chart->bars[i].texts[s]) most = fmax(most, hr_label_width(chart->bars[i].texts[s]));
    return most;
}

static double greatest(const hr_bar_chart *chart) {
    double most = chart->most;
    for (size_t i = 0; i < chart->count && chart->most == 0; i++)
        for (size_t s = 0; s < chart->series_count; s++)
            most = fmax(most, chart->bars[i].values[s]);
    return most > 0 ? most : 1;
}

static void draw_legend(const hr_bar_chart *chart, double x, hr_text *out) {
    for (size_t s = 0; s < chart->series_count; s++) {
        hr_text_printf(out,
                       "<rect class=\"bar%zu\" x=\"%.1f\" y=\"3\" width=\"10\" height=\"10\"/>"
                       "<text x=\"%.1f\" y=\"12\">",
                       s, x, x + 15);
        hr_html_text(out, chart->series[s]);
        hr_text_puts(out, "</text>\n");
        x += 30 + hr_label_width(chart->series[s]);
    }
}

static void draw_bar(const hr_bar *bar, size_t s, double x, double y, double width, hr_text *out) {
    double length = fmax(bar->values[s] > 0 ? 1 : 0, width);
    hr_text_printf(out, "<rect class=\"bar%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"",
                   s, x, y, length, BAR);
    hr_chart_tip("rect", bar->tip, out);
    if (!bar->texts[s]) return;
    hr_text_printf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + length + 4, y + BAR - 1);
    hr_html_text(out, bar->texts[s]);
    hr_text_puts(out, "</text>\n");
}

void hr_bars_svg(const hr_bar_chart *chart, hr_text *out) {
    double label = widest(bar_label, chart->bars, chart->count), left = label + LABEL_GAP;
    double room = HR_CHART_WIDTH - left - figure_width(chart) - 8, most = greatest(chart);
    double top = chart->series_count > 1 ? LEGEND : 2;
    double each = (double)chart->series_count * STEP + GAP;
    hr_chart_open(chart->name, chart->about, top + each * (double)chart->count, out);
    if (chart->series_count > 1) draw_legend(chart, left, out);
    for (size_t i = 0; i < chart->count; i++) {
        const hr_bar *bar = &chart->bars[i];
        double y = top + each * (double)i;
        draw_label(bar->label, label, y + (each - GAP) / 2 + 4, out);
        for (size_t s = 0; s < chart->series_count; s++)
            draw_bar(bar, s, left, y + (double)s * STEP + 2, fmin(1, bar->values[s] / most) * room,
                     out);
    }
    hr_text_printf(out, "<line class=\"axis\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                   left, left, top - 2, top + each * (double)chart->count - GAP + 2);
    hr_chart_close(out);
}

/* ---- stacks ---- */

static const char *stack_label(const void *items, size_t i) {
    return ((const hr_stack *)items)[i].label;
}

static void draw_part(const hr_stack_part *part, double x, double y, double width, hr_text *out) {
    hr_text_printf(out,
                   "<rect class=\"q%d part\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"",
                   part->shade, x, y, width, STACK);
    hr_chart_tip("rect", part->tip, out);
    if (!part->text || hr_label_width(part->text) + 6 > width) return;
    hr_text_printf(out, "<text class=\"on%d\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                   part->shade, x + width / 2, y + STACK - 6);
    hr_html_text(out, part->text);
    hr_text_puts(out, "</text>\n");
}

void hr_stacks_svg(const char *name, const char *about, const hr_stack *stacks, size_t count,
                   hr_text *out) {
    double label = widest(stack_label, stacks, count), left = label + LABEL_GAP;
    double room = HR_CHART_WIDTH - left - 2;
    hr_chart_open(name, about, (double)count * (STACK + GAP), out);
    for (size_t i = 0; i < count; i++) {
        double y = (double)i * (STACK + GAP), x = left;
        draw_label(stacks[i].label, label, y + STACK - 6, out);
        for (size_t j = 0; j < stacks[i].count; j++) {
            double width = stacks[i].parts[j].share * room;
            if (width >= 0.3) draw_part(&stacks[i].parts[j], x, y, width, out);
            x += width;
        }
    }
    hr_chart_close(out);
}
