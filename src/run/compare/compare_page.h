/* compare_page.h - the page of a comparison while it is written: compare_page.c writes the frame
 * and the tables, compare_charts.c the curves. */
#ifndef HR_COMPARE_PAGE_H
#define HR_COMPARE_PAGE_H

#include "run/compare/compare.h"

#include <math.h>

typedef struct {
    double least, most; /* NaN: no values */
} hr_range;

enum { HR_FIGURES_MOST = 32 }; /* at least the rows of hr_compare_figures */

typedef struct {
    const hr_compare *compare;
    hr_text *out;
    hr_range ranges[HR_FIGURES_MOST]; /* per figure, over all runs */
} hr_page;

static inline hr_range hr_page_range(const hr_page *page, const hr_figure *figure) {
    return page->ranges[figure - hr_compare_figures];
}

/* Does any run have the figure? */
static inline bool hr_page_has(const hr_page *page, const hr_figure *figure) {
    return !isnan(hr_page_range(page, figure).most);
}

/* compare_charts.c: appends the heading, legend and charts of a figure; nothing if no run has
 * it. */
hr_status hr_page_add_figure(const hr_page *page, const hr_figure *figure, hr_error *err);

#endif
