"""Explain why a rule does not match a string, as a tree of attempts down to a character.

A part of a rule *reaches* a position if some string that it matches starts with the input up to there. A
concatenation shows its farthest path; a choice shows every alternative, and details of the farthest ones. A
chart of the input (Earley 1970) gives the ends of each part, so left recursion does not need special
treatment. Ohm's editor shows failures of a parsing expression grammar in this way; here, the order of
alternatives does not hide any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from abnforge.budget import Budget
from abnforge.charset import CharSet, union
from abnforge.errors import LimitExceeded
from abnforge.explain import signs
from abnforge.explain.messages import message
from abnforge.explain.mistakes import in_ascii, neighbor, quoted
from abnforge.grammar import syntax
from abnforge.grammar.core import Node, Ref, lower_alternation
from abnforge.grammar.facts import Facts
from abnforge.grammar.printer import print_alternation, print_element
from abnforge.grammar.syntax import BoundGrammar
from abnforge.parsing.chart import Charts, bits
from abnforge.records import NamedTuple, dataclass
from abnforge.rejection import Alternative

MAX_CHARACTERS = 2_000  # the maximum length of a string
MAX_ATTEMPTS = 2_000  # maximum number of attempts; attempts at the limit do not show their parts
MAX_DEPTH = 80  # maximum depth of nested rules and groups
MAX_ALTERNATIVES = 100  # maximum number of alternatives in a rejection

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


def attempts_of(text: str, key: str, grammar: BoundGrammar, facts: Facts, budget: Budget) -> Attempts:
    """Return the attempts of a rule (a key) for a string.

    Raises LimitExceeded for more than ``MAX_CHARACTERS`` characters, more than ``MAX_DEPTH`` nested rules and
    groups, and beyond the budget. Cost: a chart of the string, and for each part and position the number of
    its ends.
    """
    if len(text) > MAX_CHARACTERS:
        problem = message("attempts-too-long", limit=MAX_CHARACTERS, length=len(text))
        raise LimitExceeded(problem, used=len(text), limit=MAX_CHARACTERS, setting="MAX_CHARACTERS")
    return Attempts(text, key, grammar, facts, budget)


class Attempts:
    """The attempts for one string: ``root`` is that of the rule itself.

    Methods ``reach_...`` are cached; methods ``of_...`` create attempts.
    """

    def __init__(self, text: str, key: str, grammar: BoundGrammar, facts: Facts, budget: Budget) -> None:
        self._text = text
        self._rules = grammar.rules
        self._facts = facts
        self._meter = budget.meter(f"attempts of {grammar.rules[key].name}", len(text))
        self._ends = Charts(facts, budget).attempted(key, text, self._meter)
        self._lowered: dict[int, Node] = {}
        self._rests: dict[tuple[int, int, int], _Reach] = {}
        self._reached: dict[tuple[str, int], _Reach] = {}
        # Open rules by their start, with the number of rules around them. Results within a rule that recurs
        # there are not cached, because its reach is not yet known.
        self._open: dict[tuple[str, int], int] = {}
        self._outermost = MAX_DEPTH
        self._depth = 0  # number of open rules and groups
        self._left = MAX_ATTEMPTS
        self._shown: set[tuple[str, int]] = set()  # open rules that show their parts, and their starts
        self._choices: list[tuple[str, Sequence[Attempt]]] = []  # by the key of their rule
        self._hidden: list[tuple[str, syntax.Alternation, int]] = []  # by key: see ``_hide``
        self._key = key  # the innermost open rule that shows its parts
        self.root = self.of_rule(key, 0, 0, True)

    def alternatives(self, rule_path: Sequence[str]) -> tuple[Alternative, ...]:
        """Return the failed alternatives of the innermost rule of a path (of keys) that has any.

        If a rule has several choices, the one that reaches farthest is preferred, then the innermost.
        """
        for key in reversed(rule_path):
            hidden = [each for each in self._hidden if each[0] == key]
            choices = [self._of_choice(choice, start, 1) for _, choice, start in hidden]
            choices += [attempts for own, attempts in self._choices if own == key]
            if choices:
                best = min(choices, key=lambda each: -max(attempt.end for attempt in each))
                return tuple(map(self._alternative, best[:MAX_ALTERNATIVES]))
        return ()

    def _alternative(self, attempt: Attempt) -> Alternative:
        """Return an alternative with its mistake; one that matches has a mistake only after it."""
        text, start, end = self._text, attempt.start, attempt.end
        problem, expected = "", signs.briefly(attempt.expected)
        if attempt.complete:
            if start < end < len(text):
                problem = f"{quoted(text[end])} is not allowed after {quoted(text[start:end])}"
        elif end == len(text):
            problem = f"{expected} is missing{neighbor(text, end)}"
        else:
            problem = in_ascii(f"{quoted(text[end])} is not allowed here; use {expected}", text[end])
        chars = attempt.expected.to_class()
        return Alternative(attempt.source, attempt.rule, start, end, attempt.complete, chars, problem)

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
        if looked_into and (key, start) not in self._shown and self._more():
            self._shown.add((key, start))
            outer, self._key = self._key, key
            parts = self._of_choice(rule.elements, start, depth + 1)
            self._key = outer
            self._shown.remove((key, start))
        elif furthest and reach.end == start:
            self._hide(key, rule.elements, start)
        return Attempt(
            rule.name, rule.name, start, reach.end, complete, reach.expected, furthest, tuple(parts)
        )

    def _of_choice(self, choice: syntax.Alternation, start: int, depth: int) -> Sequence[Attempt]:
        alternatives = choice.alternatives
        if len(alternatives) == 1:
            return self._of_concatenation(alternatives[0], start, depth)
        reaches = [self.reach_rest(each, 0, start) for each in alternatives]
        most = max(reach.end for reach in reaches)
        attempts = [
            self._of_alternative(each, start, depth, reach, reach.end == most)
            for each, reach in zip(alternatives, reaches, strict=True)
        ]
        self._choices.append((self._key, attempts))
        return attempts

    def _hide(self, key: str, choice: syntax.Alternation, start: int) -> None:
        """Record the choice of a rule that does not match anything, so the tree omits its alternatives."""
        if len(choice.alternatives) > 1:
            self._hidden.append((key, choice, start))

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
        if isinstance(element, (syntax.Group, syntax.Option)) and furthest:
            if reach.end == start:
                self._hide(self._key, element.alternation, start)
            elif self._more():
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
