/* source.c - the bytes of a plain, gzip or zstd file. The first bytes decide the kind, not the
 * name. A compressed file may consist of several members or frames, as parallel compressors and
 * `cat` produce them. A file that ends inside one is an error, so that half a table is never taken
 * for a whole one. */
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { INPUT_ROOM = 1 << 18, MOST_AT_ONCE = INPUT_ROOM * 16 };

typedef enum { PLAIN, GZIP, ZSTD } kind;

struct hr_source {
    char *path;
    const hr_watch *watch; /* or NULL */
    int fd;
    kind kind;
    uint64_t position, size;
    char *input; /* bytes of the file, still compressed */
    size_t input_at, input_end;
    bool input_over; /* the end of the file was reached */
    bool inside;     /* inside a member or frame */
    z_stream gzip;
    bool gzip_open;
    ZSTD_DStream *zstd;
};

hr_status hr_fail_errno(hr_error *err, const char *what, const char *path) {
    char reason[128] = "";
    if (strerror_r(errno, reason, sizeof reason))
        snprintf(reason, sizeof reason, "error %d", errno);
    return hr_fail(err, HR_EIO, "cannot %s %s: %s", what, path, reason);
}

/* True if a signal interrupted the call and the watcher does not want to stop. */
static bool go_on(const hr_source *s) {
    if (errno != EINTR) return false;
    return !s->watch || !s->watch->cancelled || !s->watch->cancelled(s->watch->payload);
}

static hr_status fail_read(const hr_source *s, hr_error *err) {
    return errno == EINTR ? hr_fail(err, HR_ECANCEL, "cancelled")
                          : hr_fail_errno(err, "read", s->path);
}

static hr_status read_file(hr_source *s, char *bytes, size_t room, size_t *got, hr_error *err) {
    ssize_t count;
    do
        count = read(s->fd, bytes, room);
    while (count < 0 && go_on(s));
    if (count < 0) return fail_read(s, err);
    *got = (size_t)count;
    s->position += (uint64_t)count;
    return HR_OK;
}

/* Reads until at least `least` bytes of input are buffered or the file ends. */
static hr_status refill(hr_source *s, size_t least, hr_error *err) {
    size_t left = s->input_end - s->input_at;
    if (left >= least || s->input_over) return HR_OK;
    memmove(s->input, s->input + s->input_at, left);
    s->input_at = 0;
    s->input_end = left;
    while (s->input_end < least && !s->input_over) {
        size_t got = 0;
        HR_TRY(read_file(s, s->input + s->input_end, INPUT_ROOM - s->input_end, &got, err));
        s->input_end += got;
        s->input_over = got == 0;
    }
    return HR_OK;
}

static bool begins_gzip(const unsigned char *c, size_t length) {
    return length >= 3 && c[0] == 0x1f && c[1] == 0x8b && c[2] == 8;
}

/* A frame, or a skippable frame, with which the output of parallel zstd tools begins. */
static bool begins_zstd(const unsigned char *c, size_t length) {
    if (length < 4) return false;
    bool frame = c[0] == 0x28 && c[1] == 0xb5 && c[2] == 0x2f && c[3] == 0xfd;
    bool skippable = (c[0] & 0xf0) == 0x50 && c[1] == 0x2a && c[2] == 0x4d && c[3] == 0x18;
    return frame || skippable;
}

static hr_status detect_kind(hr_source *s, hr_error *err) {
    HR_TRY(refill(s, 4, err));
    const unsigned char *start = (const unsigned char *)s->input;
    if (begins_gzip(start, s->input_end)) {
        s->kind = GZIP;
        s->gzip_open = inflateInit2(&s->gzip, 16 + MAX_WBITS) == Z_OK;
        if (!s->gzip_open) return hr_fail(err, HR_ENOMEM, "out of memory: cannot start zlib");
    } else if (begins_zstd(start, s->input_end)) {
        s->kind = ZSTD;
        s->zstd = ZSTD_createDStream();
        if (!s->zstd) return hr_fail(err, HR_ENOMEM, "out of memory: cannot start zstd");
    }
    return HR_OK;
}

static hr_status open_file(hr_source *s, const char *path, hr_error *err) {
    bool standard = !strcmp(path, "-");
    const char *name = standard ? "standard input" : path;
    s->path = hr_copy_text(name, strlen(name), err);
    if (!s->path) return HR_ENOMEM;
    do /* opening a named pipe waits for its writer */
        s->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    while (s->fd < 0 && go_on(s));
    if (s->fd < 0) return fail_read(s, err);
    struct stat status;
    if (fstat(s->fd, &status)) return hr_fail_errno(err, "read", path);
    if (S_ISDIR(status.st_mode)) {
        errno = EISDIR;
        return hr_fail_errno(err, "read", path);
    }
    if (S_ISREG(status.st_mode)) s->size = (uint64_t)status.st_size;
    return HR_OK;
}

