/* hedgerow.h - the public interface of libhedgerow.
 *
 * Hedgerow anonymizes a table with one row per person so that it can be released: every class of
 * rows published alike has at least k rows and at least p values of each sensitive attribute, of
 * which none has a share above alpha, and no value is generalized past the boundary that the data
 * owner drew.
 *
 * Ownership: a returned pointer is borrowed; an object stored through `out` belongs to the caller,
 * who frees it. A function that can fail returns hr_status and fills the caller's hr_error (the
 * last parameter, may be NULL). The library neither prints nor exits and has no hidden state, so
 * different jobs may run in different threads. */
#ifndef HEDGEROW_H
#define HEDGEROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HR_API               __attribute__((visibility("default")))
#define HR_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define HR_API
#define HR_PRINTF(at, first)
#endif

/* ---- Versions ------------------------------------------------------------------------------ */

/* The library's version. Functions, fields at the end of structs and enum values may be added in
 * a minor version; nothing is removed or changed before the next major one. While the major
 * version is 0 that holds from patch to patch only. The soname carries the major version. */
#define HR_VERSION       "0.1.0"
#define HR_VERSION_MAJOR 0
#define HR_VERSION_MINOR 1
#define HR_VERSION_PATCH 0

/* No node, no code, no row. */
#define HR_NONE UINT32_MAX

/* ---- Errors ------------------------------------------------------------------------------- */

/* HR_CHECKED makes the compiler warn where a status is ignored, for every function that returns
 * one. clang has a GNU attribute for that; gcc 11 and newer know only the attribute of C23. */
#if defined(__clang__)
#define HR_CHECKED __attribute__((warn_unused_result))
#elif defined(__GNUC__) && __GNUC__ >= 11
#define HR_CHECKED [[nodiscard]]
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#else
#define HR_CHECKED
#endif

typedef enum HR_CHECKED {
    HR_OK,
    HR_ENOMEM,  /* out of memory */
    HR_EINVAL,  /* bad use: a job, flag or option that is not valid */
    HR_EDATA,   /* bad input: a table or hierarchy that cannot be used */
    HR_EIO,     /* reading or writing failed */
    HR_ENOSOL,  /* no release satisfies the models */
    HR_ECANCEL, /* cancelled by the caller */
    HR_EUNSUP   /* this build lacks a part that is needed */
} hr_status;

#if !defined(__clang__) && defined(__GNUC__) && __GNUC__ >= 11
#pragma GCC diagnostic pop
#endif

typedef struct {
    hr_status code;
    char message[512]; /* one line that says what the user can change */
} hr_error;

/* The version of the library in use; HR_VERSION is that of this header. */
HR_API const char *hr_version(void);

/* "HR_EDATA" and so on. */
HR_API const char *hr_status_name(hr_status status);

/* Stores a message, cut to fit and on one line, and returns `code`, for programs that report their
 * own errors as the library does: return hr_fail(err, HR_EINVAL, "'%s' is no number", text). */
HR_API hr_status hr_fail(hr_error *err, hr_status code, const char *format, ...) HR_PRINTF(3, 4);

/* ---- Watching a run ------------------------------------------------------------------------ */

/* Callbacks of a run; each may be NULL. The library calls them from any of its threads, never two
 * at a time. */
typedef struct {
    size_t size; /* sizeof(hr_watch): a newer library calls nothing that an older caller lacks */
    /* `done` of `total` units of `stage` are finished; at most about ten calls a second. */
    void (*progress)(const char *stage, uint64_t done, uint64_t total, void *payload);
    /* The best release found so far has the loss `loss` by `measure` (such as "ntil"); no release
     * has less than `least` (NaN: unknown). Algorithms that minimize the loss call it just before
     * `progress`. Rows that the search has not reached count as suppressed. */
    void (*loss)(const char *measure, double loss, double least, void *payload);
    /* One line that the data owner should read and that is not an error. */
    void (*notice)(const char *message, void *payload);
    /* Returns true to cancel. The run then ends with HR_ECANCEL and leaves all files as they were.
     * Only a run that is already writing its release to a pipe has replaced its other files. */
    bool (*cancelled)(void *payload);
    void *payload;
    /* Returns true to end the search early: the best release so far is verified and published, and
     * the report says `interrupted`. Where no release exists yet, while a table is read or an
     * algorithm runs that does not improve a release step by step, the run is cancelled. */
    bool (*finish)(void *payload);
} hr_watch;

/* ---- Texts, numbers and files -------------------------------------------------------------- */

/* How results are printed: each hr_..._print stores the text that the command prints. */
typedef enum {
    HR_PRINT_TABLE, /* for people: an aligned table, a drawing or a few lines */
    HR_PRINT_CSV,   /* a header and its rows */
    HR_PRINT_JSON   /* the same rows as a list of objects */
} hr_print_format;

/* Frees a text or an array that a function of this library stored through `out`. */
HR_API void hr_free(void *memory);

/* Replaces control characters by '?', in place, so that a text from a file cannot control the
 * terminal that shows it. */
HR_API void hr_make_plain(char *text);

/* Removes the password from the address of a database (postgresql://user:password@host/...), in
 * place, and overwrites what becomes free behind the shorter text. Returns true if the address had
 * a password. Messages, reports and resolved jobs never show one. */
HR_API bool hr_hide_password(char *address);

/* The name that `text` may be a misspelling of, for "did you mean"; NULL: none is near enough. An
 * empty name is never found. Time: O(bytes of all names). */
HR_API const char *hr_nearest_name(const char *text, const char *const *names, size_t count);

/* Parses a text that is, from its first to its last character, a finite decimal number, as values
 * of tables and jobs are read; the locale has no influence. */
HR_API bool hr_parse_double(const char *text, double *out);
/* The same for digits only: a whole number from 0 to `max`. */
HR_API bool hr_parse_uint(const char *text, uint64_t max, uint64_t *out);
/* Parses "4,8,10-20" into numbers from 1 to `max`, in that order, at most 10000 of them. `name`
 * stands for the list in messages. Free *out with hr_free. */
HR_API hr_status hr_parse_numbers(const char *name, const char *text, int64_t max, int64_t **out,
                                  size_t *count, hr_error *err);

/* Writes a file, whole or not at all; "-" is standard output. With `owner_only` nobody else may
 * read the file (mode 0600); without, it keeps the mode of the file that it replaces. `watch` may
 * cancel while a pipe waits for its reader; it may be NULL. */
HR_API hr_status hr_file_write(const char *path, const char *bytes, size_t length, bool owner_only,
                               const hr_watch *watch, hr_error *err);

/* ---- Tables -------------------------------------------------------------------------------- */

/* Columns of text: each column has a dictionary of its texts and one code per row. */
typedef struct hr_table hr_table;

/* Creates a table without rows. No name is empty and no two are equal. Time: O(columns). */
HR_API hr_status hr_table_new(size_t columns, const char *const *names, hr_table **out,
                              hr_error *err);

/* Appends one row: as many texts as the table has columns; NULL is a null, which is not an empty
 * text. Time: O(bytes), amortized. */
HR_API hr_status hr_table_append(hr_table *table, const char *const *fields, hr_error *err);

/* One column, for hr_table_from_columns. Row i has either the text texts[i], or, where `codes` is
 * given, the text texts[codes[i]]. A text that is NULL is a null. */
typedef struct {
    size_t size; /* sizeof(hr_column_data) */
    const char *name;
    const char *const *texts;
    const size_t *lengths; /* bytes of each text; NULL: they end with a zero byte */
    size_t text_count;     /* rows, or with codes the number of different texts */
    const uint32_t *codes; /* one a row, each below text_count; NULL: one text a row */
    size_t code_count;
} hr_column_data;

/* A table of columns of equal length. Everything is copied; of a column with codes, only texts that
 * some row has. Time: O(values). */
HR_API hr_status hr_table_from_columns(const hr_column_data *columns, size_t count, hr_table **out,
                                       hr_error *err);

