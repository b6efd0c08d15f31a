"""Component objects: a text, and where its parts begin and end, cut when they are asked for.

Written in C in the kernel; here is what serves without it, and is the same to whoever derives from it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from abnforge._kernel.loaded import compiled
from abnforge.tables.tables import MAX_KINDS, MAX_REGISTERS

Places = tuple[int, ...]
Kinds = tuple[int, ...]


class Finder(Protocol):
    """What tells the places and kinds of a text when they are asked for, by a clue that it was found with."""

    def places(self, clue: Any) -> Places: ...
    def kinds(self, clue: Any) -> Kinds: ...


class PlainParts:
    """A text, read as a rule. ``places`` are begin and end of each part in code points, -1 for one that is
    not there; ``kinds`` say by number which rules derived something.
    """

    __slots__ = ("__weakref__", "_finder", "_found_kinds", "_found_places", "_rule", "_text")

    def __new__(cls, text: str, rule: str, places: Places, kinds: Kinds) -> Any:
        """Raises TypeError for other types, ValueError for places outside of the text or too many."""
        _check(text, places, kinds)
        self = object.__new__(cls)
        _set_text(self, text)
        _set_rule(self, rule)
        _set_places(self, places)
        _set_kinds(self, kinds)
        return self

    @property
    def rule(self) -> str:
        """The rule that the text was read as."""
        rule: str = _rule_of(self)
        return rule

    @property
    def _places(self) -> Places:
        found: Places | None = _places_of(self)
        if found is None:
            finder, clue = _finder_of(self)
            found = finder.places(clue)
            _set_places(self, found)
        return found

    @property
    def _kinds(self) -> Kinds:
        found: Kinds | None = _kinds_of(self)
        if found is None:
            finder, clue = _finder_of(self)
            found = finder.kinds(clue)
            _set_kinds(self, found)
        return found

    def parts(self) -> tuple[str | None, ...]:
        """Return all parts as one tuple, in the order of their numbers; None for a part that is undefined."""
        places, text = self._places, _text_of(self)
        pairs = zip(places[::2], places[1::2], strict=True)
        return tuple(None if end < 0 else text[begin:end] for begin, end in pairs)

    def __str__(self) -> str:
        text: str = _text_of(self)
        return text


def _check(text: str, places: Places, kinds: Kinds) -> None:
    """Raises what the kernel raises for values that cannot be."""
    if not (isinstance(text, str) and isinstance(places, tuple) and isinstance(kinds, tuple)):
        raise TypeError("text must be a str, places and kinds tuples")
    if len(places) > MAX_REGISTERS or len(places) % 2 or len(kinds) > MAX_KINDS:
        raise ValueError("too many places or kinds")
    for begin, end in zip(places[::2], places[1::2], strict=True):
        if not (begin == end == -1 or 0 <= begin <= end <= len(text)):
            raise ValueError("place outside of text")
    if not all(0 <= kind <= 255 for kind in kinds):
        raise ValueError("kind must be from 0 to 255")


def _slot(name: str) -> tuple[Callable[[PlainParts], Any], Callable[[PlainParts, Any], None]]:
    """The getter and the setter of a slot, which go past a class's own __setattr__."""
    slot = PlainParts.__dict__[name]
    return slot.__get__, slot.__set__


_text_of, _set_text = _slot("_text")
_rule_of, _set_rule = _slot("_rule")
_places_of, _set_places = _slot("_found_places")
_kinds_of, _set_kinds = _slot("_found_kinds")
_finder_of, _set_finder = _slot("_finder")


def later(kind: type, text: str, rule: str, finder: Finder, clue: object) -> Any:
    """A component object whose places and kinds are found when they are first asked for. No method of it,
    since the kernel's have none.
    """
    made: Any = object.__new__(kind)
    _set_text(made, text)
    _set_rule(made, rule)
    _set_finder(made, (finder, clue))
    _set_places(made, None)
    _set_kinds(made, None)
    return made


def plain_part(number: int, doc: str) -> Any:
    """A property: the text of a part, None where it is not there."""
    begin, end = 2 * number, 2 * number + 1

    def get(self: PlainParts) -> str | None:
        places = _places_of(self) or self._places
        if (stop := places[end]) < 0:
            return None
        text: str = _text_of(self)
        return text[places[begin] : stop]

    return property(get, doc=doc)


def plain_kind(number: int, values: tuple[Any, ...], doc: str) -> Any:
    """A property: of ``values`` the one that the kind of this number stands for."""

    def get(self: PlainParts) -> Any:
        return values[self._kinds[number]]

    return property(get, doc=doc)


if TYPE_CHECKING or compiled is None:
    Parts = PlainParts
    Part = plain_part
    Kind = plain_kind
else:
    Parts, Part, Kind = compiled.Parts, compiled.Part, compiled.Kind
