"""Grammars as productions: Chomsky normal form and its table of substrings, removal of left recursion.

``normal_form`` and ``without_left_recursion`` return the grammar after each stage. Each stage derives the
same strings, and its ``abnf`` is a grammar that ``abnforge.loads`` reads.

The stages to Chomsky normal form have the order of Lange and Leiß ("To CNF or not to CNF?", 2009). Left
recursion is removed as by Paull (Moore, "Removing left recursion from context-free grammars", 2000).

This module is long because both ways share the productions, the stages, and most of the changes, and the
table of substrings needs the normal form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import product
from typing import Any, Union

from abnforge._arguments import Text, instance_argument
from abnforge.catalog import ArgumentError
from abnforge.charset import CharSet, union
from abnforge.engine.loading import loads
from abnforge.engine.rule import Rule
from abnforge.engine.writing import elements_of, is_rule_name, letter_of, rule_of
from abnforge.grammar.core import Chars, Choice, Node, Prose, Ref, Repeat, Seq, sequence
from abnforge.grammar.facts import components
from abnforge.grammar.printer import print_rule
from abnforge.grammar.syntax import (
    Alternation,
    CharVal,
    Concatenation,
    Element,
    Group,
    Option,
    ProseVal,
    Repetition,
    RuleDefinition,
    RuleName,
)
from abnforge.teaching.messages import message

MAX_SYMBOLS = 5_000  # the number of symbols on the right sides of all productions
MAX_TABLE = 40  # the length of a string in a table; the cost is cubic

Symbol = Union[str, CharSet]
"""The name of a rule, or a set of characters that one character is from."""

Production = tuple[Symbol, ...]
Rules = Mapping[str, tuple[Production, ...]]

_TITLES = {
    "productions": "rules as productions",
    "start": "a start rule that no rule uses",
    "terminals": "a rule for each terminal in a longer right side",
    "pairs": "right sides of at most two symbols",
    "empty": "no empty right sides",
    "units": "no right sides of one rule",
    "cycles": "no cycles of right sides of one rule",
    "useless": "no useless rules",
    "substitution": "right sides of earlier rules in {rule}",
    "direct": "no direct left recursion in {rule}",
}


@dataclass(frozen=True, slots=True)
class Productions:
    """A context-free grammar: the right sides of each rule, by name. ``rules`` begins with ``start``.

    A start rule without productions derives no string; ABNF defines it by itself.
    """

    start: str
    rules: Rules
    alphabet: str

    @property
    def abnf(self) -> str:
        """The grammar as ABNF."""
        return "".join(f"{print_rule(self.definition(name))}\n" for name in self.rules)

    @property
    def defined(self) -> list[str]:
        """The names of rules with productions: all rules, unless the start rule derives no string."""
        return [name for name, sides in self.rules.items() if sides]

    def definition(self, name: str) -> RuleDefinition:
        """Return a rule in ABNF; a rule without productions is defined by itself."""
        sides = self.rules[name] or ((name,),)
        nodes = [
            sequence(Ref(each) if isinstance(each, str) else Chars(each) for each in side) for side in sides
        ]
        return RuleDefinition(name, to_abnf(Choice(tuple(nodes))))

    def load(self) -> Rule:
        """Return the start rule of the grammar, loaded from its ABNF."""
        return loads(self.abnf, name="productions", alphabet=self.alphabet, cache=False)[self.start]

    @property
    def nullable(self) -> AbstractSet[str]:
        """The rules that derive the empty string."""
        return _derivable(self.rules, lambda symbol: False)

    @property
    def left_recursive(self) -> list[list[str]]:
        """The groups of rules that can begin with one another, also after rules that derive nothing."""
        return _left_recursive(self.rules, self.nullable)

    @property
    def is_chomsky(self) -> bool:
        """True if each right side is one terminal, or two rules other than the start.

        The start rule can also derive the empty string.
        """
        return all(
            (len(side) == 1 and isinstance(side[0], CharSet))
            or (len(side) == 2 and all(isinstance(each, str) and each != self.start for each in side))
            or (not side and name == self.start)
            for name, sides in self.rules.items()
            for side in sides
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the grammar as JSON values: a terminal is an object with its character class."""
        return {
            "start": self.start,
            "abnf": self.abnf,
            "rules": {
                name: [
                    [each if isinstance(each, str) else {"chars": each.to_class()} for each in side]
                    for side in sides
                ]
                for name, sides in self.rules.items()
            },
        }


