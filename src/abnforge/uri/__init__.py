"""URIs by RFC 3986: components, validity, and why not. :mod:`abnforge.uri.rfc2396` is the earlier edition."""

from abnforge.uri import rfc2396
from abnforge.uri.api import explain, is_valid, parse
from abnforge.uri.components import URI, Authority, HostKind, PathKind, Reference, RelativeRef
from abnforge.uri.mask import mask_userinfo
from abnforge.uri.scan import PLAIN_SCHEMES, Found, Wrapper, scan
from abnforge.uri.security import WELL_KNOWN_PORTS, SecurityFinding, Severity, ipv4_number, security
from abnforge.uri.split import Split, SplitDifference, split, split_differences

__all__ = [
    "PLAIN_SCHEMES",
    "URI",
    "WELL_KNOWN_PORTS",
    "Authority",
    "Found",
    "HostKind",
    "PathKind",
    "Reference",
    "RelativeRef",
    "SecurityFinding",
    "Severity",
    "Split",
    "SplitDifference",
    "Wrapper",
    "explain",
    "ipv4_number",
    "is_valid",
    "mask_userinfo",
    "parse",
    "rfc2396",
    "scan",
    "security",
    "split",
    "split_differences",
]
