"""Constructions of courses on formal languages, step by step.

``rule_sets`` returns first and follow sets, and LL(1) conflicts (Aho, Lam, Sethi and Ullman 2006, 4.4).

``derivatives`` returns the derivatives of a rule along a string (Brzozowski 1964).

``construction`` begins with the automaton of partial derivatives (Antimirov 1996). The subset construction
(Rabin and Scott 1959) and minimization by refinement (Moore 1956) follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abnforge._arguments import Text, choice_argument, instance_argument
from abnforge.automata.derivatives import Derivatives, State
from abnforge.automata.dfa import DEAD, character_classes, live_states, tabulate
from abnforge.catalog import ArgumentError
from abnforge.charset import CharSet
from abnforge.engine.rule import Rule
from abnforge.errors import GrammarError
from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts, predictions
from abnforge.grammar.printer import print_alternation
from abnforge.teaching.messages import message
from abnforge.teaching.normal_forms import cyk, in_abnf, normal_form, to_abnf, without_left_recursion

MAX_STATES = 60  # the number of states of an automaton that a person can follow
MAX_RULES = 500  # the number of rules in a table
MAX_DERIVATIVES = 200  # the length of a string


@dataclass(frozen=True, slots=True)
class RuleSets:
    """A row of the table: whether a rule is nullable, its first and follow sets, and conflicts.

    ``end`` says whether the input may end after the rule. ``conflicts`` has the characters that do not decide
    a choice, an option or a repetition within the rule; with ``end_conflict``, the end of the input does not.
    """

    rule: Rule
    nullable: bool
    first: CharSet
    follow: CharSet
    end: bool
    conflicts: CharSet
    end_conflict: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the row as JSON values; character sets are written as classes."""
        sets = {name: getattr(self, name).to_class() for name in ("first", "follow", "conflicts")}
        return {"rule": self.rule.name, "nullable": self.nullable, "end": self.end, **sets}


def rule_sets(start: Rule) -> list[RuleSets]:
    """Return the table of a rule and the rules that it uses, in the order of their first use.

    Raises GrammarError for a rule with prose, and ValueError for too many rules. Cost: linear in the rules
    times the depth of their recursion.
    """
    instance_argument(start, "start", Rule, "a Rule")
    start = in_abnf(start)
    compilation = start.grammar.compilation
    core, facts = compilation.core, compilation.facts
    keys = facts.reachable(start.key)
    if len(keys) > MAX_RULES:
        raise ArgumentError(message("table-too-large", rule=start.name, limit=MAX_RULES))
    bounds = facts.language_bounds
    follow, conflicts = predictions(facts, start.key, bounds)
    rows = []
    for key in keys:
        own, behind, conflict = bounds[key], follow[key], conflicts[key]
        rule = start.grammar[core.names[key]]
        rows.append(
            RuleSets(rule, own.nullable, own.first, behind.chars, behind.end, conflict.chars, conflict.end)
        )
    return rows


@dataclass(frozen=True, slots=True)
class Construction:
    """The way from a regular rule to its minimal automaton.

    ``classes`` are the columns. ``nfa`` has the targets of each state by class, and ``accepting`` its
    accepting states. ``subsets`` has the members of each subset, and ``rows`` its targets by class (``DEAD``:
    none). ``rounds`` has the blocks of subsets before each refinement and at the end: the states of the
    minimal automaton. State 0 is the start.
    """

    rule: Rule
    classes: tuple[CharSet, ...]
    nfa: tuple[tuple[tuple[int, ...], ...], ...]
    accepting: frozenset[int]
    subsets: tuple[tuple[int, ...], ...]
    rows: tuple[tuple[int, ...], ...]
    rounds: tuple[tuple[tuple[int, ...], ...], ...]

    def accepts(self, subset: int) -> bool:
        """Return whether a subset is accepting."""
        return not self.accepting.isdisjoint(self.subsets[subset])

    def to_dict(self) -> dict[str, Any]:
        """Return the steps as JSON values; character sets are written as classes."""
        return {
            "rule": self.rule.name,
            "classes": [each.to_class() for each in self.classes],
            "nfa": [[list(each) for each in row] for row in self.nfa],
            "accepting": sorted(self.accepting),
            "subsets": [list(each) for each in self.subsets],
            "rows": [list(row) for row in self.rows],
            "rounds": [[list(block) for block in each] for each in self.rounds],
        }


