"""A grammar's text cut into pieces by the innermost part that each stands in."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from abnforge.conformance.coverage import Coverage, PartUse

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
