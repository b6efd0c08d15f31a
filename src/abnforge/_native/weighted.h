/* Weighted sets of states, determinized as strings lead to them (Mohri 1997). Plain C11, as walk.h.
 *
 * A set has the states that a prefix can lead to. The weight of a member is that of its lightest way, minus that of the
 * lightest way of the set. A move to a set has, for each member, the source member and the way. So a walk backwards finds
 * the lightest interpretation. The reference is explain/weighted.py. One thread at a time may use an object.
 */
#ifndef ABNFORGE_WEIGHTED_H
#define ABNFORGE_WEIGHTED_H

#include "follow.h"

enum { ABNF_UNKNOWN = -1, ABNF_NOWHERE = -2, ABNF_IDLE = -3 }; /* instead of the number of a move */
#define ABNF_SET_STEPS 100u                                    /* steps for a set, for each member, and for each followed state */
#define ABNF_MEMBER_STEPS 3u
#define ABNF_FOLLOWED_STEPS 3u

typedef struct {
    int32_t target, weight;
    uint32_t path;           /* the place of its sources and ways, one for each member of the target */
} abnf_move;

typedef struct {
    uint32_t state;
    int32_t weight;          /* minus that of the lightest member */
} abnf_member;

typedef struct {
    uint32_t first, members; /* the place of its members, and their number */
    uint32_t text;           /* the last string that led here: each string pays for a set once */
    uint64_t cost;           /* steps, if no other set has followed its states */
    int32_t weight;          /* of the lightest end, or -1 */
    uint32_t member, way;
} abnf_set;

typedef struct {
    uint32_t at, value;      /* an offset in the string, and the move or the way there */
} abnf_turn;

typedef struct {
    abnf_program *program;
    uint32_t generation;     /* the generation of the program, whose states the sets contain */
    int32_t band;            /* members that are heavier than the lightest by more are dropped */
    abnf_codes without;
    uint16_t *page_of;       /* [0x1100] the page of 256 code points */
    uint8_t *pages;          /* [256 * pages] the class of a code point */
    size_t classes;
    abnf_list entries;       /* int32_t[sets * classes]: the number of a move, or ABNF_UNKNOWN, ABNF_NOWHERE, ABNF_IDLE */
    abnf_list sets, members, moves; /* abnf_set, abnf_member, abnf_move */
    abnf_index by_members;
    abnf_list sources, ways; /* uint32_t, of all moves */
    abnf_list arcs, follows; /* abnf_arc; abnf_follow, and true once a string paid for it */
    abnf_list follow_of;     /* uint32_t[states]: the number of the abnf_follow of a state, or ABNF_NONE */
    abnf_list best, best_of, met; /* for a new move: the best way to each state; uint32_t[states]: its number, and the move that it is for */
    uint32_t now;
    abnf_list turns, gone;   /* abnf_turn: the moves of the string, and its lightest interpretation backwards */
    abnf_list events;        /* uint32_t: the events of a way, the last first */
    uint32_t text;           /* the number of the current string */
    uint64_t limit, left;    /* the steps that the string may take, and the rest of them for new sets */
    uint64_t used;           /* with ABNF_LIMIT: the steps that it required */
    uint64_t cost;           /* of the sets that the string led to */
    size_t at;               /* the offset of the next character, and the set there */
    uint32_t set;
    size_t most_sets, most_states, most_members; /* limits of abnf_is_full */
} abnf_weighted;

void abnf_weighted_free(abnf_weighted *w);

/* Drop all sets if the program has dropped their states. */
void abnf_catch_up(abnf_weighted *w);

/* Return whether there are more sets, states or members than are kept for the next string. */
int abnf_is_full(const abnf_weighted *w);

/* Set the limit of steps for the next string. */
void abnf_allow(abnf_weighted *w, uint64_t limit);

/* Find the number of a set of states, the preferred state first. Repeated states count once. */
abnf_status abnf_set_of(abnf_weighted *w, const uint32_t *states, size_t count, uint32_t *number);

/* Begin a string in a set. */
void abnf_begin(abnf_weighted *w, uint32_t set);

/* Continue a string, in characters of 1 or 4 bytes. `may`: new sets may be made; otherwise the status is ABNF_FULL. With any
 * other status than ABNF_READ, the string was read up to w->at, and can be continued from there. */
abnf_status abnf_read_on(abnf_weighted *w, const void *units, int width, size_t count, int may);

/* Find the weight of the lightest interpretation, and in w->gone its ways that are not empty, the last first. A string
 * that is `cut` may end anywhere. */
abnf_status abnf_way_back(abnf_weighted *w, int cut, int64_t *weight);

/* ---- the first mistake of an interpretation ---- */

#define ABNF_MOST_SAID 8u

typedef struct {
    uint32_t mistake;        /* ABNF_CATCH_ALL: not reported here */
    uint32_t begin, end;     /* the span of the mistake */
    int32_t said[2 * ABNF_MOST_SAID]; /* begin and end of each slot in its message; -1 for none */
} abnf_told;

/* Report the first mistake of the interpretation in w->gone, of a string of `count` characters; 0 without memory. */
int abnf_first_mistake(abnf_weighted *w, size_t count, abnf_told *told);

#endif
