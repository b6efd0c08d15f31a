"""The place where parsing stops: the facts from which a rejection is explained.

The facts depend only on the grammar and the string, so they do not depend on the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile

from abnforge.automata.derivatives import Derivatives, Item, State, StateSet, StateUnion
from abnforge.charset import ANY, CharSet, union
from abnforge.errors import LimitExceeded
from abnforge.grammar.core import Ref
from abnforge.grammar.loops import Corner
from abnforge.records import dataclass
from abnforge.rejection import Expected

# The step limit for the states of an explanation; ambiguous recursion would need many more.
MAX_STATE_STEPS = 200_000


@dataclass(frozen=True, slots=True)
class Failure:
    """A string that a rule does not derive, and the point where parsing stops.

    ``offset`` is the length of the longest viable prefix; ``expected`` are the characters that can follow it,
    by rule in the grammar's order. ``may_end`` means that the rule derives the prefix. ``reached`` are the
    state sets of the viable prefixes, shortest first; if recursion exceeds the limits, there are fewer than
    ``offset + 1``.
    """

    offset: int
    expected: tuple[Expected, ...]
    may_end: bool
    reached: Sequence[StateSet]


def viable_states(derivatives: Derivatives, key: str, text: str, offset: int) -> Sequence[StateSet]:
    """Return the state sets of a string's viable prefixes, for an engine that parses without states.

    ``offset`` is the length of the longest one. For a rule that does not reach recursion, the result is that
    of the automaton engine.
    """
    facts = derivatives.facts
    if facts.recursive.isdisjoint(facts.reachable(key)):
        try:
            return derivatives.read(key, text)[: offset + 1]
        except LimitExceeded:
            pass
    reached, _ = derivatives.read_within(key, text, MAX_STATE_STEPS)
    return reached[: offset + 1]


class Expectations:
    """The expected characters in the states of one grammar, cached since many inputs end in few states."""

    def __init__(self, derivatives: Derivatives) -> None:
        self._derivatives = derivatives
        self._names = derivatives.core.names
        self._known: dict[tuple[tuple[State, ...], CharSet], tuple[Expected, ...]] = {}
        self._characters: dict[tuple[State, ...], CharSet] = {}
        self._paths: dict[tuple[tuple[State, ...], bool], tuple[str, ...]] = {}

    def of(self, states: tuple[State, ...], allowed: CharSet = ANY) -> tuple[Expected, ...]:
        """Return the characters of ``allowed`` that the innermost rules of the states read next.

        The rules are in the order of the grammar.
        """
        expectations = self._known.get((states, allowed))
        if expectations is None:
            arcs = (arc for state in states for arc in self._derivatives.arcs(state))
            terminals = ((arc.rule_path[-1], arc.charset & allowed) for arc in arcs)
            expectations = expected(((key, charset) for key, charset in terminals if charset), self._names)
            self._known[states, allowed] = expectations
        return expectations

    def characters(self, states: tuple[State, ...]) -> CharSet:
        """Return the characters that states read next."""
        charset = self._characters.get(states)
        if charset is None:
            arcs = (arc for state in states for arc in self._derivatives.arcs(state))
            charsets = {id(arc.charset): arc.charset for arc in arcs}
            charset = self._characters[states] = union(charsets.values())
        return charset

    def required(self, states: tuple[State, ...]) -> tuple[State, ...]:
        """Return the states at the first items that are not optional.

        After ``((1`` in sums, this is the state at the closing parenthesis, since no operator must follow.
        """
        result: dict[State, None] = {}
        pending: list[State | None] = list(states)
        reached = set(pending)
        for each in pending:
            state = each
            while state is not None and self._is_optional(state.item):
                if isinstance(state.item, StateUnion):
                    pending.extend(new := [other for other in state.item.states if other not in reached])
                    reached.update(new)
                    break
                state = self._derivatives.rest(state)
            else:
                if state is not None:
                    result[state] = None
        return tuple(result)

    def _is_optional(self, item: Item) -> bool:
        if isinstance(item, Corner):
            return item.is_end
        return isinstance(item, (str, StateUnion)) or self._derivatives.facts.is_nullable(item)

    def common_path(self, states: tuple[State, ...], arcs: bool = False) -> tuple[str, ...]:
        """Return the keys of the rules that are open in all states, outermost first.

        A rule that begins in a state is open. With ``arcs``, the rules are also open at all next characters.
        """
        path = self._paths.get((states, arcs))
        if path is None:
            path = self._paths[states, arcs] = self._find_path(states, arcs)
        return path

    def open_path(self, failure: Failure, arcs: bool = False) -> tuple[str, ...]:
        """Return the ``common_path`` at the offset of a failure."""
        return self.common_path(failure.reached[-1].states, arcs) if failure.reached else ()

    def _find_path(self, states: tuple[State, ...], arcs: bool) -> tuple[str, ...]:
        if not self._derivatives.facts.left_recursive:  # no state contains alternatives
            paths = {state.reading for state in states}
            if arcs:
                paths |= {arc.rule_path for state in states for arc in self._derivatives.arcs(state)}
            return common_prefix(paths)
        ends: set[State | None] = set()
        pending: list[State | None] = list(states)
        reached = set(pending)
        for state in pending:
            if state is not None and isinstance(state.item, (str, StateUnion)):
                after = {state.continuation} if isinstance(state.item, str) else {*state.item.states}
                pending.extend(after - reached)
                reached |= after
            elif state is not None and isinstance(state.item, Ref):
                ends.add(State(state.item.key, state))
            else:
                ends.add(state)
        if arcs:
            ends.update(arc.inside for state in states for arc in self._derivatives.arcs(state))
        return _common_path(State(StateUnion(ends, False), None))


def _common_path(alternatives: State) -> tuple[str, ...]:
    """Return the keys of the rules that are open in all alternatives, outermost first."""
    paths: dict[State | None, tuple[str, ...]] = {None: ()}
    pending: list[State | None] = [alternatives]
    while pending:
        inner: list[str] = []
        state = pending[-1]
        while state is not None and state not in paths and not isinstance(state.item, StateUnion):
            if isinstance(state.item, str):
                inner.append(state.item)
            state = state.continuation
        if state is not None and state not in paths and isinstance(state.item, StateUnion):
            members = state.item.states
            if unknown := [each for each in members if each not in paths]:
                pending += unknown
                continue
            paths[state] = common_prefix({paths[each] for each in members})
        paths[pending.pop()] = (*paths[state], *reversed(inner))
    return paths[alternatives]


def common_prefix(paths: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the longest common prefix of paths."""
    levels = takewhile(lambda level: len(set(level)) == 1, zip(*paths, strict=False))
    return tuple(level[0] for level in levels)


def expected(terminals: Iterable[tuple[str, CharSet]], names: Mapping[str, str]) -> tuple[Expected, ...]:
    """Merge terminals, pairs of a rule's key and a character set, by rule in the grammar's order.

    ``names`` are the rules' names by key.
    """
    sets: dict[str, CharSet] = {}
    for key, charset in terminals:
        sets[key] = sets[key] | charset if key in sets else charset
    return tuple(Expected(name, sets[key].to_class()) for key, name in names.items() if key in sets)
