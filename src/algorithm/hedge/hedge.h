/* hedge.h - the interfaces between the parts of hedge: first releases (hedge_levels.c,
 * hedge_first.c), the boxes to choose from (bound/boxes.c), a release that is being
 * improved (hedge_state.c, hedge_step.c), and the search that improves it (hedge_guide.c,
 * hedge_anneal.c, hedge_part.c). hedge.c puts them together.
 *
 * In a release every row is in one open box that contains it, and the rows in every open box
 * satisfy the models. k and p are counted here; other models are asked through the judge of the
 * kinds, and under these a row that joins a class can make it invalid. The rows of one kind in one
 * box are a lot. All changes are moves of rows between boxes; they are logged, so that a step can
 * be undone. */
#ifndef HR_HEDGE_H
#define HR_HEDGE_H

#include "algorithm/layout.h"
#include "bound/bound_parts.h"

enum { HR_EFFORT_QUICK, HR_EFFORT_NORMAL, HR_EFFORT_THOROUGH };

typedef struct {
    int effort;        /* HR_EFFORT_... */
    int loss;          /* index into `losses` of hedge.c */
    double time_limit; /* seconds; 0: none */
} hr_hedge_options;

/* ---- hedge_kinds.c ---- */

/* The kinds of a cell, with their rows: kind i has the rows task->rows[place[j]] for j from
 * place_start[i] to place_start[i + 1] - 1, ascending. Time: O(rows log rows of a combination). */
hr_status hr_cell_kinds(const hr_cell_task *task, const hr_axes *axes, hr_kinds *out,
                        hr_error *err);

/* ---- hedge_state.c ---- */

/* Rows of one kind in one open box. Links are numbers of lots. */
typedef struct {
    uint32_t kind, class, count;
    uint32_t before, after; /* neighbours in the list of its class */
    uint32_t next;          /* next lot of the same kind, or next free lot */
} hr_lot;

/* A class: an open box and the rows in it. */
typedef struct {
    uint32_t box, rows;
    uint32_t first;   /* its first lot */
    uint32_t at;      /* its position in hr_hedge.open */
    uint32_t lacking; /* number of attributes with fewer than p values */
    uint32_t stamp;   /* number of the last step that touched the class */
} hr_class;

typedef struct {
    uint32_t kind, from, to, count; /* from, to: boxes */
} hr_move;

typedef struct {
    const hr_kinds *kinds;
    const hr_boxes *boxes;
    uint32_t k, p;
    size_t r, values; /* sensitive attributes; number of values of all of them */
    hr_arena arena;

    hr_lot *lots;
    uint32_t free_lot;
    uint32_t *lot_of_kind; /* first lot of each kind */

    hr_class *classes;
    uint32_t class_capacity;
    uint32_t *class_of_box; /* HR_NONE: closed */
    uint64_t *is_open;      /* a bit for each box */
    uint32_t *open;         /* numbers of the classes; after them the unused numbers */
    uint32_t open_count;
    uint32_t *count;    /* class_capacity x values: rows with each value */
    uint32_t *distinct; /* class_capacity x r */
    uint32_t *state;    /* class_capacity x words of the judge; NULL: only k and p are in play */

    uint64_t loss; /* of all rows */
    uint64_t work; /* number of lots and boxes read so far: the unit of effort */
    uint64_t idle; /* number of rows drawn so far that were in their cheapest box already */
    hr_move *log;
    size_t log_count, log_capacity;
    bool failed; /* out of memory: the step is undone and the search ends */
} hr_hedge;

/* Makes a state in which no box is open and no row is in a box. */
hr_status hr_hedge_init(hr_hedge *h, const hr_kinds *kinds, const hr_boxes *boxes, hr_error *err);
void hr_hedge_free(hr_hedge *h);
/* Bytes that hr_hedge_init allocates, roughly. */
uint64_t hr_hedge_memory(const hr_kinds *kinds);
/* Moves rows of a kind from one box to another. Opens a closed box; an empty box closes. */
void hr_hedge_move(hr_hedge *h, uint32_t kind, uint32_t from, uint32_t to, uint32_t count);
/* Undoes moves until the log has `mark` entries. */
void hr_hedge_undo(hr_hedge *h, size_t mark);
/* The number of rows of a kind that the class can lose and stay valid. */
uint32_t hr_hedge_spare(const hr_hedge *h, const hr_class *class, uint32_t kind);
/* The number of rows of a kind, at most `most`, that the class can take and stay valid: `most` if
 * only k and p are in play. */
uint32_t hr_hedge_room(const hr_hedge *h, const hr_class *class, uint32_t kind, uint32_t most);
/* The cheapest open box around a combination, other than `not`, that costs less than `below`;
 * HR_NONE: there is none. */
uint32_t hr_hedge_cheapest(hr_hedge *h, uint32_t combination, uint32_t not, uint64_t below);
/* The cheapest such box around the combination of a kind whose class has room for rows of the kind.
 * Lowers *count to the number of rows that it can take. */
