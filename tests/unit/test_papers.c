/* test_papers.c - the figures of Campan, Truta, Cooper 2010 on the data of its authors. Table 6
 * (rows suppressed because of boundaries) must come out exactly, Table 5 (values that a search
 * without boundaries publishes past them) closely, and the constrained algorithms must cross no
 * boundary. The figures of a report are recomputed from the files that the command wrote, by a CSV
 * reader that shares no code with the library. Skipped where the data is absent. */
#include "skip.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ADULT    HR_SHARED "/data/adult"
#define EXPECTED HR_SHARED "/expected"

/* ---- A folder to work in ---- */

static char folder[] = "/tmp/hedgerow-papers-XXXXXX";

/* The path of a file in `folder`. Valid until the eighth call after this one. */
static const char *at(const char *format, ...) {
    static char paths[8][160];
    static int next;
    char *path = paths[next++ % 8];
    int used = snprintf(path, sizeof paths[0], "%s/", folder);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(path + used, sizeof paths[0] - (size_t)used, format, arguments);
    va_end(arguments);
    return path;
}

/* Writes the job of the paper's experiments: two of the six quasi-identifiers have a boundary. */
static void write_job(void) {
    static const char *const quasi[] = {"age",  "workclass", "marital-status",
                                        "race", "sex",       "native-country"};
    FILE *job = fopen(at("adult.yaml"), "w");
    assert_non_null(job);
    fprintf(job, "input: %s/adult.csv\nmodel: {k: 4, p: 2}\nattributes:\n", ADULT);
    for (size_t i = 0; i < 6; i++)
        fprintf(job, "  %s: {role: quasi, hierarchy: %s/hierarchies/%s.csv%s}\n", quasi[i], ADULT,
                quasi[i], i == 0 || i == 5 ? ", boundary: {level: 1}" : "");
    fputs("  education: {role: sensitive, weight: 0.3}\n"
          "  education-num: {role: sensitive, weight: 0.3}\n"
          "  occupation: {role: sensitive, weight: 0.4}\n",
          job);
    assert_int_equal(fclose(job), 0);
}

static int make_folder(void **state) {
    (void)state;
    assert_non_null(mkdtemp(folder));
    write_job();
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

static void need_data(void) {
    need_file(ADULT "/adult.csv");
    need_file(EXPECTED "/table6_suppressed.csv");
    need_file(EXPECTED "/table5_violations.csv");
}

/* ---- Running the command ---- */

static pid_t launch(const char *output, char *const *arguments) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) return child;
    int out = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (out < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0) _exit(99);
    execv(HR_COMMAND, arguments);
    _exit(98);
}

/* A search. The names of its output files are made from these fields. */
typedef struct {
    const char *algorithm;
    int k, p, seed;
} search;

static const char *file_of(const search *s, const char *suffix) {
    return at("%s-%d-%d-%d%s", s->algorithm, s->k, s->p, s->seed, suffix);
}

static pid_t launch_search(const search *s) {
    char k[16], p[16], seed[16], copies[4][160];
    static const char *const suffixes[] = {".csv", ".trace", ".json", ".log"};
    for (int i = 0; i < 4; i++)
        snprintf(copies[i], sizeof copies[i], "%s", file_of(s, suffixes[i]));
    snprintf(k, sizeof k, "%d", s->k);
    snprintf(p, sizeof p, "%d", s->p);
    snprintf(seed, sizeof seed, "%d", s->seed);
    char job[160];
    snprintf(job, sizeof job, "%s", at("adult.yaml"));
    const char *arguments[] = {HR_COMMAND, "anonymize", job,  "-a",      s->algorithm, "-k",
                               k,          "-p",        p,    "--seed",  seed,         "--threads",
                               "1",        "--quiet",   "-o", copies[0], "--trace",    copies[1],
                               "--report", copies[2],   NULL};
    return launch(copies[3], (char *const *)arguments);
}

