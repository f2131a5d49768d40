/* cover.h - rows as points, and a first release in which every combination proposes its own
 * cheapest box. hedge_ruler.c: what any range of an attribute's values costs; hedge_field.c: the
 * kinds nearest to a combination; hedge_propose.c: the cheapest box around a combination and near
 * kinds; hedge_classes.c: classes and their boxes; hedge_cover.c: the first release; hedge_steal.c:
 * what is left of it. */
#ifndef HR_COVER_H
#define HR_COVER_H

#include "algorithm/hedge/hedge.h"

/* ---- hedge_ruler.c ---- */

/* The values of an attribute that occur in a cell, in ascending order of their positions. Values
 * are numbered 0 .. count - 1 in this order, and the least published value that covers some of
 * them covers all between the first and the last: a range. */
typedef struct {
    const hr_axis *axis;
    uint32_t count;
    uint32_t *position; /* on the axis, ascending */
    uint32_t *own;      /* tree: the cost of publishing each value as it is */
    /* Tree: most[l][i] is the cost of range i .. i + 2^l. NULL for numbers. */
    uint32_t **most;
    uint32_t *at; /* number: the cost of the range from the first value to each */
} hr_ruler;

typedef struct {
    hr_arena arena;
    size_t t;
    hr_ruler *of;   /* per attribute */
    uint32_t *mark; /* combinations x t: number of the value */
} hr_rulers;

/* Time: O(values log values + combinations log values) for each attribute. */
hr_status hr_rulers_make(const hr_kinds *kinds, const hr_axes *axes, hr_rulers *out, hr_error *err);
void hr_rulers_free(hr_rulers *rulers);

/* The number of the highest bit that is set; `number` is not 0. */
static inline unsigned hr_log2(uint32_t number) {
#if defined(__GNUC__)
    return 31 - (unsigned)__builtin_clz(number);
#else
    unsigned log = 0;
    while (number >>= 1)
        log++;
    return log;
#endif
}

/* The cost per row of publishing values lo .. hi as one. */
static inline uint32_t hr_ruler_cost(const hr_ruler *ruler, uint32_t lo, uint32_t hi) {
    if (ruler->at) return ruler->at[hi] - ruler->at[lo];
    if (lo == hi) return ruler->own[lo];
    unsigned l = hr_log2(hi - lo);
    uint32_t a = ruler->most[l][lo], b = ruler->most[l][hi - (UINT32_C(1) << l)];
    return a > b ? a : b;
}

/* The cost per row of a box, and of the least box around it and a combination. */
uint64_t hr_rulers_cost(const hr_rulers *rulers, const uint32_t *lo, const uint32_t *hi);
uint64_t hr_rulers_cost_with(const hr_rulers *rulers, const uint32_t *lo, const uint32_t *hi,
                             uint32_t combination);

/* ---- hedge_line.c ---- */

/* A lower limit on the loss of all rows. Time: O(combinations x attributes + values x heights). */
hr_status hr_least_loss(const hr_kinds *kinds, const hr_rulers *rulers, uint64_t *least,
                        hr_error *err);
/* A release of a cell whose only attribute is a number; if p is 1 and k below 256, the best one.
 * Models beside k and p are not known to it. Time: O(rows x k). */
hr_status hr_line_release(const hr_kinds *kinds, const hr_rulers *rulers, hr_clusters *out,
                          hr_error *err);

/* ---- hedge_order.c ---- */

/* Puts near kinds side by side: splits them by an attribute, the parts again, and so on. Time:
 * O(kinds x attributes x depth of the splits). */
hr_status hr_order_kinds(const hr_kinds *kinds, const hr_rulers *rulers, uint32_t *order,
                         uint32_t count, hr_error *err);

/* ---- hedge_field.c ---- */

enum {
    HR_BLOCK = 128,    /* kinds of a block */
    HR_NEAR_MOST = 512 /* most kinds that are listed as near one combination */
};

/* Costs in a field are whole numbers up to HR_FIELD_WHOLE, which is the cost of the whole cell. */
enum { HR_FIELD_WHOLE = 60000, HR_FIELD_FAR = 65535 };

/* A range of marks around a value: the subtree of an ancestor. Marks outside cost `more`. */
typedef struct {
    uint16_t lo, size; /* marks lo .. lo + size */
    uint16_t more;
    uint16_t attribute;
} hr_field_step;

