"""Drawing what is doubtful about a grammar, for a terminal."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from abnforge.catalog import Message
from abnforge.cli.common.output import Style, columns
from abnforge.cli.reports.rejection import drawing
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.linting.finding import Finding
    from abnforge.linting.registry import Kind

KIND_COLUMNS = 88


def finding_lines(finding: Finding, style: Style) -> list[str]:
    """Place, severity, code, name and message; the line underlined; what else there is to say."""
    severity = finding.severity if finding.accepted is None else "accepted"
    paint = style.severity(severity)
    head = f"{paint(severity)}: {escape(finding.message)} [{finding.code} {finding.name}]"
    lines = [f"{style.strong(_place(finding.path, finding.line, finding.column))}: {head}"]
    if finding.line:
        start = finding.column - 1
        same_line = finding.end_line == finding.line
        end = finding.end_column - 1 if same_line else len(finding.excerpt)
        lines += drawing(finding.excerpt, start, end, style, paint)
    return lines + [f"  {label:<9}{escape(text)}" for label, text in _details(finding)]


def more_findings(finding: Finding, count: int, style: Style) -> str:
    """That a grammar has ``count`` more findings of a kind, and how to see them."""
    head = style.strong(f"{escape(finding.path)}:")
    noun = "finding" if count == 1 else "findings"
    return f"{head} {count:,} more {noun} [{finding.code} {finding.name}]; use --all or --format json"


def _details(finding: Finding) -> list[tuple[str, str]]:
    rows = [(label, tree) for label, tree in zip(("either", "or"), finding.derivations, strict=False)]
    rows += [("see", f"{_place(p.path, p.line, p.column)}: {p.note}") for p in finding.related]
    if finding.fix is not None:
        rows.append(("fix", fix_text(finding.fix)))
    if finding.edits:
        count = len(finding.edits)
        rows.append(("edits", f"{count:,}: --diff shows, and --fix makes {'it' if count == 1 else 'them'}"))
    if finding.accepted is not None:
        rows.append(("because", finding.accepted))
    return rows


def fix_text(fix: str) -> str:
    """Return the fix of a finding as an instruction; it is a message, or ABNF to write."""
    return fix if isinstance(fix, Message) else f"write {fix}"


def _place(path: str, line: int, column: int) -> str:
    return f"{escape(path)}:{line}:{column}" if line else escape(path)


def kind_text(kind: Kind) -> str:
    """Everything the registry says about one kind of finding."""
    head = f"{kind.code} {kind.name} ({kind.severity})"
    lines = [head, "", kind.summary, "", fill(kind.explanation, columns(KIND_COLUMNS))]
    for title, grammar in (("Reported:", kind.bad), ("Not reported:", kind.good)):
        if grammar:
            lines += ["", title, "", *(f"    {line}" for line in grammar.rstrip("\n").split("\n"))]
    return "\n".join(lines) + "\n"
