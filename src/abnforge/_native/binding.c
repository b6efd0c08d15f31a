/* Tables and verdicts as Python objects. The stable ABI of CPython 3.11 allows one build for all later versions. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

/* ---- strings ---- */

/* The stable ABI does not give access to the characters of a str. The UTF-8 of an ASCII str is its own memory, without a
 * copy. For any other str, Python encodes the UTF-8 once and caches it with the str. */
int text_octets(PyObject *text, abnf_text *octets) {
    Py_ssize_t length;
    const char *begin = PyUnicode_AsUTF8AndSize(text, &length);
    if (!begin) {
        if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
        PyErr_Clear(); /* a lone surrogate cannot be encoded in UTF-8 */
        return 0;
    }
    octets->begin = octets->low = (const uint8_t *)begin;
    octets->end = octets->high = octets->begin + length;
    return 1;
}

int read_points(const abnf_table *table, PyObject *text, uint32_t *state, size_t *stop, int32_t *registers) {
    Py_ssize_t length = PyUnicode_GetLength(text);
    Py_UCS4 *points = length < 0 ? NULL : PyUnicode_AsUCS4Copy(text);
    if (!points) return -1;
    *state = abnf_read_points(table, points, 4, (size_t)length, stop, registers);
    PyMem_Free(points);
    return 0;
}

PyObject *not_a_str(PyObject *value, const char *name) {
    PyObject *kind = PyType_GetName(Py_TYPE(value));
    if (kind) PyErr_Format(PyExc_TypeError, "%s must be a str, not %U", name, kind);
    Py_XDECREF(kind);
    return NULL;
}

/* ---- Table ---- */

static PyObject *table_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"octets", NULL};
    const char *octets;
    Py_ssize_t size;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "y#:Table", names, &octets, &size)) return NULL;
    TableObject *self = (TableObject *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->memory = malloc((size_t)size + ABNF_ALIGNMENT);
    if (!self->memory) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    uint8_t *begin = (uint8_t *)(((uintptr_t)self->memory + ABNF_ALIGNMENT - 1) / ABNF_ALIGNMENT * ABNF_ALIGNMENT);
    memcpy(begin, octets, (size_t)size);
    self->octets = begin;
    self->size = size;
    const char *wrong = abnf_load(&self->table, begin, (size_t)size);
    if (wrong) {
        PyErr_Format(PyExc_ValueError, "damaged table: %s", wrong);
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void table_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    abnf_unload(&((TableObject *)self)->table);
    free(((TableObject *)self)->memory);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Return the offset where the walk of a str stops, and whether the str is valid. */
static PyObject *table_read(PyObject *self, PyObject *text) {
    const abnf_table *table = &((TableObject *)self)->table;
    int32_t registers[ABNF_MAX_REGISTERS];
    abnf_text octets;
    uint32_t state;
    size_t characters;
    if (!PyUnicode_Check(text)) return not_a_str(text, "text");
    int have = text_octets(text, &octets);
    if (have < 0) return NULL;
    if (have) {
        const uint8_t *stop;
        Py_BEGIN_ALLOW_THREADS /* the walk of a long string takes time */
        state = table->walk(table, &octets, octets.begin, table->start, &stop, registers);
        characters = (size_t)abnf_characters(octets.begin, stop, octets.end);
        Py_END_ALLOW_THREADS
    } else if (read_points(table, text, &state, &characters, registers) < 0)
        return NULL;
    return Py_BuildValue("(nO)", (Py_ssize_t)characters, table->accepting[state] ? Py_True : Py_False);
}

static PyObject *int_tuple(const int32_t *values, Py_ssize_t count) {
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t at = 0; tuple && at < count; at++) {
        PyObject *value = PyLong_FromLong(values[at]);
        if (!value) Py_CLEAR(tuple);
        else PyTuple_SetItem(tuple, at, value);
    }
    return tuple;
}

int read_tagged(const abnf_table *table, PyObject *text, int32_t *places, const uint8_t **kinds) {
    int32_t registers[ABNF_MAX_REGISTERS];
    abnf_text octets;
    uint32_t state;
    int have = text_octets(text, &octets);
    Py_ssize_t length = have < 0 ? -1 : PyUnicode_GetLength(text);
    if (length < 0) return -1;
    if (length > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "string exceeds %d characters, the limit for components", (int)INT32_MAX);
        return -1;
    }
    memcpy(registers, table->initial, sizeof *registers * table->registers);
    if (have && octets.end - octets.begin == length) {
        const uint8_t *stop;
        state = table->walk(table, &octets, octets.begin, table->start, &stop, registers);
    } else { /* convert places to characters */
        size_t stop;
        if (read_points(table, text, &state, &stop, registers) < 0) return -1;
    }
    if (!table->accepting[state]) return 0;
    if (table->tags) abnf_places(table, state, (int32_t)length, registers, places);
    *kinds = table->final + (size_t)state * (table->tags + table->kinds) + table->tags;
    return 1;
}

