/* hierarchy.c - Hierarchy: a value tree, from a file, a table or a builder. */
#include "binding.h"

typedef struct {
    PyObject_HEAD hr_hierarchy *tree;
} py_hierarchy;

PyTypeObject *py_hierarchy_type;

static PyObject *own(hr_hierarchy *tree) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(py_hierarchy_type, Py_tp_alloc);
    py_hierarchy *self = (py_hierarchy *)allocate(py_hierarchy_type, 0);
    if (!self) {
        hr_hierarchy_free(tree);
        return NULL;
    }
    self->tree = tree;
    return (PyObject *)self;
}

static void hierarchy_free(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    hr_hierarchy_free(((py_hierarchy *)object)->tree);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

const hr_hierarchy *py_hierarchy_of(PyObject *object) {
    if (PyObject_TypeCheck(object, py_hierarchy_type)) return ((py_hierarchy *)object)->tree;
    PyErr_SetString(PyExc_TypeError, "a hedgerow.Hierarchy is needed");
    return NULL;
}

/* ---- Making one ---- */

static PyObject *no_column(const char *column) {
    hr_error err;
    return py_raise(hr_fail(&err, HR_EINVAL, "the table has no column '%s'", column), &err);
}

typedef struct {
    const char *name; /* or path */
    const hr_table *table;
    hr_hierarchy_make_request request;
    hr_hierarchy *tree;
} making;

/* The tree that `work` makes, without the GIL. */
static PyObject *make(py_work work, making *m) {
    if (py_run(work, m, Py_None, Py_None) == 0) return own(m->tree);
    hr_hierarchy_free(m->tree);
    return NULL;
}

static hr_status read_work(void *arguments, const hr_watch *watch, hr_error *err) {
    making *m = arguments;
    (void)watch;
    return hr_hierarchy_read(m->name, &m->tree, err);
}

PyObject *py_hierarchy_read(PyObject *module, PyObject *arguments) {
    making m = {0};
    (void)module;
    return PyArg_ParseTuple(arguments, "s", &m.name) ? make(read_work, &m) : NULL;
}

static hr_status table_work(void *arguments, const hr_watch *watch, hr_error *err) {
    making *m = arguments;
    (void)watch;
    return hr_hierarchy_from_table(m->name, m->table, &m->tree, err);
}

/* hierarchy_from_table(name, table): a row per leaf, a column per level. */
PyObject *py_hierarchy_from_table(PyObject *module, PyObject *arguments) {
    PyObject *object;
    making m = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sO", &m.name, &object)) return NULL;
    m.table = py_table_of(object);
    return m.table ? make(table_work, &m) : NULL;
}

/* hierarchy_from_labels(name, labels, levels): the paths of all leaves, one after the other. */
PyObject *py_hierarchy_from_labels(PyObject *module, PyObject *arguments) {
    const char *name;
    const char **labels;
    PyObject *texts;
    Py_ssize_t levels;
    size_t count;
    hr_hierarchy *tree;
    hr_error err;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sOn", &name, &texts, &levels)) return NULL;
    if (py_texts(texts, &labels, &count) < 0) return NULL;
    hr_status status =
        hr_hierarchy_from_labels(name, labels, count / (size_t)levels, (size_t)levels, &tree, &err);
    PyMem_Free(labels);
    return status == HR_OK ? own(tree) : py_raise(status, &err);
}

static hr_status build_work(void *arguments, const hr_watch *watch, hr_error *err) {
    making *m = arguments;
    (void)watch;
    return hr_hierarchy_make(&m->request, &m->tree, err);
}

/* hierarchy_make(spec, table, column, missing or None, group_missing, folder or None) */
PyObject *py_hierarchy_make(PyObject *module, PyObject *arguments) {
    PyObject *object, *missing;
    const char *column;
    const char **texts;
    int group;
    making m = {.request = {.size = sizeof m.request}};
    hr_hierarchy_make_request *request = &m.request;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sOsOpz", &request->spec, &object, &column, &missing, &group,
                          &request->folder))
        return NULL;
    request->table = py_table_of(object);
    if (!request->table) return NULL;
    request->column = hr_table_column(request->table, column);
    if (request->column == SIZE_MAX) return no_column(column);
    if (py_texts(missing, &texts, &request->missing_count) < 0) return NULL;
    request->missing = texts;
    request->group_missing = group;
    PyObject *tree = make(build_work, &m);
    PyMem_Free(texts);
    return tree;
}

/* ---- Showing it ---- */

static PyObject *node(const hr_hierarchy *tree, const hr_shown_node *shown) {
    PyObject *d = PyDict_New();
    if (d && !py_put_text(d, "label", hr_hierarchy_label(tree, shown->node)) &&
        !py_put_count(d, "depth", shown->depth) && !py_put_count(d, "height", shown->height) &&
        !py_put_count(d, "leaves", shown->leaves) && !py_put_count(d, "rows", shown->rows) &&
        !py_put_bool(d, "boundary", shown->boundary))
        return d;
    Py_XDECREF(d);
    return NULL;
}

