"""Compare generated code with rules in languages whose strings are UTF-16: Java and JavaScript."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import islice
from pathlib import Path

import abnforge
from abnforge.conformance.near_misses import near_misses
from abnforge.engine.rule import Rule
from tests.codegen.test_stacked import GRAMMARS as RECURSIVE
from tests.codegen.test_stacked import Walk
from tests.codegen.toolchain import answer, cover, tables_of

Case = tuple[Rule, tuple[str, ...]]
"""A rule and its parts."""

Run = Callable[[Path, Sequence[str], str], list[str]]
"""Compile files in a directory, and return the output for lines of rule numbers and strings."""

# The ends of the lengths of UTF-8 and of surrogates. Characters from U+10000 on have two code units.
SURROGATES = (0xD7FF, 0xD800, 0xDBFF, 0xDC00, 0xDFFF, 0xE000)
ENDS = (0, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF, *SURROGATES)
SMALL = {
    'start = ""\n': (),
    "start = %x00 [%x01 %x00]\n": (),
    "start = start %x61\n": (),
    f'start = *(a / b)\na = {" / ".join(f"%x{end:X}" for end in ENDS)}\nb = "(" %x400-10FFFF\n': ("b",),
    'start = *(word " ") [number "."]\nword = 1*%x61-10FFFF\nnumber = 1*DIGIT\n': ("word", "number"),
    # Names with a meaning in Java or JavaScript, and literals that can end comments or strings.
    'start = string / "\\u000a*/" / "\'" / %x22.5C / class\nstring = "a" constructor\n'
    'constructor = [int]\nint = DIGIT\nclass = "${x}"\n': ("string", "constructor", "int", "class"),
}
BUILT_IN = [
    ("rfc3339", "date-time", ("full-date", "time-secfrac")),
    ("rfc3986", "URI", ("scheme", "userinfo", "host", "port", "path-abempty", "query", "fragment")),
    ("rfc3987", "IRI", ("scheme", "ihost", "ifragment")),
    ("rfc5321", "Mailbox", ("Local-part", "Domain", "address-literal")),
    ("rfc5646", "Language-Tag", ("language", "script", "region", "variant", "privateuse")),
    ("semver-2.0.0", "valid-semver", ()),
    ("rfc8259", "JSON-text", ()),
    ("rfc9535", "jsonpath-query", ()),
    ("rfc5234", "rulelist", ()),
    ("toml-1.1.0", "toml", ()),
]


def small_rules() -> list[Case]:
    """Return small rules with their parts."""
    grammars = SMALL | dict.fromkeys(RECURSIVE.values(), ())
    return [(abnforge.loads(text)["start"], parts) for text, parts in grammars.items()]


def built_in_rules() -> list[Case]:
    """Return rules of specifications with their parts."""
    return [(abnforge.load(grammar)[name], parts) for grammar, name, parts in BUILT_IN]


def compare(target: str, run: Run, folder: Path, cases: Sequence[Case], count: int) -> None:
    """Compare the files of rules, with and without parts, with the rules, for at least ``count`` strings."""
    files: list[str] = []
    lines: list[str] = []
    answers: list[str] = []
    for rule, parts in cases:
        strings = strings_of(rule, parts, count)
        results = [answer(rule, text, parts) for text in strings]
        for names in {(), parts}:
            for text, (valid, offset, expected, places) in zip(strings, results, strict=True):
                spans = re.sub(r"\d+", partial(units, text), places) if names else ""
                lines.append(f"{len(files)} {code_units(text).hex()}\n")
                answers.append(f"{valid:d} {units(text, offset)}|{expected}|{spans}")
            files.append(rule.export(target, parts=names, name=f"rule{len(files)}"))
    outputs = run(folder, files, "".join(lines))
    assert len(outputs) == len(lines)
    wrong = [each for each in zip(lines, answers, outputs, strict=True) if each[1] != each[2]]
    assert not wrong, wrong[:5]


def units(text: str, offset: int | re.Match[str]) -> str:
    """Convert an offset in code points to UTF-16."""
    prefix = text[: int(offset if isinstance(offset, int) else offset[0])]
    return str(len(code_units(prefix)) // 2)


def strings_of(rule: Rule, parts: Sequence[str], count: int) -> list[str]:
    """Return strings that take each transition of the automaton, near misses, and mutants of both."""
    tables = tables_of(rule, parts, surrogates=True)
    octets = Walk(tables).cover() if tables.stack else cover(tables)
    result = dict.fromkeys(map(readable, octets))
    for miss in islice(near_misses(rule), count // 4):
        result |= {miss.text: None, miss.sample: None}
    strings = list(result)
    chosen = random.Random(rule.name)
    while len(strings) < count:
        text = chosen.choice(strings)
        at = chosen.randrange(len(text) + 1)
        other = chr(chosen.choice(ENDS)) if chosen.random() < 0.5 else chosen.choice(strings)[:1]
        strings.append(text[:at] + other + text[at + chosen.randrange(2) :])
    return [code_units(text).decode("utf-16-be", "surrogatepass") for text in strings]


def code_units(text: str) -> bytes:
    """Return a string in UTF-16, where a high surrogate before a low one is one character."""
    return text.encode("utf-16-be", "surrogatepass")


def readable(octets: bytes) -> str:
    """Return the characters of UTF-8 with surrogates, up to the first byte that is not UTF-8."""
    try:
        return octets.decode(errors="surrogatepass")
    except UnicodeDecodeError as error:
        return octets[: error.start].decode(errors="surrogatepass")
