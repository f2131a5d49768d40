/* unit.h - helpers of the unit tests: small tables, calls that must succeed, and comparisons. */
#ifndef HR_UNIT_H
#define HR_UNIT_H

#include "io/io.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* Fails the test if the call fails. The call passes `&err`, which is declared here. */
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

/* A table of numbers written as texts, with columns "0", "1", ...; `numbers` is row by row. */
static inline hr_table *table_of_numbers(const unsigned *numbers, size_t rows, size_t columns) {
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};
    hr_table *table = NULL;
    assert_true(columns <= 8);
    MUST(hr_table_new(columns, names, &table, &err));
    for (size_t row = 0; row < rows; row++) {
        char texts[8][16];
        const char *row_texts[8];
        for (size_t c = 0; c < columns; c++) {
            snprintf(texts[c], sizeof texts[c], "%u", numbers[row * columns + c]);
            row_texts[c] = texts[c];
        }
        MUST(hr_table_append(table, row_texts, &err));
    }
    return table;
}

/* Fails unless the two differ by less than 1e-9. */
static inline void near(double actual, double expected) {
    double error = actual - expected;
    if (!(error < 1e-9 && error > -1e-9)) fail_msg("%.15g, expected %.15g", actual, expected);
}

/* Repeats the call with the first, second, ... allocation failing, until it succeeds. A failure
 * must be HR_ENOMEM; the call checks that it then leaves nothing behind, and frees what it gets.
 * `least`: how many allocations the call makes at least. In builds without HR_FAULT the call is
 * made once. */
static inline void with_failing_memory(hr_status (*call)(void *payload, hr_error *err),
                                       void *payload, long least) {
    hr_status status = HR_ENOMEM;
    long nth = 0;
    while (status != HR_OK) {
        hr_error err = {0};
        hr_memory_fail_at(++nth);
        status = call(payload, &err);
        hr_memory_fail_at(0);
        assert_int_equal(err.code, status);
        if (status != HR_OK) assert_int_equal(status, HR_ENOMEM);
    }
#ifdef HR_FAULT
    assert_true(nth > least);
#else
    (void)least;
#endif
}

/* A random number from 0 to limit - 1. */
static inline unsigned below(hr_random *random, unsigned limit) {
    return (unsigned)hr_random_below(random, limit);
}

#endif
