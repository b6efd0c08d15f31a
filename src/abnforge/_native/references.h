/* References normalized and resolved by RFC 3986, on octets and the places of their components. Plain C11: no Python,
 * no allocation. */
#ifndef ABNFORGE_REFERENCES_H
#define ABNFORGE_REFERENCES_H

#include <stddef.h>
#include <stdint.h>

/* The components that are made of no others, in the order of a text. */
enum { ABNF_SCHEME, ABNF_USERINFO, ABNF_HOST, ABNF_PORT, ABNF_PATH, ABNF_QUERY, ABNF_FRAGMENT, ABNF_COMPONENTS };

/* A URI-reference: `places` are begin and end of each component, -1 for one that is undefined. */
typedef struct {
    const uint8_t *octets;
    size_t length;
    const int32_t *places;
} abnf_reference;

#define ABNF_GUARD 2u /* octets of the "/." that a path may get in front */

/* Whether the components and a delimiter for each are all of the text. What follows asks for such references, and writes
 * no more than it says of them, whatever the octets are. */
int abnf_is_reference(const abnf_reference *it);

/* Whether normalizing surely changes nothing, which is so of most references and quick to see. */
int abnf_surely_normal(const abnf_reference *it);

/* The normal form by section 6.2.2 and without the ":" of an empty port: how many octets it has, at most
 * it->length + ABNF_GUARD. What is relative keeps its dot-segments. */
size_t abnf_normalize(const abnf_reference *it, uint8_t *made);

/* Whether a reference is surely its own target, as most are that have a scheme. */
int abnf_surely_target(const abnf_reference *it);

/* The target of a reference by section 5.2.2, of a base that has a scheme: how many octets it has, at most
 * base->length + it->length + ABNF_GUARD. */
size_t abnf_resolve(const abnf_reference *base, const abnf_reference *it, uint8_t *made);

/* Section 5.2.4, in place: the octets that are left of a path. */
size_t abnf_remove_dot_segments(uint8_t *path, size_t length);

#endif
