"""The formats of ``check``: text and JSON here, those of build servers in ``reports_ci``.

A report is fed one outcome at a time and writes as it goes, so that memory does not grow with the
input. ``begin`` and ``finish`` write what stands around the outcomes.
"""

from __future__ import annotations

from collections.abc import Callable

from abnforge.cli.common.judge import Outcome
from abnforge.cli.common.output import Style, dumps
from abnforge.cli.reports.rejection import accepted, finding, warnings
from abnforge.text import escape

Write = Callable[[str], None]


class Report:
    """Base of all formats. Outcomes that are valid arrive only with ``--all``."""

    def __init__(self, write: Write) -> None:
        self.write = write

    def begin(self) -> None:
        """Before the first outcome."""

    def add(self, outcome: Outcome) -> None:
        """One outcome."""

    def finish(self) -> None:
        """After the last outcome."""


class TextReport(Report):
    """For people: ``file:line:column: message``, the line with a caret, the reason."""

    def __init__(self, write: Write, style: Style) -> None:
        super().__init__(write)
        self.style = style

    def add(self, outcome: Outcome) -> None:
        if not outcome.valid:
            self.write(finding(outcome, self.style) + "\n")
            return
        if outcome.security:
            self.write(warnings(outcome, self.style) + "\n")
            return
        self.write(f"{escape(outcome.record.source)}:{outcome.record.line}: ")
        self.write(accepted(outcome.shown, outcome.target, self.style) + "\n")


class JsonLinesReport(Report):
    """One JSON object a line."""

    def add(self, outcome: Outcome) -> None:
        self.write(dumps(outcome.to_dict()) + "\n")


class JsonReport(Report):
    """The same objects as one array."""

    separator = "[\n"

    def add(self, outcome: Outcome) -> None:
        self.write(self.separator + dumps(outcome.to_dict()))
        self.separator = ",\n"

    def finish(self) -> None:
        self.write("[]\n" if self.separator == "[\n" else "\n]\n")
