/* cmd_generate.c - `hedgerow generate KIND`: writes a made-up data set, its hierarchies and a job
 * that runs as it is to a folder. */
#include "cli/cli.h"
#include "generate/generate.h"

#include <stddef.h>
#include <stdlib.h>

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

static hr_status generate(const hr_generator *chosen, hr_generate_request *request, bool quiet,
                          hr_error *err) {
    cli_watch watch;
    cli_watch_start(&watch, quiet);
    request->watch = &watch.watch;
    hr_status status = hr_generate(chosen, request, err);
    cli_watch_end(&watch);
    return status;
}

static void say_what(const hr_generator *chosen, const hr_generate_request *request) {
    const char *folder = request->folder, *name = chosen->name;
    fprintf(stderr, "wrote %s/%s.csv: %llu rows\n", folder, name,
            (unsigned long long)request->rows);
    fprintf(stderr, "wrote %s/hierarchies/ and %s/%s.yaml", folder, folder, name);
    if (chosen->variant) fprintf(stderr, ", %s/%s%s.yaml", folder, name, chosen->variant);
    fprintf(stderr, "\nnext:  hedgerow anonymize %s/%s.yaml\n", folder, name);
}

/* A copy without the slash that shell completion appends to `demo/`. The caller frees it. */
static char *without_last_slash(const char *path, hr_error *err) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return hr_copy_text(path, length, err);
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const own_flags *own = arguments->own;
    const hr_generator *chosen;
    hr_generate_request request = {.rows = 10000, .seed = 1};
    HR_TRY(hr_generator_find(arguments->words[0], &chosen, err));
    HR_TRY(read_flags(own, &request, err));
    char *folder = without_last_slash(own->output, err);
    if (!folder) return HR_ENOMEM;
    request.folder = folder;
    hr_status status = generate(chosen, &request, arguments->quiet, err);
    if (status == HR_OK && !arguments->quiet) say_what(chosen, &request);
    free(folder);
    return status;
}

int cmd_generate(int argc, char **argv) {
    return cli_run(&syntax, argc, argv, run);
}
