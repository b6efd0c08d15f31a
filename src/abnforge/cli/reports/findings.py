"""The formats of ``grammar lint``: text, JSON, GitHub's workflow commands and SARIF."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.output import Style, dumps
from abnforge.cli.reports.rejection import drawing
from abnforge.cli.reports.sarif import SARIF_END, file_uri, sarif_head, sarif_message, workflow_command
from abnforge.cli.reports.text import Write
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.linting.finding import Finding

_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}
_SARIF = {"error": "error", "warning": "warning", "info": "note"}


class LintReport:
    """Base of all formats: fed one finding at a time. ``is_file``: its path is one in the file system."""

    def __init__(self, write: Write, style: Style) -> None:
        self.write = write
        self.style = style

    def begin(self) -> None:
        """Before the first finding."""

    def add(self, finding: Finding, is_file: bool) -> None:
        """One finding."""
        raise NotImplementedError

    def finish(self) -> None:
        """After the last finding."""


class TextReport(LintReport):
    """For people: place, severity, code, name and message; the line underlined; what else there is to say."""

    def add(self, finding: Finding, is_file: bool) -> None:
        style = self.style
        severity = finding.severity if finding.accepted is None else "accepted"
        paint = style.error if finding.counts else style.faint
        head = f"{paint(severity)}: {escape(finding.message)} [{finding.code} {finding.name}]"
        lines = [f"{style.strong(_place(finding.path, finding.line, finding.column))}: {head}"]
        if finding.line:
            start = finding.column - 1
            same_line = finding.end_line == finding.line
            end = finding.end_column - 1 if same_line else len(finding.excerpt)
            lines += drawing(finding.excerpt, start, end, style)
        lines += [f"  {label:<9}{escape(text)}" for label, text in _details(finding)]
        self.write("\n".join(lines) + "\n")


def _details(finding: Finding) -> list[tuple[str, str]]:
    rows = [(label, tree) for label, tree in zip(("either", "or"), finding.derivations, strict=False)]
    rows += [("see", f"{_place(p.path, p.line, p.column)}: {p.note}") for p in finding.related]
    if finding.fix is not None:
        rows.append(("fix", finding.fix))
    if finding.accepted is not None:
        rows.append(("because", finding.accepted))
    return rows


def _place(path: str, line: int, column: int) -> str:
    return f"{escape(path)}:{line}:{column}" if line else escape(path)


class JsonReport(LintReport):
    """An array of objects."""

    separator = "[\n"

    def add(self, finding: Finding, is_file: bool) -> None:
        self.write(self.separator + dumps(finding.to_dict()))
        self.separator = ",\n"

    def finish(self) -> None:
        self.write("[]\n" if self.separator == "[\n" else "\n]\n")


class GithubReport(LintReport):
    """One workflow command a finding; accepted ones are notices."""

    def add(self, finding: Finding, is_file: bool) -> None:
        properties: dict[str, str | int] = {"file": finding.path} if is_file else {}
        if finding.line:
            properties |= {"line": finding.line, "endLine": finding.end_line, "col": finding.column}
            # GitHub takes columns for a single line alone; its last column is included.
            if finding.end_line == finding.line and finding.end_column > finding.column:
                properties["endColumn"] = finding.end_column - 1
        properties["title"] = f"{finding.code} {finding.name}"
        level = _GITHUB[finding.severity] if finding.accepted is None else "notice"
        self.write(workflow_command(level, properties, escape(finding.message)))


class SarifReport(LintReport):
    """SARIF 2.1.0; accepted findings are suppressed ones (section 3.35)."""

    separator = ""

    def begin(self) -> None:
        from abnforge.linting.registry import KINDS

        self.write(
            sarif_head(
                [
                    {
                        "id": kind.code,
                        "name": kind.name,
                        "shortDescription": {"text": kind.summary},
                        "fullDescription": {"text": kind.explanation},
                        "defaultConfiguration": {"level": _SARIF[kind.severity]},
                    }
                    for kind in KINDS.values()
                ]
            )
        )

    def add(self, finding: Finding, is_file: bool) -> None:
        self.write(f"{self.separator}\n{dumps(_sarif_result(finding, is_file))}")
        self.separator = ","

    def finish(self) -> None:
        self.write(SARIF_END)


def _sarif_result(finding: Finding, is_file: bool) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": _SARIF[finding.severity],
        "message": sarif_message(escape(finding.message)),
        "locations": [],
        "properties": {"name": finding.name, "rule": finding.rule, "witness": finding.witness},
    }
    artifact = (
        {"uri": file_uri(finding.path)} if is_file else {"description": sarif_message(escape(finding.path))}
    )
    location: dict[str, Any] = {"artifactLocation": artifact}
    if finding.line:
        location["region"] = {
            "startLine": finding.line,
            "startColumn": finding.column,
            "endLine": finding.end_line,
            "endColumn": finding.end_column,
        }
    result["locations"] = [{"physicalLocation": location}]
    if finding.related:
        result["relatedLocations"] = [
            {
                "physicalLocation": {
                    "artifactLocation": artifact,
                    "region": {"startLine": place.line, "startColumn": place.column},
                },
                "message": sarif_message(escape(place.note)),
            }
            for place in finding.related
        ]
    if finding.accepted is not None:
        result["suppressions"] = [{"kind": "inSource", "justification": finding.accepted}]
    return result


REPORTS: Mapping[str, Callable[[Write, Style], LintReport]] = {
    "text": TextReport,
    "json": JsonReport,
    "github": GithubReport,
    "sarif": SarifReport,
}
