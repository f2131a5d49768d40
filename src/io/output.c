/* output.c - a file that appears whole or not at all. The bytes go to a temporary file in the same
 * folder, which is flushed to disk and then renamed over the destination, so that a killed run
 * leaves the old file. Standard output, pipes and devices cannot be renamed: bytes go to them
 * directly. An output remembers its first failure, so writers need not check every field. */
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

enum {
    BUFFER_ROOM = 1 << 18,
    NAME_PART = 200,
    ATTEMPTS = 100,
    LINKS = 40,
    LINK_ROOM = 4096,
    PRIVATE = 0600
};
#define DEFAULT_MODE ((mode_t)-1) /* the mode that new files get */

struct hr_output {
    char *path;            /* as shown in messages; for a file also the destination */
    char *temporary;       /* NULL: bytes go to `path` directly */
    mode_t mode;           /* of the finished file; the temporary file is always private */
    const hr_watch *watch; /* or NULL */
    hr_sink *sink;         /* gets the bytes instead of `fd`; or NULL */
    void *payload;         /* of the sink */
    int fd;
    char *buffer;
    size_t used;
    hr_error failure; /* the first failure; its code is HR_OK if there was none */
    bool finished;
};

/* ---- opening ---- */

static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ".NAME.k3v9qa.tmp" in the folder of `path`. The name may be taken: the caller opens it with
 * O_EXCL and tries again with another `attempt`. */
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
    (void)hr_fail(err, HR_ENOMEM, "out of memory");
    return NULL;
}

static int create_file(const char *name, mode_t mode) {
    return open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

/* Stores the mode that a new file of this name gets from the umask and the folder. Asks the file
 * system with an empty file, because reading the umask means changing it for all threads. */
static bool default_mode(const char *name, mode_t *mode) {
    struct stat status;
    int fd = create_file(name, 0666);
    if (fd < 0) return false;
    bool known = fstat(fd, &status) == 0;
    int reason = errno;
    close(fd);
    unlink(name);
    errno = reason;
    if (known) *mode = status.st_mode & 0777;
    return known;
}

/* The temporary file is readable by its owner alone until hr_output_commit sets the final
 * `mode`. */
static hr_status create_temporary(hr_output *o, mode_t mode, hr_error *err) {
    o->mode = mode;
    for (unsigned attempt = 0; attempt < ATTEMPTS; attempt++) {
        char *name = temporary_name(o->path, attempt, err);
        if (!name) return HR_ENOMEM;
        if (mode != DEFAULT_MODE || default_mode(name, &o->mode))
            o->fd = create_file(name, PRIVATE);
        if (o->fd >= 0) {
            o->temporary = name;
            return HR_OK;
        }
        free(name);
        if (errno != EEXIST) break;
    }
    return hr_fail_errno(err, "write", o->path);
}

/* A link whose target does not exist: the target is created and the link stays, as it does when the
 * target exists. */
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

/* The target of a link is replaced, not the link. */
static hr_status follow_link(hr_output *o, hr_error *err) {
    char *target = realpath(o->path, NULL);
    if (!target) return hr_fail_errno(err, "write", o->path);
    free(o->path);
    o->path = target;
    return HR_OK;
}

/* A signal ended a system call: fails with HR_ECANCEL if the watcher wants to stop. */
static hr_status check_cancelled(const hr_output *o, hr_error *err) {
    const hr_watch *watch = o->watch;
    bool stop = watch && watch->cancelled && watch->cancelled(watch->payload);
    return stop ? hr_fail(err, HR_ECANCEL, "cancelled") : HR_OK;
}

/* Opening a named pipe waits for its reader. */
static hr_status open_direct(hr_output *o, hr_error *err) {
    while ((o->fd = open(o->path, O_WRONLY | O_CLOEXEC)) < 0) {
        if (errno != EINTR) return hr_fail_errno(err, "write", o->path);
        HR_TRY(check_cancelled(o, err));
    }
    return HR_OK;
}

static hr_status open_path(hr_output *o, bool private, hr_error *err) {
    struct stat status;
    if (stat(o->path, &status)) {
        HR_TRY(follow_dangling(o, err));
        return create_temporary(o, private ? PRIVATE : DEFAULT_MODE, err);
    }
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return hr_fail_errno(err, "write", o->path);
    }
    if (!S_ISREG(status.st_mode)) return open_direct(o, err);
    HR_TRY(follow_link(o, err));
    return create_temporary(o, private ? PRIVATE : status.st_mode & 0777, err);
}

