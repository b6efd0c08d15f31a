"""How results are shown: tables, units, the machine, and one line for each target."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmark.peers import versions


@dataclass(frozen=True)
class Target:
    """A goal set beforehand: ``reached`` should be at most ``wanted``, or with ``at_least`` not below it."""

    text: str
    reached: float
    wanted: float
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Whether the goal is reached. A figure that could not be taken (NaN) is no success."""
        return self.reached >= self.wanted if self.at_least else self.reached <= self.wanted

    def line(self) -> str:
        """The target in one line."""
        sign = ">=" if self.at_least else "<="
        verdict = "met" if self.met else "MISSED"
        return f"{verdict:6} {self.text}: {figure(self.reached)} (wanted {sign} {figure(self.wanted)})"


@dataclass
class Section:
    """One table with its title, the sentences around it, the targets it decides and the raw data."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    targets: Sequence[Target] = ()
    data: Any = field(default=None)
    more: Sequence[Section] = ()

    def text(self) -> str:
        """The section as Markdown that is also readable as it is, and those that belong to it."""
        parts = [f"## {self.title}", *self.notes, table(self.header, self.rows)]
        return "\n\n".join([*parts, *(each.text() for each in self.more)])


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """An aligned Markdown table: first column to the left, the others to the right."""
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
    """A number with three significant digits and no exponent."""
    if value != value:
        return "n/a"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def duration(seconds: float) -> str:
    """Seconds in the unit that fits."""
    for unit, factor in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= factor:
            return f"{figure(seconds / factor)} {unit}"
    return f"{figure(seconds / 1e-9)} ns"


def machine() -> dict[str, Any]:
    """Where this runs: processor, load, Python, and the versions of everything measured."""
    found, missing = versions()
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": [round(x, 2) for x in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "abnforge": metadata.version("abnforge"),
        "peers": found,
        "missing": missing,
    }


def machine_text(facts: dict[str, Any]) -> str:
    """The machine in a few lines."""
    load = "unknown" if facts["load"] is None else ", ".join(map(str, facts["load"]))
    peers = ", ".join(f"{name} {version}" for name, version in facts["peers"].items()) or "none"
    lines = [
        f"{facts['date']}; {facts['processor']}, {facts['cores']} cores, load {load} (1, 5, 15 minutes)",
        f"{facts['system']}, {facts['python']}, abnforge {facts['abnforge']}",
        f"peers: {peers}",
    ]
    if facts["missing"]:
        lines.append(f"not installed: {', '.join(facts['missing'])} (pip install --group bench)")
    return "\n".join(f"- {line}" for line in lines)


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if sys.platform == "linux" and info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or "unknown processor"


def plain(value: Any) -> Any:
    """Results as data for ``json.dumps``."""
    if isinstance(value, Target):
        return {**asdict(value), "met": value.met}
    return asdict(value)
