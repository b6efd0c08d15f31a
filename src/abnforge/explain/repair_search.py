"""Search the graph of all cheapest repairs of a string. ``repairs`` describes the steps."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import partial
from itertools import count
from typing import Any, Protocol

from abnforge._lazy import cached_property
from abnforge.automata.dfa import Automaton
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.grammar.core import Ref
from abnforge.parsing.recognizer.configurations import Configuration
from abnforge.parsing.recognizer.machine import ConfigurationWalk, Machine
from abnforge.parsing.recognizer.network import Item

MAX_KEPT_LEVELS = 20_000  # the maximum number of places with different costs that are kept between strings

ITEM_COST = 50  # the steps of an item of the approximation

DELETE, INSERT, REPLACE = range(3)

Transitions = list[tuple[int, int]]
"""The transitions of an automaton by a class: the bits of sources, and those of their targets."""


class Space(Protocol):
    """The states of a rule for the search.

    ``start`` is None if the rule does not match any string. ``transitions`` are those of a finite automaton
    by class of characters, and ``final`` are its accepting states, as bits. The automaton accepts all strings
    of the rule; if it ``is_exact``, no others.
    """

    charsets: Sequence[CharSet]
    start: Hashable | None
    transitions: Sequence[Transitions]
    final: int
    is_exact: bool

    def class_of(self, char: str) -> int:
        """Return the number of a character's class, or -1 for a character that no string contains."""

    def bits(self, state: Any) -> int:
        """Return the states of the automaton that represent a state, as bits."""

    def step(self, state: Any, number: int) -> Any:
        """Return the state after a character of a class, or None."""

    def moves(self, state: Any, sources: Callable[[int], int]) -> list[tuple[int, Any, int]]:
        """Return the next states, each with the classes that lead to it, and with its bits.

        ``sources`` returns the states of the automaton from which a class leads to a relevant state; the
        others can be omitted.
        """

    def accepts(self, state: Any) -> bool:
        """Return whether the string can end in a state."""


class AutomatonSpace:
    """The states of a regular rule's automaton: its rows."""

    is_exact = True

    def __init__(self, automaton: Automaton) -> None:
        self._automaton = automaton
        self.charsets: Sequence[CharSet] = automaton.charsets
        self.start: Hashable | None = 0 if automaton.table else None
        self.class_of = automaton.class_of
        self.final = 0
        for row in automaton.accepting:
            self.final |= self.bits(row)
        self._moves: dict[int, list[tuple[int, int, int]]] = {}
        self.transitions: Sequence[Transitions] = list(map(self._transitions, range(automaton.width)))

    def _transitions(self, number: int) -> Transitions:
        """Return the sources of each target by a class."""
        sources: dict[int, int] = {}
        bit = 1
        for target in self._automaton.table[number :: self._automaton.width]:
            if target >= 0:
                sources[target] = sources.get(target, 0) | bit
            bit <<= 1
        return [(bits, self.bits(target)) for target, bits in sources.items()]

    def bits(self, row: int) -> int:
        return 1 << row // self._automaton.width

    def step(self, row: int, number: int) -> int | None:
        target = self._automaton.table[row + number]
        return None if target < 0 else target

    def moves(self, row: int, sources: Callable[[int], int]) -> list[tuple[int, int, int]]:
        result = self._moves.get(row)
        if result is None:
            classes: dict[int, int] = {}
            for number, target in enumerate(self._automaton.table[row : row + self._automaton.width]):
                if target >= 0:
                    classes[target] = classes.get(target, 0) | 1 << number
            result = [(numbers, target, self.bits(target)) for target, numbers in classes.items()]
            self._moves[row] = result
        return result

    def accepts(self, row: int) -> bool:
        return row in self._automaton.accepting


