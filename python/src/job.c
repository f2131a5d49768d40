/* job.c - a job, and what it does: run, check, boundaries, compare. */
#include "binding.h"

#include <string.h>

typedef struct {
    PyObject_HEAD hr_job *job;
    PyObject *input;  /* the Table that the job borrows; or NULL */
    PyObject *counts; /* the bytes that it borrows; or NULL */
} py_job;

static PyTypeObject *job_type;

static PyObject *own(hr_job *job) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(job_type, Py_tp_alloc);
    py_job *self = (py_job *)allocate(job_type, 0);
    if (!self) {
        hr_job_free(job);
        return NULL;
    }
    self->job = job;
    return (PyObject *)self;
}

static void job_free(PyObject *object) {
    py_job *self = (py_job *)object;
    PyTypeObject *type = Py_TYPE(object);
    hr_job_free(self->job);
    Py_XDECREF(self->input);
    Py_XDECREF(self->counts);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static hr_job *of(PyObject *object) {
    return ((py_job *)object)->job;
}

static PyObject *answer(hr_status status, const hr_error *err) {
    return status == HR_OK ? Py_NewRef(Py_None) : py_raise(status, err);
}

/* ---- Making and filling a job ---- */

PyObject *py_job_read(PyObject *module, PyObject *arguments) {
    const char *path;
    hr_job *job;
    hr_error err;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s", &path)) return NULL;
    hr_status status = hr_job_read(path, &job, &err);
    return status == HR_OK ? own(job) : py_raise(status, &err);
}

/* job_parse(text, folder or None) */
PyObject *py_job_parse(PyObject *module, PyObject *arguments) {
    const char *text, *folder;
    Py_ssize_t length;
    hr_job *job;
    hr_error err;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "s#z", &text, &length, &folder)) return NULL;
    hr_status status = hr_job_parse(text, (size_t)length, "the job", folder, &job, &err);
    return status == HR_OK ? own(job) : py_raise(status, &err);
}

static PyObject *job_set(PyObject *object, PyObject *arguments) {
    const char *key, *value;
    hr_error err;
    if (!PyArg_ParseTuple(arguments, "sz", &key, &value)) return NULL;
    return answer(hr_job_set(of(object), key, value, &err), &err);
}

static PyObject *job_get(PyObject *object, PyObject *arguments) {
    const char *key;
    if (!PyArg_ParseTuple(arguments, "s", &key)) return NULL;
    return py_text(hr_job_get(of(object), key));
}

static PyObject *job_set_input(PyObject *object, PyObject *table) {
    hr_error err;
    const hr_table *input = py_table_of(table);
    if (!input) return NULL;
    hr_status status = hr_job_set_input(of(object), input, &err);
    if (status != HR_OK) return py_raise(status, &err);
    PyObject *before = ((py_job *)object)->input;
    ((py_job *)object)->input = Py_NewRef(table);
    Py_XDECREF(before);
    return Py_NewRef(Py_None);
}

/* set_counts(bytes): the rows that each of the first rows of the input stands for, as 32-bit
 * unsigned integers. */
static PyObject *job_set_counts(PyObject *object, PyObject *counts) {
    char *bytes;
    Py_ssize_t length;
    hr_error err;
    if (PyBytes_AsStringAndSize(counts, &bytes, &length) < 0) return NULL;
    const uint32_t *first = (const uint32_t *)(const void *)bytes;
    hr_status status = hr_job_set_counts(of(object), first, (size_t)length / sizeof *first, &err);
    if (status != HR_OK) return py_raise(status, &err);
    PyObject *before = ((py_job *)object)->counts;
    ((py_job *)object)->counts = Py_NewRef(counts);
    Py_XDECREF(before);
    return Py_NewRef(Py_None);
}

static PyObject *job_set_hierarchy(PyObject *object, PyObject *arguments) {
    const char *column;
    PyObject *tree;
    hr_error err;
    if (!PyArg_ParseTuple(arguments, "sO", &column, &tree)) return NULL;
    const hr_hierarchy *hierarchy = py_hierarchy_of(tree);
    if (!hierarchy) return NULL;
    return answer(hr_job_set_hierarchy(of(object), column, hierarchy, &err), &err);
}

/* Pairs of column and role. */
static PyObject *job_columns(PyObject *object, PyObject *ignored) {
    const hr_job *job = of(object);
    PyObject *columns = PyList_New(0);
    (void)ignored;
    for (size_t i = 0; columns && i < hr_job_column_count(job); i++) {
        PyObject *pair = Py_BuildValue("NN", py_text(hr_job_column_name(job, i)),
                                       py_text(hr_job_column_role(job, i)));
        if (py_append(columns, pair)) Py_CLEAR(columns);
    }
    return columns;
}

/* The columns that are released as text, whatever their type. */
static PyObject *job_text_columns(PyObject *object, PyObject *ignored) {
    const hr_job *job = of(object);
    PyObject *names = PyList_New(0);
    (void)ignored;
    for (size_t i = 0; names && i < hr_job_column_count(job); i++)
        if (hr_job_column_is_text(job, i) && py_append(names, py_text(hr_job_column_name(job, i))))
            Py_CLEAR(names);
    return names;
}

