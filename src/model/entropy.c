/* entropy.c - entropy l-diversity (Machanavajjhala et al. 2007): the entropy of the sensitive
 * values of every class is at least ln l, as if l values were equally frequent. Rows without a
 * value are left out; a class without any value does not hold.
 *
 * The distribution of a union is a mixture of the distributions of its parts, and entropy is
 * concave, so the model is closed under union. It is not closed under supersets: all rows that join
 * may have the same value.
 *
 * With f rows of each value and n of all, n times the entropy is n ln n - sum of f ln f. The terms
 * are integers in units of 2^-26, computed by basic arithmetic without the C library's log: their
 * sum does not depend on the order of values, and is the same on every machine. Rounding changes a
 * term by at most half a unit, so l equally frequent values could seem to miss ln l. The test
 * therefore allows 2 units per row, an error of about 3e-8 in the entropy. */
#include "model/model.h"

#include <math.h>

#define UNIT 67108864.0 /* 2^26 */
#define LN_2 0.69314718055994530942

enum { FINE = 16 }; /* units of lack per nat */

/* The natural logarithm of a number that is at least 1. */
static double ln(double x) {
    int exponent;
    double m = frexp(x, &exponent); /* 0.5 <= m < 1 */
    if (m < 0.75) {
        m *= 2;
        exponent--;
    }
    double z = (m - 1) / (m + 1), square = z * z, power = z, sum = 0; /* |z| <= 0.2 */
    for (int i = 1; i < 25; i += 2, power *= square)
        sum += power / i;
    return exponent * LN_2 + 2 * sum;
}

/* e^x for x >= 0. */
static double e_to(double x) {
    int whole = (int)(x / LN_2);
    double rest = x - whole * LN_2, term = 1, sum = 1;
    for (int i = 1; i < 24; i++) {
        term *= rest / i;
        sum += term;
    }
    return ldexp(sum, whole);
}

int64_t hr_n_log_n(uint32_t n) {
    return n > 1 ? (int64_t)(n * ln(n) * UNIT + 0.5) : 0;
}

static int64_t n_log_n(const hr_known *class, uint32_t n) {
    return class->logs && n < HR_LOGS ? class->logs[n] : hr_n_log_n(n);
}

/* n times the entropy in units, and n: the rows with a value. */
static int64_t spread(const hr_known *class, size_t l, uint32_t *n) {
    int64_t sum = 0;
    *n = 0;
    for (size_t i = class->start[l]; i < class->start[l + 1]; i++) {
        uint32_t rows = class->rows[i];
        if (rows > 1) sum += n_log_n(class, rows);
        *n += rows;
    }
    return n_log_n(class, *n) - sum;
}

/* Units by which n times the entropy falls short; at most 0 if the class holds. */
static int64_t shortfall(const hr_known *class, size_t l, const hr_requirements *asked) {
    uint32_t n;
    int64_t own = spread(class, l, &n);
    if (n == 0) return INT64_MAX;
    return (int64_t)(n * ln(asked->entropy_l) * UNIT) - own - 2 * (int64_t)n;
}

static bool in_play(const hr_requirements *asked) {
    return asked->entropy_l > 1;
}

static bool holds(const hr_known *class, size_t l, const hr_requirements *asked) {
    if (class->distinct[l] < asked->entropy_l - 1e-6) return false;
    return shortfall(class, l, asked) <= 0;
}

/* e to the power of the entropy; 0 if there are no values. */
static double achieved(const hr_known *class, size_t l, const hr_requirements *asked) {
    (void)asked;
    double n = 0, entropy = 0;
    for (size_t i = class->start[l]; i < class->start[l + 1]; i++)
        n += class->rows[i];
    if (n == 0) return 0;
    for (size_t i = class->start[l]; i < class->start[l + 1]; i++)
        if (class->rows[i]) entropy += class->rows[i] / n * ln(n / class->rows[i]);
    return e_to(entropy);
}

static uint32_t lack(const hr_known *class, size_t l, const hr_requirements *asked) {
    int64_t units = shortfall(class, l, asked);
    if (units <= 0 && class->distinct[l] >= asked->entropy_l - 1e-6) return 0;
    double nats = (double)units / UNIT * FINE;
    return nats >= UINT32_MAX / 2.0 ? UINT32_MAX / 2 : nats > 1 ? (uint32_t)ceil(nats) : 1;
}

/* If the entropy is below ln l, some value has a share above 1 / l. The strain is the most rows
 * that are a share of at most 1 / l, plus 1. */
static double strain(const hr_known *class, size_t l, const hr_requirements *asked) {
    if (holds(class, l, asked)) return 0;
    uint32_t n = 0;
    for (size_t i = class->start[l]; i < class->start[l + 1]; i++)
        n += class->rows[i];
    return 1.0 + (uint32_t)(n / asked->entropy_l);
}

static uint32_t surplus(const hr_known *class, size_t l, uint32_t value, uint32_t rows,
                        const hr_requirements *asked, double strained) {
    (void)class, (void)l, (void)value, (void)asked;
    uint32_t most = (uint32_t)strained - 1;
    return rows > most ? rows - most : 0;
}

static uint32_t least_values(const hr_requirements *asked) {
    return (uint32_t)ceil(asked->entropy_l - 1e-6);
}

static const hr_option options[] = {
    {.name = "entropy_l",
     .help = "every class is as diverse as this many equally frequent values (entropy)",
     .type = HR_OPTION_REAL,
     .offset = offsetof(hr_requirements, entropy_l),
     .initial = 1,
     .min = 1,
     .max = 1e6},
    {0},
};

const hr_model hr_model_entropy = {
    .name = "entropy-l-diversity",
    .title = "limits guesses by the whole distribution: the entropy of a class is at least ln l",
    .reference = "Machanavajjhala, Kifer, Gehrke, Venkitasubramaniam 2007",
    .options = options,
    .needs = HR_NEEDS_COUNTS | HR_NEEDS_LOGS,
    .closed_under_union = true,
    .closed_under_superset = false,
    .own = 4,
    .in_play = in_play,
    .holds = holds,
    .achieved = achieved,
    .lack = lack,
    .strain = strain,
    .surplus = surplus,
    .least_values = least_values,
    .even_is_best = true,
};
