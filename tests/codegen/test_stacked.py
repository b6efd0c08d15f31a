"""Tables of recursive rules give the answers of their rules, also as files for C and Python."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from random import Random

import pytest

import abnforge
from abnforge.budget import Budget
from abnforge.codegen import stacked
from abnforge.codegen.model import CodeTables
from abnforge.codegen.proof import TARGETS, ProofError
from abnforge.conformance.near_misses import near_misses
from abnforge.conformance.sentences import sentences
from abnforge.engine.rule import Rule
from tests.codegen.test_proof import mutants
from tests.codegen.test_python import module
from tests.codegen.toolchain import Answer, answer, tables_of, toolchain
from tests.law import each_row, one_in
from tests.places import SHARED
from tests.raising import raises

GRAMMARS = {
    "brackets": 'start = "(" start ")" / "[" start "]" / ""\n',
    "counts": 'start = "a" start "b" / "a" start "c" / ""\n',
    "center": 'start = "a" start "a" / "b" start "b" / "c"\n',
    "lists": 'start = "<" [start *("," start)] ">" / "z"\n',
    "left recursion": 'start = start "+" t / t\nt = t "*" f / f\nf = "(" start ")" / "1"\n',
    "ambiguous": 'start = start "+" start / "(" start ")" / "1"\n',
    "hidden left recursion": 'start = ["x"] start "y" / "z"\n',
    "nullable": 'start = a start b / ""\na = *"x"\nb = "y" / ""\n',
    "NUL and lengths of UTF-8": ('start = %x00 start %x80 / %x7FF-FFFF start %x10000 / %x10FFFF / ""\n'),
    "twins": 'start = "(" (a / b) ")"\na = *"x" [start] "1"\nb = *"x" [start] "2"\n',
    "prefixes": 'start = 1*"1" / "(" start ")" / "-" start\n',
    "prefixes in a level": 'start = start "+" t / t\nt = 1*"1" / "(" start ")" / "-" t\n',
    "prefixes with names": 'start = 1*"x" / "(" start " " start ")" / "\\" 1*"x" "." start\n',
    "parts of characters": "start = %x400-4FF start %x440 / %x4E00-9FFF / %xD800 start\n",
}
RULES = [
    ("rfc8259", "JSON-text"),
    ("rfc9535", "jsonpath-query"),
    ("rfc5234", "rulelist"),
    ("toml-1.1.0", "toml"),
    ("rfc9110", "comment"),
    ("rfc5322", "address"),
]
REFUSALS = [
    ('start = "a" start "a" / "b" start "b" / ""\n', "code-too-large"),  # palindromes
    ('start = "(" start ")" / <words>\n', "prose-val"),
]


class Walk:
    """The walk that every target takes through the tables of a recursive rule."""

    def __init__(self, tables: CodeTables) -> None:
        self.tables = tables
        self.cells = [cell for line in tables.lines for cell in line]

    def step(self, state: int, octet: int, stack: bytes) -> tuple[int, bytes]:
        """Return the state and the stack after a byte."""
        cells = self.cells
        state = cells[state + self.tables.class_of[octet]]
        while state >= self.tables.cells:
            if cells[state]:
                stack, state = stack + bytes([cells[state]]), cells[state + 1]
            else:
                stack, state = stack[:-1], cells[state + stack[-1]]
        return state, stack

    def answer(self, octets: bytes) -> Answer:
        """Return the answer for a string of UTF-8."""
        tables, stack, offset = self.tables, b"", 0
        state = last = tables.start
        for at, octet in enumerate(octets):
            if state < tables.points:
                last, offset = state, at
            state, stack = self.step(state, octet, stack)
            if not state:
                break
        else:
            if state < tables.points:
                last, offset = state, len(octets)
        if tables.accepting[state // tables.width]:
            return True, len(octets), "", ""
        return False, offset, tables.expected[tables.labels[last // tables.width]], ""

    def cover(self) -> Iterator[bytes]:
        """Yield strings that reach each state over each symbol, each followed by a byte of each class."""
        bytes_of: dict[int, list[int]] = {}
        for octet, number in enumerate(self.tables.class_of):
            bytes_of.setdefault(number, []).append(octet)
        access = {(self.tables.start, b""): (b"", b"")}
        turn = 0
        for place in (queue := list(access)):
            prefix, stack = access[place]
            yield prefix
            for octets in bytes_of.values():
                turn += 1
                string = prefix + bytes([octets[turn % len(octets)]])
                yield string
                state, rest = self.step(place[0], string[-1], stack)
                if state and (state, rest[-1:]) not in access:
                    access[state, rest[-1:]] = string, rest
                    queue.append((state, rest[-1:]))


def agree(rule: Rule) -> None:
    """Compare the tables of a rule with the rule."""
    walk = Walk(tables_of(rule))
    for octets in walk.cover():
        assert walk.answer(octets) == answer(rule, octets), octets


@each_row("text", [*GRAMMARS.values()])
def test_tables_of_small_rules(text: str) -> None:
    agree(abnforge.loads(text)["start"])


@each_row("grammar, name", one_in(6, RULES))
def test_tables_of_bundled_rules(grammar: str, name: str) -> None:
    agree(abnforge.load(grammar)[name])


@each_row("text, code", REFUSALS)
def test_refusals(text: str, code: str) -> None:
    with raises(ValueError, code):
        abnforge.loads(text)["start"].export("code-c")


@pytest.mark.slow
@each_row(
    "grammar, count, refused",
    [
        ("rfc8259", 5, ()),
        ("rfc5234", 9, ()),
        ("rfc9110", 27, ()),
        ("rfc9535", 20, ()),
        ("toml-1.0.0", 8, ()),
        ("toml-1.1.0", 8, ()),
        ("semver-2.0.0", 15, ()),
        ("rfc6265", 8, ()),
        ("rfc3261", 9, ("SIP-message", "Request", "message-header", "Response")),
    ],
)
def test_recursive_rules_of_bundled_grammars(grammar: str, count: int, refused: tuple[str, ...]) -> None:
    """The table in docs/guides/export-code.md."""
    rules = [rule for rule in abnforge.load(grammar).values() if rule.recursive]
    assert len(rules) == count
    for rule in rules:
        if rule.name in refused:
            with pytest.raises((ValueError, abnforge.LimitExceeded)):
                rule.export("code-c")
        else:
            rule.export("code-c")


@each_row("text", [text for name, text in GRAMMARS.items() if "prefixes" in name])
def test_prefixes_do_not_grow_the_stack(text: str) -> None:
    """Recursion at the end of a rule is a loop after the first time; a bracket needs one symbol."""
    tables = tables_of(abnforge.loads(text)["start"])
    walk, prefix = Walk(tables), b"\\x." if b"\\" in text.encode() else b"-"
    for before in (b"", b"("):
        stacks = []
        for count in (2, 3, 50):
            state, stack = tables.start, b""
            for octet in before + prefix * count:
                state, stack = walk.step(state, octet, stack)
            stacks.append((state, stack))
        assert stacks[0] == stacks[1] == stacks[2]
        assert len(stack) <= len(before) + 1


def test_a_search_is_bounded_by_steps() -> None:
    """The stacks of these configurations grow, so their replacement is the largest part of the work."""
    text = 'start = 1*"w" *(" &" " " start) / "!" start / "(" start ")"\n'
    rule = abnforge.loads(text, budget=Budget(steps=20_000))["start"]
    with raises(abnforge.LimitExceeded, "code-undecided", limit=20_000):
        rule.export("code-c")


def test_a_recursive_rule_does_not_have_parts() -> None:
    with raises(ValueError, "code-parts-recursive"):
        abnforge.rule("rfc8259:JSON-text").export("code-c", parts=["string"])


def test_rules_that_need_no_stack() -> None:
    """A rule that is not known to be regular can have tables of a regular rule."""
    tables = tables_of(abnforge.loads('start = start "a" / start start / "b"\n')["start"])
    assert tables.stack is None


@each_row("text", one_in(5, GRAMMARS.values()))
def test_each_changed_cell_is_found(text: str) -> None:
    """The proof finds each changed cell of a state, and each changed verdict and expected text."""
    rule = abnforge.loads(text)["start"]
    tables = tables_of(rule)
    meter = Budget(steps=10**9).meter("test")
    automaton = stacked.saturated_recognizer(rule._compilation.plan, rule.key, tables.heading, meter)
    assert stacked.agree(tables, automaton, meter)
    for number, row in enumerate(tables.rows[1:], 1):
        for column in range(1, len(row)):
            rows = [list(row) for row in tables.rows]
            rows[number][column] = (rows[number][column] + tables.width) % tables.points
            assert not stacked.agree(replace(tables, rows=rows), automaton, meter), (number, column)
    for state in range(1, tables.points // tables.width):
        for name, number in (("accepting", 2), ("labels", len(tables.expected))):
            values = list(getattr(tables, name))
            values[state] = (values[state] + 1) % number
            assert not stacked.agree(replace(tables, **{name: values}), automaton, meter), (name, state)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_changed_files_are_detected(name: str) -> None:
    """A file with another number or text than the tables is not returned."""
    rule = abnforge.loads(GRAMMARS["brackets"])["start"]
    file = rule.export(name)
    for mutant in [file.replace("the end", "the start"), *mutants(file, 100)]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(TARGETS, name, replace(TARGETS[name], write=lambda _, mutant=mutant: mutant))
            with raises(ProofError, "code-differs", target=name):
                rule.export(name)


DRIVER = """
#include <stdio.h>

