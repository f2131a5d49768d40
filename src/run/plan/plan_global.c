/* plan_global.c - plans of an algorithm that sees the whole table (incognito). It publishes a value
 * of a quasi-identifier as the same node in every row. So its release is that of `mam` with these
 * nodes as boundaries: the search runs while the plan is made, and the plan is the one of that job,
 * whose cells are the classes. Rows that the search suppressed keep their own values as boundaries:
 * they lie in parts of groups that violate a model, and if the models are closed under supersets
 * these parts violate it, too. */
#include "run/plan/plan.h"

#include <stdlib.h>
#include <string.h>

static hr_status check_models(const hr_run *run) {
    for (size_t i = 0; hr_models[i]; i++)
        if (hr_model_in_play(hr_models[i], &run->asked) && !hr_models[i]->closed_under_superset)
            return hr_fail(run->err, HR_EINVAL,
                           "a plan of %s cannot carry %s: leave it out, use hedge, or run the job "
                           "in one place",
                           run->choice.name, hr_models[i]->options->name);
    return HR_OK;
}

/* ---- published nodes ---- */

/* Marks the nodes that rows are published as; suppressed rows mark their values. published[v]:
 * what value v is published as, or HR_NONE. */
static void mark_nodes(const hr_microdata *data, const hr_partition *partition, size_t j,
                       uint32_t *published, bool *marked) {
    const hr_quasi *quasi = &data->quasi[j];
    memset(published, 0xff, quasi->tree->labels.count * sizeof *published);
    for (size_t row = 0; row < data->rows; row++) {
        uint32_t cluster = partition->cluster[row], value = hr_quasi_value(quasi, row);
        if (cluster == HR_NONE || value == HR_NONE) continue;
        published[value] = partition->values[cluster * partition->quasi_count + j].lo;
        marked[published[value]] = true;
    }
    for (size_t row = 0; row < data->rows; row++) {
        uint32_t value = hr_quasi_value(quasi, row);
        if (value != HR_NONE && published[value] == HR_NONE) marked[value] = true;
    }
}

/* Is the first marked node at or above each value the one that it is published as? */
static bool leads_there(const hr_hierarchy *tree, const uint32_t *published, const bool *marked) {
    for (uint32_t value = 0; value < tree->labels.count; value++) {
        uint32_t up = value;
        if (published[value] == HR_NONE) continue;
        while (!marked[up])
            up = tree->parent[up];
        if (up != published[value]) return false;
    }
    return true;
}

static hr_status draw(const hr_hierarchy *tree, const bool *marked, hr_arena *arena,
                      hr_attribute *out, hr_error *err) {
    size_t count = 0;
    for (uint32_t node = 0; node < tree->labels.count; node++)
        count += marked[node];
    out->boundary = (hr_node_choice){.node_count = count};
    out->boundary.nodes = hr_arena_alloc(arena, count, sizeof *out->boundary.nodes, err);
    if (!out->boundary.nodes) return HR_ENOMEM;
    for (uint32_t node = tree->labels.count; node-- > 0;)
        if (marked[node]) out->boundary.nodes[--count] = hr_dictionary_text(&tree->labels, node);
    return HR_OK;
}

/* Gives an attribute the nodes that it is published as for its boundary. */
static hr_status redraw(hr_run *run, size_t j, hr_arena *arena, hr_attribute *out) {
    const hr_microdata *data = &run->input.dataset.data;
    const hr_hierarchy *tree = data->quasi[j].tree;
    uint32_t *published = hr_alloc_raw(tree->labels.count, sizeof *published, run->err);
    bool *marked = hr_alloc(tree->labels.count, sizeof *marked, run->err);
    hr_status status = published && marked ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        mark_nodes(data, &run->result.partition, j, published, marked);
        status = leads_there(tree, published, marked)
                     ? draw(tree, marked, arena, out, run->err)
                     : hr_fail(run->err, HR_EUNSUP,
                               "column '%s': %s publishes a value and one above it, which a plan "
                               "cannot carry: give the labels of %s one level each",
                               out->name, run->choice.name, tree->source);
    }
    free(published);
    free(marked);
    return status;
}

/* ---- the job of the plan ---- */

static hr_status redraw_all(hr_run *run, hr_arena *arena, hr_job *out) {
    size_t count = out->attribute_count;
    out->attributes = hr_arena_alloc(arena, count, sizeof *out->attributes, run->err);
    if (!out->attributes) return HR_ENOMEM;
    memcpy(out->attributes, run->job->attributes, count * sizeof *out->attributes);
    for (size_t i = 0, j = 0; i < count; i++)
        if (out->attributes[i].role == HR_ROLE_QUASI)
            HR_TRY(redraw(run, j++, arena, &out->attributes[i]));
    return HR_OK;
}

static bool is_of_search(const hr_job *job, const char *name) {
    for (size_t i = 0; i < job->search.settings.count; i++)
        if (!strcmp(job->search.settings.items[i].name, name)) return true;
    return !strcmp(name, "algorithm") || !strcmp(name, "boundaries") || !strcmp(name, "reference");
}

/* The keys of the job, with `mam` for its algorithm. */
static hr_status choose_mam(const hr_job *job, hr_arena *arena, hr_job *out, hr_error *err) {
    out->search.algorithm = "mam";
    out->search.settings = (hr_setting_list){0};
    out->search.reference = false;
    out->boundaries = HR_BOUNDARIES_DEFAULT;
    out->output = (hr_job_output){0};
    out->given = (hr_setting_list){0};
    out->given.items = hr_arena_alloc(arena, job->given.count + 1, sizeof *out->given.items, err);
    if (!out->given.items) return HR_ENOMEM;
    for (size_t i = 0; i < job->given.count; i++)
        if (!is_of_search(job, job->given.items[i].name))
            out->given.items[out->given.count++] = job->given.items[i];
    out->given.items[out->given.count++] = (hr_setting){"algorithm", "mam"};
    return HR_OK;
}

/* The same input is read again, as the job `mam` has it. */
static hr_status write_mam(const hr_job *job, hr_text *out, hr_error *err) {
    hr_run run;
    hr_run_open(&run, job, NULL, NULL, err);
    hr_status status = hr_run_start(&run);
    if (status == HR_OK) status = hr_run_prepare(&run);
    if (status == HR_OK) status = hr_plan_write(&run, out);
    hr_run_close(&run);
    return status;
}

hr_status hr_plan_write_global(hr_run *run, hr_text *out) {
    hr_arena arena = {0};
    hr_job mam = *run->job;
    HR_TRY(check_models(run));
    HR_TRY(hr_run_search(run));
    hr_status status = redraw_all(run, &arena, &mam);
    if (status == HR_OK) status = choose_mam(run->job, &arena, &mam, run->err);
    if (status == HR_OK) status = write_mam(&mam, out, run->err);
    hr_arena_free(&arena);
    return status;
}
