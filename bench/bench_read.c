/* bench_read.c - compares reading and encoding the input of a job, and the whole command `hedgerow
 * boundaries`, with only parsing the file by libcsv. The programs take turns, so that other load on
 * the machine affects all alike. Each is measured in a child process.
 *
 *     bench_read [--quick] COMMAND JOB.yaml...       jobs of ascending size; --quick: one turn
 *
 * Read `ratio`: the time of libcsv over the time of the line. */
#include "bench.h"

#include <csv.h>
#include <fcntl.h>
#include <hedgerow_arrow.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS = 3, CHUNK = 1 << 20 };

/* The job and its input. */
typedef struct {
    const char *command, *path; /* of the job */
    const char *input;
} request;

typedef struct {
    double seconds, peak;
    uint64_t rows, bytes;
} answer;

/* ---- libcsv ---- */

static void on_field(void *text, size_t length, void *payload) {
    (void)text, (void)length, (void)payload;
}

static void on_row(int last, void *payload) {
    (void)last;
    ++*(uint64_t *)payload;
}

static void parse_bare(const void *payload, void *result) {
    const request *r = payload;
    answer *out = result;
    double start = hr_seconds();
    struct csv_parser parser;
    char *chunk = malloc(CHUNK);
    FILE *file = fopen(r->input, "rb");
    if (!file || !chunk || csv_init(&parser, 0)) bench_die("cannot open %s", r->input);
    setvbuf(file, NULL, _IONBF, 0);
    for (size_t got; (got = fread(chunk, 1, CHUNK, file)) > 0; out->bytes += got)
        if (csv_parse(&parser, chunk, got, on_field, on_row, &out->rows) != got)
            bench_die("libcsv cannot parse %s", r->input);
    csv_fini(&parser, on_field, on_row, &out->rows);
    csv_free(&parser);
    fclose(file);
    free(chunk);
    out->seconds = hr_seconds() - start;
    out->peak = bench_peak();
}

/* ---- reading and encoding ---- */

static void read_all(const void *payload, void *result) {
    const request *r = payload;
    answer *out = result;
    hr_error err;
    hr_table *table;
    double start = hr_seconds();
    if (hr_csv_read(r->input, &(hr_read_options){0}, &table, &err) != HR_OK)
        bench_die("%s", err.message);
    out->seconds = hr_seconds() - start;
    out->peak = bench_peak();
    hr_table_free(table);
}

/* Reads only the columns that the job releases. */
static void read_job(const void *payload, void *result) {
    const request *r = payload;
    answer *out = result;
    hr_error err;
    hr_job *job;
    hr_dataset bound;
    if (hr_job_read(r->path, &job, &err) != HR_OK ||
        hr_dataset_load(job, NULL, &bound, &err) != HR_OK)
        bench_die("%s", err.message);
    out->seconds = bound.read_seconds;
    out->peak = bench_peak();
    hr_dataset_free(&bound);
    hr_job_free(job);
}

/* ---- Arrow ---- */

enum { BATCHES = 64 };

/* A stream of arrays that are in memory already, as another library would hand them over. */
typedef struct {
    struct ArrowArrayStream made;
    struct ArrowArray batches[BATCHES];
    size_t count, next;
} stored_stream;

static int stored_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    stored_stream *stored = stream->private_data;
    return stored->made.get_schema(&stored->made, out);
}

static int stored_batch(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    stored_stream *stored = stream->private_data;
    *out = (struct ArrowArray){0};
    if (stored->next < stored->count) *out = stored->batches[stored->next++];
    return 0;
}

static void stored_end(struct ArrowArrayStream *stream) {
    stream->release = NULL;
}

/* The value of a line of /proc/self/status, in bytes; 0 where there is no such file. */
static double status_line(const char *name) {
    char line[256];
    double kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name))) kilobytes = atof(line + strlen(name) + 1);
    if (file) fclose(file);
    return kilobytes * 1024;
}

/* From now on VmHWM is the peak since this call. Returns the memory in use. */
static double restart_peak(void) {
    malloc_trim(0);
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (file) {
        fputs("5", file);
        fclose(file);
    }
    return status_line("VmRSS");
}

