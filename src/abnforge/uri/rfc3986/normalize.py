"""Normalization (RFC 3986, section 6.2), step by step.

Nothing is changed that the specification does not license: the delimiter of an empty query or fragment stays,
and so does everything in userinfo but its percent-encodings.
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
from abnforge.uri.common.components import Component, guarded, recompose, recompose_authority
from abnforge.uri.common.messages import message
from abnforge.uri.rfc3986.components import URI, RelativeRef
from abnforge.uri.rfc3986.parse import parse, percent
from abnforge.uri.rfc3986.resolve import remove_dot_segments
from abnforge.uri.rfc3986.schemes import GENERIC, SCHEMES, Scheme
from abnforge.uri.rfc3986.split import known_relative_ref, known_uri, normalized, split_text

# Turns a URI into an equivalent one that a protocol's practice prefers: section 6.2.4.
Protocol = Callable[[URI], str | Component]


class Step(StrEnum):
    """A way in which equivalent URIs differ, which normalization takes away."""

    CASE = "case"  # scheme and host in lower case, triplets in upper case
    PERCENT_ENCODING = "percent-encoding"  # no triplets for unreserved characters
    DOT_SEGMENTS = "dot-segments"  # no "." and ".." in the path of a URI
    EMPTY_PORT = "empty-port"  # no ":" without a port behind it
    IPV6 = "ipv6"  # one spelling for an IPv6 address
    SCHEME = "scheme"  # what the scheme's specification says
    PROTOCOL = "protocol"  # what the caller knows about the protocol


SYNTAX_BASED = (Step.CASE, Step.PERCENT_ENCODING, Step.DOT_SEGMENTS, Step.EMPTY_PORT)
"""The steps that hold for every scheme (RFC 3986, section 6.2.2), and an empty port left out (6.2.3)."""

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
    """The reference in normal form, by the steps asked for: those of section 6.2.2 unless others are named.

    ``scheme=True`` adds :attr:`Step.SCHEME`, by the registry ``schemes`` (names in lower case); of a scheme
    that is not in it only the general rules of section 6.2.3 are used. ``protocol`` adds
    :attr:`Step.PROTOCOL`: it is called with the URI when all other steps are done and gives an equivalent
    one, which is checked to be one and not normalized again. :attr:`Step.IPV6` is not licensed by RFC 3986
    and only done when it is named. The order of ``steps`` means nothing.

    A relative reference keeps its dot-segments, which have a meaning until it is resolved; resolve it first
    for all of its normal form (section 5.2.1). A path that would begin with "//" without an authority keeps
    its "/.".

    Normalizing twice is the same as once, and the result is as valid as the value was.

    Raises Rejected for a text that is no URI-reference, ValueError for an unknown step, TypeError for a value
    that is neither a str nor a component object. Cost: linear.
    """
    usual = steps is SYNTAX_BASED and not scheme
    if usual and normalized is not None and protocol is None and schemes is SCHEMES:
        made = normalized(value)
        if made is not None:
            return made
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
    if "%" in text:  # no component begins or ends elsewhere when unreserved characters are decoded
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
        else:  # a registered function on paths may have made anything
            result = parse(normal, "URI") if plan.scheme else known_uri(normal)
    if protocol is not None and isinstance(result, URI):
        return parse(protocol(result), "URI")
    return result


class _Plan(NamedTuple):
    """The steps to take."""

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
    wanted = steps | {Step.SCHEME} if scheme else steps
    return _Plan(*(step in wanted for step in Step))


_SYNTAX_PLAN = _plan(frozenset(SYNTAX_BASED), False)


def _lower_host(authority: str) -> str:
    """An authority with its host in lower case, but triplets in upper case."""
    userinfo, at, host = authority.rpartition("@")
    return userinfo + at + percent.uppercase_triplets(host.lower())  # a port has no letters


def _split_authority(authority: str) -> tuple[str | None, str, str | None]:
    """Userinfo, host and port of a valid authority."""
    userinfo, at, rest = authority.rpartition("@")
    bracket = rest.find("]") + 1
    name, colon, port = rest[bracket:].partition(":")
    return userinfo if at else None, rest[:bracket] + name, port if colon else None


def _by_scheme(facts: Scheme, authority: str | None, path: str) -> tuple[str | None, str]:
    """Authority and path by section 6.2.3 and what a scheme says."""
    if authority is not None:
        userinfo, host, port = _split_authority(authority)
        # No int(): a port may have any number of digits.
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
    """Whether the syntax-based steps surely have nothing to do, which is so of most URIs and quick to see."""
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
    """An authority with an IPv6 literal written as RFC 5952 recommends."""
    userinfo, host, port = _split_authority(authority)
    if host.startswith("[") and host[1] not in "vV":
        address = IPv6Address(host[1:-1])
        mapped = address.ipv4_mapped
        host = f"[{address}]" if mapped is None else f"[::ffff:{mapped}]"
    return recompose_authority(userinfo, host, port)
