/* The recognizer of recursive rules (see parsing/recognizer/program.py), and walks along the moves that it has found. */
#include "binding.h"
#include "recognizer.h"

#include <stdlib.h>
#include <string.h>

#define DEAD ABNF_NONE
#define UNKNOWN (ABNF_NONE - 1)
#define CHANGED (1u << 31) /* in a move: a part of the stack is spilled or restored after it */

enum { AT_END, AT_DEAD, AT_CHANGED, AT_WIDE, AT_PAUSE };

typedef struct {
    PyObject_HEAD
    uint16_t *page_of;    /* [0x1100] the page of 256 code points */
    uint8_t *pages;       /* [256 * page count] the class of a code point */
    uint32_t *symbols;    /* [classes] */
    uint8_t *flags;       /* [rules] */
    abnf_recognizer r;
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

static void *copy_of(const Py_buffer *view) {
    void *copy = malloc((size_t)view->len + 1);
    if (copy) memcpy(copy, view->buf, (size_t)view->len);
    return copy;
}

static PyObject *learned_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"page_of", "pages", "symbols", "flags", NULL};
    Py_buffer page_of, pages, symbols, flags;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y*y*y*y*:LearnedDFA", names, &page_of, &pages, &symbols, &flags)) return NULL;
    Classes classes = {NULL, NULL, (int)(symbols.len / 4 < 257 ? symbols.len / 4 : 257)};
    LearnedObject *self = symbols.len % 4 || !copied(&page_of, &pages, &classes) ? NULL : (LearnedObject *)PyType_GenericAlloc(type, 0);
    if (self) {
        self->page_of = classes.page_of;
        self->pages = classes.pages;
        self->symbols = copy_of(&symbols);
        self->flags = copy_of(&flags);
        self->r.classes = (uint32_t)classes.count;
        self->r.rules = flags.len < 1 << 30 ? (uint32_t)flags.len : 0;
        self->r.symbols = self->symbols;
        self->r.flags = self->flags;
        if (!self->symbols || !self->flags || !abnf_recognizer_begin(&self->r)) {
            PyErr_NoMemory();
            Py_CLEAR(self);
        }
    } else {
        free(classes.page_of);
        free(classes.pages);
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "symbols must be numbers of 4 bytes");
    }
    PyBuffer_Release(&page_of);
    PyBuffer_Release(&pages);
    PyBuffer_Release(&symbols);
    PyBuffer_Release(&flags);
    return (PyObject *)self;
}

