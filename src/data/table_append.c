/* table_append.c - rows of one table appended to another: codes are translated from dictionary to
 * dictionary, text by text, not row by row. */
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

static hr_status check_names(const hr_table *table, const hr_table *other, hr_error *err) {
    if (table->column_count != other->column_count)
        return hr_fail(err, HR_EINVAL, "a table of %zu columns cannot take the rows of one of %zu",
                       table->column_count, other->column_count);
    for (size_t i = 0; i < table->column_count; i++)
        if (strcmp(table->columns[i].name, other->columns[i].name))
            return hr_fail(err, HR_EINVAL, "column %zu is '%s' in one table and '%s' in the other",
                           i + 1, table->columns[i].name, other->columns[i].name);
    if (other->rows >= HR_NONE - 1 - table->rows)
        return hr_fail(err, HR_EDATA, "a table holds at most 4 billion rows");
    return HR_OK;
}

/* map[code of `from`]: code of `to`, for codes that some row has. */
static hr_status translate(const hr_column *from, hr_column *to, uint32_t *map, hr_error *err) {
    uint32_t texts = from->dictionary.count;
    bool *used = hr_alloc(texts, sizeof *used, err);
    if (!used) return HR_ENOMEM;
    for (size_t row = 0; row < from->rows; row++)
        used[hr_column_code(from, row)] = true;
    hr_status status = HR_OK;
    for (uint32_t code = 0; code < texts && status == HR_OK; code++)
        if (used[code])
            status = hr_dictionary_copy(&to->dictionary, &from->dictionary, code, &map[code], err);
    free(used);
    return status;
}

static hr_status append_column(const hr_column *from, hr_column *to, hr_error *err) {
    enum { CHUNK = 4096 };
    uint32_t codes[CHUNK];
    uint32_t *map = hr_alloc(from->dictionary.count, sizeof *map, err);
    if (!map) return HR_ENOMEM;
    hr_status status = translate(from, to, map, err);
    for (size_t first = 0; first < from->rows && status == HR_OK; first += CHUNK) {
        size_t count = from->rows - first < CHUNK ? from->rows - first : CHUNK;
        hr_column_map(from, first, count, map, codes);
        status = hr_column_append_codes(to, codes, count, err);
    }
    free(map);
    return status;
}

static bool same_type(const hr_column *a, const hr_column *b) {
    if (a->affinity != b->affinity || a->mixed != b->mixed) return false;
    return a->format && b->format ? !strcmp(a->format, b->format) : a->format == b->format;
}

/* The first rows give a column its type; rows of another type make it text. */
static hr_status join_types(const hr_column *from, hr_column *to, bool first, hr_error *err) {
    if (first && from->format) {
        char *format = hr_copy_text(from->format, strlen(from->format), err);
        if (!format) return HR_ENOMEM;
        free(to->format);
        to->format = format;
    }
    if (first) {
        to->coded = from->coded;
        to->affinity = from->affinity;
        to->mixed = from->mixed;
    }
    if (!same_type(from, to)) {
        free(to->format);
        to->format = NULL;
        to->affinity = NULL;
        to->mixed = false;
    }
    return HR_OK;
}

hr_status hr_table_append_table(hr_table *table, const hr_table *other, hr_error *err) {
    HR_TRY(check_names(table, other, err));
    if (table == other) return hr_fail(err, HR_EINVAL, "a table cannot be appended to itself");
    if (other->rows == 0) return HR_OK;
    hr_status status = HR_OK;
    for (size_t i = 0; i < table->column_count && status == HR_OK; i++)
        status = append_column(&other->columns[i], &table->columns[i], err);
    for (size_t i = 0; i < table->column_count && status == HR_OK; i++)
        status = join_types(&other->columns[i], &table->columns[i], table->rows == 0, err);
    if (status == HR_OK)
        table->rows += other->rows;
    else /* rows that were appended to some columns are forgotten */
        for (size_t i = 0; i < table->column_count; i++)
            table->columns[i].rows = table->rows;
    return status;
}
