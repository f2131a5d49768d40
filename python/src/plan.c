/* plan.c - Plan: runs MAM cells of a table whose rows are spread over several processes. Keys and
 * counts are passed as the bytes of 64-bit unsigned integers. */
#include "binding.h"

#include <string.h>

typedef struct {
    PyObject_HEAD hr_plan *plan;
} py_plan;

static PyTypeObject *plan_type;

PyObject *py_plan_own(hr_plan *plan) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(plan_type, Py_tp_alloc);
    py_plan *self = (py_plan *)allocate(plan_type, 0);
    if (!self) {
        hr_plan_free(plan);
        return NULL;
    }
    self->plan = plan;
    return (PyObject *)self;
}

static void plan_free(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    hr_plan_free(((py_plan *)object)->plan);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

static hr_plan *of(PyObject *object) {
    return ((py_plan *)object)->plan;
}

/* plan_import(bytes) */
PyObject *py_plan_import(PyObject *module, PyObject *arguments) {
    const char *bytes;
    Py_ssize_t length;
    hr_plan *plan;
    hr_error err;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "y#", &bytes, &length)) return NULL;
    hr_status status = hr_plan_import(bytes, (size_t)length, &plan, &err);
    return status == HR_OK ? py_plan_own(plan) : py_raise(status, &err);
}

static PyObject *get_bytes(PyObject *object, void *closure) {
    size_t length;
    (void)closure;
    const void *bytes = hr_plan_bytes(of(object), &length);
    return PyBytes_FromStringAndSize(bytes, (Py_ssize_t)length);
}

/* Room for `count` numbers of 64 bits. */
static PyObject *numbers(size_t count, uint64_t **out) {
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(count * sizeof **out));
    if (bytes) *out = (uint64_t *)(void *)PyBytes_AsString(bytes);
    return bytes;
}

static size_t cell_count(const hr_plan *plan) {
    size_t count = 0;
    while (hr_plan_cell_at(plan, count))
        count++;
    return count;
}

/* cells(): keys, rows, rows released (all bits set: not known yet); 0 released: suppressed. */
static PyObject *plan_cells(PyObject *object, PyObject *ignored) {
    const hr_plan *plan = of(object);
    size_t count = cell_count(plan);
    uint64_t *key, *rows, *released;
    (void)ignored;
    PyObject *keys = numbers(count, &key), *all = numbers(count, &rows);
    PyObject *left = numbers(count, &released);
    for (size_t i = 0; keys && all && left && i < count; i++) {
        const hr_plan_cell *cell = hr_plan_cell_at(plan, i);
        key[i] = cell->key;
        rows[i] = cell->rows;
        released[i] = cell->suppressed ? 0 : cell->released;
    }
    PyObject *result = keys && all && left ? PyTuple_Pack(3, keys, all, left) : NULL;
    Py_XDECREF(keys);
    Py_XDECREF(all);
    Py_XDECREF(left);
    return result;
}

/* parts(): keys and rows of the parts of cells that were cut, as cells() gives them. */
static PyObject *plan_parts(PyObject *object, PyObject *ignored) {
    const hr_plan *plan = of(object);
    uint64_t *key, *rows;
    size_t count = 0;
    (void)ignored;
    while (hr_plan_part_at(plan, count))
        count++;
    PyObject *keys = numbers(count, &key), *all = numbers(count, &rows);
    for (size_t i = 0; keys && all && i < count; i++) {
        key[i] = hr_plan_part_at(plan, i)->key;
        rows[i] = hr_plan_part_at(plan, i)->rows;
    }
    PyObject *result = keys && all ? PyTuple_Pack(2, keys, all) : NULL;
    Py_XDECREF(keys);
    Py_XDECREF(all);
    return result;
}

/* ---- cutting ---- */

typedef struct {
    hr_plan *plan;
    uint64_t key, most;
    const hr_table *table;
    const uint32_t *counts;
    size_t parts;
} cutting;

static hr_status cut_work(void *arguments, const hr_watch *watch, hr_error *err) {
    cutting *c = arguments;
    (void)watch;
    return hr_plan_cut(c->plan, c->key, c->table, c->counts, c->most, &c->parts, err);
}

/* cut(key, table, counts, most): the number of parts; counts as in Job.set_counts(). */
static PyObject *plan_cut(PyObject *object, PyObject *arguments) {
    cutting c = {.plan = of(object)};
    unsigned long long key, most;
    PyObject *table;
    const char *counts;
    Py_ssize_t length;
    if (!PyArg_ParseTuple(arguments, "KOy#K", &key, &table, &counts, &length, &most)) return NULL;
    c.table = py_table_of(table);
    if (!c.table) return NULL;
    if ((size_t)length != hr_table_rows(c.table) * sizeof *c.counts) {
        PyErr_SetString(PyExc_ValueError, "a count is needed for each row of the table");
        return NULL;
    }
    c.key = key;
    c.most = most;
    c.counts = (const uint32_t *)(const void *)counts;
    if (py_run(cut_work, &c, Py_None, Py_None) < 0) return NULL;
    return PyLong_FromSize_t(c.parts);
}

typedef struct {
    const hr_plan *plan;
    const hr_table *table;
    uint32_t bins;
    hr_table *coarse;
} coarsening;