/* Appends all rows of another table, whose columns have the same names in the same order. Where a
 * column came with another type than that of the first rows, all of it becomes text. On failure
 * `table` has the rows that it had. Time: O(values). */
HR_API hr_status hr_table_append_table(hr_table *table, const hr_table *other, hr_error *err);

/* Reads all columns of a CSV file (plain, gzip or zstd), or of a table of a database:
 * "sqlite:FILE?table=NAME", "sqlite:FILE?query=SELECT ...",
 * "postgresql://HOST/DATABASE?table=NAME" or "?query=SELECT ...". Time: O(bytes). */
HR_API hr_status hr_table_read(const char *path, hr_table **out, hr_error *err);

/* Reads only the columns named, in the order of the file: the others are skipped and never stored.
 * A name that the file does not have is HR_EINVAL, before any row is read. Time: O(bytes). */
HR_API hr_status hr_table_read_columns(const char *path, const char *const *columns, size_t count,
                                       hr_table **out, hr_error *err);

/* Writes a CSV file ("-" is standard output), or a table of a database that has none of that name;
 * whole or not at all. Time: O(bytes). */
HR_API hr_status hr_table_write(const hr_table *table, const char *path, hr_error *err);

/* Reads every batch of an Arrow stream (hedgerow_arrow.h). Columns may be text, numbers,
 * booleans, dates, times, timestamps, decimals, or dictionaries of these. A column of another type
 * is an error that names the column. `columns` names the `count` columns that are wanted; NULL:
 * all. The stream is released, also on failure. `watch` may be NULL. Time: O(values). */
struct ArrowArrayStream;
HR_API hr_status hr_table_from_arrow(struct ArrowArrayStream *stream, const char *const *columns,
                                     size_t count, const hr_watch *watch, hr_table **out,
                                     hr_error *err);

/* The table as an Arrow stream. Dictionary columns borrow the table's codes, and the table's memory
 * lives until the last array is released, whatever happens to the table itself. */
HR_API hr_status hr_table_to_arrow(const hr_table *table, struct ArrowArrayStream *out,
                                   hr_error *err);

HR_API size_t hr_table_rows(const hr_table *table);
HR_API size_t hr_table_columns(const hr_table *table);
HR_API const char *hr_table_name(const hr_table *table, size_t column);

/* The number of the column of that name, or SIZE_MAX. */
HR_API size_t hr_table_column(const hr_table *table, const char *name);

/* The text of a value; that of a null is empty. Valid until the table is freed or appended to. */
HR_API const char *hr_table_text(const hr_table *table, size_t row, size_t column);
HR_API bool hr_table_is_null(const hr_table *table, size_t row, size_t column);

/* A column as it is stored: a code for each row, and a dictionary of the texts. Valid until the
 * table is freed or appended to. The codes are unsigned integers of *width bytes: 1, 2 or 4. */
HR_API const void *hr_table_codes(const hr_table *table, size_t column, unsigned *width);
HR_API uint32_t hr_table_code(const hr_table *table, size_t row, size_t column);
HR_API uint32_t hr_table_code_count(const hr_table *table, size_t column);
/* The text of a code, or NULL if the code stands for null. Unless `length` is NULL, *length
 * receives the length of the text in bytes. */
HR_API const char *hr_table_code_text(const hr_table *table, size_t column, uint32_t code,
                                      size_t *length);

HR_API void hr_table_free(hr_table *table);

/* ---- Hierarchies --------------------------------------------------------------------------- */

/* A value tree: leaf values, their ancestors, and one root. Nodes are numbered from 0. A
 * hierarchy is never changed once it is built, and may be used by several jobs and threads. */
typedef struct hr_hierarchy hr_hierarchy;

/* From labels: the path of leaf i to the root is labels[i * levels] .. labels[i * levels +
 * levels - 1]. A label that repeats upward in a path is one node. `name` stands for the
 * hierarchy in messages. Time: O(leaves x levels). */
HR_API hr_status hr_hierarchy_from_labels(const char *name, const char *const *labels,
                                          size_t leaves, size_t levels, hr_hierarchy **out,
                                          hr_error *err);
/* From a table with one row per leaf and one column per level. */
HR_API hr_status hr_hierarchy_from_table(const char *name, const hr_table *table,
                                         hr_hierarchy **out, hr_error *err);
/* Every value of a column directly below the root `*`. */
HR_API hr_status hr_hierarchy_of_values(const hr_table *table, size_t column, hr_hierarchy **out,
                                        hr_error *err);
/* From a hierarchy file: `leaf;level1;...;root`, without a header; or from a table of a SQLite
 * database (see hr_table_read), whose columns are the levels. */
HR_API hr_status hr_hierarchy_read(const char *path, hr_hierarchy **out, hr_error *err);

HR_API uint32_t hr_hierarchy_node_count(const hr_hierarchy *tree);
HR_API uint32_t hr_hierarchy_leaf_count(const hr_hierarchy *tree);
HR_API uint32_t hr_hierarchy_level_count(const hr_hierarchy *tree); /* leaves are level 0 */
HR_API uint32_t hr_hierarchy_root(const hr_hierarchy *tree);
HR_API const char *hr_hierarchy_label(const hr_hierarchy *tree, uint32_t node);
HR_API uint32_t hr_hierarchy_find(const hr_hierarchy *tree, const char *label); /* or HR_NONE */
HR_API uint32_t hr_hierarchy_parent(const hr_hierarchy *tree, uint32_t node);   /* or HR_NONE */
HR_API uint32_t hr_hierarchy_height(const hr_hierarchy *tree, uint32_t node);   /* of the subtree */
HR_API bool hr_hierarchy_is_leaf(const hr_hierarchy *tree, uint32_t node);
/* The ancestor of a leaf at a level; leaves are numbered in the order given. */
HR_API uint32_t hr_hierarchy_node_at(const hr_hierarchy *tree, uint32_t leaf, uint32_t level);
/* The name of a level of a hierarchy that a builder made, such as "month"; NULL: it has none. */
HR_API const char *hr_hierarchy_level_name(const hr_hierarchy *tree, uint32_t level);
/* Writes a hierarchy file, which hr_hierarchy_read reads, whole or not at all. Time: O(leaves x
 * levels). */
HR_API hr_status hr_hierarchy_write(const hr_hierarchy *tree, const char *path, hr_error *err);
HR_API void hr_hierarchy_free(hr_hierarchy *tree);

/* A builder: makes a hierarchy from the values of a column. */
typedef struct {
    const char *name, *title;
    const char *argument; /* what follows the name in a job: "[N, N]" */
    const char *help;
} hr_builder_info;

/* Builder number i; false: there is none, and all have been listed. */
HR_API bool hr_builder_info_at(size_t i, hr_builder_info *out);

/* What hr_hierarchy_make builds. */
typedef struct {
    size_t size;        /* sizeof(hr_hierarchy_make_request) */
    const char *spec;   /* as in a job: "prefix: [3, 2]", "[{prefix: [3]}, {parents: FILE}]" */
    const char *folder; /* relative paths are relative to it; NULL: to the current folder */
    const hr_table *table;
    size_t column;              /* of the table: the values */
    const char *const *missing; /* texts that mean a missing value; NULL: the empty text */
    size_t missing_count;
    bool group_missing; /* missing values get a leaf below the root; otherwise they get none */
    char decimal;       /* sign before the decimals of numbers: ',' or '.'; 0: '.' */
} hr_hierarchy_make_request;

/* Builds a hierarchy from the values of a column, as the key `hierarchy` of a job does. */
HR_API hr_status hr_hierarchy_make(const hr_hierarchy_make_request *request, hr_hierarchy **out,
                                   hr_error *err);

