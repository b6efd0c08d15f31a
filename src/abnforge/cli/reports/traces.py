"""Attempts as text: a line for each choice; for an invalid string also the part that each element of the rule
matched, and the mistake.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.cli.common.structure import Structure
from abnforge.cli.reports.attempts import attempt_lines
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.rejection import described
from abnforge.cli.reports.trees import nodes_of
from abnforge.teaching.failures import attempts
from abnforge.teaching.trace import Attempt, Tried, read_nodes, tried
from abnforge.text import escape

TEXT_COLUMNS = 40


class Trace(Report[Structure]):
    """The choices of each string, a blank line between strings."""

    separator = ""

    def add(self, structure: Structure) -> None:
        self.write(self.separator)
        self.separator = "\n"
        for line in self._lines(structure):
            self.write(line + "\n")

    def _lines(self, structure: Structure) -> Iterator[str]:
        outcome, rule = structure.outcome, structure.rule
        if not outcome.valid and outcome.rejection is None:  # it was not read
            yield described(outcome, self.style)
            return
        nodes = nodes_of(structure) if outcome.valid else read_nodes(rule, outcome.judged)
        verb = "matches" if outcome.valid else "does not match"
        yield f"{_quoted(outcome.shown, 0, len(outcome.shown))}  {verb} {escape(rule.name)}"
        for each in tried(rule, nodes, outcome.judged):
            yield told(each, outcome.shown)
        if not outcome.valid:
            yield from self._attempts(structure)
            yield described(outcome, self.style)

    def _attempts(self, structure: Structure) -> Iterator[str]:
        """What each part of the rule could read of a string that it does not derive."""
        outcome = structure.outcome
        try:
            found = attempts(structure.rule, outcome.judged)
        except ValueError as error:  # LimitExceeded, too
            yield f"  cannot show the attempts: {escape(str(getattr(error, 'message', error)))}"
            return
        for line in attempt_lines(found, outcome.shown, self.style):
            yield f"  {line}"


def told(choice: Tried, text: str) -> str:
    """A choice on one line."""
    attempts = [_attempt(each, choice, text) for each in choice.attempts]
    so = f"so {escape(choice.taken)} {_quoted(text, choice.start, choice.end)}"
    places = f" ({choice.times:,} places)" if choice.times > 1 else ""
    return f"  {escape(choice.rule)} at {choice.start}: " + "; ".join([*attempts, so]) + places


def _attempt(attempt: Attempt, choice: Tried, text: str) -> str:
    name = escape(attempt.rule)
    if attempt.end == choice.start:
        return f"{name} matched nothing"
    read = f"{name}: matched {_quoted(text, choice.start, attempt.end)}"
    if attempt.end == choice.end:
        return read + (", but the rest does not match" if attempt.complete else ", but expected more")
    rest = _quoted(text, attempt.end, choice.end)
    return read + (f", but {rest} is unread" if attempt.complete else f", but {rest} cannot follow")


def _quoted(text: str, start: int, end: int) -> str:
    if end - start > TEXT_COLUMNS:
        return f'"{escape(text[start : start + TEXT_COLUMNS])}..."'
    return f'"{escape(text[start:end])}"'