/* reads(names): those that a run reads. */
static PyObject *job_reads(PyObject *object, PyObject *names) {
    const char **texts;
    size_t count;
    if (py_texts(names, &texts, &count) < 0) return NULL;
    PyObject *wanted = PyList_New(0);
    for (size_t i = 0; wanted && i < count; i++)
        if (hr_job_reads(of(object), texts[i]) &&
            PyList_Append(wanted, PyList_GetItem(names, (Py_ssize_t)i)) < 0)
            Py_CLEAR(wanted);
    PyMem_Free(texts);
    return wanted;
}

/* ---- Running it ---- */

typedef struct {
    const hr_job *job;
    hr_release *release;
} running;

static hr_status run_work(void *arguments, const hr_watch *watch, hr_error *err) {
    running *r = arguments;
    return hr_job_run(r->job, watch, &r->release, err);
}

/* run(progress, notice) */
static PyObject *job_run(PyObject *object, PyObject *arguments) {
    PyObject *progress, *notice;
    running r = {.job = of(object)};
    const char *key = hr_job_get(r.job, "on-interrupt");
    bool finishes = key && !strcmp(key, "finish");
    if (!PyArg_ParseTuple(arguments, "OO", &progress, &notice)) return NULL;
    if (py_run_until(run_work, &r, progress, notice, finishes) == 0)
        return py_release_own(r.release);
    hr_release_free(r.release);
    return NULL;
}

typedef struct {
    const hr_job *job;
    hr_plan *plan;
} planning;

static hr_status plan_work(void *arguments, const hr_watch *watch, hr_error *err) {
    planning *p = arguments;
    return hr_job_plan(p->job, watch, &p->plan, err);
}

/* plan(progress, notice) */
static PyObject *job_plan(PyObject *object, PyObject *arguments) {
    PyObject *progress, *notice;
    planning p = {.job = of(object)};
    if (!PyArg_ParseTuple(arguments, "OO", &progress, &notice)) return NULL;
    if (py_run(plan_work, &p, progress, notice) == 0) return py_plan_own(p.plan);
    hr_plan_free(p.plan);
    return NULL;
}

typedef struct {
    const hr_job *job;
    char *text;
} resolving;

static hr_status resolve_work(void *arguments, const hr_watch *watch, hr_error *err) {
    resolving *r = arguments;
    return hr_job_resolve(r->job, NULL, watch, &r->text, err);
}

/* resolve(): the text of the resolved job. */
static PyObject *job_resolve(PyObject *object, PyObject *ignored) {
    resolving r = {.job = of(object)};
    PyObject *text = NULL;
    (void)ignored;
    if (py_run(resolve_work, &r, Py_None, Py_None) == 0) text = py_text(r.text);
    hr_free(r.text);
    return text;
}

/* suggest(share, progress, notice) */
static PyObject *job_suggest(PyObject *object, PyObject *arguments) {
    PyObject *progress, *notice;
    double share;
    if (!PyArg_ParseTuple(arguments, "dOO", &share, &progress, &notice)) return NULL;
    return py_suggest(of(object), share, progress, notice);
}

typedef struct {
    const hr_job *job;
    hr_check_request request;
    hr_check *check;
} checking;

static hr_status check_work(void *arguments, const hr_watch *watch, hr_error *err) {
    checking *c = arguments;
    return hr_job_check(c->job, &c->request, watch, &c->check, err);
}

/* A Table, the text of an address, or None. */
static int table_or_path(PyObject *given, const hr_table **table, const char **path) {
    if (given == Py_None) return 0;
    if (PyUnicode_Check(given)) {
        *path = PyUnicode_AsUTF8AndSize(given, NULL);
        return *path ? 0 : -1;
    }
    *table = py_table_of(given);
    return *table ? 0 : -1;
}

/* check(masked, original, trace, certificate, suppressed_as, progress, notice) */
static PyObject *job_check(PyObject *object, PyObject *arguments) {
    PyObject *masked, *original, *trace, *progress, *notice, *result = NULL;
    checking c = {.job = of(object), .request = {.size = sizeof c.request}};
    hr_check_request *request = &c.request;
    if (!PyArg_ParseTuple(arguments, "OOOzzOO", &masked, &original, &trace, &request->certificate,
                          &request->suppressed_as, &progress, &notice) ||
        table_or_path(masked, &request->masked_table, &request->masked) < 0 ||
        table_or_path(original, &request->original_table, &request->original) < 0 ||
        table_or_path(trace, &request->trace_table, &request->trace) < 0)
        return NULL;
    if (py_run(check_work, &c, progress, notice) == 0) result = py_check_result(c.check);
    hr_check_free(c.check);
    return result;
}

typedef struct {
    const hr_job *job;
    int64_t *ks, *ps;
    size_t k_count, p_count;
    hr_prices *prices;
} pricing;

