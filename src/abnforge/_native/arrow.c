/* Columns as Python objects, over buffers of any library with the layouts of Apache Arrow. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BUFFERS 100000

typedef struct {
    PyObject_HEAD
    abnf_column column;
    Py_buffer valid, places;  /* `places`: offsets or views */
    Py_buffer *data;          /* kept as long as the column */
    Py_ssize_t data_count;
    const uint8_t **begins;
    int64_t *sizes;
} ColumnObject;

static void column_dealloc(PyObject *object) {
    ColumnObject *self = (ColumnObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyBuffer_Release(&self->valid);
    PyBuffer_Release(&self->places);
    for (Py_ssize_t at = 0; at < self->data_count; at++) PyBuffer_Release(&self->data[at]);
    PyMem_Free(self->data);
    PyMem_Free(self->begins);
    PyMem_Free(self->sizes);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

const abnf_column *column_of(PyObject *object, PyTypeObject *type) {
    if (PyObject_TypeCheck(object, type)) return &((ColumnObject *)object)->column;
    PyErr_SetString(PyExc_TypeError, "column must be a Column");
    return NULL;
}

static int held(PyObject *buffer, Py_buffer *view, int64_t least, const char *what) {
    if (PyObject_GetBuffer(buffer, view, PyBUF_SIMPLE) < 0) return -1;
    if (view->len >= least) return 0;
    PyErr_Format(PyExc_ValueError, "%s of the column have %zd bytes, needs %lld", what, view->len, (long long)least);
    return -1;
}

static PyObject *column_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"layout", "first", "length", "valid", "places", "data", "octets", NULL};
    int layout, octets;
    long long first, length;
    PyObject *valid, *places, *data;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "iLLOOO!i:Column", names, &layout, &first, &length, &valid, &places,
                                     &PyTuple_Type, &data, &octets))
        return NULL;
    if (layout != ABNF_OFFSETS_32 && layout != ABNF_OFFSETS_64 && layout != ABNF_VIEWS)
        return PyErr_Format(PyExc_ValueError, "unknown layout %d", layout);
    Py_ssize_t count = PyTuple_Size(data);
    if (first < 0 || length < 0 || first > INT64_MAX / 32 - length || count > MOST_BUFFERS || (layout != ABNF_VIEWS && count != 1))
        return PyErr_Format(PyExc_ValueError, "rows and buffers of the column are not possible");
    ColumnObject *self = (ColumnObject *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    abnf_column *c = &self->column;
    int64_t rows = first + length;
    *c = (abnf_column){.layout = (abnf_layout)layout, .first = first, .length = length, .octets = octets};
    if (valid != Py_None) {
        if (held(valid, &self->valid, (rows + 7) / 8, "bits") < 0) goto wrong;
        c->valid = self->valid.buf;
    }
    int64_t least = layout == ABNF_VIEWS ? 16 * rows : length ? (rows + 1) * layout : 0;
    if (places != Py_None || least) {
        if (held(places, &self->places, least, layout == ABNF_VIEWS ? "views" : "offsets") < 0) goto wrong;
    }
    self->data = PyMem_Calloc((size_t)count + 1, sizeof *self->data);
    self->begins = PyMem_Calloc((size_t)count + 1, sizeof *self->begins);
    self->sizes = PyMem_Calloc((size_t)count + 1, sizeof *self->sizes);
    if (!self->data || !self->begins || !self->sizes) {
        PyErr_NoMemory();
        goto wrong;
    }
    static const uint8_t nothing[1];
    for (Py_ssize_t at = 0; at < count; at++) {
        PyObject *buffer = PyTuple_GetItem(data, at);
        self->begins[at] = nothing;
        if (buffer == Py_None) continue;
        if (PyObject_GetBuffer(buffer, &self->data[at], PyBUF_SIMPLE) < 0) goto wrong;
        self->data_count = at + 1;
        if (self->data[at].len) self->begins[at] = self->data[at].buf;
        self->sizes[at] = self->data[at].len;
    }
    self->data_count = count;
    if (layout == ABNF_VIEWS) c->views = self->places.buf, c->buffers = self->begins, c->sizes = self->sizes, c->buffer_count = count;
    else c->offsets = self->places.buf, c->data = self->begins[0], c->data_size = self->sizes[0];
    return (PyObject *)self;
wrong:
    Py_DECREF(self);
    return NULL;
}

