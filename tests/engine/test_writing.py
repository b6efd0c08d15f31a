"""Automata written as ABNF: read again they are the same, and small ones read well."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.automata.dfa import Automaton, minimal
from abnforge.charset import CharSet
from abnforge.engine.writing import MAX_TEXT, _linear, abnf_of, is_rule_name
from tests.law import each_row, law, one_in
from tests.raising import raises

URI = abnforge.load("rfc3986")


def read(text: str, name: str = "a") -> Automaton:
    return abnforge.loads(text, cache=False)[name].automaton


# a definition, and how its automaton is written
WRITTEN = [
    ("*DIGIT", "a = *DIGIT\n"),
    ("1*5DIGIT", "a = 1*5DIGIT\n"),
    ("3*DIGIT", "a = 3*DIGIT\n"),
    ("[ DIGIT [ DIGIT ] ]", "a = *2DIGIT\n"),
    ('ALPHA *( ALPHA / DIGIT / "+" )', 'a = ALPHA *( ALPHA / DIGIT / "+" )\n'),
    ('"abc"', 'a = "abc"\n'),
    ('%s"a"', 'a = %s"a"\n'),
    ('%s"ab" / %s"aB"', 'a = %s"a" "b"\n'),
    ('"a" / "b"', 'a = "a" / "b"\n'),
    ('""', 'a = ""\n'),
    ('"a" / %s"B" / "+"', 'a = "+" / %s"B" / "a"\n'),
    ("DQUOTE", "a = %x22\n"),
    ("%x0 / %xD800-DFFF / %x10FFFF", "a = %x00 / %xD800-DFFF / %x10FFFF\n"),
    ("HEXDIG / WSP / VCHAR", "a = VCHAR / WSP\n"),
    ('a "x"', "a = a\n"),
    ('4( 1*3DIGIT "." )', 'a = 4( 1*3DIGIT "." )\n'),
    ('"x1" / "y1" / "z21"', None),
]


@each_row(("text", "written"), WRITTEN)
def test_small_ones(text: str, written: str | None) -> None:
    automaton = read(f"a = {text}\n")
    found = abnf_of(automaton, "a")
    assert written is None or found == written
    assert read(found) == automaton


def test_what_occurs_again_has_a_name() -> None:
    found = abnf_of(URI["IPv4address"].automaton, "address")
    assert found.startswith('address = 3( address-1 "." ) address-1\naddress-1 = "0"\n')
    assert read(found, "address") == URI["IPv4address"].automaton


@each_row("rule", one_in(3, [rule for rule in URI if rule != "OCTET" and URI[rule].automaton.states < 60]))
def test_rules_of_uris_are_the_same_again(rule: str) -> None:
    automaton = URI[rule].automaton
    text = abnf_of(automaton, "a")
    assert read(text) == automaton


def test_large_ones_have_a_rule_for_each_state() -> None:
    automaton = URI["IPv6address"].automaton
    text = abnf_of(automaton, "a")
    assert len(text) > MAX_TEXT
    assert text.count("\na-") - text.count("\na-set-") == automaton.states - 1
    assert read(text) == automaton


@st.composite
def automata(draw: st.DrawFn) -> Automaton:
    size = draw(st.integers(1, 4))
    sets = [CharSet.from_ranges([(0x30, 0x39)]), CharSet.of("Yy"), CharSet.of("x")]
    rest = ~CharSet.of("xyY0123456789")
    target = st.integers(-1, size - 1)
    rows = [[draw(target) for _ in range(len(sets) + 1)] for _ in range(size)]
    accepting = draw(st.frozensets(st.integers(0, size - 1)))
    return minimal(rows, accepting, [rest, *sets])


@law(automata(), few=6, many=60)
def test_any_automaton_is_the_same_again(automaton: Automaton) -> None:
    assert read(abnf_of(automaton, "a")) == automaton
    if automaton.table:
        assert read(_linear(automaton, "a")) == automaton


@pytest.mark.parametrize(
    ("name", "right"), [("a", True), ("a-1", True), ("1a", False), ("", False), ("a b", False)]
)
def test_names(name: str, right: bool) -> None:
    assert is_rule_name(name) is right
    if not right:
        with raises(ValueError, "argument-value", name="name"):
            abnf_of(read("a = DIGIT\n"), name)
