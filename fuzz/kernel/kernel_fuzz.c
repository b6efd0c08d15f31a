/* Searches for differences between the walks over tables, and for reads outside of a table or a string.
 *
 *     python fuzz/build_kernel.py DIRECTORY              compiles this file, and writes the tables
 *     DIRECTORY/kernel_fuzz EXECUTIONS SEED              random executions
 *     DIRECTORY/kernel_fuzz LIBFUZZER-OPTION...          with --coverage: libFuzzer chooses the numbers
 *
 * An execution reads one string with every walk that this machine supports. Strings are between two pages that cannot
 * be accessed, at the end of the first one or at the start of the second one, at every offset modulo 64. Tables end
 * at such a page, too. Many tables are damaged: the extension rejects them, or all walks agree and stay inside.
 * The results must equal those of the simplest walk, below, which knows the format and nothing of walk.c. Each string
 * comes with references that are normalized and resolved (references_fuzz.c), and some with a program of mistakes
 * (follow_fuzz.c).
 * Exit status: 0 no difference; otherwise the program prints the difference with the number of the execution.
 */
#define _GNU_SOURCE
#include "walk.h"
#include "follow_fuzz.h"
#include "references_fuzz.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096, MOST_TEXT = 512, ROWS = 80, MOST_TABLES = 500, TEXTS_PER_PROGRAM = 200 };

static uint64_t chance, executions, refused, damaged, derived_texts;

static const uint8_t *input; /* bytes that libFuzzer chose; then numbers are random */
static size_t input_left;

/* A number below another: from the input, or else by xorshift64*. */
static uint32_t below(uint32_t limit) {
    uint32_t number = 0, size = limit > 1u << 16 ? 4 : limit > 1u << 8 ? 2 : 1;
    if (input_left >= size) {
        for (input_left -= size; size; size--) number = number << 8 | *input++;
        return number % limit;
    }
    chance ^= chance >> 12, chance ^= chance << 25, chance ^= chance >> 27;
    return (uint32_t)((chance * 0x2545F4914F6CDD1Du >> 32) * limit >> 32);
}

static void fail(const char *what) {
    printf("execution %llu: %s\n", (unsigned long long)executions, what);
    exit(1);
}

#ifndef COVERAGE
static void fault(int number) {
    char text[] = "a fault in execution 00000000000000000000\n";
    uint64_t left = executions;
    for (size_t at = sizeof text - 3; left; left /= 10) text[at--] = (char)('0' + left % 10);
    if (write(1, text, sizeof text - 1) < 0) _exit(3);
    _exit(number == SIGSEGV || number == SIGBUS ? 2 : 3);
}
#endif

/* Memory of whole pages with one in front and one behind that may not be touched. */
static uint8_t *guarded(size_t size) {
    uint8_t *pages = mmap(NULL, size + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + PAGE, size, PROT_READ | PROT_WRITE)) fail("there is no memory");
    return pages + PAGE;
}

/* ---- the plainest walk ---- */

typedef struct {
    uint32_t state;
    size_t stop;
    int32_t registers[ABNF_MAX_REGISTERS];
} Reading;

static uint32_t entry_of(const abnf_table *t, uint32_t state, uint8_t octet) {
    const uint8_t *row = t->rows + ((size_t)state << t->shift) + 16;
    if (t->entry == 2) return ((const uint16_t *)row)[t->class_of[octet]];
    return ((const uint32_t *)row)[t->class_of[octet]];
}

static Reading plain(const abnf_table *t, const uint8_t *text, size_t length) {
    Reading r = {t->start, 0, {0}};
    memcpy(r.registers, t->initial, sizeof r.registers);
    for (; t->start && r.stop < length; r.stop++) {
        uint32_t entry = entry_of(t, r.state, text[r.stop]);
        r.state = entry & 0xFFFFFF;
        if (!r.state) break;
        const uint8_t *setting = t->settings + 16 * (entry >> 24);
        for (int at = 1; at <= setting[0]; at++)
            r.registers[setting[at]] = (int8_t)setting[8 + at] == -128 ? -1 : (int32_t)r.stop + (int8_t)setting[8 + at];
    }
    return r;
}