static void learned_dealloc(PyObject *object) {
    LearnedObject *self = (LearnedObject *)object;
    PyTypeObject *type = Py_TYPE(object);
    abnf_recognizer_free(&self->r);
    free(self->page_of);
    free(self->pages);
    free(self->symbols);
    free(self->flags);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

/* ---- definitions ---- */

static PyObject *learned_charset(PyObject *object, PyObject *argument) {
    abnf_recognizer *r = &((LearnedObject *)object)->r;
    Py_buffer ranges;
    if (PyObject_GetBuffer(argument, &ranges, PyBUF_SIMPLE) < 0) return NULL;
    abnf_charset *new = abnf_more(&r->charsets, 1, sizeof *new);
    if (!new) {
        PyBuffer_Release(&ranges);
        return PyErr_NoMemory();
    }
    memset(new, 0, sizeof *new);
    for (uint32_t class = 0; class < r->classes; class++) {
        Py_ssize_t low = 0, high = ranges.len / 8;
        while (low < high) { /* find the first range that ends at the symbol or later */
            Py_ssize_t middle = (low + high) / 2;
            if (((const uint32_t *)ranges.buf)[2 * middle + 1] < r->symbols[class]) low = middle + 1;
            else high = middle;
        }
        if (low < ranges.len / 8 && ((const uint32_t *)ranges.buf)[2 * low] <= r->symbols[class])
            new->bits[class >> 6] |= (uint64_t)1 << (class & 63);
    }
    PyBuffer_Release(&ranges);
    return PyLong_FromSize_t(r->charsets.count++);
}

static PyObject *failed(LearnedObject *self) {
    abnf_status status = self->r.status;
    self->r.status = ABNF_READ;
    if (status == ABNF_NO_MEMORY) {
        abnf_recognizer_forget(&self->r);
        return PyErr_NoMemory();
    }
    if (status == ABNF_TOO_MANY) self->r.wanted = ABNF_NONE;
    Py_RETURN_NONE;
}

/* Return a number, or None if something must be defined first. */
static PyObject *number_or_none(LearnedObject *self, uint32_t number) {
    return self->r.status ? failed(self) : PyLong_FromUnsignedLong(number);
}

static PyObject *learned_define(PyObject *object, PyObject *arguments) {
    LearnedObject *self = (LearnedObject *)object;
    unsigned int part;
    Py_buffer words;
    if (!PyArg_ParseTuple(arguments, "Iy*:define", &part, &words)) return NULL;
    uint32_t number = words.len % 4 ? ABNF_NONE : abnf_define(&self->r, part, words.buf, (size_t)words.len / 4);
    PyBuffer_Release(&words);
    if (self->r.status) return failed(self);
    if (number == ABNF_NONE) return PyErr_Format(PyExc_ValueError, "invalid definition of part %u", part);
    return PyLong_FromUnsignedLong(number);
}

/* Append the numbers of a tuple below a limit. Return 0 with an exception if there are others. */
static int append_numbers(abnf_recognizer *r, PyObject *numbers, size_t limit) {
    for (Py_ssize_t each = 0; each < PyTuple_Size(numbers); each++) {
        unsigned long number = PyLong_AsUnsignedLong(PyTuple_GetItem(numbers, each));
        if (PyErr_Occurred()) return 0;
        uint32_t *new = number < limit ? abnf_more(&r->members, 1, sizeof *new) : NULL;
        if (!new) {
            PyErr_Format(PyExc_IndexError, "unknown number %lu", number);
            return 0;
        }
        *new = (uint32_t)number;
        r->members.count++;
    }
    return 1;
}

static PyObject *learned_corners(PyObject *object, PyObject *arguments) {
    abnf_recognizer *r = &((LearnedObject *)object)->r;
    PyObject *members, *reached;
    int is_recursive;
    if (!PyArg_ParseTuple(arguments, "O!O!p:corners", &PyTuple_Type, &members, &PyTuple_Type, &reached, &is_recursive)) return NULL;
    abnf_corners *new = abnf_more(&r->corners, 1, sizeof *new);
    uint32_t number = (uint32_t)r->corners.count, first = (uint32_t)r->members.count;
    if (!new) return PyErr_NoMemory();
    if (!append_numbers(r, members, r->rules) || !append_numbers(r, reached, number + 1)) {
        r->members.count = first;
        return NULL;
    }
    uint32_t count = (uint32_t)PyTuple_Size(members);
    *new = (abnf_corners){first, count, first + count, (uint32_t)PyTuple_Size(reached), (uint32_t)is_recursive};
    r->corners.count++;
    for (uint32_t each = 0; each < count; each++) ITEMS(r->corner_of, uint32_t)[ITEMS(r->members, uint32_t)[first + each]] = number;
    return PyLong_FromUnsignedLong(number);
}

static PyObject *learned_wanted(PyObject *object, PyObject *unused) {
    (void)unused;
    uint32_t wanted = ((LearnedObject *)object)->r.wanted;
    return PyLong_FromLong(wanted == ABNF_NONE ? -1 : (long)wanted);
}

static PyObject *learned_limit(PyObject *object, PyObject *arguments) {
    abnf_recognizer *r = &((LearnedObject *)object)->r;
    if (!PyArg_ParseTuple(arguments, "IIII:limit", &r->most_dominators, &r->most_nodes, &r->most_items, &r->most_pairs)) return NULL;
    Py_RETURN_NONE;
}

/* ---- operations ---- */

static int below(unsigned int number, size_t count) {
    if (number < count) return 1;
    PyErr_Format(PyExc_IndexError, "unknown number %u", number);
    return 0;
}

/* Return pairs of numbers as a tuple of tuples. */
static PyObject *tuple_of(const abnf_pair *pairs, uint32_t count) {
    PyObject *result = PyTuple_New(count);
    for (uint32_t each = 0; result && each < count; each++) {
        PyObject *pair = Py_BuildValue("(II)", (unsigned int)(pairs[each] >> 32), (unsigned int)pairs[each]);
        if (pair) PyTuple_SetItem(result, each, pair);
        else Py_CLEAR(result);
    }
    return result;
}

static PyObject *learned_calls(PyObject *object, PyObject *arguments) {
    LearnedObject *self = (LearnedObject *)object;
    unsigned int rule;
    if (!PyArg_ParseTuple(arguments, "I:calls", &rule) || !below(rule, self->r.rules)) return NULL;
    uint32_t frame = abnf_entry(&self->r, rule), count = self->r.status ? 0 : abnf_calls(&self->r, frame);
    if (self->r.status) return failed(self);
    return tuple_of(ITEMS(self->r.calls, abnf_pair) + ITEMS(self->r.frames, abnf_frame)[frame].calls, count);
}

static PyObject *learned_start(PyObject *object, PyObject *arguments) {
    LearnedObject *self = (LearnedObject *)object;
    unsigned int rule;
    if (!PyArg_ParseTuple(arguments, "I:start", &rule) || !below(rule, self->r.rules)) return NULL;
    if (++self->text == 0) { /* the counter overflowed */
        for (size_t each = 0; each < self->r.configurations.count; each++) ITEMS(self->r.configurations, abnf_configuration)[each].text = 0;
        self->text = 1;
    }
    return number_or_none(self, abnf_start(&self->r, rule));
}

static PyObject *learned_restore(PyObject *object, PyObject *arguments) {
    LearnedObject *self = (LearnedObject *)object;
    unsigned int configuration, node;
    if (!PyArg_ParseTuple(arguments, "II:restore", &configuration, &node)) return NULL;
    if (!below(configuration, self->r.configurations.count) || !below(node, self->r.nodes.count)) return NULL;
    return number_or_none(self, abnf_restore(&self->r, configuration, node));
}

/* Return three flags of a configuration: the string can end; a frame returns to the spilled part; there are too many pairs
 * or nodes. The node and the configuration that spill a part of it follow, or None. */
static PyObject *learned_describe(PyObject *object, PyObject *arguments) {
    LearnedObject *self = (LearnedObject *)object;
    unsigned int configuration;
    if (!PyArg_ParseTuple(arguments, "I:describe", &configuration) || !below(configuration, self->r.configurations.count)) return NULL;
    abnf_configuration it = ITEMS(self->r.configurations, abnf_configuration)[configuration];
    int is_large = it.is_returning && abnf_is_large(&self->r, configuration);
    PyObject *spilled = it.node == ABNF_NONE ? Py_BuildValue("") : Py_BuildValue("(II)", it.node, it.below);
    return Py_BuildValue("(iiiN)", it.is_accepting, it.is_returning, is_large || it.count > self->r.most_pairs, spilled);
}

/* Return the class of a code point; larger numbers have the class of the last code point. */
static uint32_t class_of(const LearnedObject *self, uint32_t point) {
    if (point > 0x10FFFF) point = 0x10FFFF;
    return self->pages[(size_t)self->page_of[point >> 8] * 256 + (point & 255)];
}

/* Find a move that no string has taken yet. Moves to configurations with many pairs are not kept. */
static uint32_t learn(LearnedObject *self, uint32_t configuration, uint32_t class) {
    abnf_recognizer *r = &self->r;
    uint32_t target = abnf_move(r, configuration, class);
    if (r->status) return UNKNOWN;
    const abnf_configuration *it = target == DEAD ? NULL : &ITEMS(r->configurations, abnf_configuration)[target];
    if (it && (it->is_returning || it->node != ABNF_NONE)) target |= CHANGED;
    if (!it || it->count <= r->most_pairs) ITEMS(r->moves, uint32_t)[(size_t)configuration * r->classes + class] = target;
    return target;
}

typedef struct {
    uint32_t configuration, met;
    uint64_t cost, octets;
} walked;

/* Record that the string led to a configuration. */
static void meet(LearnedObject *self, walked *w) {
    abnf_configuration *it = &ITEMS(self->r.configurations, abnf_configuration)[w->configuration];
    if (it->text == self->text) return;
    it->text = self->text;
    w->cost += it->cost;
    w->octets += it->octets;
    w->met++;
}

#define WALK_UNITS(TYPE)                                                                                               \
    for (const TYPE *units = view.buf; at < count; at++) {                                                             \
        uint32_t class = class_of(self, units[at]);                                                                    \
        uint32_t target = ITEMS(self->r.moves, uint32_t)[(size_t)w.configuration * self->r.classes + class];           \
        if (UNLIKELY(target >= CHANGED)) {                                                                             \
            if (target == UNKNOWN) target = learn(self, w.configuration, class);                                       \
            if (self->r.status) break;                                                                                 \
            if (target == DEAD) {                                                                                      \
                outcome = AT_DEAD;                                                                                     \
                break;                                                                                                 \
            }                                                                                                          \
            int is_changed = (target & CHANGED) != 0;                                                                  \
            target &= ~CHANGED;                                                                                        \
            if (is_changed || ITEMS(self->r.configurations, abnf_configuration)[target].count > self->r.most_pairs) {  \
                w.configuration = target, at++;                                                                        \
                outcome = is_changed ? AT_CHANGED : AT_WIDE;                                                           \
                break;                                                                                                 \
            }                                                                                                          \
        }                                                                                                              \
        w.configuration = target;                                                                                      \
        meet(self, &w);                                                                                                \
        if (UNLIKELY(w.met >= most)) {                                                                                \
            outcome = AT_PAUSE, at++;                                                                                  \
            break;                                                                                                     \
        }                                                                                                              \
    }

static PyObject *learned_walk(PyObject *object, PyObject *arguments) {
    LearnedObject *self = (LearnedObject *)object;
    Py_buffer view;
    int width, outcome = AT_END;
    unsigned int configuration, most;
    Py_ssize_t at;
    if (!PyArg_ParseTuple(arguments, "y*inII:walk", &view, &width, &at, &configuration, &most)) return NULL;
    Py_ssize_t count = width == 1 || width == 4 ? view.len / width : -1;
    if (!below(configuration, self->r.configurations.count) || at < 0 || at > count || (width == 4 && (uintptr_t)view.buf % 4)) {
        PyBuffer_Release(&view);
        if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "characters must be of 1 or 4 bytes, and start at a multiple of these");
        return NULL;
    }
    walked w = {configuration, 0, 0, 0};
    meet(self, &w);
    if (width == 1) WALK_UNITS(uint8_t)
    else WALK_UNITS(uint32_t)
    PyBuffer_Release(&view);
    if (self->r.status) {
        PyObject *result = failed(self);
        if (!result) return NULL;
        Py_DECREF(result);
        outcome = -1;
    }
    return Py_BuildValue("(nIKKIi)", at, w.configuration, (unsigned long long)w.cost, (unsigned long long)w.octets, w.met, outcome);
}

