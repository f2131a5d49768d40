/* alpha.c - the second half of (alpha,k)-anonymity (Wong, Li, Fu, Wang 2006): no value of a
 * sensitive attribute has a share above alpha in any class. Every sensitive attribute counts. A
 * missing value is not a value, but its row counts in the size of the class. Shares are compared as
 * quotients: 3.0 / 10 is the double that "0.3" is read as, whereas 0.3 * 10 is not 3.
 *
 * The union of two classes that hold holds, because its share of a value lies between theirs. A
 * superset need not hold: the rows that join may all have the same value. */
#include "model/model.h"

#include <math.h>

static bool in_play(const hr_requirements *asked) {
    return asked->alpha > 0 && asked->alpha < 1;
}

/* The greatest number of `rows` rows whose share is at most alpha. */
static uint32_t most_allowed(uint32_t rows, double alpha) {
    uint32_t most = (uint32_t)(alpha * rows);
    while (most < rows && (double)(most + 1) / rows <= alpha)
        most++;
    while (most > 0 && (double)most / rows > alpha)
        most--;
    return most;
}

static uint32_t largest_count(const hr_known *class) {
    uint32_t largest = 0;
    for (size_t l = 0; l < class->sensitive_count; l++)
        if (class->largest[l] > largest) largest = class->largest[l];
    return largest;
}

/* The greatest share of a value; 0 if all values are missing. */
static double achieved(const hr_known *class) {
    if (class->sensitive_count == 0) return NAN;
    return class->size ? (double)largest_count(class) / class->size : 0;
}

static bool holds(const hr_known *class, const hr_requirements *asked) {
    return class->size == 0 || (double)largest_count(class) / class->size <= asked->alpha;
}

/* The most frequent value has an allowed share once the class has count / alpha rows. */
static uint32_t lack(const hr_known *class, const hr_requirements *asked) {
    if (holds(class, asked)) return 0;
    double needed = ceil(largest_count(class) / asked->alpha) - class->size;
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
    .title = "no sensitive value has a share above alpha in any class",
    .reference = "Wong, Li, Fu, Wang 2006, (alpha,k)-anonymity",
    .options = options,
    .needs = HR_NEEDS_COUNTS,
    .closed_under_union = true,
    .closed_under_superset = false,
    .less_is_stricter = true,
    .in_play = in_play,
    .holds = holds,
    .achieved = achieved,
    .lack = lack,
    .excess = excess,
};
