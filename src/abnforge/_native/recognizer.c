/* See recognizer.h. */
#include "recognizer.h"

#include <stdlib.h>
#include <string.h>

/* Limits of parsing/recognizer/: network.py, stack.py, configurations.py. */
#define MOST_COMPARED 64u
#define MOST_PAIRS 16u
#define MOST_DEPTH 6
#define MOST_RETURNS 16u
#define MOST_COMPARISONS 200
#define MOST_NODES 64u
enum { COST = 4, PAIR_COST = 8, ITEM_COST = 2, COMPARE_COST = 4, OCTETS = 900, PAIR_OCTETS = 400 };

#define UNKNOWN (ABNF_NONE - 1)
#define ROOT 0u
#define MARKER 1u
#define COVERS (1u << 13)

/* Lists for one operation at a time. */
enum { STACK, FOLLOWED, COUNTED, UNION, CALLED, RETURNS, GROWN, PENDING, WITHIN, ENDS, REPLACED, MOVED, ORIGIN, OPEN, GROUPS, PAIRS };
enum { ENDED, EDGES, BELOW, SPILLED }; /* in `more_scratch` */

#define PARTS_OF(r) ITEMS((r)->parts, abnf_part)
#define ITEMS_OF(r) ITEMS((r)->items, abnf_item)
#define FRAMES_OF(r) ITEMS((r)->frames, abnf_frame)
#define NODES_OF(r) ITEMS((r)->nodes, abnf_stack_node)
#define EDGES_OF(r) ITEMS((r)->edges, abnf_pair)
#define CONFIGURATIONS_OF(r) ITEMS((r)->configurations, abnf_configuration)

#define NODE(pair) ((uint32_t)((pair) >> 32))
#define STATE(pair) ((uint32_t)(pair))
#define PAIR(node, state) ((abnf_pair)(node) << 32 | (state))

static void fail(abnf_recognizer *r, abnf_status status) {
    if (r->status == ABNF_READ) r->status = status;
}

static void want(abnf_recognizer *r, uint32_t what) {
    if (r->status == ABNF_READ) r->wanted = what;
    fail(r, ABNF_WANTED);
}

static void *more(abnf_recognizer *r, abnf_list *list, size_t count, size_t octets) {
    void *new = list->count + count < UNKNOWN ? abnf_more(list, count, octets) : NULL;
    if (!new) fail(r, ABNF_NO_MEMORY);
    return new;
}

static void push(abnf_recognizer *r, abnf_list *list, uint32_t number) {
    uint32_t *new = more(r, list, 1, sizeof *new);
    if (!new) return;
    *new = number;
    list->count++;
}

static void push_pair(abnf_recognizer *r, abnf_list *list, abnf_pair pair) {
    abnf_pair *new = more(r, list, 1, sizeof *new);
    if (!new) return;
    *new = pair;
    list->count++;
}

/* Append items of a list to another. Return the index of the first one. */
static uint32_t append(abnf_recognizer *r, abnf_list *list, const void *items, size_t count, size_t octets) {
    uint32_t first = (uint32_t)list->count;
    void *new = more(r, list, count, octets);
    if (new && count) memcpy(new, items, count * octets), list->count += count;
    return first;
}

static int by_pair(const void *left, const void *right) {
    abnf_pair one = *(const abnf_pair *)left, other = *(const abnf_pair *)right;
    return (one > other) - (one < other);
}

static int by_number(const void *left, const void *right) {
    uint32_t one = *(const uint32_t *)left, other = *(const uint32_t *)right;
    return (one > other) - (one < other);
}

/* Sort numbers and drop duplicates. Return how many are left. */
static size_t unique_numbers(uint32_t *numbers, size_t count) {
    size_t sorted = 1;
    while (sorted < count && numbers[sorted - 1] < numbers[sorted]) sorted++;
    if (count > sorted + 24) qsort(numbers, count, sizeof *numbers, by_number);
    else
        for (size_t each = sorted; each < count; each++) {
            uint32_t number = numbers[each];
            size_t at = each;
            for (; at && numbers[at - 1] > number; at--) numbers[at] = numbers[at - 1];
            numbers[at] = number;
        }
    size_t kept = 0;
    for (size_t each = 0; each < count; each++)
        if (!kept || numbers[kept - 1] != numbers[each]) numbers[kept++] = numbers[each];
    return kept;
}

static size_t unique_pairs(abnf_pair *pairs, size_t count) {
    if (count > 24) qsort(pairs, count, sizeof *pairs, by_pair);
    else
        for (size_t each = 1; each < count; each++) {
            abnf_pair pair = pairs[each];
            size_t at = each;
            for (; at && pairs[at - 1] > pair; at--) pairs[at] = pairs[at - 1];
            pairs[at] = pair;
        }
    size_t kept = 0;
    for (size_t each = 0; each < count; each++)
        if (!kept || pairs[kept - 1] != pairs[each]) pairs[kept++] = pairs[each];
    return kept;
}

/* ---- unique values ---- */

typedef struct {
    const void *items;
    size_t count;
    uint32_t one, two;
} value;

static uint64_t hash_of(const value *it, size_t octets) {
    uint64_t hash = abnf_mixed(abnf_mixed((uint64_t)it->one << 32 | it->two, it->count), 0);
    for (size_t each = 0; each < it->count; each++)
        hash = abnf_mixed(hash, octets == 8 ? ((const uint64_t *)it->items)[each] : ((const uint32_t *)it->items)[each]);
    return hash;
}

/* The values of a kind: their lists, as arrays of `octets` bytes, and two numbers. */
typedef struct {
    value (*of)(const abnf_recognizer *, uint32_t);
    uint64_t (*hash)(const void *, uint32_t);
    size_t octets;
} kind;

#define KIND(NAME, OCTETS_EACH)                                                                                        \
    static uint64_t NAME##_hash(const void *of, uint32_t number) {                                                    \
        value it = NAME##_value(of, number);                                                                           \
        return hash_of(&it, OCTETS_EACH);                                                                              \
    }                                                                                                                  \
    static const kind NAME##_kind = {NAME##_value, NAME##_hash, OCTETS_EACH};

/* Return the slot of a value in an index, with ABNF_NONE in it if the value is new. Return null if out of memory. */
static uint32_t *find(abnf_recognizer *r, abnf_index *index, const kind *kind, const value *it) {
    if (!abnf_index_room(index, kind->hash, r)) {
        fail(r, ABNF_NO_MEMORY);
        return NULL;
    }
    size_t at = hash_of(it, kind->octets) & index->mask;
    for (; index->slots[at] != ABNF_NONE; at = (at + 1) & index->mask) {
        value other = kind->of(r, index->slots[at]);
        if (other.one == it->one && other.two == it->two && other.count == it->count &&
            (!it->count || !memcmp(other.items, it->items, it->count * kind->octets)))
            break;
    }
    return &index->slots[at];
}

/* ---- parts ---- */

static uint32_t new_part(abnf_recognizer *r, abnf_part part) {
    return append(r, &r->parts, &part, 1, sizeof part);
}

/* The operands of a node are on the stack of postfix order. */
static int define_node(abnf_recognizer *r, abnf_list *stack, const uint32_t **words, const uint32_t *end) {
    static const size_t numbers[ABNF_NODES] = {1, 1, 1, 1, 2, 0, 1};
    uint32_t node = *(*words)++;
    if (node >= ABNF_NODES || (size_t)(end - *words) < numbers[node]) return 0;
    const uint32_t *of = *words;
    *words += numbers[node];
    const abnf_part *parts = r->parts.items;
    uint32_t *operands = stack->items;
    abnf_part part = {node, 0, 0, 0, 0};
    switch (node) {
    case ABNF_NODE_CHARS:
        if (of[0] >= r->charsets.count) return 0;
        part.flags = ABNF_PRODUCTIVE;
        part.one = of[0];
        break;
    case ABNF_NODE_REF:
        if (of[0] >= r->parts.count) return 0;
        push(r, stack, of[0]);
        return r->status == ABNF_READ;
    case ABNF_NODE_SEQ:
    case ABNF_NODE_CHOICE:
        if (of[0] > stack->count) return 0;
        part.flags = node == ABNF_NODE_SEQ ? ABNF_PRODUCTIVE | ABNF_NULLABLE : 0;
        for (uint32_t each = 0; each < of[0]; each++) {
            uint32_t flags = parts[operands[stack->count - of[0] + each]].flags;
            part.flags = node == ABNF_NODE_SEQ ? part.flags & flags : part.flags | flags;
        }
        part.flags &= ABNF_PRODUCTIVE | ABNF_NULLABLE;
        part.two = of[0];
        part.one = append(r, &r->children, operands + stack->count - of[0], of[0], sizeof *operands);
        stack->count -= of[0];
        break;
    case ABNF_NODE_REPEAT:
        if (!stack->count) return 0;
        part.one = operands[--stack->count];
        part.two = of[0];
        part.three = of[1];
        part.flags = of[0] ? parts[part.one].flags & (ABNF_PRODUCTIVE | ABNF_NULLABLE) : ABNF_PRODUCTIVE | ABNF_NULLABLE;
        break;
    case ABNF_NODE_PROSE:
        part.flags = ABNF_PRODUCTIVE;
        break;
    default:
        part.flags = of[0] & (ABNF_PRODUCTIVE | ABNF_NULLABLE);
        part.one = ABNF_NONE;
    }
    push(r, stack, new_part(r, part));
    return r->status == ABNF_READ;
}

