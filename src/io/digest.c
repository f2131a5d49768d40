/* digest.c - SHA-256 of files and of tables, by which a report identifies its input and its
 * release. */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROOM = 1 << 16 };

bool hr_is_plain_file(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

hr_status hr_file_digest(const char *path, char out[HR_SHA256_TEXT], hr_error *err) {
    hr_sha256 hash;
    char *bytes = hr_alloc_raw(ROOM, 1, err);
    if (!bytes) return HR_ENOMEM;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : 0;
    hr_sha256_start(&hash);
    while (fd >= 0 && ((got = read(fd, bytes, ROOM)) > 0 || (got < 0 && errno == EINTR)))
        if (got > 0) hr_sha256_add(&hash, bytes, (size_t)got);
    hr_status status = got < 0 ? hr_fail_errno(err, "read", path) : HR_OK;
    if (status == HR_OK) hr_sha256_end(&hash, out);
    if (fd >= 0) close(fd);
    free(bytes);
    return status;
}

static void add_bytes(const char *bytes, size_t length, void *payload) {
    hr_sha256_add(payload, bytes, length);
}

hr_status hr_table_digest(const hr_table *table, const hr_write_options *options,
                          char out[HR_SHA256_TEXT], hr_error *err) {
    hr_sha256 hash;
    hr_output *output;
    hr_sha256_start(&hash);
    HR_TRY(hr_output_open_sink(add_bytes, &hash, &output, err));
    hr_csv_release(output, table, options);
    hr_status status = hr_output_finish(output, err);
    hr_output_discard(output);
    if (status == HR_OK) hr_sha256_end(&hash, out);
    return status;
}

/* ---- addresses in reports ---- */

/* Appends the part `table=NAME` of what follows the `?`; a query is only mentioned. */
static void add_part(const char *parts, hr_text *out) {
    for (const char *part = parts; part; part = strchr(part, '&')) {
        if (*part == '&') part++;
        if (!strncmp(part, "table=", 6)) {
            hr_text_puts(out, "?");
            hr_text_add(out, part, strcspn(part, "&"));
        } else if (!strncmp(part, "query=", 6)) {
            hr_text_puts(out, "?query=...");
        }
    }
}

void hr_address_shown(const char *address, hr_text *out) {
    if (!hr_format_for(address)->scheme && !strstr(address, "://")) {
        hr_text_puts(out, address); /* the path of a file */
        return;
    }
    size_t length = strcspn(address, "?");
    const char *host = strstr(address, "://"), *end = address + length;
    if (host && host < end) {
        host += 3;
        hr_text_add(out, address, (size_t)(host - address));
        for (const char *c = host; c < end; c++)
            if (*c == '@') host = c + 1;
        address = host;
    }
    hr_text_add(out, address, (size_t)(end - address));
    if (*end == '?') add_part(end + 1, out);
}
