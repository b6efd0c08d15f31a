/* Programs (follow.h) as Python objects. Python adds each task when a string first leads to it. */
#include "readings.h"

#include <string.h>

#define PROGRAM(object) (&((ProgramObject *)(object))->p)

PyObject *wrong(const char *what) { return PyErr_Format(PyExc_ValueError, "%s", what); }

static PyObject *program_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    unsigned int declared;
    if (keywords && PyDict_Size(keywords)) return PyErr_Format(PyExc_TypeError, "Program does not accept keywords");
    if (!PyArg_ParseTuple(arguments, "I:Program", &declared)) return NULL;
    ProgramObject *self = (ProgramObject *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    if (!abnf_program_begin(&self->p)) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    self->p.declared = declared;
    return (PyObject *)self;
}

static void program_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    abnf_program_free(PROGRAM(object));
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* Return a number below a count, or -1 with an exception. None becomes ABNF_NONE if `may` is set. */
static int number_given(PyObject *given, size_t count, int may, uint32_t *number) {
    if (may && given == Py_None) {
        *number = ABNF_NONE;
        return 0;
    }
    unsigned long found = PyLong_AsUnsignedLong(given);
    if (PyErr_Occurred()) return -1;
    if (found >= count) {
        PyErr_Format(PyExc_IndexError, "unknown number %lu", found);
        return -1;
    }
    *number = (uint32_t)found;
    return 0;
}

/* Append the numbers of a tuple, each below a count, to the items of a program. Return how many there are, or -1 with an
 * exception. */
static Py_ssize_t items_given(abnf_program *p, PyObject *given, size_t count, size_t behind) {
    Py_ssize_t size = PyTuple_Size(given);
    if (size < 0) return -1;
    if (p->items.count + behind + (size_t)size >= ABNF_NONE) return wrong("items are numbered in 32 bits"), -1;
    uint32_t *items = abnf_more(&p->items, behind + (size_t)size, sizeof *items);
    if (!items) return PyErr_NoMemory(), -1;
    for (Py_ssize_t each = 0; each < size; each++)
        if (number_given(PyTuple_GetItem(given, each), count, 0, &items[behind + (size_t)each]) < 0) return -1;
    return size;
}

static PyObject *program_charset(PyObject *object, PyObject *arguments) {
    abnf_program *p = PROGRAM(object);
    Py_buffer bits;
    if (!PyArg_ParseTuple(arguments, "y*:charset", &bits)) return NULL;
    PyObject *result = NULL;
    abnf_charset *charset = abnf_more(&p->charsets, 1, sizeof *charset);
    if (bits.len != 32) wrong("set of characters must have 256 bits");
    else if (!charset || p->charsets.count >= ABNF_NONE) PyErr_NoMemory();
    else {
        const uint8_t *octets = bits.buf;
        *charset = (abnf_charset){{0}};
        for (int each = 0; each < 32; each++) charset->bits[each >> 3] |= (uint64_t)octets[each] << (8 * (each & 7));
        result = PyLong_FromSize_t(p->charsets.count++);
    }
    PyBuffer_Release(&bits);
    return result;
}

static PyObject *program_task(PyObject *object, PyObject *unused) {
    (void)unused;
    abnf_program *p = PROGRAM(object);
    abnf_task *task = p->tasks.count < ABNF_NONE / 2 ? abnf_more(&p->tasks, 1, sizeof *task) : NULL;
    if (!task) return PyErr_NoMemory();
    *task = (abnf_task){.kind = ABNF_UNKNOWN_TASK};
    return PyLong_FromSize_t(p->tasks.count++);
}

/* The layout of each kind of task: the kind of its items, then of its four numbers. */
enum { NO, TASK, MAYBE_TASK, CHARSET, NAME, FLAG, MISTAKE };
static const uint8_t KINDS[ABNF_KINDS][5] = {
    [ABNF_CHARS] = {NO, CHARSET, NO, NO, NO},
    [ABNF_SEQ] = {TASK, NO, NO, NO, NO},
    [ABNF_CHOICE] = {TASK, NO, NO, NO, NO},
    [ABNF_REPEAT] = {NO, TASK, MAYBE_TASK, FLAG, NO},
    [ABNF_PLAIN] = {NO, TASK, NO, NO, NO},
    [ABNF_SLOT_OF] = {NO, TASK, NAME, NO, NO},
    [ABNF_PLACE] = {MISTAKE, TASK, TASK, MAYBE_TASK, MAYBE_TASK},
    [ABNF_CLOSING] = {MISTAKE, NO, NO, NO, NO},
};

static size_t count_of(const abnf_program *p, int what) {
    switch (what) {
    case TASK: case MAYBE_TASK: return p->tasks.count;
    case CHARSET: return p->charsets.count;
    case NAME: return ABNF_NONE / 4;
    case FLAG: return 2;
    case MISTAKE: return p->mistakes.count;
    default: return 1; /* must be 0 */
    }
}

