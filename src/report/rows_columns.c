/* rows_columns.c - lists of columns, some with names that are made at run time, and the columns for
 * the models that a job asks of single sensitive attributes. */
#include "report/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hr_rows_columns_add(hr_rows_columns *list, const hr_rows_column *columns, size_t count) {
    list->failed |= hr_grow(&list->items, &list->capacity, list->count + count, sizeof *list->items,
                            NULL) != HR_OK;
    if (list->failed) return;
    memcpy(list->items + list->count, columns, count * sizeof *columns);
    list->count += count;
}

void hr_rows_columns_name(hr_rows_columns *list, hr_rows_type type, const char *figure,
                          const char *parameter, const char *attribute) {
    hr_text_printf(&list->names, "%s%s%s%s%s", figure, *parameter ? "_" : "", parameter,
                   *attribute ? ":" : "", attribute);
    hr_text_add(&list->names, "", 1);
    hr_rows_columns_add(list, &(hr_rows_column){NULL, type, type == HR_ROWS_REAL ? 4 : 0}, 1);
}

/* Only now `names` does not move any more. */
hr_status hr_rows_columns_end(hr_rows_columns *list, hr_error *err) {
    const char *name = list->names.data;
    if (list->failed || list->names.failed) return hr_fail(err, HR_ENOMEM, "out of memory");
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].name) continue;
        list->items[i].name = name;
        name += strlen(name) + 1;
    }
    return HR_OK;
}

void hr_rows_columns_free(hr_rows_columns *list) {
    hr_text_free(&list->names);
    free(list->items);
    *list = (hr_rows_columns){0};
}

void hr_rows_columns_asked(hr_rows_columns *list, const hr_attribute_figures *asked, size_t count) {
    for (size_t i = 0; i < count; i++) {
        hr_rows_columns_name(list, HR_ROWS_REAL, "asked", asked[i].parameter, asked[i].attribute);
        hr_rows_columns_name(list, HR_ROWS_REAL, "achieved", asked[i].parameter,
                             asked[i].attribute);
        hr_rows_columns_name(list, HR_ROWS_COUNT, "worst_rows", asked[i].parameter,
                             asked[i].attribute);
    }
}

void hr_rows_asked(hr_rows *rows, const hr_attribute_figures *asked, size_t count, bool known) {
    for (size_t i = 0; i < count; i++) {
        hr_rows_real(rows, asked[i].asked);
        hr_rows_real(rows, known && isfinite(asked[i].achieved) ? asked[i].achieved : NAN);
        hr_rows_count_if(rows, known && asked[i].worst_rows > 0, asked[i].worst_rows);
    }
}
