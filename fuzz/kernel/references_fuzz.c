/* References that are drawn, normalized and resolved by references.c: for kernel_fuzz.c, which says how it is built.
 *
 * Results are written in front of a page that may not be touched, into as many octets as they may have at most. What
 * is said of places and of dot-segments has to be what the plainest code says, below; components are those that the text was
 * put together of, and have to be there again in the target.
 */
#include "references_fuzz.h"
#include "references.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 64, TEXT = 8 * LONGEST };

typedef struct {
    uint8_t octets[TEXT];
    size_t length;
    int32_t places[2 * ABNF_COMPONENTS];
} Drawn;

static uint8_t *put(uint8_t *out, const char *text, size_t size) {
    memcpy(out, text, size);
    return out + size;
}

static void draw_component(uint32_t (*below)(uint32_t), Drawn *it, int component, const char *front, const char *behind) {
    static const char *const PIECES[] = {"a", "Z", "0", ".", "..", "/", "/.", "/..", "//", "%7e", "%7E", "%41", "%2e", "%2F", "%c3", "%", "%4", "%g7", ":", "-"};
    uint8_t *at = put(it->octets + it->length, front, strlen(front));
    it->places[2 * component] = (int32_t)(at - it->octets);
    for (uint32_t left = below(4) ? below(6) : below(LONGEST / 3); left; left--) {
        const char *piece = PIECES[below(sizeof PIECES / sizeof *PIECES)];
        at = put(at, piece, strlen(piece));
    }
    it->places[2 * component + 1] = (int32_t)(at - it->octets);
    it->length = (size_t)(put(at, behind, strlen(behind)) - it->octets);
}

static void draw(uint32_t (*below)(uint32_t), Drawn *it, int with_scheme) {
    it->length = 0;
    for (int at = 0; at < 2 * ABNF_COMPONENTS; at++) it->places[at] = -1;
    if (with_scheme || below(2)) draw_component(below, it, ABNF_SCHEME, "", ":");
    if (below(2)) {
        int user = below(3) == 0;
        if (user) draw_component(below, it, ABNF_USERINFO, "//", "@");
        draw_component(below, it, ABNF_HOST, user ? "" : "//", "");
        if (below(2)) draw_component(below, it, ABNF_PORT, ":", "");
    }
    draw_component(below, it, ABNF_PATH, "", "");
    if (below(2)) draw_component(below, it, ABNF_QUERY, "?", "");
    if (below(2)) draw_component(below, it, ABNF_FRAGMENT, "#", "");
}

/* Whether places are those that the sizes of components and their delimiters lead to. */
static int is_tiled(const int32_t *places, size_t length) {
    int64_t at = 0;
    int there[ABNF_COMPONENTS];
    for (int number = 0; number < ABNF_COMPONENTS; number++) {
        there[number] = places[2 * number + 1] >= 0;
        if (!there[number] && places[2 * number] >= 0) return 0;
        if (there[number] && places[2 * number] > places[2 * number + 1]) return 0;
    }
    if (!there[ABNF_PATH] || (!there[ABNF_HOST] && (there[ABNF_USERINFO] || there[ABNF_PORT]))) return 0;
    for (int number = 0; number < ABNF_COMPONENTS; number++) {
        if (number == (there[ABNF_USERINFO] ? ABNF_USERINFO : ABNF_HOST) && there[number]) at += 2;
        if (!there[number]) continue;
        if (number == ABNF_PORT || number == ABNF_QUERY || number == ABNF_FRAGMENT) at++;
        if (places[2 * number] != at) return 0;
        at = places[2 * number + 1];
        if (number == ABNF_SCHEME || number == ABNF_USERINFO) at++;
    }
    return at == (int64_t)length;
}

/* Section 5.2.4, line by line, with two buffers. */
static size_t plain_dots(const uint8_t *path, size_t length, uint8_t *out) {
    static char in[TEXT + 1];
    size_t made = 0;
    memcpy(in, path, length);
    in[length] = 0;
    while (*in) {
        size_t skip = 0, up = 0;
        if (!strncmp(in, "../", 3)) skip = 3;
        else if (!strncmp(in, "./", 2) || !strncmp(in, "/./", 3)) skip = 2;
        else if (!strcmp(in, "/.")) in[1] = 0;
        else if (!strncmp(in, "/../", 4)) skip = 3, up = 1;
        else if (!strcmp(in, "/..")) in[1] = 0, up = 1;
        else if (!strcmp(in, ".") || !strcmp(in, "..")) *in = 0;
        else {
            skip = 1 + strcspn(in + 1, "/");
            memcpy(out + made, in, skip);
            made += skip;
        }
        if (up) {
            while (made && out[made - 1] != '/') made--;
            made -= made > 0;
        }
        memmove(in, in + skip, strlen(in + skip) + 1);
    }
    return made;
}

const char *fuzz_references(uint32_t (*below)(uint32_t), uint8_t *area, size_t size) {
    static Drawn base, ref;
    static uint8_t plain[TEXT];
    draw(below, &base, 1);
    draw(below, &ref, 0);
    int own = below(3) > 0; /* or places of other texts, whose delimiters may be anything: then only bounds count */
    for (uint32_t times = own ? 0 : 1 + below(3); times; times--)
        ref.places[below(2 * ABNF_COMPONENTS)] = (int32_t)below((uint32_t)ref.length + 2) - 1;
    uint8_t *octets = malloc(ref.length ? ref.length : 1), *texts = malloc(base.length);
    if (!octets || !texts) return "there is no memory";
    memcpy(octets, ref.octets, ref.length);
    memcpy(texts, base.octets, base.length);
    abnf_reference b = {texts, base.length, base.places}, r = {octets, ref.length, ref.places};
    const char *wrong = NULL;
    if (!abnf_is_reference(&b)) wrong = "a reference is not taken for one";
    if (abnf_is_reference(&r) != is_tiled(ref.places, ref.length)) wrong = "the places of a reference are those of no text, or the other way round";
    if (!wrong && abnf_is_reference(&r)) {
        size_t most = r.length + ABNF_GUARD;
        uint8_t *made = area + size - most;
        size_t length = abnf_normalize(&r, made);
        if (length > most) wrong = "a normal form is longer than it may be";
        if (own && abnf_surely_normal(&r) && (length != r.length || memcmp(made, octets, length))) wrong = "what is normal is changed";
        most = b.length + r.length + ABNF_GUARD;
        made = area + size - most;
        length = abnf_resolve(&b, &r, made);
        if (length > most) wrong = "a target is longer than it may be";
        if (own && abnf_surely_target(&r) && (length != r.length || memcmp(made, octets, length))) wrong = "what is its own target is changed";
        size_t tail = r.length - (size_t)ref.places[2 * ABNF_PATH + 1];
        if (length < tail || memcmp(made + length - tail, octets + r.length - tail, tail)) wrong = "a target has another query or fragment";
    }
    const int32_t *path = base.places + 2 * ABNF_PATH;
    size_t before = (size_t)(path[1] - path[0]), after = plain_dots(texts + path[0], before, plain);
    uint8_t *made = area + size - before;
    memcpy(made, texts + path[0], before);
    if (abnf_remove_dot_segments(made, before) != after || memcmp(made, plain, after)) wrong = "other dot-segments are removed";
    if (wrong) {
        printf("base %.*s\nreference %.*s\nplaces", (int)base.length, (const char *)texts, (int)ref.length, (const char *)octets);
        for (int tag = 0; tag < 2 * ABNF_COMPONENTS; tag++) printf(" %d", ref.places[tag]);
        printf("\n");
    }
    free(octets);
    free(texts);
    return wrong;
}
