/* Columns of strings (see walk.h). */
#include "walk.h"

#include <stdlib.h>
#include <string.h>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/* Find the string of a row; see abnf_column_text. */
INLINE int text_of(const abnf_column *c, int64_t row, abnf_text *text) {
    int64_t at = c->first + row;
    if (c->valid && !(c->valid[at >> 3] >> (at & 7) & 1)) return ABNF_MISSING;
    if (c->layout == ABNF_VIEWS) {
        int32_t view[4];
        memcpy(view, c->views + 16 * at, 16);
        if (view[0] < 0) return ABNF_IMPOSSIBLE;
        if (view[0] <= 12) {
            text->begin = c->views + 16 * at + 4;
            text->low = c->views + 16 * c->first;
            text->high = c->views + 16 * (c->first + c->length);
        } else {
            if (UNLIKELY(view[2] < 0 || view[2] >= c->buffer_count || view[3] < 0 ||
                         (int64_t)view[3] + view[0] > c->sizes[view[2]]))
                return ABNF_IMPOSSIBLE;
            text->low = c->buffers[view[2]];
            text->begin = text->low + view[3];
            text->high = text->low + c->sizes[view[2]];
        }
        text->end = text->begin + view[0];
        return ABNF_THERE;
    }
    int64_t begin, end;
    if (c->layout == ABNF_OFFSETS_32) {
        int32_t both[2]; /* buffers from other libraries can be unaligned */
        memcpy(both, c->offsets + 4 * at, 8);
        begin = both[0], end = both[1];
    } else {
        memcpy(&begin, c->offsets + 8 * at, 8);
        memcpy(&end, c->offsets + 8 * at + 8, 8);
    }
    if (UNLIKELY(begin < 0 || end < begin || end > c->data_size)) return ABNF_IMPOSSIBLE;
    text->low = c->data;
    text->begin = c->data + begin;
    text->end = c->data + end;
    text->high = c->data + c->data_size;
    return ABNF_THERE;
}

int abnf_column_text(const abnf_column *c, int64_t row, abnf_text *text) { return text_of(c, row, text); }

/* Strings of a column often share a prefix. A memo stores the state after the first eight bytes, so that a lookup
 * replaces that part of the walk. The memo is dropped if the prefixes differ too often. */
#define SLOTS 128
#define TRIALS 1000
#define FEW_REGISTERS 16
typedef struct {
    uint64_t octets;
    uint32_t state; /* ABNF_DEAD in a free slot */
} memo_slot;
typedef struct {
    memo_slot *slots;                          /* null if dropped or out of memory */
    int32_t (*registers)[FEW_REGISTERS];       /* the registers of each slot, for a table with tags */
    int64_t hits, misses;
} memo;

INLINE uint64_t eight(const uint8_t *p) {
    uint64_t octets;
    memcpy(&octets, p, 8);
    return octets;
}

static memo new_memo(const abnf_table *t, int64_t rows) {
    memo m = {NULL, NULL, 0, 0};
    if (rows < 64 || t->registers > FEW_REGISTERS) return m;
    m.slots = calloc(SLOTS, sizeof *m.slots + sizeof *m.registers);
    if (m.slots) m.registers = (int32_t(*)[FEW_REGISTERS])(m.slots + SLOTS);
    return m;
}

/* A copy of a constant size takes two or four instructions, so a few registers are copied together. */
INLINE void copy_registers(const abnf_table *t, int32_t *to, const int32_t *from) {
    if (!t->tags) return;
    if (LIKELY(t->registers <= FEW_REGISTERS)) memcpy(to, from, FEW_REGISTERS * sizeof *to);
    else memcpy(to, from, ABNF_MAX_REGISTERS * sizeof *to);
}

