/* draft.c - drafts a job for a table: reads it, decides on every column, and writes the job. */
#include "run/init/init.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/rows.h"

/* ---- Paths ---- */

/* Folder of a path with its slash; length 0: the current folder. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Sets the path of the input in the job: relative if both are in the same folder, else absolute. */
static hr_status set_input(hr_draft *draft, const char *input, const char *job, hr_error *err) {
    size_t folder = job ? folder_length(job) : 0;
    const hr_format *format = hr_format_for(input);
    size_t scheme = format->scheme ? strlen(format->scheme) : 0;
    const char *path = input + scheme;
    if (format->server) {
        char *shown = hr_address_masked(input, err);
        if (shown) draft->input = hr_arena_text(&draft->arena, shown, strlen(shown), err);
        free(shown);
        return draft->input ? HR_OK : HR_ENOMEM;
    }
    size_t length = scheme ? strcspn(path, "?") : strlen(path);
    if (folder > 0 && strncmp(path, job, folder) == 0 &&
        !memchr(path + folder, '/', length - folder)) {
        draft->input = hr_draft_text(draft, err, "%.*s%s", (int)scheme, input, path + folder);
        return draft->input ? HR_OK : HR_ENOMEM;
    }
    if (folder == 0 || path[0] == '/') {
        draft->input = hr_draft_text(draft, err, "%s", input);
        return draft->input ? HR_OK : HR_ENOMEM;
    }
    char here[4096];
    if (!getcwd(here, sizeof here)) return hr_fail(err, HR_EIO, "the current folder is unknown");
    char *joined = hr_address_join(here, input, err);
    if (!joined) return HR_ENOMEM;
    draft->input = hr_arena_text(&draft->arena, joined, strlen(joined), err);
    free(joined);
    return draft->input ? HR_OK : HR_ENOMEM;
}

/* The name of the release without its end: of the file, or of the table of a database with the
 * characters replaced that have a meaning in paths. An address may contain a password, so nothing
 * else of it is used. */
static hr_status name_output(const char *input, char *name, size_t room, hr_error *err) {
    const hr_format *format = hr_format_for(input);
    hr_address address;
    HR_TRY(format->parse(input, &address, err));
    const char *from = "query";
    if (address.table)
        from = address.table;
    else if (!format->server)
        from = address.file + folder_length(address.file);
    snprintf(name, room, "%s", from);
    for (char *at = name; address.table && *at; at++)
        if (strchr("/\\\"", *at) || (unsigned char)*at < ' ') *at = '_';
    hr_address_free(&address);
    return HR_OK;
}

/* Sets the path of the release, beside the job: patients-masked.csv for patients.csv.gz, and
 * TABLE-masked.csv for a table of a database. */
static hr_status set_output(hr_draft *draft, const char *input, hr_error *err) {
    static const char *const ends[] = {".gz", ".zst", ".csv", ".tsv", ".txt", ".CSV", ".db", NULL};
    char name[256];
    HR_TRY(name_output(input, name, sizeof name, err));
    for (size_t i = 0; ends[i]; i++) {
        size_t length = strlen(name), end = strlen(ends[i]);
        if (length > end && !strcmp(name + length - end, ends[i])) name[length - end] = '\0';
    }
    draft->output = hr_draft_text(draft, err, "%s-masked.csv", *name ? name : "table");
    return draft->output ? HR_OK : HR_ENOMEM;
}

/* ---- Reading ---- */

/* Does the name of column i continue the number of its neighbour, as 2020 after 2019? Tables with a
 * column per year, and exports of unnamed columns, have such names. */
static bool counts_on(const hr_table *table, size_t i) {
    uint64_t own, other;
    if (!hr_parse_uint(table->columns[i].name, INT32_MAX, &own)) return false;
    bool before =
        i > 0 && hr_parse_uint(table->columns[i - 1].name, INT32_MAX, &other) && other + 1 == own;
    bool after = i + 1 < table->column_count &&
                 hr_parse_uint(table->columns[i + 1].name, INT32_MAX, &other) && other == own + 1;
    return before || after;
}

