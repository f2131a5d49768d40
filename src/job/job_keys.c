/* job_keys.c - the table of a job's keys, one row each, with their setters. Options of models,
 * formats and algorithms act as keys too; they are looked up in those tables, so a new model,
 * format or algorithm needs no entry here. */
#include "job/job_keys.h"

#include <string.h>

/* ---- Setters: each checks and stores one value given as text ---- */

static hr_status keep_text(hr_job *job, const char *value, const char **out, hr_error *err) {
    const char *copy = hr_arena_text(&job->arena, value, strlen(value), err);
    if (!copy) return HR_ENOMEM;
    *out = copy;
    return HR_OK;
}

static hr_status keep_path(hr_job *job, const char *key, const char *value, const char **out,
                           hr_error *err) {
    if (!*value) return hr_fail(err, HR_EINVAL, "%s: the name of a file is missing", key);
    return keep_text(job, value, out, err);
}

static hr_status set_input(hr_job *job, const char *value, hr_error *err) {
    HR_TRY(keep_path(job, "input", value, &job->input.path, err));
    job->input.table = NULL;
    return HR_OK;
}

static hr_status set_output(hr_job *job, const char *value, hr_error *err) {
    if (strcmp(value, "-")) return keep_path(job, "output", value, &job->output.release, err);
    job->output.release = NULL;
    return HR_OK;
}

static hr_status set_trace(hr_job *job, const char *value, hr_error *err) {
    return keep_path(job, "trace", value, &job->output.trace, err);
}

static hr_status set_minimal(hr_job *job, const char *value, hr_error *err) {
    return keep_path(job, "minimal", value, &job->output.minimal, err);
}

static hr_status set_certificate(hr_job *job, const char *value, hr_error *err) {
    return keep_path(job, "certificate", value, &job->output.certificate, err);
}

static hr_status set_resolved(hr_job *job, const char *value, hr_error *err) {
    return keep_path(job, "resolved", value, &job->output.resolved, err);
}

static hr_status set_algorithm(hr_job *job, const char *value, hr_error *err) {
    return keep_text(job, value, &job->search.algorithm, err);
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length > tail && !strcmp(text + length - tail, end);
}

static hr_status add_text(hr_job *job, hr_text_list *list, const char *value, hr_error *err) {
    if (list->inherited) list->count = 0;
    list->inherited = false;
    HR_TRY(hr_grow(&list->texts, &list->capacity, list->count + 1, sizeof *list->texts, err));
    HR_TRY(keep_text(job, value, &list->texts[list->count], err));
    list->count++;
    return HR_OK;
}

bool hr_report_is_page(const char *path) {
    return ends_with(path, ".html");
}

static hr_status add_report(hr_job *job, const char *value, hr_error *err) {
    if (!ends_with(value, ".json") && !hr_report_is_page(value))
        return hr_fail(err, HR_EINVAL,
                       "report '%s': a report is for programs (name it FILE.json) or a page for "
                       "people (FILE.html)",
                       value);
    return add_text(job, &job->output.reports, value, err);
}

static hr_status set_public_report(hr_job *job, const char *value, hr_error *err) {
    if (!hr_report_is_page(value))
        return hr_fail(err, HR_EINVAL,
                       "public_report '%s': a public report is a page, name it FILE.html", value);
    return keep_path(job, "public-report", value, &job->output.public_report, err);
}

static hr_status add_missing(hr_job *job, const char *value, hr_error *err) {
    return add_text(job, &job->input.missing, value, err);
}

static hr_status set_encoding(hr_job *job, const char *value, hr_error *err) {
    return hr_encoding_find(value, &job->format.encoding, err);
}

static hr_status set_boundaries(hr_job *job, const char *value, hr_error *err) {
    static const hr_option option = {
        .name = "boundaries", .type = HR_OPTION_CHOICE, .choices = "enforce|count"};
    int index;
    HR_TRY(hr_option_set(&option, &index, value, err));
    job->boundaries = index == 0 ? HR_BOUNDARIES_ENFORCE : HR_BOUNDARIES_COUNT;
    return HR_OK;
}

