/* bench_build.c - building hierarchies from columns without repeated values, the worst case for a
 * builder. Each is measured in a child process; the table is made before the
 * clock starts.
 *
 *     bench_build [--quick]                 100,000 and 1,000,000 values; --quick: a tenth of that
 *
 * Read `growth`: 10 is linear. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { TURNS = 3 };

typedef enum { DIGITS, DECIMALS, TIMES } value_kind;

typedef struct {
    const char *name, *spec;
    value_kind kind;
    uint64_t rows;
} request;

typedef struct {
    double seconds, peak;
} answer;

static const request contests[] = {
    {.name = "prefix", .spec = "prefix: [6, 4, 2]", .kind = DIGITS},
    {.name = "intervals", .spec = "intervals: [1000, 10000, 100000]", .kind = DIGITS},
    {.name = "intervals of decimals", .spec = "intervals: [0.5, 50]", .kind = DECIMALS},
    {.name = "cuts", .spec = "cuts: [[1000000, 5000000, 9000000], [5000000]]", .kind = DIGITS},
    {.name = "quantiles", .spec = "quantiles: [1000, 100]", .kind = DECIMALS},
    {.name = "date", .spec = "date: [day, month, year]", .kind = TIMES},
    {.name = "frequency", .spec = "frequency: [1000, 10]", .kind = DIGITS},
    {.name = "prefix and frequency", .spec = "[{prefix: 4}, {frequency: 100}]", .kind = DIGITS},
};
enum { CONTESTS = sizeof contests / sizeof *contests };

/* Different values for different i, in a mixed order: 7,654,321 and 10^7 are coprime. */
static void put_value(value_kind kind, uint64_t i, char *out, size_t room) {
    unsigned long long mixed = i * 7654321 % 10000000;
    switch (kind) {
    case DIGITS: snprintf(out, room, "%08llu", mixed); break;
    case DECIMALS: snprintf(out, room, "%llu.%02llu", mixed / 100, mixed % 100); break;
    case TIMES:
        snprintf(out, room, "20%02llu-%02llu-%02lluT12:00:00.%07llu", mixed % 30,
                 1 + mixed / 30 % 12, 1 + mixed / 360 % 28, mixed);
        break;
    }
}

static hr_table *make_table(const request *r) {
    static const char *const names[] = {"values"};
    hr_error err;
    hr_table *table;
    if (hr_table_new(1, names, &table, &err) != HR_OK) bench_die("%s", err.message);
    for (uint64_t i = 0; i < r->rows; i++) {
        char text[64];
        const char *fields[] = {text};
        put_value(r->kind, i, text, sizeof text);
        if (hr_table_append(table, fields, &err) != HR_OK) bench_die("%s", err.message);
    }
    return table;
}

static void build(const void *payload, void *result) {
    const request *r = payload;
    answer *out = result;
    hr_error err;
    hr_hierarchy *tree;
    hr_table *table = make_table(r);
    hr_hierarchy_make_request wanted = {.size = sizeof wanted, .spec = r->spec, .table = table};
    double start = hr_seconds();
    if (hr_hierarchy_make(&wanted, &tree, &err) != HR_OK) bench_die("%s", err.message);
    out->seconds = hr_seconds() - start;
    out->peak = bench_peak();
    if (hr_hierarchy_leaf_count(tree) != r->rows) bench_die("%s: values are equal", r->name);
    hr_hierarchy_free(tree);
    hr_table_free(table);
}

int main(int argc, char **argv) {
    static bench_results results;
    bool quick = argc > 1 && !strcmp(argv[1], "--quick");
    bench_header();
    for (size_t i = 0; i < CONTESTS; i++)
        for (uint64_t rows = quick ? 10000 : 100000; rows <= (quick ? 100000 : 1000000);
             rows *= 10) {
            answer best = {0}, found;
            request r = contests[i];
            r.rows = rows;
            for (int turn = 0; turn < (quick ? 1 : TURNS); turn++) {
                bench_apart(build, &r, &found, sizeof found);
                if (turn == 0 || found.seconds < best.seconds) best = found;
            }
            bench_line line = {.benchmark = "build",
                               .data = r.name,
                               .rows = rows,
                               .seconds = best.seconds,
                               .peak_mb = best.peak / 1e6};
            bench_add(&results, &line);
        }
    return 0;
}