uint32_t hr_hedge_roomy(hr_hedge *h, uint32_t kind, uint32_t not, uint64_t below, uint32_t *count);
/* hr_hedge_save stores the box of every row, in the order of kinds->place; hr_hedge_load restores
 * it into a new state. */
void hr_hedge_save(const hr_hedge *h, uint32_t *box_of_row);
void hr_hedge_load(hr_hedge *h, const uint32_t *box_of_row);

static inline uint32_t *hr_hedge_state(const hr_hedge *h, const hr_class *class) {
    return h->state + (size_t)(class - h->classes) * h->kinds->judge->words;
}

static inline const uint32_t *hr_hedge_judged(const hr_hedge *h, uint32_t kind) {
    return h->kinds->judged + kind * h->kinds->judge->width;
}

static inline bool hr_hedge_holds(const hr_hedge *h, const hr_class *class) {
    if (class->rows < h->k || class->lacking > 0) return false;
    return !h->state || hr_judge_holds(h->kinds->judge, hr_hedge_state(h, class));
}

/* ---- hedge_step.c ---- */

typedef struct {
    hr_hedge *h;
    hr_random random;
    const uint32_t *weight; /* see hr_guide_make; NULL: all boxes have the same weight */
    uint32_t *kind_of_row;  /* in the order of kinds->place: for drawing a row */
    uint32_t *touched;      /* boxes whose classes the step touched */
    uint32_t touched_count;
    size_t touched_capacity;
    struct hr_offer *offers; /* rows that could be borrowed */
    size_t offer_count, offer_capacity;
    uint32_t stamp;  /* number of the step */
    uint32_t asking; /* box that the drawn row leaves: its class may become invalid; or HR_NONE */
    uint32_t kept;   /* box that the step opens: its class must stay valid */
    unsigned odds;   /* every other class may become invalid with probability 2^-odds */
    uint64_t coin;   /* random bits that decide which classes may */
    unsigned mends;  /* number of invalid classes that the step has repaired so far */
} hr_stepper;

hr_status hr_stepper_init(hr_stepper *s, hr_hedge *h, uint64_t seed, uint64_t stream,
                          hr_error *err);
void hr_stepper_free(hr_stepper *s);
/* Tries a random step. It is kept if the loss grows by no more than temperature x an exponential
 * deviate, and undone otherwise. */
hr_status hr_stepper_step(hr_stepper *s, double temperature, hr_error *err);

/* ---- hedge_anneal.c ---- */

typedef struct {
    const hr_cell_task *task;
    const hr_kinds *kinds;
    const hr_boxes *boxes;
    const uint32_t *weight;      /* as in hr_stepper */
    uint64_t stream;             /* of random numbers */
    uint64_t work;               /* limit on hr_hedge.work */
    double hot, cold;            /* temperatures: first, last */
    double deadline;             /* hr_seconds() at which to stop; 0: none */
    uint64_t rows;               /* number of rows that the chain reports as progress */
    atomic_uint_fast64_t *least; /* least loss among the chains that run in parallel */
    uint32_t *box_of_row;        /* the release; replaced if the chain finds a better one */
    uint64_t loss;               /* of that release */
    uint64_t floor; /* least possible loss in these boxes: the chain stops when it is reached */
    bool limited;   /* the chain stopped at the deadline */
} hr_chain;

hr_status hr_chain_run(hr_chain *chain, hr_error *err);

/* ---- hedge_guide.c ---- */

/* Weights for drawing a box around each combination, as running sums along boxes->around:
 * 2^((V - price) / scale), at most 1, with V and price of the lower bound (bound.h). They are
 * stored as integers in 4096ths, at least 1. The caller frees *weight. */
hr_status hr_guide_make(const hr_kinds *kinds, const hr_boxes *boxes, const hr_bound_effort *effort,
                        uint64_t scale, uint32_t **weight, hr_error *err);

/* ---- hedge_divide.c ---- */

/* The rows of a cell by part, and by rank within a part. place, row, by_rank, rank and type have
 * one element per row. */
typedef struct {
    hr_arena arena;
    uint32_t count;        /* parts */
    uint32_t *start;       /* count + 1: first row of each part */
    uint32_t *place;       /* index in the rows of the cell's task */
    uint32_t *row;         /* row of the table */
    uint32_t *by_rank;     /* 0, 1, ...: the rows of a part are already in order of rank */
    uint32_t *rank, *type; /* as in hr_cell_task */
} hr_division;

/* Makes `count` parts; part[c] is the part of cluster c. Time: O(rows). */
hr_status hr_division_make(const hr_cell_task *task, const hr_clusters *clusters,
                           const uint32_t *part, uint32_t count, hr_division *out, hr_error *err);
/* The task of part i; with several parts it has one thread. Valid as long as the division. */
hr_cell_task hr_division_task(const hr_division *division, const hr_cell_task *task, size_t i);
void hr_division_free(hr_division *division);

