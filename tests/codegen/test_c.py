"""The target C: compilers accept a header as C and as C++, and its functions answer as the rule."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

import abnforge
from tests.codegen.toolchain import follow, program, toolchain
from tests.codegen.utf8 import all_rules, compare, compare_depths, every_rule
from tests.places import ROOT

WARNINGS = ("-Wall", "-Wextra", "-Wconversion", "-Wpedantic", "-Werror")
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")

DRIVER = """
#include <stdio.h>
#include <stdlib.h>

DECLARATIONS
static void (*const answers[])(const char *, size_t, size_t) = {NAMES};
static char text[1 << 18];
static char line[(1 << 19) + 64];

int main(void) {
    while (fgets(line, (int)sizeof line, stdin)) {
        size_t length = 0;
        char *hex;
        size_t rule = strtoul(line, &hex, 10);
        for (hex++; *hex != ' '; hex += 2) {
            char pair[] = {hex[0], hex[1], 0};
            text[length++] = (char)strtoul(pair, NULL, 16);
        }
        answers[rule](text, length, strtoul(hex, NULL, 10));
    }
    return 0;
}
"""

ANSWER = """
#include "ruleNUMBER.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void answerNUMBER(const char *given, size_t length, size_t size);

void answerNUMBER(const char *given, size_t length, size_t size) {
    char *text = (char *)malloc(length + !length); /* a sanitizer detects reads beyond its end */
    if (!text) abort();
    memcpy(text, given, length);
CHECK
    puts("");
    free(text);
}
"""

CHECK = """
    (void)size;
    PREFIX_result result = PREFIX_check(text, length);
    if (PREFIX_matches(text, length) != result.valid) abort();
    printf("%d %zu|%s|", result.valid, result.offset, result.expected);
"""

STACK_CHECK = """
    uint8_t *stack = (uint8_t *)malloc(size + !size);
    PREFIX_result result = PREFIX_check(text, length, stack, size);
    free(stack);
    if (result.too_deep) printf("2 %zu||", result.offset);
    else printf("%d %zu|%s|", result.valid, result.offset, result.expected);
"""

PLACES = """
    PREFIX_span parts[NAME_PARTS];
    if (PREFIX_parts(text, length, parts) != result.valid) abort();
    for (int part = 0; result.valid && part < NAME_PARTS; part++) {
        if (part) printf(" ");
        if (parts[part].start < 0) printf("-");
        else printf("%td-%td", parts[part].start, parts[part].end);
    }
"""


def run(command: Sequence[str], suffix: str, folder: Path, files: Sequence[str], text: str) -> list[str]:
    """Compile headers with a driver, and return its output for lines of rule numbers and strings."""
    names = [f"answer{number}" for number in range(len(files))]
    declarations = "\n".join(f"void {name}(const char *, size_t, size_t);" for name in names)
    driver = DRIVER.replace("DECLARATIONS", declarations).replace("NAMES", ", ".join(names))
    sources = {f"driver{suffix}": driver}
    for number, file in enumerate(files):
        (folder / f"rule{number}.h").write_text(file)
        prefix = re.search(r"\b(\w+)_check\(", file)
        assert prefix
        check = CHECK if f"{prefix[1]}_matches(" in file else STACK_CHECK
        places = PLACES if f"{prefix[1].upper()}_PARTS\n" in file else ""
        source = ANSWER.replace("CHECK", check + places)
        source = source.replace("NUMBER", str(number)).replace("PREFIX", prefix[1])
        sources[f"rule{number}{suffix}"] = source.replace("NAME", prefix[1].upper())
    for name, source in sources.items():
        (folder / name).write_text(source)
    program(folder, *command, *WARNINGS, "-o", "driver", *sources)
    return program(folder, "./driver", input=text).splitlines()


@pytest.mark.slow
def test_the_guide(tmp_path: Path) -> None:
    toolchain("cc")
    follow("export-c.md", tmp_path)


@pytest.mark.slow
def test_the_example(tmp_path: Path) -> None:
    text = abnforge.rule("rfc3986:URI").export("code-c", parts=["scheme", "host", "port", "query"])
    (tmp_path / "uri.h").write_text(text)
    main = str(ROOT / "examples" / "c" / "main.c")
    program(tmp_path, toolchain("gcc"), "-std=c11", *WARNINGS, *SANITIZERS, "-I.", "-o", "main", main)
    lines = program(tmp_path, "./main", "https://a.example/", "mailto:b").splitlines()
    assert [line.endswith("host a.example") for line in lines] == [True, False]


def test_headers_answer_as_their_rules(tmp_path: Path) -> None:
    c11 = partial(run, (toolchain("gcc"), "-std=c11", *SANITIZERS), ".c")
    compare("code-c", c11, tmp_path, all_rules()[:2], 100)


@pytest.mark.slow
def test_headers_in_cpp(tmp_path: Path) -> None:
    cpp17 = partial(run, (toolchain("g++"), "-std=c++17", "-O1"), ".cpp")
    compare("code-c", cpp17, tmp_path, all_rules(), 2_000)


@pytest.mark.slow
def test_headers_of_all_rules(tmp_path: Path) -> None:
    c11 = partial(run, (toolchain("gcc"), "-std=c11", "-O1", *SANITIZERS), ".c")
    compare("code-c", c11, tmp_path, every_rule(), 10_000)
    compare_depths("code-c", c11, tmp_path)
