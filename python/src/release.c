/* release.c - a verified release: its table and figures, and what became of every input row. */
#include "binding.h"

typedef struct {
    PyObject_HEAD hr_release *release;
} py_release;

static PyTypeObject *release_type;

PyObject *py_release_own(hr_release *release) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(release_type, Py_tp_alloc);
    py_release *self = (py_release *)allocate(release_type, 0);
    if (!self) {
        hr_release_free(release);
        return NULL;
    }
    self->release = release;
    return (PyObject *)self;
}

static void release_free(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    hr_release_free(((py_release *)object)->release);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static const hr_release *of(PyObject *object) {
    return ((py_release *)object)->release;
}

static PyObject *get_table(PyObject *object, void *closure) {
    (void)closure;
    return py_table_borrow(hr_release_table(of(object)), object);
}

static PyObject *get_figures(PyObject *object, void *closure) {
    (void)closure;
    return py_figures(hr_release_figures(of(object)));
}

static PyObject *get_report(PyObject *object, void *closure) {
    (void)closure;
    return py_text(hr_release_report(of(object)));
}

static PyObject *get_summary(PyObject *object, void *closure) {
    (void)closure;
    return py_text(hr_release_summary(of(object)));
}

static PyObject *get_warnings(PyObject *object, void *closure) {
    PyObject *list = PyList_New(0);
    const char *warning;
    (void)closure;
    for (size_t i = 0; list && (warning = hr_release_warning(of(object), i)); i++) {
        if (py_append(list, py_text(warning))) Py_CLEAR(list);
    }
    return list;
}

static PyObject *get_lost(PyObject *object, void *closure) {
    (void)closure;
    return py_lost(hr_release_lost(of(object)));
}

static PyObject *get_trace(PyObject *object, void *closure) {
    hr_table *table;
    hr_error err;
    (void)closure;
    hr_status status = hr_release_trace(of(object), &table, &err);
    return status == HR_OK ? py_table_own(table) : py_raise(status, &err);
}

/* A page or a part of one that `make` writes. */
static PyObject *html(const hr_release *release,
                      hr_status (*make)(const hr_release *release, char **out, hr_error *err)) {
    char *text;
    hr_error err;
    hr_status status = make(release, &text, &err);
    if (status != HR_OK) return py_raise(status, &err);
    PyObject *out = PyUnicode_FromString(text);
    hr_free(text);
    return out;
}

static PyObject *get_page(PyObject *object, void *closure) {
    (void)closure;
    return html(of(object), hr_release_report_html);
}

static PyObject *get_public_page(PyObject *object, void *closure) {
    (void)closure;
    return html(of(object), hr_release_public_report_html);
}

static PyObject *get_part(PyObject *object, void *closure) {
    (void)closure;
    return html(of(object), hr_release_part_html);
}

static PyObject *get_attributes(PyObject *object, void *closure) {
    (void)closure;
    PyObject *list = PyList_New(0);
    hr_attribute_figures figures;
    for (size_t i = 0; list && hr_release_attribute(of(object), i, &figures); i++) {
        if (py_append(list, py_attribute_figures(&figures))) Py_CLEAR(list);
    }
    return list;
}

static PyObject *get_keys(PyObject *object, void *closure) {
    (void)closure;
    PyObject *list = PyList_New(0);
    hr_key_figures figures;
    for (size_t i = 0; list && hr_release_keys(of(object), i, &figures); i++) {
        if (py_append(list, py_key_figures(&figures))) Py_CLEAR(list);
    }
    return list;
}

/* One number per input row, as the bytes of 32-bit unsigned integers. */
static PyObject *per_row(const hr_release *release,
                         uint32_t (*value)(const hr_release *release, size_t row)) {
    size_t rows = hr_release_input_rows(release);
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(rows * sizeof(uint32_t)));
    if (!bytes) return NULL;
    uint32_t *out = (uint32_t *)(void *)PyBytes_AsString(bytes);
    for (size_t row = 0; row < rows; row++)
        out[row] = value(release, row);
    return bytes;
}

static PyObject *get_classes(PyObject *object, void *closure) {
    (void)closure;
    return per_row(of(object), hr_release_class);
}

static PyObject *get_rows(PyObject *object, void *closure) {
    (void)closure;
    return per_row(of(object), hr_release_row);
}

static PyObject *release_measure(PyObject *object, PyObject *arguments) {
    const char *name;
    double value;
    if (!PyArg_ParseTuple(arguments, "s", &name)) return NULL;
    if (!hr_release_measure(of(object), name, &value))
        return PyErr_Format(PyExc_KeyError, "there is no measure '%s'", name);
    return value == value ? PyFloat_FromDouble(value) : Py_NewRef(Py_None);
}

static PyObject *release_achieved(PyObject *object, PyObject *arguments) {
    const char *parameter;
    double asked, achieved;
    if (!PyArg_ParseTuple(arguments, "s", &parameter)) return NULL;
    if (!hr_release_achieved(of(object), parameter, &asked, &achieved))
        return PyErr_Format(PyExc_KeyError, "there is no model with a parameter '%s'", parameter);
    return achieved == achieved ? PyFloat_FromDouble(achieved) : Py_NewRef(Py_None);
}

static PyMethodDef methods[] = {
    {"measure", release_measure, METH_VARARGS, "The value of a measure, by name."},
    {"achieved", release_achieved, METH_VARARGS, "What the worst class achieves of a model."},
    {0},
};

static PyGetSetDef properties[] = {
    {"table", get_table, NULL, NULL, NULL},
    {"figures", get_figures, NULL, NULL, NULL},
    {"report", get_report, NULL, NULL, NULL},
    {"summary", get_summary, NULL, NULL, NULL},
    {"warnings", get_warnings, NULL, NULL, NULL},
    {"row_classes", get_classes, NULL, NULL, NULL},
    {"row_places", get_rows, NULL, NULL, NULL},
    {"lost", get_lost, NULL, NULL, NULL},
    {"attributes", get_attributes, NULL, NULL, NULL},
    {"keys", get_keys, NULL, NULL, NULL},
    {"trace", get_trace, NULL, NULL, NULL},
    {"page", get_page, NULL, NULL, NULL},
    {"part", get_part, NULL, NULL, NULL},
    {"public_page", get_public_page, NULL, NULL, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, release_free},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, NULL},
};

static PyType_Spec spec = {.name = "hedgerow._hedgerow.Release",
                           .basicsize = sizeof(py_release),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slots};

int py_release_init(PyObject *module) {
    release_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!release_type) return -1;
    return PyModule_AddObjectRef(module, "Release", (PyObject *)release_type);
}
