/* Programs of weighted states that are drawn, and texts read by follow.c and weighted.c: for kernel_fuzz.c, which says how it
 * is built.
 *
 * A program has tasks of all kinds that lead anywhere, mistakes within mistakes, too. Each text is read at once; in parts, while
 * tasks are told as they are wanted, allocations fail and steps run out; by what was learned from other texts; and once
 * more after all that is forgotten. Each time the answer has to be the same, and its weight that of the plainest search,
 * below, which knows nothing of sets.
 */
#include "follow_fuzz.h"
#include "weighted.h"

#include <stdlib.h>
#include <string.h>

enum { TASKS = 16, ITEMS_OF = 4, MISTAKES = 4, STARTS = 3, CHARSETS = 5, TEXTS = 4, LONGEST = 160, EVENTS = 4096, NODES = 300 };
enum { ENOUGH = 20000, MORE = 10 * ENOUGH }; /* steps for one text */

static uint32_t (*chance)(uint32_t);

/* ---- allocations that fail ---- */

static uint32_t until_failure; /* 0: none fails */

static int fails(void) { return until_failure && !--until_failure; }

/* The sources are compiled so that they ask these. */
#undef malloc
#undef realloc
void *malloc(size_t size);
void *realloc(void *old, size_t size);
void *fuzz_malloc(size_t size);
void *fuzz_realloc(void *old, size_t size);

void *fuzz_malloc(size_t size) { return fails() ? NULL : malloc(size); }
void *fuzz_realloc(void *old, size_t size) { return fails() ? NULL : realloc(old, size); }

/* ---- programs ---- */

typedef struct {
    abnf_task tasks[TASKS];
    uint32_t items[TASKS][ITEMS_OF]; /* of each task: tasks or mistakes, then mistakes before it */
    abnf_mistake mistakes[MISTAKES];
    abnf_slot slots[MISTAKES][ITEMS_OF];
    abnf_charset charsets[CHARSETS];
    uint32_t task_count, mistake_count, declared;
    size_t classes;
    int32_t band;
    uint32_t starts[STARTS], start_count; /* tasks; one may be there twice */
    int wild;
} recipe;

static uint32_t any_task(const recipe *r) { return chance(r->task_count); }

/* A task that is none from before, but in wild programs: else most would lead to themselves without a character. */
static uint32_t later_task(const recipe *r, uint32_t number) {
    return number + 1 < r->task_count && !(r->wild && chance(8) == 0) ? number + 1 + chance(r->task_count - number - 1) : any_task(r);
}

static uint32_t closing_of(const recipe *r) {
    for (uint32_t number = 2; number < r->task_count; number++)
        if (r->tasks[number].kind == ABNF_CLOSING && (chance(2) || number + 1 == r->task_count)) return number;
    return r->task_count - 1;
}

static void draw_task(recipe *r, uint32_t number) {
    static const uint32_t KINDS[] = {ABNF_CHARS, ABNF_CHARS, ABNF_SEQ, ABNF_SEQ, ABNF_CHOICE, ABNF_REPEAT, ABNF_PLAIN,
                                     ABNF_SLOT_OF, ABNF_PLACE, ABNF_PLACE, ABNF_PLACE, ABNF_ANYTHING, ABNF_PROSE};
    abnf_task *task = &r->tasks[number];
    uint32_t *items = r->items[number];
    *task = (abnf_task){.kind = KINDS[chance(sizeof KINDS / sizeof *KINDS)]};
    if (number + 3 >= r->task_count) task->kind = ABNF_CHARS;
    if (number + 1 == r->task_count) task->kind = ABNF_CLOSING; /* at least one */
    switch (task->kind) {
    case ABNF_CHARS:
        task->one = chance(CHARSETS);
        break;
    case ABNF_SEQ:
    case ABNF_CHOICE:
        task->count = chance(8) ? 1 + chance(ITEMS_OF) : 0;
        for (uint32_t each = 0; each < task->count; each++) items[each] = each && task->kind == ABNF_SEQ && !chance(3) ? any_task(r) : later_task(r, number);
        break;
    case ABNF_REPEAT:
        task->one = later_task(r, number);
        task->two = chance(3) ? number : chance(2) ? ABNF_NONE : later_task(r, number);
        task->three = chance(2);
        break;
    case ABNF_PLAIN:
    case ABNF_SLOT_OF:
        task->one = later_task(r, number);
        task->two = task->kind == ABNF_PLAIN ? 0 : chance(3);
        break;
    case ABNF_PLACE:
        task->one = later_task(r, number);
        task->two = closing_of(r);
        task->three = chance(2) ? later_task(r, number) : ABNF_NONE;
        task->four = chance(2) ? later_task(r, number) : ABNF_NONE;
        task->count = chance(3);
        task->before = task->four == ABNF_NONE ? 0 : chance(2);
        for (uint32_t each = 0; each < task->count + task->before; each++) items[each] = 1 + chance(r->mistake_count - 1);
        break;
    case ABNF_CLOSING:
        task->count = chance(3);
        for (uint32_t each = 0; each < task->count; each++) items[each] = 1 + chance(r->mistake_count - 1);
        break;
    default:
        break;
    }
}

