/* joint.c - counts two attributes together, before and after: tables of expected counts, and the
 * association in them. */
#include "report/count/count.h"

#include <math.h>
#include <string.h>

/* ---- tables ---- */

/* The groups that one row or cluster falls into: weights of all groups, or one group alone. */
typedef struct {
    const double *weight; /* NULL: `group` */
    uint32_t group;       /* HR_NONE: none */
} place;

static place place_of(const hr_scale *s, uint32_t cluster, size_t row) {
    if (s->quasi) return (place){.weight = s->weight + (size_t)s->of_cluster[cluster] * s->count};
    return (place){.group = s->of_code[hr_column_code(s->column, row)]};
}

static void add_row(double *row, place b, uint32_t columns, double amount) {
    if (!b.weight) {
        if (b.group != HR_NONE) row[b.group] += amount;
        return;
    }
    for (uint32_t h = 0; h < columns; h++)
        row[h] += amount * b.weight[h];
}

static void add(double *table, const hr_scale *sa, const hr_scale *sb, place a, place b,
                double amount) {
    if (!a.weight) {
        if (a.group != HR_NONE) add_row(table + (size_t)a.group * sb->count, b, sb->count, amount);
        return;
    }
    for (uint32_t g = 0; g < sa->count; g++)
        if (a.weight[g] > 0)
            add_row(table + (size_t)g * sb->count, b, sb->count, amount * a.weight[g]);
}

static void count_after(const hr_outcome *outcome, const hr_scale *a, const hr_scale *b,
                        double *after) {
    const hr_partition *p = outcome->partition;
    if (a->quasi && b->quasi) {
        for (uint32_t c = 0; c < p->cluster_count; c++)
            add(after, a, b, place_of(a, c, 0), place_of(b, c, 0), outcome->cluster_size[c]);
        return;
    }
    for (size_t row = 0; row < p->rows; row++)
        if (p->cluster[row] != HR_NONE)
            add(after, a, b, place_of(a, p->cluster[row], row), place_of(b, p->cluster[row], row),
                1);
}

void hr_joint_count(const hr_outcome *outcome, const hr_scale *a, const hr_scale *b, double *before,
                    double *after) {
    size_t cells = (size_t)a->count * b->count;
    memset(before, 0, cells * sizeof *before);
    memset(after, 0, cells * sizeof *after);
    for (size_t row = 0; row < outcome->data->rows; row++) {
        uint32_t g = a->of_code[hr_column_code(a->column, row)];
        uint32_t h = b->of_code[hr_column_code(b->column, row)];
        if (g != HR_NONE && h != HR_NONE) before[(size_t)g * b->count + h]++;
    }
    count_after(outcome, a, b, after);
}

/* ---- association ---- */

/* chi² / n and the numbers of rows and columns that are not empty. */
static double mean_square(const double *table, size_t rows, size_t columns, double *n, size_t *r,
                          size_t *c) {
    double row_sum[HR_GROUPS_MOST] = {0}, column_sum[HR_GROUPS_MOST] = {0}, phi = 0;
    *n = 0;
    *r = *c = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            row_sum[i] += table[i * columns + j];
            column_sum[j] += table[i * columns + j];
            *n += table[i * columns + j];
        }
    for (size_t i = 0; i < rows; i++)
        *r += row_sum[i] > 0;
    for (size_t j = 0; j < columns; j++)
        *c += column_sum[j] > 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            if (!(row_sum[i] > 0) || !(column_sum[j] > 0)) continue;
            double expected = row_sum[i] * column_sum[j] / *n;
            double off = table[i * columns + j] - expected;
            phi += off * off / expected / *n;
        }
    return phi;
}

double hr_cramers_v(const double *table, size_t rows, size_t columns, bool corrected) {
    double n;
    size_t r, c;
    double phi = mean_square(table, rows, columns, &n, &r, &c);
    double kr = (double)r, kc = (double)c;
    if (r < 2 || c < 2) return NAN;
    if (!corrected) return sqrt(phi / (fmin(kr, kc) - 1));
    if (n <= 1) return NAN;
    phi = fmax(0, phi - (kr - 1) * (kc - 1) / (n - 1));
    kr -= (kr - 1) * (kr - 1) / (n - 1);
    kc -= (kc - 1) * (kc - 1) / (n - 1);
    return fmin(kr, kc) > 1 ? sqrt(phi / (fmin(kr, kc) - 1)) : NAN;
}
