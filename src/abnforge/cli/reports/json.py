"""JSON: one array. Values say themselves what they are as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from abnforge.cli.common.generated import Generated
from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.output import dumps
from abnforge.cli.reports.base import Report

if TYPE_CHECKING:
    from abnforge.comparison.grammars import GrammarDiff
    from abnforge.engine.rule import Rule
    from abnforge.linting.finding import Linted


class JsonArray(Report[Any]):
    """An array of objects, a line each; values have ``to_dict``."""

    shows_warnings = True
    separator = "[\n"

    def add(self, value: Any) -> None:
        self.put(value.to_dict())

    def put(self, plain: Any) -> None:
        """One element."""
        self.write(self.separator + dumps(plain))
        self.separator = ",\n"

    def finish(self) -> None:
        self.write("[]\n" if self.separator == "[\n" else "\n]\n")


class OutcomeArray(JsonArray):
    """Outcomes; in full, with what else there is to say about a rejection."""

    def add(self, outcome: Outcome) -> None:
        self.put(outcome.to_dict(full=self.full))


class FindingArray(JsonArray):
    """The findings about grammars."""

    def add(self, linted: Linted) -> None:
        for finding in linted.findings:
            super().add(finding)


class DifferenceArray(JsonArray):
    """The rules of two grammars."""

    def add(self, diff: GrammarDiff) -> None:
        for rule in diff.rules:
            super().add(rule)


class RuleArray(JsonArray):
    """Rules with what they use and what uses them."""

    def add(self, rule: Rule) -> None:
        self.put(
            {
                "name": rule.name,
                "definition": rule.definition.rstrip("\n"),
                "section": rule.section,
                "uses": list(rule.uses),
                "used_by": list(rule.used_by),
            }
        )


class SentenceArray(JsonArray):
    """Strings; of those that are derived and those that are not, objects."""

    def add(self, generated: Generated) -> None:
        plain: Any = generated.text
        self.put({"text": plain, "valid": generated.valid} if generated.both else plain)
