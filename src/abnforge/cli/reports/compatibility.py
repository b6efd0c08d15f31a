"""Whether a change of a grammar is backward compatible, in every format; and differences for GitHub."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from abnforge.cli.common.output import dumps
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.github import workflow_command
from abnforge.cli.reports.markdown import code, plain
from abnforge.cli.reports.rule_differences import rule_lines, title, witnesses
from abnforge.text import escape

if TYPE_CHECKING:
    from abnforge.comparison.grammars import Compatibility, GrammarDiff, RuleDiff

COLUMNS = 10  # as wide as "compatible"

_LEVELS = {"broken": "error", "not-shown": "warning", "compatible": "notice"}


def conclusion(found: Compatibility) -> str:
    """The verdict in a line."""
    from abnforge.comparison.grammars import BROKEN, NOT_SHOWN

    if found.compatible:
        return "backward compatible"
    counts = (
        (len(found.rules(BROKEN)), "broken"),
        (len(found.rules(NOT_SHOWN)), "not proved compatible"),
    )
    parts = ", ".join(f"{count} {what}" for count, what in counts if count)
    return f"not backward compatible: {parts} of {len(found.diff.rules)}"


class CompatibilityText(Report["Compatibility"]):
    """Each rule with its verdict, witnesses below it; the verdict of all at the end."""

    def add(self, found: Compatibility) -> None:
        from abnforge.comparison.grammars import verdict

        for rule in found.diff.rules:
            said = verdict(rule)
            paint = self.style.good if said == "compatible" else self.style.error
            lines = rule_lines(rule, found.diff, self.style)
            self.write(f"{paint(said.ljust(COLUMNS))} {lines[0]}\n")
            self.write("".join(line + "\n" for line in lines[1:]))
        self.write(self.style.strong(conclusion(found)) + "\n")


class CompatibilityObject(Report["Compatibility"]):
    """One object."""

    def add(self, found: Compatibility) -> None:
        self.write(dumps(found.to_dict()) + "\n")


class CompatibilityTable(Report["Compatibility"]):
    """The verdict, and a row a rule."""

    is_file = True

    def add(self, found: Compatibility) -> None:
        from abnforge.comparison.grammars import verdict

        names = (found.diff.left, found.diff.right)
        self.write(f"**{conclusion(found)}**\n\n")
        self.write(
            f"| verdict | rule | relation | only {plain(names[0])} | only {plain(names[1])} | note |\n"
        )
        self.write("|---|---|---|---|---|---|\n")
        for rule in found.diff.rules:
            told = {name: f"{code(text)}: {plain(why)}" for name, text, why in witnesses(rule, found.diff)}
            cells = [verdict(rule), code(title(rule)), rule.relation, *(told.get(name, "") for name in names)]
            self.write(f"| {' | '.join([*cells, plain(rule.note or '')])} |\n")


class CompatibilityCommands(Report["Compatibility"]):
    """One command a rule that has changed: an error where it is broken, a notice where it only grew."""

    def add(self, found: Compatibility) -> None:
        from abnforge.comparison.grammars import verdict

        for rule in found.diff.rules:
            if not rule.equal:
                said = verdict(rule)
                self.write(_command(rule, found.diff, _LEVELS[said], said))


class DifferenceCommands(Report["GrammarDiff"]):
    """One command a rule that differs."""

    def add(self, diff: GrammarDiff) -> None:
        for rule in diff.rules:
            if not rule.equal:
                self.write(_command(rule, diff, "warning", rule.relation))


def _command(rule: RuleDiff, diff: GrammarDiff, level: str, said: str) -> str:
    """A rule at its place in the right grammar: a change is looked at where it was made."""
    properties: dict[str, str | int] = {}
    found = rule.right
    # Of a rule that is not there, that grammar is all that can be shown.
    shown = found or next((each.right for each in diff.rules if each.right), None)
    if shown is not None and Path(shown.grammar.source.name).is_file():
        source = shown.grammar.source
        properties["file"] = escape(source.name)
        if found is not None and found.origin == "file":
            span = found.grammar.compilation.bound.rules[found.key].rule.name_span
            line, column = source.position(span.start)
            properties |= {"line": line, "endLine": line, "col": column}
            if span.end > span.start + 1:
                properties["endColumn"] = column + span.end - span.start - 1
    properties["title"] = escape(f"{said}: {title(rule)}")
    told = [f"{rule.relation}, {diff.left} compared with {diff.right}"]
    told += [f"only {name}: {code(text)} ({why})" for name, text, why in witnesses(rule, diff)]
    told += [rule.note] if rule.note else []
    return workflow_command(level, properties, escape("; ".join(told)))
