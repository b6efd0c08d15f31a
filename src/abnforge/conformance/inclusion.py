"""Whether a regular language has all that a rule derives, where the rule recurses.

Context-free languages are closed under intersection with regular ones (Bar-Hillel, Perles and Shamir 1961),
and whether one is empty is decidable: so it can be told whether a rule derives anything that a pattern does
not take, and which string is a shortest one. A part of the rule leads from one state of the complement to
another; shorter texts are found first (Knuth, "A generalization of Dijkstra's algorithm", 1977). The other
way round it is undecidable.
"""

from __future__ import annotations

from heapq import heappop, heappush

from abnforge.automata.algebra import preference
from abnforge.automata.dfa import DEAD, Automaton
from abnforge.budget import Meter
from abnforge.charset import CharSet
from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq

# Octets that a part between two states takes, an estimate.
_OCTETS = 400


class _Grammar:
    """The rules that one needs as productions of up to two symbols. Symbols are numbers."""

    def __init__(self, core: Core, key: str, meter: Meter) -> None:
        self._meter = meter
        self.size = 0
        self.empty: list[int] = []
        self.chars: dict[int, CharSet] = {}
        self.single: dict[int, list[int]] = {}  # of each symbol, what it alone makes
        self.first: dict[int, list[tuple[int, int]]] = {}  # what it makes, and with what behind it
        self.second: dict[int, list[tuple[int, int]]] = {}  # the same, and with what before it
        self._rules: dict[str, int] = {}
        waiting = [key]
        self.start = self._rules[key] = self._new()
        for name in waiting:
            before = len(self._rules)
            self._make(core.rules[name], self._rules[name])
            waiting += list(self._rules)[before:]

    def _new(self) -> int:
        self._meter.charge()
        self.size += 1
        return self.size - 1

    def _symbol(self, node: Node) -> int:
        if isinstance(node, Ref):
            if node.key not in self._rules:
                self._rules[node.key] = self._new()
            return self._rules[node.key]
        made = self._new()
        self._make(node, made)
        return made

    def _make(self, node: Node, made: int) -> None:
        match node:
            case Chars(charset=charset):
                self.chars[made] = charset
            case Seq(items=items):
                self._row([self._symbol(item) for item in items], made)
            case Choice(items=items):
                for item in items:
                    self._one(self._symbol(item), made)
            case Ref():
                self._one(self._symbol(node), made)
            case Repeat(item=item, min=least, max=most):
                turn = self._symbol(item)
                if most is None:
                    more = self._new()
                    self.empty.append(more)
                    self._two(turn, more, more)
                    self._row([turn] * least + [more], made)
                else:
                    more = self._new()
                    self.empty.append(more)
                    for _ in range(most - least):
                        longer = self._new()
                        self.empty.append(longer)
                        self._two(turn, more, longer)
                        more = longer
                    self._row([turn] * least + [more], made)
            case Prose():
                raise AssertionError("prose is rejected before")

    def _row(self, symbols: list[int], made: int) -> None:
        if not symbols:
            self.empty.append(made)
            return
        last = symbols[-1]
        for symbol in reversed(symbols[1:-1]):
            both = self._new()
            self._two(symbol, last, both)
            last = both
        if len(symbols) == 1:
            self._one(last, made)
        else:
            self._two(symbols[0], last, made)

    def _one(self, symbol: int, made: int) -> None:
        self.single.setdefault(symbol, []).append(made)

    def _two(self, one: int, other: int, made: int) -> None:
        self._meter.charge()
        self.first.setdefault(one, []).append((made, other))
        self.second.setdefault(other, []).append((made, one))


# A part of a text: a symbol, and the states before and behind it.
_Part = tuple[int, int, int]
# What it is made of: a character, or parts.
_Making = str | tuple[_Part, ...]


def shortest_outside(core: Core, key: str, automaton: Automaton, meter: Meter) -> str | None:
    """A shortest string that a rule derives and an automaton does not accept; None where there is none.

    Raises LimitExceeded. Cost: the productions times the third power of the states, at the most.
    """
    grammar = _Grammar(core, key, meter)
    width = automaton.width
    states = [*range(0, len(automaton.table), width), DEAD]
    found: dict[_Part, _Making] = {}
    ends: dict[tuple[int, int], list[int]] = {}  # of a symbol and a state before it, the states behind
    begins: dict[tuple[int, int], list[int]] = {}
    queue: list[tuple[int, tuple[int, ...], int, _Part, _Making]] = []
    lengths: dict[_Part, int] = {}
    count = 0

    def add(length: int, part: _Part, making: _Making, rank: int = 0) -> None:
        nonlocal count
        meter.charge(2)
        if part in found or lengths.get(part, length + 1) <= length:
            return
        lengths[part] = length
        meter.hold(_OCTETS)
        count += 1
        heappush(queue, (length, (rank,), count, part, making))

    for symbol in grammar.empty:
        for state in states:
            add(0, (symbol, state, state), ())
    for symbol, charset in grammar.chars.items():
        best: dict[int, tuple[int, str]] = {}
        for number, block in enumerate(automaton.charsets):
            if shared := charset & block:
                best[number] = preference(shared)
        for state in states:
            for number, (rank, char) in sorted(best.items(), key=lambda pair: pair[1]):
                target = DEAD if state == DEAD else automaton.table[state + number]
                add(1, (symbol, state, target), char, rank)
    start = 0 if automaton.table else DEAD
    while queue:
        length, _, _, part, making = heappop(queue)
        if part in found:
            continue
        found[part] = making
        symbol, before, behind = part
        if symbol == grammar.start and before == start and behind not in automaton.accepting:
            return _text(part, found)
        ends.setdefault((symbol, before), []).append(behind)
        begins.setdefault((symbol, behind), []).append(before)
        for made in grammar.single.get(symbol, ()):
            add(length, (made, before, behind), (part,))
        for made, other in grammar.first.get(symbol, ()):
            for end in tuple(ends.get((other, behind), ())):
                right = other, behind, end
                add(length + lengths[right], (made, before, end), (part, right))
        for made, other in grammar.second.get(symbol, ()):
            for begin in tuple(begins.get((other, before), ())):
                left = other, begin, before
                add(lengths[left] + length, (made, begin, behind), (left, part))
    return None


def _text(part: _Part, found: dict[_Part, _Making]) -> str:
    chars: list[str] = []
    stack = [part]
    while stack:
        making = found[stack.pop()]
        if isinstance(making, str):
            chars.append(making)
        else:
            stack.extend(reversed(making))
    return "".join(chars)