/* The same table from Arrow arrays of text, to codes. Its peak is what is added to the arrays. */
static void read_arrow(const void *payload, void *result) {
    const request *r = payload;
    answer *out = result;
    hr_error err = {0};
    hr_table *table, *again;
    static stored_stream stored;
    if (hr_csv_read(r->input, &(hr_read_options){0}, &table, &err) != HR_OK ||
        hr_table_to_arrow(table, &stored.made, &err) != HR_OK)
        bench_die("%s", err.message);
    for (; stored.count < BATCHES; stored.count++) {
        struct ArrowArray *batch = &stored.batches[stored.count];
        if (stored.made.get_next(&stored.made, batch)) bench_die("the export failed");
        if (!batch->release) break;
    }
    struct ArrowArrayStream stream = {stored_schema, stored_batch, NULL, stored_end, &stored};
    double before = restart_peak(), start = hr_seconds();
    if (hr_table_from_arrow(&stream, NULL, 0, NULL, &again, &err) != HR_OK)
        bench_die("%s", err.message);
    out->seconds = hr_seconds() - start;
    out->peak = status_line("VmHWM") - before;
    hr_table_free(again);
    stored.made.release(&stored.made);
    hr_table_free(table);
}

/* ---- the command ---- */

static void become_command(const request *r) {
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) bench_die("cannot open /dev/null");
    execl(r->command, r->command, "boundaries", r->path, "-k", "4,8,10,20", "-p", "1,2,3,4",
          "--format", "csv", "--quiet", (char *)NULL);
    bench_die("cannot run %s", r->command);
}

static void run_command(const void *payload, void *result) {
    answer *out = result;
    struct rusage usage;
    int status;
    double start = hr_seconds();
    pid_t child = fork();
    if (child == 0) become_command(payload);
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
        bench_die("`hedgerow boundaries` has failed");
    out->seconds = hr_seconds() - start;
    getrusage(RUSAGE_CHILDREN, &usage);
    out->peak = (double)usage.ru_maxrss * 1024;
}

/* ---- the whole ---- */

static const struct {
    const char *name;
    bench_work work;
} contests[] = {{"libcsv", parse_bare},
                {"read-all", read_all},
                {"arrow", read_arrow},
                {"read", read_job},
                {"boundaries", run_command}};
enum { CONTESTS = sizeof contests / sizeof *contests };

static void take_turns(const request *r, int turns, answer *best) {
    for (int turn = 0; turn < turns; turn++)
        for (size_t i = 0; i < CONTESTS; i++) {
            answer found = {0};
            bench_apart(contests[i].work, r, &found, sizeof found);
            if (turn == 0 || found.seconds < best[i].seconds) best[i] = found;
        }
}

static void compare(bench_results *results, const request *r, const char *name, int turns) {
    answer best[CONTESTS];
    take_turns(r, turns, best);
    double mb = (double)best[0].bytes / 1e6;
    uint64_t rows = best[0].rows - 1; /* without the header */
    for (size_t i = 0; i < CONTESTS; i++) {
        bench_line line = {.benchmark = contests[i].name,
                           .data = name,
                           .rows = rows,
                           .seconds = best[i].seconds,
                           .reference_seconds = i ? best[0].seconds : 0,
                           .peak_mb = best[i].peak / 1e6,
                           .mb_per_s = mb / best[i].seconds,
                           .bytes_per_row = i ? best[i].peak / (double)rows : 0};
        bench_add(results, &line);
    }
}

static void compare_job(bench_results *results, request r, const char *name, int turns) {
    hr_error err;
    hr_job *job;
    if (hr_job_read(r.path, &job, &err) != HR_OK) bench_die("%s", err.message);
    r.input = job->input.path;
    if (!r.input) bench_die("%s names no input", r.path);
    compare(results, &r, name, turns);
    hr_job_free(job);
}

int main(int argc, char **argv) {
    static bench_results results;
    bool quick = argc > 1 && !strcmp(argv[1], "--quick");
    if (argc < 3 + quick) bench_die("usage: bench_read [--quick] COMMAND JOB.yaml...");
    char **names = hr_alloc((size_t)argc, sizeof *names, NULL);
    if (!names) bench_die("out of memory");
    bench_header();
    for (int i = 2 + quick; i < argc; i++) {
        names[i] = bench_name(argv[i]);
        compare_job(&results, (request){.command = argv[1 + quick], .path = argv[i]}, names[i],
                    quick ? 1 : TURNS);
    }
    for (int i = 0; i < argc; i++)
        free(names[i]);
    free(names);
    return 0;
}
