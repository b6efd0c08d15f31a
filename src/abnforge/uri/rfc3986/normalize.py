"""Normalization (RFC 3986, section 6.2), step by step.

Only changes that the specification allows are made: the delimiter of an empty query or fragment stays, and
the userinfo except its percent-encodings.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import StrEnum
from functools import cache
from ipaddress import IPv6Address
from typing import NamedTuple

from abnforge._arguments import (
    choice_argument,
    function_argument,
    instance_argument,
    names_argument,
    text_argument,
)
from abnforge.catalog import ArgumentError
from abnforge.messages import message
from abnforge.uri.common.components import Component, guarded, recompose, recompose_authority
from abnforge.uri.rfc3986.components import URI, RelativeRef
from abnforge.uri.rfc3986.parse import parse, percent
from abnforge.uri.rfc3986.resolve import remove_dot_segments
from abnforge.uri.rfc3986.schemes import GENERIC, SCHEMES, Scheme
from abnforge.uri.rfc3986.split import known_relative_ref, known_uri, normalized, split_text

# Returns the equivalent URI that a protocol prefers (section 6.2.4).
Protocol = Callable[[URI], str | Component]


class Step(StrEnum):
    """A step of normalization, which removes one kind of difference between equivalent URIs."""

    CASE = "case"  # scheme and host in lower case, triplets in upper case
    PERCENT_ENCODING = "percent-encoding"  # no triplets for unreserved characters
    DOT_SEGMENTS = "dot-segments"  # no "." and ".." in the path of a URI
    EMPTY_PORT = "empty-port"  # no ":" before an empty port
    IPV6 = "ipv6"  # one spelling for an IPv6 address
    SCHEME = "scheme"  # by the specification of the scheme
    PROTOCOL = "protocol"  # by a function of the caller


SYNTAX_BASED = (Step.CASE, Step.PERCENT_ENCODING, Step.DOT_SEGMENTS, Step.EMPTY_PORT)
"""The steps for every scheme (RFC 3986, section 6.2.2), and the removal of an empty port (6.2.3)."""

SECTIONS: Mapping[Step, str] = {
    Step.CASE: "6.2.2.1",
    Step.PERCENT_ENCODING: "6.2.2.2",
    Step.DOT_SEGMENTS: "6.2.2.3",
    Step.EMPTY_PORT: "3.2",
    Step.SCHEME: "6.2.3",
    Step.PROTOCOL: "6.2.4",
    Step.IPV6: "RFC 5952, 4",
}


def normalize(
    value: str | Component,
    *,
    steps: Collection[str] = SYNTAX_BASED,
    scheme: bool = False,
    schemes: Mapping[str, Scheme] = SCHEMES,
    protocol: Protocol | None = None,
) -> URI | RelativeRef:
    """Return a reference in normal form, by ``steps`` in any order; the default is section 6.2.2.

    ``scheme=True`` adds :attr:`Step.SCHEME`, by the registry ``schemes`` (names in lower case). Other schemes
    have the general rules of section 6.2.3. ``protocol`` adds :attr:`Step.PROTOCOL`: after all other
    steps, it is called with the URI. It returns an equivalent URI, which must be valid and stays unchanged.
    :attr:`Step.IPV6` is not part of RFC 3986.

    A relative reference keeps its dot-segments: resolve it first (section 5.2.1). A path that would start
    with "//" without an authority keeps its "/.". Normalization is idempotent, and its result is valid.

    Raises: Rejected for a string that is not a URI-reference; ValueError for an unknown step; TypeError.
    Complexity: linear.
    """
    usual = steps is SYNTAX_BASED and not scheme
    if usual and normalized is not None and protocol is None and schemes is SCHEMES:
        native = normalized(value)
        if native is not None:
            return native
    plan = _SYNTAX_PLAN if usual else _plan(_chosen(steps), bool(scheme))
    if schemes is not SCHEMES:
        instance_argument(schemes, "schemes", Mapping, "a mapping of schemes by name")
    if protocol is not None:
        function_argument(protocol, "protocol")
    if plan.protocol and protocol is None:
        raise ArgumentError(message("protocol-missing"))
    reference = value if isinstance(value, (URI, RelativeRef)) else parse(text_argument(value, "value"))
    if usual and protocol is None and _is_normal(reference):
        return reference
    text = normal = str(reference)
    if "%" in text:  # decoding unreserved characters does not move the borders of components
        if plan.percent_encoding:
            normal = percent.decode_unreserved(normal)
        if plan.case:
            normal = percent.uppercase_triplets(normal)
    name, authority, path, query, fragment = split_text(normal)
    if plan.case:
        name = name and name.lower()
        if authority and not authority.islower():
            authority = _lower_host(authority)
    if plan.dot_segments and name is not None:
        path = remove_dot_segments(path)
    if plan.empty_port and authority and authority[-1] == ":":
        authority = authority[:-1]
    if plan.ipv6 and authority:
        authority = _ipv6(authority)
    if plan.scheme and name is not None:
        authority, path = _by_scheme(schemes.get(name.lower(), GENERIC), authority, path)
    if authority is None and path[:2] == "//":
        path = guarded(path, "guard")
    normal = recompose(name, authority, path, query, fragment)
    result = reference
    if normal != text:
        if name is None:
            result = known_relative_ref(normal)
        else:  # the function of a scheme can return any path
            result = parse(normal, "URI") if plan.scheme else known_uri(normal)
    if protocol is not None and isinstance(result, URI):
        return parse(protocol(result), "URI")
    return result


class _Plan(NamedTuple):
    """Flags for the steps, in the order of :class:`Step`."""

    case: bool
    percent_encoding: bool
    dot_segments: bool
    empty_port: bool
    ipv6: bool
    scheme: bool
    protocol: bool


def _chosen(steps: Collection[str]) -> frozenset[str]:
    if type(steps) is not list and type(steps) is not tuple:
        steps = names_argument(steps, "steps", "steps")
    try:
        return frozenset(steps)
    except TypeError:  # something in it cannot be in a set
        return frozenset(names_argument(steps, "steps", "steps"))


@cache
def _plan(steps: frozenset[str], scheme: bool) -> _Plan:
    for step in sorted(names_argument(steps, "steps", "steps")):
        choice_argument(step, "each of steps", tuple(Step))
    steps = steps | {Step.SCHEME} if scheme else steps
    return _Plan(*(step in steps for step in Step))


_SYNTAX_PLAN = _plan(frozenset(SYNTAX_BASED), False)


def _lower_host(authority: str) -> str:
    """Return an authority with its host in lower case, but triplets in upper case."""
    userinfo, at, host = authority.rpartition("@")
    return userinfo + at + percent.uppercase_triplets(host.lower())  # a port contains digits only


def _split_authority(authority: str) -> tuple[str | None, str, str | None]:
    """Return userinfo, host and port of a valid authority."""
    userinfo, at, rest = authority.rpartition("@")
    bracket = rest.find("]") + 1
    name, colon, port = rest[bracket:].partition(":")
    return userinfo if at else None, rest[:bracket] + name, port if colon else None


def _by_scheme(facts: Scheme, authority: str | None, path: str) -> tuple[str | None, str]:
    """Return authority and path by section 6.2.3 and the facts about a scheme."""
    if authority is not None:
        userinfo, host, port = _split_authority(authority)
        # Not int(): a port can have any number of digits.
        if port is not None and (not port or (port.lstrip("0") or "0") == facts.default_port):
            port = None
        if facts.default_host is not None and host.lower() in ("", facts.default_host):
            # "If, however, either the userinfo or port subcomponent is non-empty, then the host should be
            # given explicitly even if it matches the default."
            host = facts.default_host if userinfo or port else ""
        authority = recompose_authority(userinfo, host, port)
        if not path and facts.rooted:
            path = "/"
    elif facts.default_host is not None and path.startswith("/"):
        authority = ""
    return authority, facts.path(path) if facts.path is not None else path


def _is_normal(reference: URI | RelativeRef) -> bool:
    """Return whether the syntax-based steps certainly change nothing: a quick check for most URIs."""
    text = str(reference)
    if "%" in text or "/." in text:
        return False
    scheme, host, path = reference.scheme, reference.host, reference.path
    if scheme is not None and not (scheme.islower() and path[:1] != "."):
        return False
    if host is None:
        return path[:2] != "//"
    return (host.islower() or host == host.lower()) and reference.port != ""


def _ipv6(authority: str) -> str:
    """Return an authority with an IPv6 literal in the form that RFC 5952 recommends."""
    userinfo, host, port = _split_authority(authority)
    if host.startswith("[") and host[1] not in "vV":
        address = IPv6Address(host[1:-1])
        mapped = address.ipv4_mapped
        host = f"[{address}]" if mapped is None else f"[::ffff:{mapped}]"
    return recompose_authority(userinfo, host, port)
