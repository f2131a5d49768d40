/* module.c - the module hedgerow._hedgerow: exceptions, and functions that make objects. The
 * package hedgerow is what people use; this module is private to it. */
#include "binding.h"

static PyObject *base_error, *input_error, *infeasible_error, *io_error, *cancelled;

PyObject *py_raise(hr_status status, const hr_error *err) {
    PyObject *type = base_error;
    switch (status) {
    case HR_ENOMEM: return PyErr_NoMemory();
    case HR_EINVAL:
    case HR_EDATA: type = input_error; break;
    case HR_EIO: type = io_error; break;
    case HR_ENOSOL: type = infeasible_error; break;
    case HR_ECANCEL: type = cancelled; break;
    default: break;
    }
    PyObject *message = py_text(err->message); /* it may end within a character */
    if (message) PyErr_SetObject(type, message);
    Py_XDECREF(message);
    return NULL;
}

/* ---- generate ---- */

typedef struct {
    const hr_generator *generator;
    hr_generate_request request;
    hr_generated *made;
} generating;

static hr_status generate_work(void *arguments, const hr_watch *watch, hr_error *err) {
    generating *g = arguments;
    return hr_generate(g->generator, &g->request, watch, &g->made, err);
}

/* generate(kind, folder, rows, seed, replace, visits, language, progress): the table and its jobs.
 * language None: English. */
static PyObject *generate(PyObject *module, PyObject *arguments) {
    const char *kind, *job;
    long long rows, seed;
    int replace, visits;
    PyObject *progress, *jobs = NULL, *result = NULL;
    generating g = {.request = {.size = sizeof g.request}};
    hr_error err;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "ssLLppzO", &kind, &g.request.folder, &rows, &seed, &replace,
                          &visits, &g.request.language, &progress))
        return NULL;
    g.request.replace = replace;
    g.request.visits = visits;
    g.request.rows = (uint64_t)rows;
    g.request.seed = (uint64_t)seed;
    hr_status status = rows < 0 || seed < 0
                           ? hr_fail(&err, HR_EINVAL, "rows and seed cannot be negative")
                           : hr_generator_find(kind, &g.generator, &err);
    if (status != HR_OK) return py_raise(status, &err);
    if (py_run(generate_work, &g, progress, Py_None) == 0) {
        jobs = PyList_New(0);
        for (size_t i = 0; jobs && (job = hr_generated_job(g.made, i)); i++)
            if (py_append(jobs, py_text(job))) Py_CLEAR(jobs);
        if (jobs) result = Py_BuildValue("NN", py_text(hr_generated_table(g.made)), jobs);
    }
    hr_generated_free(g.made);
    return result;
}

/* ---- The module ---- */

static PyMethodDef functions[] = {
    {"table_read", py_table_read, METH_VARARGS, NULL},
    {"table_from_arrow", py_table_from_arrow, METH_VARARGS, NULL},
    {"hierarchy_read", py_hierarchy_read, METH_VARARGS, NULL},
    {"hierarchy_from_table", py_hierarchy_from_table, METH_VARARGS, NULL},
    {"hierarchy_from_labels", py_hierarchy_from_labels, METH_VARARGS, NULL},
    {"hierarchy_make", py_hierarchy_make, METH_VARARGS, NULL},
    {"job_read", py_job_read, METH_VARARGS, NULL},
    {"job_parse", py_job_parse, METH_VARARGS, NULL},
    {"plan_import", py_plan_import, METH_VARARGS, NULL},
    {"draft", py_draft, METH_VARARGS, NULL},
    {"list", py_list, METH_VARARGS, NULL},
    {"keys", py_keys, METH_NOARGS, NULL},
    {"generate", generate, METH_VARARGS, NULL},
    {0},
};

static struct PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "_hedgerow",
    .m_doc = "Private to the package hedgerow.",
    .m_size = -1, /* one interpreter: exceptions and types are global */
    .m_methods = functions,
};

/* An exception of the package: base_error itself, or one below it and, if given, below `other`. */
static PyObject *make_error(PyObject *module, const char *name, const char *doc, PyObject *other) {
    char full[64];
    PyOS_snprintf(full, sizeof full, "hedgerow.%s", name);
    PyObject *bases = !base_error ? PyTuple_Pack(1, PyExc_Exception)
                      : other     ? PyTuple_Pack(2, base_error, other)
                                  : PyTuple_Pack(1, base_error);
    PyObject *error = bases ? PyErr_NewExceptionWithDoc(full, doc, bases, NULL) : NULL;
    Py_XDECREF(bases);
    if (error && PyModule_AddObjectRef(module, name, error) < 0) Py_CLEAR(error);
    return error;
}

static int make_errors(PyObject *module) {
    base_error = make_error(module, "Error", "What goes wrong in hedgerow.", NULL);
    if (!base_error) return -1;
    input_error = make_error(module, "InputError", "A job, table or hierarchy that cannot be used.",
                             PyExc_ValueError);
    infeasible_error =
        make_error(module, "InfeasibleError", "No release satisfies the models of the job.", NULL);
    io_error = make_error(module, "InputOutputError", "Reading or writing failed.", PyExc_OSError);
    cancelled = make_error(module, "Cancelled", "The run was cancelled.", NULL);
    return input_error && infeasible_error && io_error && cancelled ? 0 : -1;
}

PyMODINIT_FUNC PyInit__hedgerow(void) {
    PyObject *module = PyModule_Create(&definition);
    if (!module) return NULL;
    if (make_errors(module) == 0 && py_table_init(module) == 0 && py_hierarchy_init(module) == 0 &&
        py_release_init(module) == 0 && py_job_init(module) == 0 && py_plan_init(module) == 0 &&
        PyModule_AddStringConstant(module, "version", hr_version()) == 0)
        return module;
    Py_DECREF(module);
    return NULL;
}
