/* cmd_generate.c - `hedgerow generate KIND`: a data set to try things with, its hierarchies and a
 * job that runs as it is, in a folder. */
#include "cli/cli.h"
#include "generate/generate.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct {
    const char *name;
    const char *variant; /* a second job: FOLDER/NAME + variant + .yaml; NULL: none */
    hr_status (*write)(const hr_generate_request *request, hr_error *err);
} kind;

static const kind kinds[] = {{"uu", "-hierarchy", hr_generate_papers},
                             {"un", "-hierarchy", hr_generate_papers},
                             {"nu", "-hierarchy", hr_generate_papers},
                             {"nn", "-hierarchy", hr_generate_papers},
                             {"census", NULL, hr_generate_census}};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct {
    const char *rows, *seed, *output;
} own_flags;

static const cli_flag flags[] = {
    {"rows", 0, "N", "how many rows (10000)", offsetof(own_flags, rows)},
    {"seed", 0, "N", "of the random numbers (1)", offsetof(own_flags, seed)},
    {"output", 'o', "DIR", "the folder to write to, made if absent", offsetof(own_flags, output)},
    {0},
};

static const cli_syntax syntax = {
    .command = "generate",
    .usage = "uu|un|nu|nn|census -o DIR [--rows N] [--seed N]",
    .about =
        "Writes DIR/KIND.csv, DIR/hierarchies/ and DIR/KIND.yaml, a job that runs as it is.\n"
        "The same kind, rows and seed give the same bytes on any machine.\n\n"
        "  uu, un, nu, nn   synthetic sets from the literature on p-sensitive k-anonymity:\n"
        "                   quasi-identifiers (first letter) and sensitive attributes are\n"
        "                   uniform or normal; also DIR/KIND-hierarchy.yaml, where the numeric\n"
        "                   one has a hierarchy too\n"
        "  census           the population register of a country that does not exist",
    .least = 1,
    .most = 1,
    .job_at = -1,
    .flags = flags,
    .own_size = sizeof(own_flags),
};

/* ---- What was asked for ---- */

static const char *kind_at(size_t i, const void *payload) {
    (void)payload;
    return kinds[i].name;
}

static hr_status find_kind(const char *name, const kind **out, hr_error *err) {
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            *out = &kinds[i];
            return HR_OK;
        }
    const char *nearest = hr_text_nearest(name, KINDS, kind_at, NULL);
    if (nearest)
        return hr_fail(err, HR_EINVAL, "there is no kind '%s' (did you mean '%s'?)", name, nearest);
    return hr_fail(err, HR_EINVAL, "there is no kind '%s': write uu, un, nu, nn or census", name);
}

static hr_status read_flags(const own_flags *own, hr_generate_request *request, hr_error *err) {
    const uint64_t most = HR_NONE - 1; /* rows of a table are numbered in 32 bits */
    if (own->rows && (!hr_parse_uint(own->rows, most, &request->rows) || request->rows == 0))
        return hr_fail(err, HR_EINVAL, "--rows: '%s' is not a whole number from 1 to %llu",
                       own->rows, (unsigned long long)most);
    if (own->seed && !hr_parse_uint(own->seed, UINT64_MAX, &request->seed))
        return hr_fail(err, HR_EINVAL, "--seed: '%s' is not a whole number", own->seed);
    if (!own->output || !*own->output) return hr_fail(err, HR_EINVAL, "which folder? Write -o DIR");
    return HR_OK;
}

/* ---- Doing it ---- */

static hr_status make_folder(const char *path, hr_error *err) {
    struct stat about;
    if (mkdir(path, 0777) == 0) return HR_OK;
    int why = errno;
    if (why == EEXIST && stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return HR_OK;
    return hr_fail(err, HR_EIO, "the folder %s cannot be made: %s", path, strerror(why));
}

static hr_status make_folders(const char *folder, hr_error *err) {
    HR_TRY(make_folder(folder, err));
    hr_text path = {0};
    hr_text_printf(&path, "%s/hierarchies", folder);
    hr_status status =
        path.failed ? hr_fail(err, HR_ENOMEM, "out of memory") : make_folder(path.data, err);
    hr_text_free(&path);
    return status;
}

static hr_status write_files(const kind *chosen, hr_generate_request *request, bool quiet,
                             hr_error *err) {
    HR_TRY(make_folders(request->folder, err));
    cli_watch watch;
    cli_watch_start(&watch, quiet);
    request->watch = &watch.watch;
    hr_status status = chosen->write(request, err);
    cli_watch_end(&watch);
    return status;
}

static void say_what(const kind *chosen, const hr_generate_request *request) {
    const char *folder = request->folder, *name = chosen->name;
    fprintf(stderr, "wrote %s/%s.csv: %llu rows\n", folder, name,
            (unsigned long long)request->rows);
    fprintf(stderr, "wrote %s/hierarchies/ and %s/%s.yaml", folder, folder, name);
    if (chosen->variant) fprintf(stderr, ", %s/%s%s.yaml", folder, name, chosen->variant);
    fprintf(stderr, "\nnext:  hedgerow anonymize %s/%s.yaml\n", folder, name);
}

/* `demo/` is what completion in a shell leaves; the caller frees the copy. */
static char *without_last_slash(const char *path, hr_error *err) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return hr_copy_text(path, length, err);
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const own_flags *own = arguments->own;
    const kind *chosen = NULL;
    hr_generate_request request = {.rows = 10000, .seed = 1};
    HR_TRY(find_kind(arguments->words[0], &chosen, err));
    HR_TRY(read_flags(own, &request, err));
    char *folder = without_last_slash(own->output, err);
    if (!folder) return HR_ENOMEM;
    request.kind = chosen->name;
    request.folder = folder;
    hr_status status = write_files(chosen, &request, arguments->quiet, err);
    if (status == HR_OK && !arguments->quiet) say_what(chosen, &request);
    free(folder);
    return status;
}

int cmd_generate(int argc, char **argv) {
    return cli_run(&syntax, argc, argv, run);
}
