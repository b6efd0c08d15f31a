/* Component objects: a string and the places of its parts, which are sliced on access. */
#include "binding.h"

#include <stddef.h>
#include <string.h>
#include <structmember.h>

/* A component object. `places` are the begin and end of each part in code points, -1 for an absent part. */
typedef struct {
    PyObject_VAR_HEAD
    PyObject *text, *rule, *weak;
    const Types *light; /* see PartsClass */
    uint8_t kinds[16];
    int32_t places[];
} PartsObject;

typedef struct {
    PyObject_HEAD
    PyTypeObject *owner;
    const Types *types; /* the state of the module, which the owner keeps alive; this object keeps the owner alive */
    PyObject *doc;
    int number;
} PartObject;

typedef struct {
    PyObject_HEAD
    PyTypeObject *owner;
    PyObject *doc, *values;
    int number;
} KindObject;

static int tags_of(PyObject *self) { return (int)Py_SIZE(self); }

/* ---- Parts ---- */

static PyObject *parts_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"text", "rule", "places", "kinds", NULL};
    PyObject *text, *rule, *places, *kinds;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "UOO!O!:Parts", names, &text, &rule, &PyTuple_Type, &places,
                                     &PyTuple_Type, &kinds))
        return NULL;
    Py_ssize_t tags = PyTuple_Size(places), length = PyUnicode_GetLength(text);
    if (length > INT32_MAX) return PyErr_Format(PyExc_ValueError, "string exceeds %d characters, the limit for components", (int)INT32_MAX);
    if (tags >= (Py_ssize_t)ABNF_MAX_REGISTERS || tags % 2 || PyTuple_Size(kinds) > 16)
        return PyErr_Format(PyExc_ValueError, "too many places or kinds");
    PartsObject *self = (PartsObject *)PyType_GenericAlloc(type, tags);
    if (!self) return NULL;
    self->text = Py_NewRef(text);
    self->rule = Py_NewRef(rule);
    for (Py_ssize_t at = 0; at < tags; at++) {
        long place = PyLong_AsLong(PyTuple_GetItem(places, at));
        if (place == -1 && PyErr_Occurred()) goto wrong;
        if (place < -1 || place > length || (at % 2 && (place < self->places[at - 1] || (place >= 0) != (self->places[at - 1] >= 0)))) {
            PyErr_SetString(PyExc_ValueError, "place is outside the string");
            goto wrong;
        }
        self->places[at] = (int32_t)place;
    }
    for (Py_ssize_t at = 0; at < PyTuple_Size(kinds); at++) {
        long kind = PyLong_AsLong(PyTuple_GetItem(kinds, at));
        if (kind == -1 && PyErr_Occurred()) goto wrong;
        if (kind < 0 || kind > UINT8_MAX) {
            PyErr_SetString(PyExc_ValueError, "kind must be 0 to 255");
            goto wrong;
        }
        self->kinds[at] = (uint8_t)kind;
    }
    return (PyObject *)self;
wrong:
    Py_DECREF(self);
    return NULL;
}

/* The garbage collector does not track light objects. The string and the rule are plain str without references, so a
 * cycle can only pass through the class, which lives as long as the reader. A light object cannot get a dictionary later,
 * since classes with a dictionary have a different layout. */
PyObject *parts_made(const PartsClass *kind, const abnf_table *table, PyObject *text, PyObject *rule, const int32_t *places,
                     const uint8_t *kinds) {
    PartsObject *made = kind->light ? PyObject_GC_NewVar(PartsObject, kind->type, table->tags)
                                    : (PartsObject *)PyType_GenericAlloc(kind->type, table->tags);
    if (!made) return NULL;
    made->text = Py_NewRef(text);
    made->rule = Py_NewRef(rule);
    made->weak = NULL;
    made->light = kind->light;
    memset(made->kinds, 0, sizeof made->kinds);
    memcpy(made->kinds, kinds, table->kinds);
    memcpy(made->places, places, sizeof *places * table->tags);
    return (PyObject *)made;
}

