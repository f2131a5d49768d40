/* test_source.c - plain, gzip and zstd files recognized by content, in one piece or several, whole
 * or cut at every byte; and UTF-8, checked against a decoder. */
#include "io/io.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

static char path[] = "/tmp/hedgerow-source-XXXXXX";

static int make_path(void **state) {
    (void)state;
    int fd = mkstemp(path);
    return fd < 0 ? 1 : close(fd);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

static void put_file(const char *bytes, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static size_t gzip(const char *bytes, size_t length, char *out, size_t room) {
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)length;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

static size_t zstd(const char *bytes, size_t length, char *out, size_t room) {
    size_t size = ZSTD_compress(out, room, bytes, length, 3);
    assert_false(ZSTD_isError(size));
    return size;
}

typedef size_t (*packer)(const char *bytes, size_t length, char *out, size_t room);
static const packer packers[] = {gzip, zstd};

/* Reads the whole file, `step` bytes at a time. */
static hr_status read_whole(size_t step, hr_text *out, hr_error *err) {
    hr_source *source;
    HR_TRY(hr_source_open(path, NULL, &source, err));
    char *bytes = malloc(step);
    size_t got;
    hr_status status;
    while ((status = hr_source_read(source, bytes, step, &got, err)) == HR_OK && got > 0)
        hr_text_add(out, bytes, got);
    if (status == HR_OK) assert_int_equal(hr_source_position(source), hr_source_size(source));
    hr_source_close(source);
    free(bytes);
    return status;
}

static void check_whole(size_t step, const char *bytes, size_t length) {
    hr_text out = {0};
    hr_error err;
    if (read_whole(step, &out, &err) != HR_OK) fail_msg("%s", err.message);
    assert_int_equal(out.length, length);
    if (length) assert_memory_equal(out.data, bytes, length);
    hr_text_free(&out);
}

static char *random_bytes(size_t length) {
    hr_random random;
    hr_random_seed(&random, 3, 0);
    char *bytes = malloc(length);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (char)hr_random_below(&random, 256);
    return bytes;
}

static void plain_files(void **state) {
    (void)state;
    for (size_t length = 0; length < 9; length++) {
        put_file("a,b\n1,2\n", length < 8 ? length : 8);
        check_whole(3, "a,b\n1,2\n", length < 8 ? length : 8);
    }
    char *bytes = random_bytes(900000);
    put_file(bytes, 900000);
    check_whole(100000, bytes, 900000);
    check_whole(1 << 20, bytes, 900000);
    free(bytes);
}

static void packed_files(void **state) {
    (void)state;
    size_t length = 900000, room = 2000000;
    char *bytes = random_bytes(length), *packed = malloc(room);
    memset(bytes, 'x', length / 2); /* one half compresses well, the other does not */
    for (size_t i = 0; i < 2; i++) {
        put_file(packed, packers[i](bytes, length, packed, room));
        check_whole(777, bytes, length);
        check_whole(1 << 20, bytes, length);
        put_file(packed, packers[i]("", 0, packed, room));
        check_whole(10, "", 0);
    }
    free(bytes);
    free(packed);
}

static void several_members(void **state) {
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char packed[1000];
        size_t size = packers[i]("one\n", 4, packed, sizeof packed);
        size += packers[i]("", 0, packed + size, sizeof packed - size);
        size += packers[i]("two\n", 4, packed + size, sizeof packed - size);
        put_file(packed, size);
        check_whole(3, "one\ntwo\n", 8);
        check_whole(100, "one\ntwo\n", 8);
        memset(packed + size, 0, 20);
        put_file(packed, size + 20);
        check_whole(100, "one\ntwo\n", 8);
    }
    char packed[1000] = "\x50\x2a\x4d\x18\x03\0\0\0xyz"; /* a skippable frame */
    put_file(packed, 11 + zstd("one\n", 4, packed + 11, 900));
    check_whole(100, "one\n", 4);
}

static void cut_files(void **state) {
    (void)state;
    char text[600], packed[2000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i * i % 23);
    for (size_t i = 0; i < 2; i++) {
        size_t size = packers[i](text, sizeof text, packed, sizeof packed);
        for (size_t cut = 4; cut < size; cut++) {
            hr_text out = {0};
            hr_error err = {0};
            put_file(packed, cut);
            assert_int_equal(read_whole(50, &out, &err), HR_EIO);
            assert_non_null(strstr(err.message, "ends too early"));
            assert_non_null(strstr(err.message, path));
            hr_text_free(&out);
        }
    }
}

static void damaged_files(void **state) {
    (void)state;
    char packed[1000];
    for (size_t i = 0; i < 2; i++) {
        hr_error err = {0};
        hr_text out = {0};
        size_t size = packers[i]("one\ntwo\nthree\n", 14, packed, sizeof packed);
        memcpy(packed + size, "more", 4);
        put_file(packed, size + 4);
        assert_int_equal(read_whole(50, &out, &err), HR_EIO);
        assert_non_null(strstr(err.message, "something else follows"));
        packed[5] ^= 0x55;
        packed[12] ^= 0x55;
        put_file(packed, size);
        assert_int_equal(read_whole(50, &out, &err), HR_EIO);
        hr_text_free(&out);
    }
}

/* A table in a compressed file; a truncated file gives no table. */
static void packed_table(void **state) {
    (void)state;
    char packed[1000];
    for (size_t i = 0; i < 2; i++) {
        hr_table *table;
        hr_error err;
        size_t size = packers[i]("a,b\n1,2\n", 8, packed, sizeof packed);
        put_file(packed, size);
        assert_int_equal(hr_table_read(path, &table, &err), HR_OK);
        assert_int_equal(table->rows, 1);
        hr_table_free(table);
        put_file(packed, size - 1);
        assert_int_equal(hr_table_read(path, &table, &err), HR_EIO);
        assert_null(table);
    }
}

#ifdef HR_FAULT
static void out_of_memory(void **state) {
    (void)state;
    char packed[1000];
    for (size_t i = 0; i < 2; i++) {
        put_file(packed, packers[i]("a,b\n1,2\n", 8, packed, sizeof packed));
        hr_table *table;
        hr_status status;
        long nth = 0;
        do {
            hr_error err = {0};
            hr_memory_fail_at(++nth);
            status = hr_table_read(path, &table, &err);
            hr_memory_fail_at(0);
            assert_int_equal(status, err.code);
            assert_true(status == HR_OK || (status == HR_ENOMEM && !table));
        } while (status != HR_OK);
        assert_true(nth > 10);
        hr_table_free(table);
    }
}
#endif

static void what_cannot_be_read(void **state) {
    (void)state;
    hr_source *source;
    hr_error err;
    assert_int_equal(hr_source_open("/nowhere/a.csv", NULL, &source, &err), HR_EIO);
    assert_string_equal(err.message, "cannot read /nowhere/a.csv: No such file or directory");
    assert_null(source);
    assert_int_equal(hr_source_open("/tmp", NULL, &source, &err), HR_EIO);
    assert_string_equal(err.message, "cannot read /tmp: Is a directory");
    put_file("a", 1);
    if (geteuid() == 0) return;
    chmod(path, 0);
    assert_int_equal(hr_source_open(path, NULL, &source, &err), HR_EIO);
    assert_non_null(strstr(err.message, "Permission denied"));
    chmod(path, 0600);
}

static void standard_input(void **state) {
    (void)state;
    put_file("a,b\n1,2\n", 8);
    int kept = dup(STDIN_FILENO);
    assert_non_null(freopen(path, "rb", stdin));
    hr_table *table;
    assert_int_equal(hr_table_read("-", &table, NULL), HR_OK);
    assert_string_equal(table->source, "standard input");
    hr_table_free(table);
    dup2(kept, STDIN_FILENO);
    close(kept);
}

/* ---- signals while waiting ---- */

static void ignore(int signal_number) {
    (void)signal_number;
}

static bool says_stop(void *payload) {
    return *(bool *)payload;
}

/* Another process opens the pipe, interrupts its reader, and only then writes. */
static pid_t start_writer(const char *pipe_path, pid_t reader) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child) return child;
    struct timespec while_ = {.tv_nsec = 100000000};
    nanosleep(&while_, NULL);
    kill(reader, SIGUSR1); /* the reader waits for a writer */
    nanosleep(&while_, NULL);
    int fd = open(pipe_path, O_WRONLY);
    nanosleep(&while_, NULL);
    kill(reader, SIGUSR1); /* the reader waits for bytes */
    nanosleep(&while_, NULL);
    ssize_t written = write(fd, "a,b\n1,2\n", 8);
    _exit(written == 8 ? 0 : 1);
}

