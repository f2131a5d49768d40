/* job.h - a job as text, and the road from it to a verified release: read, bind, prepare, search,
 * mask, verify, measure, write. */
#ifndef HR_JOB_H
#define HR_JOB_H

#include "algorithm/algorithm.h"
#include "bound/bound.h"
#include "io/io.h"

/* ---- job.c, job_keys.c, job_attribute.c, job_yaml.c, job_check.c, job_choose.c: a job as text
 * ---- */

typedef enum {
    HR_ROLE_NONE,
    HR_ROLE_IDENTIFIER,
    HR_ROLE_QUASI,
    HR_ROLE_SENSITIVE,
    HR_ROLE_KEEP,
    HR_ROLE_DROP
} hr_role;

/* One attribute as the job describes it. Texts live in the job's arena. */
typedef struct {
    const char *name;
    hr_role role;
    const char *hierarchy; /* a path (already resolved), "flat", or NULL */
    bool numeric;          /* type: numeric */
    bool drop_missing;     /* on_missing: drop */
    bool on_missing_given;
    bool weight_given;
    double weight;
    uint32_t bins; /* 0: none */
    bool level_given;
    uint64_t level;     /* boundary: {level: N} */
    const char **nodes; /* boundary: [A, B]; NULL if none */
    size_t node_count;
    bool inherited;      /* said by the job file: a flag that contradicts it replaces it */
    bool role_inherited; /* likewise its role alone */
} hr_attribute;

typedef enum { HR_BOUNDARIES_DEFAULT, HR_BOUNDARIES_ENFORCE, HR_BOUNDARIES_COUNT } hr_boundaries;
typedef enum {
    HR_BOUND_DEFAULT,
    HR_BOUND_NONE,
    HR_BOUND_SIMPLE,
    HR_BOUND_LAGRANGIAN
} hr_bound_kind;
typedef enum { HR_ORDER_CANONICAL, HR_ORDER_INPUT, HR_ORDER_SHUFFLE } hr_order;

typedef struct {
    const char *name, *value;
} hr_setting;

struct hr_job {
    hr_arena arena;
    uint64_t said;         /* hash of all that was said, but what changes no result */
    const char *path;      /* the job file, or NULL */
    const char *input;     /* a path, "-" for standard input, or NULL */
    const hr_table *table; /* instead of input; borrowed */
    const char *output; /* a path, or NULL: kept in memory (the command writes standard output) */
    hr_attribute *attributes;
    size_t attribute_count, attribute_capacity;
    hr_requirements asked; /* k 0: not given; p starts at 1 */
    const char *algorithm; /* a name of the table or an alias; "hedge" at first */
    hr_setting *settings;  /* the algorithm's own options, checked when the run starts */
    size_t setting_count, setting_capacity;
    hr_boundaries boundaries;
    hr_order order;
    hr_bound_kind bound;   /* default: as suits the algorithm's effort */
    uint64_t seed;         /* 1 */
    unsigned threads;      /* 0: all cores */
    double max_suppressed; /* share of input rows; 1 */
    const char **reports;
    size_t report_count, report_capacity;
    const char *trace;
    const char *minimal; /* where the minimal choices of levels are listed */
    const char *certificate;
    bool reference;
    char delimiter;       /* of the input; 0: found */
    const char **missing; /* texts of a missing value; one empty text at first */
    size_t missing_count, missing_capacity;
    bool reports_inherited, missing_inherited; /* the next one given replaces them all */
};

enum { HR_JOB_MOST = 10000 }; /* attributes of a job, keys of a mapping in its file */

/* The attribute of that name, added (role none) if the job has none yet; NULL: see err. Valid until
 * the next one is added. */
hr_attribute *hr_job_attribute(hr_job *job, const char *name, hr_error *err);

/* Forget what the job would write: for those who only look. */
void hr_job_write_nothing(hr_job *job);

/* The attribute of that name, or NULL. */
const hr_attribute *hr_attribute_find(const hr_job *job, const char *name);
/* Are columns of this role part of a release? */
bool hr_role_released(hr_role role);

/* A job that is already in memory. `name` is used in messages; relative paths in it are relative to
 * `folder` (NULL: left as they are). */
hr_status hr_job_parse(const char *bytes, size_t length, const char *name, const char *folder,
                       hr_job **out, hr_error *err);