PyObject *parts_text(PyObject *object, const int32_t **places, int *tags) {
    *places = ((PartsObject *)object)->places;
    *tags = tags_of(object);
    return ((PartsObject *)object)->text;
}

/* Return whether objects of a class have only the fields of Parts; a dictionary makes them larger. Return -1 with an
 * exception. */
static int is_light(PyTypeObject *type, const Types *types) {
    if (!(PyType_GetFlags(type) & Py_TPFLAGS_HAVE_GC)) return 0; /* parts_made only allocates objects with GC */
    PyObject *size = PyObject_GetAttrString((PyObject *)type, "__basicsize__");
    PyObject *least = size ? PyObject_GetAttrString((PyObject *)types->parts, "__basicsize__") : NULL;
    int same = least ? PyObject_RichCompareBool(size, least, Py_EQ) : -1;
    Py_XDECREF(size);
    Py_XDECREF(least);
    return same;
}

/* Store the classes of the first reader. */
static void learn_usual(Types *types, const PartsClass *classes) {
    BEGIN_ALONE((PyObject *)types->parts)
    for (int at = 0; at < 2; at++)
        if (!types->usual[at]) POKE(types->usual[at], (PyTypeObject *)Py_NewRef((PyObject *)classes[at].type));
    END_ALONE;
}

int parts_classes(PyObject *classes, Types *types, PartsClass *found) {
    if (!PyTuple_Check(classes) || PyTuple_Size(classes) != 2) return PyErr_SetString(PyExc_ValueError, "classes must be a pair"), 0;
    for (Py_ssize_t at = 0; at < 2; at++) {
        PyObject *made = PyTuple_GetItem(classes, at);
        if (!PyType_Check(made) || !PyType_IsSubtype((PyTypeObject *)made, types->parts))
            return PyErr_SetString(PyExc_TypeError, "class must be a subclass of Parts"), 0;
        int light = is_light((PyTypeObject *)made, types);
        if (light < 0) return 0;
        found[at] = (PartsClass){(PyTypeObject *)made, light ? types : NULL};
    }
    learn_usual(types, found);
    return 1;
}

static void parts_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    if (((PartsObject *)self)->weak) PyObject_ClearWeakRefs(self);
    Py_XDECREF(((PartsObject *)self)->text);
    Py_XDECREF(((PartsObject *)self)->rule);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

int parts_share(Types *types) {
    static const char *const FREQUENT[] = {"https", "http", "file", "urn", "ftp", "mailto", "data", "wss", "ws", "doi"};
    _Static_assert(sizeof FREQUENT / sizeof *FREQUENT == sizeof types->shared / sizeof *types->shared, "as many as there is room for");
    for (size_t at = 0; at < sizeof types->shared / sizeof *types->shared; at++) {
        types->shared[at] = (Shared){PyUnicode_InternFromString(FREQUENT[at]), FREQUENT[at], (int32_t)strlen(FREQUENT[at])};
        if (!types->shared[at].text) return -1;
    }
    return 0;
}

/* Return the first part of a string, up to `length`, as a shared str if it is frequent, otherwise as a new str. */
static PyObject *cut_front(PyObject *text, int32_t length, const Types *types) {
    for (size_t at = 0; at < sizeof types->shared / sizeof *types->shared; at++) {
        const Shared *shared = &types->shared[at];
        abnf_text octets;
        if (shared->length != length) continue;
        int have = text_octets(text, &octets);
        if (have < 0) return NULL;
        if (!have) break;
        /* A string has at least as many bytes as characters, and the compared bytes are ASCII. */
        if (!memcmp(octets.begin, shared->octets, (size_t)length)) return Py_NewRef(shared->text);
    }
    return PyUnicode_Substring(text, 0, length);
}

static PyObject *cut(PartsObject *self, int number) {
    int32_t begin = self->places[2 * number], end = self->places[2 * number + 1];
    if (end < 0) Py_RETURN_NONE;
    return begin == 0 && self->light ? cut_front(self->text, end, self->light) : PyUnicode_Substring(self->text, begin, end);
}

