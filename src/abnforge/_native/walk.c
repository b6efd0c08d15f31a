/* Load and walk tables (see walk.h). */
#include "walk.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define ABNF_X86 1
#endif

#define MAGIC 0x544E4241u /* "ABNT" */
#define HEADER 128u
#define STATE_BITS 24u
#define STATE_MASK 0xFFFFFFu
#define MOST_PAIRS 400000u /* the maximum bytes of a pair table; larger ones would evict all other data from the fastest caches */
#define CLEARED (-128)

/* Return the target of an entry of 2 or 4 bytes. */
INLINE uint32_t entry_of(const abnf_table *t, uint32_t state, uint32_t number) {
    const uint8_t *row = t->rows + ((size_t)state << t->shift) + 16;
    return t->entry == 2 ? ((const uint16_t *)row)[number] : ((const uint32_t *)row)[number];
}

INLINE int in_set(const uint8_t *row, uint8_t octet) { return octet < 128 && (row[octet & 15] >> (octet >> 4) & 1); }

/* ---- loading ---- */

static const char *check_rows(const abnf_table *t) {
    for (uint32_t state = 0; state < t->states; state++) {
        for (uint32_t number = 0; number < t->classes; number++) {
            uint32_t entry = entry_of(t, state, number);
            if ((entry & STATE_MASK) >= t->states || entry >> STATE_BITS >= t->operations)
                return "entry-target";
            if (state == ABNF_DEAD && entry) return "dead-state";
        }
        if (t->accepting[state] > 1 || (state == ABNF_DEAD && t->accepting[state])) return "accepting";
        int accelerated = state && state <= t->accelerated;
        if (accelerated ? t->set_of[state] == 0 || t->set_of[state] > t->sets : t->set_of[state] != 0)
            return "set-of";
        if (!accelerated) continue;
        const uint8_t *row = t->rows + ((size_t)state << t->shift);
        for (uint32_t octet = 0; octet < 256; octet++) {
            int held = in_set(row, (uint8_t)octet);
            if (held != (int)(t->sets_with[octet] >> (t->set_of[state] - 1) & 1)) return "set-forms";
            if (held && entry_of(t, state, t->class_of[octet]) != state) return "set-loop";
        }
    }
    return NULL;
}

static const char *check_points(const abnf_table *t, uint32_t pages) {
    for (uint32_t page = 0; page < 0x1100; page++)
        if (t->page_of[page] >= pages) return "page-of";
    for (size_t at = 0; at < (size_t)pages * 256; at++)
        if (t->pages[at] >= t->point_classes) return "point-class";
    for (size_t at = 0; at < (size_t)t->states * t->point_classes; at++)
        if ((t->point_rows[at] & STATE_MASK) >= t->states || t->point_rows[at] >> STATE_BITS >= t->operations)
            return "point-target";
    return NULL;
}

static const char *check_registers(const abnf_table *t) {
    for (uint32_t number = 0; number < t->operations; number++) {
        const uint8_t *setting = t->settings + 16 * number;
        if (setting[0] > ABNF_MAX_SETTINGS || (number == 0 && setting[0])) return "setting-count";
        for (uint32_t at = 1; at <= ABNF_MAX_SETTINGS; at++) {
            int32_t change = (int8_t)setting[8 + at];
            if (at <= setting[0] ? setting[at] >= t->registers : setting[at] != ABNF_SPARE)
                return "setting-register";
            if (change != CLEARED && (change < -3 || change > 1)) return "setting-place";
        }
    }
    for (uint32_t number = 0; number < t->registers; number++)
        if (t->initial[number] != 0 && t->initial[number] != -1) return "initial";
    uint32_t width = t->tags + t->kinds;
    for (uint32_t state = 0; state < t->states; state++)
        for (uint32_t tag = 0; tag < t->tags; tag++)
            if (t->final[(size_t)state * width + tag] >= t->registers) return "final";
    return NULL;
}

