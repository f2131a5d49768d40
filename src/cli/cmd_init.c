/* cmd_init.c - `hedgerow init FILE`: drafts a job for a table. On a terminal it asks a few
 * questions, each with an answer that Enter gives; elsewhere it asks nothing. */
#include "cli/cli.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *output, *k;
    bool replace, yes;
} own_flags;

enum { ANSWER = 512 };

static bool exists(const char *path) {
    struct stat about;
    return lstat(path, &about) == 0;
}

/* Where the job goes; NULL: to standard output, which `-` is too. */
static const char *job_path(const own_flags *own) {
    return own->output && strcmp(own->output, "-") ? own->output : NULL;
}

/* ---- Questions ---- */

/* Asks and reads one line, without its end and outer blanks. False: there is none. */
static bool ask(char *answer, const char *question, const char *initial) {
    fprintf(stderr, initial ? "%s [%s]: " : "%s: ", question, initial);
    fflush(stderr);
    if (!fgets(answer, ANSWER, stdin)) return false;
    size_t start = strspn(answer, " \t"), end = strlen(answer);
    while (end > start && strchr(" \t\r\n", answer[end - 1]))
        end--;
    memmove(answer, answer + start, end - start);
    answer[end - start] = '\0';
    return true;
}

static hr_status cancelled(hr_error *err) {
    return hr_fail(err, HR_ECANCEL, "cancelled: nothing was written");
}

static void complain(const hr_error *why) {
    fprintf(stderr, "  %s\n", why->message);
}

/* COLUMN=ROLE until Enter. */
static hr_status ask_roles(hr_draft *draft, hr_error *err) {
    char answer[ANSWER];
    for (;;) {
        hr_error why;
        if (!ask(answer, "change a role? COLUMN=ROLE, or Enter", NULL)) return cancelled(err);
        if (!*answer) return HR_OK;
        char *equals = strrchr(answer, '=');
        if (equals) *equals = '\0';
        hr_status status = equals
                               ? hr_draft_set_role(draft, answer, equals + 1, &why)
                               : hr_fail(&why, HR_EINVAL, "write COLUMN=ROLE, such as age=quasi");
        if (status == HR_ENOMEM) return hr_fail(err, status, "%s", why.message);
        if (status != HR_OK) complain(&why);
    }
}

static hr_status set_k(hr_draft *draft, const char *text, hr_error *err) {
    uint64_t k;
    if (!hr_parse_uint(text, INT64_MAX, &k))
        return hr_fail(err, HR_EINVAL, "k: '%s' is not a whole number", text);
    return hr_draft_set_k(draft, (int64_t)k, err);
}

static hr_status ask_k(hr_draft *draft, hr_error *err) {
    char answer[ANSWER], initial[24];
    for (;;) {
        hr_error why;
        snprintf(initial, sizeof initial, "%lld", (long long)hr_draft_result(draft)->k);
        if (!ask(answer, "k, rows that are published alike", initial)) return cancelled(err);
        if (!*answer || set_k(draft, answer, &why) == HR_OK) return HR_OK;
        complain(&why);
    }
}

/* patients.csv -> patients.yaml */
static void default_job(const char *input, char *out) {
    const char *table = strstr(input, "table="), *from = table ? table + 6 : input;
    size_t length = strcspn(from, "?&");
    for (size_t i = length; i > 1 && from[i - 1] != '/'; i--)
        if (from[i - 1] == '.' && from[i - 2] != '/') length = i - 1;
    snprintf(out, ANSWER, "%.*s.yaml", (int)(length < ANSWER - 8 ? length : ANSWER - 8), from);
}

static hr_status ask_path(const char *input, char *path, bool *replace, hr_error *err) {
    char initial[ANSWER], answer[ANSWER];
    default_job(input, initial);
    for (;;) {
        if (!ask(path, "write the job to", initial)) return cancelled(err);
        if (!*path) snprintf(path, ANSWER, "%s", initial);
        *replace = true;
        if (!exists(path)) return HR_OK;
        fprintf(stderr, "%s exists. ", path);
        if (!ask(answer, "Replace it?", "no")) return cancelled(err);
        if (*answer == 'y' || *answer == 'Y') return HR_OK;
    }
}

/* Prints the first `length` bytes of a text as a part of a word in single quotes. */
static void print_escaped(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'') fputs("'\\'", stderr);
        fputc(text[i], stderr);
    }
}

/* Prints a blank and a word of a command line, in quotes if a shell would change it. The word is
 * the first `length` bytes of `before`, and `text`. */
static void print_word(size_t length, const char *before, const char *text) {
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=-,";
    bool bare = strspn(before, plain) >= length && *text && text[strspn(text, plain)] == '\0';
    fputs(bare ? " " : " '", stderr);
    print_escaped(before, length);
    print_escaped(text, strlen(text));
    if (!bare) fputc('\'', stderr);
}

/* ---- What is printed ---- */

