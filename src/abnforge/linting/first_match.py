"""Findings about alternatives whose order matters to parsers that take the first one that matches.

In ABNF, the order of alternatives does not matter. A parsing expression grammar (Ford 2004), and most
recursive descent parsers, take the first alternative that matches at a position, and never try another one
there. So they reject ``getall`` for ``"get" / "getall"``.

A choice of such a parser is an atomic group of a regular expression. Each choice of a regular rule is
compared exactly: with this choice as an atomic group and everything else unchanged, the rule must match the
same strings. A repetition at the end of an atomic group also commits. So a finding requires another order of
the alternatives that matches the string. Each rule is compared by itself, like the start rule of a parser.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from abnforge.automata.dfa import Automaton, build
from abnforge.budget import Budget, Meter
from abnforge.charset import partition
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Node, lower_alternation
from abnforge.grammar.facts import Facts, LanguageBounds, bounds_of
from abnforge.grammar.syntax import (
    Alternation,
    BoundGrammar,
    BoundRule,
    Concatenation,
    Group,
    Option,
    Repetition,
    RuleName,
)
from abnforge.linting.finding import Finding, concatenations, inside, label, make, own_rules
from abnforge.linting.messages import message
from abnforge.regex.ast import AtomicGroup, CharacterClass, Regex, ordered, postorder
from abnforge.regex.dialects import PCRE2
from abnforge.regex.errors import UndecidedError, UnsafeError
from abnforge.regex.from_rule import regex_tree
from abnforge.regex.machine import PatternMachine
from abnforge.regex.proof import tree_difference

MAX_ALTERNATIVES = 100
"""The maximum number of alternatives of a choice that is compared. Lists of words may be longer."""

MAX_STEPS = 200_000
"""The maximum number of steps for one choice: about 0.2 s."""

_CHOICE = "choice of {}"  # keys of added rules contain spaces, so rules of the grammar do not have them


def cut_off_alternatives(
    grammar: BoundGrammar, facts: Facts, bodies: Mapping[str, Node], budget: Budget
) -> Iterator[Finding]:
    """Yield a finding for each choice that makes a first-match parser reject strings of the rule.

    The witness is a shortest such string. A finding of kind ``check-incomplete`` names the rules that exceed
    MAX_ALTERNATIVES, MAX_STEPS or ``budget``, or whose empty repetitions prevent a comparison.
    """
    bounds = facts.language_bounds
    meter = budget.meter(f"first-match alternatives of {grammar.name}")
    incomplete: list[BoundRule] = []
    for key, rule in own_rules(grammar):
        if key not in bodies or key in facts.recursive or facts.prose(key) is not None or rule.excepted:
            continue
        try:
            for choice in _choices(rule):
                yield from _Choice(grammar, rule, choice, bodies, bounds, facts).findings(meter)
        except (LimitExceeded, UndecidedError, UnsafeError):
            incomplete.append(rule)
    if incomplete:
        yield make(
            grammar.source,
            incomplete[0].name,
            incomplete[0].rule.name_span,
            message("first-match-incomplete", rules=tuple(rule.name for rule in incomplete)),
            kind="check-incomplete",
        )


def _choices(rule: BoundRule) -> Iterator[Alternation]:
    """Yield the choices of a rule, in text order."""
    groups = (
        inside(item.element) for each in concatenations(rule.elements.alternatives) for item in each.items
    )
    for alternation in (rule.elements, *(group for group in groups if group is not None)):
        if len(alternation.alternatives) > 1:
            yield alternation


class _Choice:
    """A choice of a rule as the rules ``0 of KEY``, ``1 of KEY`` and so on, and the rule around it."""

    def __init__(
        self,
        grammar: BoundGrammar,
        rule: BoundRule,
        choice: Alternation,
        bodies: Mapping[str, Node],
        bounds: Mapping[str, LanguageBounds],
        facts: Facts,
    ) -> None:
        self._grammar, self._rule, self._facts = grammar, rule, facts
        self._key, self._choice = rule.name.lower(), _CHOICE.format(rule.name.lower())
        self._alternatives = choice.alternatives
        nodes = [lower_alternation(Alternation((each,))) for each in choice.alternatives]
        shapes = [bounds_of(node, bounds) for node in nodes]
        # An alternative can only cut off a later one that can begin with the same character and be longer.
        self._can_cut = any(
            (earlier.nullable or earlier.first & later.first)
            and (earlier.length is None or earlier.length != later.length)
            for number, later in enumerate(shapes)
            for earlier in shapes[:number]
        )
        around = _with_reference(rule.elements, choice, self._choice)
        self._bodies = {
            **bodies,
            self._key: lower_alternation(around),
            self._choice: lower_alternation(choice),
        }
        self._bodies |= {self._part(number): node for number, node in enumerate(nodes)}

    def _part(self, number: int) -> str:
        return f"{number} of {self._key}"

    def findings(self, meter: Meter) -> Iterator[Finding]:
        if not self._can_cut:
            return
        if len(self._alternatives) > MAX_ALTERNATIVES:
            raise UnsafeError(message("search-alternatives", limit=MAX_ALTERNATIVES))
        meter = meter.part("first-match alternatives", MAX_STEPS, "MAX_STEPS")
        parts = [regex_tree(self._bodies, self._part(number)) for number in range(len(self._alternatives))]
        automaton = build(self._facts.core, self._bodies, self._key, meter)
        found = tree_difference(self._tree(parts), automaton, PCRE2, meter)
        if found is None:
            return
        string = found.text
        places = self._places(parts, string, automaton, meter)
        if places is None:
            return
        earlier, later, is_enough = places
        names = [label(self._grammar.source, self._alternatives[place].span) for place in (earlier, later)]
        yield make(
            self._grammar.source,
            self._rule.name,
            self._alternatives[later].span,
            message("cut-off-alternative", earlier=names[0], later=names[1], string=string),
            related=[(self._alternatives[earlier].span, message("taken-alternative"))],
            witness=string,
            fix=message("cut-off-alternative-fix", earlier=names[0]) if is_enough else None,
        )

    def _tree(self, parts: Sequence[Regex]) -> Regex:
        """Return the expression of the rule with the choice as an atomic group of alternatives in order."""
        group = AtomicGroup(ordered(parts))
        return regex_tree(
            self._bodies, self._key, rewrite=lambda key, body: group if key == self._choice else body
        )

    def _places(
        self, parts: list[Regex], string: str, automaton: Automaton, meter: Meter
    ) -> tuple[int, int, bool] | None:
        """Return an alternative, a later one that it cuts off, and whether the move is enough for all.

        The rule matches the string if the later one moves directly before the other, but not directly after.
        """
        for later in range(1, len(parts)):
            for earlier in range(later - 1, -1, -1):
                moved = [*parts[:earlier], parts[later], *parts[earlier:later], *parts[later + 1 :]]
                tree = self._tree(moved)
                if _accepts(tree, string, meter):
                    return earlier, later, tree_difference(tree, automaton, PCRE2, meter) is None
        return None


def _accepts(tree: Regex, string: str, meter: Meter) -> bool:
    """Return whether a pattern matches a string."""
    classes = partition([part.charset for part in postorder(tree) if isinstance(part, CharacterClass)])
    machine = PatternMachine(tree, classes, meter)
    state = machine.start
    for char in string:
        number = next((number for number, charset in enumerate(classes) if char in charset), -1)
        state = machine.moves(state).get(number, ())
    return machine.accepts(state)


def _with_reference(alternation: Alternation, choice: Alternation, name: str) -> Alternation:
    """Return a definition with one of its choices replaced by a reference to a rule."""
    if alternation is choice:
        return Alternation((Concatenation((Repetition(RuleName(name)),)),))

    def changed(item: Repetition) -> Repetition:
        element = item.element
        if not isinstance(element, Group | Option):
            return item
        inner = _with_reference(element.alternation, choice, name)
        return replace(item, element=replace(element, alternation=inner))

    alternatives = (replace(each, items=tuple(map(changed, each.items))) for each in alternation.alternatives)
    return replace(alternation, alternatives=tuple(alternatives))
