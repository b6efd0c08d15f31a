/* Weighted sets of states, determinized when strings lead to them (Mohri 1997). Plain C11, like walk.h.
 *
 * A set contains the states that a prefix can lead to. The weight of a member is that of its lightest way minus that of
 * the lightest way to any member. A move stores the source member and the way for each member of its target, so the
 * lightest interpretation is found by following moves backwards. The reference is explain/weighted.py. An object must
 * be used by one thread at a time.
 */
#ifndef ABNFORGE_WEIGHTED_H
#define ABNFORGE_WEIGHTED_H

#include "follow.h"

enum { ABNF_UNKNOWN = -1, ABNF_NOWHERE = -2, ABNF_IDLE = -3 }; /* special values of a move's number */
#define ABNF_SET_STEPS 100u                                    /* steps per set, per member, and per followed state */
#define ABNF_MEMBER_STEPS 3u
#define ABNF_FOLLOWED_STEPS 3u

typedef struct {
    int32_t target, weight;
    uint32_t path;           /* the index of its first source and way; there is one per member of the target */
} abnf_move;

typedef struct {
    uint32_t state;
    int32_t weight;          /* the weight minus that of the lightest member */
} abnf_member;

typedef struct {
    uint32_t first, members; /* the index of its first member, and the number of members */
    uint32_t text;           /* the last string that led here, since each string is charged once per set */
    uint64_t cost;           /* steps to construct the set if no other set has followed its states */
    int32_t weight;          /* the weight of the lightest end, or -1 */
    uint32_t member, way;
} abnf_set;

typedef struct {
    uint32_t at, value;      /* an offset in the string, and the number of the move or way there */
} abnf_turn;

typedef struct {
    abnf_program *program;
    uint32_t generation;     /* the generation of the program, whose states the sets contain */
    int32_t band;            /* members heavier than the lightest by more than this are dropped */
    abnf_codes without;
    uint16_t *page_of;       /* [0x1100] the page of 256 code points */
    uint8_t *pages;          /* [256 * pages] the class of a code point */
    size_t classes;
    abnf_list entries;       /* int32_t[sets * classes]: the number of a move, or ABNF_UNKNOWN, ABNF_NOWHERE, ABNF_IDLE */
    abnf_list sets, members, moves; /* abnf_set, abnf_member, abnf_move */
    abnf_index by_members;
    abnf_list sources, ways; /* uint32_t, of all moves */
    abnf_list arcs, follows; /* abnf_arc; abnf_follow, and whether a string was charged for it */
    abnf_list follow_of;     /* uint32_t[states]: the number of the abnf_follow of a state, or ABNF_NONE */
    abnf_list best, best_of, met; /* for a new move: the best way to each state; uint32_t[states]: its number, and the number of its move */
    uint32_t now;
    abnf_list turns, gone;   /* abnf_turn: the moves of the string, and its lightest interpretation in reverse */
    abnf_list events;        /* uint32_t: the events of a way, last event first */
    uint32_t text;           /* the number of the current string */
    uint64_t limit, left;    /* the steps allowed for the string, and the remaining steps for new sets */
    uint64_t used;           /* after ABNF_LIMIT: the steps required */
    uint64_t cost;           /* the cost of the sets that the string reached */
    size_t at;               /* the offset of the next character; `set` is the set there */
    uint32_t set;
    size_t most_sets, most_states, most_members; /* limits of abnf_is_full */
} abnf_weighted;

void abnf_weighted_free(abnf_weighted *w);

/* Drop all sets if the program has dropped their states. */
void abnf_catch_up(abnf_weighted *w);

/* Return whether there are too many sets, states or members to keep them for the next string. */
int abnf_is_full(const abnf_weighted *w);

/* Set the limit of steps for the next string. */
void abnf_allow(abnf_weighted *w, uint64_t limit);

/* Find the number of a set of states, preferred states first. Repeated states count once. */
abnf_status abnf_set_of(abnf_weighted *w, const uint32_t *states, size_t count, uint32_t *number);

/* Begin a string in a set. */
void abnf_begin(abnf_weighted *w, uint32_t set);

/* Continue a string of characters of 1 or 4 bytes. `may` allows new sets; without it, a new set returns ABNF_FULL. After
 * any status other than ABNF_READ, the string was read up to w->at and can be continued from there. */
abnf_status abnf_read_on(abnf_weighted *w, const void *units, int width, size_t count, int may);

/* Find the weight of the lightest interpretation, and list its nonempty ways in w->gone, last way first. A string that is
 * `cut` can end anywhere. */
abnf_status abnf_way_back(abnf_weighted *w, int cut, int64_t *weight);

/* ---- the first mistake of an interpretation ---- */

#define ABNF_MOST_SAID 8u

typedef struct {
    uint32_t mistake;        /* ABNF_CATCH_ALL if it is not reported here */
    uint32_t begin, end;     /* the span of the mistake */
    int32_t said[2 * ABNF_MOST_SAID]; /* begin and end of each slot in its message, or -1 */
} abnf_told;

/* Report the first mistake of the interpretation in w->gone, for a string of `count` characters. Return 0 if out of
 * memory. */
int abnf_first_mistake(abnf_weighted *w, size_t count, abnf_told *told);

#endif