static hr_status set_bound(hr_job *job, const char *value, hr_error *err) {
    static const hr_option option = {
        .name = "bound", .type = HR_OPTION_CHOICE, .choices = "none|simple|lagrangian"};
    int index;
    HR_TRY(hr_option_set(&option, &index, value, err));
    job->search.bound = (hr_bound_kind)(index + HR_BOUND_NONE);
    return HR_OK;
}

static hr_status set_order(hr_job *job, const char *value, hr_error *err) {
    static const hr_option option = {
        .name = "order", .type = HR_OPTION_CHOICE, .choices = "canonical|input|shuffle"};
    int index;
    HR_TRY(hr_option_set(&option, &index, value, err));
    job->order = (hr_order)index;
    return HR_OK;
}

/* Only checks the value. The command reads it with hr_job_get; the library has hr_watch.finish. */
static hr_status set_on_interrupt(hr_job *job, const char *value, hr_error *err) {
    static const hr_option option = {
        .name = "on_interrupt", .type = HR_OPTION_CHOICE, .choices = "cancel|finish"};
    int index;
    (void)job;
    return hr_option_set(&option, &index, value, err);
}

static hr_status set_seed(hr_job *job, const char *value, hr_error *err) {
    if (hr_parse_uint(value, INT64_MAX, &job->search.seed)) return HR_OK;
    return hr_fail(err, HR_EINVAL, "seed: '%s' is not a whole number from 0 to 2^63 - 1", value);
}

static hr_status set_threads(hr_job *job, const char *value, hr_error *err) {
    static const hr_option option = {.name = "threads", .type = HR_OPTION_INT, .max = 1024};
    int64_t threads;
    HR_TRY(hr_option_set(&option, &threads, value, err));
    job->search.threads = (unsigned)threads;
    return HR_OK;
}

static hr_status set_unit(hr_job *job, const char *value, hr_error *err) {
    if (!*value) return hr_fail(err, HR_EINVAL, "unit: the name of a column is missing");
    job->asked.unit = true;
    return keep_text(job, value, &job->unit, err);
}

static hr_status set_max_suppressed(hr_job *job, const char *value, hr_error *err) {
    static const hr_option option = {.name = "max-suppressed", .type = HR_OPTION_REAL, .max = 1};
    return hr_option_set(&option, &job->max_suppressed, value, err);
}

static hr_status set_reference(hr_job *job, const char *value, hr_error *err) {
    static const hr_option option = {.name = "reference", .type = HR_OPTION_BOOL};
    return hr_option_set(&option, &job->search.reference, value ? value : "true", err);
}

/* ---- The table ---- */

#define EVERY HR_COMMANDS_EVERY
#define RUNS  "anonymize compare"