static PyObject *nodes_of(const hr_hierarchy *tree, const hr_hierarchy_view *view) {
    PyObject *nodes = PyList_New(0);
    const hr_shown_node *shown;
    for (size_t i = 0; nodes && (shown = hr_hierarchy_view_at(view, i)); i++) {
        if (py_append(nodes, node(tree, shown))) Py_CLEAR(nodes);
    }
    return nodes;
}

/* show(boundary or None, table or None, column or None, depth or -1): the drawing and its nodes. */
static PyObject *hierarchy_show(PyObject *object, PyObject *arguments) {
    const hr_hierarchy *tree = ((py_hierarchy *)object)->tree;
    hr_hierarchy_show_request request = {.size = sizeof request};
    PyObject *data, *result = NULL;
    const char *column;
    int depth;
    char *text = NULL;
    hr_hierarchy_view *view;
    hr_error err;
    if (!PyArg_ParseTuple(arguments, "zOzi", &request.boundary, &data, &column, &depth))
        return NULL;
    if (data != Py_None) {
        request.data = py_table_of(data);
        if (!request.data) return NULL;
        request.column = column ? hr_table_column(request.data, column) : 0;
        if (request.column == SIZE_MAX) return no_column(column);
    }
    request.depth_given = depth >= 0;
    request.depth = depth >= 0 ? (uint32_t)depth : 0;
    hr_status status = hr_hierarchy_show(tree, &request, &view, &err);
    if (status != HR_OK) return py_raise(status, &err);
    status = hr_hierarchy_view_print(view, HR_PRINT_TABLE, &text, &err);
    if (status == HR_OK) {
        PyObject *nodes = nodes_of(tree, view), *drawing = py_text(text);
        if (nodes && drawing) result = PyTuple_Pack(2, drawing, nodes);
        Py_XDECREF(nodes);
        Py_XDECREF(drawing);
    } else
        py_raise(status, &err);
    hr_free(text);
    hr_hierarchy_view_free(view);
    return result;
}

static PyObject *hierarchy_write(PyObject *object, PyObject *arguments) {
    const char *path;
    hr_error err;
    if (!PyArg_ParseTuple(arguments, "s", &path)) return NULL;
    hr_status status = hr_hierarchy_write(((py_hierarchy *)object)->tree, path, &err);
    return status == HR_OK ? Py_NewRef(Py_None) : py_raise(status, &err);
}

/* The path of every leaf to the root. */
static PyObject *hierarchy_rows(PyObject *object, PyObject *ignored) {
    const hr_hierarchy *tree = ((py_hierarchy *)object)->tree;
    uint32_t levels = hr_hierarchy_level_count(tree);
    PyObject *rows = PyList_New(0);
    (void)ignored;
    for (uint32_t leaf = 0; rows && leaf < hr_hierarchy_leaf_count(tree); leaf++) {
        PyObject *row = PyList_New(0);
        for (uint32_t level = 0; row && level < levels; level++) {
            uint32_t at = hr_hierarchy_node_at(tree, leaf, level);
            if (py_append(row, py_text(hr_hierarchy_label(tree, at)))) Py_CLEAR(row);
        }
        if (py_append(rows, row)) Py_CLEAR(rows);
    }
    return rows;
}

static PyObject *get_levels(PyObject *object, void *closure) {
    const hr_hierarchy *tree = ((py_hierarchy *)object)->tree;
    PyObject *names = PyList_New(0);
    (void)closure;
    for (uint32_t level = 0; names && level < hr_hierarchy_level_count(tree); level++) {
        if (py_append(names, py_text(hr_hierarchy_level_name(tree, level)))) Py_CLEAR(names);
    }
    return names;
}

static PyObject *get_leaves(PyObject *object, void *closure) {
    (void)closure;
    return PyLong_FromUnsignedLong(hr_hierarchy_leaf_count(((py_hierarchy *)object)->tree));
}

static PyMethodDef methods[] = {
    {"_show", hierarchy_show, METH_VARARGS, NULL},
    {"write", hierarchy_write, METH_VARARGS,
     "write(path)\n\nWrite a hierarchy file: leaf;level1;...;root, without a header."},
    {"rows", hierarchy_rows, METH_NOARGS, "rows()\n\nThe path of every leaf to the root."},
    {0},
};

static PyGetSetDef properties[] = {
    {"levels", get_levels, NULL, "Names of the levels, leaves first; None where there is none.",
     NULL},
    {"leaves", get_leaves, NULL, "Number of leaf values.", NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, hierarchy_free},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, NULL},
};

static PyType_Spec spec = {.name = "hedgerow._hedgerow.Hierarchy",
                           .basicsize = sizeof(py_hierarchy),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slots};

int py_hierarchy_init(PyObject *module) {
    py_hierarchy_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!py_hierarchy_type) return -1;
    return PyModule_AddObjectRef(module, "Hierarchy", (PyObject *)py_hierarchy_type);
}
