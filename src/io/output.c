/* output.c - a file that appears whole or not at all: it is written beside its place under another
 * name, flushed to disk and only then renamed. A killed run leaves the old file. What cannot be
 * renamed (standard output, a pipe, a device) is written straight through. The first failure is
 * kept, so that writers need not look after every field. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "io/io.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_ROOM = 1 << 18, NAME_PART = 200, ATTEMPTS = 100, LINKS = 40, LINK_ROOM = 4096 };

struct hr_output {
    char *path;      /* as shown in messages; for a file also what it is renamed to */
    char *temporary; /* NULL: written straight through */
    int fd;
    char *buffer;
    size_t used;
    hr_error failure; /* the first one; code HR_OK if there was none */
    bool finished;
};

/* ---- opening ---- */

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ".NAME.k3v9qa.tmp" beside `path`; O_EXCL decides whether the name is free, not chance. */
static char *temporary_name(const char *path, unsigned attempt, hr_error *err) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t seed[4] = {(uint64_t)now.tv_sec, (uint64_t)now.tv_nsec, (uint64_t)getpid(), attempt};
    uint64_t hash = hr_hash(seed, sizeof seed);
    char random[7] = "";
    for (int i = 0; i < 6; i++, hash >>= 5)
        random[i] = "abcdefghijklmnopqrstuvwxyz234567"[hash & 31];
    hr_text name = {0};
    hr_text_add(&name, path, (size_t)(file_name(path) - path));
    hr_text_printf(&name, ".%.*s.%s.tmp", NAME_PART, file_name(path), random);
    if (!name.failed) return name.data;
    hr_text_free(&name);
    hr_fail(err, HR_ENOMEM, "out of memory");
    return NULL;
}

/* A new file gets what the umask leaves of the mode, a replaced one keeps its own. */
static hr_status create_temporary(hr_output *o, mode_t mode, bool replaces, hr_error *err) {
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        char *name = temporary_name(o->path, attempt, err);
        if (!name) return HR_ENOMEM;
        o->fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (o->fd >= 0) {
            o->temporary = name;
            if (replaces && fchmod(o->fd, mode)) return hr_fail_errno(err, "write", o->path);
            return HR_OK;
        }
        free(name);
        if (errno != EEXIST) break;
    }
    return hr_fail_errno(err, "write", o->path);
}

/* A link to nothing yet: its target is made, as it would be replaced if it were there. */
static hr_status follow_dangling(hr_output *o, hr_error *err) {
    for (int hops = 0;; hops++) {
        char target[LINK_ROOM];
        ssize_t length = readlink(o->path, target, sizeof target);
        if (length < 0 && (errno == EINVAL || errno == ENOENT)) return HR_OK;
        if (length == (ssize_t)sizeof target) errno = ENAMETOOLONG;
        if (hops == LINKS) errno = ELOOP;
        if (length < 0 || length == (ssize_t)sizeof target || hops == LINKS)
            return hr_fail_errno(err, "write", o->path);
        hr_text path = {0};
        if (target[0] != '/') hr_text_add(&path, o->path, (size_t)(file_name(o->path) - o->path));
        hr_text_add(&path, target, (size_t)length);
        if (path.failed) {
            hr_text_free(&path);
            return hr_fail(err, HR_ENOMEM, "out of memory");
        }
        free(o->path);
        o->path = path.data;
    }
}

/* A link's target is replaced, not the link. */
static hr_status follow_link(hr_output *o, hr_error *err) {
    char *target = realpath(o->path, NULL);
    if (!target) return hr_fail_errno(err, "write", o->path);
    free(o->path);
    o->path = target;
    return HR_OK;
}

static hr_status open_path(hr_output *o, mode_t mode, hr_error *err) {
    struct stat status;
    if (stat(o->path, &status)) {
        HR_TRY(follow_dangling(o, err));
        return create_temporary(o, mode, false, err);
    }
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return hr_fail_errno(err, "write", o->path);
    }
    if (S_ISREG(status.st_mode)) {
        HR_TRY(follow_link(o, err));
        return create_temporary(o, status.st_mode & 0777, true, err);
    }
    do /* a pipe with a name waits for its reader */
        o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
    while (o->fd < 0 && errno == EINTR);
    return o->fd < 0 ? hr_fail_errno(err, "write", o->path) : HR_OK;
}

