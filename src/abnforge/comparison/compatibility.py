"""Is a change of a grammar backward compatible: is every string that was valid before it valid after it?

Asked of the rules that a grammar exports; those that only other rules use may change as they like, as long as
that changes nothing for these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from abnforge._arguments import instance_argument, names_argument
from abnforge.automaton.algebra import EQUAL
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
"""What can be said of a rule: each old string is valid, some is not, or neither could be shown."""

VERDICTS = (BROKEN, NOT_SHOWN, COMPATIBLE)


def verdict(rule: RuleDiff) -> str:
    """What is said of a rule of the old grammar and its counterpart in the new one."""
    if rule.relation == ONLY_LEFT:
        return BROKEN
    if rule.comparison is None:
        return COMPATIBLE if rule.relation == EQUAL else NOT_SHOWN
    included = rule.comparison.included
    return NOT_SHOWN if included is None else COMPATIBLE if included else BROKEN


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Compatibility:
    """The exported rules of an old grammar and their counterparts in a new one, ``left`` and ``right`` of
    ``diff``: first what is broken, then what could not be shown.
    """

    diff: GrammarDiff

    @property
    def compatible(self) -> bool:
        """Whether it was shown of every rule that all its old strings are valid."""
        return all(verdict(rule) == COMPATIBLE for rule in self.diff.rules)

    def rules(self, wanted: str) -> tuple[RuleDiff, ...]:
        """The rules of a verdict."""
        return tuple(rule for rule in self.diff.rules if verdict(rule) == wanted)

    def to_dict(self) -> dict[str, Any]:
        """As plain data, ready for ``json.dumps``. Its keys are stable."""
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
    """Whether every string of the rules that ``old`` exports is one of the rule of that name in ``new``.

    Asked, too, of the ``rules`` that are named, and, if these are meant ``alone``, of no others. A rule that
    ``new`` lacks breaks all its strings, unless ``translation`` says what it is there, as for ``diff``.
    ``named`` is what the caller knows the two by. Raises UnknownNameError and GrammarError as ``diff`` does.
    Cost: one ``compare`` a rule.
    """
    instance_argument(old, "old", Grammar, "a Grammar")
    instance_argument(new, "new", Grammar, "a Grammar")
    chosen = [] if alone else list(old.exported)
    chosen += [counterpart(name, old) or old[name] for name in names_argument(rules, "rules")]
    wanted = {(counterpart(name, old) or old[name]).name: to for name, to in (translation or {}).items()}
    correspondence = Correspondence(old.compilation, new.compilation)
    found: list[RuleDiff] = []
    for rule in {rule.key: rule for rule in chosen}.values():
        given = wanted.get(rule.name)
        other = counterpart(rule.name, new) if given is None else expression(new, given, rule.name)
        if other is None:
            found.append(RuleDiff(rule, None, ONLY_LEFT))
        else:
            found.append(diff_rules(rule, other, given, correspondence))
    found.sort(key=lambda rule: (VERDICTS.index(verdict(rule)), RELATIONS.index(rule.relation)))
    return Compatibility(GrammarDiff(*labels((old.name, new.name), named), tuple(found)))
