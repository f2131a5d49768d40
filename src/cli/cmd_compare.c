/* cmd_compare.c - `hedgerow compare`: the loss of every algorithm at every k and p, as rows and as
 * a page with curves. Finished runs are kept in a file beside the output until the output is
 * written, or in a file that the user names, so that the same command continues after a kill. */
#include "cli/cli.h"
#include "run/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *algorithms, *k, *p; /* lists; NULL: all algorithms, k and p of the job */
    const char *output, *resume;
} own_flags;

typedef struct {
    const cli_arguments *arguments;
    const own_flags *own;
    hr_job *job;
    char *names;             /* the list of algorithms, divided into names */
    const char **algorithms; /* into `names`, or names of hr_algorithms */
    int64_t *ks, *ps;
    hr_grid grid;
    hr_text partial; /* name of the file of finished runs beside the output */
    const char *store;
    hr_compare compare;
} session;

/* ---- The grid ---- */

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Parses a list of numbers; sorts them and removes duplicates, because curves run along them. */
static hr_status read_numbers(const char *name, const char *text, int64_t given, int64_t max,
                              int64_t **out, size_t *count, hr_error *err) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)given);
    HR_TRY(hr_parse_numbers(name, text ? text : number, max, out, count, err));
    qsort(*out, *count, sizeof **out, by_size);
    size_t used = 0;
    for (size_t i = 0; i < *count; i++)
        if (i == 0 || (*out)[i] != (*out)[used - 1]) (*out)[used++] = (*out)[i];
    *count = used;
    return HR_OK;
}

static void add_algorithm(session *s, const char *name) {
    for (size_t i = 0; i < s->grid.algorithm_count; i++)
        if (!strcmp(s->algorithms[i], name)) return;
    s->algorithms[s->grid.algorithm_count++] = name;
}

/* Adds all algorithms that can handle the attributes of the job. */
static void add_all(session *s) {
    for (size_t i = 0; hr_algorithms[i]; i++) {
        hr_job job = *s->job;
        hr_choice choice;
        job.search.algorithm = hr_algorithms[i]->name;
        job.asked = (hr_requirements){.k = 1, .p = 1};
        if (hr_job_choose_algorithm(&job, &choice, NULL) == HR_OK &&
            hr_choice_fits(&job, &choice, NULL) == HR_OK)
            add_algorithm(s, job.search.algorithm);
    }
}

static hr_status read_algorithms(session *s, hr_error *err) {
    const char *list = s->own->algorithms ? s->own->algorithms : "all";
    size_t room = 1;
    for (size_t i = 0; hr_algorithms[i]; i++)
        room++;
    for (const char *c = list; *c; c++)
        room += *c == ',';
    s->algorithms = hr_alloc(room, sizeof *s->algorithms, err);
    s->names = hr_copy_text(list, strlen(list), err);
    if (!s->algorithms || !s->names) return HR_ENOMEM;
    for (char *name = s->names, *end; name; name = end) {
        end = strchr(name, ',');
        if (end) *end++ = '\0';
        if (!*name)
            return hr_fail(err, HR_EINVAL, "'%s' is not a list of algorithms, such as a,b", list);
        if (!strcmp(name, "all"))
            add_all(s);
        else
            add_algorithm(s, name);
    }
    return HR_OK;
}

static hr_status read_grid(session *s, hr_error *err) {
    hr_grid *grid = &s->grid;
    if (!s->own->k && s->job->asked.k == 0)
        return hr_fail(err, HR_EINVAL, "k is missing: give -k 4,8,10 or write `model: {k: 5}`");
    HR_TRY(read_algorithms(s, err));
    HR_TRY(read_numbers("k", s->own->k, s->job->asked.k, 1000000000, &s->ks, &grid->k_count, err));
    HR_TRY(read_numbers("p", s->own->p, s->job->asked.p, 1000000, &s->ps, &grid->p_count, err));
    grid->job = s->job;
    grid->algorithms = s->algorithms;
    grid->ks = s->ks;
    grid->ps = s->ps;
    s->job->asked.k = s->ks[0];
    /* Attributes are checked against the greatest p. */
    s->job->asked.p = s->ps[grid->p_count - 1];
    return HR_OK;
}