static char text[1 << 20], line[sizeof text * 2 + 99];
static uint8_t stack[1 << 20];

int main(void) {
    unsigned rule, octet;
    size_t size;
    int skip;
    while (fgets(line, (int)sizeof line, stdin)) {
        size_t length = 0;
        if (sscanf(line, "%u %zu %n", &rule, &size, &skip) != 2) return 1;
        for (const char *hex = line + skip; sscanf(hex, "%2x", &octet) == 1; hex += 2)
            text[length++] = (char)octet;
        switch (rule) {
CASES
        }
    }
    return 0;
}
"""

CASE = """
        case NUMBER: {
            rNUMBER_result result = rNUMBER_check(text, length, stack, size);
            const char *verdict = result.too_deep ? "deep" : result.valid ? "yes" : "no";
            printf("%s %zu|%s\\n", verdict, result.offset, result.expected);
            break;
        }
"""

Result = tuple[str, int, str]
ENOUGH = 1 << 20


class Header:
    """A program that validates strings by the C headers of some rules."""

    def __init__(self, rules: Sequence[Rule], folder: Path) -> None:
        source = "".join(rule.export("code-c", name=f"r{number}") for number, rule in enumerate(rules))
        cases = "".join(CASE.replace("NUMBER", str(number)) for number in range(len(rules)))
        (folder / "driver.c").write_text(source + DRIVER.replace("CASES", cases))
        flags = "-std=c11 -O1 -Wall -Wextra -Wconversion -Wpedantic -Werror -fsanitize=address,undefined"
        self._program = str(folder / "driver")
        command = [toolchain("gcc"), *flags.split(), "-o", self._program, str(folder / "driver.c")]
        subprocess.run(command, check=True)

    def results(self, strings: Iterable[tuple[int, int, bytes]]) -> list[Result]:
        """Return the results for strings, each with the number of its rule and the size of the stack."""
        lines = "".join(f"{number} {size} {octets.hex()}\n" for number, size, octets in strings)
        run = subprocess.run([self._program], input=lines, capture_output=True, text=True, check=True)
        results = (line.partition("|") for line in run.stdout.splitlines())
        return [(head.split()[0], int(head.split()[1]), expected) for head, _, expected in results]


def strings_of(rule: Rule, count: int) -> list[bytes]:
    """Return strings of a rule, near misses, and strings with up to three random edits, also of UTF-8."""
    chance = Random(35)
    texts = {miss.text: None for miss in islice(near_misses(rule), count // 4)}
    for size in (10, 40, 160, 640):
        texts |= {one.text: None for one in sentences(rule, "random", count=count // 8, seed=size, size=size)}
    octets = [text.encode(errors="surrogatepass") for text in texts]
    pieces = [one[at : at + 4] for one in octets for at in (0, len(one) // 2)] + list(map(bytes, ENDS))
    while len(octets) < count:
        string = chance.choice(octets)
        for _ in range(chance.choice((1, 1, 2, 3))):
            begin = chance.randrange(len(string) + 1)
            end = begin + chance.choice((0, 0, 1, 2))
            string = string[:begin] + chance.choice((b"", chance.choice(pieces))) + string[end:]
        octets.append(string)
    return octets[:count]


ENDS = [
    chr(code).encode() for code in (0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF)
] + [b"\x80", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"]


def files_agree(rules: Sequence[Rule], folder: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compare the headers for C and the modules for Python with the rules."""
    header = Header(rules, folder)
    for number, rule in enumerate(rules):
        strings = [*strings_of(rule, count), *Walk(tables_of(rule)).cover()]
        results = header.results((number, ENOUGH, octets) for octets in strings)
        check = module(rule, (), monkeypatch).check
        for octets, result in zip(strings, results, strict=True):
            valid, offset, expected, _ = answer(rule, octets)
            assert result == ("yes" if valid else "no", offset, expected), (rule, octets)
            if is_utf8(octets):
                offset = len(octets[:offset].decode())
                assert check(octets.decode()) == (valid, False, offset, expected), (rule, octets)