/* Walk a string as abnf_walk does, using the memo. */
INLINE uint32_t read_text(const abnf_table *t, memo *m, const abnf_text *text, const uint8_t **stop, int32_t *registers) {
    const uint8_t *from = text->begin;
    if (LIKELY(m->slots && text->end - from >= 8)) {
        uint64_t octets = eight(from);
        size_t number = octets * 0x9E3779B97F4A7C15u >> 57;
        memo_slot *slot = &m->slots[number];
        if (LIKELY(slot->octets == octets && slot->state)) {
            m->hits++;
            copy_registers(t, registers, m->registers[number]);
            return t->walk(t, text, from + 8, slot->state, stop, registers);
        }
        if (++m->misses > TRIALS && m->misses * 4 > m->hits) {
            free(m->slots);
            m->slots = NULL;
        } else {
            abnf_text head = {from, from + 8, text->low, text->high};
            copy_registers(t, registers, t->initial);
            uint32_t state = t->walk(t, &head, from, t->start, stop, registers);
            if (state && *stop == head.end) {
                slot->octets = octets;
                slot->state = state;
                copy_registers(t, m->registers[number], registers);
                return t->walk(t, text, from + 8, state, stop, registers);
            }
        }
    }
    copy_registers(t, registers, t->initial);
    return t->walk(t, text, from, t->start, stop, registers);
}

/* Return the offset where a walk stopped. It is before an incomplete character, even at the end of the string. */
static int64_t place_of(const abnf_text *text, const uint8_t *stop, int octets) {
    if (octets == ABNF_BYTES) return stop - text->begin;
    int64_t whole = abnf_octets(text->begin, stop);
    return octets ? whole : abnf_characters(text->begin, text->begin + whole, text->begin + whole);
}

int64_t abnf_column_read(const abnf_table *t, const abnf_column *c, int64_t from, int64_t to, uint8_t *bits,
                         int64_t *offsets) {
    memo m = new_memo(t, to - from);
    int32_t registers[ABNF_MAX_REGISTERS];
    uint32_t eight_rows = 0;
    int64_t wrong = -1;
    for (int64_t row = from; row < to; row++) {
        abnf_text text;
        uint32_t derived = 0;
        int64_t stopped = -1;
        int there = text_of(c, row, &text);
        if (LIKELY(there == ABNF_THERE)) {
            const uint8_t *stop;
            derived = t->accepting[read_text(t, &m, &text, &stop, registers)];
            if (UNLIKELY(offsets && !derived))
                stopped = place_of(&text, stop, c->octets);
        } else if (there == ABNF_IMPOSSIBLE) {
            wrong = row;
            break;
        }
        if (offsets) offsets[row] = stopped;
        eight_rows |= derived << (row & 7);
        if ((row & 7) == 7) {
            bits[row >> 3] = (uint8_t)eight_rows;
            eight_rows = 0;
        }
    }
    if (to & 7 && wrong < 0) bits[to >> 3] = (uint8_t)eight_rows;
    free(m.slots);
    return wrong;
}

/* Convert places in bytes to places in characters, for a string with characters beyond US-ASCII. */
static void in_characters(const abnf_text *text, int32_t *places, uint32_t tags) {
    for (uint32_t tag = 0; tag < tags; tag++)
        if (places[tag] > 0)
            places[tag] = (int32_t)abnf_characters(text->begin, text->begin + places[tag], text->begin + places[tag]);
}

INLINE int is_ascii(const abnf_text *text) {
    const uint8_t *p = text->begin;
    uint64_t high = 0;
    for (; text->end - p >= 8; p += 8) high |= eight(p);
    for (; p < text->end; p++) high |= *p;
    return !(high & 0x8080808080808080u);
}

/* Validate a row and store the registers of its tags at a distance of `stride` numbers. Return 1, 0, or -1 for a row
 * outside the buffers. `settle` converts registers to places. */
