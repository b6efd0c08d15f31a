/* See follow.h. */
#include "follow.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint32_t state, way, next;
} cell;

typedef struct {
    int32_t weight;
    uint32_t head; /* the next cell */
} bucket;

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

/* ---- unique items ---- */

int abnf_index_room(abnf_index *index, uint64_t (*hash)(const void *, uint32_t), const void *of) {
    if (index->slots && index->count * 2 <= index->mask) return 1;
    size_t room = index->slots ? (index->mask + 1) * 2 : 256;
    uint32_t *slots = room > SIZE_MAX / 2 / sizeof *slots ? NULL : malloc(room * sizeof *slots);
    if (!slots) return 0;
    memset(slots, 0xFF, room * sizeof *slots);
    for (size_t each = 0; index->slots && each <= index->mask; each++)
        if (index->slots[each] != ABNF_NONE) {
            size_t at = hash(of, index->slots[each]) & (room - 1);
            while (slots[at] != ABNF_NONE) at = (at + 1) & (room - 1);
            slots[at] = index->slots[each];
        }
    free(index->slots);
    index->slots = slots;
    index->mask = room - 1;
    return 1;
}

static uint64_t state_key(uint32_t task, uint32_t index, uint32_t rest) {
    return abnf_mixed(abnf_mixed((uint64_t)task << 32, rest), index);
}

static uint64_t state_hash(const void *of, uint32_t number) {
    const abnf_state *state = &ITEMS(((const abnf_program *)of)->states, abnf_state)[number];
    return state_key(state->task, state->index, state->rest);
}

uint32_t abnf_state_of(abnf_program *p, uint32_t task, uint32_t index, uint32_t rest) {
    if (!abnf_index_room(&p->by_state, state_hash, p)) return ABNF_NONE;
    size_t at = state_key(task, index, rest) & p->by_state.mask;
    for (uint32_t number; (number = p->by_state.slots[at]) != ABNF_NONE; at = (at + 1) & p->by_state.mask) {
        const abnf_state *known = &ITEMS(p->states, abnf_state)[number];
        if (known->task == task && known->rest == rest && known->index == index) return number;
    }
    abnf_state *state = p->states.count < ABNF_NONE ? abnf_more(&p->states, 1, sizeof *state) : NULL;
    uint32_t *seen = state ? abnf_more(&p->seen, 1, sizeof *seen) : NULL;
    if (!seen) return ABNF_NONE;
    uint32_t kind = ITEMS(p->tasks, abnf_task)[task].kind;
    uint32_t around = rest == 0 || kind == ABNF_MISTAKE_ENDS ? 0 : ITEMS(p->states, abnf_state)[rest].depth;
    *state = (abnf_state){task, index, rest, around + (kind == ABNF_CLOSING)};
    *seen = 0;
    p->seen.count++;
    p->by_state.count++;
    return p->by_state.slots[at] = (uint32_t)p->states.count++;
}

static uint64_t way_key(uint32_t event, uint32_t state, uint32_t parent) {
    return abnf_mixed(abnf_mixed((uint64_t)event << 32, state), parent);
}

static uint64_t way_hash(const void *of, uint32_t number) {
    const abnf_way *way = &ITEMS(((const abnf_program *)of)->ways, abnf_way)[number];
    return way_key(way->event, way->state, way->parent);
}

/* Return a way extended by an event, or ABNF_NONE if out of memory. */
static uint32_t way_of(abnf_program *p, uint32_t event, uint32_t state, uint32_t parent) {
    if (!abnf_index_room(&p->by_way, way_hash, p)) return ABNF_NONE;
    size_t at = way_key(event, state, parent) & p->by_way.mask;
    for (uint32_t number; (number = p->by_way.slots[at]) != ABNF_NONE; at = (at + 1) & p->by_way.mask) {
        const abnf_way *known = &ITEMS(p->ways, abnf_way)[number];
        if (known->event == event && known->state == state && known->parent == parent) return number;
    }
    abnf_way *way = p->ways.count < ABNF_NONE ? abnf_more(&p->ways, 1, sizeof *way) : NULL;
    if (!way) return ABNF_NONE;
    uint32_t after = ITEMS(p->ways, abnf_way)[parent].after;
    if ((event & 3) == ABNF_BEGIN) after |= ITEMS(p->mistakes, abnf_mistake)[event >> 2].after;
    *way = (abnf_way){event, state, parent, after};
    p->by_way.count++;
    return p->by_way.slots[at] = (uint32_t)p->ways.count++;
}

/* ---- programs ---- */

