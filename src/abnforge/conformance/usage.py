"""Which parts of a grammar texts use, how often, and where: counted over marked rules, text by text.

A text is read once, by its preferred derivation over the marks. What happens between two characters (a
tuple of begins and ends) is one of few things, so these are counted, and what they say is worked out once for
each. Where each part was used is worked out for a text only if it may be a shorter example than those that
are known: few are.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from abnforge.budget import Budget
from abnforge.conformance.parts import MarkedRules
from abnforge.grammar.facts import Facts
from abnforge.parsing.api import DerivationParser
from abnforge.parsing.trace import CALL, RETURN, Spans, Steps, Trace

# Different things that may happen at a place, as far as they are counted apart.
MAX_HAPPENINGS = 50_000


@dataclass(frozen=True, slots=True)
class Example:
    """A text, and where in it something was used: offsets count code points from 0."""

    text: str
    start: int
    end: int


def told(count: int, example: Example | None, sample: str | None) -> dict[str, Any]:
    """How often something was used, as plain data; its keys are stable."""
    return {
        "count": count,
        "example": None if example is None else asdict(example),
        "sample": sample,
    }


class MarkReader:
    """Reads texts by marked rules, from the rule ``key``. Not for several threads at once."""

    def __init__(self, marked: MarkedRules, key: str, budget: Budget) -> None:
        self.loose = bool(marked.loose)
        self._key = key
        self._derivations = DerivationParser(Facts(marked.core), budget)
        self._spans = Spans({key: key for key in marked.core.rules})
        self._part_of = {each.plus: index for index, each in enumerate(marked.parts)}
        self._tells = marked.tells
        self._wholes = set(marked.tells.values())
        self._firsts = {first: whole for whole, first, _ in marked.loose}
        self._seconds = {second: whole for whole, _, second in marked.loose}
        # Of a repetition of what can be empty, the parts that it uses by the number of iterations; two of
        # them are many.
        self._by_count = {marks[0]: list(map(self._part_of.get, marks)) for marks in marked.loose}

    def trace(self, text: str) -> Trace | None:
        """The preferred derivation of a text, marks among its rules; None when there is none.

        Raises LimitExceeded. Cost: linear where no recursion reaches the rule.
        """
        return self._derivations.preferred(self._key, text)

    def places(self, trace: Trace) -> Iterator[tuple[int, int, int]]:
        """Each use of a part in a derivation: its number, and where what it read begins and ends. Cost:
        linear.
        """
        # Repetitions that have begun, by mark, with the iterations that were met.
        begun: dict[str, list[list[int]]] = defaultdict(list)
        for key, start, end in self._spans.of(trace):
            if key in self._tells:
                start, end = begun[self._tells[key]].pop()
                yield self._part_of[key], start, end
            elif key in self._wholes:
                begun[key].append([start, end])
            elif key in self._by_count:
                begun[key].append([start, end, 0])
            elif key in self._firsts:  # directly behind the begin of its repetition
                begun[self._firsts[key]][-1][2] = 1
            elif key in self._seconds:  # which reads something, and so is in one of those that are open
                whole = self._seconds[key]
                while begun[whole][-1][1] < end:
                    yield from self._told(whole, begun[whole].pop())
                begun[whole][-1][2] = 2
            elif key in self._part_of:
                yield self._part_of[key], start, end
        for whole, left in begun.items():
            for each in left:
                yield from self._told(whole, each)

    def _told(self, whole: str, place: Sequence[int]) -> Iterator[tuple[int, int, int]]:
        start, end, count = place
        part = self._by_count[whole][count]
        if part is not None:
            yield part, start, end


class Usage:
    """Counts and examples of the parts of marked rules, by the parts' numbers.

    Memory: that of the grammar, and a text for each part.
    """

    def __init__(self, marked: MarkedRules, reader: MarkReader) -> None:
        self._marked = marked
        self._reader = reader
        self._steps = Steps({key: key for key in marked.core.rules})
        self._happened: Counter[tuple[str, ...]] = Counter()
        self._begun: Counter[str] = Counter()
        self._shortest: dict[tuple[str, ...], int] = {}  # the shortest text in which it happened
        self.examples: list[Example | None] = [None] * len(marked.parts)

    def add(self, text: str, trace: Trace) -> None:
        """Count what a text uses. Cost: linear."""
        happened = self._happened
        happened.update(trace)
        shortest, length = self._shortest, len(text)
        shorter = self._reader.loose
        for happens in set(trace):
            if shortest.get(happens, length + 1) > length:
                shortest[happens] = length
                shorter = True
        if shorter:
            for part, start, end in self._reader.places(trace):
                known = self.examples[part]
                if known is None or len(known.text) > length:
                    self.examples[part] = Example(text, start, end)
        if len(happened) > MAX_HAPPENINGS:
            self._settle()

    def counts(self) -> list[int]:
        """How often each part was used."""
        self._settle()
        begun = self._begun
        return [begun[each.plus] - (begun[each.minus] if each.minus else 0) for each in self._marked.parts]

    def _settle(self) -> None:
        for happens, count in self._happened.items():
            for step in self._steps[happens]:
                if type(step) is tuple:
                    self._begun[step[0]] += count
                elif step is not None and step is not CALL and step is not RETURN:
                    self._begun[step] += count
        self._happened.clear()
        self._shortest.clear()