/* What is shown of a hierarchy. */
typedef struct {
    size_t size;          /* sizeof(hr_hierarchy_show_request) */
    const char *boundary; /* "level:2" or "NODE,NODE", to be marked; NULL: none */
    const hr_table *data; /* the table whose rows are counted; NULL: none */
    size_t column;        /* of `data`: the values of the hierarchy */
    bool depth_given;     /* false: all nodes; a large drawing is cut where it stays readable */
    uint32_t depth;       /* greatest depth of a node that is shown; the root has depth 0 */
} hr_hierarchy_show_request;

/* A node of a hierarchy that is shown. New members are added at the end. */
typedef struct {
    uint32_t node, depth, height;
    uint32_t leaves; /* leaf values at or below the node */
    bool boundary;   /* values are generalized up to this node, and not past it */
    uint64_t rows;   /* rows of the data at or below the node; 0 without data */
} hr_shown_node;

typedef struct hr_hierarchy_view hr_hierarchy_view;

/* Marks the boundary and counts the rows of every node. `request` NULL: shows all nodes, without
 * boundary and rows. Time: O(nodes + rows). */
HR_API hr_status hr_hierarchy_show(const hr_hierarchy *tree,
                                   const hr_hierarchy_show_request *request,
                                   hr_hierarchy_view **out, hr_error *err);
/* Each node before its children, which are in the order of the file; NULL after the last. */
HR_API const hr_shown_node *hr_hierarchy_view_at(const hr_hierarchy_view *view, size_t i);
/* What `hedgerow hierarchy show` prints: a drawing, or a row for each node. Free *out with
 * hr_free. */
HR_API hr_status hr_hierarchy_view_print(const hr_hierarchy_view *view, hr_print_format format,
                                         char **out, hr_error *err);
HR_API void hr_hierarchy_view_free(hr_hierarchy_view *view);

/* Which hierarchies are checked, and for which values. */
typedef struct {
    size_t size;                      /* sizeof(hr_hierarchy_check_request) */
    const char *const *paths;         /* hierarchy files; "flat" is made of the column */
    const hr_hierarchy *const *trees; /* instead of `paths` */
    size_t count;                     /* of paths or trees */
    const hr_table *data;             /* the table whose values need leaves; NULL: none */
    size_t column;                    /* of `data`: the values */
} hr_hierarchy_check_request;

/* The findings about one hierarchy. New members are added at the end. */
typedef struct {
    const char *name;    /* the path, or what stands for the hierarchy in messages */
    hr_status status;    /* HR_OK: it can be used */
    const char *problem; /* why it cannot; NULL if it can */
    uint32_t leaves, nodes, height, levels; /* 0 if it cannot be read */
    const char *root;                       /* NULL if it cannot be read */
    uint32_t stray_values;                  /* values of the column that have no leaf */
    uint64_t stray_rows;                    /* rows with such values */
    uint32_t only_children; /* inner nodes with one child: generalizing to them hides nothing */
    uint32_t inner_leaves;  /* labels that are both a leaf and an ancestor */
    uint32_t values;        /* different values of the column; 0 without data */
} hr_hierarchy_finding;

typedef struct hr_hierarchy_findings hr_hierarchy_findings;

/* Can these hierarchies be used, alone and for the values of a column? HR_OK says that the question
 * was answered, not that the answer is yes. */
HR_API hr_status hr_hierarchy_check(const hr_hierarchy_check_request *request,
                                    hr_hierarchy_findings **out, hr_error *err);
/* One for each hierarchy, in the order given; NULL after the last. */
HR_API const hr_hierarchy_finding *hr_hierarchy_findings_at(const hr_hierarchy_findings *findings,
                                                            size_t i);
/* Notices about hierarchy i: what is valid but may not be meant; NULL after the last. */
HR_API const char *hr_hierarchy_findings_notice(const hr_hierarchy_findings *findings, size_t i,
                                                size_t notice);
/* What `hedgerow hierarchy check` prints. Free *out with hr_free. */
HR_API hr_status hr_hierarchy_findings_print(const hr_hierarchy_findings *findings,
                                             hr_print_format format, char **out, hr_error *err);
HR_API void hr_hierarchy_findings_free(hr_hierarchy_findings *findings);

/* ---- Jobs ---------------------------------------------------------------------------------- */

/* A job: input, roles, hierarchies, boundaries, models, algorithm and outputs. */
typedef struct hr_job hr_job;

HR_API hr_status hr_job_new(hr_job **out, hr_error *err);

/* A job file that is already in memory. `name` stands for it in messages; relative paths are
 * relative to `folder` (NULL: to the current folder). */
HR_API hr_status hr_job_parse(const char *bytes, size_t length, const char *name,
                              const char *folder, hr_job **out, hr_error *err);

/* Reads a job file (YAML or JSON). Relative paths in the file are relative to its folder. */
HR_API hr_status hr_job_read(const char *path, hr_job **out, hr_error *err);

/* Sets one key, like the command's flag of that name: hr_job_set(job, "k", "10", err),
 * hr_job_set(job, "hierarchy", "age=age.csv", err). Later settings override earlier ones. A key
 * that needs no argument is switched on by NULL. */
HR_API hr_status hr_job_set(hr_job *job, const char *key, const char *value, hr_error *err);

typedef enum {
    HR_TYPE_TEXT,
    HR_TYPE_PATH,
    HR_TYPE_INT,
    HR_TYPE_REAL,
    HR_TYPE_BOOL,
    HR_TYPE_CHOICE,     /* one of `choices` */
    HR_TYPE_COLUMNS,    /* names of columns, separated by commas */
    HR_TYPE_PER_COLUMN, /* COLUMN=VALUE; once for each column */
    HR_TYPE_MAPPING     /* only in a job file or text */
} hr_key_type;

/* What a job can choose from: see hr_list_new. An alias is a paper's name for an algorithm. */
typedef enum {
    HR_KIND_ALGORITHM,
    HR_KIND_ALIAS,
    HR_KIND_MODEL,
    HR_KIND_MEASURE,
    HR_KIND_FORMAT,
    HR_KIND_BUILDER
} hr_kind;

/* One key of a job: what hr_job_set takes, and the command's flags. */
typedef struct {
    size_t size;          /* sizeof(hr_key_info), set by the caller */
    const char *name;     /* "max-suppressed"; '_' is read as '-' */
    const char *argument; /* "SHARE"; NULL: none is needed */
    const char *help;
    hr_key_type type;
    bool has_default;
    char initial[64];    /* the default as text, if it has one */
    const char *choices; /* "enforce|count", or NULL */
    double least, most;  /* of a number that has limits; NaN otherwise */
    bool repeatable;     /* each value given is added to those before */
    const char *owner;  /* the algorithm, model or format whose option it is; NULL: a key of jobs */
    hr_kind owner_kind; /* HR_KIND_ALGORITHM, ..._MODEL or ..._FORMAT, if there is an owner */
    char letter;        /* 'o': the command's flag -o; 0: none */
    const char *commands; /* the commands that have the flag, such as "anonymize compare" */
} hr_key_info;

/* Key number i; false: there is none, and all have been listed. */
HR_API bool hr_key_info_at(size_t i, hr_key_info *out);
/* The key of that name, in which '_' is read as '-'; false: there is none. */
HR_API bool hr_key_info_find(const char *name, hr_key_info *out);
/* Key number i of an entry below `attributes`: name, argument and help; false: there is none. */
HR_API bool hr_attribute_key_info_at(size_t i, hr_key_info *out);

/* The last value given for a key, by the job file or by hr_job_set, as text. NULL: none was
 * given, or there is no such key. Valid until the key is set again. */
HR_API const char *hr_job_get(const hr_job *job, const char *key);

/* The files that a run writes: the path of file number i, or NULL after the last. Unless `key` is
 * NULL, *key receives the key that names the file: "output", "trace", "report", ... A release that
 * goes to standard output is not among them. Valid until the key is set again. */
HR_API const char *hr_job_output_at(const hr_job *job, size_t i, const char **key);

