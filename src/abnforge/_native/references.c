#include "references.h"
#include "walk.h"

#include <string.h>

static int begin_of(const abnf_reference *reference, int component) { return reference->places[2 * component]; }
static int end_of(const abnf_reference *reference, int component) { return reference->places[2 * component + 1]; }
static int has(const abnf_reference *reference, int component) { return end_of(reference, component) >= 0; }
static size_t size_of(const abnf_reference *reference, int component) { return (size_t)(end_of(reference, component) - begin_of(reference, component)); }
static const uint8_t *octets_of(const abnf_reference *reference, int component) { return reference->octets + begin_of(reference, component); }

int abnf_is_reference(const abnf_reference *reference) {
    /* The sizes of the delimiters that come before and after each component. The "//" comes before the userinfo if there
     * is one, otherwise before the host. */
    static const int8_t FRONT[ABNF_COMPONENTS] = {0, 2, 2, 1, 0, 1, 1}, BEHIND[ABNF_COMPONENTS] = {1, 1, 0, 0, 0, 0, 0};
    int64_t at = 0;
    for (int component = 0; component < ABNF_COMPONENTS; component++) {
        int64_t begin = begin_of(reference, component), end = end_of(reference, component);
        if (begin < 0 && end < 0) continue;
        int front = component == ABNF_HOST && has(reference, ABNF_USERINFO) ? 0 : FRONT[component];
        if (begin != at + front || end < begin) return 0;
        at = end + BEHIND[component];
    }
    int alone = !has(reference, ABNF_HOST) && (has(reference, ABNF_USERINFO) || has(reference, ABNF_PORT));
    return has(reference, ABNF_PATH) && !alone && (uint64_t)at == reference->length;
}

/* ---- characters ---- */

static int is_digit(uint8_t octet) { return (uint8_t)(octet - '0') < 10; }
static int is_upper(uint8_t octet) { return (uint8_t)(octet - 'A') < 26; }
static uint8_t lower(uint8_t octet) { return is_upper(octet) ? octet | 0x20 : octet; }
static uint8_t upper(uint8_t octet) { return (uint8_t)(octet - 'a') < 26 ? octet ^ 0x20 : octet; }

static int is_unreserved(int octet) { /* section 2.3; the octet may be -1 */
    return octet > 0 && octet < 0x80 &&
           (is_digit((uint8_t)octet) || is_upper(upper((uint8_t)octet)) || octet == '-' || octet == '.' || octet == '_' || octet == '~');
}

static int digit(uint8_t octet) { /* -1 for any other character */
    uint8_t letter = (uint8_t)((octet | 0x20) - 'a');
    return is_digit(octet) ? octet - '0' : letter < 6 ? letter + 10 : -1;
}

static int any_upper(const uint8_t *octets, size_t size) {
    int any = 0;
    for (size_t at = 0; at < size; at++) any |= is_upper(octets[at]);
    return any;
}

/* Copy bytes and return the end of the output. */
static uint8_t *put(uint8_t *output, const uint8_t *octets, size_t size) {
    memcpy(output, octets, size);
    return output + size;
}

/* Copy bytes, decode the triplets of unreserved characters, and write other triplets in upper case. With `as_lower`, write
 * all characters outside of triplets in lower case. */
static uint8_t *put_normal(uint8_t *output, const uint8_t *octets, size_t size, int as_lower) {
    const uint8_t *end = octets + size;
    while (octets < end) {
        const uint8_t *triplet = memchr(octets, '%', (size_t)(end - octets));
        const uint8_t *stop = triplet ? triplet : end;
        if (as_lower) while (octets < stop) *output++ = lower(*octets++);
        else output = put(output, octets, (size_t)(stop - octets)), octets = stop;
        if (!triplet) break;
        int high = end - triplet > 2 ? digit(triplet[1]) : -1, low = high < 0 ? -1 : digit(triplet[2]);
        int octet = low < 0 ? -1 : high << 4 | low;
        if (is_unreserved(octet)) {
            *output++ = as_lower ? lower((uint8_t)octet) : (uint8_t)octet;
            octets += 3;
        } else {
            *output++ = *octets++;
            for (int left = octet < 0 ? 0 : 2; left; left--) *output++ = upper(*octets++);
        }
    }
    return output;
}

/* ---- paths ---- */

/* Return whether a segment of a path begins with a dot, as dot-segments do. */
static int any_dots(const uint8_t *path, size_t size) {
    const uint8_t *end = path + size, *at = path;
    while (at < end && (at = memchr(at, '.', (size_t)(end - at)))) {
        if (at == path || at[-1] == '/') return 1;
        at++;
    }
    return 0;
}

static int is_ambiguous(const uint8_t *path, size_t size) { /* the path would be parsed as an authority */
    return size > 1 && path[0] == '/' && path[1] == '/';
}

size_t abnf_remove_dot_segments(uint8_t *path, size_t length) {
    const uint8_t *ahead = path, *end = path + length;
    uint8_t *output = path; /* the output overwrites the part that was already read */
    while (ahead < end) {
        const uint8_t *segment = ahead + (*ahead == '/');
        const uint8_t *next = segment < end ? memchr(segment, '/', (size_t)(end - segment)) : NULL;
        if (!next) next = end;
        size_t size = (size_t)(next - segment);
        if (size == 0 || size > 2 || segment[0] != '.' || segment[size - 1] != '.') { /* step E */
            memmove(output, ahead, (size_t)(next - ahead));
            output += next - ahead;
            ahead = next;
        } else if (segment == ahead) { /* steps A and D: the output is empty */
            ahead = next < end ? next + 1 : end;
        } else { /* steps B and C */
            if (size == 2) while (output > path && *--output != '/');
            if (next == end) *output++ = '/';
            ahead = next;
        }
    }
    return (size_t)(output - path);
}

