"""GitHub's workflow commands: ``::error file=...,line=...,col=...::message``.

Every string is first made printable (``text.escape``) and then quoted, so that none can be read as a
command.
"""

from __future__ import annotations

from typing import Any

from abnforge.cli.output.diagnostic import PASSED, SKIPPED, SOURCES, Diagnostic
from abnforge.cli.output.formats import ResultReport
from abnforge.text import escape

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


class Github(ResultReport[Any]):
    """One command a failure; those that are accepted are notices."""

    def add(self, value: Any) -> None:
        for each in SOURCES[self.kind].diagnose(value):
            if each.accepted is not None or each.status not in (PASSED, SKIPPED):
                self.write(_command(each))


def _command(diagnostic: Diagnostic) -> str:
    properties: dict[str, Any] = {"file": diagnostic.path} if diagnostic.is_file else {}
    if diagnostic.place is not None:
        line, column, end_line, end_column = diagnostic.place
        properties["line"] = line
        if end_line:
            properties["endLine"] = end_line
        properties["col"] = column
        # GitHub takes columns for a single line alone; its last column is included.
        if end_line in (0, line) and end_column > column + 1:
            properties["endColumn"] = end_column - 1
    properties["title"] = diagnostic.title
    level = _LEVELS[diagnostic.severity] if diagnostic.accepted is None else "notice"
    return workflow_command(level, properties, diagnostic.summary)


def workflow_command(level: str, properties: dict[str, Any], message: str) -> str:
    """One of GitHub's workflow commands, as a line. ``level`` is ``error``, ``warning`` or ``notice``."""
    shown = ",".join(f"{key}={_property(escape(str(value)))}" for key, value in properties.items())
    return f"::{level} {shown}::{_data(escape(message))}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
