/* compare.c - which algorithm, and which k and p, can be afforded? Every cell of the grid is a run of
 * its own, verified like any other; the table is read and cut into MAM cells once for all of them.
 * Runs go side by side and are forgotten but for their figures. */
#include "run/compare.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* ---- The plan ---- */

/* Options go to the algorithms that have them. */
static hr_status plan_job(hr_compare *compare, size_t a, hr_choice *choice, hr_error *err) {
    const hr_job *common = compare->grid.job;
    hr_job *job = &compare->jobs[a];
    *job = *common;
    hr_job_write_nothing(job);
    job->algorithm = compare->grid.algorithms[a];
    job->order = HR_ORDER_INPUT; /* nobody sees the rows: they need not be sorted */
    job->setting_count = 0;
    HR_TRY(hr_job_choose_algorithm(job, choice, err));
    job->settings =
        hr_arena_alloc(&compare->arena, common->setting_count, sizeof *job->settings, err);
    if (!job->settings) return HR_ENOMEM;
    for (size_t i = 0; i < common->setting_count; i++)
        if (hr_option_find(choice->algorithm->options, common->settings[i].name))
            job->settings[job->setting_count++] = common->settings[i];
    return hr_job_choose_options(job, &compare->arena, choice, err);
}

static void set_note(hr_compare_cell *cell, const char *text) {
    free(cell->note);
    cell->note = hr_copy_text(text, strlen(text), NULL);
}

static size_t cells_each(const hr_compare *compare) { /* of one algorithm */
    return compare->grid.k_count * compare->grid.p_count;
}

static hr_job job_of(const hr_compare *compare, size_t i) {
    hr_job job = compare->jobs[i / cells_each(compare)];
    job.asked.k = compare->cells[i].k;
    job.asked.p = compare->cells[i].p;
    return job;
}

/* The first cell that asks the same of the same algorithm and can have it. */
static size_t find_twin(const hr_compare *compare, size_t i) {
    const hr_compare_cell *cell = &compare->cells[i];
    size_t each = cells_each(compare);
    for (size_t j = i / each * each; j < i; j++)
        if (compare->cells[j].state == HR_CELL_WAITING &&
            compare->cells[j].asked.k == cell->asked.k && compare->cells[j].asked.p == cell->p)
            return j;
    return i;
}

static void plan_cell(hr_compare *compare, size_t i, const hr_choice *choice) {
    const hr_grid *grid = &compare->grid;
    hr_compare_cell *cell = &compare->cells[i];
    *cell = (hr_compare_cell){.algorithm = grid->algorithms[i / cells_each(compare)],
                              .k = grid->ks[i / grid->p_count % grid->k_count],
                              .p = grid->ps[i % grid->p_count],
                              .count_boundaries = choice->count_boundaries};
    hr_job job = job_of(compare, i);
    hr_error reason;
    cell->asked = hr_job_asked(&job);
    cell->twin = find_twin(compare, i);
    if (hr_choice_fits(&job, choice, &reason) != HR_OK) {
        cell->state = HR_CELL_EMPTY;
        set_note(cell, reason.message);
    } else if (cell->asked.k > cell->k) {
        char note[64];
        snprintf(note, sizeof note, "k is taken as %lld", (long long)cell->asked.k);
        set_note(cell, note);
    }
}

static void tell_unused(const hr_compare *compare, const hr_watch *watch) {
    const hr_job *job = compare->grid.job;
    for (size_t i = 0; i < job->setting_count; i++) {
        bool used = false;
        for (size_t a = 0; a < compare->grid.algorithm_count; a++)
            for (size_t s = 0; s < compare->jobs[a].setting_count; s++)
                used |= compare->jobs[a].settings[s].name == job->settings[i].name;
        if (!used)
            hr_notice(watch, "option '%s' is for none of these algorithms", job->settings[i].name);
    }
}

static hr_status plan(hr_compare *compare, const hr_watch *watch, hr_error *err) {
    const hr_grid *grid = &compare->grid;
    size_t each = cells_each(compare), most = HR_COMPARE_MOST / grid->algorithm_count;
    if (grid->k_count > most || grid->p_count > most || each > most)
        return hr_fail(err, HR_EINVAL, "more than %d runs: name fewer algorithms, k or p",
                       HR_COMPARE_MOST);
    compare->jobs = hr_arena_alloc(&compare->arena, grid->algorithm_count, sizeof(hr_job), err);
    compare->cells =
        hr_arena_alloc(&compare->arena, grid->algorithm_count * each, sizeof *compare->cells, err);
    if (!compare->jobs || !compare->cells) return HR_ENOMEM;
    for (size_t a = 0; a < grid->algorithm_count; a++) {
        hr_choice choice;
        HR_TRY(plan_job(compare, a, &choice, err));
        for (size_t i = 0; i < each; i++)
            plan_cell(compare, compare->cell_count++, &choice);
    }
    tell_unused(compare, watch);
    return HR_OK;
}