/* Steps of two bytes are faster if no state loops, since each step waits for the state before it. */
static void make_pairs(abnf_table *t) {
    uint32_t width = t->classes * t->classes;
    if (t->entry != 2 || t->accelerated || t->classes > 64) return;
    while ((1u << t->pair_shift) < width) t->pair_shift++;
    if (((uint64_t)t->states << t->pair_shift) * 2 > MOST_PAIRS) return;
    t->pairs = calloc((size_t)t->states << t->pair_shift, 2);
    if (!t->pairs) return;
    for (uint32_t state = 0; state < t->states; state++)
        for (uint32_t first = 0; first < t->classes; first++) {
            uint32_t middle = entry_of(t, state, first);
            for (uint32_t second = 0; second < t->classes; second++)
                t->pairs[((size_t)state << t->pair_shift) + first * t->classes + second] =
                    (uint16_t)entry_of(t, middle, second);
        }
}

const char *abnf_load(abnf_table *t, const void *octets, size_t size) {
    static const uint16_t one = 1;
    const uint8_t *begin = octets;
    const uint32_t *head = octets;
    memset(t, 0, sizeof *t);
    if (*(const uint8_t *)&one != 1) return "byte-order";
    if ((uintptr_t)octets % ABNF_ALIGNMENT) return "alignment";
    if (size < HEADER || head[0] != MAGIC) return "magic";
    if (head[1] != ABNF_VERSION) return "version";
    if (head[2] != size) return "size";
    t->states = head[3], t->classes = head[4], t->shift = head[5], t->accelerated = head[6], t->start = head[7];
    t->sets = head[8], t->point_classes = head[9], t->registers = head[10], t->tags = head[11], t->kinds = head[12];
    t->operations = head[13], t->entry = head[14];
    uint32_t pages = head[15];
    if (t->entry != 2 && t->entry != 4) return "entry-size";
    if (!t->states || t->states > STATE_MASK || t->start >= t->states || t->accelerated >= t->states)
        return "states";
    if (!t->classes || t->classes > 256 || !t->point_classes || t->point_classes > 256 || !pages || pages > 0x1100)
        return "classes";
    if (t->shift < 6 || t->shift > 12 || 16 + (size_t)t->entry * t->classes > (size_t)1 << t->shift)
        return "row-size";
    if (t->sets > ABNF_MAX_SETS || t->registers >= ABNF_MAX_REGISTERS || !t->operations || t->operations > 256 ||
        t->tags >= ABNF_MAX_REGISTERS || t->kinds > 16 || (t->tags && t->registers < 2) || t->tags & 1 ||
        (!t->tags && t->operations > 1)) /* tables without tags do not have registers */
        return "registers";
    /* 64 bits on all machines, so that these products cannot overflow. */
    const uint64_t lengths[11] = {256, (uint64_t)t->states << t->shift, t->states, t->states, 1024, 0x1100 * 2,
                                  (uint64_t)pages * 256, (uint64_t)t->states * t->point_classes * 4,
                                  (uint64_t)t->states * (t->tags + t->kinds), (uint64_t)t->operations * 16,
                                  ABNF_MAX_REGISTERS * 4};
    const uint8_t *sections[11];
    for (int number = 0; number < 11; number++) {
        size_t at = head[16 + number];
        if (at % ABNF_ALIGNMENT || at < HEADER || at > size || lengths[number] > size - at) return "section";
        sections[number] = begin + at;
    }
    t->class_of = sections[0], t->rows = sections[1], t->accepting = sections[2], t->set_of = sections[3];
    t->sets_with = (const uint32_t *)sections[4], t->page_of = (const uint16_t *)sections[5], t->pages = sections[6];
    t->point_rows = (const uint32_t *)sections[7], t->final = sections[8], t->settings = sections[9];
    t->initial = (const int32_t *)sections[10];
    for (uint32_t octet = 0; octet < 256; octet++)
        if (t->class_of[octet] >= t->classes) return "class-of";
    for (uint32_t octet = 128; octet < 256; octet++)
        for (uint32_t state = 0; state < t->states; state++)
            if (entry_of(t, state, t->class_of[octet])) t->beyond_ascii = 1;
    const char *wrong = check_registers(t);
    if (!wrong) wrong = check_rows(t);
    if (!wrong) wrong = check_points(t, pages);
    if (wrong) return wrong;
    make_pairs(t);
    if (!abnf_choose(t, ABNF_PAIRS) && !abnf_choose(t, ABNF_AVX2) && !abnf_choose(t, ABNF_SSSE3))
        abnf_choose(t, ABNF_PORTABLE);
    return NULL;
}

