/* cmd_hierarchy.c - `hedgerow hierarchy show` draws a hierarchy with its boundary; `hedgerow
 * hierarchy check` says whether files can be used, alone and for the values of a column; `hedgerow
 * hierarchy build` makes a file from the values of a column. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *data, *boundary, *depth, *output;
    const char *delimiter, *encoding, *decimal, *missing;
} own_flags;

/* The column of --data, and how to read its values. `table` is NULL without the flag. */
typedef struct {
    hr_table *table;
    char *path;
    const char *missing;
    char decimal;
} column_data;

/* ---- --data FILE:COLUMN ---- */

static hr_status read_column(const hr_job *job, const char *path, const char *column,
                             hr_table **out, hr_error *err) {
    hr_error why = {0};
    hr_status status = hr_job_read_columns(job, path, &column, 1, out, &why);
    if (status == HR_OK) return HR_OK;
    bool no_column = status == HR_EINVAL;
    return hr_fail(err, status, "%s%s", no_column ? "--data: " : "", why.message);
}

/* The flags that a job has too are read by its keys. */
static hr_status set_keys(hr_job *job, const own_flags *own, hr_error *err) {
    const char *const keys[][2] = {{"delimiter", own->delimiter},
                                   {"encoding", own->encoding},
                                   {"decimal", own->decimal},
                                   {"missing", own->missing}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!keys[i][1]) continue;
        if (!own->data)
            return hr_fail(err, HR_EINVAL, "--%s goes with --data FILE:COLUMN", keys[i][0]);
        HR_TRY(hr_job_set(job, keys[i][0], keys[i][1], err));
    }
    return HR_OK;
}

static hr_status read_with(const hr_job *job, const own_flags *own, column_data *out,
                           hr_error *err) {
    const char *colon = own->data ? strrchr(own->data, ':') : NULL;
    if (!own->data) return HR_OK;
    if (!colon || colon == own->data || !colon[1])
        return hr_fail(err, HR_EINVAL, "--data: '%s' is not FILE:COLUMN", own->data);
    out->path = strndup(own->data, (size_t)(colon - own->data));
    if (!out->path) return hr_fail(err, HR_ENOMEM, "out of memory");
    hr_table *table = NULL;
    hr_status status = read_column(job, out->path, colon + 1, &table, err);
    out->table = table;
    return status;
}

static hr_status read_data(const own_flags *own, column_data *out, hr_error *err) {
    hr_job *job;
    *out = (column_data){.missing = own->missing, .decimal = own->decimal ? *own->decimal : '.'};
    HR_TRY(hr_job_new(&job, err));
    hr_status status = set_keys(job, own, err);
    if (status == HR_OK) status = read_with(job, own, out, err);
    hr_job_free(job);
    return status;
}

/* ---- build ---- */

/* Builds a hierarchy as a job does. Missing values get a leaf, so that the tree has all values.
 * `output`: the file that will be written, or NULL. */
static hr_status make(const char *spec, const column_data *data, const char *output,
                      hr_hierarchy **out, hr_error *err) {
    const char *const missing[] = {"", data->missing};
    hr_hierarchy_make_request request = {.size = sizeof request,
                                         .spec = spec,
                                         .table = data->table,
                                         .missing = missing,
                                         .missing_count = data->missing ? 2 : 1,
                                         .group_missing = true,
                                         .decimal = data->decimal,
                                         .output = output,
                                         .input = data->path};
    return hr_hierarchy_make(&request, out, err);
}

/* "FILE: 20 leaves; levels 0 (value), 1 (prefix 3), 2 (root)" */
static void describe(const hr_hierarchy *tree, const char *path) {
    uint32_t leaves = hr_hierarchy_leaf_count(tree);
    fprintf(stderr, "%s: %u lea%s; levels", path, leaves, leaves == 1 ? "f" : "ves");
    for (uint32_t level = 0; level < hr_hierarchy_level_count(tree); level++) {
        const char *name = hr_hierarchy_level_name(tree, level);
        fprintf(stderr, "%s %u", level > 0 ? "," : "", level);
        if (name) fprintf(stderr, " (%s)", name);
    }
    fputc('\n', stderr);
}