def construction(rule: Rule) -> Construction:
    """Return the steps from a regular rule to its minimal automaton.

    Raises GrammarError for a rule with prose, and ValueError for a rule that is not regular or has too many
    states. Cost: quadratic in the number of states, which is limited.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    rule = in_abnf(rule)
    compilation = rule.grammar.compilation
    if not rule.regular:
        raise ArgumentError(message("construction-regular", rule=rule.name))
    core = Core(compilation.bodies, compilation.core.names)
    derivatives = Derivatives(Facts(core), marks=False)
    derivatives.meter = compilation.budget.meter(f"automaton of {rule.name}")
    classes = character_classes(core.rules[key] for key in derivatives.facts.reachable(rule.key))
    numbers: dict[State, int] = {
        state: number for number, state in enumerate(derivatives.start(rule.key).states)
    }
    nfa = []
    for state in (queue := list(numbers)):
        row = []
        for charset in classes:
            targets = dict.fromkeys(arc.target for arc in derivatives.moves(state, charset.min()))
            for target in targets:
                if target not in numbers:
                    numbers[target] = len(queue)
                    queue.append(target)
            row.append(tuple(numbers[target] for target in targets))
        nfa.append(tuple(row))
        if len(queue) > MAX_STATES:
            raise ArgumentError(message("construction-too-large", rule=rule.name, limit=MAX_STATES))
    accepting = frozenset(numbers[state] for state in queue if derivatives.accepts(state))
    return _determinized(rule, classes, nfa, accepting)


def _determinized(
    rule: Rule,
    classes: Sequence[CharSet],
    nfa: Sequence[tuple[tuple[int, ...], ...]],
    accepting: frozenset[int],
) -> Construction:
    seen = 0

    def row_of(members: tuple[int, ...]) -> list[tuple[int, ...] | None]:
        nonlocal seen
        seen += 1
        if seen > MAX_STATES:
            raise ArgumentError(message("construction-too-large", rule=rule.name, limit=MAX_STATES))
        columns = zip(*(nfa[member] for member in members), strict=True)
        return [tuple(sorted({*(each for cell in column for each in cell)})) or None for column in columns]

    start: tuple[int, ...] = (0,)
    subsets, rows = tabulate(start, row_of)
    final = {number for number, members in enumerate(subsets) if not accepting.isdisjoint(members)}
    live = live_states(rows, final)
    rows = [[target if target in live else DEAD for target in row] for row in rows]
    used = [place for place in range(len(classes)) if any(row[place] != DEAD for row in rows)]
    return Construction(
        rule,
        tuple(classes[place] for place in used),
        tuple(tuple(row[place] for place in used) for row in nfa),
        accepting,
        tuple(subsets),
        tuple(tuple(row[place] for place in used) for row in rows),
        tuple(_rounds(rows, final, sorted(live))),
    )


def _rounds(
    rows: Sequence[Sequence[int]], final: set[int], states: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield the blocks of equivalent states before each refinement, and at the end."""
    block = {state: int(state in final) for state in states} | {DEAD: DEAD}
    count = -1
    while True:
        blocks: dict[tuple[int, ...], list[int]] = {}
        for state in states:
            blocks.setdefault((block[state],), []).append(state)
        if len(blocks) == count:
            return
        yield tuple(map(tuple, blocks.values()))
        count = len(blocks)
        split: dict[tuple[int, ...], int] = {}
        block = {
            state: split.setdefault((block[state], *(block[target] for target in rows[state])), len(split))
            for state in states
        } | {DEAD: DEAD}


@dataclass(frozen=True, slots=True)
class Derivative:
    """The strings that can follow a prefix: the derivative of a rule by the prefix.

    ``char`` is the last character of the prefix (None for the empty prefix). ``terms`` has the partial
    derivatives as ABNF (Antimirov 1996); the derivative is the choice of all of them. Without terms, no
    string continues the prefix. ``nullable`` is true if the prefix matches the rule.
    """

    char: str | None
    terms: tuple[str, ...]
    nullable: bool

    @property
    def expression(self) -> str:
        """The derivative as ABNF; "" if no string continues the prefix."""
        return " / ".join(self.terms)

    def to_dict(self) -> dict[str, Any]:
        """Return the derivative as JSON values."""
        return {"char": self.char, "terms": list(self.terms), "nullable": self.nullable}