static void index_free(abnf_index *index) {
    free(index->slots);
    *index = (abnf_index){NULL, 0, 0};
}

void abnf_program_free(abnf_program *p) {
    abnf_list *lists[] = {&p->tasks, &p->items, &p->charsets, &p->mistakes, &p->slots, &p->states, &p->ways, &p->wanted, &p->seen,
                          &p->cells, &p->buckets, &p->anything};
    for (size_t each = 0; each < sizeof lists / sizeof *lists; each++) free(lists[each]->items);
    index_free(&p->by_state);
    index_free(&p->by_way);
}

void abnf_program_forget(abnf_program *p) {
    p->states.count = p->seen.count = p->ways.count = 1; /* keep the end of the string and the empty way */
    index_free(&p->by_state);
    index_free(&p->by_way);
    p->generation++;
}

int abnf_program_begin(abnf_program *p) {
    memset(p, 0, sizeof *p);
    abnf_task *tasks = abnf_more(&p->tasks, 2, sizeof *tasks);
    abnf_charset *any = abnf_more(&p->charsets, 1, sizeof *any);
    abnf_mistake *none = abnf_more(&p->mistakes, 1, sizeof *none);
    abnf_state *end = abnf_more(&p->states, 1, sizeof *end);
    uint32_t *seen = abnf_more(&p->seen, 1, sizeof *seen);
    abnf_way *empty = abnf_more(&p->ways, 1, sizeof *empty);
    if (!tasks || !any || !none || !end || !seen || !empty) return 0;
    tasks[0] = (abnf_task){.kind = ABNF_MISTAKE_ENDS};
    tasks[1] = (abnf_task){.kind = ABNF_SLOT_ENDS};
    memset(any, 0xFF, sizeof *any);
    *none = (abnf_mistake){.body = ABNF_NONE};
    *end = (abnf_state){0, 0, 0, 0};
    *seen = 0;
    *empty = (abnf_way){0, 0, 0, 0};
    p->tasks.count = 2;
    p->charsets.count = p->mistakes.count = 1;
    abnf_program_forget(p);
    return 1;
}

/* ---- following ---- */

static int want(abnf_program *p, uint32_t what) {
    uint32_t *wanted = abnf_more(&p->wanted, 1, sizeof *wanted);
    if (!wanted) return 0;
    *wanted = what;
    p->wanted.count++;
    return 1;
}

/* Push a state on the stack of its weight. Few weights are in use at a time; the lightest is last. */
static int put(abnf_program *p, int32_t weight, uint32_t state, uint32_t way) {
    if (state == ABNF_NONE || way == ABNF_NONE) return 0;
    cell *new = p->cells.count < ABNF_NONE ? abnf_more(&p->cells, 1, sizeof *new) : NULL;
    bucket *more = abnf_more(&p->buckets, 1, sizeof *more);
    if (!new || !more) return 0;
    bucket *buckets = p->buckets.items;
    size_t at = p->buckets.count;
    while (at && buckets[at - 1].weight < weight) at--;
    if (at && buckets[at - 1].weight == weight) at--;
    else {
        memmove(buckets + at + 1, buckets + at, (p->buckets.count++ - at) * sizeof *buckets);
        buckets[at] = (bucket){weight, ABNF_NONE};
    }
    *new = (cell){state, way, buckets[at].head};
    buckets[at].head = (uint32_t)p->cells.count++;
    return 1;
}

/* Return whether the rest at one state ends with the rest at another state, and no mistake ends between them. */
static int leads(const abnf_program *p, uint32_t origin, uint32_t state) {
    const abnf_state *states = p->states.items;
    while (origin && origin != state && ITEMS(p->tasks, abnf_task)[states[origin].task].kind != ABNF_MISTAKE_ENDS)
        origin = states[origin].rest;
    return origin == state;
}

/* Skip end marks of rules that no mistake can follow, which merges equivalent states. */
static uint32_t awaiting(const abnf_program *p, uint32_t state) {
    while (state) {
        const abnf_state *it = &ITEMS(p->states, abnf_state)[state];
        const abnf_task *task = &ITEMS(p->tasks, abnf_task)[it->task];
        if (task->kind != ABNF_CLOSING || task->count) break;
        state = it->rest;
    }
    return state;
}

/* Return the rank of a way: ways on which a mistake begins are preferred to ways inside an earlier mistake, and these to
 * mistakes after a rule. */
static uint32_t late(const abnf_program *p, int32_t weight, uint32_t way) {
    return !weight ? 1 : ITEMS(p->ways, abnf_way)[way].after ? 2 : 0;
}

