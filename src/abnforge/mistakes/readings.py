"""Readings of a text: which mistakes it has, where, and what their slots are. Values, fit to travel."""

from __future__ import annotations

from abnforge.drawing import in_quotes, shortened
from abnforge.mistakes.model import ALL, END, START, Mistake, Slot
from abnforge.mistakes.templates import MAX_SHOWN, fill
from abnforge.records import NamedTuple
from abnforge.rejection import UNREADABLE


def unreadable(rule: str) -> str:
    """The code of a rule's catch-all."""
    return f"{UNREADABLE}-{rule}"


class SlotSpan(NamedTuple):
    """A slot and where it is in the text: code points from ``start`` up to ``end``."""

    slot: Slot
    start: int
    end: int


class Found(NamedTuple):
    """A mistake in a text: its code, what it takes up, its slots and the mistakes within these.

    ``mistake`` is None for a catch-all. ``rule_path`` names the rules from the one that the text is read by
    to the one that the mistake stands in, or the one that it is said to be about. ``within`` is the slot that
    it is in of the mistake around it.
    """

    code: str
    mistake: Mistake | None
    start: int
    end: int
    slots: tuple[SlotSpan, ...]
    inner: tuple[Found, ...]
    rule_path: tuple[str, ...]
    within: Slot | None = None

    def slot_span(self, slot: Slot) -> tuple[int, int] | None:
        """Where a slot is, or what one of the words stands for; None if the text does not have it."""
        if slot.name == ALL:
            return self.start, self.end
        if slot.name in (START, END):
            place = self.start if slot.name == START else self.end
            return place, place
        return next(((each.start, each.end) for each in self.slots if each.slot == slot), None)

    @property
    def span(self) -> tuple[int, int]:
        """Start and end of the first blamed slot that is present, else of the mistake."""
        for slot in self.mistake.blame if self.mistake is not None else ():
            span = self.slot_span(slot)
            if span is not None:
                return span
        return self.start, self.end

    def message(self, text: str) -> str:
        """Return a message about the mistake in a string."""
        if self.mistake is not None and self.mistake.say is not None:
            texts = {each.slot: text[each.start : each.end] for each in self.slots}
            texts[Slot(ALL)] = text[self.start : self.end]
            return fill(self.mistake.say, texts)
        start, end = self.span
        rule = self.rule_path[-1]
        if self.mistake is None:
            if start == end:
                return f"{rule} is missing at offset {start}"
            return f"{in_quotes(shortened(text[start:end], MAX_SHOWN))} is not a valid {rule}"
        where = f"{rule} at offset {start}"
        if start < end:
            where = f"{in_quotes(shortened(text[start:end], MAX_SHOWN))} in {rule}"
        return f"{where} is not valid: {self.code}"


class Reading(NamedTuple):
    """One way to read a text by ``rule``: what it costs, and the mistakes in it from left to right.

    ``exact`` tells that no other reading costs less; else the budget ended the search before. ``window`` is
    the part of a long text, from an offset up to another one, in which mistakes were looked for; None where
    that is all of it. Mistakes before a window there are none; behind it there may be more.
    """

    rule: str
    text: str
    cost: float
    found: tuple[Found, ...]
    exact: bool = True
    window: tuple[int, int] | None = None

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of all mistakes, nested ones behind those that they are in."""
        return tuple(each.code for each in self.all_found)

    @property
    def all_found(self) -> tuple[Found, ...]:
        """All mistakes, nested ones behind those that they are in."""
        result: list[Found] = []
        waiting = list(reversed(self.found))
        while waiting:
            each = waiting.pop()
            result.append(each)
            waiting.extend(reversed(each.inner))
        return tuple(result)
