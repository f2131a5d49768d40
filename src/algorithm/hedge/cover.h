/* cover.h - the cover: a first release for which every combination proposes its own cheapest box.
 * hedge_ruler.c: the cost of any range of an attribute's values; hedge_field.c: the kinds nearest
 * to a combination; hedge_propose.c: the cheapest box around a combination and near kinds;
 * hedge_classes.c: classes and their boxes; hedge_cover.c: the cover; hedge_steal.c: the rows that
 * the cover leaves over. Also the searches that use rulers: hedge_line.c, hedge_order.c,
 * hedge_cut.c, hedge_shift.c. */
#ifndef HR_COVER_H
#define HR_COVER_H

#include "algorithm/hedge/hedge.h"

/* ---- hedge_ruler.c ---- */

/* The values of an attribute that occur in a cell, numbered 0 .. count - 1 in ascending order of
 * their positions. The smallest published value that covers some of them covers all values between
 * the first and the last: a range. */
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

/* The cost per row of a box, and of the smallest box around it and a combination. */
uint64_t hr_rulers_cost(const hr_rulers *rulers, const uint32_t *lo, const uint32_t *hi);
uint64_t hr_rulers_cost_with(const hr_rulers *rulers, const uint32_t *lo, const uint32_t *hi,
                             uint32_t combination);

/* ---- hedge_line.c ---- */

/* A lower limit on the loss of all rows: see hedge_line.c. Time: O(combinations x attributes +
 * values x heights). */
hr_status hr_least_loss(const hr_kinds *kinds, const hr_rulers *rulers, uint64_t *least,
                        hr_error *err);
/* A release of a cell whose only attribute is a number; if p is 1 and k below 256, the best one.
 * Models beside k and p are not known to it. Time: O(rows x k). */
hr_status hr_line_release(const hr_kinds *kinds, const hr_rulers *rulers, hr_clusters *out,
                          hr_error *err);

/* ---- hedge_order.c ---- */

/* Orders the kinds so that near ones are side by side: splits them by an attribute, each part by
 * another, and so on. Time: O(kinds x attributes x depth of the splits). */
hr_status hr_order_kinds(const hr_kinds *kinds, const hr_rulers *rulers, uint32_t *order,
                         uint32_t count, hr_error *err);

/* ---- hedge_field.c ---- */

enum {
    HR_BLOCK = 128,    /* kinds in a block */
    HR_NEAR_MOST = 512 /* most kinds in the list of those near a combination */
};

/* Costs in a field are whole numbers up to HR_FIELD_WHOLE, which is the cost of the whole cell. */
enum { HR_FIELD_WHOLE = 60000, HR_FIELD_FAR = 65535 };

/* A range of marks around a value: the subtree of an ancestor. Marks outside cost `more`. */
typedef struct {
    uint16_t lo, size; /* marks lo .. lo + size */
    uint16_t more;
    uint16_t attribute;
} hr_field_step;

/* Kinds as points, in blocks of near ones. A coordinate is a mark of 16 bits: the number of a
 * tree's value, or a number as a share of its range. If there are too many values, a mark stands
 * for several, so distances are estimates; the cost of a class is always computed exactly. A kind
 * is in play as long as searches should find it. */
typedef struct {
    const hr_kinds *kinds;
    const hr_rulers *rulers;
    hr_arena arena;
    size_t t;
    double unit;       /* cost in the field of a cost of 1 in a measure */
    unsigned *shift;   /* per attribute: a mark is the number of the value >> shift */
    uint16_t **number; /* per attribute: marks of numbers by value; NULL: a tree */
    uint32_t *scale;   /* per attribute: cost of the whole range of numbers */
    size_t *numbers;   /* the attributes that are numbers */
    size_t number_count;
    uint32_t **step_start; /* per attribute: steps of each value, trees only */
    hr_field_step **steps;
    size_t most_steps;      /* most steps of a combination */
    size_t sides;           /* one per tree, two per number: below and above */
    uint32_t count, blocks; /* number of kinds and of blocks */
    uint32_t *kind;         /* per slot; HR_NONE: none */
    uint32_t *slot;         /* per kind; HR_NONE: not in the field */
    uint16_t *mark;         /* blocks x t x HR_BLOCK */
    uint16_t *off;          /* per slot: HR_FIELD_FAR if the kind is out of play, else 0 */
    uint32_t groups;        /* of HR_BLOCK blocks */
    uint16_t *low, *high;   /* groups x t x HR_BLOCK: least and greatest mark of each block */
    uint16_t *value;        /* r x slots: sensitive values in 16 bits; two may share a number */
    uint32_t *live;         /* per block: kinds in play */
    uint64_t *values;       /* r x blocks: a bit for each value % 64 in a block */
} hr_field;