@dataclass(frozen=True, slots=True)
class Stage:
    """A grammar after a change, which ``code`` names.

    The first stage, ``productions``, has the rules as productions. Then ``start`` adds a start rule that no
    rule uses, and ``terminals`` a rule for each terminal in a longer right side. Next, ``pairs`` leaves at
    most two symbols in a right side, ``empty`` no empty right sides, and ``units`` no right sides of one
    rule. ``useless`` drops rules, after the first stage and last.

    For left recursion, ``cycles`` removes right sides of one rule, so that no rule derives exactly itself.
    Then ``substitution`` replaces earlier rules at the start of ``rule`` with their right
    sides. After ``direct``, ``rule`` does not begin with itself.
    """

    code: str
    grammar: Productions
    rule: str | None = None

    @property
    def title(self) -> str:
        """The change as a phrase, and whether the grammar derives no string."""
        title = _TITLES[self.code].format(rule=self.rule)
        return title if self.grammar.defined else f"{title}; {self.grammar.start} matches no string"

    def to_dict(self) -> dict[str, Any]:
        """Return the stage as JSON values."""
        return {"code": self.code, "rule": self.rule, **self.grammar.to_dict()}


def normal_form(rule: Rule) -> list[Stage]:
    """Return the stages from a rule to its Chomsky normal form; stages that change nothing are omitted.

    Raises GrammarError for a rule with prose, and ValueError for more than ``MAX_SYMBOLS`` symbols. Cost:
    quadratic in the number of symbols.
    """
    stages = _Stages(rule)
    stages.add_start()
    stages.add("terminals", _with_terminal_rules(stages))
    stages.add("pairs", _in_pairs(stages))
    stages.add("empty", _without_empty(stages))
    stages.add("units", _without_units(stages.rules, dict.fromkeys(stages.rules, stages.rules.keys())))
    stages.add("useless", _useful(stages.start, stages.rules))
    return stages.stages


def without_left_recursion(rule: Rule) -> list[Stage]:
    """Return the stages from a rule to a grammar without left recursion.

    If empty right sides hide left recursion, they are removed first. Cycles are removed next, because the
    algorithm requires that no rule derives exactly itself. Raises GrammarError for a rule with prose, and
    ValueError for more than ``MAX_SYMBOLS`` symbols. Cost: exponential at worst, but limited.
    """
    stages = _Stages(rule)
    if _is_hidden(stages.rules):
        stages.add_start()
        stages.add("empty", _useful(stages.start, _without_empty(stages)))
    units = {name: _units(sides) for name, sides in stages.rules.items()}
    cycles = {name: group for group in map(frozenset, components(units)) for name in group if len(group) > 1}
    stages.add("cycles", _without_units(stages.rules, cycles))
    groups = _left_recursive(stages.rules, stages.grammar.nullable)
    for members in sorted(groups, key=lambda group: min(map(list(stages.rules).index, group))):
        group = [name for name in stages.rules if name in members]
        for index, name in enumerate(group):
            sides = stages.rules[name]
            for earlier in group[:index]:
                sides = tuple(
                    (*head, *side[1:])
                    for side in sides
                    for head in (stages.rules[earlier] if side[:1] == (earlier,) else (side[:1],))
                )
                stages.check({name: sides})
            stages.add("substitution", {**stages.rules, name: _distinct(sides)}, name)
            stages.add("direct", _without_direct(stages, name), name)
    stages.add("useless", _useful(stages.start, stages.rules))
    return stages.stages


def in_abnf(rule: Rule) -> Rule:
    """Return a rule whose grammar is ABNF only: a set expression of rules becomes one by its automaton.

    Raises GrammarError for a rule with prose, and ValueError for a set expression that is not regular.
    """
    compilation = rule.grammar.compilation
    compilation.refuse_prose(rule.key)
    if compilation.facts.prose(rule.key) is None:
        return rule
    return rule_of(rule.automaton, "rule", rule.grammar.name, alphabet=rule.grammar.alphabet)


