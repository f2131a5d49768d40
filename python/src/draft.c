/* draft.c - drafts of jobs: what hr_job_draft guesses, as a dictionary with the keys of a job. */
#include "binding.h"

typedef struct {
    hr_draft_request request;
    hr_draft *draft;
} drafting;

static hr_status draft_work(void *arguments, const hr_watch *watch, hr_error *err) {
    drafting *d = arguments;
    return hr_job_draft(&d->request, watch, &d->draft, err);
}

/* The keys of a column in a job. */
static PyObject *attribute(const hr_draft_column *c) {
    PyObject *d = PyDict_New();
    bool quasi = c->unique_alone == c->unique_alone; /* NaN for other roles */
    int failed = !d || py_put_text(d, "role", c->role);
    if (!failed && c->hierarchy) failed = py_put_text(d, "hierarchy", c->hierarchy);
    if (!failed && quasi && !c->hierarchy) failed = py_put_text(d, "type", "numeric");
    if (!failed && c->on_missing) failed = py_put_text(d, "on_missing", c->on_missing);
    if (!failed && c->bins) failed = py_put_int(d, "bins", c->bins);
    return py_finish(d, failed);
}

static PyObject *guess(const hr_draft_column *c) {
    PyObject *d = PyDict_New();
    int failed = !d || py_put_text(d, "name", c->name) || py_put_text(d, "role", c->role) ||
                 py_put_text(d, "type", c->type) || py_put_text(d, "reason", c->reason) ||
                 py_put_int(d, "values", c->values) || py_put_count(d, "missing", c->missing) ||
                 py_put_real(d, "unique", c->unique_alone) ||
                 py_put_real(d, "unique_without", c->unique_without);
    return py_finish(d, failed);
}

static int put_model(PyObject *job, const hr_draft_figures *figures) {
    PyObject *model = PyDict_New();
    int failed = !model || py_put_int(model, "k", figures->k) || py_put_int(model, "p", figures->p);
    if (!failed) return py_put(job, "model", model);
    Py_XDECREF(model);
    return -1;
}

static int put_missing(PyObject *job, const hr_draft *draft) {
    const char *text;
    if (!hr_draft_missing(draft, 0) || !hr_draft_missing(draft, 1)) return 0;
    PyObject *texts = PyList_New(0);
    int failed = !texts;
    for (size_t i = 0; !failed && (text = hr_draft_missing(draft, i)); i++)
        failed = py_append(texts, py_text(text));
    if (!failed) return py_put(job, "missing", texts);
    Py_XDECREF(texts);
    return -1;
}

static int fill(const hr_draft *draft, PyObject *job, PyObject *attributes, PyObject *guesses) {
    const hr_draft_figures *figures = hr_draft_result(draft);
    const hr_draft_column *column;
    int failed = 0;
    if (figures->encoding) failed = py_put_text(job, "encoding", figures->encoding);
    if (!failed && figures->decimal) failed = py_put_text(job, "decimal", figures->decimal);
    failed = failed || put_missing(job, draft) || put_model(job, figures);
    for (size_t i = 0; !failed && (column = hr_draft_at(draft, i)); i++)
        failed = py_put(attributes, column->name, attribute(column)) ||
                 py_append(guesses, guess(column));
    return failed || PyDict_SetItemString(job, "attributes", attributes) ? -1 : 0;
}

/* draft(input, table, k, progress, notice): the job, the guesses, the text of the job file. */
PyObject *py_draft(PyObject *module, PyObject *arguments) {
    PyObject *table, *progress, *notice, *result = NULL;
    long long k;
    drafting d = {.request = {.size = sizeof d.request}};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sOLOO", &d.request.input, &table, &k, &progress, &notice))
        return NULL;
    if (table != Py_None && !(d.request.table = py_table_of(table))) return NULL;
    if (py_run(draft_work, &d, progress, notice) == 0) {
        hr_error err;
        hr_status status = k ? hr_draft_set_k(d.draft, k, &err) : HR_OK;
        PyObject *job = PyDict_New(), *attributes = PyDict_New(), *guesses = PyList_New(0);
        if (status != HR_OK)
            py_raise(status, &err);
        else if (job && attributes && guesses && fill(d.draft, job, attributes, guesses) == 0)
            result = Py_BuildValue("OON", job, guesses, py_text(hr_draft_job(d.draft)));
        Py_XDECREF(job);
        Py_XDECREF(attributes);
        Py_XDECREF(guesses);
    }
    hr_draft_free(d.draft);
    return result;
}
