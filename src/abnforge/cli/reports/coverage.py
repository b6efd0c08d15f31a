"""What texts use of a grammar: as a table for people, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from abnforge.cli.common.output import dumps
from abnforge.cli.reports.base import Report
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.conformance.coverage import Coverage, PartUse

# What counts of a repetition are called.
TIMES = {"zero": "zero times", "one": "one time", "many": "many times"}

TRANSITIONS = 20  # that were never taken, of which there can be thousands

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


class CoverageText(Report["Coverage"]):
    """Each rule with its uses, and what of it was used; then what never was, with a sentence each."""

    def add(self, found: Coverage) -> None:
        rules = [(name, list(uses)) for name, uses in groupby(found.parts, key=lambda use: use.part.rule)]
        width = max(len("rule"), *(len(escape(name)) for name, _ in rules))
        digits = max(len("uses"), *(len(f"{uses[0].count:,}") for _, uses in rules))
        self._line(self.style.faint(f"{'rule'.ljust(width)}  {'uses'.rjust(digits)}  parts used"))
        for name, uses in rules:
            used = sum(bool(use.count) for use in uses)
            shown = f"{used} of {len(uses)}"
            paint = self.style.good if used == len(uses) else self.style.error if not used else str
            count = f"{uses[0].count:,}".rjust(digits)
            self._line(f"{escape(name).ljust(width)}  {count}  {paint(shown)}")
        for title, lines in (
            ("unused, with a string that would use it", self._never(found)),
            ("unused transitions, with a string that would use them", self._never_taken(found)),
        ):
            told = list(lines)
            if told:
                self._line(f"\n{self.style.strong(title)}")
                for line in told:
                    self._line(line)

    def _line(self, text: str) -> None:
        self.write(text + "\n")

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


class CoverageObject(Report["Coverage"]):
    """One object."""

    def add(self, found: Coverage) -> None:
        self.write(dumps(found.to_dict()) + "\n")
