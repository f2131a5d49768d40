/* test_output.c - files that appear whole or not at all, how CSV is written into them, and tables
 * of which only some columns are read. */
#include "unit.h"

#include <dirent.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/hedgerow-output-XXXXXX";
static char path[64], other[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/out.csv", folder);
    snprintf(other, sizeof other, "%s/other.csv", folder);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    unlink(path);
    unlink(other);
    return rmdir(folder);
}

static int start_clean(void **state) {
    (void)state;
    unlink(path);
    unlink(other);
    return 0;
}

static int files_in_folder(void) {
    DIR *dir = opendir(folder);
    int count = -2; /* . and .. */
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void assert_file(const char *name, const char *expected) {
    char text[4096];
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[length] = '\0';
    assert_string_equal(text, expected);
}

static void write_file(const char *name, const char *text) {
    hr_output *output;
    hr_error err;
    if (hr_output_open(name, NULL, &output, &err) != HR_OK) fail_msg("%s", err.message);
    hr_output_puts(output, text);
    if (hr_output_commit(output, &err) != HR_OK) fail_msg("%s", err.message);
}

static mode_t mode_of(const char *name) {
    struct stat status;
    assert_int_equal(stat(name, &status), 0);
    return status.st_mode & 0777;
}

static void whole_or_not_at_all(void **state) {
    (void)state;
    hr_output *output;
    assert_int_equal(hr_output_open(path, NULL, &output, NULL), HR_OK);
    hr_output_puts(output, "one\n");
    assert_int_equal(hr_output_finish(output, NULL), HR_OK);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(files_in_folder(), 1);
    assert_int_equal(hr_output_commit(output, NULL), HR_OK);
    assert_file(path, "one\n");
    assert_int_equal(files_in_folder(), 1);

    assert_int_equal(hr_output_open(path, NULL, &output, NULL), HR_OK);
    hr_output_puts(output, "two\n");
    assert_int_equal(hr_output_finish(output, NULL), HR_OK);
    hr_output_discard(output);
    assert_file(path, "one\n");
    assert_int_equal(files_in_folder(), 1);
    hr_output_discard(NULL);
}

static void large_output(void **state) {
    (void)state;
    hr_output *output;
    size_t big = 1000000, total = 0;
    char *bytes = malloc(big);
    memset(bytes, 'x', big);
    assert_int_equal(hr_output_open(path, NULL, &output, NULL), HR_OK);
    for (size_t length = 1; length < big; total += length, length = length * 3 + 1)
        hr_output_add(output, bytes, length);
    hr_output_add(output, bytes, 0);
    assert_int_equal(hr_output_commit(output, NULL), HR_OK);
    struct stat status;
    stat(path, &status);
    assert_int_equal(status.st_size, total);
    free(bytes);
}

static void permissions(void **state) {
    (void)state;
    mode_t old = umask(027);
    write_file(path, "a");
    assert_int_equal(mode_of(path), 0640);
    chmod(path, 0606);
    write_file(path, "b"); /* a replaced file keeps its mode */
    assert_int_equal(mode_of(path), 0606);
    umask(0);
    hr_output *output;
    assert_int_equal(hr_output_open_private(other, NULL, &output, NULL), HR_OK);
    assert_int_equal(hr_output_commit(output, NULL), HR_OK);
    assert_int_equal(mode_of(other), 0600);
    chmod(other, 0644);
    assert_int_equal(hr_output_open_private(other, NULL, &output, NULL), HR_OK);
    assert_int_equal(hr_output_commit(output, NULL), HR_OK);
    assert_int_equal(mode_of(other), 0600); /* whatever was there before */
    umask(old);
}

/* Returns the mode of the one file in the folder whose name begins with a dot. */
static mode_t temporary_mode(void) {
    mode_t mode = 0;
    char name[512];
    DIR *dir = opendir(folder);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] != '.' || strlen(entry->d_name) < 3) continue;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        mode = mode_of(name);
    }
    closedir(dir);
    return mode;
}

static void temporary_files_are_private(void **state) {
    (void)state;
    mode_t old = umask(0);
    hr_output *output;
    for (int replaces = 0; replaces < 2; replaces++) {
        assert_int_equal(hr_output_open(path, NULL, &output, NULL), HR_OK);
        hr_output_puts(output, "a");
        assert_int_equal(temporary_mode(), 0600);
        assert_int_equal(hr_output_finish(output, NULL), HR_OK);
        assert_int_equal(temporary_mode(), 0600);
        assert_int_equal(hr_output_commit(output, NULL), HR_OK);
        assert_int_equal(mode_of(path), 0666);
    }
    umask(old);
}

