/* See weighted.h. */
#include "weighted.h"
#include "walk.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    abnf_follow follow;
    int paid; /* true once a string was charged for it */
} followed;

typedef struct {
    int32_t weight;
    uint32_t late, member, place; /* ways are ordered by weight, then by these fields */
    uint32_t way, target;
} best;

static void drop_sets(abnf_weighted *w) {
    abnf_list *lists[] = {&w->entries, &w->sets, &w->members, &w->moves, &w->sources, &w->ways, &w->arcs, &w->follows,
                          &w->follow_of, &w->best, &w->best_of, &w->met, &w->turns, &w->gone, &w->events};
    for (size_t each = 0; each < sizeof lists / sizeof *lists; each++) {
        free(lists[each]->items);
        *lists[each] = (abnf_list){NULL, 0, 0};
    }
    free(w->by_members.slots);
    w->by_members = (abnf_index){NULL, 0, 0};
}

void abnf_weighted_free(abnf_weighted *w) {
    drop_sets(w);
    free(w->without.flags);
    free(w->page_of);
    free(w->pages);
}

void abnf_catch_up(abnf_weighted *w) {
    if (w->generation == w->program->generation) return;
    drop_sets(w);
    w->text = w->now = 0;
    w->generation = w->program->generation;
}

int abnf_is_full(const abnf_weighted *w) {
    return w->sets.count > w->most_sets || w->program->states.count > w->most_states || w->sources.count > w->most_members;
}

void abnf_allow(abnf_weighted *w, uint64_t limit) { w->limit = w->left = limit; }

/* ---- sets ---- */

static abnf_status charge(abnf_weighted *w, uint64_t steps) {
    if (steps > w->left) {
        w->used = w->limit - w->left + steps;
        return ABNF_LIMIT;
    }
    w->left -= steps;
    return ABNF_READ;
}

/* Extend a list of numbers to all states, filling new numbers with the byte `octet`. Return 0 if out of memory. */
static int for_states(const abnf_weighted *w, abnf_list *list, int octet) {
    size_t states = w->program->states.count;
    if (list->count >= states) return 1;
    uint32_t *new = abnf_more(list, states - list->count, sizeof *new);
    if (!new) return 0;
    memset(new, octet, (states - list->count) * sizeof *new);
    list->count = states;
    return 1;
}

/* Find the arcs of a state, without charging the string for them. */
static abnf_status make_follow(abnf_weighted *w, uint32_t state) {
    if (!for_states(w, &w->follow_of, 0xFF)) return ABNF_NO_MEMORY;
    if (ITEMS(w->follow_of, uint32_t)[state] != ABNF_NONE) return ABNF_READ;
    followed *new = w->follows.count < ABNF_NONE ? abnf_more(&w->follows, 1, sizeof *new) : NULL;
    if (!new) return ABNF_NO_MEMORY;
    new->paid = 0;
    abnf_status status = abnf_follow_state(w->program, state, w->band, &w->without, &w->arcs, &new->follow);
    if (status == ABNF_READ) ITEMS(w->follow_of, uint32_t)[state] = (uint32_t)w->follows.count++;
    return status;
}

static followed *follow_of(const abnf_weighted *w, uint32_t state) {
    return &ITEMS(w->follows, followed)[ITEMS(w->follow_of, uint32_t)[state]];
}

/* Follow the members of a new set, and charge for members that no string was charged for, in order. `wanted` lists all
 * missing tasks together, and nothing is charged until they are added. */