static hr_status read_interrupted(const hr_watch *watch, hr_table **table, hr_error *err) {
    char pipe_path[64];
    int result;
    snprintf(pipe_path, sizeof pipe_path, "%s.pipe", path);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    pid_t writer = start_writer(pipe_path, getpid());
    hr_status status = hr_csv_read(pipe_path, &(hr_read_options){.watch = watch}, table, err);
    int fd = open(pipe_path, O_RDONLY | O_NONBLOCK); /* so that the writer can end */
    while (waitpid(writer, &result, 0) < 0) {
    }
    close(fd);
    unlink(pipe_path);
    return status;
}

static void interrupted(void **state) {
    (void)state;
    hr_table *table;
    hr_error err = {0};
    bool stop = false;
    hr_watch watch = {.cancelled = says_stop, .payload = &stop};
    struct sigaction action = {.sa_handler = ignore}, old;
    sigemptyset(&action.sa_mask);
    sigaction(SIGUSR1, &action, &old);
    if (read_interrupted(&watch, &table, &err) != HR_OK) fail_msg("%s", err.message);
    assert_int_equal(table->rows, 1);
    hr_table_free(table);
    if (read_interrupted(NULL, &table, &err) != HR_OK) fail_msg("%s", err.message);
    hr_table_free(table);
    stop = true;
    assert_int_equal(read_interrupted(&watch, &table, &err), HR_ECANCEL);
    assert_null(table);
    sigaction(SIGUSR1, &old, NULL);
}