static PyObject *parts_all(PyObject *object, PyObject *unused) {
    (void)unused;
    int parts = tags_of(object) / 2;
    PyObject *all = PyTuple_New(parts);
    for (int number = 0; all && number < parts; number++) {
        PyObject *part = cut((PartsObject *)object, number);
        if (!part) Py_CLEAR(all);
        else PyTuple_SetItem(all, number, part);
    }
    return all;
}

static PyObject *parts_str(PyObject *self) { return Py_NewRef(((PartsObject *)self)->text); }

static PyObject *parts_places(PyObject *self, void *unused) {
    (void)unused;
    PyObject *places = PyTuple_New(tags_of(self));
    for (int at = 0; places && at < tags_of(self); at++) {
        PyObject *place = PyLong_FromLong(((PartsObject *)self)->places[at]);
        if (!place) Py_CLEAR(places);
        else PyTuple_SetItem(places, at, place);
    }
    return places;
}

static PyObject *parts_kinds(PyObject *self, void *unused) {
    (void)unused;
    PyObject *kinds = PyTuple_New(16);
    for (int at = 0; kinds && at < 16; at++) {
        PyObject *kind = PyLong_FromLong(((PartsObject *)self)->kinds[at]);
        if (!kind) Py_CLEAR(kinds);
        else PyTuple_SetItem(kinds, at, kind);
    }
    return kinds;
}

static PyObject *parts_rule(PyObject *self, void *unused) {
    (void)unused;
    return Py_NewRef(((PartsObject *)self)->rule);
}

static PyGetSetDef parts_getset[] = {
    {"_places", parts_places, NULL, "Where each part begins and ends, -1 for one that is not there.", NULL},
    {"_kinds", parts_kinds, NULL, "The numbers of the kinds, as many as there may be.", NULL},
    {"rule", parts_rule, NULL, "The rule that matched the string.", NULL},
    {NULL, NULL, NULL, NULL, NULL}};
static PyMethodDef parts_methods[] = {
    {"parts", parts_all, METH_NOARGS,
     "parts()\n--\n\nReturn all parts as one tuple, in the order of their numbers; None for a part that is undefined."},
    {NULL, NULL, 0, NULL}};
static PyMemberDef parts_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(PartsObject, weak), READONLY, NULL}, {NULL, 0, 0, 0, NULL}};
static PyType_Slot parts_slots[] = {
    {Py_tp_members, parts_members},
    {Py_tp_methods, parts_methods},
    {Py_tp_new, parts_new},
    {Py_tp_dealloc, parts_dealloc},
    {Py_tp_str, parts_str},
    {Py_tp_getset, parts_getset},
    {Py_tp_doc, "Parts(text, rule, places, kinds)\n--\n\nA string, and the places of its parts."},
    {0, NULL}};
PyType_Spec parts_spec = {"abnforge._native.binding.Parts", offsetof(PartsObject, places), sizeof(int32_t),
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_IMMUTABLETYPE, parts_slots};

/* ---- Part and Kind: descriptors in the class of a component object ---- */

static PyObject *descriptor_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords, int with_values) {
    static char *part_names[] = {"number", "doc", NULL}, *kind_names[] = {"number", "values", "doc", NULL};
    int number;
    PyObject *doc, *values = NULL;
    if (with_values ? !PyArg_ParseTupleAndKeywords(arguments, keywords, "iO!U:Kind", kind_names, &number, &PyTuple_Type,
                                                   &values, &doc)
                    : !PyArg_ParseTupleAndKeywords(arguments, keywords, "iU:Part", part_names, &number, &doc))
        return NULL;
    int most = with_values ? 15 : (int)ABNF_MAX_REGISTERS / 2 - 2;
    if (number < 0 || number > most) return PyErr_Format(PyExc_ValueError, "number must be 0 to %d, not %d", most, number);
    Types *types = PyType_GetModuleState(type);
    if (!types) return NULL;
    PyObject *self = PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    if (with_values) {
        ((KindObject *)self)->owner = (PyTypeObject *)Py_NewRef((PyObject *)types->parts);
        ((KindObject *)self)->number = number;
        ((KindObject *)self)->doc = Py_NewRef(doc);
        ((KindObject *)self)->values = Py_NewRef(values);
    } else {
        ((PartObject *)self)->owner = (PyTypeObject *)Py_NewRef((PyObject *)types->parts);
        ((PartObject *)self)->types = types;
        ((PartObject *)self)->number = number;
        ((PartObject *)self)->doc = Py_NewRef(doc);
    }
    return self;
}

