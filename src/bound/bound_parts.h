/* bound_parts.h - the steps of the lower bound; bound.h explains the idea and names the files.
 * hedge uses two of them, V and the climb, to judge boxes. */
#ifndef HR_BOUND_PARTS_H
#define HR_BOUND_PARTS_H

#include "bound/bound.h"
#include "bound/boxes.h"

/* ---- bound_table.c ---- */

/* The rows that are neither OUT nor dropped. Points into itself: it must not be moved. */
typedef struct {
    hr_arena arena;
    hr_axes axes;
    hr_kinds kinds;     /* of all cells */
    hr_box_space space; /* the combinations of a cell are sorted by position on the first axis */
    uint32_t cell_count;
    uint32_t *cell_start;   /* cell_count + 1: first combination of each cell */
    uint64_t *cell_classes; /* upper limit on the classes of each cell */
    uint32_t *all;          /* 0, 1, ...: all combinations, as members for walks */
    uint32_t *kind_number;  /* per kind: its number in the order of first rows */
    uint32_t *kind_of_row;  /* per row: kind_number of its kind; HR_NONE: OUT or dropped */
    uint64_t lost;          /* rows that are OUT or dropped */
} hr_bound_table;

/* Time: O(rows x attributes). */
hr_status hr_bound_table_make(const hr_microdata *data, const hr_groups *cells, const bool *out,
                              const hr_requirements *asked, hr_bound_table *table, hr_error *err);
void hr_bound_table_free(hr_bound_table *table);

static inline uint32_t hr_bound_cell_size(const hr_bound_table *table, uint32_t cell) {
    return table->cell_start[cell + 1] - table->cell_start[cell];
}

/* Is combination i of the cell the first one at its position on the first axis? */
static inline bool hr_bound_begins(const hr_bound_table *table, uint32_t cell, uint32_t i) {
    const uint32_t *at = table->space.axes[0].at + table->cell_start[cell];
    return i == 0 || at[i] != at[i - 1];
}

/* Walks the boxes of a cell whose value on the first axis begins at the position of its combination
 * number i. */
hr_status hr_bound_walk_from(hr_box_walk *walk, const hr_bound_table *table, uint32_t cell,
                             uint32_t i, hr_error *err);

/* ---- bound_simple.c ---- */

/* Sets least[c] to the cost, per row, of the cheapest feasible box around combination c, or to
 * UINT64_MAX if the search was cut off before it found one: then all boxes around c cost *ceiling
 * or more. `work` limits the sum over all boxes visited of the combinations inside, `deadline` (in
 * hr_seconds(); 0: none) the time. Time: O(work). */
hr_status hr_bound_simple(const hr_bound_table *table, uint64_t work, double deadline,
                          unsigned threads, const hr_watch *watch, uint64_t *least,
                          uint64_t *ceiling, hr_error *err);

/* ---- bound_near.c ---- */

typedef struct {
    uint64_t work;   /* comparisons of codes per combination */
    double deadline; /* hr_seconds() at which to stop; 0: none */
    unsigned threads;
    const hr_watch *watch;
} hr_near_effort;

/* Replaces each least[c] that is UINT64_MAX by a lower bound on the cost, per row, of the box in
 * which combination c is released; it is `ceiling` at least. Memory: 2 bytes per combination and
 * attribute, and 30 KB + 0.4 KB per attribute and thread. Time: O(work x combinations). */
hr_status hr_bound_near(const hr_bound_table *table, const hr_near_effort *effort, uint64_t ceiling,
                        uint64_t *least, hr_error *err);

/* ---- bound_list.c ---- */