class RegularApproximation:
    """A finite automaton that accepts every string of a rule, and others: calls and returns are not matched.

    Its states are the items that read a character, one bit each, and bit 0 for acceptance. A frame that ends
    returns to every call of its rule. ``transitions`` has those of each character class. Raises
    LimitExceeded.
    """

    def __init__(self, machine: Machine, key: str, meter: Meter) -> None:
        self._network = network = machine.configurations.network
        self.entry = network.entry(key)  # another one after ``Network.forget``: the bits are then invalid
        self.accept = 1
        self._bits: dict[Item, int] = {}
        self._frames: dict[str, list[Item]] = {}
        rules = [key]
        reading: dict[tuple[str, Item], int] = {}
        for rule in rules:
            items = self._frames[rule] = list(network.entry(rule).items)
            seen = set(items)
            for item in items:
                meter.charge(ITEM_COST)
                if isinstance(item.task, Ref):
                    if item.task.key not in rules:
                        rules.append(item.task.key)
                else:
                    bit = reading[rule, item] = 2 << len(reading)
                    self._bits[item] = self._bits.get(item, 0) | bit
                new = [each for each in network.after(item)[0] if each not in seen]
                seen.update(new)
                items += new
        self.size = 1 + len(reading)
        self._reading = reading
        self._entries = dict.fromkeys(rules, 0)
        self._returns = dict.fromkeys(rules, 0) | {key: self.accept}
        is_growing = True
        while is_growing:
            is_growing = False
            for rule in rules:
                meter.charge(1 + len(self._frames[rule]))
                changes = [(self._entries, rule, self._of(rule, network.entry(rule).items))]
                changes += [
                    (self._returns, item.task.key, self._after(rule, item))
                    for item in self._frames[rule]
                    if isinstance(item.task, Ref)
                ]
                for known, name, bits in changes:
                    is_growing = is_growing or bits | known[name] != known[name]
                    known[name] |= bits
        targets: dict[str, dict[int, int]] = {}
        for (rule, item), bit in reading.items():
            following = self._after(rule, item)
            for char in item.reads:
                sources = targets.setdefault(char, {})
                sources[following] = sources.get(following, 0) | bit
        self.transitions = [
            [(sources, target) for target, sources in targets.get(charset.min(), {}).items()]
            for charset in machine.classes
        ]

    def of(self, configuration: Configuration) -> int:
        """Return the bits of the items that can read the next character after a configuration."""
        result = self.accept if configuration.accepting else 0
        for _, state in configuration.pairs:
            for item in state.items:
                if isinstance(item.task, Ref):
                    result |= self._entries.get(item.task.key, -1)
                else:
                    result |= self._bits.get(item, -1)  # all bits, if the item is unknown
        return result

    def _of(self, rule: str, items: Iterable[Item]) -> int:
        result = 0
        for item in items:
            result |= (
                self._entries[item.task.key] if isinstance(item.task, Ref) else self._reading[rule, item]
            )
        return result

    def _after(self, rule: str, item: Item) -> int:
        items, ends = self._network.after(item)
        return self._of(rule, items) | (self._returns[rule] if ends else 0)