/* Fails if the first line seems to be a row: its names look like values, or occur as values of
 * their own columns. */
static hr_status check_header(const hr_table *table, const char *input, hr_error *err) {
    size_t values = 0, columns = table->column_count;
    for (size_t i = 0; i < columns; i++) {
        const char *name = table->columns[i].name;
        bool known =
            hr_dictionary_find(&table->columns[i].dictionary, name, strlen(name)) != HR_NONE;
        values += known || (hr_name_is_value(name) && !counts_on(table, i));
    }
    if (values == 0 || values * 4 < columns) return HR_OK;
    return hr_fail(err, HR_EDATA,
                   "%s: the first line does not look like a header: %zu of %zu names are values; "
                   "add a line with the names of the columns",
                   input, values, columns);
}

static hr_status read_table(hr_draft *draft, const char *input, const hr_watch *watch,
                            hr_error *err) {
    double start = hr_seconds();
    bool file = hr_format_for(input) == &hr_format_csv;
    if (!strcmp(input, "-"))
        return hr_fail(err, HR_EINVAL, "init reads a file: the job that it writes names it");
    if (file) {
        hr_encoding guess;
        HR_TRY(hr_encoding_guess_file(input, watch, &guess, err));
        if (guess != HR_ENCODING_UTF8) draft->encoding = guess;
    }
    hr_read_options options = {.encoding = draft->encoding, .skip_unread = true, .watch = watch};
    HR_TRY(hr_table_load(input, &options, &draft->owned, err));
    HR_TRY(check_header(draft->owned, input, err));
    draft->table = draft->owned;
    draft->read_seconds = hr_seconds() - start;
    return HR_OK;
}

/* ---- Deciding ---- */

static hr_status profile_values(hr_draft *draft, const hr_watch *watch, hr_error *err) {
    for (size_t i = 0; i < draft->table->column_count; i++) {
        HR_TRY(hr_profile_make(&draft->table->columns[i], &draft->missing, draft->point,
                               &draft->arena, &draft->parts[i].profile, err));
        HR_TRY(hr_watch_check(watch, err));
    }
    return HR_OK;
}

/* Are there numbers with a decimal comma, and none with a decimal point? */
static bool has_commas(const hr_draft *draft) {
    bool commas = false, points = false;
    for (size_t i = 0; i < draft->table->column_count; i++) {
        commas = commas || draft->parts[i].profile.decimal_comma;
        points = points || draft->parts[i].profile.decimal_point;
    }
    return commas && !points;
}

static hr_status profile_columns(hr_draft *draft, const hr_watch *watch, hr_error *err) {
    const hr_table *table = draft->table;
    size_t skip = hr_name_common_letter(table);
    for (size_t i = 0; i < table->column_count; i++)
        HR_TRY(hr_profile_tokens(&table->columns[i], &draft->missing, &draft->arena, err));
    for (size_t i = 0; i < table->column_count; i++) {
        hr_draft_part *part = &draft->parts[i];
        hr_name_split(table->columns[i].name, skip, &part->words);
        part->concept = hr_concept_find(&part->words, HR_MEANS_COUNT);
    }
    draft->point = '.';
    HR_TRY(profile_values(draft, watch, err));
    if (!has_commas(draft)) return HR_OK;
    draft->point = ',';
    return profile_values(draft, watch, err);
}

static const char *type_name(const hr_profile *profile) {
    static const char *const names[] = {"text", "integer", "number", "date"};
    return names[profile->look];
}