const hr_key hr_keys[] = {
    {"input", 0, "FILE", "the table to anonymize, - for standard input", EVERY, set_input,
     HR_KEY_PATH, HR_TYPE_PATH, NULL},
    {"output", 'o', "FILE", "the release (absent: standard output)", "anonymize", set_output,
     HR_KEY_PATH, HR_TYPE_PATH, NULL},
    {"model", 0, "{k: N, p: N}", "what every class must satisfy", "", NULL, HR_KEY_FILE,
     HR_TYPE_MAPPING, NULL},
    {"attributes", 0, "{COLUMN: {role: ROLE, ...}}", "what each column is", "", NULL, HR_KEY_FILE,
     HR_TYPE_MAPPING, NULL},
    {"algorithm", 'a', "NAME", "how to search; see `hedgerow list algorithms` (hedge)",
     "anonymize check compare", set_algorithm, 0, HR_TYPE_TEXT, "hedge"},
    {"identifier", 0, "COLUMNS", "columns that name a person: never read, never released", EVERY,
     hr_flag_identifier, HR_KEY_FLAG, HR_TYPE_COLUMNS, NULL},
    {"quasi", 0, "COLUMNS", "columns to generalize, such as a,b", EVERY, hr_flag_quasi, HR_KEY_FLAG,
     HR_TYPE_COLUMNS, NULL},
    {"sensitive", 0, "COLUMNS", "columns that p protects, with weights if you like: a:0.3,b:0.7",
     EVERY, hr_flag_sensitive, HR_KEY_FLAG, HR_TYPE_COLUMNS, NULL},
    {"keep", 0, "COLUMNS", "columns to release as they are, or recoded", EVERY, hr_flag_keep,
     HR_KEY_FLAG, HR_TYPE_COLUMNS, NULL},
    {"drop", 0, "COLUMNS", "columns to leave out", EVERY, hr_flag_drop, HR_KEY_FLAG,
     HR_TYPE_COLUMNS, NULL},
    {"hierarchy", 0, "COLUMN=FILE",
     "the column's hierarchy file, COLUMN=flat, or a builder: 'COLUMN={prefix: [3, 2]}'", EVERY,
     hr_flag_hierarchy, HR_KEY_FLAG, HR_TYPE_PER_COLUMN, NULL},
    {"boundary", 0, "COLUMN=level:N",
     "never generalize past this level; or COLUMN=NODE,NODE; a number: COLUMN=width:W, cells:N or "
     "cuts:N,N",
     EVERY, hr_flag_boundary, HR_KEY_FLAG, HR_TYPE_PER_COLUMN, NULL},
    {"finest", 0, "COLUMN=level:N", "publish nothing below this level; or COLUMN=NODE,NODE", EVERY,
     hr_flag_finest, HR_KEY_FLAG, HR_TYPE_PER_COLUMN, NULL},
    {"numeric", 0, "COLUMNS",
     "quasi-identifiers that are published as intervals of numbers, or means", EVERY,
     hr_flag_numeric, HR_KEY_FLAG, HR_TYPE_COLUMNS, NULL},
    {"bins", 0, "COLUMN=N", "count p in N equal-width bins of a numeric sensitive column", EVERY,
     hr_flag_bins, HR_KEY_FLAG, HR_TYPE_PER_COLUMN, NULL},
    {"round", 0, "COLUMN=NUMBER", "release a kept number as the nearest multiple", EVERY,
     hr_flag_round, HR_KEY_FLAG, HR_TYPE_PER_COLUMN, NULL},
    {"bottom", 0, "COLUMN=NUMBER", "release a kept number below this one as <NUMBER", EVERY,
     hr_flag_bottom, HR_KEY_FLAG, HR_TYPE_PER_COLUMN, NULL},
    {"top", 0, "COLUMN=NUMBER", "release a kept number from this one on as NUMBER+", EVERY,
     hr_flag_top, HR_KEY_FLAG, HR_TYPE_PER_COLUMN, NULL},
    {"level", 0, "COLUMN=LEVEL", "release a kept column at this level of its hierarchy", EVERY,
     hr_flag_level, HR_KEY_FLAG, HR_TYPE_PER_COLUMN, NULL},
    {"on-missing", 0, "COLUMN=group|drop|error",
     "missing values: a leaf below the root, rows dropped, or an error (error)", EVERY,
     hr_flag_on_missing, HR_KEY_FLAG, HR_TYPE_PER_COLUMN, NULL},
    {"unit", 0, "COLUMN", "k counts the different values of this column, such as people, not rows",
     EVERY, set_unit, 0, HR_TYPE_TEXT, NULL},
    {"missing", 0, "TEXT", "a text that stands for a missing value (the empty field); repeatable",
     EVERY, add_missing, HR_KEY_LIST, HR_TYPE_TEXT, ""},
    {"encoding", 0, "NAME",
     "encoding of the input: latin-1, windows-1252, utf-16 (utf-8, or by a byte-order mark)", EVERY,
     set_encoding, 0, HR_TYPE_TEXT, "utf-8"},
    {"boundaries", 0, "enforce|count", "keep to the boundaries, or only count what crosses them",
     "anonymize check compare", set_boundaries, 0, HR_TYPE_CHOICE, "enforce"},
    {"seed", 0, "N", "seed of the random numbers (1)", RUNS, set_seed, 0, HR_TYPE_INT, "1"},
    {"threads", 0, "N", "threads to use (0: all cores)", EVERY, set_threads, 0, HR_TYPE_INT, "0"},
    {"order", 0, "canonical|input|shuffle", "order of the released rows (canonical)", "anonymize",
     set_order, 0, HR_TYPE_CHOICE, "canonical"},
    {"on-interrupt", 0, "cancel|finish",
     "what the first Ctrl-C does: cancel, or publish the best release so far (cancel)", "anonymize",
     set_on_interrupt, 0, HR_TYPE_CHOICE, "cancel"},
    {"max-suppressed", 0, "SHARE",
     "release nothing if more rows than this share would be suppressed (1)", RUNS,
     set_max_suppressed, 0, HR_TYPE_REAL, "1"},
    {"bound", 0, "none|simple|lagrangian",
     "prove how little any release can lose (simple; hedge: by effort)", RUNS, set_bound, 0,
     HR_TYPE_CHOICE, NULL},
    {"report", 0, "FILE.json|FILE.html",
     "write the owner's report, for programs or as a page for people; repeatable", "anonymize",
     add_report, HR_KEY_PATH | HR_KEY_LIST, HR_TYPE_PATH, NULL},
    {"public-report", 0, "FILE.html", "write the part of the report that may be published",
     "anonymize", set_public_report, HR_KEY_PATH, HR_TYPE_PATH, NULL},
    {"study", 0, "COLUMN:COLUMN",
     "columns whose association the report compares before and after; repeatable", "anonymize",
     hr_flag_study, HR_KEY_LIST, HR_TYPE_TEXT, NULL},
    {"keys", 0, "COLUMN:COLUMN",
     "columns that an outsider may know together: their k is reported, not enforced; repeatable",
     "anonymize check", hr_flag_keys, HR_KEY_LIST, HR_TYPE_TEXT, NULL},
    {"trace", 0, "FILE", "write where each row went (for the owner, never for release)",
     "anonymize", set_trace, HR_KEY_PATH, HR_TYPE_PATH, NULL},
    {"minimal", 0, "FILE", "write all minimal choices of levels (incognito), as CSV", "anonymize",
     set_minimal, HR_KEY_PATH, HR_TYPE_PATH, NULL},
    {"certificate", 0, "FILE", "write what proves the bound, for `hedgerow check --certificate`",
     "anonymize", set_certificate, HR_KEY_PATH, HR_TYPE_PATH, NULL},
    {"resolved", 0, "FILE.yaml",
     "write the job with everything derived from the data, for `check` and other runs", "anonymize",
     set_resolved, HR_KEY_PATH, HR_TYPE_PATH, NULL},
    {"reference", 0, NULL, "run the plain textbook form of the algorithm", RUNS, set_reference, 0,
     HR_TYPE_BOOL, "false"},
    {0},
};