static void draw_program(recipe *r) {
    memset(r, 0, sizeof *r);
    r->task_count = 6 + chance(TASKS - 5);
    r->mistake_count = 2 + chance(MISTAKES - 1);
    r->classes = chance(8) ? 1 + chance(5) : 256;
    r->declared = chance(9);
    r->wild = chance(64) == 0;
    r->band = (int32_t)chance(chance(8) ? 9 : 25) * (ABNF_UNIT / 2) + (int32_t)chance(2);
    r->tasks[0].kind = ABNF_MISTAKE_ENDS;
    r->tasks[1].kind = ABNF_SLOT_ENDS;
    for (uint32_t number = r->task_count; number-- > 2;) draw_task(r, number);
    for (uint32_t number = 1; number < r->mistake_count; number++) {
        abnf_mistake *it = &r->mistakes[number];
        *it = (abnf_mistake){.weight = (int32_t)((1 + chance(3)) * ABNF_UNIT + chance(4)), .after = chance(2), .body = chance(2) ? any_task(r) : r->task_count - 2, .is_told = chance(4) > 0,
                             .blamed = chance(3), .said = chance(3)};
        for (uint32_t each = 0; each < ITEMS_OF; each++) r->slots[number][each] = (abnf_slot){(int32_t)chance(6) - 3, (int32_t)chance(3)};
    }
    memset(&r->charsets[0], 0xFF, sizeof r->charsets[0]);
    for (uint32_t number = 1; number < CHARSETS; number++)
        for (uint32_t each = 0; each < 256; each++)
            if (chance(2)) r->charsets[number].bits[each >> 6] |= (uint64_t)1 << (each & 63);
    r->start_count = chance(2) ? 1 : 1 + chance(STARTS);
    for (uint32_t each = 0; each < r->start_count; each++) r->starts[each] = 2 + chance(3);
}

#define PUSHED(list, type, ...) (*(type *)abnf_more(&(list), 1, sizeof(type)) = (__VA_ARGS__), (list).count++)

static void tell_task(abnf_program *p, const recipe *r, uint32_t number) {
    abnf_task task = r->tasks[number];
    if (number < 2 || ITEMS(p->tasks, abnf_task)[number].kind) return;
    task.first = (uint32_t)p->items.count;
    for (uint32_t each = 0; each < task.count + task.before; each++) PUSHED(p->items, uint32_t, r->items[number][each]);
    ITEMS(p->tasks, abnf_task)[number] = task;
}

static void tell_body(abnf_program *p, const recipe *r, uint32_t number) {
    ITEMS(p->mistakes, abnf_mistake)[number].body = r->mistakes[number].body;
}