uint32_t abnf_define(abnf_recognizer *r, uint32_t number, const uint32_t *words, size_t count) {
    abnf_list *stack = &r->scratch[STACK];
    stack->count = 0;
    for (const uint32_t *end = words + count; words < end;)
        if (!define_node(r, stack, &words, end)) return ABNF_NONE;
    if (stack->count != 1 || number >= r->parts.count) return ABNF_NONE;
    abnf_part *part = &PARTS_OF(r)[number];
    if ((part->kind != ABNF_NODE_REF && part->kind != ABNF_NODE_LATER) || part->one != ABNF_NONE) return ABNF_NONE;
    return part->one = *(uint32_t *)stack->items;
}

/* ---- items: network.py ---- */

static value item_value(const abnf_recognizer *r, uint32_t number) {
    const abnf_item *item = &ITEMS_OF(r)[number];
    return (value){&item->rest, 1, item->part, item->index};
}
KIND(item, 4)

typedef struct {
    uint32_t what, index, below;
} shape;

static value shape_value(const abnf_recognizer *r, uint32_t number) {
    const shape *it = &ITEMS(r->shapes, shape)[number];
    return (value){&it->below, 1, it->what, it->index};
}
KIND(shape, 4)

static uint32_t shape_of(abnf_recognizer *r, shape it) {
    uint32_t *slot = find(r, &r->shape_index, &shape_kind, &(value){&it.below, 1, it.what, it.index});
    if (slot && *slot == ABNF_NONE) {
        *slot = append(r, &r->shapes, &it, 1, sizeof it);
        r->shape_index.count++;
    }
    return slot ? *slot : 0;
}

static int is_nullable(const abnf_recognizer *r, uint32_t part) {
    return (PARTS_OF(r)[part].flags & ABNF_NULLABLE) != 0;
}

static int is_productive(const abnf_recognizer *r, uint32_t part) {
    return (PARTS_OF(r)[part].flags & ABNF_PRODUCTIVE) != 0;
}

/* Set the minimum and maximum of the iterations that remain. */
static void limits(const abnf_recognizer *r, const abnf_part *part, uint32_t index, uint32_t *least, uint32_t *most) {
    *most = part->three == ABNF_NONE ? ABNF_NONE : part->three - index;
    if (is_nullable(r, part->one)) *least = index ? 0 : part->two;
    else *least = part->two > index ? part->two - index : 0;
}

static uint32_t item_of(abnf_recognizer *r, uint32_t part, uint32_t index, uint32_t rest) {
    if (r->status) return 0;
    uint32_t *slot = find(r, &r->item_index, &item_kind, &(value){&rest, 1, part, index});
    if (!slot || *slot != ABNF_NONE) return slot ? *slot : 0;
    const abnf_part *it = &PARTS_OF(r)[part];
    abnf_item item = {.part = part, .index = index, .rest = rest};
    uint32_t below = 0, least = 0, most = 1;
    if (rest) {
        const abnf_item *next = &ITEMS_OF(r)[rest];
        below = next->shape, item.counts = next->counts, item.count = next->count, item.is_loose = next->is_loose;
    }
    if (it->kind == ABNF_NODE_REPEAT) limits(r, it, index, &least, &most);
    if (least == 0 && (most == 1 || most == ABNF_NONE)) item.shape = shape_of(r, (shape){2 * part, index, below});
    else {
        item.shape = shape_of(r, (shape){2 * part + 1, 0, below});
        uint32_t *counts = more(r, &r->counts, 2 * (item.count + 1), sizeof *counts);
        if (!counts) return 0;
        counts[0] = least, counts[1] = most;
        if (item.count) memcpy(counts + 2, ITEMS(r->counts, uint32_t) + item.counts, 2 * item.count * sizeof *counts);
        item.counts = (uint32_t)r->counts.count;
        r->counts.count += 2 * ++item.count;
        item.is_loose |= least != most;
    }
    uint32_t number = append(r, &r->items, &item, 1, sizeof item);
    if (r->status) return 0;
    r->item_index.count++;
    return *slot = number;
}

static uint32_t next_now(abnf_recognizer *r) {
    if (++r->now == 0) { /* the counter overflowed */
        for (size_t each = 0; each < r->items.count; each++) ITEMS_OF(r)[each].seen = 0;
        r->now = 1;
    }
    return r->now;
}

/* An item with counts, in the order of domination. */
typedef struct {
    uint32_t shape, least, most, item;
} counted;

static int by_counts(const void *left, const void *right) {
    const counted *one = left, *other = right;
    if (one->shape != other->shape) return one->shape < other->shape ? -1 : 1;
    if (one->least != other->least) return one->least < other->least ? -1 : 1;
    if (one->most != other->most) return one->most > other->most ? -1 : 1;
    return (one->item > other->item) - (one->item < other->item);
}

static int allows_counts(const abnf_recognizer *r, const abnf_item *larger, const abnf_item *smaller) {
    const uint32_t *one = ITEMS(r->counts, uint32_t) + larger->counts, *other = ITEMS(r->counts, uint32_t) + smaller->counts;
    for (uint32_t each = 0; each < larger->count; each++)
        if (one[2 * each] > other[2 * each] || one[2 * each + 1] < other[2 * each + 1]) return 0;
    return larger != smaller;
}

/* Mark the dominated items of a group of one shape as seen. Return whether there are any. */
static int mark_dominated(abnf_recognizer *r, const counted *group, size_t size, uint32_t now) {
    abnf_item *items = r->items.items;
    int found = 0;
    int64_t furthest = -1;
    if (items[group->item].count > 1 && size > MOST_COMPARED) return 0;
    for (size_t each = 0; each < size; each++) {
        int dominated = 0;
        if (items[group->item].count == 1) {
            dominated = (int64_t)group[each].most <= furthest;
            if ((int64_t)group[each].most > furthest) furthest = group[each].most;
        } else
            for (size_t other = 0; other < size && !dominated; other++)
                dominated = allows_counts(r, &items[group[other].item], &items[group[each].item]);
        if (dominated) items[group[each].item].seen = now, found = 1;
    }
    return found;
}

/* Drop items that the counts of others of the same shape cover. Return how many are left. */
static size_t pruned(abnf_recognizer *r, uint32_t *numbers, size_t count) {
    abnf_list *list = &r->scratch[COUNTED];
    list->count = 0;
    for (size_t each = 0; each < count; each++) {
        const abnf_item *item = &ITEMS_OF(r)[numbers[each]];
        if (!item->count) continue;
        const uint32_t *counts = ITEMS(r->counts, uint32_t) + item->counts;
        append(r, list, &(counted){item->shape, counts[0], counts[1], numbers[each]}, 1, sizeof(counted));
    }
    if (r->status || list->count < 2) return count;
    counted *all = list->items;
    qsort(all, list->count, sizeof *all, by_counts);
    uint32_t now = next_now(r);
    int found = 0;
    for (size_t first = 0, next; first < list->count; first = next) {
        int is_loose = 0;
        for (next = first; next < list->count && all[next].shape == all[first].shape; next++)
            is_loose |= ITEMS_OF(r)[all[next].item].is_loose;
        if (next - first > 1 && is_loose) found |= mark_dominated(r, all + first, next - first, now);
    }
    if (!found) return count;
    size_t kept = 0;
    for (size_t each = 0; each < count; each++)
        if (ITEMS_OF(r)[numbers[each]].seen != now) numbers[kept++] = numbers[each];
    return kept;
}

