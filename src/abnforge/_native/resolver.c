/* Normalize and resolve component objects and str in the usual calls; Python handles all other calls. */
#include "binding.h"
#include "references.h"

#include <string.h>

enum { TAGS = 2 * ABNF_COMPONENTS, STACK = 1024 };

typedef struct {
    PyObject_HEAD
    Shortcut shortcut;
    PyObject *classes; /* the classes of references with and without a scheme */
    PartsClass kinds[2];
    PyObject *read, *with_scheme, *without; /* rule names of the input and of results */
    PyObject *base;                         /* the string of the last base, since callers often repeat it, or null */
    abnf_reference base_it;                 /* the last base as a reference, with the places above */
    int32_t base_places[TAGS];
} ResolverObject;

/* The reference in an argument. */
typedef struct {
    PyObject *text; /* borrowed */
    abnf_reference it;
    int32_t places[ABNF_MAX_REGISTERS];
    const uint8_t *kinds;
} Taken;

static PyObject *resolver_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"table", "classes", "rules", NULL};
    PyObject *table, *classes, *rules[3];
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO!(UUU):Resolver", names, &table, &PyTuple_Type, &classes, &rules[0],
                                     &rules[1], &rules[2]))
        return NULL;
    Types *types = PyType_GetModuleState(type);
    PartsClass kinds[2];
    if (!types || !parts_classes(classes, types, kinds)) return NULL;
    ResolverObject *self = (ResolverObject *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->classes = Py_NewRef(classes);
    memcpy(self->kinds, kinds, sizeof kinds);
    self->read = PyUnicode_FromObject(rules[0]); /* plain str */
    self->with_scheme = PyUnicode_FromObject(rules[1]);
    self->without = PyUnicode_FromObject(rules[2]);
    if (!self->read || !self->with_scheme || !self->without ||
        shortcut_init(&self->shortcut, table, Py_None, Py_None, NULL, type) < 0)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int resolver_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((ResolverObject *)self)->classes);
    return shortcut_traverse(&((ResolverObject *)self)->shortcut, visit, arg);
}

static int resolver_clear(PyObject *self) {
    shortcut_clear(&((ResolverObject *)self)->shortcut);
    return 0;
}

static void resolver_dealloc(PyObject *object) {
    PyTypeObject *type = Py_TYPE(object);
    ResolverObject *self = (ResolverObject *)object;
    PyObject_GC_UnTrack(object);
    resolver_clear(object);
    Py_XDECREF((PyObject *)self->shortcut.table);
    Py_XDECREF(self->shortcut.keyword);
    Py_XDECREF(self->classes);
    Py_XDECREF(self->read);
    Py_XDECREF(self->with_scheme);
    Py_XDECREF(self->without);
    Py_XDECREF(self->base);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(object);
    Py_DECREF(type);
}

static int is_made(const ResolverObject *self, PyObject *value) {
    return Py_TYPE(value) == self->kinds[0].type || Py_TYPE(value) == self->kinds[1].type;
}

/* Create a reference from an ASCII string and its places. Return 1, 0 if it is not a reference, -1 with an exception. */
static int place(Taken *taken) {
    abnf_text octets;
    int have = text_octets(taken->text, &octets);
    if (have <= 0) return have;
    taken->it = (abnf_reference){octets.begin, (size_t)(octets.end - octets.begin), taken->places};
    return abnf_is_reference(&taken->it);
}

/* Read a str. Return 1 if it is valid, 0 if not, -1 with an exception. */
static int take_text(ResolverObject *self, PyObject *text, Taken *taken) {
    taken->text = text;
    int found = read_tagged(&self->shortcut.table->table, text, taken->places, &taken->kinds);
    return found <= 0 ? found : place(taken);
}

/* Read a plain str, or an object of the two classes whose parts are those of its string. Return the same values as
 * take_text. */
static int take(ResolverObject *self, PyObject *value, Taken *taken) {
    if (PyUnicode_CheckExact(value)) return take_text(self, value, taken);
    if (!is_made(self, value)) return 0;
    const int32_t *known;
    int tags, found;
    PyObject *text = parts_text(value, &known, &tags);
    if (!PyUnicode_CheckExact(text) || tags != TAGS) return 0;
    found = take_text(self, text, taken);
    return found > 0 ? !memcmp(known, taken->places, sizeof *known * TAGS) : found;
}

/* Read a base, or reuse the last base if it is the same str, whose characters do not move. `text` and `kinds` are not set
 * for a reused base. */