static hr_status prepare(hr_output *o, const char *path, bool private, hr_error *err) {
    bool standard = !strcmp(path, "-");
    const char *shown = standard ? "standard output" : path;
    o->buffer = hr_alloc_raw(BUFFER_ROOM, 1, err);
    o->path = hr_copy_text(shown, strlen(shown), err);
    if (!o->buffer || !o->path) return HR_ENOMEM;
    if (!standard) return open_path(o, private, err);
    o->fd = STDOUT_FILENO;
    return HR_OK;
}

static hr_status open_output(const char *path, bool private, const hr_watch *watch, hr_output **out,
                             hr_error *err) {
    *out = NULL;
    hr_output *o = hr_alloc(1, sizeof *o, err);
    if (!o) return HR_ENOMEM;
    o->fd = -1;
    o->watch = watch;
    hr_status status = prepare(o, path, private, err);
    if (status == HR_OK)
        *out = o;
    else
        hr_output_discard(o);
    return status;
}

hr_status hr_output_open(const char *path, const hr_watch *watch, hr_output **out, hr_error *err) {
    return open_output(path, false, watch, out, err);
}

hr_status hr_output_open_private(const char *path, const hr_watch *watch, hr_output **out,
                                 hr_error *err) {
    return open_output(path, true, watch, out, err);
}

hr_status hr_output_open_sink(hr_sink *sink, void *payload, hr_output **out, hr_error *err) {
    hr_output *o = *out = hr_alloc(1, sizeof *o, err);
    if (!o) return HR_ENOMEM;
    o->sink = sink;
    o->payload = payload;
    o->fd = -1;
    o->buffer = hr_alloc_raw(BUFFER_ROOM, 1, err);
    if (o->buffer) return HR_OK;
    free(o);
    *out = NULL;
    return HR_ENOMEM;
}

bool hr_output_is_direct(const hr_output *o) {
    return !o->temporary;
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

/* Writes to a pipe or device, whose reader may keep the call waiting or go away. */
static hr_status write_direct(const hr_output *o, const char *bytes, size_t length, hr_error *err) {
    while (length > 0) {
        ssize_t count = write(o->fd, bytes, length);
        if (count < 0 && errno != EINTR) return hr_fail_errno(err, "write", o->path);
        if (count < 0) {
            HR_TRY(check_cancelled(o, err));
            continue;
        }
        bytes += count;
        length -= (size_t)count;
        if (length > 0) HR_TRY(check_cancelled(o, err)); /* a signal may have cut the write short */
    }
    return HR_OK;
}

/* Makes a closed pipe an error instead of the end of the process: blocks SIGPIPE in this thread
 * during the write, and removes the pending signal if this write raised it. */
static void write_without_sigpipe(hr_output *o, const char *bytes, size_t length) {
    sigset_t pipe_signal, old, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    bool was_pending = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &old);
    if (write_direct(o, bytes, length, &o->failure) != HR_OK && !was_pending) {
        struct timespec no_wait = {0};
        while (sigtimedwait(&pipe_signal, NULL, &no_wait) < 0 && errno == EINTR) {
        }
    }
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

static void flush(hr_output *o, const char *bytes, size_t length) {
    if (o->failure.code != HR_OK || length == 0) return;
    if (o->sink)
        o->sink(bytes, length, o->payload);
    else if (!o->temporary)
        write_without_sigpipe(o, bytes, length);
    else if (!hr_write_all(o->fd, bytes, length))
        (void)hr_fail_errno(&o->failure, "write", o->path);
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
            (void)hr_fail_errno(&o->failure, "write", o->path);
    }
    if (o->failure.code != HR_OK && err) *err = o->failure;
    return o->failure.code;
}

/* Makes the rename durable. Some file systems cannot sync a folder: their errors are ignored. */
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

/* Some file systems have no modes to set, so the mode is changed only where it differs. */
static bool set_mode(const hr_output *o) {
    struct stat status;
    if (fstat(o->fd, &status)) return false;
    return (status.st_mode & 0777) == o->mode || fchmod(o->fd, o->mode) == 0;
}

hr_status hr_output_commit(hr_output *o, hr_error *err) {
    hr_status status = hr_output_finish(o, err);
    if (status == HR_OK && o->temporary) {
        if (!set_mode(o) || rename(o->temporary, o->path)) {
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
