/* header.c - compares the header of a table with the columns that a job names. In a file without a
 * header line the first row takes its place, so messages do not repeat names that look like
 * values. */
#include "run/run.h"

#include <string.h>

/* ---- lists of names ---- */

enum { ALL_SHOWN = 5, FIRST_SHOWN = 3 };

void hr_name_list_add(hr_name_list *list, const char *name, size_t column) {
    list->count++;
    if (list->count > ALL_SHOWN) return;
    if (list->count > 1) hr_text_puts(&list->names, ", ");
    if (column && hr_name_is_value(name))
        hr_text_printf(&list->names, "number %zu", column);
    else
        hr_text_printf(&list->names, "'%s'", name);
    if (list->count == FIRST_SHOWN) list->first = list->names.length;
}

void hr_name_list_print(const hr_name_list *list, hr_text *out) {
    bool all = list->count <= ALL_SHOWN;
    if (list->names.failed) out->failed = true;
    if (!list->names.data) return;
    hr_text_add(out, list->names.data, all ? list->names.length : list->first);
    if (!all)
        hr_text_printf(out, ", ... and %llu more", (unsigned long long)(list->count - FIRST_SHOWN));
}

void hr_name_list_free(hr_name_list *list) {
    hr_text_free(&list->names);
    *list = (hr_name_list){0};
}

/* ---- names that look like values ---- */

bool hr_name_is_value(const char *name) {
    size_t digits = 0, letters = 0;
    const char *first = name + (*name == '+' || *name == '-');
    if (!*name || strchr(name, '@')) return true;
    if (*first < '0' || *first > '9') return false;
    for (const char *c = name; *c; c++) {
        digits += *c >= '0' && *c <= '9';
        letters += ((*c | 32) >= 'a' && (*c | 32) <= 'z') || (unsigned char)*c >= 0x80;
    }
    return digits > letters;
}

/* ---- the header as a whole ---- */

static const char *name_at(size_t i, const void *names) {
    return ((const char *const *)names)[i];
}

static bool has_name(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (hr_same_name(names[i], name)) return true;
    return false;
}

enum { FOLDED_MOST = 64 };

/* The first characters of a name in lower case, without blanks and underscores. */
static void fold(const char *name, char out[FOLDED_MOST]) {
    size_t length = 0;
    for (; *name && length + 1 < FOLDED_MOST; name++)
        if (!strchr(" \t_", *name))
            out[length++] = (char)(*name >= 'A' && *name <= 'Z' ? *name | 32 : *name);
    out[length] = '\0';
}

/* Is one a misspelling of the other? Stricter than hr_text_nearest, because a first line without
 * any known name may be a row, whose values must not be repeated. */
static bool is_misspelt(const char *wanted, const char *name) {
    char a[FOLDED_MOST], b[FOLDED_MOST];
    fold(wanted, a);
    fold(name, b);
    size_t length = strlen(a);
    unsigned limit = length >= 6 ? 2 : length >= 4 ? 1 : 0;
    return !hr_name_is_value(name) && hr_text_distance(a, b, limit) <= limit;
}

bool hr_names_alike(const char *a, const char *b) {
    char folded_a[FOLDED_MOST], folded_b[FOLDED_MOST];
    fold(a, folded_a);
    fold(b, folded_b);
    return !strcmp(folded_a, folded_b);
}

/* Does the line, split at the delimiter, contain a column name of the job? */
static bool names_one(const hr_job *job, const char *line, char delimiter) {
    char name[FOLDED_MOST];
    for (const char *end; *line; line = *end ? end + 1 : end) {
        end = strchr(line, delimiter);
        if (!end) end = line + strlen(line);
        bool quoted = end - line >= 2 && *line == '"' && end[-1] == '"';
        size_t length = (size_t)(end - line) - (quoted ? 2 : 0);
        if (length >= sizeof name) continue;
        memcpy(name, line + quoted, length);
        name[length] = '\0';
        if (length && hr_attribute_find(job, name)) return true;
    }
    return false;
}

/* The delimiter at which a header read as one column must be split so that it contains a column
 * name of the job; 0: none. With such a name the line is a header, so messages may show it. */
static char better_delimiter(const hr_job *job, const char *header) {
    for (const char *other = ",;\t|"; *other; other++)
        if (*other != job->format.delimiter && names_one(job, header, *other)) return *other;
    return '\0';
}

/* The error for a header that contains no column of the job. */
static hr_status no_header(const hr_job *job, const char *path, const char *const *names,
                           size_t count, hr_error *err) {
    const char *where = path ? path : "the table";
    for (size_t i = 0; i < job->attribute_count; i++)
        for (size_t at = 0; at < count; at++)
            if (is_misspelt(job->attributes[i].name, names[at]))
                return hr_fail(err, HR_EDATA, "%s has no column '%s' (did you mean '%s'?)", where,
                               job->attributes[i].name, names[at]);
    bool line = path && !hr_format_for(path)->scheme;
    char given = job->format.delimiter;
    char better = line && given && count == 1 ? better_delimiter(job, names[0]) : '\0';
    if (better)
        return hr_fail(err, HR_EDATA,
                       "%s: with the delimiter %s the header is one column, '%.200s': write "
                       "--delimiter %s, or leave it out",
                       where, given == '\t' ? "tab" : (char[]){'\'', given, '\'', 0}, names[0],
                       better == '\t' ? "tab" : (char[]){'\'', better, '\'', 0});
    return hr_fail(err, HR_EDATA, "%s%s %zu column%s named by the job", where,
                   line ? ": the first line does not look like a header:" : " has", count,
                   count == 1 ? ", not" : "s, none of them");
}

hr_status hr_header_match(const hr_job *job, const char *path, const char *const *names,
                          size_t count, hr_error *err) {
    for (size_t i = 0; i < job->attribute_count; i++)
        if (has_name(names, count, job->attributes[i].name)) return HR_OK;
    return job->attribute_count ? no_header(job, path, names, count, err) : HR_OK;
}

hr_status hr_header_lacks(const char *path, const char *wanted, const char *const *names,
                          size_t count, hr_error *err) {
    const char *nearest = hr_text_nearest(wanted, count, name_at, names);
    if (nearest && hr_name_is_value(nearest)) nearest = NULL;
    return hr_fail(err, HR_EDATA, "%s has no column '%s'%s%s%s", path, wanted,
                   nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}
