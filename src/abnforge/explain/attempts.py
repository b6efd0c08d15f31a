"""Explain why a rule does not match a string, as a tree of attempts down to a character.

A part of a rule *reaches* a position if some string that it matches starts with the input up to there. A
concatenation shows its farthest path; a choice shows every alternative, and details of the farthest ones. A
chart of the input (Earley 1970) gives the ends of each part, so left recursion does not need special
treatment. Ohm's editor shows failures of a parsing expression grammar in this way; here, the order of
alternatives does not hide any of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from abnforge._lazy import cached_property
from abnforge.budget import Budget
from abnforge.charset import CharSet, union
from abnforge.errors import LimitExceeded
from abnforge.explain import signs
from abnforge.explain.mistakes import in_ascii, neighbor, quoted
from abnforge.explain.rule_paths import is_character
from abnforge.grammar import syntax
from abnforge.grammar.core import Node, Ref, lower_alternation
from abnforge.grammar.facts import Facts
from abnforge.grammar.printer import print_alternation, print_element
from abnforge.grammar.syntax import BoundGrammar
from abnforge.messages import message
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

_Call = tuple[str, int]  # a rule (a key) and its start
_Choice = tuple[syntax.Alternation, int]  # a choice and its start


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
        self._root: _Call = key, 0
        self._rules = grammar.rules
        self._facts = facts
        self._meter = budget.meter(f"attempts of {grammar.rules[key].name}", len(text))
        self._ends = Charts(facts, budget).attempted(key, text, self._meter)
        self._lowered: dict[int, Node] = {}
        self._rests: dict[tuple[int, int, int], _Reach] = {}
        self._reached: dict[_Call, _Reach] = {}
        self._calls: dict[_Call, Sequence[_Call]] = {}  # the rules that a rule calls
        self._left = MAX_ATTEMPTS
        self._shown: set[_Call] = set()  # open rules that show their parts

    @cached_property
    def root(self) -> Attempt:
        """The attempt to match the rule itself."""
        return self.of_rule(*self._root, 0, True)

    # Alternatives. A part is open if characters at the end of the viable prefix can continue it.

    def alternatives(self, rule_path: Sequence[str]) -> tuple[Alternative, ...]:
        """Return the alternatives of a choice that is open at the end of the viable prefix.

        The choice is in the innermost rule of a path (of keys) that has any, or in a rule that it calls. The
        last to start are preferred, and choices between single characters are avoided.
        """
        levels = [{self._root}]
        for key in rule_path[1:]:
            calls = {call for outer in levels[-1] for call in self._open_calls(outer) if call[0] == key}
            if not calls:
                break
            levels.append(calls)
        characters: list[_Choice] = []
        for level in reversed(levels):
            waiting, visited = level, set(level)
            while waiting:
                choices = [each for call in waiting for each in self._open_choices(*call)]
                if larger := [each for each in choices if not self._is_character(each[0])]:
                    return self._alternatives_of(larger)
                characters = characters or choices
                waiting = {inner for call in waiting for inner in self._open_calls(call)} - visited
                visited |= waiting
        return self._alternatives_of(characters)

    def _alternatives_of(self, choices: Iterable[_Choice]) -> tuple[Alternative, ...]:
        """Return the alternatives of the choices that start last."""
        last = max([start for _, start in choices], default=0)
        parts = {id(part): part for each, start in choices if start == last for part in each.alternatives}
        return tuple([self._alternative(part, last) for part in islice(parts.values(), MAX_ALTERNATIVES)])

    def _is_open(self, reach: _Reach) -> bool:
        return bool(reach.expected) and reach.end == self.reach_rule(*self._root).end

    def _is_character(self, choice: syntax.Alternation) -> bool:
        return all(is_character(self._facts.core, self._node(each)) for each in choice.alternatives)

    def _open_calls(self, call: _Call) -> Iterator[_Call]:
        self.reach_rule(*call)
        return (each for each in self._calls[call] if self._is_open(self.reach_rule(*each)))

    def _open_choices(self, key: str, start: int) -> Iterator[_Choice]:
        """Yield the outermost open choices of a rule."""
        waiting = [(self._rules[key].elements, start)]
        while waiting:
            choice, start = waiting.pop()
            if len(choice.alternatives) == 1:
                for element, place in self._elements(choice.alternatives[0], 0, start):
                    if isinstance(element, (syntax.Group, syntax.Option)):
                        waiting.append((element.alternation, place))
            elif self._is_open(_furthest([self.reach_rest(each, 0, start) for each in choice.alternatives])):
                yield choice, start

    def _alternative(self, parts: syntax.Concatenation, start: int) -> Alternative:
        """Return an alternative with its mistake; one that matches has a mistake only after it."""
        text = self._text
        end, charset = self.reach_rest(parts, 0, start)
        complete = end in self._ends_of(parts, start)
        element = parts.items[0].element if len(parts.items) == 1 and _plain(parts.items[0]) else None
        rule = self._rules[element.name.lower()].name if isinstance(element, syntax.RuleName) else None
        problem, expected = "", signs.briefly(charset)
        if complete:
            if start < end < len(text):
                problem = f"{quoted(text[end])} is not allowed after {quoted(text[start:end])}"
        elif end == len(text):
            problem = f"{expected or 'a character'} is missing{neighbor(text, end)}"
        else:
            problem = f"{quoted(text[end])} is not allowed here"
            problem = in_ascii(f"{problem}; use {expected}" if expected else problem, text[end])
        source = rule or print_alternation(syntax.Alternation((parts,)))
        return Alternative(source, rule, start, end, complete, charset.to_class(), problem)

    # Reaches.

    def reach_rule(self, key: str, start: int) -> _Reach:
        reach = self._reached.get((key, start))
        if reach is None:
            self._reach_calls((key, start))
            reach = self._reached[key, start]
        return reach

    def _reach_calls(self, first: _Call) -> None:
        """Find the reaches of a rule and of every rule that it calls.

        A rule reaches the end of its own characters, or as far as a rule that it calls.
        """
        reaches: dict[_Call, _Reach] = {}
        callers: dict[_Call, list[_Call]] = {}
        waiting = [first]
        for call in waiting:
            if call in reaches:
                continue
            if call in self._reached:
                reaches[call] = self._reached[call]
                continue
            key, start = call
            calls: dict[_Call, None] = {}
            choice = self._rules[key].elements
            reaches[call] = _furthest(
                [self._own_reach(each, 0, start, calls) for each in choice.alternatives]
            )
            self._calls[call] = tuple(calls)
            for each in calls:
                callers.setdefault(each, []).append(call)
            waiting += calls
        changed = [*reaches]
        while changed:
            call = changed.pop()
            for caller in callers.get(call, ()):
                reach = _furthest([reaches[caller], reaches[call]])
                if reach != reaches[caller]:
                    reaches[caller] = reach
                    changed.append(caller)
                    self._meter.charge()
        self._reached.update(reaches)

    def reach_rest(self, parts: syntax.Concatenation, index: int, start: int) -> _Reach:
        key = id(parts), index, start
        if key not in self._rests:
            calls: dict[_Call, None] = {}
            own = self._own_reach(parts, index, start, calls)
            self._rests[key] = self._with_calls(own, calls)
        return self._rests[key]

    def _reach_item(self, item: syntax.Repetition, start: int) -> _Reach:
        return _furthest([_Reach(start, _NOTHING), *(r for _, r in self._iterations(item, start))])

    def _iterations(self, item: syntax.Repetition, start: int) -> Iterator[tuple[int, _Reach]]:
        """Yield the start and the reach of each iteration, the nearest first."""
        return ((place, self._reach_element(item.element, place)) for place in self._starts(item, start))

    def _reach_element(self, element: syntax.Element, start: int) -> _Reach:
        calls: dict[_Call, None] = {}
        return self._with_calls(self._own_reach_of(element, start, calls), calls)

    def _with_calls(self, own: _Reach, calls: Iterable[_Call]) -> _Reach:
        return _furthest([own, *(self.reach_rule(*call) for call in calls)])

    def _own_reach(
        self, parts: syntax.Concatenation, index: int, start: int, calls: dict[_Call, None]
    ) -> _Reach:
        """Return the reach of the own characters of a rest; add the rules that it calls to ``calls``."""
        if not self._facts.is_productive(self._node(parts)):  # a part that matches no string reaches nothing
            return _Reach(start, _NOTHING)
        elements = self._elements(parts, index, start)
        reaches = [self._own_reach_of(element, place, calls) for element, place in elements]
        ends = {start}
        for item in parts.items[index:]:
            ends = {end for place in ends for end in self._ends_of(item, place)}
        return _furthest([_Reach(start, _NOTHING), *reaches, *(_Reach(end, _NOTHING) for end in ends)])

    def _own_reach_of(self, element: syntax.Element, start: int, calls: dict[_Call, None]) -> _Reach:
        if isinstance(element, syntax.RuleName):
            calls[element.name.lower(), start] = None
            return _Reach(start, _NOTHING)
        if isinstance(element, (syntax.Group, syntax.Option)):
            choice = element.alternation
            return _furthest([self._own_reach(each, 0, start, calls) for each in choice.alternatives])
        place = start
        for charset in () if isinstance(element, syntax.ProseVal) else _characters(element):
            if place == len(self._text) or self._text[place] not in charset:
                return _Reach(place, charset)
            place += 1
        return _Reach(place, _NOTHING)

    def _elements(
        self, parts: syntax.Concatenation, index: int, start: int
    ) -> Iterator[tuple[syntax.Element, int]]:
        """Yield the elements of a concatenation, from an item on, with each possible start."""
        places = {start}
        for item in parts.items[index:]:
            for place in sorted(places):
                yield from ((item.element, each) for each in self._starts(item, place))
            places = {end for place in places for end in self._ends_of(item, place)}
            self._meter.charge(1 + len(places))

    def _starts(self, item: syntax.Repetition, start: int) -> Iterator[int]:
        """Yield the start of each iteration, the nearest first."""
        places, seen, count = {start}, {start}, 0
        while places and (item.max is None or count < item.max):
            yield from sorted(places)
            following = {end for place in places for end in self._ends_of(item.element, place)}
            places = following - seen
            seen |= places
            count += 1
            self._meter.charge(1 + len(places))

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
            parts = self._of_choice(rule.elements, start, depth + 1)
            self._shown.remove((key, start))
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
        looked_into = furthest and reach.end > start
        if isinstance(element, (syntax.Group, syntax.Option)) and looked_into and self._more():
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
