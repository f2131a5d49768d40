/* bound.h - a proved lower bound on the loss of every release: how far from the least possible one
 * a release is at most. docs/design/hedge.md has the statement and its proof.
 *
 * Each row of a MAM cell that is not OUT is released in a class, whose published values are a box
 * that covers it and holds enough rows and sensitive values. For any multipliers u of the rows
 *
 *     loss >= sum of u - sum over boxes of max(0, V(box) - price) - price x classes at most,
 *
 * V(box) being the greatest sum of u - cost(box) over valid classes within the box. Equal rows share
 * a multiplier. The simple bound gives each row the cost of its cheapest feasible box, so that no V
 * is positive; climbing makes the sum greater. Everything is added in integers. */
#ifndef HR_BOUND_H
#define HR_BOUND_H

#include "measure/measure.h"

/* ---- bound_types.c: the rows that can be released, by cell, combination and kind ---- */

/* The published values of one attribute as ranges of positions: the nodes of a tree in preorder, or
 * intervals of ranks. */
typedef struct {
    const hr_quasi *quasi;
    uint32_t count;            /* positions */
    uint32_t *up, *end, *cost; /* of a tree: parent, end of the range, cost; NULL for numbers */
    const uint32_t *at;        /* position of each combination */
    uint32_t present;          /* positions that occur */
} hr_bound_axis;

typedef struct {
    hr_arena arena;
    const hr_microdata *data;
    uint32_t k, p;
    size_t t, r;            /* r: sensitive attributes that matter, none if p = 1 */
    hr_bound_axis *axes;    /* those with most values first, but one of numbers last */
    uint32_t *value_count;  /* r */
    uint32_t cell_count;    /* that are not OUT */
    uint32_t *cell_number;  /* of each: its number among all */
    uint32_t *cell_start;   /* cell_count + 1: its combinations */
    uint64_t *cell_classes; /* classes at most */
    uint32_t combination_count;
    uint32_t *all;        /* 0, 1, ...: the combinations as members of the whole */
    uint32_t *kind_start; /* combination_count + 1 */
    uint32_t kind_count;
    uint32_t *kind_rows;   /* of each kind: how many rows */
    uint32_t *kind_value;  /* kind_count x r; HR_NONE: missing */
    uint32_t *kind_first;  /* its first row */
    uint32_t *kind_number; /* its place in the order of first rows */
    uint32_t *kind_of_row; /* such a number; HR_NONE: in OUT or dropped */
    uint64_t lost;         /* rows in OUT or dropped */
} hr_bound_types;

/* Time: O(rows x attributes). */
hr_status hr_bound_types_make(const hr_microdata *data, const hr_groups *cells, const bool *out,
                              const hr_requirements *asked, hr_bound_types *types, hr_error *err);
void hr_bound_types_free(hr_bound_types *types);

/* ---- bound_walk.c: all boxes that hold enough rows and values ---- */

/* One box, or one that is still open on the axes from `axis` on. */
typedef struct {
    const uint32_t *members; /* combinations inside */
    uint32_t count;
    size_t axis;   /* t: nothing is open */
    uint64_t cost; /* of the axes before */
} hr_bound_box;

/* A walk over the boxes of one cell that are feasible and cost less than the ceiling. */
typedef struct hr_bound_walk hr_bound_walk;
struct hr_bound_walk {
    const hr_bound_types *types;
    uint64_t ceiling;
    uint64_t work, limit; /* members looked at; the walk ends when they exceed the limit */
    bool over;            /* it did, or it was late */
    double deadline;      /* hr_seconds() at which to end; 0: none */
    bool late;            /* that came first */
    uint32_t boxes;       /* looked at; the clock is read once in a while */
    /* Is anything below this box of interest? NULL: yes. */
    bool (*wanted)(const hr_bound_walk *walk, const hr_bound_box *box);
    /* A whole box: the least values that cover its members on the last axis, not always on others. */
    hr_status (*found)(hr_bound_walk *walk, const hr_bound_box *box, hr_error *err);
    /* In place of trying every interval of the last axis: members sorted by it. NULL: try them. */
    hr_status (*slide)(hr_bound_walk *walk, const hr_bound_box *box, hr_error *err);
    void *payload;
    /* Scratch of hr_bound_walk_start. */
    hr_arena arena;
    uint32_t **sorted;   /* per axis, and one more */
    hr_span *value;      /* per axis: the value that is tried, a position or two */
    uint32_t *seen, now; /* per sensitive value: the last box that was seen to have it */
    size_t *seen_start;  /* per sensitive attribute */
};

