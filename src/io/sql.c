/* sql.c - what the formats of databases share: names in quotes, lists of names, refusals, and
 * writers that share a transaction. */
#include "io/io.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ---- */

void hr_sql_quote(hr_text *sql, const char *name) {
    hr_text_add(sql, "\"", 1);
    for (; *name; name++) {
        hr_text_add(sql, name, 1);
        if (*name == '"') hr_text_add(sql, "\"", 1);
    }
    hr_text_add(sql, "\"", 1);
}

hr_status hr_sql_names_add(hr_sql_names *list, const char *name, hr_error *err) {
    HR_TRY(hr_grow(&list->names, &list->capacity, list->count + 1, sizeof *list->names, err));
    list->names[list->count] = hr_copy_text(name, strlen(name), err);
    if (!list->names[list->count]) return HR_ENOMEM;
    list->count++;
    return HR_OK;
}

void hr_sql_names_free(hr_sql_names *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->names[i]);
    free(list->names);
    *list = (hr_sql_names){0};
}

static const char *name_at(size_t i, const void *payload) {
    return ((const hr_sql_names *)payload)->names[i];
}

hr_status hr_sql_no_table(const char *place, const char *table, const hr_sql_names *others,
                          hr_error *err) {
    const char *nearest = hr_text_nearest(table, others->count, name_at, others);
    if (!nearest && others->count == 1) nearest = others->names[0];
    return hr_fail(err, HR_EDATA, "%s has no table '%s'%s%s%s", place, table,
                   nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

/* ---- reading ---- */

hr_status hr_sql_check_name(const char *place, const char *name, size_t column, hr_error *err) {
    bool cut;
    if (*name && hr_utf8_valid(name, strlen(name), &cut) == strlen(name)) return HR_OK;
    return hr_fail(err, HR_EDATA,
                   "%s: column %zu has no name, or one that is not UTF-8: give it a name in a "
                   "query",
                   place, column + 1);
}

hr_status hr_sql_bad_value(const char *place, const hr_table *table, size_t column, const char *why,
                           hr_error *err) {
    return hr_fail(err, HR_EDATA, "%s: row %zu, column '%.150s' %s", place, table->rows + 1,
                   table->columns[column].name, why);
}

hr_status hr_sql_check_room(const char *place, const hr_table *table, hr_error *err) {
    if (table->rows < HR_NONE - 1) return HR_OK;
    return hr_fail(err, HR_EDATA,
                   "%s: there are more than 4 billion rows, the most that a table holds", place);
}

/* ---- writing ---- */

hr_status hr_sql_table_exists(const char *place, const char *table, hr_error *err) {
    return hr_fail(err, HR_EINVAL,
                   "%s has a table '%s' already: give --replace (in a job: `replace: true`), or "
                   "choose another name",
                   place, table);
}

hr_status hr_sql_too_many_columns(const char *place, const char *database, size_t most,
                                  size_t count, hr_error *err) {
    return hr_fail(err, HR_EINVAL,
                   "%s: a table of %s has at most %zu columns, and the release has %zu: drop some, "
                   "or write a CSV file",
                   place, database, most, count);
}

void hr_write_group_enter(hr_write_group *group, hr_shared_output *output,
                          const hr_format *format) {
    *output = (hr_shared_output){format, group->first};
    group->first = output;
}

void hr_write_group_leave(hr_write_group *group, const hr_shared_output *output) {
    hr_shared_output **at = &group->first;
    while (*at != output)
        at = &(*at)->next;
    *at = output->next;
}