/* ---- contents, for use without the extension ---- */

static PyObject *learned_pairs(PyObject *object, PyObject *arguments) {
    LearnedObject *self = (LearnedObject *)object;
    unsigned int number;
    if (!PyArg_ParseTuple(arguments, "I:pairs", &number) || !below(number, self->r.configurations.count)) return NULL;
    abnf_configuration it = ITEMS(self->r.configurations, abnf_configuration)[number];
    return tuple_of(ITEMS(self->r.pairs, abnf_pair) + it.first, it.count);
}

static PyObject *learned_node(PyObject *object, PyObject *arguments) {
    abnf_recognizer *r = &((LearnedObject *)object)->r;
    unsigned int number;
    if (!PyArg_ParseTuple(arguments, "I:node", &number) || !below(number, r->nodes.count)) return NULL;
    abnf_stack_node node = ITEMS(r->nodes, abnf_stack_node)[number];
    if (node.group == ABNF_NONE) return Py_BuildValue("(N)", tuple_of(ITEMS(r->edges, abnf_pair) + node.first, node.count));
    abnf_group group = ITEMS(r->groups, abnf_group)[node.group];
    const abnf_pair *origin = ITEMS(r->origins, abnf_pair) + group.first, *end = origin + group.size;
    PyObject *result = PyTuple_New(ITEMS(r->corners, abnf_corners)[group.corners].count);
    for (Py_ssize_t member = 0; result && origin < end; member++) {
        PyObject *edges = tuple_of(origin + 1, (uint32_t)*origin);
        origin += 1 + *origin;
        if (edges) PyTuple_SetItem(result, member, edges);
        else Py_CLEAR(result);
    }
    uint32_t rule = ITEMS(r->members, uint32_t)[ITEMS(r->corners, abnf_corners)[group.corners].members + node.member];
    return result ? Py_BuildValue("(NI)", result, rule) : NULL;
}