static void follow_repeat(abnf_recognizer *r, abnf_list *stack, uint32_t number, const abnf_item *item, const abnf_part *part) {
    uint32_t least, most, again;
    limits(r, part, item->index, &least, &most);
    int is_empty = is_nullable(r, part->one) || least == 0; /* mandatory iterations of a nullable item can be empty */
    if (is_empty) push(r, stack, item->rest);
    if (!most || !is_productive(r, part->one)) return;
    if (most == ABNF_NONE && least == 0) again = number;
    else if (most == 1) again = item->rest;
    else {
        uint32_t last = is_nullable(r, part->one) ? part->two > 0 : part->two;
        again = item_of(r, item->part, part->three == ABNF_NONE && item->index >= last ? item->index : item->index + 1, item->rest);
    }
    push(r, stack, item_of(r, part->one, 0, again));
    /* After an empty iteration nothing follows that does not also follow here. */
    if (is_empty && again && again != item->rest) ITEMS_OF(r)[again].seen = r->now;
}

/* Push the items that an item leads to without a character, or add it to the items that wait. */
static void follow_item(abnf_recognizer *r, abnf_list *stack, uint32_t number) {
    abnf_item item = ITEMS_OF(r)[number];
    abnf_part part = PARTS_OF(r)[item.part];
    switch (part.kind) {
    case ABNF_NODE_CHARS:
        push(r, &r->scratch[FOLLOWED], number);
        return;
    case ABNF_NODE_REF:
        if (part.flags & ABNF_CALLED) {
            if (part.flags & ABNF_PRODUCTIVE) push(r, &r->scratch[FOLLOWED], number);
            if (part.flags & ABNF_NULLABLE) push(r, stack, item.rest);
            return;
        }
        /* fall through */
    case ABNF_NODE_LATER:
        if (!(part.flags & ABNF_PRODUCTIVE)) return;
        if (part.one == ABNF_NONE) want(r, 2 * item.part);
        else push(r, stack, item_of(r, part.one, 0, item.rest));
        return;
    case ABNF_NODE_SEQ:
        if (item.index == part.two) push(r, stack, item.rest);
        else if (item.index || (part.flags & ABNF_PRODUCTIVE)) {
            uint32_t rest = item.index + 1 == part.two ? item.rest : item_of(r, item.part, item.index + 1, item.rest);
            push(r, stack, item_of(r, ITEMS(r->children, uint32_t)[part.one + item.index], 0, rest));
        }
        return;
    case ABNF_NODE_CHOICE:
        for (uint32_t each = 0; each < part.two && !r->status; each++)
            push(r, stack, item_of(r, ITEMS(r->children, uint32_t)[part.one + each], 0, item.rest));
        return;
    case ABNF_NODE_REPEAT:
        follow_repeat(r, stack, number, &item, &part);
        return;
    default:
        return;
    }
}

static void close_item(abnf_recognizer *r, uint32_t origin) {
    if (r->status || ITEMS_OF(r)[origin].is_closed) return;
    abnf_list *stack = &r->scratch[STACK], *result = &r->scratch[FOLLOWED];
    stack->count = result->count = 0;
    int is_final = 0;
    uint32_t now = next_now(r), visited = 0;
    push(r, stack, origin);
    while (stack->count && !r->status) {
        uint32_t number = ITEMS(*stack, uint32_t)[--stack->count];
        if (!number) is_final = 1;
        else if (ITEMS_OF(r)[number].seen != now) {
            ITEMS_OF(r)[number].seen = now;
            if (++visited > r->most_items) fail(r, ABNF_TOO_MANY);
            follow_item(r, stack, number);
        }
    }
    if (r->status) return;
    size_t count = pruned(r, result->items, unique_numbers(result->items, result->count));
    uint32_t first = append(r, &r->closures, result->items, count, sizeof(uint32_t));
    if (r->status) return;
    abnf_item *item = &ITEMS_OF(r)[origin];
    item->first = first, item->closed = (uint32_t)count;
    item->is_final = (uint8_t)is_final;
    item->is_closed = 1;
}

static void begin_union(abnf_recognizer *r) {
    r->scratch[UNION].count = 0;
    if (++r->unions == 0) { /* the counter overflowed */
        for (size_t each = 0; each < r->items.count; each++) ITEMS_OF(r)[each].joined = 0;
        r->unions = 1;
    }
}

static void join(abnf_recognizer *r, const uint32_t *numbers, uint32_t count) {
    for (uint32_t each = 0; each < count; each++) {
        abnf_item *item = &ITEMS_OF(r)[numbers[each]];
        if (item->joined != r->unions) push(r, &r->scratch[UNION], numbers[each]);
        item->joined = r->unions;
    }
}

/* Add the items after an item has read its character or call. Return whether the frame can end. */
static int join_after(abnf_recognizer *r, uint32_t number) {
    uint32_t rest = ITEMS_OF(r)[number].rest;
    if (!rest) return 1;
    close_item(r, rest);
    if (r->status) return 0;
    const abnf_item *item = &ITEMS_OF(r)[rest];
    join(r, ITEMS(r->closures, uint32_t) + item->first, item->closed);
    return item->is_final;
}

/* ---- frames ---- */

static value frame_value(const abnf_recognizer *r, uint32_t number) {
    const abnf_frame *frame = &FRAMES_OF(r)[number];
    return (value){ITEMS(r->frame_items, uint32_t) + frame->first, frame->count, frame->final, 0};
}
KIND(frame, 4)

/* Return the frame state of the items in scratch[UNION]. */
static uint32_t frame_of(abnf_recognizer *r, int is_final) {
    abnf_list *list = &r->scratch[UNION];
    if (r->status) return 0;
    size_t count = list->count ? pruned(r, list->items, unique_numbers(list->items, list->count)) : 0;
    uint32_t *slot = find(r, &r->frame_index, &frame_kind, &(value){list->items, count, (uint32_t)is_final, 0});
    if (!slot || *slot != ABNF_NONE) return slot ? *slot : 0;
    uint32_t first = append(r, &r->frame_items, list->items, count, sizeof(uint32_t));
    abnf_frame frame = {first, (uint32_t)count, (uint32_t)is_final, ABNF_NONE, ABNF_NONE, 0};
    uint32_t number = append(r, &r->frames, &frame, 1, sizeof frame);
    if (r->status) return 0;
    r->frame_index.count++;
    return *slot = number;
}

static uint32_t item_at(const abnf_recognizer *r, uint32_t frame, uint32_t index) {
    return ITEMS(r->frame_items, uint32_t)[FRAMES_OF(r)[frame].first + index];
}

static int only_returns(const abnf_recognizer *r, uint32_t frame) {
    return FRAMES_OF(r)[frame].final && !FRAMES_OF(r)[frame].count;
}

uint32_t abnf_entry(abnf_recognizer *r, uint32_t rule) {
    uint32_t known = ITEMS(r->entries, uint32_t)[rule];
    if (r->status || known != ABNF_NONE) return known;
    begin_union(r);
    int is_final = 0;
    if (r->flags[rule] & ABNF_PRODUCTIVE) {
        uint32_t body = PARTS_OF(r)[rule].one;
        if (body == ABNF_NONE) {
            want(r, 2 * rule);
            return 0;
        }
        uint32_t start = item_of(r, body, 0, 0);
        close_item(r, start);
        if (r->status) return 0;
        const abnf_item *item = &ITEMS_OF(r)[start];
        join(r, ITEMS(r->closures, uint32_t) + item->first, item->closed);
        is_final = item->is_final;
    }
    uint32_t frame = frame_of(r, is_final);
    return r->status ? 0 : (ITEMS(r->entries, uint32_t)[rule] = frame);
}

static int reads(const abnf_recognizer *r, uint32_t item, uint32_t class) {
    const abnf_part *part = &PARTS_OF(r)[ITEMS_OF(r)[item].part];
    return part->kind == ABNF_NODE_CHARS && (ITEMS(r->charsets, abnf_charset)[part->one].bits[class >> 6] >> (class & 63) & 1);
}

/* Return the state after a character, or ABNF_NONE. */
static uint32_t step(abnf_recognizer *r, uint32_t frame, uint32_t class) {
    if (r->status) return ABNF_NONE;
    if (FRAMES_OF(r)[frame].moves == ABNF_NONE) {
        uint32_t *row = more(r, &r->rows, r->classes, sizeof *row);
        if (!row) return ABNF_NONE;
        for (uint32_t each = 0; each < r->classes; each++) row[each] = UNKNOWN;
        FRAMES_OF(r)[frame].moves = (uint32_t)r->rows.count;
        r->rows.count += r->classes;
    }
    uint32_t known = ITEMS(r->rows, uint32_t)[FRAMES_OF(r)[frame].moves + class];
    if (known != UNKNOWN) return known;
    int is_final = 0;
    begin_union(r);
    for (uint32_t each = 0; each < FRAMES_OF(r)[frame].count; each++)
        if (reads(r, item_at(r, frame, each), class)) is_final |= join_after(r, item_at(r, frame, each));
    uint32_t following = is_final || r->scratch[UNION].count ? frame_of(r, is_final) : ABNF_NONE;
    if (!r->status) ITEMS(r->rows, uint32_t)[FRAMES_OF(r)[frame].moves + class] = following;
    return following;
}