static void places_of(const abnf_table *t, Reading *r, size_t length, int32_t *places) {
    const uint8_t *final = t->final + (size_t)r->state * (t->tags + t->kinds);
    if (!t->tags) return;
    r->registers[t->registers - 2] = (int32_t)length;
    r->registers[t->registers - 1] = -1;
    for (uint32_t tag = 0; tag < t->tags; tag += 2) {
        int32_t begin = r->registers[final[tag]], end = r->registers[final[tag + 1]];
        int there = begin >= 0 && end >= begin;
        places[tag] = there ? begin : -1;
        places[tag + 1] = there ? end : -1;
    }
}

/* The code points of a text; -1 if it is no UTF-8. */
static int decode(const uint8_t *text, size_t length, uint32_t *points) {
    int count = 0;
    for (size_t at = 0; at < length; count++) {
        uint32_t first = text[at++], more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
        if (first >= 0x80 && (first < 0xC2 || first > 0xF4)) return -1;
        uint32_t point = more ? first & (0x3F >> more) : first;
        for (uint32_t left = more; left; left--, at++) {
            if (at == length || (text[at] & 0xC0) != 0x80) return -1;
            point = point << 6 | (text[at] & 0x3F);
        }
        if ((more == 2 && (point < 0x800 || (point >= 0xD800 && point < 0xE000))) ||
            (more == 3 && (point < 0x10000 || point > 0x10FFFF)))
            return -1;
        points[count] = point;
    }
    return count;
}

/* A walk that skips characters of a state's set stays in the state: each of them leads to it again. */
static void check_sets(const abnf_table *t) {
    for (uint32_t state = 1; state <= t->accelerated; state++)
        for (uint32_t octet = 0; octet < 256; octet++)
            if (t->sets_with[octet] >> (t->set_of[state] - 1) & 1 && entry_of(t, state, (uint8_t)octet) != state)
                fail("a state does not loop on its set");
}

/* ---- texts ---- */

/* A text that the table likes for a while: mostly octets that lead on, and runs of one. */
static size_t draw_text(const abnf_table *t, uint8_t *text) {
    size_t length = below(8) ? below(71) : below(MOST_TEXT + 1), at = 0;
    uint32_t state = t->start;
    uint32_t wrong = below(3) ? 0 : 1 + below(60), run = 1 + below(64);
    while (at < length) {
        uint8_t octet = (uint8_t)below(256);
        if (!wrong || below(wrong)) {
            uint32_t tries = 0;
            while (state && !(entry_of(t, state, octet) & 0xFFFFFF) && tries++ < 200)
                octet = (uint8_t)(below(6) ? below(128) : below(256));
        }
        size_t times = below(4) ? 1 : 1 + below(run);
        do {
            uint32_t next = entry_of(t, state, octet) & 0xFFFFFF;
            text[at++] = octet;
            if (!next) break;
            state = next;
        } while (at < length && --times);
    }
    return length;
}

/* ---- one text ---- */

static const abnf_how HOWS[] = {ABNF_PORTABLE, ABNF_PAIRS, ABNF_SSSE3, ABNF_AVX2};

static void check_points(const abnf_table *t, const uint8_t *begin, size_t length, const Reading *want, int real) {
    static uint32_t points[MOST_TEXT];
    static uint16_t narrow[MOST_TEXT];
    static uint8_t narrowest[MOST_TEXT];
    int count = decode(begin, length, points);
    if (count < 0) return;
    uint32_t most = 0;
    for (int at = 0; at < count; at++) {
        if (points[at] > most) most = points[at];
        narrow[at] = (uint16_t)points[at], narrowest[at] = (uint8_t)points[at];
    }
    for (int width = most < 0x100 ? 1 : most < 0x10000 ? 2 : 4; width <= 4; width *= 2) {
        int32_t registers[ABNF_MAX_REGISTERS];
        size_t stop;
        memcpy(registers, t->initial, sizeof registers);
        const void *given = width == 1 ? (const void *)narrowest : width == 2 ? (const void *)narrow : (const void *)points;
        uint32_t state = abnf_read_points(t, given, width, (size_t)count, &stop, registers);
        if (stop > (size_t)count || state >= t->states) fail("code points are read to no place");
        if (!real) continue;
        const uint8_t *end = begin + length, *stopped = begin + want->stop;
        if (t->accepting[state] != t->accepting[want->state]) fail("code points have another verdict than octets");
        if ((int64_t)stop != abnf_characters(begin, stopped, end)) fail("code points stop elsewhere than octets");
        size_t before = 0;
        for (size_t at = 0; at < stop; at++) before += points[at] < 0x80 ? 1 : points[at] < 0x800 ? 2 : points[at] < 0x10000 ? 3 : 4;
        if ((int64_t)before != abnf_octets(begin, stopped)) fail("octets are counted to another place");
        if (t->accepting[state] && t->tags) {
            int32_t here[ABNF_MAX_REGISTERS], there[ABNF_MAX_REGISTERS];
            Reading again = *want;
            places_of(t, &again, length, there);
            abnf_places(t, state, count, registers, here);
            for (uint32_t tag = 0; tag < t->tags; tag++)
                if (there[tag] >= 0 ? here[tag] != abnf_characters(begin, begin + there[tag], begin + there[tag]) : here[tag] != -1)
                    fail("code points have other places than octets");
        }
    }
}