/* ---- methods on rows from..to ---- */

static int asked(ColumnObject *self, PyObject *table, long long from, long long to, int tags) {
    Types *types = PyType_GetModuleState(Py_TYPE((PyObject *)self));
    if (!types) return -1;
    if (!PyObject_TypeCheck(table, types->table)) {
        PyErr_SetString(PyExc_TypeError, "table must be a Table");
        return -1;
    }
    if ((((TableObject *)table)->table.tags > 0) != tags) {
        PyErr_SetString(PyExc_ValueError, tags ? "places require a table with tags" : "verdicts require a table without tags");
        return -1;
    }
    if (from < 0 || from % 8 || to < from || to > self->column.length) {
        PyErr_Format(PyExc_ValueError, "rows must start at a multiple of 8, and end at %lld at most", (long long)self->column.length);
        return -1;
    }
    return 0;
}

int writable(PyObject *buffer, Py_buffer *view, int64_t least) {
    if (PyObject_GetBuffer(buffer, view, PyBUF_WRITABLE) < 0) return -1;
    if (view->len >= least) return 0;
    PyErr_Format(PyExc_ValueError, "output buffer has %zd bytes, needs %lld", view->len, (long long)least);
    return -1;
}

static PyObject *done(int64_t wrong) {
    if (wrong < 0) Py_RETURN_NONE;
    return PyErr_Format(PyExc_ValueError, "row %lld is outside the column's buffers, or exceeds 2 GiB, the limit for components",
                        (long long)wrong);
}

static PyObject *column_read(PyObject *object, PyObject *arguments) {
    ColumnObject *self = (ColumnObject *)object;
    PyObject *table, *bits, *offsets;
    long long from, to;
    Py_buffer bit_view = {0}, offset_view = {0};
    int64_t wrong = -1;
    int failed = 1;
    if (!PyArg_ParseTuple(arguments, "OLLOO:read", &table, &from, &to, &bits, &offsets) || asked(self, table, from, to, 0) < 0)
        return NULL;
    if (writable(bits, &bit_view, (to + 7) / 8) == 0 && (offsets == Py_None || writable(offsets, &offset_view, 8 * to) == 0)) {
        failed = 0;
        Py_BEGIN_ALLOW_THREADS
        wrong = abnf_column_read(&((TableObject *)table)->table, &self->column, from, to, bit_view.buf, offset_view.buf);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&bit_view);
    PyBuffer_Release(&offset_view);
    return failed ? NULL : done(wrong);
}

#define MOST_PARTS (ABNF_MAX_REGISTERS / 2)

/* The output buffers, one for each part of a table. */
typedef struct {
    Py_ssize_t count;
    Py_buffer views[MOST_PARTS];
    uint8_t *begins[MOST_PARTS];
} Buffers;

static int all_writable(PyObject *given, Buffers *buffers, Py_ssize_t parts, int64_t least) {
    if (PyTuple_Size(given) != parts) {
        PyErr_Format(PyExc_ValueError, "valid must have %zd buffers", parts);
        return -1;
    }
    for (Py_ssize_t part = 0; part < parts; part++) {
        Py_buffer *view = &buffers->views[part];
        memset(view, 0, sizeof *view);
        buffers->count = part + 1;
        if (writable(PyTuple_GetItem(given, part), view, least) < 0) return -1;
        buffers->begins[part] = view->buf;
    }
    return 0;
}

static void release_all(Buffers *buffers) {
    for (Py_ssize_t part = 0; part < buffers->count; part++) PyBuffer_Release(&buffers->views[part]);
}

