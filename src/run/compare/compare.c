/* compare.c - runs every algorithm with every k and p of a grid. The table is read and cut into MAM
 * cells once; then each entry of the grid is a separate run, verified like any other, several of
 * them in parallel. Only the figures of a run are kept. */
#include "run/compare/compare.h"

#include "report/count/count.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- The plan ---- */

/* Derives the job of one algorithm from the grid's job, with only the settings that the algorithm
 * has options for. */
static hr_status plan_job(hr_compare *compare, size_t a, hr_choice *choice, hr_error *err) {
    const hr_job *given = compare->grid.job;
    hr_job *job = &compare->jobs[a];
    *job = *given;
    hr_job_write_nothing(job);
    job->search.algorithm = compare->grid.algorithms[a];
    job->order = HR_ORDER_INPUT; /* the release is not kept: sorting it would be wasted */
    job->search.settings.count = 0;
    HR_TRY(hr_job_choose_algorithm(job, choice, err));
    job->search.settings.items = hr_arena_alloc(&compare->arena, given->search.settings.count,
                                                sizeof *job->search.settings.items, err);
    if (!job->search.settings.items) return HR_ENOMEM;
    for (size_t i = 0; i < given->search.settings.count; i++)
        if (hr_option_find(choice->algorithm->options, given->search.settings.items[i].name))
            job->search.settings.items[job->search.settings.count++] =
                given->search.settings.items[i];
    return hr_job_choose_options(job, &compare->arena, choice, err);
}

static void set_note(hr_compare_entry *entry, const char *text) {
    free(entry->note);
    entry->note = hr_copy_text(text, strlen(text), NULL);
}

/* Entries per algorithm. */
static size_t entries_each(const hr_compare *compare) {
    return compare->grid.k_count * compare->grid.p_count;
}

static hr_job job_of(const hr_compare *compare, size_t i) {
    hr_job job = compare->jobs[i / entries_each(compare)];
    job.asked.k = compare->entries[i].k;
    job.asked.p = compare->entries[i].p;
    return job;
}

/* Index of the first waiting entry with the same algorithm and the same enforced k and p; `i`
 * itself if there is none before it. */
static size_t find_twin(const hr_compare *compare, size_t i) {
    const hr_compare_entry *entry = &compare->entries[i];
    size_t each = entries_each(compare);
    for (size_t j = i / each * each; j < i; j++)
        if (compare->entries[j].state == HR_ENTRY_WAITING &&
            compare->entries[j].asked.k == entry->asked.k &&
            compare->entries[j].asked.p == entry->p)
            return j;
    return i;
}

static void plan_entry(hr_compare *compare, size_t i, const hr_choice *choice) {
    const hr_grid *grid = &compare->grid;
    hr_compare_entry *entry = &compare->entries[i];
    *entry = (hr_compare_entry){.algorithm = grid->algorithms[i / entries_each(compare)],
                                .k = grid->ks[i / grid->p_count % grid->k_count],
                                .p = grid->ps[i % grid->p_count],
                                .count_boundaries = choice->count_boundaries,
                                .any_order = choice->algorithm->any_order};
    hr_job job = job_of(compare, i);
    hr_error reason;
    entry->asked = hr_job_asked(&job);
    entry->twin = find_twin(compare, i);
    if (hr_choice_fits(&job, choice, &reason) != HR_OK) {
        entry->state = HR_ENTRY_EMPTY;
        set_note(entry, reason.message);
    } else if (entry->asked.k > entry->k) {
        char note[64];
        snprintf(note, sizeof note, "k is taken as %lld", (long long)entry->asked.k);
        set_note(entry, note);
    }
}

/* Gives every entry room for what it achieves in single attributes. */
static hr_status plan_promises(hr_compare *compare, hr_error *err) {
    const hr_achieved unknown = {.job = compare->grid.job};
    HR_TRY(hr_promises_make(&unknown, NULL, 0, &compare->promises, err));
    size_t bytes = compare->promises.asked_count * sizeof *compare->promises.asked;
    for (size_t i = 0; i < compare->entry_count; i++) {
        hr_compare_entry *entry = &compare->entries[i];
        entry->attribute_count = compare->promises.asked_count;
        entry->attributes = hr_arena_alloc(&compare->arena, bytes, 1, err);
        if (!entry->attributes) return HR_ENOMEM;
        if (bytes) memcpy(entry->attributes, compare->promises.asked, bytes);
    }
    return HR_OK;
}

