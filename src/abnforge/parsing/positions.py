"""Positions in a grammar: the unread rest of one call, and its next steps in order of preference.

A position is a linked list of tasks, with a marker where each inlined rule ends. Positions are partial
derivatives (Antimirov 1996), like the states of an automaton. *Called* rules are not inlined; the list ends
where the call ends. Only rules that recursion requires are called, so a grammar has finitely many positions.

The *closure* of a position contains the possible next steps: read a character, call a rule or end the call.
Each step records the begins and ends of rules on its path. The steps are in the contract's order of
preference. The search for them is depth-first: it tries alternatives in order, and another iteration before
the end of a repetition. The order does not depend on the following input. If two paths reach a position, the
first path is kept, since the future is the same.

A nullable called rule is both called and skipped. The skip comes after the rule's steps that are preferred to
ending (``before_end`` in its closure) and before its other steps.

A closure takes linear time in the visited parts of the grammar, limited by MAX_CLOSURE. The computation
recurses through nullable rules that begin with nullable rules (``Frames`` limits the nesting).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from abnforge.automata.derivatives import EventPaths
from abnforge.charset import CharSet
from abnforge.grammar.core import (
    MAX_EMPTY_ITERATIONS,
    Chars,
    Choice,
    Node,
    Prose,
    Ref,
    Repeat,
    Seq,
    factored,
)
from abnforge.grammar.facts import Facts
from abnforge.parsing.trace import CALL, END, RETURN, TOO_WIDE, TransducerError

# The maximum number of positions that one closure visits, and an allowance for each rule of the grammar, so
# that a choice among all rules is supported.
MAX_CLOSURE = 4_000
CLOSURE_PER_RULE = 4

# The cost of visiting a position, in steps.
FOLLOW_COST = 3

Events = tuple[str, ...]


class Read:
    """A step that reads a character of a set, after some events; ``rest`` is the position after it.

    ``alternative`` is ``rest`` as an alternative of a frame, without a nested frame.
    """

    __slots__ = ("alternative", "charset", "events", "rest")

    def __init__(self, charset: CharSet, events: Events, rest: GrammarPosition | None) -> None:
        self.charset = charset
        self.events = events
        self.rest = rest
        self.alternative = rest, None


class Call:
    """A step that calls a rule; ``after_end`` selects the steps that are less preferred than ending."""

    __slots__ = ("after_end", "events", "key", "rest")

    def __init__(self, key: str, events: Events, rest: GrammarPosition | None, after_end: bool) -> None:
        self.key = key
        self.events = events
        self.rest = rest
        self.after_end = after_end


class NextSteps(dict[str, tuple[Read | Call, ...]]):
    """Steps in order; the dict maps a character to the steps that read it or call a rule."""

    __slots__ = ("steps",)

    def __init__(self, steps: tuple[Read | Call, ...]) -> None:
        super().__init__()
        self.steps = steps

    def __missing__(self, char: str) -> tuple[Read | Call, ...]:
        steps = tuple(step for step in self.steps if isinstance(step, Call) or char in step.charset)
        self[char] = steps
        return steps


class Closure:
    """The steps at a position.

    ``final`` are the events up to the end of the call, or None if the call cannot end here. Steps in
    ``before_end`` are preferred to the end, those in ``after_end`` are not. ``ambiguous`` means that two
    paths lead to the same position. ``size`` is the number of steps, ``cost`` the work to find them.
    """

    __slots__ = ("after_end", "ambiguous", "before_end", "cost", "final", "size")

    contents = ()

    def __init__(
        self, steps: list[Read | Call], final: Events | None, end_index: int, ambiguous: bool, cost: int
    ) -> None:
        self.before_end = NextSteps(tuple(steps[:end_index]))
        self.after_end = NextSteps(tuple(steps[end_index:]))
        self.final = final
        self.size = len(steps)
        self.ambiguous = ambiguous
        self.cost = cost


class GrammarPosition:
    """A task, then ``rest``: a node (a sequence from ``index``), or a rule's key for its end."""

    __slots__ = ("closure", "index", "rest", "task")

    def __init__(self, task: Node | str, index: int, rest: GrammarPosition | None) -> None:
        self.task = task
        self.index = index
        self.rest = rest
        self.closure: Closure | None = None