/* One key of the job, which is also a flag. The table feeds job file, flags, --help and manual. */
typedef struct {
    const char *name;     /* "algorithm": key `algorithm`, flag `--algorithm` */
    char letter;          /* 'a' for -a, or 0 */
    const char *argument; /* "NAME"; NULL: a switch */
    const char *help;
    const char *commands; /* the commands that take the flag: "anonymize check boundaries" */
    hr_status (*set)(hr_job *job, const char *value, hr_error *err); /* value NULL: a bare switch */
    unsigned traits;                                                 /* HR_KEY_... */
} hr_key;

enum {
    HR_KEY_PATH = 1, /* in a job file relative to it */
    HR_KEY_LIST = 2, /* takes a list in a job file; as a flag it may be repeated */
    HR_KEY_FLAG = 4, /* a flag only: the job file says it below `attributes` */
    HR_KEY_FILE = 8  /* in the job file only; `set` is NULL */
};

extern const hr_key hr_keys[]; /* ends with a NULL name */
const hr_key *hr_key_find(const char *name);

/* What hr_job_set and a flag may name: a key, an option of a model or one of an algorithm. '_' is
 * read as '-'. */
typedef struct {
    const char *name;
    const hr_key *key;             /* or NULL: an option */
    const hr_option *option;       /* or NULL: a key */
    const hr_algorithm *algorithm; /* the first that has the option; NULL: a model's */
} hr_named;

bool hr_named_find(const char *name, hr_named *out);
/* Number i of all such names, each once, or NULL: what a slip of the pen is compared with. */
const char *hr_named_at(size_t i);
hr_status hr_named_set(hr_job *job, const hr_named *named, const char *value, hr_error *err);

/* One key of an attribute in the job file. */
typedef struct {
    const char *name, *argument, *help;
    hr_status (*set)(hr_job *job, hr_attribute *attribute, const char *value, hr_error *err);
} hr_attribute_key;

extern const hr_attribute_key hr_attribute_keys[]; /* ends with a NULL name */
const hr_attribute_key *hr_attribute_key_find(const char *name);
/* boundary: {level: N} */
hr_status hr_attribute_set_level(hr_attribute *attribute, const char *value, hr_error *err);
/* boundary: [A, B]. The texts are taken as they are, the array is copied. */
hr_status hr_attribute_set_nodes(hr_job *job, hr_attribute *attribute, const char *const *nodes,
                                 size_t count, hr_error *err);