static void fill_columns(hr_draft *draft) {
    for (size_t i = 0; i < draft->table->column_count; i++) {
        const hr_draft_part *part = &draft->parts[i];
        bool quasi = part->role == HR_ROLE_QUASI;
        bool unread = part->profile.column->unread != NULL;
        draft->columns[i] = (hr_draft_column){.name = part->profile.column->name,
                                              .role = hr_role_name(part->role),
                                              .type = type_name(&part->profile),
                                              .reason = part->reason,
                                              .hierarchy = quasi ? part->hierarchy : NULL,
                                              .bins = part->bins,
                                              .values = part->profile.values,
                                              /* What was not read is not missing. */
                                              .missing = unread ? 0 : part->profile.missing,
                                              .unique_alone = quasi ? part->alone : NAN,
                                              .unique_without = quasi ? part->without : NAN,
                                              .on_missing = hr_draft_on_missing(part)};
    }
}

static hr_status finish(hr_draft *draft, hr_error *err) {
    draft->figures = (hr_draft_figures){.rows = draft->table->rows,
                                        .columns = draft->table->column_count,
                                        .k = draft->k,
                                        .p = draft->p,
                                        .unique = draft->unique,
                                        .output = draft->output,
                                        .read_seconds = draft->read_seconds,
                                        .decimal = draft->point == ',' ? "," : NULL};
    if (draft->encoding != HR_ENCODING_AUTO)
        draft->figures.encoding = hr_encoding_name(draft->encoding);
    return hr_draft_write(draft, err);
}

/* Decides everything that follows from the roles. */
static hr_status decide(hr_draft *draft, hr_error *err) {
    size_t quasi = 0;
    HR_TRY(hr_draft_roles(draft, err));
    for (size_t i = 0; i < draft->table->column_count; i++)
        quasi += draft->parts[i].role == HR_ROLE_QUASI;
    if (quasi == 0)
        return hr_fail(err, HR_EDATA,
                       "no column of the table can be a quasi-identifier: all are identifiers, "
                       "empty or the same in every row");
    HR_TRY(hr_draft_build(draft, err));
    HR_TRY(hr_draft_measure(draft, err));
    fill_columns(draft);
    return finish(draft, err);
}

static hr_status draft_table(hr_draft *draft, const hr_watch *watch, hr_error *err) {
    size_t columns = draft->table->column_count;
    const hr_arena_part parts[] = {{&draft->parts, columns, sizeof *draft->parts},
                                   {&draft->columns, columns, sizeof *draft->columns}};
    if (draft->table->rows == 0)
        return hr_fail(err, HR_EDATA, "the table has no rows: there is nothing to draft a job for");
    if (draft->table->rows == 1)
        return hr_fail(err, HR_EDATA,
                       "the table has one row: a release hides each person among others");
    HR_TRY(hr_arena_parts(&draft->arena, parts, 2, err));
    draft->k = HR_DRAFT_K;
    if (draft->table->rows < HR_DRAFT_K) draft->k = (int64_t)draft->table->rows;
    HR_TRY(profile_columns(draft, watch, err));
    return decide(draft, err);
}

/* ---- The public interface ---- */

static hr_status start(const hr_draft_request *request, const hr_watch *watch, hr_draft *draft,
                       hr_error *err) {
    const char *input = request->input;
    if (!input || !*input)
        return hr_fail(err, HR_EINVAL, "a job is drafted for an input: give its path");
    HR_TRY(set_input(draft, input, request->job, err));
    HR_TRY(set_output(draft, input, err));
    if (request->table)
        draft->table = request->table;
    else
        HR_TRY(read_table(draft, input, watch, err));
    return draft_table(draft, watch, err);
}

hr_status hr_job_draft(const hr_draft_request *request, const hr_watch *watch, hr_draft **out,
                       hr_error *err) {
    hr_watch own;
    *out = NULL;
    HR_TRY(hr_watch_copy(watch, &own, err));
    if (request->size < sizeof *request)
        return hr_fail(err, HR_EINVAL, "hr_draft_request: set `size` to sizeof(hr_draft_request)");
    hr_draft *draft = hr_alloc(1, sizeof *draft, err);
    if (!draft) return HR_ENOMEM;
    hr_status status = start(request, &own, draft, err);
    if (status == HR_OK)
        *out = draft;
    else
        hr_draft_free(draft);
    return status;
}

const hr_draft_column *hr_draft_at(const hr_draft *draft, size_t i) {
    return i < draft->table->column_count ? &draft->columns[i] : NULL;
}

