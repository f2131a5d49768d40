/* resolve.c - prints the job as YAML, with everything that is derived from the data written out:
 * trees that builders made or that were given in memory, cut points, edges of bins, ranges of
 * numbers and weights of sensitive attributes. Runs and checks with this job, also on a part of the
 * data, use exactly these. Keys have the order of their table and values one notation, so a
 * resolved job resolves to itself. */
#include "run/pipeline.h"

#include "data/arrow.h"
#include "job/job_keys.h"
#include "job/yaml_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const hr_job *job;
    const hr_dataset *dataset;
    const char *folder; /* paths become relative to it; NULL: they stay as they are */
    bool shown;         /* for a report: see hr_resolved_shown */
    hr_text *out;
    hr_error *err;
} resolver;

/* ---- keys of the job ---- */

static hr_status put_path(const resolver *w, const char *path) {
    if (w->shown) {
        hr_text text = {0};
        hr_address_shown(path, &text);
        hr_yaml_text(text.failed || !text.data ? "" : text.data, w->out);
        w->out->failed |= text.failed;
        hr_text_free(&text);
        return HR_OK;
    }
    char *relative = hr_address_relative(w->folder, path, w->err);
    if (!relative) return HR_ENOMEM;
    hr_yaml_text(relative, w->out);
    free(relative);
    return HR_OK;
}

static void put_key(const resolver *w, const char *name) {
    hr_text_printf(w->out, "%s: ", name);
}

static hr_status put_paths(const resolver *w, const hr_text_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        hr_text_puts(w->out, i > 0 ? ", " : "[");
        HR_TRY(put_path(w, list->texts[i]));
    }
    hr_text_puts(w->out, "]\n");
    return HR_OK;
}

static void put_study(const resolver *w) {
    const hr_job_study *study = &w->job->study;
    for (size_t i = 0; i < study->count; i++) {
        const char *const pair[] = {study->pairs[i].a, study->pairs[i].b};
        hr_text_puts(w->out, i > 0 ? ", " : "[");
        hr_yaml_list(pair, 2, w->out);
    }
    hr_text_puts(w->out, "]\n");
}

static void put_key_sets(const resolver *w) {
    const hr_job_keys *keys = &w->job->keys;
    for (size_t i = 0; i < keys->count; i++) {
        hr_text_puts(w->out, i > 0 ? ", " : "[");
        hr_yaml_list(keys->sets[i].columns, keys->sets[i].count, w->out);
    }
    hr_text_puts(w->out, "]\n");
}

static hr_status put_lists(const resolver *w, const char *name) {
    const hr_text_list *missing = &w->job->input.missing, *reports = &w->job->output.reports;
    if (!strcmp(name, "missing") && (missing->count != 1 || *missing->texts[0])) {
        put_key(w, name);
        hr_yaml_list(missing->texts, missing->count, w->out);
        hr_text_puts(w->out, "\n");
    }
    if (!strcmp(name, "study") && w->job->study.count) {
        put_key(w, name);
        put_study(w);
    }
    if (!strcmp(name, "keys") && w->job->keys.count) {
        put_key(w, name);
        put_key_sets(w);
    }
    if (!strcmp(name, "report") && reports->count) {
        put_key(w, name);
        return put_paths(w, reports);
    }
    return HR_OK;
}

static bool is_model_option(const hr_keyword *keyword) {
    return keyword->option && !keyword->format && !keyword->algorithm;
}

static void put_model(const resolver *w) {
    const char *separator = "model: {";
    hr_keyword keyword;
    for (size_t i = 0; hr_keyword_number(i, &keyword); i++) {
        const char *value = is_model_option(&keyword) ? hr_job_get(w->job, keyword.name) : NULL;
        if (!value) continue;
        hr_text_printf(w->out, "%s%s: ", separator, keyword.name);
        hr_yaml_text(value, w->out);
        separator = ", ";
    }
    hr_text_puts(w->out, "}\n");
}