uint32_t abnf_calls(abnf_recognizer *r, uint32_t frame) {
    if (r->status || FRAMES_OF(r)[frame].calls != ABNF_NONE) return FRAMES_OF(r)[frame].called;
    abnf_list *by_rule = &r->scratch[CALLED], *returns = &r->scratch[RETURNS];
    by_rule->count = returns->count = 0;
    for (uint32_t each = 0; each < FRAMES_OF(r)[frame].count; each++) {
        uint32_t item = item_at(r, frame, each);
        const abnf_part *part = &PARTS_OF(r)[ITEMS_OF(r)[item].part];
        if (part->kind == ABNF_NODE_REF) push_pair(r, by_rule, PAIR(part->two, item));
    }
    by_rule->count = by_rule->count ? unique_pairs(by_rule->items, by_rule->count) : 0;
    for (size_t each = 0; each < by_rule->count && !r->status;) {
        uint32_t rule = NODE(ITEMS(*by_rule, abnf_pair)[each]);
        int is_final = 0;
        begin_union(r);
        for (; each < by_rule->count && NODE(ITEMS(*by_rule, abnf_pair)[each]) == rule; each++)
            is_final |= join_after(r, STATE(ITEMS(*by_rule, abnf_pair)[each]));
        push_pair(r, returns, PAIR(rule, frame_of(r, is_final)));
    }
    if (r->status) return 0;
    uint32_t first = append(r, &r->calls, returns->items, returns->count, sizeof(abnf_pair));
    if (r->status) return 0;
    FRAMES_OF(r)[frame].called = (uint32_t)returns->count;
    FRAMES_OF(r)[frame].calls = first;
    return FRAMES_OF(r)[frame].called;
}

static abnf_pair call_at(const abnf_recognizer *r, uint32_t frame, uint32_t index) {
    return ITEMS(r->calls, abnf_pair)[FRAMES_OF(r)[frame].calls + index];
}

static uint32_t joined(abnf_recognizer *r, uint32_t one, uint32_t other) {
    if (one == other || r->status) return one;
    begin_union(r);
    abnf_frame left = FRAMES_OF(r)[one], right = FRAMES_OF(r)[other];
    join(r, ITEMS(r->frame_items, uint32_t) + left.first, left.count);
    join(r, ITEMS(r->frame_items, uint32_t) + right.first, right.count);
    return frame_of(r, left.final || right.final);
}

/* Return whether the items of a frame state provably cover those of another. */
static int covers(const abnf_recognizer *r, uint32_t larger, uint32_t smaller) {
    if (larger == smaller) return 1;
    const abnf_frame *one = &FRAMES_OF(r)[larger], *other = &FRAMES_OF(r)[smaller];
    if (one->final < other->final) return 0;
    const uint32_t *all = ITEMS(r->frame_items, uint32_t), *items = all + other->first, *in = all + one->first;
    uint32_t at = 0, rest = 0;
    for (uint32_t each = 0; each < other->count; each++) {
        while (at < one->count && in[at] < items[each]) at++;
        if (at < one->count && in[at] == items[each]) continue;
        const abnf_item *item = &ITEMS_OF(r)[items[each]];
        if (!item->count || ++rest > MOST_COMPARED || one->count > MOST_COMPARED) return 0;
        int found = 0;
        for (uint32_t by = 0; by < one->count && !found; by++) {
            const abnf_item *with = &ITEMS_OF(r)[in[by]];
            found = with->shape == item->shape && allows_counts(r, with, item);
        }
        if (!found) return 0;
    }
    return 1;
}

/* ---- stacks: stack.py ---- */

/* One attempt to prove that a node covers another. */
typedef struct {
    abnf_recognizer *r;
    int is_strict, left;
    uint32_t count, trust;
    struct { uint64_t key; uint8_t result; } results[2 * MOST_COMPARISONS];
    uint16_t trusted[2 * MOST_COMPARISONS];
} simulation;

enum { REFUTED, PROVED, DROPPED };

static uint32_t returns_of(const abnf_recognizer *r, uint32_t node, abnf_pair *returns) {
    const abnf_stack_node *nodes = NODES_OF(r);
    uint32_t count = 0, seen[MOST_RETURNS + 1] = {node}, visited = 1;
    for (uint32_t each = 0; each < nodes[node].count && count < MOST_RETURNS; each++) returns[count++] = EDGES_OF(r)[nodes[node].first + each];
    for (uint32_t at = 0; at < count && count < MOST_RETURNS; at++) {
        uint32_t below = NODE(returns[at]);
        if (!FRAMES_OF(r)[STATE(returns[at])].final) continue;
        uint32_t known = 0;
        while (known < visited && seen[known] != below) known++;
        if (known < visited || visited > MOST_RETURNS) continue;
        seen[visited++] = below;
        for (uint32_t each = 0; each < nodes[below].count && count < MOST_RETURNS; each++)
            returns[count++] = EDGES_OF(r)[nodes[below].first + each];
    }
    return count;
}

static int shows(simulation *s, uint32_t larger, uint32_t smaller, int depth) {
    const abnf_recognizer *r = s->r;
    if (larger == smaller) return 1;
    abnf_stack_node one = NODES_OF(r)[larger], other = NODES_OF(r)[smaller];
    if (!one.count || !other.count) return 0;
    uint64_t key = PAIR(larger, smaller);
    for (uint32_t each = 0; each < s->count; each++)
        if (s->results[each].key == key && s->results[each].result != DROPPED) return s->results[each].result == PROVED;
    if (depth > MOST_DEPTH || s->left <= 0 || s->count == 2 * MOST_COMPARISONS) return 0;
    uint32_t own = s->count++;
    s->results[own].key = key;
    s->results[own].result = PROVED;
    s->trusted[s->trust++] = (uint16_t)own;
    abnf_pair buffer[MOST_RETURNS];
    const abnf_pair *returns = EDGES_OF(r) + one.first;
    uint32_t count = one.count;
    if (!s->is_strict) count = returns_of(r, larger, buffer), returns = buffer;
    for (uint32_t each = 0; each < other.count; each++) {
        abnf_pair edge = EDGES_OF(r)[other.first + each];
        s->left -= (int)count;
        int found = 0;
        for (uint32_t by = 0; by < count && !found; by++)
            found = covers(r, STATE(returns[by]), STATE(edge)) && shows(s, NODE(returns[by]), NODE(edge), depth + 1);
        if (found) continue;
        while (s->trusted[--s->trust] != own) s->results[s->trusted[s->trust]].result = DROPPED;
        s->results[own].result = REFUTED;
        return 0;
    }
    return 1;
}

typedef struct {
    uint64_t key;
    uint64_t result;
} cover;

static int covers_node(abnf_recognizer *r, uint32_t larger, uint32_t smaller, int is_strict) {
    if (larger == smaller) return 1;
    if (!NODES_OF(r)[larger].count || !NODES_OF(r)[smaller].count) return 0;
    uint64_t key = PAIR(larger, smaller);
    cover *known = &ITEMS(r->by_cover, cover)[abnf_mixed(key, 0) & (COVERS - 1)];
    if (!is_strict && known->key == key) return (int)known->result;
    simulation s; /* its arrays need no initial values */
    s.r = r, s.is_strict = is_strict, s.left = MOST_COMPARISONS, s.count = s.trust = 0;
    int result = shows(&s, larger, smaller, 0);
    if (!is_strict) *known = (cover){key, (uint64_t)result};
    return result;
}

static int covered(abnf_recognizer *r, abnf_pair pair, const abnf_pair *by, uint32_t count, int is_strict, int through) {
    for (uint32_t each = 0; each < count; each++) {
        if (covers(r, STATE(by[each]), STATE(pair)) && covers_node(r, NODE(by[each]), NODE(pair), is_strict)) return 1;
        if (!through || !FRAMES_OF(r)[STATE(by[each])].final) continue;
        abnf_pair returns[MOST_RETURNS];
        uint32_t returning = returns_of(r, NODE(by[each]), returns);
        for (uint32_t at = 0; at < returning; at++)
            if (covers(r, STATE(returns[at]), STATE(pair)) && covers_node(r, NODE(returns[at]), NODE(pair), is_strict)) return 1;
    }
    return 0;
}

