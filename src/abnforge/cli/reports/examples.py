"""Drawing examples and what became of them, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from abnforge.cli.common.examples import FAILED, LISTED, MISSING, PASSED, UNDECIDED, Told, numbered
from abnforge.cli.common.output import Style
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.rejection import drawing
from abnforge.text import escape

LABELS = {FAILED: "error", MISSING: "error", UNDECIDED: "not decided", LISTED: "example"}


class ExampleText(Report[Told]):
    """Each example that has not passed, with its place; then, a line a rule, how many there are."""

    def begin(self) -> None:
        self.rules: dict[tuple[str, str], list[Told]] = {}

    def add(self, told: Told) -> None:
        if told.status == LISTED:
            note = "" if told.note is None else f"  ({escape(told.note)})"
            self.write(f"{self.style.strong(place(told))}: {escape(told.name)}{self.style.faint(note)}\n")
            return
        self.rules.setdefault((told.path, told.rule), []).append(told)
        if told.status != PASSED:
            self.write("".join(line + "\n" for line in example_lines(told, self.style)))

    def finish(self) -> None:
        columns = max((len(rule) for _, rule in self.rules), default=0)
        several = len({path for path, _ in self.rules}) > 1
        for (path, rule), told in self.rules.items():
            tried = [each for each in told if each.status != MISSING]
            matches = sum(each.valid is True for each in tried)
            parts = [
                numbered(matches, "match", "matches"),
                numbered(len(tried) - matches, "non-match", "non-matches"),
            ]
            line = f"{escape(path)}  " if several else ""
            self.write(f"{line}{rule.ljust(columns)}  {', '.join([*parts, *self._wrong(tried)])}\n")

    def _wrong(self, told: list[Told]) -> Iterator[str]:
        for status in (FAILED, UNDECIDED):
            if number := sum(each.status == status for each in told):
                yield self.style.error(f"{number:,} {'not decided' if status == UNDECIDED else status}")


def place(told: Told) -> str:
    """``path:line:column``."""
    return f"{escape(told.path)}:{told.line}:{told.column}" if told.line else escape(told.path)


def example_lines(told: Told, style: Style) -> list[str]:
    """Place and message; the line of the grammar underlined; what is said of the example there."""
    head = f"{style.error(LABELS[told.status])}: {escape(told.message)}"
    if told.code is not None:
        head += f" [{told.code}]"
    lines = [f"{style.strong(place(told))}: {head}"]
    if told.line:
        lines += drawing(told.excerpt, told.column - 1, told.end_column - 1, style)
    return [*lines, *([] if told.note is None else [f"  {'from':<9}{escape(told.note)}"])]
