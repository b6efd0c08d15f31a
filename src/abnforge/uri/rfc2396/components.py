"""The component objects of RFC 2396, which are frozen.

Every component is an exact slice of the input; ``None`` is undefined and ``""`` empty. RFC 2396 distinguishes
hierarchical and opaque URIs (section 3), and server-based and registry-based authorities (3.2). A hostname
has labels (3.2.2), and a path segment has parameters (3.3).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from abnforge.uri.common.components import AuthorityComponent, Component, recompose, recompose_authority


class HostKind(StrEnum):
    """The rule that matches the host (section 3.2.2). The values are the rule names."""

    HOSTNAME = "hostname"
    IPV4ADDRESS = "IPv4address"


class PathKind(StrEnum):
    """The rule that matches the path (sections 3 and 5). The values are the rule names."""

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

    The host of an empty one is undefined: the empty string does not match a host rule.
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
        """The domain labels of a hostname; a final dot is ignored. None for an IPv4address or no host."""
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
    """A ``URI-reference``, ``absoluteURI`` or ``relativeURI`` (sections 3 to 5).

    ``path`` includes the opaque part, as in ``path = [ abs-path / opaque-part ]``. ``path_kind`` is None
    without a path (``http://host``, ``#fragment``). ``rule`` is the rule that parsed the string, and does not
    count for equality. A fragment belongs to the reference, not to the URI (section 4).
    """

    scheme: str | None
    authority_parts: Server | RegName | None
    path: str
    path_kind: PathKind | None
    query: str | None
    fragment: str | None
    rule: str = field(default="URI-reference", compare=False)

    def __str__(self) -> str:
        """Return the string, by step 7 of section 5.2."""
        return recompose(self.scheme, self.authority, self.path, self.query, self.fragment)

    def parts(self) -> tuple[str | None, str | None, str | None, str | None, str, str | None, str | None]:
        """Return scheme, userinfo, host, port, path, query, and fragment as one tuple.

        Userinfo, host and port are None for a registry-based authority: see :attr:`reg_name`.
        """
        userinfo, host, port = (None, None, None) if self.server is None else self.server.parts()
        return self.scheme, userinfo, host, port, self.path, self.query, self.fragment

    @property
    def is_absolute(self) -> bool:
        """True for an absoluteURI, with or without a fragment."""
        return self.scheme is not None

    @property
    def is_opaque(self) -> bool:
        """True for an absoluteURI without "/" after its scheme (section 3)."""
        return self.path_kind is PathKind.OPAQUE_PART

    @property
    def is_same_document(self) -> bool:
        """True for an empty reference, and for a fragment only (section 4.2)."""
        return self.scheme is None and self.authority_parts is None and self.path_kind is None

    @property
    def authority(self) -> str | None:
        """The authority, between "//" and the path."""
        return None if self.authority_parts is None else str(self.authority_parts)

    @property
    def server(self) -> Server | None:
        """The authority if it is server-based, which has priority (section 3.2), or None."""
        return self.authority_parts if isinstance(self.authority_parts, Server) else None

    @property
    def reg_name(self) -> str | None:
        """The authority if it is registry-based, or None."""
        return self.authority_parts.name if isinstance(self.authority_parts, RegName) else None

    @property
    def userinfo(self) -> str | None:
        """The userinfo of a server, before "@"."""
        return None if self.server is None else self.server.userinfo

    @property
    def host(self) -> str | None:
        """The hostname or IPv4address of a server."""
        return None if self.server is None else self.server.host

    @property
    def host_kind(self) -> HostKind | None:
        """The rule that matches the host."""
        return None if self.server is None else self.server.host_kind

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of a server's hostname; see :attr:`Server.labels`."""
        return self.server.labels if self.server is not None else ()

    @property
    def port(self) -> str | None:
        """The port of a server, after ":"."""
        return None if self.server is None else self.server.port

    @property
    def opaque_part(self) -> str | None:
        """The opaque part, after the scheme, where "?" is data; None for other URIs."""
        return self.path if self.is_opaque else None

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The segments of a path with their parameters; an opaque part does not have segments.

        The first segment of a rel-path is a ``rel-segment``, which does not have parameters: ";" is data.
        Complexity: linear in the path, at every access.
        """
        if self.path_kind is PathKind.ABS_PATH:
            return tuple(map(_segment, self.path[1:].split("/")))
        if self.path_kind is PathKind.REL_PATH:
            first, *others = self.path.split("/")
            return Segment(first), *map(_segment, others)
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Return the components as plain data for ``json.dumps``. Its keys are stable."""
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
    # In RFC 2396, pchar includes neither "/" nor ";".
    name, *params = text.split(";")
    return Segment(name, tuple(params))
