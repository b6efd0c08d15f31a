"""Repairs: the cheapest ones, all of them, compared with a search that tries every edit."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import permutations
from random import Random

import pytest

import abnforge
from tests.law import each_row, one_in
from tests.reference.hostile_grammars import GRAMMARS
from tests.reference.random_grammars import KINDS, grammar, short_texts
from tests.reference.recognizer import Recognizer
from tests.reference.repairs import cheapest_repairs, strings_of

EVERY = "aAbB()"
SIZES = {"bracketed": ("ab()", 3, 2)}  # by kind: the alphabet, the length of strings, the number of edits


def verdict(rule: abnforge.Rule) -> Callable[[str], bool]:
    """Return the verdict of the reference recognizer, which keeps its results."""
    recognizer = Recognizer(rule.grammar.core, rule.key)
    return cache(lambda text: recognizer.read(text).valid)


def compare(
    rule: abnforge.Rule, is_valid: Callable[[str], bool], text: str, alphabet: str, most: int
) -> bool:
    """Compare the repairs of a string with those of the reference; return whether both found some."""
    rejection = rule.explain(text, suggest=False)
    assert rejection is not None
    repairs = rejection.repairs
    expected = cheapest_repairs(is_valid, text, alphabet, most)
    assert all(is_valid(repair.text) and repair.cost == len(repair.edits) for repair in repairs)
    edits = [[(e.start, e.end, e.chars) for e in repair.edits] for repair in repairs]
    sets = [strings_of(text, each, alphabet) for each in edits]
    if len(edits) < 50:
        all_sets = [strings_of(text, each, EVERY) for each in edits]
        assert not any(one <= other for one, other in permutations(all_sets, 2))
    if expected is None:
        assert all(repair.cost > most for repair in repairs)
        return False
    cost, strings = expected
    assert {repair.cost for repair in repairs} <= {cost}
    assert frozenset().union(*sets) <= strings
    if rejection.repairs_complete:
        assert frozenset().union(*sets) == strings
    return rejection.repairs_complete


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", one_in(10, range(30)))
def test_random_grammars(kind: str, seed: int) -> None:
    source = Random(f"repairs {kind} {seed}")
    complete = wrong = 0
    for _ in range(3):
        start = abnforge.loads(grammar(source, kind)).start
        is_valid = verdict(start)
        alphabet, length, most = SIZES.get(kind, ("ab", 4, 3))
        for text in source.sample(list(short_texts(length, alphabet)), 6):
            if not start.matches(text):
                wrong += 1
                complete += compare(start, is_valid, text, alphabet, most)
    assert complete >= wrong // 4


@pytest.mark.parametrize("name", one_in(8, GRAMMARS))
def test_hostile_grammars(name: str) -> None:
    text, _ = GRAMMARS[name]
    rule = abnforge.loads(text)["r"]
    alphabet = "".join(sorted(set("".join(re.findall('"([^"]*)"', text)))))
    is_valid = verdict(rule)
    source = Random(name)
    for _ in range(8):
        string = "".join(source.choices(alphabet, k=3))
        if not rule.matches(string):
            compare(rule, is_valid, string, alphabet, 2)


# Rule, string, the cost, and the repaired strings with their possible characters.
EXPRESSION = 'r = t *( "+" t )\nt = 1*%x30-39 / "(" r ")"\n'
CASES = [
    (EXPRESSION, "(1", ["(1)", "1", "01"]),
    (EXPRESSION, "1+", ["1+0", "1", "10"]),
    (EXPRESSION, "", ["0"]),
    (EXPRESSION, "1++2", ["1+2", "1+0+2", "1+02", "10+2"]),
    ('r = "ab" / "b"\n', "aab", ["ab"]),
    ('r = *"ab" "c"\n', "abab", ["abc", "ababc"]),
    ('r = "x" / r\n', "xy", ["x"]),
    ('r = "x" r\n', "x", []),
    ("r = 3*5%x30-39\n", "1x2", ["102"]),
]


@each_row("text, string, repaired", CASES)
def test_repaired_strings(text: str, string: str, repaired: list[str]) -> None:
    rejection = abnforge.loads(text)["r"].explain(string)
    assert rejection is not None
    assert [repair.text for repair in rejection.repairs] == repaired
    assert rejection.repairs_complete
