/* ui_drop.c - a file that is dropped on the page: sent in slices, stored in the private folder,
 * which is removed when the server ends. */
#include "ui/ui_http.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MOST = 100 };
static const uint64_t size_most = UINT64_C(1) << 30;

void ui_drop_stop(ui_desk *desk) {
    if (desk->drop.fd >= 0) close(desk->drop.fd);
    if (desk->drop.path && desk->drop.have < desk->drop.size) unlink(desk->drop.path);
    free(desk->drop.path);
    desk->drop = (ui_drop){.fd = -1};
}

/* The name of the file, or its end: letters of any alphabet, digits, spaces and plain marks. */
static char *safe_name(const char *name) {
    name = ui_path_name(name);
    if (strlen(name) > NAME_MOST) name += strlen(name) - NAME_MOST;
    while (((unsigned char)*name & 0xc0) == 0x80) /* the middle of a letter */
        name++;
    char *safe = ui_copy(*name == '.' || !*name || !strcmp(name, "lock") ? "table.csv" : name);
    for (char *c = safe; c && *c; c++)
        if ((unsigned char)*c < 0x80 && !isalnum((unsigned char)*c) && !strchr("._- ()", *c))
            *c = '_';
    return safe;
}

hr_status ui_drop_begin(ui_desk *desk, const char *name, uint64_t size, hr_error *err) {
    if (size > size_most)
        return hr_fail(err, HR_EINVAL,
                       "a file that is dropped may have up to 1 GiB: put a larger one below the "
                       "folder in which the page was started, and open it there");
    ui_drop_stop(desk);
    char *safe = safe_name(name);
    desk->drop.path = safe ? ui_format("%s/%s", desk->own, safe) : NULL;
    free(safe);
    if (!desk->drop.path) return hr_fail(err, HR_ENOMEM, "out of memory");
    desk->drop.size = size;
    unlink(desk->drop.path);
    desk->drop.fd =
        open(desk->drop.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (desk->drop.fd >= 0) return HR_OK;
    return hr_fail(err, HR_EIO, "the file cannot be stored: %s", strerror(errno));
}

hr_status ui_drop_slice(ui_desk *desk, uint64_t offset, const void *bytes, size_t length,
                        hr_error *err) {
    ui_drop *drop = &desk->drop;
    if (drop->fd < 0) return hr_fail(err, HR_EINVAL, "no file is being sent");
    if (offset != drop->have || length > drop->size - drop->have)
        return hr_fail(err, HR_EINVAL, "this slice is not the next one of the file");
    const char *at = bytes;
    while (length > 0) {
        ssize_t written = write(drop->fd, at, length);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) {
            hr_status status =
                hr_fail(err, HR_EIO, "the file cannot be stored: %s", strerror(errno));
            ui_drop_stop(desk);
            return status;
        }
        at += written;
        length -= (size_t)written;
        drop->have += (uint64_t)written;
    }
    return HR_OK;
}

hr_status ui_drop_end(ui_desk *desk, hr_error *err) {
    ui_drop *drop = &desk->drop;
    if (drop->fd < 0) return hr_fail(err, HR_EINVAL, "no file is being sent");
    if (drop->have < drop->size) return hr_fail(err, HR_EINVAL, "the file has not come whole");
    char *path = drop->path;
    drop->path = NULL;
    ui_drop_stop(desk);
    hr_status status = ui_open(desk, path, err);
    free(path);
    return status;
}
