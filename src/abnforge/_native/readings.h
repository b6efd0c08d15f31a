/* What the parts of the binding that read by weighted sets know of each other. */
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
    PyObject *program; /* what changes one of them changes the other, so this is what has to be held */
} WeightedObject;

/* Whether there is a set of that number; else an exception is set. */
int is_set(const abnf_weighted *w, long set);

/* Whether a text was begun, and one of so many characters can be the same. */
int may_go_on(const abnf_weighted *w, size_t count);

/* A ValueError. */
PyObject *wrong(const char *what);

PyObject *weighted_tell(PyObject *object, PyObject *arguments);


#endif
