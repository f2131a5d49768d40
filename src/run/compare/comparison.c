/* comparison.c - hr_job_compare: makes the grid that a caller asks for, checks its files before any
 * run, runs it, and writes the output. Finished runs are kept in a file until the output is
 * written, so that the same call continues a comparison that was killed. */
#include "run/compare/compare.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct hr_comparison {
    hr_compare compare;
    hr_compared *runs; /* one per entry of `compare` */
    hr_compared_count count;
    const char *title; /* of the page */
    bool cancelled;
    hr_arena arena; /* texts and lists of the grid, the runs and the title */
};

typedef struct {
    const hr_compare_request *request;
    hr_job job; /* the caller's job, without outputs and with a k and p of the grid */
    const hr_watch *watch;
    hr_comparison *out;
    const char **algorithms;
    hr_grid grid;
    const char *partial; /* the file of runs beside the output; NULL: none */
} hr_compare_session;

/* ---- The grid ---- */

static int by_size(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Copies a list of numbers, in ascending order and each once, because curves run along them. */
static hr_status copy_numbers(hr_arena *arena, const int64_t *given, size_t given_count,
                              const int64_t **out, size_t *count, hr_error *err) {
    int64_t *numbers = hr_arena_alloc(arena, given_count, sizeof *numbers, err);
    if (!numbers) return HR_ENOMEM;
    memcpy(numbers, given, given_count * sizeof *numbers);
    qsort(numbers, given_count, sizeof *numbers, by_size);
    *count = 0;
    for (size_t i = 0; i < given_count; i++)
        if (i == 0 || numbers[i] != numbers[*count - 1]) numbers[(*count)++] = numbers[i];
    *out = numbers;
    return HR_OK;
}

/* Adds an algorithm unless the grid has it. */
static hr_status add_algorithm(hr_compare_session *s, const char *name, hr_error *err) {
    for (size_t i = 0; i < s->grid.algorithm_count; i++)
        if (!strcmp(s->algorithms[i], name)) return HR_OK;
    char *copy = hr_arena_text(&s->out->arena, name, strlen(name), err);
    if (!copy) return HR_ENOMEM;
    s->algorithms[s->grid.algorithm_count++] = copy;
    return HR_OK;
}

/* Adds all algorithms that take the attributes of the job. */
static hr_status add_all(hr_compare_session *s, hr_error *err) {
    for (size_t i = 0; hr_algorithms[i]; i++) {
        hr_job job = s->job;
        hr_choice choice;
        job.search.algorithm = hr_algorithms[i]->name;
        job.asked = (hr_requirements){.k = 1, .p = 1};
        if (hr_job_choose_algorithm(&job, &choice, NULL) == HR_OK &&
            hr_choice_fits(&job, &choice, NULL) == HR_OK)
            HR_TRY(add_algorithm(s, job.search.algorithm, err));
    }
    return HR_OK;
}

static hr_status list_algorithms(hr_compare_session *s, hr_error *err) {
    static const char *const all[] = {"all"};
    const char *const *names = s->request->algorithms ? s->request->algorithms : all;
    size_t count = s->request->algorithms ? s->request->algorithm_count : 1, room = count;
    if (count == 0) return hr_fail(err, HR_EINVAL, "a comparison needs at least one algorithm");
    for (size_t i = 0; hr_algorithms[i]; i++)
        room++;
    s->algorithms = hr_arena_alloc(&s->out->arena, room, sizeof *s->algorithms, err);
    if (!s->algorithms) return HR_ENOMEM;
    for (size_t i = 0; i < count; i++)
        HR_TRY(strcmp(names[i], "all") ? add_algorithm(s, names[i], err) : add_all(s, err));
    s->grid.algorithms = s->algorithms;
    return HR_OK;
}

static hr_status make_grid(hr_compare_session *s, hr_error *err) {
    hr_grid *grid = &s->grid;
    const int64_t *ks = s->request->ks, *ps = s->request->ps;
    size_t k_count = s->request->k_count, p_count = s->request->p_count;
    HR_TRY(hr_job_numbers(&s->job, &ks, &k_count, &ps, &p_count, err));
    HR_TRY(list_algorithms(s, err));
    HR_TRY(copy_numbers(&s->out->arena, ks, k_count, &grid->ks, &grid->k_count, err));
    HR_TRY(copy_numbers(&s->out->arena, ps, p_count, &grid->ps, &grid->p_count, err));
    grid->job = &s->job;
    s->job.asked.k = grid->ks[0];
    /* Attributes are checked against the greatest p. */
    s->job.asked.p = grid->ps[grid->p_count - 1];
    return hr_job_complete(&s->job, err);
}

/* ---- Files ---- */

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && !strcmp(text + length - tail, end);
}

