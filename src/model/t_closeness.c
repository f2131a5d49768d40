/* t_closeness.c - t-closeness (Li, Li, Venkatasubramanian 2007): in every class the distribution of
 * the sensitive attribute lies within t of its distribution in the reference, the released table or
 * the input. The distance is the earth mover's distance: how much of the distribution has to move,
 * times how far. The distance of two different values is
 *
 *   equal:        1
 *   ordered:      the difference of their ranks among the m values of the reference, over m - 1
 *   hierarchical: the height of their lowest common ancestor, over the height of the hierarchy.
 *
 * Rows without a value are left out of both distributions; a class without any value holds.
 *
 * The distance is convex in the distribution of the class, and the distribution of a union is a
 * mixture of those of its parts, so the model is closed under union. It is not closed under
 * supersets. If it refers to the input, t_part.c finds the largest part of a class that holds.
 *
 * With f of n rows of the class and F of N rows of the reference, N f - n F is N n times the
 * difference of shares, a whole number. Sums of these are exact below 2^53, so they do not depend
 * on the order of values, and one division makes a distance of them: rounded once, a distance of
 * exactly t is equal to t. Hierarchical: the values are leaves in the order of the tree, and `join`
 * holds the height at which neighbours meet. Subtrees are joined from left to right, the lowest
 * first; when two are joined, the excess of one moves to the shortage of the other, over the height
 * at which they meet. */
#include "model/model.h"

#include <math.h>

enum { FINE = 16 }; /* units of lack per row */

/* The differences of one attribute, value by value. */
typedef struct {
    const hr_known *class;
    const uint32_t *reference;
    size_t next, end; /* entries of the class that are left */
    double n, total;  /* rows with a value: of the class, of the reference */
} differences;

/* Rows with a value. There are fewer than 2^32 rows. */
static double class_rows(const hr_known *class, size_t l) {
    uint32_t n = 0;
    for (size_t i = class->start[l]; i < class->start[l + 1]; i++)
        n += class->rows[i];
    return n;
}

static differences start(const hr_known *class, size_t l, double n) {
    const hr_reference *reference = class->reference;
    return (differences){.class = class,
                         .reference = reference->rows + reference->start[l],
                         .next = class->start[l],
                         .end = class->start[l + 1],
                         .n = n,
                         .total = reference->total[l]};
}

/* The difference of value v; values are asked for in ascending order. */
static double difference(differences *d, uint32_t v) {
    const uint32_t *values = d->class->values;
    bool listed = d->next < d->end && (!values || values[d->next] == v);
    uint32_t rows = listed ? d->class->rows[d->next++] : 0;
    return d->total * rows - d->n * d->reference[v];
}

enum { SUMS = 8 }; /* exact sums that do not wait for each other */

/* The class has an entry for every value: the differences of all values add up to 0, so those of
 * the values that are too frequent are half of the sum of absolute differences. No branches. */
HR_LANES static double equal_dense(const uint32_t *restrict rows,
                                   const uint32_t *restrict reference, size_t count, double n,
                                   double total) {
    double sums[SUMS] = {0}, sum = 0;
    size_t v = 0;
    for (; v + SUMS <= count; v += SUMS)
        for (size_t i = 0; i < SUMS; i++)
            sums[i] += fabs(total * rows[v + i] - n * reference[v + i]);
    for (; v < count; v++)
        sum += fabs(total * rows[v] - n * reference[v]);
    for (size_t i = 0; i < SUMS; i++)
        sum += sums[i];
    return sum / 2;
}

/* Adds up the differences of the values that are too frequent in the class. */
static double equal(const hr_known *class, differences d) {
    double sum = 0;
    if (!class->values)
        return equal_dense(class->rows + d.next, d.reference, d.end - d.next, d.n, d.total);
    for (size_t i = d.next; i < d.end; i++) {
        double more = d.total * class->rows[i] - d.n * d.reference[class->values[i]];
        if (more > 0) sum += more;
    }
    return sum;
}

/* Adds up how many ranks the differences move; *most is the greatest number of ranks. */
static double ordered(differences d, uint32_t count, double *most) {
    double sum = 0, moved = 0;
    uint32_t present = 0;
    for (uint32_t v = 0; v < count; v++) {
        double more = difference(&d, v);
        if (d.reference[v] == 0) continue;
        sum += fabs(moved);
        moved += more;
        present++;
    }
    *most = present > 1 ? present - 1 : 1;
    return sum;
}

/* Subtrees from left to right that are not joined yet. */
typedef struct {
    double more[HR_VALUE_HEIGHT_MAX + 2];
    uint32_t join[HR_VALUE_HEIGHT_MAX + 2]; /* height at which each meets the one before it */
    size_t count;
    double moved;
} forest;

