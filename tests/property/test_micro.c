/* test_micro.c - microaggregation on random tables: the fast and the plain form give the same
 * clusters, row for row, and they are the clusters of the definitions, which are implemented here
 * again: every step examines all rows and sums every centroid from scratch. Tables with many ties
 * have small whole numbers, for which this arithmetic is exact. */
#include "run/run.h"

#include "plain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 600, QUASI = 8, SENSITIVES = 3 };

static const char *const algorithms[] = {"mdav", "cbfs", "micro-k-first", "micro-p-first"};
static const char *const scales[] = {"deviation", "range", "none"};

/* One random case. */
typedef struct {
    int rows, t, r, k, p, algorithm, scale;
    double x[ROWS][QUASI];
    char text[ROWS][QUASI][32];
    int value[ROWS][SENSITIVES]; /* -1: missing */
    double weight[QUASI];
    double least[QUASI];
    bool exact; /* whole numbers without standardization: equal distances are exactly equal */
} world_of_numbers;

/* ---- random tables ---- */

static void make_shape(world_of_numbers *w, dice *d) {
    w->rows = chance(d, 10) ? roll(d, 200, ROWS) : roll(d, 1, 90);
    w->t = roll(d, 1, QUASI);
    w->r = roll(d, 0, SENSITIVES);
    w->algorithm = roll(d, 0, 3);
    w->scale = roll(d, 0, 2);
    w->k = roll(d, 1, chance(d, 20) ? w->rows : 9 < w->rows ? 9 : w->rows);
    if (w->k > w->rows) w->k = w->rows;
    w->p = w->algorithm >= 2 && w->r > 0 ? roll(d, 1, 4) : 1;
    if (w->p > w->k) w->p = w->k;
}

static void make_numbers(world_of_numbers *w, dice *d) {
    int kind = roll(d, 0, 4), most = roll(d, 0, kind == 1 ? 3 : 12);
    double offset = chance(d, 20) ? 1e9 : chance(d, 20) ? -1e6 : 0;
    bool outlier =
        kind == 3 && chance(d, 30); /* one row so far away that all others nearly coincide */
    w->exact = kind <= 2;
    if (w->exact) w->scale = 2;
    for (int j = 0; j < w->t; j++) {
        w->weight[j] = chance(d, 80) ? 1 : w->exact ? 4 : roll(d, 0, 30) / 10.0;
        for (int i = 0; i < w->rows; i++) {
            double *x = &w->x[i][j];
            if (w->exact)
                *x = roll(d, 0, most) + (chance(d, 1) ? 40 : 0);
            else if (kind == 3)
                *x = roll(d, -1000000, 1000000) / 1000.0;
            else
                *x = floor(exp(roll(d, 0, 12000) / 1000.0) * 100) / 100;
            *x += offset;
            if (outlier && i == 7 && j == 0) *x = 1e12;
            snprintf(w->text[i][j], sizeof w->text[i][j], w->exact ? "%.0f" : "%.3f", *x);
        }
    }
    for (int i = 0; kind == 2 && i < w->rows; i++) { /* copies of a few rows */
        int like = roll(d, 0, i < 5 ? i : 4);
        memcpy(w->x[i], w->x[like], sizeof w->x[i]);
        memcpy(w->text[i], w->text[like], sizeof w->text[i]);
    }
}

static void find_least(world_of_numbers *w) {
    for (int j = 0; j < w->t; j++) {
        w->least[j] = w->x[0][j];
        for (int i = 1; i < w->rows; i++)
            if (w->x[i][j] < w->least[j]) w->least[j] = w->x[i][j];
    }
}

static void make_values(world_of_numbers *w, dice *d) {
    for (int l = 0; l < w->r; l++) {
        int most = chance(d, 10) ? 400 : roll(d, 3, 8);
        for (int i = 0; i < w->rows; i++)
            w->value[i][l] = chance(d, 5) ? -1 : chance(d, 50) ? 0 : roll(d, 0, most);
    }
}

/* ---- the definitions ---- */

typedef struct {
    const world_of_numbers *w;
    double divisor[QUASI];
    int group[ROWS]; /* -1: in no group yet */
    int groups;
} plain;

/* Numbers are counted from the least of their column: a constant offset changes nothing. */
static double above(const world_of_numbers *w, int row, int j) {
    return w->x[row][j] - w->least[j];
}

static void find_divisors(plain *s) {
    const world_of_numbers *w = s->w;
    for (int j = 0; j < w->t; j++) {
        double mean = 0, squares = 0, least = w->x[0][j], most = w->x[0][j];
        for (int i = 0; i < w->rows; i++) {
            mean += (above(w, i, j)) / w->rows;
            if (w->x[i][j] < least) least = w->x[i][j];
            if (w->x[i][j] > most) most = w->x[i][j];
        }
        for (int i = 0; i < w->rows; i++)
            squares += pow(above(w, i, j) - mean, 2);
        s->divisor[j] = w->scale == 0   ? sqrt(squares / (w->rows - 1))
                        : w->scale == 1 ? most - least
                                        : 1;
        if (!(most > least)) s->divisor[j] = INFINITY;
    }
}