/* Prints a key of the job. Keys of columns are printed below `attributes`. */
static hr_status put_keyword(const resolver *w, const hr_keyword *keyword) {
    unsigned traits = keyword->key ? keyword->key->traits : 0;
    if (is_model_option(keyword) || traits & HR_KEY_FLAG || !strcmp(keyword->name, "resolved"))
        return HR_OK;
    if (!strcmp(keyword->name, "model")) put_model(w);
    if (traits & HR_KEY_FILE) return HR_OK;
    bool output = traits & HR_KEY_PATH && strcmp(keyword->name, "input") != 0;
    if (w->shown && (output || !strcmp(keyword->name, "threads"))) return HR_OK;
    if (traits & HR_KEY_LIST) return put_lists(w, keyword->name);
    const char *value = hr_job_get(w->job, keyword->name);
    if (!strcmp(keyword->name, "input")) value = w->job->input.path;
    if (!value) return HR_OK;
    put_key(w, keyword->name);
    if (traits & HR_KEY_PATH)
        HR_TRY(put_path(w, value));
    else
        hr_yaml_text(value, w->out);
    hr_text_puts(w->out, "\n");
    return HR_OK;
}

/* ---- columns ---- */

/* Begins the next key of a column: on the same line, or on its own if `block`. */
static void next_key(const resolver *w, bool block, bool *first, const char *name) {
    if (block)
        hr_text_printf(w->out, "\n    %s:%s", name, strcmp(name, "hierarchy") ? " " : "");
    else
        hr_text_printf(w->out, "%s%s: ", *first ? "" : ", ", name);
    *first = false;
}

static void put_number(const resolver *w, double number) {
    static const hr_arrow_type real = {.kind = HR_ARROW_FLOAT, .width = 8};
    char text[HR_ARROW_TEXT_MOST];
    hr_arrow_value_text(&real, &number, text);
    hr_text_puts(w->out, text);
}

static void put_numbers(const resolver *w, const double *numbers, size_t count) {
    hr_text_puts(w->out, "[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) hr_text_puts(w->out, ", ");
        put_number(w, numbers[i]);
    }
    hr_text_puts(w->out, "]");
}

/* Prints the numbers at which cells begin: those in the job, or those chosen from the data. */
static void put_cuts(const resolver *w, const hr_cut_rule *rule, const hr_quasi *quasi) {
    hr_text_puts(w->out, "{cuts: ");
    if (rule->kind == HR_CUTS_GIVEN) {
        put_numbers(w, rule->points, rule->point_count);
    } else {
        const char *separator = "[";
        for (uint32_t r = hr_quasi_next_cell(quasi, 0); r < quasi->value_count;
             r = hr_quasi_next_cell(quasi, r)) {
            hr_text_puts(w->out, separator);
            put_number(w, quasi->number[r]);
            separator = ", ";
        }
        hr_text_puts(w->out, *separator == '[' ? "[]" : "]");
    }
    hr_text_puts(w->out, "}");
}

static void put_choice(const resolver *w, const hr_node_choice *choice) {
    if (choice->nodes) {
        hr_yaml_list(choice->nodes, choice->node_count, w->out);
        return;
    }
    hr_text_puts(w->out, "{level: ");
    hr_yaml_text(choice->level, w->out);
    hr_text_puts(w->out, "}");
}

static const hr_sensitive *sensitive_of(const resolver *w, const hr_attribute *a) {
    const hr_sensitive *found = w->dataset->data.sensitive;
    while (strcmp(found->name, a->name) != 0)
        found++;
    return found;
}

/* Prints the edges of the bins. If all numbers are equal there is one bin; if there are no numbers,
 * prints only how many bins the job asks for. */
static void put_bins(const resolver *w, const hr_attribute *a) {
    const hr_sensitive *bound = sensitive_of(w, a);
    if (w->shown || !(bound->least <= bound->most)) {
        hr_text_printf(w->out, "%u", a->bins);
        return;
    }
    uint32_t bins = bound->least < bound->most || a->edges ? a->bins : 1;
    for (uint32_t b = 0; b <= bins; b++) {
        hr_text_puts(w->out, b > 0 ? ", " : "[");
        put_number(w, hr_sensitive_edge(bound, b, bins));
    }
    hr_text_puts(w->out, "]");
}

