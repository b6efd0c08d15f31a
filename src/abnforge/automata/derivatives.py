"""Compute the states of a rule as partial derivatives, and the moves between them.

A state is a linked list of items to read, with a mark at the end of each rule that has begun. States are the
partial derivatives of Antimirov (1996), over a core form with rules instead of a regular expression. The
marks name the open rules, so every state shows its place in the grammar. Nothing is expanded before an input
leads to it, so the cost of a recursive rule, or of ``999999999*ALPHA``, depends on the input.

The moves are exact: an input leads from the start to an accepting state if and only if the rule derives the
input. Left recursion (``a = a b / c``) is treated as the equivalent loop (``a = c *b``): see ``loops``.

States are interned: equal states are identical. The cost of a step is the number of states in the current
set, which is below twenty for the URI grammars. A state stores its cost, which is charged each time a string
reaches the state. So limits do not depend on the strings that were read before.

Ambiguous left recursion leads to exponentially many lists of open rules. In that case, a large set becomes
one state. All states that call a rule between the same two characters share the call, as in a
graph-structured stack (Tomita 1985). So the number of states to follow grows linearly with the position.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Union

from abnforge._arguments import wrong_value
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
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
from abnforge.grammar.loops import NONEMPTY, Corner, LeftCorners
from abnforge.records import dataclass

# The maximum number of states and of state sets to keep. A recursive grammar creates new ones for every
# input, and the memory of a pipeline must not grow with its input. The URI rules need a few hundred.
MAX_KEPT_STATES = 50_000

# If the grammar is left-recursive, a set becomes one state when it has more than MAX_APART states or more
# than MAX_FOLLOWED_APART states are followed from it.
MAX_APART, MAX_FOLLOWED_APART = 16, 400

# The cost of following one state, in budget steps.
FOLLOW_COST = 5


class StateUnion:
    """Alternative states; more states may be added while ``is_open`` is true."""

    __slots__ = ("is_open", "states")

    def __init__(self, states: Iterable[State | None], is_open: bool) -> None:
        self.states = dict.fromkeys(states)
        self.is_open = is_open

    @property
    def first(self) -> State | None:
        """The preferred state."""
        return next(iter(self.states), None)


Item = Union[Node, Corner, str, StateUnion]
"""A node, the rest of a rule after a left corner, a rule key (the end of that rule), or alternatives."""


class State:
    """The rest of a string: ``item``, then ``continuation``.

    If the item belongs to a sequence, the items after it, ``sequence.items[next_index:]``, come before the
    continuation. So the nesting depth of a state is that of the rules, regardless of the length of literals.
    ``cost`` is the cost of the state's arcs, in budget steps.
    """

    __slots__ = (
        *("_arcs", "_final", "_rule_path", "continuation", "cost", "item", "moves", "next_index", "sequence"),
    )

    def __init__(
        self, item: Item, continuation: State | None, sequence: Seq | None = None, next_index: int = 0
    ) -> None:
        self.item = item
        self.continuation = continuation
        self.sequence = sequence
        self.next_index = next_index
        self.cost = 0
        self.moves: dict[str, tuple[Arc, ...]] = {}
        self._arcs: tuple[Arc, ...] | None = None
        self._final: tuple[str, ...] | None = None
        self._rule_path: tuple[str, ...] | None = None

    def forget(self) -> None:
        """Drop the moves."""
        self.moves.clear()
        self._arcs = None
        if isinstance(self.item, StateUnion):
            self.item.states.clear()

    @property
    def rule_path(self) -> tuple[str, ...]:
        """The keys of the rules that have begun and not ended, outermost first.

        For alternatives, this is the path of the first alternative.
        """
        if self._rule_path is None:
            result: list[str] = []
            state: State | None = self
            while state is not None:
                if isinstance(state.item, StateUnion):
                    state = state.item.first
                    continue
                if isinstance(state.item, str):
                    result.append(state.item)
                state = state.continuation
            self._rule_path = tuple(reversed(result))
        return self._rule_path

    @property
    def reading(self) -> tuple[str, ...]:
        """The rule path without rules that end here, and the rule that begins here, if any."""
        state: State | None = self
        while state is not None and isinstance(state.item, (str, StateUnion)):
            state = state.continuation if isinstance(state.item, str) else state.item.first
        if state is None:
            return ()
        return (*state.rule_path, state.item.key) if isinstance(state.item, Ref) else state.rule_path


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """A move: a character of ``charset`` leads to ``target``; ``inside`` is the state directly after it.

    ``before`` lists the rules that begin (their keys) and end ("") before the character, and ``ends`` is the
    number of rules that end directly after it.
    """

    charset: CharSet
    inside: State | None
    target: State
    before: tuple[str, ...]
    ends: int

    @property
    def rule_path(self) -> tuple[str, ...]:
        """The keys of the rules that contain the character, outermost first.

        Complexity: the depth of nesting.
        """
        return self.inside.rule_path if self.inside is not None else ()


class StateSet:
    """The states that an input can lead to: one state of the deterministic automaton, built on demand.

    ``cost`` is the total cost of the states.
    """

    __slots__ = ("accepting", "cost", "moves", "states")

    def __init__(self, states: tuple[State, ...], accepting: bool, cost: int) -> None:
        self.states = states
        self.accepting = accepting
        self.cost = cost
        self.moves: dict[str, StateSet | None] = {}


class EventPaths:
    """The rules that begin and end on the paths of one closure, stored as a tree in a flat list."""

    def __init__(self) -> None:
        self._steps: list[tuple[str, int]] = [("", -1)]

    def add(self, event: str, path: int) -> int:
        """Extend a path by an event and return the new path; 0 is the path without events."""
        self._steps.append((event, path))
        return len(self._steps) - 1

    def events(self, path: int) -> tuple[str, ...]:
        """Return the events of a path in order."""
        result: list[str] = []
        while path:
            event, path = self._steps[path]
            result.append(event)
        return tuple(reversed(result))


class Derivatives:
    """The states and moves of one grammar's rules.

    Only one thread at a time may use an instance.

    Without ``marks``, states do not store the ends of rules. There are then fewer states, and finitely many
    if all recursion is right recursion. The arcs of one state, and the states of one string, may each cost up
    to ``budget``; beyond it, every method that follows states raises LimitExceeded. A search that owns the
    instance sets ``meter``, which is then charged for every new state instead.
    """

    def __init__(self, facts: Facts, marks: bool = True, budget: Budget = DEFAULT) -> None:
        self.forget()
        self._corners = LeftCorners(facts)
        self.facts = facts = self._corners.facts
        self.core = facts.core
        self.meter: Meter | None = None
        self._marks = marks
        self._budget = budget
        self._may_unite = bool(facts.left_recursive)
        self._all_productive = len(facts.productive) == len(facts.core.rules)

    def forget(self) -> None:
        """Drop all states. Earlier states must not be combined with later states."""
        self._states: dict[tuple[int | str, int] | tuple[int, int, int], State] = {}
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}
        self._sets: dict[tuple[int, ...], StateSet] = {}
        self._united: dict[tuple[int, ...], State] = {}
        self._united_states: set[State] = set()
        self._returns: list[State] = []
        self._starts: dict[str, StateSet] = {}
        self._alternatives: dict[Choice, tuple[Node, ...]] = {}

    def __del__(self) -> None:
        """Free the states one by one, starting with the deepest states.

        Each state refers to the states that enclose or follow it. Without this order, Python would free a
        chain of thousands of states recursively, which exceeds the stack of a browser.
        """
        for states in self._sets.values():
            states.moves.clear()
        self._starts.clear()
        self._sets.clear()
        for state in (*self._states.values(), *self._united.values(), *self._returns):
            state.forget()
        while self._states:
            self._states.popitem()

    @property
    def full(self) -> bool:
        """True if there are too many states to keep for the next string."""
        return len(self._states) > MAX_KEPT_STATES or len(self._sets) > MAX_KEPT_STATES

    def start(self, key: str) -> StateSet:
        """Return the set before the first character of a rule."""
        states = self._starts.get(key)
        if states is None:
            states = self._starts[key] = self._set((self._state(Ref(key), None),))
        return states

    def only(self, state: State) -> StateSet:
        """Return the set of one state."""
        return self._set((state,))

    def step(self, states: StateSet, char: str) -> StateSet | None:
        """Return the set after one more character, or None if no state can read the character."""
        try:
            return states.moves[char]
        except KeyError:
            arcs = [arc for state in states.states for arc in self.moves(state, char)]
            targets = tuple(dict.fromkeys(arc.target for arc in arcs))
            if self._may_unite and self.meter is None and self._is_large(states, targets):
                targets = (self._unite(targets),)
            cost = 0
            for target in targets:
                self.arcs(target)
                cost += target.cost
                if cost > self._budget.steps and self.meter is None:
                    self._account(target).charge(cost)
            result = states.moves[char] = self._set(targets) if targets else None
            return result

    def _is_large(self, source: StateSet, targets: tuple[State, ...]) -> bool:
        """Return whether the targets become one state: the set is one state already, or they are many."""
        if not targets or source.states[0] in self._united_states or len(targets) > MAX_APART:
            return bool(targets)
        cost = 0
        for target in targets:
            self.arcs(target)
            cost += target.cost
            if cost > FOLLOW_COST * MAX_FOLLOWED_APART:
                return True
        return False

    def read(self, key: str, text: str) -> list[StateSet]:
        """Return the set after each viable prefix of a string, the empty prefix first."""
        meter = self._budget.meter(f"parsing {self.core.names[key]}", 10 * len(text))
        result: list[StateSet] = []
        meter.charge(meter.left - self._read(key, text, meter.left, result))
        return result

    def read_within(self, key: str, text: str, steps: int) -> tuple[list[StateSet], int]:
        """Return the sets that a number of steps allows, and the steps used (all if exceeded)."""
        result: list[StateSet] = []
        steps = min(steps, self._budget.steps)
        try:
            left = self._read(key, text, steps, result)
        except LimitExceeded:
            left = 0
        return result, steps - max(0, left)

    def _read(self, key: str, text: str, left: int, result: list[StateSet]) -> int:
        """Read until ``left`` steps are used, and return the number of remaining steps.

        A string is charged for a set when it first reaches the set, even if the set already exists. The
        result contains only sets that were charged. So it does not depend on earlier strings.
        """
        current = self.start(key)
        left -= current.cost
        if left < 0:
            return left
        reached = {current}
        add = result.append
        add(current)
        moves = current.moves
        for char in text:
            try:
                target = moves[char]
            except KeyError:
                target = self.step(current, char)
            if target is not current:  # most characters lead back to the current set
                if target is None:
                    return left
                if target not in reached:
                    reached.add(target)
                    left -= target.cost
                    if left < 0:
                        return left
                current = target
                moves = current.moves
            add(current)
        return left

    def moves(self, state: State, char: str) -> tuple[Arc, ...]:
        """Return the arcs of a state that read a character."""
        arcs = state.moves.get(char)
        if arcs is None:
            arcs = self.arcs(state)
            if self.meter is not None:
                self.meter.charge(1 + len(arcs) // 8)
            arcs = state.moves[char] = tuple(arc for arc in arcs if char in arc.charset)
        return arcs

    def arcs(self, state: State) -> tuple[Arc, ...]:
        """Return the arcs of a state, alternatives in declaration order."""
        if state._arcs is None:
            self._close(state)
        assert state._arcs is not None
        return state._arcs

    def accepts(self, state: State) -> bool:
        """Return whether the input may end in a state."""
        if state._arcs is None:
            self._close(state)
        return state._final is not None

    def final(self, state: State) -> tuple[str, ...]:
        """Return the rules that begin (keys) and end ("") when the input ends in an accepting state."""
        if not self.accepts(state):
            raise wrong_value("state", "accepting", "another one")
        assert state._final is not None
        return state._final

    def _set(self, states: tuple[State, ...]) -> StateSet:
        key = tuple(map(id, states))
        result = self._sets.get(key)
        if result is None:
            accepting = [self.accepts(state) for state in states]
            cost = sum(state.cost for state in states)
            result = self._sets[key] = StateSet(states, any(accepting), cost)
        return result

    def _state(self, item: Item, continuation: State | None) -> State:
        key: tuple[int | str, int]
        if isinstance(item, str):
            key = (item, id(continuation))
        elif isinstance(item, Ref):
            key = ("<" + item.key, id(continuation))  # rule names cannot contain "<"
        else:
            key = (id(item), id(continuation))
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = State(item, continuation)
        return state

    def _items(self, sequence: Seq, index: int, continuation: State | None) -> State | None:
        """Return the state before the items of a sequence from ``index`` on, then ``continuation``."""
        items = sequence.items
        if index >= len(items) - 1:
            return self._state(items[index], continuation) if index < len(items) else continuation
        key = (id(sequence), index, id(continuation))
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = State(items[index], continuation, sequence, index + 1)
        return state

    def _unite(self, states: tuple[State, ...]) -> State:
        """Return one state that represents several states."""
        key = tuple(map(id, states))
        state = self._united.get(key)
        if state is None:
            state = self._united[key] = State(StateUnion(states, False), None)
            self._united_states.add(state)
        return state

    def _alternatives_of(self, choice: Choice) -> tuple[Node, ...]:
        """Return the alternatives of a choice, with common prefixes of literals factored out."""
        alternatives = self._alternatives.get(choice)
        if alternatives is None:
            alternatives = self._alternatives[choice] = factored(choice)
        return alternatives

    def rest(self, state: State) -> State | None:
        """Return the state after the item of a state."""
        if state.sequence is None:
            return state.continuation
        return self._items(state.sequence, state.next_index, state.continuation)

    def _repeat(self, item: Node, minimum: int, maximum: int | None) -> Repeat:
        key = (id(item), minimum, maximum)
        repeat = self._repeats.get(key)
        if repeat is None:
            repeat = self._repeats[key] = Repeat(item, minimum, maximum)
        return repeat

    def _account(self, state: State) -> Meter:
        """Return the meter for reading the next character of a string from a state."""
        key = next(iter(state.reading), None)
        rule = "a rule" if key is None else self.core.names[key]
        operation = f"parsing one more character by {rule}"
        return self._budget.meter(operation, rule=None if key is None else rule)

    def _close(self, origin: State) -> None:
        """Set the arcs of a state."""
        left = self._budget.steps if self.meter is None else self.meter.left
        most = left // FOLLOW_COST
        if self._may_unite and self.meter is None:
            is_shared = origin in self._united_states
            followed = self._follow(origin, most if is_shared else min(most, MAX_FOLLOWED_APART), is_shared)
            if followed > MAX_FOLLOWED_APART and not is_shared:
                followed += self._follow(origin, most, True)
        else:
            followed = self._follow(origin, most)
        origin.cost = cost = FOLLOW_COST * followed
        if cost > left:
            (self.meter or self._account(origin)).charge(cost)
        if self.meter is not None:
            self.meter.charge(cost)

    def _follow(self, origin: State, most: int, is_shared: bool = False) -> int:
        """Follow all items from a state that read nothing, down to characters.

        The order is depth-first, with preferred alternatives first. So the first path to a state is the
        preferred path, and arcs are in order of preference. Returns the number of states followed, which is
        more than ``most`` if some states were not followed.

        An optional iteration that can be empty is followed by a mark, ``_NOTHING``, which can be passed only
        if the iteration has read a character. Iterations that have begun since the last character are inside
        all others, so their number determines which marks cannot be passed. A state is followed once for each
        such number: the path through another iteration may lead back to the start of the iteration. That path
        is preferred to the paths after the iteration.

        With ``is_shared``, a rule is followed once, and continues with the states after all references to the
        rule. The arcs are the same, but ``before`` lacks some events, and the order may differ.
        """
        arcs: list[Arc] = []
        final: tuple[str, ...] | None = None
        factoring = 0  # alternatives that factoring replaced; each costs one step
        visited: set[tuple[State, int]] = set()
        readers: set[State] = set()  # states that read a character
        paths = EventPaths()
        # States, each with the number of iterations that have read nothing, and its path of events.
        stack: list[tuple[State | None, int, int]] = [(origin, 0, 0)]
        returns: dict[str, StateUnion] = {}  # called rule -> the states after it
        while stack:
            state, unread, path = stack.pop()
            if state is None:
                final = paths.events(path) if final is None else final
                continue
            if is_shared:
                unread = min(unread, 1)
            if (state, unread) in visited or (is_shared and unread and (state, 0) in visited):
                continue
            visited.add((state, unread))
            followed = len(visited) + factoring // FOLLOW_COST
            if followed > most:
                return followed
            item, rest = state.item, self.rest(state)
            match item:
                case StateUnion(is_open=True):
                    pass
                case StateUnion(states=states):
                    stack.extend((each, unread, path) for each in reversed(states))
                case str():
                    stack.append((rest, unread, paths.add("", path)))
                case Chars(charset=charset):
                    if state not in readers:
                        readers.add(state)
                        arcs.append(self._arc(charset, rest, paths.events(path)))
                case Ref(key=key):
                    if key in self.facts.productive:
                        if is_shared:
                            if key in self.facts.nullable and not key.endswith(NONEMPTY):
                                stack.append((rest, unread, path))
                            if key in returns:
                                returns[key].states[rest] = None
                                continue
                            returns[key] = StateUnion((rest,), True)
                            rest = State(returns[key], None)
                            self._returns.append(rest)
                        body = self._corners.body(key)
                        key = key.rstrip(NONEMPTY)
                        inside = self._state(key, rest) if self._marks else rest
                        stack.append((self._state(body, inside), unread, paths.add(key, path)))
                case Corner(goal=goal, is_end=is_end):
                    if is_end:
                        stack.append((rest, unread, path))
                    for node, corner in reversed(item.moves):
                        inside = self._state(corner, rest)
                        inner = path
                        if corner.key != goal:
                            inside = self._state(corner.key, inside) if self._marks else inside
                            inner = paths.add(corner.key, path)
                        stack.append((self._state(node, inside), unread, inner))
                case Seq() if item is _NOTHING and unread:
                    pass
                case Seq(items=items):
                    # A path through an unproductive item never leads to acceptance.
                    if self._all_productive or all(map(self.facts.is_productive, items)):
                        stack.append((self._items(item, 0, rest), unread, path))
                case Choice():
                    items = self._alternatives_of(item)
                    factoring += len(item.items) - len(items)
                    stack.extend((self._state(part, rest), unread, path) for part in reversed(items))
                case Repeat(item=repeated, min=minimum):
                    again = self._again(state, item)
                    if minimum == 0:
                        stack.append((rest, unread, path))
                        if self.facts.is_nullable(repeated):
                            again = self._state(_NOTHING, again)
                            unread += 1
                    if self._all_productive or self.facts.is_productive(repeated):
                        stack.append((self._state(repeated, again), unread, path))
                case Prose():
                    pass
        for each in returns.values():
            each.is_open = False
        origin._final = final
        origin._arcs = tuple(arcs)
        return len(visited) + factoring // FOLLOW_COST

    def _again(self, state: State, repeat: Repeat) -> State | None:
        """Return the state after one more iteration."""
        if repeat.max is None and repeat.min == 0:
            return state
        rest = self.rest(state)
        if repeat.max == 1:
            return rest
        left = None if repeat.max is None else repeat.max - 1
        minimum = repeat.min
        if minimum > MAX_EMPTY_ITERATIONS and self.facts.is_nullable(repeat.item):
            minimum = MAX_EMPTY_ITERATIONS
        return self._state(self._repeat(repeat.item, max(0, minimum - 1), left), rest)

    def _arc(self, charset: CharSet, inside: State | None, before: tuple[str, ...]) -> Arc:
        target = inside
        ends = 0
        while target is not None and (target.item is _NOTHING or isinstance(target.item, str)):
            ends += target.item is not _NOTHING
            target = target.continuation
        return Arc(charset, inside, target or self._state(_NOTHING, None), before, ends)


# The mark after an optional iteration that can be empty.
_NOTHING = Seq(())