/* Kinds in blocks of near ones. A mark is 16 bits: the number of a tree's value, or a number as a
 * share of its range; coarser than the ruler's if there are too many values. So distances are
 * estimates there; what a class costs is always counted exactly. */
typedef struct {
    const hr_kinds *kinds;
    const hr_rulers *rulers;
    hr_arena arena;
    size_t t;
    double unit;       /* of a field's costs per cost of a measure */
    unsigned *shift;   /* per attribute: a mark is the number of the value >> shift */
    uint16_t **number; /* per attribute: marks of numbers by value; NULL: a tree */
    uint32_t *scale;   /* per attribute: cost of the whole range of numbers */
    size_t *numbers;   /* the attributes that are numbers */
    size_t number_count;
    uint32_t **step_start; /* per attribute: steps of each value, trees only */
    hr_field_step **steps;
    size_t most_steps;      /* of a combination */
    size_t sides;           /* one per tree, two per number: below and above */
    uint32_t count, blocks; /* kinds, blocks */
    uint32_t *kind;         /* per slot; HR_NONE: none */
    uint32_t *slot;         /* per kind; HR_NONE: not in the field */
    uint16_t *mark;         /* blocks x t x HR_BLOCK */
    uint16_t *off;          /* per slot: HR_FIELD_FAR if the kind is out of play, else 0 */
    uint32_t groups;        /* of HR_BLOCK blocks */
    uint16_t *low, *high;   /* groups x t x HR_BLOCK: least and greatest mark of each block */
    uint16_t *value;        /* r x slots: sensitive values; different ones may be equal here */
    uint32_t *live;         /* per block: kinds in play */
    uint64_t *values;       /* r x blocks: a bit for each value % 64 in a block */
} hr_field;

/* Sensitive values that a class must have one of, and that few rows have. A class takes no more of
 * them than it needs. */
typedef struct {
    size_t attribute;
    bool *is;       /* per kind: has such a value */
    uint16_t price; /* of a row with one, beside what its box costs */
} hr_scarce;

/* A combination from which distances are measured, and memory to measure them. */
typedef struct {
    const hr_field *field;
    const uint16_t *off;     /* as in the field: which kinds are out of play */
    const hr_scarce *scarce; /* NULL: none is */
    hr_arena arena;
    uint32_t combination;
    hr_field_step *steps; /* of all trees */
    size_t step_count;
    uint16_t base;        /* its own cost */
    uint16_t *mark;       /* per attribute */
    uint16_t *bound;      /* per block */
    uint32_t *order;      /* of blocks, by bound */
    uint32_t block_count; /* blocks that are read */
    uint64_t *found;      /* distance << 32 | slot */
    uint32_t found_count, found_most;
    uint32_t *seen; /* per sensitive value: the last `now` at which it was met */
    uint32_t now;
    uint16_t *hidden; /* values that are not looked for */
    size_t hidden_count;
    uint64_t hidden_bits; /* of blocks in which there are no others; 0: not known */
    /* The list of near kinds. */
    uint32_t count, width;     /* width: most; a multiple of HR_BLOCK */
    uint32_t *near;            /* kinds */
    uint32_t *rows, *free;     /* that can be had of each; of these, in no class */
    uint16_t *gain;            /* what a row costs now if it is in a class */
    uint32_t *inside;          /* scratch of hr_propose: listed kinds inside a box */
    uint32_t *giver, *surplus; /* classes that spare rows, and how many more they can */
    uint32_t giver_count;
    uint16_t *distance;           /* ascending, but for kinds with other values, which come last */
    uint16_t *side;               /* sides x width: cost of each, by attribute */
    uint16_t *reach, *best_reach; /* per side, scratch of hr_propose */
    uint16_t *joined;             /* per kind */
} hr_view;

/* The kinds for which `in` is true (NULL: all), in an order of near ones that is found by splitting
 * them again and again. Time: O(kinds x attributes x depth of the splits). */
hr_status hr_field_make(const hr_kinds *kinds, const hr_rulers *rulers, const bool *in,
                        hr_field *out, hr_error *err);
void hr_field_free(hr_field *field);
/* Puts a kind into play or out of it. */
void hr_field_set(hr_field *field, uint32_t kind, bool in_play);
/* Puts the kinds that are in play first, and all into play. */
hr_status hr_field_compact(hr_field *field, hr_error *err);
/* Lists the kinds inside a box (values lo .. hi of each ruler) that are not out of play by `off`.
 * `range` is scratch for 2 x t marks. Returns how many. */
