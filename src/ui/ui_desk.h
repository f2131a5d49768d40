/* ui_desk.h - the desk, the state of the server: one job as text, with its history; the counted
 * table that it names; its runs. Every action of the page edits the text of the job. Counting and
 * running use nothing but this text, so the command gives the same results with the same file.
 *
 * ui_desk.c has the job and its history, ui_yaml.c edits its text, ui_paths.c keeps it within the
 * start folder; ui_task.c runs what takes long: opening (ui_open.c), counting (ui_count.c),
 * suggesting (ui_suggest.c), running (ui_run.c) and comparing (ui_compare.c). */
#ifndef HR_UI_DESK_H
#define HR_UI_DESK_H

#include "ui/ui.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

struct event;
struct event_base;

typedef struct ui_desk ui_desk;

/* ---- ui_task.c ---- */

enum { UI_POINTS = 400, UI_NOTICES = 20 };

typedef struct {
    double seconds, loss, least; /* least: NaN if unknown */
} ui_point;

/* The progress of a task, as the library reports it to the watch of the task. */
typedef struct {
    char stage[32], measure[32];
    uint64_t done, total;
    ui_point points[UI_POINTS]; /* loss against time; thinned out when it is full */
    size_t point_count, every;  /* of every `every` points one is kept */
    size_t point_seen;
    char *notices[UI_NOTICES];
    size_t notice_count;
} ui_progress;

typedef struct ui_task ui_task;

/* A kind of task is a struct that begins with a ui_task. */
struct ui_task {
    const char *kind; /* "open", "count", "run", ...: the page shows it */
    void (*prepare)(
        ui_task *);            /* on the loop, just before `work`: takes what it borrows; or NULL */
    void (*work)(ui_task *);   /* on a thread of its own; touches nothing but the task */
    void (*finish)(ui_task *); /* on the loop, when `work` has returned */
    void (*discard)(ui_task *); /* frees what the kind has; the task itself is freed later */
    bool prices;                /* leads to a price: a suggestion waits for it */
    ui_desk *desk;              /* for `finish` */
    char *text, *folder;        /* the job that the task works on; NULL: none */
    hr_status status;
    hr_error err;
    /* The rest is for ui_task.c. */
    hr_watch watch;
    struct timespec started;
    pthread_t thread;
    atomic_bool cancelled, ended;
    pthread_mutex_t lock; /* of `progress` */
    ui_progress progress;
};

/* One task runs at a time, and one may wait. */
typedef struct {
    ui_task *running, *waiting;
} ui_lane;

/* A zeroed task of `size` bytes with a copy of the job of the desk; NULL: out of memory. */
ui_task *ui_task_new(ui_desk *desk, const char *kind, size_t size);
/* Frees a task that was not started. */
void ui_task_free(ui_task *task);
/* Starts the task. If another one runs, cancels that and lets the new task wait for its end; a task
 * that was waiting before is discarded. While a task waits, the desk may change: `prepare` fetches
 * what the task borrows from the desk just before it starts. */
void ui_lane_start(ui_lane *lane, ui_task *task);
void ui_lane_cancel(ui_lane *lane);
/* Finishes the tasks that have ended; called by the loop. */
void ui_lane_collect(ui_lane *lane);
/* Cancels, waits for the thread, and discards everything. */
void ui_lane_end(ui_lane *lane);
/* {kind, seconds, stage, done, total, ...} of the task that runs; null: none. */
json_t *ui_lane_json(ui_lane *lane);
/* [[seconds, loss, least or null], ...] */
json_t *ui_points_json(const ui_progress *progress);
double ui_seconds_since(const struct timespec *start);

/* ---- ui_desk.c ---- */

enum { UI_HISTORY = 500 };

/* The texts of the job, oldest first. */
typedef struct {
    char *texts[UI_HISTORY];
    size_t count, at; /* `at` is shown */
} ui_history;

/* A run that was finished. */
typedef struct ui_run {
    struct ui_run *older;
    unsigned id;
    char *job;           /* text */
    char *output, *name; /* the released file, and the name under which it is offered */
    char *page;          /* the report as HTML */
    json_t *facts;       /* figures, for the page */
    hr_release *release; /* NULL: of an old run only the figures are kept */
    uint32_t *classes;   /* released row that stands for each class, smallest class first */
    uint32_t *sizes;     /* of these classes */
    uint32_t class_count;
} ui_run;

