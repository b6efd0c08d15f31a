/* What is left to read of a text, with its mistakes, as numbers; and what can be read next. Plain C11, as walk.h.
 *
 * The same as explain/error_grammar.py, which is the reference: a state is a task and the state behind it, a task a node of a
 * grammar or a mark in it. Tasks are told by who knows the grammar (explain/program.py), each when a text first leads to
 * it: one that is not known yet is noted in `wanted`. For one thread at a time.
 */
#ifndef ABNFORGE_FOLLOW_H
#define ABNFORGE_FOLLOW_H

#include <stddef.h>
#include <stdint.h>

#define ABNF_NONE UINT32_MAX
#define ABNF_UNIT 1000000               /* the weight of a price of one */
#define ABNF_ANYTHING_WEIGHT (4 * ABNF_UNIT)
#define ABNF_CHARACTER_WEIGHT (ABNF_UNIT / 2)
#define ABNF_MOST_WEIGHT (1 << 29)      /* of a band and of a mistake: sums of two have 31 bits */
#define ABNF_MOST_FOLLOWED 20000u       /* states between two characters */

typedef enum { ABNF_READ, ABNF_WANTED, ABNF_TOO_MANY, ABNF_LIMIT, ABNF_UNREADABLE, ABNF_NO_MEMORY, ABNF_FULL } abnf_status;

typedef struct {
    void *items;
    size_t count, room;
} abnf_list;

#define ITEMS(list, type) ((type *)(list).items)

/* Room for `more` items of some octets each behind those that a list has; null if there is none. */
void *abnf_more(abnf_list *list, size_t more, size_t octets);

/* Numbers of what is equal only to itself, by its hash. Half of the slots at least are free. */
typedef struct {
    uint32_t *slots;
    size_t mask, count;
} abnf_index;

typedef enum {
    ABNF_UNKNOWN_TASK,
    ABNF_CHARS,     /* one: the charset */
    ABNF_SEQ,       /* its items */
    ABNF_CHOICE,    /* its items */
    ABNF_REPEAT,    /* one: what is repeated; two: what is left of it then, if anything; three: whether it can be left out */
    ABNF_PLAIN,     /* one: the body of a rule */
    ABNF_SLOT_OF,   /* one: the rule that is a slot; two: its name */
    ABNF_PLACE,     /* one: the rule's body; two: the mark behind it; three: anything in its place; four: the rule without what
                     * may stand before it; items: its mistakes, then `before` of those before it */
    ABNF_CLOSING,   /* items: the mistakes that may stand behind the rule */
    ABNF_ANYTHING,  /* any characters, for a price */
    ABNF_MISTAKE_ENDS,
    ABNF_SLOT_ENDS,
    ABNF_PROSE,     /* what it derives is not known */
    ABNF_KINDS
} abnf_kind;

typedef struct {
    uint32_t kind, one, two, three, four;
    uint32_t first, count, before; /* where its items begin, and how many there are */
} abnf_task;

enum { ABNF_ENDS = 0, ABNF_SLOT_STOPS = 1 }; /* the tasks that all programs have */

typedef struct {
    uint32_t task, index, rest; /* in a sequence, which item is next; the state behind. State 0 is the end of the text */
    uint32_t depth;             /* rules that are open, within a mistake those that are open within it */
} abnf_state;

enum { ABNF_END, ABNF_SLOT_END, ABNF_SLOT, ABNF_BEGIN }; /* an event: 4 * a number + one of these */
#define ABNF_CATCH_ALL 0u                                /* the number of what is no mistake */

typedef struct {
    uint32_t event, state;   /* what begins or ends, and where */
    uint32_t parent;         /* the way before. Way 0 is empty */
    uint32_t after;          /* whether a mistake behind a rule begins on it */
} abnf_way;

enum { ABNF_ALL = -1, ABNF_START = -2, ABNF_STOP = -3 }; /* slots that are words */

typedef struct {
    int32_t name, turn;
} abnf_slot;

typedef struct {
    int32_t weight;
    uint32_t after, body;    /* whether it stands behind a rule; its task, once it is known */
    uint32_t is_told;        /* whether its slots are enough to say it */
    uint32_t code;           /* by number; several may share it */
    uint32_t slots, blamed, said; /* where its slots begin: those that are blamed, then those that are said */
} abnf_mistake;

typedef struct {
    uint64_t bits[4];        /* one for each class of characters */
} abnf_charset;

/* What all bands of a rule share. */
typedef struct {
    abnf_list tasks, items, charsets, mistakes, slots;
    abnf_list states, ways;
    abnf_index by_state, by_way;
    abnf_list wanted;        /* uint32_t: 2 * a task, or 2 * a mistake + 1 whose body is not known */
    abnf_list seen;          /* uint32_t[states]: when each was last seen */
    uint32_t now, generation;
    uint32_t declared;       /* the number of mistakes in the grammar */
    abnf_list cells, buckets; /* what is still to be followed, by weight */
    abnf_list anything;      /* arcs by which anything is read, which are heavier than what they were found on */
} abnf_program;

typedef struct {
    uint32_t charset, target, way;
    int32_t weight;
    uint32_t late;           /* its rank among equals */
} abnf_arc;

/* What can be read next from a state. */
typedef struct {
    uint32_t first, count;   /* its arcs, the lightest first */
    uint32_t cost;           /* states that were followed */
    int32_t weight;          /* of the end of the text, or -1 */
    uint32_t late, way;
} abnf_follow;

/* An empty program. 0 without memory. */
int abnf_program_begin(abnf_program *p);
void abnf_program_free(abnf_program *p);

/* Drop all states and ways. */
void abnf_program_forget(abnf_program *p);

/* The number of a state, or ABNF_NONE without memory. Its task is known to exist, and so is the state behind it. */
uint32_t abnf_state_of(abnf_program *p, uint32_t task, uint32_t index, uint32_t rest);

/* Codes that are left out: a flag for each, by its number. */
typedef struct {
    uint8_t *flags;
    size_t count;
} abnf_codes;

/* Follow a state as far as characters, for at most some weight; the arcs go behind those of a list. ABNF_WANTED: more has
 * to be known of the grammar; ABNF_TOO_MANY: there are more ways than ABNF_MOST_FOLLOWED. Then the list is as it was. */
abnf_status abnf_follow_state(abnf_program *p, uint32_t origin, int32_t heaviest, const abnf_codes *without, abnf_list *arcs, abnf_follow *follow);

/* An index with room for one more, or 0; `hash` gives the hash of a number. */
int abnf_index_room(abnf_index *index, uint64_t (*hash)(const void *, uint32_t), const void *of);

static inline uint64_t abnf_mixed(uint64_t hash, uint64_t more) {
    hash = (hash ^ (hash >> 32) ^ more) * 0x9E3779B97F4A7C15u; /* Vigna 2014 */
    return hash ^ (hash >> 29);
}

#endif
