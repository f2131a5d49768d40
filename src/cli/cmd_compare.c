/* cmd_compare.c - `hedgerow compare`: the loss of every algorithm at every k and p, as rows and as
 * a page with curves. Finished runs are kept in a file, so that the same command continues after a
 * kill. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *algorithms, *k, *p; /* lists; NULL: all algorithms, k and p of the job */
    const char *output, *resume;
} own_flags;

/* The argument of -a, divided into names. */
typedef struct {
    char *text;
    const char **names; /* into `text` */
    size_t count;
} name_list;

static hr_status read_names(const char *list, name_list *out, hr_error *err) {
    size_t room = 1;
    for (const char *c = list; *c; c++)
        room += *c == ',';
    out->names = calloc(room, sizeof *out->names);
    out->text = strdup(list);
    if (!out->names || !out->text) return hr_fail(err, HR_ENOMEM, "out of memory");
    for (char *name = out->text, *end; name; name = end) {
        end = strchr(name, ',');
        if (end) *end++ = '\0';
        if (!*name)
            return hr_fail(err, HR_EINVAL, "'%s' is not a list of algorithms, such as a,b", list);
        out->names[out->count++] = name;
    }
    return HR_OK;
}

static hr_status print_runs(const hr_comparison *comparison, hr_print_format format,
                            hr_error *err) {
    char *text;
    HR_TRY(hr_comparison_print(comparison, format, &text, err));
    return cli_print(text, err);
}

/* After a cancellation, says where the finished runs are kept or, without a file, prints them. */
static hr_status explain_cancelled(const hr_comparison *comparison, hr_print_format format,
                                   hr_error *err) {
    const hr_compared_count *count = hr_comparison_count(comparison);
    size_t done = count->made + count->known;
    if (count->kept && !done) return hr_fail(err, HR_ECANCEL, "cancelled before any run was done");
    if (count->kept)
        return hr_fail(err, HR_ECANCEL,
                       "cancelled: %s keeps %zu of %zu run%s, and the same command goes on from "
                       "there",
                       count->kept, done, count->runs, count->runs == 1 ? "" : "s");
    if (count->made && print_runs(comparison, format, NULL) != HR_OK)
        return hr_fail(err, HR_ECANCEL, "cancelled");
    return hr_fail(err, HR_ECANCEL,
                   "cancelled after %zu of %zu run%s; with -o or --resume FILE they would be kept",
                   done, count->runs, count->runs == 1 ? "" : "s");
}

static hr_status show_runs(const hr_comparison *comparison, hr_print_format format, hr_error *err) {
    const hr_compared *run;
    HR_TRY(print_runs(comparison, format, err));
    for (size_t i = 0; (run = hr_comparison_at(comparison, i)); i++)
        if (run->state == HR_COMPARED_DONE) return HR_OK;
    return hr_fail(err, HR_ENOSOL, "nothing can be released by any of these runs");
}

static hr_status compare(const cli_arguments *arguments, const hr_compare_request *request,
                         hr_error *err) {
    hr_comparison *comparison;
    cli_watch watch;
    cli_watch_start(&watch, arguments->quiet);
    hr_status status = hr_job_compare(arguments->job, request, &watch.watch, &comparison, err);
    cli_watch_end(&watch);
    if (status == HR_ECANCEL && comparison)
        status = explain_cancelled(comparison, arguments->format, err);
    else if (status == HR_OK)
        status = show_runs(comparison, arguments->format, err);
    hr_comparison_free(comparison);
    return status;
}

static hr_status read_lists(const own_flags *own, const hr_job *job, name_list *list,
                            cli_grid *grid, hr_error *err) {
    HR_TRY(cli_grid_check(own->k, job, err));
    if (own->algorithms) HR_TRY(read_names(own->algorithms, list, err));
    return cli_grid_read(own->k, own->p, grid, err);
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const own_flags *own = arguments->own;
    name_list list = {0};
    cli_grid grid = {0};
    hr_status status = read_lists(own, arguments->job, &list, &grid, err);
    if (status == HR_OK) {
        hr_compare_request request = {.size = sizeof request,
                                      .algorithms = list.names,
                                      .algorithm_count = list.count,
                                      .ks = grid.ks,
                                      .k_count = grid.k_count,
                                      .ps = grid.ps,
                                      .p_count = grid.p_count,
                                      .output = own->output,
                                      .resume = own->resume};
        status = compare(arguments, &request, err);
    }
    cli_grid_free(&grid);
    free(list.names);
    free(list.text);
    return status;
}

static const cli_flag flags[] = {
    {"algorithm", 'a', "NAMES",
     "algorithms or papers' names, such as a,b; all: those that fit the job (all)",
     offsetof(own_flags, algorithms)},
    {"k", 'k', "N,N-N", "rows that every class must have, one or several (the job's)",
     offsetof(own_flags, k)},
    {"p", 'p', "N,N-N", "values of each sensitive attribute, one or several (the job's)",
     offsetof(own_flags, p)},
    {"output", 'o', "FILE", "write FILE.html (a page with curves), FILE.csv or FILE.json as well",
     offsetof(own_flags, output)},
    {"resume", 0, "FILE", "store runs in FILE and reuse those that it has (OUTPUT.partial)",
     offsetof(own_flags, resume)},
    {0},
};

const cli_command cmd_compare = {
    .name = "compare",
    .summary = "what algorithms lose at every k and p, as a table or a page",
    .usage = "JOB.yaml [-a greedy-pk,k-member] [-k 5,10-20] [-p 1-3]\n"
             "                        [-o FILE.html]",
    .about = "Runs every algorithm with every k and p and shows what each release loses. The\n"
             "data is read once, runs go in parallel, every release is verified, and none is\n"
             "written. A cell stays empty where there is no release, and its note says why.\n"
             "With -o or --resume, the same command continues a comparison that was killed or\n"
             "cancelled.",
    .example = "hedgerow compare patients.yaml -a hedge -k 3,5,10 -p 1,2 -o compare.html",
    .most = 1,
    .prints = true,
    .flags = flags,
    .own_size = sizeof(own_flags),
    .run = run,
};
