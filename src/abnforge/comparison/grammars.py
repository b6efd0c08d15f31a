"""Compare two grammars rule by rule, as sets of strings.

Rules are compared by the strings that they derive: ``alpha / digit`` in one grammar equals ``ALPHA / DIGIT``
in the other. A rule with the same definition in both grammars differs if a rule that it uses differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from abnforge._arguments import instance_argument, names_argument
from abnforge.automata.algebra import DISJOINT, EQUAL, NARROWER, OVERLAP, WIDER
from abnforge.catalog import ArgumentError
from abnforge.comparison.correspondence import Correspondence
from abnforge.comparison.rules import UNDECIDED, Comparison, compared, other_examples, witness
from abnforge.engine.compilation import Compilation
from abnforge.engine.grammar import Grammar
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError, LimitExceeded
from abnforge.grammar.binding import bind
from abnforge.grammar.reader import read
from abnforge.messages import message
from abnforge.rejection import Rejection

# Differences in addition to the relations of ``compare``.
ONLY_LEFT, ONLY_RIGHT, NOT_COMPARABLE = "only-left", "only-right", "not-comparable"

_DIFFERENT = (OVERLAP, DISJOINT, NARROWER, WIDER, UNDECIDED)

# All relations, the most important ones first.
RELATIONS = (OVERLAP, DISJOINT, NARROWER, WIDER, ONLY_LEFT, ONLY_RIGHT, UNDECIDED, NOT_COMPARABLE, EQUAL)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class RuleDiff:
    """One rule of either grammar, and its difference.

    ``relation`` is a relation of ``compare``, ``only-left`` or ``only-right`` (a rule without counterpart),
    or ``not-comparable``. ``note`` gives the reason for ``not-comparable``, the connection of two different
    names, or the search that left a relation undecided. ``limit`` is the limit that the comparison exceeded,
    else None. ``comparison`` has the witnesses; it is None if no strings were compared. ``counterpart`` is
    the name or the ABNF expression that the left rule was compared with. If both rules have the same
    definition, ``inherits`` are the rules with different definitions that they use.
    """

    left: Rule | None
    right: Rule | None
    relation: str
    comparison: Comparison | None = None
    counterpart: str | None = None
    note: str | None = None
    limit: LimitExceeded | None = None
    inherits: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the left rule, or of the right rule without a left one."""
        rule = self.left or self.right
        assert rule is not None
        return rule.name

    @property
    def equal(self) -> bool:
        """True if both rules derive the same strings."""
        return self.relation == EQUAL

    def other_examples(self) -> tuple[list[Rejection], list[Rejection]]:
        """Return rejections of more strings: by the right rule, then by the left one.

        Each has another code or another innermost rule than all others of its side, including that of the
        comparison. Both lists are empty for a rule that inherits its difference. Cost: below a tenth of the
        budget.
        """
        if self.comparison is None or self.inherits:
            return [], []
        return other_examples(self.comparison)

    def to_dict(self) -> dict[str, Any]:
        """Return the difference as plain data for ``json.dumps``. Its keys are stable."""
        compared = self.comparison.to_dict() if self.comparison else {}
        more_left, more_right = (
            [witness(each.input, each) for each in side] for side in self.other_examples()
        )
        return {
            "rule": self.name,
            "counterpart": self.counterpart,
            "relation": self.relation,
            "only_left": compared.get("only_left"),
            "only_right": compared.get("only_right"),
            "more_left": more_left,
            "more_right": more_right,
            "common": compared.get("common"),
            "inherits": list(self.inherits),
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, weakref_slot=True)
class GrammarDiff:
    """Two grammars, or a rule of each, and how their rules differ.

    ``left`` and ``right`` are the names of the two grammars. In ``rules``, those that only inherit a
    difference come last; then the order is that of ``RELATIONS``, then that of :func:`diff`.
    """

    left: str
    right: str
    rules: tuple[RuleDiff, ...]

    @property
    def equal(self) -> bool:
        """True if all rules derive the same strings in both."""
        return all(rule.equal for rule in self.rules)

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of rules of each relation that occurs, in the order of ``RELATIONS``."""
        return Counter(rule.relation for rule in self.rules)

    def changes(self) -> GrammarDiff:
        """Return the differences without equal rules."""
        return replace(self, rules=tuple(rule for rule in self.rules if not rule.equal))


def differences(
    a: Grammar,
    b: Grammar,
    translation: Mapping[str, str] | None = None,
    *,
    rules: tuple[str | None, str | None] = (None, None),
    named: tuple[str, str] = ("", ""),
) -> GrammarDiff:
    """Compare two grammars rule by rule, as :func:`diff` does, or only the rules that ``rules`` names.

    A single name refers to a rule in both grammars. ``named`` distinguishes grammars with the same name, for
    example by their paths.

    Raises: the errors of :func:`diff`; UnknownNameError for an unknown rule.
    """
    left, right = rules
    if left or right:
        first, second = left or str(right), right or str(left)
        diffs = [diff_rules(_rule(a, first), _rule(b, second))]
    else:
        diffs = diff(a, b, translation)
    diffs.sort(key=lambda rule: (bool(rule.inherits), RELATIONS.index(rule.relation)))
    return GrammarDiff(*labels((a.name, b.name), named), tuple(diffs))


def translated(pair: str) -> tuple[str, str]:
    """Return the two sides of a translation ``NAME=ABNF``; raise ValueError for another string."""
    name, equals, target = pair.partition("=")
    if not (equals and name.strip() and target.strip()):
        raise ArgumentError(message("translation-malformed", translation=pair))
    return name.strip(), target.strip()


def diff(a: Grammar, b: Grammar, translation: Mapping[str, str] | None = None) -> list[RuleDiff]:
    """Compare every rule of ``a`` with its counterpart in ``b``, then list other rules of ``b``.

    Names match without regard to case, and ``_`` matches ``-``; core rules count as counterparts.
    ``translation`` maps a name of ``a`` to a rule of ``b``, or to an ABNF expression over ``b``'s rules, and
    takes precedence.

    Raises UnknownNameError for a translation of a rule that is not in ``a``; GrammarError for an expression
    that is not ABNF; ValueError for different alphabets. Complexity: one ``compare`` for each rule, about a
    second for two URI grammars.
    """
    if a.alphabet != b.alphabet:
        raise ArgumentError(message("rule-alphabets", rules=(a.name, b.name)))
    translations: dict[str, str] = {}
    for name, target in (translation or {}).items():
        translations[_rule(a, name).name] = target
    correspondence = Correspondence(a.compilation, b.compilation)
    diffs: dict[str, RuleDiff] = {}
    compared_names: set[str] = set()
    for left in _bottom_up(a):  # the relation of two rules can follow from those of the rules that they use
        abnf = translations.get(left.name)
        right = counterpart(left.name, b) if abnf is None else expression(b, abnf, left.name)
        if right is None:
            diffs[left.key] = RuleDiff(left, None, ONLY_LEFT)
            continue
        compared_names.add(right.name)
        diffs[left.key] = diff_rules(left, right, abnf, correspondence)
    result = [diffs[left.key] for left in a.own_rules]
    for rule in b.own_rules:
        if rule.name in compared_names:
            continue
        other = counterpart(rule.name, a)
        if other is None:
            result.append(RuleDiff(None, rule, ONLY_RIGHT))
        elif other.origin != "file":  # the rules of the file are compared above
            result.append(diff_rules(other, rule, None, correspondence))
    return _with_causes(result, correspondence)


def _bottom_up(grammar: Grammar) -> list[Rule]:
    """Return the rules of a grammar's text, each after the rules that it uses, except in cycles."""
    own = {rule.key: rule for rule in grammar.own_rules}
    return [own[key] for group in grammar.compilation.facts.groups for key in group if key in own]