/* times² times the squared distance of a row from the centroid sum / times. */
static double distance(const plain *s, int row, double times, const double *sum) {
    double total = 0;
    for (int j = 0; j < s->w->t; j++) {
        double off = times * above(s->w, row, j) - sum[j];
        total += s->w->weight[j] * (off / s->divisor[j]) * (off / s->divisor[j]);
    }
    return total;
}

static void sum_of(const plain *s, int group, double *sum, int *count) {
    memset(sum, 0, QUASI * sizeof *sum);
    *count = 0;
    for (int i = 0; i < s->w->rows; i++) {
        if (s->group[i] != group) continue;
        ++*count;
        for (int j = 0; j < s->w->t; j++)
            sum[j] += above(s->w, i, j);
    }
}

static int left(const plain *s) {
    int count = 0;
    for (int i = 0; i < s->w->rows; i++)
        count += s->group[i] < 0;
    return count;
}

static int furthest(const plain *s, double times, const double *sum) {
    int best = -1;
    for (int i = 0; i < s->w->rows; i++)
        if (s->group[i] < 0 &&
            (best < 0 || distance(s, i, times, sum) > distance(s, best, times, sum)))
            best = i;
    return best;
}

static int furthest_from_centre(const plain *s) {
    double sum[QUASI];
    int count;
    sum_of(s, -1, sum, &count);
    return furthest(s, count, sum);
}

static void place_of(const plain *s, int row, double *place) {
    for (int j = 0; j < s->w->t; j++)
        place[j] = above(s->w, row, j);
}

/* The number of distinct values of an attribute in a group (-1: in the rows without a group). */
static int values_in(const plain *s, int group, int l) {
    int count = 0;
    for (int i = 0; i < s->w->rows; i++) {
        bool first = s->group[i] == group && s->w->value[i][l] >= 0;
        for (int h = 0; h < i && first; h++)
            first = s->group[h] != group || s->w->value[h][l] != s->w->value[i][l];
        count += first;
    }
    return count;
}

static bool is_sensitive(const plain *s, int group) {
    for (int l = 0; l < s->w->r; l++)
        if (s->w->p > 1 && values_in(s, group, l) < s->w->p) return false;
    return true;
}

static bool is_new(const plain *s, int row, int group) {
    for (int l = 0; l < s->w->r; l++) {
        bool known = s->w->value[row][l] < 0;
        for (int i = 0; i < s->w->rows; i++)
            known = known || (s->group[i] == group && s->w->value[i][l] == s->w->value[row][l]);
        if (!known) return true;
    }
    return false;
}

static int nearest(const plain *s, int seed, bool must_be_new) {
    double place[QUASI];
    int best = -1;
    place_of(s, seed, place);
    for (int i = 0; i < s->w->rows; i++)
        if (s->group[i] < 0 && (!must_be_new || is_new(s, i, s->groups)) &&
            (best < 0 || distance(s, i, 1, place) < distance(s, best, 1, place)))
            best = i;
    return best;
}

static void make_group(plain *s, int seed, int k, bool p_first) {
    int size = 1;
    s->group[seed] = s->groups;
    for (; p_first && !is_sensitive(s, s->groups); size++)
        s->group[nearest(s, seed, true)] = s->groups;
    for (; size < k; size++)
        s->group[nearest(s, seed, false)] = s->groups;
    s->groups++;
}

static void plain_mdav(plain *s, int k) {
    double place[QUASI];
    s->groups = 0;
    for (int i = 0; i < s->w->rows; i++)
        s->group[i] = -1;
    while (left(s) >= 3 * k) {
        int first = furthest_from_centre(s);
        make_group(s, first, k, false);
        place_of(s, first, place);
        make_group(s, furthest(s, 1, place), k, false);
    }
    if (left(s) >= 2 * k) make_group(s, furthest_from_centre(s), k, false);
    for (int i = 0; i < s->w->rows; i++)
        if (s->group[i] < 0) s->group[i] = s->groups;
    s->groups++;
}

static void plain_p_first(plain *s) {
    static double centre[ROWS][QUASI];
    for (int i = 0; i < s->w->rows; i++)
        s->group[i] = -1;
    while (left(s) >= s->w->k && is_sensitive(s, -1))
        make_group(s, furthest_from_centre(s), s->w->k, true);
    for (int g = 0; g < s->groups; g++) {
        int count;
        sum_of(s, g, centre[g], &count);
        for (int j = 0; j < s->w->t; j++)
            centre[g][j] /= count;
    }
    for (int i = 0; i < s->w->rows; i++) {
        if (s->group[i] >= 0) continue;
        int best = 0;
        for (int g = 1; g < s->groups; g++)
            if (distance(s, i, 1, centre[g]) < distance(s, i, 1, centre[best])) best = g;
        s->group[i] = best;
    }
}

static void plain_k_first(plain *s) {
    bool sensitive = false;
    for (int k = s->w->k; !sensitive; k++) {
        plain_mdav(s, k);
        sensitive = true;
        for (int g = 0; g < s->groups; g++)
            sensitive = sensitive && is_sensitive(s, g);
    }
}

