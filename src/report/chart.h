/* chart.h - charts as SVG, for self-contained pages and files: lines (chart.c), several of them in
 * one drawing (chart_panels.c), bars (chart_bars.c), histograms and heat maps (chart_grid.c),
 * hierarchies (chart_tree.c); and the texts in them (chart_text.c). Colours and fonts are in
 * style.css. A chart is HR_CHART_WIDTH wide; a page scales it. Every chart has a name and a
 * description for screen readers, and marks have tooltips. */
#ifndef HR_CHART_H
#define HR_CHART_H

#include "base/base.h"

enum { HR_CHART_STYLES = 24, HR_TICKS_MOST = 16, HR_CHART_WIDTH = 380 };

/* ---- chart_text.c ---- */

/* Appends a text with &, <, > and quotes escaped; control characters and invalid UTF-8 become
 * '?'. Every text from a job or a table reaches pages and charts through this function. */
void hr_html_text(hr_text *out, const char *text);
/* About the width of a text in the font of charts; an upper estimate for most texts. */
double hr_label_width(const char *text);
/* Appends an escaped text, cut to be no wider than `width`: an ellipsis stands for its middle, so
 * that names that begin alike differ, or for its end where there is little room. */
void hr_label(hr_text *out, const char *text, double width);
/* Opens and closes the SVG of a chart. `about` describes the picture in words; NULL: nothing. */
void hr_chart_open(const char *name, const char *about, double height, hr_text *out);
void hr_chart_close(hr_text *out);
/* Ends the element that was begun with a tooltip: "><title>...</title></rect>". */
void hr_chart_tip(const char *element, const char *tip, hr_text *out);

/* ---- chart.c: lines ---- */

typedef struct {
    double x, y;       /* y NaN: no point; the line is interrupted */
    const char *title; /* tooltip; NULL: none */
    bool marked;       /* drawn larger and filled */
    double spread;     /* drawn as a bar from y - spread to y + spread; 0: none */
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
    const char *name;  /* for screen readers */
    const char *about; /* what the chart shows, in words, for screen readers; NULL: nothing */
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

enum { HR_LINES_HEIGHT = 250 };

void hr_chart_svg(const hr_chart *chart, hr_text *out);
/* The sample line of a style, for a legend: an SVG 40 wide and 14 high. */
void hr_chart_sample(int style, hr_text *out);
/* Draws the content of such an SVG without the <svg> element. */
void hr_chart_draw(const hr_chart *chart, hr_text *out);
void hr_chart_sample_draw(int style, hr_text *out);
/* style.css: the style sheet of pages and charts, for light and dark screens and for paper. */
extern const char hr_style_css[];
extern const size_t hr_style_css_size;

/* ---- chart_panels.c ---- */

typedef struct {
    const char *title;
    hr_chart chart;
} hr_panel;

typedef struct {
    int style;
    const char *label;
} hr_legend_item;

/* Several line charts side by side and their legend as a file of its own, which contains the style
 * sheet. */
void hr_panels_svg(const char *name, const hr_panel *panels, size_t count,
                   const hr_legend_item *legend, size_t legend_count, hr_text *out);

/* ---- chart_bars.c: horizontal bars ---- */

typedef struct {
    const char *label;
    double values[2];
    const char *texts[2]; /* beside the bars */
    const char *tip;      /* NULL: none */
} hr_bar;

typedef struct {
    const char *name, *about;
    const char *const *series; /* names of the values, shown as a legend if there are two */
    size_t series_count;       /* 1 or 2 */
    const hr_bar *bars;
    size_t count;
    double most; /* value of the longest possible bar; 0: the greatest value */
} hr_bar_chart;

void hr_bars_svg(const hr_bar_chart *chart, hr_text *out);

enum { HR_SHADES = 6 }; /* of the ramp, from light (0) to dark */

/* A bar of parts that follow each other; `share` is of the whole bar. */
typedef struct {
    double share;
    int shade;        /* 0 .. HR_SHADES - 1 */
    const char *text; /* within the part, if there is room; NULL: none */
    const char *tip;
} hr_stack_part;

typedef struct {
    const char *label;
    const hr_stack_part *parts;
    size_t count;
} hr_stack;

void hr_stacks_svg(const char *name, const char *about, const hr_stack *stacks, size_t count,
                   hr_text *out);

/* ---- chart_grid.c: histograms and heat maps ---- */

typedef struct {
    double from, to;
    double before, after; /* NaN: only the other one is drawn */
    const char *tip;
} hr_bin;

typedef struct {
    const char *name, *about;
    const char *x_label, *y_label;
    bool percent; /* the values are shares */
    bool whole;   /* only whole numbers occur on the x axis */
    const hr_bin *bins;
    size_t count;
    const double *cuts; /* vertical lines */
    size_t cut_count;
} hr_histogram;

/* `after` is drawn as columns, `before` as an outline. */
void hr_histogram_svg(const hr_histogram *histogram, hr_text *out);

typedef struct {
    const char *text; /* in the cell; NULL: the cell is empty */
    double value;     /* decides the shade */
    const char *tip;
    bool marked; /* framed */
} hr_heat_cell;

typedef struct {
    const char *name, *about;
    const char *row_title, *column_title;
    const char *const *rows, *const *columns; /* labels */
    size_t row_count, column_count;
    const hr_heat_cell *cells; /* row by row */
} hr_heat_map;

void hr_heat_svg(const hr_heat_map *map, hr_text *out);

/* ---- chart_tree.c: hierarchies ---- */

/* Nodes are in preorder; the root is the first one. */
typedef struct {
    const char *label;
    uint32_t parent;    /* index; HR_NONE: the root */
    uint32_t depth;     /* of the root: 0 */
    double rows;        /* share of all rows that have a value at or below the node */
    double published;   /* share of all rows that are published as exactly this node */
    bool boundary;      /* no value below the node may be generalized past it */
    uint32_t left_out;  /* children that are too small to be drawn */
    const char *figure; /* what an outline shows after the bar */
    const char *tip;
} hr_tree_node;

typedef struct {
    const char *name, *about;
    const hr_tree_node *nodes;
    size_t count;
    bool bounded; /* some boundary is not the root */
} hr_tree_chart;

/* An indented outline with a bar for each node. For small trees. */
void hr_tree_svg(const hr_tree_chart *tree, hr_text *out);
/* An icicle: each node is a rectangle whose width is its share of the rows, shaded by how many of
 * them are published as the node. For trees of any size. */
void hr_icicle_svg(const hr_tree_chart *tree, hr_text *out);

#endif