/* Drop covered pairs of a sorted array, unless there are too many. Return how many are left. */
static uint32_t reduced(abnf_recognizer *r, abnf_pair *pairs, size_t count, int is_strict, int through) {
    if (count < 2 || count > MOST_PAIRS || r->status) return (uint32_t)count;
    abnf_pair kept[MOST_PAIRS];
    uint32_t size = 0;
    for (size_t each = 0; each < count; each++) {
        abnf_pair pair = pairs[each];
        if (covered(r, pair, kept, size, is_strict, through)) continue;
        uint32_t left = 0;
        for (uint32_t other = 0; other < size; other++)
            if (!covered(r, kept[other], &pair, 1, is_strict, through)) kept[left++] = kept[other];
        size = left;
        kept[size++] = pair;
    }
    memcpy(pairs, kept, size * sizeof *pairs);
    return size;
}

static value node_value(const abnf_recognizer *r, uint32_t number) {
    const abnf_stack_node *node = &NODES_OF(r)[number];
    return (value){EDGES_OF(r) + node->first, node->count, 0, 0};
}
KIND(node, 8)

/* Return the node with some edges, which are sorted in place. */
static uint32_t node_of(abnf_recognizer *r, abnf_list *list) {
    if (r->status) return 0;
    abnf_pair *edges = list->items;
    uint32_t count = reduced(r, edges, unique_pairs(edges, list->count), 0, 1);
    if (count == 1 && NODE(edges[0]) == MARKER && only_returns(r, STATE(edges[0]))) return MARKER;
    uint32_t *slot = find(r, &r->node_index, &node_kind, &(value){edges, count, 0, 0});
    if (!slot || *slot != ABNF_NONE) return slot ? *slot : 0;
    abnf_stack_node node = {append(r, &r->edges, edges, count, sizeof *edges), count, ABNF_NONE, 0, 0, 0, 0, 0, 0};
    uint32_t number = append(r, &r->nodes, &node, 1, sizeof node);
    if (r->status) return 0;
    r->node_index.count++;
    return *slot = number;
}

/* Append an edge to a list, or the edges below it if the caller can only end. */
static void add_call(abnf_recognizer *r, abnf_list *list, uint32_t state, uint32_t node) {
    abnf_stack_node it = NODES_OF(r)[node];
    if (only_returns(r, state) && it.count) append(r, list, EDGES_OF(r) + it.first, it.count, sizeof(abnf_pair));
    else push_pair(r, list, PAIR(node, state));
}

/* The origin of a group: for each member, the number of its edges from outside, and these. */
static value group_value(const abnf_recognizer *r, uint32_t number) {
    const abnf_group *group = &ITEMS(r->groups, abnf_group)[number];
    return (value){ITEMS(r->origins, abnf_pair) + group->first, group->size, group->corners, 0};
}
KIND(group, 8)

typedef struct {
    uint32_t member;
    abnf_pair edge;
} member_edge;

static void grow(abnf_recognizer *r, abnf_list *grown, uint32_t member, abnf_pair edge) {
    const member_edge *all = grown->items;
    for (size_t each = 0; each < grown->count; each++)
        if (all[each].member == member && all[each].edge == edge) return;
    append(r, grown, &(member_edge){member, edge}, 1, sizeof(member_edge));
}

static uint32_t member_of(const abnf_recognizer *r, const abnf_corners *corners, uint32_t rule) {
    for (uint32_t each = 0; each < corners->count; each++)
        if (ITEMS(r->members, uint32_t)[corners->members + each] == rule) return each;
    return ABNF_NONE;
}

/* Add the edges of calls within a group. Without `first`, only tail calls, whose callee inherits the caller's edges. */
static void grow_calls(abnf_recognizer *r, abnf_list *grown, const abnf_corners *corners, uint32_t node, int is_first) {
    for (uint32_t caller = 0; caller < corners->count && !r->status; caller++) {
        uint32_t frame = abnf_entry(r, ITEMS(r->members, uint32_t)[corners->members + caller]), calls = abnf_calls(r, frame);
        for (uint32_t each = 0; each < calls && !r->status; each++) {
            abnf_pair call = call_at(r, frame, each);
            uint32_t callee = member_of(r, corners, NODE(call));
            if (callee == ABNF_NONE) continue;
            if (!only_returns(r, STATE(call))) {
                if (is_first) grow(r, grown, callee, PAIR(node + caller, STATE(call)));
            } else
                for (size_t at = 0, all = grown->count; at < all; at++)
                    if (ITEMS(*grown, member_edge)[at].member == caller) grow(r, grown, callee, ITEMS(*grown, member_edge)[at].edge);
        }
    }
}

/* Return the first node of a left-recursive group, whose origin is in scratch[ORIGIN]. */
static uint32_t group_of(abnf_recognizer *r, uint32_t number) {
    abnf_list *origin = &r->scratch[ORIGIN], *grown = &r->scratch[GROWN], *edges = &r->more_scratch[EDGES];
    if (r->status) return 0;
    abnf_corners corners = ITEMS(r->corners, abnf_corners)[number];
    uint32_t *slot = find(r, &r->group_index, &group_kind, &(value){origin->items, origin->count, number, 0});
    if (!slot) return 0;
    if (*slot != ABNF_NONE) return ITEMS(r->groups, abnf_group)[*slot].node;
    uint32_t first = (uint32_t)r->nodes.count, own = (uint32_t)r->groups.count;
    grown->count = 0;
    const abnf_pair *words = origin->items;
    for (uint32_t member = 0; member < corners.count; member++)
        for (uint64_t left = *words++; left; left--) append(r, grown, &(member_edge){member, *words++}, 1, sizeof(member_edge));
    grow_calls(r, grown, &corners, first, 1);
    for (size_t before = 0; before != grown->count && !r->status;) {
        before = grown->count;
        grow_calls(r, grown, &corners, first, 0);
    }
    for (uint32_t member = 0; member < corners.count; member++)
        append(r, &r->nodes, &(abnf_stack_node){.group = own, .member = member}, 1, sizeof(abnf_stack_node));
    for (int is_last = 0; is_last < 2 && !r->status; is_last++) /* edges are compared once all of them are known */
        for (uint32_t member = 0; member < corners.count && !r->status; member++) {
            edges->count = 0;
            for (size_t each = 0; each < grown->count; each++)
                if (ITEMS(*grown, member_edge)[each].member == member) push_pair(r, edges, ITEMS(*grown, member_edge)[each].edge);
            size_t count = edges->count ? unique_pairs(edges->items, edges->count) : 0;
            if (is_last) count = reduced(r, edges->items, count, 1, 0);
            uint32_t at = append(r, &r->edges, edges->items, count, sizeof(abnf_pair));
            NODES_OF(r)[first + member].first = at;
            NODES_OF(r)[first + member].count = (uint32_t)count;
        }
    uint32_t at = append(r, &r->origins, origin->items, origin->count, sizeof(abnf_pair));
    append(r, &r->groups, &(abnf_group){number, first, at, (uint32_t)origin->count}, 1, sizeof(abnf_group));
    if (r->status) return 0;
    r->group_index.count++;
    *slot = own;
    return first;
}

/* Append the nodes below a node; in a group, those below other members and below covered edges, too. */
static void append_below(abnf_recognizer *r, abnf_list *list, uint32_t number, int with_edges) {
    abnf_stack_node node = NODES_OF(r)[number];
    if (with_edges || node.group == ABNF_NONE)
        for (uint32_t each = 0; each < node.count; each++) push(r, list, NODE(EDGES_OF(r)[node.first + each]));
    if (node.group == ABNF_NONE) return;
    abnf_group group = ITEMS(r->groups, abnf_group)[node.group];
    const abnf_pair *origin = ITEMS(r->origins, abnf_pair) + group.first, *end = origin + group.size;
    while (origin < end)
        for (uint64_t left = *origin++; left; left--) push(r, list, NODE(*origin++));
}

static const abnf_corners *corners_of(abnf_recognizer *r, uint32_t rule) {
    uint32_t number = ITEMS(r->corner_of, uint32_t)[rule];
    if (number != ABNF_NONE) return &ITEMS(r->corners, abnf_corners)[number];
    want(r, 2 * rule + 1);
    return NULL;
}

/* A call of a rule: the edge of its frame. */
typedef struct {
    uint32_t rule;
    abnf_pair edge;
} rule_edge;

