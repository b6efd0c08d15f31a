/* Shared declarations for the binding of weighted sets. */
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
    PyObject *program; /* the object to lock, since changes affect both objects */
} WeightedObject;

/* Return whether a set exists, or 0 with an exception. */
int is_set(const abnf_weighted *w, long set);

/* Return whether `count` characters can continue the current string, or 0 with an exception. */
int may_go_on(const abnf_weighted *w, size_t count);

/* Raise ValueError. */
PyObject *wrong(const char *what);

PyObject *weighted_tell(PyObject *object, PyObject *arguments);

#endif
