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

/* ---- types ---- */

static bool same_text(const char *a, const char *b) {
    return a && b ? !strcmp(a, b) : a == b;
}

static bool same_type(const hr_column *a, const hr_column *b) {
    return a->affinity == b->affinity && a->mixed == b->mixed && same_text(a->format, b->format) &&
           same_text(a->declared, b->declared);
}

/* Are the first `rows` rows null? */
static bool only_nulls(const hr_column *column, size_t rows) {
    for (size_t row = 0; row < rows; row++)
        if (!hr_dictionary_is_null(&column->dictionary, hr_column_code(column, row))) return false;
    return true;
}

static bool is_number(const hr_column *column) {
    return column->format && strlen(column->format) == 1 && strchr("csilCSILefg", *column->format);
}

/* The Arrow format of numbers for the values of both columns: integers of 64 bits (unsigned only if
 * both are), or doubles. */
static const char *common_number(const hr_column *a, const hr_column *b) {
    bool reals = strpbrk(a->format, "efg") || strpbrk(b->format, "efg");
    bool all_unsigned = strchr("CSIL", *a->format) && strchr("CSIL", *b->format);
    return reals ? "g" : all_unsigned ? "L" : "l";
}

/* Is each text the text of a number of this type? */
static bool fits(const hr_column *column, const char *format) {
    const hr_dictionary *texts = &column->dictionary;
    const double exact = 9007199254740992.0; /* 2^53: doubles hold all integers below it */
    for (uint32_t code = 0; code < texts->count; code++) {
        const char *text = hr_dictionary_text(texts, code);
        double number;
        if (hr_dictionary_is_null(texts, code)) continue;
        if (!hr_parse_double(text, &number)) return false;
        if (*format == 'g' && strspn(text, "-0123456789") == strlen(text) &&
            (number >= exact || number <= -exact))
            return false;
        if (*format == 'l' && number >= 9223372036854775807.0) return false;
    }
    return true;
}

/* Sets the type of a column that had `before` rows and got those of `from`. The first rows give a
 * column its type. Rows of another type change it to a type that holds both: nulls fit any type,
 * integers and reals become reals, and values from a database that mixes types stay mixed. If there
 * is no such type, the column becomes text. */
static hr_status join_types(const hr_column *from, hr_column *to, size_t before, hr_error *err) {
    if (only_nulls(to, before)) return hr_column_take_type(to, from, err);
    if (same_type(from, to) || only_nulls(from, from->rows)) return HR_OK;
    bool numbers = (is_number(from) || from->mixed) && (is_number(to) || to->mixed);
    bool database = from->affinity || to->affinity || from->mixed || to->mixed;
    const char *format = numbers && !database ? common_number(from, to) : NULL;
    if (format && !fits(to, format)) format = NULL;
    char *copy = format ? hr_copy_text(format, 1, err) : NULL;
    if (format && !copy) return HR_ENOMEM;
    free(to->format);
    to->format = copy;
    free(to->declared);
    to->declared = NULL;
    to->mixed = numbers && database;
    if (from->affinity != to->affinity) to->affinity = NULL;
    if (!numbers) to->affinity = NULL;
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
        status = join_types(&other->columns[i], &table->columns[i], table->rows, err);
    if (status == HR_OK)
        table->rows += other->rows;
    else /* rows that were appended to some columns are forgotten */
        for (size_t i = 0; i < table->column_count; i++)
            table->columns[i].rows = table->rows;
    return status;
}