void abnf_unload(abnf_table *t) {
    free(t->pairs);
    t->pairs = NULL;
}

int64_t abnf_characters(const uint8_t *begin, const uint8_t *stop, const uint8_t *end) {
    int64_t count = 0;
    if (stop < end)
        while (stop > begin && (*stop & 0xC0) == 0x80) stop--;
    for (; begin < stop; begin++) count += (*begin & 0xC0) != 0x80;
    return count;
}

int64_t abnf_octets(const uint8_t *begin, const uint8_t *stop) {
    for (int back = 1; back <= 3 && stop - begin >= back; back++) {
        uint8_t octet = stop[-back];
        if ((octet & 0xC0) == 0x80) continue;
        int length = octet < 0xC0 ? 1 : octet < 0xE0 ? 2 : octet < 0xF0 ? 3 : 4;
        return (length > back ? stop - back : stop) - begin;
    }
    return stop - begin;
}

/* ---- skipping: find the first byte at or after p that is not in the set on which a state loops ---- */

INLINE const uint8_t *skip_octets(const uint8_t *p, const uint8_t *end, const uint8_t *row) {
    while (p < end && in_set(row, *p)) p++;
    return p;
}

#ifdef ABNF_X86
#define WITH_SSSE3 __attribute__((target("ssse3")))
#define WITH_AVX2 __attribute__((target("avx2,bmi")))
#define BITS 1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0

/* Return a mask of the 16 bytes that are not in the set. The low half of a byte selects a row of bits, the high half a
 * bit in the row. */
INLINE WITH_SSSE3 uint32_t outside_16(const uint8_t *p, const uint8_t *row) {
    __m128i x = _mm_loadu_si128((const __m128i *)p);
    __m128i high = _mm_shuffle_epi8(_mm_setr_epi8(BITS), _mm_and_si128(_mm_srli_epi16(x, 4), _mm_set1_epi8(15)));
    __m128i low = _mm_shuffle_epi8(_mm_load_si128((const __m128i *)row), x);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(low, high), _mm_setzero_si128()));
}

INLINE WITH_AVX2 uint32_t outside_32(const uint8_t *p, const uint8_t *row) {
    __m256i x = _mm256_loadu_si256((const __m256i *)p);
    __m256i set = _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)row));
    __m256i high = _mm256_shuffle_epi8(_mm256_setr_epi8(BITS, BITS), _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15)));
    __m256i low = _mm256_shuffle_epi8(set, x);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(low, high), _mm256_setzero_si256()));
}

/* If bytes after the end must not be read, the last block ends at the end and overlaps the block before it. */
INLINE WITH_SSSE3 const uint8_t *skip_ssse3(const uint8_t *p, const abnf_text *text, const uint8_t *row) {
    const uint8_t *end = text->end;
    for (;;) {
        uint32_t outside;
        if (LIKELY(text->high - p >= 16)) outside = outside_16(p, row);
        else if (end - text->low >= 16) outside = outside_16(end - 16, row) >> (16 - (end - p)) | 1u << (end - p);
        else return skip_octets(p, end, row);
        if (LIKELY(outside)) {
            p += __builtin_ctz(outside);
            return p < end ? p : end;
        }
        if ((p += 16) >= end) return end;
    }
}

