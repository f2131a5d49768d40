/* table.c - Table: a table of the library. It exchanges columns with other Python libraries through
 * Arrow streams in PyCapsules. */
#include "binding.h"

#include "hedgerow_arrow.h"

#include <stdlib.h>
#include <string.h>

PyTypeObject *py_table_type;

static const char capsule_name[] = "arrow_array_stream";

/* ---- Objects ---- */

static PyObject *make(hr_table *owned, const hr_table *table, PyObject *owner) {
    allocfunc allocate = (allocfunc)PyType_GetSlot(py_table_type, Py_tp_alloc);
    py_table *self = (py_table *)allocate(py_table_type, 0);
    if (!self) {
        hr_table_free(owned);
        return NULL;
    }
    self->owned = owned;
    self->table = table;
    self->owner = owner ? Py_NewRef(owner) : NULL;
    return (PyObject *)self;
}

PyObject *py_table_own(hr_table *table) {
    return make(table, table, NULL);
}

PyObject *py_table_borrow(const hr_table *table, PyObject *owner) {
    return make(NULL, table, owner);
}

const hr_table *py_table_of(PyObject *object) {
    if (PyObject_TypeCheck(object, py_table_type)) return ((py_table *)object)->table;
    PyErr_SetString(PyExc_TypeError, "a hedgerow.Table is needed");
    return NULL;
}

static void table_free(PyObject *object) {
    py_table *self = (py_table *)object;
    PyTypeObject *type = Py_TYPE(object);
    hr_table_free(self->owned);
    Py_XDECREF(self->owner);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

/* ---- Columns and rows ---- */

static PyObject *get_names(PyObject *object, void *closure) {
    const hr_table *table = ((py_table *)object)->table;
    size_t count = hr_table_columns(table);
    PyObject *names = PyList_New((Py_ssize_t)count);
    (void)closure;
    for (size_t i = 0; names && i < count; i++) {
        PyObject *name = py_text(hr_table_name(table, i));
        if (!name || PyList_SetItem(names, (Py_ssize_t)i, name) < 0) {
            Py_DECREF(names);
            return NULL;
        }
    }
    return names;
}

static PyObject *get_rows(PyObject *object, void *closure) {
    (void)closure;
    return PyLong_FromSize_t(hr_table_rows(((py_table *)object)->table));
}

static Py_ssize_t table_length(PyObject *object) {
    return (Py_ssize_t)hr_table_rows(((py_table *)object)->table);
}

static PyObject *table_text(PyObject *object) {
    const hr_table *table = ((py_table *)object)->table;
    return PyUnicode_FromFormat("<hedgerow.Table: %zu rows, %zu columns>", hr_table_rows(table),
                                hr_table_columns(table));
}

/* ---- Texts ---- */

typedef struct {
    hr_column_data *columns;
    uint32_t *codes; /* of all columns */
    const char **texts;
} text_columns;

/* Describes a column by its texts, without its type. */
static void describe(const hr_table *table, size_t c, uint32_t *codes, const char **texts,
                     hr_column_data *out) {
    uint32_t count = hr_table_code_count(table, c);
    size_t rows = hr_table_rows(table);
    for (uint32_t code = 0; code < count; code++)
        texts[code] = hr_table_code_text(table, c, code, NULL);
    for (size_t row = 0; row < rows; row++)
        codes[row] = hr_table_code(table, row, c);
    *out = (hr_column_data){.size = sizeof *out,
                            .name = hr_table_name(table, c),
                            .texts = texts,
                            .text_count = count,
                            .codes = codes,
                            .code_count = rows};
}

/* texts(): a copy of the table whose columns are all text. */
static PyObject *table_texts(PyObject *object, PyObject *ignored) {
    const hr_table *table = ((py_table *)object)->table;
    size_t columns = hr_table_columns(table), rows = hr_table_rows(table), texts = 0;
    hr_table *out = NULL;
    hr_error err;
    (void)ignored;
    for (size_t c = 0; c < columns; c++)
        texts += hr_table_code_count(table, c);
    text_columns t = {.columns = calloc(columns + 1, sizeof *t.columns),
                      .codes = calloc(columns * rows + 1, sizeof *t.codes),
                      .texts = calloc(texts + 1, sizeof *t.texts)};
    hr_status status = HR_ENOMEM;
    if (t.columns && t.codes && t.texts) {
        texts = 0;
        for (size_t c = 0; c < columns; c++) {
            describe(table, c, t.codes + c * rows, t.texts + texts, &t.columns[c]);
            texts += t.columns[c].text_count;
        }
        status = hr_table_from_columns(t.columns, columns, &out, &err);
    }
    free(t.columns);
    free(t.codes);
    free(t.texts);
    return status == HR_OK ? py_table_own(out) : py_raise(status, &err);
}

/* ---- Reading and writing ---- */

typedef struct {
    const char *path;
    const char **columns; /* those wanted; NULL: all */
    size_t count;
    hr_table *table;
} reading;

static hr_status read_work(void *arguments, const hr_watch *watch, hr_error *err) {
    reading *r = arguments;
    (void)watch;
    return r->columns ? hr_table_read_columns(r->path, r->columns, r->count, &r->table, err)
                      : hr_table_read(r->path, &r->table, err);
}

/* table_read(path, columns or None) */
PyObject *py_table_read(PyObject *module, PyObject *arguments) {
    reading r = {0};
    PyObject *columns, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "sO", &r.path, &columns)) return NULL;
    if (py_texts(columns, &r.columns, &r.count) < 0) return NULL;
    if (py_run(read_work, &r, Py_None, Py_None) == 0)
        result = py_table_own(r.table);
    else
        hr_table_free(r.table);
    PyMem_Free(r.columns);
    return result;
}