/* The columns that the job describes, in the order in which it first names them. */
HR_API size_t hr_job_column_count(const hr_job *job);
HR_API const char *hr_job_column_name(const hr_job *job, size_t i);
/* "identifier", "quasi", "sensitive", "keep", "drop", or NULL: no role was given. */
HR_API const char *hr_job_column_role(const hr_job *job, size_t i);
/* Does a run read the column: can a release contain it, or is it the unit? */
HR_API bool hr_job_reads(const hr_job *job, const char *column);

/* Is the job complete, and do its parts go together? The message says what to write. hr_job_run
 * asks the same first. */
HR_API hr_status hr_job_complete(const hr_job *job, hr_error *err);

/* Uses this table as input instead of a file. The job borrows the table until the job is freed. The
 * table may lack columns that are not read (hr_job_reads). */
HR_API hr_status hr_job_set_input(hr_job *job, const hr_table *table, hr_error *err);

/* Makes the input table a counted one: row i stands for counts[i] rows, for i < rows, and the
 * rows after them only add values to the columns. So a plan, or the price of boundaries, can be
 * computed from what was counted elsewhere; the other functions refuse a counted table. For the
 * plan, the rows that one row stands for must be in the same MAM cell, or lack a value, and have
 * the same sensitive values, and the row must be the first of them in the order of their texts,
 * column by column. Where a boundary leaves the cut points of a number to the data, they must
 * have the same number, too. Builders that count rows (frequency, quantiles) are refused. The
 * job borrows `counts`. Without any counted row a plan has no cells: it only gives the keys of
 * rows (hr_plan_keys), with each such number in a cell of its own. */
HR_API hr_status hr_job_set_counts(hr_job *job, const uint32_t *counts, size_t rows, hr_error *err);

/* Gives a quasi-identifier, or a kept column with a level, this hierarchy instead of a file. The
 * job becomes another owner of it: the caller frees its own as usual. */
HR_API hr_status hr_job_set_hierarchy(hr_job *job, const char *column, const hr_hierarchy *tree,
                                      hr_error *err);
/* Draws the boundary of a column through these nodes, by label. (hr_job_set(job, "boundary",
 * "age=level:2", err) draws it along a level; of a number, "age=width:10", "age=cells:8" or
 * "age=cuts:20,40,60".) */
HR_API hr_status hr_job_set_boundary(hr_job *job, const char *column, const char *const *labels,
                                     size_t count, hr_error *err);

HR_API void hr_job_free(hr_job *job);

/* ---- Releases ------------------------------------------------------------------------------ */

/* A verified release in memory. */
typedef struct hr_release hr_release;

/* Runs the job: reads the input, searches for a partition, masks the table, verifies it, measures
 * it and writes the files that the job names. Returns HR_ENOSOL and writes nothing if nothing can
 * be released. `watch` may be NULL. */
HR_API hr_status hr_job_run(const hr_job *job, const hr_watch *watch, hr_release **out,
                            hr_error *err);

/* The job with everything that was derived from its data made explicit, as the text of a job file:
 * hierarchies that builders made or that were given in memory, cut points, edges of bins, ranges
 * and weights. A run, a check or a run of a part of the data with that job uses exactly the same.
 * (The key `resolved` has hr_job_run write it.) Paths are relative to `folder`, which exists; NULL:
 * they stay as the job has them. It has values of the data: for the owner, never for release. Reads
 * the input, and fails with HR_ENOSOL where hr_job_run does before its search. Free *out with
 * hr_free. */
HR_API hr_status hr_job_resolve(const hr_job *job, const char *folder, const hr_watch *watch,
                                char **out, hr_error *err);

/* The released rows, in the order that the job asks for. */
HR_API const hr_table *hr_release_table(const hr_release *release);

/* The figures of a release. A double is NaN where the measure has no meaning or was not
 * computed. New figures are added at the end. */
typedef struct {
    uint64_t rows, released, suppressed, classes, clusters;
    uint64_t violations;            /* published values beyond a boundary */
    int64_t k, p;                   /* as enforced */
    int64_t achieved_k, achieved_p; /* achieved_p -1: there is no sensitive attribute */
    double ntil, ntil_bound, il, dm, avg, avg_clusters, sse_sst;
    double seconds;
    uint64_t trimmed; /* of `suppressed`: rows of MAM cells of which a part is released */
    /* What the worst class achieves of the models beside k and p; NaN: not asked for. */
    double achieved_alpha, achieved_l, achieved_entropy_l, achieved_recursive_c, achieved_t;
} hr_figures;

HR_API const hr_figures *hr_release_figures(const hr_release *release);
/* The value of a measure of `hedgerow list measures`; false: there is none of that name. */
HR_API bool hr_release_measure(const hr_release *release, const char *name, double *value);
/* What the job asks of a model, and what the release achieves: its worst class. `parameter` is the
 * option of the model: "k", "p", "alpha". Achieved is NaN where the model has no meaning. Returns
 * false if there is no such model. */
HR_API bool hr_release_achieved(const hr_release *release, const char *parameter, double *asked,
                                double *achieved);
/* What a release achieves of a model in one sensitive attribute. New figures are added at the
 * end. */
typedef struct {
    const char *attribute, *parameter; /* of the model, such as "t" */
    double asked, achieved;            /* asked is NaN for p if the job does not ask for it */
    uint64_t worst_class;              /* that achieves no more, as in the trace, from 1 */
    uint64_t worst_rows, worst_row;    /* its rows, and the first of them, from 1 */
} hr_attribute_figures;

/* Figure number i: every sensitive attribute with p and each model that is asked of it. False
 * behind the last. */
HR_API bool hr_release_attribute(const hr_release *release, size_t i, hr_attribute_figures *out);

/* Columns that an outsider may know together (the key `keys`), and the groups of released rows that
 * are equal in all of them. New figures are added at the end. */
typedef struct {
    const char *columns;               /* "birth, hospital" */
    uint64_t groups, least;            /* groups; rows, or people, of the smallest */
    uint64_t small_groups, small_rows; /* groups of fewer than k, and their rows */
    bool people;                       /* least and small_groups count people, not rows */
} hr_key_figures;

/* Set number i of the job's `keys`; false behind the last. */
HR_API bool hr_release_keys(const hr_release *release, size_t i, hr_key_figures *out);
/* A few lines for a person. */
HR_API const char *hr_release_summary(const hr_release *release);
/* Notices of the run, which the report has as `warnings`; NULL after the last. */
HR_API const char *hr_release_warning(const hr_release *release, size_t i);
/* Of these, what the owner may have overlooked: the last ones, which the summary has and no
 * hr_watch gets. NULL after the last. */
HR_API const char *hr_release_caution(const hr_release *release, size_t i);

/* What became of every input row: for the owner, never for release. Rows count from 0. The class
 * of a suppressed row is HR_NONE; rows that are published alike have the same class. */
HR_API size_t hr_release_input_rows(const hr_release *release);
HR_API uint32_t hr_release_class(const hr_release *release, size_t input_row);
/* The released row of an input row, or HR_NONE; and the input row of a released row. */
HR_API uint32_t hr_release_row(const hr_release *release, size_t input_row);
HR_API uint32_t hr_release_input_row(const hr_release *release, size_t released_row);

/* All of this as a table, which is what the key `trace` has hr_job_run write: row, class, cluster,
 * status ("kept" or "suppressed") and out, the released row; rows count from 1. */
HR_API hr_status hr_release_trace(const hr_release *release, hr_table **out, hr_error *err);

/* The report as JSON, for the data owner, not for release. */
HR_API const char *hr_release_report(const hr_release *release);
/* The report as a page for people, one HTML file that loads nothing: what the key `report` has
 * hr_job_run write to FILE.html. For the data owner, not for release. Free *out with hr_free. Time:
 * O(released rows), for their hash. */
HR_API hr_status hr_release_report_html(const hr_release *release, char **out, hr_error *err);
/* The part of it that may be published beside the release (the key `public_report`): nothing about
 * suppressed rows or originals, except the loss. */
