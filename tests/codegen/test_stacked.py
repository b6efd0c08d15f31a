"""Tables of recursive rules give the answers of their rules; merged and mutated tables are noticed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import abnforge
from abnforge.budget import DEFAULT
from abnforge.codegen import stacked
from abnforge.codegen.model import CodeTables
from abnforge.engine.rule import Rule
from tests.codegen.toolchain import Answer, answer, tables_of
from tests.law import each_row, one_in
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


def test_a_recursive_rule_does_not_have_parts() -> None:
    with raises(ValueError, "code-parts-recursive"):
        abnforge.rule("rfc8259:JSON-text").export("code-c", parts=["string"])


def test_rules_that_need_no_stack() -> None:
    """A rule that is not known to be regular can have tables of a regular rule."""
    tables = tables_of(abnforge.loads('start = start "a" / start start / "b"\n')["start"])
    assert tables.stack is None


@each_row("text", one_in(3, GRAMMARS.values()))
def test_each_changed_cell_is_found(text: str) -> None:
    """The proof finds each changed cell of a state, and each changed verdict and expected text."""
    rule = abnforge.loads(text)["start"]
    tables = tables_of(rule)
    meter = DEFAULT.meter("test")
    automaton = stacked.saturated_recognizer(rule._compilation.plan, rule.key, tables.heading, meter)
    assert not differs(tables, automaton)
    for number, row in enumerate(tables.rows[1:], 1):
        for column in range(1, len(row)):
            rows = [list(row) for row in tables.rows]
            rows[number][column] = (rows[number][column] + tables.width) % tables.points
            assert differs(replace(tables, rows=rows), automaton), (number, column)
    for state in range(1, tables.points // tables.width):
        for name, number in (("accepting", 2), ("labels", len(tables.expected))):
            values = list(getattr(tables, name))
            values[state] = (values[state] + 1) % number
            assert differs(replace(tables, **{name: values}), automaton), (name, state)


def differs(tables: CodeTables, automaton: stacked.RecognizerAutomaton) -> bool:
    """Return whether the proof of some tables fails."""
    try:
        stacked.saturate(stacked.Agreement(tables, automaton), DEFAULT.meter("test"))
    except stacked.DisagreementError:
        return True
    return False