/* Copies the figures; the names stay those of the comparison. */
static void keep_asked(hr_compare_entry *entry, const hr_attribute_figures *asked) {
    for (size_t i = 0; i < entry->attribute_count; i++) {
        entry->attributes[i].achieved = asked[i].achieved;
        entry->attributes[i].worst_rows = asked[i].worst_rows;
    }
}

/* Keeps the effort of the first algorithm that has this option. */
static hr_status keep_effort(hr_compare *compare, const hr_choice *choice, hr_error *err) {
    const hr_option *effort =
        compare->effort ? NULL : hr_option_find(choice->algorithm->options, "effort");
    hr_text text = {0};
    if (!effort) return HR_OK;
    hr_option_print(effort, choice->options, &text);
    if (!text.failed) compare->effort = hr_arena_text(&compare->arena, text.data, text.length, err);
    hr_text_free(&text);
    return compare->effort ? HR_OK : hr_fail(err, HR_ENOMEM, "out of memory");
}

/* "zip, level 3; age, intervals at most 10 wide; no others." */
static void write_boundaries(const hr_job *job, hr_text *out) {
    bool any = false, all = true;
    for (size_t j = 0; j < job->attribute_count; j++) {
        const hr_attribute *attribute = &job->attributes[j];
        hr_text words = {0};
        if (attribute->role != HR_ROLE_QUASI) continue;
        hr_boundary_words(&attribute->boundary, &words);
        if (words.data) hr_text_printf(out, "%s, %s; ", attribute->name, words.data);
        out->failed |= words.failed;
        any |= words.data != NULL;
        all &= words.data != NULL;
        hr_text_free(&words);
    }
    hr_text_puts(out, !any  ? "none: values may be generalized until nothing is left of them."
                      : all ? "of every identifying column."
                            : "no others.");
}

static hr_status keep_source(hr_compare *compare, hr_error *err) {
    const hr_job *job = compare->grid.job;
    hr_text text = {0};
    if (job->input.table || !job->input.path) return HR_OK;
    hr_address_shown(job->input.path, &text);
    if (!text.failed) compare->source = hr_arena_text(&compare->arena, text.data, text.length, err);
    hr_text_free(&text);
    return compare->source ? HR_OK : hr_fail(err, HR_ENOMEM, "out of memory");
}

static hr_status keep_boundaries(hr_compare *compare, hr_error *err) {
    hr_text text = {0};
    write_boundaries(compare->grid.job, &text);
    if (!text.failed)
        compare->boundaries = hr_arena_text(&compare->arena, text.data, text.length, err);
    hr_text_free(&text);
    return compare->boundaries ? HR_OK : hr_fail(err, HR_ENOMEM, "out of memory");
}

/* "k counts the people of 'unit'; alpha = 0.6; " */
static void write_models(const hr_job *job, hr_text *out) {
    hr_requirements asked = hr_job_asked(job);
    hr_text_puts(out, "");
    if (job->unit) hr_text_printf(out, "k counts people ('%s'); ", job->unit);
    for (size_t i = HR_MODELS_KP; hr_models[i]; i++) {
        if (!hr_model_in_play(hr_models[i], &asked)) continue;
        hr_text_printf(out, "%s = ", hr_models[i]->options->name);
        hr_job_print_asked(job, hr_models[i], out);
        hr_text_puts(out, "; ");
    }
}

static hr_status keep_models(hr_compare *compare, hr_error *err) {
    hr_text text = {0};
    write_models(compare->grid.job, &text);
    if (!text.failed) compare->models = hr_arena_text(&compare->arena, text.data, text.length, err);
    hr_text_free(&text);
    return compare->models ? HR_OK : hr_fail(err, HR_ENOMEM, "out of memory");
}

