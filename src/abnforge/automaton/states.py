"""States, arcs and sets of states: what reading by derivatives leads to."""

from __future__ import annotations

from abnforge.charset import CharSet
from abnforge.grammar.core import Node, Ref, Seq
from abnforge.records import dataclass


class State:
    """What is left to read: ``task`` (a node, or a rule key: the end of that rule), then ``rest``.

    If the task is one of the items of a sequence, those behind it, ``sequence.items[following:]``, come
    before ``rest``: so a state nests as deep as rules do, however long a literal is. ``cost`` is what finding
    out what it reads next took, in steps of the budget.
    """

    __slots__ = ("_arcs", "_final", "_rule_path", "cost", "following", "moves", "rest", "sequence", "task")

    def __init__(
        self, task: Node | str, rest: State | None, sequence: Seq | None = None, following: int = 0
    ) -> None:
        self.task = task
        self.rest = rest
        self.sequence = sequence
        self.following = following
        self.cost = 0
        self.moves: dict[str, tuple[Arc, ...]] = {}
        self._arcs: tuple[Arc, ...] | None = None
        self._final: tuple[str, ...] | None = None
        self._rule_path: tuple[str, ...] | None = None

    def forget(self) -> None:
        """Drop what is known of the moves."""
        self.moves.clear()
        self._arcs = None

    @property
    def rule_path(self) -> tuple[str, ...]:
        """The keys of the rules that have begun and not ended, outermost first."""
        if self._rule_path is None:
            result: list[str] = []
            state: State | None = self
            while state is not None:
                if isinstance(state.task, str):
                    result.append(state.task)
                state = state.rest
            self._rule_path = tuple(reversed(result))
        return self._rule_path

    @property
    def reading(self) -> tuple[str, ...]:
        """The rule path, and the rule that is to begin here, if one is."""
        return (*self.rule_path, self.task.key) if isinstance(self.task, Ref) else self.rule_path


@dataclass(frozen=True, slots=True, eq=False)
class Arc:
    """A move: one of ``charset`` is read, leading to ``target``. ``inside`` is what is left behind the
    character.

    ``before`` are the rules that begin (their keys) and end ("") on the way to the character, ``ends``
    is how many end right behind it.
    """

    charset: CharSet
    inside: State | None
    target: State
    before: tuple[str, ...]
    ends: int

    @property
    def rule_path(self) -> tuple[str, ...]:
        """The keys of the rules that read the character, outermost first. Cost: the depth of nesting."""
        return self.inside.rule_path if self.inside is not None else ()


class LiveSet:
    """The states an input can have led to: one state of the deterministic automaton, built when met.

    ``cost`` is that of its states together.
    """

    __slots__ = ("accepting", "cost", "moves", "states")

    def __init__(self, states: tuple[State, ...], accepting: bool, cost: int) -> None:
        self.states = states
        self.accepting = accepting
        self.cost = cost
        self.moves: dict[str, LiveSet | None] = {}


class Ways:
    """The rules begun and ended on the ways of one closure: a tree in a list, so that no way nests."""

    def __init__(self) -> None:
        self._steps: list[tuple[str, int]] = [("", -1)]

    def add(self, event: str, way: int) -> int:
        """A way with one more event; 0 is the way without any."""
        self._steps.append((event, way))
        return len(self._steps) - 1

    def events(self, way: int) -> tuple[str, ...]:
        """The events of a way in order."""
        result: list[str] = []
        while way:
            event, way = self._steps[way]
            result.append(event)
        return tuple(reversed(result))