static abnf_status follow_members(abnf_weighted *w, const abnf_member *members, size_t count, uint64_t *all) {
    uint64_t own = ABNF_SET_STEPS + ABNF_MEMBER_STEPS * (uint64_t)count, new = own;
    abnf_status status = ABNF_READ;
    size_t known = 0;
    w->program->wanted.count = 0;
    for (; known < count && new <= w->left; known++) {
        abnf_status made = make_follow(w, members[known].state);
        if (made == ABNF_NO_MEMORY) return made;
        if (made == ABNF_TOO_MANY) {
            status = made;
            break;
        }
        if (made == ABNF_WANTED) continue;
        const followed *it = follow_of(w, members[known].state);
        if (!it->paid) new += ABNF_FOLLOWED_STEPS * (uint64_t)it->follow.cost;
    }
    if (w->program->wanted.count) return ABNF_WANTED;
    *all = own;
    abnf_status paid = charge(w, own);
    for (size_t each = 0; paid == ABNF_READ && each < known; each++) {
        followed *it = follow_of(w, members[each].state);
        uint64_t steps = ABNF_FOLLOWED_STEPS * (uint64_t)it->follow.cost;
        *all += steps;
        if (it->paid) continue;
        paid = charge(w, steps);
        it->paid = paid == ABNF_READ;
    }
    return paid == ABNF_READ ? status : paid;
}

static uint64_t members_key(const abnf_member *members, size_t count) {
    uint64_t hash = count;
    for (size_t each = 0; each < count; each++) hash = abnf_mixed(hash, (uint64_t)members[each].state << 32 | (uint32_t)members[each].weight);
    return hash;
}

static uint64_t set_hash(const void *of, uint32_t number) {
    const abnf_weighted *w = of;
    const abnf_set *set = &ITEMS(w->sets, abnf_set)[number];
    return members_key(ITEMS(w->members, abnf_member) + set->first, set->members);
}

/* Find the lightest end of a string in a set; at equal weight, the preferred end. */
static void find_end(const abnf_weighted *w, abnf_set *set) {
    uint32_t rank = 0;
    set->weight = -1;
    for (uint32_t each = 0; each < set->members; each++) {
        const abnf_member *member = &ITEMS(w->members, abnf_member)[set->first + each];
        const abnf_follow *follow = &follow_of(w, member->state)->follow;
        if (follow->weight < 0) continue;
        int32_t weight = member->weight + follow->weight;
        if (set->weight >= 0 && (weight > set->weight || (weight == set->weight && follow->late >= rank))) continue;
        set->weight = weight;
        set->member = each;
        set->way = follow->way;
        rank = follow->late;
    }
}

/* Find the set of the `count` members stored after those of all sets. If the set is new, they become its members. */
static abnf_status set_of(abnf_weighted *w, size_t count, uint32_t *number) {
    if (!abnf_index_room(&w->by_members, set_hash, w)) return ABNF_NO_MEMORY;
    const abnf_member *members = ITEMS(w->members, abnf_member) + w->members.count;
    size_t at = members_key(members, count) & w->by_members.mask;
    for (; (*number = w->by_members.slots[at]) != ABNF_NONE; at = (at + 1) & w->by_members.mask) {
        const abnf_set *known = &ITEMS(w->sets, abnf_set)[*number];
        if (known->members == count && !memcmp(ITEMS(w->members, abnf_member) + known->first, members, count * sizeof *members))
            return ABNF_READ;
    }
    abnf_set *set = w->sets.count < INT32_MAX && w->members.count + count < ABNF_NONE ? abnf_more(&w->sets, 1, sizeof *set) : NULL;
    int32_t *row = set ? abnf_more(&w->entries, w->classes, sizeof *row) : NULL;
    if (!row) return ABNF_NO_MEMORY;
    uint64_t cost;
    abnf_status status = follow_members(w, members, count, &cost);
    if (status != ABNF_READ) return status;
    for (size_t each = 0; each < w->classes; each++) row[each] = ABNF_UNKNOWN;
    *set = (abnf_set){(uint32_t)w->members.count, (uint32_t)count, 0, cost, -1, 0, 0};
    w->members.count += count;
    find_end(w, set);
    w->entries.count += w->classes;
    w->by_members.count++;
    *number = w->by_members.slots[at] = (uint32_t)w->sets.count++;
    return ABNF_READ;
}