static bool stop(void *payload) {
    (*(int *)payload)++;
    return true;
}

static void on_alarm(int signal_number) {
    (void)signal_number;
}

/* Opening a pipe without a reader waits until a signal comes and the watcher wants to stop. */
static void cancelled_while_opening(void **state) {
    (void)state;
    int asked = 0;
    hr_watch watch = {.cancelled = stop, .payload = &asked};
    struct sigaction action = {.sa_handler = on_alarm}, old;
    hr_output *output;
    hr_error err;
    assert_int_equal(mkfifo(path, 0600), 0);
    sigaction(SIGALRM, &action, &old);
    alarm(1);
    hr_status status = hr_output_open(path, &watch, &output, &err);
    sigaction(SIGALRM, &old, NULL);
    assert_int_equal(status, HR_ECANCEL);
    assert_int_equal(asked, 1);
    assert_null(output);
}

static void dangling_links(void **state) {
    (void)state;
    struct stat status;
    hr_output *output;
    assert_int_equal(symlink("other.csv", path), 0);
    write_file(path, "new");
    assert_file(other, "new");
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    unlink(other);
    assert_int_equal(symlink("out.csv", other), 0); /* a cycle of links */
    assert_int_equal(hr_output_open(other, NULL, &output, NULL), HR_EIO);
}

static void links(void **state) {
    (void)state;
    write_file(other, "old");
    assert_int_equal(symlink("other.csv", path), 0);
    write_file(path, "new");
    assert_file(other, "new");
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    unlink(other);
    write_file(path, "newer"); /* the target of the link was removed */
    assert_file(path, "newer");
}

static void what_cannot_be_written(void **state) {
    (void)state;
    hr_output *output;
    hr_error err;
    assert_int_equal(hr_output_open("/nowhere/out.csv", NULL, &output, &err), HR_EIO);
    assert_string_equal(err.message, "cannot write /nowhere/out.csv: No such file or directory");
    assert_null(output);
    assert_int_equal(hr_output_open(folder, NULL, &output, &err), HR_EIO);
    assert_non_null(strstr(err.message, "Is a directory"));
}

static void long_name(void **state) {
    (void)state;
    char name[300];
    int used = snprintf(name, sizeof name, "%s/", folder);
    memset(name + used, 'n', 255);
    name[used + 255] = '\0';
    write_file(name, "a");
    assert_file(name, "a");
    unlink(name);
}

static void full_device(void **state) {
    (void)state;
    hr_output *output;
    hr_error err;
    if (access("/dev/full", W_OK)) skip();
    assert_int_equal(hr_output_open("/dev/full", NULL, &output, NULL), HR_OK);
    hr_output_puts(output, "a");
    assert_int_equal(hr_output_commit(output, &err), HR_EIO);
    assert_string_equal(err.message, "cannot write /dev/full: No space left on device");
    assert_int_equal(access("/dev/full", W_OK), 0);
}

/* A file size limit has the same effect as a full disk. */
static void full_disk(void **state) {
    (void)state;
    write_file(path, "old");
    struct rlimit old, small;
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){1000, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    hr_output *output;
    hr_error err;
    hr_status opened = hr_output_open(path, NULL, &output, NULL);
    char bytes[4000] = {0};
    for (int i = 0; opened == HR_OK && i < 100; i++)
        hr_output_add(output, bytes, sizeof bytes);
    hr_status finished = opened == HR_OK ? hr_output_finish(output, NULL) : HR_OK;
    hr_status committed = opened == HR_OK ? hr_output_commit(output, &err) : HR_OK;
    setrlimit(RLIMIT_FSIZE, &old);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(finished, HR_EIO);
    assert_int_equal(committed, HR_EIO);
    assert_non_null(strstr(err.message, "out.csv: File too large"));
    assert_file(path, "old");
    assert_int_equal(files_in_folder(), 1);
}

/* Standard output is a pipe whose reader is gone: an error, not the end of the process. */
static void broken_pipe(void **state) {
    (void)state;
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    hr_output *output;
    hr_error err = {0};
    hr_status opened = hr_output_open("-", NULL, &output, NULL);
    hr_output_puts(output, "a");
    hr_status committed = hr_output_commit(output, &err);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    assert_int_equal(opened, HR_OK);
    assert_int_equal(committed, HR_EIO);
    assert_string_equal(err.message, "cannot write standard output: Broken pipe");
}

