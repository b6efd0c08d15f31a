"""The component objects of RFC 3986, which are frozen.

Every component is an exact slice of the input: nothing is decoded, lower-cased or repaired. ``None`` is an
undefined component, ``""`` an empty one (section 5.3). An object holds its string and the places of its
components, which are cut on first use: most callers need few of them. This module must not know parsers, and
constructors do not check components against the grammar.
"""

from __future__ import annotations

from dataclasses import FrozenInstanceError, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NoReturn, Self

from abnforge.uri.common.components import (
    AuthorityComponent,
    Component,
    Kind,
    Part,
    Parts,
    recompose,
    recompose_authority,
)

# The components that do not contain other components, in the order of a reference.
COMPONENTS = ("scheme", "userinfo", "host", "port", "path", "query", "fragment")


class HostKind(StrEnum):
    """The rule that matches the host (section 3.2.2). The values are the RFC's rule names."""

    IPV6ADDRESS = "IPv6address"
    IPVFUTURE = "IPvFuture"
    IPV4ADDRESS = "IPv4address"
    REG_NAME = "reg-name"


class PathKind(StrEnum):
    """The rule that matches the path (section 3.3). The values are the RFC's rule names."""

    ABEMPTY = "path-abempty"
    ABSOLUTE = "path-absolute"
    NOSCHEME = "path-noscheme"
    ROOTLESS = "path-rootless"
    EMPTY = "path-empty"


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class Authority(AuthorityComponent):
    """``authority = [ userinfo "@" ] host [ ":" port ]`` (section 3.2).

    ``host`` includes the brackets of an IP-literal and may be empty. ``port`` is a str, because ``*DIGIT``
    can be empty, start with zeros, and have any length.
    """

    userinfo: str | None
    host: str
    host_kind: HostKind
    port: str | None

    def __str__(self) -> str:
        return recompose_authority(self.userinfo, self.host, self.port)

    def parts(self) -> tuple[str | None, str, str | None]:
        """Return userinfo, host, and port as one tuple."""
        return self.userinfo, self.host, self.port

    @property
    def user(self) -> str | None:
        """The userinfo before its first ":"."""
        return None if self.userinfo is None else self.userinfo.partition(":")[0]

    @property
    def password(self) -> str | None:
        """The userinfo after its first ":", or None without ":" (deprecated by section 3.2.1)."""
        if self.userinfo is None:
            return None
        _, colon, password = self.userinfo.partition(":")
        return password if colon else None


# The kinds of a reference by their numbers in tables; 0 is None.
_PATH_KINDS = (None, *PathKind)
_HOST_KINDS = (None, *HostKind)


class Reference(Parts, Component):
    """``URI-reference = URI / relative-ref`` (section 4.1): a :class:`URI` or a :class:`RelativeRef`.

    Two references are equal if they have the same class and string; see :func:`abnforge.uri.equivalent` for
    equivalence. ``rule`` is the rule that parsed the string (``URI-reference``, ``URI``, ``absolute-URI`` or
    ``relative-ref``), and does not count for equality. An assignment raises FrozenInstanceError.
    """

    __slots__ = ()

    rule: str

    def __new__(
        cls,
        scheme: str | None,
        authority_parts: Authority | None,
        path: str,
        path_kind: PathKind,
        query: str | None,
        fragment: str | None,
        rule: str = "URI-reference",
    ) -> Self:
        places: list[int] = []
        at = 0

        def put(text: str | None, before: int = 0, after: int = 0) -> None:
            """Add the place of a component with delimiters of these lengths around it."""
            nonlocal at
            if text is None:
                places.extend((-1, -1))
                return
            places.extend((at + before, at + before + len(text)))
            at += before + len(text) + after

        put(scheme, after=1)
        if authority_parts is None:
            places += (-1,) * 6
        else:
            at += 2
            put(authority_parts.userinfo, after=1)
            put(authority_parts.host)
            put(authority_parts.port, before=1)
        put(path)
        put(query, before=1)
        put(fragment, before=1)
        authority = None if authority_parts is None else str(authority_parts)
        text = recompose(scheme, authority, path, query, fragment)
        host_kind = None if authority_parts is None else authority_parts.host_kind
        kinds = _PATH_KINDS.index(path_kind), _HOST_KINDS.index(host_kind)
        self: Self = super().__new__(cls, text, rule, tuple(places), kinds)
        return self

    def with_rule(self, rule: str) -> Self:
        """Return a copy with another ``rule``."""
        copy: Self = super().__new__(type(self), str(self), rule, self._places, self._kinds)
        return copy

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to {name!r}: a {type(self).__name__} is frozen")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete {name!r}: a {type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return str(self) == str(other)

    def __hash__(self) -> int:
        return hash((type(self), str(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.scheme, self.authority_parts, self.path, self.path_kind, self.query, self.fragment
        return type(self), (*parts, self.rule)

    scheme: str | None = Part(0, 'The scheme, before the first ":".')
    userinfo: str | None = Part(1, 'The userinfo, before the "@" of the authority.')
    host: str | None = Part(2, "The host, with the brackets of an IP-literal. None if the authority is None.")
    port: str | None = Part(3, 'The port, after the last ":" of the authority.')
    path: str = Part(4, "The path. It can be empty, but is never None.")
    query: str | None = Part(5, 'The query, after the first "?".')
    fragment: str | None = Part(6, 'The fragment, after the first "#".')
    path_kind: PathKind = Kind(0, _PATH_KINDS, "The rule that matches the path.")
    host_kind: HostKind | None = Kind(
        1, _HOST_KINDS, "The rule that matches the host; ``0x7f.1`` and ``1.2.3.4.5`` are reg-names."
    )

    if TYPE_CHECKING:  # Parts has it: components in the order of their numbers

        def parts(self) -> tuple[str | None, str | None, str | None, str | None, str, str | None, str | None]:
            """Return scheme, userinfo, host, port, path, query, and fragment as one tuple."""

    @property
    def authority_parts(self) -> Authority | None:
        """The authority as an object, or None."""
        if (host := self.host) is None:
            return None
        assert self.host_kind is not None
        return Authority(self.userinfo, host, self.host_kind, self.port)

    @property
    def authority(self) -> str | None:
        """The authority, between "//" and the path."""
        host = self.host
        return None if host is None else recompose_authority(self.userinfo, host, self.port)

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
    def segments(self) -> tuple[str, ...]:
        """The segments of the path (section 3.3), without slashes.

        ``""`` has none, ``/`` one empty segment, ``/a/b`` and ``a/b`` have ("a", "b"), ``/a/`` has ("a", "").
        Complexity: linear in the path, at every access.
        """
        return tuple(self.path.removeprefix("/").split("/")) if self.path else ()

    def to_dict(self) -> dict[str, Any]:
        """Return the components as plain data for ``json.dumps``. Its keys are stable."""
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

    An absolute-URI is a URI without a fragment.
    """

    __slots__ = ()

    scheme: str = Part(0, 'The scheme, before the first ":".')


class RelativeRef(Reference):
    """``relative-ref = relative-part [ "?" query ] [ "#" fragment ]`` (section 4.2)."""

    __slots__ = ()

    scheme: None = Part(0, "None, because a relative reference starts without a scheme.")