static hr_status coarsen_work(void *arguments, const hr_watch *watch, hr_error *err) {
    coarsening *c = arguments;
    (void)watch;
    return hr_plan_coarsen(c->plan, c->table, c->bins, &c->coarse, err);
}

/* coarsen(table, bins) */
static PyObject *plan_coarsen(PyObject *object, PyObject *arguments) {
    coarsening c = {.plan = of(object)};
    PyObject *table;
    unsigned bins;
    if (!PyArg_ParseTuple(arguments, "OI", &table, &bins)) return NULL;
    c.table = py_table_of(table);
    c.bins = bins;
    if (!c.table || py_run(coarsen_work, &c, Py_None, Py_None) < 0) return NULL;
    return py_table_own(c.coarse);
}

/* ---- keys ---- */

typedef struct {
    const hr_plan *plan;
    const hr_table *table;
    uint64_t *keys;
} keying;

static hr_status key_work(void *arguments, const hr_watch *watch, hr_error *err) {
    keying *k = arguments;
    (void)watch;
    return hr_plan_keys(k->plan, k->table, k->keys, err);
}

static PyObject *plan_keys(PyObject *object, PyObject *table) {
    keying k = {.plan = of(object), .table = py_table_of(table)};
    if (!k.table) return NULL;
    PyObject *bytes = numbers(hr_table_rows(k.table), &k.keys);
    if (bytes && py_run(key_work, &k, Py_None, Py_None) < 0) Py_CLEAR(bytes);
    return bytes;
}

/* ---- running ---- */

typedef struct {
    const hr_plan *plan;
    const hr_table *table;
    hr_release *release;
} running;

static hr_status run_work(void *arguments, const hr_watch *watch, hr_error *err) {
    running *r = arguments;
    return hr_plan_run(r->plan, r->table, watch, &r->release, err);
}

static PyObject *plan_run(PyObject *object, PyObject *table) {
    running r = {.plan = of(object), .table = py_table_of(table)};
    if (!r.table) return NULL;
    if (py_run(run_work, &r, Py_None, Py_None) == 0) return py_release_own(r.release);
    hr_release_free(r.release);
    return NULL;
}

/* ---- verifying ---- */

typedef struct {
    const hr_plan *plan;
    const hr_table *table;
    uint64_t *counts;
    hr_plan_verdict verdict;
} verifying;

static hr_status verify_work(void *arguments, const hr_watch *watch, hr_error *err) {
    verifying *v = arguments;
    return hr_plan_verify(v->plan, v->table, v->counts, watch, &v->verdict, err);
}

static PyObject *figures_of(const hr_plan_verdict *v) {
    PyObject *d = PyDict_New();
    int failed =
        !d || py_put_count(d, "rows", v->rows) || py_put_count(d, "classes", v->classes) ||
        py_put_count(d, "small_classes", v->small_classes) ||
        py_put_count(d, "poor_classes", v->poor_classes) ||
        py_put_count(d, "failing", v->failing) || py_put_count(d, "unreadable", v->unreadable) ||
        py_put_count(d, "past", v->past) || py_put_count(d, "strangers", v->strangers) ||
        py_put_count(d, "smallest", v->smallest) || py_put_count(d, "largest", v->largest) ||
        py_put_count(d, "least_values", v->least_values) || py_put_real(d, "il", v->il) ||
        py_put_real(d, "squares", v->squares);
    if (!failed) return d;
    Py_XDECREF(d);
    return NULL;
}

/* verify(table): figures, and the released rows of each cell of the plan. */
static PyObject *plan_verify(PyObject *object, PyObject *table) {
    verifying v = {
        .plan = of(object), .table = py_table_of(table), .verdict = {.size = sizeof v.verdict}};
    PyObject *result = NULL;
    if (!v.table) return NULL;
    size_t count = cell_count(v.plan);
    PyObject *counts = numbers(count, &v.counts);
    if (!counts) return NULL;
    memset(v.counts, 0, count * sizeof *v.counts);
    if (py_run(verify_work, &v, Py_None, Py_None) == 0) {
        PyObject *figures = figures_of(&v.verdict);
        if (figures) result = PyTuple_Pack(2, figures, counts);
        Py_XDECREF(figures);
    }
    Py_DECREF(counts);
    return result;
}

/* ---- the type ---- */

static PyMethodDef methods[] = {
    {"cells", plan_cells, METH_NOARGS, NULL}, {"parts", plan_parts, METH_NOARGS, NULL},
    {"cut", plan_cut, METH_VARARGS, NULL},    {"coarsen", plan_coarsen, METH_VARARGS, NULL},
    {"keys", plan_keys, METH_O, NULL},        {"run", plan_run, METH_O, NULL},
    {"verify", plan_verify, METH_O, NULL},    {0},
};

static PyGetSetDef properties[] = {
    {"exported", get_bytes, NULL, NULL, NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, plan_free},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {0, NULL},
};

static PyType_Spec spec = {.name = "hedgerow._hedgerow.Plan",
                           .basicsize = sizeof(py_plan),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slots};

int py_plan_init(PyObject *module) {
    plan_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!plan_type) return -1;
    return PyModule_AddObjectRef(module, "Plan", (PyObject *)plan_type);
}
