"""Structural proofs are right, and prove that rules that differ only in notation are equal."""

from __future__ import annotations

import re
from itertools import permutations
from random import Random

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.automata.algebra import BOTH, ONLY_LEFT, ONLY_RIGHT
from abnforge.budget import DEFAULT, Budget
from abnforge.comparison.structure import provably_empty_regions
from tests.law import each_row, law
from tests.reference.derive import Language
from tests.reference.random_grammars import ALPHABET, BRACKETS, KINDS, grammar

# Enough for real grammars, but not for some random grammars.
SMALL = Budget(steps=30_000)


def shown(left: abnforge.Rule, right: abnforge.Rule, budget: Budget = DEFAULT) -> tuple[bool, bool]:
    """Return whether the left rule is proved to be a subset of the right rule, and the reverse."""
    empty = provably_empty_regions(left, right, budget.meter("a test"))
    return ONLY_LEFT in empty, ONLY_RIGHT in empty


EXPRESSIONS = """
sum = product *( ("+" / "-") product )
product = factor *( ("*" / "/") factor )
factor = 1*DIGIT / "(" sum ")"
"""
# EXPRESSIONS with left recursion, other names, and single digits.
LEFT = """
e = e "+" t / e "-" t / t
t = t "*" f / t "/" f / f
f = "(" e ")" / n
n = DIGIT / n DIGIT
"""
# EXPRESSIONS with right recursion.
RIGHT = """
e = t [ ("-" / "+") e ]
t = f [ ("/" / "*") t ]
f = n / "(" e ")"
n = DIGIT [ n ]
"""
PAIRS = [("sum", "e"), ("product", "t"), ("factor", "f")]


@each_row("text", [LEFT, RIGHT])
@each_row(("rule", "counterpart"), PAIRS)
def test_one_language_in_three_ways(text: str, rule: str, counterpart: str) -> None:
    one, other = abnforge.loads(EXPRESSIONS), abnforge.loads(text)
    assert shown(one[rule], other[counterpart]) == (True, True)


# Left rule, right rule, proved relation, whether it holds.
CASES = [
    ('v = "[" *v "]" / "x"', 'v = "[" *v "]" / "x" / "y"', (True, False), "an alternative more"),
    ('v = "[" *v "]" / "x"', 'v = "[" 1*v "]" / "x"', (False, True), "a count that is less"),
    ('v = "[" *v "]" / "x"', 'v = "(" *v ")" / "x"', (False, False), "other brackets"),
    ('v = "(" v ")" / ""', 'v = *( "(" ) *( ")" )', (True, False), "a regular one that is wider"),
    ('v = "a" *"b"', 'v = v "b" / "a"', (True, True), "both are regular"),
    ('v = "x" v', 'v = "(" v ")" / "y"', (True, False), "the one derives nothing"),
    ('v = "x" v', 'v = "y" v v', (True, True), "both derive nothing"),
    ('v = "(" v ")" / %s"a"', 'v = "(" v ")" / "A"', (True, False), "letters of both cases"),
    ('v = "(" w ")" / "x"\nw = v', 'v = "(" v ")" / "x"', (True, True), "another name between"),
    ('v = v v / "x"', 'v = 1*"x"', (True, False), "what it means together is not seen"),
    ('v = "(" v ")" / "x"', 'v = *( "(" / "x" / ")" )', (True, False), "a regular one without recursion"),
]


@each_row(("left", "right", "expected", "why"), CASES)
def test_inclusion_of_two_rules(left: str, right: str, expected: tuple[bool, bool], why: str) -> None:
    assert shown(abnforge.loads(f"{left}\n")["v"], abnforge.loads(f"{right}\n")["v"]) == expected


def test_combined_rules() -> None:
    rules = abnforge.loads('v = "[" *v "]" / "x"\nflat = *( "[" / "]" / "x" )\nlong = 9*%x20-7E\n')
    short = rules["flat"] - rules["long"]
    assert shown(rules["v"], rules["flat"] | rules["long"]) == (True, False)
    assert shown(rules["v"], short) == (False, False)
    assert shown(short, rules["flat"]) == (True, False)


def test_nothing_is_shown_beyond_the_budget() -> None:
    rule = abnforge.loads(EXPRESSIONS)["sum"]
    assert shown(rule, rule, Budget(steps=50)) == (False, False)


@pytest.mark.parametrize(
    ("regular", "disjoint"), [('*"("', True), ('*( "(" / ")" )', True), ('*"(" "x"', False), ('"()x"', True)]
)
def test_disjoint_regular_rules(regular: str, disjoint: bool) -> None:
    rules = abnforge.loads(f'v = "(" v ")" / "x"\nr = {regular}\n')
    for pair in permutations((rules["v"], rules["r"])):
        assert (BOTH in provably_empty_regions(*pair, DEFAULT.meter("a test"))) is disjoint


def check(seed: int, kind: str, longest: int) -> int:
    """Return the number of regions of two random rules that are proved empty; check that each is empty."""
    source = Random(seed)
    rules = []
    for _ in range(2):
        loaded = abnforge.loads(grammar(source, kind))
        strings = Language(loaded.core, ALPHABET + BRACKETS[: 2 * (kind == "bracketed")], longest).strings
        rules += [(rule, strings[rule.name]) for rule in loaded.own_rules]
    count = 0
    for (one, left), (other, right) in permutations(rules, 2):
        empty = provably_empty_regions(one, other, SMALL.meter("a test"))
        results = {ONLY_LEFT: left - right, ONLY_RIGHT: right - left, BOTH: left & right}
        assert not any(results[region] for region in empty), (one.definition, other.definition, empty)
        count += len(empty)
    return count


def test_what_is_shown_is_so() -> None:
    assert sum(check(0, kind, 2) for kind in KINDS[::12]) > 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_shown_is_so_of_many(kind: str) -> None:
    assert sum(check(seed, kind, 4) for seed in range(100, 108)) > 20


@law(st.integers(0, 10**6), st.sampled_from(KINDS), few=6, many=80)
def test_names_do_not_matter(seed: int, kind: str) -> None:
    text = grammar(Random(seed), kind)
    renamed = re.sub(r"(?<![a-z])r(?=\d)", "xr", text)
    rule, same = abnforge.loads(text)["r0"], abnforge.loads(renamed)["xr0"]
    assert shown(rule, same, SMALL) == shown(rule, rule, SMALL)
