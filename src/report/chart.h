/* chart.h - line charts as SVG, for self-contained pages. */
#ifndef HR_CHART_H
#define HR_CHART_H

#include "base/base.h"

enum { HR_CHART_STYLES = 24, HR_TICKS_MOST = 16 };

typedef struct {
    double x, y;       /* y NaN: no point; the line is interrupted */
    const char *title; /* tooltip; NULL: none */
    bool marked;       /* drawn larger and filled */
} hr_point;

/* Styles 0 to HR_CHART_STYLES - 1 differ in colour, dashes and marker. Style -1 (boundaries
 * enforced) and -2 (counted) draw lower bounds: thin, grey and without markers. */
typedef struct {
    int style;
    const hr_point *points;
    size_t count;
} hr_series;

typedef struct {
    const char *label; /* quantity and unit */
    double least, most;
    bool whole;       /* ticks are whole numbers */
    bool logarithmic; /* needs least > 0 */
} hr_chart_axis;

typedef struct {
    const char *name; /* for screen readers */
    hr_chart_axis x, y;
    const hr_series *series;
    size_t series_count;
} hr_chart;

/* Chooses about `wanted`, at most HR_TICKS_MOST round numbers that enclose [axis->least,
 * axis->most]: multiples of 1, 2 or 5 times a power of ten; on a logarithmic axis these numbers
 * themselves. An axis of a single whole number gets one tick. Returns the number of ticks and sets
 * the axis to their range. */
size_t hr_ticks(hr_chart_axis *axis, unsigned wanted, double *ticks);
/* "0.05", "1200", "1.2M", "1.5e-5" */
void hr_tick_text(double value, hr_text *out);

void hr_chart_svg(const hr_chart *chart, hr_text *out);
/* The sample line of a style, for a legend. */
void hr_chart_sample(int style, hr_text *out);
/* Style sheet of the charts, for light and dark screens. */
extern const char hr_chart_css[];

/* Appends a text with &, <, > and quotes escaped; control characters and invalid UTF-8 become
 * '?'. */
void hr_html_text(hr_text *out, const char *text);

#endif