static PyObject *program_make(PyObject *object, PyObject *arguments) {
    abnf_program *p = PROGRAM(object);
    PyObject *given[5], *items, *before;
    uint32_t number, numbers[4];
    int kind;
    if (!PyArg_ParseTuple(arguments, "Oi(OOOO)O!O!:make", &given[4], &kind, &given[0], &given[1], &given[2], &given[3],
                          &PyTuple_Type, &items, &PyTuple_Type, &before))
        return NULL;
    if (number_given(given[4], p->tasks.count, 0, &number) < 0) return NULL;
    if (kind <= ABNF_UNKNOWN_TASK || kind >= ABNF_KINDS) return wrong("unknown kind of task");
    if (ITEMS(p->tasks, abnf_task)[number].kind != ABNF_UNKNOWN_TASK) return wrong("a task is made once");
    for (int each = 0; each < 4; each++) {
        int what = KINDS[kind][each + 1];
        if (number_given(given[each], count_of(p, what), what == MAYBE_TASK, &numbers[each]) < 0) return NULL;
    }
    size_t most = count_of(p, KINDS[kind][0]);
    Py_ssize_t count = items_given(p, items, KINDS[kind][0] ? most : 0, 0), more;
    if (count < 0 || (more = items_given(p, before, kind == ABNF_PLACE ? most : 0, (size_t)count)) < 0) return NULL;
    if (more && numbers[3] == ABNF_NONE) return wrong("a place with mistakes before it needs the rule without them");
    ITEMS(p->tasks, abnf_task)[number] = (abnf_task){(uint32_t)kind, numbers[0], numbers[1], numbers[2], numbers[3],
                                                     (uint32_t)p->items.count, (uint32_t)count, (uint32_t)more};
    p->items.count += (size_t)(count + more);
    Py_RETURN_NONE;
}

/* Append the bytes of a buffer to a list; return null if out of memory. The copy is checked instead of the buffer, which
 * can be unaligned and can change. */
static abnf_slot *slots_copied(abnf_list *list, size_t behind, const Py_buffer *given) {
    size_t count = (size_t)given->len / sizeof(abnf_slot);
    abnf_slot *slots = abnf_more(list, behind + count, sizeof *slots);
    if (slots && count) memcpy(slots + behind, given->buf, count * sizeof *slots);
    return slots;
}

static PyObject *program_mistake(PyObject *object, PyObject *arguments) {
    abnf_program *p = PROGRAM(object);
    Py_buffer blamed, said;
    int weight, after, is_told;
    unsigned int code = 0;
    if (!PyArg_ParseTuple(arguments, "ippy*y*|I:mistake", &weight, &after, &is_told, &blamed, &said, &code)) return NULL;
    size_t blames = (size_t)blamed.len / sizeof(abnf_slot), says = (size_t)said.len / sizeof(abnf_slot), first = p->slots.count;
    PyObject *result = NULL;
    if (weight < 0 || weight > ABNF_MOST_WEIGHT) wrong("a mistake weighs from 0 to 2^29");
    else if (says > ABNF_MOST_SAID) wrong("a message has too many slots");
    else if (blamed.len % (Py_ssize_t)sizeof(abnf_slot) || said.len % (Py_ssize_t)sizeof(abnf_slot) || blames + says >= ABNF_NONE - first ||
             p->mistakes.count >= ABNF_NONE / 4)
        wrong("a slot is two numbers of 32 bits");
    else {
        abnf_mistake *mistake = abnf_more(&p->mistakes, 1, sizeof *mistake);
        if (mistake && slots_copied(&p->slots, 0, &blamed) && slots_copied(&p->slots, blames, &said)) {
            *mistake = (abnf_mistake){weight, (uint32_t)after, ABNF_NONE, (uint32_t)is_told, code, (uint32_t)first, (uint32_t)blames, (uint32_t)says};
            p->slots.count += blames + says;
            result = PyLong_FromSize_t(p->mistakes.count++);
        } else
            PyErr_NoMemory();
    }
    PyBuffer_Release(&blamed);
    PyBuffer_Release(&said);
    return result;
}

static PyObject *program_body(PyObject *object, PyObject *arguments) {
    abnf_program *p = PROGRAM(object);
    PyObject *given, *task;
    uint32_t mistake, body;
    if (!PyArg_ParseTuple(arguments, "OO:body", &given, &task)) return NULL;
    if (number_given(given, p->mistakes.count, 0, &mistake) < 0 || number_given(task, p->tasks.count, 0, &body) < 0) return NULL;
    abnf_mistake *found = &ITEMS(p->mistakes, abnf_mistake)[mistake];
    if (mistake == ABNF_CATCH_ALL || found->body != ABNF_NONE) return wrong("a mistake has one body");
    found->body = body;
    Py_RETURN_NONE;
}