/* A program that knows all, or little of what is wanted. 0 without memory, which does not end here. */
static int cooked(abnf_program *p, const recipe *r, int all) {
    if (!abnf_program_begin(p)) return 0;
    p->declared = r->declared;
    for (uint32_t number = 1; number < CHARSETS; number++) PUSHED(p->charsets, abnf_charset, r->charsets[number]);
    for (uint32_t number = 1; number < r->mistake_count; number++) {
        abnf_mistake it = r->mistakes[number];
        it.slots = (uint32_t)p->slots.count;
        it.body = ABNF_NONE;
        for (uint32_t each = 0; each < it.blamed + it.said; each++) PUSHED(p->slots, abnf_slot, r->slots[number][each]);
        PUSHED(p->mistakes, abnf_mistake, it);
        if (all) tell_body(p, r, number);
    }
    for (uint32_t number = 2; number < r->task_count; number++) PUSHED(p->tasks, abnf_task, (abnf_task){.kind = ABNF_UNKNOWN_TASK});
    for (uint32_t number = 2; number < r->task_count; number++) /* marks are known as soon as what they mark */
        if (all || r->tasks[number].kind == ABNF_CLOSING || !chance(3)) tell_task(p, r, number);
    return 1;
}

/* Tell some of what is wanted, and the first of it surely. Whether it was not known. */
static int tell_wanted(abnf_program *p, const recipe *r) {
    uint32_t first = p->wanted.count ? ITEMS(p->wanted, uint32_t)[0] : 0;
    int is_new = p->wanted.count && (first & 1 ? ITEMS(p->mistakes, abnf_mistake)[first / 2].body == ABNF_NONE
                                               : ITEMS(p->tasks, abnf_task)[first / 2].kind == ABNF_UNKNOWN_TASK);
    for (size_t each = 0; each < p->wanted.count; each++) {
        uint32_t wanted = ITEMS(p->wanted, uint32_t)[each];
        if (each && chance(3)) continue;
        if (wanted & 1) tell_body(p, r, wanted / 2);
        else tell_task(p, r, wanted / 2);
    }
    return is_new;
}

/* 0 without memory. */
static int begin_sets(abnf_weighted *w, abnf_program *p, const recipe *r) {
    memset(w, 0, sizeof *w);
    w->program = p;
    w->generation = p->generation;
    w->band = r->band;
    w->classes = r->classes;
    w->most_sets = w->most_states = w->most_members = chance(4) ? SIZE_MAX : chance(30);
    w->page_of = calloc(0x1100, sizeof *w->page_of);
    w->pages = malloc(512);
    if (!w->page_of || !w->pages) return 0;
    w->page_of[0x1F6] = 1;
    for (uint32_t each = 0; each < 512; each++) w->pages[each] = (uint8_t)((each * 7 + each / 256) % r->classes);
    if (chance(4) == 0) p->now = w->now = w->text = UINT32_MAX - chance(40); /* soon they begin again */
    return 1;
}

/* ---- readings ---- */

typedef struct {
    uint8_t narrow[LONGEST];
    uint32_t wide[LONGEST];
    size_t count;
    int width, cut;
} drawn_text;

static void draw_text(drawn_text *text) {
    text->count = chance(3) ? chance(9) : chance(8) ? chance(25) : chance(LONGEST + 1);
    text->width = chance(2) ? 1 : 4;
    text->cut = chance(4) == 0;
    uint32_t few = 1 + chance(6);
    for (size_t at = 0; at < text->count; at++) {
        text->narrow[at] = (uint8_t)(chance(9) ? chance(few) : chance(256));
        text->wide[at] = text->width == 4 && !chance(4) ? 0x1F600 + chance(256) : text->width == 4 && !chance(20) ? UINT32_MAX - chance(9) : text->narrow[at];
    }
}

static const void *units_of(const drawn_text *text) { return text->width == 1 ? (const void *)text->narrow : (const void *)text->wide; }

typedef struct {
    abnf_status status;
    uint64_t cost, used;
    int64_t weight;
    size_t at, event_count;
    uint64_t events[EVENTS]; /* places, events and where they are, not by numbers of states */
    abnf_told told;
} answer;

static uint64_t chain_of(const abnf_program *p, uint32_t state) {
    uint64_t hash = 0;
    for (; state; state = ITEMS(p->states, abnf_state)[state].rest) {
        const abnf_state *it = &ITEMS(p->states, abnf_state)[state];
        hash = abnf_mixed(abnf_mixed(hash, it->task), it->index);
    }
    return hash;
}