/* Mark all states as not met. Return 0 if out of memory. */
static int meet_anew(abnf_weighted *w) {
    if (!for_states(w, &w->met, 0)) return 0;
    if (++w->now == 0) { /* the counter wrapped around */
        memset(w->met.items, 0, w->met.count * sizeof(uint32_t));
        w->now = 1;
    }
    return 1;
}

abnf_status abnf_set_of(abnf_weighted *w, const uint32_t *states, size_t count, uint32_t *number) {
    abnf_member *members = abnf_more(&w->members, count, sizeof *members);
    if (!members || !meet_anew(w)) return ABNF_NO_MEMORY;
    size_t once = 0;
    for (size_t each = 0; each < count; each++) {
        uint32_t *met = &ITEMS(w->met, uint32_t)[states[each]];
        if (*met != w->now) members[once++] = (abnf_member){states[each], 0};
        *met = w->now;
    }
    return set_of(w, once, number);
}

/* ---- moves ---- */

static int is_before(const best *one, const best *other) {
    if (one->weight != other->weight) return one->weight < other->weight;
    if (one->late != other->late) return one->late < other->late;
    if (one->member != other->member) return one->member < other->member;
    return one->place < other->place;
}

static int by_rank(const void *one, const void *other) { return is_before(one, other) ? -1 : 1; }

/* Find the best way from a set to each state that a character class leads to. `same` gets all classes that the same arcs
 * read, since they lead to the same states. */
static int reach(abnf_weighted *w, const abnf_set *set, uint32_t number, abnf_charset *same) {
    const abnf_charset *charsets = w->program->charsets.items;
    uint64_t bit = (uint64_t)1 << (number & 63);
    uint32_t word = number >> 6;
    memset(same, 0xFF, sizeof *same);
    w->best.count = 0;
    if (!for_states(w, &w->best_of, 0) || !meet_anew(w)) return 0;
    for (uint32_t each = 0; each < set->members; each++) {
        const abnf_member *member = &ITEMS(w->members, abnf_member)[set->first + each];
        const abnf_follow *follow = &follow_of(w, member->state)->follow;
        const abnf_arc *arcs = ITEMS(w->arcs, abnf_arc) + follow->first;
        for (uint32_t place = 0; place < follow->count; place++) {
            const uint64_t *bits = charsets[arcs[place].charset].bits;
            uint64_t other = bits[word] & bit ? 0 : UINT64_MAX;
            for (int part = 0; part < 4; part++) same->bits[part] &= bits[part] ^ other;
            if (other) continue;
            best now = {member->weight + arcs[place].weight, arcs[place].late, each, place, arcs[place].way, arcs[place].target};
            uint32_t *met = &ITEMS(w->met, uint32_t)[now.target], *known = &ITEMS(w->best_of, uint32_t)[now.target];
            if (*met == w->now) {
                best *before = &ITEMS(w->best, best)[*known];
                if (is_before(&now, before)) *before = now;
                continue;
            }
            best *new = abnf_more(&w->best, 1, sizeof *new);
            if (!new) return 0;
            *new = now;
            *met = w->now;
            *known = (uint32_t)w->best.count++;
        }
    }
    return 1;
}

/* Drop ways that are too heavy, sort the others, and return the lightest weight. */
static int32_t cut_off(abnf_weighted *w) {
    best *all = w->best.items;
    size_t kept = 0, count = w->best.count;
    int32_t lightest = INT32_MAX;
    for (size_t each = 0; each < count; each++)
        if (all[each].weight < lightest) lightest = all[each].weight;
    for (size_t each = 0; each < count; each++)
        if (all[each].weight - lightest <= w->band) all[kept++] = all[each];
    w->best.count = kept;
    qsort(all, kept, sizeof *all, by_rank);
    return lightest;
}

