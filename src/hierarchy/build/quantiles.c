/* quantiles.c - intervals with about equally many rows each: {quantiles: [8, 4]}. The rows are
 * sorted by value; a value belongs to the part in which its middle row lies, so that equal numbers
 * stay together. A part is labelled with its least and its greatest number. */
#include "hierarchy/build/build.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_MOST = 1000000 };

typedef struct {
    uint64_t *parts;
    size_t count;
} quantile_plan;

static hr_status parse(const hr_spec *map, hr_arena *arena, void **plan, hr_error *err) {
    quantile_plan *p = hr_arena_alloc(arena, 1, sizeof *p, err);
    if (!p) return HR_ENOMEM;
    *plan = p;
    HR_TRY(hr_spec_descending(hr_spec_find(map, "quantiles"), "quantiles", PARTS_MOST,
                              "higher levels have fewer parts", arena, &p->parts, &p->count, err));
    for (size_t i = 1; i < p->count; i++)
        if (p->parts[i - 1] % p->parts[i])
            return hr_fail(err, HR_EINVAL,
                           "quantiles: %llu after %llu: parts would overlap, so each number must "
                           "divide the one before",
                           (unsigned long long)p->parts[i], (unsigned long long)p->parts[i - 1]);
    return HR_OK;
}

typedef struct {
    double number;
    const char *text;
    uint32_t value;
    uint64_t middle; /* twice the number of rows before its middle */
} sorted_value;

/* By number; of several texts for one number the shortest comes first, then the first bytewise. */
static int by_number(const void *a, const void *b) {
    const sorted_value *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    size_t n = strlen(x->text), m = strlen(y->text);
    if (n != m) return n < m ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Sorts the values and finds the middle of the rows of each number. Returns the rows of all. */
static uint64_t sort_values(const hr_stage *stage, sorted_value *sorted) {
    for (uint32_t i = 0; i < stage->count; i++)
        sorted[i] = (sorted_value){.number = stage->key[i], .text = stage->text[i], .value = i};
    qsort(sorted, stage->count, sizeof *sorted, by_number);
    uint64_t before = 0;
    for (uint32_t first = 0, end; first < stage->count; first = end) {
        uint64_t own = 0;
        for (end = first; end < stage->count && sorted[end].number == sorted[first].number; end++)
            own += stage->rows[sorted[end].value];
        for (uint32_t i = first; i < end; i++)
            sorted[i].middle = 2 * before + own;
        before += own;
    }
    return before;
}

static uint64_t part_of(const sorted_value *value, uint64_t parts, uint64_t rows) {
    uint64_t part = rows ? value->middle * parts / (2 * rows) : 0;
    return part < parts ? part : parts - 1; /* values that no row has may come after all rows */
}

static hr_status add_level(hr_stage *stage, const sorted_value *sorted, uint64_t parts,
                           uint64_t rows, hr_text *label, hr_error *err) {
    char name[32];
    hr_level *level;
    snprintf(name, sizeof name, "quantiles %llu", (unsigned long long)parts);
    HR_TRY(hr_stage_add(stage, name, &level, err));
    for (uint32_t first = 0, end; first < stage->count; first = end) {
        uint64_t part = part_of(&sorted[first], parts, rows);
        uint32_t last = first; /* the first text of the greatest number */
        for (end = first; end < stage->count && part_of(&sorted[end], parts, rows) == part; end++)
            if (sorted[end].number != sorted[last].number) last = end;
        if (sorted[last].number == sorted[first].number)
            hr_text_puts(label, sorted[first].text);
        else
            hr_interval_text(sorted[first].text, sorted[last].text, stage->point, label);
        if (label->failed) return hr_fail(err, HR_ENOMEM, "out of memory");
        for (uint32_t i = first; i < end; i++)
            HR_TRY(hr_level_set(level, sorted[i].value, label->data, label->length, err));
        label->length = 0;
    }
    return HR_OK;
}

static hr_status build(const void *plan, hr_stage *stage, hr_error *err) {
    const quantile_plan *p = plan;
    for (uint32_t i = 0; i < stage->count; i++)
        if (strlen(stage->text[i]) > HR_NUMBER_MOST ||
            !hr_parse_number(stage->text[i], stage->point, &stage->key[i]))
            return hr_stage_no_number(stage, i, err);
    sorted_value *sorted = hr_alloc_raw(stage->count, sizeof *sorted, err);
    if (!sorted) return HR_ENOMEM;
    uint64_t rows = sort_values(stage, sorted);
    hr_text label = {0};
    hr_status status = HR_OK;
    for (size_t l = 0; l < p->count && status == HR_OK; l++)
        status = add_level(stage, sorted, p->parts[l], rows, &label, err);
    hr_text_free(&label);
    free(sorted);
    return status;
}

const hr_builder hr_builder_quantiles = {
    .name = "quantiles",
    .title = "Intervals with equally many rows",
    .argument = "[PARTS, PARTS]",
    .help = "parts of the sorted rows, by their least and greatest number: 17..23",
    .counts_rows = true,
    .parse = parse,
    .build = build,
};
