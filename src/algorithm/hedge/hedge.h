/* hedge.h - between the parts of hedge: first releases (hedge_levels.c), the boxes to choose from
 * (bound/boxes.c, hedge_near.c), a release that is being improved (hedge_state.c, hedge_step.c),
 * and how it is (hedge_guide.c, hedge_anneal.c, hedge_part.c). hedge.c puts them together.
 *
 * A release is: every row is in one open box that contains it, and every open box satisfies k and p
 * with the rows that are in it. Rows of one kind in one box are a lot; moving rows between boxes is
 * all that ever happens, and is logged so that it can be undone. */
#ifndef HR_HEDGE_H
#define HR_HEDGE_H

#include "algorithm/layout.h"
#include "bound/bound_parts.h"

enum { HR_EFFORT_QUICK, HR_EFFORT_NORMAL, HR_EFFORT_THOROUGH };

typedef struct {
    int effort;        /* HR_EFFORT_... */
    int loss;          /* HR_HEDGE_LOSS_... */
    double time_limit; /* seconds; 0: none */
} hr_hedge_options;

/* ---- hedge_kinds.c ---- */

/* The kinds of a cell, with their rows: kind i has the rows task->rows[place[j]] for j from
 * place_start[i] to place_start[i + 1] - 1, ascending. Time: O(rows log rows of a combination). */
hr_status hr_cell_kinds(const hr_cell_task *task, const hr_axes *axes, hr_kinds *out,
                        hr_error *err);

/* ---- hedge_state.c ---- */

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
    uint32_t stamp;   /* last step that touched it */
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
    uint64_t work; /* lots and boxes looked at so far: what effort is counted in */
    hr_move *log;
    size_t log_count, log_capacity;
    bool failed; /* out of memory: the step is undone and the search ends */
} hr_hedge;

/* No box is open and no row is anywhere. */
hr_status hr_hedge_init(hr_hedge *h, const hr_kinds *kinds, const hr_boxes *boxes, hr_error *err);
void hr_hedge_free(hr_hedge *h);
/* Memory that hr_hedge_init takes, roughly. */
uint64_t hr_hedge_memory(const hr_kinds *kinds);
/* Rows of a kind from one box to another. An empty box closes. */
void hr_hedge_move(hr_hedge *h, uint32_t kind, uint32_t from, uint32_t to, uint32_t count);
/* Undo moves until so many are left in the log. */
void hr_hedge_undo(hr_hedge *h, size_t mark);
/* How many rows of a kind the class can do without. */
uint32_t hr_hedge_spare(const hr_hedge *h, const hr_class *class, uint32_t kind);
/* The cheapest open box around a combination, other than `not`, that costs less than `below`;
 * HR_NONE: there is none. */
uint32_t hr_hedge_cheapest(hr_hedge *h, uint32_t combination, uint32_t not, uint64_t below);
/* The box of every row, in the order of kinds->place: out of the state, and into a fresh one. */
void hr_hedge_save(const hr_hedge *h, uint32_t *box_of_row);
void hr_hedge_load(hr_hedge *h, const uint32_t *box_of_row);

static inline bool hr_hedge_holds(const hr_hedge *h, const hr_class *class) {
    return class->rows >= h->k && class->lacking == 0;
}

/* ---- hedge_step.c ---- */

typedef struct {
    hr_hedge *h;
    hr_random random;
    const uint32_t *weight; /* running sums along boxes->around, per combination; NULL: all alike */
    uint32_t *kind_of_row;  /* in the order of kinds->place: for drawing one */
    uint32_t *touched;      /* boxes whose classes the step touched */
    uint32_t touched_count;
    size_t touched_capacity;
    struct hr_offer *offers; /* rows that could be borrowed */
    size_t offer_count, offer_capacity;
    uint32_t stamp;  /* number of the step */
    uint32_t asking; /* box whose class may be broken in this step, or HR_NONE */
    uint32_t kept;   /* box whose class may not */
    unsigned odds;   /* others may with chance 2^-odds */
    uint64_t coin;   /* which others */
    unsigned mends;  /* classes mended so far */
} hr_stepper;

hr_status hr_stepper_init(hr_stepper *s, hr_hedge *h, uint64_t seed, uint64_t stream,
                          hr_error *err);
void hr_stepper_free(hr_stepper *s);
/* Some step at random; kept if the loss grows by no more than temperature x an exponential
 * deviate. */
hr_status hr_stepper_step(hr_stepper *s, double temperature, hr_error *err);

/* ---- hedge_anneal.c ---- */

typedef struct {
    const hr_cell_task *task;
    const hr_kinds *kinds;
    const hr_boxes *boxes;
    const uint32_t *weight;      /* as in hr_stepper */
    uint64_t stream;             /* of random numbers */
    uint64_t work;               /* to be done */
    double hot, cold;            /* temperatures: first, last */
    double deadline;             /* hr_seconds() at which to stop; 0: none */
    uint64_t rows;               /* that the progress hears of */
    atomic_uint_fast64_t *least; /* what the best of the chains loses that run side by side */
    uint32_t *box_of_row;        /* the release: from, and to if it became better */
    uint64_t loss;               /* of it */
    uint64_t floor;              /* that no release is below */
    bool limited;                /* it stopped at the deadline */
} hr_chain;

