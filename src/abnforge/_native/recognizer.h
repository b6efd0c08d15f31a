/* The configurations of a recursive grammar, represented by numbers, and the moves between them. Plain C11, like walk.h.
 *
 * The reference is parsing/recognizer/: its modules explain items, frames, stacks and configurations, and have the same
 * functions under the same names. When a string first leads to a rule, a large choice or the left corners of a rule, the
 * operation stops, parsing/recognizer/program.py defines them, and the operation is repeated.
 * A recognizer must be used by one thread at a time.
 */
#ifndef ABNFORGE_RECOGNIZER_H
#define ABNFORGE_RECOGNIZER_H

#include "follow.h"

enum { ABNF_CALLED = 1, ABNF_PRODUCTIVE = 2, ABNF_NULLABLE = 4 }; /* flags of rules */

/* Nodes of the core form, in postfix order. Each is followed by its numbers. Parts 0 and following are references to
 * the rules in order; each node adds a part. */
typedef enum {
    ABNF_NODE_CHARS,    /* the charset */
    ABNF_NODE_REF,      /* the number of a part; such a node is not added */
    ABNF_NODE_SEQ,      /* the number of preceding nodes */
    ABNF_NODE_CHOICE,   /* the number of preceding nodes */
    ABNF_NODE_REPEAT,   /* the minimum and the maximum, ABNF_NONE for none; repeats the preceding node */
    ABNF_NODE_PROSE,
    ABNF_NODE_LATER,    /* flags; a node that is defined when a string first leads to it */
    ABNF_NODES
} abnf_node;

typedef struct {
    uint32_t kind, flags;
    uint32_t one;          /* the charset, rule or repeated node; the index of the first item; the node defined later */
    uint32_t two, three;   /* the number of items; the minimum and the maximum */
} abnf_part;

/* The unread rest of a frame: the items of a sequence from `index`, or a repetition after `index` iterations. Item 0 is
 * the end of the frame. */
typedef struct {
    uint32_t part, index, rest, shape;
    uint32_t counts, count;               /* the limits of the repetitions in progress, innermost first */
    uint32_t first, closed;               /* the items that wait for a character or a call, once found */
    uint32_t seen, joined;                /* the last walk or union that it is in */
    uint8_t is_loose, is_closed, is_final;
} abnf_item;

typedef struct {
    uint32_t first, count, final;         /* its items, in ascending order */
    uint32_t moves;                       /* the index of its row, or ABNF_NONE */
    uint32_t calls, called;               /* the index and number of pairs of a rule and a return state, once found */
} abnf_frame;

/* A pair of a stack node and a frame state: 2^32 * the node + the state. */
typedef uint64_t abnf_pair;

typedef struct {
    uint32_t first, count;                /* its edges, in ascending order */
    uint32_t group, member;               /* its left-recursive group, or ABNF_NONE */
    uint32_t ends, ending, has_ends;      /* the edges to which a frame above can return, once found */
    uint32_t stamp, moved;                /* the node that replaces it in the current replacement */
} abnf_stack_node;

typedef struct {
    uint32_t corners, node, first;        /* the rules, the first of its nodes, and the index of its origin */
    uint32_t size;
} abnf_group;

/* Called rules that call one another before the first character. */
typedef struct {
    uint32_t members, count;              /* the rules */
    uint32_t reached, reaching;           /* the groups of all rules that they call in this way, themselves included */
    uint32_t is_recursive;
} abnf_corners;

typedef struct {
    uint32_t first, count;                /* its pairs, in ascending order */
    uint32_t cost, octets;
    uint32_t text;                        /* the last string that led here, since each string is charged once per configuration */
    uint32_t node, below;                 /* the part to spill and the configuration without it, or ABNF_NONE */
    uint32_t opened, opening;             /* its pairs with all frames that are opened before the next character, once found */
    uint8_t is_accepting, is_returning, is_opened;
} abnf_configuration;

typedef struct {
    uint32_t classes, rules;
    const uint32_t *symbols;              /* a code point of each class; the caller keeps it */
    const uint8_t *flags;                 /* the flags of each rule; the caller keeps it */
    uint32_t most_dominators, most_nodes, most_items, most_pairs; /* limits, set by the caller */
    abnf_status status;                   /* not ABNF_READ after a failure; nothing is cached then */
    uint32_t wanted;                      /* 2 * a part to define, or 2 * a rule whose corners are missing + 1 */
    abnf_list parts, children, charsets, corners, corner_of, members;
    abnf_list items, counts, shapes, closures, frames, frame_items, rows, calls, entries;
    abnf_list nodes, edges, groups, origins, configurations, pairs, moves;
    abnf_list by_cover;
    abnf_index item_index, shape_index, frame_index, node_index, group_index, configuration_index;
    uint32_t now, unions, stamp;
    abnf_list scratch[16], more_scratch[4]; /* for one operation at a time */
} abnf_recognizer;

/* Initialize a recognizer. Return 0 if out of memory. */
int abnf_recognizer_begin(abnf_recognizer *r);
void abnf_recognizer_free(abnf_recognizer *r);

/* Drop all items, nodes and configurations. */
void abnf_recognizer_forget(abnf_recognizer *r);

/* Each returns a number; if `status` is not ABNF_READ afterwards, the number has no meaning. */
uint32_t abnf_define(abnf_recognizer *r, uint32_t part, const uint32_t *words, size_t count); /* ABNF_NONE if invalid */
uint32_t abnf_entry(abnf_recognizer *r, uint32_t rule);
uint32_t abnf_calls(abnf_recognizer *r, uint32_t frame); /* the number of calls */
uint32_t abnf_start(abnf_recognizer *r, uint32_t rule);
uint32_t abnf_restore(abnf_recognizer *r, uint32_t configuration, uint32_t node);
int abnf_is_large(abnf_recognizer *r, uint32_t configuration);

/* Return the configuration after a character of a class, or ABNF_NONE, before its stack is normalized. */
uint32_t abnf_move(abnf_recognizer *r, uint32_t configuration, uint32_t class);

#endif