def _with_causes(diffs: list[RuleDiff], correspondence: Correspondence) -> list[RuleDiff]:
    """Return differences with ``inherits`` for rules with equal definitions. Cost: linear."""
    by_key = {each.left.key: each for each in diffs if each.left is not None}
    uses: dict[str, list[str]] = {}  # the rules that differ and are used by a rule with equal definitions
    for key, each in by_key.items():
        if each.relation in _DIFFERENT and (used := _used(each, by_key, correspondence)) is not None:
            uses[key] = used
    causes = {key: tuple(by_key[cause].name for cause in _causes(key, uses)) for key in uses}
    return [
        each if each.left is None else replace(each, inherits=causes.get(each.left.key, ())) for each in diffs
    ]


def _used(diff: RuleDiff, by_key: Mapping[str, RuleDiff], correspondence: Correspondence) -> list[str] | None:
    """Return the rules that differ and are used by two equal definitions, or None for other definitions."""
    left, right = diff.left, diff.right
    if left is None or right is None or not correspondence.covers(left, right):
        return None
    used = []
    for one, other in correspondence.references(left.key, right.key) or ():
        if correspondence.holds(one, other):
            continue
        each = by_key.get(one)
        if each is None or each.right is None or each.right.key != other:
            return None  # the definitions refer to different rules
        if not each.equal:
            used.append(one)
    return used or None


