/* binding.h - the parts of the C extension: Python objects over the public interface of
 * libhedgerow. The stable ABI of Python 3.10 is used, so one build serves all later versions.
 *
 * module.c has the functions of the module, watch.c runs long calls, table.c, hierarchy.c, job.c,
 * plan.c and release.c have a type each, results.c makes dictionaries of typed results. A function
 * that returns PyObject * returns a new reference, or NULL with an exception set. */
#ifndef HEDGEROW_PYTHON_BINDING_H
#define HEDGEROW_PYTHON_BINDING_H

#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030A0000
#endif
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "hedgerow.h"

/* ---- module.c ---- */

/* Raises the exception that fits the status, with the library's message; returns NULL. */
PyObject *py_raise(hr_status status, const hr_error *err);

/* ---- watch.c: long calls, with the GIL released ---- */

typedef hr_status (*py_work)(void *arguments, const hr_watch *watch, hr_error *err);

/* Runs `work` in another thread while this thread waits without the GIL. `progress` (called with
 * stage, done, total, loss and least loss) and `notice` (called with a message) may be None; they
 * are called in this thread. Ctrl-C and an exception in a callback cancel the work. Returns 0, or
 * -1 with an exception set; results may have been stored even then, and the caller frees them. */
int py_run(py_work work, void *arguments, PyObject *progress, PyObject *notice);
/* The same; with `finishes` the first Ctrl-C ends a search with the best release so far. */
int py_run_until(py_work work, void *arguments, PyObject *progress, PyObject *notice,
                 bool finishes);

/* ---- table.c ---- */

typedef struct {
    PyObject_HEAD hr_table *owned; /* freed with the object; or NULL */
    const hr_table *table;         /* `owned`, or the table of `owner` */
    PyObject *owner;               /* keeps `table` alive; or NULL */
} py_table;

extern PyTypeObject *py_table_type;
int py_table_init(PyObject *module);
/* Takes over the table. */
PyObject *py_table_own(hr_table *table);
/* A table that belongs to `owner`. */
PyObject *py_table_borrow(const hr_table *table, PyObject *owner);
/* The table of a Table object; NULL with a TypeError for another object. */
const hr_table *py_table_of(PyObject *object);
PyObject *py_table_read(PyObject *module, PyObject *arguments);
PyObject *py_table_from_arrow(PyObject *module, PyObject *arguments);

/* ---- hierarchy.c ---- */

extern PyTypeObject *py_hierarchy_type;
int py_hierarchy_init(PyObject *module);
const hr_hierarchy *py_hierarchy_of(PyObject *object);
PyObject *py_hierarchy_read(PyObject *module, PyObject *arguments);
PyObject *py_hierarchy_from_table(PyObject *module, PyObject *arguments);
PyObject *py_hierarchy_from_labels(PyObject *module, PyObject *arguments);
PyObject *py_hierarchy_make(PyObject *module, PyObject *arguments);

/* ---- release.c ---- */

int py_release_init(PyObject *module);
/* Takes over the release. */
PyObject *py_release_own(hr_release *release);

/* ---- job.c ---- */

int py_job_init(PyObject *module);
PyObject *py_job_read(PyObject *module, PyObject *arguments);
PyObject *py_job_parse(PyObject *module, PyObject *arguments);

/* ---- plan.c ---- */

int py_plan_init(PyObject *module);
/* Takes over the plan. */
PyObject *py_plan_own(hr_plan *plan);
PyObject *py_plan_import(PyObject *module, PyObject *arguments);

/* ---- choose.c ---- */

/* A list of the values of quasi-identifiers with their rows and suppressed rows. */
PyObject *py_lost(const hr_lost *lost);
/* Suggested boundaries, k and p if this share of the rows may be suppressed. */
PyObject *py_suggest(const hr_job *job, double share, PyObject *progress, PyObject *notice);

/* ---- draft.c ---- */

PyObject *py_draft(PyObject *module, PyObject *arguments);

/* ---- results.c ---- */

/* Each adds an entry to a dictionary; -1 with an exception set on failure. A text that is NULL and
 * a number that is NaN become None. */
int py_put(PyObject *dict, const char *name, PyObject *value); /* takes over `value` */
int py_put_text(PyObject *dict, const char *name, const char *value);
int py_put_int(PyObject *dict, const char *name, int64_t value);
int py_put_count(PyObject *dict, const char *name, uint64_t value);
int py_put_real(PyObject *dict, const char *name, double value);
int py_put_bool(PyObject *dict, const char *name, bool value);
PyObject *py_text(const char *text);
/* Appends to a list and takes over `item`, which may be NULL after an exception; -1 on failure. */
int py_append(PyObject *list, PyObject *item);
/* Gives the object back if it was filled, otherwise frees it and returns NULL. */
PyObject *py_finish(PyObject *object, int failed);

PyObject *py_figures(const hr_figures *figures);
PyObject *py_attribute_figures(const hr_attribute_figures *figures);
PyObject *py_key_figures(const hr_key_figures *figures);
PyObject *py_check_result(const hr_check *check);
PyObject *py_prices(const hr_prices *prices);
PyObject *py_comparison(const hr_comparison *comparison);
PyObject *py_list(PyObject *module, PyObject *arguments);
PyObject *py_keys(PyObject *module, PyObject *ignored);

/* Numbers of a Python sequence; None gives NULL. Free *out with PyMem_Free. */
int py_numbers(PyObject *sequence, int64_t **out, size_t *count);
/* Texts of a Python sequence, which must stay alive as long as they are used. None gives NULL. Free
 * *out with PyMem_Free. */
int py_texts(PyObject *sequence, const char ***out, size_t *count);

#endif
