/* Weighted sets of states as Python objects that read strings and columns. */
#include "readings.h"

#include <stdlib.h>
#include <string.h>

#define ITEM(list, type, at) (((type *)(list).items)[at])

static PyObject *weighted_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    Types *types = PyType_GetModuleState(type);
    PyObject *program, *page_of, *pages, *given;
    int count, band;
    long long most[3];
    Classes classes;
    PyObject *without = NULL;
    if (!types || (keywords && PyDict_Size(keywords))) return PyErr_Format(PyExc_TypeError, "Weighted does not accept keywords");
    if (!PyArg_ParseTuple(arguments, "O!OOii(LLL)|S:Weighted", types->program, &program, &page_of, &pages, &count, &band, &most[0], &most[1], &most[2], &without))
        return NULL;
    if (band < 0 || band > ABNF_MOST_WEIGHT) return wrong("a band is from 0 to 2^29");
    if (most[0] < 0 || most[1] < 0 || most[2] < 0) return wrong("limits of kept items must be at least 0");
    if (!(given = Py_BuildValue("(OOi)", page_of, pages, count))) return NULL;
    int have = classes_given(given, NULL, "y*y*i:Weighted", &classes);
    Py_DECREF(given);
    if (!have) return NULL;
    WeightedObject *self = (WeightedObject *)PyType_GenericAlloc(type, 0);
    if (!self) {
        free(classes.page_of);
        free(classes.pages);
        return NULL;
    }
    abnf_weighted *w = &self->w;
    self->program = Py_NewRef(program);
    w->program = &((ProgramObject *)program)->p;
    w->page_of = classes.page_of;
    w->pages = classes.pages;
    w->generation = w->program->generation;
    w->band = band;
    w->classes = (size_t)classes.count;
    w->most_sets = (size_t)most[0];
    w->most_states = (size_t)most[1];
    w->most_members = (size_t)most[2];
    if (without) {
        w->without.count = (size_t)PyBytes_Size(without);
        w->without.flags = malloc(w->without.count + 1);
        if (!w->without.flags) {
            Py_DECREF(self);
            return PyErr_NoMemory();
        }
        memcpy(w->without.flags, PyBytes_AsString(without), w->without.count);
    }
    return (PyObject *)self;
}

static void weighted_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    abnf_weighted_free(&((WeightedObject *)object)->w);
    Py_XDECREF(((WeightedObject *)object)->program);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

int is_set(const abnf_weighted *w, long set) {
    if (set >= 0 && (size_t)set < w->sets.count) return 1;
    PyErr_Format(PyExc_IndexError, "unknown set %ld", set);
    return 0;
}

int may_go_on(const abnf_weighted *w, size_t count) { return w->text && w->at <= count; }

static PyObject *weighted_set(PyObject *object, PyObject *arguments) {
    abnf_weighted *w = &((WeightedObject *)object)->w;
    Py_buffer states;
    unsigned long long limit;
    if (!PyArg_ParseTuple(arguments, "y*K:set", &states, &limit)) return NULL;
    abnf_catch_up(w);
    size_t count = (size_t)states.len / sizeof(uint32_t);
    uint32_t *copy = malloc((count + 1) * sizeof *copy), number = 0;
    int right = states.len % (Py_ssize_t)sizeof *copy == 0 && count;
    if (copy && right) memcpy(copy, states.buf, count * sizeof *copy);
    for (size_t each = 0; copy && right && each < count; each++) right = copy[each] < w->program->states.count;
    PyObject *result = NULL;
    if (!copy) PyErr_NoMemory();
    else if (!right) wrong("a set has states, each by its number of 32 bits");
    else {
        abnf_allow(w, limit);
        abnf_status status = abnf_set_of(w, copy, count, &number);
        if (status == ABNF_NO_MEMORY) PyErr_NoMemory();
        else result = Py_BuildValue("(iK)", (int)status, (unsigned long long)(status == ABNF_LIMIT ? w->used : number));
    }
    free(copy);
    PyBuffer_Release(&states);
    return result;
}

static PyObject *weighted_kept(PyObject *object, PyObject *unused) {
    (void)unused;
    abnf_weighted *w = &((WeightedObject *)object)->w;
    abnf_catch_up(w);
    return Py_BuildValue("(ni)", (Py_ssize_t)w->sets.count, abnf_is_full(w));
}

/* ---- one string ---- */

/* Return the characters of a str, as one byte each if it is ASCII, otherwise as four. The caller frees `*own`. */
static const void *units_of(PyObject *text, int *width, size_t *count, Py_UCS4 **own) {
    Py_ssize_t length = PyUnicode_GetLength(text);
    abnf_text octets;
    int have = length < 0 ? -1 : text_octets(text, &octets);
    *own = NULL;
    if (have < 0) return NULL;
    *count = (size_t)length;
    *width = have && octets.end - octets.begin == length ? 1 : 4;
    if (*width == 1) return octets.begin;
    return *own = PyUnicode_AsUCS4Copy(text);
}