static hr_status build(const cli_arguments *arguments, const column_data *data, hr_error *err) {
    const own_flags *own = arguments->own;
    hr_hierarchy *tree;
    if (arguments->word_count != 2)
        return hr_fail(err, HR_EINVAL, "`hierarchy build` takes one builder: quote it as one word");
    if (!data->table)
        return hr_fail(err, HR_EINVAL,
                       "a hierarchy is built from the values of a column: give --data FILE:COLUMN");
    const char *output = own->output ? own->output : "-";
    HR_TRY(make(arguments->words[1], data, strcmp(output, "-") ? output : NULL, &tree, err));
    hr_status status = hr_hierarchy_write(tree, output, err);
    if (status == HR_OK && own->output && !arguments->quiet) describe(tree, own->output);
    hr_hierarchy_free(tree);
    return status;
}

/* ---- show ---- */

/* Is the text a builder, in braces or without: "prefix: [3, 2]"? */
static bool is_spec(const char *text) {
    hr_builder_info info;
    if (*text == '{' || *text == '[') return true;
    for (size_t i = 0; hr_builder_info_at(i, &info); i++) {
        size_t length = strlen(info.name);
        if (!strncmp(text, info.name, length) && text[length] == ':') return true;
    }
    return false;
}

static hr_status load(const char *path, const column_data *data, hr_hierarchy **out,
                      hr_error *err) {
    bool flat = !strcmp(path, "flat"), built = is_spec(path);
    if (!flat && !built) return hr_hierarchy_read(path, out, err);
    if (!data->table)
        return hr_fail(err, HR_EINVAL, "a %s hierarchy is made of data: give --data FILE:COLUMN",
                       flat ? "flat" : "built");
    return flat ? hr_hierarchy_of_values(data->table, 0, out, err)
                : make(path, data, NULL, out, err);
}

static hr_status print_view(const hr_hierarchy_view *view, hr_print_format format, hr_error *err) {
    char *text;
    HR_TRY(hr_hierarchy_view_print(view, format, &text, err));
    if (format != HR_PRINT_TABLE) return cli_print(text, err);
    cli_show(text);
    return HR_OK;
}

static hr_status show_tree(const cli_arguments *arguments, const hr_hierarchy *tree,
                           const column_data *data, hr_error *err) {
    const own_flags *own = arguments->own;
    uint64_t depth = 0;
    hr_hierarchy_view *view;
    if (own->depth && !hr_parse_uint(own->depth, HR_NONE - 1, &depth))
        return hr_fail(err, HR_EINVAL, "--depth: '%s' is not a whole number", own->depth);
    hr_hierarchy_show_request request = {.size = sizeof request,
                                         .boundary = own->boundary,
                                         .data = data->table,
                                         .depth_given = own->depth,
                                         .depth = (uint32_t)depth};
    HR_TRY(hr_hierarchy_show(tree, &request, &view, err));
    hr_status status = print_view(view, arguments->format, err);
    hr_hierarchy_view_free(view);
    return status;
}

static hr_status show(const cli_arguments *arguments, const column_data *data, hr_error *err) {
    if (arguments->word_count != 2)
        return hr_fail(err, HR_EINVAL, "`hierarchy show` draws one file");
    hr_hierarchy *tree;
    HR_TRY(load(arguments->words[1], data, &tree, err));
    hr_status status = show_tree(arguments, tree, data, err);
    hr_hierarchy_free(tree);
    return status;
}

/* ---- check ---- */

static hr_status print_findings(const hr_hierarchy_findings *findings,
                                const cli_arguments *arguments, hr_error *err) {
    const hr_hierarchy_finding *finding;
    const char *notice;
    char *text;
    hr_status worst = HR_OK;
    size_t bad = 0, files = 0;
    for (; (finding = hr_hierarchy_findings_at(findings, files)); files++) {
        for (size_t n = 0; (notice = hr_hierarchy_findings_notice(findings, files, n)); n++)
            cli_notice(arguments->quiet, "%s", notice);
        bad += finding->status != HR_OK;
        if (worst == HR_OK) worst = finding->status;
    }
    HR_TRY(hr_hierarchy_findings_print(findings, arguments->format, &text, err));
    HR_TRY(cli_print(text, err));
    if (!bad) return HR_OK;
    return hr_fail(err, worst, "%zu of %zu hierarch%s cannot be used as %s", bad, files,
                   files == 1 ? "y" : "ies", bad == 1 ? "it is" : "they are");
}

