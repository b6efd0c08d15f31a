"""Tables of regular rules give the answers of their rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import abnforge
from abnforge.automata.code_points import CLEARED
from abnforge.codegen.model import CodeTables
from abnforge.engine.rule import Rule
from tests.codegen.toolchain import Answer, answer, cover, tables_of
from tests.law import each_row, one_in
from tests.raising import raises

ENDS = (0, 0x7F, 0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF)  # of lengths of UTF-8
GRAMMARS = {
    "empty string": 'start = ""\n',
    "NUL": "start = %x00 [%x01 %x00]\n",
    "ends": f'start = *(a / b)\na = {" / ".join(f"%x{end:X}" for end in ENDS)}\nb = "(" %x400-10FFFF ")"\n',
    "empty language": "start = start %x61\n",
    "right recursion": 'start = a / b\na = "x" [a]\nb = "y" [b]\n',
    "twins": 'start = *(word " ") [number "."]\nword = 1*ALPHA\nnumber = 1*DIGIT\n',
}
RULES = [
    ("rfc3339", "date-time", ("full-date", "time-secfrac")),
    ("rfc3986", "URI", ("scheme", "userinfo", "host", "port", "path-abempty", "query", "fragment")),
    ("rfc5321", "Mailbox", ("Local-part", "Domain", "address-literal")),
    ("rfc3987", "IRI", ("scheme", "ihost", "ifragment")),
]


def walk(tables: CodeTables, octets: bytes) -> Answer:
    """Return the answer that every target must give."""
    state = last = tables.start
    offset = 0
    registers = list(tables.initial)
    for at, octet in enumerate(octets):
        if state < tables.points:
            last, offset = state, at
        state = tables.rows[state // tables.width][tables.class_of[octet]]
        if not state:
            break
        for register, change in tables.operations[tables.rows[state // tables.width][0]]:
            registers[register] = -1 if change == CLEARED else at + change
    else:
        if state < tables.points:
            last, offset = state, len(octets)
    if not tables.accepting[state // tables.width]:
        return False, offset, tables.expected[tables.labels[last // tables.width]], ""
    if not tables.parts:
        return True, offset, "", ""
    registers[-2] = len(octets)
    places = [registers[register] for register in tables.finals[tables.final[state // tables.width]]]
    pairs = zip(places[::2], places[1::2], strict=True)
    return True, offset, "", " ".join("-" if end < 0 else f"{start}-{end}" for start, end in pairs)


@each_row("grammar, name, parts", one_in(4, RULES))
def test_tables_answer_as_their_rule(grammar: str, name: str, parts: tuple[str, ...]) -> None:
    agree(abnforge.load(grammar)[name], parts)


@each_row("text", [*GRAMMARS.values()])
def test_tables_of_small_rules(text: str) -> None:
    rule = abnforge.loads(text)["start"]
    agree(
        rule, [name for name in ("a", "b", "word", "number") if name in rule.grammar and not rule.recursive]
    )


def test_tables_of_set_algebra() -> None:
    rule = abnforge.rule("rfc3986:URI").at_most(5) - abnforge.rule("rfc3986:absolute-URI")
    tables = tables_of(rule, ("fragment",))
    for octets in cover(tables):
        valid, offset, expected, places = walk(tables, octets)
        rejection = rule.explain(octets, suggest=False)
        assert (valid, offset) == ((True, len(octets)) if rejection is None else (False, rejection.offset))
        if rejection is None:
            assert places == "{}-{}".format(*rule.components(octets, ["fragment"])["fragment"])
        else:
            assert expected.partition(" [")[0] in (rule.name, "the end")


def agree(rule: Rule, parts: Sequence[str]) -> None:
    """Compare tables with and without parts with the rule."""
    for names in {(), tuple(parts)}:
        tables = tables_of(rule, names)
        for octets in cover(tables):
            assert walk(tables, octets) == answer(rule, octets, names), octets


REFUSALS = [
    ("start = ALPHA\n", {"parts": ["DIGIT"]}, ValueError, "code-part-unused"),
    ("start = ALPHA\n", {"parts": ["DIGTI"]}, KeyError, "rule-name-unknown"),
    ("start = ALPHA\n", {"parts": "ALPHA"}, TypeError, "argument-type"),
    ("start = ALPHA\n", {"groups": ["ALPHA"]}, ValueError, "export-groups"),
    ("start = ALPHA\n", {"name": "1a"}, ValueError, "code-name"),
    ("start = <words>\n", {}, abnforge.GrammarError, "prose-val"),
    ('start = "a" [start]\n', {"parts": ["start"]}, ValueError, "code-parts-recursive"),
    (f"start = 32(%d{'.'.join(map(str, range(33, 126)))})\n", {}, ValueError, "code-too-large"),
]


@each_row("text, options, kind, code", REFUSALS)
def test_refusals(text: str, options: dict[str, Any], kind: type[Exception], code: str) -> None:
    with raises(kind, code):
        abnforge.loads(text)["start"].export("code-c", **options)