static PyObject *program_state(PyObject *object, PyObject *arguments) {
    abnf_program *p = PROGRAM(object);
    PyObject *given[3];
    uint32_t task, index, rest;
    if (!PyArg_ParseTuple(arguments, "OOO:state", &given[0], &given[1], &given[2])) return NULL;
    if (number_given(given[0], p->tasks.count, 0, &task) < 0 || number_given(given[2], p->states.count, 0, &rest) < 0) return NULL;
    const abnf_task *it = &ITEMS(p->tasks, abnf_task)[task];
    if (number_given(given[1], it->kind == ABNF_SEQ && it->count ? it->count : 1, 0, &index) < 0) return NULL;
    uint32_t number = abnf_state_of(p, task, index, rest);
    return number == ABNF_NONE ? PyErr_NoMemory() : PyLong_FromUnsignedLong(number);
}

static PyObject *program_at(PyObject *object, PyObject *given) {
    abnf_program *p = PROGRAM(object);
    uint32_t number;
    if (number_given(given, p->states.count, 0, &number) < 0) return NULL;
    const abnf_state *state = &ITEMS(p->states, abnf_state)[number];
    return Py_BuildValue("(III)", state->task, state->index, state->rest);
}

static PyObject *program_way(PyObject *object, PyObject *given) {
    abnf_program *p = PROGRAM(object);
    uint32_t number;
    if (number_given(given, p->ways.count, 0, &number) < 0) return NULL;
    const abnf_way *way = &ITEMS(p->ways, abnf_way)[number];
    return Py_BuildValue("(III)", way->event, way->state, way->parent);
}

static PyObject *program_wanted(PyObject *object, PyObject *unused) {
    (void)unused;
    abnf_program *p = PROGRAM(object);
    PyObject *all = PyList_New((Py_ssize_t)p->wanted.count);
    for (size_t each = 0; all && each < p->wanted.count; each++) {
        PyObject *number = PyLong_FromUnsignedLong(ITEMS(p->wanted, uint32_t)[each]);
        if (!number || PyList_SetItem(all, (Py_ssize_t)each, number) < 0) Py_CLEAR(all);
    }
    return all;
}

static PyObject *program_forget(PyObject *object, PyObject *unused) {
    (void)unused;
    abnf_program_forget(PROGRAM(object));
    Py_RETURN_NONE;
}

static PyObject *program_states(PyObject *object, PyObject *unused) {
    (void)unused;
    return PyLong_FromSize_t(PROGRAM(object)->states.count);
}

ALONE(program_charset)
ALONE(program_task)
ALONE(program_make)
ALONE(program_mistake)
ALONE(program_body)
ALONE(program_state)
ALONE(program_at)
ALONE(program_way)
ALONE(program_wanted)
ALONE(program_forget)
ALONE(program_states)

static PyMethodDef program_methods[] = {
    {"charset", program_charset_alone, METH_VARARGS, "charset(bits, /)\n--\n\nA set of characters by its number from 1: 32 octets, a bit for each class, the lowest first. 0 is that of all."},
    {"task", program_task_alone, METH_NOARGS, "task()\n--\n\nAdd a task without content, and return its number from 2."},
    {"make", program_make_alone, METH_VARARGS,
     "make(task, kind, numbers, items, before, /)\n--\n\nSet the content of a task: its kind, four numbers and its items (see follow.h)."},
    {"mistake", program_mistake_alone, METH_VARARGS,
     "mistake(weight, after, is_told, blamed, said, code=0, /)\n--\n\nAdd a mistake, and return its number from 1; slots are pairs of 32-bit numbers, name and turn."},
    {"body", program_body_alone, METH_VARARGS, "body(mistake, task, /)\n--\n\nSet the body of a mistake."},
    {"state", program_state_alone, METH_VARARGS, "state(task, index, rest, /)\n--\n\nReturn the number of a state; 0 is the end of the string."},
    {"at", program_at_alone, METH_O, "at(state, /)\n--\n\nReturn task, index and rest of a state."},
    {"way", program_way_alone, METH_O, "way(number, /)\n--\n\nReturn the last event of a way, its state, and the way before it."},
    {"wanted", program_wanted_alone, METH_NOARGS, "wanted()\n--\n\nReturn the missing tasks: 2 * a task, or 2 * a mistake + 1 for its body."},
    {"forget", program_forget_alone, METH_NOARGS, "forget()\n--\n\nDrop all states and ways, and all sets of them."},
    {"states", program_states_alone, METH_NOARGS, "states()\n--\n\nReturn the number of states."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot program_slots[] = {
    {Py_tp_new, program_new},
    {Py_tp_dealloc, program_dealloc},
    {Py_tp_methods, program_methods},
    {Py_tp_doc, "Program(declared, /)\n--\n\nThe states of a grammar with a number of declared mistakes."},
    {0, NULL}};
PyType_Spec program_spec = {"abnforge._native.binding.Program", sizeof(ProgramObject), 0,
                            Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, program_slots};
