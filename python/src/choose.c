/* choose.c - choosing boundaries: suppressed rows by value, and suggestions for a budget of
 * suppressed rows. */
#include "binding.h"

/* ---- Rows that are lost ---- */

static PyObject *lost_value(const hr_lost_value *value) {
    PyObject *d = PyDict_New();
    int failed = !d || py_put_text(d, "column", value->name) ||
                 py_put_text(d, "value", value->value) || py_put_count(d, "rows", value->rows) ||
                 py_put_count(d, "lost", value->lost);
    return py_finish(d, failed);
}

PyObject *py_lost(const hr_lost *lost) {
    PyObject *values = PyList_New(0);
    const hr_lost_value *value;
    int failed = !values;
    for (size_t i = 0; !failed && (value = hr_lost_at(lost, i)); i++)
        failed = py_append(values, lost_value(value));
    return py_finish(values, failed);
}

/* ---- Suggestions ---- */

static int put_level(PyObject *dict, const char *name, uint32_t level) {
    if (level == HR_NONE) return py_put(dict, name, Py_NewRef(Py_None));
    return py_put_count(dict, name, level);
}

static PyObject *suggested(const hr_suggestion *suggestion, const hr_suggested *one) {
    PyObject *d = PyDict_New(), *levels = PyDict_New();
    const hr_suggested_attribute *attribute;
    int failed = !d || !levels || py_put_count(d, "suppressed", one->suppressed) ||
                 py_put_real(d, "loss_at_most", one->loss_at_most);
    for (size_t j = 0; !failed && (attribute = hr_suggestion_attribute(suggestion, j)); j++)
        failed = put_level(levels, attribute->name, one->levels[j]);
    failed = failed || PyDict_SetItemString(d, "levels", levels);
    Py_XDECREF(levels);
    return py_finish(d, failed);
}

static PyObject *attribute(const hr_suggested_attribute *a) {
    PyObject *d = PyDict_New();
    int failed = !d || py_put_text(d, "name", a->name) || py_put_bool(d, "varied", a->varied) ||
                 put_level(d, "level", a->level) || put_level(d, "lowest", a->lowest) ||
                 put_level(d, "alone", a->alone) ||
                 py_put_count(d, "alone_suppressed", a->alone_suppressed);
    return py_finish(d, failed);
}

static PyObject *pair(const hr_kp *kp) {
    PyObject *d = PyDict_New();
    int failed = !d || py_put_int(d, "k", kp->k) || py_put_int(d, "p", kp->p) ||
                 py_put_count(d, "suppressed", kp->suppressed);
    return py_finish(d, failed);
}

static int put_lists(PyObject *d, const hr_suggestion *suggestion) {
    PyObject *combinations = PyList_New(0), *attributes = PyList_New(0), *frontier = PyList_New(0);
    const hr_suggested *one;
    const hr_suggested_attribute *a;
    const hr_kp *kp;
    int failed = !combinations || !attributes || !frontier;
    for (size_t i = 0; !failed && (one = hr_suggestion_at(suggestion, i)); i++)
        failed = py_append(combinations, suggested(suggestion, one));
    for (size_t j = 0; !failed && (a = hr_suggestion_attribute(suggestion, j)); j++)
        failed = py_append(attributes, attribute(a));
    for (size_t i = 0; !failed && (kp = hr_suggestion_frontier(suggestion, i)); i++)
        failed = py_append(frontier, pair(kp));
    failed = failed || PyDict_SetItemString(d, "combinations", combinations) ||
             PyDict_SetItemString(d, "attributes", attributes) ||
             PyDict_SetItemString(d, "frontier", frontier);
    Py_XDECREF(combinations);
    Py_XDECREF(attributes);
    Py_XDECREF(frontier);
    return failed ? -1 : 0;
}

static PyObject *suggestion_of(const hr_suggestion *suggestion) {
    const hr_suggestion_figures *f = hr_suggestion_result(suggestion);
    PyObject *d = PyDict_New();
    char *text = NULL;
    hr_error err;
    int failed = !d || py_put_count(d, "rows", f->rows) || py_put_count(d, "budget", f->budget) ||
                 py_put_int(d, "k", f->k) || py_put_int(d, "p", f->p) ||
                 py_put_count(d, "suppressed", f->suppressed) ||
                 py_put_int(d, "largest_k", f->largest_k) ||
                 py_put_int(d, "largest_p", f->largest_p) || py_put_bool(d, "exact", f->exact) ||
                 put_lists(d, suggestion);
    if (!failed) {
        hr_status status = hr_suggestion_print(suggestion, HR_PRINT_TABLE, &text, &err);
        failed = status == HR_OK ? py_put_text(d, "text", text) : -1;
        if (status != HR_OK) py_raise(status, &err);
        hr_free(text);
    }
    return py_finish(d, failed);
}

typedef struct {
    const hr_job *job;
    double share;
    hr_rollup *rollup;
    hr_suggestion *suggestion;
} suggesting;

static hr_status suggest_work(void *arguments, const hr_watch *watch, hr_error *err) {
    suggesting *s = arguments;
    hr_status status = hr_job_rollup(s->job, watch, &s->rollup, err);
    if (status != HR_OK) return status;
    return hr_rollup_suggest(s->rollup, s->job, s->share, watch, &s->suggestion, err);
}

PyObject *py_suggest(const hr_job *job, double share, PyObject *progress, PyObject *notice) {
    suggesting s = {.job = job, .share = share};
    PyObject *result = NULL;
    if (py_run(suggest_work, &s, progress, notice) == 0) result = suggestion_of(s.suggestion);
    hr_suggestion_free(s.suggestion);
    hr_rollup_free(s.rollup);
    return result;
}