static void by_definition(plain *s) {
    find_divisors(s);
    if (s->w->algorithm == 0)
        plain_mdav(s, s->w->k);
    else if (s->w->algorithm == 2)
        plain_k_first(s);
    else
        plain_p_first(s);
}

/* ---- the library ---- */

#define MUST(call)                                                                                 \
    do {                                                                                           \
        hr_error err = {0};                                                                        \
        CHECK((call) == HR_OK, "%s: %s", #call, err.message);                                      \
    } while (0)

static void make_job(const world_of_numbers *w, hr_table **table, hr_job **job) {
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "s0", "s1", "s2"};
    const char *columns[QUASI + SENSITIVES], *cells[QUASI + SENSITIVES];
    char values[SENSITIVES][16];
    MUST(hr_job_new(job, &err));
    for (int c = 0; c < w->t + w->r; c++) {
        columns[c] = c < w->t ? names[c] : names[QUASI + c - w->t];
        MUST(hr_job_set(*job, c < w->t ? "quasi" : "sensitive", columns[c], &err));
        if (c < w->t) MUST(hr_job_set(*job, "numeric", columns[c], &err));
    }
    MUST(hr_table_new((size_t)(w->t + w->r), columns, table, &err));
    for (int i = 0; i < w->rows; i++) {
        for (int j = 0; j < w->t; j++)
            cells[j] = w->text[i][j];
        for (int l = 0; l < w->r; l++) {
            snprintf(values[l], sizeof values[l], "%d", w->value[i][l]);
            cells[w->t + l] = w->value[i][l] < 0 ? "" : values[l];
        }
        MUST(hr_table_append(*table, cells, &err));
    }
    MUST(hr_job_set_input(*job, *table, &err));
    MUST(hr_job_set(*job, "algorithm", algorithms[w->algorithm], &err));
    MUST(hr_job_set(*job, "standardize", scales[w->scale], &err));
    (*job)->asked = (hr_requirements){.k = w->k, .p = w->p};
}

/* Runs both forms, which must agree, and stores the clusters in `found`. Returns false if nothing
 * can be released. */
static bool search(const world_of_numbers *w, uint32_t *found) {
    hr_table *table;
    hr_job *job;
    hr_dataset bound;
    hr_choice choice;
    hr_arena arena = {0};
    hr_groups cells;
    hr_facts facts;
    bool out[1];
    make_job(w, &table, &job);
    MUST(hr_job_choose(job, &arena, &choice, &err));
    MUST(hr_dataset_load(job, NULL, &bound, &err));
    for (int j = 0; j < w->t; j++)
        bound.data.quasi[j].weight = w->weight[j];
    const hr_microdata *data = &bound.data;
    MUST(hr_cells(data->quasi, data->quasi_count, data->rows, true, &cells, &err));
    MUST(hr_facts_of(&cells, data->sensitive, data->sensitive_count, &facts, &err));
    CHECK(cells.count == 1, "%u MAM cells", cells.count);
    hr_models_out(&facts, &job->asked, out);
    for (int plain_form = 0; plain_form < 2 && !out[0]; plain_form++) {
        hr_partition partition;
        hr_search request = {.data = data,
                             .cells = &cells,
                             .out = out,
                             .asked = job->asked,
                             .algorithm = choice.algorithm,
                             .options = choice.options,
                             .reference = plain_form == 1,
                             .threads = 1};
        MUST(hr_search_run(&request, &partition, &err));
        for (int i = 0; i < w->rows && plain_form; i++)
            CHECK(partition.cluster[i] == found[i], "row %d: cluster %u fast, %u plain", i + 1,
                  found[i], partition.cluster[i]);
        memcpy(found, partition.cluster, (size_t)w->rows * sizeof *found);
        hr_partition_free(&partition);
    }
    hr_facts_free(&facts);
    hr_groups_free(&cells);
    hr_dataset_free(&bound);
    hr_arena_free(&arena);
    hr_job_free(job);
    hr_table_free(table);
    return !out[0];
}

/* ---- a case ---- */

static void run(dice *d, const char *folder) {
    static world_of_numbers w;
    static plain s;
    uint32_t found[ROWS], number[ROWS];
    (void)folder;
    memset(&w, 0, sizeof w);
    make_shape(&w, d);
    make_numbers(&w, d);
    find_least(&w);
    make_values(&w, d);
    if (!search(&w, found)) return;
    memset(&s, 0, sizeof s);
    s.w = &w;
    by_definition(&s);
    uint32_t next = 0; /* clusters are numbered by their first rows */
    memset(number, 0xff, sizeof number);
    for (int i = 0; i < w.rows; i++) {
        if (number[s.group[i]] == UINT32_MAX) number[s.group[i]] = next++;
        CHECK(found[i] == number[s.group[i]],
              "%s k %d p %d, %d rows of %d, standardize %s: row %d is in cluster %u, by definition "
              "in %u",
              algorithms[w.algorithm], w.k, w.p, w.rows, w.t, scales[w.scale], i + 1, found[i],
              number[s.group[i]]);
    }
}

int main(void) {
    return run_cases("test_micro", 6000, run);
}
