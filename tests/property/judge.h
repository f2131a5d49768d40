/* judge.h - plain implementations of the definitions of the papers and of the manual: MAGVals, MAM
 * cells, OUT, covering, classes, and whether a file satisfies its job. */
#ifndef JUDGE_H
#define JUDGE_H

#include "world.h"

/* The k that is enforced: at least p, because p values need p rows. */
int needed_k(const world *w);

/* The first boundary node at or above the node, or the root. */
int magval(const quasi *q, int node);
/* The MAGVal if the boundary were one level higher: the parent of the MAGVal. */
int relaxed_magval(const quasi *q, int node);
/* judge_cuts.c: the cell of every row's number, as some number that the rows of a cell share.
 * `other`: the MAM cell of every row by the other attributes, -1 if it is dropped; needed if the
 * cut points are chosen. */
bool cuts_chosen(const quasi *q);
void number_cells(const world *w, const quasi *q, int k, int p, bool relaxed, const int *other,
                  int *cell);
bool is_bounded(const quasi *q); /* some MAGVal is not the root; numbers: cut in any way */
/* The node of the row's value: its leaf, or the finest node allowed for it. */
int original_node(const world *w, const quasi *q, int row);
bool is_dropped(const world *w, int row); /* a value is missing, and on_missing is drop */

/* The least and greatest number of a column in hundredths, without missing values. */
void number_range(const world *w, const sheet *s, int column, long *least, long *most);

/* The number of distinct values of a sensitive attribute in the marked rows of a sheet. Missing
 * values do not count. With bins, least..most is the range that is divided. *largest is set to the
 * number of rows with the most frequent value. */
int distinct_values(const world *w, const sensitive *a, const sheet *s, int column,
                    const bool *rows, int *largest, long least, long most);
/* distinct_values for rows of the input. */
int input_values(const world *w, const sensitive *a, const bool *rows, int *largest);
/* Do two texts of a sensitive attribute count as the same value? */
bool same_value(const sensitive *a, const char *x, const char *y, long least, long most);

/* ---- MAM cells and OUT ---- */

typedef struct {
    int cell[MOST_ROWS];              /* -1: dropped */
    bool gone[MOST_ROWS];             /* dropped or in OUT */
    int cells, cells_out, cells_poor; /* poor: k rows, but fewer than p values */
    int dropped, suppressed;
} fate;

/* relaxed: the quasi-identifier whose boundary is taken one level higher; -1: none. */
void decide_fate(const world *w, int k, int p, bool bounded, int relaxed, fate *f);

/* The largest number of classes of k rows with p values in the cells that are not OUT. */
int most_classes(const world *w, int k, int p, const fate *f);

/* The most rows of a cell that a release can contain if sensitive attribute l were the only one: no
 * value has a share above alpha, and there are k rows and p values. */
int most_kept(const world *w, int k, int p, const fate *f, int cell, int l);

/* ---- published values ---- */

/* A published value: a node, or an interval in hundredths. */
typedef struct {
    int node;
    long lo, hi;
} value;

value read_value(const quasi *q, const char *text);
bool value_covers(const world *w, const quasi *q, value v, int row);
/* Is the value past the boundary of the original value of the row? Cells of numbers are those of
 * the last decide_fate for the k and p of the world. */
bool value_violates(const world *w, const quasi *q, value v, int row);
double value_loss(const world *w, const quasi *q, value v);    /* IL of the value for one row */
double value_penalty(const world *w, const quasi *q, value v); /* NCP */

/* ---- a release file ---- */

typedef struct {
    sheet sheet;
    int original[MOST_ROWS]; /* the input row of each released row; -1: unknown */
} release;

/* The column of the release that corresponds to a column of the input. */
int released_column(const world *w, const sheet *s, int input_column);
bool same_class(const world *w, const sheet *s, int a, int b);
/* Does the file satisfy k, p and alpha? Judged by the file alone. */
bool file_holds(const world *w, const sheet *s, bool original_range);
/* file_holds, and compared with the original: values cover their originals, no boundary is crossed
 * and nothing else has changed. */
bool release_holds(const world *w, const release *r);

#endif