INLINE WITH_AVX2 const uint8_t *skip_avx2(const uint8_t *p, const abnf_text *text, const uint8_t *row) {
    const uint8_t *end = text->end;
    for (;;) {
        if (LIKELY(text->high - p >= 32)) {
            uint32_t outside = outside_32(p, row);
            if (LIKELY(outside)) {
                p += __builtin_ctz(outside);
                return p < end ? p : end;
            }
            if ((p += 32) >= end) return end;
        } else if (end - text->low >= 32) {
            uint64_t outside = (uint64_t)outside_32(end - 32, row) >> (32 - (end - p)) | (uint64_t)1 << (end - p);
            return p + __builtin_ctzll(outside);
        } else
            return skip_ssse3(p, text, row);
    }
}
#endif

/* The portable version tests four bytes at a time, by the set's bit in the entry of each byte. */
INLINE const uint8_t *skip_portable(const abnf_table *t, const uint8_t *p, const uint8_t *end, uint32_t state) {
    const uint32_t *with = t->sets_with;
    uint32_t bit = 1u << (t->set_of[state] - 1);
    while (end - p >= 4 && with[p[0]] & with[p[1]] & with[p[2]] & with[p[3]] & bit) p += 4;
    while (p < end && with[*p] & bit) p++;
    return p;
}

/* ---- walks ---- */

/* The arithmetic is unsigned, since places beyond 2 GiB overflow. Callers that use places limit strings to 2 GiB. */
INLINE int32_t moved(int32_t place, uint8_t by) {
    int32_t change = (int8_t)by;
    return change == CLEARED ? -1 : (int32_t)((uint32_t)place + (uint32_t)change);
}

INLINE void set_registers(const abnf_table *t, uint32_t operation, int32_t place, int32_t *registers) {
    const uint8_t *setting = t->settings + 16 * operation;
    registers[setting[1]] = moved(place, setting[9]);
    registers[setting[2]] = moved(place, setting[10]); /* most operations set two registers, or one and the spare register */
    for (uint32_t at = 3; at <= setting[0]; at++) registers[setting[at]] = moved(place, setting[8 + at]);
}

/* A walk. In a state that loops, it skips the bytes of the loop and then takes one step. If it did not skip any the last
 * time, as between percent-encoded bytes, it tries a step first, which is faster. */
#define WALK(NAME, ATTRIBUTE, ENTRY, SKIP, STEP)                                                                   \
    ATTRIBUTE static uint32_t NAME(const abnf_table *t, const abnf_text *text, const uint8_t *p, uint32_t state,    \
                                   const uint8_t **stop, int32_t *registers) {                                     \
        const uint8_t *class_of = t->class_of, *rows = t->rows, *end = text->end;                                  \
        uint32_t shift = t->shift, accelerated = t->accelerated, entry;                                            \
        int nothing = 0;                                                                                           \
        (void)registers;                                                                                           \
        while (p < end) {                                                                                          \
            const uint8_t *row = rows + ((size_t)state << shift);                                                  \
            if (state <= accelerated) {                                                                            \
                if (UNLIKELY(nothing)) {                                                                           \
                    entry = ((const ENTRY *)(row + 16))[class_of[*p]];                                             \
                    if (entry != state) goto step;                                                                 \
                }                                                                                                  \
                const uint8_t *from = p;                                                                           \
                p = SKIP;                                                                                          \
                if (p == end) break;                                                                               \
                nothing = p == from;                                                                               \
            }                                                                                                      \
            entry = ((const ENTRY *)(row + 16))[class_of[*p]];                                                     \
        step:                                                                                                      \
            state = entry & STATE_MASK;                                                                            \
            if (UNLIKELY(!state)) break;                                                                           \
            STEP                                                                                                   \
            p++;                                                                                                   \
        }                                                                                                          \
        *stop = p;                                                                                                 \
        return state;                                                                                              \
    }
#define NO_STEP
#define TAG_STEP                                                                                                   \
    if (entry >> STATE_BITS) set_registers(t, entry >> STATE_BITS, (int32_t)(p - text->begin), registers);

