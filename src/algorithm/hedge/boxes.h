/* boxes.h - one MAM cell as the lattice sees it: its rows by kind (equal quasi-identifier values and
 * equal sensitive values), and the boxes that a class of them can be published as.
 *
 * A box is a tuple of published values, one per quasi-identifier, within the cell. It is feasible if
 * all rows inside satisfy k and p, and canonical if it is the least that covers the rows inside: no
 * release needs any other, because a class publishes the least values that cover it. See boxes.c. */
#ifndef HR_BOXES_H
#define HR_BOXES_H

#include "algorithm/layout.h"

enum {
    HR_BOXES_PAIRS = 1 << 24, /* (combination, box around it) pairs up to which boxes are listed, */
    HR_BOXES_AROUND =
        1 << 16 /* of one combination: otherwise few rows would take as long as many */
};

/* Rows by kind. Combinations stand in the order of ranks, kinds of one combination together and in
 * the order of their first rows. Sensitive values are numbered anew within the cell. */
typedef struct {
    const hr_cell_task *task;
    hr_arena arena;
    size_t t;
    size_t
        r; /* sensitive attributes that matter: none if p = 1; one that follows from others not */
    size_t *sensitive;     /* r: which of the table's */
    uint32_t *value_count; /* r: its values in the cell */
    size_t *value_start;   /* r + 1: running sums of value_count */
    uint32_t combination_count;
    uint32_t *code; /* combination_count x t: preorder number; numbers: rank of the number */
    uint32_t *combination_rows; /* of each combination */
    uint32_t *kind_start;       /* combination_count + 1: its kinds */
    uint32_t kind_count;
    uint32_t *kind_combination; /* of each kind */
    uint32_t *kind_rows;        /* likewise: how many rows */
    uint32_t *kind_value;       /* kind_count x r: below value_count; HR_NONE: missing */
    size_t *place_start;        /* kind_count + 1: its rows in `place` */
    uint32_t *place;            /* places in task->rows, ascending within a kind */
} hr_kinds;

/* Time: O(rows + kinds log kinds). */
hr_status hr_kinds_make(const hr_cell_task *task, hr_kinds *out, hr_error *err);
void hr_kinds_free(hr_kinds *kinds);

/* What publishing a value costs a row, in the loss that is to be small. */
typedef struct {
    const hr_microdata *data;
    const hr_layout *layout;
    const hr_measure *loss; /* declares value_cost */
    uint32_t **node;        /* per attribute: by preorder number; NULL for numbers */
    hr_arena arena;
} hr_value_costs;

hr_status hr_value_costs_make(const hr_microdata *data, const hr_layout *layout,
                              const hr_measure *loss, hr_value_costs *out, hr_error *err);
void hr_value_costs_free(hr_value_costs *costs);

/* A value of attribute j in codes: of a tree lo == hi, a preorder number; of numbers ranks. The least
 * value that covers both. */
static inline hr_span hr_code_join(const hr_value_costs *costs, size_t j, hr_span a, hr_span b) {
    if (costs->node[j]) {
        uint32_t joined = hr_layout_join(&costs->layout->trees[j], a.lo, b.lo);
        return (hr_span){joined, joined};
    }
    return (hr_span){a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi};
}

static inline uint32_t hr_code_cost(const hr_value_costs *costs, size_t j, hr_span value) {
    return costs->node[j] ? costs->node[j][value.lo]
                          : costs->loss->value_cost(costs->data, j, value);
}

/* Is the code at or below the value? */
static inline bool hr_code_inside(const hr_value_costs *costs, size_t j, hr_span value,
                                  uint32_t code) {
    if (costs->node[j]) return hr_layout_below(&costs->layout->trees[j], value.lo, code);
    return value.lo <= code && code <= value.hi;
}

typedef struct {
    uint32_t count;
    uint32_t *code;       /* count x t: preorder numbers; ascending by cost, then by codes */
    uint64_t *cost;       /* of each box, per row */
    uint32_t *rows;       /* inside each */
    size_t *inside_start; /* count + 1 */
    uint32_t *inside;     /* combinations inside each box, ascending */
    size_t *around_start; /* combination_count + 1 */
    uint32_t *around;     /* boxes around each combination, ascending: cheapest first */
    hr_arena arena;
} hr_boxes;

/* (combination, box around it) pairs of all boxes, saturating. 0: boxes are not listed at all, because an
 * attribute is numeric without a hierarchy or values are so many that boxes have no key of 64 bits. Time:
 * O(combinations x attributes). */
hr_status hr_boxes_pairs(const hr_kinds *kinds, const hr_value_costs *costs, uint64_t *pairs,
                         hr_error *err);

/* All feasible canonical boxes of the cell. The box that covers the whole cell is always among them.
 * *listed is false, and nothing is made, if there would be too many (HR_BOXES_PAIRS, HR_BOXES_AROUND) or
 * hr_boxes_pairs is 0. Time: O(pairs x attributes). */
hr_status hr_boxes_make(const hr_kinds *kinds, const hr_value_costs *costs, hr_boxes *out,
                        bool *listed, hr_error *err);
/* Sets `around` from `inside`. */
hr_status hr_boxes_turn_around(const hr_kinds *kinds, hr_boxes *boxes, hr_error *err);
void hr_boxes_free(hr_boxes *boxes);

#endif
