"""Two grammars compared rule by rule, as sets of strings.

What counts is what the rules derive, not how they are written: ``alpha / digit`` in one grammar equals
``ALPHA / DIGIT`` in the other, and a rule whose text is the same in both differs when a rule it uses does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abnforge.abnf.names import bind
from abnforge.abnf.reader import read
from abnforge.automaton.algebra import DISJOINT, EQUAL, NARROWER, OVERLAP, WIDER
from abnforge.comparison.rules import Comparison, compare
from abnforge.engine.compilation import Compilation
from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError

# What a difference can be beside the five relations of ``compare``.
ONLY_LEFT, ONLY_RIGHT, NOT_COMPARABLE = "only-left", "only-right", "not-comparable"

# All of them, those that an author has to look at first.
RELATIONS = (OVERLAP, DISJOINT, NARROWER, WIDER, ONLY_LEFT, ONLY_RIGHT, NOT_COMPARABLE, EQUAL)


@dataclass(frozen=True, slots=True)
class RuleDiff:
    """One rule of either grammar, and what became of it.

    ``relation`` is one of ``compare``'s five, ``only-left`` or ``only-right`` (a rule without counterpart),
    or ``not-comparable``: then ``note`` says why. Elsewhere ``note`` tells what connects two
    different names. ``comparison`` holds the witnesses; None where nothing was compared.
    ``counterpart`` is the name or the ABNF expression that the left rule was compared with.
    """

    left: Rule | None
    right: Rule | None
    relation: str
    comparison: Comparison | None = None
    counterpart: str | None = None
    note: str | None = None

    @property
    def name(self) -> str:
        """The rule's name: the left one where there is one."""
        rule = self.left or self.right
        assert rule is not None
        return rule.name

    @property
    def equal(self) -> bool:
        """Whether both grammars derive the same strings here."""
        return self.relation == EQUAL

    def to_dict(self) -> dict[str, Any]:
        """The difference as plain data, ready for ``json.dumps``. Its keys are stable."""
        compared = self.comparison.to_dict() if self.comparison else {}
        return {
            "rule": self.name,
            "counterpart": self.counterpart,
            "relation": self.relation,
            "only_left": compared.get("only_left"),
            "only_right": compared.get("only_right"),
            "both": compared.get("both"),
            "note": self.note,
        }


def diff(a: Grammar, b: Grammar, translation: Mapping[str, str] | None = None) -> list[RuleDiff]:
    """Every rule of ``a`` with its counterpart in ``b``, in ``a``'s order, then what only ``b`` has.

    Names match without regard to case, and ``_`` matches ``-``; core rules count as counterparts.
    ``translation`` maps a name of ``a`` to a rule of ``b``, or to an ABNF expression over ``b``'s rules, and
    comes first.
    Raises UnknownName for a translation of a rule that ``a`` lacks, GrammarError for an expression that is
    no ABNF. Cost: one ``compare`` a rule, about a second for two URI grammars.
    """
    wanted: dict[str, str] = {}
    for name, target in (translation or {}).items():
        wanted[(counterpart(name, a) or a[name]).name] = target  # a[name] says what is wrong with it
    result: list[RuleDiff] = []
    taken: set[str] = set()
    for left in a.own_rules:
        given = wanted.get(left.name)
        right = counterpart(left.name, b) if given is None else expression(b, given, left.name)
        if right is None:
            result.append(RuleDiff(left, None, ONLY_LEFT))
            continue
        taken.add(right.name)
        result.append(diff_rules(left, right, given))
    for rule in b.own_rules:
        if rule.name in taken:
            continue
        other = counterpart(rule.name, a)
        if other is None:
            result.append(RuleDiff(None, rule, ONLY_RIGHT))
        elif other.origin != "file":  # the file's own have had their turn
            result.append(diff_rules(other, rule))
    return result


def diff_rules(left: Rule, right: Rule, shown: str | None = None) -> RuleDiff:
    """Two rules as a difference; ``shown`` is what to call the right one instead of its name."""
    note = None
    if shown is None and left.name.lower() != right.name.lower():
        note = f"{left.name} here is {right.name} there"
    shown = right.name if shown is None else shown
    try:
        comparison = compare(left, right)
    except ValueError as error:  # a GrammarError too
        if _same_text(left, right):
            return RuleDiff(left, right, EQUAL, None, shown, "written the same in both, with all it uses")
        reason = error.message if isinstance(error, GrammarError) else str(error)
        return RuleDiff(left, right, NOT_COMPARABLE, None, shown, reason)
    return RuleDiff(left, right, comparison.relation, comparison, shown, note)


def counterpart(name: str, grammar: Grammar) -> Rule | None:
    """The rule of a name, ``_`` and ``-`` being the same unless both exist; None if there is none."""
    if name in grammar:
        return grammar[name]
    folded = _folded(name)
    return next((rule for known, rule in grammar.items() if _folded(known) == folded), None)


def expression(grammar: Grammar, text: str, name: str = "expression") -> Rule:
    """A rule of a grammar by name, or an ABNF expression over its rules as a rule of its own.

    ``name`` is what the new rule is called, with ``-translated`` added where the grammar has one of that
    name already. Raises GrammarError for a text that is neither.
    """
    if text.strip() in grammar:
        return grammar[text.strip()]
    while name in grammar:
        name += "-translated"
    rulelist = read(f"{name} =\n {text}\n", f"<{name}>", None if "_" in name else "abnf")
    own = grammar.compilation.bound.rules
    return Grammar(Compilation(bind(rulelist, name=grammar.name, imports=own)))[name]


def _folded(name: str) -> str:
    return name.lower().replace("_", "-")


def _same_text(left: Rule, right: Rule) -> bool:
    """Whether two rules, and all that they use, are written the same."""
    a, b = left.grammar, right.grammar
    needed = a.facts.reachable(left.name.lower())
    return needed == b.facts.reachable(right.name.lower()) and all(
        a[key].definition == b[key].definition for key in needed
    )
