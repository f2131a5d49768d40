/* chart_panels.c - several line charts side by side in a file of its own: the form in which
 * documents include charts. */
#include "report/chart.h"

#include <assert.h>
#include <string.h>

enum { TITLE = 22, LINE = 18, GAP = 8 };

/* The part of the style sheet from one of its headings up to another. */
static void add_style(const char *from, const char *to, hr_text *out) {
    const char *begin = strstr(hr_style_css, from), *end = strstr(hr_style_css, to);
    assert(begin && end && begin < end);
    hr_text_add(out, begin, (size_t)(end - begin));
}

static void draw_panel(const hr_panel *panel, size_t i, hr_text *out) {
    hr_text_printf(out, "<g transform=\"translate(%zu %d)\">\n", i * HR_CHART_WIDTH, TITLE);
    hr_text_printf(out, "<text class=\"strong\" x=\"%d\" y=\"-6\" text-anchor=\"middle\">",
                   HR_CHART_WIDTH / 2 + 25);
    hr_html_text(out, panel->title);
    hr_text_puts(out, "</text>\n");
    hr_chart_draw(&panel->chart, out);
    hr_text_puts(out, "</g>\n");
}

void hr_panels_svg(const char *name, const hr_panel *panels, size_t count,
                   const hr_legend_item *legend, size_t legend_count, hr_text *out) {
    size_t columns = count < 2 ? 2 : count, width = columns * HR_CHART_WIDTH;
    size_t lines = (legend_count + columns - 1) / columns;
    size_t height = TITLE + HR_LINES_HEIGHT + GAP + LINE * lines + GAP;
    hr_text_printf(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"alone\" viewBox=\"0 0 %zu "
                   "%zu\" width=\"%zu\" height=\"%zu\" role=\"img\" aria-label=\"",
                   width, height, width, height);
    hr_html_text(out, name);
    hr_text_puts(out, "\">\n<title>");
    hr_html_text(out, name);
    hr_text_puts(out, "</title>\n<style>\n");
    add_style("/* style.css", "/* Text */", out); /* the colours */
    add_style("/* Charts */", "/* Paper */", out);
    hr_text_puts(out, "</style>\n");
    for (size_t i = 0; i < count; i++)
        draw_panel(&panels[i], i, out);
    for (size_t i = 0; i < legend_count; i++) {
        size_t x = GAP + i % columns * HR_CHART_WIDTH;
        size_t y = TITLE + HR_LINES_HEIGHT + GAP + LINE * (i / columns);
        hr_text_printf(out, "<g transform=\"translate(%zu %zu)\">", x, y);
        hr_chart_sample_draw(legend[i].style, out);
        hr_text_puts(out, "<text x=\"48\" y=\"11\">");
        hr_label(out, legend[i].label, HR_CHART_WIDTH - 60);
        hr_text_puts(out, "</text></g>\n");
    }
    hr_text_puts(out, "</svg>\n");
}