uint32_t hr_field_inside(const hr_field *field, const uint16_t *off, const uint32_t *lo,
                         const uint32_t *hi, uint16_t *range, uint32_t *out);

/* `width` kinds at most can be listed; it is rounded up. */
hr_status hr_view_init(hr_view *view, const hr_field *field, uint32_t width, hr_error *err);
void hr_view_free(hr_view *view);
/* Measures from this combination. */
void hr_view_from(hr_view *view, uint32_t combination);
/* Lists the `most` nearest kinds. Reads at most `cap` blocks. rows[] becomes the rows of each
 * kind. */
void hr_view_scan(hr_view *view, uint32_t most, uint32_t cap);
/* Adds the nearest kinds with other sensitive values if the list has fewer than p. Returns how
 * many. */
uint32_t hr_view_others(hr_view *view);
/* Must follow when a list is complete: sets `side`. */
void hr_view_measure(hr_view *view);
/* Lists these kinds, those that are out of play left out. */
void hr_view_list(hr_view *view, const uint32_t *kinds, uint32_t count);

/* ---- hedge_propose.c ---- */

/* The cheapest box around the combination of the view and near kinds that satisfies the models with
 * the rows of the list inside it. */
typedef struct {
    uint16_t cost; /* for each row in no class; HR_FIELD_FAR: there is none */
    uint32_t member_count;
    uint32_t member[HR_NEAR_MOST]; /* kinds */
    uint32_t near_count;
    uint32_t near[HR_NEAR_MOST]; /* the list that it was made from */
} hr_proposal;

/* Lists the near kinds of a combination and proposes a box. rows[] and free[] are set by `offer`,
 * or to the rows of each kind if that is NULL. */
typedef struct {
    uint32_t near, cap;
    unsigned starts;
    void (*offer)(hr_view *view, void *payload);
    void *payload;
} hr_proposing;

void hr_propose_from(hr_view *view, uint32_t combination, const hr_proposing *how,
                     hr_proposal *out);
/* Tries `starts` near kinds as the first that joins. */
void hr_propose(hr_view *view, unsigned starts, hr_proposal *out);

/* ---- hedge_classes.c ---- */

/* Some rows that are published as one. */
typedef struct {
    uint32_t rows;
    uint32_t first; /* its first lot */
    uint64_t cost;  /* of its box, per row */
} hr_crowd;

/* Classes as lots (hedge.h): rows of one kind in one class. Rows in no class are counted in `left`.
 * The box of a class is the least that covers its rows. */
typedef struct {
    const hr_kinds *kinds;
    const hr_rulers *rulers;
    hr_arena arena;
    hr_lot *lots;
    uint32_t free_lot;
    uint32_t *lot_of_kind;
    uint32_t *left; /* per kind: rows in no class */
    hr_crowd *of;
    uint32_t *free_class; /* stack of unused classes */
    uint32_t free_count, capacity;
    uint32_t *lo, *hi;  /* capacity x t: the box, as values of the rulers */
    size_t width;       /* t, rounded up */
    int16_t *packed;    /* kinds x width: the rulers' marks; NULL: they do not fit */
    uint32_t *without;  /* scratch of hr_classes_cost_but: a box */
    uint32_t *distinct; /* capacity x r: values of each sensitive attribute */
    uint32_t *state;    /* of the judge, for one class; NULL: k and p are all models */
    uint32_t *seen, now;
} hr_classes;

hr_status hr_classes_init(hr_classes *classes, const hr_kinds *kinds, const hr_rulers *rulers,
                          hr_error *err);
void hr_classes_free(hr_classes *classes);
/* A new class without rows. */
uint32_t hr_classes_open(hr_classes *classes);
/* Rows in no class join a class; its box grows. */
void hr_classes_put(hr_classes *classes, uint32_t class, uint32_t kind, uint32_t rows);
/* Rows of a lot leave their class; hr_classes_fit makes its box smaller. A class without rows is
 * closed. */
void hr_classes_take(hr_classes *classes, uint32_t lot, uint32_t rows);
void hr_classes_fit(hr_classes *classes, uint32_t class);
bool hr_classes_hold(hr_classes *classes, uint32_t class);
/* How many rows of a lot its class can lose and stay valid, at most `most`. */
uint32_t hr_classes_spare(hr_classes *classes, uint32_t lot, uint32_t most);
/* The cost per row of the box of a class and one more combination. */
uint64_t hr_classes_cost_with(const hr_classes *classes, uint32_t class, uint32_t combination);
/* The box of a class without lot `but` (HR_NONE: with all lots). No lot but that: no box. */
void hr_classes_box_but(const hr_classes *classes, uint32_t class, uint32_t but, uint32_t *lo,
                        uint32_t *hi);