class _Stages:
    """The stages so far; ``start`` and ``rules`` are those of the last stage."""

    def __init__(self, rule: Rule) -> None:
        instance_argument(rule, "rule", Rule, "a Rule")
        self.title = rule.name
        rule = in_abnf(rule)
        self.alphabet = rule.grammar.alphabet
        self.stages: list[Stage] = []
        self._names: set[str] = set()
        self._counts: dict[str, int] = {}  # name -> the last number after it
        self.rules: Rules = {}
        self.start = rule.name
        rules = _Reading(self, rule).rules
        self.add("productions", rules)
        self.add("useless", _useful(self.start, rules))

    @property
    def grammar(self) -> Productions:
        return self.stages[-1].grammar

    @property
    def has_no_empty(self) -> bool:
        """True if empty right sides were removed."""
        return any(stage.code == "empty" for stage in self.stages)

    def add(self, code: str, rules: Rules, rule: str | None = None) -> None:
        """Add a stage if it changes the rules."""
        self.check(rules)
        if rules != self.rules or not self.stages:
            self.rules = dict(rules)
            self.stages.append(Stage(code, Productions(self.start, self.rules, self.alphabet), rule))

    def add_start(self) -> None:
        """Add a start rule that no rule uses."""
        if any(self.start in side for sides in self.rules.values() for side in sides):
            old, self.start = self.start, self.fresh(f"{self.start}-start")
            self.add("start", {self.start: ((old,),), **self.rules})

    def check(self, rules: Rules) -> None:
        """Raise ValueError for rules with too many symbols."""
        if sum(1 + len(side) for sides in rules.values() for side in sides) > MAX_SYMBOLS:
            raise self.too_large()

    def too_large(self) -> ArgumentError:
        return ArgumentError(message("productions-too-large", rule=self.title, limit=MAX_SYMBOLS))

    def reserve(self, names: Iterable[str]) -> None:
        """Exclude names from those of new rules."""
        self._names.update(name.lower() for name in names)

    def fresh(self, name: str) -> str:
        """Return the name of a new rule: ``name``, or the name with a number."""
        if name.lower() in self._names:
            return self.numbered(name)
        self._names.add(name.lower())
        return name

    def numbered(self, name: str) -> str:
        """Return the name of a new rule: ``name`` with the next number."""
        result = name
        while result.lower() in self._names:
            self._counts[name] = number = self._counts.get(name, 0) + 1
            result = f"{name}-{number}"
        self._names.add(result.lower())
        return result


class _Reading:
    """Rewrites the rules that a rule uses as productions, with new rules for repetitions and groups."""

    def __init__(self, stages: _Stages, rule: Rule) -> None:
        core, facts = rule.grammar.compilation.core, rule.grammar.compilation.facts
        keys = facts.reachable(rule.key)
        self._stages = stages
        stages.reserve(filter(is_rule_name, map(core.names.__getitem__, keys)))
        self._names = {key: self._name(core.names[key]) for key in keys}
        stages.start = self._names[rule.key]
        self._left = MAX_SYMBOLS
        self.rules: dict[str, tuple[Production, ...]] = {}
        for key in keys:
            self._owner = self._names[key]
            self._define(self._owner, core.rules[key])

    def _name(self, name: str) -> str:
        """Return the name of a rule; a set expression of rules, or a name with "_", gets a new one."""
        if is_rule_name(name):
            return name
        plain = re.sub("[^A-Za-z0-9]+", "-", name).strip("-")
        return self._stages.fresh(plain if is_rule_name(plain) else "rule")

    def _define(self, name: str, node: Node) -> str:
        self.rules[name] = ()  # keep the order of rules
        if isinstance(node, Repeat) and (node.min, node.max) == (0, None):
            sides: list[Production] = [(*self._symbols(node.item), name), ()]
        else:
            sides = list(self._sides(node))
        self._left -= sum(1 + len(side) for side in sides)
        if self._left < 0:
            raise self._stages.too_large()
        self.rules[name] = _distinct(sides)
        return name

    def _sides(self, node: Node) -> Iterator[Production]:
        match node:
            case Choice(items=items):
                for item in items:
                    yield from self._sides(item)
            case Repeat(item=item, min=0, max=1):
                yield from self._sides(item)
                yield ()
            case _:
                yield tuple(self._symbols(node))

    def _symbols(self, node: Node) -> list[Symbol]:
        match node:
            case Chars(charset=charset):
                return [charset]
            case Ref(key=key):
                return [self._names[key]]
            case Seq(items=items):
                return [symbol for item in items for symbol in self._symbols(item)]
            case Choice(items=items) if all(isinstance(item, Chars) for item in items):
                return [union(item.charset for item in items if isinstance(item, Chars))]
            case Repeat(item=item, min=low, max=high):
                return self._repeated(self._symbols(item), low, high)
            case _:
                assert not isinstance(node, Prose)
                return [self._define(self._stages.numbered(self._owner), node)]

    def _repeated(self, item: list[Symbol], low: int, high: int | None) -> list[Symbol]:
        new = 1 if high is None else high - low
        self._left -= low * len(item) + new * (3 + len(item))
        if self._left < 0:
            raise self._stages.too_large()
        rest: list[Symbol] = []
        if high is None:
            name = self._stages.numbered(self._owner)
            self.rules[name] = ((*item, name), ())
            rest = [name]
        for _ in range(0 if high is None else high - low):
            name = self._stages.numbered(self._owner)
            self.rules[name] = ((*item, *rest), ())
            rest = [name]
        return item * low + rest


