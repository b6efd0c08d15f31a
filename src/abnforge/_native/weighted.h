/* Weighted sets of states, determinized while texts are read (subset construction). Plain C11, as walk.h.
 *
 * A set is what a text can have led to: states, each with the weight by which its lightest way is above the lightest of
 * all (Mohri 1997). A move to a set says for each member there which member it comes from, and by which way: so the best
 * reading is found on the way back. The same as explain/weighted.py, which is the reference. For one thread at a time.
 */
#ifndef ABNFORGE_WEIGHTED_H
#define ABNFORGE_WEIGHTED_H

#include "follow.h"

enum { ABNF_UNKNOWN = -1, ABNF_NOWHERE = -2, ABNF_IDLE = -3 }; /* in the place of the number of a move */
#define ABNF_SET_STEPS 100u                                    /* what a set takes, each member, and each state followed */
#define ABNF_MEMBER_STEPS 3u
#define ABNF_FOLLOWED_STEPS 3u

typedef struct {
    int32_t target, weight;
    uint32_t path;           /* where its sources and ways begin, one of each for every member of the target */
} abnf_move;

typedef struct {
    uint32_t state;
    int32_t weight;          /* above the lightest */
} abnf_member;

typedef struct {
    uint32_t first, members; /* where its members begin, and how many there are */
    uint32_t text;           /* the last text that led here: a set is charged for once a text */
    uint64_t cost;           /* steps, if none of its states is followed for another set */
    int32_t weight;          /* of the lightest end, or -1 */
    uint32_t member, way;
} abnf_set;

typedef struct {
    uint32_t at, value;      /* a place in the text, and the move taken or the way gone there */
} abnf_turn;

typedef struct {
    abnf_program *program;
    uint32_t generation;     /* of the program, whose states are those of the sets */
    int32_t band;            /* what is heavier than the lightest by more is left out */
    abnf_codes without;
    uint16_t *page_of;       /* [0x1100] the page of 256 code points */
    uint8_t *pages;          /* [256 * pages] the class of a code point */
    size_t classes;
    abnf_list entries;       /* int32_t[sets * classes]: the number of a move, or one of the above */
    abnf_list sets, members, moves; /* abnf_set, abnf_member, abnf_move */
    abnf_index by_members;
    abnf_list sources, ways; /* uint32_t, of all paths */
    abnf_list arcs, follows; /* abnf_arc; abnf_follow and whether it was paid for */
    abnf_list follow_of;     /* uint32_t[states]: the number of a state's follow, or ABNF_NONE */
    abnf_list best, best_of, met; /* of a move: the best way to each state; uint32_t[states]: which one that is, and for which move */
    uint32_t now;
    abnf_list turns, gone;   /* abnf_turn: of the text that is read, and of its best reading backwards */
    abnf_list events;        /* uint32_t: of a way, the last first */
    uint32_t text;           /* the number of the text that is read */
    uint64_t limit, left;    /* steps that may be taken for it, and what is left for new sets */
    uint64_t used;           /* with ABNF_LIMIT: the steps that it would have taken */
    uint64_t cost;           /* of the sets that it led to */
    size_t at;               /* how far it is read, and to which set that leads */
    uint32_t set;
    size_t most_sets, most_states, most_members; /* more than that are not kept: see abnf_is_full */
} abnf_weighted;

void abnf_weighted_free(abnf_weighted *w);

/* Drop all sets, if the program has dropped their states. */
void abnf_catch_up(abnf_weighted *w);

/* Whether more is known than is worth keeping. */
int abnf_is_full(const abnf_weighted *w);

/* So many steps may be taken for the next text. */
void abnf_allow(abnf_weighted *w, uint64_t limit);

/* The number of the set of some states, the preferred one first; what is given twice is there once. */
abnf_status abnf_set_of(abnf_weighted *w, const uint32_t *states, size_t count, uint32_t *number);

/* Begin a text in a set. */
void abnf_begin(abnf_weighted *w, uint32_t set);

/* Read on, in characters of 1 or 4 octets; sets that are not known yet are made, if they `may` be. With any other status
 * than ABNF_READ (ABNF_FULL: they may not be made) the text is read as far as w->at, and can be read on from there. */
abnf_status abnf_read_on(abnf_weighted *w, const void *units, int width, size_t count, int may);

/* The weight of the best reading, and in w->gone its ways that are not empty, the last first. A text that is `cut` may
 * end anywhere. */
abnf_status abnf_way_back(abnf_weighted *w, int cut, int64_t *weight);

/* ---- the first mistake of a reading ---- */

#define ABNF_MOST_SAID 8u

typedef struct {
    uint32_t mistake;        /* ABNF_CATCH_ALL: nothing that is told here */
    uint32_t begin, end;     /* what is blamed */
    int32_t said[2 * ABNF_MOST_SAID]; /* begin and end of each slot that its sentence shows; -1 for none */
} abnf_told;

/* What is told of the reading in w->gone, of a text of so many characters; 0 without memory. */
int abnf_first_mistake(abnf_weighted *w, size_t count, abnf_told *told);

#endif