/* The cost per row of that box and of one more combination (HR_NONE: of no more). */
uint64_t hr_classes_cost_but(const hr_classes *classes, uint32_t class, uint32_t but,
                             uint32_t with);
/* Is there a lot other than `but` in the class with this value of attribute l? */
bool hr_classes_has_value(const hr_classes *classes, uint32_t class, uint32_t but, size_t l,
                          uint32_t value);
/* Would the class have p values without lot `but` (HR_NONE: with all) and with a row of a kind? */
bool hr_classes_varied_but(const hr_classes *classes, uint32_t class, uint32_t but, uint32_t with);
/* Writes the classes as clusters. No row is left. */
void hr_classes_save(const hr_classes *classes, hr_clusters *out);
/* Loads clusters; cluster c becomes class c. */
void hr_classes_load(hr_classes *classes, const hr_clusters *clusters);
uint64_t hr_classes_loss(const hr_classes *classes);

/* ---- hedge_cover.c ---- */

/* Parameters of a cover. */
typedef struct {
    uint32_t near;   /* kinds that a box is made of, */
    uint32_t list;   /* of which so many are kept for later, */
    uint32_t starts; /* and so many are tried as the first */
    uint32_t cap;    /* blocks that are read at most */
    int64_t regret;  /* weight of what the rows could cost at best, in 256ths */
} hr_cover_effort;

/* Rows that a class gave away. */
typedef struct {
    uint32_t kind, from, rows;
} hr_stolen;

/* The cover of a cell while it is made. */
typedef struct {
    const hr_cell_task *task;
    const hr_kinds *kinds;
    hr_arena arena;
    hr_rulers rulers;
    hr_field field;
    hr_classes classes;
    hr_view *views; /* one per thread */
    unsigned threads;
    hr_cover_effort effort;
    double deadline;    /* 0: none */
    atomic_bool late;   /* the deadline has passed */
    hr_scarce scarce;   /* attribute r: nothing is */
    uint32_t left_rows; /* rows in no class */
    uint16_t *range;    /* scratch of hr_field_inside */
    uint32_t *inside;   /* kinds in a box */
    uint16_t *unplaced; /* per slot: HR_FIELD_FAR if no row of the kind is in a class */
    hr_stolen *log;     /* of the class that is being opened */
    size_t log_count, log_capacity;
} hr_covering;

bool hr_covering_is_late(hr_covering *c);
/* Lists in c->inside the kinds inside the box of a class that have rows in no class. Returns how
 * many. */
uint32_t hr_covering_inside(hr_covering *c, uint32_t class);

/* ---- hedge_steal.c ---- */

/* Notes which rows can be had. */
hr_status hr_steal_start(hr_covering *c, hr_error *err);
/* Sets the rows that can be had of the kinds in a view; the payload is the hr_covering. */
void hr_steal_offer(hr_view *view, void *payload);
/* Opens a class of all rows in no class of some kinds, and of rows that others can spare, if this
 * loses less than joining would. */
hr_status hr_steal_open(hr_covering *c, const uint32_t *members, uint32_t count,
                        uint32_t combination, bool *done, hr_error *err);
/* Rows in no class join a class. */
hr_status hr_cover_rest(hr_covering *c, hr_error *err);

/* A first release of a cell. Without rows that satisfy the models, all become one class. */
hr_status hr_cover(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                   double deadline, hr_clusters *out, hr_error *err);

/* ---- hedge_cut.c ---- */

typedef struct {
    uint32_t size;         /* most rows of a part, unless it is one class */
    uint64_t seed, stream; /* of random numbers */
} hr_cutting;

/* Cuts classes into parts of near ones: part[c] of class c. Time: O(classes x attributes x log
 * parts). */
hr_status hr_cut_classes(const hr_kinds *kinds, const hr_rulers *rulers,
                         const hr_clusters *clusters, const hr_cutting *how, uint32_t *part,
                         uint32_t *count, hr_error *err);

/* ---- hedge_shift.c ---- */

/* Improves the classes of a part by round.work moves a row; they never lose more than before. Time:
 * O(moves x rows of a class x attributes). */
hr_status hr_shift_improve(hr_hedge_part *part, hr_error *err);

#endif
