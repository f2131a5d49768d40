/* judge.h - the definitions of the papers and of the contract, written down plainly: MAGVals, MAM
 * cells, OUT, what covers what, classes, and whether a file keeps the promises of its job. */
#ifndef JUDGE_H
#define JUDGE_H

#include "world.h"

/* k and p as they are enforced: p values need p rows. */
int needed_k(const world *w);

/* First boundary node at or above the node, or the root. */
int magval(const quasi *q, int node);
/* The same with the boundary one level up: the old MAGVal's parent. */
int relaxed_magval(const quasi *q, int node);
bool is_bounded(const quasi *q); /* some leaf value's MAGVal is not the root */
int original_node(const world *w, const quasi *q, int row);
bool is_dropped(const world *w, int row); /* a missing number, on_missing: drop */

/* Least and greatest number of a column in hundredths, missing ones left out. */
void number_range(const world *w, const sheet *s, int column, long *least, long *most);

/* Distinct values of a sensitive attribute among some rows of a sheet; missing never counts. With
 * bins, the range least..most is cut. largest: rows of the most frequent value. */
int distinct_values(const world *w, const sensitive *a, const sheet *s, int column,
                    const bool *rows, int *largest, long least, long most);
/* The same for rows of the input. */
int input_values(const world *w, const sensitive *a, const bool *rows, int *largest);
/* Are two texts of a sensitive attribute one value? */
bool same_value(const sensitive *a, const char *x, const char *y, long least, long most);

/* ---- MAM cells and OUT ---- */

typedef struct {
    int cell[MOST_ROWS];              /* -1: dropped */
    bool gone[MOST_ROWS];             /* dropped or in OUT */
    int cells, cells_out, cells_poor; /* poor: k rows, but not p values */
    int dropped, suppressed;
} fate;

/* relaxed: this quasi-identifier's boundary goes one level up; -1: none. */
void decide_fate(const world *w, int k, int p, bool bounded, int relaxed, fate *f);

/* At most how many classes of k rows with p values the cells that are not OUT can be cut into. */
int most_classes(const world *w, int k, int p, const fate *f);

/* ---- published values ---- */

/* A published text read again: a node, or an interval in hundredths. */
typedef struct {
    int node;
    long lo, hi;
} value;

value read_value(const quasi *q, const char *text);
bool value_covers(const world *w, const quasi *q, value v, int row);
/* Past the boundary of the row's original. */
bool value_violates(const world *w, const quasi *q, value v, int row);
double value_loss(const world *w, const quasi *q, value v);    /* IL of one row */
double value_penalty(const world *w, const quasi *q, value v); /* NCP */

/* ---- a release file ---- */

typedef struct {
    sheet sheet;
    int original[MOST_ROWS]; /* input row of each row, -1: unknown */
} release;

/* Column of the release that holds a column of the input. */
int released_column(const world *w, const sheet *s, int input_column);
bool same_class(const world *w, const sheet *s, int a, int b);
/* k and p on the file alone. */
bool file_holds(const world *w, const sheet *s, bool original_range);
/* And against the original: values cover, boundaries, nothing else changed. */
bool release_holds(const world *w, const release *r);

#endif
