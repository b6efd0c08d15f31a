/* See weighted.h. */
#include "weighted.h"
#include "hints.h"

#include <stdlib.h>
#include <string.h>

#define ITEMS(list, type) ((type *)(list).items)

void *abnf_more(abnf_list *list, size_t more, size_t octets) {
    if (!list->items || more > list->room - list->count) {
        size_t room = list->room ? list->room : 64;
        while (room - list->count < more) {
            if (room > SIZE_MAX / 2 / octets) return NULL;
            room *= 2;
        }
        void *items = realloc(list->items, room * octets);
        if (!items) return NULL;
        list->items = items;
        list->room = room;
    }
    return (uint8_t *)list->items + list->count * octets;
}

static void arrive(abnf_weighted *w, uint32_t set) {
    abnf_set *found = &ITEMS(w->sets, abnf_set)[set];
    w->set = set;
    if (found->text != w->text) {
        found->text = w->text;
        w->cost += found->cost;
    }
}

void abnf_begin(abnf_weighted *w, uint32_t set) {
    if (++w->text == 0) { /* so many texts that their numbers begin again */
        for (size_t each = 0; each < w->sets.count; each++) ITEMS(w->sets, abnf_set)[each].text = 0;
        w->text = 1;
    }
    w->turns.count = w->gone.count = 0;
    w->at = 0;
    w->cost = 0;
    arrive(w, set);
}

/* The class of a code point; what is none is in the class of the last one. */
INLINE uint32_t class_of(const abnf_weighted *w, uint32_t point) {
    if (point > 0x10FFFF) point = 0x10FFFF;
    return w->pages[(size_t)w->page_of[point >> 8] * 256 + (point & 255)];
}

INLINE abnf_status read_units(abnf_weighted *w, const void *units, int width, size_t count) {
    const int32_t *entries = w->entries.items, *row = entries + w->set * w->classes;
    const uint8_t *first = w->pages + (size_t)w->page_of[0] * 256; /* the classes of what has one octet */
    for (size_t at = w->at; at < count; at++) {
        uint32_t number = width == 1 ? first[((const uint8_t *)units)[at]] : class_of(w, ((const uint32_t *)units)[at]);
        int32_t entry = row[number];
        if (LIKELY(entry == ABNF_IDLE)) continue;
        if (UNLIKELY(entry < 0)) {
            w->at = at;
            return entry == ABNF_UNKNOWN ? ABNF_NEW_MOVE : ABNF_UNREADABLE;
        }
        abnf_turn *turn = abnf_more(&w->turns, 1, sizeof *turn);
        if (!turn) return ABNF_NO_MEMORY;
        *turn = (abnf_turn){(uint32_t)at, (uint32_t)entry};
        w->turns.count++;
        arrive(w, (uint32_t)ITEMS(w->moves, abnf_move)[entry].target);
        row = entries + w->set * w->classes;
    }
    w->at = count;
    return ABNF_READ;
}

abnf_status abnf_read_on(abnf_weighted *w, const void *units, int width, size_t count) {
    return width == 1 ? read_units(w, units, 1, count) : read_units(w, units, 4, count);
}

static int went(abnf_weighted *w, size_t at, uint32_t way) {
    if (!way) return 1;
    abnf_turn *gone = abnf_more(&w->gone, 1, sizeof *gone);
    if (!gone) return 0;
    *gone = (abnf_turn){(uint32_t)at, way};
    w->gone.count++;
    return 1;
}

abnf_status abnf_way_back(abnf_weighted *w, int cut, int64_t *weight) {
    const abnf_set *last = &ITEMS(w->sets, abnf_set)[w->set];
    uint32_t member = 0;
    w->gone.count = 0;
    *weight = 0;
    if (!cut) {
        if (last->weight == ABNF_UNKNOWN_END) return ABNF_NEW_END;
        if (last->weight == ABNF_NO_END) return ABNF_UNREADABLE;
        *weight = last->weight;
        member = last->member;
        if (!went(w, w->at, last->way)) return ABNF_NO_MEMORY;
    }
    for (size_t each = w->turns.count; each--;) {
        const abnf_turn *turn = &ITEMS(w->turns, abnf_turn)[each];
        const abnf_move *move = &ITEMS(w->moves, abnf_move)[turn->value];
        *weight += move->weight;
        if (!went(w, turn->at, ITEMS(w->ways, uint32_t)[move->path + member])) return ABNF_NO_MEMORY;
        member = ITEMS(w->sources, uint32_t)[move->path + member];
    }
    return ABNF_READ;
}

