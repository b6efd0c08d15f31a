"""What a pattern could still match after a prefix, as values: threads with obligations.

A *thread* is a place of the network, and what has to be so of the rest of the text besides: *literals*, each
of which says that some language has the rest, or has it not. A language is a set of threads in its turn, by
number. So lookahead anywhere, in loops and in lookahead too, is followed along with the text (alternating
automata: Chandra, Kozen and Stockmeyer 1981; obligations as sets: Miyano and Hayashi 1984). Lookbehind is
followed from the beginning of the text on, by a set of threads for each.

A set of threads in which one has fewer obligations than another at the same place needs not the other one. A
language that has every text is ``TRUE``, the empty one ``FALSE``.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from abnforge.budget import Meter
from abnforge.conformance.patterns.network import Ahead, Behind, Network, Read, Split

# Octets of a thread that is kept, an estimate.
_OCTETS = 250

# Lookbehinds of a context that are hashed in a step.
_HASHED_A_STEP = 10

# A literal: the number of a language doubled, and 1 more where it must not have the rest.
Literals = frozenset[int]
Thread = tuple[int, Literals]
Threads = frozenset[Thread]
# What is known of each lookbehind at a place: literals under any of which it holds.
Context = tuple[tuple[Literals, ...], ...]

FALSE, TRUE = 0, 1
_NONE: Literals = frozenset()
_HOLDS: tuple[Literals, ...] = (_NONE,)


class States:
    """Languages of a network, each made once. All methods raise LimitExceeded."""

    def __init__(self, network: Network, meter: Meter) -> None:
        self._network = network
        self._meter = meter
        self._places = network.places
        # The empty set of threads has no text, the thread that is at the end has every one.
        everything: Threads = frozenset([(Network.END, _NONE)])
        self._threads: list[Threads] = [frozenset(), everything]
        self._numbers: dict[Threads, int] = {frozenset(): FALSE, everything: TRUE}
        self._bits: list[int] = [0, 0]
        self._closures: dict[tuple[int, Context], tuple[Thread, ...]] = {}
        self._moves: dict[tuple[int, int, Context], int] = {}

    # Languages

    def language(self, threads: Iterable[Thread]) -> int:
        """The number of what a set of threads has: at the end every rest, as far as literals allow."""
        kept = self.least(threads)
        if (Network.END, _NONE) in kept:
            return TRUE
        found = self._numbers.get(kept)
        if found is None:
            self._meter.hold(_OCTETS * (1 + len(kept)))
            bits = 0
            for place, literals in kept:
                read = self._places[place]
                bits |= 1 << read.number if isinstance(read, Read) else 0
                for literal in literals:
                    bits |= self._bits[literal >> 1]
            found = self._numbers[kept] = len(self._threads)
            self._threads.append(kept)
            self._bits.append(bits)
        return found

    def bits(self, language: int) -> int:
        """The sets of characters that matter for a language, as bits."""
        return self._bits[language]

    def threads(self, language: int) -> Threads:
        """What a language is made of."""
        return self._threads[language]

    def least(self, threads: Iterable[Thread]) -> Threads:
        """The threads without those that have more obligations than another one at the same place."""
        by_place: dict[int, set[Literals]] = {}
        for place, literals in threads:
            by_place.setdefault(place, set()).add(literals)
        kept: list[Thread] = []
        for place, sets in by_place.items():
            self._meter.charge(1 + len(sets) * len(sets) // 8)
            if _NONE in sets:
                kept.append((place, _NONE))
            elif len(sets) == 1:
                kept += [(place, each) for each in sets]
            else:
                kept += [(place, each) for each in sets if not any(other < each for other in sets)]
        return frozenset(kept)

    def closed(self, start: int, context: Context) -> tuple[Thread, ...]:
        """The threads that begin at a place of the network: each reads a character, or is at the end."""
        memo = start, context
        self._meter.charge(len(context) // _HASHED_A_STEP)
        known = self._closures.get(memo)
        if known is not None:
            return known
        found: dict[Thread, None] = {}
        seen: set[Thread] = set()
        stack: list[Thread] = [(start, _NONE)]
        while stack:
            thread = stack.pop()
            if thread in seen:
                continue
            seen.add(thread)
            self._meter.charge()
            place, literals = thread
            match self._places[place]:
                case Split(targets=targets):
                    stack += [(target, literals) for target in reversed(targets)]
                case Ahead(body=body, negative=negative, target=target):
                    ahead = self.language(self.closed(body, context))
                    more = _with(literals, ahead * 2 + negative)
                    stack += [] if more is None else [(target, more)]
                case Behind(tracker=tracker, negative=negative, target=target):
                    ways = self._refuted(context[tracker]) if negative else context[tracker]
                    joined = (_joined(literals, way) for way in ways)
                    stack += [(target, each) for each in joined if each is not None]
                case _:
                    found[thread] = None
        result = self._closures[memo] = tuple(found)
        self._meter.hold(_OCTETS * (1 + len(found)))
        return result

    def _refuted(self, ways: tuple[Literals, ...]) -> tuple[Literals, ...]:
        """Literals under any of which none of some ways holds: one literal of each is not so."""
        if not ways:
            return _HOLDS
        if _NONE in ways:
            return ()
        found: dict[Literals, None] = {}
        for chosen in product(*[sorted(way) for way in sorted(ways, key=sorted)]):
            self._meter.charge(1 + len(chosen))
            literals: Literals | None = _NONE
            for literal in chosen:
                literals = None if literals is None else _with(literals, literal ^ 1)
            if literals is not None:
                found[literals] = None
        return tuple(found)

    # Moves

    def moved(self, threads: Threads, mask: int, context: Context) -> list[Thread]:
        """Threads after a character that is in the sets of ``mask``; ``context`` is that behind it."""
        found: list[Thread] = []
        for place, literals in threads:
            self._meter.charge()
            read = self._places[place]
            if isinstance(read, Read):
                if not mask >> read.number & 1:
                    continue
                target = self.closed(read.target, context)
            else:
                target = ((place, _NONE),)
            moved = self._moved_literals(literals, mask, context)
            if moved is None:
                continue
            if not moved:
                found += target
                continue
            for other, more in target:
                joined = _joined(moved, more)
                if joined is not None:
                    found.append((other, joined))
        self._meter.charge(len(found))
        return found

    def _moved_literals(self, literals: Literals, mask: int, context: Context) -> Literals | None:
        found: Literals | None = _NONE
        for literal in literals:
            language = self._move(literal >> 1, mask, context)
            found = None if found is None else _with(found, language * 2 + (literal & 1))
        return found

    def _move(self, language: int, mask: int, context: Context) -> int:
        """A language after a character."""
        if language in (FALSE, TRUE):
            return language
        memo = language, mask & self._bits[language], context
        self._meter.charge(len(context) // _HASHED_A_STEP)
        known = self._moves.get(memo)
        if known is None:
            known = self.language(self.moved(self._threads[language], mask, context))
            self._moves[memo] = known
            self._meter.hold(_OCTETS)
        return known

    # The end of the text

    def accepts(self, threads: Iterable[Thread]) -> bool:
        """Whether one of some threads has the empty rest."""
        return any(
            place == Network.END and all(self._ends(literal) for literal in literals)
            for place, literals in threads
        )

    def _ends(self, literal: int) -> bool:
        self._meter.charge()
        return self.accepts(self._threads[literal >> 1]) is not bool(literal & 1)


def _with(literals: Literals, literal: int) -> Literals | None:
    """Literals and one more; None where they cannot all be so."""
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
