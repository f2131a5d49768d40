/* bench_search.c - time and memory of searches, from MAM cells to partition (layout and index
 * included), in the fast and the reference form, and whether both give the same partition.
 *
 *     bench_search [--quick] adult FOLDER        Adult with the settings of Campan, Truta, Cooper
 *                                                2010: three k and p, with and without boundaries
 *     bench_search [--quick] adult8 FOLDER       Adult with eight quasi-identifiers
 *     bench_search [--quick] growth JOB.yaml...  jobs of ascending size
 *     bench_search [--quick] wide                synthetic tables; see wide.c
 *     bench_search [--quick] dispersal           most rows are in no cluster that reaches p and are
 *                                                dispersed: trees, trees and numbers, numbers
 *     bench_search [--quick] lattice FOLDER      incognito: six and nine attributes of Adult, and
 *                                                ten synthetic ones (millions of choices)
 *     bench_search [--quick] micro               microaggregation of six numbers; see numbers.c
 *
 * FOLDER has adult.csv and hierarchies/; without it nothing is measured. --quick: one run and few
 * settings. Read `ratio` (time of the reference over the fast form) and `growth` (time over that
 * for a tenth of the rows). */
#include "bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RUNS = 3, LARGE = 500000 };
static const double largest_seconds = 60; /* a table is made as long as this seems enough */

typedef struct {
    bench_results results;
    bool quick;
    int word_count;
    char **words; /* after the mode */
    char **names; /* of jobs */
    int round;    /* see in_rounds */
    size_t draft_count;
    bench_line drafts[BENCH_LINES];
} bench;

#define MUST(call)                                                                                 \
    do {                                                                                           \
        hr_error err = {0};                                                                        \
        if ((call) != HR_OK) bench_die("%s", err.message);                                         \
    } while (0)

static int runs(const bench *b) {
    return b->quick ? 1 : RUNS;
}

static void add_search(bench *b, const bench_data *data, const bench_trial *trial) {
    bench_line line = bench_search(data, trial);
    bench_add(&b->results, &line);
}

/* Runs a part several times, with one run of each search per round. The searches that are compared
 * are so measured at nearly the same time, and a machine that is slow for a while slows all of
 * them. */
static void in_rounds(bench *b, void (*part)(bench *b)) {
    for (b->round = 0; b->round < runs(b); b->round++) {
        b->draft_count = 0;
        part(b);
    }
}

/* Keeps the best of all rounds and writes it in the last. The reference runs in the first only. */
static void add_round(bench *b, const bench_data *data, const bench_trial *asked) {
    bench_trial trial = *asked;
    trial.runs = 1;
    if (b->round > 0) trial.reference_runs = 0;
    bench_line line = bench_search(data, &trial), *best = &b->drafts[b->draft_count++];
    if (b->round == 0)
        *best = line;
    else if (line.seconds < best->seconds)
        best->seconds = line.seconds;
    if (b->round == runs(b) - 1) bench_add(&b->results, best);
}

/* ---- Adult ---- */

/* A job on the Adult data; NULL if the data is absent. `quasi` ends with NULL. */
static hr_job *adult_job(const bench *b, const char *const *quasi, const char *sensitive) {
    const char *folder = b->word_count ? b->words[0] : "../shared/data/adult";
    char text[4096];
    hr_job *job;
    snprintf(text, sizeof text, "%s/adult.csv", folder);
    if (access(text, R_OK)) {
        fprintf(stderr, "bench_search: there is no %s: nothing is measured\n", text);
        return NULL;
    }
    MUST(hr_job_new(&job, &err));
    MUST(hr_job_set(job, "input", text, &err));
    for (size_t j = 0; quasi[j]; j++) {
        MUST(hr_job_set(job, "quasi", quasi[j], &err));
        snprintf(text, sizeof text, "%s/hierarchies/%s.csv", folder, quasi[j]);
        bool flat = access(text, R_OK) != 0;
        snprintf(text, sizeof text, flat ? "%s=flat" : "%s=%s/hierarchies/%s.csv", quasi[j], folder,
                 quasi[j]);
        MUST(hr_job_set(job, "hierarchy", text, &err));
    }
    if (sensitive) MUST(hr_job_set(job, "sensitive", sensitive, &err));
    return job;
}

