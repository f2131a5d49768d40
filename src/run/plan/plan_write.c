/* plan_write.c - a plan as bytes: job, hierarchies, values and cells. Numbers are stored with the
 * least significant byte first, texts with their length before them, so that the bytes are the
 * same on every machine. */
#include "run/plan/plan.h"

#include "job/job_keys.h"

#include <stdlib.h>
#include <string.h>

static void put(hr_text *out, uint64_t number, int bytes) {
    char digits[8];
    for (int i = 0; i < bytes; i++)
        digits[i] = (char)(number >> (8 * i) & 0xff);
    hr_text_add(out, digits, (size_t)bytes);
}

static void put_double(hr_text *out, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    put(out, bits, 8);
}

static void put_text(hr_text *out, const char *text, size_t length) {
    put(out, length, 4);
    hr_text_add(out, text, length);
}

static void put_string(hr_text *out, const char *text) {
    put_text(out, text, strlen(text));
}

/* The texts by code; null is marked by its code + 1. */
static void put_dictionary(hr_text *out, const hr_dictionary *texts) {
    put(out, texts->count, 4);
    put(out, texts->null, 4);
    for (uint32_t code = 0; code < texts->count; code++)
        put_text(out, hr_dictionary_text(texts, code), hr_dictionary_length(texts, code));
}

/* ---- the job ---- */

/* Is the key written as a setting? Not if it names files, columns or lists, whose contents are
 * written instead. */
static bool is_setting(const hr_setting *setting) {
    const hr_key *key = hr_key_find(setting->name);
    return !key || !(key->traits & (HR_KEY_PATH | HR_KEY_LIST | HR_KEY_FLAG | HR_KEY_FILE));
}

static void put_settings(hr_text *out, const hr_job *job) {
    const hr_setting_list *given = &job->given;
    uint32_t count = 0;
    for (size_t i = 0; i < given->count; i++)
        count += is_setting(&given->items[i]);
    put(out, count, 4);
    for (size_t i = 0; i < given->count; i++) {
        if (!is_setting(&given->items[i])) continue;
        put_string(out, given->items[i].name);
        put_string(out, given->items[i].value);
    }
    put(out, job->input.missing.count, 4);
    for (size_t i = 0; i < job->input.missing.count; i++)
        put_string(out, job->input.missing.texts[i]);
}

/* The tree as a hierarchy file has it: a label for each leaf and level. */
static void put_tree(hr_text *out, const hr_hierarchy *tree) {
    put_string(out, tree->source);
    put_dictionary(out, &tree->labels);
    put(out, tree->leaf_count, 4);
    put(out, tree->level_count, 4);
    for (size_t i = 0; i < (size_t)tree->leaf_count * tree->level_count; i++)
        put(out, tree->level_node[i], 4);
    put(out, tree->level_names != NULL, 1);
    for (uint32_t i = 0; tree->level_names && i < tree->level_count; i++)
        put_string(out, tree->level_names[i]);
}

enum { FLAT = 1, TREE = 2 };

/* The cut points of a number as the run has chosen them; with `every`, each number. */
static void put_cuts(hr_text *out, const hr_quasi *quasi, bool every) {
    uint32_t count = 0;
    if (every && hr_cut_rule_chooses(&quasi->rule)) {
        put(out, quasi->value_count, 4);
        for (uint32_t r = 0; r < quasi->value_count; r++)
            put_double(out, quasi->number[r]);
        return;
    }
    for (uint32_t r = hr_quasi_next_cell(quasi, 0); r < quasi->value_count;
         r = hr_quasi_next_cell(quasi, r))
        count++;
    put(out, count, 4);
    for (uint32_t r = hr_quasi_next_cell(quasi, 0); r < quasi->value_count;
         r = hr_quasi_next_cell(quasi, r))
        put_double(out, quasi->number[r]);
}

/* A level, a list of nodes, or neither. */
static void put_choice(hr_text *out, const hr_node_choice *choice) {
    put(out, choice->level ? 1 : choice->nodes ? 2 : 0, 1);
    if (choice->level) put_string(out, choice->level);
    if (!choice->nodes) return;
    put(out, choice->node_count, 4);
    for (size_t i = 0; i < choice->node_count; i++)
        put_string(out, choice->nodes[i]);
}

/* A text that may be NULL. */
static void put_optional(hr_text *out, const char *text) {
    put(out, text != NULL, 1);
    if (text) put_string(out, text);
}

/* Numbers that may be NULL. */
static void put_numbers(hr_text *out, const double *numbers, size_t count) {
    put(out, numbers != NULL, 1);
    for (size_t i = 0; numbers && i < count; i++)
        put_double(out, numbers[i]);
}

