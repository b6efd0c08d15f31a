"""Explain why a rule does not match a string, as a tree of attempts down to a character.

A part of a rule *reaches* a position if some string that it matches starts with the input up to there. A
concatenation shows its farthest path; a choice shows every alternative, and details of the farthest ones. A
chart of the input (Earley 1970) gives the ends of each part, so left recursion does not need special
treatment. Ohm's editor shows failures of a parsing expression grammar in this way; here, the order of
alternatives does not hide any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from abnforge._arguments import Text, instance_argument, text_argument
from abnforge.catalog import ArgumentError
from abnforge.charset import CharSet, union
from abnforge.engine.rule import Rule
from abnforge.engine.set_algebra import expression_of
from abnforge.errors import LimitExceeded
from abnforge.grammar import syntax
from abnforge.grammar.core import Node, Ref, lower_alternation
from abnforge.grammar.printer import print_alternation, print_element
from abnforge.parsing.chart import Charts, bits
from abnforge.teaching.messages import message

MAX_CHARACTERS = 2_000  # the maximum length of a string
MAX_ATTEMPTS = 2_000  # maximum number of attempts; attempts at the limit do not show their parts
MAX_DEPTH = 80  # maximum depth of nested rules and groups

_NOTHING = CharSet(())

# A part of a grammar, compared by identity.
_Part = syntax.Repetition | syntax.Concatenation | syntax.Element


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt to match a part of a rule from ``start`` on.

    ``source`` is the part in ABNF (with ``(repeated)`` for the iterations of a repetition), ``rule`` its name
    if it is a rule. The part reaches ``end``; ``complete`` says whether it matches ``text[start:end]``.
    ``expected`` are the characters that can follow there. ``furthest`` says whether no sibling reaches
    farther. Only such attempts have ``parts``, if they match something: parts in order, or the alternatives
    of a choice.
    """

    source: str
    rule: str | None
    start: int
    end: int
    complete: bool
    expected: CharSet
    furthest: bool
    parts: tuple[Attempt, ...] = ()

    def walk(self) -> Iterator[Attempt]:
        waiting = [self]
        while waiting:
            attempt = waiting.pop()
            yield attempt
            waiting.extend(reversed(attempt.parts))


class _Reach(NamedTuple):
    """The end of the longest match of a part, and the characters that can follow there."""

    end: int
    expected: CharSet


def attempts(rule: Rule, text: Text) -> Attempt:
    """Return the attempts of a rule for a string, whether it matches or not.

    Raises TypeError. Raises ValueError for rules of set algebra, or rules that need an exception, because no
    part of them explains a rejection. Raises LimitExceeded for more than ``MAX_CHARACTERS`` characters, more
    than ``MAX_DEPTH`` nested rules and groups, and beyond the budget of the grammar. Cost: a chart of the
    string, and for each part and position the number of its ends.
    """
    instance_argument(rule, "rule", Rule, "a Rule")
    plain = text_argument(text, "text")
    _refuse(rule)
    if len(plain) > MAX_CHARACTERS:
        problem = message("attempts-too-long", limit=MAX_CHARACTERS, length=len(plain))
        raise LimitExceeded(problem, used=len(plain), limit=MAX_CHARACTERS, setting="MAX_CHARACTERS")
    return _Attempts(rule, plain).of_rule(rule.key, 0, 0, True)


def _refuse(rule: Rule) -> None:
    compilation = rule.grammar.compilation
    if expression_of(rule) is not None:
        raise ArgumentError(message("attempts-combined", rule=rule.name))
    for key in compilation.facts.reachable(rule.key) if compilation.bound.has_exceptions else ():
        if excepted := compilation.bound.rules[key].excepted:
            names = tuple([each.name for each in excepted])
            raise ArgumentError(
                message("attempts-excepted", rule=compilation.bound.rules[key].name, names=names)
            )


