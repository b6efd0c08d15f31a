"""URIs by RFC 3986: components, validity, and why not. :mod:`abnforge.uri.rfc2396` is the earlier edition."""

from abnforge.uri import percent, rfc2396
from abnforge.uri.api import explain, is_valid, parse
from abnforge.uri.between import Between, Change, between
from abnforge.uri.build import build
from abnforge.uri.components import URI, Authority, HostKind, PathKind, Reference, RelativeRef
from abnforge.uri.equivalence import Difference, Equivalence, equivalent
from abnforge.uri.mask import mask_userinfo
from abnforge.uri.normalize import SYNTAX_BASED, Step, normalize
from abnforge.uri.paths import remove_dot_segments
from abnforge.uri.relativize import relativize
from abnforge.uri.resolve import resolve
from abnforge.uri.scan import PLAIN_SCHEMES, Found, Wrapper, scan
from abnforge.uri.schemes import SCHEMES, Scheme
from abnforge.uri.security import WELL_KNOWN_PORTS, SecurityFinding, Severity, ipv4_number, security
from abnforge.uri.split import Split, SplitDifference, split, split_differences

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
