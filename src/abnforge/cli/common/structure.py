"""``parse``: a string's verdict and what the string is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from abnforge.cli.common.outcome import Outcome
from abnforge.engine import grammar_names

if TYPE_CHECKING:
    from abnforge.engine.rule import Rule
    from abnforge.parsing.trees import ParseTree


def with_components(grammar: str) -> str | None:
    """The grammar, given by name or path, if its strings have component objects; else None."""
    if grammar not in grammar_names():
        return None  # known without importing what takes longer than everything else
    from abnforge.uri.rfc_differences import EDITIONS

    return grammar if grammar in EDITIONS else None


@dataclass(frozen=True, slots=True)
class Structure:
    """An outcome and, made when asked for, the structure of its string, which is a valid one.

    ``grammar`` is the one whose component objects the string has, None for a grammar without. ``order`` is
    that of its derivation's steps, ``most`` how many derivations are told, and ``also`` what JSON has beside
    the tree: ``derivation``, ``derivations``.
    """

    outcome: Outcome
    rule: Rule
    engine: str
    grammar: str | None
    order: str = "leftmost"
    most: int = 2
    also: str | None = None

    def tree(self) -> ParseTree:
        """The parse tree, in Lark's names; ``rule.lark_names`` has those of the grammar."""
        return self.rule.parse(self.outcome.judged, engine=self.engine)

    def components(self) -> dict[str, Any] | None:
        """The component object as plain data; None for grammars and rules that have none.

        A masked URI is as valid as it was: both RFCs allow "*" wherever a password can stand.
        """
        if self.grammar is None:
            return None
        from abnforge.engine.set_algebra import base_of
        from abnforge.uri.rfc_differences import components_of

        rule = base_of(self.rule)  # of rules made of others the one whose strings they are
        return None if rule is None else components_of(self.grammar, rule.name, self.outcome.shown)
