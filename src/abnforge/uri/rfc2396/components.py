"""The components of RFC 2396 as frozen values.

As in :mod:`abnforge.uri.rfc3986.components`, components are slices, ``None`` is undefined and ``""``
empty. What RFC 2396 tells apart and RFC 3986 does not is kept: hierarchical from opaque URIs (section 3),
server-based from registry-based authorities (3.2), the labels of a hostname (3.2.2), and the parameters of
each path segment (3.3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from abnforge.uri.common.components import AuthorityComponent, Component, recompose, recompose_authority


class HostKind(StrEnum):
    """The rule that derived the host (section 3.2.2). The values are the rule names."""

    HOSTNAME = "hostname"
    IPV4ADDRESS = "IPv4address"


class PathKind(StrEnum):
    """The rule that derived the path (sections 3 and 5). The values are the rule names."""

    ABS_PATH = "abs-path"
    REL_PATH = "rel-path"
    OPAQUE_PART = "opaque-part"


class Segment(NamedTuple):
    """``segment = *pchar *( ";" param )`` (section 3.3)."""

    name: str
    params: tuple[str, ...] = ()

    def __str__(self) -> str:
        return ";".join((self.name, *self.params))


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class Server(AuthorityComponent):
    """``server = [ [ userinfo "@" ] hostport ]`` (section 3.2.2).

    An empty one has no host, not an empty host: no host rule derives the empty string.
    """

    userinfo: str | None = None
    host: str | None = None
    host_kind: HostKind | None = None
    port: str | None = None

    def __str__(self) -> str:
        return recompose_authority(self.userinfo, self.host or "", self.port)

    def parts(self) -> tuple[str | None, str | None, str | None]:
        """Return userinfo, host, and port as one tuple."""
        return self.userinfo, self.host, self.port

    @property
    def labels(self) -> tuple[str, ...]:
        """The domain labels of a hostname, the top-level one last; empty for an IPv4address or no host.

        A dot at the end, which marks a fully qualified name, makes no further label.
        """
        if self.host is None or self.host_kind is not HostKind.HOSTNAME:
            return ()
        return tuple(self.host.removesuffix(".").split("."))


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class RegName(AuthorityComponent):
    """``reg-name`` (section 3.2.1): the name of a registry-based naming authority."""

    name: str

    def __str__(self) -> str:
        return self.name

    def parts(self) -> tuple[str]:
        """Return the name as a tuple of one."""
        return (self.name,)


@dataclass(frozen=True, slots=True, weakref_slot=True, repr=False)
class Reference(Component):
    """What ``URI-reference``, ``absoluteURI`` and ``relativeURI`` derive (sections 3 to 5).

    ``path`` includes the opaque part, as in the RFC's own ``path = [ abs-path / opaque-part ]``, and
    ``path_kind`` is None when no path rule was used (``http://host``, ``#fragment``). ``rule`` is the rule
    that the text was read as and takes no part in comparison. By section 4 a fragment belongs to the
    reference, not to the URI.
    """

    scheme: str | None
    authority_parts: Server | RegName | None
    path: str
    path_kind: PathKind | None
    query: str | None
    fragment: str | None
    rule: str = field(default="URI-reference", compare=False)

    def __str__(self) -> str:
        """The text, by step 7 of section 5.2."""
        return recompose(self.scheme, self.authority, self.path, self.query, self.fragment)

    def parts(self) -> tuple[str | None, str | None, str | None, str | None, str, str | None, str | None]:
        """Return scheme, userinfo, host, port, path, query, and fragment as one tuple.

        A registry-based authority has none of the three in its middle: :attr:`reg_name` is its text.
        """
        userinfo, host, port = (None, None, None) if self.server is None else self.server.parts()
        return self.scheme, userinfo, host, port, self.path, self.query, self.fragment

    @property
    def is_absolute(self) -> bool:
        """An absoluteURI, with or without a fragment."""
        return self.scheme is not None

    @property
    def is_opaque(self) -> bool:
        """An absoluteURI whose part behind the scheme does not begin with "/" (section 3)."""
        return self.path_kind is PathKind.OPAQUE_PART

    @property
    def is_same_document(self) -> bool:
        """A reference without a URI in it: empty, or a fragment alone (section 4.2)."""
        return self.scheme is None and self.authority_parts is None and self.path_kind is None

    @property
    def authority(self) -> str | None:
        """The text between "//" and the path."""
        return None if self.authority_parts is None else str(self.authority_parts)

    @property
    def server(self) -> Server | None:
        """The authority when it is server-based; what reads as a server is one, for it comes first (3.2)."""
        return self.authority_parts if isinstance(self.authority_parts, Server) else None

    @property
    def reg_name(self) -> str | None:
        """The authority when it is registry-based."""
        return self.authority_parts.name if isinstance(self.authority_parts, RegName) else None

    @property
    def userinfo(self) -> str | None:
        """The text before the "@" of a server."""
        return None if self.server is None else self.server.userinfo

    @property
    def host(self) -> str | None:
        """The hostname or IPv4address of a server."""
        return None if self.server is None else self.server.host

    @property
    def host_kind(self) -> HostKind | None:
        """The rule that derived the host."""
        return None if self.server is None else self.server.host_kind

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of a server's hostname; see :attr:`Server.labels`."""
        return self.server.labels if self.server is not None else ()

    @property
    def port(self) -> str | None:
        """The text behind the ":" of a server."""
        return None if self.server is None else self.server.port

    @property
    def opaque_part(self) -> str | None:
        """Everything behind the scheme of an opaque URI; a "?" in it is data, not the start of a query."""
        return self.path if self.is_opaque else None

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments of a path with their parameters; an opaque part has none.

        The first segment of a rel-path is a ``rel-segment``, where ";" is an ordinary character: it has no
        parameters. Cost: linear in the path, at every access.
        """
        if self.path_kind is PathKind.ABS_PATH:
            return tuple(map(_segment, self.path[1:].split("/")))
        if self.path_kind is PathKind.REL_PATH:
            first, *others = self.path.split("/")
            return Segment(first), *map(_segment, others)
        return ()

    def to_dict(self) -> dict[str, Any]:
        """The components as plain data, ready for ``json.dumps``. The keys are stable."""
        return {
            "rule": self.rule,
            "text": str(self),
            "scheme": self.scheme,
            "opaque_part": self.opaque_part,
            "authority": self.authority,
            "reg_name": self.reg_name,
            "userinfo": self.userinfo,
            "host": self.host,
            "host_kind": self.host_kind and self.host_kind.value,
            "labels": list(self.labels),
            "port": self.port,
            "path": self.path,
            "path_kind": self.path_kind and self.path_kind.value,
            "segments": [{"name": segment.name, "params": list(segment.params)} for segment in self.segments],
            "query": self.query,
            "fragment": self.fragment,
        }


def _segment(text: str) -> Segment:
    # pchar admits neither "/" nor ";" in RFC 2396, so the separators are all there is to find.
    name, *params = text.split(";")
    return Segment(name, tuple(params))
