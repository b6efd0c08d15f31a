"""URIs by RFC 3986: components, validity, and why not. :mod:`abnforge.uri.rfc2396` is the earlier edition."""

from abnforge.uri import rfc2396
from abnforge.uri.common.password import mask_userinfo
from abnforge.uri.editions import Between, Change, between
from abnforge.uri.rfc3986 import percent
from abnforge.uri.rfc3986.build import build
from abnforge.uri.rfc3986.components import URI, Authority, HostKind, PathKind, Reference, RelativeRef
from abnforge.uri.rfc3986.dot_segments import remove_dot_segments
from abnforge.uri.rfc3986.equivalence import Difference, Equivalence, equivalent
from abnforge.uri.rfc3986.normalize import SYNTAX_BASED, Step, normalize
from abnforge.uri.rfc3986.parse import explain, is_valid, parse
from abnforge.uri.rfc3986.relativize import relativize
from abnforge.uri.rfc3986.resolve import resolve
from abnforge.uri.rfc3986.schemes import SCHEMES, Scheme
from abnforge.uri.rfc3986.split import Split, SplitDifference, split, split_differences
from abnforge.uri.scan import PLAIN_SCHEMES, Found, Wrapper, scan
from abnforge.uri.security import WELL_KNOWN_PORTS, SecurityFinding, Severity, ipv4_number, security

__all__ = [
    "PLAIN_SCHEMES",
    "SCHEMES",
    "SYNTAX_BASED",
    "URI",
    "WELL_KNOWN_PORTS",
    "Authority",
    "Between",
    "Change",
    "Difference",
    "Equivalence",
    "Found",
    "HostKind",
    "PathKind",
    "Reference",
    "RelativeRef",
    "Scheme",
    "SecurityFinding",
    "Severity",
    "Split",
    "SplitDifference",
    "Step",
    "Wrapper",
    "between",
    "build",
    "equivalent",
    "explain",
    "ipv4_number",
    "is_valid",
    "mask_userinfo",
    "normalize",
    "parse",
    "percent",
    "relativize",
    "remove_dot_segments",
    "resolve",
    "rfc2396",
    "scan",
    "security",
    "split",
    "split_differences",
]