static hr_status prepare(hr_output *o, const char *path, mode_t mode, hr_error *err) {
    bool standard = !strcmp(path, "-");
    const char *shown = standard ? "standard output" : path;
    o->buffer = hr_alloc_raw(BUFFER_ROOM, 1, err);
    o->path = hr_copy_text(shown, strlen(shown), err);
    if (!o->buffer || !o->path) return HR_ENOMEM;
    if (!standard) return open_path(o, mode, err);
    o->fd = STDOUT_FILENO;
    return HR_OK;
}

static hr_status open_output(const char *path, mode_t mode, hr_output **out, hr_error *err) {
    *out = NULL;
    hr_output *o = hr_alloc(1, sizeof *o, err);
    if (!o) return HR_ENOMEM;
    o->fd = -1;
    hr_status status = prepare(o, path, mode, err);
    if (status == HR_OK)
        *out = o;
    else
        hr_output_discard(o);
    return status;
}

hr_status hr_output_open(const char *path, hr_output **out, hr_error *err) {
    return open_output(path, 0666, out, err);
}

hr_status hr_output_open_private(const char *path, hr_output **out, hr_error *err) {
    return open_output(path, 0600, out, err);
}

/* ---- writing ---- */

bool hr_write_all(int fd, const char *bytes, size_t length) {
    while (length > 0) {
        ssize_t count = write(fd, bytes, length);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return false;
        bytes += count;
        length -= (size_t)count;
    }
    return true;
}

/* A reader that went away is an error, not the end of the process: SIGPIPE is held back from this
 * thread, and taken if it came from this write. */
static bool write_quietly(int fd, const char *bytes, size_t length) {
    sigset_t pipe_signal, old, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &old);
    bool written = hr_write_all(fd, bytes, length);
    int reason = errno;
    if (!written && reason == EPIPE && !was_pending) {
        struct timespec at_once = {0};
        while (sigtimedwait(&pipe_signal, NULL, &at_once) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    errno = reason;
    return written;
}

static void flush(hr_output *o, const char *bytes, size_t length) {
    if (o->failure.code != HR_OK || length == 0) return;
    bool written =
        o->temporary ? hr_write_all(o->fd, bytes, length) : write_quietly(o->fd, bytes, length);
    if (!written) hr_fail_errno(&o->failure, "write", o->path);
}

void hr_output_add(hr_output *o, const char *bytes, size_t length) {
    assert(!o->finished);
    if (length > BUFFER_ROOM - o->used) {
        flush(o, o->buffer, o->used);
        o->used = 0;
        if (length >= BUFFER_ROOM) {
            flush(o, bytes, length);
            return;
        }
    }
    memcpy(o->buffer + o->used, bytes, length);
    o->used += length;
}

void hr_output_puts(hr_output *o, const char *text) {
    hr_output_add(o, text, strlen(text));
}

void hr_output_fail(hr_output *o, const hr_error *failure) {
    if (o->failure.code == HR_OK) o->failure = *failure;
}

/* ---- ending ---- */

bool hr_sync(int fd) {
    int result;
    do
        result = fsync(fd);
    while (result < 0 && errno == EINTR);
    return result == 0;
}

hr_status hr_output_finish(hr_output *o, hr_error *err) {
    if (!o->finished) {
        flush(o, o->buffer, o->used);
        o->used = 0;
        o->finished = true;
        if (o->temporary && o->failure.code == HR_OK && !hr_sync(o->fd))
            hr_fail_errno(&o->failure, "write", o->path);
    }
    if (o->failure.code != HR_OK && err) *err = o->failure;
    return o->failure.code;
}

/* The rename itself must reach the disk too; file systems that cannot do this are left alone. */
static void sync_folder(const char *path) {
    size_t length = (size_t)(file_name(path) - path);
    char *folder = length ? hr_copy_text(path, length, NULL) : NULL;
    int fd = open(folder ? folder : ".", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

hr_status hr_output_commit(hr_output *o, hr_error *err) {
    hr_status status = hr_output_finish(o, err);
    if (status == HR_OK && o->temporary) {
        if (rename(o->temporary, o->path)) {
            status = hr_fail_errno(err, "write", o->path);
        } else {
            sync_folder(o->path);
            free(o->temporary);
            o->temporary = NULL;
        }
    }
    hr_output_discard(o);
    return status;
}

void hr_output_discard(hr_output *o) {
    if (!o) return;
    if (o->fd >= 0 && o->fd != STDOUT_FILENO) close(o->fd);
    if (o->temporary) unlink(o->temporary);
    free(o->temporary);
    free(o->buffer);
    free(o->path);
    free(o);
}
