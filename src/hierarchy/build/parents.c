/* parents.c - a table of two columns, child and parent: {parents: regions.csv}. A parent may be the
 * child of another line; the first level has the parents of the values, the next their parents. A
 * value whose chain is shorter keeps its last label on the higher levels. */
#include "hierarchy/build/build.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_MOST = 60 };

/* The labels of the file and the parent of each. */
typedef struct {
    hr_dictionary labels;
    uint32_t *parent; /* HR_NONE: the label is no child */
    size_t capacity;
    const char *path;
    const hr_stage *stage;
    hr_error *err;
} parent_table;

static hr_status add_label(parent_table *t, const char *text, uint32_t *out) {
    uint32_t known = t->labels.count;
    HR_TRY(hr_dictionary_intern(&t->labels, text, strlen(text), out, t->err));
    HR_TRY(hr_grow(&t->parent, &t->capacity, t->labels.count, sizeof *t->parent, t->err));
    if (*out == known) t->parent[known] = HR_NONE;
    return HR_OK;
}

static hr_status add_lines(parent_table *t, const hr_table *table) {
    if (table->column_count != 2)
        return hr_fail(t->err, HR_EDATA,
                       "%s has %zu column%s: a table of parents has two, child and parent", t->path,
                       table->column_count, table->column_count == 1 ? "" : "s");
    for (size_t row = 0; row < table->rows; row++) {
        const char *parent = hr_column_text(&table->columns[1], row);
        uint32_t child, above;
        HR_TRY(add_label(t, hr_column_text(&table->columns[0], row), &child));
        HR_TRY(add_label(t, parent, &above));
        if (!*parent)
            return hr_fail(t->err, HR_EDATA, "%s, line %zu: '%s' has no parent", t->path, row + 1,
                           hr_dictionary_text(&t->labels, child));
        if (child == above) continue; /* the top of a chain, as some tables have it */
        if (t->parent[child] != HR_NONE && t->parent[child] != above)
            return hr_fail(t->err, HR_EDATA,
                           "%s, line %zu: '%s' has two parents, '%s' here and '%s' before; keep "
                           "one of them",
                           t->path, row + 1, hr_dictionary_text(&t->labels, child), parent,
                           hr_dictionary_text(&t->labels, t->parent[child]));
        t->parent[child] = above;
    }
    return HR_OK;
}

static hr_status no_parent(const parent_table *t, uint32_t value) {
    const char *text = t->stage->text[value];
    const char *nearest = hr_dictionary_nearest(&t->labels, text);
    if (nearest)
        return hr_stage_fail(t->stage, value, t->err,
                             "'%s' has no parent in %s (did you mean '%s'?)", text, t->path,
                             nearest);
    return hr_stage_fail(t->stage, value, t->err, "'%s' has no parent in %s; add a line for it",
                         text, t->path);
}

/* Stores the steps from the label to the top of its chain; a cycle has no top. */
static hr_status count_steps(const parent_table *t, uint32_t label, size_t *out) {
    assert(t->parent && label < t->labels.count);
    *out = 0;
    for (uint32_t at = label; t->parent[at] != HR_NONE; at = t->parent[at])
        if (++*out > STEPS_MOST)
            return hr_fail(t->err, HR_EDATA,
                           "%s: '%s' has more than %d ancestors: is it its own ancestor?", t->path,
                           hr_dictionary_text(&t->labels, label), STEPS_MOST);
    return HR_OK;
}

/* Finds the values in the table; *steps becomes the length of the longest chain. */
static hr_status find_values(const parent_table *t, uint32_t *at, size_t *steps) {
    *steps = 1;
    for (uint32_t i = 0; i < t->stage->count; i++) {
        const char *text = t->stage->text[i];
        size_t own = 0;
        at[i] = hr_dictionary_find(&t->labels, text, strlen(text));
        if (at[i] == HR_NONE) return no_parent(t, i);
        HR_TRY(count_steps(t, at[i], &own));
        if (own > *steps) *steps = own;
    }
    return HR_OK;
}

/* Moves every value one step up. */
static hr_status add_level(const parent_table *t, size_t number, uint32_t *at, hr_stage *stage) {
    char name[32];
    hr_level *level;
    snprintf(name, sizeof name, "parents %zu", number);
    HR_TRY(hr_stage_add(stage, name, &level, t->err));
    for (uint32_t i = 0; i < stage->count; i++) {
        assert(t->parent);
        if (t->parent[at[i]] != HR_NONE) at[i] = t->parent[at[i]];
        HR_TRY(hr_level_set(level, i, hr_dictionary_text(&t->labels, at[i]),
                            hr_dictionary_length(&t->labels, at[i]), t->err));
    }
    return HR_OK;
}

static hr_status build(const void *plan, hr_stage *stage, hr_error *err) {
    (void)plan;
    parent_table t = {.path = stage->path, .stage = stage, .err = err};
    hr_table *table;
    size_t steps;
    HR_TRY(hr_stage_read(stage, 0, &table, err));
    uint32_t *at = hr_alloc(stage->count, sizeof *at, err);
    hr_status status = at ? add_lines(&t, table) : HR_ENOMEM;
    hr_table_free(table);
    if (status == HR_OK) status = find_values(&t, at, &steps);
    for (size_t l = 1; status == HR_OK && l <= steps; l++)
        status = add_level(&t, l, at, stage);
    free(at);
    free(t.parent);
    hr_dictionary_free(&t.labels);
    return status;
}

const hr_builder hr_builder_parents = {
    .name = "parents",
    .title = "A table of parents",
    .argument = "FILE",
    .help = "two columns, child and parent, for as many steps up as the file has",
    .takes_file = true,
    .build = build,
};
