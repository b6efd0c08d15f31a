"""The components of RFC 3986 as frozen values.

The objects are made by :func:`abnforge.uri.parse`; every component is a slice of the input, as it was
written: nothing is decoded, lower-cased or repaired. ``None`` says that a component is undefined, ``""`` that
it is empty (section 5.3: "we are careful to preserve the distinction between a component that is undefined,
meaning that its separator was not present in the reference, and a component that is empty").

This module knows nothing of parsers. A constructor takes the components from whoever has found them and does
not check them against the grammar again. A pipeline that parses a million URIs asks few of them for
all their components, so an object can also be made from a text and a function that finds the
components when they are asked for (``Reference._lazy``).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass
from enum import StrEnum
from typing import Any, NamedTuple, NoReturn, Self

from abnforge.uri.common.components import AuthorityComponent, Component
from abnforge.uri.common.recompose import recompose, recompose_authority

# The components that are made of no others, in the order of a text.
COMPONENTS = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")


class HostKind(StrEnum):
    """The rule that derived the host (section 3.2.2). The values are the RFC's rule names."""

    IPV6ADDRESS = "IPv6address"
    IPVFUTURE = "IPvFuture"
    IPV4ADDRESS = "IPv4address"
    REG_NAME = "reg-name"


class PathKind(StrEnum):
    """The rule that derived the path (section 3.3). The values are the RFC's rule names."""

    ABEMPTY = "path-abempty"
    ABSOLUTE = "path-absolute"
    NOSCHEME = "path-noscheme"
    ROOTLESS = "path-rootless"
    EMPTY = "path-empty"


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class Authority(AuthorityComponent):
    """``authority = [ userinfo "@" ] host [ ":" port ]`` (section 3.2).

    ``host`` keeps the brackets of an IP-literal and may be empty; ``port`` is text, since ``*DIGIT`` has no
    upper limit and may be empty or begin with zeros.
    """

    userinfo: str | None
    host: str
    host_kind: HostKind
    port: str | None

    def __str__(self) -> str:
        return recompose_authority(self.userinfo, self.host, self.port)

    @property
    def user(self) -> str | None:
        """The userinfo up to its first ":"."""
        return None if self.userinfo is None else self.userinfo.partition(":")[0]

    @property
    def password(self) -> str | None:
        """The userinfo behind its first ":"; None when there is no ":" (deprecated by section 3.2.1)."""
        if self.userinfo is None:
            return None
        _, colon, password = self.userinfo.partition(":")
        return password if colon else None


class Parts(NamedTuple):
    """The components of a reference as its text has them; ``authority_parts`` is made when asked for."""

    scheme: str | None
    authority_parts: Authority | None
    path: str
    path_kind: PathKind
    query: str | None
    fragment: str | None


# A function that finds components, and what it finds them in.
_Unread = tuple[Callable[[Any], Parts], Any]


def _part(name: str, doc: str) -> Any:
    """A read-only component, found with all others when the first of them is asked for."""

    def get(self: Reference) -> Any:
        return getattr(self._parts(), name)

    return property(get, doc=doc)


