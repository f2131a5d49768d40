/* compare_store.c - the runs of a comparison that are done, kept so that a killed one goes on: JSON,
 * a line each, the first of which says what they are of. A line is on the disk before the run counts
 * as done; one that was cut off is dropped. */
#include "job/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STORE_MOST = 64 << 20 }; /* bytes */

struct hr_store {
    char *path;
    int fd;
};

/* ---- Writing ---- */

static json_t *text_of(const char *bytes) {
    hr_text clean = {0};
    hr_utf8_clean(&clean, bytes ? bytes : "");
    json_t *made = clean.failed ? NULL : json_string(clean.data);
    hr_text_free(&clean);
    return made;
}

/* What was asked for, and the figures under their names or why there are none. */
static json_t *line_of(const hr_compare_cell *cell) {
    json_t *line = json_object();
    bool failed = json_object_set_new(line, "algorithm", text_of(cell->algorithm)) != 0;
    failed |= json_object_set_new(line, "k", json_integer(cell->asked.k)) != 0;
    failed |= json_object_set_new(line, "p", json_integer(cell->asked.p)) != 0;
    if (cell->state == HR_CELL_EMPTY)
        failed |= json_object_set_new(line, "note", text_of(cell->note)) != 0;
    for (const hr_figure *f = hr_compare_figures; f->name && cell->state == HR_CELL_DONE; f++) {
        double value = hr_figure_value(f, &cell->figures);
        json_t *number = isnan(value) ? json_null() : json_real(value);
        failed |= json_object_set_new(line, f->name, number) != 0;
    }
    if (!failed) return line;
    json_decref(line);
    return NULL;
}

/* Whole and on the disk, or a failure. */
static hr_status append(hr_store *store, const char *bytes, hr_error *err) {
    size_t length = strlen(bytes);
    while (length > 0) {
        ssize_t count = write(store->fd, bytes, length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return hr_fail_errno(err, "write", store->path);
        bytes += count;
        length -= (size_t)count;
    }
    while (fsync(store->fd) < 0)
        if (errno != EINTR) return hr_fail_errno(err, "write", store->path);
    return HR_OK;
}

static hr_status append_json(hr_store *store, json_t *line, hr_error *err) {
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

hr_status hr_store_add(hr_store *store, const hr_compare_cell *cell, hr_error *err) {
    return append_json(store, line_of(cell), err);
}

static hr_status begin(hr_store *store, const char *identity, hr_error *err) {
    return append_json(
        store, json_pack("{s:s, s:s}", "hedgerow compare", HR_VERSION, "of", identity), err);
}

/* ---- Reading ---- */

static hr_status read_all(hr_store *store, hr_text *out, hr_error *err) {
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

/* Fill every cell that asks for what the line is about. */
static void fill(hr_compare *compare, json_t *line) {
    const char *algorithm = json_string_value(json_object_get(line, "algorithm"));
    const json_t *note = json_object_get(line, "note");
    int64_t k = json_integer_value(json_object_get(line, "k"));
    int64_t p = json_integer_value(json_object_get(line, "p"));
    for (size_t i = 0; algorithm && i < compare->cell_count; i++) {
        hr_compare_cell *cell = &compare->cells[i];
        if (cell->state != HR_CELL_WAITING || cell->asked.k != k || cell->asked.p != p ||
            strcmp(cell->algorithm, algorithm))
            continue;
        cell->state = note ? HR_CELL_EMPTY : HR_CELL_DONE;
        compare->kept += cell->twin == i;
        if (note) {
            free(cell->note);
            cell->note = hr_copy_text(json_string_value(note), json_string_length(note), NULL);
        }
        for (const hr_figure *f = hr_compare_figures; f->name && !note; f++) {
            const json_t *number = json_object_get(line, f->name);
            hr_figure_set(f, &cell->figures,
                          json_is_number(number) ? json_number_value(number) : NAN);
        }
    }
}

static hr_status read_line(hr_store *store, const char *text, size_t length, size_t number,
                           const char *identity, hr_compare *compare, hr_error *err) {
    json_t *line = json_loadb(text, length, 0, NULL);
    bool first = number == 1;
    const json_t *needed = json_object_get(line, first ? "of" : "algorithm");
    hr_status status = HR_OK;
    if (!json_is_string(needed))
        status = hr_fail(err, HR_EINVAL,
                         "%s, line %zu: this is no run of a comparison; name another file",
                         store->path, number);
    else if (first && strcmp(json_string_value(needed), identity))
        status = hr_fail(err, HR_EINVAL,
                         "%s has runs of another job, of other data or of another version: name "
                         "another file, or remove it",
                         store->path);
    else if (!first)
        fill(compare, line);
    json_decref(line);
    return status;
}

/* *end: where the last whole line ends. */
static hr_status read_lines(hr_store *store, const hr_text *text, const char *identity,
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

/* A file that has something but no whole line is not ours unless it begins as ours do. */
static bool is_ours(const hr_text *text) {
    static const char beginning[] = "{\"hedgerow compare\"";
    size_t length = text->length < sizeof beginning - 1 ? text->length : sizeof beginning - 1;
    return !length || !memcmp(text->data, beginning, length);
}

static hr_status open_text(hr_store *store, const hr_text *text, const char *identity,
                           hr_compare *compare, hr_error *err) {
    size_t end;
    if (!is_ours(text))
        return hr_fail(err, HR_EINVAL,
                       "%s is there and has no runs of a comparison: name another file",
                       store->path);
    HR_TRY(read_lines(store, text, identity, compare, &end, err));
    if (end < text->length && ftruncate(store->fd, (off_t)end))
        return hr_fail_errno(err, "write", store->path);
    return end == 0 ? begin(store, identity, err) : HR_OK;
}

static hr_status open_file(hr_store *store, const char *path, hr_error *err) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    store->path = hr_copy_text(path, strlen(path), err);
    if (!store->path) return HR_ENOMEM;
    store->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (store->fd < 0) return hr_fail_errno(err, "write", path);
    if (fcntl(store->fd, F_SETLK, &lock) && (errno == EACCES || errno == EAGAIN))
        return hr_fail(err, HR_EIO, "%s is in use: another comparison is writing to it", path);
    return HR_OK;
}

hr_status hr_store_open(const char *path, uint64_t identity, hr_compare *compare, hr_store **out,
                        hr_error *err) {
    *out = NULL;
    char hex[17];
    hr_text text = {0};
    hr_store *store = hr_alloc(1, sizeof *store, err);
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
        hr_store_close(store);
    return status;
}

void hr_store_close(hr_store *store) {
    if (!store) return;
    if (store->fd >= 0) close(store->fd);
    free(store->path);
    free(store);
}