hr_status hr_compare_plan(const hr_grid *grid, const hr_watch *watch, hr_compare *out,
                          hr_error *err) {
    *out = (hr_compare){.grid = *grid};
    hr_status status = plan(out, watch, err);
    if (status != HR_OK) hr_compare_free(out);
    return status;
}

void hr_compare_free(hr_compare *compare) {
    for (size_t i = 0; i < compare->cell_count; i++)
        free(compare->cells[i].note);
    hr_store_close(compare->store);
    hr_arena_free(&compare->arena);
    *compare = (hr_compare){0};
}

/* ---- Runs ---- */

typedef struct {
    hr_compare *compare;
    hr_common common;
    size_t *waiting; /* cells to run */
    size_t waiting_count;
    hr_progress progress; /* a unit a row and run */
    pthread_mutex_t lock; /* guards the store and compare->run */
} comparing;

/* What one run tells of itself, on its way to the progress of all. */
typedef struct {
    comparing *all;
    uint64_t told; /* units */
} watching;

static void on_progress(const char *stage, uint64_t done, uint64_t total, void *payload) {
    watching *w = payload;
    if (strcmp(stage, "search") || total == 0) return;
    /* The last part is for masking and verifying. */
    double rows = 0.9 * (double)w->all->compare->rows;
    uint64_t reached = (uint64_t)(rows * (double)done / (double)total);
    if (reached <= w->told) return;
    hr_progress_add(&w->all->progress, reached - w->told, NULL);
    w->told = reached;
}

static bool on_cancelled(void *payload) {
    return hr_progress_add(&((watching *)payload)->all->progress, 0, NULL) == HR_ECANCEL;
}

static hr_status keep(comparing *c, const hr_compare_cell *cell, hr_error *err) {
    pthread_mutex_lock(&c->lock);
    hr_store *store = c->compare->store;
    hr_status status = store ? hr_store_add(store, cell, err) : HR_OK;
    if (status == HR_OK) c->compare->run++;
    pthread_mutex_unlock(&c->lock);
    return status;
}

static hr_status run_cell(size_t i, unsigned worker, void *payload, hr_error *err) {
    (void)worker;
    comparing *c = payload;
    hr_compare_cell *cell = &c->compare->cells[c->waiting[i]];
    hr_job job = job_of(c->compare, c->waiting[i]);
    job.threads = c->compare->threads;
    watching w = {.all = c};
    hr_watch watch = {.progress = on_progress, .cancelled = on_cancelled, .payload = &w};
    hr_figures figures = {0};
    HR_TRY(hr_progress_add(&c->progress, 0, err));
    hr_status status = hr_job_try(&job, &c->common, &watch, &figures, err);
    if (status == HR_ENOSOL)
        set_note(cell, err->message);
    else if (status != HR_OK)
        return status == HR_ECANCEL
                   ? status
                   : hr_fail_prefix(err, status, "%s, k = %lld, p = %lld", cell->algorithm,
                                    (long long)cell->k, (long long)cell->p);
    figures.seconds = round(figures.seconds * 1e6) / 1e6;
    cell->figures = figures;
    cell->threads = job.threads;
    cell->state = status == HR_OK ? HR_CELL_DONE : HR_CELL_EMPTY;
    status = keep(c, cell, err);
    /* A wish to stop is heard by the next run: this one is done. */
    hr_progress_add(&c->progress, c->compare->rows - w.told, NULL);
    return status;
}

/* A step that visits every one of `count` places, far from the last each time. */
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

/* Every algorithm in turn, and small k and p mixed with large ones, so that the time left can be told
 * from the time passed. */
static hr_status list_waiting(comparing *c, hr_error *err) {
    const hr_compare *compare = c->compare;
    size_t each = cells_each(compare), algorithms = compare->grid.algorithm_count;
    size_t stride = stride_of(each);
    c->waiting = hr_alloc(compare->cell_count, sizeof *c->waiting, err);
    if (!c->waiting) return HR_ENOMEM;
    for (size_t i = 0; i < compare->cell_count; i++) {
        size_t at = i % algorithms * each + i / algorithms * stride % each;
        const hr_compare_cell *cell = &compare->cells[at];
        if (cell->state == HR_CELL_WAITING && cell->twin == at) c->waiting[c->waiting_count++] = at;
    }
    return HR_OK;
}

