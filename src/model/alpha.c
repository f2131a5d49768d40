/* alpha.c - the second half of (alpha,k)-anonymity (Wong, Li, Fu, Wang 2006): no value of a
 * sensitive attribute has a share above alpha in any class. A missing value is not a value, but its
 * row counts in the size of the class. Shares are compared as quotients, because rounding spoils
 * the product: 3.0 / 10 equals the double for "0.3", but 0.3 * 10 is not exactly 3.
 *
 * The model is closed under union: the share of a value in the union of two classes lies between
 * its shares in the two. It is not closed under supersets: all rows that join may have the same
 * value. */
#include "model/model.h"

#include <math.h>

static bool in_play(const hr_requirements *asked) {
    return asked->alpha > 0 && asked->alpha < 1;
}

/* The most rows with one value that a class of `rows` rows may have. */
static uint32_t most_allowed(uint32_t rows, double alpha) {
    uint32_t most = (uint32_t)(alpha * rows);
    while (most < rows && (double)(most + 1) / rows <= alpha)
        most++;
    while (most > 0 && (double)most / rows > alpha)
        most--;
    return most;
}

/* The greatest share of a value; 0 if all values are missing. */
static double achieved(const hr_known *class, size_t l, const hr_requirements *asked) {
    (void)asked;
    return class->size ? (double)class->largest[l] / class->size : 0;
}

static bool holds(const hr_known *class, size_t l, const hr_requirements *asked) {
    return achieved(class, l, asked) <= asked->alpha;
}

/* The most frequent value has an allowed share once the class has count / alpha rows. */
static uint32_t lack(const hr_known *class, size_t l, const hr_requirements *asked) {
    if (holds(class, l, asked)) return 0;
    double needed = ceil(class->largest[l] / asked->alpha) - class->size;
    return needed >= UINT32_MAX ? UINT32_MAX : needed > 1 ? (uint32_t)needed : 1;
}

static uint32_t excess(const hr_known *class, size_t l, uint32_t rows,
                       const hr_requirements *asked) {
    (void)l;
    uint32_t most = most_allowed(class->size, asked->alpha);
    return rows > most ? rows - most : 0;
}

static const hr_option options[] = {
    {.name = "alpha",
     .help = "largest share that a sensitive value may have in a class (1: any)",
     .type = HR_OPTION_REAL,
     .offset = offsetof(hr_requirements, alpha),
     .initial = 1,
     .min = 0.001,
     .max = 1},
    {0},
};

const hr_model hr_model_alpha = {
    .name = "alpha",
    .title = "limits guesses: no sensitive value has a share above alpha in any class",
    .reference = "Wong, Li, Fu, Wang 2006, (alpha,k)-anonymity",
    .options = options,
    .needs = HR_NEEDS_COUNTS | HR_NEEDS_LARGEST,
    .closed_under_union = true,
    .closed_under_superset = false,
    .less_is_stricter = true,
    .own = 1,
    .in_play = in_play,
    .holds = holds,
    .achieved = achieved,
    .lack = lack,
    .excess = excess,
};
