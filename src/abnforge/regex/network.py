"""Represent a pattern as a network of places (Thompson 1968), and compute its languages after a prefix.

Trackers follow lookbehinds: each tracker is a separate network that is entered at every position of the
input. A lookbehind has a higher number than all lookbehinds within it.

A *thread* is a place in the network with obligations on the rest of the input. An obligation is a *literal*:
it requires that a certain language contains the rest, or that it does not. A language is a numbered set of
threads. So languages follow lookahead along with the input, even in loops and within lookahead (alternating
automata: Chandra, Kozen and Stockmeyer 1981; obligations as sets: Miyano and Hayashi 1984).

In a set of threads, a thread with more obligations than another thread at the same place is redundant.
``TRUE`` is the language of all strings, and ``FALSE`` is the empty language.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Union

from abnforge.budget import Meter
from abnforge.charset import CharSet, partition
from abnforge.regex.ast import (
    Alternatives,
    CharacterClass,
    Concat,
    Iteration,
    Lookaround,
    NodeTable,
    Regex,
)

# Estimated sizes in bytes: a place; a set at a position where some set begins or ends.
_PLACE_BYTES = 200
_MEMBER_BYTES = 40


@dataclass(frozen=True, slots=True, eq=False)
class ReadPlace:
    """Read one character from the set with this number."""

    number: int
    target: int


@dataclass(frozen=True, slots=True, eq=False)
class SplitPlace:
    """Continue at each of several places."""

    targets: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class AheadPlace:
    """Continue if the network at ``body`` matches the following characters, or does not (``negative``)."""

    body: int
    negative: bool
    target: int


@dataclass(frozen=True, slots=True, eq=False)
class BehindPlace:
    """Continue if the tracker with this number ends here, or does not (``negative``)."""

    tracker: int
    negative: bool
    target: int


@dataclass(frozen=True, slots=True, eq=False)
class EndPlace:
    """The end of the pattern."""


Place = Union[ReadPlace, SplitPlace, AheadPlace, BehindPlace, EndPlace]


class PatternNetwork:
    """The numbered places of a pattern: ``start`` is the first; ``trackers`` are the starts of lookbehinds.

    ``classes`` contains the character classes, and ``masks`` represents each class by the bits of the sets
    that contain it. Raises LimitExceeded. Complexity: the size of the tree with its iterations expanded.
    """

    END = 0

    def __init__(self, tree: Regex, meter: Meter) -> None:
        self._meter = meter
        self.places: list[Place] = [EndPlace()]
        self.trackers: list[int] = []
        self._sets: dict[CharSet, int] = {}
        self._bodies: dict[int, int] = {}
        self._behind: dict[int, int] = {}
        self._node_forms: NodeTable[int] = NodeTable()
        self._forms: dict[object, int] = {}
        self.start = self._place(tree, self.END)
        self._charge_classes()
        self.classes = partition(self._sets)
        meter.charge(len(self._sets) * sum(len(charset.ranges) for charset in self.classes) // 30)
        self.masks = self._masks(list(self._sets))

    def _charge_classes(self) -> None:
        """Charge for the partition: the number of sets at each position where a set begins or ends."""
        changes: dict[int, int] = {}
        for charset in self._sets:
            for low, high in charset.ranges:
                changes[low] = changes.get(low, 0) + 1
                changes[high + 1] = changes.get(high + 1, 0) - 1
        around = members = 0
        for place in sorted(changes):
            around += changes[place]
            members += around
        self._meter.charge(len(changes) + members // 10)
        self._meter.hold(_MEMBER_BYTES * members)

    def _masks(self, sets: Sequence[CharSet]) -> list[int]:
        numbers = {charset.min(): number for number, charset in enumerate(self.classes)}
        starts = sorted((low, number) for number, block in enumerate(self.classes) for low, _ in block.ranges)
        masks = [0] * len(numbers)
        for bit, charset in enumerate(sets):
            ranges = iter(charset.ranges)
            low, high = next(ranges, (0, -1))
            for start, number in starts:
                while start > high >= 0:
                    low, high = next(ranges, (0, -1))
                if low <= start <= high:
                    masks[number] |= 1 << bit
        return masks

    def _add(self, place: Place) -> int:
        self._meter.charge()
        self._meter.hold(_PLACE_BYTES)
        self.places.append(place)
        return len(self.places) - 1

    def _place(self, node: Regex, target: int) -> int:
        """Add the places of a node that continues at ``target``, and return its first place."""
        match node:
            case CharacterClass(charset=charset):
                self._meter.charge(len(charset.ranges) // 30)
                return self._add(ReadPlace(self._sets.setdefault(charset, len(self._sets)), target))
            case Concat(items=items):
                for item in reversed(items):
                    target = self._place(item, target)
                return target
            case Alternatives(items=items):
                return self._add(SplitPlace(tuple([self._place(item, target) for item in items])))
            case Iteration(item=item, min=least, max=most):
                return self._loop(item, least, most, target)
            case Lookaround(item=item, ahead=True, negative=negative):
                form = self._form(item)
                if form not in self._bodies:
                    self._bodies[form] = self._place(item, self.END)
                return self._add(AheadPlace(self._bodies[form], negative, target))
            case Lookaround(item=item, negative=negative):
                form = self._form(item)
                if form not in self._behind:
                    start = self._place(item, self.END)
                    self._behind[form] = len(self.trackers)
                    self.trackers.append(start)
                return self._add(BehindPlace(self._behind[form], negative, target))
        raise AssertionError("atomic groups are rewritten")

    def _form(self, node: Regex) -> int:
        """Return a number that equal nodes share. Complexity: linear in the number of new nodes."""
        form = self._node_forms.get(node)
        if form is not None:
            return form
        self._meter.charge()
        key: object
        match node:
            case CharacterClass(charset=charset):
                key = charset
            case Concat(items=items) | Alternatives(items=items):
                key = type(node), tuple([self._form(item) for item in items])
            case Iteration(item=item, min=least, max=most):
                key = "repeat", self._form(item), least, most
            case Lookaround(item=item, ahead=ahead, negative=negative):
                key = "look", self._form(item), ahead, negative
            case _:
                raise AssertionError("atomic groups are rewritten")
        return self._node_forms.set(node, self._forms.setdefault(key, len(self._forms)))

    def _loop(self, item: Regex, least: int, most: int | None, target: int) -> int:
        if most is None:
            again = self._add(SplitPlace(()))
            body = self._place(item, again)
            self.places[again] = SplitPlace((body, target))
            target = again
        else:
            exit_ = target
            for _ in range(most - least):
                target = self._add(SplitPlace((self._place(item, target), exit_)))
        for _ in range(least):
            self._meter.charge()  # an empty turn adds no place
            target = self._place(item, target)
        return target


# The estimated size of a stored thread, in bytes.
_THREAD_BYTES = 250

# The number of lookbehinds in a context that can be hashed in one step.
_HASHED_A_STEP = 10

# Literals are integers: twice the number of a language, plus 1 if it must not contain the rest.
Literals = frozenset[int]
Thread = tuple[int, Literals]
Threads = frozenset[Thread]
# For each lookbehind at a position: the sets of literals that imply the lookbehind.
Context = tuple[tuple[Literals, ...], ...]

FALSE, TRUE = 0, 1
_NONE: Literals = frozenset()
_HOLDS: tuple[Literals, ...] = (_NONE,)


class PatternLanguages:
    """The languages of a network, each created only once. All methods raise LimitExceeded.

    A language is the set of possible rests of the input after a prefix.
    """

    def __init__(self, network: PatternNetwork, meter: Meter) -> None:
        self._network = network
        self._meter = meter
        self._places = network.places
        # The empty set of threads has the empty language, and a thread at the end accepts every string.
        everything: Threads = frozenset([(PatternNetwork.END, _NONE)])
        self._threads: list[Threads] = [frozenset(), everything]
        self._numbers: dict[Threads, int] = {frozenset(): FALSE, everything: TRUE}
        self._bits: list[int] = [0, 0]
        self._closures: dict[tuple[int, Context], tuple[Thread, ...]] = {}
        self._moves: dict[tuple[int, int, Context], int] = {}

    # Languages

    def language(self, threads: Iterable[Thread]) -> int:
        """Return the number of the language of a set of threads."""
        reduced = self.least(threads)
        if (PatternNetwork.END, _NONE) in reduced:
            return TRUE
        number = self._numbers.get(reduced)
        if number is None:
            self._meter.hold(_THREAD_BYTES * (1 + len(reduced)))
            bits = 0
            for place, literals in reduced:
                read = self._places[place]
                bits |= 1 << read.number if isinstance(read, ReadPlace) else 0
                for literal in literals:
                    bits |= self._bits[literal >> 1]
            number = self._numbers[reduced] = len(self._threads)
            self._threads.append(reduced)
            self._bits.append(bits)
        return number

    def bits(self, language: int) -> int:
        """Return, as bits, the character sets that a language depends on."""
        return self._bits[language]

    def threads(self, language: int) -> Threads:
        return self._threads[language]

    def least(self, threads: Iterable[Thread]) -> Threads:
        """Return the threads without those that have more obligations than another thread at their place."""
        by_place: dict[int, set[Literals]] = {}
        for place, literals in threads:
            by_place.setdefault(place, set()).add(literals)
        result: list[Thread] = []
        for place, sets in by_place.items():
            self._meter.charge(1 + len(sets) * len(sets) // 8)
            if _NONE in sets:
                result.append((place, _NONE))
            elif len(sets) == 1:
                result += [(place, literals) for literals in sets]
            else:
                result += [(place, one) for one in sets if not any(other < one for other in sets)]
        return frozenset(result)

    def closed(self, start: int, context: Context) -> tuple[Thread, ...]:
        """Return the threads that begin at a place; each thread reads a character or is at the end."""
        memo = start, context
        self._meter.charge(len(context) // _HASHED_A_STEP)
        result = self._closures.get(memo)
        if result is not None:
            return result
        threads: dict[Thread, None] = {}
        visited: set[Thread] = set()
        stack: list[Thread] = [(start, _NONE)]
        while stack:
            thread = stack.pop()
            if thread in visited:
                continue
            visited.add(thread)
            self._meter.charge()
            place, literals = thread
            match self._places[place]:
                case SplitPlace(targets=targets):
                    stack += [(target, literals) for target in reversed(targets)]
                case AheadPlace(body=body, negative=negative, target=target):
                    ahead = self.language(self.closed(body, context))
                    more = _with(literals, ahead * 2 + negative)
                    stack += [] if more is None else [(target, more)]
                case BehindPlace(tracker=tracker, negative=negative, target=target):
                    ways = self._refuted(context[tracker]) if negative else context[tracker]
                    joined = (_joined(literals, way) for way in ways)
                    stack += [(target, each) for each in joined if each is not None]
                case _:
                    threads[thread] = None
        result = self._closures[memo] = tuple(threads)
        self._meter.hold(_THREAD_BYTES * (1 + len(threads)))
        return result

    def _refuted(self, ways: tuple[Literals, ...]) -> tuple[Literals, ...]:
        """Return the sets of literals that refute all ways; each set negates one literal of each way."""
        if not ways:
            return _HOLDS
        if _NONE in ways:
            return ()
        refutations: dict[Literals, None] = {}
        for chosen in product(*[sorted(way) for way in sorted(ways, key=sorted)]):
            self._meter.charge(1 + len(chosen))
            literals: Literals | None = _NONE
            for literal in chosen:
                literals = None if literals is None else _with(literals, literal ^ 1)
            if literals is not None:
                refutations[literals] = None
        return tuple(refutations)

    # Moves

    def moved(self, threads: Threads, mask: int, context: Context) -> list[Thread]:
        """Return the threads after a character in the sets of ``mask``; ``context`` holds after it."""
        result: list[Thread] = []
        for place, literals in threads:
            self._meter.charge()
            read = self._places[place]
            if isinstance(read, ReadPlace):
                if not mask >> read.number & 1:
                    continue
                target = self.closed(read.target, context)
            else:
                target = ((place, _NONE),)
            moved = self._moved_literals(literals, mask, context)
            if moved is None:
                continue
            if not moved:
                result += target
                continue
            for other, more in target:
                joined = _joined(moved, more)
                if joined is not None:
                    result.append((other, joined))
        self._meter.charge(len(result))
        return result

    def _moved_literals(self, literals: Literals, mask: int, context: Context) -> Literals | None:
        result: Literals | None = _NONE
        for literal in literals:
            language = self._move(literal >> 1, mask, context)
            result = None if result is None else _with(result, language * 2 + (literal & 1))
        return result

    def _move(self, language: int, mask: int, context: Context) -> int:
        """Return the language after one more character."""
        if language in (FALSE, TRUE):
            return language
        memo = language, mask & self._bits[language], context
        self._meter.charge(len(context) // _HASHED_A_STEP)
        target = self._moves.get(memo)
        if target is None:
            target = self._moves[memo] = self.language(self.moved(self._threads[language], mask, context))
            self._meter.hold(_THREAD_BYTES)
        return target

    # The end of the input

    def accepts(self, threads: Iterable[Thread]) -> bool:
        """Return whether some thread accepts at the end of the input."""
        return any(
            place == PatternNetwork.END and all(self._ends(literal) for literal in literals)
            for place, literals in threads
        )

    def _ends(self, literal: int) -> bool:
        self._meter.charge()
        return self.accepts(self._threads[literal >> 1]) is not bool(literal & 1)


def _with(literals: Literals, literal: int) -> Literals | None:
    """Add a literal; return None if the literals contradict each other."""
    language, negative = literal >> 1, literal & 1
    if language in (FALSE, TRUE):
        return literals if (language == TRUE) is not bool(negative) else None
    if literal in literals:
        return literals
    return None if literal ^ 1 in literals else literals | {literal}


def _joined(one: Literals, other: Literals) -> Literals | None:
    if not one:
        return other
    if any(literal ^ 1 in one for literal in other):
        return None
    return one | other