def _with_terminal_rules(stages: _Stages) -> Rules:
    rules = dict(stages.rules)
    named: dict[CharSet, str] = {}

    def rule_of(symbol: Symbol) -> str:
        if isinstance(symbol, str):
            return symbol
        if symbol not in named:
            named[symbol] = stages.fresh(_terminal_name(symbol))
        return named[symbol]

    for name, sides in rules.items():
        rules[name] = tuple(side if len(side) < 2 else tuple(map(rule_of, side)) for side in sides)
    return rules | {name: ((charset,),) for charset, name in named.items()}


def _terminal_name(charset: CharSet) -> str:
    """Return a name for the rule of a terminal: ``t-a``, ``x2B``, ``x30-39`` or ``set``."""
    letter = letter_of(charset)
    if letter.isalnum():
        return f"t-{letter}"
    if len(charset.ranges) > 1:
        return "set"
    [(low, high)] = charset.ranges
    return f"x{low:02X}" if low == high else f"x{low:02X}-{high:02X}"


def _in_pairs(stages: _Stages) -> Rules:
    rules: dict[str, tuple[Production, ...]] = {}
    for name, sides in stages.rules.items():
        rules[name] = ()
        short = []
        for side in sides:
            head: Production = side
            if len(side) > 2:
                names = [stages.numbered(name) for _ in side[2:]]
                head = (side[0], names[0])
                for each, first, second in zip(names, side[1:], [*names[1:], side[-1]], strict=False):
                    rules[each] = ((first, second),)
            short.append(head)
        rules[name] = _distinct(short)
    return rules


def _without_empty(stages: _Stages) -> Rules:
    nullable = stages.grammar.nullable
    rules: dict[str, tuple[Production, ...]] = {}
    for name, sides in stages.rules.items():
        results: list[Production] = []
        for side in sides:
            ways = [((each,), ()) if each in nullable else ((each,),) for each in side]
            if 1 << sum(len(way) > 1 for way in ways) > MAX_SYMBOLS:
                raise stages.too_large()
            for choice in product(*ways):
                if result := tuple(symbol for way in choice for symbol in way):
                    results.append(result)
        if name == stages.start and name in nullable:
            results.append(())
        rules[name] = _distinct(results)
        stages.check(rules)
    empty = {name for name, sides in rules.items() if not sides} - {stages.start}
    return {
        name: tuple(
            side for side in sides if empty.isdisjoint(each for each in side if isinstance(each, str))
        )
        for name, sides in rules.items()
        if name not in empty
    }


def _without_units(rules: Rules, groups: Mapping[str, AbstractSet[str]]) -> Rules:
    """Return the rules without the right sides of one rule that is in the group of the rule."""
    results = dict(rules)
    for name, group in groups.items():
        reached = {name: None}
        for each in (queue := [name]):
            new = [unit for unit in _units(rules[each]) if unit in group and unit not in reached]
            reached.update(dict.fromkeys(new))
            queue += new
        sides = [side for each in queue for side in rules[each] if group.isdisjoint(_units([side]))]
        results[name] = _distinct(sorted(sides, key=bool, reverse=True))  # the empty side last
    return results


def _units(sides: Iterable[Production]) -> tuple[str, ...]:
    """Return the rules that are right sides alone."""
    return tuple(side[0] for side in sides if len(side) == 1 and isinstance(side[0], str))


