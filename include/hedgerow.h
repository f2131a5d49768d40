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

/* HR_CHECKED makes the compiler warn where a returned status is ignored. On a type, clang takes the
 * GNU attribute; gcc, from version 11 on, takes only the attribute of C23. */
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
    size_t size; /* sizeof(hr_watch). Callbacks beyond it, added later, count as NULL */
    /* `done` of `total` units of `stage` are finished; at most about ten calls a second. */
    void (*progress)(const char *stage, uint64_t done, uint64_t total, void *payload);
    /* The best release found so far has the loss `loss` by `measure` (such as "ntil"); no release
     * has less than `least` (NaN: unknown). Algorithms that minimize the loss call it just before
     * `progress`. Rows that the search has not reached count as suppressed. */
    void (*loss)(const char *measure, double loss, double least, void *payload);
    /* One line that the data owner should read and that is not an error. */
    void (*notice)(const char *message, void *payload);
    /* Returns true to cancel. The run then ends with HR_ECANCEL and leaves all files as they were,
     * with one exception: a run that is writing its release to a pipe has written its other
     * files. */
    bool (*cancelled)(void *payload);
    void *payload;
    /* Returns true to end the search early: the best release so far is verified and published, and
     * the report says `interrupted`. If there is no release yet (the table is still being read, or
     * the algorithm does not improve a release step by step), the run is cancelled. */
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
 * place, and overwrites the bytes after the shortened text. Returns true if the address had a
 * password. Messages, reports and resolved jobs never show one. */
HR_API bool hr_hide_password(char *address);

/* The name that `text` is probably a misspelling of, for "did you mean"; NULL: none is similar
 * enough. An empty name is never returned. Time: O(bytes of all names). */
HR_API const char *hr_nearest_name(const char *text, const char *const *names, size_t count);

/* Parses a finite decimal number as the library parses those of tables and jobs, in any locale.
 * Returns false if the text is anything else, or has a blank or other character around it. */
HR_API bool hr_parse_double(const char *text, double *out);
/* The same for digits only: a whole number from 0 to `max`. */
HR_API bool hr_parse_uint(const char *text, uint64_t max, uint64_t *out);
/* Parses "4,8,10-20" into at most 10000 numbers from 1 to `max`, in the order given. Messages call
 * the list `name`. Free *out with hr_free. */
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

/* Creates a table without rows. Names must not be empty and must differ. Time: O(columns). */
HR_API hr_status hr_table_new(size_t columns, const char *const *names, hr_table **out,
                              hr_error *err);

/* Appends one row: `fields` has one text for each column; NULL is a null, which differs from an
 * empty text. Time: O(bytes), amortized. */
HR_API hr_status hr_table_append(hr_table *table, const char *const *fields, hr_error *err);

/* One column, for hr_table_from_columns. The text of row i is texts[i] or, if `codes` is given,
 * texts[codes[i]]. A text that is NULL is a null. */
typedef struct {
    size_t size; /* sizeof(hr_column_data) */
    const char *name;
    const char *const *texts;
    const size_t *lengths; /* bytes of each text; NULL: they end with a zero byte */
    size_t text_count;     /* of `texts`; without `codes` the number of rows */
    const uint32_t *codes; /* one per row, each below text_count; NULL: one text per row */
    size_t code_count;     /* of `codes`, and then the number of rows */
} hr_column_data;

/* Makes a table of columns of equal length. Copies everything, except texts that no row has.
 * Time: O(values). */
HR_API hr_status hr_table_from_columns(const hr_column_data *columns, size_t count, hr_table **out,
                                       hr_error *err);

/* Appends all rows of another table, whose columns have the same names in the same order. Where
 * the types differ, the column gets a type that holds both (reals, for integers and reals) or
 * becomes text. On failure `table` keeps the rows that it had. Time: O(values). */
HR_API hr_status hr_table_append_table(hr_table *table, const hr_table *other, hr_error *err);

/* Reads all columns of a CSV file (plain, gzip or zstd), or of a table of a database:
 * "sqlite:FILE?table=NAME", "sqlite:FILE?query=SELECT ...",
 * "postgresql://HOST/DATABASE?table=NAME" or "?query=SELECT ...". Time: O(bytes). */
HR_API hr_status hr_table_read(const char *path, hr_table **out, hr_error *err);

/* Reads only the columns named, in the order of the file; the others are skipped, never stored.
 * Fails with HR_EINVAL, before it reads a row, if the file lacks one of them. Time: O(bytes). */
HR_API hr_status hr_table_read_columns(const char *path, const char *const *columns, size_t count,
                                       hr_table **out, hr_error *err);

/* Writes a CSV file ("-" is standard output) or a new table of a database, whole or not at all. If
 * the database has a table of that name, this fails. Time: O(bytes). */
HR_API hr_status hr_table_write(const hr_table *table, const char *path, hr_error *err);

/* Reads every batch of an Arrow stream (hedgerow_arrow.h). Columns may be text, numbers,
 * booleans, dates, times, timestamps, decimals, or dictionaries of these. A column of another type
 * is an error that names the column. `columns` names the `count` columns that are wanted; NULL:
 * all. The stream is released, also on failure. `watch` may be NULL. Time: O(values). */
struct ArrowArrayStream;
HR_API hr_status hr_table_from_arrow(struct ArrowArrayStream *stream, const char *const *columns,
                                     size_t count, const hr_watch *watch, hr_table **out,
                                     hr_error *err);

/* The table as an Arrow stream. Arrays of dictionary columns borrow the table's codes; the memory
 * stays valid until the last array is released, even if hr_table_free is called before. */
HR_API hr_status hr_table_to_arrow(const hr_table *table, struct ArrowArrayStream *out,
                                   hr_error *err);

