"""The target C: compilers accept the header as C and as C++, and its functions answer as the rule."""

from __future__ import annotations

WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror")

DRIVER = """
#include <stdio.h>
#include <string.h>

static unsigned char text[1 << 16];
static char line[2 * sizeof text + 8];

int main(void) {
    while (fgets(line, (int)sizeof line, stdin)) {
        size_t length = 0;
        unsigned rule = 0, octet = 0;
        int skip = 0;
        if (sscanf(line, "%u %n", &rule, &skip) != 1) return 1;
        for (const char *hex = line + skip; sscanf(hex, "%2x", &octet) == 1; hex += 2)
            text[length++] = (unsigned char)octet;
        switch (rule) {
RULES
        default: return 2;
        }
    }
    return 0;
}
"""

ANSWER = """
        case NUMBER: {
            PREFIX_result result = PREFIX_check((const char *)text, length);
            if (PREFIX_matches((const char *)text, length) != result.valid) return 3;
            printf("%d %zu|%s|", result.valid, result.offset, result.expected);
PLACES
            puts("");
            break;
        }
"""

PLACES = """
            PREFIX_span parts[NAME_PARTS];
            if (PREFIX_parts((const char *)text, length, parts) != result.valid) return 4;
            for (int part = 0; result.valid && part < NAME_PARTS; part++) {
                if (part) printf(" ");
                if (parts[part].start < 0) printf("-");
                else printf("%td-%td", parts[part].start, parts[part].end);
            }
"""