HR_API hr_status hr_release_public_report_html(const hr_release *release, char **out,
                                               hr_error *err);
/* Verdict, precision and class sizes as a piece of HTML for a page of another program, such as a
 * notebook: an element of class "hedgerow" with its style sheet. For the data owner. */
HR_API hr_status hr_release_part_html(const hr_release *release, char **out, hr_error *err);
/* Key number i of the report, such as "rows.input" or "per_attribute[].name"; NULL after the last.
 * A name in capitals stands for those of models, measures or options. *help receives what the key
 * means, unless `help` is NULL. */
HR_API const char *hr_report_key_at(size_t i, const char **help);
/* What `hedgerow anonymize` prints besides the release: the summary, or the figures as one row.
 * Free *out with hr_free. */
HR_API hr_status hr_release_print(const hr_release *release, hr_print_format format, char **out,
                                  hr_error *err);

HR_API void hr_release_free(hr_release *release);

/* ---- Checking a table ---------------------------------------------------------------------- */

/* What is checked, and against what. Paths and tables are alternatives; NULL: not given. */
typedef struct {
    size_t size;        /* sizeof(hr_check_request) */
    const char *masked; /* the table to judge, of any tool */
    const hr_table *masked_table;
    const char *original; /* its input: boundaries and coverage are judged, too */
    const hr_table *original_table;
    const char *trace;         /* pairs rows with those of the original; without it: by position */
    const char *certificate;   /* its lower bound is recomputed */
    const char *suppressed_as; /* rows whose quasi-identifiers are all this text are left out */
    const hr_table *trace_table; /* instead of `trace`: what hr_release_trace gives */
} hr_check_request;

/* The outcome of a check. New figures are added at the end. */
typedef struct {
    bool holds;                     /* all checks passed; boundaries count only if enforced */
    uint64_t rows, left_out;        /* judged; left out as suppressed */
    uint64_t classes;               /* classes; a class is the rows with equal published values */
    int64_t k, p;                   /* of the job */
    int64_t achieved_k, achieved_p; /* achieved_p -1: there is no sensitive attribute */
    uint64_t small_classes;         /* with fewer than k rows */
    uint64_t poor_classes;          /* with fewer than p values of some sensitive attribute */
    uint64_t identifiers;           /* identifier columns that the table still contains */
    uint64_t dropped_columns;       /* columns that the job drops and the table still contains */
    uint64_t unknown;    /* without an original: values that no release of this job can have */
    bool compared;       /* an original was given; the next three have a meaning */
    uint64_t violations; /* values past a boundary */
    uint64_t uncovered;  /* values that do not cover their original, or are not the mean */
    uint64_t changed;    /* sensitive or kept values that differ from the original; see unrecoded */
    bool certified;      /* a certificate was given; the next three have a meaning */
    double bound_claimed, bound_proved; /* lower bounds on ntil */
    bool bound_holds;                   /* claimed is not more than proved */
    uint64_t failing_classes;           /* that violate a model other than k and p */
    uint64_t too_fine;                  /* values more precise than `finest` allows */
    uint64_t unrecoded;     /* kept values that are not what the recoding of their column gives */
    uint64_t past_boundary; /* without an original: values past the boundary, whatever it was */
    uint64_t extra_columns; /* columns of the table that have no role in the job */
    uint64_t hidden;        /* sensitive values such as `*`, which do not count towards p */
    bool foreign_trace;     /* the trace is one of another release; nothing was compared */
} hr_check_figures;

typedef struct hr_check hr_check;

/* Is this table what the job promises? HR_OK says that the question was answered, not that the
 * answer is yes. The job's own input and outputs are not touched, but the input is read for the
 * ranges of `bins` if there is no original. */
HR_API hr_status hr_job_check(const hr_job *job, const hr_check_request *request,
                              const hr_watch *watch, hr_check **out, hr_error *err);
HR_API const hr_check_figures *hr_check_result(const hr_check *check);
/* As hr_release_achieved, of the table that was checked. */
HR_API bool hr_check_achieved(const hr_check *check, const char *parameter, double *asked,
                              double *achieved);
/* As hr_release_attribute and hr_release_keys. */
HR_API bool hr_check_attribute(const hr_check *check, size_t i, hr_attribute_figures *out);
HR_API bool hr_check_keys(const hr_check *check, size_t i, hr_key_figures *out);
/* What fails, a line each; NULL after the last. */
HR_API const char *hr_check_reason(const hr_check *check, size_t i);
/* What was not judged, for lack of the original; NULL after the last. */
HR_API const char *hr_check_unjudged(const hr_check *check, size_t i);
/* What the owner may have overlooked, whatever the answer is; NULL after the last. */
HR_API const char *hr_check_warning(const hr_check *check, size_t i);
/* All of it for a person. */
HR_API const char *hr_check_summary(const hr_check *check);
/* What `hedgerow check` prints: the summary, or the figures as one row. Free *out with hr_free. */
HR_API hr_status hr_check_print(const hr_check *check, hr_print_format format, char **out,
                                hr_error *err);
HR_API void hr_check_free(hr_check *check);

/* ---- What boundaries cost ------------------------------------------------------------------ */

/* What one k and p cost; p = 1 is k-anonymity alone. */
typedef struct {
    int64_t k, p;
    /* Rows that every release must suppress. With alpha and several sensitive attributes: rows that
     * Hedgerow suppresses; fewer may do. */
    uint64_t suppressed;
    uint64_t
        classes_at_most; /* of any release; some has as many if there is one sensitive attribute */
    uint64_t
        *relaxed; /* per quasi-identifier: `suppressed` if its boundary were one level higher; of a
                     number: twice as wide, half as many cells or every second cut point */
} hr_price;

/* What the MAM cells that are not suppressed achieve of a model in one sensitive attribute if each
 * is one class. No release of these rows achieves more in its worst class. New figures are added at
 * the end. */
typedef struct {
    const char *attribute, *parameter; /* of the model, such as "t" */
    double asked;
    double achieved;     /* by the worst of these cells; NaN: there is none */
    uint64_t worst_rows; /* its rows */
} hr_price_figures;

/* The table, as its boundaries cut it. */
typedef struct {
    uint64_t rows;
    uint64_t dropped;                  /* rows with a missing value, with `on_missing: drop` */
    uint32_t cells, smallest, largest; /* number of MAM cells; rows of the smallest, the largest */
    size_t quasi_count;
    const char *const *quasi_names;
    const bool *bounded; /* per quasi-identifier: does it have a boundary? */
    bool numbers;        /* some boundary cuts numbers without a hierarchy */
    /* Cells of numbers are chosen for each k and p; `cells`, `smallest` and `largest` are those of
     * the first. */
    bool chosen;
} hr_cut;

/* The prices of a grid of k and p. */
typedef struct hr_prices hr_prices;
/* Whose rows are suppressed: for the data owner, never for release. See hr_lost_at. */
typedef struct hr_lost hr_lost;

/* Figure number n of price i: every sensitive attribute and model beside k and p that is asked of
 * it. False behind the last. */
HR_API bool hr_prices_attribute(const hr_prices *prices, size_t i, size_t n, hr_price_figures *out);

/* Reads the job's input once and prices its boundaries for every k and p, k outermost, before
 * any run. If `ks` or `ps` is NULL, the job's own k or p is priced. */
HR_API hr_status hr_job_boundaries(const hr_job *job, const int64_t *ks, size_t k_count,
                                   const int64_t *ps, size_t p_count, const hr_watch *watch,
                                   hr_prices **out, hr_error *err);
HR_API const hr_cut *hr_prices_cut(const hr_prices *prices);
/* NULL after the last. */
HR_API const hr_price *hr_prices_at(const hr_prices *prices, size_t i);
/* Whose rows price number i suppresses; see hr_lost_at. NULL after the last. */
HR_API const hr_lost *hr_prices_lost(const hr_prices *prices, size_t i);
/* What `hedgerow boundaries` prints. Free *out with hr_free. */
HR_API hr_status hr_prices_print(const hr_prices *prices, hr_print_format format, char **out,
                                 hr_error *err);