/* Scarce values: sensitive values of which a class needs at least one, and which few rows have. A
 * class takes no more rows with scarce values than it needs. */
typedef struct {
    size_t attribute;
    bool *is;       /* per kind: has a scarce value */
    uint16_t price; /* of a row with a scarce value, in addition to the cost of its box */
} hr_scarce;

/* A combination from which distances are measured, the list of kinds near it, and scratch
 * memory. */
typedef struct {
    const hr_field *field;
    const uint16_t *off;     /* as hr_field.off, for this view */
    const hr_scarce *scarce; /* NULL: no values are scarce */
    hr_arena arena;
    uint32_t combination;
    hr_field_step *steps; /* of all trees */
    size_t step_count;
    uint16_t base;        /* cost of the combination's own values */
    uint16_t *mark;       /* per attribute */
    uint16_t *bound;      /* per block: lower bound on the distances of its kinds */
    uint32_t *order;      /* blocks by ascending bound */
    uint32_t block_count; /* number of blocks that are read */
    uint64_t *found;      /* distance << 32 | slot */
    uint32_t found_count, found_most;
    uint32_t *seen; /* per sensitive value: the last `now` at which it was met */
    uint32_t now;
    uint16_t *hidden; /* values whose kinds the search must not find */
    size_t hidden_count;
    uint64_t hidden_bits; /* bits of hidden values in hr_field.values; 0: not known */
    /* The list of near kinds. */
    uint32_t count, width;     /* number of kinds; room for kinds, a multiple of HR_BLOCK */
    uint32_t *near;            /* the kinds */
    uint32_t *rows, *free;     /* rows of each that are available; those of them in no class */
    uint16_t *gain;            /* current cost of a row that is in a class */
    uint32_t *inside;          /* scratch of hr_propose: listed kinds inside a box */
    uint32_t *giver, *surplus; /* classes that spare rows, and how many more rows each can spare */
    uint32_t giver_count;
    /* Models beside k and p, see hr_propose; NULL: there are none. */
    uint32_t *state;              /* of the judge: the rows inside a box */
    double *strain;               /* of that state, see hr_judge_strain */
    bool *excessive;              /* per value (judge->value_start): too frequent in the box */
    uint16_t *distance;           /* ascending, except for the kinds of hr_view_others at the end */
    uint16_t *side;               /* sides x width: cost of each kind on each side */
    uint16_t *reach, *best_reach; /* per side: a box; scratch of hr_propose */
    uint16_t *joined;             /* per kind: cost of the box with the kind */
} hr_view;

/* Makes a field of the kinds for which `in` is true (NULL: all), in the order of hr_order_kinds.
 * Time: O(kinds x attributes x depth of the splits). */
hr_status hr_field_make(const hr_kinds *kinds, const hr_rulers *rulers, const bool *in,
                        hr_field *out, hr_error *err);
void hr_field_free(hr_field *field);
/* Puts a kind into play or out of it. */
void hr_field_set(hr_field *field, uint32_t kind, bool in_play);
/* Moves the kinds that are in play to the front, and then puts all kinds into play. */
hr_status hr_field_compact(hr_field *field, hr_error *err);
/* Lists the kinds inside a box (values lo .. hi of each ruler) that are in play according to `off`,
 * and returns their number. `range` is scratch for 2 x t marks. */
uint32_t hr_field_inside(const hr_field *field, const uint16_t *off, const uint32_t *lo,
                         const uint32_t *hi, uint16_t *range, uint32_t *out);

/* Makes a view that can list up to `width` kinds, rounded up. */
hr_status hr_view_init(hr_view *view, const hr_field *field, uint32_t width, hr_error *err);
void hr_view_free(hr_view *view);
/* From now on distances are measured from this combination. */
void hr_view_from(hr_view *view, uint32_t combination);
/* Lists the `most` nearest kinds. Reads at most `cap` blocks. rows[] becomes the rows of each
 * kind. */
