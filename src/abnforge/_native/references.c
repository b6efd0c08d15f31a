#include "references.h"
#include "hints.h"

#include <string.h>

static int begin_of(const abnf_reference *it, int component) { return it->places[2 * component]; }
static int end_of(const abnf_reference *it, int component) { return it->places[2 * component + 1]; }
static int has(const abnf_reference *it, int component) { return end_of(it, component) >= 0; }
static size_t size_of(const abnf_reference *it, int component) { return (size_t)(end_of(it, component) - begin_of(it, component)); }
static const uint8_t *octets_of(const abnf_reference *it, int component) { return it->octets + begin_of(it, component); }

int abnf_is_reference(const abnf_reference *it) {
    /* Of each component: the octets of delimiters in front of it and behind it. A host has "//" in front, or its userinfo does. */
    static const int8_t FRONT[ABNF_COMPONENTS] = {0, 2, 2, 1, 0, 1, 1}, BEHIND[ABNF_COMPONENTS] = {1, 1, 0, 0, 0, 0, 0};
    int64_t at = 0;
    for (int component = 0; component < ABNF_COMPONENTS; component++) {
        int64_t begin = begin_of(it, component), end = end_of(it, component);
        if (begin < 0 && end < 0) continue;
        int front = component == ABNF_HOST && has(it, ABNF_USERINFO) ? 0 : FRONT[component];
        if (begin != at + front || end < begin) return 0;
        at = end + BEHIND[component];
    }
    int alone = !has(it, ABNF_HOST) && (has(it, ABNF_USERINFO) || has(it, ABNF_PORT));
    return has(it, ABNF_PATH) && !alone && (uint64_t)at == it->length;
}

/* ---- characters ---- */

static int is_digit(uint8_t octet) { return (uint8_t)(octet - '0') < 10; }
static int is_upper(uint8_t octet) { return (uint8_t)(octet - 'A') < 26; }
static uint8_t lower(uint8_t octet) { return is_upper(octet) ? octet | 0x20 : octet; }
static uint8_t upper(uint8_t octet) { return (uint8_t)(octet - 'a') < 26 ? octet ^ 0x20 : octet; }

static int is_unreserved(int octet) { /* section 2.3; octet may be -1 */
    return octet > 0 && octet < 0x80 &&
           (is_digit((uint8_t)octet) || is_upper(upper((uint8_t)octet)) || octet == '-' || octet == '.' || octet == '_' || octet == '~');
}

static int digit(uint8_t octet) { /* -1 for what is no hexadecimal digit */
    uint8_t letter = (uint8_t)((octet | 0x20) - 'a');
    return is_digit(octet) ? octet - '0' : letter < 6 ? letter + 10 : -1;
}

static int any_upper(const uint8_t *octets, size_t size) {
    int any = 0;
    for (size_t at = 0; at < size; at++) any |= is_upper(octets[at]);
    return any;
}

/* Octets as they are, as many as there are. */
static uint8_t *put(uint8_t *made, const uint8_t *octets, size_t size) {
    memcpy(made, octets, size);
    return made + size;
}

/* Octets with triplets in upper case, but for those of unreserved characters, which are decoded. With `as_lower` what
 * is no triplet afterwards is in lower case. */
static uint8_t *put_normal(uint8_t *made, const uint8_t *octets, size_t size, int as_lower) {
    const uint8_t *end = octets + size;
    while (octets < end) {
        const uint8_t *triplet = memchr(octets, '%', (size_t)(end - octets));
        const uint8_t *stop = triplet ? triplet : end;
        if (as_lower) while (octets < stop) *made++ = lower(*octets++);
        else made = put(made, octets, (size_t)(stop - octets)), octets = stop;
        if (!triplet) break;
        int high = end - triplet > 2 ? digit(triplet[1]) : -1, low = high < 0 ? -1 : digit(triplet[2]);
        int octet = low < 0 ? -1 : high << 4 | low;
        if (is_unreserved(octet)) {
            *made++ = as_lower ? lower((uint8_t)octet) : (uint8_t)octet;
            octets += 3;
        } else {
            *made++ = *octets++;
            for (int left = octet < 0 ? 0 : 2; left; left--) *made++ = upper(*octets++);
        }
    }
    return made;
}

/* ---- paths ---- */

/* Whether a segment of a path begins with a dot, as dot-segments do. */
static int any_dots(const uint8_t *path, size_t size) {
    const uint8_t *end = path + size, *at = path;
    while (at < end && (at = memchr(at, '.', (size_t)(end - at)))) {
        if (at == path || at[-1] == '/') return 1;
        at++;
    }
    return 0;
}

static int is_ambiguous(const uint8_t *path, size_t size) { /* reads as an authority where there is none */
    return size > 1 && path[0] == '/' && path[1] == '/';
}

size_t abnf_remove_dot_segments(uint8_t *path, size_t length) {
    const uint8_t *ahead = path, *end = path + length;
    uint8_t *made = path; /* the output buffer lies in what was read already */
    while (ahead < end) {
        const uint8_t *segment = ahead + (*ahead == '/');
        const uint8_t *next = segment < end ? memchr(segment, '/', (size_t)(end - segment)) : NULL;
        if (!next) next = end;
        size_t size = (size_t)(next - segment);
        if (size == 0 || size > 2 || segment[0] != '.' || segment[size - 1] != '.') { /* step E */
            memmove(made, ahead, (size_t)(next - ahead));
            made += next - ahead;
            ahead = next;
        } else if (segment == ahead) { /* steps A and D: nothing is in the output yet */
            ahead = next < end ? next + 1 : end;
        } else { /* steps B and C */
            if (size == 2) while (made > path && *--made != '/');
            if (next == end) *made++ = '/';
            ahead = next;
        }
    }
    return (size_t)(made - path);
}

