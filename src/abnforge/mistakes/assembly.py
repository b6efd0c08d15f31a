"""What was found, made of the ways of a reading: the mistakes that begin and end on it, and their slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from abnforge.mistakes.events import Begin, CatchAll, End, Event, SlotBegin, Way, in_order
from abnforge.mistakes.model import Mistake, Slot
from abnforge.mistakes.readings import Found, SlotSpan, unreadable

MAX_KEPT_WAYS = 20_000
"""Ways that are known before all are forgotten."""


class Assembly:
    """Makes what was found in texts that are read by ``rule``; ``names`` are those of rules by key."""

    def __init__(self, names: Mapping[str, str], rule: str) -> None:
        self._names = names
        self._rule = rule
        self.forget()

    def forget(self) -> None:
        """Drop what is known of ways."""
        self._events: dict[Way, tuple[Event, ...]] = {}
        self._begun: dict[Begin, tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def found(self, ways: Iterable[tuple[int, Way]], end: int) -> tuple[Found, ...]:
        """The outermost mistakes on some ways, each with its offset; those that are open end at ``end``."""
        if len(self._events) > MAX_KEPT_WAYS:
            self.forget()
        top = current = _Open(None, 0, (), ())
        stack = [top]
        for at, way in ways:
            events = self._events.get(way)
            if events is None:
                events = self._events[way] = in_order(way)
            for event in events:
                if isinstance(event, Begin):
                    current = self._open(event, at, current)
                    stack.append(current)
                elif isinstance(event, End):
                    stack.pop()
                    stack[-1].inner.append(current.close(at, stack[-1].slot))
                    current = stack[-1]
                elif isinstance(event, SlotBegin):
                    current.begin_slot(event.name, at)
                else:
                    current.end_slot(at)
        while len(stack) > 1:
            current = stack.pop()
            if current.slot is not None:
                current.end_slot(end)
            stack[-1].inner.append(current.close(end, stack[-1].slot))
        return tuple(top.inner)

    def _open(self, event: Begin, at: int, around: _Open) -> _Open:
        """A mistake that begins within another one, or within none."""
        known = None if around.rules else self._begun.get(event)
        if known is None:
            # What is within a mistake is within the rules around that, too.
            rules = (*around.rules, *(key for key in event.state.rule_path if '"' not in key))
            known = rules, self._rule_path(event.what, rules)
            if not around.rules:
                self._begun[event] = known
        return _Open(event.what, at, *known)

    def _rule_path(self, what: Mistake | CatchAll, keys: tuple[str, ...]) -> tuple[str, ...]:
        """The names of some rules, with the one that a mistake is about."""
        if isinstance(what, Mistake) and what.about is not None and keys[-1] != what.about:
            keys = (*keys, what.about)
        return tuple([self._names[key] if key else self._rule for key in keys])


class _Open:
    """A mistake that has begun."""

    __slots__ = ("_slot_start", "_turns", "inner", "rule_path", "rules", "slot", "slots", "start", "what")

    def __init__(
        self, what: Mistake | CatchAll | None, start: int, rules: tuple[str, ...], rule_path: tuple[str, ...]
    ) -> None:
        self.what = what
        self.start = start
        self.rules = rules  # the keys of those that are open where it begins
        self.rule_path = rule_path
        self.slots: list[SlotSpan] = []
        self.inner: list[Found] = []
        self.slot: Slot | None = None  # the one that is open; slots do not nest
        self._slot_start = 0
        self._turns: dict[str, int] = {}

    def begin_slot(self, name: str, at: int) -> None:
        turn = self._turns[name] = self._turns.get(name, 0) + 1
        self.slot, self._slot_start = _slot(name, turn), at

    def end_slot(self, at: int) -> None:
        assert self.slot is not None
        self.slots.append(SlotSpan(self.slot, self._slot_start, at))
        self.slot = None

    def close(self, end: int, within: Slot | None) -> Found:
        assert self.what is not None
        mistake = self.what if isinstance(self.what, Mistake) else None
        code = mistake.code if mistake is not None else unreadable(self.rule_path[-1])
        return Found(
            code, mistake, self.start, end, tuple(self.slots), tuple(self.inner), self.rule_path, within
        )


@lru_cache(maxsize=1024)
def _slot(name: str, turn: int) -> Slot:
    return Slot(name, turn)