/* Checks before the runs that the output can be written. Pipes and devices are not opened. */
static hr_status check_writable(const char *path, hr_error *err) {
    struct stat found;
    hr_output *output;
    if (!path || (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode)))
        return HR_OK;
    HR_TRY(hr_output_open_private(path, NULL, &output, err));
    hr_output_discard(output);
    return HR_OK;
}

static hr_status name_store(hr_compare_session *s, hr_error *err) {
    const char *output = s->request->output, *resume = s->request->resume;
    hr_text name = {0};
    if (resume || output)
        hr_text_printf(&name, "%s%s", resume ? resume : output, resume ? "" : ".partial");
    if (name.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    if (name.data) s->out->count.kept = hr_arena_text(&s->out->arena, name.data, name.length, err);
    bool failed = name.data && !s->out->count.kept;
    hr_text_free(&name);
    if (!resume) s->partial = s->out->count.kept;
    return failed ? HR_ENOMEM : HR_OK;
}

static hr_status check_files(hr_compare_session *s, hr_error *err) {
    const char *output = s->request->output;
    if (output && !ends_with(output, ".html") && !ends_with(output, ".csv") &&
        !ends_with(output, ".json"))
        return hr_fail(err, HR_EINVAL, "-o '%s': name it FILE.html, FILE.csv or FILE.json", output);
    HR_TRY(name_store(s, err));
    const char *store = s->out->count.kept;
    HR_TRY(hr_job_check_written(&s->job, "the output", output, err));
    HR_TRY(hr_job_check_written(&s->job, "the runs", store, err));
    HR_TRY(hr_job_check_pair("the output", output, "the runs", store, err));
    return check_writable(output, err);
}

/* The page is named after the job file, or after the input. */
static hr_status name_page(hr_compare_session *s, hr_error *err) {
    const char *path = s->job.path ? s->job.path : s->job.input.path;
    char *shown = hr_address_masked(path ? path : "the table", err);
    if (!shown) return HR_ENOMEM;
    const char *slash = strrchr(shown, '/'), *name = slash ? slash + 1 : shown;
    s->out->title = hr_arena_text(&s->out->arena, name, strlen(name), err);
    free(shown);
    return s->out->title ? HR_OK : HR_ENOMEM;
}

static hr_status write_output(const hr_compare_session *s, hr_error *err) {
    const char *path = s->request->output;
    hr_text text = {0};
    hr_output *output = NULL;
    hr_status status = HR_OK;
    if (!path) return HR_OK;
    if (ends_with(path, ".html"))
        status = hr_compare_page(&s->out->compare, s->out->title, &text, err);
    else
        hr_compare_rows(&s->out->compare, ends_with(path, ".csv") ? HR_PRINT_CSV : HR_PRINT_JSON,
                        &text);
    if (status == HR_OK && text.failed) status = hr_fail(err, HR_ENOMEM, "out of memory");
    if (status == HR_OK) status = hr_output_open_private(path, s->watch, &output, err);
    if (status == HR_OK) {
        hr_output_add(output, text.data, text.length);
        status = hr_output_commit(output, err);
    }
    hr_text_free(&text);
    if (status == HR_OK && s->partial) unlink(s->partial); /* the output contains all runs */
    return status;
}

/* ---- The result ---- */

static hr_compared_state state_of(const hr_compare_entry *entry) {
    switch (entry->state) {
    case HR_ENTRY_DONE: return HR_COMPARED_DONE;
    case HR_ENTRY_EMPTY: return HR_COMPARED_EMPTY;
    default: return HR_COMPARED_WAITING;
    }
}

static void fill_result(hr_comparison *out) {
    const hr_compare *compare = &out->compare;
    out->count.made = compare->run;
    out->count.known = compare->kept;
    out->count.runs = compare->run + compare->kept;
    for (size_t i = 0; i < compare->entry_count; i++) {
        const hr_compare_entry *entry = &compare->entries[i];
        bool done = entry->state == HR_ENTRY_DONE;
        out->runs[i] = (hr_compared){.algorithm = entry->algorithm,
                                     .k = entry->k,
                                     .p = entry->p,
                                     .state = state_of(entry),
                                     .figures = done ? &entry->figures : NULL,
                                     .best = entry->best,
                                     .note = entry->note,
                                     .threads = done ? entry->threads : 0};
        out->count.runs += entry->twin == i && entry->state == HR_ENTRY_WAITING;
    }
}

static hr_status run(hr_compare_session *s, hr_error *err) {
    hr_comparison *out = s->out;
    HR_TRY(hr_compare_plan(&s->grid, s->watch, &out->compare, err));
    out->runs = hr_arena_alloc(&out->arena, out->compare.entry_count, sizeof *out->runs, err);
    if (!out->runs) return HR_ENOMEM;
    hr_status status = hr_compare_run(&out->compare, out->count.kept, s->watch, err);
    fill_result(out);
    HR_TRY(status);
    if (out->count.known)
        hr_notice(s->watch, "%zu of %zu runs were known from %s", out->count.known, out->count.runs,
                  out->count.kept);
    return write_output(s, err);
}

hr_status hr_job_compare(const hr_job *job, const hr_compare_request *request,
                         const hr_watch *watch, hr_comparison **out, hr_error *err) {
    hr_watch own;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    HR_TRY(hr_job_check_counts(job, err));
    if (request->size < sizeof *request)
        return hr_fail(err, HR_EINVAL,
                       "hr_compare_request: set `size` to sizeof(hr_compare_request)");
    hr_comparison *comparison = hr_alloc(1, sizeof *comparison, err);
    if (!comparison) return HR_ENOMEM;
    hr_compare_session s = {.request = request, .job = *job, .watch = &own, .out = comparison};
    hr_job_write_nothing(&s.job);
    hr_status status = make_grid(&s, err);
    if (status == HR_OK) status = check_files(&s, err);
    if (status == HR_OK) status = name_page(&s, err);
    if (status == HR_OK) status = run(&s, err);
    comparison->cancelled = status == HR_ECANCEL;
    comparison->compare.grid.job = NULL; /* it was `s.job` */
    if (status == HR_OK || status == HR_ECANCEL)
        *out = comparison;
    else
        hr_comparison_free(comparison);
    return status;
}

const hr_compared *hr_comparison_at(const hr_comparison *comparison, size_t i) {
    return i < comparison->compare.entry_count ? &comparison->runs[i] : NULL;
}

const hr_compared_count *hr_comparison_count(const hr_comparison *comparison) {
    return &comparison->count;
}

hr_status hr_comparison_print(const hr_comparison *comparison, hr_print_format format, char **out,
                              hr_error *err) {
    *out = NULL;
    HR_TRY(hr_print_check(format, err));
    hr_text text = {0};
    hr_compare_rows(&comparison->compare, format, &text);
    if (format == HR_PRINT_TABLE && !comparison->cancelled)
        hr_compare_legend(&comparison->compare, &text);
    return hr_text_take(&text, out, err);
}

hr_status hr_comparison_page(const hr_comparison *comparison, char **out, hr_error *err) {
    hr_text text = {0};
    *out = NULL;
    hr_status status = hr_compare_page(&comparison->compare, comparison->title, &text, err);
    if (status == HR_OK) return hr_text_take(&text, out, err);
    hr_text_free(&text);
    return status;
}

void hr_comparison_free(hr_comparison *comparison) {
    if (!comparison) return;
    hr_compare_free(&comparison->compare);
    hr_arena_free(&comparison->arena);
    free(comparison);
}
