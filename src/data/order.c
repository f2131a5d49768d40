/* order.c - sorts rows by their values, so that results computed in this order do not depend on the
 * order of the input. */
#include "data/data.h"

#include <stdlib.h>

/* Stable sort of `order` by the texts of one column. `key` has room for every row. */
static hr_status sort_by(const hr_column *column, size_t rows, uint32_t *key, uint32_t *order,
                         uint32_t *spare, hr_error *err) {
    uint32_t texts = column->dictionary.count;
    uint32_t *rank = hr_alloc_raw(texts, sizeof *rank, err);
    hr_status status = rank ? hr_dictionary_rank(&column->dictionary, rank, err) : HR_ENOMEM;
    if (status == HR_OK) {
        hr_column_map(column, 0, rows, rank, key);
        hr_sort_by_key(key, texts, order, spare, (uint32_t)rows);
    }
    free(rank);
    return status;
}

hr_status hr_rows_order(const hr_column *const *columns, size_t count, size_t rows,
                        uint32_t **order, hr_error *err) {
    *order = hr_alloc_raw(rows, sizeof **order, err);
    uint32_t *key = hr_alloc_raw(rows, sizeof *key, err);
    uint32_t *spare = hr_alloc_raw(rows, sizeof *spare, err);
    hr_status status = *order && key && spare ? HR_OK : HR_ENOMEM;
    for (size_t row = 0; row < rows && status == HR_OK; row++)
        (*order)[row] = (uint32_t)row;
    for (size_t i = count; i-- > 0 && status == HR_OK;)
        status = sort_by(columns[i], rows, key, *order, spare, err);
    free(key);
    free(spare);
    if (status == HR_OK) return HR_OK;
    free(*order);
    *order = NULL;
    return status;
}

hr_status hr_column_reorder(const hr_column *column, const uint32_t *order, void **codes,
                            hr_error *err) {
    *codes = hr_alloc_raw(column->rows, column->width, err);
    if (!*codes) return HR_ENOMEM;
    switch (column->width) {
    case 1:
        for (size_t i = 0; i < column->rows; i++)
            ((uint8_t *)*codes)[i] = ((const uint8_t *)column->codes)[order[i]];
        break;
    case 2:
        for (size_t i = 0; i < column->rows; i++)
            ((uint16_t *)*codes)[i] = ((const uint16_t *)column->codes)[order[i]];
        break;
    default:
        for (size_t i = 0; i < column->rows; i++)
            ((uint32_t *)*codes)[i] = ((const uint32_t *)column->codes)[order[i]];
    }
    return HR_OK;
}
