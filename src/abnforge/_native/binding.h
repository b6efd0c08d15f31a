/* Shared declarations for the files of the binding. */
#ifndef ABNFORGE_BINDING_H
#define ABNFORGE_BINDING_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "walk.h"

typedef struct {
    PyObject_HEAD
    abnf_table table;
    void *memory;    /* the allocated block */
    uint8_t *octets; /* the table inside it, at a multiple of 64 */
    Py_ssize_t size;
} TableObject;

/* A frequent first part of strings, which share one str for it. */
typedef struct {
    PyObject *text;
    const char *octets;
    int32_t length;
} Shared;

/* The state of the module: its types and shared values. */
typedef struct {
    PyTypeObject *table, *verdict, *byte_verdict, *parts, *part, *kind, *reader, *column, *learned, *program, *weighted, *resolver;
    PyTypeObject *usual[2]; /* the classes of the first reader, which most objects belong to; set once, then only compared */
    Shared shared[10];
} Types;

extern struct PyModuleDef kernel_module;

/* Find the UTF-8 of a str. Return 1, 0 if it cannot be encoded and must be read as code points, or -1 with an exception. */
int text_octets(PyObject *text, abnf_text *octets);

/* Read a str by code points. Set the state after it, or ABNF_DEAD, and the offset where the walk stopped. Return -1 with
 * an exception. */
int read_points(const abnf_table *table, PyObject *text, uint32_t *state, size_t *stop, int32_t *registers);

/* Find the parts of a str, with places in characters. Return 1 if it is valid, 0 if not, -1 with an exception. */
int read_tagged(const abnf_table *table, PyObject *text, int32_t *places, const uint8_t **kinds);

/* Handles calls with a single plain str by a table, and passes every other call to `slow`. `prepare` returns the table on
 * first use, or None if the rule does not have a table. */
typedef struct {
    TableObject *table;
    PyObject *prepare, *slow, *travel;
    PyObject *others;  /* objects of the same type by rule name, or null; callers may add objects */
    PyObject *keyword; /* "rule" */
    int settled;       /* true if the rule does not have a table */
} Shortcut;

int shortcut_init(Shortcut *self, PyObject *table, PyObject *slow, PyObject *travel, PyObject *others, PyTypeObject *type);

/* Return the object in `others` that a call (text, rule) names, by position or by keyword. Return null for any other call
 * and for an unknown name, and null with an exception for an object of another type. */
PyObject *shortcut_other(Shortcut *self, PyObject *object, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
int shortcut_ready(Shortcut *self, PyObject *object); /* object: the shortcut's owner. Return 1 if there is a table, 0 if not, -1 with an exception */
PyObject *shortcut_slow(Shortcut *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names);
int shortcut_traverse(Shortcut *self, visitproc visit, void *arg);
void shortcut_clear(Shortcut *self);

/* Code between these macros runs in one thread at a time. In builds with the GIL, the GIL guarantees this. */
#ifdef Py_GIL_DISABLED
#define BEGIN_ALONE(object) Py_BEGIN_CRITICAL_SECTION(object);
#define END_ALONE Py_END_CRITICAL_SECTION()
#else
#define BEGIN_ALONE(object) {
#define END_ALONE }
#endif

/* A pointer that one thread may set while other threads compare it; no thread dereferences it. */
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

/* Define NAME_alone: the method NAME under the lock of HELD, for types whose objects change. */
#define ALONE_WITH(NAME, HELD)                                                                                         \
    static PyObject *NAME##_alone(PyObject *object, PyObject *arguments) {                                            \
        PyObject *result;                                                                                              \
        BEGIN_ALONE(HELD)                                                                                              \
        result = NAME(object, arguments);                                                                              \
        END_ALONE;                                                                                                     \
        return result;                                                                                                 \
    }
#define ALONE(NAME) ALONE_WITH(NAME, object)

/* The character classes of all code points: the page number of each 256 code points, and the classes of each page. */
typedef struct {
    uint16_t *page_of;
    uint8_t *pages;
    int count;
} Classes;

/* Copy the character classes from the arguments of a constructor; the caller frees them. Return 0 with an exception if
 * they are incomplete. */
int classes_given(PyObject *arguments, PyObject *keywords, const char *format, Classes *classes);

/* Return the column of a Column object, or null with an exception for any other object. */
const abnf_column *column_of(PyObject *object, PyTypeObject *type);

/* Open an output buffer of at least `least` bytes. Return -1 with an exception. */
int writable(PyObject *buffer, Py_buffer *view, int64_t least);

/* A subclass of Parts. Its objects are light if they have only the fields of Parts. Then `light` is the state of this
 * module, which their class keeps alive; otherwise it is null. */
typedef struct {
    PyTypeObject *type;
    const Types *light;
} PartsClass;

/* Read the two classes from a tuple, which keeps them alive. Return 0 with an exception. */
int parts_classes(PyObject *classes, Types *types, PartsClass *found);

/* Create a component object from a string and its parts. The string and the rule name are plain str. */
PyObject *parts_made(const PartsClass *kind, const abnf_table *table, PyObject *text, PyObject *rule, const int32_t *places,
                     const uint8_t *kinds);

/* Create the shared strings. Return -1 with an exception. */
int parts_share(Types *types);

/* Return the string of a component object (borrowed) and set the places of its parts. */
PyObject *parts_text(PyObject *object, const int32_t **places, int *tags);

PyObject *kernel_lines(PyObject *module, PyObject *arguments);

PyObject *not_a_str(PyObject *value, const char *name);

extern PyType_Spec parts_spec, part_spec, kind_spec, reader_spec, column_spec, learned_spec, program_spec, weighted_spec, resolver_spec;

#endif