static void standard_output(void **state) {
    (void)state;
    int ends[2];
    char text[16] = "";
    assert_int_equal(pipe(ends), 0);
    fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    dup2(ends[1], STDOUT_FILENO);
    write_file("-", "hello");
    dup2(kept, STDOUT_FILENO);
    assert_int_equal(read(ends[0], text, sizeof text), 5);
    assert_string_equal(text, "hello");
    close(kept);
    close(ends[0]);
    close(ends[1]);
}

/* ---- CSV ---- */

static void fields(void **state) {
    (void)state;
    static const char *const texts[] = {"a",  "",     "a b", "a,b",       "a;b",
                                        "\"", "x\ny", "x\r", "say \"hi\""};
    hr_output *output;
    assert_int_equal(hr_output_open(path, NULL, &output, NULL), HR_OK);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hr_csv_field(output, texts[i], strlen(texts[i]), ';');
        hr_output_puts(output, "/");
    }
    assert_int_equal(hr_output_commit(output, NULL), HR_OK);
    assert_file(path, "a//a b/a,b/\"a;b\"/\"\"\"\"/\"x\ny\"/\"x\r\"/\"say \"\"hi\"\"\"/");
}

static void rows(void **state) {
    (void)state;
    const char *names[] = {"id", "a;b", "c"};
    const char *fields[][3] = {{"1", "x,y", ""}, {"2", "x\"y", "z"}, {"1", "x,y", ""}};
    hr_table *table;
    assert_int_equal(hr_table_new(3, names, &table, NULL), HR_OK);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(hr_table_append(table, fields[i], NULL), HR_OK);
    assert_int_equal(hr_table_write(table, path, NULL), HR_OK);
    assert_file(path, "id,\"a;b\",c\n1,\"x,y\",\n2,\"x\"\"y\",z\n1,\"x,y\",\n");
    table->delimiter = '\t';
    assert_int_equal(hr_table_write(table, path, NULL), HR_OK);
    assert_file(path, "id\t\"a;b\"\tc\n1\tx,y\t\n2\t\"x\"\"y\"\tz\n1\tx,y\t\n");
    hr_table_free(table);
}

static void single_column(void **state) {
    (void)state;
    const char *names[] = {"a"}, *fields[] = {"1", ""};
    hr_table *table;
    assert_int_equal(hr_table_new(1, names, &table, NULL), HR_OK);
    assert_int_equal(hr_table_append(table, &fields[0], NULL), HR_OK);
    assert_int_equal(hr_table_append(table, &fields[1], NULL), HR_OK);
    assert_int_equal(hr_table_write(table, path, NULL), HR_OK);
    assert_file(path, "a\n1\n\"\"\n");
    hr_table_free(table);
}

/* The same quotes in a text as in a file. */
static void fields_of_texts(void **state) {
    (void)state;
    hr_text text = {0};
    static const char *const texts[] = {"a", "", "a;b", "\"", "x\ny", "say \"hi\"", "\xef\xbb\xbf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        hr_csv_text(&text, texts[i], ';');
        hr_text_puts(&text, "/");
    }
    assert_string_equal(text.data,
                        "a//\"a;b\"/\"\"\"\"/\"x\ny\"/\"say \"\"hi\"\"\"/\"\xef\xbb\xbf\"/");
    hr_text_free(&text);
}

static void one_file(void **state) {
    (void)state;
    hr_error err = {0};
    hr_watch unset = {0}, watch = {.size = sizeof watch};
    assert_int_equal(hr_file_write(path, "release", 7, false, NULL, NULL), HR_OK);
    assert_file(path, "release");
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(hr_file_write(path, "again", 5, false, &watch, NULL), HR_OK);
    assert_int_equal(mode_of(path), 0644);
    assert_int_equal(hr_file_write(path, "trace", 5, true, NULL, NULL), HR_OK);
    assert_file(path, "trace");
    assert_int_equal(mode_of(path), 0600);
    assert_int_equal(hr_file_write(path, "x", 1, true, &unset, &err), HR_EINVAL);
    assert_int_equal(hr_file_write(folder, "x", 1, true, NULL, &err), HR_EIO);
    assert_int_equal(hr_file_write("/dev/full", "x", 1, true, NULL, &err), HR_EIO);
    assert_file(path, "trace");
    assert_int_equal(files_in_folder(), 1);
}

