"""Build tagged automata, which find the parts of a string and the rules that derived them in one walk.

The construction is a subset construction over *ordered* derivatives with marks, each with the places of its
tags in registers (Laurikari 2000; Kuklewicz). Only the first path to a derivative is kept, and at the end the
first accepting derivative. Derivatives are in order of preference, so the places come from the preferred
derivation. A part that occurs more than once keeps its last place.

Three measures keep the automaton small. A tag has one register, and a second one only if two paths disagree;
no move copies a register. Events that all paths from a state begin with happen on arrival at the state. A tag
that is not set, and that no later move can set, takes whatever value its register has. So states do not store
which parts occurred.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from abnforge._arguments import wrong_value
from abnforge.automata.code_points import BEFORE, BEHIND, CLEARED, STATE_BITS, CodePointDFA, Operation, Tags
from abnforge.automata.derivatives import Derivatives, State
from abnforge.automata.dfa import character_classes, equivalence
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.grammar.core import Core, Node
from abnforge.grammar.facts import Facts

if TYPE_CHECKING:
    pass

# Values for a tag without a register: an unset tag, or a tag that the current transition sets.
_NONE = -1
_BEFORE = -2
_BEHIND = -3
_CHANGES = {_BEFORE: BEFORE, _BEHIND: BEHIND}

# The cost of moving one configuration, in budget steps, and its memory in a set, in bytes.
_MOVE_COST = 4
_CONFIGURATION_BYTES = 200

# A derivative, the places of its tags, and its kinds.
Configuration = tuple[State, tuple[int, ...], tuple[int, ...]]


class _Step(NamedTuple):
    """A move of one derivative, with the tags and kinds that the move sets, in order."""

    target: State
    tags: tuple[tuple[int, int], ...]
    kinds: tuple[tuple[int, int], ...]


class _Point(NamedTuple):
    """An automaton state: configurations in order of preference, and the registers that may hold a place."""

    configurations: tuple[Configuration, ...]
    written: frozenset[int]


def tagged(
    core: Core,
    bodies: Mapping[str, Node],
    key: str,
    parts: Mapping[str, Iterable[str]],
    kinds: Mapping[str, Sequence[str]],
    meter: Meter,
) -> CodePointDFA:
    """Return the tagged automaton of a rule that does not reach any recursion.

    ``parts`` maps each part's name to the keys of the rules that derive the part. ``kinds`` maps each name to
    the rule keys that it distinguishes; the outermost of these rules counts. A rule is in at most one part
    and one kind.

    Raises: LimitExceeded; ValueError if a rule is in several parts or kinds.
    Complexity: the subset construction, times the configurations.
    """
    for named in (parts, kinds):
        rules = [rule for name in named for rule in named[name]]
        if len(set(rules)) < len(rules):
            raise wrong_value("parts", "disjoint", "overlapping")
    plain = Core(bodies, core.names)
    derivatives = Derivatives(Facts(plain), marks=True)
    derivatives.meter = meter
    classes = character_classes(bodies[k] for k in derivatives.facts.reachable(key))
    if key not in derivatives.facts.productive:
        rules_of = {name: tuple(rules) for name, rules in kinds.items()}
        return CodePointDFA([], frozenset(), (0,), (0,), Tags(tuple(parts), rules_of, 2, (-1, -1), ((),), {}))
    return _Tagging(derivatives, key, parts, kinds, classes, meter).automaton()


class _Tagging:
    def __init__(
        self,
        derivatives: Derivatives,
        key: str,
        parts: Mapping[str, Iterable[str]],
        kinds: Mapping[str, Sequence[str]],
        classes: list[CharSet],
        meter: Meter,
    ) -> None:
        self._derivatives = derivatives
        self._meter = meter
        self._classes = classes
        self._symbols = [charset.min() for charset in classes]
        self._parts = tuple(parts)
        self._kinds = {name: tuple(rules) for name, rules in kinds.items()}
        self._part_of = {rule: number for number, name in enumerate(parts) for rule in parts[name]}
        self._kind_of = {
            rule: (number, value)
            for number, rules in enumerate(self._kinds.values())
            for value, rule in enumerate(rules, 1)
        }
        self._tags = 2 * len(self._parts)
        self._spares = 0  # additional registers beyond one for each tag
        self._early: dict[State, tuple[str, ...]] = {}
        self._steps: dict[tuple[State, str], tuple[_Step, ...]] = {}
        self._start = derivatives.start(key).states[0]
        self._ahead = self._tags_ahead()

    def automaton(self) -> CodePointDFA:
        """Build all reachable states, then merge equivalent states."""
        places = [_NONE] * self._tags
        kinds = [0] * len(self._kinds)
        self._happen(list(self._start.rule_path), (), self._early_of(self._start), places, kinds)
        first, written, operation = self._settled([(self._start, places, tuple(kinds))], frozenset())
        start = _Point(first, written)
        numbers = {start: 0}
        operations: dict[Operation, int] = {(): 0}
        rows: list[list[int]] = []
        final: dict[int, tuple[int, ...]] = {}
        for point in (queue := [start]):
            if (last := self._final(point)) is not None:
                final[len(rows)] = last
            row = []
            for symbol in self._symbols:
                moved = self._moved(point, symbol)
                if not moved:
                    row.append(0)
                    continue
                configurations, written, setting = self._settled(moved, point.written)
                following = _Point(configurations, written)
                if following not in numbers:
                    numbers[following] = len(queue)
                    queue.append(following)
                    self._meter.hold(8 * len(self._symbols) + _CONFIGURATION_BYTES * len(configurations))
                row.append(
                    operations.setdefault(setting, len(operations)) << STATE_BITS | numbers[following] + 1
                )
            rows.append(row)
        initial = [-1] * (self._tags + self._spares + 2)
        for register, _ in operation:
            initial[register] = 0
        return self._smallest(rows, final, tuple(operations), tuple(initial))

    # ---- events of a move ----

    def _early_of(self, state: State) -> tuple[str, ...]:
        """Return the events that all paths from a state begin with, which happen on arrival."""
        events = self._early.get(state)
        if events is None:
            derivatives = self._derivatives
            ways = [arc.before for arc in derivatives.arcs(state)]
            if derivatives.accepts(state):
                ways.append(derivatives.final(state))
            least, most = min(ways), max(ways)  # a common prefix of these two is common to all
            length = 0
            while length < len(least) and least[length] == most[length]:
                length += 1
            events = self._early[state] = least[:length]
        return events

    def _happen(
        self,
        stack: list[str],
        done: Sequence[str],
        events: Iterable[str],
        places: list[int],
        kinds: list[int],
        place: int = _BEHIND,
    ) -> None:
        """Begin and end rules: ``done`` changes only the stack, and ``events`` also set tags to ``place``."""
        for event in done:
            if event:
                stack.append(event)
            else:
                stack.pop()
        for event in events:
            rule = event or stack.pop()
            if rule in self._part_of:
                places[2 * self._part_of[rule] + (not event)] = place
            if event:
                if rule in self._kind_of:
                    number, value = self._kind_of[rule]
                    if not any(self._kind_of.get(outer, (-1, 0))[0] == number for outer in stack):
                        kinds[number] = value
                stack.append(rule)

    def _steps_of(self, state: State, symbol: str) -> tuple[_Step, ...]:
        steps = self._steps.get((state, symbol))
        if steps is None:
            steps = self._steps[state, symbol] = tuple(self._find_steps(state, symbol))
        return steps

    def _find_steps(self, state: State, symbol: str) -> Iterator[_Step]:
        early = self._early_of(state)
        for arc in self._derivatives.moves(state, symbol):
            places, kinds = [_NONE] * self._tags, [0] * len(self._kinds)
            stack = list(state.rule_path)
            self._happen(stack, early, arc.before[len(early) :], places, kinds, _BEFORE)
            behind = (*("",) * arc.ends, *self._early_of(arc.target))
            self._happen(stack, (), behind, places, kinds, _BEHIND)
            yield _Step(
                arc.target,
                tuple((tag, place) for tag, place in enumerate(places) if place != _NONE),
                tuple((number, value) for number, value in enumerate(kinds) if value),
            )

    def _moved(self, point: _Point, symbol: str) -> list[tuple[State, list[int], tuple[int, ...]]]:
        """Return the targets of a character in order of preference, each with only its first path."""
        result: list[tuple[State, list[int], tuple[int, ...]]] = []
        targets: set[State] = set()
        for state, places, kinds in point.configurations:
            for step in self._steps_of(state, symbol):
                self._meter.charge(_MOVE_COST)
                if step.target in targets:
                    continue
                targets.add(step.target)
                there = list(places)
                for tag, place in step.tags:
                    there[tag] = place
                new_kinds = kinds
                if step.kinds:
                    changed = list(kinds)
                    for number, value in step.kinds:
                        changed[number] = value
                    new_kinds = tuple(changed)
                result.append((step.target, there, new_kinds))
        return result

    def _final(self, point: _Point) -> tuple[int, ...] | None:
        """Return the register of each tag and the kinds if the string may end here, or None."""
        derivatives = self._derivatives
        for state, places, kinds in point.configurations:
            if derivatives.accepts(state):
                early = self._early_of(state)
                there, last_kinds = list(places), list(kinds)
                self._happen(
                    list(state.rule_path), early, derivatives.final(state)[len(early) :], there, last_kinds
                )
                for begin in range(0, self._tags, 2):  # a part without an end is absent
                    if there[begin + 1] == _NONE:
                        there[begin] = _NONE
                return (*there, *last_kinds)
        return None

    # ---- registers ----

    def _settled(
        self, moved: list[tuple[State, list[int], tuple[int, ...]]], written: frozenset[int]
    ) -> tuple[tuple[Configuration, ...], frozenset[int], Operation]:
        """Move all tags to registers.

        Returns the configurations, the registers that may hold a place, and the operation.
        """
        setting: dict[int, int] = {}
        all_places = [places for _, places, _ in moved]
        used = {place for places in all_places for place in places if place >= 0}
        dirty = set(written)
        for tag in range(self._tags):
            for place in sorted({places[tag] for places in all_places} & {_BEFORE, _BEHIND}):
                register = tag
                if register in setting or any(register in places for places in all_places):
                    register = self._tags
                    while register in used or register in setting:
                        register += 1
                    self._spares = max(self._spares, register + 1 - self._tags)
                setting[register] = _CHANGES[place]
                dirty.add(register)
                used.add(register)
                for places in all_places:
                    if places[tag] == place:
                        places[tag] = register
        ahead = set().union(*(self._ahead[state] for state, _, _ in moved))
        for tag in range(self._tags):
            if tag in ahead or any(places[tag] != _NONE for places in all_places):
                continue
            if any(tag in places for places in all_places):
                continue  # the register holds another tag's place
            if tag % 2 and tag in dirty:
                setting[tag] = CLEARED  # a part without an end is absent, even if it has a beginning
            for places in all_places:
                places[tag] = tag
        may_hold = frozenset(
            register
            for register in dirty
            if register < self._tags
            and register % 2
            and any(places[register] == _NONE for places in all_places)
        )
        configurations = tuple((state, tuple(places), kinds) for state, places, kinds in moved)
        return configurations, may_hold, tuple(sorted(setting.items()))

    def _tags_ahead(self) -> dict[State, frozenset[int]]:
        """Return the tags that can be set between each derivative and the end of a string."""
        derivatives = self._derivatives
        own: dict[State, set[int]] = {}
        sources: dict[State, list[State]] = {self._start: []}
        queue = [self._start]
        for state in queue:
            tags: set[int] = set()
            early = self._early_of(state)
            for arc in derivatives.arcs(state):
                self._meter.charge(_MOVE_COST)
                places, kinds = [_NONE] * self._tags, [0] * len(self._kinds)
                stack = list(state.rule_path)
                self._happen(stack, early, arc.before[len(early) :], places, kinds)
                self._happen(stack, (), (*("",) * arc.ends, *self._early_of(arc.target)), places, kinds)
                tags.update(tag for tag, place in enumerate(places) if place != _NONE)
                if arc.target not in sources:
                    sources[arc.target] = []
                    queue.append(arc.target)
                sources[arc.target].append(state)
            own[state] = tags
        waiting = list(reversed(queue))
        while waiting:
            state = waiting.pop()
            for source in sources[state]:
                if not own[state] <= own[source]:
                    own[source] |= own[state]
                    waiting.append(source)
        return {state: frozenset(tags) for state, tags in own.items()}

    # ---- minimization ----

    def _smallest(
        self,
        rows: list[list[int]],
        final: dict[int, tuple[int, ...]],
        operations: tuple[Operation, ...],
        initial: tuple[int, ...],
    ) -> CodePointDFA:
        states = range(len(rows))
        target = (1 << STATE_BITS) - 1
        self._meter.charge(len(rows) * len(self._symbols))
        by_label: dict[tuple[object, ...], set[int]] = {}
        for state in states:
            label = final.get(state), *(entry >> STATE_BITS for entry in rows[state])
            by_label.setdefault(label, set()).add(state)
        targets = [[(entry & target) - 1 for entry in row] for row in rows]
        block = equivalence(targets, by_label.values())
        number_of: dict[int, int] = {}
        representatives: list[int] = []
        for state in states:  # the start stays first
            if block[state] not in number_of:
                number_of[block[state]] = len(representatives)
                representatives.append(state)

        def renumbered(entry: int) -> int:
            return entry & ~target | number_of[block[(entry & target) - 1]] + 1 if entry else 0

        new_rows = [list(map(renumbered, rows[state])) for state in representatives]
        end, none = len(initial) - 2, len(initial) - 1
        last = {
            number: self._last(final[state], end, none)
            for number, state in enumerate(representatives)
            if state in final
        }
        columns: dict[tuple[int, ...], int] = {}
        ranges = []
        for column, charset in zip(zip(*new_rows, strict=True), self._classes, strict=True):
            number = columns.setdefault(column, len(columns))
            ranges += [(low, number) for low, _ in charset.ranges]
        ranges.sort()
        return CodePointDFA(
            rows=[list(row) for row in zip(*columns, strict=True)],
            accepting=frozenset(last),
            starts=tuple(low for low, _ in ranges),
            classes=tuple(number for _, number in ranges),
            tags=Tags(self._parts, self._kinds, len(initial), initial, operations, last),
        )

    def _last(self, final: tuple[int, ...], end: int, none: int) -> tuple[int, ...]:
        """Return the final places of tags as registers."""
        named = {_NONE: none, _BEHIND: end}
        return (*(named.get(place, place) for place in final[: self._tags]), *final[self._tags :])
