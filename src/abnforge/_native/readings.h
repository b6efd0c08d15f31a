/* Declarations that the files of the binding for weighted sets share. */
#ifndef ABNFORGE_READINGS_H
#define ABNFORGE_READINGS_H

#include "binding.h"
#include "weighted.h"

typedef struct {
    PyObject_HEAD
    abnf_program p;
} ProgramObject;

typedef struct {
    PyObject_HEAD
    abnf_weighted w;
    PyObject *program; /* a change of one changes the other, so this object is the one to lock */
} WeightedObject;

/* Return whether a set exists; otherwise with an exception. */
int is_set(const abnf_weighted *w, long set);

/* Return whether a string of `count` characters can be a continuation of the current one. */
int may_go_on(const abnf_weighted *w, size_t count);

/* Raise ValueError. */
PyObject *wrong(const char *what);

PyObject *weighted_tell(PyObject *object, PyObject *arguments);

#endif