static PyObject *column_places(PyObject *object, PyObject *arguments) {
    ColumnObject *self = (ColumnObject *)object;
    PyObject *table, *bits, *valid, *places;
    long long from, to;
    Py_buffer bit_view = {0}, place_view = {0};
    Buffers there;
    int64_t wrong = -1;
    int failed = 1;
    there.count = 0;
    if (!PyArg_ParseTuple(arguments, "OLLOO!O:places", &table, &from, &to, &bits, &PyTuple_Type, &valid, &places) ||
        asked(self, table, from, to, 1) < 0)
        return NULL;
    const abnf_table *t = &((TableObject *)table)->table;
    int64_t size = self->column.length, least = (to + 7) / 8;
    if (writable(bits, &bit_view, least) == 0 && writable(places, &place_view, 4 * (int64_t)t->tags * size) == 0 &&
        all_writable(valid, &there, t->tags / 2, least) == 0) {
        failed = 0;
        Py_BEGIN_ALLOW_THREADS
        wrong = abnf_column_places(t, &self->column, from, to, bit_view.buf, there.begins, place_view.buf, size);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&bit_view);
    PyBuffer_Release(&place_view);
    release_all(&there);
    return failed ? NULL : done(wrong);
}

static PyObject *column_views(PyObject *object, PyObject *arguments) {
    ColumnObject *self = (ColumnObject *)object;
    PyObject *table, *bits, *valid, *views;
    long long from, to;
    Py_buffer bit_view = {0};
    Buffers there, seen;
    int64_t wrong = -1;
    int failed = 1;
    there.count = seen.count = 0;
    if (!PyArg_ParseTuple(arguments, "OLLOO!O!:views", &table, &from, &to, &bits, &PyTuple_Type, &valid, &PyTuple_Type, &views) ||
        asked(self, table, from, to, 1) < 0)
        return NULL;
    const abnf_table *t = &((TableObject *)table)->table;
    if (self->column.layout != ABNF_VIEWS && self->column.data_size > INT32_MAX)
        return PyErr_Format(PyExc_ValueError, "views exceed 2 GiB of a buffer");
    int64_t least = (to + 7) / 8;
    if (writable(bits, &bit_view, least) == 0 && all_writable(valid, &there, t->tags / 2, least) == 0 &&
        all_writable(views, &seen, t->tags / 2, 16 * to) == 0) {
        failed = 0;
        Py_BEGIN_ALLOW_THREADS
        wrong = abnf_column_views(t, &self->column, from, to, bit_view.buf, there.begins, seen.begins);
        Py_END_ALLOW_THREADS
    }
    PyBuffer_Release(&bit_view);
    release_all(&there);
    release_all(&seen);
    return failed ? NULL : done(wrong);
}

static PyMethodDef column_methods[] = {
    {"read", column_read, METH_VARARGS,
     "read(table, begin, end, bits, offsets, /)\n--\n\nValidate rows begin..end; unless None, `offsets` gets the offsets where the walks "
     "stopped."},
    {"places", column_places, METH_VARARGS,
     "places(table, begin, end, bits, valid, places, /)\n--\n\nValidate rows, and find the places of tags: 32 bits each, tag by tag."},
    {"views", column_views, METH_VARARGS,
     "views(table, begin, end, bits, valid, views, /)\n--\n\nValidate rows, and find their parts as views into the buffers of the column."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot column_slots[] = {
    {Py_tp_new, column_new},
    {Py_tp_dealloc, column_dealloc},
    {Py_tp_methods, column_methods},
    {Py_tp_doc, "Column(layout, first, length, valid, places, data, octets)\n--\n\nA column of strings in buffers, which it keeps. The layout "
                "is 4 or 8, for offsets of as many bytes, or 16 for views. The unit of offsets, octets, is 0 for characters, 1 for bytes, or 2 "
                "if each byte is a character."},
    {0, NULL}};
PyType_Spec column_spec = {"abnforge._native.binding.Column", sizeof(ColumnObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, column_slots};