/* `most`: combinations of the largest cell that will be walked. */
hr_status hr_bound_walk_start(hr_bound_walk *walk, const hr_bound_types *types, uint32_t most,
                              hr_error *err);
/* The boxes of a cell whose range on the first axis begins with that combination, which is the first
 * of its position there. All such combinations together give all boxes. */
hr_status hr_bound_walk_from(hr_bound_walk *walk, uint32_t cell, uint32_t first, hr_error *err);
/* Is it the first of its position in its cell? */
bool hr_bound_begins(const hr_bound_types *types, uint32_t cell, uint32_t combination);
void hr_bound_walk_end(hr_bound_walk *walk);

/* Does a box that was found publish the least values that cover its members, on every axis? */
bool hr_bound_least(const hr_bound_walk *walk, const hr_bound_box *box);

/* ---- bound_simple.c ---- */

/* What the box that each combination is released in costs a row at least: the cost of its cheapest
 * feasible box, *exact if it is that for all of them. Otherwise the search was cut off at a cost.
 * `least` has room for combination_count. Time: O(work), which counts the combinations in all boxes
 * that are looked at. */
hr_status hr_bound_simple(const hr_bound_types *types, uint64_t work, unsigned threads,
                          const hr_watch *watch, uint64_t *least, bool *exact, hr_error *err);

/* ---- bound_list.c: the boxes of a cell, kept ---- */

/* One cell: its kinds and the feasible boxes around them that publish the least values and cost less
 * than the ceiling. Combinations and kinds are numbered from 0 within the cell. */
typedef struct {
    uint32_t k, p;
    size_t r;
    const uint32_t *value_count; /* r */
    uint32_t combination_count, kind_count;
    const uint32_t *kind_start; /* combination_count + 1 */
    const uint32_t *kind_rows;
    const uint32_t *kind_value; /* kind_count x r; HR_NONE: missing */
    uint64_t classes;           /* at most */
    uint64_t ceiling;           /* no multiplier is greater; UINT64_MAX: every box is there */
    uint32_t count;             /* boxes */
    const uint64_t *cost;
    const size_t *inside_start; /* count + 1 */
    const uint32_t *inside;     /* combinations inside each box */
} hr_bound_cell;

typedef struct {
    hr_bound_cell cell;
    uint32_t *kind_start;
    uint64_t *cost;
    size_t *inside_start;
    uint32_t *inside;
    size_t cost_capacity, start_capacity, inside_capacity;
} hr_bound_list;

/* The ceiling is as high as at most `pairs` (combination, box around it) pairs allow; one that is not
 * above `least` is of no use, and no box is kept then, nor after the deadline. */
hr_status hr_bound_list_make(const hr_bound_types *types, uint32_t cell, size_t pairs,
                             uint64_t least, double deadline, hr_progress *progress,
                             hr_bound_list *out, hr_error *err);
void hr_bound_list_free(hr_bound_list *list);

/* ---- bound_value.c: V of a box ---- */

/* Rows of one kind that the best class within a box takes. */
typedef struct {
    uint32_t kind, rows;
} hr_bound_taken;

