"""RFC 3986: components, resolution, normalization, comparison, percent-encoding."""

from abnforge.uri.rfc3986.build import build
from abnforge.uri.rfc3986.components import URI, Authority, HostKind, PathKind, Reference, RelativeRef
from abnforge.uri.rfc3986.equivalence import Difference, Equivalence, equivalent
from abnforge.uri.rfc3986.normalize import SYNTAX_BASED, Step, normalize
from abnforge.uri.rfc3986.parse import explain, is_valid, parse, percent
from abnforge.uri.rfc3986.resolve import relativize, remove_dot_segments, resolve
from abnforge.uri.rfc3986.schemes import SCHEMES, WELL_KNOWN_PORTS, Scheme
from abnforge.uri.rfc3986.split import Split, SplitDifference, split, split_differences

__all__ = [
    "SCHEMES",
    "SYNTAX_BASED",
    "URI",
    "WELL_KNOWN_PORTS",
    "Authority",
    "Difference",
    "Equivalence",
    "HostKind",
    "PathKind",
    "Reference",
    "RelativeRef",
    "Scheme",
    "Split",
    "SplitDifference",
    "Step",
    "build",
    "equivalent",
    "explain",
    "is_valid",
    "normalize",
    "parse",
    "percent",
    "relativize",
    "remove_dot_segments",
    "resolve",
    "split",
    "split_differences",
]