static void note_answer(abnf_weighted *w, const drawn_text *text, abnf_status status, answer *a) {
    memset(a, 0, sizeof *a);
    if (status == ABNF_READ) status = abnf_way_back(w, text->cut, &a->weight);
    a->status = status;
    a->cost = w->cost;
    a->used = status == ABNF_LIMIT ? w->used : 0;
    a->at = w->at;
    if (status != ABNF_READ) return;
    for (size_t each = w->gone.count; each--;) {
        const abnf_turn *gone = &ITEMS(w->gone, abnf_turn)[each];
        for (uint32_t way = gone->value; way && a->event_count + 2 < EVENTS; way = ITEMS(w->program->ways, abnf_way)[way].parent) {
            const abnf_way *it = &ITEMS(w->program->ways, abnf_way)[way];
            a->events[a->event_count++] = (uint64_t)gone->at << 32 | it->event;
            a->events[a->event_count++] = chain_of(w->program, it->state);
        }
    }
    if (!abnf_first_mistake(w, text->count, &a->told)) a->status = ABNF_NO_MEMORY;
    if (a->told.mistake == ABNF_CATCH_ALL) memset(&a->told, 0, sizeof a->told);
}

static abnf_status first_set(abnf_weighted *w, const recipe *r, uint32_t *set) {
    uint32_t states[STARTS];
    for (uint32_t each = 0; each < r->start_count; each++)
        if ((states[each] = abnf_state_of(w->program, r->starts[each], 0, 0)) == ABNF_NONE) return ABNF_NO_MEMORY;
    return abnf_set_of(w, states, r->start_count, set);
}

/* Read a text by a program that knows all, in one go. */
static void read_at_once(abnf_weighted *w, const recipe *r, const drawn_text *text, uint64_t limit, answer *a) {
    uint32_t set;
    abnf_catch_up(w);
    abnf_allow(w, limit);
    abnf_status status = first_set(w, r, &set);
    if (status == ABNF_READ) {
        abnf_begin(w, set);
        status = abnf_read_on(w, units_of(text), text->width, text->count, 1);
    } else
        w->cost = w->at = 0;
    note_answer(w, text, status, a);
}

/* The same in parts, with all that can happen between them. Null, or what is wrong. */
static const char *read_in_parts(abnf_weighted *w, const recipe *r, const drawn_text *text, uint64_t limit, answer *a) {
    uint32_t set = 0;
    uint32_t failing = chance(2) ? 0 : 1 + chance(1u << chance(9)), failures = 0;
    size_t part = chance(2) ? text->count : chance((uint32_t)text->count + 1);
    int begun = 0;
    abnf_status status;
    abnf_catch_up(w);
    abnf_allow(w, limit);
    do {
        until_failure = failures < 50 ? failing : 0;
        if (!begun) {
            status = first_set(w, r, &set);
            if (status == ABNF_READ) {
                abnf_begin(w, set);
                begun = 1;
                continue;
            }
        } else {
            int may = !abnf_is_full(w) || chance(2);
            status = abnf_read_on(w, units_of(text), text->width, part, may);
            if (status == ABNF_FULL && may) return "sets that may be made are not";
            if (status == ABNF_READ && w->at != part) return "a text is not read to its end";
            if (status == ABNF_READ && part < text->count) {
                part += 1 + chance((uint32_t)(text->count - part));
                continue;
            }
        }
        until_failure = 0;
        if (status == ABNF_NO_MEMORY) {
            if (!failing || failures++ >= 50) return "there is no memory though no allocation failed";
            failing = 1 + chance(1u << chance(9));
        } else if (status == ABNF_WANTED) {
            if (!tell_wanted(w->program, r)) return "what is wanted is known";
        } else if (status != ABNF_FULL)
            break;
    } while (1);
    until_failure = 0;
    if (!begun) w->cost = w->at = 0;
    note_answer(w, text, status, a);
    return NULL;
}

/* ---- the plainest search ---- */

typedef struct {
    uint32_t task, index, rest;
} node;