/* Runs all searches, two at a time; each must succeed. */
static void run_searches(const search *searches, size_t count) {
    size_t started = 0, running = 0, good = 0;
    while (started < count || running > 0) {
        if (started < count && running < 2) {
            launch_search(&searches[started++]);
            running++;
            continue;
        }
        int status;
        assert_true(wait(&status) > 0);
        running--;
        good += WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    assert_int_equal(good, count);
}

/* The number after the first "key": of the report. */
static long reported(const search *s, const char *key) {
    char report[8192], wanted[64];
    FILE *file = fopen(file_of(s, ".json"), "r");
    assert_non_null(file);
    report[fread(report, 1, sizeof report - 1, file)] = '\0';
    fclose(file);
    snprintf(wanted, sizeof wanted, "\"%s\": ", key);
    const char *found = strstr(report, wanted);
    if (!found) fail_msg("no %s in the report", key);
    return atol(found + strlen(wanted));
}

/* ---- A CSV reader for files without quotes ---- */

typedef struct {
    char *bytes;
    size_t rows, columns;
    const char **field; /* rows x columns */
} sheet;

static void read_sheet(const char *path, char delimiter, sheet *out) {
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("cannot read %s", path);
    *out = (sheet){0};
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    out->bytes = malloc(length + 1);
    assert_non_null(out->bytes);
    assert_int_equal(fread(out->bytes, 1, length, file), length);
    fclose(file);
    out->bytes[length] = '\0';
    assert_null(strchr(out->bytes, '"'));
    size_t fields = 0, room = 0;
    for (char *c = out->bytes; *c;) {
        if (fields == room) {
            room = room ? room * 2 : 1024;
            out->field = realloc(out->field, room * sizeof *out->field);
            assert_non_null(out->field);
        }
        out->field[fields++] = c;
        c += strcspn(c, (char[]){delimiter, '\n', '\0'});
        bool last = *c == '\n';
        *c++ = '\0';
        if (!last) continue;
        if (out->rows++ == 0) out->columns = fields;
        assert_int_equal(fields, out->rows * out->columns);
    }
}

static void free_sheet(sheet *s) {
    free(s->bytes);
    free(s->field);
}

static const char *field(const sheet *s, size_t row, size_t column) {
    return s->field[row * s->columns + column];
}

static size_t column_of(const sheet *s, const char *name) {
    for (size_t c = 0; c < s->columns; c++)
        if (!strcmp(field(s, 0, c), name)) return c;
    fail_msg("no column %s", name);
    return 0;
}

static long number(const sheet *s, size_t row, const char *column) {
    return atol(field(s, row, column_of(s, column)));
}

/* ---- Table 6 ---- */

static long priced(const sheet *prices, long k, long p) {
    for (size_t row = 1; row < prices->rows; row++)
        if (number(prices, row, "k") == k && number(prices, row, "p") == p)
            return number(prices, row, "suppressed");
    fail_msg("no price of k %ld, p %ld", k, p);
    return 0;
}

static void test_table_6(void **state) {
    (void)state;
    need_data();
    char job[160], out[160];
    snprintf(job, sizeof job, "%s", at("adult.yaml"));
    snprintf(out, sizeof out, "%s", at("prices.csv"));
    const char *arguments[] = {HR_COMMAND, "boundaries",        job,        "-k",  "4,8,10,20",
                               "-p",       "1,2,3,4,6,8,10,13", "--format", "csv", "--quiet",
                               NULL};
    int status;
    assert_true(waitpid(launch(out, (char *const *)arguments), &status, 0) > 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    sheet prices, table;
    read_sheet(out, ',', &prices);
    read_sheet(EXPECTED "/table6_suppressed.csv", ',', &table);
    assert_int_equal(prices.rows, 1 + 4 * 8);
    assert_int_equal(table.rows, 1 + 21);
    for (size_t row = 1; row < table.rows; row++) {
        long k = number(&table, row, "k"), p = number(&table, row, "p");
        assert_int_equal(priced(&prices, k, p), number(&table, row, "suppressed_greedy_cpka"));
        assert_int_equal(priced(&prices, k, 1), number(&table, row, "suppressed_greedy_cka"));
    }
    free_sheet(&prices);
    free_sheet(&table);
}

/* ---- Figures recomputed from the files of a release ---- */

typedef struct {
    sheet tree;     /* a hierarchy file: leaf, level 1, ..., root */
    size_t in, out; /* the columns of the attribute in the original and in the release */
    bool bounded;
} attribute;

static const char *const quasi_names[] = {"age",  "workclass", "marital-status",
                                          "race", "sex",       "native-country"};
static const char *const sensitive_names[] = {"education", "education-num", "occupation"};

typedef struct {
    sheet original, release, trace;
    attribute quasi[6];
    size_t sensitive[3]; /* columns of the release */
    size_t *sorted;      /* rows of the release, sorted by quasi-identifiers: classes are runs */
} release_files;

static release_files *compared; /* for by_published: qsort passes no payload */

static void read_files(release_files *c, const search *s) {
    read_sheet(ADULT "/adult.csv", ',', &c->original);
    read_sheet(file_of(s, ".csv"), ',', &c->release);
    read_sheet(file_of(s, ".trace"), ',', &c->trace);
    for (size_t j = 0; j < 6; j++) {
        char path[512];
        snprintf(path, sizeof path, "%s/hierarchies/%s.csv", ADULT, quasi_names[j]);
        read_sheet(path, ';', &c->quasi[j].tree);
        c->quasi[j].in = column_of(&c->original, quasi_names[j]);
        c->quasi[j].out = column_of(&c->release, quasi_names[j]);
        c->quasi[j].bounded = j == 0 || j == 5;
    }
    for (size_t l = 0; l < 3; l++)
        c->sensitive[l] = column_of(&c->release, sensitive_names[l]);
}

static void free_files(release_files *c) {
    free_sheet(&c->original);
    free_sheet(&c->release);
    free_sheet(&c->trace);
    for (size_t j = 0; j < 6; j++)
        free_sheet(&c->quasi[j].tree);
    free(c->sorted);
}

/* The lowest level of `label` on the line of `leaf`; fails if the label is not on that line. */
static size_t level_of(const sheet *tree, const char *leaf, const char *label) {
    for (size_t line = 0; line < tree->rows; line++) {
        if (strcmp(field(tree, line, 0), leaf)) continue;
        for (size_t level = 0; level < tree->columns; level++)
            if (!strcmp(field(tree, line, level), label)) return level;
        fail_msg("'%s' does not cover '%s'", label, leaf);
    }
    fail_msg("'%s' has no line", leaf);
    return 0;
}

/* Checks each kept row against its original. Returns the number of published values past level 1 of
 * age or country, the boundaries of the job. */
static long count_violations(const release_files *c, long *suppressed) {
    long violations = 0;
    *suppressed = 0;
    assert_int_equal(c->trace.rows, c->original.rows);
    for (size_t row = 1; row < c->trace.rows; row++) {
        assert_int_equal(number(&c->trace, row, "row"), row);
        if (strcmp(field(&c->trace, row, column_of(&c->trace, "status")), "kept")) {
            assert_string_equal(field(&c->trace, row, column_of(&c->trace, "out")), "");
            (*suppressed)++;
            continue;
        }
        size_t out = (size_t)number(&c->trace, row, "out");
        assert_true(out >= 1 && out < c->release.rows);
        for (size_t j = 0; j < 6; j++) {
            const attribute *a = &c->quasi[j];
            size_t level = level_of(&a->tree, field(&c->original, row, a->in),
                                    field(&c->release, out, a->out));
            violations += a->bounded && level > 1;
        }
        for (size_t l = 0; l < 3; l++)
            assert_string_equal(
                field(&c->release, out, c->sensitive[l]),
                field(&c->original, row, column_of(&c->original, sensitive_names[l])));
    }
    assert_int_equal(c->release.rows - 1 + (size_t)*suppressed, c->original.rows - 1);
    return violations;
}

static int by_published(const void *a, const void *b) {
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    int order = 0;
    for (size_t j = 0; j < 6 && order == 0; j++)
        order = strcmp(field(&compared->release, x, compared->quasi[j].out),
                       field(&compared->release, y, compared->quasi[j].out));
    return order;
}

/* The number of distinct values of a column in the rows sorted[first .. last - 1]. */
static int count_values(const release_files *c, size_t column, size_t first, size_t last) {
    int values = 0;
    for (size_t i = first; i < last; i++) {
        size_t other = first;
        while (other < i && strcmp(field(&c->release, c->sorted[other], column),
                                   field(&c->release, c->sorted[i], column)))
            other++;
        values += other == i;
    }
    return values;
}

static void check_classes(release_files *c, int k, int p) {
    size_t rows = c->release.rows - 1;
    c->sorted = malloc(rows * sizeof *c->sorted);
    assert_non_null(c->sorted);
    for (size_t i = 0; i < rows; i++)
        c->sorted[i] = i + 1;
    compared = c;
    qsort(c->sorted, rows, sizeof *c->sorted, by_published);
    for (size_t first = 0, last; first < rows; first = last) {
        for (last = first + 1; last < rows; last++)
            if (by_published(&c->sorted[first], &c->sorted[last])) break;
        assert_true(last - first >= (size_t)k);
        /* The first 400 rows of a large class nearly always have p values. */
        size_t looked_at = last - first > 400 ? first + 400 : last;
        for (size_t l = 0; l < 3; l++)
            if (count_values(c, c->sensitive[l], first, looked_at) < p)
                assert_true(count_values(c, c->sensitive[l], first, last) >= p);
    }
}

/* Recomputes the figures of a search and compares them with its report. Returns the violations. */
static long check_search(const search *s, long *suppressed) {
    release_files c = {0};
    read_files(&c, s);
    long violations = count_violations(&c, suppressed);
    check_classes(&c, s->k, s->p);
    assert_int_equal(violations, reported(s, "boundary_violations"));
    assert_int_equal(*suppressed, reported(s, "suppressed"));
    free_files(&c);
    return violations;
}

/* ---- Boundaries enforced ---- */

static void test_constrained(void **state) {
    (void)state;
    need_data();
    static const search searches[] = {
        {"GreedyCPKA", 10, 3, 1},  {"GreedyCKA", 10, 1, 1}, {"GreedyCPKA", 4, 2, 1},
        {"GreedyCPKA", 20, 13, 1}, {"GreedyCKA", 4, 1, 1},  {"GreedyCKA", 20, 1, 1},
    };
    size_t count = sizeof searches / sizeof *searches;
    sheet table;
    read_sheet(EXPECTED "/table6_suppressed.csv", ',', &table);
    run_searches(searches, count);
    for (size_t i = 0; i < count; i++) {
        long suppressed, expected = -1;
        for (size_t row = 1; row < table.rows; row++)
            if (number(&table, row, "k") == searches[i].k &&
                (searches[i].p == 1 || number(&table, row, "p") == searches[i].p))
                expected =
                    number(&table, row,
                           searches[i].p == 1 ? "suppressed_greedy_cka" : "suppressed_greedy_cpka");
        assert_int_equal(check_search(&searches[i], &suppressed), 0);
        assert_int_equal(suppressed, expected);
    }
    free_sheet(&table);
}

/* ---- Table 5 ---- */

enum { SETTINGS = 3, SEEDS = 5 };

static int ascending(const void *a, const void *b) {
    long x = *(const long *)a, y = *(const long *)b;
    return x < y ? -1 : x > y;
}

static void check_median(const search *searches, const sheet *table, double tolerance) {
    long violations[SEEDS], expected = 0, suppressed;
    for (int i = 0; i < SEEDS; i++) {
        violations[i] = reported(&searches[i], "boundary_violations");
        assert_int_equal(reported(&searches[i], "suppressed"), 0);
    }
    assert_int_equal(check_search(&searches[0], &suppressed), violations[0]);
    qsort(violations, SEEDS, sizeof *violations, ascending);
    for (size_t row = 1; row < table->rows; row++)
        if (number(table, row, "k") == searches->k && number(table, row, "p") == searches->p)
            expected = number(table, row, "violations_greedy_pk_clustering");
    double error = (double)violations[SEEDS / 2] / (double)expected - 1;
    print_message("k %d, p %d: %ld violations (%ld to %ld), the paper has %ld: %+.1f %%\n",
                  searches->k, searches->p, violations[SEEDS / 2], violations[0],
                  violations[SEEDS - 1], expected, 100 * error);
    assert_true(error > -tolerance && error < tolerance);
}

static void test_table_5(void **state) {
    (void)state;
    need_data();
    static const struct {
        int k, p;
        double tolerance;
    } settings[SETTINGS] = {{4, 2, 0.05}, {10, 3, 0.05}, {20, 13, 0.08}};
    search searches[SETTINGS * SEEDS];
    for (int i = 0; i < SETTINGS * SEEDS; i++)
        searches[i] = (search){"GreedyPKClustering", settings[i / SEEDS].k, settings[i / SEEDS].p,
                               i % SEEDS + 1};
    run_searches(searches, SETTINGS * SEEDS);
    sheet table;
    read_sheet(EXPECTED "/table5_violations.csv", ',', &table);
    for (int i = 0; i < SETTINGS; i++)
        check_median(searches + i * SEEDS, &table, settings[i].tolerance);
    free_sheet(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_6),
        cmocka_unit_test(test_constrained),
        cmocka_unit_test(test_table_5),
    };
    return exit_status(cmocka_run_group_tests(tests, make_folder, remove_folder));
}
