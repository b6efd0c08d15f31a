/* Weighted sets of states that are made while texts are read: what is known of them, walked. Plain C11, as walk.h.
 *
 * A set is what a text can have led to: members, each with a weight. A move to a set says for each member there which
 * member it comes from, and by which way: so the best reading is found on the way back. Who fills this in is
 * mistakes/walks.py; what is not known yet is told, and learned. For one thread at a time.
 */
#ifndef ABNFORGE_WEIGHTED_H
#define ABNFORGE_WEIGHTED_H

#include <stddef.h>
#include <stdint.h>

enum { ABNF_UNKNOWN = -1, ABNF_NOWHERE = -2, ABNF_IDLE = -3 }; /* in the place of the number of a move */
enum { ABNF_NO_END = -1, ABNF_UNKNOWN_END = -2 };              /* in the place of a weight */

typedef struct {
    int32_t target, weight;
    uint32_t path;           /* where its sources and ways begin, one of each for every member of the target */
} abnf_move;

typedef struct {
    uint32_t text;           /* the last text that led here: a set is charged for once a text */
    uint32_t cost, members;
    int32_t weight;          /* of the lightest end */
    uint32_t member, way;
} abnf_set;

typedef struct {
    uint32_t at, value;      /* a place in the text, and the move taken or the way gone there */
} abnf_turn;

typedef struct {
    void *items;
    size_t count, room;
} abnf_list;

typedef struct {
    uint16_t *page_of;       /* [0x1100] the page of 256 code points */
    uint8_t *pages;          /* [256 * pages] the class of a code point */
    size_t classes;
    abnf_list entries;       /* int32_t[sets * classes]: the number of a move, or one of the above */
    abnf_list sets, moves;   /* abnf_set, abnf_move */
    abnf_list sources, ways; /* uint32_t, of all paths */
    abnf_list turns, gone;   /* abnf_turn: of the text that is read, and of its best reading backwards */
    abnf_list events, begins; /* uint32_t: those of all ways, and for each way where its own begin */
    abnf_list mistakes, slots; /* abnf_mistake, abnf_slot */
    uint32_t text;           /* the number of the text that is read */
    uint64_t cost;           /* of the sets that it led to */
    size_t at;               /* how far it is read, and to which set that leads */
    uint32_t set;
} abnf_weighted;

/* Room for `more` items of some octets each behind those that a list has; null if there is none. */
void *abnf_more(abnf_list *list, size_t more, size_t octets);

/* Begin a text in a set. */
void abnf_begin(abnf_weighted *w, uint32_t set);

typedef enum { ABNF_READ, ABNF_NEW_MOVE, ABNF_NEW_END, ABNF_UNREADABLE, ABNF_NO_MEMORY } abnf_status;

/* Read on, in characters of 1 or 4 octets, as far as it is known where they lead. ABNF_NEW_MOVE: the move of w->set by
 * the character at w->at has to be learned. */
abnf_status abnf_read_on(abnf_weighted *w, const void *units, int width, size_t count);

/* The weight of the best reading, and in w->gone its ways that are not empty, the last first. A text that is `cut` may
 * end anywhere. ABNF_NEW_END: that of w->set has to be learned. */
abnf_status abnf_way_back(abnf_weighted *w, int cut, int64_t *weight);

/* ---- the first mistake of a reading ---- */

enum { ABNF_END, ABNF_SLOT_END, ABNF_SLOT, ABNF_BEGIN }; /* an event: 4 * a number + one of these */
#define ABNF_CATCH_ALL 0u                                /* the number of what is no mistake */
#define ABNF_MOST_SAID 8u
enum { ABNF_ALL = -1, ABNF_START = -2, ABNF_STOP = -3 }; /* slots that are words */

typedef struct {
    int32_t name, turn;
} abnf_slot;

typedef struct {
    uint32_t slots, blamed, said; /* where its slots begin: those that are blamed, then those that are said */
} abnf_mistake;

typedef struct {
    uint32_t mistake;        /* ABNF_CATCH_ALL: nothing that is told here */
    uint32_t begin, end;     /* what is blamed */
    int32_t said[2 * ABNF_MOST_SAID]; /* begin and end of each slot that its sentence shows; -1 for none */
} abnf_told;

/* What is told of the reading in w->gone, of a text of so many characters. */
void abnf_first_mistake(const abnf_weighted *w, size_t count, abnf_told *told);

#endif
