/* queries.c - measures the error of counts taken from the release, with random counting queries:
 * each asks for a range of groups in two quasi-identifiers. The release answers with an expected
 * count, for which published values are spread evenly over the values that they cover (scale.c). */
#include "report/count/count.h"

#include <math.h>
#include <stdlib.h>

enum {
    QUERIES = 1000,
    PAIRS = 15 /* pairs of attributes at most that queries are about */
};
static const double LEAST_SHARE = 0.001;   /* of the rows, see hr_query_error.least */
static const uint64_t STREAM = 0x71756572; /* of random numbers */

typedef struct {
    const hr_scale *a, *b;
    double *before, *after;
} pair_table;

typedef struct {
    const hr_outcome *outcome;
    const hr_scale *scales;
    hr_random random;
    hr_arena arena;
    pair_table tables[PAIRS];
    size_t table_count;
    double *errors; /* of each query */
} survey;

/* Lists all pairs of attributes that have at least two groups, shuffles them, and keeps the first
 * PAIRS. If only one attribute has two groups, it is paired with itself (see count_single). */
static hr_status choose_pairs(survey *s, hr_error *err) {
    size_t n = s->outcome->data->quasi_count, count = 0;
    size_t(*all)[2] = hr_arena_alloc(&s->arena, n * n, sizeof *all, err);
    if (!all) return HR_ENOMEM;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (s->scales[i].count > 1 && s->scales[j].count > 1) {
                all[count][0] = i;
                all[count++][1] = j;
            }
    for (size_t i = 0; i < n && count == 0; i++)
        if (s->scales[i].count > 1) {
            all[0][0] = all[0][1] = i;
            count = 1;
        }
    for (size_t i = 0; i < count && i < PAIRS; i++) {
        size_t other = i + (size_t)hr_random_below(&s->random, count - i);
        size_t swap[2] = {all[i][0], all[i][1]};
        all[i][0] = all[other][0];
        all[i][1] = all[other][1];
        all[other][0] = swap[0];
        all[other][1] = swap[1];
        s->tables[s->table_count++] =
            (pair_table){.a = &s->scales[all[i][0]], .b = &s->scales[all[i][1]]};
    }
    return HR_OK;
}

/* Counts one attribute alone. */
static void count_single(pair_table *t) {
    hr_scale_before(t->a, t->before);
    hr_scale_after(t->a, t->after);
}

static hr_status count_tables(survey *s, hr_error *err) {
    for (size_t i = 0; i < s->table_count; i++) {
        pair_table *t = &s->tables[i];
        size_t cells = (size_t)t->a->count * t->b->count;
        t->before = hr_arena_alloc(&s->arena, cells, sizeof *t->before, err);
        t->after = hr_arena_alloc(&s->arena, cells, sizeof *t->after, err);
        if (!t->before || !t->after) return HR_ENOMEM;
        if (t->a == t->b)
            count_single(t);
        else
            hr_joint_count(s->outcome, t->a, t->b, t->before, t->after);
    }
    return HR_OK;
}

/* Draws a range of groups first .. last, without the group of leaves that occur in no row. */
static void draw_range(survey *s, const hr_scale *scale, uint32_t *first, uint32_t *last) {
    uint32_t count = scale->count - scale->has_unseen;
    uint32_t x = (uint32_t)hr_random_below(&s->random, count);
    uint32_t y = (uint32_t)hr_random_below(&s->random, count);
    *first = x < y ? x : y;
    *last = x < y ? y : x;
}

static double ask(survey *s, double least) {
    const pair_table *t = &s->tables[hr_random_below(&s->random, s->table_count)];
    uint32_t a[2], b[2] = {0, 0}, columns = t->a == t->b ? 1 : t->b->count;
    double before = 0, after = 0;
    draw_range(s, t->a, &a[0], &a[1]);
    if (columns > 1) draw_range(s, t->b, &b[0], &b[1]);
    for (uint32_t g = a[0]; g <= a[1]; g++)
        for (uint32_t h = b[0]; h <= b[1]; h++) {
            before += t->before[(size_t)g * columns + h];
            after += t->after[(size_t)g * columns + h];
        }
    return fabs(after - before) / fmax(before, least);
}

static int ascending(const void *a, const void *b) {
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

static hr_status conduct(survey *s, hr_query_error *out, hr_error *err) {
    HR_TRY(choose_pairs(s, err));
    if (s->table_count == 0) return HR_OK; /* every attribute has one value */
    HR_TRY(count_tables(s, err));
    s->errors = hr_arena_alloc(&s->arena, QUERIES, sizeof *s->errors, err);
    if (!s->errors) return HR_ENOMEM;
    double sum = 0;
    out->least = fmax(1, LEAST_SHARE * (double)s->outcome->data->rows);
    out->attributes = s->tables[0].a == s->tables[0].b ? 1 : 2;
    out->count = QUERIES;
    for (size_t i = 0; i < QUERIES; i++)
        sum += s->errors[i] = ask(s, out->least);
    qsort(s->errors, QUERIES, sizeof *s->errors, ascending);
    out->mean = sum / QUERIES;
    out->median = (s->errors[QUERIES / 2 - 1] + s->errors[QUERIES / 2]) / 2;
    return HR_OK;
}

hr_status hr_query_errors(const hr_outcome *outcome, const hr_scale *scales, uint64_t seed,
                          hr_query_error *out, hr_error *err) {
    survey s = {.outcome = outcome, .scales = scales};
    *out = (hr_query_error){.mean = NAN, .median = NAN};
    hr_random_seed(&s.random, seed, STREAM);
    hr_status status = conduct(&s, out, err);
    hr_arena_free(&s.arena);
    return status;
}
