/* build.c - runs a recipe on the values of a column. Each builder gets the labels of the level
 * below it. The labels of all levels form a table like that of a hierarchy file, from which the
 * tree is built. */
#include "hierarchy/build/build.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- stages ---- */

hr_status hr_stage_add(hr_stage *stage, const char *name, hr_level **out, hr_error *err) {
    HR_TRY(hr_grow(&stage->levels, &stage->level_capacity, stage->level_count + 1,
                   sizeof *stage->levels, err));
    hr_level *level = &stage->levels[stage->level_count];
    memset(level, 0, sizeof *level);
    snprintf(level->name, sizeof level->name, "%s", name);
    level->label = hr_alloc(stage->count, sizeof *level->label, err);
    if (!level->label) return HR_ENOMEM;
    stage->level_count++;
    *out = level;
    return HR_OK;
}

hr_status hr_level_set(hr_level *level, uint32_t value, const char *label, size_t length,
                       hr_error *err) {
    return hr_dictionary_intern(&level->labels, label, length, &level->label[value], err);
}

hr_status hr_level_set_text(hr_level *level, uint32_t value, hr_text *label, hr_error *err) {
    if (label->failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    HR_TRY(hr_level_set(level, value, label->length ? label->data : "", label->length, err));
    label->length = 0;
    return HR_OK;
}

hr_status hr_stage_read(const hr_stage *stage, char delimiter, hr_table **out, hr_error *err) {
    *out = NULL;
    if (!stage->files)
        return hr_fail(err, HR_EINVAL, "%s: this hierarchy is made from a file", stage->path);
    return stage->files->read(stage->path, delimiter, stage->files->payload, out, err);
}

/* The first row with the value, from 1; 0: no row has it. */
static size_t first_row(const hr_stage *stage, uint32_t value) {
    for (size_t row = 0; row < stage->column->rows; row++)
        if (hr_column_code(stage->column, row) == stage->code[value]) return row + 1;
    return 0;
}

hr_status hr_stage_fail(const hr_stage *stage, uint32_t value, hr_error *err, const char *format,
                        ...) {
    char message[sizeof err->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (stage->files && stage->files->hide_values)
        snprintf(message, sizeof message,
                 "the hierarchy cannot be built of this value; change it, list it under `missing`, "
                 "or choose another hierarchy");
    return hr_fail(err, HR_EDATA, "row %zu, column '%s': %s", first_row(stage, value),
                   stage->column->name, message);
}

hr_status hr_stage_no_fit(const hr_stage *stage, uint32_t value, const char *wanted,
                          hr_error *err) {
    return hr_stage_fail(stage, value, err,
                         "'%s', which the builder before makes of this value, is not %s: choose "
                         "builders that fit together",
                         stage->text[value], wanted);
}

static void free_levels(hr_level *levels, size_t count) {
    for (size_t i = 0; i < count; i++) {
        hr_dictionary_free(&levels[i].labels);
        free(levels[i].label);
    }
    free(levels);
}

static void free_stage(hr_stage *stage) {
    free(stage->text);
    free(stage->rows);
    free(stage->key);
    free_levels(stage->levels, stage->level_count);
}

/* ---- composition ---- */

typedef struct {
    const hr_recipe *recipe;
    const hr_column *column;
    const hr_build_files *files;
    char point;
    uint32_t *code; /* of each value */
    uint32_t count; /* of values */
    hr_stage first; /* its values are those of the column */
    hr_level *levels;
    size_t level_count, level_capacity; /* all levels, with a label for each value of the column */
    uint32_t *order;                    /* the values in the order of the leaves */
    hr_error *err;
} builder;

static hr_status allocate_stage(hr_stage *stage, const builder *b, uint32_t count) {
    stage->column = b->column;
    stage->files = b->files;
    stage->point = b->point;
    stage->count = count;
    stage->text = hr_alloc(count, sizeof *stage->text, b->err);
    stage->rows = hr_alloc(count, sizeof *stage->rows, b->err);
    stage->key = hr_alloc(count, sizeof *stage->key, b->err);
    if (!stage->text || !stage->rows || !stage->key) return HR_ENOMEM;
    for (uint32_t i = 0; i < count; i++)
        stage->key[i] = NAN;
    return HR_OK;
}

/* The values of the column that are not missing. */
static hr_status list_values(builder *b, const hr_missing *missing) {
    const hr_dictionary *texts = &b->column->dictionary;
    uint64_t *rows = hr_alloc(texts->count, sizeof *rows, b->err);
    b->code = hr_alloc(texts->count, sizeof *b->code, b->err);
    hr_status status = rows && b->code ? HR_OK : HR_ENOMEM;
    if (status == HR_OK) {
        for (size_t row = 0; row < b->column->rows; row++)
            rows[hr_column_code(b->column, row)]++;
        for (uint32_t code = 0; code < texts->count; code++)
            if (!hr_is_missing(missing, texts, code)) b->code[b->count++] = code;
        status = allocate_stage(&b->first, b, b->count);
    }
    if (status == HR_OK) {
        assert(b->first.text && b->first.rows);
        b->first.code = b->code;
        for (uint32_t i = 0; i < b->count; i++) {
            b->first.text[i] = hr_dictionary_text(texts, b->code[i]);
            b->first.rows[i] = rows[b->code[i]];
        }
    }
    free(rows);
    return status;
}

/* Makes the labels of the topmost level the values of `stage`. The caller frees *code. */
static hr_status list_labels(const builder *b, hr_stage *stage, uint32_t **code) {
    const hr_level *top = &b->levels[b->level_count - 1];
    HR_TRY(allocate_stage(stage, b, top->labels.count));
    *code = hr_alloc(stage->count, sizeof **code, b->err);
    if (!*code) return HR_ENOMEM;
    stage->code = *code;
    stage->on_labels = true;
    for (uint32_t i = 0; i < b->count; i++) {
        stage->rows[top->label[i]] += b->first.rows[i];
        (*code)[top->label[i]] = b->code[i];
    }
    for (uint32_t i = 0; i < stage->count; i++)
        stage->text[i] = hr_dictionary_text(&top->labels, i);
    return HR_OK;
}

/* Moves the levels of a finished stage to the builder. */
static hr_status take_levels(builder *b, hr_stage *stage) {
    size_t base = b->level_count;
    HR_TRY(hr_grow(&b->levels, &b->level_capacity, base + stage->level_count, sizeof *b->levels,
                   b->err));
    for (size_t l = 0; l < stage->level_count; l++) {
        hr_level *level = &stage->levels[l];
        if (stage->on_labels) {
            uint32_t *label = hr_alloc_raw(b->count, sizeof *label, b->err);
            if (!label) return HR_ENOMEM;
            for (uint32_t i = 0; i < b->count; i++)
                label[i] = level->label[b->levels[base - 1].label[i]];
            free(level->label);
            level->label = label;
        }
        b->levels[b->level_count++] = *level;
        memset(level, 0, sizeof *level);
    }
    return HR_OK;
}

static hr_status run_step(builder *b, const hr_recipe_step *step, hr_stage *stage) {
    stage->path = step->path;
    HR_TRY(step->builder->build(step->plan, stage, b->err));
    return take_levels(b, stage);
}

static hr_status run_steps(builder *b) {
    HR_TRY(run_step(b, &b->recipe->steps[0], &b->first));
    for (size_t i = 1; i < b->recipe->count; i++) {
        hr_stage stage = {0};
        uint32_t *code = NULL;
        hr_status status = list_labels(b, &stage, &code);
        if (status == HR_OK) status = run_step(b, &b->recipe->steps[i], &stage);
        free_stage(&stage);
        free(code);
        HR_TRY(status);
    }
    return HR_OK;
}

/* ---- the order of the leaves ---- */

typedef struct {
    double key;
    const char *text;
    uint32_t value;
} ordered_value;

static int by_key_and_text(const void *a, const void *b) {
    const ordered_value *x = a, *y = b;
    if (x->key < y->key) return -1;
    if (x->key > y->key) return 1;
    return strcmp(x->text, y->text); /* also if the keys are NaN */
}

static hr_status order_values(builder *b) {
    ordered_value *values = hr_alloc_raw(b->count, sizeof *values, b->err);
    b->order = hr_alloc_raw(b->count, sizeof *b->order, b->err);
    bool allocated = values && b->order;
    if (allocated) {
        for (uint32_t i = 0; i < b->count; i++)
            values[i] = (ordered_value){b->first.key[i], b->first.text[i], i};
        qsort(values, b->count, sizeof *values, by_key_and_text);
        for (uint32_t i = 0; i < b->count; i++)
            b->order[i] = values[i].value;
    }
    free(values);
    return allocated ? HR_OK : HR_ENOMEM;
}

/* ---- the tree ---- */

/* Is every label of the topmost level the root? Then it is not added again. */
static bool ends_in_root(const builder *b) {
    const hr_dictionary *labels = &b->levels[b->level_count - 1].labels;
    return labels->count == 1 && !strcmp(hr_dictionary_text(labels, 0), "*");
}

static hr_status fill_column(const builder *b, size_t level, hr_column *column) {
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t value = b->order[i];
        const char *text = "*";
        if (level == 0)
            text = b->first.text[value];
        else if (level <= b->level_count)
            text =
                hr_dictionary_text(&b->levels[level - 1].labels, b->levels[level - 1].label[value]);
        HR_TRY(hr_column_append_text(column, text, strlen(text), b->err));
    }
    if (b->count == 0) return hr_column_append_text(column, "*", 1, b->err); /* the root alone */
    return HR_OK;
}

/* One row per value and one column per level, as in a hierarchy file. */
static hr_status make_table(const builder *b, hr_table **out) {
    size_t columns = b->level_count + 1 + !(b->count && ends_in_root(b));
    char(*names)[24] = hr_alloc(columns, sizeof *names, b->err);
    const char **pointers = hr_alloc(columns, sizeof *pointers, b->err);
    hr_status status = names && pointers ? HR_OK : HR_ENOMEM;
    for (size_t i = 0; i < columns && status == HR_OK; i++) {
        snprintf(names[i], sizeof *names, "%zu", i);
        pointers[i] = names[i];
    }
    if (status == HR_OK) status = hr_table_new(columns, (const char *const *)pointers, out, b->err);
    for (size_t i = 0; i < columns && status == HR_OK; i++)
        status = fill_column(b, i, &(*out)->columns[i]);
    if (status == HR_OK) (*out)->rows = b->count ? b->count : 1;
    free(names);
    free(pointers);
    return status;
}

/* Fails because of a text that is there twice in a row, with another between. */
static hr_status own_ancestor(const builder *b, const hr_table *table, size_t row) {
    for (size_t l = 0; l + 2 < table->column_count; l++) {
        const char *text = hr_column_text(&table->columns[l], row);
        if (!strcmp(text, hr_column_text(&table->columns[l + 1], row))) continue;
        for (size_t up = l + 2; up < table->column_count; up++)
            if (!strcmp(text, hr_column_text(&table->columns[up], row)))
                return hr_fail(b->err, HR_EDATA,
                               "column '%s': in %s the text '%s' would be two nodes, one above the "
                               "other; change the values, or choose other levels",
                               b->column->name, b->recipe->text, text);
    }
    return HR_OK;
}

/* Finds the text that would be the label of two nodes, after hr_hierarchy_build has refused it. */
static hr_status two_meanings(const builder *b, const hr_table *table) {
    if (b->files && b->files->hide_values)
        return hr_fail(b->err, HR_EDATA,
                       "column '%s': in %s a text would be two nodes; choose other levels",
                       b->column->name, b->recipe->text);
    hr_dictionary labels = {0}, above = {0}; /* above: the parent of each label, by code */
    size_t capacity = 0;
    uint32_t *parent = NULL, node, up;
    hr_status status = HR_OK;
    for (size_t row = 0; row < table->rows && status == HR_OK; row++) {
        status = own_ancestor(b, table, row);
        for (size_t l = 0; l + 1 < table->column_count && status == HR_OK; l++) {
            const char *text = hr_column_text(&table->columns[l], row);
            const char *next = hr_column_text(&table->columns[l + 1], row);
            uint32_t known = labels.count;
            if (!strcmp(text, next)) continue;
            status = hr_dictionary_intern(&labels, text, strlen(text), &node, b->err);
            if (status == HR_OK)
                status = hr_dictionary_intern(&above, next, strlen(next), &up, b->err);
            if (status == HR_OK)
                status = hr_grow(&parent, &capacity, labels.count, sizeof *parent, b->err);
            if (status != HR_OK) break;
            if (node == known) parent[node] = up;
            if (parent[node] != up)
                status = hr_fail(b->err, HR_EDATA,
                                 "column '%s': in %s the text '%s' would be two nodes, one below "
                                 "'%s' and one below '%s'; change the values, or choose other "
                                 "levels",
                                 b->column->name, b->recipe->text, text,
                                 hr_dictionary_text(&above, parent[node]), next);
        }
    }
    free(parent);
    hr_dictionary_free(&labels);
    hr_dictionary_free(&above);
    if (status != HR_OK) return status;
    return hr_fail_prefix(b->err, HR_EDATA, "column '%s'", b->column->name);
}

static hr_status name_levels(const builder *b, hr_hierarchy *tree) {
    const char **names = hr_alloc(tree->level_count, sizeof *names, b->err);
    if (!names) return HR_ENOMEM;
    names[0] = "value";
    for (uint32_t i = 1; i + 1 < tree->level_count; i++)
        names[i] = b->levels[i - 1].name;
    names[tree->level_count - 1] = "root";
    hr_status status = hr_hierarchy_name_levels(tree, (const char *const *)names, b->err);
    free(names);
    return status;
}

static hr_status make_tree(const builder *b, hr_hierarchy **out) {
    hr_table *table = NULL;
    hr_status status = make_table(b, &table);
    if (status == HR_OK) {
        status = hr_hierarchy_build(table, b->recipe->text, out, b->err);
        if (status == HR_EDATA) status = two_meanings(b, table);
    }
    if (status == HR_OK) status = name_levels(b, *out);
    hr_table_free(table);
    return status;
}

hr_status hr_recipe_build(const hr_recipe *recipe, const hr_column *column,
                          const hr_missing *missing, char point, const hr_build_files *files,
                          hr_hierarchy **out, hr_error *err) {
    builder b = {.recipe = recipe, .column = column, .files = files, .point = point, .err = err};
    *out = NULL;
    hr_status status = list_values(&b, missing);
    if (status == HR_OK) status = run_steps(&b);
    if (status == HR_OK) status = order_values(&b);
    if (status == HR_OK) status = make_tree(&b, out);
    if (status != HR_OK) {
        hr_hierarchy_free(*out);
        *out = NULL;
    }
    free(b.code);
    free(b.order);
    free_stage(&b.first);
    free_levels(b.levels, b.level_count);
    return status;
}
