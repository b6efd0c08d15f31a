"""Between RFC 2396 and RFC 3986: what changes for a text when one takes the place of the other.

Compared are whether the text is a URI-reference, what its components are, and what it resolves to against a
base. The trees are compared by what their rules derive, as components: nearly every rule has
another name in the other RFC, so that trees as such always differ.
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

# A hostname is what a reg-name of RFC 3986 is for; a registry-based name is the whole authority and says so
# by having no host.
_KINDS = {"hostname": "reg-name"}


class Edition(NamedTuple):
    """One RFC's verbs."""

    parse: Callable[..., Component]
    resolve: Callable[..., Component]


EDITIONS: Mapping[str, Edition] = {
    "rfc2396": Edition(rfc2396.parse, rfc2396.resolve),
    "rfc3986": Edition(rfc3986.parse, rfc3986.resolve),
}


NEWEST_FIRST = tuple(reversed(list(EDITIONS)))
"""The names of the two RFCs, the one in force first."""


class Change(NamedTuple):
    """What one RFC says and the other does not. ``aspect`` is ``valid``, a component's name, or ``target``.

    ``old`` and ``new`` are None for what is undefined; for ``valid`` they are ``"yes"`` and ``"no"``, for
    ``target`` the URI that the text resolves to, None when it cannot be resolved.
    """

    aspect: str
    old: str | None
    new: str | None

    def masked(self) -> Change:
        """The same with every password replaced by ``***``."""
        aspect, *texts = self
        return Change(aspect, *(text if text is None else without_password(text, aspect) for text in texts))


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class EditionDiff:
    """Everything that changes for one text; true if something does.

    ``rejections`` are the explanations of both RFCs, None where the text is valid. ``errors`` are the reasons
    why it could not be resolved against the base.
    """

    text: str
    old: str
    new: str
    changes: tuple[Change, ...]
    rejections: tuple[Rejection | None, Rejection | None]
    errors: tuple[str | None, str | None] = (None, None)

    def __repr__(self) -> str:
        """The text and what changes; a password is replaced by ``***``, since a repr ends up in logs."""
        aspects = ", ".join(change.aspect for change in self.changes)
        return f"EditionDiff({without_password(self.text)!r}: {aspects or 'nothing'})"

    def __bool__(self) -> bool:
        """Whether anything changes."""
        return bool(self.changes)

    @property
    def quotable(self) -> bool:
        """Whether the reasons may be shown: they quote characters of the text, maybe of its password."""
        return without_password(self.text) == self.text

    def to_dict(self) -> dict[str, Any]:
        """As plain data; the keys are stable."""
        return {
            "text": self.text,
            "between": [self.old, self.new],
            "changes": [change._asdict() for change in self.changes],
            "rejections": [r if r is None else r.to_dict() for r in self.rejections],
            "errors": list(self.errors),
        }


def components_of(grammar: str, rule: str, text: str) -> dict[str, Any] | None:
    """The components of a text by a rule of one of the two RFCs, as plain data; None for a rule without.

    Raises KeyError for another grammar, and what ``parse`` raises.
    """
    found = EDITIONS[grammar].parse(text, rule=rule)
    to_dict: Callable[[], dict[str, Any]] | None = getattr(found, "to_dict", None)
    return to_dict and to_dict()


def compare_editions(
    value: str | Component, base: str | Component | None = None, old: str = "rfc2396", new: str = "rfc3986"
) -> EditionDiff:
    """What changes for a text from one RFC to the other: validity, components, target.

    Components are compared when both read the text as a URI-reference, targets when there is a ``base``.
    A host that RFC 2396 says is not there and RFC 3986 that it is empty (``file:///``) is no change, and
    neither is that a hostname is called a reg-name.

    Raises ValueError for an RFC that is not one of the two, TypeError for a value that is neither a str nor a
    component object. Cost: linear for valid texts.
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
    """What a text resolves to, or why it does not. A message shows no password."""
    try:
        return str(edition.resolve(base, text)), None
    except ValueError as error:
        return None, mask_userinfo(str(error))
