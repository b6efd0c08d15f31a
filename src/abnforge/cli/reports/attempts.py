"""Attempts as lines of text: what each part of a rule could read, and what would have gone on there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from abnforge.charset import CharSet
from abnforge.cli.common.output import PLAIN, Style
from abnforge.cli.reports.rejection import characters
from abnforge.cli.reports.trees import strokes
from abnforge.teaching.failures import Attempt
from abnforge.teaching.pictures.lines import margins
from abnforge.text import draw, escape, in_quotes, show_char, width

MAX_LINES = 40
NAME_COLUMNS = 60  # of a part as ABNF; of several on one line together
TEXT_COLUMNS = 40
_REPEATED = " (repeated)"  # behind a part that was read more than once


@dataclass(frozen=True, slots=True)
class _Row:
    """A line: how deep it is in the tree, which parts it tells, and what became of them."""

    depth: int
    names: str
    told: str


def attempt_lines(attempt: Attempt, text: str, style: Style = PLAIN) -> Iterator[str]:
    """The tree of attempts, at most ``MAX_LINES`` lines and one that says how many more there are.

    Parts that were read one behind the other share a line, and so do alternatives beside one another that
    read nothing. A part that consists of one other part over the same text stands in its line, by name.
    ``text`` is shown, and may be masked: its offsets are those of what was read. Cost: linear.
    """
    drawn = strokes(style)
    rows = list(_rows(attempt, text, drawn.within))
    shown = rows[:MAX_LINES]
    for row, (_, margin) in zip(shown, margins([row.depth for row in shown], drawn), strict=True):
        yield f"{style.faint(margin)}{style.strong(row.names)}: {row.told}"
    if len(rows) > len(shown):
        yield f"... {len(rows) - len(shown):,} more"


def _rows(attempt: Attempt, text: str, within: str) -> Iterator[_Row]:
    told_at = -1  # the place of which it was said what stands there
    # Attempts that share a line, how deep it is, and whether what follows them was read, too.
    waiting: list[tuple[list[Attempt], int, bool]] = [([attempt], 0, False)]
    while waiting:
        found, depth, went_on = waiting.pop()
        if len(found) > 1:
            read = found[-1].end > found[0].start
            joined = _cut((" " if went_on else " / ").join(map(_name, found)))
            told = f"matched {_quoted(text, found[0].start, found[-1].end)}" if read else "matched nothing"
            yield _Row(depth, joined, told)
            continue
        first = last = found[0]
        names = [_name(first)]
        while len(last.parts) == 1 and _same(last.parts[0], first):
            last = last.parts[0]
            if last.rule is not None or (first.rule is not None and len(names) == 1):
                names.append(_name(last))
        yield _Row(depth, _cut(within.join(names)), _became(first, text, went_on, told_at))
        told_at = attempt.end
        below = list(_together(last.parts))
        waiting.extend((each, depth + 1, on) for each, on in reversed(below))


def _same(inner: Attempt, outer: Attempt) -> bool:
    return (inner.start, inner.end, inner.complete) == (outer.start, outer.end, outer.complete)


def _together(parts: Sequence[Attempt]) -> Iterator[tuple[list[Attempt], bool]]:
    """Parts that share a line, and whether they are parts of a concatenation behind which it went on."""

    def kind(index: int) -> str:
        part = parts[index]
        if part.furthest:
            return f"alone {index}"
        if part.complete and not part.expected and index + 1 < len(parts) and follows[index]:
            return "read"
        return "nothing" if part.end == part.start else f"alone {index}"

    follows = [parts[index + 1].start == part.end for index, part in enumerate(parts[:-1])]
    for found, indices in groupby(range(len(parts)), kind):
        yield [parts[index] for index in indices], found == "read"


def _became(attempt: Attempt, text: str, went_on: bool, told_at: int) -> str:
    """What became of an attempt: what it read, and what it met, unless that was said (``told_at``)."""
    nothing = attempt.end == attempt.start
    read = "matched nothing" if nothing else f"matched {_quoted(text, attempt.start, attempt.end)}"
    if went_on or (nothing and not attempt.furthest):
        return read
    left = _quoted(text, attempt.end, len(text))
    if attempt.complete and not nothing:
        return f"{read}, but {left} is unread" if attempt.end < len(text) else read
    if not attempt.expected:
        return read
    verb = "could match" if attempt.complete else "expected"
    said = f"{read}{';' if nothing else ', then'} {verb} {_wanted(attempt.expected)}"
    if attempt.end == len(text):
        here = "the end"
    elif text[attempt.end] == "*":  # it may stand for a character that is masked
        return said
    else:
        here = show_char(text[attempt.end])
    return said if attempt.end == told_at else f"{said}, found {here}"


def _wanted(expected: CharSet) -> str:
    told = characters(str(expected)[1:-1])
    return f"one of {told}" if told.startswith("[") else told


def _name(attempt: Attempt) -> str:
    """A part by the name of its rule, or in ABNF; of a repetition that it is one does not get lost."""
    written = attempt.source.removesuffix(_REPEATED)
    said = _cut(escape(written), NAME_COLUMNS - len(_REPEATED))
    return said if written == attempt.source else said + _REPEATED


def _cut(names: str, columns: int = NAME_COLUMNS) -> str:
    return names if width(names) <= columns else draw(names, 0, columns=columns)[0]


def _quoted(text: str, start: int, end: int) -> str:
    if end - start > TEXT_COLUMNS:
        return in_quotes(f"{escape(text[start : start + TEXT_COLUMNS])}...")
    return in_quotes(escape(text[start:end]))
