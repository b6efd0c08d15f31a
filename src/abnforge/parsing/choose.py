"""Which derivation: the choice among all those of a string.

The contract (RFC 3986 3.2.2 "first match wins", RFC 2396 4.3 "greedy"): among the derivations of
the *whole* string, the first alternative in declaration order that leads to one;
repetitions take as much as they can while the rest can still be derived; decided from left to
right. An optional iteration that matches the empty string is not taken. A tree never has a rule below itself
over the same span: so a rule that derives itself and nothing else (``a = a / "x"``) has finitely many
derivations, and the choice is among these (``CyclicRules`` makes it there).

All derivations in order come the same way: wherever a decision could have been another one, that is noted,
and taken up when the derivations behind the first one have been told. No decision leads nowhere.

This module does not parse. It is told which parts of the text each rule derives (``Spans``, from
a parser that found all of them) and walks the core form once, from left to right, asking at each
decision whether the rest can still be derived. That question depends only on the place where a
part ends, so sets of ends answer it exactly (``chart.Ends``).

Cost: linear in the text for grammars whose rules have few ends per start (all of RFC 3986); at worst
quadratic in the number of spans, times what ``CyclicRules`` takes; the same again for every further
derivation. Nothing recurses with the text's nesting.

*Cyclic rules.* A rule that derives itself and nothing else (``a = a / "x"``) derives a text in infinitely
many ways. A tree never has a rule below itself over the same span, which leaves finitely many; but whether a
rule may be used depends on those above it over the same span, so what is preferred for a part is not a fact
about the part alone. Here parts are derived over given spans, under the set of rules that they must not use
there.

A rule can be derived without some others exactly if it is in the least set of rules that is closed under
deriving by one another without these: a smallest derivation uses no rule twice on a path. So each choice can
be known to succeed before it is made, and nothing is taken back.

Where more than one derivation is asked for, the least ones of a part are made of the least ones of its parts:
so that many of each are enough (as for the best readings of a sentence: Huang and Chiang 2005).

Cost: for each such rule in the text, at worst cubic in the length of what it derives, times how many are
asked for, times the sets of rules that are met, which for rules that all derive one another grow as fast as
their paths. Such grammars are mistakes, as a rule (lint finds them); the meter keeps the bill small.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from functools import cmp_to_key
from heapq import nsmallest

from abnforge._arguments import wrong_value
from abnforge.budget import Meter
from abnforge.grammar.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts
from abnforge.parsing.chart import ENDS_A_STEP, Allowed, Ends, Spans, bits, within
from abnforge.parsing.trace import CHARACTER, END, NODE_OCTETS, Trace, trace_of

_Part = Node | tuple[Seq, int]  # a node, or a sequence from an item on
_Rules = frozenset[str]
_NONE: _Rules = frozenset()

# What an entry of a table takes, in octets.
_OCTETS = 400


class _Derivation:
    """A derivation of a part. ``rank`` is the decision it begins with: the place of an alternative, or 0 for
    one more iteration and 1 for none; ``first`` and ``rest`` are its parts, ``key`` the rule that it is a
    tree of.
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

# A part, its span, and the rules that are being derived over just this span.
_Question = tuple[_Part, int, int, _Rules]

# The least derivations, in order.
_Least = tuple[_Derivation, ...]