static int take_base(ResolverObject *self, PyObject *value, Taken *taken) {
    const int32_t *places;
    int tags, found = 0;
    if (!PyUnicode_CheckExact(value)) { /* only the string of an object is compared */
        if (!is_made(self, value)) return 0;
        value = parts_text(value, &places, &tags);
        if (!PyUnicode_CheckExact(value)) return 0;
    }
    BEGIN_ALONE((PyObject *)self)
    if (self->base == value) {
        memcpy(taken->places, self->base_places, sizeof self->base_places);
        taken->it = self->base_it;
        found = 1;
    }
    END_ALONE;
    if (found) {
        taken->it.places = taken->places;
        return 1;
    }
    found = take_text(self, value, taken);
    if (found > 0) {
        PyObject *old;
        BEGIN_ALONE((PyObject *)self)
        old = self->base;
        self->base = Py_NewRef(value);
        self->base_it = taken->it;
        memcpy(self->base_places, taken->places, sizeof self->base_places);
        END_ALONE;
        Py_XDECREF(old);
    }
    return found;
}

/* Return whether there is a table for references. */
static int ready(ResolverObject *self) {
    int found = shortcut_ready(&self->shortcut, (PyObject *)self);
    return found > 0 ? self->shortcut.table->table.tags == TAGS : found;
}

static PyObject *object_of(ResolverObject *self, const Taken *taken, PyObject *rule) {
    const abnf_table *table = &self->shortcut.table->table;
    if (!rule) rule = taken->places[1] < 0 ? self->without : self->with_scheme;
    return parts_made(&self->kinds[taken->places[1] < 0], table, taken->text, rule, taken->places, taken->kinds);
}

/* Return the component object of the output, or None if Python has to create it. */
static PyObject *remade(ResolverObject *self, const uint8_t *octets, size_t length) {
    if (length > INT32_MAX) Py_RETURN_NONE;
    Taken made;
    PyObject *text = PyUnicode_FromStringAndSize((const char *)octets, (Py_ssize_t)length), *object = NULL;
    if (!text) return NULL;
    int found = take_text(self, text, &made);
    if (found >= 0) object = found ? object_of(self, &made, NULL) : Py_NewRef(Py_None);
    Py_DECREF(text);
    return object;
}

static PyObject *resolver_normalized(PyObject *object, PyObject *value) {
    ResolverObject *self = (ResolverObject *)object;
    Taken taken;
    int found = ready(self);
    if (found > 0) found = take(self, value, &taken);
    if (found < 0) return NULL;
    if (!found) Py_RETURN_NONE;
    int same = abnf_surely_normal(&taken.it);
    PyObject *result = NULL;
    if (!same) {
        uint8_t stack[STACK], *made = stack;
        if (taken.it.length + ABNF_GUARD > STACK && !(made = PyMem_Malloc(taken.it.length + ABNF_GUARD))) return PyErr_NoMemory();
        size_t length = abnf_normalize(&taken.it, made);
        same = length == taken.it.length && !memcmp(made, taken.it.octets, length);
        if (!same) result = remade(self, made, length);
        if (made != stack) PyMem_Free(made);
    }
    if (!same) return result;
    return PyUnicode_CheckExact(value) ? object_of(self, &taken, self->read) : Py_NewRef(value);
}

static PyObject *resolver_resolved(PyObject *object, PyObject *const *arguments, Py_ssize_t count) {
    ResolverObject *self = (ResolverObject *)object;
    if (count != 2) return PyErr_Format(PyExc_TypeError, "resolved requires a base and a reference");
    Taken base, ref;
    int found = ready(self);
    if (found > 0) found = take_base(self, arguments[0], &base);
    if (found > 0) found = base.places[1] < 0 ? 0 : take(self, arguments[1], &ref);
    if (found < 0) return NULL;
    if (!found) Py_RETURN_NONE;
    if (abnf_surely_target(&ref.it)) return object_of(self, &ref, NULL);
    size_t most = base.it.length + ref.it.length + ABNF_GUARD;
    uint8_t stack[STACK], *made = stack;
    if (most > STACK && !(made = PyMem_Malloc(most))) return PyErr_NoMemory();
    PyObject *result = remade(self, made, abnf_resolve(&base.it, &ref.it, made));
    if (made != stack) PyMem_Free(made);
    return result;
}

static PyMethodDef resolver_methods[] = {
    {"normalized", resolver_normalized, METH_O,
     "normalized(value, /)\n--\n\nReturn the normal form of a reference by section 6.2.2; None if Python has to compute it."},
    {"resolved", (PyCFunction)(void (*)(void))resolver_resolved, METH_FASTCALL,
     "resolved(base, ref, /)\n--\n\nReturn the target of a reference by section 5.2.2; None if Python has to compute it."},
    {NULL, NULL, 0, NULL}};
static PyType_Slot resolver_slots[] = {
    {Py_tp_new, resolver_new},     {Py_tp_dealloc, resolver_dealloc}, {Py_tp_traverse, resolver_traverse},
    {Py_tp_clear, resolver_clear}, {Py_tp_methods, resolver_methods},
    {Py_tp_doc, "Resolver(table, classes, rules)\n--\n\nNormalizes and resolves references, which a table parses."},
    {0, NULL}};
PyType_Spec resolver_spec = {"abnforge._native.binding.Resolver", sizeof(ResolverObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, resolver_slots};