static void add_rule_call(abnf_recognizer *r, uint32_t rule, uint32_t state, uint32_t node) {
    abnf_list *edges = &r->more_scratch[EDGES];
    edges->count = 0;
    add_call(r, edges, state, node);
    for (size_t each = 0; each < edges->count; each++)
        append(r, &r->scratch[OPEN], &(rule_edge){rule, ITEMS(*edges, abnf_pair)[each]}, 1, sizeof(rule_edge));
}

static void append_calls(abnf_recognizer *r, abnf_list *edges, uint32_t rule) {
    const rule_edge *calls = r->scratch[OPEN].items;
    for (size_t each = 0; each < r->scratch[OPEN].count; each++)
        if (calls[each].rule == rule) push_pair(r, edges, calls[each].edge);
}

/* Open the frames of the calls in scratch[OPEN], and of rules that these call before a character. Append a pair of each. */
static void open_calls(abnf_recognizer *r, abnf_list *pairs) {
    abnf_list *calls = &r->scratch[OPEN], *groups = &r->scratch[GROUPS];
    groups->count = 0;
    for (size_t each = 0; each < calls->count && !r->status; each++) {
        const abnf_corners *corners = corners_of(r, ITEMS(*calls, rule_edge)[each].rule);
        if (corners) append(r, groups, ITEMS(r->members, uint32_t) + corners->reached, corners->reaching, sizeof(uint32_t));
    }
    if (r->status || !groups->count) return;
    for (size_t rank = unique_numbers(groups->items, groups->count); rank-- && !r->status;) {
        uint32_t number = ITEMS(*groups, uint32_t)[rank];
        abnf_corners corners = ITEMS(r->corners, abnf_corners)[number];
        abnf_list *edges = corners.is_recursive ? &r->scratch[ORIGIN] : &r->more_scratch[EDGES];
        edges->count = 0;
        for (uint32_t member = 0; member < corners.count; member++) {
            size_t first = edges->count + 1;
            if (corners.is_recursive) push_pair(r, edges, 0);
            append_calls(r, edges, ITEMS(r->members, uint32_t)[corners.members + member]);
            if (r->status || !corners.is_recursive) continue;
            size_t count = edges->count > first ? unique_pairs(ITEMS(*edges, abnf_pair) + first, edges->count - first) : edges->count - first;
            ITEMS(*edges, abnf_pair)[first - 1] = count;
            edges->count = first + count;
        }
        uint32_t node = corners.is_recursive ? group_of(r, number) : edges->count ? node_of(r, edges) : ABNF_NONE;
        if (node == ABNF_NONE) continue;
        for (uint32_t member = 0; member < corners.count && !r->status; member++) {
            uint32_t frame = abnf_entry(r, ITEMS(r->members, uint32_t)[corners.members + member]), count = abnf_calls(r, frame);
            push_pair(r, pairs, PAIR(node + member, frame));
            for (uint32_t each = 0; each < count && !r->status; each++) {
                abnf_pair call = call_at(r, frame, each);
                if (member_of(r, &corners, NODE(call)) == ABNF_NONE) add_rule_call(r, NODE(call), STATE(call), node + member);
            }
        }
    }
}

static int contains(const abnf_list *list, uint32_t number) {
    for (size_t each = 0; each < list->count; each++)
        if (ITEMS(*list, uint32_t)[each] == number) return 1;
    return 0;
}

/* Find a node and the nodes that it leads to within its left-recursive group. */
static void find_within(abnf_recognizer *r, uint32_t number) {
    abnf_list *within = &r->scratch[WITHIN];
    within->count = 0;
    push(r, within, number);
    uint32_t group = NODES_OF(r)[number].group;
    if (group == ABNF_NONE) return;
    for (size_t at = 0; at < within->count && !r->status; at++) {
        abnf_stack_node node = NODES_OF(r)[ITEMS(*within, uint32_t)[at]];
        for (uint32_t each = 0; each < node.count; each++) {
            uint32_t below = NODE(EDGES_OF(r)[node.first + each]);
            if (NODES_OF(r)[below].group == group && !contains(within, below)) push(r, within, below);
        }
    }
}

static void find_own_ends(abnf_recognizer *r, uint32_t number) {
    abnf_list *ends = &r->scratch[ENDS], *seen = &r->more_scratch[BELOW];
    ends->count = seen->count = 0;
    push(r, seen, number);
    for (size_t at = 0; at < seen->count && !r->status; at++) {
        abnf_stack_node node = NODES_OF(r)[ITEMS(*seen, uint32_t)[at]];
        for (uint32_t each = 0; each < node.count && !r->status; each++) {
            abnf_pair edge = EDGES_OF(r)[node.first + each];
            push_pair(r, ends, edge);
            if (!FRAMES_OF(r)[STATE(edge)].final || contains(seen, NODE(edge))) continue;
            abnf_stack_node below = NODES_OF(r)[NODE(edge)];
            if (contains(&r->scratch[WITHIN], NODE(edge))) push(r, seen, NODE(edge));
            else append(r, ends, EDGES_OF(r) + below.ends, below.ending, sizeof(abnf_pair));
        }
    }
    if (r->status) return;
    uint32_t count = ends->count ? reduced(r, ends->items, unique_pairs(ends->items, ends->count), 0, 0) : 0;
    uint32_t first = append(r, &r->edges, ends->items, count, sizeof(abnf_pair));
    if (r->status) return;
    abnf_stack_node *node = &NODES_OF(r)[number];
    node->ends = first, node->ending = count, node->has_ends = 1;
}

/* Find the edges to which a frame above a node can return. Those of the nodes below are found first. */
static void find_ends(abnf_recognizer *r, uint32_t number) {
    abnf_list *pending = &r->scratch[PENDING], *within = &r->scratch[WITHIN];
    pending->count = 0;
    push(r, pending, number);
    while (pending->count && !r->status) {
        uint32_t top = ITEMS(*pending, uint32_t)[pending->count - 1];
        if (NODES_OF(r)[top].has_ends) {
            pending->count--;
            continue;
        }
        find_within(r, top);
        size_t before = pending->count;
        for (size_t at = 0; at < within->count; at++) {
            abnf_stack_node node = NODES_OF(r)[ITEMS(*within, uint32_t)[at]];
            for (uint32_t each = 0; each < node.count; each++) {
                abnf_pair edge = EDGES_OF(r)[node.first + each];
                if (FRAMES_OF(r)[STATE(edge)].final && !NODES_OF(r)[NODE(edge)].has_ends && !contains(within, NODE(edge)))
                    push(r, pending, NODE(edge));
            }
        }
        if (pending->count == before)
            for (size_t at = 0; at < within->count; at++) find_own_ends(r, ITEMS(*within, uint32_t)[at]);
    }
}

/* Replace a node in a stack; replacements of one `stamp` are known. */
static void replace_in(abnf_recognizer *r, uint32_t top) {
    abnf_list *pending = &r->scratch[REPLACED], *moved = &r->scratch[MOVED], *origin = &r->scratch[ORIGIN];
    pending->count = 0;
    push(r, pending, top);
    while (pending->count && !r->status) {
        uint32_t number = ITEMS(*pending, uint32_t)[pending->count - 1], result;
        abnf_stack_node node = NODES_OF(r)[number];
        if (node.stamp == r->stamp) {
            pending->count--;
            continue;
        }
        size_t before = pending->count, kept = before;
        append_below(r, pending, number, 0);
        for (size_t each = before; each < pending->count; each++) {
            uint32_t below = ITEMS(*pending, uint32_t)[each];
            if (NODES_OF(r)[below].stamp != r->stamp) ITEMS(*pending, uint32_t)[kept++] = below;
        }
        pending->count = kept;
        if (kept > before) continue;
        if (node.group != ABNF_NONE) {
            abnf_group group = ITEMS(r->groups, abnf_group)[node.group];
            origin->count = 0;
            for (uint32_t at = group.first, end = at + group.size; at < end && !r->status;) {
                uint64_t left = ITEMS(r->origins, abnf_pair)[at++];
                moved->count = 0;
                for (; left; left--, at++) {
                    abnf_pair edge = ITEMS(r->origins, abnf_pair)[at];
                    add_call(r, moved, STATE(edge), NODES_OF(r)[NODE(edge)].moved);
                }
                size_t count = moved->count ? unique_pairs(moved->items, moved->count) : 0;
                push_pair(r, origin, count);
                append(r, origin, moved->items, count, sizeof(abnf_pair));
            }
            result = group_of(r, group.corners) + node.member;
        } else if (node.count) {
            moved->count = 0;
            for (uint32_t each = 0; each < node.count; each++) {
                abnf_pair edge = EDGES_OF(r)[node.first + each];
                add_call(r, moved, STATE(edge), NODES_OF(r)[NODE(edge)].moved);
            }
            result = node_of(r, moved);
        } else result = number;
        if (r->status) return;
        NODES_OF(r)[number].stamp = r->stamp;
        NODES_OF(r)[number].moved = result;
    }
}

