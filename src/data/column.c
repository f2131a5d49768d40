/* column.c - codes of the narrowest width that holds them all. A column starts with one byte per
 * row and is widened when a code no longer fits. */
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

/* Codes fit the signed integers of their width: Arrow dictionaries that borrow them have signed
 * indices, the only ones that every reader takes. */
static unsigned width_for(uint32_t code) {
    return code <= INT8_MAX ? 1 : code <= INT16_MAX ? 2 : 4;
}

static void put(hr_column *column, size_t row, uint32_t code) {
    switch (column->width) {
    case 1: ((uint8_t *)column->codes)[row] = (uint8_t)code; break;
    case 2: ((uint16_t *)column->codes)[row] = (uint16_t)code; break;
    default: ((uint32_t *)column->codes)[row] = code; break;
    }
}

/* Converts the codes in place from the last row to the first, so that no second array is needed. */
static hr_status widen(hr_column *column, unsigned width, hr_error *err) {
    size_t capacity = column->capacity * column->width / width; /* in codes of the new width */
    HR_TRY(hr_grow(&column->codes, &capacity, column->rows + 16, width, err));
    hr_column old = *column;
    column->capacity = capacity;
    column->width = width;
    for (size_t i = column->rows; i-- > 0;)
        put(column, i, hr_column_code(&old, i));
    return HR_OK;
}

hr_status hr_column_append(hr_column *column, uint32_t code, hr_error *err) {
    unsigned width = width_for(code);
    if (width > column->width) HR_TRY(widen(column, width, err));
    if (column->rows == column->capacity)
        HR_TRY(hr_grow(&column->codes, &column->capacity, column->rows + 1, column->width, err));
    put(column, column->rows++, code);
    return HR_OK;
}

/* Makes room for `count` more codes of at most `greatest`. */
static hr_status reserve(hr_column *column, size_t count, uint32_t greatest, hr_error *err) {
    unsigned width = width_for(greatest);
    if (width > column->width) HR_TRY(widen(column, width, err));
    return hr_grow(&column->codes, &column->capacity, column->rows + count, column->width, err);
}

hr_status hr_column_append_codes(hr_column *column, const uint32_t *codes, size_t count,
                                 hr_error *err) {
    uint32_t greatest = 0;
    for (size_t i = 0; i < count; i++)
        if (codes[i] > greatest) greatest = codes[i];
    HR_TRY(reserve(column, count, greatest, err));
    size_t rows = column->rows;
    switch (column->width) {
    case 1:
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)column->codes)[rows + i] = (uint8_t)codes[i];
        break;
    case 2:
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)column->codes)[rows + i] = (uint16_t)codes[i];
        break;
    default: memcpy((uint32_t *)column->codes + rows, codes, count * sizeof *codes); break;
    }
    column->rows += count;
    return HR_OK;
}

hr_status hr_column_append_text(hr_column *column, const char *text, size_t length, hr_error *err) {
    uint32_t code;
    HR_TRY(hr_dictionary_intern(&column->dictionary, text, length, &code, err));
    return hr_column_append(column, code, err);
}

void hr_column_shrink(hr_column *column) {
    if (column->capacity == column->rows || column->rows == 0) return;
    void *smaller = realloc(column->codes, column->rows * column->width);
    if (!smaller) return;
    column->codes = smaller;
    column->capacity = column->rows;
}

hr_status hr_column_take_type(hr_column *column, const hr_column *from, hr_error *err) {
    char *format = NULL, *declared = NULL;
    if (from->format) format = hr_copy_text(from->format, strlen(from->format), err);
    if (from->declared) declared = hr_copy_text(from->declared, strlen(from->declared), err);
    if ((from->format && !format) || (from->declared && !declared)) {
        free(format);
        free(declared);
        return HR_ENOMEM;
    }
    free(column->format);
    free(column->declared);
    column->format = format;
    column->declared = declared;
    column->coded = from->coded;
    column->affinity = from->affinity;
    column->mixed = from->mixed;
    return HR_OK;
}

void hr_column_free(hr_column *column) {
    free(column->name);
    free(column->codes);
    free(column->format);
    free(column->declared);
    hr_dictionary_free(&column->dictionary);
    *column = (hr_column){0};
}

void hr_column_map(const hr_column *column, size_t first, size_t count, const uint32_t *map,
                   uint32_t *out) {
    switch (column->width) {
    case 1: {
        const uint8_t *codes = (const uint8_t *)column->codes + first;
        for (size_t i = 0; i < count; i++)
            out[i] = map ? map[codes[i]] : codes[i];
        break;
    }
    case 2: {
        const uint16_t *codes = (const uint16_t *)column->codes + first;
        for (size_t i = 0; i < count; i++)
            out[i] = map ? map[codes[i]] : codes[i];
        break;
    }
    default: {
        const uint32_t *codes = (const uint32_t *)column->codes + first;
        for (size_t i = 0; i < count; i++)
            out[i] = map ? map[codes[i]] : codes[i];
        break;
    }
    }
}
