/* ranges.c - codes by their first characters: {ranges: icd10.csv}. A line of the file is a range
 * and what lies above it, `E10-E14;Endocrine and metabolic diseases`, all lines equally long. So
 * `E11.9` becomes `E11`, `E10-E14`, the text of the second column, and so on. */
#include "hierarchy/build/build.h"

#include <stdlib.h>
#include <string.h>

/* A line of the file. The texts are those of its table. */
typedef struct {
    const char *first, *last; /* `length` characters each */
    size_t row;
} code_range;

typedef struct {
    hr_table *table;
    code_range *ranges; /* ascending */
    size_t length;      /* of the ends of all ranges, in bytes */
    const hr_stage *stage;
    hr_error *err;
} range_table;

/* Splits "E10-E14"; "E10" is a range of one code. */
static hr_status read_range(range_table *t, size_t row) {
    const char *text = hr_column_text(&t->table->columns[0], row);
    const char *dash = strchr(text, '-');
    size_t length = dash ? (size_t)(dash - text) : strlen(text);
    if (length == 0 || (dash && strlen(dash + 1) != length))
        return hr_fail(t->err, HR_EDATA,
                       "%s, line %zu: '%s' is not a range of codes that are equally long, such as "
                       "E10-E14",
                       t->stage->path, row + 1, text);
    if (row > 0 && length != t->length)
        return hr_fail(t->err, HR_EDATA,
                       "%s, line %zu: the codes of '%s' are not as long as those of line 1",
                       t->stage->path, row + 1, text);
    t->length = length;
    t->ranges[row] = (code_range){text, dash ? dash + 1 : text, row};
    if (memcmp(t->ranges[row].first, t->ranges[row].last, length) <= 0) return HR_OK;
    return hr_fail(t->err, HR_EDATA, "%s, line %zu: '%s' ends before it begins", t->stage->path,
                   row + 1, text);
}

static int by_first(const void *a, const void *b) {
    return strcmp(((const code_range *)a)->first, ((const code_range *)b)->first);
}

static hr_status read_ranges(range_table *t) {
    size_t rows = t->table->rows;
    t->ranges = hr_alloc(rows, sizeof *t->ranges, t->err);
    if (!t->ranges) return HR_ENOMEM;
    for (size_t row = 0; row < rows; row++)
        HR_TRY(read_range(t, row));
    qsort(t->ranges, rows, sizeof *t->ranges, by_first);
    for (size_t i = 1; i < rows; i++)
        if (memcmp(t->ranges[i].first, t->ranges[i - 1].last, t->length) <= 0)
            return hr_fail(t->err, HR_EDATA, "%s: the ranges of lines %zu and %zu overlap",
                           t->stage->path, t->ranges[i - 1].row + 1, t->ranges[i].row + 1);
    return HR_OK;
}

/* The range of a code, or NULL. */
static const code_range *find_range(const range_table *t, const char *code) {
    size_t low = 0, high = t->table->rows; /* ranges that begin at or before the code */
    if (strlen(code) < t->length) return NULL;
    if (((unsigned char)code[t->length] & 0xc0) == 0x80) return NULL; /* within a character */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(t->ranges[middle].first, code, t->length) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || memcmp(code, t->ranges[low - 1].last, t->length) > 0) return NULL;
    return &t->ranges[low - 1];
}

static hr_status add_first_level(const range_table *t, hr_stage *stage) {
    char name[32];
    hr_level *level;
    snprintf(name, sizeof name, "prefix %zu", t->length);
    HR_TRY(hr_stage_add(stage, name, &level, t->err));
    for (uint32_t i = 0; i < stage->count; i++) {
        if (!find_range(t, stage->text[i]))
            return hr_stage_fail(stage, i, t->err,
                                 "'%s' lies in no range of %s; correct it, or add a line for it",
                                 stage->text[i], stage->path);
        HR_TRY(hr_level_set(level, i, stage->text[i], t->length, t->err));
    }
    return HR_OK;
}

/* The level of a column of the file. */
static hr_status add_level(const range_table *t, size_t column, hr_stage *stage) {
    char name[32] = "range";
    hr_level *level;
    if (column > 0) snprintf(name, sizeof name, "range %zu", column + 1);
    HR_TRY(hr_stage_add(stage, name, &level, t->err));
    for (uint32_t i = 0; i < stage->count; i++) {
        size_t row = find_range(t, stage->text[i])->row;
        const char *label = hr_column_text(&t->table->columns[column], row);
        HR_TRY(hr_level_set(level, i, label, strlen(label), t->err));
    }
    return HR_OK;
}

static hr_status build(const void *plan, hr_stage *stage, hr_error *err) {
    (void)plan;
    range_table t = {.stage = stage, .err = err};
    HR_TRY(hr_stage_read(stage, ';', &t.table, err));
    hr_status status = read_ranges(&t);
    if (status == HR_OK) status = add_first_level(&t, stage);
    for (size_t column = 0; status == HR_OK && column < t.table->column_count; column++)
        status = add_level(&t, column, stage);
    free(t.ranges);
    hr_table_free(t.table);
    return status;
}

const hr_builder hr_builder_ranges = {
    .name = "ranges",
    .title = "Ranges of codes",
    .argument = "FILE",
    .help = "lines `E10-E14;CHAPTER`: E11.9 becomes E11, E10-E14, CHAPTER",
    .takes_file = true,
    .build = build,
};
