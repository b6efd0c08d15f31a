"""GitHub's workflow commands: ``::error file=...,line=...,col=...::message``, which it shows beside the line.

Every string is first made printable (``text.escape``) and then quoted, so that none can be read as a
command.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from abnforge.cli.common.conformed import Conformed
from abnforge.cli.common.examples import FAILED, MISSING, UNDECIDED, Told
from abnforge.cli.common.inputs import in_file_system
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.conformed import deviation_code, deviation_head
from abnforge.cli.reports.rejection import specification, summary
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.conformance.deviations import Deviation
    from abnforge.linting.finding import Finding, Linted

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


class OutcomeCommands(Report[Outcome]):
    """One command a string that is not valid."""

    def add(self, outcome: Outcome) -> None:
        if outcome.valid:
            return
        start, end = outcome.span
        source = outcome.record.source
        properties: dict[str, str | int] = {"file": escape(source)} if in_file_system(source) else {}
        (line, column), (end_line, behind) = outcome.place(start), outcome.place(end)
        properties |= {"line": line, "col": column}
        # GitHub takes columns for a single line alone; its last column is included.
        if end_line == line and behind > column + 1:
            properties["endColumn"] = behind - 1
        target = f"{outcome.target.rule}, {specification(outcome.target.grammar)}"
        properties["title"] = f"{escape(outcome.code)} ({target})"
        self.write(workflow_command("error", properties, summary(outcome)))


class FindingCommands(Report["Linted"]):
    """One command a finding; accepted ones are notices."""

    def add(self, linted: Linted) -> None:
        for finding in linted.findings:
            self.write(_command(finding, linted.is_file))


class ExampleCommands(Report[Told]):
    """One command an example that has not passed, or a rule that has too few."""

    def add(self, told: Told) -> None:
        if told.status not in (FAILED, UNDECIDED, MISSING):
            return
        properties: dict[str, str | int] = {"file": escape(told.path)} if told.is_file else {}
        if told.line:
            properties |= {"line": told.line, "endLine": told.line, "col": told.column}
            if told.end_column > told.column + 1:
                properties["endColumn"] = told.end_column - 1
        properties["title"] = escape(told.name)
        self.write(workflow_command("error", properties, escape(told.message)))


class ConformedCommands(Report[Conformed]):
    """One command a cause; known ones, and those that have vanished, are notices."""

    def add(self, conformed: Conformed) -> None:
        for each in conformed.sorted.new:
            self._put("error", each, "")
        for each, reason in conformed.sorted.accepted:
            self._put("notice", each, f" (known: {escape(reason)})")
        for known in conformed.sorted.vanished:
            message = f'"{escape(known.text)}" no longer deviates; remove the known deviation'
            self.write(workflow_command("notice", {"title": "vanished"}, message))

    def _put(self, level: str, deviation: Deviation, more: str) -> None:
        rule = deviation.rule
        title = f"{escape(deviation_code(deviation))} ({escape(rule.name)}, {escape(rule.grammar.name)})"
        message = f'"{escape(deviation.text)}" {deviation_head(deviation)}{more}'
        self.write(workflow_command(level, {"title": title}, message))


def _command(finding: Finding, is_file: bool) -> str:
    properties: dict[str, str | int] = {"file": escape(finding.path)} if is_file else {}
    if finding.line:
        properties |= {"line": finding.line, "endLine": finding.end_line, "col": finding.column}
        # GitHub takes columns for a single line alone; its last column is included.
        if finding.end_line == finding.line and finding.end_column > finding.column:
            properties["endColumn"] = finding.end_column - 1
    properties["title"] = f"{finding.code} {finding.name}"
    level = _LEVELS[finding.severity] if finding.accepted is None else "notice"
    return workflow_command(level, properties, escape(finding.message))


def workflow_command(level: str, properties: Mapping[str, str | int], message: str) -> str:
    """One of GitHub's workflow commands, as a line. ``level`` is ``error``, ``warning`` or ``notice``."""
    shown = ",".join(f"{key}={_property(str(value))}" for key, value in properties.items())
    return f"::{level} {shown}::{_data(message)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
