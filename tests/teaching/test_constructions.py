"""First and follow sets, subset construction and minimization, compared with derivations and automata."""

from __future__ import annotations

from itertools import pairwise, product
from random import Random

import pytest

import abnforge
from abnforge.charset import CharSet
from abnforge.teaching.constructions import (
    CONSTRUCTIONS,
    MAX_DERIVATIVES,
    MAX_RULES,
    Construction,
    build,
    construction,
    constructions_data,
    derivatives,
    rule_sets,
)
from tests.raising import raises
from tests.reference.random_grammars import KINDS, grammar, short_texts

# Aho, Lam, Sethi and Ullman 2006, examples 4.28 and 4.30, in ABNF.
TEXTBOOK = """
e = t e1
e1 = [ "+" t e1 ]
t = f t1
t1 = [ "*" f t1 ]
f = "(" e ")" / "i"
"""
# By rule: nullable, first and follow; "$" is the end.
SETS = {
    "e": (False, "(i", ")$"),
    "e1": (True, "+", ")$"),
    "t": (False, "(i", "+)$"),
    "t1": (True, "*", "+)$"),
    "f": (False, "(i", "*+)$"),
}
# A rule, and the characters that do not decide; "$" is the end.
CONFLICTS = [
    ('r = "a" / "b"', ""),
    ('r = "ab" / "ac" / "d"', "a"),
    ('r = *"a" "a"', "a"),
    ('r = *"a" "b"', ""),
    ('r = ["x"] ["y"] "x"', "x"),
    ('r = *"a" / *"b"', "$"),
    ('r = *( *"a" )', "a$"),
    ('r = 2"a" "a"', ""),
    ('r = "i" r [ "e" r ] / "s"', "e"),
]


def chars(text: str) -> CharSet:
    return CharSet.of(text.replace("$", "") + text.replace("$", "").upper())


def test_the_sets_of_a_textbook() -> None:
    for row in rule_sets(abnforge.loads(TEXTBOOK)["e"]):
        nullable, first, follow = SETS[row.rule.name]
        assert (row.nullable, row.first, row.follow) == (nullable, chars(first), chars(follow))
        assert row.end is ("$" in follow)
        assert not row.conflicts
        assert not row.end_conflict


@pytest.mark.parametrize(("text", "expected"), CONFLICTS)
def test_conflicts(text: str, expected: str) -> None:
    row = rule_sets(abnforge.loads(f"{text}\n")["r"])[0]
    assert (row.conflicts, row.end_conflict) == (chars(expected), "$" in expected)


@pytest.mark.parametrize("seed", range(12))
def test_sets_contain_the_characters_of_all_trees(seed: int) -> None:
    start = abnforge.loads(grammar(Random(seed), "recursive")).start
    rows = {row.rule.name: row for row in rule_sets(start)}
    seen = 0
    for length in range(6):
        for letters in product("ab", repeat=length):
            text = "".join(letters)
            if not start.matches(text):
                continue
            seen += 1
            for name, begin, end in start.events(text):
                row = rows[name]
                assert row.nullable if begin == end else text[begin] in row.first
                assert row.end if end == len(text) else text[end] in row.follow
    assert seen or not rows[start.name].first


def simulated(steps: Construction, text: str) -> tuple[bool, bool]:
    """Return the verdicts of the nondeterministic automaton and of the subset automaton."""
    current, subset = {0}, 0
    for char in text:
        column = next((n for n, chars in enumerate(steps.classes) if char in chars), None)
        if column is None:
            return False, False
        current = {target for state in current for target in steps.nfa[state][column]}
        subset = steps.rows[subset][column] if subset >= 0 else subset
    return bool(current & steps.accepting), subset >= 0 and steps.accepts(subset)


@pytest.mark.parametrize("name", ["dec-octet", "scheme", "port", "IPv4address", "pct-encoded", "path-empty"])
def test_both_automata_equal_the_rule(name: str) -> None:
    rule = abnforge.load("rfc3986")[name]
    steps = construction(rule)
    source = Random(name)
    texts = ["", "0", "25", "255", "256", "1.2.3.4", "%41", "a+b"]
    texts += ["".join(source.choices("0125.%Aa+", k=source.randrange(9))) for _ in range(200)]
    for text in texts:
        assert simulated(steps, text) == (rule.matches(text),) * 2