HR_API size_t hr_table_rows(const hr_table *table);
HR_API size_t hr_table_columns(const hr_table *table);
HR_API const char *hr_table_name(const hr_table *table, size_t column);

/* The number of the column of that name, or SIZE_MAX. */
HR_API size_t hr_table_column(const hr_table *table, const char *name);

/* The text of a value; "" for a null. Valid until the table is freed or appended to. */
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
 * levels - 1]. A label that repeats upward in a path is one node. Messages call the hierarchy
 * `name`. Time: O(leaves x levels). */
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
/* Height of the subtree below a node: 0 for a leaf. */
HR_API uint32_t hr_hierarchy_height(const hr_hierarchy *tree, uint32_t node);
HR_API bool hr_hierarchy_is_leaf(const hr_hierarchy *tree, uint32_t node);
/* The ancestor of a leaf at a level; leaves are numbered in the order given. */
HR_API uint32_t hr_hierarchy_node_at(const hr_hierarchy *tree, uint32_t leaf, uint32_t level);
/* The name of a level of a hierarchy that a builder made, such as "month"; NULL: it has none. */
HR_API const char *hr_hierarchy_level_name(const hr_hierarchy *tree, uint32_t level);
/* Writes a hierarchy file for hr_hierarchy_read, whole or not at all. Time: O(leaves x levels). */
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
    const char *spec;   /* as in a job: flat, "prefix: [3, 2]", "[{prefix: [3]}, {date: year}]" */
    const char *folder; /* relative paths in `spec` start from it; NULL: the current folder */
    const hr_table *table;
    size_t column;              /* number of the column of `table` that has the values */
    const char *const *missing; /* texts that mean a missing value; NULL: the empty text */
    size_t missing_count;
    bool group_missing; /* missing values get a leaf below the root; otherwise they get none */
    char decimal;       /* sign before the decimals of numbers: ',' or '.'; 0: '.' */
    /* The file that will be written, and that of the table; NULL: none. It is an error if writing
     * would change the table, or a file that `spec` names. */
    const char *output, *input;
} hr_hierarchy_make_request;

/* Builds a hierarchy from the values of a column, as the key `hierarchy` of a job does. */
HR_API hr_status hr_hierarchy_make(const hr_hierarchy_make_request *request, hr_hierarchy **out,
                                   hr_error *err);

/* What hr_hierarchy_show shows. */
typedef struct {
    size_t size;          /* sizeof(hr_hierarchy_show_request) */
    const char *boundary; /* the boundary to mark: "level:2" or "NODE,NODE"; NULL: none */
    const hr_table *data; /* the table whose rows are counted; NULL: none */
    size_t column;        /* number of the column of `data` that has the values */
    bool depth_given;     /* false: all nodes, but a large drawing ends at a readable depth */
    uint32_t depth;       /* greatest depth of a node that is shown; the root has depth 0 */
} hr_hierarchy_show_request;

/* A node of a hierarchy that is shown. New members are added at the end. */
typedef struct {
    uint32_t node, depth, height;
    uint32_t leaves; /* leaf values at or below the node */
    bool boundary;   /* values may be generalized up to this node, but not past it */
    uint64_t rows;   /* rows of the data at or below the node; 0 without data */
} hr_shown_node;

typedef struct hr_hierarchy_view hr_hierarchy_view;

/* Marks the boundary and counts the rows of every node. Without a request (NULL) all nodes are
 * shown, without boundary and rows. Time: O(nodes + rows). */
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
    const char *const *paths;         /* hierarchy files; "flat": made from the column */
    const hr_hierarchy *const *trees; /* instead of `paths` */
    size_t count;                     /* number of paths or trees */
    const hr_table *data;             /* the table whose values need leaves; NULL: none */
    size_t column;                    /* number of the column of `data` that has the values */
} hr_hierarchy_check_request;

/* The findings about one hierarchy. New members are added at the end. */
typedef struct {
    const char *name;                       /* the path, or the name that messages use */
    hr_status status;                       /* HR_OK: the hierarchy can be used */
    const char *problem;                    /* why it cannot be used; NULL if it can */
    uint32_t leaves, nodes, height, levels; /* 0 if it cannot be read */
    const char *root;                       /* label of the root; NULL if it cannot be read */
    uint32_t stray_values;                  /* values of the column that have no leaf */
    uint64_t stray_rows;                    /* rows with such values */
    uint32_t only_children; /* inner nodes with one child: generalizing to them hides nothing */
    uint32_t inner_leaves;  /* labels that are both a leaf and an ancestor */
    uint32_t values;        /* different values of the column; 0 without data */
} hr_hierarchy_finding;

typedef struct hr_hierarchy_findings hr_hierarchy_findings;

/* Checks whether these hierarchies can be used, alone and for the values of a column. HR_OK means
 * that the check was done; each finding has its own status. */
HR_API hr_status hr_hierarchy_check(const hr_hierarchy_check_request *request,
                                    hr_hierarchy_findings **out, hr_error *err);
/* The finding about hierarchy i, in the order of the request; NULL after the last. */
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

/* Parses a job file that is already in memory. Messages call it `name`; relative paths in it start
 * from `folder` (NULL: the current folder). */
HR_API hr_status hr_job_parse(const char *bytes, size_t length, const char *name,
                              const char *folder, hr_job **out, hr_error *err);

/* Reads a job file (YAML or JSON). Relative paths in the file start from its folder. */
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
    HR_TYPE_MAPPING     /* a YAML mapping: only in a job file, not for hr_job_set */
} hr_key_type;

/* Kinds of things that a job chooses by name; hr_list_new lists them. An alias is the name that a
 * paper gives to an algorithm. */