/* The flags that say something about columns: set(job, "a,b") gives both the role, and so on. */
hr_status hr_flag_identifier(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_quasi(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_sensitive(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_keep(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_drop(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_numeric(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_hierarchy(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_boundary(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_bins(hr_job *job, const char *value, hr_error *err);
hr_status hr_flag_on_missing(hr_job *job, const char *value, hr_error *err);

/* Is everything there that a run needs, and does it go together? Says what to write. */
hr_status hr_job_complete(const hr_job *job, hr_error *err);
/* Are two paths two files, however they are written? NULL is fine. */
hr_status hr_job_check_pair(const char *what, const char *path, const char *other,
                            const char *other_path, hr_error *err);
/* `path` is to be written: is it no file that the job reads? NULL is fine. */
hr_status hr_job_check_written(const hr_job *job, const char *what, const char *path,
                               hr_error *err);

/* The job's algorithm with its options, boundaries mode and alias resolved. */
typedef struct {
    const hr_algorithm *algorithm;
    const char *name; /* as the user wrote it */
    void *options;    /* from the arena given */
    bool count_boundaries;
} hr_choice;

/* Its algorithm and boundaries mode alone, for those who run nothing. */
hr_status hr_job_choose_algorithm(const hr_job *job, hr_choice *out, hr_error *err);
hr_status hr_job_choose(const hr_job *job, hr_arena *arena, hr_choice *out, hr_error *err);
/* Its two halves: the algorithm with its options, and whether it can do what the job asks. */
hr_status hr_job_choose_options(const hr_job *job, hr_arena *arena, hr_choice *out, hr_error *err);
hr_status hr_choice_fits(const hr_job *job, const hr_choice *choice, hr_error *err);
/* What is enforced: k is at least p. */
hr_requirements hr_job_asked(const hr_job *job);

/* ---- bind.c: read the table, build the hierarchies, bind the roles ---- */

typedef struct {
    hr_table *owned; /* the table read; NULL if the job lent one */
    const hr_table *table;
    char **header; /* every column of the input, kept or not */
    size_t header_count;
    hr_hierarchy **trees; /* one per quasi-identifier, NULL for numeric ones */
    hr_microdata data;
    hr_missing missing;
    double read_seconds;
} hr_dataset;

/* Roles are checked against the header before any row is read. */
hr_status hr_dataset_load(const hr_job *job, const hr_watch *watch, hr_dataset *out, hr_error *err);
/* Read of the job's input only the columns with bins, for their ranges: they are the sensitive
 * attributes of out->data. */
hr_status hr_dataset_load_ranges(const hr_job *job, const hr_watch *watch, hr_dataset *out,
                                 hr_error *err);
/* Read a hierarchy file, or build the flat one of `column` (used by `flat` only). */
hr_status hr_hierarchy_load(const char *path, const hr_column *column, hr_hierarchy **out,
                            hr_error *err);
/* The boundary that the job draws for an attribute. */
hr_status hr_attribute_boundary(const hr_attribute *attribute, const hr_hierarchy *tree,
                                uint32_t **magval, hr_error *err);
void hr_dataset_free(hr_dataset *bound);

/* ---- common.c ---- */

/* What several runs of a job share, each with its own algorithm, k and p: the table with its roles,
 * and the MAM cells where boundaries are enforced [0] and where they are counted [1]. It is never
 * changed, so the runs may be in different threads. */
typedef struct {
    hr_dataset bound;
    hr_groups cells[2];
    hr_facts facts[2];
} hr_common;

/* The table's MAM cells and what models look at in them; one cell if boundaries are only counted. */
hr_status hr_dataset_cut(const hr_dataset *bound, bool count_boundaries, hr_groups *cells,
                         hr_facts *facts, hr_error *err);
/* Read, bind, and cut into those cells that `cut_for` asks for. */
hr_status hr_common_load(const hr_job *job, const bool cut_for[2], const hr_watch *watch,
                         hr_common *out, hr_error *err);
void hr_common_free(hr_common *common);

/* ---- mask.c: a partition becomes a table ---- */

typedef struct {
    hr_table *table; /* the released rows and columns, in the order of release */
    uint32_t *row;   /* input row of each released row */
    uint32_t *place; /* of each input row: its released row, or HR_NONE */
} hr_masked;

hr_status hr_mask(const hr_job *job, const hr_dataset *bound, const hr_partition *partition,
                  hr_masked *out, hr_error *err);
void hr_masked_free(hr_masked *masked);

/* ---- published.c: what a masked file says, ours or another tool's ---- */

typedef struct {
    enum { HR_PUBLISHED_UNKNOWN, HR_PUBLISHED_NODE, HR_PUBLISHED_INTERVAL } kind;
    uint32_t node;
    double lo, hi;
    bool lo_open, hi_open;
} hr_published;

hr_published hr_published_parse(const hr_quasi *quasi, const char *text);
/* Does it cover the attribute's value (a leaf, or the rank of a number)? */
bool hr_published_covers(const hr_quasi *quasi, const hr_published *published, uint32_t value);
/* Does it lie past the value's MAGVal? */
bool hr_published_violates(const hr_quasi *quasi, const hr_published *published, uint32_t value);

/* ---- verify.c: is this table what the job promises? Shared by `check` and by every run ---- */

typedef struct {
    uint64_t rows, left_out; /* judged; left out as suppressed by `suppressed_as` */
    hr_groups classes;       /* rows with equal published texts */
    hr_facts facts;
    int64_t achieved[HR_MODELS_MAX];    /* by each model of the table */
    uint64_t small_classes, small_rows; /* classes with fewer than k rows */
    uint64_t *poor_classes; /* per sensitive attribute: classes with fewer than p values */
    bool compared;          /* an original was given */
    uint64_t violations, uncovered, changed; /* against the original: values past a boundary, values
                                                that do not cover or are not the mean, other cells
                                                that differ */
    uint64_t *violations_by, *uncovered_by;  /* per quasi-identifier */
    uint64_t *unknown_by; /* per quasi-identifier, without an original: values that are no node,
                             number or interval, or where means are published, no number */
    uint64_t *first_unknown_by; /* the first row with one, from 1; 0: none */
    uint64_t first_uncovered;   /* row of the masked table, from 1; 0: none */
    bool holds;
} hr_verdict;

typedef struct {
    const hr_job *job;
    const hr_table *masked;
    const hr_dataset *original; /* or NULL */
    const hr_dataset *ranges;   /* of bins, where there is no original; or NULL: of masked itself */
    const uint32_t *row;        /* original row of each masked row; NULL: by position */
    bool enforce_boundaries;    /* violations make the answer no */
    bool means;                 /* numbers are published as means of classes, not covered */
    const char *suppressed_as;  /* or NULL */
    const hr_watch *watch;
} hr_verify_request;

hr_status hr_verify(const hr_verify_request *request, hr_verdict *out, hr_error *err);
void hr_verdict_free(hr_verdict *verdict);

/* verify_means.c: is what a class publishes the mean of its original numbers, to the digits that are
 * published? Finds the rows of classes where it is not; `bad` has a flag for each row. */
hr_status hr_verify_means(const hr_quasi *quasi, const hr_column *masked, const hr_groups *classes,
                          const uint32_t *row, bool *bad, hr_error *err);

/* ---- trace.c ---- */

void hr_trace_write(hr_output *output, const hr_partition *partition, const hr_masked *masked,
                    const hr_groups *classes);
/* row_of[i]: original row of masked row i, both from 0. The caller frees it. */
hr_status hr_trace_read(const char *path, size_t rows, size_t masked_rows, uint32_t **row_of,
                        hr_error *err);

/* ---- minimal.c ---- */

/* Other releases that an algorithm which lists_alternatives found, as CSV. */
hr_status hr_minimal_write(hr_output *output, const hr_findings *findings, hr_error *err);

/* ---- certificate.c: what proves a lower bound, as a file ---- */

/* For the owner. No value of any attribute is in it: multipliers in the order of first rows. */
void hr_certificate_write(hr_output *output, const hr_bound *lower, const hr_microdata *data,
                          const hr_requirements *asked, bool count_boundaries);

typedef struct {
    double claimed; /* NTIL that no release is below */
    double proved;  /* what the certificate's multipliers prove */
    bool holds;     /* claimed is not more than that */
} hr_proof;

/* Recompute the bound from the original's rows. A file that is no certificate, or is one of another
 * table or of another k, p or boundaries mode, is HR_EDATA. */
hr_status hr_certificate_check(const char *path, const hr_dataset *original,
                               const hr_requirements *asked, bool count_boundaries,
                               const hr_watch *watch, hr_proof *out, hr_error *err);

/* ---- pipeline.c, report.c ---- */

/* The summary as numbers. */
typedef struct {
    uint64_t rows, released, suppressed, classes, clusters, violations;
    int64_t k, p, achieved_k, achieved_p; /* as enforced; achieved_p -1: no sensitive attribute */
    double ntil, ntil_bound, il, dm, avg, avg_clusters, sse_sst; /* NaN: no meaning, or not known */
    double seconds;
} hr_figures;

struct hr_release {
    hr_masked masked;
    char *report;
    char *summary; /* a few lines for a person */
    hr_figures figures;
};

/* hr_job_run without reading and writing: the figures of a release that was verified like any other
 * and is then forgotten. Their seconds run from MAM cells to verification. */
hr_status hr_job_try(const hr_job *job, const hr_common *common, const hr_watch *watch,
                     hr_figures *out, hr_error *err);

/* ---- prices.c: what the boundaries cost ---- */

typedef struct {
    int64_t k, p;
    uint64_t suppressed;
    uint64_t
        classes_at_most; /* no release has more; with one sensitive attribute some has as many */
    uint64_t *relaxed;   /* per quasi-identifier: suppressed if its boundary went one level up */
} hr_price;

typedef struct {
    uint64_t rows, dropped;            /* dropped: missing numeric values, `on_missing: drop` */
    uint32_t cells, smallest, largest; /* MAM cells and their rows */
    size_t quasi_count;
    hr_price *prices; /* for every k and p of the grid, k outermost */
    size_t price_count;
} hr_prices;

/* One pass over the rows, however large the grid. */
hr_status hr_prices_of(const hr_dataset *bound, const int64_t *ks, size_t k_count,
                       const int64_t *ps, size_t p_count, hr_prices *out, hr_error *err);
void hr_prices_free(hr_prices *prices);

#endif
