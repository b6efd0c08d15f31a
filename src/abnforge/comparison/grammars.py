"""Two grammars compared rule by rule, as sets of strings.

What counts is what the rules derive, not how they are written: ``alpha / digit`` in one grammar equals
``ALPHA / DIGIT`` in the other, and a rule whose text is the same in both differs when a rule it uses does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from abnforge.automaton.algebra import DISJOINT, EQUAL, NARROWER, OVERLAP, WIDER
from abnforge.catalog import ArgumentError
from abnforge.comparison.correspondence import Correspondence
from abnforge.comparison.messages import message
from abnforge.comparison.rules import UNDECIDED, Comparison, compared
from abnforge.engine.compilation import Compilation
from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar.binding import bind
from abnforge.grammar.reader import read

# What a difference can be beside the relations of ``compare``.
ONLY_LEFT, ONLY_RIGHT, NOT_COMPARABLE = "only-left", "only-right", "not-comparable"

# All of them, those that an author has to look at first.
RELATIONS = (
    OVERLAP,
    DISJOINT,
    NARROWER,
    WIDER,
    ONLY_LEFT,
    ONLY_RIGHT,
    UNDECIDED,
    NOT_COMPARABLE,
    EQUAL,
)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class RuleDiff:
    """One rule of either grammar, and what became of it.

    ``relation`` is one of ``compare``'s, ``only-left`` or ``only-right`` (a rule without counterpart),
    or ``not-comparable``: then ``note`` says why. Elsewhere ``note`` tells what connects two
    different names, and of ``undecided`` what was tried. ``limit`` is the limit that the comparison exceeded,
    None elsewhere. ``comparison`` holds the witnesses; None where nothing was compared.
    ``counterpart`` is the name or the ABNF expression that the left rule was compared with.
    """

    left: Rule | None
    right: Rule | None
    relation: str
    comparison: Comparison | None = None
    counterpart: str | None = None
    note: str | None = None
    limit: LimitExceeded | None = None

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
            "common": compared.get("common"),
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, weakref_slot=True)
class GrammarDiff:
    """Two grammars, or a rule of each, and how their rules differ.

    ``left`` and ``right`` are what to call the two grammars. ``rules`` are in the order of ``RELATIONS``, and
    those of one relation in the order of :func:`diff`.
    """

    left: str
    right: str
    rules: tuple[RuleDiff, ...]

    @property
    def equal(self) -> bool:
        """Whether all rules derive the same strings in both."""
        return all(rule.equal for rule in self.rules)

    @property
    def counts(self) -> Mapping[str, int]:
        """How many rules there are of each relation, in the order of ``RELATIONS``, without those of none."""
        return Counter(rule.relation for rule in self.rules)

    def changes(self) -> GrammarDiff:
        """The same without the rules that are equal."""
        return replace(self, rules=tuple(rule for rule in self.rules if not rule.equal))


def differences(
    a: Grammar,
    b: Grammar,
    translation: Mapping[str, str] | None = None,
    *,
    rules: tuple[str | None, str | None] = (None, None),
    named: tuple[str, str] = ("", ""),
) -> GrammarDiff:
    """Two grammars rule by rule, as :func:`diff` compares them; with a rule of either, that rule alone.

    It is compared with the rule of the same name unless ``rules`` names one for each grammar. ``named`` is
    what the caller knows the two by; it tells apart grammars of one name. Errors and cost as for
    :func:`diff`; UnknownNameError for a rule that there is not.
    """
    left, right = rules
    if left or right:
        first, second = left or str(right), right or str(left)
        found = [diff_rules(_rule(a, first), _rule(b, second))]
    else:
        found = diff(a, b, translation)
    found.sort(key=lambda rule: RELATIONS.index(rule.relation))
    return GrammarDiff(*labels((a.name, b.name), named), tuple(found))


def translated(pair: str) -> tuple[str, str]:
    """The two sides of a translation that is written ``NAME=ABNF``; raises ValueError for any other text."""
    name, equals, target = pair.partition("=")
    if not (equals and name.strip() and target.strip()):
        raise ArgumentError(message("translation-malformed", translation=pair))
    return name.strip(), target.strip()


def diff(a: Grammar, b: Grammar, translation: Mapping[str, str] | None = None) -> list[RuleDiff]:
    """Every rule of ``a`` with its counterpart in ``b``, in ``a``'s order, then what only ``b`` has.

    Names match without regard to case, and ``_`` matches ``-``; core rules count as counterparts.
    ``translation`` maps a name of ``a`` to a rule of ``b``, or to an ABNF expression over ``b``'s rules, and
    comes first.
    Raises UnknownNameError for a translation of a rule that ``a`` lacks, GrammarError for an expression that
    is no ABNF. Cost: one ``compare`` a rule, about a second for two URI grammars.
    """
    wanted: dict[str, str] = {}
    for name, target in (translation or {}).items():
        wanted[_rule(a, name).name] = target
    correspondence = Correspondence(a.compilation, b.compilation)
    result: list[RuleDiff] = []
    taken: set[str] = set()
    for left in a.own_rules:
        given = wanted.get(left.name)
        right = counterpart(left.name, b) if given is None else expression(b, given, left.name)
        if right is None:
            result.append(RuleDiff(left, None, ONLY_LEFT))
            continue
        taken.add(right.name)
        result.append(diff_rules(left, right, given, correspondence))
    for rule in b.own_rules:
        if rule.name in taken:
            continue
        other = counterpart(rule.name, a)
        if other is None:
            result.append(RuleDiff(None, rule, ONLY_RIGHT))
        elif other.origin != "file":  # the file's own have had their turn
            result.append(diff_rules(other, rule, None, correspondence))
    return result


def diff_rules(
    left: Rule, right: Rule, shown: str | None = None, correspondence: Correspondence | None = None
) -> RuleDiff:
    """Two rules as a difference; ``shown`` is what to call the right one instead of its name.

    The ``correspondence`` of their grammars is found once for all their rules.
    """
    if correspondence is None or not correspondence.covers(left, right):
        correspondence = Correspondence(left.grammar.compilation, right.grammar.compilation)
    note: str | None = None
    if shown is None and left.name.lower() != right.name.lower():
        note = message("comparison-renamed", left=left.name, right=right.name)
    shown = right.name if shown is None else shown
    try:
        comparison, limit = compared(left, right, correspondence)
    except ValueError as error:  # a GrammarError too
        if correspondence.holds(left.key, right.key):
            return RuleDiff(left, right, EQUAL, None, shown, message("comparison-identical"))
        reason = error.message if isinstance(error, GrammarError) else str(error)
        limit = error if isinstance(error, LimitExceeded) else None
        return RuleDiff(left, right, NOT_COMPARABLE, None, shown, reason, limit)
    if comparison.bound is not None:
        tried = f"tried {comparison.bound}"
        note = tried if note is None else f"{note}; {tried}"
    return RuleDiff(left, right, comparison.relation, comparison, shown, note, limit)


def _rule(grammar: Grammar, name: str) -> Rule:
    return counterpart(name, grammar) or grammar[name]  # which says what is wrong with the name


def labels(names: tuple[str, str], named: tuple[str, str]) -> tuple[str, str]:
    """What to call two grammars: the first of these that tells them apart."""
    for left, right in (names, named):
        if left != right:
            return left, right
    return "the first", "the second"


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
    return _with_rule(grammar, text, name)[name]


def _with_rule(grammar: Grammar, text: str, name: str) -> Grammar:
    """A grammar of one rule more."""
    rulelist = read(f"{name} =\n {text}\n", f"<{name}>", None if "_" in name else "abnf")
    bound = bind(rulelist, name=grammar.name, imports=grammar.compilation.bound.rules)
    return Grammar(Compilation(bound, grammar.compilation.budget), (_with_rule, (grammar, text, name)))


def _folded(name: str) -> str:
    return name.lower().replace("_", "-")
