/* plot.c - columns of a CSV file as an SVG with one or more panels, drawn by the charts of the
 * library (src/report/chart.h).
 *
 *   hedgerow-plot FILE.csv NAME x=p panel=k y=NTIL [log=1] 'series=column:label;column:label'
 *   hedgerow-plot FILE.csv NAME x=p 'panels=title|y label|log|series/title|...'
 *
 * With `panel`, each value of that column is a panel. A series whose column is absent is left out,
 * an empty cell interrupts its line. A column that has another NAME_sd gets bars of one deviation.
 * Series labelled "least possible ..." are lower bounds. */
#include "report/chart.h"

#include "data/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PANELS = 8, SERIES = 12, ROWS = 256 };

typedef struct {
    const hr_table *table;
    const char *x;
    hr_legend_item legend[SERIES];
    size_t legend_count;
    int styles, bounds; /* given to algorithms and to bounds */
} plot;

typedef struct {
    char title[64], unit[64];
    bool logarithmic;
    const char *key; /* of the rows drawn; NULL: all */
    hr_series series[SERIES];
    hr_point points[SERIES][ROWS];
    size_t series_count;
    double x_least, x_most, y_least, y_most;
} panel;

static void stop(const char *what, const char *which) {
    fprintf(stderr, "hedgerow-plot: %s '%s'\n", what, which);
    exit(1);
}

/* The value of an argument NAME=VALUE; `otherwise` if it is not given. */
static const char *argument(char **argv, const char *name, const char *otherwise) {
    size_t length = strlen(name);
    for (; *argv; argv++)
        if (!strncmp(*argv, name, length) && (*argv)[length] == '=') return *argv + length + 1;
    return otherwise;
}

static double number(const hr_column *column, size_t row) {
    double value;
    const char *text = column ? hr_column_text(column, row) : "";
    return hr_parse_double(text, &value) ? value : NAN;
}

/* The style of a label: the same in all panels. */
static int style_of(plot *p, const char *label) {
    for (size_t i = 0; i < p->legend_count; i++)
        if (!strcmp(p->legend[i].label, label)) return p->legend[i].style;
    if (p->legend_count == SERIES) stop("too many series, at", label);
    bool bound = !strncmp(label, "least possible", 14);
    int style = bound ? -1 - p->bounds++ : p->styles++;
    p->legend[p->legend_count++] = (hr_legend_item){style, label};
    return style;
}

static bool is_drawn(const plot *p, const panel *made, const char *by, size_t row) {
    return !made->key || !strcmp(hr_column_text(hr_table_find(p->table, by), row), made->key);
}

static void add_point(const plot *p, panel *made, hr_series *series, size_t row,
                      const hr_column *column, const hr_column *deviation) {
    double x = number(hr_table_find(p->table, p->x), row), y = number(column, row);
    double spread = deviation ? number(deviation, row) : 0;
    if (series->count == ROWS) stop("too many rows in", made->title);
    if (made->logarithmic && y <= 0) y = NAN;
    made->points[made->series_count][series->count++] =
        (hr_point){.x = x, .y = y, .spread = isnan(spread) ? 0 : spread};
    made->x_least = fmin(made->x_least, x);
    made->x_most = fmax(made->x_most, x);
    if (isnan(y)) return;
    made->y_least = fmin(made->y_least, y - (spread > 0 ? spread : 0));
    made->y_most = fmax(made->y_most, y + (spread > 0 ? spread : 0));
}

/* Adds `column:label`; nothing if the column is absent. */
static void add_series(plot *p, panel *made, char *item, const char *by) {
    char *colon = strchr(item, ':'), deviation[128];
    if (!colon) stop("a series is COLUMN:LABEL, not", item);
    *colon = '\0';
    const hr_column *column = hr_table_find(p->table, item);
    snprintf(deviation, sizeof deviation, "%s_sd", item);
    if (!column) return;
    if (made->series_count == SERIES) stop("too many series in", made->title);
    hr_series *series = &made->series[made->series_count];
    *series =
        (hr_series){.style = style_of(p, colon + 1), .points = made->points[made->series_count]};
    for (size_t row = 0; row < p->table->rows; row++)
        if (is_drawn(p, made, by, row))
            add_point(p, made, series, row, column, hr_table_find(p->table, deviation));
    made->series_count++;
}