/* The tree that is written into the job, if it was built or given in memory; otherwise NULL. */
static const hr_hierarchy *tree_of(const resolver *w, const hr_attribute *a, size_t quasi) {
    if (w->shown || (!a->tree && !hr_attribute_built(a))) return NULL;
    const hr_recoding *recoding = hr_recoding_find(&w->dataset->recodings, a->name);
    if (a->role == HR_ROLE_QUASI) return w->dataset->trees[quasi];
    return recoding ? recoding->tree : NULL;
}

/* Prints the tree in the format of a hierarchy file. */
static hr_status put_tree(const resolver *w, const hr_hierarchy *tree) {
    hr_text lines = {0};
    if (tree->level_names) {
        hr_text_puts(w->out, "\n      levels: ");
        hr_yaml_list((const char *const *)tree->level_names, tree->level_count, w->out);
    }
    for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
        for (uint32_t level = 0; level < tree->level_count; level++) {
            if (level > 0) hr_text_puts(&lines, ";");
            hr_csv_text(&lines, hr_hierarchy_label(tree, hr_hierarchy_node_at(tree, leaf, level)),
                        ';');
        }
        hr_text_puts(&lines, "\n");
    }
    hr_text_puts(w->out, "\n      tree: ");
    if (!lines.failed) hr_yaml_block(lines.data, 8, w->out);
    hr_status status = lines.failed ? hr_fail(w->err, HR_ENOMEM, "out of memory") : HR_OK;
    hr_text_free(&lines);
    return status;
}

static void put_recoding(const resolver *w, const hr_attribute *a, bool block, bool *first) {
    const hr_setting keys[] = {
        {"level", a->level}, {"round", a->round}, {"bottom", a->bottom}, {"top", a->top}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!keys[i].value) continue;
        next_key(w, block, first, keys[i].name);
        hr_yaml_text(keys[i].value, w->out);
    }
}

static void put_demands(const resolver *w, const hr_attribute *a, bool block, bool *first) {
    const char *name;
    hr_text value = {0};
    for (size_t i = 0; hr_demand_at(a, i, &name, &value); i++) {
        if (!value.length) continue;
        next_key(w, block, first, name);
        hr_text_puts(w->out, value.data);
        hr_text_free(&value);
    }
}

static void put_on_missing(const resolver *w, const hr_attribute *a, bool block, bool *first) {
    static const char *const names[] = {
        [HR_MISSING_ERROR] = "error", [HR_MISSING_DROP] = "drop", [HR_MISSING_GROUP] = "group"};
    if (!a->on_missing_given) return;
    next_key(w, block, first, "on_missing");
    hr_text_puts(w->out, names[a->on_missing]);
}

/* The weight of a sensitive attribute; if the job gives no weights, the one that the search
 * uses. */
static double weight_of(const resolver *w, const hr_attribute *a) {
    const hr_microdata *data = &w->dataset->data;
    if (a->weight_given) return a->weight;
    if (a->role != HR_ROLE_SENSITIVE || data->sensitive_count < 2) return 0;
    return hr_sensitive_initial_weight(sensitive_of(w, a));
}

/* Prints the range of a column of numbers, unless it has no numbers. */
static void put_range(const resolver *w, const hr_attribute *a, size_t quasi, bool block,
                      bool *first) {
    if (!a->numeric) return;
    const hr_quasi *bound = &w->dataset->data.quasi[quasi];
    if (!bound->range && bound->value_count == 0) return;
    double own[2] = {hr_quasi_least(bound), 0};
    if (!bound->range) own[1] = bound->number[bound->value_count - 1];
    next_key(w, block, first, "range");
    put_numbers(w, bound->range ? bound->range : own, 2);
}