static void notice_unused(const hr_compare *compare, const hr_watch *watch) {
    const hr_job *job = compare->grid.job;
    for (size_t i = 0; i < job->search.settings.count; i++) {
        bool used = false;
        for (size_t a = 0; a < compare->grid.algorithm_count; a++)
            for (size_t s = 0; s < compare->jobs[a].search.settings.count; s++)
                used |= compare->jobs[a].search.settings.items[s].name ==
                        job->search.settings.items[i].name;
        if (!used)
            hr_notice(watch, "option '%s' is for none of these algorithms",
                      job->search.settings.items[i].name);
    }
}

static hr_status plan(hr_compare *compare, const hr_watch *watch, hr_error *err) {
    const hr_grid *grid = &compare->grid;
    size_t each = entries_each(compare), most = HR_COMPARE_MOST / grid->algorithm_count;
    if (grid->k_count > most || grid->p_count > most || each > most)
        return hr_fail(err, HR_EINVAL, "more than %d runs: name fewer algorithms, k or p",
                       HR_COMPARE_MOST);
    compare->jobs = hr_arena_alloc(&compare->arena, grid->algorithm_count, sizeof(hr_job), err);
    compare->entries = hr_arena_alloc(&compare->arena, grid->algorithm_count * each,
                                      sizeof *compare->entries, err);
    if (!compare->jobs || !compare->entries) return HR_ENOMEM;
    for (size_t a = 0; a < grid->algorithm_count; a++) {
        hr_choice choice;
        HR_TRY(plan_job(compare, a, &choice, err));
        HR_TRY(keep_effort(compare, &choice, err));
        for (size_t i = 0; i < each; i++)
            plan_entry(compare, compare->entry_count++, &choice);
    }
    notice_unused(compare, watch);
    HR_TRY(plan_promises(compare, err));
    HR_TRY(keep_source(compare, err));
    HR_TRY(keep_models(compare, err));
    return keep_boundaries(compare, err);
}

hr_status hr_compare_plan(const hr_grid *grid, const hr_watch *watch, hr_compare *out,
                          hr_error *err) {
    *out = (hr_compare){.grid = *grid};
    hr_status status = plan(out, watch, err);
    if (status != HR_OK) hr_compare_free(out);
    return status;
}

void hr_compare_free(hr_compare *compare) {
    for (size_t i = 0; i < compare->entry_count; i++)
        free(compare->entries[i].note);
    hr_compare_store_close(compare->store);
    hr_promises_free(&compare->promises);
    hr_arena_free(&compare->arena);
    *compare = (hr_compare){0};
}

/* ---- Runs ---- */

typedef struct {
    hr_compare *compare;
    hr_shared_data shared;
    hr_shared_data sorted; /* sorted rows, for algorithms with `any_order` */
    size_t *waiting;       /* indices of the entries to run */
    size_t waiting_count;
    hr_progress progress; /* counts rows x runs */
    pthread_mutex_t lock; /* guards the store and compare->run */
} grid_run;

/* Forwards the progress of one run to the progress of all. */
typedef struct {
    grid_run *all;
    uint64_t reported; /* units of this run that are already counted */
} run_progress;

static void on_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    run_progress *w = payload;
    if (strcmp(stage, "search") || total == 0) return;
    /* The search counts as nine tenths of a run, masking and verification as the last tenth. */
    double rows = 0.9 * (double)w->all->compare->rows;
    uint64_t reached = (uint64_t)(rows * (double)done / (double)total);
    if (reached <= w->reported) return;
    (void)hr_progress_add(&w->all->progress, reached - w->reported, NULL);
    w->reported = reached;
}

static bool on_cancelled(void *payload) {
    return hr_progress_add(&((run_progress *)payload)->all->progress, 0, NULL) == HR_ECANCEL;
}

static hr_status keep(grid_run *c, const hr_compare_entry *entry, hr_error *err) {
    pthread_mutex_lock(&c->lock);
    hr_compare_store *store = c->compare->store;
    hr_status status = store ? hr_compare_store_add(store, entry, err) : HR_OK;
    if (status == HR_OK) c->compare->run++;
    pthread_mutex_unlock(&c->lock);
    return status;
}

