/* The states of an error grammar, represented by numbers, and their arcs. Plain C11, like walk.h.
 *
 * The reference is explain/error_grammar.py. A state is a task and the state after it; a task is a node of the grammar
 * or an end mark. When a string first leads to a task, explain/program.py adds the task; `wanted` lists missing tasks.
 * A program must be used by one thread at a time.
 */
#ifndef ABNFORGE_FOLLOW_H
#define ABNFORGE_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

#define ABNF_NONE UINT32_MAX
#define ABNF_UNIT 1000000               /* the weight of cost 1 */
#define ABNF_ANYTHING_WEIGHT (4 * ABNF_UNIT)
#define ABNF_CHARACTER_WEIGHT (ABNF_UNIT / 2)
#define ABNF_MOST_WEIGHT (1 << 29)      /* the limit for a band and a mistake, so that sums of two have 31 bits */
#define ABNF_MOST_FOLLOWED 20000u       /* the maximum number of states between two characters */

typedef enum { ABNF_READ, ABNF_WANTED, ABNF_TOO_MANY, ABNF_LIMIT, ABNF_UNREADABLE, ABNF_NO_MEMORY, ABNF_FULL } abnf_status;

typedef struct {
    void *items;
    size_t count, room;
} abnf_list;

#define ITEMS(list, type) ((type *)(list).items)

/* Return room for `more` items of `octets` bytes each at the end of a list, or null if out of memory. */
void *abnf_more(abnf_list *list, size_t more, size_t octets);

/* A hash table with the numbers of unique items. At least half of the slots are free. */
typedef struct {
    uint32_t *slots;
    size_t mask, count;
} abnf_index;

typedef enum {
    ABNF_UNKNOWN_TASK,
    ABNF_CHARS,     /* one: the charset */
    ABNF_SEQ,       /* its items */
    ABNF_CHOICE,    /* its items */
    ABNF_REPEAT,    /* one: the repeated item; two: the rest of the repetition, if any; three: true if it is optional */
    ABNF_PLAIN,     /* one: the body of a rule */
    ABNF_SLOT_OF,   /* one: the rule that is a slot; two: its name */
    ABNF_PLACE,     /* one: the body of a rule; two: the mark after it; three: any characters instead of it. Four: the
                     * rule without the mistakes before it; items: its mistakes, then `before` mistakes before it */
    ABNF_CLOSING,   /* items: the mistakes that may follow the rule */
    ABNF_ANYTHING,  /* any characters, at a cost */
    ABNF_MISTAKE_ENDS,
    ABNF_SLOT_ENDS,
    ABNF_PROSE,     /* derives unknown strings */
    ABNF_KINDS
} abnf_kind;

typedef struct {
    uint32_t kind, one, two, three, four;
    uint32_t first, count, before; /* the index of its first item, the number of items, and of those the mistakes before a rule */
} abnf_task;

enum { ABNF_ENDS = 0, ABNF_SLOT_STOPS = 1 }; /* the tasks that all programs have */

typedef struct {
    uint32_t task, index, rest; /* index: the next item of a sequence; rest: the state after it. State 0 is the end of the string */
    uint32_t depth;             /* the number of open rules; inside a mistake, only rules within it count */
} abnf_state;

enum { ABNF_END, ABNF_SLOT_END, ABNF_SLOT, ABNF_BEGIN }; /* an event is 4 * number + one of these */
#define ABNF_CATCH_ALL 0u                                /* the number of "not a mistake" */

typedef struct {
    uint32_t event, state;   /* the event, and the state there */
    uint32_t parent;         /* the way before the event; way 0 is empty */
    uint32_t after;          /* true if a mistake after a rule begins on it */
} abnf_way;

enum { ABNF_ALL = -1, ABNF_START = -2, ABNF_STOP = -3 }; /* slot names that are words of the notation */

typedef struct {
    int32_t name, turn;
} abnf_slot;

typedef struct {
    int32_t weight;
    uint32_t after, body;    /* true if it comes after a rule; the task of its body, once added */
    uint32_t is_told;        /* true if it can be reported from its slots alone */
    uint32_t code;           /* the number of its code, which several mistakes may share */
    uint32_t slots, blamed, said; /* the index of its first slot; the number of slots for its span, then for its message */
} abnf_mistake;

typedef struct {
    uint64_t bits[4];        /* one bit for each character class */
} abnf_charset;

/* The program of a rule, shared by its searches with all bands. */
typedef struct {
    abnf_list tasks, items, charsets, mistakes, slots;
    abnf_list states, ways;
    abnf_index by_state, by_way;
    abnf_list wanted;        /* uint32_t: 2 * a missing task, or 2 * a mistake with a missing body + 1 */
    abnf_list seen;          /* uint32_t[states]: the last call that visited the state */
    uint32_t now, generation;
    uint32_t declared;       /* the number of mistakes of the grammar */
    abnf_list cells, buckets; /* the states to follow, by weight */
    abnf_list anything;      /* arcs of ABNF_ANYTHING, which are heavier than their source states */
} abnf_program;

typedef struct {
    uint32_t charset, target, way;
    int32_t weight;
    uint32_t late;           /* its rank among arcs of the same weight */
} abnf_arc;

/* The arcs of a state. */
typedef struct {
    uint32_t first, count;   /* the index of its first arc and the number of arcs, lightest first */
    uint32_t cost;           /* the number of states that were followed */
    int32_t weight;          /* the weight of the end of the string, or -1 */
    uint32_t late, way;
} abnf_follow;

/* Initialize an empty program. Return 0 if out of memory. */
int abnf_program_begin(abnf_program *p);
void abnf_program_free(abnf_program *p);

/* Drop all states and ways. */
void abnf_program_forget(abnf_program *p);

/* Return the number of a state, or ABNF_NONE if out of memory. Its task and the state after it must exist. */
uint32_t abnf_state_of(abnf_program *p, uint32_t task, uint32_t index, uint32_t rest);

/* Excluded codes: one flag per code number. */
typedef struct {
    uint8_t *flags;
    size_t count;
} abnf_codes;

/* Find the arcs of a state up to a weight, and append them to a list. Return ABNF_WANTED if tasks are missing,
 * ABNF_TOO_MANY for more than ABNF_MOST_FOLLOWED states. In both cases the list is unchanged. */
abnf_status abnf_follow_state(abnf_program *p, uint32_t origin, int32_t heaviest, const abnf_codes *without, abnf_list *arcs, abnf_follow *follow);

/* Make room for one more number in an index; `hash` returns the hash of a number. Return 0 if out of memory. */
int abnf_index_room(abnf_index *index, uint64_t (*hash)(const void *, uint32_t), const void *of);

static inline uint64_t abnf_mixed(uint64_t hash, uint64_t more) {
    hash = (hash ^ (hash >> 32) ^ more) * 0x9E3779B97F4A7C15u; /* Vigna 2014 */
    return hash ^ (hash >> 29);
}

#endif
