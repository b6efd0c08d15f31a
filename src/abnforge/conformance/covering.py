"""Sentences that use a part of a grammar: what to add to a corpus so that it covers what it never used.

A cheapest derivation with the part in it is not always the preferred one of its text: ``1`` with the second
alternative of ``DIGIT / 1*DIGIT`` in it is read by the first. So whatever is proposed is read, and told only
if the part is used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from random import Random

from abnforge.budget import Budget
from abnforge.conformance.parts import MarkedRules
from abnforge.conformance.usage import MarkReader
from abnforge.errors import LimitExceeded
from abnforge.grammar.facts import Facts
from abnforge.grammar.sentences import SHORTEST, Sentences

# Sentences that are read beside the cheapest with each part in place: short ones for everything that the
# grammar says, those with a part in place and what is below it varied, and random ones.
MAX_SYSTEMATIC = 500
MAX_VARIED = 20
MAX_RANDOM = 200

# What reading one of these costs, in steps of the budget for all of them, and how many parts of the grammar
# are a step of any reading; and what of the budget reading a text by a rule that recurses may take itself.
PARTS_A_STEP = 30
STEPS_A_TEXT = 1_000
STEPS_A_CHARACTER = 10
TEXT_SHARE = 0.05

_SIZES = (5, 10, 20, 40)
_SEED = 3986


def covering(marked: MarkedRules, key: str, wanted: Sequence[int], budget: Budget) -> list[str | None]:
    """For each wanted part, by its number, a short sentence of a rule that uses it; None where none was found
    within the budget.

    A shortest one, where the cheapest derivation with the part in it is the preferred one of its text.
    """
    found: dict[int, str | None] = {}
    with suppress(LimitExceeded):
        _Search(marked, key, budget).find(wanted, found)
    return [found.get(part) for part in wanted]


class _Search:
    def __init__(self, marked: MarkedRules, key: str, budget: Budget) -> None:
        self._marked = marked
        self._key = key
        self._meter = budget.meter(f"covering {marked.plain.names[key]}")
        facts = Facts(marked.plain)
        recursive = not facts.recursive.isdisjoint(facts.reachable(key))
        self._share = int(TEXT_SHARE * budget.steps) if recursive else budget.steps
        self._reader = MarkReader(marked, key, replace(budget, steps=self._share))
        self._sentences = Sentences(marked.plain, facts, budget, SHORTEST)
        self._known: dict[str, frozenset[int]] = {}

    def find(self, wanted: Sequence[int], found: dict[int, str | None]) -> None:
        """Fill in the sentences of the wanted parts."""
        for part in wanted:
            found[part] = next((text for text in self._in_place(part, 1) if part in self._uses(text)), None)
        for texts in (self._systematic(), self._varied(wanted, found), self._random()):
            missing = {part for part in wanted if found[part] is None}
            for text in texts if missing else ():
                self._meter.charge(STEPS_A_TEXT + STEPS_A_CHARACTER * len(text))
                for part in missing & self._uses(text):
                    known = found[part]
                    if known is None or (len(text), text) < (len(known), known):
                        found[part] = text

    def _in_place(self, part: int, count: int) -> Iterator[str]:
        """So many sentences with a part in place."""
        place = self._marked.parts[part]
        return islice(self._sentences.readings(self._key, place.node, place.chosen), count)

    def _systematic(self) -> Iterator[str]:
        return islice(self._sentences.systematic(self._key), MAX_SYSTEMATIC)

    def _varied(self, wanted: Sequence[int], found: Mapping[int, str | None]) -> Iterator[str]:
        for part in wanted:
            if found[part] is None:
                yield from self._in_place(part, MAX_VARIED)

    def _random(self) -> Iterator[str]:
        source = Random(_SEED)
        for size in _SIZES:
            for _ in range(MAX_RANDOM // len(_SIZES)):
                yield self._sentences.random(self._key, source, size * SHORTEST)

    def _uses(self, text: str) -> frozenset[int]:
        """The parts that a text uses; none of one that cannot be read within its share."""
        known = self._known.get(text)
        if known is None:
            self._meter.charge(len(self._marked.parts) // PARTS_A_STEP)
            try:
                trace = self._reader.trace(text)
            except LimitExceeded:
                self._meter.charge(self._share)
                trace = None
            places = () if trace is None else self._reader.places(trace)
            known = self._known[text] = frozenset(part for part, _, _ in places)
        return known