static PyObject *part_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    return descriptor_new(type, arguments, keywords, 0);
}

static PyObject *kind_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    return descriptor_new(type, arguments, keywords, 1);
}

static void part_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((PartObject *)self)->doc);
    Py_XDECREF((PyObject *)((PartObject *)self)->owner);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static void kind_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(((KindObject *)self)->doc);
    Py_XDECREF((PyObject *)((KindObject *)self)->owner);
    Py_XDECREF(((KindObject *)self)->values);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *part_get(PyObject *self, PyObject *object, PyObject *type) {
    (void)type;
    if (!object || object == Py_None) return Py_NewRef(self);
    const Types *types = ((PartObject *)self)->types;
    if (Py_TYPE(object) != PEEK(types->usual[0]) && Py_TYPE(object) != PEEK(types->usual[1]) &&
        !PyObject_TypeCheck(object, ((PartObject *)self)->owner))
        return PyErr_Format(PyExc_TypeError, "object does not have parts");
    int number = ((PartObject *)self)->number;
    if (2 * number >= tags_of(object)) return PyErr_Format(PyExc_IndexError, "part was not requested");
    return cut((PartsObject *)object, number);
}

static PyObject *kind_get(PyObject *self, PyObject *object, PyObject *type) {
    (void)type;
    if (!object || object == Py_None) return Py_NewRef(self);
    if (!PyObject_TypeCheck(object, ((KindObject *)self)->owner)) return PyErr_Format(PyExc_TypeError, "object does not have kinds");
    PyObject *value = PyTuple_GetItem(((KindObject *)self)->values, ((PartsObject *)object)->kinds[((KindObject *)self)->number]);
    return value ? Py_NewRef(value) : NULL;
}

/* With a setter they are data descriptors, like properties, so the dictionary of an object cannot hide them. */
static int refuse_set(PyObject *self, PyObject *object, PyObject *value) {
    (void)self, (void)object, (void)value;
    PyErr_SetString(PyExc_AttributeError, "parts cannot be set");
    return -1;
}

static PyObject *part_doc(PyObject *self, void *unused) {
    (void)unused;
    return Py_NewRef(((PartObject *)self)->doc);
}

static PyObject *kind_doc(PyObject *self, void *unused) {
    (void)unused;
    return Py_NewRef(((KindObject *)self)->doc);
}