class _Attempts:
    """The attempts for one string. Methods ``reach_...`` are cached; methods ``of_...`` create attempts."""

    def __init__(self, rule: Rule, text: str) -> None:
        compilation = rule.grammar.compilation
        self._text = text
        self._rules = compilation.bound.rules
        self._facts = compilation.facts
        self._meter = compilation.budget.meter(f"attempts of {rule.name}", len(text))
        self._ends = Charts(compilation.facts, compilation.budget).attempted(rule.key, text, self._meter)
        self._lowered: dict[int, Node] = {}
        self._rests: dict[tuple[int, int, int], _Reach] = {}
        self._reached: dict[tuple[str, int], _Reach] = {}
        # Open rules by their start, with the number of rules around them. Results within a rule that recurs
        # there are not cached, because its reach is not yet known.
        self._open: dict[tuple[str, int], int] = {}
        self._outermost = MAX_DEPTH
        self._depth = 0  # number of open rules and groups
        self._left = MAX_ATTEMPTS
        self._told: set[tuple[str, int]] = set()  # open rules and their starts

    # Reaches.

    def reach_rule(self, key: str, start: int) -> _Reach:
        here = key, start
        reach = self._reached.get(here)
        if reach is not None:
            return reach
        if here in self._open:
            self._outermost = min(self._outermost, self._open[here])
            return _Reach(start, _NOTHING)
        depth = self._open[here] = len(self._open)
        before, self._outermost = self._outermost, MAX_DEPTH
        reach = self._reach_choice(self._rules[key].elements, start)
        del self._open[here]
        if self._outermost >= depth:
            self._reached[here] = reach
            self._outermost = before
        else:
            self._outermost = min(before, self._outermost)
        return reach

    def _reach_choice(self, choice: syntax.Alternation, start: int) -> _Reach:
        return _furthest([self.reach_rest(each, 0, start) for each in choice.alternatives])

    def reach_rest(self, parts: syntax.Concatenation, index: int, start: int) -> _Reach:
        key = id(parts), index, start
        if key in self._rests:
            return self._rests[key]
        if not self._facts.is_productive(self._node(parts)):  # a part that matches no string reaches nothing
            return _Reach(start, _NOTHING)
        open_before = self._outermost
        self._outermost = MAX_DEPTH
        places, reaches = {start}, [_Reach(start, _NOTHING)]
        for item in parts.items[index:]:
            reaches += [self._reach_item(item, place) for place in places]
            places = {end for place in places for end in self._ends_of(item, place)}
            self._meter.charge(1 + len(places))
        reach = _furthest([*reaches, *(_Reach(place, _NOTHING) for place in places)])
        if self._outermost == MAX_DEPTH:
            self._rests[key] = reach
        self._outermost = min(self._outermost, open_before)
        return reach

    def _reach_item(self, item: syntax.Repetition, start: int) -> _Reach:
        return _furthest([_Reach(start, _NOTHING), *(r for _, r in self._iterations(item, start))])

    def _iterations(self, item: syntax.Repetition, start: int) -> Iterator[tuple[int, _Reach]]:
        """Yield the start and the reach of each iteration, the nearest first."""
        places, seen, count = {start}, {start}, 0
        while places and (item.max is None or count < item.max):
            following: set[int] = set()
            for place in sorted(places):
                yield place, self._reach_element(item.element, place)
                following.update(self._ends_of(item.element, place))
            places = following - seen
            seen |= places
            count += 1
            self._meter.charge(1 + len(places))

    def _reach_element(self, element: syntax.Element, start: int) -> _Reach:
        if isinstance(element, syntax.ProseVal):
            return _Reach(start, _NOTHING)
        if not isinstance(element, (syntax.CharVal, syntax.NumVal)):
            self._depth += 1
            self._deep(self._depth)
            if isinstance(element, syntax.RuleName):
                reach = self.reach_rule(element.name.lower(), start)
            else:
                reach = self._reach_choice(element.alternation, start)
            self._depth -= 1
            return reach
        place = start
        for charset in _characters(element):
            if place == len(self._text) or self._text[place] not in charset:
                return _Reach(place, charset)
            place += 1
        return _Reach(place, _NOTHING)

    def _ends_of(self, part: _Part | Ref, start: int) -> list[int]:
        node = part if isinstance(part, Ref) else self._node(part)
        return [start + behind for behind in bits(self._ends.of(node, start))]

    def _node(self, part: _Part) -> Node:
        node = self._lowered.get(id(part))
        if node is None:
            whole = part
            if not isinstance(whole, (syntax.Repetition, syntax.Concatenation)):
                whole = syntax.Repetition(whole)
            if isinstance(whole, syntax.Repetition):
                whole = syntax.Concatenation((whole,))
            node = self._lowered[id(part)] = lower_alternation(syntax.Alternation((whole,)))
        return node

    # Attempts.

    def of_rule(self, key: str, start: int, depth: int, furthest: bool) -> Attempt:
        reach = self.reach_rule(key, start)
        rule = self._rules[key]
        complete = reach.end in self._ends_of(Ref(key), start)
        self._deep(depth)
        parts: Sequence[Attempt] = ()
        looked_into = furthest and (reach.end > start or not depth)
        if looked_into and (key, start) not in self._told and self._more():
            self._told.add((key, start))
            parts = self._of_choice(rule.elements, start, depth + 1)
            self._told.remove((key, start))
        return Attempt(
            rule.name, rule.name, start, reach.end, complete, reach.expected, furthest, tuple(parts)
        )

    def _of_choice(self, choice: syntax.Alternation, start: int, depth: int) -> Sequence[Attempt]:
        alternatives = choice.alternatives
        if len(alternatives) == 1:
            return self._of_concatenation(alternatives[0], start, depth)
        reaches = [self.reach_rest(each, 0, start) for each in alternatives]
        most = max(reach.end for reach in reaches)
        return [
            self._of_alternative(each, start, depth, reach, reach.end == most)
            for each, reach in zip(alternatives, reaches, strict=True)
        ]

    def _of_alternative(
        self, parts: syntax.Concatenation, start: int, depth: int, reach: _Reach, furthest: bool
    ) -> Attempt:
        if len(parts.items) == 1:
            return self._of_item(parts.items[0], start, depth, furthest)
        looked_into = furthest and reach.end > start and self._more()
        inner = self._of_concatenation(parts, start, depth) if looked_into else ()
        written = print_alternation(syntax.Alternation((parts,)))
        complete = reach.end in self._ends_of(parts, start)
        return Attempt(written, None, start, reach.end, complete, reach.expected, furthest, tuple(inner))

    def _of_concatenation(self, parts: syntax.Concatenation, start: int, depth: int) -> list[Attempt]:
        """Return the parts on a farthest path: if there are several, the one whose first parts match most."""
        done: list[Attempt] = []
        place = start
        for index, item in enumerate(parts.items):
            reach = self._reach_item(item, place)
            ways = [(self.reach_rest(parts, index + 1, end).end, end) for end in self._ends_of(item, place)]
            most, end = max(ways, default=(-1, place))
            if most < reach.end:
                return [*done, self._of_item(item, place, depth, True)]
            if reach.expected and reach.end == most == end:  # more characters could follow
                done.append(self._of_item(item, place, depth, True))
            else:
                rule = (
                    item.element.name if _plain(item) and isinstance(item.element, syntax.RuleName) else None
                )
                done.append(Attempt(_written(item), rule, place, end, True, _NOTHING, False))
                self._left -= 1
            place = end
        return done

    def _of_item(self, item: syntax.Repetition, start: int, depth: int, furthest: bool) -> Attempt:
        if _plain(item):
            return self._of_element(item.element, start, depth, furthest)
        reach = self._reach_item(item, start)
        complete = reach.end in self._ends_of(item, start)
        parts: list[Attempt] = []
        if furthest and reach.end > start and self._more():
            starts = [place for place, each in self._iterations(item, start) if each.end == reach.end]
            last = max(starts, default=start)
            if last > start:
                repeated = f"{print_element(item.element)} (repeated)"
                read = Attempt(repeated, None, start, last, True, _NOTHING, False)
                parts.append(read)
            if starts:
                parts.append(self._of_element(item.element, last, depth, True))
        written = _written(item)
        return Attempt(written, None, start, reach.end, complete, reach.expected, furthest, tuple(parts))

    def _of_element(self, element: syntax.Element, start: int, depth: int, furthest: bool) -> Attempt:
        if isinstance(element, syntax.RuleName):
            return self.of_rule(element.name.lower(), start, depth, furthest)
        reach = self._reach_element(element, start)
        complete = reach.end in self._ends_of(element, start)
        parts: Sequence[Attempt] = ()
        if (
            isinstance(element, (syntax.Group, syntax.Option))
            and furthest
            and reach.end > start
            and self._more()
        ):
            self._deep(depth)
            parts = self._of_choice(element.alternation, start, depth + 1)
        written = print_element(element)
        return Attempt(written, None, start, reach.end, complete, reach.expected, furthest, tuple(parts))

    def _more(self) -> bool:
        """Return whether another attempt can show its parts."""
        self._meter.charge()
        self._left -= 1
        return self._left > 0

    def _deep(self, depth: int) -> None:
        if depth >= MAX_DEPTH:
            problem = message("attempts-too-deep", limit=MAX_DEPTH)
            raise LimitExceeded(problem, used=depth + 1, limit=MAX_DEPTH, setting="MAX_DEPTH")


def _furthest(reaches: Sequence[_Reach]) -> _Reach:
    end = max(each.end for each in reaches)
    expected = [each.expected for each in reaches if each.end == end and each.expected]
    return _Reach(end, union(expected) if expected else _NOTHING)


def _plain(item: syntax.Repetition) -> bool:
    return item.min == item.max == 1


def _written(item: syntax.Repetition) -> str:
    return print_alternation(syntax.Alternation((syntax.Concatenation((item,)),)))


def _characters(element: syntax.CharVal | syntax.NumVal) -> Sequence[CharSet]:
    if isinstance(element, syntax.CharVal):
        return element.charsets
    if element.is_range:
        return (CharSet.from_ranges([(element.values[0], element.values[1])]),)
    return tuple(CharSet.of(chr(value)) for value in element.values)