/* A file that is being sent in slices. */
typedef struct {
    int fd; /* -1: none */
    char *path;
    uint64_t size, have;
} ui_drop;

struct ui_desk {
    struct event_base *base;
    int wake[2]; /* a pipe: tasks write a byte when they have ended */
    struct event *woken;
    char *start;   /* start folder, resolved */
    char *own;     /* private folder, removed at the end */
    char *path;    /* of the job file; NULL: it has none yet */
    char *folder;  /* relative paths of the job are relative to it */
    char *address; /* what was opened */
    ui_history history;
    char *saved;       /* text of the job file; NULL: there is no file */
    unsigned revision; /* counts changes of the job */
    unsigned seen;     /* counts changes of anything that the page shows */
    char problem[512]; /* why the job cannot be counted or run; "": none */
    char refused[512]; /* why the last attempt to open something failed; "": it did not */
    hr_draft *draft;   /* of the input; NULL: none */
    hr_rollup *rollup; /* the table, counted; NULL: not yet */
    char *basis;       /* the parts of the job on which the rollup depends (ui_yaml_basis) */
    json_t *trees;     /* hierarchies of the rollup */
    unsigned tree_revision;
    json_t *price;        /* what the boundaries cost */
    hr_grab *grab;        /* the boundary that is dragged; NULL: none */
    size_t grab_size;     /* number of prices for each of its positions */
    char *grab_basis;     /* the parts of the job on which the grab depends */
    unsigned grab_failed; /* revision for which grabbing failed */
    double suggest_share; /* asked for while the table was being counted; < 0: not asked for */
    json_t *suggestion;   /* null: none */
    json_t *comparison;   /* null: none */
    ui_run *runs;         /* newest first */
    unsigned run_count;
    ui_lane quick, slow; /* slow: runs and comparisons */
    ui_drop drop;
};

ui_desk *ui_desk_new(struct event_base *base, hr_error *err);
void ui_desk_free(ui_desk *desk);
/* The text of the job; NULL: nothing is open. */
const char *ui_desk_text(const ui_desk *desk);
/* Something that the page shows has changed. */
void ui_desk_touch(ui_desk *desk);
/* Puts a job that was opened on the desk, which becomes the owner of all texts and of the draft. */
hr_status ui_desk_place(ui_desk *desk, char *text, char *folder, char *path, hr_draft *draft,
                        hr_error *err);
/* Replaces the text of the job as one step of the history. Takes ownership of `text`. */
hr_status ui_desk_change(ui_desk *desk, char *text, hr_error *err);
/* Goes `steps` back (-1) or forward (1). */
hr_status ui_desk_step(ui_desk *desk, int steps, hr_error *err);
/* Writes the job to `path`, below the start folder; NULL: where it is. */
hr_status ui_desk_save(ui_desk *desk, const char *path, hr_error *err);
/* Parses the job of a task and checks that its files lie below the start folder. */
hr_status ui_task_job(ui_task *task, hr_job **out);
/* A copy of a text to show to the user: paths are relative to the start or the private folder. */
char *ui_shown(const ui_desk *desk, const char *text);

/* ---- ui_text.c ---- */

/* Puts `text` in place of *place, which is freed. */
void ui_replace(char **place, char *text);
/* A copy of a text; NULL if it is NULL or memory is short. */
char *ui_copy(const char *text);
char *ui_format(const char *format, ...) HR_PRINTF(1, 2);

/* ---- ui_yaml.c: the text of a job ---- */

/* Sets the key at the end of `path` to a value, or removes it (`value` NULL), and leaves the rest
 * of the text as it is, comments too. */
hr_status ui_yaml_set(const char *text, const char *const *path, size_t depth, const json_t *value,
                      char **out, hr_error *err);
/* The parts of a job on which counting the table depends, as a text to compare. With `held`, the
 * parts on which grabbing the boundary of that column depends. NULL: no YAML, or out of memory. */