typedef enum {
    HR_KIND_ALGORITHM,
    HR_KIND_ALIAS,
    HR_KIND_MODEL,
    HR_KIND_MEASURE,
    HR_KIND_FORMAT,
    HR_KIND_BUILDER
} hr_kind;

/* A key of a job, for hr_job_set and for the flag of that name. */
typedef struct {
    size_t size;          /* sizeof(hr_key_info), set by the caller */
    const char *name;     /* "max-suppressed"; '_' is read as '-' */
    const char *argument; /* placeholder of its value in help texts: "SHARE"; NULL: needs none */
    const char *help;
    hr_key_type type;
    bool has_default;
    char initial[64];     /* the default as text, if `has_default` */
    const char *choices;  /* "enforce|count", or NULL */
    double least, most;   /* limits of a number; NaN: no limit, or no number */
    bool repeatable;      /* setting it again adds a value instead of replacing the last */
    const char *owner;    /* the algorithm, model or format that has this option; NULL: none */
    hr_kind owner_kind;   /* HR_KIND_ALGORITHM, ..._MODEL or ..._FORMAT, if there is an owner */
    char letter;          /* 'o': the command's flag -o; 0: none */
    const char *commands; /* the commands that have the flag, such as "anonymize compare" */
} hr_key_info;

/* Key number i; false after the last. */
HR_API bool hr_key_info_at(size_t i, hr_key_info *out);
/* The key of that name, with '_' read as '-'; false: there is none. */
HR_API bool hr_key_info_find(const char *name, hr_key_info *out);
/* Key number i of an entry below `attributes`: name, argument and help; false after the last. */
HR_API bool hr_attribute_key_info_at(size_t i, hr_key_info *out);

/* The value of a key as text, as the job file or hr_job_set gave it last. NULL: none was given, or
 * there is no such key. Valid until the key is set again. */
HR_API const char *hr_job_get(const hr_job *job, const char *key);

/* The path of file number i of those that a run writes; NULL after the last. Unless `key` is NULL,
 * *key receives the key that names the file: "output", "trace", "report", ... Standard output is
 * not listed. Valid until the key is set again. */
HR_API const char *hr_job_output_at(const hr_job *job, size_t i, const char **key);

/* Number of columns that the job names. Column i is the one that it names i-th, from 0. */
HR_API size_t hr_job_column_count(const hr_job *job);
HR_API const char *hr_job_column_name(const hr_job *job, size_t i);
/* "identifier", "quasi", "sensitive", "keep", "drop", or NULL: no role was given. */
HR_API const char *hr_job_column_role(const hr_job *job, size_t i);
/* Whether column number i is released as text, whatever its type in the input: a quasi-identifier,
 * or a kept column with `bottom`, `top` or `level`. */
HR_API bool hr_job_column_is_text(const hr_job *job, size_t i);
/* True if a run reads the column: the release can contain it, or it is the `unit`. */
HR_API bool hr_job_reads(const hr_job *job, const char *column);
/* Reads columns of any table as hr_table_read_columns does, with the job's keys `delimiter` and
 * `encoding`. */
HR_API hr_status hr_job_read_columns(const hr_job *job, const char *path,
                                     const char *const *columns, size_t count, hr_table **out,
                                     hr_error *err);

/* Checks that nothing is missing from the job and that its keys go together; the message says what
 * to write. hr_job_run starts with this check. */
HR_API hr_status hr_job_complete(const hr_job *job, hr_error *err);

/* Uses this table as input instead of a file. The job borrows the table until the job is freed. The
 * table needs only the columns for which hr_job_reads is true. */
HR_API hr_status hr_job_set_input(hr_job *job, const hr_table *table, hr_error *err);

/* Marks the input table as counted: row i, for i < rows, represents counts[i] equal or similar rows
 * of a larger table; the rows after the counted ones only add values to the columns. A caller who
 * counted a large table elsewhere, such as on Spark, gets from the counts a plan (hr_job_plan) or
 * the price of boundaries; other functions refuse a counted table.
 *
 * For a plan, the rows that one counted row represents must
 * - lie in the same MAM cell, or all lack a value,
 * - have the same sensitive values,
 * - have the same number wherever a boundary takes its cut points from the data,
 * - belong to the same unit, if the job has one,
 * - have the same quasi-identifiers, for an algorithm that sees the whole table (incognito).
 *
 * The counted row must be the first of them, sorted by their texts column by column.
 *
 * Builders that count rows (frequency, quantiles) are refused. The job borrows `counts`. With no
 * counted row the plan has no cells and only serves hr_plan_keys, which then puts each number with
 * cut points from the data into a cell of its own. */
HR_API hr_status hr_job_set_counts(hr_job *job, const uint32_t *counts, size_t rows, hr_error *err);

/* Gives a quasi-identifier, or a kept column with a level, this hierarchy instead of a file. The
 * job holds its own reference: the caller still frees the hierarchy. */
HR_API hr_status hr_job_set_hierarchy(hr_job *job, const char *column, const hr_hierarchy *tree,
                                      hr_error *err);
/* Draws the boundary of a column through the nodes with these labels. For a boundary along a level
 * call hr_job_set(job, "boundary", "age=level:2", err); for a number without hierarchy the value is
 * "age=width:10", "age=cells:8" or "age=cuts:20,40,60". */
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