/* Finish a path in the output: remove its dot-segments, and add "/." before a path that would be parsed as an authority. */
static uint8_t *end_path(uint8_t *path, uint8_t *output, int remove, int guard) {
    size_t size = (size_t)(output - path);
    if (remove && any_dots(path, size)) size = abnf_remove_dot_segments(path, size);
    if (guard && is_ambiguous(path, size)) {
        memmove(path + ABNF_GUARD, path, size);
        path[0] = '/', path[1] = '.';
        size += ABNF_GUARD;
    }
    return path + size;
}

/* ---- section 6.2.2 ---- */

int abnf_surely_normal(const abnf_reference *reference) {
    const uint8_t *path = octets_of(reference, ABNF_PATH);
    size_t size = size_of(reference, ABNF_PATH);
    if (memchr(reference->octets, '%', reference->length)) return 0;
    if (has(reference, ABNF_SCHEME) && (any_upper(reference->octets, size_of(reference, ABNF_SCHEME)) || any_dots(path, size))) return 0;
    if (!has(reference, ABNF_HOST)) return !is_ambiguous(path, size);
    return !any_upper(octets_of(reference, ABNF_HOST), size_of(reference, ABNF_HOST)) && !(has(reference, ABNF_PORT) && size_of(reference, ABNF_PORT) == 0);
}

size_t abnf_normalize(const abnf_reference *reference, uint8_t *output) {
    uint8_t *begin = output;
    if (has(reference, ABNF_SCHEME)) {
        for (int at = 0; at < end_of(reference, ABNF_SCHEME); at++) *output++ = lower(reference->octets[at]);
        *output++ = ':';
    }
    if (has(reference, ABNF_HOST)) {
        *output++ = '/', *output++ = '/';
        if (has(reference, ABNF_USERINFO)) {
            output = put_normal(output, octets_of(reference, ABNF_USERINFO), size_of(reference, ABNF_USERINFO), 0);
            *output++ = '@';
        }
        output = put_normal(output, octets_of(reference, ABNF_HOST), size_of(reference, ABNF_HOST), 1);
        if (has(reference, ABNF_PORT) && size_of(reference, ABNF_PORT)) {
            *output++ = ':';
            output = put(output, octets_of(reference, ABNF_PORT), size_of(reference, ABNF_PORT));
        }
    }
    uint8_t *path = output;
    output = put_normal(output, octets_of(reference, ABNF_PATH), size_of(reference, ABNF_PATH), 0);
    output = end_path(path, output, has(reference, ABNF_SCHEME), !has(reference, ABNF_HOST));
    output = put_normal(output, reference->octets + end_of(reference, ABNF_PATH), reference->length - (size_t)end_of(reference, ABNF_PATH), 0);
    return (size_t)(output - begin);
}

/* ---- section 5.2 ---- */

int abnf_surely_target(const abnf_reference *reference) {
    const uint8_t *path = octets_of(reference, ABNF_PATH);
    size_t size = size_of(reference, ABNF_PATH);
    return has(reference, ABNF_SCHEME) && !any_dots(path, size) && (has(reference, ABNF_HOST) || !is_ambiguous(path, size));
}

size_t abnf_resolve(const abnf_reference *base, const abnf_reference *reference, uint8_t *output) {
    uint8_t *begin = output;
    size_t size = size_of(reference, ABNF_PATH);
    const uint8_t *octets = octets_of(reference, ABNF_PATH);
    const abnf_reference *scheme = has(reference, ABNF_SCHEME) ? reference : base;
    int own = has(reference, ABNF_SCHEME) || has(reference, ABNF_HOST); /* only the scheme comes from the base */
    const abnf_reference *authority = own ? reference : base;
    output = put(output, scheme->octets, (size_t)end_of(scheme, ABNF_SCHEME) + 1);
    if (has(authority, ABNF_HOST)) { /* including the "//" before it */
        int from = begin_of(authority, has(authority, ABNF_USERINFO) ? ABNF_USERINFO : ABNF_HOST) - 2;
        output = put(output, authority->octets + from, (size_t)(begin_of(authority, ABNF_PATH) - from));
    }
    uint8_t *path = output;
    int remove = own || size > 0;
    if (!remove) /* section 5.2.2: T.path = Base.path */
        output = put(output, octets_of(base, ABNF_PATH), size_of(base, ABNF_PATH));
    else if (!own && octets[0] != '/') { /* section 5.2.3 */
        size_t kept = size_of(base, ABNF_PATH);
        const uint8_t *before = octets_of(base, ABNF_PATH);
        if (has(base, ABNF_HOST) && kept == 0) *output++ = '/';
        while (kept && before[kept - 1] != '/') kept--;
        output = put(output, before, kept);
    }
    output = put(output, octets, size);
    output = end_path(path, output, remove, !has(authority, ABNF_HOST));
    if (!remove && !has(reference, ABNF_QUERY) && has(base, ABNF_QUERY)) {
        *output++ = '?';
        output = put(output, octets_of(base, ABNF_QUERY), size_of(base, ABNF_QUERY));
    }
    output = put(output, reference->octets + end_of(reference, ABNF_PATH), reference->length - (size_t)end_of(reference, ABNF_PATH));
    return (size_t)(output - begin);
}
