/* boxes.h - rows by kind, and the boxes that a class of them can be published as. The lower bound
 * (bound.h) and the algorithm hedge both search among these.
 *
 * A combination is a tuple of quasi-identifier values that occurs in the table; a kind is a
 * combination together with sensitive values. A box is a tuple of published values, one for each
 * quasi-identifier. A box is feasible if the rows inside it satisfy k and p, and canonical if no
 * smaller box covers the same rows. A release needs no other boxes than these: each class publishes
 * the smallest box that covers it. */
#ifndef HR_BOXES_H
#define HR_BOXES_H

#include "measure/measure.h"

/* ---- axes.c: the values of each attribute as positions, with their costs ---- */

/* One quasi-identifier. Positions are preorder numbers of tree nodes, or ranks of numbers. A
 * published value is an hr_span of positions: lo == hi is a tree node; lo .. hi is an interval. */
typedef struct {
    const hr_microdata *data;
    const hr_measure *loss; /* has a value_cost */
    size_t quasi;           /* number of the attribute */
    uint32_t count;         /* positions */
    hr_preorder tree;       /* zeroed for numbers */
    uint32_t *cost;         /* of publishing each tree node, per row; NULL for numbers */
} hr_axis;

typedef struct {
    hr_arena arena;
    const hr_microdata *data;
    const hr_measure *loss;
    size_t count;
    hr_axis *of; /* per quasi-identifier */
} hr_axes;

hr_status hr_axes_make(const hr_microdata *data, const hr_measure *loss, hr_axes *out,
                       hr_error *err);
void hr_axes_free(hr_axes *axes);
/* Positions of the values of `rows`: position[i * axes->count + j] for attribute j of rows[i]. */
void hr_axes_positions(const hr_axes *axes, const uint32_t *rows, uint32_t count,
                       uint32_t *position);

