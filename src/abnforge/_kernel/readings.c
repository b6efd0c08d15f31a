/* Weighted sets of states as a Python object: they are told to it, and texts and columns are read by them. */
#include "readings.h"

#include <stdlib.h>
#include <string.h>

#define MOST_SETS (1 << 22)
#define ITEM(list, type, at) (((type *)(list).items)[at])

static PyObject *weighted_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    Classes classes;
    if (!classes_given(arguments, keywords, "y*y*i:Weighted", &classes)) return NULL;
    WeightedObject *self = (WeightedObject *)PyType_GenericAlloc(type, 0);
    if (!self) {
        free(classes.page_of);
        free(classes.pages);
        return NULL;
    }
    abnf_weighted *w = &self->w;
    w->page_of = classes.page_of;
    w->pages = classes.pages;
    w->classes = (size_t)classes.count;
    uint32_t *begins = abnf_more(&w->begins, 1, sizeof *begins);
    /* The first mistake stands for what is none. */
    abnf_mistake *mistakes = abnf_more(&w->mistakes, 1, sizeof *mistakes);
    if (!begins || !mistakes) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    *begins = 0;
    *mistakes = (abnf_mistake){0, 0, 0};
    w->begins.count = w->mistakes.count = 1;
    return (PyObject *)self;
}

