"""Which derivation: the choice among all those of a string.

The contract (RFC 3986 3.2.2 "first match wins", RFC 2396 4.3 "greedy"): among the derivations of
the *whole* string, the first alternative in declaration order that leads to one;
repetitions take as much as they can while the rest can still be derived; decided from left to
right. An optional iteration that matches the empty string is not taken. A tree never has a rule below itself
over the same span: so a rule that derives itself and nothing else (``a = a / "x"``) has finitely many
derivations, and the choice is among these (``cyclic`` makes it there).

All derivations in order come the same way: wherever a decision could have been another one, that is noted,
and taken up when the derivations behind the first one have been told. No decision leads nowhere.

This module does not parse. It is told which parts of the text each rule derives (``Spans``, from
a parser that found all of them) and walks the core form once, from left to right, asking at each
decision whether the rest can still be derived. That question depends only on the place where a
part ends, so sets of ends answer it exactly (``ends``).

Cost: linear in the text for grammars whose rules have few ends per start (all of RFC 3986); at worst
quadratic in the number of spans, times what ``cyclic`` takes; the same again for every further derivation.
Nothing recurses with the text's nesting.
"""

from __future__ import annotations

from collections.abc import Iterator

from abnforge._arguments import wrong_value
from abnforge.budget import Meter
from abnforge.engine.lanes.cyclic import CyclicRules
from abnforge.engine.lanes.ends import ENDS_A_STEP, Allowed, Ends, Spans, bits, within
from abnforge.grammar.core import Chars, Choice, Core, Node, Ref, Repeat, Seq
from abnforge.grammar.facts import Facts
from abnforge.transducer.trace import CHARACTER, END, NODE_OCTETS, Trace, trace_of

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
