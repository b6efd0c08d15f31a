/* Report the first mistakes of a column's rows by weighted sets (see explain/weighted.py). */
#include "readings.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t *points;  /* the characters of a string, and their offsets; `room` is the capacity */
    uint32_t *places;
    size_t room;
} Decoded;

/* Decode UTF-8. Return 1, 0 if it is invalid, -1 if out of memory. */
static int decoded(const abnf_text *text, Decoded *into, size_t *count) {
    size_t size = (size_t)(text->end - text->begin);
    if (into->room < size + 1) {
        uint32_t *points = realloc(into->points, (size + 1) * sizeof *points);
        if (points) into->points = points;
        uint32_t *places = points ? realloc(into->places, (size + 1) * sizeof *places) : NULL;
        if (!places) return -1;
        into->places = places;
        into->room = size + 1;
    }
    *count = 0;
    const uint8_t *at = text->begin;
    while (at < text->end) {
        uint32_t point = *at;
        int more = point < 0x80 ? 0 : point >= 0xC2 && point < 0xE0 ? 1 : point >= 0xE0 && point < 0xF0 ? 2 : point >= 0xF0 && point < 0xF5 ? 3 : -1;
        if (more < 0 || text->end - at <= more) return 0;
        if (more) point &= 0x3Fu >> more;
        for (int each = 1; each <= more; each++) {
            if ((at[each] & 0xC0) != 0x80) return 0;
            point = point << 6 | (at[each] & 0x3F);
        }
        if ((more == 2 && (point < 0x800 || (point >= 0xD800 && point < 0xE000))) || (more == 3 && (point < 0x10000 || point > 0x10FFFF)))
            return 0;
        into->points[*count] = point;
        into->places[(*count)++] = (uint32_t)(at - text->begin);
        at += 1 + more;
    }
    into->places[*count] = (uint32_t)size;
    return 1;
}

static int is_ascii(const abnf_text *text) {
    uint8_t all = 0;
    for (const uint8_t *at = text->begin; at < text->end; at++) all |= *at;
    return all < 0x80;
}

typedef struct {
    const abnf_column *column;
    const int64_t *offsets;              /* the offset where the walk of each row stopped */
    long long steps, per_character, most; /* the limit of steps for one string */
    size_t longest;
    int64_t heaviest;
    uint32_t first;                      /* the set of the empty string */
    int32_t *mistakes, *found, *said;
    int64_t *begins, *ends;
} Asked;

enum { TOLD, WANTED = ABNF_WANTED, FULL = ABNF_FULL, NO_MEMORY = ABNF_NO_MEMORY, NO_ROW = ABNF_FULL + 1, ANOTHER_ROW };

#define LONGEST (1 << 29) /* the maximum number of characters, so that byte offsets fit 32 bits */

/* Return the limit of steps for a number of characters. */
static uint64_t limit(const Asked *asked, size_t count) {
    uint64_t most = (uint64_t)asked->most, steps = (uint64_t)asked->steps, each = (uint64_t)asked->per_character;
    if (steps >= most || (count && each > (most - steps) / count)) return most;
    return steps + each * count;
}

