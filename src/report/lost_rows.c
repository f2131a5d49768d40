/* lost_rows.c - prints suppressed rows by value as rows of a table. */
#include "report/rows.h"

#include <string.h>

static const hr_rows_column columns[] = {{"k", HR_ROWS_COUNT, 0},        {"p", HR_ROWS_COUNT, 0},
                                         {"attribute", HR_ROWS_TEXT, 0}, {"value", HR_ROWS_TEXT, 0},
                                         {"rows", HR_ROWS_COUNT, 0},     {"lost", HR_ROWS_COUNT, 0},
                                         {"share", HR_ROWS_REAL, 4}};

void hr_lost_rows_start(hr_rows *rows) {
    hr_rows_start(rows, columns, sizeof columns / sizeof *columns);
}

void hr_lost_rows_add(const hr_lost *lost, size_t most, hr_rows *rows) {
    const hr_lost_figures *figures = hr_lost_result(lost);
    const char *name = NULL;
    size_t added = 0;
    const hr_lost_value *v;
    for (size_t i = 0; (v = hr_lost_at(lost, i)); i++) {
        if (!name || strcmp(name, v->name)) added = 0;
        name = v->name;
        if (most > 0 && (added == most || v->lost == 0)) continue;
        added++;
        hr_rows_count(rows, figures->k);
        hr_rows_count(rows, figures->p);
        hr_rows_text(rows, v->name);
        hr_rows_text(rows, v->value);
        hr_rows_count(rows, (int64_t)v->rows);
        hr_rows_count(rows, (int64_t)v->lost);
        hr_rows_real(rows, (double)v->lost / (double)v->rows);
    }
}