static int add_arc(abnf_list *arcs, abnf_arc arc) {
    abnf_arc *new = abnf_more(arcs, 1, sizeof *new);
    if (!new) return 0;
    *new = arc;
    arcs->count++;
    return 1;
}

/* One step: a state, its weight and its way, and the remaining weight. */
typedef struct {
    abnf_program *p;
    uint32_t origin, state, way;
    int32_t weight, most;
    const abnf_codes *without;
} step;

/* Push the bodies of mistakes in reverse order, each followed by `rest`. The mistakes begin in the state `where`. */
static int put_mistakes(const step *at, uint32_t first, uint32_t count, uint32_t where, uint32_t rest) {
    abnf_program *p = at->p;
    uint32_t end = ABNF_NONE;
    while (count--) {
        uint32_t number = ITEMS(p->items, uint32_t)[first + count];
        abnf_mistake mistake = ITEMS(p->mistakes, abnf_mistake)[number];
        if (mistake.weight > at->most || (mistake.code < at->without->count && at->without->flags[mistake.code])) continue;
        if (mistake.body == ABNF_NONE) {
            if (!want(p, 2 * number + 1)) return 0;
            continue;
        }
        if (end == ABNF_NONE && (end = abnf_state_of(p, ABNF_ENDS, 0, rest)) == ABNF_NONE) return 0;
        uint32_t way = way_of(p, 4 * number + ABNF_BEGIN, where, at->way);
        if (!put(p, at->weight + mistake.weight, abnf_state_of(p, mistake.body, 0, end), way)) return 0;
    }
    return 1;
}

/* Push a rule with mistakes. In order of preference these are its body, its mistakes and any characters; they are pushed
 * in reverse. */
static int put_place(const step *at, const abnf_task *task, const abnf_state *state) {
    abnf_program *p = at->p;
    uint32_t inside = abnf_state_of(p, task->two, 0, state->rest);
    if (inside == ABNF_NONE) return 0;
    if (at->most >= ABNF_UNIT) {
        if (task->before) {
            uint32_t own = abnf_state_of(p, task->four, 0, state->rest);
            if (own == ABNF_NONE || !put_mistakes(at, task->first + task->count, task->before, at->state, own)) return 0;
        }
        if (task->three != ABNF_NONE) {
            /* This is heavier than all declared mistakes. If several rules begin at the same place, the outermost is the
             * lightest. */
            int64_t weight = (int64_t)ABNF_ANYTHING_WEIGHT + p->declared + ITEMS(p->states, abnf_state)[inside].depth;
            if (weight <= at->most) {
                uint32_t way = way_of(p, 4 * ABNF_CATCH_ALL + ABNF_BEGIN, inside, at->way);
                if (!put(p, at->weight + (int32_t)weight, abnf_state_of(p, task->three, 0, inside), way)) return 0;
            }
        }
        if (!put_mistakes(at, task->first, task->count, inside, inside)) return 0;
    }
    return put(p, at->weight, abnf_state_of(p, task->one, 0, inside), at->way);
}

/* Push the states that a state leads to without a character. Return 0 if out of memory. */
static int go_on(const step *at, const abnf_task *task, const abnf_state *state) {
    abnf_program *p = at->p;
    uint32_t rest = state->rest, behind;
    switch (task->kind) {
    case ABNF_UNKNOWN_TASK:
        return want(p, 2 * state->task);
    case ABNF_SEQ:
        if (!task->count) return put(p, at->weight, rest, at->way);
        behind = state->index + 1 < task->count ? abnf_state_of(p, state->task, state->index + 1, rest) : rest;
        if (behind == ABNF_NONE) return 0;
        return put(p, at->weight, abnf_state_of(p, ITEMS(p->items, uint32_t)[task->first + state->index], 0, behind), at->way);
    case ABNF_CHOICE:
        for (uint32_t each = task->count; each--;)
            if (!put(p, at->weight, abnf_state_of(p, ITEMS(p->items, uint32_t)[task->first + each], 0, rest), at->way)) return 0;
        return 1;
    case ABNF_REPEAT:
        behind = task->two == state->task ? at->state : task->two == ABNF_NONE ? rest : abnf_state_of(p, task->two, 0, rest);
        if (behind == ABNF_NONE || (task->three && !put(p, at->weight, rest, at->way))) return 0;
        return put(p, at->weight, abnf_state_of(p, task->one, 0, behind), at->way);
    case ABNF_PLAIN:
        return put(p, at->weight, abnf_state_of(p, task->one, 0, rest), at->way);
    case ABNF_SLOT_OF:
        if ((behind = abnf_state_of(p, ABNF_SLOT_STOPS, 0, rest)) == ABNF_NONE) return 0;
        return put(p, at->weight, abnf_state_of(p, task->one, 0, behind), way_of(p, 4 * task->two + ABNF_SLOT, 0, at->way));
    case ABNF_PLACE:
        return put_place(at, task, state);
    case ABNF_CLOSING: {
        uint32_t where = task->count && at->origin && leads(p, at->origin, at->state) ? at->origin : at->state;
        return put_mistakes(at, task->first, task->count, where, rest) && put(p, at->weight, rest, at->way);
    }
    case ABNF_ANYTHING:
    case ABNF_MISTAKE_ENDS:
        return put(p, at->weight, rest, way_of(p, ABNF_END, 0, at->way));
    case ABNF_SLOT_ENDS:
        return put(p, at->weight, rest, way_of(p, ABNF_SLOT_END, 0, at->way));
    default:
        return 1;
    }
}