def _causes(key: str, uses: Mapping[str, list[str]]) -> list[str]:
    """Return the rules with different definitions that a rule with equal definitions uses."""
    met = dict.fromkeys(uses.get(key, ()))
    for each in (queue := list(met)):
        new = [target for target in uses.get(each, ()) if target not in met]
        met.update(dict.fromkeys(new))
        queue += new
    return [each for each in met if each not in uses and each != key]


def diff_rules(
    left: Rule, right: Rule, shown: str | None = None, correspondence: Correspondence | None = None
) -> RuleDiff:
    """Compare two rules; ``shown`` replaces the name of the right one.

    The ``correspondence`` of their grammars is computed once for all their rules.
    """
    if correspondence is None or not correspondence.covers(left, right):
        correspondence = Correspondence(left.grammar.compilation, right.grammar.compilation)
    note: str | None = None
    if shown is None and left.name.lower() != right.name.lower():
        note = message("comparison-renamed", left=left.name, right=right.name)
    shown = right.name if shown is None else shown
    try:
        comparison, limit = compared(left, right, correspondence)
    except ValueError as error:  # includes GrammarError
        same_alphabet = left.grammar.alphabet == right.grammar.alphabet
        if same_alphabet and correspondence.holds(left.key, right.key):
            return RuleDiff(left, right, EQUAL, None, shown, message("comparison-identical"))
        reason = error.message if isinstance(error, GrammarError) else str(error)
        limit = error if isinstance(error, LimitExceeded) else None
        return RuleDiff(left, right, NOT_COMPARABLE, None, shown, reason, limit)
    if comparison.bound is not None:
        tried = f"tried {comparison.bound}"
        note = tried if note is None else f"{note}; {tried}"
    return RuleDiff(left, right, comparison.relation, comparison, shown, note, limit)


def _rule(grammar: Grammar, name: str) -> Rule:
    return counterpart(name, grammar) or grammar[name]  # raises UnknownNameError


def labels(names: tuple[str, str], named: tuple[str, str]) -> tuple[str, str]:
    """Return the first pair whose two names differ, or general names if neither does."""
    for left, right in (names, named):
        if left != right:
            return left, right
    return "the first", "the second"


def counterpart(name: str, grammar: Grammar) -> Rule | None:
    """Return the rule of a name, with ``_`` equal to ``-`` unless both exist, or None."""
    if name in grammar:
        return grammar[name]
    folded = _folded(name)
    return next((rule for other, rule in grammar.items() if _folded(other) == folded), None)


def expression(grammar: Grammar, text: str, name: str = "expression") -> Rule:
    """Return a rule of a grammar by name, or a new rule with an ABNF expression over its rules.

    The new rule has the name ``name``, with ``-translated`` added if that name exists.

    Raises: GrammarError if ``text`` is neither.
    """
    if text.strip() in grammar:
        return grammar[text.strip()]
    while name in grammar:
        name += "-translated"
    return _with_rule(grammar, text, name)[name]


def _with_rule(grammar: Grammar, text: str, name: str) -> Grammar:
    rulelist = read(f"{name} =\n {text}\n", f"<{name}>", None if "_" in name else "abnf")
    bound = bind(rulelist, name=grammar.name, imports=grammar.compilation.bound.rules)
    return Grammar(Compilation(bound, grammar.compilation.budget), (_with_rule, (grammar, text, name)))


def _folded(name: str) -> str:
    return name.lower().replace("_", "-")


# Backward compatibility of a grammar: whether each string that was valid before a change is valid after it.
#
# Only the rules that a grammar exports count. Other rules may change if the exported ones stay compatible.


COMPATIBLE, BROKEN, NOT_SHOWN = "compatible", "broken", "not-shown"
"""Verdicts of a rule: each old string is valid, some old string is not, or neither is proved."""

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

    Broken rules of ``diff`` come first, then those that are not proved to be compatible.
    """

    diff: GrammarDiff

    @property
    def compatible(self) -> bool:
        """True if all old strings of every rule are proved to be valid."""
        return all(verdict(rule) == COMPATIBLE for rule in self.diff.rules)

    def rules(self, wanted: str) -> tuple[RuleDiff, ...]:
        """Return the rules with a verdict."""
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
    """Check that the rules that ``old`` exports still match all their strings in ``new``.

    Rules correspond by name. ``rules`` are also checked; with ``alone``, only these rules are. A rule that is
    not in ``new`` breaks all its strings, unless ``translation`` gives its counterpart, as for ``diff``.
    ``named`` distinguishes grammars with the same name.

    Raises: the UnknownNameError and GrammarError of ``diff``.
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
