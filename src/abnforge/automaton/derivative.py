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
the URI grammars is below twenty. What a state costs is known to it, and is charged again whenever it is
met, so that whether an answer is found within a limit does not depend on what was asked before.
"""

from __future__ import annotations

from abnforge.arguments import wrong_value
from abnforge.automaton.states import Arc, LiveSet, State, Ways
from abnforge.budget import DEFAULT, Budget, Meter
from abnforge.charset import CharSet
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import (
    MAX_EMPTY_ITERATIONS,
    Chars,
    Choice,
    Core,
    Node,
    Prose,
    Ref,
    Repeat,
    Seq,
    factored,
    without_left_recursion,
)
from abnforge.grammar.facts import Facts

# How often left-recursive rules may begin inside one another before a character is read. Each level covers
# one more pending operator; more of them only cost time. Where rules are so tangled that a state would lead
# to more than MAX_CLOSURE others, a smaller number is taken.
LEFT_RECURSION_LEVELS = (8, 2, 1)
MAX_CLOSURE = 100

# Interned states and live sets are worth keeping up to this many: a recursive grammar has new ones for every
# input, and a pipeline must not grow with its input. The URI rules have some hundreds.
MAX_KEPT_STATES = 50_000

# What following one state costs, in steps of the budget.
FOLLOW_COST = 5


class Derivatives:
    """The states and moves of one grammar's rules.

    Not for several threads at once: whoever reads has them alone until the answer is known.

    Without ``marks`` the ends of rules are not noted: states say less and are fewer, finitely many for
    a grammar that recurses to the right only. What one state reads next, and reading one text, may cost
    ``budget``; every method that follows states raises LimitExceeded beyond it. A search that has the states
    for itself sets ``meter``: then it pays for every new state instead.
    """

    def __init__(self, core: Core, facts: Facts, marks: bool = True, budget: Budget = DEFAULT) -> None:
        self.forget()
        self.core = core
        self.facts = facts
        self.meter: Meter | None = None
        self._marks = marks
        self._budget = budget
        self._bodies = {key: without_left_recursion(key, node) for key, node in core.rules.items()}
        self._all_productive = len(facts.productive) == len(core.rules)
        self._left_recursive: frozenset[str] = frozenset()
        if facts.recursive:
            self._left_recursive = Facts(Core(self._bodies, core.names)).left_recursive

    def forget(self) -> None:
        """Drop every state. States from before must not be mixed with later ones."""
        self._states: dict[tuple[int | str, int] | tuple[int, int, int], State] = {}
        self._repeats: dict[tuple[int, int, int | None], Repeat] = {}
        self._sets: dict[tuple[int, ...], LiveSet] = {}
        self._starts: dict[str, LiveSet] = {}
        self._alternatives: dict[Choice, tuple[Node, ...]] = {}

    def __del__(self) -> None:
        """Free the states one by one, those with the most below them first: each holds the ones around it and
        those that follow it. Freed as they come, a chain of thousands takes as many frames of the
        interpreter's own stack, and that of a browser ends there.
        """
        for live in self._sets.values():
            live.moves.clear()
        self._starts.clear()
        self._sets.clear()
        for state in self._states.values():
            state.forget()
        while self._states:
            self._states.popitem()

    @property
    def full(self) -> bool:
        """Whether there are more states than are worth keeping for what is read next."""
        return len(self._states) > MAX_KEPT_STATES or len(self._sets) > MAX_KEPT_STATES

    def start(self, key: str) -> LiveSet:
        """The set that reading the rule starts from."""
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
            cost = 0
            for state in live.states:
                for arc in self.moves(state, char):
                    if arc.target not in targets:
                        targets[arc.target] = None
                        self.arcs(arc.target)
                        cost += arc.target.cost
                        if cost > self._budget.steps and self.meter is None:
                            self._account(state).charge(cost)
            found = self._set(tuple(targets)) if targets else None
            live.moves[char] = found
            return found

    def read(self, key: str, text: str) -> list[LiveSet]:
        """Element i: the set after ``text[:i]``; as many as there are viable prefixes."""
        meter = self._budget.meter(f"parsing {self.core.names[key]}", 10 * len(text))
        result: list[LiveSet] = []
        meter.charge(meter.left - self._read(key, text, meter.left, result))
        return result

    def read_within(self, key: str, text: str, steps: int) -> tuple[list[LiveSet], int]:
        """The same as far as so many steps lead, and the steps used: all of them if they did not suffice."""
        result: list[LiveSet] = []
        steps = min(steps, self._budget.steps)
        try:
            left = self._read(key, text, steps, result)
        except LimitExceeded:
            left = 0
        return result, steps - max(0, left)

    def _read(self, key: str, text: str, left: int, result: list[LiveSet]) -> int:
        """Read until ``left`` is used up. Each set counts when the text first leads to it, known or not, and
        is a result only if it was paid for: so the end does not depend on what was read before.
        """
        live = self.start(key)
        left -= live.cost
        if left < 0:
            return left
        met = {live}
        add = result.append
        add(live)
        moves = live.moves
        for char in text:
            try:
                following = moves[char]
            except KeyError:
                following = self.step(live, char)
            if following is not live:  # most characters lead back to where they are read
                if following is None:
                    return left
                if following not in met:
                    met.add(following)
                    left -= following.cost
                    if left < 0:
                        return left
                live = following
                moves = live.moves
            add(live)
        return left

    def live(self, states: tuple[State, ...]) -> LiveSet:
        """The live set of given states, to read on from them."""
        return self._set(states)

    def moves(self, state: State, char: str) -> tuple[Arc, ...]:
        """The arcs of a state that read a character."""
        found = state.moves.get(char)
        if found is None:
            arcs = self.arcs(state)
            if self.meter is not None:
                self.meter.charge(1 + len(arcs) // 8)
            found = state.moves[char] = tuple(arc for arc in arcs if char in arc.charset)
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
        return state._final is not None

    def final(self, state: State) -> tuple[str, ...]:
        """The rules that begin (their keys) and end ("") when the input ends in a state that accepts."""
        if not self.accepts(state):
            raise wrong_value("state", "accepting", "another one")
        assert state._final is not None
        return state._final

    def _set(self, states: tuple[State, ...]) -> LiveSet:
        key = tuple(map(id, states))
        found = self._sets.get(key)
        if found is None:
            accepting = [self.accepts(state) for state in states]
            cost = sum(state.cost for state in states)
            found = self._sets[key] = LiveSet(states, any(accepting), cost)
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

    def _items(self, sequence: Seq, index: int, rest: State | None) -> State | None:
        """The items of a sequence from one on, then ``rest``."""
        items = sequence.items
        if index >= len(items) - 1:
            return self._state(items[index], rest) if index < len(items) else rest
        key = (id(sequence), index, id(rest))
        found = self._states.get(key)
        if found is None:
            found = self._states[key] = State(items[index], rest, sequence, index + 1)
        return found

    def _items_of(self, choice: Choice) -> tuple[Node, ...]:
        """The alternatives of a choice, with literals that begin alike brought together."""
        found = self._alternatives.get(choice)
        if found is None:
            found = self._alternatives[choice] = factored(choice)
        return found

    def _rest(self, state: State) -> State | None:
        """What is left to read behind a state's task."""
        return (
            state.rest if state.sequence is None else self._items(state.sequence, state.following, state.rest)
        )

    def _repeat(self, item: Node, minimum: int, maximum: int | None) -> Repeat:
        key = (id(item), minimum, maximum)
        found = self._repeats.get(key)
        if found is None:
            found = self._repeats[key] = Repeat(item, minimum, maximum)
        return found

    def _account(self, state: State) -> Meter:
        """What working out the next character of a text costs, from a state on."""
        key = next(iter(state.reading), None)
        rule = "a rule" if key is None else self.core.names[key]
        operation = f"parsing one more character by {rule}"
        return self._budget.meter(operation, rule=None if key is None else rule)

    def _close(self, origin: State) -> None:
        """Fill in a state's arcs."""
        left = self._budget.steps if self.meter is None else self.meter.left
        cost = 0
        for levels in LEFT_RECURSION_LEVELS:
            followed = self._follow(origin, levels, (left - cost) // FOLLOW_COST)
            cost += FOLLOW_COST * abs(followed)
            if followed >= 0 or cost > left:
                break
        origin.cost = cost
        if cost > left:
            (self.meter or self._account(origin)).charge(cost)
        if self.meter is not None:
            self.meter.charge(cost)

    def _follow(self, origin: State, levels: int, most: int) -> int:
        """Follow everything that reads nothing from a state on, down to characters.

        Depth first, preferred ways first: so the first way to a state is the preferred one, and arcs come in
        the order of preference. Gives the number of states followed; a negative one when there would be more
        than ``most``, or so many that fewer levels of left recursion should do.

        Behind an optional iteration that can be empty stands a mark, ``_NOTHING``, which is passed only when
        something was read in the iteration. Iterations begun since the last character are inside all others,
        so the number of them says which marks cannot be passed. A state is followed once with each such
        number: the way through another iteration may lead back to where it left, and is preferred to what
        would be tried there next.
        """
        arcs: list[Arc] = []
        final: tuple[str, ...] | None = None
        deepest = 0
        factoring = 0  # alternatives that need not be followed, but were looked at: a step each
        seen: set[tuple[State, int]] = set()
        read: set[State] = set()  # those that read a character
        ways = Ways()
        # With the number of left-recursive rules entered, that of iterations in which nothing was read, and
        # the rules begun and ended on the way.
        stack: list[tuple[State | None, int, int, int]] = [(origin, 0, 0, 0)]
        while stack:
            state, depth, unread, way = stack.pop()
            if state is None:
                final = ways.events(way) if final is None else final
                continue
            if (state, unread) in seen:
                continue
            seen.add((state, unread))
            followed = len(seen) + factoring // FOLLOW_COST
            if followed > most:
                return -followed
            deepest = max(deepest, depth)
            if len(seen) > MAX_CLOSURE and deepest > 1 and levels > LEFT_RECURSION_LEVELS[-1]:
                return -len(seen)
            task, rest = state.task, self._rest(state)
            match task:
                case str():
                    stack.append((rest, depth, unread, ways.add("", way)))
                case Chars(charset=charset):
                    if state not in read:
                        read.add(state)
                        arcs.append(self._arc(charset, rest, ways.events(way)))
                case Ref(key=key):
                    depth += key in self._left_recursive
                    if key in self.facts.productive and depth <= levels:
                        inside = self._state(key, rest) if self._marks else rest
                        begun = ways.add(key, way)
                        stack.append((self._state(self._bodies[key], inside), depth, unread, begun))
                case Seq() if task is _NOTHING and unread:
                    pass
                case Seq(items=items):
                    # Through what cannot derive anything no move leads to acceptance.
                    if self._all_productive or all(map(self.facts.is_productive, items)):
                        stack.append((self._items(task, 0, rest), depth, unread, way))
                case Choice():
                    items = self._items_of(task)
                    factoring += len(task.items) - len(items)
                    stack.extend((self._state(item, rest), depth, unread, way) for item in reversed(items))
                case Repeat(item=item, min=minimum):
                    again = self._again(state, task)
                    if minimum == 0:
                        stack.append((rest, depth, unread, way))
                        if self.facts.is_nullable(item):
                            again = self._state(_NOTHING, again)
                            unread += 1
                    if self._all_productive or self.facts.is_productive(item):
                        stack.append((self._state(item, again), depth, unread, way))
                case Prose():
                    pass
        origin._final = final
        origin._arcs = tuple(arcs)
        return len(seen) + factoring // FOLLOW_COST

    def _again(self, state: State, task: Repeat) -> State | None:
        """What is left to read after one more iteration."""
        if task.max is None and task.min == 0:
            return state
        rest = self._rest(state)
        if task.max == 1:
            return rest
        left = None if task.max is None else task.max - 1
        minimum = task.min
        if minimum > MAX_EMPTY_ITERATIONS and self.facts.is_nullable(task.item):
            minimum = MAX_EMPTY_ITERATIONS
        return self._state(self._repeat(task.item, max(0, minimum - 1), left), rest)

    def _arc(self, charset: CharSet, rest: State | None, before: tuple[str, ...]) -> Arc:
        inside = rest
        ends = 0
        while rest is not None and (rest.task is _NOTHING or isinstance(rest.task, str)):
            ends += rest.task is not _NOTHING
            rest = rest.rest
        return Arc(charset, inside, rest or self._state(_NOTHING, None), before, ends)


_NOTHING = Seq(())