class ConfigurationSpace:
    """The configurations of the recognizer for a rule, which can be recursive."""

    is_exact = False

    def __init__(self, machine: Machine, approximation: RegularApproximation, key: str, meter: Meter) -> None:
        self._machine = machine
        self._approximation = approximation
        self._walk = ConfigurationWalk(machine, key)
        self._meter = meter
        self._bits: dict[Any, int] = {}
        self._classes: dict[Any, list[int]] = {}
        self._targets: dict[Any, dict[int, Any]] = {}
        self.charsets: Sequence[CharSet] = machine.classes
        self.transitions: Sequence[Transitions] = approximation.transitions
        self.final = approximation.accept
        self.start = self._walk.start if self.bits(self._walk.start) else None
        self.accepts = self._walk.accepts
        self._symbols = [charset.min() for charset in machine.classes]
        self._numbers = {symbol: number for number, symbol in enumerate(self._symbols)}

    def class_of(self, char: str) -> int:
        return self._numbers.get(self._machine.representative(char), -1)

    def bits(self, state: Any) -> int:
        configuration = state[0]
        result = self._bits.get(configuration)
        if result is None:
            result = self._bits[configuration] = self._approximation.of(configuration)
        return result

    def step(self, state: Any, number: int) -> Any:
        if number < 0:
            return None
        targets = self._targets.get(state)
        if targets is None:
            targets = self._targets[state] = {}
        if number in targets:
            return targets[number]
        self._meter.charge(30)
        target = targets[number] = self._walk.move(state, self._symbols[number])
        return target

    def moves(self, state: Any, sources: Callable[[int], int]) -> list[tuple[int, Any, int]]:
        bits = self.bits(state)
        readable = self._readable(state[0])
        self._meter.charge(len(readable) // 2)
        classes: dict[Any, int] = {}
        for number in readable:
            if sources(number) & bits and (target := self.step(state, number)) is not None:
                classes[target] = classes.get(target, 0) | 1 << number
        return [(numbers, target, self.bits(target)) for target, numbers in classes.items()]

    def _readable(self, configuration: Configuration) -> list[int]:
        """Return the classes of characters that can follow."""
        result = self._classes.get(configuration)
        if result is None:
            opened = self._machine.configurations.opened(configuration)
            reads = {char for _, frame in opened for item in frame.items for char in item.reads}
            self._meter.charge(self._walk.cost((configuration, 0))[0])
            result = self._classes[configuration] = sorted(self._numbers[char] for char in reads)
        return result


Levels = tuple[int, ...]  # for each cost, the states from which the rest of a string costs at most that


class SuffixCosts:
    """The costs of the rest of a string, by state of a finite automaton. Moves between levels are kept."""

    def __init__(self, transitions: Sequence[Transitions], final: int) -> None:
        self._transitions = transitions
        self._final = final
        self.forget()

    def forget(self) -> None:
        self.levels: list[Levels] = []
        self._moves: list[dict[int, int]] = []
        self._numbers: dict[Levels, int] = {}
        self._before: list[dict[int, int]] = [{} for _ in self._transitions]
        self._edited: dict[int, int] = {}

    @cached_property
    def _any(self) -> Transitions:
        """The transitions by any character."""
        targets: dict[int, int] = {}
        for transitions in self._transitions:
            for sources, target in transitions:
                while sources:
                    bit = sources & -sources
                    targets[bit] = targets.get(bit, 0) | target
                    sources ^= bit
        sources_of: dict[int, int] = {}
        for bit, target in targets.items():
            sources_of[target] = sources_of.get(target, 0) | bit
        return [(sources, target) for target, sources in sources_of.items()]

    def of(self, classes: Sequence[int], cost: int, meter: Meter) -> tuple[Sequence[int], int] | None:
        """Return the numbers of the levels at each place, and the first place with a result below ``cost``.

        Return None if no state at some place leads to acceptance by at most ``cost`` edits.
        """
        if len(self.levels) > MAX_KEPT_LEVELS:
            self.forget()
        levels = [self._final]
        for _ in range(cost):
            levels.append(self._with_edit(levels[-1], meter))
        number = self._number(tuple(levels))
        result = array("L", [number]) * (len(classes) + 1)
        meter.charge(len(classes) // 8)
        moves = self._moves
        first = place = len(classes)
        for character in reversed(classes):
            place -= 1
            try:
                number = moves[number][character]
            except KeyError:
                number = self._move(number, character, meter)
            result[place] = number
            if not self.levels[number][cost]:
                return None
            if self.levels[number][cost - 1]:
                first = place
        return result, max(0, first - 1)

    def least(self, classes: Sequence[int], start: int, meter: Meter) -> int:
        """Return the least number of edits that can be enough from one of some states."""
        cost = 1
        while True:
            result = self.of(classes, cost, meter)
            if result is not None:
                levels = self.levels[result[0][0]]
                if levels[cost] & start:
                    return next(fewer for fewer in range(1, cost + 1) if levels[fewer] & start)
            cost *= 2

    def _number(self, levels: Levels) -> int:
        number = self._numbers.get(levels)
        if number is None:
            number = self._numbers[levels] = len(self.levels)
            self.levels.append(levels)
            self._moves.append({})
        return number

    def _move(self, number: int, character: int, meter: Meter) -> int:
        after = self.levels[number]
        meter.charge(len(after))
        levels: list[int] = []
        for cost, states in enumerate(after):
            before = self.read(character, states, meter) if character >= 0 else 0
            if cost:  # delete or replace the character, or insert another before it
                before |= self._with_edit(after[cost - 1], meter) | self._with_edit(levels[-1], meter)
            levels.append(before)
        result = self._moves[number][character] = self._number(tuple(levels))
        return result

    def read(self, character: int, states: int, meter: Meter) -> int:
        """Return the states from which a character leads to one of some states."""
        known = self._before[character]
        result = known.get(states)
        if result is None:
            transitions = self._transitions[character]
            meter.charge(1 + len(transitions) // 8)
            result = 0
            for sources, targets in transitions:
                if targets & states:
                    result |= sources
            known[states] = result
        return result

    def _with_edit(self, states: int, meter: Meter) -> int:
        """Return some states, and those from which any character leads to one of them."""
        result = self._edited.get(states)
        if result is None:
            meter.charge(1 + len(self._any) // 8)
            result = states
            for sources, targets in self._any:
                if targets & states:
                    result |= sources
            self._edited[states] = result
        return result


class _Node:
    """The edits at one place of a string in one state, and the next node if the character there is kept.

    ``targets`` has the kind of an edit, the classes of its character as bits, and the node after it. A node
    without edits represents the next node. ``next`` is None if the string has no more repairs.
    """

    __slots__ = ("next", "offset", "repairs", "targets")

    def __init__(self) -> None:
        self.offset = -1
        self.targets: list[tuple[int, int, _Node]] = []
        self.next: _Node | None = None
        self.repairs: RepairGraph | None = None


class RepairGraph:
    """The repairs of the rest of a string: those that begin with an edit at ``offset``, and later ones.

    Equal values are identical. ``edits`` has the kind, the classes and the repairs after each edit. The value
    without edits is the end of all repairs.
    """

    __slots__ = ("edits", "number", "offset", "rest")

    def __init__(
        self,
        number: int,
        offset: int,
        edits: tuple[tuple[int, int, RepairGraph], ...],
        rest: RepairGraph | None,
    ) -> None:
        self.number = number
        self.offset = offset
        self.edits = edits
        self.rest = rest


END = RepairGraph(0, -1, (), None)
_LAST = _Node()  # the node at the end of a repaired string
_LAST.repairs = END


def _search(
    space: Space, classes: Sequence[int], suffixes: SuffixCosts, cost: int, meter: Meter
) -> RepairGraph | None:
    """Return the repairs of exactly ``cost`` edits, or None. There must not be any with fewer."""
    costs = suffixes.of(classes, cost, meter)
    state = space.start
    if costs is None or state is None:
        return None
    numbers, first = costs
    for number in classes[:first]:
        state = space.step(state, number)
        if state is None:
            return None
    meter.charge(first // 8)
    levels = suffixes.levels
    if not space.bits(state) & levels[numbers[first]][cost]:
        return None
    root = _Node()
    nodes: list[_Node] = []
    layers: list[dict[Any, _Node]] = [{} for _ in range(cost + 1)]  # by number of edits
    layers[0][state] = root
    end = len(classes)
    for place in range(first, end + 1):
        here = levels[numbers[place]]
        after = levels[numbers[place + 1]] if place < end else (0,) * (cost + 1)
        following: list[dict[Any, _Node]] = [{} for _ in layers]
        for edits, layer in enumerate(layers):
            left = cost - edits
            for state, node in layer.items():
                if edits and any(state in layers[fewer] for fewer in range(edits)):
                    continue
                meter.charge(8)
                if left and (here[left - 1] or after[left - 1]):
                    targets = _edits(
                        space,
                        suffixes,
                        state,
                        classes[place] if place < end else -1,
                        (here[left - 1], after[left - 1]),
                        (layers[edits + 1], following[edits + 1]),
                        meter,
                    )
                    if targets:
                        node.offset, node.targets = place, targets
                        nodes.append(node)
                        node.next = node = _Node()
                if (not left and space.is_exact) or (place == end and space.accepts(state)):
                    node.next = _LAST
                elif place == end:
                    continue
                else:
                    target = space.step(state, classes[place])
                    if target is not None and space.bits(target) & after[left]:
                        known = following[edits].get(target)
                        if known is None:
                            following[edits][target] = node
                        elif known is not node:
                            node.next = known
        layers = following
        if not any(layers):
            break
    return _collected(root, nodes)


def _edits(
    space: Space,
    suffixes: SuffixCosts,
    state: Any,
    character: int,
    allowed: tuple[int, int],
    layers: tuple[dict[Any, _Node], dict[Any, _Node]],
    meter: Meter,
) -> list[tuple[int, int, _Node]]:
    """Return the edits in a state from which the remaining edits can be enough.

    ``allowed`` are the states at this place and after the character from which they are, and ``layers`` are
    the nodes there.
    """
    result: list[tuple[int, int, _Node]] = []
    here, after = allowed
    if space.bits(state) & after:
        result.append((DELETE, 0, layers[1].setdefault(state, _Node())))
    moves = space.moves(state, partial(suffixes.read, states=here | after, meter=meter))
    meter.charge(10 + 2 * len(moves))
    for numbers, target, bits in moves:
        if bits & here:
            result.append((INSERT, numbers, layers[0].setdefault(target, _Node())))
        if bits & after:
            others = numbers & ~(1 << character) if character >= 0 else numbers
            if others:
                result.append((REPLACE, others, layers[1].setdefault(target, _Node())))
    return result


def _collected(root: _Node, nodes: list[_Node]) -> RepairGraph | None:
    """Return the repairs from a node. Edits with equal repairs after them are united."""
    known: dict[tuple[Any, ...], RepairGraph] = {}
    for node in reversed(nodes):
        rest = _repairs_of(node.next)
        united: dict[tuple[int, int], tuple[int, RepairGraph]] = {}
        for kind, classes, target in node.targets:
            after = _repairs_of(target)
            if after is not None:
                key = kind, after.number
                united[key] = (united[key][0] | classes if key in united else classes), after
        if united:
            edits = tuple((key[0], *united[key]) for key in sorted(united))
            identity = (
                node.offset,
                tuple((kind, classes, after.number) for kind, classes, after in edits),
                0 if rest is None else rest.number,
            )
            if identity not in known:
                known[identity] = RepairGraph(len(known) + 1, node.offset, edits, rest)
            rest = known[identity]
        node.repairs = rest
        node.targets = []
    return _repairs_of(root)


def _repairs_of(node: _Node | None) -> RepairGraph | None:
    while node is not None and node.repairs is None and node.offset < 0:
        node = node.next
    return None if node is None else node.repairs


def cheapest(
    space: Space, suffixes: SuffixCosts, text: str, meter: Meter, most: int | None = None
) -> RepairGraph | None:
    """Return the cheapest repairs, or None if they have more than ``most`` edits."""
    numbers = {char: space.class_of(char) for char in set(text)}
    classes = [numbers[char] for char in text]
    for cost in count(suffixes.least(classes, space.bits(space.start), meter)):
        meter.charge()
        if most is not None and cost > most:
            return None
        repairs = _search(space, classes, suffixes, cost, meter)
        if repairs is not None:
            return repairs
    raise AssertionError
