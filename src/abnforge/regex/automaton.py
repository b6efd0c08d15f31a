"""Build the minimal automaton of a pattern, or walk through it state by state."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast

from abnforge.automata.dfa import Automaton, minimal
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.regex.ast import END, EVERY, Concat, Iteration, Regex
from abnforge.regex.atomic import without_atomic
from abnforge.regex.errors import out_of_stack
from abnforge.regex.network import FALSE, TRUE, Context, Languages, PatternNetwork, Threads

# Estimated bytes of a state without its row.
_BYTES = 400

# A state: a set of threads for each lookbehind, and the language of the rest.
State = tuple[tuple[Threads, ...], int]


def build(tree: Regex, how: str, meter: Meter) -> Automaton:
    """Return the minimal automaton of the strings in which a search finds a pattern.

    ``how``: as the whole (``fullmatch``), at the beginning (``match``) or anywhere (``search``). Raises
    PatternError for an unsupported atomic group, LimitExceeded. Complexity: that of the subset construction.
    """
    with _stack():
        return _automaton(PatternStates(tree, how, meter), meter)


@contextmanager
def _stack() -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise out_of_stack() from None


def _automaton(machine: PatternStates, meter: Meter) -> Automaton:
    masks = machine.masks
    numbers = {machine.start: 0}
    rows: list[list[int]] = []
    accepting: set[int] = set()
    for state in (queue := [machine.start]):
        if machine.accepts(state):
            accepting.add(len(rows))
        meter.charge(5 + len(masks) // 4)
        meter.hold(_BYTES + 8 * len(masks))
        if state[1] in (FALSE, TRUE):
            rows.append([len(rows)] * len(masks))
            continue
        bits = machine.bits(state)
        targets: dict[int, int] = {}  # by the relevant sets
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


class PatternStates:
    """The states of a pattern, made as inputs reach them.

    ``charsets`` are the classes of characters, ``masks`` the sets of the network that contain each. All
    methods raise LimitExceeded.
    """

    def __init__(self, tree: Regex, how: str, meter: Meter) -> None:
        tree = without_atomic(tree, meter)
        if how == "fullmatch":
            tree = Concat((tree, END))
        elif how == "search":
            tree = Concat((Iteration(EVERY, 0, None), tree))
        self._network = PatternNetwork(tree, meter)
        self._languages = Languages(self._network, meter)
        self.charsets = self._network.classes
        self.masks = self._network.masks
        trackers, context = self._tracked((frozenset(),) * len(self._network.trackers), None)
        start = self._languages.language(self._languages.closed(self._network.start, context))
        self.start = self._reduced(trackers, start)

    def accepts(self, state: State) -> bool:
        """Return whether a state accepts."""
        return self._languages.accepts(self._languages.threads(state[1]))

    def bits(self, state: State) -> int:
        """Return the sets of characters that the transitions of a state depend on."""
        trackers, main = state
        bits = self._languages.bits(main)
        for threads in trackers:
            bits |= self._languages.bits(self._languages.language(threads))
        return bits

    def following(self, state: State, mask: int) -> State:
        """Return the state after a character of a class, by the sets of the class."""
        before, main = state
        if main in (FALSE, TRUE):
            return state
        trackers, context = self._tracked(before, mask)
        threads = self._languages.moved(self._languages.threads(main), mask, context)
        return self._reduced(trackers, self._languages.language(threads))

    def _reduced(self, trackers: tuple[Threads, ...], main: int) -> State:
        """Return a state without the trackers that it does not depend on."""
        return ((frozenset(),) * len(trackers), main) if main in (FALSE, TRUE) else (trackers, main)

    def _tracked(self, before: tuple[Threads, ...], mask: int | None) -> tuple[tuple[Threads, ...], Context]:
        """Return the trackers and the context at the next position.

        ``mask`` is that of the character before it, None at the beginning of the input.
        """
        languages = self._languages
        after: list[Threads] = []
        context: Context = ()
        for threads, start in zip(before, self._network.trackers, strict=True):
            moved = [] if mask is None else languages.moved(threads, mask, context)
            here = languages.least([*moved, *languages.closed(start, context)])
            ways = sorted((literals for place, literals in here if place == PatternNetwork.END), key=sorted)
            context = (*context, tuple(ways))
            after.append(frozenset([each for each in here if each[0] != PatternNetwork.END]))
        return tuple(after), context


class PatternWalk:
    """A pattern as a walk (``automaton.exploration``), for automata that are too large to build.

    Raises LimitExceeded of its meter.
    """

    def __init__(self, tree: Regex, how: str, meter: Meter) -> None:
        with _stack():
            self._machine = PatternStates(tree, how, meter)
        self.charsets: Sequence[CharSet] = self._machine.charsets
        self.start: Hashable | None = self._alive(self._machine.start)
        ranges = sorted((low, n) for n, each in enumerate(self.charsets) for low, _ in each.ranges)
        self._starts = [low for low, _ in ranges]
        self._classes = [number for _, number in ranges]

    def _alive(self, state: State) -> State | None:
        return None if state[1] == FALSE else state

    def move(self, state: Hashable, char: str) -> Hashable | None:
        """Return the state after one more character, or None if no accepted string begins that way."""
        number = self._classes[bisect_right(self._starts, ord(char)) - 1]
        with _stack():
            return self._alive(self._machine.following(cast(State, state), self._machine.masks[number]))

    def accepts(self, state: Hashable) -> bool:
        """Return whether a state accepts."""
        return self._machine.accepts(cast(State, state))

    def cost(self, state: Hashable) -> tuple[int, int]:
        """Return the cost of a state; transitions are charged when they are made."""
        return 5, _BYTES
