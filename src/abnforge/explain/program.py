"""What is left to read, for the kernel: tasks and ways by number, each told when a text first leads to it.

The kernel follows states and makes sets of them as ``states`` and ``sets`` do, which are the reference. It
asks for what it does not know of the grammar; here are the nodes behind the numbers that it gives.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from abnforge._native import compiled
from abnforge.charset import CharSet
from abnforge.explain.character_sets import Classes
from abnforge.explain.error_grammar import (
    END,
    SLOT_END,
    UNIT,
    EndMarker,
    ErrorState,
    ErrorStates,
    Event,
    MistakeBegin,
    MistakeEnd,
    SlotBegin,
    SlotEnd,
    Task,
    Way,
    Wildcard,
)
from abnforge.explain.mistakes import AFTER, ALL, START, Mistake, Slot, message_slots
from abnforge.explain.mistakes import END as STOP
from abnforge.grammar.core import Chars, Choice, Ref, Repeat, Seq

MAX_MESSAGE_SLOTS = 8
"""Slots of a sentence that are told with the mistakes of a column."""

# As follow.h has them: kinds of tasks, events (four times a number, and one of these), slots that are words.
(
    _CHARS,
    _SEQ,
    _CHOICE,
    _REPEAT,
    _PLAIN,
    _SLOT_OF,
    _PLACE,
    _CLOSING,
    _ANYTHING,
    _MISTAKE_ENDS,
    _SLOT_ENDS,
    _PROSE,
) = range(1, 13)
_END, _SLOT_END, _SLOT, _BEGIN = range(4)
_WORDS = {ALL: -1, START: -2, STOP: -3}
_MOST_WEIGHT = 1 << 29

_Numbers = tuple["int | None", "int | None", "int | None", "int | None"]


class Opened:
    """Where a mistake begins: the keys of the rules that are open there, as in ``ErrorState.rule_path``."""

    __slots__ = ("rule_path",)

    def __init__(self, rule_path: tuple[str, ...]) -> None:
        self.rule_path = rule_path


class _Ways(dict[int, Way]):
    """Ways by number, each made when it is first asked for."""

    def __init__(self, make: Callable[[int], Way]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, number: int) -> Way:
        found = self[number] = self._make(number)
        return found


class Program:
    """The tasks of some states in the kernel. Not for several threads at once.

    ``kernel`` is what the kernel knows; ``mistakes`` are those by number, None for what is no mistake;
    ``ways`` are by number what begins and ends on them. States were ``forgotten`` so many times.
    """

    def __init__(self, states: ErrorStates, classes: Classes) -> None:
        self.states = states
        self._classes = classes
        self.mistakes: list[Mistake | None] = [None]
        self._numbers_of_mistakes: dict[str, int] = {}
        self._tasks: list[Task] = [END, SLOT_END]  # kept: their identities are their names
        self._numbers: dict[int, int] = {id(END): 0, id(SLOT_END): 1}
        self._untold: dict[int, Task] = {}  # references and repetitions that no text has led to
        self._waiting: list[int] = []  # what is followed whenever something is that was told
        self._charsets: dict[CharSet, int] = {}
        self._names: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self._begun: dict[tuple[int, int], MistakeBegin] = {}
        self.ways = _Ways(self._way)
        self.forgotten = 0
        self.kernel = compiled.Program(states.augmented.bound.count)

    def __len__(self) -> int:
        """The number of states."""
        return int(self.kernel.states())

    def forget(self) -> None:
        """Drop all states, and what was made of them."""
        self.kernel.forget()
        self.ways.clear()
        self._begun.clear()
        self.forgotten += 1

    def tell(self) -> None:
        """Tell what the kernel wants to know. Cost: what it has not been told before."""
        for wanted in dict.fromkeys(self.kernel.wanted()):
            number, is_body = divmod(wanted, 2)
            if is_body:
                mistake = self.mistakes[number]
                assert mistake is not None
                self.kernel.body(number, self._first(self.states.augmented.body(mistake)))
            else:
                self._waiting.append(number)
        while self._waiting:
            number = self._waiting.pop()
            if (task := self._untold.pop(number, None)) is not None:
                self._tell(number, task)

    def state(self, state: ErrorState | None) -> int:
        """The number of a state. Cost: linear in the states behind it."""
        chain: list[ErrorState] = []
        while state is not None:
            chain.append(state)
            state = state.rest
        number = 0
        for each in reversed(chain):
            number = self.kernel.state(self._task(each.task), each.index, number)
        return number

    def flags(self, codes: frozenset[str]) -> bytes:
        """A flag for each code by its number, which says whether it is one of these."""
        numbers = {self._codes.setdefault(code, len(self._codes)) for code in codes}
        return bytes(number in numbers for number in range(max(numbers, default=-1) + 1))

    # ---- tasks ----

    def _task(self, task: Task) -> int:
        found = self._numbers.get(id(task))
        if found is None:
            found = self._numbers[id(task)] = self.kernel.task()
            self._tasks.append(task)
            if isinstance(task, Ref | Repeat):
                self._untold[found] = task
            else:
                self._tell(found, task)
        return found

    def _first(self, task: Task) -> int:
        """The number of what a task begins with: it is told now, for it is wanted next."""
        found = self._task(task)
        if found in self._untold:
            self._waiting.append(found)
        return found

    def _tell(self, number: int, task: Task) -> None:
        numbers: _Numbers = (0, 0, 0, 0)
        items: Sequence[int] = ()
        before: Sequence[int] = ()
        match task:
            case Chars(charset=charset):
                kind, numbers = _CHARS, (self._charset(charset), 0, 0, 0)
            case Seq(items=nodes):
                kind, items = _SEQ, [*map(self._first, nodes[:1]), *map(self._task, nodes[1:])]
            case Choice(items=nodes):
                kind, items = _CHOICE, list(map(self._first, nodes))
            case Repeat(item=item, min=low):
                again = self.states.again(task)
                left = None if again is None else self._task(again)
                kind, numbers = _REPEAT, (self._first(item), left, int(low == 0), 0)
            case Ref(key=key):
                kind, numbers, items, before = self._reference(key)
            case EndMarker(place=place):
                kind, items = _CLOSING, list(map(self._mistake, place.after))
            case Wildcard():
                kind = _ANYTHING
            case MistakeEnd():
                kind = _MISTAKE_ENDS
            case SlotEnd():
                kind = _SLOT_ENDS
            case _:
                kind = _PROSE
        self.kernel.make(number, kind, numbers, tuple(items), tuple(before))

    def _reference(self, key: str) -> tuple[int, _Numbers, Sequence[int], Sequence[int]]:
        states, augmented = self.states, self.states.augmented
        if key[0] not in "*+-=":
            if "/" not in key or '"' in key:  # a literal in a rule may have a slash
                return _PLAIN, (self._first(augmented.plain(key)), 0, 0, 0), (), ()
            slot = augmented.slot(key)
            return _SLOT_OF, (self._first(slot.reference), self._name(slot.name), 0, 0), (), ()
        place = augmented.place(key.removeprefix("="))
        anything = self._task(states.catch_all(place)) if place.catch_all else None
        own: int | None = None
        before: tuple[Mistake, ...] = ()
        if key[0] != "=" and place.before:
            own, before = self._task(states.without_before(key)), place.before
        numbers = self._first(place.body), self._task(states.closing(place)), anything, own
        return _PLACE, numbers, list(map(self._mistake, place.of)), list(map(self._mistake, before))

    def _charset(self, charset: CharSet) -> int:
        found = self._charsets.get(charset)
        if found is None:
            bits = self._classes.bits(charset).to_bytes(32, "little")
            found = self._charsets[charset] = self.kernel.charset(bits)
        return found

    def _mistake(self, mistake: Mistake) -> int:
        found = self._numbers_of_mistakes.get(mistake.key)
        if found is None:
            shown = message_slots(mistake)
            is_told = mistake.say is not None and len(shown) <= MAX_MESSAGE_SLOTS
            weight = min(mistake.cost * UNIT + mistake.order, _MOST_WEIGHT)
            found = self._numbers_of_mistakes[mistake.key] = self.kernel.mistake(
                weight,
                mistake.place == AFTER,
                is_told,
                self._slots(mistake.blame),
                self._slots(shown if is_told else ()),
                self._codes.setdefault(mistake.code, len(self._codes)),
            )
            self.mistakes.append(mistake)
        return found

    def _slots(self, slots: Sequence[Slot]) -> array[int]:
        return array("i", [number for slot in slots for number in (self._slot_number(slot), slot.turn)])

    def _slot_number(self, slot: Slot) -> int:
        word = _WORDS.get(slot)
        return self._name(slot.name) if word is None else word

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    # ---- ways ----

    def _way(self, number: int) -> Way:
        chain: list[Event] = []
        while number:
            event, state, number = self.kernel.way(number)
            chain.append(self._event(event, state))
        found: Way = None
        for each in reversed(chain):
            found = (each, found)
        return found

    def _event(self, event: int, state: int) -> Event:
        number, kind = divmod(event, 4)
        if kind == _END:
            return END
        if kind == _SLOT_END:
            return SLOT_END
        if kind == _SLOT:
            return SlotBegin(next(name for name, known in self._names.items() if known == number))
        begun = self._begun.get((number, state))
        if begun is None:
            begun = self._begun[number, state] = self._begin(number, state)
        return begun

    def _begin(self, number: int, state: int) -> MistakeBegin:
        rule_path: list[str] = []
        what: Mistake | Wildcard | None = self.mistakes[number]
        at = state
        while at:
            task_number, _, rest = self.kernel.at(at)
            task = self._tasks[task_number]
            if isinstance(task, MistakeEnd):
                break
            if isinstance(task, EndMarker):
                rule_path.append(task.place.key)
                if what is None:  # anything stands in the place of the rule that is open last
                    what = self.states.catch_all(task.place)
            elif isinstance(task, Ref) and at == state:
                rule_path.append(task.key[1:])  # without its sign: "" is the rule that is read
            at = rest
        assert what is not None
        return MistakeBegin(what, Opened(tuple(reversed(rule_path))))