def _without_direct(stages: _Stages, name: str) -> Rules:
    sides = [side for side in stages.rules[name] if side != (name,)]
    loops = [side[1:] for side in sides if side[0:1] == (name,)]
    if not loops:
        return {**stages.rules, name: tuple(sides)}
    rest = stages.fresh(f"{name}-rest")
    rules: dict[str, tuple[Production, ...]] = {}
    for each, old in stages.rules.items():
        rules[each] = old
        if each == name:
            others = [side for side in sides if side[0:1] != (name,)]
            if stages.has_no_empty:  # an empty right side would hide left recursion again
                rules[name] = (*((*side, rest) for side in others), *others)
                rules[rest] = (*((*loop, rest) for loop in loops), *loops)
            else:
                rules[name] = tuple((*side, rest) for side in others)
                rules[rest] = (*((*loop, rest) for loop in loops), ())
    return rules


def _is_hidden(rules: Rules) -> bool:
    """Return whether empty parts hide left recursion, or a rule can derive exactly itself through them."""
    nullable = _derivable(rules, lambda symbol: False)
    for group in _left_recursive(rules, nullable):
        for name in group:
            for side in rules[name]:
                for index, symbol in enumerate(side):
                    rest = [*side[:index], *side[index + 1 :]]
                    before = side[:index]
                    if symbol in group and rest and (before or all(each in nullable for each in rest)):
                        return True
                    if symbol not in nullable:
                        break
    return False


def _left_recursive(rules: Rules, nullable: AbstractSet[str]) -> list[list[str]]:
    edges: dict[str, tuple[str, ...]] = {}
    for name, sides in rules.items():
        first: dict[str, None] = {}
        for side in sides:
            for symbol in side:
                if isinstance(symbol, str):
                    first[symbol] = None
                if symbol not in nullable:
                    break
        edges[name] = tuple(first)
    return [group for group in components(edges) if len(group) > 1 or group[0] in edges[group[0]]]


def _useful(start: str, rules: Rules) -> Rules:
    """Return the rules that occur in a derivation of a string, and the start rule."""
    productive = _derivable(rules, lambda symbol: True)
    kept = {
        name: tuple(
            side for side in sides if all(each in productive for each in side if isinstance(each, str))
        )
        for name, sides in rules.items()
    }
    reached = {start}
    queue = [start]
    for name in queue:
        for side in kept[name]:
            for each in side:
                if isinstance(each, str) and each not in reached:
                    reached.add(each)
                    queue.append(each)
    return {name: sides for name, sides in kept.items() if name in reached}


def _derivable(rules: Rules, terminal: Callable[[Symbol], bool]) -> AbstractSet[str]:
    """Return the rules with a right side of derivable symbols; ``terminal`` decides about terminals."""
    result: set[str] = set()
    owners: list[str] = []
    missing: list[int] = []  # for each right side, the number of its rules that are not derivable so far
    users: dict[str, list[int]] = {}  # rule -> the right sides that use it
    queue: list[str] = []
    for name, sides in rules.items():
        for side in sides:
            used = {each for each in side if isinstance(each, str)}
            if all(isinstance(each, str) or terminal(each) for each in side):
                for each in used:
                    users.setdefault(each, []).append(len(owners))
                owners.append(name)
                missing.append(len(used))
                queue += [] if used else [name]
    for name in queue:
        if name not in result:
            result.add(name)
            for number in users.get(name, ()):
                missing[number] -= 1
                queue += [] if missing[number] else [owners[number]]
    return result


def _distinct(sides: Iterable[Production]) -> tuple[Production, ...]:
    return tuple(dict.fromkeys(sides))


