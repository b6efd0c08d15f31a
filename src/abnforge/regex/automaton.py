"""Build the minimal automaton of a pattern, or walk through the pattern state by state.

First, ``without_atomic`` rewrites atomic groups as lookahead. An atomic group takes only the first match of
its item, in order of preference. Assertions about the following characters can express this choice:
``(?>a*b)`` is ``a*``, then ``b``, if no further ``a`` leads to a ``b``. A possessive quantifier is an atomic
group around a loop. A loop whose turns can end at several positions is not supported if more items follow it
in the same group.

Then ``network`` follows the pattern. The subset construction visits all states of the network (``build``), or
a search visits only the states that strings lead to (``PatternWalk``).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import cast

from abnforge.automata.dfa import Automaton, minimal, tabulate
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.regex.ast import (
    END,
    EPSILON,
    EVERY,
    Alternatives,
    AtomicGroup,
    CharacterClass,
    Concat,
    Iteration,
    Lookaround,
    NamedGroup,
    NodeTable,
    Regex,
    Width,
    concat,
    not_ahead,
    ordered,
    width,
)
from abnforge.regex.errors import out_of_stack, unproved
from abnforge.regex.network import FALSE, TRUE, Context, PatternLanguages, PatternNetwork, Threads

# The estimated size of a node, in bytes.
_NODE_BYTES = 300


def without_atomic(tree: Regex, meter: Meter) -> Regex:
    """Return a tree with the same language and without atomic groups.

    Raises PatternError for an unsupported group, and LimitExceeded. Complexity: linear, except that in an
    atomic group, the items after alternatives are repeated for each alternative.
    """
    return _Rewriter(meter).rewritten(tree)


class _Rewriter:
    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._widths: NodeTable[Width] = NodeTable()
        self._ends_once: NodeTable[bool] = NodeTable()  # rewritten atomic groups

    def rewritten(self, node: Regex) -> Regex:
        """Return a node without atomic groups."""
        self._meter.charge()
        match node:
            case CharacterClass():
                return node
            case Concat(items=items) | Alternatives(items=items):
                rewritten = [self.rewritten(item) for item in items]
                if all(one is other for one, other in zip(rewritten, items, strict=True)):
                    return node
                return type(node)(tuple(rewritten))
            case Iteration(item=item) | Lookaround(item=item) | NamedGroup(item=item):
                inner = self.rewritten(item)
                return node if inner is item else replace(node, item=inner)
            case AtomicGroup(item=item):
                first = self._first((self.rewritten(item),))
                self._ends_once.set(first, True)
                return first

    def _first(self, items: Sequence[Regex]) -> Regex:
        """Return a node that matches exactly the first match of consecutive items."""
        self._meter.charge(1 + len(items))
        self._meter.hold(_NODE_BYTES)
        if not items:
            return EPSILON
        head, rest = items[0], items[1:]
        if self._single(head):
            return concat((head, self._first(rest))) if rest else head
        if isinstance(head, Concat):
            return self._first((*head.items, *rest))
        if isinstance(head, Alternatives):
            return self._first_choice([(item, *rest) for item in head.items])
        assert isinstance(head, Iteration)
        if head.max == 0:
            return self._first(rest)
        if width(head.item, self._widths)[0] == 0:
            raise unproved("an atomic group with a loop that can match the empty string")
        if self._single(head.item):
            return self._first_loop(head, rest)
        return self._first_turns(head, rest)

    def _first_choice(self, ways: Sequence[Sequence[Regex]]) -> Regex:
        """Return the first match of the first way that matches."""
        self._meter.charge(len(ways) * len(ways))
        excluded = [not_ahead(*way) for way in ways[:-1]]
        return ordered(concat((*excluded[:number], self._first(way))) for number, way in enumerate(ways))

    def _first_loop(self, loop: Iteration, rest: Sequence[Regex]) -> Regex:
        """Return the first match of a loop with turns of fixed end positions, and of the items after it."""
        item, least, most = loop.item, loop.min, loop.max
        behind = self._first(rest)
        if loop.mode == "lazy":
            more = None if most is None else most - least
            further = Iteration(concat((not_ahead(*rest), item)), 0, more)
            return concat((_times(item, least, least), further, behind))
        if most is None:
            again = not_ahead(Iteration(item, 1, None), *rest) if rest else not_ahead(item)
            return concat((Iteration(item, least, None), again, behind))
        if _always(rest):
            whole = _times(item, most, most)
            if most == least:
                return concat((whole, behind))
            fewer = concat((Iteration(item, least, most - 1), not_ahead(item)))
            return concat((Alternatives((whole, fewer)), behind))
        self._meter.charge((most - least + 1) * most)
        return ordered(
            concat((_times(item, count, count), not_ahead(Iteration(item, 1, most - count), *rest), behind))
            if count < most
            else concat((_times(item, count, count), behind))
            for count in range(most, least - 1, -1)
        )

    def _first_turns(self, loop: Iteration, rest: Sequence[Regex]) -> Regex:
        """Return the first match of a loop whose turns can end at several positions, and of ``rest``."""
        item, least, most = loop.item, loop.min, loop.max
        if least > 0:
            left = Iteration(item, least - 1, None if most is None else most - 1, loop.mode)
            return self._first((item, left, *rest))
        if _always(rest):
            # The items after the loop never fail, so the engine never backtracks: each turn takes its first
            # match.
            if loop.mode == "lazy":
                return self._first(rest)
            turn = self._first((item,))
            if most is None:
                turns = concat((Iteration(turn, 0, None), not_ahead(item)))
            else:
                fewer = concat((Iteration(turn, 0, most - 1), not_ahead(item)))
                turns = Alternatives((_times(turn, most, most), fewer))
            return concat((turns, self._first(rest)))
        if most is None:
            raise unproved("an atomic group with a loop whose turns can end in several ways")
        again = (item, Iteration(item, 0, most - 1, loop.mode), *rest)
        return self._first_choice([rest, again] if loop.mode == "lazy" else [again, rest])

    def _single(self, node: Regex) -> bool:
        """Return whether all matches of a node from one position end at the same position, by its width."""
        low, high = width(node, self._widths)
        if low == high or self._ends_once.get(node):
            return True
        match node:
            case Concat(items=items):
                return all(map(self._single, items))
            case Iteration(item=item, min=least, max=most) if least == most:
                return self._single(item)
            case Alternatives(items=items) if len(items) == 1:
                return self._single(items[0])
        return False


def _times(item: Regex, least: int, most: int) -> Regex:
    return item if least == most == 1 else Iteration(item, least, most)


def _always(items: Sequence[Regex]) -> bool:
    """Return whether consecutive items match at every position, possibly with an empty match."""
    return all(map(_never_fails, items))


def _never_fails(node: Regex) -> bool:
    match node:
        case Concat(items=items):
            return all(map(_never_fails, items))
        case Alternatives(items=items):
            return any(map(_never_fails, items))
        case Iteration(item=item, min=least):
            return least == 0 or _never_fails(item)
        case _:
            return False


# The estimated size of a state without its row, in bytes.
_STATE_BYTES = 400

# A state: a set of threads for each lookbehind, and the language of the rest of the input.
State = tuple[tuple[Threads, ...], int]


def build(tree: Regex, how: str, meter: Meter) -> Automaton:
    """Return the minimal automaton of the strings that contain a match of a pattern.

    ``how`` is the place of the match: the whole string (``fullmatch``), the beginning (``match``) or anywhere
    (``search``). Raises PatternError for an unsupported atomic group, and LimitExceeded. Complexity: the cost
    of the subset construction.
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

    def row_of(state: State) -> list[State]:
        meter.charge(5 + len(masks) // 4)
        meter.hold(_STATE_BYTES + 8 * len(masks))
        if state[1] in (FALSE, TRUE):
            return [state] * len(masks)
        bits = machine.bits(state)
        targets: dict[int, State] = {}  # by the relevant sets
        for mask in masks:
            if mask & bits not in targets:
                targets[mask & bits] = machine.following(state, mask)
        return [targets[mask & bits] for mask in masks]

    states, rows = tabulate(machine.start, row_of)
    accepting = [number for number, state in enumerate(states) if machine.accepts(state)]
    meter.charge(len(rows) * len(masks))
    return minimal(rows, frozenset(accepting), machine.charsets)


class PatternStates:
    """The states of a pattern, created when inputs reach them.

    ``charsets`` contains the character classes, and ``masks`` the sets of the network that contain each
    class. All methods raise LimitExceeded.
    """

    def __init__(self, tree: Regex, how: str, meter: Meter) -> None:
        tree = without_atomic(tree, meter)
        if how == "fullmatch":
            tree = Concat((tree, END))
        elif how == "search":
            tree = Concat((Iteration(EVERY, 0, None), tree))
        self._network = PatternNetwork(tree, meter)
        self._languages = PatternLanguages(self._network, meter)
        self.charsets = self._network.classes
        self.masks = self._network.masks
        trackers, context = self._tracked((frozenset(),) * len(self._network.trackers), None)
        start = self._languages.language(self._languages.closed(self._network.start, context))
        self.start = self._reduced(trackers, start)

    def accepts(self, state: State) -> bool:
        return self._languages.accepts(self._languages.threads(state[1]))

    def bits(self, state: State) -> int:
        """Return, as bits, the character sets that the transitions of a state depend on."""
        trackers, main = state
        bits = self._languages.bits(main)
        for threads in trackers:
            bits |= self._languages.bits(self._languages.language(threads))
        return bits

    def following(self, state: State, mask: int) -> State:
        """Return the state after a character; ``mask`` contains the sets of the character's class."""
        before, main = state
        if main in (FALSE, TRUE):
            return state
        trackers, context = self._tracked(before, mask)
        threads = self._languages.moved(self._languages.threads(main), mask, context)
        return self._reduced(trackers, self._languages.language(threads))

    def _reduced(self, trackers: tuple[Threads, ...], main: int) -> State:
        """Return a state; its trackers are emptied if the state does not depend on them."""
        return ((frozenset(),) * len(trackers), main) if main in (FALSE, TRUE) else (trackers, main)

    def _tracked(self, before: tuple[Threads, ...], mask: int | None) -> tuple[tuple[Threads, ...], Context]:
        """Return the trackers and the context at the next position.

        ``mask`` belongs to the previous character; it is None at the beginning of the input.
        """
        languages = self._languages
        after: list[Threads] = []
        context: Context = ()
        for threads, start in zip(before, self._network.trackers, strict=True):
            moved = [] if mask is None else languages.moved(threads, mask, context)
            here = languages.least([*moved, *languages.closed(start, context)])
            ways = sorted((literals for place, literals in here if place == PatternNetwork.END), key=sorted)
            context = (*context, tuple(ways))
            after.append(frozenset([thread for thread in here if thread[0] != PatternNetwork.END]))
        return tuple(after), context


class PatternWalk:
    """A pattern as a ``LazyDFA`` (``automata.algebra``), for automata that are too large to build.

    Raises LimitExceeded if its meter is exceeded.
    """

    def __init__(self, tree: Regex, how: str, meter: Meter) -> None:
        with _stack():
            self._machine = PatternStates(tree, how, meter)
        self.charsets: Sequence[CharSet] = self._machine.charsets
        self.start: Hashable | None = self._alive(self._machine.start)
        ranges = sorted((low, n) for n, charset in enumerate(self.charsets) for low, _ in charset.ranges)
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
        return self._machine.accepts(cast(State, state))

    def cost(self, state: Hashable) -> tuple[int, int]:
        """Return the cost of a state; transitions are charged when they are computed."""
        return 5, _STATE_BYTES