/* What `hedgerow boundaries --lost` prints: hr_prices_lost of every k and p. Free *out with
 * hr_free. */
HR_API hr_status hr_prices_print_lost(const hr_prices *prices, hr_print_format format, char **out,
                                      hr_error *err);
HR_API void hr_prices_free(hr_prices *prices);

/* ---- Choosing boundaries ------------------------------------------------------------------- */

/* The job's table, counted by combination of quasi-identifier values. It answers what boundaries
 * cost without a second look at the table, so that a program can ask for every position of a
 * boundary that its user drags. */
typedef struct hr_rollup hr_rollup;

/* Reads the job's input. A table that was lent to the job must outlive the rollup; the job need
 * not. Cut points of numbers that are chosen from the data stay as they were for this job. */
HR_API hr_status hr_job_rollup(const hr_job *job, const hr_watch *watch, hr_rollup **out,
                               hr_error *err);
HR_API void hr_rollup_free(hr_rollup *rollup);

/* A quasi-identifier of a rollup. New members are added at the end. */
typedef struct {
    const char *name;
    const hr_hierarchy *tree; /* NULL: a number */
    const uint64_t *rows;     /* per node: rows with a value at or below it; NULL: a number */
} hr_rollup_attribute;

/* Quasi-identifier number j, in the order of the job; NULL after the last. */
HR_API const hr_rollup_attribute *hr_rollup_at(const hr_rollup *rollup, size_t j);

/* The nodes of the boundary that `job` draws through the hierarchy of quasi-identifier j: the first
 * ones at or above its leaves. With `finest`, those of the job that was counted: the leaves, unless
 * it has the key. A number has none. Free *out with hr_free. */
HR_API hr_status hr_rollup_nodes(const hr_rollup *rollup, const hr_job *job, size_t j, bool finest,
                                 uint32_t **out, size_t *count, hr_error *err);

/* How many rows with a value of a quasi-identifier are suppressed. */
typedef struct {
    const char *name;  /* of the quasi-identifier */
    const char *value; /* a value, a node of the hierarchy or an interval; NULL: missing values */
    uint64_t rows;     /* that have the value */
    uint64_t lost;     /* of these: suppressed */
} hr_lost_value;

/* New figures are added at the end. */
typedef struct {
    int64_t k, p; /* as enforced */
    uint64_t rows, suppressed;
    uint64_t dropped, trimmed; /* of `suppressed`: see hr_cut and hr_figures */
} hr_lost_figures;

/* What the boundaries, k, p and other models of `job` suppress. The job has the same
 * quasi-identifiers with the same hierarchies as the one that was counted, and is usually that job
 * with another boundary set. Time: O(combinations), with alpha O(rows). */
HR_API hr_status hr_rollup_lost(const hr_rollup *rollup, const hr_job *job, const hr_watch *watch,
                                hr_lost **out, hr_error *err);
HR_API const hr_lost_figures *hr_lost_result(const hr_lost *lost);
/* At most 20 values per quasi-identifier: its own, or the nodes of the lowest level with so few, or
 * intervals of numbers. Quasi-identifiers in the order of the job, and of each the values that
 * lose the largest shares of their rows first; NULL after the last. */
HR_API const hr_lost_value *hr_lost_at(const hr_lost *lost, size_t i);
/* The same as rows. Free *out with hr_free. */
HR_API hr_status hr_lost_print(const hr_lost *lost, hr_print_format format, char **out,
                               hr_error *err);
HR_API void hr_lost_free(hr_lost *lost);

/* One boundary that is being moved while all others stay. The rollup must outlive it. */
typedef struct hr_grab hr_grab;

/* Grabs the boundary of a column with a hierarchy: adds up the combinations that the other
 * boundaries of `job` unite, so that hr_grab_move looks only at what a move changes. Prices are
 * for each of these k and p, ascending and at least 1. `job` as in hr_rollup_lost, with the models
 * k and p alone: HR_EUNSUP with others. Time: O(combinations). */
HR_API hr_status hr_rollup_grab(const hr_rollup *rollup, const hr_job *job, const char *column,
                                const int64_t *ks, size_t k_count, const int64_t *ps,
                                size_t p_count, const hr_watch *watch, hr_grab **out,
                                hr_error *err);

/* What a position of the boundary costs; valid until the next move. New members are added at the
 * end. */
typedef struct {
    const uint64_t *suppressed; /* for every k and p, k outermost: what hr_job_boundaries prices */
    const hr_lost *lost;        /* whose rows, for the k and p of the job */
    uint64_t cells;             /* MAM cells */
} hr_grabbed;

/* Draws the boundary through these nodes: a leaf under none of them is bounded by the root, and
 * where several lie on one path, the first from the leaf counts. A boundary below `finest` is
 * HR_EINVAL. Time: O(nodes), and for a node that was no boundary before O(combinations below it).
 */
HR_API hr_status hr_grab_move(hr_grab *grab, const uint32_t *nodes, size_t count,
                              const hr_grabbed **out, hr_error *err);
HR_API void hr_grab_free(hr_grab *grab);

/* Whose rows a release lacks; part of the release. */
HR_API const hr_lost *hr_release_lost(const hr_release *release);

/* What is possible within a budget of suppressed rows. */
typedef struct hr_suggestion hr_suggestion;

/* New figures are added at the end. */
typedef struct {
    uint64_t rows, budget; /* of the input; that may be suppressed */
    int64_t k, p;          /* of the job, as enforced */
    uint64_t suppressed;   /* with the boundaries of the job */
    int64_t largest_k;     /* for the job's p and boundaries; 0: no k keeps to the budget */
    int64_t largest_p;     /* for the job's k; 0: no p does, or there is no sensitive attribute */
    double lattice;        /* combinations of boundary levels that there are */
    bool exact; /* hr_suggestion_at lists all lowest ones; false: a heuristic chose some */
} hr_suggestion_figures;

/* A quasi-identifier of a suggestion. New members are added at the end. */
typedef struct {
    const char *name;
    const hr_hierarchy *tree; /* NULL: a number, whose boundary stays as the job has it */
    bool varied;              /* false: a number, or a boundary through nodes; both stay */
    uint32_t level;           /* of the job's boundary; HR_NONE unless it is drawn along a level */
    uint32_t lowest;          /* lowest level that `finest` allows */
    /* The lowest level within the budget if all other boundaries stay; HR_NONE: there is none. */
    uint32_t alone;
    uint64_t alone_suppressed; /* rows, with that level */
} hr_suggested_attribute;

/* A combination of boundary levels within the budget of which no level can be lowered. */
typedef struct {
    const uint32_t *levels; /* per quasi-identifier; HR_NONE: its boundary stays */
    uint64_t suppressed;
    double loss_at_most; /* information loss (ntil) if every value were published as its boundary */
} hr_suggested;

typedef struct {
    int64_t k, p;
    uint64_t suppressed;
} hr_kp;

/* Suggests boundaries for the k, p and other models of `job`, and the largest k and p for its
 * boundaries, so that at most this share of the rows is suppressed. `job` as in hr_rollup_lost.
 * Exact for k and p and up to 100,000 combinations of levels. */
HR_API hr_status hr_rollup_suggest(const hr_rollup *rollup, const hr_job *job, double share,
                                   const hr_watch *watch, hr_suggestion **out, hr_error *err);
HR_API const hr_suggestion_figures *hr_suggestion_result(const hr_suggestion *suggestion);
/* The combinations, least loss_at_most first: the first is recommended. NULL after the last. */
HR_API const hr_suggested *hr_suggestion_at(const hr_suggestion *suggestion, size_t i);
/* The quasi-identifiers, in the order of the job; NULL after the last. */
HR_API const hr_suggested_attribute *hr_suggestion_attribute(const hr_suggestion *suggestion,
                                                             size_t j);