/* ---- configurations: configurations.py ---- */

/* Sort pairs and join the states of equal nodes. */
static void merge_pairs(abnf_recognizer *r, abnf_list *pairs) {
    if (pairs->count < 2) return;
    size_t count = unique_pairs(pairs->items, pairs->count), kept = 0;
    for (size_t each = 1; each < count; each++) {
        abnf_pair *all = pairs->items;
        if (NODE(all[kept]) != NODE(all[each])) all[++kept] = all[each];
        else {
            uint32_t state = joined(r, STATE(all[kept]), STATE(all[each]));
            all[kept] = PAIR(NODE(all[kept]), state);
        }
    }
    pairs->count = kept + 1;
}

/* Append pairs with one node replaced by another in their stacks. */
static void append_replaced(abnf_recognizer *r, abnf_list *result, uint32_t number, uint32_t old, uint32_t new) {
    if (++r->stamp == 0) { /* the counter overflowed */
        for (size_t each = 0; each < r->nodes.count; each++) NODES_OF(r)[each].stamp = 0;
        r->stamp = 1;
    }
    NODES_OF(r)[old].stamp = r->stamp;
    NODES_OF(r)[old].moved = new;
    abnf_configuration from = CONFIGURATIONS_OF(r)[number];
    for (uint32_t each = 0; each < from.count && !r->status; each++) {
        abnf_pair pair = ITEMS(r->pairs, abnf_pair)[from.first + each];
        replace_in(r, NODE(pair));
        push_pair(r, result, PAIR(NODES_OF(r)[NODE(pair)].moved, STATE(pair)));
    }
    merge_pairs(r, result);
}

/* Return the node below which to spill, or ABNF_NONE. */
static uint32_t spill_point(abnf_recognizer *r, const abnf_configuration *of) {
    uint32_t most = r->most_dominators, limit = r->most_nodes < MOST_NODES ? r->most_nodes : MOST_NODES;
    uint32_t path[MOST_NODES + 2], count = 0, node = NODE(ITEMS(r->pairs, abnf_pair)[of->first]);
    while (NODES_OF(r)[node].count) { /* every path to the bottom contains all dominators */
        path[count++] = node;
        if (count > limit) return ABNF_NONE;
        abnf_stack_node it = NODES_OF(r)[node];
        uint32_t each = 0, at = 0;
        for (; each < it.count; each++) {
            for (at = 0; at < count && path[at] != NODE(EDGES_OF(r)[it.first + each]); at++) {}
            if (at == count) break;
        }
        if (each == it.count) return ABNF_NONE;
        node = NODE(EDGES_OF(r)[it.first + each]);
    }
    if (count <= most) return ABNF_NONE;
    path[count] = node;
    abnf_list *pending = &r->scratch[PENDING];
    pending->count = 0;
    for (uint32_t each = 0; each < of->count; each++) push(r, pending, NODE(ITEMS(r->pairs, abnf_pair)[of->first + each]));
    uint32_t seen[MOST_NODES + 1], visited = 0, groups[2 * MOST_NODES + 2], grouped = 0, dominators = 0, result = ABNF_NONE;
    int64_t furthest = -1;
    /* A node of the path is on all stacks if no branch above it rejoins the path below it. */
    for (uint32_t index = 0; index < count && !r->status; index++) {
        while (pending->count && !r->status) {
            node = ITEMS(*pending, uint32_t)[--pending->count];
            uint32_t at = 0;
            while (at <= count && path[at] != node) at++;
            if (at <= count) {
                if (at > furthest) furthest = at;
                continue;
            }
            for (at = 0; at < visited && seen[at] != node; at++) {}
            if (at < visited) continue;
            if (!NODES_OF(r)[node].count || visited == limit) return ABNF_NONE;
            seen[visited++] = node;
            groups[grouped++] = NODES_OF(r)[node].group;
            append_below(r, pending, node, 1);
        }
        node = path[index];
        uint32_t group = NODES_OF(r)[node].group, at = 0;
        while (at < grouped && (group == ABNF_NONE || groups[at] != group)) at++;
        if (furthest == (int64_t)index && at == grouped && dominators++ == most / 2) result = node;
        groups[grouped++] = group;
        append_below(r, pending, node, 1);
    }
    return dominators > most ? result : ABNF_NONE;
}

static value configuration_value(const abnf_recognizer *r, uint32_t number) {
    const abnf_configuration *it = &CONFIGURATIONS_OF(r)[number];
    return (value){ITEMS(r->pairs, abnf_pair) + it->first, it->count, 0, 0};
}
KIND(configuration, 8)

/* Return the configuration of merged pairs. If `deep` is false, a part of its stack is already spilled. */
static uint32_t configuration_of(abnf_recognizer *r, abnf_list *list, int is_deep) {
    if (r->status) return 0;
    abnf_pair *pairs = list->items;
    uint32_t count = reduced(r, pairs, list->count, 0, 0);
    uint32_t *slot = find(r, &r->configuration_index, &configuration_kind, &(value){pairs, count, 0, 0});
    if (!slot || *slot != ABNF_NONE) return slot ? *slot : 0;
    abnf_configuration it = {.first = append(r, &r->pairs, pairs, count, sizeof *pairs), .count = count};
    it.node = it.below = ABNF_NONE;
    it.cost = COST + (count > 1 && count <= MOST_PAIRS ? COMPARE_COST * count * count : 0);
    it.octets = OCTETS + PAIR_OCTETS * count;
    for (uint32_t each = 0; each < count; each++) {
        const abnf_frame *frame = &FRAMES_OF(r)[STATE(pairs[each])];
        it.cost += PAIR_COST + ITEM_COST * frame->count;
        if (NODE(pairs[each]) == ROOT) it.is_accepting = (uint8_t)frame->final;
        if (NODE(pairs[each]) == MARKER) it.is_returning = (uint8_t)frame->final;
    }
    uint32_t *row = more(r, &r->moves, r->classes, sizeof *row);
    uint32_t number = append(r, &r->configurations, &it, 1, sizeof it);
    if (r->status) return 0;
    for (uint32_t each = 0; each < r->classes; each++) row[each] = UNKNOWN;
    r->moves.count += r->classes;
    *slot = number;
    r->configuration_index.count++;
    uint32_t node = is_deep && !it.is_returning ? spill_point(r, &it) : ABNF_NONE;
    if (node == ABNF_NONE) return number;
    abnf_list *rest = &r->more_scratch[SPILLED];
    rest->count = 0;
    append_replaced(r, rest, number, node, MARKER);
    uint32_t below = configuration_of(r, rest, 0);
    CONFIGURATIONS_OF(r)[number].node = node;
    CONFIGURATIONS_OF(r)[number].below = below;
    return number;
}

/* Add the pairs to which the frames above the nodes in more_scratch[ENDED] return, and drop pairs that can only end. */
static uint32_t finished(abnf_recognizer *r, abnf_list *pairs) {
    abnf_list *ended = &r->more_scratch[ENDED];
    for (size_t each = 0; each < ended->count && !r->status; each++) {
        uint32_t node = ITEMS(*ended, uint32_t)[each];
        find_ends(r, node);
        abnf_stack_node it = NODES_OF(r)[node];
        if (!r->status) append(r, pairs, EDGES_OF(r) + it.ends, it.ending, sizeof(abnf_pair));
    }
    merge_pairs(r, pairs);
    if (r->status) return ABNF_NONE;
    if (ended->count) {
        size_t kept = 0;
        abnf_pair *all = pairs->items;
        for (size_t each = 0; each < pairs->count; each++)
            if (FRAMES_OF(r)[STATE(all[each])].count || !NODES_OF(r)[NODE(all[each])].count) all[kept++] = all[each];
        pairs->count = kept;
    }
    return pairs->count ? configuration_of(r, pairs, 1) : ABNF_NONE;
}

/* Add a pair after a step. */
static void add_stepped(abnf_recognizer *r, uint32_t node, uint32_t state) {
    if (state == ABNF_NONE || r->status) return;
    push_pair(r, &r->scratch[PAIRS], PAIR(node, state));
    if (FRAMES_OF(r)[state].final) push(r, &r->more_scratch[ENDED], node);
}

