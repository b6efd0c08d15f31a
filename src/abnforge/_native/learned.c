/* A deterministic automaton that is built while strings are read, and its walk (see parsing/recognizer/machine.py). */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN (-1)
#define MOST_STATES (1 << 22)

typedef struct {
    uint32_t text;        /* the last string that led here, since each string is charged once per state */
    uint32_t cost, octets;
} learned_state;

typedef struct {
    PyObject_HEAD
    uint16_t *page_of;    /* [0x1100] the page of 256 code points */
    uint8_t *pages;       /* [256 * page count] the class of a code point */
    int32_t classes, count, room;
    int32_t *moves;       /* [room * classes] the state after a character, or UNKNOWN */
    learned_state *states;  /* [room] */
    uint32_t text;        /* the number of the current string */
} LearnedObject;

static int copied(const Py_buffer *page_of, const Py_buffer *pages, Classes *classes) {
    int right = page_of->len == 0x1100 * 2 && pages->len > 0 && pages->len % 256 == 0 && classes->count > 0 && classes->count <= 256;
    for (Py_ssize_t at = 0; right && at < pages->len; at++) right = ((const uint8_t *)pages->buf)[at] < classes->count;
    for (Py_ssize_t at = 0; right && at < 0x1100; at++) {
        uint16_t page;
        memcpy(&page, (const uint8_t *)page_of->buf + 2 * at, 2);
        right = page < pages->len / 256;
    }
    if (!right) {
        PyErr_SetString(PyExc_ValueError, "pages of code points or classes are missing");
        return 0;
    }
    classes->page_of = malloc((size_t)page_of->len);
    classes->pages = malloc((size_t)pages->len);
    if (!classes->page_of || !classes->pages) {
        free(classes->page_of);
        free(classes->pages);
        PyErr_NoMemory();
        return 0;
    }
    memcpy(classes->page_of, page_of->buf, (size_t)page_of->len);
    memcpy(classes->pages, pages->buf, (size_t)pages->len);
    return 1;
}

int classes_given(PyObject *arguments, PyObject *keywords, const char *format, Classes *classes) {
    static char *names[] = {"page_of", "pages", "classes", NULL};
    Py_buffer page_of, pages;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, format, names, &page_of, &pages, &classes->count)) return 0;
    int made = copied(&page_of, &pages, classes);
    PyBuffer_Release(&page_of);
    PyBuffer_Release(&pages);
    return made;
}

static PyObject *learned_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    Classes classes;
    if (!classes_given(arguments, keywords, "y*y*i:LearnedDFA", &classes)) return NULL;
    LearnedObject *self = (LearnedObject *)PyType_GenericAlloc(type, 0);
    if (!self) {
        free(classes.page_of);
        free(classes.pages);
        return NULL;
    }
    self->classes = classes.count;
    self->page_of = classes.page_of;
    self->pages = classes.pages;
    return (PyObject *)self;
}