static void check_text(abnf_table *t, const uint8_t *octets, size_t length, uint8_t *area, int real) {
    uint32_t slack = below(2) ? below(64) : 0, wide = below(2) ? below(64) : 0;
    /* at the begin of the area or at its end; what may be read begins and ends there, and is wider on the other side */
    int early = below(2) == 0;
    uint8_t *begin = early ? area + slack : area + PAGE - slack - length, *end = begin + length;
    for (uint32_t at = 1; at <= 64; at++) { /* what lies around makes no difference */
        if (begin - area >= at) begin[-(int)at] = (uint8_t)below(256);
        if (area + PAGE - end >= at) end[at - 1] = (uint8_t)below(256);
    }
    memcpy(begin, octets, length);
    abnf_text text = {begin, end, early ? area : begin - wide, early ? end + wide : area + PAGE};
    Reading want = plain(t, octets, length);
    abnf_how chosen = t->how;
    for (size_t how = 0; how < sizeof HOWS / sizeof *HOWS; how++) {
        if (!abnf_choose(t, HOWS[how])) continue;
        int32_t registers[ABNF_MAX_REGISTERS];
        const uint8_t *stop;
        memcpy(registers, t->initial, sizeof registers);
        uint32_t state = t->walk(t, &text, begin, t->start, &stop, registers);
        if (state != want.state) fail("walks lead to different states");
        if (stop != begin + want.stop) fail("walks stop at different places");
        if (memcmp(registers, want.registers, sizeof *registers * t->registers)) fail("walks set different registers");
    }
    abnf_choose(t, chosen);
    check_points(t, begin, length, &want, real);
    derived_texts += t->accepting[want.state];
    executions++;
}

/* ---- columns ---- */