/* Find the pairs of a configuration with all frames that are opened before the next character. */
static void find_opened(abnf_recognizer *r, uint32_t number) {
    abnf_configuration from = CONFIGURATIONS_OF(r)[number];
    if (from.is_opened || r->status) return;
    abnf_list *pairs = &r->scratch[PAIRS];
    pairs->count = r->scratch[OPEN].count = 0;
    append(r, pairs, ITEMS(r->pairs, abnf_pair) + from.first, from.count, sizeof(abnf_pair));
    for (uint32_t each = 0; each < from.count && !r->status; each++) {
        abnf_pair pair = ITEMS(r->pairs, abnf_pair)[from.first + each];
        uint32_t calls = abnf_calls(r, STATE(pair));
        for (uint32_t call = 0; call < calls && !r->status; call++)
            add_rule_call(r, NODE(call_at(r, STATE(pair), call)), STATE(call_at(r, STATE(pair), call)), NODE(pair));
    }
    open_calls(r, pairs);
    merge_pairs(r, pairs);
    if (r->status) return;
    uint32_t first = append(r, &r->pairs, pairs->items, pairs->count, sizeof(abnf_pair));
    if (r->status) return;
    abnf_configuration *it = &CONFIGURATIONS_OF(r)[number];
    it->opened = first, it->opening = (uint32_t)pairs->count, it->is_opened = 1;
}

static uint32_t move_through_corners(abnf_recognizer *r, uint32_t number, uint32_t class) {
    find_opened(r, number);
    abnf_configuration from = CONFIGURATIONS_OF(r)[number];
    r->scratch[PAIRS].count = r->more_scratch[ENDED].count = 0;
    for (uint32_t each = 0; each < from.opening && !r->status; each++) {
        abnf_pair pair = ITEMS(r->pairs, abnf_pair)[from.opened + each];
        add_stepped(r, NODE(pair), step(r, STATE(pair), class));
    }
    return r->status ? ABNF_NONE : finished(r, &r->scratch[PAIRS]);
}

uint32_t abnf_move(abnf_recognizer *r, uint32_t number, uint32_t class) {
    abnf_configuration from = CONFIGURATIONS_OF(r)[number];
    abnf_list *calls = &r->scratch[OPEN], *edges = &r->more_scratch[EDGES];
    if (from.is_opened) return move_through_corners(r, number, class);
    calls->count = r->scratch[PAIRS].count = r->more_scratch[ENDED].count = 0;
    for (uint32_t each = 0; each < from.count && !r->status; each++) {
        abnf_pair pair = ITEMS(r->pairs, abnf_pair)[from.first + each];
        add_stepped(r, NODE(pair), step(r, STATE(pair), class));
        uint32_t called = abnf_calls(r, STATE(pair));
        for (uint32_t index = 0; index < called && !r->status; index++) {
            abnf_pair call = call_at(r, STATE(pair), index);
            uint32_t entry = abnf_entry(r, NODE(call));
            if (abnf_calls(r, entry) || r->status) return move_through_corners(r, number, class);
            if (step(r, entry, class) != ABNF_NONE) add_rule_call(r, NODE(call), STATE(call), NODE(pair));
        }
    }
    for (size_t each = 0; each < calls->count && !r->status; each++) {
        uint32_t rule = ITEMS(*calls, rule_edge)[each].rule;
        size_t before = 0;
        while (ITEMS(*calls, rule_edge)[before].rule != rule) before++;
        if (before < each) continue; /* opened already */
        edges->count = 0;
        append_calls(r, edges, rule);
        uint32_t node = node_of(r, edges);
        add_stepped(r, node, step(r, abnf_entry(r, rule), class));
    }
    return r->status ? ABNF_NONE : finished(r, &r->scratch[PAIRS]);
}

uint32_t abnf_start(abnf_recognizer *r, uint32_t rule) {
    abnf_list *pairs = &r->scratch[PAIRS];
    pairs->count = 0;
    uint32_t entry = abnf_entry(r, rule);
    push_pair(r, pairs, PAIR(ROOT, entry));
    return configuration_of(r, pairs, 1);
}

uint32_t abnf_restore(abnf_recognizer *r, uint32_t configuration, uint32_t node) {
    abnf_list *pairs = &r->scratch[PAIRS], *ended = &r->more_scratch[ENDED];
    pairs->count = ended->count = 0;
    append_replaced(r, pairs, configuration, MARKER, node);
    push(r, ended, node);
    return finished(r, pairs);
}

int abnf_is_large(abnf_recognizer *r, uint32_t configuration) {
    abnf_list *pending = &r->scratch[PENDING], *seen = &r->scratch[WITHIN];
    abnf_configuration from = CONFIGURATIONS_OF(r)[configuration];
    pending->count = seen->count = 0;
    for (uint32_t each = 0; each < from.count; each++) push(r, pending, NODE(ITEMS(r->pairs, abnf_pair)[from.first + each]));
    while (pending->count && !r->status) {
        uint32_t number = ITEMS(*pending, uint32_t)[--pending->count];
        if (contains(seen, number)) continue;
        push(r, seen, number);
        if (seen->count > r->most_nodes) return 1;
        abnf_stack_node node = NODES_OF(r)[number];
        for (uint32_t each = 0; each < node.count; each++) push(r, pending, NODE(EDGES_OF(r)[node.first + each]));
    }
    return 0;
}

/* ---- beginning and end ---- */

static abnf_list *list_at(abnf_recognizer *r, size_t number) {
    abnf_list *lists[] = {&r->items, &r->counts, &r->shapes, &r->closures, &r->frames, &r->frame_items, &r->rows, &r->calls,
                          &r->nodes, &r->edges, &r->groups, &r->origins, &r->configurations, &r->pairs, &r->moves,
                          /* these survive: */
                          &r->entries, &r->by_cover, &r->parts, &r->children, &r->charsets, &r->corners,
                          &r->corner_of, &r->members};
    return number < sizeof lists / sizeof *lists ? lists[number] : NULL;
}
enum { FORGOTTEN = 15 };

void abnf_recognizer_forget(abnf_recognizer *r) {
    abnf_index *indexes[] = {&r->item_index, &r->shape_index, &r->frame_index, &r->node_index, &r->group_index, &r->configuration_index};
    for (size_t each = 0; each < FORGOTTEN; each++) {
        free(list_at(r, each)->items);
        *list_at(r, each) = (abnf_list){NULL, 0, 0};
    }
    for (size_t each = 0; each < sizeof indexes / sizeof *indexes; each++) {
        free(indexes[each]->slots);
        *indexes[each] = (abnf_index){NULL, 0, 0};
    }
    if (r->entries.items) memset(r->entries.items, 0xFF, r->rules * sizeof(uint32_t));
    if (r->by_cover.items) memset(r->by_cover.items, 0, COVERS * sizeof(cover));
    append(r, &r->items, &(abnf_item){0}, 1, sizeof(abnf_item)); /* the end of a frame */
    append(r, &r->shapes, &(shape){ABNF_NONE, 0, 0}, 1, sizeof(shape));
    for (int bottom = 0; bottom < 2; bottom++)
        append(r, &r->nodes, &(abnf_stack_node){.group = ABNF_NONE, .has_ends = 1}, 1, sizeof(abnf_stack_node));
}

int abnf_recognizer_begin(abnf_recognizer *r) {
    uint32_t *entries = more(r, &r->entries, r->rules, sizeof *entries);
    uint32_t *corner_of = more(r, &r->corner_of, r->rules, sizeof *corner_of);
    if (!entries || !corner_of || !more(r, &r->by_cover, COVERS, sizeof(cover))) return 0;
    memset(corner_of, 0xFF, r->rules * sizeof *corner_of);
    for (uint32_t rule = 0; rule < r->rules; rule++)
        new_part(r, (abnf_part){ABNF_NODE_REF, r->flags[rule], ABNF_NONE, rule, 0});
    abnf_recognizer_forget(r);
    return r->status == ABNF_READ;
}

void abnf_recognizer_free(abnf_recognizer *r) {
    abnf_index *indexes[] = {&r->item_index, &r->shape_index, &r->frame_index, &r->node_index, &r->group_index, &r->configuration_index};
    for (size_t each = 0; list_at(r, each); each++) free(list_at(r, each)->items);
    for (size_t each = 0; each < sizeof indexes / sizeof *indexes; each++) free(indexes[each]->slots);
    for (size_t each = 0; each < sizeof r->scratch / sizeof *r->scratch; each++) free(r->scratch[each].items);
    for (size_t each = 0; each < sizeof r->more_scratch / sizeof *r->more_scratch; each++) free(r->more_scratch[each].items);
}
