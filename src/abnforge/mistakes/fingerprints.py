"""What sets of states are known by in every process: sums over the names of what is left to read.

A state is named by its task, what it has done of that, and the state behind it; a task by the body that it
is in and its place there. Two sets with one fingerprint have the same moves, but for an accident that nobody
will see: fingerprints have 62 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from abnforge.analysis.core_form import EPSILON, Choice, Node, Ref, Repeat, Seq
from abnforge.mistakes.events import END, SLOT_END, CatchAll
from abnforge.mistakes.states import Closing, State, States, Task

_BITS, _PRIME = (1 << 62) - 1, (1 << 61) - 1
_FACTOR = 0x2545F4914F6CDD1D  # of a generator of random numbers (Vigna 2014)


class Fingerprints:
    """The fingerprints of sets of some states."""

    def __init__(self, states: States) -> None:
        self._states = states
        self.forget()

    def of(self, members: Iterable[tuple[State | None, int]]) -> str:
        """The fingerprint of members. Cost: linear; states that are new are named."""
        total = 5
        for state, weight in members:
            total = _mixed(total, self._state(state), weight)
        return f"{total:x}"

    def forget(self) -> None:
        """Drop the names of states, and of tasks, which may be made anew with them."""
        self._tasks: dict[int, int] = {id(EPSILON): 1, id(END): 2, id(SLOT_END): 3}
        self._known: dict[State | None, int] = {None: 4}
        self._named = -1  # the number of bodies when all of them were named

    def _state(self, state: State | None) -> int:
        known = self._known
        chain: list[State] = []
        while state not in known:
            assert state is not None
            chain.append(state)
            state = state.rest
        name = known[state]
        for each in reversed(chain):
            name = known[each] = _mixed(name, self._task(each.task), each.index)
        return name

    def _task(self, task: Task) -> int:
        found = self._tasks.get(id(task))
        if found is None:
            if not isinstance(task, Closing | CatchAll):
                self._name_bodies()
                found = self._tasks.get(id(task))
            if found is None:
                found = self._tasks[id(task)] = self._made(task)
        return found

    def _name_bodies(self) -> None:
        """Name the nodes of all bodies; those that several share have the name of the first."""
        augmented = self._states.augmented
        if self._named == augmented.made:
            return
        self._named = augmented.made
        rules = (*augmented.bound.core.rules.items(), *augmented.bound.marked.items())
        for name, body in (*((f"rule {key}", body) for key, body in rules), *augmented.bodies()):
            if id(body) not in self._tasks:
                self._name(name, body)

    def _name(self, name: str, body: Node) -> None:
        for number, node in enumerate(_nodes(body)):
            self._tasks.setdefault(id(node), _named(f"{name} {number}"))

    def _made(self, task: Task) -> int:
        """The name of what is made while states are followed."""
        match task:
            case Closing(place=place):
                return _named(f"closing {place.key} {len(place.of)} {place.catch_all}")
            case CatchAll(key=key):
                return _named(f"anything {key}")
            case Ref(key=key):
                return _named(f"reference {key}")
            case Repeat(item=item, min=low, max=high):
                return _mixed(self._task(item), low + 6, -1 if high is None else high)
        raise AssertionError(task)


def _named(name: str) -> int:
    """A number for a name, the same in every process."""
    return int.from_bytes(name.encode(), "big") % _PRIME


def _mixed(name: int, more: int, number: int) -> int:
    name = ((name ^ (name >> 29)) * _FACTOR + more) & _BITS
    return ((name ^ (name >> 31)) * _FACTOR + number) & _BITS


def _nodes(node: Node) -> Iterator[Node]:
    """A node and those below it, each before those below it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        match each:
            case Seq(items=items) | Choice(items=items):
                waiting.extend(reversed(items))
            case Repeat(item=item):
                waiting.append(item)
