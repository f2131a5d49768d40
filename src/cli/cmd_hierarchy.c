/* cmd_hierarchy.c - `hedgerow hierarchy show` draws a hierarchy file with its boundary; `hedgerow
 * hierarchy check` says whether files can be used, alone and for the values of a column. */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *data, *boundary, *depth;
} own_flags;

/* ---- --data FILE:COLUMN ---- */

static const char *name_at(size_t i, const void *payload) {
    return ((const char *const *)payload)[i];
}

static hr_status keep_column(const char *const *names, size_t count, bool *keep, void *payload,
                             hr_error *err) {
    const char *wanted = payload;
    bool found = false;
    for (size_t i = 0; i < count; i++)
        found |= keep[i] = !strcmp(names[i], wanted);
    if (found) return HR_OK;
    const char *nearest = hr_text_nearest(wanted, count, name_at, names);
    return hr_fail(err, HR_EINVAL, "--data: there is no column '%s'%s%s%s", wanted,
                   nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
}

/* Reads the column of --data; *out is NULL if the flag was not given. */
static hr_status read_data(const char *data, hr_table **out, hr_error *err) {
    *out = NULL;
    if (!data) return HR_OK;
    const char *colon = strrchr(data, ':');
    if (!colon || colon == data || !colon[1])
        return hr_fail(err, HR_EINVAL, "--data: '%s' is not FILE:COLUMN", data);
    char *path = hr_copy_text(data, (size_t)(colon - data), err);
    char *column = hr_copy_text(colon + 1, strlen(colon + 1), err);
    hr_status status = HR_ENOMEM;
    if (path && column) {
        hr_read_options options = {.choose = keep_column, .payload = column};
        status = hr_format_for(path)->read(path, &options, out, err);
    }
    free(path);
    free(column);
    return status;
}

static const hr_column *data_column(const hr_table *table) {
    return table ? &table->columns[0] : NULL;
}

/* count[code]: number of rows with that code. */
static uint64_t *count_codes(const hr_column *column, hr_error *err) {
    uint64_t *count = hr_alloc(column->dictionary.count, sizeof *count, err);
    for (size_t row = 0; count && row < column->rows; row++)
        count[hr_column_code(column, row)]++;
    return count;
}

static uint32_t leaf_of(const hr_hierarchy *tree, const char *text) {
    uint32_t node = hr_hierarchy_find(tree, text);
    return node != HR_NONE && tree->is_leaf[node] ? node : HR_NONE;
}

static hr_status load(const char *path, const hr_column *column, hr_hierarchy **out,
                      hr_error *err) {
    if (!strcmp(path, "flat") && !column)
        return hr_fail(err, HR_EINVAL, "a flat hierarchy is made of data: give --data FILE:COLUMN");
    return hr_hierarchy_load(path, column, NULL, out, err);
}

/* ---- show ---- */

/* rows[node]: rows of the data at or below the node. */
static uint64_t *count_nodes(const hr_hierarchy *tree, const hr_column *column, hr_error *err) {
    uint64_t *of_code = count_codes(column, err);
    uint64_t *rows = hr_alloc(tree->labels.count, sizeof *rows, err);
    for (uint32_t code = 0; of_code && rows && code < column->dictionary.count; code++) {
        uint32_t node = leaf_of(tree, hr_dictionary_text(&column->dictionary, code));
        for (; node != HR_NONE; node = tree->parent[node])
            rows[node] += of_code[code];
    }
    if (!of_code) {
        free(rows);
        rows = NULL;
    }
    free(of_code);
    return rows;
}

/* Parses the boundary like the flag of a job. */
static hr_status read_boundary(const hr_hierarchy *tree, const char *boundary, uint32_t **magval,
                               hr_error *err) {
    *magval = NULL;
    if (!boundary) return HR_OK;
    hr_job *job;
    hr_text flag = {0};
    HR_TRY(hr_job_new(&job, err));
    hr_text_printf(&flag, "x=%s", boundary);
    hr_status status = flag.failed ? HR_ENOMEM : hr_job_set(job, "boundary", flag.data, err);
    if (status == HR_OK) status = hr_attribute_boundary(job->attributes, tree, magval, err);
    hr_text_free(&flag);
    hr_job_free(job);
    return status;
}

static hr_status show_tree(const cli_arguments *arguments, const hr_hierarchy *tree,
                           const hr_column *column, hr_error *err) {
    const own_flags *own = arguments->own;
    uint64_t depth = HR_NONE;
    uint32_t *magval = NULL;
    if (own->depth && !hr_parse_uint(own->depth, HR_NONE - 1, &depth))
        return hr_fail(err, HR_EINVAL, "--depth: '%s' is not a whole number", own->depth);
    HR_TRY(read_boundary(tree, own->boundary, &magval, err));
    uint64_t *rows = column ? count_nodes(tree, column, err) : NULL;
    cli_tree shown = {.tree = tree, .magval = magval, .rows = rows, .depth = (uint32_t)depth};
    hr_status status = column && !rows ? HR_ENOMEM : cli_tree_print(&shown, arguments->format, err);
    free(rows);
    free(magval);
    return status;
}

static hr_status show(const cli_arguments *arguments, const hr_column *column, hr_error *err) {
    if (arguments->word_count != 2)
        return hr_fail(err, HR_EINVAL, "`hierarchy show` draws one file");
    hr_hierarchy *tree;
    HR_TRY(load(arguments->words[1], column, &tree, err));
    hr_status status = show_tree(arguments, tree, column, err);
    hr_hierarchy_free(tree);
    return status;
}

/* ---- check ---- */

static const char *leaf_at(size_t i, const void *payload) {
    const hr_hierarchy *tree = payload;
    return hr_hierarchy_label(tree, tree->leaf_node[i]);
}

/* Appends the first few values of the column without a leaf; returns the number of such values. */
static uint32_t list_strays(const hr_hierarchy *tree, const hr_column *column,
                            const uint64_t *count, uint64_t *rows, hr_text *out) {
    enum { SHOWN = 5 };
    uint32_t strays = 0;
    for (uint32_t code = 0; code < column->dictionary.count; code++) {
        const char *text = hr_dictionary_text(&column->dictionary, code);
        if (leaf_of(tree, text) != HR_NONE) continue;
        *rows += count[code];
        if (strays++ >= SHOWN) continue;
        const char *nearest = hr_text_nearest(text, tree->leaf_count, leaf_at, tree);
        hr_text_printf(out, "%s'%s'", strays > 1 ? ", " : "", text);
        if (nearest) hr_text_printf(out, " (did you mean '%s'?)", nearest);
    }
    if (strays > SHOWN) hr_text_printf(out, " and %u more", strays - SHOWN);
    return strays;
}

static hr_status check_values(const hr_hierarchy *tree, const hr_column *column, hr_error *err) {
    uint64_t rows = 0, *count = count_codes(column, err);
    if (!count) return HR_ENOMEM;
    hr_text list = {0};
    uint32_t strays = list_strays(tree, column, count, &rows, &list);
    hr_status status = HR_OK;
    if (strays > 0)
        status = hr_fail(err, HR_EDATA, "%u value%s of '%s' (%llu rows) %s no leaf: %s", strays,
                         strays == 1 ? "" : "s", column->name, (unsigned long long)rows,
                         strays == 1 ? "has" : "have", list.data ? list.data : "");
    hr_text_free(&list);
    free(count);
    return status;
}

/* Notices about what is valid but probably not intended. */
static void print_oddities(const hr_hierarchy *tree, bool quiet) {
    uint32_t single = 0, both = 0, first_single = 0, first_both = 0;
    uint32_t *children = hr_alloc(tree->labels.count, sizeof *children, NULL);
    for (uint32_t node = 0; children && node < tree->labels.count; node++)
        if (node != tree->root) children[tree->parent[node]]++;
    for (uint32_t node = tree->labels.count; children && node-- > 0;) {
        if (children[node] == 1 && !tree->is_leaf[node]) single++, first_single = node;
        if (children[node] > 0 && tree->is_leaf[node]) both++, first_both = node;
    }
    if (single)
        cli_notice(quiet,
                   "%s: %u node%s one child only, such as '%s': the step up to it counts as loss "
                   "and hides "
                   "nothing",
                   tree->source, single, single == 1 ? " has" : "s have",
                   hr_hierarchy_label(tree, first_single));
    if (both)
        cli_notice(quiet, "%s: %u label%s both a leaf and an ancestor, such as '%s'", tree->source,
                   both, both == 1 ? " is" : "s are", hr_hierarchy_label(tree, first_both));
    free(children);
}

static void add_facts(cli_rows *rows, const hr_hierarchy *tree) {
    for (int i = 0; !tree && i < 5; i++)
        cli_add_none(rows);
    if (!tree) return;
    cli_add_count(rows, tree->leaf_count);
    cli_add_count(rows, tree->labels.count);
    cli_add_count(rows, tree->height[tree->root]);
    cli_add_count(rows, tree->level_count);
    cli_add_text(rows, hr_hierarchy_label(tree, tree->root));
}

static hr_status check_file(const char *path, const hr_column *column, bool quiet, cli_rows *rows) {
    hr_hierarchy *tree = NULL;
    hr_error problem = {0};
    hr_status status = load(path, column, &tree, &problem);
    if (status == HR_OK && column) status = check_values(tree, column, &problem);
    cli_add_text(rows, path);
    add_facts(rows, tree);
    cli_add_text(rows, status == HR_OK ? "ok" : problem.message);
    if (tree) print_oddities(tree, quiet);
    hr_hierarchy_free(tree);
    return status;
}

static hr_status check(const cli_arguments *arguments, const hr_column *column, hr_error *err) {
    static const cli_column columns[] = {{"file", CLI_TEXT, 0},    {"leaves", CLI_COUNT, 0},
                                         {"nodes", CLI_COUNT, 0},  {"height", CLI_COUNT, 0},
                                         {"levels", CLI_COUNT, 0}, {"root", CLI_TEXT, 0},
                                         {"result", CLI_TEXT, 0}};
    cli_rows rows;
    hr_status worst = HR_OK;
    int bad = 0, files = arguments->word_count - 1;
    cli_rows_start(&rows, columns, sizeof columns / sizeof *columns);
    for (int i = 1; i <= files; i++) {
        hr_status status = check_file(arguments->words[i], column, arguments->quiet, &rows);
        if (status == HR_OK) continue;
        bad++;
        if (worst == HR_OK) worst = status;
    }
    HR_TRY(cli_rows_print(&rows, arguments->format, err));
    if (!bad) return HR_OK;
    return hr_fail(err, worst, "%d of %d hierarchies cannot be used as they are", bad, files);
}

/* ---- The command ---- */

static hr_status run(const cli_arguments *arguments, hr_error *err) {
    const char *what = arguments->words[0];
    bool shows = !strcmp(what, "show");
    if (!shows && strcmp(what, "check"))
        return hr_fail(err, HR_EINVAL, "'%s' is neither `show` nor `check`", what);
    const own_flags *own = arguments->own;
    if (!shows && (own->boundary || own->depth))
        return hr_fail(err, HR_EINVAL, "--boundary and --depth go with `hierarchy show`");
    hr_table *table;
    HR_TRY(read_data(own->data, &table, err));
    const hr_column *column = data_column(table);
    hr_status status = shows ? show(arguments, column, err) : check(arguments, column, err);
    hr_table_free(table);
    return status;
}

static const cli_flag flags[] = {
    {"data", 0, "FILE:COLUMN", "count the rows of each node; find values without a leaf",
     offsetof(own_flags, data)},
    {"boundary", 0, "level:N", "mark this boundary; or NODE,NODE", offsetof(own_flags, boundary)},
    {"depth", 0, "N", "draw down to this depth, the root being 0", offsetof(own_flags, depth)},
    {0},
};

static const cli_syntax syntax = {
    .command = "hierarchy",
    .usage = "show FILE [flags]   or   hedgerow hierarchy check FILE... [flags]",
    .about =
        "Draws a hierarchy file, or says whether files can be used. A line of the file is a leaf\n"
        "and its ancestors up to the root, `leaf;level1;...;root`, without a header.",
    .least = 2,
    .most = -1,
    .job_at = -1,
    .prints = true,
    .flags = flags,
    .own_size = sizeof(own_flags),
};

int cmd_hierarchy(int argc, char **argv) {
    return cli_run(&syntax, argc, argv, run);
}
