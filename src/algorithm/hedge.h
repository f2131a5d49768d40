/* hedge.h - between the parts of hedge: a release of one MAM cell that is being improved.
 *
 * A release is: every row is in one open box that contains it, and every open box satisfies k and p
 * with the rows that are in it. The boxes come from a list (boxes.h). Rows of one kind in one box
 * are a lot; moving rows between boxes is all that ever happens, and is logged so that it can be
 * undone. */
#ifndef HR_HEDGE_H
#define HR_HEDGE_H

#include "algorithm/boxes.h"

enum { HR_EFFORT_QUICK, HR_EFFORT_NORMAL, HR_EFFORT_THOROUGH };

typedef struct {
    int effort;        /* HR_EFFORT_... */
    double time_limit; /* seconds; 0: none */
    int loss;          /* index into the choices of `loss` */
} hr_hedge_options;

/* Rows of one kind in one open box. Lists are by number of the lot. */
typedef struct {
    uint32_t kind, class, count;
    uint32_t before, after; /* in its class */
    uint32_t next;          /* of the same kind */
} hr_lot;

/* An open box. */
typedef struct {
    uint32_t box, rows;
    uint32_t first;   /* lot */
    uint32_t at;      /* place in the list of open ones */
    uint32_t lacking; /* attributes with fewer than p values */
    uint32_t stamp;   /* scratch: last step that touched it */
} hr_class;

typedef struct {
    uint32_t kind, from, to, count; /* from, to: boxes */
} hr_move;

typedef struct {
    const hr_kinds *kinds;
    const hr_boxes *boxes;
    uint32_t k, p;
    size_t r, values; /* attributes; all their values together */
    hr_arena arena;

    hr_lot *lots;
    uint32_t free_lot;
    uint32_t *lot_of_kind; /* first lot of each kind */

    hr_class *classes;
    uint32_t class_capacity;
    uint32_t *class_of_box; /* HR_NONE: closed */
    uint64_t *is_open;      /* a bit for each box */
    uint32_t *open;         /* numbers of open classes; behind them the free ones */
    uint32_t open_count;
    uint32_t *count;    /* class_capacity x values: rows with each value */
    uint32_t *distinct; /* class_capacity x r */

    uint64_t loss; /* of all rows */
    hr_move *log;
    size_t log_count, log_capacity;
    bool log_failed; /* out of memory: the step is undone and the search ends */
} hr_hedge;

/* ---- hedge_state.c ---- */

/* No box is open and no row is anywhere. */
hr_status hr_hedge_init(hr_hedge *h, const hr_kinds *kinds, const hr_boxes *boxes, hr_error *err);
void hr_hedge_free(hr_hedge *h);
/* Memory that hr_hedge_init will take, roughly. */
size_t hr_hedge_memory(const hr_kinds *kinds, const hr_boxes *boxes);
/* Rows of a kind from one box to another; HR_NONE: from or to nowhere. An empty box closes. */
void hr_hedge_move(hr_hedge *h, uint32_t kind, uint32_t from, uint32_t to, uint32_t count);
/* Undo moves until so many are left in the log. */
void hr_hedge_undo(hr_hedge *h, size_t mark);
/* How many rows of a kind the class can do without. */
uint32_t hr_hedge_spare(const hr_hedge *h, const hr_class *class, uint32_t kind);
/* The cheapest open box around a combination, other than `not`, that costs less than `below`;
 * HR_NONE: there is none. */
uint32_t hr_hedge_cheapest(const hr_hedge *h, uint32_t combination, uint32_t not, uint64_t below);
/* kind_box[i] for every row i in the order of kinds->place: its box. */
void hr_hedge_save(const hr_hedge *h, uint32_t *box_of_place);
void hr_hedge_load(hr_hedge *h, const uint32_t *box_of_place);

static inline bool hr_hedge_holds(const hr_hedge *h, const hr_class *class) {
    return class->rows >= h->k && class->lacking == 0;
}

/* ---- hedge_step.c ---- */

typedef struct {
    hr_hedge *h;
    hr_random random;
    uint32_t *kind_of_place; /* for drawing a row */
    uint32_t *touched;       /* classes' boxes of the step */
    uint32_t touched_count;
    struct hr_offer *offers; /* rows that could be borrowed */
    size_t offer_count, offer_capacity;
    uint32_t stamp;
    uint32_t asking; /* box whose class may be broken in this step, or HR_NONE */
    unsigned odds;   /* and others with so few chances */
    uint64_t coin;
    const int64_t *value; /* of each box, per guidance; NULL: none */
} hr_stepper;

hr_status hr_stepper_init(hr_stepper *s, hr_hedge *h, uint64_t seed, uint64_t stream,
                          hr_error *err);
void hr_stepper_free(hr_stepper *s);
/* Some step at random; kept if the loss grows by no more than temperature x an exponential deviate. */
hr_status hr_stepper_step(hr_stepper *s, double temperature, hr_error *err);

/* Make the class of the box valid with rows that others can spare; false if that cannot be. */
bool hr_stepper_borrow(hr_stepper *s, uint32_t box);

/* ---- hedge_cover.c ---- */

/* Boxes in ascending order of cost: each that its unassigned rows satisfy opens with them; the
 * others go to the cheapest open box around them. */
void hr_hedge_cover(hr_stepper *s);

#endif