/* Return the number of a move, ABNF_IDLE if it does not change anything, or ABNF_NOWHERE if out of memory. */
static int32_t move_to(abnf_weighted *w, uint32_t from, uint32_t target, int32_t weight) {
    const best *all = w->best.items;
    size_t count = w->best.count;
    int idle = from == target && !weight;
    for (size_t each = 0; idle && each < count; each++) idle = !all[each].way && all[each].member == each;
    if (idle) return ABNF_IDLE;
    abnf_move *move = w->moves.count < INT32_MAX && w->sources.count < ABNF_NONE - count ? abnf_more(&w->moves, 1, sizeof *move) : NULL;
    uint32_t *sources = move ? abnf_more(&w->sources, count, sizeof *sources) : NULL;
    uint32_t *ways = sources ? abnf_more(&w->ways, count, sizeof *ways) : NULL;
    if (!ways) return ABNF_NOWHERE;
    for (size_t each = 0; each < count; each++) {
        sources[each] = all[each].member;
        ways[each] = all[each].way;
    }
    *move = (abnf_move){(int32_t)target, weight, (uint32_t)w->sources.count};
    w->sources.count = w->ways.count += count;
    return (int32_t)w->moves.count++;
}

/* Find the move by a class from the current set, and set the entries of all classes with the same move. */
static abnf_status learn(abnf_weighted *w, uint32_t number) {
    abnf_charset same;
    abnf_set from = ITEMS(w->sets, abnf_set)[w->set];
    int32_t entry = ABNF_NOWHERE;
    if (!reach(w, &from, number, &same)) return ABNF_NO_MEMORY;
    if (w->best.count) {
        int32_t lightest = cut_off(w);
        abnf_member *members = abnf_more(&w->members, w->best.count, sizeof *members);
        if (!members) return ABNF_NO_MEMORY;
        for (size_t each = 0; each < w->best.count; each++) {
            const best *it = &ITEMS(w->best, best)[each];
            members[each] = (abnf_member){it->target, it->weight - lightest};
        }
        uint32_t target;
        abnf_status status = set_of(w, w->best.count, &target);
        if (status != ABNF_READ) return status;
        entry = move_to(w, w->set, target, lightest);
        if (entry == ABNF_NOWHERE) return ABNF_NO_MEMORY;
    }
    int32_t *row = ITEMS(w->entries, int32_t) + w->set * w->classes;
    for (size_t each = 0; each < w->classes; each++)
        if (same.bits[each >> 6] >> (each & 63) & 1) row[each] = entry;
    return ABNF_READ;
}

/* ---- strings ---- */

static void arrive(abnf_weighted *w, uint32_t set) {
    abnf_set *found = &ITEMS(w->sets, abnf_set)[set];
    w->set = set;
    if (found->text != w->text) {
        found->text = w->text;
        w->cost += found->cost;
    }
}

void abnf_begin(abnf_weighted *w, uint32_t set) {
    if (++w->text == 0) { /* the counter wrapped around */
        for (size_t each = 0; each < w->sets.count; each++) ITEMS(w->sets, abnf_set)[each].text = 0;
        w->text = 1;
    }
    w->turns.count = w->gone.count = 0;
    w->at = 0;
    w->cost = 0;
    arrive(w, set);
}

/* Return the class of a code point; larger numbers have the class of the last code point. */
INLINE uint32_t class_of(const abnf_weighted *w, uint32_t point) {
    if (point > 0x10FFFF) point = 0x10FFFF;
    return w->pages[(size_t)w->page_of[point >> 8] * 256 + (point & 255)];
}

