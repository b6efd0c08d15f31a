"""Sentences that cover a part: they do, and are the shortest that do, as far as brute force can tell."""

from __future__ import annotations

from random import Random

import pytest

import abnforge
from abnforge.budget import DEFAULT, Budget
from abnforge.conformance.coverage import covering
from abnforge.conformance.usage import marked_rules
from tests.law import one_in
from tests.reference.random_grammars import KINDS, grammar, short_texts
from tests.reference.uses import uses

TEXTS = list(short_texts(5))


def covered(text: str) -> list[tuple[str, str | None, int | None]]:
    """Each part, its sentence, and the length of the shortest text that uses it, if that is short."""
    rule = abnforge.loads(text)["r0"]
    marked = marked_rules(rule)
    sentences = covering(marked, "r0", range(len(marked.parts)), DEFAULT)
    shortest: dict[int, int] = {}
    for each in TEXTS:
        for part, _, _ in uses(marked, "r0", each) or ():
            shortest.setdefault(part, len(each))
    for part, sentence in enumerate(sentences):
        if sentence is not None:
            assert part in {number for number, _, _ in uses(marked, "r0", sentence) or ()}
    names = (f"{each.part.kind} {each.part.source}" for each in marked.parts)
    return [
        (name, text, shortest.get(n)) for n, (name, text) in enumerate(zip(names, sentences, strict=True))
    ]


BY_HAND = [
    'r0 = "a" / "b" / "ab"\n',
    "r0 = r1 / %x61 %x62\nr1 = r2\nr2 = r3\nr3 = %x62\n",  # shortest by characters, not by rules
    'r0 = *"a" [ "b" ] 1*2"a"\n',
    'r0 = 1*( ["a"] ) 2*( ["b"] )\n',
    'r0 = "a" r0 "b" / *r1\nr1 = "b" [ r0 "b" ]\n',
    'r0 = r0 "a" / r0 "b" / "a"\n',
    'r0 = "a" / 1*"a"\n',  # the shortest string of the second is read by the first
]


@pytest.mark.parametrize("text", BY_HAND)
def test_shortest(text: str) -> None:
    for name, sentence, shortest in covered(text):
        assert (None if sentence is None else len(sentence)) == shortest, name


@pytest.mark.parametrize("text", ['r0 = "a" / "a"\n', 'r0 = "a" / "b" r1\nr1 = "a" r1\n', 'r0 = [ *"a" ]\n'])
def test_what_nothing_covers(text: str) -> None:
    """A second alternative that reads the same, a rule that derives nothing, an option that reads nothing."""
    found = covered(text)
    assert any(sentence is None for _, sentence, _ in found)
    assert all((sentence is None) is (shortest is None) for _, sentence, shortest in found)


def test_a_rule_without_strings() -> None:
    assert {sentence for _, sentence, _ in covered('r0 = "a" r0\n')} == {None}


@pytest.mark.parametrize(("kind", "seed"), one_in(20, [(kind, seed) for seed in range(6) for kind in KINDS]))
def test_random_grammars(kind: str, seed: int) -> None:
    """What is told covers its part; where none of many tried does, nothing is told."""
    source = Random(f"covering {kind} {seed}")
    while True:
        text = grammar(source, kind)
        facts = abnforge.loads(text).facts
        if facts.cyclic.isdisjoint(facts.reachable("r0")):
            break
    found = covered(text)
    derives = "r0" in abnforge.loads(text).facts.productive
    assert any(sentence is not None for _, sentence, _ in found) is derives


def test_it_ends_with_the_budget() -> None:
    rule = abnforge.load("rfc3986")["URI"]
    marked = marked_rules(rule)
    assert covering(marked, rule.key, [0, 5], Budget(steps=10)) == [None, None]
