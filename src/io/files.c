/* files.c - public functions for single files: a table of which only some columns are read, and a
 * text that is written whole or not at all. */
#include "io/io.h"

#include <string.h>

typedef struct {
    const char *const *columns;
    size_t count;
} wanted_columns;

static bool has_name(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (hr_same_name(names[i], name)) return true;
    return false;
}

static hr_status keep_wanted(const char *const *names, size_t count, bool *keep, void *payload,
                             hr_error *err) {
    const wanted_columns *wanted = payload;
    for (size_t i = 0; i < wanted->count; i++) {
        const char *name = wanted->columns[i];
        if (has_name(names, count, name)) continue;
        const char *nearest = hr_nearest_name(name, names, count);
        return hr_fail(err, HR_EINVAL, "there is no column '%s'%s%s%s", name,
                       nearest ? " (did you mean '" : "", nearest ? nearest : "",
                       nearest ? "'?)" : "");
    }
    for (size_t i = 0; i < count; i++)
        keep[i] = has_name(wanted->columns, wanted->count, names[i]);
    return HR_OK;
}

hr_status hr_table_load_columns(const char *path, const hr_read_options *how,
                                const char *const *columns, size_t count, hr_table **out,
                                hr_error *err) {
    *out = NULL;
    if (count == 0) return hr_fail(err, HR_EINVAL, "name at least one column to read");
    wanted_columns wanted = {columns, count};
    hr_read_options options = *how;
    options.choose = keep_wanted;
    options.payload = &wanted;
    return hr_table_load(path, &options, out, err);
}

hr_status hr_table_read_columns(const char *path, const char *const *columns, size_t count,
                                hr_table **out, hr_error *err) {
    return hr_table_load_columns(path, &(hr_read_options){0}, columns, count, out, err);
}

hr_status hr_file_write(const char *path, const char *bytes, size_t length, bool owner_only,
                        const hr_watch *watch, hr_error *err) {
    hr_watch own;
    hr_output *output;
    HR_TRY(hr_watch_copy(watch, &own, err));
    HR_TRY(owner_only ? hr_output_open_private(path, &own, &output, err)
                      : hr_output_open(path, &own, &output, err));
    hr_output_add(output, bytes, length);
    return hr_output_commit(output, err);
}