typedef struct {
    const hr_table *table;
    const char *path;
} writing;

static hr_status write_work(void *arguments, const hr_watch *watch, hr_error *err) {
    writing *w = arguments;
    (void)watch;
    return hr_table_write(w->table, w->path, err);
}

static PyObject *table_write(PyObject *object, PyObject *path) {
    writing w = {.table = ((py_table *)object)->table};
    PyObject *text = PyOS_FSPath(path), *result = NULL;
    if (text && PyArg_Parse(text, "s", &w.path) && py_run(write_work, &w, Py_None, Py_None) == 0)
        result = Py_NewRef(Py_None);
    Py_XDECREF(text);
    return result;
}

/* ---- Arrow streams that go out ---- */

static void free_capsule(PyObject *capsule) {
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, capsule_name);
    if (!stream) return;
    if (stream->release) stream->release(stream);
    free(stream);
}

static PyObject *table_stream(PyObject *object, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"requested_schema", NULL};
    PyObject *requested = Py_None; /* the schema that the consumer prefers; it may be ignored */
    hr_error err;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O", names, &requested)) return NULL;
    struct ArrowArrayStream *stream = calloc(1, sizeof *stream);
    if (!stream) return PyErr_NoMemory();
    hr_status status = hr_table_to_arrow(((py_table *)object)->table, stream, &err);
    PyObject *capsule = status == HR_OK ? PyCapsule_New(stream, capsule_name, free_capsule)
                                        : py_raise(status, &err);
    if (!capsule) {
        if (stream->release) stream->release(stream);
        free(stream);
    }
    return capsule;
}

/* ---- Arrow streams that come in ---- */

/* The library reads a stream in a thread without the GIL, and the release functions of some
 * producers destroy Python objects. So every release goes through one that holds the GIL: it is put
 * in place of the producer's, with the producer's data beside it. */
#define GUARD(name, type)                                                                          \
    typedef struct {                                                                               \
        void (*release)(struct type *);                                                            \
        void *private_data;                                                                        \
    } name##_guard;                                                                                \
    static void name##_release(struct type *guarded) {                                             \
        name##_guard *guard = guarded->private_data;                                               \
        PyGILState_STATE state = PyGILState_Ensure();                                              \
        guarded->private_data = guard->private_data;                                               \
        guarded->release = guard->release;                                                         \
        guard->release(guarded);                                                                   \
        PyGILState_Release(state);                                                                 \
        guarded->release = NULL;                                                                   \
        free(guard);                                                                               \
    }                                                                                              \
    static bool name##_protect(struct type *given) {                                               \
        if (!given->release) return true; /* the end of a stream */                                \
        name##_guard *guard = malloc(sizeof *guard);                                               \
        if (!guard) return false;                                                                  \
        *guard = (name##_guard){given->release, given->private_data};                              \
        given->release = name##_release;                                                           \
        given->private_data = guard;                                                               \
        return true;                                                                               \
    }

