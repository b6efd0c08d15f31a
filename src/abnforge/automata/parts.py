"""Component objects: a string, and the places of its parts, which are cut on first use.

The C extension has the same classes; subclasses cannot tell the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from abnforge._native import compiled
from abnforge.automata.tables import MAX_KINDS, MAX_REGISTERS

Places = tuple[int, ...]
Kinds = tuple[int, ...]


class Finder(Protocol):
    """A source of the places and kinds of a string, by a clue that the object keeps."""

    def places(self, clue: Any) -> Places: ...
    def kinds(self, clue: Any) -> Kinds: ...


class PlainParts:
    """A string that matches a rule.

    ``places`` are begin and end of each part in code points, -1 for an absent part; ``kinds`` are the numbers
    of the rules that derived a part.
    """

    __slots__ = ("__weakref__", "_finder", "_found_kinds", "_found_places", "_rule", "_text")

    def __new__(cls, text: str, rule: str, places: Places, kinds: Kinds) -> Any:
        """Raise TypeError for other types, ValueError for too many places or places outside of the string."""
        _check(text, places, kinds)
        self = object.__new__(cls)
        _set_text(self, text)
        _set_rule(self, rule)
        _set_places(self, places)
        _set_kinds(self, kinds)
        return self

    @property
    def rule(self) -> str:
        """The rule that the string matches."""
        rule: str = _rule_of(self)
        return rule

    @property
    def _places(self) -> Places:
        places: Places | None = _places_of(self)
        if places is None:
            finder, clue = _finder_of(self)
            places = finder.places(clue)
            _set_places(self, places)
        return places

    @property
    def _kinds(self) -> Kinds:
        kinds: Kinds | None = _kinds_of(self)
        if kinds is None:
            finder, clue = _finder_of(self)
            kinds = finder.kinds(clue)
            _set_kinds(self, kinds)
        return kinds

    def parts(self) -> tuple[str | None, ...]:
        """Return all parts as one tuple, in the order of their numbers; None for a part that is undefined."""
        places, text = self._places, _text_of(self)
        pairs = zip(places[::2], places[1::2], strict=True)
        return tuple(None if end < 0 else text[begin:end] for begin, end in pairs)

    def __str__(self) -> str:
        text: str = _text_of(self)
        return text


def _check(text: str, places: Places, kinds: Kinds) -> None:
    """Raise the errors of the C extension for invalid values."""
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
    """Return the getter and the setter of a slot, which bypass the ``__setattr__`` of a class."""
    slot = PlainParts.__dict__[name]
    return slot.__get__, slot.__set__


_text_of, _set_text = _slot("_text")
_rule_of, _set_rule = _slot("_rule")
_places_of, _set_places = _slot("_found_places")
_kinds_of, _set_kinds = _slot("_found_kinds")
_finder_of, _set_finder = _slot("_finder")


def later(kind: type, text: str, rule: str, finder: Finder, clue: object) -> Any:
    """Return a component object whose places and kinds are computed on first use.

    It is a function, since the classes of the C extension do not have such a method.
    """
    component: Any = object.__new__(kind)
    _set_text(component, text)
    _set_rule(component, rule)
    _set_finder(component, (finder, clue))
    _set_places(component, None)
    _set_kinds(component, None)
    return component


def plain_part(number: int, doc: str) -> Any:
    """Return a property: a part of the string, or None if it is absent."""
    begin, end = 2 * number, 2 * number + 1

    def get(self: PlainParts) -> str | None:
        places = _places_of(self) or self._places
        if (stop := places[end]) < 0:
            return None
        text: str = _text_of(self)
        return text[places[begin] : stop]

    return property(get, doc=doc)


def plain_kind(number: int, values: tuple[Any, ...], doc: str) -> Any:
    """Return a property: the one of ``values`` with the kind of a number."""

    def get(self: PlainParts) -> Any:
        return values[self._kinds[number]]

    return property(get, doc=doc)


if TYPE_CHECKING or compiled is None:
    Parts = PlainParts
    Part = plain_part
    Kind = plain_kind
else:
    Parts, Part, Kind = compiled.Parts, compiled.Part, compiled.Kind