hr_status hr_draft_set_role(hr_draft *draft, const char *column, const char *role, hr_error *err) {
    static const hr_role roles[] = {HR_ROLE_IDENTIFIER, HR_ROLE_QUASI, HR_ROLE_SENSITIVE,
                                    HR_ROLE_KEEP, HR_ROLE_DROP};
    size_t at = hr_table_column(draft->table, column);
    if (at == SIZE_MAX) return hr_fail(err, HR_EINVAL, "there is no column '%s'", column);
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (strcmp(hr_role_name(roles[i]), role)) continue;
        hr_draft_part *part = &draft->parts[at], before = *part;
        part->role = roles[i];
        part->by_user = true;
        part->reason = "as you said";
        hr_status status = decide(draft, err);
        if (status == HR_OK) return HR_OK;
        *part = before;
        hr_status again = decide(draft, NULL);
        return again == HR_OK ? status : again;
    }
    return hr_fail(err, HR_EINVAL,
                   "'%s' is not a role: write identifier, quasi, sensitive, keep or drop", role);
}

hr_status hr_draft_set_k(hr_draft *draft, int64_t k, hr_error *err) {
    if (k < 1 || (uint64_t)k > draft->table->rows)
        return hr_fail(err, HR_EINVAL, "k is a number from 1 to the number of rows, %zu",
                       draft->table->rows);
    draft->k = k;
    return finish(draft, err);
}

const hr_draft_figures *hr_draft_result(const hr_draft *draft) {
    return &draft->figures;
}

const char *hr_draft_missing(const hr_draft *draft, size_t i) {
    return i < draft->missing.count ? draft->missing.texts[i] : NULL;
}

const char *hr_draft_job(const hr_draft *draft) {
    return draft->text;
}

/* The hierarchy of a column; for people only the name of its builder, as the job has the rest. */
static void add_hierarchy(const hr_draft_column *column, bool brief, hr_rows *rows) {
    const char *hierarchy = column->hierarchy;
    char name[32];
    if (!hierarchy && !strcmp(column->role, "quasi")) hierarchy = "type: numeric";
    if (hierarchy && brief && *hierarchy == '{') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(hierarchy + 1, ":"), hierarchy + 1);
        hierarchy = name;
    }
    hr_rows_text(rows, hierarchy);
}

hr_status hr_draft_print(const hr_draft *draft, hr_print_format format, char **out, hr_error *err) {
    static const hr_rows_column names[] = {
        {"column", HR_ROWS_TEXT, 0},    {"role", HR_ROWS_TEXT, 0},     {"type", HR_ROWS_TEXT, 0},
        {"values", HR_ROWS_COUNT, 0},   {"missing", HR_ROWS_COUNT, 0}, {"unique", HR_ROWS_REAL, 4},
        {"hierarchy", HR_ROWS_TEXT, 0}, {"reason", HR_ROWS_TEXT, 0}};
    hr_rows rows;
    hr_text text = {0};
    HR_TRY(hr_print_check(format, err));
    hr_rows_start(&rows, names, sizeof names / sizeof *names);
    for (size_t i = 0; i < draft->table->column_count; i++) {
        const hr_draft_column *column = &draft->columns[i];
        hr_rows_text(&rows, column->name);
        hr_rows_text(&rows, column->role);
        hr_rows_text(&rows, column->type);
        hr_rows_count(&rows, column->values);
        hr_rows_count(&rows, (int64_t)column->missing);
        hr_rows_real(&rows, column->unique_alone);
        add_hierarchy(column, format == HR_PRINT_TABLE, &rows);
        hr_rows_text(&rows, column->reason);
    }
    hr_rows_print(&rows, format, &text);
    return hr_text_take(&text, out, err);
}

void hr_draft_free(hr_draft *draft) {
    if (!draft) return;
    hr_table_free(draft->owned);
    hr_arena_free(&draft->arena);
    free(draft->text);
    free(draft);
}
