"""URIs by RFC 3986: parsing, validation, resolution, normalization, comparison and security.

Most names here are those of RFC 3986, from ``rfc3986``. :mod:`abnforge.uri.rfc2396` provides the same
functions for the earlier RFC, with separate classes: ``HostKind``, ``PathKind``, ``Reference`` and
``URITransformer`` exist twice.

Read first: ``rfc3986/parse`` (strings to component objects), ``rfc3986/components`` (the objects),
``rfc3986/transformer`` (parse trees to the same objects). ``scan`` finds URIs in documents, ``security`` is
about valid URIs, ``suffixes`` is about
registrable domains, ``rfc_differences`` compares the two RFCs.

This package must not know ``teaching``, ``notebook`` or the command line.
"""

from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from abnforge._lazy import lazy as _lazy
from abnforge.policies import Policy, policy
from abnforge.uri import rfc2396
from abnforge.uri.common.password import mask_userinfo
from abnforge.uri.common.percent import query_parameters
from abnforge.uri.rfc3986.components import URI, Authority, HostKind, PathKind, Reference, RelativeRef
from abnforge.uri.rfc3986.equivalence import Difference, Equivalence, equivalent
from abnforge.uri.rfc3986.normalize import SYNTAX_BASED, Step, normalize
from abnforge.uri.rfc3986.parse import explain, is_valid, parse, percent
from abnforge.uri.rfc3986.resolve import relativize, remove_dot_segments, resolve
from abnforge.uri.rfc3986.schemes import SCHEMES, WELL_KNOWN_PORTS, Scheme
from abnforge.uri.rfc3986.split import Split, SplitDifference, build, split, split_differences
from abnforge.uri.rfc_differences import Change, EditionDiff, compare_editions
from abnforge.uri.scan import PLAIN_SCHEMES, Found, Wrapper, scan
from abnforge.uri.security import SecurityFinding, Severity, ipv4_number, security
from abnforge.uri.suffixes import SuffixList, suffix_list

with _lazy:
    from abnforge.uri.rfc3986 import transformer as _transformer

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
    "SuffixList",
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
    "query_parameters",
    "relativize",
    "remove_dot_segments",
    "resolve",
    "rfc2396",
    "scan",
    "security",
    "split",
    "split_differences",
    "suffix_list",
]


def __getattr__(name: str) -> _Any:
    """Import ``URITransformer`` on first use: it needs Lark."""
    if name != "URITransformer":
        raise AttributeError(f"unknown attribute {name!r} of {__name__}")
    return globals().setdefault(name, _transformer.URITransformer)
