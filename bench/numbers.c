/* numbers.c - tables of six numeric quasi-identifiers for microaggregation, made in memory and
 * equal on every machine: independent normal numbers, the hardest case for an index, and correlated
 * skewed numbers such as incomes and taxes. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { QUASI = 6, TEXT = 32 };

const char *const bench_numbers_names[] = {"normal", "incomes", NULL};

#define MUST(call)                                                                                 \
    do {                                                                                           \
        hr_error err = {0};                                                                        \
        if ((call) != HR_OK) bench_die("%s", err.message);                                         \
    } while (0)

static void draw_row(bool incomes, hr_random *random, char texts[QUASI][TEXT]) {
    double common = hr_random_normal(random);
    for (size_t j = 0; j < QUASI; j++) {
        double own = hr_random_normal(random);
        if (incomes)
            snprintf(texts[j], TEXT, "%.0f", 1000 * exp(0.7 * common + 0.7 * own));
        else
            snprintf(texts[j], TEXT, "%.3f", 100 * own);
    }
}

void bench_numbers_make(const char *name, size_t rows, bench_wide *out) {
    char texts[QUASI][TEXT];
    const char *cells[QUASI];
    const hr_missing missing = {0};
    hr_random random;
    hr_random_seed(&random, 1, rows);
    *out = (bench_wide){.trees = calloc(QUASI, sizeof *out->trees),
                        .data = {.rows = rows,
                                 .quasi = calloc(QUASI, sizeof *out->data.quasi),
                                 .quasi_count = QUASI}};
    if (!out->trees || !out->data.quasi) bench_die("out of memory");
    for (size_t j = 0; j < QUASI; j++) {
        snprintf(texts[j], TEXT, "c%zu", j);
        cells[j] = texts[j];
    }
    MUST(hr_table_new(QUASI, cells, &out->table, &err));
    for (size_t row = 0; row < rows; row++) {
        draw_row(!strcmp(name, "incomes"), &random, texts);
        MUST(hr_table_append(out->table, cells, &err));
    }
    for (size_t j = 0; j < QUASI; j++)
        MUST(hr_quasi_bind_numeric(&out->data.quasi[j], &out->table->columns[j], &missing, false,
                                   &err));
}