INLINE abnf_status read_units(abnf_weighted *w, const void *units, int width, size_t count, int may) {
    const int32_t *entries = w->entries.items, *row = entries + w->set * w->classes;
    const uint8_t *first = w->pages + (size_t)w->page_of[0] * 256; /* the classes of one-byte characters */
    for (size_t at = w->at; at < count; at++) {
        uint32_t number = width == 1 ? first[((const uint8_t *)units)[at]] : class_of(w, ((const uint32_t *)units)[at]);
        int32_t entry = row[number];
        if (LIKELY(entry == ABNF_IDLE)) continue;
        if (UNLIKELY(entry < 0)) {
            w->at = at;
            if (entry == ABNF_NOWHERE) return ABNF_UNREADABLE;
            abnf_status status = may ? learn(w, number) : ABNF_FULL;
            if (status != ABNF_READ) return status;
            entries = w->entries.items;
            row = entries + w->set * w->classes;
            at--; /* repeat with the move */
            continue;
        }
        abnf_turn *turn = abnf_more(&w->turns, 1, sizeof *turn);
        if (!turn) {
            w->at = at;
            return ABNF_NO_MEMORY;
        }
        *turn = (abnf_turn){(uint32_t)at, (uint32_t)entry};
        w->turns.count++;
        arrive(w, (uint32_t)ITEMS(w->moves, abnf_move)[entry].target);
        row = entries + w->set * w->classes;
    }
    w->at = count;
    return ABNF_READ;
}

abnf_status abnf_read_on(abnf_weighted *w, const void *units, int width, size_t count, int may) {
    return width == 1 ? read_units(w, units, 1, count, may) : read_units(w, units, 4, count, may);
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
        if (last->weight < 0) return ABNF_UNREADABLE;
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

/* ---- the first mistake of an interpretation ---- */

#define MOST_OPEN 32 /* the maximum number of slots of a mistake in a string */

typedef struct {
    uint32_t mistake, begin, end, count;
    int32_t open; /* the open slot, or -1 */
    struct {
        int32_t name, turn;
        uint32_t begin, end;
    } slots[MOST_OPEN];
} outermost;

static void begin_slot(outermost *o, int32_t name, uint32_t at) {
    int32_t turn = 1;
    for (uint32_t each = 0; each < o->count; each++) turn += o->slots[each].name == name;
    if (o->count == MOST_OPEN) {
        o->mistake = ABNF_CATCH_ALL; /* too many slots; Python reports the mistake */
        return;
    }
    if (o->open >= 0) o->slots[o->open].turn = 0; /* a slot without an end is never reported */
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
    const abnf_mistake *mistake = &ITEMS(w->program->mistakes, abnf_mistake)[o->mistake];
    told->mistake = mistake->is_told ? o->mistake : ABNF_CATCH_ALL;
    if (told->mistake == ABNF_CATCH_ALL) return;
    const abnf_slot *slots = ITEMS(w->program->slots, abnf_slot);
    if (slots) slots += mistake->slots; /* null if no mistake has slots */
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

/* List the events of a way, last event first. Return 0 if out of memory. */
static int events_of(abnf_weighted *w, uint32_t way) {
    const abnf_way *ways = w->program->ways.items;
    w->events.count = 0;
    for (; way; way = ways[way].parent) {
        uint32_t *event = abnf_more(&w->events, 1, sizeof *event);
        if (!event) return 0;
        *event = ways[way].event;
        w->events.count++;
    }
    return 1;
}

int abnf_first_mistake(abnf_weighted *w, size_t count, abnf_told *told) {
    outermost o = {.mistake = ABNF_CATCH_ALL, .open = -1};
    size_t depth = 0;
    for (size_t each = w->gone.count; each--;) {
        const abnf_turn *gone = &ITEMS(w->gone, abnf_turn)[each];
        if (!events_of(w, gone->value)) return 0;
        for (size_t number = w->events.count; number--;) {
            uint32_t event = ITEMS(w->events, uint32_t)[number];
            switch (event & 3) {
            case ABNF_BEGIN:
                if (!depth++) o.mistake = event >> 2, o.begin = gone->at;
                break;
            case ABNF_END:
                if (depth == 1) {
                    if (o.open >= 0) o.count = (uint32_t)o.open; /* a slot without an end is not reported */
                    o.end = gone->at;
                    tell(w, &o, told);
                    return 1;
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
    o.end = (uint32_t)count; /* an open mistake ends at the end of the string */
    end_slot(&o, o.end);
    tell(w, &o, told);
    return 1;
}