/* Merge the arcs of ABNF_ANYTHING into the others. At equal weight they come first, since they were found first. */
static int merge_anything(abnf_program *p, abnf_list *arcs, size_t first) {
    size_t more = p->anything.count, from = arcs->count, to = from + more;
    if (!abnf_more(arcs, more, sizeof(abnf_arc))) return 0;
    abnf_arc *all = arcs->items;
    const abnf_arc *anything = p->anything.items;
    arcs->count = to;
    while (more) {
        int is_last = from > first && all[from - 1].weight >= anything[more - 1].weight;
        all[--to] = is_last ? all[--from] : anything[--more];
    }
    return 1;
}

abnf_status abnf_follow_state(abnf_program *p, uint32_t origin, int32_t heaviest, const abnf_codes *without, abnf_list *arcs, abnf_follow *follow) {
    size_t first = arcs->count, wanted = p->wanted.count;
    abnf_status status = ABNF_NO_MEMORY;
    uint32_t cost = 0;
    *follow = (abnf_follow){(uint32_t)first, 0, 0, -1, 0, 0};
    p->cells.count = p->buckets.count = p->anything.count = 0;
    if (++p->now == 0) { /* the counter overflowed */
        memset(p->seen.items, 0, p->seen.count * sizeof(uint32_t));
        p->now = 1;
    }
    if (!put(p, 0, origin, 0)) return status;
    while (p->buckets.count) {
        bucket *lightest = &ITEMS(p->buckets, bucket)[p->buckets.count - 1];
        if (lightest->head == ABNF_NONE) {
            p->buckets.count--;
            continue;
        }
        cell next = ITEMS(p->cells, cell)[lightest->head];
        lightest->head = next.next;
        step at = {p, origin, next.state, next.way, lightest->weight, heaviest - lightest->weight, without};
        uint32_t *seen = &ITEMS(p->seen, uint32_t)[at.state];
        if (*seen == p->now) continue;
        *seen = p->now;
        if (++cost > ABNF_MOST_FOLLOWED) {
            status = p->wanted.count > wanted ? ABNF_WANTED : ABNF_TOO_MANY;
            goto dropped;
        }
        if (!at.state) {
            follow->weight = at.weight;
            follow->late = late(p, at.weight, at.way);
            follow->way = at.way;
            continue;
        }
        abnf_state state = ITEMS(p->states, abnf_state)[at.state];
        abnf_task task = ITEMS(p->tasks, abnf_task)[state.task];
        if (task.kind == ABNF_CHARS) {
            if (!add_arc(arcs, (abnf_arc){task.one, awaiting(p, state.rest), at.way, at.weight, late(p, at.weight, at.way)})) goto dropped;
            continue;
        }
        if (task.kind == ABNF_ANYTHING && at.most >= ABNF_CHARACTER_WEIGHT) {
            int32_t heavier = at.weight + ABNF_CHARACTER_WEIGHT;
            if (!add_arc(&p->anything, (abnf_arc){0, at.state, at.way, heavier, late(p, heavier, at.way)})) goto dropped;
        }
        if (!go_on(&at, &task, &state)) goto dropped;
    }
    status = p->wanted.count > wanted ? ABNF_WANTED : ABNF_READ;
    if (status == ABNF_READ && !merge_anything(p, arcs, first)) status = ABNF_NO_MEMORY;
    if (status == ABNF_READ && arcs->count >= ABNF_NONE) status = ABNF_NO_MEMORY;
    follow->cost = cost;
    follow->count = (uint32_t)(arcs->count - first);
dropped:
    if (status != ABNF_READ) arcs->count = first;
    return status;
}
