"""The report as text: sections, targets, tables, units, the machine, and the table in README.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyperf

from benchmark.measure import Timing
from benchmark.peers import versions


@dataclass(frozen=True)
class Target:
    """A goal: ``reached`` must be at most ``wanted``, or at least ``wanted`` if ``at_least`` is true."""

    text: str
    reached: float
    wanted: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Return whether the goal is reached; a value that could not be measured (NaN) does not reach it."""
        return self.reached >= self.wanted if self.at_least else self.reached <= self.wanted

    def line(self) -> str:
        sign = ">=" if self.at_least else "<="
        verdict = "met" if self.met else "MISSED"
        return f"{verdict:6} {self.text}: {figure(self.reached)} (wanted {sign} {figure(self.wanted)})"


@dataclass
class Section:
    """A titled table, with notes above it, targets and timings. The sections in ``more`` follow the table."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()
    targets: Sequence[Target] = ()
    timings: Sequence[Timing] = ()
    more: Sequence[Section] = ()
    # contender -> wrongly accepted, wrongly rejected strings
    wrong: dict[str, tuple[int, int]] = field(default_factory=dict)

    def text(self) -> str:
        """Return the section as Markdown."""
        parts = [f"## {self.title}", *self.notes, table(self.header, self.rows)]
        return "\n\n".join([*parts, *(each.text() for each in self.more)])


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return an aligned Markdown table: the first column is aligned left, the others right."""
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (header, *rows)]
    widths = [max(3, *(len(row[i]) for row in cells)) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        shown = [
            c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        return f"| {' | '.join(shown)} |"

    rule = "|".join("-" * (w + 2) if i == 0 else "-" * (w + 1) + ":" for i, w in enumerate(widths))
    return "\n".join([line(cells[0]), f"|{rule}|", *map(line, cells[1:])])


def figure(value: float) -> str:
    """Return a number with three significant digits and no exponent."""
    if value != value:
        return "n/a"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def duration(seconds: float) -> str:
    """Return seconds in the unit that fits."""
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= factor:
            return f"{figure(seconds / factor)} {unit}"
    return f"{figure(seconds / 1e-9)} ns"


def metadata() -> dict[str, Any]:
    """Return pyperf's metadata about the machine, Python and the load."""
    return dict(pyperf.Run([1.0], collect_metadata=True).get_metadata())


def machine_text(facts: dict[str, Any]) -> str:
    """Return the machine and the versions of the peers in a few lines."""
    installed, missing = versions()
    keys = ("date", "cpu_model_name", "cpu_count", "load_avg_1min", "platform", "python_version")
    lines = [
        "; ".join(f"{key.replace('_', ' ')} {facts[key]}" for key in keys if key in facts),
        "peers: " + (", ".join(f"{name} {version}" for name, version in installed.items()) or "none"),
    ]
    if missing:
        lines.append(f"not installed: {', '.join(missing)} (pip install --group bench)")
    return "\n".join(f"- {line}" for line in lines)


BEGIN = "<!-- measured: python tools/bench.py --section verdicts,columns --readme -->"
END = "<!-- end -->"
# The contenders in the table of README.md: the names in the sections "columns" and "verdicts".
README = {
    "columns.matches": "**abnforge, `columns.matches`**",
    "rule.matches": "**abnforge, `rule.matches`**",
    "polars": "polars, with the pattern that abnforge exports",
    "pyarrow, RE2": "RE2 in pyarrow, the same pattern",
    "re, by hand, possessive": "`re`, by hand",
    "can_ada.can_parse": "can-ada (WHATWG URL)",
    "pydantic AnyUrl": "pydantic, `AnyUrl`",
    "urllib.parse.urlsplit": "`urllib.parse.urlsplit`",
    "rfc3986 Validator": "rfc3986, `Validator`",
}


def readme_table(verdicts: Section, columns: Section, rows: int) -> str:
    """Return the time per URI and the number of wrong verdicts of each measured contender."""
    seconds = {timing.name: timing.median / rows for timing in columns.timings}
    seconds |= {timing.name: timing.median for timing in verdicts.timings}
    wrong = dict.fromkeys(seconds, (0, 0)) | verdicts.wrong
    lines = [
        [label, duration(seconds[name]), *(f"{number:,}" for number in wrong[name])]
        for name, label in README.items()
        if name in seconds
    ]
    return table(("validator", "per URI", "invalid accepted", "valid rejected"), lines)


def write_readme(path: Path, lines: str) -> None:
    """Replace the table between the two markers."""
    text = path.read_text("utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{path} has no {BEGIN} and {END} with the table between them")
    path.write_text(f"{before}{BEGIN}\n{lines}\n{END}{after}", "utf-8")