def is_utf8(octets: bytes) -> bool:
    try:
        octets.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_files_answer_as_their_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files_agree([abnforge.rule("rfc8259:JSON-text")], tmp_path, 300, monkeypatch)


@pytest.mark.slow
def test_files_answer_as_their_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """20,000 strings of each bundled rule, and fewer of each small rule."""
    files_agree([abnforge.load(grammar)[name] for grammar, name in RULES], tmp_path, 20_000, monkeypatch)
    small = [abnforge.loads(text)["start"] for text in GRAMMARS.values()]
    files_agree([rule for rule in small if tables_of(rule).stack], tmp_path, 1_000, monkeypatch)


@pytest.mark.slow
def test_too_deep(tmp_path: Path) -> None:
    """The stack that a string needs is enough, and one byte less is not."""
    rule = abnforge.rule("rfc8259:JSON-text")
    header = Header([rule], tmp_path)
    for depth in (1, 2, 100, 100_000):
        octets = b"[" * depth + b"]" * depth
        enough = [(0, size, octets) for size in (depth, depth - 1, 0)]
        assert header.results(enough) == [
            ("yes", len(octets), ""),
            ("deep", depth - 1, "less nesting"),
            ("deep", 0, "less nesting"),
        ]
        for string in (octets[:-1], octets + b"]"):
            _, offset, expected, _ = answer(rule, string)
            assert header.results([(0, depth, string)]) == [("no", offset, expected)]