class CyclicRules:
    """The rules of one grammar that derive themselves, in one text. ``limit`` is how many derivations of each
    part are asked for; None: all of them.
    """

    def __init__(self, ends: Ends, facts: Facts, meter: Meter, limit: int | None = 1) -> None:
        self._ends = ends
        self._facts = facts
        self._meter = meter
        self._limit = limit
        self._known: dict[tuple[object, ...], _Least] = {}
        self._usable: dict[tuple[_Rules, int, int], set[str]] = {}

    def derive(self, key: str, start: int, allowed: Allowed) -> list[tuple[tuple[str, ...], int]]:
        """The preferred derivations from the rule out of those with an allowed end: what happens, with a
        ``CHARACTER`` wherever one is read, and the end.

        Raises LimitExceeded.
        """
        found = [
            (one, start + behind)
            for behind in bits(within(self._ends.of(Ref(key), start), start, allowed))
            for one in self._least((Ref(key), start, start + behind, _NONE))
        ]
        return [(self._written(one), end) for one, end in self._first(found)]

    def _first(self, found: Iterable[tuple[_Derivation, int]]) -> list[tuple[_Derivation, int]]:
        """The least of some derivations, in order; each with a number that does not count."""
        order = cmp_to_key(self._compared)
        if self._limit is None:
            return sorted(found, key=lambda one: order(one[0]))
        return nsmallest(self._limit, found, key=lambda one: order(one[0]))

    def _least(self, question: _Question) -> _Least:
        """The preferred derivations. Generators ask for what they need, so that nothing recurses."""
        work: list[tuple[tuple[object, ...], Generator[_Question, _Least, _Least]]] = []
        answer: _Least | None = None
        while True:
            name = _name(question)
            answer = self._known.get(name)
            if answer is None:
                self._meter.charge(3)
                work.append((name, self._derive(*question)))
            while work:
                name, generator = work[-1]
                try:
                    question = next(generator) if answer is None else generator.send(answer)
                    break
                except StopIteration as done:
                    work.pop()
                    answer = self._known[name] = done.value
                    self._meter.hold(_OCTETS * len(done.value))
            else:
                assert answer is not None
                return answer

    def _derive(
        self, part: _Part, start: int, end: int, inside: _Rules
    ) -> Generator[_Question, _Least, _Least]:
        match part:
            case Chars():
                return (_CHARACTER,)
            case Ref(key=key):
                # Rules outside of a cycle are not met again inside it.
                cycle = self._facts.cycles.get(key, _NONE)
                inside = (inside | {key}) & cycle
                bodies = yield self._ends.core.rules[key], start, end, inside
                return tuple(_Derivation(0, body, key=key) for body in bodies)
            case Choice(items=items):
                found: list[_Derivation] = []
                for rank, item in enumerate(items):
                    if len(found) == self._limit:
                        break
                    if self._can(item, start, end, start, end, inside):
                        found += [_Derivation(rank, one) for one in (yield item, start, end, inside)]
                return tuple(found[: self._limit])
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
                minimum = self._ends.minimum(part)
                if maximum != 0:
                    rest = self._after_one(part, minimum)
                    least = start + (minimum == 0)
                    middles = list(self._middles(item, rest, start, end, inside, least))
                    if middles:
                        return (yield from self._both(item, rest, middles, start, end, inside))
                return (_NO_MORE,)
        raise AssertionError(f"no derivation passes through {part!r}")

    def _both(
        self, first: Node, rest: _Part, middles: list[int], start: int, end: int, inside: _Rules
    ) -> Generator[_Question, _Least, _Least]:
        """The preferred derivations of two parts that meet in one of some places.

        No derivation of a part begins another one of it, so the first part alone decides, where it differs.
        """
        firsts: list[tuple[_Derivation, int]] = []
        for middle in middles:
            ones = yield first, start, middle, inside if middle == end else _NONE
            firsts += [(one, middle) for one in ones]
        found: list[_Derivation] = []
        for one, middle in self._first(firsts):
            if len(found) == self._limit:
                break
            others = yield rest, middle, end, inside if middle == start else _NONE
            found += [_Derivation(0, one, other) for other in others]
        return tuple(found[: self._limit])

    def _middles(
        self, first: Node, rest: _Part, start: int, end: int, inside: _Rules, least: int
    ) -> Iterator[int]:
        """Where the first of two parts can end, not before ``least``, so that the rest leads to the end."""
        for behind in bits(self._ends.of(first, start) & (2 << end - start) - 1):
            middle = start + behind
            self._meter.charge()
            if middle < least:
                continue
            if self._can(first, start, middle, start, end, inside) and self._can(
                rest, middle, end, start, end, inside
            ):
                yield middle

    def _after_one(self, node: Repeat, minimum: int) -> Repeat:
        """What is left of a repetition after an iteration."""
        if minimum == 0 and node.max is None:
            return node
        maximum = None if node.max is None else node.max - 1
        return self._ends.repeat(node.item, max(0, minimum - 1), maximum)

    def _can(self, part: _Part, start: int, end: int, begin: int, stop: int, inside: _Rules) -> bool:
        """Whether a part derives a span that lies in the one from ``begin`` to ``stop``, over which the rules
        ``inside`` are being derived.
        """
        ends = self._ends.of_rest(*part, start) if isinstance(part, tuple) else self._ends.of(part, start)
        if not ends >> end - start & 1:
            return False
        if not inside or (start, end) != (begin, stop):
            return True
        return self._derives(part, start, end, self._usable_rules(inside, start, end), inside)

    def _usable_rules(self, inside: _Rules, start: int, end: int) -> set[str]:
        """The rules of the same cycles that derive the span without those that are being derived over it."""
        key = (inside, start, end)
        found = self._usable.get(key)
        if found is None:
            found = set()
            waiting = sorted(self._facts.cycles[next(iter(inside))] - inside)
            while True:
                new = [
                    rule
                    for rule in waiting
                    if self._ends.of(Ref(rule), start) >> end - start & 1
                    and self._derives(self._ends.core.rules[rule], start, end, found, inside)
                ]
                if not new:
                    break
                found.update(new)
                waiting = [rule for rule in waiting if rule not in found]
            self._usable[key] = found
            self._meter.hold(_OCTETS)
        return found

    def _derives(self, part: _Part, start: int, end: int, usable: set[str], inside: _Rules) -> bool:
        """Whether a part derives the span when, of the cycle's rules, only some may be used over all of it.

        Recurses with the nesting of groups alone.
        """
        self._meter.charge()
        match part:
            case Ref(key=key):
                if key in self._facts.cycles[next(iter(inside))]:
                    return key in usable
                return bool(self._ends.of(part, start) >> end - start & 1)
            case Chars() | Prose():
                return bool(self._ends.of(part, start) >> end - start & 1)
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
        places = 1  # so far behind the start
        for item in items:
            following = 0
            for behind in bits(places):
                following |= self._step(item, start + behind, start, end, usable, inside) << behind
            places = following
        return bool(places >> end - start & 1)

    def _repeats(self, node: Repeat, start: int, end: int, usable: set[str], inside: _Rules) -> bool:
        minimum = self._ends.minimum(node)
        places, count = 1, 0  # places so far behind the start
        seen = 0
        while places and count != node.max:
            if count >= minimum:
                if places >> end - start & 1:
                    return True
                if node.max is None:
                    # One count is as good as another: each place is looked at once.
                    places &= ~seen
                    seen |= places
            following = 0
            for behind in bits(places):
                ends = self._step(node.item, start + behind, start, end, usable, inside)
                following |= (ends if count < minimum else ends & ~1) << behind
            places = following
            count += 1
        return bool(count >= minimum and places >> end - start & 1)

    def _step(self, item: Node, place: int, start: int, end: int, usable: set[str], inside: _Rules) -> int:
        """The ends of an item inside the span; all of the span only by the rules that may be used."""
        self._meter.charge()
        left = end - place
        ends = self._ends.of(item, place) & (2 << left) - 1
        if place == start and ends >> left & 1 and not self._derives(item, start, end, usable, inside):
            ends ^= 1 << left
        return ends

    def _compared(self, one: _Derivation, other: _Derivation) -> int:
        """Below 0 if one derivation of a part is preferred to another, above 0 if the other one is."""
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
        """What happens in a derivation."""
        events: list[str] = []
        todo: list[_Derivation | None] = [derivation]
        while todo:
            self._meter.charge()
            node = todo.pop()
            if node is None:
                events.append(END)
                continue
            if node is _CHARACTER:
                events.append(CHARACTER)
            if node.key:
                self._meter.hold(NODE_OCTETS)
                events.append(node.key)
                todo.append(None)
            todo += [part for part in (node.rest, node.first) if part is not None]
        return tuple(events)


