/* Find the invalid lines of a block. */
#include "binding.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t number, begin, end;
} line_place;

typedef struct {
    line_place *places;
    size_t count, room;
    int64_t lines, derived;
} line_report;

static int add_place(line_report *report, int64_t begin, int64_t end) {
    if (report->count == report->room) {
        size_t room = report->room ? 2 * report->room : 64;
        line_place *places = realloc(report->places, room * sizeof *places);
        if (!places) return -1;
        report->places = places;
        report->room = room;
    }
    report->places[report->count++] = (line_place){report->lines, begin, end};
    return 0;
}

/* Validate each line of a block; `last` is the byte that ends a line. If it is LF, a CR before it belongs to the line
 * end. */
static int read_lines(const abnf_table *t, const uint8_t *block, int64_t size, int last, int skip_empty, line_report *report) {
    const uint8_t *p = block, *stop_all = block + size;
    int32_t registers[ABNF_MAX_REGISTERS];
    while (p < stop_all) {
        const uint8_t *end = memchr(p, last, (size_t)(stop_all - p)), *stop;
        if (!end) break;
        const uint8_t *behind = end + 1;
        if (last == '\n' && end > p && end[-1] == '\r') end--;
        report->lines++;
        if (end > p || !skip_empty) {
            abnf_text text = {p, end, block, stop_all};
            uint32_t state = t->walk(t, &text, p, t->start, &stop, registers);
            if (t->accepting[state]) report->derived++;
            else if (add_place(report, p - block, end - block) < 0) return -1;
        }
        p = behind;
    }
    return 0;
}

PyObject *kernel_lines(PyObject *module, PyObject *arguments) {
    Types *types = PyModule_GetState(module);
    PyObject *table, *found = NULL, *result = NULL;
    Py_buffer block;
    int last, skip_empty, failed;
    line_report report = {NULL, 0, 0, 0, 0};
    if (!PyArg_ParseTuple(arguments, "Oy*ip:lines", &table, &block, &last, &skip_empty)) return NULL;
    if (!PyObject_TypeCheck(table, types->table) || ((TableObject *)table)->table.tags || last < 0 || last > 255) {
        PyBuffer_Release(&block);
        return PyErr_Format(PyExc_TypeError, "lines require a Table without tags, and a byte as their end");
    }
    Py_BEGIN_ALLOW_THREADS
    failed = read_lines(&((TableObject *)table)->table, block.buf, block.len, last, skip_empty, &report);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&block);
    if (failed) PyErr_NoMemory();
    else found = PyList_New((Py_ssize_t)report.count);
    for (size_t at = 0; found && at < report.count; at++) {
        const line_place *place = &report.places[at];
        PyObject *each = Py_BuildValue("(LLL)", (long long)place->number, (long long)place->begin, (long long)place->end);
        if (!each) Py_CLEAR(found);
        else PyList_SetItem(found, (Py_ssize_t)at, each);
    }
    if (found) result = Py_BuildValue("(LLN)", (long long)report.lines, (long long)report.derived, found);
    free(report.places);
    return result;
}