/* ---- the first mistake of a reading ---- */

#define MOST_OPEN 32 /* slots that one mistake has in a text, and whose places are kept */

typedef struct {
    uint32_t mistake, begin, end, count;
    int32_t open; /* the slot that is open, or -1 */
    struct {
        int32_t name, turn;
        uint32_t begin, end;
    } slots[MOST_OPEN];
} outermost;

static void begin_slot(outermost *o, int32_t name, uint32_t at) {
    int32_t turn = 1;
    for (uint32_t each = 0; each < o->count; each++) turn += o->slots[each].name == name;
    if (o->count == MOST_OPEN) {
        o->mistake = ABNF_CATCH_ALL; /* more than is kept: others may tell it */
        return;
    }
    if (o->open >= 0) o->slots[o->open].turn = 0; /* it has no end, and is none that is asked for */
    o->open = (int32_t)o->count++;
    o->slots[o->open].name = name;
    o->slots[o->open].turn = turn;
    o->slots[o->open].begin = at;
}

static void end_slot(outermost *o, uint32_t at) {
    if (o->open >= 0) o->slots[o->open].end = at;
    o->open = -1;
}

static int place_of(const outermost *o, const abnf_slot *slot, uint32_t *begin, uint32_t *end) {
    *begin = slot->name == ABNF_STOP ? o->end : o->begin;
    *end = slot->name == ABNF_START ? o->begin : o->end;
    if (slot->name < 0) return 1;
    for (uint32_t each = 0; each < o->count; each++)
        if (o->slots[each].name == slot->name && o->slots[each].turn == slot->turn) {
            *begin = o->slots[each].begin;
            *end = o->slots[each].end;
            return 1;
        }
    return 0;
}

static void tell(const abnf_weighted *w, const outermost *o, abnf_told *told) {
    told->mistake = o->mistake;
    if (o->mistake == ABNF_CATCH_ALL) return;
    const abnf_mistake *mistake = &ITEMS(w->mistakes, abnf_mistake)[o->mistake];
    const abnf_slot *slots = ITEMS(w->slots, abnf_slot) + mistake->slots;
    told->begin = o->begin;
    told->end = o->end;
    uint32_t begin, end;
    for (uint32_t each = 0; each < mistake->blamed; each++)
        if (place_of(o, &slots[each], &begin, &end)) {
            told->begin = begin;
            told->end = end;
            break;
        }
    for (uint32_t each = 0; each < ABNF_MOST_SAID; each++) {
        int there = each < mistake->said && place_of(o, &slots[mistake->blamed + each], &begin, &end);
        told->said[2 * each] = there ? (int32_t)begin : -1;
        told->said[2 * each + 1] = there ? (int32_t)end : -1;
    }
}

void abnf_first_mistake(const abnf_weighted *w, size_t count, abnf_told *told) {
    outermost o = {.mistake = ABNF_CATCH_ALL, .open = -1};
    size_t depth = 0;
    const uint32_t *begins = w->begins.items;
    for (size_t each = w->gone.count; each--;) {
        const abnf_turn *gone = &ITEMS(w->gone, abnf_turn)[each];
        for (uint32_t number = begins[gone->value - 1]; number < begins[gone->value]; number++) {
            uint32_t event = ITEMS(w->events, uint32_t)[number];
            switch (event & 3) {
            case ABNF_BEGIN:
                if (!depth++) o.mistake = event >> 2, o.begin = gone->at;
                break;
            case ABNF_END:
                if (depth == 1) {
                    if (o.open >= 0) o.count = (uint32_t)o.open; /* it has no end */
                    o.end = gone->at;
                    tell(w, &o, told);
                    return;
                }
                if (depth) depth--;
                break;
            case ABNF_SLOT:
                if (depth == 1) begin_slot(&o, (int32_t)(event >> 2), gone->at);
                break;
            default:
                if (depth == 1) end_slot(&o, gone->at);
            }
        }
    }
    o.end = (uint32_t)count; /* what is open ends with the text */
    end_slot(&o, o.end);
    tell(w, &o, told);
}
