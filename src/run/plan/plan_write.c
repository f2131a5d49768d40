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

/* Keys that name files, columns or lists are not settings: the plan has their contents. */
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

/* A level, a list of nodes, or neither. */
static void put_choice(hr_text *out, const hr_node_choice *choice) {
    put(out, choice->level ? 1 : choice->nodes ? 2 : 0, 1);
    if (choice->level) put_string(out, choice->level);
    if (!choice->nodes) return;
    put(out, choice->node_count, 4);
    for (size_t i = 0; i < choice->node_count; i++)
        put_string(out, choice->nodes[i]);
}

static void put_attribute(hr_text *out, const hr_attribute *a, const hr_hierarchy *tree) {
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
    put_choice(out, &a->boundary);
    put_choice(out, &a->finest);
    put(out, flat ? FLAT : tree ? TREE : 0, 1);
    if (tree && !flat) put_tree(out, tree);
}

static void put_attributes(hr_text *out, const hr_job *job, const hr_dataset *dataset) {
    put(out, job->attribute_count, 4);
    for (size_t i = 0, j = 0; i < job->attribute_count; i++) {
        bool quasi = job->attributes[i].role == HR_ROLE_QUASI;
        put_attribute(out, &job->attributes[i], quasi ? dataset->trees[j++] : NULL);
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

/* Computes the keys of all cells, which have all their rows, from their first rows. */
static void make_keys(const hr_run *r, const hr_groups *whole, uint64_t salt, uint32_t *values,
                      keyed_cell *cells) {
    const hr_microdata *data = &r->input.dataset.data;
    uint32_t known = 0;
    for (size_t row = 0; row < data->rows && known < whole->count; row++) {
        if (whole->of_row[row] != known) continue; /* cells are numbered by first row */
        for (size_t j = 0; j < data->quasi_count; j++)
            values[j] = hr_quasi_value(&data->quasi[j], row);
        cells[known] =
            (keyed_cell){hr_plan_key(data, values, r->choice.count_boundaries, salt), known};
        known++;
    }
}

/* Sorts the cells by key; false if two keys are equal. */
static bool sort_keys(keyed_cell *cells, uint32_t count) {
    qsort(cells, count, sizeof *cells, by_key);
    for (uint32_t i = 1; i < count; i++)
        if (cells[i].key == cells[i - 1].key) return false;
    return true;
}

/* Writes the cells by ascending keys; rows[c]: rows of cell c, also those that are trimmed. */
static void put_keyed(hr_text *out, const hr_run *r, const keyed_cell *cells,
                      const uint32_t *rows) {
    for (uint32_t i = 0; i < r->input.cells.count; i++) {
        uint32_t c = cells[i].number;
        put(out, cells[i].key, 8);
        put(out, c, 4);
        put(out, rows[c], 4);
        put(out, r->input.out[c], 1);
        put(out, r->input.out[c] ? 0 : r->input.cell_facts.size[c], 4);
    }
}

static hr_status put_cells(hr_text *out, const hr_run *r) {
    const hr_microdata *data = &r->input.dataset.data;
    hr_groups whole;
    HR_TRY(hr_cells(data->quasi, data->quasi_count, data->rows, !r->choice.count_boundaries, &whole,
                    r->err));
    uint64_t salt = 0, in_cells = 0;
    keyed_cell *cells = hr_alloc(whole.count, sizeof *cells, r->err);
    uint32_t *values = hr_alloc(data->quasi_count, sizeof *values, r->err);
    uint32_t *rows = hr_alloc(whole.count, sizeof *rows, r->err);
    bool made = cells && values && rows;
    if (made) make_keys(r, &whole, salt, values, cells);
    while (made && !sort_keys(cells, whole.count))
        make_keys(r, &whole, ++salt, values, cells);
    for (size_t row = 0; made && row < data->rows; row++)
        if (whole.of_row[row] != HR_NONE) {
            rows[whole.of_row[row]]++;
            in_cells++;
        }
    put(out, data->rows, 8);
    put(out, data->rows - in_cells, 8);
    put(out, salt, 8);
    put(out, whole.count, 4);
    if (made) put_keyed(out, r, cells, rows);
    free(cells);
    free(values);
    free(rows);
    hr_groups_free(&whole);
    return made ? HR_OK : HR_ENOMEM;
}

hr_status hr_plan_write(hr_run *r, hr_text *out) {
    hr_text body = {0};
    put_string(&body, HR_VERSION);
    put_settings(&body, r->job);
    put_attributes(&body, r->job, &r->input.dataset);
    put_values(&body, &r->input.dataset.data);
    hr_status status = put_types(&body, &r->input.dataset.data, r->err);
    if (status == HR_OK) status = put_cells(&body, r);
    hr_text_add(out, HR_PLAN_MAGIC, sizeof HR_PLAN_MAGIC - 1);
    put(out, HR_PLAN_FORMAT, 4);
    put(out, hr_hash(body.data, body.length), 8);
    hr_text_add(out, body.data, body.length);
    if (status == HR_OK && (body.failed || out->failed))
        status = hr_fail(r->err, HR_ENOMEM, "out of memory");
    hr_text_free(&body);
    return status;
}
