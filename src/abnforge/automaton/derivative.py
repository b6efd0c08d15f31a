"""The states of a rule as what is left to read, and the moves between them.

A state is a linked list of things still to be read, with a mark where each rule that has begun ends:
the partial derivatives of Antimirov (1996), over a core form with rules instead of a
regular expression. The marks are the point. They say which rules are being read, so a state
explains itself; and nothing is expanded before an input leads there, so a
recursive rule, or ``999999999*ALPHA``, costs what the input makes of it.

For rules that are not left-recursive the moves are exact: some input leads from the start to a state
and on to acceptance exactly if the rule derives it. Direct left recursion (``a = a b / c``) is read as the
repetition that it means (``a = c *b``); indirect left recursion is followed to a fixed depth, so that
there the states are an approximation from below.

States are interned: equal ones are identical. Cost of a step: the number of live states, which for
the URI grammars is below twenty.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from abnforge.analysis.core import Chars, Choice, Core, Node, Prose, Ref, Repeat, Seq
from abnforge.analysis.facts import Facts
from abnforge.charset import CharSet

# How often a rule may begin inside itself before a character is read. Each level covers one more
# pending operator of an indirectly left-recursive rule; more of them only cost time.
MAX_LEFT_RECURSION = 8

# Interned states and live sets are dropped between inputs beyond this many: a recursive grammar has
# new ones for every input, and a pipeline must not grow with its input. The URI rules have some hundreds.
MAX_KEPT_STATES = 50_000


class State:
    """What is left to read: ``task`` (a node, or a rule key: the end of that rule), then ``rest``."""

    __slots__ = ("_arcs", "_nullable", "_trail", "moves", "rest", "task")

    def __init__(self, task: Node | str, rest: State | None) -> None:
        self.task = task
        self.rest = rest
        self.moves: dict[str, tuple[Arc, ...]] = {}
        self._arcs: tuple[Arc, ...] | None = None
        self._nullable = False
        self._trail: tuple[str, ...] | None = None

    @property
    def trail(self) -> tuple[str, ...]:
        """The keys of the rules that have begun and not ended, outermost first."""
        if self._trail is None:
            result: list[str] = []
            state: State | None = self
            while state is not None:
                if isinstance(state.task, str):
                    result.append(state.task)
                state = state.rest
            self._trail = tuple(reversed(result))
        return self._trail

    @property
    def reading(self) -> tuple[str, ...]:
        """The trail, and the rule that is to begin here, if one is."""
        return (*self.trail, self.task.key) if isinstance(self.task, Ref) else self.trail


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """A move: one of ``charset`` is read, by the rules ``trail`` (outermost first), leading to ``target``."""

    charset: CharSet
    trail: tuple[str, ...]
    target: State


class LiveSet:
    """The states an input can have led to: one state of the deterministic automaton, built when met."""

    __slots__ = ("accepting", "moves", "states")

    def __init__(self, states: tuple[State, ...], accepting: bool) -> None:
        self.states = states
        self.accepting = accepting
        self.moves: dict[str, LiveSet | None] = {}


class Derivatives:
    """The states and moves of one grammar's rules.

    Without ``marks`` the ends of rules are not noted: states say less and are fewer, finitely many for
    a grammar that recurses to the right only.
    """

    def __init__(self, core: Core, facts: Facts, marks: bool = True) -> None:
        self.core = core
        self.facts = facts
        self._marks = marks
        self._bodies: dict[str, Node] = {}
        self.forget()

    def forget(self) -> None:
        """Drop every state. States from before must not be mixed with later ones."""
        self.generation = object()  # tells whether states are still the ones a caller knows
        self._states: dict[tuple[int | str, int], State] = {}
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}
        self._sets: dict[tuple[int, ...], LiveSet] = {}
        self._starts: dict[str, LiveSet] = {}

    def start(self, key: str) -> LiveSet:
        """The set that reading the rule starts from."""
        if len(self._states) > MAX_KEPT_STATES or len(self._sets) > MAX_KEPT_STATES:
            self.forget()
        found = self._starts.get(key)
        if found is None:
            found = self._starts[key] = self._set((self._state(Ref(key), None),))
        return found

    def step(self, live: LiveSet, char: str) -> LiveSet | None:
        """The set after one more character; None when no state can read it."""
        try:
            return live.moves[char]
        except KeyError:
            targets: dict[State, None] = {}
            for state in live.states:
                for arc in self.moves(state, char):
                    targets[arc.target] = None
            found = self._set(tuple(targets)) if targets else None
            live.moves[char] = found
            return found

    def read(self, key: str, text: str) -> list[LiveSet]:
        """Element i: the set after ``text[:i]``; as many as there are viable prefixes."""
        live: LiveSet | None = self.start(key)
        result: list[LiveSet] = []
        for char in text:
            if live is None:
                return result
            result.append(live)
            live = live.moves[char] if char in live.moves else self.step(live, char)
        if live is not None:
            result.append(live)
        return result

    def live(self, states: tuple[State, ...]) -> LiveSet:
        """The live set of given states, to read on from them."""
        return self._set(states)

    def moves(self, state: State, char: str) -> tuple[Arc, ...]:
        """The arcs of a state that read a character."""
        found = state.moves.get(char)
        if found is None:
            found = state.moves[char] = tuple(arc for arc in self.arcs(state) if char in arc.charset)
        return found

    def arcs(self, state: State) -> tuple[Arc, ...]:
        """All arcs of a state, alternatives in declaration order."""
        if state._arcs is None:
            self._close(state)
        assert state._arcs is not None
        return state._arcs

    def accepts(self, state: State) -> bool:
        """Whether the input may end here."""
        if state._arcs is None:
            self._close(state)
        return state._nullable

    def _set(self, states: tuple[State, ...]) -> LiveSet:
        key = tuple(map(id, states))
        found = self._sets.get(key)
        if found is None:
            found = self._sets[key] = LiveSet(states, any(map(self.accepts, states)))
        return found

    def _state(self, task: Node | str, rest: State | None) -> State:
        key: tuple[int | str, int]
        if isinstance(task, str):
            key = (task, id(rest))
        elif isinstance(task, Ref):
            key = ("<" + task.key, id(rest))  # "<" is in no rule name
        else:
            key = (id(task), id(rest))
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = State(task, rest)
        return found

    def _repeat(self, item: Node, minimum: int, maximum: int | None) -> Repeat:
        key = (id(item), minimum, maximum)
        found = self._repeats.get(key)
        if found is None:
            found = self._repeats[key] = Repeat(item, minimum, maximum)
        return found

    def _body(self, key: str) -> Node:
        found = self._bodies.get(key)
        if found is None:
            found = self._bodies[key] = without_left_recursion(key, self.core.rules[key])
        return found

    def _close(self, origin: State) -> None:
        """Follow everything that reads nothing from a state on, down to characters."""
        arcs: list[Arc] = []
        nullable = False
        seen: set[State] = set()
        stack: list[tuple[State | None, int]] = [(origin, 0)]  # with the left-recursive rules entered
        while stack:
            state, depth = stack.pop()
            if state is None:
                nullable = True
                continue
            if state in seen:
                continue
            seen.add(state)
            task, rest = state.task, state.rest
            match task:
                case str():
                    stack.append((rest, depth))
                case Chars(charset=charset):
                    target = rest
                    while target is not None and isinstance(target.task, str):
                        target = target.rest
                    trail = rest.trail if rest is not None else ()
                    arcs.append(Arc(charset, trail, target or self._state(_NOTHING, None)))
                case Ref(key=key):
                    depth += key in self.facts.left_recursive
                    if key in self.facts.productive and depth <= MAX_LEFT_RECURSION:
                        inside = self._state(key, rest) if self._marks else rest
                        stack.append((self._state(self._body(key), inside), depth))
                case Seq(items=items):
                    # Through what cannot derive anything no move leads to acceptance.
                    if all(map(self.facts.is_productive, items)):
                        for item in reversed(items):
                            rest = self._state(item, rest)
                        stack.append((rest, depth))
                case Choice(items=items):
                    stack.extend((self._state(item, rest), depth) for item in reversed(items))
                case Repeat(item=item, min=minimum, max=maximum):
                    if minimum == 0:
                        stack.append((rest, depth))
                    if self.facts.is_productive(item):
                        if maximum is None and minimum == 0:
                            again: State | None = state
                        elif maximum == 1:
                            again = rest
                        else:
                            left = None if maximum is None else maximum - 1
                            again = self._state(self._repeat(item, max(0, minimum - 1), left), rest)
                        stack.append((self._state(item, again), depth))
                case Prose():
                    pass
        origin._arcs = tuple(arcs)
        origin._nullable = nullable


_NOTHING = Seq(())


def without_left_recursion(key: str, body: Node) -> Node:
    """A rule's body with direct left recursion written as repetition: ``a = a b / c`` as ``c *b``.

    The same language; only the nesting of ``a`` in itself is flattened.
    """
    alternatives = body.items if isinstance(body, Choice) else (body,)
    bases: list[Node] = []
    tails: list[Node] = []
    for item in alternatives:
        if isinstance(item, Ref) and item.key == key:
            continue  # ``a = a`` adds nothing
        if (
            isinstance(item, Seq)
            and item.items
            and isinstance(item.items[0], Ref)
            and item.items[0].key == key
        ):
            tails.append(Seq(item.items[1:]))
        else:
            bases.append(item)
    if len(bases) == len(alternatives):
        return body
    base: Node = bases[0] if len(bases) == 1 else Choice(tuple(bases))
    if not tails:
        return base
    tail: Node = tails[0] if len(tails) == 1 else Choice(tuple(tails))
    return Seq((base, Repeat(tail, 0, None)))


def expected(live: Iterable[Arc]) -> Iterator[tuple[str, CharSet]]:
    """What a set of arcs reads next: each innermost rule's characters, once, in order of appearance."""
    result: dict[str, CharSet] = {}
    for arc in live:
        key = arc.trail[-1]
        result[key] = result[key] | arc.charset if key in result else arc.charset
    yield from result.items()