/* ---- Files ---- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && !strcmp(text + length - tail, end);
}

/* Checks before the runs that the output can be written. Pipes and devices are not opened. */
static hr_status check_output(const char *path, hr_error *err) {
    struct stat found;
    hr_output *output;
    if (!path || (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)))
        return HR_OK;
    HR_TRY(hr_output_open_private(path, NULL, &output, err));
    hr_output_discard(output);
    return HR_OK;
}

static hr_status check_files(session *s, hr_error *err) {
    const own_flags *own = s->own;
    if (own->output && !ends_with(own->output, ".html") && !ends_with(own->output, ".csv") &&
        !ends_with(own->output, ".json"))
        return hr_fail(err, HR_EINVAL, "-o '%s': name it FILE.html, FILE.csv or FILE.json",
                       own->output);
    if (own->output && !own->resume) hr_text_printf(&s->partial, "%s.partial", own->output);
    if (s->partial.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    s->store = own->resume ? own->resume : s->partial.data;
    HR_TRY(hr_job_check_written(s->job, "the output", own->output, err));
    HR_TRY(hr_job_check_written(s->job, "the runs", s->store, err));
    HR_TRY(hr_job_check_pair("the output", own->output, "the runs", s->store, err));
    return check_output(own->output, err);
}

static const char *title_of(const session *s) {
    const char *path = s->job->path ? s->job->path : s->job->input.path;
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- Rows ---- */

enum { COLUMNS_MOST = 24 };

/* A brief table, for people, has no columns without values and no notes; notes are printed
 * below. */
static size_t make_columns(const hr_compare *compare, bool brief, cli_column *columns,
                           bool *shown) {
    size_t count = 0;
    columns[count++] = (cli_column){"algorithm", CLI_TEXT, 0};
    columns[count++] = (cli_column){"k", CLI_COUNT, 0};
    columns[count++] = (cli_column){"p", CLI_COUNT, 0};
    for (size_t f = 0; hr_compare_figures[f].name; f++) {
        const hr_figure *figure = &hr_compare_figures[f];
        shown[f] = !brief;
        for (size_t i = 0; i < compare->entry_count && !shown[f]; i++)
            shown[f] = compare->entries[i].state == HR_ENTRY_DONE &&
                       !isnan(hr_figure_value(figure, &compare->entries[i].figures));
        cli_type type = figure->count ? CLI_COUNT : CLI_REAL;
        if (shown[f]) columns[count++] = (cli_column){figure->name, type, figure->digits};
    }
    columns[count++] = (cli_column){"pareto", CLI_TEXT, 0};
    if (!brief) columns[count++] = (cli_column){"note", CLI_TEXT, 0};
    return count;
}

static void add_entry(cli_rows *rows, const hr_compare_entry *entry, const bool *shown,
                      bool brief) {
    bool done = entry->state == HR_ENTRY_DONE;
    cli_add_text(rows, entry->algorithm);
    cli_add_count(rows, entry->k);
    cli_add_count(rows, entry->p);
    for (size_t f = 0; hr_compare_figures[f].name; f++) {
        double value = hr_figure_value(&hr_compare_figures[f], &entry->figures);
        if (!shown[f]) continue;
        if (!done)
            cli_add_none(rows);
        else if (hr_compare_figures[f].count)
            cli_add_count(rows, (int64_t)value);
        else
            cli_add_real(rows, value);
    }
    if (!done)
        cli_add_none(rows);
    else
        cli_add_text(rows, entry->best ? "yes" : brief ? "" : "no");
    if (brief) return;
    if (entry->note)
        cli_add_text(rows, entry->note);
    else
        cli_add_none(rows);
}

/* `path` "-": standard output. Entries that were not run yet are left out. */
static hr_status write_rows(const hr_compare *compare, cli_format format, const char *path,
                            const hr_watch *watch, hr_error *err) {
    bool shown[COLUMNS_MOST] = {false}, brief = format == CLI_TABLE;
    cli_column columns[COLUMNS_MOST];
    cli_rows rows;
    cli_rows_start(&rows, columns, make_columns(compare, brief, columns, shown));
    for (size_t i = 0; i < compare->entry_count; i++)
        if (compare->entries[i].state != HR_ENTRY_WAITING)
            add_entry(&rows, &compare->entries[i], shown, brief);
    return cli_rows_write(&rows, format, path, watch, err);
}

/* Why runs gave no release: the first reason of each algorithm and the number of further runs. */
static void print_notes(const hr_compare *compare) {
    size_t each = compare->grid.k_count * compare->grid.p_count;
    for (size_t a = 0; a < compare->grid.algorithm_count; a++) {
        const hr_compare_entry *first = NULL;
        size_t more = 0;
        for (size_t i = a * each; i < (a + 1) * each; i++) {
            if (compare->entries[i].state != HR_ENTRY_EMPTY) continue;
            if (first)
                more++;
            else
                first = &compare->entries[i];
        }
        if (!first) continue;
        hr_text line = {0};
        hr_plain_text(&line, first->note ? first->note : "");
        printf("\n%s, k = %lld, p = %lld: %s\n", first->algorithm, (long long)first->k,
               (long long)first->p, line.data ? line.data : "");
        if (more) printf("  and %zu more; --format csv tells the reason of each in `note`\n", more);
        hr_text_free(&line);
    }
}

static bool has_bound(const hr_compare *compare) {
    for (size_t i = 0; i < compare->entry_count; i++) {
        const hr_compare_entry *entry = &compare->entries[i];
        if (entry->state == HR_ENTRY_DONE && !isnan(entry->figures.ntil_bound)) return true;
    }
    return false;
}

static void print_legend(const hr_compare *compare) {
    hr_text threads = {0};
    hr_compare_threads(compare, &threads);
    print_notes(compare);
    printf(
        "\npareto: no other run promises as much (k, p) for as little loss, suppressed rows and\n"
        "violations, and is better in one of these\n");
    if (has_bound(compare)) printf("ntil_bound: %s\n", hr_compare_bound_means);
    printf("seconds: from MAM cells to verification, %s\n", threads.data ? threads.data : "");
    hr_text_free(&threads);
}

static hr_status print_runs(const session *s, hr_error *err) {
    cli_format format = s->arguments->format;
    HR_TRY(write_rows(&s->compare, format, "-", NULL, err));
    if (format == CLI_TABLE) print_legend(&s->compare);
    return HR_OK;
}

static hr_status write_page(const session *s, const hr_watch *watch, hr_error *err) {
    hr_text page = {0};
    hr_output *output = NULL;
    hr_status status = hr_compare_page(&s->compare, title_of(s), &page, err);
    if (status == HR_OK) status = hr_output_open_private(s->own->output, watch, &output, err);
    if (status == HR_OK) {
        hr_output_add(output, page.data, page.length);
        status = hr_output_commit(output, err);
    }
    hr_text_free(&page);
    return status;
}

static hr_status write_output(const session *s, const hr_watch *watch, hr_error *err) {
    const char *path = s->own->output;
    if (!path) return HR_OK;
    if (ends_with(path, ".html"))
        HR_TRY(write_page(s, watch, err));
    else
        HR_TRY(write_rows(&s->compare, ends_with(path, ".csv") ? CLI_CSV : CLI_JSON, path, watch,
                          err));
    if (s->partial.data) unlink(s->partial.data); /* the output has all runs */
    return HR_OK;
}

/* ---- The command ---- */

/* Finished runs are not lost: they are in the store, or are printed. */
static hr_status explain_cancelled(const session *s, hr_error *err) {
    size_t all = 0, done = s->compare.kept + s->compare.run;
    for (size_t i = 0; i < s->compare.entry_count; i++)
        all += s->compare.entries[i].twin == i && (s->compare.entries[i].state == HR_ENTRY_WAITING);
    all += done;
    if (s->store && !done) return hr_fail(err, HR_ECANCEL, "cancelled before any run was done");
    if (s->store)
        return hr_fail(err, HR_ECANCEL,
                       "cancelled: %zu of %zu runs are kept in %s, and the same command goes on "
                       "from there",
                       done, all, s->store);
    if (s->compare.run && write_rows(&s->compare, s->arguments->format, "-", NULL, NULL) != HR_OK)
        return hr_fail(err, HR_ECANCEL, "cancelled");
    return hr_fail(err, HR_ECANCEL,
                   "cancelled after %zu of %zu runs; with -o or --resume FILE they would be kept",
                   done, all);
}

static hr_status compare(session *s, hr_error *err) {
    cli_watch watch;
    cli_watch_start(&watch, s->arguments->quiet);
    hr_status status = hr_compare_plan(&s->grid, &watch.watch, &s->compare, err);
    if (status == HR_OK) status = hr_compare_run(&s->compare, s->store, &watch.watch, err);
    if (status == HR_OK && s->compare.kept)
        hr_notice(&watch.watch, "%zu of %zu runs were known from %s", s->compare.kept,
                  s->compare.kept + s->compare.run, s->store);
    if (status == HR_OK) status = write_output(s, &watch.watch, err);
    cli_watch_end(&watch);
    if (status == HR_ECANCEL) return explain_cancelled(s, err);
    HR_TRY(status);
    HR_TRY(print_runs(s, err));
    for (size_t i = 0; i < s->compare.entry_count; i++)
        if (s->compare.entries[i].state == HR_ENTRY_DONE) return HR_OK;
    return hr_fail(err, HR_ENOSOL, "nothing can be released by any of these runs");
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    session s = {.arguments = arguments, .own = arguments->own, .job = arguments->job};
    hr_job_write_nothing(s.job);
    hr_status status = read_grid(&s, err);
    if (status == HR_OK) status = hr_job_complete(s.job, err);
    if (status == HR_OK) status = check_files(&s, err);
    if (status == HR_OK) status = compare(&s, err);
    hr_compare_free(&s.compare);
    hr_text_free(&s.partial);
    free(s.algorithms);
    free(s.names);
    free(s.ks);
    free(s.ps);
    return status;
}

static const cli_flag flags[] = {
    {"algorithm", 'a', "NAMES",
     "algorithms or papers' names, such as a,b; all that take the job (all)",
     offsetof(own_flags, algorithms)},
    {"k", 'k', "N,N-N", "rows that every class must have, one or several (the job's)",
     offsetof(own_flags, k)},
    {"p", 'p', "N,N-N", "values of each sensitive attribute, one or several (the job's)",
     offsetof(own_flags, p)},
    {"output", 'o', "FILE", "write FILE.html (a page with curves), FILE.csv or FILE.json as well",
     offsetof(own_flags, output)},
    {"resume", 0, "FILE", "keep runs in FILE, and do not run again what it has (OUTPUT.partial)",
     offsetof(own_flags, resume)},
    {0},
};

static const cli_syntax syntax = {
    .command = "compare",
    .usage = "JOB.yaml [-a greedy-pk,k-member] [-k 5,10-20] [-p 1-3] [-o FILE.html]",
    .about =
        "Runs every algorithm with every k and p and tells what each release loses. The data is\n"
        "read once, runs go in parallel, every release is verified, and none is written. A cell\n"
        "stays empty where there is no release, and its note says why. A run that was killed or\n"
        "cancelled goes on with the same command, if it has -o or --resume.",
    .most = 1,
    .prints = true,
    .flags = flags,
    .own_size = sizeof(own_flags),
};

int cmd_compare(int argc, char **argv) {
    return cli_run(&syntax, argc, argv, run);
}
