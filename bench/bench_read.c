/* bench_read.c - reading and encoding a table against merely parsing it with libcsv, in one run and
 * by turns, so that the machine's mood is the same for both.
 *
 *     bench_read FILE [COLUMN...]      the columns to keep; none: all
 *
 * Prints one header and one row of CSV: what counts is `ratio`, hedgerow's speed by libcsv's. */
#include "io/io.h"

#include <csv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { RUNS = 3, CHUNK = 1 << 20 };

typedef struct {
    char **names;
    size_t count;
} wanted;

static hr_status choose(const char *const *names, size_t count, bool *keep, void *payload,
                        hr_error *err) {
    const wanted *w = payload;
    for (size_t j = 0; j < w->count; j++) {
        size_t i = 0;
        while (i < count && strcmp(names[i], w->names[j]))
            i++;
        if (i == count) return hr_fail(err, HR_EINVAL, "no column '%s'", w->names[j]);
        keep[i] = true;
    }
    return HR_OK;
}

static void on_field(void *text, size_t length, void *payload) {
    (void)text, (void)length, (void)payload;
}

static void on_row(int last, void *payload) {
    (void)last, (void)payload;
}

static int die(const char *message) {
    fprintf(stderr, "bench_read: %s\n", message);
    return 1;
}

/* Seconds to parse the file with libcsv; *bytes gets its size. */
static double parse_bare(const char *path, size_t *bytes) {
    double start = hr_seconds();
    struct csv_parser parser;
    char *chunk = malloc(CHUNK);
    FILE *file = fopen(path, "rb");
    if (!file || !chunk || csv_init(&parser, 0)) exit(die("cannot open the file"));
    setvbuf(file, NULL, _IONBF, 0);
    *bytes = 0;
    for (size_t got; (got = fread(chunk, 1, CHUNK, file)) > 0; *bytes += got)
        if (csv_parse(&parser, chunk, got, on_field, on_row, NULL) != got)
            exit(die("libcsv cannot parse the file"));
    csv_fini(&parser, on_field, on_row, NULL);
    csv_free(&parser);
    fclose(file);
    free(chunk);
    return hr_seconds() - start;
}

static double read_table(const char *path, const hr_read_options *options, hr_table **table) {
    hr_error err;
    double start = hr_seconds();
    if (hr_csv_read(path, options, table, &err) != HR_OK) exit(die(err.message));
    return hr_seconds() - start;
}

static double lesser(double a, double b) {
    return a < b ? a : b;
}

int main(int argc, char **argv) {
    if (argc < 2) return die("usage: bench_read FILE [COLUMN...]");
    wanted w = {argv + 2, (size_t)argc - 2};
    hr_read_options options = {.choose = w.count ? choose : NULL, .payload = &w};
    double bare = 1e9, ours = 1e9, per_row = 0;
    size_t bytes = 0, rows = 0, columns = 0;
    for (int run = 0; run < RUNS; run++) {
        hr_table *table;
        bare = lesser(bare, parse_bare(argv[1], &bytes));
        ours = lesser(ours, read_table(argv[1], &options, &table));
        rows = hr_table_rows(table);
        columns = hr_table_columns(table);
        per_row = (double)hr_table_memory(table) / (double)rows;
        hr_table_free(table);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    double mb = (double)bytes / 1e6;
    printf(
        "file_mb,rows,kept_columns,libcsv_mb_s,hedgerow_mb_s,ratio,table_bytes_per_row,peak_mb\n");
    printf("%.1f,%zu,%zu,%.0f,%.0f,%.2f,%.1f,%.1f\n", mb, rows, columns, mb / bare, mb / ours,
           bare / ours, per_row, (double)usage.ru_maxrss / 1024);
    return 0;
}
