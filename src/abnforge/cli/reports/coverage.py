"""Coverage of a grammar: as a table for people, and the text of the grammar in pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from abnforge.cli.reports.base import Lines
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.conformance.coverage import Coverage, PartUse

# What counts of a repetition are called.
TIMES = {"zero": "zero times", "one": "one time", "many": "many times"}

TRANSITIONS = 20  # that were never taken: there can be thousands

WIDTH = 48  # of what a part is written like


def called(use: PartUse) -> str:
    """A part in words: its ABNF, of a repetition with how often."""
    part = use.part
    if part.kind == "rule":
        return "the rule"
    times = TIMES.get(part.kind)
    return part.source if times is None else f"{part.source}, {times}"


def quoted(text: str | None) -> str:
    """A sentence as it is told."""
    return "(no example found)" if text is None else f'"{escape(text)}"'


class CoverageText(Lines["Coverage"]):
    """Each rule with its uses, and what of it was used; then what never was, with a sentence each."""

    def lines(self, found: Coverage) -> Iterator[str]:
        rules = [(name, list(uses)) for name, uses in groupby(found.parts, key=lambda use: use.part.rule)]
        width = max(len("rule"), *(len(escape(name)) for name, _ in rules))
        digits = max(len("uses"), *(len(f"{uses[0].count:,}") for _, uses in rules))
        yield (self.style.faint(f"{'rule'.ljust(width)}  {'uses'.rjust(digits)}  parts used"))
        for name, uses in rules:
            used = sum(bool(use.count) for use in uses)
            shown = f"{used} of {len(uses)}"
            paint = self.style.good if used == len(uses) else self.style.error if not used else str
            count = f"{uses[0].count:,}".rjust(digits)
            yield (f"{escape(name).ljust(width)}  {count}  {paint(shown)}")
        for title, lines in (
            ("unused, with a string that would use it", self._never(found)),
            ("unused transitions, with a string that would use them", self._never_taken(found)),
        ):
            unused = list(lines)
            if unused:
                yield from ["", self.style.strong(title), *unused]

    def _never(self, found: Coverage) -> Iterator[str]:
        for name, uses in groupby(found.never, key=lambda use: use.part.rule):
            yield f"  {self.style.strong(escape(name))}"
            for use in uses:
                yield f"    {escape(called(use)).ljust(WIDTH)}  {quoted(use.sample)}"

    def _never_taken(self, found: Coverage) -> Iterator[str]:
        never = found.never_taken
        for move in never[:TRANSITIONS]:
            what = f"state {move.source} to {move.target} by {escape(move.chars.min())!s}"
            yield f"    {what.ljust(WIDTH)}  {quoted(move.sample)}"
        if len(never) > TRANSITIONS:
            yield f"    and {len(never) - TRANSITIONS:,} more; use --format json"


# Words of a line: what stands between is not coloured, nor what ends it.
_STRETCH = re.compile(r"\S(?:[^\n]*\S)?")


@dataclass(frozen=True, slots=True)
class Piece:
    """Some of the text, and the parts that stand there: none, or all with the same place."""

    text: str
    uses: tuple[PartUse, ...]


def pieces(found: Coverage) -> list[Piece]:
    """The text of the grammar in pieces, which together are all of it. A rule with one alternative colours
    that; every other is coloured by itself. Cost: linear, times the depth of nesting.
    """
    compilation = found.rule.grammar.compilation
    text = compilation.bound.source.text
    regions: dict[tuple[int, int], list[PartUse]] = {}
    for use in found.parts:
        if use.part.span is None:
            continue
        regions.setdefault((use.part.span.start, use.part.span.end), []).append(use)
        if use.part.kind == "rule":
            bound = compilation.bound.rules[use.part.rule.lower()]
            if len(bound.elements.alternatives) == 1:
                span = bound.elements.alternatives[0].span
                regions.setdefault((span.start, span.end), []).append(use)
    places: list[list[PartUse] | None] = [None] * len(text)
    # Outer ones first: what is inside them is written over.
    for (start, end), uses in sorted(regions.items(), key=lambda one: (one[0][0], -one[0][1])):
        places[start:end] = [uses] * (end - start)
    return list(_cut(text, places))


def _cut(text: str, places: list[list[PartUse] | None]) -> Iterator[Piece]:
    start = 0
    for end in range(1, len(text) + 1):
        if end < len(text) and places[end] is places[start]:
            continue
        uses = tuple(places[start] or ())
        stretch = text[start:end]
        if not uses:
            yield Piece(stretch, ())
        else:
            at = 0
            for match in _STRETCH.finditer(stretch):
                if match.start() > at:
                    yield Piece(stretch[at : match.start()], ())
                yield Piece(match[0], uses)
                at = match.end()
            if at < len(stretch):
                yield Piece(stretch[at:], ())
        start = end
