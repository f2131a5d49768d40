/* chart.h - line charts as SVG, for pages that need nothing else. */
#ifndef HR_CHART_H
#define HR_CHART_H

#include "base/base.h"

enum { HR_CHART_STYLES = 24, HR_TICKS_MOST = 16 };

typedef struct {
    double x, y;       /* y NaN: no point, and the line is broken there */
    const char *title; /* shown when pointed at; NULL: none */
    bool marked;       /* drawn larger */
} hr_point;

typedef struct {
    int style; /* 0 .. HR_CHART_STYLES - 1: colour, dashes and marker; -1, -2: bounds, grey and thin */
    const hr_point *points;
    size_t count;
} hr_series;

typedef struct {
    const char *label; /* what is on the axis, with its unit */
    double least, most;
    bool whole;       /* ticks are whole numbers */
    bool logarithmic; /* least > 0 */
} hr_axis;

typedef struct {
    const char *name; /* of the chart, for those who do not see it */
    hr_axis x, y;
    const hr_series *series;
    size_t series_count;
} hr_chart;

/* Round numbers from at or below `axis->least` to at or above `axis->most`, about `wanted` of them
 * and at most HR_TICKS_MOST: steps of 1, 2 or 5 times a power of ten; on a logarithmic axis such
 * numbers themselves; a whole number alone if there is no other value. Returns how many; *axis becomes
 * their range. */
size_t hr_ticks(hr_axis *axis, unsigned wanted, double *ticks);
/* "0.05", "1200", "1.2M", "1.5e-5" */
void hr_tick_text(double value, hr_text *out);

void hr_chart_svg(const hr_chart *chart, hr_text *out);
/* The sample of a style, for a legend. */
void hr_chart_sample(int style, hr_text *out);
/* The style sheet that charts need, for light and dark screens. */
extern const char hr_chart_css[];

/* Append a text with &, <, > and quotes escaped, and what is not UTF-8 or controls made '?'. */
void hr_html_text(hr_text *out, const char *text);

#endif