static PyObject *learned_frame(PyObject *object, PyObject *arguments) {
    abnf_recognizer *r = &((LearnedObject *)object)->r;
    unsigned int number;
    if (!PyArg_ParseTuple(arguments, "I:frame", &number) || !below(number, r->frames.count)) return NULL;
    abnf_frame frame = ITEMS(r->frames, abnf_frame)[number];
    PyObject *items = PyTuple_New(frame.count);
    for (uint32_t each = 0; items && each < frame.count; each++)
        PyTuple_SetItem(items, each, PyLong_FromUnsignedLong(ITEMS(r->frame_items, uint32_t)[frame.first + each]));
    return items ? Py_BuildValue("(Ni)", items, (int)frame.final) : NULL;
}

static PyObject *learned_item(PyObject *object, PyObject *arguments) {
    abnf_recognizer *r = &((LearnedObject *)object)->r;
    unsigned int number;
    if (!PyArg_ParseTuple(arguments, "I:item", &number) || !below(number, r->items.count)) return NULL;
    abnf_item item = ITEMS(r->items, abnf_item)[number];
    return Py_BuildValue("(III)", item.part, item.index, item.rest);
}

static PyObject *learned_size(PyObject *object, PyObject *unused) {
    const abnf_recognizer *r = &((LearnedObject *)object)->r;
    (void)unused;
    return PyLong_FromSize_t(r->configurations.count + r->nodes.count + r->items.count + r->frames.count);
}

