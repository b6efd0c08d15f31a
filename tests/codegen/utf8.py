"""Compare generated code with rules in languages whose strings are bytes of UTF-8: Go and Rust."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import abnforge
from abnforge.automata.dfa import DEAD, Automaton, distances
from abnforge.engine.rule import Rule
from tests.codegen.test_regular import GRAMMARS, RULES
from tests.codegen.test_stacked import ENOUGH, Walk, strings_of
from tests.codegen.test_stacked import GRAMMARS as RECURSIVE
from tests.codegen.test_stacked import RULES as RECURSIVE_RULES
from tests.codegen.toolchain import answer, cover, tables_of

Case = tuple[Rule, tuple[str, ...]]
"""A rule and its parts."""

PARTS = {"ends": ("a", "b"), "twins": ("word", "number"), "NUL": ()}
MORE_RULES = [
    ("rfc5646", "Language-Tag", ("language", "script", "region", "variant", "privateuse")),
    ("rfc3339", "date-time", ()),
    ("semver-2.0.0", "valid-semver", ()),
]
# Names and literals with a meaning in Go or Rust, and names that are equal as identifiers.
NAMES = """
start = type / r-1 / r1 / "\\x22*/" / %x22 / "$" / "{`" / %xE4-FC ; */ `$x` \\
type = "a" [self] [r-1]
self = "0" / r--1
r--1 = "1" / %x22.5C
r-1 = "2"
r1 = "3"
"""
BROKEN = b"\x00\x7f\x80\xbf\xc0\xc1\xc2\xe0\xed\xef\xf0\xf4\xf5\xff\x9f\xa0"


def small_rules() -> list[Case]:
    """Return small regular rules with their parts."""
    texts = [(text, PARTS.get(name, ())) for name, text in GRAMMARS.items()]
    texts += [(NAMES, ("type", "self", "r--1", "r-1", "r1")), ("start = *a\na = DIGIT\n", ("a",))]
    return [(abnforge.loads(text)["start"], parts) for text, parts in texts]


def all_rules() -> list[Case]:
    """Return small rules and regular rules of specifications with their parts."""
    built_in = [(abnforge.load(grammar)[name], parts) for grammar, name, parts in (*RULES, *MORE_RULES)]
    return [*small_rules(), *built_in]


def recursive_rules() -> list[Case]:
    """Return small rules and rules of specifications that are recursive."""
    small = [(abnforge.loads(text)["start"], ()) for text in RECURSIVE.values()]
    return [*small, *((abnforge.load(grammar)[name], ()) for grammar, name in RECURSIVE_RULES)]


def every_rule() -> list[Case]:
    """Return small rules, recursive rules, rules of specifications, and the other regular start rules."""
    cases = [*all_rules(), *recursive_rules()]
    for start in (abnforge.load(name).start for name in abnforge.grammar_names()):
        if start.regular and not any(start == rule for rule, _ in cases):
            cases.append((start, () if start.recursive else tuple(start.uses[:4])))
    return cases


def strings(rule: Rule, parts: Sequence[str], count: int) -> list[bytes]:
    """Return strings that take each transition, that have the ends of ranges, and broken UTF-8."""
    tables = tables_of(rule, parts)
    if tables.stack:
        return [*Walk(tables).cover(), *strings_of(rule, count)]
    result = dict.fromkeys(cover(tables))
    source = random.Random(rule.name)
    ends = [text.encode(errors="surrogatepass") for text in with_ends(rule.automaton)] if rule.regular else []
    result |= dict.fromkeys(source.sample(ends, min(len(ends), count // 3)))
    pool = [*result]
    for _ in range(count - len(result)):
        text = bytearray(source.choice(pool))
        for _ in range(source.choice((1, 1, 2))):
            at = source.randrange(len(text) + 1)
            other = source.choice(BROKEN) if source.random() < 0.3 else (source.choice(pool) or b"x")[-1]
            text[at : at + source.randrange(2)] = bytes([other])
        result[bytes(text)] = None
    return [*result]


def with_ends(automaton: Automaton) -> Iterator[str]:
    """Yield strings with the ends of each range of characters after the access of each state.

    A string continues to acceptance if that is possible.
    """
    width, table, remaining = automaton.width, automaton.table, distances(automaton)
    chars = [charset.min() for charset in automaton.charsets]
    ends = [
        (chr(end), number)
        for number, charset in enumerate(automaton.charsets)
        for limits in charset.ranges
        for end in limits
    ]
    access = {0: ""} if table else {}
    for state in (queue := [*access]):
        for char, target in zip(chars, table[state : state + width], strict=True):
            if target != DEAD and target not in access:
                access[target] = access[state] + char
                queue.append(target)
    for state, prefix in access.items():
        for end, number in ends:
            text, target = prefix + end, table[state + number]
            while remaining.get(target):
                row = table[target : target + width]
                target = min(row, key=lambda each: remaining.get(each, len(table)))
                text += chars[row.index(target)]
            yield text


Run = Callable[[Path, Sequence[str], str], list[str]]
"""Compile files, and return the output for lines with the number of a file, a string and the stack size."""


def compare(target: str, run: Run, folder: Path, cases: Sequence[Case], count: int) -> None:
    """Compare the files of rules, with and without parts, with the rules, for about ``count`` strings."""
    files: list[str] = []
    lines: list[str] = []
    answers: list[str] = []
    for rule, parts in cases:
        inputs = strings(rule, parts, count)
        results = [answer(rule, string, parts) for string in inputs]
        for names in dict.fromkeys([(), parts]):
            lines += [f"{len(files)} {string.hex()} {ENOUGH}\n" for string in inputs]
            answers += [
                f"{valid:d} {offset}|{expected}|{places if names else ''}"
                for valid, offset, expected, places in results
            ]
            files.append(rule.export(target, parts=names))
    outputs = run(folder, files, "".join(lines))
    wrong = [each for each in zip(lines, answers, outputs, strict=True) if each[1] != each[2]]
    assert not wrong, wrong[:5]


def compare_depths(target: str, run: Run, folder: Path) -> None:
    """Require that a stack for the levels of a string is enough, and that one byte less is not."""
    file = abnforge.rule("rfc8259:JSON-text").export(target)
    cases = [(depth, size) for depth in (1, 2, 100, 100_000) for size in (depth, depth - 1, 0)]
    lines = "".join(f"0 {b'['.hex() * depth}{b']'.hex() * depth} {size}\n" for depth, size in cases)
    assert run(folder, [file], lines) == [
        f"1 {2 * depth}||" if size == depth else f"2 {size}||" for depth, size in cases
    ]


def compare_suite(
    target: str, run: Run, folder: Path, rule: Rule, cases: Sequence[tuple[str, bool, bytes]]
) -> None:
    """Compare the verdicts of a rule's file with those of a test suite."""
    lines = "".join(f"0 {string.hex()} {ENOUGH}\n" for _, _, string in cases)
    outputs = run(folder, [rule.export(target)], lines)
    wrong = [
        name for (name, verdict, _), output in zip(cases, outputs, strict=True) if int(output[0]) != verdict
    ]
    assert wrong == []