typedef struct {
    const char *counting, *enforcing; /* names of the algorithm without and with boundaries */
    bool sensitive;                   /* it enforces p */
} contestant;

static const contestant contestants[] = {{"greedy-pk", "greedy-pk", true},
                                         {"enhanced-pk", "enhanced-pk", true},
                                         {"k-member", "k-member", false},
                                         {"GreedyPKClustering", "GreedyCPKA", true}};
enum { CONTESTANTS = sizeof contestants / sizeof *contestants, OURS = 3 };

static void adult_settings(bench *b, const bench_data *data, const contestant *c, bool enforce) {
    static const hr_requirements asked[] = {
        {.k = 10, .p = 3}, {.k = 4, .p = 2}, {.k = 20, .p = 13}};
    size_t count = b->quick ? 1 : sizeof asked / sizeof *asked;
    for (size_t i = 0; i < count; i++)
        add_search(b, data,
                   &(bench_trial){.algorithm = enforce ? c->enforcing : c->counting,
                                  .k = asked[i].k,
                                  .p = c->sensitive ? asked[i].p : 1,
                                  .enforce = enforce,
                                  .runs = runs(b),
                                  .reference_runs = runs(b)});
}

static void adult(bench *b) {
    static const char *const quasi[] = {
        "age", "workclass", "marital-status", "race", "sex", "native-country", NULL};
    hr_job *job = adult_job(b, quasi, "education-num:0.3,education:0.3,occupation:0.4");
    if (!job) return;
    hr_dataset bound;
    MUST(hr_job_set(job, "boundary", "age=level:1", &err));
    MUST(hr_job_set(job, "boundary", "native-country=level:1", &err));
    MUST(hr_dataset_load(job, NULL, &bound, &err));
    bench_data data = bench_data_of("search", "adult", &bound.data);
    for (size_t c = 0; c < (b->quick ? OURS : CONTESTANTS); c++)
        for (int enforce = 0; enforce < 2; enforce++)
            adult_settings(b, &data, &contestants[c], enforce);
    hr_dataset_free(&bound);
    hr_job_free(job);
}

/* ---- Adult with eight quasi-identifiers ---- */

static void adult8_with(bench *b, const char *sensitive, const char *name, size_t first,
                        size_t count) {
    static const char *const quasi[] = {"education-num", "workclass",      "marital-status",
                                        "occupation",    "race",           "sex",
                                        "age",           "native-country", NULL};
    hr_job *job = adult_job(b, quasi, sensitive);
    if (!job) return;
    hr_dataset bound;
    MUST(hr_dataset_load(job, NULL, &bound, &err));
    bench_data data = bench_data_of("search", name, &bound.data);
    for (size_t c = first; c < first + count; c++)
        add_search(b, &data,
                   &(bench_trial){.algorithm = contestants[c].counting,
                                  .k = 5,
                                  .p = contestants[c].sensitive ? 2 : 1,
                                  .runs = runs(b),
                                  .reference_runs = runs(b)});
    hr_dataset_free(&bound);
    hr_job_free(job);
}

static void adult8(bench *b) {
    adult8_with(b, NULL, "adult8", 2, 1);
    if (!b->quick) adult8_with(b, "income", "adult8-income", 0, 2);
}

/* ---- growth ---- */

enum { LARGEST = 1000000 }; /* rows from which on only the easy setting is measured */
/* Runs of small tables are repeated as long as those of large ones: the best of three short runs
 * would more likely fall into a quiet moment, and growth would look worse than it is. */
static const double lasting = 5;

static void grow_on(bench *b, const char *path, const char *name) {
    hr_job *job;
    hr_dataset bound;
    MUST(hr_job_read(path, &job, &err));
    MUST(hr_dataset_load(job, NULL, &bound, &err));
    bench_data data = bench_data_of("growth", name, &bound.data);
    for (size_t c = 0; c < OURS; c++)
        for (int enforce = 1; enforce >= 0; enforce--)
            add_round(b, &data,
                      &(bench_trial){.algorithm = contestants[c].counting,
                                     .k = 5,
                                     .p = contestants[c].sensitive ? 2 : 1,
                                     .enforce = enforce,
                                     .lasting = b->quick ? 0 : lasting});
    /* So many values that four rows of five are left over. */
    for (size_t c = 0; c < CONTESTANTS && bound.data.rows < LARGEST; c++)
        if (contestants[c].sensitive)
            add_round(b, &data,
                      &(bench_trial){.algorithm = contestants[c].counting,
                                     .k = 8,
                                     .p = 8,
                                     .lasting = b->quick ? 0 : lasting});
    hr_dataset_free(&bound);
    hr_job_free(job);
    bench_tidy();
}