/* A path is put from `path` to `made`: dot-segments are taken out, and what would be an authority is guarded. */
static uint8_t *end_path(uint8_t *path, uint8_t *made, int remove, int guard) {
    size_t size = (size_t)(made - path);
    if (remove && any_dots(path, size)) size = abnf_remove_dot_segments(path, size);
    if (guard && is_ambiguous(path, size)) {
        memmove(path + ABNF_GUARD, path, size);
        path[0] = '/', path[1] = '.';
        size += ABNF_GUARD;
    }
    return path + size;
}

/* ---- section 6.2.2 ---- */

int abnf_surely_normal(const abnf_reference *it) {
    const uint8_t *path = octets_of(it, ABNF_PATH);
    size_t size = size_of(it, ABNF_PATH);
    if (memchr(it->octets, '%', it->length)) return 0;
    if (has(it, ABNF_SCHEME) && (any_upper(it->octets, size_of(it, ABNF_SCHEME)) || any_dots(path, size))) return 0;
    if (!has(it, ABNF_HOST)) return !is_ambiguous(path, size);
    return !any_upper(octets_of(it, ABNF_HOST), size_of(it, ABNF_HOST)) && !(has(it, ABNF_PORT) && size_of(it, ABNF_PORT) == 0);
}

size_t abnf_normalize(const abnf_reference *it, uint8_t *made) {
    uint8_t *begin = made;
    if (has(it, ABNF_SCHEME)) {
        for (int at = 0; at < end_of(it, ABNF_SCHEME); at++) *made++ = lower(it->octets[at]);
        *made++ = ':';
    }
    if (has(it, ABNF_HOST)) {
        *made++ = '/', *made++ = '/';
        if (has(it, ABNF_USERINFO)) {
            made = put_normal(made, octets_of(it, ABNF_USERINFO), size_of(it, ABNF_USERINFO), 0);
            *made++ = '@';
        }
        made = put_normal(made, octets_of(it, ABNF_HOST), size_of(it, ABNF_HOST), 1);
        if (has(it, ABNF_PORT) && size_of(it, ABNF_PORT)) {
            *made++ = ':';
            made = put(made, octets_of(it, ABNF_PORT), size_of(it, ABNF_PORT));
        }
    }
    uint8_t *path = made;
    made = put_normal(made, octets_of(it, ABNF_PATH), size_of(it, ABNF_PATH), 0);
    made = end_path(path, made, has(it, ABNF_SCHEME), !has(it, ABNF_HOST));
    made = put_normal(made, it->octets + end_of(it, ABNF_PATH), it->length - (size_t)end_of(it, ABNF_PATH), 0);
    return (size_t)(made - begin);
}

/* ---- section 5.2 ---- */

int abnf_surely_target(const abnf_reference *it) {
    const uint8_t *path = octets_of(it, ABNF_PATH);
    size_t size = size_of(it, ABNF_PATH);
    return has(it, ABNF_SCHEME) && !any_dots(path, size) && (has(it, ABNF_HOST) || !is_ambiguous(path, size));
}

size_t abnf_resolve(const abnf_reference *base, const abnf_reference *it, uint8_t *made) {
    uint8_t *begin = made;
    size_t size = size_of(it, ABNF_PATH);
    const uint8_t *octets = octets_of(it, ABNF_PATH);
    const abnf_reference *scheme = has(it, ABNF_SCHEME) ? it : base;
    int own = has(it, ABNF_SCHEME) || has(it, ABNF_HOST); /* nothing but the scheme is the base's */
    const abnf_reference *authority = own ? it : base;
    made = put(made, scheme->octets, (size_t)end_of(scheme, ABNF_SCHEME) + 1);
    if (has(authority, ABNF_HOST)) { /* with the "//" in front of it */
        int from = begin_of(authority, has(authority, ABNF_USERINFO) ? ABNF_USERINFO : ABNF_HOST) - 2;
        made = put(made, authority->octets + from, (size_t)(begin_of(authority, ABNF_PATH) - from));
    }
    uint8_t *path = made;
    int remove = own || size > 0;
    if (!remove) /* section 5.2.2: T.path = Base.path */
        made = put(made, octets_of(base, ABNF_PATH), size_of(base, ABNF_PATH));
    else if (!own && octets[0] != '/') { /* section 5.2.3 */
        size_t kept = size_of(base, ABNF_PATH);
        const uint8_t *before = octets_of(base, ABNF_PATH);
        if (has(base, ABNF_HOST) && kept == 0) *made++ = '/';
        while (kept && before[kept - 1] != '/') kept--;
        made = put(made, before, kept);
    }
    made = put(made, octets, size);
    made = end_path(path, made, remove, !has(authority, ABNF_HOST));
    if (!remove && !has(it, ABNF_QUERY) && has(base, ABNF_QUERY)) {
        *made++ = '?';
        made = put(made, octets_of(base, ABNF_QUERY), size_of(base, ABNF_QUERY));
    }
    made = put(made, it->octets + end_of(it, ABNF_PATH), it->length - (size_t)end_of(it, ABNF_PATH));
    return (size_t)(made - begin);
}