static void check_column(const abnf_table *t, uint8_t *area, size_t size) {
    static uint8_t texts[ROWS][MOST_TEXT], valid[ROWS / 8 + 1], bits[ROWS / 8 + 1], part_valid[32][ROWS / 8 + 1], part_views[32][16 * ROWS];
    static size_t lengths[ROWS];
    static int32_t ends[ROWS + 1], views[ROWS][4], places[ABNF_MAX_REGISTERS * ROWS];
    static int64_t long_ends[ROWS + 1], offsets[ROWS];
    size_t total = 0;
    for (int row = 0; row < ROWS; row++) {
        if (row && below(3)) {
            lengths[row] = lengths[row - 1];
            memcpy(texts[row], texts[row - 1], lengths[row]);
            /* the first eight octets are remembered as one number: half of the changes are in its higher half */
            uint32_t where = lengths[row] > 7 && below(2) ? 4 + below(4) : lengths[row] ? below((uint32_t)lengths[row]) : 0;
            if (lengths[row] && below(2)) texts[row][where] = (uint8_t)(below(2) ? below(128) : below(256));
        } else
            lengths[row] = draw_text(t, texts[row]);
        total += lengths[row];
        if (below(9)) valid[row >> 3] |= (uint8_t)(1 << (row & 7));
        else valid[row >> 3] &= (uint8_t)~(1 << (row & 7));
    }
    if (total > size) fail("texts are longer than thought");
    uint8_t *data = area + size - total, *at = data; /* right in front of what may not be touched */
    for (int row = 0; row < ROWS; row++) {
        memcpy(at, texts[row], lengths[row]);
        ends[row] = (int32_t)(at - data), long_ends[row] = at - data;
        views[row][0] = (int32_t)lengths[row];
        if (lengths[row] <= 12) {
            memset(&views[row][1], 0, 12);
            memcpy(&views[row][1], at, lengths[row]);
        } else {
            memcpy(&views[row][1], at, 4);
            views[row][2] = 0, views[row][3] = ends[row];
        }
        at += lengths[row];
    }
    ends[ROWS] = (int32_t)total, long_ends[ROWS] = (int64_t)total;
    const uint8_t *buffers[1] = {data};
    const int64_t sizes[1] = {(int64_t)total};
    const abnf_layout layouts[] = {ABNF_OFFSETS_32, ABNF_OFFSETS_64, ABNF_VIEWS};
    for (int layout = 0; layout < 3; layout++) {
        abnf_column c = {.layout = layouts[layout], .length = ROWS, .valid = valid, .octets = 1};
        if (layouts[layout] == ABNF_VIEWS) c.views = (const uint8_t *)views, c.buffers = buffers, c.sizes = sizes, c.buffer_count = 1;
        else c.offsets = layout ? (const uint8_t *)long_ends : (const uint8_t *)ends, c.data = data, c.data_size = (int64_t)total;
        uint8_t *part_bits[32], *part_view[32];
        for (int part = 0; part < 32; part++) part_bits[part] = part_valid[part], part_view[part] = part_views[part];
        if (abnf_column_read(t, &c, 0, ROWS, bits, offsets) != -1) fail("a column has a row that is impossible");
        if (t->tags && (abnf_column_places(t, &c, 0, ROWS, bits, part_bits, places, ROWS) != -1 ||
                        abnf_column_views(t, &c, 0, ROWS, bits, part_bits, part_view) != -1))
            fail("a column with tags has a row that is impossible");
        for (int row = 0; row < ROWS; row++) {
            int missing = !(valid[row >> 3] >> (row & 7) & 1);
            Reading want = plain(t, texts[row], lengths[row]);
            int derived = !missing && t->accepting[want.state];
            if ((bits[row >> 3] >> (row & 7) & 1) != derived) fail("a row has another verdict than its text");
            if (offsets[row] != (missing || derived ? -1 : abnf_octets(texts[row], texts[row] + want.stop)))
                fail("a row stops elsewhere than its text");
            int32_t wanted[ABNF_MAX_REGISTERS];
            if (derived) places_of(t, &want, lengths[row], wanted);
            for (uint32_t tag = 0; tag < t->tags; tag++)
                if (places[tag * ROWS + row] != (derived ? wanted[tag] : -1)) fail("a row has other places than its text");
            for (uint32_t part = 0; part < t->tags / 2; part++) {
                int there = derived && wanted[2 * part + 1] >= 0;
                int32_t view[4];
                memcpy(view, part_views[part] + 16 * row, 16);
                if ((part_valid[part][row >> 3] >> (row & 7) & 1) != there) fail("a part is there, or is not");
                if (!there) continue;
                const uint8_t *from = view[0] <= 12 ? (const uint8_t *)&view[1] : data + view[3];
                if (view[0] != wanted[2 * part + 1] - wanted[2 * part] || memcmp(from, texts[row] + wanted[2 * part], (size_t)view[0]))
                    fail("a part is another text");
            }
            executions++;
        }
    }
}

/* ---- tables ---- */

static size_t damage(uint8_t *table, size_t size) {
    static const uint32_t NUMBERS[] = {0, 1, 2, 63, 64, 65, 128, 256, 1u << 12, 1u << 24, 1u << 31, UINT32_MAX};
    for (uint32_t times = 1 + below(3); times; times--) {
        uint32_t how = below(20);
        if (how < 5) memcpy(table + 4 * (3 + below(24)), &NUMBERS[below(12)], 4);
        else if (how < 6) {
            uint32_t less = (uint32_t)(size - 64 * below((uint32_t)(size / 64)));
            memcpy(table + 8, &less, 4);
            size = less;
        } else if (how < 9) { /* numbers that another place of the kind has */
            uint32_t at = 4 * below((uint32_t)(size / 4)), other = at + 64 * (below(9) - 4) + 2 * (below(5) - 2);
            if (other <= size - 4) memmove(table + at, table + other, 2 + 2 * below(2));
        } else if (how < 12) { /* small sections, which decide much, lie at the end */
            table[size - 1 - below((uint32_t)(size < 2048 ? size : 2048))] ^= (uint8_t)(1u << below(8));
        } else
            table[below((uint32_t)size)] = below(2) ? (uint8_t)below(256) : (uint8_t)(0xFFu * below(2));
    }
    return size;
}