/* Pairs of k and p that the job's boundaries allow, of which neither can be raised; ascending by p;
 * NULL after the last. */
HR_API const hr_kp *hr_suggestion_frontier(const hr_suggestion *suggestion, size_t i);
/* What `hedgerow boundaries --suggest` prints. Free *out with hr_free. */
HR_API hr_status hr_suggestion_print(const hr_suggestion *suggestion, hr_print_format format,
                                     char **out, hr_error *err);
HR_API void hr_suggestion_free(hr_suggestion *suggestion);

/* ---- Plans: running cells elsewhere --------------------------------------------------------- */

/* Boundaries cut a table into MAM cells, and no class reaches over two of them. So cells may be
 * run in other processes and on other machines. A plan is a job with everything that a cell must
 * know of the whole table; a cell that is run with it gives exactly the classes that it gives in
 * hr_job_run. */
typedef struct hr_plan hr_plan;

/* Reads the job's input and plans its cells. Fails with HR_ENOSOL where hr_job_run would, and
 * with HR_EINVAL if the algorithm does not work cell by cell (incognito). */
HR_API hr_status hr_job_plan(const hr_job *job, const hr_watch *watch, hr_plan **out,
                             hr_error *err);

/* The plan as bytes, for hr_plan_import in another process. They contain the values of
 * quasi-identifiers and sensitive attributes: for the owner, never for release. Only the version
 * of the library that made them reads them. */
HR_API const void *hr_plan_bytes(const hr_plan *plan, size_t *length);
HR_API hr_status hr_plan_import(const void *bytes, size_t length, hr_plan **out, hr_error *err);

/* New fields are added at the end. */
typedef struct {
    uint64_t key;      /* the same in every process; never 0 */
    uint64_t rows;     /* of the whole table */
    bool suppressed;   /* the cell cannot be released: leave its rows out */
    uint64_t released; /* rows of it that the release contains; HR_PLAN_UNKNOWN: only running it
                        * shows that (a counted table, and models that take out single rows) */
} hr_plan_cell;

#define HR_PLAN_UNKNOWN UINT64_MAX

/* Cell number i, by ascending keys; NULL after the last. */
HR_API const hr_plan_cell *hr_plan_cell_at(const hr_plan *plan, size_t i);
/* The cell with this key, or NULL. */
HR_API const hr_plan_cell *hr_plan_cell_find(const hr_plan *plan, uint64_t key);

/* The key of each row's cell; 0: the row is dropped, because it lacks a value. `table` has any
 * rows of the whole table with at least the quasi-identifiers; `keys` has room for its rows. */
HR_API hr_status hr_plan_keys(const hr_plan *plan, const hr_table *table, uint64_t *keys,
                              hr_error *err);

/* Runs the cells whose rows the table has: any number of cells, each with all its rows, which are
 * in the order that they have in the whole table. HR_ENOSOL: all of them are suppressed. The
 * release is one of these rows alone. */
HR_API hr_status hr_plan_run(const hr_plan *plan, const hr_table *table, const hr_watch *watch,
                             hr_release **out, hr_error *err);

/* Puts the released rows of all cells together: counts that every cell came back once and whole,
 * verifies the release as its reader will see it, and brings the rows into the order that the job
 * asks for (`input`: the order of the parts). */
HR_API hr_status hr_plan_join(const hr_plan *plan, const hr_table *const *parts, size_t part_count,
                              const hr_watch *watch, hr_table **out, hr_error *err);

/* Cuts a cell that is too large for one process into parts of at most `most` rows, as far as that
 * is possible: every part satisfies the models, so no row is lost, but values are published less
 * precisely than by a run of the whole cell. `table` has the combinations of quasi-identifiers and
 * sensitive values of the cell's rows, and counts[i] rows have combination i; values may be
 * coarsened (hr_plan_coarsen). The result does not depend on the order of the combinations. From
 * then on hr_plan_keys gives the keys of the parts, hr_plan_run runs parts, and the bytes of the
 * plan contain the cut; cells stay as they are. *parts 1: the cell could not be cut. Time: O(rows
 * of the table) for each part, and a pilot of 64 samples. */
HR_API hr_status hr_plan_cut(hr_plan *plan, uint64_t key, const hr_table *table,
                             const uint32_t *counts, uint64_t most, size_t *parts, hr_error *err);
/* Part number i of all cells that were cut; NULL after the last. */
HR_API const hr_plan_cell *hr_plan_part_at(const hr_plan *plan, size_t i);

/* A copy of the quasi-identifiers and sensitive columns of a table in which each quasi-identifier
 * has at most `bins` values, and each sensitive attribute at most 4 `bins`: neighbours are replaced
 * by one of them that lies in the same MAM cell. So combinations can be counted of which there
 * would be too many. A cut of coarsened combinations is one of the rows; models that hold for
 * coarsened sensitive values hold for the values. */
HR_API hr_status hr_plan_coarsen(const hr_plan *plan, const hr_table *table, uint32_t bins,
                                 hr_table **out, hr_error *err);

/* What the released rows of some classes show. Figures of several tables add up, and `smallest`,
 * `least_values` and `largest` combine, if no class is in two of them. */
typedef struct {
    size_t size; /* sizeof(hr_plan_verdict) */
    uint64_t rows, classes;
    uint64_t small_classes, poor_classes; /* with fewer than k rows, or fewer than p values */
    uint64_t failing;                     /* classes that violate a model, once for each model */
    uint64_t unreadable;                  /* values that no release of the plan can contain */
    uint64_t past;                        /* values past the boundary of every cell */
    uint64_t strangers;                   /* rows that no cell of the plan has */
    uint64_t smallest, largest;           /* rows of a class; 0 without rows */
    uint64_t least_values;                /* sensitive values of a class; 0: none is asked for */
    double il;                            /* information loss; NaN if means are published */
    double squares;                       /* sum of the squares of the rows of classes */
} hr_plan_verdict;

/* Judges the released rows of whole classes, as their reader sees them: the part of hr_plan_join
 * that can be done class by class. counts[i] grows by the released rows of the plan's cell i;
 * whoever adds up the counts of all classes compares them with the cells. `watch` may be NULL. */
HR_API hr_status hr_plan_verify(const hr_plan *plan, const hr_table *table, uint64_t *counts,
                                const hr_watch *watch, hr_plan_verdict *out, hr_error *err);

HR_API void hr_plan_free(hr_plan *plan);

/* ---- Comparing ----------------------------------------------------------------------------- */

/* A grid of runs: every algorithm with every k and p. */
typedef struct {
    size_t size; /* sizeof(hr_compare_request) */
    /* Names of algorithms or aliases; "all" stands for every algorithm that takes the job's
     * attributes. NULL: all. */
    const char *const *algorithms;
    size_t algorithm_count;
    const int64_t *ks; /* in any order; NULL: the job's own k */
    size_t k_count;
    const int64_t *ps; /* in any order; NULL: the job's own p */
    size_t p_count;
    const char *output; /* FILE.html, FILE.csv or FILE.json to write at the end, or NULL */
    /* A file that keeps finished runs, so that a comparison that was killed can be continued: runs
     * found in it are not repeated. NULL: OUTPUT.partial, which is removed once the output is
     * written, or no file without an output. */
    const char *resume;
} hr_compare_request;

typedef enum {
    HR_COMPARED_WAITING, /* not run: the comparison was cancelled */
    HR_COMPARED_DONE,    /* a release was made and verified */
    HR_COMPARED_EMPTY    /* there is no release: the note says why */
} hr_compared_state;

/* One run of a comparison. New members are added at the end. */
typedef struct {
    const char *algorithm;
    int64_t k, p; /* as asked for; the figures have them as enforced */
    hr_compared_state state;
    const hr_figures *figures; /* NULL unless done. The releases themselves are not kept */
    /* No other run promises as much (k, p) for as little loss, suppressed rows and violations, and
     * is better in one of these. */
    bool best;
    const char *note; /* why there is no release, or which k was taken; NULL: none */
    unsigned threads; /* of a run that is done */
} hr_compared;

