/* Tables of automata, and texts read by them. Plain C11: no Python, no allocation but the one for pairs.
 *
 * docs/kernel.md describes the tables. A table is checked when it is loaded, and read by any number of threads
 * from then on: nothing in it changes. A text is octets, UTF-8, or code points of one, two or four octets each.
 */
#ifndef ABNFORGE_WALK_H
#define ABNFORGE_WALK_H

#include <stddef.h>
#include <stdint.h>

#define ABNF_VERSION 1u
#define ABNF_ALIGNMENT 64u     /* a table begins at such a place in memory, and so does each of its sections */
#define ABNF_MAX_REGISTERS 64u
#define ABNF_MAX_SETS 32u
#define ABNF_MAX_SETTINGS 7u   /* registers that one operation sets */
#define ABNF_SPARE 63u         /* the register of settings that set nothing: nobody reads it */
#define ABNF_DEAD 0u

typedef enum { ABNF_PORTABLE, ABNF_PAIRS, ABNF_SSSE3, ABNF_AVX2 } abnf_how;

typedef struct abnf_table abnf_table;

/* A text in octets. What lies in [low, high) may be read, too, though nothing depends on it. */
typedef struct {
    const uint8_t *begin, *end, *low, *high;
} abnf_text;

/* The state behind the longest viable prefix from a place and a state on, and in *stop where that ends. The text
 * is derived if it ends at text->end and the state accepts; ABNF_DEAD if it does not reach the end. `registers`
 * are those of a tagged automaton, which hold table->initial at first; null will do for a table without tags. */
typedef uint32_t abnf_walk(const abnf_table *table, const abnf_text *text, const uint8_t *from, uint32_t state,
                           const uint8_t **stop, int32_t *registers);

struct abnf_table {
    uint32_t states, classes, shift, accelerated, start, sets, point_classes, registers, tags, kinds, operations;
    int beyond_ascii;             /* whether a character beyond US-ASCII is ever derived */
    uint32_t entry;               /* octets of an entry: 2, or 4 with the number of an operation on top */
    const uint8_t *class_of;      /* [256] the class of an octet */
    const uint8_t *rows;          /* [states << shift] 16 octets of a set, then an entry for each class */
    const uint8_t *accepting;     /* [states] 0 or 1 */
    const uint8_t *set_of;        /* [states] the number of the set that an accelerated state loops on, from 1 */
    const uint32_t *sets_with;    /* [256] a bit for each set that holds the octet */
    const uint16_t *page_of;      /* [0x1100] the page of 256 code points */
    const uint8_t *pages;         /* [256 * pages] the class of a code point */
    const uint32_t *point_rows;   /* [states * point_classes] */
    const uint8_t *final;         /* [states * (tags + kinds)] the register of each tag, then the kinds */
    const uint8_t *settings;      /* [operations * 16] how many, 7 registers, 0, 7 changes to the place */
    const int32_t *initial;       /* [64] */
    uint16_t *pairs;              /* [states << pair_shift] the state behind two octets, where that is quicker */
    uint32_t pair_shift;
    abnf_how how;
    abnf_walk *walk;              /* the quickest one for this table on this machine */
};

/* Null, or the name of the field, section or entry that is wrong. The table has to lie at a multiple of 64, and to stay there. */
const char *abnf_load(abnf_table *table, const void *octets, size_t size);
void abnf_unload(abnf_table *table);

/* Walk in another way than the one chosen at load. 0 if this table or this machine cannot. */
int abnf_choose(abnf_table *table, abnf_how how);

/* The same from the start of a text on, in code points of `width` octets each. */
uint32_t abnf_read_points(const abnf_table *table, const void *points, int width, size_t count, size_t *stop,
                          int32_t *registers);

/* The register of every tag in a text that is derived; registers hold then what ends with the text, and what is not there. */
static inline const uint8_t *abnf_registers_of(const abnf_table *table, uint32_t state, int32_t length, int32_t *registers) {
    registers[table->registers - 2] = length;
    registers[table->registers - 1] = -1;
    return table->final + (size_t)state * (table->tags + table->kinds);
}

/* The place of every tag in a text that is derived: begin and end in turns, -1 for a part that is not there. */
static inline void abnf_places(const abnf_table *table, uint32_t state, int32_t length, int32_t *registers, int32_t *places) {
    const uint8_t *register_of = abnf_registers_of(table, state, length, registers);
    uint32_t tags = table->tags;
    for (uint32_t tag = 0; tag < tags; tag += 2) {
        int32_t begin = registers[register_of[tag]], end = registers[register_of[tag + 1]];
        /* What has no end has no begin, whatever its register holds; in a damaged table one may lie behind the other. */
        int32_t none = (end >> 31) | -(int32_t)((uint32_t)begin > (uint32_t)end);
        places[tag] = begin | none;
        places[tag + 1] = end | none;
    }
}

/* The code points before `stop`; those before the character if it lies within one. */
int64_t abnf_characters(const uint8_t *begin, const uint8_t *stop, const uint8_t *end);

/* The octets before `stop`; those before the character if one was not read to its end. */
int64_t abnf_octets(const uint8_t *begin, const uint8_t *stop);

#endif
