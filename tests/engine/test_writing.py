"""An automaton written as ABNF keeps its language, and is a rule like any other."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.automata.dfa import Automaton, minimal
from abnforge.charset import CharSet
from abnforge.engine.writing import MAX_TEXT, _linear, abnf_of, is_rule_name, rule_of
from tests.law import each_row, law, one_in
from tests.raising import raises

URI = abnforge.load("rfc3986")


def read(text: str, name: str = "a") -> Automaton:
    return abnforge.loads(text, cache=False)[name].automaton


# A definition, and its automaton written as ABNF.
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
    result = abnf_of(automaton, "a")
    assert written is None or result == written
    assert read(result) == automaton


def test_repeated_subexpressions_have_names() -> None:
    result = abnf_of(URI["IPv4address"].automaton, "address")
    assert result.startswith('address = 3( address-1 "." ) address-1\naddress-1 = "0"\n')
    assert read(result, "address") == URI["IPv4address"].automaton


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


def ring(size: int) -> Automaton:
    """Return an automaton over x and y: y minus x is a multiple of a number.

    Its states form one large group.
    """
    x, y = CharSet.of("x"), CharSet.of("y")
    rows = [[(state + 2) % size, (state + 3) % size, -1] for state in range(size)]
    return minimal(rows, frozenset((0,)), [x, y, ~(x | y)])


RULES = ["port", "dec-octet", "IPv4address", "IPv6address"]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_like_the_one_that_it_is_of(name: str) -> None:
    rule = rule_of(URI[name].automaton, "a", "mine")
    assert rule.automaton == URI[name].automaton
    assert rule.regular
    assert abnforge.compare(rule, URI[name]).relation == "equal"
    for text in ("", "1", "255", "1.2.3.4", "::1", "a:b", "a://b:80?c#d", "!", "256"):
        assert rule.matches(text) is URI[name].matches(text)
        rejection, other = rule.explain(text), URI[name].explain(text)
        assert (rejection and rejection.offset) == (other and other.offset)


@pytest.mark.parametrize("size", [5, 7, 13, 29])
def test_large_groups_of_states(size: int) -> None:
    """The limit for recursive rules in grammars does not apply here."""
    automaton = ring(size)
    rule = rule_of(automaton, "a", "mine")
    assert rule.regular
    assert rule.automaton == automaton
    for text in ("", "x" * size, "xy", "x" * (size - 1), "xyx" * size, "xz"):
        assert rule.matches(text) is automaton.accepts(text)
        assert rule.matches(text, engine="lark") is automaton.accepts(text)
        rejection = rule.explain(text)
        assert (rejection is None) is automaton.accepts(text)
    assert (rule & URI["scheme"]).matches("x" * size)
    if size > 13:
        assert rule.pattern is None
        with raises(ValueError, "export-failed", rule="a", dialect="re2"):
            rule.export("re2")


def test_it_travels() -> None:
    for automaton in (ring(13), URI["port"].automaton):
        rule = rule_of(automaton, "a", "mine")
        again = pickle.loads(pickle.dumps(rule))
        assert again == rule
        assert again.automaton == automaton


def test_other_rules_are_compiled() -> None:
    rule = rule_of(URI["IPv4address"].automaton, "a", "mine")
    assert rule.grammar["a-1"].automaton == URI["dec-octet"].automaton
    assert rule_of(ring(29), "a", "mine").grammar["a-1"].regular is False