/* Stores a job file in which everything that the job derives from its data is written out:
 * hierarchies that builders made or that were given in memory, cut points, edges of bins, ranges
 * and weights. Runs and checks with that file, also on a part of the data, use exactly these.
 * (hr_job_run writes the same for the key `resolved`.) Paths are relative to `folder`, which must
 * exist; NULL: they stay as in the job. The file contains values of the data: for the owner, never
 * for release. Reads the input; fails with HR_ENOSOL if hr_job_run would fail before its search.
 * Free *out with hr_free. */
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
    uint64_t trimmed; /* suppressed rows of MAM cells whose other rows are released */
    /* What the worst class achieves by the models other than k and p; NaN: not asked for. */
    double achieved_alpha, achieved_l, achieved_entropy_l, achieved_recursive_c, achieved_t;
} hr_figures;

HR_API const hr_figures *hr_release_figures(const hr_release *release);
/* The value of a measure (`hedgerow list measures`); false: there is none of that name. */
HR_API bool hr_release_measure(const hr_release *release, const char *name, double *value);
/* What the job asks for by a model, and what the worst class of the release achieves. `parameter`
 * is the option of the model: "k", "p", "alpha", ... *asked is NaN where sensitive attributes ask
 * for the model by themselves (hr_release_attribute), *achieved where the model has no meaning.
 * Returns false if there is no such model. */
HR_API bool hr_release_achieved(const hr_release *release, const char *parameter, double *asked,
                                double *achieved);
/* What a release achieves by one model in one sensitive attribute. New figures are added at the
 * end. */
typedef struct {
    const char *attribute, *parameter; /* the option of the model, such as "t" */
    double asked, achieved;            /* asked is NaN for p if the job does not ask for it */
    uint64_t worst_class;              /* the class that achieves least: from 1, as in the trace */
    uint64_t worst_rows, worst_row;    /* number of its rows, and its first row, from 1 */
} hr_attribute_figures;

/* Figure number i: each sensitive attribute with p and with each model that the job asks of it.
 * False after the last. */
HR_API bool hr_release_attribute(const hr_release *release, size_t i, hr_attribute_figures *out);

/* A set of columns that an outsider may know together (the key `keys`), and the groups that it
 * forms: released rows that are equal in all of these columns. New figures are added at the end. */
typedef struct {
    const char *columns;               /* "birth, hospital" */
    uint64_t groups, least;            /* number of groups; size of the smallest */
    uint64_t small_groups, small_rows; /* number of groups smaller than k, and their rows */
    bool people;                       /* sizes count people, not rows */
} hr_key_figures;

/* Set number i of the job's `keys`; false after the last. */
HR_API bool hr_release_keys(const hr_release *release, size_t i, hr_key_figures *out);
/* A few lines for people to read. */
HR_API const char *hr_release_summary(const hr_release *release);
/* Notices of the run, as in the report under `warnings`; NULL after the last. */
HR_API const char *hr_release_warning(const hr_release *release, size_t i);
/* The last of these notices again: those about what the owner may have overlooked. The summary
 * contains them; hr_watch does not get them. NULL after the last. */
HR_API const char *hr_release_caution(const hr_release *release, size_t i);

/* What became of every input row: for the owner, never for release. Rows count from 0. The class
 * of a suppressed row is HR_NONE; rows that are published alike have the same class. */
HR_API size_t hr_release_input_rows(const hr_release *release);
HR_API uint32_t hr_release_class(const hr_release *release, size_t input_row);
/* The released row of an input row, or HR_NONE; and the input row of a released row. */
HR_API uint32_t hr_release_row(const hr_release *release, size_t input_row);
HR_API uint32_t hr_release_input_row(const hr_release *release, size_t released_row);

/* The trace as a table, as hr_job_run writes it for the key `trace`: the columns row, class,
 * cluster, status ("kept" or "suppressed") and out (the released row); rows count from 1. */
HR_API hr_status hr_release_trace(const hr_release *release, hr_table **out, hr_error *err);

/* The report as JSON: for the data owner, never for release. */
HR_API const char *hr_release_report(const hr_release *release);
/* The report as one HTML file that loads nothing, as hr_job_run writes it for `report: FILE.html`.
 * For the data owner, never for release. Free *out with hr_free. Time: O(released rows), for the
 * hash of the release. */
HR_API hr_status hr_release_report_html(const hr_release *release, char **out, hr_error *err);
/* The report that may be published beside the release (the key `public_report`): apart from the
 * loss it contains nothing about suppressed rows or originals. Free *out with hr_free. */
HR_API hr_status hr_release_public_report_html(const hr_release *release, char **out,
                                               hr_error *err);
/* Verdict, precision and class sizes as a piece of HTML for the page of another program, such as a
 * notebook: an element of class "hedgerow" with its style sheet. For the data owner. Free *out with
 * hr_free. */
HR_API hr_status hr_release_part_html(const hr_release *release, char **out, hr_error *err);
/* Key number i of the report, such as "rows.input" or "per_attribute[].name"; NULL after the last.
 * A word in capitals stands for the name of a model, measure or option. Unless `help` is NULL,
 * *help receives the meaning of the key. */
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
    const char *original; /* the table that was anonymized; also judges boundaries and coverage */
    const hr_table *original_table;
    const char *trace;           /* pairs rows with the original's; NULL: paired by position */
    const char *certificate;     /* its lower bound is recomputed */
    const char *suppressed_as;   /* leaves out rows whose quasi-identifiers are all this text */
    const hr_table *trace_table; /* instead of `trace`: a table as of hr_release_trace */
} hr_check_request;