INLINE int hold_row(const abnf_table *t, memo *m, const abnf_column *c, int64_t row, abnf_text *text, int32_t *held,
                    int64_t stride, int in_octets) {
    int32_t registers[ABNF_MAX_REGISTERS], places[ABNF_MAX_REGISTERS];
    const uint8_t *stop;
    uint32_t state = ABNF_DEAD, tags = t->tags;
    int there = text_of(c, row, text);
    if (UNLIKELY(there == ABNF_IMPOSSIBLE || (there == ABNF_THERE && text->end - text->begin > INT32_MAX))) return -1;
    if (LIKELY(there == ABNF_THERE)) state = read_text(t, m, text, &stop, registers);
    if (UNLIKELY(!t->accepting[state])) {
        for (uint32_t tag = 0; tag < tags; tag++) held[tag * stride] = -1;
        return 0;
    }
    int32_t length = (int32_t)(text->end - text->begin);
    if (UNLIKELY(t->beyond_ascii && !in_octets && !is_ascii(text))) {
        abnf_places(t, state, length, registers, places);
        in_characters(text, places, tags);
        for (uint32_t tag = 0; tag < tags; tag++) held[tag * stride] = places[tag];
        return 1;
    }
    const uint8_t *register_of = abnf_registers_of(t, state, length, registers);
    if (LIKELY(tags == 14)) /* seven parts: unrolled */
        for (uint32_t tag = 0; tag < 14; tag++) held[tag * stride] = registers[register_of[tag]];
    else
        for (uint32_t tag = 0; tag < tags; tag++) held[tag * stride] = registers[register_of[tag]];
    return 1;
}

/* Convert registers to places as abnf_places does, for several rows at a time. Return whether any row has the part. */
static int settle(int32_t *begins, int32_t *ends, int64_t count) {
    int32_t all = -1;
    for (int64_t at = 0; at < count; at++) {
        int32_t begin = begins[at], end = ends[at];
        int32_t none = ((begin | end) >> 31) | -(int32_t)(begin > end);
        begins[at] = begin | none;
        ends[at] = end | none;
        all &= none;
    }
    return !all;
}

/* Set a bit for each number that is not negative. */
static void bits_of(const int32_t *numbers, int64_t count, uint8_t *bits) {
    int64_t at = 0;
    for (; count - at >= 8; at += 8) {
#ifdef __SSE2__
        int low = _mm_movemask_ps(_mm_loadu_ps((const float *)(numbers + at)));
        int high = _mm_movemask_ps(_mm_loadu_ps((const float *)(numbers + at + 4)));
        bits[at >> 3] = (uint8_t)~(low | high << 4);
#else
        uint32_t eight_rows = 0;
        for (int of = 0; of < 8; of++) eight_rows |= (uint32_t)(numbers[at + of] >= 0) << of;
        bits[at >> 3] = (uint8_t)eight_rows;
#endif
    }
    if (at == count) return;
    uint32_t rest = 0;
    for (int64_t of = at; of < count; of++) rest |= (uint32_t)(numbers[of] >= 0) << (of & 7);
    bits[at >> 3] = (uint8_t)rest;
}

/* The number of rows processed at a time, part by part. Their output fits into the fastest cache, and their places onto a
 * musl thread's stack of 128 kB. */
#define BLOCK 128

int64_t abnf_column_places(const abnf_table *t, const abnf_column *c, int64_t from, int64_t to, uint8_t *bits,
                           uint8_t *const *valid, int32_t *places, int64_t stride) {
    memo m = new_memo(t, to - from);
    uint32_t parts = t->tags / 2;
    int64_t wrong = -1;
    for (int64_t block = from; block < to && wrong < 0; block += BLOCK) {
        int64_t end = to - block < BLOCK ? to : block + BLOCK;
        uint32_t eight_rows = 0;
        for (int64_t row = block; row < end; row++) {
            abnf_text text;
            int derived = hold_row(t, &m, c, row, &text, places + row, stride, c->octets);
            if (UNLIKELY(derived < 0)) {
                wrong = row;
                break;
            }
            eight_rows |= (uint32_t)derived << (row & 7);
            if ((row & 7) == 7) bits[row >> 3] = (uint8_t)eight_rows, eight_rows = 0;
        }
        if (end & 7 && wrong < 0) bits[end >> 3] = (uint8_t)eight_rows;
        for (uint32_t part = 0; part < parts && wrong < 0; part++) {
            int32_t *begins = places + 2 * part * stride + block, *ends = begins + stride;
            settle(begins, ends, end - block);
            bits_of(ends, end - block, valid[part] + (block >> 3));
        }
    }
    free(m.slots);
    return wrong;
}

/* ---- views ---- */