static void some_columns(void **state) {
    (void)state;
    static const char *const wanted[] = {"zip", "age"}, *const unknown[] = {"zpi"};
    hr_table *table;
    hr_error err = {0};
    write_file(path, "age,name,zip\n31,Ann,8010\n36,Bo,8020\n");
    assert_int_equal(hr_table_read_columns(path, wanted, 2, &table, NULL), HR_OK);
    assert_int_equal(hr_table_columns(table), 2);
    assert_string_equal(hr_table_name(table, 0), "age"); /* in the order of the file */
    assert_string_equal(hr_table_text(table, 1, 1), "8020");
    hr_table_free(table);
    assert_int_equal(hr_table_read_columns(path, unknown, 1, &table, &err), HR_EINVAL);
    assert_null(table);
    assert_string_equal(err.message, "there is no column 'zpi' (did you mean 'zip'?)");
    assert_int_equal(hr_table_read_columns(path, wanted, 0, &table, &err), HR_EINVAL);
    assert_int_equal(hr_table_read_columns(other, wanted, 2, &table, &err), HR_EIO);
    assert_null(table);
}

static void formats(void **state) {
    (void)state;
    assert_string_equal(hr_format_for("a.csv")->name, "csv");
    assert_string_equal(hr_format_for("a.tsv")->name, "csv");
    assert_string_equal(hr_format_for("a")->name, "csv");
    assert_string_equal(hr_format_for("-")->name, "csv");
    for (size_t i = 0; hr_formats[i]; i++)
        assert_true(hr_formats[i]->title && hr_formats[i]->reference && hr_formats[i]->takes);
}

static hr_status write_one(void *payload, hr_error *err) {
    hr_status status = hr_file_write(path, payload, strlen(payload), true, NULL, err);
    assert_int_equal(files_in_folder(), 1);
    assert_file(path, status == HR_OK ? payload : "old");
    return status;
}

static hr_status read_one(void *payload, hr_error *err) {
    const char *column = payload;
    hr_table *table;
    hr_status status = hr_table_read_columns(path, &column, 1, &table, err);
    assert_int_equal(status == HR_OK, table != NULL);
    hr_table_free(table);
    return status;
}

static void one_file_without_memory(void **state) {
    (void)state;
    write_file(path, "old");
    with_failing_memory(write_one, "age,zip\n31,8010\n", 3);
    with_failing_memory(read_one, "zip", 5);
}

#ifdef HR_FAULT
static void out_of_memory(void **state) {
    (void)state;
    const char *names[] = {"a", "b"}, *fields[] = {"1", "2"};
    hr_table *table;
    assert_int_equal(hr_table_new(2, names, &table, NULL), HR_OK);
    assert_int_equal(hr_table_append(table, fields, NULL), HR_OK);
    write_file(path, "old");
    hr_status status;
    long nth = 0;
    do {
        hr_error err = {0};
        hr_memory_fail_at(++nth);
        status = hr_table_write(table, path, &err);
        hr_memory_fail_at(0);
        if (status != HR_OK) {
            assert_int_equal(status, HR_ENOMEM);
            assert_int_equal(err.code, HR_ENOMEM);
            assert_file(path, "old");
            assert_int_equal(files_in_folder(), 1);
        }
    } while (status != HR_OK);
    assert_true(nth > 5);
    assert_file(path, "a,b\n1,2\n");
    hr_table_free(table);
}
#endif

#define CLEAN(test) cmocka_unit_test_setup(test, start_clean)

int main(void) {
    const struct CMUnitTest tests[] = {
        CLEAN(whole_or_not_at_all),
        CLEAN(large_output),
        CLEAN(permissions),
        CLEAN(temporary_files_are_private),
        CLEAN(cancelled_while_opening),
        CLEAN(links),
        CLEAN(dangling_links),
        CLEAN(what_cannot_be_written),
        CLEAN(long_name),
        CLEAN(full_device),
        CLEAN(full_disk),
        CLEAN(broken_pipe),
        CLEAN(standard_output),
        CLEAN(fields),
        CLEAN(rows),
        CLEAN(single_column),
        CLEAN(fields_of_texts),
        CLEAN(one_file),
        CLEAN(some_columns),
        CLEAN(one_file_without_memory),
        CLEAN(formats),
#ifdef HR_FAULT
        CLEAN(out_of_memory),
#endif
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