hr_status hr_chain_run(hr_chain *chain, hr_error *err);

/* ---- hedge_guide.c ---- */

/* Weights for choosing among the boxes around each combination: high where the multipliers of the
 * lower bound say that a class in the box would pay. `scale`: by how much it may not. To be freed.
 * */
hr_status hr_guide_make(const hr_kinds *kinds, const hr_boxes *boxes, const hr_bound_effort *effort,
                        uint64_t scale, uint32_t **weight, hr_error *err);

/* ---- hedge_divide.c ---- */

/* Rows of a cell by parts, and within a part by rank. The next five have an element for each row.
 * */
typedef struct {
    hr_arena arena;
    uint32_t count;        /* parts */
    uint32_t *start;       /* count + 1: first row of each part */
    uint32_t *place;       /* in the rows of the cell's task */
    uint32_t *row;         /* of the table */
    uint32_t *by_rank;     /* 0, 1, ...: of a part, whose rows are in the order of ranks */
    uint32_t *rank, *type; /* as in hr_cell_task */
} hr_division;

/* Parts of up to `size` combinations, or of one cluster that has more; the first part only has what
 * `filled` leaves of that size. Time: O(rows). */
hr_status hr_division_make(const hr_cell_task *task, const hr_kinds *kinds,
                           const hr_clusters *clusters, uint32_t size, uint32_t filled,
                           hr_division *out, hr_error *err);
/* The task of part i; with several parts it has one thread. Valid as long as the division. */
hr_cell_task hr_division_task(const hr_division *division, const hr_cell_task *task, size_t i);
void hr_division_free(hr_division *division);

/* ---- hedge_part.c ---- */

enum { HR_HEDGE_CHAINS = 8 }; /* of a round, at most */

/* One round of changes to a release. */
typedef struct {
    uint64_t work;     /* per kind and chain */
    unsigned chains;   /* each from the best so far; the best of them is taken */
    uint32_t guide;    /* steps of the climb that prices the rows; 0: no guidance */
    unsigned coolness; /* how often the first temperature is halved */
} hr_hedge_round;

/* Some classes of a cell. */
typedef struct {
    hr_cell_task task;    /* of their rows */
    hr_clusters clusters; /* improved in place */
    const hr_axes *axes;
    hr_hedge_round round;
    double share;    /* of the rows, that the progress hears of from each chain */
    double deadline; /* 0: none */
    uint64_t stream; /* of random numbers */
    bool limited;    /* the deadline ended it */
    bool least;      /* there is nothing left to gain */
} hr_hedge_part;

hr_status hr_hedge_improve(hr_hedge_part *part, hr_error *err);

/* ---- hedge_scale.c ---- */

enum { HR_SCALE_LEVELS = 64 }; /* of one attribute, at most */

/* The levels of an attribute. */
typedef struct {
    unsigned count;                    /* the last is the cell as a whole */
    uint64_t *number[HR_SCALE_LEVELS]; /* per level and place: the random number of its value */
    uint64_t cost[HR_SCALE_LEVELS];    /* of a row, on average */
} hr_scale;

typedef struct {
    hr_arena arena;
    hr_scale *of;    /* per attribute */
    uint32_t *place; /* combinations x t: of its value among the cell's */
} hr_scales;

/* To be freed even if it failed. */
hr_status hr_scales_make(const hr_kinds *kinds, const hr_axes *axes, hr_scales *out, hr_error *err);
void hr_scales_free(hr_scales *scales);

/* ---- hedge_levels.c ---- */

/* A first release of a cell of any size: by levels, the cheapest first. */
hr_status hr_levels_cover(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                          hr_clusters *out, hr_error *err);

/* ---- hedge_first.c ---- */

/* What clusters lose that publish no more than they must. */
hr_status hr_clusters_loss(const hr_kinds *kinds, const hr_axes *axes, const hr_clusters *clusters,
                           uint64_t *loss, hr_error *err);

/* The best of that and of what the greedy algorithms find, in cells that are not too large for them
 * and while there is time (deadline 0: always). */
hr_status hr_first_release(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                           double deadline, hr_clusters *out, hr_error *err);

/* ---- hedge_near.c ---- */

/* Boxes around neighbouring combinations, for a cell whose boxes cannot be listed: those of the
 * clusters given, and what the nearest combinations of each make together, once as they are and
 * once with attributes weighted at random (`stream`). box_of_row is the clusters as boxes. Time:
 * O(combinations² x attributes). */
hr_status hr_near_boxes(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                        const hr_clusters *clusters, uint64_t stream, hr_boxes *out,
                        uint32_t *box_of_row, hr_error *err);

#endif