static void learned_dealloc(PyObject *object) {
    LearnedObject *self = (LearnedObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    free(self->page_of);
    free(self->pages);
    free(self->moves);
    free(self->states);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static PyObject *learned_add(PyObject *object, PyObject *arguments) {
    LearnedObject *self = (LearnedObject *)object;
    unsigned int cost, octets;
    if (!PyArg_ParseTuple(arguments, "II:add", &cost, &octets)) return NULL;
    if (self->count == self->room) {
        int32_t room = self->room ? 2 * self->room : 64;
        if (room > MOST_STATES || (uint64_t)room * (uint64_t)self->classes > PTRDIFF_MAX / sizeof *self->moves)
            return PyErr_Format(PyExc_OverflowError, "learned DFA exceeds %d states", MOST_STATES);
        int32_t *moves = realloc(self->moves, (size_t)room * (size_t)self->classes * sizeof *moves);
        if (moves) self->moves = moves;
        learned_state *states = moves ? realloc(self->states, (size_t)room * sizeof *states) : NULL;
        if (states) self->states = states;
        if (!states) return PyErr_NoMemory();
        self->room = room;
    }
    int32_t *row = self->moves + (size_t)self->count * (size_t)self->classes;
    for (int32_t number = 0; number < self->classes; number++) row[number] = UNKNOWN;
    self->states[self->count] = (learned_state){0, cost, octets};
    return PyLong_FromLong(self->count++);
}

static int is_state(LearnedObject *self, long state) {
    if (state >= 0 && state < self->count) return 1;
    PyErr_Format(PyExc_IndexError, "unknown state %ld", state);
    return 0;
}

/* Return the class of a code point; larger numbers have the class of the last code point. */
static int32_t class_of(const LearnedObject *self, uint32_t point) {
    if (point > 0x10FFFF) point = 0x10FFFF;
    return self->pages[(size_t)self->page_of[point >> 8] * 256 + (point & 255)];
}

static PyObject *learned_learn(PyObject *object, PyObject *arguments) {
    LearnedObject *self = (LearnedObject *)object;
    int state, target, point;
    if (!PyArg_ParseTuple(arguments, "iCi:learn", &state, &point, &target)) return NULL;
    if (!is_state(self, state) || !is_state(self, target)) return NULL;
    self->moves[(size_t)state * (size_t)self->classes + (size_t)class_of(self, (uint32_t)point)] = target;
    Py_RETURN_NONE;
}

static PyObject *learned_begin(PyObject *object, PyObject *unused) {
    LearnedObject *self = (LearnedObject *)object;
    (void)unused;
    if (++self->text == 0) { /* the counter overflowed */
        for (int32_t state = 0; state < self->count; state++) self->states[state].text = 0;
        self->text = 1;
    }
    Py_RETURN_NONE;
}

#define WALK_UNITS(TYPE)                                                                                               \
    for (const TYPE *units = view.buf; at < count; at++) {                                                             \
        int32_t target = moves[(size_t)state * classes + (size_t)class_of(self, units[at])];                           \
        if (target == UNKNOWN) break;                                                                                  \
        state = target;                                                                                                \
        if (states[state].text != self->text) {                                                                        \
            states[state].text = self->text;                                                                           \
            cost += states[state].cost;                                                                                \
            octets += states[state].octets;                                                                            \
            met++;                                                                                                     \
        }                                                                                                              \
    }

static PyObject *learned_walk(PyObject *object, PyObject *arguments) {
    LearnedObject *self = (LearnedObject *)object;
    Py_buffer view;
    int width, state;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(arguments, "y*ini:walk", &view, &width, &at, &state)) return NULL;
    Py_ssize_t count = width == 1 || width == 4 ? view.len / width : -1;
    if (!is_state(self, state) || at < 0 || at > count || (width == 4 && (uintptr_t)view.buf % 4)) {
        PyBuffer_Release(&view);
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "characters must be of 1 or 4 bytes, and start at a multiple of these");
        return NULL;
    }
    const int32_t *moves = self->moves;
    learned_state *states = self->states;
    size_t classes = (size_t)self->classes;
    unsigned long long cost = 0, octets = 0;
    long met = 0;
    if (states[state].text != self->text) {
        states[state].text = self->text;
        cost = states[state].cost, octets = states[state].octets, met = 1;
    }
    if (width == 1) WALK_UNITS(uint8_t)
    else WALK_UNITS(uint32_t)
    PyBuffer_Release(&view);
    return Py_BuildValue("(niKKl)", at, state, cost, octets, met);
}

ALONE(learned_add)
ALONE(learned_learn)
ALONE(learned_begin)
ALONE(learned_walk)

static PyMethodDef learned_methods[] = {
    {"add", learned_add_alone, METH_VARARGS, "add(cost, octets, /)\n--\n\nAdd a state, and return its number from 0."},
    {"learn", learned_learn_alone, METH_VARARGS, "learn(state, char, target, /)\n--\n\nSet the move of the class of a character."},
    {"begin", learned_begin_alone, METH_NOARGS, "begin()\n--\n\nBegin another string."},
    {"walk", learned_walk_alone, METH_VARARGS,
     "walk(units, width, begin, state, /)\n--\n\nWalk characters as far as the moves are set. Returns the place and the "
     "state there, and the costs,\nthe bytes and the number of the states that this string met for the first time."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot learned_slots[] = {
    {Py_tp_new, learned_new},
    {Py_tp_dealloc, learned_dealloc},
    {Py_tp_methods, learned_methods},
    {Py_tp_doc, "LearnedDFA(page_of, pages, classes)\n--\n\nAn automaton over classes of characters that is built as strings are read."},
    {0, NULL}};
PyType_Spec learned_spec = {"abnforge._native.binding.LearnedDFA", sizeof(LearnedObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                          learned_slots};