static void say_next(const hr_draft *draft, const char *input, const char *job) {
    const hr_draft_column *column;
    size_t count[5] = {0};
    static const char *const roles[] = {"identifier", "quasi", "sensitive", "keep", "drop"};
    for (size_t i = 0; (column = hr_draft_at(draft, i)); i++)
        for (size_t role = 0; role < 5; role++)
            count[role] += !strcmp(column->role, roles[role]);
    const hr_draft_figures *figures = hr_draft_result(draft);
    fprintf(stderr,
            "%llu row%s, %zu column%s: %zu identifier%s, %zu quasi-identifier%s, %zu sensitive, "
            "%zu kept, %zu dropped\n",
            (unsigned long long)figures->rows, figures->rows == 1 ? "" : "s", figures->columns,
            figures->columns == 1 ? "" : "s", count[0], count[0] == 1 ? "" : "s", count[1],
            count[1] == 1 ? "" : "s", count[2], count[3], count[4]);
    fprintf(stderr, "%.1f %% of the rows are unique by the quasi-identifiers\n",
            100 * figures->unique);
    if (!job) return;
    const char *slash = strrchr(job, '/');
    size_t folder = slash ? (size_t)(slash - job) + 1 : 0;
    fprintf(stderr, "wrote %s\nnext:  read it: every role is a guess, with its reason\n", job);
    fprintf(stderr, "       hedgerow anonymize");
    print_word(0, "", job);
    fprintf(stderr, " --trace");
    print_word(folder, job, "trace.csv");
    char *shown = strdup(input);
    if (shown) hr_hide_password(shown);
    fprintf(stderr, "\n       hedgerow check");
    print_word(folder, job, figures->output);
    print_word(0, "", job);
    fprintf(stderr, " --original");
    print_word(0, "", shown ? shown : "");
    fprintf(stderr, " --trace");
    print_word(folder, job, "trace.csv");
    fputc('\n', stderr);
    free(shown);
}

/* The guesses: on standard output unless the job goes there. */
static hr_status print_guesses(const hr_draft *draft, hr_print_format format, bool to_stdout,
                               hr_error *err) {
    char *text;
    HR_TRY(hr_draft_print(draft, format, &text, err));
    if (to_stdout) {
        if (format != HR_PRINT_TABLE) return cli_print(text, err);
        cli_show(text);
        fflush(stdout);
        return HR_OK;
    }
    fputs(text, stderr);
    hr_free(text);
    return HR_OK;
}

/* ---- The command ---- */

static hr_status finish(const cli_arguments *arguments, hr_draft *draft, hr_error *err) {
    const own_flags *own = arguments->own;
    const char *path = job_path(own), *input = arguments->words[0];
    char asked[ANSWER];
    bool terminal = isatty(STDIN_FILENO) && isatty(STDERR_FILENO) && !own->yes && !arguments->quiet;
    bool replace = own->replace, rows_only = !path && arguments->format != HR_PRINT_TABLE;
    if (rows_only) return print_guesses(draft, arguments->format, true, err);
    if (own->k) HR_TRY(set_k(draft, own->k, err));
    if (!arguments->quiet) HR_TRY(print_guesses(draft, arguments->format, path || terminal, err));
    if (terminal) {
        HR_TRY(ask_roles(draft, err));
        if (!own->k) HR_TRY(ask_k(draft, err));
    }
    if (terminal && !path && isatty(STDOUT_FILENO)) {
        HR_TRY(ask_path(input, asked, &replace, err));
        path = asked;
    }
    if (path && !replace && exists(path))
        return hr_fail(err, HR_EINVAL, "%s exists: choose another name, or give --replace", path);
    const char *job = hr_draft_job(draft);
    HR_TRY(hr_file_write(path ? path : "-", job, strlen(job), false, NULL, err));
    if (!arguments->quiet) say_next(draft, input, path);
    return HR_OK;
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const own_flags *own = arguments->own;
    const char *input = arguments->words[0], *path = job_path(own);
    cli_watch watch;
    hr_draft *draft;
    if (path && !own->replace && exists(path))
        return hr_fail(err, HR_EINVAL, "%s exists: choose another name, or give --replace", path);
    hr_draft_request request = {.size = sizeof request, .input = input, .job = path};
    cli_watch_start(&watch, arguments->quiet);
    hr_status status = hr_job_draft(&request, &watch.watch, &draft, err);
    cli_watch_end(&watch);
    if (status != HR_OK) return status;
    status = finish(arguments, draft, err);
    hr_draft_free(draft);
    return status;
}

static const cli_flag flags[] = {
    {"output", 'o', "JOB.yaml", "the job (absent: standard output; on a terminal, init asks)",
     offsetof(own_flags, output)},
    {"replace", 0, NULL, "replace a job that exists", offsetof(own_flags, replace)},
    {"k", 0, "N", "least number of rows in a class (5)", offsetof(own_flags, k)},
    {"yes", 'y', NULL, "do not ask, even on a terminal", offsetof(own_flags, yes)},
    {0},
};

const cli_command cmd_init = {
    .name = "init",
    .summary = "draft a job for a table: roles, hierarchies, and why",
    .usage = "FILE [-o JOB.yaml] [flags]",
    .about = "Guesses type and role of each column by its name (English, German, French,\n"
             "Spanish, Italian) and its values, chooses hierarchies, and writes a job that\n"
             "runs as it is. FILE is a CSV file or an address such as\n"
             "'sqlite:study.db?table=visits'. The guesses are printed as a table; with\n"
             "--format csv or json and no -o they are all that is printed. Comments and tables\n"
             "have counts and shares, and no value of any column.",
    .example = "hedgerow init patients.csv -o job.yaml",
    .least = 1,
    .most = 1,
    .job_at = -1,
    .prints = true,
    .flags = flags,
    .own_size = sizeof(own_flags),
    .run = run,
};
