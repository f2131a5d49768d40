/* cmd_generate.c - `hedgerow generate KIND`: writes a made-up data set, its hierarchies and a job
 * that runs as it is to a folder. */
#include "cli/cli.h"

#include <stddef.h>

typedef struct {
    const char *rows, *seed, *output, *language;
    bool visits, replace;
} own_flags;

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

static hr_status generate(const hr_generator *chosen, const hr_generate_request *request,
                          bool quiet, hr_generated **out, hr_error *err) {
    cli_watch watch;
    cli_watch_start(&watch, quiet);
    hr_status status = hr_generate(chosen, request, &watch.watch, out, err);
    cli_watch_end(&watch);
    return status;
}

static void say_what(const hr_generated *made, uint64_t rows) {
    const char *job = hr_generated_job(made, 0), *other;
    fprintf(stderr, "wrote %s: %llu row%s\n", hr_generated_table(made), (unsigned long long)rows,
            rows == 1 ? "" : "s");
    fputs("wrote ", stderr);
    if (hr_generated_hierarchies(made)) fprintf(stderr, "%s/ and ", hr_generated_hierarchies(made));
    fputs(job, stderr);
    for (size_t i = 1; (other = hr_generated_job(made, i)); i++)
        fprintf(stderr, ", %s", other);
    fprintf(stderr, "\nnext:  hedgerow anonymize %s\n", job);
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const own_flags *own = arguments->own;
    const hr_generator *chosen;
    hr_generated *made;
    hr_generate_request request = {.size = sizeof request,
                                   .folder = own->output,
                                   .rows = 10000,
                                   .seed = 1,
                                   .replace = own->replace,
                                   .visits = own->visits,
                                   .language = own->language};
    HR_TRY(hr_generator_find(arguments->words[0], &chosen, err));
    HR_TRY(read_flags(own, &request, err));
    HR_TRY(generate(chosen, &request, arguments->quiet, &made, err));
    if (!arguments->quiet) say_what(made, request.rows);
    hr_generated_free(made);
    return HR_OK;
}

static const cli_flag flags[] = {
    {"rows", 0, "N", "number of rows (10000)", offsetof(own_flags, rows)},
    {"seed", 0, "N", "seed of the random numbers (1)", offsetof(own_flags, seed)},
    {"output", 'o', "DIR", "the folder to write to; created if absent",
     offsetof(own_flags, output)},
    {"replace", 0, NULL, "replace files that exist", offsetof(own_flags, replace)},
    {"visits", 0, NULL, "patients: several rows per patient", offsetof(own_flags, visits)},
    {"language", 0, "de|en", "patients: language of headers, names, dates, postal codes (en)",
     offsetof(own_flags, language)},
    {0},
};

const cli_command cmd_generate = {
    .name = "generate",
    .summary = "make data sets to try things with",
    .usage = "uu|un|nu|nn|census|patients -o DIR [--rows N]\n"
             "                         [--seed N] [flags]",
    .about = "Writes DIR/KIND.csv, DIR/hierarchies/ and DIR/KIND.yaml, a job that runs as it\n"
             "is. The same kind, rows and seed give the same bytes on any machine.\n\n"
             "  uu, un, nu, nn  synthetic sets from papers on p-sensitive k-anonymity:\n"
             "                  quasi-identifiers (first letter) and sensitive\n"
             "                  attributes are uniform or normal; also\n"
             "                  DIR/KIND-hierarchy.yaml, where the numeric one has a\n"
             "                  hierarchy too\n"
             "  census          the population register of an invented country\n"
             "  patients        the file of a hospital: birth and admission dates,\n"
             "                  postal codes, diagnoses (ICD-10), missing and rare\n"
             "                  values; its job needs no hierarchy files",
    .example = "hedgerow generate patients --rows 2000 -o hospital",
    .first = "uu|un|nu|nn|census|patients",
    .least = 1,
    .most = 1,
    .job_at = -1,
    .flags = flags,
    .own_size = sizeof(own_flags),
    .run = run,
};