/* Joins the last two subtrees. */
static void join_last(forest *f) {
    double b = f->more[--f->count], a = f->more[f->count - 1];
    if ((a < 0) != (b < 0)) f->moved += f->join[f->count] * fmin(fabs(a), fabs(b));
    f->more[f->count - 1] = a + b;
}

/* Adds up how high the differences move; *most is the height of the hierarchy. */
static double hierarchical(differences d, const hr_sensitive *s, double *most) {
    forest f = {.count = 0};
    for (uint32_t v = 0; v < s->value_count; v++) {
        uint32_t height = v ? s->join[v - 1] : 0;
        while (f.count > 1 && f.join[f.count - 1] <= height)
            join_last(&f);
        f.join[f.count] = height;
        f.more[f.count++] = difference(&d, v);
    }
    while (f.count > 1)
        join_last(&f);
    *most = s->height ? s->height : 1;
    return f.moved;
}

/* The distance of a class with n rows with a value. */
static double distance_of(const hr_known *class, size_t l, double n) {
    const hr_sensitive *s = class->sensitive ? &class->sensitive[l] : NULL;
    if (n == 0 || !class->reference || class->reference->total[l] == 0) return 0;
    double most = 1;
    differences d = start(class, l, n);
    double sum = !s || s->distance == HR_DISTANCE_EQUAL ? equal(class, d)
                 : s->distance == HR_DISTANCE_ORDERED   ? ordered(d, s->value_count, &most)
                                                        : hierarchical(d, s, &most);
    return sum / (most * n * class->reference->total[l]);
}

static double distance(const hr_known *class, size_t l) {
    return distance_of(class, l, class_rows(class, l));
}

static bool in_play(const hr_requirements *asked) {
    return asked->t > 0 && asked->t < 1;
}

static double achieved(const hr_known *class, size_t l, const hr_requirements *asked) {
    (void)asked;
    return class->reference ? distance(class, l) : NAN;
}

static bool holds(const hr_known *class, size_t l, const hr_requirements *asked) {
    return distance(class, l) <= asked->t;
}

static uint32_t lack(const hr_known *class, size_t l, const hr_requirements *asked) {
    double far = distance(class, l);
    if (far <= asked->t) return 0;
    double rows = (far - asked->t) * class->size * FINE;
    return rows >= UINT32_MAX / 2.0 ? UINT32_MAX / 2 : rows > 1 ? (uint32_t)ceil(rows) : 1;
}

/* A value that is too frequent by d rows loses a share of these d rows: the share of the distance
 * that exceeds t. The strain is the rows with a value plus this share, which is below 1. */
static double strain(const hr_known *class, size_t l, const hr_requirements *asked) {
    double n = class_rows(class, l), far = distance_of(class, l, n);
    return far > asked->t ? n + (far - asked->t) / far : 0;
}

static uint32_t surplus(const hr_known *class, size_t l, uint32_t value, uint32_t rows,
                        const hr_requirements *asked, double strained) {
    (void)asked;
    const hr_reference *reference = class->reference;
    double n = floor(strained);
    double more = rows - n * reference->rows[reference->start[l] + value] / reference->total[l];
    return more > 0 ? (uint32_t)ceil(more * (strained - n)) : 0;
}

static uint32_t shrink(const hr_known *class, size_t l, const hr_requirements *asked,
                       const uint64_t *key, uint32_t *rows) {
    return hr_nearest_part(class, l, asked->t, key, rows);
}

static const hr_option options[] = {
    {.name = "t",
     .help = "greatest distance between the distributions of a sensitive attribute in a class and "
             "in the whole table (1: any)",
     .type = HR_OPTION_REAL,
     .offset = offsetof(hr_requirements, t),
     .initial = 1,
     .min = 0.001,
     .max = 1},
    {.name = "distance",
     .help = "how t measures distances of values: all equal, by rank, or by a hierarchy (equal)",
     .type = HR_OPTION_CHOICE,
     .offset = offsetof(hr_requirements, distance),
     .choices = "equal|ordered|hierarchical"},
    {.name = "t_reference",
     .help = "the table that t refers to (released)",
     .type = HR_OPTION_CHOICE,
     .offset = offsetof(hr_requirements, t_reference),
     .choices = "released|input"},
    {0},
};

const hr_model hr_model_t_closeness = {
    .name = "t-closeness",
    .title = "classes reveal little: sensitive values are distributed much as in the whole table",
    .reference = "Li, Li, Venkatasubramanian 2007",
    .options = options,
    .needs = HR_NEEDS_COUNTS | HR_NEEDS_REFERENCE,
    .closed_under_union = true,
    .closed_under_superset = false,
    .less_is_stricter = true,
    .own = 16,
    .in_play = in_play,
    .holds = holds,
    .achieved = achieved,
    .lack = lack,
    .strain = strain,
    .surplus = surplus,
    .shrink = shrink,
};