static PyObject *table_find(PyObject *self, PyObject *text) {
    const abnf_table *table = &((TableObject *)self)->table;
    int32_t places[ABNF_MAX_REGISTERS], numbers[16];
    const uint8_t *kinds;
    if (!PyUnicode_Check(text)) return not_a_str(text, "text");
    int found = read_tagged(table, text, places, &kinds);
    if (found < 0) return NULL;
    if (!found) Py_RETURN_NONE;
    for (uint32_t at = 0; at < table->kinds; at++) numbers[at] = kinds[at];
    PyObject *first = int_tuple(places, table->tags), *second = int_tuple(numbers, table->kinds);
    PyObject *both = first && second ? PyTuple_Pack(2, first, second) : NULL;
    Py_XDECREF(first);
    Py_XDECREF(second);
    return both;
}

static const struct {
    const char *name;
    abnf_how how;
} WALKS[] = {{"portable", ABNF_PORTABLE}, {"pairs", ABNF_PAIRS}, {"ssse3", ABNF_SSSE3}, {"avx2", ABNF_AVX2}};

static PyObject *table_get_walk(PyObject *self, void *unused) {
    (void)unused;
    for (size_t number = 0; number < sizeof WALKS / sizeof *WALKS; number++)
        if (WALKS[number].how == ((TableObject *)self)->table.how) return PyUnicode_FromString(WALKS[number].name);
    Py_RETURN_NONE;
}

/* Return the same table with another walk, for tests and benchmarks. */
static PyObject *table_walking(PyObject *self, PyObject *name) {
    TableObject *old = (TableObject *)self;
    PyObject *made = PyObject_CallFunction((PyObject *)Py_TYPE(self), "y#", (const char *)old->octets, old->size);
    if (!made) return NULL;
    for (size_t number = 0; number < sizeof WALKS / sizeof *WALKS; number++)
        if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, WALKS[number].name) == 0 &&
            abnf_choose(&((TableObject *)made)->table, WALKS[number].how))
            return made;
    Py_DECREF(made);
    return PyErr_Format(PyExc_ValueError, "table does not support this: %R", name);
}

static PyMethodDef table_methods[] = {
    {"read", table_read, METH_O,
     "read(text, /)\n--\n\nReturn the length of the longest viable prefix in code points, and whether the string is valid."},
    {"find", table_find, METH_O,
     "find(text, /)\n--\n\nReturn begin and end of each part, -1 for an absent part, and the kinds; None for an "
     "invalid string."},
    {"walking", table_walking, METH_O,
     "walking(name, /)\n--\n\nReturn the table with another walk: portable, pairs, ssse3 or avx2."},
    {NULL, NULL, 0, NULL}};
static PyGetSetDef table_getset[] = {{"walk", table_get_walk, NULL, "The name of the walk.", NULL},
                                     {NULL, NULL, NULL, NULL, NULL}};
static PyType_Slot table_slots[] = {{Py_tp_new, table_new},
                                    {Py_tp_dealloc, table_dealloc},
                                    {Py_tp_methods, table_methods},
                                    {Py_tp_getset, table_getset},
                                    {Py_tp_doc, "Table(octets)\n--\n\nA checked table."},
                                    {0, NULL}};
static PyType_Spec table_spec = {"abnforge._native.binding.Table", sizeof(TableObject), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, table_slots};

/* ---- Shortcut ---- */