typedef struct {
    uint32_t node, at;
    int64_t weight;
    int done;
} reached;

static node nodes[NODES];
static uint32_t node_count;
static reached found[NODES];
static uint32_t found_count;

static uint32_t node_of(uint32_t task, uint32_t index, uint32_t rest) {
    for (uint32_t each = 1; each < node_count; each++)
        if (nodes[each].task == task && nodes[each].index == index && nodes[each].rest == rest) return each;
    if (node_count == NODES) return ABNF_NONE;
    nodes[node_count] = (node){task, index, rest};
    return node_count++;
}

/* 0 if there are too many. */
static int reach_node(uint32_t to, uint32_t at, int64_t weight) {
    if (to == ABNF_NONE) return 0;
    for (uint32_t each = 0; each < found_count; each++)
        if (found[each].node == to && found[each].at == at) {
            if (weight < found[each].weight) found[each].weight = weight;
            return 1;
        }
    if (found_count == NODES) return 0;
    found[found_count++] = (reached){to, at, weight, 0};
    return 1;
}

static int reach_mistakes(const recipe *r, const uint32_t *numbers, uint32_t count, uint32_t rest, uint32_t at, int64_t weight) {
    for (uint32_t each = 0; each < count; each++) {
        const abnf_mistake *it = &r->mistakes[numbers[each]];
        uint32_t end = node_of(ABNF_ENDS, 0, rest);
        if (end == ABNF_NONE || !reach_node(node_of(it->body, 0, end), at, weight + it->weight)) return 0;
    }
    return 1;
}

static int search_on(const recipe *r, uint32_t number, uint32_t at, int64_t weight, int class_of_next) {
    node here = nodes[number];
    const abnf_task *task = &r->tasks[here.task];
    const uint32_t *items = r->items[here.task];
    uint32_t inside, depth = 0;
    switch (task->kind) {
    case ABNF_CHARS:
        if (class_of_next < 0 || !(r->charsets[task->one].bits[class_of_next >> 6] >> (class_of_next & 63) & 1)) return 1;
        return reach_node(here.rest, at + 1, weight);
    case ABNF_SEQ:
        if (!task->count) return reach_node(here.rest, at, weight);
        inside = here.index + 1 < task->count ? node_of(here.task, here.index + 1, here.rest) : here.rest;
        return inside != ABNF_NONE && reach_node(node_of(items[here.index], 0, inside), at, weight);
    case ABNF_CHOICE:
        for (uint32_t each = 0; each < task->count; each++)
            if (!reach_node(node_of(items[each], 0, here.rest), at, weight)) return 0;
        return 1;
    case ABNF_REPEAT:
        if (task->three && !reach_node(here.rest, at, weight)) return 0;
        inside = task->two == ABNF_NONE ? here.rest : node_of(task->two, 0, here.rest);
        return inside != ABNF_NONE && reach_node(node_of(task->one, 0, inside), at, weight);
    case ABNF_PLAIN:
        return reach_node(node_of(task->one, 0, here.rest), at, weight);
    case ABNF_SLOT_OF:
        inside = node_of(ABNF_SLOT_STOPS, 0, here.rest);
        return inside != ABNF_NONE && reach_node(node_of(task->one, 0, inside), at, weight);
    case ABNF_PLACE:
        inside = node_of(task->two, 0, here.rest);
        if (inside == ABNF_NONE || !reach_node(node_of(task->one, 0, inside), at, weight)) return 0;
        for (uint32_t each = inside; each && r->tasks[nodes[each].task].kind != ABNF_MISTAKE_ENDS; each = nodes[each].rest)
            depth += r->tasks[nodes[each].task].kind == ABNF_CLOSING;
        if (task->three != ABNF_NONE &&
            !reach_node(node_of(task->three, 0, inside), at, weight + ABNF_ANYTHING_WEIGHT + r->declared + depth))
            return 0;
        if (!reach_mistakes(r, items, task->count, inside, at, weight)) return 0;
        inside = task->before ? node_of(task->four, 0, here.rest) : 0;
        return inside != ABNF_NONE && reach_mistakes(r, items + task->count, task->before, inside, at, weight);
    case ABNF_CLOSING:
        return reach_node(here.rest, at, weight) && reach_mistakes(r, items, task->count, here.rest, at, weight);
    case ABNF_ANYTHING:
        if (class_of_next >= 0 && !reach_node(number, at + 1, weight + ABNF_CHARACTER_WEIGHT)) return 0;
        return reach_node(here.rest, at, weight);
    case ABNF_MISTAKE_ENDS:
    case ABNF_SLOT_ENDS:
        return reach_node(here.rest, at, weight);
    default:
        return 1;
    }
}

