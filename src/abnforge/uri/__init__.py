"""URIs by RFC 3986: components, validity, and why not. :mod:`abnforge.uri.rfc2396` is the earlier edition."""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from abnforge._lazy import importing as _importing
from abnforge.uri import rfc2396
from abnforge.uri.common.password import mask_userinfo
from abnforge.uri.policies import Policy, policy
from abnforge.uri.rfc3986 import (
    SCHEMES,
    SYNTAX_BASED,
    URI,
    WELL_KNOWN_PORTS,
    Authority,
    Difference,
    Equivalence,
    HostKind,
    PathKind,
    Reference,
    RelativeRef,
    Scheme,
    Split,
    SplitDifference,
    Step,
    build,
    equivalent,
    explain,
    is_valid,
    normalize,
    parse,
    percent,
    relativize,
    remove_dot_segments,
    resolve,
    split,
    split_differences,
)
from abnforge.uri.rfc_differences import Change, EditionDiff, compare_editions
from abnforge.uri.scan import PLAIN_SCHEMES, Found, Wrapper, scan
from abnforge.uri.security import SecurityFinding, Severity, ipv4_number, security

if _TYPE_CHECKING:
    from abnforge.uri.rfc3986.transformer import URITransformer

__all__ = [
    "PLAIN_SCHEMES",
    "SCHEMES",
    "SYNTAX_BASED",
    "URI",
    "WELL_KNOWN_PORTS",
    "Authority",
    "Change",
    "Difference",
    "EditionDiff",
    "Equivalence",
    "Found",
    "HostKind",
    "PathKind",
    "Policy",
    "Reference",
    "RelativeRef",
    "Scheme",
    "SecurityFinding",
    "Severity",
    "Split",
    "SplitDifference",
    "Step",
    "URITransformer",
    "Wrapper",
    "build",
    "compare_editions",
    "equivalent",
    "explain",
    "ipv4_number",
    "is_valid",
    "mask_userinfo",
    "normalize",
    "parse",
    "percent",
    "policy",
    "relativize",
    "remove_dot_segments",
    "resolve",
    "rfc2396",
    "scan",
    "security",
    "split",
    "split_differences",
]


def __getattr__(name: str) -> _Any:
    """Import ``URITransformer`` on first use: it needs Lark."""
    if name != "URITransformer":
        raise AttributeError(f"unknown attribute {name!r} of {__name__}")
    with _importing:
        from abnforge.uri.rfc3986.transformer import URITransformer

    globals()[name] = URITransformer
    return URITransformer
