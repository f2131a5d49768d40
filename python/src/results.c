/* results.c - typed results of the library as dictionaries and lists. Every figure comes from a
 * struct of hedgerow.h; no text is parsed. */
#include "binding.h"

#include <string.h>

/* ---- Entries of a dictionary ---- */

int py_put(PyObject *dict, const char *name, PyObject *value) {
    if (!value) return -1;
    int result = PyDict_SetItemString(dict, name, value);
    Py_DECREF(value);
    return result;
}

PyObject *py_text(const char *text) {
    if (!text) return Py_NewRef(Py_None);
    /* Texts of files are UTF-8, which the library has checked. */
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

int py_put_text(PyObject *dict, const char *name, const char *value) {
    return py_put(dict, name, py_text(value));
}

int py_put_int(PyObject *dict, const char *name, int64_t value) {
    return py_put(dict, name, PyLong_FromLongLong(value));
}

int py_put_count(PyObject *dict, const char *name, uint64_t value) {
    return py_put(dict, name, PyLong_FromUnsignedLongLong(value));
}

int py_put_real(PyObject *dict, const char *name, double value) {
    return py_put(dict, name, value == value ? PyFloat_FromDouble(value) : Py_NewRef(Py_None));
}

int py_put_bool(PyObject *dict, const char *name, bool value) {
    return py_put(dict, name, PyBool_FromLong(value));
}

PyObject *py_finish(PyObject *object, int failed) {
    if (object && !failed) return object;
    Py_XDECREF(object);
    return NULL;
}

int py_append(PyObject *list, PyObject *item) {
    if (!item) return -1;
    int result = PyList_Append(list, item);
    Py_DECREF(item);
    return result;
}

/* ---- Releases and checks ---- */

PyObject *py_figures(const hr_figures *f) {
    PyObject *d = PyDict_New();
    int failed =
        !d || py_put_count(d, "rows", f->rows) || py_put_count(d, "released", f->released) ||
        py_put_count(d, "suppressed", f->suppressed) || py_put_count(d, "classes", f->classes) ||
        py_put_count(d, "clusters", f->clusters) || py_put_count(d, "violations", f->violations) ||
        py_put_int(d, "k", f->k) || py_put_int(d, "p", f->p) ||
        py_put_int(d, "achieved_k", f->achieved_k) || py_put_int(d, "achieved_p", f->achieved_p) ||
        py_put_real(d, "ntil", f->ntil) || py_put_real(d, "ntil_bound", f->ntil_bound) ||
        py_put_real(d, "il", f->il) || py_put_real(d, "dm", f->dm) ||
        py_put_real(d, "avg", f->avg) || py_put_real(d, "avg_clusters", f->avg_clusters) ||
        py_put_real(d, "sse_sst", f->sse_sst) || py_put_real(d, "seconds", f->seconds) ||
        py_put_count(d, "trimmed", f->trimmed) ||
        py_put_real(d, "achieved_alpha", f->achieved_alpha) ||
        py_put_real(d, "achieved_l", f->achieved_l) ||
        py_put_real(d, "achieved_entropy_l", f->achieved_entropy_l) ||
        py_put_real(d, "achieved_recursive_c", f->achieved_recursive_c) ||
        py_put_real(d, "achieved_t", f->achieved_t);
    return py_finish(d, failed);
}

static PyObject *check_figures(const hr_check_figures *f) {
    PyObject *d = PyDict_New();
    int failed =
        !d || py_put_count(d, "rows", f->rows) || py_put_count(d, "left_out", f->left_out) ||
        py_put_count(d, "classes", f->classes) || py_put_int(d, "k", f->k) ||
        py_put_int(d, "p", f->p) || py_put_int(d, "achieved_k", f->achieved_k) ||
        py_put_int(d, "achieved_p", f->achieved_p) ||
        py_put_count(d, "small_classes", f->small_classes) ||
        py_put_count(d, "poor_classes", f->poor_classes) ||
        py_put_count(d, "identifiers", f->identifiers) ||
        py_put_count(d, "dropped_columns", f->dropped_columns) ||
        py_put_count(d, "unknown", f->unknown) || py_put_bool(d, "compared", f->compared) ||
        py_put_count(d, "violations", f->violations) ||
        py_put_count(d, "uncovered", f->uncovered) || py_put_count(d, "changed", f->changed) ||
        py_put_count(d, "failing_classes", f->failing_classes) ||
        py_put_count(d, "too_fine", f->too_fine) ||
        py_put_count(d, "past_boundary", f->past_boundary) ||
        py_put_count(d, "extra_columns", f->extra_columns) ||
        py_put_count(d, "hidden", f->hidden) || py_put_bool(d, "foreign_trace", f->foreign_trace) ||
        py_put_count(d, "missing_columns", f->missing_columns);
    if (!failed && f->certified)
        failed = py_put_real(d, "bound_claimed", f->bound_claimed) ||
                 py_put_real(d, "bound_proved", f->bound_proved) ||
                 py_put_bool(d, "bound_holds", f->bound_holds);
    return py_finish(d, failed);
}

PyObject *py_attribute_figures(const hr_attribute_figures *f) {
    PyObject *d = PyDict_New();
    int failed =
        !d || py_put_text(d, "attribute", f->attribute) ||
        py_put_text(d, "parameter", f->parameter) || py_put_real(d, "asked", f->asked) ||
        py_put_real(d, "achieved", f->achieved) || py_put_count(d, "worst_class", f->worst_class) ||
        py_put_count(d, "worst_rows", f->worst_rows) || py_put_count(d, "worst_row", f->worst_row);
    return py_finish(d, failed);
}

PyObject *py_key_figures(const hr_key_figures *f) {
    PyObject *d = PyDict_New();
    int failed =
        !d || py_put_text(d, "columns", f->columns) || py_put_count(d, "groups", f->groups) ||
        py_put_count(d, "least", f->least) || py_put_count(d, "small_groups", f->small_groups) ||
        py_put_count(d, "small_rows", f->small_rows) || py_put_bool(d, "people", f->people);
    return py_finish(d, failed);
}

/* The lines that at(check, 0), at(check, 1), ... gives. */
static PyObject *lines(const hr_check *check, const char *(*at)(const hr_check *check, size_t i)) {
    PyObject *list = PyList_New(0);
    const char *line;
    for (size_t i = 0; list && (line = at(check, i)); i++)
        if (py_append(list, py_text(line))) Py_CLEAR(list);
    return list;
}

PyObject *py_check_result(const hr_check *check) {
    PyObject *d = PyDict_New(), *attributes = PyList_New(0), *keys = PyList_New(0);
    hr_attribute_figures attribute;
    hr_key_figures key;
    int failed = !d || !attributes || !keys;
    for (size_t i = 0; !failed && hr_check_attribute(check, i, &attribute); i++)
        failed = py_append(attributes, py_attribute_figures(&attribute));
    for (size_t i = 0; !failed && hr_check_keys(check, i, &key); i++)
        failed = py_append(keys, py_key_figures(&key));
    failed = failed || py_put_bool(d, "holds", hr_check_result(check)->holds) ||
             py_put(d, "figures", check_figures(hr_check_result(check))) ||
             py_put_text(d, "summary", hr_check_summary(check)) ||
             py_put(d, "reasons", lines(check, hr_check_reason)) ||
             py_put(d, "unjudged", lines(check, hr_check_unjudged)) ||
             py_put(d, "warnings", lines(check, hr_check_warning)) ||
             PyDict_SetItemString(d, "attributes", attributes) ||
             PyDict_SetItemString(d, "keys", keys);
    Py_XDECREF(attributes);
    Py_XDECREF(keys);
    return py_finish(d, failed);
}

/* ---- Boundaries ---- */

static PyObject *price(const hr_price *price, const hr_cut *cut) {
    PyObject *d = PyDict_New(), *relaxed = PyDict_New();
    int failed = !d || !relaxed || py_put_int(d, "k", price->k) || py_put_int(d, "p", price->p) ||
                 py_put_count(d, "suppressed", price->suppressed) ||
                 py_put_count(d, "classes_at_most", price->classes_at_most);
    for (size_t j = 0; !failed && j < cut->quasi_count; j++)
        if (cut->bounded[j]) failed = py_put_count(relaxed, cut->quasi_names[j], price->relaxed[j]);
    failed = failed || PyDict_SetItemString(d, "relaxed", relaxed);
    Py_XDECREF(relaxed);
    return py_finish(d, failed);
}

/* What the cells that stay achieve, for each sensitive attribute and model. */
static PyObject *price_figures(const hr_prices *prices, size_t i) {
    PyObject *list = PyList_New(0);
    hr_price_figures f;
    for (size_t n = 0; list && hr_prices_attribute(prices, i, n, &f); n++) {
        PyObject *d = PyDict_New();
        int failed = !d || py_put_text(d, "attribute", f.attribute) ||
                     py_put_text(d, "parameter", f.parameter) || py_put_real(d, "asked", f.asked) ||
                     py_put_real(d, "achieved", f.achieved) ||
                     py_put_count(d, "worst_rows", f.worst_rows);
        if (py_append(list, py_finish(d, failed))) Py_CLEAR(list);
    }
    return list;
}

PyObject *py_prices(const hr_prices *prices) {
    const hr_cut *cut = hr_prices_cut(prices);
    const hr_price *one;
    PyObject *d = PyDict_New(), *rows = PyList_New(0);
    int failed = !d || !rows;
    for (size_t i = 0; !failed && (one = hr_prices_at(prices, i)); i++) {
        PyObject *row = price(one, cut);
        failed = !row || py_put(row, "lost", py_lost(hr_prices_lost(prices, i))) ||
                 py_put(row, "attributes", price_figures(prices, i));
        failed = failed ? (Py_XDECREF(row), -1) : py_append(rows, row);
    }
    failed = failed || py_put_count(d, "rows", cut->rows) ||
             py_put_count(d, "dropped", cut->dropped) || py_put_count(d, "cells", cut->cells) ||
             py_put_count(d, "smallest", cut->smallest) ||
             py_put_count(d, "largest", cut->largest) || PyDict_SetItemString(d, "prices", rows);
    Py_XDECREF(rows);
    return py_finish(d, failed);
}

/* ---- Comparisons ---- */

static PyObject *compared(const hr_compared *run) {
    static const char *const states[] = {[HR_COMPARED_WAITING] = "waiting",
                                         [HR_COMPARED_DONE] = "done",
                                         [HR_COMPARED_EMPTY] = "empty"};
    PyObject *d = run->figures ? py_figures(run->figures) : PyDict_New();
    int failed = !d || py_put_text(d, "algorithm", run->algorithm) || py_put_int(d, "k", run->k) ||
                 py_put_int(d, "p", run->p) || py_put_text(d, "state", states[run->state]) ||
                 py_put_bool(d, "best", run->best) || py_put_text(d, "note", run->note);
    return py_finish(d, failed);
}

PyObject *py_comparison(const hr_comparison *comparison) {
    PyObject *runs = PyList_New(0);
    const hr_compared *run;
    int failed = !runs;
    for (size_t i = 0; !failed && (run = hr_comparison_at(comparison, i)); i++)
        failed = py_append(runs, compared(run));
    return py_finish(runs, failed);
}

/* ---- Lists ---- */

static PyObject *key(const hr_key_info *info) {
    static const char *const types[] = {
        [HR_TYPE_TEXT] = "text",       [HR_TYPE_PATH] = "path",
        [HR_TYPE_INT] = "int",         [HR_TYPE_REAL] = "real",
        [HR_TYPE_BOOL] = "bool",       [HR_TYPE_CHOICE] = "choice",
        [HR_TYPE_COLUMNS] = "columns", [HR_TYPE_PER_COLUMN] = "per column",
        [HR_TYPE_MAPPING] = "mapping"};
    PyObject *d = PyDict_New();
    int failed = !d || py_put_text(d, "name", info->name) || py_put_text(d, "help", info->help) ||
                 py_put_text(d, "type", types[info->type]) ||
                 py_put_text(d, "default", info->has_default ? info->initial : NULL) ||
                 py_put_text(d, "choices", info->choices) || py_put_real(d, "least", info->least) ||
                 py_put_real(d, "most", info->most) ||
                 py_put_bool(d, "repeatable", info->repeatable) ||
                 py_put_text(d, "owner", info->owner);
    return py_finish(d, failed);
}

PyObject *py_keys(PyObject *module, PyObject *ignored) {
    PyObject *keys = PyList_New(0);
    hr_key_info info = {.size = sizeof info};
    int failed = !keys;
    (void)module;
    (void)ignored;
    for (size_t i = 0; !failed && hr_key_info_at(i, &info); i++)
        failed = py_append(keys, key(&info));
    return py_finish(keys, failed);
}

static PyObject *listed(const hr_list *list, size_t i, const hr_listed *entry) {
    static const char *const kinds[] = {
        [HR_KIND_ALGORITHM] = "algorithm", [HR_KIND_ALIAS] = "alias",
        [HR_KIND_MODEL] = "model",         [HR_KIND_MEASURE] = "measure",
        [HR_KIND_FORMAT] = "format",       [HR_KIND_BUILDER] = "builder"};
    PyObject *d = PyDict_New(), *options = PyList_New(0);
    hr_key_info info = {.size = sizeof info};
    int failed = !d || !options;
    for (size_t o = 0; !failed && hr_list_option(list, i, o, &info); o++)
        failed = py_append(options, key(&info));
    failed = failed || py_put_text(d, "kind", kinds[entry->kind]) ||
             py_put_text(d, "name", entry->name) || py_put_text(d, "title", entry->title) ||
             py_put_text(d, "reference", entry->reference) ||
             py_put_text(d, "algorithm", entry->algorithm) ||
             PyDict_SetItemString(d, "options", options);
    Py_XDECREF(options);
    return py_finish(d, failed);
}

PyObject *py_list(PyObject *module, PyObject *arguments) {
    const char *section = NULL;
    hr_error err;
    hr_list *list;
    const hr_listed *entry;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "|z", &section)) return NULL;
    hr_status status = hr_list_new(section, &list, &err);
    if (status != HR_OK) return py_raise(status, &err);
    PyObject *entries = PyList_New(0);
    int failed = !entries;
    for (size_t i = 0; !failed && (entry = hr_list_at(list, i)); i++)
        failed = py_append(entries, listed(list, i, entry));
    hr_list_free(list);
    return py_finish(entries, failed);
}