void hr_view_scan(hr_view *view, uint32_t most, uint32_t cap);
/* If the list has fewer than p sensitive values, adds the nearest kinds with other values; returns
 * their number. */
uint32_t hr_view_others(hr_view *view);
/* Sets `side`; must be called when the list is complete. */
void hr_view_measure(hr_view *view);
/* Lists those of these kinds that are in play. */
void hr_view_list(hr_view *view, const uint32_t *kinds, uint32_t count);

/* ---- hedge_propose.c ---- */

/* The cheapest box around the combination of the view and near kinds that satisfies the models with
 * the rows of the list inside it. */
typedef struct {
    uint16_t cost; /* cost per row in no class (see score_of); HR_FIELD_FAR: there is no box */
    uint32_t member_count;
    uint32_t member[HR_NEAR_MOST]; /* kinds inside the box */
    uint32_t near_count;
    uint32_t near[HR_NEAR_MOST]; /* the list of near kinds from which the box was made */
} hr_proposal;

/* How to propose: hr_propose_from lists the near kinds of a combination and proposes a box. `offer`
 * sets rows[] and free[] of the view; if it is NULL, both become the rows of each kind. */
typedef struct {
    uint32_t near, cap;
    unsigned starts;
    void (*offer)(hr_view *view, void *payload);
    void *payload;
} hr_proposing;

void hr_propose_from(hr_view *view, uint32_t combination, const hr_proposing *how,
                     hr_proposal *out);
/* Proposes a box from the list of the view, trying `starts` near kinds as the first to join. */
void hr_propose(hr_view *view, unsigned starts, hr_proposal *out);

/* ---- hedge_classes.c ---- */

/* A class: rows that are published alike. */
typedef struct {
    uint32_t rows;
    uint32_t first; /* its first lot */
    uint64_t cost;  /* of its box, per row */
} hr_crowd;

/* The classes of a cell. A lot is the rows of one kind in one class. `left` counts the rows in no
 * class. The box of a class is the smallest that covers its rows. */
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
    uint32_t *distinct; /* capacity x r: number of values of each sensitive attribute */
    uint32_t *state;    /* a state of the judge, for one class; NULL: only k and p are in play */
    double *strain;     /* of that state, see hr_judge_strain */
    uint32_t *seen, now;
} hr_classes;

hr_status hr_classes_init(hr_classes *classes, const hr_kinds *kinds, const hr_rulers *rulers,
                          hr_error *err);
void hr_classes_free(hr_classes *classes);
/* A new class without rows. */
uint32_t hr_classes_open(hr_classes *classes);
/* Moves rows in no class to a class and widens its box. */
void hr_classes_put(hr_classes *classes, uint32_t class, uint32_t kind, uint32_t rows);
/* Removes rows of a lot from their class. A class without rows is closed; call hr_classes_fit to
 * shrink the box of another. */
void hr_classes_take(hr_classes *classes, uint32_t lot, uint32_t rows);
void hr_classes_fit(hr_classes *classes, uint32_t class);
bool hr_classes_hold(hr_classes *classes, uint32_t class);
/* Puts the rows of a kind that are in no class into a class. Does it hold then? A class grows from
 * no rows, without another use of the judge in between. */
bool hr_classes_grow(hr_classes *classes, uint32_t class, uint32_t kind);
/* How many rows of a lot, at most `most`, its class can lose and stay valid. */
uint32_t hr_classes_spare(hr_classes *classes, uint32_t lot, uint32_t most);
/* The cost per row of the box of a class and one more combination. */
uint64_t hr_classes_cost_with(const hr_classes *classes, uint32_t class, uint32_t combination);
/* The box of a class without lot `but` (HR_NONE: with all lots). Without other lots there is no
 * box. */
void hr_classes_box_but(const hr_classes *classes, uint32_t class, uint32_t but, uint32_t *lo,
                        uint32_t *hi);
/* The cost per row of that box, widened by a combination (HR_NONE: as it is). */
uint64_t hr_classes_cost_but(const hr_classes *classes, uint32_t class, uint32_t but,
                             uint32_t with);