/* The weight of the best reading that is not heavier than so much: -1 there is none, -2 there is too much to search. */
static int64_t searched(const abnf_weighted *w, const recipe *r, const drawn_text *text, int64_t heaviest) {
    node_count = 1;
    found_count = 0;
    for (uint32_t each = 0; each < r->start_count; each++) reach_node(node_of(r->starts[each], 0, 0), 0, 0);
    for (;;) {
        reached *next = NULL;
        for (uint32_t each = 0; each < found_count; each++)
            if (!found[each].done && (!next || found[each].weight < next->weight)) next = &found[each];
        if (!next || next->weight > heaviest) return -1;
        next->done = 1;
        if (next->at == text->count && (!next->node || text->cut)) return next->weight;
        if (!next->node) continue;
        int class_of_next = -1;
        if (next->at < text->count) {
            uint32_t point = text->width == 1 ? text->narrow[next->at] : text->wide[next->at];
            if (point > 0x10FFFF) point = 0x10FFFF;
            class_of_next = w->pages[w->page_of[point >> 8] * 256u + (point & 255)];
        }
        if (!search_on(r, next->node, next->at, next->weight, class_of_next)) return -2;
    }
}

/* ---- one program ---- */

static int differ(const answer *one, const answer *other) {
    return one->status != other->status || one->cost != other->cost || one->used != other->used || one->weight != other->weight ||
           one->at != other->at || one->event_count != other->event_count ||
           memcmp(one->events, other->events, one->event_count * sizeof *one->events) || memcmp(&one->told, &other->told, sizeof one->told);
}

static const char *check_weight(const abnf_weighted *w, const recipe *r, const drawn_text *text, const answer *a) {
    if (a->status != ABNF_READ && a->status != ABNF_UNREADABLE) return NULL;
    if (text->cut) return NULL; /* whatever is preferred, not what is lightest: but for ends that is looked at without */
    int64_t best = searched(w, r, text, r->band);
    if (best == -2) return NULL;
    if (best >= 0 && a->status != ABNF_READ) return "a text that can be read is not";
    if (best >= 0 ? a->weight != best : a->status == ABNF_READ && a->weight <= r->band) return "a reading is not the best one";
    return NULL;
}

/* What a reading weighs is what its mistakes weigh, and characters that are anything. */
static const char *check_way(const recipe *r, const answer *a) {
    int64_t weight = a->weight;
    if (a->status != ABNF_READ || a->event_count + 2 >= EVENTS) return NULL;
    int anything = 0;
    for (size_t each = 0; each < a->event_count; each += 2) {
        uint32_t event = (uint32_t)a->events[each];
        if ((event & 3) == ABNF_BEGIN) weight -= r->mistakes[event >> 2].weight, anything |= event >> 2 == ABNF_CATCH_ALL;
    }
    int is_right = anything ? weight >= ABNF_ANYTHING_WEIGHT : weight >= 0 && weight % ABNF_CHARACTER_WEIGHT == 0 && weight <= (int64_t)LONGEST * ABNF_CHARACTER_WEIGHT;
    return is_right ? NULL : "a reading weighs more or less than its mistakes";
}

static const char *check_places(const answer *a, const drawn_text *text) {
    if (a->told.begin > text->count || a->told.end > text->count) return "a mistake is outside of its text";
    for (uint32_t each = 0; each < 2 * ABNF_MOST_SAID; each++)
        if (a->told.said[each] < -1 || a->told.said[each] > (int64_t)text->count) return "a slot is outside of its text";
    return NULL;
}