typedef struct {
    hr_arena arena;
    const hr_bound_cell *cell;
    const int64_t *multiplier; /* per kind */
    int64_t *top;              /* per combination: the greatest of its kinds */
    hr_bound_taken *taken;     /* the class that reaches the value */
    uint32_t taken_count;
    struct hr_bound_rest *rest; /* the best kinds that do not pay for the box themselves */
    uint32_t rest_count;
    uint64_t rest_rows;
    uint32_t *seen, now;      /* per value: the box in which a row that pays has it */
    uint32_t *best;           /* per value: the best kind in the box that does not pay */
    int64_t *best_multiplier; /* and its multiplier */
    uint32_t *present;        /* per attribute: values that have a best kind, so many: */
    uint32_t *present_count;
    int64_t *most;       /* per value: the greatest multiplier in the cell */
    uint32_t *by_most;   /* per attribute: its values, those with the greatest first */
    uint32_t *order;     /* the values that are taken for lacking ones */
    uint32_t *lacking;   /* per sensitive attribute: values that the payers lack */
    size_t *value_start; /* per sensitive attribute */
} hr_bound_valuer;

hr_status hr_bound_valuer_start(hr_bound_valuer *valuer, const hr_bound_cell *cell, hr_error *err);
void hr_bound_valuer_end(hr_bound_valuer *valuer);
/* After the multipliers have changed. */
void hr_bound_valuer_set(hr_bound_valuer *valuer, const int64_t *multiplier);
/* The greatest sum of multiplier - cost over rows of a class within the box that has k rows and p
 * values of one sensitive attribute, of the attribute for which it is least. Where it cannot be
 * greater than `enough`, that or anything less is returned, and nothing is taken. */
int64_t hr_bound_value(hr_bound_valuer *valuer, uint32_t box, int64_t enough);

/* Rows of a cell x the size of a multiplier or price, at most: sums then stay within 64 bits. */
#define HR_BOUND_SPAN (UINT64_C(1) << 60)

/* ---- bound_climb.c: better multipliers, step by step ---- */

typedef struct {
    int64_t *multiplier; /* per kind */
    int64_t price;       /* of a class */
    int64_t bound;       /* what the rows of the cell lose at least */
} hr_bound_prices;

/* A climb: how far, by whom, and until when. */
typedef struct {
    uint32_t steps;
    unsigned threads;
    double deadline; /* hr_seconds() at which to stop; 0: none */
    hr_progress *progress;
} hr_bound_effort;

/* Starts from the multipliers given (cut at the ceiling) and returns the best that it met. Time:
 * O(steps x pairs). */
hr_status hr_bound_climb(const hr_bound_cell *cell, const hr_bound_effort *effort,
                         hr_bound_prices *prices, hr_error *err);

/* ---- bound.c: the bound of a whole table ---- */

typedef struct {
    const hr_microdata *data;
    const hr_groups *cells;
    const bool *out; /* of each cell */
    hr_requirements asked;
    uint32_t steps;  /* of the climb; 0: the simple bound */
    bool wants_rows; /* kind_of_row */
    unsigned threads;
    double deadline; /* of the climb, in hr_seconds(); 0: none */
    const hr_watch *watch;
} hr_bound_request;

/* The bound and what proves it. Kinds and cells are those that are not OUT, by their first rows. */
typedef struct {
    uint64_t loss;   /* no release that suppresses OUT alone loses less, in HR_COST_ONE; the rows of
                      OUT and dropped ones count as t */
    uint64_t simple; /* no release at all loses less */
    bool exact;      /* the simple bound took each row's cheapest box; nothing was cut off */
    bool time_limited; /* the deadline ended the climb */
    uint32_t kind_count, cell_count;
    int64_t *multiplier;   /* of each kind */
    int64_t *price;        /* of a class of each cell */
    uint32_t *kind_of_row; /* HR_NONE: in OUT or dropped; NULL unless asked for */
} hr_bound;

/* The same for any number of threads. */
hr_status hr_bound_find(const hr_bound_request *request, hr_bound *out, hr_error *err);
/* As NTIL, rounded as a release's is: never above that of a release. */
double hr_bound_ntil(uint64_t loss, const hr_microdata *data);
void hr_bound_free(hr_bound *lower);

/* ---- bound_check.c ---- */

/* What the multipliers and prices prove, recomputed from the rows in the plainest way; shares
 * nothing with the files above. Multipliers or prices that are not of this table, or out of range,
 * are HR_EDATA. */
hr_status hr_bound_recompute(const hr_bound_request *request, const hr_bound *claimed,
                             uint64_t *loss, hr_error *err);

#endif
