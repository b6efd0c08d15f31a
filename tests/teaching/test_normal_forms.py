"""Chomsky normal form, removal of left recursion and tables of spans, compared with textbooks and rules."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from random import Random

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.teaching.constructions import derivatives
from abnforge.teaching.normal_forms import (
    MAX_SYMBOLS,
    MAX_TABLE,
    Productions,
    Stage,
    cyk,
    normal_form,
    without_left_recursion,
)
from tests.law import law
from tests.raising import raises
from tests.reference.random_grammars import KINDS, grammar, short_texts

# Aho, Lam, Sethi and Ullman 2006, grammar 4.1 and its result in example 4.17; example 4.20.
EXPRESSIONS = 'e = e "+" t / t\nt = t "*" f / f\nf = "(" e ")" / "i"\n'
WITHOUT_LEFT_RECURSION = [
    (
        EXPRESSIONS,
        'e = t e-rest\ne-rest = "+" t e-rest / ""\nt = f t-rest\nt-rest = "*" f t-rest / ""\n'
        'f = "(" e ")" / "i"\n',
    ),
    (
        's = a "a" / "b"\na = a "c" / s "d" / ""\n',
        's = a "a" / "b"\na = "bd" a-rest / a-rest\na-rest = "c" a-rest / "ad" a-rest / ""\n',
    ),
    ('s = "a" s / "b"\n', 's = "a" s / "b"\n'),
    ('s = p / s "c"\np = s / "b"\n', 's = "b" s-rest\ns-rest = "c" s-rest / ""\n'),  # of no textbook: a cycle
]

# Hopcroft and Ullman 1979, example 4.9, with a start rule of its own.
NORMAL_FORM = """\
s-start = t-b a / t-a b
s = t-b a / t-a b
a = t-b a-1 / t-a s / "a"
a-1 = a a
b = t-a b-1 / t-b s / "b"
b-1 = b b
t-b = "b"
t-a = "a"
"""


def words(grammar: Productions, size: int, alphabet: str) -> set[str]:
    """Return the strings up to a length that productions derive, by enumeration without a parser.

    Each round derives strings from those of the previous round, until no new string appears.
    """
    derived: dict[str, set[str]] = {name: set() for name in grammar.rules}
    while True:
        new = {name: set(texts) for name, texts in derived.items()}
        for name, sides in grammar.rules.items():
            for side in sides:
                parts = {""}
                for symbol in side:
                    own = derived[symbol] if isinstance(symbol, str) else {*map(chr, symbol)} & {*alphabet}
                    parts = {a + b for a in parts for b in own if len(a + b) <= size}
                new[name] |= parts
        if new == derived:
            return derived[grammar.start]
        derived = new


@pytest.mark.parametrize(("text", "expected"), WITHOUT_LEFT_RECURSION)
def test_left_recursion_of_a_textbook(text: str, expected: str) -> None:
    assert without_left_recursion(abnforge.loads(text).start)[-1].grammar.abnf == expected


def test_normal_form_of_a_textbook() -> None:
    # Hopcroft and Ullman 1979, figure 4.10: S -> bA | aB, A -> bAA | aS | a, B -> aBB | bS | b.
    start = abnforge.loads('s = "b" a / "a" b\na = "b" a a / "a" s / "a"\nb = "a" b b / "b" s / "b"\n').start
    stages = normal_form(start)
    assert [stage.code for stage in stages] == ["productions", "start", "terminals", "pairs", "units"]
    assert stages[-1].grammar.abnf == NORMAL_FORM


def test_the_table_of_a_textbook() -> None:
    # Hopcroft and Ullman 1979, figure 6.8: S -> AB | BC, A -> BA | a, B -> CC | b, C -> AB | a; "baaba".
    # They have no start rule of its own.
    rule = abnforge.loads('s = a b / b c\na = b a / "a"\nb = c c / "b"\nc = a b / "a"\n').start
    table = cyk(rule, "baaba")
    assert table.cells == (
        (("b",), ("a", "c"), ("a", "c"), ("b",), ("a", "c")),
        (("s", "a"), ("b",), ("s", "c"), ("s", "a")),
        ((), ("b",), ("b",)),
        ((), ("s", "a", "c")),
        (("s", "a", "c"),),
    )
    assert table.matches
    assert (0, 5, "s") in table.used


def stages_of(start: abnforge.Rule) -> list[Stage]:
    return [*normal_form(start), *without_left_recursion(start)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_every_stage_derives_the_same_strings(kind: str, seed: int) -> None:
    start = abnforge.loads(grammar(Random(seed), kind)).start
    size = 3 if kind == "bracketed" else 4
    texts = [*short_texts(size), *(["".join(each) for each in product("a()", repeat=3)] if size == 3 else [])]
    alphabet = "ab()" if size == 3 else "ab"
    expected = {text for text in texts if start.matches(text)}
    try:
        stages = stages_of(start)
    except ValueError:  # too many symbols
        return
    for stage in stages:
        assert words(stage.grammar, size, alphabet) & {*texts} == expected
    for last in (normal_form(start)[-1], without_left_recursion(start)[-1]):
        loaded = last.grammar.load()
        assert {text for text in texts if loaded.matches(text)} == expected


@law(st.integers(0, 10**6), st.sampled_from(KINDS), st.text("ab()", max_size=7), few=15, many=200)
def test_tables_equal_the_rule(seed: int, kind: str, text: str) -> None:
    start = abnforge.loads(grammar(Random(seed), kind)).start
    try:
        table = cyk(start, text)
    except ValueError:
        return
    assert table.grammar.is_chomsky
    assert table.matches is start.matches(text)
    assert bool(table.used) is (table.matches and text != "")
    for begin, length, name in table.used:
        assert name in table.cells[length - 1][begin]


@law(st.integers(0, 10**6), st.sampled_from(KINDS), few=15, many=200)
def test_left_recursion_is_removed(seed: int, kind: str) -> None:
    start = abnforge.loads(grammar(Random(seed), kind)).start
    try:
        last = without_left_recursion(start)[-1].grammar
    except ValueError:
        return
    assert not last.left_recursive
    if last.rules[last.start]:
        assert not last.load().grammar.compilation.facts.left_recursive


SYMBOLS = st.sampled_from(("r0", "r1", "r2", '"a"', '"b"'))
SIDES = st.one_of(
    st.sampled_from(("r0", "r1", "r2")),
    st.lists(SYMBOLS, max_size=3).map(lambda side: " ".join(side) or '""'),
)
CYCLIC = st.lists(st.lists(SIDES, min_size=1, max_size=4).map(" / ".join), min_size=3, max_size=3)


@law(CYCLIC, few=15, many=200)
def test_cyclic_grammars(bodies: list[str]) -> None:
    start = abnforge.loads("".join(f"r{number} = {body}\n" for number, body in enumerate(bodies))).start
    expected = {text for text in short_texts(4) if start.matches(text)}
    stages = without_left_recursion(start)
    assert all(words(stage.grammar, 4, "ab") == expected for stage in stages)
    assert not stages[-1].grammar.left_recursive
    last = normal_form(start)[-1].grammar
    assert last.is_chomsky
    assert words(last, 4, "ab") == expected
    with suppress(ValueError, abnforge.LimitExceeded):  # too many terms or steps
        assert derivatives(start, "ab")[-1].nullable is ("ab" in expected)


def test_rules_of_standards() -> None:
    for name, texts in [("rfc3986:IPv4address", ["1.2.3.4", "1.2.3"]), ("rfc8259:value", ["[1,{}]", "[1,]"])]:
        rule = abnforge.rule(name)
        for stage in stages_of(rule):
            assert [stage.grammar.load().matches(text) for text in texts] == [True, False]


def test_an_empty_language() -> None:
    start = abnforge.loads('r = "a" r\n').start
    for stages in (normal_form(start), without_left_recursion(start)):
        assert [(each.code, each.grammar.abnf) for each in stages] == [
            ("productions", 'r = "a" r\n'),
            ("useless", "r = r\n"),
        ]
        assert not stages[-1].grammar.defined
        assert stages[-1].grammar.is_chomsky
    assert not cyk(start, "a").matches
    assert not normal_form(start)[-1].grammar.load().matches("a")


def test_sets_of_rules() -> None:
    uri = abnforge.load("rfc3986")
    for rule in (uri["port"].at_most(3), uri["host"] & uri["IPv4address"], uri["dec-octet"] - uri["DIGIT"]):
        texts = ["", "1", "25", "1.2.3.4"]
        for stage in stages_of(rule):
            assert [stage.grammar.load().matches(each) for each in texts] == list(map(rule.matches, texts))
        assert [cyk(rule, each).matches for each in texts] == list(map(rule.matches, texts))
        assert [derivatives(rule, each)[-1].nullable for each in texts] == list(map(rule.matches, texts))


def test_names_that_are_not_of_rfc_5234() -> None:
    start = abnforge.loads("a_b = a_b `x' | `y'\na-b = `z'\n".replace("`", '"').replace("'", '"')).start
    for stage in stages_of(start):
        assert stage.grammar.load().matches("yx")


def test_bytes() -> None:
    start = abnforge.loads("r = %xFF r / %x00\n", alphabet="bytes").start
    assert cyk(start, b"\xff\x00").matches
    assert normal_form(start)[-1].grammar.load().matches(b"\xff\x00")


def test_limits() -> None:
    for text in (f'r = {MAX_SYMBOLS}"ab" r / ""\n', 'r = 99999999*999999999"a"\n', f"r = 0*{MAX_SYMBOLS}r\n"):
        for function in (normal_form, without_left_recursion):
            with raises(ValueError, "productions-too-large", rule="r"):
                function(abnforge.loads(text)["r"])
    nullable = "r = " + " ".join(f"r{number}" for number in range(20)) + " r\n"
    nullable += "".join(f'r{number} = "a" / ""\n' for number in range(20))
    with raises(ValueError, "productions-too-large", rule="r"):
        without_left_recursion(abnforge.loads(nullable.replace(" r\n", ' r / "x"\n'))["r"])
    # A long chain of rules is read in linear time.
    chain = "".join(f'r{number} = r{number + 1} "x"\n' for number in range(1_500)) + 'r1500 = "a"\n'
    assert len(without_left_recursion(abnforge.loads(chain)["r0"])) == 1
    with raises(ValueError, "construction-text-long", length=MAX_TABLE + 1):
        cyk(abnforge.loads('r = *"a"\n')["r"], "a" * (MAX_TABLE + 1))
    assert cyk(abnforge.loads('r = *"a"\n')["r"], "a" * MAX_TABLE).matches
    for function in (normal_form, without_left_recursion):
        with pytest.raises(abnforge.GrammarError):
            function(abnforge.loads("r = <any words at all>\n")["r"])