/* The outcome of a check. New figures are added at the end. */
typedef struct {
    bool holds;                     /* all checks passed; boundaries count only if enforced */
    uint64_t rows, left_out;        /* rows judged; rows left out as suppressed */
    uint64_t classes;               /* a class: all rows with the same published values */
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
    uint64_t changed;    /* sensitive or kept values that differ from the original */
    bool certified;      /* a certificate was given; the next three have a meaning */
    double bound_claimed, bound_proved; /* lower bounds on ntil */
    bool bound_holds;                   /* bound_claimed <= bound_proved */
    uint64_t failing_classes;           /* classes that violate a model other than k and p */
    uint64_t too_fine;                  /* values more precise than `finest` allows */
    uint64_t unrecoded;       /* kept values that the recoding of their column does not produce */
    uint64_t past_boundary;   /* without an original: values past the boundary of any original */
    uint64_t extra_columns;   /* columns of the table that have no role in the job */
    uint64_t hidden;          /* sensitive values such as `*`, which do not count towards p */
    bool foreign_trace;       /* the trace belongs to another release; nothing was compared */
    uint64_t missing_columns; /* columns that the job releases and the table lacks */
} hr_check_figures;

typedef struct hr_check hr_check;

/* Checks whether a table is what the job promises. HR_OK means that the check was done; `holds` of
 * hr_check_result is the answer. The files that the job names are not used, with one exception:
 * without an original, the input is read for the ranges of `bins`. */
HR_API hr_status hr_job_check(const hr_job *job, const hr_check_request *request,
                              const hr_watch *watch, hr_check **out, hr_error *err);
HR_API const hr_check_figures *hr_check_result(const hr_check *check);
/* As hr_release_achieved, for the table that was checked. */
HR_API bool hr_check_achieved(const hr_check *check, const char *parameter, double *asked,
                              double *achieved);
/* As hr_release_attribute and hr_release_keys, for the table that was checked. */
HR_API bool hr_check_attribute(const hr_check *check, size_t i, hr_attribute_figures *out);
HR_API bool hr_check_keys(const hr_check *check, size_t i, hr_key_figures *out);
/* Reasons why the check failed, one line each; NULL after the last. */
HR_API const char *hr_check_reason(const hr_check *check, size_t i);
/* What could not be judged without the original; NULL after the last. */
HR_API const char *hr_check_unjudged(const hr_check *check, size_t i);
/* What the owner may have overlooked, whether or not the check failed; NULL after the last. */
HR_API const char *hr_check_warning(const hr_check *check, size_t i);
/* The outcome as text for people to read. */
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
     * Hedgerow suppresses; another choice of rows may be smaller. */
    uint64_t suppressed;
    /* No release has more classes. With one sensitive attribute some release has as many. */
    uint64_t classes_at_most;
    /* Per quasi-identifier: `suppressed` if its boundary were one level higher or, for a number
     * without hierarchy, twice as wide, of half as many cells, or of every second cut point. */
    uint64_t *relaxed;
} hr_price;

/* How well one model holds in one sensitive attribute if every MAM cell that is not suppressed
 * becomes one class. The worst class of any release of these rows achieves no more than this. New
 * figures are added at the end. */
typedef struct {
    const char *attribute, *parameter; /* the option of the model, such as "t" */
    double asked;
    double achieved;     /* by the worst of these cells; NaN: there are no cells */
    uint64_t worst_rows; /* rows of that cell */
} hr_price_figures;

/* How the boundaries cut the table. */
typedef struct {
    uint64_t rows;
    uint64_t dropped;                  /* rows dropped for a missing value (`on_missing: drop`) */
    uint32_t cells, smallest, largest; /* number of MAM cells; rows of the smallest and largest */
    size_t quasi_count;
    const char *const *quasi_names;
    const bool *bounded; /* per quasi-identifier: true if it has a boundary */
    bool numbers;        /* a boundary cuts a number without hierarchy */
    /* Cut points of a number are chosen anew for each k and p; `cells`, `smallest` and `largest`
     * belong to the first pair. */
    bool chosen;
} hr_cut;

/* The prices of a grid of k and p. */
typedef struct hr_prices hr_prices;
/* How many rows with each value of a quasi-identifier are suppressed (hr_lost_at): for the data
 * owner, never for release. */
typedef struct hr_lost hr_lost;

/* Figure number n of price i: each sensitive attribute with each model, other than k and p, that
 * the job asks of it. False after the last. */
HR_API bool hr_prices_attribute(const hr_prices *prices, size_t i, size_t n, hr_price_figures *out);

/* Reads the job's input once and computes, without a run, what its boundaries cost for every k and
 * p. If `ks` or `ps` is NULL, the job's own k or p is used. */
HR_API hr_status hr_job_boundaries(const hr_job *job, const int64_t *ks, size_t k_count,
                                   const int64_t *ps, size_t p_count, const hr_watch *watch,
                                   hr_prices **out, hr_error *err);
HR_API const hr_cut *hr_prices_cut(const hr_prices *prices);
/* Price number i: all p of the first k, then of the second, and so on; NULL after the last. */
HR_API const hr_price *hr_prices_at(const hr_prices *prices, size_t i);
/* The suppressed rows of price number i by value; NULL after the last. */
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

/* The job's table, counted by combination of quasi-identifier values. The cost of other boundaries
 * is computed from these counts alone, fast enough for every position of a boundary that a user
 * drags. */
typedef struct hr_rollup hr_rollup;

/* Reads and counts the job's input. A table given by hr_job_set_input must outlive the rollup; the
 * job need not. Cut points that this job takes from the data are kept for all later questions. */
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

/* The boundary nodes of quasi-identifier j in `job`. With `finest`, instead the lowest nodes that
 * may be published according to the job that was counted: the leaves, unless it has the key
 * `finest`. A number without hierarchy has no nodes. Free *out with hr_free. */
HR_API hr_status hr_rollup_nodes(const hr_rollup *rollup, const hr_job *job, size_t j, bool finest,
                                 uint32_t **out, size_t *count, hr_error *err);