static void grow(bench *b) {
    for (int i = 0; i < b->word_count; i++)
        grow_on(b, b->words[i], b->names[i]);
}

static void growth(bench *b) {
    if (b->word_count == 0) bench_die("which jobs? bench_search growth JOB.yaml...");
    b->names = hr_alloc((size_t)b->word_count, sizeof *b->names, NULL);
    if (!b->names) bench_die("out of memory");
    for (int i = 0; i < b->word_count; i++)
        b->names[i] = bench_name(b->words[i]);
    in_rounds(b, grow);
    for (int i = 0; i < b->word_count; i++)
        free(b->names[i]);
    free(b->names);
}

/* ---- wide ---- */

/* Is the search expected to end in time, judged by the time for a tenth of the rows? */
static bool within_reach(const bench *b, const char *name, size_t rows, const bench_trial *trial) {
    bench_line wanted = {.benchmark = "wide",
                         .data = name,
                         .rows = rows,
                         .algorithm = trial->algorithm,
                         .boundaries = "none",
                         .k = trial->k,
                         .p = trial->p};
    const bench_line *smaller = bench_smaller(&b->results, &wanted);
    return rows < LARGE || (smaller && smaller->seconds * 12 < largest_seconds);
}

static void search_wide(bench *b, const char *name, size_t rows, bool first) {
    bench_wide wide;
    bool made = false;
    bench_data data = {0};
    for (size_t c = 0; c < OURS; c++) {
        bench_trial trial = {.algorithm = contestants[c].counting,
                             .k = 5,
                             .p = contestants[c].sensitive ? 2 : 1,
                             .runs = runs(b),
                             .reference_runs = first ? runs(b) : 0};
        if (!within_reach(b, name, rows, &trial)) continue;
        if (!made) {
            bench_wide_make(name, rows, &wide);
            data = bench_data_of("wide", name, &wide.data);
            made = true;
        }
        add_search(b, &data, &trial);
    }
    if (!made) return;
    bench_wide_free(&wide);
    bench_tidy();
}

static void wide_tables(bench *b) {
    size_t least = b->quick ? 2000 : 5000, most = b->quick ? 20000 : LARGE;
    for (size_t i = 0; bench_wide_names[i]; i++)
        for (size_t rows = least; rows <= most; rows *= 10)
            search_wide(b, bench_wide_names[i], rows, rows == least);
}

/* ---- dispersal ---- */

/* With k = p = 8 few clusters are completed, and the other rows are dispersed over them: by growth
 * of loss (greedy-pk) and by least loss (GreedyPKClustering). */
static void disperse(bench *b) {
    static const char *const names[] = {"distinct", "numeric", "numbers"};
    static const char *const algorithms[] = {"greedy-pk", "GreedyPKClustering"};
    size_t least = b->quick ? 2000 : 5000, most = b->quick ? 20000 : 50000;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t rows = least; rows <= most; rows *= 10) {
            bench_wide table;
            bench_wide_make(names[i], rows, &table);
            bench_data data = bench_data_of("dispersal", names[i], &table.data);
            for (size_t a = 0; a < sizeof algorithms / sizeof *algorithms; a++)
                add_search(b, &data,
                           &(bench_trial){.algorithm = algorithms[a],
                                          .k = 8,
                                          .p = 8,
                                          .runs = runs(b),
                                          .reference_runs = rows == least ? runs(b) : 0});
            bench_wide_free(&table);
            bench_tidy();
        }
}

/* ---- lattice ---- */

/* Measures the search without suppression and with 2 %. */
static void search_levels(bench *b, const bench_data *data, const bench_trial *asked) {
    for (int limit = 0; limit < 2; limit++) {
        bench_trial trial = *asked;
        trial.algorithm = "incognito";
        trial.suppression = limit ? "0.02" : NULL;
        bench_line line = bench_search(data, &trial);
        if (limit) line.algorithm = "incognito 0.02";
        bench_add(&b->results, &line);
    }
}