const hr_key *hr_key_find(const char *name) {
    for (const hr_key *key = hr_keys; key->name; key++)
        if (!strcmp(key->name, name)) return key;
    return NULL;
}

/* ---- Names: keys, then the options of models, formats and algorithms ---- */

static bool same_name(const char *a, const char *b) {
    for (; *a && *b; a++, b++)
        if ((*a == '_' ? '-' : *a) != (*b == '_' ? '-' : *b)) return false;
    return *a == *b;
}

/* Calls see(keyword, payload) for every keyword until it returns true. An option that several
 * formats or algorithms have is visited once for each. */
static bool each_name(bool (*see)(const hr_keyword *keyword, void *payload), void *payload) {
    for (const hr_key *key = hr_keys; key->name; key++)
        if (see(&(hr_keyword){.name = key->name, .key = key}, payload)) return true;
    for (size_t i = 0; hr_models[i]; i++)
        for (const hr_option *o = hr_models[i]->options; o && o->name; o++)
            if (see(&(hr_keyword){.name = o->name, .option = o}, payload)) return true;
    for (size_t i = 0; hr_formats[i]; i++)
        for (const hr_option *o = hr_formats[i]->options; o && o->name; o++)
            if (see(&(hr_keyword){.name = o->name, .option = o, .format = hr_formats[i]}, payload))
                return true;
    for (size_t i = 0; hr_algorithms[i]; i++)
        for (const hr_option *o = hr_algorithms[i]->options; o && o->name; o++)
            if (see(&(hr_keyword){.name = o->name, .option = o, .algorithm = hr_algorithms[i]},
                    payload))
                return true;
    return false;
}

