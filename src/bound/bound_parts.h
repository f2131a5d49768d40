/* bound_parts.h - the steps of the lower bound; bound.h explains the idea and names the files.
 * hedge uses two of them, V and the climb, to judge boxes. */
#ifndef HR_BOUND_PARTS_H
#define HR_BOUND_PARTS_H

#include "bound/bound.h"
#include "bound/boxes.h"

/* ---- bound_table.c ---- */

/* The rows that are not OUT. Points into itself: it must not be moved. */
typedef struct {
    hr_arena arena;
    hr_axes axes;
    hr_kinds kinds;     /* of all cells */
    hr_box_space space; /* combinations of a cell ascend by position on its first axis */
    uint32_t cell_count;
    uint32_t *cell_start;   /* cell_count + 1: first combination of each cell */
    uint64_t *cell_classes; /* upper limit on the classes of each cell */
    uint32_t *all;          /* 0, 1, ...: combinations as members of the whole table */
    uint32_t *kind_number;  /* per kind: its number in the order of first rows */
    uint32_t *kind_of_row;  /* such a number; HR_NONE: OUT or dropped */
    uint64_t lost;          /* rows that are OUT or dropped */
} hr_bound_table;

/* Time: O(rows x attributes). */
hr_status hr_bound_table_make(const hr_microdata *data, const hr_groups *cells, const bool *out,
                              const hr_requirements *asked, hr_bound_table *table, hr_error *err);
void hr_bound_table_free(hr_bound_table *table);

static inline uint32_t hr_bound_cell_size(const hr_bound_table *table, uint32_t cell) {
    return table->cell_start[cell + 1] - table->cell_start[cell];
}

/* Is combination number i of the cell the first at its position on the first axis? */
static inline bool hr_bound_begins(const hr_bound_table *table, uint32_t cell, uint32_t i) {
    const uint32_t *at = table->space.axes[0].at + table->cell_start[cell];
    return i == 0 || at[i] != at[i - 1];
}

/* Walks the boxes of a cell that begin at the position of its combination number i. */
hr_status hr_bound_walk_from(hr_box_walk *walk, const hr_bound_table *table, uint32_t cell,
                             uint32_t i, hr_error *err);

/* ---- bound_simple.c ---- */

/* least[c]: lower bound on the cost of the box that combination c is released in, per row. This is
 * the cost of its cheapest feasible box unless the search was cut off; *exact is false if it was
 * for any combination. `work` limits the combinations in all boxes visited. Time: O(work). */
hr_status hr_bound_simple(const hr_bound_table *table, uint64_t work, unsigned threads,
                          const hr_watch *watch, uint64_t *least, bool *exact, hr_error *err);

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
    uint64_t classes;           /* upper limit on their number */
    uint64_t ceiling; /* boxes that cost less than this are listed, and no multiplier may be
                                   greater; UINT64_MAX: every box is listed */
    uint32_t count;   /* boxes */
    const uint64_t *cost;
    const size_t *inside_start; /* count + 1 */
    const uint32_t *inside;     /* combinations inside each box */
} hr_bound_cell;

/* A cell and what it points to. */
typedef struct {
    hr_bound_cell cell;
    uint32_t *kind_start;
    hr_box_list boxes;
} hr_bound_list;

/* Lists the feasible canonical boxes of a cell, with the highest ceiling that gives at most `pairs`
 * (combination, box around it) pairs. A ceiling that does not exceed `least` is useless: no box is
 * listed then, nor if the deadline passes. */
hr_status hr_bound_list_make(const hr_bound_table *table, uint32_t cell, size_t pairs,
                             uint64_t least, double deadline, hr_progress *progress,
                             hr_bound_list *out, hr_error *err);
void hr_bound_list_free(hr_bound_list *list);

/* ---- bound_value.c: V of a box ---- */

/* Rows of one kind that the best class inside a box takes. */
typedef struct {
    uint32_t kind, rows;
} hr_bound_taken;

typedef struct hr_bound_valuer hr_bound_valuer;

/* Free with hr_bound_valuer_free, also on failure. */
hr_status hr_bound_valuer_new(const hr_bound_cell *cell, hr_bound_valuer **out, hr_error *err);
void hr_bound_valuer_free(hr_bound_valuer *valuer);
/* Sets the multipliers, one for each kind; they are not copied. */
void hr_bound_valuer_set(hr_bound_valuer *valuer, const int64_t *multiplier);
/* The minimum, over sensitive attributes, of the greatest sum of multiplier - cost over the rows of
 * a class inside the box that has k rows and p values of this one attribute. If that is not above
 * `enough`, the result is any number from it up to `enough`. */
int64_t hr_bound_value(hr_bound_valuer *valuer, uint32_t box, int64_t enough);
/* The class that reaches the last value; empty if that was not above `enough`. */
const hr_bound_taken *hr_bound_class(const hr_bound_valuer *valuer, uint32_t *count);

/* ---- bound_climb.c: better multipliers, step by step ---- */

typedef struct {
    int64_t *multiplier; /* per kind */
    int64_t price;       /* of a class */
    int64_t bound;       /* lower bound on the loss of the cell's rows */
} hr_bound_prices;

typedef struct {
    uint32_t steps;
    unsigned threads;
    double deadline; /* hr_seconds() at which to stop; 0: none */
    hr_progress *progress;
} hr_bound_effort;

/* Starts from the multipliers given, cut at the ceiling, and returns the best ones met. Time:
 * O(steps x pairs). */
hr_status hr_bound_climb(const hr_bound_cell *cell, const hr_bound_effort *effort,
                         hr_bound_prices *prices, hr_error *err);

#endif