/* ---- UTF-8 ---- */

/* Decodes the character at c; returns its length, 0 if it is not valid. */
static size_t decode(const unsigned char *c, size_t left) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = c[0] < 0x80       ? 1
                    : c[0] >> 5 == 6  ? 2
                    : c[0] >> 4 == 14 ? 3
                    : c[0] >> 3 == 30 ? 4
                                      : 0;
    if (length <= 1) return length;
    if (length > left) return 0;
    uint32_t value = c[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if (c[i] >> 6 != 2) return 0;
        value = value << 6 | (c[i] & 0x3f);
    }
    bool fine = value >= least[length] && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
    return fine ? length : 0;
}

static size_t decoded_length(const unsigned char *c, size_t length) {
    size_t at = 0;
    for (size_t step; at < length && (step = decode(c + at, length - at)) > 0; at += step) {
    }
    return at;
}

static void utf8(void **state) {
    (void)state;
    static const unsigned char bytes[] = {'a',  0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf,
                                          0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xed, 0xef,
                                          0xf0, 0xf1, 0xf4, 0xf5, 0xff, 'b',  'c',  'd'};
    hr_random random;
    hr_random_seed(&random, 4, 0);
    for (int i = 0; i < 200000; i++) {
        unsigned char text[24];
        size_t length = hr_random_below(&random, sizeof text + 1);
        for (size_t j = 0; j < length; j++)
            text[j] =
                hr_random_below(&random, 3) ? bytes[hr_random_below(&random, sizeof bytes)] : 'x';
        bool cut;
        size_t valid = hr_utf8_valid((const char *)text, length, &cut);
        assert_int_equal(valid, decoded_length(text, length));
        assert_true(!cut || (length - valid < 4 && valid < length));
    }
}

static void cut_characters(void **state) {
    (void)state;
    bool cut;
    assert_int_equal(hr_utf8_valid("a\xf0\x9f\x8c\xb3", 4, &cut), 1);
    assert_true(cut);
    assert_int_equal(hr_utf8_valid("a\xf0\x9f\x8c\xb3", 5, &cut), 5);
    assert_false(cut);
    assert_int_equal(hr_utf8_valid("a\xf0\x8f", 3, &cut), 1);
    assert_false(cut);
    assert_int_equal(hr_utf8_valid("a\xc3", 2, &cut), 1);
    assert_true(cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_files),         cmocka_unit_test(packed_files),
        cmocka_unit_test(several_members),     cmocka_unit_test(cut_files),
        cmocka_unit_test(damaged_files),       cmocka_unit_test(packed_table),
        cmocka_unit_test(what_cannot_be_read), cmocka_unit_test(standard_input),
        cmocka_unit_test(interrupted),         cmocka_unit_test(utf8),
        cmocka_unit_test(cut_characters),
#ifdef HR_FAULT
        cmocka_unit_test(out_of_memory),
#endif
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