static hr_status run_entry(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    grid_run *c = payload;
    hr_compare_entry *entry = &c->compare->entries[c->waiting[i]];
    hr_job job = job_of(c->compare, c->waiting[i]);
    job.search.threads = c->compare->threads;
    run_progress w = {.all = c};
    hr_watch watch = {.progress = on_progress, .cancelled = on_cancelled, .payload = &w};
    hr_figures figures = {0};
    hr_promises promises = {0};
    HR_TRY(hr_progress_add(&c->progress, 0, err));
    const hr_shared_data *shared = entry->any_order ? &c->sorted : &c->shared;
    hr_status status = hr_job_try(&job, shared, &watch, &figures, &promises, err);
    if (status == HR_ENOSOL)
        set_note(entry, err->message);
    else if (status != HR_OK)
        return status == HR_ECANCEL
                   ? status
                   : hr_fail_prefix(err, status, "%s, k = %lld, p = %lld", entry->algorithm,
                                    (long long)entry->k, (long long)entry->p);
    if (status == HR_OK) keep_asked(entry, promises.asked);
    hr_promises_free(&promises);
    figures.seconds = round(figures.seconds * 1e6) / 1e6;
    entry->figures = figures;
    entry->threads = job.search.threads;
    entry->state = status == HR_OK ? HR_ENTRY_DONE : HR_ENTRY_EMPTY;
    status = keep(c, entry, err);
    /* This run is finished, so a request to stop is left to the next one. */
    (void)hr_progress_add(&c->progress, c->compare->rows - w.reported, NULL);
    return status;
}

/* A number coprime to `count` and near 5/8 of it: steps of that size visit every index once, and
 * consecutive indices are far apart. */