/* `quasi` is that of the run; NULL for other attributes. `every`: see put_cuts. */
static void put_attribute(hr_text *out, const hr_attribute *a, const hr_quasi *quasi,
                          const hr_hierarchy *tree, bool every) {
    bool flat = hr_attribute_built(a) && !a->recipe;
    put_string(out, a->name);
    put(out, a->role, 1);
    const bool traits[] = {a->numeric, a->on_missing_given, a->weight_given};
    unsigned bits = 0;
    for (unsigned i = 0; i < sizeof traits / sizeof *traits; i++)
        bits |= (unsigned)traits[i] << i;
    put(out, bits, 1);
    put(out, a->on_missing, 1);
    put_double(out, a->weight);
    put(out, a->bins, 4);
    put_numbers(out, a->edges, (size_t)a->bins + 1);
    put_numbers(out, a->range, 2);
    put_choice(out, &a->boundary);
    put_choice(out, &a->finest);
    const char *const recoding[] = {a->round, a->bottom, a->top, a->level};
    for (size_t i = 0; i < sizeof recoding / sizeof *recoding; i++)
        put_optional(out, recoding[i]);
    put(out, quasi && quasi->rule.kind, 1);
    if (quasi && quasi->rule.kind) put_cuts(out, quasi, every);
    put(out, flat ? FLAT : tree ? TREE : 0, 1);
    if (tree && !flat) put_tree(out, tree);
}

static void put_attributes(hr_text *out, const hr_job *job, const hr_dataset *dataset) {
    bool every = job->input.counts && job->input.counted == 0; /* a plan for hr_plan_keys alone */
    put(out, job->attribute_count, 4);
    for (size_t i = 0, j = 0; i < job->attribute_count; i++) {
        const hr_attribute *a = &job->attributes[i];
        const hr_recoding *recoding = hr_recoding_find(&dataset->recodings, a->name);
        bool quasi = a->role == HR_ROLE_QUASI;
        put_attribute(out, a, quasi ? &dataset->data.quasi[j] : NULL,
                      quasi      ? dataset->trees[j]
                      : recoding ? recoding->tree
                                 : NULL,
                      every);
        j += quasi;
    }
}

/* ---- the table ---- */

static void put_values(hr_text *out, const hr_microdata *data) {
    put(out, data->quasi_count + data->sensitive_count, 4);
    for (size_t j = 0; j < data->quasi_count; j++) {
        put_string(out, data->quasi[j].name);
        put_dictionary(out, &data->quasi[j].column->dictionary);
    }
    for (size_t l = 0; l < data->sensitive_count; l++) {
        put_string(out, data->sensitive[l].name);
        put_dictionary(out, &data->sensitive[l].column->dictionary);
    }
}

/* The types, each by its values, in the order of their first rows. */
static hr_status put_types(hr_text *out, const hr_microdata *data, hr_error *err) {
    hr_groups types;
    HR_TRY(hr_groups_start(&types, data->rows, err));
    hr_status status = hr_sensitive_split(data->sensitive, data->sensitive_count, &types, err);
    uint32_t known = 0;
    put(out, types.count, 4);
    for (size_t row = 0; status == HR_OK && row < data->rows && known < types.count; row++) {
        if (types.of_row[row] != known) continue;
        for (size_t l = 0; l < data->sensitive_count; l++)
            put(out, hr_sensitive_value(&data->sensitive[l], row), 4);
        known++;
    }
    hr_groups_free(&types);
    return status;
}

typedef struct {
    uint64_t key;
    uint32_t number; /* of the cell in the table */
} keyed_cell;

static int by_key(const void *a, const void *b) {
    uint64_t x = ((const keyed_cell *)a)->key, y = ((const keyed_cell *)b)->key;
    return x < y ? -1 : x > y;
}

/* Computes the keys of all cells; `whole` has all their rows, trimmed ones included. */
static hr_status make_keys(const hr_run *r, const hr_groups *whole, uint64_t salt, uint64_t *keys,
                           keyed_cell *cells) {
    const hr_microdata *data = &r->input.dataset.data;
    HR_TRY(hr_cell_keys(data->quasi, data->quasi_count, whole, !r->choice.count_boundaries, salt,
                        keys, r->err));
    for (uint32_t c = 0; c < whole->count; c++)
        cells[c] = (keyed_cell){keys[c], c};
    return HR_OK;
}

/* Sorts the cells by key; false if two keys are equal. */
static bool sort_keys(keyed_cell *cells, uint32_t count) {
    if (count) qsort(cells, count, sizeof *cells, by_key);
    for (uint32_t i = 1; i < count; i++)
        if (cells[i].key == cells[i - 1].key) return false;
    return true;
}

