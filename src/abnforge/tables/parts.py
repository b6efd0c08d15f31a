"""Component objects: a text, and where its parts begin and end, cut when they are asked for.

Written in C in the kernel; here is what serves without it, and is the same to whoever derives from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from abnforge._kernel.loaded import compiled

Places = tuple[int, ...]
Kinds = tuple[int, ...]


class PlainParts:
    """A text, read as a rule. ``places`` are begin and end of each part in code points, -1 for one that is
    not there; ``kinds`` say by number which rules derived something.
    """

    __slots__ = ("__weakref__", "_found", "_text", "rule")

    _found: tuple[Places, Kinds] | Callable[[], tuple[Places, Kinds]]
    _text: str
    rule: str

    def __new__(cls, text: str, rule: str, places: Places, kinds: Kinds) -> Any:
        self = super().__new__(cls)
        _set_text(self, text)
        _set_rule(self, rule)
        _set_found(self, (places, kinds))
        return self

    @classmethod
    def later(cls, text: str, rule: str, find: Callable[[], tuple[Places, Kinds]]) -> Any:
        """The same with what is found when it is first asked for."""
        self = super().__new__(cls)
        _set_text(self, text)
        _set_rule(self, rule)
        _set_found(self, find)
        return self

    @property
    def _places(self) -> Places:
        return self._both()[0]

    @property
    def _kinds(self) -> Kinds:
        return self._both()[1]

    def _both(self) -> tuple[Places, Kinds]:
        found = self._found
        if not isinstance(found, tuple):
            found = found()
            _set_found(self, found)
        return found

    def __str__(self) -> str:
        return self._text


# The slots' own setters, which go past a __setattr__ that refuses.
_set_text: Callable[[PlainParts, str], None] = PlainParts.__dict__["_text"].__set__
_set_rule: Callable[[PlainParts, str], None] = PlainParts.__dict__["rule"].__set__
_set_found: Callable[[PlainParts, Any], None] = PlainParts.__dict__["_found"].__set__


def plain_part(number: int, doc: str) -> Any:
    """A property: the text of a part, None where it is not there."""
    begin, end = 2 * number, 2 * number + 1

    def get(self: PlainParts) -> str | None:
        places, _ = self._both()
        return None if places[end] < 0 else self._text[places[begin] : places[end]]

    return property(get, doc=doc)


def plain_kind(number: int, values: tuple[Any, ...], doc: str) -> Any:
    """A property: of ``values`` the one that the kind of this number stands for."""

    def get(self: PlainParts) -> Any:
        return values[self._both()[1][number]]

    return property(get, doc=doc)


if TYPE_CHECKING or compiled is None:
    Parts = PlainParts
    Part = plain_part
    Kind = plain_kind
else:
    Parts, Part, Kind = compiled.Parts, compiled.Part, compiled.Kind
