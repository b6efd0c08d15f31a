"""What begins and ends on the way to a character: mistakes, and their slots."""

from __future__ import annotations

from typing import Protocol, Union

from abnforge.mistakes.model import Mistake


class Opening(Protocol):
    """Where a mistake begins."""

    @property
    def rule_path(self) -> tuple[str, ...]:
        """The keys of the rules that are open there, outermost first."""


class CatchAll:
    """Anything in the place of a rule. ``key`` is the rule's."""

    __slots__ = ("key",)

    def __init__(self, key: str) -> None:
        self.key = key


class Begin:
    """A mistake begins: ``what`` it is, in the rules that are open in ``state``."""

    __slots__ = ("state", "what")

    def __init__(self, what: Mistake | CatchAll, state: Opening) -> None:
        self.what = what
        self.state = state


class End:
    """The mistake that began last ends."""

    __slots__ = ()


class SlotBegin:
    """A slot of the mistake that began last begins."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class SlotEnd:
    """The slot that began last ends."""

    __slots__ = ()


Event = Union[Begin, End, SlotBegin, SlotEnd]
Way = Union[tuple[Event, "Way"], None]
"""What begins and ends on a way, the last first."""

END, SLOT_END = End(), SlotEnd()


def in_order(way: Way) -> tuple[Event, ...]:
    """What begins and ends on a way, the first first."""
    events: list[Event] = []
    while way is not None:
        event, way = way
        events.append(event)
    return tuple(reversed(events))