static PyGetSetDef part_getset[] = {{"__doc__", part_doc, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyGetSetDef kind_getset[] = {{"__doc__", kind_doc, NULL, NULL, NULL}, {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot part_slots[] = {{Py_tp_new, part_new},           {Py_tp_dealloc, part_dealloc}, {Py_tp_descr_get, part_get},
                                   {Py_tp_descr_set, refuse_set},   {Py_tp_getset, part_getset},   {0, NULL}};
static PyType_Slot kind_slots[] = {{Py_tp_new, kind_new},           {Py_tp_dealloc, kind_dealloc}, {Py_tp_descr_get, kind_get},
                                   {Py_tp_descr_set, refuse_set},   {Py_tp_getset, kind_getset},   {0, NULL}};
PyType_Spec part_spec = {"abnforge._native.binding.Part", sizeof(PartObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, part_slots};
PyType_Spec kind_spec = {"abnforge._native.binding.Kind", sizeof(KindObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, kind_slots};

/* ---- Reader: strings to component objects ---- */

typedef struct {
    PyObject_HEAD
    Shortcut shortcut;
    PyObject *classes, *rule;
    PartsClass kinds[2]; /* the two classes, unless None */
} ReaderObject;

static PyObject *reader_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"table", "classes", "rule", "slow", "travel", "others", NULL};
    PyObject *table, *classes, *rule, *slow, *travel, *others = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOUOO|O!:Reader", names, &table, &classes, &rule, &slow, &travel,
                                     &PyDict_Type, &others))
        return NULL;
    Types *types = PyType_GetModuleState(type);
    PartsClass kinds[2] = {{NULL, 0}, {NULL, 0}};
    if (!types || (classes != Py_None && !parts_classes(classes, types, kinds))) return NULL;
    ReaderObject *self = (ReaderObject *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->classes = Py_NewRef(classes);
    memcpy(self->kinds, kinds, sizeof kinds);
    self->rule = PyUnicode_FromObject(rule); /* a plain str */
    if (!self->rule || shortcut_init(&self->shortcut, table, slow, travel, others, type) < 0) Py_CLEAR(self);
    return (PyObject *)self;
}

static int reader_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((ReaderObject *)self)->classes);
    return shortcut_traverse(&((ReaderObject *)self)->shortcut, visit, arg);
}

static int reader_clear(PyObject *self) {
    shortcut_clear(&((ReaderObject *)self)->shortcut);
    return 0;
}

static void reader_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    reader_clear(self);
    Py_XDECREF((PyObject *)((ReaderObject *)self)->shortcut.table);
    Py_XDECREF(((ReaderObject *)self)->classes);
    Py_XDECREF(((ReaderObject *)self)->rule);
    Py_XDECREF(((ReaderObject *)self)->shortcut.keyword);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Return the component object of a valid str: of the first class if it has the first part, otherwise of the second class.
 * Without classes, return the str itself. Pass every other call to the Python function. */
static PyObject *reader_parse(PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    ReaderObject *self = (ReaderObject *)object;
    ReaderObject *asked = self;
    if (count != 1 || names) {
        asked = (ReaderObject *)shortcut_other(&self->shortcut, object, arguments, count, names);
        if (!asked && PyErr_Occurred()) return NULL;
    }
    if (asked && PyUnicode_CheckExact(arguments[0])) {
        int32_t places[ABNF_MAX_REGISTERS];
        const uint8_t *kinds;
        int found = shortcut_ready(&asked->shortcut, (PyObject *)asked);
        if (found > 0) found = read_tagged(&asked->shortcut.table->table, arguments[0], places, &kinds);
        if (found < 0) return NULL;
        if (found) {
            const abnf_table *table = &asked->shortcut.table->table;
            const PartsClass *kind = &asked->kinds[table->tags && places[1] < 0];
            if (!kind->type) return Py_NewRef(arguments[0]);
            return parts_made(kind, table, arguments[0], asked->rule, places, kinds);
        }
    }
    return shortcut_slow(&self->shortcut, arguments, count, names);
}

static PyObject *reader_reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_NewRef(((ReaderObject *)self)->shortcut.travel);
}

static PyMethodDef reader_methods[] = {
    {"parse", (PyCFunction)(void (*)(void))reader_parse, METH_FASTCALL | METH_KEYWORDS,
     "parse(value, rule='URI-reference')\n--\n\nParse a string by a rule of RFC 3986; ``str`` of the result is the string.\n\n"
     "Returns a URI or RelativeRef for URI-reference, URI, absolute-URI and relative-ref, an Authority for\nauthority, and the string "
     "itself for every other rule.\n\n"
     "Raises Rejected if the string does not match, KeyError for an unknown rule, TypeError for a value that\nis not a str, UTF-8 as "
     "bytes, or a component object. Complexity: linear; for references one walk,\nwhich does not cut out components."},
    {"__reduce__", reader_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot reader_slots[] = {
    {Py_tp_new, reader_new},     {Py_tp_dealloc, reader_dealloc},   {Py_tp_traverse, reader_traverse},
    {Py_tp_clear, reader_clear}, {Py_tp_methods, reader_methods},
    {Py_tp_doc, "Reader(table, classes, rule, slow, travel, others)\n--\n\nParses strings to component objects, as Verdict validates them."},
    {0, NULL}};
PyType_Spec reader_spec = {"abnforge._native.binding.Reader", sizeof(ReaderObject), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, reader_slots};