@dataclass(frozen=True, slots=True)
class SpanTable:
    """The rules of a Chomsky normal form that derive each substring of ``text``.

    ``cells[length - 1][start]`` has the rules that derive the substring. ``used`` has the cells of one
    derivation of the whole string, as (start, length, rule); it is empty if the string does not match.
    """

    rule: Rule
    text: str
    grammar: Productions
    cells: tuple[tuple[tuple[str, ...], ...], ...]
    used: frozenset[tuple[int, int, str]]

    @property
    def matches(self) -> bool:
        """True if the start rule derives the string."""
        if not self.text:
            return () in self.grammar.rules[self.grammar.start]
        return self.grammar.start in self.cells[-1][0]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as JSON values."""
        return {
            "rule": self.rule.name,
            "text": self.text,
            "matches": self.matches,
            "grammar": self.grammar.to_dict(),
            "cells": [[list(cell) for cell in row] for row in self.cells],
            "used": [list(each) for each in sorted(self.used)],
        }


def cyk(rule: Rule, text: Text) -> SpanTable:
    """Return the table of a string: the rules of the Chomsky normal form that derive each substring.

    The algorithm is that of Cocke, Younger and Kasami (Hopcroft and Ullman 1979, 6.3).

    Raises the errors of :func:`normal_form`, and ValueError for more than ``MAX_TABLE``
    characters. Cost: cubic in the length of the string, times the right sides of two rules.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = rule._text(text)
    if len(plain) > MAX_TABLE:
        raise ArgumentError(message("construction-text-long", length=len(plain), limit=MAX_TABLE))
    grammar = normal_form(rule)[-1].grammar
    pairs: dict[str, list[tuple[str, str]]] = {}  # first rule -> second rule, and the rule of both
    for name, sides in grammar.rules.items():
        for side in sides:
            if len(side) == 2:
                pairs.setdefault(str(side[0]), []).append((str(side[1]), name))
    order = {name: number for number, name in enumerate(grammar.rules)}
    # (start, length) -> rule -> the length of the first part, and both rules; None for one character
    found: dict[tuple[int, int], dict[str, tuple[int, str, str] | None]] = {}
    for start, char in enumerate(plain):
        found[start, 1] = {
            name: None
            for name, sides in grammar.rules.items()
            if any(len(side) == 1 and char in side[0] for side in sides)
        }
    for length in range(2, len(plain) + 1):
        for start in range(len(plain) - length + 1):
            cell = found[start, length] = {}
            for left in range(1, length):
                after = found[start + left, length - left]
                for first in found[start, left] if after else ():
                    for second, name in pairs.get(first, ()):
                        if second in after:
                            cell.setdefault(name, (left, first, second))
    used: set[tuple[int, int, str]] = set()
    top = (0, len(plain), grammar.start)
    waiting = [top] if plain and grammar.start in found[0, len(plain)] else []
    while waiting:
        start, length, name = each = waiting.pop()
        used.add(each)
        if split := found[start, length][name]:
            left, first, second = split
            waiting += [(start, left, first), (start + left, length - left, second)]
    return SpanTable(
        rule,
        plain,
        grammar,
        tuple(
            tuple(
                tuple(sorted(found[start, length], key=order.__getitem__))
                for start in range(len(plain) - length + 1)
            )
            for length in range(1, len(plain) + 1)
        ),
        frozenset(used),
    )


def to_abnf(node: Node, names: Mapping[str, str] | None = None) -> Alternation:
    """Return a node of the core form as ABNF; ``names`` has the names of rules by key."""

    def alternation(node: Node) -> Alternation:
        ways: list[Concatenation] = []
        for item in node.items if isinstance(node, Choice) else (node,):
            if isinstance(item, Chars):
                ways += (Concatenation((Repetition(each),)) for each in elements_of(item.charset, {}))
            else:
                ways.append(concatenation(item))
        return Alternation(tuple(ways))

    def concatenation(node: Node) -> Concatenation:
        items: list[Repetition] = []
        letters = ""
        for item in flat(node):
            letter = letter_of(item.charset) if isinstance(item, Chars) else ""
            if letters and not letter:
                items.append(Repetition(CharVal(letters)))
                letters = ""
            letters += letter
            if not letter:
                items.append(repetition(item))
        if letters or not items:
            items.append(Repetition(CharVal(letters)))
        return Concatenation(tuple(items))

    def flat(node: Node) -> Iterator[Node]:
        if isinstance(node, Seq):
            for item in node.items:
                yield from flat(item)
        else:
            yield node

    def repetition(node: Node) -> Repetition:
        match node:
            case Repeat(item=item, min=0, max=1):
                return Repetition(Option(alternation(item)))
            case Repeat(item=item, min=low, max=high):
                return Repetition(element(item), low, high)
            case _:
                return Repetition(element(node))

    def element(node: Node) -> Element:
        match node:
            case Ref(key=key):
                return RuleName(key if names is None else names[key])
            case Prose(text=text):
                return ProseVal(text)
            case _:
                body = alternation(node)
        match body.alternatives:
            case (Concatenation(items=(Repetition(element=single, min=1, max=1),)),):
                return single
            case _:
                return Group(body)

    return alternation(node)