class GrammarPositions:
    """The positions of one grammar.

    ``facts`` describe its rules as parsed; ``marks`` maps empty nodes in them to events; ``called`` are the
    rules that are called.
    """

    def __init__(self, facts: Facts, marks: Mapping[Node, str], called: frozenset[str]) -> None:
        self._facts = facts
        self._bodies = facts.core.rules
        self._marks = marks
        self._max_closure = MAX_CLOSURE + CLOSURE_PER_RULE * len(facts.core.rules)
        self._called = called
        self._known: dict[tuple[int | str, int, int], GrammarPosition] = {}
        self._is_nullable = cache(facts.is_nullable)
        self._is_productive = cache(facts.is_productive)
        self._items_of = cache(factored)
        self._repeat = cache(Repeat)
        self._all_productive = not marks and len(facts.productive) == len(facts.core.rules)
        self._events: dict[Events, Events] = {}

    @property
    def size(self) -> int:
        return len(self._known)

    def forget(self) -> None:
        self._known.clear()
        self._repeat.cache_clear()
        self._events.clear()
        self._items_of.cache_clear()

    def start(self, key: str) -> GrammarPosition:
        """Return the position at the start of a rule's strings."""
        return self._position(Ref(key), None)

    def entry(self, key: str) -> GrammarPosition:
        """Return the position at the start of a called rule."""
        return self._position(self._bodies[key], None)

    def closure(self, position: GrammarPosition | None) -> Closure:
        """Return the closure of a position.

        Raises: TransducerError beyond MAX_CLOSURE and CLOSURE_PER_RULE.
        """
        if position is None:
            return _END
        if position.closure is None:
            position.closure = self._follow(position)
        return position.closure

    def _follow(self, origin: GrammarPosition) -> Closure:
        steps: list[Read | Call] = []
        final: Events | None = None
        end_index = 0
        ambiguous = False
        factoring = 0  # alternatives that are only factored; each costs one step
        paths = EventPaths()
        productive, all_productive = self._facts.productive, self._all_productive
        seen: set[tuple[GrammarPosition, int]] = set()
        reading: set[GrammarPosition] = set()
        # The number counts the iterations that have not read a character yet. They are nested in all others,
        # so their markers are the first ones on the path, and cannot be passed.
        stack: list[tuple[GrammarPosition | Call | None, int, int]] = [(origin, 0, 0)]
        while stack:
            position, unread, event_path = stack.pop()
            if position is None:
                if final is None:
                    final, end_index = self._shared(paths.events(event_path)), len(steps)
                else:
                    ambiguous = True
                continue
            if isinstance(position, Call):
                steps.append(position)
                continue
            task, rest = position.task, position.rest
            if task is _READ_SOMETHING and unread:
                continue
            if (position, unread) in seen:
                ambiguous = True
                continue
            seen.add((position, unread))
            if len(seen) > self._max_closure:
                raise TransducerError(TOO_WIDE)
            match task:
                case str():
                    stack.append((rest, unread, paths.add(END, event_path)))
                case Ref(key=key):
                    if key not in productive:
                        continue
                    if key not in self._called:
                        inside = self._position(self._bodies[key], self._position(key, rest))
                        stack.append((inside, unread, paths.add(key, event_path)))
                        continue
                    if _is_end(rest):
                        # A tail call: only ends of rules follow, which the return implies.
                        stack.append((self.entry(key), unread, paths.add(key, event_path)))
                        continue
                    event_path = paths.add(key, paths.add(CALL, event_path))
                    is_new = position not in reading
                    if is_new:
                        reading.add(position)
                        steps.append(Call(key, self._shared(paths.events(event_path)), rest, False))
                    else:
                        ambiguous = True
                    if key in self._facts.nullable:
                        if is_new:
                            after_end = Call(key, self._shared(paths.events(event_path)), rest, True)
                            stack.append((after_end, unread, event_path))
                        empty = self.closure(self.entry(key))
                        assert empty.final is not None
                        ambiguous = ambiguous or empty.ambiguous
                        for event in (*empty.final, RETURN):
                            event_path = paths.add(event, event_path)
                        stack.append((rest, unread, event_path))
                case Chars(charset=charset):
                    if position in reading:
                        ambiguous = True
                    else:
                        reading.add(position)
                        steps.append(Read(charset, self._shared(paths.events(event_path)), rest))
                case Seq(items=items):
                    if position.index == len(items):
                        if task in self._marks:
                            event_path = paths.add(self._marks[task], event_path)
                        stack.append((rest, unread, event_path))
                    elif position.index or all_productive or self._is_productive(task):
                        last = position.index == len(items) - 1
                        following = rest if last else self._position(task, rest, position.index + 1)
                        stack.append((self._position(items[position.index], following), unread, event_path))
                case Choice():
                    items = self._items_of(task)
                    factoring += len(task.items) - len(items)
                    stack += [(self._position(item, rest), unread, event_path) for item in reversed(items)]
                case Repeat(item=item, min=minimum):
                    again = self._after_iteration(position, task)
                    if minimum == 0:
                        stack.append((rest, unread, event_path))
                        if self._is_nullable(item):
                            again = self._position(_READ_SOMETHING, again)
                            unread += 1
                    if all_productive or self._is_productive(item):
                        stack.append((self._position(item, again), unread, event_path))
                case Prose():
                    pass
        end_index = len(steps) if final is None else end_index
        return Closure(steps, final, end_index, ambiguous, FOLLOW_COST * len(seen) + factoring)

    def _after_iteration(self, position: GrammarPosition, task: Repeat) -> GrammarPosition | None:
        if task.max is None and task.min == 0:
            return position
        if task.max == 1:
            return position.rest
        maximum = None if task.max is None else task.max - 1
        minimum = task.min
        if minimum > MAX_EMPTY_ITERATIONS and self._is_nullable(task.item):
            minimum = MAX_EMPTY_ITERATIONS
        return self._position(self._repeat(task.item, max(0, minimum - 1), maximum), position.rest)

    def _position(self, task: Node | str, rest: GrammarPosition | None, index: int = 0) -> GrammarPosition:
        # "<" is not part of a rule's name.
        name = task if type(task) is str else "<" + task.key if type(task) is Ref else id(task)
        key = (name, index, id(rest))
        position = self._known.get(key)
        if position is None:
            position = self._known[key] = GrammarPosition(task, index, rest)
        return position

    def _shared(self, events: Events) -> Events:
        return self._events.setdefault(events, events)


def _is_end(position: GrammarPosition | None) -> bool:
    """Return whether only ends of rules follow at a position."""
    while position is not None and isinstance(position.task, str):
        position = position.rest
    return position is None


# The marker after an optional iteration that can be empty; only an iteration that read a character passes.
_READ_SOMETHING = Seq(())

# The closure at the end of a call.
_END = Closure([], (), 0, False, 0)