/* How much of a grid is finished. New members are added at the end. */
typedef struct {
    size_t runs;      /* different runs of the grid, without those that an algorithm cannot do */
    size_t made;      /* runs finished by this call */
    size_t known;     /* runs that the file of runs had */
    const char *kept; /* the file of runs; NULL: none */
} hr_compared_count;

typedef struct hr_comparison hr_comparison;

/* Reads the job's input once and makes all runs of the grid, several at a time. The files that the
 * job names are not written. After HR_ECANCEL *out, unless it is NULL, has the runs that were
 * finished, and the caller frees it. The file of runs is locked until the comparison is freed. */
HR_API hr_status hr_job_compare(const hr_job *job, const hr_compare_request *request,
                                const hr_watch *watch, hr_comparison **out, hr_error *err);
/* The runs: algorithms outermost, then k, then p, both ascending; NULL after the last. */
HR_API const hr_compared *hr_comparison_at(const hr_comparison *comparison, size_t i);
HR_API const hr_compared_count *hr_comparison_count(const hr_comparison *comparison);
/* What `hedgerow compare` prints. Free *out with hr_free. */
HR_API hr_status hr_comparison_print(const hr_comparison *comparison, hr_print_format format,
                                     char **out, hr_error *err);
/* The page with curves: one HTML document that loads nothing else. Free *out with hr_free. */
HR_API hr_status hr_comparison_page(const hr_comparison *comparison, char **out, hr_error *err);
HR_API void hr_comparison_free(hr_comparison *comparison);

/* ---- Drafting a job ------------------------------------------------------------------------ */

/* What a job is drafted for. */
typedef struct {
    size_t size;           /* sizeof(hr_draft_request) */
    const char *input;     /* path or address, as in hr_table_read */
    const hr_table *table; /* its rows, if the caller has read them; NULL: they are read */
    const char *job;       /* where the job will be written; NULL: in the current folder */
} hr_draft_request;

/* What the draft says about a column. New members are added at the end. */
typedef struct {
    const char *name;
    const char *role;      /* "identifier", "quasi", "sensitive", "keep" or "drop" */
    const char *type;      /* "text", "integer", "number" or "date" */
    const char *reason;    /* why it has this role */
    const char *hierarchy; /* of a quasi-identifier, as in a job; NULL: it is numeric */
    uint32_t bins;         /* of a sensitive number; 0: none */
    uint32_t values;       /* different ones, without missing values */
    uint64_t missing;      /* rows without a value */
    /* Of a quasi-identifier: shares of rows that are unique by this column alone, and by all other
     * quasi-identifiers together. NaN otherwise. */
    double unique_alone, unique_without;
    const char *on_missing; /* of a quasi-identifier, as in a job; NULL: not needed */
} hr_draft_column;

/* New members are added at the end. */
typedef struct {
    uint64_t rows;
    size_t columns;
    int64_t k, p;
    double unique;        /* share of rows that are unique by the quasi-identifiers together */
    const char *output;   /* the release that the job names */
    double read_seconds;  /* of the time that the draft took */
    const char *encoding; /* as in a job; NULL: not needed */
    const char *decimal;  /* as in a job; NULL: not needed */
} hr_draft_figures;

typedef struct hr_draft hr_draft;

/* Guesses type and role of each column by its name (English, German, French, Spanish, Italian) and
 * its values, chooses hierarchies, and writes a job that runs as it is. `watch` may be NULL.
 * Time: O(bytes + rows x quasi-identifiers). */
HR_API hr_status hr_job_draft(const hr_draft_request *request, const hr_watch *watch,
                              hr_draft **out, hr_error *err);
/* Columns in the order of the table; NULL after the last. Valid until a role is set. */
HR_API const hr_draft_column *hr_draft_at(const hr_draft *draft, size_t i);
HR_API const hr_draft_figures *hr_draft_result(const hr_draft *draft);
/* Texts that stand for a missing value; NULL after the last. */
HR_API const char *hr_draft_missing(const hr_draft *draft, size_t i);
/* Corrects a guess; everything else follows. After a failure the draft is as it was. */
HR_API hr_status hr_draft_set_role(hr_draft *draft, const char *column, const char *role,
                                   hr_error *err);
HR_API hr_status hr_draft_set_k(hr_draft *draft, int64_t k, hr_error *err);
/* The job file, with a comment on every guess. It has counts and shares, and no value of any
 * column. Valid until something is set. */
HR_API const char *hr_draft_job(const hr_draft *draft);
/* What `hedgerow init` prints: a row for each column. Free *out with hr_free. */
HR_API hr_status hr_draft_print(const hr_draft *draft, hr_print_format format, char **out,
                                hr_error *err);
HR_API void hr_draft_free(hr_draft *draft);

/* ---- Generating ---------------------------------------------------------------------------- */

/* A kind of made-up data set: "uu", "un", "nu", "nn" (Truta et al. 2008), "census", "patients". */
typedef struct hr_generator hr_generator;

/* NULL after the last. */
HR_API const hr_generator *hr_generator_at(size_t i);
/* The generator of that name; an unknown name is HR_EINVAL. */
HR_API hr_status hr_generator_find(const char *name, const hr_generator **out, hr_error *err);
HR_API const char *hr_generator_name(const hr_generator *generator);

typedef struct {
    size_t size;          /* sizeof(hr_generate_request) */
    const char *folder;   /* made if absent */
    uint64_t rows;        /* at least 1 */
    uint64_t seed;        /* of the random numbers */
    bool replace;         /* existing files are replaced; otherwise they are HR_EINVAL */
    bool visits;          /* of patients: several rows for a patient */
    const char *language; /* of patients: "en" or "de"; NULL: "en" */
} hr_generate_request;

/* The files that were written. */
typedef struct hr_generated hr_generated;

/* Writes FOLDER/NAME.csv, its hierarchies and its jobs, which run as they are. The same name, rows
 * and seed give the same bytes on any machine. Time: O(rows). */
HR_API hr_status hr_generate(const hr_generator *generator, const hr_generate_request *request,
                             const hr_watch *watch, hr_generated **out, hr_error *err);
HR_API const char *hr_generated_table(const hr_generated *generated);
/* The folder of hierarchy files; NULL: the jobs need none. */
HR_API const char *hr_generated_hierarchies(const hr_generated *generated);
/* Paths of job files; NULL after the last. */
HR_API const char *hr_generated_job(const hr_generated *generated, size_t i);
HR_API void hr_generated_free(hr_generated *generated);

/* ---- Lists --------------------------------------------------------------------------------- */

/* An algorithm, alias, model, measure, format or builder. New members are added at the end. */
typedef struct {
    hr_kind kind;
    const char *name, *title;
    const char *reference; /* the paper or standard; "": none */
    const char *algorithm; /* of an alias: the algorithm that it stands for; NULL otherwise */
    size_t option_count;
} hr_listed;

typedef struct hr_list hr_list;

/* Lists one section ("algorithms", with their aliases; "models", "measures", "formats" or
 * "builders"), or all of them if `section` is NULL. */
HR_API hr_status hr_list_new(const char *section, hr_list **out, hr_error *err);
/* NULL after the last. */
HR_API const hr_listed *hr_list_at(const hr_list *list, size_t i);
/* Option number `option` of what hr_list_at(list, i) is; false: there is none. */
HR_API bool hr_list_option(const hr_list *list, size_t i, size_t option, hr_key_info *out);
/* What `hedgerow list` prints. Free *out with hr_free. */
HR_API hr_status hr_list_print(const hr_list *list, hr_print_format format, char **out,
                               hr_error *err);
HR_API void hr_list_free(hr_list *list);

#ifdef __cplusplus
}
#endif

#endif