static int set_table(Shortcut *self, PyObject *table, PyTypeObject *type) {
    Types *types = PyType_GetModuleState(type);
    if (!types) return -1;
    if (!PyObject_TypeCheck(table, types->table)) {
        PyErr_SetString(PyExc_TypeError, "table must be a Table, or a function that returns one");
        return -1;
    }
    self->table = (TableObject *)Py_NewRef(table);
    return 0;
}

int shortcut_init(Shortcut *self, PyObject *table, PyObject *slow, PyObject *travel, PyObject *others, PyTypeObject *type) {
    self->slow = Py_NewRef(slow);
    self->travel = Py_NewRef(travel);
    self->others = Py_XNewRef(others);
    self->keyword = PyUnicode_InternFromString("rule");
    if (!self->keyword) return -1;
    if (!PyCallable_Check(table)) return set_table(self, table, type);
    self->prepare = Py_NewRef(table);
    return 0;
}

int shortcut_ready(Shortcut *self, PyObject *object) {
    if (LIKELY(self->table != NULL)) return 1;
    if (self->settled) return 0;
    PyObject *table = PyObject_CallObject(self->prepare, NULL);
    if (!table) return -1;
    int status = 0;
    BEGIN_ALONE(object)
    if (!self->table) { /* no other thread has set it */
        if (table == Py_None) self->settled = 1;
        else status = set_table(self, table, Py_TYPE(object));
    }
    END_ALONE;
    Py_DECREF(table);
    return status < 0 ? -1 : self->table != NULL;
}

PyObject *shortcut_other(Shortcut *self, PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    if (names ? count != 1 || PyTuple_Size(names) != 1 : count != 2) return NULL;
    if (names && PyTuple_GetItem(names, 0) != self->keyword) return NULL; /* names in code are interned */
    if (!self->others || !PyUnicode_CheckExact(arguments[1])) return NULL;
    PyObject *other = PyDict_GetItemWithError(self->others, arguments[1]); /* borrowed; callers do not remove objects */
    if (other && Py_TYPE(other) != Py_TYPE(object)) return PyErr_Format(PyExc_TypeError, "others must be of the same type");
    return other;
}

PyObject *shortcut_slow(Shortcut *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    PyObject *positional = PyTuple_New(count), *keywords = NULL, *result = NULL;
    for (Py_ssize_t number = 0; positional && number < count; number++)
        PyTuple_SetItem(positional, number, Py_NewRef(arguments[number]));
    if (names && positional) {
        keywords = PyDict_New();
        for (Py_ssize_t number = 0; keywords && number < PyTuple_Size(names); number++)
            if (PyDict_SetItem(keywords, PyTuple_GetItem(names, number), arguments[count + number]) < 0)
                Py_CLEAR(keywords);
    }
    if (positional && (keywords || !names)) result = PyObject_Call(self->slow, positional, keywords);
    Py_XDECREF(positional);
    Py_XDECREF(keywords);
    return result;
}

int shortcut_traverse(Shortcut *self, visitproc visit, void *arg) {
    Py_VISIT(self->prepare);
    Py_VISIT(self->slow);
    Py_VISIT(self->travel);
    Py_VISIT(self->others);
    return 0;
}

void shortcut_clear(Shortcut *self) {
    Py_CLEAR(self->prepare);
    Py_CLEAR(self->slow);
    Py_CLEAR(self->travel);
    Py_CLEAR(self->others);
}

/* ---- Verdict: validate a string by a method that does not take longer than the walk ---- */

typedef struct {
    PyObject_HEAD
    Shortcut shortcut;
} VerdictObject;

static PyObject *verdict_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static char *names[] = {"table", "slow", "travel", "others", NULL};
    PyObject *table, *slow, *travel, *others = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO|O!:Verdict", names, &table, &slow, &travel, &PyDict_Type, &others))
        return NULL;
    VerdictObject *self = (VerdictObject *)PyType_GenericAlloc(type, 0);
    if (self && shortcut_init(&self->shortcut, table, slow, travel, others, type) < 0) Py_CLEAR(self);
    return (PyObject *)self;
}

static int verdict_traverse(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    return shortcut_traverse(&((VerdictObject *)self)->shortcut, visit, arg);
}

static int verdict_clear(PyObject *self) {
    shortcut_clear(&((VerdictObject *)self)->shortcut);
    return 0;
}