def _name(question: _Question) -> tuple[object, ...]:
    part, start, end, inside = question
    if isinstance(part, Ref):
        return part.key, start, end, inside
    if isinstance(part, tuple):
        return id(part[0]), part[1], start, end, inside
    return id(part), start, end, inside


# What is to be done: a node to derive; ``(seq, index)``, a sequence from an item on; ``(repeat, count,
# fronts)``, a repetition after so many iterations with its allowed fronts and where they start (None: any
# number of them will do); a rule key, the end of that rule's tree node; a tuple of events, a part that is
# known with all that happens in it.
_Task = (
    Node | str | tuple[Seq, int] | tuple[Repeat, int, tuple[int, list[int]] | None] | tuple[tuple[str, ...]]
)

# What an open decision takes in octets.
_OPEN_OCTETS = 200


class _Todo:
    """A task, the offsets at which it may end, and what is left to do behind it."""

    __slots__ = ("allowed", "rest", "task")

    def __init__(self, task: _Task, allowed: Allowed, rest: _Todo | None) -> None:
        self.task = task
        self.allowed = allowed
        self.rest = rest


def choose(core: Core, facts: Facts, start: str, text: str, spans: Spans, meter: Meter) -> Trace:
    """The preferred derivation of ``text`` from the rule ``start`` (a key), as the begins and ends of rules.

    ``spans`` must hold every span that takes part in a derivation of the whole text, but for empty ones.
    Raises ValueError when there is none, LimitExceeded when ``meter`` has no more to spend.
    """
    return next(derivations(Ends(core, facts, text, spans, meter), facts, start, len(text), meter, 1))


def derivations(
    ends: Ends, facts: Facts, start: str, length: int, meter: Meter, limit: int | None
) -> Iterator[Trace]:
    """The derivations of a text of some length from a rule, preferred first, each when it is asked for; no
    more than ``limit`` (None: all of them).

    Raises as ``choose`` does.
    """
    if not ends.of(Ref(start), 0) >> length & 1:
        raise wrong_value("length", f"that of a string of {ends.core.names[start]}", length)
    return _Chooser(ends, facts, meter, limit).derivations(start, length)