/* ---- Sequences that come in ---- */

int py_numbers(PyObject *sequence, int64_t **out, size_t *count) {
    *out = NULL;
    *count = 0;
    if (sequence == Py_None) return 0;
    Py_ssize_t length = PySequence_Size(sequence);
    if (length < 0) return -1;
    *out = PyMem_Calloc((size_t)length + 1, sizeof **out);
    if (!*out) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < length; i++) {
        PyObject *item = PySequence_GetItem(sequence, i);
        (*out)[i] = item ? PyLong_AsLongLong(item) : -1;
        Py_XDECREF(item);
        if (PyErr_Occurred()) {
            PyMem_Free(*out);
            *out = NULL;
            return -1;
        }
    }
    *count = (size_t)length;
    return 0;
}

int py_texts(PyObject *sequence, const char ***out, size_t *count) {
    *out = NULL;
    *count = 0;
    if (sequence == Py_None) return 0;
    if (!PyList_Check(sequence)) {
        PyErr_SetString(PyExc_TypeError, "a list of texts is needed");
        return -1;
    }
    Py_ssize_t length = PyList_Size(sequence);
    *out = PyMem_Calloc((size_t)length + 1, sizeof **out);
    if (!*out) {
        PyErr_NoMemory();
        return -1;
    }
    for (Py_ssize_t i = 0; i < length; i++) {
        (*out)[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(sequence, i), NULL);
        if ((*out)[i]) continue;
        PyMem_Free(*out);
        *out = NULL;
        return -1;
    }
    *count = (size_t)length;
    return 0;
}
