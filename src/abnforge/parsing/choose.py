"""The choice among derivations: which one is preferred, and all of them in order.

The contract (RFC 3986 3.2.2 "first match wins", RFC 2396 4.3 "greedy"): among the derivations of the *whole*
string, decisions are made from left to right. The first alternative in declaration order that leads to a
derivation wins. Repetitions match as much as they can, without optional iterations that match the empty
string. A tree never has a rule below itself over the same span. So a rule that can derive exactly itself (``a
= a / "x"``) has finitely many derivations to choose from.

A parser provides all spans (``chart`` or ``lark``). The choice walks the core form once, from left to right,
and checks at each decision whether the rest can still be derived. That depends only on the offset at which a
part ends, so sets of ends decide it exactly (``chart.SpanTable``). Thus no decision leads to a dead end. For
further derivations, the open decisions are kept on a stack.

The choice takes linear time for grammars whose rules have few ends per start (all of RFC 3986), and at worst
quadratic time in the number of spans. ``CyclicRules`` adds its own cost, and every further derivation costs
the same again. The recursion depth does not depend on the nesting of the string.

*Cyclic rules.* Whether a rule can be used depends on the rules above it over the same span. So the preferred
derivation of a part is not a property of the part alone. ``CyclicRules`` therefore derives parts over spans
with a set of excluded rules. The rules that derive a span without the excluded rules are a least fixed point.
A rule is added if its body derives the span by means of the rules added before. (A smallest derivation uses a
rule at most once on a path.) So each choice is known to succeed in advance. For several derivations, the k
best of a part are combined from the k best of its own parts (Huang and Chiang 2005).

For each cyclic rule this takes at worst cubic time in the length of its span, multiplied by the number of
derivations and the number of exclusion sets. The latter can be exponential in the number of rules that derive
one another. Such rules are usually mistakes, and the linter reports them; the meter limits the cost.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from functools import cmp_to_key
from heapq import nsmallest

from abnforge._arguments import wrong_value
from abnforge.budget import Meter
from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts
from abnforge.parsing.chart import ENDS_PER_STEP, Allowed, Part, Spans, SpanTable, bits, part_key, within
from abnforge.parsing.trace import CHARACTER, END, NODE_OCTETS, Trace, trace_of

_Rules = frozenset[str]
_NONE: _Rules = frozenset()

# The memory of a table entry, in bytes.
_OCTETS = 400


class _Derivation:
    """A derivation of a part.

    ``rank`` is the decision with which it begins: the index of an alternative, or 0 for another iteration and
    1 for the end of a repetition. ``first`` and ``rest`` are the derivations of its parts; ``key`` is the key
    of the derived rule, if the part is a rule.
    """

    __slots__ = ("first", "key", "rank", "rest")

    def __init__(
        self, rank: int, first: _Derivation | None = None, rest: _Derivation | None = None, key: str = ""
    ) -> None:
        self.rank = rank
        self.first = first
        self.rest = rest
        self.key = key


_CHARACTER = _Derivation(0)
_EMPTY = _Derivation(0)
_NO_MORE = _Derivation(1)

# A part, its span, and the rules that are being derived over this span.
_Goal = tuple[Part, int, int, _Rules]

# The preferred derivations, in order.
_Least = tuple[_Derivation, ...]


class CyclicRules:
    """Find the derivations of cyclic rules in one string.

    ``limit`` is the maximum number of derivations of each part; None means all.
    """

    def __init__(self, table: SpanTable, facts: Facts, meter: Meter, limit: int | None = 1) -> None:
        self._table = table
        self._facts = facts
        self._meter = meter
        self._limit = limit
        self._known: dict[tuple[object, ...], _Least] = {}
        self._usable: dict[tuple[_Rules, int, int], set[str]] = {}

    def derive(self, key: str, start: int, allowed: Allowed) -> list[tuple[tuple[str, ...], int]]:
        """Return a rule's preferred derivations with an allowed end, as pairs of events and the end.

        The events contain a ``CHARACTER`` for each character. Raises: LimitExceeded.
        """
        derivations = [
            (derivation, start + length)
            for length in bits(within(self._table.of(Ref(key), start), start, allowed))
            for derivation in self._least((Ref(key), start, start + length, _NONE))
        ]
        return [(self._written(derivation), end) for derivation, end in self._first(derivations)]

    def _first(self, candidates: Iterable[tuple[_Derivation, int]]) -> list[tuple[_Derivation, int]]:
        """Return the preferred derivations, in order, each with its offset; at most ``limit``."""
        order = cmp_to_key(self._compared)
        if self._limit is None:
            return sorted(candidates, key=lambda candidate: order(candidate[0]))
        return nsmallest(self._limit, candidates, key=lambda candidate: order(candidate[0]))

    def _least(self, goal: _Goal) -> _Least:
        """Return the preferred derivations of a part, with a stack of generators instead of recursion."""
        work: list[tuple[tuple[object, ...], Generator[_Goal, _Least, _Least]]] = []
        result: _Least | None = None
        while True:
            part, *context = goal
            name = part_key(part), *context
            result = self._known.get(name)
            if result is None:
                self._meter.charge(3)
                work.append((name, self._derive(*goal)))
            while work:
                name, generator = work[-1]
                try:
                    goal = next(generator) if result is None else generator.send(result)
                    break
                except StopIteration as done:
                    work.pop()
                    result = self._known[name] = done.value
                    self._meter.hold(_OCTETS * len(done.value))
            else:
                assert result is not None
                return result

    def _derive(self, part: Part, start: int, end: int, inside: _Rules) -> Generator[_Goal, _Least, _Least]:
        match part:
            case Chars():
                return (_CHARACTER,)
            case Ref(key=key):
                # Rules outside a cycle do not occur again within it.
                cycle = self._facts.cycles.get(key, _NONE)
                inside = (inside | {key}) & cycle
                bodies = yield self._table.core.rules[key], start, end, inside
                return tuple(_Derivation(0, body, key=key) for body in bodies)
            case Choice(items=items):
                derivations: list[_Derivation] = []
                for rank, item in enumerate(items):
                    if len(derivations) == self._limit:
                        break
                    if self._can_derive(item, start, end, start, end, inside):
                        derivations += [
                            _Derivation(rank, derivation) for derivation in (yield item, start, end, inside)
                        ]
                return tuple(derivations[: self._limit])
            case Seq():
                return (yield (part, 0), start, end, inside)
            case (Seq(items=items) as seq, index):
                if index == len(items):
                    return (_EMPTY,)
                if index == len(items) - 1:
                    return (yield items[index], start, end, inside)
                middles = list(self._middles(items[index], (seq, index + 1), start, end, inside, start))
                return (yield from self._both(items[index], (seq, index + 1), middles, start, end, inside))
            case Repeat(item=item, max=maximum):
                minimum = self._table.minimum(part)
                if maximum != 0:
                    rest = self._table.after_iteration(part)
                    least = start + (minimum == 0)
                    middles = list(self._middles(item, rest, start, end, inside, least))
                    if middles:
                        return (yield from self._both(item, rest, middles, start, end, inside))
                return (_NO_MORE,)
        raise AssertionError(f"no derivation passes through {part!r}")

    def _both(
        self, first: Node, rest: Part, middles: list[int], start: int, end: int, inside: _Rules
    ) -> Generator[_Goal, _Least, _Least]:
        """Return the preferred derivations of two parts that meet at one of some offsets.

        No derivation of a part is a prefix of another, so a difference in the first part decides the order.
        """
        firsts: list[tuple[_Derivation, int]] = []
        for middle in middles:
            ones = yield first, start, middle, inside if middle == end else _NONE
            firsts += [(one, middle) for one in ones]
        derivations: list[_Derivation] = []
        for one, middle in self._first(firsts):
            if len(derivations) == self._limit:
                break
            others = yield rest, middle, end, inside if middle == start else _NONE
            derivations += [_Derivation(0, one, other) for other in others]
        return tuple(derivations[: self._limit])

    def _middles(
        self, first: Node, rest: Part, start: int, end: int, inside: _Rules, least: int
    ) -> Iterator[int]:
        """Return the ends of the first part, from ``least`` on, from which the rest leads to the end."""
        for length in bits(self._table.of(first, start) & (2 << end - start) - 1):
            middle = start + length
            self._meter.charge()
            if middle < least:
                continue
            if self._can_derive(first, start, middle, start, end, inside) and self._can_derive(
                rest, middle, end, start, end, inside
            ):
                yield middle

    def _can_derive(self, part: Part, start: int, end: int, begin: int, stop: int, inside: _Rules) -> bool:
        """Return whether a part derives a span.

        The span is within that from ``begin`` to ``stop``, over which the rules ``inside`` are being derived.
        """
        if not self._table.of_part(part, start) >> end - start & 1:
            return False
        if not inside or (start, end) != (begin, stop):
            return True
        return self._derives(part, start, end, self._usable_rules(inside, start, end), inside)

    def _usable_rules(self, inside: _Rules, start: int, end: int) -> set[str]:
        """Return the rules of the cycle that derive the span without the rules being derived over it."""
        key = (inside, start, end)
        usable = self._usable.get(key)
        if usable is None:
            usable = set()
            pending = sorted(self._facts.cycles[next(iter(inside))] - inside)
            while True:
                new = [
                    rule
                    for rule in pending
                    if self._table.of(Ref(rule), start) >> end - start & 1
                    and self._derives(self._table.core.rules[rule], start, end, usable, inside)
                ]
                if not new:
                    break
                usable.update(new)
                pending = [rule for rule in pending if rule not in usable]
            self._usable[key] = usable
            self._meter.hold(_OCTETS)
        return usable

    def _derives(self, part: Part, start: int, end: int, usable: set[str], inside: _Rules) -> bool:
        """Return whether a part derives the span if only some rules of the cycle may derive all of it.

        These are the ``usable`` rules. The recursion depth is the nesting of groups.
        """
        self._meter.charge()
        match part:
            case Ref(key=key):
                if key in self._facts.cycles[next(iter(inside))]:
                    return key in usable
                return bool(self._table.of(part, start) >> end - start & 1)
            case Chars() | Prose():
                return bool(self._table.of(part, start) >> end - start & 1)
            case Choice(items=items):
                return any(self._derives(item, start, end, usable, inside) for item in items)
            case Seq(items=items):
                return self._in_turn(items, start, end, usable, inside)
            case (Seq(items=items), index):
                return self._in_turn(items[index:], start, end, usable, inside)
            case Repeat():
                return self._repeats(part, start, end, usable, inside)

    def _in_turn(
        self, items: tuple[Node, ...], start: int, end: int, usable: set[str], inside: _Rules
    ) -> bool:
        places = 1
        for item in items:
            following = 0
            for length in bits(places):
                following |= self._step(item, start + length, start, end, usable, inside) << length
            places = following
        return bool(places >> end - start & 1)

    def _repeats(self, node: Repeat, start: int, end: int, usable: set[str], inside: _Rules) -> bool:
        minimum = self._table.minimum(node)
        places, count = 1, 0  # offsets relative to the start
        seen = 0
        while places and count != node.max:
            if count >= minimum:
                if places >> end - start & 1:
                    return True
                if node.max is None:
                    # All further counts are equivalent, so each offset is visited once.
                    places &= ~seen
                    seen |= places
            following = 0
            for length in bits(places):
                ends = self._step(node.item, start + length, start, end, usable, inside)
                following |= (ends if count < minimum else ends & ~1) << length
            places = following
            count += 1
        return bool(count >= minimum and places >> end - start & 1)

    def _step(self, item: Node, place: int, start: int, end: int, usable: set[str], inside: _Rules) -> int:
        """Return the ends of an item in the span; only usable rules may derive the whole span."""
        self._meter.charge()
        left = end - place
        ends = self._table.of(item, place) & (2 << left) - 1
        if place == start and ends >> left & 1 and not self._derives(item, start, end, usable, inside):
            ends ^= 1 << left
        return ends

    def _compared(self, one: _Derivation, other: _Derivation) -> int:
        """Return a negative number if ``one`` is preferred to ``other``, otherwise a positive number."""
        pairs: list[tuple[_Derivation | None, _Derivation | None]] = [(one, other)]
        while pairs:
            left, right = pairs.pop()
            if left is right or left is None or right is None:
                continue
            self._meter.charge()
            if left.rank != right.rank:
                return left.rank - right.rank
            pairs += ((left.rest, right.rest), (left.first, right.first))
        return 0

    def _written(self, derivation: _Derivation) -> tuple[str, ...]:
        """Return the events of a derivation."""
        events: list[str] = []
        continuation: list[_Derivation | None] = [derivation]
        while continuation:
            self._meter.charge()
            node = continuation.pop()
            if node is None:
                events.append(END)
                continue
            if node is _CHARACTER:
                events.append(CHARACTER)
            if node.key:
                self._meter.hold(NODE_OCTETS)
                events.append(node.key)
                continuation.append(None)
            continuation += [part for part in (node.rest, node.first) if part is not None]
        return tuple(events)


# A task is one of these:
# - a node
# - ``(seq, index)``: a sequence, starting at an item
# - ``(repeat, count, ends)``: a repetition after some iterations, with the viable ends by count from its
#   start (None: the count does not matter)
# - the key of a rule: the end of its tree node
# - a tuple of events: a part whose derivation is complete
_Task = (
    Node | str | tuple[Seq, int] | tuple[Repeat, int, tuple[int, list[int]] | None] | tuple[tuple[str, ...]]
)

# The memory of an open decision, in bytes.
_OPEN_OCTETS = 200


class Continuation:
    """A task, the offsets at which it can end, and the continuation after it."""

    __slots__ = ("allowed", "rest", "task")

    def __init__(self, task: _Task, allowed: Allowed, rest: Continuation | None) -> None:
        self.task = task
        self.allowed = allowed
        self.rest = rest


def choose(core: Core, facts: Facts, start: str, text: str, spans: Spans, meter: Meter) -> Trace:
    """Return the preferred derivation of ``text`` by the rule ``start`` (a key).

    ``spans`` must contain every non-empty span in a derivation of the whole string. Raises: ValueError if the
    string cannot be derived; LimitExceeded.
    """
    return next(derivations(SpanTable(core, facts, text, spans, meter), facts, start, len(text), meter, 1))


def derivations(
    table: SpanTable, facts: Facts, start: str, length: int, meter: Meter, limit: int | None
) -> Iterator[Trace]:
    """Return the derivations of a string by a rule, preferred first, each computed lazily.

    At most ``limit`` are returned; None returns all. Raises the same exceptions as ``choose``.
    """
    if not table.of(Ref(start), 0) >> length & 1:
        raise wrong_value("length", f"that of a string of {table.core.names[start]}", length)
    return _Chooser(table, facts, meter, limit).derivations(start, length)


class _Chooser:
    def __init__(self, table: SpanTable, facts: Facts, meter: Meter, limit: int | None) -> None:
        self._table = table
        self._facts = facts
        self._meter = meter
        self._limit = limit
        self._cyclic = CyclicRules(table, facts, meter, limit)
        self._events: list[str] = []
        self._position = 0
        # Open decisions: the alternative continuation, the position, and the number of events at that point.
        self._pending: list[tuple[Continuation | None, int, int]] = []

    def derivations(self, start: str, length: int) -> Iterator[Trace]:
        continuation: Continuation | None = Continuation(Ref(start), (length, 1), None)
        count = 0
        while True:
            while continuation is not None:
                self._meter.charge()
                continuation = self._do(continuation)
            yield trace_of(self._events)
            count += 1
            if count == self._limit or not self._pending:
                return
            continuation, self._position, happened = self._pending.pop()
            del self._events[happened:]

    def _do(self, continuation: Continuation) -> Continuation | None:
        """Perform one task; return the continuation."""
        task, allowed, rest, position = (
            continuation.task,
            continuation.allowed,
            continuation.rest,
            self._position,
        )
        match task:
            case str():
                self._events.append(END)
                return rest
            case Chars():
                self._events.append(CHARACTER)
                self._position += 1
                return rest
            case Ref(key=key) if key in self._facts.cycles:
                continuations = [
                    Continuation((events,), (end, 1), rest)
                    for events, end in self._cyclic.derive(key, position, allowed)
                ]
                self._push_alternatives(continuations[1:])
                return continuations[0]
            case (tuple() as events,):
                self._meter.charge(len(events))
                self._events += events
                self._position += events.count(CHARACTER)
                return rest
            case Ref(key=key):
                self._meter.hold(NODE_OCTETS)
                self._events.append(key)
                return Continuation(self._table.core.rules[key], allowed, Continuation(key, allowed, rest))
            case Choice(items=items):
                viable = (item for item in items if within(self._table.of(item, position), position, allowed))
                first = Continuation(next(viable), allowed, rest)
                if self._limit != 1:
                    self._push_alternatives([Continuation(item, allowed, rest) for item in viable])
                return first
            case Seq():
                return Continuation((task, 0), allowed, rest)
            case (Seq() as seq, index):
                if index == len(seq.items):
                    return rest
                if index == len(seq.items) - 1:
                    return Continuation(seq.items[index], allowed, rest)
                ends = self._table.viable_ends(seq, index, position, allowed)
                return Continuation(
                    seq.items[index], (position, ends), Continuation((seq, index + 1), allowed, rest)
                )
            case Repeat(min=0, max=None):
                return Continuation((task, 0, None), allowed, rest)
            case Repeat():
                ends_by_count = position, self._table.viable_ends_by_count(task, position, allowed)
                return Continuation((task, 0, ends_by_count), allowed, rest)
            case (Repeat() as repeat, count, ends_by_count):
                return self._iterate(repeat, count, ends_by_count, allowed, rest)
            case _:
                raise AssertionError(f"no derivation passes through {task!r}")

    def _iterate(
        self,
        repeat: Repeat,
        count: int,
        ends_by_count: tuple[int, list[int]] | None,
        allowed: Allowed,
        rest: Continuation | None,
    ) -> Continuation | None:
        """Start another iteration or end the repetition; return the continuation."""
        table, position = self._table, self._position
        mandatory = count < table.minimum(repeat)
        if ends_by_count is not None and repeat.max is None and not mandatory:
            return Continuation(table.repeat(repeat.item, 0, None), allowed, rest)
        viable_ends = 0
        item_ends = table.of(repeat.item, position)
        self._meter.charge(item_ends.bit_count() // ENDS_PER_STEP)
        for length in bits(item_ends):
            end = position + length
            if end == position and not mandatory:
                continue
            if ends_by_count is None:
                viable = within(table.of(repeat, end), end, allowed)
            else:
                start, sets = ends_by_count
                viable = sets[count + 1] >> end - start & 1 if count + 1 < len(sets) else 0
            if viable:
                viable_ends |= 1 << length
        if not viable_ends:
            return rest
        if not mandatory and within(1, position, allowed):
            self._push_alternatives([rest])
        return Continuation(
            repeat.item,
            (position, viable_ends),
            Continuation((repeat, count + 1, ends_by_count), allowed, rest),
        )

    def _push_alternatives(self, others: list[Continuation] | list[Continuation | None]) -> None:
        """Record the other options of a decision, best first."""
        if self._limit != 1:
            self._meter.hold(_OPEN_OCTETS * len(others))
            self._pending += [
                (continuation, self._position, len(self._events)) for continuation in reversed(others)
            ]
