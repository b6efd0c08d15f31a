"""The interface to the C extension's search, which represents states and tasks by numbers.

States and tasks are defined when a string first needs them.

The C extension implements ``ErrorStates`` and the weighted sets; the Python code is the reference. The
extension requests definitions of the grammar's tasks by number, and ``Program`` supplies them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence

from abnforge._native import compiled
from abnforge.charset import CharSet
from abnforge.explain.bind import Classes
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
    Path,
    SlotBegin,
    SlotEnd,
    Task,
    Wildcard,
)
from abnforge.explain.mistakes import AFTER, ALL, START, Mistake, Slot, message_slots
from abnforge.explain.mistakes import END as STOP
from abnforge.grammar.core import Chars, Choice, Ref, Repeat, Seq

MAX_MESSAGE_SLOTS = 8  # message slots that the C extension returns for each row

# Numbers as in follow.h: kinds of tasks, kinds of events, and slots that are words. An event is 4 * number +
# kind.
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
_MAX_WEIGHT = 1 << 29

_Numbers = tuple["int | None", "int | None", "int | None", "int | None"]


class OpenRules:
    """The keys of the rules that are open where a mistake begins, as in ``ErrorState.rule_path``."""

    __slots__ = ("rule_path",)

    def __init__(self, rule_path: tuple[str, ...]) -> None:
        self.rule_path = rule_path


class _Paths(dict[int, Path]):
    """Paths by number, constructed on demand."""

    def __init__(self, make: Callable[[int], Path]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, number: int) -> Path:
        path = self[number] = self._make(number)
        return path


class Program:
    """The tasks of an error grammar's states in the C extension. Not thread-safe.

    ``mistakes`` and ``paths`` are indexed by number; the catch-all is None. ``forgotten`` counts how often
    the states were dropped.
    """

    def __init__(self, states: ErrorStates, classes: Classes) -> None:
        self.states = states
        self._classes = classes
        self.mistakes: list[Mistake | None] = [None]
        self._numbers_of_mistakes: dict[str, int] = {}
        self._tasks: list[Task] = [END, SLOT_END]  # referenced here, since tasks are found by identity
        self._numbers: dict[int, int] = {id(END): 0, id(SLOT_END): 1}
        self._undefined: dict[int, Task] = {}  # references and repetitions that no string needed yet
        self._waiting: list[int] = []  # tasks to define
        self._charsets: dict[CharSet, int] = {}
        self._names: dict[str, int] = {}
        self._codes: dict[str, int] = {}
        self._begun: dict[tuple[int, int], MistakeBegin] = {}
        self.paths = _Paths(self._path)
        self.forgotten = 0
        self.kernel = compiled.Program(states.grammar.bound.count)

    def __len__(self) -> int:
        """Return the number of states."""
        return int(self.kernel.states())

    def forget(self) -> None:
        """Drop all states and all references to them."""
        self.kernel.forget()
        self.paths.clear()
        self._begun.clear()
        self.forgotten += 1

    def define_requested(self) -> None:
        """Define the tasks that the C extension requests. Cost: linear in new definitions."""
        for request in dict.fromkeys(self.kernel.wanted()):
            number, is_body = divmod(request, 2)
            if is_body:
                mistake = self.mistakes[number]
                assert mistake is not None
                self.kernel.body(number, self._first(self.states.grammar.body(mistake)))
            else:
                self._waiting.append(number)
        while self._waiting:
            number = self._waiting.pop()
            if (task := self._undefined.pop(number, None)) is not None:
                self._define(number, task)

    def state(self, state: ErrorState | None) -> int:
        """Return the number of a state. Cost: linear in the length of its list."""
        chain: list[ErrorState] = []
        while state is not None:
            chain.append(state)
            state = state.rest
        number = 0
        for each in reversed(chain):
            number = self.kernel.state(self._task(each.task), each.index, number)
        return number

    def flags(self, codes: frozenset[str]) -> bytes:
        """Return for each code, by number, whether it is one of ``codes``."""
        numbers = {self._codes.setdefault(code, len(self._codes)) for code in codes}
        return bytes(number in numbers for number in range(max(numbers, default=-1) + 1))

    def _task(self, task: Task) -> int:
        number = self._numbers.get(id(task))
        if number is None:
            number = self._numbers[id(task)] = self.kernel.task()
            self._tasks.append(task)
            if isinstance(task, Ref | Repeat):
                self._undefined[number] = task
            else:
                self._define(number, task)
        return number

    def _first(self, task: Task) -> int:
        """Return the number of a task that is needed next and schedule its definition."""
        number = self._task(task)
        if number in self._undefined:
            self._waiting.append(number)
        return number

    def _define(self, number: int, task: Task) -> None:
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
                rest = self.states.rest_of_repetition(task)
                rest_number = None if rest is None else self._task(rest)
                kind, numbers = _REPEAT, (self._first(item), rest_number, int(low == 0), 0)
            case Ref(key=key):
                kind, numbers, items, before = self._reference(key)
            case EndMarker(site=site):
                kind, items = _CLOSING, list(map(self._mistake, site.after))
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
        states, grammar = self.states, self.states.grammar
        if key[0] not in "*+-=":
            if "/" not in key or '"' in key:
                return _PLAIN, (self._first(grammar.plain(key)), 0, 0, 0), (), ()
            slot = grammar.slot(key)
            return _SLOT_OF, (self._first(slot.reference), self._name(slot.name), 0, 0), (), ()
        site = grammar.site(key.removeprefix("="))
        catch_all = self._task(states.catch_all(site)) if site.catch_all else None
        without_before: int | None = None
        before: tuple[Mistake, ...] = ()
        if key[0] != "=" and site.before:
            without_before, before = self._task(states.without_before(key)), site.before
        numbers = self._first(site.body), self._task(states.end_marker(site)), catch_all, without_before
        return _PLACE, numbers, list(map(self._mistake, site.of)), list(map(self._mistake, before))

    def _charset(self, charset: CharSet) -> int:
        number = self._charsets.get(charset)
        if number is None:
            bits = self._classes.bits(charset).to_bytes(32, "little")
            number = self._charsets[charset] = self.kernel.charset(bits)
        return number

    def _mistake(self, mistake: Mistake) -> int:
        number = self._numbers_of_mistakes.get(mistake.key)
        if number is None:
            slots = message_slots(mistake)
            has_slots = mistake.say is not None and len(slots) <= MAX_MESSAGE_SLOTS
            weight = min(mistake.cost * UNIT + mistake.order, _MAX_WEIGHT)
            number = self._numbers_of_mistakes[mistake.key] = self.kernel.mistake(
                weight,
                mistake.place == AFTER,
                has_slots,
                self._slots(mistake.blame),
                self._slots(slots if has_slots else ()),
                self._codes.setdefault(mistake.code, len(self._codes)),
            )
            self.mistakes.append(mistake)
        return number

    def _slots(self, slots: Sequence[Slot]) -> array[int]:
        return array("i", [number for slot in slots for number in (self._slot_number(slot), slot.turn)])

    def _slot_number(self, slot: Slot) -> int:
        word = _WORDS.get(slot)
        return self._name(slot.name) if word is None else word

    def _name(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _path(self, number: int) -> Path:
        chain: list[Event] = []
        while number:
            event, state, number = self.kernel.way(number)
            chain.append(self._event(event, state))
        path: Path = None
        for each in reversed(chain):
            path = (each, path)
        return path

    def _event(self, event: int, state: int) -> Event:
        number, kind = divmod(event, 4)
        if kind == _END:
            return END
        if kind == _SLOT_END:
            return SLOT_END
        if kind == _SLOT:
            return SlotBegin(next(name for name, each in self._names.items() if each == number))
        begin = self._begun.get((number, state))
        if begin is None:
            begin = self._begun[number, state] = self._begin(number, state)
        return begin

    def _begin(self, number: int, state: int) -> MistakeBegin:
        rule_path: list[str] = []
        mistake: Mistake | Wildcard | None = self.mistakes[number]
        current = state
        while current:
            task_number, _, following = self.kernel.at(current)
            task = self._tasks[task_number]
            if isinstance(task, MistakeEnd):
                break
            if isinstance(task, EndMarker):
                rule_path.append(task.site.key)
                if mistake is None:  # a catch-all replaces the innermost open rule
                    mistake = self.states.catch_all(task.site)
            elif isinstance(task, Ref) and current == state:
                rule_path.append(task.key[1:])  # without the sign; "" is the start rule
            current = following
        assert mistake is not None
        return MistakeBegin(mistake, OpenRules(tuple(reversed(rule_path))))
