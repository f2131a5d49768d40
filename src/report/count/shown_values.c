/* shown_values.c - the groups in which rows are counted for people to read: as precise as possible
 * with at most HR_SHOWN_MOST groups. They do not depend on boundaries, so figures for different
 * boundaries can be compared. */
#include "report/count/count.h"

#include <stdlib.h>
#include <string.h>

/* Counts the rows of each value; at [value_count] those that are dropped for a missing value. */
static hr_status count_values(const hr_quasi *quasi, uint64_t **out, hr_error *err) {
    *out = hr_alloc((size_t)quasi->value_count + 1, sizeof **out, err);
    if (!*out) return HR_ENOMEM;
    for (size_t row = 0; row < quasi->column->rows; row++) {
        uint32_t value = hr_quasi_value(quasi, row);
        (*out)[value == HR_NONE ? quasi->value_count : value]++;
    }
    return HR_OK;
}

static hr_status add_text(hr_shown_values *out, const hr_quasi *quasi, hr_span value,
                          hr_error *err) {
    hr_text text = {0};
    hr_text_puts(&text, "");
    hr_quasi_text(quasi, value, &text);
    return hr_text_take(&text, &out->texts[out->count++], err);
}

/* ---- trees ---- */

static uint32_t node_of(const uint32_t *group, uint32_t value) {
    return group ? group[value] : value;
}

/* Numbers the nodes group[value] of the values that occur: number[node] is HR_NONE or the number of
 * its group. Returns how many there are; HR_SHOWN_MOST + 1: too many. `number` has room for all
 * nodes. */
static uint32_t number_nodes(const hr_quasi *quasi, const uint64_t *rows, const uint32_t *group,
                             uint32_t *number) {
    uint32_t count = 0;
    memset(number, 0xff, quasi->value_count * sizeof *number);
    for (uint32_t value = 0; value < quasi->value_count && count <= HR_SHOWN_MOST; value++) {
        uint32_t node = node_of(group, value);
        if (rows[value] && number[node] == HR_NONE) number[node] = count++;
    }
    return count;
}

/* Names the first `count` groups, whose nodes are numbered by number[node]. */
static hr_status name_nodes(const hr_quasi *quasi, const uint32_t *number, uint32_t count,
                            hr_shown_values *out, hr_error *err) {
    while (out->count < count) {
        uint32_t node = 0;
        while (number[node] != out->count)
            node++;
        HR_TRY(add_text(out, quasi, (hr_span){node, node}, err));
    }
    return HR_OK;
}

typedef struct {
    uint64_t rows;
    uint32_t node, order; /* of the tree */
} ranked_node;