/* An octet of the set of a state leads where it leads from another state. */
static void damage_loop(const abnf_table *t) {
    uint32_t state = 1 + below(t->accelerated), octet;
    do octet = below(256);
    while (!(t->sets_with[octet] >> (t->set_of[state] - 1) & 1));
    uint8_t *to = (uint8_t *)t->rows + ((size_t)state << t->shift) + 16 + t->entry * t->class_of[octet];
    memcpy(to, t->rows + ((size_t)below(t->states) << t->shift) + 16 + t->entry * t->class_of[octet], t->entry);
}

/* ---- executions ---- */

static uint8_t *tables[MOST_TABLES], *table_area, *area, *column_area;
static size_t table_count, room, column_room = (ROWS * MOST_TEXT + PAGE - 1) / PAGE * PAGE;

static uint32_t size_of(const uint8_t *table) {
    uint32_t size;
    memcpy(&size, table + 8, 4);
    return size;
}

/* Read the file of tables next to the program: one after the other, since a table contains its size. */
static void start(const char *program) {
    static char path[PAGE];
    snprintf(path, sizeof path, "%s.tables", program);
    FILE *file = fopen(path, "rb");
    if (!file) fail("the file of tables is missing");
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    uint8_t *at = malloc(size), *end = at + size;
    if (!at || fread(at, 1, size, file) != size) fail("the tables cannot be read");
    fclose(file);
    for (; at < end && table_count < MOST_TABLES; at += size_of(at)) {
        tables[table_count++] = at;
        if (size_of(at) > room) room = size_of(at);
    }
    room = (room + PAGE - 1) / PAGE * PAGE;
    table_area = guarded(room), area = guarded(PAGE), column_area = guarded(column_room);
}

/* Read strings with one table: some, or those that the input suffices for. */
static void execute(int is_bounded) {
    static uint8_t text[MOST_TEXT];
    const uint8_t *table = tables[below((uint32_t)table_count)];
    int real = below(16) == 0;
    size_t size = size_of(table);
    uint8_t *begin = table_area + room - size;
    memcpy(begin, table, size);
    abnf_table t;
    if (!real && below(4) == 0 && !abnf_load(&t, begin, size)) {
        if (t.accelerated) damage_loop(&t);
        abnf_unload(&t);
        damaged++;
    } else if (!real) {
        size_t less = damage(begin, size);
        memmove(table_area + room - less, begin, less);
        begin = table_area + room - less, size = less, damaged++;
    }
    const char *wrong = abnf_load(&t, begin, size);
    if (wrong && real) fail(wrong);
    if (wrong) {
        refused++, executions++;
        return;
    }
    check_sets(&t);
    uint32_t times = real ? 200 : 10;
    for (uint32_t turn = 0; turn < times && (!turn || !is_bounded || input_left); turn++) {
        check_text(&t, text, draw_text(&t, text), area, real);
        const char *problem = fuzz_references(below, area, PAGE);
        if (!problem && below(TEXTS_PER_PROGRAM) == 0) problem = fuzz_follow(below);
        if (problem) fail(problem);
    }
    if ((real || below(4) == 0) && (!is_bounded || input_left)) check_column(&t, column_area, column_room);
    abnf_unload(&t);
}

#ifdef COVERAGE

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    if (*count) start(**arguments);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    input = data, input_left = size, chance = 1;
    execute(1);
    return 0;
}

#else

int main(int count, char **arguments) {
    if (count != 3) return fprintf(stderr, "usage: kernel_fuzz EXECUTIONS SEED\n"), 64;
    uint64_t most = strtoull(arguments[1], NULL, 10), next = most / 10;
    chance = strtoull(arguments[2], NULL, 10) * 0x9E3779B97F4A7C15u | 1;
    struct sigaction action = {.sa_handler = fault};
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    start(arguments[0]);
    while (executions < most) {
        execute(0);
        if (executions >= next) {
            printf("%llu executions, %llu of them of matching strings; %llu of %llu damaged tables were rejected\n",
                   (unsigned long long)executions, (unsigned long long)derived_texts, (unsigned long long)refused,
                   (unsigned long long)damaged);
            fflush(stdout);
            next += most / 10;
        }
    }
    free(tables[0]);
    printf("no difference in %llu executions\n", (unsigned long long)executions);
    return 0;
}

#endif
