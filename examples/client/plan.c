/* plan.c - an example client of libhedgerow: runs a job in several processes.
 *
 *     plan JOB.yaml INPUT.csv PROCESSES OUTPUT.csv
 *
 * The first process plans the job and deals the MAM cells of the input out to the others, which
 * know nothing but the plan and their rows. It then puts together what they release. Plan and parts
 * lie beside the output while it works: OUTPUT.csv.plan, OUTPUT.csv.0, ... The result is that of
 * `hedgerow anonymize JOB.yaml`. Uses only the public header. */
#define _POSIX_C_SOURCE 200809L
#include <hedgerow.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void must(hr_status status, const hr_error *err) {
    if (status == HR_OK) return;
    fprintf(stderr, "plan: %s (%s)\n", err->message, hr_status_name(status));
    exit(status == HR_ENOSOL ? 2 : 1);
}

static void *must_have(void *pointer) {
    if (pointer) return pointer;
    perror("plan");
    exit(1);
}

static const char *file_name(const char *output, const char *suffix) {
    static char name[2][4096];
    static int next;
    next = !next;
    snprintf(name[next], sizeof name[next], "%s.%s", output, suffix);
    return name[next];
}

/* ---- the workers ---- */

static hr_plan *read_plan(const char *path) {
    hr_error err = {0};
    hr_plan *plan;
    FILE *file = must_have(fopen(path, "rb"));
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    char *bytes = must_have(malloc(length + 1));
    rewind(file);
    if (fread(bytes, 1, length, file) != length) exit(1);
    fclose(file);
    must(hr_plan_import(bytes, length, &plan, &err), &err);
    free(bytes);
    return plan;
}

/* Runs the cells in the file `part` and replaces it by their release. */
static int work(const char *plan_path, const char *part) {
    hr_error err = {0};
    hr_table *table;
    hr_release *release;
    hr_plan *plan = read_plan(plan_path);
    must(hr_table_read(part, &table, &err), &err);
    must(hr_plan_run(plan, table, NULL, &release, &err), &err);
    must(hr_table_write(hr_release_table(release), part, &err), &err);
    hr_release_free(release);
    hr_table_free(table);
    hr_plan_free(plan);
    return 0;
}

/* ---- the first process ---- */

static bool is_suppressed(const hr_plan *plan, uint64_t key) {
    const hr_plan_cell *cell = hr_plan_cell_find(plan, key);
    return !cell || cell->suppressed; /* none has key 0, that of dropped rows */
}

/* Appends the rows of the cells that fall to this process. */
static void deal(const hr_plan *plan, const hr_table *table, const uint64_t *keys, size_t process,
                 size_t processes, hr_table *part) {
    hr_error err = {0};
    const char **row = must_have(malloc(hr_table_columns(table) * sizeof *row));
    for (size_t i = 0; i < hr_table_rows(table); i++) {
        if (keys[i] % processes != process || is_suppressed(plan, keys[i])) continue;
        for (size_t c = 0; c < hr_table_columns(table); c++)
            row[c] = hr_table_is_null(table, i, c) ? NULL : hr_table_text(table, i, c);
        must(hr_table_append(part, row, &err), &err);
    }
    free(row);
}

static hr_table *empty_like(const hr_table *table) {
    hr_error err = {0};
    hr_table *out;
    const char **names = must_have(malloc(hr_table_columns(table) * sizeof *names));
    for (size_t c = 0; c < hr_table_columns(table); c++)
        names[c] = hr_table_name(table, c);
    must(hr_table_new(hr_table_columns(table), names, &out, &err), &err);
    free(names);
    return out;
}

/* Writes a part and starts its worker; returns false if no cell falls to the process. */
static bool start(const char *self, const hr_plan *plan, const hr_table *table,
                  const uint64_t *keys, size_t process, size_t processes, const char *output) {
    hr_error err = {0};
    char number[24];
    snprintf(number, sizeof number, "%zu", process);
    const char *path = file_name(output, number);
    hr_table *part = empty_like(table);
    deal(plan, table, keys, process, processes, part);
    bool any = hr_table_rows(part) > 0;
    if (any) must(hr_table_write(part, path, &err), &err);
    hr_table_free(part);
    if (any && fork() == 0) {
        execl(self, self, "--work", file_name(output, "plan"), path, (char *)NULL);
        _exit(1);
    }
    return any;
}

static void write_plan(const hr_plan *plan, const char *path) {
    size_t length;
    const void *bytes = hr_plan_bytes(plan, &length);
    FILE *file = must_have(fopen(path, "wb"));
    if (fwrite(bytes, 1, length, file) != length || fclose(file)) exit(1);
}

/* Waits for the workers and puts their releases together. */
static void collect(const hr_plan *plan, const bool *started, size_t processes,
                    const char *output) {
    hr_error err = {0};
    hr_table *joined, **parts = must_have(malloc(processes * sizeof *parts));
    size_t count = 0;
    for (int status; wait(&status) > 0;)
        if (status) exit(1);
    for (size_t i = 0; i < processes; i++) {
        char number[24];
        if (!started[i]) continue;
        snprintf(number, sizeof number, "%zu", i);
        must(hr_table_read(file_name(output, number), &parts[count++], &err), &err);
        remove(file_name(output, number));
    }
    must(hr_plan_join(plan, (const hr_table *const *)parts, count, NULL, &joined, &err), &err);
    must(hr_table_write(joined, output, &err), &err);
    hr_table_free(joined);
    for (size_t i = 0; i < count; i++)
        hr_table_free(parts[i]);
    free(parts);
}

int main(int argc, char **argv) {
    hr_error err = {0};
    hr_job *job;
    hr_plan *plan;
    hr_table *table;
    if (argc == 4 && !strcmp(argv[1], "--work")) return work(argv[2], argv[3]);
    size_t processes = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
    if (processes == 0) {
        fputs("usage: plan JOB.yaml INPUT.csv PROCESSES OUTPUT.csv\n", stderr);
        return 1;
    }
    must(hr_job_read(argv[1], &job, &err), &err);
    must(hr_job_plan(job, NULL, &plan, &err), &err);
    must(hr_table_read(argv[2], &table, &err), &err);
    uint64_t *keys = must_have(malloc(hr_table_rows(table) * sizeof *keys));
    bool *started = must_have(malloc(processes * sizeof *started));
    must(hr_plan_keys(plan, table, keys, &err), &err);
    write_plan(plan, file_name(argv[4], "plan"));
    for (size_t i = 0; i < processes; i++)
        started[i] = start(argv[0], plan, table, keys, i, processes, argv[4]);
    collect(plan, started, processes, argv[4]);
    remove(file_name(argv[4], "plan"));
    free(started);
    free(keys);
    hr_table_free(table);
    hr_plan_free(plan);
    hr_job_free(job);
    return 0;
}
