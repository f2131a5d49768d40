/* plain.c - see plain.h. Child processes share the cases; each case has its own folder. */
#include "plain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

jmp_buf case_failed;
static char complaint[2048];

void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
    longjmp(case_failed, 1);
}

/* ---- dice ---- */

/* splitmix64 */
static uint64_t next_number(dice *d) {
    uint64_t z = d->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

dice dice_of(uint64_t seed, uint64_t number) {
    dice d = {seed * 1000003 + number};
    next_number(&d);
    return d;
}

int roll(dice *d, int least, int most) {
    return least + (int)(next_number(d) % (uint64_t)(most - least + 1));
}

bool chance(dice *d, int percent) {
    return roll(d, 0, 99) < percent;
}

/* ---- tables ---- */

void put_text(char *place, const char *text) {
    CHECK(strlen(text) < MOST_TEXT, "a text is too long for this test: %s", text);
    strcpy(place, text);
}

int sheet_column(const sheet *s, const char *name) {
    for (int i = 0; i < s->columns; i++)
        if (!strcmp(s->name[i], name)) return i;
    return -1;
}

static char *read_bytes(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    CHECK(file, "%s is not there", path);
    static char bytes[1 << 20];
    *length = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    CHECK(*length < sizeof bytes - 1, "%s is too long for this test", path);
    bytes[*length] = '\0';
    CHECK(strlen(bytes) == *length, "%s has a NUL in it", path);
    return bytes;
}

/* Reads a field from *at and leaves *at at the delimiter or line end after it. */
static void read_field(const char **at, char delimiter, char *field) {
    const char *c = *at;
    size_t length = 0;
    bool quoted = *c == '"';
    if (quoted) c++;
    for (;;) {
        if (quoted && c[0] == '"' && c[1] == '"') {
            c++;
        } else if (quoted && *c == '"') {
            c++;
            break;
        } else if (!quoted && (*c == delimiter || *c == '\n')) {
            break;
        }
        if (!*c) break;
        CHECK(length + 1 < MOST_TEXT, "a field is too long for this test");
        field[length++] = *c++;
    }
    field[length] = '\0';
    CHECK(*c == delimiter || *c == '\n', "a field does not end as it should: %s", field);
    *at = c;
}

void sheet_read(const char *path, char delimiter, sheet *s) {
    size_t length;
    const char *c = read_bytes(path, &length);
    s->rows = -1; /* the first line is the header */
    s->columns = 0;
    while (*c) {
        int fields = 0;
        CHECK(*c != '\n', "%s has a blank line", path);
        for (;; c++) {
            CHECK(fields < MOST_COLUMNS && s->rows < MOST_ROWS, "%s is too large", path);
            read_field(&c, delimiter, s->rows < 0 ? s->name[fields] : s->cell[s->rows][fields]);
            fields++;
            if (*c == '\n') break;
        }
        c++;
        if (s->rows < 0) s->columns = fields;
        CHECK(fields == s->columns, "%s: a row has %d fields, the header %d", path, fields,
              s->columns);
        s->rows++;
    }
    CHECK(s->rows >= 0, "%s is empty", path);
}

static void write_field(FILE *file, const char *text, char delimiter, bool quote) {
    if (strchr(text, delimiter) || strpbrk(text, "\"\r\n")) quote = true;
    if (quote) fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    if (quote) fputc('"', file);
}

void sheet_write(const char *path, char delimiter, const char *line_end, dice *quotes,
                 const sheet *s) {
    FILE *file = fopen(path, "wb");
    CHECK(file, "cannot write %s", path);
    for (int row = -1; row < s->rows; row++) {
        for (int i = 0; i < s->columns; i++) {
            const char *text = row < 0 ? s->name[i] : s->cell[row][i];
            if (i > 0) fputc(delimiter, file);
            /* a file with one column contains no delimiter that could be detected */
            bool alone = s->columns == 1 && (!*text || strpbrk(text, ",;\t|"));
            write_field(file, text, delimiter, alone || (quotes && chance(quotes, 5)));
        }
        fputs(line_end, file);
    }
    CHECK(fclose(file) == 0, "cannot write %s", path);
}

bool file_exists(const char *path) {
    return access(path, F_OK) == 0;
}

bool file_tells(const char *path, const char *text) {
    static char bytes[1 << 18];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t length = fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    bytes[length] = '\0';
    return strstr(bytes, text) != NULL;
}

bool same_bytes(const char *path, const char *other) {
    FILE *a = fopen(path, "rb"), *b = fopen(other, "rb");
    bool same = a && b;
    for (int c = 0; same && c != EOF;) {
        c = fgetc(a);
        same = c == fgetc(b);
    }
    if (a) fclose(a);
    if (b) fclose(b);
    return same;
}

long hundredths(const char *text) {
    bool negative = *text == '-';
    const char *c = text + negative;
    long value = 0;
    int digits = 0;
    for (; *c >= '0' && *c <= '9'; c++, digits++)
        value = value * 10 + (*c - '0');
    value *= 100;
    if (*c == '.') {
        long unit = 10;
        for (c++; *c >= '0' && *c <= '9'; c++, unit /= 10, digits++)
            value += (*c - '0') * unit;
    }
    CHECK(!*c && digits > 0, "'%s' is not a number", text);
    return negative ? -value : value;
}

/* ---- trees ---- */

int tree_find(const tree *t, const char *label) {
    for (int node = 0; node < t->nodes; node++)
        if (!strcmp(t->label[node], label)) return node;
    return -1;
}

static int node_of(tree *t, const char *label) {
    int node = tree_find(t, label);
    if (node >= 0) return node;
    CHECK(t->nodes < MOST_NODES, "a tree is too large for this test");
    put_text(t->label[t->nodes], label);
    t->parent[t->nodes] = -1;
    return t->nodes++;
}

void tree_understand(tree *t) {
    t->nodes = 0;
    for (int line = 0; line < t->lines; line++)
        for (int level = 0; level < t->levels; level++)
            t->node[line][level] = node_of(t, t->text[line][level]);
    for (int line = 0; line < t->lines; line++)
        for (int level = 0; level + 1 < t->levels; level++)
            if (t->node[line][level] != t->node[line][level + 1])
                t->parent[t->node[line][level]] = t->node[line][level + 1];
    t->root = t->node[0][t->levels - 1];
}

static void mark_ancestors(const tree *t, int node, bool *set) {
    memset(set, 0, MOST_NODES * sizeof *set);
    for (; node >= 0; node = t->parent[node])
        set[node] = true;
}

bool tree_above(const tree *t, int upper, int node) {
    bool set[MOST_NODES];
    mark_ancestors(t, node, set);
    return set[upper];
}

int tree_lowest_common(const tree *t, const bool *member) {
    for (int node = 0; node < t->nodes; node++) {
        /* at or above every member, but none of its children is */
        bool common = true, lowest = true;
        for (int m = 0; m < t->nodes; m++)
            if (member[m] && !tree_above(t, node, m)) common = false;
        for (int child = 0; child < t->nodes; child++) {
            if (t->parent[child] != node) continue;
            bool child_common = true;
            for (int m = 0; m < t->nodes; m++)
                if (member[m] && !tree_above(t, child, m)) child_common = false;
            if (child_common) lowest = false;
        }
        if (common && lowest) return node;
    }
    fail("a tree has no common ancestor");
}

int tree_height(const tree *t, int node) {
    int highest = 0;
    for (int line = 0; line < t->lines; line++) {
        int leaf = t->node[line][0], steps = 0;
        if (!tree_above(t, node, leaf)) continue;
        for (int up = leaf; up != node; up = t->parent[up])
            steps++;
        if (steps > highest) highest = steps;
    }
    return highest;
}

int tree_leaves(const tree *t, int node) {
    int count = 0;
    for (int leaf = 0; leaf < t->nodes; leaf++) {
        bool is_leaf = false;
        for (int line = 0; line < t->lines; line++)
            if (t->node[line][0] == leaf) is_leaf = true;
        if (is_leaf && tree_above(t, node, leaf)) count++;
    }
    return count;
}

int tree_leaf_count(const tree *t) {
    return tree_leaves(t, t->root);
}

/* ---- running ---- */

void command_start(command *c, const char *name) {
    c->count = 0;
    command_add(c, "%s", HR_COMMAND);
    command_add(c, "%s", name);
}

void command_add(command *c, const char *format, ...) {
    CHECK(c->count < MOST_ARGUMENTS, "too many arguments for this test");
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(c->text[c->count], MOST_PATH, format, arguments);
    va_end(arguments);
    CHECK(length >= 0 && length < MOST_PATH, "an argument is too long for this test");
    c->count++;
}

static void note_command(const command *c, const char *folder) {
    char path[MOST_PATH];
    snprintf(path, sizeof path, "%s/commands", folder);
    FILE *file = fopen(path, "a");
    if (!file) return;
    for (int i = 0; i < c->count; i++)
        fprintf(file, "%s'%s'", i ? " " : "", c->text[i]);
    fprintf(file, "\n");
    fclose(file);
}

int command_run(const command *c, const char *folder) {
    extern char **environ;
    char *argv[MOST_ARGUMENTS + 1] = {0}, out[MOST_PATH], err[MOST_PATH];
    for (int i = 0; i < c->count; i++)
        argv[i] = (char *)(uintptr_t)c->text[i];
    note_command(c, folder);
    snprintf(out, sizeof out, "%s/stdout", folder);
    snprintf(err, sizeof err, "%s/stderr", folder);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_addopen(&actions, 2, err, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    pid_t child;
    int failure = posix_spawn(&child, argv[0], &actions, NULL, argv, environ), status = 0;
    posix_spawn_file_actions_destroy(&actions);
    CHECK(!failure, "cannot run %s: %s", argv[0], strerror(failure));
    while (waitpid(child, &status, 0) < 0)
        CHECK(errno == EINTR, "waiting for the command: %s", strerror(errno));
    CHECK(WIFEXITED(status), "the command was ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

/* ---- the loop ---- */

typedef struct {
    const char *name;
    char folder[MOST_PATH / 4];
    uint64_t seed;
    int first, last, jobs;
    void (*run)(dice *d, const char *folder);
} batch;

static uint64_t setting(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtoull(text, NULL, 10) : otherwise;
}

/* The folder must contain files only. */
static void remove_folder(const char *path) {
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char file[MOST_PATH * 2];
        snprintf(file, sizeof file, "%s/%s", path, entry->d_name);
        if (entry->d_name[0] != '.') remove(file);
    }
    if (folder) closedir(folder);
    rmdir(path);
}

/* Runs one case; returns true if it passed. */
static bool run_case(const batch *b, int number) {
    char folder[MOST_PATH / 2];
    dice d = dice_of(b->seed, (uint64_t)number);
    snprintf(folder, sizeof folder, "%s/%d", b->folder, number);
    mkdir(folder, 0777);
    if (setjmp(case_failed)) {
        fprintf(stderr, "%s: case %d fails (HR_SEED=%llu HR_CASE=%d, %s): %s\n", b->name, number,
                (unsigned long long)b->seed, number, folder, complaint);
        return false;
    }
    b->run(&d, folder);
    remove_folder(folder);
    return true;
}

static int run_share(const batch *b, int job) {
    int failures = 0, enough = (int)setting("HR_FAILURES", 5);
    for (int i = b->first + job; i < b->last && failures < enough; i += b->jobs)
        failures += !run_case(b, i);
    return failures;
}

/* A file system in memory if possible: the command waits until a release is on the disk. */
static void make_folder(batch *b) {
    const char *places[] = {getenv("TMPDIR"), "/dev/shm", "/tmp"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!places[i]) continue;
        snprintf(b->folder, sizeof b->folder, "%s/%s-XXXXXX", places[i], b->name);
        if (mkdtemp(b->folder)) return;
    }
    fprintf(stderr, "%s: no place for temporary files\n", b->name);
    exit(1);
}

int run_cases(const char *name, int cases, void (*run)(dice *d, const char *folder)) {
    batch b = {.name = name, .seed = setting("HR_SEED", 1), .run = run};
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    cases /= 10; /* the instrumented command starts ten times as slowly */
#endif
    b.last = (int)setting("HR_CASES", (uint64_t)cases);
    b.jobs = (int)setting("HR_JOBS", 2);
    if (getenv("HR_CASE")) {
        b.first = (int)setting("HR_CASE", 0);
        b.last = b.first + 1;
    }
    make_folder(&b);
    bool failed = false;
    for (int job = 0; job < b.jobs; job++) {
        pid_t child = fork();
        if (child == 0) _exit(run_share(&b, job) ? 1 : 0);
        if (child < 0) failed = true;
    }
    for (int status; wait(&status) > 0;)
        if (!WIFEXITED(status) || WEXITSTATUS(status)) failed = true;
    if (failed)
        fprintf(stderr, "%s: the folders of what failed are in %s\n", name, b.folder);
    else
        remove_folder(b.folder);
    printf("%s: %d cases, seed %llu: %s\n", name, b.last - b.first, (unsigned long long)b.seed,
           failed ? "FAILED" : "all hold");
    return failed;
}
