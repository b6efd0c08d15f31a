"""What strings are made of, for people: components or trees; a blank line between strings.

A string that is not valid is explained.
"""

from __future__ import annotations

from collections.abc import Iterable

from abnforge.cli.common.messages import message
from abnforge.cli.common.structure import Structure
from abnforge.cli.common.usage import UsageError
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.components import component_lines
from abnforge.cli.reports.rejection import described
from abnforge.cli.reports.trees import draw_tree, nodes_of


class Tree(Report[Structure]):
    """The parse tree, a line a node."""

    separator = ""

    def add(self, structure: Structure) -> None:
        self.write(self.separator)
        self.separator = "\n"
        outcome = structure.outcome
        lines = self.lines(structure) if outcome.valid else [described(outcome, self.style)]
        for line in lines:
            self.write(line + "\n")

    def lines(self, structure: Structure) -> Iterable[str]:
        """A valid string's lines; ``full`` has one for every single character."""
        return draw_tree(nodes_of(structure), structure.outcome.shown, full=self.full, style=self.style)


class ComponentsOrTree(Tree):
    """Components where there are any, else the parse tree."""

    def lines(self, structure: Structure) -> Iterable[str]:
        components = structure.components()
        return super().lines(structure) if components is None else component_lines(components, self.style)


class Components(Tree):
    """Components alone. Raises UsageError for a rule that has none."""

    def lines(self, structure: Structure) -> Iterable[str]:
        components = structure.components()
        if components is None:
            rule = structure.outcome.target.rule
            raise UsageError(message("structure-unavailable", rule=rule))
        return component_lines(components, self.style)
