"""What was found, made of the ways of a reading: the mistakes that begin and end on it, and their slots."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from abnforge.mistakes.events import Begin, CatchAll, End, SlotBegin, Way
from abnforge.mistakes.model import Mistake, Slot
from abnforge.mistakes.readings import Found, SlotSpan, unreadable


def found_on(
    ways: Iterable[tuple[int, Way]], end: int, names: Mapping[str, str], rule: str
) -> tuple[Found, ...]:
    """The outermost mistakes on some ways, each way with its offset; those that are open end at ``end``.

    ``names`` are those of rules by key; ``rule`` is the name of the one that is read.
    """
    top = _Open(None, 0, (), ())
    stack = [top]
    for at, way in ways:
        events = []
        while way is not None:
            events.append(way[0])
            way = way[1]
        for event in reversed(events):
            current = stack[-1]
            match event:
                case Begin(what=what, state=state):
                    # What is within a mistake is within the rules around that, too.
                    rules = (*current.rules, *(key for key in state.trail if '"' not in key))
                    stack.append(_Open(what, at, rules, _trail(what, rules, names, rule)))
                case End():
                    stack.pop()
                    stack[-1].inner.append(current.close(at, stack[-1].slot))
                case SlotBegin(name=name):
                    turn = current.turns[name] = current.turns.get(name, 0) + 1
                    current.slots.append(SlotSpan(Slot(name, turn), at, at))
                    current.in_slot = True
                case _:
                    current.slots[-1] = current.slots[-1]._replace(end=at)
                    current.in_slot = False
    while len(stack) > 1:
        current = stack.pop()
        if current.in_slot:
            current.slots[-1] = current.slots[-1]._replace(end=end)
        stack[-1].inner.append(current.close(end, stack[-1].slot))
    return tuple(top.inner)


def _trail(
    what: Mistake | CatchAll, keys: tuple[str, ...], names: Mapping[str, str], rule: str
) -> tuple[str, ...]:
    """The names of some rules, with the one that a mistake is about."""
    if isinstance(what, Mistake) and what.about is not None and keys[-1] != what.about:
        keys = (*keys, what.about)
    return tuple(names[key] if key else rule for key in keys)


class _Open:
    """A mistake that has begun."""

    __slots__ = ("in_slot", "inner", "rules", "slots", "start", "trail", "turns", "what")

    def __init__(
        self, what: Mistake | CatchAll | None, start: int, rules: tuple[str, ...], trail: tuple[str, ...]
    ) -> None:
        self.what = what
        self.start = start
        self.rules = rules  # the keys of those that are open where it begins
        self.trail = trail
        self.slots: list[SlotSpan] = []
        self.in_slot = False  # the last one has not ended; slots do not nest
        self.inner: list[Found] = []
        self.turns: dict[str, int] = {}

    @property
    def slot(self) -> Slot | None:
        """The slot that is open."""
        return self.slots[-1].slot if self.in_slot else None

    def close(self, end: int, within: Slot | None) -> Found:
        assert self.what is not None
        mistake = self.what if isinstance(self.what, Mistake) else None
        code = mistake.code if mistake is not None else unreadable(self.trail[-1])
        return Found(code, mistake, self.start, end, tuple(self.slots), tuple(self.inner), self.trail, within)