/* Kinds and boxes of one cell. Combinations and kinds are numbered from 0 within the cell. */
typedef struct {
    uint32_t k, p;
    size_t r;
    const uint32_t *value_count; /* r */
    uint32_t combination_count, kind_count;
    const uint32_t *kind_start; /* combination_count + 1 */
    const uint32_t *kind_rows;
    const uint32_t *kind_value; /* kind_count x r; HR_NONE: missing */
    uint64_t classes;           /* upper limit on the number of classes */
    /* Boxes that cost less than the ceiling are listed, and a multiplier may not exceed both the
     * ceiling and `least` of its combination. In any other box no row pays more than 0, so V is not
     * positive and the box does not count. UINT64_MAX: every box is listed, and there is no such
     * limit. */
    uint64_t ceiling;
    const uint64_t *least; /* per combination: see hr_bound_simple; NULL: 0 */
    uint32_t count;        /* boxes */
    const uint64_t *cost;
    const size_t *inside_start; /* count + 1 */
    const uint32_t *inside;     /* combinations inside each box */
} hr_bound_cell;

/* An hr_bound_cell and the arrays that it points to; see hr_bound_list_free. */
typedef struct {
    hr_bound_cell cell;
    uint32_t *kind_start;
    hr_box_list boxes;
} hr_bound_list;

/* Lists the feasible canonical boxes of a cell. Tries ceilings from high to low until there are at
 * most `pairs` (combination, box around it) pairs. Lists no box, with ceiling 0, if the ceiling
 * would not exceed `least`, or if the deadline passes. */
hr_status hr_bound_list_make(const hr_bound_table *table, uint32_t cell, size_t pairs,
                             uint64_t least, double deadline, hr_progress *progress,
                             hr_bound_list *out, hr_error *err);
void hr_bound_list_free(hr_bound_list *list);

/* ---- bound_value.c: V of a box ---- */

/* Rows of one kind in the best class of a box. */
typedef struct {
    uint32_t kind, rows;
} hr_bound_taken;

/* Computes V of the boxes of one cell; one for each thread. */
typedef struct hr_bound_valuer hr_bound_valuer;

/* Free with hr_bound_valuer_free, also on failure. */
hr_status hr_bound_valuer_new(const hr_bound_cell *cell, hr_bound_valuer **out, hr_error *err);
void hr_bound_valuer_free(hr_bound_valuer *valuer);
/* Sets the multipliers, one for each kind; they are not copied. */
void hr_bound_valuer_set(hr_bound_valuer *valuer, const int64_t *multiplier);
/* V of a box. A row in the box pays its multiplier minus the cost of the box. For each sensitive
 * attribute there is a best class: of the classes inside the box with at least k rows and p values
 * of this attribute, the one whose rows pay most in all. V is the least, over the attributes, of
 * what these best classes pay.
 *
 * Only values above `enough` matter to the caller (the price of a class: other boxes do not count).
 * If V is not above `enough`, the computation may stop early and return any number from V to
 * `enough`. INT64_MIN: the result is always V. */
int64_t hr_bound_value(hr_bound_valuer *valuer, uint32_t box, int64_t enough);
/* The best class that decided the last hr_bound_value: the one that pays V. Empty if the result was
 * not above `enough`. */
const hr_bound_taken *hr_bound_class(const hr_bound_valuer *valuer, uint32_t *count);

/* ---- bound_climb.c: raises the bound of a cell step by step ---- */

typedef struct {
    int64_t *multiplier; /* per kind */
    int64_t price;       /* of a class */
    int64_t bound;       /* the lower bound on the loss of the cell's rows that they prove */
} hr_bound_prices;

typedef struct {
    uint32_t steps;
    unsigned threads;
    double deadline; /* hr_seconds() at which to stop; 0: none */
    hr_progress *progress;
} hr_bound_effort;

/* Starts from the multipliers and the price in `prices`, with multipliers that are too large for
 * the ceiling lowered, and replaces them by the best ones met. Time: O(steps x pairs). */
hr_status hr_bound_climb(const hr_bound_cell *cell, const hr_bound_effort *effort,
                         hr_bound_prices *prices, hr_error *err);

#endif
