/* Compare the generated functions with uriparser: bench FILE, which has one URI a line. */

#define _POSIX_C_SOURCE 199309L

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <uriparser/Uri.h>

#include "uri.h"

enum { MOST = 100000, ROUNDS = 15 };

static char text[16 << 20];
static const char *lines[MOST];
static size_t lengths[MOST];
static size_t count;
static size_t bytes; /* the bytes of all results, so that no compiler omits their computation */

static bool matches(const char *line, size_t length) { return uri_matches(line, length); }

static bool check(const char *line, size_t length) {
    uri_result result = uri_check(line, length);
    bytes += result.offset;
    return result.valid;
}

static bool parts(const char *line, size_t length) {
    uri_span spans[URI_PARTS];
    if (!uri_parts(line, length, spans)) return false;
    bytes += (size_t)(spans[URI_PART_HOST].end - spans[URI_PART_HOST].start);
    return true;
}

static bool uriparser(const char *line, size_t length) {
    UriUriA uri;
    const char *error;
    if (uriParseSingleUriExA(&uri, line, line + length, &error) != URI_SUCCESS) return false;
    bool absolute = uri.scheme.first != NULL;
    bytes += (size_t)(uri.hostText.afterLast - uri.hostText.first);
    uriFreeUriMembersA(&uri);
    return absolute;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        bool (*function)(const char *, size_t);
    } candidates[] = {{"uri_matches", matches}, {"uri_check", check}, {"uri_parts", parts}, {"uriparser", uriparser}};
    enum { CANDIDATES = sizeof candidates / sizeof candidates[0] };
    double best[CANDIDATES] = {0};
    size_t valid[CANDIDATES] = {0};
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : NULL;
    if (!file) return fputs("usage: bench FILE\n", stderr), 2;
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    for (char *line = text; line < text + size && count < MOST; count++) {
        lines[count] = line;
        lengths[count] = strcspn(line, "\r\n");
        line += lengths[count];
        line += strspn(line, "\r\n");
    }
    for (int round = 0; round < ROUNDS; round++)
        for (size_t each = 0; each < CANDIDATES; each++) {
            double start = seconds();
            valid[each] = 0;
            for (size_t i = 0; i < count; i++) valid[each] += candidates[each].function(lines[i], lengths[i]);
            double time = (seconds() - start) / (double)(count ? count : 1);
            if (round == 0 || time < best[each]) best[each] = time;
        }
    for (size_t each = 0; each < CANDIDATES; each++)
        printf("%-12s %6.1f ns a URI, %zu of %zu valid\n", candidates[each].name, best[each] * 1e9, valid[each], count);
    return bytes == 0;
}
