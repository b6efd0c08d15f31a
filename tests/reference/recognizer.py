"""The strings of a rule, and the position where a string fails: textbook Earley, for long inputs.

The module shares only the nodes and character sets of the core form with the project. The steps are those of
the textbook (Earley 1970; empty rules after Aycock and Horspool 2002; Grune and Jacobs, Parsing Techniques,
section 7.2):

1. Convert the core form to productions: a sequence of symbols for each alternative, and a new symbol for each
   choice and repetition. Omit symbols without strings, and all productions that need them. Then every started
   production can end: the set after a prefix is empty exactly if no valid string starts with it.
2. Set ``i`` has the productions that may be open after ``i`` characters, each with its dot and its possible
   start positions. The positions of a dot are the bits of a number.
3. A dot before a symbol predicts the productions of the symbol, and moves past it if it can be empty. A dot
   before characters waits for the next one. A production that started at ``k`` and ends here moves the dots
   of set ``k`` that are before its symbol.

Cost: at most quadratic in the length of the input, in operations on numbers with one bit per character. On
small grammars, 200 characters take a few milliseconds. A repetition with counts has as many symbols as its
greater count. The depth of nesting is not limited.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from abnforge.charset import CharSet
from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq

MOST_SYMBOLS = 20_000  # counts are expanded: this recognizer rejects larger grammars

Symbol = int | CharSet  # the number of a symbol with productions, or characters


@dataclass(frozen=True, slots=True)
class Reading:
    """The result for an input: its verdict, and the length of its longest viable prefix.

    ``following`` are the characters that can follow that prefix, and ``end`` is true if the prefix itself
    matches.
    """

    valid: bool
    offset: int
    following: CharSet
    end: bool


class Recognizer:
    """Recognizer for a rule. Raises ValueError if a grammar has more than MOST_SYMBOLS symbols."""

    def __init__(self, core: Core, start: str) -> None:
        productions = _Productions(core)
        self._start = productions.symbol(Ref(start))
        bodies = _productive(productions.bodies)
        self._nullable = _nullable(bodies)
        # A dot is a number. Its entry is the next symbol, characters, or None at the end.
        self._behind: list[Symbol | None] = []
        self._symbol: list[int] = []  # the production that contains the dot
        self._first: list[list[int]] = [[] for _ in bodies]  # the dots at the start of each symbol
        for symbol, alternatives in enumerate(bodies):
            for body in alternatives:
                self._first[symbol].append(len(self._behind))
                self._behind += [*body, None]
                self._symbol += [symbol] * (len(body) + 1)
        self._members: dict[tuple[int, str], bool] = {}

    def read(self, text: str) -> Reading:
        """Return the result for an input."""
        waiting: list[dict[int, dict[int, int]]] = []  # for each set: symbol, dot before it, places
        begin = 1
        moved = dict.fromkeys(self._first[self._start], begin)
        end = False
        for place in range(len(text) + 1):
            here, scanned, end = self._complete(moved, place, waiting)
            waiting.append(here)
            if place == len(text):
                break
            moved = {dot + 1: places for dot, places in scanned.items() if self._takes(dot, text[place])}
            if not moved:
                return Reading(False, place, self._union(scanned), end)
        return Reading(end, len(text), self._union(scanned), end)

    def _complete(
        self, moved: dict[int, int], place: int, waiting: list[dict[int, dict[int, int]]]
    ) -> tuple[dict[int, dict[int, int]], dict[int, int], bool]:
        """Return the set of the dots that the last character has moved.

        It has the dots before symbols, the dots before characters, and whether the start symbol ends here.
        """
        here: dict[int, dict[int, int]] = {}
        scanned: dict[int, int] = {}
        results: dict[int, int] = {}
        ended: dict[int, int] = {}
        todo = list(moved.items())
        while todo:
            dot, places = todo.pop()
            before = results.get(dot, 0)
            places &= ~before
            if not places:
                continue
            results[dot] = before | places
            behind = self._behind[dot]
            if behind is None:
                symbol = self._symbol[dot]
                # Productions that start and end here are empty, and prediction has handled them.
                fresh = places & ~ended.get(symbol, 0) & ~(1 << place)
                ended[symbol] = ended.get(symbol, 0) | places
                for origin in _bits(fresh):
                    todo += [(other + 1, since) for other, since in waiting[origin].get(symbol, {}).items()]
            elif isinstance(behind, CharSet):
                scanned[dot] = results[dot]
            else:
                if behind not in here:
                    here[behind] = {}
                    todo += [(first, 1 << place) for first in self._first[behind]]
                here[behind][dot] = results[dot]
                if behind in self._nullable:
                    todo.append((dot + 1, places))
        end = bool(ended.get(self._start, 0) & 1) or (place == 0 and self._start in self._nullable)
        return here, scanned, end

    def _takes(self, dot: int, char: str) -> bool:
        result = self._members.get((dot, char))
        if result is None:
            charset = self._behind[dot]
            result = self._members[dot, char] = isinstance(charset, CharSet) and char in charset
        return result

    def _union(self, dots: dict[int, int]) -> CharSet:
        sets = {behind for dot in dots if isinstance(behind := self._behind[dot], CharSet)}
        return CharSet.from_ranges(pair for charset in sets for pair in charset.ranges)


class _Productions:
    """The core form as productions, built on demand: the alternatives of each symbol."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._rules: dict[str, int] = {}
        self.bodies: list[list[tuple[Symbol, ...]]] = []

    def symbol(self, node: Node) -> int:
        """Return the symbol of a reference, choice, repetition or prose, for use in a sequence."""
        match node:
            case Ref(key=key):
                if key not in self._rules:
                    # Store the symbol before its body is built, since the body can refer to it.
                    self._rules[key] = symbol = self._new()
                    self.bodies[symbol] = self._alternatives(self._core.rules[key])
                return self._rules[key]
            case _:
                symbol = self._new()
                self.bodies[symbol] = self._alternatives(node)
                return symbol

    def _new(self) -> int:
        if len(self.bodies) == MOST_SYMBOLS:
            raise ValueError(f"a grammar of more than {MOST_SYMBOLS} symbols")
        self.bodies.append([])
        return len(self.bodies) - 1

    def _alternatives(self, node: Node) -> list[tuple[Symbol, ...]]:
        match node:
            case Choice(items=items):
                return [self._sequence(item) for item in items]
            case Prose():
                return []
            case Repeat(item=item, min=least, max=most):
                if least > MOST_SYMBOLS:
                    raise ValueError(f"a count of more than {MOST_SYMBOLS}")
                body = self._sequence(item)
                rest = self._any(body) if most is None else self._up_to(body, most - least)
                return [(*body * least, *rest)]
        return [self._sequence(node)]

    def _sequence(self, node: Node) -> tuple[Symbol, ...]:
        match node:
            case Chars(charset=charset):
                return (charset,)
            case Seq(items=items):
                return tuple(symbol for item in items for symbol in self._sequence(item))
        return (self.symbol(node),)

    def _any(self, body: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
        """Return a symbol for ``any = "" / any body``."""
        symbol = self._new()
        self.bodies[symbol] = [(), (symbol, *body)]
        return (symbol,)

    def _up_to(self, body: tuple[Symbol, ...], count: int) -> tuple[Symbol, ...]:
        """Return symbols for ``up-to-2 = "" / up-to-1 body`` and ``up-to-1 = "" / body``."""
        result: tuple[Symbol, ...] = ()
        for _ in range(count):
            symbol = self._new()
            self.bodies[symbol] = [(), (*result, *body)]
            result = (symbol,)
        return result


def _productive(bodies: list[list[tuple[Symbol, ...]]]) -> list[list[tuple[Symbol, ...]]]:
    """Return the productions that derive a string."""
    result: set[Symbol] = set()
    while True:
        following: set[Symbol] = {
            symbol
            for symbol, alternatives in enumerate(bodies)
            if any(all(isinstance(s, CharSet) or s in result for s in body) for body in alternatives)
        }
        if following == result:
            break
        result = following
    return [[body for body in alternatives if _all_in(body, result)] for alternatives in bodies]


def _nullable(bodies: list[list[tuple[Symbol, ...]]]) -> set[Symbol]:
    """Return the symbols that derive the empty string."""
    result: set[Symbol] = set()
    while True:
        following: set[Symbol] = {
            symbol
            for symbol, alternatives in enumerate(bodies)
            if any(all(s in result for s in body) for body in alternatives)
        }
        if following == result:
            return result
        result = following


def _all_in(body: tuple[Symbol, ...], symbols: set[Symbol]) -> bool:
    return all(isinstance(symbol, CharSet) or symbol in symbols for symbol in body)


def _bits(number: int) -> Iterator[int]:
    while number:
        low = number & -number
        yield low.bit_length() - 1
        number ^= low
