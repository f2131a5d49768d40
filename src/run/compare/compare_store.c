/* compare_store.c - the finished runs of a comparison as a file, so that a killed comparison can be
 * continued. Each line is a JSON object; the first identifies job, data and version. A line is on
 * the disk before its run counts as finished, and an incomplete last line is removed. */
#include "io/io.h"
#include "run/compare/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STORE_MOST = 64 << 20 }; /* bytes */

struct hr_compare_store {
    char *path;
    int fd;
    off_t end;        /* after the last complete line */
    hr_error failure; /* of the first line that could not be written; no line follows it */
};

/* ---- Writing ---- */

static json_t *text_of(const char *bytes) {
    hr_text clean = {0};
    hr_utf8_clean(&clean, bytes ? bytes : "");
    json_t *made = clean.failed ? NULL : json_string(clean.data);
    hr_text_free(&clean);
    return made;
}

/* What the run achieves in single attributes, and the rows of the worst classes. */
static json_t *asked_of(const hr_compare_entry *entry) {
    json_t *list = json_array();
    for (size_t i = 0; i < entry->attribute_count; i++) {
        const hr_attribute_figures *f = &entry->attributes[i];
        json_t *achieved = isfinite(f->achieved) ? json_real(f->achieved) : json_null();
        json_t *pair = json_pack("[o, I]", achieved, (json_int_t)f->worst_rows);
        if (json_array_append_new(list, pair)) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* A run as JSON: algorithm, k, p, and either all figures or a note why there are none. */
static json_t *line_of(const hr_compare_entry *entry) {
    json_t *line = json_object();
    bool failed = json_object_set_new(line, "algorithm", text_of(entry->algorithm)) != 0;
    failed |= json_object_set_new(line, "k", json_integer(entry->asked.k)) != 0;
    failed |= json_object_set_new(line, "p", json_integer(entry->asked.p)) != 0;
    if (entry->state == HR_ENTRY_EMPTY)
        failed |= json_object_set_new(line, "note", text_of(entry->note)) != 0;
    else
        failed |= json_object_set_new(line, "threads", json_integer(entry->threads)) != 0;
    for (const hr_figure *f = hr_compare_figures; f->name && entry->state == HR_ENTRY_DONE; f++) {
        double value = hr_figure_value(f, &entry->figures);
        json_t *number = isnan(value) ? json_null() : json_real(value);
        failed |= json_object_set_new(line, f->name, number) != 0;
    }
    if (entry->state == HR_ENTRY_DONE && entry->attribute_count)
        failed |= json_object_set_new(line, "asked", asked_of(entry)) != 0;
    if (!failed) return line;
    json_decref(line);
    return NULL;
}

/* Appends a line and waits until it is on the disk. On failure the file keeps the lines before
 * it. */
static hr_status append(hr_compare_store *store, const char *bytes, hr_error *err) {
    size_t length = strlen(bytes);
    if (store->failure.code == HR_OK) {
        if (hr_write_all(store->fd, bytes, length) && hr_sync(store->fd)) {
            store->end += (off_t)length;
            return HR_OK;
        }
        (void)hr_fail_errno(&store->failure, "write", store->path);
        (void)!ftruncate(store->fd, store->end); /* if this fails too, the next reader removes it */
    }
    if (err) *err = store->failure;
    return store->failure.code;
}

static hr_status append_json(hr_compare_store *store, json_t *line, hr_error *err) {
    hr_text text = {0};
    char *bytes = line ? json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
    hr_text_printf(&text, "%s\n", bytes ? bytes : "");
    hr_status status = bytes && !text.failed ? append(store, text.data, err)
                                             : hr_fail(err, HR_ENOMEM, "out of memory");
    hr_text_free(&text);
    free(bytes);
    json_decref(line);
    return status;
}

hr_status hr_compare_store_add(hr_compare_store *store, const hr_compare_entry *entry,
                               hr_error *err) {
    return append_json(store, line_of(entry), err);
}

static hr_status begin(hr_compare_store *store, const char *identity, hr_error *err) {
    return append_json(
        store, json_pack("{s:s, s:s}", "hedgerow compare", HR_VERSION, "of", identity), err);
}

/* ---- Reading ---- */

static hr_status read_all(hr_compare_store *store, hr_text *out, hr_error *err) {
    char bytes[1 << 16];
    for (;;) {
        ssize_t count = read(store->fd, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return hr_fail_errno(err, "read", store->path);
        if (count == 0) return HR_OK;
        hr_text_add(out, bytes, (size_t)count);
        if (out->failed) return hr_fail(err, HR_ENOMEM, "out of memory");
        if (out->length > STORE_MOST)
            return hr_fail(err, HR_EINVAL, "%s is too large to be runs of a comparison",
                           store->path);
    }
}

static bool is_whole(const json_t *number, int64_t least, int64_t most) {
    return json_is_integer(number) && json_integer_value(number) >= least &&
           json_integer_value(number) <= most;
}

/* May a line lack the figure? Those of models other than k and p are null in most jobs. */
static bool is_optional(const hr_figure *figure) {
    return !strncmp(figure->name, "achieved_", 9);
}

/* Does the line have the members that line_of writes, with possible values? */
static bool is_run(const json_t *line) {
    const json_t *note = json_object_get(line, "note"), *k = json_object_get(line, "k");
    if (!json_is_string(json_object_get(line, "algorithm")) || !is_whole(k, 1, INT64_MAX) ||
        !is_whole(json_object_get(line, "p"), 1, json_integer_value(k)))
        return false;
    if (note) return json_is_string(note);
    if (!is_whole(json_object_get(line, "threads"), 1, UINT_MAX)) return false;
    if (json_is_null(json_object_get(line, "ntil")) &&
        json_is_null(json_object_get(line, "sse_sst")))
        return false; /* every release has one of these losses */
    for (const hr_figure *f = hr_compare_figures; f->name; f++) {
        const json_t *number = json_object_get(line, f->name);
        if (!number && is_optional(f)) continue;
        if (!json_is_number(number) && !json_is_null(number)) return false;
        if (!hr_figure_can_be(f, json_is_null(number) ? NAN : json_number_value(number)))
            return false;
    }
    return true;
}

/* Members that are missing or impossible are left unknown. */
static void fill_asked(hr_compare_entry *entry, const json_t *list) {
    for (size_t i = 0; i < entry->attribute_count; i++) {
        const json_t *pair = json_array_get(list, i);
        const json_t *achieved = json_array_get(pair, 0), *rows = json_array_get(pair, 1);
        hr_attribute_figures *f = &entry->attributes[i];
        if (json_is_number(achieved)) f->achieved = json_number_value(achieved);
        if (is_whole(rows, 0, INT64_MAX)) f->worst_rows = (uint64_t)json_integer_value(rows);
    }
}

static void fill_entry(hr_compare_entry *entry, const json_t *line) {
    const json_t *note = json_object_get(line, "note");
    entry->state = note ? HR_ENTRY_EMPTY : HR_ENTRY_DONE;
    if (note) {
        free(entry->note);
        entry->note = hr_copy_text(json_string_value(note), json_string_length(note), NULL);
        return;
    }
    entry->threads = (unsigned)json_integer_value(json_object_get(line, "threads"));
    for (const hr_figure *f = hr_compare_figures; f->name; f++) {
        const json_t *number = json_object_get(line, f->name);
        bool given = json_is_number(number);
        hr_figure_set(f, &entry->figures, given ? json_number_value(number) : NAN);
    }
    fill_asked(entry, json_object_get(line, "asked"));
}

/* Copies the run of a line to every waiting entry with its algorithm, k and p. */
static void fill(hr_compare *compare, const json_t *line) {
    const char *algorithm = json_string_value(json_object_get(line, "algorithm"));
    int64_t k = json_integer_value(json_object_get(line, "k"));
    int64_t p = json_integer_value(json_object_get(line, "p"));
    for (size_t i = 0; i < compare->entry_count; i++) {
        hr_compare_entry *entry = &compare->entries[i];
        if (entry->state != HR_ENTRY_WAITING || entry->asked.k != k || entry->asked.p != p ||
            strcmp(entry->algorithm, algorithm))
            continue;
        fill_entry(entry, line);
        compare->kept += entry->twin == i;
    }
}

static hr_status read_line(hr_compare_store *store, const char *text, size_t length, size_t number,
                           const char *identity, hr_compare *compare, hr_error *err) {
    json_t *line = json_loadb(text, length, 0, NULL);
    bool first = number == 1;
    const char *of = json_string_value(json_object_get(line, "of"));
    hr_status status = HR_OK;
    if (first ? !of : !is_run(line))
        status = hr_fail(err, HR_EINVAL,
                         "%s, line %zu: this line is not a run of a comparison; name another file",
                         store->path, number);
    else if (first && strcmp(of, identity))
        status = hr_fail(err, HR_EINVAL,
                         "%s has runs of another job, of other data or of another version: name "
                         "another file, or remove it",
                         store->path);
    else if (!first)
        fill(compare, line);
    json_decref(line);
    return status;
}

/* *end becomes the offset after the last complete line. */
static hr_status read_lines(hr_compare_store *store, const hr_text *text, const char *identity,
                            hr_compare *compare, size_t *end, hr_error *err) {
    *end = 0;
    for (size_t number = 1; *end < text->length; number++) {
        const char *line = text->data + *end;
        const char *stop = memchr(line, '\n', text->length - *end);
        if (!stop) break;
        HR_TRY(read_line(store, line, (size_t)(stop - line), number, identity, compare, err));
        *end += (size_t)(stop - line) + 1;
    }
    return HR_OK;
}

/* Is the file empty, or does it begin like a store? Without this check, a foreign file that has no
 * newline would be taken for a store with an incomplete first line, and truncated. */
static bool is_ours(const hr_text *text) {
    static const char beginning[] = "{\"hedgerow compare\"";
    size_t length = text->length < sizeof beginning - 1 ? text->length : sizeof beginning - 1;
    return !length || !memcmp(text->data, beginning, length);
}

static hr_status open_text(hr_compare_store *store, const hr_text *text, const char *identity,
                           hr_compare *compare, hr_error *err) {
    size_t end;
    if (!is_ours(text))
        return hr_fail(err, HR_EINVAL,
                       "%s exists and contains no runs of a comparison: name another file",
                       store->path);
    HR_TRY(read_lines(store, text, identity, compare, &end, err));
    store->end = (off_t)end;
    if (end < text->length && ftruncate(store->fd, store->end))
        return hr_fail_errno(err, "write", store->path);
    return end == 0 ? begin(store, identity, err) : HR_OK;
}

/* Opens and locks the file without waiting; refuses anything but a regular file. */
static hr_status open_once(hr_compare_store *store, struct stat *found, hr_error *err) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int flags = O_RDWR | O_CREAT | O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    store->fd = open(store->path, flags, 0600);
    if (store->fd < 0 || fstat(store->fd, found)) return hr_fail_errno(err, "write", store->path);
    if (!S_ISREG(found->st_mode))
        return hr_fail(err, HR_EINVAL, "%s is not a regular file: runs cannot be kept in it",
                       store->path);
    if (fcntl(store->fd, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN))
        return hr_fail(err, HR_EIO, "%s is in use: another comparison is writing to it",
                       store->path);
    return fstat(store->fd, found) ? hr_fail_errno(err, "write", store->path) : HR_OK;
}

static hr_status open_file(hr_compare_store *store, const char *path, hr_error *err) {
    struct stat found = {0};
    store->path = hr_copy_text(path, strlen(path), err);
    if (!store->path) return HR_ENOMEM;
    HR_TRY(open_once(store, &found, err));
    while (found.st_nlink == 0) { /* a finished comparison removed it before we locked it */
        close(store->fd);
        HR_TRY(open_once(store, &found, err));
    }
    return HR_OK;
}

hr_status hr_compare_store_open(const char *path, uint64_t identity, hr_compare *compare,
                                hr_compare_store **out, hr_error *err) {
    *out = NULL;
    char hex[17];
    hr_text text = {0};
    hr_compare_store *store = hr_alloc(1, sizeof *store, err);
    if (!store) return HR_ENOMEM;
    store->fd = -1;
    snprintf(hex, sizeof hex, "%016" PRIx64, identity);
    hr_status status = open_file(store, path, err);
    if (status == HR_OK) status = read_all(store, &text, err);
    if (status == HR_OK) status = open_text(store, &text, hex, compare, err);
    hr_text_free(&text);
    if (status == HR_OK)
        *out = store;
    else
        hr_compare_store_close(store);
    return status;
}

void hr_compare_store_close(hr_compare_store *store) {
    if (!store) return;
    if (store->fd >= 0) close(store->fd);
    free(store->path);
    free(store);
}