static PyObject *learned_forget(PyObject *object, PyObject *unused) {
    LearnedObject *self = (LearnedObject *)object;
    (void)unused;
    abnf_recognizer_forget(&self->r);
    if (self->r.status) return failed(self);
    Py_RETURN_NONE;
}

ALONE(learned_charset)
ALONE(learned_define)
ALONE(learned_corners)
ALONE(learned_wanted)
ALONE(learned_limit)
ALONE(learned_calls)
ALONE(learned_start)
ALONE(learned_restore)
ALONE(learned_describe)
ALONE(learned_walk)
ALONE(learned_pairs)
ALONE(learned_node)
ALONE(learned_frame)
ALONE(learned_item)
ALONE(learned_size)
ALONE(learned_forget)

static PyMethodDef learned_methods[] = {
    {"charset", learned_charset_alone, METH_O, "charset(ranges, /)\n--\n\nAdd a set of characters, and return its number."},
    {"define", learned_define_alone, METH_VARARGS, "define(part, words, /)\n--\n\nDefine a part by nodes in postfix order."},
    {"corners", learned_corners_alone, METH_VARARGS,
     "corners(members, reached, is_recursive, /)\n--\n\nAdd a group of rules that call one another before the first character. Returns its number."},
    {"wanted", learned_wanted_alone, METH_NOARGS,
     "wanted()\n--\n\nReturn what to define: 2 * a part, or 2 * a rule + 1 for its corners; -1 if a closure exceeds its limit."},
    {"limit", learned_limit_alone, METH_VARARGS, "limit(dominators, nodes, items, pairs, /)\n--\n\nSet the limits."},
    {"calls", learned_calls_alone, METH_VARARGS, "calls(rule, /)\n--\n\nReturn the calls at the beginning of a rule, or None."},
    {"start", learned_start_alone, METH_VARARGS, "start(rule, /)\n--\n\nBegin another string. Returns a configuration, or None."},
    {"restore", learned_restore_alone, METH_VARARGS,
     "restore(configuration, node, /)\n--\n\nReturn the configuration after restoring a spilled part, or None."},
    {"describe", learned_describe_alone, METH_VARARGS,
     "describe(configuration, /)\n--\n\nReturn its flags (accepting, returning, large) and its spilled form."},
    {"walk", learned_walk_alone, METH_VARARGS,
     "walk(units, width, begin, configuration, most, /)\n--\n\nWalk characters. Returns the place and the configuration there, the "
     "costs,\nthe bytes and the number of the configurations that this string met for the first time\n(at most `most`), and the outcome."},
    {"pairs", learned_pairs_alone, METH_VARARGS, "pairs(configuration, /)\n--\n\nReturn pairs of a node and a frame."},
    {"node", learned_node_alone, METH_VARARGS,
     "node(node, /)\n--\n\nReturn its edges; in a group, the edges from outside for each member, and its rule."},
    {"frame", learned_frame_alone, METH_VARARGS, "frame(frame, /)\n--\n\nReturn its items, and whether it can end."},
    {"item", learned_item_alone, METH_VARARGS, "item(item, /)\n--\n\nReturn its part, its index and the item after it."},
    {"size", learned_size_alone, METH_NOARGS, "size()\n--\n\nReturn the number of items, frames, nodes and configurations."},
    {"forget", learned_forget_alone, METH_NOARGS, "forget()\n--\n\nDrop all of these."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot learned_slots[] = {
    {Py_tp_new, learned_new},
    {Py_tp_dealloc, learned_dealloc},
    {Py_tp_methods, learned_methods},
    {Py_tp_doc, "LearnedDFA(page_of, pages, symbols, flags)\n--\n\nThe configurations of recursive rules, which are found as strings are read."},
    {0, NULL}};
PyType_Spec learned_spec = {"abnforge._native.binding.LearnedDFA", sizeof(LearnedObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE,
                          learned_slots};