def test_refinement_ends_with_the_states_of_the_minimal_automaton() -> None:
    compared = 0
    for seed in range(40):
        rule = abnforge.loads(grammar(Random(seed), "regular")).start
        try:
            steps = construction(rule)
        except ValueError:  # too many states
            continue
        compared += 1
        assert len(steps.rounds[-1]) == rule.automaton.states
        for earlier, later in pairwise(steps.rounds):
            assert len(earlier) < len(later)
            assert all(any({*block} <= {*whole} for whole in earlier) for block in later)
    assert compared >= 20


# The derivatives of (a|b)*abb along "aabb", as in courses: (a|b)*abb stays, with a suffix of abb.
ENDS_IN_ABB = [
    ("r", False),
    ('*( "a" / "b" ) "abb" / "bb"', False),
    ('*( "a" / "b" ) "abb" / "bb"', False),
    ('*( "a" / "b" ) "abb" / "b"', False),
    ('*( "a" / "b" ) "abb" / ""', True),
]


def test_derivatives_of_a_textbook() -> None:
    steps = derivatives(abnforge.loads('r = *("a" / "b") "abb"\n')["r"], "aabb")
    assert [(step.expression, step.nullable) for step in steps] == ENDS_IN_ABB


SLOW = pytest.mark.slow  # cyclic rules have many terms


@pytest.mark.parametrize(
    "kind", [pytest.param(each, marks=[SLOW] if each == "cyclic" else []) for each in KINDS]
)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=SLOW)])
def test_derivatives_equal_the_rule(kind: str, seed: int) -> None:
    source = grammar(Random(seed), kind)
    start = abnforge.loads(source).start
    for text in map("".join, product("ab", repeat=3)):
        try:
            steps = derivatives(start, text)
        except (ValueError, abnforge.LimitExceeded):  # too many terms
            continue
        for size, step in enumerate(steps):
            assert step.nullable is start.matches(text[:size])
        if len(steps) <= len(text) or not steps[-1].terms:
            dead = text[: len(steps) - 1]
            assert not any(start.matches(dead + more) for more in short_texts(3))
        elif kind in ("regular", "bracketed") and start.regular:  # the terms are ABNF of the same grammar
            rest = abnforge.loads(f"derivative = {steps[-1].expression}\n{source}")["derivative"]
            for more in short_texts(3):
                assert rest.matches(more) is start.matches(text + more)


def test_all_constructions() -> None:
    host = abnforge.load("rfc3986")["IPv4address"]
    data = constructions_data(host, "1.2.3.4")
    assert set(data) == {"rule", *(name.replace("-", "_") for name in CONSTRUCTIONS)}
    assert data["cyk"]["matches"] is True
    assert [each["nullable"] for each in data["derivatives"]].count(True) == 1
    assert data["normal_form"][-1]["code"] == "units"
    recursive = constructions_data(abnforge.loads(TEXTBOOK)["e"])
    assert recursive["steps"]["error"]["code"] == "construction-regular"
    assert "cyk" not in recursive
    with pytest.raises(ValueError, match="name must be"):
        build("lr", host)


def test_an_empty_language() -> None:
    steps = construction(abnforge.loads('r = "a" r\n')["r"])
    assert (steps.rounds, steps.classes) == (((),), ())
    assert simulated(steps, "a") == (False, False)


def test_limits() -> None:
    uri = abnforge.load("rfc3986")["URI"]
    with raises(ValueError, "construction-too-large", rule="URI"):
        construction(uri)
    with raises(ValueError, "construction-regular", rule="r"):
        construction(abnforge.loads('r = "(" [ r ] ")"\n')["r"])
    with raises(ValueError, "construction-text-long", length=MAX_DERIVATIVES + 1):
        derivatives(uri, "a" * (MAX_DERIVATIVES + 1))
    with raises(ValueError, "construction-terms", rule="r"):
        derivatives(
            abnforge.loads('r = *"a" *( *"a" "b" / 70*80( *"a" "c" ) / 1*99"a" 1*99"a" )\n')["r"], "a" * 90
        )
    many = "".join(f"r{number} = r{number + 1}\n" for number in range(MAX_RULES)) + f'r{MAX_RULES} = "a"\n'
    with raises(ValueError, "table-too-large", rule="r0"):
        rule_sets(abnforge.loads(many)["r0"])
    for function in (construction, rule_sets, lambda rule: derivatives(rule, "")):
        with pytest.raises(abnforge.GrammarError):
            function(abnforge.loads("r = <any words at all>\n")["r"])
