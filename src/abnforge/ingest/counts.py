"""What has been read so far, and what became of it: all that a summary says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from abnforge.ingest.judging import Verdicts
from abnforge.ingest.parts import Origin, Part, Reason
from abnforge.ingest.selection import EACH
from abnforge.rejection import NOT_EXPLAINED, UNDECIDED

WHOLE_ROW = "(row)"  # stands for a column where the row as a whole is rejected
MOST_SHOWN = 500  # characters of a sample
MOST_SOURCES = 1_000  # that are counted one by one


@dataclass
class Counts:
    """Rows by what became of them; reasons by column and code, with the first samples of each."""

    rows: int = 0
    valid: int = 0
    rejected: int = 0
    octets: int = 0
    nulls: int = 0
    by_column: dict[str, dict[str, int]] = field(default_factory=dict)
    samples: dict[str, dict[str, list[dict[str, Any]]]] = field(default_factory=dict)
    by_source: dict[str, list[int]] = field(default_factory=dict)

    @property
    def undecided(self) -> int:
        """Texts that the budget did not suffice for; the rows that they are of are rejected."""
        return sum(codes.get(UNDECIDED, 0) for codes in self.by_column.values())

    def as_json(self) -> dict[str, Any]:
        """To be written at once: it changes with the next part."""
        return vars(self)

    def add(self, part: Part, verdicts: Verdicts, names: Sequence[str], most: int) -> None:
        """Count a part; up to ``most`` samples of each code are kept."""
        rejected = verdicts.rejected
        self.rows += part.rows
        self.rejected += rejected
        self.valid += part.rows - rejected
        self.octets += part.octets
        if part.source in self.by_source or len(self.by_source) < MOST_SOURCES:
            of = self.by_source.setdefault(part.source, [0, 0])
            of[0] += part.rows
            of[1] += rejected
        for name, count in verdicts.untold.items():
            codes = self.by_column.setdefault(name, {})
            codes[NOT_EXPLAINED] = codes.get(NOT_EXPLAINED, 0) + count
        for row, told in verdicts.reasons.items():
            for reason in told:
                name = _column(reason.column, names)
                codes = self.by_column.setdefault(name, {})
                codes[reason.code] = codes.get(reason.code, 0) + 1
                kept = self.samples.setdefault(name, {}).setdefault(reason.code, []) if most else []
                if len(kept) < most:
                    text, start, end = _shown(reason)
                    if text is None or all(each["text"] != text for each in kept):
                        kept.append(_sample(part, row, reason, text, start, end))


def _column(name: str | None, names: Sequence[str]) -> str:
    """The column as the job names it: that of ``urls[3]`` is ``urls[]``."""
    if name is None:
        return WHOLE_ROW
    if name in names:
        return name
    return _ELEMENT.sub(EACH, name)


_ELEMENT = re.compile(r"\[\d+\](?!.*\[\d+\])")  # the last of them


def _shown(reason: Reason) -> tuple[str | None, int | None, int | None]:
    """Return a rejected text as samples show it, with the start and end of the mistake."""
    text, start, end = reason.text, reason.start, reason.end
    if isinstance(text, bytes) and start is not None and end is not None:
        start, end = (len(text[:at].decode(errors="backslashreplace")) for at in (start, end))
    if isinstance(text, bytes):
        text = text.decode(errors="backslashreplace")
    return (text if text is None or len(text) <= MOST_SHOWN else text[:MOST_SHOWN] + "..."), start, end


def _sample(
    part: Part, row: int, reason: Reason, text: str | None, start: int | None, end: int | None
) -> dict[str, Any]:
    [place] = part.places([row])
    return {
        "source": part.source,
        **_place(place),
        "column": reason.column,
        "family": reason.family,
        "component": reason.component,
        "text": text,
        "offset": reason.offset,
        "start": start,
        "end": end,
        "found": reason.found,
        "message": reason.message,
        "section": reason.section,
        "suggestion": reason.suggestion,
    }


def _place(origin: Origin) -> dict[str, Any]:
    return {"row": origin.row, "line": origin.line, "byte_offset": origin.byte_offset}