/* ---- hedge_part.c ---- */

enum { HR_HEDGE_CHAINS = 8 }; /* most chains of a round */

/* How much one round does to improve a release. */
typedef struct {
    uint64_t work;     /* per kind and chain */
    unsigned chains;   /* all start from the best release so far; the best result is taken */
    uint32_t guide;    /* steps of the climb for hr_guide_make; 0: all boxes weigh the same */
    unsigned coolness; /* the first temperature of the round is halved so often */
} hr_hedge_round;

/* Some classes of a cell. */
typedef struct {
    hr_cell_task task;    /* of their rows */
    hr_clusters clusters; /* improved in place */
    const hr_axes *axes;
    hr_hedge_round round;
    double heat;     /* of hr_shift_improve: first temperature, as a share of a class's loss */
    double share;    /* share of the part's rows that each chain reports as progress */
    double deadline; /* 0: none */
    uint64_t stream; /* of random numbers */
    bool limited;    /* the deadline ended the round */
    bool unlisted;   /* its boxes cannot be listed, so it was not improved */
    bool least;      /* every row is in its cheapest box: the loss cannot become smaller */
} hr_hedge_part;

hr_status hr_hedge_improve(hr_hedge_part *part, hr_error *err);

/* ---- hedge_scale.c ---- */

enum { HR_SCALE_LEVELS = 64 }; /* most levels of an attribute */

/* The levels of an attribute. */
typedef struct {
    unsigned count;                    /* at the last level all values of the cell are equal */
    uint64_t *number[HR_SCALE_LEVELS]; /* per level and value of the cell: a random number for the
                                          value at that level */
    uint64_t cost[HR_SCALE_LEVELS];    /* mean cost of a row at each level */
} hr_scale;

typedef struct {
    hr_arena arena;
    hr_scale *of;    /* per attribute */
    uint32_t *place; /* combinations x t: index of the value among those of the cell */
} hr_scales;

/* Free with hr_scales_free, also on failure. */
hr_status hr_scales_make(const hr_kinds *kinds, const hr_axes *axes, hr_scales *out, hr_error *err);
void hr_scales_free(hr_scales *scales);

/* ---- hedge_take.c ---- */

/* Some combinations of a cell. */
typedef struct {
    const uint32_t *combination;
    uint32_t count;
} hr_group;

/* The state while classes are taken from a cell one by one, if models other than k and p are in
 * play. */
typedef struct {
    const hr_kinds *kinds;
    hr_clusters *out;
    hr_arena arena;
    uint32_t *kind_left, *left; /* rows in no class: of each kind, of each combination */
    uint32_t *taken;            /* per kind: rows in the class being tried */
    uint32_t *rest, *class; /* states of the judge: of the rows left, of the class being tried */
    hr_judge strict;        /* judges the rows left */
    hr_requirements *each;  /* requirements of that judge */
    double *strain;         /* of the class being tried, see hr_judge_strain */
} hr_taking;

/* `slack`, between 0 and 1, says how much worse than the whole cell the rows left may become. At 1
 * they need only satisfy the models. At 0 they must be at least as good as the whole cell by every
 * model that has a real parameter and is not closed under supersets, so that the first classes do
 * not use up what the last ones need. */
hr_status hr_taking_init(hr_taking *t, const hr_kinds *kinds, double slack, hr_clusters *out,
                         hr_error *err);
void hr_taking_free(hr_taking *t);
/* Makes a class of as many rows of the group as possible, such that the class and the rows left
 * satisfy the models. Returns false if no rows can be a class. */
bool hr_taking_try(hr_taking *t, const hr_group *group);

/* ---- hedge_levels.c ---- */

/* Makes a first release of a cell of any size by levels, the cheapest first. With models other than
 * k and p, the remaining rows join classes even if these become invalid. Skips levels in order to
 * end near `deadline` (0: none), but always makes a release. */
hr_status hr_levels_cover(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                          double deadline, hr_clusters *out, hr_error *err);
/* The same for models other than k and p, with classes that may take only a part of the rows that
 * are equal at their levels; for `slack` see hr_taking_init. All classes are valid. */
hr_status hr_levels_take(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                         double slack, double deadline, hr_clusters *out, hr_error *err);

/* ---- hedge_first.c ---- */

/* Loss of clusters that publish the narrowest values that cover them. */
hr_status hr_clusters_loss(const hr_kinds *kinds, const hr_axes *axes, const hr_clusters *clusters,
                           uint64_t *loss, hr_error *err);

/* Makes the release that hedge improves, the best of several: see hedge_first.c. `listed`: the
 * boxes of the cell can be listed; `few`: those of its parts can. Ends at the deadline (0:
 * none). */
hr_status hr_first_release(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                           bool listed, bool few, double deadline, hr_clusters *out, hr_error *err);

#endif