char *ui_yaml_basis(const char *text, const char *held);
/* Does the job have numbers whose cells are chosen anew for every boundary, k and p? */
bool ui_yaml_cuts(const char *text);
/* Parses a value as it is written in a job, such as `{prefix: [3, 2]}`; NULL if it is not valid. */
json_t *ui_yaml_value(const char *text);
/* The whole text; every scalar is a string. NULL: no YAML, or too large. */
json_t *ui_yaml_json(const char *text);
/* The attributes as a job has them: {COLUMN: {KEY: VALUE}}; texts, lists and mappings. */
json_t *ui_yaml_attributes(const char *text);
/* Calls `check` with every path or address of a file that the job names, until one fails. */
typedef hr_status (*ui_path_check)(const char *address, void *payload, hr_error *err);
hr_status ui_yaml_paths(const char *text, ui_path_check check, void *payload, hr_error *err);

/* ---- ui_paths.c ---- */

/* Is the file of this address below the start folder or the private one, symbolic links resolved?
 * A relative address is relative to `folder`. */
hr_status ui_path_confine(const char *start, const char *own, const char *folder,
                          const char *address, hr_error *err);
/* The same for every file that the job names. */
hr_status ui_job_confine(const char *start, const char *own, const char *folder, const char *text,
                         hr_error *err);
/* Is there a regular file for this address, and can it be read? Tables of a server have no file. */
hr_status ui_path_check_file(const char *folder, const char *address, hr_error *err);
/* The folders and files of a folder below the start folder; `folder` is relative to it. */
json_t *ui_path_list(const char *start, const char *folder, hr_error *err);
/* The folder of a path, and its last part. */
char *ui_path_folder(const char *path);
const char *ui_path_name(const char *path);
/* Makes a folder that nobody else may read; removes those that killed servers left. */
char *ui_private_make(hr_error *err);
void ui_private_remove(const char *path);

/* ---- ui_open.c, ui_drop.c ---- */

/* Opens a job, a file or the address of a table; `own` if it lies in the private folder. */
hr_status ui_open(ui_desk *desk, const char *address, hr_error *err);
/* The text of a job file; NULL: it cannot be read, or memory is short. */
char *ui_file_text(const char *path, hr_error *err);
hr_status ui_drop_begin(ui_desk *desk, const char *name, uint64_t size, hr_error *err);
hr_status ui_drop_slice(ui_desk *desk, uint64_t offset, const void *bytes, size_t length,
                        hr_error *err);
hr_status ui_drop_end(ui_desk *desk, hr_error *err);
void ui_drop_stop(ui_desk *desk);

/* ---- ui_count.c, ui_grab.c ---- */

/* Counts the table again if it has to be, and prices the boundaries of the job. */
void ui_count(ui_desk *desk);
/* The k and p of the heat map, with those of the job among them. */
enum { UI_GRID = 12 };
typedef struct {
    int64_t ks[UI_GRID], ps[UI_GRID];
    size_t k, p; /* how many */
} ui_grid;
void ui_grid_of(const hr_job *job, ui_grid *out);
/* The price of this position of a column's boundary: {pending: true} until the grab is ready. */
json_t *ui_drag(ui_desk *desk, const char *column, const json_t *nodes, hr_error *err);
/* Frees the grab, which depends on the rollup. */
void ui_grab_drop(ui_desk *desk);
/* [suppressed, ...]: k outermost */
json_t *ui_numbers_json(const uint64_t *numbers, size_t count);
json_t *ui_lost_json(const hr_lost *lost);
/* null: it is not finite. */
json_t *ui_real_json(double value);

/* ---- ui_suggest.c, ui_run.c, ui_compare.c ---- */

hr_status ui_suggest(ui_desk *desk, double share, hr_error *err);
/* Starts the suggestion that was asked for while the table was being counted. */
void ui_suggest_now(ui_desk *desk);
hr_status ui_run_start(ui_desk *desk, hr_error *err);
ui_run *ui_run_find(const ui_desk *desk, unsigned id);
json_t *ui_runs_json(const ui_desk *desk);
/* Classes from number `first` on: {columns, total, classes: [[size, value, ...], ...]}. */
json_t *ui_classes_json(const ui_run *run, uint32_t first, bool largest);
void ui_runs_free(ui_desk *desk);
hr_status ui_compare(ui_desk *desk, const json_t *algorithms, const char *ks, const char *ps,
                     hr_error *err);

/* The columns of the table: what the draft says, and what the job has. */
json_t *ui_columns_json(const ui_desk *desk);
/* Gives a column a role: the job gets the draft's entry for the column with this role. */
hr_status ui_column_role(ui_desk *desk, const char *column, const char *role, hr_error *err);

#endif
