"""Coverage of a grammar, as a table or a page with the colored grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from abnforge.cli.output.formats import LineReport, ResultReport
from abnforge.cli.output.pages import render
from abnforge.text import escape, quoted

if TYPE_CHECKING:
    from abnforge.conformance.coverage import Coverage, PartUse
    from abnforge.conformance.usage import Example

# names of the counts of a repetition
TIMES = {"zero": "zero times", "one": "one time", "many": "many times"}

TRANSITIONS = 20  # maximum number of untaken transitions that are shown; there can be thousands

WIDTH = 48  # width of a part in columns


def called(use: PartUse) -> str:
    """Return a part as ABNF, with the count of a repetition."""
    part = use.part
    if part.kind == "rule":
        return "the rule"
    times = TIMES.get(part.kind)
    return part.source if times is None else f"{part.source}, {times}"


def sample(text: str | None) -> str:
    return "(no example found)" if text is None else quoted(text)


def _by_rule(uses: Iterable[PartUse]) -> list[tuple[str, list[PartUse]]]:
    return [(name, list(parts)) for name, parts in groupby(uses, key=lambda use: use.part.rule)]


class CoverageText(LineReport["Coverage"]):
    """Each rule with its number of uses and used parts; then unused parts with an example each."""

    def lines(self, coverage: Coverage) -> Iterator[str]:
        rules = _by_rule(coverage.parts)
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
            ("unused, with a string that would use it", self._never(coverage)),
            ("unused transitions, with a string that would use them", self._never_taken(coverage)),
        ):
            unused = list(lines)
            if unused:
                yield from ["", self.style.strong(title), *unused]

    def _never(self, coverage: Coverage) -> Iterator[str]:
        for name, uses in _by_rule(coverage.never):
            yield f"  {self.style.strong(escape(name))}"
            for use in uses:
                yield f"    {escape(called(use)).ljust(WIDTH)}  {sample(use.sample)}"

    def _never_taken(self, coverage: Coverage) -> Iterator[str]:
        never = coverage.never_taken
        for move in never[:TRANSITIONS]:
            what = f"state {move.source} to {move.target} by {escape(move.chars.min())!s}"
            yield f"    {what.ljust(WIDTH)}  {sample(move.sample)}"
        if len(never) > TRANSITIONS:
            yield f"    and {len(never) - TRANSITIONS:,} more; use --format json"


PAGE_TRANSITIONS = 200  # maximum number of untaken transitions that are shown
BEFORE, AFTER = 60, 30  # number of characters of an example before and after the used part


class CoveragePage(ResultReport["Coverage"]):
    """A page with the grammar's text, colored by use; each part links to its row with count and example.

    A keyboard reaches all parts through the links, and no information depends on color alone.
    """

    is_file = True

    def add(self, coverage: Coverage) -> None:
        numbers = {id(use): number for number, use in enumerate(coverage.parts)}
        values: dict[str, str] = {
            "used": f"{coverage.percent:.1f} %",
            "strings": f"{coverage.texts:,}",
            "valid": f"{coverage.accepted:,}",
            "rejected": f"{coverage.rejected:,}",
        }
        if coverage.undecided:
            values["not decided"] = f"{coverage.undecided:,}"
        if coverage.transitions is not None:
            count_taken = len(coverage.transitions) - len(coverage.never_taken)
            values["transitions taken"] = f"{count_taken:,} of {len(coverage.transitions):,}"
        for text in render(
            "coverage",
            title=f"Coverage of {coverage.rule.grammar.name}: {coverage.rule.name}",
            coverage=coverage,
            used=len(coverage.parts) - len(coverage.never),
            values=values,
            pieces=list(_colored(pieces(coverage), numbers)),
            legend=_legend(max((use.count for use in coverage.parts), default=0)),
            rules=_by_rule(coverage.parts),
            anchor=lambda use: f"p{numbers[id(use)]}",
            called=called,
            times=TIMES,
            around=_around,
            limit=PAGE_TRANSITIONS,
        ):
            self.write(text)


def _colored(coverage: Sequence[Piece], numbers: dict[int, int]) -> Iterator[dict[str, str]]:
    """Yield the pieces with their class, and the first of each part with the row that it links to."""
    linked: set[int] = set()
    for piece in coverage:
        if not piece.uses:
            yield {"text": piece.text, "use": "", "id": ""}
            continue
        first = numbers[id(piece.uses[0])]
        yield {
            "text": piece.text,
            "use": _class(piece.uses),
            "id": "" if first in linked else f"p{first}",
            "title": "\n".join(map(_title, piece.uses)),
        }
        linked.add(first)


def _legend(most: int) -> list[tuple[str, str]]:
    bounds = {f"u{digits}": 10 ** (digits - 1) for digits in range(1, 6) if 10 ** (digits - 1) <= most}
    counts = [(name, f"{bound:,} or more") for name, bound in bounds.items()]
    return [("never", "unused"), ("partly", "partly used"), *counts, ("", "not counted")]


def _class(uses: Sequence[PartUse]) -> str:
    """Return the CSS class of a piece, by the number of digits of its highest count of nonempty uses."""
    if not any(use.count for use in uses):
        return "never"
    if not all(use.count for use in uses):
        return "partly"
    return f"u{min(5, len(str(max(use.count for use in uses if use.part.kind != 'zero'))))}"


def _title(use: PartUse) -> str:
    example = "" if use.example is None else f", for example {use.example.text[: BEFORE + AFTER]}"
    return f"{called(use)}: {use.count:,}{example}"


def _around(example: Example) -> tuple[str, str, str]:
    text, start, end = example.text, example.start, example.end
    first = max(0, start - BEFORE)
    last = max(end, min(len(text), end + AFTER))
    inside = text[start:end]
    if end - start > BEFORE + AFTER:
        inside = f"{text[start : start + BEFORE]}…{text[end - AFTER : end]}"
    return (
        ("…" if first else "") + text[first:start],
        inside,
        text[end:last] + ("…" if last < len(text) else ""),
    )


# the words of a line, without whitespace around them
_STRETCH = re.compile(r"\S(?:[^\n]*\S)?")


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the grammar, and its parts: none, or parts with the same place."""

    text: str
    uses: tuple[PartUse, ...]


def pieces(coverage: Coverage) -> list[Piece]:
    """Split the grammar's source into pieces, each with the parts that color it.

    A rule with one alternative also colors that alternative. Cost: linear in the source, times the nesting
    depth.
    """
    compilation = coverage.rule.grammar.compilation
    text = compilation.bound.source.text
    regions: dict[tuple[int, int], list[PartUse]] = {}
    for use in coverage.parts:
        if use.part.span is None:
            continue
        regions.setdefault((use.part.span.start, use.part.span.end), []).append(use)
        if use.part.kind == "rule":
            bound = compilation.bound.rules[use.part.rule.lower()]
            if len(bound.elements.alternatives) == 1:
                span = bound.elements.alternatives[0].span
                regions.setdefault((span.start, span.end), []).append(use)
    places: list[list[PartUse] | None] = [None] * len(text)
    # Outer parts come first: inner parts overwrite them.
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
