/* test_prices.c - what the boundaries cost, against brute force: rows counted one by one, and the
 * greatest number of classes over all partitions of a cell. */
#include "run/run.h"

#include "unit.h"

enum { ROWS = 9, SENSITIVE = 2, VALUES = 4, CELLS = 2 };

/* Columns: the cell, then the sensitive attributes; value 0 is missing. */
typedef struct {
    unsigned rows;
    unsigned cell[ROWS], value[SENSITIVE][ROWS];
} sample;

static void draw(sample *s, hr_random *random) {
    s->rows = 1 + below(random, ROWS);
    for (unsigned i = 0; i < s->rows; i++) {
        s->cell[i] = below(random, 3) ? 0 : 1;
        for (unsigned l = 0; l < SENSITIVE; l++) {
            unsigned a = below(random, VALUES), b = below(random, VALUES);
            s->value[l][i] = a < b ? b : a;
        }
    }
}

static hr_table *table_of_sample(const sample *s) {
    hr_table *table = NULL;
    MUST(hr_table_new(1 + SENSITIVE, (const char *const[]){"q", "s", "t"}, &table, &err));
    for (unsigned i = 0; i < s->rows; i++) {
        char text[1 + SENSITIVE][16];
        snprintf(text[0], sizeof text[0], "%u", s->cell[i]);
        for (unsigned l = 0; l < SENSITIVE; l++)
            snprintf(text[1 + l], sizeof text[0], "%.*u", s->value[l][i] ? 1 : 0, s->value[l][i]);
        MUST(hr_table_append(table, (const char *const[]){text[0], text[1], text[2]}, &err));
    }
    return table;
}

/* ---- The plain way ---- */

typedef struct {
    unsigned rows, k, p;
    unsigned value[ROWS];    /* of each row of a cell */
    unsigned class_of[ROWS]; /* classes are numbered by first row */
} cutting;

static unsigned distinct(const cutting *c, unsigned class, unsigned *size) {
    unsigned seen = 0, count = 0;
    *size = 0;
    for (unsigned i = 0; i < c->rows; i++) {
        if (c->class_of[i] != class) continue;
        ++*size;
        if (c->value[i]) seen |= 1u << c->value[i];
    }
    for (; seen; seen &= seen - 1)
        count++;
    return count;
}

/* The greatest number of classes over all partitions, given the classes of the first `at` rows. */
static unsigned cut(cutting *c, unsigned at, unsigned classes) {
    unsigned most = 0, size;
    if (at == c->rows) {
        for (unsigned class = 0; class < classes; class ++) {
            unsigned values = distinct(c, class, &size);
            if (size < c->k || (c->p > 1 && values < c->p)) return 0;
        }
        return classes;
    }
    for (unsigned class = 0; class <= classes; class ++) {
        c->class_of[at] = class;
        unsigned found = cut(c, at + 1, class == classes ? classes + 1 : classes);
        if (found > most) most = found;
    }
    return most;
}

/* Of one cell and one attribute alone. */
static unsigned most_classes(const sample *s, unsigned cell, unsigned l, unsigned k, unsigned p) {
    cutting c = {.k = k, .p = p};
    for (unsigned i = 0; i < s->rows; i++)
        if (s->cell[i] == cell) c.value[c.rows++] = s->value[l][i];
    return cut(&c, 0, 0);
}

/* Rows of a cell; 0 if it is OUT, that is, if the whole cell is no valid class. */
static unsigned kept_rows(const sample *s, unsigned cell, unsigned attributes, unsigned k,
                          unsigned p) {
    unsigned size = 0;
    for (unsigned l = 0; l < attributes || l == 0; l++) {
        cutting c = {.k = k, .p = p};
        for (unsigned i = 0; i < s->rows; i++)
            if (s->cell[i] == cell) c.value[c.rows++] = s->value[l][i];
        unsigned values = distinct(&c, 0, &size);
        if (size < k || (p > 1 && values < p)) return 0;
    }
    return size;
}

static void check_price(const sample *s, unsigned attributes, const hr_price *price) {
    unsigned k = (unsigned)price->k, p = (unsigned)price->p, classes = 0, kept = 0;
    for (unsigned cell = 0; cell < CELLS; cell++) {
        unsigned least = most_classes(s, cell, 0, k, p),
                 rows = kept_rows(s, cell, attributes, k, p);
        for (unsigned l = 1; l < attributes; l++) {
            unsigned most = most_classes(s, cell, l, k, p);
            if (most < least) least = most;
        }
        kept += rows;
        if (rows) classes += least;
    }
    if (price->suppressed != s->rows - kept || price->classes_at_most != classes)
        fail_msg("%u attributes, k %u, p %u: %llu suppressed, %llu classes; expected %u, %u",
                 attributes, k, p, (unsigned long long)price->suppressed,
                 (unsigned long long)price->classes_at_most, s->rows - kept, classes);
}

/* ---- Both ---- */

static void check_sample(const sample *s, unsigned attributes) {
    static const int64_t ks[] = {1, 2, 3}, ps[] = {1, 2, 3};
    size_t p_count = attributes ? 3 : 1;
    hr_table *table = table_of_sample(s);
    hr_job *job = NULL;
    hr_dataset bound;
    hr_prices *prices;
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set_input(job, table, &err));
    MUST(hr_job_set(job, "quasi", "q", &err));
    MUST(hr_job_set(job, "hierarchy", "q=flat", &err));
    MUST(hr_job_set(job, "boundary", "q=level:0", &err));
    if (attributes > 0) MUST(hr_job_set(job, "sensitive", "s", &err));
    if (attributes > 1) MUST(hr_job_set(job, "sensitive", "t", &err));
    MUST(hr_dataset_load(job, NULL, &bound, &err));
    MUST(hr_prices_of(&bound, &(hr_requirements){.k = 1, .p = 1}, ks, 3, ps, p_count, NULL, &prices,
                      &err));
    assert_int_equal(prices->price_count, 3 * p_count);
    for (size_t i = 0; i < prices->price_count; i++)
        check_price(s, attributes, &prices->prices[i]);
    hr_prices_free(prices);
    hr_dataset_free(&bound);
    hr_job_free(job);
    hr_table_free(table);
}

static void test_random(void **state) {
    (void)state;
    hr_random random;
    hr_random_seed(&random, 7, 0);
    for (int i = 0; i < 150; i++) {
        sample s;
        draw(&s, &random);
        for (unsigned attributes = 0; attributes <= SENSITIVE; attributes++)
            check_sample(&s, attributes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