SUITES = [("rfc8259", "JSON-text", "json", (True, False)), ("toml-1.1.0", "toml", "toml", (True,))]
"""JSONTestSuite and the test suite of TOML; invalid TOML can be invalid for reasons other than syntax."""


def suite_cases(suite: str, verdicts: Sequence[bool]) -> list[tuple[str, bool, bytes]]:
    """Return the cases of a test suite with a verdict: name, verdict, string. Skip the test without it."""
    path = SHARED / "grammars" / "suites" / suite / "cases.jsonl"
    if not path.is_file():
        pytest.skip("the shared suites are not here")
    cases = [
        (case["id"], case["expect"], case["text"].removeprefix("\ufeff").encode())
        for case in map(json.loads, path.read_text("utf-8").splitlines())
        if case["expect"] in verdicts and case["text"] is not None
    ]
    assert len(cases) > 200
    return cases


@pytest.mark.slow
@each_row("grammar, name, suite, verdicts", SUITES)
def test_suites(tmp_path: Path, grammar: str, name: str, suite: str, verdicts: tuple[bool, ...]) -> None:
    cases = suite_cases(suite, verdicts)
    header = Header([abnforge.load(grammar)[name]], tmp_path)
    results = header.results((0, ENOUGH, octets) for _, _, octets in cases)
    wrong = [
        identity
        for (identity, verdict, _), result in zip(cases, results, strict=True)
        if result[0] != ("yes" if verdict else "no")
    ]
    assert wrong == []


@pytest.mark.slow
def test_files_do_not_depend_on_hashes_or_order() -> None:
    """A file is the same in each process, also after other rules of the grammar."""
    program = "import abnforge, sys; sys.stdout.write(abnforge.rule('rfc5322:address').export('code-c'))"
    grammar = abnforge.load("rfc5322")
    for name in ("comment", "mailbox", "address"):
        file = grammar[name].export("code-c")
    for seed in ("1", "2"):
        command = [sys.executable, "-c", program]
        run = subprocess.run(
            command, capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        )
        assert run.stdout.decode() == file
