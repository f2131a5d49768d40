/* recursive.c - recursive (c,l)-diversity (Machanavajjhala et al. 2007): in every class the most
 * frequent value of the sensitive attribute is rarer than c times all values together but the l - 1
 * most frequent ones: r_1 < c (r_l + r_(l+1) + ...). Missing values do not count; a class without
 * any value does not hold.
 *
 * Closed under union: r_1 of a union is at most the sum of both r_1; its l - 1 most frequent values
 * have at most as many rows as the l - 1 most frequent ones of each part have together, so its tail
 * has at least the rows of both tails. A superset need not hold: the rows that join may all have
 * the most frequent value. Shares are compared as quotients, which rounding keeps in order. */
#include "model/model.h"

#include <math.h>

enum { MOST_L = 64 };

typedef struct {
    uint32_t first; /* rows of the most frequent value */
    uint32_t tail;  /* rows of all values but the l - 1 most frequent ones */
} ends;

static ends ends_of(const hr_known *class, size_t l, int64_t needed) {
    uint32_t top[MOST_L] = {0}, total = 0;
    size_t most = (size_t)(needed > 1 ? needed - 1 : 1);
    if (most > MOST_L) most = MOST_L;
    for (size_t i = class->start[l]; i < class->start[l + 1]; i++) {
        uint32_t rows = class->rows[i];
        total += rows;
        if (rows <= top[most - 1]) continue;
        size_t at = most - 1;
        for (; at > 0 && top[at - 1] < rows; at--)
            top[at] = top[at - 1];
        top[at] = rows;
    }
    ends found = {top[0], total};
    for (size_t i = 0; i < most && needed > 1; i++)
        found.tail -= top[i];
    return found;
}

static bool in_play(const hr_requirements *asked) {
    return asked->recursive_c > 0;
}

/* r_1 / (r_l + ...); the class holds for every greater c. */
static double achieved(const hr_known *class, size_t l, const hr_requirements *asked) {
    ends e = ends_of(class, l, asked->recursive_l);
    return e.tail ? (double)e.first / e.tail : INFINITY;
}

static bool holds(const hr_known *class, size_t l, const hr_requirements *asked) {
    return achieved(class, l, asked) < asked->recursive_c;
}

/* The most rows of one value that the tail allows. */
static uint32_t allowed(const ends *e, double c) {
    double most = ceil(c * e->tail) - 1;
    return most > UINT32_MAX ? UINT32_MAX : most > 0 ? (uint32_t)most : 0;
}

static uint32_t lack(const hr_known *class, size_t l, const hr_requirements *asked) {
    if (holds(class, l, asked)) return 0;
    ends e = ends_of(class, l, asked->recursive_l);
    double needed = floor(e.first / asked->recursive_c) + 1 - e.tail;
    return needed >= UINT32_MAX / 2.0 ? UINT32_MAX / 2 : needed > 1 ? (uint32_t)needed : 1;
}

/* The most rows that one value may have, plus 1. */
static double strain(const hr_known *class, size_t l, const hr_requirements *asked) {
    if (holds(class, l, asked)) return 0;
    ends e = ends_of(class, l, asked->recursive_l);
    return 1.0 + allowed(&e, asked->recursive_c);
}

static uint32_t surplus(const hr_known *class, size_t l, uint32_t value, uint32_t rows,
                        const hr_requirements *asked, double strained) {
    (void)class, (void)l, (void)value, (void)asked;
    return rows >= strained ? rows - (uint32_t)(strained - 1) : 0;
}

/* The l - 1 most frequent values leave a tail. */
static uint32_t least_values(const hr_requirements *asked) {
    return asked->recursive_l > 1 ? (uint32_t)asked->recursive_l : 1;
}

static const hr_option options[] = {
    {.name = "recursive_c",
     .help = "the commonest value of a class is rarer than c times all but the l - 1 commonest",
     .type = HR_OPTION_REAL,
     .offset = offsetof(hr_requirements, recursive_c),
     .initial = 0,
     .min = 0,
     .max = 1e6},
    {.name = "recursive_l",
     .help = "the l that goes with recursive_c (2)",
     .type = HR_OPTION_INT,
     .offset = offsetof(hr_requirements, recursive_l),
     .initial = 2,
     .min = 1,
     .max = MOST_L},
    {0},
};

const hr_model hr_model_recursive = {
    .name = "recursive-cl-diversity",
    .title = "limits guesses: the commonest value of a class is rarer than c times the rarer ones",
    .reference = "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007",
    .options = options,
    .needs = HR_NEEDS_COUNTS,
    .closed_under_union = true,
    .closed_under_superset = false,
    .less_is_stricter = true,
    .own = 8,
    .in_play = in_play,
    .holds = holds,
    .achieved = achieved,
    .lack = lack,
    .strain = strain,
    .surplus = surplus,
    .least_values = least_values,
    .values_option = 1,
    .even_is_best = true,
};