/* Writes the cells by ascending keys; rows[c]: rows of cell c, trimmed ones included. */
static void put_keyed(hr_text *out, const hr_run *r, const keyed_cell *cells,
                      const uint32_t *rows) {
    for (uint32_t i = 0; i < r->input.cells.count; i++) {
        uint32_t c = cells[i].number;
        put(out, cells[i].key, 8);
        put(out, c, 4);
        put(out, rows[c], 4);
        put(out, r->input.out[c], 1);
        uint32_t released = hr_run_trims_later(r) ? HR_NONE : r->input.cell_facts.size[c];
        put(out, r->input.out[c] ? 0 : released, 4);
    }
}

static hr_status put_cells(hr_text *out, const hr_run *r) {
    const hr_microdata *data = &r->input.dataset.data;
    hr_groups whole;
    HR_TRY(hr_cells(data->quasi, data->quasi_count, data->rows, !r->choice.count_boundaries, &whole,
                    r->err));
    uint64_t salt = 0, in_cells = 0;
    keyed_cell *cells = hr_alloc(whole.count, sizeof *cells, r->err);
    uint64_t *keys = hr_alloc(whole.count, sizeof *keys, r->err);
    uint32_t *rows = hr_alloc(whole.count, sizeof *rows, r->err);
    bool made = cells && keys && rows && make_keys(r, &whole, salt, keys, cells) == HR_OK;
    while (made && !sort_keys(cells, whole.count))
        made = make_keys(r, &whole, ++salt, keys, cells) == HR_OK;
    for (size_t row = 0; made && row < data->rows; row++)
        if (whole.of_row[row] != HR_NONE) {
            uint32_t weight = hr_microdata_weight(data, row);
            rows[whole.of_row[row]] += weight;
            in_cells += weight;
        }
    put(out, hr_microdata_rows(data), 8);
    put(out, hr_microdata_rows(data) - in_cells, 8);
    put(out, salt, 8);
    put(out, whole.count, 4);
    if (made) put_keyed(out, r, cells, rows);
    free(cells);
    free(keys);
    free(rows);
    hr_groups_free(&whole);
    return made ? HR_OK : HR_ENOMEM;
}

/* Cells that are cut, the nodes of their cuts and their parts. */
static void put_cuts_of(hr_text *out, const hr_plan *plan) {
    put(out, plan->cut_count, 4);
    for (size_t i = 0; i < plan->cut_count; i++) {
        put(out, plan->cuts[i].key, 8);
        put(out, plan->cuts[i].root, 4);
    }
    put(out, plan->node_count, 4);
    for (size_t i = 0; i < plan->node_count; i++) {
        const hr_plan_node *node = &plan->nodes[i];
        put(out, node->attribute, 4);
        put(out, node->from, 4);
        put(out, node->low, 4);
        put(out, node->high, 4);
        put(out, node->key, 8);
    }
    put(out, plan->part_count, 4);
    for (size_t i = 0; i < plan->part_count; i++) {
        put(out, plan->parts[i].key, 8);
        put(out, plan->parts[i].rows, 8);
        put(out, plan->parts[i].released, 8);
    }
}

/* Magic, format and hash, and then the body. */
static void put_whole(hr_text *out, const hr_text *body) {
    hr_text_add(out, HR_PLAN_MAGIC, sizeof HR_PLAN_MAGIC - 1);
    put(out, HR_PLAN_FORMAT, 4);
    put(out, hr_hash(body->data, body->length), 8);
    hr_text_add(out, body->data, body->length);
}

hr_status hr_plan_write_cuts(hr_plan *plan, hr_error *err) {
    hr_text body = {0}, whole = {0};
    hr_text_add(&body, plan->bytes.data + HR_PLAN_HEAD, plan->cuts_at - HR_PLAN_HEAD);
    put_cuts_of(&body, plan);
    put_whole(&whole, &body);
    bool failed = body.failed || whole.failed;
    hr_text_free(&body);
    if (failed) {
        hr_text_free(&whole);
        return hr_fail(err, HR_ENOMEM, "out of memory");
    }
    hr_text_free(&plan->bytes);
    plan->bytes = whole;
    return HR_OK;
}

hr_status hr_plan_write(hr_run *r, hr_text *out) {
    hr_text body = {0};
    put_string(&body, HR_VERSION);
    put_settings(&body, r->job);
    put_attributes(&body, r->job, &r->input.dataset);
    put_values(&body, &r->input.dataset.data);
    hr_status status = put_types(&body, &r->input.dataset.data, r->err);
    if (status == HR_OK) status = put_cells(&body, r);
    put_cuts_of(&body, &(hr_plan){0});
    put_whole(out, &body);
    if (status == HR_OK && (body.failed || out->failed))
        status = hr_fail(r->err, HR_ENOMEM, "out of memory");
    hr_text_free(&body);
    return status;
}