static hr_status price_work(void *arguments, const hr_watch *watch, hr_error *err) {
    pricing *p = arguments;
    return hr_job_boundaries(p->job, p->ks, p->k_count, p->ps, p->p_count, watch, &p->prices, err);
}

static int price(pricing *p, PyObject *progress, PyObject *notice, PyObject **out) {
    if (py_run(price_work, p, progress, notice) < 0) return -1;
    char *text = NULL;
    hr_error err;
    *out = py_prices(p->prices);
    if (!*out) return -1;
    hr_status status = hr_prices_print(p->prices, HR_PRINT_TABLE, &text, &err);
    int result = status == HR_OK ? py_put_text(*out, "text", text) : -1;
    if (status != HR_OK) py_raise(status, &err);
    hr_free(text);
    if (result < 0) Py_CLEAR(*out);
    return result;
}

/* boundaries(ks, ps, progress, notice) */
static PyObject *job_boundaries(PyObject *object, PyObject *arguments) {
    PyObject *ks, *ps, *progress, *notice, *result = NULL;
    pricing p = {.job = of(object)};
    if (!PyArg_ParseTuple(arguments, "OOOO", &ks, &ps, &progress, &notice)) return NULL;
    if (py_numbers(ks, &p.ks, &p.k_count) == 0 && py_numbers(ps, &p.ps, &p.p_count) == 0)
        (void)price(&p, progress, notice, &result);
    hr_prices_free(p.prices);
    PyMem_Free(p.ks);
    PyMem_Free(p.ps);
    return result;
}

typedef struct {
    const hr_job *job;
    hr_compare_request request;
    hr_comparison *comparison;
} comparing;

static hr_status compare_work(void *arguments, const hr_watch *watch, hr_error *err) {
    comparing *c = arguments;
    return hr_job_compare(c->job, &c->request, watch, &c->comparison, err);
}

/* The runs, and the page with curves. */
static PyObject *compared(const hr_comparison *comparison) {
    char *page = NULL;
    hr_error err;
    hr_status status = hr_comparison_page(comparison, &page, &err);
    if (status != HR_OK) return py_raise(status, &err);
    PyObject *result = Py_BuildValue("NN", py_comparison(comparison), py_text(page));
    hr_free(page);
    return result;
}

/* compare(algorithms, ks, ps, output, resume, progress, notice) */
static PyObject *job_compare(PyObject *object, PyObject *arguments) {
    PyObject *names, *ks, *ps, *progress, *notice, *result = NULL;
    comparing c = {.job = of(object), .request = {.size = sizeof c.request}};
    hr_compare_request *request = &c.request;
    const char **algorithms = NULL;
    int64_t *k_list = NULL, *p_list = NULL;
    if (!PyArg_ParseTuple(arguments, "OOOzzOO", &names, &ks, &ps, &request->output,
                          &request->resume, &progress, &notice))
        return NULL;
    if (py_texts(names, &algorithms, &request->algorithm_count) == 0 &&
        py_numbers(ks, &k_list, &request->k_count) == 0 &&
        py_numbers(ps, &p_list, &request->p_count) == 0) {
        request->algorithms = algorithms;
        request->ks = k_list;
        request->ps = p_list;
        if (py_run(compare_work, &c, progress, notice) == 0) result = compared(c.comparison);
        hr_comparison_free(c.comparison);
    }
    PyMem_Free(algorithms);
    PyMem_Free(k_list);
    PyMem_Free(p_list);
    return result;
}

/* ---- The type ---- */

static PyMethodDef methods[] = {
    {"set", job_set, METH_VARARGS, NULL},
    {"get", job_get, METH_VARARGS, NULL},
    {"set_input", job_set_input, METH_O, NULL},
    {"set_counts", job_set_counts, METH_O, NULL},
    {"set_hierarchy", job_set_hierarchy, METH_VARARGS, NULL},
    {"columns", job_columns, METH_NOARGS, NULL},
    {"text_columns", job_text_columns, METH_NOARGS, NULL},
    {"reads", job_reads, METH_O, NULL},
    {"run", job_run, METH_VARARGS, NULL},
    {"plan", job_plan, METH_VARARGS, NULL},
    {"resolve", job_resolve, METH_NOARGS, NULL},
    {"suggest", job_suggest, METH_VARARGS, NULL},
    {"check", job_check, METH_VARARGS, NULL},
    {"boundaries", job_boundaries, METH_VARARGS, NULL},
    {"compare", job_compare, METH_VARARGS, NULL},
    {0},
};

static PyType_Slot slots[] = {{Py_tp_dealloc, job_free}, {Py_tp_methods, methods}, {0, NULL}};

static PyType_Spec spec = {.name = "hedgerow._hedgerow.Job",
                           .basicsize = sizeof(py_job),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slots};

int py_job_init(PyObject *module) {
    job_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!job_type) return -1;
    return PyModule_AddObjectRef(module, "Job", (PyObject *)job_type);
}