/* Smallest value that covers both. */
static inline hr_span hr_axis_join(const hr_axis *axis, hr_span a, hr_span b) {
    if (axis->cost) {
        uint32_t joined = hr_preorder_join(&axis->tree, a.lo, b.lo);
        return (hr_span){joined, joined};
    }
    return (hr_span){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static inline uint32_t hr_axis_cost(const hr_axis *axis, hr_span value) {
    return axis->cost ? axis->cost[value.lo]
                      : axis->loss->value_cost(axis->data, axis->quasi, value);
}

static inline bool hr_axis_covers(const hr_axis *axis, hr_span value, uint32_t position) {
    if (axis->cost) return hr_preorder_below(&axis->tree, value.lo, position);
    return value.lo <= position && position <= value.hi;
}

/* ---- kinds.c: rows by kind ---- */

/* Kinds of one combination are adjacent. The caller groups the rows: it allocates with
 * hr_kinds_start, fills in what that function lists, and calls hr_kinds_finish. */
typedef struct {
    hr_arena arena;
    const hr_microdata *data;
    uint32_t k, p; /* rows and values of each sensitive attribute that a class needs */
    size_t t;      /* quasi-identifiers */
    uint32_t row_count;
    uint32_t combination_count, kind_count;
    uint32_t *code;             /* combination_count x t: positions on the axes */
    uint32_t *combination_rows; /* rows of each combination */
    uint32_t *kind_start;       /* combination_count + 1: first kind of each combination */
    uint32_t *kind_combination;
    uint32_t *kind_rows;   /* rows of each kind */
    uint32_t *kind_first;  /* lowest row of each kind */
    size_t r;              /* sensitive attributes that restrict classes; 0 if p is 1 */
    uint32_t *value_count; /* r: values of each such attribute */
    size_t *value_start;   /* r + 1: running sums of value_count */
    uint32_t *kind_value;  /* kind_count x r: below value_count; HR_NONE: missing */
    size_t *place_start;   /* kind_count + 1: the rows of each kind in `place`; see hedge_kinds.c */
    uint32_t *place;       /* NULL in the lower bound */
    /* All models in play, for hedge. NULL: only k and p. Always NULL in the lower bound,
     * which is valid whatever other models forbid. */
    const hr_judge *judge;
    uint32_t *judged; /* kind_count x judge->width: values of a row, for the judge */
} hr_kinds;

/* Allocates code, kind_combination, kind_rows and kind_first for `combinations` combinations and at
 * most `most_kinds` kinds. The caller fills them, kinds in ascending order of combinations, and
 * sets kind_count. */
hr_status hr_kinds_start(hr_kinds *kinds, const hr_microdata *data, const hr_requirements *asked,
                         uint32_t combinations, uint32_t most_kinds, hr_error *err);

/* Decides how sensitive values are numbered and which attributes are left out; see kinds.c. */
typedef enum { HR_KINDS_OF_TABLE, HR_KINDS_OF_CELL } hr_kinds_scope;

/* Sets all other fields but place_start and place. Time: O(kinds x attributes). */
hr_status hr_kinds_finish(hr_kinds *kinds, hr_kinds_scope scope, hr_error *err);
void hr_kinds_free(hr_kinds *kinds);

/* ---- box_walk.c: a walk over all feasible boxes ---- */

typedef struct {
    const hr_axis *axis;
    uint32_t *at; /* position of each combination */
} hr_walk_axis;

/* Combinations as points in the order in which a walk goes through the axes. */
typedef struct {
    const hr_kinds *kinds;
    hr_walk_axis *axes; /* t */
} hr_box_space;

/* Finds a good order of the axes for combinations with these positions (count x t): the axis with
 * most distinct positions first, but the first numeric axis of this order last, where
 * hr_box_walk.slide can treat all its intervals at once. `order` has room for t. */
hr_status hr_walk_order(const hr_axes *axes, const uint32_t *position, uint32_t count,
                        size_t *order, hr_error *err);
/* The arrays belong to `arena`. */
hr_status hr_box_space_make(const hr_kinds *kinds, const hr_axes *axes, const size_t *order,
                            hr_arena *arena, hr_box_space *out, hr_error *err);

/* A box, or a partial box: only axes before `axis` have a value yet. */
typedef struct {
    const uint32_t *members; /* combinations inside */
    uint32_t count;
    size_t axis;
    uint64_t cost; /* of the values on the axes before `axis` */
} hr_partial_box;

/* The caller sets the first three groups of fields, hr_box_walk_start the last one. */
typedef struct hr_box_walk hr_box_walk;
struct hr_box_walk {
    uint64_t ceiling;            /* only boxes that cost less than this are visited */
    uint64_t limit;              /* upper limit on `work` */
    double deadline;             /* hr_seconds() at which to end; 0: none */
    const hr_progress *progress; /* a request to finish ends the walk, too; NULL: none */

    /* Is a box inside the partial box of interest to the caller? NULL: always. */
    bool (*wanted)(const hr_box_walk *walk, const hr_partial_box *box);
    /* Called for each box. It is canonical on the last axis, not always on the others. */
    hr_status (*found)(hr_box_walk *walk, const hr_partial_box *box, hr_error *err);
    /* Called once for all intervals of a numeric last axis, with members sorted by it. NULL:
     * `found` is called for every interval. */
    hr_status (*slide)(hr_box_walk *walk, const hr_partial_box *box, hr_error *err);
    void *payload;

    uint64_t work;    /* members of all boxes visited so far */
    bool over;        /* the walk has ended early, at the limit or the deadline */
    bool late;        /* the walk has ended at the deadline */
    uint32_t visited; /* boxes; the clock is read once for many of them */

    const hr_box_space *space;
    hr_arena arena;
    uint32_t **sorted; /* per axis: members by position; one more for sorting */
    hr_span *value;    /* per axis: value of the current box */
    uint32_t *seen;    /* per sensitive value: the last `now` at which it was met */
    uint32_t now;      /* number of the current count of values */
};

/* `most`: greatest number of members of any walk that follows. */
hr_status hr_box_walk_start(hr_box_walk *walk, const hr_box_space *space, uint32_t most,
                            hr_error *err);
/* Walks all feasible boxes of `members`. */
hr_status hr_box_walk_all(hr_box_walk *walk, const uint32_t *members, uint32_t count,
                          hr_error *err);
/* Walks the boxes whose value on the first axis begins at the position of members[first]. `members`
 * are sorted by position on that axis, and members[first] is the first at its position. Walks from
 * all such members together visit all boxes. */
hr_status hr_box_walk_from(hr_box_walk *walk, const uint32_t *members, uint32_t count,
                           uint32_t first, hr_error *err);
void hr_box_walk_end(hr_box_walk *walk);

/* Is a box that was found canonical? */
bool hr_box_is_canonical(const hr_box_walk *walk, const hr_partial_box *box);

/* Boxes found by a walk. Valid when zeroed. */
typedef struct {
    uint32_t count;
    uint64_t *cost;
    size_t *inside_start; /* count + 1 */
    uint32_t *inside;     /* combinations inside each box, in the order of the walk */
    size_t cost_capacity, start_capacity, inside_capacity;
} hr_box_list;

/* Adds a box; `base` is subtracted from the numbers of its members. */
hr_status hr_box_list_add(hr_box_list *list, const hr_partial_box *box, uint32_t base,
                          hr_error *err);
/* Number of (combination, box) pairs in the list. */
static inline size_t hr_box_list_pairs(const hr_box_list *list) {
    return list->count ? list->inside_start[list->count] : 0;
}
void hr_box_list_free(hr_box_list *list);

/* ---- boxes.c: all feasible canonical boxes of a cell without numeric attributes ---- */

/* Limits on listing boxes: HR_BOXES_PAIRS on all (combination, box around it) pairs,
 * HR_BOXES_AROUND on the boxes around one combination. The second keeps a few rows with many
 * attributes from taking as long as many rows. */
enum { HR_BOXES_PAIRS = 1 << 24, HR_BOXES_AROUND = 1 << 16 };

typedef struct {
    hr_arena arena;
    uint32_t count;
    uint32_t *code;       /* count x t: positions; boxes ascend by cost, then by code */
    uint64_t *cost;       /* of each box, per row */
    uint32_t *rows;       /* number of rows inside each box */
    size_t *inside_start; /* count + 1 */
    uint32_t *inside;     /* combinations inside each box, ascending */
    size_t *around_start; /* combination_count + 1 */
    uint32_t *around;     /* boxes around each combination, ascending: cheapest first */
} hr_boxes;

/* *pairs: upper limit on the (combination, box around it) pairs. It exceeds HR_BOXES_PAIRS if any
 * combination exceeds HR_BOXES_AROUND. 0: the boxes cannot be listed, because an attribute is
 * numeric or there could be 2^64 boxes. Time: O(combinations x attributes). */
hr_status hr_boxes_pairs(const hr_kinds *kinds, const hr_axes *axes, uint64_t *pairs,
                         hr_error *err);
/* Lists all boxes. *listed is false, and `out` empty, if hr_boxes_pairs gives 0 or more than
 * HR_BOXES_PAIRS. Otherwise the smallest box that covers all combinations is among the boxes. Time:
 * O(pairs x attributes). */
hr_status hr_boxes_make(const hr_kinds *kinds, const hr_axes *axes, hr_boxes *out, bool *listed,
                        hr_error *err);
void hr_boxes_free(hr_boxes *boxes);

#endif
