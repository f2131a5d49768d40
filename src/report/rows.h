/* rows.h - results as rows of entries, printed as an aligned table for people, or as CSV or JSON
 * for programs. Most results of the command are printed in this way. */
#ifndef HR_ROWS_H
#define HR_ROWS_H

#include "base/base.h"

typedef enum { HR_ROWS_TEXT, HR_ROWS_COUNT, HR_ROWS_REAL } hr_rows_type; /* numbers: to the right */

typedef struct {
    const char *name;
    hr_rows_type type;
    int digits; /* after the point of a real in a table; CSV and JSON have all */
} hr_rows_column;

typedef struct {
    char *text; /* NULL: a number, or no value */
    int64_t count;
    double real;
    bool given;
} hr_rows_entry;

typedef struct {
    const hr_rows_column *columns; /* borrowed */
    size_t column_count;
    hr_rows_entry *entries;
    size_t entry_count, entry_capacity;
    bool failed; /* out of memory; stays set and is reported by hr_rows_print */
} hr_rows;

/* A list of columns, some with names that are made at run time. Valid when zeroed. */
typedef struct {
    hr_rows_column *items;
    size_t count, capacity;
    hr_text names; /* those made at run time, each ended by NUL */
    bool failed;   /* out of memory; stays set and is reported by hr_rows_columns_end */
} hr_rows_columns;

void hr_rows_columns_add(hr_rows_columns *list, const hr_rows_column *columns, size_t count);
/* Adds a column with the name "FIGURE_PARAMETER:ATTRIBUTE", such as "achieved_t:income". */
void hr_rows_columns_name(hr_rows_columns *list, hr_rows_type type, const char *figure,
                          const char *parameter, const char *attribute);
/* After the last column, and before `items` is used. */
hr_status hr_rows_columns_end(hr_rows_columns *list, hr_error *err);
void hr_rows_columns_free(hr_rows_columns *list);
/* Adds columns and entries for the models asked of single attributes: what is asked and achieved,
 * and the rows of the worst class. */
void hr_rows_columns_asked(hr_rows_columns *list, const hr_attribute_figures *asked, size_t count);

void hr_rows_start(hr_rows *rows, const hr_rows_column *columns, size_t column_count);
/* Entries are added row by row, from left to right. */
void hr_rows_text(hr_rows *rows, const char *text); /* NULL: no value */
void hr_rows_count(hr_rows *rows, int64_t count);
void hr_rows_count_if(hr_rows *rows, bool given, uint64_t count);
void hr_rows_real(hr_rows *rows, double real); /* NaN: no value */
void hr_rows_none(hr_rows *rows);              /* "-" in a table, empty in CSV, null in JSON */
/* Entries for hr_rows_columns_asked; `known` false: there is no release. */
void hr_rows_asked(hr_rows *rows, const hr_attribute_figures *asked, size_t count, bool known);
/* Appends the rows, which it frees, to `out`. A failure is kept in out->failed. */
void hr_rows_print(hr_rows *rows, hr_print_format format, hr_text *out);

/* lost_rows.c: a row for each value of each quasi-identifier; unless `most` is 0, only for values
 * with suppressed rows, and at most `most` for each quasi-identifier. */
void hr_lost_rows_start(hr_rows *rows);
void hr_lost_rows_add(const hr_lost *lost, size_t most, hr_rows *rows);

/* Fails unless this is one of the formats: callers of public functions may pass any number. */
hr_status hr_print_check(hr_print_format format, hr_error *err);

#endif