def derivatives(rule: Rule, text: Text) -> list[Derivative]:
    """Return the derivatives of a rule by each prefix of a string, up to the first one without terms.

    A rule with left recursion is first rewritten by :func:`normal_forms.without_left_recursion`, unless it is
    regular. Raises GrammarError for a rule with prose, and ValueError for a string of more than
    ``MAX_DERIVATIVES`` characters or a derivative of more than ``MAX_STATES`` terms. Cost: linear in the
    string and the terms.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = rule._text(text)
    if len(plain) > MAX_DERIVATIVES:
        raise ArgumentError(message("construction-text-long", length=len(plain), limit=MAX_DERIVATIVES))
    rule = in_abnf(rule)
    compilation = rule.grammar.compilation
    core, key = compilation.core, rule.key
    if rule.regular:
        core = Core(compilation.bodies, core.names)
    elif not compilation.facts.left_recursive.isdisjoint(compilation.facts.reachable(key)):
        start = without_left_recursion(rule)[-1].grammar.load()
        core, key = start.grammar.compilation.core, start.key
    machine = Derivatives(Facts(core), marks=False)
    machine.meter = compilation.budget.meter(f"derivatives of {rule.name}")
    states = machine.start(key)
    result = [_derivative(None, states.states, states.accepting, core.names)]
    for char in plain:
        following = machine.step(states, char)
        if following is None:
            return [*result, Derivative(char, (), False)]
        states = following
        if len(states.states) > MAX_STATES:
            raise ArgumentError(message("construction-terms", rule=rule.name, limit=MAX_STATES))
        result.append(_derivative(char, states.states, states.accepting, core.names))
    return result


def _derivative(
    char: str | None, states: Sequence[State], nullable: bool, names: Mapping[str, str]
) -> Derivative:
    terms = (print_alternation(to_abnf(Seq(tuple(_rest(state))), names)) for state in states)
    return Derivative(char, tuple(dict.fromkeys(terms)), nullable)


def _rest(state: State) -> Iterator[Node]:
    """Yield the nodes that remain to be matched from a state."""
    left: State | None = state
    while left is not None:
        assert isinstance(left.item, (Chars, Seq, Choice, Repeat, Ref, Prose)), "no marks, no left recursion"
        yield left.item
        if left.sequence is not None:
            yield from left.sequence.items[left.next_index :]
        left = left.continuation


CONSTRUCTIONS = ("tables", "steps", "left-recursion", "normal-form", "derivatives", "cyk")
"""The names of all constructions."""

OF_STRINGS = CONSTRUCTIONS[4:]
"""The constructions of a rule and a string."""


def build(name: str, rule: Rule, text: Text | None = None) -> Any:
    """Return a construction by its name; those of a string require ``text``.

    ``tables`` is the list of :func:`rule_sets`, ``steps`` the value of :func:`construction`, and
    ``left-recursion`` and ``normal-form`` are lists of stages (:mod:`normal_forms`). ``derivatives`` is the
    list of :func:`derivatives`, and ``cyk`` a table (:func:`normal_forms.cyk`). Raises their errors.
    """
    choice_argument(name, "name", CONSTRUCTIONS)
    functions = (rule_sets, construction, without_left_recursion, normal_form)
    if name not in OF_STRINGS:
        return functions[CONSTRUCTIONS.index(name)](rule)
    return (derivatives if name == "derivatives" else cyk)(rule, "" if text is None else text)


def constructions_data(rule: Rule, text: Text | None = None) -> dict[str, Any]:
    """Return all constructions of a rule as JSON values; those of a string need ``text``.

    The result has ``rule``, and the name of each construction with ``-`` replaced by ``_``: ``tables``,
    ``steps``, ``left_recursion``, ``normal_form``, ``derivatives`` and ``cyk``. The value is a list of
    objects or an object, as ``to_dict`` of the classes in this module and :mod:`normal_forms`.
    For a construction that is not possible, it is ``{"error": {"code", "message"}}``.

    The playground calls this function, and ``pictures.constructions.construction_section`` for HTML.
    """
    result: dict[str, Any] = {"rule": rule.name}
    for name in CONSTRUCTIONS if text is not None else CONSTRUCTIONS[:4]:
        try:
            value = build(name, rule, text)
            data = [each.to_dict() for each in value] if isinstance(value, list) else value.to_dict()
        except (ArgumentError, GrammarError) as error:
            data = {"error": {"code": error.code, "message": error.message}}
        result[name.replace("-", "_")] = data
    return result
