/* What the parts of the binding know of each other. */
#ifndef ABNFORGE_BINDING_H
#define ABNFORGE_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "columns.h"
#include "walk.h"

typedef struct {
    PyObject_HEAD
    abnf_table table;
    void *memory;    /* as it was allocated */
    uint8_t *octets; /* the table, at a multiple of 64 */
    Py_ssize_t size;
} TableObject;

/* A frequent first part of strings: made once, instead of cut out of each string. */
typedef struct {
    PyObject *text;
    const char *octets;
    int32_t length;
} Shared;

/* What a type of this module has to know of the others. */
typedef struct {
    PyTypeObject *table, *verdict, *parts, *part, *kind, *reader, *column, *trail, *program, *weighted, *resolver;
    PyTypeObject *usual[2]; /* the classes of the first reader, which most objects have; set once, then compared only */
    Shared shared[10];
} Types;

extern struct PyModuleDef kernel_module;

/* A text as octets, where it has them: 1, 0 where it has to be read as code points, -1 with an exception. */
int text_octets(PyObject *text, abnf_text *octets);

/* A str by code points: the state behind it, or ABNF_DEAD, and where reading stopped. -1 with an exception. */
int read_points(const abnf_table *table, PyObject *text, uint32_t *state, size_t *stop, int32_t *registers);

/* The places of the parts of a str, in characters: 1 if it is derived, 0 if not, -1 with an exception. */
int read_tagged(const abnf_table *table, PyObject *text, int32_t *places, const uint8_t **kinds);

/* What answers one plain str by a table, and hands everything else on. The table may come later: `prepare` is asked for
 * it when it is first needed, and says None where there is none. */
typedef struct {
    TableObject *table;
    PyObject *prepare, *slow, *travel;
    PyObject *others;  /* objects of the same type by names of rules, or null; the caller may add objects */
    PyObject *keyword; /* "rule" */
    int settled;       /* there is no table */
} Shortcut;

int shortcut_init(Shortcut *self, PyObject *table, PyObject *slow, PyObject *travel, PyObject *others, PyTypeObject *type);

/* The object in `others` that a call (text, rule) names, by position or by keyword. Null for every other call and for an unknown
 * name; with an exception for an object of another type. */
PyObject *shortcut_other(Shortcut *self, PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
int shortcut_ready(Shortcut *self, PyObject *object); /* object: what the shortcut is in; 1 if there is a table, 0 if not, -1 with an exception */
PyObject *shortcut_slow(Shortcut *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
int shortcut_traverse(Shortcut *self, visitproc visit, void *arg);
void shortcut_clear(Shortcut *self);

/* What changes an object is done by one thread at a time: elsewhere the GIL sees to it. */
#ifdef Py_GIL_DISABLED
#define BEGIN_ALONE(object) Py_BEGIN_CRITICAL_SECTION(object);
#define END_ALONE Py_END_CRITICAL_SECTION()
#else
#define BEGIN_ALONE(object) {
#define END_ALONE }
#endif

/* A pointer that one thread may set while other threads compare it; no thread follows it. */
#if defined(Py_GIL_DISABLED) && defined(__GNUC__)
#define PEEK(pointer) __atomic_load_n(&(pointer), __ATOMIC_RELAXED)
#define POKE(pointer, value) __atomic_store_n(&(pointer), (value), __ATOMIC_RELAXED)
#elif defined(Py_GIL_DISABLED)
#define PEEK(pointer) (*(void *volatile const *)&(pointer))
#define POKE(pointer, value) (*(void *volatile *)&(pointer) = (value))
#else
#define PEEK(pointer) (pointer)
#define POKE(pointer, value) ((pointer) = (value))
#endif

/* The method of that name for a type whose objects are changed, by one thread at a time: who holds HELD. */
#define ALONE_WITH(NAME, HELD)                                                                                         \
    static PyObject *NAME##_alone(PyObject *object, PyObject *arguments) {                                            \
        PyObject *result;                                                                                              \
        BEGIN_ALONE(HELD)                                                                                              \
        result = NAME(object, arguments);                                                                              \
        END_ALONE;                                                                                                     \
        return result;                                                                                                 \
    }
#define ALONE(NAME) ALONE_WITH(NAME, object)

/* The classes of all code points: a page of 256 code points by number, and the classes of each page. */
typedef struct {
    uint16_t *page_of;
    uint8_t *pages;
    int count;
} Classes;

/* Those that a constructor is given, copied. 0 with an exception where they are not complete; else to be freed. */
int classes_given(PyObject *arguments, PyObject *keywords, const char *format, Classes *classes);

/* The column of a Column; null with an exception for anything else. */
const abnf_column *column_of(PyObject *object, PyTypeObject *type);

/* A buffer for answers of so many octets at least; -1 with an exception. */
int writable(PyObject *buffer, Py_buffer *view, int64_t least);

/* A class derived from Parts. Its objects are light if they have the fields of a Parts only: `light` is then the state of this module,
 * which their class keeps alive. It is null for other classes. */
typedef struct {
    PyTypeObject *type;
    const Types *light;
} PartsClass;

/* The two classes of a tuple, which keeps them; 0 with an exception. */
int parts_classes(PyObject *classes, Types *types, PartsClass *found);

/* A component object, of a text whose parts a table told. Text and rule are plain str. */
PyObject *parts_made(const PartsClass *kind, const abnf_table *table, PyObject *text, PyObject *rule, const int32_t *places,
                     const uint8_t *kinds);

/* Makes the strings that are shared; -1 with an exception. */
int parts_share(Types *types);

/* The text of a component object, which keeps it, and where its parts are. */
PyObject *parts_text(PyObject *object, const int32_t **places, int *tags);

PyObject *kernel_lines(PyObject *module, PyObject *arguments);

PyObject *not_a_str(PyObject *value, const char *name);

extern PyType_Spec parts_spec, part_spec, kind_spec, reader_spec, column_spec, trail_spec, program_spec, weighted_spec, resolver_spec;

#endif