/* How many rows with one value of a quasi-identifier are suppressed. */
typedef struct {
    const char *name; /* of the quasi-identifier */
    /* A value, a node of the hierarchy, an interval or "(12 others)"; NULL: missing values. */
    const char *value;
    uint64_t rows; /* rows with this value */
    uint64_t lost; /* number of them that are suppressed */
} hr_lost_value;

/* New figures are added at the end. */
typedef struct {
    int64_t k, p; /* as enforced */
    uint64_t rows, suppressed;
    uint64_t dropped, trimmed; /* parts of `suppressed`: see hr_cut and hr_figures */
} hr_lost_figures;

/* Computes which rows the boundaries, k, p and other models of `job` suppress. The job must have
 * the quasi-identifiers and hierarchies of the job that was counted; usually it is that job with
 * other boundaries. Time: O(combinations), with alpha O(rows). */
HR_API hr_status hr_rollup_lost(const hr_rollup *rollup, const hr_job *job, const hr_watch *watch,
                                hr_lost **out, hr_error *err);
HR_API const hr_lost_figures *hr_lost_result(const hr_lost *lost);
/* Value number i: the quasi-identifiers in the order of the job, and for each at most 20 values,
 * those that lose the largest share of their rows first. If an attribute has more values, nodes of
 * the lowest level that has at most 20 stand for them; numbers are joined to intervals. NULL after
 * the last. */
HR_API const hr_lost_value *hr_lost_at(const hr_lost *lost, size_t i);
/* These values as text. Free *out with hr_free. */
HR_API hr_status hr_lost_print(const hr_lost *lost, hr_print_format format, char **out,
                               hr_error *err);
HR_API void hr_lost_free(hr_lost *lost);

/* One boundary that is being moved while all others stay. The rollup must outlive it. */
typedef struct hr_grab hr_grab;

/* Prepares moves of the boundary of a column with a hierarchy: adds up the combinations that the
 * other boundaries of `job` unite, so that hr_grab_move computes only what a move changes. `ks` and
 * `ps` are the k and p to price, ascending and at least 1. For `job` see hr_rollup_lost; models
 * other than k and p are HR_EUNSUP. Time: O(combinations). */
HR_API hr_status hr_rollup_grab(const hr_rollup *rollup, const hr_job *job, const char *column,
                                const int64_t *ks, size_t k_count, const int64_t *ps,
                                size_t p_count, const hr_watch *watch, hr_grab **out,
                                hr_error *err);

/* What a position of the boundary costs; valid until the next move. New members are added at the
 * end. */
typedef struct {
    const uint64_t *suppressed; /* for every k and p, as in hr_price and in that order */
    const hr_lost *lost;        /* suppressed rows by value, for the k and p of the job */
    uint64_t cells;             /* number of MAM cells */
} hr_grabbed;

/* Draws the boundary through these nodes. A leaf under none of them is bounded by the root; if
 * several lie on one path, the one nearest to the leaf counts. A boundary below `finest` is
 * HR_EINVAL. Time: O(nodes), plus O(combinations below it) for each node that was not part of an
 * earlier position. */
HR_API hr_status hr_grab_move(hr_grab *grab, const uint32_t *nodes, size_t count,
                              const hr_grabbed **out, hr_error *err);
HR_API void hr_grab_free(hr_grab *grab);

/* The suppressed rows of a release by value; part of the release. */
HR_API const hr_lost *hr_release_lost(const hr_release *release);

/* Boundaries, k and p that suppress no more rows than a budget allows. */
typedef struct hr_suggestion hr_suggestion;

/* New figures are added at the end. */
typedef struct {
    uint64_t rows, budget; /* rows of the input; number of them that may be suppressed */
    int64_t k, p;          /* of the job, as enforced */
    uint64_t suppressed;   /* with the boundaries of the job */
    int64_t largest_k;     /* for the job's p and boundaries; 0: every k exceeds the budget */
    int64_t largest_p; /* for the job's k; 0: every p does, or there is no sensitive attribute */
    double lattice;    /* number of combinations of boundary levels */
    bool exact;        /* hr_suggestion_at lists all lowest ones; false: a heuristic chose some */
} hr_suggestion_figures;

/* A quasi-identifier of a suggestion. New members are added at the end. */
typedef struct {
    const char *name;
    const hr_hierarchy *tree; /* NULL: a number, whose boundary stays as the job has it */
    bool varied;              /* false: its boundary stays (a number, or drawn through nodes) */
    uint32_t level;           /* of the job's boundary; HR_NONE unless it is drawn along a level */
    uint32_t lowest;          /* lowest level that `finest` allows */
    /* The lowest level within the budget if all other boundaries stay; HR_NONE: there is none. */
    uint32_t alone;
    uint64_t alone_suppressed; /* rows suppressed with that level */
} hr_suggested_attribute;

/* A combination of boundary levels within the budget such that lowering any of them exceeds it. */
typedef struct {
    const uint32_t *levels; /* per quasi-identifier; HR_NONE: its boundary stays */
    uint64_t suppressed;
    double loss_at_most; /* ntil if every value were published as its boundary node */
} hr_suggested;

typedef struct {
    int64_t k, p;
    uint64_t suppressed;
} hr_kp;

/* Suggests boundaries for the k, p and other models of `job`, and the largest k and p for its
 * boundaries, so that at most this share of the rows is suppressed. For `job` see hr_rollup_lost.
 * The result is exact for k and p, and for boundaries up to 100,000 combinations of levels. Cut
 * points of numbers are chosen anew for each k and p, and stay in combinations of levels. */
HR_API hr_status hr_rollup_suggest(const hr_rollup *rollup, const hr_job *job, double share,
                                   const hr_watch *watch, hr_suggestion **out, hr_error *err);