class _Chooser:
    def __init__(self, ends: Ends, facts: Facts, meter: Meter, limit: int | None) -> None:
        self._ends = ends
        self._facts = facts
        self._meter = meter
        self._limit = limit
        self._cyclic = CyclicRules(ends, facts, meter, limit)
        self._events: list[str] = []
        self._position = 0
        # Decisions that could have been others: what there is to do then, the position, and how many events
        # had happened.
        self._open: list[tuple[_Todo | None, int, int]] = []

    def derivations(self, start: str, length: int) -> Iterator[Trace]:
        todo: _Todo | None = _Todo(Ref(start), (length, 1), None)
        count = 0
        while True:
            while todo is not None:
                self._meter.charge()
                todo = self._do(todo)
            yield trace_of(self._events)
            count += 1
            if count == self._limit or not self._open:
                return
            todo, self._position, happened = self._open.pop()
            del self._events[happened:]

    def _do(self, todo: _Todo) -> _Todo | None:
        """Do one thing; what is left to do then."""
        task, allowed, rest, position = todo.task, todo.allowed, todo.rest, self._position
        match task:
            case str():
                self._events.append(END)
                return rest
            case Chars():
                self._events.append(CHARACTER)
                self._position += 1
                return rest
            case Ref(key=key) if key in self._facts.cycles:
                found = [
                    _Todo((events,), (end, 1), rest)
                    for events, end in self._cyclic.derive(key, position, allowed)
                ]
                self._leave_open(found[1:])
                return found[0]
            case (tuple() as events,):
                self._meter.charge(len(events))
                self._events += events
                self._position += events.count(CHARACTER)
                return rest
            case Ref(key=key):
                self._meter.hold(NODE_OCTETS)
                self._events.append(key)
                return _Todo(self._ends.core.rules[key], allowed, _Todo(key, allowed, rest))
            case Choice(items=items):
                viable = (item for item in items if within(self._ends.of(item, position), position, allowed))
                first = _Todo(next(viable), allowed, rest)
                if self._limit != 1:
                    self._leave_open([_Todo(item, allowed, rest) for item in viable])
                return first
            case Seq():
                return _Todo((task, 0), allowed, rest)
            case (Seq() as seq, index):
                if index == len(seq.items):
                    return rest
                if index == len(seq.items) - 1:
                    return _Todo(seq.items[index], allowed, rest)
                here = self._ends.that_lead_on(seq, index, position, allowed)
                return _Todo(seq.items[index], (position, here), _Todo((seq, index + 1), allowed, rest))
            case Repeat(min=0, max=None):
                return _Todo((task, 0, None), allowed, rest)
            case Repeat():
                fronts = position, self._ends.allowed_fronts(task, position, allowed)
                return _Todo((task, 0, fronts), allowed, rest)
            case (Repeat() as repeat, count, fronts):
                return self._iterate(repeat, count, fronts, allowed, rest)
            case _:
                raise AssertionError(f"no derivation passes through {task!r}")

    def _iterate(
        self,
        repeat: Repeat,
        count: int,
        fronts: tuple[int, list[int]] | None,
        allowed: Allowed,
        rest: _Todo | None,
    ) -> _Todo | None:
        """Another iteration, or none. What is left to do then."""
        ends, position = self._ends, self._position
        mandatory = count < ends.minimum(repeat)
        if fronts is not None and repeat.max is None and not mandatory:
            return _Todo(ends.repeat(repeat.item, 0, None), allowed, rest)
        here = 0
        found = ends.of(repeat.item, position)
        self._meter.charge(found.bit_count() // ENDS_A_STEP)
        for behind in bits(found):
            end = position + behind
            if end == position and not mandatory:
                continue
            if fronts is None:
                viable = within(ends.of(repeat, end), end, allowed)
            else:
                start, sets = fronts
                viable = sets[count + 1] >> end - start & 1 if count + 1 < len(sets) else 0
            if viable:
                here |= 1 << behind
        if not here:
            return rest
        if not mandatory and within(1, position, allowed):
            self._leave_open([rest])
        return _Todo(repeat.item, (position, here), _Todo((repeat, count + 1, fronts), allowed, rest))

    def _leave_open(self, others: list[_Todo] | list[_Todo | None]) -> None:
        """Note what else could be done here, best first."""
        if self._limit != 1:
            self._meter.hold(_OPEN_OCTETS * len(others))
            self._open += [(todo, self._position, len(self._events)) for todo in reversed(others)]
