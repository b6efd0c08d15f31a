"""Bases of component objects, and component recomposition (RFC 3986, section 5.3; RFC 2396, section 5.2).

``Parts`` is a string and the places of its parts, which are cut on first use. The C extension has the same
classes; subclasses cannot tell the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

from abnforge._arguments import TextLike, choice_argument
from abnforge._lazy import NotebookView
from abnforge._native import compiled
from abnforge.automata.tables import MAX_KINDS, MAX_REGISTERS
from abnforge.catalog import ArgumentError
from abnforge.messages import message
from abnforge.uri.common.password import without_password


class Component(NotebookView, TextLike):
    """A value that was parsed from a string, which ``str`` returns exactly."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the class and the string, with ``***`` for a password, since reprs end up in logs."""
        return f"{type(self).__name__}({without_password(str(self))!r})"


class AuthorityComponent(Component):
    """A component after the two slashes of a URI."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({without_password(str(self), 'authority')!r})"


# Scheme, authority, path, query and fragment. None is an undefined component, without delimiter; "" is empty.
Five = tuple[str | None, str | None, str, str | None, str | None]


def recompose(
    scheme: str | None, authority: str | None, path: str, query: str | None, fragment: str | None
) -> str:
    """Return the reference with these components."""
    text = path if authority is None else f"//{authority}{path}"
    if scheme is not None:
        text = f"{scheme}:{text}"
    if query is not None:
        text = f"{text}?{query}"
    return text if fragment is None else f"{text}#{fragment}"


def recompose_authority(userinfo: str | None, host: str, port: str | None) -> str:
    """Return the authority with these components (RFC 3986, section 3.2; RFC 2396, section 3.2.2)."""
    text = host if userinfo is None else f"{userinfo}@{host}"
    return text if port is None else f"{text}:{port}"


# Treatment of a path that recomposition would turn into an authority; see :func:`guarded`.
OnAmbiguous = Literal["guard", "literal", "error"]


def ambiguous_argument(value: object) -> None:
    """Raise TypeError or ValueError for a value that is not an option of ``OnAmbiguous``."""
    if value != "guard":
        choice_argument(value, "on_ambiguous", get_args(OnAmbiguous))


def guarded(path: str, on_ambiguous: OnAmbiguous) -> str:
    """Return a path for a reference without an authority.

    Such a path cannot start with "//" (RFC 3986, section 3.3), which would start an authority. ``guard``
    prepends "/.", which resolution removes again; ``literal`` keeps the path; ``error`` raises ValueError.
    """
    ambiguous_argument(on_ambiguous)
    if not path.startswith("//") or on_ambiguous == "literal":
        return path
    if on_ambiguous == "error":
        raise ArgumentError(message("path-reads-as-authority", path=path))
    return "/." + path


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


def lazy_component(kind: type, text: str, rule: str, finder: Finder, clue: object) -> Any:
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