/* The states of a set are different ones, and all of them are within the band above the lightest. */
static const char *check_sets(const abnf_weighted *w) {
    uint32_t *in = calloc(w->program->states.count + 1, sizeof *in); /* the last set that has a state */
    const char *wrong = in ? NULL : "there is no memory";
    for (uint32_t set = 0; !wrong && set < w->sets.count; set++) {
        const abnf_set *it = &ITEMS(w->sets, abnf_set)[set];
        int32_t lightest = it->members ? INT32_MAX : 0;
        for (uint32_t each = it->first; !wrong && each < it->first + it->members; each++) {
            const abnf_member *member = &ITEMS(w->members, abnf_member)[each];
            if (in[member->state] == set + 1) wrong = "a state is in a set twice";
            if (member->weight < 0 || member->weight > w->band) wrong = "a state weighs more than is kept";
            if (member->weight < lightest) lightest = member->weight;
            in[member->state] = set + 1;
        }
        if (!wrong && lightest) wrong = "no state of a set is the lightest";
    }
    free(in);
    return wrong;
}

static const char *check_program(const recipe *r, abnf_program *p, abnf_weighted *w) {
    static answer one[TEXTS], other;
    static drawn_text texts[TEXTS];
    static uint64_t limits[TEXTS];
    const char *wrong;
    int too_many = 0;
    /* each text by what knows nothing */
    for (uint32_t each = 0; each < TEXTS; each++) {
        draw_text(&texts[each]);
        limits[each] = chance(3) ? ENOUGH : chance(3000);
        abnf_program_forget(&p[0]);
        read_at_once(&w[0], r, &texts[each], limits[each], &one[each]);
        if ((wrong = check_weight(&w[0], r, &texts[each], &one[each])) || (wrong = check_way(r, &one[each])) ||
            (wrong = check_places(&one[each], &texts[each])) || (wrong = check_sets(&w[0]))) return wrong;
        if (one[each].status == ABNF_TOO_MANY && too_many++) return NULL;
        if (chance(2)) abnf_program_forget(&p[1]);
        else if (each) continue;
        if ((wrong = read_in_parts(&w[1], r, &texts[each], limits[each], &other))) return wrong;
        if (differ(&one[each], &other)) return "a text that is read in parts is read otherwise";
        if ((wrong = check_sets(&w[1]))) return wrong;
    }
    if (too_many && chance(8)) return NULL; /* enough of that, which takes long */
    /* and by what all of them taught: then steps are paid already, and what a text costs is what its sets would have cost */
    abnf_program_forget(&p[0]);
    for (uint32_t each = 0; each < 2 * TEXTS; each++) {
        uint32_t number = each % TEXTS;
        uint32_t which = chance(2);
        if (which) {
            if ((wrong = read_in_parts(&w[1], r, &texts[number], MORE, &other))) return wrong;
        } else
            read_at_once(&w[0], r, &texts[number], ENOUGH, &other);
        if (other.status == ABNF_LIMIT) return one[number].status == ABNF_LIMIT || one[number].status == ABNF_TOO_MANY ? NULL : "a text takes more steps when more is known";
        if (one[number].status != ABNF_LIMIT && differ(&one[number], &other)) return "a text is read otherwise when more is known";
        if (one[number].status == ABNF_LIMIT && other.status != ABNF_TOO_MANY && other.cost <= limits[number])
            return "steps run out that are not needed";
    }
    return NULL;
}

const char *fuzz_follow(uint32_t (*below)(uint32_t)) {
    recipe r;
    abnf_program p[2];
    abnf_weighted w[2];
    chance = below;
    draw_program(&r);
    const char *wrong = NULL;
    for (int each = 0; each < 2; each++) {
        if (!cooked(&p[each], &r, !each) || !begin_sets(&w[each], &p[each], &r)) wrong = "there is no memory";
    }
    if (!wrong) wrong = check_program(&r, p, w);
    for (int each = 0; each < 2; each++) {
        abnf_weighted_free(&w[each]);
        abnf_program_free(&p[each]);
    }
    return wrong;
}