static void weighted_dealloc(PyObject *object) {
    abnf_weighted *w = &((WeightedObject *)object)->w;
    PyTypeObject *type = Py_TYPE(object);
    abnf_list *lists[] = {&w->entries, &w->sets, &w->moves, &w->sources, &w->ways, &w->turns, &w->gone, &w->events, &w->begins,
                          &w->mistakes, &w->slots};
    for (size_t each = 0; each < sizeof lists / sizeof *lists; each++) free(lists[each]->items);
    free(w->page_of);
    free(w->pages);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

PyObject *wrong(const char *what) { return PyErr_Format(PyExc_ValueError, "%s", what); }

/* ---- what is told ---- */

static PyObject *weighted_add(PyObject *object, PyObject *arguments) {
    abnf_weighted *w = &((WeightedObject *)object)->w;
    long long cost, members;
    if (!PyArg_ParseTuple(arguments, "LL:add", &cost, &members)) return NULL;
    if (cost < 0 || cost > UINT32_MAX || members < 0 || members > UINT32_MAX)
        return wrong("what a set costs, and the number of its members, have 32 bits");
    if (w->sets.count >= MOST_SETS) return PyErr_Format(PyExc_OverflowError, "there are at most %d sets", MOST_SETS);
    abnf_set *set = abnf_more(&w->sets, 1, sizeof *set);
    int32_t *row = set ? abnf_more(&w->entries, w->classes, sizeof *row) : NULL;
    if (!row) return PyErr_NoMemory();
    for (size_t number = 0; number < w->classes; number++) row[number] = ABNF_UNKNOWN;
    *set = (abnf_set){0, (uint32_t)cost, (uint32_t)members, ABNF_UNKNOWN_END, 0, 0};
    w->entries.count += w->classes;
    return PyLong_FromSize_t(w->sets.count++);
}

/* The octets of a buffer behind what a list has; null without memory. What they say is looked at there: the buffer may
 * begin anywhere, and others may change it. */
static void *copied(abnf_list *list, size_t octets, const Py_buffer *given) {
    size_t count = (size_t)given->len / octets;
    void *items = abnf_more(list, count, octets);
    if (items && count) memcpy(items, given->buf, count * octets);
    return items;
}

/* Whether a list of items of some octets each can have those of a buffer, and be numbered in 32 bits. */
static int fits(const abnf_list *list, size_t octets, const Py_buffer *given) {
    return (size_t)given->len % octets == 0 && (size_t)given->len / octets < UINT32_MAX - list->count;
}

static PyObject *weighted_way(PyObject *object, PyObject *arguments) {
    abnf_weighted *w = &((WeightedObject *)object)->w;
    Py_buffer given;
    if (!PyArg_ParseTuple(arguments, "y*:way", &given)) return NULL;
    size_t count = (size_t)given.len / sizeof(uint32_t);
    uint32_t *events = NULL, *begin = NULL;
    PyObject *result = NULL;
    if (!fits(&w->events, sizeof *events, &given) || w->begins.count >= UINT32_MAX)
        wrong("an event is a number of 32 bits");
    else if ((events = copied(&w->events, sizeof *events, &given)) && (begin = abnf_more(&w->begins, 1, sizeof *begin))) {
        int known = 1;
        for (size_t each = 0; each < count; each++) known &= (events[each] & 3) != ABNF_BEGIN || events[each] >> 2 < w->mistakes.count;
        if (known) {
            w->events.count += count;
            *begin = (uint32_t)w->events.count;
            result = PyLong_FromSize_t(w->begins.count++);
        } else
            wrong("what begins on a way is a mistake that was told before");
    } else
        PyErr_NoMemory();
    PyBuffer_Release(&given);
    return result;
}

static PyObject *weighted_mistake(PyObject *object, PyObject *arguments) {
    abnf_weighted *w = &((WeightedObject *)object)->w;
    Py_buffer blamed, said;
    if (!PyArg_ParseTuple(arguments, "y*y*:mistake", &blamed, &said)) return NULL;
    size_t blames = (size_t)blamed.len / sizeof(abnf_slot), says = (size_t)said.len / sizeof(abnf_slot), first = w->slots.count;
    PyObject *result = NULL;
    if (says > ABNF_MOST_SAID)
        wrong("a sentence that is told so shows few slots");
    else if (said.len % (Py_ssize_t)sizeof(abnf_slot) || !fits(&w->slots, sizeof(abnf_slot), &blamed) || blames + says >= UINT32_MAX - first ||
             w->mistakes.count >= UINT32_MAX / 4)
        wrong("a slot is two numbers of 32 bits");
    else {
        abnf_mistake *mistake = abnf_more(&w->mistakes, 1, sizeof *mistake);
        int whole = mistake && copied(&w->slots, sizeof(abnf_slot), &blamed);
        w->slots.count += whole ? blames : 0;
        if (whole && copied(&w->slots, sizeof(abnf_slot), &said)) {
            *mistake = (abnf_mistake){(uint32_t)first, (uint32_t)blames, (uint32_t)says};
            w->slots.count += says;
            result = PyLong_FromSize_t(w->mistakes.count++);
        } else {
            w->slots.count = first;
            PyErr_NoMemory();
        }
    }
    PyBuffer_Release(&blamed);
    PyBuffer_Release(&said);
    return result;
}

static PyObject *weighted_path(PyObject *object, PyObject *arguments) {
    abnf_weighted *w = &((WeightedObject *)object)->w;
    Py_buffer sources, ways;
    if (!PyArg_ParseTuple(arguments, "y*y*:path", &sources, &ways)) return NULL;
    size_t count = (size_t)sources.len / sizeof(uint32_t);
    PyObject *result = NULL;
    int right = sources.len == ways.len && fits(&w->sources, sizeof(uint32_t), &sources);
    const uint32_t *own_ways = right ? copied(&w->ways, sizeof *own_ways, &ways) : NULL;
    for (size_t each = 0; own_ways && right && each < count; each++) right = own_ways[each] < w->begins.count;
    if (!right)
        wrong("each member of a path has a source, and a way that was told before");
    else if (own_ways && copied(&w->sources, sizeof(uint32_t), &sources)) {
        result = PyLong_FromSize_t(w->sources.count);
        w->sources.count = w->ways.count += count;
    } else
        PyErr_NoMemory();
    PyBuffer_Release(&sources);
    PyBuffer_Release(&ways);
    return result;
}

int is_set(const abnf_weighted *w, long set) {
    if (set >= 0 && (size_t)set < w->sets.count) return 1;
    PyErr_Format(PyExc_IndexError, "there is no set %ld", set);
    return 0;
}

int may_go_on(const abnf_weighted *w, size_t count) { return w->text && w->at <= count; }

static PyObject *weighted_end(PyObject *object, PyObject *arguments) {
    abnf_weighted *w = &((WeightedObject *)object)->w;
    int set, weight;
    long long member, way;
    if (!PyArg_ParseTuple(arguments, "iiLL:end", &set, &weight, &member, &way)) return NULL;
    if (!is_set(w, set)) return NULL;
    abnf_set *found = &ITEM(w->sets, abnf_set, set);
    if (weight < ABNF_NO_END || member < 0 || (weight >= 0 && member >= found->members) || way < 0 || (uint64_t)way >= w->begins.count)
        return wrong("a set ends in one of its members, by a way that was told before");
    found->weight = weight;
    found->member = (uint32_t)member;
    found->way = (uint32_t)way;
    Py_RETURN_NONE;
}

static PyObject *weighted_learn(PyObject *object, PyObject *arguments) {
    abnf_weighted *w = &((WeightedObject *)object)->w;
    int set, point, target, weight;
    long long path;
    if (!PyArg_ParseTuple(arguments, "iCiiL:learn", &set, &point, &target, &weight, &path)) return NULL;
    if (!is_set(w, set) || (target >= 0 && !is_set(w, target))) return NULL;
    uint32_t number = w->pages[(size_t)w->page_of[(uint32_t)point >> 8] * 256 + ((uint32_t)point & 255)];
    int32_t *entry = &ITEM(w->entries, int32_t, (size_t)set * w->classes + number);
    if (target < 0) {
        *entry = ABNF_NOWHERE;
    } else if (path < 0) {
        if (target != set) return wrong("a move without a path leads back to its set");
        *entry = ABNF_IDLE;
    } else {
        size_t members = ITEM(w->sets, abnf_set, target).members;
        uint32_t known = ITEM(w->sets, abnf_set, set).members;
        int right = weight >= 0 && members && (uint64_t)path + members <= w->sources.count && w->moves.count < INT32_MAX;
        for (size_t each = 0; right && each < members; each++) right = ITEM(w->sources, uint32_t, (size_t)path + each) < known;
        if (!right) return wrong("each member of a set comes from one of the set before");
        abnf_move *move = abnf_more(&w->moves, 1, sizeof *move);
        if (!move) return PyErr_NoMemory();
        *move = (abnf_move){target, weight, (uint32_t)path};
        *entry = (int32_t)w->moves.count++;
    }
    Py_RETURN_NONE;
}

/* ---- one text ---- */

/* The characters of a str: of one octet each if it is ASCII, else of four, which `*own` has to be freed for. */
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
    size_t count;
    Py_UCS4 *own;
    if (!PyArg_ParseTuple(arguments, "Uip:read", &text, &set, &cut)) return NULL;
    if (set >= 0 && !is_set(w, set)) return NULL;
    const void *units = units_of(text, &width, &count, &own);
    if (!units) return NULL;
    PyObject *result = NULL;
    int64_t weight = 0;
    if (count >= UINT32_MAX) wrong("a text that is read with mistakes has less than 2^32 characters");
    else if (set < 0 && !may_go_on(w, count)) wrong("a text is read on from where it was left");
    else {
        if (set >= 0) abnf_begin(w, (uint32_t)set);
        abnf_status status = abnf_read_on(w, units, width, count);
        if (status == ABNF_READ) status = abnf_way_back(w, cut, &weight);
        if (status == ABNF_NO_MEMORY) PyErr_NoMemory();
        else if (status == ABNF_READ) result = gone(w, weight);
        else result = Py_BuildValue("(iKII)", (int)status, (unsigned long long)w->cost, w->at < count ? unit(units, width, w->at) : 0, w->set);
    }
    PyMem_Free(own);
    return result;
}