WALK(walk_portable, , uint16_t, skip_portable(t, p, end, state), NO_STEP)
WALK(tag_portable, , uint32_t, skip_portable(t, p, end, state), TAG_STEP)
#ifdef ABNF_X86
WALK(walk_ssse3, WITH_SSSE3, uint16_t, skip_ssse3(p, text, row), NO_STEP)
WALK(walk_avx2, WITH_AVX2, uint16_t, skip_avx2(p, text, row), NO_STEP)
WALK(tag_ssse3, WITH_SSSE3, uint32_t, skip_ssse3(p, text, row), TAG_STEP)
WALK(tag_avx2, WITH_AVX2, uint32_t, skip_avx2(p, text, row), TAG_STEP)
#endif

static uint32_t walk_pairs(const abnf_table *t, const abnf_text *text, const uint8_t *p, uint32_t state,
                           const uint8_t **stop, int32_t *registers) {
    const uint8_t *class_of = t->class_of, *end = text->end;
    uint32_t classes = t->classes, shift = t->pair_shift;
    while (end - p >= 2) {
        uint32_t following = t->pairs[((size_t)state << shift) + class_of[p[0]] * classes + class_of[p[1]]];
        if (UNLIKELY(!following)) break;
        state = following;
        p += 2;
    }
    return walk_portable(t, text, p, state, stop, registers); /* the last byte, or the byte without a move */
}

/* The walk of the empty language, which does not have any viable prefix, not even the empty string. */
static uint32_t walk_nowhere(const abnf_table *t, const abnf_text *text, const uint8_t *p, uint32_t state,
                             const uint8_t **stop, int32_t *registers) {
    (void)t, (void)text, (void)registers;
    *stop = p;
    return state;
}

int abnf_choose(abnf_table *t, abnf_how how) {
    abnf_walk *walk = NULL;
    switch (how) {
    case ABNF_PORTABLE: walk = t->entry == 2 ? walk_portable : tag_portable; break;
    case ABNF_PAIRS: walk = t->pairs ? walk_pairs : NULL; break;
    case ABNF_SSSE3:
#ifdef ABNF_X86
        if (__builtin_cpu_supports("ssse3")) walk = t->entry == 2 ? walk_ssse3 : tag_ssse3;
#endif
        break;
    case ABNF_AVX2:
#ifdef ABNF_X86
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) walk = t->entry == 2 ? walk_avx2 : tag_avx2;
#endif
        break;
    }
    if (!walk) return 0;
    t->how = how;
    t->walk = t->start == ABNF_DEAD ? walk_nowhere : walk;
    return 1;
}

#define READ_POINTS(TYPE)                                                                                          \
    for (const TYPE *points_ = points; at < count; at++) {                                                         \
        uint32_t point = points_[at];                                                                              \
        if (sizeof(TYPE) == 4 && point > 0x10FFFF) break;                                                          \
        uint32_t entry = rows[(size_t)state * classes + t->pages[(size_t)t->page_of[point >> 8] * 256 + (point & 255)]]; \
        if (!(entry & STATE_MASK)) {                                                                               \
            state = ABNF_DEAD;                                                                                     \
            break;                                                                                                 \
        }                                                                                                          \
        state = entry & STATE_MASK;                                                                                \
        if (entry >> STATE_BITS) set_registers(t, entry >> STATE_BITS, (int32_t)at, registers);                    \
    }

uint32_t abnf_read_points(const abnf_table *t, const void *points, int width, size_t count, size_t *stop,
                          int32_t *registers) {
    const uint32_t *rows = t->point_rows;
    uint32_t state = t->start, classes = t->point_classes;
    size_t at = 0;
    if (state != ABNF_DEAD) {
        if (width == 1) READ_POINTS(uint8_t)
        else if (width == 2) READ_POINTS(uint16_t)
        else READ_POINTS(uint32_t)
    }
    *stop = at;
    return at < count ? ABNF_DEAD : state;
}