static void verdict_dealloc(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    verdict_clear(self);
    Py_XDECREF((PyObject *)((VerdictObject *)self)->shortcut.table);
    Py_XDECREF(((VerdictObject *)self)->shortcut.keyword);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Walk a single str argument with the table; pass every other call to the Python function. */
static PyObject *verdict_matches(PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    Shortcut *self = &((VerdictObject *)object)->shortcut;
    PyObject *asked = object;
    if (UNLIKELY(count != 1 || names)) {
        asked = shortcut_other(self, object, arguments, count, names);
        if (!asked && PyErr_Occurred()) return NULL;
    }
    if (asked && PyUnicode_CheckExact(arguments[0])) {
        Shortcut *reading = &((VerdictObject *)asked)->shortcut;
        int ready = shortcut_ready(reading, asked);
        if (ready < 0) return NULL;
        if (ready) {
            const abnf_table *table = &reading->table->table;
            int32_t registers[ABNF_MAX_REGISTERS];
            abnf_text octets;
            const uint8_t *stop;
            uint32_t state;
            size_t read;
            int have = text_octets(arguments[0], &octets);
            if (have < 0 || (!have && read_points(table, arguments[0], &state, &read, registers) < 0)) return NULL;
            if (have) state = table->walk(table, &octets, octets.begin, table->start, &stop, registers);
            return Py_NewRef(table->accepting[state] ? Py_True : Py_False);
        }
    }
    return shortcut_slow(self, arguments, count, names);
}

/* Walk a single bytes argument, each byte a character; pass every other call to the Python function. */
static PyObject *byte_verdict_matches(PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *names) {
    Shortcut *self = &((VerdictObject *)object)->shortcut;
    if (LIKELY(count == 1 && !names && PyBytes_CheckExact(arguments[0]))) {
        int ready = shortcut_ready(self, object);
        if (ready < 0) return NULL;
        if (ready) {
            const abnf_table *table = &self->table->table;
            int32_t registers[ABNF_MAX_REGISTERS];
            const uint8_t *stop, *begin = (const uint8_t *)PyBytes_AsString(arguments[0]);
            const uint8_t *end = begin + PyBytes_Size(arguments[0]);
            abnf_text octets = {begin, end, begin, end};
            uint32_t state = table->walk(table, &octets, begin, table->start, &stop, registers);
            return Py_NewRef(table->accepting[state] ? Py_True : Py_False);
        }
    }
    return shortcut_slow(self, arguments, count, names);
}

static PyObject *verdict_reduce(PyObject *self, PyObject *unused) {
    (void)unused;
    return Py_NewRef(((VerdictObject *)self)->shortcut.travel);
}

static PyMethodDef verdict_methods[] = {
    {"matches", (PyCFunction)(void (*)(void))verdict_matches, METH_FASTCALL | METH_KEYWORDS,
     "matches(text, *, engine='auto')\n--\n\nReturn whether a string matches the rule."},
    {"is_valid", (PyCFunction)(void (*)(void))verdict_matches, METH_FASTCALL | METH_KEYWORDS,
     "is_valid(value, rule='URI')\n--\n\nReturn whether a string matches ``rule``. A valid URI may still be unsafe to open.\n\n"
     "Raises the errors of ``parse``, but never Rejected. Complexity: linear."},
    {"__reduce__", verdict_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot verdict_slots[] = {
    {Py_tp_new, verdict_new},       {Py_tp_dealloc, verdict_dealloc}, {Py_tp_traverse, verdict_traverse},
    {Py_tp_clear, verdict_clear},   {Py_tp_methods, verdict_methods},
    {Py_tp_doc, "Verdict(table, slow, travel, others)\n--\n\nValidates strings by a table, or by the table that a function returns on first "
                "use. ``slow`` handles all arguments except a plain str, ``travel`` is the result of __reduce__, "
                "and ``others`` has the verdicts of other rules by name."},
    {0, NULL}};
static PyMethodDef byte_verdict_methods[] = {
    {"matches", (PyCFunction)(void (*)(void))byte_verdict_matches, METH_FASTCALL | METH_KEYWORDS,
     "matches(text, *, engine='auto')\n--\n\nReturn whether a string of bytes matches the rule."},
    {"__reduce__", verdict_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};
static PyType_Slot byte_verdict_slots[] = {
    {Py_tp_new, verdict_new},       {Py_tp_dealloc, verdict_dealloc}, {Py_tp_traverse, verdict_traverse},
    {Py_tp_clear, verdict_clear},   {Py_tp_methods, byte_verdict_methods},
    {Py_tp_doc, "ByteVerdict(table, slow, travel)\n--\n\nValidates bytes by a table, each byte as one character. ``slow`` handles all "
                "arguments except bytes, and ``travel`` is the result of __reduce__."},
    {0, NULL}};
static PyType_Spec byte_verdict_spec = {"abnforge._native.binding.ByteVerdict", sizeof(VerdictObject), 0,
                                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, byte_verdict_slots};
static PyType_Spec verdict_spec = {"abnforge._native.binding.Verdict", sizeof(VerdictObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE, verdict_slots};

/* ---- the module ---- */

static int kernel_exec(PyObject *module) {
    Types *types = PyModule_GetState(module);
    struct {
        PyType_Spec *spec;
        PyTypeObject **type;
    } made[] = {{&table_spec, &types->table}, {&verdict_spec, &types->verdict}, {&byte_verdict_spec, &types->byte_verdict}, {&parts_spec, &types->parts},
                {&part_spec, &types->part},   {&kind_spec, &types->kind},       {&reader_spec, &types->reader},   {&column_spec, &types->column},
                {&learned_spec, &types->learned}, {&program_spec, &types->program}, {&weighted_spec, &types->weighted},
                {&resolver_spec, &types->resolver}};
    for (size_t number = 0; number < sizeof made / sizeof *made; number++) {
        *made[number].type = (PyTypeObject *)PyType_FromModuleAndSpec(module, made[number].spec, NULL);
        if (!*made[number].type || PyModule_AddType(module, *made[number].type) < 0) return -1;
    }
    return parts_share(types);
}

static int kernel_traverse(PyObject *module, visitproc visit, void *arg) {
    Types *types = PyModule_GetState(module);
    PyTypeObject **all[] = {&types->table, &types->verdict, &types->byte_verdict, &types->parts, &types->part, &types->kind, &types->reader, &types->column, &types->learned, &types->program, &types->weighted,
                            &types->resolver, &types->usual[0], &types->usual[1]};
    for (size_t number = 0; number < sizeof all / sizeof *all; number++) Py_VISIT(*all[number]);
    return 0;
}

static int kernel_clear(PyObject *module) {
    Types *types = PyModule_GetState(module);
    PyTypeObject **all[] = {&types->table, &types->verdict, &types->byte_verdict, &types->parts, &types->part, &types->kind, &types->reader, &types->column, &types->learned, &types->program, &types->weighted,
                            &types->resolver, &types->usual[0], &types->usual[1]};
    for (size_t number = 0; number < sizeof all / sizeof *all; number++) Py_CLEAR(*all[number]);
    for (size_t at = 0; at < sizeof types->shared / sizeof *types->shared; at++) {
        types->shared[at].length = -1; /* not the length of a part */
        Py_CLEAR(types->shared[at].text);
    }
    return 0;
}

static void kernel_free(void *module) { kernel_clear(module); }

static PyModuleDef_Slot kernel_slots[] = {
    {Py_mod_exec, kernel_exec},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_NOT_USED}, /* tables and columns do not change, and other objects are locked */
#endif
    {0, NULL}};
static PyMethodDef kernel_methods[] = {
    {"lines", kernel_lines, METH_VARARGS,
     "lines(table, block, last, skip_empty, /)\n--\n\nReturn the number of lines that end in a block, each with the byte `last`; the number of "
     "valid lines; and\nnumber (from 1), begin and end of each invalid line. A CR before an LF is not part of a line."},
    {NULL, NULL, 0, NULL}};
struct PyModuleDef kernel_module = {PyModuleDef_HEAD_INIT, "binding", "Walks of tables in C.", sizeof(Types), kernel_methods,
                                    kernel_slots, kernel_traverse, kernel_clear, kernel_free};

PyMODINIT_FUNC PyInit_binding(void) { return PyModuleDef_Init(&kernel_module); }
