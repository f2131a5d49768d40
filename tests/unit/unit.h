/* unit.h - what the unit tests share: tables written as text, and calls that must succeed. */
#ifndef HR_UNIT_H
#define HR_UNIT_H

#include "io/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#define MUST(call)                                                                                 \
    do {                                                                                           \
        hr_error err = {0};                                                                        \
        if ((call) != HR_OK) fail_msg("%s: %s", #call, err.message);                               \
    } while (0)

/* A table from CSV text with a header. */
static inline hr_table *table_of(const char *csv) {
    hr_table *table = NULL;
    hr_read_options options = {.delimiter = ','};
    MUST(hr_csv_parse(csv, strlen(csv), "test.csv", &options, &table, &err));
    return table;
}

/* A table of texts from numbers: columns "0", "1", ..., cell (row, c) = prefix + number. */
static inline hr_table *table_of_numbers(const unsigned *cells, size_t rows, size_t columns) {
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    hr_table *table = NULL;
    assert_true(columns <= 8);
    MUST(hr_table_new(columns, names, &table, &err));
    for (size_t row = 0; row < rows; row++) {
        char texts[8][16];
        const char *row_texts[8];
        for (size_t c = 0; c < columns; c++) {
            snprintf(texts[c], sizeof texts[c], "%u", cells[row * columns + c]);
            row_texts[c] = texts[c];
        }
        MUST(hr_table_append(table, row_texts, &err));
    }
    return table;
}

static inline void near(double actual, double expected) {
    double error = actual - expected;
    if (!(error < 1e-9 && error > -1e-9)) fail_msg("%.15g, expected %.15g", actual, expected);
}

static inline unsigned below(hr_random *random, unsigned bound) {
    return (unsigned)hr_random_below(random, bound);
}

#endif