GUARD(schema, ArrowSchema)
GUARD(array, ArrowArray)

/* A stream whose schema and arrays are guarded; private_data is the producer's stream. */
static int next_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
    struct ArrowArrayStream *inner = stream->private_data;
    int code = inner->get_schema(inner, out);
    if (code != 0 || schema_protect(out)) return code;
    out->release(out);
    return 12; /* ENOMEM */
}

static int next_array(struct ArrowArrayStream *stream, struct ArrowArray *out) {
    struct ArrowArrayStream *inner = stream->private_data;
    int code = inner->get_next(inner, out);
    if (code != 0 || array_protect(out)) return code;
    out->release(out);
    return 12;
}

static const char *last_error(struct ArrowArrayStream *stream) {
    struct ArrowArrayStream *inner = stream->private_data;
    return inner->get_last_error(inner);
}

static void release_stream(struct ArrowArrayStream *stream) {
    struct ArrowArrayStream *inner = stream->private_data;
    PyGILState_STATE state = PyGILState_Ensure();
    if (inner->release) inner->release(inner);
    PyGILState_Release(state);
    free(inner);
    stream->release = NULL;
}

/* Moves the stream out of the capsule. */
static int take_stream(PyObject *capsule, struct ArrowArrayStream *out) {
    struct ArrowArrayStream *given = PyCapsule_GetPointer(capsule, capsule_name);
    if (!given) return -1;
    if (!given->release) {
        PyErr_SetString(PyExc_ValueError, "the Arrow stream has been read already");
        return -1;
    }
    struct ArrowArrayStream *inner = malloc(sizeof *inner);
    if (!inner) {
        PyErr_NoMemory();
        return -1;
    }
    *inner = *given;
    given->release = NULL;
    *out = (struct ArrowArrayStream){next_schema, next_array, last_error, release_stream, inner};
    return 0;
}

typedef struct {
    struct ArrowArrayStream stream;
    const char **columns;
    size_t count;
    hr_table *table;
} receiving;

static hr_status receive_work(void *arguments, const hr_watch *watch, hr_error *err) {
    receiving *r = arguments;
    return hr_table_from_arrow(&r->stream, r->columns, r->count, watch, &r->table, err);
}

/* table_from_arrow(capsule, columns or None, progress) */
PyObject *py_table_from_arrow(PyObject *module, PyObject *arguments) {
    PyObject *capsule, *columns, *progress, *result = NULL;
    receiving r = {0};
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OOO", &capsule, &columns, &progress)) return NULL;
    if (py_texts(columns, &r.columns, &r.count) < 0) return NULL;
    if (take_stream(capsule, &r.stream) == 0) {
        int status = py_run(receive_work, &r, progress, Py_None);
        if (status == 0)
            result = py_table_own(r.table);
        else
            hr_table_free(r.table);
    }
    PyMem_Free(r.columns);
    return result;
}

/* ---- The type ---- */

static PyMethodDef methods[] = {
    {"write", table_write, METH_O,
     "write(path)\n\nWrite the table to a CSV file, or to a table of a database."},
    {"texts", table_texts, METH_NOARGS, "A copy of the table whose columns are all text."},
    {"__arrow_c_stream__", (PyCFunction)(void (*)(void))table_stream, METH_VARARGS | METH_KEYWORDS,
     "The table as an Arrow stream, for any library that reads one."},
    {0},
};

static PyGetSetDef properties[] = {
    {"column_names", get_names, NULL, "Names of the columns.", NULL},
    {"num_rows", get_rows, NULL, "Number of rows.", NULL},
    {0},
};

static PyType_Slot slots[] = {
    {Py_tp_dealloc, table_free},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_sq_length, table_length},
    {Py_tp_repr, table_text},
    {Py_tp_doc, "A table in memory. pyarrow.table(t), polars.DataFrame(t) and everything else that "
                "reads Arrow streams take it."},
    {0, NULL},
};

static PyType_Spec spec = {.name = "hedgerow.Table",
                           .basicsize = sizeof(py_table),
                           .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                           .slots = slots};

int py_table_init(PyObject *module) {
    py_table_type = (PyTypeObject *)PyType_FromSpec(&spec);
    if (!py_table_type) return -1;
    return PyModule_AddObjectRef(module, "Table", (PyObject *)py_table_type);
}