static void put_simple_keys(const resolver *w, const hr_attribute *a, size_t quasi, bool block,
                            bool *first) {
    if (a->role != HR_ROLE_NONE) {
        next_key(w, block, first, "role");
        hr_text_puts(w->out, hr_role_name(a->role));
    }
    if (a->numeric) {
        next_key(w, block, first, "type");
        hr_text_puts(w->out, "numeric");
    }
    put_range(w, a, quasi, block, first);
    if (a->boundary.cuts.kind) {
        next_key(w, block, first, "boundary");
        put_cuts(w, &a->boundary.cuts, &w->dataset->data.quasi[quasi]);
    }
    if (a->boundary.level || a->boundary.nodes) {
        next_key(w, block, first, "boundary");
        put_choice(w, &a->boundary);
    }
    if (a->finest.level || a->finest.nodes) {
        next_key(w, block, first, "finest");
        put_choice(w, &a->finest);
    }
    put_on_missing(w, a, block, first);
    if (weight_of(w, a) > 0) {
        next_key(w, block, first, "weight");
        put_number(w, weight_of(w, a));
    }
    if (a->bins) {
        next_key(w, block, first, "bins");
        put_bins(w, a);
    }
    put_recoding(w, a, block, first);
    put_demands(w, a, block, first);
}

static hr_status put_attribute(const resolver *w, const hr_attribute *a, size_t quasi) {
    const hr_hierarchy *tree = tree_of(w, a, quasi);
    bool first = true, block = tree != NULL;
    hr_text_puts(w->out, "  ");
    hr_yaml_text(a->name, w->out);
    hr_text_puts(w->out, block ? ":" : ": {");
    put_simple_keys(w, a, quasi, block, &first);
    if (a->hierarchy) next_key(w, block, &first, "hierarchy");
    if (block) return put_tree(w, tree);
    bool made = w->shown && (a->tree || a->recipe);
    bool built = !made && a->recipe && a->role == HR_ROLE_SENSITIVE;
    if (made) hr_yaml_text(a->hierarchy, w->out);
    if (built) hr_text_puts(w->out, a->hierarchy);
    if (!made && !built && a->hierarchy && strcmp(a->hierarchy, "flat") != 0)
        HR_TRY(put_path(w, a->hierarchy));
    if (a->hierarchy && !strcmp(a->hierarchy, "flat")) hr_text_puts(w->out, "flat");
    hr_text_puts(w->out, "}\n");
    return HR_OK;
}

/* ---- the whole ---- */

static hr_status put_job(const resolver *w) {
    const hr_job *job = w->job;
    hr_keyword keyword;
    for (size_t i = 0; hr_keyword_number(i, &keyword); i++)
        HR_TRY(put_keyword(w, &keyword));
    hr_text_puts(w->out, "attributes:\n");
    for (size_t i = 0, j = 0; i < job->attribute_count; i++) {
        HR_TRY(put_attribute(w, &job->attributes[i], j));
        j += job->attributes[i].role == HR_ROLE_QUASI;
    }
    return w->out->failed ? hr_fail(w->err, HR_ENOMEM, "out of memory") : HR_OK;
}

hr_status hr_resolved_text(const hr_job *job, const hr_dataset *dataset, const char *folder,
                           hr_text *out, hr_error *err) {
    hr_text_puts(out,
                 "# This job states everything that hedgerow derived from the data. It contains "
                 "values of the data:\n# it is for the owner, never for release.\n");
    return put_job(
        &(resolver){.job = job, .dataset = dataset, .folder = folder, .out = out, .err = err});
}

hr_status hr_resolved_shown(const hr_job *job, const hr_dataset *dataset, hr_text *out,
                            hr_error *err) {
    return put_job(
        &(resolver){.job = job, .dataset = dataset, .shown = true, .out = out, .err = err});
}

static hr_status resolve(hr_run *r, const char *folder, hr_text *out) {
    HR_TRY(hr_run_start(r));
    HR_TRY(hr_run_prepare(r));
    return hr_resolved_text(r->job, &r->input.dataset, folder, out, r->err);
}

hr_status hr_job_resolve(const hr_job *job, const char *folder, const hr_watch *watch, char **out,
                         hr_error *err) {
    hr_watch own;
    hr_run run;
    hr_text text = {0};
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    HR_TRY(hr_job_check_counts(job, err));
    hr_run_open(&run, job, NULL, &own, err);
    hr_status status = resolve(&run, folder, &text);
    hr_run_close(&run);
    if (status == HR_OK) return hr_text_take(&text, out, err);
    hr_text_free(&text);
    return status;
}