/* Masks for the first four and the next eight bytes of a view, by the length of its string. */
#define FULL UINT64_MAX
static const uint64_t KEPT[13][2] = {
    {0, 0},
    {0xFF, 0},
    {0xFFFF, 0},
    {0xFFFFFF, 0},
    {0xFFFFFFFF, 0},
    {0xFFFFFFFF, FULL >> 56},
    {0xFFFFFFFF, FULL >> 48},
    {0xFFFFFFFF, FULL >> 40},
    {0xFFFFFFFF, FULL >> 32},
    {0xFFFFFFFF, FULL >> 24},
    {0xFFFFFFFF, FULL >> 16},
    {0xFFFFFFFF, FULL >> 8},
    {0xFFFFFFFF, FULL},
};

/* Write a part of a row as a view. It contains a part of up to twelve bytes, otherwise the first four bytes and a place. */
INLINE void put_view(uint8_t *view, const abnf_text *text, int32_t begin, int32_t length, int32_t buffer, int32_t offset) {
    const uint8_t *p = text->begin + begin;
    uint8_t octets[12] = {0};
    uint32_t first;
    uint64_t others, away = (uint64_t)(uint32_t)buffer | (uint64_t)(uint32_t)offset << 32;
    if (UNLIKELY(text->high - p < 12)) { /* the bytes after the part must not be read */
        memcpy(octets, p, (size_t)(length < 12 ? length : 12));
        p = octets;
    }
    memcpy(&first, p, 4);
    memcpy(&others, p + 4, 8);
    const uint64_t *kept = KEPT[length < 12 ? length : 12];
    uint64_t low = (uint64_t)(uint32_t)length | (first & kept[0]) << 32, high = length <= 12 ? others & kept[1] : away;
    memcpy(view, &low, 8);
    memcpy(view + 8, &high, 8);
}

int64_t abnf_column_views(const abnf_table *t, const abnf_column *c, int64_t from, int64_t to, uint8_t *bits,
                          uint8_t *const *valid, uint8_t *const *views) {
    int32_t places[BLOCK * ABNF_MAX_REGISTERS];
    abnf_text texts[BLOCK];
    int32_t buffers[BLOCK], offsets[BLOCK];
    memo m = new_memo(t, to - from);
    uint32_t parts = t->tags / 2;
    int64_t wrong = -1;
    for (int64_t block = from; block < to && wrong < 0; block += BLOCK) {
        int64_t rows = to - block < BLOCK ? to - block : BLOCK;
        uint32_t eight_rows = 0;
        for (int64_t at = 0; at < rows; at++) {
            int derived = hold_row(t, &m, c, block + at, &texts[at], places + at, BLOCK, 1);
            if (UNLIKELY(derived < 0)) {
                wrong = block + at;
                break;
            }
            if (LIKELY(derived)) {
                if (c->layout == ABNF_VIEWS) {
                    int32_t view[4];
                    memcpy(view, c->views + 16 * (c->first + block + at), 16);
                    buffers[at] = view[2], offsets[at] = view[3];
                } else
                    buffers[at] = 0, offsets[at] = (int32_t)(texts[at].begin - c->data);
            }
            eight_rows |= (uint32_t)derived << (at & 7);
            if ((at & 7) == 7 || at + 1 == rows) bits[(block + at) >> 3] = (uint8_t)eight_rows, eight_rows = (at & 7) == 7 ? 0 : eight_rows;
        }
        if (wrong >= 0) break;
        for (uint32_t part = 0; part < parts; part++) {
            int32_t *begins = places + 2 * part * BLOCK, *ends = begins + BLOCK;
            int any = settle(begins, ends, rows);
            uint8_t *view = views[part] + 16 * block;
            bits_of(ends, rows, valid[part] + (block >> 3));
            if (!any) { /* no row has the part */
                memset(view, 0, (size_t)rows * 16);
                continue;
            }
            for (int64_t at = 0; at < rows; at++, view += 16)
                if (ends[at] >= 0) put_view(view, &texts[at], begins[at], ends[at] - begins[at], buffers[at], offsets[at] + begins[at]);
                else memset(view, 0, 16);
        }
    }
    free(m.slots);
    return wrong;
}