/* How many rows of a kind, at most `most`, a class that holds can take and still hold: `most` if
 * only k and p are in play. */
uint32_t hr_classes_room(hr_classes *classes, uint32_t class, uint32_t kind, uint32_t most);
/* Removes rows with values that are too frequent in the class. */
void hr_classes_trim(hr_classes *classes, uint32_t class);
/* Would a row of the kind bring the class closer to satisfying the models beside k and p? */
bool hr_classes_helped_by(hr_classes *classes, uint32_t class, uint32_t kind);
/* Is there a lot other than `but` in the class with this value of attribute l? */
bool hr_classes_has_value(const hr_classes *classes, uint32_t class, uint32_t but, size_t l,
                          uint32_t value);
/* Would the class have p values of each sensitive attribute without lot `but` (HR_NONE: with all
 * lots) and with a row of kind `with`? */
bool hr_classes_varied_but(const hr_classes *classes, uint32_t class, uint32_t but, uint32_t with);
/* Stores the classes as clusters. Every row must be in a class. */
void hr_classes_save(const hr_classes *classes, hr_clusters *out);
/* Loads clusters; cluster c becomes class c. */
void hr_classes_load(hr_classes *classes, const hr_clusters *clusters);
uint64_t hr_classes_loss(const hr_classes *classes);

/* ---- hedge_cover.c ---- */

/* Parameters of a cover. */
typedef struct {
    uint32_t near;   /* near kinds from which a box is made */
    uint32_t list;   /* how many of them are kept for later proposals */
    uint32_t starts; /* how many of them are tried as the first to join */
    uint32_t cap;    /* most blocks that a scan reads */
    int64_t regret;  /* weight, in 256ths, of the least that the rows could cost */
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
    hr_scarce scarce;   /* scarce values; `attribute` is r if there are none */
    uint32_t left_rows; /* rows in no class */
    uint16_t *range;    /* scratch of hr_field_inside */
    uint32_t *inside;   /* kinds in a box */
    uint16_t *unplaced; /* per slot: HR_FIELD_FAR if no row of the kind is in a class */
    hr_stolen *log;     /* rows that other classes gave to the class being opened */
    size_t log_count, log_capacity;
} hr_covering;

bool hr_covering_is_late(hr_covering *c);
/* Lists in c->inside the kinds inside the box of a class that have rows in no class. Returns how
 * many. */
uint32_t hr_covering_inside(hr_covering *c, uint32_t class);

/* ---- hedge_steal.c ---- */

/* Notes which rows are available: in no class, or spared by their class. */
hr_status hr_steal_start(hr_covering *c, hr_error *err);
/* Sets the available rows of the kinds in a view; the payload is the hr_covering. */
void hr_steal_offer(hr_view *view, void *payload);
/* Opens a class of all rows of some kinds that are in no class, and of rows that other classes can
 * spare, if that loses less than adding the former to existing classes. */
hr_status hr_steal_open(hr_covering *c, const uint32_t *members, uint32_t count,
                        uint32_t combination, bool *done, hr_error *err);
/* Puts the remaining rows into classes. */
hr_status hr_cover_rest(hr_covering *c, hr_error *err);

/* Makes a first release of a cell: see hedge_cover.c. */
hr_status hr_cover(const hr_cell_task *task, const hr_kinds *kinds, const hr_axes *axes,
                   double deadline, hr_clusters *out, hr_error *err);

/* ---- hedge_cut.c ---- */

typedef struct {
    uint32_t size;         /* most rows of a part, unless it is one class */
    uint64_t seed, stream; /* of random numbers */
} hr_cutting;

/* Divides the classes into parts of near ones; part[c] is the part of class c. Time: O(classes x
 * attributes x log parts). */
hr_status hr_cut_classes(const hr_kinds *kinds, const hr_rulers *rulers,
                         const hr_clusters *clusters, const hr_cutting *how, uint32_t *part,
                         uint32_t *count, hr_error *err);

/* ---- hedge_shift.c ---- */

/* Improves the classes of a part with round.work moves per row. Afterwards they never lose more
 * than before. Time: O(moves x rows of a class x attributes). */
hr_status hr_shift_improve(hr_hedge_part *part, hr_error *err);

#endif
