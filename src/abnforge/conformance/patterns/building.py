"""The minimal automaton of a pattern: its states are made as prefixes lead to them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from abnforge.automaton.dfa import Automaton, minimal
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.conformance.patterns.atomic import without_atomic
from abnforge.conformance.patterns.errors import out_of_stack
from abnforge.conformance.patterns.network import Network
from abnforge.conformance.patterns.states import FALSE, TRUE, Context, States, Threads
from abnforge.conformance.patterns.tree import END, EVERY, Node, Repeat, Run

# What a state takes in octets beside its row, an estimate.
_OCTETS = 400

# A state: a set of threads for each lookbehind, and the language that is left.
State = tuple[tuple[Threads, ...], int]


def build(tree: Node, how: str, meter: Meter) -> Automaton:
    """The minimal automaton of the texts in which a pattern is found: as the whole (``fullmatch``), at the
    beginning (``match``) or anywhere (``search``).

    Raises PatternError for an atomic group that is not known to be regular here, LimitExceeded. Cost: that of
    the subset construction.
    """
    with _stack():
        return _automaton(Machine(tree, how, meter), meter)


@contextmanager
def _stack() -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise out_of_stack() from None


def _automaton(machine: Machine, meter: Meter) -> Automaton:
    masks = machine.masks
    numbers = {machine.start: 0}
    rows: list[list[int]] = []
    accepting: set[int] = set()
    for state in (queue := [machine.start]):
        if machine.accepts(state):
            accepting.add(len(rows))
        meter.charge(5 + len(masks) // 4)
        meter.hold(_OCTETS + 8 * len(masks))
        if state[1] in (FALSE, TRUE):
            rows.append([len(rows)] * len(masks))
            continue
        bits = machine.bits(state)
        targets: dict[int, int] = {}  # by the sets that matter here
        row: list[int] = []
        for mask in masks:
            key = mask & bits
            if key not in targets:
                following = machine.following(state, mask)
                if following not in numbers:
                    numbers[following] = len(queue)
                    queue.append(following)
                targets[key] = numbers[following]
            row.append(targets[key])
        rows.append(row)
    meter.charge(len(rows) * len(masks))
    return minimal(rows, frozenset(accepting), machine.charsets)


class Machine:
    """The states of a pattern as texts lead to them. ``charsets`` are the classes of characters, ``masks``
    the sets of the network that each is in.

    All methods raise LimitExceeded.
    """

    def __init__(self, tree: Node, how: str, meter: Meter) -> None:
        tree = without_atomic(tree, meter)
        if how == "fullmatch":
            tree = Run((tree, END))
        elif how == "search":
            tree = Run((Repeat(EVERY, 0, None), tree))
        self._network = Network(tree, meter)
        self._states = States(self._network, meter)
        self.charsets = self._network.classes
        self.masks = self._network.masks
        trackers, context = self._tracked((frozenset(),) * len(self._network.trackers), None)
        start = self._states.language(self._states.closed(self._network.start, context))
        self.start = self._without_needless(trackers, start)

    def accepts(self, state: State) -> bool:
        """Whether a text may end in a state."""
        return self._states.accepts(self._states.threads(state[1]))

    def bits(self, state: State) -> int:
        """The sets of characters that tell apart what follows a state."""
        trackers, main = state
        found = self._states.bits(main)
        for threads in trackers:
            found |= self._states.bits(self._states.language(threads))
        return found

    def following(self, state: State, mask: int) -> State:
        """The state after a character of a class, which is given by its sets."""
        before, main = state
        if main in (FALSE, TRUE):
            return state
        trackers, context = self._tracked(before, mask)
        threads = self._states.moved(self._states.threads(main), mask, context)
        return self._without_needless(trackers, self._states.language(threads))

    def _without_needless(self, trackers: tuple[Threads, ...], main: int) -> State:
        """What stands behind does not matter where nothing more is asked."""
        return ((frozenset(),) * len(trackers), main) if main in (FALSE, TRUE) else (trackers, main)

    def _tracked(self, before: tuple[Threads, ...], mask: int | None) -> tuple[tuple[Threads, ...], Context]:
        """The trackers at the next place, and what is known there: ``mask`` is of the character in between,
        None at the beginning of the text.
        """
        states = self._states
        after: list[Threads] = []
        context: Context = ()
        for threads, start in zip(before, self._network.trackers, strict=True):
            moved = [] if mask is None else states.moved(threads, mask, context)
            here = states.least([*moved, *states.closed(start, context)])
            ways = sorted((literals for place, literals in here if place == Network.END), key=sorted)
            context = (*context, tuple(ways))
            after.append(frozenset([each for each in here if each[0] != Network.END]))
        return tuple(after), context


class PatternWalk:
    """The same as a walk (``automaton.exploration``), for patterns whose automata are too large to be built.

    Raises LimitExceeded, by the meter that it is made with.
    """

    def __init__(self, tree: Node, how: str, meter: Meter) -> None:
        with _stack():
            self._machine = Machine(tree, how, meter)
        self.charsets: Sequence[CharSet] = self._machine.charsets
        self.start: Hashable | None = self._alive(self._machine.start)
        ranges = sorted((low, n) for n, each in enumerate(self.charsets) for low, _ in each.ranges)
        self._starts = [low for low, _ in ranges]
        self._classes = [number for _, number in ranges]

    def _alive(self, state: State) -> State | None:
        return None if state[1] == FALSE else state

    def move(self, state: Hashable, char: str) -> Hashable | None:
        """The state after one more character; None where nothing that begins so is taken."""
        number = self._classes[bisect_right(self._starts, ord(char)) - 1]
        with _stack():
            return self._alive(self._machine.following(cast(State, state), self._machine.masks[number]))

    def accepts(self, state: Hashable) -> bool:
        """Whether a text may end in a state."""
        return self._machine.accepts(cast(State, state))

    def cost(self, state: Hashable) -> tuple[int, int]:
        """A state: moves are charged as they are made."""
        return 5, _OCTETS
