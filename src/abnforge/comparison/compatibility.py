"""Backward compatibility of a grammar: whether each string that was valid before a change is valid after it.

Only the rules that a grammar exports count. Other rules may change if the exported ones stay compatible.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from abnforge._arguments import instance_argument, names_argument
from abnforge.automata.algebra import EQUAL
from abnforge.comparison.correspondence import Correspondence
from abnforge.comparison.grammars import (
    ONLY_LEFT,
    RELATIONS,
    GrammarDiff,
    RuleDiff,
    counterpart,
    diff_rules,
    expression,
    labels,
)
from abnforge.engine.grammar import Grammar

COMPATIBLE, BROKEN, NOT_SHOWN = "compatible", "broken", "not-shown"
"""Verdicts of a rule: each old string is valid, some string is not, or neither is shown."""

VERDICTS = (BROKEN, NOT_SHOWN, COMPATIBLE)


def verdict(rule: RuleDiff) -> str:
    """Return the verdict of a rule of the old grammar and its counterpart in the new one."""
    if rule.relation == ONLY_LEFT:
        return BROKEN
    if rule.comparison is None:
        return COMPATIBLE if rule.relation == EQUAL else NOT_SHOWN
    included = rule.comparison.included
    return NOT_SHOWN if included is None else COMPATIBLE if included else BROKEN


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Compatibility:
    """The exported rules of an old grammar and their counterparts in a new one (``left`` and ``right``).

    Rules of ``diff`` that are broken come first, then those that are not shown to be compatible.
    """

    diff: GrammarDiff

    @property
    def compatible(self) -> bool:
        """True if all old strings of every rule are shown to be valid."""
        return all(verdict(rule) == COMPATIBLE for rule in self.diff.rules)

    def rules(self, wanted: str) -> tuple[RuleDiff, ...]:
        """Return the rules of a verdict."""
        return tuple(rule for rule in self.diff.rules if verdict(rule) == wanted)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for ``json.dumps``. Its keys are stable."""
        return {
            "compatible": self.compatible,
            "old": self.diff.left,
            "new": self.diff.right,
            "rules": [{**rule.to_dict(), "verdict": verdict(rule)} for rule in self.diff.rules],
        }


def compatibility(
    old: Grammar,
    new: Grammar,
    rules: Iterable[str] = (),
    translation: Mapping[str, str] | None = None,
    *,
    alone: bool = False,
    named: tuple[str, str] = ("", ""),
) -> Compatibility:
    """Check that the rules that ``old`` exports match all their strings in ``new``, by the same names.

    ``rules`` are checked, too; with ``alone``, only these. A rule that is not in ``new`` breaks all its
    strings, unless ``translation`` gives its counterpart, as for ``diff``. ``named`` distinguishes grammars
    with the same name.

    Raises: UnknownNameError and GrammarError as ``diff`` does.
    Complexity: one ``compare`` for each rule.
    """
    instance_argument(old, "old", Grammar, "a Grammar")
    instance_argument(new, "new", Grammar, "a Grammar")
    chosen = [] if alone else list(old.exported)
    chosen += [counterpart(name, old) or old[name] for name in names_argument(rules, "rules")]
    targets = {(counterpart(name, old) or old[name]).name: to for name, to in (translation or {}).items()}
    correspondence = Correspondence(old.compilation, new.compilation)
    diffs: list[RuleDiff] = []
    for rule in {rule.key: rule for rule in chosen}.values():
        target = targets.get(rule.name)
        other = counterpart(rule.name, new) if target is None else expression(new, target, rule.name)
        if other is None:
            diffs.append(RuleDiff(rule, None, ONLY_LEFT))
        else:
            diffs.append(diff_rules(rule, other, target, correspondence))
    diffs.sort(key=lambda rule: (VERDICTS.index(verdict(rule)), RELATIONS.index(rule.relation)))
    return Compatibility(GrammarDiff(*labels((old.name, new.name), named), tuple(diffs)))
