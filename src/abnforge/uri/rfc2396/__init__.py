"""RFC 2396, the edition before RFC 3986: the same verbs, with objects in its own terms."""

from abnforge.uri.rfc2396 import percent
from abnforge.uri.rfc2396.components import HostKind, PathKind, Reference, RegName, Segment, Server
from abnforge.uri.rfc2396.parse import explain, is_valid, parse
from abnforge.uri.rfc2396.resolve import resolve

__all__ = [
    "HostKind",
    "PathKind",
    "Reference",
    "RegName",
    "Segment",
    "Server",
    "explain",
    "is_valid",
    "parse",
    "percent",
    "resolve",
]
