/* bench.h - code shared by the benchmarks: one table for all results, work measured in a separate
 * process, and a search measured in both forms. */
#ifndef BENCH_H
#define BENCH_H

#include "run/run.h"

_Noreturn void bench_die(const char *format, ...) HR_PRINTF(1, 2);

/* ---- bench.c: the table of results ---- */

/* One line of the table. A number that is 0 and a text that is NULL are written as empty fields. */
typedef struct {
    const char *benchmark, *data, *algorithm, *boundaries, *identical;
    uint64_t rows, combinations, clusters;
    int64_t k, p;
    double seconds, reference_seconds;
    double peak_mb, mb_per_s;
    double bytes_per_row,
        bytes_per_combination; /* of the search alone; of a command: all its memory */
    uint64_t lattice_nodes, checked, scans, minimal; /* counts of a lattice search */
} bench_line;

enum { BENCH_LINES = 256 };

/* The lines written so far. `growth` is the time of a line over the time of the line that differs
 * only in having a tenth of the rows. */
typedef struct {
    bench_line lines[BENCH_LINES];
    size_t count;
} bench_results;

void bench_header(void);
void bench_add(bench_results *results, const bench_line *line);
/* The earlier line that differs only in having a tenth of the rows, or NULL. */
const bench_line *bench_smaller(const bench_results *results, const bench_line *line);

/* Runs work(payload, result) in a child process, so that its memory can be measured, and copies
 * `size` bytes of result back. */
typedef void (*bench_work)(const void *payload, void *result);
void bench_apart(bench_work work, const void *payload, void *result, size_t size);

/* The peak memory of this process in bytes. */
double bench_peak(void);
/* Returns freed memory to the system, so that it is not counted. */
void bench_tidy(void);

/* "census" of "folder/census.yaml"; the caller frees it. */
char *bench_name(const char *path);

/* ---- trial.c: one search ---- */

/* The data of a search. */
typedef struct {
    const char *benchmark, *name;
    const hr_microdata *data;
    bool bounded; /* some attribute has a boundary */
    uint32_t combinations;
} bench_data;

typedef struct {
    const char *algorithm;
    int64_t k, p;
    bool enforce;
    const char *suppression;  /* NULL: the default */
    int runs, reference_runs; /* the best of so many runs counts; 0: not measured */
    double lasting;           /* least seconds of a run; short searches are repeated */
} bench_trial;

bench_data bench_data_of(const char *benchmark, const char *name, const hr_microdata *data);
/* Measures a search in a child process. */
bench_line bench_search(const bench_data *data, const bench_trial *trial);

/* ---- wide.c: tables made in memory ---- */

typedef struct {
    hr_table *table;
    hr_hierarchy **trees;
    hr_microdata data;
} bench_wide;

extern const char *const bench_wide_names[]; /* ends with NULL */
/* One of those; "levels": ten trees, for a lattice of millions of nodes; "numbers": two numbers. */
void bench_wide_make(const char *name, size_t rows, bench_wide *out);
void bench_wide_free(bench_wide *wide);

/* ---- numbers.c: tables of numbers made in memory ---- */

extern const char *const bench_numbers_names[]; /* ends with NULL */
void bench_numbers_make(const char *name, size_t rows, bench_wide *out);

#endif