ALONE(weighted_add)
ALONE(weighted_way)
ALONE(weighted_mistake)
ALONE(weighted_path)
ALONE(weighted_end)
ALONE(weighted_learn)
ALONE(weighted_read)
ALONE(weighted_tell)

static PyMethodDef weighted_methods[] = {
    {"add", weighted_add_alone, METH_VARARGS, "add(cost, members, /)\n--\n\nA new set, by its number from 0."},
    {"mistake", weighted_mistake_alone, METH_VARARGS,
     "mistake(blamed, said, /)\n--\n\nA mistake by its number from 1; slots are pairs of 32-bit numbers, name and turn."},
    {"way", weighted_way_alone, METH_VARARGS, "way(events, /)\n--\n\nWhat begins and ends on a way, by its number from 1."},
    {"path", weighted_path_alone, METH_VARARGS,
     "path(sources, ways, /)\n--\n\nFor each member of a set the member it comes from, and its way; by where that begins."},
    {"end", weighted_end_alone, METH_VARARGS, "end(set, weight, member, way, /)\n--\n\nHow a text can end in a set; weight -1 where it cannot."},
    {"learn", weighted_learn_alone, METH_VARARGS,
     "learn(set, char, target, weight, path, /)\n--\n\nWhere the characters of one's class lead: nowhere (target -1), back with "
     "nothing done (path -1), or by a path."},
    {"read", weighted_read_alone, METH_VARARGS,
     "read(text, set, cut, /)\n--\n\nRead a text from a set on, or with -1 the one that was left. Gives (0, cost, weight, [(place, "
     "way)]); or what\nis missing, the cost so far, a character and a set: 1 the move from there, 2 how it can end, 3 nothing: it "
     "cannot be read."},
    {"tell", weighted_tell_alone, METH_VARARGS, "tell(column, offsets, answers, first, begin, again, limits, /)\n--\n\nThe first mistakes of rows; see mistakes/walks.py."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot weighted_slots[] = {
    {Py_tp_new, weighted_new},
    {Py_tp_dealloc, weighted_dealloc},
    {Py_tp_methods, weighted_methods},
    {Py_tp_doc, "Weighted(page_of, pages, classes)\n--\n\nWeighted sets of states over classes of characters, made while texts are read."},
    {0, NULL}};
PyType_Spec weighted_spec = {"abnforge._kernel.binding.Weighted", sizeof(WeightedObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, weighted_slots};
