/* Normalize and resolve references by RFC 3986. A reference consists of bytes and the places of its components. Plain C11
 * without Python and without allocation. */
#ifndef ABNFORGE_REFERENCES_H
#define ABNFORGE_REFERENCES_H

#include <stddef.h>
#include <stdint.h>

/* The components that do not contain other components, in the order of a reference. */
enum { ABNF_SCHEME, ABNF_USERINFO, ABNF_HOST, ABNF_PORT, ABNF_PATH, ABNF_QUERY, ABNF_FRAGMENT, ABNF_COMPONENTS };

/* A URI-reference; `places` are the begin and end of each component, -1 for an undefined component. */
typedef struct {
    const uint8_t *octets;
    size_t length;
    const int32_t *places;
} abnf_reference;

#define ABNF_GUARD 2u /* the size of "/.", a prefix that a path can get */

/* Return whether the components and their delimiters make up the whole string. The functions below require such a
 * reference, and do not write more than the stated number of bytes for any input. */
int abnf_is_reference(const abnf_reference *reference);

/* Return true only if normalization does not change a reference. This fast test succeeds for most references. */
int abnf_surely_normal(const abnf_reference *reference);

/* Write the normal form by section 6.2.2, without the ":" of an empty port, and return its size: at most
 * reference->length + ABNF_GUARD. Relative references keep their dot-segments. */
size_t abnf_normalize(const abnf_reference *reference, uint8_t *output);

/* Return true only if a reference is its own target, like most references with a scheme. */
int abnf_surely_target(const abnf_reference *reference);

/* Write the target of a reference by section 5.2.2, for a base with a scheme, and return its size: at most
 * base->length + reference->length + ABNF_GUARD. */
size_t abnf_resolve(const abnf_reference *base, const abnf_reference *reference, uint8_t *output);

/* Remove the dot-segments of a path in place by section 5.2.4, and return its new size. */
size_t abnf_remove_dot_segments(uint8_t *path, size_t length);

#endif