/* ---- Is it the same table? ---- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t length) {
    uint64_t parts[2] = {hash, hr_hash(bytes, length)};
    return hr_hash(parts, sizeof parts);
}

static uint64_t mix_texts(uint64_t hash, const hr_dictionary *texts) {
    return mix(mix(hash, &texts->count, sizeof texts->count), texts->bytes, texts->bytes_used);
}

/* Of everything that the figures depend on: version, job, table, hierarchies, boundaries. */
static uint64_t identity_of(const hr_job *job, const hr_dataset *bound) {
    uint64_t hash = mix(job->said, HR_VERSION, strlen(HR_VERSION));
    for (size_t i = 0; i < bound->table->column_count; i++) {
        const hr_column *column = &bound->table->columns[i];
        hash = mix(hash, column->name, strlen(column->name));
        hash = mix_texts(hash, &column->dictionary);
        hash = mix(hash, column->codes, column->rows * column->width);
    }
    for (size_t j = 0; j < bound->data.quasi_count; j++) {
        const hr_quasi *quasi = &bound->data.quasi[j];
        if (!quasi->tree) continue;
        size_t bytes = quasi->tree->labels.count * sizeof *quasi->magval;
        hash = mix_texts(hash, &quasi->tree->labels);
        hash = mix(mix(hash, quasi->tree->parent, bytes), quasi->magval, bytes);
    }
    return hash;
}

/* ---- The whole ---- */

static hr_status run_all(comparing *c, const char *store, const hr_watch *watch, hr_error *err) {
    hr_compare *compare = c->compare;
    const hr_job *job = compare->grid.job;
    bool modes[2] = {false, false};
    for (size_t i = 0; i < compare->cell_count; i++)
        modes[compare->cells[i].count_boundaries] = true;
    HR_TRY(hr_common_load(job, modes, watch, &c->common, err));
    compare->rows = c->common.bound.data.rows;
    if (store)
        HR_TRY(hr_store_open(store, identity_of(job, &c->common.bound), compare, &compare->store,
                             err));
    HR_TRY(list_waiting(c, err));
    unsigned threads = job->threads ? job->threads : hr_cores();
    compare->threads =
        c->waiting_count && c->waiting_count < threads ? threads / (unsigned)c->waiting_count : 1;
    hr_progress_start(&c->progress, watch, "compare", c->waiting_count * compare->rows);
    HR_TRY(hr_parallel(c->waiting_count, threads, run_cell, c, err));
    hr_progress_end(&c->progress);
    return HR_OK;
}

/* What asks for the same has the same figures. */
static void fill_twins(hr_compare *compare) {
    for (size_t i = 0; i < compare->cell_count; i++) {
        hr_compare_cell *cell = &compare->cells[i], *twin = &compare->cells[cell->twin];
        if (cell->twin == i || cell->state != HR_CELL_WAITING) continue;
        cell->state = twin->state;
        cell->figures = twin->figures;
        cell->threads = twin->threads;
        if (twin->state == HR_CELL_EMPTY && twin->note) set_note(cell, twin->note);
    }
}

hr_status hr_compare_run(hr_compare *compare, const char *store, const hr_watch *watch,
                         hr_error *err) {
    comparing c = {.compare = compare};
    pthread_mutex_init(&c.lock, NULL);
    hr_status status = run_all(&c, store, watch, err);
    fill_twins(compare);
    hr_compare_rank(compare);
    hr_common_free(&c.common);
    free(c.waiting);
    pthread_mutex_destroy(&c.lock);
    return status;
}

/* ---- The best ---- */

/* Is `a` at least as good as `b`? *better: in one way it is better. */
static bool no_worse(const hr_compare_cell *a, const hr_compare_cell *b, bool *better) {
    const hr_figures *x = &a->figures, *y = &b->figures;
    bool means = isnan(x->ntil);
    if (means != (bool)isnan(y->ntil)) return false; /* losses of two kinds */
    double loss_x = means ? x->sse_sst : x->ntil, loss_y = means ? y->sse_sst : y->ntil;
    *better = a->asked.k > b->asked.k || a->asked.p > b->asked.p || loss_x < loss_y ||
              x->suppressed < y->suppressed || x->violations < y->violations;
    return a->asked.k >= b->asked.k && a->asked.p >= b->asked.p && loss_x <= loss_y &&
           x->suppressed <= y->suppressed && x->violations <= y->violations;
}

void hr_compare_rank(hr_compare *compare) {
    for (size_t i = 0; i < compare->cell_count; i++) {
        hr_compare_cell *cell = &compare->cells[i];
        cell->best = cell->state == HR_CELL_DONE;
        for (size_t j = 0; j < compare->cell_count && cell->best; j++) {
            bool better;
            if (compare->cells[j].state == HR_CELL_DONE &&
                no_worse(&compare->cells[j], cell, &better) && better)
                cell->best = false;
        }
    }
}