class Reference(Component):
    """``URI-reference = URI / relative-ref`` (section 4.1): a :class:`URI` or a :class:`RelativeRef`.

    Two references are equal when they are of one class and have the same text, and so the same components.
    ``rule`` is the rule that the text was read as (``URI-reference``, ``URI``, ``absolute-URI`` or
    ``relative-ref``); it tells where an object came from and takes no part in comparison. Rules of
    equivalence are not applied here. Objects are frozen: assigning to one raises FrozenInstanceError.
    """

    __slots__ = ("__weakref__", "_found", "_text", "rule")

    _found: Parts | _Unread
    _text: str
    rule: str

    def __init__(
        self,
        scheme: str | None,
        authority_parts: Authority | None,
        path: str,
        path_kind: PathKind,
        query: str | None,
        fragment: str | None,
        rule: str = "URI-reference",
    ) -> None:
        parts = Parts(scheme, authority_parts, path, path_kind, query, fragment)
        _set_found(self, parts)
        authority = None if authority_parts is None else str(authority_parts)
        _set_text(self, recompose(scheme, authority, path, query, fragment))
        _set_rule(self, rule)

    @classmethod
    def _lazy(cls, text: str, find: Callable[[Any], Parts], clue: object, rule: str) -> Self:
        """The reference with a text known to be valid; its components are ``find(clue)``, when asked for."""
        self = cls.__new__(cls)
        _set_found(self, (find, clue))
        _set_text(self, text)
        _set_rule(self, rule)
        return self

    def with_rule(self, rule: str) -> Self:
        """The same reference, read as another rule."""
        return self._lazy(self._text, type(self)._parts, self, rule)

    def _parts(self) -> Parts:
        found = self._found
        if not isinstance(found, Parts):
            find, clue = found
            found = find(clue)
            _set_found(self, found)
        return found

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to {name!r}: a {type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete {name!r}: a {type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return self._text == other._text

    def __hash__(self) -> int:
        return hash((type(self), self._text))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self._parts(), self.rule)

    def __str__(self) -> str:
        return self._text

    scheme: str | None = _part("scheme", 'The text before the first ":".')
    authority_parts: Authority | None = _part("authority_parts", 'What stands between "//" and the path.')
    path: str = _part("path", "The path; it is never undefined, but may be empty.")
    path_kind: PathKind = _part("path_kind", "The rule that derived the path.")
    query: str | None = _part("query", 'The text behind the first "?".')
    fragment: str | None = _part("fragment", 'The text behind the first "#".')

    @property
    def authority(self) -> str | None:
        """The text between "//" and the path."""
        parts = self.authority_parts
        return None if parts is None else str(parts)

    @property
    def userinfo(self) -> str | None:
        """The text before the "@" of the authority."""
        parts = self.authority_parts
        return None if parts is None else parts.userinfo

    @property
    def user(self) -> str | None:
        """See :attr:`Authority.user`."""
        parts = self.authority_parts
        return None if parts is None else parts.user

    @property
    def password(self) -> str | None:
        """See :attr:`Authority.password`."""
        parts = self.authority_parts
        return None if parts is None else parts.password

    @property
    def host(self) -> str | None:
        """The host as it was written, with the brackets of an IP-literal. Defined when the authority is."""
        parts = self.authority_parts
        return None if parts is None else parts.host

    @property
    def host_kind(self) -> HostKind | None:
        """The rule that derived the host; ``0x7f.1`` and ``1.2.3.4.5`` are reg-names."""
        parts = self.authority_parts
        return None if parts is None else parts.host_kind

    @property
    def port(self) -> str | None:
        """The text behind the ":" of the authority's end."""
        parts = self.authority_parts
        return None if parts is None else parts.port

    @property
    def segments(self) -> tuple[str, ...]:
        """The path's segments (section 3.3), in order: what stands between the slashes.

        ``""`` has no segment, ``/`` one empty segment, ``/a/b`` and ``a/b`` both ("a", "b"), and ``/a/``
        ("a", ""). ``path_kind`` tells a leading "/" from none. Cost: linear in the path, at every access.
        """
        # No segment rule admits "/", and every "/" of a path stands before a segment.
        return tuple(self.path.removeprefix("/").split("/")) if self.path else ()

    def to_dict(self) -> dict[str, Any]:
        """The components as plain data, ready for ``json.dumps``. The keys are stable."""
        return {
            "rule": self.rule,
            "text": str(self),
            "scheme": self.scheme,
            "authority": self.authority,
            "userinfo": self.userinfo,
            "host": self.host,
            "host_kind": self.host_kind and self.host_kind.value,
            "port": self.port,
            "path": self.path,
            "path_kind": self.path_kind.value,
            "segments": list(self.segments),
            "query": self.query,
            "fragment": self.fragment,
        }


class URI(Reference):
    """``URI = scheme ":" hier-part [ "?" query ] [ "#" fragment ]`` (section 3).

    An absolute-URI is one without a fragment.
    """

    __slots__ = ()

    scheme: str = _part("scheme", 'The text before the first ":".')


class RelativeRef(Reference):
    """``relative-ref = relative-part [ "?" query ] [ "#" fragment ]`` (section 4.2)."""

    __slots__ = ()

    scheme: None = _part("scheme", "None: a relative reference has no scheme.")


# The slots' own setters, which go past the frozen __setattr__.
_set_found: Callable[[Reference, Parts | _Unread], None] = Reference.__dict__["_found"].__set__
_set_text: Callable[[Reference, str], None] = Reference.__dict__["_text"].__set__
_set_rule: Callable[[Reference, str], None] = Reference.__dict__["rule"].__set__
