"""JSON for programs that read line by line: one object a line."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.outcome import Outcome
from abnforge.cli.common.output import dumps
from abnforge.cli.common.structure import Structure
from abnforge.cli.reports.base import Report
from abnforge.cli.reports.trees import nodes_of, steps_json, tree_json
from abnforge.teaching.nodes import flatten

if TYPE_CHECKING:  # it takes longer to import than most runs do
    from abnforge.uri.scan import LocatedURI


class JsonLines(Report[Any]):
    """One object a line; values have ``to_dict``."""

    shows_warnings = True

    def add(self, value: Any) -> None:
        self.put(value.to_dict())

    def put(self, plain: dict[str, Any]) -> None:
        """One line."""
        self.write(dumps(plain) + "\n")


class OutcomeLines(JsonLines):
    """Outcomes; in full, with what else there is to say about a rejection."""

    def add(self, outcome: Outcome) -> None:
        self.put(outcome.to_dict(full=self.full))


class StructureLines(JsonLines):
    """Outcomes, valid ones with ``components`` and ``tree``, and with the steps of a derivation or several
    trees where they were asked for. A tree is written in pieces: it may be large.
    """

    def add(self, structure: Structure) -> None:
        outcome = structure.outcome
        if not outcome.valid:
            self.put(outcome.to_dict())
            return
        plain = outcome.to_dict() | {"components": structure.components()}
        nodes = nodes_of(structure)
        self.write(dumps(plain)[:-1] + ', "tree": ')
        for piece in tree_json(nodes, outcome.shown):
            self.write(piece)
        if structure.also == "derivation":
            self.write(f', "order": {dumps(structure.order)}, "derivation": ')
            for piece in steps_json(nodes, outcome.shown, structure.order):
                self.write(piece)
        elif structure.also == "derivations":
            self._derivations(structure)
        self.write("}\n")

    def _derivations(self, structure: Structure) -> None:
        """How many there are, null for no end of them, and the trees of the first ones."""
        rule, judged = structure.rule, structure.outcome.judged
        count = rule.count_derivations(judged)
        self.write(f', "count": {dumps(None if count == inf else count)}, "derivations": [')
        for number, tree in enumerate(rule.derivations(judged, structure.most)):
            self.write(", " if number else "")
            for piece in tree_json(flatten(tree, rule.lark_names.__getitem__), structure.outcome.shown):
                self.write(piece)
        self.write("]")


class PlaceLines(JsonLines):
    """URIs and where they stand; the keys are stable."""

    def add(self, place: LocatedURI) -> None:
        found = place.found
        self.put(
            {
                "source": place.source,
                "line": place.pieces[0][0],
                "column": place.pieces[0][1],
                "uri": found.uri,
                "wrapper": found.wrapper.value,
                "prefix": found.prefix,
                "joined": found.joined,
                "cut": found.cut,
                "pieces": [{"line": n, "column": c, "end_column": end} for n, c, end in place.pieces],
                "hyphens": [{"line": n, "column": c} for n, c in place.hyphens],
                "without_hyphens": found.without_hyphens,
            }
        )
