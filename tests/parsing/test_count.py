"""The number of derivations of a string equals known numbers and the result of an enumeration."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st

import abnforge
from abnforge.budget import Budget
from abnforge.grammar.core import Ref
from abnforge.parsing.api import DerivationParser
from tests.law import each_row, law
from tests.reference.derivations import Derivation, _deep, _Derivations
from tests.reference.random_grammars import KINDS, grammar, short_texts
from tests.work import calls

CATALAN = [math.comb(2 * n, n) // (n + 1) for n in range(300)]

# Maximum number of derivations to enumerate.
MOST = 40

# Grammar, string, number of derivations.
COUNTS = [
    *(('s = s s / "a"\n', "a" * (n + 1), CATALAN[n]) for n in (0, 1, 2, 3, 10, 40)),
    ('s = s s / "a"\n', "", 0),
    ('s = s s / "a"\n', "ab", 0),
    ('s = "(" s ")" / "x" / %x78\n', "((x))", 1),  # adjacent single characters form one set
    ('s = "(" s ")" / "x" / "x" *"y"\n', "((x))", 2),
    ('s = *t *t\nt = "x"\n', "xxx", 4),
    ('s = 2*3t\nt = "x" / t t\n', "xxx", 3),  # 2 for two characters, 1 for three
    ('s = "i" s / "i" s "e" s / "x"\n', "iiixex", 3),
    ('s = 2t "x"\nt = *"x" / t t "y"\n', "x", 1),
    # A rule that contains itself over the same span.
    ('s = s / "a"\n', "a", math.inf),
    ('s = s / "a"\n', "b", 0),
    ('s = [ s ] s / "a"\n', "a", math.inf),
    ('s = "b" t / "a"\nt = t / "c" / s\n', "a", 1),
    ('s = "b" t / "a"\nt = t / "c" / s\n', "ba", math.inf),
    # Such a rule counts only if it is a part of a derivation of the whole string.
    ('s = t "b" / "a" "c"\nt = t / "a"\n', "ac", 1),
    ('s = *s "a"\n', "aa", 1),
    ('s = "" / s s\n', "", math.inf),
]


def derivations(text: str) -> DerivationParser:
    return DerivationParser(abnforge.loads(text).facts, Budget())


@each_row(("text", "string", "number"), COUNTS)
def test_counts(text: str, string: str, number: float) -> None:
    assert derivations(text).count("s", string) == number


def test_counts_of_long_ambiguous_strings() -> None:
    """The count takes only a few calls for each pair of positions."""
    reader = derivations('s = s s / "a"\n')
    for length, most in ((30, 22_000), (60, 86_000)):
        assert reader.count("s", "a" * length) == CATALAN[length - 1]
        assert calls(reader.count, "s", "a" * length) < most


@pytest.mark.slow
def test_counts_of_longer_ambiguous_strings() -> None:
    ambiguous = 's = s s / "a"\n'
    assert derivations(ambiguous).count("s", "a" * 300) == CATALAN[299]


def test_counting_nests_no_calls() -> None:
    reader = derivations('s = "(" s ")" / "x" / *"y" *"y"\n')
    assert reader.count("s", "(" * 500 + "x" + ")" * 500) == 1
    assert reader.count("s", "(" * 200 + "y" * 20 + ")" * 200) == 21


class _Repeating(_Derivations):
    """Enumerates derivations; a rule may be inside itself over the same span, once."""

    def _all(self, part: Any, begin: int, end: int, inside: frozenset[str]) -> list[Derivation]:
        if not isinstance(part, Ref):
            return super()._all(part, begin, end, inside)
        name = part.key + "'" if part.key in inside else part.key
        if name in inside:
            return []
        return self.of(self._core.rules[part.key], begin, end, inside | {name})


@law(st.integers(0, 10**9), st.sampled_from(KINDS), few=12, many=600)
def test_counts_of_random_grammars(seed: int, kind: str) -> None:
    rules = abnforge.loads(grammar(Random(seed), kind))
    reader = DerivationParser(rules.facts, Budget())
    cyclic = not rules.facts.cyclic.isdisjoint(rules.facts.reachable("r0"))
    for text in short_texts(1 if cyclic else 3):
        number = reader.count("r0", text)
        once = _number(_Derivations(rules.core, text, MOST), text)
        if cyclic and once < MOST:
            twice = _number(_Repeating(rules.core, text, MOST), text)
            assert number == (once if once == twice else math.inf), text
        else:
            assert min(number, MOST) == once, text


def _number(made: _Derivations, text: str) -> int:
    with _deep():
        return len(made.of(Ref("r0"), 0, len(text), frozenset()))