/* `may` allows new sets beyond the limits of kept sets. */
static int tell_row(abnf_weighted *w, const Asked *asked, int64_t row, int again, int may, Decoded *into) {
    const abnf_column *column = asked->column;
    abnf_text text;
    asked->mistakes[row] = (int32_t)ABNF_CATCH_ALL;
    asked->found[row] = -1;
    asked->begins[row] = asked->ends[row] = 0;
    if (abnf_column_text(column, row, &text) != ABNF_THERE) return NO_ROW;
    size_t count = (size_t)(text.end - text.begin);
    if (count > 4 * asked->longest) return TOLD;
    const void *units = text.begin;
    int width = 1, ascii = is_ascii(&text);
    if (!ascii) {
        int right = decoded(&text, into, &count);
        if (right <= 0) return right < 0 ? NO_MEMORY : TOLD;
        units = into->points;
        width = 4;
    }
    if (count > asked->longest) return TOLD;
    if (!again) {
        abnf_allow(w, (uint64_t)asked->most);
        abnf_begin(w, asked->first);
    } else if (!may_go_on(w, count)) return ANOTHER_ROW;
    int64_t weight;
    abnf_status status = abnf_read_on(w, units, width, count, may || !abnf_is_full(w));
    if (status == ABNF_READ) status = abnf_way_back(w, 0, &weight);
    if (status == ABNF_UNREADABLE || status == ABNF_LIMIT || status == ABNF_TOO_MANY) return TOLD;
    if (status != ABNF_READ) return (int)status;
    if (weight > asked->heaviest || w->cost > limit(asked, count)) return TOLD;
    abnf_told told;
    if (!abnf_first_mistake(w, count, &told)) return NO_MEMORY;
    int64_t offset = asked->offsets[row];
    if (told.mistake == ABNF_CATCH_ALL || offset < 0) return TOLD;
    size_t at = (size_t)offset;
    if (!ascii && column->octets)
        for (at = 0; at < count && into->places[at] < (uint64_t)offset;) at++;
    asked->found[row] = at >= count ? -1 : (int32_t)(ascii ? text.begin[at] : into->points[at]);
    asked->begins[row] = !ascii && column->octets ? into->places[told.begin] : told.begin;
    asked->ends[row] = !ascii && column->octets ? into->places[told.end] : told.end;
    memcpy(asked->said + 2 * ABNF_MOST_SAID * row, told.said, sizeof told.said);
    asked->mistakes[row] = (int32_t)told.mistake;
    return TOLD;
}

PyObject *weighted_tell(PyObject *object, PyObject *arguments) {
    abnf_weighted *w = &((WeightedObject *)object)->w;
    Types *types = PyType_GetModuleState(Py_TYPE(object));
    PyObject *column, *given[6];
    int first, again;
    long long begin, longest, heaviest;
    Asked asked;
    if (!types || !PyArg_ParseTuple(arguments, "OO(OOOOO)iLp(LLLLL):tell", &column, &given[0], &given[1], &given[2], &given[3],
                                    &given[4], &given[5], &first, &begin, &again, &asked.steps, &asked.per_character,
                                    &asked.most, &longest, &heaviest))
        return NULL;
    asked.column = column_of(column, types->column);
    if (!asked.column) return NULL;
    asked.first = (uint32_t)first;
    if (begin < 0 || asked.steps < 0 || asked.per_character < 0 || asked.most < 0 || longest < 0 || longest > LONGEST)
        return wrong("rows and limits must be at least 0, and longest at most 2^29");
    asked.longest = (size_t)longest;
    asked.heaviest = heaviest;
    Py_buffer views[6];
    memset(views, 0, sizeof views);
    const int64_t sizes[] = {8, 4, 4, 8 * ABNF_MOST_SAID, 8, 8}; /* bytes per row */
    int64_t count = asked.column->length, number = begin;
    int status = TOLD, right = 1;
    for (int each = 0; right && each < 6; each++) {
        Py_buffer *view = &views[each];
        int64_t least = sizes[each] * count;
        right = (each ? writable(given[each], view, least) : PyObject_GetBuffer(given[each], view, PyBUF_SIMPLE)) == 0;
        if (right && (view->len < least || (uintptr_t)view->buf % (sizes[each] == 8 ? 8 : 4))) {
            wrong("there are offsets of all rows, and numbers in buffers are aligned");
            right = 0;
        }
    }
    abnf_catch_up(w); /* not earlier, since opening a buffer can run code that makes the program forget its states */
    if (right && is_set(w, first)) {
        Decoded into = {NULL, NULL, 0};
        asked.offsets = views[0].buf;
        asked.mistakes = views[1].buf;
        asked.found = views[2].buf;
        asked.said = views[3].buf;
        asked.begins = views[4].buf;
        asked.ends = views[5].buf;
        for (; number < count; number++, again = 0) {
            status = tell_row(w, &asked, number, again, number == begin, &into);
            if (status != TOLD) break;
        }
        free(into.points);
        free(into.places);
        if (status == NO_MEMORY) PyErr_NoMemory();
        if (status == NO_ROW) wrong("a requested row must not be missing");
        if (status == ANOTHER_ROW) wrong("row must continue at its last place");
    }
    for (int each = 0; each < 6; each++) PyBuffer_Release(&views[each]);
    return PyErr_Occurred() ? NULL : Py_BuildValue("(iL)", status, (long long)number);
}
