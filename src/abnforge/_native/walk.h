/* Tables of automata and walks over strings. Plain C11 without Python; only the pair table is allocated.
 *
 * docs/kernel.md describes the tables. abnf_load checks a table. After that the table does not change, and any number
 * of threads can read it. A string consists of UTF-8 bytes, or of code points of one, two or four bytes each.
 */
#ifndef ABNFORGE_WALK_H
#define ABNFORGE_WALK_H

#include <stddef.h>
#include <stdint.h>

/* Hints for compilers that support them. */
#if defined(__GNUC__)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define INLINE static inline __attribute__((always_inline))
#else
#define LIKELY(x) (x)
#define UNLIKELY(x) (x)
#define INLINE static inline
#endif

#define ABNF_VERSION 1u
#define ABNF_ALIGNMENT 64u     /* the alignment of a table in memory and of its sections */
#define ABNF_MAX_REGISTERS 64u
#define ABNF_MAX_SETS 32u
#define ABNF_MAX_SETTINGS 7u   /* the maximum number of registers that one operation sets */
#define ABNF_SPARE 63u         /* the target of unused settings; no code reads it */
#define ABNF_DEAD 0u

typedef enum { ABNF_PORTABLE, ABNF_PAIRS, ABNF_SSSE3, ABNF_AVX2 } abnf_how;

typedef struct abnf_table abnf_table;

/* A string in bytes. A walk may read all bytes of [low, high), but its result depends only on the string. */
typedef struct {
    const uint8_t *begin, *end, *low, *high;
} abnf_text;

/* Return the state after the longest viable prefix that starts at a place and a state, and its end in *stop. A string is
 * valid if *stop is text->end and the state accepts. The state is ABNF_DEAD if the walk does not reach the end.
 * `registers` are those of a tagged automaton, initialized to table->initial, or null without tags. */
typedef uint32_t abnf_walk(const abnf_table *table, const abnf_text *text, const uint8_t *from, uint32_t state,
                           const uint8_t **stop, int32_t *registers);

struct abnf_table {
    uint32_t states, classes, shift, accelerated, start, sets, point_classes, registers, tags, kinds, operations;
    int beyond_ascii;             /* true if a valid string can contain a character beyond US-ASCII */
    uint32_t entry;               /* bytes of an entry: 2, or 4 with the number of an operation in the high bits */
    const uint8_t *class_of;      /* [256] the class of a byte */
    const uint8_t *rows;          /* [states << shift] 16 bytes of a set, then an entry for each class */
    const uint8_t *accepting;     /* [states] 0 or 1 */
    const uint8_t *set_of;        /* [states] the number of the set that an accelerated state loops on, from 1 */
    const uint32_t *sets_with;    /* [256] one bit for each set that contains the byte */
    const uint16_t *page_of;      /* [0x1100] the page of 256 code points */
    const uint8_t *pages;         /* [256 * pages] the class of a code point */
    const uint32_t *point_rows;   /* [states * point_classes] */
    const uint8_t *final;         /* [states * (tags + kinds)] the register of each tag, then the kinds */
    const uint8_t *settings;      /* [operations * 16] the number of settings, 7 registers, 0, 7 changes to the place */
    const int32_t *initial;       /* [64] */
    uint16_t *pairs;              /* [states << pair_shift] the state after two bytes, or null if that is not faster */
    uint32_t pair_shift;
    abnf_how how;
    abnf_walk *walk;              /* the fastest walk for this table on this machine */
};

/* Load a table, and return null or the name of its first invalid field, section or entry. The bytes must start at a
 * multiple of 64 and stay in place until abnf_unload. */
const char *abnf_load(abnf_table *table, const void *octets, size_t size);
void abnf_unload(abnf_table *table);

/* Select another walk than the one selected on loading. Return 0 if this table or this machine does not support it. */
int abnf_choose(abnf_table *table, abnf_how how);

/* Walk an entire string of code points of `width` bytes each. */
uint32_t abnf_read_points(const abnf_table *table, const void *points, int width, size_t count, size_t *stop,
                          int32_t *registers);