static size_t stride_of(size_t count) {
    size_t stride = count * 5 / 8;
    for (;; stride++) {
        size_t a = count, b = stride;
        while (b) {
            size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return stride;
    }
}

/* Lists the entries to run. Algorithms take turns and small k and p are mixed with large ones, so
 * that the time passed predicts the time left. */
static hr_status list_waiting(grid_run *c, hr_error *err) {
    const hr_compare *compare = c->compare;
    size_t each = entries_each(compare), algorithms = compare->grid.algorithm_count;
    size_t stride = stride_of(each);
    c->waiting = hr_alloc(compare->entry_count, sizeof *c->waiting, err);
    if (!c->waiting) return HR_ENOMEM;
    for (size_t i = 0; i < compare->entry_count; i++) {
        size_t at = i % algorithms * each + i / algorithms * stride % each;
        const hr_compare_entry *entry = &compare->entries[at];
        if (entry->state == HR_ENTRY_WAITING && entry->twin == at)
            c->waiting[c->waiting_count++] = at;
    }
    return HR_OK;
}

/* ---- Identity of a comparison ---- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t length) {
    uint64_t parts[2] = {hash, hr_hash(bytes, length)};
    return hr_hash(parts, sizeof parts);
}

static uint64_t mix_texts(uint64_t hash, const hr_dictionary *texts) {
    return mix(mix(hash, &texts->count, sizeof texts->count), texts->bytes, texts->bytes_used);
}

/* Hash of everything that the figures depend on: version, job, table, hierarchies, boundaries. */
static uint64_t identity_of(const hr_job *job, const hr_dataset *dataset) {
    uint64_t hash = mix(job->fingerprint, HR_VERSION, strlen(HR_VERSION));
    for (size_t i = 0; i < dataset->table->column_count; i++) {
        const hr_column *column = &dataset->table->columns[i];
        hash = mix(hash, column->name, strlen(column->name));
        hash = mix_texts(hash, &column->dictionary);
        hash = mix(hash, column->codes, column->rows * column->width);
    }
    for (size_t j = 0; j < dataset->data.quasi_count; j++) {
        const hr_quasi *quasi = &dataset->data.quasi[j];
        if (!quasi->tree) continue;
        size_t bytes = quasi->tree->labels.count * sizeof *quasi->magval;
        hash = mix_texts(hash, &quasi->tree->labels);
        hash = mix(mix(hash, quasi->tree->parent, bytes), quasi->magval, bytes);
    }
    return hash;
}

/* ---- All runs ---- */

static hr_status run_all(grid_run *c, const char *store, const hr_watch *watch, hr_error *err) {
    hr_compare *compare = c->compare;
    const hr_job *job = compare->grid.job;
    bool modes[2][2] = {{false, false}, {false, false}}; /* [sorted][boundaries counted]: needed */
    for (size_t i = 0; i < compare->entry_count; i++)
        modes[compare->entries[i].any_order][compare->entries[i].count_boundaries] = true;
    HR_TRY(hr_shared_data_load(job, modes[0], watch, &c->shared, err));
    if (modes[1][0] || modes[1][1])
        HR_TRY(hr_shared_data_sort(job, &c->shared, modes[1], watch, &c->sorted, err));
    compare->rows = c->shared.dataset.data.rows;
    if (store)
        HR_TRY(hr_compare_store_open(store, identity_of(job, &c->shared.dataset), compare,
                                     &compare->store, err));
    HR_TRY(list_waiting(c, err));
    unsigned threads = job->search.threads ? job->search.threads : hr_cores();
    compare->threads =
        c->waiting_count && c->waiting_count < threads ? threads / (unsigned)c->waiting_count : 1;
    hr_progress_start(&c->progress, watch, "compare", c->waiting_count * compare->rows);
    HR_TRY(hr_parallel(c->waiting_count, threads, run_entry, c, err));
    hr_progress_end(&c->progress);
    return HR_OK;
}

/* Copies the result of a run to the entries that ask for the same. */
static void fill_twins(hr_compare *compare) {
    for (size_t i = 0; i < compare->entry_count; i++) {
        hr_compare_entry *entry = &compare->entries[i], *twin = &compare->entries[entry->twin];
        if (entry->twin == i || entry->state != HR_ENTRY_WAITING) continue;
        entry->state = twin->state;
        entry->figures = twin->figures;
        keep_asked(entry, twin->attributes);
        entry->threads = twin->threads;
        if (twin->state == HR_ENTRY_EMPTY && twin->note) set_note(entry, twin->note);
    }
}

hr_status hr_compare_run(hr_compare *compare, const char *store, const hr_watch *watch,
                         hr_error *err) {
    grid_run c = {.compare = compare};
    pthread_mutex_init(&c.lock, NULL);
    hr_status status = run_all(&c, store, watch, err);
    fill_twins(compare);
    hr_compare_rank(compare);
    hr_shared_data_free_sorted(&c.sorted);
    hr_shared_data_free(&c.shared);
    free(c.waiting);
    pthread_mutex_destroy(&c.lock);
    return status;
}

/* ---- The best ---- */

/* Is `a` at least as good as `b` in every respect? *better: `a` is better in one of them. */
static bool no_worse(const hr_compare_entry *a, const hr_compare_entry *b, bool *better) {
    const hr_figures *x = &a->figures, *y = &b->figures;
    bool means = isnan(x->ntil);
    if (means != (bool)isnan(y->ntil)) return false; /* the losses cannot be compared */
    double loss_x = means ? x->sse_sst : x->ntil, loss_y = means ? y->sse_sst : y->ntil;
    *better = a->asked.k > b->asked.k || a->asked.p > b->asked.p || loss_x < loss_y ||
              x->suppressed < y->suppressed || x->violations < y->violations;
    return a->asked.k >= b->asked.k && a->asked.p >= b->asked.p && loss_x <= loss_y &&
           x->suppressed <= y->suppressed && x->violations <= y->violations;
}

void hr_compare_rank(hr_compare *compare) {
    for (size_t i = 0; i < compare->entry_count; i++) {
        hr_compare_entry *entry = &compare->entries[i];
        entry->best = entry->state == HR_ENTRY_DONE;
        for (size_t j = 0; j < compare->entry_count && entry->best; j++) {
            bool better;
            if (compare->entries[j].state == HR_ENTRY_DONE &&
                no_worse(&compare->entries[j], entry, &better) && better)
                entry->best = false;
        }
    }
}
