"""The components of RFC 3986 as frozen values.

The objects are made by :func:`abnforge.uri.parse`; every component is a slice of the input, as it was
written: nothing is decoded, lower-cased or repaired. ``None`` says that a component is undefined, ``""`` that
it is empty (section 5.3: "we are careful to preserve the distinction between a component that is undefined,
meaning that its separator was not present in the reference, and a component that is empty"). That is also why
the text need not be kept beside the components: recomposing them gives it back exactly.

This module knows nothing of parsers. A constructor takes the components from whoever has found them and does
not check them against the grammar again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from abnforge.uri.component import AuthorityComponent, Component


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


@dataclass(frozen=True, slots=True, repr=False)
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
        text = self.host
        if self.userinfo is not None:
            text = f"{self.userinfo}@{text}"
        if self.port is not None:
            text = f"{text}:{self.port}"
        return text

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


@dataclass(frozen=True, slots=True, repr=False)
class Reference(Component):
    """``URI-reference = URI / relative-ref`` (section 4.1): a :class:`URI` or a :class:`RelativeRef`.

    Two references are equal when they are of one class and have the same components, and so the same text.
    ``rule`` is the rule that the text was read as (``URI-reference``, ``URI``, ``absolute-URI`` or
    ``relative-ref``); it tells where an object came from and takes no part in comparison. Rules of
    equivalence are not applied here.
    """

    scheme: str | None
    authority_parts: Authority | None
    path: str
    path_kind: PathKind
    query: str | None
    fragment: str | None
    rule: str = field(default="URI-reference", compare=False)

    def __str__(self) -> str:
        """The text, by section 5.3 (component recomposition)."""
        text = self.path
        if self.authority_parts is not None:
            text = f"//{self.authority_parts}{text}"
        if self.scheme is not None:
            text = f"{self.scheme}:{text}"
        if self.query is not None:
            text = f"{text}?{self.query}"
        if self.fragment is not None:
            text = f"{text}#{self.fragment}"
        return text

    @property
    def authority(self) -> str | None:
        """The text between "//" and the path."""
        return None if self.authority_parts is None else str(self.authority_parts)

    @property
    def userinfo(self) -> str | None:
        """The text before the "@" of the authority."""
        return None if self.authority_parts is None else self.authority_parts.userinfo

    @property
    def user(self) -> str | None:
        """See :attr:`Authority.user`."""
        return None if self.authority_parts is None else self.authority_parts.user

    @property
    def password(self) -> str | None:
        """See :attr:`Authority.password`."""
        return None if self.authority_parts is None else self.authority_parts.password

    @property
    def host(self) -> str | None:
        """The host as it was written, with the brackets of an IP-literal. Defined when the authority is."""
        return None if self.authority_parts is None else self.authority_parts.host

    @property
    def host_kind(self) -> HostKind | None:
        """The rule that derived the host; ``0x7f.1`` and ``1.2.3.4.5`` are reg-names."""
        return None if self.authority_parts is None else self.authority_parts.host_kind

    @property
    def port(self) -> str | None:
        """The text behind the ":" of the authority's end."""
        return None if self.authority_parts is None else self.authority_parts.port

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


@dataclass(frozen=True, slots=True, repr=False)
class URI(Reference):
    """``URI = scheme ":" hier-part [ "?" query ] [ "#" fragment ]`` (section 3).

    An absolute-URI is one without a fragment.
    """

    scheme: str


@dataclass(frozen=True, slots=True, repr=False)
class RelativeRef(Reference):
    """``relative-ref = relative-part [ "?" query ] [ "#" fragment ]`` (section 4.2)."""

    scheme: None