/* Return the register of each tag of a valid string, and set the registers for "end of the string" and "absent". */
static inline const uint8_t *abnf_registers_of(const abnf_table *table, uint32_t state, int32_t length, int32_t *registers) {
    registers[table->registers - 2] = length;
    registers[table->registers - 1] = -1;
    return table->final + (size_t)state * (table->tags + table->kinds);
}

/* Write the place of each tag of a valid string: the begin and end of each part, -1 for an absent part. */
static inline void abnf_places(const abnf_table *table, uint32_t state, int32_t length, int32_t *registers, int32_t *places) {
    const uint8_t *register_of = abnf_registers_of(table, state, length, registers);
    uint32_t tags = table->tags;
    for (uint32_t tag = 0; tag < tags; tag += 2) {
        int32_t begin = registers[register_of[tag]], end = registers[register_of[tag + 1]];
        /* A part without an end is absent, regardless of the register of its begin. In a damaged table, the begin can be
         * greater than the end. */
        int32_t none = (end >> 31) | -(int32_t)((uint32_t)begin > (uint32_t)end);
        places[tag] = begin | none;
        places[tag + 1] = end | none;
    }
}

/* Return the number of code points before `stop`, or before the character that `stop` is inside. */
int64_t abnf_characters(const uint8_t *begin, const uint8_t *stop, const uint8_t *end);

/* Return the number of bytes before `stop`, or before the character that `stop` is inside. */
int64_t abnf_octets(const uint8_t *begin, const uint8_t *stop);

/* Columns of strings in the layouts of Apache Arrow, validated without copies. */

#define ABNF_BYTES 2 /* a unit of offsets: each byte is a character, also within characters of UTF-8 */

typedef enum { ABNF_OFFSETS_32 = 4, ABNF_OFFSETS_64 = 8, ABNF_VIEWS = 16 } abnf_layout;

typedef struct {
    abnf_layout layout;
    int64_t first, length;         /* the column consists of rows first to first + length of the buffers */
    const uint8_t *valid;          /* one bit per row, or null if no row is missing */
    const uint8_t *offsets;        /* offsets in `data`, one more than there are rows */
    const uint8_t *data;
    int64_t data_size;
    const uint8_t *views;          /* 16 bytes per row, as in Arrow's string_view */
    const uint8_t *const *buffers; /* the targets of views, and their sizes */
    const int64_t *sizes;
    int64_t buffer_count;
    int octets;                    /* true if places count bytes, not characters; ABNF_BYTES if each byte is a character */
} abnf_column;

enum { ABNF_MISSING, ABNF_THERE, ABNF_IMPOSSIBLE };

/* Find the string of a row. Return ABNF_THERE, ABNF_MISSING, or ABNF_IMPOSSIBLE if it is outside the buffers. */
int abnf_column_text(const abnf_column *column, int64_t row, abnf_text *text);

/* Validate rows from..to; `from` is a multiple of 8. Bit i of `bits` is 1 if row i is valid, 0 if it is invalid or
 * missing. `offsets`, unless null, gets the offset where the walk of row i stopped, or -1 for a valid or missing row.
 * Return the first row that is outside the buffers, or -1. */
int64_t abnf_column_read(const abnf_table *table, const abnf_column *column, int64_t from, int64_t to, uint8_t *bits,
                         int64_t *offsets);

/* Validate rows, and find their parts, by a table with tags. Set places[tag * stride + row] to the place of the tag, or
 * -1, and set a bit in valid[part] for each row with the part. Return the same value as abnf_column_read. */
int64_t abnf_column_places(const abnf_table *table, const abnf_column *column, int64_t from, int64_t to, uint8_t *bits,
                           uint8_t *const *valid, int32_t *places, int64_t stride);

/* Validate rows, and return each part as views into the buffers of the column: 16 bytes per row, and a bit for each row
 * with the part. In a column with offsets, `data` is buffer 0 and has at most 2 GiB. Return the same value as
 * abnf_column_read. */
int64_t abnf_column_views(const abnf_table *table, const abnf_column *column, int64_t from, int64_t to, uint8_t *bits,
                          uint8_t *const *valid, uint8_t *const *views);

#endif