static void fill(plot *p, panel *made, char *list, const char *by) {
    made->x_least = made->y_least = INFINITY;
    made->x_most = made->y_most = -INFINITY;
    for (char *item = list, *next; item; item = next) {
        next = strchr(item, ';');
        if (next) *next++ = '\0';
        add_series(p, made, item, by);
    }
    if (made->y_most < made->y_least) made->y_least = made->y_most = 1;
}

static hr_panel finish(const plot *p, const panel *made) {
    return (hr_panel){
        .title = made->title,
        .chart = {.name = made->title,
                  .x = {.label = p->x, .least = made->x_least, .most = made->x_most, .whole = true},
                  .y = {.label = made->unit,
                        .least = made->logarithmic ? made->y_least : 0,
                        .most = made->y_most,
                        .logarithmic = made->logarithmic},
                  .series = made->series,
                  .series_count = made->series_count}};
}

/* One panel for each value of the column `by`. */
static size_t panels_by(plot *p, panel *made, const char *by, char **argv) {
    const hr_column *column = hr_table_find(p->table, by);
    size_t count = 0;
    if (!column) stop("there is no column", by);
    for (size_t row = 0; row < p->table->rows; row++) {
        const char *key = hr_column_text(column, row);
        size_t i = 0;
        while (i < count && strcmp(made[i].key, key) != 0)
            i++;
        if (i < count) continue;
        if (count == PANELS) stop("too many panels, at", key);
        panel *next = &made[count++];
        char *list = strdup(argument(argv, "series", ""));
        if (!list) stop("out of memory at", key);
        next->key = key;
        snprintf(next->title, sizeof next->title, "%s = %s", by, key);
        snprintf(next->unit, sizeof next->unit, "%s", argument(argv, "y", ""));
        next->logarithmic = !strcmp(argument(argv, "log", "0"), "1");
        fill(p, next, list, by); /* labels point into the list */
    }
    return count;
}

/* Cuts the text at the next separator; the part before it. */
static char *part(char **text, char separator) {
    char *begin = *text, *end = strchr(begin, separator);
    *text = end ? end + 1 : begin + strlen(begin);
    if (end) *end = '\0';
    return begin;
}

static size_t panels_listed(plot *p, panel *made, char *list) {
    size_t count = 0;
    while (*list) {
        char *item = part(&list, '/');
        if (count == PANELS) stop("too many panels, at", item);
        panel *next = &made[count++];
        snprintf(next->title, sizeof next->title, "%s", part(&item, '|'));
        snprintf(next->unit, sizeof next->unit, "%s", part(&item, '|'));
        next->logarithmic = !strcmp(part(&item, '|'), "1");
        fill(p, next, item, NULL);
    }
    return count;
}

int main(int argc, char **argv) {
    static panel made[PANELS];
    hr_panel panels[PANELS];
    hr_table *table;
    hr_error err;
    hr_text svg = {0};
    if (argc < 4) stop("usage: hedgerow-plot FILE.csv NAME x=COLUMN ..., not", argv[0]);
    if (hr_table_read(argv[1], &table, &err) != HR_OK) stop(err.message, argv[1]);
    plot p = {.table = table, .x = argument(argv, "x", "")};
    if (!hr_table_find(table, p.x)) stop("there is no column", p.x);
    const char *by = argument(argv, "panel", NULL);
    char *listed = strdup(argument(argv, "panels", ""));
    size_t count = by       ? panels_by(&p, made, by, argv)
                   : listed ? panels_listed(&p, made, listed)
                            : 0;
    for (size_t i = 0; i < count; i++)
        panels[i] = finish(&p, &made[i]);
    hr_panels_svg(argv[2], panels, count, p.legend, p.legend_count, &svg);
    if (svg.failed || fputs(svg.data, stdout) < 0 || fflush(stdout)) stop("cannot write", argv[2]);
    hr_text_free(&svg);
    hr_table_free(table);
    return 0; /* the texts of labels live until here */
}
