"""Differences between RFC 2396 and RFC 3986 for a string: validity, components, and the resolved URI.

Trees are not compared: nearly every rule has another name in the other RFC. The components of both are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from abnforge._arguments import choice_argument, text_argument
from abnforge.errors import Rejected
from abnforge.rejection import Rejection
from abnforge.uri import rfc2396, rfc3986
from abnforge.uri.common.components import Component
from abnforge.uri.common.password import mask_userinfo, without_password

COMPONENTS = ("scheme", "authority", "userinfo", "host", "host_kind", "port", "path", "query", "fragment")

# RFC 3986 calls a hostname a reg-name. A registry-based name of RFC 2396 is a whole authority without a host.
_KINDS = {"hostname": "reg-name"}


class Edition(NamedTuple):
    """The functions of one RFC."""

    parse: Callable[..., Component]
    resolve: Callable[..., Component]


EDITIONS: Mapping[str, Edition] = {
    "rfc2396": Edition(rfc2396.parse, rfc2396.resolve),
    "rfc3986": Edition(rfc3986.parse, rfc3986.resolve),
}


NEWEST_FIRST = tuple(reversed(list(EDITIONS)))  # the names of the two RFCs, the current one first


class Change(NamedTuple):
    """A difference for a string. ``aspect`` is ``valid``, the name of a component, or ``target``.

    ``old`` and ``new`` are None if the component is undefined, or the string cannot be resolved. For
    ``valid`` they are ``"yes"`` and ``"no"``, for ``target`` the resolved URI.
    """

    aspect: str
    old: str | None
    new: str | None

    def masked(self) -> Change:
        """Return a copy with ``***`` for each password."""
        aspect, *texts = self
        return Change(aspect, *(text if text is None else without_password(text, aspect) for text in texts))


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class EditionDiff:
    """All differences for a string; true if it has any.

    ``rejections`` are those of both RFCs, None if the string is valid. ``errors`` are the reasons why it
    cannot be resolved against the base.
    """

    text: str
    old: str
    new: str
    changes: tuple[Change, ...]
    rejections: tuple[Rejection | None, Rejection | None]
    errors: tuple[str | None, str | None] = (None, None)

    def __repr__(self) -> str:
        """Return the string and the aspects that differ, with ``***`` for a password."""
        aspects = ", ".join(change.aspect for change in self.changes)
        return f"EditionDiff({without_password(self.text)!r}: {aspects or 'nothing'})"

    def __bool__(self) -> bool:
        """Return whether the two RFCs differ."""
        return bool(self.changes)

    @property
    def quotable(self) -> bool:
        """True if the rejections can be shown: they quote characters of the string, maybe of a password."""
        return without_password(self.text) == self.text

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for ``json.dumps``. Its keys are stable."""
        return {
            "text": self.text,
            "between": [self.old, self.new],
            "changes": [change._asdict() for change in self.changes],
            "rejections": [r if r is None else r.to_dict() for r in self.rejections],
            "errors": list(self.errors),
        }


def components_of(grammar: str, rule: str, text: str) -> dict[str, Any] | None:
    """Return the components of a string by a rule of one RFC as plain data; None for a rule without any.

    Raises: KeyError for another grammar; else as ``parse``.
    """
    parsed = EDITIONS[grammar].parse(text, rule=rule)
    to_dict: Callable[[], dict[str, Any]] | None = getattr(parsed, "to_dict", None)
    return to_dict and to_dict()


def compare_editions(
    value: str | Component, base: str | Component | None = None, old: str = "rfc2396", new: str = "rfc3986"
) -> EditionDiff:
    """Compare two RFCs for a string: validity as URI-reference, components, and the URI resolved by ``base``.

    Components are compared if the string is valid by both. Two differences do not count: an undefined host of
    RFC 2396 that is empty by RFC 3986 (``file:///``), and the kinds hostname and reg-name.

    Raises: ValueError for another RFC; TypeError.
    Complexity: linear for valid strings.
    """
    old, new = choice_argument(old, "old", tuple(EDITIONS)), choice_argument(new, "new", tuple(EDITIONS))
    text = text_argument(value, "value")
    base = None if base is None else text_argument(base, "base")
    before, after = (_read(EDITIONS[name], text) for name in (old, new))
    changes: list[Change] = []
    rejections = tuple(read if isinstance(read, Rejection) else None for read in (before, after))
    if rejections == (None, None):
        pairs = ((name, _component(before, name), _component(after, name)) for name in COMPONENTS)
        changes += [Change(*pair) for pair in pairs if pair[1] != pair[2]]
    elif None in rejections:
        changes.append(Change("valid", *("yes" if r is None else "no" for r in rejections)))
    errors: tuple[str | None, str | None] = (None, None)
    if base is not None:
        (was, first), (is_now, second) = (_target(EDITIONS[name], base, text) for name in (old, new))
        errors = (first, second)
        if was != is_now:
            changes.append(Change("target", was, is_now))
    return EditionDiff(text, old, new, tuple(changes), (rejections[0], rejections[1]), errors)


def _read(edition: Edition, text: str) -> Component | Rejection:
    try:
        return edition.parse(text)
    except Rejected as error:
        return error.rejection


def _component(reference: Any, name: str) -> str | None:
    value = getattr(reference, name)
    if name in ("host", "host_kind") and not reference.host:
        return None
    return None if value is None else _KINDS.get(value, str(value))


def _target(edition: Edition, base: str, text: str) -> tuple[str | None, str | None]:
    """Return the resolved URI, or the reason why the string cannot be resolved, without passwords."""
    try:
        return str(edition.resolve(base, text)), None
    except ValueError as error:
        return None, mask_userinfo(str(error))