hr_status hr_source_open(const char *path, const hr_watch *watch, hr_source **out, hr_error *err) {
    *out = NULL;
    hr_source *s = hr_alloc(1, sizeof *s, err);
    if (!s) return HR_ENOMEM;
    s->watch = watch;
    s->fd = -1;
    hr_status status = open_file(s, path, err);
    if (status == HR_OK) {
        s->input = hr_alloc_raw(INPUT_ROOM, 1, err);
        status = s->input ? detect_kind(s, err) : HR_ENOMEM;
    }
    if (status == HR_OK)
        *out = s;
    else
        hr_source_close(s);
    return status;
}

/* Returns the buffered bytes, from which the kind was detected, then reads directly. */
static hr_status read_plain(hr_source *s, char *bytes, size_t room, size_t *got, hr_error *err) {
    size_t left = s->input_end - s->input_at;
    if (left == 0) return read_file(s, bytes, room, got, err);
    *got = left < room ? left : room;
    memcpy(bytes, s->input + s->input_at, *got);
    s->input_at += *got;
    return HR_OK;
}

static hr_status cut_short(const hr_source *s, hr_error *err) {
    return hr_fail(err, HR_EIO,
                   "%s: the compressed file ends too early: it is incomplete, copy or download it "
                   "again",
                   s->path);
}

static hr_status broken(const hr_source *s, const char *why, hr_error *err) {
    return hr_fail(err, HR_EIO,
                   "%s: the compressed file is damaged (%s): copy or download it again", s->path,
                   why);
}

static hr_status inflate_some(hr_source *s, char *bytes, size_t room, size_t *got, hr_error *err) {
    uInt most = (uInt)(room > MOST_AT_ONCE ? MOST_AT_ONCE : room);
    s->gzip.next_in = (Bytef *)s->input + s->input_at;
    s->gzip.avail_in = (uInt)(s->input_end - s->input_at);
    s->gzip.next_out = (Bytef *)bytes;
    s->gzip.avail_out = most;
    int result = inflate(&s->gzip, Z_NO_FLUSH);
    s->input_at = s->input_end - s->gzip.avail_in;
    *got = most - s->gzip.avail_out;
    if (result == Z_MEM_ERROR) return hr_fail(err, HR_ENOMEM, "out of memory in zlib");
    if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        return broken(s, s->gzip.msg ? s->gzip.msg : "not gzip", err);
    s->inside = result != Z_STREAM_END;
    return HR_OK;
}

static hr_status unzstd_some(hr_source *s, char *bytes, size_t room, size_t *got, hr_error *err) {
    ZSTD_inBuffer in = {s->input, s->input_end, s->input_at};
    ZSTD_outBuffer out = {bytes, room, 0};
    size_t result = ZSTD_decompressStream(s->zstd, &out, &in);
    if (ZSTD_isError(result)) return broken(s, ZSTD_getErrorName(result), err);
    s->input_at = in.pos;
    *got = out.pos;
    s->inside = result != 0;
    return HR_OK;
}

/* After a member: zeros (padding of tapes), then another member or the end. */
static hr_status next_member(hr_source *s, bool *over, hr_error *err) {
    do {
        while (s->input_at < s->input_end && s->input[s->input_at] == 0)
            s->input_at++;
        HR_TRY(refill(s, 4, err));
    } while (s->input_at < s->input_end && s->input[s->input_at] == 0);
    size_t left = s->input_end - s->input_at;
    const unsigned char *start = (const unsigned char *)s->input + s->input_at;
    *over = left == 0;
    if (*over) return HR_OK;
    if (s->kind == GZIP ? !begins_gzip(start, left) : !begins_zstd(start, left))
        return broken(s, "something else follows the compressed data", err);
    s->inside = true;
    if (s->kind == GZIP) inflateReset(&s->gzip);
    return HR_OK;
}

static hr_status read_compressed(hr_source *s, char *bytes, size_t room, size_t *got,
                                 hr_error *err) {
    *got = 0;
    while (*got == 0) {
        bool over = false;
        if (!s->inside) HR_TRY(next_member(s, &over, err));
        if (over) return HR_OK;
        HR_TRY(refill(s, 1, err));
        size_t before = s->input_at;
        HR_TRY(s->kind == GZIP ? inflate_some(s, bytes, room, got, err)
                               : unzstd_some(s, bytes, room, got, err));
        bool stuck = *got == 0 && s->input_at == before && s->inside;
        if (stuck && s->input_at == s->input_end) return cut_short(s, err);
        if (stuck) return broken(s, "it cannot be read further", err);
    }
    return HR_OK;
}

hr_status hr_source_read(hr_source *s, char *bytes, size_t room, size_t *got, hr_error *err) {
    *got = 0;
    if (room == 0) return HR_OK;
    return s->kind == PLAIN ? read_plain(s, bytes, room, got, err)
                            : read_compressed(s, bytes, room, got, err);
}

uint64_t hr_source_position(const hr_source *s) {
    return s->position - (s->input_end - s->input_at);
}

uint64_t hr_source_size(const hr_source *s) {
    return s->size;
}

void hr_source_close(hr_source *s) {
    if (!s) return;
    if (s->gzip_open) inflateEnd(&s->gzip);
    ZSTD_freeDStream(s->zstd);
    if (s->fd >= 0 && s->fd != STDIN_FILENO) close(s->fd);
    free(s->input);
    free(s->path);
    free(s);
}
