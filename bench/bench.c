/* bench.c - the table of results, and the separate processes in which work is measured. */
#include "bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

void bench_die(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    _exit(1);
}

/* ---- the table ---- */

void bench_header(void) {
    puts(
        "benchmark,data,rows,combinations,algorithm,k,p,boundaries,seconds,reference_seconds,ratio,"
        "identical,growth,peak_mb,mb_per_s,clusters,bytes_per_row,bytes_per_combination,lattice_"
        "nodes,"
        "checked,scans,minimal");
}

static bool same_text(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

const bench_line *bench_smaller(const bench_results *results, const bench_line *line) {
    for (size_t i = results->count; i-- > 0;) {
        const bench_line *other = &results->lines[i];
        if (other->rows * 10 == line->rows && same_text(other->benchmark, line->benchmark) &&
            same_text(other->data, line->data) && same_text(other->algorithm, line->algorithm) &&
            same_text(other->boundaries, line->boundaries) && other->k == line->k &&
            other->p == line->p)
            return other;
    }
    return NULL;
}

static void put_text(const char *text) {
    printf("%s,", text ? text : "");
}

static void put_count(uint64_t count) {
    if (count) printf("%llu", (unsigned long long)count);
    putchar(',');
}

static void put_real(double number, int digits, char end) {
    if (number > 0) printf("%.*f", digits, number);
    putchar(end);
}

void bench_add(bench_results *results, const bench_line *line) {
    const bench_line *smaller = bench_smaller(results, line);
    put_text(line->benchmark);
    put_text(line->data);
    put_count(line->rows);
    put_count(line->combinations);
    put_text(line->algorithm);
    put_count((uint64_t)line->k);
    put_count((uint64_t)line->p);
    put_text(line->boundaries);
    put_real(line->seconds, 4, ',');
    put_real(line->reference_seconds, 4, ',');
    put_real(line->seconds > 0 ? line->reference_seconds / line->seconds : 0, 2, ',');
    put_text(line->identical);
    put_real(smaller ? line->seconds / smaller->seconds : 0, 2, ',');
    put_real(line->peak_mb, 1, ',');
    put_real(line->mb_per_s, 0, ',');
    put_count(line->clusters);
    put_real(line->bytes_per_row, 1, ',');
    put_real(line->bytes_per_combination, 1, ',');
    put_count(line->lattice_nodes);
    put_count(line->checked);
    put_count(line->scans);
    if (line->minimal) printf("%llu", (unsigned long long)line->minimal);
    putchar('\n');
    fflush(stdout);
    if (results->count == BENCH_LINES) bench_die("more than %d lines", BENCH_LINES);
    results->lines[results->count++] = *line;
}

/* ---- processes ---- */

static void send_result(int pipe_end, const char *result, size_t size) {
    for (size_t sent = 0; sent < size;) {
        ssize_t wrote = write(pipe_end, result + sent, size - sent);
        if (wrote < 0) bench_die("write: %s", strerror(errno));
        sent += (size_t)wrote;
    }
}

static bool receive_result(int pipe_end, char *result, size_t size) {
    size_t got = 0;
    for (ssize_t more; got < size; got += (size_t)more)
        if ((more = read(pipe_end, result + got, size - got)) <= 0) break;
    return got == size;
}

void bench_apart(bench_work work, const void *payload, void *result, size_t size) {
    int ends[2], status;
    fflush(stdout);
    if (pipe(ends)) bench_die("pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child < 0) bench_die("fork: %s", strerror(errno));
    if (child == 0) {
        work(payload, result);
        send_result(ends[1], result, size);
        _exit(0);
    }
    close(ends[1]);
    bool whole = receive_result(ends[0], result, size);
    close(ends[0]);
    if (waitpid(child, &status, 0) < 0 || !whole || !WIFEXITED(status) || WEXITSTATUS(status))
        bench_die("what was measured has failed");
}

double bench_peak(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

void bench_tidy(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

char *bench_name(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *copy = hr_copy_text(name, strcspn(name, "."), NULL);
    if (!copy) bench_die("out of memory");
    return copy;
}