static int most_first(const void *a, const void *b) {
    const ranked_node *x = a, *y = b;
    if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* The nodes group[value] that have rows, the most frequent first. */
static hr_status rank_nodes(const hr_quasi *quasi, const uint64_t *rows, const uint32_t *group,
                            ranked_node **out, uint32_t *count, hr_error *err) {
    ranked_node *nodes = hr_alloc(quasi->value_count, sizeof *nodes, err);
    *out = nodes;
    if (!nodes) return HR_ENOMEM;
    for (uint32_t value = 0; value < quasi->value_count; value++)
        nodes[node_of(group, value)].rows += rows[value];
    for (uint32_t node = 0; node < quasi->value_count; node++)
        if (nodes[node].rows)
            nodes[(*count)++] = (ranked_node){nodes[node].rows, node, quasi->tree->order[node]};
    qsort(nodes, *count, sizeof *nodes, most_first);
    return HR_OK;
}

/* Gives the most frequent nodes a group each, and all others the last group. */
static hr_status group_frequent(const hr_quasi *quasi, const uint64_t *rows, const uint32_t *group,
                                uint32_t *number, hr_shown_values *out, hr_error *err) {
    enum { NAMED = HR_SHOWN_MOST - 1 };
    ranked_node *nodes;
    uint32_t count = 0;
    HR_TRY(rank_nodes(quasi, rows, group, &nodes, &count, err));
    memset(number, 0xff, quasi->value_count * sizeof *number);
    for (uint32_t i = 0; i < count; i++)
        number[nodes[i].node] = i < NAMED ? i : NAMED;
    free(nodes);
    HR_TRY(name_nodes(quasi, number, NAMED, out, err));
    out->has_others = true;
    hr_text text = {0};
    hr_text_puts(&text, "(");
    hr_number_text(count - NAMED, 0, &text);
    hr_text_puts(&text, " others)");
    return hr_text_take(&text, &out->texts[out->count++], err);
}

/* Finds the lowest level with at most HR_SHOWN_MOST nodes that occur, skipping levels that lie
 * below `finest` for some leaf. *group: its node of each value; *below: that of the level before;
 * NULL: the values themselves. *count: the nodes that occur. */
static hr_status find_level(const hr_quasi *quasi, const uint64_t *rows, uint32_t *number,
                            uint32_t **group, uint32_t **below, uint32_t *count, hr_error *err) {
    *count = number_nodes(quasi, rows, NULL, number);
    for (uint32_t level = 0; *count > HR_SHOWN_MOST; level++) {
        uint32_t *magval;
        HR_TRY(hr_boundary_level(quasi->tree, level, &magval, err));
        if (quasi->finest && hr_finest_check(quasi->tree, quasi->finest, magval, NULL) != HR_OK) {
            free(magval);
            continue;
        }
        free(*below);
        *below = *group;
        *group = magval;
        *count = number_nodes(quasi, rows, magval, number);
    }
    return HR_OK;
}

/* Groups by the nodes of a level. If that level has fewer than FEW nodes, which would hide nearly
 * everything, the most frequent nodes of the level below it are groups instead. */
static hr_status group_tree(const hr_quasi *quasi, const uint64_t *rows, uint32_t *number,
                            hr_shown_values *out, hr_error *err) {
    enum { FEW = 3 };
    uint32_t *group = NULL, *below = NULL, count = 0;
    hr_status status = find_level(quasi, rows, number, &group, &below, &count, err);
    bool frequent = group && count < FEW;
    if (status == HR_OK)
        status = frequent ? group_frequent(quasi, rows, below, number, out, err)
                          : name_nodes(quasi, number, count, out, err);
    for (uint32_t value = 0; value < quasi->value_count && status == HR_OK; value++)
        out->of_value[value] = number[node_of(frequent ? below : group, value)];
    free(group);
    free(below);
    return status;
}

/* ---- numbers ---- */

/* Groups the numbers that occur into intervals of about equally many rows. */
static hr_status group_numbers(const hr_quasi *quasi, const uint64_t *rows, hr_shown_values *out,
                               hr_error *err) {
    uint64_t total = 0, before = 0;
    uint32_t occur = 0;
    for (uint32_t value = 0; value < quasi->value_count; value++) {
        total += rows[value];
        occur += rows[value] > 0;
    }
    hr_span group = {HR_NONE, HR_NONE};
    for (uint32_t value = 0; value < quasi->value_count; value++) {
        out->of_value[value] = rows[value] ? out->count : HR_NONE;
        if (!rows[value]) continue;
        if (group.lo == HR_NONE) group.lo = value;
        group.hi = value;
        before += rows[value];
        if (occur > HR_SHOWN_MOST && before < total * (out->count + UINT64_C(1)) / HR_SHOWN_MOST)
            continue;
        HR_TRY(add_text(out, quasi, group, err));
        group.lo = HR_NONE;
    }
    return HR_OK;
}

/* ---- all ---- */

static hr_status make(const hr_quasi *quasi, const uint64_t *rows, hr_shown_values *out,
                      hr_error *err) {
    out->of_value = hr_alloc_raw(quasi->value_count, sizeof *out->of_value, err);
    out->texts = hr_alloc(HR_SHOWN_MOST + 1, sizeof *out->texts, err);
    out->rows = hr_alloc(HR_SHOWN_MOST + 2, sizeof *out->rows, err);
    if (!out->of_value || !out->texts || !out->rows) return HR_ENOMEM;
    if (quasi->tree) {
        uint32_t *number = hr_alloc_raw(quasi->value_count, sizeof *number, err);
        hr_status status = number ? group_tree(quasi, rows, number, out, err) : HR_ENOMEM;
        free(number);
        HR_TRY(status);
    } else {
        HR_TRY(group_numbers(quasi, rows, out, err));
    }
    for (uint32_t value = 0; value < quasi->value_count; value++)
        if (rows[value]) out->rows[out->of_value[value]] += rows[value];
    out->rows[out->count] = rows[quasi->value_count];
    return HR_OK;
}

hr_status hr_shown_values_make(const hr_quasi *quasi, hr_shown_values *out, hr_error *err) {
    uint64_t *rows;
    *out = (hr_shown_values){0};
    HR_TRY(count_values(quasi, &rows, err));
    hr_status status = make(quasi, rows, out, err);
    free(rows);
    if (status != HR_OK) hr_shown_values_free(out);
    return status;
}

void hr_shown_values_free(hr_shown_values *shown) {
    for (uint32_t g = 0; shown->texts && g < shown->count; g++)
        free(shown->texts[g]);
    free(shown->texts);
    free(shown->of_value);
    free(shown->rows);
    *shown = (hr_shown_values){0};
}

hr_status hr_shown_values_all(const hr_microdata *data, hr_shown_values **out, hr_error *err) {
    *out = hr_alloc(data->quasi_count, sizeof **out, err);
    if (!*out) return HR_ENOMEM;
    for (size_t j = 0; j < data->quasi_count; j++) {
        hr_status status = hr_shown_values_make(&data->quasi[j], &(*out)[j], err);
        if (status == HR_OK) continue;
        hr_shown_values_free_all(*out, j);
        *out = NULL;
        return status;
    }
    return HR_OK;
}

void hr_shown_values_free_all(hr_shown_values *shown, size_t count) {
    for (size_t j = 0; shown && j < count; j++)
        hr_shown_values_free(&shown[j]);
    free(shown);
}