static hr_status check(const cli_arguments *arguments, const column_data *data, hr_error *err) {
    hr_hierarchy_check_request request = {.size = sizeof request,
                                          .paths = (const char *const *)(arguments->words + 1),
                                          .count = (size_t)arguments->word_count - 1,
                                          .data = data->table};
    hr_hierarchy_findings *findings;
    HR_TRY(hr_hierarchy_check(&request, &findings, err));
    hr_status status = print_findings(findings, arguments, err);
    hr_hierarchy_findings_free(findings);
    return status;
}

/* ---- The command ---- */

static const struct {
    const char *name;
    hr_status (*run)(const cli_arguments *arguments, const column_data *data, hr_error *err);
} actions[] = {{"show", show}, {"check", check}, {"build", build}};

static hr_status check_flags(const own_flags *own, const char *action, hr_error *err) {
    if (strcmp(action, "show") && (own->boundary || own->depth))
        return hr_fail(err, HR_EINVAL, "--boundary and --depth go with `hierarchy show`");
    if (strcmp(action, "build") && own->output)
        return hr_fail(err, HR_EINVAL, "--output goes with `hierarchy build`");
    return HR_OK;
}

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const own_flags *own = arguments->own;
    size_t i = 0, count = sizeof actions / sizeof *actions;
    while (i < count && strcmp(arguments->words[0], actions[i].name))
        i++;
    if (i == count)
        return hr_fail(err, HR_EINVAL, "'%s' is neither `show` nor `check` nor `build`",
                       arguments->words[0]);
    HR_TRY(check_flags(own, actions[i].name, err));
    column_data data;
    hr_status status = read_data(own, &data, err);
    if (status == HR_OK) status = actions[i].run(arguments, &data, err);
    hr_table_free(data.table);
    free(data.path);
    return status;
}

static const cli_flag flags[] = {
    {"data", 0, "FILE:COLUMN", "count the rows of each node; find values without a leaf",
     offsetof(own_flags, data)},
    {"delimiter", 0, "CHARACTER", "delimiter of the data, as in a job (detected)",
     offsetof(own_flags, delimiter)},
    {"encoding", 0, "NAME", "encoding of the data, as in a job: latin-1, windows-1252 (utf-8)",
     offsetof(own_flags, encoding)},
    {"decimal", 0, ".|,", "sign before the decimals of its numbers, for a builder (.)",
     offsetof(own_flags, decimal)},
    {"missing", 0, "TEXT", "stands for a missing value, for a builder (the empty field)",
     offsetof(own_flags, missing)},
    {"boundary", 0, "level:N", "mark this boundary; or NODE,NODE", offsetof(own_flags, boundary)},
    {"depth", 0, "N", "draw down to this depth (the root is 0)", offsetof(own_flags, depth)},
    {"output", 'o', "FILE", "what `build` writes (absent: standard output)",
     offsetof(own_flags, output)},
    {0},
};

const cli_command cmd_hierarchy = {
    .name = "hierarchy",
    .summary = "draw, check or build a hierarchy",
    .usage = "show FILE [flags]\n"
             "       hedgerow hierarchy check FILE... [flags]\n"
             "       hedgerow hierarchy build SPEC --data FILE:COLUMN [-o FILE.csv]",
    .about = "`show` draws a hierarchy, `check` says whether hierarchy files can be used, and\n"
             "`build` makes a file from the values of a column. Each line of a file has a leaf\n"
             "and its ancestors up to the root, `leaf;level1;...;root`; there is no header.\n"
             "SPEC is written as in a job, 'prefix: [3, 2]' (see `hedgerow list builders`). To\n"
             "draw what a builder makes without writing a file:\n"
             "`show '{prefix: [3, 2]}' --data FILE:COLUMN`.",
    .example = "hedgerow hierarchy show '{date: [year]}' --data patients.csv:birth_date\n"
               "hedgerow hierarchy build 'prefix: [3, 2]' --data patients.csv:zip -o zip.csv\n"
               "hedgerow hierarchy check zip.csv",
    .first = "show|check|build",
    .least = 2,
    .most = -1,
    .job_at = -1,
    .prints = true,
    .flags = flags,
    .own_size = sizeof(own_flags),
    .run = run,
};