static void adult_levels(bench *b, const char *name, const char *const *quasi,
                         const char *sensitive, const bench_trial *asked, bool bounded) {
    hr_job *job = adult_job(b, quasi, sensitive);
    if (!job) return;
    hr_dataset bound;
    if (bounded) MUST(hr_job_set(job, "boundary", "age=level:1", &err));
    if (bounded) MUST(hr_job_set(job, "boundary", "native-country=level:1", &err));
    MUST(hr_dataset_load(job, NULL, &bound, &err));
    bench_data data = bench_data_of("lattice", name, &bound.data);
    search_levels(b, &data, asked);
    hr_dataset_free(&bound);
    hr_job_free(job);
}

static void lattice(bench *b) {
    static const char *const six[] = {
        "age", "workclass", "marital-status", "race", "sex", "native-country", NULL};
    static const char *const nine[] = {
        "age",  "workclass", "education-num", "marital-status", "occupation",
        "race", "sex",       "income",        "native-country", NULL};
    bench_trial asked = {
        .k = 10, .p = 3, .enforce = true, .runs = runs(b), .reference_runs = b->quick ? 0 : 1};
    const char *sensitive = "education-num,education,occupation";
    adult_levels(b, "adult6", six, sensitive, &asked, true);
    adult_levels(b, "adult6", six, sensitive, &asked, false);
    asked.p = 2;
    adult_levels(b, "adult9", nine, "relationship", &asked, false);
    asked.reference_runs = 0;
    for (size_t rows = 5000; rows <= (b->quick ? 5000 : 50000); rows *= 10) {
        bench_wide wide;
        bench_wide_make("levels", rows, &wide);
        bench_data data = bench_data_of("lattice", "generated10", &wide.data);
        asked.runs = 1;
        search_levels(b, &data, &asked);
        bench_wide_free(&wide);
        bench_tidy();
    }
}

/* ---- microaggregation ---- */

static void search_numbers(bench *b, const char *name, size_t rows) {
    bench_wide numbers;
    bench_numbers_make(name, rows, &numbers);
    bench_data data = bench_data_of("micro", name, &numbers.data);
    for (int64_t k = 10; k >= 3; k -= 7)
        add_round(b, &data,
                  &(bench_trial){.algorithm = "mdav",
                                 .k = k,
                                 .p = 1,
                                 .enforce = true,
                                 .reference_runs = rows > 20000 ? 1 : runs(b)});
    bench_wide_free(&numbers);
    bench_tidy();
}

static void all_numbers(bench *b) {
    static const size_t rows[] = {10000, 50000, 100000}, few[] = {2000, 20000};
    for (size_t i = 0; bench_numbers_names[i]; i++)
        for (size_t n = 0; n < (b->quick ? 2 : 3); n++)
            search_numbers(b, bench_numbers_names[i], b->quick ? few[n] : rows[n]);
}

static void micro(bench *b) {
    in_rounds(b, all_numbers);
}

/* ---- the whole ---- */

static const struct {
    const char *name;
    void (*run)(bench *b);
} modes[] = {{"adult", adult},      {"adult8", adult8},      {"growth", growth},
             {"wide", wide_tables}, {"dispersal", disperse}, {"lattice", lattice},
             {"micro", micro}};

int main(int argc, char **argv) {
    static bench b;
    setvbuf(stdout, NULL, _IOLBF, 0); /* each line appears as soon as it is written */
    b.quick = argc > 1 && !strcmp(argv[1], "--quick");
    argv += 1 + b.quick;
    argc -= 1 + b.quick;
    for (size_t i = 0; argc > 0 && i < sizeof modes / sizeof *modes; i++) {
        if (strcmp(argv[0], modes[i].name)) continue;
        b.words = argv + 1;
        b.word_count = argc - 1;
        bench_header();
        modes[i].run(&b);
        return 0;
    }
    bench_die("usage: bench_search [--quick] adult|adult8|growth|wide|dispersal|lattice|micro "
              "[FOLDER|JOB.yaml...]");
}