static PyObject *gone(const abnf_weighted *w, int64_t weight) {
    PyObject *ways = PyList_New((Py_ssize_t)w->gone.count);
    for (size_t each = 0; ways && each < w->gone.count; each++) {
        const abnf_turn *turn = &ITEM(w->gone, abnf_turn, w->gone.count - 1 - each);
        PyObject *pair = Py_BuildValue("(II)", turn->at, turn->value);
        if (!pair || PyList_SetItem(ways, (Py_ssize_t)each, pair) < 0) Py_CLEAR(ways);
    }
    return ways ? Py_BuildValue("(iKLN)", ABNF_READ, (unsigned long long)w->cost, (long long)weight, ways) : NULL;
}

static PyObject *weighted_read(PyObject *object, PyObject *arguments) {
    abnf_weighted *w = &((WeightedObject *)object)->w;
    PyObject *text;
    int set, cut, width;
    long long limit = -1;
    size_t count;
    Py_UCS4 *own;
    if (!PyArg_ParseTuple(arguments, "Uip|L:read", &text, &set, &cut, &limit)) return NULL;
    const void *units = units_of(text, &width, &count, &own);
    if (!units) return NULL;
    abnf_catch_up(w);
    PyObject *result = NULL;
    int64_t weight = 0;
    if (count >= UINT32_MAX) wrong("a string must have less than 2^32 characters");
    else if (set < 0 && !may_go_on(w, count)) wrong("string must continue at its last place");
    else if (set < 0 || is_set(w, set)) {
        if (limit >= 0) abnf_allow(w, (uint64_t)limit);
        if (set >= 0) abnf_begin(w, (uint32_t)set);
        abnf_status status = abnf_read_on(w, units, width, count, 1);
        if (status == ABNF_READ) status = abnf_way_back(w, cut, &weight);
        if (status == ABNF_NO_MEMORY) PyErr_NoMemory();
        else if (status == ABNF_READ) result = gone(w, weight);
        else result = Py_BuildValue("(iK)", (int)status, (unsigned long long)(status == ABNF_LIMIT ? w->used : w->cost));
    }
    PyMem_Free(own);
    return result;
}

/* The lock of the program also protects the sets of its states. */
#define PROGRAM_OF(object) (((WeightedObject *)object)->program)
ALONE_WITH(weighted_set, PROGRAM_OF(object))
ALONE_WITH(weighted_read, PROGRAM_OF(object))
ALONE_WITH(weighted_tell, PROGRAM_OF(object))
ALONE_WITH(weighted_kept, PROGRAM_OF(object))

static PyObject *weighted_full(PyObject *object, void *unused) {
    (void)unused;
    int full;
    BEGIN_ALONE(PROGRAM_OF(object))
    full = abnf_is_full(&((WeightedObject *)object)->w);
    END_ALONE;
    return PyBool_FromLong(full);
}

static PyGetSetDef weighted_getset[] = {
    {"full", weighted_full, NULL, "True if there are more sets than are kept for the next string.", NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef weighted_methods[] = {
    {"set", weighted_set_alone, METH_VARARGS,
     "set(states, limit, /)\n--\n\nReturn the set of states, with a limit of steps for the next string: (0, number), 1 if tasks "
     "are missing,\n2 if there are too many ways, or (3, steps) beyond the limit."},
    {"read", weighted_read_alone, METH_VARARGS,
     "read(text, set, cut, limit=-1, /)\n--\n\nRead a string from a set on, or continue the last one with -1. The limit of steps is that of set()\nif negative. Returns (0, cost, weight, [(place, way)]), the "
     "errors of set(),\nor (4, cost) if it cannot be read."},
    {"tell", weighted_tell_alone, METH_VARARGS, "tell(column, offsets, answers, first, begin, again, limits, /)\n--\n\nReport the first mistakes of rows; see explain/weighted.py."},
    {"kept", weighted_kept_alone, METH_NOARGS, "kept()\n--\n\nReturn the number of sets, and whether there are more than are kept."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot weighted_slots[] = {
    {Py_tp_new, weighted_new},
    {Py_tp_dealloc, weighted_dealloc},
    {Py_tp_methods, weighted_methods},
    {Py_tp_getset, weighted_getset},
    {Py_tp_doc, "Weighted(program, page_of, pages, classes, band, kept, without=b'', /)\n--\n\nWeighted sets of the states of a program over classes of "
                "characters, built as strings are read."},
    {0, NULL}};
PyType_Spec weighted_spec = {"abnforge._native.binding.Weighted", sizeof(WeightedObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, weighted_slots};