HR_API const hr_suggestion_figures *hr_suggestion_result(const hr_suggestion *suggestion);
/* Combination number i, by ascending loss_at_most: the first is recommended. NULL after the
 * last. */
HR_API const hr_suggested *hr_suggestion_at(const hr_suggestion *suggestion, size_t i);
/* The quasi-identifiers, in the order of the job; NULL after the last. */
HR_API const hr_suggested_attribute *hr_suggestion_attribute(const hr_suggestion *suggestion,
                                                             size_t j);
/* Pair number i of k and p within the budget, with the job's boundaries, such that raising k or p
 * alone exceeds it; by ascending p. NULL after the last. */
HR_API const hr_kp *hr_suggestion_frontier(const hr_suggestion *suggestion, size_t i);
/* What `hedgerow boundaries --suggest` prints. Free *out with hr_free. */
HR_API hr_status hr_suggestion_print(const hr_suggestion *suggestion, hr_print_format format,
                                     char **out, hr_error *err);
HR_API void hr_suggestion_free(hr_suggestion *suggestion);

/* ---- Plans: running cells elsewhere --------------------------------------------------------- */

/* Boundaries cut a table into MAM cells, and every class lies within one cell. So cells can run in
 * other processes and on other machines. A plan is a job together with all figures of the whole
 * table that its cells need; a cell that runs with the plan gives exactly the classes that it gives
 * in hr_job_run. */
typedef struct hr_plan hr_plan;

/* Reads the job's input and plans its cells. Fails with HR_ENOSOL where hr_job_run would. For an
 * algorithm that sees the whole table (incognito) the search runs here, and the cells are the
 * classes that it found; models that are not closed under supersets (alpha) are then HR_EINVAL.
 * t-closeness, which refers to the whole table, is HR_EINVAL. */
HR_API hr_status hr_job_plan(const hr_job *job, const hr_watch *watch, hr_plan **out,
                             hr_error *err);

/* The plan as bytes, for hr_plan_import in another process. They contain values of
 * quasi-identifiers and sensitive attributes: for the owner, never for release. They can be read
 * only by the version of the library that wrote them. */
HR_API const void *hr_plan_bytes(const hr_plan *plan, size_t *length);
HR_API hr_status hr_plan_import(const void *bytes, size_t length, hr_plan **out, hr_error *err);

/* New fields are added at the end. */
typedef struct {
    uint64_t key;      /* the same in every process; never 0 */
    uint64_t rows;     /* rows of the whole table that lie in the cell */
    bool suppressed;   /* the cell cannot be released: leave its rows out */
    uint64_t released; /* its rows in the release; HR_PLAN_UNKNOWN: known only after running it
                        * (a counted table with models that take out single rows) */
} hr_plan_cell;

#define HR_PLAN_UNKNOWN UINT64_MAX

/* Cell number i, by ascending keys; NULL after the last. */
HR_API const hr_plan_cell *hr_plan_cell_at(const hr_plan *plan, size_t i);
/* The cell with this key, or NULL. */
HR_API const hr_plan_cell *hr_plan_cell_find(const hr_plan *plan, uint64_t key);

/* Stores the key of each row's cell; 0: the row is dropped because it lacks a value. `table` has
 * any rows of the whole table, with the columns of the quasi-identifiers or more; `keys` has room
 * for one key per row. */
HR_API hr_status hr_plan_keys(const hr_plan *plan, const hr_table *table, uint64_t *keys,
                              hr_error *err);

/* Runs the cells whose rows `table` contains: any number of cells, each with all its rows in the
 * order of the whole table; a job with a `unit` needs that column, too. The release covers these
 * rows alone. HR_ENOSOL: all cells are suppressed. */
HR_API hr_status hr_plan_run(const hr_plan *plan, const hr_table *table, const hr_watch *watch,
                             hr_release **out, hr_error *err);

/* Joins the released rows of all cells: checks that every cell came back once and complete,
 * verifies the release as its reader will see it, and sorts the rows as the job asks (`input`: the
 * order of the parts). Units are not released, so people are counted where cells are run
 * (hr_plan_run), and here each class must have k rows. */
HR_API hr_status hr_plan_join(const hr_plan *plan, const hr_table *const *parts, size_t part_count,
                              const hr_watch *watch, hr_table **out, hr_error *err);

/* Cuts a cell that is too large for one process into parts of at most `most` rows, as far as
 * possible. Every part satisfies the models, so no row is lost, but values are published less
 * precisely than by a run of the whole cell. `table` lists the combinations of quasi-identifier and
 * sensitive values in the cell, in any order; counts[i] rows have combination i. Values may be
 * coarsened before (hr_plan_coarsen). After the cut hr_plan_keys gives the keys of the parts,
 * hr_plan_run runs parts, and the bytes of the plan contain the cut; hr_plan_cell_at and _find
 * still give whole cells. *parts receives the number of parts; 1: the cell could not be cut, for
 * example because the job has a `unit`. Time: O(rows of the table) for each part, and a pilot of 64
 * samples. */
HR_API hr_status hr_plan_cut(hr_plan *plan, uint64_t key, const hr_table *table,
                             const uint32_t *counts, uint64_t most, size_t *parts, hr_error *err);
/* Part number i of all cells that were cut; NULL after the last. */
HR_API const hr_plan_cell *hr_plan_part_at(const hr_plan *plan, size_t i);

/* Copies the quasi-identifiers and sensitive columns of a table and makes their values coarser, so
 * that few enough combinations are left to count: each quasi-identifier keeps at most `bins`
 * values, each sensitive attribute at most 4 `bins`. Neighbouring values of the same MAM cell are
 * replaced by one of them. hr_plan_cut of the coarser combinations is a valid cut of the rows, and
 * models that hold for the coarser sensitive values hold for the original ones. */
