"""RFC 2396, the edition before RFC 3986: the same functions, with objects in its own terms.

Read first: ``parse`` (strings to component objects), ``components``, ``transformer`` (trees to the same
objects). ``resolve`` is section 5.2. This package must not know RFC 3986.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from abnforge._lazy import lazy as _lazy
from abnforge.uri.rfc2396.components import HostKind, PathKind, Reference, RegName, Segment, Server
from abnforge.uri.rfc2396.parse import explain, is_valid, parse, percent
from abnforge.uri.rfc2396.resolve import resolve

with _lazy:
    from abnforge.uri.rfc2396 import transformer as _transformer

if _TYPE_CHECKING:
    from abnforge.uri.rfc2396.transformer import URITransformer

__all__ = [
    "HostKind",
    "PathKind",
    "Reference",
    "RegName",
    "Segment",
    "Server",
    "URITransformer",
    "explain",
    "is_valid",
    "parse",
    "percent",
    "resolve",
]


def __getattr__(name: str) -> _Any:
    """Import ``URITransformer`` on first use: it needs Lark."""
    if name != "URITransformer":
        raise AttributeError(f"unknown attribute {name!r} of {__name__}")
    return globals().setdefault(name, _transformer.URITransformer)