typedef struct {
    const char *name;
    hr_keyword *out;
} name_lookup;

static bool see_name(const hr_keyword *keyword, void *payload) {
    name_lookup *wanted = payload;
    if (!same_name(keyword->name, wanted->name)) return false;
    *wanted->out = *keyword;
    return true;
}

bool hr_keyword_find(const char *name, hr_keyword *out) {
    return each_name(see_name, &(name_lookup){name, out});
}

typedef struct {
    size_t left;
    hr_keyword *out;
} index_lookup;

/* Counts only the first keyword of each name. */
static bool see_index(const hr_keyword *keyword, void *payload) {
    index_lookup *wanted = payload;
    hr_keyword first = {0};
    hr_keyword_find(keyword->name, &first);
    bool again = first.option != keyword->option || first.algorithm != keyword->algorithm ||
                 first.format != keyword->format;
    if (again || wanted->left-- > 0) return false;
    *wanted->out = *keyword;
    return true;
}

bool hr_keyword_number(size_t i, hr_keyword *out) {
    return each_name(see_index, &(index_lookup){.left = i, .out = out});
}

const char *hr_keyword_at(size_t i) {
    hr_keyword keyword = {0};
    return hr_keyword_number(i, &keyword) ? keyword.name : NULL;
}

/* Sets the value of a name in a list; the last one given counts. */
static hr_status add_setting(hr_job *job, hr_setting_list *list, const char *name,
                             const char *value, hr_error *err) {
    size_t i = 0;
    while (i < list->count && strcmp(list->items[i].name, name))
        i++;
    HR_TRY(hr_grow(&list->items, &list->capacity, i + 1, sizeof *list->items, err));
    HR_TRY(keep_text(job, value, &list->items[i].value, err));
    list->items[i].name = name;
    if (i == list->count) list->count++;
    return HR_OK;
}

/* Adds a setting to the job's fingerprint. The input's path is left out because compare.c adds a
 * hash of the input's contents; `threads` and `replace` because they change no result. */
static void update_fingerprint(hr_job *job, const char *name, const char *value) {
    if (!strcmp(name, "input") || !strcmp(name, "threads") || !strcmp(name, "replace")) return;
    uint64_t parts[3] = {job->fingerprint, hr_hash(name, strlen(name)),
                         hr_hash(value, strlen(value))};
    job->fingerprint = hr_hash(parts, sizeof parts);
}

static hr_status apply(hr_job *job, const hr_keyword *keyword, const char *value, hr_error *err) {
    if (keyword->key) return keyword->key->set(job, value, err);
    if (!value) value = "true";
    if (keyword->format) return hr_option_set(keyword->option, &job->format, value, err);
    if (!keyword->algorithm) return hr_option_set(keyword->option, &job->asked, value, err);
    return add_setting(job, &job->search.settings, keyword->name, value, err);
}

hr_status hr_keyword_set(hr_job *job, const hr_keyword *keyword, const char *value, hr_error *err) {
    bool is_switch =
        keyword->key ? !keyword->key->argument : keyword->option->type == HR_OPTION_BOOL;
    if (!value && !is_switch)
        return hr_fail(err, HR_EINVAL, "%s: a value is missing", keyword->name);
    if (keyword->key && !keyword->key->set)
        return hr_fail(err, HR_EINVAL, "'%s' can be given in a job file only", keyword->name);
    update_fingerprint(job, keyword->name, value ? value : "true");
    HR_TRY(apply(job, keyword, value, err));
    return add_setting(job, &job->given, keyword->name, value ? value : "true", err);
}