HR_API hr_status hr_plan_coarsen(const hr_plan *plan, const hr_table *table, uint32_t bins,
                                 hr_table **out, hr_error *err);

/* What hr_plan_verify finds in one table of released rows. For tables that share no class, the
 * figures of the whole release are the sums, the minimum of `smallest` and `least_values`, and the
 * maximum of `largest`. */
typedef struct {
    size_t size; /* sizeof(hr_plan_verdict) */
    uint64_t rows, classes;
    uint64_t small_classes, poor_classes; /* with fewer than k rows, or fewer than p values */
    uint64_t failing;                     /* violations of models: each class once per model */
    uint64_t unreadable;                  /* values that no release of the plan can contain */
    uint64_t past;                        /* values past the boundary of every cell */
    uint64_t strangers;                   /* rows that belong to no cell of the plan */
    uint64_t smallest, largest;           /* rows of the smallest and largest class; 0: no rows */
    uint64_t least_values;                /* fewest sensitive values in a class; 0: not asked for */
    double il;                            /* information loss; NaN if means are published */
    double squares;                       /* sum of the squared class sizes */
} hr_plan_verdict;

/* Verifies released rows as their reader sees them; `table` contains every class whole or not at
 * all. This is the part of hr_plan_join that can be done in parallel. Adds the released rows of
 * cell number i to counts[i]; the caller compares the sums over all tables with the cells. `watch`
 * may be NULL. */
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
     * written, or no file if there is no output. */
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
    int64_t k, p; /* as asked for; `figures` has them as enforced */
    hr_compared_state state;
    const hr_figures *figures; /* NULL unless done. The releases themselves are not kept */
    /* No other run is at least as good in k, p, loss, suppressed rows and violations and better in
     * one of them. */
    bool best;
    const char *note; /* why there is no release, or which k was enforced; NULL: no note */
    unsigned threads; /* of a run that is done */
} hr_compared;

/* How much of a grid is finished. New members are added at the end. */
typedef struct {
    size_t runs;      /* different runs of the grid, without those that an algorithm cannot do */
    size_t made;      /* runs finished by this call */
    size_t known;     /* runs taken from the file of finished runs */
    const char *kept; /* path of that file; NULL: none */
} hr_compared_count;

typedef struct hr_comparison hr_comparison;

/* Reads the job's input once and makes all runs of the grid, several at a time. The files that the
 * job names are not written. After HR_ECANCEL *out, unless it is NULL, has the finished runs, and
 * the caller frees it. The file of finished runs is locked until the comparison is freed. */
HR_API hr_status hr_job_compare(const hr_job *job, const hr_compare_request *request,
                                const hr_watch *watch, hr_comparison **out, hr_error *err);
/* Run number i: ordered by algorithm, then by ascending k, then by ascending p; NULL after the
 * last. */
HR_API const hr_compared *hr_comparison_at(const hr_comparison *comparison, size_t i);
HR_API const hr_compared_count *hr_comparison_count(const hr_comparison *comparison);
/* What `hedgerow compare` prints. Free *out with hr_free. */
HR_API hr_status hr_comparison_print(const hr_comparison *comparison, hr_print_format format,
                                     char **out, hr_error *err);
/* The page with curves: one HTML document that loads nothing else. Free *out with hr_free. */
HR_API hr_status hr_comparison_page(const hr_comparison *comparison, char **out, hr_error *err);
HR_API void hr_comparison_free(hr_comparison *comparison);

/* ---- Drafting a job ------------------------------------------------------------------------ */

/* The table for which a job is drafted. */
typedef struct {
    size_t size;           /* sizeof(hr_draft_request) */
    const char *input;     /* path or address, as in hr_table_read */
    const hr_table *table; /* the table, if the caller has read it; NULL: `input` is read */
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
    uint32_t values;       /* number of different values, without missing ones */
    uint64_t missing;      /* rows without a value */
    /* For a quasi-identifier, shares of rows that are unique: by this column alone, and by all
     * other quasi-identifiers together. NaN for other columns. */
    double unique_alone, unique_without;
    const char *on_missing; /* of a quasi-identifier, as in a job; NULL: not needed */
} hr_draft_column;

/* New members are added at the end. */
typedef struct {
    uint64_t rows;
    size_t columns;
    int64_t k, p;
    double unique;        /* share of rows that are unique by the quasi-identifiers together */
    const char *output;   /* path of the release, as in the job */
    double read_seconds;  /* time that reading the input took */
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
/* Corrects a guess and drafts the rest anew. After a failure the draft is as it was. */
HR_API hr_status hr_draft_set_role(hr_draft *draft, const char *column, const char *role,
                                   hr_error *err);
HR_API hr_status hr_draft_set_k(hr_draft *draft, int64_t k, hr_error *err);
/* The job file, with a comment on every guess. It contains counts and shares, but no value of any
 * column. Valid until a role or k is set. */
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
    bool replace;         /* replaces existing files; without it they are HR_EINVAL */
    bool visits;          /* only of "patients": several rows per patient */
    const char *language; /* only of "patients": "en" or "de"; NULL: "en" */
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
/* Option number `option` of entry i; false after the last. */
HR_API bool hr_list_option(const hr_list *list, size_t i, size_t option, hr_key_info *out);
/* What `hedgerow list` prints. Free *out with hr_free. */
HR_API hr_status hr_list_print(const hr_list *list, hr_print_format format, char **out,
                               hr_error *err);
HR_API void hr_list_free(hr_list *list);

#ifdef __cplusplus
}
#endif

#endif
